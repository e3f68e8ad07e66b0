//! One log as several players see it: signatures, consistency of the checkpoints, inclusion of each entry (spec/log.md,
//! "What each check shows"). Other checks read the entries' content.

use super::Flaw;
use super::flaw::same;
use fairshoe_api::{Receipt, TableEntry};
use fairshoe_house::{Actor, Command, Entry, Event, HouseNote};
use fairshoe_tlog::{
    Checkpoint, Hash, ProofError, TlogProof, VerifierKey, leaf_hash, verify_checkpoint, verify_inclusion,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of checkpoints kept for comparison: enough for players who answer late.
const MAX_CHECKPOINTS: usize = 4096;

/// An entry proven to be on the log.
#[derive(Clone, Debug)]
pub struct OnLog {
    /// Its index.
    pub index: u64,
    /// Its hash in the tree.
    pub leaf: Hash,
    /// Its content.
    pub entry: Entry,
    /// The checkpoint of its proof.
    pub checkpoint: Arc<Checkpoint>,
}

/// One log as several players see it. Each distinct checkpoint's signature is verified once; two roots for one size are
/// a fork, even if different players saw them.
pub struct LogCheck {
    key: VerifierKey,
    seen: Mutex<SeenCheckpoints>,
    /// Whether several nodes are asked: one may be behind another without lying.
    has_nodes: bool,
}

#[derive(Default)]
struct SeenCheckpoints {
    verified: HashMap<String, Arc<Checkpoint>>,
    roots: BTreeMap<u64, Hash>,
    first: Option<Arc<Checkpoint>>,
    last: Option<Arc<Checkpoint>>,
    count: u64,
}

impl LogCheck {
    /// The log of this key.
    pub fn new(key: VerifierKey) -> Self {
        LogCheck { key, seen: Mutex::default(), has_nodes: false }
    }

    /// The same, for a log of several nodes.
    #[must_use]
    pub fn of_nodes(self, has_nodes: bool) -> Self {
        LogCheck { has_nodes, ..self }
    }

    /// The key that signs its checkpoints.
    pub fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Checks the note of a seed or a choice that was decided at this time: the log's own signature, this command, no
    /// later time.
    ///
    /// # Errors
    /// [`Flaw::Note`], [`Flaw::OtherNote`], [`Flaw::LateNote`].
    pub fn received(&self, note: &str, by: &Actor, command: &Command, decided: u64) -> Result<(), Flaw> {
        let HouseNote::Received(note) = HouseNote::verify(note.as_bytes(), &self.key)? else {
            return Err(Flaw::OtherNote);
        };
        if note.by != *by || note.command != *command {
            return Err(Flaw::OtherNote);
        }
        if note.time > decided { Err(Flaw::LateNote(decided, note.time)) } else { Ok(()) }
    }

    fn seen(&self) -> MutexGuard<'_, SeenCheckpoints> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of distinct checkpoints verified.
    pub fn checkpoints(&self) -> u64 {
        self.seen().count
    }

    /// The smallest and the largest checkpoint seen.
    pub fn span(&self) -> Option<(Arc<Checkpoint>, Arc<Checkpoint>)> {
        let seen = self.seen();
        Some((seen.first.clone()?, seen.last.clone()?))
    }

    /// Checks a signed checkpoint against the key and against those seen before.
    ///
    /// # Errors
    /// [`Flaw::Checkpoint`] or [`Flaw::Forked`].
    pub fn checkpoint(&self, signed: &str) -> Result<Arc<Checkpoint>, Flaw> {
        if let Some(known) = self.seen().verified.get(signed) {
            return Ok(known.clone());
        }
        let checkpoint = Arc::new(verify_checkpoint(signed, &self.key)?);
        let mut seen = self.seen();
        if seen.roots.get(&checkpoint.size).is_some_and(|root| *root != checkpoint.root) {
            return Err(Flaw::Forked(checkpoint.size));
        }
        if seen.verified.len() >= MAX_CHECKPOINTS {
            seen.verified.clear();
        }
        while seen.roots.len() >= MAX_CHECKPOINTS {
            seen.roots.pop_first();
        }
        seen.roots.insert(checkpoint.size, checkpoint.root);
        if seen.first.as_ref().is_none_or(|first| checkpoint.size < first.size) {
            seen.first = Some(checkpoint.clone());
        }
        if seen.last.as_ref().is_none_or(|last| checkpoint.size > last.size) {
            seen.last = Some(checkpoint.clone());
        }
        if seen.verified.insert(signed.to_owned(), checkpoint.clone()).is_none() {
            seen.count += 1;
        }
        Ok(checkpoint)
    }

    /// Checks that the entry is on the log, under a checkpoint no smaller than `known`, which is moved up to it.
    ///
    /// # Errors
    /// [`Flaw`] naming the first check that failed.
    pub fn receipt(&self, receipt: &Receipt, known: &mut u64) -> Result<OnLog, Flaw> {
        let index = receipt.index;
        let proof = receipt.proof().map_err(|_| Flaw::NoProof(index))?;
        let proof = TlogProof::parse(proof.as_bytes()).map_err(|error| Flaw::Receipt(index, error))?;
        if proof.index != index {
            return Err(Flaw::OtherIndex(index, proof.index));
        }
        let checkpoint = self.newer(&proof.checkpoint_text, known)?;
        proven(index, &receipt.entry, &proof.path, checkpoint)
    }

    /// The same for an entry in a page of its table, under the page's checkpoint.
    ///
    /// # Errors
    /// [`Flaw`] naming the first check that failed.
    pub fn page_entry(&self, entry: &TableEntry, checkpoint: &Arc<Checkpoint>) -> Result<OnLog, Flaw> {
        let index = entry.index;
        let path: Option<Vec<Hash>> = entry.proof.iter().flatten().map(|hash| hash.parse().ok()).collect();
        let found = entry.proof.iter().flatten().count();
        let path = path.ok_or(Flaw::Inclusion(index, ProofError::WrongLength { found }))?;
        let on_log = proven(index, &entry.entry, &path, checkpoint.clone())?;
        same("the entry's number in its table", &Some(entry.seq), &on_log.entry.at.as_ref().map(|at| at.seq))?;
        Ok(on_log)
    }

    /// A checkpoint no smaller than `known`, which is moved up to it.
    ///
    /// # Errors
    /// [`Flaw::Checkpoint`], [`Flaw::Forked`] or [`Flaw::Shrunk`].
    pub fn newer(&self, signed: &str, known: &mut u64) -> Result<Arc<Checkpoint>, Flaw> {
        let checkpoint = self.checkpoint(signed)?;
        if checkpoint.size < *known && !self.has_nodes {
            return Err(Flaw::Shrunk(*known, checkpoint.size));
        }
        *known = checkpoint.size.max(*known);
        Ok(checkpoint)
    }
}

/// The entry, if the path leads from it to the checkpoint's root.
fn proven(index: u64, text: &str, path: &[Hash], checkpoint: Arc<Checkpoint>) -> Result<OnLog, Flaw> {
    let leaf = leaf_hash(text.as_bytes());
    verify_inclusion(&leaf, index, checkpoint.size, path, &checkpoint.root)
        .map_err(|error| Flaw::Inclusion(index, error))?;
    let entry = Entry::decode(text.as_bytes()).map_err(|error| Flaw::Entry(index, error))?;
    Ok(OnLog { index, leaf, entry, checkpoint })
}

impl OnLog {
    /// Checks that this entry makes a bet or a pile binding, and that its shoe was committed before, both under one
    /// signed checkpoint. A player must have these proofs before they reveal (spec/fairness.md, "What a client does").
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn binds_on(&self, shoe: &OnLog) -> Result<(), Flaw> {
        let committed = shoe
            .entry
            .events
            .iter()
            .find_map(|event| if let Event::ShoeCommitted { shoe_no, .. } = event { Some(*shoe_no) } else { None });
        let bound = self.entry.events.iter().find_map(|event| match event {
            Event::BetsClosed { shoe_no, .. }
            | Event::HandBegun { shoe_no, .. }
            | Event::PileClosed { shoe_no, .. } => Some(*shoe_no),
            _ => None,
        });
        same(
            "the table of shoe_committed",
            &self.entry.at.as_ref().map(|at| &at.table),
            &shoe.entry.at.as_ref().map(|at| &at.table),
        )?;
        same("the shoe committed", &Some(bound), &committed.map(Some))?;
        if self.checkpoint != shoe.checkpoint {
            return Err(Flaw::TwoCheckpoints);
        }
        if shoe.index >= self.index {
            return Err(Flaw::CommittedLate(shoe.index, self.index));
        }
        Ok(())
    }
}
