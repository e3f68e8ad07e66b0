//! Dragon Tiger: one card each, four spots, no choice once the bets are placed.
//!
//! Owns ranks, the dealing order, the settlement and the odds. Does not own stakes' movements, time, seeds or faces.
//! Implements `spec/games/dragon-tiger.md`.

mod round;
mod rules;

pub use round::DragonTigerRound;
pub use rules::{Coup, DragonTigerRules, Spot};

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[
    ("dragon-tiger", include_str!("../../../../spec/rulesets/dragon-tiger.json")),
    ("rng-dragon-tiger", include_str!("../../../../spec/rulesets/rng-dragon-tiger.json")),
];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["dragon-tiger"];
