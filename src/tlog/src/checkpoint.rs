//! Checkpoints (c2sp.org/tlog-checkpoint): the log's signed statement of its size and root.

use crate::hash::Hash;
use crate::key::{KeyType, VerifierKey};
use crate::note::{MAX_NOTE, Note, NoteError};
use crate::text::decimal;

/// Why a checkpoint is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The note around it is malformed or its signatures do not hold.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The text does not have three non-empty lines, each ending in a newline.
    #[error("line {line} of the checkpoint is missing, empty or unterminated")]
    BadLine {
        /// Counted from 1.
        line: usize,
    },
    /// The size is not a canonical decimal below 2⁶⁴.
    #[error("checkpoint size {found:?} is not a decimal without leading zeros")]
    BadSize {
        /// The second line.
        found: String,
    },
    /// The root is not the padded base64 of 32 bytes.
    #[error("checkpoint root {found:?} is not the base64 of 32 bytes")]
    BadRoot {
        /// The third line.
        found: String,
    },
    /// A checkpoint of another log.
    #[error("checkpoint of {found:?}, expected {expected:?}")]
    WrongOrigin {
        /// Its origin line.
        found: String,
        /// Name of the key it was checked with.
        expected: String,
    },
    /// A witness's key was given in place of the log's.
    #[error("key {name} is not a log's key (type 0x01)")]
    NotALogKey {
        /// Name of the key.
        name: String,
    },
    /// A policy has the log's own key as a witness's.
    #[error("the policy names the key of {name} as a witness: a log is not its own witness")]
    OwnWitness {
        /// Name of the log's key.
        name: String,
    },
    /// A cosignature's time beyond 2⁶³−1.
    #[error("time {time} is beyond 2^63-1")]
    TimeOutOfRange {
        /// Seconds since the epoch.
        time: u64,
    },
}

/// A checkpoint's text, read (spec/log.md, "Checkpoints").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log; equal to its key's name.
    pub origin: String,
    /// Number of entries.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
    /// Further lines, opaque and without meaning here; this log writes none.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// Reads a note's text as a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`] naming the line at fault.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let count = text.split('\n').count();
        let Some(body) = text.strip_suffix('\n') else {
            return Err(CheckpointError::BadLine { line: count });
        };
        let lines: Vec<&str> = body.split('\n').collect();
        if let Some(empty) = lines.iter().position(|line| line.is_empty()) {
            return Err(CheckpointError::BadLine { line: empty + 1 });
        }
        let [origin, size, root, extensions @ ..] = lines.as_slice() else {
            return Err(CheckpointError::BadLine { line: lines.len() + 1 });
        };
        Ok(Self {
            origin: (*origin).to_owned(),
            size: decimal(size).ok_or_else(|| CheckpointError::BadSize { found: (*size).to_owned() })?,
            root: root.parse().map_err(|_| CheckpointError::BadRoot { found: (*root).to_owned() })?,
            extensions: extensions.iter().map(|line| (*line).to_owned()).collect(),
        })
    }

    /// The signed text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n{}\n", self.origin, self.size, self.root);
        for line in &self.extensions {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Reads a signed checkpoint of at most [`MAX_NOTE`] bytes and checks that the log `key` signed it
/// as its own (spec/log.md, "Checkpoints").
///
/// # Errors
/// [`CheckpointError`] naming the first check that failed.
pub fn verify_checkpoint(signed: &str, key: &VerifierKey) -> Result<Checkpoint, CheckpointError> {
    if key.key_type() != KeyType::Ed25519 {
        return Err(CheckpointError::NotALogKey { name: key.name().to_owned() });
    }
    let note = Note::parse(signed.as_bytes(), MAX_NOTE)?;
    note.verified(std::slice::from_ref(key))?;
    let checkpoint = Checkpoint::parse(note.text())?;
    if checkpoint.origin != key.name() {
        return Err(CheckpointError::WrongOrigin { found: checkpoint.origin, expected: key.name().to_owned() });
    }
    Ok(checkpoint)
}

/// The latest time, by this note, at which the log said that this checkpoint was its newest: seconds since the epoch
/// (spec/log.md, "The log's own time"). Lines that do not hold are ignored: anyone can add one to a copy.
#[must_use]
pub fn own_time(signed: &str, key: &VerifierKey) -> Option<u64> {
    let note = Note::parse(signed.as_bytes(), MAX_NOTE).ok()?;
    let own = key.of_own_times();
    let lines = note.signatures().iter().filter(|line| line.name == own.name() && line.key_id == own.key_id());
    lines.filter_map(|line| own.verify(note.text(), &line.blob)?).max()
}
