//! Roulette with a single zero: a committed wheel, every bet of the layout, one settlement for each spin.
//!
//! Owns the layout, the odds and the settlement. Does not own stakes' movements, time, seeds or the pocket. Implements
//! `spec/games/roulette.md`.

mod layout;
mod odds;
mod round;
mod rules;

pub use layout::{BetKind, LayoutSpot, POCKETS, RED, layout, normalise, spot};
pub use round::RouletteRound;
pub use rules::{Pays, RouletteRules};

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[
    ("roulette", include_str!("../../../../spec/rulesets/roulette.json")),
    ("rng-roulette", include_str!("../../../../spec/rulesets/rng-roulette.json")),
    ("rng-roulette-own", include_str!("../../../../spec/rulesets/rng-roulette-own.json")),
];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["roulette"];
