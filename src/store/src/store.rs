//! The writer's half: making, opening, appending, anchoring.

use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::anchor::{Anchor, Anchored};
use crate::copy::ReadCopy;
use crate::engine::Engine;
use crate::files::{DiskFiles, Files};
use crate::folder::{FORMAT, Folder, Space, free_space, require_space, sync_file};
use crate::io_error::io_error;
use crate::open::{self, Opened};
use crate::reader::{Reader, unseal_meta};
use crate::record::{self, FORMAT_KEY, MetaChanges, MetaWrite, Piece, Record};
use crate::seal::{SealLimits, Sealer};
use crate::{StoreError, true_sync};

/// The log, open for its one writer; it dereferences to [`Reader`].
#[derive(Debug)]
pub struct Store {
    reader: Reader,
    writer: Mutex<Writer>,
    pub(crate) sealer: Mutex<Sealer>,
    pub(crate) limits: SealLimits,
    pub(crate) folder: Folder,
}

#[derive(Debug)]
struct Writer {
    anchor: Anchor,
    meta_sum: u128,
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Store {
    /// Makes a new store in `dir` (which is made if missing); writing the marker is the last step.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if any part of a store is there already; [`StoreError::NoTrueSync`].
    pub fn create(dir: &Path) -> Result<Self, StoreError> {
        require_filter()?;
        let folder = Folder::at(dir);
        fs::create_dir_all(dir).map_err(io_error("making", dir))?;
        let lock = folder.lock_to_write()?;
        folder.require_vacant()?;
        require_space(&folder, 0)?;

        let log = folder.log();
        let engine = Engine::open(&log)?;
        engine.put(FORMAT_KEY, &record::seal(FORMAT_KEY, FORMAT.as_bytes()))?;
        engine.flush()?;
        drop(engine);
        let sealed = folder.sealed();
        fs::create_dir(&sealed).map_err(io_error("making", &sealed))?;
        for name in ["conf", "db"] {
            sync_file(&log.join(name))?;
        }
        Anchor::create(&folder.anchor())?;
        folder.sync_dirs()?;
        folder.write_marker()?;

        Ok(Self::new(
            open::open(&folder, &folder.dir, Arc::new(DiskFiles::at(&folder.dir)), Some(lock))?,
            SealLimits::default(),
            folder,
        ))
    }

    /// Opens the store in `dir`. Checks sled's part of it, and where sealed files begin and end; their content is
    /// checked when it is read, and by [`Reader::verify_sealed`]. The log is at least as long as the returned anchor
    /// says. It may be longer by one append that was never acknowledged. The caller checks the entries against the
    /// note.
    ///
    /// # Errors
    /// One [`StoreError`] for each reason why the folder cannot be used.
    pub fn open(dir: &Path) -> Result<(Self, Anchored), StoreError> {
        Self::open_with(dir, Arc::new(DiskFiles::at(dir)), SealLimits::default())
    }

    /// Like [`Store::open`], with other limits of sealing, and with `files` for reading and writing sealed files.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(dir: &Path, files: Arc<dyn Files>, limits: SealLimits) -> Result<(Self, Anchored), StoreError> {
        require_filter()?;
        let folder = Folder::at(dir);
        folder.require_store()?;
        let lock = folder.lock_to_write()?;
        require_space(&folder, 0)?;
        let opened = open::open(&folder, &folder.dir, files, Some(lock))?;
        let anchored = opened.anchor.latest().clone();
        Ok((Self::new(opened, limits, folder), anchored))
    }

    /// Opens a private copy of a stopped service's folder; the folder itself is not written to.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while a service runs in it; otherwise as [`Store::open`].
    pub fn open_copy(dir: &Path) -> Result<ReadCopy, StoreError> {
        ReadCopy::of(dir)
    }

    fn new(opened: Opened, limits: SealLimits, folder: Folder) -> Self {
        let Opened { shared, anchor, meta_sum } = opened;
        let writer = Mutex::new(Writer { anchor, meta_sum });
        Self { reader: Reader::new(Arc::new(shared)), writer, sealer: Mutex::default(), limits, folder }
    }

    /// Another handle to read with.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// The state that the anchor vouches for now.
    pub fn anchored(&self) -> Anchored {
        self.writer().anchor.latest().clone()
    }

    pub(crate) fn anchored_size(&self) -> u64 {
        self.writer().anchor.latest().size
    }

    /// Appends `entries` and applies `meta` with them, durably and all or nothing. The append before must be anchored,
    /// so that a crash leaves at most one append beyond the anchor.
    ///
    /// # Errors
    /// [`StoreError::SizeMismatch`], [`StoreError::Unanchored`], [`StoreError::Limit`], [`StoreError::NothingToAppend`]
    /// and [`StoreError::DiskFull`] before any write. After any other error the store is stopped; only opening it again
    /// shows whether the append is in it.
    pub fn append(&self, expected_size: u64, entries: &[Vec<u8>], meta: &[MetaWrite]) -> Result<(), StoreError> {
        let mut writer = self.writer();
        self.shared().check_running()?;
        let size = self.size();
        if expected_size != size {
            return Err(StoreError::SizeMismatch { expected: expected_size, actual: size });
        }
        let anchored = writer.anchor.latest().size;
        if anchored != size {
            return Err(StoreError::Unanchored { size, anchored });
        }
        let changes = record::check_append(entries, meta)?;
        let meta_sum = self.sum_after(writer.meta_sum, &changes)?;
        let bytes = Record::encode(size, entries, &changes, meta_sum)?;
        let pieces = record::pieces(size, &bytes)?;
        let record =
            Record::decode(bytes).ok_or(StoreError::Limit { what: "entries in the log", got: size, max: u64::MAX })?;
        require_space(&self.folder, record.stored_bytes() as u64)?;
        // ---- refusals end here ----
        self.write(&pieces, record, &changes).inspect_err(|failure| self.shared().stop(failure))?;
        writer.meta_sum = meta_sum;
        Ok(())
    }

    fn write(&self, pieces: &[Piece], record: Record, changes: &MetaChanges) -> Result<(), StoreError> {
        let shared = self.shared();
        // Single puts, in order, and no sled batch: a batch costs a second write and sync for its manifest. sled
        // recovers a prefix of the writes, so an append cut off by a crash lacks its last pieces, and opening removes
        // the rest of it.
        for (key, value) in pieces {
            shared.engine.put(key, value)?;
        }
        shared.engine.flush()?;
        // Metadata becomes visible here, when the entries that cause it are durable; it needs no sync of its own,
        // because opening repeats the last record's.
        for (key, value) in changes {
            let key = record::meta_key(key);
            match value {
                Some(value) => shared.engine.put(&key, &record::seal(&key, value))?,
                None => shared.engine.remove(&key)?,
            }
        }
        let mut index = shared.index.write().unwrap_or_else(PoisonError::into_inner);
        index.push(Arc::new(record), u16::try_from(pieces.len()).unwrap_or(u16::MAX));
        Ok(())
    }

    /// Makes the anchor vouch for the log's present size, with the checkpoint signed for it. Replies may be sent after
    /// this returns, not before. The same size may be anchored again, with a newer note.
    ///
    /// # Errors
    /// [`StoreError::SizeMismatch`] and [`StoreError::Limit`] before any write; any other error stops the store.
    pub fn write_anchor(&self, size: u64, note: &[u8]) -> Result<(), StoreError> {
        let mut writer = self.writer();
        self.shared().check_running()?;
        let actual = self.size();
        if size != actual {
            return Err(StoreError::SizeMismatch { expected: size, actual });
        }
        writer.anchor.write(size, note).inspect_err(|failure| {
            if !matches!(failure, StoreError::Limit { .. }) {
                self.shared().stop(failure);
            }
        })
    }

    /// Bytes still free on the store's disk.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the system cannot tell.
    pub fn free_space(&self) -> Result<Space, StoreError> {
        free_space(&self.folder.dir)
    }

    /// The metadata sum after `changes` to the stored values.
    fn sum_after(&self, mut sum: u128, changes: &MetaChanges) -> Result<u128, StoreError> {
        for (key, value) in changes {
            let key = record::meta_key(key);
            if let Some(stored) = self.shared().engine.get(&key)? {
                unseal_meta(&key, &stored)?;
                sum = sum.wrapping_sub(record::weight(&stored));
            }
            if let Some(value) = value {
                sum = sum.wrapping_add(record::weight(&record::seal(&key, value)));
            }
        }
        Ok(sum)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // A panic while it was held stopped the store or changed no state.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn require_filter() -> Result<(), StoreError> {
    if true_sync::in_place() { Ok(()) } else { Err(StoreError::NoTrueSync) }
}
