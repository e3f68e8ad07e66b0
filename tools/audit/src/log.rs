use crate::acks::Acks;
use crate::cli::LogArgs;
use crate::kept::{Kept, KeptReport};
use crate::leaning::Leaning;
use crate::ledger;
use crate::outcome::{Outcome, Unusable, say, say_json};
use crate::progress::{KeptAudit, Progress, forked};
use crate::seen::Seen;
use crate::source::{Source, trusted};
use crate::whole_log::{Trouble, WholeLog};
use fairshoe_house::audit::{Book, Finding, Limits, Reading, Report, ShoeCheck, ShoeVerdict, Voids};
use fairshoe_house::utc;
use fairshoe_tlog::{Checkpoint, RootAccumulator, Tree, leaf_hash};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

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
    kept: KeptReport,
    leaning: Leaning,
    /// Entries that an earlier audit had found right; this one read those after them.
    resumed_from: u64,
    beyond_checkpoint: u64,
    checkpoint_torn: bool,
    book: Report,
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
        let whose = if self.key_trusted { "the key you named" } else { "UNVERIFIED: compare it with the one you know the log by" };
        say(format!("key         {} ({whose})", self.key));
    }
}

/// `log`: reads the whole log once, on three threads: reading and hashing, deciding, deriving shoes.
pub fn run(args: &LogArgs) -> Result<Outcome, Unusable> {
    if args.ledger_only {
        return ledger::run(args);
    }
    let start = Instant::now();
    let key = trusted(args.common.key.as_deref())?;
    let mut acks = args.acks.as_deref().map(Acks::read).transpose()?.unwrap_or_default();
    let acks_checked = acks.count();
    let earlier = args.state.as_deref().map(|file| KeptAudit::read(file, key.as_ref(), limits(None))).transpose()?.flatten();
    let key_trusted = key.is_some() || earlier.as_ref().is_some_and(|earlier| earlier.key_trusted);
    let opened = WholeLog::open(Source::parse(&args.source)?, key.or_else(|| earlier.as_ref().map(|earlier| earlier.key.clone())));
    let (book, first_failure, checkpoint, (beyond, torn), seen_checkpoints, kept, resumed_from) = match opened {
        Err(Trouble::Unusable(why)) => return Err(why),
        Err(Trouble::Found(finding)) => {
            (Report::default(), Some(finding), None, (0, false), SawCounts::default(), KeptReport::default(), 0)
        }
        Ok(mut log) => {
            log.key_trusted = key_trusted;
            let mut kept = Kept::read(args, &log.key, &log.note)?;
            // What was acknowledged or kept may be of any entry.
            let from_start = acks_checked > 0 || !args.kept.is_empty();
            let (audited, resumed_from) = audit_from(&log, &mut acks, &mut kept, earlier, from_start)?;
            let kept = kept.into_report();
            let Audited { mut progress, report: book, found } = audited;
            let first = found.or_else(|| acks.finish()).or_else(|| kept.finding.clone());
            if let (Some(file), None) = (&args.state, &first) {
                progress.keep(file, &log.note, &log.key, key_trusted)?;
            }
            let saw = SawCounts { checked: progress.seen.checked, too_old: progress.seen.too_old };
            (book, first, Some(CheckpointReport::of(&log)), (log.beyond, log.torn), saw, kept, resumed_from)
        }
    };
    let verdict = if first_failure.is_some() { "not_sound" } else { "sound" };
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
        kept,
        leaning: Leaning::of(&book),
        resumed_from,
        beyond_checkpoint: beyond,
        checkpoint_torn: torn,
        book,
        seconds: start.elapsed().as_secs_f64(),
    };
    let outcome = Outcome::when(report.first_failure.is_none());
    if args.common.json {
        say_json(&report)?
    } else {
        say_words(&report)
    }
    Ok(outcome)
}

/// What an audit came to.
pub struct Audited {
    /// To go on from, where nothing was found.
    pub progress: Progress,
    pub report: Report,
    /// The first thing that does not hold: in the book, else in the tree or the source itself.
    pub found: Option<Finding>,
}

/// What a book of this log is read with.
pub fn limits(origin: Option<&str>) -> Limits {
    Limits { waiting_checks: BATCH, origin: origin.map(str::to_owned), ..Limits::default() }
}

/// Audits the entries that were not audited before, or all of them where something is to be held against each.
fn audit_from(
    log: &WholeLog,
    acks: &mut Acks,
    kept: &mut Kept,
    earlier: Option<KeptAudit>,
    from_start: bool,
) -> Result<(Audited, u64), Unusable> {
    let fresh = || Progress::new(limits(Some(&log.checkpoint.origin)));
    let never = AtomicBool::new(false);
    let Some(earlier) = earlier else { return Ok((audit(log, acks, kept, fresh(), &never)?, 0)) };
    if let Err(finding) = earlier.compare(&log.checkpoint) {
        let report = Report { first_failure: Some(finding.clone()), ..Report::default() };
        return Ok((Audited { progress: earlier.progress, report, found: Some(finding) }, 0));
    }
    let before = earlier.checkpoint;
    let (progress, from) = if from_start { (fresh(), 0) } else { (earlier.progress, before.size) };
    let mut audited = audit(log, acks, kept, progress, &never)?;
    // What another history adds fits nothing here; the whole log says whether it was rewritten before that point.
    if let (true, Some(fork)) = (audited.found.is_some() || from == 0, rewritten(log, &before)?) {
        audited.found = Some(fork);
    }
    Ok((audited, from))
}

/// Hashes the whole log once more, if its first entries no longer lead to the root that was signed for them.
fn rewritten(log: &WholeLog, before: &Checkpoint) -> Result<Option<Finding>, Unusable> {
    let (mut tree, mut then) = (RootAccumulator::new(), None);
    let hashed = log.each_from(0, |_, bytes| {
        then = then.or((tree.size() == before.size).then(|| tree.root()));
        tree.append(leaf_hash(bytes));
        ControlFlow::Continue(())
    });
    match hashed {
        Err(Trouble::Unusable(why)) => return Err(why),
        Err(Trouble::Found(_)) => return Ok(None),
        Ok(()) => {}
    }
    let then = then.unwrap_or_else(|| tree.root());
    Ok((tree.root() == log.checkpoint.root && then != before.root).then(|| forked(before.size, before.root, then)))
}

/// Reads the log from where `progress` stands to its checkpoint, on three threads; `stop` ends it before.
pub fn audit(log: &WholeLog, acks: &mut Acks, kept: &mut Kept, progress: Progress, stop: &AtomicBool) -> Result<Audited, Unusable> {
    let Progress { mut tree, mut seen, book } = progress;
    let bar = progress_bar(log.checkpoint.size);
    bar.set_position(tree.size());
    let (to_book, entries) = sync_channel::<Vec<Reading>>(IN_FLIGHT);
    let (to_shoes, shoes) = sync_channel::<Vec<ShoeCheck>>(IN_FLIGHT);
    let (from_shoes, verdicts) = channel::<ShoeVerdict>();
    let (mut book, read) = thread::scope(|scope| {
        let reading = scope.spawn(|| read_and_hash(log, (acks, kept), (&mut tree, &mut seen), to_book, &bar, stop));
        scope.spawn(move || derive(shoes, from_shoes));
        let book = decide(book, entries, to_shoes, &verdicts);
        (book, reading.join())
    });
    bar.finish_and_clear();
    let in_log = match read.map_err(|_| Unusable::new("the reading thread failed"))? {
        Ok(()) => None,
        Err(Trouble::Found(finding)) => Some(finding),
        Err(Trouble::Unusable(why)) => return Err(why),
    };
    let report = book.report();
    let found = report.first_failure.clone().or(in_log);
    Ok(Audited { progress: Progress { tree, seen, book }, report, found })
}

pub(crate) fn read_and_hash(
    log: &WholeLog,
    (acks, kept): (&mut Acks, &mut Kept),
    (tree, seen): (&mut Tree, &mut Seen),
    to_book: SyncSender<Vec<Reading>>,
    bar: &ProgressBar,
    stop: &AtomicBool,
) -> Result<(), Trouble> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut trouble = Ok(());
    let mut wanted = true;
    log.each_from(tree.size(), |index, bytes| {
        let leaf = leaf_hash(bytes);
        acks.check(index, &leaf);
        let reading = wanted.then(|| Book::read(index, bytes));
        kept.before(tree, index, &leaf, reading.as_ref().and_then(Reading::entry).map(|entry| entry.time));
        trouble = tree.append(leaf).iter().try_for_each(|tile| {
            seen.keep(tile);
            log.check_tile(tile)
        });
        if let Some(reading) = reading {
            if let (Ok(()), Some(saw)) = (&trouble, reading.saw()) {
                trouble = seen.check(tree, index, saw).map_err(Trouble::Found);
            }
            batch.push(reading);
            if batch.len() == BATCH {
                bar.inc(BATCH as u64);
                // The book is closed after its first finding; tree and acknowledgements are still checked to the end.
                wanted = to_book.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH))).is_ok();
                if stop.load(Ordering::Relaxed) {
                    trouble = Err(Unusable::new("stopped before the end of the log").into());
                }
            }
        }
        if trouble.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if wanted {
        let _ = to_book.send(batch);
    }
    trouble?;
    kept.finish(tree);
    log.check_tree(tree)
}

/// Checkpoints that clients saw: held against the log, or too old to be.
#[derive(Clone, Copy, Default, Serialize)]
struct SawCounts {
    checked: u64,
    too_old: u64,
}

fn decide(mut book: Book, entries: Receiver<Vec<Reading>>, to_shoes: SyncSender<Vec<ShoeCheck>>, verdicts: &Receiver<ShoeVerdict>) -> Book {
    'reading: for batch in entries {
        for reading in batch {
            if book.feed_read(reading).is_err() {
                break 'reading;
            }
        }
        if to_shoes.send(book.take_checks()).is_err() {
            break;
        }
        if verdicts.try_iter().any(|verdict| book.give_back(verdict).is_err()) {
            break;
        }
    }
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

fn say_words(report: &LogReport) {
    if let Some(checkpoint) = &report.checkpoint {
        checkpoint.say();
    }
    let book = &report.book;
    let earlier = if report.resumed_from > 0 { format!(", {} of them by an earlier audit", report.resumed_from) } else { String::new() };
    say(format!("entries     {} checked{earlier}, the last at {}", book.entries, utc(book.last_time)));
    say(format!("tables      {}, players {}, starts of the dealer {}", book.tables, book.players, book.starts));
    say(format!("shoes       {} committed, {} revealed and derived again, {} in use", book.shoes, book.shoes_revealed, book.open_shoes));
    if book.shoes_sealed > 0 {
        let disclosed = book.shoes_disclosed;
        say(format!(
            "sealed      {} private shoes, each card shown of them proven; {disclosed} disclosed to an auditor",
            book.shoes_sealed
        ));
    }
    say(format!(
        "rounds      {} ({} settled, {} void, {} in play), {} staked, {} returned",
        book.rounds, book.settled, book.voids.total, book.open_rounds, book.staked, book.ret
    ));
    let list = |counts: &std::collections::BTreeMap<String, u64>| {
        counts.iter().map(|(word, n)| format!("{word} {n}")).collect::<Vec<_>>().join(", ")
    };
    if book.voids.total > 0 {
        say(format!("voids       by cause: {}; ahead: {}", list(&book.voids.by_cause), list(&book.voids.by_ahead)));
        say(format!(
            "            {} can be finished by default play: {:+} for the players",
            book.voids.computable, book.voids.default_play_net
        ));
        for void in &book.voids.listed {
            let net = void
                .default_play_net
                .map_or_else(|| void.not_computable.as_deref().unwrap_or_default().to_owned(), |net| format!("default play {net:+}"));
            say(format!(
                "            entry {} {}:{} {:?}, ahead {:?}, {net}",
                void.entry, void.table, void.round_no, void.cause, void.ahead
            ));
        }
    }
    report.leaning.say();
    let ledger = &book.ledger;
    say(format!("ledger      players {}, tables {}, house {}, cage {}", ledger.players, ledger.tables, ledger.house, ledger.cage));
    if report.acks_checked > 0 {
        say(format!("acks        {} held against the log", report.acks_checked));
    }
    let kept = &report.kept;
    if kept.checkpoints + kept.witnessed > 0 {
        say(format!(
            "kept        {} checkpoints and {} receipts held against the log, {} of the log's checkpoints with a witness's time",
            kept.checkpoints, kept.receipts, kept.witnessed
        ));
    }
    let saw = report.seen_checkpoints;
    if saw.checked + saw.too_old > 0 {
        say(format!("seen        {} checkpoints that players saw are this log's, {} are too old to be judged", saw.checked, saw.too_old));
    }
    if report.checkpoint_torn {
        say("torn        one of the two newest checkpoints cannot be read (a crash while it was written, or damage); the other is used");
    }
    if report.beyond_checkpoint > 0 {
        let told = if report.checkpoint_torn { "the checkpoint that covered them may be the one lost" } else { "nobody was told of them" };
        say(format!("beyond      {} entries are stored after the checkpoint; {told}", report.beyond_checkpoint));
    }
    match &report.first_failure {
        None => say(format!("SOUND ({:.1} s)", report.seconds)),
        Some(finding) => say(format!("NOT SOUND. {finding}")),
    }
}
