//! The house's duties, and when they are due: recoveries and shoes first, then deadlines (spec/recovery.md,
//! "Deadlines"). Names the command; `decide/` decides it, `overdue.rs` has late ones.

use crate::{Actor, Command, Lapsed, Phase, State};
use fairshoe_fairness::TableId;

impl State {
    /// The house's first duty now: recoveries and shoes, then lapsed deadlines. `None` if no duty is due at `now` (UTC
    /// milliseconds), or if the log has ended.
    pub fn due(&self, now: u64) -> Option<(Actor, Command)> {
        if self.ended.is_some() {
            return None;
        }
        // No entry is dated before the last one: by its time deadlines have passed, too.
        let now = now.max(self.last_time);
        let duty = self.duties.first().and_then(|(_, id)| self.duty(id, now));
        let lapsed = || {
            self.deadlines.first().filter(|(deadline, _)| *deadline <= now).and_then(|(_, id)| self.lapsed_at(id, now))
        };
        let dismissed = || self.dismissal_due(now).map(|(command, _)| command);
        duty.or_else(lapsed).or_else(dismissed).map(|command| (Actor::House, command))
    }

    /// Whether something is due now at this table or tournament, at the tournament of the table, or anywhere after a start:
    /// what comes there waits for it, and what comes elsewhere may go before.
    pub fn owes(&self, at: &TableId, now: u64) -> bool {
        let now = now.max(self.last_time);
        let owes = |id: &TableId| {
            let deadline = || match self.tables.get(id) {
                Some(table) => table.next_deadline().is_some_and(|deadline| deadline <= now),
                None => self.tournaments.get(id).is_some_and(|tournament| tournament.lapsed_at(now).is_some()),
            };
            self.duty(id, now).is_some() || deadline()
        };
        let tournament = self.tables.get(at).and_then(|table| table.event.as_ref());
        self.recovering > 0 || owes(at) || tournament.is_some_and(owes)
    }

    /// When the next deadline passes, UTC milliseconds; `None` where the log has ended.
    pub fn next_deadline(&self) -> Option<u64> {
        if self.ended.is_some() {
            return None;
        }
        let of_guests = self.guests.first_deadline().map(|(deadline, _)| *deadline);
        self.deadlines.first().map(|(deadline, _)| *deadline).into_iter().chain(of_guests).min()
    }

    fn duty(&self, id: &TableId, now: u64) -> Option<Command> {
        let Some(table) = self.tables.get(id) else { return self.tournaments.get(id)?.duty_at(now) };
        match table.duty() {
            // No window is opened on a shoe that is to come out: a player who asks for one after another could keep it
            // for ever.
            Some(Command::OpenBets { table: id }) if table.shoe_is_idle(now) => {
                Some(Command::RetireShoe { table: id, reason: None })
            }
            duty => duty,
        }
    }

    fn lapsed_at(&self, id: &TableId, now: u64) -> Option<Command> {
        if self.tables.get(id).is_some() { self.lapsed(id) } else { self.tournaments.get(id)?.lapsed_at(now) }
    }

    /// The command for a table's next deadline.
    pub(crate) fn lapsed(&self, id: &TableId) -> Option<Command> {
        let Some(table) = self.tables.get(id) else { return self.tournaments.get(id)?.lapsed() };
        let table_id = id.clone();
        let Some(round) = table.live_round() else {
            return Some(match (table.window(), table.call()) {
                (Some(window), _) => Command::CloseBets { table: table_id, round_no: window.round_no },
                (None, Some(call)) => Command::CloseCall { table: table_id, round_no: call.round_no },
                // If two fall together, the shoe comes first, the table's end last.
                (None, None) if table.shoe_idle_at().is_some_and(|idle_at| Some(idle_at) == table.next_deadline()) => {
                    Command::RetireShoe { table: table_id, reason: None }
                }
                (None, None) if table.seats_deadline() == table.next_deadline() => {
                    Command::TidySeats { table: table_id }
                }
                (None, None) if table.pause_deadline() == table.next_deadline() => table.next_round_due()?,
                (None, None) => Command::CloseTable { table: table_id },
            });
        };
        let lapsed = match (round.phase, &round.pile) {
            (Phase::AwaitingReveals { .. }, _) => Lapsed::Reveal,
            (_, Some(_)) => Lapsed::Pile,
            (Phase::Open { settle_by: None }, None) => Lapsed::Turn,
            _ => Lapsed::Round,
        };
        Some(Command::Lapse { table: table_id, round_no: round.round_no, lapsed })
    }
}
