//! The errors of the store, with the values that show them, and advice.

use crate::folder::Space;
use std::io;
use std::path::PathBuf;

/// Why the store refused or failed. [`StoreError::advice`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The sync filter is not in place, so no write would be durable.
    #[error("the sync filter is not in place")]
    NoTrueSync,
    /// Another process holds the folder.
    #[error("{} is in use by a running service{}", dir.display(), address.as_deref().map(|a| format!(" at {a}")).unwrap_or_default())]
    Locked {
        /// The folder.
        dir: PathBuf,
        /// The address of the running service, if it left one in the folder.
        address: Option<String>,
    },
    /// The folder holds no store.
    #[error("{} holds no store", dir.display())]
    NotAStore {
        /// The folder.
        dir: PathBuf,
    },
    /// A new store was requested, but a part of a store already exists there.
    #[error("{} already exists: refusing to make a new store over it", path.display())]
    Exists {
        /// The part found.
        path: PathBuf,
    },
    /// Making the store was interrupted, or its marker was taken away.
    #[error("{} exists but the store's marker does not", path.display())]
    Unfinished {
        /// The part found without a marker.
        path: PathBuf,
    },
    /// The store was written in another format.
    #[error("store format {found:?}, this program reads {supported:?}")]
    Version {
        /// The first line of the marker.
        found: String,
        /// The first line this program writes.
        supported: &'static str,
    },
    /// A file of the store is gone.
    #[error("{} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Bytes on the disk differ from the bytes written.
    #[error("the store is damaged{}: {what}", at.map(|a| format!(" at entry {a}")).unwrap_or_default())]
    Damaged {
        /// The first entry that cannot be read, if known.
        at: Option<u64>,
        /// The check that failed.
        what: String,
    },
    /// Entries are missing in the middle.
    #[error("entries are missing: {at} is not stored, {next} is the next that is")]
    Gapped {
        /// First missing entry.
        at: u64,
        /// Next entry that is stored.
        next: u64,
    },
    /// Two records claim the same entry.
    #[error("entry {at} is stored twice")]
    Overlap {
        /// First entry claimed twice.
        at: u64,
    },
    /// Bytes of a sealed segment differ from the bytes written.
    #[error("{} is damaged{}: {what}", path.display(), at.map(|a| format!(" at entry {a}")).unwrap_or_default())]
    SegmentDamaged {
        /// The segment's file.
        path: PathBuf,
        /// The first entry that cannot be read, if known.
        at: Option<u64>,
        /// The check that failed.
        what: String,
    },
    /// A segment is whole, but belongs to another log or another place.
    #[error("{} is not the segment that was written here: {what}", path.display())]
    SegmentForeign {
        /// The segment's file.
        path: PathBuf,
        /// The mismatch.
        what: String,
    },
    /// The open segment is shorter than the part that was sealed.
    #[error("{} ends with bundle {have}, {wanted} were sealed", path.display())]
    SegmentCut {
        /// The segment's file.
        path: PathBuf,
        /// Bundles of the log that the sealed files hold.
        have: u64,
        /// Bundles of the log that were sealed.
        wanted: u64,
    },
    /// Sealed files continue past the end that the log knows to be sealed.
    #[error("{} reaches up to bundle {bundles}, the log knows of {marked} sealed ones", path.display())]
    SegmentAhead {
        /// The segment's file.
        path: PathBuf,
        /// Bundles of the log up to its end.
        bundles: u64,
        /// Bundles that the log knows to be sealed.
        marked: u64,
    },
    /// A segment was written in another format.
    #[error("{} has format {found:?}, this program reads {supported:?}", path.display())]
    SegmentVersion {
        /// The segment's file.
        path: PathBuf,
        /// The first bytes of the segment.
        found: String,
        /// The first bytes of this program's segments.
        supported: &'static str,
    },
    /// A bundle about to be sealed differs from the signed one.
    #[error("bundle {bundle} is not sealed: {what}")]
    SealRefused {
        /// The bundle: entries from 256 times its number on.
        bundle: u64,
        /// The check that failed.
        what: String,
    },
    /// There is no memory to pack a bundle with; its entries stay where they are.
    #[error("there is no memory to pack bundle {bundle}")]
    NoMemory {
        /// The bundle.
        bundle: u64,
    },
    /// The metadata differs from the metadata written with the log.
    #[error("the metadata does not match the log: {what}")]
    MetaDamaged {
        /// The check that failed.
        what: String,
    },
    /// The log is empty, but the anchor says it was not.
    #[error("the log is empty, {anchored} entries were acknowledged")]
    Empty {
        /// Entries the anchor vouches for.
        anchored: u64,
    },
    /// The log is shorter than the anchor says.
    #[error("the log has {have} entries, {anchored} were acknowledged")]
    BehindAnchor {
        /// Entries in the log.
        have: u64,
        /// Entries the anchor vouches for.
        anchored: u64,
    },
    /// The log is longer than a crash can explain.
    #[error("the anchor vouches for {anchored} entries, the log has {have}, {appends} appends later")]
    AnchorStale {
        /// Entries in the log.
        have: u64,
        /// Entries the anchor vouches for.
        anchored: u64,
        /// Appends beyond the anchor; a crash leaves at most one.
        appends: u64,
    },
    /// Neither slot of the anchor can be read.
    #[error("both slots of {} are damaged", path.display())]
    AnchorDamaged {
        /// The anchor file.
        path: PathBuf,
    },
    /// An append was requested before the previous one was anchored.
    #[error("{size} entries are stored and {anchored} anchored: anchor them before the next append")]
    Unanchored {
        /// Entries in the log.
        size: u64,
        /// Entries the anchor vouches for.
        anchored: u64,
    },
    /// The caller expects another size than the log has.
    #[error("expected {expected} entries, the log has {actual}")]
    SizeMismatch {
        /// The size that the caller expected.
        expected: u64,
        /// Entries in the log.
        actual: u64,
    },
    /// An input exceeds a bound of spec/store.md.
    #[error("{what}: {got}, at most {max}")]
    Limit {
        /// The bound's name.
        what: &'static str,
        /// The value given.
        got: u64,
        /// The bound.
        max: u64,
    },
    /// An append without entries: metadata is only written together with the log.
    #[error("an append needs at least one entry")]
    NothingToAppend,
    /// A read past the end of the log.
    #[error("entry {index} was asked for, the log has {size}")]
    BeyondEnd {
        /// First entry that does not exist.
        index: u64,
        /// Entries in the log.
        size: u64,
    },
    /// The disk is full, or too full to begin an append.
    #[error("the disk of {} is full: {free} free, {needed} needed", path.display())]
    DiskFull {
        /// A path on the disk.
        path: PathBuf,
        /// The free space.
        free: Space,
        /// The space needed.
        needed: Space,
    },
    /// An earlier failure stopped this store until it is opened again.
    #[error("the store stopped after an earlier failure: {first}")]
    Stopped {
        /// The earlier failure.
        first: String,
    },
    /// A write or a sync did not end in time.
    #[error("{doing} {} has not ended for {seconds} seconds", path.display())]
    Stalled {
        /// The operation.
        doing: &'static str,
        /// Its file or folder.
        path: PathBuf,
        /// The waiting time in seconds.
        seconds: u64,
    },
    /// The file system failed.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// The operation.
        doing: &'static str,
        /// Its file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

const RESTORE: &str = "do not serve from this folder and do not delete it: keep a copy as evidence and check the disk. Where a mirror, or \
     another node, has all that was acknowledged, `fairshoe restore` goes on with this log in a new folder. Where nobody has, it cannot be \
     continued: begin a new one, of another name, in an empty folder, and publish the last checkpoint of this one beside it";

impl StoreError {
    /// The operator's next step.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NoTrueSync => "call true_sync::require() first in main",
            Self::Locked { .. } => "ask the running service at its address, or stop it before its folder is read",
            Self::NotAStore { .. } => "check the path; to begin a new log make a new store explicitly",
            Self::Exists { .. } => "open the store that is there, or choose an empty folder for the new one",
            Self::Unfinished { .. } => {
                "if the store was being made when the machine stopped, nothing was ever acknowledged from it: remove \
                 what is named and make it again; if it ever served, its marker was lost: begin a new log"
            }
            Self::Version { .. } | Self::SegmentVersion { .. } => "use the version of the program that wrote the store",
            Self::SegmentDamaged { .. } | Self::SegmentForeign { .. } | Self::SegmentCut { .. } => {
                "do not serve from this folder until this file is again what it was: a segment that is not the last never \
                 changes, so that the same file of a backup can be put in its place. Without one keep the folder as evidence, and \
                 go on in a new folder with a mirror's copy of the log (`fairshoe restore`)"
            }
            Self::SegmentAhead { .. } => {
                "an old copy of log/ was put back, or the disk lost writes it had confirmed: keep the folder as evidence and begin \
                 a new log, of another name, in an empty folder"
            }
            Self::SealRefused { .. } => {
                "memory or disk changed an entry after it was signed: stop the service and check both; sled still has the entry as \
                 it was stored, and opening holds it against what was signed"
            }
            Self::Missing { .. }
            | Self::Damaged { .. }
            | Self::Gapped { .. }
            | Self::Overlap { .. }
            | Self::MetaDamaged { .. }
            | Self::Empty { .. }
            | Self::BehindAnchor { .. }
            | Self::AnchorDamaged { .. } => RESTORE,
            Self::AnchorStale { .. } => {
                "the anchor is older than the log: an old copy was put back, or the disk lost a write it had \
                 confirmed; compare the log with the last checkpoint that players or witnesses hold, then begin a new log"
            }
            Self::Unanchored { .. } => "sign a checkpoint of the present size and write it to the anchor",
            Self::SizeMismatch { .. } | Self::BeyondEnd { .. } => {
                "read the size again; two writers must never share a log"
            }
            Self::Limit { .. } => "split the append, or shorten what exceeds the bound",
            Self::NothingToAppend => "write metadata together with the entry that causes it",
            Self::DiskFull { .. } => {
                "free space on that disk (of inodes: remove small files, or make a file system with more of them; of a limit \
                 to a file's size, LimitFSIZE, raise it) and start the service again; what was acknowledged is intact"
            }
            Self::NoMemory { .. } => {
                "give the service more memory, or fewer connections and a smaller budget; what was acknowledged is intact"
            }
            Self::Stopped { .. } => {
                "stop the process and start it again: it recovers from the log; a failed sync is never retried"
            }
            Self::Stalled { .. } => {
                "look at the disk and at its free space (the system's log says whether it answers), then start the service again; \
                 what was acknowledged is intact"
            }
            Self::Io { .. } => "check the disk, its mount and the folder's owner, then start the service again",
        }
    }

    pub(crate) fn damaged(at: impl Into<Option<u64>>, what: impl Into<String>) -> Self {
        Self::Damaged { at: at.into(), what: what.into() }
    }
}
