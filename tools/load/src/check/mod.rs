//! What a player checks: that the log holds what was answered, and that every card and payout is the only one possible.
//!
//! Owns no connection and asks nothing: replies go in, flaws come out. Implements the player's part of
//! `spec/fairness.md`, `spec/receipts.md` and `spec/entries.md`; shares the engines with the house, not its decisions.

mod consistency;
mod flaw;
mod log;
mod round;
mod shoe;

pub use consistency::{Node, consistency_nodes, fold_nodes};
pub use flaw::Flaw;
pub use log::{LogCheck, OnLog};
pub(crate) use round::hand_of;
pub use round::{Bettor, Progress, RoundCheck};
pub use shoe::ShoeCheck;
