//! What is asked of a tournament, and what happens in one, in the log's words (spec/games/tournaments.md).

mod command;
mod event;

pub use command::{CancelCause, DealMethod, Pay, SetSeat, TournamentCommand};
pub use event::{DrawKind, DropCause, Noted, PaidPrize, StandCause, TournamentEvent};

use serde::{Deserialize, Serialize};

/// What was paid for an entry, by form, cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaidBy {
    /// Out of the balance.
    pub cash: u64,
    /// In T$.
    pub t_dollars: u64,
    /// By a ticket.
    pub ticket: u64,
}

impl PaidBy {
    /// In T$ and by a ticket, which comes back as T$.
    pub fn not_cash(&self) -> u64 {
        self.t_dollars.saturating_add(self.ticket)
    }
}
