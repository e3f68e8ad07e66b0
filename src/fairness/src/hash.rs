//! SHA-256 and HMAC-SHA-256 over labelled input, and the length prefix. Every use has its own label, so that a value
//! made for one purpose never passes for another.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

const LABEL_PREFIX: &[u8] = b"fairshoe/v1/";

/// `H(L(label) parts…)`.
pub(crate) fn hash(label: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new().chain_update(LABEL_PREFIX).chain_update(label).chain_update([0]);
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The bytes that [`hash`] hashes.
pub(crate) fn hashed(label: &str, parts: &[&[u8]]) -> Vec<u8> {
    [LABEL_PREFIX, label.as_bytes(), &[0], &parts.concat()].concat()
}

/// `HMAC(key, L(label) parts…)`.
pub(crate) fn hmac(key: &[u8; 32], label: &str, parts: &[&[u8]]) -> [u8; 32] {
    // HMAC pads a short key with zeros to the block. So the padded block is the same key, and its length is always
    // accepted.
    let mut block = [0; 64];
    for (padded, byte) in block.iter_mut().zip(key) {
        *padded = *byte;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
    mac.update(LABEL_PREFIX);
    mac.update(label.as_bytes());
    mac.update(&[0]);
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// `lp(text)`: u16 length, then the bytes. Names are at most 255 bytes and compositions 1,254; a composition built by
/// hand outside its bounds is cut, and has no slots anyway.
pub(crate) fn lp(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let mut out = Vec::with_capacity(2 + usize::from(length));
    out.extend_from_slice(&length.to_be_bytes());
    out.extend(text.bytes().take(usize::from(length)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_with_a_padded_key_is_rfc_2104() {
        let key = [7; 32];
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(b"fairshoe/v1/salts\0abc");
        let want: [u8; 32] = mac.finalize().into_bytes().into();
        assert_eq!(hmac(&key, "salts", &[b"a", b"bc"]), want);
    }

    #[test]
    fn length_prefix() {
        assert_eq!(lp("ab"), [0, 2, b'a', b'b']);
        assert_eq!(lp(&"x".repeat(300))[..2], [1, 44]);
        assert_eq!(lp(&"x".repeat(70_000)).len(), 65_537);
    }
}
