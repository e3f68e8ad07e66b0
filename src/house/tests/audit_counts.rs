//! What a report counts, held against the entries themselves; and what others hold for the book and give back to it.

use crate::audit_common;
use crate::common;

use audit_common::crooked::{Trick, crooked_book};
use audit_common::{audit, book, failure};
use common::crowd::Crowd;
use common::rng::Rng;
use common::rooms::one_hand;
use common::shared::*;
use common::*;
use fairshoe_fairness::{Master, ServerSeed};
use fairshoe_house::audit::{Book, Check, Finding, Limits, OwedHand, Report, Results, ShoeVerdict, VoidResult};
use fairshoe_house::{Actor, Command, Dealer, Event, PlayerKey, Reference, SeedDealer, ShoeId, VoidCause};

fn report_of(log: &[Vec<u8>], limits: Limits) -> Report {
    let mut book = Book::new(limits);
    for (index, bytes) in (0..).zip(log) {
        book.feed(index, bytes).unwrap();
    }
    book.finish()
}

/// So many hands of poker by chance, one of which an auditor has looked at.
fn hands_of_poker(hands: usize) -> House {
    let (mut house, mut rng) = (House::room("holdem", &[]), Rng(3));
    for _ in 0..hands {
        one_hand(&mut house, &mut rng, true);
    }
    house.run_due();
    let reason = Reference::parse("dispute 7").unwrap();
    house.give(&Actor::Auditor(player("olga")), Command::DiscloseShoe { table: table("t1"), shoe_no: 0, reason }).unwrap();
    house
}

#[test]
fn each_count_is_that_of_the_events_on_the_log() {
    let mut crowd = Crowd::new(1, true);
    crowd.steps(500);
    let (mut seen, mut results) = ([0; 14], Results::default());
    for house in [crowd.house, book(5, 100), hands_of_poker(25)] {
        let (report, log) = (audit(&house.log), entries(&house.log));
        assert_eq!(report.first_failure, None);
        let events: Vec<Event> = log.into_iter().flat_map(|entry| entry.events).collect();
        let count = |name: &str| events.iter().filter(|event| name_of(event) == name).count() as u64;
        let counted = [
            (report.starts, "dealer_started"),
            (report.players, "player_created"),
            (report.tables, "table_opened"),
            (report.shoes, "shoe_committed"),
            (report.shoes_revealed, "shoe_revealed"),
            (report.shoes_sealed, "shoe_sealed"),
            (report.shoes_disclosed, "shoe_disclosed"),
            (report.rounds, "bets_closed"),
            (report.settled, "round_settled"),
            (report.voids.total, "round_voided"),
            (report.voids.by_cause.values().sum(), "round_voided"),
            (report.voids.by_ahead.values().sum(), "round_voided"),
            (report.windows_lapsed, "bets_lapsed"),
            (report.cooldowns, "cooldown"),
        ];
        for ((counted, name), seen) in counted.into_iter().zip(&mut seen) {
            assert_eq!(counted, count(name), "{name}");
            *seen += counted;
        }
        let retired = events.iter().filter(|event| matches!(event, Event::ShoeRevealed { cause: Some(_), .. })).count() as u64;
        assert_eq!(report.shoes_by_cause.values().sum::<u64>(), retired);
        let (mut own, mut sums) = (Results::default(), (0, 0));
        for event in &events {
            let Event::RoundSettled { staked, ret, .. } = event else { continue };
            sums = (sums.0 + staked.signed(), sums.1 + ret.signed());
            match ret.signed() - staked.signed() {
                net if net > 0 => own.players += 1,
                net if net < 0 => own.house += 1,
                _ => own.level += 1,
            }
        }
        assert_eq!((report.staked, report.ret), sums);
        // The pots of poker are no result against the house.
        let of_poker = report.shoes_sealed > 0;
        assert_eq!(report.results, if of_poker { Results::default() } else { own });
        assert_eq!(report.results.total(), if of_poker { 0 } else { report.settled });
        results.players += report.results.players.min(1);
        results.house += report.results.house.min(1);
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    assert_eq!((results.players, results.house), (2, 2));
}

#[test]
fn the_report_counts_what_the_operator_does_about_keys_and_what_nobody_signed_in_spite_of_one() {
    let mut house = House::new();
    let key = house.pen("alice", 1);
    house.give(&Actor::Operator, Command::CreatePlayer { player: player("alice"), key: Some(key) }).unwrap();
    house.credit("alice", 10_000).unwrap();
    house.add_player("bob", 10_000);
    let keys = |house: &House| {
        let report = audit(&house.log);
        assert_eq!(report.first_failure, None);
        (report.keys.by_operator, report.keys.unsigned)
    };
    let token = |who: &str| Command::IssueToken { holder: format!("player:{who}").parse().unwrap(), revoke: true };
    let correct = |who: &str| Command::Correct { player: player(who), amount: chips(5), reason: Reference::parse("dispute 7").unwrap() };
    // Who has no key signs nothing, and who signs is no case.
    house.withdraw("bob", 5).unwrap();
    house.give(&Actor::Operator, token("bob")).unwrap();
    house.give(&Actor::Operator, correct("bob")).unwrap();
    house.give(&by("alice"), token("alice")).unwrap();
    assert_eq!(keys(&house), (0, 0));
    house.give(&Actor::Operator, token("alice")).unwrap();
    assert_eq!(keys(&house), (0, 1));
    house.give(&Actor::Operator, correct("alice")).unwrap();
    assert_eq!(keys(&house), (0, 2));
    assert_eq!(audit(&house.log).ledger.corrected, 10);
    // A key of their own choice is the operator's business as little as a new player's.
    let other = Some(PlayerKey::from_bytes(fairshoe_tlog::SecretKey::from_seed(&[2; 32]).public_key()));
    house.give(&by("alice"), Command::SetKey { player: player("alice"), key: other, reason: None }).unwrap();
    assert_eq!(keys(&house), (0, 2));
    let reason = Some(Reference::parse("lost").unwrap());
    house.give(&Actor::Operator, Command::SetKey { player: player("alice"), key: None, reason }).unwrap();
    assert_eq!(keys(&house), (1, 2));
}

#[test]
fn rule_sets_of_their_own_are_listed_by_their_rounds_and_those_with_a_shipped_name_first() {
    let mut house = House::new();
    house.add_player("alice", 10_000);
    let mut own = joy(&[("stake_max", "900")]);
    own.name = "house-rules".into();
    let mut other = joy(&[("stake_max", "800")]);
    other.name = "other-rules".into();
    let shipped = fairshoe_games::RuleSet::shipped("live-blackjack").unwrap();
    for (at, rules) in [("a", own.clone()), ("b", other.clone()), ("c", other), ("d", rules("roulette", &[("spins", "4")])), ("e", shipped)]
    {
        house.open_rules(at, rules);
    }
    for (at, hands) in [("a", 2), ("b", 1), ("c", 2)] {
        for _ in 0..hands {
            house.deal(at, "alice", 10, |_| true);
            house.finish(at, "alice");
            house.run_due();
        }
    }
    let report = audit(&house.log);
    let listed: Vec<_> = report
        .own_rules_listed
        .iter()
        .map(|own| (own.rules.as_str(), own.has_shipped_name, own.of_tables, own.tables.len(), own.rounds))
        .collect();
    assert_eq!(listed, [("roulette", true, 1, 1, 0), ("other-rules", false, 2, 2, 3), ("house-rules", false, 1, 1, 2)]);
    assert_eq!((report.own_rules, report.renamed, report.tables), (3, 1, 5));
    let renamed: Vec<_> = report.renamed_listed.iter().map(|renamed| (renamed.table.as_str(), renamed.rules.as_str())).collect();
    assert_eq!(renamed, [("d", "roulette")]);
    // Lists end where the limits say; counts do not.
    house.open_rules("f", rules("roulette", &[("spins", "5")]));
    let report = report_of(&house.log, Limits { listed: 1, ..Limits::default() });
    assert_eq!((report.own_rules, report.own_rules_listed.len()), (4, 1));
    assert_eq!((report.renamed, report.renamed_listed.len()), (2, 1));
}

#[test]
fn tables_where_seeds_stayed_away_are_listed_and_the_others_are_counted() {
    let mut house = House::new();
    house.add_player("alice", 10_000);
    for (at, withheld) in [("a", 1), ("b", 0), ("c", 2), ("d", 1)] {
        house.open(at, &[]);
        house.deal(at, "alice", 10, |_| true);
        house.finish(at, "alice");
        house.run_due();
        for _ in 0..withheld {
            let seed = house.any_seed(at);
            house.bet(at, "alice", 10, &seed).unwrap();
            let by_when = house.state.next_deadline().unwrap();
            house.wait(by_when - house.now);
            house.run_due();
        }
    }
    let withheld = audit(&house.log).withheld;
    let listed: Vec<_> = withheld.tables.iter().map(|at| (at.table.as_str(), at.rounds, at.withheld)).collect();
    assert_eq!(listed, [("c", 3, 2), ("a", 2, 1), ("d", 2, 1)]);
    assert_eq!((withheld.total, withheld.of_tables), (4, 4));
    assert_eq!(report_of(&house.log, Limits { listed: 1, ..Limits::default() }).withheld.tables.len(), 1);
}

#[test]
fn shoes_in_use_are_listed_with_those_first_that_were_played_from() {
    let mut house = House::new();
    house.add_player("alice", 10_000);
    for at in ["a", "b", "c", "d"] {
        house.open(at, &[]);
    }
    for at in ["b", "d"] {
        house.deal(at, "alice", 10, |cards| cards[0] == 5 && cards[1] == 6);
    }
    let report = audit(&house.log);
    let listed: Vec<_> = report.open_shoes_listed.iter().map(|shoe| (shoe.table.as_str(), shoe.rounds, shoe.live_round)).collect();
    assert_eq!(listed, [("b", 1, Some(0)), ("d", 1, Some(0)), ("a", 0, None), ("c", 0, None)]);
    assert_eq!((report.used_shoes, report.open_shoes, report.open_rounds), (2, 4, 2));
    assert_eq!(report.open_rounds_listed, ["b:0", "d:0"]);
    assert!(!report.is_complete());
}

/// Roots and seeds are somebody else's to hold against each other; what that one finds counts like a finding of the book's.
#[test]
fn who_holds_roots_and_seeds_apart_from_the_book_finds_what_it_would_have() {
    let log = crooked_book(Trick::OneSeedTwoPacks);
    let mut book = Book::new(Limits { once_apart: true, ..Limits::default() });
    let mut all = Vec::new();
    for (index, bytes) in (0..).zip(&log) {
        book.feed(index, bytes).unwrap();
        all.extend(book.take_once());
    }
    assert!(book.take_once().is_empty());
    let again = all.iter().enumerate().find_map(|(nth, once)| {
        let first = all[..nth].iter().find(|first| (first.kind, first.value) == (once.kind, once.value) && !first.is_of_the_same(once))?;
        Some(once.again(first.entry))
    });
    book.came_again(again.unwrap());
    assert_eq!(book.finish().first_failure, Some(failure(&log)));
}

/// A verdict that finds something in an entry, and the book that waits for it.
fn waiting_verdict() -> (Book, ShoeVerdict, u64) {
    let mut book = Book::new(Limits { waiting_checks: usize::MAX, ..Limits::default() });
    for (index, bytes) in (0..).zip(&crooked_book(Trick::OtherSeed)) {
        book.feed(index, bytes).unwrap();
        if let Some(verdict) = book.take_checks().into_iter().map(|check| check.run()).next() {
            let entry = verdict.finding().unwrap().entry.unwrap();
            return (book, verdict, entry);
        }
    }
    panic!("no shoe came out");
}

#[test]
fn of_several_findings_the_earliest_counts_and_of_one_entry_that_of_roots_and_seeds() {
    let of = |entry: u64, what: &str| Finding::at(Check::SeedReused, entry, None, what);
    let (_, _, entry) = waiting_verdict();
    for (found, first) in [(entry - 1, Check::SeedReused), (entry, Check::SeedReused), (entry + 1, Check::SeedOpens)] {
        let (mut book, verdict, _) = waiting_verdict();
        book.came_again(of(found, "first"));
        assert_eq!(book.give_back(verdict).unwrap_err().check, Check::SeedOpens);
        assert_eq!(book.finish().first_failure.unwrap().check, first, "found in {found}");
        let (mut book, verdict, _) = waiting_verdict();
        book.give_back(verdict).unwrap_err();
        book.came_again(of(found, "second"));
        assert_eq!(book.finish().first_failure.unwrap().check, first, "found in {found}");
    }
}

/// Hands of poker that a crash ended, as many as asked for, on their flops.
fn ended_hands(hands: usize) -> House {
    let mut house = House::room("holdem", &[]);
    for _ in 0..hands {
        house.deal_hand("t1");
        for action in [fairshoe_games::Action::Call, fairshoe_games::Action::Call, fairshoe_games::Action::Check] {
            let who = house.asked("t1").remove(0);
            house.choose("t1", &who, action).unwrap();
        }
        house.crash();
        house.run_due();
    }
    house
}

fn seeds_of(hand: &OwedHand) -> Vec<ServerSeed> {
    let dealer = SeedDealer::new(Master::from_bytes(MASTER));
    let id: &ShoeId = &hand.shoe().id;
    [0, 1].map(|candidate| dealer.seed(id, candidate).unwrap()).into()
}

#[test]
fn a_hand_that_the_house_ended_is_owed_and_is_finished_once_its_seeds_are_given() {
    let house = ended_hands(2);
    let mut book = Book::new(Limits::default());
    for (index, bytes) in (0..).zip(&house.log) {
        book.feed(index, bytes).unwrap();
    }
    let report = book.report();
    assert_eq!((report.hands_owed, report.hands_seen, report.voids.total, report.voids.computable), (2, 0, 2, 0));
    let why = |void: &VoidResult| void.not_computable.clone().unwrap_or_default().into_owned();
    assert!(report.voids.listed.iter().all(|void| why(void) == "the shoe is sealed: folded hands stay private"));
    let mut owed = book.take_owed();
    assert_eq!((owed.len(), book.take_owed().len()), (2, 0));
    // Fewer seeds than candidates are none; the hand can still be asked for.
    let second = owed.pop().unwrap();
    let seeds = seeds_of(&second);
    let second = second.finish(seeds[..1].to_vec()).err().unwrap();
    book.give_disclosed(second.finish(seeds).ok().unwrap()).unwrap();
    let report = book.report();
    assert_eq!((report.hands_owed, report.hands_seen, report.voids.total, report.voids.computable), (2, 1, 2, 1));
    // The other one is listed as it was.
    let listed: Vec<_> =
        report.voids.listed.iter().map(|void| (void.cause, void.default_play_net, void.not_computable.is_some())).collect();
    assert_eq!(listed, [(VoidCause::Crash, None, true), (VoidCause::Crash, Some(-30), false)]);
    // What the players together would have lost is the rake.
    assert_eq!(report.voids.by_house, Results { house: 1, ..Results::default() });
    // Another hand's seeds are not those committed.
    let first = owed.pop().unwrap();
    let other = [0x11, 0x12].map(|byte| ServerSeed::from_bytes([byte; 32])).into();
    assert_eq!(book.give_disclosed(first.finish(other).ok().unwrap()).unwrap_err().check, Check::SeedOpens);
    assert_eq!(book.finish().first_failure.unwrap().check, Check::SeedOpens);
}

#[test]
fn of_the_hands_owed_as_many_are_kept_as_the_limits_allow() {
    let house = ended_hands(3);
    for listed in [0, 2, 3, 9] {
        let mut book = Book::new(Limits { listed, ..Limits::default() });
        for (index, bytes) in (0..).zip(&house.log) {
            book.feed(index, bytes).unwrap();
        }
        assert_eq!((book.report().hands_owed, book.take_owed().len()), (3, listed.min(3)));
    }
}
