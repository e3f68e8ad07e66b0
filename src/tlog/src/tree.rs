//! The tree as its writer keeps it: one partial tile of each level in memory; the caller stores full tiles.

use std::sync::Arc;

use crate::hash::{EMPTY_ROOT, Hash, node_hash};
use crate::tile::{TILE_HEIGHT, TILE_WIDTH, TileNodes, TileReader};

/// Why the tree cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A size this tree has not reached.
    #[error("size {size} is beyond the tree's {current} entries")]
    SizeBeyondTree {
        /// Size asked for.
        size: u64,
        /// Size of the tree.
        current: u64,
    },
    /// The tree of that size has no such leaf, or the older size is beyond the newer.
    #[error("{index} is not within a tree of {size} entries")]
    IndexBeyondSize {
        /// Index (or older size) asked for.
        index: u64,
        /// Size of the tree in the request.
        size: u64,
    },
    /// The reader does not have a full tile that this tree completed.
    #[error("full tile {index} of level {level} is missing")]
    MissingTile {
        /// Level of the tile.
        level: u8,
        /// Its index within the level.
        index: u64,
    },
    /// A tile, or a width of it, that this tree does not (yet) have.
    #[error("tile {index} of level {level} has no width {width} in this tree")]
    NoSuchTile {
        /// Level asked for.
        level: u8,
        /// Index asked for.
        index: u64,
        /// Width asked for.
        width: u16,
    },
}

/// A tile that an append completed; from now on it never changes, and the tree no longer holds it.
#[derive(Clone, Debug)]
pub struct CompletedTile {
    /// Level: 0 holds leaf hashes; each level above holds the roots of the full tiles below.
    pub level: u8,
    /// Index within the level.
    pub index: u64,
    /// Its nodes, shared so that the caller may cache what it persists.
    pub nodes: Arc<TileNodes>,
}

impl CompletedTile {
    /// The 8,192 bytes to persist and to serve.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.nodes.bytes(TILE_WIDTH).unwrap_or_default()
    }
}

/// A growing RFC 6962 tree (spec/log.md, "The tree"): 16 KiB for each level, at most 8 levels.
///
/// A clone is a snapshot that shares its tiles until either side appends, so a server can publish one for each batch.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    size: u64,
    /// The partial tile of each level; `size` base 256 gives their widths.
    levels: Vec<Arc<TileNodes>>,
}

impl Tree {
    /// The empty tree; a log is reopened by appending its leaf hashes again.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tree of `size` leaves with these partial tiles, lowest level first: the output of [`Tree::edge`], which is
    /// also what a log serves of its newest tree. A level without a partial tile has no bytes. The caller compares
    /// [`Tree::root`] with the root it knows.
    ///
    /// # Errors
    /// [`TreeError::NoSuchTile`] for the first level whose tile has another width than the size requires.
    pub fn resume(size: u64, edge: &[Vec<u8>]) -> Result<Self, TreeError> {
        let width_at =
            |level: u8| u16::try_from(size.checked_shr(8 * u32::from(level)).unwrap_or(0) % 256).unwrap_or_default();
        let mut levels = Vec::with_capacity(edge.len());
        for (level, bytes) in (0..8u8).zip(edge.iter().map(Some).chain(std::iter::repeat(None))) {
            let width = width_at(level);
            let wrong = TreeError::NoSuchTile { level, index: size.checked_shr(tile_shift(level)).unwrap_or(0), width };
            let tile = match bytes {
                Some(bytes) if !bytes.is_empty() => TileNodes::from_bytes(bytes).map_err(|_| wrong.clone())?,
                _ => TileNodes::default(),
            };
            if tile.width() != width {
                return Err(wrong);
            }
            levels.push(Arc::new(tile));
        }
        while levels.last().is_some_and(|top| top.width() == 0) {
            levels.pop();
        }
        Ok(Self { size, levels })
    }

    /// The bytes of the partial tile of each level, lowest first: enough to continue from here later.
    #[must_use]
    pub fn edge(&self) -> Vec<Vec<u8>> {
        self.levels.iter().map(|tile| tile.bytes(tile.width()).unwrap_or_default()).collect()
    }

    /// Number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root over all leaves.
    #[must_use]
    pub fn root(&self) -> Hash {
        self.levels.iter().fold(None, |right, tile| tile.fold_edge(right)).unwrap_or(EMPTY_ROOT)
    }

    /// Adds the next leaf hash and returns the tiles it completes, lowest level first (mostly none).
    pub fn append(&mut self, leaf: Hash) -> Vec<CompletedTile> {
        let mut completed = Vec::new();
        let mut carried = Some(leaf);
        for level in 0.. {
            let Some(hash) = carried else { break };
            if self.levels.len() <= usize::from(level) {
                self.levels.push(Arc::default());
            }
            let shared = &mut self.levels[usize::from(level)];
            let tile = Arc::make_mut(shared);
            tile.push(hash);
            carried = tile.node(TILE_HEIGHT, 0);
            if carried.is_some() {
                let index = self.size >> tile_shift(level);
                completed.push(CompletedTile { level, index, nodes: std::mem::take(shared) });
            }
        }
        self.size += 1;
        completed
    }

    /// The root the tree had at `size` leaves.
    ///
    /// # Errors
    /// [`TreeError::SizeBeyondTree`], or [`TreeError::MissingTile`] if the reader lacks one.
    pub fn root_at(&self, size: u64, reader: &(impl TileReader + ?Sized)) -> Result<Hash, TreeError> {
        self.check_size(size)?;
        if size == self.size { Ok(self.root()) } else { self.range_root(0, size, reader) }
    }

    /// The siblings from leaf `index` up to the root of the first `size` leaves (RFC 6962 section 2.1.1).
    ///
    /// # Errors
    /// [`TreeError`] for a size beyond the tree, an index beyond the size or a tile the reader lacks.
    pub fn inclusion_proof(
        &self,
        index: u64,
        size: u64,
        reader: &(impl TileReader + ?Sized),
    ) -> Result<Vec<Hash>, TreeError> {
        self.check_size(size)?;
        if index >= size {
            return Err(TreeError::IndexBeyondSize { index, size });
        }
        let (mut low, mut high) = (0, size);
        let mut proof = Vec::new();
        while high - low > 1 {
            let middle = low + split(high - low);
            if index < middle {
                proof.push(self.range_root(middle, high, reader)?);
                high = middle;
            } else {
                proof.push(self.range_root(low, middle, reader)?);
                low = middle;
            }
        }
        proof.reverse();
        Ok(proof)
    }

    /// The nodes that show the first `old` leaves to be a prefix of the first `size` (RFC 6962 section 2.1.2);
    /// empty when `old` is 0 or `size`.
    ///
    /// # Errors
    /// [`TreeError`] for a size beyond the tree, an old size beyond the new or a tile the reader lacks.
    pub fn consistency_proof(
        &self,
        old: u64,
        size: u64,
        reader: &(impl TileReader + ?Sized),
    ) -> Result<Vec<Hash>, TreeError> {
        self.check_size(size)?;
        if old > size {
            return Err(TreeError::IndexBeyondSize { index: old, size });
        }
        let mut proof = Vec::new();
        if old == 0 {
            return Ok(proof);
        }
        let (mut low, mut high) = (0, size);
        while old < high {
            let middle = low + split(high - low);
            if old <= middle {
                proof.push(self.range_root(middle, high, reader)?);
                high = middle;
            } else {
                proof.push(self.range_root(low, middle, reader)?);
                low = middle;
            }
        }
        // With low at 0 the old tree is one complete node, whose hash the verifier already has.
        if low != 0 {
            proof.push(self.range_root(low, high, reader)?);
        }
        proof.reverse();
        Ok(proof)
    }

    /// The hashes from which [`crate::prefix_root`] computes the root of the first `old` leaves in the tree of the
    /// first `size`: a consistency proof that always includes its first node.
    ///
    /// # Errors
    /// As [`Tree::consistency_proof`].
    pub fn prefix_proof(
        &self,
        old: u64,
        size: u64,
        reader: &(impl TileReader + ?Sized),
    ) -> Result<Vec<Hash>, TreeError> {
        let mut proof = self.consistency_proof(old, size, reader)?;
        if old.is_power_of_two() && old < size {
            proof.insert(0, self.range_root(0, old, reader)?);
        }
        Ok(proof)
    }

    /// The bytes of the first `width` hashes (1 to 256) of a tile: partial tiles of every size the tree ever had.
    ///
    /// # Errors
    /// [`TreeError::NoSuchTile`] if the tree is too small, [`TreeError::MissingTile`] if the reader lacks it.
    pub fn partial_tile(
        &self,
        level: u8,
        index: u64,
        width: u16,
        reader: &(impl TileReader + ?Sized),
    ) -> Result<Vec<u8>, TreeError> {
        let no_such_tile = TreeError::NoSuchTile { level, index, width };
        let Some(current) = self.levels.get(usize::from(level)) else {
            return Err(no_such_tile);
        };
        let full = self.size.checked_shr(tile_shift(level)).unwrap_or(0);
        if index < full {
            self.full_tile(level, index, reader)?.bytes(width).ok_or(no_such_tile)
        } else if index == full {
            current.bytes(width).ok_or(no_such_tile)
        } else {
            Err(no_such_tile)
        }
    }

    fn check_size(&self, size: u64) -> Result<(), TreeError> {
        if size > self.size {
            return Err(TreeError::SizeBeyondTree { size, current: self.size });
        }
        Ok(())
    }

    fn full_tile(
        &self,
        level: u8,
        index: u64,
        reader: &(impl TileReader + ?Sized),
    ) -> Result<Arc<TileNodes>, TreeError> {
        reader.tile(level, index).filter(|tile| tile.is_full()).ok_or(TreeError::MissingTile { level, index })
    }

    /// The root of leaves `low..high`; RFC 6962's split put `low` on a multiple of every piece's width.
    fn range_root(&self, low: u64, high: u64, reader: &(impl TileReader + ?Sized)) -> Result<Hash, TreeError> {
        let mut folded = None;
        let mut end = high;
        while end > low {
            // From right to left, beginning with the smallest piece: this needs no stack.
            let height = last_piece(low, end);
            let start = end - (1 << height);
            let node = self.node(height, start >> height, reader)?;
            folded = Some(folded.map_or(node, |right| node_hash(&node, &right)));
            end = start;
        }
        Ok(folded.unwrap_or(EMPTY_ROOT))
    }

    /// The root of the complete subtree of 2^`height` leaves at `position`.
    fn node(&self, height: u32, position: u64, reader: &(impl TileReader + ?Sized)) -> Result<Hash, TreeError> {
        let within = height % TILE_HEIGHT;
        let level = u8::try_from(height / TILE_HEIGHT).unwrap_or(u8::MAX);
        let index = position >> (TILE_HEIGHT - within);
        let slot = position & ((1 << (TILE_HEIGHT - within)) - 1);
        let missing = TreeError::MissingTile { level, index };
        let full = self.size.checked_shr(tile_shift(level)).unwrap_or(0);
        if index < full {
            self.full_tile(level, index, reader)?.node(within, slot).ok_or(missing)
        } else {
            let current = self.levels.get(usize::from(level));
            current.and_then(|tile| tile.node(within, slot)).ok_or(missing)
        }
    }
}

/// A tile of `level` spans 2^shift leaves.
fn tile_shift(level: u8) -> u32 {
    TILE_HEIGHT * (u32::from(level) + 1)
}

/// The height of the piece at the right end of leaves `low..end`: the smallest of them.
fn last_piece(low: u64, end: u64) -> u32 {
    (end - low).trailing_zeros()
}

/// The largest power of two below `n`, for `n` ≥ 2 (RFC 6962's `k`).
fn split(n: u64) -> u64 {
    1 << (n - 1).ilog2()
}
