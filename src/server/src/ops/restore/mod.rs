//! `fairshoe restore`: a new data folder from a copy of the log, such as a mirror's, and the saved secrets.
//!
//! Owns: what may be restored and whether the same log may go on, the order of what is written. Does not own: where
//! entries come from ([`source`]), what is known to be signed ([`signed`]), the folder itself (`fairshoe_store`).
//! Implements spec/recovery.md, "Restore".

mod continued;
mod signed;
mod source;

use crate::ops::check::bar;
use crate::ops::config::RestoreArgs;
use crate::ops::keys::{self, Keys, Saved};
use crate::ops::metrics::Metrics;
use crate::ops::startup::{self, StartError, refuse_path};
use crate::ops::tokens;
use crate::witness::{Settings, Witnesses};
use crate::write::pipeline::Reach;
use crate::write::published::{Published, Tiles};
use crate::write::recovery;
use crate::write::sealing;
use crate::write::snapshots::Snapshots;
use fairshoe_fairness::Origin;
use fairshoe_house::{Entry, Event, STATE_INTERVAL};
use fairshoe_store::{DiskFiles, MAX_APPEND_BYTES, MAX_APPEND_ENTRIES, MetaWrite, Store};
use fairshoe_tlog::{Hash, Signer, Tree, VerifierKey, leaf_hash, verify_checkpoint};
use serde_json::json;
use signed::{Evidence, Known};
use source::Source;
use std::collections::VecDeque;
use std::fs::File;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tracing::warn;

/// Marks a folder whose restore is not finished: it is not served.
const MARK: &str = "restoring";

/// Metadata writes that go with one append: with so many all of them find room beside the entries that caused them.
const META: usize = 2_048;

/// What was restored.
struct Restored {
    key: VerifierKey,
    entries: u64,
    root: Hash,
    /// The operator's token was among what was saved.
    token_kept: bool,
    /// Players' and auditors' tokens that are in force again.
    tokens: usize,
    /// Files of the source that are not what the log has there, and that nothing rests on.
    wrong: Vec<String>,
}

/// Restores, and says what came of it: 0 where the folder can be served, 1 where not.
pub fn run(args: &RestoreArgs) -> ExitCode {
    let restored = restore(args);
    match (&restored, args.json) {
        (Ok(Restored { key, entries, root, token_kept, tokens, wrong }), true) => println!(
            "{}",
            json!({
                "restored": true, "entries": entries, "root": root.to_string(), "key": key.to_string(), "operator_token_kept": token_kept,
                "tokens": tokens, "wrong_files": wrong,
            })
        ),
        (Ok(Restored { key, entries, root, token_kept, tokens, wrong }), false) => {
            println!(
                "RESTORED: {entries} entries of {}, under root {root}; `fairshoe serve --data {}` goes on.",
                key.name(),
                args.data.display()
            );
            if !token_kept {
                println!("The operator has a new token: {}.", keys::operator_token_path(&args.data).display());
            }
            println!(
                "Tokens of players and auditors in force: {tokens}. A mirror has none: there everybody needs a new one."
            );
            for file in wrong {
                println!("Not what the log has there, and made anew: {file}.");
            }
        }
        (Err(failure), true) => {
            println!("{}", json!({ "restored": false, "label": failure.label(), "error": failure.to_string() }))
        }
        (Err(failure), false) => eprintln!("NOT RESTORED: {failure}"),
    }
    if restored.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Refuses a folder whose restore was cut off.
pub fn refuse_unfinished(data: &Path) -> Result<(), StartError> {
    if !data.join(MARK).exists() {
        return Ok(());
    }
    Err(StartError::refuse(
        "the restore of this folder is not finished",
        format!("the restore of {} is not finished: repeat `fairshoe restore`, which begins it again", data.display()),
    ))
}

fn restore(args: &RestoreArgs) -> Result<Restored, StartError> {
    let source = Source::open(&args.source)?;
    let saved = Saved::find(args.keys.as_deref().unwrap_or(&args.source));
    let signer = {
        let (seed, origin) = saved.log_key()?;
        Signer::new(&origin, &seed)
            .map_err(|e| StartError::refuse("the log key cannot be used", format!("the log key: {e}")))?
    };
    let key = signer.verifier_key().clone();
    let checkpoint = verify_checkpoint(source.note(), &key).map_err(|e| {
        StartError::refuse(
            "the checkpoint of the source is not signed by this key",
            format!(
                "the checkpoint of {} is not signed by {key} ({e}): it is damaged, or the secrets are those of another log",
                args.source.display()
            ),
        )
    })?;
    source.require_key(&key)?;
    if let Some(name) = &args.continue_as {
        return continued::begin(args, name, &source, &saved, &checkpoint);
    }
    let is_source =
        |dir: &Path| dir.canonicalize().is_ok_and(|dir| args.source.canonicalize().is_ok_and(|of| of == dir));
    let Evidence { known, lost } = signed::gather(args, &key, is_source)?;
    let has_lost_log = lost.is_some() || args.lost.as_deref().is_some_and(is_source);
    may_go_on(args, checkpoint.size..=source.size(), &known, has_lost_log)?;

    let _mark = claim(args)?;
    let token_kept = saved.copy_to(&args.data)?;
    let keys = keys::load(&args.data)?;

    let store = Store::create(&args.data)?;
    let tiles = Arc::new(Tiles::new(Arc::new(store.reader())));
    let Copied { tree, tokens, wrong } = copy(&source, &store, &tiles)?;
    let root = tree.root();
    if tree.root_at(checkpoint.size, tiles.as_ref()).ok() != Some(checkpoint.root) {
        return Err(not_signed(args, checkpoint.size, &wrong));
    }
    for signed in &known {
        if tree.root_at(signed.size, tiles.as_ref()).ok() != Some(signed.root) {
            return Err(StartError::refuse(
                "the source is another history than the one that was signed",
                format!(
                    "the first {} entries of {} are not those that {} signed ({}): this is another history of the log. Keep both as \
                     evidence, and do not serve from either",
                    signed.size,
                    args.source.display(),
                    key.name(),
                    signed.place
                ),
            ));
        }
    }
    require_master(&store, &keys)?;
    let note = signer.sign_checkpoint(tree.size(), root);
    // What the log signed as its own time it keeps, as far as it is known.
    let own_times = known.iter().map(|known| known.own_time).chain([signed::own_time_in(source.note(), &key)]);
    let anchored = Reach::anchored_until(&note, own_times.flatten().max().unwrap_or_default());
    // Into both slots: a torn one falls back to the other.
    for _ in 0..2 {
        store.write_anchor(tree.size(), anchored.as_bytes())?;
    }
    replay_again(args, &store, &tiles, &key)?;
    ask_witnesses(args, &key, Published { tree: tree.clone(), checkpoint: note }, &tiles)?;
    while sealing::step(&store, &tiles, 1)? > 0 {}
    drop(store);
    startup::write_public(&args.data.join("log.vkey"), &format!("{key}\n"))?;
    // ---- whole and durable: from here on it may be served ----
    startup::remove_mark(&args.data, MARK)?;
    Ok(Restored { key, entries: tree.size(), root, token_kept, tokens, wrong })
}

/// The folder to make, emptied of what an earlier restore left, and held until it is whole.
fn claim(args: &RestoreArgs) -> Result<File, StartError> {
    keys::make_private_dir(&args.data)?;
    let mark =
        startup::claim(&args.data, MARK, "The restore of this folder is not finished. Repeat `fairshoe restore`.\n")?;
    let mark = mark.ok_or_else(|| {
        StartError::refuse(
            "the folder is not empty",
            format!("{} is not empty: name another folder", args.data.display()),
        )
    })?;
    startup::clear_unfinished(&args.data, MARK).map_err(|e| refuse_path(&args.data, &e))?;
    Ok(mark)
}

/// Whether the same log may go on: nothing signed is missing, as far as anybody knows; and somebody does. `sizes` are the
/// source's own: under its checkpoint, and with what a crash left beyond it. With its log beside it an anchor is known to be
/// one append behind it at most.
fn may_go_on(
    args: &RestoreArgs,
    sizes: RangeInclusive<u64>,
    known: &[Known],
    has_lost_log: bool,
) -> Result<(), StartError> {
    let size = *sizes.end();
    let newest = known.iter().max_by_key(|known| known.size);
    if let Some(newest) = newest.filter(|known| known.size > size) {
        return Err(StartError::refuse(
            "signed entries are missing",
            format!(
                "{} holds {size} entries, and {} were signed ({}): the last {} are missing. Going on under the same name would sign other \
                 entries in their place, a second history that convicts this log. Look for a newer copy; where there is none, \
                 --continue-as NAME begins a new log that goes on from what is there",
                args.source.display(),
                newest.size,
                newest.place,
                newest.size.saturating_sub(size)
            ),
        ));
    }
    // *Attack: an anchor from a copy.* One that something signed goes beyond, the source's own checkpoint or what was kept
    // of others, was not the last.
    let is_proven = known.iter().any(|anchor| {
        anchor.is_last
            && newest.is_some_and(|newest| newest.size == anchor.size)
            && (anchor.size == size || (has_lost_log && sizes.contains(&anchor.size)))
    });
    if is_proven || args.nothing_missing {
        return Ok(());
    }
    Err(StartError::refuse(
        "nobody says that nothing is missing",
        format!(
            "{} holds {size} entries, and nothing shows that the log had no more. Give the anchor of the folder that was lost (--lost DIR), \
             if it can still be read; else say --nothing-missing, if you know it. If it is not so, the log has two histories from the \
             next entry on, for all to see",
            args.source.display()
        ),
    ))
}

/// What a copy brought.
struct Copied {
    tree: Tree,
    tokens: usize,
    wrong: Vec<String>,
}

/// Every entry, and what stands beside them, through the same appends that a service makes.
fn copy(source: &Source, store: &Store, tiles: &Arc<Tiles>) -> Result<Copied, StartError> {
    let bar = bar("entries");
    bar.set_length(source.size());
    let mut beside: VecDeque<MetaWrite> = source.beside()?;
    let tokens =
        beside.iter().filter(|write| matches!(write, MetaWrite::Put { key, .. } if tokens::is_token(key))).count();
    let (mut tree, mut batch, mut bytes, mut wrong) = (Tree::new(), Vec::new(), 0_usize, Vec::new());
    let mut append = |tree: &mut Tree, batch: &mut Vec<Vec<u8>>| -> Result<(), StartError> {
        let first = tree.size();
        for entry in batch.iter() {
            for tile in tree.append(leaf_hash(entry)) {
                wrong.extend(source.other_tile(tile.level, tile.index, &tile.bytes()));
                tiles.keep(tile.level, tile.index, tile.nodes);
            }
        }
        tiles.grown(tree);
        let meta: Vec<MetaWrite> = beside.drain(..beside.len().min(META)).collect();
        store.append(first, batch, &meta)?;
        // Without a checkpoint: what is cut off here is not served.
        store.write_anchor(tree.size(), b"")?;
        sealing::keep_up(store, tiles)?;
        batch.clear();
        bar.set_position(tree.size());
        Ok(())
    };
    source.each(&mut |entry| {
        if batch.len() == MAX_APPEND_ENTRIES || bytes + entry.len() > MAX_APPEND_BYTES {
            append(&mut tree, &mut batch)?;
            bytes = 0;
        }
        bytes += entry.len();
        batch.push(entry.to_vec());
        Ok(())
    })?;
    if !batch.is_empty() {
        append(&mut tree, &mut batch)?;
    }
    bar.finish_and_clear();
    for path in fairshoe_tlog::edge_of_size(tree.size()) {
        if let fairshoe_tlog::TilePath::Tile { level, index, .. } = path
            && let Ok(bytes) = tree.partial_tile(level, index, path.width(), tiles.as_ref())
        {
            wrong.extend(source.other_file(path, &bytes));
        }
    }
    Ok(Copied { tree, tokens, wrong })
}

fn not_signed(args: &RestoreArgs, size: u64, wrong: &[String]) -> StartError {
    let near = match wrong.first() {
        Some(first) => format!("; they part from the tiles at {first}"),
        None => String::new(),
    };
    StartError::refuse(
        "the entries of the source are not those that were signed",
        format!(
            "the first {size} entries of {} are not those that its checkpoint signs{near}. Restore from another copy",
            args.source.display()
        ),
    )
}

/// The master key is the one that the log names.
fn require_master(store: &Store, keys: &Keys) -> Result<(), StartError> {
    let refuse = |what: String| StartError::refuse("another master key", what);
    let first = Entry::decode(&store.entry(0)?).map_err(|e| refuse(format!("the first entry: {e}")))?;
    let named = first.events.iter().find_map(|event| match event {
        Event::DealerStarted { master_id, .. } => Some(*master_id),
        _ => None,
    });
    if named == Some(keys.master.id()) {
        return Ok(());
    }
    Err(refuse(
        "the master key among the secrets is not the one that the log names: open rounds could not be finished with it"
            .into(),
    ))
}

/// What was written, read back from the disk and folded as a start does.
fn replay_again(args: &RestoreArgs, store: &Store, tiles: &Tiles, key: &VerifierKey) -> Result<(), StartError> {
    let bar = bar("entries read again");
    bar.set_length(store.size());
    let anchored = store.anchored();
    let origin = Origin::parse(key.name())
        .map_err(|e| StartError::refuse("the log's public key cannot be used", e.to_string()))?;
    let states = Snapshots::with(Arc::new(DiskFiles::at(&args.data)), origin, Duration::ZERO);
    recovery::fold(&store.reader(), tiles, &anchored, key, &mut |state| {
        bar.set_position(state.size());
        // Made anew, whatever the source had. Auditors can do without one.
        if state.size().is_multiple_of(STATE_INTERVAL)
            && let Ok(lines) = state.lines()
            && let Err(failure) = states.publish(state.size(), &lines)
        {
            warn!(entries = state.size(), %failure, "the state cannot be published");
        }
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// The witnesses, where the operator names them: one that has seen more, or another tree, refuses.
fn ask_witnesses(
    args: &RestoreArgs,
    key: &VerifierKey,
    published: Published,
    tiles: &Arc<Tiles>,
) -> Result<(), StartError> {
    let settings = Settings::read(args.witnesses.as_deref(), None, None);
    let Some(settings) = settings.map_err(|e| StartError::refuse("the file of witnesses cannot be used", e))? else {
        return Ok(());
    };
    tiles.grown(&published.tree);
    let published = Arc::new(RwLock::new(Arc::new(published)));
    let witnesses = Witnesses::open(settings, &args.data, key, &published, tiles, &Arc::new(Metrics::new()))?;
    witnesses.check_start(&mut witnesses.contacts())
}

/// Stops a reading where `visit` fails, with that failure.
fn until_it_fails<'v>(
    failure: &'v mut Option<StartError>,
    visit: &'v mut dyn FnMut(&[u8]) -> Result<(), StartError>,
) -> impl FnMut(u64, &[u8]) -> ControlFlow<()> + 'v {
    move |_, entry| match visit(entry) {
        Ok(()) => ControlFlow::Continue(()),
        Err(why) => {
            *failure = Some(why);
            ControlFlow::Break(())
        }
    }
}
