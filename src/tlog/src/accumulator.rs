//! The right edge of a growing tree only: a whole log is streamed to its root.

use crate::hash::{EMPTY_ROOT, Hash, node_hash};

/// Computes the root of leaves given one at a time, holding at most 64 hashes (spec/log.md, "The tree").
#[derive(Clone, Debug, Default)]
pub struct RootAccumulator {
    size: u64,
    /// Roots of the complete subtrees that make up the tree, largest first: one for each set bit of `size`.
    edge: Vec<Hash>,
}

impl RootAccumulator {
    /// The accumulator of the empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next leaf's hash (see [`crate::leaf_hash`]).
    pub fn append(&mut self, leaf: Hash) {
        let mut right = leaf;
        // Each trailing one of the size is a complete subtree that this leaf completes to the next.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.edge.pop() {
                right = node_hash(&left, &right);
            }
        }
        self.edge.push(right);
        self.size += 1;
    }

    /// Number of leaves so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The RFC 6962 root of the leaves so far.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut edge = self.edge.iter().rev().copied();
        let last = edge.next().unwrap_or(EMPTY_ROOT);
        edge.fold(last, |right, left| node_hash(&left, &right))
    }
}
