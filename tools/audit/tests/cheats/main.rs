//! A house that cheats on purpose, against the built auditor: every cheat of the list is written into a log that is
//! whole and signed with the log's own key, served, and read by `fairshoe-audit log`. Each must be caught by the check
//! that is named; the table in spec/audit.md is what the run says, word for word.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_arithmetic)]

#[path = "../../../../src/judge/tests/audit_common/mod.rs"]
mod audit_common;
#[path = "../../../../src/house/tests/common/mod.rs"]
mod common;
mod evidence;
mod list;
mod money;
mod second;
#[path = "../served/mod.rs"]
mod served;
#[allow(dead_code, reason = "what plays whole tournaments is for other tests")]
#[path = "../../../../src/house/tests/tournament_play.rs"]
mod tournament_play;

use audit_common::{checkpoint, signer};
use evidence::*;
use list::*;
use serde_json::Value;
use served::Served;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Below this a statistic is worth a question.
const UNLIKELY: f64 = 0.01;

/// The exit code and the report of the built auditor.
fn audit(evidence: &Evidence) -> (i32, Value) {
    let (exit, said) = audit_or_not(evidence);
    (exit, serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}")))
}

/// The exit code, and what was said: the report, or why there is none.
fn audit_or_not(evidence: &Evidence) -> (i32, String) {
    let key = signer().verifier_key().to_string();
    let served = Served::start(&evidence.log, &checkpoint(&evidence.log), &key, None);
    let dir = TempDir::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"));
    command.current_dir(dir.path()).args(["log", &served.address, "--key", &key, "--json"]);
    for (name, bytes) in &evidence.files {
        fs::write(dir.path().join(name), bytes).unwrap();
        if !name.ends_with(".entry") {
            command.args(["--kept", name]);
        }
    }
    if let Some(policy) = evidence.policy() {
        fs::write(dir.path().join("policy.txt"), policy).unwrap();
        command.args(["--policy", "policy.txt"]);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().expect("it was killed"), said)
}

/// Hashes and seeds, by their first digits.
fn short(message: &str) -> String {
    let digit = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let mut out = String::new();
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| digit(c) != digit(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        out += &if word.len() > 40 { format!("{}…", &word[..8]) } else { word.to_owned() };
        rest = after;
    }
    out
}

/// This machine's clock, left out.
fn without_now(message: &str) -> String {
    match message.split_once("it was read before that, at ") {
        Some((before, rest)) => {
            format!("{before}it was read before that{}", rest.find(": ").map_or("", |at| &rest[at..]))
        }
        None => message.to_owned(),
    }
}

/// A cheat's row in the table, or what is wrong with it.
fn row(cheat: &Cheat) -> Result<String, String> {
    let (exit, report) = audit(&(cheat.run)());
    let first = &report["first_failure"];
    let (check, message) = match cheat.caught {
        Ok(check) => {
            if (exit, first["check"].as_str()) != (1, Some(check.code())) {
                return Err(format!("{}: wanted {check}, exit {exit}, found {first}", cheat.does));
            }
            let entry = first["entry"].as_u64().map(|entry| format!("entry {entry}: ")).unwrap_or_default();
            (check.code().to_owned(), format!("{entry}{}", short(&without_now(first["message"].as_str().unwrap()))))
        }
        Err(place) => {
            let p = report
                .pointer(place)
                .and_then(Value::as_f64)
                .ok_or_else(|| format!("{}: no {place}: {report}", cheat.does))?;
            if exit != 0 || p >= UNLIKELY {
                return Err(format!("{}: exit {exit}, p {p}: {first}", cheat.does));
            }
            (place.trim_start_matches('/').replace('/', ".").replace(".0.", "[0]."), format!("p = {p:.1e}"))
        }
    };
    Ok(format!("| {} | {} | `{check}` | {} |", cheat.does, cheat.with.words(), message.replace('|', "\\|")))
}

fn specification() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/audit.md")
}

/// With FAIRSHOE_WRITE=1 the table is written instead of compared.
#[test]
fn every_cheat_is_caught_and_the_table_says_how() {
    let results: Vec<Result<String, String>> = CHEATS.iter().map(row).collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let head = "| the house | caught with | check | the auditor says |\n|---|---|---|---|\n".to_owned();
    let table = results.into_iter().flatten().fold(head, |table, row| table + &row + "\n");

    let path = specification();
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- cheats -->\n").expect("spec/audit.md has no table of cheats");
    let (stands, after) = rest.split_once("<!-- end of cheats -->").expect("the table of cheats has no end");
    if std::env::var_os("FAIRSHOE_WRITE").is_some() {
        fs::write(&path, format!("{before}<!-- cheats -->\n{table}<!-- end of cheats -->{after}")).unwrap();
        return;
    }
    for (said, found) in stands.lines().zip(table.lines()) {
        assert_eq!(said, found, "spec/audit.md says otherwise; FAIRSHOE_WRITE=1 writes the table again");
    }
    assert_eq!(stands.lines().count(), table.lines().count(), "rows of the table in spec/audit.md");
}

/// The same evidence about a house that did nothing wrong.
#[test]
fn an_honest_house_stands_up_to_everything_that_was_kept() {
    let log = honest().to_vec();
    let sizes = [0, 1, 255, 256, 257, log.len()];
    let times: Vec<u64> = common::entries(&log).iter().map(|entry| entry.time / 1_000).collect();
    let notes: Vec<String> = sizes[1..].iter().map(|size| cosigned(&log[..*size], times[size - 1] + 1)).collect();
    let history = history(notes.iter().zip(1..).map(|(note, time)| (time, note.as_str())));
    let first = audit_common::signer().sign_checkpoint(0, fairshoe_tlog::EMPTY_ROOT);
    // A seed that it received, and refused the second time; one that came after the deadline.
    let reveals = |entry: &fairshoe_house::Entry| matches!(entry.command, fairshoe_house::Command::Reveal { .. });
    let revealed = common::entries(&log).into_iter().find(reveals).unwrap();
    let notes =
        [received(revealed.time, revealed.command.clone()), evidence::refused(revealed.time + 1, revealed.command)];
    // As a client keeps them: a line for each, and a reply in two lines.
    let [received, refused] = notes.each_ref().map(signed);
    let kept = [
        serde_json::json!({ "refused": refused }),
        serde_json::json!({ "received": received }),
        serde_json::json!({ "status": 409, "reply": { "refused": refused } }),
    ];
    let evidence = Evidence::of(log.clone())
        .with_receipt(&log[..300])
        .keeping("notes.jsonl", kept.map(|line| format!("{line}\n")).concat())
        .keeping("seen.jsonl", history)
        .keeping("first.txt", first)
        .keeping("received.note", signed(&notes[0]))
        .keeping("problem.json", serde_json::json!({ "status": 409, "refused": signed(&notes[1]) }).to_string())
        .witnessed();
    let (exit, report) = audit(&evidence);
    assert_eq!((exit, &report["kept"]["finding"]), (0, &Value::Null), "{report}");
    let kept = &report["kept"];
    // The receipt's checkpoint is one more; that of the whole log is both kept and served.
    assert_eq!((&kept["checkpoints"], &kept["receipts"], &kept["witnessed"]), (&7.into(), &1.into(), &5.into()));
    assert_eq!((&kept["not_judged"], &kept["notes"], &kept["notes_judged"]), (&0.into(), &5.into(), &5.into()));
    let clocks = &kept["clocks"];
    assert!(
        clocks["ran_out"].as_u64().unwrap() > 0 && clocks["unwitnessed"].as_u64() <= clocks["ran_out"].as_u64(),
        "{clocks}"
    );
    assert!(report["leaning"]["voids"]["p"].as_f64().unwrap() > UNLIKELY, "{}", report["leaning"]);
}

/// Every choice that an honest house took, received when it came, a moment before, and as soon as it could have come,
/// alone or beside another answer to the same decision: none of these notes accuses it.
#[test]
fn choices_that_an_honest_house_took_accuse_nobody() {
    use fairshoe_house::{Command, HouseNote, ReceivedNote};
    use fairshoe_judge::audit::{Book, Limits, Told};
    let log = honest();
    let entries = common::entries(log);
    let mut notes = Vec::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| matches!(entry.command, Command::Act { .. })) {
        let others = ["stand", "hit", "surrender"].map(|word| serde_json::from_value(word.into()).unwrap());
        let mut commands = vec![entry.command.clone()];
        commands.extend(others.into_iter().map(|other| {
            let mut command = entry.command.clone();
            if let Command::Act { action, .. } = &mut command {
                *action = other;
            }
            command
        }));
        for command in commands {
            for time in [entry.time, entry.time - 1, entries[at - 1].time] {
                let origin = common::ORIGIN.parse().unwrap();
                let (by, signed) = (entry.by.clone(), entry.signed);
                notes.push(HouseNote::Received(ReceivedNote { origin, time, by, command: command.clone(), signed }));
            }
        }
    }
    let count = notes.len();
    let (mut told, mut book) = (Told::new(notes), Book::new(Limits::default()));
    for (index, (entry, bytes)) in (0..).zip(entries.iter().zip(log)) {
        told.before(&book, index, entry);
        book.feed(index, bytes).unwrap();
    }
    let result = told.finish(&book);
    assert!(count > 200 && result.findings.is_empty(), "{count} notes: {:?}", result.findings);
    assert_eq!(result.judged + result.not_judged, count);
    assert!(result.judged > count / 2, "{result:?}");
}

/// Bad evidence accuses nobody: it is refused, and the refusal says where it is wrong.
#[test]
fn what_is_no_evidence_is_refused() {
    let (told, _) = two_histories();
    let key = signer().verifier_key().to_string();
    let served = Served::start(&told.log, &checkpoint(&told.log), &key, None);
    let dir = TempDir::new().unwrap();
    let refused = |name: &str, bytes: &[u8], words: &str| {
        fs::write(dir.path().join(name), bytes).unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
            .current_dir(dir.path())
            .args(["log", &served.address, "--key", &key, "--kept", name])
            .output()
            .unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(name) && said.contains(words), "{name}: {said}");
    };
    let stranger =
        fairshoe_tlog::Signer::new(common::ORIGIN, &[8; 32]).unwrap().sign_checkpoint(3, fairshoe_tlog::EMPTY_ROOT);
    let own = checkpoint(&told.log);
    let forged = own.replacen(&format!("\n{}\n", told.log.len()), "\n99\n", 1);
    refused("stranger.txt", stranger.as_bytes(), "--earlier-key");
    let note = signed(&received(
        1,
        common::House::with_table(&[], 1).reveal_command(
            "t1",
            "alice",
            &fairshoe_fairness::ClientSeed::from_bytes([1; 32]),
        ),
    ));
    refused("changed.note", note.replacen("anyone", "house", 1).as_bytes(), "not this log's");
    refused("forged.txt", forged.as_bytes(), "not this log's");
    refused("words.txt", b"I was robbed\n", "not this log's");
    refused("empty.txt", b"", "not this log's");
    refused("odd.json", b"{\"note\":1}", "no evidence");
    refused("seen.jsonl", history([(1, own.as_str()), (2, stranger.as_str())]).as_bytes(), "line 2");
    refused("hole.jsonl", (history([(1, own.as_str())]) + "\n" + &history([(2, own.as_str())])).as_bytes(), "line 2");
    let evidence = Evidence::of(told.log.clone()).with_receipt(&told.log);
    let proof = &evidence.files[0].1;
    fs::write(dir.path().join("other.entry"), &told.log[0]).unwrap();
    refused("other.tlog-proof", proof, "does not hold");
    refused("cut.tlog-proof", &proof[..proof.len() / 2], "cannot be read");
    refused("nowhere.jsonl.not", b"\xff\xfe", "no evidence");

    // Under a key that the user knew the log by, the same file is a finding.
    let earlier = fairshoe_tlog::Signer::new(common::ORIGIN, &[8; 32]).unwrap().verifier_key().to_string();
    let out = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
        .current_dir(dir.path())
        .args(["log", &served.address, "--key", &key, "--json", "--earlier-key", &earlier, "--kept", "stranger.txt"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((out.status.code(), &report["first_failure"]["check"]), (Some(1), &"key_changed".into()), "{report}");
}
