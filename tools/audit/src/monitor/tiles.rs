//! Tiles for a monitor's proofs, from its own audit or from an address, and the proofs made of them. Tiles that lead to
//! another root than the signed one are of no use, and say nothing about the log.

use crate::http::Client;
use crate::outcome::UnusableInput;
use crate::saw_check::SawCheck;
use crate::tiled::Tiled;
use fairshoe_tlog::{
    Checkpoint, EntryBundle, Hash, MAX_BUNDLE_ENTRIES, TileNodes, TilePath, TileReader, Tree, TreeError,
    bundles_for_size, edge_of_size, prefix_root,
};
use std::sync::Arc;

fn tiled(client: &Client) -> Tiled {
    Tiled::Address(Client::new(client.base()))
}

/// The full tiles of a log: those kept of the audit, else those that an address serves. What they are worth, the root
/// says that a proof of them leads to.
pub struct Tiles<'t> {
    pub seen: &'t SawCheck,
    pub client: Option<&'t Client>,
}

impl TileReader for Tiles<'_> {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        self.seen.tile(level, index).or_else(|| {
            let path = TilePath::Tile { level, index, partial: None };
            let bytes = tiled(self.client?).fetch(path).ok()?;
            TileNodes::from_bytes(&bytes).ok().map(Arc::new)
        })
    }
}

/// The tree under a checkpoint, from the partial tiles that an address serves of it; `None` where they lead to another
/// root than the signed one.
pub fn served_tree(client: &Client, checkpoint: &Checkpoint) -> Result<Option<Tree>, UnusableInput> {
    let mut edge: Vec<Vec<u8>> = Vec::new();
    for path in edge_of_size(checkpoint.size) {
        let TilePath::Tile { level, .. } = path else { continue };
        edge.resize(usize::from(level), Vec::new());
        edge.push(tiled(client).fetch(path)?);
    }
    let tree = Tree::resume(checkpoint.size, &edge).ok();
    Ok(tree.filter(|tree| tree.root() == checkpoint.root))
}

/// The hashes that show which root the first `older` entries of the newer tree lead to, and that root.
pub fn prefix(tree: &Tree, older: u64, tiles: &Tiles) -> Result<(Vec<Hash>, Hash), UnusableInput> {
    let missing = |e: TreeError| UnusableInput::new(format!("the first {older} entries cannot be compared: {e}"));
    let proof = tree.prefix_proof(older, tree.size(), tiles).map_err(missing)?;
    let wrong = |e| UnusableInput::new(format!("the tiles below entry {older} do not lead to the signed root: {e}"));
    let root = prefix_root(older, tree.size(), &tree.root(), &proof).map_err(wrong)?;
    Ok((proof, root))
}

/// One entry, from its bundle.
pub fn entry(client: &Client, index: u64, size: u64) -> Option<Vec<u8>> {
    let per_bundle = MAX_BUNDLE_ENTRIES as u64;
    let path = bundles_for_size(size).nth(usize::try_from(index / per_bundle).ok()?)?;
    let body = tiled(client).fetch(path).ok()?;
    let bundle = EntryBundle::decode(&body).ok()?;
    bundle.entries().get(usize::try_from(index % per_bundle).ok()?).map(|entry| entry.to_vec())
}
