//! The flaws that a player can find in a reply. This file only describes them.

use fairshoe_fairness::{OpeningError, PlayerId, Slot};
use fairshoe_house::{Command, EntryError, HouseNoteError};
use fairshoe_judge::audit::Finding;
use fairshoe_tlog::{CheckpointError, ProofError, ReceiptError};
use thiserror::Error;

/// The flaw of a reply: the first failed check.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// The receipt cannot be read.
    #[error("receipt of entry {0}: {1}")]
    Receipt(u64, ReceiptError),
    /// A receipt has no proof, although the caller did not ask for that.
    #[error("the receipt of entry {0} has no proof")]
    NoProof(u64),
    /// The checkpoint is not the log's.
    #[error("checkpoint: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The note about a seed was not signed by the log.
    #[error("the note that a seed came: {0}")]
    Note(#[from] HouseNoteError),
    /// An awaited seed has no note.
    #[error("the house took a seed and did not sign for it")]
    NoNote,
    /// The note is about something that was not sent.
    #[error("the note that a seed came is of another command, or of another sender")]
    OtherNote,
    /// A note is later than the entry that it must precede.
    #[error("it was decided at {0}, and signed for at {1}")]
    LateNote(u64, u64),
    /// The entry is not in the tree.
    #[error("entry {0} is not under its checkpoint: {1}")]
    Inclusion(u64, ProofError),
    /// The receipt is of another entry than the reply says.
    #[error("the receipt is for entry {1}, the reply says {0}")]
    OtherIndex(u64, u64),
    /// A later checkpoint is smaller than an earlier one.
    #[error("the log shrank from {0} to {1} entries")]
    Shrunk(u64, u64),
    /// Two signed roots for one size: the log shows two histories.
    #[error("two signed roots for size {0}: the log is forked")]
    Forked(u64),
    /// The last checkpoint does not extend the first.
    #[error("the log of {1} entries does not begin with the one of {0} seen before: {2}")]
    NotConsistent(u64, u64, ProofError),
    /// A bet's two receipts stand under different checkpoints.
    #[error("shoe_committed and bets_closed stand under different checkpoints")]
    TwoCheckpoints,
    /// The number of receipts is wrong for the call.
    #[error("the reply has {1} receipts, {0} belong to this call")]
    Receipts(usize, usize),
    /// The shoe was committed after the bet.
    #[error("the shoe was committed in entry {0}, after the bet in entry {1}")]
    CommittedLate(u64, u64),
    /// The text is not an entry.
    #[error("entry {0}: {1}")]
    Entry(u64, EntryError),
    /// The table's entries have a gap.
    #[error("the entry is number {1} of its table, {0} comes next")]
    Gap(u64, u64),
    /// A part of the entry or of the reply differs from the request or the computed value.
    #[error("{what} is not {expected} but {found}")]
    Differs {
        /// The part.
        what: &'static str,
        /// The required value.
        expected: String,
        /// The value found.
        found: String,
    },
    /// A command stands in a player's name who did not send it, or not signed so.
    #[error("in {0}'s name the command {1} cannot stand here")]
    NotSent(PlayerId, String),
    /// A card was turned up without its opening.
    #[error("slot {0} was turned up and not opened")]
    NotOpened(Slot),
    /// A face-down card was opened.
    #[error("slot {0} is opened and was not turned up")]
    OpenedEarly(Slot),
    /// An opening does not fit the committed root.
    #[error("slot {0}: {1}")]
    Opening(Slot, OpeningError),
    /// The table's entries now show another entry at this place than before.
    #[error("two entries are number {0} of the table: the log shows two histories")]
    TwoEntries(u64),
    /// The log, decided again, gives another result: a finding of the auditor, with its code.
    #[error("the log, decided again: {0}")]
    Judged(Finding),
    /// The epoch of a shoe is unknown.
    #[error("a shoe is committed under an epoch that is not known")]
    EpochUnknown,
    /// An amount is out of range.
    #[error("an amount is out of range")]
    Overflow,
}

impl Flaw {
    /// The flaw that `what` is `found` instead of `expected`.
    pub(crate) fn differs(what: &'static str, expected: impl std::fmt::Debug, found: impl std::fmt::Debug) -> Flaw {
        Flaw::Differs { what, expected: format!("{expected:?}"), found: format!("{found:?}") }
    }

    /// The flaw that this player did not send this command.
    pub(super) fn not_sent(player: &PlayerId, command: &Command) -> Flaw {
        let command = serde_json::to_string(command).unwrap_or_else(|e| e.to_string());
        Flaw::NotSent(player.clone(), command)
    }
}

/// A flaw unless both are the same.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(what: &'static str, expected: &T, found: &T) -> Result<(), Flaw> {
    if expected == found { Ok(()) } else { Err(Flaw::differs(what, expected, found)) }
}

impl From<Finding> for Flaw {
    fn from(finding: Finding) -> Self {
        Flaw::Judged(finding)
    }
}
