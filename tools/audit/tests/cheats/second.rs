//! The same cheats before the second verifier (tools/verifier, written from spec/ alone): it finds what the auditor
//! finds, by the same check at the same entry.

use crate::evidence::{Evidence, cosigned_by, history, late_tree};
use crate::list::CHEATS;
use crate::{audit, audit_common::signer};
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

/// *Anybody may show a witness an old tree, while the house does not reach it*: that accuses nobody. Where every witness of the
/// quorum saw the log end there, in one note or in several, what is dated before was written later than it says.
#[test]
fn an_old_tree_that_some_witnesses_saw_late_accuses_nobody() {
    if node().is_none() {
        return;
    }
    let dir = TempDir::new().unwrap();
    let (log, before, last) = late_tree();
    let (soon, late) = (last + 1, last + 7_200);
    for (seen, is_found) in [
        (vec![(2, late)], false),
        (vec![(1, soon), (2, late)], false),
        (vec![(1, soon), (1, late), (2, soon)], false),
        (vec![(1, late), (2, late)], true),
        (vec![(1, soon), (2, late), (1, late)], true),
    ] {
        let notes: Vec<String> = seen.iter().map(|(number, time)| cosigned_by(*number, &before, *time)).collect();
        let history = history(notes.iter().map(|note| (last, note.as_str())));
        let evidence = Evidence::of(log.clone()).keeping("seen.jsonl", history).witnessed_by(2);
        let wanted = is_found.then_some(("time_witnessed", before.len() as u64));
        let wanted = (wanted.map(|(check, _)| check), wanted.map(|(_, entry)| entry));
        let (_, ours) = audit(&evidence);
        assert_eq!(first(&ours["first_failure"]), wanted, "fairshoe-audit: {seen:?}");
        let name = write_log(dir.path(), "log.jsonl", &evidence);
        let theirs = judged_alone(dir.path(), &name, &evidence).unwrap();
        assert_eq!(first(&theirs["findings"][0]), wanted, "fairshoe-verify: {seen:?}");
    }
}
