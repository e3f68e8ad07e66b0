//! One order, one writer: a house thread decides, a commit thread makes durable and signs.
//!
//! While one batch is being synced the next is decided. Whatever leaves the service (replies, refusals, answers to
//! queries) waits until all that was decided before it is durable and under a signed checkpoint.

mod appends;
mod commit;
mod homes;
mod house;
mod jobs;
mod quota;

pub use commit::{Appended, Committer};
pub use house::{Fatal, FreshEpoch, House, Turn, start_dealer};
pub use jobs::{Inbox, Jobs};
pub use quota::{Quota, Written};

use crate::cluster::{Followed, Lead};
use crate::ops::keys::TokenHash;
use crate::ops::tokens::{Grant, Granted};
use crate::read::round_stage::RoundStage;
use crate::write::evidence::Undecided;
use crate::write::published::{Published, Standing};
use crate::write::snapshots::Taken;
use fairshoe_fairness::{Epoch, PlayerId};
use fairshoe_games::Chips;
use fairshoe_house::{Actor, Command, Entry, Holder, Refusal, Signed, State};
use fairshoe_store::{MAX_APPEND_BYTES, MAX_APPEND_ENTRIES, MetaWrite};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Jobs that may wait for the house thread; beyond it the service says that it is busy.
pub const QUEUE: usize = 8192;

/// Entries that may wait for the commit thread; beyond it the house thread waits.
const PENDING: usize = 512;

/// UTC milliseconds now.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What leaves the service once everything decided before it is durable.
pub type Release = Box<dyn FnOnce(&Arc<Published>) + Send>;

/// A key under which a client may repeat a request, with what it asked for.
#[derive(Clone, Debug)]
pub struct RepeatKey {
    /// The sender and the request's key, as the store's metadata key.
    pub key: Vec<u8>,
    /// SHA-256 of the request.
    pub request: TokenHash,
}

impl RepeatKey {
    /// The key of this name of whoever asks so.
    pub fn of(by: &Actor, name: &str, path: &str, body: &[u8]) -> Self {
        let mut request = Sha256::new();
        request.update(path.as_bytes());
        request.update([0]);
        request.update(body);
        RepeatKey { key: format!("i/{by}/{name}").into_bytes(), request: TokenHash::from(request.finalize()) }
    }
}

/// What came of a command.
pub struct Done {
    /// Its entry's place in the log.
    pub index: u64,
    /// The entry, or nothing where the request is a repeat and the reply is to be rebuilt from the log.
    pub fresh: Option<Fresh>,
    /// The log that is durable and signed now.
    pub published: Arc<Published>,
}

/// A new entry and what the reply shows beside it.
pub struct Fresh {
    pub entry: Arc<Entry>,
    pub bytes: Arc<Vec<u8>>,
    /// Where the shoe of a bet was committed.
    pub shoe_index: Option<u64>,
    /// The round or window that it is about, after the entry, with each contributor's funds.
    pub round_stage: Option<(RoundStage, Vec<(PlayerId, Chips)>)>,
    /// The balance of the player concerned.
    pub balance: Option<Chips>,
}

/// Why a command was not carried out.
#[derive(Clone, Debug)]
pub enum Rejected {
    /// By the house's rules, at this time of its clock, UTC milliseconds.
    Refused { refusal: Refusal, at: u64 },
    /// The commitment is bound to another epoch than the one that its seed would be opened in.
    WrongEpoch { given: Epoch, in_force: Epoch },
    /// These very bets are placed already: their entry is among so many of the log.
    Repeated(u64),
    /// The player made as many entries beside play as an hour allows; until when, UTC milliseconds.
    Quota { now: u64, until: u64 },
    /// The token that was to make another one has ended meanwhile.
    TokenEnded,
    /// The holder has as many tokens as they may.
    TooManyTokens(Holder),
    /// As many bytes were written for the player, or for guests of their address, as an hour allows; until when, UTC
    /// milliseconds.
    Written { now: u64, until: u64 },
    /// There are as many guests as there may be, or as many of one address while few places are left.
    TooManyGuests,
    /// The same repeat key with another request.
    KeyReused,
    /// Too little free space for new rounds.
    DiskFull,
    /// Fail-closed: no quorum of witnesses has cosigned a new checkpoint for too long.
    Unwitnessed,
    /// Another node of the shard decides; where it is reached, as far as is known.
    NotLeading(Option<String>),
}

/// How the answer to a command is given.
pub type Answer = Box<dyn FnOnce(Result<Done, Rejected>) + Send>;

/// A command with all that its request brought.
pub struct Order {
    /// When it entered the queue, UTC milliseconds.
    pub time: u64,
    /// What the house has signed for: it is decided before whatever comes after its time and could stand in its way.
    pub signed_for: Option<Undecided>,
    pub by: Actor,
    pub command: Command,
    /// The player's signature, where they have a key.
    pub signed: Option<Signed>,
    pub repeat: Option<RepeatKey>,
    pub grant: Option<Granted>,
    /// The epoch that its commitment is bound to, where its sender says.
    pub epoch: Option<Epoch>,
    /// Where a guest's comes from, or whoever wants to be one and is counted by address.
    pub address: Option<IpAddr>,
    /// How long the house worked at it, in nanoseconds: told by the time of the answer.
    pub took: Arc<AtomicU64>,
    pub answer: Answer,
}

/// Work for the house thread.
pub enum Job {
    /// Decide a command.
    Command(Box<Order>),
    /// Look at the state; stamped like a command, the release held back like a reply.
    Query(u64, Box<dyn FnOnce(&State) -> Release + Send>),
    /// Take in what another node decided (spec/cluster.md, "To follow"); nothing to a house that leads.
    Followed(Box<Followed>),
    /// Lead from now on; nothing to a house that does.
    Lead(Box<Lead>),
    /// Say that the dealer stops, and decide nothing more.
    Stop,
}

impl Job {
    /// The command to decide, if it is one.
    pub fn order(self) -> Option<Box<Order>> {
        if let Job::Command(order) = self { Some(order) } else { None }
    }
}

/// Why a job was not taken.
#[derive(Clone, Copy, Debug)]
pub enum QueueError {
    Busy,
    Stopping,
}

/// The way to the house thread.
#[derive(Clone)]
pub struct Queue(pub SyncSender<Job>);

impl Queue {
    pub fn submit(&self, job: Job) -> Result<(), QueueError> {
        self.0.try_send(job).map_err(|e| match e {
            TrySendError::Full(_) => QueueError::Busy,
            TrySendError::Disconnected(_) => QueueError::Stopping,
        })
    }
}

/// A decided entry on its way to the disk.
pub struct Decided {
    pub entry: Arc<Entry>,
    pub bytes: Arc<Vec<u8>>,
    pub meta: Vec<MetaWrite>,
    pub grant: Option<Grant>,
    /// How the tables that it changed stand after it.
    pub tables: Vec<Standing>,
    /// The state after it, where it is to be written down.
    pub snapshot: Option<Box<Taken>>,
}

#[derive(Default)]
struct Waiting {
    entries: VecDeque<Decided>,
    /// Releases, each with the log size it waits for.
    releases: VecDeque<(u64, Release)>,
    stopping: bool,
}

/// What the commit thread does at once: up to one append of entries, and what waits for no more than those.
pub struct Work {
    pub entries: Vec<Decided>,
    pub releases: Vec<Release>,
    /// The house has stopped, and nothing comes after this.
    pub is_last: bool,
}

/// Between the two threads.
#[derive(Default)]
pub struct Pending {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// What [`crate::write::own_time`] must know.
    pub reach: Arc<Reach>,
}

/// How far the house has come, for those who say that there is nothing more.
#[derive(Default)]
pub struct Reach {
    /// Everything that was due or asked for up to this time (UTC milliseconds) is decided, and under a signed checkpoint.
    pub done: AtomicU64,
    /// Since when (UTC milliseconds) an append is being settled in the order, or is settled and not published here: another
    /// node may show it already. 0: none is.
    pub settling_since: AtomicU64,
    /// No own time later than this second may be signed yet: after a start nothing is dated long before it, and that is
    /// durable. `u64::MAX` of a node, whose lease bounds what it signs.
    pub signable_until: AtomicU64,
    /// Somebody wants to sign a time near the end of what may be signed.
    wants_more: AtomicBool,
}

/// The anchor's line with [`Reach::signable_until`] (spec/store.md, "Anchor").
const SIGNABLE_UNTIL: &str = "— own-times-until ";

impl Reach {
    /// What is anchored with this checkpoint: the note, and what must be known after a start.
    pub fn anchored(&self, checkpoint: &str) -> String {
        Self::anchored_until(checkpoint, self.signable_until.load(Ordering::SeqCst))
    }

    /// The same, with another end of what may be signed. Sixteen hex digits are base64 too: the line looks like a
    /// stranger's signature to whoever does not know it.
    pub fn anchored_until(checkpoint: &str, until: u64) -> String {
        match until {
            0 | u64::MAX => checkpoint.to_owned(),
            until => format!("{checkpoint}{SIGNABLE_UNTIL}{until:016x}\n"),
        }
    }

    /// What an anchor's note says of own times that may have been signed.
    pub fn signable_in(note: &[u8]) -> Option<u64> {
        let text = std::str::from_utf8(note).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(SIGNABLE_UNTIL))?;
        u64::from_str_radix(line, 16).ok()
    }
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, Waiting>) -> MutexGuard<'g, Waiting> {
        self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands entries and what waits for them over; waits while too much is under way.
    fn push(&self, entries: Vec<Decided>, release: Option<(u64, Release)>) {
        let mut waiting = self.lock();
        while waiting.entries.len() >= PENDING {
            waiting = self.wait(waiting);
        }
        waiting.entries.extend(entries);
        waiting.releases.extend(release);
        drop(waiting);
        self.changed.notify_all();
    }

    /// Has the commit thread make later own times signable.
    pub fn want_more_time(&self) {
        if !self.reach.wants_more.swap(true, Ordering::SeqCst) {
            // Under the lock, so that it does not fall between the commit thread's look and its sleep.
            drop(self.lock());
            self.changed.notify_all();
        }
    }

    /// Whether it is to; asked once.
    fn wants_more_time(&self) -> bool {
        self.reach.wants_more.swap(false, Ordering::SeqCst)
    }

    /// Waits until there is work, the house stops or the time is up.
    fn wait_for_work(&self, most: Duration) {
        let waiting = self.lock();
        let idle = |waiting: &mut Waiting| {
            waiting.entries.is_empty()
                && waiting.releases.is_empty()
                && !waiting.stopping
                && !self.reach.wants_more.load(Ordering::SeqCst)
        };
        drop(self.changed.wait_timeout_while(waiting, most, idle));
    }

    /// What can be done now to a log of this size; nothing, where nothing waits.
    pub fn take(&self, size: u64) -> Work {
        let mut waiting = self.lock();
        let mut entries = Vec::new();
        let mut bytes = 0;
        while let Some(next) = waiting.entries.front() {
            bytes += next.bytes.len();
            if entries.len() >= MAX_APPEND_ENTRIES || bytes > MAX_APPEND_BYTES {
                break;
            }
            entries.extend(waiting.entries.pop_front());
        }
        let durable = size + entries.len() as u64;
        let mut releases = Vec::new();
        while waiting.releases.front().is_some_and(|(size, _)| *size <= durable) {
            releases.extend(waiting.releases.pop_front().map(|(_, release)| release));
        }
        let is_last = waiting.stopping && waiting.entries.is_empty() && waiting.releases.is_empty();
        drop(waiting);
        self.changed.notify_all();
        Work { entries, releases, is_last }
    }

    fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }
}
