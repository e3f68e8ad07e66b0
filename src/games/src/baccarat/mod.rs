//! Baccarat (punto banco): eight packs, three spots, no choice once the bets are placed.
//!
//! Owns points, the rules of the third card, the dealing order and the settlement. Does not own stakes' movements,
//! time, seeds or faces. Implements `spec/games/baccarat.md`.

mod coup;
mod odds;
mod round;
mod rules;

pub use coup::{Coup, Side, Spot, banker_draws, card_value, is_natural, next_draw, outcome, player_draws, points};
pub use odds::DEALS;
pub use round::BaccaratRound;
pub use rules::BaccaratRules;

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[
    ("baccarat", include_str!("../../../../spec/rulesets/baccarat.json")),
    ("rng-baccarat", include_str!("../../../../spec/rulesets/rng-baccarat.json")),
];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["baccarat"];
