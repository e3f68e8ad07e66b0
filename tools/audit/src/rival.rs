//! `log NEW --rival OTHER`: what is said elsewhere of the log that NEW goes on from, and whether OTHER is NEW (spec/audit.md,
//! "Two that go on from one").

use crate::continues::{Claim, claim_of};
use crate::outcome::UnusableInput;
use crate::source::{Source, read_file};
use crate::statement::Statement;
use crate::whole_log::{LogError, WholeLog};
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_tlog::{Hash, KeyType, MAX_NOTE, RootAccumulator, VerifierKey, leaf_hash, verify_checkpoint};
use std::ops::ControlFlow;
use std::path::Path;

/// Leaves of two logs that are held against each other at once, where they differ.
const AT_ONCE: u64 = 4096;

/// The claim of a log held against what another log says of the old one, or a signed statement in a file.
pub fn held_against(new: &WholeLog, claim: &Claim, rival: &str, evidence: Option<&Path>) -> Result<(), LogError> {
    let mine = &claim.statement;
    let shows_nothing =
        |why: String| LogError::from(UnusableInput::new(format!("{rival} shows nothing about this log: {why}")));
    // *What is wrong with the other log is nothing against this one: anybody can make a folder of changed entries.*
    let no_finding = |trouble| match trouble {
        LogError::Found(finding) => shows_nothing(finding.to_string()),
        unusable => unusable,
    };
    let (other, log) = match Source::parse(rival)? {
        Source::File(path) => {
            (Statement::read(&read_file(&path, MAX_NOTE as u64)?, &mine.key).map_err(shows_nothing)?, None)
        }
        source => {
            let log = WholeLog::open(source, None).map_err(no_finding)?;
            let claim = claim_of(&log).map_err(no_finding)?;
            let claim = claim.ok_or_else(|| shows_nothing("it does not say that it goes on from another".into()))?;
            (claim.statement, Some(log))
        }
    };
    if let Some(what) = mine.contradicts(&other).map_err(shows_nothing)? {
        let finding = Finding::at(Check::ContinuedTwice, claim.index, None, format!("{rival}: {what}"));
        if let Some(file) = evidence {
            mine.keep_beside(&other, &finding, file)?;
        }
        return Err(finding.into());
    }
    let Some(log) = log else { return Ok(()) };
    if !is_vouched_for(new, mine) || !is_vouched_for(&log, mine) {
        // Who made a folder with a key of their own said nothing in the house's name.
        eprintln!(
            "{rival} states the same as this log. Their entries were not compared: the key that the statement names does not vouch for both"
        );
        return Ok(());
    }
    held_entry_by_entry(new, &log, rival, shows_nothing)
}

/// Whether a log's checkpoint is signed with the key that the statement names, whatever other signatures and keys lie
/// beside it.
fn is_vouched_for(log: &WholeLog, statement: &Statement) -> bool {
    VerifierKey::new(statement.by.as_str(), KeyType::Ed25519, statement.old.new_key.as_bytes())
        .is_ok_and(|key| verify_checkpoint(&log.note, &key).is_ok())
}

/// Two logs of one statement and one key are one log: the entries that both have are the same.
///
/// *Attack: each half of the players is shown a log of its own, under one key.*
fn held_entry_by_entry(
    new: &WholeLog,
    other: &WholeLog,
    rival: &str,
    shows_nothing: impl Fn(String) -> LogError,
) -> Result<(), LogError> {
    let shared = new.checkpoint.size.min(other.checkpoint.size);
    // Entries that nobody signed accuse nobody, and are no comparison either.
    let theirs = match roots(other, shared) {
        Ok((_, whole)) if whole != other.checkpoint.root => {
            return Err(shows_nothing("its entries do not lead to the root that its checkpoint signs".into()));
        }
        Err(LogError::Found(finding)) => return Err(shows_nothing(finding.to_string())),
        roots => roots?.0,
    };
    if roots(new, shared)?.0 == theirs {
        return Ok(());
    }
    for from in (0..shared).step_by(AT_ONCE as usize) {
        let to = shared.min(from.saturating_add(AT_ONCE));
        let (Ok(mine), Ok(theirs)) = (leaves(new, from, to), leaves(other, from, to)) else { break };
        if let Some(index) = (from..to).zip(mine.iter().zip(&theirs)).find_map(|(i, (a, b))| (a != b).then_some(i)) {
            let by = new.key.name();
            let what = format!("{rival}: entry {index} differs from this log's, and {by}'s key signed both");
            return Err(Finding::at(Check::Fork, index, None, what).into());
        }
    }
    Err(UnusableInput::new(format!("{rival}, or this log, cannot be read again as it was read first")).into())
}

/// The root of a log's first `size` entries, and of all that its checkpoint covers, as they are served.
fn roots(log: &WholeLog, size: u64) -> Result<(Hash, Hash), LogError> {
    let mut tree = RootAccumulator::new();
    let mut first = tree.root();
    log.each_from(0, |index, bytes| {
        tree.append(leaf_hash(bytes));
        if index.saturating_add(1) == size {
            first = tree.root();
        }
        ControlFlow::Continue(())
    })?;
    Ok((first, tree.root()))
}

/// The leaf hashes of some entries, each held against the signed root.
fn leaves(log: &WholeLog, from: u64, to: u64) -> Result<Vec<Hash>, LogError> {
    let mut leaves = Vec::new();
    log.each_from(from, |index, bytes| {
        if index >= to {
            return ControlFlow::Break(());
        }
        leaves.push(leaf_hash(bytes));
        ControlFlow::Continue(())
    })?;
    Ok(leaves)
}
