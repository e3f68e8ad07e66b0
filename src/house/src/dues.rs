//! Since when a table's duty and its deadline are due (spec/audit.md, "Overdue").

use crate::{Command, Entry};
use serde::{Deserialize, Serialize};

/// A table's duty and deadline, each with the time since which it is due.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dues {
    /// Apart: a command may be one that opens a table, with all its rules, and few tables have a duty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) duty: Option<Box<(Command, u64)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deadline: Option<(u64, u64)>,
}

impl Dues {
    /// A duty and a deadline, each with the time since which it is due.
    pub(crate) fn at(duty: Option<(Command, u64)>, deadline: Option<(u64, u64)>) -> Dues {
        Dues { duty: duty.map(Box::new), deadline }
    }

    /// The dues after an entry. One that was there before it, and that the entry did not perform, keeps its time: else
    /// whoever gives some other command every minute could put it off for ever.
    pub(crate) fn after(&self, entry: &Entry, duty: Option<Command>, deadline: Option<u64>) -> Dues {
        let waits = |command: &Command| {
            let before = self.duty.as_deref().filter(|(before, _)| before == command && entry.command != *before);
            before.map_or(entry.time, |(_, since)| *since)
        };
        let stands = |deadline: u64| {
            let before = self.deadline.filter(|(before, _)| *before == deadline);
            before.map_or(deadline.max(entry.time), |(_, since)| since)
        };
        Dues {
            duty: duty.map(|command| (waits(&command), command)).map(|(since, command)| Box::new((command, since))),
            deadline: deadline.map(|deadline| (deadline, stands(deadline))),
        }
    }

    /// Whether these can be the dues after an entry at `time` that left this duty and this deadline: since when they are
    /// due lies between what makes them due and that entry.
    pub(crate) fn fits(&self, time: u64, duty: Option<&Command>, deadline: Option<u64>) -> bool {
        let same_duty = self.duty.as_deref().map(|(command, _)| command) == duty;
        let since_duty = self.duty.as_deref().is_none_or(|(_, since)| *since <= time);
        let since_deadline = self.deadline.is_none_or(|(at, since)| (at..=at.max(time)).contains(&since));
        same_duty && since_duty && self.deadline() == deadline && since_deadline
    }

    /// Since when the duty and the deadline are due, 0 for one that there is not.
    pub(crate) fn since(&self) -> (u64, u64) {
        (self.duty.as_deref().map_or(0, |(_, since)| *since), self.deadline.map_or(0, |(_, since)| since))
    }

    /// When the deadline passes, UTC milliseconds.
    pub(crate) fn deadline(&self) -> Option<u64> {
        self.deadline.map(|(at, _)| at)
    }

    /// Whether there is something to be done at once.
    pub(crate) fn has_duty(&self) -> bool {
        self.duty.is_some()
    }

    pub(crate) fn times(&self) -> impl Iterator<Item = u64> {
        let duty = self.duty.as_deref().map(|(_, since)| *since);
        duty.into_iter().chain(self.deadline.map(|(_, since)| since))
    }
}
