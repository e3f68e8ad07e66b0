//! The house thread: the only place where the state changes. It does what is due, decides each command in its order
//! and hands the entry on; it writes nothing to disk and answers nobody itself.

use super::homes::Homes;
use super::{
    Decided, Done, Fresh, Inbox, Job, Jobs, Order, Pending, Quota, Rejected, Release, RepeatKey, Written, now_ms,
};
use crate::ops::tokens::{Tokens, dismissed};
use crate::read::history::{places_bet, told_balance};
use crate::read::index::WITHHELD_ALARM;
use crate::read::round_stage::RoundStage;
use crate::write::committed::CommittedAt;
use crate::write::dealer::CachingDealer;
use crate::write::durable::ReadLog;
use crate::write::evidence::Arrivals;
use crate::write::published::Standing;
use crate::write::repeats::{self, Known, Repeats};
use crate::write::snapshots::Turns;
use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_house::{
    Actor, Begins, Command, DecideError, Entry, Event, Refusal, Signed, Software, State, StateRoot, Table, VoidCause,
    is_guest,
};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tracing::{error, warn};

/// The house thread: the only place where the state changes.
pub struct House {
    pub state: State,
    pub dealer: Arc<CachingDealer>,
    pub pending: Arc<Pending>,
    pub tokens: Arc<Tokens>,
    pub low_space: Arc<AtomicBool>,
    /// Whether the house is closed to bets for want of cosignatures (fail-closed).
    pub is_unwitnessed: Box<dyn Fn() -> bool + Send>,
    pub fresh_epoch: FreshEpoch,
    /// What players may do beside play.
    pub quota: Quota,
    /// What is written for those who play.
    pub written: Arc<Written>,
    /// So many guests may there be at once.
    pub most_guests: usize,
    /// Where those who are there came from.
    homes: Homes,
    /// Seeds and choices that are signed for and on their way here.
    pub arrivals: Arc<Arrivals>,
    /// Jobs that were taken from the queue before their turn came.
    backlog: VecDeque<Job>,
    /// The greatest time of a refusal. What is decided later has no earlier time, so that the log as it stood at a
    /// refusal's time is the log that it was refused by.
    refused_at: u64,
    /// The size of the log with everything decided so far.
    pub size: u64,
    /// Where shoes in use and commitments for hands stand in the log.
    pub committed: CommittedAt,
    /// When the state is copied, to be written down.
    pub snapshots: Turns,
    /// What the requests that may come again were.
    repeats: Repeats,
    /// When the thread last looked for work, UTC milliseconds.
    awake: u64,
    /// When its last standstill ended, as long as nothing was missed in it that is known of; else 0.
    still_until: u64,
    /// The end of a standstill that was none: the clock was put forward, and back. Nothing is decided at an earlier time,
    /// since nothing is signed for at one any more ([`Arrivals`]): a seed would come after the deadline of its bet.
    not_before: u64,
    /// The last time up to which all is told to be done ([`super::Reach`]).
    told_done: u64,
}

/// How often that is told, in milliseconds.
const TELL_DONE: u64 = 1000;

/// The house looks at the clock again after so many milliseconds, whatever its next deadline.
const LONGEST_WAIT: u64 = 1000;

/// So many guests go at most for one who comes.
const GUESTS_WHO_GO: usize = 16;

/// The last one in so many places for guests is for those whose address holds few.
const LAST_PLACES: usize = 4;

/// A standstill of so many milliseconds, and a deadline or duty that is past for as long, is put on the log as
/// downtime: half of what an auditor allows a house to be late.
const LATE_MS: u64 = 30_000;

/// Where epochs come from: each is 32 fresh random bytes.
pub type FreshEpoch = Box<dyn FnMut() -> Result<Epoch, String> + Send>;

/// A start of this process, with an epoch of its own.
pub fn start_dealer(origin: Origin, epoch: Epoch, dealer: &CachingDealer) -> Result<Command, String> {
    let software = Software::parse(concat!("fairshoe ", env!("CARGO_PKG_VERSION"))).ok_or("the version is no label")?;
    Ok(Command::StartDealer { origin, epoch, master_id: dealer.master_id(), software })
}

/// What came of a turn of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Worked,
    /// Nothing waits, and nothing is due before this time, UTC milliseconds.
    Idle {
        until: Option<u64>,
    },
    /// The dealer has stopped: nothing is decided any more.
    Stopped,
}

/// Something that must not happen did; the process stops, and a restart recovers from the log.
#[derive(Debug)]
pub struct Fatal(pub String);

/// So much of what is due is done before a command that does not wait for it: some milliseconds.
const DUTIES_AT_ONCE: usize = 8;

impl House {
    pub fn new(
        state: State,
        dealer: Arc<CachingDealer>,
        pending: Arc<Pending>,
        reader: Arc<dyn ReadLog>,
        tokens: Arc<Tokens>,
        low_space: Arc<AtomicBool>,
        fresh_epoch: FreshEpoch,
    ) -> Self {
        let (size, repeats) = (reader.size(), Repeats::new(reader));
        House {
            state,
            dealer,
            pending,
            tokens,
            low_space,
            is_unwitnessed: Box::new(|| false),
            fresh_epoch,
            quota: Quota::new(0),
            written: Written::new(0),
            most_guests: usize::MAX,
            homes: Homes::default(),
            arrivals: Arc::default(),
            backlog: VecDeque::new(),
            refused_at: 0,
            size,
            committed: CommittedAt::default(),
            snapshots: Turns::new(0, 0),
            repeats,
            awake: 0,
            still_until: 0,
            not_before: 0,
            told_done: 0,
        }
    }

    /// The thread begins now (UTC milliseconds): what was before is no standstill of it.
    pub fn wake(&mut self, now: u64) {
        self.awake = now;
    }

    /// Runs until it is told to stop.
    pub fn run(mut self, jobs: Receiver<Job>) {
        let mut inbox = Inbox { jobs, arrivals: self.arrivals.clone() };
        self.wake(now_ms());
        loop {
            match self.turn(&mut inbox, now_ms()) {
                Ok(Turn::Worked) => {}
                Ok(Turn::Idle { until }) => {
                    let wait =
                        until.map_or(LONGEST_WAIT, |until| until.saturating_sub(now_ms()).clamp(1, LONGEST_WAIT));
                    self.backlog.extend(inbox.wait(Duration::from_millis(wait)));
                }
                Ok(Turn::Stopped) => return,
                Err(Fatal(what)) => {
                    error!(%what, "the house thread failed; the process stops and recovers at its next start");
                    std::process::exit(70);
                }
            }
        }
    }

    /// One job, or where none waits what is due by now (UTC milliseconds).
    pub fn turn(&mut self, jobs: &mut dyn Jobs, now: u64) -> Result<Turn, Fatal> {
        // What waits came before now: a deadline that passes while it waits is not held against it (C16).
        if self.backlog.is_empty() {
            self.backlog.extend(jobs.next());
        }
        // The wait for this turn may have been a standstill.
        if now.saturating_sub(std::mem::replace(&mut self.awake, now)) > LATE_MS {
            self.still_until = now;
            // What was signed for before it is on the log before anything that came after it, whichever is here first.
            self.backlog.extend(jobs.all_before(now));
        } else if now < self.still_until {
            self.not_before = self.not_before.max(std::mem::take(&mut self.still_until));
        }
        self.own_up_to_standstill(jobs)?;
        match self.backlog.pop_front() {
            None => {
                let is_done = self.do_what_is_due(jobs, now, |_| true)?;
                if is_done && self.backlog.is_empty() {
                    self.name_what_may_be(now)?;
                    self.is_done_up_to(now);
                    return Ok(Turn::Idle { until: self.state.next_deadline() });
                }
            }
            Some(Job::Command(order)) => {
                let time = order.time;
                // What goes before it is looked for in the backlog, and so is it.
                let at = order.command.facts().table.cloned();
                self.backlog.push_front(Job::Command(order));
                let owes_nothing = |state: &State| at.as_ref().is_none_or(|at| !state.owes(at, time));
                let is_done = self.do_what_is_due(jobs, time, owes_nothing)?;
                if is_done {
                    self.name_what_may_be(time)?;
                }
                self.let_in_what_goes_before(jobs)?;
                // It may have been let in itself.
                if let Some(order) = self.next_command_by(time) {
                    self.answer(*order)?;
                }
                if is_done {
                    self.is_done_up_to(time);
                }
            }
            Some(Job::Query(time, ask)) => {
                let is_done = self.do_what_is_due(jobs, time, |state| state.recovering() == 0)?;
                let release = ask(&self.state);
                self.release(release);
                if is_done {
                    self.is_done_up_to(time);
                }
            }
            // It leads: what is left of the time when it followed is on its log already.
            Some(Job::Followed(_) | Job::Lead(_)) => {}
            Some(Job::Stop) => {
                self.stop(now)?;
                self.pending.stop();
                return Ok(Turn::Stopped);
            }
        }
        Ok(Turn::Worked)
    }

    /// The last entry of this process: the dealer stops in good order. A log that has ended has its last entry.
    fn stop(&mut self, now: u64) -> Result<(), Fatal> {
        if self.state.ended().is_some() {
            return Ok(());
        }
        if self.snapshots.is_worth_a_name(self.size, self.state.noted()) {
            let root = self.state.root().map_err(|e| Fatal(e.to_string()))?;
            self.name_state(now, self.size, root)?;
        }
        match self.decide(now, &Actor::House, &Command::StopDealer {})? {
            Ok((mut decided, _)) => {
                decided.snapshot = self.snapshots.take(self.size, true, &self.state, &self.committed);
                self.pending.push(vec![decided], None);
                Ok(())
            }
            Err(refusal) => Err(Fatal(format!("the stop was refused: {refusal}"))),
        }
    }

    /// Names the state that the writer of snapshots left, at a time up to which everything is done that was due: an
    /// entry of a later time would date what waits after its deadline (C16).
    fn name_what_may_be(&mut self, time: u64) -> Result<(), Fatal> {
        self.snapshots.take_named().map_or(Ok(()), |(size, root)| self.name_state(time, size, root))
    }

    /// Names a state on the log (spec/state.md). Where it may not be named, while tables are put in order or since too
    /// much came after it, it is not: none is due.
    fn name_state(&mut self, now: u64, size: u64, root: StateRoot) -> Result<(), Fatal> {
        if let Ok((decided, _)) = self.decide(now, &Actor::House, &Command::NoteState { size, root })? {
            self.pending.push(vec![decided], None);
        }
        Ok(())
    }

    /// A process that stood still (its machine was suspended, its disk hung) while a deadline passed, a command waited,
    /// or something that it had signed for was on its way, says so on the log, by a start of its own with a fresh
    /// epoch: what it missed is downtime, for which its tables have their policies, and nothing that it passed over in
    /// silence.
    fn own_up_to_standstill(&mut self, jobs: &mut dyn Jobs) -> Result<(), Fatal> {
        if self.still_until == 0 || self.state.ended().is_some() {
            return Ok(());
        }
        // A command is dated when it came: what it begins would be overdue at once. It may have been under way all the
        // time, so that it reaches the house some turns after the standstill.
        let times =
            self.backlog.iter().filter_map(|job| if let Job::Command(order) = job { Some(order.time) } else { None });
        let since = [self.state.next_deadline(), self.state.due_since(), times.min()];
        let missed_from = since.into_iter().flatten().min().unwrap_or(u64::MAX);
        let missed_ms = self.still_until.saturating_sub(missed_from);
        if missed_ms <= LATE_MS {
            return Ok(());
        }
        self.still_until = 0;
        let now = self.awake;
        warn!(missed_ms, "the process stood still past what it had to do: the dealer starts anew");
        let origin = self.state.origin().cloned().ok_or_else(|| Fatal("the dealer never started".into()))?;
        let start = start_dealer(origin, (self.fresh_epoch)().map_err(Fatal)?, &self.dealer).map_err(Fatal)?;
        match self.decide(now, &Actor::House, &start)? {
            Ok((decided, _)) => self.pending.push(vec![decided], None),
            Err(refusal) => return Err(Fatal(format!("its own start was refused: {refusal}"))),
        }
        self.do_what_is_due(jobs, now, |_| false).map(|_| ())
    }

    /// Recoveries, next shoes, lapsed deadlines. Before each of them everything is decided that the house has signed for
    /// at an earlier time, wherever it is on its way, by these times: a deadline that passes, or a window that is closed
    /// since all have bet, could stand in its way, and the house would have signed against itself.
    ///
    /// Returns whether all of it is done. If much is due at once, the part that the next command does not wait for is left to the
    /// next turns. *Five hundred tables of a tournament go in step, and players elsewhere wait for a third of a second.*
    fn do_what_is_due(
        &mut self,
        jobs: &mut dyn Jobs,
        now: u64,
        may_wait: impl Fn(&State) -> bool,
    ) -> Result<bool, Fatal> {
        let mut done = 0;
        loop {
            self.own_up_to_standstill(jobs)?;
            let Some((by, command)) = self.state.due(now) else { return Ok(true) };
            if done >= DUTIES_AT_ONCE && may_wait(&self.state) {
                return Ok(false);
            }
            done += 1;
            let dated = self.dated(now);
            // After a start nothing comes before the tables are in order; what came before it may be lost.
            let goes_first = !matches!(command, Command::Recover { .. }) && self.arrivals.owes_before(dated);
            if goes_first && self.let_in_before(jobs, dated)? {
                continue;
            }
            let decided = self.decide_duty(now, &by, &command)?;
            self.pending.push(vec![decided], None);
        }
    }

    /// When an entry would be dated that is decided for this time.
    fn dated(&self, time: u64) -> u64 {
        time.max(self.state.last_time()).max(self.not_before).max(self.arrivals.dated_from())
    }

    /// Decides what is signed for at a time before this one; whether there was any.
    fn let_in_before(&mut self, jobs: &mut dyn Jobs, until: u64) -> Result<bool, Fatal> {
        self.backlog.extend(jobs.all_before(until));
        let is_early = |job: &Job| match job {
            Job::Command(order) => order.signed_for.is_some() && order.time < until,
            _ => false,
        };
        let all = std::mem::take(&mut self.backlog).into_iter();
        let (early, rest) = all.partition::<VecDeque<Job>, _>(is_early);
        self.backlog = rest;
        let mut early: Vec<Box<Order>> = early.into_iter().filter_map(Job::order).collect();
        early.sort_by_key(|order| order.time);
        let any = !early.is_empty();
        for order in early {
            self.answer(*order)?;
        }
        Ok(any)
    }

    /// The same of what goes before the next command: an earlier choice of the same player's; what ends that is awaited
    /// goes behind everything.
    fn let_in_what_goes_before(&mut self, jobs: &mut dyn Jobs) -> Result<(), Fatal> {
        let Some(Job::Command(order)) = self.backlog.front() else { return Ok(()) };
        let dated = self.dated(order.time.max(self.refused_at));
        let ends = matches!(order.command, Command::CloseBets { .. } | Command::CloseCall { .. });
        if (ends && self.arrivals.owes_before(dated)) || self.arrivals.goes_before(dated, &order.by, &order.command) {
            self.let_in_before(jobs, dated)?;
        }
        Ok(())
    }

    /// The next command, where it bears no later time than this.
    fn next_command_by(&mut self, time: u64) -> Option<Box<Order>> {
        let is_by = |job: &Job| if let Job::Command(order) = job { order.time <= time } else { false };
        if self.backlog.front().is_some_and(is_by) { self.backlog.pop_front().and_then(Job::order) } else { None }
    }

    fn decide_duty(&mut self, now: u64, by: &Actor, command: &Command) -> Result<Decided, Fatal> {
        match self.decide(now, by, command)? {
            Ok((decided, _)) => Ok(decided),
            Err(refusal) => Err(Fatal(format!("its own {command:?} was refused: {refusal}"))),
        }
    }

    /// Decides and applies; the entry is on its way, not durable.
    pub fn decide(
        &mut self,
        now: u64,
        by: &Actor,
        command: &Command,
    ) -> Result<Result<(Decided, u64), Refusal>, Fatal> {
        self.decide_signed(now, by, None, command)
    }

    fn decide_signed(
        &mut self,
        now: u64,
        by: &Actor,
        signed: Option<&Signed>,
        command: &Command,
    ) -> Result<Result<(Decided, u64), Refusal>, Fatal> {
        let mut now = now.max(self.not_before).max(self.arrivals.dated_from());
        if let Command::StartDealer { epoch, .. } = command {
            now = self.arrivals.begin_epoch(*epoch, now);
        }
        let entry = match self.state.decide_signed(self.dealer.as_ref(), now, by, signed, command) {
            Ok(entry) => entry,
            Err(DecideError::Refused(refusal)) => return Ok(Err(refusal)),
            Err(other) => return Err(Fatal(other.to_string())),
        };
        let bytes = match entry.encode() {
            Ok(bytes) => bytes,
            // Bounded inputs make it unreachable; a command that would not fit is refused rather than half logged.
            Err(_) => return Ok(Err(Refusal::Malformed("the request is too large for the log"))),
        };
        self.state.apply(&entry).map_err(|e| Fatal(e.to_string()))?;
        self.arrivals.log_is_at(entry.time);
        let index = self.size;
        self.size += 1;
        self.follow(index, &entry);
        let meta = dismissed(&entry).flat_map(|guest| self.tokens.deletes(&guest)).collect();
        self.homes.follow(&entry);
        let tables = self.changed_by(&entry);
        let snapshot = self.snapshots.take(self.size, false, &self.state, &self.committed);
        Ok(Ok((Decided { entry: Arc::new(entry), bytes: Arc::new(bytes), meta, grant: None, tables, snapshot }, index)))
    }

    /// Takes in an entry that another node decided, by the same fold; it is not durable here yet.
    pub fn take_in(&mut self, bytes: &[u8]) -> Result<Decided, Fatal> {
        let entry = Entry::decode(bytes).map_err(|e| Fatal(e.to_string()))?;
        self.state.apply(&entry).map_err(|e| Fatal(e.to_string()))?;
        self.arrivals.log_is_at(entry.time);
        let index = self.size;
        self.size += 1;
        self.committed.note(index, &entry);
        self.homes.follow(&entry);
        let tables = self.changed_by(&entry);
        let snapshot = self.snapshots.take(self.size, false, &self.state, &self.committed);
        let (entry, bytes) = (Arc::new(entry), Arc::new(bytes.to_vec()));
        Ok(Decided { entry, bytes, meta: Vec::new(), grant: None, tables, snapshot })
    }

    /// Decides nothing at an earlier time (UTC milliseconds): whoever decided before may have signed something for one.
    pub fn not_before(&mut self, time: u64) {
        self.not_before = self.not_before.max(time);
        self.arrivals.log_is_at(time);
    }

    /// How the tables that an entry changed stand after it: its own, or all of them where the dealer started.
    fn changed_by(&self, entry: &Entry) -> Vec<Standing> {
        let standing = |id: &TableId| (id.clone(), self.state.shared_table(id));
        match &entry.at {
            Some(at) => vec![standing(&at.table)],
            None if matches!(entry.command, Command::StartDealer { .. }) => {
                self.state.tables().map(|table| standing(&table.id)).collect()
            }
            None => Vec::new(),
        }
    }

    /// Keeps track of where shoes and hands were committed, has the next shoes prepared, and tells the operator what
    /// they must see.
    fn follow(&mut self, index: u64, entry: &Entry) {
        self.committed.note(index, entry);
        let Some(at) = &entry.at else { return };
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { .. } => {
                    // Ahead of the first bet of all at a table nothing is derived: it may never come.
                    if let Some(table) = self.state.table(&at.table).filter(|table| table.next_round > 0) {
                        prepare_next(&self.dealer, table);
                    }
                }
                Event::BetsOpened { round_no: 0, .. } | Event::HandCalled { round_no: 0, .. } => {
                    if let Some(table) = self.state.table(&at.table)
                        && let Some(shoe) = &table.shoe
                    {
                        self.dealer.prepare(&shoe.id, table.rules.candidates());
                        prepare_next(&self.dealer, table);
                    }
                }
                Event::RoundVoided { round_no, cause: VoidCause::RevealMissing, .. } => {
                    let count = self.state.table(&at.table).map_or(0, Table::withheld_lately);
                    if count >= WITHHELD_ALARM {
                        warn!(table = %at.table, round_no, count, "withheld reveals voided so many of this table's last 100 rounds");
                    }
                }
                Event::TableClosed {} => self.dealer.forget(&at.table),
                _ => {}
            }
        }
    }

    fn answer(&mut self, order: Order) -> Result<(), Fatal> {
        let (took, begun) = (order.took.clone(), Instant::now());
        let answered = self.answer_at_once(order);
        took.store(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        answered
    }

    fn answer_at_once(&mut self, order: Order) -> Result<(), Fatal> {
        let Order { time, signed_for, by, command, signed, mut repeat, grant, epoch, address, took: _, answer } = order;
        let is_signed_for = signed_for.is_some();
        // From here on it stands in the way of nothing: this thread decides it before all else. Not later, so that the next
        // choice of a player who has the answer to this one is signed for (spec/receipts.md, one at a time).
        drop(signed_for);
        let time = time.max(self.refused_at);
        let mut known = self.known(&by, &command, repeat.as_ref())?;
        // *Attack: a key is given twice, and the note of the second request accuses the house that does not log it.*
        if is_signed_for && known == Some(Known::KeyReused) {
            (known, repeat) = (None, None);
        }
        if let Some(known) = known {
            self.release(Box::new(move |published| {
                answer(match known {
                    Known::At(index) => Ok(Done { index, fresh: None, published: published.clone() }),
                    Known::Among(size) => Err(Rejected::Repeated(size)),
                    Known::KeyReused => Err(Rejected::KeyReused),
                });
            }));
            return Ok(());
        }
        // What is known is told; anything else is refused by the rules, whatever else stands in its way.
        let has_ended = self.state.ended().is_some();
        if let Some(closed) = self.closed_to(self.state.begins(&command), is_signed_for).filter(|_| !has_ended) {
            self.release(Box::new(move |_| answer(Err(closed))));
            return Ok(());
        }
        if let Some((given, in_force)) =
            epoch.zip(self.epoch_of(&command)).filter(|(given, in_force)| given != in_force)
        {
            // What the rules refuse anyway is refused by them, in words that are signed.
            let now = time.max(self.not_before).max(self.arrivals.dated_from());
            let decided = self.state.decide_signed(self.dealer.as_ref(), now, &by, signed.as_ref(), &command);
            if !matches!(decided, Err(DecideError::Refused(_))) {
                self.release(Box::new(move |_| answer(Err(Rejected::WrongEpoch { given, in_force }))));
                return Ok(());
            }
        }
        if !has_ended && matches!(command, Command::AdmitGuest {}) && !self.has_room_for_a_guest(time, address)? {
            self.release(Box::new(move |_| answer(Err(Rejected::TooManyGuests))));
            return Ok(());
        }
        let counted = Quota::of(&by, address, &command);
        let blocked = counted.iter().filter_map(|counted| self.quota.blocked_until(counted, time)).max();
        if let Some(until) = blocked.filter(|_| !has_ended && !is_signed_for) {
            self.release(Box::new(move |_| answer(Err(Rejected::Quota { now: time, until }))));
            return Ok(());
        }
        let blocked = self.written.blocked_until(&by, address, &command, time).filter(|_| !is_signed_for);
        if let Some(until) = blocked.filter(|_| !has_ended) {
            self.release(Box::new(move |_| answer(Err(Rejected::Written { now: time, until }))));
            return Ok(());
        }
        if !has_ended && grant.as_ref().is_some_and(|granted| !self.tokens.may_make(granted)) {
            self.release(Box::new(move |_| answer(Err(Rejected::TokenEnded))));
            return Ok(());
        }
        if let Some(holder) = grant.as_ref().and_then(|granted| self.tokens.full(granted)).filter(|_| !has_ended) {
            self.release(Box::new(move |_| answer(Err(Rejected::TooManyTokens(holder)))));
            return Ok(());
        }
        // Before a bet the table's duties are done already: they follow the entry that made them.
        let shoe_index = command.table().and_then(|table| self.committed.shoe(table));
        let (mut decided, index) = match self.decide_signed(time, &by, signed.as_ref(), &command)? {
            Ok(decided) => decided,
            Err(refusal) => {
                let at = time.max(self.state.last_time());
                self.refused_at = at;
                self.arrivals.log_is_at(at);
                self.release(Box::new(move |_| answer(Err(Rejected::Refused { refusal, at }))));
                return Ok(());
            }
        };
        for counted in &counted {
            self.quota.count(counted, time);
        }
        if let Some((guest, address)) = guest_of(&decided.entry).zip(address) {
            self.homes.note(guest, address);
        }
        decided.meta.extend(repeat.map(|repeat| self.repeats.remember(repeat, index)));
        if let Some(grant) = grant.and_then(|grant| grant.by(&decided.entry)) {
            decided.meta.extend(self.tokens.writes(&grant));
            decided.grant = Some(grant);
        }
        let fresh = Fresh {
            entry: decided.entry.clone(),
            bytes: decided.bytes.clone(),
            shoe_index: shoe_index.filter(|_| places_bet(&decided.entry)),
            round_stage: RoundStage::of(&self.state, &command).map(|round_stage| {
                let funds = round_stage.funds(&self.state);
                (round_stage, funds)
            }),
            balance: told_balance(&decided.entry, &by).and_then(|player| self.state.ledger().player(player)),
        };
        let release: Release =
            Box::new(move |published| answer(Ok(Done { index, fresh: Some(fresh), published: published.clone() })));
        // What the entry makes due (the next shoe, "no more bets" when all have bet) goes to the disk with it: one
        // sync.
        let mut batch = vec![decided];
        while let Some((by, command)) = self.state.due(time) {
            // The next turn lets in first what is owed, and goes on with what is due.
            if self.arrivals.owes_before(self.dated(time)) {
                break;
            }
            batch.push(self.decide_duty(time, &by, &command)?);
        }
        let bytes = batch.iter().map(|decided| decided.bytes.len() as u64).sum();
        self.written.count(&by, address, &command, bytes, time);
        self.pending.push(batch, Some((self.size, release)));
        Ok(())
    }

    /// Whether another guest may come. Where few places are left, their address must hold few; where none is, those who have
    /// been idle for longest make room.
    fn has_room_for_a_guest(&mut self, time: u64, address: Option<IpAddr>) -> Result<bool, Fatal> {
        let (guests, most) = (self.state.guest_count(), self.most_guests);
        if let Some(address) = address.filter(|_| guests >= most - most / LAST_PLACES) {
            let (free, idle) = (most.saturating_sub(guests), self.state.guests_who_may_go(time));
            if !self.homes.may_send(address, free, idle) {
                return Ok(false);
            }
        }
        // More than one where fewer may be there than before.
        for _ in 0..GUESTS_WHO_GO {
            if self.state.guest_count() < self.most_guests {
                return Ok(true);
            }
            let Some(command) = self.state.dismissal_for_room(time) else { return Ok(false) };
            match self.decide(time, &Actor::House, &command)? {
                Ok((decided, _)) => self.pending.push(vec![decided], None),
                Err(refusal) => return Err(Fatal(format!("its own {command:?} was refused: {refusal}"))),
            }
        }
        Ok(self.state.guest_count() < self.most_guests)
    }

    /// The epoch of the context in which a seed will open the commitment of this command: that of the shoe in use; of a
    /// hand to come, whose shoe is not committed yet, the one in force.
    fn epoch_of(&self, command: &Command) -> Option<Epoch> {
        let shoe = match command {
            Command::Bet { table, .. } | Command::CommitSeed { table, .. } => self.state.table(table)?.shoe.as_ref(),
            _ => None,
        };
        shoe.map(|shoe| shoe.id.context.epoch).or(self.state.epoch().copied())
    }

    /// Whether the request was carried out already.
    fn known(&self, by: &Actor, command: &Command, repeat: Option<&RepeatKey>) -> Result<Option<Known>, Fatal> {
        match repeat.map(|repeat| self.repeats.by_key(repeat)).transpose().map_err(Fatal)?.flatten() {
            Some(known) => Ok(Some(known)),
            None => Ok(repeats::standing(&self.state, &self.committed, self.size, by, command)),
        }
    }

    /// Why the house takes nothing now that begins so. What began before finishes, and what the house signed for it
    /// takes.
    fn closed_to(&self, begins: Begins, is_signed_for: bool) -> Option<Rejected> {
        if begins == Begins::Nothing || is_signed_for {
            None
        } else if self.low_space.load(Ordering::Relaxed) {
            Some(Rejected::DiskFull)
        } else {
            (begins == Begins::Play && (self.is_unwitnessed)()).then_some(Rejected::Unwitnessed)
        }
    }

    /// Says so once it is under a signed checkpoint, as a reply is; also where the clock was put back meanwhile: what was
    /// done up to a later time says nothing of now.
    fn is_done_up_to(&mut self, time: u64) {
        if time.abs_diff(self.told_done) >= TELL_DONE {
            self.told_done = time;
            let reach = self.pending.reach.clone();
            self.release(Box::new(move |_| {
                reach.done.store(time, Ordering::SeqCst);
            }));
        }
    }

    fn release(&self, release: Release) {
        self.pending.push(Vec::new(), Some((self.size, release)));
    }
}

/// The guest whom an entry admits, or who gave its command.
fn guest_of(entry: &Entry) -> Option<&PlayerId> {
    match (&entry.by, entry.events.first()) {
        (_, Some(Event::GuestAdmitted { player })) => Some(player),
        (Actor::Player(player), _) => Some(player).filter(|player| is_guest(player)),
        _ => None,
    }
}

/// Has the shoe after this one derived ahead, where it will hold the same: not where a new pile may come first, whose
/// cards nobody knows yet.
fn prepare_next(dealer: &CachingDealer, table: &Table) {
    if let Some(shoe) = table.shoe.as_ref().filter(|_| !table.rules.collects_cards()) {
        dealer.prepare_after(&shoe.id, table.rules.candidates());
    }
}
