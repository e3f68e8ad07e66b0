//! Honest books are sound; so are their voids' sums.

use crate::audit_common;
use crate::common;

use audit_common::*;
use common::*;
use fairshoe_house::audit::{Book, Check, Limits};

#[test]
fn a_busy_house_is_sound() {
    for seed in 1..=4 * effort() {
        let house = book(seed, 150);
        let report = audit(&house.log);
        assert_eq!(report.first_failure, None, "seed {seed}");
        assert_eq!(report.entries as usize, house.log.len());
        assert!(report.rounds >= 100 && report.starts > 1 && report.tables == 4 && report.players == 3);
        assert_eq!(report.settled + report.voids.total + report.open_rounds, report.rounds);
        assert_eq!(report.voids.by_cause.values().sum::<u64>(), report.voids.total);
        assert_eq!(report.voids.by_ahead.values().sum::<u64>(), report.voids.total);
        assert_eq!(report.voids.listed.len() as u64, report.voids.total);
        assert_eq!(report.shoes, report.shoes_revealed + report.open_shoes);
        let ledger = &report.ledger;
        assert_eq!(ledger.players, -ledger.cage - ledger.house - ledger.tables);
        assert_eq!((ledger.credited, ledger.withdrawn), (3_000_000, 1_000));
    }
}

#[test]
fn every_kind_of_trouble_is_in_the_books_that_are_tested() {
    let mut causes = std::collections::BTreeSet::new();
    let (mut computable, mut resumed) = (0, false);
    for seed in 1..=4 {
        let house = book(seed, 150);
        let report = audit(&house.log);
        causes.extend(report.voids.by_cause.into_keys());
        computable += report.voids.computable;
        resumed |= entries(&house.log).iter().any(|entry| names_of(entry).contains(&"round_resumed".to_owned()));
    }
    assert_eq!(causes.into_iter().collect::<Vec<_>>(), ["crash", "malfunction", "reveal_missing"]);
    assert!(computable > 0 && resumed);
}

#[test]
fn a_log_cut_off_anywhere_is_sound_so_far() {
    let house = book(9, 30);
    for end in (1..house.log.len()).step_by(3) {
        let report = audit(&house.log[..end]);
        assert_eq!(report.first_failure, None, "cut off at {end}");
        assert_eq!(report.settled + report.voids.total + report.open_rounds, report.rounds);
    }
}

#[test]
fn the_default_play_of_a_void_is_what_standing_would_have_brought() {
    let want = |cards: &[u16]| cards[0] == 10 && cards[2] == 10 && cards[1] == 10 && cards[3] == 6 && cards[4] == 10;
    let mut finished = House::with_table(&[], 100);
    finished.deal("t1", "alice", 10, want);
    finished.finish("t1", "alice");
    assert_eq!(finished.balance("alice"), 110);

    let mut voided = House::with_table(&[("crash", "rollback")], 100);
    voided.deal("t1", "alice", 10, want);
    voided.crash();
    voided.run_due();
    assert_eq!(voided.balance("alice"), 100);
    let report = audit(&voided.log);
    assert_eq!(report.first_failure, None);
    let void = &report.voids.listed[0];
    assert_eq!((void.default_play_net, void.not_computable.as_deref()), (Some(10), None));
    assert_eq!(void.nets, [(player("alice"), 10)]);
    assert_eq!(report.voids.by_ahead.keys().collect::<Vec<_>>(), ["level"]);
}

#[test]
fn a_void_before_the_seeds_cannot_be_finished() {
    let mut house = House::with_table(&[("crash", "rollback")], 100);
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    house.crash();
    house.run_due();
    let report = audit(&house.log);
    assert_eq!(report.voids.listed[0].not_computable.as_deref(), Some("the round never opened"));
    assert_eq!(report.voids.computable, 0);
}

#[test]
fn shoes_checked_by_another_thread_give_the_same_report() {
    let house = book(5, 80);
    let alone = audit(&house.log);
    let mut book = Book::new(Limits { waiting_checks: usize::MAX, origin: Some(ORIGIN.into()), ..Limits::default() });
    let mut away = Vec::new();
    for (index, bytes) in house.log.iter().enumerate() {
        book.feed(index as u64, bytes).unwrap();
        away.extend(book.take_checks());
    }
    let verdicts = std::thread::spawn(move || away.into_iter().rev().map(|check| check.run()).collect::<Vec<_>>()).join().unwrap();
    for verdict in verdicts {
        book.give_back(verdict).unwrap();
    }
    assert_eq!(book.finish(), alone);
}

/// One that may wait does, for whoever has a second thread; one more, and the book checks them itself.
#[test]
fn as_many_shoes_wait_as_may() {
    let house = book(5, 30);
    let taken = |waiting_checks: usize| {
        let mut book = Book::new(Limits { waiting_checks, ..Limits::default() });
        let mut taken = 0;
        for (index, bytes) in (0..).zip(&house.log) {
            book.feed(index, bytes).unwrap();
            taken += book.take_checks().len();
        }
        taken
    };
    assert_eq!(taken(0), 0);
    let (one, all) = (taken(1), taken(usize::MAX));
    assert!(one > 10 && all >= one, "{one} and {all}");
}

#[test]
fn a_closed_book_says_the_same_again() {
    let house = book(6, 5);
    let mut book = Book::new(Limits::default());
    let first = book.feed(1, &house.log[0]).unwrap_err();
    assert_eq!(first.check, Check::EntryOrder);
    assert_eq!(book.feed(0, &house.log[0]).unwrap_err(), first);
    assert_eq!(book.finish().first_failure, Some(first));
}

#[test]
fn lists_are_bounded_and_counts_are_not() {
    let house = book(2, 150);
    let mut book = Book::new(Limits { listed: 2, ..Limits::default() });
    for (index, bytes) in house.log.iter().enumerate() {
        book.feed(index as u64, bytes).unwrap();
    }
    let report = book.finish();
    assert!(report.voids.total > 2);
    assert_eq!(report.voids.listed.len(), 2);
    assert_eq!(report.open_shoes, 4);
    assert_eq!(report.open_shoes_listed.len(), 2);
}

#[test]
fn every_check_has_its_own_code_and_stands_in_the_specification() {
    let spec = include_str!("../../../spec/audit.md");
    let mut codes: Vec<&str> = Check::ALL.iter().map(|check| check.code()).collect();
    for code in &codes {
        assert!(spec.contains(&format!("| `{code}` |")), "spec/audit.md does not list {code}");
    }
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Check::ALL.len());
}
