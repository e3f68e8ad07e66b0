//! Seats that nobody uses are freed (spec/games/shared-tables.md, "Seats"): accounts that take every seat and stay
//! would else close a table to everybody.

use crate::table::KindState;
use crate::{Event, Table};
use fairshoe_fairness::PlayerId;
use fairshoe_games::MOST_AWAY_MS;

/// A seat may be unused for so long: 30 minutes.
pub(crate) const SEAT_IDLE_MS: u64 = 1_800_000;

/// A wish for a seat stands for so long: 10 minutes.
pub(crate) const SEAT_WISH_MS: u64 = 600_000;

impl Table {
    /// Notes whose seat an event uses, who waits, and until when the table pauses. To be called with each event of an entry, before it is applied.
    pub(crate) fn note_use(&mut self, event: &Event, time: u64) {
        if let Event::RoundSettled { .. } | Event::RoundVoided { .. } = event {
            self.pause_until = time.saturating_add(self.rules.table.between_hands_ms.unwrap_or_default());
        }
        match event {
            Event::SeatTaken { player, .. } => {
                self.waiting.remove(player);
                self.used.insert(player.clone(), time);
            }
            Event::SeatWanted { player } => {
                self.waiting.retain(|_, wished| time < wished.saturating_add(SEAT_WISH_MS));
                self.waiting.insert(player.clone(), time);
            }
            Event::SeatLeft { player, .. } => drop(self.used.remove(player)),
            Event::SetSeats { seats, .. } => {
                let before = std::mem::take(&mut self.used);
                let used = |player: &PlayerId| before.get(player).copied().unwrap_or(time);
                self.used = seats.iter().map(|one| (one.player.clone(), used(&one.player))).collect();
            }
            Event::PlayAsked { player } => drop(self.used.insert(player.clone(), time)),
            // At a cash table only a hand is a use: else a seat could be held for ever by sitting in and out, or by
            // commitments for hands that never begin. Elsewhere whoever asks or bets and lets windows end loses the
            // seat for that.
            Event::BetPlaced { bet } if self.is_shared() => drop(self.used.insert(bet.player.clone(), time)),
            Event::BetsClosed { contributors, .. } if self.is_shared() => {
                self.used.extend(contributors.iter().map(|bet| (bet.player.clone(), time)));
            }
            Event::HandBegun { contributors, .. } => {
                self.used.extend(contributors.iter().map(|one| (one.player.clone(), time)))
            }
            Event::RoundSettled { .. } | Event::RoundVoided { .. } => {
                let players = self
                    .live_round()
                    .into_iter()
                    .flat_map(|round| &round.contributors)
                    .map(|c| c.placed.player.clone());
                for player in players.collect::<Vec<_>>() {
                    // A player who left meanwhile uses no seat.
                    if let Some(used) = self.used.get_mut(&player) {
                        *used = time;
                    }
                }
            }
            _ => {}
        }
    }

    /// A restart was dealt with: what nobody could use meanwhile counts as used now.
    pub(crate) fn note_all_used(&mut self, time: u64) {
        self.used.values_mut().for_each(|used| *used = time);
    }

    /// The operator has unseated a player: no newcomer's duty is held against them, nor is leaving early.
    pub(crate) fn note_unseated(&mut self, player: &PlayerId) {
        let seat = self.seat_of(player);
        match &mut self.kind {
            KindState::Betting(betting) => drop(betting.newcomers.remove(player)),
            KindState::Cash(cash) => {
                if let Some(place) = seat.and_then(|seat| cash.seats.get_mut(&seat)) {
                    place.unseated = place.leaving;
                }
            }
        }
    }

    /// When a player's seat was last used, UTC milliseconds.
    pub(crate) fn last_use(&self, player: &PlayerId) -> Option<u64> {
        self.used.get(player).copied()
    }

    /// Players who wait for a seat at this time.
    pub fn waiting_at(&self, time: u64) -> impl Iterator<Item = &PlayerId> {
        self.waiting
            .iter()
            .filter(move |(_, wished)| time < wished.saturating_add(SEAT_WISH_MS))
            .map(|(player, _)| player)
    }

    /// Whether a seat's player is not in play, so that the seat may become idle.
    fn rests(&self, number: u8, player: &PlayerId) -> bool {
        match &self.kind {
            KindState::Cash(cash) => cash.seats.get(&number).is_some_and(|seat| seat.sitting_out),
            KindState::Betting(betting) => !betting.asked.contains(player),
        }
    }

    /// Each seat that rests, with the first time from the table's last entry on at which it is idle. Until the next
    /// entry nothing changes but the time, and what has become idle stays so.
    fn idle_from(&self) -> impl Iterator<Item = (u8, u64)> {
        let wish_ends =
            self.waiting.values().map(|wished| wished.saturating_add(SEAT_WISH_MS)).max().unwrap_or_default();
        let here = self.is_shared() && self.event.is_none() && self.is_between_rounds();
        let resting = self.seats.iter().filter(move |(number, seat)| here && self.rests(**number, &seat.player));
        resting.filter_map(move |(number, seat)| {
            let used = self.last_use(&seat.player)?;
            let away_ms = self.rules.table.away_ms.unwrap_or(MOST_AWAY_MS);
            let wanted = used.saturating_add(away_ms).max(self.last_used);
            let wanted = if wanted < wish_ends { wanted } else { u64::MAX };
            Some((*number, wanted.min(used.saturating_add(SEAT_IDLE_MS))))
        })
    }

    /// The seats that are idle at a time which is not before the table's last entry; none while a round is live or a
    /// window open.
    pub(crate) fn idle_seats(&self, time: u64) -> Vec<u8> {
        self.idle_from().filter(|(_, from)| *from <= time).map(|(number, _)| number).collect()
    }

    /// Whether a seat was idle already at the table's last entry: the house frees it before it does anything else.
    pub(crate) fn has_idle_seat(&self) -> bool {
        self.idle_from().any(|(_, from)| from <= self.last_used)
    }

    /// When the next seat becomes idle, UTC milliseconds; `None` while a round is live or a window open.
    pub(crate) fn seats_deadline(&self) -> Option<u64> {
        self.idle_from().map(|(_, from)| from).min()
    }
}
