//! The log in replies of calls, in addition to its tiles.

use crate::ShownOpening;
use fairshoe_fairness::{Epoch, Origin, TableId};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The log's description of itself (openapi.yaml, `LogInfo`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogInfo {
    /// Its newest checkpoint, with the cosignatures so far.
    pub checkpoint: String,
    /// The currency behind the house's chips, only for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The log that continues this one, if it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<LogEnded>,
    /// The epoch in force; new at every start.
    pub epoch: Epoch,
    /// Whether guests are admitted.
    #[serde(default)]
    pub guests: bool,
    /// Its name.
    pub origin: Origin,
    /// The number of entries under the checkpoint.
    pub size: u64,
    /// The start of the service, UTC milliseconds.
    pub started_at: u64,
    /// The key that signs its checkpoints.
    pub vkey: String,
}

/// A log that continues one that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEnded {
    /// Its name.
    pub origin: Origin,
    /// The key that signs its checkpoints.
    pub vkey: String,
}

/// The currency behind chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Currency {
    /// Its code, from ISO 4217 if it is a currency.
    pub code: String,
    /// The number of decimal places: one unit has 10 to this power of minor units.
    pub decimals: u8,
}

/// `CODE:DECIMALS`, such as `EUR:2`.
impl FromStr for Currency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_code = |code: &str| {
            (2..=8).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        };
        let read = text.split_once(':').and_then(|(code, decimals)| match decimals.as_bytes() {
            [digit @ b'0'..=b'8'] if is_code(code) => Some(Currency { code: code.to_owned(), decimals: digit - b'0' }),
            _ => None,
        });
        read.ok_or_else(|| {
            format!("`{text}` is none: a code of 2 to 8 capitals and digits, a colon, 0 to 8 decimals, as in EUR:2")
        })
    }
}

/// Another log with which transfers are possible (openapi.yaml, `KnownLogView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownLogView {
    /// Chips sent there minus chips claimed from there, in minor units.
    pub balance: i64,
    /// The numbers of the transfers claimed from there.
    pub claimed: Vec<ClaimedRun>,
    /// Its name.
    pub log: Origin,
    /// The policy that its receipts must meet; null if transfers to and from it have ended.
    pub policy: Option<String>,
    /// The number of transfers sent there.
    pub sent: u64,
}

/// A run of claimed transfers, without gaps.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ClaimedRun {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
}

/// The other logs that are known, or were known (openapi.yaml, `KnownLogList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownLogList {
    /// By ascending name.
    pub logs: Vec<KnownLogView>,
}

/// A page of a table's entries, all of them under one checkpoint (openapi.yaml, `TableEntries`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableEntries {
    /// The table of these entries.
    pub table: TableId,
    /// The entries in order.
    pub entries: Vec<TableEntry>,
    /// The start of the next page.
    pub next_seq: u64,
    /// Whether the table is closed and this page ends with its last entry.
    pub closed: bool,
    /// The number of the log's entries under the checkpoint.
    pub size: u64,
    /// The signed checkpoint that the proofs lead to.
    pub checkpoint: String,
}

/// An entry of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its index in the log.
    pub index: u64,
    /// Its number in the table's sequence.
    pub seq: u64,
    /// Its exact bytes.
    pub entry: String,
    /// The openings of every card it turned up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<ShownOpening>,
    /// The inclusion path, base64 hashes from the leaf to the root, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Vec<String>>,
}
