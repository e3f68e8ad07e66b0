//! Trust policies (c2sp.org/tlog-policy): the trusted logs and witnesses, and how many witnesses must cosign.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::key::{KeyType, VerifierKey};
use crate::note::{MAX_NOTE, Note, VerifiedSignature};
use crate::receipt::ReceiptError;

/// Longest policy file in bytes: 64 logs, 64 witnesses and 64 groups with room for comments.
pub const MAX_POLICY: usize = 128 * 1024;

/// Most logs, most witnesses and most groups (the format asks for at least 32 of each).
pub const MAX_POLICY_NAMES: usize = 64;

/// A log the policy accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLog {
    /// Its key; the key's name is its origin.
    pub key: VerifierKey,
    /// Its address, opaque.
    pub url: Option<Vec<u8>>,
}

/// A witness the policy knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyWitness {
    /// Its name within the policy: octets without meaning elsewhere.
    pub name: Vec<u8>,
    /// Its cosignature key.
    pub key: VerifierKey,
    /// Its address, opaque.
    pub url: Option<Vec<u8>>,
}

/// A witness or a group; members stand before the group that names them, so there are no circles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// An index into the witnesses.
    Witness(usize),
    /// Met when at least `threshold` of the member nodes are.
    Group { threshold: usize, members: Vec<usize> },
}

/// A policy: a checkpoint is valid if one of the logs signed it and the quorum cosigned it (spec/receipts.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub(crate) logs: Vec<PolicyLog>,
    pub(crate) witnesses: Vec<PolicyWitness>,
    pub(crate) nodes: Vec<Node>,
    /// The node that must be met; `None` asks for no cosignature.
    pub(crate) quorum: Option<usize>,
}

/// A witness of the policy whose cosignature holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosigned {
    /// The witness's key, as the policy names it.
    pub key: VerifierKey,
    /// The time it claims to have cosigned, in seconds since the epoch; not checked against a clock.
    pub time: u64,
}

/// A checkpoint that meets the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedCheckpoint {
    /// Its content.
    pub checkpoint: Checkpoint,
    /// The log's key that signed it.
    pub log: VerifierKey,
    /// The policy's witnesses that cosigned it, whether or not the quorum needed them.
    pub cosigned_by: Vec<Cosigned>,
}

impl Policy {
    /// The policy that trusts one log and asks for no witness.
    ///
    /// # Errors
    /// [`CheckpointError::NotALogKey`] for a witness's key.
    pub fn for_log(key: VerifierKey) -> Result<Self, CheckpointError> {
        if key.key_type() != KeyType::Ed25519 {
            return Err(CheckpointError::NotALogKey { name: key.name().to_owned() });
        }
        let logs = vec![PolicyLog { key, url: None }];
        Ok(Self { logs, witnesses: Vec::new(), nodes: Vec::new(), quorum: None })
    }

    /// The same policy with the log `key` added. A log uses it with its own key and a file of witnesses.
    ///
    /// # Errors
    /// [`CheckpointError::NotALogKey`] for a witness's key, [`CheckpointError::OwnWitness`] if a witness has this key.
    pub fn with_log(mut self, key: VerifierKey) -> Result<Self, CheckpointError> {
        if self.witnesses.iter().any(|witness| witness.key.public_key() == key.public_key()) {
            return Err(CheckpointError::OwnWitness { name: key.name().to_owned() });
        }
        let own = Self::for_log(key)?;
        if own.logs.iter().any(|log| self.logs.iter().all(|known| known.key != log.key)) {
            self.logs.extend(own.logs);
        }
        Ok(self)
    }

    /// The logs, in the file's order.
    #[must_use]
    pub fn logs(&self) -> &[PolicyLog] {
        &self.logs
    }

    /// The witnesses, in the file's order.
    #[must_use]
    pub fn witnesses(&self) -> &[PolicyWitness] {
        &self.witnesses
    }

    /// Whether the quorum is met by those witnesses that `has_cosigned` names.
    pub fn quorum_met(&self, has_cosigned: impl Fn(&PolicyWitness) -> bool) -> bool {
        let Some(quorum) = self.quorum else { return true };
        let mut met: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let is_met = match node {
                Node::Witness(index) => self.witnesses.get(*index).is_some_and(&has_cosigned),
                Node::Group { threshold, members } => {
                    let count = members.iter().filter(|&&m| met.get(m) == Some(&true)).count();
                    count >= *threshold
                }
            };
            met.push(is_met);
        }
        met.get(quorum) == Some(&true)
    }

    /// Reads a signed checkpoint and checks it against the policy: signed by a listed log as its own, no bad
    /// signature of any listed key, quorum met.
    ///
    /// # Errors
    /// [`ReceiptError::Checkpoint`], [`ReceiptError::UnknownLog`] or [`ReceiptError::QuorumNotMet`].
    pub fn verify_checkpoint(&self, signed: &str) -> Result<VerifiedCheckpoint, ReceiptError> {
        let note = Note::parse(signed.as_bytes(), MAX_NOTE).map_err(CheckpointError::from)?;
        let checkpoint = Checkpoint::parse(note.text())?;
        let logs = self.logs.iter().map(|log| log.key.clone());
        let witnesses = self.witnesses.iter().map(|witness| witness.key.clone());
        let known: Vec<VerifierKey> = logs.chain(witnesses).collect();
        let signatures = note.verified(&known).map_err(CheckpointError::from)?;

        // A listed log's signature under another log's origin does not count.
        let is_its_log = |signature: &&VerifiedSignature<'_>| {
            signature.key.key_type() == KeyType::Ed25519 && signature.key.name() == checkpoint.origin
        };
        let Some(log) = signatures.iter().find(is_its_log).map(|found| found.key.clone()) else {
            return Err(ReceiptError::UnknownLog { origin: checkpoint.origin });
        };
        let mut cosigned_by: Vec<Cosigned> = Vec::new();
        for (key, time) in signatures.iter().filter_map(|found| Some((found.key, found.time?))) {
            // A witness that signed twice counts once, with the later time.
            match cosigned_by.iter_mut().find(|by| by.key == *key) {
                Some(by) => by.time = by.time.max(time),
                None => cosigned_by.push(Cosigned { key: key.clone(), time }),
            }
        }
        if !self.quorum_met(|witness| cosigned_by.iter().any(|by| by.key == witness.key)) {
            return Err(ReceiptError::QuorumNotMet { cosigned: cosigned_by.len() });
        }
        Ok(VerifiedCheckpoint { checkpoint, log, cosigned_by })
    }
}
