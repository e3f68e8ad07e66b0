//! What is durable and signed: the only log that readers ever see.

use fairshoe_store::Reader;
use fairshoe_tlog::{Hash, TileNodes, TileReader, TlogProof, Tree, TreeError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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

/// Full tiles, from memory or the store.
pub struct Tiles {
    reader: Reader,
    cache: Mutex<HashMap<(u8, u64), Arc<TileNodes>>>,
}

/// Tiles kept in memory: 16 KiB each.
const CACHED_TILES: usize = 1024;

impl Tiles {
    pub fn new(reader: Reader) -> Self {
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
