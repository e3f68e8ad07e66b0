//! The house's side of the rules of document 000: what a bet or an action needs, and what a refused one leaves alone.

use crate::common;

use common::*;
use fairshoe_fairness::{HouseShoe, shoe_commitment};
use fairshoe_games::{Action, ActionKind, Bet};
use fairshoe_house::{Command, Event};

fn bets(house: &House, bets: &[(&str, u64, Option<&[u64]>)]) -> Command {
    let bets = bets
        .iter()
        .map(|(spot, stake, list)| Bet {
            spot: (*spot).into(),
            stake: chips(*stake),
            chips: list.map(|list| list.iter().map(|c| chips(*c)).collect()),
        })
        .collect();
    match house.bet_command("t1", "alice", 1, &house.any_seed("t1")) {
        Command::Bet { table, round_no, commitment, .. } => Command::Bet { table, round_no, bets, commitment },
        other => other,
    }
}

/// The code of the refusal, or `ok`; a refused bet changes nothing.
#[track_caller]
fn outcome(house: &mut House, list: &[(&str, u64, Option<&[u64]>)]) -> &'static str {
    let before = house.fingerprint();
    let command = bets(house, list);
    match house.give(&by("alice"), command) {
        Ok(_) => "ok",
        Err(declined) => {
            assert_eq!(house.fingerprint(), before);
            refusal::<()>(Err(declined)).code()
        }
    }
}

#[test]
fn r000_1_r000_2_r000_3_chips_of_a_bet() {
    let cases: [(u64, &[u64], u64, &str); 8] = [
        (7, &[5, 1, 1], 1000, "ok"),
        (1000, &[100; 10], 1000, "ok"),
        (7, &[7], 1000, "unknown_chip"),
        (0, &[0], 1000, "unknown_chip"),
        (100, &[100], 99, "chip_above_balance"),
        (60, &[50, 10], 55, "chip_above_balance"),
        (1100, &[100; 11], 5000, "above_maximum"),
        (8, &[5, 1, 1], 1000, "chips_differ"),
    ];
    for (stake, list, balance, want) in cases {
        let mut house = House::with_table(&[], balance);
        assert_eq!(outcome(&mut house, &[("1", stake, Some(list))]), want, "{list:?}");
    }
    // 1000 chips of 1 are the most that anyone can place; an entry stays within its bound.
    let mut house = House::with_table(&[], 1000);
    assert_eq!(outcome(&mut house, &[("1", 1000, Some(&[1; 1000]))]), "ok");
    let mut house = House::with_table(&[("stake_max", "1000000")], 5000);
    assert_eq!(outcome(&mut house, &[("1", 1001, Some(&[1; 1001]))]), "malformed");
}

#[test]
fn a000_a_a_fresh_committed_shoe_of_one_pack_every_round() {
    let mut house = House::with_table(&[], 100_000);
    for round in 0..5 {
        let shoe = house.table("t1").shoe.clone().unwrap();
        assert_eq!(
            (shoe.id.shoe_no, shoe.id.composition.to_string(), shoe.undrawn.len()),
            (round, "52x1".to_owned(), 52)
        );
        let seed = house.any_seed("t1");
        house.bet("t1", "alice", 10, &seed).unwrap();
        house.reveal("t1", "alice", &seed).unwrap();
        house.finish("t1", "alice");
        let last = entries(&house.log).pop().unwrap();
        let Some(Event::ShoeRevealed { shoe_no, seeds, cause: None }) = last.events.last() else { panic!("{last:?}") };
        assert_eq!((*shoe_no, seeds.len()), (round, 1));
        assert_eq!(shoe_commitment(&shoe.id.context, *shoe_no, 0, &seeds[0]), shoe.candidates[0].commitment);
        assert_eq!(HouseShoe::derive(&seeds[0], &shoe.id.composition).root(), shoe.candidates[0].root);
        let early = Command::Bet {
            table: table("t1"),
            round_no: round + 1,
            bets: vec![Bet { spot: "1".into(), stake: chips(1), chips: None }],
            commitment: fairshoe_fairness::SeedCommitment::from_bytes([0; 32]),
        };
        assert_eq!(
            refusal(house.give(&by("alice"), early)).code(),
            "no_shoe",
            "no bet before the next commitment is out"
        );
        house.run_due();
    }
}

#[test]
fn r000_24_money_that_comes_later_opens_no_dialog_and_money_spent_closes_a_yes() {
    let want = |v: &[u16]| v[1] == 1 && v[3] == 9 && v[0] == 10 && v[2] == 8;
    let mut house = House::with_table(&[], 10);
    house.deal("t1", "alice", 7, want);
    house.credit("alice", 1000).unwrap();
    house.act("t1", "alice", Action::Hit).unwrap();
    assert!(!house.offered("t1").contains(&ActionKind::Insurance));

    let mut house = House::with_table(&[], 11);
    house.deal("t1", "alice", 7, want);
    house.withdraw("alice", 4).unwrap();
    let before = house.fingerprint();
    assert_eq!(refusal(house.act("t1", "alice", Action::Insurance { take: true })).code(), "insufficient_balance");
    assert_eq!(house.fingerprint(), before);
    house.act("t1", "alice", Action::Insurance { take: false }).unwrap();
}

#[test]
fn r000_26_a_successful_insurance_returns_premium_and_stake_and_ends_the_round() {
    // Stake 5, premium 3: without a blackjack 8 come back, with one 13.
    for (second, balance) in [(9u16, 100), (1, 105)] {
        let mut house = House::with_table(&[], 100);
        house.deal("t1", "alice", 5, |v| v[..4] == [10, 1, second, 10]);
        let entry = house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
        assert_eq!(
            names_of(&entry),
            [
                "play.acted",
                "posted",
                "play.peeked",
                "play.turned",
                "play.paid",
                "posted",
                "round_settled",
                "shoe_revealed"
            ]
        );
        assert_eq!(house.balance("alice"), balance);
        assert_eq!(house.table("t1").round.as_ref().unwrap().lanes.as_ref().unwrap().drawn().len(), 4, "R000.31");
    }
}
