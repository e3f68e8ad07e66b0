//! Ends the process if a write to the store does not return (spec/store.md, "A write that does not end").
//!
//! sled may wait for ever on a write that failed, and a disk may never answer. Meanwhile no entry is acknowledged, and
//! no one would learn why. So the process says what it waits for, and ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::StoreError;

/// The longest time for a write or a sync, unless [`end_after`] sets another. Disks on a network come back within it.
pub const LONGEST_WRITE: Duration = Duration::from_secs(60);

/// The exit code of a process that ends here: an input or output error, from sysexits.h.
const EXIT: i32 = 74;

/// Called with the stalled operation, before the process ends.
type Tell = Arc<dyn Fn(&StoreError) + Send + Sync>;

/// The longest time for the call: its own output may stall, too.
const TELLING: Duration = Duration::from_secs(2);

/// The longest time is so many looks.
const LOOKS: u32 = 20;

struct Watch {
    /// The writes in progress, by number.
    running: BTreeMap<u64, Running>,
    next: u64,
    longest: Duration,
    tell: Tell,
    is_watched: bool,
}

struct Running {
    /// The looks at which it was still running. Looks are counted, not time: *a process that is stopped and continues
    /// later has not waited for its disk.*
    looks: u32,
    doing: &'static str,
    path: PathBuf,
}

static WATCH: LazyLock<Mutex<Watch>> = LazyLock::new(|| {
    let tell: Tell = Arc::new(|stalled| eprintln!("{stalled}\n{}", stalled.advice()));
    let watch = Watch { running: BTreeMap::new(), next: 0, longest: LONGEST_WRITE, tell, is_watched: false };
    Mutex::new(watch)
});

fn watch() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the process end with exit code 74 once a write to a store took so long; before that, `tell` gets a
/// [`StoreError::Stalled`]. It is called in a thread of its own, and MUST NOT use a store.
pub fn end_after(longest: Duration, tell: impl Fn(&StoreError) + Send + Sync + 'static) {
    let mut watch = watch();
    (watch.longest, watch.tell) = (longest, Arc::new(tell));
}

/// Runs `op`, which writes to `path`, and ends the process if it takes too long.
pub(crate) fn watched<T>(doing: &'static str, path: &Path, op: impl FnOnce() -> T) -> T {
    /// Removes the write, even if `op` panics.
    struct Over(u64);
    impl Drop for Over {
        fn drop(&mut self) {
            watch().running.remove(&self.0);
        }
    }
    let over = {
        let mut watch = watch();
        if !std::mem::replace(&mut watch.is_watched, true) {
            // Without a thread there is no watch, but the store works as well.
            let _watching = std::thread::Builder::new().name("store-watch".into()).spawn(look);
        }
        let number = watch.next;
        watch.next += 1;
        watch.running.insert(number, Running { looks: 0, doing, path: path.to_owned() });
        Over(number)
    };
    let done = op();
    drop(over);
    done
}

/// The watching thread. It looks from time to time instead of being woken, so that a write costs no switch of threads.
fn look() {
    loop {
        let longest = watch().longest;
        std::thread::sleep(longest / LOOKS);
        let mut watch = watch();
        if let Some((doing, path)) = look_once(&mut watch.running) {
            let tell = watch.tell.clone();
            drop(watch);
            end(tell, StoreError::Stalled { doing, path, seconds: longest.as_secs() });
        }
    }
}

/// Counts a look, and finds the write that was in progress at all looks.
fn look_once(running: &mut BTreeMap<u64, Running>) -> Option<(&'static str, PathBuf)> {
    running.values_mut().for_each(|running| running.looks += 1);
    // The first look may have come right after it began.
    running.values().find(|running| running.looks > LOOKS).map(|running| (running.doing, running.path.clone()))
}

/// Calls `tell`, and ends the process even if that call does not return.
fn end(tell: Tell, stalled: StoreError) -> ! {
    let (told, is_told) = channel();
    let telling = std::thread::Builder::new().name("store-stalled".into()).spawn(move || {
        tell(&stalled);
        let _ = told.send(());
    });
    if telling.is_ok() {
        let _ = is_told.recv_timeout(TELLING);
    }
    std::process::exit(EXIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_at_all_looks_is_found_and_nothing_that_began_since() {
        let running = |doing| Running { looks: 0, doing, path: PathBuf::from(doing) };
        let mut all = BTreeMap::from([(0, running("first"))]);
        for look in 0..LOOKS {
            assert!(look_once(&mut all).is_none(), "look {look}");
            if look == 5 {
                all.insert(1, running("second"));
            }
        }
        assert_eq!(look_once(&mut all), Some(("first", PathBuf::from("first"))));
        all.remove(&0);
        let more = (0..LOOKS).take_while(|_| look_once(&mut all).is_none()).count();
        assert_eq!(more, 5, "the second began six looks later");
    }
}
