//! Baccarat (punto banco): eight packs, three spots, no choice once the bets lie.
//!
//! Owns points, the rules of the third card, the dealing order and the settlement. Does not own stakes' movements, time,
//! seeds or faces. Implements `spec/games/baccarat.md`.

mod coup;
mod round;
mod rules;

pub use coup::{Coup, Side, Spot, banker_draws, card_value, is_natural, next_draw, outcome, player_draws, points};
pub use round::BaccaratRound;
pub use rules::BaccaratRules;
