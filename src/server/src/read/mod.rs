//! The paths that only read: the log as it is published, rounds and histories, streams, and the index that finds them.

pub mod archive;
pub mod asking;
pub mod bundles;
pub mod disclosures;
pub mod entries;
pub mod find;
pub mod followers;
pub mod frames;
pub mod history;
pub mod index;
pub mod lanes;
pub mod log;
pub mod openings;
pub mod own;
pub mod recall;
pub mod records;
pub mod round_stage;
pub mod stream;

use archive::Archive;
use fairshoe_store::Files;
use fairshoe_tlog::VerifierKey;
use followers::Followers;
use frames::Frames;
use history::LongHistories;
use lanes::Lanes;
use std::ops::Deref;
use std::sync::Arc;

/// Everything that reads need.
pub struct Reading {
    pub archive: Archive,
    pub followers: Arc<Followers>,
    pub frames: Frames,
    /// Threads for requests that read much of the log.
    pub lanes: Lanes,
    pub long_histories: LongHistories,
    /// The data folder, in which the published states lie.
    pub files: Arc<dyn Files>,
    pub verifier_key: VerifierKey,
    /// UTC milliseconds.
    pub started_at: u64,
}

impl Deref for Reading {
    type Target = Archive;

    fn deref(&self) -> &Archive {
        &self.archive
    }
}
