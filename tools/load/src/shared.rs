//! The data that all players of a run share.

use crate::args::Args;
use crate::check::{LogCheck, OnLog, Signers};
use crate::client::Token;
use crate::failure::Failure;
use crate::starts::Starts;
use crate::tiles::Tiles;
use crate::totals::Totals;
use fairshoe_api::LogInfo;
use fairshoe_fairness::{Origin, TableId};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The shared data of a run; see the module.
pub struct Shared {
    /// The command line.
    pub args: Args,
    /// The operator's token.
    pub operator: Token,
    /// A part of this run's names that no other run uses.
    pub run: String,
    /// The log's name.
    pub origin: Origin,
    /// The log as all players of the run see it, each checkpoint verified once.
    pub log: LogCheck,
    /// The players' keys, if they sign.
    pub signers: Arc<Signers>,
    /// Tiles of the log fetched so far.
    pub tiles: Tiles,
    /// The dealer's starts, read from the log.
    pub starts: Starts,
    /// The file of acknowledged entries.
    pub acks: Option<Acks>,
    /// Permits for requests, under `--rate`.
    pub pace: Option<Arc<Semaphore>>,
    /// After this time no round begins; unset before the play begins.
    pub deadline: OnceLock<Instant>,
    stopped: AtomicBool,
    totals: Mutex<Totals>,
    /// The next entry of each table that is not recorded yet.
    followed: Mutex<BTreeMap<TableId, u64>>,
}

impl Shared {
    /// The state before the first request.
    pub fn new(args: Args, operator: Token, run: String, info: LogInfo, log: LogCheck, acks: Option<Acks>) -> Self {
        let pace = args.rate.map(|_| Arc::new(Semaphore::new(0)));
        let (deadline, stopped, totals) = (OnceLock::new(), AtomicBool::new(false), Mutex::new(Totals::default()));
        let (signers, tiles, starts, followed) =
            (Arc::default(), Tiles::default(), Starts::new(&info), Mutex::default());
        Shared {
            args,
            operator,
            run,
            origin: info.origin,
            log,
            signers,
            tiles,
            starts,
            acks,
            pace,
            deadline,
            stopped,
            totals,
            followed,
        }
    }

    /// Records entries whose receipts were checked.
    ///
    /// # Errors
    /// [`Failure::File`].
    pub fn note(&self, entries: &[OnLog]) -> Result<(), Failure> {
        self.totals().entries += u64::try_from(entries.len()).unwrap_or_default();
        self.acks.as_ref().map_or(Ok(()), |acks| acks.note(entries))
    }

    /// The same for a table's entries that its players read one by one: once each.
    ///
    /// # Errors
    /// [`Failure::File`].
    pub fn follows<'e>(&self, table: &TableId, entries: impl Iterator<Item = &'e OnLog>) -> Result<(), Failure> {
        let mut new = Vec::new();
        {
            let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
            let next = followed.entry(table.clone()).or_default();
            for entry in entries {
                self.totals().entries += 1;
                if let Some(at) = entry.entry.at.as_ref().filter(|at| at.seq >= *next) {
                    *next = at.seq.saturating_add(1);
                    new.push(entry);
                }
            }
        }
        self.acks.as_ref().map_or(Ok(()), |acks| acks.note(new))
    }

    /// The counters.
    pub fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run: no player begins a new action.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether a player failed.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the time is up, or a player failed.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline)
    }

    /// The time left; `None` before the play begins.
    pub fn time_left(&self) -> Duration {
        self.deadline.get().map(|deadline| deadline.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// The time since the end.
    pub fn over_for(&self) -> Duration {
        self.deadline.get().map(|deadline| Instant::now().saturating_duration_since(*deadline)).unwrap_or_default()
    }

    /// Waits for this request's permit, once the play has begun.
    pub async fn turn(&self) {
        if let (Some(pace), Some(_)) = (&self.pace, self.deadline.get())
            && let Ok(permit) = pace.acquire().await
        {
            permit.forget();
        }
    }
}

/// The file of acknowledged entries. It is written before the next request, so that it holds every entry acknowledged
/// before the service was killed.
pub struct Acks(Mutex<File>);

impl Acks {
    /// Opens the file to append to it.
    ///
    /// # Errors
    /// [`Failure::File`].
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::options().create(true).append(true).open(path);
        file.map(|file| Acks(Mutex::new(file))).map_err(|error| Failure::File(path.display().to_string(), error))
    }

    /// Records entries, in one write.
    ///
    /// # Errors
    /// [`Failure::File`].
    pub fn note<'e>(&self, entries: impl IntoIterator<Item = &'e OnLog>) -> Result<(), Failure> {
        let lines: String = entries.into_iter().map(|entry| format!("{} {}\n", entry.index, entry.leaf)).collect();
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(lines.as_bytes())
            .map_err(|error| Failure::File("the file of acknowledged entries".into(), error))
    }
}
