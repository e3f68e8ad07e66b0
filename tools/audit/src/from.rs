//! `log --from SIZE`: a log audited from a state on that it names (spec/audit.md, "From a state").
//!
//! Owns: finding the state, and showing that the log names it. Does not own: what such an audit cannot find (the
//! house's auditor counts what was taken as given).

use crate::log::limits;
use crate::once::Spool;
use crate::outcome::{UnusableInput, say};
use crate::pieces::Start;
use crate::progress::Progress;
use crate::saw_check::SawCheck;
use crate::source::read_file;
use crate::verified::Verified;
use crate::whole_log::{LogError, WholeLog};
use fairshoe_house::{Command, Entry, STATE_INTERVAL, StateRoot};
use fairshoe_judge::audit::{AuditReport, Book, Given};
use fairshoe_judge::utc;
use fairshoe_store::MAX_STATE_BYTES;
use fairshoe_tlog::{Hash, Tree, leaf_hash};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// What an audit from a state on does not check.
const NOT_CHECKED: [&str; 5] = [
    "the entries before the state: balances, seats, keys, offences and all else in it are taken as given",
    "what was shown before of the shoes that were in use: their seeds are held against what was shown since",
    "rounds that were void before: how default play would have finished them",
    "whether an epoch, a root or a seed of these entries was used before",
    "whether the accounts add up from the log's beginning: that they do since is checked",
];

/// What was taken as given, for the verdict.
#[derive(Serialize)]
pub struct GivenReport {
    #[serde(flatten)]
    given: Given,
    /// The entry that names the state.
    named_in: u64,
    not_checked: [&'static str; NOT_CHECKED.len()],
}

impl GivenReport {
    pub fn of(report: &AuditReport, named_in: u64) -> Option<GivenReport> {
        Some(GivenReport { given: report.given.clone()?, named_in, not_checked: NOT_CHECKED })
    }

    pub fn say(&self) {
        let Given { size, root, time, players, tables, rounds, shoes, voids, .. } = &self.given;
        say(format!(
            "given       the state after {size} entries, at {}, as entry {} names it: root {root}",
            utc(*time),
            self.named_in
        ));
        say(format!(
            "            {players} players, {tables} open tables, {rounds} rounds in play, {shoes} shoes in use, {voids} void rounds awaiting seeds"
        ));
        for what in self.not_checked {
            say(format!("            not checked: {what}"));
        }
    }
}

/// Where an audit of this log begins, and the entry that names its state.
pub fn begin(log: &WholeLog, from: &str) -> Result<(Progress, u64), LogError> {
    let start = start(log, from)?;
    let size = start.size;
    let refused = |why: String| {
        LogError::from(UnusableInput::new(format!("the state of {size} entries is not what this log names: {why}")))
    };
    if size == 0 || size >= log.checkpoint.size {
        let what = format!("the log has {} entries: there is none after a state of {size}", log.checkpoint.size);
        return Err(UnusableInput::new(what).into());
    }
    let (piece, leaned) = start.begin(log).map_err(refused)?;
    let named = named(log, size)?;
    let Named { entry: named_in, root: named } =
        named.ok_or_else(|| UnusableInput::new(format!("the log names no state of {size} entries")))?;
    let root = piece.began().map(|(_, root)| root);
    if root != Some(named) {
        let has = root.map(|root| root.to_string()).unwrap_or_default();
        return Err(refused(format!("it has the root {has}, entry {named_in} names {named}")));
    }
    let (tree, proven) = tree_at(log, size, leaned.keys().copied())?;
    if proven.iter().ne(leaned.values()) {
        return Err(refused("the entries that its tables had since they rested are not the log's".into()));
    }
    let book = Book::from(piece, limits(Some(&log.checkpoint.origin)));
    Ok((Progress { tree, seen: SawCheck::default(), once: Spool::new(None), book }, named_in))
}

/// The state of that size at the source, or in a file of that name.
fn start(log: &WholeLog, from: &str) -> Result<Start, UnusableInput> {
    if let Some(size) = size_of(from) {
        let lines = log.state(size)?;
        let lines =
            lines.ok_or_else(|| UnusableInput::new(format!("the state of {size} entries is not published here")))?;
        return Ok(Start { size, lines: Some(Arc::new(lines)) });
    }
    let path = Path::new(from);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let size = size_of(name).ok_or_else(|| {
        UnusableInput::new(format!("{from}: a state's file is named by its size, as in state/{STATE_INTERVAL}"))
    })?;
    Ok(Start { size, lines: Some(Arc::new(read_file(path, MAX_STATE_BYTES)?)) })
}

/// A size in its one spelling.
fn size_of(text: &str) -> Option<u64> {
    text.parse().ok().filter(|size: &u64| size.to_string() == text)
}

/// The entry that names a state, and the root that it names.
pub struct Named {
    pub entry: u64,
    pub root: StateRoot,
}

/// The entry that names the state of that size.
pub fn named(log: &WholeLog, size: u64) -> Result<Option<Named>, LogError> {
    let mut named = None;
    let last = size.saturating_add(STATE_INTERVAL).min(log.checkpoint.size);
    log.each_between(size, last, |index, bytes| {
        // Most entries are none of these: they need not be read in full.
        let may_name = bytes.windows(NOTES.len()).any(|part| part == NOTES);
        if let Some(Command::NoteState { size: of, root }) =
            may_name.then(|| Entry::decode(bytes).ok()).flatten().map(|entry| entry.command)
            && of == size
        {
            named = Some(Named { entry: index, root });
        }
        if named.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(named)
}

/// What an entry holds that names a state.
const NOTES: &[u8] = b"\"note_state\"";

/// The log's tree at that size, and the roots of these bundles, as far as it has them; each under the signed root where
/// the log is read as tiles, else made of the entries.
fn tree_at(log: &WholeLog, size: u64, bundles: impl Iterator<Item = u64>) -> Result<(Tree, Vec<Hash>), LogError> {
    let bundles: Vec<u64> = bundles.collect();
    let mut roots = Vec::new();
    let Some(tiles) = log.tiles() else {
        let (mut tree, mut bundle) = (Tree::new(), Tree::new());
        log.each_between(0, size, |index, bytes| {
            let leaf = leaf_hash(bytes);
            tree.append(leaf);
            bundle.append(leaf);
            if tree.size().is_multiple_of(256) || tree.size() == size {
                roots.extend(bundles.contains(&(index / 256)).then(|| bundle.root()));
                bundle = Tree::new();
            }
            ControlFlow::Continue(())
        })?;
        return Ok((tree, roots));
    };
    let mut tiles = Verified::under(&log.checkpoint, vec![tiles])?;
    let width = |level: u8, index: u64| {
        let nodes = size.checked_shr(8 * u32::from(level)).unwrap_or(0);
        u16::try_from(nodes.saturating_sub(index.saturating_mul(256)).min(256)).unwrap_or_default()
    };
    for number in bundles {
        let leaves = tiles.tile(0, number)?;
        let mut bundle = Tree::new();
        (0..u64::from(width(0, number))).filter_map(|at| leaves.node(0, at)).for_each(|leaf| drop(bundle.append(leaf)));
        roots.push(bundle.root());
    }
    let mut edge = Vec::new();
    for level in 0..8u8 {
        let index = size.checked_shr(8 * (u32::from(level) + 1)).unwrap_or(0);
        let wide = width(level, index);
        edge.push(if wide == 0 { Vec::new() } else { tiles.tile(level, index)?.bytes(wide).unwrap_or_default() });
    }
    let tree =
        Tree::resume(size, &edge).map_err(|e| UnusableInput::new(format!("the tiles at {size} entries: {e}")))?;
    Ok((tree, roots))
}
