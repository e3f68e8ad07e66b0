//! Cheats with refunds, with idle seats, with changed bets and at the wheel: each caught by the check named, at the
//! entry at fault. What fits in one entry of the vectors is in `lies`.

use crate::audit_common;
use crate::common;

use audit_common::audit;
use audit_common::crooked::{Crooked, Trick};
use audit_common::edit::*;
use common::shared::*;
use common::*;
use fairshoe_games::RoundEvent;
use fairshoe_house::{Actor, Command, Entry, Event, VoidCause};
use fairshoe_judge::audit::Check;
use std::sync::OnceLock;

/// An honest book: refunds up to the cap.
fn book() -> &'static [Vec<u8>] {
    static BOOK: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BOOK.get_or_init(|| {
        let mut house = House::shared("live-blackjack", &[], &["dave"]);
        refunds(&mut house);
        house.log
    })
}

fn refunds(house: &mut House) {
    for name in ["rng-1", "rng-2", "rng-3"] {
        house
            .give(
                &by("dave"),
                Command::OpenTable { table: table(name), rules: rules("rng-blackjack", &[]), replaces: None },
            )
            .unwrap();
        house.run_due();
        house.wish_for(name, &["dave"], 1, |d| (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (10, 6, 5));
        let bet = house.place_command(name, "dave", &[("1", 1000)]);
        house.give(&by("dave"), bet).unwrap();
        house.show(name, "dave").unwrap();
        house.now += DAY;
        house.run_due();
    }
}

fn at(entry: &Entry, name: &str) -> bool {
    entry.at.as_ref().is_some_and(|at| at.table.as_str() == name)
}

fn refunded(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::RoundVoided { cause: VoidCause::Abandoned, .. }))
}

fn edit_with(book: &mut [Entry], what: Find, change: impl FnOnce(&mut Entry)) -> usize {
    let at = find(book, what);
    change(&mut book[at]);
    at
}

/// Sets the time of such an entry a millisecond back, as far as the entry before it allows.
fn early(book: &mut [Entry], what: Find) -> usize {
    let at = (1..book.len()).find(|n| what(&book[*n]) && book[n - 1].time < book[*n].time).unwrap();
    book[at].time -= 1;
    at
}

#[rustfmt::skip]
const CHEATS: &[(&str, Check, Change)] = &[
    ("does not count a refund", Check::Void, |book| edit(book, refunded, |entry| {
        if let Event::RoundVoided { refunds, .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { *refunds = None; }
    })),
    ("counts a refund as the first again", Check::Void, |book| edit(book, |e| refunded(e) && at(e, "rng-2"), |entry| {
        if let Event::RoundVoided { refunds, .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { *refunds = Some(1); }
    })),
    ("refunds beyond the cap", Check::EventOrder, |book| {
        let model = book[find(book, |e| refunded(e) && at(e, "rng-2"))].clone();
        edit_with(book, |e| at(e, "rng-3") && matches!(e.command, Command::Lapse { .. }), |entry| entry.events = model.events)
    }),
    ("refunds before the day is over", Check::Refused, |book| early(book, refunded)),
    ("takes a lost hand where a refund is due", Check::EventOrder, |book| {
        let model = book[find(book, |e| at(e, "rng-3") && matches!(e.command, Command::Lapse { .. }))].clone();
        edit_with(book, |e| refunded(e) && at(e, "rng-1"), |entry| entry.events = model.events)
    }),
];

#[test]
fn the_honest_book_is_sound() {
    assert_eq!(audit(book()).first_failure, None);
}

#[test]
fn each_cheat_is_caught_by_its_check() {
    let mut missed = Vec::new();
    for (name, check, change) in CHEATS {
        let mut book = entries(book());
        let at = change(&mut book);
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let Some(finding) = audit(&log).first_failure else {
            missed.push(format!("{name}: nothing found"));
            continue;
        };
        if (finding.check, finding.entry) != (*check, Some(at as u64)) {
            missed.push(format!("{name}: wanted {check} at {at}: {finding}"));
        }
        assert!(finding.message.len() > 20, "{name}: {finding}");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A house that frees seats before their time, leaves one out, or opens bets over an idle seat.
type Alter = fn(&mut Entry);

#[test]
fn seats_that_are_not_idle_are_not_freed_and_those_that_are_all_are() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.now += 16 * SECOND;
    house.run_due();
    let before = house.log.len();
    let sat = house.now;
    house.now = sat + 30 * MINUTE;
    house.run_due();
    let book = entries(&house.log);
    assert!(matches!(book[before].command, Command::TidySeats { .. }) && book[before].events.len() == 2);
    let changes: [(Alter, Check); 4] = [
        (|entry| entry.time -= 20 * MINUTE, Check::Refused),
        (|entry| drop(entry.events.pop()), Check::EventMissing),
        (|entry| entry.by = Actor::Operator, Check::Refused),
        (
            |entry| {
                if let Some(Event::SeatLeft { seat, .. }) = entry.events.last_mut() {
                    *seat = 3;
                }
            },
            Check::Seat,
        ),
    ];
    for (change, check) in changes {
        let mut entry = book[before].clone();
        change(&mut entry);
        let log: Vec<_> = house.log[..before].iter().cloned().chain([entry.encode().unwrap()]).collect();
        let finding = audit(&log).first_failure.unwrap();
        assert_eq!((finding.check, finding.entry), (check, Some(before as u64)), "{finding}");
    }
}

/// A player who changes bets without end, and whose house lets it happen.
#[test]
fn one_change_too_many_is_found() {
    let mut house = House::shared("live-blackjack", &[("bet_time_ms", "604800000")], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for _ in 0..63 {
        house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    }
    let mut entry = entries(&house.log).pop().unwrap();
    entry.at.as_mut().unwrap().seq += 1;
    entry.before[0].1 = chips(house.balance("alice"));
    entry.events.retain(|event| matches!(event, Event::BetPlaced { .. }));
    let log: Vec<_> = house.log.iter().cloned().chain([entry.encode().unwrap()]).collect();
    let finding = audit(&log).first_failure.unwrap();
    assert_eq!(finding.check, Check::Refused);
    assert!(finding.message.contains("too_many_changes"), "{finding}");
}

#[test]
fn a_wheel_that_lies_is_found_when_its_seed_comes_out() {
    let mut house = House::shared("roulette", &[("spins", "2")], &["alice"]);
    house.dealer = Box::new(Crooked::new(Trick::MovesTheWheel));
    house.sit_all("t1", &["alice"]);
    for _ in 0..2 {
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.run_due();
        house.show_all("t1");
        house.run_due();
    }
    let finding = audit(&house.log).first_failure.unwrap();
    assert_eq!(finding.check, Check::FaceFalse);
    let entry = &entries(&house.log)[finding.entry.unwrap() as usize];
    let said = plays(entry)
        .find_map(|play| if let RoundEvent::Spun { value, .. } = play { Some(*value) } else { None })
        .unwrap();
    let (shown, truth) = (format!("was shown as {said},"), format!("the revealed seed has {} there", (said + 36) % 37));
    assert!(finding.message.contains(&shown) && finding.message.ends_with(&truth), "{finding}");
}
