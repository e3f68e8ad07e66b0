//! The signature rule (spec/log.md): which signatures pass, and which keys are accepted.

use fairshoe_tlog::{PublicKey, SecretKey};

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
    // The neutral element; the point of order 2; y = p, another spelling of 0; bytes that are no point.
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
