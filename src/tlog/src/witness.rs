//! The witness protocol's request, and what a witness decides on it (c2sp.org/tlog-witness).

use thiserror::Error;

use crate::checkpoint::{Checkpoint, verify_checkpoint};
use crate::hash::{EMPTY_ROOT, Hash};
use crate::key::VerifierKey;
use crate::note::{MAX_NOTE, Note};
use crate::proof::{MAX_PROOF, verify_consistency};
use crate::text::decimal;

/// Longest `add-checkpoint` body that is looked at, in bytes: the old size, a full proof, a note of the greatest
/// length.
pub const MAX_ADD_CHECKPOINT: usize = 32 + 64 * MAX_PROOF + MAX_NOTE;

/// A log's request to be cosigned: from which size the witness is to follow it, and to which checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size that the log believes the witness has seen.
    pub old_size: u64,
    /// The consistency proof from there to the checkpoint; empty where there is nothing to prove.
    pub proof: Vec<Hash>,
    /// The signed checkpoint, verbatim.
    pub checkpoint: String,
}

/// Why bytes are no request.
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

/// The size that a witness's `409 Conflict` names (c2sp.org/tlog-witness): decimal and a newline, nothing else.
#[must_use]
pub fn conflict_size(body: &[u8]) -> Option<u64> {
    decimal(std::str::from_utf8(body).ok()?.strip_suffix('\n')?)
}

/// What a witness last cosigned of a log; the empty tree before the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastCosigned {
    /// How many entries that tree has.
    pub size: u64,
    /// The root of that tree.
    pub root: Hash,
}

/// Why a witness does not cosign; each has its HTTP status.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WitnessRefusal {
    /// The request or its checkpoint cannot be read, or asks to go back.
    #[error("{0}")]
    Malformed(String),
    /// The checkpoint bears no signature of the log's key.
    #[error("the checkpoint bears no valid signature of the log's key")]
    NotSigned,
    /// No log of that origin is known here.
    #[error("no log of this origin is known here")]
    UnknownLog,
    /// The witness has seen another size than the log believes, or another tree of the same size.
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

/// The origin that a request's checkpoint names, by which a witness finds what it knows of the log.
///
/// # Errors
/// [`WitnessRefusal::Malformed`] where there is no checkpoint.
pub fn requested_origin(request: &AddCheckpoint) -> Result<String, WitnessRefusal> {
    let malformed = |e: &dyn std::fmt::Display| WitnessRefusal::Malformed(e.to_string());
    let note = Note::parse(request.checkpoint.as_bytes(), MAX_NOTE).map_err(|e| malformed(&e))?;
    Checkpoint::parse(note.text()).map(|checkpoint| checkpoint.origin).map_err(|e| malformed(&e))
}

/// Whether a witness that has `seen` so much of the log with this key may cosign: the checkpoint, if so.
///
/// The caller MUST store the checkpoint's size and root durably before it lets a cosignature out, and MUST let no
/// second request for the same log in between: a witness that forgets, or answers two at once, can be led to cosign a
/// fork.
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
    // Before the first time it is the empty tree, whose root is known: no other tree of no entries is cosigned.
    let seen = seen.unwrap_or(LastCosigned { size: 0, root: EMPTY_ROOT });
    if request.old_size != seen.size || seen.size == checkpoint.size && seen.root != checkpoint.root {
        return Err(WitnessRefusal::Conflict(seen.size));
    }
    verify_consistency(seen.size, checkpoint.size, &seen.root, &checkpoint.root, &request.proof)
        .map_err(|e| WitnessRefusal::BadProof(e.to_string()))?;
    Ok((checkpoint, note.text().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoTiles, Signer, Tree, leaf_hash};

    fn log(leaves: u64) -> (Tree, Signer) {
        let mut tree = Tree::new();
        for n in 0..leaves {
            tree.append(leaf_hash(&n.to_be_bytes()));
        }
        (tree, Signer::new("log.example/w", &[7; 32]).unwrap())
    }

    fn at(size: u64) -> LastCosigned {
        LastCosigned { size, root: log(size).0.root() }
    }

    fn request(old_size: u64, size: u64) -> AddCheckpoint {
        let (tree, signer) = log(size);
        let proof = if old_size == 0 || old_size >= size {
            Vec::new()
        } else {
            tree.consistency_proof(old_size, size, &NoTiles).unwrap()
        };
        AddCheckpoint { old_size, proof, checkpoint: signer.sign_checkpoint(size, tree.root()) }
    }

    #[test]
    fn a_request_has_one_form() {
        let request = request(3, 11);
        assert_eq!(AddCheckpoint::parse(request.format().as_bytes()), Ok(request.clone()));
        let text = request.format();
        for (from, to, line) in
            [("old 3", "old 03", 1), ("old 3\n", "old 3\nAA\n", 2), ("\n\nlog", "\nlog", 2 + request.proof.len())]
        {
            assert_eq!(
                AddCheckpoint::parse(text.replacen(from, to, 1).as_bytes()),
                Err(MalformedRequest { line }),
                "{from}"
            );
        }
        let long = format!("old 0\n{}\n\n", vec![Hash([0; 32]).to_string(); MAX_PROOF + 1].join("\n"));
        assert_eq!(AddCheckpoint::parse(long.as_bytes()), Err(MalformedRequest { line: MAX_PROOF + 2 }));
    }

    #[test]
    fn the_longest_request_is_read_and_none_beyond_the_limit() {
        let of = |checkpoint: usize| AddCheckpoint {
            old_size: u64::MAX,
            proof: vec![Hash([0; 32]); MAX_PROOF],
            checkpoint: "c".repeat(checkpoint),
        };
        assert_eq!(AddCheckpoint::parse(of(MAX_NOTE).format().as_bytes()), Ok(of(MAX_NOTE)));
        let room = MAX_ADD_CHECKPOINT - of(0).format().len();
        assert!(room < MAX_NOTE + 2048, "{room}");
        assert_eq!(AddCheckpoint::parse(of(room).format().as_bytes()), Ok(of(room)));
        assert_eq!(AddCheckpoint::parse(of(room + 1).format().as_bytes()), Err(MalformedRequest { line: 1 }));
    }

    #[test]
    fn a_request_is_of_the_log_that_its_checkpoint_names() {
        assert_eq!(requested_origin(&request(0, 5)), Ok("log.example/w".to_owned()));
        for broken in ["", "log.example/w\n5\n"] {
            let request = AddCheckpoint { checkpoint: broken.into(), ..request(0, 5) };
            assert_eq!(requested_origin(&request).map_err(|e| e.status()), Err(400), "{broken:?}");
        }
        let refusals = [WitnessRefusal::UnknownLog, WitnessRefusal::NotSigned, WitnessRefusal::Conflict(5)];
        assert_eq!(refusals.map(|refusal| refusal.status()), [404, 403, 409]);
    }

    #[test]
    fn a_conflict_names_a_size_in_one_way() {
        for (body, size) in
            [("0\n", Some(0)), ("20852163\n", Some(20_852_163)), ("18446744073709551615\n", Some(u64::MAX))]
        {
            assert_eq!(conflict_size(body.as_bytes()), size, "{body:?}");
        }
        for body in ["", "\n", "7", "07\n", "+7\n", "7\n\n", "7 \n", "7\r\n", "-1\n", "18446744073709551616\n"] {
            assert_eq!(conflict_size(body.as_bytes()), None, "{body:?}");
        }
        assert_eq!(conflict_size(b"\xff\n"), None);
    }

    #[test]
    fn a_witness_follows_a_log_that_only_grows() {
        let key = log(0).1.verifier_key().clone();
        for (seen, old, new) in [(None, 0, 1), (None, 0, 9), (Some(3), 3, 3), (Some(3), 3, 11), (Some(8), 8, 200)] {
            let admitted = admit(&request(old, new), &key, seen.map(at)).unwrap();
            assert_eq!((admitted.0.size, admitted.0.root), (new, log(new).0.root()));
        }
    }

    #[test]
    fn a_witness_refuses_by_name() {
        let (tree, signer) = log(11);
        let key = signer.verifier_key().clone();
        let other = Signer::new("log.example/w", &[8; 32]).unwrap();
        let status = |request: &AddCheckpoint, seen: Option<LastCosigned>| {
            admit(request, &key, seen).map(|_| 200).unwrap_or_else(|e| e.status())
        };
        assert_eq!(status(&request(3, 11), Some(at(4))), 409);
        assert_eq!(status(&request(0, 11), Some(at(4))), 409);
        assert_eq!(admit(&request(3, 11), &key, Some(at(5))), Err(WitnessRefusal::Conflict(5)));
        assert_eq!(status(&request(12, 11), Some(at(12))), 400);
        let unsigned = AddCheckpoint { checkpoint: other.sign_checkpoint(11, tree.root()), ..request(3, 11) };
        assert_eq!(status(&unsigned, Some(at(3))), 403);
        let mut forged = request(3, 11);
        forged.proof.pop();
        assert_eq!(status(&forged, Some(at(3))), 422);
        let fork = AddCheckpoint { checkpoint: signer.sign_checkpoint(11, Hash([1; 32])), ..request(3, 11) };
        assert_eq!(status(&fork, Some(at(3))), 422);
        let twin =
            AddCheckpoint { old_size: 11, proof: Vec::new(), checkpoint: signer.sign_checkpoint(11, Hash([1; 32])) };
        assert_eq!(status(&twin, Some(at(11))), 409);
        let idle = AddCheckpoint { old_size: 0, proof: vec![Hash([0; 32])], ..request(0, 11) };
        assert_eq!(status(&idle, None), 422);
        let empty =
            |root| AddCheckpoint { old_size: 0, proof: Vec::new(), checkpoint: signer.sign_checkpoint(0, root) };
        assert_eq!([status(&empty(EMPTY_ROOT), None), status(&empty(Hash([1; 32])), None)], [200, 409]);
        let garbage = AddCheckpoint { checkpoint: "nothing\n".into(), ..request(0, 11) };
        assert_eq!(status(&garbage, None), 400);
    }
}
