//! `mirror`: a second party's copy of a log as static files, from which anyone reads the log as from its service.
//!
//! Owns: what is fetched in which order, what may be written, which partial files are superseded. Does not own: the
//! tree's hashes (the log's own crate), nor what the entries mean (`log` audits a mirror as it audits a service).

mod folder;

use crate::cli::MirrorArgs;
use crate::from::{Named, named};
use crate::log::progress_bar;
use crate::monitor::wait;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{Source, trusted};
use crate::tiled::{Tiled, came};
use crate::verified::Verified;
use crate::whole_log::{LogError, WholeLog, require_this_log};
use fairshoe_house::{STATE_INTERVAL, root_of_lines};
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_tlog::{
    Checkpoint, Hash, TileNodes, TilePath, VerifierKey, bundles_for_size, tiles_for_size, verify_checkpoint,
};
use folder::MirrorFolder;
use indicatif::ProgressBar;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a run did.
#[derive(Default, Serialize)]
struct Counts {
    /// Files that were there and right.
    kept: u64,
    /// Files fetched and written.
    written: u64,
    /// Of these, files that were there and wrong.
    repaired: u64,
    /// Partial files removed, since the full one is there.
    superseded: u64,
}

#[derive(Serialize)]
struct MirrorReport {
    verdict: &'static str,
    origin: Option<String>,
    key: String,
    key_trusted: bool,
    /// Entries mirrored before and now.
    before: u64,
    size: u64,
    root: Option<String>,
    files: Counts,
    /// States of the log that were written.
    states: u64,
    finding: Option<Finding>,
    seconds: f64,
}

/// `mirror SOURCE DIR`
pub fn run(args: &MirrorArgs) -> Result<Outcome, UnusableInput> {
    let Some(every) = args.every else { return once(args, false) };
    // What is wrong with what was typed does not come right by itself.
    Source::parse(&args.source)?;
    trusted(args.common.key.as_deref())?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        signal_hook::flag::register(signal, stop.clone()).map_err(UnusableInput::new)?;
    }
    let mut has_run = false;
    while !stop.load(Ordering::Relaxed) {
        match once(args, has_run) {
            // The folder is open only while it is written to: a drill may use it meanwhile.
            Ok(Outcome::Sound) => has_run = true,
            Ok(other) => return Ok(other),
            Err(UnusableInput(why)) => eprintln!("fairshoe-audit: {why}"),
        }
        wait(every, &stop);
    }
    Ok(Outcome::Sound)
}

/// One run: from what is mirrored to what is signed now; where nothing is new it says nothing if that is wanted.
fn once(args: &MirrorArgs, only_news: bool) -> Result<Outcome, UnusableInput> {
    let start = Instant::now();
    let source = match Source::parse(&args.source)? {
        Source::Address(client) => Tiled::Address(client),
        Source::Folder(dir) if Tiled::is_mirror(&dir) => Tiled::Folder(dir),
        _ => return Err(UnusableInput::new(format!("{} is neither an address nor a mirror's folder", args.source))),
    };
    let folder = MirrorFolder::open(&args.dir)?;
    let named = trusted(args.common.key.as_deref())?;
    let key_trusted = named.is_some();
    let key = key_of(&folder, &source, named)?;
    let mut report = MirrorReport {
        verdict: "sound",
        origin: None,
        key: key.to_string(),
        key_trusted,
        before: 0,
        size: 0,
        root: None,
        files: Counts::default(),
        states: 0,
        finding: None,
        seconds: 0.0,
    };
    match mirror(&source, &folder, &key, &mut report) {
        Ok(()) => {}
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => (report.verdict, report.finding) = ("not_sound", Some(finding)),
    }
    report.seconds = start.elapsed().as_secs_f64();
    let is_news = report.size != report.before || report.files.written > 0 || report.finding.is_some();
    if only_news && !is_news {
        return Ok(Outcome::Sound);
    }
    if args.common.json {
        say_json(&report)?
    } else {
        say_words(&report)
    }
    Ok(Outcome::when(report.finding.is_none()))
}

/// A mirror is of one log for ever: the key it began with is the one.
fn key_of(folder: &MirrorFolder, source: &Tiled, named: Option<VerifierKey>) -> Result<VerifierKey, UnusableInput> {
    match (folder.key()?, named) {
        (Some(known), Some(named)) if known != named => Err(UnusableInput::new(format!(
            "this folder mirrors the log of key {known}, not of {named}: name another folder"
        ))),
        (Some(known), _) => Ok(known),
        (None, Some(named)) => Ok(named),
        (None, None) => source.own_key(),
    }
}

fn signed(note: &[u8], key: &VerifierKey, whose: &str) -> Result<Checkpoint, UnusableInput> {
    let checked = std::str::from_utf8(note)
        .map_err(|e| e.to_string())
        .and_then(|note| verify_checkpoint(note, key).map_err(|e| e.to_string()));
    checked.map_err(|e| {
        UnusableInput::new(format!(
            "{whose}/checkpoint is not signed with the key {key}: {e}; it is {}. Nothing was changed here",
            came(note)
        ))
    })
}

fn mirror(source: &Tiled, folder: &MirrorFolder, key: &VerifierKey, report: &mut MirrorReport) -> Result<(), LogError> {
    let note = source.checkpoint()?;
    require_this_log(source, key)?;
    let new = signed(&note, key, &source.name())?;
    report.origin = Some(new.origin.clone());
    (report.size, report.root) = (new.size, Some(new.root.to_string()));
    let old = match folder.checkpoint()? {
        Some(note) => Some(signed(&note, key, &folder.tiled.name())?),
        None => None,
    };
    let mut tiles = Verified::under(&new, vec![source])?;
    if let Some(old) = &old {
        report.before = old.size;
        if new.size < old.size {
            let own = Verified::under(old, vec![&folder.tiled]).and_then(|mut own| own.root_at(new.size))?;
            extends(own, &new, old).map_err(|f| evidence(folder, f, &new, &note))?;
            // An address that is behind, a cache perhaps: nothing to fetch, and nothing wrong.
            report.size = old.size;
            report.root = Some(old.root.to_string());
            return Ok(());
        }
        let root = tiles.root_at(old.size)?;
        extends(root, old, &new).map_err(|f| evidence(folder, f, &new, &note))?;
    }
    // ---- nothing is written before this: what is there is a beginning of what is signed now ----
    if folder.key()?.is_none() {
        folder.write_key(key)?;
    }
    let mut tiles = Verified::under(&new, vec![&folder.tiled, source])?;
    let bar = progress_bar(new.size);
    let copied = copy(folder, &mut tiles, new.size, &mut report.files, &bar);
    bar.finish_and_clear();
    copied?;
    folder.put_checkpoint(&note)?;
    report.states = copy_states(source, folder, key, report.before)?;
    for full in tiles_for_size(new.size).chain(bundles_for_size(new.size)).filter(|path| path.full() == *path) {
        report.files.superseded += folder.remove_superseded(full)?;
    }
    Ok(())
}

/// Copies the states that the log names and the source publishes (spec/state.md, "Published"): their lines have the
/// root that the mirrored log names, or they are left alone. The number of those written.
fn copy_states(source: &Tiled, folder: &MirrorFolder, key: &VerifierKey, before: u64) -> Result<u64, LogError> {
    let log = WholeLog::open(Source::Folder(folder.dir().to_owned()), Some(key.clone()))?;
    let mut written = 0;
    // What was not there when the log was mirrored last has come since, or it does not come any more.
    for size in source
        .state_sizes(log.checkpoint.size)
        .into_iter()
        .filter(|size| size.saturating_add(2 * STATE_INTERVAL) > before)
    {
        if folder.has_state(size) {
            continue;
        }
        let lines = match source.state(size) {
            Ok(Some(lines)) => lines,
            Ok(None) => continue,
            // Auditors can do without it, and the mirror of the log is whole.
            Err(UnusableInput(why)) => {
                eprintln!("fairshoe-audit: the state of {size} entries is left out: {why}");
                continue;
            }
        };
        let Some(Named { root: named, .. }) = named(&log, size)? else { continue };
        let text = std::str::from_utf8(&lines).ok().and_then(|text| text.strip_suffix('\n'));
        if text.map(|text| root_of_lines(text.split('\n'))) != Some(named) {
            eprintln!(
                "fairshoe-audit: {}: the state of {size} entries is not the one that the log names: left alone",
                source.name()
            );
            continue;
        }
        folder.put_state(size, &lines)?;
        written += 1;
    }
    Ok(written)
}

/// The larger tree has, at the smaller one's size, the root that was signed for it.
fn extends(root: Hash, smaller: &Checkpoint, larger: &Checkpoint) -> Result<(), String> {
    if root == smaller.root {
        return Ok(());
    }
    Err(format!(
        "two signed histories: the log of {} entries has root {root} at size {}, and root {} was signed for that size",
        larger.size, smaller.size, smaller.root
    ))
}

/// A fork: the signed checkpoint that contradicts the mirror's own is kept beside it.
fn evidence(folder: &MirrorFolder, what: String, new: &Checkpoint, note: &[u8]) -> LogError {
    match folder.keep_evidence(new.size, &new.root.to_string(), note) {
        Ok(kept) => {
            let what =
                format!("{what}. The two checkpoints are the evidence: the mirror's own, and {}", kept.display());
            Finding::new(Check::Root, what).into()
        }
        Err(why) => why.into(),
    }
}

/// Every file of the tree, each verified before it is written; what is there and right is not fetched again.
fn copy(
    folder: &MirrorFolder,
    tiles: &mut Verified<'_>,
    size: u64,
    counts: &mut Counts,
    bar: &ProgressBar,
) -> Result<(), UnusableInput> {
    for path in bundles_for_size(size) {
        let TilePath::Entries { index, .. } = path else { continue };
        let leaves = tiles.tile(0, index)?;
        let leaf_path = TilePath::Tile { level: 0, index, partial: partial_of(path) };
        keep(folder, leaf_path, &leaves, counts)?;
        keep_bytes(folder, path, &tiles.bundle(path)?, counts)?;
        bar.inc(u64::from(path.width()));
    }
    for path in tiles_for_size(size) {
        if let TilePath::Tile { level: level @ 1.., index, .. } = path {
            let tile = tiles.tile(level, index)?;
            keep(folder, path, &tile, counts)?;
        }
    }
    Ok(())
}

fn partial_of(path: TilePath) -> Option<std::num::NonZeroU8> {
    match path {
        TilePath::Checkpoint => None,
        TilePath::Tile { partial, .. } | TilePath::Entries { partial, .. } => partial,
    }
}

fn keep(folder: &MirrorFolder, path: TilePath, tile: &TileNodes, counts: &mut Counts) -> Result<(), UnusableInput> {
    let bytes = tile.bytes(path.width()).unwrap_or_default();
    keep_bytes(folder, path, &bytes, counts)
}

fn keep_bytes(folder: &MirrorFolder, path: TilePath, bytes: &[u8], counts: &mut Counts) -> Result<(), UnusableInput> {
    if folder.holds(path, bytes)? {
        counts.kept += 1;
        return Ok(());
    }
    if folder.has(path) {
        counts.repaired += 1;
    }
    counts.written += 1;
    folder.put(path, bytes)
}

fn say_words(report: &MirrorReport) {
    let whose = if report.key_trusted {
        "the key you named"
    } else {
        "UNVERIFIED: compare it with the one you know the log by"
    };
    say(format!("key         {} ({whose})", report.key));
    if let (Some(origin), Some(root)) = (&report.origin, &report.root) {
        say(format!("log         {origin}, {} entries before, {} now, root {root}", report.before, report.size));
    }
    let files = &report.files;
    say(format!(
        "files       {} written ({} of them in the place of damaged ones), {} kept, {} superseded partial ones removed",
        files.written, files.repaired, files.kept, files.superseded
    ));
    if report.states > 0 {
        say(format!("states      {} written, each with the root that the log names", report.states));
    }
    match &report.finding {
        None => say(format!("MIRRORED ({:.1} s): every byte is under the signed root.", report.seconds)),
        Some(finding) => say(format!("NOT SOUND. {finding}")),
    }
}
