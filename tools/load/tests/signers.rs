//! The signature that an entry must have.

use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_house::Entry;
use fairshoe_house::{Command, Nonce, Signed};
use fairshoe_load::check::{Flaw, Signers};
use fairshoe_tlog::PublicKey;
use fairshoe_tlog::SecretKey;
use std::collections::HashMap;

#[test]
fn only_the_players_own_fresh_signature_passes() {
    let origin = Origin::parse("example.com/log").unwrap();
    let alice = PlayerId::parse("alice").unwrap();
    let secret = SecretKey::from_seed(&[1; 32]);
    let signers = Signers::default();
    signers.name(alice.clone(), PublicKey::from_bytes(&secret.public_key()).unwrap());
    let command: Command =
        serde_json::from_str(r#"{"act":{"table":"t1","round_no":3,"decision":0,"action":"hit"}}"#).unwrap();
    let signed =
        |nonce, command: &Command| Signed::make(&secret, &origin, &alice, Nonce::new(nonce).unwrap(), command).unwrap();
    let entry = |by: &str, signed: Option<Signed>| Entry {
        v: 1,
        time: 0,
        by: serde_json::from_value(serde_json::json!(by)).unwrap(),
        at: None,
        before: vec![],
        command: command.clone(),
        signed,
        events: vec![],
    };
    let mut nonces = HashMap::new();
    let mut check = |entry: &Entry| match signers.check(&origin, entry, &mut nonces) {
        Ok(()) => "",
        Err(Flaw::Signature { what, .. }) => what,
        Err(_) => "?",
    };
    assert_eq!(check(&entry("player:alice", None)), "is not signed");
    assert_eq!(check(&entry("player:alice", Some(signed(5, &command)))), "");
    assert_eq!(check(&entry("player:alice", Some(signed(5, &command)))), "has a nonce that was used before");
    let other: Command =
        serde_json::from_str(r#"{"act":{"table":"t1","round_no":4,"decision":0,"action":"hit"}}"#).unwrap();
    assert_eq!(check(&entry("player:alice", Some(signed(6, &other)))), "is not signed with their key");
    assert_eq!(check(&entry("house", Some(signed(7, &command)))), "is signed, and no player gave it");
    assert_eq!(check(&entry("player:bob", None)), "", "nothing is known of him");
    assert_eq!(check(&entry("house", None)), "");
}
