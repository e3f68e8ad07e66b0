//! Bare Ed25519 keys under this project's one signature rule (spec/log.md, "Signature rule"): all signatures of the
//! log, the witnesses and the players pass through here. Owns the rule; does not own names, key texts or the signed
//! messages.

use std::fmt;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

/// A public key that the signature rule accepts (spec/log.md, "Signature rule").
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key of these 32 bytes; `None` if they are not the canonical encoding of a point, or the point has small
    /// order.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        // Ed25519 verifiers disagree on non-canonical and small-order points, so such keys are refused.
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
    /// Strict verification: every RFC 8032 verifier, cofactored or not, accepts a signature that passes here.
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

/// Whether the y coordinate is below 2²⁵⁵ − 19 as RFC 8032 section 5.1.3 requires; the library reduces it instead.
fn is_canonical_point(bytes: &[u8; 32]) -> bool {
    let high = bytes[31] & 0x7f == 0x7f && bytes[1..31].iter().all(|&b| b == 0xff);
    !(high && bytes[0] >= 0xed)
}

/// A secret key, derived by RFC 8032 from a 32-byte seed; wiped on drop and never printed.
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
