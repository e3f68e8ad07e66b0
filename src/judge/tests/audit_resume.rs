//! A book that is kept in the middle and gone on with says what one says that was read at once: the same report, and of
//! a dishonest log the same finding.

use crate::audit_common;
use crate::common;

use audit_common::crooked::{Trick, crooked_book};
use audit_common::{audit, book};
use common::crowd::Crowd;
use common::rng::Rng;
use common::*;
use fairshoe_house::{Actor, Command, Entry, Reference};
use fairshoe_judge::audit::{AuditReport, Book, Check, Finding, Limits};
use serde_json::Value;

fn limits() -> Limits {
    Limits { origin: Some(ORIGIN.into()), ..Limits::default() }
}

/// Reads `log`, kept and opened again at every entry of `cuts`; a finding on the way is the report's.
fn audit_in_parts(log: &[Vec<u8>], cuts: &[usize]) -> Result<AuditReport, Finding> {
    let mut book = Book::new(limits());
    for (index, bytes) in log.iter().enumerate() {
        if cuts.contains(&index) {
            let text = serde_json::to_string(&book.keep()?).unwrap();
            book = Book::go_on(text.as_bytes(), limits()).unwrap();
            assert_eq!(book.entries(), index as u64);
            let again = serde_json::to_string(&book.keep().unwrap()).unwrap();
            assert_eq!(again.len(), text.len());
            assert_eq!(sorted(&again), sorted(&text), "kept at {index}");
        }
        if book.feed(index as u64, bytes).is_err() {
            break;
        }
    }
    Ok(book.finish())
}

/// A kept book as a value; sets and maps have no order of their own.
fn sorted(text: &str) -> Value {
    fn sort(value: Value) -> Value {
        match value {
            Value::Array(items) => {
                let mut items: Vec<Value> = items.into_iter().map(sort).collect();
                items.sort_by_cached_key(Value::to_string);
                Value::Array(items)
            }
            Value::Object(fields) => {
                Value::Object(fields.into_iter().map(|(name, value)| (name, sort(value))).collect())
            }
            other => other,
        }
    }
    sort(serde_json::from_str(text).unwrap())
}

/// Books of every game, with crashes, voids, cooldowns, newcomers, piles and whatever is open where they end.
fn logs(from: u64, count: u64, steps: usize) -> Vec<Vec<Vec<u8>>> {
    let mut logs: Vec<Vec<Vec<u8>>> = (from..from + count)
        .map(|seed| {
            let mut crowd = Crowd::new(seed, true);
            if seed % 2 == 1 {
                crowd.only = "safe";
            }
            crowd.steps(steps);
            crowd.house.log
        })
        .collect();
    logs.extend((from..from + count).map(|seed| book(seed, steps / 8).log));
    logs
}

#[test]
fn a_book_kept_anywhere_goes_on_as_if_it_had_not_been() {
    let mut rng = Rng(77);
    for log in logs(1, 2 * effort(), 900) {
        let whole = audit(&log);
        assert_eq!(whole.first_failure, None);
        for _ in 0..4 {
            let cuts: Vec<usize> = (0..3).map(|_| rng.below(log.len())).collect();
            assert_eq!(audit_in_parts(&log, &cuts), Ok(whole.clone()), "kept at {cuts:?}");
        }
    }
}

#[test]
fn a_book_kept_before_every_entry_goes_on() {
    for log in logs(40, 1, 120) {
        let every: Vec<usize> = (0..log.len()).collect();
        assert_eq!(audit_in_parts(&log, &every), Ok(audit(&log)));
    }
}

/// A player's limits are kept by two words each, which are no name of a field.
#[test]
fn a_book_of_players_with_limits_is_kept() {
    let file = crate::vectors::parsed("entries-limits.json");
    let entries = file["entries"].as_array().unwrap();
    let log: Vec<Vec<u8>> = entries.iter().map(|entry| entry.as_str().unwrap().as_bytes().to_vec()).collect();
    let every: Vec<usize> = (0..log.len()).collect();
    assert_eq!(audit_in_parts(&log, &every), Ok(audit(&log)));
}

/// The number of numbers, truth values and hexadecimal texts in an entry, one of which `change` changes.
fn tamper(value: &mut Value, change: Option<usize>, seen: &mut usize) {
    let is_it = |seen: &mut usize| {
        *seen += 1;
        change == Some(*seen - 1)
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| tamper(item, change, seen)),
        Value::Object(fields) => fields.values_mut().for_each(|field| tamper(field, change, seen)),
        Value::Number(number) if is_it(seen) => *value = number.as_i64().map_or(1, |n| n + 1).into(),
        Value::Bool(flag) if is_it(seen) => *flag = !*flag,
        Value::String(text) if text.len() == 64 && is_it(seen) => {
            let first = if text.starts_with('0') { "1" } else { "0" };
            text.replace_range(..1, first);
        }
        _ => {}
    }
}

#[test]
fn a_dishonest_book_kept_anywhere_has_the_same_finding() {
    let mut rng = Rng(78);
    let (mut later, mut across) = (0, 0);
    for log in logs(60, effort(), 600) {
        // What a shoe is committed to is wrong only once its seed is out: every other time one of those.
        let commits: Vec<usize> =
            (0..log.len()).filter(|at| String::from_utf8_lossy(&log[*at]).contains("\"shoe_committed\"")).collect();
        for turn in 0..60 {
            let at = if turn % 2 == 0 && !commits.is_empty() {
                commits[rng.below(commits.len())]
            } else {
                rng.below(log.len())
            };
            let mut entry: Value = serde_json::from_slice(&log[at]).unwrap();
            let mut count = 0;
            tamper(&mut entry, None, &mut count);
            tamper(&mut entry, Some(rng.below(count)), &mut 0);
            // What is no entry any more, or not in its one form, is not what is tested here.
            let Ok(entry) = serde_json::from_value::<Entry>(entry) else { continue };
            let mut log = log.clone();
            log[at] = entry.encode().unwrap();
            let whole = audit(&log);
            let cut = rng.below(log.len());
            let found =
                whole.first_failure.as_ref().and_then(|found| found.entry).is_some_and(|entry| entry >= cut as u64);
            later += u64::from(found);
            across += u64::from(found && at < cut);
            match audit_in_parts(&log, &[cut]) {
                Ok(report) => assert_eq!(report, whole, "entry {at} changed, kept at {cut}"),
                // Only adding up shows it: a book is not kept then.
                Err(finding) => assert!(finding.entry.is_none(), "{finding}"),
            }
        }
    }
    assert!(later >= 10 && across >= 1, "{later} found after the cut, {across} of them changed before it");
}

#[test]
fn what_is_no_kept_book_is_refused() {
    let mut book = Book::new(limits());
    for (index, bytes) in audit_common::book(3, 20).log.iter().enumerate() {
        book.feed(index as u64, bytes).unwrap();
    }
    let text = serde_json::to_string(&book.keep().unwrap()).unwrap();
    let open = |text: &str| Book::go_on(text.as_bytes(), limits()).map(|_| ());
    assert!(open(&text).is_ok());
    for end in (0..text.len()).step_by(97) {
        assert!(open(&text[..end]).is_err());
    }
    for (field, other) in [
        ("\"next\":", "\"last\":"),
        ("\"memory\":", "\"mem\":"),
        ("\"state\":{", "\"state\":{\"more\":1,"),
        ("\"game\":{", "\"game\":{\"x\":1,"),
    ] {
        assert!(text.contains(field), "{field}");
        assert!(open(&text.replacen(field, other, 1)).is_err(), "{field}");
    }
    assert!(open("[]").is_err() && open("null").is_err());
}

/// What came before the cut and counts after it: roots and seeds, and a void whose shoe is still in use.
#[test]
fn a_kept_book_remembers_what_is_judged_later() {
    let log = crooked_book(Trick::OneSeedTwoPacks);
    let whole = audit(&log);
    let found = whole.first_failure.clone().unwrap();
    assert_eq!(found.check, Check::SeedReused);
    for cut in 1..=found.entry.unwrap() as usize {
        assert_eq!(audit_in_parts(&log, &[cut]), Ok(whole.clone()), "kept at {cut}");
    }
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    while house.table("t1").live_round().is_none() {
        house.deal_all("t1", &["alice", "bob"], 100);
        house.run_due();
    }
    let round_no = house.table("t1").live_round().unwrap().round_no;
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no, reason }).unwrap();
    let cut = house.log.len();
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    let whole = audit(&house.log);
    assert_eq!((whole.voids.total, whole.voids.computable, audit(&house.log[..cut]).voids.computable), (1, 1, 0));
    assert_eq!(audit_in_parts(&house.log, &[cut]), Ok(whole));
}

/// A void waits for its seeds no longer than its table remembers it.
#[test]
fn a_book_forgets_the_voids_of_a_table_that_is_closed() {
    let mut house = House::shared("baccarat", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("player", 500)]).unwrap();
    house.run_due();
    house.now = house.state.next_deadline().unwrap();
    house.run_due();
    let waiting = |log: &[Vec<u8>]| {
        let mut book = Book::new(limits());
        (0..).zip(log).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        let saved = serde_json::to_value(book.keep().unwrap()).unwrap();
        (saved["memory"]["late"].as_object().unwrap().len(), book.report().voids.total)
    };
    assert_eq!(waiting(&house.log), (1, 1));
    house.wait(2 * DAY);
    if house.state.table(&table("t1")).is_some() {
        house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    }
    assert_eq!(waiting(&house.log), (0, 1));
}

#[test]
fn a_book_with_a_finding_is_not_kept() {
    let house = book(6, 5);
    let mut book = Book::new(Limits::default());
    let finding = book.feed(1, &house.log[0]).unwrap_err();
    assert_eq!(book.keep().err(), Some(finding));
}
