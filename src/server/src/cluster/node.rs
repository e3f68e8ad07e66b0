//! The thread of a node that talks to the order: reads what comes next, watches the lease, takes it over, renews it
//! (spec/cluster.md, "The lease").

use super::following::{Followed, Lead};
use super::leading::Ordered;
use super::watched::{Asked, Watched};
use super::{Cluster, LONGEST_LEASE, MOST_SKEW, begin_anew, give_up};
use crate::ops::keys::random32;
use crate::ops::startup::StartError;
use crate::write::pipeline::{Job, now_ms};
use crate::write::published::{OpenTables, Published};
use fairshoe_order::{
    JetStream, Lease, Leases, Message, Order, OrderError, OrderKey, Unsafe, check_servers, place_of, read_next,
};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::{error, info, warn};

/// A node follows until a lease has been the same for its length and so long more.
const MARGIN: Duration = Duration::from_millis(500);

/// Where an order has messages and no lease is there, whoever led may still believe it: its lease was lost. Longer than
/// any lease.
const WITHOUT_LEASE: Duration = Duration::from_secs(30);

/// After a lease that this node may not use it does not try again for so long.
const UNFIT: Duration = Duration::from_secs(10);

/// How long a follower waits for the next message before it asks again, where nobody says that there is one.
const IDLE: Duration = Duration::from_millis(100);

/// How often a follower looks at the lease, and whether messages are missing.
const LOOK: Duration = Duration::from_millis(250);

/// How often the other shards, and the servers' settings, are looked at.
const AROUND: Duration = Duration::from_secs(5);

/// Between two tries to reach the order.
const RETRY: Duration = Duration::from_millis(300);

/// For so long a start tries again where the servers do not let it in: another of them may, or the same one in a moment.
const UNKNOWN: Duration = Duration::from_secs(3);

/// A server that is cut off may show an old order for so long: until then what looks like a loss is asked for again,
/// elsewhere.
const OLD_ANSWERS: Duration = Duration::from_secs(20);

/// Names of tables in a lease.
const NAMED_TABLES: usize = 64;

/// What the thread works with.
pub struct Node {
    pub cluster: Arc<Cluster>,
    /// The seed of the log's key, of which the nodes' keys are made.
    pub log_seed: zeroize::Zeroizing<[u8; 32]>,
    /// The log's key, as others read it.
    pub key: String,
    pub published: Arc<RwLock<Arc<Published>>>,
    pub open_tables: Arc<OpenTables>,
    pub jobs: SyncSender<Job>,
}

/// Reaches the order before anything is served; none where no server answers yet, and then the thread goes on trying.
///
/// # Errors
/// Servers or streams that are not set as they must be.
pub fn start(cluster: &Cluster) -> Result<Option<JetStream>, StartError> {
    let refuse = |what: String| StartError::refuse("the order cannot be used", what);
    let begun = Instant::now();
    loop {
        match connect(cluster) {
            Ok(order) => return Ok(Some(order)),
            Err(Unusable::NotNow(why)) => {
                warn!(%why, "the order is not reached; this node serves what it has, and goes on trying");
                return Ok(None);
            }
            Err(Unusable::Refused(_)) if begun.elapsed() < UNKNOWN => std::thread::sleep(RETRY),
            Err(Unusable::Refused(what) | Unusable::Never(what)) => return Err(refuse(what)),
        }
    }
}

enum Unusable {
    NotNow(String),
    /// The servers do not let this node in. One that starts may not know its users yet.
    Refused(String),
    Never(String),
}

fn look_at_servers(cluster: &Cluster) -> Result<(), Unusable> {
    check_servers(&cluster.settings.monitors).map_err(|why| match why {
        Unsafe::Unreachable(..) => Unusable::NotNow(why.to_string()),
        _ => Unusable::Never(why.to_string()),
    })
}

fn connect(cluster: &Cluster) -> Result<JetStream, Unusable> {
    look_at_servers(cluster)?;
    JetStream::connect(cluster.settings.servers.clone()).map_err(|why| match why {
        OrderError::Silent(why) => Unusable::NotNow(why),
        OrderError::Refused(_) => Unusable::Refused(why.to_string()),
        OrderError::Short(what) | OrderError::Damaged(what) => Unusable::Never(what),
    })
}

/// The lease that this node holds.
struct Held {
    number: u64,
    beat: u64,
    /// Which process of the node holds it.
    term: String,
    /// The greatest time before which anybody who led may have signed something; UTC milliseconds.
    floor: u64,
}

/// What looks like a loss may be an old answer: it is one once it has been the same for long.
#[derive(Default)]
struct Doubt(Option<Instant>);

impl Doubt {
    /// Notes a loss as it looks; ends the process where it is one.
    fn grows(&mut self, what: &str) {
        let since = *self.0.get_or_insert_with(|| {
            warn!(what, "the order looks as if it had lost something; it is asked again, elsewhere");
            Instant::now()
        });
        if since.elapsed() > OLD_ANSWERS {
            give_up(what);
        }
        std::thread::sleep(RETRY);
    }

    fn is_over(&mut self) {
        self.0 = None;
    }
}

impl Node {
    /// Runs until the house has stopped. Where this node loses its place the process begins anew.
    pub fn run(self, reached: Option<JetStream>) {
        let Some(order) = self.reach(reached) else { return };
        let node = Arc::new(self);
        let (around, there) = (node.clone(), order.clone());
        // On a thread of its own: it must not keep a lease from being renewed.
        let looking = std::thread::Builder::new().name("order-around".into()).spawn(move || around.look_around(&there));
        if let Err(failure) = looking {
            give_up(&format!("no thread can be made: {failure}"));
        }
        if let Some((held, head)) = node.follow(&order) {
            node.lead(&order, held, head);
        }
    }

    fn reach(&self, reached: Option<JetStream>) -> Option<Arc<JetStream>> {
        let (mut reached, mut told) = (reached, String::new());
        while !self.cluster.is_stopping() {
            match reached.take().map_or_else(|| connect(&self.cluster), Ok) {
                Ok(order) => return Some(Arc::new(order)),
                Err(Unusable::Never(what)) => give_up(&what),
                Err(Unusable::NotNow(_)) => {}
                // It serves readers meanwhile.
                Err(Unusable::Refused(what)) if told == what => {}
                Err(Unusable::Refused(what)) => {
                    error!(what, "this node serves what it has, and goes on trying");
                    told = what;
                }
            }
            std::thread::sleep(RETRY);
        }
        None
    }

    fn stream(&self) -> String {
        format!("fairshoe-{}", self.cluster.settings.shard)
    }

    fn size(&self) -> u64 {
        self.published.read().unwrap_or_else(PoisonError::into_inner).size()
    }

    fn leases(&self) -> OrderKey {
        OrderKey::of_leases(&self.log_seed, &self.stream())
    }

    /// Reads what comes next until this node holds the lease and has all: the lease, and the number of the last message.
    fn follow(&self, order: &Arc<JetStream>) -> Option<(Held, u64)> {
        let key = OrderKey::new(&self.log_seed, &self.stream());
        let leases = self.leases();
        let mut next = self.place(order, &key)?;
        info!(entries = self.size(), next, shard = %self.cluster.settings.shard, "this node follows");
        let mut watched = Watched::new(Instant::now());
        let (mut looked, mut doubt) = (None::<Instant>, Doubt::default());
        while !self.cluster.is_stopping() {
            let is_time = looked.is_none_or(|at| at.elapsed() >= LOOK);
            // Whether messages are missing is asked less often than whether there is one.
            let read = if is_time { read_next(order.as_ref(), next) } else { order.read(next) };
            if read.is_ok() {
                watched.is_answered(Asked::Message);
            }
            match read {
                Ok(Some(bytes)) => {
                    doubt.is_over();
                    self.hand_over(&key, next, &bytes)?;
                    next += 1;
                    continue;
                }
                Ok(None) => {
                    // One question alone does not show that nothing is missing.
                    if is_time {
                        doubt.is_over();
                    }
                    self.cluster.reached(true);
                }
                Err(OrderError::Damaged(what) | OrderError::Short(what)) => {
                    doubt.grows(&what);
                    watched.since = Instant::now();
                    continue;
                }
                Err(OrderError::Silent(_) | OrderError::Refused(_)) => {
                    self.cluster.reached(false);
                    watched.miss(Asked::Message, Instant::now());
                    std::thread::sleep(RETRY);
                    continue;
                }
            }
            if is_time {
                looked = Some(Instant::now());
                if self.look(order, &leases, &mut watched)
                    && let Some(held) = self.take_over(order, &leases, &mut watched, next)
                {
                    // The entries that the former leader appended until now come first.
                    while let Some(bytes) = self.read_surely(order, next) {
                        self.hand_over(&key, next, &bytes)?;
                        next += 1;
                    }
                    return Some((held, next - 1));
                }
            }
            order.wait(IDLE);
        }
        None
    }

    /// Where this node goes on; asked until the order answers.
    fn place(&self, order: &Arc<JetStream>, key: &OrderKey) -> Option<u64> {
        let mut doubt = Doubt::default();
        while !self.cluster.is_stopping() {
            match place_of(order.as_ref(), key, self.size()) {
                Ok(number) => return Some(number),
                // A server that starts may not know of the stream yet.
                Err(OrderError::Damaged(what)) => doubt.grows(&what),
                Err(OrderError::Silent(_) | OrderError::Refused(_)) => {
                    self.cluster.reached(false);
                    std::thread::sleep(RETRY);
                }
                // *A stream that was deleted, and made anew by the first node that came: another node may have more.*
                Err(OrderError::Short(_)) if self.cluster.settings.begins_order && order.head() == Ok(0) => {
                    return Some(1);
                }
                Err(OrderError::Short(what)) => doubt.grows(&format!(
                    "{what}. Either the order is lost, or it is to begin with this log: then start the node with the longest log with --begin-order"
                )),
            }
        }
        None
    }

    /// The message of a number, or none, from an order that answers.
    fn read_surely(&self, order: &Arc<JetStream>, number: u64) -> Option<Vec<u8>> {
        let mut doubt = Doubt::default();
        loop {
            match read_next(order.as_ref(), number) {
                Ok(found) => return found,
                Err(OrderError::Damaged(what) | OrderError::Short(what)) => doubt.grows(&what),
                Err(OrderError::Silent(_) | OrderError::Refused(_)) => std::thread::sleep(RETRY),
            }
        }
    }

    /// Has the house take a message in, and waits until it is durable here; nothing, where the house has stopped.
    fn hand_over(&self, key: &OrderKey, number: u64, bytes: &[u8]) -> Option<()> {
        let message = match Message::open(key, number - 1, bytes) {
            Ok(message) => message,
            Err(why) => give_up(&format!("message {number} of the order is none of this shard's nodes: {why}")),
        };
        let (done, durable) = sync_channel(1);
        self.jobs.send(Job::Followed(Box::new(Followed { number, message, done }))).ok()?;
        durable.recv().ok()
    }

    /// Looks at the lease; whether that was possible. What is no lease of this shard, or one that is shown again, changes
    /// nothing but the number that the next one has to name.
    fn look(&self, order: &JetStream, key: &OrderKey, watched: &mut Watched) -> bool {
        let Ok(seen) = order.lease() else {
            watched.miss(Asked::Lease, Instant::now());
            return false;
        };
        watched.is_answered(Asked::Lease);
        let lease = seen.as_ref().and_then(|seen| Lease::open(key, &seen.bytes));
        watched.seen = seen;
        let beat = watched.genuine.as_ref().map(|lease| lease.beat);
        if let Some(lease) = lease.filter(|lease| beat.is_none_or(|beat| lease.beat > beat)) {
            watched.since = Instant::now();
            watched.has_come = watched.genuine.is_some();
            watched.genuine_seen.clone_from(&watched.seen);
            self.cluster.see(Some(lease.clone()));
            watched.genuine = Some(lease);
        }
        true
    }

    /// Looks at the other shards and at the servers' settings, until the house has stopped.
    fn look_around(&self, order: &JetStream) {
        while !self.cluster.is_stopping() {
            if let Ok(found) = order.shards() {
                let hint =
                    |(shard, seen): (String, fairshoe_order::LeaseSeen)| Some((shard, Lease::hint(&seen.bytes)?));
                let shards = found.into_iter().filter_map(hint).collect();
                self.cluster.change(|standing| standing.shards = shards);
            }
            // A server that was started again may be set otherwise.
            if let Err(Unusable::Never(what)) = look_at_servers(&self.cluster) {
                give_up(&what);
            }
            let begun = Instant::now();
            while begun.elapsed() < AROUND && !self.cluster.is_stopping() {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Takes the lease over where its holder is silent, and where this node's clock allows it to lead.
    fn take_over(&self, order: &JetStream, key: &OrderKey, watched: &mut Watched, next: u64) -> Option<Held> {
        if Instant::now() < watched.not_before {
            return None;
        }
        let has_more = watched.is_hidden() || (watched.genuine.is_none() && next > 1);
        let silence = match &watched.genuine {
            // Nobody ever led.
            None if next == 1 => Duration::ZERO,
            None => WITHOUT_LEASE,
            // *What a stranger put there may hide what the leader said since*: it is given time to say more.
            Some(_) if has_more => LONGEST_LEASE + MARGIN,
            // Given up in order.
            Some(lease) if lease.node.is_none() && watched.has_come => Duration::ZERO,
            Some(lease) => Duration::from_millis(lease.length) + MARGIN,
        };
        if watched.since.elapsed() < silence {
            return None;
        }
        let mut held = Held {
            number: watched.seen.as_ref().map_or(0, |seen| seen.number),
            beat: watched.genuine.as_ref().map_or(0, |lease| lease.beat),
            term: random32().map(|bytes| hex::encode(bytes).chars().take(16).collect()).ok()?,
            floor: watched.floor(),
        };
        // First nothing is promised: what the server says of the time is held against this node's clock.
        let taken = matches!(self.claim(order, key, &mut held, false), Ok(true)).then(|| self.read_clock(order, &held));
        if let Some(stamped) = taken.flatten() {
            if self.cluster.is_clock_wrong() {
                warn!("this node's clock and the order's are too far apart for it to lead: set the clock right (NTP)");
                self.give_lease_up(order, key, &held);
                watched.not_before = Instant::now() + UNFIT;
            } else if (!has_more || self.outlasts(order, key, &mut held, stamped))
                && self.reaches_floor(order, key, &mut held)
            {
                info!(shard = %self.cluster.settings.shard, node = %self.cluster.settings.node, "this node takes the lead");
                return Some(held);
            }
        }
        // Another was first, or nothing is known: what is there now is looked at anew.
        watched.since = Instant::now();
        None
    }

    /// Where a leader may have said more than this node saw: claims for all that it can have promised until the server took
    /// this node's lease (at `stamped`, UTC milliseconds), and waits until none of it can hold. Whether its claim still lies
    /// there: *a leader that lives writes its own over it, and is hidden by somebody who publishes after it.*
    fn outlasts(&self, order: &JetStream, key: &OrderKey, held: &mut Held, stamped: u64) -> bool {
        let longest = u64::try_from(LONGEST_LEASE.as_millis()).unwrap_or(u64::MAX);
        // The other's clock was at most so far ahead of the server's.
        held.floor = held.floor.max(stamped.saturating_add(longest + MOST_SKEW));
        if self.claim(order, key, held, false) != Ok(true) {
            return false;
        }
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_LEASE + MARGIN {
            if self.cluster.is_stopping() {
                return false;
            }
            std::thread::sleep(RETRY);
        }
        // A claim says so for certain, where an answer may be old.
        self.claim(order, key, held, false) == Ok(true)
    }

    /// Waits until this node's clock has come to the floor, with the lease in its hands: *its first entry bears that time, and
    /// an auditor whose clock is behind it would accuse the house of an entry out of the future.* Whether the lease is still
    /// its own; nothing is promised by it meanwhile.
    fn reaches_floor(&self, order: &JetStream, key: &OrderKey, held: &mut Held) -> bool {
        let mut said = Instant::now();
        while now_ms() < held.floor {
            if self.cluster.is_stopping() {
                self.give_lease_up(order, key, held);
                return false;
            }
            if said.elapsed() >= self.pause() {
                if self.claim(order, key, held, false) != Ok(true) {
                    return false;
                }
                said = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// Between two renewals of a lease.
    fn pause(&self) -> Duration {
        self.cluster.settings.lease / 4
    }

    /// The lease as this node says it.
    fn said(&self, held: &Held, node: Option<String>) -> Lease {
        let (tables, has_more) = self.open_tables.page(None, NAMED_TABLES);
        Lease {
            v: 1,
            beat: held.beat + 1,
            node,
            term: held.term.clone(),
            address: self.cluster.settings.address.clone(),
            key: self.key.clone(),
            length: self.length(),
            until: held.floor,
            size: self.size(),
            tables: tables.iter().map(|table| table.id.to_string()).collect(),
            has_more_tables: has_more,
        }
    }

    /// The length of a lease, in milliseconds.
    fn length(&self) -> u64 {
        u64::try_from(self.cluster.settings.lease.as_millis()).unwrap_or_default()
    }

    /// Asks for the lease, or for more of it; whether this node has it. Where it is to answer it may from then on, for the
    /// lease's length.
    fn claim(&self, order: &JetStream, key: &OrderKey, held: &mut Held, answers: bool) -> Result<bool, OrderError> {
        let asked = Instant::now();
        // No further than by what a server said last: *a clock that jumps between the look at it and this binds whoever leads
        // next.*
        let until = now_ms().min(self.cluster.latest_now()).saturating_add(self.length());
        if answers {
            // Before it is asked for: it may be accepted without a word.
            held.floor = held.floor.max(until);
        }
        let lease = self.said(held, Some(self.cluster.settings.node.clone()));
        let Some(number) = order.replace(held.number, &lease.seal(key))? else { return Ok(false) };
        (held.number, held.beat) = (number, lease.beat);
        self.cluster.see(Some(lease));
        if answers {
            self.cluster.answers(until, asked + self.cluster.settings.lease);
        }
        Ok(true)
    }

    fn give_lease_up(&self, order: &JetStream, key: &OrderKey, held: &Held) {
        drop(order.replace(held.number, &self.said(held, None).seal(key)));
    }

    /// Reads when the server took this node's lease, which was a moment ago; UTC milliseconds. Nothing, where it cannot be
    /// read, or another lies there.
    fn read_clock(&self, order: &JetStream, held: &Held) -> Option<u64> {
        let asked = Instant::now();
        let seen = order.lease().ok()?.filter(|seen| seen.number == held.number)?;
        self.cluster.told_time(asked, seen.stamped);
        Some(seen.stamped)
    }

    /// Has the house lead, and renews the lease until the house has stopped.
    fn lead(&self, order: &Arc<JetStream>, mut held: Held, head: u64) {
        let leases = self.leases();
        let settle = Ordered {
            order: order.clone(),
            key: OrderKey::new(&self.log_seed, &self.stream()),
            head,
            cluster: self.cluster.clone(),
        };
        let (begun, begins) = sync_channel(1);
        let lead = Lead { order: Box::new(settle), not_before: held.floor, begun };
        if self.jobs.send(Job::Lead(Box::new(lead))).is_err() {
            return;
        }
        let (mut renewed, mut is_known) = (None::<Instant>, true);
        while !self.cluster.is_stopping() {
            if !self.cluster.leads() && begins.try_recv().is_ok() {
                self.cluster.change(|standing| standing.leads = true);
            }
            if renewed.is_some_and(|at| at.elapsed() < self.pause()) {
                std::thread::sleep(Duration::from_millis(5));
                continue;
            }
            // *A clock that jumps: what is promised, and dated, by it binds whoever leads next.*
            if self.cluster.is_clock_wrong() {
                begin_anew("its clock and the order's are too far apart for it to lead: set the clock right (NTP)");
            }
            match self.claim(order, &leases, &mut held, true) {
                Ok(true) => {
                    renewed = Some(Instant::now());
                    self.read_clock(order, &held);
                    is_known = true;
                    self.cluster.reached(true);
                }
                Ok(false) => self.find_own(order, &leases, &mut held),
                Err(why) => {
                    if std::mem::replace(&mut is_known, false) {
                        warn!(%why, "the lease cannot be renewed: this node says nothing once it is over, and goes on trying");
                    }
                    self.cluster.reached(false);
                    std::thread::sleep(RETRY);
                }
            }
        }
        self.give_lease_up(order, &leases, &held);
    }

    /// A renewal was refused: an earlier one of this node may have been accepted without a word; or what lies there is no
    /// lease of this shard, or an old one, and is replaced. Else another node leads.
    fn find_own(&self, order: &JetStream, key: &OrderKey, held: &mut Held) {
        let Ok(seen) = order.lease() else { return };
        held.number = seen.as_ref().map_or(0, |seen| seen.number);
        let Some(lease) = seen.and_then(|seen| Lease::open(key, &seen.bytes)) else { return };
        if lease.term == held.term {
            held.beat = held.beat.max(lease.beat);
        } else if lease.beat > held.beat {
            begin_anew("another node has taken the lead");
        }
    }
}
