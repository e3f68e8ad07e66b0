//! One process of the service: the real house, commits, recovery and replies, each a step at a time on one thread.
//!
//! Owns: what a process holds in memory and loses with it: the queue, requests that wait for an answer, a batch half
//! committed. Does not own: the disk, which stays, and the network.

use crate::disk::Disk;
use crate::planted::Plant;
use crate::rng::Rng;
use crate::snapshots::SnapshotFiles;
use crate::store::ModelStore;
use fairshoe::parts::{
    Appended, Arrival, Arrivals, Asked, Bounds, CommittedAt, Decided, Done, Durable, Fatal, Folders, Grant, Granted,
    Job, Jobs, Keys, Order, Problem, Proofs, Recovered, Rejected, Release, RepeatKey, StartError, Turn,
};
use fairshoe_api::ErrorCode;
use fairshoe_fairness::{Epoch, Master};
use fairshoe_house::{Actor, Command, Event, Receivable, State, TournamentCommand};
use fairshoe_store::StoreError;
use fairshoe_tlog::leaf_hash;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use zeroize::Zeroizing;

pub const ORIGIN: &str = "sim.example/log";
pub const MASTER: [u8; 32] = [0x4d; 32];
pub const LOG_SEED: [u8; 32] = [0x17; 32];

/// Below so much free space no new round begins.
pub const LOW_SPACE: u64 = 8 << 20;

/// What a client asks, as it sends it.
#[derive(Clone)]
pub struct Request {
    pub by: Actor,
    pub command: Command,
    /// Its `Idempotency-Key`.
    pub key: Option<String>,
    /// Whether the signed note is wanted that a choice came.
    pub wants_note: bool,
}

/// What a process says to a request.
#[derive(Clone)]
pub struct Reply {
    pub request: usize,
    /// The signed note that a seed or a choice came.
    pub received: Option<String>,
    pub outcome: Result<Ack, Denied>,
}

/// An entry that was acknowledged.
#[derive(Clone)]
pub struct Ack {
    pub index: u64,
    pub entry: String,
    pub proof: String,
    /// All that the reply says beside its proofs.
    pub rest: Value,
}

#[derive(Clone)]
pub struct Denied {
    pub code: &'static str,
    pub detail: String,
    /// The signed note that it was refused.
    pub refused: Option<String>,
}

struct Ticket {
    request: usize,
    asked: Asked,
    received: Option<String>,
}

/// What requests' threads have handed to the house, or are about to.
struct Queue {
    jobs: VecDeque<Job>,
    /// Signed for, and not handed over yet.
    signed: Vec<(Arrival, Job)>,
    arrivals: Arc<Arrivals>,
    plant: Option<Plant>,
}

impl Jobs for Queue {
    fn next(&mut self) -> Option<Job> {
        self.jobs.pop_front()
    }

    fn all_before(&mut self, deadline: u64) -> Vec<Job> {
        if self.plant != Some(Plant::LapseBeforeSeed) {
            // Their threads run while the house waits for them.
            let (early, later) =
                std::mem::take(&mut self.signed).into_iter().partition(|(arrival, _)| arrival.time < deadline);
            self.signed = later;
            let early: Vec<(Arrival, Job)> = early;
            self.jobs.extend(early.into_iter().map(|(_, job)| job));
            self.arrivals.wait_for_those_before(deadline);
        }
        self.jobs.drain(..).collect()
    }
}

/// How far the commit thread is.
enum Stage {
    Idle,
    Appended(Appended, VecDeque<Release>),
    Releasing(VecDeque<Release>),
}

type Answers = Arc<Mutex<VecDeque<(u64, Result<Done, Rejected>)>>>;

/// See the module.
pub struct Process {
    pub parts: Recovered,
    pub store: Arc<ModelStore>,
    plant: Option<Plant>,
    queue: Queue,
    stage: Stage,
    answers: Answers,
    tickets: BTreeMap<u64, Ticket>,
    next_ticket: u64,
    stopped: bool,
    /// The last snapshot that was written, where a planted bug wants it.
    before: Option<(State, CommittedAt)>,
    /// The index's folder. No thread writes it here: each process makes its index of the log, as one does that finds
    /// none.
    _index: TempDir,
}

/// In memory where there is such a place: the index syncs its folder as it makes it.
fn index_folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

impl Process {
    /// Opens the disk and recovers what stands on it; nothing is logged yet.
    pub fn open(
        disk: &Arc<Mutex<Disk>>,
        plant: Option<Plant>,
        mut epochs: Rng,
        closed: &Arc<AtomicBool>,
    ) -> Result<Process, StartError> {
        let (store, anchored) = ModelStore::open(disk, plant)?;
        let keys = Keys {
            master: Master::from_bytes(MASTER),
            log_seed: Zeroizing::new(LOG_SEED),
            origin: ORIGIN.into(),
            operator_token_hash: [7; 32],
        };
        let bounds = Bounds {
            min_free_bytes: LOW_SPACE,
            player_entries: 1000,
            player_bytes: 0,
            signed_notes: NonZeroU32::new(1_000_000).unwrap(),
            snapshot_entries: epochs.pick(&[0, 1, 3, 10, 30, 100]),
        };
        let fresh_epoch = move || {
            let mut bytes = [0; 32];
            bytes.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&epochs.next().to_be_bytes()));
            Ok(Epoch::from_bytes(bytes))
        };
        let index = index_folder();
        let snapshots = Arc::new(SnapshotFiles(disk.clone()));
        let folders = Folders { index: index.path().to_owned(), snapshots, pause: Duration::ZERO };
        let mut parts =
            Recovered::new(store.clone(), store.clone(), &anchored, keys, folders, &bounds, Box::new(fresh_epoch))?;
        let closed = closed.clone();
        parts.house.is_unwitnessed = Box::new(move || closed.load(Ordering::Relaxed));
        let queue =
            Queue { jobs: VecDeque::new(), signed: Vec::new(), arrivals: parts.evidence.arrivals.clone(), plant };
        Ok(Process {
            parts,
            store,
            plant,
            queue,
            stage: Stage::Idle,
            answers: Answers::default(),
            tickets: BTreeMap::new(),
            next_ticket: 0,
            stopped: false,
            before: None,
            _index: index,
        })
    }

    /// A request comes in.
    pub fn receive(&mut self, now: u64, nth: usize, request: &Request, rng: &mut Rng) {
        let Request { by, command, key, wants_note } = request.clone();
        let signs = match (&command, Receivable::of(&command)) {
            // As `write/tournaments.rs` does: of a draw that has its hands, what the state would take.
            (Command::Tournament(TournamentCommand::RevealSeatSeed { event, draw_no, entry_no, seed, next }), _) => {
                let event =
                    self.parts.house.state.tournament(event).filter(|event| event.draw_ends(*draw_no).is_some());
                let whose = event.and_then(|event| event.awaits_seed(*draw_no, *entry_no, seed));
                whose.is_some_and(|whose| next.is_none() || by == Actor::Player(whose.clone()))
            }
            (_, Some(Receivable::Seed)) => true,
            (Command::Act { table, round_no, .. }, _) => match &by {
                Actor::Player(player) => {
                    wants_note && self.parts.archive.index.plays_in(player, table, *round_no).unwrap()
                }
                _ => false,
            },
            // As `write/rounds.rs` does: not what may be refused for want of witnesses or space.
            (_, Some(_)) => {
                let house = &self.parts.house;
                let is_closed = (house.is_unwitnessed)() || house.low_space.load(Ordering::Relaxed);
                wants_note && matches!(by, Actor::Player(_)) && !is_closed
            }
            (_, None) => false,
        };
        let evidence = &self.parts.evidence;
        let mut arrival = if signs { evidence.arrivals.arrive(now, &by, &command, None) } else { None };
        let signed_for = arrival.as_mut().and_then(Arrival::take_undecided);
        let signs = signed_for.is_some();
        let time = arrival.as_ref().map_or(now, |arrival| arrival.time);
        let received = arrival.as_ref().map(|arrival| evidence.received(arrival.time, &by, &command, None).unwrap());
        let grant = match &command {
            Command::IssueToken { holder, revoke } => {
                let mut hash = [0; 32];
                hash.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&rng.next().to_be_bytes()));
                Some(Granted::To(Grant { hash, holder: holder.clone(), revoke: *revoke, until: None, maker: None }))
            }
            _ => None,
        };
        let body = serde_json::to_vec(&command).unwrap();
        let repeat =
            key.filter(|_| self.plant != Some(Plant::KeyStripped)).map(|key| RepeatKey::of(&by, &key, "/v1", &body));
        let (ticket, answers) = (self.next_ticket, self.answers.clone());
        self.next_ticket += 1;
        let has_key = repeat.is_some();
        let (of, whose, proofs) = (command.clone(), by.clone(), Proofs::Now);
        let asked = Asked { by: whose, command: of, signed: None, is_signed_for: signs, has_key, proofs };
        self.tickets.insert(ticket, Ticket { request: nth, asked, received });
        let answer = Box::new(move |outcome| answers.lock().unwrap().push_back((ticket, outcome)));
        let order = Order {
            time,
            signed_for,
            by,
            command,
            signed: None,
            repeat,
            grant,
            epoch: None,
            address: None,
            took: Arc::default(),
            answer,
        };
        let job = Job::Command(Box::new(order));
        match arrival {
            Some(arrival) => self.queue.signed.push((arrival, job)),
            None => self.queue.jobs.push_back(job),
        }
    }

    /// Some of what is signed for reaches the house, in any order.
    pub fn hand_over(&mut self, rng: &mut Rng) {
        while !self.queue.signed.is_empty() && rng.one_in(2) {
            let nth = rng.below(self.queue.signed.len());
            let (arrival, job) = self.queue.signed.swap_remove(nth);
            self.queue.jobs.push_back(job);
            drop(arrival);
        }
    }

    /// Whether the house has all that is signed for.
    pub fn is_handed_over(&self) -> bool {
        self.queue.signed.is_empty()
    }

    /// A turn of the house thread.
    pub fn turn(&mut self, now: u64) -> Result<Turn, Fatal> {
        if self.stopped {
            return Ok(Turn::Stopped);
        }
        let turn = self.parts.house.turn(&mut self.queue, now)?;
        self.stopped = turn == Turn::Stopped;
        Ok(turn)
    }

    /// The process is asked to stop in good order.
    pub fn ask_to_stop(&mut self) {
        let signed = std::mem::take(&mut self.queue.signed);
        self.queue.jobs.extend(signed.into_iter().map(|(_, job)| job));
        self.queue.jobs.push_back(Job::Stop);
    }

    /// A step of the commit thread; whether there was anything to do.
    pub fn commit(&mut self) -> Result<bool, StoreError> {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Idle => {
                let mut work = self.parts.pending.take(self.parts.committer.tree.size());
                let mut releases: VecDeque<Release> = work.releases.into();
                if self.plant == Some(Plant::ReplyBeforeEntry) {
                    let published = self.parts.archive.current();
                    releases.drain(..).for_each(|release| release(&published));
                }
                if self.plant == Some(Plant::PostingLineLost) {
                    work.entries.iter_mut().for_each(lose_a_line);
                }
                if self.plant == Some(Plant::SnapshotBeforeEntries) {
                    self.write_early(&mut work.entries);
                }
                let committer = &mut self.parts.committer;
                match (work.entries.is_empty(), releases.is_empty()) {
                    (true, true) => return Ok(false),
                    (true, false) => Stage::Releasing(releases),
                    (false, _) => Stage::Appended(committer.append(work.entries)?, releases),
                }
            }
            Stage::Appended(appended, releases) => {
                self.parts.committer.publish(appended)?;
                Stage::Releasing(releases)
            }
            Stage::Releasing(mut releases) => {
                let published = self.parts.archive.current();
                if let Some(release) = releases.pop_front() {
                    release(&published);
                }
                if releases.is_empty() { Stage::Idle } else { Stage::Releasing(releases) }
            }
        };
        Ok(true)
    }

    /// The thread of snapshots writes one, if one is to be written.
    pub fn write_snapshot(&mut self) -> Option<io::Result<u64>> {
        let durable = self.parts.to_write.try_recv().ok()?;
        Some(self.write(durable))
    }

    fn write(&mut self, (mut taken, tree): Durable) -> io::Result<u64> {
        match self.plant {
            Some(Plant::SnapshotOfWrongSize) => {
                let now = (taken.state.clone(), taken.committed.clone());
                if let Some((state, committed)) = self.before.replace(now) {
                    (taken.state, taken.committed) = (state, committed);
                }
            }
            Some(Plant::SnapshotFieldLeftOut) => {
                let mut fields = serde_json::to_value(&taken.state).unwrap();
                fields["deadlines"] = Value::Array(Vec::new());
                taken.state = serde_json::from_value(fields).unwrap();
            }
            Some(Plant::SnapshotPlacesLeftOut) => taken.committed = CommittedAt::default(),
            _ => {}
        }
        // A state that may be named is one of a size that no run here comes to, or the newest: that one, if nothing
        // comes before its name.
        let house = &self.parts.house;
        *house.snapshots.named().lock().unwrap() = Some((house.state.size(), house.state.root().unwrap()));
        self.parts.snapshots.write(&taken, &tree)
    }

    /// The planted bug: what is taken is written before its entry is.
    fn write_early(&mut self, decided: &mut [Decided]) {
        let mut tree = self.parts.committer.tree.clone();
        for decided in decided {
            tree.append(leaf_hash(&decided.bytes));
            if let Some(taken) = decided.snapshot.take() {
                drop(self.parts.snapshots.write(&taken, &tree));
            }
        }
    }

    /// A request's thread makes its reply.
    pub fn reply(&mut self) -> Option<Result<Reply, String>> {
        let (number, done) = self.answers.lock().unwrap().pop_front()?;
        let ticket = self.tickets.remove(&number)?;
        let answered = ticket.asked.answer(&self.parts.archive, &self.parts.evidence, done);
        let outcome = match answered {
            Ok(accepted) => Ok(ack(&serde_json::to_value(&accepted).unwrap())),
            Err(Problem { code: ErrorCode::Internal, detail, .. }) => {
                return Some(Err(format!("the reply to {:?} failed inside: {detail}", ticket.asked.command)));
            }
            Err(Problem { code, detail, refused, .. }) => Err(Denied { code: code.as_str(), detail, refused }),
        };
        Some(Ok(Reply { request: ticket.request, received: ticket.received, outcome }))
    }

    /// Whether nothing is left to do at this moment.
    pub fn is_quiet(&self) -> bool {
        let answered = self.answers.lock().unwrap().is_empty();
        answered && self.queue.jobs.is_empty() && self.queue.signed.is_empty() && matches!(self.stage, Stage::Idle)
    }
}

fn ack(accepted: &Value) -> Ack {
    let mut rest = accepted.clone();
    let fields = rest.as_object_mut().unwrap();
    let receipts = fields.remove("receipts").unwrap();
    // The handler names it in the first reply, too.
    fields.remove("table");
    let text = |name: &str| receipts[0][name].as_str().unwrap().to_owned();
    Ack { index: receipts[0]["index"].as_u64().unwrap(), entry: text("entry"), proof: text("proof"), rest }
}

fn lose_a_line(decided: &mut Decided) {
    let mut entry = decided.entry.as_ref().clone();
    for event in &mut entry.events {
        if let Event::Posted { lines } = event {
            lines.pop();
        }
    }
    decided.bytes = Arc::new(entry.encode().unwrap());
    decided.entry = Arc::new(entry);
}
