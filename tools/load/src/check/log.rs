use super::Flaw;
use crate::wire::Receipt;
use fairshoe_house::Entry;
use fairshoe_tlog::{Checkpoint, Hash, TlogProof, VerifierKey, leaf_hash, verify_checkpoint, verify_inclusion};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Checkpoints kept for comparison: enough that players who answer late still find theirs.
const KEPT: usize = 4096;

/// An entry proven to be on the log.
#[derive(Clone, Debug)]
pub struct OnLog {
    /// Its place.
    pub index: u64,
    /// Its hash in the tree.
    pub leaf: Hash,
    /// What it says.
    pub entry: Entry,
    /// What it was proven under.
    pub checkpoint: Arc<Checkpoint>,
}

/// One log as several players see it. Each distinct checkpoint's signature is verified once; two roots for one size
/// are a fork, whichever players were shown them.
pub struct LogCheck {
    key: VerifierKey,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    verified: HashMap<String, Arc<Checkpoint>>,
    roots: BTreeMap<u64, Hash>,
    first: Option<Arc<Checkpoint>>,
    last: Option<Arc<Checkpoint>>,
    count: u64,
}

impl LogCheck {
    /// The log of this key.
    pub fn new(key: VerifierKey) -> Self {
        LogCheck { key, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many distinct checkpoints were verified.
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
            return Err(Flaw::Forked { size: checkpoint.size });
        }
        if seen.verified.len() >= KEPT {
            seen.verified.clear();
        }
        while seen.roots.len() >= KEPT {
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
        let proof = TlogProof::parse(receipt.proof.as_bytes()).map_err(|error| Flaw::Receipt { index, error })?;
        if proof.index != index {
            return Err(Flaw::OtherIndex { stated: index, receipt: proof.index });
        }
        let checkpoint = self.checkpoint(&proof.checkpoint_text)?;
        if checkpoint.size < *known {
            return Err(Flaw::Shrunk { before: *known, after: checkpoint.size });
        }
        let leaf = leaf_hash(receipt.entry.as_bytes());
        verify_inclusion(&leaf, index, checkpoint.size, &proof.path, &checkpoint.root).map_err(|error| Flaw::Inclusion { index, error })?;
        *known = checkpoint.size;
        let entry = Entry::decode(receipt.entry.as_bytes()).map_err(|error| Flaw::Entry { index, error })?;
        Ok(OnLog { index, leaf, entry, checkpoint })
    }
}
