//! The bundle as a file: its fields, its bounds, how it is read (spec/audit.md, "The bundle"). `verify.rs` judges what
//! it shows.

use fairshoe_fairness::{Opening, TableId};
use fairshoe_tlog::Hash;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The largest bundle that is looked at, in bytes.
pub const MAX_BUNDLE_BYTES: usize = 32 * 1024 * 1024;

/// The most entries a bundle holds, context included.
pub const MAX_BUNDLE_ENTRIES: usize = 10_000;

/// The most openings: as many as the largest shoe has slots.
pub const MAX_OPENINGS: usize = 4_096;

/// The most hashes in an inclusion proof: a tree has fewer than 2^64 leaves.
const MAX_PROOF: usize = 64;

/// The version of the bundle format.
const BUNDLE_VERSION: u8 = 1;

/// A round's name: `TABLE:ROUND_NO`, the number in decimal without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RoundId {
    /// The table at which it was played.
    pub table: TableId,
    /// The round's number there.
    pub round_no: u64,
}

impl fmt::Display for RoundId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.table, self.round_no)
    }
}

impl FromStr for RoundId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "a round is TABLE:NUMBER, as in joy-1:0";
        let (table, number) = text.rsplit_once(':').ok_or(FORM)?;
        let id =
            RoundId { table: TableId::parse(table).map_err(|_| FORM)?, round_no: number.parse().map_err(|_| FORM)? };
        if id.to_string() == text { Ok(id) } else { Err(FORM) }
    }
}

impl Serialize for RoundId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RoundId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A hash of an inclusion proof; base64 in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofHash(pub Hash);

impl Serialize for ProofHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ProofHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map(ProofHash).map_err(serde::de::Error::custom)
    }
}

/// An entry with the proof that it is under the bundle's checkpoint, at this index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proven {
    /// The entry's index in the log.
    pub index: u64,
    /// The entry's exact bytes.
    pub entry: String,
    /// The siblings from the leaf up to the root's child.
    pub proof: Vec<ProofHash>,
}

impl Proven {
    /// An entry with its inclusion proof.
    ///
    /// # Errors
    /// [`BundleError::NotText`] if the entry is not UTF-8, which no entry of a house is.
    pub fn new(index: u64, entry: &[u8], proof: &[Hash]) -> Result<Self, BundleError> {
        let entry = std::str::from_utf8(entry).map_err(|_| BundleError::NotText(index))?.to_owned();
        Ok(Proven { index, entry, proof: proof.iter().copied().map(ProofHash).collect() })
    }
}

/// So much is said of what is wrong with bytes that are no bundle, in characters.
const MOST_SAID: usize = 300;

/// Everything needed to replay one round offline (spec/audit.md, "The bundle").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// The format's version: 1.
    pub fairshoe_bundle: u8,
    /// The round in dispute.
    pub round: RoundId,
    /// The log's verifier key, as the sender names it.
    pub vkey: String,
    /// The signed checkpoint.
    pub checkpoint: String,
    /// The table's opening, and the dealer's starts that the entries depend on.
    pub context: Vec<Proven>,
    /// Every entry of the table from the shoe's commitment to its reveal, or to the table's latest.
    pub entries: Vec<Proven>,
    /// The openings of all cards shown, while the shoe's seed is not out.
    pub openings: Vec<Opening>,
}

/// Why bytes are no bundle.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BundleError {
    /// Larger than a bundle may be.
    #[error("a bundle is at most {MAX_BUNDLE_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// Not the JSON of a bundle.
    #[error("not a bundle: {0}")]
    Malformed(String),
    /// A later or unknown version.
    #[error("bundle version {0} is not known here")]
    Version(u8),
    /// More of something than a bundle may hold.
    #[error("a bundle holds at most {most} {what}, not {count}")]
    TooMany {
        /// The name of the things that are too many, in the plural.
        what: &'static str,
        /// How many.
        count: usize,
        /// The bound.
        most: usize,
    },
    /// An entry's bytes are no text.
    #[error("entry {0} is not UTF-8")]
    NotText(u64),
}

impl Bundle {
    /// A bundle of these parts, within the bounds.
    ///
    /// # Errors
    /// [`BundleError::TooMany`].
    pub fn build(
        round: RoundId,
        vkey: String,
        checkpoint: String,
        context: Vec<Proven>,
        entries: Vec<Proven>,
        openings: Vec<Opening>,
    ) -> Result<Bundle, BundleError> {
        let bundle = Bundle { fairshoe_bundle: BUNDLE_VERSION, round, vkey, checkpoint, context, entries, openings };
        bundle.check_bounds()?;
        Ok(bundle)
    }

    /// Reads a bundle; nothing in it is verified.
    ///
    /// # Errors
    /// [`BundleError`] naming the first bound or form that does not hold.
    pub fn parse(bytes: &[u8]) -> Result<Bundle, BundleError> {
        if bytes.len() > MAX_BUNDLE_BYTES {
            return Err(BundleError::TooLong(bytes.len()));
        }
        // Serde repeats a field's name that it does not know, however long it is.
        let malformed = |e: serde_json::Error| BundleError::Malformed(e.to_string().chars().take(MOST_SAID).collect());
        let bundle: Bundle = serde_json::from_slice(bytes).map_err(malformed)?;
        if bundle.fairshoe_bundle != BUNDLE_VERSION {
            return Err(BundleError::Version(bundle.fairshoe_bundle));
        }
        bundle.check_bounds()?;
        Ok(bundle)
    }

    /// The bundle's JSON.
    ///
    /// # Errors
    /// [`BundleError::TooLong`] beyond the bound.
    pub fn to_json(&self) -> Result<String, BundleError> {
        let text = serde_json::to_string(self).map_err(|e| BundleError::Malformed(e.to_string()))?;
        if text.len() > MAX_BUNDLE_BYTES { Err(BundleError::TooLong(text.len())) } else { Ok(text) }
    }

    fn check_bounds(&self) -> Result<(), BundleError> {
        let proven = || self.context.iter().chain(&self.entries);
        let longest = proven().map(|proven| proven.proof.len()).max().unwrap_or_default();
        for (what, count, most) in [
            ("entries", proven().count(), MAX_BUNDLE_ENTRIES),
            ("openings", self.openings.len(), MAX_OPENINGS),
            ("hashes in a proof", longest, MAX_PROOF),
        ] {
            if count > most {
                return Err(BundleError::TooMany { what, count, most });
            }
        }
        Ok(())
    }
}
