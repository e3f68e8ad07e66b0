//! The monitor and the kept audit from outside, on real ports: a log that grows, and one that forks, shrinks, cheats or
//! falls silent, signed with its real key.

use crate::audit_common;
use crate::common;
use crate::served;

use audit_common::edit::*;
use audit_common::*;
use common::entries;
use common::rng::Rng;
use fairshoe_games::RoundEvent;
use fairshoe_house::Event;
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tlog::{Cosigner, Signer};
use serde_json::{Value, json};
use served::Served;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

type Log = Vec<Vec<u8>>;

fn log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    LOG.get_or_init(|| book(5, 160).log)
}

/// A second history: as the first up to `from`, where it goes another way.
fn fork(from: usize, len: usize) -> Log {
    let mut other = log()[..len].to_vec();
    for entry in &mut other[from..] {
        entry.push(b' ');
    }
    other
}

fn key() -> String {
    signer().verifier_key().to_string()
}

fn serve(log: &[Vec<u8>]) -> Served {
    Served::start(log, &checkpoint(log), &key(), None)
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"));
    command.args(args).stdin(Stdio::null());
    command
}

struct Said {
    exit: i32,
    out: String,
    err: String,
}

impl Said {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }
}

fn run(args: &[&str]) -> Said {
    let Output { status, stdout, stderr } = command(args).output().unwrap();
    Said {
        exit: status.code().expect("it was killed"),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// A monitor's folder.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    fn args<'a>(&'a self, servers: &'a [&'a Served], more: &[&'a str]) -> Vec<&'a str> {
        let addresses = servers.iter().map(|server| server.address.as_str());
        ["monitor"].into_iter().chain(addresses).chain(["--state", self.path()]).chain(more.iter().copied()).collect()
    }

    /// One look.
    #[track_caller]
    fn look(&self, servers: &[&Served], more: &[&str], exit: i32) -> Value {
        let key = key();
        let args = self.args(servers, &[more, &["--once", "--json", "--key", &key]].concat());
        let said = run(&args);
        assert_eq!(said.exit, exit, "{}\n{}", said.out, said.err);
        if exit == 2 { Value::from(said.err) } else { said.json() }
    }

    fn evidence(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("evidence-")).collect()
    }

    /// What the one evidence file shows by itself, to somebody with the key.
    #[track_caller]
    fn shown(&self) -> Value {
        let files = self.evidence();
        assert_eq!(files.len(), 1);
        let key = key();
        let said = run(&["evidence", files[0].to_str().unwrap(), "--key", &key, "--json"]);
        let shown = said.json();
        assert_eq!(said.exit, i32::from(shown["verdict"] == "proven"));
        shown
    }
}

#[test]
fn a_log_that_grows_is_followed_and_a_restarted_monitor_goes_on() {
    let (folder, server) = (Folder::new(), serve(&log()[..1]));
    let mut before = 0;
    for size in [1, 100, 100, 256, 300, log().len()] {
        server.show(&log()[..size], &checkpoint(&log()[..size]));
        let looked = folder.look(&[&server], &[], 0);
        assert_eq!(looked["entries"], size);
        // In the middle of the log a round is in play, or a shoe that was dealt from.
        assert!(["sound", "sound_so_far"].contains(&looked["verdict"].as_str().unwrap()), "{looked}");
        assert_eq!(looked["new_entries"], size - before, "only new entries are read");
        before = size;
    }
    let history = fs::read_to_string(folder.0.path().join("checkpoints.jsonl")).unwrap();
    let sizes: Vec<String> = history
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["note"].as_str().unwrap().lines().nth(1).unwrap().to_owned()
        })
        .collect();
    assert_eq!(sizes, ["1", "100", "100", "256", "300", &log().len().to_string()]);
    // Others hold the log against it.
    let (kept, key) = (folder.0.path().join("checkpoints.jsonl"), key());
    let said = run(&["log", &server.address, "--kept", kept.to_str().unwrap(), "--key", &key, "--json"]);
    assert_eq!(
        (said.exit, &said.json()["kept"]["checkpoints"]),
        (0, &5.into()),
        "one of them was seen twice: {}",
        said.out
    );
    assert!(folder.evidence().is_empty());
}

#[test]
fn a_rewritten_log_is_a_fork_and_proven_to_anybody_with_the_key() {
    for (seen, from, shows) in [(200, 150, 300), (128, 7, 300), (256, 255, 257), (255, 0, 256), (300, 299, 600)] {
        let (folder, server) = (Folder::new(), serve(&log()[..seen]));
        folder.look(&[&server], &[], 0);
        let other = fork(from, shows.min(log().len()));
        server.show(&other, &checkpoint(&other));
        let looked = folder.look(&[&server], &[], 1);
        assert_eq!(looked["finding"]["check"], "fork", "{seen} {from} {shows}: {looked}");
        let shown = folder.shown();
        assert_eq!(shown["verdict"], "proven", "{shown}");
        // It is found again, for what was found right is what was right before.
        assert_eq!(folder.look(&[&server], &[], 1)["finding"]["check"], "fork");
        assert_eq!(folder.evidence().len(), 2);
    }
}

#[test]
fn two_addresses_of_two_histories_are_a_fork() {
    for (one, other) in [
        (log()[..200].to_vec(), fork(150, 200)),
        (log()[..200].to_vec(), fork(150, 180)),
        (log()[..190].to_vec(), fork(100, 170)),
    ] {
        let (folder, ours, theirs) = (Folder::new(), serve(&one), serve(&other));
        let looked = folder.look(&[&theirs, &ours], &[], 1);
        assert_eq!(looked["finding"]["check"], "fork", "{looked}");
        assert_eq!(folder.shown()["verdict"], "proven");
    }
    // One history at two addresses, one of them behind, is none.
    let (folder, ours, theirs) = (Folder::new(), serve(&log()[..200]), serve(&log()[..130]));
    assert_eq!(folder.look(&[&theirs, &ours], &[], 0)["entries"], 200);
    theirs.show(&log()[..140], &checkpoint(&log()[..140]));
    assert_eq!(folder.look(&[&theirs, &ours], &[], 0)["new_entries"], 0);
}

#[test]
fn a_log_that_shrinks_is_found_and_is_no_proof_by_itself() {
    let (folder, server) = (Folder::new(), serve(&log()[..200]));
    folder.look(&[&server], &[], 0);
    // A copy may be an old one, of a cache or of whoever shows it again, its own time included.
    for note in [checkpoint(&log()[..199]), timed(&log()[..199], now() - 1)] {
        server.show(&log()[..199], &note);
        let told = folder.look(&[&server], &[], 2);
        assert!(told.as_str().unwrap().contains("does not sign that this is all"), "{told}");
    }
    // Later than that it had more the log signs that it has less.
    server.show(&log()[..199], &timed(&log()[..199], now() + 10));
    assert_eq!(folder.look(&[&server], &[], 1)["finding"]["check"], "truncated");
    assert_eq!(folder.shown()["verdict"], "not_proven");
}

#[test]
fn two_checkpoints_of_one_size_are_proven_by_their_signatures() {
    let (folder, server) = (Folder::new(), serve(&log()[..200]));
    folder.look(&[&server], &[], 0);
    let other = fork(199, 200);
    server.show(&log()[..200], &checkpoint(&other));
    assert_eq!(folder.look(&[&server], &[], 1)["finding"]["check"], "fork");
    let shown = folder.shown();
    assert!(
        shown["verdict"] == "proven" && shown["shown"].as_str().unwrap().contains("two checkpoints of 200 entries"),
        "{shown}"
    );
    // Whoever changes the file proves nothing; nor does whoever has another key.
    let file = &folder.evidence()[0];
    let text = fs::read_to_string(file).unwrap();
    let changed = folder.0.path().join("changed.json");
    let key = key();
    fs::write(&changed, text.replacen("\\n200\\n", "\\n201\\n", 1)).unwrap();
    assert_eq!(run(&["evidence", changed.to_str().unwrap(), "--key", &key]).exit, 0);
    let stranger = Signer::new("fairshoe.example/log", &[1; 32]).unwrap().verifier_key().to_string();
    let said = run(&["evidence", file.to_str().unwrap(), "--key", &stranger]);
    assert!(said.exit == 0 && said.out.contains("not signed by this key"), "{}", said.out);
    for bad in ["", "{}", "[]", &text[..text.len() / 2], &text.replacen("fairshoe_evidence", "evidence", 1)] {
        fs::write(&changed, bad).unwrap();
        assert_eq!(run(&["evidence", changed.to_str().unwrap(), "--key", &key]).exit, 2);
    }
}

#[test]
fn an_entry_that_breaks_the_rules_is_kept_with_its_proof() {
    let (folder, server) = (Folder::new(), serve(&log()[..60]));
    folder.look(&[&server], &[], 0);
    let mut book = entries(log());
    let at = 60 + find(&book[60..], pays);
    let paid = play_mut(&mut book[at], |play| matches!(play, RoundEvent::Paid { .. }));
    let RoundEvent::Paid { lines } = paid else { unreachable!() };
    lines[0].returned =
        lines[0].returned.plus("1".parse::<u64>().ok().and_then(fairshoe_games::Chips::new).unwrap()).unwrap();
    assert!(has(&book[at], |event| matches!(event, Event::Posted { .. })));
    let cheating: Log = book.iter().map(|entry| entry.encode().unwrap()).collect();
    server.show(&cheating, &checkpoint(&cheating));
    let looked = folder.look(&[&server], &[], 1);
    assert_eq!((&looked["finding"]["check"], &looked["finding"]["entry"]), (&"payout".into(), &at.into()), "{looked}");
    let shown = folder.shown();
    assert!(shown["verdict"] == "not_proven" && shown["shown"].as_str().unwrap().contains("byte for byte"), "{shown}");

    // What is no entry at all is proven by its bytes.
    let (folder, server) = (Folder::new(), serve(&log()[..60]));
    folder.look(&[&server], &[], 0);
    let mut garbage = log()[..80].to_vec();
    garbage[70] = b"no entry".to_vec();
    server.show(&garbage, &checkpoint(&garbage));
    assert_eq!(folder.look(&[&server], &[], 1)["finding"]["check"], "entry_form");
    assert_eq!(folder.shown()["verdict"], "proven");
}

#[test]
fn a_checkpoint_of_another_key_is_said_and_another_log_is_refused() {
    let stranger = Signer::new("fairshoe.example/log", &[1; 32]).unwrap();
    let (folder, server) = (Folder::new(), serve(&log()[..50]));
    folder.look(&[&server], &[], 0);
    let (tree, _) = tree_of(&log()[..60]);
    server.show(&log()[..60], &stranger.sign_checkpoint(60, tree.root()));
    let err = folder.look(&[&server], &[], 2);
    assert!(err.as_str().unwrap().contains("is signed with another key"), "{err}");
    assert!(folder.evidence().is_empty());
    let said = run(&folder.args(&[&server], &["--once", "--key", &stranger.verifier_key().to_string()]));
    assert!(said.exit == 2 && said.err.contains("is of the log with the key"), "{}", said.err);
}

#[test]
fn the_key_is_the_logs_own_word_where_none_is_named_and_stays() {
    let (folder, server) = (Folder::new(), serve(&log()[..50]));
    let said = run(&folder.args(&[&server], &["--once"]));
    assert!(said.exit == 0 && said.out.contains("UNVERIFIED"), "{}", said.out);
    server.put("/v1/log", r#"{"vkey":"other"}"#);
    assert_eq!(run(&folder.args(&[&server], &["--once"])).exit, 0);
}

#[test]
fn a_silent_address_is_said_and_the_other_is_followed() {
    let (folder, ours, silent) = (Folder::new(), serve(&log()[..50]), serve(&log()[..50]));
    silent.be_silent(true);
    let err = folder.look(&[&silent, &ours], &[], 2);
    assert!(err.as_str().unwrap().contains("503"), "{err}");
    // What the other one showed was audited all the same.
    silent.be_silent(false);
    assert_eq!(folder.look(&[&silent, &ours], &[], 0)["new_entries"], 0);
}

/// *Attack, or accident: a maintenance page, a proxy's error, a note cut short.* Nobody signed it.
#[test]
fn what_the_log_did_not_sign_is_no_finding_and_the_other_address_is_followed() {
    let (ours, hook) = (serve(&log()[..100]), serve(&log()[..1]));
    let url = format!("{}alarm", hook.address);
    let note = checkpoint(&log()[..120]);
    let stranger = Signer::new("fairshoe.example/log", &[1; 32]).unwrap();
    let (tree, _) = tree_of(&log()[..120]);
    let (resized, rekeyed) = (note.replace("\n120\n", "\n121\n"), stranger.sign_checkpoint(120, tree.root()));
    let instead: [&[u8]; 7] = [
        b"<!doctype html><title>Back soon</title>",
        b"",
        br#"{"code":"unavailable","detail":"try again"}"#,
        &note.as_bytes()[..note.len() - 20],
        resized.as_bytes(),
        rekeyed.as_bytes(),
        &[0xff; 300],
    ];
    for came in instead {
        let (folder, other) = (Folder::new(), serve(&log()[..120]));
        other.put("/checkpoint", came);
        let err = folder.look(&[&other, &ours], &["--webhook", &url], 2);
        assert!(err.as_str().unwrap().contains("what the log did not sign"), "{err}");
        assert!(folder.evidence().is_empty(), "{err}");
        assert_eq!(folder.look(&[&ours], &[], 0)["new_entries"], 0, "the other one was audited");
    }
    assert!(hook.posted().is_empty());
}

/// The address that shows most serves other bytes than were signed: it does not answer, and the next one is audited.
#[test]
fn tiles_that_are_not_the_signed_ones_are_no_finding_and_the_other_address_is_followed() {
    let (path, bundle) = ("/tile/0/000.p/120", "/tile/entries/000.p/120");
    let mut entries = log()[..120].to_vec();
    entries[7] = entries[8].clone();
    let changed = Served::tiles_of(&entries);
    for (path, came) in [(path, vec![0; 120 * 32]), (path, b"<html>".to_vec()), (bundle, changed[bundle].clone())] {
        let (folder, ours, other) = (Folder::new(), serve(&log()[..100]), serve(&log()[..120]));
        other.put(path, came);
        for _ in 0..2 {
            let err = folder.look(&[&other, &ours], &[], 2);
            assert!(err.as_str().unwrap().contains(&other.address[..other.address.len() - 1]), "{err}");
            assert!(folder.evidence().is_empty(), "{err}");
        }
        assert_eq!(folder.look(&[&ours], &[], 0)["new_entries"], 0, "the other one was audited");
        // The right bytes again: it goes on from where the audit stands.
        other.show(&log()[..120], &checkpoint(&log()[..120]));
        assert_eq!(folder.look(&[&other, &ours], &[], 0)["new_entries"], 20);
    }
}

/// A monitor that runs on.
struct Running(Child);

impl Running {
    fn start(args: &[&str]) -> Running {
        Running(command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap().success());
    }

    #[track_caller]
    fn exit(mut self) -> i32 {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().expect("it was killed");
            }
            sleep(Duration::from_millis(20));
        }
        self.0.kill().unwrap();
        panic!("the monitor does not stop");
    }
}

#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not happen");
        sleep(Duration::from_millis(20));
    }
}

fn history_len(folder: &Folder) -> usize {
    fs::read_to_string(folder.0.path().join("checkpoints.jsonl")).unwrap_or_default().lines().count()
}

#[test]
fn it_runs_on_through_silence_and_stops_on_a_signal() {
    let (folder, server, key) = (Folder::new(), serve(&log()[..50]), key());
    for signal in ["-TERM", "-INT"] {
        let before = history_len(&folder);
        let running = Running::start(&folder.args(&[&server], &["--every", "1", "--key", &key]));
        until("a first look", || history_len(&folder) > before);
        server.be_silent(true);
        // They would end it, and mean nothing to it.
        ["-HUP", "-USR1", "-USR2"].into_iter().for_each(|meaningless| running.signal(meaningless));
        sleep(Duration::from_millis(1_500));
        server.be_silent(false);
        let later = history_len(&folder);
        until("a look after the silence", || history_len(&folder) > later);
        // One folder is one monitor's.
        let second = run(&folder.args(&[&server], &["--once", "--key", &key]));
        assert!(second.exit == 2 && second.err.contains("another monitor"), "{}", second.err);
        running.signal(signal);
        assert_eq!(running.exit(), 0);
    }
    assert_eq!(folder.look(&[&server], &[], 0)["new_entries"], 0);
}

#[test]
fn a_running_monitor_raises_the_alarm() {
    let (folder, server, hook, key) = (Folder::new(), serve(&log()[..200]), serve(&log()[..1]), key());
    let url = format!("{}alarm", hook.address);
    let running = Running::start(&folder.args(&[&server], &["--every", "1", "--webhook", &url, "--key", &key]));
    until("a first look", || folder.0.path().join("addresses.json").exists());
    let other = fork(100, 210);
    server.show(&other, &checkpoint(&other));
    assert_eq!(running.exit(), 1);
    let posted: Vec<Value> = hook.posted().iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    assert_eq!(posted.len(), 1);
    assert_eq!((&posted[0]["finding"]["check"], &posted[0]["vkey"]), (&"fork".into(), &key.as_str().into()));
    assert_eq!(posted[0]["evidence"].as_str().map(Path::new), Some(folder.evidence()[0].as_path()));

    // An alarm that nobody takes does not hide the verdict.
    hook.be_silent(true);
    let said = run(&folder.args(&[&server], &["--once", "--webhook", &url, "--key", &key]));
    assert!(said.exit == 1 && said.err.contains("was not told: status 503"), "{}", said.err);
}

/// A policy that names the log and one witness, whose copy is served at an address.
fn policy(folder: &Folder, witness: &Cosigner, url: &str) -> String {
    let path = folder.0.path().join("policy.txt");
    fs::write(&path, format!("log {}\nwitness w1 {} {url}\nquorum w1\n", key(), witness.verifier_key())).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_witnesses_saw_is_compared() {
    let cosigner = Cosigner::new("witness.example/w1", &[17; 32]).unwrap();
    let copy_of = |log: &[Vec<u8>]| {
        let witness = Served::start(&[], "", &key(), None);
        witness.put("/checkpoint?origin=fairshoe.example/log", checkpoint(log));
        witness
    };
    let look = |witness: &Served, exit: i32| {
        let (folder, server) = (Folder::new(), serve(&log()[..200]));
        let policy = policy(&folder, &cosigner, witness.address.trim_end_matches('/'));
        let looked = folder.look(&[&server], &["--policy", &policy], exit);
        (folder, looked)
    };
    for size in [1, 150, 200] {
        let (_, looked) = look(&copy_of(&log()[..size]), 0);
        assert_eq!((&looked["witnesses"][0]["size"], &looked["quorum"]), (&size.into(), &false.into()));
    }
    for other in [fork(100, 150), fork(100, 200)] {
        let (folder, looked) = look(&copy_of(&other), 1);
        assert_eq!(looked["finding"]["check"], "fork");
        assert_eq!(folder.shown()["verdict"], "proven");
    }
    // A witness that is down or has nothing yet is said, and hides nothing.
    let nothing = Served::start(&[], "", &key(), None);
    let (_, looked) = look(&nothing, 0);
    assert!(looked["witnesses"][0]["problem"].as_str().unwrap().contains("404"), "{looked}");
}

#[test]
fn what_a_witness_saw_first_is_compared_when_the_log_gets_there() {
    let cosigner = Cosigner::new("witness.example/w1", &[17; 32]).unwrap();
    let (folder, server, witness) = (Folder::new(), serve(&log()[..200]), Served::start(&[], "", &key(), None));
    let policy = policy(&folder, &cosigner, witness.address.trim_end_matches('/'));
    witness.put("/checkpoint?origin=fairshoe.example/log", checkpoint(&fork(201, 205)));
    let looked = folder.look(&[&server], &["--policy", &policy], 0);
    assert!(looked["verdict"].as_str().unwrap().starts_with("sound"), "{looked}");
    witness.be_silent(true);
    server.show(&log()[..210], &checkpoint(&log()[..210]));
    assert_eq!(folder.look(&[&server], &["--policy", &policy], 1)["finding"]["check"], "fork");
    assert_eq!(folder.shown()["verdict"], "proven");
}

#[test]
fn cosignatures_on_the_checkpoint_are_verified() {
    let cosigner = Cosigner::new("witness.example/w1", &[17; 32]).unwrap();
    let note = checkpoint(&log()[..200]);
    let text = format!("{}\n", note.split("\n\n").next().unwrap());
    let line = cosigner.cosign(&text, 1_700_000_000).unwrap();
    let (folder, server) = (Folder::new(), Served::start(&log()[..200], &format!("{note}{line}"), &key(), None));
    let policy = policy(&folder, &cosigner, "");
    assert_eq!(folder.look(&[&server], &["--policy", &policy], 0)["quorum"], true);
    // A log may show its cosigned checkpoint beside the newest one.
    server.show(&log()[..210], &checkpoint(&log()[..210]));
    assert_eq!(folder.look(&[&server], &["--policy", &policy], 0)["quorum"], false);
    server.put("/checkpoint/witnessed", format!("{note}{line}"));
    assert_eq!(folder.look(&[&server], &["--policy", &policy], 0)["quorum"], true);
    // What the witness did not sign is said; what the log signed counts.
    server.put("/checkpoint/witnessed", format!("{}{line}", checkpoint(&log()[..199])));
    let err = folder.look(&[&server], &["--policy", &policy], 2);
    assert!(err.as_str().unwrap().contains("no known witness signed"), "{err}");
    server.put("/checkpoint/witnessed", format!("{}{line}", checkpoint(&fork(150, 200))));
    assert_eq!(folder.look(&[&server], &["--policy", &policy], 1)["finding"]["check"], "fork");
    server.put("/checkpoint/witnessed", "<html>Back soon");
    let err = folder.look(&[&server], &["--policy", &policy], 2);
    assert!(err.as_str().unwrap().contains("Back soon"), "{err}");
    server.put("/checkpoint/witnessed", checkpoint(&fork(150, 200)));
    assert_eq!(folder.look(&[&server], &["--policy", &policy], 1)["finding"]["check"], "fork");
    server.remove("/checkpoint/witnessed");
    let note = checkpoint(&log()[..210]);
    let text = format!("{}\n", note.split("\n\n").next().unwrap());
    let of_another = cosigner.cosign(&text.replace("\n210\n", "\n211\n"), 1_700_000_000).unwrap();
    server.show(&log()[..210], &format!("{note}{of_another}"));
    let err = folder.look(&[&server], &["--policy", &policy], 2);
    assert!(err.as_str().unwrap().contains("no known witness signed"), "{err}");
}

/// A report without what differs from one run to the next.
fn report(said: &Said) -> Value {
    let mut report = said.json();
    report["seconds"] = Value::Null;
    report["resumed_from"] = Value::Null;
    report["read_at"] = Value::Null;
    // Of the entries that were read now.
    report["kept"]["clocks"] = Value::Null;
    report
}

#[test]
fn an_audit_that_goes_on_says_what_a_whole_one_says() {
    let (dir, server, key) = (TempDir::new().unwrap(), serve(&log()[..1]), key());
    let state = dir.path().join("book.state");
    let state = state.to_str().unwrap();
    let mut before = 0;
    for size in [1, 77, 77, 256, 300, 513, log().len()] {
        let size = size.min(log().len());
        server.show(&log()[..size], &checkpoint(&log()[..size]));
        let whole = run(&["log", &server.address, "--key", &key, "--json"]);
        let resumed = run(&["log", &server.address, "--key", &key, "--json", "--state", state]);
        assert_eq!((whole.exit, resumed.exit), (0, 0), "{}\n{}", resumed.out, resumed.err);
        assert_eq!(report(&whole), report(&resumed), "{size}");
        assert_eq!(resumed.json()["resumed_from"], before, "{size}");
        before = size;
    }
    // Acknowledgements may be of any entry: all is read again.
    let acks = dir.path().join("acks");
    fs::write(&acks, format!("0 {}\n", fairshoe_tlog::leaf_hash(&log()[0]))).unwrap();
    let said = run(&["log", &server.address, "--state", state, "--acks", acks.to_str().unwrap(), "--json"]);
    assert_eq!((said.exit, &said.json()["resumed_from"]), (0, &0.into()), "{}", said.err);

    for (other, check) in [(fork(40, before), "fork"), (log()[..before - 1].to_vec(), "truncated")] {
        server.show(&other, &checkpoint(&other));
        let said = run(&["log", &server.address, "--state", state, "--json"]);
        assert_eq!((said.exit, &said.json()["first_failure"]["check"]), (1, &check.into()), "{}", said.out);
    }
}

#[test]
fn a_rewritten_log_that_grew_is_told_from_new_entries_at_fault() {
    let (dir, server, key) = (TempDir::new().unwrap(), serve(&log()[..200]), key());
    let state = dir.path().join("book.state");
    let audit = |exit: i32| {
        let said = run(&["log", &server.address, "--key", &key, "--state", state.to_str().unwrap(), "--json"]);
        assert_eq!(said.exit, exit, "{}\n{}", said.out, said.err);
        said.json()["first_failure"]["check"].clone()
    };
    audit(0);
    let other = fork(100, 260);
    server.show(&other, &checkpoint(&other));
    assert_eq!(audit(1), "fork");
    let other = fork(230, 260);
    server.show(&other, &checkpoint(&other));
    assert_eq!(audit(1), "canonical_form");
    server.show(&log()[..260], &checkpoint(&log()[..260]));
    audit(0);
}

#[test]
fn a_damaged_or_foreign_state_is_refused_in_words() {
    let (dir, server, key) = (TempDir::new().unwrap(), serve(&log()[..300]), key());
    let path = dir.path().join("book.state");
    let state = path.to_str().unwrap();
    assert_eq!(run(&["log", &server.address, "--key", &key, "--state", state]).exit, 0);
    let whole = fs::read(&path).unwrap();
    let mut rng = Rng(5);
    for n in 0..24 {
        let mut bytes = whole.clone();
        let at = rng.below(bytes.len());
        match n % 3 {
            0 => bytes[at] ^= 1 << rng.below(7),
            1 => bytes.truncate(at),
            _ => bytes.insert(at, b'\n'),
        }
        fs::write(&path, &bytes).unwrap();
        let said = run(&["log", &server.address, "--key", &key, "--state", state]);
        assert!(said.exit == 2 && said.err.contains("remove it to audit from the start"), "{n} at {at}: {}", said.err);
    }
    fs::write(&path, &whole).unwrap();
    let stranger = Signer::new("fairshoe.example/log", &[1; 32]).unwrap().verifier_key().to_string();
    let said = run(&["log", &server.address, "--key", &stranger, "--state", state]);
    assert!(said.exit == 2 && said.err.contains("is of the log with the key"), "{}", said.err);
}

/// The log at a service that decides: with its own time, which is now.
fn decided(log: &[Vec<u8>]) -> String {
    timed(log, now())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A node that follows may be behind, and may begin anew on an empty folder: an honest house is not accused by it. What it
/// shows is held against the log all the same, and where it leads it shows what it has.
#[test]
fn a_node_that_follows_may_be_behind() {
    let (folder, server) = (Folder::new(), serve(&log()[..200]));
    server.put("/v1/cluster", json!({ "leads": false, "leader": "http://a" }).to_string());
    assert_eq!(folder.look(&[&server], &[], 0)["addresses"][0]["follows"], true);
    // Entries that were written long before it has them.
    server.show(&log()[..210], &checkpoint(&log()[..210]));
    // Nor is that passed over: a house that signs no time could date back what it writes.
    let told = folder.look(&[&server], &[], 2);
    assert!(told.as_str().unwrap().contains("nothing says when they were written"), "{told}");
    assert_eq!(folder.look(&[&server], &[], 0)["verdict"], "sound_so_far");
    server.show(&log()[..100], &checkpoint(&log()[..100]));
    // That is said: a house that always follows could show anything less.
    let told = folder.look(&[&server], &[], 2);
    assert!(told.as_str().unwrap().contains("it does not sign that this is all there is"), "{told}");
    // Whoever signs that this is all has all of it, whatever they said in between, and whoever says now that they follow:
    // before several nodes may stand one address.
    server.show(&log()[..100], &timed(&log()[..100], now() + 10));
    assert_eq!(folder.look(&[&server], &[], 1)["finding"]["check"], "truncated");
    // Nobody who is too busy to say that they follow is taken for a copy.
    let (folder, server) = (Folder::new(), serve(&log()[..200]));
    server.refuse(["/v1/cluster"], "429 Too Many Requests");
    assert!(folder.look(&[&server], &[], 2).as_str().unwrap().contains("v1/cluster"));
    server.refuse([], "");
    server.put("/v1/cluster", json!({ "leads": true }).to_string());
    folder.look(&[&server], &[], 0);
    // A line of the past is one of the past: of a cache, or of somebody who shows it again.
    for (time, follows) in [(now() - 30, false), (now() - 100, true), (now() + 100, true)] {
        server.show(&log()[..200], &timed(&log()[..200], time));
        let told = folder.look(&[&server], &[], 0);
        assert_eq!(
            (&told["addresses"][0]["own_time"], told["addresses"][0]["follows"] == true),
            (&json!(time), follows)
        );
    }
    // Another history is another one, whoever shows it.
    let (folder, server) = (Folder::new(), serve(&log()[..200]));
    folder.look(&[&server], &[], 0);
    let other = fork(100, 150);
    server.show(&other, &checkpoint(&other));
    server.put("/v1/cluster", json!({ "leads": false }).to_string());
    assert_eq!(folder.look(&[&server], &[], 1)["finding"]["check"], "fork");
}

/// The last place before this one at which nothing is due, however late it is.
fn quiet(before: usize) -> usize {
    let mut book = Book::new(Limits::default());
    let is_quiet = |book: &mut Book, at: usize| {
        book.feed(at as u64, &log()[at]).unwrap();
        book.overdue(now() * 1_000).is_empty()
    };
    let places: Vec<usize> = (0..before - 1).filter(|at| is_quiet(&mut book, *at)).collect();
    places.last().unwrap() + 1
}

/// What was acknowledged, or seen before, and a node that follows does not show yet: no verdict, and where to ask.
#[test]
fn a_whole_log_at_a_node_that_is_behind_is_not_judged_by_what_it_lacks() {
    let (folder, server) = (Folder::new(), serve(&log()[..200]));
    let file = |name: &str| folder.0.path().join(name).to_str().unwrap().to_owned();
    let (state, kept, key) = (file("state"), file("kept"), key());
    fs::write(&kept, checkpoint(&log()[..210])).unwrap();
    let asked = ["log", &server.address, "--key", &key, "--kept", &kept];
    let said = run(&asked);
    assert!(said.exit == 1 && said.out.contains("truncated"), "{}", said.out);
    server.put("/v1/cluster", json!({ "leads": false, "leader": "http://leader.example" }).to_string());
    let said = run(&asked);
    assert!(said.exit == 2 && said.err.contains("http://leader.example"), "{}", said.err);
    // What it lacks hides nothing else, and where it lacks nothing that is known it is said whom it follows.
    let forked = file("forked");
    fs::write(&forked, checkpoint(&fork(100, 150))).unwrap();
    let said = run(&["log", &server.address, "--key", &key, "--kept", &kept, &forked]);
    assert!(said.exit == 1 && said.out.contains("[fork]"), "{}", said.out);
    let said = run(&["log", &server.address, "--key", &key]);
    assert!(
        said.exit == 0 && said.out.contains("SOUND SO FAR") && said.out.contains("http://leader.example"),
        "{}",
        said.out
    );
    let json = run(&["log", &server.address, "--key", &key, "--json"]).json();
    assert_eq!(
        (&json["verdict"], &json["follows"]["leader"]),
        (&json!("sound_so_far"), &json!("http://leader.example"))
    );
    let with_state = ["log", &server.address, "--key", &key, "--state", &state];
    assert_eq!(run(&with_state).exit, 0);
    server.show(&log()[..150], &checkpoint(&log()[..150]));
    assert_eq!(run(&with_state).exit, 2);
    server.remove("/v1/cluster");
    assert_eq!(run(&with_state).exit, 1);
    // Of two that the log signed within a minute the shorter may be the older one; signed later, it was cut off.
    let (state, kept) = (file("state2"), file("kept2"));
    let long = quiet(200);
    let (long, short) = (&log()[..long], &log()[..quiet(long)]);
    server.show(long, &timed(long, now()));
    fs::write(&kept, timed(long, now())).unwrap();
    let with_state = ["log", &server.address, "--key", &key, "--state", &state];
    let with_kept = ["log", &server.address, "--key", &key, "--kept", &kept];
    let said = run(&with_state);
    assert_eq!(said.exit, 0, "{}{}", said.out, said.err);
    for (time, exit) in [(now() - 5, 2), (now() + 5, 1)] {
        server.show(short, &timed(short, time));
        for asked in [&with_state, &with_kept] {
            let said = run(asked);
            assert_eq!(said.exit, exit, "{time}: {}{}", said.out, said.err);
            assert!(exit == 1 || said.err.contains("an older checkpoint is shown"), "{}", said.err);
        }
    }
}

/// What the log signed that it did not have was written later, whatever it is dated; a copy signs nothing.
#[test]
fn entries_that_are_dated_before_the_log_s_own_time_are_found() {
    for is_service in [true, false] {
        let (folder, server) = (Folder::new(), serve(&log()[..200]));
        if is_service {
            server.show(&log()[..200], &decided(&log()[..200]));
        }
        folder.look(&[&server], &[], 0);
        server.show(&log()[..210], &checkpoint(&log()[..210]));
        let looked = folder.look(&[&server], &[], i32::from(is_service));
        if is_service {
            assert_eq!(
                (&looked["finding"]["check"], &looked["finding"]["entry"]),
                (&"time_witnessed".into(), &200.into())
            );
            // Whoever takes years for a delay sees nothing in it.
            let folder = Folder::new();
            folder.look(&[&server], &[], 0);
            server.show(&log()[..220], &decided(&log()[..220]));
            folder.look(&[&server], &["--delay", "999999999"], 0);
        }
    }
}
