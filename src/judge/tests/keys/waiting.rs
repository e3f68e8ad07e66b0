//! Keys that wait, and chips that go out by a signature alone (spec/entries.md, "New keys", "Withdrawals").

use super::*;

fn withdraw(who: &str, amount: u64) -> Command {
    Command::Withdraw { player: player(who), amount: chips(amount), reference: None }
}

#[test]
fn an_operators_key_waits_a_day_and_the_player_can_take_it_back() {
    let mut house = house();
    let (operator, alice) = (Actor::Operator, player("alice"));
    let (old, new) = (house.state.key(&alice).unwrap(), SecretKey::from_seed(&[9; 32]));
    let key = PlayerKey::from_bytes(new.public_key());
    let entry = house.give(&operator, set_key("alice", Some(key), Some("asked"))).unwrap();
    let from = house.now + KEY_DELAY;
    assert_eq!(
        entry.events,
        [Event::KeySet { player: alice.clone(), key: Some(key), from: Some(from), old: Some(old) }]
    );
    assert!(narrate(&entry)[1].contains("from"), "{:?}", narrate(&entry));
    assert_eq!(house.state.waiting_key(&alice, from - 1), Some((Some(key), from)));
    house.expect(&operator, None, &set_key("alice", Some(key), Some("asked")), "nothing_to_do");
    // The day before she signs with the old one; from the day's end on with the new one.
    house.now = from - 1;
    let bet = house.bet_command("t1", "alice", 5, &house.any_seed("t1"));
    let origin = Origin::parse(ORIGIN).unwrap();
    let by_new = Signed::make(&new, &origin, &alice, Nonce::new(1).unwrap(), &bet).unwrap();
    let by_old = house.sign("alice", 1, &bet);
    house.expect(&by("alice"), Some(by_new), &bet, "signature_wrong");
    let mut later = House { now: from, log: house.log.clone(), state: fold(&house.log), ..House::unstarted() };
    later.expect(&by("alice"), Some(by_old), &bet, "signature_wrong");
    later.give_signed(&by("alice"), Some(by_new), bet.clone()).unwrap();
    assert_eq!(later.state.waiting_key(&alice, from), None);
    house.give_signed(&by("alice"), Some(by_old), bet).unwrap();
    // Another change of the operator's takes its place, and waits anew.
    let entry = house.give(&operator, set_key("alice", None, Some("case 9"))).unwrap();
    assert_eq!(
        entry.events,
        [Event::KeySet { player: alice.clone(), key: None, from: Some(house.now + KEY_DELAY), old: Some(old) }]
    );
    // Her own is in force at once, and drops what waits, be it the one that she has.
    let entry = house.give(&by("alice"), set_key("alice", Some(old), None)).unwrap();
    assert_eq!(entry.events, [Event::KeySet { player: alice.clone(), key: Some(old), from: None, old: None }]);
    house.now += 2 * KEY_DELAY;
    assert_eq!(house.state.key_at(&alice, house.now), Some(old));
    house.expect(
        &by("alice"),
        Some(house.sign("alice", 9, &set_key("alice", Some(old), None))),
        &set_key("alice", Some(old), None),
        "nothing_to_do",
    );
    assert_eq!(audit(&house.log).first_failure, None);
    assert_eq!(audit(&later.log).first_failure, None);
}

#[test]
fn chips_of_a_player_with_a_key_go_out_by_a_signature_alone() {
    let mut house = house();
    let operator = Actor::Operator;
    house.expect(&operator, None, &withdraw("alice", 10), "signature_missing");
    house.expect(&by("alice"), None, &withdraw("alice", 10), "signature_missing");
    house.expect(&by("bob"), None, &withdraw("bob", 10), "not_allowed");
    let other = house.sign("alice", 1, &withdraw("bob", 10));
    house.expect(&by("alice"), Some(other), &withdraw("bob", 10), "not_allowed");
    let entry = house.give(&by("alice"), withdraw("alice", 10)).unwrap();
    assert!(entry.signed.is_some() && entry.before == [(player("alice"), chips(10_000))]);
    assert_eq!(house.balance("alice"), 9_990);
    house.give(&operator, withdraw("bob", 10)).unwrap();
    // A key that waits binds the operator already, and bob as yet cannot sign: bob can say no.
    let key = house.pen("bob", 3);
    house.give(&operator, set_key("bob", Some(key), Some("asked"))).unwrap();
    house.expect(&operator, None, &withdraw("bob", 10), "signature_missing");
    house.expect(&by("bob"), None, &withdraw("bob", 10), "not_allowed");
    house.give(&by("bob"), set_key("bob", None, None)).unwrap();
    house.give(&operator, withdraw("bob", 10)).unwrap();
    // A change that will clear the key frees nothing before it is in force.
    house.give(&operator, set_key("alice", None, Some("lost"))).unwrap();
    house.expect(&operator, None, &withdraw("alice", 10), "signature_missing");
    house.now += KEY_DELAY;
    house.give(&operator, withdraw("alice", 10)).unwrap();
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.ledger.withdrawn), (None, 40.into()));
}

type Alter = fn(&mut Entry);

/// What a crooked operator would log of a change of key, and of the chips.
#[test]
fn a_key_that_does_not_wait_and_chips_without_a_signature_are_caught() {
    let mut house = house();
    let key = PlayerKey::from_bytes(SecretKey::from_seed(&[9; 32]).public_key());
    house.give(&Actor::Operator, set_key("alice", Some(key), Some("asked"))).unwrap();
    house.give(&by("alice"), withdraw("alice", 10)).unwrap();
    let book = entries(&house.log);
    let (set, paid) = (book.len() - 2, book.len() - 1);
    let changes: [(usize, Alter, Check); 5] = [
        (set, |entry| key_event(entry, |from, _| *from = None), Check::EventOrder),
        (set, |entry| key_event(entry, |from, _| *from = from.map(|from| from - 1)), Check::EventOrder),
        (set, |entry| key_event(entry, |_, old| *old = None), Check::EventOrder),
        (paid, |entry| entry.signed = None, Check::Signature),
        (paid, |entry| (entry.by, entry.signed) = (Actor::Operator, None), Check::Signature),
    ];
    for (at, change, check) in changes {
        let mut log = house.log[..=at].to_vec();
        let mut entry = book[at].clone();
        change(&mut entry);
        log[at] = entry.encode().unwrap();
        let finding = failure(&log);
        assert_eq!((finding.check, finding.entry), (check, Some(at as u64)), "{finding}");
    }
}

fn key_event(entry: &mut Entry, change: impl FnOnce(&mut Option<u64>, &mut Option<PlayerKey>)) {
    if let Some(Event::KeySet { from, old, .. }) = entry.events.first_mut() {
        change(from, old);
    }
}

/// One key entry of a player is enough in a bundle, also where the operator's waits: it says which key is in force
/// until then.
#[test]
fn a_bundle_with_a_key_that_waits_is_judged_right() {
    let mut house = house();
    let (alice, new) = (player("alice"), SecretKey::from_seed(&[9; 32]));
    let key = PlayerKey::from_bytes(new.public_key());
    house.give(&Actor::Operator, set_key("alice", Some(key), Some("asked"))).unwrap();
    let from = house.now + KEY_DELAY;
    house.now += HOUR;
    house.deal("t1", "alice", 5, |_| true);
    house.finish("t1", "alice");
    house.run_due();
    house.now = from - 1;
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 5, &seed).unwrap();
    house.now = from;
    house.pens.insert("alice".into(), new);
    house.reveal("t1", "alice", &seed).unwrap();
    house.finish("t1", "alice");
    house.run_due();
    assert_eq!(house.state.key(&alice), Some(key));
    let judged = |house: &House, log: &[Vec<u8>], round: &str| {
        let bundle = bundle(house, log, round);
        let keys = bundle.context.iter().filter(|proven| proven.entry.contains("\"key_set\"")).count();
        (keys, verify(bundle.to_json().unwrap().as_bytes(), Some(signer().verifier_key())))
    };
    for round in ["t1:0", "t1:1"] {
        let (keys, verdict) = judged(&house, &house.log, round);
        assert_eq!((keys, verdict.verdict), (1, Soundness::Sound), "{round}: {}", verdict.story.join("\n"));
    }
    // The key in force until then is not another, nor is its day shorter.
    let at = find(&entries(&house.log), |entry| matches!(entry.command, Command::SetKey { .. }));
    type Change = fn(&mut Entry);
    let changes: [(Change, Check); 4] = [
        (|entry| key_event(entry, |_, old| *old = None), Check::Signature),
        // No key that was in force is unusable.
        (|entry| key_event(entry, |_, old| *old = Some(PlayerKey::from_bytes([0; 32]))), Check::EventOrder),
        (|entry| key_event(entry, |from, _| *from = from.map(|from| from - 2)), Check::EventOrder),
        (|entry| key_event(entry, |from, _| *from = None), Check::EventOrder),
    ];
    for (change, code) in changes {
        let mut log = house.log.clone();
        let mut entry = entries(&log)[at].clone();
        change(&mut entry);
        log[at] = entry.encode().unwrap();
        let (_, verdict) = judged(&house, &log, "t1:1");
        assert_eq!((verdict.verdict, verdict.findings[0].check), (Soundness::NotSound, code));
    }
}
