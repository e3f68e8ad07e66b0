//! Writes the bundles with their verdicts: `cargo run -p fairshoe-judge --example bundle_vectors -- spec/vectors`.
//!
//! The first are found among the books of the campaign (`tests/campaign`): of each game, state of the round and kind of
//! trouble the smallest honest bundle, of each code the smallest bundle that is refused with it. A book changes
//! whenever a rule does: then the test `vectors` fails, and this writes the file again. From the first `exact` one on
//! bundles are their own source, and get the verdict that is due now.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/audit_common/mod.rs"]
mod audit_common;
#[path = "../../tests/campaign/cases.rs"]
#[allow(dead_code)] // Whole logs are judged by the campaign alone.
mod cases;
#[path = "../../../house/tests/common/mod.rs"]
mod common;

use cases::Case;
use common::world::World;
use fairshoe_judge::bundle::{RoundPhase, Soundness, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

const FILE: &str = "bundles.json";

/// The books that are looked through.
const BOOKS: std::ops::Range<u64> = 1..90;

/// No bundle of the file is longer, in bytes: what is shown by a longer one a shorter one shows too, or the campaign
/// does.
const LONGEST: usize = 30_000;

/// The kind of table that a rule set of this name is for.
fn game_of(rules: &str) -> &'static str {
    match rules {
        "joy" | "joy-own" => "joy",
        rules if rules.starts_with("holdem") || rules.starts_with("omaha") => "poker",
        rules if rules.contains("baccarat") => "baccarat",
        rules if rules.contains("roulette") => "roulette",
        rules if rules.starts_with("safe") => "safe",
        rules if rules.contains("solo") || rules.contains("rng") || rules.contains("own") => "blackjack alone",
        _ => "blackjack",
    }
}

/// What an honest bundle shows that another may not: its game, the round's state, restarts on the way, signatures.
fn kind_of(text: &str, game: &str, phase: &str) -> Vec<String> {
    let restarts = text.matches("\\\"start_dealer\\\"").count().min(3) - 1;
    let mut kinds = vec![format!("{game}, {phase}")];
    if restarts > 0 && (text.contains("round_resumed") || text.contains("\\\"crash\\\"")) {
        kinds.push(format!("{game}, {restarts} restarts{}", if restarts == 2 { " or more" } else { "" }));
    }
    // The downtime of the start before the shoe was committed is not the round's.
    let downtimes: Vec<&str> =
        text.split("\\\"down_ms\\\":").skip(1).map(|rest| rest.split('}').next().unwrap_or_default()).collect();
    if text.contains("settle_by") && text.contains("round_resumed") && downtimes.len() > 1 && downtimes[0] != "0" {
        kinds.push("a shoe committed after a start with downtime, its round resumed after another".into());
    }
    for (what, needle) in [
        ("signed commands", "\\\"signed\\\""),
        ("a new pile", "\\\"pile_shuffled\\\""),
        ("a pile that failed", "\\\"pile_failed\\\""),
        ("a seat lost or left", "\\\"seat_left\\\""),
        ("a cooldown", "\\\"cooldown\\\""),
        ("a shoe changed for a newcomer", "\\\"cause\\\":\\\"newcomer\\\""),
        ("a shuffle at the house's discretion", "\\\"shuffle_asked\\\""),
        ("a seed that came late", "\\\"seed_late\\\""),
        ("a shoe disclosed", "\\\"shoe_disclosed\\\""),
    ] {
        if text.contains(needle) {
            kinds.push(what.into());
        }
    }
    kinds
}

/// By its kind: what a bundle is about, and the smallest one.
type Found = BTreeMap<String, (String, String)>;

fn keep(found: &mut Found, kind: String, about: String, text: &str) {
    if text.len() <= LONGEST && found.get(&kind).is_none_or(|(_, old)| text.len() < old.len()) {
        found.insert(kind, (about, text.to_owned()));
    }
}

fn look_through(seed: u64, good: &mut Found, bad: &mut Found) {
    let log = World::book(seed).log;
    for (_, case) in cases::honest(&log, seed) {
        let Case::Bundle(text) = case else { continue };
        let verdict = verify(text.as_bytes(), None);
        assert!(verdict.findings.is_empty(), "book {seed} is honest: {:?}", verdict.findings);
        let round = verdict.round.unwrap();
        let game = game_of(&round.rules);
        let phase = match round.phase {
            RoundPhase::AwaitingReveals => "seeds awaited".into(),
            RoundPhase::Open => "in play".into(),
            RoundPhase::Settled if verdict.verdict == Soundness::SoundSoFar => "settled, the shoe in use".into(),
            RoundPhase::Settled => "settled".to_owned(),
            RoundPhase::Voided => "void".into(),
        };
        for kind in kind_of(&text, game, &phase) {
            keep(good, kind.clone(), kind, &text);
        }
    }
    for (what, case) in cases::changed(&log, seed) {
        let Case::Bundle(text) = case else { continue };
        let verdict = verify(text.as_bytes(), None);
        let Some(finding) = verdict.findings.first() else { continue };
        let code = finding.check.code();
        // Of the form of the file each refusal is of its own kind.
        let kind = if code == "bundle_form" {
            format!("{code}, {what}").replace(char::is_numeric, "")
        } else {
            code.to_owned()
        };
        let about = format!("{code}: {}", what.split_once(", ").map_or(what.as_str(), |(_, change)| change));
        keep(bad, kind, about, &text);
    }
}

/// This case with the verdict that is due now.
fn judged(mut case: Value) -> Value {
    let verdict = verify(case["bundle"].as_str().unwrap().as_bytes(), None);
    let fields = case.as_object_mut().unwrap();
    fields.retain(|name, _| name != "check" && name != "entry");
    fields.insert("verdict".into(), json!(verdict.verdict));
    if let Some(finding) = verdict.findings.first() {
        fields.insert("check".into(), finding.check.code().into());
        fields.extend(finding.entry.map(|entry| ("entry".to_owned(), entry.into())));
    }
    case
}

fn text(old: &str) -> String {
    let (mut good, mut bad) = (Found::new(), Found::new());
    for seed in BOOKS {
        look_through(seed, &mut good, &mut bad);
    }
    // One bundle may be the smallest of several kinds.
    let mut found: Vec<(String, String)> = Vec::new();
    for (about, text) in good.into_values().chain(bad.into_values()) {
        match found.iter_mut().find(|(_, old)| *old == text) {
            Some((old, _)) => *old += &format!("; {about}"),
            None => found.push((about, text)),
        }
    }
    let mut old: Value = serde_json::from_str(old).unwrap();
    let Value::Array(own) = old["cases"].take() else { panic!("no cases") };
    let found = found.into_iter().map(|(about, text)| json!({"about": about, "bundle": text}));
    let own = own.into_iter().skip_while(|case| case["exact"].is_null());
    let cases: Vec<String> = found.chain(own).map(|case| judged(case).to_string()).collect();
    format!(
        "{{\"about\":\"Bundles with the verdict on each; spec/audit.md, spec/vectors/README.md.\",\"cases\":[\n{}\n]}}\n",
        cases.join(",\n")
    )
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: bundle_vectors FOLDER");
        return ExitCode::from(2);
    };
    let path = std::path::Path::new(&folder).join(FILE);
    if let Err(error) = std::fs::read_to_string(&path).and_then(|old| std::fs::write(&path, text(&old))) {
        eprintln!("{}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    println!("{}", path.display());
    ExitCode::SUCCESS
}
