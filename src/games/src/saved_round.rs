//! Rounds as an auditor saves them in a file when they stop in the middle of a log: every engine's whole state, without
//! hidden faces. The file is for the same version of this software and is never on the log.

pub use crate::registry::SavedRound;

use crate::Round;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// For `#[serde(with)]`: writes a round.
///
/// # Errors
/// The serializer's.
#[allow(clippy::borrowed_box, reason = "serde hands over the field as it is declared")]
pub fn serialize<S: Serializer>(round: &Box<dyn Round>, serializer: S) -> Result<S::Ok, S::Error> {
    text(round.as_ref()).map_err(S::Error::custom)?.serialize(serializer)
}

fn text(round: &dyn Round) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::value::to_raw_value(&round.saved())
}

/// For `#[serde(with)]`: reads a round from JSON.
///
/// # Errors
/// The deserializer's error; the text is not a round of any game.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<dyn Round>, D::Error> {
    parse(&Box::<RawValue>::deserialize(deserializer)?).map_err(D::Error::custom)
}

// Only this file compiles every engine's reader and writer (see `fairshoe_fairness::own_json`).
fn parse(text: &RawValue) -> Result<Box<dyn Round>, serde_json::Error> {
    serde_json::from_slice::<SavedRound<'_>>(text.get().as_bytes()).map(Into::into)
}
