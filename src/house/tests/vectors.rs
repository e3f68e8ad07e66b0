//! `spec/vectors/entries-*.json` are what the generator writes today, and they say what they claim to say.

#[path = "../examples/house_vectors/again.rs"]
mod again;
#[path = "../examples/house_vectors/book.rs"]
mod book;
#[path = "../examples/house_vectors/sets.rs"]
mod sets;

use crate::common;
pub use book::stored;
use fairshoe_games::RuleSet;
use fairshoe_house::Entry;
use serde_json::Value;
use std::collections::BTreeSet;

fn parsed(file: &str) -> Value {
    serde_json::from_str(&stored(file)).unwrap()
}

fn files() -> impl Iterator<Item = &'static str> {
    ["entries-sets.json", "entries-solo.json", "entries-cash.json"].into_iter().chain(again::FILES)
}

/// Every command of a file is decided again, those that are refused too.
#[test]
fn the_files_are_current() {
    let written: Vec<(&str, String)> = sets::files().into_iter().chain(again::files()).collect();
    assert!(written.iter().map(|(file, _)| *file).eq(files()));
    for (file, text) in written {
        assert!(
            stored(file) == text,
            "{file} is stale: cargo run -p fairshoe-house --example house_vectors -- spec/vectors"
        );
    }
}

#[test]
fn every_word_and_cause_of_the_page_stands_in_a_file() {
    let entries = files().flat_map(|file| parsed(file)["entries"].as_array().unwrap().clone());
    let names = |text: Value| common::names_of(&Entry::decode(text.as_str().unwrap().as_bytes()).unwrap());
    let mut events: BTreeSet<String> = entries.flat_map(names).collect();
    let page = parsed("words.json");
    let words = |choice: &str| page["words"][choice].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let all = words("Event").into_iter().flat_map(|name| match name.as_str() {
        "play" => words("RoundEvent").iter().map(|play| format!("play.{play}")).collect(),
        "tournament" => words("TournamentEvent").iter().map(|event| format!("tournament.{event}")).collect(),
        _ => vec![name],
    });
    // In other files: log-continued.json, and longer logs of tournaments.
    let elsewhere = BTreeSet::from([
        "log_continues",
        "tournament.deal_answered",
        "tournament.deal_made",
        "tournament.hand_for_hand",
        "tournament.player_moved",
        "tournament.rebuy_awaited",
        "tournament.registration_changed",
    ]);
    for name in all {
        assert_ne!(events.remove(&name), elsewhere.contains(&*name), "{name}");
    }
    assert!(events.is_empty(), "{events:?} are no words of the page");
    let texts: String = files().map(stored).collect();
    for cause in [
        "reveal_missing",
        "crash",
        "malfunction",
        "newcomer",
        "idle",
        "restart",
        "house_shuffle",
        "closed",
        "threshold",
        "pile_used",
        "pile_unused",
        "no_bets",
    ] {
        assert!(texts.contains(&format!("\\\"cause\\\":\\\"{cause}\\\"")), "{cause}");
    }
}

/// A log of every rule set that ships, with a restart while it was open.
#[test]
fn every_shipped_rule_set_is_played_in_some_log() {
    for (name, text) in fairshoe_games::SHIPPED_RULE_SETS {
        let digest = RuleSet::from_json(text).unwrap().digest();
        let of_set = |text: &Value| text.as_str().unwrap().contains(&digest);
        let played = files().any(|file| parsed(file)["entries"].as_array().unwrap().iter().any(of_set));
        assert!(played, "{name} is in no log");
    }
}

/// The digest that `table_opened` puts on the log: a change here is a change of the published rules.
#[test]
fn the_rule_sets_digest_is_pinned() {
    let file = parsed("entries-joy.json");
    let rules = RuleSet::shipped("joy").unwrap();
    assert_eq!(rules.canonical(), file["rule_set"].as_str().unwrap());
    assert_eq!(rules.digest(), file["rule_set_digest"].as_str().unwrap());
    let keys: Vec<usize> =
        ["\"game\"", "\"name\"", "\"table\""].iter().map(|key| rules.canonical().find(key).unwrap()).collect();
    assert!(keys.is_sorted(), "the canonical text orders keys");
}
