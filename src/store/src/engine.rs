//! sled, guarded: its panics become typed errors, its configuration is fixed here (spec/store.md, Engine).

use std::any::Any;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, PoisonError, RwLock};
use std::time::Duration;

use sled::{Config, Db, IVec};

use crate::StoreError;
use crate::folder::{Space, free_space};
use crate::io_error::io_error;
use crate::stall::watched;

/// sled's unit of allocation. sled would write a value over a quarter of it (a leaf of many values counts as one) to a
/// file of its own, and never sync it; see `record::MAX_VALUE`.
pub(crate) const SEGMENT: usize = 8 << 20;
/// The most that sled keeps of what was read, in bytes.
static CACHE: AtomicU64 = AtomicU64::new(MOST_CACHED);
const MOST_CACHED: u64 = 64 << 20;
const LEAST_CACHED: u64 = 8 << 20;
/// sled releases its file lock from its own thread, a little after the last handle is dropped.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Bytes read from a private copy before it is closed and opened again. sled keeps at least one page in each of 256
/// parts of its cache, and checks the cache's bound only after 64 accesses to a part. With pages of up to 20 values of
/// 64 KiB that is most of a log, for any bound.
const COPY_WINDOW: u64 = 48 << 20;

#[derive(Debug)]
pub(crate) struct Engine {
    db: RwLock<Option<Db>>,
    path: PathBuf,
    /// For a private copy, which is never written: bytes read since it was last opened.
    read_of_copy: Option<AtomicU64>,
}

impl Engine {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, None)
    }

    /// Opens a private copy, to be read in bounded memory.
    pub fn open_copy(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, Some(AtomicU64::new(0)))
    }

    fn new(path: &Path, read_of_copy: Option<AtomicU64>) -> Result<Self, StoreError> {
        Ok(Self { db: RwLock::new(Some(open_db(path)?)), path: path.to_owned(), read_of_copy })
    }

    /// Counts the bytes read from a copy.
    fn count(&self, bytes: usize) {
        if let Some(read) = &self.read_of_copy {
            read.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    fn window_is_over(&self) -> bool {
        self.read_of_copy.as_ref().is_some_and(|read| read.load(Ordering::Relaxed) > COPY_WINDOW)
    }

    /// Closes a copy after enough reading, and opens it with an empty cache. It waits while a scan is running, whose
    /// iterator keeps it open.
    fn begin_window(&self) -> Result<(), StoreError> {
        let (Some(read), true) = (&self.read_of_copy, self.window_is_over()) else { return Ok(()) };
        let Ok(mut db) = self.db.try_write() else { return Ok(()) };
        read.store(0, Ordering::Relaxed);
        let closed = db.take();
        let _closed = guarded(|| drop(closed));
        *db = Some(open_db(&self.path)?);
        Ok(())
    }

    pub fn get(&self, key: &[u8]) -> Result<Option<IVec>, StoreError> {
        self.begin_window()?;
        let value = self.run("reading", |db| db.get(key))?;
        self.count(value.as_ref().map_or(0, |value| value.len()));
        Ok(value)
    }

    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write("writing", |db| db.insert(key, value)).map(drop)
    }

    pub fn remove(&self, key: &[u8]) -> Result<(), StoreError> {
        self.write("writing", |db| db.remove(key)).map(drop)
    }

    /// One write and one `fsync` of all values put since the last flush.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.write("syncing", |db| db.flush()).map(drop)
    }

    /// Visits all pairs under a prefix in key order. An error of sled or of `visit` ends it.
    pub fn scan(
        &self,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let mut from = prefix.to_vec();
        loop {
            self.begin_window()?;
            let _open = self.db.read().unwrap_or_else(PoisonError::into_inner);
            let mut pairs = self.run("reading", |db| Ok(db.range(from.as_slice()..)))?;
            loop {
                let next = self.run("reading", |_| pairs.next().transpose())?;
                let Some((key, value)) = next.filter(|(key, _)| key.starts_with(prefix)) else {
                    return Ok(());
                };
                if visit(&key, &value)?.is_break() {
                    return Ok(());
                }
                self.count(value.len());
                if self.window_is_over() {
                    // The next possible key.
                    from = [&key, &[0][..]].concat();
                    break;
                }
            }
        }
    }

    fn write<T>(&self, doing: &'static str, op: impl FnOnce(&Db) -> sled::Result<T>) -> Result<T, StoreError> {
        watched(doing, &self.path, || self.run(doing, op))
    }

    fn run<T>(&self, doing: &'static str, op: impl FnOnce(&Db) -> sled::Result<T>) -> Result<T, StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let Some(db) = &*db else {
            return Err(StoreError::Stopped { first: "closed".to_owned() });
        };
        match guarded(|| op(db)) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(e)) => Err(failed(&self.path, doing, e)),
            Err(panic) => Err(panicked(doing, &panic)),
        }
    }
}

/// Has stores that are opened from now on keep less of what was read, where the process has little memory, in bytes. *Of 512
/// MiB strangers who read filled a half with what is kept, for good, and then nobody else was let in.*
pub fn fit_memory(memory: u64) {
    CACHE.store(cache_of(memory), Ordering::Relaxed);
}

fn cache_of(memory: u64) -> u64 {
    (memory / 64).clamp(LEAST_CACHED, MOST_CACHED)
}

fn open_db(path: &Path) -> Result<Db, StoreError> {
    let mut tries = 0;
    loop {
        let config = Config::new()
            .path(path)
            .segment_size(SEGMENT)
            .cache_capacity(CACHE.load(Ordering::Relaxed))
            // The commit thread flushes; a timer would only add syncs between requests.
            .flush_every_ms(None);
        match guarded(|| config.open()) {
            Ok(Ok(db)) => {
                return Ok(db);
            }
            Ok(Err(sled::Error::Io(e))) if tries < LOCK_TRIES && e.to_string().contains("could not acquire lock") => {
                tries += 1;
                std::thread::sleep(LOCK_PAUSE);
            }
            Ok(Err(e)) => return Err(failed(path, "opening", e)),
            Err(panic) => return Err(panicked("opening", &panic)),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Closing syncs, and sled panics if that fails. No acknowledged entry depends on it.
        let db = self.db.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let _closed = watched("closing", &self.path, || guarded(|| drop(db)));
    }
}

fn failed(path: &Path, doing: &'static str, error: sled::Error) -> StoreError {
    match error {
        sled::Error::Io(e) if e.to_string().contains("could not acquire lock") => {
            StoreError::Locked { dir: path.to_owned(), address: None }
        }
        // A file that ends too early is damage, not a failure of the disk.
        sled::Error::Io(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            StoreError::damaged(None, format!("{doing}: {e}"))
        }
        sled::Error::Io(e) if e.kind() == std::io::ErrorKind::StorageFull => {
            let needed = Space { bytes: SEGMENT as u64, inodes: 1 };
            StoreError::DiskFull { path: path.to_owned(), free: free_space(path).unwrap_or_default(), needed }
        }
        sled::Error::Io(e) => io_error(doing, path)(e),
        other => StoreError::damaged(None, format!("{doing}: {other}")),
    }
}

fn panicked(doing: &'static str, panic: &str) -> StoreError {
    // This is no damage: the folder is whole, and the next start continues from it.
    if panic.contains("failed to allocate") {
        return StoreError::Stopped { first: format!("{doing}: the process has no memory left: {panic}") };
    }
    StoreError::damaged(None, format!("{doing}: sled panicked: {panic}"))
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `op` and turns a panic into its message. The panic is not printed: the caller reports it as an error.
fn guarded<T>(op: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let ours = GUARDED.get() || std::thread::current().name().is_some_and(|name| name.starts_with("sled-io-"));
            if !ours {
                loud(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(op));
    GUARDED.set(outer);
    result.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    text.chars().take(300).collect()
}
