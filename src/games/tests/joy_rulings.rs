//! The rulings for points on which document 000 is silent, one test for each (spec/games/blackjack.md); rows as
//! `common::rows` reads them.

use crate::common;
use common::rows::{check, rounds};
use common::{bet, chips, joy, play};
use fairshoe_fairness::Composition;
use fairshoe_games::{Bet, Placement, Reshuffle, RoundEvent};

#[test]
fn a000_a_one_pack_and_a_fresh_shoe_every_round() {
    let rules = joy();
    assert_eq!(rules.composition(), Composition::Decks(1));
    assert_eq!(rules.table.reshuffle, Reshuffle::EveryRound);
    assert_eq!(rules.candidates(), 1);
    assert_eq!(rules.open_round(&[common::placed(1)]).unwrap().lanes(), 1);
}

#[test]
fn a000_b_a_chip_is_tested_against_what_is_left_and_placing_is_no_debit() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, chips(120));
    for (chip, allowed) in [(50, true), (100, false), (50, true), (50, false), (10, true), (10, true), (1, false)] {
        assert_eq!(placement.place(chips(chip)).is_ok(), allowed, "{chip} on {}", placement.placed());
        assert_eq!(placement.balance(), chips(120));
    }
    assert_eq!(placement.placed(), chips(120));
    let listed = Bet { chips: Some(vec![chips(50), chips(100)]), ..bet("1", 150) };
    assert_eq!(rules.check_bets(&[listed], chips(120)).unwrap_err().code(), "chip_above_balance");
}

#[test]
fn a000_c_a_start_needs_a_point() {
    check("joy", "0 | | | refused below_minimum \n 1/1 | Ts 9d 9h 8c | stand | 1 2");
    let none = Bet { chips: Some(vec![]), ..bet("1", 0) };
    assert_eq!(joy().check_bets(&[none], chips(10)).unwrap_err().code(), "below_minimum");
}

#[test]
fn a000_i_the_card_limit_counts_each_hand() {
    check("joy", "10 | 2s 9d 2h 8c 3c 2d 3s 4s 2c 3d 3h 4d | split hit hit hit hit hit hit | 20 0");
    let course = play(10, "2s 9d 2h 8c 3c 2d 3s 4s 2c 3d 3h 4d", "split hit hit hit hit hit hit");
    for (hand, cards) in [(0, 5), (1, 5)] {
        assert_eq!(course.view["boxes"][0]["hands"][hand]["cards"].as_array().unwrap().len(), cards);
    }
}

#[test]
fn a000_k_a_lost_insurance_changes_nothing_in_the_play() {
    for (shoe, acts) in [
        ("Ts Ad 9h 8c", "stand"),
        ("5s Ad 6h 8c Tc", "double"),
        ("8s Ad 8h 7c Tc Td", "split stand stand"),
        ("As Ad Kh 6c", "stand"),
    ] {
        let (with, without) =
            (play(10, shoe, &format!("insurance=yes {acts}")), play(10, shoe, &format!("insurance=no {acts}")));
        assert_eq!((with.staked, with.returned), (without.staked.plus(chips(5)).unwrap(), without.returned), "{shoe}");
        let of_play = |events: &[RoundEvent]| common::trace(events).split_once(" ?1/1:hit").unwrap().1.to_owned();
        assert_eq!(of_play(&with.events), of_play(&without.events));
    }
}

#[test]
fn a000_n_player_up_card_player_hole_card_and_their_slots() {
    let course = play(10, "Ts 9d 9h 8c", "stand");
    let dealt = course.events.iter().filter_map(|event| match event {
        RoundEvent::Dealt { lane, slot, to, card } => {
            Some(format!("{lane} {} {to} {}", slot.0, card.map_or("##".to_owned(), |card| card.to_string())))
        }
        _ => None,
    });
    assert_eq!(dealt.collect::<Vec<_>>(), ["0 0 1/1 Ts", "0 1 dealer 9d", "0 2 1/1 9h", "0 3 dealer ##"]);
    assert_eq!(course.view["dealer"]["cards"][1]["slot"], 3);
}

rounds! { "joy":
    fn a000_d_hit_is_never_forbidden_up_to_21_with_four_cards() "
        // On blackjack, which becomes an ordinary hand: 21 with three cards, or 16.
        10 | As 9d Kh 8c Tc | hit stand | 10 20 & ends ?1/1:hit,stand !stand D=8c $1/1:win:20
        10 | As Td Kh Ac Tc | hit stand | 10 0
        10 | As 9d Kh 8c 5c | hit stand | 10 0
        // On 21: bust.
        10 | 5s 9d 6h 8c Tc 2c | hit hit | 10 0
        10 | 5s 9d 6h 8c Tc | hit stand | 10 20
        // A bust hand is over.
        10 | Ts 9d 6h 8c Kc | hit hit | refused round_over";
    fn a000_e_without_insurance_nobody_peeks_and_a_doubled_stake_is_lost_whole() "
        10 | 5s <Kd 6h Ac; Ad 6h Kc> Tc | <; insurance=no> double | 20 0 & lacks peek";
    fn a000_f_a_split_hand_may_be_doubled_ace_and_ten_too() "
        // A K 9 = 20 and A 2 T = 13 against 17.
        10 | As 9d Ah 8c Ks 9c 2d Ts | split double double | 40 40
        10 | As 9d Ah 8c Ks 7s 9c | split double stand | 30 60
        10/39 | 8s 9d 8h 8c 3d Tc 3c | split double double | refused insufficient_balance
        10/40 | 8s 9d 8h 8c 3d Tc 3c Td | split double double | 40 80
        10 | As 9d Ah 8c Ks 9c | split stand stand | has 1/1+Ks ?1/1:hit,stand,double";
    fn a000_g_no_hand_is_split_again() "
        10 | 8s 9d 8h 7c 8d | split split | refused action_not_offered
        10 | 8s 9d 8h 7c Td 8d | split stand split | refused action_not_offered
        10 | As 9d Ah 7c Ad | split split | refused action_not_offered";
    fn a000_h_a_split_hand_gets_its_second_card_when_its_play_starts() "
        10 | As 9d Ah 8c 5c 4c Kd | split hit stand stand | is 1/1+As D+9d 1/1+Ah D+## ?1/1:hit,stand,double,split \
            !split-10 \
            1/1+5c ?1/1:hit,stand,double !hit 1/1+4c ?1/1:hit,stand !stand \
            1/2+Kd ?1/2:hit,stand,double !stand D=8c $1/1:win:20 $1/2:win:20
        // Hand 2 also gets it after a bust of hand 1.
        10 | 8s 9d 8h 8c Tc 7s Kd | split hit stand | has 1/1+7s 1/2+Kd ?1/2";
    fn a000_j_insurance_then_split_or_double_with_what_is_left() "
        10/25 | 5s Ad 6h 8c Tc | insurance=yes double | 25 40
        10/24 | 5s Ad 6h 8c Tc | insurance=yes double | refused insufficient_balance
        10/24 | 5s Ad 6h 8c Tc | insurance=no double | 20 40
        10/25 | 8s Ad 8h 8c Tc 3d | insurance=yes split stand stand | 25 0
        10/24 | 8s Ad 8h 8c Tc 3d | insurance=yes split | refused insufficient_balance";
    fn a000_l_when_all_hands_bust_the_dealer_draws_nothing_and_shows_his_card() "
        10 | Ts 5d 6h 6c Kc | hit | 10 0 & ends 1/1+Kc D=6c $1/1:bust:0
        6 | 9h 5c 9d Tc 6h Kd 7s Qd | split hit hit | 12 0";
    fn a000_m_if_any_hand_stood_the_dealer_draws_even_against_a_blackjack() "
        10 | As 5d Kh 6c <2s 7s; Ts> | stand | 10 25
        10 | 8s 6d 8h 5c Tc 7s Kd Ts | split hit stand | 20 0";
    fn a000_o_neither_a_split_nor_a_doubled_hand_is_a_blackjack_so_nothing_is_rounded() "
        7 | As 9d Ah 8c Ks Qd | split stand stand | 14 28 & ends $1/1:win:14 $1/2:win:14
        7 | 5s 9d 6h 8c Tc | double | 14 28";
    fn a000_p_double_split_and_premium_may_exceed_1000() "
        1000 | 5s 9d 6h 8c Tc | double | 2000 4000
        1000 | 8s Ad 8h 8c 3c Tc 3d Td | insurance=yes split double double | 4500 8000";
    fn a000_q_pp_dd_deals_the_players_cards_first() "
        10 | Ts 9d 9h 8c | stand | starts 1/1+Ts D+9d 1/1+9h D+##
        @ deal_order=pp_dd
        10 | Ts 9h 9d 8c | stand | is 1/1+Ts 1/1+9h D+9d D+## ?1/1:hit,stand,double !stand D=8c $1/1:win:20
        5 | Th 8d Ac Ks | insurance=yes | 8 8
        10 | Ts Ah 9d Kc | | asks hit-0,stand-0";
}
