//! The form in which a monitor keeps what it found (spec/audit.md, "Evidence").

use fairshoe_judge::audit::Finding;
use serde::{Deserialize, Serialize};

/// The form of the file.
pub const FORMAT: u8 = 1;

/// A signed checkpoint, verbatim, where it came from and when it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sighting {
    /// An address, or a witness's name.
    pub from: String,
    /// Seconds since 1970-01-01 UTC, by the monitor's clock.
    pub time: u64,
    pub note: String,
}

/// Shows what root the first entries of a signed tree lead to, whatever was signed for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefixProof {
    /// So many first entries.
    pub size: u64,
    /// Of the signed tree of so many.
    pub of: u64,
    /// As [`prefix_root`] takes it, in base64.
    pub hashes: Vec<String>,
}

/// An entry at fault and its place under a signed checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryProof {
    pub index: u64,
    /// The entry's exact bytes, in base64: what is at fault may be no text.
    pub entry: String,
    /// The size of the checkpoint that it is under.
    pub of: u64,
    pub hashes: Vec<String>,
}

/// What a monitor keeps of a finding (spec/audit.md, "Evidence").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub fairshoe_evidence: u8,
    pub vkey: String,
    pub key_trusted: bool,
    /// When it was found, seconds since 1970-01-01 UTC.
    pub time: u64,
    pub finding: Finding,
    /// The addresses that are followed.
    pub addresses: Vec<String>,
    /// The checkpoints that it is about, the smaller first.
    pub notes: Vec<Sighting>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<PrefixProof>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryProof>,
}

impl Evidence {
    pub fn new(finding: Finding, notes: Vec<Sighting>) -> Evidence {
        let (vkey, addresses) = (String::new(), Vec::new());
        Evidence {
            fairshoe_evidence: FORMAT,
            vkey,
            key_trusted: false,
            time: 0,
            finding,
            addresses,
            notes,
            prefix: None,
            entry: None,
        }
    }
}
