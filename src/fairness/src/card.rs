//! Cards and slots. A `Card` is a face that may be known; a card that must stay unknown is only a `Slot`, and only the
//! shoe can turn one into the other.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::serde_text;

const RANKS: [u8; 13] = *b"A23456789TJQK";
const SUITS: [u8; 4] = *b"cdhs";

/// A text is no card.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a card: expected a rank of A23456789TJQK, then a suit of cdhs")]
pub struct CardError;

/// A known face, by code `suit * 13 + rank` from 0 to 51 (spec/fairness.md, "Cards and compositions").
///
/// Suits are c d h s, ranks A 2 … 9 T J Q K; cards order by code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// Number of different cards.
    pub const COUNT: u8 = 52;

    /// The card of a code; `None` above 51.
    pub const fn from_code(code: u8) -> Option<Self> {
        if code < Self::COUNT { Some(Self(code)) } else { None }
    }

    /// The card of a rank (ace 1 … king 13) and a suit (`c`, `d`, `h`, `s`).
    pub fn new(rank: u8, suit: char) -> Option<Self> {
        let suit = SUITS.iter().position(|&s| char::from(s) == suit)?;
        let rank = rank.checked_sub(1).filter(|&r| r < 13)?;
        Some(Self(u8::try_from(suit).ok()? * 13 + rank))
    }

    /// The code, 0 to 51.
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The rank: ace 1, then 2 to 10, jack 11, queen 12, king 13.
    pub const fn rank(self) -> u8 {
        self.0 % 13 + 1
    }

    /// The suit: `c`, `d`, `h` or `s`.
    pub const fn suit(self) -> char {
        match self.0 / 13 {
            0 => 'c',
            1 => 'd',
            2 => 'h',
            _ => 's',
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = match self.rank() {
            1 => 'A',
            10 => 'T',
            11 => 'J',
            12 => 'Q',
            13 => 'K',
            pip => char::from(b'0' + pip),
        };
        write!(f, "{rank}{}", self.suit())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Card {
    type Err = CardError;

    fn from_str(text: &str) -> Result<Self, CardError> {
        let &[rank, suit] = text.as_bytes() else {
            return Err(CardError);
        };
        let rank = RANKS.iter().position(|&r| r == rank).ok_or(CardError)?;
        let suit = SUITS.iter().position(|&s| s == suit).ok_or(CardError)?;
        u8::try_from(suit * 13 + rank).map(Self).map_err(|_| CardError)
    }
}

serde_text!(Card, "a card such as As or Tc");

/// A place in the house order of a shoe, from 0 (spec/fairness.md, "House order"); it does not reveal the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slot(pub u16);

impl Slot {
    /// The slot's number, to index with.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
