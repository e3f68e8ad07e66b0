//! What is durable and signed: the only log that readers ever see.

use crate::write::durable::ReadLog;
use fairshoe_fairness::TableId;
use fairshoe_house::{Table, TableKind};
use fairshoe_tlog::{Hash, TileNodes, TilePath, TileReader, TlogProof, Tree, TreeError, leaf_hash};
use std::collections::{BTreeMap, HashMap};
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tracing::warn;

/// The log at one signed checkpoint.
pub struct Published {
    /// The tree at that size; clones share its tiles.
    pub tree: Tree,
    /// The signed note.
    pub checkpoint: String,
}

impl Published {
    /// How many entries it covers.
    pub fn size(&self) -> u64 {
        self.tree.size()
    }

    /// An entry's inclusion path to the checkpoint's root.
    pub fn path(&self, index: u64, tiles: &Tiles) -> Result<Vec<Hash>, TreeError> {
        self.tree.inclusion_proof(index, self.size(), tiles)
    }

    /// An entry's receipt, as the text of a `.tlog-proof` file.
    pub fn receipt(&self, index: u64, tiles: &Tiles) -> Result<String, TreeError> {
        self.receipt_under(index, self.size(), self.checkpoint.clone(), tiles)
    }

    /// The same under an earlier checkpoint of this log: its size and its signed note.
    pub fn receipt_under(&self, index: u64, size: u64, note: String, tiles: &Tiles) -> Result<String, TreeError> {
        let path = self.tree.inclusion_proof(index, size, tiles)?;
        Ok(TlogProof { extra: None, index, path, checkpoint_text: note }.format())
    }
}

/// The open tables as they stand under the newest checkpoint: lists are made of these, and never ask the house.
#[derive(Default)]
pub struct OpenTables(RwLock<BTreeMap<TableId, Arc<Table>>>);

/// How a table stands after an entry; closed, where there is none.
pub type Standing = (TableId, Option<Arc<Table>>);

impl OpenTables {
    /// Takes in how tables stand now.
    pub fn put(&self, standing: impl IntoIterator<Item = Standing>) {
        let mut open = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (id, table) in standing {
            match table {
                Some(table) => drop(open.insert(id, table)),
                None => drop(open.remove(&id)),
            }
        }
    }

    /// A table.
    pub fn get(&self, id: &TableId) -> Option<Arc<Table>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Which kind of table one is. It never becomes another.
    pub fn kind(&self, id: &TableId) -> Option<TableKind> {
        self.get(id).map(|table| table.kind())
    }

    /// At most so many, in the order of their names, after this one; and whether there are more.
    pub fn page(&self, after: Option<&TableId>, limit: usize) -> (Vec<Arc<Table>>, bool) {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let open = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut rest = open.range::<TableId, _>((from, Bound::Unbounded)).map(|(_, table)| table.clone());
        (rest.by_ref().take(limit).collect(), rest.next().is_some())
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Table>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

/// Full tiles: of level 0 from the entries under them, of the levels above from files that sealing wrote, each held
/// against the tile above it; the newest in memory.
pub struct Tiles {
    reader: Arc<dyn ReadLog>,
    cache: Mutex<HashMap<(u8, u64), Arc<TileNodes>>>,
    /// The newest tree. It may be ahead of what is published by what is being committed.
    tree: RwLock<Tree>,
}

/// Tiles kept in memory: 16 KiB each.
const CACHED_TILES: usize = 1024;

impl Tiles {
    pub fn new(reader: Arc<dyn ReadLog>) -> Self {
        Tiles { reader, cache: Mutex::default(), tree: RwLock::default() }
    }

    /// Keeps a tile that was just completed, or was just proven against the log.
    pub fn keep(&self, level: u8, index: u64, nodes: Arc<TileNodes>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CACHED_TILES
            && let Some(oldest) =
                cache.keys().filter(|(level, _)| *level == 0).min().or_else(|| cache.keys().min()).copied()
        {
            cache.remove(&oldest);
        }
        cache.insert((level, index), nodes);
    }

    /// Forgets what was kept: it was of a tree that is not the log's.
    pub fn forget(&self) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The tree that tiles are of, as it stands now; called before its size is anchored.
    pub fn grown(&self, tree: &Tree) {
        *self.tree.write().unwrap_or_else(PoisonError::into_inner) = tree.clone();
    }

    /// The root of a full tile, as the tree has it one level above; nothing for a tile that is not full in it.
    pub fn root_of(&self, level: u8, index: u64) -> Option<Hash> {
        let tree = self.tree.read().unwrap_or_else(PoisonError::into_inner).clone();
        let width = u16::try_from(index % 256).ok()?.checked_add(1)?;
        let above = tree.partial_tile(level.checked_add(1)?, index / 256, width, self).ok()?;
        above.last_chunk::<32>().map(|hash| Hash(*hash))
    }

    /// A full tile.
    pub fn full(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        if let Some(known) = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&(level, index)) {
            return Some(known.clone());
        }
        let nodes = Arc::new(match level {
            0 => self.of_entries(index)?,
            _ => self.in_file(level, index).or_else(|| self.of_tiles(level, index))?,
        });
        self.keep(level, index, nodes.clone());
        Some(nodes)
    }

    /// The leaf hashes of a bundle.
    fn of_entries(&self, index: u64) -> Option<TileNodes> {
        let first = index.checked_mul(256)?;
        let mut leaves = Vec::with_capacity(8192);
        let read = self.reader.read(first..first.checked_add(256)?, &mut |_, entry| {
            leaves.extend(leaf_hash(entry).0);
            ControlFlow::Continue(())
        });
        read.ok()?;
        TileNodes::from_bytes(&leaves).ok().filter(TileNodes::is_full)
    }

    /// A tile's file, if it is the tile that the tree has there.
    fn in_file(&self, level: u8, index: u64) -> Option<TileNodes> {
        let path = TilePath::Tile { level, index, partial: None }.to_string();
        let tile = TileNodes::from_bytes(&self.reader.tile(&path).ok()??).ok().filter(TileNodes::is_full);
        let tile = tile.filter(|tile| tile.root().is_some() && tile.root() == self.root_of(level, index));
        if tile.is_none() {
            warn!(
                path,
                "this file is not the tile that the log has there; it is made from the level below each time it is asked for"
            );
        }
        tile
    }

    /// The roots of the 256 tiles below: for a tile that is not sealed yet, or whose file is gone or damaged.
    fn of_tiles(&self, level: u8, index: u64) -> Option<TileNodes> {
        let below = level.checked_sub(1)?;
        let first = index.checked_mul(256)?;
        let mut roots = Vec::with_capacity(8192);
        for index in first..first.checked_add(256)? {
            // Past the memory of tiles, which these would empty.
            let root = match below {
                0 => self.of_entries(index)?.root(),
                _ => self.full(below, index)?.root(),
            };
            roots.extend(root?.0);
        }
        TileNodes::from_bytes(&roots).ok().filter(TileNodes::is_full)
    }
}

impl TileReader for Tiles {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        self.full(level, index)
    }
}
