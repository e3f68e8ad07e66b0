//! Changes of seat and bets without a round are bounded (spec/entries.md, "Changes are bounded"): they cost nothing,
//! and without a bound a few players make the log, and a shoe's bundle, grow without end.

use crate::sharded::{Ordered, Sharded};
use crate::{Actor, Change, Command, Entry, Event};
use fairshoe_fairness::{PlayerId, TableId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// So many changes of a player at a table without a round are taken in an hour.
pub(crate) const CHANGES_ALLOWED: u32 = 64;

/// A count is forgotten so long after its first change: 1 hour.
pub(crate) const CHANGES_WINDOW_MS: u64 = 3_600_000;

/// A player who asked to play and bet has made so many changes. They are not to blame if nobody plays with them.
const CHANGES_GIVEN_BACK: u32 = 2;

/// Whether a command by a player changes seat or bets at a table, which may be a shared one.
fn change(command: &Command, shared: bool) -> Option<Change> {
    match command.facts().change {
        Change::None => None,
        Change::MadeWhereShared => shared.then_some(Change::Made),
        change => Some(change),
    }
}

/// A player's changes at a table.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    /// When the first was made, UTC milliseconds.
    since: u64,
    changes: u32,
}

/// The changes of the last hour, by table and player. Older ones are dropped as time goes on, so that it holds only the
/// players of an hour.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    counts: Sharded<TableId, BTreeMap<PlayerId, Count>>,
    /// Every count by its beginning, to be forgotten in that order.
    oldest: Ordered<(u64, TableId, PlayerId)>,
}

impl Changes {
    /// The time until which one more change by this command is refused, UTC ms; `None` if it is taken.
    pub fn refused_until(&self, by: &Actor, command: &Command, shared: bool, now: u64) -> Option<u64> {
        let (Actor::Player(player), Some(Change::Made)) = (by, change(command, shared)) else { return None };
        let count = self.counts.get(command.table()?)?.get(player)?;
        let until = count.since.saturating_add(CHANGES_WINDOW_MS);
        (count.changes >= CHANGES_ALLOWED && now < until).then_some(until)
    }

    /// The counts of a table that are not forgotten at `now`, ascending by player: since when, how many.
    pub fn of_table(&self, table: &TableId, now: u64) -> Vec<(PlayerId, u64, u32)> {
        let counts = self.counts.get(table).into_iter().flatten();
        let counting = counts.filter(|(_, count)| now < count.since.saturating_add(CHANGES_WINDOW_MS));
        counting.map(|(player, count)| (player.clone(), count.since, count.changes)).collect()
    }

    /// Takes a table's counts in, as [`Changes::of_table`] gives them.
    pub fn take(&mut self, table: &TableId, counts: Vec<(PlayerId, u64, u32)>) {
        for (player, since, changes) in counts {
            self.oldest.insert((since, table.clone(), player.clone()));
            self.counts.or_insert(table, BTreeMap::new()).insert(player, Count { since, changes });
        }
    }

    /// Counts what an entry of a table changes, and forgets whom its round has taken in.
    pub fn note(&mut self, entry: &Entry, table: &TableId, shared: bool) {
        self.forget_before(entry.time);
        if let (Actor::Player(player), Some(_)) = (&entry.by, change(&entry.command, shared)) {
            let counts = self.counts.or_insert(table, BTreeMap::new());
            let count = counts.entry(player.clone()).or_insert(Count { since: entry.time, changes: 0 });
            count.changes = count.changes.saturating_add(1);
            self.oldest.insert((count.since, table.clone(), player.clone()));
        }
        for event in &entry.events {
            match event {
                Event::BetsClosed { contributors, .. } => {
                    contributors.iter().for_each(|bet| self.forget(table, &bet.player))
                }
                Event::HandBegun { contributors, .. } => {
                    contributors.iter().for_each(|one| self.forget(table, &one.player))
                }
                _ => {}
            }
        }
    }

    /// Bets come back without a round, or commitments without a hand: two changes come off the count of each of these
    /// players, whose they were, at most what it is.
    pub fn give_back<'p>(&mut self, table: &TableId, players: impl IntoIterator<Item = &'p PlayerId>) {
        let Some(counts) = self.counts.get_mut(table) else { return };
        for player in players {
            if let Some(count) = counts.get_mut(player) {
                count.changes = count.changes.saturating_sub(CHANGES_GIVEN_BACK);
            }
        }
    }

    fn forget(&mut self, table: &TableId, player: &PlayerId) {
        let Some(counts) = self.counts.get_mut(table) else { return };
        if let Some(count) = counts.remove(player) {
            self.oldest.remove(&(count.since, table.clone(), player.clone()));
        }
        if counts.is_empty() {
            self.counts.remove(table);
        }
    }

    fn forget_before(&mut self, now: u64) {
        while let Some((since, table, player)) = self.oldest.first()
            && since.saturating_add(CHANGES_WINDOW_MS) <= now
        {
            let due = (*since, table.clone(), player.clone());
            // It is not looked at again, even if the counts still have it.
            self.oldest.remove(&due);
            self.forget(&due.1, &due.2);
        }
    }
}
