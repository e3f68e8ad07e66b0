//! Bundles of a shared round, a spin, a game of Safe with several piles: sound as they are, and not once they are
//! touched.

use crate::audit_common;
use crate::common;

use audit_common::edit::*;
use audit_common::*;
use common::safe::{alive, at_pile_like, commit, commit_all, finish};
use common::shared::*;
use common::*;
use fairshoe_fairness::Opening;
use fairshoe_games::{Action, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, Lapsed, RetireCause};
use fairshoe_judge::audit::Check;
use fairshoe_judge::bundle::{Bundle, RoundPhase, Soundness, Verdict};

fn verdict(bundle: &Bundle) -> Verdict {
    verify(bundle.to_json().unwrap().as_bytes(), Some(signer().verifier_key()))
}

#[track_caller]
fn is(house: &House, round: &str, want: Soundness) -> Verdict {
    let verdict = verdict(&bundle(house, &house.log, round));
    assert_eq!(verdict.verdict, want, "{round}: {:?}\n{}", verdict.findings, verdict.story.join("\n"));
    verdict
}

/// The bundle of a log with this change in it.
#[track_caller]
fn caught(house: &House, round: &str, what: Find, change: impl FnOnce(&mut Entry)) -> Check {
    let mut book = entries(&house.log);
    let at = find(&book, what);
    change(&mut book[at]);
    let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
    let verdict = verdict(&bundle(house, &log, round));
    assert_eq!(verdict.verdict, Soundness::NotSound, "{}", verdict.story.join("\n"));
    assert_eq!(verdict.findings[0].entry, Some(at as u64));
    verdict.findings[0].check
}

/// A table that was busy before: seats taken and lost, offences and refunds elsewhere, all outside the bundle.
fn busy() -> House {
    let mut house =
        House::shared("live-blackjack", &[("reshuffle", r#"{"cut_back":400}"#)], &["alice", "bob", "carol"]);
    house.open_rules("t2", rules("roulette", &[]));
    for _ in 0..2 {
        house.sit("t2", "bob", 1).unwrap();
        house.run_due();
        house.place_bets("t2", "bob", &[("red", 100)]).unwrap();
        house.run_due();
        house.now += MINUTE;
        house.run_due();
    }
    house.now += HOUR;
    house.sit_all("t1", &["alice", "bob", "carol"]);
    while house.table("t1").shoe.as_ref().unwrap().id.shoe_no == 0 {
        house.whole_round("t1", &["alice", "bob"], 100);
    }
    house
}

#[test]
fn a_shared_round_is_sound_so_far_at_every_step_and_sound_when_the_shoe_is_out() {
    let mut house = busy();
    let round = format!("t1:{}", house.table("t1").next_round);
    house.place_all("t1", &["alice", "bob"], 200);
    house.close("t1", &Actor::Operator).unwrap();
    is(&house, &round, Soundness::SoundSoFar);
    house.show("t1", "bob").unwrap();
    is(&house, &round, Soundness::SoundSoFar);
    house.show("t1", "alice").unwrap();
    while let Some(who) = house.asked("t1").first().cloned() {
        let verdict = is(&house, &round, Soundness::SoundSoFar);
        assert_eq!(verdict.round.unwrap().phase, RoundPhase::Open);
        let insured = house.offered("t1").contains(&fairshoe_games::ActionKind::Insurance);
        house.choose("t1", &who, if insured { Action::Insurance { take: false } } else { Action::Stand }).unwrap();
    }
    // Seats lost and offences whose number comes from other tables stand in these entries; the bundle takes them on the
    // log's word.
    house.run_due();
    house.place_all("t1", &["alice", "bob"], 100);
    house.now += MINUTE;
    house.run_due();
    house.now += MINUTE;
    house.run_due();
    let void = format!("t1:{}", house.table("t1").next_round - 1);
    let verdict = is(&house, &void, Soundness::SoundSoFar);
    assert!(verdict.story.iter().any(|line| line.contains("number 3 in 12 hours")), "{:#?}", verdict.story);
    house.now += HOUR;
    house.run_due();
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    for round in [&round, &void] {
        let verdict = is(&house, round, Soundness::Sound);
        assert_eq!(verdict.round.unwrap().players.len(), 2);
    }
    // What a bundle cannot know it does not accuse; what it can see it does.
    let here = |entry: &Entry| entry.at.as_ref().is_some_and(|at| at.table.as_str() == "t1");
    assert!(here(&entries(&house.log)[house.log.len() - 1]));
}

/// Round 1 of a shoe over two rounds, with a time-out in it, complete.
fn played() -> House {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.wish_for("t1", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 6 && (0..2).all(|l| d.value(l, 0) == 5 && d.value(l, 1) < 9)
    });
    house.deal_all("t1", &["alice", "bob"], 100);
    house.choose("t1", "alice", Action::Double { amount: Some(chips(60)) }).unwrap();
    house.now += MINUTE;
    house.run_due();
    house.now += 20 * MINUTE;
    house.run_due();
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    house
}

#[test]
fn a_touched_shared_round_is_not_sound() {
    let house = played();
    is(&house, "t1:0", Soundness::Sound);
    is(&house, "t1:1", Soundness::Sound);
    let second_close: Find = |e| has(e, |e| matches!(e, Event::BetsClosed { round_no: 1, .. }));
    let second_deal: Find = |e| has(e, |e| matches!(e, Event::RoundOpened { .. })) && e.command.round_no() == Some(1);
    let lapse: Find = |e| matches!(e.command, Command::Lapse { lapsed: Lapsed::Turn, .. });
    assert_eq!(
        caught(&house, "t1:1", second_close, |e| {
            if let Event::BetsClosed { lanes, .. } = event_mut(e, |e| matches!(e, Event::BetsClosed { .. })) {
                *lanes = 1;
            }
        }),
        Check::Bets
    );
    assert_eq!(
        caught(&house, "t1:1", second_close, |e| {
            if let Event::BetsClosed { contributors, .. } = event_mut(e, |e| matches!(e, Event::BetsClosed { .. })) {
                contributors.pop();
            }
        }),
        Check::Bets
    );
    assert_eq!(
        caught(&house, "t1:1", second_deal, |e| {
            if let RoundEvent::Dealt { slot, .. } =
                play_mut(e, |play| matches!(play, RoundEvent::Dealt { lane: 2, .. }))
            {
                slot.0 ^= 1;
            }
        }),
        Check::DealtSlot
    );
    assert_eq!(
        caught(&house, "t1:1", second_deal, |e| {
            if let RoundEvent::Dealt { lane, .. } =
                play_mut(e, |play| matches!(play, RoundEvent::Dealt { lane: 2, .. }))
            {
                *lane = 0;
            }
        }),
        Check::DealtPlace
    );
    assert_eq!(caught(&house, "t1:1", lapse, |e| e.time -= 45_000), Check::Refused);
    assert_eq!(
        caught(
            &house,
            "t1:1",
            |e| matches!(e.command, Command::Act { action: Action::Double { .. }, .. }),
            |e| {
                if let RoundEvent::Acted { cost, .. } = play_mut(e, |play| matches!(play, RoundEvent::Acted { .. })) {
                    *cost = chips(59);
                }
            }
        ),
        Check::Action
    );
    assert_eq!(
        caught(
            &house,
            "t1:1",
            |e| matches!(e.command, Command::CloseTable { .. }),
            |e| {
                if let Event::ShoeRevealed { seeds, .. } = event_mut(e, |e| matches!(e, Event::ShoeRevealed { .. })) {
                    seeds[0] = fairshoe_fairness::ServerSeed::from_bytes([1; 32]);
                }
            }
        ),
        Check::SeedOpens
    );
    // An entry of the window left out: the table's sequence shows it.
    let mut cut = bundle(&house, &house.log, "t1:1");
    let place = cut.entries.iter().position(|proven| proven.entry.contains("\"bet\":{")).unwrap();
    cut.entries.remove(place);
    assert_eq!(verdict(&cut).findings[0].check, Check::TableSeq);
}

#[test]
fn a_spin_is_sound_so_far_with_its_opening_and_sound_with_the_seed() {
    let mut house = House::shared("roulette", &[("spins", "3")], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    let spin = |house: &mut House| {
        for who in ["alice", "bob"] {
            house.place_bets("t1", who, &[("straight:17", 100), ("red", 300)]).unwrap();
        }
        house.run_due();
        house.show_all("t1");
        house.run_due();
    };
    spin(&mut house);
    is(&house, "t1:0", Soundness::SoundSoFar);
    // Without the opening, with another slot's, with another value: not sound.
    let honest = bundle(&house, &house.log, "t1:0");
    assert_eq!(honest.openings.len(), 1);
    let mut none = honest.clone();
    none.openings.clear();
    assert_eq!(verdict(&none).findings[0].check, Check::OpeningMissing);
    let mut other = honest.clone();
    other.openings[0].value = (other.openings[0].value + 1) % 37;
    assert_eq!(verdict(&other).findings[0].check, Check::Opening);
    let spun: Find = |e| plays(e).any(|play| matches!(play, RoundEvent::Spun { .. }));
    for change in [
        |slot: &mut u16, _: &mut u8, _: &mut u8| *slot += 1,
        |_: &mut u16, value: &mut u8, _: &mut u8| *value = (*value + 1) % 37,
        |_: &mut u16, _: &mut u8, pocket: &mut u8| *pocket = (*pocket + 1) % 37,
    ] {
        let check = caught(&house, "t1:0", spun, |e| {
            if let RoundEvent::Spun { slot, value, pocket } =
                play_mut(e, |play| matches!(play, RoundEvent::Spun { .. }))
            {
                change(&mut slot.0, value, pocket);
            }
        });
        assert_eq!(check, Check::Spin);
    }
    spin(&mut house);
    spin(&mut house);
    for round in 0..3 {
        is(&house, &format!("t1:{round}"), Soundness::Sound);
    }
}

/// Openings that prove nothing, in a game that is at its second pile: which check finds each, and at which entry.
fn openings_of_piles(house: &House) {
    let honest = bundle(house, &house.log, "t1:0");
    let archive = archive::Archive::new(&house.log);
    let piles: Vec<u64> = archive.entries.iter().flat_map(|entry| &entry.events).filter_map(committed).collect();
    let [first, .., second] = piles[..] else { panic!("{piles:?}") };
    let at = table("t1");
    let shown = |opening: &Opening, pile: u64| archive.opening(&at, pile, opening.slot).as_ref() == Some(opening);
    let alone = |one: &&Opening| honest.openings.iter().filter(|other| other.slot == one.slot).count() == 1;
    let of_first = honest
        .openings
        .iter()
        .filter(alone)
        .find(|one| shown(one, first) && archive.opening(&at, second, one.slot).is_some());
    let slot = of_first.expect("the first pile shows a slot that the second has, and does not show").slot;
    let shows = |entry: &Entry| {
        plays(entry).any(|play| match play {
            RoundEvent::Dealt { slot: of, card: Some(_), .. } | RoundEvent::Turned { slot: of, .. } => *of == slot,
            _ => false,
        })
    };
    let shown_in = archive.entries.iter().position(shows).map(|index| index as u64);
    let with = |change: &dyn Fn(&mut Vec<Opening>)| {
        let mut changed = honest.clone();
        change(&mut changed.openings);
        let verdict = verdict(&changed);
        verdict.findings.first().map(|finding| (finding.check, finding.entry))
    };
    assert_eq!(with(&|_| ()), None);
    assert_eq!(
        with(&|all| all.push(archive.opening(&at, second, slot).unwrap())),
        Some((Check::OpeningExtra, None)),
        "a slot that its pile did not show"
    );
    assert_eq!(with(&|all| all.push(all[0].clone())), Some((Check::OpeningExtra, None)), "one opening twice");
    let forged = |all: &mut Vec<Opening>| {
        let one = all.iter_mut().find(|one| one.slot == slot).unwrap();
        one.salt = [9; 16];
    };
    assert_eq!(with(&forged), Some((Check::Opening, shown_in)), "one that leads to no root");
}

fn committed(event: &Event) -> Option<u64> {
    if let Event::ShoeCommitted { shoe_no, .. } = event { Some(*shoe_no) } else { None }
}

#[test]
fn a_game_of_safe_is_one_history_of_all_its_piles() {
    let mut house = at_pile_like(&[], 1, |house| alive(house).len() >= 3);
    is(&house, "t1:0", Soundness::SoundSoFar);
    let missing = alive(&house)[0].clone();
    for who in alive(&house).into_iter().filter(|who| *who != missing) {
        commit(&mut house, &who).unwrap();
    }
    house.now += MINUTE;
    house.run_due();
    is(&house, "t1:0", Soundness::SoundSoFar);
    commit_all(&mut house);
    is(&house, "t1:0", Soundness::SoundSoFar);
    house.show_all("t1");
    let verdict = is(&house, "t1:0", Soundness::SoundSoFar);
    assert_eq!(verdict.round.unwrap().phase, RoundPhase::Open);
    // An opening of the first pile does not open the same slot of the second.
    let mut twisted = bundle(&house, &house.log, "t1:0");
    let pile0 = twisted.openings.iter().position(|a| twisted.openings.iter().filter(|b| b.slot == a.slot).count() == 2);
    if let Some(first) = pile0 {
        let slot = twisted.openings[first].slot;
        let second = twisted.openings.iter().rposition(|b| b.slot == slot).unwrap();
        twisted.openings[second] = twisted.openings[first].clone();
        assert_eq!(self::verdict(&twisted).verdict, Soundness::NotSound);
    }
    openings_of_piles(&house);
    finish(&mut house, &mut common::rng::Rng(2));
    is(&house, "t1:0", Soundness::Sound);
    let failed: Find = |e| has(e, |e| matches!(e, Event::PileFailed { .. }));
    let check = caught(&house, "t1:0", failed, |e| {
        if let Event::PileFailed { missing, .. } = event_mut(e, |e| matches!(e, Event::PileFailed { .. })) {
            missing.clear();
        }
    });
    assert_eq!(check, Check::Pile);
    let shuffled: Find = |e| has(e, |e| matches!(e, Event::PileShuffled { .. }));
    let check = caught(&house, "t1:0", shuffled, |e| {
        if let RoundEvent::Dealt { slot, .. } = play_mut(e, |play| matches!(play, RoundEvent::Dealt { .. })) {
            slot.0 ^= 1;
        }
    });
    assert_eq!(check, Check::DealtSlot);
}

#[test]
fn a_refunds_count_and_its_refusal_are_taken_on_the_logs_word_and_the_rest_is_not() {
    let mut house = House::new();
    house.add_player("dave", 100_000);
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
        house.now += 2 * HOUR;
        house.run_due();
    }
    for name in ["rng-1", "rng-2", "rng-3"] {
        is(&house, &format!("{name}:0"), Soundness::Sound);
    }
    let lapse: Find = |e| matches!(e.command, Command::Lapse { lapsed: Lapsed::Round, .. });
    let check = caught(&house, "rng-1:0", lapse, |e| {
        if let Event::Posted { lines } = &mut e.events[0] {
            lines[0].1 -= 1;
            lines[0].2 -= 1;
        }
    });
    assert_eq!(check, Check::Posting);
    let check = caught(&house, "rng-1:0", lapse, |e| {
        if let Event::RoundVoided { refunds, .. } = event_mut(e, |e| matches!(e, Event::RoundVoided { .. })) {
            *refunds = Some(3);
        }
    });
    assert_eq!(check, Check::EventOrder, "the cap is the rule set's: a third refund cannot be");
}

/// A house that stands still, starts again in mid-round and goes on: the bundle's shoe was committed after the first
/// start.
#[test]
fn downtime_before_the_shoe_is_no_downtime_of_its_round() {
    for starts_between in 1..3 {
        let mut house = House::with_table(&[("crash", "resume")], 10_000);
        house.now += 9 * MINUTE;
        house.crash();
        house.run_due();
        let seed = house.any_seed("t1");
        let round = format!("t1:{}", house.table("t1").next_round);
        house.bet("t1", "alice", 10, &seed).unwrap();
        house.reveal("t1", "alice", &seed).unwrap();
        for _ in 0..starts_between {
            house.now += 4 * MINUTE;
            house.crash();
        }
        house.run_due();
        is(
            &house,
            &round,
            if house.table("t1").live_round().is_some() { Soundness::SoundSoFar } else { Soundness::Sound },
        );
        house.finish("t1", "alice");
        is(&house, &round, Soundness::Sound);
        assert_eq!(audit(&house.log).first_failure, None);
    }
}

#[test]
fn a_bundle_knows_the_tables_seats() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round_on("t1", &[("alice", "red"), ("bob", "black")]);
    house.leave("t1", "bob").unwrap();
    let leave: Find = |e| has(e, |e| matches!(e, Event::SeatLeft { .. }));
    is(&house, "t1:0", Soundness::SoundSoFar);
    let check = caught(&house, "t1:0", leave, |e| {
        if let Event::SeatLeft { seat, .. } = event_mut(e, |e| matches!(e, Event::SeatLeft { .. })) {
            *seat = 106;
        }
    });
    assert_eq!(check, Check::Seat, "nobody sits there");
}

#[test]
fn a_bundle_knows_who_bets_and_who_asks() {
    // alice and bob bet in round 0 and sit; bob has not bet in round 1 when it closes early.
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round_on("t1", &[("alice", "player"), ("bob", "banker")]);
    house.place_bets("t1", "alice", &[("player", 100)]).unwrap();
    house.now += 5 * SECOND;
    house.close("t1", &Actor::Operator).unwrap();
    house.show_all("t1");
    is(&house, "t1:1", Soundness::SoundSoFar);
    let close: Find = |e| has(e, |e| matches!(e, Event::BetsClosed { round_no: 1, .. }));
    let check = caught(&house, "t1:1", close, |e| {
        e.by = Actor::House;
        if let Event::BetsClosed { announced, .. } = event_mut(e, |e| matches!(e, Event::BetsClosed { .. })) {
            *announced = false;
        }
    });
    assert_eq!(check, Check::Refused, "bob is waited for");
    // Nobody who may not bet has asked: the shoe is not changed for a newcomer.
    house.run_due();
    house.leave("t1", "bob").unwrap();
    house.now += 20 * SECOND;
    house.run_due();
    house.now += HOUR;
    house.run_due();
    is(&house, "t1:1", Soundness::Sound);
    let idle: Find = |e| matches!(e.command, Command::RetireShoe { .. });
    let retired = find(&entries(&house.log), idle);
    for (early, cause) in [(0, RetireCause::Newcomer), (61_000, RetireCause::Idle)] {
        let mut book = entries(&house.log);
        book[retired].time -= early;
        if let Event::ShoeRevealed { cause: stated, .. } =
            event_mut(&mut book[retired], |e| matches!(e, Event::ShoeRevealed { .. }))
        {
            *stated = Some(cause);
        }
        let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
        let findings = verdict(&bundle(&house, &log, "t1:1")).findings;
        assert_eq!(findings.first().and_then(|finding| finding.entry), Some(retired as u64), "{cause:?}");
    }
}

/// Which seats are idle follows from what the first entry states and the bundle shows.
#[test]
fn a_bundle_shows_who_cannot_have_been_idle() {
    let mut house = House::shared("live-blackjack", &[("seats", "2"), ("boxes", "2")], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.run_due();
    let round = format!("t1:{}", house.table("t1").next_round);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.now += 20 * SECOND;
    house.run_due();
    assert!(house.table("t1").window().is_none());
    house.give(&by("carol"), Command::WantSeat { table: table("t1") }).unwrap();
    house.now += 6 * MINUTE;
    let freed = house.run_due();
    let tidied: Find = |entry| matches!(entry.command, Command::TidySeats { .. });
    assert!(freed.iter().any(tidied), "{freed:?}");
    is(&house, &round, Soundness::SoundSoFar);
    assert_eq!(caught(&house, &round, tidied, |entry| entry.time -= 3 * MINUTE), Check::Refused);
}

#[test]
fn nobody_gets_up_twice_in_a_bundle_on_the_logs_word() {
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round_on("t1", &[("alice", "player"), ("bob", "banker")]);
    house.give(&by("alice"), Command::LeaveSeat { table: table("t1") }).unwrap();
    house.give(&by("bob"), Command::LeaveSeat { table: table("t1") }).unwrap();
    is(&house, "t1:0", Soundness::SoundSoFar);
    // The entry of alice once more, in its place in the table's order.
    let mut book = entries(&house.log);
    let at = find(&book, |e| e.by == by("alice") && matches!(e.command, Command::LeaveSeat { .. }));
    let mut again = book[at].clone();
    again.at.as_mut().unwrap().seq = book.last().unwrap().at.as_ref().unwrap().seq + 1;
    again.time = book.last().unwrap().time;
    book.push(again);
    let log: Vec<Vec<u8>> = book.iter().map(|entry| entry.encode().unwrap()).collect();
    let verdict = verdict(&bundle(&house, &log, "t1:0"));
    let found = (verdict.findings[0].check, verdict.findings[0].entry);
    assert_eq!(found, (Check::Refused, Some(book.len() as u64 - 1)), "{:?}", verdict.findings);
}
