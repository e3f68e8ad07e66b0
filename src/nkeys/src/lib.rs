//! Keys of NATS (nkeys): an Ed25519 key whose text begins with a letter for its role. async-nats uses them to sign a
//! server's challenge (spec/cluster.md, "JetStream").
//!
//! It replaces the crate of this name, which brings 23 others, including a second Ed25519.

#![forbid(unsafe_code)]

use ed25519_dalek::{Signer as _, SigningKey};
use thiserror::Error;
use zeroize::Zeroizing;

/// The digits of base 32 without padding (RFC 4648).
const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The first five bits of a seed's text: `S`.
const SEED: u8 = 18 << 3;

/// A seed before its text: two bytes of prefix and role, the key, a checksum.
const SEED_BYTES: usize = 36;

/// The role of a key: the first byte of its public text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// `A`
    Account = 0,
    /// `O`
    Operator = 14 << 3,
    /// `U`
    User = 20 << 3,
}

/// The text is not a seed. The error does not repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this is no seed of a user, an account or an operator of NATS, or it is damaged")]
pub struct NoSeed;

/// An Ed25519 key with its role.
pub struct KeyPair {
    role: Role,
    key: SigningKey,
}

impl KeyPair {
    /// The key of these secret bytes.
    #[must_use]
    pub fn new(role: Role, secret: &[u8; 32]) -> KeyPair {
        KeyPair { role, key: SigningKey::from_bytes(secret) }
    }

    /// The key of a seed's text (`SU…`).
    ///
    /// # Errors
    /// [`NoSeed`].
    pub fn from_seed(text: &str) -> Result<KeyPair, NoSeed> {
        let bytes = Zeroizing::new(decode(text)?);
        let (sealed, sum) = bytes.split_last_chunk::<2>().ok_or(NoSeed)?;
        let [first, second, secret @ ..] = sealed else { return Err(NoSeed) };
        let secret: &[u8; 32] = secret.try_into().map_err(|_| NoSeed)?;
        let roles = [Role::Account, Role::Operator, Role::User];
        let role = roles.into_iter().find(|role| [*first, *second] == prefix(*role)).ok_or(NoSeed)?;
        if checksum(sealed).to_le_bytes() != *sum {
            return Err(NoSeed);
        }
        Ok(KeyPair::new(role, secret))
    }

    /// The text of its seed.
    #[must_use]
    pub fn seed(&self) -> Zeroizing<String> {
        let secret = Zeroizing::new(self.key.to_bytes());
        Zeroizing::new(encode(&prefix(self.role), secret.as_slice()))
    }

    /// The text of its public key.
    #[must_use]
    pub fn public_key(&self) -> String {
        encode(&[self.role as u8], self.key.verifying_key().as_bytes())
    }

    /// Signs a server's challenge.
    ///
    /// # Errors
    /// Never.
    pub fn sign(&self, asked: &[u8]) -> Result<Vec<u8>, NoSeed> {
        Ok(self.key.sign(asked).to_bytes().to_vec())
    }
}

/// The two bytes before a seed: `S` in five bits, the role in eight.
fn prefix(role: Role) -> [u8; 2] {
    [SEED | (role as u8 >> 5), (role as u8 & 31) << 3]
}

/// CRC-16 with the polynomial 0x1021, from 0.
fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum: u16, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| if sum >> 15 == 1 { (sum << 1) ^ 0x1021 } else { sum << 1 })
    })
}

fn encode(prefix: &[u8], key: &[u8]) -> String {
    let mut bytes = Zeroizing::new([prefix, key].concat());
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    let (mut text, mut held, mut bits) = (String::new(), 0_u32, 0);
    for byte in bytes.iter() {
        (held, bits) = ((held << 8 | u32::from(*byte)) & 0xfff, bits + 8);
        while bits >= 5 {
            bits -= 5;
            text.push(digit(held >> bits));
        }
    }
    if bits > 0 {
        text.push(digit(held << (5 - bits)));
    }
    text
}

fn digit(value: u32) -> char {
    DIGITS.get(value as usize & 31).map_or('A', |digit| char::from(*digit))
}

/// The bytes of a text; its last bits, which fill no byte, must be zero.
fn decode(text: &str) -> Result<Vec<u8>, NoSeed> {
    let (mut bytes, mut held, mut bits) = (Vec::with_capacity(SEED_BYTES), 0_u32, 0);
    for byte in text.bytes() {
        let value = DIGITS.iter().zip(0..).find_map(|(digit, value)| (*digit == byte).then_some(value));
        (held, bits) = ((held << 5 | value.ok_or(NoSeed)?) & 0xfff, bits + 5);
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits & 0xff));
        }
        if bytes.len() > SEED_BYTES {
            return Err(NoSeed);
        }
    }
    if held & ((1 << bits) - 1) == 0 { Ok(bytes) } else { Err(NoSeed) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_of_nats_is_read_and_signs() {
        // Published by NATS with its client libraries.
        let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
        let pair = KeyPair::from_seed(seed).unwrap();
        assert_eq!(pair.public_key(), "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4");
        assert_eq!(pair.seed().as_str(), seed);
        let signature = ed25519_dalek::Signature::from_slice(&pair.sign(b"nonce").unwrap()).unwrap();
        pair.key.verify_strict(b"nonce", &signature).unwrap();
    }

    #[test]
    fn each_role_comes_back_and_nothing_else_is_taken() {
        for (role, letter) in [(Role::Account, 'A'), (Role::Operator, 'O'), (Role::User, 'U')] {
            let pair = KeyPair::new(role, &[7; 32]);
            assert!(pair.public_key().starts_with(letter) && pair.seed().starts_with(&format!("S{letter}")));
            let again = KeyPair::from_seed(&pair.seed()).unwrap();
            assert_eq!((again.public_key(), again.role), (pair.public_key(), role));
            for at in 0..pair.seed().len() {
                let mut damaged = pair.seed().as_bytes().to_vec();
                damaged[at] = if damaged[at] == b'A' { b'B' } else { b'A' };
                assert_eq!(KeyPair::from_seed(std::str::from_utf8(&damaged).unwrap()).err(), Some(NoSeed), "{at}");
            }
            assert_eq!(KeyPair::from_seed(&pair.public_key()).err(), Some(NoSeed));
        }
        for none in ["", "SU", "SU1", "SUÄ", &"S".repeat(10_000)] {
            assert_eq!(KeyPair::from_seed(none).err(), Some(NoSeed));
        }
    }
}
