//! The reader's checks: an entry is under a root, and a root extends an earlier one.

use crate::hash::{EMPTY_ROOT, Hash, node_hash};

/// The longest inclusion or consistency proof a tree of at most 2⁶⁴−1 leaves can need, in hashes.
pub const MAX_PROOF: usize = 65;

/// Why a Merkle proof is refused (spec/log.md, "Proofs").
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The tree has no leaf of this index.
    #[error("index {index} is not in a tree of {size} entries")]
    IndexBeyondSize {
        /// Claimed index.
        index: u64,
        /// Size of the tree.
        size: u64,
    },
    /// The newer tree is smaller than the older: a log never shrinks.
    #[error("a tree of {new_size} entries cannot extend one of {old_size}")]
    Shrunk {
        /// Size known before.
        old_size: u64,
        /// Size offered now.
        new_size: u64,
    },
    /// The proof has more or fewer hashes than these sizes need.
    #[error("the proof has {found} hashes, not the number these sizes need")]
    WrongLength {
        /// Hashes in the proof.
        found: usize,
    },
    /// Hashing the proof does not lead to the (newer) root.
    #[error("the proof leads to root {computed}, not {expected}")]
    WrongRoot {
        /// The root that the proof leads to.
        computed: Hash,
        /// The root it was checked against.
        expected: Hash,
    },
    /// Hashing the proof does not lead to the older root: history was rewritten, or the proof is wrong.
    #[error("the proof leads to older root {computed}, not {expected}")]
    WrongOldRoot {
        /// The root that the proof leads to.
        computed: Hash,
        /// The root it was checked against.
        expected: Hash,
    },
}

fn same_root(computed: Hash, expected: &Hash) -> Result<(), ProofError> {
    if computed == *expected {
        return Ok(());
    }
    Err(ProofError::WrongRoot { computed, expected: *expected })
}

/// Checks that the leaf hash `leaf` is at `index` under `root` in a tree of `size` leaves
/// (RFC 9162 section 2.1.3.2; spec/log.md, "Inclusion").
///
/// # Errors
/// [`ProofError`] naming the first check that failed.
pub fn verify_inclusion(leaf: &Hash, index: u64, size: u64, proof: &[Hash], root: &Hash) -> Result<(), ProofError> {
    if index >= size {
        return Err(ProofError::IndexBeyondSize { index, size });
    }
    let wrong_length = ProofError::WrongLength { found: proof.len() };
    let (mut node, mut last) = (index, size - 1);
    let mut computed = *leaf;
    for sibling in proof {
        if last == 0 {
            return Err(wrong_length);
        }
        if node & 1 == 1 || node == last {
            computed = node_hash(sibling, &computed);
            skip_lone_levels(&mut node, &mut last);
        } else {
            computed = node_hash(&computed, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(wrong_length);
    }
    same_root(computed, root)
}

/// At the right edge a node without a right sibling is promoted unchanged; those levels have no hash in the proof.
fn skip_lone_levels(node: &mut u64, last: &mut u64) {
    // The shift is never 64: the node is odd, or is the level's last, which is not 0 while a sibling is left.
    let lone = node.trailing_zeros();
    *node >>= lone;
    *last >>= lone;
}

/// Checks that the tree of `new_size` leaves under `new_root` begins with the tree of `old_size` leaves under
/// `old_root` (RFC 9162 section 2.1.4.2; spec/log.md, "Consistency").
///
/// Every tree extends the empty one: with `old_size` 0 the proof is empty, `old_root` is [`EMPTY_ROOT`], and the proof
/// tells the reader no fact about the new tree.
///
/// # Errors
/// [`ProofError`] naming the first check that failed.
pub fn verify_consistency(
    old_size: u64,
    new_size: u64,
    old_root: &Hash,
    new_root: &Hash,
    proof: &[Hash],
) -> Result<(), ProofError> {
    if old_size > new_size {
        return Err(ProofError::Shrunk { old_size, new_size });
    }
    if old_size == 0 && *old_root != EMPTY_ROOT {
        return Err(ProofError::WrongOldRoot { computed: EMPTY_ROOT, expected: *old_root });
    }
    let wrong_length = ProofError::WrongLength { found: proof.len() };
    if old_size == 0 || old_size == new_size {
        if !proof.is_empty() {
            return Err(wrong_length);
        }
        if old_size == new_size {
            return same_root(*old_root, new_root);
        }
        return Ok(());
    }

    // A complete old tree is itself the first node of the path, and is left out of the proof.
    let (first, rest) = if old_size.is_power_of_two() {
        (old_root, proof)
    } else {
        proof.split_first().ok_or_else(|| wrong_length.clone())?
    };
    let (old, new) = lead_up(old_size, new_size, *first, rest).ok_or(wrong_length)?;
    if old != *old_root {
        return Err(ProofError::WrongOldRoot { computed: old, expected: *old_root });
    }
    same_root(new, new_root)
}

/// The root of the first `old_size` leaves in the tree of `new_size` leaves under `new_root`, whichever root was signed
/// for that size. `proof` is a consistency proof that always includes its first hash, the node that ends the old tree
/// (see [`crate::Tree::prefix_proof`]). So anyone can see that another root of that size belongs to another log
/// (spec/audit.md, "Evidence").
///
/// # Errors
/// [`ProofError`] naming the first check that failed.
pub fn prefix_root(old_size: u64, new_size: u64, new_root: &Hash, proof: &[Hash]) -> Result<Hash, ProofError> {
    if old_size > new_size {
        return Err(ProofError::Shrunk { old_size, new_size });
    }
    let wrong_length = ProofError::WrongLength { found: proof.len() };
    if old_size == 0 || old_size == new_size {
        let root = if old_size == 0 { EMPTY_ROOT } else { *new_root };
        return if proof.is_empty() { Ok(root) } else { Err(wrong_length) };
    }
    let (first, rest) = proof.split_first().ok_or_else(|| wrong_length.clone())?;
    let (old, new) = lead_up(old_size, new_size, *first, rest).ok_or(wrong_length)?;
    same_root(new, new_root)?;
    Ok(old)
}

/// Hashes upwards from the node that ends the old tree: the old root and the new one, or `None` if the path's length
/// does not fit these sizes. `0 < old_size < new_size`.
fn lead_up(old_size: u64, new_size: u64, first: Hash, rest: &[Hash]) -> Option<(Hash, Hash)> {
    let (mut node, mut last) = (old_size - 1, new_size - 1);
    let complete = node.trailing_ones();
    node >>= complete;
    last >>= complete;
    let (mut old, mut new) = (first, first);
    for sibling in rest {
        if last == 0 {
            return None;
        }
        if node & 1 == 1 || node == last {
            old = node_hash(sibling, &old);
            new = node_hash(sibling, &new);
            skip_lone_levels(&mut node, &mut last);
        } else {
            new = node_hash(&new, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    (last == 0).then_some((old, new))
}
