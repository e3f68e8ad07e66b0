//! The house's signed notes on what it received and refused.

use fairshoe_fairness::Origin;
use fairshoe_house::{Actor, Command, HouseNote, HouseNoteError, MOST_NUMBER, ReceivedNote, RefusedNote};
use fairshoe_tlog::Signer;

fn reveal() -> Command {
    let seed = "ab".repeat(32);
    serde_json::from_str(&format!(r#"{{"reveal":{{"table":"t1","round_no":3,"player":"alice","seed":"{seed}"}}}}"#))
        .unwrap()
}

#[test]
fn a_command_that_no_entry_can_hold_is_not_signed_for() {
    let signer = Signer::new("house.example/log", &[7; 32]).unwrap();
    let refused = |bets: &str, round_no: u64| {
        let commitment = "ab".repeat(32);
        let text =
            format!(r#"{{"bet":{{"table":"t1","round_no":{round_no},"bets":[{bets}],"commitment":"{commitment}"}}}}"#);
        let command = serde_json::from_str(&text).unwrap();
        let by = serde_json::from_str("\"player:alice\"").unwrap();
        let origin = Origin::parse("house.example/log").unwrap();
        RefusedNote { origin, time: 7, code: "malformed".into(), by, command, signed: None }.sign(&signer)
    };
    let bet =
        |spot: &str, chips: usize| format!(r#"{{"spot":"{spot}","stake":1,"chips":[{}]}}"#, vec!["1"; chips].join(","));
    let many = |count: usize| vec![bet("1", 1); count].join(",");
    assert!(refused(&bet("1", 1000), MOST_NUMBER).is_ok() && refused(&many(200), 0).is_ok());
    for (bets, round_no) in
        [(bet("A b", 1), 0), (bet("1", 1001), 0), (many(201), 0), (many(1), MOST_NUMBER + 1), (many(1), u64::MAX)]
    {
        assert!(matches!(refused(&bets, round_no), Err(HouseNoteError::Unwritable)), "{round_no} {}", bets.len());
    }
}

fn received() -> ReceivedNote {
    ReceivedNote {
        origin: Origin::parse("house.example/log").unwrap(),
        time: 1_800_000_000_000,
        by: Actor::Anyone,
        command: reveal(),
        signed: None,
    }
}

fn refused() -> RefusedNote {
    let ReceivedNote { origin, time, by, command, signed } = received();
    RefusedNote { origin, time, code: "reveals_over".into(), by, command, signed }
}

/// A choice that a player with a key sent, and the house signed for.
fn choice() -> ReceivedNote {
    let command = r#"{"act":{"table":"t1","round_no":3,"decision":7,"action":"hit"}}"#;
    let signed = format!(r#"{{"nonce":9,"signature":"{}"}}"#, "0c".repeat(64));
    ReceivedNote {
        by: serde_json::from_str("\"player:alice\"").unwrap(),
        command: serde_json::from_str(command).unwrap(),
        signed: Some(serde_json::from_str(&signed).unwrap()),
        ..received()
    }
}

#[test]
fn a_note_says_what_it_was_made_of_under_its_log_s_key_alone() {
    let signer = Signer::new("house.example/log", &[7; 32]).unwrap();
    let signed = received().sign(&signer).unwrap();
    assert!(HouseNote::is_meant(signed.as_bytes()));
    assert_eq!(HouseNote::verify(signed.as_bytes(), signer.verifier_key()), Ok(HouseNote::Received(received())));
    let signed = choice().sign(&signer).unwrap();
    assert_eq!(HouseNote::verify(signed.as_bytes(), signer.verifier_key()), Ok(HouseNote::Received(choice())));
    let signed = refused().sign(&signer).unwrap();
    assert_eq!(HouseNote::verify(signed.as_bytes(), signer.verifier_key()), Ok(HouseNote::Refused(refused())));
    assert_eq!(RefusedNote::parse(&refused().text().unwrap()), Ok(refused()));
    assert!(ReceivedNote::parse(&refused().text().unwrap()).is_err());

    // Another key; a changed letter; the name of another log under this key.
    let other = Signer::new("house.example/log", &[8; 32]).unwrap();
    assert!(matches!(HouseNote::verify(signed.as_bytes(), other.verifier_key()), Err(HouseNoteError::Note(_))));
    let changed = signed.replace("reveals_over", "reveals_ovem");
    assert!(matches!(HouseNote::verify(changed.as_bytes(), signer.verifier_key()), Err(HouseNoteError::Note(_))));
    let elsewhere = Signer::new("other.example/log", &[7; 32]).unwrap();
    let signed = received().sign(&elsewhere).unwrap();
    assert!(matches!(
        HouseNote::verify(signed.as_bytes(), elsewhere.verifier_key()),
        Err(HouseNoteError::OtherLog { .. })
    ));
    // No note is a checkpoint, and none of these texts is read as one.
    assert!(fairshoe_tlog::verify_checkpoint(&received().sign(&signer).unwrap(), signer.verifier_key()).is_err());
}

#[test]
fn a_note_has_one_text() {
    let text = refused().text().unwrap();
    let other = |from: &str, to: &str, line: usize| {
        assert!(text.contains(from), "{from}");
        let read = HouseNote::parse(&text.replacen(from, to, 1));
        assert!(matches!(read, Err(HouseNoteError::Line { line: at, .. }) if at == line), "{from} {to}: {read:?}");
    };
    other("refused/v1", "refused/v2", 1);
    other("house.example", "house example", 2);
    other("1800000000000", "01800000000000", 3);
    other("1800000000000", "+1800000000000", 3);
    other("1800000000000", "9007199254740992", 3);
    other("reveals_over", "Reveals over", 4);
    other("anyone", "nobody", 5);
    other("{\"reveal\"", "{ \"reveal\"", 6);
    other("\"round_no\":3", "\"round_no\":3,\"other\":1", 6);
    other("\n-\n", "\n\n", 7);
    other("\n-\n", "\nnull\n", 7);
    other("\n-\n", "\n{\"nonce\":1}\n", 7);
    let signed = choice().text().unwrap();
    assert!(
        ReceivedNote::parse(&signed).is_ok()
            && ReceivedNote::parse(&signed.replacen("\"nonce\":9", "\"nonce\": 9", 1)).is_err()
    );
    assert!(HouseNote::parse(text.trim_end()).is_err());
    assert!(HouseNote::parse(&format!("{text}more\n")).is_err());
    assert!(HouseNote::parse("").is_err());
    let stand: Command = serde_json::from_str(r#"{"ask_to_play":{"table":"t1"}}"#).unwrap();
    let odd = ReceivedNote { command: stand, ..received() };
    assert!(ReceivedNote::parse(&odd.text().unwrap()).is_err(), "only seeds and choices are acknowledged so");
}
