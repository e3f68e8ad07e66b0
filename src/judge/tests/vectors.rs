//! `spec/vectors/bundles.json` and `log-notes.json` say what this judge says of them.

use fairshoe_house::HouseNote;
use fairshoe_judge::audit::{Book, Limits, Told};
use fairshoe_judge::bundle::verify;
use fairshoe_tlog::VerifierKey;
use serde_json::Value;
use std::collections::BTreeSet;

pub fn parsed(file: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Half of them are sound, the others are refused each with its own code at its own entry.
#[test]
fn every_bundle_gets_the_verdict_that_stands_beside_it() {
    let file = parsed("bundles.json");
    let (mut sound, mut codes) = (0, BTreeSet::new());
    for case in file["cases"].as_array().unwrap() {
        let verdict = verify(case["bundle"].as_str().unwrap().as_bytes(), None);
        let finding = verdict.findings.first();
        let found = (
            serde_json::to_value(verdict.verdict).unwrap(),
            finding.map(|finding| finding.check.code()),
            finding.and_then(|finding| finding.entry),
        );
        assert_eq!(
            found,
            (case["verdict"].clone(), case["check"].as_str(), case["entry"].as_u64()),
            "{}: {finding:?}",
            case["about"]
        );
        match found.1 {
            None => sound += 1,
            Some(code) => drop(codes.insert(code)),
        }
    }
    assert!(sound >= 20 && codes.len() >= 20, "{sound} sound ones, {codes:?}");
    for game in ["joy", "blackjack", "baccarat", "roulette", "safe", "poker"] {
        let played = |case: &Value| case["about"].as_str().unwrap().starts_with(&format!("{game}, settled"));
        assert!(file["cases"].as_array().unwrap().iter().any(played), "no round of {game}");
    }
}

/// Each signed note shows what stands beside it against the log, or is no note.
#[test]
fn every_note_shows_what_stands_beside_it() {
    let file = parsed("log-notes.json");
    let mut shown = BTreeSet::new();
    notes_over(&file, file["entries"].as_array().unwrap(), &mut shown);
    for other in file["others"].as_array().unwrap() {
        let log = parsed(other["file"].as_str().unwrap());
        let until = usize::try_from(other["until"].as_u64().unwrap()).unwrap();
        notes_over(other, &log["entries"].as_array().unwrap()[..until], &mut shown);
    }
    let key: VerifierKey = file["log_key"].as_str().unwrap().parse().unwrap();
    for case in file["refused"].as_array().unwrap() {
        assert!(HouseNote::verify(case["note"].as_str().unwrap().as_bytes(), &key).is_err(), "{}", case["about"]);
    }
    assert_eq!(shown.len(), 3, "{shown:?}");
}

/// Each note gets the finding that stands beside it.
fn notes_over(given: &Value, entries: &[Value], shown: &mut BTreeSet<Option<String>>) {
    let key: VerifierKey = given["log_key"].as_str().unwrap().parse().unwrap();
    let note = |case: &Value| HouseNote::verify(case["note"].as_str().unwrap().as_bytes(), &key);
    for case in given["notes"].as_array().unwrap() {
        let (mut told, mut book) = (Told::new(vec![note(case).unwrap()]), Book::new(Limits::default()));
        for (index, text) in (0..).zip(entries) {
            let reading = Book::read(index, text.as_str().unwrap().as_bytes());
            told.before(&book, index, reading.entry().unwrap());
            book.feed_read(reading).unwrap();
        }
        let findings = told.finish(&book).findings;
        let first = findings.first().map(|(_, finding)| finding);
        let found = (first.map(|finding| finding.check.code()), first.and_then(|finding| finding.entry));
        assert_eq!(found, (case["check"].as_str(), case["entry"].as_u64()), "{}: {first:?}", case["about"]);
        shown.insert(found.0.map(str::to_owned));
    }
}
