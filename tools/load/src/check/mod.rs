//! A player's checks: the log holds the replies, and every card and payout is the only possible one.
//!
//! Owns no connection and sends no request: replies go in, flaws come out. [`TableCheck`] follows a table,
//! [`CashTableCheck`] a cash table of poker, [`EventCheck`] a tournament, [`LogCheck`] the log. Implements the player's
//! part of `spec/fairness.md`, `spec/receipts.md` and `spec/entries.md`; it shares the engines with the house, but not
//! its decisions.

mod answers;
mod cash_table;
mod consistency;
mod dealing;
mod event;
mod events;
mod faces;
mod flaw;
mod hand;
mod log;
mod money;
mod offered;
mod play;
mod round;
mod seats;
mod shoe;
mod signers;
mod table;

pub use cash_table::{CashTableCheck, CashTableTodo};
pub use consistency::{Node, consistency_nodes, fold_nodes, inclusion_nodes};
pub use event::{EventCheck, EventCounts};
pub use faces::Faces;
pub use flaw::Flaw;
pub use log::{LogCheck, OnLog};
pub use round::Progress;
use shoe::ShoeCheck;
pub use signers::Signers;
pub use table::{TableCheck, Todo};
