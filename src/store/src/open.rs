//! Opening: every check before the service may use a folder (spec/store.md, Opening).

use std::collections::VecDeque;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::StoreError;
use crate::anchor::{Anchor, Anchored};
use crate::bundle::BUNDLE;
use crate::engine::Engine;
use crate::files::Files;
use crate::folder::{FORMAT, Folder, sync_dir};
use crate::history::History;
use crate::io_error::io_error;
use crate::reader::{Append, Index, Shared, at, unseal_meta};
use crate::record::{self, FORMAT_KEY, MARK_KEY, META_PREFIX, Mark, RECORD_PREFIX, Record};

/// A store that passed every check.
#[derive(Debug)]
pub(crate) struct Opened {
    pub shared: Shared,
    pub anchor: Anchor,
    pub meta_sum: u128,
}

/// Opens a folder whose parts exist. `lock` is kept while the store is open; a private copy has no lock. Sealed files
/// lie in `home`, and are read through `files`.
pub(crate) fn open(
    folder: &Folder,
    home: &Path,
    files: Arc<dyn Files>,
    lock: Option<File>,
) -> Result<Opened, StoreError> {
    if lock.is_some() {
        look_at_the_disk(folder)?;
    }
    let anchor = Anchor::open(&folder.anchor())?;
    drop_unfinished_snapshots(folder)?;
    // A folder opened without its lock is a private copy.
    let engine = if lock.is_some() { Engine::open(&folder.log())? } else { Engine::open_copy(&folder.log())? };
    // sled renames its snapshot file and leaves the directory unsynced; from here on, segments that the old snapshot
    // names may be used again.
    sync_dir(&folder.log())?;

    let mark = read_mark(&engine)?;
    let sealed = mark.map_or(0, |mark| mark.bundles.saturating_mul(BUNDLE));
    let Scan { firsts, size, last, unfinished, stale } = scan_log(&engine, sealed)?;
    let anchored = anchor.latest();
    check_length(&firsts, size, anchored)?;
    if size == 0 && engine.get(FORMAT_KEY)?.is_none() {
        // An empty log without acknowledged entries is legal; an empty sled is not even the one that was made.
        return Err(StoreError::damaged(None, "sled holds nothing, not even its format record"));
    }
    check_format(&engine)?;
    let history = History::open(home, files, mark)?;

    // The entries removed or repeated here were never acknowledged: they lie beyond the anchor, which was checked
    // above.
    if let Some((first, pieces)) = unfinished {
        for piece in 0..pieces {
            engine.remove(&record::piece_key(first, piece))?;
        }
    }
    // All these records are sealed.
    for key in stale {
        engine.remove(&key)?;
    }
    if let Some(last) = &last {
        redo_meta(&engine, last)?;
    }
    engine.flush()?;
    let meta_sum = check_meta(&engine, last.as_ref().map_or(0, |record| record.meta_sum))?;

    Ok(Opened { shared: Shared::new(engine, history, Index::new(firsts, size), lock), anchor, meta_sum })
}

/// Writes that an earlier process did not sync, or whose sync failed, may exist only in the system's memory. They would
/// be read here, built on, and lost with the next power cut. So the file is synced and then dropped from memory, and
/// reads come from the disk.
fn look_at_the_disk(folder: &Folder) -> Result<(), StoreError> {
    let log = folder.log();
    let names = fs::read_dir(&log).map_err(io_error("listing", &log))?;
    let in_log = names.map(|name| name.map(|name| name.path()).map_err(io_error("listing", &log)));
    for path in in_log.chain([Ok(folder.anchor())]) {
        let path = path?;
        let file = File::open(&path).map_err(io_error("opening", &path))?;
        if file.metadata().map_err(io_error("looking at", &path))?.is_file() {
            file.sync_all().map_err(io_error("syncing", &path))?;
            // If the file system does not know this advice, its memory is all there is.
            let _advised = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        }
    }
    Ok(())
}

/// A crash while sled opens can leave half a snapshot, which sled would then take for the newest one and refuse to
/// open. The whole one before it is still there: sled removes it only after the rename.
fn drop_unfinished_snapshots(folder: &Folder) -> Result<(), StoreError> {
    let log = folder.log();
    let names = fs::read_dir(&log).map_err(io_error("listing", &log))?;
    for name in names {
        let path = name.map_err(io_error("listing", &log))?.path();
        if is_unfinished_snapshot(&path) {
            fs::remove_file(&path).map_err(io_error("removing", &path))?;
        }
    }
    Ok(())
}

pub(crate) fn is_unfinished_snapshot(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|end| end == "generating")
}

struct Scan {
    firsts: VecDeque<Append>,
    size: u64,
    last: Option<Record>,
    /// An append cut off by a crash: its first entry and the pieces that reached the disk.
    unfinished: Option<(u64, u16)>,
    /// Keys of a sealed record whose removal was cut off by a crash: its first pieces are gone.
    stale: Vec<[u8; 11]>,
}

struct Assembly {
    first: u64,
    total: u16,
    next: u16,
    bytes: Vec<u8>,
}

fn read_mark(engine: &Engine) -> Result<Option<Mark>, StoreError> {
    let Some(value) = engine.get(MARK_KEY)? else { return Ok(None) };
    let mark = record::unseal(MARK_KEY, &value).and_then(record::decode_mark);
    mark.map(Some).ok_or_else(|| StoreError::damaged(None, "the mark of what is sealed does not match its seal"))
}

/// Reads all of the log in sled, checks every seal, and checks that entries follow each other without gap or overlap,
/// from the end of the `sealed` ones or before.
fn scan_log(engine: &Engine, sealed: u64) -> Result<Scan, StoreError> {
    let mut scan = Scan { firsts: VecDeque::new(), size: sealed, last: None, unfinished: None, stale: Vec::new() };
    let mut open: Option<Assembly> = None;
    let mut reached = 0;
    let result = engine.scan(&[RECORD_PREFIX], |key, value| {
        let Some((first, piece)) = record::parse_piece_key(key) else {
            return Err(StoreError::damaged(scan.size, "a key is not one of ours"));
        };
        let Some((total, chunk)) = record::open_piece(key, value) else {
            return Err(StoreError::damaged(first, "a value does not match its seal"));
        };
        let is_first = scan.firsts.is_empty() && open.is_none();
        if is_first && piece > 0 && first < sealed {
            scan.stale.push(record::piece_key(first, piece));
            return Ok(ControlFlow::Continue(()));
        }
        if is_first && first < sealed {
            scan.size = first;
        }
        let mut assembly = match open.take() {
            None if first > scan.size => {
                return Err(StoreError::Gapped { at: scan.size, next: first });
            }
            None if first < scan.size => return Err(StoreError::Overlap { at: first }),
            None => Assembly { first, total, next: 0, bytes: Vec::new() },
            Some(open) => open,
        };
        if (assembly.first, assembly.next, assembly.total) != (first, piece, total) || piece >= total {
            return Err(StoreError::damaged(assembly.first, format!("piece {} of a record is missing", assembly.next)));
        }
        assembly.bytes.extend_from_slice(chunk);
        assembly.next += 1;
        if assembly.next < total {
            open = Some(assembly);
        } else {
            let record = Record::decode(assembly.bytes)
                .filter(|record| record.first == first)
                .ok_or_else(|| StoreError::damaged(first, "a record does not decode"))?;
            scan.firsts.push_back((first, total));
            scan.size = first + record.count();
            reached = scan.size;
            scan.last = Some(record);
        }
        Ok(ControlFlow::Continue(()))
    });
    result.map_err(|e| at(reached, e))?;
    scan.unfinished = open.map(|assembly| (assembly.first, assembly.next));
    if sealed > 0 && (scan.size < sealed || scan.last.is_none()) {
        // The newest records stay after sealing: at least one exists, and it reaches the mark.
        return Err(StoreError::damaged(scan.size, "the newest records are missing"));
    }
    Ok(scan)
}

/// Compares the log's length with the anchor's. A crash between the two syncs leaves one append beyond it; if one slot
/// is unreadable, the anchor may be one more write behind.
fn check_length(firsts: &VecDeque<Append>, have: u64, anchored: &Anchored) -> Result<(), StoreError> {
    let Anchored { size, torn, .. } = *anchored;
    if have == 0 && size > 0 {
        return Err(StoreError::Empty { anchored: size });
    }
    if have < size {
        return Err(StoreError::BehindAnchor { have, anchored: size });
    }
    if let Some((first, _)) = firsts.front()
        && size < *first
    {
        // Entries that left sled were anchored before they were sealed.
        return Err(StoreError::AnchorStale { have, anchored: size, appends: firsts.len() as u64 });
    }
    let anchored_appends = firsts.partition_point(|(first, _)| *first < size);
    let boundary = firsts.get(anchored_appends).map_or(have, |(first, _)| *first);
    if boundary != size {
        return Err(StoreError::damaged(size, "the anchor points into the middle of an append"));
    }
    let appends = firsts.len() - anchored_appends;
    if appends > 1 + usize::from(torn) {
        return Err(StoreError::AnchorStale { have, anchored: size, appends: appends as u64 });
    }
    Ok(())
}

fn check_format(engine: &Engine) -> Result<(), StoreError> {
    let value = engine.get(FORMAT_KEY)?;
    let body = value.as_deref().and_then(|value| record::unseal(FORMAT_KEY, value));
    if body != Some(FORMAT.as_bytes()) {
        return Err(StoreError::damaged(None, "sled's format record is missing or damaged"));
    }
    Ok(())
}

/// Metadata is put after the sync of its record and becomes durable with the next sync; after a crash in between, it is
/// repaired from the record. Only the last record can be affected: the append after it synced all before.
fn redo_meta(engine: &Engine, last: &Record) -> Result<(), StoreError> {
    for (key, value) in &last.changes {
        let key = record::meta_key(key);
        let stored = engine.get(&key)?;
        if let Some(stored) = &stored {
            unseal_meta(&key, stored)?;
        }
        let wanted = value.as_ref().map(|value| record::seal(&key, value));
        match wanted {
            Some(wanted) if stored.as_deref() != Some(&wanted) => engine.put(&key, &wanted)?,
            None if stored.is_some() => engine.remove(&key)?,
            _ => {}
        }
    }
    Ok(())
}

/// Checks every metadata value's seal, and their sum against the log's last record.
fn check_meta(engine: &Engine, wanted: u128) -> Result<u128, StoreError> {
    let mut sum = 0_u128;
    let mut count = 0_u64;
    engine
        .scan(&[META_PREFIX], |key, value| {
            unseal_meta(key, value)?;
            sum = sum.wrapping_add(record::weight(value));
            count += 1;
            Ok(ControlFlow::Continue(()))
        })
        .map_err(|e| match e {
            StoreError::Damaged { what, .. } => StoreError::MetaDamaged { what },
            other => other,
        })?;
    if sum != wanted {
        return Err(StoreError::MetaDamaged {
            what: format!("the {count} values present do not add up to the last append's sum"),
        });
    }
    Ok(sum)
}
