//! A piece with the memory beside it, for one who judges entry after entry: bundles and tests.

use super::memory::Memory;
use super::{Check, Finding, Piece, Reading, ShoeCheck};
use fairshoe_fairness::{Epoch, Origin, PlayerId};
use fairshoe_house::{Entry, PlayerKey, State};

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

    /// Checks and applies one entry. Its claims about shoes come back as work when their seeds are out.
    pub fn step(&mut self, index: u64, entry: &Entry) -> Result<Vec<ShoeCheck>, Finding> {
        let judged = self.piece.judge(Reading::of(index, entry.clone()));
        let (_, checks) = self.memory.take(index, *judged.read?)?;
        Ok(checks)
    }
}

/// One table's entries, judged as they come from its opening on: for one who follows a table and does not read the log.
/// The log's word is taken for what other entries would tell, as in a bundle (spec/audit.md, "The bundle").
pub struct TableJudge(Replay);

impl TableJudge {
    /// A judge before the table's opening, on the log of this name, under this epoch.
    pub fn new(origin: Origin, epoch: Epoch) -> Self {
        TableJudge(Replay { piece: Piece::of_table(origin, epoch), memory: Memory::default() })
    }

    /// The state that the table's entries so far make.
    pub fn state(&self) -> &State {
        &self.0.piece.state
    }

    /// From here on the player's commands must be signed with this key.
    ///
    /// # Errors
    /// The finding that the signature rule refuses the key.
    pub fn signs_with(&mut self, player: &PlayerId, key: &PlayerKey) -> Result<(), Finding> {
        self.0.piece.state.assume_key(player, key).map_err(|why| Finding::new(Check::Signature, why.to_string()))
    }

    /// Judges the table's next entry, or a start of the dealer that comes before it.
    ///
    /// # Errors
    /// The finding. After it nothing more is to be judged.
    pub fn judge(&mut self, index: u64, entry: &Entry) -> Result<(), Finding> {
        let checks = self.0.step(index, entry)?;
        // Only the whole log shows whether a root or a seed came before: without this the list would grow for ever.
        drop(self.0.memory.take_once());
        checks.into_iter().try_for_each(|check| check.run().finding().cloned().map_or(Ok(()), Err))
    }
}
