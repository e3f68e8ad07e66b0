//! Shared by the test files: a log kept in memory, a second implementation of RFC 6962, reference data.
#![allow(dead_code)]

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use fairshoe_tlog::{EMPTY_ROOT, Hash, TileNodes, Tree, leaf_hash, node_hash};

/// A tree with the full tiles it completed, and its leaves for the second implementation.
#[derive(Default)]
pub struct Book {
    pub tree: Tree,
    pub tiles: HashMap<(u8, u64), Arc<TileNodes>>,
    pub leaves: Vec<Hash>,
}

impl Book {
    pub fn of(size: u64) -> Self {
        let mut book = Self::default();
        for n in 0..size {
            book.append(leaf_hash(&n.to_be_bytes()));
        }
        book
    }

    pub fn append(&mut self, leaf: Hash) {
        for tile in self.tree.append(leaf) {
            assert_eq!(tile.bytes().len(), 8192);
            // A tile read back from storage must equal the completed one.
            let reread = TileNodes::from_bytes(&tile.bytes()).unwrap();
            assert_eq!(reread, *tile.nodes);
            let earlier = self.tiles.insert((tile.level, tile.index), Arc::new(reread));
            assert!(earlier.is_none(), "tile {}/{} completed twice", tile.level, tile.index);
        }
        self.leaves.push(leaf);
    }
}

fn k(n: usize) -> usize {
    let mut k = 1;
    while k * 2 < n {
        k *= 2;
    }
    k
}

/// MTH of RFC 6962 section 2.1, as it is written there.
pub fn mth(d: &[Hash]) -> Hash {
    match d {
        [] => EMPTY_ROOT,
        [leaf] => *leaf,
        _ => {
            let (left, right) = d.split_at(k(d.len()));
            node_hash(&mth(left), &mth(right))
        }
    }
}

/// PATH of RFC 6962 section 2.1.1.
pub fn path(m: usize, d: &[Hash]) -> Vec<Hash> {
    if d.len() <= 1 {
        return vec![];
    }
    let (left, right) = d.split_at(k(d.len()));
    let (mut proof, sibling) =
        if m < left.len() { (path(m, left), mth(right)) } else { (path(m - left.len(), right), mth(left)) };
    proof.push(sibling);
    proof
}

/// SUBPROOF of RFC 6962 section 2.1.2; `PROOF(m, D) = SUBPROOF(m, D, true)`.
pub fn subproof(m: usize, d: &[Hash], whole: bool) -> Vec<Hash> {
    if m == d.len() {
        return if whole { vec![] } else { vec![mth(d)] };
    }
    let (left, right) = d.split_at(k(d.len()));
    let (mut proof, sibling) = if m <= left.len() {
        (subproof(m, left, whole), mth(right))
    } else {
        (subproof(m - left.len(), right, false), mth(left))
    };
    proof.push(sibling);
    proof
}

/// A folder of the reference data, or `None` (with a message) if it is not available.
pub fn reference(folder: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("FAIRSHOE_REFERENCE") {
        Some(given) => PathBuf::from(given),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference"),
    };
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no reference data {folder} (set FAIRSHOE_REFERENCE)");
    None
}
