//! The cards or pockets of a shoe, as one canonical text; the order and the salts are keyed by it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::card::Card;
use crate::text;

/// The most packs in a shoe: 624 cards, more than any rule set uses.
pub const MAX_DECKS: u8 = 12;
/// The most cards in an explicit list, as many as the most packs hold.
pub const MAX_CARDS: usize = MAX_DECKS as usize * Card::COUNT as usize;
/// The most spins of one wheel; it limits a path to 12 hashes.
pub const MAX_SPINS: u16 = 4096;
/// Pockets of a single-zero wheel.
pub const WHEEL_POCKETS: u8 = 37;
/// The throws of three dice, each a pocket of its own.
pub const DICE_THROWS: u8 = 216;

const CARDS: &str = "cards:";
const DECKS: &str = "52x";
const WHEEL: &str = "wheel37x";
const DICE: &str = "wheel216x";

/// Why a composition is refused (spec/fairness.md, "Cards and compositions").
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompositionError {
    /// The text is not `52xD`, `wheel37xN`, `wheel216xN` or `cards:…`, or a number is not canonical decimal.
    #[error("not a composition: expected 52xD, wheel37xN, wheel216xN or cards: and two-character codes")]
    Form,
    /// The number of packs is not 1 to 12.
    #[error("{0} packs: 1 to 12 are allowed")]
    Decks(u64),
    /// The number of spins is not 1 to 4096.
    #[error("{0} spins: 1 to 4096 are allowed")]
    Spins(u64),
    /// The number of cards is not 1 to 624.
    #[error("{0} cards listed: 1 to 624 are allowed")]
    Cards(usize),
    /// A listed card is smaller than the one before it.
    #[error("card {at} of the list is below the one before it")]
    NotAscending {
        /// Position in the list, from 0.
        at: usize,
    },
    /// Two characters of a list are no card.
    #[error("entry {at} of the list is not a card")]
    NotACard {
        /// Position in the list, from 0.
        at: usize,
    },
}

/// The cards or pockets of a shoe (spec/fairness.md, "Cards and compositions"); its text is canonical.
///
/// A value built by hand can break the bounds: `check` reports that, serialising it fails, and it has no slots, so its
/// length is always bounded. `Composition::cards` sorts a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Composition {
    /// So many packs of 52, 1 to 12: `52xD`.
    Decks(u8),
    /// So many spins of a single-zero wheel, 1 to 4096: `wheel37xN`.
    Wheel(u16),
    /// So many throws of three dice, 1 to 4096, as spins of a wheel of 216 pockets: `wheel216xN`.
    Dice(u16),
    /// These cards by ascending code, 1 to 624: `cards:…`.
    Cards(Vec<Card>),
}

impl Composition {
    /// The composition of a list of cards in any order; refuses an empty list and more than 624.
    pub fn cards(mut cards: Vec<Card>) -> Result<Self, CompositionError> {
        cards.sort_unstable();
        let composition = Self::Cards(cards);
        composition.check()?;
        Ok(composition)
    }

    /// Reads the canonical text; refuses every other spelling of the same thing.
    pub fn parse(text: &str) -> Result<Self, CompositionError> {
        let composition = if let Some(number) = text.strip_prefix(DECKS) {
            let decks = decimal(number)?;
            Self::Decks(u8::try_from(decks).map_err(|_| CompositionError::Decks(decks))?)
        } else if let Some(number) = text.strip_prefix(WHEEL) {
            let spins = decimal(number)?;
            Self::Wheel(u16::try_from(spins).map_err(|_| CompositionError::Spins(spins))?)
        } else if let Some(number) = text.strip_prefix(DICE) {
            let spins = decimal(number)?;
            Self::Dice(u16::try_from(spins).map_err(|_| CompositionError::Spins(spins))?)
        } else if let Some(list) = text.strip_prefix(CARDS) {
            Self::Cards(parse_list(list)?)
        } else {
            return Err(CompositionError::Form);
        };
        composition.check()?;
        Ok(composition)
    }

    /// Whether the bounds and, in a list, the order hold.
    pub fn check(&self) -> Result<(), CompositionError> {
        match self {
            Self::Decks(decks) if (1..=MAX_DECKS).contains(decks) => Ok(()),
            Self::Decks(decks) => Err(CompositionError::Decks(u64::from(*decks))),
            Self::Wheel(spins) | Self::Dice(spins) if (1..=MAX_SPINS).contains(spins) => Ok(()),
            Self::Wheel(spins) | Self::Dice(spins) => Err(CompositionError::Spins(u64::from(*spins))),
            Self::Cards(cards) if cards.is_empty() || cards.len() > MAX_CARDS => {
                Err(CompositionError::Cards(cards.len()))
            }
            Self::Cards(cards) => match cards.windows(2).position(|pair| pair.first() > pair.last()) {
                Some(before) => Err(CompositionError::NotAscending { at: before + 1 }),
                None => Ok(()),
            },
        }
    }

    /// Number of slots, 1 to 4096; 0 if the composition breaks its bounds.
    pub fn len(&self) -> u16 {
        if self.check().is_err() {
            return 0;
        }
        match self {
            Self::Decks(decks) => u16::from(*decks) * u16::from(Card::COUNT),
            Self::Wheel(spins) | Self::Dice(spins) => *spins,
            // At most 624, as checked above.
            Self::Cards(cards) => u16::try_from(cards.len()).unwrap_or(0),
        }
    }

    /// Whether there is no slot; only so if the composition breaks its bounds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The listed card codes, in the order the house shuffle starts from; empty for a wheel, whose pockets are drawn
    /// instead.
    pub fn values(&self) -> Vec<u8> {
        if self.check().is_err() {
            return Vec::new();
        }
        match self {
            Self::Decks(decks) => (0..*decks).flat_map(|_| 0..Card::COUNT).collect(),
            Self::Wheel(_) | Self::Dice(_) => Vec::new(),
            Self::Cards(cards) => cards.iter().map(|card| card.code()).collect(),
        }
    }

    /// Whether the slots are spins of a wheel rather than cards.
    pub const fn is_wheel(&self) -> bool {
        matches!(self, Self::Wheel(_) | Self::Dice(_))
    }

    /// The number of different values of a slot: 52 card codes, 37 pockets or 216 throws.
    pub const fn value_limit(&self) -> u8 {
        match self {
            Self::Wheel(_) => WHEEL_POCKETS,
            Self::Dice(_) => DICE_THROWS,
            Self::Decks(_) | Self::Cards(_) => Card::COUNT,
        }
    }

    /// How often a card is listed: a sealed shoe that opens one more often was improper. A wheel lists no cards.
    pub fn count_of(&self, card: Card) -> u16 {
        match self {
            Self::Decks(_) => self.len() / u16::from(Card::COUNT),
            Self::Wheel(_) | Self::Dice(_) => 0,
            Self::Cards(cards) => u16::try_from(cards.iter().filter(|&&c| c == card).count()).unwrap_or(0),
        }
    }
}

/// Decimal digits without sign and without leading zeros: `052` and `52` would be two keys for one deck. No bound needs
/// more than four digits.
fn decimal(text: &str) -> Result<u64, CompositionError> {
    let canonical = (1..=4).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    if !canonical {
        return Err(CompositionError::Form);
    }
    text.parse().map_err(|_| CompositionError::Form)
}

fn parse_list(list: &str) -> Result<Vec<Card>, CompositionError> {
    // Checked before parsing: a foreign list must not grow a vector past the bound.
    if list.len() > 2 * MAX_CARDS {
        return Err(CompositionError::Cards(list.len().div_ceil(2)));
    }
    list.as_bytes()
        .chunks(2)
        .enumerate()
        .map(|(at, code)| {
            std::str::from_utf8(code).ok().and_then(|code| code.parse().ok()).ok_or(CompositionError::NotACard { at })
        })
        .collect()
}

impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decks(decks) => write!(f, "{DECKS}{decks}"),
            Self::Wheel(spins) => write!(f, "{WHEEL}{spins}"),
            Self::Dice(spins) => write!(f, "{DICE}{spins}"),
            Self::Cards(cards) => {
                f.write_str(CARDS)?;
                cards.iter().try_for_each(|card| write!(f, "{card}"))
            }
        }
    }
}

impl FromStr for Composition {
    type Err = CompositionError;

    fn from_str(text: &str) -> Result<Self, CompositionError> {
        Self::parse(text)
    }
}

impl Serialize for Composition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.check().map_err(serde::ser::Error::custom)?;
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Composition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::parse(deserializer, "a composition such as 52x8, wheel37x50 or cards:AcKs")
    }
}
