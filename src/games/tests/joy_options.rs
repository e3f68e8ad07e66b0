//! The options of a blackjack rule set other than JOY's defaults (spec/games/blackjack.md, "The rule set").

use crate::common;
use common::{RICH, check_as, first_offer, joy_with, play_as, trace};
use fairshoe_fairness::Composition;

#[test]
fn option_deal_order_pp_dd() {
    let rules = joy_with(&[("deal_order", "pp_dd")]);
    check_as(&rules, "7 | As Kh 9d 7c 5s | stand | 7 18");
    check_as(&rules, "7 | Ah Qd Ac Js | insurance=yes | 11 18");
    check_as(&rules, "10 | 8s 8h Kd Ac 3d Tc Td | split double stand | 30 20");
}

#[test]
fn option_auto_stand_21() {
    let rules = joy_with(&[("auto_stand_21", "true")]);
    for line in [
        "10 | As 9d Kh 8c | | 10 25",
        "10 | As 9d Kh 8c | stand | refused round_over",
        "10 | 5s 9d 6h 8c Tc | hit | 10 20",
        // After insurance has been decided; two split 21s stand one after the other.
        "10 | As Ad Kh 8c | insurance=no | 10 25",
        "10/14 | As Ad Kh 8c | | 10 25",
        "10 | As 9d Ah 8c Ks Qc | split | 20 40",
        "10 | As 9d Ah 8c 5s 5c Qc | split hit | 20 40",
    ] {
        check_as(&rules, line);
    }
    // A split 21 stands before it can be doubled.
    let course = play_as(&rules, 10, RICH, "As 9d Ah 8c Ks 2c 5d", "split double").unwrap();
    assert!(trace(&course.events).contains("1/1+Ks 1/2+2c ?1/2:hit,stand,double !double-10 1/2+5d"));
}

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
        let rules = joy_with(&[("decks", &decks.to_string())]);
        assert_eq!(rules.composition(), Composition::Decks(decks));
    }
    // Equal cards are allowed, even a fourth ten of one suit.
    check_as(&joy_with(&[("decks", "8")]), "10 | Ts Ts Ts Ts | stand | 10 10");
}

#[test]
fn option_card_limit_0_is_no_limit() {
    let rules = joy_with(&[("card_limit", "0")]);
    for line in [
        "10 | 2s 9d 3h 8c 2d 4h 5c 3c 2h | hit hit hit hit hit stand | 10 20",
        "10 | Ts 2d 7h 2h 2s 3c 4d 3d Ac | stand | 10 10",
        "10 | As Td Ad 9c Ah Ac 2s 2d 2h 2c 3s 3d 3h | hit hit hit hit hit hit hit hit hit stand | 10 20",
    ] {
        check_as(&rules, line);
    }
}

#[test]
fn option_card_limit_3() {
    let rules = joy_with(&[("card_limit", "3")]);
    check_as(&rules, "10 | 2s 9d 3h 8c 2d | hit | 10 0");
    check_as(&rules, "10 | 9s 2d 5h 3c 8h | stand | 10 20");
    check_as(&rules, "10 | 2s 9d 3h 8c 2d | hit hit | refused round_over");
}

#[test]
fn option_insurance_none() {
    let rules = joy_with(&[("insurance", "none")]);
    assert_eq!(first_offer(&rules, 10, RICH, "Td Ah 9c Kh"), "hit-0 stand-0 double-10");
    check_as(&rules, "10 | Td Ah 9c Kh | stand | 10 0");
    check_as(&rules, "10 | Td Ah 9c Kh | insurance=yes | refused action_not_offered");
}

#[test]
fn option_double_after_split_false() {
    let rules = joy_with(&[("double_after_split", "false")]);
    check_as(&rules, "10 | 8s Kd 8h 9c 3d | split double | refused action_not_offered");
    check_as(&rules, "10 | 8s Kd 8h 9c 3d Tc 2d | split stand double | refused action_not_offered");
    check_as(&rules, "10 | 5s Kd 6h 9c Td | double | 20 40");
}

#[test]
fn option_blackjack_rounding_down() {
    let rules = joy_with(&[("blackjack_rounding", "down")]);
    for (stake, returned) in [(1, 2), (2, 5), (3, 7), (5, 12), (7, 17), (10, 25), (999, 2497)] {
        check_as(&rules, &format!("{stake} | As 9d Kh 8c | stand | {stake} {returned}"));
    }
    // The premium is rounded up all the same (R000.24).
    check_as(&rules, "5 | Th Ac 8d Ks | insurance=yes | 8 8");
}

#[test]
fn option_blackjack_pays() {
    for (pays, rounding, stake, returned) in [
        ("[8,5]", "up", 10, 26),
        ("[8,5]", "up", 7, 19),
        ("[8,5]", "down", 7, 18),
        ("[3,2]", "up", 7, 18),
        ("[2,1]", "down", 7, 21),
        ("[10,1]", "up", 7, 77),
        ("[7,3]", "up", 1, 4),
        ("[7,3]", "down", 1, 3),
    ] {
        let rules = joy_with(&[("blackjack_pays", pays), ("blackjack_rounding", rounding)]);
        check_as(&rules, &format!("{stake} | As 9d Kh 8c | stand | {stake} {returned}"));
    }
}

#[test]
fn option_stakes_and_chips() {
    let rules = joy_with(&[("stake_min", "10"), ("stake_max", "50"), ("stake_step", "10"), ("chips", "[]")]);
    for (stake, outcome) in [
        (10, "10 20"),
        (50, "50 100"),
        (9, "refused below_minimum"),
        (51, "refused above_maximum"),
        (25, "refused off_step"),
    ] {
        check_as(&rules, &format!("{stake} | Ts 9d 9h 8c | stand | {outcome}"));
    }
    let listed = fairshoe_games::Bet { chips: Some(vec![common::chips(10)]), ..common::bet("1", 10) };
    let refusal = rules.check_bets(&[listed], common::chips(100)).unwrap_err();
    assert_eq!(refusal.to_string(), "there is no chip of 10; the chips are none: name the stake alone");
}
