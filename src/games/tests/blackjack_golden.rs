//! The worked examples of the forms of blackjack beside JOY's (spec/games/blackjack.md), each with every card it draws.

use crate::common;
use common::boxes::{check, traced};
use common::rules_with;
use fairshoe_games::RuleSet;

fn live() -> RuleSet {
    rules_with("live-blackjack", &[])
}

fn six() -> RuleSet {
    rules_with("six-deck", &[])
}

fn study() -> RuleSet {
    rules_with("study-group", &[])
}

#[test]
fn g001bj_1_blackjack_on_an_odd_bet_at_step_1() {
    let rules = rules_with("live-blackjack", &[("stake_step", "1")]);
    check(&rules, &["2505 | As 7d Kh Tc | | 2505 6262"]);
    assert_eq!(traced(&rules, "2505", "As 7d Kh Tc", ""), "1/1+As D+7d 1/1+Kh D+## D=Tc $1/1:blackjack:6262");
    check(&live(), &["2505 | As 7d Kh Tc | | refused off_step"]);
}

#[test]
fn g001bj_2_insurance_won() {
    check(&live(), &["2000 | 9h Ad 8c Ks | insurance=yes | 3000 3000"]);
}

#[test]
fn g001bj_3_insured_blackjack_against_blackjack() {
    check(&live(), &["2000 | Ah Ad Qc Ks | insurance=yes | 3000 5000"]);
}

#[test]
fn g001bj_6_double_for_less_and_push() {
    check(&live(), &["1000 | 5h 6d 6c Ts Th 5c | double=400 | 1400 1400"]);
}

#[test]
fn g001bj_7_two_seats() {
    check(&live(), &["ann 1:1000, bob 2:1000 | Ah Tc 7d Kd 9c 7s 4h | stand | 1000 2500, 1000 2000"]);
    assert_eq!(
        traced(&live(), "ann 1:1000, bob 2:1000", "Ah Tc 7d Kd 9c 7s 4h", "stand"),
        "1/1+Ah 2/1+Tc D+7d 1/1+Kd 2/1+9c D+## ?2/1:hit,stand,double !stand D=7s D+4h $1/1:blackjack:2500 $2/1:win:2000"
    );
}

#[test]
fn g001bj_8_split_aces_get_one_card() {
    check(&live(), &["1000 | Ac 9d Ah 8c Kh 5s | split | 2000 2000"]);
    assert_eq!(
        traced(&live(), "1000", "Ac 9d Ah 8c Kh 5s", "split"),
        "1/1+Ac D+9d 1/1+Ah D+## ?1/1:hit,stand,double,split !split-1000 1/1+Kh 1/2+5s D=8c $1/1:win:2000 $1/2:loss:0"
    );
}

#[test]
fn g003_1a_even_money_taken() {
    check(&six(), &["100 | As Td Kh Ac | even_money=yes | 100 200"]);
}

#[test]
fn g003_1b_waited_and_the_dealer_has_blackjack() {
    check(&six(), &["100 | As Td Kh Ac | even_money=no | 100 100"]);
}

#[test]
fn g003_1c_waited_and_he_has_none() {
    check(&six(), &["100 | As Td Kh 9c | even_money=no | 100 250"]);
}

#[test]
fn g003_2_insurance_won() {
    check(&six(), &["10 | Ts Ad 6h Kc | insurance=yes stand | 15 15"]);
}

#[test]
fn g003_3_insurance_lost() {
    check(&six(), &["10 | Ts Ad 9h 7c | insurance=yes stand | 15 20"]);
}

#[test]
fn g003_5_early_surrender() {
    check(&six(), &["50 | Ts Ad 6h Kc | insurance=no surrender | 50 25"]);
}

#[test]
fn g003_7_split_and_double_against_blackjack() {
    check(&six(), &["10 | 8s Td 8h Ac 3c Th Kc | split double stand | 30 0"]);
    assert!(
        traced(&six(), "10", "8s Td 8h Ac 3c Th Kc", "split double stand")
            .contains("!split-10 1/1+3c 1/2+Th ?1/1:hit,stand,double")
    );
}

#[test]
fn g003_odd_stakes() {
    check(&six(), &["5 | | | refused off_step"]);
    let rules = rules_with("six-deck", &[("stake_step", "1")]);
    check(
        &rules,
        &[
            "5 | As 9d Kh 8c | | 5 12",
            "5 | Ts 9d 6h 8c | surrender | 5 2",
            "5 | Ts Ad 9h 7c | insurance=yes stand | 7 10",
            "5 | Ts Ad 6h Kc | insurance=yes stand | 7 6",
        ],
    );
}

#[test]
fn g004_1_blackjack_on_an_odd_bet_at_step_1() {
    let rules = rules_with("study-group", &[("stake_step", "1")]);
    check(&rules, &["15 | As 6d Kh Tc | | 15 37"]);
    assert_eq!(traced(&rules, "15", "As 6d Kh Tc", ""), "1/1+As D+## 1/1+Kh D+## D=6d $1/1:blackjack:37 D=Tc");
}

#[test]
fn g004_3_surrender_of_an_odd_bet_at_step_1() {
    let rules = rules_with("study-group", &[("stake_step", "1")]);
    check(&rules, &["25 | Ts Ad 6h 9c | surrender | 25 12"]);
    assert_eq!(
        traced(&rules, "25", "Ts Ad 6h 9c", "surrender"),
        "1/1+Ts D+## 1/1+6h D+## D=Ad peek:no ?1/1:hit,stand,double,surrender !surrender $1/1:surrender:12 D=9c"
    );
}

#[test]
fn g004_4_double_for_less() {
    check(&study(), &["100 | 5s 6d 4h Tc Kh 2s | double=30 | 130 260"]);
}

#[test]
fn g004_6_split_aces_play_on() {
    check(&study(), &["10 | As 9d Ah 9c Kh 5s 4d | split stand hit stand | 20 40"]);
    assert_eq!(
        traced(&study(), "10", "As 9d Ah 9c Kh 5s 4d", "split stand hit stand"),
        "1/1+As D+## 1/1+Ah D+## D=9d ?1/1:hit,stand,double,split,surrender !split-10 1/1+Kh ?1/1:hit,stand,double !stand \
         1/2+5s ?1/2:hit,stand,double !hit 1/2+4d ?1/2:hit,stand !stand D=9c $1/2:win:20 $1/1:win:20"
    );
}

#[test]
fn g004_refused() {
    check(
        &study(),
        &[
            "10 | Ts Ad 9h 7c | insurance=yes | refused action_not_offered",
            "10 | Ts Td 9h 7c | even_money=yes | refused action_not_offered",
            "10 | Ts 9d Jh 7c | split | refused action_not_offered",
            "10 | 5s 6d 4h Tc Kh | double=12 | refused extra_stake_refused",
            "10 | 5s 6d 4h Tc Kh | double=11 | refused extra_stake_refused",
            "10 | 5s 6d 4h Tc Kh | double=0 | refused extra_stake_refused",
        ],
    );
}
