//! The rules of document 000, one test for each (spec/games/blackjack.md); rows as `common::rows` reads them.

use crate::common;
use common::rows::{check, rounds};
use common::{bet, cards, chips, joy};
use fairshoe_fairness::Card;
use fairshoe_games::blackjack::{card_value, total};
use fairshoe_games::{Bet, BetRefusal, Placement};

#[test]
fn r000_1_the_chips_are_1_5_10_50_100() {
    let rules = joy();
    for chip in 0..=1000 {
        let placed = Placement::new(&rules.table, chips(5000)).place(chips(chip));
        match chip {
            1 | 5 | 10 | 50 | 100 => assert_eq!(placed, Ok(()), "{chip}"),
            _ => assert_eq!(placed.unwrap_err().code(), "unknown_chip", "{chip}"),
        }
    }
    let placed = |list: &[u64], stake| {
        let listed = Bet { chips: Some(list.iter().copied().map(chips).collect()), ..bet("1", stake) };
        rules.check_bets(&[listed], chips(5000)).map_err(|refusal| refusal.code())
    };
    assert_eq!(placed(&[100, 5, 1, 1], 107), Ok(()));
    assert_eq!(placed(&[25], 25), Err("unknown_chip"));
    assert_eq!(placed(&[5, 1], 7), Err("chips_differ"));
    assert_eq!(placed(&[], 7), Err("chips_differ"));
}

#[test]
fn r000_2_a_chip_above_the_balance_is_refused() {
    for (balance, chip, allowed) in
        [(0, 1, false), (1, 1, true), (4, 5, false), (5, 5, true), (99, 100, false), (100, 100, true)]
    {
        let placed = Placement::new(&joy().table, chips(balance)).place(chips(chip));
        let refused = BetRefusal::ChipAboveBalance { chip: chips(chip), left: chips(balance) };
        assert_eq!(placed, if allowed { Ok(()) } else { Err(refused) }, "{chip} of {balance}");
    }
    check("joy", "8/7 | | | refused insufficient_balance");
}

#[test]
fn r000_3_chips_add_up_to_at_most_1000() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, chips(5000));
    [[100; 9].as_slice(), &[50]].concat().into_iter().for_each(|chip| placement.place(chips(chip)).unwrap());
    assert_eq!(placement.place(chips(100)), Err(BetRefusal::AboveMaximum { stake: chips(1050), max: chips(1000) }));
    placement.place(chips(50)).unwrap();
    assert_eq!(placement.placed(), chips(1000));
    assert_eq!(placement.place(chips(1)), Err(BetRefusal::AboveMaximum { stake: chips(1001), max: chips(1000) }));
    check("joy", "1001 | | | refused above_maximum \n 1000 | Ts 9d 9h 8c | stand | 1000 2000");
}

#[test]
fn r000_4_clear_removes_all_chips() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, chips(60));
    [50, 5, 1].into_iter().for_each(|chip| placement.place(chips(chip)).unwrap());
    placement.clear();
    assert_eq!(placement.placed(), chips(0));
    placement.place(chips(50)).unwrap();
    assert_eq!(placement.placed(), chips(50));
}

#[test]
fn r000_29_after_clear_nothing_is_placed_and_the_balance_is_whole() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, chips(60));
    placement.place(chips(50)).unwrap();
    assert_eq!(placement.balance(), chips(60));
    placement.clear();
    assert_eq!((placement.placed(), placement.balance()), (chips(0), chips(60)));
}

#[test]
fn r000_6_faces_count_10_an_ace_1_or_11_suits_nothing() {
    for code in 0..52 {
        let card = Card::from_code(code).unwrap();
        let expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10][usize::from(code % 13)];
        assert_eq!(card_value(card), expected, "{card}");
    }
    let hands = "2c 2d 4 | As 11 soft | As Ad 12 soft | As Kd 21 soft | As 5d 5c 21 soft | As 5d 6c 12 \
                 | As Ad 9c 21 soft | As Ad Tc 12 | As Ad Ah Ac 14 soft | Js Qd Kc 30 | Ts Jd Ac 21 | Ts Jd Ac Ad 22";
    for row in hands.split(" | ") {
        let (hand, soft) = row.strip_suffix(" soft").map_or((row, false), |row| (row, true));
        let (hand, points) = hand.rsplit_once(' ').unwrap();
        let (got, points) = (total(cards(hand)), points.parse().unwrap());
        assert_eq!((got.points, got.soft, got.is_bust()), (points, soft, points > 21), "{row}");
    }
}

#[test]
fn r000_28_the_stake_goes_on_the_centre_spot_only() {
    let rules = joy();
    assert_eq!(rules.check_bets(&[bet("1", 5)], chips(100)), Ok(()));
    for spot in ["0", "2", "3", "4", "5", "", "01", "+1", " 1", "centre", "dealer", "256"] {
        assert_eq!(rules.check_bets(&[bet(spot, 5)], chips(100)).unwrap_err().code(), "unknown_spot", "`{spot}`");
    }
    for bets in [vec![], vec![bet("1", 5), bet("1", 5)], vec![bet("1", 5), bet("2", 5)]] {
        assert_eq!(rules.check_bets(&bets, chips(100)), Err(BetRefusal::Count { given: bets.len(), most: 1 }));
    }
}

rounds! { "joy":
    fn r000_5_start_deals_two_cards_each_the_dealers_second_face_down() "
        1 | Ts 9d 9h 8c | stand | starts 1/1+Ts D+9d 1/1+9h D+## & ends !stand D=8c $1/1:win:2";
    fn r000_7_blackjack_is_an_ace_with_a_ten_card_and_beats_every_other_21() "
        10 | <As 9d Th; Js 9d Ah; As 9d Qh; Ks 9d Ah> 7c 5s | stand | 10 25
        // A 21 with three cards is no blackjack, for either side.
        10 | 5s 9d 6h 8c Td | hit stand | 10 20
        10 | 5s Kd 6h Ac Td | hit stand | 10 0
        10 | 5s 9d 6h 7c Td 5d | hit stand | 10 10";
    fn r000_8_a_players_bust_loses_even_if_the_dealer_busts() "
        10 | Ts 9d 6h 8c Kc | hit | 10 0
        // Hand 1 busts, hand 2 stands, the dealer busts: 0 and 20.
        10 | 8s 6d 8h Td Tc 7s Kd 9c | split hit stand | 20 20 & ends D=Td D+9c $1/1:bust:0 $1/2:win:20";
    fn r000_9_the_stronger_hand_wins_and_equals_draw() "
        10 | As 9d Kh 7c 5s | stand | 10 25
        10 | As Td Kh Ac | stand | 10 10
        10 | 5s Td 6h Ac Kd | hit stand | 10 0
        10 | 5s Td 6h Jc Kd | hit stand | 10 20
        10 | Ts Td Jh <Jc; 9c> | stand | 10 <10; 20>
        10 | Ts Td 9h Jc | stand | 10 0
        10 | Ts Td 7h 7c | stand | 10 10
        // The weakest hand that is not bust: two 2s lose to 17 and beat a bust.
        10 | 2s Td 2h <7c; 6c Kc> | stand | 10 <0; 20>";
    fn r000_10_hit_and_stand_always_the_rest_where_its_rule_allows() "
        10 | Ts 9d 6h 8c | | asks hit-0,stand-0,double-10
        10 | 8s 9d 8h 8c | | asks hit-0,stand-0,double-10,split-10
        10 | As 9d Kh 8c | | asks hit-0,stand-0
        10 | 8s Ad 8h 8c | | asks insurance-5
        10 | Ts 9d 2h 8c 2d | hit stand | has 1/1+2d ?1/1:hit,stand !stand";
    fn r000_11_five_cards_stand_whatever_they_total_without_a_bonus() "
        10 | 2s 9d 3h 8c 2d 4h <5c; 6c; 7c> | hit hit hit | 10 <0; 10; 20>
        // 21 in five cards is a plain 21.
        10 | 2s Td 3h Ac 2d 4h Tc | hit hit hit | 10 0
        10 | 2s 9d 3h 8c 2d 4h 5c | hit hit hit <hit; stand> | refused round_over";
    fn r000_12_five_cards_stand_for_the_dealer_too() "
        10 | Ts 2d <2c; 4c; 3s> 2h 2s 3c 4d | stand | 10 <0; 20; 10>";
    fn r000_13_the_dealer_draws_to_16_and_stands_on_17_soft_too() "
        10 | Ts Td 8h <6c 2c; 7c> | stand | 10 <10; 20>
        10 | Ts 6d 8h Ac | stand | 10 20
        // A + 5 = soft 16 draws; with a ten it is hard 16 and draws again.
        10 | Ts 5d 8h Ac Tc 2d | stand | 10 10
        10 | Ts 5d 8h Ac Ad | stand | 10 20
        10 | Ts 2d 8h 3c 4c 8d | stand | 10 20
        // Five cards end it below 17.
        10 | Ts 2d 4h 2h 2s 3c 4d | stand | 10 20
        10 | Ts 2d 7h 3c 4c 7d 5c | stand | 10 0";
    fn r000_14_blackjack_pays_two_and_a_half_rounded_up() "
        <1; 2; 3; 5; 7; 10; 999; 1000> | As 9d Kh 8c | stand | <1 3; 2 5; 3 8; 5 13; 7 18; 10 25; 999 2498; 1000 2500>";
    fn r000_15_a_win_returns_twice_the_stake_a_draw_once_a_loss_nothing() "
        7 | Ts 9d 8h <8c; 9c; Tc> | stand | 7 <14; 7; 0>
        7 | Ts 9d 6h Tc 6c | hit | 7 0";
    fn r000_16_double_on_exactly_two_cards_that_are_no_blackjack() "
        10 | 5s 9d 6h 8c Tc | double | 20 40
        10 | As 9d Kh 8c | double | refused action_not_offered
        10 | 5s 9d 2h 8c 2c | hit double | refused action_not_offered
        10 | 5s 9d 2h 8c 2c 2d | hit hit double | refused action_not_offered
        // Any two cards, a hard 20 too.
        10 | Ts 9d Qh 8c | | asks hit-0,stand-0,double-10,split-10";
    fn r000_17_double_costs_the_stake_and_needs_it() "
        9/<18; 17> | 5s 9d 6h 8c | | asks hit-0,stand-0<,double-9;>
        9/18 | 5s 9d 6h 8c Tc | double | 18 36
        9/17 | 5s 9d 6h 8c Tc | double | refused insufficient_balance
        9 | 5s 9d 6h 8c Tc | double=9 | 18 36
        9 | 5s 9d 6h 8c Tc | double=<8; 10; 0> | refused extra_stake_refused";
    fn r000_18_double_draws_one_card_and_stands() "
        10 | 5s 9d 2h 8c 3c | double | is 1/1+5s D+9d 1/1+2h D+## ?1/1:hit,stand,double !double-10 1/1+3c D=8c \
            $1/1:loss:0
        10 | 5s 9d 2h 8c 3c 4c | double hit | refused round_over
        10 | Ts 9d 2h 8c Tc | double | 20 0";
    fn r000_19_a_doubled_hand_returns_four_two_or_no_stakes() "
        7 | 5s 9d 6h 8c <7c; 6c; 5c> | double | 14 <28; 14; 0>";
    fn r000_20_split_two_first_cards_of_one_value() "
        10 | <Ts 9d Jh; Qs 9d Kh; Ts 9d Th; As 9d Ah; 2s 9d 2h> 8c | | asks hit-0,stand-0,double-10,split-10
        10 | <Ks 9d 9h; As 9d Kh; 2s 9d 3h> 8c | | asks hit-0,stand-0<,double-10;; ,double-10>
        // Only with the first cards: a third card ends the right.
        10 | 2s 9d 2h 8c 2c | hit split | refused action_not_offered";
    fn r000_21_split_costs_the_stake_and_needs_it() "
        9/<18; 17> | 8s 9d 8h 8c | | asks hit-0,stand-0<,double-9,split-9;>
        9/18 | 8s 9d 8h 8c Tc Td | split stand stand | 18 36
        9/17 | 8s 9d 8h 8c Tc Td | split | refused insufficient_balance";
    fn r000_22_hand_1_is_completed_before_hand_2_and_each_is_settled_alone() "
        10 | 8s 9d 8h 8c 2c 9c Td | split hit stand stand | is 1/1+8s D+9d 1/1+8h D+## ?1/1:hit,stand,double,split \
            !split-10 \
            1/1+2c ?1/1:hit,stand,double !hit 1/1+9c ?1/1:hit,stand !stand \
            1/2+Td ?1/2:hit,stand,double !stand D=8c $1/1:win:20 $1/2:win:20
        10 | 8s 9d 8h 9c Tc 9s | split stand stand | 20 10
        10 | 8s 9d 8h Kc Tc 5s 6s 7c | split stand hit hit | 20 0";
    fn r000_23_after_a_split_nobody_has_blackjack() "
        // Split 21 against the dealer's ace and king: a draw.
        10 | As Kd Ah Ac Ks 9c | split stand stand | 20 10
        // Split ace and king win as a plain 21.
        10 | As 9d Ah 8c Ks 9c | split stand stand | 20 40
        // The dealer's natural does not beat a 21 of three cards; split tens with an ace draw with it.
        10 | 8s Kd 8h Ac 3d Tc Td | split hit stand stand | 20 10
        10 | Ts Kd Jh Ac Ad As | split stand stand | 20 20";
    fn r000_24_insurance_is_offered_under_an_ace_to_those_who_can_pay() "
        4/<6; 5> | Td Ah 9c Kh | | asks <insurance-2; hit-0,stand-0>
        5/<8; 7> | Td Ah 9c Kh | | asks <insurance-3; hit-0,stand-0>
        1/<2; 1> | Td Ah 9c Kh | | asks <insurance-1; hit-0,stand-0>
        1000/<1500; 1499> | Td Ah 9c Kh | | asks <insurance-500; hit-0,stand-0>
        // Not under a ten over an ace, nor for the player's own aces.
        4/100 | <Td Kh 9c Ah; Ad 9h Ac Kh> | | asks hit-0,stand-0,double-4<;,split-4>";
    fn r000_25_the_premium_is_half_the_stake_rounded_up_and_buys_a_look() "
        <1; 2; 3; 4; 5; 999; 1000> | Ts Ad 9h 8c | insurance=yes stand | has !insurance=yes-<1; 1; 2; 2; 3; 500; \
            500> peek:no
        <1; 2; 3; 4; 5; 999; 1000> | Ts Ad 9h 8c | insurance=yes stand | <2 1; 3 2; 5 3; 6 4; 8 5; 1499 999; 1500 \
            1000>";
    fn r000_26_a_success_returns_premium_and_stake_and_ends_the_round() "
        <5; 4; 1> | Th Ac 8d Ks | insurance=yes | <8 8; 6 6; 2 2>
        <7; 1> | Ah Ac Qd Js | insurance=yes | <11 18; 2 3>
        1000 | Ah Ac Qd Ts | insurance=yes | 1500 2500
        5 | Th Ac 8d Ks | insurance=yes stand | refused round_over";
    fn r000_27_a_failure_costs_the_premium_and_play_goes_on_over_a_hidden_card() "
        5 | Ts Ad 9h 7c | insurance=yes stand | is 1/1+Ts D+Ad 1/1+9h D+## ?1/1:insurance !insurance=yes-3 peek:no \
            $insurance:loss:0 ?1/1:hit,stand,double !stand D=7c $1/1:win:10
        5 | Ts Ad 9h 7c | insurance=no stand | is 1/1+Ts D+Ad 1/1+9h D+## ?1/1:insurance !insurance=no \
            ?1/1:hit,stand,double !stand D=7c $1/1:win:10
        // No: a blackjack is found at the showdown alone.
        5 | Ts Ad 9h Kc | insurance=no stand | 5 0
        5 | As Ad Kh Kc | insurance=no stand | 5 5";
    fn r000_30_insurance_is_offered_to_a_blackjack_too() "
        7 | Ah Ac Qd Js | | asks insurance-4
        // Lost premium, won blackjack: 4 gone, 18 back.
        7 | Ah Ac Qd 9s | insurance=yes stand | 11 18";
    fn r000_31_insurance_comes_first_and_a_success_draws_no_fifth_card() "
        5 | 8h Ac 8d Ks | <hit; stand; double; split> | refused action_not_offered
        5 | 8h Ac 8d Ks | insurance=yes | 8 8
        // Once, and not after play has begun.
        5 | 8h Ac 8d 9s | insurance=no insurance=yes | refused action_not_offered
        5 | 8h Ac 2d 9s 2c | insurance=no hit insurance=yes | refused action_not_offered";
}
