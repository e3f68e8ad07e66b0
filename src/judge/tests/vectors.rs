//! `spec/vectors/bundles.json` says what this judge says of its bundles.

use fairshoe_judge::bundle::verify;
use serde_json::Value;
use std::collections::BTreeSet;

/// Half of them are sound, the others are refused each with its own code at its own entry.
#[test]
fn every_bundle_gets_the_verdict_that_stands_beside_it() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/bundles.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
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
