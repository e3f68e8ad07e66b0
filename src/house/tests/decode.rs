//! An entry has one encoding, and neither its bytes nor its content can make the house panic.

use crate::common;

use common::rng::Rng;
use common::*;
use fairshoe_games::Action;
use fairshoe_house::{Actor, Command, Entry, EntryError, MAX_ENTRY_BYTES, Reference, State};
use fairshoe_words::{MOST_NUMBER, has_greater_number};
use proptest::prelude::*;
use serde_json::Value;

/// A log with every kind of command and nearly every event.
fn sample() -> House {
    let mut house = House::with_table(&[], 1000);
    house.add_player("bob", 100);
    house.give(&by("bob"), Command::IssueToken { holder: "player:bob".parse().unwrap(), revoke: true }).unwrap();
    house.deal("t1", "alice", 10, |v| v[..4] == [8, 1, 8, 9]);
    house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
    house.act("t1", "alice", Action::Split).unwrap();
    house.crash();
    house.run_due();
    house.finish("t1", "alice");
    house.run_due();
    let seed = house.any_seed("t1");
    house.bet("t1", "bob", 5, &seed).unwrap();
    house.now += DAY;
    house.run_due();
    house
        .give(&Actor::Anyone, Command::LateSeed { table: table("t1"), round_no: 1, player: player("bob"), seed })
        .unwrap();
    house.deal("t1", "bob", 5, |v| v[..4] == [8, 6, 8, 10]);
    house
        .give(
            &Actor::Operator,
            Command::VoidRound { table: table("t1"), round_no: 2, reason: Reference::parse("x").unwrap() },
        )
        .unwrap();
    house.give(&by("alice"), Command::OpenTable { table: table("own"), rules: joy(&[]), replaces: None }).unwrap();
    house.run_due();
    let seed = house.any_seed("own");
    house.bet("own", "alice", 5, &seed).unwrap();
    house.now += 2 * DAY;
    house.run_due();
    house
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn every_entry_is_compact_ascii_and_reads_back() {
    for bytes in sample().log {
        assert!(bytes.is_ascii() && bytes.len() <= MAX_ENTRY_BYTES);
        let entry = Entry::decode(&bytes).unwrap();
        assert_eq!(entry.encode().unwrap(), bytes);
        assert!(!text(&bytes).contains("null"), "what is absent is left out");
    }
}

#[test]
fn a_second_encoding_of_the_same_entry_is_refused() {
    let house = sample();
    let opened = house.log.iter().map(|b| text(b)).find(|t| t.contains("round_opened")).unwrap();
    let credit = house.log.iter().map(|b| text(b)).find(|t| t.contains("credit")).unwrap();
    assert!(Entry::decode(opened.as_bytes()).is_ok() && Entry::decode(credit.as_bytes()).is_ok());
    let same_content = [
        format!(" {credit}"),
        format!("{credit}\n"),
        credit.replacen(':', ": ", 1),
        credit.replacen(r#"{"v":1,"#, r#"{"#, 1).replacen(r#","by":"operator""#, r#","v":1,"by":"operator""#, 1),
        credit.replacen(r#""by":"operator""#, r#""by":"\u006fperator""#, 1),
        credit.replacen("\"operator\"", "\"oper\\u0061tor\"", 1),
        credit.replacen(r#","before""#, r#","at":null,"before""#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":1000,"reference":null"#, 1),
        opened.replacen(r#""lane":0,"slot""#, r#""slot""#, 1).replacen(r#","to":"1/1""#, r#","lane":0,"to":"1/1""#, 1),
        opened.replacen(r#""others":[]"#, r#""others":[ ]"#, 1),
    ];
    for other in same_content {
        assert_ne!(other, opened);
        assert_ne!(other, credit);
        assert_eq!(Entry::decode(other.as_bytes()), Err(EntryError::NotCanonical), "{other}");
    }
}

#[test]
fn what_is_no_entry_is_refused() {
    let house = sample();
    let credit = house.log.iter().map(|b| text(b)).find(|t| t.contains("credit")).unwrap();
    let bets = house.log.iter().map(|b| text(b)).find(|t| t.contains("bets_closed")).unwrap();
    let nested = "[".repeat(20_000);
    let malformed = [
        String::new(),
        "{}".into(),
        "null".into(),
        "\u{feff}".to_owned() + &credit,
        credit.clone() + "{}",
        credit.clone() + "\0",
        credit[..credit.len() - 1].to_owned(),
        credit.replacen(r#"{"v":1,"#, r#"{"v":1,"v":1,"#, 1),
        credit.replacen(r#"{"v":1,"#, r#"{"v":1,"x":1,"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":1000,"amount":1000"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":1000,"to":"me""#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":1e3"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":1000.0"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":01000"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":-1000"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":"1000""#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":9007199254740992"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":99999999999999999999999"#, 1),
        credit.replacen(r#""amount":1000"#, r#""amount":NaN"#, 1),
        credit.replacen("player:alice", "player:Alice", 1),
        credit.replacen("player:alice", "player:", 1),
        credit.replacen("\"cage\"", "\"cage:x\"", 1),
        credit.replacen("\"operator\"", "\"Operator\"", 1),
        credit.replacen("\"operator\"", "\"player:a b\"", 1),
        credit.replacen("\"credit\"", "\"Credit\"", 1),
        credit.replacen(r#""command":"#, r#""command":{"recover":{"table":"t1"}},"command":"#, 1),
        bets.replacen(r#""spot":"1""#, r#""spot":1"#, 1),
        credit.replacen(r#""before":[["#, &format!(r#""before":{nested}[["#), 1),
        nested,
    ];
    for bad in malformed {
        assert!(
            matches!(Entry::decode(bad.as_bytes()), Err(EntryError::Malformed(_))),
            "{}",
            bad.chars().take(300).collect::<String>()
        );
    }
    let version = credit.replacen(r#"{"v":1,"#, r#"{"v":2,"#, 1);
    assert_eq!(Entry::decode(version.as_bytes()), Err(EntryError::Version(2)));
    assert_eq!(Entry::decode(&vec![b' '; MAX_ENTRY_BYTES + 1]), Err(EntryError::TooLong(MAX_ENTRY_BYTES + 1)));
    assert!(matches!(Entry::decode(&[0xff, 0xfe]), Err(EntryError::Malformed(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256 * u32::try_from(effort()).unwrap()) })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(entry) = Entry::decode(&bytes) {
            prop_assert_eq!(entry.encode().unwrap(), bytes);
        }
    }

    #[test]
    fn damaged_entries_never_panic(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), with in any::<u8>(), cut in any::<bool>()) {
        thread_local!(static LOG: Vec<Vec<u8>> = sample().log);
        let mut bytes = LOG.with(|log| which.get(log).clone());
        let place = at.index(bytes.len());
        if cut { bytes.truncate(place) } else { bytes[place] = with }
        if let Ok(entry) = Entry::decode(&bytes) {
            prop_assert_eq!(entry.encode().unwrap(), bytes);
        }
    }
}

/// Every node of a JSON value, by path.
fn paths(value: &Value, path: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    out.push(path.clone());
    let children: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(n, item)| (n.to_string(), item)).collect(),
        Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), v)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        path.push(key);
        paths(child, path, out);
        path.pop();
    }
}

fn node<'v>(value: &'v mut Value, path: &[String]) -> &'v mut Value {
    path.iter().fold(value, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().unwrap()],
        other => other.get_mut(key.as_str()).unwrap(),
    })
}

/// Changes one thing in an entry so that it may still parse.
fn tamper(value: &mut Value, rng: &mut Rng, others: &[Value]) {
    let mut all = Vec::new();
    paths(value, &mut Vec::new(), &mut all);
    let path = all[rng.below(all.len())].clone();
    let target = node(value, &path);
    match target {
        Value::Number(_) => {
            let extremes = [0, 1, 2, 51, 52, 255, 65_535, 1 << 32, (1 << 53) - 1, u64::MAX];
            *target = match rng.below(4) {
                0 => Value::from(-i64::try_from(rng.pick(&extremes) >> 1).unwrap()),
                _ => Value::from(rng.pick(&extremes)),
            };
        }
        Value::String(text) => {
            *text = rng
                .pick(&[
                    "",
                    "t1",
                    "alice",
                    "bob",
                    "1/1",
                    "1/0",
                    "0/1",
                    "255/255",
                    "dealer",
                    "As",
                    "2c",
                    "52x1",
                    "52x12",
                    "wheel37x4096",
                    "cards:Ac",
                    "house",
                    "cage",
                    "player:alice",
                    "table:t1",
                    "cards:AcAc",
                ])
                .to_owned()
        }
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) => match rng.below(4) {
            0 => drop(items.remove(rng.below(items.len()))),
            1 => items.push(items[rng.below(items.len())].clone()),
            2 => items.reverse(),
            _ => {
                let donor = &others[rng.below(others.len())]["events"];
                items.extend(donor.as_array().cloned().unwrap_or_default());
            }
        },
        Value::Object(fields) => {
            if let Some(key) = fields.keys().nth(rng.below(fields.len().max(1))).cloned() {
                fields.remove(&key);
            }
        }
        Value::Bool(value) => *value = !*value,
        Value::Null => {}
    }
}

#[test]
fn hostile_entries_are_corrupt_and_never_a_panic() {
    let house = sample();
    let values: Vec<Value> = house.log.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect();
    let good = entries(&house.log);
    let mut rng = Rng(7);
    let (mut parsed, mut corrupt, mut redecided) = (0, 0, 0);
    for _ in 0..6_000 * effort() {
        let place = rng.below(values.len());
        let mut value = values[place].clone();
        for _ in 0..1 + rng.below(2) {
            tamper(&mut value, &mut rng, &values);
        }
        let Ok(entry) = serde_json::from_value::<Entry>(value) else { continue };
        if entry == good[place] {
            continue;
        }
        parsed += 1;
        let mut state = fold(&house.log[..place]);
        if state.apply(&entry).is_err() {
            corrupt += 1;
            continue;
        }
        // The fold cannot tell. Deciding the command again does, without a panic either, unless it is what another
        // course would honestly have logged: another time, another label.
        let known = fold(&house.log[..place]);
        let decided = known.decide(&house.seeds, entry.time, &entry.by, &entry.command);
        redecided += usize::from(decided.ok().as_ref() != Some(&entry));
        for later in &good[place + 1..] {
            if state.apply(later).is_err() {
                break;
            }
            let _ = state.decide(&house.seeds, later.time, &later.by, &later.command);
        }
        let _ = state.due(u64::MAX);
    }
    assert!(
        parsed > 500 && corrupt > 300 && redecided > 50,
        "{parsed} parsed, {corrupt} corrupt, {redecided} decided otherwise: the test shows little"
    );
}

#[test]
fn entries_out_of_order_are_corrupt() {
    let house = sample();
    let good = entries(&house.log);
    let fails = |log: Vec<&Entry>| {
        let mut state = State::new();
        log.into_iter().try_for_each(|entry| state.apply(entry)).is_err()
    };
    let mut shown = 0;
    for place in 1..good.len() {
        let Some(at) = &good[place].at else { continue };
        assert!(fails(good[..=place].iter().chain([&good[place]]).collect()), "twice: {:?}", good[place]);
        if good[place - 1].at.as_ref().is_some_and(|before| before.table == at.table) {
            assert!(fails(good[..place - 1].iter().chain([&good[place]]).collect()), "after a gap: {:?}", good[place]);
            shown += 1;
        }
    }
    assert!(shown > 8);
    let mut early = good[good.len() - 1].clone();
    early.time = T0;
    let mut state = fold(&house.log[..good.len() - 1]);
    assert!(state.apply(&early).unwrap_err().to_string().contains("time"));
}

/// Wherever it stands, and whatever digits stand in strings beside it.
#[test]
fn a_number_above_the_greatest_is_found_at_every_place() {
    for before in 0..40 {
        let around = |number: u64| format!("[\"{}\",{number},\"0123456789abcdef\"]", "7".repeat(before));
        assert!(has_greater_number(around(MOST_NUMBER + 1).as_bytes()), "{before}");
        assert!(has_greater_number(around(u64::MAX).as_bytes()), "{before}");
        assert!(!has_greater_number(around(MOST_NUMBER).as_bytes()), "{before}");
        assert!(!has_greater_number(format!("\"{}\\\"{}\"", "9".repeat(before), u64::MAX).as_bytes()), "{before}");
    }
}
