//! How much of a shoe was used, in entries, bytes and time, and when it therefore comes out
//! (spec/games/shared-tables.md, "Shoes"; spec/recovery.md, "Deadlines").

use crate::{Committed, ShoeId};
use fairshoe_fairness::Slot;
use serde::{Deserialize, Serialize};

/// A shoe that was played from comes out when no round was played for so long: 30 minutes (spec/recovery.md,
/// "Deadlines").
pub const SHOE_IDLE_MS: u64 = 1_800_000;

/// A shoe comes out after so many entries of its table, so that a bundle can hold its history
/// (spec/games/shared-tables.md, "Shoes").
pub const SHOE_ENTRIES: u64 = 6_000;

/// And after entries of so many bytes: bets can be long.
pub const SHOE_BYTES: u64 = 8 * 1024 * 1024;

/// The use of the shoe since its commitment; in a game of several piles, since the first one's.
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

/// A committed shoe in use.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shoe {
    /// Its full name.
    pub id: ShoeId,
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// The slots not drawn yet, ascending.
    pub undrawn: Vec<Slot>,
}
