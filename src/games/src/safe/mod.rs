//! Safe (セーフ): the party game of document 002, for two to six players and one pot.
//!
//! Owns turns, operations, face-down hands, disqualification, piles and the winner. Does not own the pot's movements,
//! time, seeds or faces: a face-down card is only a slot of a pile here. Implements `spec/games/safe.md`.

mod cards;
mod choice;
mod event;
mod fold;
mod next;
mod round;
mod rules;
mod view;
mod words;

pub use event::{DiscardCause, OpeningCause, OutCause, SafeEvent, WonBy};
pub use round::SafeRound;
pub use rules::{HitChange, Pass, SafeRules};

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[("safe", include_str!("../../../../spec/rulesets/safe.json"))];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["safe"];
