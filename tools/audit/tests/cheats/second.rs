//! The same cheats before the second verifier (tools/verifier, written from spec/ alone): it finds what the auditor
//! finds, by the same check at the same entry.

use crate::audit_common::{checkpoint, signer, timed};
use crate::common::entries;
use crate::evidence::{Evidence, cosigned_by, history, late_tree, witness};
use crate::list::CHEATS;
use crate::{audit, audit_or_not};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verifier/fairshoe-verify.js");

/// Node, if there is one that is new enough; else says what is skipped.
fn node() -> Option<Command> {
    let version = Command::new("node").arg("--version").output().ok();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let major = text.trim().strip_prefix('v').and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    if major.is_none_or(|major| major < 18) {
        println!("skipped: no node here, version 18 or newer");
        return None;
    }
    Some(Command::new("node"))
}

fn write_log(dir: &Path, name: &str, evidence: &Evidence) -> String {
    let lines: Vec<&[u8]> = evidence.log.iter().map(Vec::as_slice).collect();
    fs::write(dir.join(name), lines.join(&b'\n')).unwrap();
    name.to_owned()
}

/// Check and entry of a report's first finding.
fn first(finding: &Value) -> (Option<&str>, Option<u64>) {
    (finding["check"].as_str(), finding["entry"].as_u64())
}

/// A log and what was kept of it, by itself.
fn judged_alone(dir: &Path, log: &str, evidence: &Evidence) -> Option<Value> {
    let key = signer().verifier_key().to_string();
    let mut command = node()?;
    command.current_dir(dir).args([SCRIPT, "log", log, "--json", "--key", &key]);
    for (name, bytes) in &evidence.files {
        fs::write(dir.join(name), bytes).unwrap();
        if !name.ends_with(".entry") {
            command.args(["--kept", name]);
        }
    }
    if let Some(policy) = evidence.policy() {
        fs::write(dir.join("policy.txt"), policy).unwrap();
        command.args(["--policy", "policy.txt"]);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(2) {
        return Some(serde_json::json!({ "cannot": said }));
    }
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}")))
}

#[test]
fn the_second_verifier_finds_each_cheat_by_the_same_check_at_the_same_entry() {
    let Some(mut many) = node() else { return };
    let dir = TempDir::new().unwrap();
    let made: Vec<(&str, Evidence)> = CHEATS.iter().map(|cheat| (cheat.does, (cheat.run)())).collect();
    let logs: Vec<String> = made
        .iter()
        .enumerate()
        .map(|(at, (_, evidence))| write_log(dir.path(), &format!("{at}.jsonl"), evidence))
        .collect();
    let output = many.current_dir(dir.path()).args([SCRIPT, "log", "--json"]).args(&logs).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let alone: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(alone.len(), logs.len(), "{text}{}", String::from_utf8_lossy(&output.stderr));

    let mut differ = Vec::new();
    for (((does, evidence), log), report) in made.iter().zip(&logs).zip(alone) {
        let (_, ours) = audit(evidence);
        let report = if evidence.files.is_empty() { report } else { judged_alone(dir.path(), log, evidence).unwrap() };
        let (one, other) = (&ours["first_failure"], &report["findings"][0]);
        if first(one) != first(other) {
            differ.push(format!("{does}: fairshoe-audit {one}, fairshoe-verify {other}"));
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

/// What both say of evidence: the check and the entry of a finding, nothing, or that it cannot be judged.
fn said_by_both(dir: &Path, evidence: &Evidence) -> Option<(String, Option<u64>)> {
    let told = |finding: &Value| match first(finding) {
        (Some(check), entry) => Some((check.to_owned(), entry)),
        _ => None,
    };
    let cannot = || Some(("cannot".to_owned(), None));
    let ours = match audit_or_not(evidence) {
        (2, said) if said.contains("the witnesses saw the log end before it") => cannot(),
        (2, said) => panic!("{said}"),
        (_, json) => told(&serde_json::from_str::<Value>(&json).unwrap()["first_failure"]),
    };
    let name = write_log(dir, "log.jsonl", evidence);
    let report = judged_alone(dir, &name, evidence).unwrap();
    let theirs = match report["cannot"].as_str() {
        Some(said) if said.contains("the witnesses saw the log end before it") => cannot(),
        Some(said) => panic!("{said}"),
        None => told(&report["findings"][0]),
    };
    assert_eq!(ours, theirs, "fairshoe-audit, and then fairshoe-verify");
    ours
}

/// *Anybody may show a witness an old tree, while the house does not reach it*: that accuses nobody. What dates back is
/// convicted by the log's own time; where only the witnesses contradict it neither says that the log is sound.
#[test]
fn only_the_log_s_own_time_convicts_it_of_dating_back() {
    if node().is_none() {
        return;
    }
    let dir = TempDir::new().unwrap();
    let (log, before, last) = late_tree();
    let (soon, late) = (last + 1, last + 7_200);
    let by = |number: u8, time: u64| cosigned_by(number, &before, time);
    // The next entry alone, as witnesses see it in time.
    let more = &log[..=before.len()];
    let next = entries(more).last().unwrap().time / 1_000;
    let greater = |number: u8, time: u64| cosigned_by(number, more, time);
    let found = || Some(("time_witnessed".to_owned(), Some(before.len() as u64)));
    let cannot = || Some(("cannot".to_owned(), None));
    let of_other_tree = timed(&log, late);
    for (what, notes, wanted) in [
        ("one of two witnesses", vec![by(2, late)], None),
        ("one late, one soon", vec![by(1, soon), by(2, late)], None),
        ("one twice, one soon", vec![by(1, soon), by(1, late), by(2, soon)], None),
        ("all of them", vec![by(1, late), by(2, late)], cannot()),
        ("all of them, one soon as well", vec![by(1, soon), by(2, late), by(1, late)], cannot()),
        ("all, and the log long before", vec![by(1, late), by(2, late), timed(&before, soon)], cannot()),
        ("the log itself", vec![timed(&before, late)], found()),
        ("the log itself, twice", vec![timed(&before, late), timed(&before, soon)], found()),
        ("the log, of what it has now", vec![of_other_tree.clone()], None),
        (
            "all, and a quorum that had seen more in time",
            vec![by(1, late), by(2, late), greater(1, next), greater(2, late), greater(2, next)],
            None,
        ),
        (
            "all, and not a quorum that had seen more",
            vec![by(1, late), by(2, late), greater(1, next), greater(2, late)],
            cannot(),
        ),
        (
            "the log itself, whoever had seen more",
            vec![timed(&before, late), greater(1, next), greater(2, next)],
            found(),
        ),
    ] {
        let history = history(notes.iter().map(|note| (late, note.as_str())));
        let evidence = Evidence::of(log.clone()).keeping("seen.jsonl", history).witnessed_by(2);
        assert_eq!(said_by_both(dir.path(), &evidence), wanted, "{what}");
    }
    // What its keeper had seen before: the log signed by a clock that was ahead.
    let ahead = timed(&before, late);
    let evidence = Evidence::of(log.clone()).keeping("seen.jsonl", history([(soon, ahead.as_str())]));
    assert_eq!(said_by_both(dir.path(), &evidence), None);
    // Whoever shows it again later adds nothing.
    let again = history([(soon, ahead.as_str()), (late, ahead.as_str())]);
    assert_eq!(said_by_both(dir.path(), &Evidence::of(log.clone()).keeping("seen.jsonl", again)), None);
    let evidence = Evidence::of(log.clone()).keeping("seen.txt", ahead);
    assert_eq!(said_by_both(dir.path(), &evidence), found());
    // Two cosignatures of one witness in one note are two times: the first bounds from above, whatever the second says.
    let text = |note: &str| note[..=note.rfind("\n\n").unwrap()].to_owned();
    let line = |time: u64| witness(1).cosign(&text(&by(1, soon)), time).unwrap();
    let both = format!("{}{}{}", checkpoint(&before), line(late), line(last - 3_600));
    let evidence = Evidence::of(log.clone()).keeping("seen.jsonl", history([(late, both.as_str())])).witnessed();
    assert_eq!(said_by_both(dir.path(), &evidence), Some(("time_witnessed".into(), Some(before.len() as u64 - 1))));
    // A line that does not hold, or of another key, says nothing.
    let stranger = fairshoe_tlog::Signer::new(signer().verifier_key().name(), &[77; 32]).unwrap();
    for line in [
        signer().sign_own_time(&text(&checkpoint(&log)), late),
        stranger.sign_own_time(&text(&checkpoint(&before)), late),
    ] {
        let note = format!("{}{line}", checkpoint(&before));
        let evidence = Evidence::of(log.clone()).keeping("seen.jsonl", history([(late, note.as_str())]));
        assert_eq!(said_by_both(dir.path(), &evidence), None);
    }
}
