//! What a log's key is known to have signed: whoever goes on with the log must have all of it.
//!
//! Owns: reading what the operator names. Does not own: what follows from it ([`super`]).

use super::source::read_some;
use crate::ops::config::RestoreArgs;
use crate::ops::startup::StartError;
use crate::write::pipeline::Reach;
use fairshoe_store::{ReadCopy, Store, StoreError, read_anchor};
use fairshoe_tlog::{Hash, MAX_NOTE, TlogProof, VerifierKey, own_time, verify_checkpoint};
use serde_json::Value;
use std::path::Path;

/// The longest file of evidence, in bytes: a history of checkpoints is thinned at 64 MiB (spec/audit.md, "Kept
/// checkpoints").
const MAX_FILE: u64 = 128 << 20;

/// A tree that the log's key signed.
pub struct Known {
    pub size: u64,
    pub root: Hash,
    /// Where it stands.
    pub place: String,
    /// The last that its folder signed: its anchor's.
    pub is_last: bool,
    /// The latest own time that was, or may have been, signed by what it says.
    pub own_time: Option<u64>,
}

/// What a note of this log's says of own times (spec/log.md): by its signature, and of an anchor's by its further line.
pub fn own_time_in(note: &str, key: &VerifierKey) -> Option<u64> {
    own_time(note, key).max(Reach::signable_in(note.as_bytes()))
}

/// What is known to be signed.
pub struct Evidence {
    pub known: Vec<Known>,
    /// The lost folder's log, where it can be read; nobody else opens it meanwhile.
    pub lost: Option<Box<ReadCopy>>,
}

/// Everything that the operator names, and what a source that was a data folder kept of its witnesses. `is_source` says
/// whether a folder is the source itself, which is open.
pub fn gather(
    args: &RestoreArgs,
    key: &VerifierKey,
    is_source: impl Fn(&Path) -> bool,
) -> Result<Evidence, StartError> {
    let (mut known, mut log) = (Vec::new(), None);
    witnessed(&args.source, key, &mut known)?;
    if let Some(lost) = &args.lost {
        if !is_source(lost) {
            log = lost_log(lost)?;
        }
        let path = lost.join("anchor");
        let anchored = read_anchor(&path)?;
        if anchored.size > 0 {
            let mut anchor = verified(&String::from_utf8_lossy(&anchored.note), key, &path.display())?;
            // A slot that cannot be read may be the one that says more.
            anchor.is_last = !anchored.torn;
            known.push(anchor);
        }
        witnessed(lost, key, &mut known)?;
    }
    for path in &args.signed {
        let bytes = read_some(path, MAX_FILE)?.ok_or_else(|| refuse(&path.display(), &"there is no such file"))?;
        let text = String::from_utf8(bytes).map_err(|_| refuse(&path.display(), &"it is not text"))?;
        let before = known.len();
        if text.trim_start().starts_with('{') {
            for (number, value) in serde_json::Deserializer::from_str(&text).into_iter::<Value>().enumerate() {
                let place = format!("{}, {}", path.display(), number + 1);
                let value = value.map_err(|e| refuse(&place, &e))?;
                let found = known.len();
                within(&value, key, &place, &mut known)?;
                if known.len() == found {
                    return Err(refuse(&place, &"there is no checkpoint in it, and no receipt"));
                }
            }
        } else {
            known.push(note_or_receipt(&text, key, &path.display())?);
        }
        if known.len() == before {
            return Err(refuse(&path.display(), &"it is empty"));
        }
    }
    Ok(Evidence { known, lost: log })
}

/// The log of the lost folder, if it is there and can be read: it says whether the anchor beside it is the last.
///
/// *Attacks, and accidents: the folder is in use, and its service signs on; an anchor from a copy lies in it, with a log that
/// goes on far behind it.*
fn lost_log(lost: &Path) -> Result<Option<Box<ReadCopy>>, StartError> {
    match Store::open_copy(lost) {
        Ok(copy) => Ok(Some(Box::new(copy))),
        Err(failure @ (StoreError::Locked { .. } | StoreError::AnchorStale { .. })) => Err(failure.into()),
        // What is left may be the anchor alone, or a log that the disk does not give back.
        Err(_) => Ok(None),
    }
}

/// The newest checkpoint that witnesses cosigned, where a data folder keeps one.
fn witnessed(dir: &Path, key: &VerifierKey, known: &mut Vec<Known>) -> Result<(), StartError> {
    let path = dir.join("witnessed");
    if let Some(bytes) = read_some(&path, MAX_NOTE as u64)? {
        known.push(verified(&String::from_utf8_lossy(&bytes), key, &path.display())?);
    }
    Ok(())
}

/// Checkpoints and receipts anywhere in a saved reply, or in a line of a history.
fn within(value: &Value, key: &VerifierKey, place: &str, known: &mut Vec<Known>) -> Result<(), StartError> {
    match value {
        Value::String(text) if text.contains("\n\n\u{2014} ") => known.push(note_or_receipt(text, key, &place)?),
        Value::Array(values) => values.iter().try_for_each(|value| within(value, key, place, known))?,
        Value::Object(fields) => fields.values().try_for_each(|value| within(value, key, place, known))?,
        _ => {}
    }
    Ok(())
}

fn note_or_receipt(text: &str, key: &VerifierKey, place: &dyn std::fmt::Display) -> Result<Known, StartError> {
    match TlogProof::parse(text.as_bytes()) {
        Ok(receipt) => verified(&receipt.checkpoint_text, key, place),
        Err(_) => verified(text, key, place),
    }
}

fn verified(note: &str, key: &VerifierKey, place: &dyn std::fmt::Display) -> Result<Known, StartError> {
    let checkpoint = verify_checkpoint(note, key).map_err(|e| refuse(place, &format!("not signed by {key}: {e}")))?;
    let own_time = own_time_in(note, key);
    Ok(Known { size: checkpoint.size, root: checkpoint.root, place: place.to_string(), is_last: false, own_time })
}

fn refuse(place: &dyn std::fmt::Display, why: &dyn std::fmt::Display) -> StartError {
    StartError::refuse("what is said to be signed cannot be used", format!("{place}: {why}"))
}
