//! Reading: any number of threads, next to the one writer.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::StoreError;
use crate::bundle::{BUNDLE, Bundle};
use crate::engine::Engine;
use crate::history::History;
use crate::record::{self, META_PREFIX, Record};

/// Bytes of the newest records kept decoded: receipts and views mostly ask for recent entries.
const RECENT_BYTES: usize = 8 << 20;

/// A handle to read the store with; cheap to clone, usable from any thread.
#[derive(Debug, Clone)]
pub struct Reader {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    // Fields are dropped in this order: the folder's lock goes last.
    pub engine: Engine,
    pub history: History,
    pub index: RwLock<Index>,
    stopped: AtomicBool,
    first_failure: OnceLock<String>,
    pub _lock: Option<File>,
}

/// The first entry of an append, and the pieces of its record.
pub(crate) type Append = (u64, u16);

/// Sealed records that stay in sled: the newest carries the metadata sum, and an anchor whose last write is torn points
/// at the end of the record before.
const STAY_IN_SLED: usize = 2;

/// The appends whose records are in sled, and the newest records.
#[derive(Debug, Default)]
pub(crate) struct Index {
    firsts: VecDeque<Append>,
    size: u64,
    recent: VecDeque<Arc<Record>>,
    recent_bytes: usize,
}

impl Index {
    pub fn new(firsts: VecDeque<Append>, size: u64) -> Self {
        Self { firsts, size, ..Self::default() }
    }

    /// Adds a durable record.
    pub fn push(&mut self, record: Arc<Record>, pieces: u16) {
        self.firsts.push_back((record.first, pieces));
        self.size = record.first + record.count();
        self.recent_bytes += record.stored_bytes();
        self.recent.push_back(record);
        while self.recent_bytes > RECENT_BYTES
            && let Some(oldest) = self.recent.pop_front()
        {
            self.recent_bytes -= oldest.stored_bytes();
        }
    }

    /// The first entry of the record that holds `index`, and the first of the record after it.
    fn bounds(&self, index: u64) -> Option<(u64, u64)> {
        let after = self.firsts.partition_point(|(first, _)| *first <= index);
        let (first, _) = *self.firsts.get(after.checked_sub(1)?)?;
        Some((first, self.firsts.get(after).map_or(self.size, |(next, _)| *next)))
    }

    /// The record that holds `index`, if it is one of the newest.
    fn recent(&self, index: u64) -> Option<Arc<Record>> {
        let after = self.recent.partition_point(|record| record.first <= index);
        let record = self.recent.get(after.checked_sub(1)?)?;
        record.entry(index).map(|_| record.clone())
    }

    /// Removes the appends that end before `end`, except the newest two.
    fn forget_before(&mut self, end: u64) -> Vec<Append> {
        let mut gone = Vec::new();
        while self.firsts.len() > STAY_IN_SLED && self.firsts.get(1).is_some_and(|(next, _)| *next <= end) {
            gone.extend(self.firsts.pop_front());
        }
        gone
    }
}

impl Shared {
    pub fn new(engine: Engine, history: History, index: Index, lock: Option<File>) -> Self {
        Self {
            engine,
            history,
            index: RwLock::new(index),
            stopped: AtomicBool::new(false),
            first_failure: OnceLock::new(),
            _lock: lock,
        }
    }

    pub fn check_running(&self) -> Result<(), StoreError> {
        if self.stopped.load(Ordering::Acquire) {
            return Err(StoreError::Stopped { first: self.first_failure.get().cloned().unwrap_or_default() });
        }
        Ok(())
    }

    /// After a failed write the state of the disk is unknown: every later call is refused.
    pub fn stop(&self, failure: &StoreError) {
        self.first_failure.get_or_init(|| failure.to_string());
        self.stopped.store(true, Ordering::Release);
    }

    /// Removes the appends that end before `end`, except the newest two: readers no longer look for them in sled.
    pub fn forget_before(&self, end: u64) -> Vec<Append> {
        self.index.write().unwrap_or_else(PoisonError::into_inner).forget_before(end)
    }

    fn record(&self, first: u64, end: u64) -> Result<Arc<Record>, StoreError> {
        let mut bytes = Vec::new();
        let mut piece = 0;
        loop {
            let key = record::piece_key(first, piece);
            let value = self.engine.get(&key).map_err(|e| at(first, e))?;
            let Some(value) = value else {
                return Err(StoreError::Gapped { at: first, next: end });
            };
            let Some((total, chunk)) = record::open_piece(&key, &value) else {
                return Err(StoreError::damaged(first, "a value does not match its seal"));
            };
            bytes.extend_from_slice(chunk);
            piece += 1;
            if piece >= total {
                break;
            }
        }
        match Record::decode(bytes) {
            Some(record) if record.first == first && first + record.count() == end => Ok(Arc::new(record)),
            _ => Err(StoreError::damaged(first, "a record does not decode")),
        }
    }
}

/// Adds the entry at which a failure was met, if the failure is damage and names no entry.
pub(crate) fn at(entry: u64, error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { at: None, what } => StoreError::damaged(entry, what),
        other => other,
    }
}

enum Held {
    Record(Arc<Record>),
    Bundle(u64, Arc<Bundle>),
}

impl Held {
    fn entry(&self, index: u64) -> Option<&[u8]> {
        match self {
            Held::Record(record) => record.entry(index),
            Held::Bundle(number, bundle) if index / BUNDLE == *number => {
                bundle.entry(usize::try_from(index % BUNDLE).ok()?)
            }
            Held::Bundle(..) => None,
        }
    }
}

impl Reader {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Number of durable entries.
    pub fn size(&self) -> u64 {
        self.index(|index| index.size)
    }

    /// Visits the entries of `range` in order, until `visit` breaks. Each value is checked against its seal, and each
    /// record against its neighbours.
    ///
    /// # Errors
    /// [`StoreError::BeyondEnd`]; damage names the first entry that cannot be read.
    pub fn read(
        &self,
        range: Range<u64>,
        mut visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.shared.check_running()?;
        let size = self.size();
        if range.end > size {
            return Err(StoreError::BeyondEnd { index: range.start.max(size), size });
        }
        let mut next = range.start;
        while next < range.end {
            let held = self.holding(next)?;
            while next < range.end {
                let Some(entry) = held.entry(next) else {
                    break;
                };
                if visit(next, entry).is_break() {
                    return Ok(());
                }
                next += 1;
            }
        }
        Ok(())
    }

    /// One entry.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn entry(&self, index: u64) -> Result<Vec<u8>, StoreError> {
        let mut found = Vec::new();
        let end = index.checked_add(1).ok_or(StoreError::BeyondEnd { index, size: self.size() })?;
        self.read(index..end, |_, entry| {
            found = entry.to_vec();
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// The value of a metadata key. Metadata is visible once the entries written with it are durable.
    ///
    /// # Errors
    /// [`StoreError::MetaDamaged`] if the value does not match its seal.
    pub fn meta_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.check_running()?;
        let key = record::meta_key(key);
        let Some(value) = self.shared.engine.get(&key)? else {
            return Ok(None);
        };
        unseal_meta(&key, &value).map(|body| Some(body.to_vec()))
    }

    /// Visits all metadata whose key begins with `prefix`, in key order, until `visit` breaks. An append that runs at
    /// the same time may be visible in part.
    ///
    /// # Errors
    /// As [`Reader::meta_get`].
    pub fn meta_scan(
        &self,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.shared.check_running()?;
        self.shared.engine.scan(&record::meta_key(prefix), |key, value| {
            let body = unseal_meta(key, value)?;
            Ok(visit(key.strip_prefix(&[META_PREFIX]).unwrap_or(key), body))
        })
    }

    /// The holder of an entry: one of the newest records, a sealed bundle, or a record in sled, in this order.
    fn holding(&self, entry: u64) -> Result<Held, StoreError> {
        if let Some(recent) = self.index(|index| index.recent(entry)) {
            return Ok(Held::Record(recent));
        }
        let sealed = || {
            self.shared
                .history
                .bundle(entry / BUNDLE)
                .map(|found| found.map(|bundle| Held::Bundle(entry / BUNDLE, bundle)))
        };
        if let Some(sealed) = sealed()? {
            return Ok(sealed);
        }
        let record = match self.index(|index| index.bounds(entry)) {
            None => Err(StoreError::BeyondEnd { index: entry, size: self.size() }),
            Some((first, end)) => self.shared.record(first, end),
        };
        match record {
            Ok(record) => Ok(Held::Record(record)),
            // It was sealed and removed from sled since the lookup.
            Err(failure) => sealed()?.ok_or(failure),
        }
    }

    /// Whether an earlier failure stopped the store: then every later call fails with [`StoreError::Stopped`].
    pub fn is_stopped(&self) -> bool {
        self.shared.check_running().is_err()
    }

    /// The number of entries in sealed files, from the first on; sled may also hold some of them.
    pub fn sealed(&self) -> u64 {
        self.shared.history.bundles().saturating_mul(BUNDLE)
    }

    /// Reads every sealed bundle and footer and checks all seals. Opening leaves this out, because its time grows with
    /// all of history. `progress` gets the number of bundles done and in all, and may stop it.
    ///
    /// # Errors
    /// [`StoreError::SegmentDamaged`] and its like, naming the first entry that cannot be read.
    pub fn verify_sealed(&self, progress: impl FnMut(u64, u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.shared.check_running()?;
        self.shared.history.verify(progress)
    }

    /// The bytes of a tile that sealing wrote (see [`crate::TileFile`]); `None` if it does not exist. They are not
    /// sealed: the caller checks them against the tile above.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.history.tile(path)
    }

    fn index<T>(&self, read: impl FnOnce(&Index) -> T) -> T {
        // Every change is complete, so a poisoned lock still guards a whole value.
        read(&self.shared.index.read().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) fn unseal_meta<'a>(key: &[u8], value: &'a [u8]) -> Result<&'a [u8], StoreError> {
    record::unseal(key, value)
        .ok_or_else(|| StoreError::MetaDamaged { what: format!("the value of key {key:02x?} does not match its seal") })
}
