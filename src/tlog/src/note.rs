//! Signed notes (c2sp.org/signed-note): a text, a blank line, signature lines.

use crate::key::{VerifierKey, is_key_name};
use crate::text::{base64_decode, forbidden_control};

/// The most signature lines read. The format requires at least 16; a policy's 64 witnesses, the log and unknown keys
/// fit.
pub const MAX_SIGNATURES: usize = 128;

/// A bound for callers without a smaller one, in bytes: room for sixteen post-quantum signatures of unknown keys.
pub const MAX_NOTE: usize = 256 * 1024;

/// The prefix of a signature line: an em dash and a space.
pub(crate) const SIGNATURE_PREFIX: &str = "\u{2014} ";

/// Why a note is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Longer than the caller's limit.
    #[error("a note of {length} bytes, more than the limit of {limit}")]
    TooLong {
        /// Bytes given.
        length: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// Not UTF-8.
    #[error("the note is not UTF-8 from byte {offset} on")]
    NotUtf8 {
        /// The offset at which it stops being UTF-8.
        offset: usize,
    },
    /// A control character other than the newline.
    #[error("the note has a control character at byte {offset}")]
    ControlCharacter {
        /// Where.
        offset: usize,
    },
    /// The text does not end in a newline.
    #[error("the note text does not end in a newline")]
    UnterminatedText,
    /// No blank line with signature lines after it.
    #[error("the note has no signatures")]
    NoSignatures,
    /// More signature lines than are read.
    #[error("the note has more than {MAX_SIGNATURES} signatures")]
    TooManySignatures,
    /// A line of the signature block is not a signature line.
    #[error("signature line {line} is not `— NAME BASE64`")]
    BadSignatureLine {
        /// Counted from 1 after the blank line.
        line: usize,
    },
    /// A signature of a known key does not verify.
    #[error("the signature of {name} does not verify")]
    BadSignature {
        /// Name of the key.
        name: String,
    },
    /// No signature is of a known key.
    #[error("the note has no signature of a known key")]
    NoKnownSignature,
    /// Two different known keys share name and key ID, so a line cannot be attributed.
    #[error("two known keys are called {name} with one key ID")]
    AmbiguousKey {
        /// The shared name.
        name: String,
    },
}

/// One signature line, not yet verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    /// Name of the key said to have signed.
    pub name: String,
    /// The key ID in the line: the first four bytes of a hash of name and key, to tell keys apart.
    pub key_id: u32,
    /// The signature after the key ID, of whatever type; never empty.
    pub blob: Vec<u8>,
}

/// A parsed, unverified note; do not trust its text before [`Note::verified`] names the signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// A known key whose signature on a note holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedSignature<'k> {
    /// The key, from the list the caller trusts.
    pub key: &'k VerifierKey,
    /// The time a cosignature bears, in seconds since the epoch; `None` for a log's.
    pub time: Option<u64>,
}

/// Refuses texts that can never be a note's.
pub(crate) fn check_text(text: &str) -> Result<(), NoteError> {
    if let Some(offset) = forbidden_control(text.as_bytes()) {
        return Err(NoteError::ControlCharacter { offset });
    }
    if !text.ends_with('\n') {
        return Err(NoteError::UnterminatedText);
    }
    Ok(())
}

impl Note {
    /// Reads a note of at most `limit` bytes (spec/log.md, "Signed notes").
    ///
    /// # Errors
    /// [`NoteError`] naming the first rule broken; no signature is verified here.
    pub fn parse(bytes: &[u8], limit: usize) -> Result<Self, NoteError> {
        if bytes.len() > limit {
            return Err(NoteError::TooLong { length: bytes.len(), limit });
        }
        let whole = std::str::from_utf8(bytes).map_err(|error| NoteError::NotUtf8 { offset: error.valid_up_to() })?;
        if let Some(offset) = forbidden_control(bytes) {
            return Err(NoteError::ControlCharacter { offset });
        }
        // The last blank line: a text may hold blank lines, and signature-like lines, of its own.
        let blank = whole.rfind("\n\n").ok_or(NoteError::NoSignatures)?;
        let (text, block) = (&whole[..=blank], &whole[blank + 2..]);
        let lines = block.strip_suffix('\n').ok_or(NoteError::NoSignatures)?;
        if lines.split('\n').count() > MAX_SIGNATURES {
            return Err(NoteError::TooManySignatures);
        }
        let signatures = lines
            .split('\n')
            .enumerate()
            .map(|(i, line)| parse_line(line).ok_or(NoteError::BadSignatureLine { line: i + 1 }))
            .collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), signatures })
    }

    /// The text, its final newline included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signature lines in their order, none of them verified.
    #[must_use]
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// The known keys that signed, each once, or once for each of the times that it cosigned at, in the note's order.
    ///
    /// # Errors
    /// [`NoteError::BadSignature`] if any line of a known key fails, [`NoteError::NoKnownSignature`] if there is
    /// none, [`NoteError::AmbiguousKey`] if the known keys cannot be told apart. Unknown keys are ignored.
    pub fn verified<'k>(&self, known: &'k [VerifierKey]) -> Result<Vec<VerifiedSignature<'k>>, NoteError> {
        let mut verified: Vec<VerifiedSignature<'k>> = Vec::new();
        for signature in &self.signatures {
            let Some(key) = find(known, signature)? else { continue };
            let time = key
                .verify(&self.text, &signature.blob)
                .ok_or_else(|| NoteError::BadSignature { name: key.name().to_owned() })?;
            let found = VerifiedSignature { key, time };
            if !verified.contains(&found) {
                verified.push(found);
            }
        }
        if verified.is_empty() {
            return Err(NoteError::NoKnownSignature);
        }
        Ok(verified)
    }
}

fn parse_line(line: &str) -> Option<NoteSignature> {
    let (name, encoded) = line.strip_prefix(SIGNATURE_PREFIX)?.split_once(' ')?;
    let bytes = base64_decode(encoded)?;
    let (key_id, blob) = bytes.split_first_chunk::<4>()?;
    if !is_key_name(name) || blob.is_empty() {
        return None;
    }
    let key_id = u32::from_be_bytes(*key_id);
    Some(NoteSignature { name: name.to_owned(), key_id, blob: blob.to_vec() })
}

/// A key is known by name and key ID together; either alone may match an unknown key.
fn find<'k>(known: &'k [VerifierKey], signature: &NoteSignature) -> Result<Option<&'k VerifierKey>, NoteError> {
    let mut matching = known.iter().filter(|key| key.name() == signature.name && key.key_id() == signature.key_id);
    let Some(first) = matching.next() else { return Ok(None) };
    if matching.any(|other| other != first) {
        return Err(NoteError::AmbiguousKey { name: signature.name.clone() });
    }
    Ok(Some(first))
}
