//! Blackjack in all its forms: rule sets as data, one engine.
//!
//! Owns hands, totals, the dealing order, what may be chosen when, the dealer's play and the settlement.
//! Does not own stakes' movements, time, seeds or faces. Implements `spec/games/blackjack.md`.

mod fold;
mod hand;
mod options;
mod round;
mod rules;
mod settle;
mod state;
mod values;
mod view;

pub use hand::{HandTotal, card_value, total};
pub use rules::{BlackjackRules, MAX_BOXES, MAX_HANDS};
pub use state::BlackjackRound;
pub use values::{
    DealOrder, DoubleAmount, EvenMoney, Insurance, InsuranceOdds, PeekRule, Rounding, SecondCards, SettlementOrder, SplitAces, Surrender,
    UpCard,
};
