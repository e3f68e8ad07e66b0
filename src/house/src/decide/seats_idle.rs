//! Seats that nobody plays on, and bounds on changes that cost nothing (spec/games/shared-tables.md, "Seats"). Which
//! seats are idle `idle_seats.rs` knows.

use super::DecideError;
use super::pending_entry::PendingEntry;
use super::require;
use crate::{Actor, Command, Event, Refusal};
use fairshoe_fairness::PlayerId;

/// Players who would sit, who sit without playing, and who are made to leave (spec/games/shared-tables.md, "Seats").
impl PendingEntry<'_> {
    /// Changes of seat and bets without a round are bounded. How many there were a bundle does not know.
    pub fn require_few_changes(&self, by: &Actor, command: &Command) -> Result<(), Refusal> {
        match self.state.changes.refused_until(by, command, self.table.is_shared(), self.time) {
            Some(until) if !self.state.partial => Err(Refusal::TooManyChanges { until }),
            _ => Ok(()),
        }
    }

    /// A wish for a seat where every seat is taken: those that nobody uses are freed sooner.
    pub fn want_seat(&mut self, player: PlayerId) -> Result<(), DecideError> {
        self.require_shared()?;
        self.require_no_cooldown(&player)?;
        if self.table.seat_of(&player).is_some() {
            return Err(Refusal::NothingToDo("you have a seat at this table").into());
        }
        let seats = usize::from(self.table.rules.table.seats);
        if self.table.seats.len() < seats {
            return Err(Refusal::NothingToDo("a seat is free; take it").into());
        }
        if self.table.waiting_at(self.time).any(|waits| *waits == player) {
            return Err(Refusal::NothingToDo("you wait for a seat already").into());
        }
        if self.table.waiting_at(self.time).count() >= seats {
            return Err(Refusal::TooManyWaiting(seats).into());
        }
        let (least, balance) = (self.table.rules.table.stake_min, self.funds(&player));
        if balance < least && !self.state.partial {
            return Err(Refusal::ChipsNeeded { least, balance }.into());
        }
        self.push(Event::SeatWanted { player })
    }

    /// The operator frees a player's seat. Nobody is put out of a hand in play: that would fold it for them.
    pub fn unseat_by_operator(&mut self, by: &Actor, player: &PlayerId) -> Result<(), DecideError> {
        require(by, &Actor::Operator, "the operator unseats a player")?;
        self.require_shared()?;
        if self.table.cash().is_none() {
            return self.leave_betting(player);
        }
        if let Some(round) = self.table.live_round()
            && round.contributors.iter().any(|contributor| contributor.placed.player == *player)
        {
            return Err(Refusal::RoundInProgress(round.round_no).into());
        }
        self.leave_cash(player, false)
    }

    /// Bets are not opened before seats are freed that were idle already at the table's last entry.
    pub fn require_no_idle_seat(&self) -> Result<(), Refusal> {
        match self.table.has_idle_seat() {
            true => Err(Refusal::NothingToDo("a seat is idle; it is freed first")),
            false => Ok(()),
        }
    }

    /// Nothing is called or opened while people look at how the last round ended.
    pub fn require_no_pause(&self) -> Result<(), Refusal> {
        match self.time < self.table.pause_until {
            true => Err(Refusal::NothingToDo("the pause after the last round is not over")),
            false => Ok(()),
        }
    }

    /// The seats of a table without stacks that nobody uses are free again.
    pub fn free_idle_seats(&mut self, idle: &[u8]) -> Result<(), DecideError> {
        if !self.table.is_between_rounds() || idle.is_empty() {
            return Err(Refusal::NothingToDo("no seat is idle now").into());
        }
        let players: Vec<_> =
            idle.iter().filter_map(|number| self.table.seats.get(number)).map(|seat| seat.player.clone()).collect();
        self.unseat(&players)
    }
}
