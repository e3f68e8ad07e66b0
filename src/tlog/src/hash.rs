//! RFC 6962 hashing: leaves and nodes are told apart by their first byte.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::text::{base64_decode, base64_encode};

/// A SHA-256 hash of the tree: a leaf, a node or a root; written as padded base64 (spec/log.md, "The tree").
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

/// The root of the tree without leaves, `SHA-256("")` (RFC 6962 section 2.1).
pub const EMPTY_ROOT: Hash = Hash([
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24, //
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
]);

/// A text that is not the base64 of 32 bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the base64 of a 32-byte hash: {length} characters")]
pub struct HashError {
    /// Length of the refused text in bytes.
    pub length: usize,
}

/// `SHA-256(0x00 ‖ entry)`: the prefix keeps an entry from passing as an inner node (RFC 6962 section 2.1).
#[must_use]
pub fn leaf_hash(entry: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x00]);
    hasher.update(entry);
    Hash(hasher.finalize().into())
}

/// `SHA-256(0x01 ‖ left ‖ right)` (RFC 6962 section 2.1).
#[must_use]
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    // One update instead of three: this is the hot path of appending.
    let mut block = [0x01; 65];
    block[1..33].copy_from_slice(&left.0);
    block[33..].copy_from_slice(&right.0);
    Hash(Sha256::digest(block).into())
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base64_encode(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Self, HashError> {
        let refused = HashError { length: text.len() };
        if text.len() != 44 {
            return Err(refused);
        }
        let bytes = base64_decode(text).ok_or_else(|| refused.clone())?;
        Ok(Hash(bytes.try_into().map_err(|_| refused)?))
    }
}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
