//! `--continues OLD` of `log` and `monitor`: from the log that lost its last entries to the one that goes on from it
//! (spec/audit.md, "A log that goes on under a new name"); `--rival OTHER`: a second one that does so ("Two that go on
//! from one").
//!
//! Owns: reading the logs, and comparing. Does not own: what is carried over (the house's crate), the audit of NEW, nor the
//! rival (`rival`).

use crate::cli::LogArgs;
use crate::log::MOST_NAMED;
use crate::outcome::UnusableInput;
use crate::rival;
use crate::saw_check::SawCheck;
use crate::source::Source;
use crate::statement::Statement;
use crate::whole_log::{LogError, WholeLog};
use fairshoe_house::{Actor, CarriedOver, Command, Entry, NextLog, OldLog, State};
use fairshoe_judge::audit::{AuditReport, Book, Check, Finding, GoesOnFrom, Limits, OpenShoe};
use fairshoe_judge::utc;
use fairshoe_tlog::{Tree, VerifierKey, leaf_hash};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// What a log says of the one before it.
pub struct Claim {
    /// Where it says so.
    pub index: u64,
    /// And when, UTC milliseconds.
    pub time: u64,
    pub statement: Statement,
}

impl Claim {
    fn wrong(&self, what: String) -> LogError {
        Finding::at(Check::Continues, self.index, None, what).into()
    }
}

/// The old log's own verdict, and what is open in it: nothing of that ever comes out, for nobody goes on with it. *Attack:
/// a house hides the shoes that it dealt from behind a log that it leaves, and the new one is called sound.*
#[derive(Clone, Serialize, Deserialize)]
pub struct OldLogReport {
    verdict: String,
    origin: String,
    entries: u64,
    /// The log that it goes on from in its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goes_on_from: Option<GoesOnFrom>,
    /// That log's own, where it was read, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old_log: Option<Box<OldLogReport>>,
    open_rounds: u64,
    open_rounds_listed: Vec<String>,
    used_shoes: u64,
    /// The shoes that a round was played from.
    used_shoes_listed: Vec<OpenShoe>,
    /// Operations of the wallet that were open for too long.
    wallet_late: u64,
}

impl OldLogReport {
    fn of(book: AuditReport, origin: &str, old_log: Option<Box<OldLogReport>>) -> OldLogReport {
        let is_complete = book.is_complete() && is_shown(book.goes_on_from.as_ref(), old_log.as_deref());
        let mut used = book.open_shoes_listed.clone();
        used.retain(|shoe| shoe.rounds > 0);
        OldLogReport {
            verdict: if is_complete { "sound" } else { "sound_so_far" }.to_owned(),
            origin: origin.to_owned(),
            entries: book.entries,
            goes_on_from: book.goes_on_from,
            old_log,
            open_rounds: book.open_rounds,
            open_rounds_listed: book.open_rounds_listed,
            used_shoes: book.used_shoes,
            used_shoes_listed: used,
            wallet_late: book.wallet_late,
        }
    }

    /// Whether something in it, or before it, is not proven, and never will be by it.
    pub fn is_open(&self) -> bool {
        self.verdict != "sound"
    }

    /// In words, a line for each thing that is open.
    pub fn words(&self) -> Vec<String> {
        let OldLogReport { origin, entries, open_rounds, used_shoes, .. } = self;
        let verdict = if self.is_open() { "SOUND SO FAR" } else { "SOUND" };
        let mut lines = vec![format!("goes on     from `{origin}` at its {entries} entries, which are {verdict}")];
        match (&self.goes_on_from, &self.old_log) {
            (_, Some(older)) => lines.extend(older.words()),
            (Some(older), None) => lines.push(format!(
                "            that log goes on from `{}`, which was not read: add another `--continues`",
                older.origin
            )),
            (None, None) => {}
        }
        if (*open_rounds, *used_shoes) != (0, 0) {
            lines.push(format!(
                "            {open_rounds} round(s) were in play there, and {used_shoes} shoe(s) that were dealt from never came out:"
            ));
        }
        let rounds = self
            .open_rounds_listed
            .iter()
            .take(MOST_NAMED)
            .map(|round| format!("            round {round}: in play at its end"));
        let shoes = self.used_shoes_listed.iter().take(MOST_NAMED).map(|shoe| {
            format!(
                "            table {}, shoe {}: {} round(s), {} card(s) shown, committed at {}",
                shoe.table,
                shoe.shoe_no,
                shoe.rounds,
                shoe.cards_shown,
                utc(shoe.since)
            )
        });
        lines.extend(rounds.chain(shoes));
        lines
    }
}

/// Whether nothing is left open in the log that another goes on from, if it goes on from one: it was read. *Attack: a
/// house leaves a log for an empty one, and that for a third, and nobody looks at the first.*
pub fn is_shown(goes_on_from: Option<&GoesOnFrom>, old_log: Option<&OldLogReport>) -> bool {
    match (goes_on_from, old_log) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(old)) => !old.is_open(),
    }
}

/// What does not hold, if anything, of a log that is sound by itself; and what is said of the one that it goes on from.
pub fn check(new: &WholeLog, args: &LogArgs) -> Result<(Option<Finding>, Option<OldLogReport>), UnusableInput> {
    if args.continues.is_empty() && args.rival.is_empty() {
        return Ok((None, None));
    }
    match compare(new, args) {
        Ok(old) => Ok((None, old)),
        Err(LogError::Found(finding)) => Ok((Some(finding), None)),
        Err(LogError::UnusableInput(why)) => Err(why),
    }
}

fn compare(new: &WholeLog, args: &LogArgs) -> Result<Option<OldLogReport>, LogError> {
    let of_old = read_old(new, &args.continues)?;
    let claim = if args.rival.is_empty() { None } else { claim_of(new)? };
    args.rival.iter().try_for_each(|rival| {
        let claim =
            claim.as_ref().ok_or_else(|| UnusableInput::new("this log does not say that it goes on from another"))?;
        rival::held_against(new, claim, rival, args.evidence.as_deref())
    })?;
    Ok(of_old)
}

/// The logs that a sound log goes on from, the latest first, each held against the one after it.
pub fn read_old(new: &WholeLog, old: &[String]) -> Result<Option<OldLogReport>, LogError> {
    let Some((old, older)) = old.split_first() else { return Ok(None) };
    let claim = claim_of(new)?;
    let claim =
        claim.ok_or_else(|| Finding::new(Check::Continues, "this log does not say that it goes on from another"))?;
    held_against_old(new, &claim, old, older).map(Some)
}

fn held_against_old(new: &WholeLog, claim: &Claim, old: &str, older: &[String]) -> Result<OldLogReport, LogError> {
    let Statement { old: named, key, .. } = &claim.statement;
    // *Attack: two logs of the name that the old key signed, each with a key of its own.*
    if named.new_key.as_bytes() != new.key.public_key() {
        return Err(claim.wrong(format!(
            "{} signed that the log goes on with the key {}, and this one is signed with {}",
            key.name(),
            named.new_key,
            hex::encode(new.key.public_key())
        )));
    }
    let not_it = |trouble| match trouble {
        LogError::Found(finding) => claim.wrong(format!(
            "this log goes on from the one whose key is {key}; {old} is another, or not sound: {finding}"
        )),
        unusable => unusable,
    };
    let before = WholeLog::open(Source::parse(old)?, Some(key.clone())).map_err(not_it)?;
    let there = before.checkpoint.size;
    if there > named.size {
        let left_out = there.saturating_sub(named.size);
        let name = key.name();
        let what = format!(
            "the log {name} has {there} entries, and this one goes on from {}: {left_out} that were signed are left out",
            named.size
        );
        return Err(claim.wrong(what));
    }
    if there < named.size {
        let what =
            format!("{old} has {there} entries, and {} are needed to follow: name a copy that has them", named.size);
        return Err(UnusableInput::new(what).into());
    }
    if before.checkpoint.root.to_string() != named.root {
        let signed = before.checkpoint.root;
        return Err(claim.wrong(format!(
            "this log goes on from root {}, {} signed {signed} for that size",
            named.root,
            key.name()
        )));
    }
    let End { carried, ended, report } = end_of(&before).map_err(not_it)?;
    // *Attack: a thief of the old key signs another log that goes on from one that has named its own.*
    if let Some(next) = ended.filter(|next| next.origin != claim.statement.by || next.key != named.new_key) {
        return Err(claim.wrong(format!(
            "{} ended, and named {} with the key {} to go on from it; this log is {} with the key {}",
            key.name(),
            next.origin,
            next.key,
            claim.statement.by,
            named.new_key
        )));
    }
    held_against(new, claim, &carried)?;
    let before = read_old(&before, older).map_err(not_it)?;
    Ok(OldLogReport::of(report, key.name(), before.map(Box::new)))
}

/// Leaf hashes of a tile.
const PER_TILE: u64 = 256;

/// The claim of a log, which stands before its first player and table.
pub fn claim_of(log: &WholeLog) -> Result<Option<Claim>, LogError> {
    claim_within(log, u64::MAX)
}

/// The same, if it is among the first `most` entries.
fn claim_within(log: &WholeLog, most: u64) -> Result<Option<Claim>, LogError> {
    let (mut by, mut claim, mut wrong) = (None, None, None);
    log.each_from(0, |index, bytes| {
        if index >= most {
            return ControlFlow::Break(());
        }
        let entry = Entry::decode(bytes);
        let time = entry.as_ref().map_or(0, |entry| entry.time);
        match entry.map(|entry| entry.command) {
            Ok(Command::StartDealer { origin, .. }) => by = Some(origin),
            Ok(Command::ContinueLog { origin, key, size, root, new_key, signature }) => {
                match Statement::new(OldLog { origin, key, size, root, new_key }, by.clone(), signature) {
                    Ok(statement) => claim = Some(Claim { index, time, statement }),
                    Err(why) => wrong = Some(UnusableInput::new(format!("{} entry {index}: {why}", log.key.name()))),
                }
                return ControlFlow::Break(());
            }
            Ok(Command::CreatePlayer { .. } | Command::OpenTable { .. }) | Err(_) => return ControlFlow::Break(()),
            Ok(_) => {}
        }
        ControlFlow::Continue(())
    })?;
    wrong.map_or(Ok(claim), |why| Err(why.into()))
}

/// The key of the log that an address shows, where a log with the key `old` signed that it goes on there: what the
/// monitor of the old one need not take for a broken promise.
pub fn goes_on_at(address: &str, old: &VerifierKey) -> Option<VerifierKey> {
    let log = WholeLog::open(Source::parse(address).ok()?, None).ok()?;
    // *Attack: an address whose log never comes to its first player.*
    let statement = claim_within(&log, PER_TILE).ok()??.statement;
    let Statement { old: named, by, .. } = &statement;
    let is_named = by.as_str() == log.key.name() && named.new_key.as_bytes() == log.key.public_key();
    (is_named && statement.is_signed_by(old)).then_some(log.key)
}

/// How an old log stands at its end.
struct End {
    carried: CarriedOver,
    /// Which log it names to go on from it, where it has ended.
    ended: Option<NextLog>,
    report: AuditReport,
}

/// The old log audited.
fn end_of(before: &WholeLog) -> Result<End, LogError> {
    let mut book = Book::new(Limits { origin: Some(before.checkpoint.origin.clone()), ..Limits::default() });
    let (mut state, mut tree, mut seen, mut found) = (State::new(), Tree::new(), SawCheck::default(), None);
    before.each_from(0, |index, bytes| {
        tree.append(leaf_hash(bytes)).iter().for_each(|tile| seen.keep(tile));
        let reading = Book::read(index, bytes);
        let saw = reading.saw().cloned();
        let folded = book.feed_read(reading).and_then(|()| {
            let entry = Entry::decode(bytes).map_err(|e| Finding::at(Check::EntryForm, index, None, e.to_string()))?;
            state.apply(&entry).map_err(|e| Finding::at(Check::State, index, None, e.to_string()))?;
            saw.map_or(Ok(()), |saw| seen.check(&tree, index, &saw))
        });
        found = folded.err();
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let report = book.report();
    if let Some(finding) = found.or_else(|| report.first_failure.clone()) {
        return Err(finding.into());
    }
    before.check_tree(&tree)?;
    let carried = state.carried_over();
    let carried = carried
        .map_err(|error| UnusableInput::new(format!("what stands at the old log's end is not to be paid: {error}")))?;
    Ok(End { carried, ended: state.ended().cloned(), report })
}

/// Right after the claim stand the commands that carry over what stood at the old log's end, those and in this order.
fn held_against(new: &WholeLog, claim: &Claim, carried: &CarriedOver) -> Result<(), LogError> {
    let old = claim.statement.key.name();
    let mut expected = carried.commands(claim.time);
    let mut next = expected.next();
    let mut found = None;
    new.each_from(claim.index.saturating_add(1), |index, bytes| {
        let Some(command) = &next else { return ControlFlow::Break(()) };
        let is_it = Entry::decode(bytes).is_ok_and(|entry| entry.by == Actor::Operator && entry.command == *command);
        if !is_it {
            let what = format!("what stood at the end of {old} asks for {} here", text(command));
            found = Some(Finding::at(Check::CarriedOver, index, None, what));
            return ControlFlow::Break(());
        }
        next = expected.next();
        ControlFlow::Continue(())
    })?;
    if let Some(finding) = found {
        return Err(finding.into());
    }
    match next {
        None => Ok(()),
        Some(missing) => {
            let what = format!("what stood at the end of {old} is not carried over: {} is missing", text(&missing));
            Err(Finding::new(Check::CarriedOver, what).into())
        }
    }
}

fn text(command: &Command) -> String {
    let all = serde_json::to_string(command).unwrap_or_default();
    if all.len() > 200 { all.chars().take(200).chain("…".chars()).collect() } else { all }
}
