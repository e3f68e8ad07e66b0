//! Logs with guests before both verifiers: honest ones, and what a house could do with chips of two kinds.

use crate::audit_common;
use crate::common;
use crate::ledger_only::{agrees, ledger};
use crate::poker_second::{judged, write_log};

use audit_common::edit::*;
use audit_common::*;
use common::shared::rules;
use common::*;
use fairshoe_house::{Account, Actor, Command, Entry, Event, GUEST_IDLE_MS, GUEST_UNUSED_MS, Line};
use fairshoe_judge::audit::Check;
use fairshoe_judge::bundle::Soundness;

fn open(at: &str, name: &str) -> Command {
    Command::OpenTable { table: table(at), rules: rules(name, &[]), replaces: None }
}

/// Time passes, and what is due is done at its own time.
fn wait(house: &mut House, until: u64) {
    while let Some(deadline) = house.state.next_deadline().filter(|deadline| *deadline <= until) {
        house.now = house.now.max(deadline);
        house.run_due();
    }
    house.now = until;
}

/// Guests and alice play, each with their own chips, and one who does nothing makes room; then two days pass.
fn salon() -> House {
    let mut house = House::new();
    house.add_player("alice", 100_000);
    for at in ["roulette", "play.roulette"] {
        house.give(&Actor::Operator, open(at, "roulette")).unwrap();
        house.run_due();
    }
    for _ in 0..3 {
        house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    }
    for (at, who) in [("roulette", "alice"), ("play.roulette", "guest.0"), ("play.roulette", "guest.1")] {
        let seat = if who == "guest.1" { 2 } else { 1 };
        house.sit(at, who, seat).unwrap();
        house.run_due();
    }
    for _ in 0..6 {
        house.whole_round_on("roulette", &[("alice", "red")]);
        house.whole_round_on("play.roulette", &[("guest.0", "red"), ("guest.1", "red")]);
    }
    house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    let admitted = house.now;
    wait(&mut house, admitted + GUEST_UNUSED_MS);
    house.give(&Actor::House, Command::DismissGuest { player: player("guest.3") }).unwrap();
    let until = house.now + 2 * GUEST_IDLE_MS;
    wait(&mut house, until);
    house
}

fn lines(entry: &mut Entry) -> &mut Vec<Line> {
    match event_mut(entry, |event| matches!(event, Event::Posted { .. })) {
        Event::Posted { lines } => lines,
        _ => unreachable!(),
    }
}

/// A round at the table for play chips that pays somebody.
fn pays_guest(entry: &Entry) -> bool {
    let at_play = entry.at.as_ref().is_some_and(|at| at.table.as_str() == "play.roulette");
    at_play
        && entry.events.iter().any(|event| {
            matches!(event, Event::Posted { lines } if lines.iter().any(|line| line.0 == Account::Play && line.1 < 0))
        })
}

fn admits(entry: &Entry) -> bool {
    matches!(entry.command, Command::AdmitGuest {})
}

fn dismisses(entry: &Entry) -> bool {
    matches!(entry.command, Command::DismissGuest { .. })
}

type Change = fn(&mut [Entry]) -> usize;

/// Each with what the whole audit finds, and the ledger alone (`None`: it judges no rules).
#[rustfmt::skip]
const CHEATS: &[(&str, Check, Option<Check>, Change)] = &[
    ("pays a guest out of the house", Check::Posting, Some(Check::Posting), |book| edit(book, pays_guest, |entry| {
        lines(entry).iter_mut().filter(|line| line.0 == Account::Play).for_each(|line| (line.0, line.2) = (Account::House, line.1));
    })),
    ("seats a guest where money is at stake", Check::Refused, None, |book| edit(book, |entry| matches!(entry.command, Command::TakeSeat { .. }) && entry.at.as_ref().is_some_and(|at| at.table.as_str() == "roulette"), |entry| {
        entry.by = by("guest.2");
        entry.before = vec![(player("guest.2"), chips(100_000))];
        for event in &mut entry.events {
            if let Event::SeatTaken { player: who, .. } | Event::PlayAsked { player: who } = event { *who = player("guest.2"); }
        }
    })),
    ("admits a guest under a used number", Check::EventOrder, Some(Check::State), |book| {
        let at = (0..book.len()).filter(|at| admits(&book[*at])).nth(1).unwrap();
        if let Event::GuestAdmitted { player: who } = &mut book[at].events[0] { *who = player("guest.0"); }
        lines(&mut book[at])[1].0 = Account::Player(player("guest.0"));
        at
    }),
    ("leaves a number out", Check::EventOrder, Some(Check::State), |book| edit(book, admits, |entry| {
        if let Event::GuestAdmitted { player: who } = &mut entry.events[0] { *who = player("guest.7"); }
        lines(entry)[1].0 = Account::Player(player("guest.7"));
    })),
    ("gives a guest more than the others", Check::Posting, Some(Check::LedgerCage), |book| edit(book, admits, |entry| {
        for line in lines(entry) {
            let more = if line.0 == Account::Play { -1 } else { 1 };
            (line.1, line.2) = (line.1 + more, line.2 + more);
        }
    })),
    ("has the cage pay a guest's chips", Check::Posting, Some(Check::Posting), |book| edit(book, admits, |entry| {
        lines(entry)[0].0 = Account::Cage;
    })),
    ("dismisses a guest a moment early", Check::Refused, None, |book| {
        let at = find(book, dismisses);
        let (first, last) = (book[at - 1].time, book[at].time);
        book[at].time = first.max(last - 1);
        at
    }),
    ("keeps what a guest had", Check::EventOrder, Some(Check::State), |book| edit(book, dismisses, |entry| {
        entry.events.remove(0);
    })),
    ("takes a name of guests for a player", Check::Refused, Some(Check::State), |book| edit(book, |entry| matches!(entry.command, Command::CreatePlayer { .. }), |entry| {
        if let Command::CreatePlayer { player: who, .. } = &mut entry.command { *who = player("guest.0"); }
        if let Event::PlayerCreated { player: who } = &mut entry.events[0] { *who = player("guest.0"); }
    })),
];

#[test]
fn honest_logs_with_guests_hold_and_their_sums_of_money_have_none_of_theirs() {
    let house = salon();
    agrees(&house.log, "a salon with guests");
    let report = audit(&house.log);
    assert_eq!((report.guests, report.play_rounds, report.players), (4, 6, 1));
    assert_eq!(report.ledger.play, 0, "everybody is gone");
    assert_eq!(report.staked, 600.into(), "alice's alone");
    let open = audit(&house.log[..house.log.len() / 2]);
    assert!(open.ledger.play >= 200_000 && open.ledger.players <= 100_600, "{:?}", open.ledger);
    let bundle = bundle(&house, &house.log, "play.roulette:1").to_json().unwrap();
    let verdict = verify(bundle.as_bytes(), Some(signer().verifier_key()));
    assert_eq!(verdict.verdict, Soundness::Sound, "{:?}", verdict.findings);
}

#[test]
fn cheats_with_guests_are_found_by_every_judge() {
    let honest = salon();
    let honest = entries(&honest.log);
    let folder = tempfile::tempdir().unwrap();
    let texts = |book: &[Entry]| -> Vec<String> {
        book.iter().map(|entry| String::from_utf8(entry.encode().unwrap()).unwrap()).collect()
    };
    let mut files = vec![write_log(folder.path(), "honest", &texts(&honest))];
    let mut found = Vec::new();
    for (name, check, alone, change) in CHEATS {
        let mut book = honest.clone();
        let at = change(&mut book) as u64;
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = audit(&log).first_failure.unwrap_or_else(|| panic!("{name}: not found"));
        assert_eq!((finding.check, finding.entry), (*check, Some(at)), "{name}: {finding}");
        if let Some(alone) = alone {
            let finding = ledger(&log).first_failure.unwrap_or_else(|| panic!("{name}: not found by the ledger alone"));
            assert_eq!((finding.check, finding.entry), (*alone, Some(at)), "{name}: {finding}");
        }
        files.push(write_log(folder.path(), &format!("cheat-{}", files.len()), &texts(&book)));
        found.push((*name, at, *alone));
    }
    let Some(reports) = judged("log", &files) else { return };
    assert!(reports[0]["findings"].as_array().unwrap().is_empty(), "{}", reports[0]["findings"]);
    let alone = judged("log --ledger-only", &files).unwrap();
    assert_eq!(alone[0]["verdict"], "sound_ledger_only", "{}", alone[0]["findings"]);
    for (((name, at, by_ledger), report), alone) in found.into_iter().zip(&reports[1..]).zip(&alone[1..]) {
        assert_eq!(report["findings"][0]["entry"], at, "{name}: {}", report["findings"]);
        if let Some(check) = by_ledger {
            let finding = &alone["findings"][0];
            assert_eq!(
                (&finding["check"], &finding["entry"]),
                (&check.to_string().into(), &at.into()),
                "{name}: {finding}"
            );
        }
    }
}
