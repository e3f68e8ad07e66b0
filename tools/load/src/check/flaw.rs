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
    #[error("receipt of entry {index}: {error}")]
    Receipt {
        /// The entry.
        index: u64,
        /// The reason.
        error: ReceiptError,
    },
    /// A receipt has no proof, although the caller did not ask for that.
    #[error("the receipt of entry {index} has no proof")]
    NoProof {
        /// The entry.
        index: u64,
    },
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
    #[error("it was decided at {decided}, and signed for at {received}")]
    LateNote {
        /// The entry's time, UTC milliseconds.
        decided: u64,
        /// The note's time.
        received: u64,
    },
    /// The entry is not in the tree.
    #[error("entry {index} is not under its checkpoint: {error}")]
    Inclusion {
        /// The entry.
        index: u64,
        /// The reason.
        error: ProofError,
    },
    /// The receipt is of another entry than the reply says.
    #[error("the receipt is for entry {receipt}, the reply says {stated}")]
    OtherIndex {
        /// The index in the reply.
        stated: u64,
        /// The index in the receipt.
        receipt: u64,
    },
    /// A later checkpoint is smaller than an earlier one.
    #[error("the log shrank from {before} to {after} entries")]
    Shrunk {
        /// The size seen before.
        before: u64,
        /// The size seen now.
        after: u64,
    },
    /// Two signed roots for one size: the log shows two histories.
    #[error("two signed roots for size {size}: the log is forked")]
    Forked {
        /// The number of entries of both trees.
        size: u64,
    },
    /// The last checkpoint does not extend the first.
    #[error("the log of {new} entries does not begin with the one of {old} seen before: {error}")]
    NotConsistent {
        /// The first size.
        old: u64,
        /// The last size.
        new: u64,
        /// The reason.
        error: ProofError,
    },
    /// A bet's two receipts stand under different checkpoints.
    #[error("shoe_committed and bets_closed stand under different checkpoints")]
    TwoCheckpoints,
    /// The number of receipts is wrong for the call.
    #[error("the reply has {found} receipts, {expected} belong to this call")]
    Receipts {
        /// The number that the call brings.
        expected: usize,
        /// The number in the reply.
        found: usize,
    },
    /// The shoe was committed after the bet.
    #[error("the shoe was committed in entry {shoe}, after the bet in entry {bet}")]
    CommittedLate {
        /// The shoe's entry.
        shoe: u64,
        /// The bet's entry.
        bet: u64,
    },
    /// The text is not an entry.
    #[error("entry {index}: {error}")]
    Entry {
        /// Its index.
        index: u64,
        /// The reason.
        error: EntryError,
    },
    /// The table's entries have a gap.
    #[error("the entry is number {found} of its table, {expected} comes next")]
    Gap {
        /// The number that comes next.
        expected: u64,
        /// The number that the entry has.
        found: u64,
    },
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
    #[error("in {player}'s name the command {command} cannot stand here")]
    NotSent {
        /// The player.
        player: PlayerId,
        /// The command, as the log has it.
        command: String,
    },
    /// A card was turned up without its opening.
    #[error("slot {0} was turned up and not opened")]
    NotOpened(Slot),
    /// A face-down card was opened.
    #[error("slot {0} is opened and was not turned up")]
    OpenedEarly(Slot),
    /// An opening does not fit the committed root.
    #[error("slot {slot}: {error}")]
    Opening {
        /// The opened slot.
        slot: Slot,
        /// The reason.
        error: OpeningError,
    },
    /// The table's entries now show another entry at this place than before.
    #[error("two entries are number {seq} of the table: the log shows two histories")]
    TwoEntries {
        /// The place.
        seq: u64,
    },
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
        Flaw::NotSent { player: player.clone(), command }
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
