//! Bugs planted in the doubles and wrappers around the service, never in the service: each must be found.

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The log's sync returns without having synced.
    SyncLeftOut,
    /// A sync that failed is tried again, and succeeds without what it lost.
    SyncRetried,
    /// The anchor is written before the log is synced.
    AnchorBeforeSync,
    /// The anchor is written and not synced.
    AnchorNotSynced,
    /// A slot of the anchor counts although its hash does not hold.
    TornSlotBelieved,
    /// Opening builds on what a killed process left in the kernel's memory.
    OpenTrustsMemory,
    /// Opening drops the last append, and the anchor with it.
    TailForgotten,
    /// Repeat keys are forgotten at a start.
    KeysForgotten,
    /// The gateway passes repeat keys on for nobody: a credit sent twice is two.
    KeyStripped,
    /// Replies leave before their entries are durable.
    ReplyBeforeEntry,
    /// Replies go to whoever waits longest.
    RepliesSwapped,
    /// A deadline does not wait for seeds and choices that were signed for.
    LapseBeforeSeed,
    /// A view shows a card that lies face-down.
    HiddenCardShown,
    /// A line of a posting is lost on its way to the log.
    PostingLineLost,
    /// A state that is written down says that it is one entry longer than it is.
    StateOfWrongSize,
    /// A snapshot holds the state of the snapshot before it.
    SnapshotOfWrongSize,
    /// A snapshot has its name before its entries are durable.
    SnapshotBeforeEntries,
    /// A snapshot leaves out a part of the state.
    SnapshotFieldLeftOut,
    /// A snapshot leaves out where commitments stand.
    SnapshotPlacesLeftOut,
    /// A snapshot is renamed before it is synced.
    SnapshotNotSynced,
}

/// All of them, and within how many seeds each must be found.
pub const PLANTS: &[(Plant, u64)] = &[
    (Plant::SyncLeftOut, 40),
    (Plant::SyncRetried, 400),
    (Plant::AnchorBeforeSync, 200),
    (Plant::AnchorNotSynced, 40),
    (Plant::TornSlotBelieved, 400),
    (Plant::OpenTrustsMemory, 400),
    (Plant::TailForgotten, 40),
    (Plant::KeysForgotten, 100),
    (Plant::KeyStripped, 40),
    (Plant::ReplyBeforeEntry, 40),
    (Plant::RepliesSwapped, 40),
    (Plant::LapseBeforeSeed, 400),
    (Plant::HiddenCardShown, 40),
    (Plant::PostingLineLost, 20),
    (Plant::StateOfWrongSize, 20),
    (Plant::SnapshotOfWrongSize, 40),
    (Plant::SnapshotBeforeEntries, 400),
    (Plant::SnapshotFieldLeftOut, 40),
    (Plant::SnapshotPlacesLeftOut, 40),
    (Plant::SnapshotNotSynced, 400),
];
