//! Policy files: each rule with a file that breaks it, and quorums against a truth table.

use fairshoe_tlog::{
    CheckpointError, Cosigner, EMPTY_ROOT, KeyError, MAX_POLICY, MAX_POLICY_NAMES, Policy, PolicyError, ReceiptError,
    Signer,
};

const LOG: &str = "fairshoe.example/log";

fn log(seed: u8) -> Signer {
    Signer::new(LOG, &[seed; 32]).unwrap()
}

fn witness(seed: u8) -> Cosigner {
    Cosigner::new(&format!("w{seed}.example"), &[seed; 32]).unwrap()
}

/// `L`, and `W1` to `W9`, stand for keys; `LW` for the log's as a witness's.
fn file(template: &str) -> String {
    let mut text = template.replace("{L}", &log(100).verifier_key().to_string());
    text = text.replace("{LW}", &Cosigner::new("own.example", &[100; 32]).unwrap().verifier_key().to_string());
    for n in 1..=9u8 {
        text = text.replace(&format!("{{W{n}}}"), &witness(n).verifier_key().to_string());
    }
    text
}

fn parse(template: &str) -> Result<Policy, PolicyError> {
    Policy::parse(file(template).as_bytes())
}

#[test]
fn policies_that_parse() {
    let policy =
        parse("# a comment\n\n \t log\t{L}  https://log.example/ \nwitness w {W1} https://w.example/\nquorum w\n")
            .unwrap();
    assert_eq!(policy.logs()[0].url.as_deref(), Some(&b"https://log.example/"[..]));
    assert_eq!(policy.witnesses()[0].name, b"w");
    assert_eq!(policy.witnesses()[0].url.as_deref(), Some(&b"https://w.example/"[..]));
    assert_eq!(parse("quorum none\n").unwrap().logs().len(), 0);
    parse("quorum none\nlog {L}\nwitness w {W1}\n").unwrap();
    parse("witness all {W1}\ngroup any any all\nquorum any\n").unwrap();
    // Names are octets: this one is not UTF-8.
    let line = file(" {W1}\nquorum ").into_bytes();
    let opaque = [b"witness \xff", &line[..], b"\xff\n"].concat();
    assert_eq!(Policy::parse(&opaque).unwrap().witnesses()[0].name, [0xff]);
    let reparsed = Policy::for_log(log(100).verifier_key().clone()).unwrap();
    assert_eq!(reparsed, parse("log {L}\nquorum none\n").unwrap());
    assert!(Policy::for_log(witness(1).verifier_key().clone()).is_err());
}

/// A log that knows its own key reads only its witnesses from the file, which may name the log too.
#[test]
fn a_policy_with_the_log_itself_has_it_once() {
    let key = |seed: u8| log(seed).verifier_key().clone();
    let logs = |policy: &Policy| policy.logs().iter().map(|log| (log.key.clone(), log.url.clone())).collect::<Vec<_>>();
    let witnessed = parse("witness w {W1}\nquorum w\n").unwrap().with_log(key(100)).unwrap();
    assert_eq!(logs(&witnessed), [(key(100), None)]);
    assert_eq!(witnessed.witnesses().len(), 1);
    assert!(!witnessed.quorum_met(|_| false));
    let listed = parse("log {L} https://log.example/\nquorum none\n").unwrap();
    let url = Some(b"https://log.example/".to_vec());
    assert_eq!(logs(&listed.clone().with_log(key(100)).unwrap()), [(key(100), url.clone())]);
    assert_eq!(logs(&listed.clone().with_log(key(101)).unwrap()), [(key(100), url), (key(101), None)]);
    assert!(listed.with_log(witness(1).verifier_key().clone()).is_err());
    let own = parse("witness w {LW}\nquorum none\n").unwrap().with_log(key(100));
    assert_eq!(own, Err(CheckpointError::OwnWitness { name: log(100).verifier_key().name().to_owned() }));
}

#[test]
fn policies_that_do_not() {
    use PolicyError::*;
    let key_error = BadKey { line: 1, source: KeyError::Malformed };
    for (template, expected) in [
        ("", NoQuorum),
        ("log {L}\n", NoQuorum),
        ("log {L}\nquorum none", Unterminated),
        ("quorum none\nquorum none\n", SecondQuorum { line: 2 }),
        ("quorum w\n", UnknownName { line: 1 }),
        ("quorum w\nwitness w {W1}\n", UnknownName { line: 1 }),
        ("quorum\n", BadLine { line: 1 }),
        ("quorum none none\n", BadLine { line: 1 }),
        ("Quorum none\n", BadLine { line: 1 }),
        ("quorum none # comment\n", BadLine { line: 1 }),
        ("log\n", BadLine { line: 1 }),
        ("log {L} url more\n", BadLine { line: 1 }),
        ("log nonsense\n", key_error),
        ("log {W1}\n", WrongKeyType { line: 1 }),
        ("witness w {L}\n", WrongKeyType { line: 1 }),
        ("witness {W1}\n", BadLine { line: 1 }),
        ("log {L}\nlog {L}\n", DuplicateKey { line: 2 }),
        ("witness a {W1}\nwitness b {W1}\n", DuplicateKey { line: 2 }),
        ("log {L}\nwitness a {LW}\n", DuplicateKey { line: 2 }),
        ("witness a {LW}\nlog {L}\n", DuplicateKey { line: 2 }),
        ("witness a {W1}\nwitness a {W2}\n", DuplicateName { line: 2 }),
        ("witness none {W1}\n", DuplicateName { line: 1 }),
        ("witness a {W1}\ngroup a any a\n", DuplicateName { line: 2 }),
        ("witness a {W1}\ngroup none any a\n", DuplicateName { line: 2 }),
        ("group g any\n", BadLine { line: 1 }),
        ("group g any a\n", UnknownName { line: 1 }),
        ("group g any none\n", UnknownName { line: 1 }),
        ("group g any g\n", UnknownName { line: 1 }),
        ("witness a {W1}\ngroup g any a a\n", MemberTwice { line: 2 }),
        ("witness a {W1}\ngroup g any a\ngroup h any a g\n", MemberTwice { line: 3 }),
        ("witness a {W1}\ngroup g 0 a\n", BadThreshold { line: 2 }),
        ("witness a {W1}\ngroup g 2 a\n", BadThreshold { line: 2 }),
        ("witness a {W1}\ngroup g 01 a\n", BadThreshold { line: 2 }),
        ("witness a {W1}\ngroup g most a\n", BadThreshold { line: 2 }),
        ("quorum none\r\n", BadOctet { octet: b'\r', offset: 11 }),
        ("quorum none\n\u{7f}\n", BadOctet { octet: 0x7f, offset: 12 }),
    ] {
        assert_eq!(parse(template), Err(expected), "{template:?}");
    }
    assert_eq!(MAX_POLICY, 131_072);
    let length = MAX_POLICY + 1;
    assert_eq!(Policy::parse(&vec![b'\n'; length]), Err(TooLong { length }));
    assert_eq!(Policy::parse(&vec![b'\n'; MAX_POLICY]), Err(NoQuorum));
}

#[test]
fn limits_hold_exactly() {
    let of = |kind: &str, count: usize| -> Result<Policy, PolicyError> {
        let mut text = String::new();
        for n in 0..count {
            let seed = &[u8::try_from(n).unwrap(); 32];
            text += &match kind {
                "log" => format!("log {}\n", Signer::new("l", seed).unwrap().verifier_key()),
                _ => format!("witness w{n} {}\n", Cosigner::new("w", seed).unwrap().verifier_key()),
            };
        }
        Policy::parse((text + "quorum none\n").as_bytes())
    };
    for kind in ["log", "witness"] {
        of(kind, MAX_POLICY_NAMES).unwrap();
        assert_eq!(of(kind, MAX_POLICY_NAMES + 1), Err(PolicyError::TooMany { line: 65 }));
    }
    let groups = |count: usize| {
        let mut text = file("witness g0 {W1}\n");
        for n in 1..=count {
            text += &format!("group g{n} any g{}\n", n - 1);
        }
        Policy::parse(format!("{text}quorum g{count}\n").as_bytes())
    };
    let deepest = groups(MAX_POLICY_NAMES).unwrap();
    assert!(deepest.quorum_met(|_| true) && !deepest.quorum_met(|_| false));
    assert_eq!(groups(MAX_POLICY_NAMES + 1), Err(PolicyError::TooMany { line: 66 }));
}

#[test]
fn quorums_by_truth_table() {
    // The example of c2sp.org/tlog-policy: two of three X, and one of three Y.
    let witnesses: String = (1..=6).map(|n| format!("witness w{n} {{W{n}}}\n")).collect();
    let policy = |rest: &str| parse(&format!("{witnesses}{rest}")).unwrap();
    let example = policy("group X 2 w1 w2 w3\ngroup Y any w4 w5 w6\ngroup XY all X Y\nquorum XY\n");
    let single = policy("quorum w3\n");
    let none = policy("quorum none\n");
    let all = policy("group A all w1 w2 w3 w4 w5 w6\nquorum A\n");
    for set in 0..64u8 {
        let has = |n: u8| set >> (n - 1) & 1 == 1;
        let by = |w: &fairshoe_tlog::PolicyWitness| has(w.name[1] - b'0');
        let count = |range: std::ops::RangeInclusive<u8>| range.filter(|&n| has(n)).count();
        assert_eq!(example.quorum_met(by), count(1..=3) >= 2 && count(4..=6) >= 1, "{set:06b}");
        assert_eq!(single.quorum_met(by), has(3));
        assert_eq!(all.quorum_met(by), set == 63);
        assert!(none.quorum_met(by));
    }
}

#[test]
fn a_checkpoint_against_a_policy() {
    let signed = log(100).sign_checkpoint(3, EMPTY_ROOT);
    let text = &signed[..=signed.rfind("\n\n").unwrap()];
    let cosigned = |by: &[u8]| -> String {
        let lines = by.iter().map(|&n| witness(n).cosign(text, 1000 + u64::from(n)).unwrap());
        signed.clone() + &lines.collect::<String>()
    };
    let policy = parse("log {L}\nwitness a {W1}\nwitness b {W2}\nwitness c {W3}\ngroup g 2 a b c\nquorum g\n").unwrap();
    let valid = policy.verify_checkpoint(&cosigned(&[1, 9, 3])).unwrap();
    assert_eq!(valid.checkpoint.size, 3);
    assert_eq!(valid.log.name(), LOG);
    let seen: Vec<(&str, u64)> = valid.cosigned_by.iter().map(|by| (by.key.name(), by.time)).collect();
    assert_eq!(seen, [("w1.example", 1001), ("w3.example", 1003)]);

    let short = |by: &[u8]| policy.verify_checkpoint(&cosigned(by)).unwrap_err();
    assert_eq!(short(&[]), ReceiptError::QuorumNotMet { cosigned: 0 });
    assert_eq!(short(&[2]), ReceiptError::QuorumNotMet { cosigned: 1 });
    assert_eq!(short(&[2, 2]), ReceiptError::QuorumNotMet { cosigned: 1 });
    assert_eq!(short(&[2, 7, 8, 9]), ReceiptError::QuorumNotMet { cosigned: 1 });

    // A checkpoint needs more than witnesses: the log's own signature must be there, under its own origin.
    let cosignatures_only =
        format!("{text}\n{}{}", witness(1).cosign(text, 1).unwrap(), witness(2).cosign(text, 1).unwrap());
    let unknown = |origin: &str| ReceiptError::UnknownLog { origin: origin.into() };
    assert_eq!(policy.verify_checkpoint(&cosignatures_only), Err(unknown(LOG)));
    let foreign = format!("other\n3\n{EMPTY_ROOT}\n");
    let mut foreign_signed = format!("{foreign}\n{}", log(100).sign(&foreign).unwrap());
    for n in 1..=3 {
        foreign_signed += &witness(n).cosign(&foreign, 1).unwrap();
    }
    assert_eq!(policy.verify_checkpoint(&foreign_signed), Err(unknown("other")));
    // One bad line of a listed witness makes it invalid, even with a quorum of good ones.
    let bad = witness(2).cosign(&foreign, 5).unwrap();
    assert!(matches!(policy.verify_checkpoint(&(cosigned(&[1, 3]) + &bad)), Err(ReceiptError::Checkpoint(_))));
}
