//! Cash tables played by chance: chips conserved, every entry decided again to the same bytes, every hand's bundle sound.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod audit_common;
mod common;

use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_games::poker::Entry as ComeIn;
use fairshoe_house::audit::{Book, Limits};
use fairshoe_house::bundle::{Soundness, verify};
use fairshoe_house::{Account, Actor, Command, Declined, Event, Reference};

const PLAYERS: [&str; 6] = ["alice", "bob", "carol", "dave", "erin", "frank"];

/// Everything that players have, at the table and beside it, and the rake.
fn all_chips(house: &House) -> i128 {
    let rake = i128::from(house.state.ledger().balance(&Account::Rake).unwrap());
    house.state.ledger().players_total() + house.state.ledger().seats_total() + rake
}

/// Something that a player may wish for between two actions of a hand.
fn wish(house: &mut House, rng: &mut Rng) {
    let who = rng.pick(&PLAYERS);
    let at = || table("t1");
    let command = match rng.below(9) {
        0 => Command::LeaveSeat { table: at() },
        1 => Command::SitOut { table: at() },
        2 | 3 => Command::AskToPlay {
            table: at(),
            entry: Some(if rng.one_in(2) { ComeIn::Post } else { ComeIn::Wait }),
            straddle: Some(rng.one_in(2)),
        },
        4 => Command::AddChips { table: at(), amount: chips(1 + rng.below(20_000) as u64) },
        5 => Command::AddChips { table: at(), amount: chips(0) },
        _ => Command::TakeSeat {
            table: at(),
            seat: 1 + rng.below(6) as u8,
            buy_in: Some(chips(8_000 + rng.below(12_000) as u64)),
            client: None,
            entry: Some(if rng.one_in(2) { ComeIn::Post } else { ComeIn::Wait }),
        },
    };
    match house.give(&by(who), command) {
        Ok(_) | Err(Declined::Refused(_)) => {}
        other => panic!("{other:?}"),
    }
}

fn one_hand(house: &mut House, rng: &mut Rng, trouble: bool) {
    house.now += 1_000 + rng.below(3_000) as u64;
    house.run_due();
    for _ in 0..rng.below(3) {
        wish(house, rng);
        house.run_due();
    }
    let Some(window) = house.table("t1").window.clone() else {
        house.now += 20 * MINUTE;
        (0..4).for_each(|_| wish(house, rng));
        return;
    };
    for who in &window.expected {
        let carried = window.bet_of(who).is_some();
        if !carried && !(trouble && rng.one_in(20)) {
            let committed = house.commit_hand("t1", who.as_str());
            assert!(committed.is_ok(), "{committed:?}");
        }
    }
    house.run_due();
    if house.table("t1").live_round().is_none() {
        house.now += 11_000;
        house.run_due();
    }
    for who in house.awaited("t1") {
        if trouble && rng.one_in(60) {
            continue;
        }
        let seed = house.seed_for("t1", &who);
        let round_no = house.seed_number("t1");
        let context = house.context("t1");
        let next = rng.one_in(2).then(|| {
            let seed = house.seed_of("t1", &who, round_no + 1);
            fairshoe_fairness::seed_commitment(&context, round_no + 1, &player(&who), &seed)
        });
        let command = Command::Reveal { table: table("t1"), round_no, player: player(&who), seed, saw: None, next };
        house.give(&by(&who), command).unwrap();
    }
    while house.table("t1").live_round().is_some() {
        if trouble && rng.one_in(150) {
            house.crash();
            house.run_due();
            break;
        }
        if trouble && rng.one_in(200) {
            let round_no = house.table("t1").live_round().unwrap().round_no;
            house
                .give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no, reason: Reference::parse("test").unwrap() })
                .unwrap();
            break;
        }
        if rng.one_in(8) {
            wish(house, rng);
        }
        house.now += rng.below(30_000) as u64;
        house.run_due();
        if let Some((who, action)) = house.some_action("t1", rng) {
            let acted = house.choose("t1", &who, action.clone());
            assert!(acted.is_ok(), "{who} {action:?}: {acted:?}");
        } else if house.table("t1").live_round().is_some() {
            house.now += 11_000;
            house.run_due();
        }
    }
}

fn play(rules: &str, options: &[(&str, &str)], seed: u64, hands: usize) {
    let mut house = House::poker(rules, options, &PLAYERS);
    let mut rng = Rng(seed);
    house.buy_in_all("t1", &PLAYERS[..3], 10_000);
    for hand in 0..hands {
        one_hand(&mut house, &mut rng, hand % 3 > 0);
        assert_eq!(all_chips(&house), 6_000_000, "chips are neither made nor lost");
        assert_eq!(house.state.ledger().total(), 0);
    }
    let settled = entries(&house.log).iter().filter(|entry| entry.events.iter().any(|e| matches!(e, Event::RoundSettled { .. }))).count();
    assert!(settled * 4 > hands, "{settled} of {hands} hands were settled");
    let mut book = Book::new(Limits::default());
    for (index, bytes) in (0..).zip(&house.log) {
        book.feed(index, bytes).unwrap_or_else(|finding| panic!("{finding}\n{}", String::from_utf8_lossy(bytes)));
    }
    let report = book.finish();
    assert!(report.is_sound(), "{:?}", report.first_failure);
    let rounds = house.table("t1").next_round;
    for round in (0..rounds).step_by(if effort() > 1 { 1 } else { 7 }) {
        let id = format!("t1:{round}");
        let verdict = verify(bundle(&house, &house.log, &id).to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
        assert_eq!(verdict.verdict, Soundness::Sound, "{id}: {:?}\n{}", verdict.findings, verdict.story.join("\n"));
    }
}

#[test]
fn no_limit_holdem_by_chance_is_sound() {
    play("holdem", &[], 1, 150 * effort() as usize);
}

#[test]
fn limit_holdem_with_three_blinds_by_chance_is_sound() {
    let blinds = r#"{"small":100,"big":200,"third":200,"ante":10,"straddle":true,"entry_post":"big"}"#;
    play("holdem-limit", &[("blinds", blinds), ("cash_timeout", "check_if_free")], 2, 100 * effort() as usize);
}

#[test]
fn pot_limit_omaha_and_hi_lo_by_chance_are_sound() {
    play("omaha", &[], 3, 80 * effort() as usize);
    play("omaha-hi-lo", &[], 4, 80 * effort() as usize);
}
