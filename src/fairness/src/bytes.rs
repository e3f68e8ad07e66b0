//! The 32-byte values of the protocol, with one type for each kind, so that a root cannot be used as a commitment. The
//! text of each is exactly 64 lower-case hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::text::serde_text;

/// Why a text is not the hexadecimal form of a value (spec/fairness.md, "Notation").
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HexError {
    /// The number of digits is wrong.
    #[error("{got} hexadecimal digits where {want} are required")]
    Length {
        /// Length of the text, in bytes.
        got: usize,
        /// Digits required.
        want: usize,
    },
    /// A byte is no lower-case hexadecimal digit.
    #[error("byte {at} is not a lower-case hexadecimal digit")]
    Digit {
        /// Position in the text, in bytes from 0.
        at: usize,
    },
}

/// Decodes exactly `2 * N` lower-case digits. One value must have one text: otherwise two log entries with different
/// bytes could mean the same.
pub(crate) fn decode_hex<const N: usize>(text: &str) -> Result<[u8; N], HexError> {
    let want = N.saturating_mul(2);
    if text.len() != want {
        return Err(HexError::Length { got: text.len(), want });
    }
    let mut out = [0; N];
    for (byte, (pair, digits)) in out.iter_mut().zip(text.as_bytes().chunks_exact(2).enumerate()) {
        let (high, low) = (DIGITS[usize::from(digits[0])], DIGITS[usize::from(digits[1])]);
        if (high | low) > 15 {
            return Err(HexError::Digit { at: 2 * pair + usize::from(high <= 15) });
        }
        *byte = 16 * high + low;
    }
    Ok(out)
}

/// The value of each lower-case digit, 255 for every other byte. A table, because an auditor spends much time here and
/// the common library also accepts upper-case digits.
const DIGITS: [u8; 256] = {
    let mut table = [255; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    table
};

macro_rules! bytes32 {
    ($name:ident) => {
        impl $name {
            /// Wraps 32 bytes as they are.
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The 32 bytes.
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut digits = [0; 64];
                hex::encode_to_slice(self.0, &mut digits).map_err(|_| fmt::Error)?;
                f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
            }
        }

        impl FromStr for $name {
            type Err = HexError;

            fn from_str(text: &str) -> Result<Self, HexError> {
                decode_hex(text).map(Self)
            }
        }

        serde_text!($name, "64 lower-case hexadecimal digits");
    };
}

macro_rules! public_bytes32 {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 32]);

        bytes32!($name);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

macro_rules! secret_bytes32 {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash, Zeroize, ZeroizeOnDrop)]
        pub struct $name([u8; 32]);

        bytes32!($name);

        // A seed printed in a trace line would reveal the shoe too early.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}(hidden)", stringify!($name))
            }
        }
    };
}

public_bytes32! {
    /// 32 OS-random bytes, new at every start of the dealer (spec/fairness.md, "Context").
    Epoch
}
public_bytes32! {
    /// The public digest of the master secret (spec/fairness.md, "Server seed").
    MasterId
}
public_bytes32! {
    /// `C_k`: the commitment to one candidate's server seed (spec/fairness.md, "Server seed").
    ShoeCommitment
}
public_bytes32! {
    /// `R_k`: the Merkle root over one candidate's salted slots (spec/fairness.md, "House order").
    ShoeRoot
}
public_bytes32! {
    /// The hash that comes with a bet, of a client seed not yet revealed (spec/fairness.md, "Client seed").
    SeedCommitment
}
public_bytes32! {
    /// `E`: the entropy of one round, public once all seeds are revealed (spec/fairness.md, "Round entropy").
    RoundEntropy
}
public_bytes32! {
    /// `E_d`, and X: the entropy of a tournament's draw, and the event's running entropy (spec/games/tournaments.md,
    /// "Draws").
    EventEntropy
}
secret_bytes32! {
    /// A player's 32 bytes for one round, secret until the player reveals them (spec/fairness.md, "Client seed").
    /// `Debug` hides it; `Display` and serde are for its publication.
    ClientSeed
}
secret_bytes32! {
    /// `S_k`: the seed of one candidate shoe, secret until that shoe is revealed (spec/fairness.md, "Server seed").
    /// `Debug` hides it; `Display` and serde are for its publication.
    ServerSeed
}
secret_bytes32! {
    /// `s_d`: the house's number of a tournament's draw, secret until that draw (spec/games/tournaments.md, "Draws").
    /// `Debug` hides it; `Display` and serde are for its publication.
    DrawLink
}
