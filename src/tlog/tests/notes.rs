//! Notes, keys, checkpoints and cosignatures: each rule with an input that breaks it.

use fairshoe_tlog::{
    Checkpoint, CheckpointError, Cosigner, EMPTY_ROOT, KeyError, KeyType, MAX_COSIGNATURE_TIME, MAX_EXTRA, MAX_NOTE,
    MAX_RECEIPT, MAX_SIGNATURES, Note, NoteError, PublicKey, Signer, VerifierKey, leaf_hash, own_time,
    verify_checkpoint,
};

const NAME: &str = "fairshoe.example/log";

fn signer(seed: u8) -> Signer {
    Signer::new(NAME, &[seed; 32]).unwrap()
}

fn parse(note: &str) -> Result<Note, NoteError> {
    Note::parse(note.as_bytes(), 64 * 1024)
}

#[test]
fn a_note_splits_at_its_last_blank_line() {
    let key = signer(1);
    // The text itself holds a blank line and a line that looks like a signature.
    let text = "one\n\n\u{2014} fake AAAAAAA=\n\ntwo\n";
    let note = parse(&format!("{text}\n{}", key.sign(text).unwrap())).unwrap();
    assert_eq!(note.text(), text);
    assert_eq!(note.signatures().len(), 1);
    assert_eq!(note.verified(&[key.verifier_key().clone()]).unwrap()[0].time, None);
}

#[test]
fn the_limits_are_those_of_the_pages() {
    assert_eq!(
        (MAX_NOTE, MAX_SIGNATURES, MAX_EXTRA, MAX_RECEIPT, MAX_COSIGNATURE_TIME),
        (262_144, 128, 65_536, 357_716, (1 << 63) - 1)
    );
}

#[test]
fn malformed_notes_are_refused_for_the_reason_at_hand() {
    let good = signer(1).sign("text\n").unwrap();
    let note = format!("text\n\n{good}");
    parse(&note).unwrap();
    let bad_line = |line| NoteError::BadSignatureLine { line };
    let many = format!("text\n\n{}", good.repeat(MAX_SIGNATURES + 1));
    parse(&format!("text\n\n{}", good.repeat(MAX_SIGNATURES))).unwrap();
    for (input, expected) in [
        (String::new(), NoteError::NoSignatures),
        ("text\n".into(), NoteError::NoSignatures),
        ("text\n\n".into(), NoteError::NoSignatures),
        ("text\n\n\n".into(), NoteError::NoSignatures),
        (note.trim_end().into(), NoteError::NoSignatures),
        (format!("{note}\n"), NoteError::NoSignatures),
        (format!("text\n{good}"), NoteError::NoSignatures),
        (many, NoteError::TooManySignatures),
        (note.replace("text", "te\txt"), NoteError::ControlCharacter { offset: 2 }),
        (note.replace('\n', "\r\n"), NoteError::ControlCharacter { offset: 4 }),
        (note.replace("text", "te\0t"), NoteError::ControlCharacter { offset: 2 }),
        (note.replace('\u{2014}', "-"), bad_line(1)),
        (note.replace(NAME, ""), bad_line(1)),
        (note.replace(NAME, "a+b"), bad_line(1)),
        (note.replace(NAME, "a\u{a0}b"), bad_line(1)),
        (note.replace(NAME, "a b"), bad_line(1)),
        (format!("{note}\u{2014} x AAAA\n"), bad_line(2)),
        (format!("{note}\u{2014} x AAAAAA==\n"), bad_line(2)),
        (format!("{note}\u{2014} x \n"), bad_line(2)),
        (format!("{note}\u{2014} x AAAAAAB=\n"), bad_line(2)),
    ] {
        assert_eq!(parse(&input), Err(expected), "{input:?}");
    }
    assert_eq!(Note::parse(b"a\xff\n\n", 9), Err(NoteError::NotUtf8 { offset: 1 }));
    let (length, limit) = (note.len(), note.len() - 1);
    assert_eq!(Note::parse(note.as_bytes(), limit), Err(NoteError::TooLong { length, limit }));
    Note::parse(note.as_bytes(), length).unwrap();
}

#[test]
fn signatures_of_strangers_are_ignored_and_of_the_known_must_hold() {
    let (log, other) = (signer(1), Signer::new("other.example", &[2; 32]).unwrap());
    let known = [log.verifier_key().clone()];
    let text = "text\n";
    let (mine, theirs) = (log.sign(text).unwrap(), other.sign(text).unwrap());
    let verified = |block: &str| {
        let note = parse(&format!("{text}\n{block}")).unwrap();
        note.verified(&known).map(|signatures| signatures.len())
    };
    assert_eq!(verified(&mine), Ok(1));
    assert_eq!(verified(&format!("{theirs}{mine}")), Ok(1));
    assert_eq!(verified(&format!("{mine}{mine}")), Ok(1));
    assert_eq!(verified(&theirs), Err(NoteError::NoKnownSignature));
    // An unknown key under the log's name has another key ID, and stays unknown.
    let namesake = signer(3).sign(text).unwrap();
    assert_eq!(verified(&namesake), Err(NoteError::NoKnownSignature));
    assert_eq!(verified(&format!("{namesake}{mine}")), Ok(1));
    // The log's key ID under another name, likewise.
    let renamed = mine.replace(NAME, "x");
    assert_eq!(verified(&format!("{renamed}{mine}")), Ok(1));
    // A false signature under the log's name and key ID makes the whole note invalid.
    let forged = log.sign("other text\n").unwrap();
    let bad = Err(NoteError::BadSignature { name: NAME.into() });
    for block in [format!("{forged}{mine}"), format!("{mine}{forged}"), forged] {
        assert_eq!(verified(&block), bad);
    }
}

#[test]
fn a_signers_text_must_be_able_to_be_a_note() {
    assert_eq!(signer(1).sign("no newline"), Err(NoteError::UnterminatedText));
    assert_eq!(signer(1).sign(""), Err(NoteError::UnterminatedText));
    assert_eq!(signer(1).sign("a\rb\n"), Err(NoteError::ControlCharacter { offset: 1 }));
}

/// Both are in `log-broken.json`. The lenient rule takes the second, so the test shows that ours is the strict one.
#[test]
fn signatures_where_verifiers_disagree_are_refused() {
    use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/log-broken.json"));
    let file: serde_json::Value = serde_json::from_slice(&file.unwrap()).unwrap();
    let log = signer(1);
    let lenient = VerifyingKey::from_bytes(log.verifier_key().public_key()).unwrap();
    for (why, lenient_takes_it) in
        [("the signature's S raised by the group order", false), ("the signature's R is the identity point", true)]
    {
        let cases = file["checkpoints"].as_array().unwrap();
        let case = cases.iter().find(|case| case["why"] == why).unwrap();
        let input = case["input"].as_str().unwrap();
        let note = parse(input).unwrap();
        let blob = Signature::from_slice(&note.signatures()[0].blob).unwrap();
        assert_eq!(lenient.verify(note.text().as_bytes(), &blob).is_ok(), lenient_takes_it, "{why}");
        let bad = NoteError::BadSignature { name: NAME.into() };
        let refused = verify_checkpoint(input, log.verifier_key());
        assert_eq!(refused, Err(CheckpointError::Note(bad)), "{why}");
    }
}

#[test]
fn keys_where_verifiers_disagree_are_refused() {
    let mut identity = [0; 32];
    identity[0] = 1;
    let order_four = [0; 32];
    let mut p = [0xff; 32];
    (p[0], p[31]) = (0xed, 0x7f);
    let mut p_plus_one = p;
    p_plus_one[0] = 0xee;
    let mut identity_with_sign = identity;
    identity_with_sign[31] = 0x80;
    // y = p + 3 decodes leniently to points of large order: it is refused for its spelling alone, for either sign of x.
    let mut p_plus_three = p;
    p_plus_three[0] = 0xf0;
    let mut p_plus_three_with_sign = p_plus_three;
    p_plus_three_with_sign[31] = 0xff;
    for spelling in [p_plus_three, p_plus_three_with_sign] {
        assert!(ed25519_dalek::VerifyingKey::from_bytes(&spelling).is_ok_and(|key| !key.is_weak()));
    }
    for bytes in [
        identity,
        order_four,
        p,
        p_plus_one,
        identity_with_sign,
        p_plus_three,
        p_plus_three_with_sign,
        [0xff; 32],
        [2; 32],
    ] {
        let refused = VerifierKey::new("x", KeyType::Ed25519, &bytes);
        assert_eq!(refused, Err(KeyError::BadPublicKey), "{}", hex::encode(bytes));
    }
}

/// The largest y below 2²⁵⁵ − 19 that is a point, and the first points that satisfy only half of the condition for a
/// second spelling.
#[test]
fn keys_close_to_the_forbidden_spellings_are_taken() {
    let with = |first: u8, middle: u8, last: u8| {
        let mut bytes = [middle; 32];
        (bytes[0], bytes[31]) = (first, last);
        bytes
    };
    let mut taken = [0; 3];
    for sign in [0, 0x80] {
        for first in 0xe0..=0xff {
            for (kind, bytes) in
                [with(first, 0xff, 0x7f ^ sign), with(first, 0xfe, 0x7f ^ sign), with(first, 0xff, 0x7e ^ sign)]
                    .iter()
                    .enumerate()
            {
                let canonical = kind > 0 || first < 0xed;
                let point = ed25519_dalek::VerifyingKey::from_bytes(bytes).is_ok_and(|key| !key.is_weak());
                assert_eq!(PublicKey::from_bytes(bytes).is_some(), canonical && point, "{}", hex::encode(bytes));
                taken[kind] += usize::from(canonical && point);
            }
        }
    }
    assert!(taken.iter().all(|taken| *taken > 3), "{taken:?}");
}

#[test]
fn verifier_keys_have_one_spelling() {
    let key = signer(1).verifier_key().clone();
    let text = key.to_string();
    assert_eq!(text.parse::<VerifierKey>().unwrap(), key);
    let id = format!("{:08x}", key.key_id());
    let wrong = KeyError::WrongKeyId { found: 1, expected: key.key_id() };
    let bad_name = |name: &str| KeyError::BadName { name: name.into() };
    for (input, expected) in [
        ("".to_owned(), KeyError::Malformed),
        (NAME.to_owned(), KeyError::Malformed),
        (text.replace(&id, "00000001"), wrong),
        (text.replace(&id, "1"), KeyError::Malformed),
        (text.replace(&id, "+1234567"), KeyError::Malformed),
        (text.replace(&id, &id.to_uppercase()), KeyError::Malformed),
        (text.replace(NAME, ""), bad_name("")),
        (text.replace(NAME, "a b"), bad_name("a b")),
        (text.replace(NAME, "a\nb"), bad_name("a\nb")),
        (text.replace(NAME, "a\u{1}b"), bad_name("a\u{1}b")),
        (format!("{text}="), KeyError::Malformed),
        (format!("{NAME}+{id}+"), KeyError::UnsupportedType { found: 0 }),
        (format!("{NAME}+{id}+AQ=="), KeyError::BadPublicKey),
        (format!("{NAME}+{id}+Aq=="), KeyError::Malformed),
        (format!("{NAME}+{id}+Ag=="), KeyError::UnsupportedType { found: 2 }),
        // ML-DSA-44, whose keys have 1,312 bytes: the error names the unknown type.
        (format!("{NAME}+{id}+{}", "BgYG".repeat(438)), KeyError::UnsupportedType { found: 6 }),
        ("x".repeat(400), KeyError::TooLong { length: 400 }),
        (text.replace(NAME, &"x".repeat(256)), KeyError::TooLong { length: 256 + 54 }),
    ] {
        assert_eq!(input.parse::<VerifierKey>(), Err(expected), "{input}");
    }
    let long = VerifierKey::new(&"x".repeat(256), KeyType::Ed25519, key.public_key());
    assert!(matches!(long, Err(KeyError::BadName { .. })));
    let longest = VerifierKey::new(&"x".repeat(255), KeyType::Ed25519, key.public_key()).unwrap();
    assert_eq!(longest.to_string().parse::<VerifierKey>(), Ok(longest));
}

#[test]
fn of_keys_the_public_half_is_printed_and_nothing_of_the_secret_one() {
    let (log, witness) = (signer(7), Cosigner::new("w", &[7; 32]).unwrap());
    let shown = format!("{log:?} {witness:?} {:?}", log.verifier_key());
    assert!(!shown.contains(&hex::encode([7u8; 4])) && !shown.contains("7, 7"), "{shown}");
    let (of_log, of_witness) = (log.verifier_key(), witness.verifier_key());
    assert_eq!(shown, format!("Signer({of_log}) Cosigner({of_witness}) VerifierKey({of_log})"));
    let public = PublicKey::from_bytes(of_log.public_key()).unwrap();
    assert_eq!(format!("{public:?}"), format!("PublicKey({})", hex::encode(of_log.public_key())));
}

#[test]
fn checkpoint_texts_have_one_spelling() {
    let root = leaf_hash(b"");
    let good = format!("{NAME}\n18446744073709551615\n{root}\nextension\n");
    let checkpoint = Checkpoint::parse(&good).unwrap();
    assert_eq!((checkpoint.size, checkpoint.extensions.len()), (u64::MAX, 1));
    assert_eq!(checkpoint.text(), good);
    let line = |line| CheckpointError::BadLine { line };
    let size = |found: &str| CheckpointError::BadSize { found: found.into() };
    let at_root = |found: &str| CheckpointError::BadRoot { found: found.into() };
    for (input, expected) in [
        (String::new(), line(1)),
        ("\n".into(), line(1)),
        ("o\n".into(), line(2)),
        ("o\n1\n".into(), line(3)),
        (format!("o\n1\n{root}"), line(3)),
        (format!("\n1\n{root}\n"), line(1)),
        (format!("o\n1\n{root}\n\n"), line(4)),
        (format!("o\n\n1\n{root}\n"), line(2)),
        (format!("o\n01\n{root}\n"), size("01")),
        (format!("o\n+1\n{root}\n"), size("+1")),
        (format!("o\n1 \n{root}\n"), size("1 ")),
        (format!("o\n18446744073709551616\n{root}\n"), size("18446744073709551616")),
        ("o\n1\nAAAA\n".into(), at_root("AAAA")),
        (format!("o\n1\n{root} \n"), at_root(&format!("{root} "))),
    ] {
        assert_eq!(Checkpoint::parse(&input), Err(expected), "{input:?}");
    }
}

#[test]
fn a_checkpoint_is_its_own_logs_word_only() {
    let log = signer(1);
    let signed = log.sign_checkpoint(3, EMPTY_ROOT);
    assert_eq!(verify_checkpoint(&signed, log.verifier_key()).unwrap().size, 3);
    let foreign = format!("other\n3\n{EMPTY_ROOT}\n");
    let signed = format!("{foreign}\n{}", log.sign(&foreign).unwrap());
    let wrong = CheckpointError::WrongOrigin { found: "other".into(), expected: NAME.into() };
    assert_eq!(verify_checkpoint(&signed, log.verifier_key()), Err(wrong));
    let witness = Cosigner::new(NAME, &[1; 32]).unwrap();
    let not_a_log = CheckpointError::NotALogKey { name: NAME.into() };
    assert_eq!(verify_checkpoint(&signed, witness.verifier_key()), Err(not_a_log));
}

#[test]
fn cosignatures_bind_text_and_time() {
    use base64::Engine as _;
    let witness = Cosigner::new("w.example", &[4; 32]).unwrap();
    let text = format!("{NAME}\n3\n{EMPTY_ROOT}\n");
    let known = [witness.verifier_key().clone()];
    for time in [0, 1_767_225_600, MAX_COSIGNATURE_TIME] {
        let line = witness.cosign(&text, time).unwrap();
        let note = parse(&format!("{text}\n{line}")).unwrap();
        assert_eq!(note.signatures()[0].blob.len(), 72);
        assert_eq!(note.verified(&known).unwrap()[0].time, Some(time));
        let other = text.replace("\n3\n", "\n4\n");
        assert!(parse(&format!("{other}\n{line}")).unwrap().verified(&known).is_err());
    }
    // Twice by one witness: it saw the tree at both times.
    let (early, late) = (witness.cosign(&text, 5).unwrap(), witness.cosign(&text, 9).unwrap());
    let note = parse(&format!("{text}\n{late}{early}{late}")).unwrap();
    let times: Vec<_> = note.verified(&known).unwrap().iter().map(|found| found.time).collect();
    assert_eq!(times, [Some(9), Some(5)]);

    // A time out of range is refused even under a signature that holds for it.
    let time = MAX_COSIGNATURE_TIME + 1;
    let message = format!("cosignature/v1\ntime {time}\n{text}");
    let line = Signer::new("w.example", &[4; 32]).unwrap().sign(&message).unwrap();
    let signed = parse(&format!("{message}\n{line}")).unwrap().signatures()[0].blob.clone();
    let key_id = witness.verifier_key().key_id().to_be_bytes();
    let blob = [&key_id[..], &time.to_be_bytes(), &signed].concat();
    let encoded = base64::engine::general_purpose::STANDARD.encode(blob);
    let note = parse(&format!("{text}\n\u{2014} w.example {encoded}\n")).unwrap();
    assert_eq!(note.verified(&known), Err(NoteError::BadSignature { name: "w.example".into() }));
    assert_eq!(witness.cosign(&text, time), Err(CheckpointError::TimeOutOfRange { time }));
    assert!(matches!(witness.cosign("not a checkpoint\n", 1), Err(CheckpointError::BadLine { line: 2 })));
}

/// The same key pair as a log's and as a witness's key: neither's signature passes as the other's.
#[test]
fn a_cosignature_is_not_a_log_signature_of_the_same_key() {
    let (log, witness) = (signer(1), Cosigner::new(NAME, &[1; 32]).unwrap());
    assert_eq!(log.verifier_key().public_key(), witness.verifier_key().public_key());
    assert_ne!(log.verifier_key().key_id(), witness.verifier_key().key_id());
    let text = format!("{NAME}\n3\n{EMPTY_ROOT}\n");
    let cosigned = format!("{text}\n{}", witness.cosign(&text, 1).unwrap());
    let refused = verify_checkpoint(&cosigned, log.verifier_key());
    assert_eq!(refused, Err(CheckpointError::Note(NoteError::NoKnownSignature)));
}

/// The log's own time is the latest that it signed under this very checkpoint; lines that do not hold are ignored.
#[test]
fn the_log_s_own_time() {
    let (log, other) = (signer(1), signer(2));
    let text = |size: u64| format!("{NAME}\n{size}\n{EMPTY_ROOT}\n");
    let signed = |lines: &[String]| format!("{}\n{}{}", text(3), log.sign(&text(3)).unwrap(), lines.concat());
    let of = |lines: &[String]| own_time(&signed(lines), log.verifier_key());
    assert_eq!(of(&[]), None);
    let (early, late) = (log.sign_own_time(&text(3), 5), log.sign_own_time(&text(3), 9));
    assert_eq!(of(&[late.clone(), early.clone()]), Some(9));
    // Any cosigner of this name and key would make the same line.
    assert_eq!(late, Cosigner::new(NAME, &[1; 32]).unwrap().cosign(&text(3), 9).unwrap());
    // Lines of another tree, by another key of this name, by a witness: a copy may bear any line.
    assert_eq!(of(&[log.sign_own_time(&text(4), 9)]), None);
    assert_eq!(of(&[other.sign_own_time(&text(3), 9), early.clone(), log.sign_own_time(&text(4), 9)]), Some(5));
    assert_eq!(of(&[Cosigner::new("w.example", &[1; 32]).unwrap().cosign(&text(3), 9).unwrap()]), None);
    // Such a line beside the checkpoint does not change it; the line alone is no checkpoint.
    assert_eq!(verify_checkpoint(&signed(std::slice::from_ref(&late)), log.verifier_key()).unwrap().size, 3);
    assert!(verify_checkpoint(&format!("{}\n{late}", text(3)), log.verifier_key()).is_err());
    assert_eq!(own_time("no note", log.verifier_key()), None);
    assert_eq!(of(&[log.sign_own_time(&text(3), u64::MAX)]), Some(MAX_COSIGNATURE_TIME));
}

/// A key listed twice is not ambiguous and counts once.
#[test]
fn one_key_listed_twice_is_one_key() {
    let log = signer(1);
    let known = [log.verifier_key().clone(), log.verifier_key().clone()];
    let note = parse(&log.sign_checkpoint(0, EMPTY_ROOT)).unwrap();
    assert_eq!(note.verified(&known).unwrap().len(), 1);
}

/// Key IDs have 32 bits, so two keys of one name with the same ID can be found (these took 110,931 tries).
#[test]
fn two_known_keys_that_share_name_and_id_are_refused() {
    let ground = |n: u32| {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&n.to_le_bytes());
        Signer::new(NAME, &seed).unwrap()
    };
    let (one, other) = (ground(53_039), ground(110_930));
    assert_eq!(one.verifier_key().key_id(), other.verifier_key().key_id());
    assert_ne!(one.verifier_key(), other.verifier_key());
    let note = parse(&one.sign_checkpoint(0, EMPTY_ROOT)).unwrap();
    let both = [one.verifier_key().clone(), other.verifier_key().clone()];
    assert_eq!(note.verified(&both), Err(NoteError::AmbiguousKey { name: NAME.into() }));
    // If only one of them is known, the other's signature is a bad one, not an unknown key's.
    assert_eq!(note.verified(&both[..1]).unwrap().len(), 1);
    assert_eq!(note.verified(&both[1..]), Err(NoteError::BadSignature { name: NAME.into() }));
}
