//! `fairshoe restore`: the folder is lost, a mirror and the saved secrets are left.

use crate::faults;

use fairshoe_tests::{Player, Service, binary};
use faults::load::Casino;
use faults::process::{Process, refused};
use faults::{Dice, audit, copy_folder, require_sound, samples};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const OPEN: &[&str] = &["--token-rate", "0", "--address-rate", "0"];

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn command(source: &Path, data: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(binary("fairshoe"));
    command.arg("restore").arg(source).arg("--data").arg(data).arg("--json").args(more);
    command
}

/// Restores, and gives what it says as JSON.
fn restored(source: &Path, data: &Path, more: &[&str]) -> Value {
    let output = command(source, data, more).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &said["restored"]), (Some(0), &Value::Bool(true)), "{said}");
    said
}

/// A restore that must be refused with this label; its words.
fn not_restored(source: &Path, data: &Path, more: &[&str], label: &str) -> String {
    let output = command(source, data, more).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said["label"].as_str()), (Some(1), Some(label)), "{said} {errors}");
    said["error"].as_str().unwrap().to_owned()
}

fn mirror(address: &str, dir: &Path) {
    let made = audit(&["mirror", address, text(dir)]);
    assert_eq!(made.code, Some(0), "{} {}", made.out, made.err);
}

fn size(service: &Service) -> u64 {
    service.anyone().get("/v1/log").expect_status(200)["size"].as_u64().unwrap()
}

/// A house that was lost after play, and what was saved of it.
struct Lost {
    _dir: tempfile::TempDir,
    root: PathBuf,
    /// What is left of the data folder.
    data: PathBuf,
    /// A copy of `secrets/` with the operator's token, made after the first start.
    secrets: PathBuf,
    /// A mirror of all that was acknowledged.
    mirror: PathBuf,
    /// A mirror made while they played: later entries are missing from it.
    earlier: PathBuf,
    casino: Casino,
    /// A reply with receipts of what came after the earlier mirror.
    reply: PathBuf,
}

fn lost() -> Lost {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    let [data, secrets, whole, earlier] = ["data", "secrets", "mirror", "earlier"].map(|name| root.join(name));
    let service = Service::start(&data, OPEN);
    copy_folder(&data.join("secrets"), &secrets);
    fs::copy(data.join("operator.token"), secrets.join("operator.token")).unwrap();
    let mut casino = Casino::open(&service, 4, &mut Dice::new());
    let url = service.url.clone();
    casino.play_while(&url, || {
        let reach = |least: u64| {
            while size(&service) < least {
                std::thread::sleep(Duration::from_millis(20))
            }
        };
        reach(700);
        mirror(&service.url, &earlier);
        let mirrored = fs::read_to_string(earlier.join("checkpoint")).unwrap().lines().nth(1).unwrap().parse::<u64>().unwrap();
        reach(mirrored + 200);
        assert_eq!(service.stop(), Some(0));
    });
    // Nobody plays when the last mirror is made: what is logged by the clock after it would be missing.
    for number in 0..5 {
        let service = Service::start(&data, OPEN);
        mirror(&service.url, &whole);
        let reply = service.operator().post("/v1/players", &json!({ "player": format!("later-{number}") }));
        assert_eq!(reply.status, 201, "{}", reply.text());
        fs::write(root.join("reply.json"), &reply.body).unwrap();
        mirror(&service.url, &whole);
        let all = size(&service);
        service.kill();
        if fs::read_to_string(whole.join("checkpoint")).unwrap().lines().nth(1) == Some(&all.to_string()) {
            break;
        }
    }
    let reply = root.join("reply.json");
    Lost { _dir: dir, root, data, secrets, mirror: whole, earlier, casino, reply }
}

/// The drill: a mirror, the folder lost, restored, and play goes on under the same log.
#[test]
fn a_lost_folder_is_restored_from_a_mirror_and_play_goes_on_under_the_same_log() {
    let Lost { _dir, root, data, secrets, mirror, earlier, mut casino, reply } = lost();
    let new = root.join("new");
    let keys = ["--keys", text(&secrets)];

    // Nobody knows whether the mirror has all of it.
    let words = not_restored(&mirror, &new, &keys, "nobody says that nothing is missing");
    assert!(words.contains("--nothing-missing") && words.contains("--lost"), "{words}");
    // Somebody knows that this one has not.
    for evidence in [["--lost", text(&data)], ["--signed", text(&reply)], ["--signed", text(&mirror.join("checkpoint"))]] {
        let words = not_restored(&earlier, &new, &[keys, evidence].concat(), "signed entries are missing");
        assert!(words.contains("under a new name"), "{words}");
        let insisting = [&keys[..], &evidence, &["--nothing-missing"]].concat();
        not_restored(&earlier, &new, &insisting, "signed entries are missing");
    }
    assert!(!new.exists(), "a refusal makes nothing");
    // Whoever holds a receipt of what is missing shows it.
    let judged = audit(&["log", text(&earlier), "--kept", text(&reply), "--json"]);
    assert_eq!(judged.code, Some(1), "{} {}", judged.out, judged.err);
    assert!(judged.out.contains("ack_missing") || judged.out.contains("truncated"), "{}", judged.out);
    require_sound(&["log", text(&earlier), "--json"]);

    let said = restored(&mirror, &new, &[keys, ["--lost", text(&data)]].concat());
    assert_eq!((&said["operator_token_kept"], &said["tokens"]), (&json!(true), &json!(0)));
    let checked = Command::new(binary("fairshoe")).arg("check").arg(&new).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));

    let service = Service::start(&new, OPEN);
    casino.watch.follow(&service.operator());
    assert!(casino.watch.size() > said["entries"].as_u64().unwrap(), "the same log, longer by its start");
    // The mirror has no tokens.
    let token = service.operator().post("/v1/players/gambler-0/tokens", &json!({})).expect_status(201)["token"].clone();
    let token = token.as_str().unwrap().to_owned();
    let name = faults::load::player_id("gambler-0");
    let player = Player { name, client: service.client(Some(&token)), token };
    let table = player.open_table();
    for _ in 0..10 {
        assert_eq!(player.play(&table, 5)["round"]["phase"], "settled");
    }
    casino.watch.follow(&service.operator());
    casino.judge(service);
}

/// A copy of a data folder brings what stands beside the log, too: tokens, and what was asked before.
#[test]
fn a_copy_of_the_folder_is_restored_with_its_tokens_and_repeats() {
    let Lost { _dir, root, data, mut casino, .. } = lost();
    let new = root.join("new");
    let said = restored(&data, &new, &["--nothing-missing"]);
    assert!(said["tokens"].as_u64().unwrap() > 4, "{said}");
    let service = Service::start(&new, OPEN);
    casino.check(&service);
    casino.judge(service);
}

fn flip(path: &Path, at: impl FnOnce(usize) -> usize) {
    let mut bytes = fs::read(path).unwrap();
    let place = at(bytes.len());
    bytes[place] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// What is spoiled, how, and the label of the refusal.
type Spoiled = (&'static str, fn(&Path), &'static str);

const SPOILED: &[Spoiled] = &[
    ("an entry", |dir| flip(&dir.join("tile/entries/001"), |len| len / 2), "the entries of the source are not those that were signed"),
    ("an entry's length", |dir| flip(&dir.join("tile/entries/000"), |_| 1), "the source is damaged"),
    ("a bundle is gone", |dir| fs::remove_file(dir.join("tile/entries/001")).unwrap(), "the source is damaged"),
    (
        "a bundle in another's place",
        |dir| assert!(fs::copy(dir.join("tile/entries/000"), dir.join("tile/entries/001")).unwrap() > 0),
        "the entries of the source are not those that were signed",
    ),
    ("the checkpoint's size", |dir| flip(&dir.join("checkpoint"), |_| 30), "the checkpoint of the source is not signed by this key"),
    (
        "the checkpoint's signature",
        |dir| flip(&dir.join("checkpoint"), |len| len - 10),
        "the checkpoint of the source is not signed by this key",
    ),
    ("the key", |dir| flip(&dir.join("log.vkey"), |_| 40), "the source is damaged"),
];

#[test]
fn a_damaged_mirror_is_refused_in_words_and_a_damaged_tile_is_told() {
    let Lost { _dir, root, data, secrets, mirror, .. } = lost();
    let options = ["--keys", text(&secrets), "--lost", text(&data)];
    let new = root.join("new");
    for (what, spoil, label) in SPOILED {
        let copy = root.join("copy");
        faults::replace(&mirror, &copy);
        spoil(&copy);
        let words = not_restored(&copy, &new, &options, label);
        println!("{what}: {words}");
        if new.exists() {
            let words = refused(&new, &[], 1);
            assert!(words.contains("repeat `fairshoe restore`"), "{what}: {words}");
        }
    }
    // Tiles follow from the entries: nothing rests on this one.
    flip(&mirror.join("tile/0/000"), |len| len / 3);
    let said = restored(&mirror, &new, &options);
    assert_eq!(said["wrong_files"], json!(["tile/0/000"]));
    not_restored(&mirror, &new, &options, "the folder is not empty");
    let other = root.join("other");
    assert_eq!(Service::start(&other, &[]).stop(), Some(0));
    let again = root.join("again");
    not_restored(&mirror, &again, &["--keys", text(&other), "--nothing-missing"], "the checkpoint of the source is not signed by this key");
    faults::replace(&other.join("secrets/master.key"), &secrets.join("master.key"));
    not_restored(&mirror, &again, &options, "another master key");
    let service = Service::start(&new, OPEN);
    require_sound(&["log", &service.url, "--json"]);
    assert_eq!(service.stop(), Some(0));
}

/// A restore that dies leaves what is refused, and what its repeat completes.
#[test]
fn a_restore_that_is_killed_is_completed_by_a_repeat_and_never_served_by_half() {
    let mut dice = Dice::new();
    let Lost { _dir, root, data, secrets, mirror, .. } = lost();
    let options = ["--keys", text(&secrets), "--lost", text(&data)];
    let begun = std::time::Instant::now();
    let whole = restored(&mirror, &root.join("whole"), &options);
    let most = u64::try_from(begun.elapsed().as_millis()).unwrap();
    let mut unfinished = 0;
    for number in 0..samples(8, 80) {
        let new = root.join(format!("new-{number}"));
        for _ in 0..=dice.below(3) {
            let process = Process::spawn(command(&mirror, &new, &options));
            std::thread::sleep(dice.pause(most));
            process.kill();
            if new.join("restoring").exists() {
                unfinished += 1;
                assert!(refused(&new, &[], 1).contains("repeat `fairshoe restore`"));
            }
        }
        if new.join("restoring").exists() || !new.join("format").exists() {
            assert_eq!(restored(&mirror, &new, &options)["root"], whole["root"]);
        }
        let checked = Command::new(binary("fairshoe")).arg("check").arg(&new).arg("--json").output().unwrap();
        let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
        assert_eq!((&checked["whole"], &checked["root"]), (&json!(true), &whole["root"]), "{checked}");
        assert_eq!(Service::start(&new, &[]).stop(), Some(0));
    }
    println!("{unfinished} kills left a restore unfinished");
    assert!(unfinished > 0, "no kill came in time");
}
