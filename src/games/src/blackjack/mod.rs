//! Blackjack: rule sets as data, one engine.
//!
//! Owns hands, totals, the dealing order, what may be chosen when, the dealer's play and the settlement.
//! Does not own stakes' movements, time, seeds or faces. Implements `spec/games/joy-blackjack.md`.

mod fold;
mod hand;
mod options;
mod round;
mod rules;
mod settle;
mod view;

pub use hand::{HandTotal, card_value, total};
pub use round::BlackjackRound;
pub use rules::{BlackjackRules, DealOrder, Insurance, Rounding};
