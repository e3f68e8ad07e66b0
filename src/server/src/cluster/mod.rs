//! One node of several that hold a shard's log: who leads, and how the others follow (spec/cluster.md).
//!
//! Owns: whether this node may answer, the threads that talk to the order. Does not own: the order itself
//! (`src/order`), deciding and committing, which are the same for a process alone ([`crate::write::pipeline`]).

pub mod calls;
mod following;
mod leading;
mod node;
pub mod settings;
pub mod status;
pub mod up;
mod watched;

pub use following::{Followed, Following, Lead};
pub use leading::Settle;
pub use node::{Node, start};
pub use settings::{Given, Settings};

use crate::write::pipeline::now_ms;
use fairshoe_order::Lease;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::{error, info, warn};

/// No node asks for a longer lease.
const LONGEST_LEASE: Duration = Duration::from_secs(10);

/// How far a leader's clock may be from the servers', in milliseconds.
const MOST_SKEW: u64 = 5_000;

/// What the threads of a node, and those that serve, know of each other.
pub struct Cluster {
    pub settings: Settings,
    standing: RwLock<Standing>,
    /// What a server said of the time last: at this moment it was so late, UTC milliseconds.
    told: RwLock<Option<(Instant, u64)>>,
    /// The process was told to stop.
    pub must_stop: AtomicBool,
    /// The house has stopped: a lease that is held is given up.
    pub is_stopping: AtomicBool,
}

/// Where this node stands.
#[derive(Clone, Default)]
pub struct Standing {
    /// It has begun an epoch, and decides.
    pub leads: bool,
    /// Until when it answers, by its clock (UTC milliseconds) and by its monotonic one: of its last lease that was
    /// accepted.
    until: u64,
    answers_until: Option<Instant>,
    /// The last lease of this shard.
    pub lease: Option<Lease>,
    /// What these servers say of all shards, unproven.
    pub shards: Vec<(String, Lease)>,
    /// The order was reached when it was asked last.
    pub is_reached: bool,
    /// How often another process was seen to take the lead.
    pub takeovers: u64,
}

impl Standing {
    /// Of a process alone.
    pub fn alone() -> Standing {
        Standing { is_reached: true, ..Standing::default() }
    }
}

/// This node does not lead, or cannot know that it still does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLeading {
    /// The leader, as far as it is known.
    pub leader: Option<String>,
}

impl Cluster {
    pub fn new(settings: Settings) -> Self {
        let (must_stop, is_stopping) = (AtomicBool::new(false), AtomicBool::new(false));
        Cluster { settings, standing: RwLock::default(), told: RwLock::default(), must_stop, is_stopping }
    }

    /// How the node stands now.
    pub fn standing(&self) -> Standing {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Standing)) {
        change(&mut self.standing.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Refuses what needs the leader: nothing may be said at this time (UTC milliseconds) or now, unless this node's lease
    /// holds for both. *A leader that stood still while another took over.*
    pub fn require_lead(&self, time: u64) -> Result<(), NotLeading> {
        let standing = self.standing.read().unwrap_or_else(PoisonError::into_inner);
        let holds = standing.leads
            && time.max(now_ms()) < standing.until
            && standing.answers_until.is_some_and(|until| Instant::now() < until);
        if holds {
            return Ok(());
        }
        let own = self.settings.address.as_str();
        let other = standing.lease.as_ref().filter(|lease| lease.node.is_some() && lease.address != own);
        Err(NotLeading { leader: other.map(|lease| lease.address.clone()) })
    }

    /// Notes a lease as it is now.
    fn see(&self, lease: Option<Lease>) {
        self.change(|standing| {
            let term = |lease: &Option<Lease>| lease.as_ref().map(|lease| lease.term.clone());
            let is_new = lease.is_some() && standing.lease.is_some() && term(&lease) != term(&standing.lease);
            standing.takeovers += u64::from(is_new);
            standing.lease = lease;
        });
    }

    /// Whether it has begun an epoch; its lease may be over.
    pub fn leads(&self) -> bool {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).leads
    }

    /// It may answer until then, by both of its clocks.
    fn answers(&self, until: u64, at: Instant) {
        self.change(|standing| (standing.until, standing.answers_until) = (until, Some(at)));
    }

    /// Notes whether the order answers, and says where that changes.
    fn reached(&self, is_reached: bool) {
        let was = self.standing.read().unwrap_or_else(PoisonError::into_inner).is_reached;
        if was != is_reached {
            self.change(|standing| standing.is_reached = is_reached);
            if is_reached {
                info!("the order answers");
            } else {
                warn!("the order does not answer; this node goes on trying");
            }
        }
    }

    /// Notes what a server said of the time.
    fn told_time(&self, at: Instant, time: u64) {
        *self.told.write().unwrap_or_else(PoisonError::into_inner) = Some((at, time));
    }

    /// What the time may be at most, by what a server said last, UTC milliseconds.
    fn latest_now(&self) -> u64 {
        let told = *self.told.read().unwrap_or_else(PoisonError::into_inner);
        told.map_or(u64::MAX, |(at, time)| {
            let since = u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
            time.saturating_add(since).saturating_add(MOST_SKEW)
        })
    }

    /// Whether this node's clock is too far from what a server said of the time.
    fn is_clock_wrong(&self) -> bool {
        let told = *self.told.read().unwrap_or_else(PoisonError::into_inner);
        told.is_some_and(|(at, time)| {
            let since = u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
            time.saturating_add(since).abs_diff(now_ms()) > MOST_SKEW
        })
    }

    fn must_stop(&self) -> bool {
        self.must_stop.load(Ordering::Relaxed)
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}

/// Drops everything in memory and goes on as a process that starts: what was decided and did not come next is no part of
/// the log, and a node that lost its place follows. The same program with the same options, in the same process, so that
/// nobody has to start it again; what is on the disk is what a kill would have left.
pub fn begin_anew(why: &str) -> ! {
    warn!(why, "this node does not lead any more, and begins anew");
    let mut options = std::env::args_os();
    let name = options.next().unwrap_or_default();
    let failure = Command::new("/proc/self/exe").arg0(name).args(options).exec();
    error!(%failure, "the process cannot begin anew; it ends, and whoever looks after it starts it again");
    std::process::exit(75)
}

/// Ends the process over an order, or a log, that must not be followed.
pub fn give_up(what: &str) -> ! {
    error!(what, advice = "keep this folder, and see spec/cluster.md, \"When something is gone\"", "this node stops");
    std::process::exit(74)
}
