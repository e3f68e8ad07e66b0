//! The store's contract (spec/store.md, "Contract"), as far as the service rests on it.
//!
//! Owns: what the service may expect of the durable log. Does not own: how it is kept. That is `fairshoe_store`'s in
//! the service, and a model on a faulty disk in the simulator (`tests/sim`), so that both stand under the same code.

use crate::write::published::Tiles;
use fairshoe_store::{MetaWrite, Reader, Space, Store, StoreError};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Is shown keys and values, until it breaks.
pub type VisitMeta<'v> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'v;

/// What is asked of the log's readers: any number of threads, beside the one writer.
pub trait ReadLog: Send + Sync {
    /// Number of durable entries.
    fn size(&self) -> u64;

    /// The bytes of the entry at an index; an error where there is none.
    fn entry(&self, index: u64) -> Result<Vec<u8>, StoreError>;

    /// Visits the entries of `range` in order, until `visit` breaks.
    fn read(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>) -> Result<(), StoreError>;

    /// The bytes of a full tile that sealing wrote under this path; nothing where there is none. The caller proves
    /// them.
    fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// The value of a metadata key, once the entries written with it are durable.
    fn meta_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits all metadata whose key begins with `prefix`, in key order, until `visit` breaks.
    fn meta_scan(&self, prefix: &[u8], visit: &mut VisitMeta<'_>) -> Result<(), StoreError>;
}

/// New rounds are refused with fewer inodes than these: the store itself needs some for what has begun.
pub const LEAST_INODES: u64 = 1_024;

/// The least free space with which new rounds begin.
pub fn least_space(bytes: u64) -> Space {
    Space { bytes, inodes: LEAST_INODES }
}

/// What is asked of the one writer.
pub trait WriteLog: Send + Sync {
    /// All of it durable, or nothing; refused while the append before it is not anchored.
    fn append(&self, expected_size: u64, entries: &[Vec<u8>], meta: &[MetaWrite]) -> Result<(), StoreError>;

    /// Says outside the log how long it is; a reply leaves after it, not before.
    fn write_anchor(&self, size: u64, note: &[u8]) -> Result<(), StoreError>;

    /// What may still be written to the disk.
    fn free_space(&self) -> Result<Space, StoreError>;

    /// What the store has to do beside appends, and has fallen behind with: sealing, whose bundles are held against
    /// these tiles.
    fn keep_up(&self, tiles: &Arc<Tiles>) -> Result<(), StoreError> {
        let _ = tiles;
        Ok(())
    }
}

impl ReadLog for Reader {
    fn size(&self) -> u64 {
        self.size()
    }

    fn entry(&self, index: u64) -> Result<Vec<u8>, StoreError> {
        self.entry(index)
    }

    fn read(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.read(range, visit)
    }

    fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.tile(path)
    }

    fn meta_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.meta_get(key)
    }

    fn meta_scan(&self, prefix: &[u8], visit: &mut VisitMeta<'_>) -> Result<(), StoreError> {
        self.meta_scan(prefix, visit)
    }
}

impl WriteLog for Store {
    fn append(&self, expected_size: u64, entries: &[Vec<u8>], meta: &[MetaWrite]) -> Result<(), StoreError> {
        self.append(expected_size, entries, meta)
    }

    fn write_anchor(&self, size: u64, note: &[u8]) -> Result<(), StoreError> {
        self.write_anchor(size, note)
    }

    fn free_space(&self) -> Result<Space, StoreError> {
        self.free_space()
    }

    fn keep_up(&self, tiles: &Arc<Tiles>) -> Result<(), StoreError> {
        crate::write::sealing::keep_up(self, tiles)
    }
}
