//! The engine, played at random: within the interval of the calculator, and with the same figures for the same seed.

use fairshoe_games::{Chips, GameRules, RuleSet};
use fairshoe_odds::Spread;
use fairshoe_odds::blackjack::{Deck, Naive, Odds, Simulation, Strategy, Tally, expectation};

/// Chance alone exceeds it once in a hundred thousand runs; the seed is fixed, so a passing run always passes.
const SIGMAS: f64 = 4.5;

fn simulate(name: &str, stake: u64, naive: Option<Naive>, fresh: bool, hands: u64, spread: Spread) -> (Tally, f64) {
    let rules = RuleSet::shipped(name).unwrap();
    let GameRules::Blackjack(blackjack) = &rules.game else { panic!() };
    let stake = Chips::new(stake).unwrap();
    let given = naive.as_ref().map(|naive| naive as &dyn Strategy);
    let found = expectation(&Odds::new(blackjack, stake).unwrap(), &Deck::packs(blackjack.decks), given).unwrap();
    let simulation = Simulation { rules: &rules, stake, strategy: given.unwrap_or(&found.plan), fresh };
    (simulation.run(hands, spread).unwrap(), found.player)
}

fn within(name: &str, stake: u64, naive: Option<Naive>, fresh: bool) {
    let (tally, expected) = simulate(name, stake, naive, fresh, 40_000, Spread { seed: 5, threads: 2 });
    let units = Chips::new(stake).unwrap();
    let (mean, error) = (tally.mean(units), tally.standard_error(units));
    assert!(tally.hands >= 40_000);
    // A hand's result has a standard deviation of about 1.15 stakes, a little less without doubles.
    let one = error * (tally.hands as f64).sqrt();
    assert!((0.9..1.3).contains(&one), "{name}: the standard deviation of a hand would be {one}");
    assert!(
        (mean - expected).abs() < SIGMAS * error,
        "{name} {naive:?} fresh={fresh}: {mean} ± {error}, calculator {expected}"
    );
}

#[test]
fn joy_is_what_the_calculator_says() {
    within("joy", 10, None, false);
    within("joy", 10, Some(Naive::CopyDealer), false);
}

#[test]
fn live_blackjack_is_what_the_calculator_says() {
    within("live-blackjack", 100, None, true);
    within("live-blackjack", 100, None, false);
}

#[test]
fn six_deck_is_what_the_calculator_says() {
    within("six-deck", 10, None, true);
    within("six-deck", 10, Some(Naive::NeverBust), false);
}

#[test]
fn study_group_is_what_the_calculator_says() {
    within("study-group", 10, None, true);
    within("study-group-solo", 10, None, false);
}

#[test]
fn one_seed_one_result_on_any_number_of_threads() {
    let run =
        |seed, threads| simulate("six-deck", 10, Some(Naive::CopyDealer), false, 60_000, Spread { seed, threads }).0;
    let one = run(1, 1);
    assert_eq!(one, run(1, 3));
    assert_ne!(one, run(2, 1));
}

#[test]
fn shoes_are_dealt_down_as_the_rule_set_says() {
    let (tally, _) = simulate("six-deck", 10, Some(Naive::CopyDealer), false, 10_000, Spread { seed: 1, threads: 1 });
    // R003.13: 156 of 312 are dealt, about 5.6 cards a round.
    let hands_of_a_shoe = tally.hands as f64 / tally.shoes as f64;
    assert!((25.0..32.0).contains(&hands_of_a_shoe), "{hands_of_a_shoe} hands a shoe");
    let (joy, _) = simulate("joy", 10, Some(Naive::CopyDealer), false, 1_000, Spread { seed: 1, threads: 1 });
    assert_eq!(joy.hands, joy.shoes);
    let (fresh, _) = simulate("six-deck", 10, Some(Naive::CopyDealer), true, 1_000, Spread { seed: 1, threads: 1 });
    assert_eq!(fresh.hands, fresh.shoes);
}
