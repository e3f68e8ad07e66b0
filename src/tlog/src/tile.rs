//! One tile: up to 256 hashes of a level with the nodes between them, hashed once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::hash::{Hash, node_hash};

/// Hashes in a full tile (c2sp.org/tlog-tiles).
pub const TILE_WIDTH: u16 = 256;

/// Heights within a tile: 0 for its own hashes up to 8 for the root of a full tile.
pub(crate) const TILE_HEIGHT: u32 = 8;

/// Slots for a full tile's nodes: 256 + 128 + … + 1.
const NODES: usize = 511;

/// Bytes that are not a tile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// The length is not 1 to 256 hashes of 32 bytes.
    #[error("a tile is 1 to 256 hashes of 32 bytes, not {length} bytes")]
    BadLength {
        /// Bytes given.
        length: usize,
    },
}

/// The hashes of a full or partial tile and every complete node above them: 16 KiB, so reading hashes no node again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileNodes {
    width: u16,
    nodes: Vec<Hash>,
}

impl Default for TileNodes {
    fn default() -> Self {
        Self { width: 0, nodes: vec![Hash::default(); NODES] }
    }
}

/// The offset of the nodes of `height`: after the 256, 128, … nodes below them.
fn offset(height: u32) -> usize {
    512 - (512 >> height)
}

impl TileNodes {
    /// Reads a served tile and hashes the nodes above it (spec/log.md, "Tiles").
    ///
    /// # Errors
    /// [`TileError::BadLength`] unless `bytes` holds 1 to 256 whole hashes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TileError> {
        let (hashes, rest) = bytes.as_chunks::<32>();
        if !rest.is_empty() || hashes.is_empty() || hashes.len() > usize::from(TILE_WIDTH) {
            return Err(TileError::BadLength { length: bytes.len() });
        }
        let mut tile = Self::default();
        for hash in hashes {
            tile.push(Hash(*hash));
        }
        Ok(tile)
    }

    /// Hashes in the tile, 0 (a tile not yet begun) to 256.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Whether all 256 hashes are there.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.width == TILE_WIDTH
    }

    /// The node at `height` (0 to 8) and `position` within it, or `None` while it is not complete.
    #[must_use]
    pub fn node(&self, height: u32, position: u64) -> Option<Hash> {
        if height > TILE_HEIGHT || position >= u64::from(self.width >> height) {
            return None;
        }
        let position = usize::try_from(position).ok()?;
        self.nodes.get(offset(height) + position).copied()
    }

    /// The bytes served for the first `width` hashes, or `None` unless 1 ≤ `width` ≤ the tile's own width.
    #[must_use]
    pub fn bytes(&self, width: u16) -> Option<Vec<u8>> {
        if width == 0 || width > self.width {
            return None;
        }
        Some(self.nodes.iter().take(usize::from(width)).flat_map(|hash| hash.0).collect())
    }

    /// Adds a hash and every node it completes; the caller starts a new tile once this one is full.
    pub(crate) fn push(&mut self, hash: Hash) {
        debug_assert!(!self.is_full());
        let mut position = usize::from(self.width);
        self.width += 1;
        self.nodes[position] = hash;
        let mut height = 0;
        while position & 1 == 1 {
            let right = offset(height) + position;
            let parent = node_hash(&self.nodes[right - 1], &self.nodes[right]);
            height += 1;
            position >>= 1;
            self.nodes[offset(height) + position] = parent;
        }
    }

    /// Folds the tile's incomplete right edge, smallest subtree first, on top of the hash to its right.
    pub(crate) fn fold_edge(&self, right: Option<Hash>) -> Option<Hash> {
        let mut folded = right;
        for height in 0..=TILE_HEIGHT {
            let complete = self.width >> height;
            if complete & 1 == 1 {
                let node = self.nodes[offset(height) + usize::from(complete - 1)];
                folded = Some(folded.map_or(node, |right| node_hash(&node, &right)));
            }
        }
        folded
    }
}

/// Gives a [`crate::Tree`] the full tiles that it no longer holds; the implementor reads and caches them.
pub trait TileReader {
    /// The full tile `index` of `level`, or `None` if it is not available (the proof then fails with an error).
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>>;
}

/// The reader of a tree that has completed no tile yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTiles;

impl TileReader for NoTiles {
    fn tile(&self, _level: u8, _index: u64) -> Option<Arc<TileNodes>> {
        None
    }
}

impl TileReader for HashMap<(u8, u64), Arc<TileNodes>> {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        self.get(&(level, index)).cloned()
    }
}

impl<R: TileReader + ?Sized> TileReader for &R {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        (**self).tile(level, index)
    }
}
