//! Tiles verified as they are fetched, each against the tree above it, so that nothing reaches a mirror that is not
//! under the signed root (spec/log.md, "Tiles").

use crate::outcome::UnusableInput;
use crate::tiled::Tiled;
use crate::whole_log::LogError;
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_tlog::{Checkpoint, Hash, TileNodes, TilePath, root_of_edge};
use std::collections::HashMap;
use std::sync::Arc;

/// The tiles of a log under a signed checkpoint, each verified as it is fetched: the partial ones lead to the root, a
/// full one to its hash in the tile above. No byte is believed before that.
pub struct Verified<'s> {
    /// Where tiles are looked for, in this order: one's own copies first.
    sources: Vec<&'s Tiled>,
    size: u64,
    edge: HashMap<u8, Arc<TileNodes>>,
    /// The last full tile of each level: those above the one that is read.
    above: HashMap<u8, (u64, Arc<TileNodes>)>,
}

impl<'s> Verified<'s> {
    /// Fetches the right edge, which must lead to the checkpoint's root.
    pub fn under(checkpoint: &Checkpoint, sources: Vec<&'s Tiled>) -> Result<Verified<'s>, LogError> {
        let mut last = None;
        for tiled in &sources {
            let mut edge = HashMap::new();
            let root = root_of_edge(checkpoint.size, |path| -> Result<TileNodes, LogError> {
                let nodes = parsed(path, tiled.fetch(path)?).ok_or_else(|| missing(tiled, path))?;
                if let TilePath::Tile { level, .. } = path {
                    edge.insert(level, Arc::new(nodes.clone()));
                }
                Ok(nodes)
            });
            match root {
                Ok(root) if root == checkpoint.root => {
                    return Ok(Verified { sources, size: checkpoint.size, edge, above: HashMap::new() });
                }
                Ok(root) => {
                    let what =
                        format!("the partial tiles lead to root {root}, the checkpoint is of root {}", checkpoint.root);
                    last = Some(Finding::new(Check::Root, what).into());
                }
                Err(trouble) => last = Some(trouble),
            }
        }
        Err(last.unwrap_or_else(|| UnusableInput::new("no source").into()))
    }

    /// The root that the tree of `size` leaves, at most as many as this one has, had if this one extends it.
    pub fn root_at(&mut self, size: u64) -> Result<Hash, LogError> {
        root_of_edge(size, |path| {
            let TilePath::Tile { level, index, .. } = path else { return Err(UnusableInput::new("not a tile").into()) };
            let tile = self.tile(level, index)?;
            tile.cut(path.width()).ok_or_else(|| UnusableInput::new(format!("{path} is beyond the tree")).into())
        })
    }

    /// A tile as wide as this tree has it.
    pub fn tile(&mut self, level: u8, index: u64) -> Result<Arc<TileNodes>, LogError> {
        let full = self.size.checked_shr(8 * (u32::from(level) + 1)).unwrap_or(0);
        if index >= full {
            let at_edge = self.edge.get(&level).filter(|_| index == full).cloned();
            return at_edge
                .ok_or_else(|| UnusableInput::new(format!("tile {index} of level {level} is beyond the tree")).into());
        }
        if let Some((_, known)) = self.above.get(&level).filter(|(known, _)| *known == index) {
            return Ok(known.clone());
        }
        let parent = self.tile(level + 1, index / 256)?;
        let expected = parent.node(0, index % 256);
        let path = TilePath::Tile { level, index, partial: None };
        let mut last = None;
        for tiled in &self.sources {
            match parsed(path, tiled.fetch(path)?) {
                Some(nodes) if nodes.root().is_some() && nodes.root() == expected => {
                    let nodes = Arc::new(nodes);
                    self.above.insert(level, (index, nodes.clone()));
                    return Ok(nodes);
                }
                Some(_) => {
                    last =
                        Some(Finding::new(Check::Tile, format!("{path} is not the tile under the signed root")).into())
                }
                None => last = Some(missing(tiled, path)),
            }
        }
        Err(last.unwrap_or_else(|| UnusableInput::new("no source").into()))
    }
}

fn parsed(path: TilePath, bytes: Option<Vec<u8>>) -> Option<TileNodes> {
    TileNodes::from_bytes(&bytes?).ok().filter(|nodes| nodes.width() == path.width())
}

fn missing(tiled: &Tiled, path: TilePath) -> LogError {
    Finding::new(Check::Tile, format!("{}: {path} is not there, or is no tile of that width", tiled.name())).into()
}
