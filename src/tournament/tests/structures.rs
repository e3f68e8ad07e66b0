//! Structures as data (spec/games/tournaments.md, section 2).

use crate::common::shipped;
use fairshoe_games::RuleSet;
use fairshoe_tournament::structure::MAX_STRUCTURE_BYTES;
use fairshoe_tournament::{SHIPPED_STRUCTURES, Structure, StructureError};
use serde_json::{Value, json};

fn as_value(name: &str) -> Value {
    serde_json::to_value(shipped(name)).unwrap()
}

fn refusal(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value = as_value(name);
    change(&mut value);
    Structure::from_json(&value.to_string()).unwrap_err().to_string()
}

#[test]
fn shipped_structures_are_valid_and_their_hands_are_those_of_shipped_rule_sets() {
    let mut games = std::collections::BTreeSet::new();
    for (name, _) in SHIPPED_STRUCTURES {
        let structure = shipped(name);
        assert_eq!(structure.name, *name);
        let rules = RuleSet::shipped(&structure.rules.name).unwrap();
        assert_eq!(rules.digest(), structure.rules.digest, "{name}");
        // People see how a hand ended.
        assert_eq!(structure.clocks.between_hands_ms, Some(3_000), "{name}");
        games.insert(structure.rules.name.clone());
    }
    assert_eq!(games.into_iter().collect::<Vec<_>>(), ["holdem", "holdem-limit", "omaha", "omaha-hi-lo"]);
    assert_eq!(Structure::shipped("no-such"), None);
}

#[test]
fn the_digest_depends_on_nothing_but_the_structure() {
    let structure = shipped("freezeout-6");
    // Another order of fields, other white space.
    let text = serde_json::to_string_pretty(&as_value("freezeout-6")).unwrap();
    assert_eq!(Structure::from_json(&text).unwrap().digest(), structure.digest());
    assert_eq!(structure.digest(), "6a81deb157ee2b9ff9b59cf427b753fcd05aeaba8021570af84a7c5aefd6ef91");
    let mut other = structure.clone();
    other.guarantee += 1;
    assert_ne!(other.digest(), structure.digest());
}

#[test]
fn a_structure_that_is_none_is_refused() {
    let text = as_value("freezeout-6").to_string();
    let malformed = |text: &str| matches!(Structure::from_json(text), Err(StructureError::Malformed(_)));
    assert!(malformed(&text.replacen('{', "{\"more\":1,", 1)));
    assert!(malformed(&text.replacen('{', "{\"seats\":6,", 1)));
    assert!(malformed(&text.replacen("\"seats\":6", "\"seats\":6.0", 1)));
    assert!(malformed(&text.replacen("\"seats\":6", "\"seats\":-6", 1)));
    assert!(malformed(&format!("{text}x")) && malformed(""));
    let long = format!("{}{text}", " ".repeat(MAX_STRUCTURE_BYTES));
    assert_eq!(Structure::from_json(&long), Err(StructureError::TooLong(long.len())));
}

#[test]
fn contradictions_are_refused_with_their_reason() {
    let set = |path: &'static str, to: Value| move |value: &mut Value| *value.pointer_mut(path).unwrap() = to;
    for (name, path, to, reason) in [
        ("freezeout-6", "/name", json!(".six"), "a name must be"),
        ("freezeout-6", "/rules/digest", json!("ABC"), "rules.digest"),
        ("freezeout-6", "/seats", json!(1), "2 to 10 seats"),
        ("freezeout-6", "/seats", json!(11), "2 to 10 seats"),
        ("freezeout-6", "/entry/buy_in", json!(0), "buy_in"),
        ("freezeout-6", "/entry/stack", json!(0), "stack"),
        ("freezeout-6", "/entry/players_min", json!(1), "players_min"),
        ("freezeout-6", "/entry/players_max", json!(20_001), "players_max"),
        ("freezeout-6", "/entry/entries_per_player", json!(0), "entries_per_player"),
        ("freezeout-6", "/late_levels", json!(30), "late_levels"),
        ("freezeout-6", "/bounty_onto_head", json!("half"), "without a bounty"),
        ("freezeout-6", "/levels/3/big", json!(5_000), "blinds never fall"),
        ("freezeout-6", "/levels/3/ante", json!(5_000), "an ante"),
        ("freezeout-6", "/levels/3/ms", json!(999), "a level lasts"),
        ("freezeout-6", "/breaks/synchronised/ms", json!(300_001), "a synchronised break"),
        ("freezeout-9", "/breaks/after/1/level", json!(5), "breaks must ascend"),
        ("freezeout-9", "/breaks/after/4/level", json!(30), "before the last"),
        ("freezeout-6", "/payouts/rows/0/from", json!(3), "the first row"),
        ("freezeout-6", "/payouts/rows/1/from", json!(2), "rows must ascend"),
        ("freezeout-6", "/payouts/rows/1/places/1/share", json!(66), "shares never rise"),
        ("freezeout-6", "/payouts/rows/1/places/1/to", json!(6), "no more places"),
        ("freezeout-6", "/payouts/rows/1/places/1/share", json!(0), "a share is"),
        ("satellite", "/payouts/satellite/target", json!("Sunday"), "the target"),
        ("satellite", "/staking", json!(true), "no staking"),
        ("freezeout-6", "/deal/most_players", json!(11), "most_players"),
        ("freezeout-6", "/hand_for_hand", json!(11), "hand_for_hand"),
        ("freezeout-6", "/clocks/turn_ms", json!(0), "turn_ms"),
        ("freezeout-6", "/clocks/reveal_ms", json!(0), "reveal_ms"),
        ("freezeout-6", "/clocks/between_hands_ms", json!(30_001), "between_hands_ms"),
        ("freezeout-6", "/cancel_after_ms", json!(86_400_001), "cancel_after_ms"),
        ("rebuy", "/rebuy/levels", json!(30), "rebuy.levels"),
        ("rebuy", "/rebuy/chips", json!(0), "a rebuy or add-on"),
        ("rebuy", "/add_on/after_level", json!(5), "an add-on needs a break"),
        ("rebuy", "/entry/bounty", json!(5), "no rebuys"),
    ] {
        let said = refusal(name, set(path, to));
        assert!(said.contains(reason), "{path}: {said}");
    }
}
