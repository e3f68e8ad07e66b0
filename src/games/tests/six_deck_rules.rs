//! The rules of document 003, and the rulings for points on which it is silent, one test for each
//! (spec/games/blackjack.md); rows as `common::rows` reads them.

use crate::common;
use common::boxes::{Play, bets, course};
use common::rows::{check, rounds};
use common::{bet, chips, rules_with};
use fairshoe_fairness::Composition;
use fairshoe_games::blackjack::{SecondCards, Surrender, total};
use fairshoe_games::{Mode, Reshuffle, RuleSet};

fn six() -> RuleSet {
    rules_with("six-deck", &[])
}

#[test]
fn r003_1_six_packs_and_an_ace_of_1_or_11() {
    assert_eq!(six().composition(), Composition::Decks(6));
    for (hand, points) in [("Ts Jd", 20), ("Qh Kc", 20), ("As 6d", 17), ("As 6d Tc", 17), ("2s 9d", 11)] {
        assert_eq!(total(common::cards(hand)).points, points, "{hand}");
    }
}

#[test]
fn r003_2_several_boxes_each_a_player_of_its_own() {
    // 19 wins 20, 21 doubled wins 80; of the split eights 8 3 stands and loses, 8 2 9 = 19 wins; against 17.
    let rows = "ann 1:10 2:20 4:30 | Ts 5s 8s 7d 9h 6h 8h Tc Tc 3c 2c 9d | stand double split stand hit stand \
            | ends $1/1:win:20 $2/1:win:80 $4/1:loss:0 $4/2:win:60
        ann 1:10 2:10, bob 2:10 | | | refused spot_taken";
    check("six-deck", rows);
    for set in ["six-deck", "six-deck-solo"] {
        let rules = rules_with(set, &[]);
        assert_eq!(rules.table.bets_per_player, 5);
        let all = rules.open_round(&bets("ann 1:10 2:10 3:10 4:10 5:10")).unwrap();
        assert_eq!(all.pending_stakes(), [(common::ann(), chips(50))]);
        check(set, "ann <1:10 1:10; 6:10; 0:10> | | | refused <spot_twice; unknown_spot; unknown_spot>");
    }
}

#[test]
fn r003_15_bets_before_the_deal_and_repeat_places_the_opening_bets_alone() {
    // A box without a bet gets no cards.
    let opening = "ann 2:10 5:20";
    let acts = "insurance=yes insurance=yes double split stand stand";
    let course = course(&six(), opening, "5s 8s Ad 6h 8h 9c 9d 3c 2c", acts).unwrap();
    assert!(common::trace(&course.events).starts_with("2/1+5s 5/1+8s D+Ad 2/1+6h 5/1+8h D+##"));
    assert_eq!(course.staked, chips(30 + 15 + 10 + 20));
    // The same bets again need the amount that was staked before the deal: no double, no split, no insurance.
    let again = six().open_round(&bets(opening)).unwrap();
    assert_eq!(again.pending_stakes(), [(common::ann(), chips(30))]);
}

#[test]
fn r003_3_each_box_two_cards_up_the_dealer_one_up_one_down() {
    let play = Play::at(&six(), "ann 1:10, bob 2:10", "Ts 9s 8d 9h 7h Tc");
    assert!(play.trace().starts_with("1/1+Ts 2/1+9s D+8d 1/1+9h 2/1+7h D+## ?1/1"));
    assert_eq!(play.round.view()["dealer"]["cards"][1]["card"], serde_json::Value::Null);
}

#[test]
fn r003_13_reshuffle_when_half_of_the_cards_are_left() {
    for rules in [six(), rules_with("six-deck-solo", &[])] {
        assert_eq!(rules.table.reshuffle, Reshuffle::LeftAtMost(312 / 2));
        for (left, due) in [(158, false), (157, false), (156, true), (155, true)] {
            assert_eq!(rules.table.reshuffle.is_due(left), due, "{left} left");
        }
    }
}

#[test]
fn r003_14_a_new_round_takes_a_new_bet_or_the_same() {
    for (money, staked) in [("ann 1:10 3:20", 30), ("ann 1:10 3:20", 30), ("ann 2:500", 500)] {
        let mut play = Play::at(&six(), money, "Ts Tc 9d 9h 9s 9c");
        assert_eq!(play.round.pending_stakes(), [(common::ann(), chips(staked))], "{money}");
        while let Some(open) = play.round.open_decisions().first().cloned() {
            play.lapse(open.number);
        }
        assert!(play.round.is_settled());
        assert_eq!(play.round.pending_stakes(), [(common::ann(), chips(0))]);
    }
}

#[test]
fn a003_l_five_boxes_never_use_up_half_a_shoe() {
    let rules = rules_with("six-deck", &[("max_hands", "4")]);
    assert_eq!(common::options_of(&six()).boxes, 5);
    // The smallest cards that add up to 157, split and hit as far as possible: the rest still suffices.
    for seed in 0..200 {
        let mut dice = common::Dice(seed);
        let mut shoe = common::boxes::shuffled(&mut dice, 6, false);
        shoe.sort_by_key(|card| card.rank());
        shoe.truncate(157);
        dice.shuffle(&mut shoe[..157]);
        let mut play = Play::new(&rules, &bets("ann 1:10 2:10 3:10 4:10 5:10"), 1_000_000, shoe);
        play.run();
        while let Some(open) = play.round.open_decisions().first().cloned() {
            let offered = play.open();
            let act = ["insurance=no", "even_money=no", "split", "hit"]
                .into_iter()
                .find(|act| offered.contains(act.split('=').next().unwrap()));
            play.act(open.number, act.unwrap()).unwrap();
        }
        assert!(play.round.is_settled());
        assert!(common::drawn(&play.events) <= 151, "seed {seed}");
    }
}

#[test]
fn a003_m_the_window_first_then_boxes_and_hands_from_left_to_right() {
    let mut play = Play::at(&six(), "ann 1:10 3:10, bob 2:10", "8s Ts As Ad 8h 9h Kh 7c 2c 3s Ts Tc Ts 3h Td");
    // Box 3 has blackjack under an ace: it is not asked.
    assert_eq!(play.open(), "0@1/1:insurance-5 1@2/1:insurance-5");
    play.act(1, "insurance=no").unwrap();
    play.act(0, "insurance=yes").unwrap();
    play.act(2, "split").unwrap();
    for decision in 3..6 {
        play.lapse(decision);
    }
    assert!(play.round.is_settled());
    let trace = play.trace();
    let asked = trace.split(' ').filter(|word| word.starts_with('?')).map(|word| word.split(':').next().unwrap());
    assert_eq!(asked.collect::<Vec<_>>(), ["?1/1", "?2/1", "?1/1", "?1/1", "?1/2", "?2/1"]);
    let row = "ann 1:10, bob 2:10, cat 3:10 | As Ts As Td Kh 9h Qh 7c | | asks 0@1/1:even_money-0 1@3/1:even_money-0";
    check("six-deck", row);
}

#[test]
fn c6_the_form_is_played_shared_or_solo() {
    let (shared, solo) = (six(), rules_with("six-deck-solo", &[]));
    assert_eq!((shared.table.mode, solo.table.mode), (Mode::Shared, Mode::Solo));
    assert_eq!(common::options_of(&shared), common::options_of(&solo));
    let defaults = common::options_of(&shared);
    assert_eq!((defaults.surrender, defaults.second_cards), (Surrender::Early, SecondCards::AtOnce), "A003.d, A003.q");
    assert_eq!(solo.open_round(&bets("ann 1:10, bob 2:10")).err().unwrap().code(), "player_count");
    assert_eq!(shared.check_bets(&[bet("5", 2)], chips(2)), Ok(()));
}

rounds! { "six-deck":
    fn r003_4_the_dealer_hits_until_17() "
        10 | Ts Td 8h <6c 2c; 7c> | stand | 10 <10; 20>
        10 | Ts 2d 8h 2c 3c 4c 5c Ac | stand | 10 20";
    fn r003_5_blackjack_pays_3_to_2() "
        <10; 1000> | As 9d <Kh; Th> 8c | | <10 25; 1000 2500>";
    fn r003_6_even_money_under_a_ten() "
        10 | As <Td; Jd; Qd; Kd> Kh 9c | | asks 0@1/1:even_money-0
        10 | As <Ad; 9d; 2d> Kh 5c 5d | | asks nothing
        10 | As Td Kh <9c; Ac> | even_money=yes | 10 20
        10 | As Td Kh <9c; Ac> | even_money=no | 10 <25; 10>
        10 | Ts Td 9h 8c | even_money=yes | refused action_not_offered
        // Paid at once, while the dealer's hand is unknown.
        10 | As Td Kh Ac | even_money=yes | ends !even_money=yes $1/1:evenmoney:20 D=Ac";
    fn r003_7_insurance_under_an_ace_without_a_blackjack() "
        10 | Ts Ad 9h 7c | | asks 0@1/1:insurance-5
        10 | Ts Ad 9h <Kc; 7c> | insurance=yes stand | 15 <15; 20>
        10 | Ts Ad 9h Kc | insurance=no stand | 10 0
        // Not with a blackjack.
        10 | As Ad Kh 7c | insurance=yes | refused round_over";
    fn r003_8_hit_or_stand() "
        10 | 2s 9d 3h 8c 4c 5c 6c | hit hit hit stand | 10 20
        10 | Ts 9d 2h 8c | stand | 10 0";
    fn r003_9_double_is_twice_the_bet_and_the_last_card() "
        10 | 5s 9d 6h 8c <Tc; 2c> | double | 20 <40; 0>
        10 | 5s 9d 6h 8c 2c 3c | double hit | refused round_over";
    fn r003_10_split_two_of_one_value_and_a_blackjack_beats_it() "
        10 | Ts 9d Kh 8c 9c 8s | split stand stand | 20 40
        // Ace and ten after a split: 21, which the dealer's blackjack beats and the dealer's 21 pushes.
        10 | As <Td Ah Ac; 7d Ah 7c; 9d Ah 8c> Kc Qc <; 7s;> | split | 20 <0; 20; 40>
        10/19 | 8s 9d 8h 8c Tc Ts | split | refused insufficient_balance";
    fn r003_11_give_up_loses_exactly_half() "
        10 | Ts 9d 6h 8c | surrender | 10 5
        10 | Ts 9d 2h 8c 2c | hit surrender | refused action_not_offered
        10 | 8s 9d 8h 8c 2c 3c | split surrender | refused action_not_offered
        10 | 8s 9d 8h 8c Tc 3c | split stand surrender | refused action_not_offered";
    fn r003_12_a_bust_is_lost_at_once() "
        ann 1:10, bob 2:10 | Ts Tc 9d 6h 9h 8c Kc | hit stand \
            | has 1/1+Kc $1/1:bust:0 ?2/1:hit,stand,double,surrender & ends D=8c $2/1:win:20";
    fn a003_a_insurance_pays_2_to_1_or_by_the_letter_3_to_1() "
        2 | Ts Ad 9h Kc | insurance=yes stand | 3 3
        @ insurance_odds=3:1
        2 | Ts Ad 9h <Kc; 7c> | insurance=yes stand | 3 4
        10 | Ts Ad 9h Kc | insurance=yes stand | 15 20";
    fn a003_b_even_money_under_an_ace_is_the_option() "
        // By default a blackjack under an ace is asked nothing: 3:2 or a push at the end.
        10 | As Ad Kh <9c; Kc> | | 10 <25; 10>
        @ even_money_upcards=ace
        10 | As Ad Kh <9c; Kc> | even_money=yes | 10 20
        10 | As Ad Kh Kc | even_money=no | 10 10
        10 | As Td Kh 9c | | 10 25
        // One window holds both questions.
        ann 1:10, bob 2:10 | As Ts Ad Kh 9h 2c | | asks 0@1/1:even_money-0 1@2/1:insurance-5";
    fn a003_c_nobody_peeks_and_insurance_is_settled_at_the_end() "
        10 | 5s <Td; Kd> 6h Ac Tc | double | lacks peek & ends D=Ac $1/1:loss:0
        10 | 8s Ad 8h Kc Tc 9c | insurance=yes split stand stand | is 1/1+8s D+Ad 1/1+8h D+## ?1/1:insurance \
            !insurance=yes-5 \
            ?1/1:hit,stand,double,split,surrender !split-10 1/1+Tc 1/2+9c ?1/1:hit,stand,double !stand \
            ?1/2:hit,stand,double !stand D=Kc $insurance:win:15 $1/1:loss:0 $1/2:loss:0
        10 | Ts Ad 9h 7c | insurance=yes stand | ends D=7c $insurance:loss:0 $1/1:win:20";
    fn a003_d_give_up_is_early_and_late_is_the_option() "
        50 | Ts <Td 6h Ac; Td 6h 9c; 9d 6h 9c> | surrender | 50 25
        50 | Ts Ad 6h Kc | insurance=no surrender | 50 25
        50 | Ts Td 6h Ac | surrender | ends !surrender $1/1:surrender:25 D=Ac
        // Early: at once. Late: at the round's end.
        @ surrender=late
        50 | Ts <Td 6h Ac; Td 6h 9c; 9d 6h 9c> | surrender | 50 <0; 25; 25>
        50 | Ts Ad 6h Kc | insurance=no surrender | 50 0
        50 | Ts Td 6h Ac | surrender | ends !surrender D=Ac $1/1:loss:0
        50 | Ts 5d 6h 9c | surrender | ends !surrender D=9c $1/1:surrender:25";
    fn a003_e_two_blackjacks_push() "
        10 | As Ad Kh Kc | | 10 10
        10 | As Td Kh Ac | even_money=no | 10 10";
    fn a003_f_the_dealer_stands_on_soft_17() "
        10 | Ts <6d; 5d> 8h Ac <; Ad> | stand | 10 20
        10 | Ts 5d 8h Ac Tc Ac | stand | 10 20";
    fn a003_g_double_on_two_cards_split_hands_too_and_never_for_less() "
        10 | 5s 9d 6h 8c Tc | double=9 | refused extra_stake_refused
        10 | 5s 9d 6h 8c Tc | double=10 | 20 40
        10 | 5s 9d 2h 8c 2c | hit double | refused action_not_offered
        10 | 8s 9d 8h 8c 3c 2c Tc Td | split double double | 40 80
        @ double_any_cards=on
        10 | 5s 9d 2h 8c 2c Tc | hit double | 20 40 & has ?1/1:hit,stand,double !double-10 1/1+Tc D=8c
        10 | 5s 9d 2h 8c 2c 3c 9c | hit hit double | 20 40";
    fn a003_h_one_split_or_up_to_four_hands() "
        10 | 8s 9d 8h 8c 8d 3c | split split | refused action_not_offered
        @ max_hands=3 | 10 | 8s 9d 8h 8c 8d 3c 8c 2c | split split split | refused action_not_offered
        // Split aces play on, and are doubled.
        10 | As 9d Ah 8c 2c 3c 5c 6c | split hit stand double | 30 60
        // The new hand comes right after the one it came from; both halves get a card before any is played.
        @ max_hands=4
        10 | 8s 9d 8h 8c 8d 3c 8c 2c Tc Ts Td Th | split split split stand stand stand stand | is 1/1+8s D+9d 1/1+8h \
            D+## \
            ?1/1:hit,stand,double,split,surrender !split-10 1/1+8d 1/2+3c \
            ?1/1:hit,stand,double,split !split-10 1/1+8c 1/2+2c ?1/1:hit,stand,double,split !split-10 1/1+Tc 1/2+Ts \
            ?1/1:hit,stand,double !stand ?1/2:hit,stand,double !stand ?1/3:hit,stand,double !stand \
            ?1/4:hit,stand,double !stand D=8c $1/1:win:20 $1/2:win:20 $1/3:loss:0 $1/4:loss:0
        10 | 8s 9d 8h 8c 8d 3c 8c 2c 8d Ts Td Th | split split split split | refused action_not_offered";
    fn a003_i_give_up_with_insurance_taken_which_stays() "
        50 | Ts Ad 6h <Kc; 9c> | insurance=yes surrender | 75 <100; 25>
        50 | Ts 9d 2h 8c 3c | hit surrender | refused action_not_offered
        50 | 5s 9d 6h 8c Tc | double surrender | refused round_over
        50 | Ts Ad 6h Kc | insurance=yes surrender | ends !surrender $1/1:surrender:25 D=Kc $insurance:win:75";
    fn a003_j_halves_at_step_1_go_to_the_house() "
        @ stake_step=1
        5 | Ts 9d 6h 8c | surrender | 5 2
        7 | Ts Ad 6h Kc | insurance=yes stand | 10 9
        3 | Ts Ad 6h Kc | insurance=yes surrender | 4 4";
    fn a003_k_blackjack_at_step_1_rounds_down() "
        @ stake_step=1
        <5; 3; 2> | As 9d Kh 8c | | <5 12; 3 7; 2 5>";
    fn a003_n_no_live_hand_but_blackjack_and_the_dealer_draws_nothing() "
        10 | As 5d Kh 6c | | 10 25
        10 | Ts 5d 6h 6c Kc | hit | 10 0 & ends $1/1:bust:0 D=6c
        ann 1:10, bob 2:10 | As Ts 5d Kh 6h 6c | surrender | 10 25, 10 5";
    fn a003_o_a_blackjack_and_a_21_are_not_played() "
        10 | As 9d Kh 8c | <hit; double; surrender; stand> | refused round_over
        10 | 5s 9d 6h 8c Tc | hit | 10 20
        10 | 5s 9d 6h 8c Tc | hit stand | refused round_over
        @ auto_stand_21=off
        10 | As 9d Kh 8c | <hit; double; surrender; stand> | refused round_over
        10 | 5s 9d 6h 8c Tc 2c | hit hit | 10 0";
    fn a003_p_who_wins() "
        10 | Ts 6d 6h Tc Kc | hit | 10 0
        10 | As 9d Kh 8c | | 10 25
        10 | 5s Kd 6h Ac Tc | hit | 10 0
        10 | Ts 6d 2h Tc Kc | stand | 10 20
        10 | Ts 9d <9h; 8h; 7h> 9c | stand | 10 <20; 10; 0>
        // A bust loses even if the dealer busts for the others.
        ann 1:10, bob 2:10 | Ts Td 6d 6h 9h Tc Kh Ks | hit stand | 10 0, 10 20";
    fn a003_q_second_cards_at_once_from_left_to_right() "
        10 | 8s 9d 8h 8c 3c Tc Kc | split hit stand | has !split-10 1/1+3c 1/2+Tc ?1/1:hit,stand,double !hit 1/1+Kc \
            ?1/2";
    fn a003_r_a_split_forbids_to_give_up_in_that_box_alone() "
        ann 1:10 2:10 | 8s Ts 9d 8h 6h 8c Tc 9c | split stand stand surrender | 30 35 \
            & has ?1/1:hit,stand,double !stand ?1/2:hit,stand,double !stand ?2/1:hit,stand,double,surrender";
}
