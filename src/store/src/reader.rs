//! Reading: any number of threads, beside the one writer.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::StoreError;
use crate::engine::Engine;
use crate::record::{self, META_PREFIX, Record};

/// Bytes of the newest records kept decoded: receipts and views ask for recent entries most.
const RECENT_BYTES: usize = 8 << 20;

/// A handle to read the store with; cheap to clone, usable from every thread.
#[derive(Debug, Clone)]
pub struct Reader {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    // Fields are dropped in this order: the folder's lock goes last.
    pub engine: Engine,
    pub index: RwLock<Index>,
    stopped: AtomicBool,
    first_failure: OnceLock<String>,
    pub _lock: Option<File>,
}

/// Where each append begins, and the newest records.
#[derive(Debug, Default)]
pub(crate) struct Index {
    firsts: Vec<u64>,
    size: u64,
    recent: VecDeque<Arc<Record>>,
    recent_bytes: usize,
}

impl Index {
    pub fn new(firsts: Vec<u64>, size: u64) -> Self {
        Self { firsts, size, ..Self::default() }
    }

    /// Adds a record that is durable.
    pub fn push(&mut self, record: Arc<Record>) {
        self.firsts.push(record.first);
        self.size = record.first + record.count();
        self.recent_bytes += record.stored_bytes();
        self.recent.push_back(record);
        while self.recent_bytes > RECENT_BYTES
            && let Some(oldest) = self.recent.pop_front()
        {
            self.recent_bytes -= oldest.stored_bytes();
        }
    }

    /// First entry of the record that holds `index`, and the first of the record after it.
    fn bounds(&self, index: u64) -> Option<(u64, u64)> {
        let after = self.firsts.partition_point(|first| *first <= index);
        let first = *self.firsts.get(after.checked_sub(1)?)?;
        Some((first, self.firsts.get(after).copied().unwrap_or(self.size)))
    }

    fn recent(&self, first: u64) -> Option<Arc<Record>> {
        let at = self.recent.binary_search_by_key(&first, |record| record.first).ok()?;
        self.recent.get(at).cloned()
    }
}

impl Shared {
    pub fn new(engine: Engine, index: Index, lock: Option<File>) -> Self {
        Self { engine, index: RwLock::new(index), stopped: AtomicBool::new(false), first_failure: OnceLock::new(), _lock: lock }
    }

    pub fn check_running(&self) -> Result<(), StoreError> {
        if self.stopped.load(Ordering::Acquire) {
            return Err(StoreError::Stopped { first: self.first_failure.get().cloned().unwrap_or_default() });
        }
        Ok(())
    }

    /// After a failed write nobody knows what the disk holds: every later call is refused.
    pub fn stop(&self, failure: &StoreError) {
        self.first_failure.get_or_init(|| failure.to_string());
        self.stopped.store(true, Ordering::Release);
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

/// Adds the entry at which a failure was met, where the failure is damage and does not name one.
pub(crate) fn at(entry: u64, error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { at: None, what } => StoreError::damaged(entry, what),
        other => other,
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
    pub fn read(&self, range: Range<u64>, mut visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.shared.check_running()?;
        let size = self.size();
        if range.end > size {
            return Err(StoreError::BeyondEnd { index: range.start.max(size), size });
        }
        let mut next = range.start;
        while next < range.end {
            let record = self.record_holding(next)?;
            while next < range.end {
                let Some(entry) = record.entry(next) else {
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

    /// The value of a metadata key. Metadata is seen once the entries written with it are durable.
    ///
    /// # Errors
    /// [`StoreError::MetaDamaged`] where the value does not match its seal.
    pub fn meta_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.check_running()?;
        let key = record::meta_key(key);
        let Some(value) = self.shared.engine.get(&key)? else {
            return Ok(None);
        };
        unseal_meta(&key, &value).map(|body| Some(body.to_vec()))
    }

    /// Visits all metadata whose key begins with `prefix`, in key order, until `visit` breaks. An append that runs at
    /// the same time may be seen in part.
    ///
    /// # Errors
    /// As [`Reader::meta_get`].
    pub fn meta_scan(&self, prefix: &[u8], mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.shared.check_running()?;
        self.shared.engine.scan(&record::meta_key(prefix), |key, value| {
            let body = unseal_meta(key, value)?;
            Ok(visit(key.strip_prefix(&[META_PREFIX]).unwrap_or(key), body))
        })
    }

    fn record_holding(&self, entry: u64) -> Result<Arc<Record>, StoreError> {
        let found = self.index(|index| {
            let (first, end) = index.bounds(entry)?;
            Some((first, end, index.recent(first)))
        });
        match found {
            None => Err(StoreError::BeyondEnd { index: entry, size: self.size() }),
            Some((_, _, Some(recent))) => Ok(recent),
            Some((first, end, None)) => self.shared.record(first, end),
        }
    }

    fn index<T>(&self, read: impl FnOnce(&Index) -> T) -> T {
        // Nothing in an index is ever half changed: a poisoned lock still guards a whole one.
        read(&self.shared.index.read().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) fn unseal_meta<'a>(key: &[u8], value: &'a [u8]) -> Result<&'a [u8], StoreError> {
    record::unseal(key, value)
        .ok_or_else(|| StoreError::MetaDamaged { what: format!("the value of key {key:02x?} does not match its seal") })
}
