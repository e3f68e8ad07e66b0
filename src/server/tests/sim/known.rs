//! What the world was told, and must find in the log for ever: acknowledged entries, signed checkpoints, signed notes.

use crate::process::{Ack, ORIGIN};
use crate::rng::Rng;
use fairshoe::parts::CommittedAt;
use fairshoe_house::{Entry, HouseNote, SeenCheckpoint, State};
use fairshoe_judge::audit::{Book, LedgerBook, Limits, Told};
use fairshoe_tlog::{Checkpoint, Hash, TlogProof, Tree, VerifierKey, leaf_hash, verify_checkpoint, verify_inclusion};
use serde_json::Value;
use std::collections::BTreeMap;

/// See the module.
pub struct Known {
    key: VerifierKey,
    /// Checkpoints whose signatures were verified.
    verified: BTreeMap<String, Checkpoint>,
    entries: BTreeMap<u64, String>,
    roots: BTreeMap<u64, Hash>,
    notes: Vec<String>,
    /// States that were written down, with how many entries each says it has.
    snapshots: Vec<(u64, Vec<u8>)>,
}

impl Known {
    pub fn new(key: VerifierKey) -> Known {
        Known {
            key,
            verified: BTreeMap::new(),
            entries: BTreeMap::new(),
            roots: BTreeMap::new(),
            notes: Vec::new(),
            snapshots: Vec::new(),
        }
    }

    /// A client reads a reply: its proof holds, and it fits all that anybody was told before.
    pub fn acknowledged(&mut self, ack: &Ack) -> Result<(), String> {
        let proof = TlogProof::parse(ack.proof.as_bytes())
            .map_err(|e| format!("entry {}: its receipt is none: {e}", ack.index))?;
        let checkpoint = self.checkpoint(&proof.checkpoint_text)?;
        let leaf = leaf_hash(ack.entry.as_bytes());
        verify_inclusion(&leaf, proof.index, checkpoint.size, &proof.path, &checkpoint.root)
            .map_err(|e| format!("entry {}: its receipt: {e}", ack.index))?;
        if proof.index != ack.index {
            return Err(format!("entry {} came with the receipt of entry {}", ack.index, proof.index));
        }
        match self.entries.insert(ack.index, ack.entry.clone()) {
            Some(before) if before != ack.entry => {
                Err(format!("entry {} was acknowledged as {before} and as {}", ack.index, ack.entry))
            }
            _ => Ok(()),
        }
    }

    /// Somebody reads a checkpoint.
    pub fn checkpoint(&mut self, note: &str) -> Result<Checkpoint, String> {
        if let Some(verified) = self.verified.get(note) {
            return Ok(verified.clone());
        }
        let checkpoint = verify_checkpoint(note, &self.key).map_err(|e| format!("a checkpoint does not hold: {e}"))?;
        self.verified.insert(note.to_owned(), checkpoint.clone());
        self.signed(&checkpoint)?;
        Ok(checkpoint)
    }

    fn signed(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        match self.roots.insert(checkpoint.size, checkpoint.root) {
            Some(before) if before != checkpoint.root => {
                Err(format!("two histories: two trees of {} entries are signed", checkpoint.size))
            }
            _ => Ok(()),
        }
    }

    /// A client keeps a note that the service signed.
    pub fn note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    /// Somebody writes the state down.
    pub fn snapshot(&mut self, size: u64, state: &State) {
        self.snapshots.push((size, serde_json::to_vec(state).unwrap()));
    }

    /// A checkpoint that somebody holds.
    pub fn seen_checkpoint(&self, rng: &mut Rng) -> Option<SeenCheckpoint> {
        let nth = rng.below(self.roots.len().max(1));
        self.roots.iter().nth(nth).map(|(size, root)| SeenCheckpoint { size: *size, root: root.to_string() })
    }

    /// What a start has in memory is what the whole log folds to.
    pub fn started(log: &[Vec<u8>], state: &State, committed: &CommittedAt, from: u64) -> Result<(), String> {
        let (mut folded, mut places) = (State::new(), CommittedAt::default());
        for (index, bytes) in (0..).zip(log) {
            let entry = Entry::decode(bytes).map_err(|e| e.to_string())?;
            folded.apply(&entry).map_err(|e| format!("entry {index}: {e}"))?;
            places.note(index, &entry);
        }
        same(&folded, state, &format!("the state after a start from {from} of {} entries", log.len()))?;
        if serde_json::to_value(&places).unwrap() != serde_json::to_value(committed).unwrap() {
            return Err(format!(
                "after a start from {from} of {} entries commitments stand elsewhere than in the log",
                log.len()
            ));
        }
        Ok(())
    }

    /// Everything acknowledged and signed is in this log.
    pub fn hold_against(&self, log: &[Vec<u8>]) -> Result<(), String> {
        for (index, entry) in &self.entries {
            match log.get(*index as usize) {
                Some(bytes) if bytes == entry.as_bytes() => {}
                Some(_) => return Err(format!("lost: entry {index} was acknowledged and is another one now")),
                None => return Err(format!("lost: entry {index} was acknowledged, the log has {}", log.len())),
            }
        }
        let mut tree = Tree::new();
        for bytes in log {
            tree.append(leaf_hash(bytes));
            if let Some(root) = self.roots.get(&tree.size())
                && *root != tree.root()
            {
                return Err(format!(
                    "two histories: the log's first {} entries are not those that were signed",
                    tree.size()
                ));
            }
        }
        match self.roots.last_key_value() {
            Some((size, _)) if *size > tree.size() => {
                Err(format!("lost: {size} entries were signed, the log has {}", tree.size()))
            }
            _ => Ok(()),
        }
    }

    /// The auditor, the ledger and the snapshots over the log as it is at the end.
    pub fn judge(&self, log: &[Vec<u8>]) -> Result<(), String> {
        self.hold_against(log)?;
        let notes = self.notes.iter().map(|note| HouseNote::verify(note.as_bytes(), &self.key));
        let notes = notes.collect::<Result<Vec<_>, _>>().map_err(|e| format!("a signed note does not hold: {e}"))?;
        let (mut told, mut chips) = (Told::new(notes.clone()), LedgerBook::new(Some(ORIGIN.to_owned())));
        let mut book = Book::new(Limits { origin: Some(ORIGIN.to_owned()), ..Limits::default() });
        let (mut state, mut snapshots) = (State::new(), self.snapshots.iter().peekable());
        let mut restored: Option<State> = None;
        for (index, bytes) in (0..).zip(log) {
            let reading = Book::read(index, bytes);
            if let Some(entry) = reading.entry() {
                told.before(&book, index, entry);
            }
            book.feed_read(reading)
                .map_err(|finding| format!("the auditor: {finding}{}", before(log, finding.entry)))?;
            chips.feed(index, bytes).map_err(|finding| format!("the ledger: {finding}"))?;
            let entry = Entry::decode(bytes).map_err(|e| e.to_string())?;
            state.apply(&entry).map_err(|e| format!("entry {index}: {e}"))?;
            if let Some(restored) = &mut restored {
                restored.apply(&entry).map_err(|e| format!("entry {index} after a snapshot: {e}"))?;
            }
            while let Some((_, written)) = snapshots.next_if(|(size, _)| *size == index + 1) {
                let read: State =
                    serde_json::from_slice(written).map_err(|e| format!("a snapshot cannot be read back: {e}"))?;
                same(&state, &read, &format!("the snapshot at {}", index + 1))?;
                restored = Some(read);
            }
        }
        if let Some(restored) = &restored {
            same(&state, restored, "the snapshot, gone on with to the end,")?;
        }
        if state.ledger().total() != 0 {
            return Err(format!("the accounts stand at {} together", state.ledger().total()));
        }
        if let Some((note, finding)) = told.finish(&book).findings.first() {
            return Err(format!(
                "a signed note against the log: {finding}\n{}{}",
                self.notes[*note],
                before(log, finding.entry)
            ));
        }
        let report = book.finish();
        match report.first_failure.or(chips.finish().first_failure) {
            Some(finding) => Err(format!("the auditor: {finding}")),
            None => Ok(()),
        }
    }
}

/// The entries up to one, for whoever looks for the reason.
fn before(log: &[Vec<u8>], entry: Option<u64>) -> String {
    let Some(last) = entry.map(|entry| entry as usize) else { return String::new() };
    let entries = (0..).zip(log).take(last + 1).skip(last.saturating_sub(6));
    entries.map(|(index, bytes)| format!("\n  {index}: {:.300}", String::from_utf8_lossy(bytes))).collect()
}

/// A list that stands for a map has no order of its own.
fn in_order(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(in_order);
            let is_pair = |item: &Value| item.as_array().is_some_and(|pair| pair.len() == 2 && pair[0].is_array());
            if items.iter().all(is_pair) {
                items.sort_by_cached_key(ToString::to_string);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(in_order),
        _ => {}
    }
}

fn same(folded: &State, read: &State, what: &str) -> Result<(), String> {
    let value = |state: &State| {
        let mut value: Value = serde_json::from_slice(&serde_json::to_vec(state).unwrap()).unwrap();
        in_order(&mut value);
        value
    };
    let (folded, read) = (value(folded), value(read));
    if folded == read {
        return Ok(());
    }
    let fields =
        folded.as_object().into_iter().flatten().filter(|(name, value)| read.get(name.as_str()) != Some(value));
    let named: Vec<String> = fields.map(|(name, value)| format!("{name}: {value} / {}", read[name])).collect();
    Err(format!("{what} is not the state that the log folds to: {}", named.join("; ")))
}
