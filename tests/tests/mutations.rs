//! One byte changed, anywhere: in a stopped service's folder, in a served log. The auditor finds it, or the byte is
//! shown to have no effect: the same entries, the same root, the same report (spec/audit.md, "Which bytes can change
//! unseen"). Seventy changes by default, seven hundred in the slow part of the suite. `audit_bundle` in the judge's
//! tests changes the bytes of bundles.

use crate::faults;
use crate::served;

use fairshoe_store::Store;
use fairshoe_tests::company::{Company, quick};
use fairshoe_tests::{Client, Json, Rng, Service, slow};
use fairshoe_tlog::{Cosigner, Note, VerifierKey, bundles_for_size, tiles_for_size, verify_checkpoint};
use faults::{Dice, audit, files, samples};
use serde_json::Value;
use served::Served;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// One service's data.
struct Original {
    _folder: tempfile::TempDir,
    data: PathBuf,
    key: String,
    /// All files of the log, by path.
    paths: HashMap<String, Vec<u8>>,
    /// A reply with receipts, as a player's client keeps it.
    reply: PathBuf,
}

/// Rounds of every game, on a log longer than a tile, of a service that was started twice.
fn original() -> &'static Original {
    static ORIGINAL: OnceLock<Original> = OnceLock::new();
    ORIGINAL.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        play(&data);
        let service = Service::start(&data, &[]);
        let alice = service.player("latecomer", 10_000);
        let last = alice.play("joy-1", 5);
        let reply = folder.path().join("reply.json");
        fs::write(&reply, last.to_string()).unwrap();
        let client = service.anyone();
        let key = client.get("/v1/log").expect_status(200)["vkey"].text();
        let paths = everything_served(&client, &key);
        assert_eq!(service.stop(), Some(0));
        Original { data, key, paths, reply, _folder: folder }
    })
}

/// Two rounds of each game; the shoes of some are still in use.
fn play(data: &Path) {
    let service = Service::start(data, &[]);
    let mut rng = Rng(77);
    let solo = service.player("solo", 1_000_000);
    for _ in 0..25 {
        solo.play_randomly("joy-1", 5, &mut rng);
    }
    for (name, rules) in [
        ("wheel", "roulette"),
        ("bac", "baccarat"),
        ("live", "live-blackjack"),
        ("six", "six-deck"),
        ("group", "study-group"),
        ("safe", "safe"),
    ] {
        let names = [format!("{name}-ann"), format!("{name}-ben")];
        let company = Company::at_new_table(
            &service,
            name,
            rules,
            &quick(60_000, 60_000, 60_000),
            &names.each_ref().map(String::as_str),
            1_000_000,
        );
        company.sit();
        for _ in 0..2 {
            company.play(&mut rng, |_| ());
        }
    }
    assert_eq!(service.stop(), Some(0));
}

/// The checkpoint, with a cosignature by a witness unknown to the auditor, and every tile and bundle of entries.
fn everything_served(client: &Client, key: &str) -> HashMap<String, Vec<u8>> {
    let key: VerifierKey = key.parse().unwrap();
    let signed = client.get("/checkpoint").text();
    let size = verify_checkpoint(&signed, &key).unwrap().size;
    assert!(size > 300, "{size}");
    let stranger = Cosigner::new("stranger.example/w", &[3; 32]).unwrap();
    let text = Note::parse(signed.as_bytes(), signed.len()).unwrap().text().to_owned();
    let checkpoint = signed + &stranger.cosign(&text, 1_800_000_000).unwrap();
    let paths = tiles_for_size(size).chain(bundles_for_size(size)).map(|path| format!("/{path}"));
    let tiles = paths.map(|path| {
        let reply = client.get(&path);
        assert_eq!(reply.status, 200, "{path}");
        (path, reply.body)
    });
    tiles.chain([("/checkpoint".to_owned(), checkpoint.into_bytes())]).collect()
}

/// The counts of each result of a change.
#[derive(Default)]
struct Counts(BTreeMap<String, u64>);

impl Counts {
    fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    fn say(&self, of: &str) {
        for (what, count) in &self.0 {
            println!("{of}: {count} {what}");
        }
    }

    fn of(&self, start: &str) -> u64 {
        self.0.iter().filter(|(what, _)| what.starts_with(start)).map(|(_, count)| count).sum()
    }
}

/// Changes a byte: half of the time any of its bits, otherwise a letter or digit into another of its kind, so that the
/// text keeps its form but has another meaning.
fn change(bytes: &mut [u8], dice: &mut Dice, used: usize) -> usize {
    let at = dice.below(used as u64) as usize;
    let kind: &[u8] = match bytes[at] {
        b'0'..=b'9' => b"0123456789",
        b'a'..=b'z' => b"abcdefghijklmnopqrstuvwxyz",
        b'A'..=b'Z' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        _ => &[],
    };
    if kind.is_empty() || dice.below(2) == 0 {
        bytes[at] ^= 1 + dice.below(255) as u8;
    } else {
        let others: Vec<u8> = kind.iter().copied().filter(|other| *other != bytes[at]).collect();
        bytes[at] = others[dice.below(others.len() as u64) as usize];
    }
    at
}

/// The report without the parts that differ between two runs on the same input.
fn report(out: &str) -> Value {
    let mut report: Value = serde_json::from_str(out).unwrap_or_else(|e| panic!("{e}: {out}"));
    for of_this_run in ["seconds", "read_at"] {
        report.as_object_mut().unwrap().remove(of_this_run);
    }
    report
}

/// Every entry in the folder's store.
fn stored(data: &Path) -> Vec<Vec<u8>> {
    let copy = Store::open_copy(data).unwrap();
    let mut entries = Vec::new();
    copy.read(0..copy.size(), |_, bytes| {
        entries.push(bytes.to_vec());
        ControlFlow::Continue(())
    })
    .unwrap();
    entries
}

/// Whether the auditor reads this file: some hold no part of the log.
fn is_read(name: &Path) -> bool {
    let name = name.to_str().unwrap();
    name == "anchor"
        || name == "format"
        || name == "log.vkey"
        || name.starts_with("log/")
        || name.starts_with("sealed/")
}

#[test]
fn a_changed_byte_in_the_folder_is_found_or_changes_nothing() {
    let original = original();
    let (data, mut dice, mut counts) = (&original.data, Dice::new(), Counts::default());
    let judge = || {
        audit(&[
            "log",
            data.to_str().unwrap(),
            "--key",
            &original.key,
            "--json",
            "--kept",
            original.reply.to_str().unwrap(),
        ])
    };
    let before = judge();
    assert_eq!(before.code, Some(0), "{before:?}");
    assert!(report(&before.out)["kept"]["receipts"].int() > 0, "{before:?}");
    let (whole, entries) = (report(&before.out), stored(data));
    let all = files(data);
    let (read, unread): (Vec<&PathBuf>, Vec<&PathBuf>) = all.iter().partition(|name| is_read(name));
    println!("never read by an auditor: {unread:?}");
    for _ in 0..samples(40, 400) {
        let name = if dice.below(10) < 7 { Path::new("log/db") } else { read[dice.below(read.len() as u64) as usize] };
        let path = data.join(name);
        let good = fs::read(&path).unwrap();
        let used = good.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if used == 0 {
            counts.add(format!("harmless: {} is empty", name.display()));
            continue;
        }
        let mut bad = good.clone();
        let at = change(&mut bad, &mut dice, used);
        fs::write(&path, &bad).unwrap();
        let verdict = judge();
        let story = format!("{} byte {at}: {verdict:?}", name.display());
        match verdict.code {
            Some(1) => {
                counts.add(format!("found: {}", report(&verdict.out)["first_failure"]["check"].as_str().unwrap()))
            }
            // No longer a store, or another format: the auditor says which.
            Some(2) if name == Path::new("format") || name.starts_with("sealed") => {
                counts.add("refused: no store of this format")
            }
            Some(0) => {
                let now = report(&verdict.out);
                if now["checkpoint_torn"] == true {
                    assert_eq!(name, Path::new("anchor"), "{story}");
                    counts.add("named: one of the two checkpoints is torn");
                } else {
                    // The auditor's files are unchanged: that is the proof.
                    assert_eq!(now, whole, "{story}");
                    assert!(stored(data) == entries, "{story}: other entries");
                    counts.add(format!("harmless: {}", kind(name)));
                }
            }
            _ => panic!("{story}"),
        }
        fs::write(&path, &good).unwrap();
    }
    counts.say("folder");
    assert!(counts.of("found") > 0, "no sample hit anything that matters");
    // One of two slots of one small file: only the full count is sure to hit it.
    assert!(!slow() || counts.of("named") > 0, "no sample hit the checkpoint that is kept twice");
    assert_eq!(report(&judge().out), whole, "the folder is as it was");
}

/// Why a byte of this file may have no effect.
fn kind(name: &Path) -> &'static str {
    match name.to_str().unwrap() {
        "log/db" => "log/db: a page that a later one has replaced, or padding",
        name if name.starts_with("log/snap.") => "log/snap.*: the engine's index of its pages",
        "log/conf" => "log/conf: the engine's settings that are given at opening",
        "log.vkey" => "log.vkey: the auditor was given the key",
        other => panic!("{other}: no byte of it may change without effect"),
    }
}

#[test]
fn a_changed_byte_in_what_is_served_is_refused_or_is_a_strangers() {
    let original = original();
    let (mut dice, mut counts) = (Dice::new(), Counts::default());
    let judge = |paths: &HashMap<String, Vec<u8>>| {
        let checkpoint = String::from_utf8_lossy(&paths["/checkpoint"]).into_owned();
        let mut paths = paths.clone();
        let raw = paths.remove("/checkpoint").unwrap();
        let served = Served::with_checkpoint(paths, raw, &original.key);
        (audit(&["log", &served.address, "--key", &original.key, "--json"]), checkpoint)
    };
    let (whole, _) = judge(&original.paths);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let unsigned = |report: &Value| {
        let mut report = report.clone();
        report["checkpoint"].as_object_mut().unwrap().remove("note");
        report
    };
    let whole = unsigned(&report(&whole.out));
    let mut names: Vec<&String> = original.paths.keys().collect();
    names.sort();
    // The log's own signature line comes first; the others are its own time and an unknown witness's.
    let lines = original.paths["/checkpoint"].windows(4).enumerate().filter(|(_, bytes)| *bytes == "— ".as_bytes());
    let beside = lines.map(|(at, _)| at).nth(1).unwrap();
    for sample in 0..samples(30, 300) {
        let name =
            if sample % 3 == 0 { "/checkpoint" } else { names[dice.below(names.len() as u64) as usize].as_str() };
        let mut paths = original.paths.clone();
        let bytes = paths.get_mut(name).unwrap();
        let used = bytes.len();
        let at = change(bytes, &mut dice, used);
        let (verdict, checkpoint) = judge(&paths);
        let story = format!("{name} byte {at}: {checkpoint} {verdict:?}");
        match verdict.code {
            // It is not signed: it states nothing about the log.
            Some(2) => counts.add("refused: not what was signed"),
            Some(0) => {
                assert!(name == "/checkpoint" && at >= beside, "{story}");
                assert_eq!(unsigned(&report(&verdict.out)), whole, "{story}");
                counts.add("harmless: a line beside the log's signature: its own time, which then says nothing, or a stranger's");
            }
            _ => panic!("{story}"),
        }
    }
    counts.say("served");
    assert!(counts.of("refused") > 0, "no sample hit anything that matters");
}
