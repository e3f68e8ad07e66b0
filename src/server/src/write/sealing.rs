//! The sealer: moves what is anchored from sled to sealed files, behind the commit thread's back (spec/store.md, Sealed
//! history).
//!
//! Owns: when a step is made, and that each bundle is held against the signed tree before sled forgets it. Does not
//! own: the files, their order of syncs (src/store).

use crate::write::published::Tiles;
use fairshoe_store::{Store, StoreError, TileFile};
use fairshoe_tlog::{Hash, TileNodes, TilePath, leaf_hash};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tracing::{error, info, warn};

/// Bundles in a step: one sync for so many.
const STEP: u64 = 16;

/// After so long without a step one is made for fewer: a quiet service has little in sled, too.
const PATIENCE: Duration = Duration::from_secs(2);

/// Entries not sealed yet from which on the commit thread seals, too: sled's file never shrinks, so it must not grow
/// when this thread gets no processor for a while.
const MOST_UNSEALED: u64 = 65_536;

/// How often it looks whether there is a step's worth.
const PAUSE: Duration = Duration::from_millis(200);

/// Seals until the other end of `committing` is gone, and then what full bundles are left. A failure ends the process,
/// as one of the commit thread does: the next start finds out what the disk holds.
pub fn run(store: &Store, tiles: &Arc<Tiles>, committing: &Receiver<()>) {
    let mut said_full = false;
    let mut last = Instant::now();
    loop {
        let at_least = if last.elapsed() < PATIENCE { STEP } else { 1 };
        let sealed = match step(store, tiles, at_least) {
            Ok(sealed) => sealed > 0,
            // Nothing was written; what is not sealed yet stays in sled.
            Err(failure) if waits(&failure) && !store.is_stopped() => {
                if !std::mem::replace(&mut said_full, true) {
                    warn!(%failure, advice = failure.advice(), "history is not sealed for want of space");
                }
                false
            }
            Err(failure) => fatal(&failure),
        };
        if sealed {
            said_full = false;
            last = Instant::now();
            continue;
        }
        if committing.recv_timeout(PAUSE) == Err(RecvTimeoutError::Disconnected) {
            break;
        }
    }
    // So that a stopped folder has as much as can be in files that any tool can copy.
    loop {
        match step(store, tiles, 1) {
            Ok(0) => break,
            Ok(_) => {}
            Err(failure) if waits(&failure) && !store.is_stopped() => break,
            Err(failure) => fatal(&failure),
        }
    }
    info!(entries = store.sealed(), "sealed");
}

/// Whether nothing is wrong but want of space or memory. *Attack: strangers who make the process use all memory that it may
/// have; a service that took this for damage told its operator to give the log up.*
fn waits(failure: &StoreError) -> bool {
    matches!(failure, StoreError::DiskFull { .. } | StoreError::NoMemory { .. })
}

fn fatal(failure: &StoreError) -> ! {
    error!(%failure, advice = failure.advice(), "history cannot be sealed; the process stops");
    std::process::exit(74)
}

/// Seals at most a step's worth, and nothing if there are fewer bundles.
pub fn step(store: &Store, tiles: &Arc<Tiles>, at_least: u64) -> Result<u64, StoreError> {
    store.seal(at_least, &mut |bundle, entries| check(tiles, bundle, entries))
}

/// A step by whoever appends, where the sealer has fallen behind. A disk too full for it is the sealer's to say.
pub fn keep_up(store: &Store, tiles: &Arc<Tiles>) -> Result<(), StoreError> {
    if store.size().saturating_sub(store.sealed()) < MOST_UNSEALED {
        return Ok(());
    }
    match step(store, tiles, STEP) {
        Err(failure) if waits(&failure) && !store.is_stopped() => Ok(()),
        other => other.map(drop),
    }
}

/// Holds a bundle against the tree, and gives the tiles of level 1 and above that are full with it.
fn check(tiles: &Arc<Tiles>, bundle: u64, entries: &[&[u8]]) -> Result<Vec<TileFile>, String> {
    let leaves: Vec<u8> = entries.iter().flat_map(|entry| leaf_hash(entry).0).collect();
    let root = TileNodes::from_bytes(&leaves).ok().and_then(|tile| tile.root());
    let signed = tiles.root_of(0, bundle);
    if root.is_none() || root != signed {
        let of = |hash: Option<Hash>| hash.map_or_else(|| "none".to_owned(), |hash| hash.to_string());
        return Err(format!("its entries lead to {}, the tree has {}", of(root), of(signed)));
    }
    let mut full = Vec::new();
    let (mut level, mut index) = (0_u8, bundle);
    while index % 256 == 255 {
        (level, index) = (level.saturating_add(1), index / 256);
        let bytes = tiles.full(level, index).and_then(|tile| tile.bytes(256));
        let bytes = bytes.ok_or_else(|| format!("tile {index} of level {level} is missing"))?;
        full.push(TileFile { path: TilePath::Tile { level, index, partial: None }.to_string(), bytes });
    }
    Ok(full)
}
