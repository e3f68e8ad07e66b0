//! Checkpoints that clients say they saw, held against the log as it grows: another root is another history
//! (spec/audit.md, "Findings", `saw_other`).

use fairshoe_house::SeenCheckpoint;
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_tlog::{CompletedTile, TileError, TileNodes, TileReader, Tree};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Completed tiles kept, of all levels: 16 KiB each; enough for what clients saw some 60,000 entries ago.
const MAX_TILES: usize = 256;

/// The log as it grew, against which the checkpoints are held that clients say they saw when they revealed a seed.
/// One of another root is evidence of a second history: somebody was shown a log that is not this one.
#[derive(Default)]
pub struct SawCheck {
    tiles: HashMap<(u8, u64), Arc<TileNodes>>,
    order: VecDeque<(u8, u64)>,
    /// Checkpoints that were held against the log.
    pub checked: u64,
    /// Checkpoints older than what is kept in memory.
    pub too_old: u64,
}

impl TileReader for SawCheck {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        self.tiles.get(&(level, index)).cloned()
    }
}

impl SawCheck {
    /// Takes in a tile that the log completed.
    pub fn keep(&mut self, tile: &CompletedTile) {
        let place = (tile.level, tile.index);
        self.tiles.insert(place, tile.nodes.clone());
        self.order.push_back(place);
        if self.order.len() > MAX_TILES
            && let Some(oldest) = self.order.pop_front()
        {
            self.tiles.remove(&oldest);
        }
    }

    /// The tiles that are kept, oldest first, to be put back later.
    pub fn tiles(&self) -> impl Iterator<Item = (u8, u64, Vec<u8>)> {
        let kept = self.order.iter().filter_map(|place| self.tiles.get_key_value(place));
        kept.map(|((level, index), nodes)| (*level, *index, nodes.bytes(nodes.width()).unwrap_or_default()))
    }

    /// Puts a tile back that was kept.
    pub fn put_back(&mut self, level: u8, index: u64, bytes: &[u8]) -> Result<(), TileError> {
        self.keep(&CompletedTile { level, index, nodes: Arc::new(TileNodes::from_bytes(bytes)?) });
        Ok(())
    }

    /// Holds a checkpoint named in the entry at `index`, the last of `tree`, against the log before that entry.
    pub fn check(&mut self, tree: &Tree, index: u64, saw: &SeenCheckpoint) -> Result<(), Finding> {
        let wrong = |what: String| Err(Finding::at(Check::SawOther, index, None, what));
        if saw.size > index {
            return wrong(format!("the player had seen a checkpoint of {} entries when the log had {index}", saw.size));
        }
        match tree.root_at(saw.size, &*self).map(|root| root.to_string()) {
            Err(_) => self.too_old += 1,
            Ok(root) if root == saw.root => self.checked += 1,
            Ok(root) => {
                return wrong(format!(
                    "the player had seen a checkpoint of {} entries with root {}; this log's is {root}",
                    saw.size, saw.root
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_tlog::leaf_hash;

    fn grow(size: u64) -> (Tree, SawCheck, Vec<String>) {
        let (mut tree, mut seen, mut roots) = (Tree::new(), SawCheck::default(), Vec::new());
        for n in 0..size {
            roots.push(tree.root().to_string());
            tree.append(leaf_hash(&n.to_be_bytes())).iter().for_each(|tile| seen.keep(tile));
        }
        (tree, seen, roots)
    }

    #[test]
    fn a_checkpoint_of_this_log_is_recognised_at_every_size() {
        let (tree, mut seen, roots) = grow(700);
        for (size, root) in roots.iter().enumerate() {
            let saw = SeenCheckpoint { size: size as u64, root: root.clone() };
            assert_eq!(seen.check(&tree, 699, &saw), Ok(()), "size {size}");
        }
        assert_eq!((seen.checked, seen.too_old), (700, 0));
    }

    #[test]
    fn another_history_or_a_size_from_the_future_is_found() {
        let (tree, mut seen, roots) = grow(300);
        let other = SeenCheckpoint { size: 200, root: roots[201].clone() };
        assert_eq!(seen.check(&tree, 299, &other).unwrap_err().check, Check::SawOther);
        let future = SeenCheckpoint { size: 300, root: tree.root().to_string() };
        assert_eq!(seen.check(&tree, 299, &future).unwrap_err().check, Check::SawOther);
    }

    #[test]
    fn what_is_too_old_is_counted_and_not_judged() {
        let (tree, mut seen, roots) = grow(256 * (MAX_TILES as u64 + 8));
        let old = SeenCheckpoint { size: 100, root: roots[100].clone() };
        assert_eq!(seen.check(&tree, tree.size() - 1, &old), Ok(()));
        assert_eq!((seen.checked, seen.too_old), (0, 1));
    }
}
