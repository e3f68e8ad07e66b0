//! The options of a blackjack rule set other than JOY's defaults (spec/games/blackjack.md, "The rule set"); rows as
//! `common::rows` reads them.

use crate::common;
use common::rows::{check, rounds};
use common::{RICH, joy_with, trace};
use fairshoe_fairness::Composition;

/// Money that comes during the round does not open the insurance window again: the hole card lies open by then.
#[test]
fn option_auto_stand_21_asks_no_insurance_after_the_hole_card_is_turned() {
    let mut round = joy_with(&[("auto_stand_21", "true")]).open_round(&[common::placed(10)]).unwrap();
    let mut pile = common::Pile { cards: common::cards("As Ad Kh 8c"), drawn: 0, funds: common::chips(4) };
    let mut events = Vec::new();
    while let Some(event) = round.step(&pile).unwrap() {
        round.apply(&event).unwrap();
        pile.follow(&event);
        if trace(std::slice::from_ref(&event)) == "D=8c" {
            pile.funds = common::chips(RICH);
        }
        events.push(event);
    }
    assert_eq!(trace(&events), "1/1+As D+Ad 1/1+Kh D+## D=8c $1/1:blackjack:25");
}

#[test]
fn option_decks() {
    for decks in 1..=8u8 {
        assert_eq!(joy_with(&[("decks", &decks.to_string())]).composition(), Composition::Decks(decks));
    }
    // Equal cards are allowed, even a fourth ten of one suit.
    check("joy", "@ decks=8 | 10 | Ts Ts Ts Ts | stand | 10 10");
}

#[test]
fn option_stakes_and_chips() {
    let options = [("stake_min", "10"), ("stake_max", "50"), ("stake_step", "10"), ("chips", "[]")];
    let rows = "@ stake_min=10 stake_max=50 stake_step=10 chips=[]
        <10; 50> | Ts 9d 9h 8c | stand | <10 20; 50 100>
        <9; 51; 25> | Ts 9d 9h 8c | stand | refused <below_minimum; above_maximum; off_step>";
    check("joy", rows);
    let listed = fairshoe_games::Bet { chips: Some(vec![common::chips(10)]), ..common::bet("1", 10) };
    let refusal = joy_with(&options).check_bets(&[listed], common::chips(100)).unwrap_err();
    assert_eq!(refusal.to_string(), "there is no chip of 10; the chips are none: name the stake alone");
}

rounds! { "joy":
    fn option_deal_order_pp_dd() "
        @ deal_order=pp_dd
        7 | As Kh 9d 7c 5s | stand | 7 18
        7 | Ah Qd Ac Js | insurance=yes | 11 18
        10 | 8s 8h Kd Ac 3d Tc Td | split double stand | 30 20";
    fn option_auto_stand_21() "
        @ auto_stand_21=true
        10 | As 9d Kh 8c | | 10 25
        10 | As 9d Kh 8c | stand | refused round_over
        10 | 5s 9d 6h 8c Tc | hit | 10 20
        // After insurance has been decided; two split 21s stand one after the other.
        10 | As Ad Kh 8c | insurance=no | 10 25
        10/14 | As Ad Kh 8c | | 10 25
        10 | As 9d Ah 8c Ks Qc | split | 20 40
        10 | As 9d Ah 8c 5s 5c Qc | split hit | 20 40
        // A split 21 stands before it can be doubled.
        10 | As 9d Ah 8c Ks 2c 5d | split double | has 1/1+Ks 1/2+2c ?1/2:hit,stand,double !double-10 1/2+5d";
    fn option_card_limit_0_is_no_limit() "
        @ card_limit=0
        10 | 2s 9d 3h 8c 2d 4h 5c 3c 2h | hit hit hit hit hit stand | 10 20
        10 | Ts 2d 7h 2h 2s 3c 4d 3d Ac | stand | 10 10
        10 | As Td Ad 9c Ah Ac 2s 2d 2h 2c 3s 3d 3h | hit hit hit hit hit hit hit hit hit stand | 10 20";
    fn option_card_limit_3() "
        @ card_limit=3
        10 | 2s 9d 3h 8c 2d | hit | 10 0
        10 | 9s 2d 5h 3c 8h | stand | 10 20
        10 | 2s 9d 3h 8c 2d | hit hit | refused round_over";
    fn option_insurance_none() "
        @ insurance=none
        10 | Td Ah 9c Kh | | asks hit-0,stand-0,double-10
        10 | Td Ah 9c Kh | stand | 10 0
        10 | Td Ah 9c Kh | insurance=yes | refused action_not_offered";
    fn option_double_after_split_false() "
        @ double_after_split=false
        10 | 8s Kd 8h 9c 3d | split double | refused action_not_offered
        10 | 8s Kd 8h 9c 3d Tc 2d | split stand double | refused action_not_offered
        10 | 5s Kd 6h 9c Td | double | 20 40";
    fn option_blackjack_rounding_down() "
        @ blackjack_rounding=down
        <1; 2; 3; 5; 7; 10; 999> | As 9d Kh 8c | stand | <1 2; 2 5; 3 7; 5 12; 7 17; 10 25; 999 2497>
        // The premium is rounded up all the same (R000.24).
        5 | Th Ac 8d Ks | insurance=yes | 8 8";
    fn option_blackjack_pays() "
        @ blackjack_pays=[8,5] | <10; 7> | As 9d Kh 8c | stand | <10 26; 7 19>
        @ blackjack_pays=[<8,5; 2,1; 7,3>] blackjack_rounding=down | <7; 7; 1> | As 9d Kh 8c | stand | <7 18; 7 21; 1 3>
        @ blackjack_pays=[<3,2; 10,1; 7,3>] | <7; 7; 1> | As 9d Kh 8c | stand | <7 18; 7 77; 1 4>";
}
