//! `spec/vectors/entries-*.json` are what the generator writes today, and they say what they claim to say.

#[path = "../examples/house_vectors/again.rs"]
mod again;
#[path = "../examples/house_vectors/book.rs"]
mod book;
#[path = "../examples/house_vectors/keys.rs"]
mod keys;
#[path = "../examples/house_vectors/more.rs"]
mod more;
#[path = "../examples/house_vectors/sets.rs"]
mod sets;

use crate::common;
use fairshoe_fairness::Master;
use fairshoe_games::RuleSet;
use fairshoe_house::{DecideError, Entry, SeedDealer, Signed, State};
use serde_json::Value;
use std::collections::BTreeSet;

fn stored(file: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(file);
    std::fs::read_to_string(path).unwrap_or_default()
}

fn parsed(file: &str) -> Value {
    serde_json::from_str(&stored(file)).unwrap()
}

fn files() -> impl Iterator<Item = &'static str> {
    let by_chance = ["entries-sets.json", "entries-solo.json", "entries-cash.json"];
    [book::FILE, keys::FILE, more::FILE].into_iter().chain(by_chance).chain(again::FILES)
}

#[test]
fn the_files_are_current() {
    let scripted = [(book::FILE, book::text()), (keys::FILE, keys::text()), (more::FILE, more::text())];
    let written: Vec<(&str, String)> = scripted.into_iter().chain(sets::files()).chain(again::files()).collect();
    assert!(written.iter().map(|(file, _)| *file).eq(files()));
    for (file, text) in written {
        assert!(
            stored(file) == text,
            "{file} is stale: cargo run -p fairshoe-house --example house_vectors -- spec/vectors"
        );
    }
}

/// Every command of a file is decided again from the file alone; the names of the events met.
fn decide_again(file: &Value) -> BTreeSet<String> {
    let master: Vec<u8> =
        (0..32).map(|i| u8::from_str_radix(&file["master"].as_str().unwrap()[2 * i..2 * i + 2], 16).unwrap()).collect();
    let dealer = SeedDealer::new(Master::from_bytes(master.try_into().unwrap()));
    let entries: Vec<&str> = file["entries"].as_array().unwrap().iter().map(|e| e.as_str().unwrap()).collect();
    let refused = file["refused"].as_array().unwrap();
    let mut state = State::new();
    let mut events = BTreeSet::new();
    for index in 0..=entries.len() {
        for case in refused.iter().filter(|case| case["after_entries"] == index) {
            let by = serde_json::from_value(case["by"].clone()).unwrap();
            let command = serde_json::from_value(case["command"].clone()).unwrap();
            let signed: Option<Signed> =
                case.get("signed").map(|signed| serde_json::from_value(signed.clone()).unwrap());
            let decided = state.decide_signed(&dealer, case["now"].as_u64().unwrap(), &by, signed.as_ref(), &command);
            let Err(DecideError::Refused(refusal)) = decided else { panic!("{case}") };
            assert_eq!(refusal.code(), case["code"]);
        }
        let Some(text) = entries.get(index) else { break };
        let entry = Entry::decode(text.as_bytes()).unwrap();
        let again = state.decide_signed(&dealer, entry.time, &entry.by, entry.signed.as_ref(), &entry.command).unwrap();
        assert_eq!(&String::from_utf8(again.encode().unwrap()).unwrap(), text);
        events.extend(common::names_of(&entry));
        state.apply(&entry).unwrap();
        assert_eq!(
            serde_json::to_value(state.root().unwrap()).unwrap(),
            file["state_roots"][index],
            "after {} entries",
            index + 1
        );
    }
    assert_eq!(serde_json::to_value(state.lines().unwrap()).unwrap(), file["state_lines"]);
    for (account, balance) in file["balances"].as_object().unwrap() {
        let account = serde_json::from_value(Value::String(account.clone())).unwrap();
        assert_eq!(state.ledger().balance(&account), balance.as_i64());
    }
    events
}

#[test]
fn every_entry_is_decided_again_from_the_files_alone() {
    let mut events: BTreeSet<String> = files().flat_map(|file| decide_again(&parsed(file))).collect();
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
    let file = parsed(book::FILE);
    let rules = RuleSet::shipped("joy").unwrap();
    assert_eq!(rules.canonical(), file["rule_set"].as_str().unwrap());
    assert_eq!(rules.digest(), file["rule_set_digest"].as_str().unwrap());
    let keys: Vec<usize> =
        ["\"game\"", "\"name\"", "\"table\""].iter().map(|key| rules.canonical().find(key).unwrap()).collect();
    assert!(keys.is_sorted(), "the canonical text orders keys");
}
