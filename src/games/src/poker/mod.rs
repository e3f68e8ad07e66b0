//! Poker: the betting of a hand, its pots and its showdown (spec/games/poker.md).
//!
//! The parts know neither seats at a room's table, shoes nor time. [`Betting`] decides who may do what and when the
//! next street is due, [`layer`] makes pots of contributions, [`rank`] compares hands, [`settle`] pays them.
//! [`next_hand`] is a cash table's own: who is dealt in, and for which posts (spec/games/poker-table.md).

mod betting;
mod called;
mod event;
mod posts;
mod pots;
pub mod rank;
mod room;
mod round;
mod rules;
mod showdown;
mod sign;
mod view;
mod words;

pub use betting::{BadPosts, Betting, BettingSeat, Choice, IllegalChoice, Options, Post, Step, Street};
pub use event::{HandResult, HandSeat, HandStart, PokerEvent, PotPaid, PotShare, SeatResult};
pub use posts::{
    Blinds, Candidate, Due, EntryChoice, EntryPost, NextHand, Owes, Positions, TournamentSeat, missed, next_hand,
    tournament_hand,
};
pub use pots::{Contribution, Layers, Pot, layer};
pub use rank::{Family, High, Low};
pub use room::{CashTimeout, ClientKind, Clocks, LeavePolicy, MostSeats, PokerRules, RakeStep};
pub use round::PokerRound;
pub use rules::{BettingRule, HandRules, MAX_SEATS, OddChips, Rake, Reopening};
pub use showdown::{Award, Paid, SettleError, Shown, settle};

/// The rule sets that the product ships.
pub(crate) const RULE_SETS: &[(&str, &str)] = &[
    ("holdem", include_str!("../../../../spec/rulesets/holdem.json")),
    ("holdem-limit", include_str!("../../../../spec/rulesets/holdem-limit.json")),
    ("omaha", include_str!("../../../../spec/rulesets/omaha.json")),
    ("omaha-hi-lo", include_str!("../../../../spec/rulesets/omaha-hi-lo.json")),
];

/// A first start opens a table of each of these.
pub(crate) const OPENED_FIRST: &[&str] = &["holdem", "omaha"];
