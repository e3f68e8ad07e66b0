//! Safe (セーフ): the party game of document 002, for two to six players and one pot.
//!
//! Owns turns, operations, face-down hands, disqualification, piles and who wins. Does not own the pot's movements,
//! time, seeds or faces: a card that lies face-down is a slot of a pile here, and nothing else. Implements
//! `spec/games/safe.md`.

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

/// What the product ships of it.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[("safe", include_str!("../../../../spec/rulesets/safe.json"))];

/// Of these a first start opens a table.
pub(crate) const OPENED_FIRST: &[&str] = &["safe"];
