//! Tournaments by the ledger alone (spec/ledger.md): honest ones add up as the whole audit has them, in both verifiers;
//! and money that an event's entry moves otherwise than it says is found, in both at the same entry.

use crate::common;
use crate::ledger_only::{agrees, ledger};
use crate::poker_second::{judged, write_log};
use crate::tournament_second::{called_off, event};

use common::rng::Rng;
use common::*;
use fairshoe_house::{Account, Entry, Event, Line, TournamentEvent};
use fairshoe_judge::audit::{Book, Limits};

fn events() -> Vec<House> {
    (0..4 * effort())
        .map(|seed| if seed % 2 == 0 { event(0x6c65_6400 + seed) } else { called_off(0x6c65_6f00 + seed) })
        .collect()
}

#[test]
fn honest_tournaments_add_up_alike() {
    for (number, house) in events().iter().enumerate() {
        agrees(&house.log, &format!("tournament {number}"));
        for end in (1..house.log.len()).step_by(37) {
            assert_eq!(ledger(&house.log[..end]).first_failure, None, "tournament {number}, cut off at {end}");
        }
    }
}

fn of_event(entry: &Entry, what: fn(&TournamentEvent) -> bool) -> bool {
    entry.events.iter().any(|event| if let Event::Tournament(event) = event { what(event) } else { false })
}

fn lines(entry: &mut Entry) -> Option<&mut Vec<Line>> {
    entry.events.iter_mut().find_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None })
}

/// What the ledger alone leaves to the rules: between which accounts a refund is taken or given, what a cancellation
/// costs the house, and who of an entry's player and buyers has how much of its escrow.
fn is_left_to_the_rules(entry: &Entry) -> bool {
    of_event(entry, |event| {
        matches!(
            event,
            TournamentEvent::Cancelled { .. }
                | TournamentEvent::Refunded { .. }
                | TournamentEvent::StakesDivided { .. }
        )
    })
}

/// One change of what a tournament's entry moves.
fn bent(entry: &mut Entry, rng: &mut Rng) -> Option<&'static str> {
    let kind = rng.below(5);
    let lines = lines(entry)?;
    let (one, other) = (rng.below(lines.len()), rng.below(lines.len()));
    match kind {
        // A cent from one account to another, the balances after it as they then are.
        0 | 1 if one != other => {
            for (at, more) in [(one, 1), (other, -1)] {
                (lines[at].1, lines[at].2) = (lines[at].1 + more, lines[at].2 + more);
            }
            Some("a cent elsewhere")
        }
        2 if one != other && lines[one].1 != lines[other].1 => {
            let amounts = (lines[one].1, lines[other].1);
            for (at, amount) in [(one, amounts.1), (other, amounts.0)] {
                (lines[at].1, lines[at].2) = (amount, lines[at].2 - lines[at].1 + amount);
            }
            Some("two amounts exchanged")
        }
        3 if lines.iter().any(|line| line.1 != 0) => {
            entry.events.retain(|event| !matches!(event, Event::Posted { .. }));
            Some("no posting")
        }
        4 => {
            lines.iter().all(|line| line.0 != Account::RoundingResidual && line.1 != 0).then_some(())?;
            lines[one] = Line(Account::RoundingResidual, lines[one].1, lines[one].1);
            Some("to another account")
        }
        _ => None,
    }
}

#[test]
fn what_a_tournament_moves_otherwise_than_it_says_both_verifiers_find_in_the_same_entry() {
    let folder = tempfile::tempdir().unwrap();
    let (mut logs, mut firsts) = (Vec::new(), Vec::new());
    let (mut free, mut found) = (0, 0);
    let events: Vec<Vec<Entry>> = events().iter().map(|house| entries(&house.log)).collect();
    let mut rng = Rng(4_711);
    while firsts.len() < if effort() > 1 { 600 } else { 60 } {
        let mut book = events[rng.below(events.len())].clone();
        let moving: Vec<usize> = (0..book.len())
            .filter(|at| book[*at].events.iter().any(|event| matches!(event, Event::Tournament(_))))
            .filter(|at| book[*at].events.iter().any(|event| matches!(event, Event::Posted { .. })))
            .collect();
        let at = moving[rng.below(moving.len())];
        let Some(what) = bent(&mut book[at], &mut rng) else { continue };
        let log: Vec<Vec<u8>> = book[..=at].iter().map(|entry| entry.encode().unwrap()).collect();
        let mut whole = Book::new(Limits::default());
        let decided = (0..).zip(&log).find_map(|(index, bytes)| whole.feed(index, bytes).err());
        assert_eq!(decided.and_then(|finding| finding.entry), Some(at as u64), "the whole audit, entry {at}: {what}");
        let alone = ledger(&log).first_failure;
        if alone.is_none() {
            assert!(
                is_left_to_the_rules(&book[at]),
                "entry {at} passes: {what}, {}",
                String::from_utf8_lossy(&log[at])
            );
            free += 1;
        }
        found += usize::from(alone.is_some());
        let texts: Vec<String> = log.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
        logs.push(write_log(folder.path(), &format!("bent-{}", firsts.len()), &texts));
        firsts.push((alone, what));
    }
    assert!(found > 10 * free && found > 30, "{found} found, {free} left to the rules");
    let Some(reports) = judged("log --ledger-only", &logs) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    for (report, (first, what)) in reports.iter().zip(&firsts) {
        let second = report["findings"]
            .get(0)
            .map(|finding| (finding["check"].as_str().unwrap().to_owned(), finding["entry"].as_u64()));
        let first = first.as_ref().map(|finding| (finding.check.to_string(), finding.entry));
        assert_eq!(second, first, "{what}: {:#}", report["findings"]);
    }
}
