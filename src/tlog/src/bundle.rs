//! Entry bundles: the entries under one level-0 tile, as they are stored, served and hashed.

use crate::hash::{Hash, leaf_hash};

/// The longest entry in bytes: its length is written in two bytes.
pub const MAX_ENTRY: usize = 65_535;

/// The most entries in a bundle: a tile has as many hashes.
pub const MAX_BUNDLE_ENTRIES: usize = 256;

/// Why bytes are no bundle, or entries do not fit one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// There is no entry; an empty bundle is never served.
    #[error("an entry bundle is never empty")]
    Empty,
    /// More than 256 entries.
    #[error("an entry bundle has at most {MAX_BUNDLE_ENTRIES} entries")]
    TooManyEntries,
    /// An entry is longer than two bytes can state.
    #[error("an entry of {length} bytes, more than {MAX_ENTRY}")]
    EntryTooLong {
        /// Bytes of the entry.
        length: usize,
    },
    /// The bytes end within an entry or its length.
    #[error("the bundle ends within entry {entry}")]
    Truncated {
        /// Counted from 0 within the bundle.
        entry: usize,
    },
}

/// One to 256 entries (spec/log.md, "Entry bundles"); borrows them, copies nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryBundle<'a> {
    entries: Vec<&'a [u8]>,
}

impl<'a> EntryBundle<'a> {
    /// The bundle of these entries, in order.
    ///
    /// # Errors
    /// [`BundleError`] if there are none, too many, or one is too long.
    pub fn new(entries: Vec<&'a [u8]>) -> Result<Self, BundleError> {
        if entries.is_empty() {
            return Err(BundleError::Empty);
        }
        if entries.len() > MAX_BUNDLE_ENTRIES {
            return Err(BundleError::TooManyEntries);
        }
        if let Some(long) = entries.iter().find(|entry| entry.len() > MAX_ENTRY) {
            return Err(BundleError::EntryTooLong { length: long.len() });
        }
        Ok(Self { entries })
    }

    /// Reads served bytes; the caller compares the count with the one that the path promised.
    ///
    /// # Errors
    /// [`BundleError`] if the bytes are not exactly 1 to 256 length-prefixed entries.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, BundleError> {
        let mut entries = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if entries.len() == MAX_BUNDLE_ENTRIES {
                return Err(BundleError::TooManyEntries);
            }
            let truncated = BundleError::Truncated { entry: entries.len() };
            let Some((length, after)) = rest.split_first_chunk::<2>() else {
                return Err(truncated);
            };
            let length = usize::from(u16::from_be_bytes(*length));
            let Some((entry, after)) = after.split_at_checked(length) else {
                return Err(truncated);
            };
            entries.push(entry);
            rest = after;
        }
        Self::new(entries)
    }

    /// The bytes to serve: for each entry its length in two big-endian bytes, then the entry.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for entry in &self.entries {
            // `new` has bounded every entry, so the length always fits.
            let length = u16::try_from(entry.len()).unwrap_or(u16::MAX);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(entry);
        }
        bytes
    }

    /// The entries, as they are hashed.
    #[must_use]
    pub fn entries(&self) -> &[&'a [u8]] {
        &self.entries
    }

    /// Their leaf hashes, to compare with the level-0 tile of the same path or to append.
    pub fn leaf_hashes(&self) -> impl Iterator<Item = Hash> + '_ {
        self.entries.iter().map(|entry| leaf_hash(entry))
    }
}
