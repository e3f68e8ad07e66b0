//! The flaws that a player can find in a reply. This file only describes them.

use fairshoe_fairness::{OpeningError, Slot};
use fairshoe_games::{Illegal, Inapplicable, StepError};
use fairshoe_house::{EntryError, HouseNoteError};
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
    /// An event is not possible here.
    #[error("{event} cannot stand here")]
    Misplaced {
        /// The event's word on the log.
        event: String,
    },
    /// A card came from another slot than the public shuffle has next.
    #[error("the next slot of the public order is {expected}, the card came from slot {found}")]
    WrongSlot {
        /// The next slot in order.
        expected: String,
        /// The slot dealt.
        found: Slot,
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
    /// The house stopped, but the game goes on by itself.
    #[error("the round must go on by itself and does not")]
    Stalled,
    /// The engine refuses a choice that the house accepted.
    #[error("the rules do not allow it: {0}")]
    Illegal(#[from] Illegal),
    /// The engine cannot follow.
    #[error("the rules cannot follow: {0}")]
    Inapplicable(#[from] Inapplicable),
    /// The engine cannot go on.
    #[error("the round cannot go on: {0}")]
    Step(StepError),
    /// The published seed is not the committed one, or gives another shoe.
    #[error("shoe {shoe_no}: {what}")]
    Shoe {
        /// The shoe's number at its table.
        shoe_no: u64,
        /// The mismatch.
        what: String,
    },
    /// The table's entries now show another entry at this place than before.
    #[error("two entries are number {seq} of the table: the log shows two histories")]
    TwoEntries {
        /// The place.
        seq: u64,
    },
    /// A request was accepted after its deadline.
    #[error("{what} was taken at {time}, its deadline was {deadline} (UTC milliseconds)")]
    Late {
        /// The late request, in words.
        what: &'static str,
        /// The time of acceptance.
        time: u64,
        /// The deadline.
        deadline: u64,
    },
    /// A request lapsed before its deadline.
    #[error("{what} came at {time}, before its deadline {deadline} (UTC milliseconds)")]
    Early {
        /// The early lapse, in words.
        what: &'static str,
        /// The time of the lapse.
        time: u64,
        /// The deadline.
        deadline: u64,
    },
    /// A command in a player's name lacks its right signature, or has one that must not be there.
    #[error("the command of {by} {what}")]
    Signature {
        /// The command's player or actor.
        by: String,
        /// The fault.
        what: &'static str,
    },
    /// The log, decided again, gives another result.
    #[error("the log, decided again: {0}")]
    Judged(String),
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
}

/// A flaw unless both are the same.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(what: &'static str, expected: &T, found: &T) -> Result<(), Flaw> {
    if expected == found { Ok(()) } else { Err(Flaw::differs(what, expected, found)) }
}
