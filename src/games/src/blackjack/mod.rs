//! Blackjack in all its forms: rule sets as data, one engine.
//!
//! Owns hands, totals, the dealing order, what may be chosen when, the dealer's play and the settlement.
//! Does not own stakes' movements, time, seeds or faces. Implements `spec/games/blackjack.md`.

use crate::Peek;
use fairshoe_fairness::Card;

mod fold;
mod odds;
mod options;
mod round;
mod rules;
mod settle;
mod sign;
mod state;
mod values;
mod view;

pub use crate::points::{HandTotal, card_value, total};
pub use odds::{FIGURES, Figures, PLAY};
pub use rules::{BlackjackRules, MAX_BOXES, MAX_HANDS};
pub use state::BlackjackRound;
pub use values::{
    DealOrder, DoubleAmount, EvenMoney, Insurance, InsuranceOdds, PeekRule, Rounding, SecondCards, SettlementOrder,
    SplitAces, Surrender, UpCard,
};

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[
    ("joy", include_str!("../../../../spec/rulesets/joy.json")),
    ("joy-own", include_str!("../../../../spec/rulesets/joy-own.json")),
    ("live-blackjack", include_str!("../../../../spec/rulesets/live-blackjack.json")),
    ("rng-blackjack", include_str!("../../../../spec/rulesets/rng-blackjack.json")),
    ("six-deck", include_str!("../../../../spec/rulesets/six-deck.json")),
    ("six-deck-solo", include_str!("../../../../spec/rulesets/six-deck-solo.json")),
    ("study-group", include_str!("../../../../spec/rulesets/study-group.json")),
    ("study-group-solo", include_str!("../../../../spec/rulesets/study-group-solo.json")),
];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["joy", "live-blackjack", "six-deck", "study-group"];

/// The dealer's question about the hole card: does it make a blackjack with this up-card?
fn makes_blackjack(up: Card) -> Peek {
    Peek::whether(|hole| total([up, hole]).points == 21)
}
