//! A piece with the memory beside it, for one who judges entry after entry: bundles and tests.

use super::memory::Memory;
use super::{Finding, Piece, Reading, ShoeCheck};
use fairshoe_fairness::Origin;
use fairshoe_house::Entry;

/// A piece and what is remembered of it: entry after entry judged in full.
pub(crate) struct Replay {
    pub piece: Piece,
    pub memory: Memory,
}

impl Replay {
    /// For one table's entries out of a log: balances are taken on the log's word.
    pub fn partial(origin: Option<Origin>) -> Self {
        Replay { piece: Piece::partial(origin), memory: Memory::default() }
    }

    /// Checks and applies one entry. What it says about shoes comes back as work when their seeds are out.
    pub fn step(&mut self, index: u64, entry: &Entry) -> Result<Vec<ShoeCheck>, Finding> {
        let judged = self.piece.judge(Reading::of(index, entry.clone()));
        let (_, checks) = self.memory.take(index, *judged.read?)?;
        Ok(checks)
    }
}
