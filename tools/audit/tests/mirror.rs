//! `mirror` against servers that serve what they should, and others; and `log --ledger-only` from outside.

use crate::audit_common;
use crate::common;
use crate::served;

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_tlog::{EntryBundle, Signer, bundles_for_size, tiles_for_size};
use serde_json::Value;
use served::Served;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;
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

fn key() -> String {
    signer().verifier_key().to_string()
}

/// A book of more than three full tiles, and partial ones after them.
fn log() -> &'static [Vec<u8>] {
    static LOG: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    LOG.get_or_init(|| {
        let mut house = book(31, 20);
        let mut rng = Rng(5);
        while house.log.len() < 900 {
            play(&mut house, &mut rng, 5, false);
        }
        house.log
    })
}

fn serve(log: &[Vec<u8>]) -> Served {
    Served::start(log, &checkpoint(log), &key(), None)
}

/// Every file of a mirror but its lock.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with(".mirror.lock") {
                found.insert(path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn expected(log: &[Vec<u8>]) -> BTreeMap<String, Vec<u8>> {
    let tiles = Served::tiles_of(log).into_iter().map(|(path, bytes)| (path.trim_start_matches('/').to_owned(), bytes));
    tiles
        .chain([
            ("checkpoint".into(), checkpoint(log).into_bytes()),
            ("log.vkey".into(), format!("{}\n", key()).into_bytes()),
        ])
        .collect()
}

struct MirrorPath {
    _dir: TempDir,
    path: String,
}

fn mirror_path() -> MirrorPath {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("mirror").to_str().unwrap().to_owned();
    MirrorPath { _dir: dir, path }
}

/// Waits until a mirror's checkpoint is this one.
fn wait_for(folder: &Path, note: &str) {
    let begun = std::time::Instant::now();
    while fs::read_to_string(folder.join("checkpoint")).ok().as_deref() != Some(note) {
        assert!(begun.elapsed().as_secs() < 300, "the mirror did not come to\n{note}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_mirror_is_kept_until_it_is_stopped_and_ends_at_a_fork() {
    let log = log();
    let (first, dir) = (&log[..300], TempDir::new().unwrap());
    let served = serve(first);
    let folder = dir.path().join("mirror");
    let begin = || {
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
            .args(["mirror", &served.address, folder.to_str().unwrap(), "--key", &key(), "--every", "1"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut kept = begin();
    wait_for(&folder, &checkpoint(first));
    // The source is silent for a while: it is asked again, and what is new comes.
    served.be_silent(true);
    served.show(log, &checkpoint(log));
    served.be_silent(false);
    wait_for(&folder, &checkpoint(log));
    assert!(Command::new("kill").arg(kept.id().to_string()).status().unwrap().success());
    assert_eq!(kept.wait().unwrap().code(), Some(0), "it was stopped in order");
    // Another history of that size ends it, as it ends one run.
    let mut other = log.to_vec();
    other.truncate(log.len() - 1);
    other.push(other[0].clone());
    served.show(&other, &checkpoint(&other));
    assert_eq!(begin().wait().unwrap().code(), Some(1));
}

#[test]
fn a_mirror_is_the_log_file_by_file_and_grows_with_it() {
    let at = mirror_path();
    let size = log().len();
    for end in [1, 100, 255, 256, 257, 700, 700, size] {
        let report = json(&["mirror", &serve(&log()[..end]).address, &at.path], 0);
        assert_eq!((&report["verdict"], &report["size"]), (&"sound".into(), &end.into()));
        let mut found = files(Path::new(&at.path));
        // Partial files of earlier sizes stay while theirs is the newest tile there is.
        let of_now = expected(&log()[..end]);
        found.retain(|name, _| {
            of_now.contains_key(name)
                || !name.contains(".p/")
                || full_of(name).is_none_or(|full| of_now.contains_key(&full))
        });
        assert_eq!(found, of_now, "{end} entries");
    }
    for flags in [&[][..], &["--ledger-only"], &["--key", &key()]] {
        json(&[&["log", &at.path], flags].concat(), 0);
    }
    // Another mirror is as good a source as the log itself.
    let second = mirror_path();
    assert_eq!(json(&["mirror", &at.path, &second.path], 0)["size"], size);
    assert_eq!(files(Path::new(&second.path)), expected(log()));
    assert_eq!(json(&["shoe", &second.path, "resume:0"], 0)["verdict"], "sound");
    let (exit, words, _) = audit_with(&["mirror", &at.path, &second.path]);
    assert!(exit == 0 && words.contains("MIRRORED") && words.contains("UNVERIFIED"), "{words}");
}

fn full_of(partial: &str) -> Option<String> {
    partial.split_once(".p/").map(|(full, _)| full.to_owned())
}

#[test]
fn damage_is_repaired_and_an_address_that_is_behind_changes_nothing() {
    let at = mirror_path();
    let good = serve(log());
    json(&["mirror", &good.address, &at.path], 0);
    let dir = Path::new(&at.path);
    fs::write(dir.join("tile/0/001"), vec![7; 8192]).unwrap();
    fs::write(dir.join("tile/1/000.p/3"), b"short").unwrap();
    unusable(&["log", &at.path], "tile/1/000.p/3: this is no tile of 3: 5 bytes, `short`");
    fs::write(dir.join("tile/entries/002"), vec![0; 100_000]).unwrap();
    unusable(&["log", &at.path, "--ledger-only"], "tile/1/000.p/3");
    fs::remove_file(dir.join("tile/entries/000")).unwrap();
    fs::write(dir.join(".mirror.unfinished"), b"left by a run that was cut off").unwrap();
    let report = json(&["mirror", &good.address, &at.path], 0);
    assert_eq!((&report["files"]["written"], &report["files"]["repaired"]), (&4.into(), &3.into()), "{report}");
    assert_eq!(files(dir), expected(log()));
    let behind = serve(&log()[..500]);
    let report = json(&["mirror", &behind.address, &at.path], 0);
    assert_eq!((&report["size"], &report["files"]["written"]), (&log().len().into(), &0.into()));
    assert_eq!(files(dir), expected(log()));
}

/// Nothing of a server that lies is written.
#[test]
fn what_is_not_under_the_signed_root_is_not_written() {
    let honest = checkpoint(log());
    let paths: Vec<String> = tiles_for_size(log().len() as u64)
        .chain(bundles_for_size(log().len() as u64))
        .map(|path| format!("/{path}"))
        .collect();
    assert!(paths.len() > 8);
    for path in &paths {
        for change in ["changed", "gone", "cut", "longer"] {
            let mut tiles = Served::tiles_of(log());
            let bytes = tiles.get_mut(path).unwrap();
            match change {
                "changed" => *bytes.last_mut().unwrap() ^= 1,
                "cut" => drop(bytes.pop()),
                "longer" => bytes.push(0),
                _ => drop(tiles.remove(path)),
            }
            let at = mirror_path();
            let (exit, out, err) =
                audit_with(&["mirror", &Served::with(tiles, &honest, &key(), None).address, &at.path]);
            assert_eq!(exit, 2, "{path} {change}\n{out}{err}");
            assert!(
                err.contains(&path[1..]) || err.contains("the partial tiles lead to root"),
                "{path} {change}: {err}"
            );
            let right = expected(log());
            for (name, bytes) in files(Path::new(&at.path)) {
                assert_eq!(right.get(&name), Some(&bytes), "{name} was written, with {path} {change}");
                assert_ne!(name, "checkpoint", "with {path} {change}");
            }
        }
    }
}

#[test]
fn two_signed_histories_are_kept_as_evidence() {
    let (left, right) = (log()[..600].to_vec(), {
        let mut other = log()[..700].to_vec();
        other.swap(300, 301);
        other
    });
    let at = mirror_path();
    json(&["mirror", &serve(&left).address, &at.path], 0);
    let before = files(Path::new(&at.path));
    let report = json(&["mirror", &serve(&right).address, &at.path], 1);
    assert_eq!((&report["verdict"], &report["finding"]["check"]), (&"not_sound".into(), &"root".into()));
    let mut after = files(Path::new(&at.path));
    let evidence: Vec<String> = after.keys().filter(|name| name.starts_with("fork-700-")).cloned().collect();
    assert_eq!(evidence.len(), 1);
    assert_eq!(after.remove(&evidence[0]).unwrap(), checkpoint(&right).into_bytes());
    assert_eq!(after, before, "the mirror stays as it was");
    assert!(report["finding"]["message"].as_str().unwrap().contains(&evidence[0]));
    // The shorter one of two histories that differ, and another one of the same size.
    for size in [500, 600] {
        assert_eq!(json(&["mirror", &serve(&right[..size]).address, &at.path], 1)["finding"]["check"], "root");
    }
}

#[test]
fn a_mirror_is_of_one_log() {
    let at = mirror_path();
    let good = serve(log());
    json(&["mirror", &good.address, &at.path, "--key", &key()], 0);
    let other = Signer::new(ORIGIN, &[8; 32]).unwrap();
    let other_key = other.verifier_key().to_string();
    unusable(&["mirror", &good.address, &at.path, "--key", &other_key], "name another folder");
    // A server that names another key is not believed over the one the mirror began with.
    let root = {
        let (tree, _) = tree_of(log());
        other.sign_checkpoint(tree.size(), tree.root())
    };
    let stranger = Served::start(log(), &root, &other_key, None);
    unusable(&["mirror", &stranger.address, &at.path], "/checkpoint is not signed with the key");
    assert_eq!(files(Path::new(&at.path)), expected(log()));

    let full = TempDir::new().unwrap();
    fs::write(full.path().join("notes.txt"), "mine").unwrap();
    unusable(&["mirror", &good.address, full.path().to_str().unwrap()], "neither empty nor a mirror");
    unusable(&["mirror", full.path().to_str().unwrap(), &mirror_path().path], "neither an address nor a mirror");
    unusable(&["mirror", "http://127.0.0.1:1", &mirror_path().path], "127.0.0.1:1");
    let lock = fs::File::open(Path::new(&at.path).join(".mirror.lock")).unwrap();
    lock.lock().unwrap();
    unusable(&["mirror", &good.address, &at.path], "another mirror command");
}

fn sealed(log: &[Vec<u8>]) -> MirrorPath {
    let at = mirror_path();
    json(&["mirror", &serve(log).address, &at.path], 0);
    at
}

#[test]
fn the_ledger_alone_says_what_it_did_not_check() {
    let at = sealed(log());
    let report = json(&["log", &at.path, "--ledger-only"], 0);
    assert_eq!((&report["verdict"], &report["entries"]), (&"sound_ledger_only".into(), &log().len().into()));
    assert!(report["not_checked"].as_array().unwrap().len() >= 4 && report["checked"].as_array().unwrap().len() >= 5);
    let whole = json(&["log", &at.path], 0);
    assert_eq!(whole["book"]["ledger"], report["book"]["ledger"]);
    let (exit, words, _) = audit_with(&["log", &at.path, "--ledger-only"]);
    assert!(exit == 0 && words.contains("SOUND (LEDGER ONLY)") && words.contains("not checked:"), "{words}");
    let acks = Path::new(&at.path).parent().unwrap().join("acks");
    fs::write(&acks, format!("3 {}\n", fairshoe_tlog::leaf_hash(&log()[4]))).unwrap();
    assert_eq!(
        json(&["log", &at.path, "--ledger-only", "--acks", acks.to_str().unwrap()], 1)["first_failure"]["check"],
        "ack_differs"
    );
}

/// In a sound tree, under a good signature: the ledger alone finds money that is wrong, and a card that is wrong it
/// does not.
#[test]
fn a_forged_book_in_a_sound_tree() {
    let forge = |mark: &str, from: &str, to: &str| {
        let mut forged = log().to_vec();
        let at = forged.iter().position(|bytes| String::from_utf8_lossy(bytes).contains(mark)).unwrap();
        let text = String::from_utf8(forged[at].clone()).unwrap();
        let start = text.find(mark).unwrap();
        let changed = format!("{}{}", &text[..start], text[start..].replacen(from, to, 1));
        assert_ne!(changed, text);
        forged[at] = changed.into_bytes();
        (sealed(&forged), at)
    };
    let (at, entry) = forge("\"round_settled\"", "\"returned\":", "\"returned\":1");
    for flags in [&[][..], &["--ledger-only"]] {
        let report = json(&[&["log", &at.path], flags].concat(), 1);
        assert_eq!(
            (&report["first_failure"]["check"], &report["first_failure"]["entry"]),
            (&"settlement".into(), &entry.into())
        );
    }
    let (at, entry) = forge("\"player:alice\",-", ",-", ",-1");
    let report = json(&["log", &at.path, "--ledger-only"], 1);
    assert_eq!((&report["verdict"], &report["first_failure"]["entry"]), (&"not_sound".into(), &entry.into()));
    let (at, entry) = forge("\"dealt\":{\"lane\":0,\"slot\":", "\"slot\":", "\"slot\":1");
    assert_eq!(json(&["log", &at.path, "--ledger-only"], 0)["verdict"], "sound_ledger_only");
    assert_eq!(json(&["log", &at.path], 1)["first_failure"]["entry"], entry);
}

/// *Attack, or accident: a proxy, a cache or a broken disk of whoever serves the log. Nobody signed these entries, and they
/// convict nobody.*
#[test]
fn entries_that_nobody_signed_are_no_finding() {
    let honest = checkpoint(log());
    let with_bundle = |change: fn(&mut Vec<Vec<u8>>)| {
        let mut entries = log()[256..512].to_vec();
        change(&mut entries);
        let mut tiles = Served::tiles_of(log());
        tiles.insert(
            "/tile/entries/001".into(),
            EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).unwrap().encode(),
        );
        Served::with(tiles, &honest, &key(), None)
    };
    let altered = with_bundle(|entries| {
        let text = String::from_utf8(entries[9].clone()).unwrap();
        let altered = text.replacen("\"time\":17", "\"time\":16", 1);
        assert_ne!(altered, text);
        entries[9] = altered.into_bytes();
    });
    let missing = with_bundle(|entries| drop(entries.remove(9)));
    let odd = with_bundle(|entries| entries[9] = b"no entry".to_vec());
    for served in [altered, missing, odd] {
        for flags in [&["log"][..], &["log", "--ledger-only"], &["stats"]] {
            unusable(&[flags, &[&served.address]].concat(), "/tile/entries/001: th");
        }
    }
}

/// A mirror may remove a partial tile, a proxy may refuse it or serve a page for it, and some serve the full one there.
#[test]
fn a_partial_tile_that_cannot_be_had_is_cut_out_of_the_full_one() {
    let size = 300;
    let partial = ["/tile/0/001.p/44", "/tile/entries/001.p/44"];
    let gone = || {
        let mut tiles = Served::tiles_of(log());
        tiles
            .extend(Served::tiles_of(&log()[..size]).into_iter().filter(|(path, _)| !partial.contains(&path.as_str())));
        Served::with(tiles, &checkpoint(&log()[..size]), &key(), None)
    };
    let reads = |served: &Served, why: &str| {
        for command in [&["log", &served.address][..], &["mirror", &served.address, &mirror_path().path]] {
            let (exit, out, err) = audit_with(command);
            assert_eq!(exit, 0, "{why}: {command:?}\n{out}{err}");
        }
    };
    reads(&gone(), "gone");
    for status in ["403 Forbidden", "302 Found", "500 Internal Server Error"] {
        let served = gone();
        served.refuse(partial, status);
        reads(&served, status);
    }
    for page in [&b"<html>It was moved"[..], b"", &[0; 9_000]] {
        let served = gone();
        partial.iter().for_each(|path| served.put(path, page));
        reads(&served, "a page");
    }
    let served = gone();
    for path in partial {
        served.put(path, Served::tiles_of(log())[path.strip_suffix(".p/44").unwrap()].clone());
    }
    reads(&served, "the full one");
    // Where neither is there, the address and what came are named.
    let served = gone();
    served.remove("/tile/0/001");
    served.put(partial[0], "<html>It was moved");
    unusable(&["log", &served.address], "/tile/0/001.p/44: this is no tile of 44: 18 bytes, `<html>It was moved`");
}
