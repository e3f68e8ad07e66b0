//! A log audited in pieces that begin with states, and from a state on (spec/audit.md, "In pieces", "From a state").

use crate::audit_common::crooked::{Trick, crooked_book};
use crate::audit_common::pieces::{audit_from, audit_in_pieces, begin, hold_in_pieces, read_in_pieces, states};
use crate::audit_common::{audit_at_once, book, read_on};
use crate::common::crowd::Crowd;
use crate::common::rng::Rng;
use crate::common::world::World;
use crate::common::*;
use fairshoe_house::{Actor, Command, Entry, Event, Reference};
use fairshoe_judge::audit::{Book, Check, GoesOnFrom, Limits, Piece};
use serde_json::Value;

/// Books of worlds, crowds and single tables: every game, crashes, voids, late seeds, starts of the dealer.
fn logs(from: u64, count: u64) -> Vec<Vec<Vec<u8>>> {
    let mut logs: Vec<Vec<Vec<u8>>> = (from..from + count).map(|seed| World::book(seed).log).collect();
    logs.extend((from..from + count).map(|seed| {
        let mut crowd = Crowd::new(seed, true);
        crowd.steps(250);
        crowd.house.log
    }));
    logs.push(book(from, 60).log);
    logs
}

#[test]
fn pieces_of_any_length_say_what_the_whole_log_says() {
    let mut rng = Rng(5);
    for log in logs(1, 6 * effort()) {
        let whole = audit_at_once(&log);
        assert_eq!(whole.first_failure, None);
        for length in [3, 17, 1 + rng.below(60)] {
            let cuts: Vec<usize> = (length..log.len()).step_by(length).collect();
            let states = states(&log, &cuts);
            assert_eq!(states.len(), cuts.len());
            assert_eq!(audit_in_pieces(&log, &states), whole, "pieces of {length}");
        }
    }
}

#[test]
fn a_log_is_sound_from_each_of_its_states_on() {
    for log in logs(30, 3 * effort()) {
        let cuts: Vec<usize> = (1..log.len()).step_by(5).collect();
        let whole = audit_at_once(&log);
        for (size, lines) in states(&log, &cuts) {
            let from = audit_from(&log, size, &lines);
            assert_eq!(from.first_failure, None, "from {size}");
            let given = from.given.clone().unwrap();
            assert_eq!((given.size, from.entries), (size as u64, (log.len() - size) as u64));
            assert_eq!((from.open_rounds, from.used_shoes), (whole.open_rounds, whole.used_shoes));
            assert_eq!(
                (from.ledger.house, from.ledger.cage, from.ledger.rake),
                (whole.ledger.house, whole.ledger.cage, whole.ledger.rake)
            );
        }
    }
}

/// The entry that says so may lie before the state, or in another piece.
#[test]
fn a_log_that_goes_on_from_another_says_so_from_each_of_its_states_on() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/log-continued.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let sound = vectors["cases"].as_array().unwrap().iter().find(|case| case["check"].is_null()).unwrap();
    let line = |at: &Value| vectors["pool"][at.as_u64().unwrap() as usize].as_str().unwrap().as_bytes().to_vec();
    let log: Vec<Vec<u8>> = sound["new"]["entries"].as_array().unwrap().iter().map(line).collect();
    let claims = |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::ContinueLog { .. });
    let at = log.iter().position(claims).unwrap();
    let old = &sound["old"];
    let said = GoesOnFrom {
        origin: old["checkpoint"].as_str().unwrap().lines().next().unwrap().to_owned(),
        size: old["entries"].as_array().unwrap().len() as u64,
    };
    let new = || Book::new(Limits::default());
    assert_eq!(read_on(new(), &log[..at], 0).goes_on_from, None, "before it says so");
    let whole = read_on(new(), &log, 0);
    assert_eq!((&whole.first_failure, &whole.goes_on_from), (&None, &Some(said)));
    let states = states(&log, &(at + 1..log.len()).collect::<Vec<_>>());
    assert!(states.len() > 3, "{}", states.len());
    assert_eq!(read_in_pieces(new(), &log, &states), whole);
    for (size, lines) in &states {
        let from = read_on(Book::from(begin(&log, *size, lines).unwrap(), Limits::default()), &log, *size);
        assert_eq!((from.first_failure, from.goes_on_from), (None, whole.goes_on_from.clone()), "from {size}");
    }
}

/// A change of one number, flag or hash anywhere: what is found is the same in pieces, wherever they begin.
#[test]
fn what_is_changed_is_found_in_pieces_as_in_the_whole() {
    let mut rng = Rng(9);
    let mut found = 0;
    for log in logs(60, 2 * effort()) {
        for _ in 0..12 {
            let at = rng.below(log.len());
            let text = String::from_utf8(log[at].clone()).unwrap();
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let place = digits[rng.below(digits.len())];
            let mut text = text.into_bytes();
            text[place] = if text[place] == b'9' { b'1' } else { text[place] + 1 };
            let mut log = log.clone();
            log[at] = text;
            let whole = audit_at_once(&log);
            found += u64::from(whole.first_failure.is_some());
            hold_in_pieces(&log, &whole);
        }
    }
    assert!(found > 30, "{found}");
}

/// A shoe that is in use where a piece ends: what was said of it there is held against the seed that comes in the next.
#[test]
fn a_lie_before_a_piece_is_found_by_the_seed_in_it() {
    let log = crooked_book(Trick::OneSeedTwoPacks);
    let whole = audit_at_once(&log);
    let at = whole.first_failure.as_ref().and_then(|found| found.entry).unwrap() as usize;
    for cut in 1..=at {
        assert_eq!(audit_in_pieces(&log, &states(&log, &[cut])), whole, "cut at {cut}");
    }
    // Who begins behind the first use of the seed cannot know it again.
    let lines = states(&log, &[at]);
    assert_eq!(audit_from(&log, at, &lines[&at]).first_failure, None);
}

/// The void of a round that was in play where the log is read from: what it had paid is in the house's account already.
#[test]
fn a_round_that_was_in_play_at_the_state_ends_with_the_right_money() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    while house.table("t1").live_round().is_none() {
        house.deal_all("t1", &["alice", "bob"], 100);
        house.run_due();
    }
    let cut = house.log.len();
    let round_no = house.table("t1").live_round().unwrap().round_no;
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no, reason }).unwrap();
    house.run_due();
    let lines = states(&house.log, &[cut]);
    let from = audit_from(&house.log, cut, &lines[&cut]);
    assert_eq!(from.first_failure, None);
    let given = from.given.unwrap();
    assert_eq!((given.rounds, given.shoes, from.voids.total), (1, 1, 1));
}

/// Whoever hands out states need not be trusted: one that is another than the entries make does not begin the next
/// piece.
#[test]
fn a_lying_state_is_no_beginning() {
    let log = World::book(7).log;
    let cut = log.len() / 2;
    let all = states(&log, &[cut, cut + 1]);
    let mut piece = Piece::new();
    for (index, bytes) in log.iter().enumerate().take(cut) {
        assert!(piece.judge(Book::read(index as u64, bytes)).entry().is_some());
    }
    assert!(piece.leads_to(&begin(&log, cut, &all[&cut]).unwrap()).unwrap());
    // The state of another size, and this one under another size.
    let other = begin(&log, cut + 1, &all[&(cut + 1)]).unwrap();
    assert!(!piece.leads_to(&other).unwrap());
    assert!(!piece.leads_to(&begin(&log, cut + 1, &all[&cut]).unwrap()).unwrap());
    assert!(!piece.leads_to(&Piece::new()).unwrap());
    // One digit of it.
    let mut lied = 0;
    for (number, line) in all[&cut].iter().enumerate() {
        for (at, _) in line.char_indices().filter(|(_, c)| c.is_ascii_digit()).take(12) {
            let mut lines = all[&cut].clone();
            let digit = if &line[at..=at] == "9" { "1" } else { "9" };
            lines[number].replace_range(at..=at, digit);
            let Some(next) = begin(&log, cut, &lines) else { continue };
            assert!(!piece.leads_to(&next).unwrap() || lines == all[&cut], "{}", lines[number]);
            lied += 1;
        }
        // A line left out.
        let mut lines = all[&cut].clone();
        lines.remove(number);
        assert!(begin(&log, cut, &lines).is_none_or(|next| !piece.leads_to(&next).unwrap()));
    }
    assert!(lied > 20, "{lied}");
}

/// What no entry leaves in a state, under whatever root.
#[test]
fn what_no_state_says_is_no_beginning() {
    let null = |line: &str, field: &str| {
        let at = line.find(field).filter(|_| line.starts_with("[\"log\""))? + field.len();
        let end = at + 2 + line[at + 1..].find('"')?;
        Some(format!("{}null{}", &line[..at], &line[end..]))
    };
    let number = |line: &str, field: &str, to: &str| {
        let at = line.find(field)? + field.len();
        let end = at + line[at..].find(|c: char| !c.is_ascii_digit())?;
        Some(format!("{}{to}{}", &line[..at], &line[end..]))
    };
    let twice = |line: &str, field: &str| {
        let at = line.find(field)? + field.len();
        let end = at + line[at..].find('}')? + 1;
        Some(format!("{},{}", &line[..end], &line[at..]))
    };
    type Lie<'l> = &'l dyn Fn(&str) -> Option<String>;
    let lies: [(&str, Lie<'_>); 7] = [
        ("a number that no entry holds", &|line| number(line, "\"started\":", "9007199254740992")),
        ("a log without a name", &|line| null(line, "\"origin\":")),
        ("a dealer who never started", &|line| null(line, "\"epoch\":")),
        ("a seat before the first", &|line| number(line, "{\"seat\":", "0")),
        ("a seat behind the last", &|line| number(line, "{\"seat\":", "255")),
        ("a candidate more", &|line| twice(line, "\"candidates\":[")),
        ("somebody missing twice", &|line| twice(line, "\"missing\":[")),
    ];
    let mut told = [0; 7];
    for log in logs(60, 12) {
        for (size, lines) in states(&log, &(1..log.len()).step_by(9).collect::<Vec<_>>()) {
            for (number, line) in lines.iter().enumerate() {
                for ((what, lie), told) in lies.iter().zip(&mut told) {
                    let Some(lied) = lie(line) else { continue };
                    let mut lines = lines.clone();
                    lines[number] = lied;
                    assert!(begin(&log, size, &lines).is_none(), "{what}: {}", lines[number]);
                    *told += 1;
                }
            }
        }
    }
    assert!(told.iter().all(|told| *told > 0), "{told:?}");
}

/// A state is public: it holds no seed of the house that comes out later, in whatever spelling, and no face that is not
/// out.
#[test]
fn a_state_holds_no_seed_that_comes_out_later() {
    let mut later = 0;
    for seed in 1..16 {
        let log = World::book(seed).log;
        let all: Vec<usize> = (1..log.len()).collect();
        let states = states(&log, &all);
        for (at, entry) in entries(&log).into_iter().enumerate() {
            let seeds = entry.events.iter().flat_map(|event| match event {
                Event::ShoeRevealed { seeds, .. } => seeds.clone(),
                Event::RoundOpened { others, .. } => others.clone(),
                _ => Vec::new(),
            });
            let own = entry.events.iter().filter_map(|event| match event {
                Event::SeedRevealed { seed, .. } => Some(serde_json::to_string(seed).unwrap()),
                _ => None,
            });
            for text in seeds.map(|seed| serde_json::to_string(&seed).unwrap()).chain(own) {
                let shown = states
                    .range(..=at)
                    .find(|(_, lines)| lines.iter().any(|line| line.contains(text.trim_matches('"'))));
                assert!(
                    shown.is_none(),
                    "{text} comes out in entry {at}, the state of {:?} holds it",
                    shown.map(|(size, _)| size)
                );
                later += 1;
            }
        }
    }
    assert!(later > 100, "{later}");
}

/// A state whose root is right and which is not the one that the entries make cannot be: but its entries may be others
/// than the log's. The piece shows which it read.
#[test]
fn the_entries_that_a_state_leans_on_are_named() {
    let mut leaned = 0;
    for seed in 1..20 {
        let log = World::book(seed).log;
        let cut = log.len() / 2;
        let states = states(&log, &[cut]);
        let mut asked = Vec::new();
        let entry = &mut |index: u64| {
            asked.push(index);
            Entry::decode(&log[index as usize]).map_err(|e| e.to_string())
        };
        Piece::begin(cut as u64, states[&cut].iter().map(String::as_str), entry).unwrap();
        assert!(asked.iter().all(|index| *index < cut as u64));
        leaned += asked.len();
    }
    assert!(leaned > 20, "{leaned}");
}

#[test]
fn an_entry_is_taken_in_its_order_alone() {
    let log = World::book(3).log;
    let mut piece = Piece::new();
    let mut judged = log.iter().enumerate().map(|(index, bytes)| piece.judge(Book::read(index as u64, bytes)));
    let mut book = Book::new(Limits::default());
    book.take(judged.next().unwrap()).unwrap();
    let _ = judged.next();
    let finding = book.take(judged.next().unwrap()).unwrap_err();
    assert_eq!((finding.check, finding.entry), (Check::EntryOrder, Some(2)));
}
