//! An opening: the proof, given as a card is turned up, that it is the committed card.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bytes::{HexError, ShoeRoot, decode_hex};
use crate::card::{Card, Slot};
use crate::composition::{Composition, CompositionError};
use crate::merkle::{self, leaf_hash, path_len, root_from_path};
use crate::text;

/// The most hashes in a path: 4,096 slots make twelve levels. Checked while reading, before the thirteenth is stored.
pub const MAX_PATH: usize = 12;

/// N bytes as `2 * N` lower-case digits.
struct Hex<const N: usize>([u8; N]);

impl<const N: usize> FromStr for Hex<N> {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        decode_hex(text).map(Self)
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Salts and hashes are at most 32 bytes.
        let mut digits = [0; 64];
        let digits =
            digits.get_mut(..2 * N).ok_or_else(|| serde::ser::Error::custom("too long for a salt or a hash"))?;
        hex::encode_to_slice(self.0, digits).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(std::str::from_utf8(digits).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::parse(deserializer, "lower-case hexadecimal digits of the right number")
    }
}

/// Why an opening fails (spec/fairness.md, "Openings").
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The composition it is checked against is itself outside the bounds.
    #[error(transparent)]
    Composition(#[from] CompositionError),
    /// The shoe has no such slot.
    #[error("slot {slot} of a shoe of {slots}")]
    Slot {
        /// The slot opened.
        slot: Slot,
        /// Slots of the composition.
        slots: u16,
    },
    /// The value is no card code, or no pocket.
    #[error("value {value}: it must be below {limit}")]
    Value {
        /// The value opened.
        value: u8,
        /// First value out of range: 52 for cards, 37 for a wheel.
        limit: u8,
    },
    /// The path's length does not fit slot and composition.
    #[error("a path of {got} hashes where slot and composition demand {want}")]
    PathLength {
        /// Hashes given.
        got: usize,
        /// Hashes required.
        want: usize,
    },
    /// The path leads to another root: another card, salt, slot or shoe.
    #[error("the path leads to root {got}, not to the committed {want}")]
    Root {
        /// Root computed from the opening.
        got: ShoeRoot,
        /// Root committed.
        want: ShoeRoot,
    },
}

/// A slot's value, salt and Merkle path (spec/fairness.md, "Openings").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The slot opened.
    pub slot: Slot,
    /// Card code (0–51), or pocket before the spin's offset (0–36).
    pub value: u8,
    /// The slot's salt, which hid the value until now.
    #[serde(serialize_with = "write_salt", deserialize_with = "read_salt")]
    pub salt: [u8; 16],
    /// Sibling hashes from the leaf upwards, at most 12.
    #[serde(serialize_with = "write_path", deserialize_with = "read_path")]
    pub path: Vec<[u8; 32]>,
}

impl Opening {
    /// The opened value as a card; for a wheel's opening the caller knows that it is no card.
    pub fn card(&self) -> Option<Card> {
        Card::from_code(self.value)
    }

    /// Checks the opening against a committed root, at exactly (slot, n). The tree's shape follows from slot and
    /// composition alone, so a proof cannot bring another shape.
    pub fn verify(&self, root: &ShoeRoot, composition: &Composition) -> Result<(), OpeningError> {
        composition.check()?;
        let slots = composition.len();
        if self.slot.0 >= slots {
            return Err(OpeningError::Slot { slot: self.slot, slots });
        }
        let limit = composition.value_limit();
        if self.value >= limit {
            return Err(OpeningError::Value { value: self.value, limit });
        }
        let (index, leaves) = (self.slot.index(), usize::from(slots));
        let leaf = leaf_hash(&self.salt, self.slot.0, self.value);
        let Some(got) = root_from_path(leaf, index, leaves, &self.path) else {
            return Err(OpeningError::PathLength { got: self.path.len(), want: path_len(index, leaves) });
        };
        let got = ShoeRoot::from_bytes(got);
        if got == *root { Ok(()) } else { Err(OpeningError::Root { got, want: *root }) }
    }
}

fn write_salt<S: Serializer>(salt: &[u8; 16], serializer: S) -> Result<S::Ok, S::Error> {
    Hex(*salt).serialize(serializer)
}

fn read_salt<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 16], D::Error> {
    Hex::deserialize(deserializer).map(|Hex(salt)| salt)
}

fn write_path<S: Serializer>(path: &[merkle::Hash], serializer: S) -> Result<S::Ok, S::Error> {
    let mut seq = serializer.serialize_seq(Some(path.len()))?;
    for hash in path {
        seq.serialize_element(&Hex(*hash))?;
    }
    seq.end()
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<merkle::Hash>, D::Error> {
    struct Path;

    impl<'de> Visitor<'de> for Path {
        type Value = Vec<merkle::Hash>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MAX_PATH} hashes of 64 lower-case hexadecimal digits")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut path = Vec::with_capacity(MAX_PATH);
            while let Some(hash) = seq.next_element::<Hex<32>>()? {
                if path.len() == MAX_PATH {
                    return Err(A::Error::invalid_length(MAX_PATH + 1, &self));
                }
                path.push(hash.0);
            }
            Ok(path)
        }
    }

    deserializer.deserialize_seq(Path)
}
