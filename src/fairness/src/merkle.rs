//! The RFC 6962 tree over the slots of a shoe, all levels in one vector. The log's tree is another one, in its own
//! crate.

use sha2::{Digest, Sha256};

/// Length of a leaf's data: salt, slot, value.
pub(crate) const LEAF: usize = 19;

pub(crate) type Hash = [u8; 32];

/// `H(0x00 leaf)` (RFC 6962, section 2.1).
pub(crate) fn leaf_hash(salt: &[u8; 16], slot: u16, value: u8) -> Hash {
    let mut block = [0; 1 + LEAF];
    block[1..17].copy_from_slice(salt);
    block[17..19].copy_from_slice(&slot.to_be_bytes());
    block[19] = value;
    Sha256::digest(block).into()
}

/// `H(0x01 left right)` (RFC 6962, section 2.1).
fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let mut block = [0; 65];
    block[0] = 1;
    block[1..33].copy_from_slice(left);
    block[33..].copy_from_slice(right);
    Sha256::digest(block).into()
}

/// One step of a path upwards: the level's sibling and its side, or `None` if the last node of an odd level goes up
/// unchanged.
enum Step {
    Left(usize),
    Right(usize),
    None,
}

fn step(index: usize, width: usize) -> Step {
    if index % 2 == 1 {
        Step::Left(index - 1)
    } else if index + 1 < width {
        Step::Right(index + 1)
    } else {
        Step::None
    }
}

/// The steps from leaf `index` of `leaves` to the root, with each level's width.
fn steps(mut index: usize, leaves: usize) -> impl Iterator<Item = (Step, usize)> {
    let mut width = leaves;
    std::iter::from_fn(move || {
        if width <= 1 {
            return None;
        }
        let step = (step(index, width), width);
        index /= 2;
        width = width.div_ceil(2);
        Some(step)
    })
}

/// Number of hashes in the path of leaf `index` of `leaves`.
pub(crate) fn path_len(index: usize, leaves: usize) -> usize {
    steps(index, leaves).filter(|(step, _)| !matches!(step, Step::None)).count()
}

/// The root that a leaf hash and its path lead to, at exactly (`index`, `leaves`); `None` if the path is too short or
/// too long.
pub(crate) fn root_from_path(leaf: Hash, index: usize, leaves: usize, path: &[Hash]) -> Option<Hash> {
    let mut siblings = path.iter();
    let mut hash = leaf;
    for (step, _) in steps(index, leaves) {
        hash = match step {
            Step::Left(_) => node_hash(siblings.next()?, &hash),
            Step::Right(_) => node_hash(&hash, siblings.next()?),
            Step::None => hash,
        };
    }
    siblings.next().is_none().then_some(hash)
}

/// A whole tree. Each level is paired from the left, and an odd last node is lifted unhashed. That gives the tree of
/// RFC 6962, whose left part is the greatest power of two below the size.
pub(crate) struct Tree {
    leaves: usize,
    /// Leaves, then each level above, the root last.
    nodes: Vec<Hash>,
}

impl Tree {
    pub(crate) fn new(leaves: impl ExactSizeIterator<Item = Hash>) -> Self {
        let count = leaves.len();
        // Levels halve: twice the leaves, and one lifted node for each level.
        let mut nodes = Vec::with_capacity(2 * count + 17);
        nodes.extend(leaves);
        let (mut start, mut width) = (0, nodes.len());
        while width > 1 {
            let end = start + width;
            let mut left = start;
            while let Some(&[l, r]) = nodes.get(left..end.min(left + 2)) {
                nodes.push(node_hash(&l, &r));
                left += 2;
            }
            if let Some(&odd) = nodes.get(left..end).and_then(<[Hash]>::first) {
                nodes.push(odd);
            }
            start = end;
            width = width.div_ceil(2);
        }
        Self { leaves: count, nodes }
    }

    /// The root; without leaves the hash of the empty string, as in RFC 6962.
    pub(crate) fn root(&self) -> Hash {
        match self.nodes.last() {
            Some(root) => *root,
            None => Sha256::digest([]).into(),
        }
    }

    /// The path of a leaf, from the leaf upwards; `None` past the last leaf.
    pub(crate) fn path(&self, index: usize) -> Option<Vec<Hash>> {
        if index >= self.leaves {
            return None;
        }
        let mut start = 0;
        let mut path = Vec::with_capacity(path_len(index, self.leaves));
        for (step, width) in steps(index, self.leaves) {
            if let Step::Left(at) | Step::Right(at) = step {
                path.push(*self.nodes.get(start + at)?);
            }
            start += width;
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written from RFC 6962's recursion instead of the levels.
    fn root(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Sha256::digest([]).into(),
            [leaf] => *leaf,
            _ => {
                let split = leaves.len().next_power_of_two() / 2;
                node_hash(&root(&leaves[..split]), &root(&leaves[split..]))
            }
        }
    }

    fn path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
        if leaves.len() <= 1 {
            return vec![];
        }
        let split = leaves.len().next_power_of_two() / 2;
        let (left, right) = leaves.split_at(split);
        if index < split {
            let mut path = path(index, left);
            path.push(root(right));
            path
        } else {
            let mut path = path(index - split, right);
            path.push(root(left));
            path
        }
    }

    #[test]
    fn tree_and_paths_are_rfc_6962_for_every_small_size() {
        let leaves: Vec<Hash> = (0..70).map(|i| leaf_hash(&[i; 16], i.into(), i)).collect();
        for count in 0..=leaves.len() {
            let leaves = &leaves[..count];
            let tree = Tree::new(leaves.iter().copied());
            assert_eq!(tree.root(), root(leaves), "{count}");
            for (index, leaf) in leaves.iter().enumerate() {
                let want = path(index, leaves);
                let got = tree.path(index).unwrap();
                assert_eq!(got, want, "{index} of {count}");
                assert_eq!(got.len(), path_len(index, count));
                assert_eq!(root_from_path(*leaf, index, count, &got), Some(tree.root()));
                let mut long = got.clone();
                long.push([0; 32]);
                assert_eq!(root_from_path(*leaf, index, count, &long), None);
                if let Some((_, short)) = got.split_last() {
                    assert_eq!(root_from_path(*leaf, index, count, short), None);
                }
            }
            assert_eq!(tree.path(count), None);
        }
    }
}
