//! Rounds as they are saved in a file by an auditor who stops in the middle of a log: every engine's whole state, which
//! holds no hidden face. It is for the same version of this software; nothing of it is on the log.

pub use crate::registry::SavedRound;

use crate::Round;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For `#[serde(with)]`: writes a round.
///
/// # Errors
/// The serializer's.
#[allow(clippy::borrowed_box, reason = "serde hands over the field as it is declared")]
pub fn serialize<S: Serializer>(round: &Box<dyn Round>, serializer: S) -> Result<S::Ok, S::Error> {
    round.saved().serialize(serializer)
}

/// For `#[serde(with)]`: reads a round.
///
/// # Errors
/// The deserializer's; what was read is not a round of any game.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<dyn Round>, D::Error> {
    SavedRound::deserialize(deserializer).map(Into::into)
}
