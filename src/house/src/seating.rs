//! The players who sit at a table (spec/games/shared-tables.md, "Seats").
//!
//! Does not own: who may take a seat or loses one (`decide/seats.rs`), idle seats.

use crate::Table;
use fairshoe_fairness::PlayerId;

impl Table {
    /// A player's seat.
    pub fn seat_of(&self, player: &PlayerId) -> Option<u8> {
        self.seats.iter().find(|(_, seat)| seat.player == *player).map(|(number, _)| *number)
    }

    /// Whether a player sits here.
    pub(crate) fn sits(&self, player: &PlayerId) -> bool {
        self.seat_of(player).is_some()
    }
}
