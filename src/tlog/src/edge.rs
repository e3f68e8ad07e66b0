//! A tree from the root down: its right edge gives the root, and each full tile is named by the tile above it.

use std::num::NonZeroU8;

use crate::hash::{EMPTY_ROOT, Hash};
use crate::path::TilePath;
use crate::tile::TileNodes;

/// The partial tiles of a tree of `size` leaves, lowest level first: at most one at each level, never empty.
pub fn edge_of_size(size: u64) -> impl Iterator<Item = TilePath> {
    (0..8u8).filter_map(move |level| {
        let hashes = size >> (8 * u32::from(level));
        let partial = NonZeroU8::new(u8::try_from(hashes % 256).unwrap_or_default())?;
        Some(TilePath::Tile { level, index: hashes / 256, partial: Some(partial) })
    })
}

/// The root of a tree of `size` leaves from its partial tiles (see [`edge_of_size`]) alone (spec/log.md, "Tiles").
///
/// Two trees are consistent if the older tree's partial tiles are prefixes of the newer tree's tiles at the same place:
/// cut from those, they lead to the older root.
///
/// # Errors
/// The error of `tile`.
pub fn root_of_edge<E>(size: u64, mut tile: impl FnMut(TilePath) -> Result<TileNodes, E>) -> Result<Hash, E> {
    let mut folded = None;
    for path in edge_of_size(size) {
        folded = tile(path)?.fold_edge(folded);
    }
    Ok(folded.unwrap_or(EMPTY_ROOT))
}

impl TileNodes {
    /// The root of a full tile, which the tile above it holds.
    #[must_use]
    pub fn root(&self) -> Option<Hash> {
        self.node(crate::tile::TILE_HEIGHT, 0)
    }

    /// The tile of the first `width` hashes (1 to 256), as it was when it had no more; `None` if it has fewer.
    #[must_use]
    pub fn cut(&self, width: u16) -> Option<TileNodes> {
        TileNodes::from_bytes(&self.bytes(width)?).ok()
    }
}
