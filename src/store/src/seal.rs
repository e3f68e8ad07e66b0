//! Sealing: one step moves full, anchored bundles from sled to the open segment (spec/store.md, Sealing, step by step).
//!
//! Owns: the order of the steps. Does not own: recovery after a crash between them (`history`, `open`), the Merkle tree
//! (the caller's check), the thread that calls (src/server).

use std::io;
use std::ops::ControlFlow;
use std::sync::{MutexGuard, PoisonError};

use crate::bundle::{self, BUNDLE, Seal};
use crate::files::create_anew;
use crate::folder::require_space;
use crate::history::{History, Open};
use crate::io_error::io_error;
use crate::record::{self, Mark};
use crate::segment::{self, HEADER, Header, MAX_ROWS, SEALED};
use crate::tile_path::is_tile_path;
use crate::{Store, StoreError};

/// The temporary name of a tile.
const NEW_TILE: &str = "tile/new";
/// Longest tile, in bytes: 256 hashes of 32.
pub(crate) const MAX_TILE: u64 = 8_192;

/// A step takes no more bundles once it has so many plain bytes, because they are in memory together.
const MOST_BYTES: u64 = 16 << 20;

/// The size of a sealing step, and of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealLimits {
    /// A segment gets its footer before it would become longer than this.
    pub segment_bytes: u64,
    /// The most bundles in a step, which syncs once.
    pub bundles: u64,
}

impl Default for SealLimits {
    fn default() -> Self {
        Self { segment_bytes: 64 << 20, bundles: 16 }
    }
}

/// A file that a sealed bundle completes: a full tile of level 1 or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileFile {
    /// `tile/<level>/<number>`, as spec/log.md writes it.
    pub path: String,
    /// At most 8,192 bytes.
    pub bytes: Vec<u8>,
}

/// Checks a bundle that was read back from its segment against the tree, and returns the tiles that it completes. It
/// refuses bytes that are not a bundle of this log, with words.
pub type Check<'a> = dyn FnMut(u64, &[&[u8]]) -> Result<Vec<TileFile>, String> + 'a;

/// The right to seal: one sealer at a time, and never while the same segment is appended to.
#[derive(Debug, Default)]
pub(crate) struct Sealer {
    /// Whether the open segment's file ends at the end of its frames.
    is_cut: bool,
}

impl Store {
    /// Seals the next anchored bundles if there are `at_least` so many, at most [`SealLimits::bundles`], and returns
    /// the number sealed. Reads give the same results before and after. Runs beside appends and reads.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] and [`StoreError::NoMemory`] before any write; the store continues. [`StoreError::SealRefused`] if `check` refuses,
    /// or any other error: the store is stopped.
    pub fn seal(&self, at_least: u64, check: &mut Check<'_>) -> Result<u64, StoreError> {
        let mut sealer = self.sealer();
        self.shared().check_running()?;
        let history = &self.shared().history;
        let sealed = history.bundles();
        let anchored = self.anchored_size();
        let there = (anchored / BUNDLE).saturating_sub(sealed).min(self.limits.bundles);
        if there == 0 || there < at_least {
            // Records that an earlier process sealed but did not remove.
            self.drop_sealed(anchored).inspect_err(|failure| self.shared().stop(failure))?;
            return Ok(0);
        }
        let (mut packed, mut bytes) = (Vec::new(), 0_u64);
        for bundle in (sealed..).take(usize::try_from(there).unwrap_or(0)) {
            let next = self.raw(bundle)?;
            bytes = bytes.saturating_add(next.len() as u64);
            packed.push(bundle::pack(bundle, &next).ok_or(StoreError::NoMemory { bundle })?);
            if bytes > MOST_BYTES {
                break;
            }
        }
        require_space(&self.folder, bytes)?;
        // ---- refusals end here ----
        self.seal_all(&mut sealer, &packed, anchored, check).inspect_err(|failure| self.shared().stop(failure))?;
        Ok(packed.len() as u64)
    }

    fn sealer(&self) -> MutexGuard<'_, Sealer> {
        self.sealer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plain bytes of a bundle that is in sled.
    fn raw(&self, bundle: u64) -> Result<Vec<u8>, StoreError> {
        let first = bundle.saturating_mul(BUNDLE);
        let (mut raw, mut fits) = (Vec::new(), Ok(()));
        self.read(first..first.saturating_add(BUNDLE), |_, entry| {
            fits = match raw.try_reserve(entry.len().saturating_add(2)) {
                Err(_) => Err(StoreError::NoMemory { bundle }),
                Ok(()) => bundle::add_entry(&mut raw, entry)
                    .ok_or_else(|| StoreError::damaged(first, "an entry is longer than an entry can be")),
            };
            if fits.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        fits.map(|()| raw)
    }

    fn seal_all(
        &self,
        sealer: &mut Sealer,
        packed: &[(Vec<u8>, Seal)],
        anchored: u64,
        check: &mut Check<'_>,
    ) -> Result<(), StoreError> {
        let history = &self.shared().history;
        let mut packed = packed.iter().peekable();
        while packed.peek().is_some() {
            let mut open = self.segment_to_append(sealer)?;
            let before = open.rows.len();
            let mut is_full = false;
            while let Some((frame, seal)) = packed.peek() {
                let len = open.len.saturating_add(frame.len() as u64);
                let rows = open.rows.len().saturating_add(1);
                let with_footer = len.saturating_add(segment::footer_len(rows));
                is_full = rows > 1 && (with_footer > self.limits.segment_bytes || rows > MAX_ROWS);
                if is_full {
                    break;
                }
                let Ok(offset) = u32::try_from(open.len) else {
                    return Err(StoreError::Limit { what: "bytes in a segment", got: open.len, max: u32::MAX.into() });
                };
                history.files.append(&open.name(), frame).map_err(self.io("writing", &open.name()))?;
                open.rows.push((offset, *seal));
                open.len = len;
                packed.next();
            }
            if open.rows.len() > before {
                self.make_sealed(&open, before, anchored, check)?;
            }
            if is_full {
                self.finish(&open)?;
                sealer.is_cut = false;
            }
        }
        Ok(())
    }

    fn io(&self, doing: &'static str, name: &str) -> impl FnOnce(io::Error) -> StoreError + use<> {
        io_error(doing, &self.folder.dir.join(name))
    }

    /// The open segment, without bytes after its frames; a new one if there is none.
    fn segment_to_append(&self, sealer: &mut Sealer) -> Result<Open, StoreError> {
        let files = &self.shared().history.files;
        let (open, next) = self.shared().history.open_segment();
        let open = match open {
            Some(open) => {
                if !sealer.is_cut {
                    files.cut(&open.name(), open.len).map_err(self.io("cutting", &open.name()))?;
                }
                open
            }
            None => self.begin(next)?,
        };
        sealer.is_cut = true;
        Ok(open)
    }

    fn begin(&self, header: Header) -> Result<Open, StoreError> {
        let files = &self.shared().history.files;
        let name = segment::name(header.number);
        // It may exist, begun before a crash: no part of it was marked.
        create_anew(files.as_ref(), &name).map_err(self.io("creating", &name))?;
        files.append(&name, &header.encode()).map_err(self.io("writing", &name))?;
        files.sync(&name).map_err(self.io("syncing", &name))?;
        files.sync_dir(SEALED).map_err(self.io("syncing", SEALED))?;
        Ok(Open { header, rows: Vec::new(), len: HEADER as u64 })
    }

    /// Frames from row `before` on are appended: sync them, check them, mark them, and remove the records from sled.
    fn make_sealed(&self, open: &Open, before: usize, anchored: u64, check: &mut Check<'_>) -> Result<(), StoreError> {
        let shared = self.shared();
        shared.history.files.sync(&open.name()).map_err(self.io("syncing", &open.name()))?;
        for row in before..open.rows.len() {
            let number = open.header.first.saturating_add(row as u64);
            let bundle = shared.history.read_back(open, row)?;
            let tiles =
                check(number, &bundle.entries()).map_err(|what| StoreError::SealRefused { bundle: number, what })?;
            for tile in tiles {
                self.write_tile(&tile)?;
            }
        }
        if let Some((_, seal)) = open.rows.last() {
            let mark = Mark { bundles: open.end(), seal: *seal };
            shared.engine.put(record::MARK_KEY, &record::seal(record::MARK_KEY, &record::encode_mark(&mark)))?;
        }
        shared.history.advance(open.clone());
        self.drop_sealed(anchored)
    }

    /// Removes records from sled that are no longer needed: all their entries are sealed, they ended at or before the
    /// anchor, and two later ones exist.
    fn drop_sealed(&self, anchored: u64) -> Result<(), StoreError> {
        let shared = self.shared();
        let end = shared.history.bundles().saturating_mul(BUNDLE).min(anchored);
        for (first, pieces) in shared.forget_before(end) {
            for piece in 0..pieces {
                shared.engine.remove(&record::piece_key(first, piece))?;
            }
        }
        Ok(())
    }

    /// Ends a segment whose bundles are all marked. A footer is final, so the mark must be durable first.
    fn finish(&self, open: &Open) -> Result<(), StoreError> {
        let shared = self.shared();
        shared.engine.flush()?;
        let (footer, hash) = segment::footer(&open.header, &open.rows);
        shared.history.files.append(&open.name(), &footer).map_err(self.io("writing", &open.name()))?;
        shared.history.files.sync(&open.name()).map_err(self.io("syncing", &open.name()))?;
        shared.history.finish(open, hash);
        Ok(())
    }

    /// Writes a tile under its name, atomically.
    fn write_tile(&self, tile: &TileFile) -> Result<(), StoreError> {
        let len = tile.bytes.len() as u64;
        if !is_tile_path(&tile.path) || len > MAX_TILE {
            return Err(StoreError::Limit { what: "bytes of a tile by its path", got: len, max: MAX_TILE });
        }
        let files = &self.shared().history.files;
        let mut dir = String::new();
        for part in tile.path.split('/').take(tile.path.matches('/').count()) {
            let parent = dir.clone();
            dir = if dir.is_empty() { part.to_owned() } else { format!("{dir}/{part}") };
            files.make_dir(&dir).map_err(self.io("making", &dir))?;
            files.sync_dir(if parent.is_empty() { "." } else { &parent }).map_err(self.io("syncing", &parent))?;
        }
        create_anew(files.as_ref(), NEW_TILE).map_err(self.io("creating", NEW_TILE))?;
        files.append(NEW_TILE, &tile.bytes).map_err(self.io("writing", NEW_TILE))?;
        files.sync(NEW_TILE).map_err(self.io("syncing", NEW_TILE))?;
        files.rename(NEW_TILE, &tile.path).map_err(self.io("renaming", NEW_TILE))?;
        files.sync_dir(&dir).map_err(self.io("syncing", &dir))
    }
}

impl History {
    /// A tile that was written; `None` if there is none of that name.
    pub fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if !is_tile_path(path) {
            return Ok(None);
        }
        let failed = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(StoreError::Io { doing: "reading", path: path.into(), source: e }),
        };
        let len = match self.files.len(path) {
            Ok(len) => len.min(MAX_TILE),
            Err(e) => return failed(e),
        };
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        match self.files.read_at(path, 0, &mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(e) => failed(e),
        }
    }
}
