//! Receipts (c2sp.org/tlog-proof): one file that shows an entry to be on the log, without asking the log.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::hash::{Hash, leaf_hash};
use crate::note::{MAX_NOTE, Note};
use crate::policy::{Cosigned, Policy};
use crate::proof::{ProofError, verify_inclusion};
use crate::text::{base64_decode, base64_encode, decimal};

/// The first line of a receipt.
const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// Most siblings on a path from leaf to root: the tree's size is below 2⁶⁴.
const MAX_PATH: usize = 64;

/// Most bytes of extra data, decoded.
pub const MAX_EXTRA: usize = 64 * 1024;

/// Longest receipt in bytes: the longest note, the extra data in base64, the path and the line ends.
pub const MAX_RECEIPT: usize = MAX_NOTE + MAX_EXTRA / 3 * 4 + 8 * 1024;

/// Why a receipt is refused; lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// Longer than [`MAX_RECEIPT`].
    #[error("a receipt of {length} bytes, more than {MAX_RECEIPT}")]
    TooLong {
        /// Bytes given.
        length: usize,
    },
    /// Not UTF-8.
    #[error("the receipt is not UTF-8")]
    NotUtf8,
    /// A line is missing, or does not follow the format.
    #[error("line {line} of the receipt is malformed or missing")]
    BadLine {
        /// Line number.
        line: usize,
    },
    /// More siblings than any tree has levels.
    #[error("the receipt's path has more than {MAX_PATH} hashes")]
    PathTooLong,
    /// The checkpoint in it is malformed, or a listed key's signature on it does not hold.
    #[error("checkpoint: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// No log of the policy signed the checkpoint as its own.
    #[error("no trusted log signed a checkpoint of origin {origin:?}")]
    UnknownLog {
        /// The checkpoint's origin line.
        origin: String,
    },
    /// Too few of the policy's witnesses cosigned.
    #[error("the quorum is not met: {cosigned} of the policy's witnesses cosigned")]
    QuorumNotMet {
        /// Witnesses whose cosignatures hold.
        cosigned: usize,
    },
    /// The path does not lead from the entry to the checkpoint's root.
    #[error("inclusion: {0}")]
    Inclusion(#[from] ProofError),
}

/// A receipt (spec/receipts.md, "The file"): the entry's index, the path to a root, and the signed root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlogProof {
    /// Extra data, opaque and *not* authenticated; never an empty vector once parsed.
    pub extra: Option<Vec<u8>>,
    /// Index of the entry, from 0.
    pub index: u64,
    /// Siblings from the leaf's up to the root's child.
    pub path: Vec<Hash>,
    /// The signed checkpoint, verbatim.
    pub checkpoint_text: String,
}

/// The facts that a verified receipt proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Index of the entry.
    pub index: u64,
    /// The checkpoint it is under.
    pub checkpoint: Checkpoint,
    /// The policy's witnesses that cosigned that checkpoint.
    pub cosigned_by: Vec<Cosigned>,
}

impl TlogProof {
    /// Reads a receipt; it checks the form of note and checkpoint, but verifies no signature.
    ///
    /// # Errors
    /// [`ReceiptError`] naming the first rule broken.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReceiptError> {
        if bytes.len() > MAX_RECEIPT {
            return Err(ReceiptError::TooLong { length: bytes.len() });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ReceiptError::NotUtf8)?;
        let mut lines = Lines { rest: text, number: 0 };
        if lines.next()? != HEADER {
            return Err(lines.bad());
        }
        let mut line = lines.next()?;
        let mut extra = None;
        if let Some(encoded) = line.strip_prefix("extra ") {
            extra = Some(parse_extra(encoded).ok_or_else(|| lines.bad())?);
            line = lines.next()?;
        }
        let index = line.strip_prefix("index ").and_then(decimal).ok_or_else(|| lines.bad())?;
        let mut path = Vec::new();
        loop {
            let line = lines.next()?;
            if line.is_empty() {
                break;
            }
            if path.len() == MAX_PATH {
                return Err(ReceiptError::PathTooLong);
            }
            path.push(line.parse().map_err(|_| lines.bad())?);
        }
        let note = Note::parse(lines.rest.as_bytes(), MAX_NOTE).map_err(CheckpointError::from)?;
        Checkpoint::parse(note.text())?;
        Ok(Self { extra, index, path, checkpoint_text: lines.rest.to_owned() })
    }

    /// The file's text; `TlogProof::parse` of it gives the same receipt.
    #[must_use]
    pub fn format(&self) -> String {
        // A line has a hash of 44 characters.
        let mut text = String::with_capacity(self.checkpoint_text.len() + 45 * self.path.len() + 64);
        text.push_str(HEADER);
        text.push('\n');
        if let Some(extra) = self.extra.as_deref().filter(|extra| !extra.is_empty()) {
            text.push_str(&format!("extra {}\n", base64_encode(extra)));
        }
        text.push_str(&format!("index {}\n", self.index));
        for hash in &self.path {
            text.push_str(&hash.to_string());
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&self.checkpoint_text);
        text
    }

    /// Checks that `entry`, as the bytes that were logged, is on a log the policy trusts, at this index, under
    /// a checkpoint that meets the policy (spec/receipts.md, "Verifying").
    ///
    /// # Errors
    /// [`ReceiptError`] naming the first check that failed.
    pub fn verify(&self, entry: &[u8], policy: &Policy) -> Result<Verified, ReceiptError> {
        let valid = policy.verify_checkpoint(&self.checkpoint_text)?;
        let checkpoint = valid.checkpoint;
        let leaf = leaf_hash(entry);
        verify_inclusion(&leaf, self.index, checkpoint.size, &self.path, &checkpoint.root)?;
        Ok(Verified { index: self.index, checkpoint, cosigned_by: valid.cosigned_by })
    }
}

/// Extra data is omitted when empty, so an empty `extra` line would be a second form of the same receipt.
fn parse_extra(encoded: &str) -> Option<Vec<u8>> {
    base64_decode(encoded).filter(|extra| !extra.is_empty() && extra.len() <= MAX_EXTRA)
}

/// Newline-terminated lines, counted for the error.
struct Lines<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, ReceiptError> {
        self.number += 1;
        let (line, rest) = self.rest.split_once('\n').ok_or_else(|| self.bad())?;
        self.rest = rest;
        Ok(line)
    }

    fn bad(&self) -> ReceiptError {
        ReceiptError::BadLine { line: self.number }
    }
}
