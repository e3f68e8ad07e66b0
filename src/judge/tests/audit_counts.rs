//! What a report counts, held against the entries themselves; and what others hold for the book and give back to it.

use crate::audit_common;
use crate::common;

use audit_common::crooked::{Trick, crooked_book};
use audit_common::{audit, book, bundle, failure};
use common::crowd::Crowd;
use common::rng::Rng;
use common::rooms::one_hand;
use common::shared::*;
use common::*;
use fairshoe_fairness::{Master, ServerSeed};
use fairshoe_games::{Action, ActionKind, MAX_CHIPS};
use fairshoe_house::{
    Actor, Command, Dealer, Entry, Event, PlayerKey, Reference, SeedDealer, SeenCheckpoint, ShoeId, VoidCause,
};
use fairshoe_judge::audit::{
    AuditReport, Book, Check, Finding, LedgerBook, Limits, Once, OnceKind, OwedHand, Results, ShoeVerdict, VoidResult,
};
use fairshoe_judge::bundle::verify;

fn report_of(log: &[Vec<u8>], limits: Limits) -> AuditReport {
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
    house
        .give(&Actor::Auditor(player("olga")), Command::DiscloseShoe { table: table("t1"), shoe_no: 0, reason })
        .unwrap();
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
        let count = |names: &str| {
            events.iter().filter(|event| names.split(' ').any(|name| name == name_of(event))).count() as u64
        };
        let counted = [
            (report.starts, "dealer_started"),
            (report.players, "player_created"),
            (report.tables, "table_opened"),
            (report.shoes, "shoe_committed"),
            (report.shoes_revealed, "shoe_revealed"),
            (report.shoes_sealed, "shoe_sealed"),
            (report.shoes_disclosed, "shoe_disclosed"),
            (report.rounds, "bets_closed hand_begun"),
            (report.settled, "round_settled"),
            (report.voids.total, "round_voided"),
            (report.voids.by_cause.values().sum(), "round_voided"),
            (report.voids.by_ahead.values().sum(), "round_voided"),
            (report.windows_lapsed, "bets_lapsed call_lapsed"),
            (report.cooldowns, "cooldown"),
        ];
        for ((counted, name), seen) in counted.into_iter().zip(&mut seen) {
            assert_eq!(counted, count(name), "{name}");
            *seen += counted;
        }
        let retired =
            events.iter().filter(|event| matches!(event, Event::ShoeRevealed { cause: Some(_), .. })).count() as u64;
        assert_eq!(report.shoes_by_cause.values().sum::<u64>(), retired);
        let (mut own, mut sums) = (Results::default(), (0, 0));
        for event in &events {
            let Event::RoundSettled { staked, returned, .. } = event else { continue };
            sums = (sums.0 + staked.signed(), sums.1 + returned.signed());
            match returned.signed() - staked.signed() {
                net if net > 0 => own.players += 1,
                net if net < 0 => own.house += 1,
                _ => own.level += 1,
            }
        }
        assert_eq!((report.staked, report.returned), (sums.0.into(), sums.1.into()));
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
    let correct = |who: &str| Command::Correct {
        player: player(who),
        amount: chips(5),
        reason: Reference::parse("dispute 7").unwrap(),
    };
    // A player who has no key signs nothing, and one who signs is no case.
    house.withdraw("bob", 5).unwrap();
    house.give(&Actor::Operator, token("bob")).unwrap();
    house.give(&Actor::Operator, correct("bob")).unwrap();
    house.give(&by("alice"), token("alice")).unwrap();
    assert_eq!(keys(&house), (0, 0));
    house.give(&Actor::Operator, token("alice")).unwrap();
    assert_eq!(keys(&house), (0, 1));
    house.give(&Actor::Operator, correct("alice")).unwrap();
    assert_eq!(keys(&house), (0, 2));
    assert_eq!(audit(&house.log).ledger.corrected, 10.into());
    // A key of their own choice is the operator's business as little as a new player's.
    let other = Some(PlayerKey::from_bytes(fairshoe_tlog::SecretKey::from_seed(&[2; 32]).public_key()));
    house.give(&by("alice"), Command::SetKey { player: player("alice"), key: other, reason: None }).unwrap();
    assert_eq!(keys(&house), (0, 2));
    let reason = Some(Reference::parse("lost").unwrap());
    house.give(&Actor::Operator, Command::SetKey { player: player("alice"), key: None, reason }).unwrap();
    assert_eq!(keys(&house), (1, 2));
    // What an entry had to be signed with is the key at its own time: a change of the operator's comes into force
    // without an entry.
    house.now += HOUR;
    let reason = Some(Reference::parse("asked for").unwrap());
    house.give(&Actor::Operator, Command::SetKey { player: player("bob"), key: other, reason }).unwrap();
    house.now += 23 * HOUR;
    house.withdraw("alice", 5).unwrap();
    assert_eq!(keys(&house), (2, 2));
    house.now += HOUR;
    house.give(&Actor::Operator, correct("bob")).unwrap();
    assert_eq!(keys(&house), (2, 3));
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
    for (at, rules) in [
        ("a", own.clone()),
        ("b", other.clone()),
        ("c", other),
        ("d", rules("roulette", &[("spins", "4")])),
        ("e", shipped),
    ] {
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
    let renamed: Vec<_> =
        report.renamed_listed.iter().map(|renamed| (renamed.table.as_str(), renamed.rules.as_str())).collect();
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
    for at in ["a", "b", "c", "d", "e"] {
        house.open(at, &[]);
    }
    for at in ["b", "d"] {
        house.deal(at, "alice", 10, |cards| cards[0] == 5 && cards[1] == 6 && cards[2] == 6);
    }
    let report = audit(&house.log);
    let shoes = report.open_shoes_listed.iter();
    let listed: Vec<_> =
        shoes.map(|shoe| (shoe.table.as_str(), shoe.rounds, shoe.live_round, shoe.cards_shown)).collect();
    assert_eq!(
        listed,
        [("b", 1, Some(0), 3), ("d", 1, Some(0), 3), ("a", 0, None, 0), ("c", 0, None, 0), ("e", 0, None, 0)]
    );
    assert_eq!((report.used_shoes, report.open_shoes, report.open_rounds), (2, 5, 2));
    assert_eq!(report.open_rounds_listed, ["b:0", "d:0"]);
    assert!(!report.is_complete());
}

/// Roots and seeds are somebody else's to hold against each other; what that one finds counts like a finding of the
/// book's.
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
        let first = all[..nth]
            .iter()
            .find(|first| (first.kind, first.value) == (once.kind, once.value) && !first.is_of_the_same(once))?;
        Some(once.again(first.entry))
    });
    book.came_again(again.unwrap());
    assert_eq!(book.finish().first_failure, Some(failure(&log)));
}

/// What a hand of poker publishes as it is dealt is the seed of the deck that is not.
#[test]
fn roots_and_seeds_are_handed_out_as_they_stand_on_the_log() {
    let house = hands_of_poker(12);
    let mut book = Book::new(Limits { once_apart: true, ..Limits::default() });
    let (mut all, mut expected, mut picked) = (Vec::new(), Vec::new(), [0; 2]);
    for (index, bytes) in (0..).zip(&house.log) {
        book.feed(index, bytes).unwrap();
        all.extend(
            book.take_once()
                .into_iter()
                .map(|once| (once.kind, once.value, once.entry, once.place, once.shoe_no, once.candidate)),
        );
        let mut place = 0;
        let mut put = |kind, value, shoe_no, candidate| {
            expected.push((kind, value, index, place, shoe_no, candidate));
            place += 1;
        };
        for event in Entry::decode(bytes).unwrap().events {
            match event {
                Event::ShoeCommitted { shoe_no, candidates, .. } => {
                    put(OnceKind::Root, *candidates[0].root.as_bytes(), shoe_no, 0);
                    put(OnceKind::Root, *candidates[1].root.as_bytes(), shoe_no, 1);
                }
                Event::RoundOpened { pick, others, .. } => {
                    picked[usize::from(pick)] += 1;
                    let in_use = last_shoe(&house.log[..=index as usize]);
                    put(OnceKind::Seed, *others[0].as_bytes(), in_use, 1 - pick);
                }
                Event::ShoeRevealed { shoe_no, seeds, .. } => {
                    put(OnceKind::Seed, *seeds[0].as_bytes(), shoe_no, 0);
                    put(OnceKind::Seed, *seeds[1].as_bytes(), shoe_no, 1);
                }
                _ => {}
            }
        }
    }
    assert!(picked.iter().all(|count| *count > 0), "{picked:?}");
    assert_eq!(all, expected);
}

/// The number of the shoe that was committed last.
fn last_shoe(log: &[Vec<u8>]) -> u64 {
    let events = entries(log).into_iter().rev().flat_map(|entry| entry.events);
    events
        .filter_map(|event| if let Event::ShoeCommitted { shoe_no, .. } = event { Some(shoe_no) } else { None })
        .next()
        .unwrap()
}

/// The seed published for the deck that is not dealt would show the one that is.
#[test]
fn two_candidates_of_a_shoe_with_one_root_or_one_commitment_are_found_as_they_are_committed() {
    let house = hands_of_poker(1);
    for one_root in [true, false] {
        let mut book = entries(&house.log);
        let commits = |entry: &Entry| entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. }));
        let at = book.iter().position(commits).unwrap();
        for event in &mut book[at].events {
            let Event::ShoeCommitted { candidates, .. } = event else { continue };
            match one_root {
                true => candidates[1].root = candidates[0].root,
                false => candidates[1].commitment = candidates[0].commitment,
            }
        }
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let finding = failure(&log);
        assert_eq!((finding.check, finding.entry), (Check::RootReused, Some(at as u64)), "{finding}");
        assert!(
            finding.message.starts_with("candidates 0 and 1 of shoe 0 have one root or one commitment"),
            "{finding}"
        );
    }
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

/// Hands of poker of three players that a crash ended, as many as asked for, each after a bet on the flop.
fn ended_hands(hands: usize) -> House {
    let mut house = House::room("holdem", &[]);
    for _ in 0..hands {
        house.deal_hand("t1");
        for action in [Action::Call, Action::Call, Action::Check] {
            let who = house.asked("t1").remove(0);
            house.choose("t1", &who, action).unwrap();
        }
        // What was bet is called by whoever is asked, in the auditor's finish: a fold would decide who wins.
        let (who, offers) = house.offers("t1").unwrap();
        let (to, _) = offers.iter().find(|offer| offer.action == ActionKind::Bet).unwrap().to.unwrap();
        house.choose("t1", &who, Action::Bet { to }).unwrap();
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
    let verdict = second.finish(seeds).ok().unwrap();
    let [finished] = verdict.voids() else { panic!("one round was void") };
    let net = finished.default_play_net.unwrap();
    assert_eq!((finished.cause, finished.round_no), (VoidCause::Crash, 1));
    assert_eq!((finished.contested_by.len(), finished.nets.len()), (3, 3));
    assert_eq!(finished.nets.iter().map(|(_, net)| net).sum::<i64>(), net);
    assert!((-300..0).contains(&net), "they lose the rake together, not {net}");
    book.give_disclosed(verdict).unwrap();
    let report = book.report();
    assert_eq!((report.hands_owed, report.hands_seen, report.voids.total, report.voids.computable), (2, 1, 2, 1));
    // The other one is listed as it was.
    let listed: Vec<_> = report
        .voids
        .listed
        .iter()
        .map(|void| (void.round_no, void.default_play_net, void.not_computable.is_some()))
        .collect();
    assert_eq!(listed, [(0, None, true), (1, Some(net), false)]);
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
    let mut house = ended_hands(3);
    // A hand that its players ended is theirs alone: nothing of it is owed.
    house.deal_hand("t1");
    while let Some(who) = house.asked("t1").first().cloned() {
        house.choose("t1", &who, Action::Fold).unwrap();
    }
    house.run_due();
    assert_eq!(audit(&house.log).settled, 1);
    for listed in [0, 2, 3, 9] {
        let mut book = Book::new(Limits { listed, ..Limits::default() });
        for (index, bytes) in (0..).zip(&house.log) {
            book.feed(index, bytes).unwrap();
        }
        assert_eq!((book.report().hands_owed, book.take_owed().len()), (3, listed.min(3)));
    }
}

#[test]
fn what_a_round_had_paid_counts_if_it_is_abandoned_and_a_void_takes_it_back_but_for_what_is_spent() {
    // A lost insurance, then a split that nobody plays on.
    let mut house = House::new();
    house.add_player("alice", 100_000);
    house.open_own("alice", "own", rules("rng-blackjack", &[]));
    house.wish_for("own", &["alice"], 1, |d| {
        (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (8, 1, 8) && d.value(0, 3) < 10 && d.value(0, 4) < 10
    });
    house.place_bets("own", "alice", &[("1", 1000)]).unwrap();
    house.show("own", "alice").unwrap();
    house.choose("own", "alice", Action::Insurance { take: true }).unwrap();
    house.choose("own", "alice", Action::Split).unwrap();
    house.now += DAY;
    house.run_due();
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.voids.by_cause["abandoned"], report.ledger.house), (None, 1, 500));
    // A blackjack paid at once, most of which is gone.
    let mut house = House::shared("study-group", &[], &["bob"]);
    house.add_player("alice", 100);
    house.sit("t1", "alice", 1).unwrap();
    house.sit("t1", "bob", 2).unwrap();
    house.run_due();
    house.wish_for("t1", &["bob", "alice"], 3, |d| {
        (d.value(0, 0), d.value(0, 1)) == (1, 10) && d.value(2, 0) == 6 && d.value(1, 0) == 5 && d.value(1, 1) < 9
    });
    house.deal_all("t1", &["alice", "bob"], 100);
    house.withdraw("alice", 150).unwrap();
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no: 0, reason }).unwrap();
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.voids.total, report.ledger.house), (None, 1, -50));
    let story = verify(bundle(&house, &house.log, "t1:0").to_json().unwrap().as_bytes(), None).story.join("\n");
    for words in
        ["alice staked 100 and got 150 back: the round is void.", "bob staked 100 and got it back: the round is void."]
    {
        assert!(story.contains(words), "`{words}` is not in\n{story}");
    }
}

#[test]
fn a_log_is_complete_when_no_round_is_in_play_and_no_shoe_that_was_played_from_is_in_use() {
    for (used_shoes, open_rounds, complete) in [(0, 0, true), (1, 0, false), (0, 1, false), (1, 1, false)] {
        assert_eq!(AuditReport { used_shoes, open_rounds, ..AuditReport::default() }.is_complete(), complete);
    }
}

#[test]
fn a_check_is_read_back_as_it_was_written() {
    for check in Check::ALL {
        let text = serde_json::to_string(check).unwrap();
        assert_eq!(serde_json::from_str::<Check>(&text).unwrap(), *check, "{text}");
    }
    assert!(serde_json::from_str::<Check>("\"no_check\"").is_err());
}

#[test]
fn a_book_shows_where_it_stands_and_what_is_overdue_there_as_much_as_the_limits_allow() {
    let mut house = House::with_table(&[], 10_000);
    house.open("t2", &[]);
    for at in ["t1", "t2"] {
        house.now += 1_000;
        let seed = house.any_seed(at);
        house.bet(at, "alice", 10, &seed).unwrap();
    }
    let read = |listed: usize| {
        let mut book = Book::new(Limits { listed, ..Limits::default() });
        (0..).zip(&house.log).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        book
    };
    let book = read(9);
    assert_eq!((book.entries(), book.last_time()), (house.log.len() as u64, house.now));
    assert_eq!(book.table(&table("t1")).map(|at| at.next_seq), Some(house.table("t1").next_seq));
    assert!(book.table(&table("t3")).is_none());
    let due = house.state.next_deadline().unwrap() + fairshoe_house::OVERDUE_GRACE_MS;
    assert_eq!((book.overdue(due).len(), book.overdue(due + 1).len(), book.overdue(due + 1_001).len()), (0, 1, 2));
    assert_eq!(read(1).overdue(due + 1_001).len(), 1);
}

#[test]
fn an_entry_read_ahead_of_the_book_shows_the_checkpoint_that_its_client_saw() {
    let mut house = House::with_table(&[], 100);
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    let seen = SeenCheckpoint { size: 3, root: format!("{}=", "A".repeat(43)) };
    let Command::Reveal { table, round_no, player, seed, next, .. } = house.reveal_command("t1", "alice", &seed) else {
        unreachable!()
    };
    house
        .give(&Actor::Anyone, Command::Reveal { table, round_no, player, seed, next, saw: Some(seen.clone()) })
        .unwrap();
    for (index, bytes) in (0..).zip(&house.log) {
        let reading = Book::read(index, bytes);
        let is_reveal = matches!(reading.entry().unwrap().command, Command::Reveal { .. });
        assert_eq!(reading.saw(), is_reveal.then_some(&seen));
    }
    let none = Book::read(0, b"no entry");
    assert!(none.entry().is_none() && none.saw().is_none());
}

#[test]
fn a_round_of_a_shoe_with_one_candidate_leaves_nothing_to_derive_before_the_shoe_is_out() {
    let derived = |house: &House| {
        let mut book = Book::new(Limits { waiting_checks: usize::MAX, ..Limits::default() });
        (0..).zip(&house.log).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        book.take_checks().len()
    };
    let mut house = House::shared("roulette", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    house.show_all("t1");
    house.run_due();
    assert_eq!(derived(&house), 0);
    // Of two candidates the one that is not dealt comes out as the round opens.
    let mut house = House::room("holdem", &[]);
    house.deal_hand("t1");
    assert_eq!(derived(&house), 1);
}

/// A book that is gone on with keeps to the limits of the one who goes on, not to those of the one who kept it.
#[test]
fn a_book_gone_on_with_has_the_limits_that_are_given_then() {
    let log = book(2, 40).log;
    let starts = |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::StartDealer { .. });
    let (index, start) = (0u64..).zip(&log).filter(|(_, bytes)| starts(bytes)).last().unwrap();
    let mut saved = Book::new(Limits::default());
    (0..index).zip(&log).for_each(|(index, bytes)| saved.feed(index, bytes).unwrap());
    let text = serde_json::to_string(&saved.keep().unwrap()).unwrap();
    let go_on = |limits: Limits| Book::go_on(text.as_bytes(), limits).unwrap();
    assert_eq!(go_on(Limits { listed: 1, ..Limits::default() }).finish().open_shoes_listed.len(), 1);
    assert!(go_on(Limits::default()).feed(index, start).is_ok());
    let other = Limits { origin: Some("other.example/log".into()), ..Limits::default() };
    assert_eq!(go_on(other).feed(index, start).unwrap_err().check, Check::Origin);
}

#[test]
fn a_value_is_of_the_same_only_at_one_table_in_one_shoe_and_of_one_candidate() {
    let once = |table: &str, shoe_no: u64, candidate: u8, entry: u64| {
        let table = table.parse().unwrap();
        Once { kind: OnceKind::Seed, value: [7; 32], entry, place: 0, table, shoe_no, candidate }
    };
    let first = once("t1", 3, 0, 5);
    assert!(first.is_of_the_same(&once("t1", 3, 0, 9)));
    for other in [once("t2", 3, 0, 9), once("t1", 4, 0, 9), once("t1", 3, 1, 9)] {
        assert!(!first.is_of_the_same(&other), "{other:?}");
    }
}

#[test]
fn each_shoe_is_shown_in_its_order_once_for_each_seed_that_comes_out() {
    for house in [book(5, 30), hands_of_poker(4)] {
        let mut book = Book::new(Limits { waiting_checks: usize::MAX, ..Limits::default() });
        (0..).zip(&house.log).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        let mut shown = 0;
        for check in book.take_checks() {
            let shoe_no = check.shoe().id.shoe_no;
            let verdict = check.run_and_show(|shoe, _, house| {
                assert_eq!((shoe.id.shoe_no, shoe.id.composition.len()), (shoe_no, house.len()));
                shown += 1;
            });
            assert!(verdict.finding().is_none());
        }
        let seeds = entries(&house.log).into_iter().flat_map(|entry| entry.events).map(|event| match event {
            Event::RoundOpened { others, .. } => others.len(),
            Event::ShoeRevealed { seeds, .. } => seeds.len(),
            _ => 0,
        });
        assert_eq!(shown, seeds.sum::<usize>());
        assert!(shown > 0);
    }
}

#[test]
fn another_commitment_for_the_next_hand_than_came_is_found() {
    let mut house = House::room("holdem", &[]);
    house.deal_hand("t1");
    let who = house.table("t1").seats.values().next().unwrap().player.to_string();
    let round_no = house.table("t1").next_round;
    let commitment = house.commitment_of("t1", &who, round_no);
    let mut entry =
        house.give(&by(&who), Command::CommitHandSeed { table: table("t1"), round_no, commitment }).unwrap();
    assert_eq!(names_of(&entry), ["next_committed"]);
    if let Event::NextCommitted { commitment, .. } = &mut entry.events[0] {
        *commitment = fairshoe_fairness::SeedCommitment::from_bytes([1; 32]);
    }
    *house.log.last_mut().unwrap() = entry.encode().unwrap();
    let finding = failure(&house.log);
    assert_eq!((finding.check, finding.entry), (Check::Bets, Some(house.log.len() as u64 - 1)), "{finding}");
}

#[test]
fn a_check_and_a_finding_are_written_with_code_place_and_words() {
    assert_eq!(Check::Payout.to_string(), "payout");
    assert_eq!(Finding::new(Check::Root, "what").to_string(), "what [root]");
    assert_eq!(Finding::at(Check::Payout, 3, None, "what").to_string(), "entry 3: what [payout]");
    assert_eq!(
        Finding::at(Check::Payout, 3, Some(&table("t1")), "what").to_string(),
        "entry 3 (table t1): what [payout]"
    );
}

/// More was paid in, and out, than any balance can say: the sums are exact all the same, and so is their difference.
#[test]
fn sums_of_what_was_paid_in_are_exact_beyond_every_balance() {
    let mut house = House::new();
    house.add_player("alice", 0);
    for _ in 0..2_048 {
        house.credit("alice", MAX_CHIPS / 2).unwrap();
        house.withdraw("alice", MAX_CHIPS / 2).unwrap();
    }
    house.credit("alice", MAX_CHIPS / 2).unwrap();
    let report = audit(&house.log);
    let half = i128::from(MAX_CHIPS / 2);
    assert!(half * 2_049 > i128::from(i64::MAX));
    let mut alone = LedgerBook::new(None);
    (0..).zip(&house.log).for_each(|(index, bytes)| alone.feed(index, bytes).unwrap());
    let alone = alone.finish();
    assert_eq!((&report.first_failure, &alone.first_failure), (&None, &None));
    for ledger in [report.ledger, alone.ledger] {
        assert_eq!((ledger.credited.value(), ledger.withdrawn.value()), (half * 2_049, half * 2_048));
        assert_eq!(i128::from(ledger.cage), -half);
    }
}

#[test]
fn the_default_play_of_a_wheel_s_void_is_the_spin_that_late_seeds_would_have_brought() {
    let bets = [("alice", "red"), ("bob", "even")];
    let placed = || {
        let mut house = House::shared("roulette", &[], &["alice", "bob"]);
        house.sit_all("t1", &["alice", "bob"]);
        for (who, spot) in bets {
            house.place_bets("t1", who, &[(spot, 100)]).unwrap();
        }
        house.run_due();
        house
    };
    let mut in_time = placed();
    in_time.show_all("t1");
    let won = bets.map(|(who, _)| in_time.balance(who) as i64 - 1_000_000);
    let mut house = placed();
    let seeds = bets.map(|(who, _)| (who, house.seed_for("t1", who)));
    house.now += 10 * SECOND;
    house.run_due();
    for (who, seed) in seeds {
        let late = Command::LateSeed { table: table("t1"), round_no: 0, player: player(who), seed };
        house.give(&Actor::Anyone, late).unwrap();
    }
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    let report = audit(&house.log);
    assert_eq!(report.first_failure, None);
    let nets: Vec<i64> = report.voids.listed[0].nets.iter().map(|(_, net)| *net).collect();
    assert_eq!(nets, won);
}
