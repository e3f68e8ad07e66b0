//! What a player can find wrong with a reply. Says what differs; finds nothing itself.

use fairshoe_fairness::{OpeningError, Slot};
use fairshoe_games::{Illegal, Inapplicable, StepError};
use fairshoe_house::{EntryError, HouseNoteError};
use fairshoe_tlog::{CheckpointError, ProofError, ReceiptError};
use thiserror::Error;

/// What is wrong with a reply: the first check that failed.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// The receipt cannot be read.
    #[error("receipt of entry {index}: {error}")]
    Receipt {
        /// The entry.
        index: u64,
        /// Why.
        error: ReceiptError,
    },
    /// A receipt without its proof, which nobody asked to be so.
    #[error("the receipt of entry {index} has no proof")]
    NoProof {
        /// The entry.
        index: u64,
    },
    /// The checkpoint is not the log's.
    #[error("checkpoint: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The note that a seed came is not the log's.
    #[error("the note that a seed came: {0}")]
    Note(#[from] HouseNoteError),
    /// A seed that was awaited, and no note that it came.
    #[error("the house took a seed and did not sign for it")]
    NoNote,
    /// The note is of something else than what was sent.
    #[error("the note that a seed came is of another command, or of another sender")]
    OtherNote,
    /// A note that is younger than what it says comes first.
    #[error("it was decided at {decided}, and signed for at {received}")]
    LateNote {
        /// The entry's time, UTC milliseconds.
        decided: u64,
        /// The note's.
        received: u64,
    },
    /// The entry is not in the tree.
    #[error("entry {index} is not under its checkpoint: {error}")]
    Inclusion {
        /// The entry.
        index: u64,
        /// Why.
        error: ProofError,
    },
    /// The receipt is of another entry than the reply says.
    #[error("the receipt is for entry {receipt}, the reply says {stated}")]
    OtherIndex {
        /// As the reply has it.
        stated: u64,
        /// As the receipt has it.
        receipt: u64,
    },
    /// A later checkpoint is smaller than an earlier one.
    #[error("the log shrank from {before} to {after} entries")]
    Shrunk {
        /// Seen before.
        before: u64,
        /// Seen now.
        after: u64,
    },
    /// Two signed roots for one size: the log shows two histories.
    #[error("two signed roots for size {size}: the log is forked")]
    Forked {
        /// How many entries both trees have.
        size: u64,
    },
    /// The last checkpoint does not extend the first.
    #[error("the log of {new} entries does not begin with the one of {old} seen before: {error}")]
    NotConsistent {
        /// The first size.
        old: u64,
        /// The last size.
        new: u64,
        /// Why.
        error: ProofError,
    },
    /// A bet's two receipts stand under different checkpoints.
    #[error("shoe_committed and bets_closed stand under different checkpoints")]
    TwoCheckpoints,
    /// The number of receipts is not what the call brings.
    #[error("the reply has {found} receipts, {expected} belong to this call")]
    Receipts {
        /// How many the call brings.
        expected: usize,
        /// How many the reply has.
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
    /// Not an entry.
    #[error("entry {index}: {error}")]
    Entry {
        /// Which.
        index: u64,
        /// Why.
        error: EntryError,
    },
    /// The table's entries have a gap.
    #[error("the entry is number {found} of its table, {expected} comes next")]
    Gap {
        /// Comes next.
        expected: u64,
        /// The number that the entry has.
        found: u64,
    },
    /// A part of the entry or of the reply is not what was asked for or follows.
    #[error("{what} is not {expected} but {found}")]
    Differs {
        /// Which part.
        what: &'static str,
        /// What it must be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// An event where none of its kind can be.
    #[error("{event} cannot stand here")]
    Misplaced {
        /// The event's word on the log.
        event: String,
    },
    /// A card came from another slot than the public shuffle has next.
    #[error("the next slot of the public order is {expected}, the card came from slot {found}")]
    WrongSlot {
        /// Next in order.
        expected: String,
        /// Dealt.
        found: Slot,
    },
    /// A card was turned up without its opening.
    #[error("slot {0} was turned up and not opened")]
    NotOpened(Slot),
    /// A face was opened that lies face-down.
    #[error("slot {0} is opened and was not turned up")]
    OpenedEarly(Slot),
    /// An opening does not fit the committed root.
    #[error("slot {slot}: {error}")]
    Opening {
        /// The slot that the opening is of.
        slot: Slot,
        /// Why.
        error: OpeningError,
    },
    /// The house stopped where the game goes on by itself.
    #[error("the round must go on by itself and does not")]
    Stalled,
    /// The engine refuses what the house accepted.
    #[error("the rules do not allow it: {0}")]
    Illegal(#[from] Illegal),
    /// The engine cannot follow.
    #[error("the rules cannot follow: {0}")]
    Inapplicable(#[from] Inapplicable),
    /// The engine cannot go on.
    #[error("the round cannot go on: {0}")]
    Step(StepError),
    /// The published seed is not the committed one, or its shoe is another.
    #[error("shoe {shoe_no}: {what}")]
    Shoe {
        /// The shoe's number at its table.
        shoe_no: u64,
        /// What does not fit.
        what: String,
    },
    /// The table's entries show another entry than the one that was seen before at its place.
    #[error("two entries are number {seq} of the table: the log shows two histories")]
    TwoEntries {
        /// The place.
        seq: u64,
    },
    /// Something was accepted after its deadline.
    #[error("{what} was taken at {time}, its deadline was {deadline} (UTC milliseconds)")]
    Late {
        /// What was taken too late, in words.
        what: &'static str,
        /// When it was taken.
        time: u64,
        /// When it was due.
        deadline: u64,
    },
    /// Something lapsed before its deadline.
    #[error("{what} came at {time}, before its deadline {deadline} (UTC milliseconds)")]
    Early {
        /// What lapsed too early, in words.
        what: &'static str,
        /// When it came.
        time: u64,
        /// When it is due.
        deadline: u64,
    },
    /// What stands in a player's name is not signed as it must be, or what must not be signed is.
    #[error("the command of {by} {what}")]
    Signature {
        /// Who gave it.
        by: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The log, decided again, comes to something else.
    #[error("the log, decided again: {0}")]
    Judged(String),
    /// A shoe of an epoch that nobody has named.
    #[error("a shoe is committed under an epoch that is not known")]
    EpochUnknown,
    /// An amount is out of range.
    #[error("an amount is out of range")]
    Overflow,
}

impl Flaw {
    /// `what` must be `expected` and is `found`.
    pub(crate) fn differs(what: &'static str, expected: impl std::fmt::Debug, found: impl std::fmt::Debug) -> Flaw {
        Flaw::Differs { what, expected: format!("{expected:?}"), found: format!("{found:?}") }
    }
}

/// The same or a flaw.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(what: &'static str, expected: &T, found: &T) -> Result<(), Flaw> {
    if expected == found { Ok(()) } else { Err(Flaw::differs(what, expected, found)) }
}
