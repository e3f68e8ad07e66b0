//! A player's checks: the log holds the replies, and every card and payout is the only possible one.
//!
//! Owns no connection and sends no request: replies go in, flaws come out. [`TableCheck`] follows a table,
//! [`EventCheck`] a tournament, [`LogCheck`] the log. They hold what only a player knows: what they sent, what they
//! have, which openings and views they were told. Whether an entry may stand on the log is for `fairshoe_judge` to say.
//! Implements the player's part of `spec/fairness.md`, `spec/receipts.md` and `spec/entries.md`.

mod consistency;
mod event;
mod faces;
mod flaw;
mod log;
mod own_cards;
mod signers;
mod table;
mod todo;

pub use consistency::{Node, consistency_nodes, fold_nodes, inclusion_nodes};
pub use event::{EventCheck, EventCounts};
pub use faces::{Faces, opens_only, sealed_in};
pub use flaw::Flaw;
pub use log::{LogCheck, OnLog};
pub use signers::Signers;
pub use table::TableCheck;
pub use todo::{CashTodo, Todo};
