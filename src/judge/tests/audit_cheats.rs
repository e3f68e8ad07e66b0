//! Cheats that take more than one entry, or show in a later one, each caught by the check that is named. Every entry is
//! encoded again after the change, so that only the meaning can give it away. What fits in one entry is in `lies`.

use crate::audit_common;
use crate::common;

use audit_common::crooked::{Trick, crooked_book};
use audit_common::edit::*;
use audit_common::*;
use common::*;
use fairshoe_fairness::{Card, ShoeCommitment, ShoeRoot, Slot};
use fairshoe_games::{Action, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, Lapsed, Reference};
use fairshoe_judge::audit::Check;
use std::sync::OnceLock;

/// An honest book in which everything happens.
fn honest() -> Vec<Entry> {
    static BOOK: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    entries(BOOK.get_or_init(|| {
        let mut house = book(3, 120);
        // A lapse of an open round, an insurance, a resumed round: by hand, so that no change of the dice loses them.
        let deal = |house: &mut House, name: &str, up: u16| {
            house.deal(name, "bob", 20, |cards| cards[0] == 10 && cards[1] == up && cards[2] == 6 && cards[3] < 10);
        };
        house.open("by-hand", &[("round_time_ms", "60000"), ("crash", "resume")]);
        deal(&mut house, "by-hand", 1);
        house.act("by-hand", "bob", Action::Insurance { take: true }).unwrap();
        house.crash();
        house.run_due();
        house.finish("by-hand", "bob");
        house.run_due();
        deal(&mut house, "by-hand", 9);
        house.now += 61_000;
        house.run_due();
        deal(&mut house, "by-hand", 9);
        let round_no = house.table("by-hand").live_round().unwrap().round_no;
        let reason = Reference::parse("table camera failed").unwrap();
        house.give(&Actor::Operator, Command::VoidRound { table: table("by-hand"), round_no, reason }).unwrap();
        house.run_due();
        let seed = house.any_seed("by-hand");
        house.bet("by-hand", "bob", 10, &seed).unwrap();
        house.now += DAY;
        house.run_due();
        house.log
    }))
}

fn dealt_slots(entry: &mut Entry) -> Vec<&mut Slot> {
    let slots = entry.events.iter_mut().filter_map(|event| match event {
        Event::Play(RoundEvent::Dealt { slot, .. }) => Some(slot),
        _ => None,
    });
    slots.collect()
}

/// All faces shown from the deal at `at` to the end of its shoe.
fn shown(book: &[Entry], at: usize) -> Vec<Card> {
    let table = book[at].at.as_ref().unwrap().table.clone();
    let mut cards = Vec::new();
    for entry in book[at..].iter().filter(|entry| entry.at.as_ref().is_some_and(|at| at.table == table)) {
        cards.extend(plays(entry).filter_map(|play| match play {
            RoundEvent::Dealt { card, .. } => *card,
            RoundEvent::Turned { card, .. } => Some(*card),
            _ => None,
        }));
        if has(entry, |event| matches!(event, Event::ShoeRevealed { .. })) {
            break;
        }
    }
    cards
}

fn first_face(entry: &mut Entry) -> &mut Card {
    match play_mut(entry, |play| matches!(play, RoundEvent::Dealt { card: Some(_), .. })) {
        RoundEvent::Dealt { card: Some(card), .. } => card,
        _ => unreachable!(),
    }
}

#[rustfmt::skip]
const CHEATS: &[(&str, Check, Change)] = &[
    ("shows another suit of the same rank", Check::FaceFalse, |book| {
        let at = (0..book.len()).find(|at| deals(&book[*at]) && {
            let all = shown(book, *at);
            "cdhs".chars().any(|suit| !all.contains(&Card::new(all[0].rank(), suit).unwrap()))
        }).unwrap();
        let all = shown(book, at);
        let free = "cdhs".chars().map(|suit| Card::new(all[0].rank(), suit).unwrap()).find(|card| !all.contains(card)).unwrap();
        *first_face(&mut book[at]) = free;
        at
    }),
    ("shows a card twice in one shoe", Check::CardTooOften, |book| {
        let at = (0..book.len()).find(|at| deals(&book[*at]) && {
            let all = shown(book, *at);
            book[*at].at.as_ref().unwrap().table.as_str() != "short" && all[1..].iter().any(|card| card.rank() == all[0].rank())
        }).unwrap();
        let all = shown(book, at);
        *first_face(&mut book[at]) = *all[1..].iter().find(|card| card.rank() == all[0].rank()).unwrap();
        // The card comes again in this entry or in one of the next: the entry that shows it again is at fault.
        let table = book[at].at.as_ref().unwrap().table.clone();
        let again = *first_face(&mut book[at]);
        let mut seen = 0;
        (at..book.len()).find(|at| {
            let here = book[*at].at.as_ref().is_some_and(|at| at.table == table);
            seen += plays(&book[*at]).filter(|play| here && matches!(play, RoundEvent::Dealt { card: Some(card), .. } | RoundEvent::Turned { card, .. } if *card == again)).count();
            seen > 1
        }).unwrap()
    }),
    ("drops an entry of a table", Check::TableSeq, |book| {
        let at = find(book, deals);
        let table = book[at].at.as_ref().unwrap().table.clone();
        book.remove(at);
        (at..book.len()).find(|at| book[*at].at.as_ref().is_some_and(|at| at.table == table)).unwrap()
    }),
    ("replaces the commitment of a shoe", Check::SeedOpens, |book| {
        let at = edit(book, |entry| matches!(entry.command, Command::CommitShoe { .. }), |entry| {
            if let Event::ShoeCommitted { candidates, .. } = &mut entry.events[0] { candidates[0].commitment = ShoeCommitment::from_bytes([9; 32]); }
        });
        let table = book[at].at.as_ref().unwrap().table.clone();
        (at..book.len()).find(|at| book[*at].at.as_ref().is_some_and(|at| at.table == table) && has(&book[*at], |event| matches!(event, Event::ShoeRevealed { .. }))).unwrap()
    }),
    ("replaces the root of a shoe", Check::RoundOpened, |book| {
        let at = edit(book, |entry| matches!(entry.command, Command::CommitShoe { .. }), |entry| {
            if let Event::ShoeCommitted { candidates, .. } = &mut entry.events[0] { candidates[0].root = ShoeRoot::from_bytes([9; 32]); }
        });
        let table = book[at].at.as_ref().unwrap().table.clone();
        (at..book.len()).find(|at| book[*at].at.as_ref().is_some_and(|at| at.table == table) && opens(&book[*at])).unwrap()
    }),
    ("uses an epoch again", Check::EpochReused, |book| {
        let first = match &book[0].command { Command::StartDealer { epoch, .. } => *epoch, _ => unreachable!() };
        let at = (1..book.len()).find(|at| matches!(book[*at].command, Command::StartDealer { .. })).unwrap();
        if let Command::StartDealer { epoch, .. } = &mut book[at].command { *epoch = first; }
        if let Event::DealerStarted { epoch, .. } = &mut book[at].events[0] { *epoch = first; }
        at
    }),
    ("starts under another log's name", Check::Origin, |book| {
        let at = (1..book.len()).find(|at| matches!(book[*at].command, Command::StartDealer { .. })).unwrap();
        if let Command::StartDealer { origin, .. } = &mut book[at].command { *origin = "other.example/log".parse().unwrap(); }
        at
    }),
    ("states a longer downtime", Check::Start, |book| {
        let at = (1..book.len()).find(|at| matches!(book[*at].command, Command::StartDealer { .. })).unwrap();
        if let Event::DealerStarted { down_ms, .. } = &mut book[at].events[0] { *down_ms += 1; }
        at
    }),
    ("deals on after a restart as if nothing had happened", Check::TableSeq, |book| {
        let at = find(book, |entry| matches!(entry.command, Command::Recover { .. }));
        let table = book[at].at.as_ref().unwrap().table.clone();
        book.remove(at);
        (at..book.len()).find(|at| book[*at].at.as_ref().is_some_and(|at| at.table == table)).unwrap()
    }),
    ("resumes a round with less time", Check::Resume, |book| edit(book, |entry| has(entry, |event| matches!(event, Event::RoundResumed { settle_by: Some(_), .. })), |entry| {
        if let Event::RoundResumed { settle_by: Some(settle_by), .. } = &mut entry.events[0] { *settle_by -= 1; }
    })),
];

#[test]
fn each_cheat_is_caught_by_its_check() {
    let mut missed = Vec::new();
    for (name, check, change) in CHEATS {
        let mut book = honest();
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

#[test]
fn the_honest_book_is_sound() {
    let log: Vec<Vec<u8>> = honest().iter().map(|entry| entry.encode().unwrap()).collect();
    assert_eq!(audit(&log).first_failure, None);
}

#[test]
fn what_is_refused_is_named() {
    let mut book = honest();
    let at = find(&book, |entry| matches!(entry.command, Command::Lapse { lapsed: Lapsed::Round, .. }));
    book[at].time = book[at - 1].time;
    let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
    let finding = failure(&log);
    assert!(finding.message.contains("deadline_ahead") && finding.message.contains("the deadline is at"), "{finding}");
    assert_eq!(finding.table.unwrap().as_str(), book[at].at.as_ref().unwrap().table.as_str());
}

/// Both are out of place; the words tell one from the other.
#[test]
fn an_entry_that_is_missing_is_told_from_one_that_comes_again() {
    let honest = entries(&book(3, 40).log);
    let says = |change: Change| {
        let mut changed = honest.clone();
        change(&mut changed);
        let log: Vec<Vec<u8>> = changed.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = failure(&log);
        assert_eq!(finding.check, Check::TableSeq, "{finding}");
        finding.message
    };
    let missing = says(|book| {
        let at = find(book, deals);
        book.remove(at);
        at
    });
    assert!(missing.ends_with("entries before it are missing"), "{missing}");
    let again = says(|book| {
        let at = find(book, deals);
        book.insert(at + 1, book[at].clone());
        at + 1
    });
    assert!(again.ends_with("its place is taken already"), "{again}");
}

#[test]
fn bytes_have_one_form() {
    let log: Vec<Vec<u8>> = honest().iter().map(|entry| entry.encode().unwrap()).collect();
    let change = |at: usize, with: fn(&str) -> String| {
        let mut log = log.clone();
        log[at] = with(std::str::from_utf8(&log[at]).unwrap()).into_bytes();
        let finding = failure(&log);
        assert_eq!(finding.entry, Some(at as u64));
        finding.check
    };
    assert_eq!(change(3, |text| text.replacen(',', ", ", 1)), Check::CanonicalForm);
    assert_eq!(change(3, |text| text.replacen("\"v\":1", "\"v\":1,\"before\":[]", 1)), Check::CanonicalForm);
    assert_eq!(change(3, |text| format!("{text}{{}}")), Check::EntryForm);
    assert_eq!(change(3, |text| text.replacen("\"v\":1", "\"v\":2", 1)), Check::EntryForm);
    assert_eq!(change(3, |text| text.replacen("\"v\":1", "\"v\":1,\"note\":1", 1)), Check::EntryForm);
    assert_eq!(change(3, |_| String::new()), Check::EntryForm);
    let long = |_: &str| "9".repeat(70_000);
    assert_eq!(change(3, long), Check::EntryForm);
}

#[test]
fn a_house_that_lies_from_the_start_is_found_when_the_seed_comes_out() {
    for (trick, check) in [
        (Trick::FiveAces, Check::ShoeRoot),
        (Trick::SwapsAtDeal, Check::FaceFalse),
        (Trick::LiesAboutThePeek, Check::PeekFalse),
        (Trick::OtherSeed, Check::SeedOpens),
        (Trick::OtherRoot, Check::ShoeRoot),
        (Trick::NoAces, Check::ShoeRoot),
        (Trick::OneSeed, Check::RootReused),
        (Trick::OneSeedTwoPacks, Check::SeedReused),
    ] {
        assert_eq!(failure(&crooked_book(trick)).check, check);
    }
    both_refused_by(&[Check::PeekFalse]);
}

#[test]
fn an_operator_who_voids_is_listed_and_not_accused() {
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 10, |cards| cards[0] == 10 && cards[2] == 10 && cards[1] == 5);
    let reason = Reference::parse("spilled coffee").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no: 0, reason }).unwrap();
    let report = audit(&house.log);
    assert_eq!(report.first_failure, None);
    assert_eq!((report.voids.total, report.voids.by_ahead["players"], report.voids.by_cause["malfunction"]), (1, 1, 1));
}

/// An event that differs is named by what it is, not by what its being different brings about.
#[test]
fn an_event_that_differs_is_found_by_its_own_check() {
    let turns = |entry: &Entry| plays(entry).any(|play| matches!(play, RoundEvent::Turned { .. }));
    let peeks = |entry: &Entry| plays(entry).any(|play| matches!(play, RoundEvent::Peeked { .. }));
    let turned = |entry: &mut Entry, change: fn(&mut Option<u16>, &mut Slot)| {
        if let RoundEvent::Turned { pile, slot, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Turned { .. }))
        {
            change(pile, slot);
        }
    };
    let found = |what: Find, change: &dyn Fn(&mut Entry)| {
        let mut book = honest();
        let at = find(&book, what);
        change(&mut book[at]);
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = failure(&log);
        assert_eq!(finding.entry, Some(at as u64), "{finding}");
        finding.check
    };
    assert_eq!(found(turns, &|entry| turned(entry, |pile, _| *pile = Some(0))), Check::DealtSlot);
    assert_eq!(found(turns, &|entry| turned(entry, |_, slot| slot.0 ^= 1)), Check::DealtSlot);
    let other_slot = |entry: &mut Entry| {
        if let RoundEvent::Peeked { slot, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Peeked { .. })) {
            slot.0 ^= 1;
        }
    };
    assert_eq!(found(peeks, &other_slot), Check::Peek);
    // A card is due and another is turned up in its stead: the order is wrong, and no face that lies hidden is shown.
    let turned_instead = |entry: &mut Entry| {
        let play = play_mut(entry, |play| matches!(play, RoundEvent::Dealt { card: Some(_), .. }));
        if let RoundEvent::Dealt { slot, card: Some(card), .. } = *play {
            *play = RoundEvent::Turned { pile: None, slot, card };
        }
    };
    assert_eq!(found(deals, &turned_instead), Check::EventOrder);
}

/// However soon it happens: who passes a table over after a start hides its shoe and its bets.
#[test]
fn an_entry_before_every_table_is_put_in_order_after_a_start_is_a_cheat() {
    let mut house = House::with_table(&[], 100);
    // The house itself refuses it after the start: it is decided before.
    let credit = Command::Credit { player: player("alice"), amount: chips(5), reference: None };
    let mut entry = house.state.decide(house.dealer.as_ref(), house.now, &Actor::Operator, &credit).unwrap();
    house.crash();
    entry.time = house.state.last_time();
    house.log.push(entry.encode().unwrap());
    let finding = failure(&house.log);
    assert_eq!((finding.check, finding.entry), (Check::Recovery, Some(house.log.len() as u64 - 1)), "{finding}");
}

#[test]
fn a_finding_says_what_the_rules_demand_and_what_is_there() {
    let says = |what: Find, change: fn(&mut Entry)| {
        let mut book = honest();
        let at = edit(&mut book, what, change);
        let log: Vec<Vec<u8>> = book[..=at].iter().map(|entry| entry.encode().unwrap()).collect();
        failure(&log).message
    };
    let opens_table = |entry: &Entry| matches!(entry.command, Command::OpenTable { .. });
    let digest = says(opens_table, |entry| {
        if let Event::TableOpened { digest, .. } = &mut entry.events[0] {
            *digest = "0".repeat(64);
        }
    });
    assert!(
        digest.contains("the rule set's digest is") && digest.ends_with(&format!("the log states {}", "0".repeat(64))),
        "{digest}"
    );
    let shown = says(opens_table, |entry| {
        if let Event::TableOpened { rules, .. } = &mut entry.events[0] {
            rules.table.stake_max = chips(7);
        }
    });
    assert!(shown.ends_with("the rules shown are not the ones asked for"), "{shown}");
    let slot = says(deals, |entry| {
        *dealt_slots(entry)[0] = dealt_slots(entry)[1].to_owned();
    });
    let first = honest()[find(&honest(), deals)].clone();
    let face = plays(&first)
        .find_map(|play| if let RoundEvent::Dealt { card, .. } = play { Some(*card) } else { None })
        .unwrap();
    let face = face.map_or_else(|| "nothing".to_owned(), |card| card.to_string());
    assert!(slot.ends_with(&format!("(shown: {face})")), "{slot}");
    let one_more = |entry: &mut Entry| {
        if let RoundEvent::Paid { lines } = play_mut(entry, |play| matches!(play, RoundEvent::Paid { .. })) {
            let last = lines.last_mut().unwrap();
            last.returned = chips(last.returned.units() + 1);
        }
    };
    let paid = says(pays, one_more);
    assert!(paid.contains(" returns ") && paid.contains(", the log pays "), "{paid}");
    let doubled = |entry: &mut Entry| {
        if let RoundEvent::Paid { lines } = play_mut(entry, |play| matches!(play, RoundEvent::Paid { .. })) {
            lines.push(lines[0].clone());
        }
    };
    let paid = says(pays, doubled);
    assert!(paid.contains("wagers are settled here, the log settles "), "{paid}");
    let moved = says(pays, |entry| {
        if let Event::Posted { lines } = event_mut(entry, |event| matches!(event, Event::Posted { .. })) {
            lines.last_mut().unwrap().2 += 1;
        }
    });
    assert!(moved.contains("the money moves ") && moved.contains(", the log says "), "{moved}");
    let added = says(pays, |entry| {
        if let Event::Posted { lines } = event_mut(entry, |event| matches!(event, Event::Posted { .. })) {
            lines.push(lines[0].clone());
        }
    });
    assert!(added.contains(" accounts move here, the log moves "), "{added}");
}
