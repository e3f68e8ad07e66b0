//! How much of a shoe was used, and when it therefore comes out (spec/games/shared-tables.md, "Shoes").

use crate::{Entry, Event, SHOE_BYTES, SHOE_ENTRIES, SHOE_IDLE_MS, ShoeUse, Table};

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
    /// be next. Only the place of the entry being decided counts: its bytes are not known yet.
    pub(crate) fn shoe_is_full(&self, next_seq: u64) -> bool {
        let is_long =
            |used: ShoeUse| next_seq.saturating_sub(used.from_seq) >= SHOE_ENTRIES || used.bytes >= SHOE_BYTES;
        self.shoe.is_some() && self.shoe_use.is_some_and(is_long)
    }
}
