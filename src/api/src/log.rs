//! The log as calls show it, beside its tiles.

use crate::ShownOpening;
use fairshoe_fairness::{Epoch, Origin, TableId};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The log's own word (openapi.yaml, `LogInfo`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogInfo {
    /// Its newest checkpoint, with the cosignatures that it has.
    pub checkpoint: String,
    /// What the house's chips stand for, for display alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Where it has ended: the log that goes on from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<LogEnded>,
    /// The epoch in force; new at every start.
    pub epoch: Epoch,
    /// Whether guests are admitted.
    #[serde(default)]
    pub guests: bool,
    /// Its name.
    pub origin: Origin,
    /// How many entries are under the checkpoint.
    pub size: u64,
    /// When the service started, UTC milliseconds.
    pub started_at: u64,
    /// The key that signs its checkpoints.
    pub vkey: String,
}

/// A log that goes on from one that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEnded {
    /// Its name.
    pub origin: Origin,
    /// The key that signs its checkpoints.
    pub vkey: String,
}

/// What chips stand for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Currency {
    /// As in ISO 4217, where it is a currency.
    pub code: String,
    /// Of minor units.
    pub decimals: u8,
}

/// `CODE:DECIMALS`, as in `EUR:2`.
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

/// Another log to and from which chips go (openapi.yaml, `KnownLog`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownLogView {
    /// What was sent there less what was claimed from there, minor units.
    pub balance: i64,
    /// The numbers of the transfers that were claimed from there.
    pub claimed: Vec<ClaimedRun>,
    /// Its name.
    pub log: Origin,
    /// The policy that its receipts have to meet; null where nothing goes there or comes from there any more.
    pub policy: Option<String>,
    /// How many transfers were sent there.
    pub sent: u64,
}

/// Transfers that were claimed, all from the first to the last of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ClaimedRun {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
}

/// The other logs that are known, or were (openapi.yaml, `KnownLogList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownLogList {
    /// By ascending name.
    pub logs: Vec<KnownLogView>,
}

/// A page of a table's entries, all of them under one checkpoint (openapi.yaml, `TableEntries`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableEntries {
    /// The table whose entries these are.
    pub table: TableId,
    /// In order.
    pub entries: Vec<TableEntry>,
    /// Where the next page begins.
    pub next_seq: u64,
    /// The table is closed, and this is the last of its entries.
    pub closed: bool,
    /// How many entries of the log are under the checkpoint.
    pub size: u64,
    /// The signed checkpoint that the proofs lead to.
    pub checkpoint: String,
}

/// An entry of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its place in the log.
    pub index: u64,
    /// Its place in the table's sequence.
    pub seq: u64,
    /// Its exact bytes.
    pub entry: String,
    /// Of every card it turned up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<ShownOpening>,
    /// The inclusion path, base64 hashes from the leaf to the root, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Vec<String>>,
}
