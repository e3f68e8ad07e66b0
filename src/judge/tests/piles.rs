//! Safe's new piles in mid-game, through the house (R002.20, A002.m; spec/fairness.md, spec/games/shared-tables.md).

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::rng::Rng;
use common::safe::*;
use common::shared::*;
use common::watch::watch;
use common::*;
use fairshoe_fairness::{ClientSeed, Composition, PublicShuffle, Slot, round_entropy};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Actor, Command, Event, Lapsed, PileStage, RetireCause, VoidCause};

const STAGE: u64 = 15 * SECOND;
/// Every shoe committed came out once: a pile that was dealt from at the game's end, one that was not when it failed.
fn assert_sound(house: &House) {
    assert_eq!(audit(&house.log).first_failure, None);
    watch(house).unwrap();
    let mut committed: Vec<u64> = Vec::new();
    for entry in entries(&house.log) {
        let ends = names_of(&entry).iter().any(|name| name == "round_settled" || name == "round_voided");
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { shoe_no, .. } => committed.push(*shoe_no),
                Event::ShoeRevealed { shoe_no, cause, .. } => {
                    let at = committed.iter().position(|no| no == shoe_no).expect("revealed twice, or never committed");
                    committed.remove(at);
                    match cause {
                        Some(RetireCause::PileUsed) => assert!(ends, "a pile in play came out"),
                        Some(RetireCause::PileUnused) => assert!(names_of(&entry).contains(&"pile_failed".to_owned())),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
    assert!(committed.len() <= 1, "{committed:?} were never revealed");
    house.assert_conserved();
}

fn not_alive(house: &House) -> Option<&'static str> {
    let alive = alive(house);
    PLAYERS.into_iter().find(|who| !alive.iter().any(|name| name == who))
}

#[test]
fn r002_20_a002_m_a_new_pile_is_a_committed_shoe_of_the_collected_cards_under_a_number_of_its_own() {
    let mut house = at_pile(&[], 1);
    let opening = entries(&house.log).pop().unwrap();
    let names = names_of(&opening);
    assert_eq!(names[names.len() - 2..], ["shoe_committed", "pile_opened"]);
    let composition =
        the(
            &opening,
            |e| if let Event::ShoeCommitted { composition, .. } = e { Some(composition.clone()) } else { None },
        );
    let Composition::Cards(cards) = &composition else { panic!("{composition}") };
    assert!(cards.is_sorted() && cards.len() > 2 * alive(&house).len());
    let (round_no, shoe_no, who, commit_by) = the(&opening, |e| match e {
        Event::PileOpened { round_no, shoe_no, players, commit_by } => {
            Some((*round_no, *shoe_no, players.clone(), *commit_by))
        }
        _ => None,
    });
    assert_eq!((round_no, shoe_no, commit_by), (1, 1, house.now + STAGE));
    assert!(who.is_sorted());
    assert_eq!(house.state.next_deadline(), Some(commit_by));

    // Nobody acts, nobody outside takes part, nothing is revealed before all have committed.
    let act = Command::Act { table: table("t1"), round_no: 0, decision: 0, action: fairshoe_games::Action::Hit };
    assert_eq!(refusal(house.give(&by("alice"), act)).code(), "decision_not_open");
    let first = who[0].to_string();
    assert_eq!(refusal(house.show("t1", &first)).code(), "nothing_to_do");
    let outsider = commit_command(&house, "alice");
    assert_eq!(refusal(house.give(&by("zoe"), outsider.clone())).code(), "not_allowed");
    assert_eq!(refusal(house.give(&Actor::Anyone, outsider)).code(), "not_allowed");
    if let Some(out) = not_alive(&house) {
        assert_eq!(refusal(commit(&mut house, out)).code(), "not_a_contributor");
    }
    let wrong = Command::CommitSeed { table: table("t1"), round_no: 0, commitment: house.commitment_for("t1", &first) };
    assert_eq!(refusal(house.give(&by(&first), wrong)).code(), "wrong_round", "the shuffle has a number of its own");
    assert_eq!(names_of(&commit(&mut house, &first).unwrap()), ["seed_committed"]);
    assert_eq!(
        refusal(commit(&mut house, &first)).code(),
        "nothing_to_do",
        "a commitment is not replaced: others are on the log"
    );

    let closing = commit_all(&mut house);
    assert_eq!(names_of(&closing), ["seed_committed", "pile_closed"]);
    let (contributors, reveal_by) = the(&closing, |e| match e {
        Event::PileClosed { contributors, reveal_by, round_no: 1, shoe_no: 1 } => {
            Some((contributors.clone(), *reveal_by))
        }
        _ => None,
    });
    assert_eq!(contributors.iter().map(|c| c.player.clone()).collect::<Vec<_>>(), who);
    assert_eq!(reveal_by, house.now + STAGE);
    let bad = Command::Reveal {
        table: table("t1"),
        round_no: 1,
        player: who[0].clone(),
        seed: ClientSeed::from_bytes([9; 32]),
        saw: None,
        next: None,
    };
    assert_eq!(refusal(house.give(&Actor::Anyone, bad)).code(), "seed_does_not_open");
    assert_eq!(refusal(commit(&mut house, &first)).code(), "nothing_to_do");

    // The order follows from exactly these seeds, and the next cards come from it.
    let seeds: Vec<_> = who.iter().map(|name| (name.clone(), house.seed_for("t1", name.as_str()))).collect();
    let shoe = house.table("t1").shoe.clone().unwrap();
    let entry = house.show_all("t1");
    assert_eq!(names_of(&entry)[..3], ["seed_revealed", "pile_shuffled", "play.shuffled"]);
    let entropy = round_entropy(&shoe.id.context, 1, &[shoe.candidates[0].root], 1, &seeds).unwrap();
    assert_eq!(
        the(&entry, |e| if let Event::PileShuffled { entropy, .. } = e { Some(*entropy) } else { None }),
        entropy
    );
    let all: Vec<Slot> = (0..composition.len()).map(Slot).collect();
    let order = PublicShuffle::new(&entropy, 1, &all).order;
    let dealt: Vec<Slot> = course([&entry])
        .iter()
        .filter_map(|e| if let RoundEvent::Dealt { slot, .. } = e { Some(*slot) } else { None })
        .collect();
    assert!(dealt.len() >= 2 * who.len());
    assert_eq!(dealt, order[..dealt.len()]);
    finish(&mut house, &mut Rng(5));
    // The numbers go on without a gap: the shuffles took theirs.
    assert!(house.table("t1").next_round > 1);
    assert_sound(&house);
}

#[test]
fn a002_m_who_does_not_commit_or_does_not_reveal_is_out_and_the_shuffle_is_repeated_without_him() {
    for late in ["commitment", "seed"] {
        for seed in 1..=6 {
            let mut house = at_pile_like(&[], seed, |house| alive(house).len() >= 3);
            let players = alive(&house);
            let missing = players[usize::try_from(seed).unwrap() % players.len()].clone();
            for who in players.iter().filter(|who| **who != missing || late == "seed") {
                commit(&mut house, who).unwrap();
            }
            if late == "seed" {
                for who in players.iter().filter(|who| **who != missing) {
                    house.show("t1", who).unwrap();
                }
            }
            let lapse = |lapsed| Command::Lapse { table: table("t1"), round_no: 0, lapsed };
            for lapsed in [Lapsed::Reveal, Lapsed::Round, Lapsed::Turn] {
                assert_eq!(refusal(house.give(&Actor::House, lapse(lapsed))).code(), "nothing_to_do");
            }
            house.now += STAGE - 1;
            assert_eq!(refusal(house.give(&Actor::House, lapse(Lapsed::Pile))).code(), "deadline_ahead");
            house.now += 1;
            let too_late = if late == "seed" { house.show("t1", &missing) } else { commit(&mut house, &missing) };
            assert_eq!(refusal(too_late).code(), "deadline_passed");
            let entry = house.run_due().remove(0);
            let named =
                the(&entry, |e| if let Event::PileFailed { missing, .. } = e { Some(missing.clone()) } else { None });
            assert_eq!(named, [player(&missing)]);
            let names = names_of(&entry);
            assert_eq!(names[..3], ["pile_failed", "shoe_revealed", "play.absent"], "{names:?}");
            // They are out by the game's rule; the others shuffle another pile, their cards in it.
            assert_eq!(alive(&house), players.iter().filter(|who| **who != missing).cloned().collect::<Vec<_>>());
            assert_eq!((house.table("t1").shoe.as_ref().unwrap().id.shoe_no, house.table("t1").next_round), (2, 3));
            assert_eq!(house.state.conduct().until(&player(&missing)), 0, "the game's rule is the penalty");
            finish(&mut house, &mut Rng(seed));
            assert_sound(&house);
        }
    }
}

#[test]
fn a002_m_the_last_one_left_wins_whether_he_was_there_or_not() {
    for (seed, present) in [(1u64, 1usize), (2, 0)] {
        let mut house = at_pile_like(&[], seed, |house| alive(house).len() >= 2);
        let players = alive(&house);
        for who in players.iter().take(present) {
            commit(&mut house, who).unwrap();
        }
        house.now += STAGE;
        let entry = house.run_due().remove(0);
        let missing =
            the(&entry, |e| if let Event::PileFailed { missing, .. } = e { Some(missing.clone()) } else { None });
        assert_eq!(missing.len(), players.len() - present);
        // A hand of theirs that is opened may ask them something still (A002.e); nobody else is in the game.
        assert!(!shuffling(&house));
        finish(&mut house, &mut Rng(seed));
        // All entries are the winner's (A002.w).
        let winners: Vec<&str> = PLAYERS.into_iter().filter(|who| house.balance(who) == 1_000_300).collect();
        assert_eq!(winners.len(), 1);
        assert_eq!(house.house_balance(), 0);
        assert_sound(&house);
    }
}

/// An absent player's face-down hands are turned up from the pile they were dealt from, while no pile is in use: the
/// house had no shoe to turn them up from.
#[test]
fn r002_19_an_absent_holders_hidden_cards_come_from_their_own_piles() {
    let holders = |house: &House| -> Vec<(String, u64)> {
        let view = house.table("t1").live_round().unwrap().game.view();
        let players = view["players"].as_array().unwrap();
        let hands = players.iter().filter(|one| one["alive"] == true).flat_map(|one| {
            let hands = one["face_down"].as_array().unwrap();
            hands
                .iter()
                .map(|hand| (one["player"].as_str().unwrap().to_owned(), hand["cards"][0]["pile"].as_u64().unwrap()))
        });
        hands.collect()
    };
    let (mut of_last, mut of_earlier) = (0, 0);
    for seed in 1..=40 {
        let number = |house: &House| house.table("t1").live_round().unwrap().game.view()["pile"].as_u64().unwrap();
        let fits = |house: &House, pile: u64| if seed % 2 == 0 { pile == number(house) } else { pile < number(house) };
        let mut house = at_pile_like(&[], seed, |house| {
            alive(house).len() > 1 && holders(house).iter().any(|(_, pile)| fits(house, *pile))
        });
        let (holder, pile) = holders(&house).into_iter().find(|(_, pile)| fits(&house, *pile)).unwrap();
        let last = number(&house);
        for who in alive(&house).iter().filter(|who| **who != holder) {
            commit(&mut house, who).unwrap();
        }
        house.now += STAGE;
        let entry = house.run_due().remove(0);
        let turned: Vec<Option<u16>> = course([&entry])
            .iter()
            .filter_map(|e| if let RoundEvent::Turned { pile, .. } = e { Some(*pile) } else { None })
            .collect();
        assert!(!turned.is_empty(), "R002.19: all his hands are turned up");
        of_last += usize::from(pile == last && turned.contains(&None));
        of_earlier +=
            usize::from(pile < last && turned.iter().any(|from| from.is_some_and(|from| u64::from(from) == pile)));
        finish(&mut house, &mut Rng(seed));
        assert_sound(&house);
        if of_last > 0 && of_earlier > 0 {
            return;
        }
    }
    panic!("{of_last} {of_earlier}");
}

#[test]
fn every_pile_comes_out_at_the_end_and_none_before() {
    let mut piles = 0;
    for seed in 1..=4 {
        let mut house = at_pile_like(&[], seed, |house| house.table("t1").live_round().unwrap().piles.len() == 2);
        finish(&mut house, &mut Rng(seed));
        let last = entries(&house.log).pop().unwrap();
        let out = last.events.iter().filter(|e| matches!(e, Event::ShoeRevealed { .. })).count();
        piles = piles.max(out);
        assert!(out >= 2);
        assert_sound(&house);
    }
    assert!(piles >= 3, "{piles}");
}

/// The stages of a game with piles at which the process may die.
const STAGES: [&str; 5] = ["commitments open", "a commitment in", "seeds awaited", "a seed out", "on the new pile"];

fn at_stage(options: &[(&str, &str)], stage: &str, seed: u64) -> House {
    let mut house = at_pile_like(options, seed, |house| alive(house).len() >= 3);
    let players = alive(&house);
    if stage != STAGES[0] {
        commit(&mut house, &players[0]).unwrap();
    }
    if stage != STAGES[0] && stage != STAGES[1] {
        commit_all(&mut house);
    }
    if stage == STAGES[3] {
        house.show("t1", &players[0]).unwrap();
    }
    if stage == STAGES[4] {
        house.show_all("t1");
    }
    house
}

#[test]
fn c20_rollback_returns_every_entry_and_reveals_every_pile() {
    for stage in STAGES {
        for crashes in 1..=2 {
            let mut house = at_stage(&[("crash", "rollback")], stage, 3);
            house.now += MINUTE;
            house.crash();
            if crashes == 2 {
                house.crash();
            }
            let entry = house.run_due().remove(0);
            let cause = the(&entry, |e| if let Event::RoundVoided { cause, .. } = e { Some(*cause) } else { None });
            assert_eq!(cause, VoidCause::Crash, "{stage}");
            for who in PLAYERS {
                assert_eq!(house.balance(who), 1_000_000, "{stage}");
            }
            let out = entry.events.iter().filter(|e| matches!(e, Event::ShoeRevealed { .. })).count();
            assert_eq!(out, 2, "{stage}: both piles");
            assert_sound(&house);
            house.crash();
            house.run_due();
            assert_eq!(audit(&house.log).voids.total, 1, "{stage}: once");
            assert!(audit(&house.log).voids.listed[0].not_computable.is_some());
        }
    }
}

#[test]
fn c21_resume_restarts_the_stage_in_full_with_what_is_in() {
    for stage in STAGES {
        for crashes in 1..=2 {
            let mut house = at_stage(&[("crash", "resume")], stage, 4);
            let before: Vec<String> = house.awaited("t1");
            house.now += HOUR;
            house.crash();
            if crashes == 2 {
                house.run_due();
                house.crash();
            }
            let entry = house.run_due().remove(0);
            let (reveal_by, turn_by) = the(&entry, |e| match e {
                Event::RoundResumed { reveal_by, turn_by, settle_by: None, .. } => Some((*reveal_by, *turn_by)),
                _ => None,
            });
            if stage == STAGES[4] {
                assert_eq!((reveal_by, turn_by), (None, Some(house.now + 30 * SECOND)), "{stage}");
            } else {
                assert_eq!((reveal_by, turn_by), (Some(house.now + STAGE), None), "{stage}");
                assert_eq!(house.awaited("t1"), before, "{stage}: what was in stays in");
                assert_eq!(house.state.next_deadline(), Some(house.now + STAGE));
            }
            finish(&mut house, &mut Rng(8));
            assert_sound(&house);
        }
    }
}

#[test]
fn a_malfunction_returns_the_entries_and_waits_for_a_shuffle_to_be_over() {
    for stage in STAGES {
        let mut house = at_stage(&[], stage, 5);
        let reason = fairshoe_house::Reference::parse("camera").unwrap();
        let void = Command::VoidRound { table: table("t1"), round_no: 0, reason };
        if let Some(awaited) = house.table("t1").live_round().unwrap().pile.as_ref().map(|pile| pile.stage) {
            assert_eq!(refusal(house.give(&Actor::Operator, void.clone())).code(), "awaiting_reveals", "{stage}");
            if matches!(awaited, PileStage::Commitments(_)) {
                commit_all(&mut house);
            }
            house.show_all("t1");
        }
        house.give(&Actor::Operator, void).unwrap();
        for who in PLAYERS {
            assert_eq!(house.balance(who), 1_000_000, "{stage}");
        }
        assert_sound(&house);
    }
}
