//! `history`: hands of poker tables in notations that other programs read (spec/hand-histories.md).

use crate::cli::{HistoryArgs, Notation};
use crate::durable::failed;
use crate::log::progress_bar;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::round::judged;
use crate::source::{Source, read_file, trusted};
use crate::whole_log::{LogError, WholeLog};
use fairshoe_fairness::Opening;
use fairshoe_house::Entry;
use fairshoe_judge::audit::{Book, Check, Finding, Limits};
use fairshoe_judge::bundle::{Bundle, RoundId, Soundness};
use fairshoe_judge::history::{HandHistory, Historian, HistoryError, Told};
use fairshoe_tlog::{Tree, leaf_hash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The longest file of a player's own openings, in bytes.
const MAX_OWN: u64 = 64 * 1024;

#[derive(Default, Serialize)]
struct HistoryReport {
    /// Hands written.
    hands: u64,
    /// Void hands, which have no history.
    void: Vec<RoundId>,
    /// Hands that the notation has no word for.
    skipped: Vec<Skipped>,
    files: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
}

#[derive(Serialize)]
struct Skipped {
    hand: RoundId,
    message: String,
}

/// Openings as a player keeps them: as a list, as the service's `own`, or a saved reply that has it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Own {
    List(Vec<Opening>),
    Within { openings: Vec<Opening> },
    Reply { own: Given },
}

#[derive(Deserialize)]
struct Given {
    openings: Vec<Opening>,
}

/// `history SOURCE ROUND` or `history SOURCE --all`
pub fn run(args: &HistoryArgs) -> Result<Outcome, UnusableInput> {
    if args.common.json && args.out.is_none() {
        return Err(UnusableInput::new("--json reports on files that are written: name one by --out"));
    }
    let report = if args.all { all(args)? } else { one(args)? };
    let outcome = Outcome::when(report.finding.is_none());
    if args.common.json {
        say_json(&report)?;
        return Ok(outcome);
    }
    if let Some(finding) = &report.finding {
        say(format!("NOT SOUND. {finding} Nothing was written."));
    } else if args.out.is_some() {
        for file in &report.files {
            say(format!("written     {}", file.display()));
        }
        say(format!(
            "hands       {} written, {} void, {} skipped",
            report.hands,
            report.void.len(),
            report.skipped.len()
        ));
        for Skipped { hand, message } in &report.skipped {
            say(format!("skipped     {hand}: {message}"));
        }
    }
    Ok(outcome)
}

fn one(args: &HistoryArgs) -> Result<HistoryReport, UnusableInput> {
    let key = trusted(args.common.key.as_deref())?;
    let judged = judged(&args.source, args.round.as_deref(), key.as_ref(), None)?;
    let found = |finding: String| Ok(HistoryReport { finding: Some(finding), ..HistoryReport::default() });
    let bundle = match (judged.verdict.verdict, judged.bundle) {
        (Soundness::NotSound, _) | (_, None) => {
            return found(judged.verdict.findings.first().map(Finding::to_string).unwrap_or_default());
        }
        (_, Some(bundle)) => bundle,
    };
    let mut history = match of_bundle(&bundle)? {
        Some(Told::Settled(history)) => *history,
        Some(Told::Void { round, cause }) => {
            return Err(UnusableInput::new(format!(
                "hand {round} is void ({}): every chip went back, it has no history",
                word(&cause)
            )));
        }
        None => {
            let what = "is no hand of a poker table, or it is not over: its history is written when its shoe is sealed";
            return Err(UnusableInput::new(format!("{} {what}", bundle.round)));
        }
    };
    if let Some(path) = &args.own {
        let own: Own = serde_json::from_slice(&read_file(path, MAX_OWN)?).map_err(|_| {
            UnusableInput::new(format!("{}: neither a list of openings nor an object with one", path.display()))
        })?;
        let (Own::List(openings) | Own::Within { openings } | Own::Reply { own: Given { openings } }) = own;
        match history.show_own(&openings) {
            Ok(()) => {}
            Err(unproven @ HistoryError::Unproven { .. }) => return found(format!("{unproven}.")),
            Err(other) => return Err(UnusableInput::new(other)),
        }
    }
    let text = written(&history, args.format, None)?;
    let mut report = HistoryReport { hands: 1, ..HistoryReport::default() };
    match &args.out {
        None => say(text.trim_end()),
        Some(out) => {
            let name = format!("{}-{}.{}", history.round.table, history.round.round_no, ending(args.format, false));
            let path = if is_folder(out) { out.join(name) } else { out.clone() };
            make_folder_of(&path)?;
            fs::write(&path, text).map_err(failed(&path))?;
            report.files.push(path);
        }
    }
    Ok(report)
}

/// A cause as the log writes it.
fn word(cause: &impl Serialize) -> String {
    serde_json::to_value(cause).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What a bundle's own round came to.
fn of_bundle(bundle: &Bundle) -> Result<Option<Told>, UnusableInput> {
    let mut proven: Vec<_> = bundle.context.iter().chain(&bundle.entries).collect();
    proven.sort_by_key(|proven| proven.index);
    let mut historian = Historian::default();
    for proven in proven {
        let entry = Entry::decode(proven.entry.as_bytes()).map_err(UnusableInput::new)?;
        for told in historian.feed(&entry).map_err(UnusableInput::new)? {
            let round = match &told {
                Told::Settled(history) => &history.round,
                Told::Void { round, .. } => round,
            };
            if *round == bundle.round {
                return Ok(Some(told));
            }
        }
    }
    Ok(None)
}

fn all(args: &HistoryArgs) -> Result<HistoryReport, UnusableInput> {
    let key = trusted(args.common.key.as_deref())?;
    let out = args.out.as_ref().ok_or_else(|| UnusableInput::new("name a file or a folder by --out"))?;
    let log = match WholeLog::open(Source::parse(&args.source)?, key) {
        Ok(log) => log,
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => {
            return Ok(HistoryReport { finding: Some(finding.to_string()), ..HistoryReport::default() });
        }
    };
    let mut files = Files::new(out, args.format);
    let mut report = HistoryReport::default();
    let read = read_all(&log, |told| files.take(told, &mut report));
    match read {
        Ok(()) => {
            report.files = files.finish()?;
            Ok(report)
        }
        Err(trouble) => {
            files.discard();
            match trouble {
                LogError::UnusableInput(why) => Err(why),
                LogError::Found(finding) => {
                    Ok(HistoryReport { finding: Some(finding.to_string()), ..HistoryReport::default() })
                }
            }
        }
    }
}

/// Audits a log from its first entry to its last, and hands on what its poker hands came to.
fn read_all(log: &WholeLog, mut visit: impl FnMut(Told) -> Result<(), UnusableInput>) -> Result<(), LogError> {
    let bar = progress_bar(log.checkpoint.size);
    let mut book = Book::new(Limits { origin: Some(log.checkpoint.origin.clone()), ..Limits::default() });
    let (mut tree, mut historian) = (Tree::new(), Historian::default());
    let mut take = |index: u64, bytes: &[u8]| -> Result<(), LogError> {
        tree.append(leaf_hash(bytes));
        let reading = Book::read(index, bytes);
        let told = reading.entry().map(|entry| historian.feed(entry));
        book.feed_read(reading)?;
        if let Some(told) = told {
            for told in told.map_err(|e| Finding::at(Check::Broken, index, None, e.to_string()))? {
                visit(told)?;
            }
        }
        bar.inc(1);
        Ok(())
    };
    let mut trouble = None;
    log.each_from(0, |index, bytes| match take(index, bytes) {
        Ok(()) => ControlFlow::Continue(()),
        Err(found) => {
            trouble = Some(found);
            ControlFlow::Break(())
        }
    })?;
    bar.finish_and_clear();
    trouble.map_or(Ok(()), Err)?;
    for told in historian.finish() {
        visit(told)?;
    }
    log.check_tree(&tree)?;
    book.finish().first_failure.map_or(Ok(()), |finding| Err(finding.into()))
}

/// Files that get their names once all is known to be sound.
struct Files<'a> {
    out: &'a Path,
    format: Notation,
    /// Hands in each, by its name to be.
    begun: BTreeMap<PathBuf, u64>,
}

impl Files<'_> {
    fn new(out: &Path, format: Notation) -> Files<'_> {
        Files { out, format, begun: BTreeMap::new() }
    }

    fn take(&mut self, told: Told, report: &mut HistoryReport) -> Result<(), UnusableInput> {
        match told {
            Told::Void { round, .. } => report.void.push(round),
            Told::Settled(history) => {
                let path = match is_folder(self.out) {
                    true => self.out.join(format!("{}.{}", history.round.table, ending(self.format, true))),
                    false => self.out.to_owned(),
                };
                let count = self.begun.get(&path).copied().unwrap_or_default().saturating_add(1);
                match written(&history, self.format, Some(count)) {
                    Ok(text) => {
                        append(&path, count == 1, &text)?;
                        self.begun.insert(path, count);
                        report.hands = report.hands.saturating_add(1);
                    }
                    Err(UnusableInput(message)) => {
                        report.skipped.push(Skipped { hand: history.round.clone(), message })
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<PathBuf>, UnusableInput> {
        for path in self.begun.keys() {
            fs::rename(fresh(path), path).map_err(failed(path))?;
        }
        Ok(self.begun.into_keys().collect())
    }

    fn discard(self) {
        for path in self.begun.keys() {
            let _ = fs::remove_file(fresh(path));
        }
    }
}

/// Where a file is written before it is known to be good.
fn fresh(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

fn append(path: &Path, first: bool, text: &str) -> Result<(), UnusableInput> {
    if first {
        make_folder_of(path)?;
    }
    let fresh = fresh(path);
    let file: std::io::Result<File> = match first {
        true => File::create(&fresh),
        false => OpenOptions::new().append(true).open(&fresh),
    };
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed(&fresh))
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn make_folder_of(path: &Path) -> Result<(), UnusableInput> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => fs::create_dir_all(folder).map_err(failed(folder)),
        None => Ok(()),
    }
}

fn ending(format: Notation, several: bool) -> &'static str {
    match (format, several) {
        (Notation::Phh, false) => "phh",
        (Notation::Phh, true) => "phhs",
        (Notation::Ohh, _) => "ohh",
    }
}

/// A hand's text: alone, or as the so-manieth of a file.
fn written(history: &HandHistory, format: Notation, place: Option<u64>) -> Result<String, UnusableInput> {
    Ok(match (format, place) {
        (Notation::Phh, None) => history.to_phh().map_err(UnusableInput::new)?,
        (Notation::Phh, Some(place)) => format!("[{place}]\n{}\n", history.to_phh().map_err(UnusableInput::new)?),
        // Objects with a blank line between them.
        (Notation::Ohh, place) => {
            let before = if place.unwrap_or(1) > 1 { "\n" } else { "" };
            let hand = history.to_ohh().map_err(UnusableInput::new)?;
            format!("{before}{}\n", serde_json::to_string(&hand).map_err(UnusableInput::new)?)
        }
    })
}
