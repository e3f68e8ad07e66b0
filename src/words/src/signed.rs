//! Keys, signatures and roots as the log writes them, and what a player signs (spec/entries.md, "Signed commands"). The
//! signature rule is the log's crate's.

use crate::{Actor, Command};
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_tlog::SecretKey;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The first line of what is signed: no other text of the protocol begins so.
const DOMAIN: &str = "fairshoe/v1/signed-command";

macro_rules! hex_bytes {
    ($(#[$meta:meta])* $name:ident, $length:literal, $form:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name([u8; $length]);

        impl $name {
            /// Wraps the bytes as they are.
            pub const fn from_bytes(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            /// The bytes as they were given.
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = &'static str;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let mut bytes = [0; $length];
                // One value, one text: the library takes upper-case digits, too.
                let lower = text.bytes().all(|b| !b.is_ascii_uppercase());
                hex::decode_to_slice(text, &mut bytes).ok().filter(|()| lower).map(|()| Self(bytes)).ok_or($form)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

hex_bytes! {
    /// A player's raw Ed25519 public key as the log names it: 64 lower-case hexadecimal digits. Whether it is one that
    /// the signature rule takes is another question.
    PlayerKey, 32, "a key is 64 lower-case hexadecimal digits"
}
hex_bytes! {
    /// A raw Ed25519 signature, R then S: 128 lower-case hexadecimal digits.
    CommandSignature, 64, "a signature is 128 lower-case hexadecimal digits"
}

hex_bytes! {
    /// The root of a state's lines: 64 lower-case hexadecimal digits.
    StateRoot, 32, "a state's root is 64 lower-case hexadecimal digits"
}

/// Counts a player's signed commands upwards, with gaps if they like: 1 to 2⁵³ − 1, exact in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64")]
pub struct Nonce(u64);

impl Nonce {
    /// The greatest.
    pub const MAX: Nonce = Nonce((1 << 53) - 1);

    /// Checks the range.
    pub fn new(number: u64) -> Option<Nonce> {
        (1..=Nonce::MAX.0).contains(&number).then_some(Nonce(number))
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Nonce {
    type Error = &'static str;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        Nonce::new(number).ok_or("a nonce is from 1 to 9007199254740991")
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A player's signature of a command, as the entry holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// Greater than that of any signed entry of the player before.
    pub nonce: Nonce,
    /// Over [`signed_text`].
    pub signature: CommandSignature,
}

impl Signed {
    /// Signs a command as a player's client does.
    ///
    /// # Errors
    /// The JSON writer's, which no command causes.
    pub fn make(
        secret: &SecretKey,
        origin: &Origin,
        player: &PlayerId,
        nonce: Nonce,
        command: &Command,
    ) -> Result<Signed, serde_json::Error> {
        let text = signed_text(origin, &Actor::Player(player.clone()), nonce, command)?;
        Ok(Signed { nonce, signature: CommandSignature(secret.sign(text.as_bytes())) })
    }
}

/// The bytes that a player signs: five lines, the command as it stands in the entry (spec/entries.md, "Signed
/// commands").
///
/// # Errors
/// The JSON writer's, which no command causes.
pub fn signed_text(origin: &Origin, by: &Actor, nonce: Nonce, command: &Command) -> Result<String, serde_json::Error> {
    Ok(format!("{DOMAIN}\n{origin}\n{by}\n{nonce}\n{}\n", command.to_json()?))
}
