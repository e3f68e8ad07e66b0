//! The append contract under the service, implemented by sled and sealed files (spec/store.md).
//!
//! Owns: one ordered log of opaque entries, small metadata written with it, the anchor that holds the log's minimum
//! length, the sealed files that keep the history, and the checks that turn a damaged folder into a typed error. Does
//! not own: the meaning of an entry, hashes of the Merkle tree, signatures. The layers above check those.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! fairshoe_store::true_sync::require()?; // first thing in `main`
//! let store = fairshoe_store::Store::create("data".as_ref())?;
//! store.append(0, &[b"first entry".to_vec()], &[])?; // durable when this returns
//! store.write_anchor(1, b"a signed checkpoint")?; // and only now may a reply leave
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod anchor;
mod bundle;
mod copy;
mod engine;
mod error;
mod files;
mod folder;
mod history;
mod io_error;
mod open;
mod reader;
mod record;
mod seal;
mod segment;
mod stall;
mod states;
mod store;
mod tile_path;
pub mod true_sync;

pub use anchor::{Anchored, MAX_NOTE, read_anchor};
pub use bundle::BUNDLE;
pub use copy::ReadCopy;
pub use engine::fit_memory;
pub use error::StoreError;
pub use files::{DiskFiles, Files, create_anew};
pub use folder::{Space, free_space};
pub use reader::Reader;
pub use record::{
    MAX_APPEND_BYTES, MAX_APPEND_ENTRIES, MAX_ENTRY, MAX_META_BYTES, MAX_META_KEY, MAX_META_VALUE, MAX_META_WRITES,
    MetaWrite,
};
pub use seal::{Check, SealLimits, TileFile};
pub use stall::{LONGEST_WRITE, end_after};
pub use states::{MAX_STATE_BYTES, STATE_WINDOW, STATES, read_state, state_name, state_sizes};
pub use store::Store;
pub use true_sync::SyncFilterError;
