//! Other parties' cosignatures on our checkpoints (spec/log.md, "Witnesses"): asked for, verified, kept and told.
//!
//! One thread a witness submits the newest checkpoint over a connection of its own. Dealing never waits for any of
//! them; a bet asks one atomic number whether the house is closed.

mod contact;
mod report;
mod settings;
mod start;
mod state;
mod witnessed_file;

pub use contact::Contact;
pub use settings::{Settings, address};

use crate::ops::metrics::{Metrics, WitnessFailure};
use crate::write::own_time::OwnTime;
use crate::write::pipeline::now_ms;
use crate::write::published::{Published, Tiles};
use contact::Failure;
use fairshoe_tlog::{Policy, VerifierKey};
use state::{Candidate, State, Witnessed};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::{error, info, warn};

/// How often a thread that has nothing to submit looks for a new checkpoint.
const LOOK: Duration = Duration::from_millis(200);

/// Without a limit of the operator's a log counts as unwitnessed after that long, or twice the idle time if that is
/// longer.
const USUAL_LIMIT: Duration = Duration::from_secs(60);

/// No checkpoint was ever witnessed.
const NEVER: i64 = i64::MIN;

/// See the module.
pub struct Witnesses {
    policy: Policy,
    log: VerifierKey,
    settings: Settings,
    file: PathBuf,
    published: Arc<RwLock<Arc<Published>>>,
    tiles: Arc<Tiles>,
    metrics: Arc<Metrics>,
    began: Instant,
    state: Mutex<State>,
    /// Held while the file is written, so that an older note never follows a newer one.
    keeper: Mutex<()>,
    /// When the newest witnessed checkpoint was the newest of all, in milliseconds since `began`.
    witnessed_at: AtomicI64,
    was_unwitnessed: AtomicBool,
}

impl Witnesses {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A way to each of them, in the policy's order.
    pub fn contacts(&self) -> Vec<Contact> {
        self.policy.witnesses().iter().map(Contact::new).collect()
    }

    /// How old the newest witnessed checkpoint is: how long ago it was the newest of all.
    fn age(&self) -> Option<Duration> {
        let at = Some(self.witnessed_at.load(Ordering::Relaxed)).filter(|at| *at != NEVER)?;
        let now = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        Some(Duration::from_millis(u64::try_from(now.saturating_sub(at)).unwrap_or(0)))
    }

    fn is_older_than(&self, limit: Duration) -> bool {
        self.age().is_none_or(|age| age > limit)
    }

    /// Whether nothing was witnessed for longer than the operator, or else we, find good.
    fn is_unwitnessed(&self) -> bool {
        self.is_older_than(self.settings.limit.unwrap_or(USUAL_LIMIT.max(2 * self.settings.idle)))
    }

    /// Fail-closed: no bet is taken now.
    pub fn refuses_bets(&self) -> bool {
        self.settings.limit.is_some_and(|limit| self.is_older_than(limit))
    }

    /// The newest checkpoint that met the quorum.
    pub fn witnessed(&self) -> Option<Arc<Witnessed>> {
        self.lock().witnessed.clone()
    }

    /// A published checkpoint with the cosignatures that there are of exactly it.
    pub fn note_of(&self, published: &Published) -> String {
        self.lock().note_of(published).unwrap_or_else(|| published.checkpoint.clone())
    }

    /// Submits to one witness, for as long as the process lives, while it knows which checkpoint is the newest. *A leader that
    /// is cut off would have an old tree cosigned now, and what another decided since would look as if it had been dated back.*
    pub fn run(&self, member: usize, mut contact: Contact, own_time: &OwnTime) {
        loop {
            self.tell_change();
            let (newest, line) = own_time.newest();
            let task = line.and_then(|line| self.task(member, &newest, Some(line)));
            match task {
                Some(task) => drop(self.submit(member, &mut contact, &task)),
                None => std::thread::sleep(LOOK),
            }
        }
    }

    /// What this one is to be shown now; `own_time` is the log's, with the newest checkpoint.
    fn task(&self, member: usize, newest: &Arc<Published>, own_time: Option<String>) -> Option<Candidate> {
        let mut state = self.lock();
        let now = Instant::now();
        state.choose(newest, own_time, self.settings.idle, now);
        state.task(member, now)
    }

    /// One submission, without any lock; then what it brought is noted, and kept if the quorum is met.
    fn submit(&self, member: usize, contact: &mut Contact, task: &Candidate) -> Result<(), Failure> {
        let began = Instant::now();
        let outcome = contact.submit(&task.published, &self.tiles);
        let noted = outcome.as_ref().cloned();
        let (before, after) = {
            let mut state = self.lock();
            let before = state.members.get(member).cloned();
            state.record(member, task, noted, &self.policy, began, now_ms());
            (before, state.members.get(member).cloned())
        };
        if let (Some(before), Some(after)) = (before, after) {
            tell_outcome(&before, &after, contact.url(), outcome.as_ref().err());
        }
        self.keep();
        let failure = outcome.err();
        if let (Some(failure), Some(witness)) = (&failure, self.policy.witnesses().get(member)) {
            let witness = String::from_utf8_lossy(&witness.name).into_owned();
            self.metrics.witness_failures.get_or_create(&WitnessFailure { witness, kind: failure.kind() }).inc();
        }
        failure.map_or(Ok(()), Err)
    }

    /// Makes what met the quorum durable; only then is it told, so that a restart never shows an older one.
    fn keep(&self) {
        let _one_at_a_time = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(next) = self.lock().to_keep.take() else { return };
        if let Err(failure) = witnessed_file::write(&self.file, &next.note) {
            error!(%failure, file = %self.file.display(), "the witnessed checkpoint cannot be kept, so it is not told");
            return;
        }
        self.adopt(next);
    }

    fn adopt(&self, next: Witnessed) {
        self.witnessed_at.store(self.since_began(next.chosen), Ordering::Relaxed);
        self.lock().witnessed = Some(Arc::new(next));
    }

    fn since_began(&self, at: Option<Instant>) -> i64 {
        let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        match at {
            None => NEVER,
            Some(at) if at >= self.began => millis(at.duration_since(self.began)),
            Some(at) => -millis(self.began.duration_since(at)),
        }
    }

    /// Tells the operator once when the log becomes unwitnessed, and once when it is witnessed again.
    fn tell_change(&self) {
        let now = self.is_unwitnessed();
        if now == self.was_unwitnessed.swap(now, Ordering::Relaxed) {
            return;
        }
        let age = self.age().map(|age| age.as_secs());
        if now {
            let bets = if self.refuses_bets() { "no bets are taken" } else { "bets are taken all the same" };
            warn!(age, "the log is unwitnessed: no quorum cosigned a new checkpoint; {bets}");
        } else {
            info!(age, "the log is witnessed again");
        }
    }
}

/// Tells the operator what has changed about a witness: each kind of failure once, alarms loudly.
fn tell_outcome(before: &state::Member, after: &state::Member, url: &str, failure: Option<&Failure>) {
    if before.error == after.error {
        return;
    }
    match failure {
        Some(failure) if failure.is_alarm() => error!(
            witness = after.name, url, %failure,
            "a witness says that this log has a second history. Compare its checkpoint with this log's: either the witness is wrong, or \
             the log's key signs elsewhere"
        ),
        Some(failure) => warn!(witness = after.name, url, %failure, "a witness did not cosign"),
        None => info!(witness = after.name, url, size = after.cosigned_size, "a witness cosigns again"),
    }
}
