//! Memory for what is under way: one budget for the bodies that come in and the replies that go out, of which each
//! address and each token may hold a share.
//!
//! Bytes are taken as they arrive, not as a header announces them, and given back when what holds them is dropped. What
//! every connection may hold by itself ([`PER_CONNECTION`]) is not counted here: it is bounded by the number of
//! connections, so that play, whose bodies and replies are of a few KB, finds room however full the budget is.

use crate::ops::keys::TokenHash;
use rustix::process::{Resource, getrlimit};
use std::collections::HashMap;
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a body that need no room in the budget.
pub const FREE_BODY: usize = 16 << 10;

/// Bytes of a reply that need none.
pub const FREE_REPLY: usize = 64 << 10;

/// The most that a connection holds beside the budget: a head of 32 KiB, read and parsed, pieces of a body of 8 KiB, the
/// free part of a body and of a reply, and what of it is not written.
pub const PER_CONNECTION: u64 = 256 << 10;

/// The least budget: below it not even a few bundles could be judged.
pub const LEAST: u64 = 16 << 20;

/// The largest budget that is chosen where none is set.
const MOST_CHOSEN: u64 = 1 << 30;

/// The part of the budget that one address, or one token, may hold.
const SHARES: usize = 4;

/// The least share: one bundle for `POST /v1/verify` of the largest size, and the buffer that it grows into.
const LEAST_SHARE: usize = 4 << 20;

/// How often the process looks how much memory it has taken, in milliseconds.
const LOOK: u64 = 100;

/// The owner of a share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    Address(IpAddr),
    Token(TokenHash),
}

/// The budget, or the share of the one who asks, is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// See the module.
pub struct Budget {
    whole: usize,
    share: usize,
    taken: Mutex<Taken>,
    memory: Memory,
    /// The place of the one stranger who has a request under way while memory is little.
    one: Arc<Semaphore>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by: HashMap<Share, usize>,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(whole: usize) -> Arc<Self> {
        let share = (whole / SHARES).max(LEAST_SHARE.min(whole));
        Arc::new(Budget {
            whole,
            share,
            taken: Mutex::default(),
            memory: Memory::default(),
            one: Arc::new(Semaphore::new(1)),
        })
    }

    /// Whether the process has little memory left, whatever is counted here: then the budget is full.
    pub fn is_tight(&self) -> bool {
        self.memory.is_tight()
    }

    /// The place for a stranger while memory is little, unless another has it. *An allocator kept what a flood had made it take:
    /// all strangers were refused until the next start.*
    pub fn place_of_one(&self) -> Option<OwnedSemaphorePermit> {
        self.one.clone().try_acquire_owned().ok()
    }

    /// Nothing yet, to be grown for these.
    pub fn hold(self: &Arc<Self>, by: Vec<Share>) -> Held {
        Held { budget: self.clone(), by, bytes: 0 }
    }

    /// The bytes that are held now.
    pub fn taken(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of the budget, given back when dropped.
pub struct Held {
    budget: Arc<Budget>,
    by: Vec<Share>,
    bytes: usize,
}

impl Held {
    /// Holds so many bytes in all, at least; what is held already stays held.
    ///
    /// # Errors
    /// [`Full`], and nothing more is held.
    pub fn at_least(&mut self, bytes: usize) -> Result<(), Full> {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let mut taken = self.budget.lock();
        let all = taken.all.saturating_add(more);
        let fits =
            |share: &Share| taken.by.get(share).copied().unwrap_or_default().saturating_add(more) <= self.budget.share;
        if self.budget.is_tight() || all > self.budget.whole || !self.by.iter().all(fits) {
            return Err(Full);
        }
        taken.all = all;
        for share in &self.by {
            let held = taken.by.entry(share.clone()).or_default();
            *held = held.saturating_add(more);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut taken = self.budget.lock();
        taken.all = taken.all.saturating_sub(self.bytes);
        for share in &self.by {
            if let Some(held) = taken.by.get_mut(share) {
                *held = held.saturating_sub(self.bytes);
                if *held == 0 {
                    taken.by.remove(share);
                }
            }
        }
    }
}

/// How much memory the process has taken of what it may.
struct Memory {
    bounds: Bounds,
    begun: Instant,
    /// When to look next, in milliseconds since it began.
    next: AtomicU64,
    was_tight: AtomicBool,
}

impl Default for Memory {
    fn default() -> Self {
        let (bounds, begun) = (Bounds::of_process(), Instant::now());
        Memory { bounds, begun, next: AtomicU64::new(0), was_tight: AtomicBool::new(false) }
    }
}

impl Memory {
    fn is_tight(&self) -> bool {
        let (now, next) = (u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX), &self.next);
        let due = next.load(Ordering::Relaxed);
        let then = now.saturating_add(LOOK);
        if now >= due && next.compare_exchange(due, then, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            self.was_tight.store(self.bounds.are_near(&status), Ordering::Relaxed);
        }
        self.was_tight.load(Ordering::Relaxed)
    }
}

/// The bounds of this process's memory, in bytes.
struct Bounds {
    /// The machine's memory, or less where a control group says so.
    whole: u64,
    /// Limits of the process: on what it may write to, and on all its addresses. What an allocator has reserved and not
    /// used counts there, too.
    data: Option<u64>,
    addresses: Option<u64>,
}

impl Bounds {
    /// Whether less than an eighth is left, by what the system says of the process. An allocator keeps some of what it has
    /// reserved, so that a limit on that is near where much of it is in use, too; or at a sixteenth, for what an allocator
    /// has free may be in pieces that are too short.
    fn are_near(&self, status: &str) -> bool {
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
        };
        let beyond = |bytes: u64, bound: u64, parts: u64| bytes >= (bound / 16).saturating_mul(parts);
        let used = of("RssAnon").unwrap_or_default();
        let limits = [(self.data, of("VmData")), (self.addresses, of("VmSize"))];
        beyond(used, self.whole, 14)
            || limits.into_iter().any(|(limit, taken)| {
                limit.zip(taken).is_some_and(|(limit, taken)| {
                    beyond(taken, limit, 15) || beyond(taken, limit, 14) && beyond(used, limit, 6)
                })
            })
    }

    fn of_process() -> Bounds {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let machine = read("/proc/meminfo").lines().find_map(|line| {
            let kib = line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
            kib.checked_mul(1024)
        });
        let group = read("/proc/self/cgroup").lines().find_map(|line| {
            let path = line.strip_prefix("0::/")?;
            read(&format!("/sys/fs/cgroup/{path}/memory.max")).trim().parse::<u64>().ok()
        });
        let [data, addresses] = [Resource::Data, Resource::As].map(|resource| getrlimit(resource).current);
        Bounds { whole: [machine, group].into_iter().flatten().min().unwrap_or(1 << 30), data, addresses }
    }
}

/// Settings of allocators if the process has a limit on committed memory: to take memory from the system as it is used,
/// and to give back what is freed; and for C code, to have one heap for all threads.
const FRUGAL: [(&str, &str); 3] =
    [("MIMALLOC_ARENA_EAGER_COMMIT", "0"), ("MIMALLOC_DISALLOW_ARENA_ALLOC", "1"), ("MALLOC_ARENA_MAX", "1")];

/// Starts this program anew, as the same process, with allocators that keep little, where a limit of the process counts what
/// is committed. *Of 512 MiB a busy process had committed 436 and used 184; strangers had it commit all 512, of which it
/// used 228, and ended it.*
pub fn commit_as_used() {
    let Bounds { data, addresses, .. } = Bounds::of_process();
    let is_unlimited = data.is_none() && addresses.is_none();
    if is_unlimited || FRUGAL.iter().any(|(name, _)| std::env::var_os(name).is_some()) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_else(|| program.clone().into());
    // It comes back only where it fails; then the process goes on as it is.
    let failure = Command::new(program).arg0(name).args(args).envs(FRUGAL).exec();
    eprintln!("fairshoe: the allocators keep what they take: {failure}");
}

/// The memory that this process may use, in bytes: the machine's, or less where a control group or a limit of the
/// process says so.
pub fn memory() -> u64 {
    let Bounds { whole, data, addresses } = Bounds::of_process();
    [data, addresses].into_iter().flatten().fold(whole, u64::min)
}

/// The budget where none is set: a sixteenth of the memory, within bounds.
pub fn usual(memory: u64) -> u64 {
    (memory / 16).clamp(LEAST, MOST_CHOSEN)
}

/// How many connections a quarter of the memory bears.
pub fn usual_connections(memory: u64) -> usize {
    usize::try_from(memory / 4 / PER_CONNECTION).unwrap_or(usize::MAX).clamp(64, 4096)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn address(last: u8) -> Share {
        Share::Address(IpAddr::from([127, 0, 0, last]))
    }

    #[test]
    fn a_share_is_a_quarter_and_all_of_it_comes_back() {
        let budget = Budget::new(64 << 20);
        let mut first = budget.hold(vec![address(1), Share::Token([1; 32])]);
        first.at_least(16 << 20).unwrap();
        first.at_least(1).unwrap();
        assert_eq!(first.at_least((16 << 20) + 1), Err(Full), "beyond the share");
        // Another address with the same token has none of the token's share left.
        let mut same_token = budget.hold(vec![address(2), Share::Token([1; 32])]);
        assert_eq!(same_token.at_least(1), Err(Full));
        let others: Vec<Held> = (2..5)
            .map(|last| {
                let mut held = budget.hold(vec![address(last)]);
                held.at_least(16 << 20).unwrap();
                held
            })
            .collect();
        assert_eq!(budget.taken(), 64 << 20);
        let mut late = budget.hold(vec![address(5)]);
        assert_eq!(late.at_least(1), Err(Full), "the whole is used up");
        drop(first);
        late.at_least(16 << 20).unwrap();
        drop((others, late, same_token));
        assert_eq!((budget.taken(), budget.lock().by.len()), (0, 0));
    }

    #[test]
    fn defaults_follow_the_memory_within_bounds() {
        assert_eq!((usual(512 << 20), usual_connections(512 << 20)), (32 << 20, 512));
        assert_eq!((usual(1 << 40), usual_connections(1 << 40)), (1 << 30, 4096));
        assert_eq!((usual(1 << 20), usual_connections(1 << 20)), (LEAST, 64));
        assert!(memory() > 1 << 20);
    }

    #[test]
    fn little_memory_is_left_where_a_bound_is_near_and_much_of_it_in_use() {
        let near = |data: Option<u64>, addresses: Option<u64>, [size, taken, used]: [u64; 3]| {
            let bounds =
                Bounds { whole: 4 << 30, data: data.map(|mib| mib << 20), addresses: addresses.map(|mib| mib << 20) };
            let kib = |mib: u64| mib << 10;
            let status =
                format!("VmSize:\t{} kB\nVmData:\t {} kB\nRssAnon:\t{} kB\n", kib(size), kib(taken), kib(used));
            bounds.are_near(&status)
        };
        assert!(near(Some(512), None, [2000, 491, 350]));
        assert!(!near(Some(512), None, [2000, 400, 350]), "there is more to be had");
        assert!(!near(Some(512), None, [2000, 460, 150]), "most of what was reserved is free");
        assert!(near(Some(512), None, [2000, 491, 150]), "what is free may be in pieces");
        assert!(near(None, Some(512), [491, 400, 350]) && !near(None, Some(512), [400, 400, 350]));
        assert!(near(None, None, [9000, 9000, 3600]) && !near(None, None, [9000, 9000, 3500]));
        assert!(
            !Bounds { whole: 1 << 30, data: Some(1 << 29), addresses: None }.are_near("VmData: much\n"),
            "where it is not told"
        );
    }

    #[test]
    fn where_little_memory_is_left_the_budget_is_full() {
        let budget = Budget::new(64 << 20);
        let mut held = budget.hold(vec![address(1)]);
        held.at_least(1).unwrap();
        budget.memory.next.store(u64::MAX, Ordering::Relaxed);
        budget.memory.was_tight.store(true, Ordering::Relaxed);
        assert_eq!((held.at_least(1), held.at_least(2)), (Ok(()), Err(Full)));
    }
}
