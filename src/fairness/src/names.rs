//! The names that every seed and commitment is bound to.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::text::serde_text;

/// Why a text is not an origin, a table or a player (spec/fairness.md, "Context").
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Empty, or longer than allowed.
    #[error("{kind} of {got} bytes: 1 to {max} are allowed")]
    Length {
        /// `origin`, `table` or `player`.
        kind: &'static str,
        /// Length of the text, in bytes.
        got: usize,
        /// Greatest length, in bytes.
        max: usize,
    },
    /// A byte outside the alphabet, or one that may not stand first.
    #[error("{kind}: byte 0x{byte:02x} at {at} is not allowed")]
    Byte {
        /// `origin`, `table` or `player`.
        kind: &'static str,
        /// Position in the text, from 0.
        at: usize,
        /// Its value, as it stands in the name.
        byte: u8,
    },
}

fn check(
    kind: &'static str,
    text: &str,
    max: usize,
    first: fn(u8) -> bool,
    allowed: fn(u8) -> bool,
) -> Result<(), NameError> {
    if text.is_empty() || text.len() > max {
        return Err(NameError::Length { kind, got: text.len(), max });
    }
    match text.bytes().enumerate().find(|&(at, b)| !allowed(b) || at == 0 && !first(b)) {
        Some((at, byte)) => Err(NameError::Byte { kind, at, byte }),
        None => Ok(()),
    }
}

/// Printable ASCII without space; `+` would end the name in a note's verifier key.
fn origin_byte(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e) && byte != b'+'
}

/// Lower case only: two names that look alike to a reader would be two contributors.
fn id_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-')
}

/// The first byte is not a dot: every client and proxy resolves `.` and `..` in a path before the service sees them.
fn id_first_byte(byte: u8) -> bool {
    id_byte(byte) && byte != b'.'
}

macro_rules! name {
    ($(#[$meta:meta])* $name:ident, $kind:literal, $max:literal, $first:path, $allowed:path, $expecting:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Greatest length, in bytes.
            pub const MAX_LEN: usize = $max;

            /// Checks a text and keeps it; refuses wrong lengths, and bytes that are not allowed at their position.
            pub fn parse(text: &str) -> Result<Self, NameError> {
                check($kind, text, Self::MAX_LEN, $first, $allowed)?;
                Ok(Self(text.into()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::parse(text)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        serde_text!($name, $expecting);
    };
}

name! {
    /// The log's name: 1 to 255 bytes of 0x21–0x7e without `+` (spec/fairness.md, "Context").
    Origin, "origin", 255, origin_byte, origin_byte, "an origin of 1 to 255 printable ASCII bytes without space and +"
}
name! {
    /// A table's name: 1 to 64 bytes of `[a-z0-9._-]`, not beginning with a dot, never used again for another table
    /// (spec/fairness.md, "Context").
    TableId, "table", 64, id_first_byte, id_byte, "a table name of 1 to 64 bytes of [a-z0-9._-], the first no dot"
}
name! {
    /// A player's name: 1 to 64 bytes of `[a-z0-9._-]`, not beginning with a dot, never used again for another player
    /// (spec/fairness.md, "Context").
    PlayerId, "player", 64, id_first_byte, id_byte, "a player name of 1 to 64 bytes of [a-z0-9._-], the first no dot"
}
