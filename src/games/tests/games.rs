//! Rules of the games: one test for each numbered rule, golden rounds, a second engine of each game, properties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod baccarat_enumeration;
mod baccarat_rules;
mod blackjack_common_rules;
mod blackjack_options;
mod blackjack_properties;
mod chance_pages;
mod chips;
mod common;
mod dragon_tiger_rules;
mod golden;
mod golden_cases;
mod joy_common_rules;
mod joy_options;
mod joy_rules;
mod joy_rulings;
mod live_rules;
mod live_rulings;
mod poker_betting;
mod poker_posts;
mod poker_pots;
mod poker_rank;
mod poker_rule_sets;
mod properties;
mod registry;
mod roulette_rules;
mod rule_sets;
mod safe_properties;
mod safe_rules;
mod safe_rulings;
mod safe_table;
mod script_words;
mod second_engine;
mod sic_bo_rules;
mod six_deck_rules;
mod spots;
mod study_rules;

/// The library's own files, for tests of private items.
#[path = "../src/poker"]
#[allow(dead_code, reason = "the library uses it")]
mod poker {
    mod called;
    mod rank;
}
