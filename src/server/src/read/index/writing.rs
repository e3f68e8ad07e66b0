//! How the index gets from memory into its files, and how it is made of the log where it is behind, damaged or missing.
//!
//! Owns when it is written, what is written, and the thread that does it. A writing takes the whole index as it is at
//! one size of the log, so that the files are always right for that size. Implements spec/index.md, "Writing" and
//! "Starting".

use super::files::{Files, Folder, Merging, Totals};
use super::player;
use super::run::{Record, RunWriter};
use super::significant::significant_key;
use super::table::{Table, Written, key, table_key};
use super::{Index, IndexError, Memory, Recent};
use crate::write::durable::ReadLog;
use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_house::Entry;
use fairshoe_store::StoreError;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::{info, warn};

/// The index is written once so many entries are not.
pub const DUE: u64 = 65_536;

/// Entries that may wait to be written; whoever brings more writes them.
pub const MOST: u64 = 8 * DUE;

/// The index is written after this time, however few entries wait.
const AFTER: Duration = Duration::from_secs(10);

/// How long a writing that failed is not tried again.
const RETRY: Duration = Duration::from_secs(5);

/// Records merged before the next look whether something else is due.
const STEP: usize = 4096;

/// Tables whose written rows leave memory at once: readers and the log wait for no more.
const TRIMMED: usize = 256;

/// The index as it is at one size of the log.
struct Job {
    /// By name.
    tables: Vec<(TableId, Arc<Table>)>,
    recent: Arc<Recent>,
    totals: Totals,
}

/// What only one thread at a time does.
pub struct Writing {
    folder: Folder,
    /// What could not be written, to be tried again as it is.
    job: Option<Job>,
    merging: Option<Merging>,
}

impl Writing {
    fn new(folder: Folder) -> Writing {
        Writing { folder, job: None, merging: None }
    }
}

/// The key of a start of the dealer.
pub fn start_key(index: u64) -> Vec<u8> {
    key(b'a', "", index)
}

/// What stands there.
pub fn epoch(bytes: &[u8]) -> Result<Epoch, IndexError> {
    let text = std::str::from_utf8(bytes).ok();
    text.and_then(|text| text.parse().ok()).ok_or(IndexError::Damaged("an epoch that is none"))
}

/// The key of a disclosure of a sealed shoe by the entry at `index`.
pub fn disclosed_key(table: &TableId, shoe_no: u64, index: u64) -> Vec<u8> {
    let mut key = key(b'd', table, shoe_no);
    key.extend(index.to_be_bytes());
    key
}

/// The key of what asked for an operation of the wallet, or of its last answer.
pub fn operation_key(is_asked: bool, no: u64) -> Vec<u8> {
    key(b'w', if is_asked { "asked" } else { "answered" }, no)
}

/// The log's index that stands there.
pub fn index(bytes: &[u8]) -> Result<u64, IndexError> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| IndexError::Damaged("an index that is none"))
}

fn add_all(to: &mut RunWriter, records: &mut dyn Iterator<Item = Record>) -> Result<(), IndexError> {
    for (key, value) in records {
        to.add(&key, &value)?;
    }
    Ok(())
}

impl Job {
    /// Writes what is to be written beside these files: in the order of its keys, so that none of it is held in memory.
    fn write(&self, files: &Files, events_before: u64, to: &mut RunWriter) -> Result<(), IndexError> {
        let Recent { players, starts, keys, disclosed, operations, significant } = self.recent.as_ref();
        let tables = || self.tables.iter().map(|(id, table)| (id, table.as_ref()));
        add_all(to, &mut tables().flat_map(|(id, table)| table.entries.search_records(id)))?;
        add_all(to, &mut tables().flat_map(|(id, table)| table.rounds.search_records(id)))?;
        add_all(to, &mut tables().flat_map(|(id, table)| table.shoes.search_records(id)))?;
        add_all(to, &mut starts.iter().map(|(index, epoch)| (start_key(*index), epoch.to_string().into_bytes())))?;
        let name =
            |to: &Option<PlayerId>| to.as_ref().map(|name| name.as_str().as_bytes().to_vec()).unwrap_or_default();
        add_all(
            to,
            &mut disclosed
                .iter()
                .map(|((table, shoe_no, index), to)| (disclosed_key(table, *shoe_no, *index), name(to))),
        )?;
        add_all(to, &mut tables().flat_map(|(id, table)| table.entries.records(id)))?;
        add_all(
            to,
            &mut (events_before..)
                .zip(significant.iter())
                .map(|(number, event)| (significant_key(number), event.encode())),
        )?;
        add_all(to, &mut keys.iter().map(|(player, index)| (key(b'k', player, *index), Vec::new())))?;
        // In the order of the files, too: neighbours are in the same blocks.
        let mut players: Vec<_> = players.iter().collect();
        players.sort_unstable_by_key(|(player, _)| *player);
        for (player, rounds) in players {
            add_all(to, &mut player::records(files, player, rounds)?.into_iter())?;
        }
        add_all(to, &mut tables().flat_map(|(id, table)| table.rounds.records(id)))?;
        add_all(to, &mut tables().flat_map(|(id, table)| table.shoes.records(id)))?;
        add_all(to, &mut tables().map(|(id, table)| (table_key(id), table.encode())))?;
        // What was answered comes before what was asked, as in the map.
        let operation = |((is_asked, no), index): (&(bool, u64), &u64)| {
            (operation_key(*is_asked, *no), index.to_be_bytes().to_vec())
        };
        add_all(to, &mut operations.iter().map(operation))
    }
}

impl Index {
    fn with(origin: &Origin, folder: Folder) -> Index {
        let memory = Memory::new(folder.files(), folder.totals().clone());
        Index {
            origin: origin.clone(),
            memory: RwLock::new(memory),
            writing: Mutex::new(Writing::new(folder)),
            ending: Mutex::new(false),
            due: Condvar::new(),
        }
    }

    /// Opens the index of a log in this folder. One that cannot be used, or that is not of this log, is discarded:
    /// `root_at` says which root the log's tree has at a size, where it has so many entries. Also how many of the log's
    /// entries it holds.
    ///
    /// # Errors
    /// Where no empty one can be made in its place.
    pub fn open(
        dir: &Path,
        origin: &Origin,
        root_at: impl FnOnce(u64) -> Option<String>,
    ) -> Result<(Index, u64), IndexError> {
        let checked = |folder: Folder| {
            let Totals { size, root, .. } = folder.totals();
            match root_at(*size) {
                None => Err(IndexError::Foreign("it reaches beyond the log's end")),
                Some(found) if *size > 0 && found != *root => Err(IndexError::Foreign("its log had other entries")),
                Some(_) => Ok(folder),
            }
        };
        let opened = Folder::open(dir, origin.as_str()).and_then(|folder| folder.map(checked).transpose());
        let folder = match opened {
            Ok(Some(folder)) => folder,
            Ok(None) => Folder::create(dir, origin.as_str())?,
            Err(failure) => {
                warn!(folder = %dir.display(), %failure, "the index is discarded; it is made again from the log");
                Folder::create(dir, origin.as_str())?
            }
        };
        let size = folder.totals().size;
        Ok((Index::with(origin, folder), size))
    }

    /// Takes in what the log has beyond the index.
    ///
    /// # Errors
    /// Where the log cannot be read, or the index cannot be written.
    pub fn catch_up(&self, reader: &dyn ReadLog, root_at: impl Fn(u64) -> Option<String>) -> Result<(), CatchUpError> {
        self.take_in(reader, reader.size(), &root_at)?;
        let mut memory = self.memory_mut();
        memory.totals.root = root_at(memory.log).unwrap_or_default();
        Ok(())
    }

    /// Takes in the log's entries up to a size, and writes in between.
    fn take_in(
        &self,
        reader: &dyn ReadLog,
        size: u64,
        root_at: &dyn Fn(u64) -> Option<String>,
    ) -> Result<(), CatchUpError> {
        let mut failure = None;
        reader.read(self.totals().size..size, &mut |index, bytes| {
            let taken = Entry::decode(bytes).map_err(|_| CatchUpError::Entry(index)).and_then(|entry| {
                let mut memory = self.memory_mut();
                memory.add(index, &entry)?;
                memory.log = index.saturating_add(1);
                if memory.log.saturating_sub(memory.written) < DUE {
                    return Ok(());
                }
                memory.totals.root = root_at(memory.log).unwrap_or_default();
                drop(memory);
                self.write()?;
                while self.merge()? {}
                Ok(())
            });
            match taken {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        failure.map_or(Ok(()), Err)
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is not written yet; durable on return.
    ///
    /// # Errors
    /// Where the disk does not take it, or what stands there is damaged. Nothing is lost: what was not written stays in
    /// memory.
    pub fn write(&self) -> Result<(), IndexError> {
        let mut writing = self.writing();
        let Some(job) = writing.job.take().or_else(|| self.take_job()) else { return Ok(()) };
        let before = job.totals.significant.saturating_sub(job.recent.significant.len() as u64);
        let files = writing.folder.files();
        let done = writing.folder.put(job.totals.clone(), |to| job.write(&files, before, to));
        drop(files);
        if let Err(error) = done {
            writing.job = Some(job);
            return Err(error);
        }
        let written: Vec<(TableId, Written)> =
            job.tables.iter().map(|(id, table)| (id.clone(), table.written())).collect();
        {
            let mut memory = self.memory_mut();
            memory.files = writing.folder.files();
            memory.under_way = None;
            memory.written = job.totals.size;
        }
        drop(job);
        for some in written.chunks(TRIMMED) {
            let mut memory = self.memory_mut();
            for (id, written) in some {
                let is_over = !memory.changed.contains(id) && memory.tables.get(id).is_some_and(|table| table.closed);
                if is_over {
                    memory.tables.remove(id);
                } else if let Some(table) = memory.tables.get_mut(id) {
                    Arc::make_mut(table).trim(*written);
                }
            }
        }
        Ok(())
    }

    /// What is to be written, if there is anything; it counts as under way from now on.
    fn take_job(&self) -> Option<Job> {
        let mut memory = self.memory_mut();
        if memory.totals.size == memory.written || memory.totals.size != memory.log {
            return None;
        }
        let recent = Arc::new(std::mem::take(&mut memory.recent));
        memory.under_way = Some(recent.clone());
        let (changed, totals) = (std::mem::take(&mut memory.changed), memory.totals.clone());
        let mut tables: Vec<_> =
            changed.into_iter().filter_map(|id| memory.tables.get(&id).cloned().map(|table| (id, table))).collect();
        drop(memory);
        tables.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Some(Job { tables, recent, totals })
    }

    /// Takes the merging of files a step further; `false`: there is nothing to merge.
    pub(super) fn merge(&self) -> Result<bool, IndexError> {
        let mut writing = self.writing();
        let Writing { folder, merging, .. } = &mut *writing;
        if merging.is_none() {
            *merging = folder.merge()?;
        }
        let Some(under_way) = merging else { return Ok(false) };
        let merged = match under_way.step(STEP) {
            Ok(false) => return Ok(true),
            Ok(true) => merging.take().map_or(Ok(()), |merging| folder.merged(merging)),
            Err(error) => {
                *merging = None;
                folder.give_up();
                Err(error)
            }
        };
        self.memory_mut().files = folder.files();
        merged.map(|()| true)
    }

    /// Writes at intervals, merges files, and makes the index again where it is damaged, until it is ended. What fails
    /// is tried again.
    pub fn run(&self, reader: &dyn ReadLog, root_at: &dyn Fn(u64) -> Option<String>) {
        let mut written = Instant::now();
        let mut rests_until = None;
        loop {
            let (waiting, is_damaged) = {
                let memory = self.memory();
                (memory.log.saturating_sub(memory.written), memory.is_damaged())
            };
            let is_resting = rests_until.is_some_and(|until| Instant::now() < until);
            let done = if is_resting {
                Ok(false)
            } else if is_damaged {
                warn!("the index is damaged; it is made again from the log");
                self.mend(reader, root_at)
                    .map(|()| info!("the index was made again"))
                    .map(|()| true)
                    .map_err(|failure| failure.to_string())
            } else if waiting >= DUE || waiting > 0 && written.elapsed() >= AFTER {
                written = Instant::now();
                self.write().map(|()| true).map_err(|failure| failure.to_string())
            } else {
                self.merge().map_err(|failure| failure.to_string())
            };
            let has_more = match done {
                Ok(has_more) => has_more,
                Err(failure) => {
                    warn!(%failure, "the index cannot be written; it is tried again");
                    rests_until = Some(Instant::now() + RETRY);
                    false
                }
            };
            let ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
            if *ending {
                return;
            }
            if !has_more {
                drop(self.due.wait_timeout(ending, Duration::from_secs(1)));
            }
        }
    }

    fn is_ending(&self) -> bool {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends [`Index::run`], and writes what is left.
    pub fn end(&self) {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.due.notify_all();
        let done = if self.memory().is_damaged() {
            Err(IndexError::Damaged("it was not made again yet"))
        } else {
            self.write()
        };
        if let Err(failure) = done {
            warn!(%failure, "the index is not written; the next start takes longer");
        }
    }

    /// Makes the index again from the log, beside the one in use, and takes its place; not where the service stops
    /// meanwhile.
    fn mend(&self, reader: &dyn ReadLog, root_at: &dyn Fn(u64) -> Option<String>) -> Result<(), CatchUpError> {
        // Held all the time: nobody may write the damaged one meanwhile, whose files go.
        let mut writing = self.writing();
        let fresh = Index::with(&self.origin, writing.folder.anew());
        loop {
            let (done, log) = (fresh.totals().size, self.memory().log);
            // The rest is so little that the log may wait for it.
            if log.saturating_sub(done) <= 1024 {
                break;
            }
            if self.is_ending() {
                return Ok(());
            }
            fresh.take_in(reader, log.min(done.saturating_add(DUE)), root_at)?;
        }
        let mut memory = self.memory_mut();
        fresh.take_in(reader, memory.log, root_at)?;
        let mut made = fresh.memory.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.totals.root.clone_from(&memory.totals.root);
        *memory = made;
        *writing = fresh.writing.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(())
    }
}

/// Why the index could not be made of the log.
#[derive(Debug, thiserror::Error)]
pub enum CatchUpError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("entry {0} of the log cannot be read")]
    Entry(u64),
}
