//! Duties that the house has not performed, and since when (spec/audit.md, "Overdue"). The auditor compares a log with
//! it; no command is refused for it.

use crate::{Command, State, Table};
use fairshoe_fairness::TableId;
use serde::{Deserialize, Serialize};

/// Grace period for duties on a busy machine.
pub const OVERDUE_GRACE_MS: u64 = 60_000;

/// Something that the house has let pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overdue {
    /// The table or tournament; absent if it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// The command that was due.
    pub command: Command,
    /// Since when, UTC milliseconds.
    pub since: u64,
}

impl State {
    /// Since when a table's duty or deadline has waited for the house, if for longer than the grace: the first of all.
    /// `now` is in UTC milliseconds. While tables are being recovered that alone can be overdue.
    pub fn overdue(&self, now: u64) -> Option<Overdue> {
        self.all_overdue(now).next()
    }

    /// Everything that has waited for longer than the grace, longest first; nothing where the log has ended.
    pub fn all_overdue(&self, now: u64) -> impl Iterator<Item = Overdue> {
        let waiting = self.duties.iter().take_while(|(recovered, _)| !recovered);
        let waiting = waiting.filter_map(move |(_, id)| self.recovery_overdue(self.tables.get(id)?, now));
        let late = self.due_since.iter().take_while(move |(since, _)| self.is_late(*since, now));
        let guests = self.guests.passed(now).take_while(move |(deadline, _)| self.is_late(*deadline, now));
        let guests = guests.filter_map(|(deadline, player)| {
            let command = Command::DismissGuest { player: player.clone() };
            Some(Overdue { table: None, command, since: (*deadline).max(self.ready?) })
        });
        let all = waiting.chain(late.filter_map(|(since, id)| self.overdue_at(id, *since))).chain(guests);
        all.filter(|_| self.ended.is_none())
    }

    /// The recovery of a table that waits for it since the dealer's start: nobody can play there meanwhile.
    fn recovery_overdue(&self, table: &Table, now: u64) -> Option<Overdue> {
        let late = table.needs_recovery && now > self.started.saturating_add(OVERDUE_GRACE_MS);
        late.then(|| Overdue {
            table: Some(table.id.clone()),
            command: Command::Recover { table: table.id.clone() },
            since: self.started,
        })
    }

    /// Since when the house is late with anything at all, UTC milliseconds, as the log has it.
    pub fn due_since(&self) -> Option<u64> {
        if self.ended.is_some() {
            return None;
        }
        if self.recovering > 0 {
            return Some(self.started);
        }
        let ready = self.ready?;
        let of_guests = self.guests.first_deadline().map(|(deadline, _)| *deadline);
        let first = self.due_since.first().map(|(since, _)| *since).into_iter().chain(of_guests).min();
        first.map(|since| since.max(ready))
    }

    /// Whether the time from which on the house can be late is one: the start's, or that at which the last table was put
    /// in order.
    pub(crate) fn check_ready(&self) -> Result<(), &'static str> {
        let fits = match self.ready {
            Some(ready) => self.recovering == 0 && (self.started..=self.last_time).contains(&ready),
            None => self.recovering > 0 || self.epoch.is_none(),
        };
        if fits { Ok(()) } else { Err("the time from which on the house is ready is left out, or cannot be") }
    }

    fn is_late(&self, since: u64, now: u64) -> bool {
        self.ready.is_some_and(|ready| now > since.max(ready).saturating_add(OVERDUE_GRACE_MS))
    }

    /// The overdue duty of a table, or of a tournament.
    fn overdue_at(&self, id: &TableId, due: u64) -> Option<Overdue> {
        let of_table = self.tables.get(id).map(|table| &table.dues);
        let dues = of_table.or_else(|| self.tournaments.get(id).map(|event| &event.dues))?;
        let duty = dues.duty.as_deref().filter(|(_, since)| *since == due).map(|(command, _)| command.clone());
        let command = duty.or_else(|| self.lapsed(id))?;
        Some(Overdue { table: Some(id.clone()), command, since: due.max(self.ready?) })
    }

    /// The same of one table in a bundle: its recovery, and deadlines alone, of what the bundle shows the beginning of.
    pub fn overdue_in_bundle(&self, table: &TableId, now: u64) -> Option<Overdue> {
        let table = self.tables.get(table)?;
        if table.needs_recovery {
            return self.recovery_overdue(table, now);
        }
        let (_, since) = table.dues.deadline.filter(|_| !table.is_between_rounds())?;
        let command = self.lapsed(&table.id).filter(|_| self.is_late(since, now))?;
        Some(Overdue { table: Some(table.id.clone()), command, since: since.max(self.ready?) })
    }

    /// Forgets what was due at a table, before one of its entries is applied.
    pub(crate) fn take_dues(&mut self, table: &Table) {
        for since in table.dues.times() {
            self.due_since.remove(&(since, table.id.clone()));
        }
    }

    /// Notes what is due at a table after one of its entries.
    pub(crate) fn note_dues(&mut self, table: &Table) {
        if !table.closed {
            self.due_since.extend(table.dues.times().map(|since| (since, table.id.clone())));
        }
    }
}
