//! The worked examples of all games (spec/vectors/play.json), in exactly the words of the command line.

use crate::golden_cases;
use fairshoe_games::script::{Played, ScriptError, Words};
use fairshoe_games::{RoundEvent, RuleSet};
use golden_cases::{Case, cases};

fn play(case: &Case, rules: &str) -> Result<Played, ScriptError> {
    let options = case.set.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let rules = RuleSet::shipped(rules).unwrap().with_options(options).unwrap();
    let mut words = Words::new(&rules);
    (words.cards, words.bets, words.actions, words.players) = (&case.cards, &case.bets, &case.actions, &case.players);
    (words.entry, words.pocket) = (case.entry, case.pocket);
    words.balance = case.balance.unwrap_or(words.balance);
    words.play()
}

fn check(prefix: &str) {
    let mut seen = 0;
    for case in cases().iter().filter(|case| case.name.starts_with(prefix)) {
        for rules in &case.rules {
            let name = format!("{} at {rules}", case.name);
            match (play(case, rules), &case.refused) {
                (Err(error), Some(why)) => assert!(error.to_string().contains(why.as_str()), "{name}: {error}"),
                (Ok(played), None) => case.check(&name, &serde_json::to_value(&played).unwrap()),
                (result, _) => panic!("{name}: {result:?}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 0, "no case is named {prefix}");
}

#[test]
fn g000_joy() {
    check("G000");
}

#[test]
fn g001bj_live_and_rng_blackjack() {
    check("G001BJ");
}

#[test]
fn g003_six_decks() {
    check("G003");
    check("two boxes");
}

#[test]
fn g004_study_group() {
    check("G004");
}

#[test]
fn gba_baccarat() {
    check("GBA");
}

#[test]
fn gdt_dragon_tiger() {
    check("GDT");
}

#[test]
fn gro_roulette() {
    check("GRO");
}

#[test]
fn gsb_sic_bo() {
    check("GSB");
}

#[test]
fn g002_safe() {
    check("G002");
}

#[test]
fn every_case_is_under_a_test() {
    let known = ["G000", "G001BJ", "G002", "G003", "G004", "GBA", "GDT", "GRO", "GSB", "two boxes"];
    for case in cases() {
        assert!(known.iter().any(|prefix| case.name.starts_with(prefix)), "{}", case.name);
    }
}

#[test]
fn gro_5_a_malfunction_returns_the_bets_as_what_is_staked() {
    // The house makes the void; it returns the stakes that the round calls pending.
    let case = cases().into_iter().find(|case| case.name.starts_with("GRO-1")).unwrap();
    let bets = case.bets.split_whitespace().map(|word| {
        let (spot, stake) = word.split_once('=').unwrap();
        fairshoe_games::Bet {
            spot: spot.into(),
            stake: stake.parse().ok().and_then(fairshoe_games::Chips::new).unwrap(),
            chips: None,
        }
    });
    let placed = [fairshoe_games::Placed { player: "ann".parse().unwrap(), bets: bets.collect() }];
    let mut round = RuleSet::shipped("roulette").unwrap().open_round(&placed).unwrap();
    let pending = |round: &dyn fairshoe_games::Round| round.pending_stakes()[0].1.units();
    assert_eq!(pending(round.as_ref()), 1800);
    round.apply(&RoundEvent::Spun { slot: fairshoe_fairness::Slot(0), value: 0, pocket: 0 }).unwrap();
    assert_eq!(pending(round.as_ref()), 1800);
}
