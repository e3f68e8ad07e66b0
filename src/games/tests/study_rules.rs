//! The rules of document 004, and the rulings for points on which it is silent, one test for each
//! (spec/games/blackjack.md); rows as `common::rows` reads them.

use crate::common;
use common::boxes::{Play, bets, course};
use common::rows::rounds;
use common::{RICH, bet, chips, rules_with};
use fairshoe_fairness::{Card, Composition, Slot};
use fairshoe_games::{Placed, Reshuffle, RoundEvent, RuleSet};

fn study() -> RuleSet {
    rules_with("study-group", &[])
}

fn study_with(options: &[(&str, &str)]) -> RuleSet {
    rules_with("study-group", options)
}

#[test]
fn r004_1_six_or_eight_packs_of_52() {
    assert_eq!((study().composition(), study().composition().len()), (Composition::Decks(6), 312));
    assert_eq!(study_with(&[("decks", "8"), ("reshuffle", r#"{"left_below":104}"#)]).composition().len(), 416);
}

#[test]
fn r004_18_bets_come_from_chips_that_were_bought() {
    assert_eq!(study().check_bets(&[bet("1", 10)], chips(0)).unwrap_err().code(), "insufficient_balance");
    assert_eq!(study().check_bets(&[bet("1", 10)], chips(9)).unwrap_err().code(), "insufficient_balance");
    assert_eq!(study().check_bets(&[bet("1", 10)], chips(10)), Ok(()));
}

#[test]
fn r004_19_the_limits_are_checked_again_when_the_round_opens() {
    let refused = |stake| {
        let placed = [Placed { player: common::ann(), bets: vec![bet("1", stake)] }];
        study().open_round(&placed).err().map(|refusal| refusal.code())
    };
    assert_eq!(
        (refused(0), refused(1002), refused(3), refused(2)),
        (Some("below_minimum"), Some("above_maximum"), Some("off_step"), None)
    );
}

#[test]
fn r004_3_the_dealers_cards_are_dealt_down_and_the_first_is_turned() {
    let course = course(&study(), "ann 2:10, bob 1:10", "Ts 9s 7d 9h 8h Tc", "stand stand").unwrap();
    assert!(
        common::trace(&course.events)
            .starts_with("1/1+Ts 2/1+9s D+## 1/1+9h 2/1+8h D+## D=7d ?1/1:hit,stand,double,surrender !stand ?2/1"),
        "{}",
        common::trace(&course.events)
    );
    let first = course.events.iter().position(|event| matches!(event, RoundEvent::Turned { .. })).unwrap();
    assert_eq!(course.events[first], RoundEvent::Turned { pile: None, slot: Slot(2), card: "7d".parse().unwrap() });
}

#[test]
fn r004_14_every_card_of_a_round_is_out_of_play_when_it_ends() {
    let course = course(&study(), "ann 1:10, bob 2:10", "Ts 9s 7d 9h 8h Tc", "stand stand").unwrap();
    let shown = course
        .events
        .iter()
        .filter(|event| matches!(event, RoundEvent::Dealt { card: Some(_), .. } | RoundEvent::Turned { .. }));
    assert_eq!(shown.count(), common::drawn(&course.events));
}

#[test]
fn r004_22_a_card_that_was_dealt_is_not_dealt_again() {
    let mut play = Play::at(&study(), "10", "Ts 9d 6h 8c");
    play.table.cards.push("2c".parse::<Card>().unwrap());
    let event = play.round.accept(&common::ann(), 0, &"hit".parse().unwrap(), chips(RICH)).unwrap();
    play.round.apply(&event).unwrap();
    for face_down in 0..4 {
        let again = RoundEvent::Dealt {
            lane: 0,
            slot: Slot(face_down),
            to: fairshoe_games::Place::Hand { spot: 1, hand: 1 },
            card: "2c".parse().ok(),
        };
        assert!(play.round.apply(&again).unwrap_err().0.contains("lies on the table already"));
    }
}

#[test]
fn r004_15_reshuffle_below_a_quarter() {
    assert_eq!(study().table.reshuffle, Reshuffle::LeftBelow(312 / 4));
    for (rules, quarter) in
        [(study(), 78), (study_with(&[("decks", "8"), ("reshuffle", r#"{"left_below":104}"#)]), 104)]
    {
        assert_eq!(usize::from(rules.composition().len()), 4 * quarter);
        assert!(rules.table.reshuffle.is_due(quarter - 1) && !rules.table.reshuffle.is_due(quarter));
    }
}

#[test]
fn r004_17_c7_a_card_is_written_with_t_and_a_small_suit() {
    for text in ["As", "Jc", "Td", "2h", "9s", "Qd", "Kh"] {
        assert_eq!(text.parse::<Card>().unwrap().to_string(), text);
    }
    for text in ["10d", "1s", "AS", "as", "tD", "A", ""] {
        assert!(text.parse::<Card>().is_err(), "{text}");
    }
}

#[test]
fn a004_i_the_threshold_is_the_only_cut_card() {
    // Every card of the shoe may be dealt: a round begins with the first card that is left.
    let play = Play::at(&study(), "10", "Ts 9d 6h 8c");
    assert!(matches!(play.events[0], RoundEvent::Dealt { slot: Slot(0), .. }));
    assert!(matches!(study().table.reshuffle, Reshuffle::LeftBelow(_)));
}

#[test]
fn a004_j_below_a_quarter_is_strict() {
    for (rule, left, due) in [(78, 79, false), (78, 78, false), (78, 77, true), (104, 104, false), (104, 103, true)] {
        assert_eq!(Reshuffle::LeftBelow(rule).is_due(left), due, "{left} of {rule}");
    }
}

#[test]
fn a004_k_one_to_seven_seats() {
    for seats in 2..=7u8 {
        let text = seats.to_string();
        assert!(study().with_options([("seats", text.as_str()), ("boxes", text.as_str())]).is_ok(), "{seats}");
    }
    assert!(study().with_options([("seats", "8"), ("boxes", "8")]).is_err());
    assert_eq!(rules_with("study-group-solo", &[]).open_round(&bets("ann 1:10 7:10")).unwrap().lanes(), 1);
}

#[test]
fn a004_l_the_up_card_is_the_dealers_first_and_both_slots_are_recorded() {
    let play = Play::at(&study(), "10", "Ts 9d 6h 8c");
    let cards = &play.round.view()["dealer"]["cards"];
    assert_eq!(cards[0], serde_json::json!({"slot": 1, "card": "9d"}));
    assert_eq!(cards[1]["card"], serde_json::Value::Null);
    assert_eq!(cards[1]["slot"], 3);
}

rounds! { "study-group":
    fn r004_2_a_bet_lies_between_the_limits() "
        <0; 1002> | | | refused <below_minimum; above_maximum>
        <2; 1000> | Ts 9d 9h 9c | stand | <2 4; 1000 2000>";
    fn r004_4_the_dealer_looks_under_a_ten_and_an_ace() "
        10 | 9h <Td; Jd; Qd; Kd; Ad> 9c 9s | stand | has D=<Td; Jd; Qd; Kd; Ad> peek:no \
            ?1/1:hit,stand,double,split,surrender
        10 | 9h <2d; 9d> 8c 9s | | asks hit-0,stand-0,double-10,surrender-0 & lacks peek
        // Shown only if it is blackjack.
        10 | 9h Td 9c As | | ends D=Td peek:yes D=As $1/1:loss:0";
    fn r004_5_a_blackjack_of_the_dealer_ends_the_round() "
        ann 1:10, bob 2:10 | As 5s Td Kh 6h Ac | | 10 10, 10 0 & ends D=Td peek:yes D=Ac $2/1:loss:0 $1/1:draw:10
        10 | 5s Ad 6h Kc | stand | refused round_over";
    fn r004_6_blackjacks_are_paid_at_once() "
        ann 1:10, bob 2:10 | As Ts <Td; Ad; 9d> Kh 9h 8c | stand \
            | has D=<Td peek:no; Ad peek:no; 9d> $1/1:blackjack:25 ?2/1:hit,stand,double,surrender !stand D=8c";
    fn r004_7_the_others_act_from_the_dealers_left() "
        ann 7:10, bob 3:10 | 8s Ts 9d 8h 9h 8c | | asks 0@3/1:hit-0,stand-0,double-10,split-10,surrender-0";
    fn r004_8_a_hit_asks_again_until_a_bust_which_is_collected_at_once() "
        ann 1:10, bob 2:10 | 2s Ts 9d As 9h 8c 8d Td Kd | hit hit hit stand \
            | has !hit 1/1+8d ?1/1:hit,stand !hit 1/1+Td ?1/1:hit,stand !hit 1/1+Kd $1/1:bust:0 ?2/1";
    fn r004_9_double_for_up_to_the_bet_one_card_next_player() "
        10 | 5s 9d 6h 8c Tc | double<; =4> | <20 40; 14 28>
        10 | 5s 9d 6h 8c Tc | double=12 | refused extra_stake_refused
        10/15 | 5s 9d 6h 8c Tc | double | refused insufficient_balance
        10/15 | 5s 9d 6h 8c Tc | double=5 | 15 30
        ann 1:10, bob 2:10 | 5s Ts 9d 6h 9h 8c 2c | double=4 stand | has !double=4-4 1/1+2c ?2/1";
    fn r004_10_split_and_split_again_one_hand_after_the_other() "
        10 | 8s 9d 8h 8c 8d 3c Tc 2c Ts Qd | split split double stand hit | is 1/1+8s D+## 1/1+8h D+## D=9d \
            ?1/1:hit,stand,double,split,surrender !split-10 1/1+8d ?1/1:hit,stand,double,split !split-10 1/1+3c \
            ?1/1:hit,stand,double !double-10 1/1+Tc 1/2+2c ?1/2:hit,stand,double !stand 1/3+Ts ?1/3:hit,stand,double \
            !hit 1/3+Qd $1/3:bust:0 D=8c $1/2:loss:0 $1/1:win:40
        10/19 | 8s 9d 8h 8c 8d | split | refused insufficient_balance";
    fn r004_11_surrender_loses_half() "
        10 | Ts <9d 6h 8c; Ad 6h 9c> | surrender | 10 5
        ann 1:10, bob 2:10 | Ts Tc 9d 6h 9h 8c | surrender stand | has !surrender $1/1:surrender:5 ?2/1";
    fn r004_12_the_dealer_draws_below_17_and_stands_on_soft_17() "
        10 | Ts 6d 8h Ac | stand | 10 20
        10 | Ts Td 8h 6c 2c | stand | 10 10
        10 | Ts 2d 8h 3c 4c 8d | stand | 10 20
        10 | Ts 5d 8h Ac Tc 3d | stand | 10 0";
    fn r004_13_higher_wins_equal_pushes_a_bust_of_the_dealer_pays_all_that_live() "
        10 | Ts 6d 2h Tc Kc | stand | 10 20
        10 | Ts 9d <9h 8c; 8h 9c; 7h 9c> | stand | 10 <20; 10; 0>
        ann 1:10, bob 2:10 | Ts Td 6d 6h 9h Tc Kh Ks | hit stand | 10 0, 10 20";
    fn r004_21_settled_from_the_highest_seat_to_the_lowest() "
        ann 1:10, bob 4:10, cat 7:10 | Ts Tc Td 9d 9h 8h 7h 8c | stand stand stand \
            | ends D=8c $7/1:draw:10 $4/1:win:20 $1/1:win:20";
    fn r004_16_no_insurance_no_even_money() "
        10 | Ts Ad 9h 7c | insurance=no | refused action_not_offered
        10 | As <Td; Ad> Kh 7c | <even_money; insurance>=yes | refused round_over";
    fn a004_a_the_same_means_the_same_rank() "
        10 | <Ts 9d Th; As 9d Ah> 8c | | asks hit-0,stand-0,double-10,split-10,surrender-0
        10 | <Ts 9d Jh; Qs 9d Kh; 9s 9d Th> 8c | | asks hit-0,stand-0,double-10,surrender-0
        @ split_by_value=on
        10 | <Ts 9d Th; Ts 9d Jh; Qs 9d Kh; As 9d Ah> 8c | | asks hit-0,stand-0,double-10,split-10,surrender-0
        10 | 9s 9d Th 8c | | asks hit-0,stand-0,double-10,surrender-0";
    fn a004_b_at_most_four_hands_a_box_or_any_number() "
        10 | 8s 9d 8h 8c 8d 8c 8s 8h 8d | split split split split | refused action_not_offered
        @ max_hands=unlimited
        10 | 8s 9d 8h 8c 8d 8c 8s 8h Tc Ts Td Th Tc Ts | split split split split split stand stand stand stand stand \
            stand | 60 120";
    fn a004_c_a_second_card_comes_when_its_hand_is_played() "
        10 | 8s 9d 8h 8c 3c Kc Tc | split hit stand stand \
            | has !split-10 1/1+3c ?1/1:hit,stand,double !hit 1/1+Kc ?1/1:hit,stand !stand 1/2+Tc ?1/2";
    fn a004_d_split_aces_play_on_and_make_no_blackjack() "
        10 | As 9d Ah 8c Kc 5c 5d | split stand hit stand | 20 40 & ends $1/2:win:20 $1/1:win:20
        10 | As 7d Ah 7c Kc Tc 7s | split stand stand | 20 20";
    fn a004_e_surrender_is_the_first_action_or_possible_at_any_time() "
        10 | 2s 9d 2h 8c 2c 3c | <hit; split; split stand> surrender | refused action_not_offered
        @ surrender_any_time=on
        10 | 2s 9d 2h 8c Kc | hit surrender | 10 5
        // Half of that hand's bet, the other plays on.
        10 | 8s 9d 8h 8c <Tc 5c; 5c Tc> | split <stand surrender; surrender stand> | 20 25
        // A finished hand is not asked again. This surrender always comes after the look.
        10 | 5s 9d 6h 8c 2c | double surrender | refused round_over
        10 | Ts Ad 6h Kc | surrender | refused round_over";
    fn a004_f_double_on_two_cards_of_any_hand_or_at_every_question() "
        10 | 8s 9d 8h 8c 3c Tc 2c Td | split double=1 double=10 | 31 62
        10 | 5s 9d 2h 8c 2c | hit double | refused action_not_offered
        10 | 5s 9d 6h 8c Tc | double=1 | 11 22
        10 | 5s 9d 6h 8c Tc | double=0 | refused extra_stake_refused
        10/10 | 5s 9d 6h 8c Tc | double=1 | refused insufficient_balance
        @ double_any_cards=on
        10 | 5s 9d 2h 8c 2c Kc | hit double=3 | 13 26
        10 | 8s 9d 8h 8c 2c 2d 9h Tc | split hit double stand | 30 60";
    fn a004_g_halves_at_step_1_go_to_the_house() "
        @ stake_step=1
        <25; 3> | Ts 9d 6h 8c | surrender | <25 12; 3 1>
        <15; 3> | As 9d Kh 8c | | <15 37; 3 7>";
    fn a004_h_nobody_left_and_the_hole_card_is_shown() "
        10 | <Ts 6d 6h Tc Kc; As 6d Kh Tc; Ts 6d 6h Tc> | <hit; ; surrender> | ends $1/1:<bust:0; blackjack:25; \
            surrender:5> D=Tc
        // By the letter, the dealer still draws to 17.
        @ dealer_always_draws=on
        10 | <Ts 6d 6h Tc Kc; As 6d Kh Tc; Ts 6d 6h Tc> 2c 3c | <hit; ; surrender> \
            | ends $1/1:<bust:0; blackjack:25; surrender:5> D=Tc D+2c";
    fn a004_m_a_21_may_be_hit() "
        10 | 5s 9d 6h 8c Tc <2c;> | hit <hit; stand> | 10 <0; 20>
        @ auto_stand_21=on
        10 | 5s 9d 6h 8c Tc | hit | 10 20
        10 | 5s 9d 6h 8c Tc 2c | hit hit | refused round_over";
}
