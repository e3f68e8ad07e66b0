//! Names and Ed25519 keys of signers: the log and the witnesses. The bare keys under them are [`PublicKey`]'s.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::checkpoint::Checkpoint;
use crate::cosignature;
use crate::hash::Hash;
use crate::note::{NoteError, SIGNATURE_PREFIX, check_text};
use crate::signature::{PublicKey, SecretKey};
use crate::text::{base64_decode, base64_encode};

/// Longest key name in bytes: cosignature formats carry it in one length byte.
pub const MAX_KEY_NAME: usize = 255;

/// Longest verifier key text: the name, `+`, 8 hex digits, `+`, base64 of 33 bytes.
const MAX_VERIFIER_KEY: usize = MAX_KEY_NAME + 1 + 8 + 1 + 44;

/// The message that a key signs (c2sp.org/signed-note, "Signature types").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// 0x01: Ed25519 over the note text; the log signs with this type.
    Ed25519,
    /// 0x04: timestamped Ed25519 cosignature of a checkpoint; a witness signs with this type.
    CosignatureV1,
}

impl KeyType {
    fn byte(self) -> u8 {
        match self {
            KeyType::Ed25519 => 0x01,
            KeyType::CosignatureV1 => 0x04,
        }
    }
}

/// Why a key or its text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Longer than any verifier key can be.
    #[error("a verifier key of {length} bytes, more than {MAX_VERIFIER_KEY}")]
    TooLong {
        /// Bytes given.
        length: usize,
    },
    /// Not `NAME+hex8+base64`, the hex in lower case and the base64 padded.
    #[error("a verifier key is NAME+hex8+base64")]
    Malformed,
    /// An empty or long name, or one with a blank, a plus or a control character.
    #[error("key name {name:?} is empty, longer than {MAX_KEY_NAME} bytes, or has a blank, plus or control character")]
    BadName {
        /// The refused name.
        name: String,
    },
    /// The key's type byte is neither 0x01 nor 0x04.
    #[error("signature type {found:#04x} is not known here: a log's key has type 0x01, a witness's 0x04")]
    UnsupportedType {
        /// The type byte, 0 if there is none.
        found: u8,
    },
    /// The key ID is not the hash of name, type and public key.
    #[error("key ID {found:08x} should be {expected:08x} for this name and key")]
    WrongKeyId {
        /// The ID in the text.
        found: u32,
        /// The ID that name, type and key give.
        expected: u32,
    },
    /// The bytes are not the canonical encoding of a curve point, or anyone can sign under this point.
    #[error("not a usable Ed25519 public key")]
    BadPublicKey,
}

/// Whether `name` may name a key (c2sp.org/signed-note, "Format").
pub(crate) fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c == '+' || c.is_whitespace() || c.is_control())
}

/// A trusted public key with its name; a reader must get it in a way they trust (spec/log.md, "Keys").
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    key_type: KeyType,
    key_id: u32,
    key: PublicKey,
}

impl VerifierKey {
    /// The verifier key of a name and a raw Ed25519 public key.
    ///
    /// # Errors
    /// [`KeyError::BadName`] or [`KeyError::BadPublicKey`].
    pub fn new(name: &str, key_type: KeyType, public_key: &[u8; 32]) -> Result<Self, KeyError> {
        if name.len() > MAX_KEY_NAME || !is_key_name(name) {
            return Err(KeyError::BadName { name: name.chars().take(MAX_KEY_NAME).collect() });
        }
        let key = PublicKey::from_bytes(public_key).ok_or(KeyError::BadPublicKey)?;
        let key_id = key_id(name, key_type, public_key);
        Ok(Self { name: name.to_owned(), key_type, key_id, key })
    }

    /// The name, which for a log is its origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its signatures.
    #[must_use]
    pub fn key_type(&self) -> KeyType {
        self.key_type
    }

    /// The first four bytes of `SHA-256(name ‖ 0x0A ‖ type ‖ public key)`, big-endian.
    #[must_use]
    pub fn key_id(&self) -> u32 {
        self.key_id
    }

    /// The raw Ed25519 public key.
    #[must_use]
    pub fn public_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// The key of the log's own times (spec/log.md, "The log's own time"): its public key, as a cosigner's.
    #[must_use]
    pub fn of_own_times(&self) -> VerifierKey {
        let key_type = KeyType::CosignatureV1;
        let key_id = key_id(&self.name, key_type, self.public_key());
        VerifierKey { name: self.name.clone(), key_type, key_id, key: self.key.clone() }
    }

    /// Verifies a signature blob (without its key ID) over a note text; a cosignature gives its time.
    pub(crate) fn verify(&self, text: &str, blob: &[u8]) -> Option<Option<u64>> {
        match self.key_type {
            KeyType::Ed25519 => self.key.verify(text.as_bytes(), blob).then_some(None),
            KeyType::CosignatureV1 => {
                let (time, signature) = cosignature::split(blob)?;
                self.key.verify(cosignature::message(time, text).as_bytes(), signature).then_some(Some(time))
            }
        }
    }
}

fn key_id(name: &str, key_type: KeyType, public_key: &[u8; 32]) -> u32 {
    let mut hasher = Sha256::new();
    hasher.update(name.as_bytes());
    hasher.update([0x0a, key_type.byte()]);
    hasher.update(public_key);
    let hash: [u8; 32] = hasher.finalize().into();
    u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut typed = vec![self.key_type.byte()];
        typed.extend_from_slice(self.key.as_bytes());
        write!(f, "{}+{:08x}+{}", self.name, self.key_id, base64_encode(&typed))
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

/// The first byte of a base64 text.
fn first_byte(base64: &str) -> Option<u8> {
    base64_decode(base64.get(..4)?)?.first().copied()
}

impl FromStr for VerifierKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        // A name has no plus, base64 may have some: only the first two separate.
        let mut parts = text.splitn(3, '+');
        if text.len() > MAX_VERIFIER_KEY {
            // A key of another type may be longer: the error then names the unknown type.
            return Err(match parts.nth(2).and_then(first_byte) {
                Some(found) if !matches!(found, 0x01 | 0x04) => KeyError::UnsupportedType { found },
                _ => KeyError::TooLong { length: text.len() },
            });
        }
        let (Some(name), Some(id), Some(typed)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Malformed);
        };
        let lower_hex = id.len() == 8 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let found = u32::from_str_radix(id, 16).map_err(|_| KeyError::Malformed)?;
        let typed = base64_decode(typed).ok_or(KeyError::Malformed)?;
        if !lower_hex {
            return Err(KeyError::Malformed);
        }
        let key_type = match typed.first() {
            Some(0x01) => KeyType::Ed25519,
            Some(0x04) => KeyType::CosignatureV1,
            other => return Err(KeyError::UnsupportedType { found: other.copied().unwrap_or(0) }),
        };
        let public_key: &[u8; 32] = typed[1..].try_into().map_err(|_| KeyError::BadPublicKey)?;
        let key = Self::new(name, key_type, public_key)?;
        if found != key.key_id {
            return Err(KeyError::WrongKeyId { found, expected: key.key_id });
        }
        Ok(key)
    }
}

/// The log's own name and secret key; the secret is wiped on drop and never printed.
pub struct Signer {
    key: SecretKey,
    verifier: VerifierKey,
}

impl Signer {
    /// The signer of a name (for a log: its origin) and a 32-byte Ed25519 seed, which the caller wipes.
    ///
    /// # Errors
    /// [`KeyError::BadName`].
    pub fn new(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        let key = SecretKey::from_seed(seed);
        let verifier = VerifierKey::new(name, KeyType::Ed25519, &key.public_key())?;
        Ok(Self { key, verifier })
    }

    /// The key with which others verify this signer's notes.
    #[must_use]
    pub fn verifier_key(&self) -> &VerifierKey {
        &self.verifier
    }

    /// The signature line, newline included, for a note text that ends in a newline.
    ///
    /// # Errors
    /// [`NoteError`] if `text` cannot be the text of a note.
    pub fn sign(&self, text: &str) -> Result<String, NoteError> {
        check_text(text)?;
        Ok(self.sign_checked(text))
    }

    /// The signed checkpoint of this log at `size` leaves under `root`: the whole note.
    ///
    /// The caller MUST have stored the entries durably first, and MUST never sign a tree that is not an
    /// extension of every tree it signed before.
    #[must_use]
    pub fn sign_checkpoint(&self, size: u64, root: Hash) -> String {
        let origin = self.verifier.name.clone();
        let text = Checkpoint { origin, size, root, extensions: Vec::new() }.text();
        let line = self.sign_checked(&text);
        format!("{text}\n{line}")
    }

    /// The line, newline included, by which the log says at `time` (seconds since the epoch) that the checkpoint of
    /// this text was its newest (spec/log.md, "The log's own time").
    ///
    /// The caller MUST have taken the time before it read which checkpoint is the newest. Every entry that is not under
    /// this checkpoint MUST bear a later time, or one only slightly earlier.
    #[must_use]
    pub fn sign_own_time(&self, text: &str, time: u64) -> String {
        let time = time.min(cosignature::MAX_COSIGNATURE_TIME);
        let mut blob = time.to_be_bytes().to_vec();
        blob.extend_from_slice(&self.key.sign(cosignature::message(time, text).as_bytes()));
        signature_line(&self.verifier.of_own_times(), &blob)
    }

    fn sign_checked(&self, text: &str) -> String {
        let signature = self.key.sign(text.as_bytes());
        signature_line(&self.verifier, &signature)
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.verifier)
    }
}

/// `— NAME base64(key ID ‖ blob)` and a newline.
pub(crate) fn signature_line(key: &VerifierKey, blob: &[u8]) -> String {
    let mut bytes = key.key_id.to_be_bytes().to_vec();
    bytes.extend_from_slice(blob);
    format!("{SIGNATURE_PREFIX}{} {}\n", key.name, base64_encode(&bytes))
}
