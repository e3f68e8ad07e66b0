//! Who sits at a table, and what a window that ends means for a seat (spec/games/shared-tables.md, "Seats").
//!
//! Does not own: who may take a seat or loses one (`decide/seats.rs`), idle seats.

use crate::{PlacedBet, Table};
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

    /// Seats whose players did not bet in this window come nearer to being lost, and a newcomer has bet or let it pass;
    /// where the operator cut it short, nobody did.
    pub(crate) fn count_misses(&mut self, bets: &[PlacedBet], announced: bool) {
        // At a cash table who is missing sits out instead.
        if self.cash.is_some() {
            return;
        }
        let has_bet = |player: &PlayerId| bets.iter().any(|bet| bet.player == *player);
        self.newcomers.retain(|player| announced && !has_bet(player));
        for seat in self.seats.values_mut() {
            seat.misses = if has_bet(&seat.player) { 0 } else { seat.misses.saturating_add(u8::from(!announced)) };
        }
    }
}
