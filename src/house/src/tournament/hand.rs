//! The effects of the hands at an event's tables: chips, players left without, X, which tables are between hands
//! (spec/games/tournaments.md, 3.6, 6, 7).

use super::{EventEntry, Fall, Tournament};
use crate::{Entry, Event, Misfit, Table};
use fairshoe_games::poker::{HandResult, Positions, SeatResult};
use fairshoe_tournament::EntryNo;

/// Clockwise from the button: 1 to its left, the button itself last.
fn distance(button: u8, seat: u8, seats: u8) -> u8 {
    let ahead = u16::from(seat).saturating_add(u16::from(seats)).saturating_sub(u16::from(button));
    match u8::try_from(ahead % u16::from(seats.max(1))) {
        Ok(0) | Err(_) => seats,
        Ok(ahead) => ahead,
    }
}

impl Tournament {
    /// Folds in an entry of one of its tables, which stands as it does after it.
    pub(crate) fn note_table(&mut self, entry: &Entry, table: &Table) -> Result<(), Misfit> {
        let Some(number) = self.number_of(&table.id) else { return Err(Misfit::NoTable(table.id.clone())) };
        for event in &entry.events {
            match event {
                Event::TableOpened { .. } => {
                    self.tables.open.insert(number);
                    self.shape.take();
                    self.tables.dirty.insert(number);
                    self.rests(number, entry.time);
                }
                Event::TableClosed {} => {
                    self.plays(number);
                    self.tables.open.remove(&number);
                    self.shape.take();
                    self.tables.dirty.remove(&number);
                    self.tables.calls.remove(&number);
                }
                Event::SetSeats { .. } => drop(self.tables.dirty.remove(&number)),
                Event::HandCalled { .. } => {
                    self.plays(number);
                    self.tables.called = self.tables.called.saturating_add(1);
                    let called = self.tables.called;
                    self.tables.calls.entry(number).or_default().last = called;
                }
                Event::CallLapsed { .. } => self.rests(number, entry.time),
                Event::RoundVoided { .. } => {
                    self.undo_positions(number);
                    self.rests(number, entry.time);
                }
                Event::HandBegun { hand, .. } => {
                    self.note_positions(number, &hand.positions);
                    self.somebody_plays();
                }
                Event::RoundOpened { entropy, .. } => {
                    self.draws.running = self.draws.running.after_hand(entropy);
                    let calls = self.tables.calls.entry(number).or_default();
                    calls.opened = calls.last;
                }
                Event::PostsTaken { positions, seats } => {
                    self.note_positions(number, positions);
                    // No draw waits for seeds of a table at which nobody gives any (3.7).
                    let calls = self.tables.calls.entry(number).or_default();
                    calls.opened = calls.last;
                    self.nobody_plays(number);
                    let winner = |_: u8| vec![positions.big];
                    self.note_result(number, table, positions.button, seats, winner)?;
                    self.end_hand(number, table);
                }
                Event::Play(play) => {
                    let Some(HandResult { pots, seats, .. }) = play.hand_result() else { continue };
                    let button = table.cash().and_then(|cash| cash.positions).map_or(0, |positions| positions.button);
                    let winners = |seat: u8| {
                        let last = pots.iter().rfind(|pot| pot.seats.contains(&seat));
                        last.into_iter().flat_map(|pot| &pot.won).map(|share| share.seat).collect()
                    };
                    self.note_result(number, table, button, seats, winners)?;
                }
                Event::RoundSettled { .. } => {
                    self.rests(number, entry.time);
                    self.end_hand(number, table);
                }
                _ => {}
            }
        }
        if matches!(entry.command, crate::Command::Recover { .. }) {
            self.tables.unrecovered.remove(&number);
            if table.is_between_rounds() {
                self.rests(number, entry.time);
            }
        }
        self.end_entry(entry)
    }

    /// The table is between hands from now on.
    fn rests(&mut self, number: u16, time: u64) {
        let calls = self.tables.calls.entry(number).or_default();
        if calls.idle_since.is_none() {
            calls.idle_since = Some(time);
            self.tables.idle.insert((time, number));
        }
    }

    /// It is not any more.
    fn plays(&mut self, number: u16) {
        if let Some(since) = self.tables.calls.get_mut(&number).and_then(|calls| calls.idle_since.take()) {
            self.tables.idle.remove(&(since, number));
        }
    }

    /// Whether a table has no hand, none called, and nothing to be dealt with from its last one, or carried out after it.
    pub(crate) fn is_idle(&self, number: u16) -> bool {
        self.tables.calls.get(&number).is_some_and(|calls| calls.idle_since.is_some())
            && !self.to_settle.contains_key(&number)
            && !self.shape().noted.contains(&number)
    }

    fn note_positions(&mut self, number: u16, positions: &Positions) {
        self.shape.take();
        if let Some(table) = self.field.0.tables.get_mut(&number) {
            self.tables.calls.entry(number).or_default().before = Some((table.last_big, table.first_button));
            (table.last_big, table.first_button) = (positions.big, None);
        }
    }

    /// A hand at the last level to which nobody committed: in the end such hands post more and more (6.8).
    fn nobody_plays(&mut self, number: u16) {
        if usize::from(self.clock.level) < self.structure().levels.len() {
            return;
        }
        let before = self.doubled(number);
        let calls = self.tables.calls.entry(number).or_default();
        calls.unseeded = calls.unseeded.saturating_add(1);
        if self.doubled(number) != before {
            self.tables.dirty.insert(number);
        }
    }

    /// Somebody committed to a hand: all count anew.
    fn somebody_plays(&mut self) {
        let counted = self.tables.calls.iter().filter(|(_, calls)| calls.unseeded > 0);
        for number in counted.map(|(number, _)| *number).collect::<Vec<_>>() {
            if self.doubled(number) > 0 && self.tables.open.contains(&number) {
                self.tables.dirty.insert(number);
            }
            if let Some(calls) = self.tables.calls.get_mut(&number) {
                calls.unseeded = 0;
            }
        }
    }

    /// The hand is void: the same players post again.
    fn undo_positions(&mut self, number: u16) {
        self.shape.take();
        let before = self.tables.calls.get_mut(&number).and_then(|calls| calls.before.take());
        if let (Some(before), Some(table)) = (before, self.field.0.tables.get_mut(&number)) {
            (table.last_big, table.first_button) = before;
        }
    }

    /// A hand is over, and with it its round of hand-for-hand at this table.
    fn end_hand(&mut self, number: u16, table: &Table) {
        match &mut self.hand_for_hand {
            Some(round) => drop(round.played.insert(number)),
            None => self.hands = self.hands.saturating_add(1),
        }
        let banks: Vec<_> = table.cash().into_iter().flat_map(|cash| &cash.seats).collect();
        for (seat, state) in banks {
            let entry_no = self.field.0.tables.get(&number).and_then(|table| table.players.get(seat)).copied();
            if let Some(entry) = entry_no.and_then(|entry_no| self.entries.get_mut(&entry_no))
                && (entry.bank_ms, entry.cut_off) != (state.bank_ms, state.cut_off)
            {
                (entry.bank_ms, entry.cut_off) = (state.bank_ms, state.cut_off);
            }
        }
    }

    /// Chips after a hand, and who has none.
    fn note_result(
        &mut self,
        number: u16,
        table: &Table,
        button: u8,
        results: &[SeatResult],
        winners: impl Fn(u8) -> Vec<u8>,
    ) -> Result<(), Misfit> {
        // An event that is off, or over, does not change any more: its table is closed next.
        if self.stage != super::Stage::Running || self.is_over() {
            return Ok(());
        }
        let seats = table.rules.table.seats;
        let players = self.field.0.tables.get(&number).map(|table| table.players.clone()).unwrap_or_default();
        let hand = self.hand_for_hand.as_ref().map_or(self.hands, |round| round.hand);
        for result in results {
            let entry_no = *players.get(&result.seat).ok_or("somebody played who has no seat there")?;
            let is_theirs = self.entries.get(&entry_no).is_some_and(|entry| entry.player == result.player);
            if !is_theirs {
                return Err(Misfit::OthersSeat(result.player.clone()));
            }
            let left = result.stack.units();
            let falls = (left == 0).then(|| {
                let mut won = winners(result.seat);
                won.sort_by_key(|seat| distance(button, *seat, seats));
                won.dedup();
                let winners: Vec<EntryNo> = won.iter().filter_map(|seat| players.get(seat)).copied().collect();
                let stack = self.entries.get(&entry_no).map_or(0, |entry: &EventEntry| entry.chips);
                Fall { hand, table: number, stack, distance: distance(button, result.seat, seats), winners }
            });
            if falls.is_some() {
                self.to_settle.entry(number).or_default().push(entry_no);
            }
            let entry = self.entry_mut(entry_no)?;
            (entry.chips, entry.falls) = (left, falls);
        }
        Ok(())
    }

    /// The dealer started: the clock stands, and nothing goes on before the tables are put in order.
    pub(crate) fn await_recovery(&mut self, down_since: u64) {
        if self.stage != super::Stage::Running {
            return;
        }
        self.tables.unrecovered = self.tables.open.clone();
        self.stop_for_crash(down_since);
    }

    /// The dealer is away since a moment, and does not come back: hands in progress are void, and the clock stands.
    pub(crate) fn stand_for_good(&mut self, since: u64) {
        self.tables.open.clear();
        self.tables.unrecovered.clear();
        if self.stage == super::Stage::Running {
            self.stop_for_crash(since);
        }
    }

    fn stop_for_crash(&mut self, down_since: u64) {
        // An earlier agreement has to be made anew.
        let since = match self.clock.stands {
            Some((since, super::StandCause::Crash)) => since,
            Some((from, super::StandCause::Deal)) => {
                self.clock.stops.push((from, down_since));
                down_since
            }
            None => down_since,
        };
        self.clock.stands = Some((since, super::StandCause::Crash));
        self.clock.next_change = None;
        self.deal = super::DealTalk::default();
    }
}
