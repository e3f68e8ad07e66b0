//! Threads for what reads much of the log: replays, bundles, records, verifications, the catching-up of streams.
//!
//! None of it runs on the threads that serve HTTP. Each lane has a few threads and a bounded queue, in which senders
//! take turns: whoever asks for much waits for themselves, and holds up others by no more than the job that runs. What
//! play itself needs of its players (a repeated reply, their own cards) has a lane that no stranger's request enters.
//! The threads of all lanes have a lower priority, so that they yield to play on whatever cores there are; those of that
//! lane yield less than the others. While somebody plays, its threads have half of the cores' time, and those of all the
//! others a quarter. *Two dozen players looked at their last rounds: the cores were never idle, and locks that play needs were
//! held by threads that had lost theirs.*

use crate::ops::tokens::Role;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::debug;

/// Jobs that may wait in a lane before whoever has one waiting may not add another.
const QUEUE: usize = 256;

/// Jobs that may wait in a lane at all.
const FULL: usize = 1024;

/// Jobs of one sender that may wait or run.
const PER_SENDER: usize = 16;

/// A sender is told to come back if their job could not begin for so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much less than others a lane's thread is given (`nice`).
const YIELDING: i32 = 10;

/// The same for replies of play. *Attack: a few players who repeat what they did take a whole core from play.*
const YIELDING_LESS: i32 = 5;

/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Play is under way for so long after the last that came of it.
const PLAY_LASTS: Duration = Duration::from_millis(100);

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// When somebody played last, in milliseconds.
static PLAYED: AtomicU64 = AtomicU64::new(0);

/// Notes that somebody plays.
pub fn is_played() {
    PLAYED.store(u64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

fn is_play_under_way() -> bool {
    BEGUN.elapsed() < Duration::from_millis(PLAYED.load(Ordering::Relaxed)).saturating_add(PLAY_LASTS)
}

/// A part of the cores' time, which lanes have together.
struct Pace {
    cores: u32,
    /// They have one part of so many.
    parts: u32,
    /// When the next job may begin.
    next: Mutex<Instant>,
}

impl Pace {
    fn new(cores: usize, parts: u32) -> Arc<Self> {
        let cores = u32::try_from(cores).unwrap_or(u32::MAX).max(1);
        Arc::new(Pace { cores, parts, next: Mutex::new(Instant::now()) })
    }

    /// A job took so long.
    fn charge(&self, took: Duration) {
        let (mut next, now) = (self.next.lock().unwrap_or_else(PoisonError::into_inner), Instant::now());
        *next = ((*next).max(now) + took.min(LONGEST_PAUSE) * self.parts / self.cores).min(now + LONGEST_PAUSE);
    }

    /// How long the next job waits while somebody plays.
    fn pause(&self) -> Duration {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).saturating_duration_since(Instant::now())
    }
}

/// The owner of a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The holder of a token, with all the tokens and from all the addresses that they have.
    Holder(Role),
    /// The address of a sender without one.
    Address(IpAddr),
    /// A sender whose address is not known.
    Unknown,
}

/// Why a job did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// Too many wait.
    Busy,
    /// It panicked.
    Failed,
}

type Job = Box<dyn FnOnce() + Send>;

/// What a sender has in a lane.
#[derive(Default)]
struct Own {
    waiting: VecDeque<Job>,
    running: usize,
}

#[derive(Default)]
struct Jobs {
    by: HashMap<Sender, Own>,
    /// Those who have jobs that wait, in the order of their turns.
    turns: VecDeque<Sender>,
    /// How many jobs wait in all.
    waiting: usize,
    stopping: bool,
}

impl Jobs {
    fn add(&mut self, by: Sender, job: Job) -> Result<(), Undone> {
        let own = self.by.get(&by);
        let (waiting, running) = own.map_or((0, 0), |own| (own.waiting.len(), own.running));
        // A few who have much under way do not keep those out who have nothing.
        let is_full = self.waiting >= if waiting == 0 { FULL } else { QUEUE };
        if is_full || waiting.saturating_add(running) >= PER_SENDER {
            return Err(Undone::Busy);
        }
        let own = self.by.entry(by.clone()).or_default();
        if own.waiting.is_empty() {
            self.turns.push_back(by);
        }
        own.waiting.push_back(job);
        self.waiting += 1;
        Ok(())
    }

    /// The next job of the first sender who does not have so many running already.
    fn take(&mut self, at_once: usize) -> Option<(Sender, Job)> {
        let turn = self.turns.iter().position(|by| self.by.get(by).is_some_and(|own| own.running < at_once))?;
        let by = self.turns.remove(turn)?;
        let own = self.by.get_mut(&by)?;
        let job = own.waiting.pop_front()?;
        own.running += 1;
        if !own.waiting.is_empty() {
            self.turns.push_back(by.clone());
        }
        self.waiting = self.waiting.saturating_sub(1);
        Some((by, job))
    }

    fn done(&mut self, by: &Sender) {
        let Some(own) = self.by.get_mut(by) else { return };
        own.running = own.running.saturating_sub(1);
        if own.running == 0 && own.waiting.is_empty() {
            self.by.remove(by);
        }
    }
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

    fn run(&self, at_once: usize, pace: &Pace) {
        let mut jobs = self.lock();
        loop {
            if let Some((by, job)) = jobs.take(at_once) {
                drop(jobs);
                let pause = pace.pause();
                if !pause.is_zero() && is_play_under_way() {
                    std::thread::sleep(pause);
                }
                let begun = Instant::now();
                // If a job panics, its waiter finds that its answer was dropped.
                let _ = catch_unwind(AssertUnwindSafe(job));
                pace.charge(begun.elapsed());
                jobs = self.lock();
                jobs.done(&by);
            } else if jobs.stopping {
                // Those who have jobs left have one running, whose thread takes them.
                return;
            } else {
                jobs = self.ready.wait(jobs).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Some threads and their queue.
pub struct Lane(Arc<Shared>);

impl Lane {
    /// A sender has half of the threads at most, or the only one.
    fn new(name: &str, threads: usize, yields: i32, pace: &Arc<Pace>) -> std::io::Result<Lane> {
        let shared = Arc::new(Shared::default());
        for _ in 0..threads {
            let (shared, pace) = (shared.clone(), pace.clone());
            let run = move || {
                // On Linux the priority is the thread's own. Where it cannot be lowered the lane is bounded all the same.
                if let Err(failure) = rustix::process::nice(yields) {
                    debug!(%failure, "a thread that should yield to play has its priority");
                }
                shared.run((threads / 2).max(1), &pace);
            };
            std::thread::Builder::new().name(name.into()).spawn(run)?;
        }
        Ok(Lane(shared))
    }

    /// Does this on a thread of the lane when it is the sender's turn.
    ///
    /// # Errors
    /// [`Undone`]
    pub async fn run<T: Send + 'static>(
        &self,
        by: Sender,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let (begin, begun) = oneshot::channel();
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move || {
            // A sender who has gone needs no answer.
            if begin.send(()).is_ok() {
                let _ = sender.send(work());
            }
        });
        self.0.lock().add(by, job)?;
        self.0.ready.notify_one();
        timeout(PATIENCE, begun).await.map_err(|_| Undone::Busy)?.map_err(|_| Undone::Failed)?;
        receiver.await.map_err(|_| Undone::Failed)
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
    /// For replies of play that must be rebuilt from the log, to those who hold tokens.
    pub play: Lane,
    /// For the same to everybody else.
    pub strangers: Lane,
    /// For searches far back for what a refused command may be a repeat of, by those who hold tokens. *Attack: a player who is
    /// refused again and again has thousands of entries read each time, while others wait for their own cards.*
    pub searches: Lane,
    /// For the public log's own entries: whoever follows the log does not wait behind bundles and recalls.
    pub log: Lane,
    /// For everything else that is not play.
    pub records: Lane,
}

impl Lanes {
    /// Records get half of the cores, at least one; play has the rest, and the records' too when it needs them.
    pub fn new() -> std::io::Result<Lanes> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let (pace, others) = (Pace::new(cores, 2), Pace::new(cores, 4));
        Ok(Lanes {
            play: Lane::new("repeats", 2, YIELDING_LESS, &pace)?,
            strangers: Lane::new("strangers", 1, YIELDING, &others)?,
            searches: Lane::new("searches", 1, YIELDING, &others)?,
            log: Lane::new("log", 1, YIELDING, &others)?,
            records: Lane::new("records", (cores / 2).clamp(1, 8), YIELDING, &others)?,
        })
    }

    /// The lane for what this sender needs to play or to follow play.
    pub fn play_of(&self, by: &Sender) -> &Lane {
        if matches!(by, Sender::Holder(_)) { &self.play } else { &self.strangers }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn address(last: u8) -> Sender {
        Sender::Address(IpAddr::from([127, 0, 0, last]))
    }

    #[test]
    fn a_lane_is_bounded_for_each_sender_and_survives_a_panic() {
        let system = actix_web::rt::System::new();
        system.block_on(async {
            let lane = Arc::new(Lane::new("test", 1, YIELDING, &Pace::new(1, 1)).unwrap());
            let by = address(1);
            assert_eq!(
                lane.run(by.clone(), || -> u8 { std::panic::resume_unwind(Box::new("as it should")) }).await,
                Err(Undone::Failed)
            );
            // Its answer is there before its place is free again.
            while !lane.0.lock().by.is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let (open, gate) = mpsc::channel::<()>();
            let gate = Arc::new(Mutex::new(gate));
            let all: Vec<_> = (0..PER_SENDER)
                .map(|n| {
                    let (lane, gate, by) = (lane.clone(), gate.clone(), by.clone());
                    let wait = move || {
                        gate.lock().unwrap().recv().unwrap();
                        n
                    };
                    actix_web::rt::spawn(async move { lane.run(by, wait).await })
                })
                .collect();
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(lane.run(by.clone(), || 0).await, Err(Undone::Busy));
            (0..PER_SENDER).for_each(|_| open.send(()).unwrap());
            for (n, job) in all.into_iter().enumerate() {
                assert_eq!(job.await.unwrap(), Ok(n));
            }
            assert_eq!(lane.run(by, || 7).await, Ok(7), "the sender has its places again");
        });
    }

    /// Attack: two dozen players look at their last rounds without end.
    #[test]
    fn while_somebody_plays_a_lane_has_a_part_of_the_cores() {
        let (pace, time, begun) = (Pace::new(2, 4), Duration::from_millis(100), Instant::now());
        assert_eq!(pace.pause(), Duration::ZERO);
        (0..3).for_each(|_| pace.charge(time));
        assert!(pace.pause() + begun.elapsed() >= 6 * time, "half a core of two");
        pace.charge(Duration::from_secs(3600));
        assert!(pace.pause() <= LONGEST_PAUSE);
        actix_web::rt::System::new().block_on(async {
            let lane = Lane::new("test", 1, YIELDING, &Pace::new(1, 4)).unwrap();
            let takes = async |played: bool| {
                let begun = Instant::now();
                for _ in 0..3 {
                    if played {
                        is_played();
                    }
                    lane.run(address(1), || std::thread::sleep(Duration::from_millis(20))).await.unwrap();
                }
                begun.elapsed()
            };
            assert!(takes(true).await >= Duration::from_millis(60 + 2 * 80 - 20));
        });
    }

    #[test]
    fn who_has_nothing_waiting_gets_in_where_others_wait() {
        let mut jobs = Jobs::default();
        for n in 0..QUEUE {
            jobs.add(address(u8::try_from(n / PER_SENDER).unwrap()), Box::new(|| ())).unwrap();
        }
        drop(jobs.take(1).unwrap());
        jobs.add(address(1), Box::new(|| ())).unwrap_err();
        jobs.add(address(200), Box::new(|| ())).unwrap();
        assert_eq!(jobs.add(address(200), Box::new(|| ())), Err(Undone::Busy));
    }

    #[test]
    fn senders_take_turns_and_one_has_half_of_the_threads() {
        let (mut jobs, done) = (Jobs::default(), Arc::new(Mutex::new(Vec::new())));
        for (by, n) in [(1, 0), (1, 1), (1, 2), (2, 3), (3, 4), (2, 5)] {
            let done = done.clone();
            jobs.add(address(by), Box::new(move || done.lock().unwrap().push(n))).unwrap();
        }
        let (first, job) = jobs.take(1).unwrap();
        job();
        assert_eq!(first, address(1));
        // The first one's job still runs: everybody else goes before their next.
        while let Some((by, job)) = jobs.take(1) {
            job();
            jobs.done(&by);
        }
        assert_eq!(*done.lock().unwrap(), [0, 3, 4, 5]);
        jobs.done(&first);
        while let Some((by, job)) = jobs.take(1) {
            job();
            jobs.done(&by);
        }
        assert_eq!(*done.lock().unwrap(), [0, 3, 4, 5, 1, 2]);
        assert!(jobs.by.is_empty() && jobs.turns.is_empty() && jobs.waiting == 0);
    }
}
