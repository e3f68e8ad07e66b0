//! A log that goes on from another under a new name, from outside: the pairs and statements of
//! spec/vectors/log-continued.json.

use crate::served::Served;
use fairshoe_house::{Command as HouseCommand, Entry, Event, OldLog, PlayerKey};
use fairshoe_tlog::{
    EntryBundle, NoTiles, SecretKey, Signer, TilePath, Tree, bundles_for_size, edge_of_size, leaf_hash,
    verify_checkpoint,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The exit code, and what it reports where it reports at all.
fn audit(args: &[&str]) -> (i32, Value) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).arg("--json").output().unwrap();
    let code = status.code().expect("it was killed");
    let report =
        serde_json::from_slice(&stdout).unwrap_or_else(|_| String::from_utf8_lossy(&stderr).into_owned().into());
    (code, report)
}

/// What is found first: check and entry, as the vectors have it.
fn found(args: &[&str]) -> (Value, Value) {
    match audit(args) {
        (2, why) => {
            assert!(why.is_string(), "{why}");
            ("unusable".into(), Value::Null)
        }
        (code, report) => {
            let finding = &report["first_failure"];
            assert_eq!(code, i32::from(!finding.is_null()), "{report}");
            (finding["check"].clone(), finding["entry"].clone())
        }
    }
}

/// A log as a mirror holds it.
fn write_mirror(dir: &Path, entries: &[Vec<u8>], note: &str, key: &str) -> String {
    let put = |path: &str, bytes: &[u8]| {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let mut tree = Tree::new();
    for tile in entries.iter().flat_map(|entry| tree.append(leaf_hash(entry))) {
        let path = TilePath::Tile { level: tile.level, index: tile.index, partial: None };
        put(&path.to_string(), &tile.bytes());
    }
    for path in edge_of_size(tree.size()) {
        let TilePath::Tile { level, index, .. } = path else { unreachable!() };
        put(&path.to_string(), &tree.partial_tile(level, index, path.width(), &NoTiles).unwrap());
    }
    for (path, bundle) in bundles_for_size(tree.size()).zip(entries.chunks(256)) {
        put(&path.to_string(), &EntryBundle::new(bundle.iter().map(Vec::as_slice).collect()).unwrap().encode());
    }
    put("checkpoint", note.as_bytes());
    put("log.vkey", format!("{key}\n").as_bytes());
    dir.to_str().unwrap().to_owned()
}

struct Vectors {
    file: Value,
    folder: TempDir,
    written: usize,
}

impl Vectors {
    fn read() -> Vectors {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/log-continued.json");
        let file = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        Vectors { file, folder: tempfile::tempdir().unwrap(), written: 0 }
    }

    fn entries(&self, log: &Value) -> Vec<Vec<u8>> {
        let text = |at: &Value| self.file["pool"][at.as_u64().unwrap() as usize].as_str().unwrap().as_bytes().to_vec();
        let Some(name) = log["entries"]["file"].as_str() else {
            return log["entries"].as_array().unwrap().iter().map(text).collect();
        };
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(name);
        let other: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let first = log["entries"]["first"].as_u64().unwrap() as usize;
        other["entries"].as_array().unwrap()[..first].iter().map(|text| text.as_str().unwrap().into()).collect()
    }

    fn mirror(&mut self, log: &Value) -> String {
        self.written += 1;
        let dir = self.folder.path().join(self.written.to_string());
        // Without a checkpoint: a folder that has none.
        let note = log["checkpoint"].as_str().unwrap_or_default();
        let mirror = write_mirror(&dir, &self.entries(log), note, log["key"].as_str().unwrap());
        if note.is_empty() {
            fs::remove_file(dir.join("checkpoint")).unwrap();
        }
        mirror
    }

    fn put(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

#[test]
fn pairs_of_logs_are_judged_as_the_vectors_have_it() {
    let mut vectors = Vectors::read();
    let cases = vectors.file["cases"].as_array().unwrap().clone();
    assert!(cases.len() > 40, "{}", cases.len());
    let mut told = [0, 0];
    for case in &cases {
        let (new, old) = (vectors.mirror(&case["new"]), vectors.mirror(&case["old"]));
        let older: Vec<String> =
            case["older"].as_array().into_iter().flatten().map(|older| vectors.mirror(older)).collect();
        let mut args = vec!["log", &new, "--key", case["new"]["key"].as_str().unwrap()];
        if case["check"].is_null() {
            assert_eq!(audit(&args).1["verdict"], case["alone"], "{}", case["about"]);
        }
        args.extend(std::iter::once(&old).chain(&older).flat_map(|old| ["--continues", old]));
        let judged = found(&args);
        assert_eq!(judged, (case["check"].clone(), case["entry"].clone()), "{}", case["about"]);
        // *Attack: shoes are hidden behind a log that its house leaves, and the new one is called sound.*
        if case["check"].is_null() {
            let (_, report) = audit(&args);
            let (own, of_old) = (&report["verdict"], &report["old_log"]);
            let is_unread = !of_old["goes_on_from"].is_null() && of_old["old_log"]["verdict"] != "sound";
            let is_open = of_old["open_rounds"] != 0 || of_old["used_shoes"] != 0 || is_unread;
            assert_eq!(of_old["verdict"], case["old_verdict"], "{}: {report}", case["about"]);
            assert_eq!(is_open, case["old_verdict"] == "sound_so_far", "{}: {report}", case["about"]);
            assert!(!is_open || own == "sound_so_far", "{}: {report}", case["about"]);
            told[usize::from(is_open)] += 1;
        }
    }
    assert!(told[0] > 3 && told[1] > 8, "{told:?}");
}

/// Each look says what the old log is, once it was read; and a log that goes on from one that is open, or was not read,
/// is never sound.
#[test]
fn a_monitor_carries_the_old_logs_own_verdict() {
    let mut vectors = Vectors::read();
    let cases = vectors.file["cases"].as_array().unwrap().clone();
    let case = |about: &str| cases.iter().find(|case| case["about"] == about).unwrap();
    let signer = Signer::new("house.example/next", &[7; 32]).unwrap();
    for (about, verdict) in [
        ("honest: players alone", "sound"),
        ("honest: stacks before seats", "sound_so_far"),
        ("a chip too few", "not_sound"),
        ("an old log that is not sound, and signed", "not_sound"),
    ] {
        let (new, old) = (vectors.entries(&case(about)["new"]), vectors.mirror(&case(about)["old"]));
        let mut tree = Tree::new();
        new.iter().for_each(|entry| drop(tree.append(leaf_hash(entry))));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut note = signer.sign_checkpoint(tree.size(), tree.root());
        let text = note.split_once("\n\n").unwrap().0.to_owned() + "\n";
        note += &signer.sign_own_time(&text, now);
        let key = signer.verifier_key().to_string();
        let served = Served::start(&new, &note, &key, None);
        let state = vectors.folder.path().join(about.replace(' ', "-"));
        let look = |more: &[&str]| {
            let args = ["monitor", &served.address, "--state", state.to_str().unwrap(), "--key", &key, "--once"];
            audit(&[args.as_slice(), more].concat())
        };
        let (code, alone) = look(&[]);
        assert_eq!((code, &alone["verdict"], &alone["old_log"]), (0, &"sound_so_far".into(), &Value::Null), "{about}");
        let gone = vectors.folder.path().join("no such log").to_str().unwrap().to_owned();
        assert_eq!(look(&["--continues", &gone]).0, 2, "{about}");
        let (code, read) = look(&["--continues", &old]);
        assert_eq!((code, &read["verdict"]), (i32::from(verdict == "not_sound"), &verdict.into()), "{about}: {read}");
        assert_eq!(read["finding"]["check"], case(about)["check"], "{about}");
        assert_eq!(read["finding"]["entry"], case(about)["entry"], "{about}");
        // It is read once, and kept.
        let (_, again) = look(&[]);
        assert_eq!(again["old_log"], read["old_log"], "{about}");
        assert!(verdict == "not_sound" || again["verdict"] == verdict, "{about}: {again}");
    }
}

/// Whether a log's checkpoint is of its entries, and signed with the key that a mirror of it names.
fn is_signed_whole(log: &Value, entries: &[Vec<u8>]) -> bool {
    let mut tree = Tree::new();
    entries.iter().for_each(|entry| drop(tree.append(leaf_hash(entry))));
    let (Some(note), key) = (log["checkpoint"].as_str(), log["key"].as_str().unwrap().parse().unwrap()) else {
        return false;
    };
    verify_checkpoint(note, &key).is_ok_and(|signed| signed.size == tree.size() && signed.root == tree.root())
}

#[test]
fn a_second_log_of_one_statement_is_held_entry_by_entry_as_the_vectors_have_it() {
    let mut vectors = Vectors::read();
    let rivals = vectors.file["rivals"].as_array().unwrap().clone();
    let (mut forks, mut refused) = (0, 0);
    for case in &rivals {
        let (new, rival) = (vectors.mirror(&case["new"]), vectors.mirror(&case["rival"]));
        let judged = found(&["log", &new, "--key", case["new"]["key"].as_str().unwrap(), "--rival", &rival]);
        // What is no log may be refused.
        if !is_signed_whole(&case["rival"], &vectors.entries(&case["rival"])) && case["check"].is_null() {
            assert!(judged.0.is_null() || judged.0 == "unusable", "{}: {judged:?}", case["about"]);
            refused += 1;
            continue;
        }
        assert_eq!(judged, (case["check"].clone(), case["entry"].clone()), "{}", case["about"]);
        forks += u32::from(case["check"] == "fork");
    }
    assert!(forks >= 8 && refused >= 3, "{forks} {refused}");
}

/// What lies beside a second log is no defence of the house, and nothing against it: another signature and another key, and
/// files that are damaged or old.
#[test]
fn a_second_log_is_judged_by_what_the_named_key_signed() {
    let mut vectors = Vectors::read();
    let rivals = vectors.file["rivals"].as_array().unwrap().clone();
    let fork = rivals.iter().find(|case| case["check"] == "fork").unwrap();
    let note = fork["rival"]["checkpoint"].as_str().unwrap();
    let mut tree = Tree::new();
    vectors.entries(&fork["rival"]).iter().for_each(|entry| drop(tree.append(leaf_hash(entry))));
    let stranger = Signer::new(note.lines().next().unwrap(), &[9; 32]).unwrap();
    let line = stranger.sign_checkpoint(tree.size(), tree.root()).lines().last().unwrap().to_owned();
    let mut both = fork["rival"].clone();
    both["checkpoint"] = format!("{note}{line}\n").into();
    both["key"] = stranger.verifier_key().to_string().into();
    let (new, both) = (vectors.mirror(&fork["new"]), vectors.mirror(&both));
    let judged = |rival: &str| found(&["log", &new, "--key", fork["new"]["key"].as_str().unwrap(), "--rival", rival]);
    assert_eq!(judged(&both), (fork["check"].clone(), fork["entry"].clone()), "a second signature");

    let (tile, bundle) = ("tile/0/000.p/20", "tile/entries/000.p/20");
    assert_eq!(vectors.entries(&fork["new"]).len(), 20);
    let spoil: [fn(&Path, &str, &str); 4] = [
        |dir, tile, _| fs::remove_file(dir.join(tile)).unwrap(),
        |dir, tile, _| {
            let mut bytes = fs::read(dir.join(tile)).unwrap();
            bytes[5] ^= 1;
            fs::write(dir.join(tile), bytes).unwrap();
        },
        |dir, _, bundle| {
            let bytes = fs::read(dir.join(bundle)).unwrap();
            fs::write(dir.join(bundle), &bytes[..bytes.len() - 20]).unwrap();
        },
        |dir, _, bundle| {
            let mut bytes = fs::read(dir.join(bundle)).unwrap();
            let last = bytes.len() - 3;
            bytes[last] ^= 1;
            fs::write(dir.join(bundle), bytes).unwrap();
        },
    ];
    for (number, spoil) in spoil.iter().enumerate() {
        let same = vectors.mirror(&fork["new"]);
        spoil(Path::new(&same), tile, bundle);
        let (check, _) = judged(&same);
        assert!(check.is_null() || check == "unusable", "{number}: {check}");
    }
}

#[test]
fn a_log_that_goes_on_from_another_says_so_where_that_one_is_not_read() {
    let mut vectors = Vectors::read();
    let case = vectors.file["cases"].as_array().unwrap().iter().find(|case| case["check"].is_null()).unwrap().clone();
    let (new, old) = (vectors.mirror(&case["new"]), vectors.mirror(&case["old"]));
    let key = case["new"]["key"].as_str().unwrap();
    let claim = vectors.entries(&case["new"]).iter().find_map(|bytes| match Entry::decode(bytes).unwrap().command {
        HouseCommand::ContinueLog { origin, size, .. } => Some(serde_json::json!({ "origin": origin, "size": size })),
        _ => None,
    });
    for (options, read) in
        [(vec!["log", &new, "--key", key], false), (vec!["log", &new, "--key", key, "--continues", &old], true)]
    {
        let (code, report) = audit(&options);
        assert_eq!((code, &report["old_log_read"]), (0, &Value::Bool(read)), "{report}");
        assert_eq!(Some(&report["book"]["goes_on_from"]), claim.as_ref());
        let words = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(&options).output().unwrap().stdout;
        assert_eq!(String::from_utf8(words).unwrap().contains("were not read: add `--continues`"), !read);
    }
    let (_, report) = audit(&["log", &old, "--key", case["old"]["key"].as_str().unwrap()]);
    assert!(report["book"]["goes_on_from"].is_null() && report["old_log_read"] == false, "{report}");
}

#[test]
fn statements_about_one_old_log_contradict_each_other_as_the_vectors_have_it() {
    let mut vectors = Vectors::read();
    let stated = vectors.file["stated"].clone();
    let new = vectors.mirror(&stated["new"]);
    for case in stated["statements"].as_array().unwrap() {
        let file = vectors.put("statement", case["statement"].as_str().unwrap());
        assert_eq!(found(&["log", &new, "--rival", &file]).0, case["check"], "{}", case["about"]);
    }
}

/// The log that the house begins under another name, from the same old one: its first two entries show all that there
/// is to show.
fn second_log(
    first: &[Vec<u8>],
    name: &str,
    size: Option<u64>,
    new: Option<[u8; 32]>,
) -> (Vec<Vec<u8>>, String, String) {
    let mut entries: Vec<Entry> = first[..2].iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
    let other = fairshoe_fairness::Origin::parse(name).unwrap();
    let HouseCommand::StartDealer { origin, .. } = &mut entries[0].command else { panic!("no start") };
    *origin = other.clone();
    let Event::DealerStarted { origin, .. } = &mut entries[0].events[0] else { panic!("no start") };
    *origin = other.clone();
    let HouseCommand::ContinueLog { origin, key, size: named, root, new_key, signature } = &mut entries[1].command
    else {
        panic!("no claim")
    };
    *named = size.unwrap_or(*named);
    if let Some(key) = new {
        *new_key = PlayerKey::from_bytes(key);
    }
    let old = OldLog { origin: origin.clone(), key: *key, size: *named, root: root.clone(), new_key: *new_key };
    *signature = old.sign(&SecretKey::from_seed(&[7; 32]), &other);
    let OldLog { origin, key, size, root, new_key } = old;
    entries[1].events = vec![Event::LogContinues { origin, key, size, root, new_key }];
    let bytes: Vec<Vec<u8>> = entries.iter().map(|entry| entry.encode().unwrap()).collect();
    let mut tree = Tree::new();
    bytes.iter().for_each(|entry| drop(tree.append(leaf_hash(entry))));
    let signer = Signer::new(name, &[9; 32]).unwrap();
    (bytes, signer.sign_checkpoint(tree.size(), tree.root()), signer.verifier_key().to_string())
}

#[test]
fn a_second_log_that_goes_on_from_the_same_one_convicts_the_old_house_and_nothing_else_does() {
    let mut vectors = Vectors::read();
    let stated = vectors.file["stated"]["new"].clone();
    let old_key = vectors.file["cases"][0]["old"]["key"].as_str().unwrap().to_owned();
    let (new, entries) = (vectors.mirror(&stated), vectors.entries(&stated));
    let folder = vectors.folder.path().to_owned();
    let put = |dir: &str, (entries, note, key): (Vec<Vec<u8>>, String, String)| {
        write_mirror(&folder.join(dir), &entries, &note, &key)
    };
    let file = folder.join("evidence.json").to_str().unwrap().to_owned();

    // The same log, also as it was when it had two entries; and one that somebody wrote under the same name, with a key
    // of their own.
    let earlier = put("earlier", second_log(&entries, "house.example/next", None, None));
    for same in [&new, &earlier] {
        assert_eq!(audit(&["log", &new, "--rival", same, "--evidence", &file]).0, 0, "{same}");
    }
    assert!(!Path::new(&file).exists());

    // The last is *a log of the same name, with another key*: the house signed that one, too.
    let (other_name, next) = ("house.example/other", "house.example/next");
    let another = Some(*Signer::new(next, &[9; 32]).unwrap().verifier_key().public_key());
    for (dir, name, size, new_key) in
        [("other", other_name, None, None), ("sooner", next, Some(7), None), ("twin", next, None, another)]
    {
        let other = put(dir, second_log(&entries, name, size, new_key));
        let (code, report) = audit(&["log", &new, "--rival", &earlier, &other, "--evidence", &file]);
        assert_eq!(
            (code, &report["first_failure"]["check"], &report["first_failure"]["entry"]),
            (1, &"continued_twice".into(), &1.into())
        );
        // To anyone who knows the old log's key, without either log.
        let (code, proven) = audit(&["evidence", &file, "--key", &old_key]);
        assert_eq!((code, &proven["verdict"]), (1, &"proven".into()), "{proven}");
        let stranger = Signer::new("house.example/log", &[8; 32]).unwrap().verifier_key().to_string();
        assert_eq!(audit(&["evidence", &file, "--key", &stranger]).0, 0, "another key's word");
    }
    // The same statement twice is none.
    let mut evidence: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    evidence["notes"][1] = evidence["notes"][0].clone();
    let twice = vectors.put("twice.json", &evidence.to_string());
    assert_eq!(audit(&["evidence", &twice, "--key", &old_key]).0, 0);

    // What the old log's key did not sign shows nothing.
    let mut forged = second_log(&entries, "house.example/forged", None, None);
    let text = String::from_utf8(forged.0[1].clone()).unwrap();
    let honest = String::from_utf8(entries[1].clone()).unwrap();
    let signature = |text: &str| text.split("\"signature\":\"").nth(1).unwrap()[..128].to_owned();
    forged.0[1] = text.replace(&signature(&text), &signature(&honest)).into_bytes();
    let mut tree = Tree::new();
    forged.0.iter().for_each(|entry| drop(tree.append(leaf_hash(entry))));
    forged.1 = Signer::new("house.example/forged", &[9; 32]).unwrap().sign_checkpoint(tree.size(), tree.root());
    let forged = put("forged", forged);
    let old = vectors.file["cases"][0]["old"].clone();
    let old = vectors.mirror(&old);
    for no_use in [&forged, &old] {
        assert_eq!(audit(&["log", &new, "--rival", no_use]).0, 2, "{no_use}");
    }
    assert_eq!(audit(&["log", &old, "--rival", &new]).0, 2, "a log that goes on from none");
}

/// A source that serves one log to the audit, and another to the comparison, under one checkpoint.
#[test]
fn what_is_compared_is_what_was_audited() {
    let mut vectors = Vectors::read();
    let cases = vectors.file["cases"].as_array().unwrap().clone();
    let honest = cases.iter().find(|case| case["check"].is_null()).unwrap();
    let honest_entries = vectors.entries(&honest["new"]);
    let cheat = cases.iter().find(|case| {
        case["check"] == "carried_over"
            && case["old"] == honest["old"]
            && vectors.entries(&case["new"]).len() == honest_entries.len()
    });
    let cheat = cheat.unwrap();
    let cheated = vectors.entries(&cheat["new"]);
    let old = vectors.mirror(&honest["old"]);
    let bundle = |entries: &[Vec<u8>]| {
        let path = bundles_for_size(entries.len() as u64).next().unwrap();
        (format!("/{path}"), EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).unwrap().encode())
    };
    // A crook's log that looks carried over, an honest house's that a mirror makes look like a crook's, and one whose claim is
    // another when it is looked for: its signature is then none.
    let mut other_claim = honest_entries.clone();
    let text = String::from_utf8(other_claim[1].clone()).unwrap();
    let size = text.split("\"size\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let raised = (size.parse::<u64>().unwrap() + 1).to_string();
    other_claim[1] = text.replace(&format!("\"size\":{size}"), &format!("\"size\":{raised}")).into_bytes();
    let first_of = |case: &Value| Served::tiles_of(&vectors.entries(&case["new"]));
    for (case, second) in [(cheat, &honest_entries), (honest, &cheated), (honest, &other_claim)] {
        let (note, key) = (case["new"]["checkpoint"].as_str().unwrap(), case["new"]["key"].as_str().unwrap());
        let served = Served::with(first_of(case), note, key, None);
        let (path, bytes) = bundle(&vectors.entries(&case["new"]));
        served.put(&path, bundle(second).1);
        served.put_first(&path, bytes);
        let (code, why) = audit(&["log", &served.address, "--key", key, "--continues", &old, "--workers", "1"]);
        assert_eq!(code, 2, "{why}");
        assert!(why.as_str().unwrap().contains("under the signed root"), "{why}");
    }
}
