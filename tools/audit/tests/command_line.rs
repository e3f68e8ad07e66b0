//! The program from outside: what it prints, and its exit codes.

use crate::audit_common;
use crate::common;
use crate::served;

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_house::{Actor, Command as HouseCommand};
use fairshoe_tlog::{TlogProof, leaf_hash};
use serde_json::Value;
use served::Served;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn audit_with(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
    (status.code().expect("it was killed"), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[track_caller]
fn json(args: &[&str], code: i32) -> Value {
    let (exit, out, err) = audit_with(&[args, &["--json"]].concat());
    assert_eq!(exit, code, "{args:?}\n{out}\n{err}");
    serde_json::from_str(&out).unwrap()
}

#[track_caller]
fn unusable(args: &[&str], words: &str) {
    let (exit, out, err) = audit_with(args);
    assert_eq!(exit, 2, "{args:?}\n{out}\n{err}");
    assert!(err.contains(words), "`{words}` is not in: {err}");
}

fn put(dir: &TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = dir.path().join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn key() -> String {
    signer().verifier_key().to_string()
}

#[test]
fn play_says_why_it_cannot() {
    let base = ["play", "joy", "--bets", "9", "--cards", "Ks 5d 9h 7c 5s"];
    unusable(&[&base[..], &["--actions", "split"]].concat(), "two cards of the same value");
    unusable(&[&base[..], &["--actions", "double", "--balance", "17"]].concat(), "the balance is 8");
    unusable(&[&base[..], &["--actions", "stand stand"]].concat(), "the round is over");
    unusable(&[&base[..], &["--actions", ""]].concat(), "possible now: hit, stand, double");
    unusable(&[&base[..], &["--actions", "surrender"]].concat(), "surrender");
    unusable(&["play", "joy", "--bets", "2000", "--cards", "Ks", "--actions", "stand"], "above the maximum");
    unusable(&["play", "joy", "--bets", "1=x", "--cards", "Ks", "--actions", "stand"], "whole number");
    unusable(&["play", "joy", "--bets", "1", "--cards", "Kx", "--actions", "stand"], "no card");
    unusable(&["play", "joy", "--bets", "1", "--cards", "Ks 2s", "--actions", "stand"], "card 3 is needed");
    unusable(&["play", "nowhere", "--bets", "1", "--cards", "Ks"], "joy");
    unusable(&["play", "joy", "--set", "decks=9", "--bets", "1", "--cards", "Ks"], "decks must be from 1 to 8");
    unusable(&["play", "joy", "--set", "deck=1", "--bets", "1", "--cards", "Ks"], "there is no option");
}

#[test]
fn play_takes_a_rule_set_file_and_options() {
    let dir = TempDir::new().unwrap();
    let path = put(&dir, "mine.json", serde_json::to_string(&joy(&[("blackjack_pays", "[8,5]")])).unwrap());
    let base = ["--bets", "10", "--cards", "As 9d Kh 7c 5s", "--actions", "stand"];
    assert_eq!(json(&[&["play", &path], &base[..]].concat(), 0)["returned"], 26);
    assert_eq!(json(&[&["play", "joy", "--set", "blackjack_pays=[2,1]"], &base[..]].concat(), 0)["returned"], 30);
}

#[test]
fn help_teaches() {
    let (exit, out, _) = audit_with(&["--help"]);
    assert!(
        exit == 0
            && out.contains("fairshoe-audit round http://127.0.0.1:8080 joy-1:0")
            && out.contains("2 unusable input")
    );
    assert_eq!(audit_with(&["nonsense"]).0, 2);
    assert_eq!(audit_with(&[]).0, 2);
}

fn two_rounds() -> House {
    let mut house = House::with_table(&[], 1000);
    house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
    house.finish("t1", "alice");
    house.run_due();
    house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
    house
}

#[test]
fn round_from_a_bundle_file() {
    let dir = TempDir::new().unwrap();
    let house = two_rounds();
    let good = bundle(&house, &house.log, "t1:0");
    let text = good.to_json().unwrap();
    let file = put(&dir, "good.json", &text);
    let (exit, story, _) = audit_with(&["round", &file]);
    assert!(exit == 0 && story.contains("SOUND. Round t1:0") && story.contains("alice stakes 10 on 1"), "{story}");
    let verdict = json(&["round", &file, "t1:0", "--key", &key()], 0);
    assert_eq!((&verdict["verdict"], &verdict["key_trusted"]), (&"sound".into(), &true.into()));
    let live = put(&dir, "live.json", bundle(&house, &house.log, "t1:1").to_json().unwrap());
    assert_eq!(json(&["round", &live], 0)["verdict"], "sound_so_far");

    let swapped = put(&dir, "swapped.json", text.replacen("\\\"card\\\":\\\"", "\\\"card\\\":\\\"X", 1));
    let verdict = json(&["round", &swapped], 1);
    assert_eq!((&verdict["verdict"], &verdict["findings"][0]["check"]), (&"not_sound".into(), &"inclusion".into()));
    // What a server makes of it convicts nobody.
    let served = Served::start(&[], "", &key(), Some(("t1:0", fs::read_to_string(&swapped).unwrap())));
    unusable(&["round", &served.address, "t1:0"], "this is not what the log signed");
    let other = fairshoe_tlog::Signer::new(ORIGIN, &[8; 32]).unwrap().verifier_key().to_string();
    assert_eq!(json(&["round", &file, "--key", &other], 1)["findings"][0]["check"], "key");

    unusable(&["round", &file, "t1:1"], "the bundle is of round t1:0");
    unusable(&["round", &file, "t1"], "TABLE:NUMBER");
    unusable(&["round", &put(&dir, "cut.json", &text[..text.len() / 2])], "not a bundle");
    unusable(&["round", &put(&dir, "odd.json", "{}")], "not a bundle");
    unusable(&["round", "nowhere.json"], "no file and no folder of this name");
    unusable(&["round", &file, "--key", "nonsense"], "not a verifier key");
}

#[test]
fn shoe_from_a_bundle_file() {
    let dir = TempDir::new().unwrap();
    let house = two_rounds();
    let done = put(&dir, "done.json", bundle(&house, &house.log, "t1:0").to_json().unwrap());
    let live = put(&dir, "live.json", bundle(&house, &house.log, "t1:1").to_json().unwrap());
    let report = json(&["shoe", &done, "t1:0"], 0);
    assert_eq!((&report["verdict"], &report["composition"]), (&"sound".into(), &"52x1".into()));
    assert_eq!(report["orders"][0].as_array().unwrap().len(), 52);
    let report = json(&["shoe", &live, "t1:1"], 0);
    assert_eq!((&report["verdict"], &report["seeds"]), (&"sound_so_far".into(), &Value::Null));
    let (exit, words, _) = audit_with(&["shoe", &done, "t1:0"]);
    assert!(exit == 0 && words.contains("SOUND. The seed opens the commitment"));
    unusable(&["shoe", &done, "t1:7"], "does not hold shoe t1:7");
    unusable(&["shoe", &done, "t1"], "TABLE:NUMBER");
}

#[test]
fn receipts_of_every_form() {
    let dir = TempDir::new().unwrap();
    let house = two_rounds();
    let (tree, tiles) = tree_of(&house.log);
    let proof = |index: u64| {
        let path = tree.inclusion_proof(index, tree.size(), &tiles).unwrap();
        TlogProof { extra: None, index, path, checkpoint_text: checkpoint(&house.log) }.format()
    };
    let policy = put(&dir, "policy", format!("log {}\nquorum none\n", key()));
    let entry = put(&dir, "entry", &house.log[5]);
    let plain = put(&dir, "five.tlog-proof", proof(5));
    let by = ["--policy", &policy];
    let report = json(&[&["receipt", &plain, "--entry", &entry], &by[..]].concat(), 0);
    assert_eq!((&report["verdict"], &report["receipts"][0]["size"]), (&"sound".into(), &tree.size().into()));
    unusable(&[&["receipt", &plain], &by[..]].concat(), "--entry FILE");
    let wrong = put(&dir, "wrong", &house.log[4]);
    assert_eq!(
        json(&[&["receipt", &plain, "--entry", &wrong], &by[..]].concat(), 1)["receipts"][0]["finding"]["check"],
        "receipt"
    );

    let text = |index: u64| String::from_utf8(house.log[index as usize].clone()).unwrap();
    let one = serde_json::json!({"index": 5, "entry": text(5), "proof": proof(5)});
    let saved = put(&dir, "one.json", one.to_string());
    assert_eq!(json(&[&["receipt", &saved], &by[..]].concat(), 0)["verdict"], "sound");
    assert_eq!(json(&["receipt", &saved, "--key", &key()], 0)["verdict"], "sound");
    // What the page keeps as evidence (spec/page.md, 4.8).
    let evidence = |version: u64| {
        let entries = [serde_json::json!({"index": 6, "entry": text(6), "proof": proof(6)})];
        serde_json::json!({
            "fairshoe_follow": version, "round": "t1:0", "vkey": key(), "finding": null, "context": [one],
            "entries": entries, "openings": [], "pending": [{"index": 7, "entry": text(7)}],
        })
    };
    let kept = put(&dir, "evidence.json", evidence(1).to_string());
    let report = json(&["receipt", &kept, "--key", &key()], 0);
    assert_eq!((report["receipts"].as_array().unwrap().len(), &report["without_proof"]), (2, &1.into()));
    unusable(&["receipt", &put(&dir, "newer.json", evidence(2).to_string()), "--key", &key()], "version 2");
    let mut forged = evidence(1);
    forged["entries"][0]["entry"] = text(5).into();
    let forged = put(&dir, "forged.json", forged.to_string());
    assert_eq!(json(&["receipt", &forged, "--key", &key()], 1)["verdict"], "not_sound");
    let reply = serde_json::json!({"receipts": [one, {"index": 6, "entry": text(6), "proof": proof(6)}], "balance": 3, "round": {"id": "t1:0"}});
    let saved = put(&dir, "reply.json", reply.to_string());
    let (exit, words, _) = audit_with(&[&["receipt", &saved], &by[..]].concat());
    assert!(exit == 0 && words.contains("entry 5 is on the log") && words.contains("entry 6 is on the log"), "{words}");
    let moved = serde_json::json!({"index": 6, "entry": text(5), "proof": proof(5)});
    assert_eq!(
        json(&[&["receipt", &put(&dir, "moved.json", moved.to_string())], &by[..]].concat(), 1)["verdict"],
        "not_sound"
    );

    let stranger = put(
        &dir,
        "stranger",
        format!("log {}\nquorum none\n", fairshoe_tlog::Signer::new("other/log", &[1; 32]).unwrap().verifier_key()),
    );
    assert_eq!(json(&["receipt", &saved, "--policy", &stranger], 1)["verdict"], "not_sound");
    unusable(&["receipt", &saved, "--policy", &put(&dir, "junk", "junk\n")], "policy");
    unusable(&[&["receipt", &put(&dir, "junk.json", "[]")], &by[..]].concat(), "neither");
    unusable(&[&["receipt", &put(&dir, "none.json", "{\"receipts\":[]}")], &by[..]].concat(), "no receipt");
    assert_eq!(audit_with(&["receipt", &saved]).0, 2);
}

fn folder(log: &[Vec<u8>]) -> TempDir {
    fairshoe_store::true_sync::require().unwrap();
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("data");
    let store = fairshoe_store::Store::create(&data).unwrap();
    store.append(0, log, &[]).unwrap();
    store.write_anchor(log.len() as u64, checkpoint(log).as_bytes()).unwrap();
    fs::write(data.join("log.vkey"), format!("{}\n", key())).unwrap();
    dir
}

fn acks(dir: &TempDir, name: &str, of: &[(usize, &[u8])]) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines: Vec<String> = of
        .iter()
        .enumerate()
        .map(|(n, (index, bytes))| {
            if n % 2 == 0 {
                format!("{index} {}\n", leaf_hash(bytes))
            } else {
                format!("{index} {}\n", hex(&leaf_hash(bytes).0))
            }
        })
        .collect();
    put(dir, name, lines.concat())
}

#[test]
fn a_stopped_services_folder() {
    let house = book(21, 40);
    let dir = folder(&house.log);
    let data = dir.path().join("data").to_str().unwrap().to_owned();
    let report = json(&["log", &data], 0);
    // A player's own table has long been due to be closed, and nothing says whether the house still runs.
    assert_eq!((&report["verdict"], &report["overdue"][0]["table"]), (&"sound_so_far".into(), &"own".into()));
    assert_eq!((&report["entries"], &report["tables"]), (&house.log.len().into(), &4.into()));
    assert_eq!((&report["first_failure"], &report["checkpoint"]["size"]), (&Value::Null, &house.log.len().into()));
    let (exit, words, _) = audit_with(&["log", &data]);
    assert!(exit == 0 && words.contains("SOUND") && words.contains("UNVERIFIED"), "{words}");
    assert_eq!(json(&["round", &data, "resume:0"], 0)["verdict"], "sound");
    assert_eq!(json(&["shoe", &data, "resume:0"], 0)["verdict"], "sound");
    unusable(&["round", &data, "resume:9999"], "the log has no round");
    unusable(&["round", &data], "name the round");
    unusable(&["shoe", &data, "resume:9999"], "the log has no shoe");

    let good = acks(&dir, "good", &[(3, &house.log[3]), (7, &house.log[7])]);
    assert_eq!(json(&["log", &data, "--acks", &good], 0)["acks_checked"], 2);
    let changed = acks(&dir, "changed", &[(3, &house.log[4])]);
    assert_eq!(json(&["log", &data, "--acks", &changed], 1)["first_failure"]["check"], "ack_differs");
    let lost = acks(&dir, "lost", &[(house.log.len(), b"x")]);
    assert_eq!(json(&["log", &data, "--acks", &lost], 1)["first_failure"]["check"], "ack_missing");
    unusable(&["log", &data, "--acks", &put(&dir, "bad", "3\n")], "INDEX LEAFHASH");

    let other = fairshoe_tlog::Signer::new(ORIGIN, &[8; 32]).unwrap().verifier_key().to_string();
    assert_eq!(json(&["log", &data, "--key", &other], 1)["first_failure"]["check"], "key_changed");
    fs::remove_file(Path::new(&data).join("log.vkey")).unwrap();
    unusable(&["log", &data], "--key");
    assert_eq!(json(&["log", &data, "--key", &key()], 0)["checkpoint"]["key_trusted"], true);
}

#[test]
fn folders_that_are_none_or_in_use_or_damaged() {
    let house = book(22, 5);
    let dir = folder(&house.log);
    let data = dir.path().join("data");
    let path = data.to_str().unwrap();
    let (open, _) = fairshoe_store::Store::open(&data).unwrap();
    unusable(&["log", path], "in use by a running service");
    drop(open);
    let empty = TempDir::new().unwrap();
    unusable(&["log", empty.path().to_str().unwrap()], "holds no store");

    let db = fs::read_dir(data.join("log"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.ends_with("db"))
        .unwrap();
    let mut bytes = fs::read(&db).unwrap();
    let needle = b"table camera failed";
    let at = bytes
        .windows(needle.len())
        .position(|window| window == needle)
        .unwrap_or_else(|| bytes.windows(9).position(|w| w == b"\"command\"").unwrap());
    bytes[at] ^= 1;
    fs::write(&db, bytes).unwrap();
    let report = json(&["log", path], 1);
    assert_eq!((&report["verdict"], &report["first_failure"]["check"]), (&"not_sound".into(), &"store".into()));
    assert_eq!(json(&["round", path, "resume:0"], 1)["findings"][0]["check"], "store");
}

#[test]
fn a_forged_book_in_a_sound_tree_is_found() {
    let house = book(23, 20);
    let mut log = house.log.clone();
    let at = log.iter().position(|bytes| bytes.windows(14).any(|window| window == b"\"round_settled")).unwrap();
    let text = String::from_utf8(log[at].clone()).unwrap();
    let start = text.find("\"round_settled\"").unwrap();
    log[at] =
        format!("{}{}", &text[..start], text[start..].replacen("\"returned\":", "\"returned\":1", 1)).into_bytes();
    let dir = folder(&log);
    let report = json(&["log", dir.path().join("data").to_str().unwrap()], 1);
    assert_eq!(
        (&report["first_failure"]["check"], &report["first_failure"]["entry"]),
        (&"settlement".into(), &at.into())
    );
}

#[test]
fn a_running_services_address() {
    let mut house = book(24, 40);
    let mut rng = Rng(5);
    // More than one full tile, so that tiles of both kinds are held against the entries.
    while house.log.len() < 300 {
        play(&mut house, &mut rng, 5, false);
    }
    let good = Served::start(&house.log, &checkpoint(&house.log), &key(), Some(("t1:0", "{}".into())));
    let report = json(&["log", &good.address], 0);
    assert_eq!(
        (&report["verdict"], &report["entries"], &report["checkpoint"]["key_trusted"]),
        (&"sound_so_far".into(), &house.log.len().into(), &false.into())
    );
    assert_eq!(json(&["shoe", &good.address, "own:0"], 0)["verdict"], "sound");
    unusable(&["round", &good.address, "t1:0"], "not a bundle");
    unusable(&["round", &good.address, "t1:1"], "status 404");
    unusable(&["round", &good.address], "name the round");

    let made = bundle(&house, &house.log, "own:0").to_json().unwrap();
    let with_bundle = Served::start(&house.log, &checkpoint(&house.log), &key(), Some(("own:0", made.clone())));
    let dir = TempDir::new().unwrap();
    let saved = dir.path().join("saved.json");
    assert_eq!(
        json(&["round", &with_bundle.address, "own:0", "--save", saved.to_str().unwrap()], 0)["verdict"],
        "sound"
    );
    assert_eq!(fs::read_to_string(&saved).unwrap(), made);

    // An entry changed after it was signed; a log cut short; tiles of another log.
    let mut changed = house.log.clone();
    changed[40] = changed[41].clone();
    let changed = Served::start(&changed, &checkpoint(&house.log), &key(), None);
    unusable(&["log", &changed.address], "the partial tiles lead to root");
    let cut = Served::start(&house.log[..house.log.len() - 1], &checkpoint(&house.log), &key(), None);
    assert_eq!(audit_with(&["log", &cut.address]).0, 2);
    let mut elsewhere = Served::tiles_of(&house.log);
    elsewhere.insert("/tile/0/000".into(), vec![0; 8192]);
    let elsewhere = Served::with(elsewhere, &checkpoint(&house.log), &key(), None);
    unusable(&["log", &elsewhere.address], "/tile/0/000: this is not the tile under the signed root");
    let stranger = fairshoe_tlog::Signer::new(ORIGIN, &[8; 32]).unwrap().verifier_key().to_string();
    unusable(&["log", &good.address, "--key", &stranger], "is signed with another key");
    unusable(&["log", "http://127.0.0.1:1"], "127.0.0.1:1");
    for odd in ["?x=1", "#top", "log?"] {
        let odd = format!("{}{odd}", good.address);
        unusable(&["log", &odd], "without `?` and `#`");
        unusable(&["monitor", &odd, "--once", "--state", dir.path().to_str().unwrap()], "without `?` and `#`");
    }
}

#[test]
fn a_log_that_goes_on_is_sound_so_far_and_says_what_is_open() {
    let mut house = House::new();
    house.add_player("alice", 10_000);
    house.open("t1", &[("deal_order", "pp_dd")]);
    let served = |log: &[Vec<u8>]| Served::start(log, &checkpoint(log), &key(), None);
    let unused = served(&house.log);
    assert_eq!(json(&["log", &unused.address], 0)["verdict"], "sound", "a shoe that nobody played from owes nothing");
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    house.run_due();
    let running = served(&house.log);
    let (exit, words, _) = audit_with(&["log", &running.address]);
    assert!(exit == 0 && words.contains("SOUND SO FAR") && words.contains("table t1, shoe 0"), "{words}");
    assert!(words.contains("round 0 in play") && words.contains(" d "), "{words}");
    assert!(words.contains("t1: NOT the shipped joy"), "{words}");
    let own =
        words.lines().find(|line| line.contains("joy has the name of a shipped rule set and is NOT that one")).unwrap();
    assert!(own.ends_with(": 1 tables (t1), 1 rounds"), "{own}");
    let ledger = words.lines().find(|line| line.starts_with("ledger")).unwrap();
    assert!(ledger.ends_with("= 0") && ledger.contains("seats 0") && words.contains("10000 credited"), "{words}");
    assert_eq!(json(&["log", &running.address, "--strict-end"], 1)["verdict"], "sound_so_far");

    let nothing = served(&[]);
    unusable(&["log", &nothing.address], "empty");
}

/// An operation that the wallet does not answer is under way for three days, and then late: the exit code says so, and
/// the words.
#[test]
fn a_wallet_that_does_not_answer_for_three_days_is_said_by_the_exit_code() {
    let folder = TempDir::new().unwrap();
    let statement = put(&folder, "statement.jsonl", "");
    let key = signer().verifier_key().to_string();
    for (waits, code, words, verdict) in
        [(3 * DAY, 0, "UNDER WAY: ", "under_way"), (3 * DAY + 1, 1, "OVERDUE: ", "overdue")]
    {
        let mut house = House::new();
        house.add_player("alice", 1_000);
        let pay = HouseCommand::WalletWithdraw { player: player("alice"), amount: chips(900) };
        house.give(&Actor::Operator, pay).unwrap();
        house.now += waits;
        house.credit("alice", 1).unwrap();
        let served = Served::start(&house.log, &checkpoint(&house.log), &key, None);
        let args = ["wallet", &served.address, &statement, "--key", &key];
        let (exit, told, err) = audit_with(&args);
        assert_eq!(exit, code, "{told}{err}");
        assert!(told.contains(words) && told.contains("3 d 0 h"), "{told}");
        assert_eq!(json(&args, code)["wallet"]["verdict"], verdict);
    }
}
