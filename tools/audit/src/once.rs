//! Roots and seeds of a whole log, held against each other: none may stand in it twice (spec/audit.md, "Once in a
//! log").
//!
//! Owns: an exact set of any size in little memory. Values go into 256 buckets, in memory until there are many, then in
//! files; at the end each bucket that grew is sorted, and equal neighbours are found. Does not own what a value is, or
//! the words of a finding: the house's auditor does.

use crate::durable::failed;
use crate::outcome::UnusableInput;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fairshoe_fairness::TableId;
use fairshoe_judge::audit::{Finding, Once, OnceKind};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Into how many parts the values go: one of them is sorted at a time.
const BUCKETS: usize = 256;

/// The bytes of a record: value, kind, entry, place, table, shoe, candidate.
const RECORD: usize = 32 + 1 + 8 + 4 + 4 + 8 + 1;

/// So many bytes wait in memory before they are written to files.
const MOST_WAITING: usize = 8 << 20;

/// Roots and seeds, each with its place in the log.
pub struct Spool {
    /// Chooses the bucket, so that nobody can send all values into one.
    salt: [u8; 16],
    waiting: Vec<Vec<u8>>,
    waiting_bytes: usize,
    /// Of each bucket's file: its length, and the hash of its first bytes as they were last read.
    files: Vec<InFile>,
    /// Whether a bucket has grown since it was sorted last.
    grown: Vec<bool>,
    /// Names that records hold by their number.
    tables: Vec<TableId>,
    numbers: HashMap<TableId, u32>,
    /// The folder of the files, once there are any.
    folder: Option<PathBuf>,
    /// The file of the audit's state beside which they are kept; without one they are gone in the end.
    beside: Option<PathBuf>,
    saved: bool,
    /// Why a value could not be written: said at the end.
    trouble: Option<UnusableInput>,
}

#[derive(Clone, Default)]
struct InFile {
    length: u64,
    hashed: u64,
    hash: [u8; 32],
}

/// What an audit's state says of the files beside it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSpool {
    folder: String,
    salt: String,
    /// Of each bucket its length, and the base64 of the SHA-256 of its first bytes, so many as were read last.
    buckets: Vec<(u64, u64, String)>,
    tables: Vec<TableId>,
}

/// A record, read again.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    kind: OnceKind,
    value: [u8; 32],
    entry: u64,
    place: u32,
    table: u32,
    shoe_no: u64,
    candidate: u8,
}

impl Spool {
    /// An empty one: in a folder of its own among the machine's temporary files, or, for an audit that is gone on with,
    /// beside its state.
    pub fn new(beside: Option<&Path>) -> Spool {
        let mut salt = [0; 16];
        // Without randomness the buckets can be made uneven, no more.
        let _ = getrandom::fill(&mut salt);
        Spool {
            salt,
            waiting: vec![Vec::new(); BUCKETS],
            waiting_bytes: 0,
            files: vec![InFile::default(); BUCKETS],
            grown: vec![false; BUCKETS],
            tables: Vec::new(),
            numbers: HashMap::new(),
            folder: None,
            beside: beside.map(Path::to_owned),
            saved: false,
            trouble: None,
        }
    }

    /// Takes values in.
    pub fn note(&mut self, values: Vec<Once>) {
        for once in values {
            let table = self.number_of(&once.table);
            let hash = Sha256::new().chain_update(self.salt).chain_update(once.value).finalize();
            let bucket = usize::from(hash.first().copied().unwrap_or_default());
            let (Some(waiting), Some(grown)) = (self.waiting.get_mut(bucket), self.grown.get_mut(bucket)) else {
                continue;
            };
            waiting.extend_from_slice(&once.value);
            waiting.push(u8::from(once.kind == OnceKind::Seed));
            waiting.extend_from_slice(&once.entry.to_be_bytes());
            waiting.extend_from_slice(&once.place.to_be_bytes());
            waiting.extend_from_slice(&table.to_be_bytes());
            waiting.extend_from_slice(&once.shoe_no.to_be_bytes());
            waiting.push(once.candidate);
            *grown = true;
            self.waiting_bytes += RECORD;
        }
        if self.waiting_bytes > MOST_WAITING
            && let Err(why) = self.write()
        {
            self.trouble.get_or_insert(why);
        }
    }

    fn number_of(&mut self, table: &TableId) -> u32 {
        if let Some(number) = self.numbers.get(table) {
            return *number;
        }
        let number = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        self.tables.push(table.clone());
        self.numbers.insert(table.clone(), number);
        number
    }

    /// The earliest value that had stood in the log before, if any has. Only buckets that grew are looked at.
    ///
    /// # Errors
    /// [`UnusableInput`] where the files cannot be written or read: nothing is known then.
    pub fn again(&mut self) -> Result<Option<Finding>, UnusableInput> {
        if let Some(why) = self.trouble.take() {
            return Err(why);
        }
        // What is read from a file is hashed on the way: an audit that will be gone on with needs the hash of all of
        // it.
        if self.beside.is_some() {
            self.write()?;
        }
        let mut first: Option<(u64, u32, Finding)> = None;
        for bucket in 0..BUCKETS {
            if !self.grown.get(bucket).copied().unwrap_or_default() {
                continue;
            }
            let mut records = self.read(bucket)?;
            records.sort_unstable();
            for same in records.chunk_by(|one, other| (one.kind, one.value) == (other.kind, other.value)) {
                let Some((before, later)) = same.split_first() else { continue };
                let owner = |record: &Record| (record.table, record.shoe_no, record.candidate);
                let Some(second) = later.iter().find(|record| owner(record) != owner(before)) else { continue };
                let earlier =
                    first.as_ref().is_none_or(|(entry, place, _)| (second.entry, second.place) < (*entry, *place));
                if let (true, Some(once)) = (earlier, self.once(second)) {
                    first = Some((second.entry, second.place, once.again(before.entry)));
                }
            }
            if let (Some(grown), None) = (self.grown.get_mut(bucket), &first) {
                *grown = false;
            }
        }
        Ok(first.map(|(_, _, finding)| finding))
    }

    fn once(&self, record: &Record) -> Option<Once> {
        let Record { kind, value, entry, place, shoe_no, candidate, .. } = *record;
        let table = self.tables.get(usize::try_from(record.table).ok()?)?.clone();
        Some(Once { kind, value, entry, place, table, shoe_no, candidate })
    }

    /// A bucket's records; its file must begin as it was last read.
    fn read(&mut self, bucket: usize) -> Result<Vec<Record>, UnusableInput> {
        let (Some(file), Some(waiting)) = (self.files.get_mut(bucket), self.waiting.get(bucket)) else {
            return Ok(Vec::new());
        };
        let mut bytes = Vec::new();
        if let Some(folder) = self.folder.as_ref().filter(|_| file.length > 0) {
            let path = path_of(folder, bucket);
            File::open(&path)
                .and_then(|file_| file_.take(file.length).read_to_end(&mut bytes))
                .map_err(failed(&path))?;
            let begins = bytes.get(..usize::try_from(file.hashed).unwrap_or(usize::MAX));
            if bytes.len() as u64 != file.length
                || begins.is_none_or(|begins| file.hashed > 0 && sha256(begins) != file.hash)
            {
                return Err(UnusableInput::new(format!(
                    "{} is not what this audit wrote; remove the audit's state to start afresh",
                    path.display()
                )));
            }
            (file.hashed, file.hash) = (file.length, sha256(&bytes));
        }
        bytes.extend_from_slice(waiting);
        Ok(bytes.chunks_exact(RECORD).filter_map(record).collect())
    }

    /// Writes what waits.
    fn write(&mut self) -> Result<(), UnusableInput> {
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => self.make_folder()?,
        };
        for (bucket, (waiting, file)) in self.waiting.iter_mut().zip(&mut self.files).enumerate() {
            if waiting.is_empty() {
                continue;
            }
            let path = path_of(&folder, bucket);
            append(&path, file.length, waiting).map_err(failed(&path))?;
            file.length += waiting.len() as u64;
            waiting.clear();
        }
        self.waiting_bytes = 0;
        Ok(())
    }

    fn make_folder(&mut self) -> Result<PathBuf, UnusableInput> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(UnusableInput::new)?;
        let name = hex::encode(name);
        let folder = match &self.beside {
            Some(state) => sibling(state, &name),
            None => std::env::temp_dir().join(format!("fairshoe-audit-{name}")),
        };
        DirBuilder::new().mode(0o700).create(&folder).map_err(failed(&folder))?;
        self.folder = Some(folder.clone());
        Ok(folder)
    }

    /// Makes everything durable beside the audit's state, which then names it.
    ///
    /// # Errors
    /// [`UnusableInput`].
    pub fn keep(&mut self) -> Result<SavedSpool, UnusableInput> {
        self.write()?;
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => self.make_folder()?,
        };
        for (bucket, _) in self.files.iter().enumerate().filter(|(_, file)| file.length > 0) {
            let path = path_of(&folder, bucket);
            File::open(&path).and_then(|file| file.sync_data()).map_err(failed(&path))?;
        }
        File::open(&folder).and_then(|folder| folder.sync_all()).map_err(failed(&folder))?;
        self.saved = true;
        Ok(SavedSpool {
            folder: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            salt: STANDARD.encode(self.salt),
            buckets: self.files.iter().map(|file| (file.length, file.hashed, STANDARD.encode(file.hash))).collect(),
            tables: self.tables.clone(),
        })
    }

    /// After the state was replaced: folders of earlier audits beside it are of no use any more.
    pub fn remove_others(&self) {
        let (Some(state), Some(own)) = (&self.beside, &self.folder) else { return };
        let prefix = sibling(state, "");
        let beside = state.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let others = fs::read_dir(beside).into_iter().flatten().flatten().map(|entry| entry.path());
        let begins = |path: &Path| {
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name(path).strip_prefix(&name(&prefix)).is_some_and(|rest| rest.len() == 16)
        };
        for other in others.filter(|path| begins(path) && path.file_name() != own.file_name()) {
            let _ = fs::remove_dir_all(other);
        }
    }

    /// Opens what an audit's state names.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn open(state: &Path, saved: SavedSpool) -> Result<Spool, String> {
        if saved.buckets.len() != BUCKETS || !saved.folder.contains(".once-") || saved.folder.contains('/') {
            return Err("the folder of roots and seeds is not named as it should be".into());
        }
        let folder = state.with_file_name(&saved.folder);
        let mut spool = Spool::new(Some(state));
        let salt = STANDARD.decode(&saved.salt).ok().and_then(|salt| salt.try_into().ok());
        spool.salt = salt.ok_or("its salt is none")?;
        for (bucket, (length, hashed, hash)) in saved.buckets.into_iter().enumerate() {
            let hash = STANDARD.decode(&hash).ok().and_then(|hash| hash.try_into().ok()).ok_or("a hash is none")?;
            let path = path_of(&folder, bucket);
            let there = fs::metadata(&path).map_or(0, |file| file.len());
            if there < length || hashed > length || !length.is_multiple_of(RECORD as u64) {
                return Err(format!("{} has {there} bytes, not {length}", path.display()));
            }
            if let Some(file) = spool.files.get_mut(bucket) {
                *file = InFile { length, hashed, hash };
            }
        }
        spool.numbers = (0..).zip(&saved.tables).map(|(number, table)| (table.clone(), number)).collect();
        (spool.tables, spool.folder, spool.saved) = (saved.tables, Some(folder), true);
        Ok(spool)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let (Some(folder), false) = (&self.folder, self.saved) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// `STATE.once-NAME`, beside the state.
fn sibling(state: &Path, name: &str) -> PathBuf {
    let own = state.file_name().unwrap_or_default().to_string_lossy().into_owned();
    state.with_file_name(format!("{own}.once-{name}"))
}

fn path_of(folder: &Path, bucket: usize) -> PathBuf {
    folder.join(format!("{bucket:02x}"))
}

/// Appends after the bytes that count; what a crash left behind them is cut off.
fn append(path: &Path, length: u64, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(bytes)
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn record(bytes: &[u8]) -> Option<Record> {
    let (value, rest) = bytes.split_first_chunk::<32>()?;
    let (kind, rest) = rest.split_first()?;
    let (entry, rest) = rest.split_first_chunk::<8>()?;
    let (place, rest) = rest.split_first_chunk::<4>()?;
    let (table, rest) = rest.split_first_chunk::<4>()?;
    let (shoe_no, rest) = rest.split_first_chunk::<8>()?;
    let kind = if *kind == 0 { OnceKind::Root } else { OnceKind::Seed };
    Some(Record {
        kind,
        value: *value,
        entry: u64::from_be_bytes(*entry),
        place: u32::from_be_bytes(*place),
        table: u32::from_be_bytes(*table),
        shoe_no: u64::from_be_bytes(*shoe_no),
        candidate: *rest.first()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_judge::audit::Check;

    fn once(number: u64, entry: u64) -> Once {
        let table = TableId::parse(if number.is_multiple_of(2) { "even" } else { "odd" }).unwrap();
        let value = sha256(&number.to_be_bytes());
        Once { kind: OnceKind::Seed, value, entry, place: 0, table, shoe_no: entry, candidate: 0 }
    }

    #[test]
    fn the_earliest_double_is_found_however_far_apart_and_across_files() {
        let mut spool = Spool::new(None);
        for number in 0..20_000 {
            spool.note(vec![once(number, number)]);
            if number % 7_000 == 0 {
                spool.write().unwrap();
            }
        }
        assert_eq!(spool.again().unwrap(), None);
        let folder = spool.folder.clone().unwrap();
        spool.note(vec![once(5, 30_000), once(19_999, 29_000), once(8, 29_001)]);
        for _ in 0..2 {
            let finding = spool.again().unwrap().unwrap();
            assert_eq!((finding.check, finding.entry), (Check::SeedReused, Some(29_000)));
            assert_eq!(finding.table.unwrap().as_str(), "odd");
            spool.write().unwrap();
        }
        drop(spool);
        assert!(!folder.exists(), "what is not kept is gone");
    }

    #[test]
    fn one_candidate_may_publish_its_seed_twice_and_a_root_is_no_seed() {
        let mut spool = Spool::new(None);
        let twice = once(1, 7);
        let root = Once { kind: OnceKind::Root, entry: 9, shoe_no: 9, ..twice.clone() };
        spool.note(vec![twice.clone(), Once { entry: 8, ..twice }, root]);
        assert_eq!(spool.again().unwrap(), None);
    }

    #[test]
    fn what_is_kept_is_gone_on_with_and_damage_is_refused() {
        let dir = tempfile::TempDir::new().unwrap();
        let state = dir.path().join("book");
        let mut spool = Spool::new(Some(&state));
        spool.note((0..1_000).map(|number| once(number, number)).collect());
        assert_eq!(spool.again().unwrap(), None);
        spool.keep().unwrap();
        assert_eq!(spool.again().unwrap(), None);
        let saved = serde_json::to_string(&spool.keep().unwrap()).unwrap();
        let read = || Spool::open(&state, serde_json::from_str(&saved).unwrap());
        // Written after the state was kept, and lost with it.
        spool.note(vec![once(3, 2_000)]);
        spool.write().unwrap();
        let folder = spool.folder.clone().unwrap();
        drop(spool);
        assert!(folder.exists());
        let mut again = read().unwrap();
        assert_eq!(again.again().unwrap(), None);
        again.note(vec![once(4, 3_000)]);
        assert_eq!(again.again().unwrap().unwrap().entry, Some(3_000));
        drop(again);
        let other = dir.path().join("book.once-0123456789abcdef");
        fs::create_dir(&other).unwrap();
        read().unwrap().remove_others();
        assert!(!other.exists() && folder.exists());
        // Each bucket's first bytes are those that were read.
        for file in fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            let mut bytes = fs::read(&path).unwrap();
            bytes[0] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
        let mut damaged = read().unwrap();
        damaged.note((0..1_000).map(|number| once(number + 5_000, number)).collect());
        assert!(damaged.again().is_err());
        fs::remove_dir_all(&folder).unwrap();
        assert!(read().is_err());
    }
}
