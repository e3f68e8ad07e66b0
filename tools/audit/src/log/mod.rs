//! `log`: a whole log read once, over threads that hash, decide and derive shoes, and its report (spec/audit.md,
//! "Whole logs"). The judging is the judge's; reading it in pieces is `pieces.rs`.

mod words;

pub use words::{MOST_NAMED, age, by_words, doors_words, events_words};

use crate::acks::Acks;
use crate::cli::LogArgs;
use crate::clock::{SECOND, now_ms};
use crate::continues::{self, OldLogReport};
use crate::disclosures::{self, Disclosures};
use crate::from::{self, GivenReport};
use crate::http::{Client, Standing};
use crate::leaning::Leaning;
use crate::ledger;
use crate::once::Spool;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::pieces::{self, Plan};
use crate::progress::{Progress, SavedAudit, forked};
use crate::saved_evidence::{SavedEvidence, SavedEvidenceReport, is_lack};
use crate::saw_check::SawCheck;
use crate::source::{Source, trusted};
use crate::tiled::Tiled;
use crate::whole_log::{LogError, WholeLog, require_this_log};
use fairshoe_house::{Entry, Overdue};
use fairshoe_judge::audit::{AuditReport, Book, Check, Finding, Limits, Reading, ShoeCheck, ShoeVerdict, Told, Voids};
use fairshoe_judge::{overdue_words, utc};
use fairshoe_tlog::{Checkpoint, RootAccumulator, Tree, leaf_hash, own_time};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;
use words::say_words;

/// Entries handed over at once.
pub(crate) const BATCH: usize = 512;

/// Batches in flight between two threads: enough to even out, little to hold.
pub(crate) const IN_FLIGHT: usize = 8;

#[derive(Serialize)]
struct LogReport {
    verdict: &'static str,
    entries: u64,
    rounds: u64,
    tables: u64,
    voids: Voids,
    first_failure: Option<Finding>,
    checkpoint: Option<CheckpointReport>,
    acks_checked: usize,
    seen_checkpoints: SawCounts,
    #[serde(rename = "kept")]
    saved_evidence: SavedEvidenceReport,
    leaning: Leaning,
    /// What the house has let pass by this machine's clock: a finding where the log is read from a running service.
    overdue: Vec<Overdue>,
    disclosures: Disclosures,
    /// What was taken as given, where the audit began with a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<GivenReport>,
    /// Whether the log that this one says to go on from was read, too (`--continues`).
    old_log_read: bool,
    /// That log's own verdict, and what is open in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_log: Option<OldLogReport>,
    /// The service that answered does not sign that it shows all there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    follows: Option<Follows>,
    /// Entries that an earlier audit had found right; this one read those after them.
    resumed_from: u64,
    beyond_checkpoint: u64,
    checkpoint_torn: bool,
    /// When the log was read, UTC milliseconds by this machine's clock: ages and what is due are of that time.
    read_at: u64,
    book: AuditReport,
    seconds: f64,
}

/// The checkpoint that a report is about.
#[derive(Serialize)]
pub struct CheckpointReport {
    origin: String,
    size: u64,
    root: String,
    key: String,
    key_trusted: bool,
    note: String,
}

impl CheckpointReport {
    pub fn of(log: &WholeLog) -> CheckpointReport {
        CheckpointReport {
            origin: log.checkpoint.origin.clone(),
            size: log.checkpoint.size,
            root: log.checkpoint.root.to_string(),
            key: log.key.to_string(),
            key_trusted: log.key_trusted,
            note: log.note.clone(),
        }
    }

    pub fn say(&self) {
        say(format!("log         {}, {} entries, root {}", self.origin, self.size, self.root));
        let whose = if self.key_trusted {
            "the key you named"
        } else {
            "UNVERIFIED: compare it with the one you know the log by"
        };
        say(format!("key         {} ({whose})", self.key));
    }
}

/// `log`: reads the whole log once, on three threads: reading and hashing, deciding, deriving shoes.
pub fn run(args: &LogArgs) -> Result<Outcome, UnusableInput> {
    if args.ledger_only {
        return ledger::run(args);
    }
    let start = Instant::now();
    let key = trusted(args.common.key.as_deref())?;
    let mut acks = args.acks.as_deref().map(Acks::read).transpose()?.unwrap_or_default();
    let acks_checked = acks.count();
    let earlier =
        args.state.as_deref().map(|file| SavedAudit::read(file, key.as_ref(), limits(None))).transpose()?.flatten();
    let key_trusted = key.is_some() || earlier.as_ref().is_some_and(|earlier| earlier.key_trusted);
    let (mut disclosures, mut overdue, mut named_in) = (Disclosures::default(), Vec::new(), 0);
    let (mut follows, mut old_log) = (None, None);
    let kept = earlier.as_ref().map(|earlier| (earlier.checkpoint.size, own_time(&earlier.note, &earlier.key)));
    let key = key.or_else(|| earlier.as_ref().map(|earlier| earlier.key.clone()));
    let source = Source::parse(&args.source)?;
    if let (Some(key), Source::Address(client)) = (&key, &source) {
        require_this_log(&Tiled::Address(Client::new(client.base())), key)?;
    }
    let opened = WholeLog::open(source, key);
    let (book, first_failure, checkpoint, (beyond, torn, read_at), seen_checkpoints, saved, resumed_from) = match opened
    {
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => (
            AuditReport::default(),
            Some(finding),
            None,
            (0, false, now_ms()),
            SawCounts::default(),
            SavedEvidenceReport::default(),
            0,
        ),
        Ok(mut log) => {
            log.key_trusted = key_trusted;
            let mut saved = SavedEvidence::read(args, &log.key, &log.note, log.read_at)?;
            let evidence = (&mut acks, &mut saved);
            let (audited, resumed_from) = match &args.from {
                Some(from) => {
                    let audited = audit_given(&log, evidence, from)?;
                    named_in = audited.1;
                    (audited.0, 0)
                }
                None => audit_from(&log, evidence, earlier, args)?,
            };
            let saved = saved.into_report(log.follows());
            let Audited { mut progress, report: mut book, mut found } = audited;
            if let (Some(token), None) = (&args.token_file, &found) {
                disclosures = disclosures::fetch(&args.source, token, &mut progress.book)?;
                book = progress.book.report();
                found = book.first_failure.clone();
            }
            if found.is_none() {
                overdue = progress.book.overdue(log.as_of());
                found = let_pass(&log, &overdue);
            }
            let mut all: Vec<Finding> = found.into_iter().chain(acks.finish()).chain(saved.finding.clone()).collect();
            // Whatever else there is comes before what a node that follows may lack.
            all.sort_by_key(|finding| log.follows() && is_lack(finding));
            let first = all.into_iter().next();
            let longer = kept.filter(|(size, _)| *size > log.checkpoint.size).and_then(|(_, at)| at);
            if let Some(finding) = &first {
                excuse_follower(&log, finding)?;
                excuse_older(&log, finding, longer.max(saved.longer_at))?;
            }
            if let (None, Some(doubt)) = (&first, &saved.doubt) {
                return Err(UnusableInput::new(doubt.clone()));
            }
            if let (None, Standing::Follows { leader }) = (&first, &log.standing) {
                follows = Some(Follows { leader: leader.clone() });
            }
            if let (Some(file), None) = (&args.state, &first) {
                progress.keep(file, &log.note, &log.key, key_trusted)?;
            }
            let first = match first {
                None => {
                    let found;
                    (found, old_log) = continues::check(&log, args)?;
                    found
                }
                found => found,
            };
            let saw = SawCounts { checked: progress.seen.checked, too_old: progress.seen.too_old };
            (
                book,
                first,
                Some(CheckpointReport::of(&log)),
                (log.beyond, log.torn, log.read_at),
                saw,
                saved,
                resumed_from,
            )
        }
    };
    let given = GivenReport::of(&book, named_in);
    // Of a given state everything before it is taken as given.
    let is_old_shown = given.is_some() || continues::is_shown(book.goes_on_from.as_ref(), old_log.as_ref());
    let is_open = !book.is_complete() || !overdue.is_empty() || follows.is_some() || !is_old_shown;
    let verdict = match (&first_failure, book.is_complete()) {
        (Some(_), _) => "not_sound",
        (None, _) if given.is_some() => "sound_from_state",
        (None, true) if !is_open => "sound",
        (None, _) => "sound_so_far",
    };
    let report = LogReport {
        verdict,
        entries: book.entries,
        rounds: book.rounds,
        tables: book.tables,
        voids: book.voids.clone(),
        first_failure,
        checkpoint,
        acks_checked,
        seen_checkpoints,
        saved_evidence: saved,
        leaning: Leaning::of(&book),
        overdue,
        disclosures,
        given,
        old_log_read: old_log.is_some(),
        old_log,
        follows,
        resumed_from,
        beyond_checkpoint: beyond,
        checkpoint_torn: torn,
        read_at,
        book,
        seconds: start.elapsed().as_secs_f64(),
    };
    let outcome = Outcome::when(report.first_failure.is_none() && !(args.strict_end && is_open));
    if args.common.json {
        say_json(&report)?
    } else {
        say_words(&report)
    }
    Ok(outcome)
}

/// Which node leads, as far as the one that answered knows.
#[derive(Serialize)]
struct Follows {
    leader: Option<String>,
}

/// Where something is overdue, and what.
pub fn where_overdue(late: &Overdue) -> String {
    let place = late.table.as_ref().map(|table| format!("table {table}: ")).unwrap_or_default();
    format!("{place}{}", overdue_words(late))
}

/// What a running service has let pass: of a log that is read elsewhere nothing says that its house still runs.
pub fn let_pass(log: &WholeLog, overdue: &[Overdue]) -> Option<Finding> {
    overdue.first().filter(|_| matches!(log.standing, Standing::Decides { .. })).map(|late| {
        let words = overdue_words(late);
        let what = format!("the service runs and has not done what was due, at {}: {words}", utc(log.as_of()));
        let finding = Finding::new(Check::Overdue, what);
        late.table.as_ref().map_or(finding.clone(), |table| finding.of_table(table))
    })
}

/// A node that follows may be behind what the log's key signed elsewhere: that is no verdict on the log, neither way.
fn excuse_follower(log: &WholeLog, finding: &Finding) -> Result<(), UnusableInput> {
    let Standing::Follows { leader } = &log.standing else { return Ok(()) };
    if !is_lack(finding) {
        return Ok(());
    }
    let leader = leader.as_ref().map_or_else(String::new, |leader| format!(", {leader}"));
    Err(UnusableInput::new(format!(
        "this node does not sign that it shows all there is, and shows less than the log's key signed: {}. Audit the log at the node that leads{leader}",
        finding.message
    )))
}

/// A checkpoint that the log signed no later than the longer one that was kept is an older one, of a cache or of whoever shows
/// it again: nothing was taken away.
fn excuse_older(log: &WholeLog, finding: &Finding, longer_at: Option<u64>) -> Result<(), UnusableInput> {
    let Standing::Decides { at } = log.standing else { return Ok(()) };
    match longer_at {
        Some(longer) if is_lack(finding) && longer.saturating_mul(SECOND) >= at => Err(UnusableInput::new(format!(
            "an older checkpoint is shown than the one that was kept, by the log's own times: {}. Ask again, past any cache",
            finding.message
        ))),
        _ => Ok(()),
    }
}

/// What an audit came to.
pub struct Audited {
    /// To go on from, where nothing was found.
    pub progress: Progress,
    pub report: AuditReport,
    /// The first thing that does not hold: in the book, else in the tree or the source itself.
    pub found: Option<Finding>,
}

/// What a book of this log is read with.
pub fn limits(origin: Option<&str>) -> Limits {
    Limits { waiting_checks: BATCH, once_apart: true, origin: origin.map(str::to_owned), ..Limits::default() }
}

/// Audits what came after a state that is taken as given; the entry that names it comes along.
fn audit_given(
    log: &WholeLog,
    (acks, saved): (&mut Acks, &mut SavedEvidence),
    from: &str,
) -> Result<(Audited, u64), UnusableInput> {
    match from::begin(log, from) {
        Ok((progress, named_in)) => Ok((audit(log, acks, saved, progress, &AtomicBool::new(false))?, named_in)),
        Err(LogError::UnusableInput(why)) => Err(why),
        Err(LogError::Found(finding)) => {
            Err(UnusableInput::new(format!("the state cannot be held against the log: {finding}")))
        }
    }
}

/// Audits the whole log, in pieces where states are published and nothing has to be held against the state at each
/// entry.
fn audit_whole(
    log: &WholeLog,
    (acks, saved): (&mut Acks, &mut SavedEvidence),
    args: &LogArgs,
) -> Result<Audited, UnusableInput> {
    let workers = args.workers.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let in_pieces = workers > 1 && args.saved_evidence.is_empty() && args.state.is_none();
    match in_pieces.then(|| Plan::of(log)).flatten() {
        Some(plan) => pieces::audit(plan, acks, saved, workers),
        None => {
            let fresh = Progress::new(limits(Some(&log.checkpoint.origin)), args.state.as_deref());
            audit(log, acks, saved, fresh, &AtomicBool::new(false))
        }
    }
}

/// Audits the entries that were not audited before, or all of them where something is to be held against each.
fn audit_from(
    log: &WholeLog,
    (acks, saved): (&mut Acks, &mut SavedEvidence),
    earlier: Option<SavedAudit>,
    args: &LogArgs,
) -> Result<(Audited, u64), UnusableInput> {
    // What was acknowledged or kept may be of any entry.
    let from_start = acks.count() > 0 || !args.saved_evidence.is_empty();
    let Some(earlier) = earlier else { return Ok((audit_whole(log, (acks, saved), args)?, 0)) };
    if let Err(finding) = earlier.compare(&log.checkpoint) {
        let report = AuditReport { first_failure: Some(finding.clone()), ..AuditReport::default() };
        return Ok((Audited { progress: earlier.progress, report, found: Some(finding) }, 0));
    }
    let before = earlier.checkpoint;
    let (mut audited, from) = if from_start {
        (audit_whole(log, (acks, saved), args)?, 0)
    } else {
        (audit(log, acks, saved, earlier.progress, &AtomicBool::new(false))?, before.size)
    };
    // What another history adds fits nothing here; the whole log says whether it was rewritten before that point.
    if let (true, Some(fork)) = (audited.found.is_some() || from == 0, rewritten(log, &before)?) {
        audited.found = Some(fork);
    }
    Ok((audited, from))
}

/// Hashes the whole log once more, if its first entries no longer lead to the root that was signed for them.
fn rewritten(log: &WholeLog, before: &Checkpoint) -> Result<Option<Finding>, UnusableInput> {
    let (mut tree, mut then) = (RootAccumulator::new(), None);
    let hashed = log.each_from(0, |_, bytes| {
        then = then.or((tree.size() == before.size).then(|| tree.root()));
        tree.append(leaf_hash(bytes));
        ControlFlow::Continue(())
    });
    match hashed {
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(_)) => return Ok(None),
        Ok(()) => {}
    }
    let then = then.unwrap_or_else(|| tree.root());
    Ok((tree.root() == log.checkpoint.root && then != before.root).then(|| forked(before.size, before.root, then)))
}

/// Somebody who looks on while a log is decided again. What they have seen counts once all of it was found right.
pub trait Watch {
    /// The next entry, before it is decided; whether they want to see it taken in.
    fn before(&mut self, book: &Book, entry: &Entry) -> bool;
    /// The same, decided again and taken in.
    fn after(&mut self, book: &Book, index: u64, entry: &Entry);
}

/// Nobody looks on.
impl Watch for () {
    fn before(&mut self, _: &Book, _: &Entry) -> bool {
        false
    }

    fn after(&mut self, _: &Book, _: u64, _: &Entry) {}
}

/// Reads the log from where `progress` stands to its checkpoint, on three threads; `stop` ends it before.
pub fn audit(
    log: &WholeLog,
    acks: &mut Acks,
    saved: &mut SavedEvidence,
    progress: Progress,
    stop: &AtomicBool,
) -> Result<Audited, UnusableInput> {
    audit_watched(log, acks, saved, progress, stop, &mut ())
}

/// The same, with somebody who looks on.
pub fn audit_watched(
    log: &WholeLog,
    acks: &mut Acks,
    saved: &mut SavedEvidence,
    progress: Progress,
    stop: &AtomicBool,
    watch: &mut impl Watch,
) -> Result<Audited, UnusableInput> {
    let Progress { mut tree, mut seen, mut once, book } = progress;
    let mut told = saved.told();
    let bar = progress_bar(log.checkpoint.size);
    bar.set_position(tree.size());
    let (to_book, entries) = sync_channel::<Vec<Reading>>(IN_FLIGHT);
    let (to_shoes, shoes) = sync_channel::<Vec<ShoeCheck>>(IN_FLIGHT);
    let (from_shoes, verdicts) = channel::<ShoeVerdict>();
    let (mut book, read) = thread::scope(|scope| {
        let reading = scope.spawn(|| read_and_hash(log, (acks, saved), (&mut tree, &mut seen), to_book, &bar, stop));
        scope.spawn(move || derive(shoes, from_shoes));
        let book = decide(book, (&mut once, &mut told), watch, entries, to_shoes, &verdicts);
        (book, reading.join())
    });
    bar.finish_and_clear();
    let in_log = match read.map_err(|_| UnusableInput::new("the reading thread failed"))? {
        Ok(()) => None,
        Err(LogError::Found(finding)) => Some(finding),
        // A source that stops answering after what it served was false takes nothing back.
        Err(LogError::UnusableInput(why)) if book.report().first_failure.is_some() => {
            ended_early(&why);
            None
        }
        Err(LogError::UnusableInput(why)) => return Err(why),
    };
    saved.take_told(told.finish(&book));
    if let Some(finding) = once.again()? {
        book.came_again(finding);
    }
    let report = book.report();
    let found = report.first_failure.clone().or(in_log);
    Ok(Audited { progress: Progress { tree, seen, once, book }, report, found })
}

/// Says that there is a finding, and that the entries after it were not all read.
pub(crate) fn ended_early(why: &UnusableInput) {
    eprintln!("fairshoe-audit: there is a finding; what comes after it was not read to the end: {}", why.0);
}

pub(crate) fn read_and_hash(
    log: &WholeLog,
    (acks, saved): (&mut Acks, &mut SavedEvidence),
    (tree, seen): (&mut Tree, &mut SawCheck),
    to_book: SyncSender<Vec<Reading>>,
    bar: &ProgressBar,
    stop: &AtomicBool,
) -> Result<(), LogError> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut trouble = Ok(());
    let mut wanted = true;
    log.each_from(tree.size(), |index, bytes| {
        let leaf = leaf_hash(bytes);
        acks.check(index, &leaf);
        let reading = wanted.then(|| Book::read(index, bytes));
        saved.before(tree, index, &leaf, reading.as_ref().and_then(Reading::entry));
        tree.append(leaf).iter().for_each(|tile| seen.keep(tile));
        if let Some(reading) = reading {
            if let Some(saw) = reading.saw() {
                trouble = seen.check(tree, index, saw).map_err(LogError::Found);
            }
            batch.push(reading);
            if batch.len() == BATCH {
                bar.inc(BATCH as u64);
                // The book is closed after its first finding; tree and acknowledgements are still checked to the end.
                wanted = to_book.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH))).is_ok();
                if stop.load(Ordering::Relaxed) {
                    trouble = Err(UnusableInput::new("stopped before the end of the log").into());
                }
            }
        }
        if trouble.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if wanted {
        let _ = to_book.send(batch);
    }
    trouble?;
    saved.finish(tree);
    Ok(log.check_tree(tree)?)
}

/// Checkpoints that clients saw: held against the log, or too old to be.
#[derive(Clone, Copy, Default, Serialize)]
struct SawCounts {
    checked: u64,
    too_old: u64,
}

fn decide(
    mut book: Book,
    (once, told): (&mut Spool, &mut Told),
    watch: &mut impl Watch,
    entries: Receiver<Vec<Reading>>,
    to_shoes: SyncSender<Vec<ShoeCheck>>,
    verdicts: &Receiver<ShoeVerdict>,
) -> Book {
    'reading: for batch in entries {
        for reading in batch {
            if let Some(entry) = reading.entry() {
                told.before(&book, book.entries(), entry);
            }
            let index = book.entries();
            let watched = reading.entry().filter(|entry| watch.before(&book, entry)).cloned();
            if book.feed_read(reading).is_err() {
                break 'reading;
            }
            if let Some(entry) = watched {
                watch.after(&book, index, &entry);
            }
        }
        once.note(book.take_once());
        if to_shoes.send(book.take_checks()).is_err() {
            break;
        }
        if verdicts.try_iter().any(|verdict| book.give_back(verdict).is_err()) {
            break;
        }
    }
    once.note(book.take_once());
    drop(to_shoes);
    // Every shoe before the end, or before the first finding, has its verdict: the earliest entry at fault is named.
    for verdict in verdicts {
        let _ = book.give_back(verdict);
    }
    book
}

fn derive(shoes: Receiver<Vec<ShoeCheck>>, from_shoes: Sender<ShoeVerdict>) {
    for check in shoes.into_iter().flatten() {
        if from_shoes.send(check.run()).is_err() {
            break;
        }
    }
}

/// A bar on standard error where that is a terminal.
pub fn progress_bar(size: u64) -> ProgressBar {
    let bar = ProgressBar::new(size);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} entries, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}
