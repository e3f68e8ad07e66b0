//! The order of elimination (spec/games/tournaments.md, section 7).

use crate::amount::{EntryNo, count};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// A player's last elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elimination {
    /// The entry.
    pub entry_no: EntryNo,
    /// The group of hands that count as one, ascending in the order they ended on the log: a single hand, or a round of
    /// hand-for-hand.
    pub hand: u64,
    /// The table's number.
    pub table: u16,
    /// Chips at the start of the hand.
    pub stack: u64,
    /// The seat's distance clockwise from the button: 1 to its left, the button itself last.
    pub distance: u8,
}

/// A place, or the places of a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// The entry.
    pub entry_no: EntryNo,
    /// The best place of the tie.
    pub first: u64,
    /// The worst place of the tie; without a tie the same.
    pub last: u64,
}

/// The ranks of the eliminated, best first, if so many players are still in (rules R001.20, rulings A001.g, A001.h).
pub fn ranks(remaining: u64, eliminations: &[Elimination]) -> Vec<Rank> {
    let mut best_first = eliminations.to_vec();
    best_first.sort_by_key(|out| (Reverse(out.hand), Reverse(out.stack), out.distance, out.table, out.entry_no));
    let mut ranks = Vec::with_capacity(best_first.len());
    let mut place = remaining;
    for equal in best_first.chunk_by(|one, other| (one.hand, one.stack) == (other.hand, other.stack)) {
        // At one table the distance decides; players at several tables tie.
        let tie = equal.iter().any(|out| Some(out.table) != equal.first().map(|first| first.table));
        let size = if tie { count(equal.len()) } else { 1 };
        for (at, out) in equal.iter().enumerate() {
            let first = place.saturating_add(if tie { 1 } else { count(at).saturating_add(1) });
            ranks.push(Rank { entry_no: out.entry_no, first, last: first.saturating_add(size).saturating_sub(1) });
        }
        place = place.saturating_add(count(equal.len()));
    }
    ranks
}
