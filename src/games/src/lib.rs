//! The games: one pure engine a game, rule sets as data, legal actions, payouts.
//!
//! An engine owns what a round's cards and choices mean. It does not own money (it names amounts, the
//! house posts them), time (deadlines are handed in), seeds or faces (it asks a [`Dealing`] for the next
//! slot of a lane and for the face of a slot that is being turned up). A round's state is the fold of its
//! [`RoundEvent`]s and never holds a hidden face.
//!
//! Implements `spec/games/`.

mod action;
pub mod blackjack;
mod chips;
mod claims;
mod engine;
mod event;
mod placement;
mod rules;
pub mod script;

pub use action::{Action, ActionKind};
pub use chips::{Chips, MAX_CHIPS};
pub use engine::{Ahead, Bet, BetRefusal, Dealing, Decision, FaceUnknown, Illegal, Inapplicable, Offer, Peek, Placed, Round, StepError};
pub use event::{Outcome, Place, RoundEvent, Settlement, Wager};
pub use placement::Placement;
pub use rules::{Abandon, Crash, GameRules, Mode, Reshuffle, RuleSet, RuleSetError, TableRules};

/// The rule sets that the product ships, as (name, JSON text of `spec/rulesets/`).
pub const SHIPPED_RULE_SETS: &[(&str, &str)] = &[("joy", include_str!("../../../spec/rulesets/joy.json"))];
