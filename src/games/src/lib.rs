//! The games: one pure engine a game, rule sets as data, legal actions, payouts.
//!
//! An engine owns what a round's cards and choices mean. It does not own money (it names amounts, the
//! house posts them), time (deadlines are handed in), seeds or faces (it asks a [`Dealing`] for the next
//! slot of a lane and for the face of a slot that is being turned up). A round's state is the fold of its
//! [`RoundEvent`]s and never holds a hidden face.
//!
//! Implements `spec/games/`.

mod action;
pub mod baccarat;
pub mod blackjack;
mod chips;
mod claims;
mod engine;
mod event;
pub mod kept;
mod placement;
pub mod poker;
pub mod roulette;
mod rules;
pub mod safe;
pub mod script;
mod spot;
mod spot_bets;

pub use action::{Action, ActionKind};
pub use chips::{Chips, MAX_CHIPS};
pub use engine::{
    Ahead, Bet, BetRefusal, Dealing, Decision, FaceUnknown, Illegal, Inapplicable, NewPile, Offer, Peek, Placed, Round, SeatChips, Spin,
    Standing, StepError, TurnClock,
};
pub use event::{Outcome, Place, RoundEvent, Settlement, Wager};
pub use kept::KeptRound;
pub use placement::Placement;
pub use rules::{Abandon, Crash, DealingRule, GameRules, Limit, MAX_BETS_PER_ROUND, Mode, Reshuffle, RuleSet, RuleSetError, TableRules};
pub use spot::{MAX_SPOT_NAME, SpotName};

/// The rule sets that the product ships, as (name, JSON text of `spec/rulesets/`).
pub const SHIPPED_RULE_SETS: &[(&str, &str)] = &[
    ("joy", include_str!("../../../spec/rulesets/joy.json")),
    ("joy-own", include_str!("../../../spec/rulesets/joy-own.json")),
    ("live-blackjack", include_str!("../../../spec/rulesets/live-blackjack.json")),
    ("rng-blackjack", include_str!("../../../spec/rulesets/rng-blackjack.json")),
    ("six-deck", include_str!("../../../spec/rulesets/six-deck.json")),
    ("six-deck-solo", include_str!("../../../spec/rulesets/six-deck-solo.json")),
    ("study-group", include_str!("../../../spec/rulesets/study-group.json")),
    ("study-group-solo", include_str!("../../../spec/rulesets/study-group-solo.json")),
    ("baccarat", include_str!("../../../spec/rulesets/baccarat.json")),
    ("rng-baccarat", include_str!("../../../spec/rulesets/rng-baccarat.json")),
    ("roulette", include_str!("../../../spec/rulesets/roulette.json")),
    ("rng-roulette", include_str!("../../../spec/rulesets/rng-roulette.json")),
    ("rng-roulette-own", include_str!("../../../spec/rulesets/rng-roulette-own.json")),
    ("safe", include_str!("../../../spec/rulesets/safe.json")),
    ("holdem", include_str!("../../../spec/rulesets/holdem.json")),
    ("holdem-limit", include_str!("../../../spec/rulesets/holdem-limit.json")),
    ("omaha", include_str!("../../../spec/rulesets/omaha.json")),
    ("omaha-hi-lo", include_str!("../../../spec/rulesets/omaha-hi-lo.json")),
];
