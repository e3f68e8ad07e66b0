//! The index's folder: which files belong to it, up to which entry of which log they reach, and how many become one.
//!
//! Owns the folder's list, its files' order and their merging. It does not know what a record means. The list is
//! replaced in one step, by renaming, after the files that it names are durable: a kill leaves either the list before
//! or the one after. Implements spec/index.md, "Files" and "Merging".

use super::IndexError;
use super::run::{Cache, Cursor, Record, Run, RunWriter};
use fairshoe_fairness::Epoch;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format of all that is here.
const FORMAT: u32 = 1;

/// So many files of a level become one of the next.
const FAN: usize = 4;

/// The list's name in the folder.
const LIST: &str = "list";

/// What is known of the log as a whole, as far as the index reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// How many of the log's entries are in it.
    pub size: u64,
    /// The root of the log's tree at that size.
    pub root: String,
    pub rounds: u64,
    /// Hands of poker that were played to their end.
    pub hands: u64,
    pub sealed_shoes: u64,
    pub disclosures: u64,
    /// Significant events.
    pub significant: u64,
    pub starts: u64,
    /// The last start's place in the log, and its epoch.
    pub start: Option<(u64, Epoch)>,
    /// When the last refused start on the log was, UTC milliseconds.
    pub refused_at: Option<u64>,
    /// The last entry of the process before stopped the dealer in good order.
    pub stopped: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Listed {
    id: u64,
    level: u32,
}

/// The list of files, newest first, and what they hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct List {
    format: u32,
    /// The log's name.
    origin: String,
    next: u64,
    runs: Vec<Listed>,
    totals: Totals,
}

/// The files as they are at one time, for reading.
pub struct Files {
    /// Newest first.
    runs: Vec<Arc<Run>>,
    cache: Arc<Cache>,
}

impl Files {
    /// A record by its key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexError> {
        for run in &self.runs {
            if let Some((_, value)) = run.floor(key)?.filter(|(found, _)| found == key) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The record with the greatest key not above this one.
    pub fn floor(&self, key: &[u8]) -> Result<Option<Record>, IndexError> {
        let mut best: Option<Record> = None;
        for run in &self.runs {
            // Where two have the same key the newer one counts.
            best = match (best, run.floor(key)?) {
                (Some(best), Some(found)) if found.0 > best.0 => Some(found),
                (None, found) => found,
                (best, _) => best,
            };
        }
        Ok(best)
    }

    /// The records from one key to another, both included, at most so many.
    pub fn range(&self, from: &[u8], to: &[u8], most: usize) -> Result<Vec<Record>, IndexError> {
        let mut merged = Merged::new(&self.runs, from, true)?;
        let mut found = Vec::new();
        while found.len() < most
            && let Some(record) = merged.next()?.filter(|(key, _)| key.as_slice() <= to)
        {
            found.push(record);
        }
        Ok(found)
    }

    /// Whether any of them was found damaged.
    pub fn is_damaged(&self) -> bool {
        self.cache.is_damaged()
    }

    /// Remembers what was found wrong with a record.
    pub fn note(&self, error: IndexError) -> IndexError {
        self.cache.note(error)
    }

    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.runs.len()
    }
}

/// The records of several files in one order; of one key the newest.
struct Merged {
    /// Newest first.
    heads: Vec<(Option<Record>, Cursor)>,
}

impl Merged {
    fn new(runs: &[Arc<Run>], from: &[u8], keep: bool) -> Result<Merged, IndexError> {
        let mut heads = Vec::new();
        for run in runs {
            let mut cursor = run.from(from, keep)?;
            heads.push((cursor.next()?, cursor));
        }
        Ok(Merged { heads })
    }

    fn next(&mut self) -> Result<Option<Record>, IndexError> {
        let keys = self.heads.iter().filter_map(|(head, _)| head.as_ref().map(|(key, _)| key));
        let Some(least) = keys.min().cloned() else { return Ok(None) };
        let mut newest = None;
        for (head, cursor) in &mut self.heads {
            if head.as_ref().is_some_and(|(key, _)| *key == least) {
                let next = cursor.next()?;
                let record = std::mem::replace(head, next);
                newest = newest.or(record);
            }
        }
        Ok(newest)
    }
}

/// Files on their way to being one.
pub struct Merging {
    ids: BTreeSet<u64>,
    level: u32,
    id: u64,
    merged: Merged,
    writer: RunWriter,
}

impl Merging {
    /// Takes so many records further; `true`: all are there.
    pub fn step(&mut self, records: usize) -> Result<bool, IndexError> {
        for _ in 0..records {
            match self.merged.next()? {
                Some((key, value)) => self.writer.add(&key, &value)?,
                None => return Ok(true),
            }
        }
        Ok(false)
    }
}

/// The folder, for its one writer.
pub struct Folder {
    dir: PathBuf,
    list: List,
    files: Arc<Files>,
    /// The file that others are being merged into.
    under_way: Option<u64>,
}

impl Folder {
    /// Opens the folder, if there is an index in it.
    pub fn open(dir: &Path, origin: &str) -> Result<Option<Folder>, IndexError> {
        let bytes = match fs::read(dir.join(LIST)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let list = unsealed(&bytes)?;
        if list.format != FORMAT {
            return Err(IndexError::Foreign("another version wrote it"));
        }
        if list.origin != origin {
            return Err(IndexError::Foreign("it is another log's"));
        }
        let cache = Arc::default();
        let open = |listed: &Listed| Run::open(&path_of(dir, listed.id), listed.id, &cache).map(Arc::new);
        let runs = list.runs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let folder = Folder { dir: dir.to_owned(), list, files: Arc::new(Files { runs, cache }), under_way: None };
        folder.remove_unlisted()?;
        Ok(Some(folder))
    }

    /// An empty index, in place of whatever is there.
    pub fn create(dir: &Path, origin: &str) -> Result<Folder, IndexError> {
        match fs::symlink_metadata(dir) {
            Ok(there) if there.is_dir() => {}
            Ok(_) => fs::remove_file(dir)?,
            Err(_) => {}
        }
        fs::create_dir_all(dir)?;
        let list =
            List { format: FORMAT, origin: origin.to_owned(), next: 0, runs: Vec::new(), totals: Totals::default() };
        // The list first: without it the files are nobody's.
        match fs::remove_file(dir.join(LIST)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => File::open(dir)?.sync_all()?,
        }
        let folder = Folder {
            dir: dir.to_owned(),
            list,
            files: Arc::new(Files { runs: Vec::new(), cache: Arc::default() }),
            under_way: None,
        };
        folder.remove_unlisted()?;
        Ok(folder)
    }

    /// The same folder, empty, beside the one in use: its files get other names, and its list takes the place of the
    /// other's.
    pub fn anew(&self) -> Folder {
        let list = List {
            next: self.list.next.saturating_add(1),
            runs: Vec::new(),
            totals: Totals::default(),
            ..self.list.clone()
        };
        Folder {
            dir: self.dir.clone(),
            list,
            files: Arc::new(Files { runs: Vec::new(), cache: Arc::default() }),
            under_way: None,
        }
    }

    /// The files that stand in it now.
    pub fn files(&self) -> Arc<Files> {
        self.files.clone()
    }

    /// What they hold.
    pub fn totals(&self) -> &Totals {
        &self.list.totals
    }

    /// Adds a new file, with what the index holds then; durable on return. `write` gives it its records, in the order
    /// of their keys.
    pub fn put(
        &mut self,
        totals: Totals,
        write: impl FnOnce(&mut RunWriter) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let id = self.take_id();
        let mut list = List { totals, ..self.list.clone() };
        let mut runs = self.files.runs.clone();
        let mut writer = RunWriter::new(&path_of(&self.dir, id), id)?;
        write(&mut writer)?;
        // Not every entry is found by more than its place.
        if !writer.is_empty() {
            writer.finish()?;
            runs.insert(0, Arc::new(Run::open(&path_of(&self.dir, id), id, &self.files.cache)?));
            list.runs.insert(0, Listed { id, level: 0 });
        }
        self.replace(list, runs)
    }

    /// The next files to be merged, if there are enough of a level.
    pub fn merge(&mut self) -> Result<Option<Merging>, IndexError> {
        let count = |level: u32| self.list.runs.iter().filter(|run| run.level == level).count();
        let Some(level) = self.list.runs.iter().map(|run| run.level).find(|level| count(*level) >= FAN) else {
            return Ok(None);
        };
        let ids: BTreeSet<u64> = self.list.runs.iter().filter(|run| run.level == level).map(|run| run.id).collect();
        let runs: Vec<_> = self.files.runs.iter().filter(|run| ids.contains(&run.id)).cloned().collect();
        let id = self.take_id();
        let merged = Merged::new(&runs, &[], false)?;
        self.under_way = Some(id);
        Ok(Some(Merging { ids, level, id, merged, writer: RunWriter::new(&path_of(&self.dir, id), id)? }))
    }

    /// Puts the one file in the place of those that it was made of.
    pub fn merged(&mut self, merging: Merging) -> Result<(), IndexError> {
        let Merging { ids, level, id, writer, .. } = merging;
        writer.finish()?;
        let one = Arc::new(Run::open(&path_of(&self.dir, id), id, &self.files.cache)?);
        let mut list = self.list.clone();
        // Behind what is newer than they are.
        let place = list.runs.iter().position(|run| ids.contains(&run.id)).unwrap_or(0);
        list.runs.insert(place, Listed { id, level: level.saturating_add(1) });
        list.runs.retain(|run| !ids.contains(&run.id));
        let mut runs = self.files.runs.clone();
        runs.insert(place, one);
        runs.retain(|run| !ids.contains(&run.id));
        self.under_way = None;
        self.replace(list, runs)
    }

    /// Forgets a merging that cannot be ended; its file goes with the next change of the list.
    pub fn give_up(&mut self) {
        self.under_way = None;
    }

    /// A file's number is used once, also where its writing failed.
    fn take_id(&mut self) -> u64 {
        let id = self.list.next;
        self.list.next = id.saturating_add(1);
        id
    }

    fn replace(&mut self, list: List, runs: Vec<Arc<Run>>) -> Result<(), IndexError> {
        let new = self.dir.join("list.new");
        let mut file = File::create(&new)?;
        file.write_all(&sealed(&list)?)?;
        file.sync_all()?;
        fs::rename(&new, self.dir.join(LIST))?;
        File::open(&self.dir)?.sync_all()?;
        self.list = List { next: self.list.next, ..list };
        self.files = Arc::new(Files { runs, cache: self.files.cache.clone() });
        // Readers of the ones before hold them open.
        self.remove_unlisted()
    }

    fn remove_unlisted(&self) -> Result<(), IndexError> {
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let mut listed = self.list.runs.iter().map(|run| run.id).chain(self.under_way);
            if path.extension().is_some_and(|extension| extension == "run")
                && !listed.any(|id| path == path_of(&self.dir, id))
            {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

fn path_of(dir: &Path, id: u64) -> PathBuf {
    dir.join(format!("{id:08x}.run"))
}

/// The list after a line with its hash.
fn sealed(list: &List) -> Result<Vec<u8>, IndexError> {
    let body = serde_json::to_vec(list).map_err(|_| IndexError::Damaged("the list cannot be written"))?;
    let mut bytes = format!("{}\n", hex::encode(Sha256::digest(&body))).into_bytes();
    bytes.extend(body);
    Ok(bytes)
}

fn unsealed(bytes: &[u8]) -> Result<List, IndexError> {
    let damaged = IndexError::Damaged("its list is not as it was written");
    let Some((hash, rest)) = bytes.split_at_checked(64) else { return Err(damaged) };
    match rest.strip_prefix(b"\n") {
        Some(body) if hex::encode(Sha256::digest(body)).as_bytes() == hash => {
            serde_json::from_slice(body).map_err(|_| IndexError::Foreign("another version wrote its list"))
        }
        _ => Err(damaged),
    }
}
