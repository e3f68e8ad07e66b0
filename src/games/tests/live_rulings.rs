//! The rulings for points on which document 001 is silent or garbled on blackjack, one test for each
//! (spec/games/blackjack.md); rows as `common::rows` reads them.

use crate::common::rows::rounds;
use crate::common::rules_with;
use fairshoe_fairness::Composition;
use fairshoe_games::Reshuffle;

#[test]
fn a001_aa_eight_packs_and_the_cut_card_is_reached_by_card_209() {
    let rules = rules_with("live-blackjack", &[]);
    assert_eq!(rules.composition().len(), 416);
    for (dealt, due) in [(0, false), (207, false), (208, false), (209, true), (416, true)] {
        assert_eq!(rules.table.reshuffle.is_due(416 - dealt), due, "{dealt} dealt");
    }
    let six = rules_with("live-blackjack", &[("decks", "6"), ("reshuffle", r#"{"cut_back":104}"#)]);
    assert_eq!((six.composition(), six.table.reshuffle), (Composition::Decks(6), Reshuffle::CutBack(104)));
}

rounds! { "live-blackjack":
    fn a001_bb_a_blackjack_under_a_ten_takes_doubles_and_splits_whole() "
        100 | 5s Kd 6h Ac Ts | double | 200 0 & lacks peek
        100 | 8s Kd 8h Ac Ts 9c | split stand stand | 200 0";
    fn a001_cc_a_blackjack_under_an_ace_ends_the_round_at_once() "
        ann 1:200, bob 2:100 | As 5s Ad Kh 6h Tc | insurance=no insurance=no | is 1/1+As 2/1+5s D+Ad 1/1+Kh 2/1+6h \
            D+## \
            ?1/1:insurance ?2/1:insurance !insurance=no !insurance=no peek:yes D=Tc $1/1:draw:200 $2/1:loss:0";
    fn a001_dd_a_double_for_less_but_none_after_a_split() "
        100 | 5s 9d 6h 8c Tc | double=<1; 99> | <101 202; 199 398>
        100 | 8s 9d 8h 8c 3d 3s | split double=1 | refused action_not_offered";
    fn a001_ee_insurance_is_exactly_half_for_a_blackjack_too() "
        @ stake_step=1 stake_min=1
        <100; 101; 3; 2> | Ts Ad 9h 2c | | asks 0@1/1:insurance-<50; 50; 1; 1>
        101 | <Ts Ad 9h; As Ad Kh> Kc | insurance=yes | 151 <150; 251>
        100 | As Ad Kh 9c | insurance=yes | 150 250
        // Half of one unit rounds to zero, and zero is no wager: there is no question.
        1 | Ts Ad 9h 9c | stand | 1 0";
    fn a001_ff_split_aces_get_one_card_and_one_window_asks_all() "
        100 | As 9d Ah 8c 5c 4c | split | 200 0
        100 | As 9d Ah 8c 5c 4c | split hit | refused round_over
        // A third hand of aces is not allowed either.
        100 | As 9d Ah 8c Ac Ad | split | 200 0
        @ split_aces=free | 100 | As 9d Ah 8c 5c 6c 5d 4d | split hit hit | 200 400
        ann 1:100, bob 2:100, cat 3:100 | Ts 9s 8s Ad 7h 7c 7d 2c | | asks 0@1/1:insurance-50 1@2/1:insurance-50 \
            2@3/1:insurance-50
        // Answers come in any order; the round waits for the last.
        ann 1:100, bob 2:100, cat 3:100 | Ts 9s 8s Ad 7h 7c 7d 2c | 2:insurance=yes 0:insurance=no | asks \
            1@2/1:insurance-50
        ann 1:100, bob 2:100, cat 3:100 | Ts 9s 8s Ad 7h 7c 7d 2c | 2:insurance=yes 0:insurance=no 1:lapse \
            | has peek:no $insurance:loss:0 ?1/1:hit,stand,double";
    fn a001_gg_only_blackjacks_are_left() "
        ann 1:100, bob 2:100 | As Ks 5d Kh Ah 6c | \
            | is 1/1+As 2/1+Ks D+5d 1/1+Kh 2/1+Ah D+## D=6c $1/1:blackjack:250 $2/1:blackjack:250";
    fn a001_hh_silence_stands_and_declines() "
        ann 1:100, bob 2:100 | Ts 9s Ad 2h 2d 9c | 0:lapse 1:lapse 2:lapse 3:lapse | has ?1/1:insurance ?2/1:insurance \
            !insurance=no !insurance=no peek:no ?1/1:hit,stand,double !stand ?2/1 & ends !stand D=9c $1/1:loss:0 \
            $2/1:loss:0";
    fn a001_ii_blackjack_wins_3_to_2_rounded_down() "
        @ stake_step=1 stake_min=1
        <1; 2; 3; 5; 101; 2505> | As 9d Kh 8c | | <1 2; 2 5; 3 7; 5 12; 101 252; 2505 6262>";
    fn a001_ll_over_21_is_what_the_text_means_by_21() "
        // A dealer's 21 does not lose, and an ace that makes exactly 21 counts 11.
        100 | Ts 7d 9h 7c 7s | stand | 100 0
        100 | As 9d Kh 8c | | 100 250
        100 | As 9d 5h 8c 5c | hit | 100 200";
}
