//! Writes the bundles with their verdicts: `cargo run -p fairshoe-judge --example bundle_vectors -- spec/vectors`.
//!
//! They are found among the books of the campaign (`tests/campaign`): of each game, state of the round and kind of
//! trouble the smallest honest bundle, of each code the smallest bundle that is refused with it. A book changes
//! whenever a rule does: then the test `vectors` fails, and this writes the file again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/audit_common/mod.rs"]
mod audit_common;
#[path = "../../tests/campaign/cases.rs"]
#[allow(dead_code)] // Whole logs are judged by the campaign alone.
mod cases;
#[path = "../../../house/tests/common/mod.rs"]
mod common;
mod stated;
#[path = "../../../house/tests/tournament_play.rs"]
#[allow(dead_code)] // One event is played, and called off.
mod tournament_play;

use cases::Case;
use common::world::World;
use fairshoe_judge::bundle::{Bundle, RoundPhase, Soundness, verify};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::ExitCode;

const FILE: &str = "bundles.json";

/// The books that are looked through.
const BOOKS: std::ops::Range<u64> = 1..90;

/// No bundle of the file is longer, in bytes: what is shown by a longer one a shorter one shows too, or the campaign
/// does.
const LONGEST: usize = 30_000;

/// What a bundle of Safe shows of which [`stated::one_card_fewer`] can be made.
const CARDS_SHOWN: &str = "safe, cards after the one of the lowest code";

struct Found {
    about: String,
    text: String,
    verdict: &'static str,
    check: Option<(&'static str, Option<u64>)>,
    /// No other code will do.
    exact: bool,
}

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
    if game == "safe" && stated::one_card_fewer(text).is_some() {
        kinds.push(CARDS_SHOWN.into());
    }
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

fn keep(found: &mut BTreeMap<String, Found>, kind: String, new: Found) {
    if new.text.len() <= LONGEST && found.get(&kind).is_none_or(|old| new.text.len() < old.text.len()) {
        found.insert(kind, new);
    }
}

fn look_through(seed: u64, good: &mut BTreeMap<String, Found>, bad: &mut BTreeMap<String, Found>) {
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
        let word = if verdict.verdict == Soundness::Sound { "sound" } else { "sound_so_far" };
        for kind in kind_of(&text, game, &phase) {
            keep(
                good,
                kind.clone(),
                Found { about: kind, text: text.clone(), verdict: word, check: None, exact: false },
            );
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
        keep(bad, kind, Found { about, text, verdict: "not_sound", check: Some((code, finding.entry)), exact: false });
    }
}

/// Changes of this honest bundle, whose shoe is in use, of which a page says which code comes first; and bundles that
/// tell two readings apart.
fn exact(honest: &str, safe: &str) -> Vec<Found> {
    let bundle = || Bundle::parse(honest.as_bytes()).unwrap();
    let resigned = |change: &dyn Fn(bool, &str) -> String| stated::changed(bundle(), change);
    let first = bundle().openings.first().unwrap().slot.0;
    let never_shown = (0..).find(|slot| bundle().openings.iter().all(|opening| opening.slot.0 != *slot)).unwrap();
    let at = format!(r#""command":{{"bet":{{"table":"{}""#, bundle().round.table);
    let opens = |field: &'static str, number: &'static str| {
        move |context: bool, text: &str| {
            if !context || !text.contains(r#""command":{"open_table""#) {
                return text.to_owned();
            }
            let (before, after) = text.split_once(&format!(r#""{field}":"#)).unwrap();
            format!(r#"{before}"{field}":{number}{}"#, &after[after.find(',').unwrap()..])
        }
    };
    let with_opening = |slot: u16, twice: bool| {
        let mut bundle = bundle();
        let mut other = bundle.openings.first().unwrap().clone();
        other.slot.0 = slot;
        if twice {
            bundle.openings.push(other)
        } else {
            bundle.openings[0] = other
        }
        bundle.to_json().unwrap()
    };
    let mut value = bundle();
    value.openings[0].value ^= 1;
    let mut empty = bundle();
    empty.entries.clear();
    [
        ("no entry of the table", empty.to_json().unwrap()),
        ("an opening that leads to no root, of a slot that is shown nowhere", with_opening(never_shown, true)),
        ("an opening of a slot that is shown, which leads to no root", value.to_json().unwrap()),
        ("an opening twice", with_opening(first, true)),
        (
            "a bet whose command names a table that is not there",
            resigned(&|_, text| text.replace(&at, r#""command":{"bet":{"table":"nowhere""#)),
        ),
        (
            "a bet whose place is another table's",
            resigned(&|_, text| match text.contains(r#""command":{"bet""#) {
                true => text.replace(r#""at":{"table":""#, r#""at":{"table":"no"#),
                false => text.to_owned(),
            }),
        ),
        ("a rule set with a negative number", resigned(&opens("seats", "-1"))),
        ("a rule set with more seats than the field holds", resigned(&opens("seats", "256"))),
        ("a rule set with more seats than a table has", resigned(&opens("seats", "255"))),
        ("a rule set with more decks than the field holds", resigned(&opens("decks", "256"))),
        ("a rule set with more decks than a game has", resigned(&opens("decks", "255"))),
        ("a card fewer, in a game that keeps account of those that may come", stated::one_card_fewer(safe).unwrap()),
    ]
    .into_iter()
    .chain(stated::cases())
    .map(|(about, text)| {
        let verdict = verify(text.as_bytes(), None);
        let check = verdict.findings.first().map(|finding| (finding.check.code(), finding.entry));
        let (exactly, word) = match (check, verdict.verdict) {
            (Some((code, _)), _) => (format!("exactly {code}: "), "not_sound"),
            (None, Soundness::Sound) => (String::new(), "sound"),
            (None, _) => (String::new(), "sound_so_far"),
        };
        Found { about: format!("{exactly}{about}"), text, verdict: word, check, exact: check.is_some() }
    })
    .collect()
}

fn text() -> String {
    let (mut good, mut bad) = (BTreeMap::new(), BTreeMap::new());
    for seed in BOOKS {
        look_through(seed, &mut good, &mut bad);
    }
    let exact = exact(&good["baccarat, settled, the shoe in use"].text, &good[CARDS_SHOWN].text);
    // One bundle may be the smallest of several kinds.
    let mut cases: Vec<Found> = Vec::new();
    for new in good.into_values().chain(bad.into_values()) {
        match cases.iter_mut().find(|old| old.text == new.text) {
            Some(old) => old.about += &format!("; {}", new.about),
            None => cases.push(new),
        }
    }
    cases.extend(exact);
    let mut out = String::from(
        "{\"about\":\"Bundles with the verdict on each; spec/audit.md, spec/vectors/README.md.\",\"cases\":[\n",
    );
    for (nth, case) in cases.iter().enumerate() {
        let mut value = json!({"about": case.about, "bundle": case.text, "verdict": case.verdict});
        if let Some((code, entry)) = case.check {
            value["check"] = code.into();
            if let Some(entry) = entry {
                value["entry"] = entry.into();
            }
        }
        if case.exact {
            value["exact"] = true.into();
        }
        out += &format!("{value}{}\n", if nth + 1 < cases.len() { "," } else { "" });
    }
    out + "]}\n"
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: bundle_vectors FOLDER");
        return ExitCode::from(2);
    };
    let path = std::path::Path::new(&folder).join(FILE);
    if let Err(error) = std::fs::write(&path, text()) {
        eprintln!("{}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    println!("{}", path.display());
    ExitCode::SUCCESS
}
