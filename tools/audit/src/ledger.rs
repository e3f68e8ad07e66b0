//! `log --ledger-only`: the tree and the money of a log in one pass (spec/audit.md, "The ledger alone"). The adding up
//! is the judge's; this reads, hashes and reports.

use crate::acks::Acks;
use crate::cli::LogArgs;
use crate::log::{CheckpointReport, progress_bar};
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{Source, trusted};
use crate::whole_log::{LogError, WholeLog};
use fairshoe_judge::audit::{Finding, LedgerBook, LedgerReport};
use fairshoe_judge::utc;
use fairshoe_tlog::{Tree, leaf_hash};
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// What this mode checks, in the report of every run: a verdict that says less must say so itself.
const CHECKED: &[&str] = &[
    "the checkpoint's signature, and its root over every entry",
    "every tile, where the log is served or mirrored",
    "each entry's one spelling, its time, its place in its table's sequence",
    "each posting: it sums to zero, accounts exist, no player or table owes, balances after and before are the book's",
    "chips enter and leave by the operator's commands alone",
    "play chips are guests' alone, each posting is of one kind of chips, guests are numbered without a gap",
    "each round gives the house what its paid wagers or its void say, and leaves nothing on the table",
    "each entry of a tournament moves what it says was bought, paid or refunded, and its end leaves it nothing",
];

/// What only the whole audit shows.
const NOT_CHECKED: &[&str] = &[
    "that commands were allowed, and their events the ones that the rules give",
    "that wagers were paid what the cards and rules say, and to whom",
    "that a tournament's prizes, bounties and refunds are those of its rules, and what its cancellation costs the house",
    "shoes, seeds, openings, slots, faces",
    "deadlines, seats, cooldowns, recovery",
    "the checkpoints that players say they saw",
];

/// Entries between two moves of the progress bar.
const STEP: u64 = 4_096;

#[derive(Serialize)]
struct LedgerVerdict {
    verdict: &'static str,
    checked: &'static [&'static str],
    not_checked: &'static [&'static str],
    entries: u64,
    first_failure: Option<Finding>,
    checkpoint: Option<CheckpointReport>,
    acks_checked: usize,
    beyond_checkpoint: u64,
    checkpoint_torn: bool,
    book: LedgerReport,
    seconds: f64,
}

/// `log --ledger-only`: tree and money in one pass on one thread.
pub fn run(args: &LogArgs) -> Result<Outcome, UnusableInput> {
    let start = Instant::now();
    let key = trusted(args.common.key.as_deref())?;
    let mut acks = args.acks.as_deref().map(Acks::read).transpose()?.unwrap_or_default();
    let acks_checked = acks.count();
    let (book, first_failure, checkpoint, (beyond, torn)) = match WholeLog::open(Source::parse(&args.source)?, key) {
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => (LedgerReport::default(), Some(finding), None, (0, false)),
        Ok(log) => {
            let (book, found) = add_up(&log, &mut acks)?;
            let first = book.first_failure.clone().or(found).or_else(|| acks.finish());
            (book, first, Some(CheckpointReport::of(&log)), (log.beyond, log.torn))
        }
    };
    let report = LedgerVerdict {
        verdict: if first_failure.is_some() { "not_sound" } else { "sound_ledger_only" },
        checked: CHECKED,
        not_checked: NOT_CHECKED,
        entries: book.entries,
        first_failure,
        checkpoint,
        acks_checked,
        beyond_checkpoint: beyond,
        checkpoint_torn: torn,
        book,
        seconds: start.elapsed().as_secs_f64(),
    };
    if args.common.json {
        say_json(&report)?
    } else {
        say_words(&report)
    }
    Ok(Outcome::when(report.first_failure.is_none()))
}

/// The book's report, and what the tree or the source itself had wrong.
fn add_up(log: &WholeLog, acks: &mut Acks) -> Result<(LedgerReport, Option<Finding>), UnusableInput> {
    let bar = progress_bar(log.checkpoint.size);
    let mut book = LedgerBook::new(Some(log.checkpoint.origin.clone()));
    let mut tree = Tree::new();
    let mut open = true;
    let read = log.each_from(0, |index, bytes| {
        let leaf = leaf_hash(bytes);
        acks.check(index, &leaf);
        tree.append(leaf);
        // After the first finding the tree and the acknowledgements are still checked to the end.
        open = open && book.feed(index, bytes).is_ok();
        if index % STEP == 0 {
            bar.set_position(index);
        }
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    match read.and_then(|()| Ok(log.check_tree(&tree)?)) {
        Ok(()) => Ok((book.finish(), None)),
        Err(LogError::Found(finding)) => Ok((book.finish(), Some(finding))),
        Err(LogError::UnusableInput(why)) => Err(why),
    }
}

fn say_words(report: &LedgerVerdict) {
    if let Some(checkpoint) = &report.checkpoint {
        checkpoint.say();
    }
    let (book, ledger) = (&report.book, &report.book.ledger);
    say(format!("entries     {} checked, the last at {}", book.entries, utc(book.last_time)));
    say(format!(
        "rounds      {} settled, {} void, {} staked, {} returned",
        book.settled, book.voided, book.staked, book.returned
    ));
    say(format!("postings    {}, of {} players and {} tables", book.postings, book.players, book.tables));
    let words: Vec<String> = ledger.accounts().iter().map(|(name, sum)| format!("{name} {sum}")).collect();
    say(format!("ledger      {}", words.join(", ")));
    if report.acks_checked > 0 {
        say(format!("acks        {} held against the log", report.acks_checked));
    }
    if report.beyond_checkpoint > 0 {
        say(format!(
            "beyond      {} entries are stored after the checkpoint; nobody was told of them",
            report.beyond_checkpoint
        ));
    }
    match &report.first_failure {
        None => {
            say("not checked:");
            report.not_checked.iter().for_each(|what| say(format!("            {what}")));
            say(format!(
                "SOUND (LEDGER ONLY) ({:.1} s). The same command without --ledger-only checks the rest.",
                report.seconds
            ));
        }
        Some(finding) => say(format!("NOT SOUND. {finding}")),
    }
}
