//! Rounds as they are kept in a file by an auditor who stops in the middle of a log: every engine's whole state, which
//! holds no hidden face. It is for the same version of this software; nothing of it is on the log.

use crate::Round;
use crate::baccarat::BaccaratRound;
use crate::blackjack::BlackjackRound;
use crate::poker::PokerRound;
use crate::roulette::RouletteRound;
use crate::safe::SafeRound;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A round of any game, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptRound<'r> {
    /// Blackjack.
    Blackjack(Cow<'r, BlackjackRound>),
    /// Baccarat.
    Baccarat(Cow<'r, BaccaratRound>),
    /// Roulette.
    Roulette(Cow<'r, RouletteRound>),
    /// Safe.
    Safe(Cow<'r, SafeRound>),
    /// Poker.
    Poker(Cow<'r, PokerRound>),
}

impl From<KeptRound<'_>> for Box<dyn Round> {
    fn from(kept: KeptRound<'_>) -> Self {
        match kept {
            KeptRound::Blackjack(round) => Box::new(round.into_owned()),
            KeptRound::Baccarat(round) => Box::new(round.into_owned()),
            KeptRound::Roulette(round) => Box::new(round.into_owned()),
            KeptRound::Safe(round) => Box::new(round.into_owned()),
            KeptRound::Poker(round) => Box::new(round.into_owned()),
        }
    }
}

/// For `#[serde(with)]`: writes a round.
///
/// # Errors
/// The serializer's.
#[allow(clippy::borrowed_box, reason = "serde hands over the field as it is declared")]
pub fn serialize<S: Serializer>(round: &Box<dyn Round>, serializer: S) -> Result<S::Ok, S::Error> {
    round.kept().serialize(serializer)
}

/// For `#[serde(with)]`: reads a round.
///
/// # Errors
/// The deserializer's; what was read is not a round of any game.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<dyn Round>, D::Error> {
    KeptRound::deserialize(deserializer).map(Into::into)
}
