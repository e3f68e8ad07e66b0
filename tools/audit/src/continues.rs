//! `log NEW --continues OLD`: from the log that lost its last entries to the one that goes on from it (spec/audit.md, "A log that goes on
//! under a new name").
//!
//! Owns: reading both, and comparing. Does not own: what is carried over (the house's crate), nor the audit of NEW.

use crate::cli::LogArgs;
use crate::outcome::Unusable;
use crate::source::{Source, trusted};
use crate::whole_log::{Trouble, WholeLog};
use fairshoe_house::{Actor, CarriedOver, Command, Entry, State};
use fairshoe_judge::audit::{Book, Check, Finding, Limits};
use fairshoe_tlog::{KeyType, Tree, VerifierKey, leaf_hash};
use std::ops::ControlFlow;

/// What NEW says of the log before it.
struct Claim {
    /// Where it says so.
    index: u64,
    key: VerifierKey,
    size: u64,
    root: String,
}

/// What does not hold, if anything; NEW itself is audited elsewhere.
pub fn check(args: &LogArgs, old: &str) -> Result<Option<Finding>, Unusable> {
    match compare(args, old) {
        Ok(()) => Ok(None),
        Err(Trouble::Found(finding)) => Ok(Some(finding)),
        Err(Trouble::Unusable(why)) => Err(why),
    }
}

fn compare(args: &LogArgs, old: &str) -> Result<(), Trouble> {
    let new = WholeLog::open(Source::parse(&args.source)?, trusted(args.common.key.as_deref())?)?;
    let claim = claim_of(&new)?;
    let before = WholeLog::open(Source::parse(old)?, Some(claim.key.clone()))?;
    let there = before.checkpoint.size;
    if there > claim.size {
        let what = format!(
            "the log {} has {there} entries, and this one goes on from {}: {} that were signed are left out",
            claim.key.name(),
            claim.size,
            there.saturating_sub(claim.size)
        );
        return Err(Finding::at(Check::Continues, claim.index, None, what).into());
    }
    if there < claim.size {
        let what = format!("{old} has {there} entries, and {} are needed to follow: name a copy that has them", claim.size);
        return Err(Unusable::new(what).into());
    }
    if before.checkpoint.root.to_string() != claim.root {
        let what =
            format!("this log goes on from root {}, {} signed {} for that size", claim.root, claim.key.name(), before.checkpoint.root);
        return Err(Finding::at(Check::Continues, claim.index, None, what).into());
    }
    held_against(&new, &claim, &end_of(&before)?)
}

/// The claim of NEW, which stands before its first player and table.
fn claim_of(new: &WholeLog) -> Result<Claim, Trouble> {
    let mut claim = None;
    let mut wrong = None;
    new.each_from(0, |index, bytes| {
        match Entry::decode(bytes).map(|entry| entry.command) {
            Ok(Command::StartDealer { .. } | Command::StopDealer {} | Command::NoteRefusedStart { .. }) => return ControlFlow::Continue(()),
            Ok(Command::ContinueLog { origin, key, size, root, .. }) => {
                match VerifierKey::new(origin.as_str(), KeyType::Ed25519, key.as_bytes()) {
                    Ok(key) => claim = Some(Claim { index, key, size, root }),
                    Err(e) => wrong = Some(Finding::at(Check::Continues, index, None, format!("the old log's key: {e}"))),
                }
            }
            _ => {}
        }
        ControlFlow::Break(())
    })?;
    if let Some(finding) = wrong {
        return Err(finding.into());
    }
    claim.ok_or_else(|| Finding::new(Check::Continues, "this log does not say that it goes on from another").into())
}

/// The old log audited, and what stands at its end.
fn end_of(before: &WholeLog) -> Result<CarriedOver, Trouble> {
    let mut book = Book::new(Limits { origin: Some(before.checkpoint.origin.clone()), ..Limits::default() });
    let (mut state, mut tree, mut found) = (State::new(), Tree::new(), None);
    before.each_from(0, |index, bytes| {
        tree.append(leaf_hash(bytes));
        let folded = book.feed(index, bytes).and_then(|()| {
            let entry = Entry::decode(bytes).map_err(|e| Finding::at(Check::EntryForm, index, None, e.to_string()))?;
            state.apply(&entry).map_err(|e| Finding::at(Check::State, index, None, e.to_string()))
        });
        found = folded.err();
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let found = found.or_else(|| book.report().first_failure.clone());
    if let Some(finding) = found {
        let what = format!("the log that this one goes on from is not sound: {finding}");
        return Err(Finding::new(Check::Continues, what).into());
    }
    before.check_tree(&tree)?;
    Ok(state.carried_over())
}

/// Right after the claim stand the commands that carry over what stood at the old log's end, those and in this order.
fn held_against(new: &WholeLog, claim: &Claim, carried: &CarriedOver) -> Result<(), Trouble> {
    let mut expected = carried.commands();
    let mut next = expected.next();
    let mut found = None;
    new.each_from(claim.index.saturating_add(1), |index, bytes| {
        let Some(command) = &next else { return ControlFlow::Break(()) };
        let is_it = Entry::decode(bytes).is_ok_and(|entry| entry.by == Actor::Operator && entry.command == *command);
        if !is_it {
            let what = format!("what stood at the end of {} asks for {} here", claim.key.name(), text(command));
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
            let what = format!("what stood at the end of {} is not carried over: {} is missing", claim.key.name(), text(&missing));
            Err(Finding::new(Check::CarriedOver, what).into())
        }
    }
}

fn text(command: &Command) -> String {
    let all = serde_json::to_string(command).unwrap_or_default();
    if all.len() > 200 { all.chars().take(200).chain("…".chars()).collect() } else { all }
}
