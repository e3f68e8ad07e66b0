//! A new log that goes on from one whose last entries are lost (spec/recovery.md, "Under a new name").
//!
//! Owns: the new folder and its first entries. Does not own: what is carried over (`fairshoe_house`).

use super::source::Source;
use super::{MARK, Restored, claim, not_signed};
use crate::ops::check::bar;
use crate::ops::config::RestoreArgs;
use crate::ops::keys::{self, MASTER_VARIABLE, Saved};
use crate::ops::startup::{self, StartError};
use crate::write::durable::ReadLog;
use crate::write::evidence::SIGNED_NOTES;
use crate::write::pipeline::now_ms;
use crate::write::recovery::{Beginning, Bounds, Recovered};
use crate::write::sealing;
use fairshoe_fairness::{MasterId, Origin};
use fairshoe_house::{Actor, Command, Entry, NextLog, OldLog, PlayerKey, State};
use fairshoe_store::Store;
use fairshoe_tlog::{Checkpoint, SecretKey, Tree, leaf_hash};
use std::sync::Arc;

/// Begins the new log: a start, the claim that the old key signs, then what is carried over.
pub fn begin(
    args: &RestoreArgs,
    name: &str,
    source: &Source,
    saved: &Saved,
    checkpoint: &Checkpoint,
) -> Result<Restored, StartError> {
    let refuse = |what: String| StartError::refuse("the log cannot go on under this name", what);
    let parse = |name: &str| Origin::parse(name).map_err(|e| refuse(format!("`{name}` is no name for a log: {e}")));
    let (new, old_name) = (parse(name)?, parse(&checkpoint.origin)?);
    if new == old_name {
        return Err(refuse(format!(
            "`{name}` is the old log's name: a log of which entries are missing goes on under another"
        )));
    }
    let (seed, _) = saved.log_key()?;
    let secret = SecretKey::from_seed(&seed);
    let key = PlayerKey::from_bytes(secret.public_key());

    let OldEnd { state: end, master: old_master, ends_beyond } = fold(args, source, checkpoint)?;
    let made = new_keys(args, name, end.ended())?;
    // What else lies there was acknowledged to nobody. *But a later start of that folder would anchor its end.*
    if ends_beyond {
        return Err(refuse(format!(
            "{} holds {} entries, and {} are under its checkpoint: a start was cut off. Start it once more, and stop it in order",
            args.source.display(),
            source.size(),
            checkpoint.size
        )));
    }
    let carried = end.carried_over();
    let carried = carried.map_err(|error| refuse(format!("what stands at its end cannot be carried over: {error}")))?;

    let _mark = claim(args)?;
    match made {
        Some(made) => {
            made.use_for(&args.data)?;
            made.copy_to(&args.data)?;
        }
        None => keys::create(&args.data, Some(name))?,
    }
    let store = Arc::new(Store::create(&args.data)?);
    let reader: Arc<dyn ReadLog> = Arc::new(store.reader());
    let bounds = Bounds {
        min_free_bytes: 0,
        player_entries: 0,
        player_bytes: 0,
        signed_notes: SIGNED_NOTES,
        snapshot_entries: 0,
    };
    let (anchored, keys) = (store.anchored(), keys::load(&args.data)?);
    // *Attack: whoever has a copy of the old master key knows every shoe of the new log.*
    if old_master == Some(keys.master.id()) {
        return Err(refuse(format!(
            "the new log would have the old one's master key: start without {MASTER_VARIABLE}, or with another key in it"
        )));
    }
    let new_key = PlayerKey::from_bytes(SecretKey::from_seed(&keys.log_seed).public_key());
    let old = OldLog { origin: old_name, key, size: checkpoint.size, root: checkpoint.root.to_string(), new_key };
    let signature = old.sign(&secret, &new);
    let OldLog { origin, key, size, root, new_key } = old;
    let first = (Actor::House, Command::ContinueLog { origin, key, size, root, new_key, signature });
    let mut recovered = Recovered::new(
        reader,
        store.clone(),
        &anchored,
        keys,
        startup::folders(&args.data),
        &bounds,
        Box::new(startup::fresh_epoch),
    )?;
    let now = now_ms();
    recovered.begin_epoch(Beginning::default(), now)?;
    let commands = carried.commands(now).map(|command| (Actor::Operator, command));
    recovered.give(std::iter::once(first).chain(commands), now)?;
    recovered.give(std::iter::once((Actor::House, Command::StopDealer {})), now)?;
    let (key, tree, tiles) =
        (recovered.verifier_key.clone(), recovered.committer.tree.clone(), recovered.archive.tiles.clone());
    drop(recovered);
    while sealing::step(&store, &tiles, 1)? > 0 {}
    drop(store);
    startup::write_public(&args.data.join("log.vkey"), &format!("{key}\n"))?;
    startup::remove_mark(&args.data, MARK)?;
    Ok(Restored { key, entries: tree.size(), root: tree.root(), token_kept: false, tokens: 0, wrong: Vec::new() })
}

/// The new log's keys that were made before, if any. Where the old log has ended, they are those that it named.
fn new_keys(args: &RestoreArgs, name: &str, ended: Option<&NextLog>) -> Result<Option<Saved>, StartError> {
    let refuse = |what: String| StartError::refuse("the log cannot go on with these keys", what);
    let named =
        |NextLog { origin, key }: &NextLog| format!("the old log has ended, and named {origin} with the key {key}");
    let Some(dir) = &args.new_keys else {
        return ended
            .map_or(Ok(None), |next| Err(refuse(format!("{}: say with --new-keys where its keys are", named(next)))));
    };
    let made = Saved::find(dir);
    let (seed, origin) = made.log_key()?;
    if origin != name {
        return Err(refuse(format!("the keys in {} are those of {origin}, not of {name}", dir.display())));
    }
    if ended.is_none() {
        return Err(refuse(
            "the old log has not ended, or this is a copy from before its end: with keys that were made for it, start it once with --end-for, and restore from that folder".into(),
        ));
    }
    let key = PlayerKey::from_bytes(SecretKey::from_seed(&seed).public_key());
    if let Some(next) = ended.filter(|next| next.origin.as_str() != origin || next.key != key) {
        return Err(refuse(format!("{}; those in {} are another's", named(next), dir.display())));
    }
    Ok(Some(made))
}

/// The old log at its checkpoint.
struct OldEnd {
    state: State,
    /// By what its master key is known.
    master: Option<MasterId>,
    /// Behind the checkpoint, where a crash left it, lies the log's end.
    ends_beyond: bool,
}

/// The old log folded up to its checkpoint, which its entries must lead to.
fn fold(args: &RestoreArgs, source: &Source, checkpoint: &Checkpoint) -> Result<OldEnd, StartError> {
    let bar = bar("entries of the old log");
    bar.set_length(checkpoint.size);
    let (mut state, mut tree, mut master, mut ends_beyond) = (State::new(), Tree::new(), None, false);
    source.each(&mut |bytes| {
        let index = tree.size();
        if index >= checkpoint.size {
            ends_beyond |= Entry::decode(bytes).is_ok_and(|entry| matches!(entry.command, Command::EndLog { .. }));
            return Ok(());
        }
        tree.append(leaf_hash(bytes));
        let folded = Entry::decode(bytes).map_err(|e| e.to_string()).and_then(|entry| {
            if let Command::StartDealer { master_id, .. } = &entry.command {
                master = Some(*master_id);
            }
            state.apply(&entry).map_err(|e| e.to_string())
        });
        bar.set_position(tree.size());
        folded.map_err(|e| StartError::refuse("an entry cannot be replayed", format!("entry {index}: {e}")))
    })?;
    bar.finish_and_clear();
    if (tree.size(), tree.root()) != (checkpoint.size, checkpoint.root) {
        return Err(not_signed(args, checkpoint.size, &[]));
    }
    Ok(OldEnd { state, master, ends_beyond })
}
