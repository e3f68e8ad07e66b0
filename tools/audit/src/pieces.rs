//! `log --workers N`: a log audited in pieces, each of which begins with a published state (spec/audit.md, "In
//! pieces").
//!
//! Owns: threads, which piece begins where, whether it may be joined. Does not own: what an entry comes to, or what is
//! remembered of it (the house's auditor). Whoever serves the states need not be trusted: one that does not fit is said
//! and not used.

use crate::acks::Acks;
use crate::log::{Audited, BATCH, IN_FLIGHT, ended_early, limits, progress_bar};
use crate::outcome::UnusableInput;
use crate::progress::Progress;
use crate::saved_evidence::SavedEvidence;
use crate::whole_log::{LogError, WholeLog};
use fairshoe_house::{Entry, StateRoot};
use fairshoe_judge::audit::{Book, Judged, Piece, ShoeCheck, ShoeVerdict};
use fairshoe_tlog::{Hash, MAX_BUNDLE_ENTRIES, RootAccumulator, leaf_hash};
use indicatif::ProgressBar;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::vec::IntoIter;

/// Batches of a piece that wait for the pieces before it: as many entries as lie between two states that the log may
/// name.
const AHEAD: usize = 128;

/// Bytes of entries after which a batch is full whatever their number: a log of long entries takes no more memory.
const BATCH_BYTES: usize = 512 * 1024;

/// Entries that are hashed together.
const PER_BUNDLE: u64 = MAX_BUNDLE_ENTRIES as u64;

/// The state that a piece begins with.
#[derive(Clone, Default)]
pub struct Start {
    pub size: u64,
    /// Its lines as they are published; absent for the log's beginning.
    pub lines: Option<Arc<Vec<u8>>>,
}

/// By the number of a bundle that entries before a piece were read from: the root of its entries, as far as they come
/// before.
type Leaned = BTreeMap<u64, Hash>;

impl Start {
    /// The piece that begins here, and the entries before it that it leans on.
    ///
    /// # Errors
    /// Why these lines are no state.
    pub fn begin(&self, log: &WholeLog) -> Result<(Piece, Leaned), String> {
        let mut leaned = Leaned::new();
        let Some(lines) = &self.lines else { return Ok((Piece::new(), leaned)) };
        let text = std::str::from_utf8(lines).map_err(|e| e.to_string())?;
        let text = text.strip_suffix('\n').ok_or("it does not end with a line")?;
        let mut bundles: HashMap<u64, Vec<Vec<u8>>> = HashMap::new();
        let piece = Piece::begin(self.size, text.split('\n'), &mut |index| {
            if index >= self.size {
                return Err(format!("entry {index} does not come before it"));
            }
            let number = index / PER_BUNDLE;
            let entries = match bundles.entry(number) {
                Slot::Occupied(read) => read.into_mut(),
                Slot::Vacant(unread) => {
                    let entries = self.bundle(log, number)?;
                    leaned.insert(number, root_of(entries.iter().map(|entry| leaf_hash(entry))));
                    unread.insert(entries)
                }
            };
            let at = usize::try_from(index % PER_BUNDLE).unwrap_or(usize::MAX);
            Entry::decode(entries.get(at).ok_or("it is not there")?).map_err(|e| e.to_string())
        });
        Ok((piece.map_err(|e| e.to_string())?, leaned))
    }

    /// The entries of a bundle that come before the state.
    fn bundle(&self, log: &WholeLog, number: u64) -> Result<Vec<Vec<u8>>, String> {
        let first = number.saturating_mul(PER_BUNDLE);
        let mut entries = Vec::new();
        let read = log.each_between(first, first.saturating_add(PER_BUNDLE).min(self.size), |_, bytes| {
            entries.push(bytes.to_vec());
            ControlFlow::Continue(())
        });
        read.map_err(|trouble| match trouble {
            LogError::Found(finding) => finding.to_string(),
            LogError::UnusableInput(UnusableInput(why)) => why,
        })?;
        Ok(entries)
    }
}

/// An entry's leaf hash, and what it came to where it was judged.
struct One {
    index: u64,
    leaf: Hash,
    judged: Option<Judged>,
}

/// What a worker says of its piece, in this order.
enum Message {
    /// The state with which it begins.
    Began {
        with: Option<(u64, StateRoot)>,
        leaned: Leaned,
    },
    /// Why it does not begin.
    Unfit(String),
    Some(Vec<One>),
    /// Reading ended before the piece did.
    LogError(LogError),
    Ended(Box<Piece>),
}

/// A piece to be joined, in its turn.
struct Turn {
    start: Start,
    to: u64,
    messages: Receiver<Message>,
}

/// Which piece comes next.
pub struct Plan<'l> {
    log: &'l WholeLog,
    sizes: IntoIter<u64>,
    next: Option<Start>,
    /// Where the piece after it begins, once it was looked for.
    after: Option<Start>,
}

impl<'l> Plan<'l> {
    /// The pieces of a log whose states are published; `None` where none is.
    pub fn of(log: &'l WholeLog) -> Option<Plan<'l>> {
        let mut plan = Plan { log, sizes: log.state_sizes().into_iter(), next: Some(Start::default()), after: None };
        plan.after = plan.find_after(0);
        plan.after.is_some().then_some(plan)
    }

    /// The next state that is there. One that cannot be fetched is as good as none: the piece before it is longer.
    fn find_after(&mut self, size: u64) -> Option<Start> {
        let end = self.log.checkpoint.size;
        self.sizes.by_ref().filter(|published| (size + 1..end).contains(published)).find_map(|size| {
            let lines = self.log.state(size).ok().flatten()?;
            Some(Start { size, lines: Some(Arc::new(lines)) })
        })
    }

    fn take(&mut self) -> Option<(Start, u64)> {
        let start = self.next.take()?;
        self.next = self.after.take().or_else(|| self.find_after(start.size));
        let to = self.next.as_ref().map_or(self.log.checkpoint.size, |next| next.size);
        Some((start, to))
    }
}

/// Audits the whole log with so many workers.
pub fn audit(
    plan: Plan<'_>,
    acks: &mut Acks,
    saved: &mut SavedEvidence,
    workers: usize,
) -> Result<Audited, UnusableInput> {
    let log = plan.log;
    let progress = Progress::new(limits(Some(&log.checkpoint.origin)), None);
    let bar = progress_bar(log.checkpoint.size);
    let closed = AtomicBool::new(false);
    let (order, turns) = channel::<Turn>();
    let plan = Mutex::new((plan, order));
    let (to_shoes, shoes) = sync_channel::<(u64, Vec<ShoeCheck>)>(IN_FLIGHT.max(2 * workers));
    let shoes = Mutex::new(shoes);
    let (from_shoes, verdicts) = channel::<(u64, Vec<ShoeVerdict>)>();
    let joined = thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work(&plan, log, &closed));
            let from_shoes = from_shoes.clone();
            let shoes = &shoes;
            scope.spawn(move || derive(shoes, &from_shoes));
        }
        drop(from_shoes);
        let joining = Joining {
            log,
            evidence: (acks, saved),
            progress,
            bundles: Vec::new(),
            leaves: Vec::new(),
            ended: None,
            closed: &closed,
            shoes: Shoes { to: Some(to_shoes), verdicts, next: 0, sent: 0, early: BTreeMap::new() },
            bar: &bar,
        };
        joining.run(turns, &plan)
    });
    bar.finish_and_clear();
    joined
}

fn root_of(leaves: impl Iterator<Item = Hash>) -> Hash {
    let mut root = RootAccumulator::new();
    leaves.for_each(|leaf| root.append(leaf));
    root.root()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Piece after piece, until there is none.
fn work(plan: &Mutex<(Plan<'_>, Sender<Turn>)>, log: &WholeLog, closed: &AtomicBool) {
    loop {
        let (start, to, out) = {
            let (plan, order) = &mut *locked(plan);
            let Some((start, to)) = plan.take() else { return };
            let (out, messages) = sync_channel(AHEAD);
            if order.send(Turn { start: start.clone(), to, messages }).is_err() {
                return;
            }
            (start, to, out)
        };
        // Nobody listens any more where the piece is not joined. A state that nobody vouches for may be one that no log
        // comes to: whoever fails on it has said nothing yet.
        let _ = catch_unwind(AssertUnwindSafe(|| decide(log, &start, to, &out, closed)));
    }
}

/// Decides the entries of a piece.
fn decide(
    log: &WholeLog,
    start: &Start,
    to: u64,
    out: &SyncSender<Message>,
    closed: &AtomicBool,
) -> Result<(), std::sync::mpsc::SendError<Message>> {
    let mut piece = match start.begin(log) {
        Ok((piece, leaned)) => {
            out.send(Message::Began { with: piece.began(), leaned })?;
            piece
        }
        Err(why) => return out.send(Message::Unfit(why)),
    };
    let mut batch = Vec::with_capacity(BATCH);
    let (mut is_closed, mut wanted, mut weight) = (false, true, 0_usize);
    let read = log.each_between(start.size, to, |index, bytes| {
        let leaf = leaf_hash(bytes);
        // After a finding, tree and acknowledgements are still checked to the end.
        is_closed |= closed.load(Ordering::Relaxed);
        let judged = (!is_closed).then(|| piece.judge(Book::read(index, bytes)));
        is_closed |= judged.as_ref().is_some_and(Judged::is_finding);
        batch.push(One { index, leaf, judged });
        weight += bytes.len();
        if batch.len() == BATCH || weight >= BATCH_BYTES {
            weight = 0;
            wanted = out.send(Message::Some(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)))).is_ok();
        }
        if wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    out.send(Message::Some(batch))?;
    match read {
        Err(trouble) => out.send(Message::LogError(trouble)),
        Ok(()) => out.send(Message::Ended(Box::new(piece))),
    }
}

fn derive(shoes: &Mutex<Receiver<(u64, Vec<ShoeCheck>)>>, from_shoes: &Sender<(u64, Vec<ShoeVerdict>)>) {
    loop {
        let Ok((number, checks)) = locked(shoes).recv() else { return };
        if from_shoes.send((number, checks.into_iter().map(ShoeCheck::run).collect())).is_err() {
            return;
        }
    }
}

/// Shoes on their way to those who derive them, and back in the order in which they went.
struct Shoes {
    to: Option<SyncSender<(u64, Vec<ShoeCheck>)>>,
    verdicts: Receiver<(u64, Vec<ShoeVerdict>)>,
    sent: u64,
    next: u64,
    early: BTreeMap<u64, Vec<ShoeVerdict>>,
}

impl Shoes {
    fn send(&mut self, checks: Vec<ShoeCheck>) {
        if let (Some(to), false) = (&self.to, checks.is_empty()) {
            let _ = to.send((self.sent, checks));
            self.sent += 1;
        }
    }

    /// Those that are next in order; once nothing more is sent, all.
    fn back(&mut self) -> Vec<ShoeVerdict> {
        if self.to.is_some() {
            self.early.extend(self.verdicts.try_iter());
        } else {
            self.early.extend(self.verdicts.iter());
        }
        let mut back = Vec::new();
        while let Some(verdicts) = self.early.remove(&self.next) {
            back.extend(verdicts);
            self.next += 1;
        }
        back
    }
}

/// The one who takes in what all pieces came to, in the log's order.
struct Joining<'a> {
    log: &'a WholeLog,
    evidence: (&'a mut Acks, &'a mut SavedEvidence),
    progress: Progress,
    /// The root of each whole bundle so far.
    bundles: Vec<Hash>,
    /// The leaf hashes after them.
    leaves: Vec<Hash>,
    /// The piece that has come to the last entry so far.
    ended: Option<Piece>,
    /// The book has a finding: entries are only hashed.
    closed: &'a AtomicBool,
    shoes: Shoes,
    bar: &'a ProgressBar,
}

impl Joining<'_> {
    fn run(mut self, turns: Receiver<Turn>, plan: &Mutex<(Plan<'_>, Sender<Turn>)>) -> Result<Audited, UnusableInput> {
        let mut trouble = Ok(());
        let end = self.log.checkpoint.size;
        while self.progress.tree.size() < end && trouble.is_ok() {
            let Ok(turn) = turns.recv() else { break };
            trouble = self.take_turn(&turn);
        }
        // No piece is begun any more.
        locked(plan).0.next = None;
        drop(turns);
        self.shoes.to = None;
        for verdict in self.shoes.back() {
            let _ = self.progress.book.give_back(verdict);
        }
        let trouble = trouble.and_then(|()| {
            self.evidence.1.finish(&self.progress.tree);
            Ok(self.log.check_tree(&self.progress.tree)?)
        });
        let in_log = match trouble {
            Ok(()) => None,
            Err(LogError::Found(finding)) => Some(finding),
            Err(LogError::UnusableInput(why)) if self.is_closed() => {
                ended_early(&why);
                None
            }
            Err(LogError::UnusableInput(why)) => return Err(why),
        };
        if let Some(piece) = self.ended.take() {
            self.progress.book.join(piece);
        }
        let Progress { tree, seen, mut once, mut book } = self.progress;
        once.note(book.take_once());
        if let Some(finding) = once.again()? {
            book.came_again(finding);
        }
        let report = book.report();
        let found = report.first_failure.clone().or(in_log);
        Ok(Audited { progress: Progress { tree, seen, once, book }, report, found })
    }

    fn take_turn(&mut self, turn: &Turn) -> Result<(), LogError> {
        let begins = match turn.messages.recv() {
            Ok(Message::Began { with, leaned }) => self.may_join(with, &leaned),
            Ok(Message::Unfit(why)) => Err(why),
            _ => Err("it cannot be begun with".to_owned()),
        };
        if let Err(why) = begins {
            eprintln!("fairshoe-audit: the published state of {} entries is not used: {why}", turn.start.size);
            return self.go_on(turn);
        }
        if let Some(piece) = self.ended.take() {
            self.progress.book.join(piece);
        }
        for message in &turn.messages {
            match message {
                Message::Some(batch) => self.take_batch(batch, &turn.start)?,
                Message::Ended(piece) => {
                    // Of a book with a finding the state is where it stands still.
                    if !self.is_closed() {
                        self.ended = Some(*piece);
                    }
                    return Ok(());
                }
                Message::LogError(trouble) => {
                    if !self.is_closed() {
                        self.stand_still(&turn.start);
                    }
                    return Err(trouble);
                }
                Message::Began { .. } | Message::Unfit(_) => {}
            }
        }
        // Of a book with a finding the entries are hashed and no more, which needs no worker.
        if self.is_closed() { self.go_on(turn) } else { Err(UnusableInput::new("a worker failed").into()) }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// A piece begins with the state to which the one before it came, and leans on the log's own entries.
    fn may_join(&self, with: Option<(u64, StateRoot)>, leaned: &Leaned) -> Result<(), String> {
        if self.is_closed() {
            return Ok(());
        }
        let root = self.ended.as_ref().map(Piece::root).transpose().map_err(|finding| finding.to_string())?;
        if let (Some((_, begun)), Some(came)) = (with, root)
            && begun != came
        {
            return Err(format!("it has the root {begun}, the entries before it come to {came}"));
        }
        let read = |number: &u64| {
            let whole = usize::try_from(*number).ok().and_then(|at| self.bundles.get(at).copied());
            whole.unwrap_or_else(|| root_of(self.leaves.iter().copied()))
        };
        match leaned.iter().find(|(number, root)| read(number) != **root) {
            Some((number, _)) => {
                Err(format!("the entries of bundle {number} were served to it otherwise than to the audit"))
            }
            None => Ok(()),
        }
    }

    /// Takes in a batch of a piece; where it shows what does not hold, the state is brought to where one reader stops.
    fn take_batch(&mut self, batch: Vec<One>, start: &Start) -> Result<(), LogError> {
        let was_closed = self.is_closed();
        self.bar.inc(batch.len() as u64);
        let mut trouble = Ok(());
        for one in batch {
            trouble = self.take(one);
            if trouble.is_err() {
                break;
            }
        }
        self.hand_over();
        if !was_closed && (self.is_closed() || trouble.is_err()) {
            self.stand_still(start);
        }
        trouble
    }

    fn take(&mut self, One { index, leaf, judged }: One) -> Result<(), LogError> {
        let (acks, saved) = &mut self.evidence;
        let Progress { tree, seen, book, .. } = &mut self.progress;
        acks.check(index, &leaf);
        let judged = judged.filter(|_| !self.closed.load(Ordering::Relaxed));
        saved.before(tree, index, &leaf, judged.as_ref().and_then(Judged::entry));
        let saw = judged.as_ref().and_then(Judged::saw).cloned();
        if let Some(judged) = judged
            && book.take(judged).is_err()
        {
            self.closed.store(true, Ordering::Relaxed);
        }
        self.leaves.push(leaf);
        for tile in tree.append(leaf) {
            if tile.level == 0 {
                self.bundles.push(tile.nodes.root().unwrap_or(leaf));
                self.leaves.clear();
            }
            seen.keep(&tile);
        }
        match saw {
            Some(saw) => seen.check(tree, index, &saw).map_err(LogError::Found),
            None => Ok(()),
        }
    }

    /// What the book has to be looked at elsewhere, and what came of it.
    fn hand_over(&mut self) {
        let Progress { once, book, .. } = &mut self.progress;
        once.note(book.take_once());
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        self.shoes.send(book.take_checks());
        if self.shoes.back().into_iter().any(|verdict| book.give_back(verdict).is_err()) {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// The book has a finding, or reading has, and whoever decides the piece may be ahead of it: it is decided again up
    /// to the last entry that the book took.
    fn stand_still(&mut self, start: &Start) {
        let Ok((mut piece, _)) = start.begin(self.log) else { return };
        let taken = self.progress.book.entries();
        // The entry at fault is not among those that the book counts.
        let to = self.progress.tree.size().min(taken.saturating_add(1));
        let _ = self.log.each_between(start.size, to, |index, bytes| {
            let judged = piece.judge(Book::read(index, bytes));
            if judged.is_finding() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.ended = Some(piece);
    }

    /// Decides what is left of a piece whose own state is not used, after the piece before it; after a finding it is
    /// only hashed.
    fn go_on(&mut self, turn: &Turn) -> Result<(), LogError> {
        let mut was_closed = self.is_closed();
        let mut piece = self.ended.take();
        if piece.is_none() && !was_closed {
            return Err(UnusableInput::new("a piece is missing").into());
        }
        let mut trouble = Ok(());
        let log = self.log;
        let from = self.progress.tree.size();
        let read = log.each_between(from, turn.to, |index, bytes| {
            let leaf = leaf_hash(bytes);
            let judging = piece.as_mut().filter(|_| !was_closed);
            let judged = judging.map(|piece| piece.judge(Book::read(index, bytes)));
            trouble = self.take(One { index, leaf, judged });
            if index % BATCH as u64 == 0 {
                self.hand_over();
                self.bar.inc(BATCH as u64);
            }
            was_closed = self.is_closed();
            if trouble.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.hand_over();
        self.ended = piece;
        read.and(trouble)
    }
}
