//! The calculator against the engine itself, on decks small enough to deal in every order: they agree to the last
//! digit.

use crate::tree;

use fairshoe_games::{Chips, GameRules, RuleSet};
use fairshoe_odds::blackjack::{Choice, Deck, Hand, Hole, Naive, Odds, Position, Strategy, Value, expectation};

fn rule_set(name: &str, set: &[(&str, &str)]) -> RuleSet {
    RuleSet::shipped(name).unwrap().with_options(set.iter().copied()).unwrap()
}

fn odds(rules: &RuleSet, stake: u64) -> Odds {
    let GameRules::Blackjack(blackjack) = &rules.game else { panic!() };
    Odds::new(blackjack, Chips::new(stake).unwrap()).unwrap()
}

fn deck(cards: &[(&str, u16)]) -> Deck {
    let mut counts = [0; 10];
    for (card, count) in cards {
        counts[usize::from(Value::of(card.parse().unwrap()).points()) - 1] += count;
    }
    Deck::of(counts)
}

/// Random legal answers, the same at each run: every kind of answer meets every kind of hand.
struct Whims<'o> {
    odds: &'o Odds,
    salt: u64,
}

impl Whims<'_> {
    fn draw(&self, what: u64) -> u64 {
        let mut x = what ^ self.salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for _ in 0..3 {
            x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        x >> 33
    }
}

impl Strategy for Whims<'_> {
    fn play(&self, position: &Position, hand: &Hand) -> Option<Choice> {
        let legal = self.odds.legal(position, hand);
        let mut choices = vec![Choice::Stand];
        if legal.hit && hand.total().points < 17 {
            choices.push(Choice::Hit);
        }
        if legal.double {
            choices.push(Choice::Double);
        }
        if legal.surrender {
            choices.push(Choice::Surrender);
        }
        let about = hand.key() ^ u64::from(position.up.points()) << 56 ^ u64::from(position.hole == Hole::Open) << 60;
        let about = about ^ position.split.map_or(0, |pair| u64::from(pair.points()) << 51);
        choices.get(self.draw(about) as usize % choices.len()).copied()
    }

    fn splits(&self, up: Value, _hole: Hole, pair: Value) -> bool {
        self.draw(u64::from(up.points()) << 8 | u64::from(pair.points())) & 3 != 0
    }

    fn insures(&self, hand: &Hand) -> bool {
        self.draw(hand.key()) & 1 == 0
    }

    fn takes_even_money(&self, up: Value) -> bool {
        self.draw(u64::from(up.points())) & 1 == 0
    }
}

/// The engine under every order of the cards wins the calculator's amount: with the best play, naive play, and random
/// play.
fn agree(name: &str, set: &[(&str, &str)], stake: u64, cards: &[(&str, u16)]) {
    let rules = rule_set(name, set);
    let odds = odds(&rules, stake);
    let deck = deck(cards);
    let same = |what: &str, calculator: f64, strategy: &dyn Strategy| {
        let engine = tree::mean(&rules, stake, cards, strategy);
        assert!((calculator - engine).abs() < 1e-11, "{name} {set:?} {what}: calculator {calculator}, engine {engine}");
    };
    let best = expectation(&odds, &deck, None).unwrap();
    same("best", best.player, &best.plan);
    let again = expectation(&odds, &deck, Some(&best.plan)).unwrap();
    assert!((best.player - again.player).abs() < 1e-12, "{name} {set:?}: the plan is not worth what it was found for");
    for naive in [Naive::CopyDealer, Naive::NeverBust] {
        let value = expectation(&odds, &deck, Some(&naive)).unwrap().player;
        same("naive", value, &naive);
        assert!(value <= best.player + 1e-12);
    }
    for salt in 0..3 {
        let whims = Whims { odds: &odds, salt };
        let value = expectation(&odds, &deck, Some(&whims)).unwrap().player;
        same("whims", value, &whims);
        assert!(value <= best.player + 1e-12, "{name} {set:?}: whims win more than the best play");
    }
}

const MIXED: &[(&str, u16)] = &[("As", 3), ("6s", 3), ("8s", 3), ("Ts", 9)];
const EIGHTS: &[(&str, u16)] = &[("8s", 7), ("Ts", 22)];
const ACES: &[(&str, u16)] = &[("As", 6), ("9s", 20)];

#[test]
fn joy_with_its_five_cards_its_insurance_and_its_plain_21() {
    agree("joy", &[], 10, MIXED);
    agree("joy", &[], 5, MIXED);
    agree("joy", &[("deal_order", "pp_dd"), ("auto_stand_21", "on")], 1, ACES);
    // Low cards: the limit of five ends hands on both sides.
    agree("joy", &[], 3, &[("2s", 12), ("As", 4), ("Ts", 5)]);
}

#[test]
fn live_blackjack_with_its_peek_under_an_ace_alone() {
    agree("live-blackjack", &[], 100, MIXED);
    agree("live-blackjack", &[("split_aces", "free"), ("double_after_split", "on"), ("max_hands", "3")], 100, ACES);
    agree("rng-blackjack", &[("stake_min", "1"), ("stake_step", "1")], 5, MIXED);
}

#[test]
fn six_decks_with_early_and_late_surrender_and_even_money() {
    agree("six-deck-solo", &[], 10, MIXED);
    agree(
        "six-deck-solo",
        &[("surrender", "late"), ("insurance_odds", "3:1"), ("even_money_upcards", "ace")],
        10,
        MIXED,
    );
    agree("six-deck-solo", &[("stake_step", "1"), ("double_any_cards", "on")], 5, MIXED);
}

#[test]
fn second_cards_at_once_split_again_up_to_the_limit() {
    for most in ["2", "3", "4", "6"] {
        agree("six-deck-solo", &[("max_hands", most)], 10, EIGHTS);
    }
    agree("six-deck-solo", &[("max_hands", "4")], 10, ACES);
}

#[test]
fn second_cards_one_by_one_split_again_up_to_the_limit() {
    for most in ["2", "3", "4", "6"] {
        agree("study-group-solo", &[("max_hands", most), ("split_by_value", "on")], 10, EIGHTS);
    }
    agree("study-group-solo", &[("max_hands", "4")], 10, ACES);
}

#[test]
fn study_group_with_its_peeks_and_its_literal_options() {
    agree("study-group-solo", &[("split_by_value", "on"), ("max_hands", "2")], 10, MIXED);
    let literal = &[
        ("split_by_value", "on"),
        ("max_hands", "2"),
        ("double_any_cards", "on"),
        ("surrender_any_time", "on"),
        ("dealer_always_draws", "on"),
    ];
    agree("study-group-solo", literal, 10, MIXED);
}

/// Ten, jack, queen and king have the same value but are no pair: the share of real pairs, and of those that an up-card
/// removes.
#[test]
fn pairs_by_rank_of_four_ranks_that_count_ten() {
    let cards = &[("Ts", 3), ("Js", 3), ("Qs", 3), ("Ks", 3), ("7s", 1)];
    agree("study-group-solo", &[("max_hands", "3")], 10, cards);
}
