//! The witness protocol's request, and a witness's decision on it (c2sp.org/tlog-witness).

use thiserror::Error;

use crate::checkpoint::{Checkpoint, verify_checkpoint};
use crate::hash::{EMPTY_ROOT, Hash};
use crate::key::VerifierKey;
use crate::note::{MAX_NOTE, Note};
use crate::proof::{MAX_PROOF, verify_consistency};
use crate::text::decimal;

/// The longest `add-checkpoint` body that is read, in bytes: the old size, a full proof, the longest note.
pub const MAX_ADD_CHECKPOINT: usize = 32 + 64 * MAX_PROOF + MAX_NOTE;

/// A log's request for a cosignature: the size from which the witness shall follow it, and the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size that the log believes the witness has seen.
    pub old_size: u64,
    /// The consistency proof from there to the checkpoint; empty if there is nothing to prove.
    pub proof: Vec<Hash>,
    /// The signed checkpoint, verbatim.
    pub checkpoint: String,
}

/// Why a request cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not an add-checkpoint request: line {line} is not what belongs there")]
pub struct MalformedRequest {
    /// The line, from 1.
    pub line: usize,
}

impl AddCheckpoint {
    /// Reads a request's body.
    ///
    /// # Errors
    /// [`MalformedRequest`] with the first line that is wrong; a body that is too long or not UTF-8 is wrong in line 1.
    pub fn parse(body: &[u8]) -> Result<Self, MalformedRequest> {
        let text = std::str::from_utf8(body).ok().filter(|text| text.len() <= MAX_ADD_CHECKPOINT);
        let text = text.ok_or(MalformedRequest { line: 1 })?;
        let (first, mut rest) = text.split_once('\n').ok_or(MalformedRequest { line: 1 })?;
        let old_size = first.strip_prefix("old ").and_then(decimal).ok_or(MalformedRequest { line: 1 })?;
        let mut proof = Vec::new();
        for line in 2.. {
            let (hash, after) = rest.split_once('\n').ok_or(MalformedRequest { line })?;
            rest = after;
            if hash.is_empty() {
                break;
            }
            if proof.len() == MAX_PROOF {
                return Err(MalformedRequest { line });
            }
            proof.push(hash.parse().map_err(|_| MalformedRequest { line })?);
        }
        Ok(Self { old_size, proof, checkpoint: rest.to_owned() })
    }

    /// The request's body; [`AddCheckpoint::parse`] of it gives the same request.
    #[must_use]
    pub fn format(&self) -> String {
        let hashes: String = self.proof.iter().map(|hash| format!("{hash}\n")).collect();
        format!("old {}\n{hashes}\n{}", self.old_size, self.checkpoint)
    }
}

/// The size in a witness's `409 Conflict` (c2sp.org/tlog-witness): only a decimal and a newline.
#[must_use]
pub fn conflict_size(body: &[u8]) -> Option<u64> {
    decimal(std::str::from_utf8(body).ok()?.strip_suffix('\n')?)
}

/// The tree of a log that a witness last cosigned; the empty tree before the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastCosigned {
    /// The number of entries of that tree.
    pub size: u64,
    /// The root of that tree.
    pub root: Hash,
}

/// Why a witness refuses to cosign; each reason has its HTTP status.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WitnessRefusal {
    /// The request or its checkpoint cannot be read, or its size is smaller than the old one.
    #[error("{0}")]
    Malformed(String),
    /// The checkpoint bears no signature of the log's key.
    #[error("the checkpoint bears no valid signature of the log's key")]
    NotSigned,
    /// This witness knows no log of that origin.
    #[error("no log of this origin is known here")]
    UnknownLog,
    /// The witness has seen another size than the log assumes, or another tree of the same size.
    #[error("the last checkpoint cosigned has size {0}")]
    Conflict(u64),
    /// The proof does not lead from the tree seen to this one.
    #[error("the consistency proof does not hold: {0}")]
    BadProof(String),
}

impl WitnessRefusal {
    /// The HTTP status of the answer.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            WitnessRefusal::Malformed(_) => 400,
            WitnessRefusal::NotSigned => 403,
            WitnessRefusal::UnknownLog => 404,
            WitnessRefusal::Conflict(_) => 409,
            WitnessRefusal::BadProof(_) => 422,
        }
    }
}

/// The origin in a request's checkpoint, by which a witness finds its record of the log.
///
/// # Errors
/// [`WitnessRefusal::Malformed`] if there is no checkpoint.
pub fn requested_origin(request: &AddCheckpoint) -> Result<String, WitnessRefusal> {
    let malformed = |e: &dyn std::fmt::Display| WitnessRefusal::Malformed(e.to_string());
    let note = Note::parse(request.checkpoint.as_bytes(), MAX_NOTE).map_err(|e| malformed(&e))?;
    Checkpoint::parse(note.text()).map(|checkpoint| checkpoint.origin).map_err(|e| malformed(&e))
}

/// Checks whether a witness that has `seen` this much of the log with this key may cosign; if so, returns the
/// checkpoint.
///
/// The caller MUST store the checkpoint's size and root durably before it sends the cosignature, and MUST handle one
/// request for a log at a time. A witness that forgets, or answers two requests at once, can be led to cosign a fork.
///
/// # Errors
/// [`WitnessRefusal`] naming the first check that failed.
pub fn admit(
    request: &AddCheckpoint,
    key: &VerifierKey,
    seen: Option<LastCosigned>,
) -> Result<(Checkpoint, String), WitnessRefusal> {
    requested_origin(request)?;
    let checkpoint = verify_checkpoint(&request.checkpoint, key).map_err(|_| WitnessRefusal::NotSigned)?;
    let note =
        Note::parse(request.checkpoint.as_bytes(), MAX_NOTE).map_err(|e| WitnessRefusal::Malformed(e.to_string()))?;
    if request.old_size > checkpoint.size {
        let why = format!("the log goes back: from size {} to {}", request.old_size, checkpoint.size);
        return Err(WitnessRefusal::Malformed(why));
    }
    // Before the first time the tree is empty and its root is known: a witness cosigns no other tree of size 0.
    let seen = seen.unwrap_or(LastCosigned { size: 0, root: EMPTY_ROOT });
    if request.old_size != seen.size || seen.size == checkpoint.size && seen.root != checkpoint.root {
        return Err(WitnessRefusal::Conflict(seen.size));
    }
    verify_consistency(seen.size, checkpoint.size, &seen.root, &checkpoint.root, &request.proof)
        .map_err(|e| WitnessRefusal::BadProof(e.to_string()))?;
    Ok((checkpoint, note.text().to_owned()))
}
