//! Cosignatures v1: a witness's dated statement that a checkpoint extends all it saw of a log before.

use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::key::{KeyError, KeyType, VerifierKey, signature_line};
use crate::note::{MAX_NOTE, Note, NoteError};

/// The largest time in a cosignature, in seconds since the epoch (c2sp.org/tlog-cosignature).
pub const MAX_COSIGNATURE_TIME: u64 = i64::MAX.unsigned_abs();

/// `u64 time ‖ 64-byte signature`, the time within bounds.
pub(crate) fn split(blob: &[u8]) -> Option<(u64, &[u8])> {
    let (time, signature) = blob.split_first_chunk::<8>()?;
    let time = u64::from_be_bytes(*time);
    (time <= MAX_COSIGNATURE_TIME && signature.len() == 64).then_some((time, signature))
}

/// The message a witness signs; its first line keeps it from ever being a checkpoint's own text.
pub(crate) fn message(time: u64, text: &str) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// Finds `key`'s cosignature of a checkpoint's `text` in `answer`, a witness's reply of signature lines. Returns its
/// line, newline included, and its time in seconds since the epoch. Lines of other keys are ignored, as
/// c2sp.org/tlog-witness requires; of several lines by this key the latest counts, for readers who want one line for
/// each key.
///
/// # Errors
/// [`NoteError`] if a line is malformed, if a line of this key does not verify, or if this key has no line.
pub fn cosignature_in(answer: &str, text: &str, key: &VerifierKey) -> Result<(String, u64), NoteError> {
    let note = Note::parse(format!("{text}\n{answer}").as_bytes(), MAX_NOTE)?;
    // An empty line in the answer would move the end of the signed text.
    if note.text() != text {
        return Err(NoteError::BadSignatureLine { line: 1 });
    }
    let time = note
        .verified(std::slice::from_ref(key))?
        .iter()
        .filter_map(|found| found.time)
        .max()
        .ok_or(NoteError::NoKnownSignature)?;
    let is_it = |blob: &[u8]| split(blob).is_some_and(|(of, _)| of == time);
    let mut own = note.signatures().iter().filter(|line| line.name == key.name() && line.key_id == key.key_id());
    let latest = own.find(|line| is_it(&line.blob)).ok_or(NoteError::NoKnownSignature)?;
    Ok((signature_line(key, &latest.blob), time))
}

/// A witness's name and secret key; the secret is wiped on drop and never printed.
pub struct Cosigner {
    key: SigningKey,
    verifier: VerifierKey,
}

impl Cosigner {
    /// The cosigner of a name and a 32-byte Ed25519 seed, which MUST serve this witness alone: the signed
    /// message does not carry the name.
    ///
    /// # Errors
    /// [`KeyError::BadName`].
    pub fn new(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        let key = SigningKey::from_bytes(seed);
        let public_key = key.verifying_key();
        let verifier = VerifierKey::new(name, KeyType::CosignatureV1, public_key.as_bytes())?;
        Ok(Self { key, verifier })
    }

    /// The key with which others verify this witness's cosignatures.
    #[must_use]
    pub fn verifier_key(&self) -> &VerifierKey {
        &self.verifier
    }

    /// The signature line, newline included, over a checkpoint's text at `time` (seconds since the epoch).
    ///
    /// The caller MUST have verified the log's signature and consistency with all it cosigned before.
    ///
    /// # Errors
    /// [`CheckpointError`] if `text` is not a checkpoint's text or `time` is out of range.
    pub fn cosign(&self, text: &str, time: u64) -> Result<String, CheckpointError> {
        Checkpoint::parse(text)?;
        if time > MAX_COSIGNATURE_TIME {
            return Err(CheckpointError::TimeOutOfRange { time });
        }
        let mut blob = time.to_be_bytes().to_vec();
        blob.extend_from_slice(&self.key.sign(message(time, text).as_bytes()).to_bytes());
        Ok(signature_line(&self.verifier, &blob))
    }
}

impl fmt::Debug for Cosigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cosigner({})", self.verifier)
    }
}
