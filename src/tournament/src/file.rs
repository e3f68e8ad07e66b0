//! An event in a file that a person typed: its forms, their bounds, and how they are read (spec/games/refunds.md,
//! section 9). `file/cancelled.rs` and `file/prizes.rs` compute the results.

mod cancelled;
mod entries;
mod plain;
mod prizes;
mod short;

pub use cancelled::{CancelledOut, PaymentOut, cancelled};
pub use prizes::{PrizesOut, prizes_of};

use crate::amount::{EntryNo, OutOfRange};
use crate::structure::Structure;
use fairshoe_fairness::PlayerId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 8 << 20;
/// The most entries of an event (tournaments.md, 1.2).
const MAX_ENTRIES: u64 = 65_534;
/// The most hands, rebuys and stakes of all entries together; each entry of a `count` counts. It is more than a file
/// without `count` can hold. *Attack:* a short file that stands for more than there is memory.
const MAX_PARTS: u64 = 300_000;
/// The most times at which the clock stood still.
const MAX_STOPS: usize = 1_000;

/// Why a file is refused; [`FileError::code`] is stable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The file is longer than a file may be.
    #[error("a file is at most {MAX_FILE_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// The text is not the JSON of such a file.
    #[error("{0}")]
    Malformed(String),
    /// The structure is missing, or contradicts itself.
    #[error("{0}")]
    Structure(String),
    /// The times are impossible.
    #[error("{0}")]
    Times(&'static str),
    /// An entry is impossible.
    #[error("entry {0}: {1}")]
    Entry(EntryNo, &'static str),
    /// The stakes of an entry cannot be sold.
    #[error("entry {0}: {1}")]
    Stakes(EntryNo, String),
    /// The file does not give the entry's chips at the instant.
    #[error("entry {0}: nothing says how many chips it had at the instant: chips, hands or the stack must")]
    NoChips(EntryNo),
    /// There is no player left.
    #[error("the event has started, and nobody has chips at the instant")]
    Nobody,
    /// So few players are left that the event is over.
    #[error("with {0} left the event is over (R001.19): prizes are paid, nothing is refunded")]
    Over(u64),
    /// The given prizes do not add up to the pool.
    #[error("the prizes of the structure come to {sum}, the pool is {pool}: give shares, or prizes that come to it")]
    Prizes {
        /// Their sum.
        sum: u64,
        /// The pool.
        pool: u64,
    },
    /// Heads and totals are more than the bounties collected.
    #[error("bounties of {refunded} are to be refunded, {collected} were collected")]
    Bounties {
        /// Heads and totals of the remaining entries.
        refunded: u64,
        /// The bounties collected from entries.
        collected: u64,
    },
    /// A bounty's winners are impossible.
    #[error("{0}")]
    Won(&'static str),
    /// A deal is impossible.
    #[error("{0}")]
    Deal(String),
    /// An amount is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

impl FileError {
    /// The stable code (refunds.md, 9.6).
    pub fn code(&self) -> &'static str {
        match self {
            FileError::TooLong(_) => "too_long",
            FileError::Malformed(_) => "malformed",
            FileError::Structure(_) => "structure",
            FileError::Times(_) => "times",
            FileError::Entry(..) => "entry",
            FileError::Stakes(..) => "stakes",
            FileError::NoChips(_) => "no_chips",
            FileError::Nobody => "nobody",
            FileError::Over(_) => "over",
            FileError::Prizes { .. } => "prizes",
            FileError::Bounties { .. } => "bounties",
            FileError::Won(_) => "won",
            FileError::Deal(_) => "deal",
            FileError::OutOfRange(_) => "amount_out_of_range",
        }
    }
}

/// How an entry was paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Pay {
    #[default]
    Cash,
    TDollars,
    Ticket,
}

/// A stack at the end of a hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandEnd {
    at: u64,
    chips: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    won: Option<u64>,
}

/// An entry, or `count` equal ones (section 9.3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<PlayerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unregistered: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pay: Option<Pay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t_dollars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chips: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<Vec<HandEnd>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    may_rebuy: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rebuys: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    add_on: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_bounty: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    won: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stakes: Option<Vec<(PlayerId, u64)>>,
}

/// An event that was cancelled (section 9.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelledForm {
    structure: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stops: Option<Vec<(u64, u64)>>,
    instant: u64,
    entries: Vec<EntryForm>,
}

/// The sales of an event, for its prizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SoldForm {
    entries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    with_bounty: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rebuys: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    add_ons: Option<u64>,
}

/// The head of an eliminated player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WonForm {
    head: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    winners: u64,
}

/// The method of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DealMethod {
    Chips,
    Icm,
}

/// A deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DealForm {
    method: DealMethod,
    chips: Vec<u64>,
}

/// An event for which prizes are requested (section 9.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrizesForm {
    structure: Value,
    sold: SoldForm,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_short: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounty: Option<WonForm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deal: Option<DealForm>,
}

/// The money collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CollectedOut {
    /// Cents for prizes.
    pub pool: u64,
    /// Cents for the house.
    pub fees: u64,
    /// Cents for bounties.
    pub bounties: u64,
}

/// Reads a file's JSON: plain integers, no field twice, no nulls, no list in place of an object.
fn read<T: DeserializeOwned + Serialize>(text: &[u8]) -> Result<T, FileError> {
    if text.len() > MAX_FILE_BYTES {
        return Err(FileError::TooLong(text.len()));
    }
    serde_json::from_slice::<plain::Plain>(text).map_err(|error| FileError::Malformed(error.to_string()))?;
    let value: Value = serde_json::from_slice(text).map_err(|error| FileError::Malformed(error.to_string()))?;
    exactly(&value).map_err(FileError::Malformed)
}

/// The value, if the JSON is written in its one canonical form.
fn exactly<T: DeserializeOwned + Serialize>(value: &Value) -> Result<T, String> {
    let read = T::deserialize(value).map_err(|error| error.to_string())?;
    let again = serde_json::to_value(&read).map_err(|error| error.to_string())?;
    if again == *value { Ok(read) } else { Err("a null, or a list in the place of an object".to_owned()) }
}

/// The structure that a file names or holds, and the prizes that it fixes in cents, if any (section 9.2).
fn structure(value: &Value) -> Result<(Structure, Option<u64>), FileError> {
    match value {
        Value::String(name) => {
            let shipped = Structure::shipped(name);
            let shipped = shipped.ok_or_else(|| FileError::Structure(format!("no structure {name} is shipped")))?;
            Ok((shipped, None))
        }
        Value::Object(fields) if fields.contains_key("levels") => {
            let whole: Structure = exactly(value).map_err(FileError::Structure)?;
            if whole.canonical().len() > crate::structure::MAX_STRUCTURE_BYTES {
                return Err(FileError::Structure("a structure is at most 65535 bytes".to_owned()));
            }
            whole.validate().map_err(|error| FileError::Structure(error.to_string()))?;
            Ok((whole, None))
        }
        Value::Object(_) => short::expand(value),
        _ => Err(FileError::Structure("a structure is a name or an object".to_owned())),
    }
}
