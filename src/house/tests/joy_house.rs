//! The house's side of the rules of document 000: what a bet or an action needs, and what a refused one leaves alone.

use crate::common;

use common::*;
use fairshoe_fairness::{HouseShoe, shoe_commitment};
use fairshoe_games::{Action, ActionKind, Bet};
use fairshoe_house::{Command, Event};

const DOUBLE: Action = Action::Double { amount: None };

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
fn r000_28_the_stake_goes_on_the_centre_spot_only() {
    let mut house = House::with_table(&[], 1000);
    for spot in ["2", "0", "01", "", "centre", "1 "] {
        assert_eq!(outcome(&mut house, &[(spot, 5, None)]), "unknown_spot", "{spot:?}");
    }
    assert_eq!(outcome(&mut house, &[]), "bet_count");
    assert_eq!(outcome(&mut house, &[("1", 5, None), ("1", 5, None)]), "bet_count");
}

#[test]
fn a000_c_a_point_is_needed_to_start_and_1000_are_the_most() {
    let mut house = House::with_table(&[], 5000);
    assert_eq!(outcome(&mut house, &[("1", 0, None)]), "below_minimum");
    assert_eq!(outcome(&mut house, &[("1", 1001, None)]), "above_maximum");
    assert_eq!(outcome(&mut house, &[("1", 1, None)]), "ok");
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
fn r000_17_a_double_costs_exactly_the_stake_and_needs_it() {
    let want = |v: &[u16]| v[..5] == [5, 10, 6, 7, 10];
    let mut house = House::with_table(&[], 19);
    house.deal("t1", "alice", 10, want);
    assert_eq!(house.offered("t1"), [ActionKind::Hit, ActionKind::Stand]);
    let before = house.fingerprint();
    assert_eq!(refusal(house.act("t1", "alice", DOUBLE)).code(), "insufficient_balance");
    assert_eq!(house.fingerprint(), before);

    let mut house = House::with_table(&[], 20);
    house.deal("t1", "alice", 10, want);
    assert_eq!(house.offered("t1"), [ActionKind::Hit, ActionKind::Stand, ActionKind::Double]);
    for amount in [0, 9, 11] {
        assert_eq!(
            refusal(house.act("t1", "alice", Action::Double { amount: Some(chips(amount)) })).code(),
            "extra_stake_refused"
        );
    }
    let entry = house.act("t1", "alice", DOUBLE).unwrap();
    // R000.18, R000.19: one card, the hand stands, a win returns four times the opening stake.
    assert_eq!(names_of(&entry)[..3], ["play.acted", "posted", "play.dealt"]);
    assert_eq!(house.balance("alice"), 40);
}

#[test]
fn r000_21_a_split_costs_exactly_the_stake_and_needs_it() {
    let want = |v: &[u16]| v[..4] == [9, 10, 9, 7];
    let mut house = House::with_table(&[], 19);
    house.deal("t1", "alice", 10, want);
    assert!(!house.offered("t1").contains(&ActionKind::Split));
    assert_eq!(refusal(house.act("t1", "alice", Action::Split)).code(), "insufficient_balance");
    let mut house = House::with_table(&[], 20);
    house.deal("t1", "alice", 10, want);
    assert!(house.offered("t1").contains(&ActionKind::Split));
    house.act("t1", "alice", Action::Split).unwrap();
    assert_eq!((house.balance("alice"), house.escrow("t1")), (0, 20));
}

#[test]
fn r000_24_the_insurance_dialog_is_absent_for_the_poor() {
    // Stake 7, premium 4: 11 are needed.
    for (balance, dialog) in [(10, false), (11, true)] {
        let mut house = House::with_table(&[], balance);
        let entry = house.deal("t1", "alice", 7, |v| v[1] == 1 && v[3] == 9 && v[0] == 10 && v[2] == 8);
        assert_eq!(house.offered("t1").contains(&ActionKind::Insurance), dialog);
        assert!(!names_of(&entry).contains(&"play.peeked".to_owned()), "the hole card is not looked at before a YES");
        if !dialog {
            assert_eq!(
                refusal(house.act("t1", "alice", Action::Insurance { take: false })).code(),
                "action_not_offered"
            );
        }
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

#[test]
fn r000_27_a_failed_insurance_is_collected_at_once_and_the_hole_card_stays_down() {
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 5, |v| v[..4] == [10, 1, 9, 9]);
    let entry = house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
    assert_eq!(names_of(&entry), ["play.acted", "posted", "play.peeked", "play.paid", "posted", "play.offered"]);
    assert_eq!((house.balance("alice"), house.house_balance(), house.escrow("t1")), (92, 3, 5));
}

#[test]
fn a000_j_balances_are_tested_after_the_premium() {
    let want = |v: &[u16]| v[..4] == [8, 1, 8, 9];
    for (balance, offered) in [(25, true), (24, false)] {
        let mut house = House::with_table(&[], balance);
        house.deal("t1", "alice", 10, want);
        house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
        assert_eq!(house.offered("t1").contains(&ActionKind::Split), offered, "{balance}");
        assert_eq!(house.offered("t1").contains(&ActionKind::Double), offered, "{balance}");
    }
}

#[test]
fn a000_l_all_hands_bust_the_dealer_draws_nothing_and_the_hole_card_is_shown() {
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 5, |v| v[..5] == [10, 2, 6, 3, 10]);
    let entry = house.act("t1", "alice", Action::Hit).unwrap();
    assert_eq!(
        names_of(&entry),
        ["play.acted", "play.dealt", "play.turned", "play.paid", "posted", "round_settled", "shoe_revealed"]
    );
    assert_eq!((house.balance("alice"), house.house_balance()), (95, 5));
}

#[test]
fn a000_p_later_wagers_may_pass_the_cap() {
    let mut house = House::with_table(&[], 5000);
    house.deal("t1", "alice", 1000, |v| v[..4] == [8, 10, 8, 7] && v[4] == 3 && v[6] == 2);
    house.act("t1", "alice", Action::Split).unwrap();
    house.act("t1", "alice", DOUBLE).unwrap();
    assert_eq!((house.balance("alice"), house.escrow("t1")), (2000, 3000));
    house.finish("t1", "alice");
    assert_eq!(house.state.ledger().total(), 0);
}
