//! `cluster SOURCE SOURCE…`: several logs that chips go between, each by itself and then all together
//! (spec/transfers.md, "All logs together").
//!
//! Owns: holding claims against the logs that they are of, what is under way, the sums. Does not own: the audit of one
//! log, which is that of `log`.

use crate::acks::Acks;
use crate::cli::ClusterArgs;
use crate::http::Standing;
use crate::log::{Audited, CheckpointReport, Watch, audit_watched, let_pass, limits};
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::progress::Progress;
use crate::saved_evidence::SavedEvidence;
use crate::source::{Source, parse_key};
use crate::whole_log::{LogError, WholeLog};
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_games::Chips;
use fairshoe_house::{Account, Command, Entry, Event, State};
use fairshoe_judge::audit::{Book, Check, Finding};
use fairshoe_judge::utc;
use fairshoe_tlog::{
    Checkpoint, Hash, MAX_NOTE, Note, RootAccumulator, TlogProof, VerifierKey, base64_decode, leaf_hash,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Transfers under way that are printed; `--json` has all of them.
const MOST_ROWS: usize = 40;

/// A transfer that a log sent.
#[derive(Clone, Serialize)]
struct Sent {
    from: Origin,
    to: Origin,
    no: u64,
    /// The entry that sent it.
    entry: u64,
    player: PlayerId,
    amount: Chips,
    /// When it was sent, UTC milliseconds.
    since: u64,
}

/// A transfer that a log claimed.
#[derive(Clone, Serialize)]
struct Claimed {
    from: Origin,
    to: Origin,
    no: u64,
    /// The entry that claimed it.
    entry: u64,
    /// The entry of the other log, and under how many of its entries the receipt shows it.
    index: u64,
    size: u64,
    player: PlayerId,
    amount: Chips,
    #[serde(skip)]
    leaf: Hash,
    #[serde(skip)]
    root: Hash,
    /// The key by which the claimant judged the receipt.
    #[serde(skip)]
    key: VerifierKey,
}

/// What went from one log to another.
#[derive(Serialize)]
struct Pair {
    from: Origin,
    to: Origin,
    sent: i128,
    claimed: i128,
    under_way: i128,
}

/// A log by itself.
#[derive(Serialize)]
pub(crate) struct MemberReport {
    source: String,
    pub verdict: &'static str,
    checkpoint: Option<CheckpointReport>,
    pub first_failure: Option<Finding>,
}

impl MemberReport {
    /// Which log that is.
    pub fn say(&self) {
        say(format!("source      {}", self.source));
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.say();
        }
    }
}

/// A finding, and of which log.
#[derive(Serialize)]
struct ClusterFinding {
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<Origin>,
    #[serde(flatten)]
    finding: Finding,
}

#[derive(Default, Serialize)]
struct ClusterReport {
    verdict: &'static str,
    logs: Vec<MemberReport>,
    findings: Vec<ClusterFinding>,
    pairs: Vec<Pair>,
    /// Sent from one of them to another, and not claimed.
    under_way: Vec<Sent>,
    /// To which logs that were not named chips were sent.
    elsewhere: BTreeSet<Origin>,
    /// Claims under a checkpoint that the copy of the other log does not reach.
    beyond: Vec<Claimed>,
    /// What is under way in all.
    total: i128,
}

/// Writes down what goes and comes while a log is decided again.
#[derive(Default)]
struct Transfers {
    sent: Vec<Sent>,
    claimed: Vec<Claimed>,
}

impl Watch for Transfers {
    fn before(&mut self, _: &Book, entry: &Entry) -> bool {
        matches!(entry.command, Command::TransferOut { .. } | Command::TransferIn { .. })
    }

    fn after(&mut self, book: &Book, index: u64, entry: &Entry) {
        let Some(here) = book.state().origin().cloned() else { return };
        match (&entry.command, entry.events.last()) {
            (_, Some(Event::TransferredOut { to, no, player, amount })) => self.sent.push(Sent {
                from: here,
                to: to.clone(),
                no: *no,
                entry: index,
                player: player.clone(),
                amount: *amount,
                since: entry.time,
            }),
            (
                Command::TransferIn { entry: claim, receipt, .. },
                Some(Event::TransferredIn { from, no, index: there, player, amount }),
            ) => {
                // The judge has read the receipt, under the policy that is in force: it is one.
                let known = book.state().known_logs().find(|(log, _)| *log == from);
                let key = known.and_then(|(log, known)| known.key(log));
                let Some((shown, key)) = checkpoint_of(receipt.as_str()).zip(key) else { return };
                self.claimed.push(Claimed {
                    from: from.clone(),
                    to: here,
                    no: *no,
                    entry: index,
                    index: *there,
                    size: shown.size,
                    player: player.clone(),
                    amount: *amount,
                    leaf: leaf_hash(claim.as_str().as_bytes()),
                    root: shown.root,
                    key,
                });
            }
            _ => {}
        }
    }
}

fn checkpoint_of(receipt: &str) -> Option<Checkpoint> {
    let proof = TlogProof::parse(&base64_decode(receipt)?).ok()?;
    let note = Note::parse(proof.checkpoint_text.as_bytes(), MAX_NOTE).ok()?;
    Checkpoint::parse(note.text()).ok()
}

/// A log that is sound by itself, and what somebody saw of it meanwhile.
pub(crate) struct Member<W> {
    pub(crate) log: WholeLog,
    pub origin: Origin,
    pub watched: W,
    /// What its accounts of other logs stand at.
    accounts: BTreeMap<Origin, i64>,
    complete: bool,
    /// Up to when it shows all there is, UTC milliseconds: by its own time, where a service decides, else its last entry's.
    pub(crate) shown_to: u64,
}

/// `cluster SOURCE SOURCE…`
pub fn run(args: &ClusterArgs) -> Result<Outcome, UnusableInput> {
    if args.sources.len() < 2 {
        return Err(UnusableInput::new("a cluster is two logs or more: name each of their sources"));
    }
    let keys = args.key.iter().map(|key| parse_key(key)).collect::<Result<Vec<_>, _>>()?;
    let mut report = ClusterReport { verdict: "not_sound", ..ClusterReport::default() };
    let mut members = Vec::new();
    for source in &args.sources {
        let (member, alone) = audited(source, &keys, Transfers::default())?;
        if let (Some(finding), log) = (&alone.first_failure, member.as_ref().map(|member| member.origin.clone())) {
            report.findings.push(ClusterFinding { log, finding: finding.clone() });
        }
        report.logs.push(alone);
        members.extend(member);
    }
    if report.findings.is_empty() {
        held_together(&members, &mut report)?;
    }
    if report.findings.is_empty() {
        let complete = members.iter().all(|member| member.complete) && report.beyond.is_empty();
        report.verdict = if complete { "sound" } else { "sound_so_far" };
    }
    if args.json {
        say_json(&report)?;
    } else {
        say_words(&report);
    }
    Ok(Outcome::when(report.findings.is_empty()))
}

/// One log by itself, while somebody looks on.
pub(crate) fn audited<W: Watch>(
    source: &str,
    keys: &[VerifierKey],
    mut watched: W,
) -> Result<(Option<Member<W>>, MemberReport), UnusableInput> {
    let failed = |finding, checkpoint| MemberReport {
        source: source.to_owned(),
        verdict: "not_sound",
        checkpoint,
        first_failure: Some(finding),
    };
    let open = |key| WholeLog::open(Source::parse(source)?, key);
    let opened = open(None).and_then(|log| match keys.iter().find(|key| key.name() == log.checkpoint.origin) {
        Some(key) => open(Some(key.clone())),
        None => Ok(log),
    });
    let log = match opened {
        Ok(log) => log,
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => return Ok((None, failed(finding, None))),
    };
    let fresh = Progress::new(limits(Some(&log.checkpoint.origin)), None);
    let evidence = (&mut Acks::default(), &mut SavedEvidence::default());
    let whole = AtomicBool::new(false);
    let Audited { progress, report: book, found } =
        audit_watched(&log, evidence.0, evidence.1, fresh, &whole, &mut watched)?;
    let overdue = progress.book.overdue(log.as_of());
    let checkpoint = Some(CheckpointReport::of(&log));
    if let Some(finding) = found.or_else(|| let_pass(&log, &overdue)) {
        return Ok((None, failed(finding, checkpoint)));
    }
    let state = progress.book.state();
    let origin = state.origin().cloned().ok_or_else(|| UnusableInput::new(format!("{source}: the log is empty")))?;
    // A node that follows may lack what is on the log.
    let complete = book.is_complete() && overdue.is_empty() && !log.follows();
    let accounts = accounts_of(state);
    let verdict = if complete { "sound" } else { "sound_so_far" };
    let alone = MemberReport { source: source.to_owned(), verdict, checkpoint, first_failure: None };
    let shown_to = match log.standing {
        Standing::Decides { at } => at.max(book.last_time),
        _ => book.last_time,
    };
    Ok((Some(Member { log, origin, watched, accounts, complete, shown_to }), alone))
}

fn accounts_of(state: &State) -> BTreeMap<Origin, i64> {
    let balance = |log: &Origin| state.ledger().balance(&Account::Transfers(log.clone())).unwrap_or_default();
    state.known_logs().map(|(log, _)| (log.clone(), balance(log))).collect()
}

/// What some of its entries and roots are, of a log.
struct Looked {
    leaves: BTreeMap<u64, Hash>,
    roots: BTreeMap<u64, Hash>,
}

/// Reads a log once more for these entries and sizes: it must lead to the signed root again.
fn look(log: &WholeLog, indices: &BTreeSet<u64>, sizes: &BTreeSet<u64>) -> Result<Looked, UnusableInput> {
    let mut looked = Looked { leaves: BTreeMap::new(), roots: BTreeMap::new() };
    let mut tree = RootAccumulator::new();
    let read = log.each_from(0, |index, bytes| {
        let leaf = leaf_hash(bytes);
        tree.append(leaf);
        if indices.contains(&index) {
            looked.leaves.insert(index, leaf);
        }
        if sizes.contains(&tree.size()) {
            looked.roots.insert(tree.size(), tree.root());
        }
        ControlFlow::Continue(())
    });
    match read {
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => return Err(UnusableInput::new(finding)),
        Ok(()) => {}
    }
    if tree.root() != log.checkpoint.root {
        return Err(UnusableInput::new("a log was served otherwise than it was a moment ago"));
    }
    Ok(looked)
}

fn held_together(members: &[Member<Transfers>], report: &mut ClusterReport) -> Result<(), UnusableInput> {
    let by_name: BTreeMap<&Origin, &Member<Transfers>> =
        members.iter().map(|member| (&member.origin, member)).collect();
    if by_name.len() < members.len() {
        return Err(UnusableInput::new("two sources are copies of one log: name one of them"));
    }
    let claims: Vec<&Claimed> = members.iter().flat_map(|member| &member.watched.claimed).collect();
    for other in members {
        let of_it: Vec<&Claimed> = claims.iter().copied().filter(|claim| claim.from == other.origin).collect();
        if !of_it.is_empty() {
            hold_claims(other, &of_it, report)?;
        }
    }
    let claimed: BTreeSet<(&Origin, &Origin, u64)> =
        claims.iter().map(|claim| (&claim.from, &claim.to, claim.no)).collect();
    for sent in members.iter().flat_map(|member| &member.watched.sent) {
        if !by_name.contains_key(&sent.to) {
            report.elsewhere.insert(sent.to.clone());
        } else if !claimed.contains(&(&sent.from, &sent.to, sent.no)) {
            report.under_way.push(sent.clone());
        }
    }
    add_up(members, &claims, report);
    Ok(())
}

/// Each claim of a log: its entry is that log's, byte for byte, and its checkpoint one that the log had.
fn hold_claims(
    other: &Member<Transfers>,
    claims: &[&Claimed],
    report: &mut ClusterReport,
) -> Result<(), UnusableInput> {
    let indices = claims.iter().map(|claim| claim.index).collect();
    let sizes = claims.iter().map(|claim| claim.size).collect();
    let looked = look(&other.log, &indices, &sizes)?;
    let name = &other.origin;
    let twice = format!("the key of {name} signed two histories, and the claim's receipt is the evidence");
    for claim in claims {
        let mut found = |what: String| {
            let finding = Finding::at(Check::Claim, claim.entry, None, what);
            report.findings.push(ClusterFinding { log: Some(claim.to.clone()), finding });
        };
        // *Attack: a house that honours receipts of a key it made up, so that the other one seems to have signed twice.*
        if claim.key != other.log.key {
            found(format!(
                "it is claimed under the key {}, {name} is signed by {}: whoever named that key says so of {name}",
                claim.key, other.log.key
            ));
            continue;
        }
        let mut find = |what: String| found(format!("{what}: {twice}"));
        if looked.leaves.get(&claim.index).is_some_and(|leaf| *leaf != claim.leaf) {
            find(format!("entry {} of {name} is not the one that is claimed", claim.index));
        }
        match looked.roots.get(&claim.size) {
            Some(root) if *root != claim.root => find(format!(
                "the receipt's checkpoint has root {} for {} entries, {name} has {root}",
                claim.root, claim.size
            )),
            Some(_) => {}
            None => report.beyond.push((*claim).clone()),
        }
    }
    Ok(())
}

/// Sums by pair and in all, held against the accounts.
fn add_up(members: &[Member<Transfers>], claims: &[&Claimed], report: &mut ClusterReport) {
    let amount = |chips: &Chips| i128::from(chips.signed());
    for from in members {
        for to in members.iter().filter(|to| to.origin != from.origin) {
            let between = |one: &&Sent| one.from == from.origin && one.to == to.origin;
            let sent: i128 =
                from.watched.sent.iter().filter(|one| one.to == to.origin).map(|one| amount(&one.amount)).sum();
            let here = to.watched.claimed.iter().filter(|one| one.from == from.origin);
            let claimed: i128 = here.map(|one| amount(&one.amount)).sum();
            let under_way = report.under_way.iter().filter(between).map(|one| amount(&one.amount)).sum();
            if sent != 0 || claimed != 0 {
                let (from, to) = (from.origin.clone(), to.origin.clone());
                report.pairs.push(Pair { from, to, sent, claimed, under_way });
            }
        }
    }
    report.total = report.under_way.iter().map(|one| amount(&one.amount)).sum();
    let is_member = |log: &Origin| members.iter().any(|member| member.origin == *log);
    let accounts = members.iter().flat_map(|member| &member.accounts).filter(|(log, _)| is_member(log));
    let stands: i128 = accounts.map(|(_, balance)| i128::from(*balance)).sum();
    // Of entries that the other log's copy does not have yet nothing was counted as sent.
    let size_of = |log: &Origin| {
        members.iter().find(|member| member.origin == *log).map_or(0, |member| member.log.checkpoint.size)
    };
    let early = claims.iter().filter(|claim| is_member(&claim.from) && claim.index >= size_of(&claim.from));
    let early: i128 = early.map(|claim| amount(&claim.amount)).sum();
    if report.findings.is_empty() && stands != report.total - early {
        let what = format!(
            "{} are under way and {early} were claimed of entries that the copies do not have; the accounts between these logs stand at \
             {stands}",
            report.total
        );
        report.findings.push(ClusterFinding { log: None, finding: Finding::new(Check::ClusterSum, what) });
    }
}

fn say_words(report: &ClusterReport) {
    for member in &report.logs {
        member.say();
    }
    for Pair { from, to, sent, claimed, under_way } in &report.pairs {
        say(format!("from {from} to {to}: {sent} sent, {claimed} claimed, {under_way} under way"));
    }
    for Sent { from, to, no, entry, player, amount, since } in report.under_way.iter().take(MOST_ROWS) {
        say(format!(
            "under way   {amount} of {player} from {from} to {to}, transfer {no} (entry {entry}), since {}",
            utc(*since)
        ));
    }
    if report.under_way.len() > MOST_ROWS {
        say(format!("            … and {} more: --json lists them all", report.under_way.len() - MOST_ROWS));
    }
    for log in &report.elsewhere {
        say(format!("not held    what was sent to {log}, which was not named"));
    }
    for Claimed { from, to, entry, index, size, .. } in report.beyond.iter().take(MOST_ROWS) {
        say(format!(
            "not held    entry {entry} of {to}: it claims entry {index} of {from} under {size} entries, more than the copy has"
        ));
    }
    if report.logs.iter().all(|member| member.first_failure.is_none()) {
        say(format!("in all      {} under way between these logs", report.total));
    }
    for ClusterFinding { log, finding } in &report.findings {
        let whose = log.as_ref().map_or_else(String::new, |log| format!("{log}, "));
        say(format!("NOT SOUND   {whose}{finding}"));
    }
    match report.verdict {
        "sound" => say("SOUND: each of these logs by itself, and every claim of one of them on another"),
        "sound_so_far" => {
            say("SOUND SO FAR: each of these logs as far as it goes, and every claim that the copies reach")
        }
        _ => {}
    }
}
