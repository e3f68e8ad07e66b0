//! Programs that play against a running service, check everything it says, and measure it.
//!
//! [`check`] is a player's checks that need no request, [`client`] one HTTP connection, [`player`] a player,
//! [`cash_table`] the players of a cash table of poker, [`tournament`] those of an event. Does not own the rules, the
//! log's formats or the protocol: the service uses the same libraries for them. No code here depends on the service
//! itself.
//!
//! Implements the player's part of `spec/fairness.md`, `spec/receipts.md` and `openapi.yaml`.

/// The command line.
pub mod args;
pub mod cash_table;
pub mod check;
pub mod client;
/// Why a run ends.
pub mod failure;
pub mod following;
pub mod limits;
pub mod link;
pub mod member;
pub mod pace;
pub mod pen;
pub mod player;
/// The output of a run.
pub mod report;
pub mod run;
pub mod seating;
pub mod shared;
pub mod starts;
pub mod strategy;
pub mod tiles;
/// The counts of a run.
pub mod totals;
pub mod tournament;
