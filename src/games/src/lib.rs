//! The games: one pure engine for each game, rule sets as data, legal actions, payouts.
//!
//! An engine owns the meaning of a round's cards and choices. It does not own money (it names amounts, the house posts
//! them), time (deadlines are passed in), seeds or faces (it asks a [`Dealing`] for the next slot of a lane and for the
//! face of a slot that is being turned up). A round's state is the fold of its [`RoundEvent`]s and never holds a hidden
//! face.
//!
//! Code common to all games stands here; one game's own code stands in its folder. `registry.rs` is the one list of
//! games.
//!
//! Implements `spec/games/`.

mod action;
pub mod baccarat;
pub mod blackjack;
mod chance;
mod chips;
mod claims;
pub mod dragon_tiger;
mod edge;
mod engine;
mod event;
mod game;
mod placement;
mod points;
pub mod poker;
mod registry;
pub mod roulette;
mod rules;
pub mod safe;
pub mod saved_round;
pub mod script;
pub mod sic_bo;
mod spot;
mod spot_bets;

pub use action::{Action, ActionKind};
pub use chips::{Chips, MAX_CHIPS};
pub use edge::{BetOdds, Edge, PlayOdds, Ways};
pub use engine::{
    Ahead, Bet, BetRefusal, Dealing, Decision, FaceUnknown, Illegal, Inapplicable, NewPile, Offer, Peek, Placed, Round,
    SeatChips, Spin, Standing, StepError, TableStakes, TurnClock,
};
pub use event::{Outcome, Place, Settlement, Wager};
pub use game::Lying;
pub use placement::Placement;
pub use points::{HandTotal, total};
pub use registry::{GAMES, GameRules, OPENED_FIRST, RoundEvent, SHIPPED_RULE_SETS};
pub use rules::{
    Abandon, Crash, DealingRule, Limit, MAX_BETS_PER_ROUND, MOST_AWAY_MS, Mode, Reshuffle, RuleSet, RuleSetError,
    TableRules,
};
pub use saved_round::SavedRound;
pub use spot::{MAX_SPOT_NAME, SpotName};
