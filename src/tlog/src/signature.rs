//! Bare Ed25519 keys under the one signature rule of this project (spec/log.md, "Signature rule"): the log's, the
//! witnesses' and the players' signatures all pass through here. Owns the rule; does not own names, key texts or what
//! is signed.

use std::fmt;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

/// A public key that the signature rule takes (spec/log.md, "Signature rule").
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key of these 32 bytes; `None` if they are no canonical encoding of a point, or of one of small order.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        // Non-canonical and small-order points are where Ed25519 verifiers disagree: no such key is taken.
        if !is_canonical_point(bytes) {
            return None;
        }
        let key = VerifyingKey::from_bytes(bytes).ok()?;
        if key.is_weak() { None } else { Some(Self(key)) }
    }

    /// The raw public key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Whether `signature`, R then S, is this key's over `message`.
    ///
    /// Strict verification: whatever passes here passes every RFC 8032 verifier, cofactored or not.
    #[must_use]
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublicKey(")?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// Whether the y coordinate is below 2²⁵⁵ − 19 as RFC 8032 section 5.1.3 wants it; the library reduces it instead.
fn is_canonical_point(bytes: &[u8; 32]) -> bool {
    let high = bytes[31] & 0x7f == 0x7f && bytes[1..31].iter().all(|&b| b == 0xff);
    !(high && bytes[0] >= 0xed)
}

/// A secret key, as RFC 8032 makes it of a 32-byte seed; wiped on drop and never printed.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// The key of a seed, which the caller wipes.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The raw public key.
    #[must_use]
    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// The signature over `message`: R then S.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_one_key_over_one_message() {
        let secret = SecretKey::from_seed(&[7; 32]);
        let public = PublicKey::from_bytes(&secret.public_key()).unwrap();
        let signature = secret.sign(b"hit");
        assert!(public.verify(b"hit", &signature));
        assert!(!public.verify(b"hit\n", &signature));
        assert!(!public.verify(b"hit", &signature[..63]));
        let other = PublicKey::from_bytes(&SecretKey::from_seed(&[8; 32]).public_key()).unwrap();
        assert!(!other.verify(b"hit", &signature));
        for bit in 0..512 {
            let mut changed = signature;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!public.verify(b"hit", &changed), "bit {bit}");
        }
        assert_eq!(format!("{secret:?}"), "SecretKey(hidden)");
    }

    #[test]
    fn keys_under_which_anyone_can_sign_are_not_taken() {
        // The neutral element; the point of order 2; y = p, another spelling of 0; no point at all.
        let mut two = [0xff; 32];
        (two[0], two[31]) = (0xec, 0x7f);
        let mut p = [0xff; 32];
        (p[0], p[31]) = (0xed, 0x7f);
        let mut one = [0; 32];
        one[0] = 1;
        let mut none = [0; 32];
        none[0] = 2;
        for bad in [one, two, p, none, [0; 32]] {
            assert!(PublicKey::from_bytes(&bad).is_none(), "{bad:02x?}");
        }
    }
}
