//! The name of a spot on a table's layout: its one spelling and its length. Each game says which spots it has.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The longest name of a spot, in bytes.
pub const MAX_SPOT_NAME: usize = 32;

/// A named spot of the table's layout: `player`, `straight:17`, `discard`. 1 to 32 bytes of `[a-z0-9:-]`, beginning
/// with a letter.
///
/// The name is stored inline, so that types that name a spot stay `Copy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpotName {
    bytes: [u8; MAX_SPOT_NAME],
    len: u8,
}

impl SpotName {
    /// Checks the name; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<SpotName> {
        let valid = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b":-".contains(b);
        if !text.as_bytes().first().is_some_and(u8::is_ascii_lowercase) || !text.as_bytes().iter().all(valid) {
            return None;
        }
        let mut bytes = [0; MAX_SPOT_NAME];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(SpotName { bytes, len: u8::try_from(text.len()).ok()? })
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        let used = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        std::str::from_utf8(used).unwrap_or_default()
    }
}

impl fmt::Display for SpotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SpotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl Serialize for SpotName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SpotName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        SpotName::parse(&text).ok_or_else(|| {
            serde::de::Error::custom("a spot's name is 1 to 32 characters of [a-z0-9:-], beginning with a letter")
        })
    }
}
