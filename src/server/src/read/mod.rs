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
