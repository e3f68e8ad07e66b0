//! Threads for what reads much of the log: replays, bundles, records, verifications, the catching-up of streams.
//!
//! None of it runs on the threads that serve HTTP. There are two lanes, each with a few threads and a bounded queue. What play
//! itself needs (a repeated reply) has a lane of its own, so that it never waits behind a bundle; the other lane's threads
//! have a lower priority, so that they yield to play on whatever cores there are.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Jobs that may wait in a lane.
const QUEUE: usize = 256;

/// Jobs of one address that may wait or run.
const PER_ADDRESS: usize = 16;

/// A job that could not begin for so long is dropped: whoever asked has been told to come back.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much less a thread of records is given than others (`nice`).
const YIELDING: i32 = 10;

/// Why a job did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// Too many wait.
    Busy,
    /// It panicked.
    Failed,
}

struct Job {
    since: Instant,
    by: Option<IpAddr>,
    /// Told `false` where the job has waited for too long and is not to be done.
    work: Box<dyn FnOnce(bool) + Send>,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    by: HashMap<IpAddr, usize>,
    stopping: bool,
}

#[derive(Default)]
struct Shared {
    jobs: Mutex<Jobs>,
    ready: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        loop {
            let mut jobs = self.lock();
            let job = loop {
                if let Some(job) = jobs.waiting.pop_front() {
                    break job;
                }
                if jobs.stopping {
                    return;
                }
                jobs = self.ready.wait(jobs).unwrap_or_else(PoisonError::into_inner);
            };
            drop(jobs);
            let Job { since, by, work } = job;
            // Who waits for a job that panicked finds its answer dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| work(since.elapsed() <= PATIENCE)));
            if let Some(by) = by {
                let mut jobs = self.lock();
                if let Some(count) = jobs.by.get_mut(&by) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        jobs.by.remove(&by);
                    }
                }
            }
        }
    }
}

/// Some threads and their queue.
pub struct Lane(Arc<Shared>);

impl Lane {
    fn new(name: &str, threads: usize, yields: bool) -> std::io::Result<Lane> {
        let shared = Arc::new(Shared::default());
        for _ in 0..threads {
            let shared = shared.clone();
            let run = move || {
                if yields {
                    // On Linux the priority is the thread's own. Where it cannot be lowered the lane is bounded all the same.
                    let _ = rustix::process::nice(YIELDING);
                }
                shared.run();
            };
            std::thread::Builder::new().name(name.into()).spawn(run)?;
        }
        Ok(Lane(shared))
    }

    /// Does this on a thread of the lane, for somebody at this address where that is known.
    ///
    /// # Errors
    /// [`Undone`]
    pub async fn run<T: Send + 'static>(&self, by: Option<IpAddr>, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Undone> {
        let (sender, receiver) = oneshot::channel();
        let work = Box::new(move |in_time: bool| {
            // Whoever has gone needs no answer.
            if !sender.is_closed() {
                let _ = sender.send(in_time.then(work));
            }
        });
        {
            let mut jobs = self.0.lock();
            let own = by.and_then(|by| jobs.by.get(&by).copied()).unwrap_or_default();
            if jobs.waiting.len() >= QUEUE || own >= PER_ADDRESS {
                return Err(Undone::Busy);
            }
            if let Some(by) = by {
                jobs.by.insert(by, own.saturating_add(1));
            }
            jobs.waiting.push_back(Job { since: Instant::now(), by, work });
        }
        self.0.ready.notify_one();
        receiver.await.map_err(|_| Undone::Failed)?.ok_or(Undone::Busy)
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.0.lock().stopping = true;
        self.0.ready.notify_all();
    }
}

/// See the module.
pub struct Lanes {
    /// For replies of play that must be rebuilt from the log.
    pub play: Lane,
    /// For everything that is not play.
    pub records: Lane,
}

impl Lanes {
    /// Records get half of the cores, at least one; play has the rest, and the records' too when it needs them.
    pub fn new() -> std::io::Result<Lanes> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Lanes { play: Lane::new("repeats", 2, false)?, records: Lane::new("records", (cores / 2).clamp(1, 8), true)? })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_lane_is_bounded_for_each_address_and_survives_a_panic() {
        let system = actix_web::rt::System::new();
        system.block_on(async {
            let lane = Arc::new(Lane::new("test", 1, true).unwrap());
            assert_eq!(lane.run(None, || -> u8 { std::panic::resume_unwind(Box::new("as it should")) }).await, Err(Undone::Failed));
            let (open, gate) = mpsc::channel::<()>();
            let gate = Arc::new(Mutex::new(gate));
            let by = Some(IpAddr::from([127, 0, 0, 1]));
            let all: Vec<_> = (0..PER_ADDRESS)
                .map(|n| {
                    let (lane, gate) = (lane.clone(), gate.clone());
                    let wait = move || {
                        gate.lock().unwrap().recv().unwrap();
                        n
                    };
                    actix_web::rt::spawn(async move { lane.run(by, wait).await })
                })
                .collect();
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(lane.run(by, || 0).await, Err(Undone::Busy));
            (0..PER_ADDRESS).for_each(|_| open.send(()).unwrap());
            for (n, job) in all.into_iter().enumerate() {
                assert_eq!(job.await.unwrap(), Ok(n));
            }
            assert_eq!(lane.run(by, || 7).await, Ok(7), "the address has its places again");
        });
    }
}
