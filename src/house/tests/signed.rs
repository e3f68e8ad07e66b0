//! Keys, signatures and nonces as text, and what a player signs.

use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_house::{Actor, Command, CommandSignature, Nonce, PlayerKey, signed_text};

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

#[test]
fn what_is_signed_is_five_lines() {
    let origin = Origin::parse("example.com/log").unwrap();
    let by = Actor::Player(PlayerId::parse("alice").unwrap());
    let command: Command = serde_json::from_str(r#"{"ask_to_play":{"table":"t1"}}"#).unwrap();
    let text = signed_text(&origin, &by, Nonce::MAX, &command).unwrap();
    assert_eq!(
        text,
        "fairshoe/v1/signed-command\nexample.com/log\nplayer:alice\n9007199254740991\n{\"ask_to_play\":{\"table\":\"t1\"}}\n"
    );
}
