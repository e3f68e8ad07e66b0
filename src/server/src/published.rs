//! What is durable and signed: the only log that readers ever see.

use crate::durable::ReadLog;
use fairshoe_fairness::TableId;
use fairshoe_house::{Table, TableKind};
use fairshoe_tlog::{Hash, TileNodes, TileReader, TlogProof, Tree, TreeError};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

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

/// Full tiles, from memory or the store.
pub struct Tiles {
    reader: Arc<dyn ReadLog>,
    cache: Mutex<HashMap<(u8, u64), Arc<TileNodes>>>,
}

/// Tiles kept in memory: 16 KiB each.
const CACHED_TILES: usize = 1024;

impl Tiles {
    pub fn new(reader: Arc<dyn ReadLog>) -> Self {
        Tiles { reader, cache: Mutex::default() }
    }

    /// The key under which a tile is stored.
    pub fn key(level: u8, index: u64) -> Vec<u8> {
        let mut key = vec![b't', b'/', level];
        key.extend(index.to_be_bytes());
        key
    }

    /// Keeps a tile that was just stored, or was just proven against the log.
    pub fn keep(&self, level: u8, index: u64, nodes: Arc<TileNodes>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CACHED_TILES
            && let Some(oldest) = cache.keys().filter(|(level, _)| *level == 0).min().or_else(|| cache.keys().min()).copied()
        {
            cache.remove(&oldest);
        }
        cache.insert((level, index), nodes);
    }
}

impl TileReader for Tiles {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        if let Some(known) = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&(level, index)) {
            return Some(known.clone());
        }
        let stored = self.reader.meta_get(&Tiles::key(level, index)).ok()??;
        let nodes = Arc::new(TileNodes::from_bytes(&stored).ok().filter(TileNodes::is_full)?);
        self.keep(level, index, nodes.clone());
        Some(nodes)
    }
}
