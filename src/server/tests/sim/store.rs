//! A store on the disk of chance that keeps the contract of spec/store.md, as far as the service rests on it.
//!
//! Owns: one record an append, two slots of the anchor, and what is refused at opening. Simpler than `fairshoe_store`,
//! and as honest: the planted bugs are the ways in which it is not.

use crate::disk::{Disk, Fault, Part};
use crate::planted::Plant;
use fairshoe::parts::{ReadLog, VisitMeta, WriteLog};
use fairshoe_store::{Anchored, MAX_APPEND_BYTES, MAX_APPEND_ENTRIES, MAX_META_WRITES, MetaWrite, Space, StoreError};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// So many bytes, and no want of inodes.
fn space(bytes: u64) -> Space {
    Space { bytes, inodes: u64::MAX }
}

/// Bytes that must be free to begin an append.
pub const FREE_FLOOR: u64 = 1 << 20;

/// A slot of the anchor.
const SLOT: usize = 1024;
const SLOT_HEAD: usize = 20;
const HASH: usize = 32;

/// Before a record's body: its mark, its length, its seal.
const RECORD_HEAD: usize = 4 + 4 + 16;
const MARK: &[u8; 4] = b"rec1";

/// See the module.
pub struct ModelStore {
    disk: Arc<Mutex<Disk>>,
    plant: Option<Plant>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    entries: Vec<Vec<u8>>,
    meta: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Where the next record goes.
    end: usize,
    counter: u64,
    anchored: u64,
    first_failure: Option<String>,
}

/// An append as it is on the disk.
struct Record {
    first: u64,
    entries: Vec<Vec<u8>>,
    meta: Vec<MetaWrite>,
    /// Its whole length.
    length: usize,
}

fn seal(body: &[u8]) -> [u8; 16] {
    let digest = Sha256::new().chain_update(b"model record\0").chain_update(body).finalize();
    digest[..16].try_into().unwrap()
}

fn with_length(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u32).to_be_bytes());
    to.extend(bytes);
}

fn encode(first: u64, entries: &[Vec<u8>], meta: &[MetaWrite]) -> Vec<u8> {
    let mut body = first.to_be_bytes().to_vec();
    body.extend((entries.len() as u32).to_be_bytes());
    entries.iter().for_each(|entry| with_length(&mut body, entry));
    for write in meta {
        match write {
            MetaWrite::Put { key, value } => {
                body.push(1);
                with_length(&mut body, key);
                with_length(&mut body, value);
            }
            MetaWrite::Delete { key } => {
                body.push(0);
                with_length(&mut body, key);
            }
        }
    }
    let mut record = MARK.to_vec();
    record.extend((body.len() as u32).to_be_bytes());
    record.extend(seal(&body));
    record.extend(body);
    record
}

/// Takes bytes off the front.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (head, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(head)
}

fn take_u32(bytes: &mut &[u8]) -> Option<usize> {
    Some(u32::from_be_bytes(take(bytes, 4)?.try_into().ok()?) as usize)
}

fn take_piece(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let length = take_u32(bytes)?;
    Some(take(bytes, length)?.to_vec())
}

/// The record that these bytes begin with, if they do.
fn decode(mut bytes: &[u8]) -> Option<Record> {
    let bytes = &mut bytes;
    (take(bytes, 4)? == MARK).then_some(())?;
    let length = take_u32(bytes)?;
    let sealed: [u8; 16] = take(bytes, 16)?.try_into().ok()?;
    let mut body = take(bytes, length)?;
    (seal(body) == sealed).then_some(())?;
    let first = u64::from_be_bytes(take(&mut body, 8)?.try_into().ok()?);
    let count = take_u32(&mut body)?;
    let entries = (0..count).map(|_| take_piece(&mut body)).collect::<Option<Vec<_>>>()?;
    let mut meta = Vec::new();
    while let Some(put) = take(&mut body, 1) {
        let key = take_piece(&mut body)?;
        meta.push(if put == [1] {
            MetaWrite::Put { key, value: take_piece(&mut body)? }
        } else {
            MetaWrite::Delete { key }
        });
    }
    Some(Record { first, entries, meta, length: RECORD_HEAD + length })
}

fn encode_slot(counter: u64, size: u64, note: &[u8]) -> Vec<u8> {
    let mut slot = counter.to_be_bytes().to_vec();
    slot.extend(size.to_be_bytes());
    slot.extend((note.len() as u32).to_be_bytes());
    slot.extend(note);
    assert!(slot.len() <= SLOT - HASH, "a note of {} bytes", note.len());
    slot.resize(SLOT - HASH, 0);
    let hash = Sha256::digest(&slot);
    slot.extend(hash);
    slot
}

fn decode_slot(slot: &[u8], believes: bool) -> Option<(u64, Anchored)> {
    let (content, hash) = slot.split_at_checked(SLOT - HASH)?;
    (believes || hash == Sha256::digest(content).as_slice()).then_some(())?;
    let number = |at: usize| content.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
    let length = u32::from_be_bytes(content.get(16..SLOT_HEAD)?.try_into().ok()?) as usize;
    let note = content.get(SLOT_HEAD..SLOT_HEAD.checked_add(length)?)?.to_vec();
    Some((number(0)?, Anchored { size: number(8)?, note, torn: false }))
}

fn path() -> PathBuf {
    PathBuf::from("model")
}

fn io_error(doing: &'static str, fault: Fault) -> StoreError {
    StoreError::Io { doing, path: path(), source: io::Error::other(format!("{fault:?}")) }
}

impl ModelStore {
    /// Makes the two files.
    pub fn create(disk: &Arc<Mutex<Disk>>) {
        let mut disk = disk.lock().unwrap();
        for counter in [0u64, 1] {
            disk.write(Part::Anchor, (counter % 2) as usize * SLOT, &encode_slot(counter, 0, b"")).unwrap();
        }
        disk.write(Part::Log, 0, &[0; RECORD_HEAD]).unwrap();
        disk.sync(Part::Anchor).unwrap();
        disk.sync(Part::Log).unwrap();
    }

    /// Opens what the disk holds: checked, and durable from here on.
    pub fn open(disk: &Arc<Mutex<Disk>>, plant: Option<Plant>) -> Result<(Arc<ModelStore>, Anchored), StoreError> {
        let mut on = disk.lock().unwrap();
        if on.free < FREE_FLOOR {
            return Err(StoreError::DiskFull { path: path(), free: space(on.free), needed: space(FREE_FLOOR) });
        }
        if plant != Some(Plant::OpenTrustsMemory) {
            // What an earlier process left in the kernel's memory is not on the disk: after a kill it may never be,
            // after a failed sync it never will. Nothing may be built on it before it is durable, or forgotten.
            for part in [Part::Anchor, Part::Log] {
                on.sync(part).map_err(|fault| io_error("syncing", fault))?;
                on.forget_clean(part);
            }
        }
        let (counter, mut anchored) = newest_slot(&on.read(Part::Anchor), plant == Some(Plant::TornSlotBelieved))?;
        let bytes = on.read(Part::Log);
        let (mut inner, mut firsts) = (Inner { counter, ..Inner::default() }, Vec::new());
        while let Some(record) = decode(&bytes[inner.end.min(bytes.len())..]) {
            if record.first != inner.entries.len() as u64 {
                break;
            }
            if plant == Some(Plant::TailForgotten)
                && record.first + record.entries.len() as u64 >= anchored.size
                && anchored.size > 40
            {
                anchored.size = record.first;
                anchored.note = Vec::new();
                break;
            }
            firsts.push(record.first);
            inner.end += record.length;
            inner.take_in(record.entries, &record.meta);
        }
        if plant == Some(Plant::KeysForgotten) {
            inner.meta.retain(|key, _| !key.starts_with(b"i/"));
        }
        check_length(&firsts, inner.entries.len() as u64, &anchored)?;
        // What a crash cut off is never to be read as a record again.
        let rest = bytes.len().saturating_sub(inner.end).max(RECORD_HEAD);
        on.write(Part::Log, inner.end, &vec![0; rest]).map_err(|fault| io_error("writing", fault))?;
        on.sync(Part::Log).map_err(|fault| io_error("syncing", fault))?;
        drop(on);
        inner.anchored = anchored.size;
        Ok((Arc::new(ModelStore { disk: disk.clone(), plant, inner: Mutex::new(inner) }), anchored))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    fn write_record(&self, at: usize, record: &[u8]) -> Result<(), Fault> {
        let mut disk = self.disk.lock().unwrap();
        // In several writes, which the disk may take in any order.
        let piece = record.len().div_ceil(3).max(200);
        for (nth, bytes) in record.chunks(piece).enumerate() {
            disk.write(Part::Log, at + nth * piece, bytes)?;
        }
        if self.plant == Some(Plant::AnchorBeforeSync) {
            return Ok(());
        }
        match disk.sync(Part::Log) {
            Err(Fault::Io) if self.plant == Some(Plant::SyncRetried) => disk.sync(Part::Log),
            done => done,
        }
    }

    fn write_slot(&self, slot: &[u8], counter: u64) -> Result<(), Fault> {
        let mut disk = self.disk.lock().unwrap();
        disk.write(Part::Anchor, (counter % 2) as usize * SLOT, slot)?;
        if self.plant == Some(Plant::AnchorNotSynced) {
            return Ok(());
        }
        disk.sync(Part::Anchor)?;
        if self.plant == Some(Plant::AnchorBeforeSync) { disk.sync(Part::Log) } else { Ok(()) }
    }

    /// All entries, for the judges.
    pub fn all(&self) -> Vec<Vec<u8>> {
        self.inner().entries.clone()
    }
}

impl Inner {
    fn take_in(&mut self, entries: Vec<Vec<u8>>, meta: &[MetaWrite]) {
        self.entries.extend(entries);
        for write in meta {
            match write {
                MetaWrite::Put { key, value } => drop(self.meta.insert(key.clone(), value.clone())),
                MetaWrite::Delete { key } => drop(self.meta.remove(key)),
            }
        }
    }

    fn check_running(&self) -> Result<(), StoreError> {
        self.first_failure.clone().map_or(Ok(()), |first| Err(StoreError::Stopped { first }))
    }

    fn stop<T>(&mut self, failure: StoreError) -> Result<T, StoreError> {
        self.first_failure.get_or_insert_with(|| failure.to_string());
        Err(failure)
    }
}

fn newest_slot(bytes: &[u8], believes: bool) -> Result<(u64, Anchored), StoreError> {
    let slots: Vec<_> = (0..2)
        .map(|at| bytes.get(at * SLOT..(at + 1) * SLOT).and_then(|slot| decode_slot(slot, believes)))
        .map(|slot| slot.filter(|(counter, _)| *counter < u64::MAX))
        .collect();
    let torn = slots.iter().any(Option::is_none);
    let newest = slots.into_iter().flatten().max_by_key(|(counter, _)| *counter);
    let (counter, anchored) = newest.ok_or(StoreError::AnchorDamaged { path: path() })?;
    Ok((counter, Anchored { torn, ..anchored }))
}

/// As spec/store.md, "Opening", has it.
fn check_length(firsts: &[u64], have: u64, anchored: &Anchored) -> Result<(), StoreError> {
    let size = anchored.size;
    if have < size {
        return Err(StoreError::BehindAnchor { have, anchored: size });
    }
    let covered = firsts.partition_point(|first| *first < size);
    if firsts.get(covered).copied().unwrap_or(have) != size {
        return Err(StoreError::Damaged {
            at: Some(size),
            what: "the anchor points into the middle of an append".into(),
        });
    }
    let appends = firsts.len() - covered;
    if appends > 1 + usize::from(anchored.torn) {
        return Err(StoreError::AnchorStale { have, anchored: size, appends: appends as u64 });
    }
    Ok(())
}

impl ReadLog for ModelStore {
    fn size(&self) -> u64 {
        self.inner().entries.len() as u64
    }

    fn entry(&self, index: u64) -> Result<Vec<u8>, StoreError> {
        let inner = self.inner();
        inner.check_running()?;
        let size = inner.entries.len() as u64;
        inner.entries.get(index as usize).cloned().ok_or(StoreError::BeyondEnd { index, size })
    }

    fn read(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        for index in range {
            if visit(index, &self.entry(index)?).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn meta_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let inner = self.inner();
        inner.check_running()?;
        Ok(inner.meta.get(key).cloned())
    }

    /// This store seals nothing: every tile is made of the entries under it.
    fn tile(&self, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    fn meta_scan(&self, prefix: &[u8], visit: &mut VisitMeta<'_>) -> Result<(), StoreError> {
        let inner = self.inner();
        inner.check_running()?;
        for (key, value) in inner.meta.range(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix)) {
            if visit(key, value).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl WriteLog for ModelStore {
    fn append(&self, expected: u64, entries: &[Vec<u8>], meta: &[MetaWrite]) -> Result<(), StoreError> {
        let mut inner = self.inner();
        inner.check_running()?;
        let (actual, anchored) = (inner.entries.len() as u64, inner.anchored);
        if expected != actual {
            return Err(StoreError::SizeMismatch { expected, actual });
        }
        if anchored != actual {
            return Err(StoreError::Unanchored { size: actual, anchored });
        }
        if entries.is_empty() {
            return Err(StoreError::NothingToAppend);
        }
        assert!(entries.len() <= MAX_APPEND_ENTRIES && entries.iter().map(Vec::len).sum::<usize>() <= MAX_APPEND_BYTES);
        assert!(meta.len() <= MAX_META_WRITES);
        let free = self.disk.lock().unwrap().free;
        if free < FREE_FLOOR {
            return Err(StoreError::DiskFull { path: path(), free: space(free), needed: space(FREE_FLOOR) });
        }
        // ---- refusals end here ----
        let record = encode(actual, entries, meta);
        if let Err(fault) = self.write_record(inner.end, &record) {
            return inner.stop(io_error("appending to", fault));
        }
        inner.end += record.len();
        inner.take_in(entries.to_vec(), meta);
        Ok(())
    }

    fn write_anchor(&self, size: u64, note: &[u8]) -> Result<(), StoreError> {
        let mut inner = self.inner();
        inner.check_running()?;
        let actual = inner.entries.len() as u64;
        if size != actual {
            return Err(StoreError::SizeMismatch { expected: size, actual });
        }
        let counter = inner.counter + 1;
        if let Err(fault) = self.write_slot(&encode_slot(counter, size, note), counter) {
            return inner.stop(io_error("anchoring in", fault));
        }
        (inner.counter, inner.anchored) = (counter, size);
        Ok(())
    }

    fn free_space(&self) -> Result<Space, StoreError> {
        Ok(space(self.disk.lock().unwrap().free))
    }
}
