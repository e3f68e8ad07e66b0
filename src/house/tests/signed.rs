//! Keys, signatures and nonces as text, and what a player signs.

use fairshoe_house::{CommandSignature, Nonce, PlayerKey, signed_text};
use fairshoe_tlog::PublicKey;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[test]
fn keys_signatures_and_nonces_have_one_text() {
    let text = "0a".repeat(32);
    assert_eq!(text.parse::<PlayerKey>().unwrap().to_string(), text);
    for bad in ["", "0A", &"0A".repeat(32), &"0a".repeat(31), &format!("{text}0a"), &"zz".repeat(32)] {
        assert!(bad.parse::<PlayerKey>().is_err(), "{bad}");
        assert!(bad.parse::<CommandSignature>().is_err(), "{bad}");
    }
    for (number, fits) in [(0, false), (1, true), ((1 << 53) - 1, true), (1 << 53, false), (u64::MAX, false)] {
        assert_eq!(Nonce::new(number).is_some(), fits);
        assert_eq!(serde_json::from_str::<Nonce>(&number.to_string()).is_ok(), fits);
    }
}

/// Which keys a player may have, and which bytes they sign.
#[test]
fn keys_texts_and_signatures_are_those_of_the_vectors() {
    let file: Value = serde_json::from_str(&crate::vectors::stored("player-keys.json")).unwrap();
    let list = |name: &str| file[name].as_array().unwrap().clone();
    for case in list("keys") {
        let key: PlayerKey = of(&case, "key");
        assert_eq!(PublicKey::from_bytes(key.as_bytes()).is_some(), case["usable"], "{case}");
    }
    for case in list("signatures") {
        let command = serde_json::from_str(case["command"].as_str().unwrap()).unwrap();
        let text = signed_text(&of(&case, "origin"), &of(&case, "by"), of(&case, "nonce"), &command).unwrap();
        assert_eq!(text, case["text"], "{case}");
        let (key, signature): (PlayerKey, CommandSignature) = (of(&case, "key"), of(&case, "signature"));
        let key = PublicKey::from_bytes(key.as_bytes()).unwrap();
        assert_eq!(key.verify(text.as_bytes(), signature.as_bytes()), case["holds"], "{case}");
    }
}

fn of<T: DeserializeOwned>(case: &Value, name: &str) -> T {
    serde_json::from_value(case[name].clone()).unwrap()
}
