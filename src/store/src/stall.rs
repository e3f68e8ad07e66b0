//! Ends the process where a write to the store does not end (spec/store.md, "A write that does not end").
//!
//! sled may wait for ever on a write that failed, and a disk may never answer. Nothing is acknowledged meanwhile, and
//! nobody would be told: so the process says what it waits for, and ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::StoreError;

/// How long a write or a sync may take, unless [`end_after`] says otherwise. Disks on a network come back within it.
pub const LONGEST_WRITE: Duration = Duration::from_secs(60);

/// The exit code of a process that ends here: an input or output error, of sysexits.h.
const EXIT: i32 = 74;

/// Told what stalled, before the process ends.
type Tell = Box<dyn Fn(&StoreError) + Send>;

struct Watch {
    /// What is being written now, by number.
    running: BTreeMap<u64, Running>,
    next: u64,
    longest: Duration,
    tell: Tell,
    is_watched: bool,
}

struct Running {
    since: Instant,
    doing: &'static str,
    path: PathBuf,
}

static WATCH: LazyLock<Mutex<Watch>> = LazyLock::new(|| {
    let tell: Tell = Box::new(|stalled| eprintln!("{stalled}\n{}", stalled.advice()));
    let watch = Watch { running: BTreeMap::new(), next: 0, longest: LONGEST_WRITE, tell, is_watched: false };
    Mutex::new(watch)
});

fn watch() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the process end with exit code 74 once a write to a store took so long; `tell` is given a
/// [`StoreError::Stalled`] before. It is called in a thread of its own, and MUST NOT use a store.
pub fn end_after(longest: Duration, tell: impl Fn(&StoreError) + Send + 'static) {
    let mut watch = watch();
    (watch.longest, watch.tell) = (longest, Box::new(tell));
}

/// Does `op`, which writes to `path`, and ends the process where it takes too long.
pub(crate) fn watched<T>(doing: &'static str, path: &Path, op: impl FnOnce() -> T) -> T {
    /// Also where `op` panics.
    struct Over(u64);
    impl Drop for Over {
        fn drop(&mut self) {
            watch().running.remove(&self.0);
        }
    }
    let over = {
        let mut watch = watch();
        if !std::mem::replace(&mut watch.is_watched, true) {
            // Without a thread there is no watch, and the store works as well.
            let _watching = std::thread::Builder::new().name("store-watch".into()).spawn(look);
        }
        let number = watch.next;
        watch.next += 1;
        watch.running.insert(number, Running { since: Instant::now(), doing, path: path.to_owned() });
        Over(number)
    };
    let done = op();
    drop(over);
    done
}

/// The watching thread. It looks now and then instead of being woken, so that a write costs no switch of threads.
fn look() {
    loop {
        let longest = watch().longest;
        std::thread::sleep((longest / 20).min(Duration::from_secs(1)));
        let watch = watch();
        // They are in the order in which they began.
        if let Some(running) = watch.running.values().find(|running| running.since.elapsed() >= longest) {
            let (doing, path) = (running.doing, running.path.clone());
            (watch.tell)(&StoreError::Stalled { doing, path, seconds: longest.as_secs() });
            std::process::exit(EXIT);
        }
    }
}
