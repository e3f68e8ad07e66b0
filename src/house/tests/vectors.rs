//! `spec/vectors/entries-joy.json` is what the generator writes today, and it says what it claims to say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../examples/house_vectors/book.rs"]
mod book;

use book::common;
use fairshoe_fairness::Master;
use fairshoe_games::RuleSet;
use fairshoe_house::{Declined, Entry, SeedDealer, State};
use serde_json::Value;
use std::collections::BTreeSet;

fn stored() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(book::FILE);
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn the_file_is_current() {
    assert!(stored() == book::text(), "stale: cargo run -p fairshoe-house --example house_vectors -- spec/vectors");
}

#[test]
fn every_entry_is_decided_again_from_the_file_alone() {
    let file: Value = serde_json::from_str(&stored()).unwrap();
    let master: Vec<u8> = (0..32).map(|i| u8::from_str_radix(&file["master"].as_str().unwrap()[2 * i..2 * i + 2], 16).unwrap()).collect();
    let dealer = SeedDealer::new(Master::from_bytes(master.try_into().unwrap()));
    let entries: Vec<&str> = file["entries"].as_array().unwrap().iter().map(|e| e.as_str().unwrap()).collect();
    let refused = file["refused"].as_array().unwrap();
    let mut state = State::new();
    let mut events = BTreeSet::new();
    for index in 0..=entries.len() {
        for case in refused.iter().filter(|case| case["after_entries"] == index) {
            let by = serde_json::from_value(case["by"].clone()).unwrap();
            let command = serde_json::from_value(case["command"].clone()).unwrap();
            let Err(Declined::Refused(refusal)) = state.decide(&dealer, case["now"].as_u64().unwrap(), &by, &command) else {
                panic!("{case}")
            };
            assert_eq!(refusal.code(), case["code"]);
        }
        let Some(text) = entries.get(index) else { break };
        let entry = Entry::decode(text.as_bytes()).unwrap();
        let again = state.decide(&dealer, entry.time, &entry.by, &entry.command).unwrap();
        assert_eq!(&String::from_utf8(again.encode().unwrap()).unwrap(), text);
        events.extend(common::names_of(&entry));
        state.apply(&entry).unwrap();
    }
    for (account, balance) in file["balances"].as_object().unwrap() {
        let account = serde_json::from_value(Value::String(account.clone())).unwrap();
        assert_eq!(state.ledger().balance(&account), balance.as_i64());
    }
    // Every event there is, and every cause of a void that solo JOY has.
    let all = [
        "bet_placed",
        "bets_closed",
        "bets_opened",
        "dealer_started",
        "play.acted",
        "play.dealt",
        "play.offered",
        "play.paid",
        "play.peeked",
        "play.turned",
        "player_created",
        "posted",
        "round_opened",
        "round_resumed",
        "round_settled",
        "round_voided",
        "seed_revealed",
        "shoe_committed",
        "shoe_revealed",
        "table_closed",
        "table_opened",
        "token_issued",
    ];
    assert_eq!(events, all.into_iter().map(String::from).collect());
    for cause in ["reveal_missing", "crash", "malfunction"] {
        assert!(stored().contains(&format!("\\\"cause\\\":\\\"{cause}\\\"")), "{cause}");
    }
}

/// The digest that `table_opened` puts on the log: a change here is a change of the published rules.
#[test]
fn the_rule_sets_digest_is_pinned() {
    let file: Value = serde_json::from_str(&stored()).unwrap();
    let rules = RuleSet::shipped("joy").unwrap();
    assert_eq!(rules.canonical(), file["rule_set"].as_str().unwrap());
    assert_eq!(rules.digest(), file["rule_set_digest"].as_str().unwrap());
    let keys: Vec<usize> = ["\"game\"", "\"name\"", "\"table\""].iter().map(|key| rules.canonical().find(key).unwrap()).collect();
    assert!(keys.is_sorted(), "the canonical text orders keys");
}
