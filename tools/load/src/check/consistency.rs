//! The tiles that prove that a log extends an earlier one, or holds an entry, and the proofs made of them
//! (spec/log.md).

use fairshoe_tlog::{Hash, TilePath, node_hash};
use std::num::NonZeroU8;

/// A complete subtree: the node at `height` and `position` within one tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The tile that holds it, as the log of the newer size serves it.
    pub tile: TilePath,
    /// Its height within the tile, 0 to 7.
    pub height: u32,
    /// Its position at that height within the tile.
    pub position: u64,
}

/// For each hash of the proof that `old` entries are a prefix of `new`, its subtrees, left to right. Empty if no proof
/// is needed: `old` is 0 or `new`.
pub fn consistency_nodes(old: u64, new: u64) -> Vec<Vec<Node>> {
    let mut proof = Vec::new();
    if old == 0 || old >= new {
        return proof;
    }
    let (mut low, mut high) = (0, new);
    while old < high {
        let middle = low + (1 << (high - low - 1).ilog2());
        if old <= middle {
            proof.push(range(middle, high, new));
            high = middle;
        } else {
            proof.push(range(low, middle, new));
            low = middle;
        }
    }
    // The verifier already has an old tree that is one complete subtree.
    if low != 0 {
        proof.push(range(low, high, new));
    }
    proof.reverse();
    proof
}

/// For each hash of the path from leaf `index` to the root of `size` entries, its subtrees.
pub fn inclusion_nodes(index: u64, size: u64) -> Vec<Vec<Node>> {
    let mut path = Vec::new();
    if index >= size {
        return path;
    }
    let (mut low, mut high) = (0, size);
    while high - low > 1 {
        let middle = low + (1 << (high - low - 1).ilog2());
        if index < middle {
            path.push(range(middle, high, size));
            high = middle;
        } else {
            path.push(range(low, middle, size));
            low = middle;
        }
    }
    path.reverse();
    path
}

/// The complete subtrees of leaves `low..high`, left to right.
fn range(low: u64, high: u64, size: u64) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut end = high;
    while end > low {
        let height = (end - low).trailing_zeros();
        let start = end - (1 << height);
        nodes.push(node(height, start >> height, size));
        end = start;
    }
    nodes.reverse();
    nodes
}

fn node(height: u32, position: u64, size: u64) -> Node {
    let (level, within) = (height / 8, height % 8);
    let index = position >> (8 - within);
    let hashes = size.checked_shr(8 * level).unwrap_or(0);
    // The edge tile is served at its width; the width cannot be 0, because then the node would not be in it.
    let partial = if index == hashes / 256 { u8::try_from(hashes % 256).ok().and_then(NonZeroU8::new) } else { None };
    let tile = TilePath::Tile { level: u8::try_from(level).unwrap_or(u8::MAX), index, partial };
    Node { tile, height: within, position: position & ((1 << (8 - within)) - 1) }
}

/// One hash of the proof from its subtrees' hashes, left to right; `None` for an empty list.
pub fn fold_nodes(hashes: impl DoubleEndedIterator<Item = Hash>) -> Option<Hash> {
    hashes.rev().reduce(|right, left| node_hash(&left, &right))
}
