//! How much of a shoe was used, in entries, bytes and time, and when it therefore comes out
//! (spec/games/shared-tables.md, "Shoes"; spec/recovery.md, "Deadlines").

use crate::table::Table;
use crate::{Entry, Event};
use serde::{Deserialize, Serialize};

/// A shoe that was played from comes out when no round was played for so long: 30 minutes (spec/recovery.md,
/// "Deadlines").
pub const SHOE_IDLE_MS: u64 = 1_800_000;

/// A shoe comes out after so many entries of its table, so that a bundle can hold its history
/// (spec/games/shared-tables.md, "Shoes").
pub const SHOE_ENTRIES: u64 = 6_000;

/// And after entries of so many bytes: bets can be long.
pub const SHOE_BYTES: u64 = 8 * 1024 * 1024;

/// What became of the shoe in use since its commitment; of a game of several piles, since the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShoeUse {
    /// The place, in the table's sequence, of the entry that committed it.
    pub from_seq: u64,
    /// How many bytes the table's entries since then hold, that one included.
    pub bytes: u64,
    /// When it was committed, UTC milliseconds.
    pub since: u64,
    /// Rounds whose bets closed on it.
    pub rounds: u64,
    /// When the last of them ended, UTC milliseconds.
    pub last_round_at: Option<u64>,
}

impl Table {
    /// Takes in what an entry, which has been applied, made of the shoe in use.
    pub(crate) fn note_shoe_use(&mut self, entry: &Entry, seq: u64) {
        if self.shoe.is_none() {
            self.shoe_use = None;
            return;
        }
        let fresh = ShoeUse { from_seq: seq, bytes: 0, since: entry.time, rounds: 0, last_round_at: None };
        let used = self.shoe_use.get_or_insert(fresh);
        used.bytes = used.bytes.saturating_add(entry.encoded_len());
        for event in &entry.events {
            match event {
                Event::BetsClosed { .. } | Event::HandBegun { .. } => used.rounds = used.rounds.saturating_add(1),
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => used.last_round_at = Some(entry.time),
                _ => {}
            }
        }
    }

    /// When the shoe in use comes out if no round is played from it, UTC milliseconds.
    pub(crate) fn shoe_idle_at(&self) -> Option<u64> {
        let last = self
            .shoe_use
            .and_then(|used| used.last_round_at)
            .filter(|_| self.shoe.is_some() && self.is_between_rounds());
        last.map(|last| last.saturating_add(SHOE_IDLE_MS))
    }

    /// Whether the shoe in use has lain for so long that it comes out.
    pub(crate) fn shoe_is_idle(&self, now: u64) -> bool {
        self.shoe_idle_at().is_some_and(|idle_at| idle_at <= now)
    }

    /// Whether the shoe in use comes out because its history is long; `next_seq` is the place of the entry that would
    /// be next. Of the entry that is being decided, whose bytes are not known yet, only the place counts.
    pub(crate) fn shoe_is_full(&self, next_seq: u64) -> bool {
        let is_long =
            |used: ShoeUse| next_seq.saturating_sub(used.from_seq) >= SHOE_ENTRIES || used.bytes >= SHOE_BYTES;
        self.shoe.is_some() && self.shoe_use.is_some_and(is_long)
    }
}
