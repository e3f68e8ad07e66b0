//! The worked examples of the JOY rules (spec/games/blackjack.md), each with every card it draws.

use crate::common;
use common::{check, joy, traced};
use fairshoe_games::{BetRefusal, Placement};

#[test]
fn g000_1_blackjack_on_an_odd_stake() {
    check(&["7 | As 9d Kh 7c 5s | stand | 7 18"]);
    assert_eq!(
        traced(7, "As 9d Kh 7c 5s", "stand"),
        "1/1+As D+9d 1/1+Kh D+## ?1/1:hit,stand !stand D=7c D+5s $1/1:blackjack:18"
    );
}

#[test]
fn g000_2_insurance_won() {
    check(&["5 | Th Ac 8d Ks | insurance=yes | 8 8"]);
}

#[test]
fn g000_3_insurance_won_with_an_own_blackjack() {
    check(&["7 | Ah Ac Qd Js | insurance=yes | 11 18"]);
}

#[test]
fn g000_5_split_then_double_and_no_blackjack_for_the_dealer() {
    check(&["10 | 8s Kd 8h Ac 3d Tc Td | split double stand | 30 20"]);
}

#[test]
fn g000_7_both_have_blackjack() {
    check(&["3 | Kc Kd Ad As | stand | 3 3"]);
}

#[test]
fn g000_8_too_poor_to_be_asked() {
    check(&["4/5 | Td Ah 9c Kh | stand | 4 0"]);
}

#[test]
fn g000_9_split_and_both_hands_bust() {
    check(&["6 | 9h 5c 9d Tc 6h Kd 7s Qd | split hit hit | 12 0"]);
}

#[test]
fn refused_a_chip_of_100_when_70_of_120_are_left() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, common::chips(120));
    placement.place(common::chips(50)).unwrap();
    let refused = placement.place(common::chips(100));
    assert_eq!(refused, Err(BetRefusal::ChipAboveBalance { chip: common::chips(100), left: common::chips(70) }));
    assert_eq!(placement.placed(), common::chips(50));
}

#[test]
fn refused_an_eleventh_chip_of_100() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, common::chips(5000));
    (0..10).for_each(|_| placement.place(common::chips(100)).unwrap());
    assert_eq!(placement.place(common::chips(100)).unwrap_err().code(), "above_maximum");
    assert_eq!(placement.placed(), common::chips(1000));
}

#[test]
fn refused_a_double_of_9_with_a_balance_of_8() {
    check(&["9/17 | 5s 6d 4h Tc | double | refused insufficient_balance"]);
}

#[test]
fn refused_a_split_of_king_and_nine() {
    check(&["9 | Ks 6d 9h Tc | split | refused action_not_offered"]);
}

#[test]
fn refused_a_third_hand() {
    check(&["9 | 8s 6d 8h Tc 8d | split split | refused action_not_offered"]);
}
