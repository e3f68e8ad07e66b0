//! One sorted file of the index: records by ascending key, in sealed blocks, under blocks of their first keys.
//!
//! Owns the bytes of a file and finding things in it. It does not know what a record means, nor which files there are.
//! A file never changes once it is written. Every block carries a seal, which is checked whenever the block is read
//! from the disk: a damaged file gives an error, never another answer. Implements spec/index.md, "Files".

use super::IndexError;
use super::wire::{Input, put};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A block is closed once its records take so many bytes.
const BLOCK: usize = 4096;

/// No block is longer: bounds what a damaged length makes a reader allocate.
const LONGEST: u64 = 1 << 24;

/// Bytes of a seal.
const SEAL: usize = 8;

/// The last bytes of a file, its seal included.
const FOOTER: usize = 8 + 8 + 8 + 8 + 8 + 8 + SEAL;

/// The first bytes of the footer.
const MAGIC: &[u8; 8] = b"fsindex1";

/// So much is written before it is synced, then the disk is left alone for [`PAUSE`]: the log's own syncs must not wait
/// long.
const STRETCH: usize = 512 << 10;
const PAUSE: Duration = Duration::from_millis(5);

/// Parsed blocks that a half of the cache holds.
const CACHED: usize = 1024;

/// Where a block lies in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockSpan {
    offset: u64,
    length: u64,
}

impl BlockSpan {
    fn encode(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(12);
        put(&mut out, self.offset);
        put(&mut out, self.length);
        out
    }

    fn decode(bytes: &[u8]) -> Result<BlockSpan, IndexError> {
        let mut input = Input(bytes);
        Ok(BlockSpan { offset: input.number()?, length: input.number()? })
    }
}

/// A block's seal names its file and its place, so that a block that was put elsewhere is found too.
fn seal(id: u64, offset: u64, body: &[u8]) -> [u8; SEAL] {
    let mut hasher = Sha256::new();
    hasher.update(b"fairshoe-index/1 block\0");
    hasher.update(id.to_be_bytes());
    hasher.update(offset.to_be_bytes());
    hasher.update(body);
    let digest: [u8; 32] = hasher.finalize().into();
    let mut seal = [0; SEAL];
    seal.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    seal
}

/// A block's records.
pub struct Block {
    bytes: Vec<u8>,
    /// Where each record's key begins and ends, and where its value ends.
    records: Vec<[u32; 3]>,
}

impl Block {
    fn parse(bytes: Vec<u8>) -> Result<Block, IndexError> {
        let mut records = Vec::new();
        let mut input = Input(&bytes);
        let at = |input: &Input<'_>| {
            u32::try_from(bytes.len() - input.0.len()).map_err(|_| IndexError::Damaged("a block is too long"))
        };
        while !input.is_empty() {
            let (key, value) = (input.length()?, input.length()?);
            let begin = at(&input)?;
            input.bytes(key)?;
            let middle = at(&input)?;
            input.bytes(value)?;
            records.push([begin, middle, at(&input)?]);
        }
        Ok(Block { bytes, records })
    }

    fn slice(&self, from: u32, to: u32) -> &[u8] {
        self.bytes.get(from as usize..to as usize).unwrap_or_default()
    }

    fn key(&self, nth: usize) -> Option<&[u8]> {
        self.records.get(nth).map(|[begin, middle, _]| self.slice(*begin, *middle))
    }

    fn value(&self, nth: usize) -> Option<&[u8]> {
        self.records.get(nth).map(|[_, middle, end]| self.slice(*middle, *end))
    }

    /// How many of its keys are not above this one.
    fn up_to(&self, key: &[u8]) -> usize {
        self.records.partition_point(|[begin, middle, _]| self.slice(*begin, *middle) <= key)
    }
}

/// Blocks that were read lately: what is asked for moves to the new half; when that is full the old half is dropped.
#[derive(Default)]
struct Halves {
    new: HashMap<(u64, u64), Arc<Block>>,
    old: HashMap<(u64, u64), Arc<Block>>,
}

/// Blocks of all files that were read lately, and whether any was found damaged.
#[derive(Default)]
pub struct Cache {
    halves: Mutex<Halves>,
    damaged: AtomicBool,
}

impl Cache {
    /// Whether a file was found damaged.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Remembers that something cannot be read. A disk that does not give a block back is damage, too.
    pub fn note(&self, error: IndexError) -> IndexError {
        self.damaged.store(true, Ordering::Relaxed);
        error
    }

    fn get(&self, key: (u64, u64)) -> Option<Arc<Block>> {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = halves.new.get(&key) {
            return Some(block.clone());
        }
        let block = halves.old.remove(&key)?;
        Self::keep_in(&mut halves, key, &block);
        Some(block)
    }

    fn keep(&self, key: (u64, u64), block: &Arc<Block>) {
        Self::keep_in(&mut self.halves.lock().unwrap_or_else(PoisonError::into_inner), key, block);
    }

    fn keep_in(halves: &mut Halves, key: (u64, u64), block: &Arc<Block>) {
        if halves.new.len() >= CACHED {
            halves.old = std::mem::take(&mut halves.new);
        }
        halves.new.insert(key, block.clone());
    }
}

/// A file, open for reading.
pub struct Run {
    pub id: u64,
    file: File,
    root: BlockSpan,
    /// Levels of blocks of first keys above the records'.
    height: u64,
    /// Bytes of the whole file.
    pub bytes: u64,
    cache: Arc<Cache>,
}

/// A record that was found: its key and its value.
pub type Record = (Vec<u8>, Vec<u8>);

impl Run {
    /// Opens a file, whose name and list say which it is.
    pub fn open(path: &Path, id: u64, cache: &Arc<Cache>) -> Result<Run, IndexError> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let body = bytes.checked_sub(FOOTER as u64).ok_or(IndexError::Damaged("a file is too short"))?;
        let mut footer = [0; FOOTER];
        file.read_exact_at(&mut footer, body)?;
        let (fields, sealed) = footer.split_at(FOOTER - SEAL);
        if sealed != seal(id, body, fields) || fields.get(..8) != Some(MAGIC) {
            return Err(IndexError::Damaged("a file's end does not fit it"));
        }
        let field = |nth: usize| -> Result<u64, IndexError> {
            let bytes = fields.get(8 * nth..8 * nth + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u64::from_be_bytes).ok_or(IndexError::Damaged("a file's end is too short"))
        };
        let run = Run {
            id,
            file,
            root: BlockSpan { offset: field(2)?, length: field(3)? },
            height: field(4)?,
            bytes,
            cache: cache.clone(),
        };
        if field(1)? != id || run.height > 64 {
            return Err(IndexError::Damaged("a file is another one than its name says"));
        }
        run.block(run.root, true)?;
        Ok(run)
    }

    fn block(&self, span: BlockSpan, keep: bool) -> Result<Arc<Block>, IndexError> {
        let key = (self.id, span.offset);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        let block = Arc::new(self.read(span).map_err(|error| self.cache.note(error))?);
        if keep {
            self.cache.keep(key, &block);
        }
        Ok(block)
    }

    fn read(&self, span: BlockSpan) -> Result<Block, IndexError> {
        let is_inside = span.offset.checked_add(span.length).is_some_and(|end| end <= self.bytes);
        let length = usize::try_from(span.length).unwrap_or(usize::MAX);
        if !is_inside || span.length > LONGEST || length < SEAL {
            return Err(IndexError::Damaged("a block lies outside of its file"));
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, span.offset)?;
        let sealed = bytes.split_off(length - SEAL);
        if sealed != seal(self.id, span.offset, &bytes) {
            return Err(IndexError::Damaged("a block is not as it was written"));
        }
        Block::parse(bytes)
    }

    /// The last record whose key is not above this one.
    pub fn floor(&self, key: &[u8]) -> Result<Option<Record>, IndexError> {
        let mut block = self.block(self.root, true)?;
        for _ in 0..self.height {
            let Some(child) = block.up_to(key).checked_sub(1) else { return Ok(None) };
            block = self.block(BlockSpan::decode(block.value(child).unwrap_or_default())?, true)?;
        }
        let found = block.up_to(key).checked_sub(1).and_then(|nth| Some((block.key(nth)?, block.value(nth)?)));
        Ok(found.map(|(key, value)| (key.to_vec(), value.to_vec())))
    }

    /// Its records from this key on.
    pub fn from(self: &Arc<Self>, key: &[u8], keep: bool) -> Result<Cursor, IndexError> {
        let mut cursor = Cursor { run: self.clone(), stack: Vec::new(), keep };
        let mut block = self.block(self.root, keep)?;
        for _ in 0..self.height {
            let child = block.up_to(key).saturating_sub(1);
            let span = BlockSpan::decode(block.value(child).unwrap_or_default())?;
            cursor.stack.push((block, child + 1));
            block = self.block(span, keep)?;
        }
        let first = block.records.partition_point(|[begin, middle, _]| block.slice(*begin, *middle) < key);
        cursor.stack.push((block, first));
        Ok(cursor)
    }
}

/// Goes through a file's records in order.
pub struct Cursor {
    run: Arc<Run>,
    /// A block of each level, the root's first, and the next record of it.
    stack: Vec<(Arc<Block>, usize)>,
    /// Whether what is read is worth keeping in memory.
    keep: bool,
}

impl Cursor {
    /// The next record.
    pub fn next(&mut self) -> Result<Option<Record>, IndexError> {
        loop {
            let is_leaf = self.stack.len() as u64 == self.run.height + 1;
            let Some((block, nth)) = self.stack.last_mut() else { return Ok(None) };
            let Some((key, value)) = block.key(*nth).zip(block.value(*nth)) else {
                self.stack.pop();
                continue;
            };
            *nth += 1;
            if is_leaf {
                return Ok(Some((key.to_vec(), value.to_vec())));
            }
            let child = self.run.block(BlockSpan::decode(value)?, self.keep)?;
            self.stack.push((child, 0));
        }
    }
}

/// A block that is being filled.
#[derive(Default)]
struct Level {
    body: Vec<u8>,
    first: Vec<u8>,
}

/// Writes a file.
pub struct RunWriter {
    id: u64,
    file: File,
    /// What is not handed to the file yet.
    buffer: Vec<u8>,
    offset: u64,
    levels: Vec<Level>,
}

impl RunWriter {
    /// Begins a file that is not there yet.
    pub fn new(path: &Path, id: u64) -> Result<RunWriter, IndexError> {
        let file = File::options().write(true).create_new(true).open(path)?;
        Ok(RunWriter { id, file, buffer: Vec::new(), offset: 0, levels: vec![Level::default()] })
    }

    /// Whether no record was added.
    pub fn is_empty(&self) -> bool {
        self.offset == 0 && self.levels.iter().all(|level| level.body.is_empty())
    }

    /// Adds a record; its key is above all before it.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), IndexError> {
        let (mut key, mut value) = (key.to_vec(), value.to_vec());
        for nth in 0.. {
            if self.levels.len() == nth {
                self.levels.push(Level::default());
            }
            let Some(level) = self.levels.get_mut(nth) else { break };
            if level.body.is_empty() {
                level.first.clone_from(&key);
            }
            put(&mut level.body, key.len() as u64);
            put(&mut level.body, value.len() as u64);
            level.body.extend(&key);
            level.body.extend(&value);
            if level.body.len() < BLOCK {
                break;
            }
            let full = std::mem::take(level);
            (key, value) = (full.first, self.block(full.body)?.encode());
        }
        Ok(())
    }

    fn block(&mut self, body: Vec<u8>) -> Result<BlockSpan, IndexError> {
        let sealed = seal(self.id, self.offset, &body);
        let span = BlockSpan { offset: self.offset, length: (body.len() + SEAL) as u64 };
        self.buffer.extend(body);
        self.buffer.extend(sealed);
        self.offset = self.offset.saturating_add(span.length);
        if self.buffer.len() >= STRETCH {
            self.file.write_all(&self.buffer)?;
            self.file.sync_data()?;
            self.buffer.clear();
            std::thread::sleep(PAUSE);
        }
        Ok(span)
    }

    /// Ends the file; it is durable on return, but its name is not.
    pub fn finish(mut self) -> Result<(), IndexError> {
        let mut root = BlockSpan { offset: 0, length: 0 };
        let mut height = 0u64;
        for nth in 0.. {
            let Some(level) = self.levels.get_mut(nth).map(std::mem::take) else { break };
            if level.body.is_empty() {
                continue;
            }
            let span = self.block(level.body)?;
            (root, height) = (span, nth as u64);
            if let Some(above) = self.levels.get_mut(nth + 1) {
                if above.body.is_empty() {
                    above.first.clone_from(&level.first);
                }
                let value = span.encode();
                put(&mut above.body, level.first.len() as u64);
                put(&mut above.body, value.len() as u64);
                above.body.extend(level.first);
                above.body.extend(value);
            }
        }
        let mut footer = Vec::from(MAGIC);
        for field in [self.id, root.offset, root.length, height, 0] {
            footer.extend(field.to_be_bytes());
        }
        let sealed = seal(self.id, self.offset, &footer);
        self.buffer.extend(footer);
        self.buffer.extend(sealed);
        self.file.write_all(&self.buffer)?;
        self.file.sync_data()?;
        Ok(())
    }
}
