//! `log --workers N` and `log --from SIZE`: a mirror with published states, honest ones and others, before the program.

use crate::audit_common::pieces::states;
use crate::audit_common::{checkpoint, signer};
use crate::common::rng::Rng;
use crate::common::world::World;
use crate::served::Served;
use fairshoe_house::{Command as HouseCommand, Entry};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

type States = BTreeMap<usize, Vec<String>>;

/// A mirror's folder of this log, with these states.
fn mirror(log: &[Vec<u8>], states: &States) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut files: Vec<(String, Vec<u8>)> = Served::tiles_of(log).into_iter().collect();
    files.push(("/checkpoint".into(), checkpoint(log).into_bytes()));
    files.push(("/log.vkey".into(), format!("{}\n", signer().verifier_key()).into_bytes()));
    files.extend(states.iter().map(|(size, lines)| (format!("/state/{size}"), text(lines))));
    for (path, bytes) in files {
        let path = dir.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

fn text(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

/// Exit code, JSON without what differs from run to run, and standard error.
fn log(dir: &Path, args: &[&str]) -> (i32, Value, String) {
    let dir = dir.to_str().unwrap();
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
        .args([&["log", dir, "--json"], args].concat())
        .output()
        .unwrap();
    let mut report: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    if let Some(fields) = report.as_object_mut() {
        fields.remove("seconds").unwrap();
        fields.remove("read_at").unwrap();
    }
    (status.code().expect("it was killed"), report, String::from_utf8(stderr).unwrap())
}

/// A log of some length, with a state after every so many entries.
fn book(seed: u64, every: usize) -> (Vec<Vec<u8>>, States) {
    let log = World::book(seed).log;
    let cuts: Vec<usize> = (every..log.len()).step_by(every).collect();
    let states = states(&log, &cuts);
    (log, states)
}

#[test]
fn any_number_of_workers_says_what_one_says() {
    for seed in 1..5 {
        let (entries, states) = book(seed, 7);
        let dir = mirror(&entries, &states);
        let (code, one, _) = log(dir.path(), &["--workers", "1"]);
        assert_eq!(code, 0, "{one}");
        for workers in ["2", "5"] {
            let (code, many, err) = log(dir.path(), &["--workers", workers]);
            assert_eq!((code, &many), (0, &one), "{workers} workers, book {seed}: {err}");
            assert_eq!(err, "");
        }
    }
}

/// What is wrong is found in the same entry, in the same words, whoever reads it and wherever the pieces begin.
#[test]
fn a_dishonest_log_has_one_verdict() {
    let mut rng = Rng(21);
    let (mut found, mut at_once) = (0, 0);
    for seed in 10..22 {
        let (mut entries, _) = book(seed, 7);
        let at = rng.below(entries.len());
        let digits: Vec<usize> = (0..entries[at].len()).filter(|place| entries[at][*place].is_ascii_digit()).collect();
        let place = digits[rng.below(digits.len())];
        entries[at][place] = if entries[at][place] == b'9' { b'1' } else { entries[at][place] + 1 };
        // The house publishes what its entries make, as far as they make anything.
        let cuts: Vec<usize> = (5..entries.len()).step_by(5).collect();
        let dir = mirror(&entries, &states(&entries, &cuts));
        let (code, one, _) = log(dir.path(), &["--workers", "1"]);
        let (same, many, err) = log(dir.path(), &["--workers", "3"]);
        assert_eq!(
            (same, &many["verdict"], &many["first_failure"]),
            (code, &one["verdict"], &one["first_failure"]),
            "{seed}: {err}"
        );
        // States after the finding that are none take nothing back.
        if let (1, Some(entry)) = (code, one["first_failure"]["entry"].as_u64()) {
            for size in cuts.iter().filter(|size| **size as u64 > entry) {
                fs::write(dir.path().join(format!("state/{size}")), "x\n").unwrap();
            }
            let (same, many, err) = log(dir.path(), &["--workers", "3"]);
            assert_eq!((same, &many["first_failure"]), (1, &one["first_failure"]), "{seed}: {err}");
        }
        found += u32::from(code == 1);
        // How far the book is ahead of whoever derives a shoe is a matter of chance; an entry that is wrong by itself
        // ends it.
        if one["book"]["entries"] == one["first_failure"]["entry"] {
            assert_eq!(many["book"], one["book"], "book {seed}");
            at_once += 1;
        }
    }
    assert!(found > 6 && at_once > 3, "{found}, {at_once} of them at once");
}

/// States that are none, or others: each is said and not used, and the verdict is that of one reader.
#[test]
fn lying_states_change_no_verdict() {
    let (entries, states) = book(7, 11);
    let honest = mirror(&entries, &states);
    let (_, whole, _) = log(honest.path(), &["--workers", "1"]);
    let (first, second) = (11, 22);
    let lies: [(&str, usize, Vec<u8>); 7] = [
        ("the state of another size", first, text(&states[&second])),
        ("one player is richer", first, {
            let mut lines = states[&first].clone();
            let line = lines.iter_mut().find(|line| line.starts_with("[\"player:")).unwrap();
            *line = line.replacen("{\"balance\":", "{\"balance\":1", 1);
            text(&lines)
        }),
        ("a line is missing", second, text(&states[&second][1..])),
        ("the lines in another order", second, text(&states[&second].iter().rev().cloned().collect::<Vec<_>>())),
        ("cut off", second, text(&states[&second])[..100].to_vec()),
        ("no text", second, vec![0xff, 0xfe, b'\n']),
        ("nothing", first, Vec::new()),
    ];
    for (what, size, bytes) in &lies {
        let dir = mirror(&entries, &states);
        fs::write(dir.path().join(format!("state/{size}")), bytes).unwrap();
        let (code, report, err) = log(dir.path(), &["--workers", "2"]);
        assert_eq!((code, &report), (0, &whole), "{what}: {err}");
        assert!(err.contains(&format!("the published state of {size} entries is not used")), "{what}: {err}");
    }
    // All of them lie.
    let dir = mirror(&entries, &states.keys().map(|size| (*size, states[&first].clone())).collect());
    let (code, report, err) = log(dir.path(), &["--workers", "2"]);
    assert_eq!((code, &report), (0, &whole), "{err}");
    assert_eq!(err.lines().count(), states.len() - 1);
}

/// A log that names a state in its middle, that size, and the entry that names it.
fn named() -> (Vec<Vec<u8>>, usize, usize) {
    let names = |bytes: &Vec<u8>| match Entry::decode(bytes).unwrap().command {
        HouseCommand::NoteState { size, .. } => Some(size as usize),
        _ => None,
    };
    (1..)
        .find_map(|seed| {
            let log = World::book(seed).log;
            let at = (0..log.len()).find(|at| names(&log[*at]).is_some())?;
            let size = names(&log[at])?;
            let saw = log[size..].iter().any(|bytes| String::from_utf8_lossy(bytes).contains("\"saw\":"));
            (at > 20 && at + 20 < log.len() && !saw).then_some((log, size, at))
        })
        .unwrap()
}

#[test]
fn an_audit_from_a_state_says_what_it_took_as_given() {
    let (entries, size, at) = named();
    let dir = mirror(&entries, &states(&entries, &[size, size + 1]));
    let from = size.to_string();
    let file = dir.path().join("state").join(&from);
    for from in [from.as_str(), file.to_str().unwrap()] {
        let (code, report, err) = log(dir.path(), &["--from", from]);
        assert_eq!((code, &report["verdict"]), (0, &"sound_from_state".into()), "{err}");
        assert_eq!((&report["given"]["size"], &report["given"]["named_in"]), (&size.into(), &at.into()));
        assert_eq!(report["entries"], entries.len() - size);
        assert_eq!(report["given"]["not_checked"].as_array().unwrap().len(), 5);
    }
    let Output { stdout, .. } = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
        .args(["log", dir.path().to_str().unwrap(), "--from", &from])
        .output()
        .unwrap();
    let words = String::from_utf8(stdout).unwrap();
    assert!(
        words.contains("SOUND FROM STATE") && words.contains("taken as given") && !words.contains("SOUND ("),
        "{words}"
    );
    assert!(words.contains(&format!("the state after {size} entries")), "{words}");
}

/// A size has one spelling, as a number and as a file's name.
#[test]
fn a_size_that_is_spelt_otherwise_is_none() {
    let (entries, size, _) = named();
    let dir = mirror(&entries, &states(&entries, &[size]));
    let state = dir.path().join("state");
    for from in [format!("+{size}"), format!("0{size}"), "-1".into(), String::new()] {
        assert_eq!(log(dir.path(), &[&format!("--from={from}")]).0, 2, "{from}");
        if !from.is_empty() {
            fs::copy(state.join(size.to_string()), state.join(&from)).unwrap();
            assert_eq!(log(dir.path(), &["--from", state.join(&from).to_str().unwrap()]).0, 2, "{from}");
        }
    }
}

#[test]
fn an_audit_from_a_state_finds_what_came_after_it_and_not_what_came_before() {
    let (entries, size, at) = named();
    let all = states(&entries, &[size]);
    let change = |at: usize| {
        let mut entries = entries.clone();
        let text = String::from_utf8(entries[at].clone()).unwrap();
        let time = text.split("\"time\":").nth(1).unwrap();
        let digits = time.find(|c: char| !c.is_ascii_digit()).unwrap();
        let later = time[..digits].parse::<u64>().unwrap() + 400 * 86_400_000;
        entries[at] = text.replacen(&time[..digits], &later.to_string(), 1).into_bytes();
        entries
    };
    let dishonest = change(at + 5);
    let dir = mirror(&dishonest, &all);
    let (code, from, err) = log(dir.path(), &["--from", &size.to_string()]);
    let (_, whole, _) = log(dir.path(), &["--workers", "1"]);
    assert_eq!((code, &from["verdict"]), (1, &"not_sound".into()), "{err}");
    assert_eq!(from["first_failure"], whole["first_failure"]);
    // Before it: the house has signed a state, and who takes it does not see how it came about.
    let dishonest = change(size / 2);
    let dir = mirror(&dishonest, &all);
    assert_eq!(log(dir.path(), &["--from", &size.to_string()]).0, 0);
    assert_eq!(log(dir.path(), &["--workers", "1"]).0, 1);
}

#[test]
fn a_state_that_the_log_does_not_name_is_refused() {
    let (entries, size, _) = named();
    let all = states(&entries, &[size, size + 1, size - 1]);
    let dir = mirror(&entries, &all);
    fs::create_dir(dir.path().join("other")).unwrap();
    let other = dir.path().join("other").join(size.to_string());
    fs::write(&other, text(&all[&(size - 1)])).unwrap();
    let refused = |from: &str, words: &str| {
        let (code, _, err) = log(dir.path(), &["--from", from]);
        assert!(code == 2 && err.contains(words), "{from}: {code} {err}");
    };
    refused(&(size + 1).to_string(), "the log names no state");
    refused(&entries.len().to_string(), "not published here");
    refused(other.to_str().unwrap(), "is not what this log names: it has the root");
    fs::write(&other, &text(&all[&size])[1..]).unwrap();
    refused(other.to_str().unwrap(), "is not what this log names: line 0");
    refused(dir.path().join("checkpoint").to_str().unwrap(), "named by its size");
}

/// A mirror copies the states that its log names, and of those only what has the root.
#[test]
fn a_mirror_copies_states_that_the_log_names() {
    let (entries, size, _) = named();
    let all = states(&entries, &[size, size + 1]);
    let source = mirror(&entries, &all);
    let copied = |to: &Path| {
        let args = ["mirror", source.path().to_str().unwrap(), to.to_str().unwrap()];
        let Output { status, stderr, .. } =
            Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
        assert!(status.success());
        (fs::read(to.join(format!("state/{size}"))).ok(), String::from_utf8(stderr).unwrap())
    };
    let to = tempfile::tempdir().unwrap();
    assert_eq!(copied(&to.path().join("whole")), (Some(text(&all[&size])), String::new()));
    assert!(!to.path().join("whole/state").join((size + 1).to_string()).exists(), "nothing names it");
    fs::write(source.path().join(format!("state/{size}")), text(&all[&(size + 1)])).unwrap();
    let (lines, err) = copied(&to.path().join("other"));
    assert!(
        lines.is_none() && err.contains(&format!("the state of {size} entries is not the one that the log names")),
        "{err}"
    );
    // What is there and right stays.
    assert_eq!(copied(&to.path().join("whole")), (Some(text(&all[&size])), String::new()));
    // One that cannot be read is left out; the mirror of the log is whole.
    let state = source.path().join(format!("state/{size}"));
    fs::remove_file(&state).unwrap();
    assert!(Command::new("mkfifo").arg(&state).status().unwrap().success());
    let (lines, err) = copied(&to.path().join("third"));
    assert!(lines.is_none() && err.contains(&format!("the state of {size} entries is left out")), "{err}");
    assert_eq!(log(source.path(), &["--workers", "2"]).0, 0, "an audit waits for no pipe");
}
