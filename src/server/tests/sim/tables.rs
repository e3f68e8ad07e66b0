//! The tables of a run: one or two, of any game.

use crate::rng::Rng;
use crate::rule_sets::some_rules;
use fairshoe_fairness::TableId;
use fairshoe_games::RuleSet;
use fairshoe_house::Command;

/// Shipped rule sets, each with options that make a short run of it.
const SHORT: &[(&str, &[(&str, &str)])] = &[
    ("joy", &[]),
    ("joy", &[("crash", "resume")]),
    ("live-blackjack", &[("decks", "4"), ("reshuffle", r#"{"cut_back":170}"#), ("house_shuffle", "on")]),
    ("six-deck", &[("decks", "4"), ("reshuffle", r#"{"left_at_most":180}"#)]),
    ("study-group", &[("decks", "2"), ("crash", "rollback"), ("reshuffle", "every_round")]),
    ("baccarat", &[("decks", "2"), ("reshuffle", r#"{"cut_back":70}"#)]),
    ("dragon-tiger", &[("decks", "2"), ("reshuffle", r#"{"cut_back":90}"#)]),
    ("roulette", &[("spins", "5")]),
    ("sic-bo", &[("spins", "5")]),
    ("rng-roulette", &[("spins", "3")]),
    ("safe", &[]),
    (
        "safe",
        &[
            ("bet_time_ms", "120000"),
            ("turn_time_ms", "120000"),
            ("reveal_time_ms", "60000"),
            ("pass", "never"),
            ("crash", "resume"),
        ],
    ),
    ("holdem", &[]),
    ("holdem", &[("crash", "resume")]),
    ("omaha", &[]),
];

/// Commands that open them.
pub fn some_tables(rng: &mut Rng) -> Vec<Command> {
    (0..1 + rng.below(2))
        .map(|_| {
            let rules = if rng.one_in(6) { some_rules(rng, false) } else { short_rules(rng) };
            let table = TableId::parse(&format!("t-{:x}", rng.next() >> 40)).unwrap();
            Command::OpenTable { table, rules, replaces: None }
        })
        .collect()
}

fn short_rules(rng: &mut Rng) -> RuleSet {
    let (name, options) = rng.pick(SHORT);
    let shipped = RuleSet::shipped(name).unwrap();
    shipped.with_options(options.iter().copied()).unwrap_or_else(|e| panic!("{name} {options:?}: {e}"))
}
