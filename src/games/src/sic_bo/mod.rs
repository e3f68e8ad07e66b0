//! Sic Bo: three dice, fifty spots, all bets settled once a throw.
//!
//! Owns the layout, the dice of a pocket, the settlement and the odds. Does not own stakes' movements, time, seeds or
//! committed values. Implements `spec/games/sic-bo.md`.

mod layout;
mod round;
mod rules;

pub use layout::{Spot, dice, layout};
pub use round::SicBoRound;
pub use rules::{Pays, SicBoRules};

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[
    ("sic-bo", include_str!("../../../../spec/rulesets/sic-bo.json")),
    ("rng-sic-bo", include_str!("../../../../spec/rulesets/rng-sic-bo.json")),
];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["sic-bo"];
