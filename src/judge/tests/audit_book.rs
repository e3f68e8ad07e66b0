//! Honest books are sound; so are their voids' sums.

use crate::audit_common;
use crate::common;

use audit_common::*;
use common::safe::{at_pile, commit_all};
use common::*;
use fairshoe_games::{Action, ActionKind};
use fairshoe_house::{Actor, Command, Entry, Reference};
use fairshoe_judge::audit::{Book, Check, Limits, VoidResult};

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
        assert_eq!((ledger.credited, ledger.withdrawn), (3_000_000.into(), 1_000.into()));
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

/// What the auditor says of the one void of a house, which its operator brings about.
fn void_of(house: &mut House, at: &str) -> VoidResult {
    let round_no = house.table(at).live_round().unwrap().round_no;
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table(at), round_no, reason }).unwrap();
    house.give(&Actor::Operator, Command::CloseTable { table: table(at) }).unwrap();
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.voids.total), (None, 1));
    report.voids.listed[0].clone()
}

#[test]
fn a_game_whose_piles_its_players_shuffle_is_not_finished_for_them() {
    let mut house = at_pile(&[], 7);
    commit_all(&mut house);
    house.show_all("t1");
    assert_eq!(
        void_of(&mut house, "t1").not_computable.as_deref(),
        Some("the game's piles are shuffled by its players")
    );
    // A choice before the pile is through, by default play the same: it would be shuffled anew.
    let why = (0..20).map(|seed| {
        let log = at_pile(&[], seed).log;
        let choice = entries(&log).iter().rposition(|entry| matches!(entry.command, Command::Act { .. })).unwrap();
        let log = log[..choice].to_vec();
        let mut house = House {
            now: Entry::decode(log.last().unwrap()).unwrap().time,
            state: fold(&log),
            log,
            ..House::unstarted()
        };
        void_of(&mut house, "t1").not_computable
    });
    let why: Vec<_> = why.flatten().collect();
    assert!(why.iter().any(|why| why == "the game needs a new pile, which its players would shuffle"), "{why:?}");
}

/// Alice has insured and bob has not said as the round is void: default play goes on with the dealer's look at the hole
/// card.
#[test]
fn default_play_looks_at_the_hole_card() {
    for hole in [10, 7] {
        let players = ["alice", "bob"];
        let mut house = House::shared("live-blackjack", &[], &players);
        house.sit_all("t1", &players);
        let totals = std::cell::Cell::new([0; 2]);
        house.wish_for("t1", &players, 3, |d| {
            totals.set([0, 1].map(|lane| d.value(lane, 0) + d.value(lane, 1)));
            let no_low_card = (0..2).all(|lane| d.value(lane, 0) >= 8 && d.value(lane, 1) >= 8);
            no_low_card && (d.value(2, 0), d.value(2, 1)) == (1, hole)
        });
        house.deal_all("t1", &players, 100);
        house.choose("t1", "alice", Action::Insurance { take: true }).unwrap();
        assert_eq!(house.asked("t1"), ["bob"]);
        assert!(house.offered("t1").contains(&ActionKind::Insurance));
        // With a ten it is a blackjack, and the insurance is paid; else it is 18 and the insurance is lost.
        let against = |total: u16| if hole == 10 { -100 } else { 100 * (i64::from(total) - 18).signum() };
        let [alice, bob] = totals.get().map(against);
        let void = void_of(&mut house, "t1");
        assert_eq!(
            void.nets,
            [(player("alice"), alice + if hole == 10 { 100 } else { -50 }), (player("bob"), bob)],
            "{totals:?}"
        );
    }
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
    let verdicts =
        std::thread::spawn(move || away.into_iter().rev().map(|check| check.run()).collect::<Vec<_>>()).join().unwrap();
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
