//! Seats of a shared table: who may take one, who gives one up, who must wait (spec/games/shared-tables.md; C6, C11).

use super::DecideError;
use super::pending_entry::PendingEntry;
use crate::table::MISSES_ALLOWED;
use crate::{Event, Offence, Refusal};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;

/// Seats of a shared table, and who plays the next round (rules C6, C11; spec/games/shared-tables.md).
impl PendingEntry<'_> {
    /// A solo table has neither seats nor a betting window.
    pub fn require_shared(&self) -> Result<(), Refusal> {
        if self.table.is_shared() { Ok(()) } else { Err(Refusal::SoloTable(self.table.id.clone())) }
    }

    pub(crate) fn require_no_cooldown(&self, player: &PlayerId) -> Result<(), Refusal> {
        let until = self.state.conduct.until(player);
        if self.time < until { Err(Refusal::Cooldown { until }) } else { Ok(()) }
    }

    /// Whether the player may sit and bet here now.
    pub fn require_welcome(&self, player: &PlayerId) -> Result<(), Refusal> {
        self.require_shared()?;
        self.require_no_cooldown(player)?;
        match self.table.seat_of(player) {
            None => Err(Refusal::NotSeated(player.clone())),
            Some(_) => Ok(()),
        }
    }

    /// Whether the player may take this seat of a shared table, whatever is played there.
    pub(crate) fn require_free_seat(&self, player: &PlayerId, seat: u8) -> Result<(), Refusal> {
        self.require_shared()?;
        self.require_no_cooldown(player)?;
        let why = match self.table.seats.contains_key(&seat) {
            _ if self.table.sits(player) => return Err(self.sits_already(player)),
            _ if !(1..=self.table.rules.table.seats).contains(&seat) => "not one of this table's",
            true => "taken",
            false => return Ok(()),
        };
        Err(Refusal::Seat { seat, why })
    }

    /// The refusal to a seated player who takes a seat: they have it already, or it says what they have to do.
    fn sits_already(&self, player: &PlayerId) -> Refusal {
        let why = match self.table.cash_seat(player) {
            Some((_, own)) if own.leaving => "yours until the hand is over, and then you leave it",
            Some((_, own)) if own.stack.max(own.top_up) == Chips::ZERO => {
                "yours, without chips: add some, then ask to play"
            }
            Some((_, own)) if own.sitting_out => "yours, and you sit out: ask to play",
            _ => return Refusal::SitsAlready,
        };
        Refusal::Seat { seat: self.table.seat_of(player).unwrap_or_default(), why }
    }

    /// A seat, with chips for the least bet (R004.18), and with it a place in the next round.
    pub fn take_seat(&mut self, player: PlayerId, seat: u8) -> Result<(), DecideError> {
        self.require_free_seat(&player, seat)?;
        // A box that another player has bet on this round is theirs until it is settled.
        let own = seat.to_string();
        let placed = self.table.window().into_iter().flat_map(|window| &window.bets).flat_map(|bet| &bet.bets);
        if self.table.rules.spots_are_seats() && placed.into_iter().any(|bet| bet.spot == own) {
            return Err(
                Refusal::Seat { seat, why: "bet on by another player for this round; take another, or wait" }.into()
            );
        }
        let (least, balance) = (self.table.rules.table.stake_min, self.funds(&player));
        if balance < least {
            return Err(Refusal::ChipsNeeded { least, balance }.into());
        }
        self.before = vec![(player.clone(), balance)];
        self.push(Event::SeatTaken { player: player.clone(), seat })?;
        self.push(Event::PlayAsked { player })
    }

    /// A seated player's wish to play the next round.
    pub fn ask_to_play(&mut self, player: PlayerId) -> Result<(), DecideError> {
        self.require_welcome(&player)?;
        let expected = self.table.window().is_some_and(|window| window.expected.contains(&player));
        if expected || self.table.betting().is_some_and(|betting| betting.asked.contains(&player)) {
            return Err(Refusal::PlaysAlready("you are expected in the next round already").into());
        }
        self.push(Event::PlayAsked { player })
    }

    /// The player gets up; bets that do not bind yet come back. A round that they are in goes on without them (C19).
    pub fn leave_seat(&mut self, player: &PlayerId) -> Result<(), DecideError> {
        self.require_shared()?;
        if self.table.cash().is_some() {
            return self.leave_cash(player, true);
        }
        self.leave_betting(player)
    }

    /// The same at a table without stacks.
    pub(super) fn leave_betting(&mut self, player: &PlayerId) -> Result<(), DecideError> {
        let seat = self.table.seat_of(player).ok_or_else(|| Refusal::NotSeated(player.clone()))?;
        let window = self.table.window().filter(|window| window.bet_of(player).is_some());
        if let Some(window) = window {
            // From the timer's end on no bet is cancelled, by leaving neither (R001.115).
            if let Some(closes_at) = window.closes_at.filter(|closes_at| self.time >= *closes_at) {
                return Err(Refusal::DeadlinePassed(closes_at).into());
            }
            self.before = vec![(player.clone(), self.funds(player))];
            self.take_bet_back(player)?;
        }
        self.push(Event::SeatLeft { player: player.clone(), seat })
    }

    /// The seats of these players are free again.
    pub fn unseat<'p>(&mut self, players: impl IntoIterator<Item = &'p PlayerId>) -> Result<(), DecideError> {
        for player in players {
            if let Some(seat) = self.table.seat_of(player) {
                self.push(Event::SeatLeft { player: player.clone(), seat })?;
            }
        }
        Ok(())
    }

    /// Seats of players who let too many windows pass.
    pub fn unseat_absent(&mut self) -> Result<(), DecideError> {
        let absent = self.table.seats.values().filter(|seat| seat.misses >= MISSES_ALLOWED);
        let absent: Vec<_> = absent.map(|seat| seat.player.clone()).collect();
        self.unseat(&absent)
    }

    /// One step up the cooldown ladder for each of these players.
    pub fn cool_down(&mut self, players: &[PlayerId], offence: Offence) -> Result<(), DecideError> {
        for player in players {
            let (offences, until) = self.state.conduct.next(player, self.time);
            self.push(Event::Cooldown { player: player.clone(), offence, offences, until })?;
        }
        Ok(())
    }
}
