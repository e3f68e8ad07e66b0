//! The options of a blackjack rule set other than each form's defaults (spec/games/blackjack.md, "The rule set"), and
//! combinations that contradict each other.

use crate::common;
use common::boxes::{Play, bets};
use common::rows::{check, rounds};
use common::rules_with;
use fairshoe_fairness::Composition;
use fairshoe_games::{RuleSet, RuleSetError};

#[test]
fn option_decks_and_boxes() {
    for decks in 1..=8u8 {
        let rules = rules_with("six-deck-solo", &[("decks", &decks.to_string()), ("reshuffle", "every_round")]);
        assert_eq!(rules.composition(), Composition::Decks(decks));
    }
    for boxes in 2..=7u8 {
        let text = boxes.to_string();
        let rules = rules_with("six-deck", &[("boxes", &text), ("seats", &text), ("bets_per_player", &text)]);
        assert!(rules.open_round(&bets(&format!("ann {boxes}:10"))).is_ok());
        let same = format!("@ boxes={text} seats={text} bets_per_player={text}");
        check("six-deck", &format!("{same} | ann {}:10 | | | refused unknown_spot", boxes + 1));
    }
}

#[test]
fn option_surrender_at_the_live_form_waits_for_the_settlement() {
    let row = "@ surrender=late | ann 1:100, bob 2:100 | Ts Tc 9d 6h 9h 8c | surrender stand \
        | ends !surrender ?2/1:hit,stand,double,surrender !stand D=8c $1/1:surrender:50 $2/1:win:200";
    check("live-blackjack", row);
    let rules = rules_with("live-blackjack", &[("surrender", "late")]);
    let mut play = Play::at(&rules, "ann 1:100, bob 2:100", "Ts Tc 9d 6h 9h 8c");
    let hand = |play: &Play| play.round.view()["boxes"][0]["hands"][0].clone();
    assert!(hand(&play).get("surrendered").is_none());
    play.act(0, "surrender").unwrap();
    assert_eq!(hand(&play)["surrendered"], true);
}

#[test]
fn option_even_money_paid_at_the_end() {
    let row = "@ even_money_upcards=ten | ann 1:100, bob 2:100 | As Ts Td Kh 9h Ac | even_money=yes stand \
        | ends !even_money=yes ?2/1:hit,stand,double !stand D=Ac $1/1:evenmoney:200 $2/1:loss:0";
    check("live-blackjack", row);
    let rules = rules_with("live-blackjack", &[("even_money_upcards", "ten")]);
    let mut play = Play::at(&rules, "100", "As Td Kh 9c 2c");
    play.act(0, "even_money=yes").unwrap();
    assert_eq!(play.round.view()["boxes"][0]["hands"][0]["even_money"], true);
}

#[test]
fn contradictions_are_refused_with_their_reason() {
    for (name, options, reason) in [
        ("joy", &[("boxes", "0")][..], "boxes"),
        ("joy", &[("boxes", "8")], "boxes"),
        ("study-group-solo", &[("boxes", "6")], "bets_per_player"),
        ("joy", &[("bets_per_player", "2")], "bets_per_player"),
        ("live-blackjack", &[("boxes", "6")], "as many boxes as seats"),
        ("live-blackjack", &[("seats", "8")], "as many boxes as seats"),
        ("six-deck", &[("dealing", "sequential")], "C9"),
        ("live-blackjack", &[("dealing", "sequential")], "C9"),
        ("study-group", &[("dealing", "sequential")], "C9"),
        ("study-group-solo", &[("dealing", "lanes")], "C9"),
        ("live-blackjack", &[("reshuffle", r#"{"left_below":69}"#)], "a round can take 71"),
        ("live-blackjack", &[("reshuffle", r#"{"cut_back":69}"#)], "a round can take 71"),
        ("live-blackjack", &[("reshuffle", r#"{"left_at_most":68}"#)], "a round can take 71"),
        // A whole pack does not suffice for seven boxes.
        ("study-group", &[("decks", "1"), ("reshuffle", r#""every_round""#)], "a round can take 64"),
        ("six-deck", &[("max_hands", "1")], "max_hands"),
        ("six-deck", &[("max_hands", "129")], "max_hands"),
        ("six-deck", &[("double_any_cards", "on"), ("card_limit", "3")], "double_any_cards"),
        ("six-deck", &[("insurance", "none")], "insurance_odds"),
        ("six-deck", &[("insurance_odds", "none")], "insurance_odds"),
        ("joy", &[("insurance_odds", "2:1")], "insurance_odds"),
        ("study-group", &[("insurance_odds", "3:1")], "insurance_odds"),
        ("six-deck", &[("insure_blackjack", "on"), ("even_money_upcards", "ace")], "even money"),
        ("live-blackjack", &[("surrender_any_time", "on")], "surrender_any_time"),
        ("study-group", &[("surrender", "early")], "early surrender"),
        ("six-deck", &[("peek", "ace")], "early surrender"),
        ("six-deck", &[("insurance", "stake_back"), ("insurance_odds", "none")], "early surrender"),
        ("study-group", &[("peek", "ace")], "pay_blackjack_at_once"),
        ("six-deck", &[("pay_blackjack_at_once", "on")], "pay_blackjack_at_once"),
        ("study-group", &[("hit_blackjack", "on")], "cannot be hit"),
        ("study-group", &[("draw_against_blackjack", "on")], "draw against"),
        ("study-group", &[("split_cancels_dealer_blackjack", "on")], "split_cancels_dealer_blackjack"),
    ] {
        match RuleSet::shipped(name).unwrap().with_options(options.iter().copied()) {
            Err(RuleSetError::Contradiction(why)) => assert!(why.contains(reason), "{name} {options:?}: {why}"),
            other => panic!("{name} {options:?}: {other:?}"),
        }
    }
}

#[test]
fn bounds_themselves_are_allowed() {
    for (name, options) in [
        ("live-blackjack", &[("reshuffle", r#"{"left_below":71}"#)][..]),
        ("live-blackjack", &[("reshuffle", r#"{"left_at_most":70}"#)]),
        ("study-group", &[("seats", "2"), ("boxes", "2"), ("decks", "1"), ("reshuffle", r#""every_round""#)]),
        ("six-deck", &[("max_hands", "128")]),
        ("six-deck", &[("max_hands", "unlimited")]),
        ("six-deck", &[("double_any_cards", "on"), ("card_limit", "4")]),
        ("six-deck", &[("even_money_upcards", "ace")]),
        ("six-deck", &[("surrender", "none"), ("peek", "ten_ace")]),
        ("study-group", &[("dealer_always_draws", "on")]),
        ("study-group", &[("seats", "2"), ("boxes", "2")]),
    ] {
        assert!(RuleSet::shipped(name).unwrap().with_options(options.iter().copied()).is_ok(), "{name} {options:?}");
    }
}

rounds! { "six-deck":
    fn option_deal_order_pp_dd_at_several_boxes() "
        @ deal_order=pp_dd | ann 1:10, bob 2:10 | Ts 9h 9s 8h 9d 8c | stand stand | starts 1/1+Ts 1/1+9h 2/1+9s \
            2/1+8h D+9d D+## ?1/1
        @ study-group deal_order=pp_dd | 10 | Ts 9h Ad 8c | stand | starts 1/1+Ts 1/1+9h D+## D+## D=Ad peek:no ?1/1";
    fn option_up_card() "
        @ up_card=turned_after_deal | 10 | As Td Kh 9c | even_money=yes \
            | is 1/1+As D+## 1/1+Kh D+## D=Td ?1/1:even_money !even_money=yes $1/1:evenmoney:20 D=9c
        @ study-group up_card=dealt_up | 10 | Ts Ad 9h 8c | stand | starts 1/1+Ts D+Ad 1/1+9h D+## peek:no ?1/1";
    fn option_peek() "
        @ live-blackjack peek=<none; ace; ten_ace> | 100 | Ts Td 9h 8c | stand | <lacks; lacks; has> peek
        @ live-blackjack peek=<none; ace; ten_ace> | 100 | Ts Ad 9h 7c | insurance=no stand | <lacks; has; has> peek
        // Without a look, a premium waits for the end; with a look it is settled at once.
        @ live-blackjack peek=none | 100 | Ts Ad 9h 7c | insurance=yes stand | ends D=7c $insurance:loss:0 $1/1:win:200
        @ peek=ten_ace surrender=late
        10 | Ts Ad 9h 7c | insurance=yes stand | has peek:no $insurance:loss:0 ?1/1
        // Even money comes before the look.
        10 | As Td Kh Ac | even_money=no | ends ?1/1:even_money !even_money=no peek:yes D=Ac $1/1:draw:10
        10 | As Td Kh Ac | even_money=yes | ends !even_money=yes $1/1:evenmoney:20 peek:yes D=Ac
        // If the dealer looks at every blackjack, a late surrender is final at once.
        10 | Ts Td 6h 9c | surrender | ends !surrender $1/1:surrender:5 D=9c";
    fn option_blackjack_pays_and_rounding() "
        @ stake_step=1 blackjack_pays=[<3,2; 8,5; 2,1>] blackjack_rounding=down | 5 | As 9d Kh 8c | | 5 <12; 13; 15>
        @ stake_step=1 blackjack_pays=[<3,2; 5,3>] blackjack_rounding=up | 5 | As 9d Kh 8c | | 5 <13; 14>
        @ study-group stake_step=1 blackjack_pays=[<3,2; 8,5; 2,1>] blackjack_rounding=down | 5 | As 9d Kh 8c | | 5 \
            <12; 13; 15>
        @ study-group stake_step=1 blackjack_pays=[<3,2; 5,3>] blackjack_rounding=up | 5 | As 9d Kh 8c | | 5 <13; 14>";
    fn option_hit_blackjack() "
        @ hit_blackjack=on auto_stand_21=off
        10 | As 9d Kh 8c <Tc;> | <hit;> stand | 10 <20; 25>
        10 | As 9d Kh 8c | <double; surrender> | refused action_not_offered
        // If a 21 stands by itself, so does a blackjack.
        @ hit_blackjack=on | 10 | As 9d Kh 8c | hit | refused round_over";
    fn option_card_limit() "
        @ study-group card_limit=4
        10 | 2s 9d 3h 8c 4c 5c | hit hit | 10 0
        10 | Ts 2d 9h 2c 3c 4c | stand | 10 20";
    fn option_double_amount() "
        @ live-blackjack double_amount=exact | 100 | 5s 9d 6h 8c Tc | double=50 | refused extra_stake_refused
        @ double_amount=up_to | 10 | 5s 9d 6h 8c Tc | double=5 | 15 30";
    fn option_double_after_split() "
        @ live-blackjack double_after_split=on | 100 | 8s 9d 8h 8c 3c 2c Tc Td | split double=10 double | 310 620
        @ study-group double_after_split=off | 10 | 8s 9d 8h 8c 3c | split double | refused action_not_offered";
    fn option_split_by_value() "
        @ split_by_value=off
        10 | Ts 9d Jh 8c | split | refused action_not_offered
        10 | Ts 9d Th 8c 9s 9c | split stand stand | 20 40
        @ study-group split_by_value=on | 10 | Ts 9d Jh 8c 9s 9c | split stand stand | 20 40";
    fn option_max_hands_unlimited_with_second_cards_at_once() "
        @ max_hands=unlimited | 10 | 8s 9d 8h 8c 8d Ts 8c Td 8s Tc 8h Th Tc Td \
            | split split split split split stand stand stand stand stand stand | 60 120";
    fn option_second_cards() "
        @ study-group second_cards=at_once | 10 | 8s 9d 8h 8c Tc Ts | split stand stand | has !split-10 1/1+Tc \
            1/2+Ts ?1/1
        @ live-blackjack second_cards=when_played
        100 | 8s 9d 8h 8c Tc Ts | split stand stand | has !split-100 1/1+Tc ?1/1:hit,stand !stand 1/2+Ts ?1/2
        // One card to each ace, each in its turn; a pair of aces is not split again.
        100 | As 9d Ah 8c Ac Ts | split | has !split-100 1/1+Ac 1/2+Ts D=8c";
    fn option_split_aces() "
        @ study-group split_aces=one_card
        10 | As 9d Ah 8c 5c 9c | split | 20 20
        10 | 8s 9d 8h 8c Ac Tc | split stand stand | 20 40
        // An ace drawn to a split eight is no split ace.
        10 | 8s 9d 8h 8c Ac Tc Ts | split hit stand stand | 20 40";
    fn option_split_cancels_dealer_blackjack() "
        @ split_cancels_dealer_blackjack=on
        10 | As Td Ah Ac Kc 9c | split stand | 20 10
        10 | 5s Td 6h Ac Kc | hit | 10 0
        // Late surrender loses the whole stake only to a blackjack.
        @ split_cancels_dealer_blackjack=on surrender=late surrender_any_time=on
        10 | Ts Td Th Ac 6s 6c | split surrender surrender | 20 10
        10 | Ts Td 6h Ac | surrender | 10 0";
    fn option_surrender_any_time_early() "
        @ surrender_any_time=on
        10 | 2s 9d 3h 8c Kc | hit surrender | 10 5
        10 | Ts Td Th Ac 6s 6c | split surrender surrender | 20 10
        10 | As 9d Kh 8c | surrender | refused round_over";
    fn option_insurance() "
        // Players who paid for a look get it, with or without a peek rule.
        @ live-blackjack insurance=stake_back insurance_odds=none
        100 | Ts Ad 9h Kc | insurance=yes | 150 150
        100 | Ts Ad 9h 7c | insurance=yes stand | 150 200
        @ insurance=stake_back insurance_odds=none surrender=none
        10 | Ts Ad 9h 7c | insurance=yes stand | has peek:no $insurance:loss:0 ?1/1
        10 | Ts Ad 9h 7c | insurance=no stand | lacks peek
        @ live-blackjack insurance=none insurance_odds=none | 100 | Ts Ad 9h 7c | | asks 0@1/1:hit-0,stand-0,double-100
        @ joy insurance=half insurance_odds=2:1
        5 | Ts Ad 9h <Kc; 7c> | insurance=yes stand | 7 <6; 10>";
    fn option_insure_blackjack() "
        @ insure_blackjack=on
        10 | As Ad Kh <Kc; 7c> | insurance=yes | 15 25
        @ live-blackjack insure_blackjack=off
        100 | As Ad Kh Kc | insurance=yes | refused round_over
        100 | As Ad Kh Kc | | 100 100";
    fn option_draw_against_blackjack() "
        @ live-blackjack draw_against_blackjack=on | 100 | As 5d Kh 6c Tc | | 100 250
        @ joy draw_against_blackjack=off | 10 | As 5d Kh 6c | stand | 10 25";
    fn option_dealer_always_draws() "
        @ live-blackjack dealer_always_draws=on | 100 | Ts 5d 6h 6c Kc 7c | hit | 100 0
        // All wagers are paid, and the dealer still draws.
        @ dealer_always_draws=on | 10 | Ts 5d 6h 6c 2c 7c | surrender | ends $1/1:surrender:5 D=6c D+2c D+7c";
    fn option_settle_at_once() "
        @ live-blackjack settle_at_once=on | ann 1:100, bob 2:100 | Ts Tc 9d 6h 9h 8c Kc | hit stand | has 1/1+Kc \
            $1/1:bust:0 ?2/1
        @ settle_at_once=off | ann 1:10, bob 2:10 | Ts Tc 9d 6h 9h 8c Kc | hit stand | ends D=8c $1/1:bust:0 \
            $2/1:win:20";
    fn option_pay_blackjack_at_once() "
        @ live-blackjack peek=ten_ace pay_blackjack_at_once=on | ann 1:100, bob 2:100 | As Tc Td Kh 9h 8c | stand \
            | has peek:no $1/1:blackjack:250 ?2/1
        @ study-group pay_blackjack_at_once=off | 10 | As 6d Kh Tc | | ends D=Tc $1/1:blackjack:25";
    fn option_settlement_order() "
        @ live-blackjack settlement_order=right_to_left | ann 1:100, bob 2:100 | 8s Tc Ad 8h 9h 7c Tc Ts \
            | insurance=yes insurance=yes split stand stand stand \
            | has peek:no $insurance:loss:0 $insurance:loss:0 ?1/1 & ends $2/1:win:200 $1/2:draw:100 $1/1:draw:100
        // A premium stands before the hands of its box.
        @ settlement_order=right_to_left | ann 1:10, bob 2:10 | Ts Tc Ad 9s 9h 7c | insurance=yes insurance=yes \
            stand stand \
            | ends $insurance:loss:0 $2/1:win:20 $insurance:loss:0 $1/1:win:20";
}
