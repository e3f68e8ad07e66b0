//! Tiles and entry bundles verified as they are fetched, each against the tree above it, so that nothing is judged, or
//! reaches a mirror, that is not under the signed root (spec/log.md, "Tiles"). Unsigned bytes are no finding.

use crate::outcome::UnusableInput;
use crate::tiled::Tiled;
use fairshoe_tlog::{Checkpoint, EntryBundle, Hash, TileNodes, TilePath, root_of_edge};
use std::collections::HashMap;
use std::sync::Arc;

/// The partial tiles of a tree, which lead to its root.
pub type Edge = Arc<HashMap<u8, Arc<TileNodes>>>;

/// The tiles of a log under a signed checkpoint, each verified as it is fetched: the partial ones lead to the root, a
/// full one to its hash in the tile above. No byte is believed before that.
pub struct Verified<'s> {
    /// Where tiles are looked for, in this order: one's own copies first.
    sources: Vec<&'s Tiled>,
    size: u64,
    edge: Edge,
    /// The last full tile of each level: those above the one that is read.
    above: HashMap<u8, (u64, Arc<TileNodes>)>,
}

impl<'s> Verified<'s> {
    /// Fetches the right edge, which must lead to the checkpoint's root.
    pub fn under(checkpoint: &Checkpoint, sources: Vec<&'s Tiled>) -> Result<Verified<'s>, UnusableInput> {
        let mut last = None;
        for tiled in &sources {
            let mut edge = HashMap::new();
            let root = root_of_edge(checkpoint.size, |path| -> Result<TileNodes, UnusableInput> {
                let nodes = tile_at(tiled, path)?;
                if let TilePath::Tile { level, .. } = path {
                    edge.insert(level, Arc::new(nodes.clone()));
                }
                Ok(nodes)
            });
            match root {
                Ok(root) if root == checkpoint.root => {
                    return Ok(Verified::with(checkpoint.size, Arc::new(edge), sources));
                }
                Ok(root) => {
                    let what = format!(
                        "{}: the partial tiles lead to root {root}, the checkpoint is of root {}",
                        tiled.name(),
                        checkpoint.root
                    );
                    last = Some(UnusableInput::new(what));
                }
                Err(trouble) => last = Some(trouble),
            }
        }
        Err(last.unwrap_or_else(|| UnusableInput::new("no source")))
    }

    /// The same with an edge that was fetched before.
    pub fn with(size: u64, edge: Edge, sources: Vec<&'s Tiled>) -> Verified<'s> {
        Verified { sources, size, edge, above: HashMap::new() }
    }

    /// The right edge.
    pub fn edge(&self) -> Edge {
        self.edge.clone()
    }

    /// The root that the tree of `size` leaves, at most as many as this one has, had if this one extends it.
    pub fn root_at(&mut self, size: u64) -> Result<Hash, UnusableInput> {
        root_of_edge(size, |path| {
            let TilePath::Tile { level, index, .. } = path else { return Err(UnusableInput::new("not a tile")) };
            let tile = self.tile(level, index)?;
            tile.cut(path.width()).ok_or_else(|| UnusableInput::new(format!("{path} is beyond the tree")))
        })
    }

    /// A tile as wide as this tree has it.
    pub fn tile(&mut self, level: u8, index: u64) -> Result<Arc<TileNodes>, UnusableInput> {
        let full = self.size.checked_shr(8 * (u32::from(level) + 1)).unwrap_or(0);
        if index >= full {
            let at_edge = self.edge.get(&level).filter(|_| index == full).cloned();
            return at_edge
                .ok_or_else(|| UnusableInput::new(format!("tile {index} of level {level} is beyond the tree")));
        }
        if let Some((_, known)) = self.above.get(&level).filter(|(known, _)| *known == index) {
            return Ok(known.clone());
        }
        let parent = self.tile(level + 1, index / 256)?;
        let expected = parent.node(0, index % 256);
        let path = TilePath::Tile { level, index, partial: None };
        let mut last = None;
        for tiled in &self.sources {
            match tile_at(tiled, path) {
                Ok(nodes) if nodes.root().is_some() && nodes.root() == expected => {
                    let nodes = Arc::new(nodes);
                    self.above.insert(level, (index, nodes.clone()));
                    return Ok(nodes);
                }
                Ok(_) => {
                    let what = format!("{}/{path}: this is not the tile under the signed root", tiled.name());
                    last = Some(UnusableInput::new(what));
                }
                Err(trouble) => last = Some(trouble),
            }
        }
        Err(last.unwrap_or_else(|| UnusableInput::new("no source")))
    }

    /// A bundle as wide as this tree has it.
    pub fn bundle(&mut self, path: TilePath) -> Result<Vec<u8>, UnusableInput> {
        let TilePath::Entries { index, .. } = path else { return Err(UnusableInput::new("not a bundle")) };
        let leaves = self.tile(0, index)?;
        let mut last = None;
        for tiled in &self.sources {
            match tiled.fetch(path) {
                Ok(bytes) if is_under(&bytes, path, &leaves) => return Ok(bytes),
                Ok(_) => {
                    let what = format!("{}/{path}: these are not the entries under the signed root", tiled.name());
                    last = Some(UnusableInput::new(what));
                }
                Err(trouble) => last = Some(trouble),
            }
        }
        Err(last.unwrap_or_else(|| UnusableInput::new("no source")))
    }
}

fn tile_at(tiled: &Tiled, path: TilePath) -> Result<TileNodes, UnusableInput> {
    let unreadable = |e| UnusableInput::new(format!("{}/{path}: {e}", tiled.name()));
    TileNodes::from_bytes(&tiled.fetch(path)?).map_err(unreadable)
}

/// Whether a bundle's entries hash to these leaves, as many as its path says.
fn is_under(bytes: &[u8], path: TilePath, leaves: &TileNodes) -> bool {
    let Ok(bundle) = EntryBundle::decode(bytes) else { return false };
    bundle.entries().len() == usize::from(path.width())
        && (0..).zip(bundle.leaf_hashes()).all(|(at, leaf)| leaves.node(0, at) == Some(leaf))
}
