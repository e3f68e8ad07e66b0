//! The entry: one command with its events, its one encoding, and its bounds (spec/entries.md, "Encoding"). Whether an
//! entry is right is for `decide` and the auditor.

use crate::{Actor, Command, Event, Signed};
use fairshoe_fairness::{PlayerId, TableId, own_json};
use fairshoe_games::Chips;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// The longest entry, in bytes: what an entry bundle can hold (spec/log.md).
pub const MAX_ENTRY_BYTES: usize = 65_535;

/// The greatest integer on the log, 2^53 − 1: exact in every language.
pub const MOST_NUMBER: u64 = (1 << 53) - 1;

/// The last time that an entry can have, 2^52 − 1 UTC milliseconds: what follows from it stays below [`MOST_NUMBER`].
pub const LAST_TIME: u64 = (1 << 52) - 1;

/// The version of the entry format.
pub const ENTRY_VERSION: u8 = 1;

/// A table's name and the entry's place in that table's gapless sequence, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSeq {
    /// The table in whose sequence the entry stands.
    pub table: TableId,
    /// The place.
    pub seq: u64,
}

/// One accepted command with all the events it caused, in order (spec/entries.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Entry {
    /// The format's version.
    pub v: u8,
    /// UTC milliseconds at which the command entered the queue; never less than the entry before.
    pub time: u64,
    /// Who gave the command.
    pub by: Actor,
    /// The table that it is about, with its place in that table's sequence; absent where it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<TableSeq>,
    /// What the players concerned had before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<(PlayerId, Chips)>,
    /// What was asked, in the words in which it was decided.
    #[serde(with = "Command")]
    pub command: Command,
    /// The signature of the player who gave it, where they have a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
    /// What it caused.
    #[serde(with = "events")]
    pub events: Vec<Event>,
}

/// Why bytes are no entry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntryError {
    /// Longer than an entry may be.
    #[error("an entry is at most {MAX_ENTRY_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// Not the JSON of an entry.
    #[error("not an entry: {0}")]
    Malformed(String),
    /// The same content in another encoding: an entry has exactly one.
    #[error("the entry is not in canonical form")]
    NotCanonical,
    /// A number that not every language can hold, or a time that leads to one.
    #[error("an integer is at most {MOST_NUMBER}, an entry's time at most {LAST_TIME}")]
    OutOfRange,
    /// A later or unknown version.
    #[error("entry version {0} is not known here")]
    Version(u8),
}

own_json!(Command);
own_json!(Event);
own_json!(Entry);

/// The events of an entry, read and written without a text of each.
mod events {
    use super::*;

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Read(#[serde(with = "Event")] Event);

    #[derive(Serialize)]
    #[serde(transparent)]
    struct Written<'e>(#[serde(serialize_with = "written")] &'e Event);

    fn written<S: Serializer>(event: &&Event, serializer: S) -> Result<S::Ok, S::Error> {
        Event::serialize(event, serializer)
    }

    pub fn serialize<S: Serializer>(events: &[Event], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(events.iter().map(Written))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Event>, D::Error> {
        Ok(Vec::<Read>::deserialize(deserializer)?.into_iter().map(|Read(event)| event).collect())
    }
}

impl Entry {
    /// The entry's bytes: compact JSON, fields in the order of the specification.
    pub fn encode(&self) -> Result<Vec<u8>, EntryError> {
        let bytes = self.json_bytes(ROOM).map_err(|e| EntryError::Malformed(e.to_string()))?;
        if bytes.len() > MAX_ENTRY_BYTES {
            return Err(EntryError::TooLong(bytes.len()));
        }
        if self.time > LAST_TIME || has_greater_number(&bytes) {
            return Err(EntryError::OutOfRange);
        }
        Ok(bytes)
    }

    /// How many bytes its encoding has.
    pub fn encoded_len(&self) -> u64 {
        // An entry that cannot be written is never applied.
        self.json_bytes(ROOM).map_or(0, |bytes| bytes.len() as u64)
    }

    /// Parses an entry and makes sure that these bytes are its one encoding.
    pub fn decode(bytes: &[u8]) -> Result<Entry, EntryError> {
        if bytes.len() > MAX_ENTRY_BYTES {
            return Err(EntryError::TooLong(bytes.len()));
        }
        let entry = Entry::parse_json(bytes).map_err(|e| EntryError::Malformed(e.to_string()))?;
        if entry.v != ENTRY_VERSION {
            return Err(EntryError::Version(entry.v));
        }
        if entry.encode()? != bytes {
            return Err(EntryError::NotCanonical);
        }
        Ok(entry)
    }
}

/// Most entries of play are shorter, in bytes.
const ROOM: usize = 1 << 10;

/// A number above [`MOST_NUMBER`] has at least so many digits.
const DIGITS: usize = 16;

/// Whether so many digits stand side by side; most bytes need not be looked at for it.
fn has_many_digits(json: &[u8]) -> bool {
    let mut last = DIGITS - 1;
    while let Some(up_to) = json.get(..=last) {
        let digits = up_to.iter().rev().take(DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == DIGITS {
            return true;
        }
        last = last.saturating_add(DIGITS - digits);
    }
    false
}

/// Whether an integer outside of strings is above [`MOST_NUMBER`]. In canonical form none has a leading zero, and no
/// string a quotation mark but behind a backslash.
pub fn has_greater_number(json: &[u8]) -> bool {
    if !has_many_digits(json) {
        return false;
    }
    let (mut in_string, mut escaped, mut number) = (false, false, 0u64);
    json.iter().any(|byte| {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, digit @ b'0'..=b'9') => number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0')),
            _ => number = 0,
        }
        number > MOST_NUMBER
    })
}
