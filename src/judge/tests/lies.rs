//! What a house can write into one entry and may not: `tests/second_verifier/lies.js` tells each lie once of each kind
//! of entry in spec/vectors, and says what the second verifier finds there. Here the judge reads the same.

use fairshoe_judge::audit::{Book, Finding, LedgerBook, Limits};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// One verifier reads fields in their order; the other reads them in any order and compares bytes afterwards.
fn code(check: Option<&str>) -> Option<&str> {
    check.map(|check| if check == "canonical_form" { "entry_form" } else { check })
}

/// In these of the ledger alone several things do not hold at once (spec/audit.md, "Which code"): the judge names the
/// posting that no transfer allows; the second verifier comes first to the place, or to a rake without a hand.
const SEVERAL_OF_MONEY: &[&str] = &[
    "transfer_out, posted player,transfers: rake for line 1",
    "transfer_in, posted transfers,player: rake for line 1",
    "transfer_out: a place",
    "transfer_in: a place",
];

#[test]
fn both_verifiers_find_each_lie_in_an_entry_by_the_same_check() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second_verifier/lies.js");
    let Ok(output) = Command::new("node").arg(script).output() else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stdout).unwrap();
    let (mut log, mut book, mut kept): (Vec<String>, _, _) = (Vec::new(), Book::new(Limits::default()), None);
    let (mut differ, mut by_check, mut by_money) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for row in told.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        if let Some(entries) = row["log"].as_array() {
            log = entries.iter().map(|entry| entry.as_str().unwrap().to_owned()).collect();
            (book, kept) = (Book::new(Limits::default()), None);
            continue;
        }
        let (at, text) = (row["at"].as_u64().unwrap(), row["text"].as_str().unwrap());
        while book.entries() < at {
            book.feed(book.entries(), log[book.entries() as usize].as_bytes()).unwrap();
            kept = None;
        }
        let before = kept.get_or_insert_with(|| serde_json::to_string(&book.keep().unwrap()).unwrap());
        let found = Book::go_on(before.as_bytes(), Limits::default()).unwrap().feed(at, text.as_bytes()).err();
        let money = row.get("money").and_then(|_| {
            let mut ledger = LedgerBook::new(None);
            (0..).zip(&log[..at as usize]).for_each(|(index, entry)| ledger.feed(index, entry.as_bytes()).unwrap());
            ledger.feed(at, text.as_bytes()).err()
        });
        let about = row["about"].as_str().unwrap();
        for (found, theirs, counts, several) in [
            (found, &row["check"], &mut by_check, &[] as &[&str]),
            (money, &row["money"], &mut by_money, SEVERAL_OF_MONEY),
        ] {
            let ours = found.as_ref().map(|finding: &Finding| finding.check.code());
            let may_differ = several.iter().any(|kind| about.contains(kind));
            if code(ours) != code(theirs.as_str()) && !may_differ {
                differ.push(format!("{about}: the judge {ours:?}, the second verifier {theirs}: {text:.400}"));
            }
            *counts.entry(ours.unwrap_or("nothing").to_owned()).or_insert(0) += 1;
        }
    }
    println!("{by_check:?}\nof money alone: {by_money:?}");
    // spec/checks.json says this of the test.
    let named: Value = serde_json::from_str(include_str!("../../../spec/checks.json")).unwrap();
    let ours = |shown: &Value| shown["both"].as_str().is_some_and(|test| test.starts_with("src/judge/tests/lies.rs "));
    for (check, _) in named.as_object().unwrap().iter().filter(|(_, shown)| ours(shown)) {
        assert!(by_check.contains_key(check), "no lie is found by {check}");
    }
    differ.truncate(40);
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(by_money.len() > 8, "{by_money:?}");
}
