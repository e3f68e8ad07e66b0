//! The rules of document 001 for live blackjack, one test for each (spec/games/blackjack.md); rows as
//! `common::rows` reads them.

use crate::common;
use common::boxes::{Play, bets, course};
use common::rows::{check, rounds};
use common::{bet, chips, rules_with};
use fairshoe_fairness::Composition;
use fairshoe_games::blackjack::{card_value, total};
use fairshoe_games::{
    Abandon, Action, Chips, DealingRule, Limit, Mode, Reshuffle, Round, RoundEvent, RuleSet, RuleSetError,
};

fn live() -> RuleSet {
    rules_with("live-blackjack", &[])
}

fn rng() -> RuleSet {
    rules_with("rng-blackjack", &[])
}

#[test]
fn r001_50_seven_players_and_an_ace_is_11_unless_that_is_too_much() {
    let rules = live();
    let seven = "a 1:100, b 2:100, c 3:100, d 4:100, e 5:100, f 6:100, g 7:100";
    assert_eq!(rules.open_round(&bets(seven)).unwrap().lanes(), 8);
    let eight = rules.open_round(&bets(&format!("{seven}, h 7:100"))).err().unwrap();
    assert_eq!(eight.code(), "player_count");
    assert_eq!(rules.check_bets(&[bet("8", 100)], chips(100)).unwrap_err().code(), "unknown_spot");
    for card in ["Td", "Jc", "Qh", "Ks"] {
        assert_eq!(card_value(card.parse().unwrap()), 10, "{card}");
    }
    for (hand, points) in
        [("As 9d", 20), ("As Td", 21), ("As Td Ac", 12), ("As 9d Ac", 21), ("As 5d 6c", 12), ("As Ad", 12)]
    {
        assert_eq!(total(common::cards(hand)).points, points, "{hand}");
    }
}

#[test]
fn r001_51_the_cut_card_lies_before_the_last_four_packs() {
    for rules in [live(), rng()] {
        assert_eq!(rules.table.reshuffle, Reshuffle::CutBack(4 * 52));
        assert_eq!(rules.composition(), Composition::Decks(8));
    }
}

#[test]
fn r001_61_no_surrender_and_no_change_but_split_double_and_insurance() {
    let rows = "100 | Ts 9d 6h 8c | surrender | refused action_not_offered \n 100 | As Td Kh 8c | | 100 250";
    check("live-blackjack", rows);
    let words = ["hit", "stand", "double", "split", "insurance"];
    let mut play = Play::at(&live(), "200", "8s Ad 8h 2c 3d 3h 3s 3c 3d 9h 9c 9d");
    while let Some(open) = play.round.open_decisions().first().cloned() {
        let offered = play.open();
        let offers = offered.split_once(':').unwrap().1;
        assert!(offers.split(',').all(|offer| words.contains(&offer.split('-').next().unwrap())), "{offered}");
        let act = if offers.contains("split") { "split" } else { "stand" };
        play.act(open.number, if offers.contains("insurance") { "insurance=no" } else { act }).unwrap();
    }
}

#[test]
fn r001_131_a_rule_set_that_leaves_a_limit_open_is_none() {
    let complete: serde_json::Value = serde_json::from_str(&live().canonical()).unwrap();
    let game = complete["game"]["blackjack"].as_object().unwrap();
    for field in ["stake_min", "stake_max"] {
        let mut less = complete.clone();
        less["table"].as_object_mut().unwrap().remove(field).unwrap();
        assert!(matches!(RuleSet::from_json(&less.to_string()), Err(RuleSetError::Malformed(_))), "{field}");
    }
    // Doubles, ace splits and their cards, every special pay schedule, and all the rest.
    assert_eq!(game.len(), 29);
    for field in game.keys() {
        let mut less = complete.clone();
        less["game"]["blackjack"].as_object_mut().unwrap().remove(field).unwrap();
        assert!(matches!(RuleSet::from_json(&less.to_string()), Err(RuleSetError::Malformed(_))), "{field}");
    }
}

#[test]
fn r001_34_the_refund_of_an_abandoned_game_is_for_rng_tables_alone() {
    let table =
        |rules: RuleSet| (rules.table.mode, rules.table.dealing, rules.table.abandon, rules.table.abandon_refunds);
    assert_eq!(table(live()), (Mode::Shared, DealingRule::Lanes, Abandon::Finish, Limit::AtMost(2)));
    assert_eq!(table(rng()), (Mode::Solo, DealingRule::Sequential, Abandon::Refund, Limit::AtMost(2)));
    assert_eq!(rng().table.round_time_ms, 24 * 3600 * 1000);
    let refused = live().with_options([("abandon", "refund")]);
    assert!(matches!(refused, Err(RuleSetError::Contradiction(why)) if why.contains("solo")));
}

#[test]
fn r001_113_rng_tables_play_the_live_game() {
    let game = |rules: &RuleSet| {
        let mut value = serde_json::to_value(common::options_of(rules)).unwrap();
        value.as_object_mut().unwrap().remove("boxes");
        value
    };
    assert_eq!(game(&live()), game(&rng()));
    for set in ["live-blackjack", "rng-blackjack"] {
        check(set, "<1000; 2000> | <Ac 9d Ah 8c Kh 5s; 9h Ad 8c Ks> | <split; insurance=yes> | <2000 2000; 3000 3000>");
    }
}

#[test]
fn r001_87_stakes_do_not_move_the_cards() {
    let dealt = |money: &str| -> Vec<RoundEvent> {
        let course = course(&live(), money, "5s Ts 9d 4h 8h 8c 2c 3d Td", "hit hit stand stand").unwrap();
        course
            .events
            .into_iter()
            .filter(|event| matches!(event, RoundEvent::Dealt { .. } | RoundEvent::Turned { .. }))
            .collect()
    };
    let one = dealt("ann 1:100, bob 2:100");
    assert_eq!(one.len(), 9);
    assert_eq!(one, dealt("ann 1:100000, bob 2:102"));
}

#[test]
fn r001_117_minimum_and_maximum_stand_in_the_rule_set() {
    let table = serde_json::to_value(&live().table).unwrap();
    assert_eq!((&table["stake_min"], &table["stake_max"]), (&100.into(), &100_000.into()));
    check("live-blackjack", "<100; 100000> | Ts 9d 9h 9c | stand | <100 200; 100000 200000>");
}

#[test]
fn r001_119_a_bet_is_settled_where_it_lies() {
    let course = course(&live(), "ann 7:100, bob 1:300", "Ts Tc 9d 7h 9h 9c", "stand stand").unwrap();
    let paid =
        course.events.iter().find_map(|event| if let RoundEvent::Paid { lines } = event { Some(lines) } else { None });
    let lines: Vec<_> = paid
        .unwrap()
        .iter()
        .map(|line| format!("{} {} {} {}", line.player, line.place, line.stake, line.returned))
        .collect();
    assert_eq!(lines, ["bob 1/1 300 0", "ann 7/1 100 200"]);
}

#[test]
fn r001_120_the_house_shuffles_at_its_discretion_only_where_the_rule_set_says_so() {
    assert!(!live().table.house_shuffle && !rng().table.house_shuffle);
    assert!(rules_with("live-blackjack", &[("house_shuffle", "on")]).table.house_shuffle);
}

#[test]
fn r001_123_an_offer_says_what_is_possible_and_what_it_costs_and_nothing_else() {
    let play = Play::at(&live(), "200", "8s 9d 8h 8c");
    let offered = serde_json::to_value(play.events.last().unwrap()).unwrap();
    let fields: Vec<&str> = offered["offered"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields, ["deadline", "decision", "options", "place", "player"]);
    for option in offered["offered"]["options"].as_array().unwrap() {
        assert_eq!(option.as_object().unwrap().keys().collect::<Vec<_>>(), ["action", "cost"]);
    }
}

#[test]
fn r001_126_every_finished_hand_can_be_rebuilt_from_its_events() {
    let money = "ann 1:200, bob 4:100";
    let course = course(
        &live(),
        money,
        "8s Ts Ad 8h 6h 5c 3c 2c Td Tc Kd 2d",
        "insurance=yes insurance=no split hit hit stand hit",
    )
    .unwrap();
    let mut round: Box<dyn Round> = live().open_round(&bets(money)).unwrap();
    for event in &course.events {
        let read: RoundEvent = serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap();
        round.apply(&read).unwrap();
    }
    assert!(round.is_settled());
    assert_eq!(round.view(), course.view);
    // A choice that was never made does not fit.
    let stray = RoundEvent::Acted {
        decision: 9,
        player: common::ann(),
        action: Action::Hit,
        cost: Chips::ZERO,
        default: false,
    };
    assert!(round.apply(&stray).is_err());
}

#[test]
fn r001_130_the_table_announces_its_rules() {
    let sign = |name: &str, options: &[(&str, &str)]| rules_with(name, options).sign();
    let live = sign("live-blackjack", &[]);
    assert_eq!(
        live[..4],
        ["draw to 16, stand on 17", "blackjack pays 3 to 2", "insurance pays 2 to 1", "insurance costs half the stake"]
    );
    let better = sign("live-blackjack", &[("blackjack_pays", "[2,1]"), ("insurance_odds", "3:1")]);
    assert_eq!(better[1..3], ["blackjack pays 2 to 1", "insurance pays 3 to 1"]);
    assert_eq!(sign("study-group", &[])[2], "no insurance");
    let joy = sign("joy", &[]);
    assert_eq!(joy[2], "insurance returns the premium and the stake");
    assert!(joy.contains(&"a hand of 5 cards stands".to_owned()), "{joy:?}");
    assert_eq!(sign("baccarat", &[])[2], "tie pays 8 to 1; player and banker push on a tie");
    assert!(sign("roulette", &[])[1].starts_with("straight pays 35"));
    assert_eq!(sign("safe", &[])[0], "the winner takes all entries");
    assert!(sign("holdem", &[])[0].starts_with("no limit hold'em, blinds 100/200"));
}

#[test]
fn r001_117_the_sign_says_the_limits() {
    for (name, _) in fairshoe_games::SHIPPED_RULE_SETS {
        let rules = rules_with(name, &[]);
        let limits = rules.sign().pop().unwrap();
        assert!(
            limits.contains(&rules.table.stake_min.to_string()) && limits.contains(&rules.table.stake_max.to_string()),
            "{limits}"
        );
    }
}

rounds! { "live-blackjack":
    fn r001_52_seats_up_dealer_up_seats_up_dealer_down() "
        // By seats; the players' names do not matter.
        ann 5:100, bob 3:100, cat 1:100 | Ts 9s 8s 7d 9h 8h 7h Tc | stand stand stand | is 1/1+Ts 3/1+9s 5/1+8s D+7d \
            1/1+9h 3/1+8h 5/1+7h D+## ?1/1:hit,stand,double !stand ?3/1:hit,stand,double !stand \
            ?5/1:hit,stand,double !stand D=Tc $1/1:win:200 $3/1:draw:100 $5/1:loss:0";
    fn r001_53_who_wins_and_what() "
        // A bust loses, even if the dealer busts.
        ann 1:100, bob 2:100 | Ts Td 6d 6h 9h Tc Kh Ks | hit stand | 100 0, 100 200
        100 | As Ad Kh <Kc; 7c> | insurance=no | 100 <100; 250>
        100 | As 9d Kh 7c | | 100 250
        // The dealer's blackjack beats a 21.
        100 | 5s Kd 6h Ac Ts | hit | 100 0
        100 | Ts 6d 2h Tc Kd | stand | 100 200
        100 | Ts 9d <9h; 8h; 7h> 9c | stand | 100 <200; 100; 0>";
    fn r001_134_a_blackjack_beats_a_dealers_21_of_three_cards() "
        // Another hand makes the dealer draw: 7 7 7.
        ann 1:100, bob 2:100 | As Ts 7d Kh 9h 7c 7s | stand | 100 250, 100 0";
    fn r001_54_insurance_is_half_pays_2_to_1_and_is_collected_after_the_look() "
        200 | 9h <Ad; Td; Kd; 9d> 8c 2s | | asks 0@1/1:<insurance-100; hit-0,stand-0,double-200; \
            hit-0,stand-0,double-200; hit-0,stand-0,double-200>
        200 | 9h Ad 8c <Ts; Js; Qs; Ks> | insurance=yes | 300 300
        200 | 9h Ad Tc <As; 2s; 9s> 9d 9c | insurance=yes stand \
            | has !insurance=yes-100 peek:no $insurance:loss:0 ?1/1:hit,stand,double";
    fn r001_137_the_window_opens_after_the_whole_deal_and_before_any_other_card() "
        200 | 9h Ad 8c Ks | insurance=yes | starts 1/1+9h D+Ad 1/1+8c D+## ?1/1:insurance !insurance=yes-100 \
            peek:yes D=Ks
        200 | 8h Ad 8c 2s | <hit; stand; double; split> | refused action_not_offered
        200 | 8h Ad 2c 2s 2d | insurance=no hit insurance=yes | refused action_not_offered";
    fn r001_55_the_dealer_looks_under_an_ace_only() "
        // Even if no player is insured.
        100 | 9h Ad 8c <2s 7s; Ks> | insurance=no <stand;> | has peek
        100 | 9h <Td; Jd; Qd; Kd; 9d; 7d> 9c Ts | stand | lacks peek
        // The peek waits until the window is over.
        ann 1:100, bob 2:100 | 9h 8h Ad 8c 7c 2s | | asks 0@1/1:insurance-50 1@2/1:insurance-50 & lacks peek";
    fn r001_56_double_on_the_first_two_cards_for_no_more_than_the_bet_and_one_card() "
        100 | 5h 9d 6c Ts Th | double<; =100; =1> | <200 400; 200 400; 101 202>
        100 | 5h 9d 6c Ts Th | double=<101; 0> | refused extra_stake_refused
        100 | 5h 9d 2c Ts 2h | hit double | refused action_not_offered
        100 | 5h 9d 6c Ts 2h | double hit | refused round_over";
    fn r001_57_split_two_of_one_value_once_and_stand_or_draw() "
        100 | Ts 9d Jh 8c 9c 8s | split stand stand | 200 400
        100 | Ts 9d 9h 8c | split | refused action_not_offered
        // Once, aces too; no double.
        100 | 8s 9d 8h 8c 8d 3s | split split | refused action_not_offered
        100 | 8s 9d 8h 8c 3d 3s | split double | refused action_not_offered
        100 | Ts 9d Jh 8c 9c As | split stand | 200 400 & ends $1/1:win:200 $1/2:win:200
        // After a hit it is not allowed.
        100 | 2s 9d 2h 8c 2d | hit split | refused action_not_offered
        // Ace and ten after a split are 21, no blackjack: 1:1, and a push with a 21 of the dealer.
        100 | Ts 7d Jh 7c Ac 9s 7h | split stand | 200 100";
    fn r001_136_both_split_hands_get_their_second_card_at_once() "
        100 | 8s 9d 8h 8c 3c 2c Td Ts | split hit hit stand | is 1/1+8s D+9d 1/1+8h D+## ?1/1:hit,stand,double,split \
            !split-100 1/1+3c 1/2+2c ?1/1:hit,stand !hit 1/1+Td ?1/2:hit,stand !hit 1/2+Ts ?1/2:hit,stand !stand D=8c \
            $1/1:win:200 $1/2:win:200";
    fn r001_133_what_the_balance_does_not_cover_is_refused() "
        200/<299; 300> | 9h Ad 8c Ks | <; insurance=yes> | <200 0; 300 300>
        200/399 | 8h 9d 8c Ts 3d 3h | split | refused insufficient_balance
        200/399 | 5h 9d 6c Ts Th | double | refused insufficient_balance
        200/399 | 5h 9d 6c Ts Th | double=199 | 399 798
        200/200 | 5h 9d 6c Ts Th | double=1 | refused insufficient_balance
        // An offer names the amount that can be placed.
        200/<200; 201; 1000> | 5h 9d 6c Ts | | asks 0@1/1:hit-0,stand-0<; ,double-1; ,double-200>";
    fn r001_135_a_confirmed_extra_wager_stays() "
        200 | 9h Ad 8c 2s | 0:insurance=yes 0:insurance=no | refused decision_not_open
        200 | 8h 9d 8c Ts 3d 4d 2h 2d 2c | 0:split 0:stand | refused decision_not_open
        200 | 5h 9d 6c Ts Th | 0:double=40 0:double=10 | refused decision_not_open";
    fn r001_58_a_hand_of_21_is_offered_no_card_and_silence_passes_on() "
        100 | <As 9d Kh 8c; 5s 9d 6h 8c Tc; As 9d 5h 8c 5c> | <; hit; hit> | 100 <250; 200; 200>
        100 | 5s 9d 6h 8c Tc | hit hit | refused round_over
        // The next player at once; a player who does not answer keeps their hand as it is.
        ann 1:100, bob 2:100 | 5s 9s 6d 4h 7h 8c Tc 2c | | asks 0@1/1:hit-0,stand-0,double-100
        ann 1:100, bob 2:100 | 5s 9s 6d 4h 7h 8c Tc 2c | 0:lapse \
            | asks 1@2/1:hit-0,stand-0,double-100 & ends !stand ?2/1:hit,stand,double";
    fn r001_138_silence_leaves_that_hand_and_the_second_is_asked() "
        100 | 8s 9d 8h 8c 3d 4s 4d 2c | split <; 1:lapse> | asks <1@1/1; 2@1/2>:hit-0,stand-0";
    fn r001_59_the_dealer_draws_to_17_and_stands_on_soft_17() "
        100 | Ts Td 8h 6c 2c | stand | 100 100
        100 | Ts <6d 8h Ac; 7d 8h Tc> | stand | 100 200
        100 | Ts 5d 8h Ac Tc 2d | stand | 100 100
        100 | Ts 2d 8h 2c 2h 2s 3c 3d 4h | stand | 100 100";
    fn r001_60_a_total_that_cannot_matter_is_not_drawn() "
        100 | Ts 5d 6h 6c Kc | hit | 100 0
        100 | As 5d Kh 6c | | 100 250
        ann 1:100, bob 2:100 | As Ts 5d Kh 6h 6c Kc | hit | 100 250, 100 0
        // An insurance is decided by the hole card alone.
        100 | As Ad Kh 5c | insurance=yes | 150 250";
    fn r001_132_only_seats_with_a_bet_get_cards() "
        ann 6:100, bob 2:100 | Ts 9s 7d 9h 8h Tc | | lanes 3 & starts 2/1+Ts 6/1+9s D+7d 2/1+9h 6/1+8h D+## ?2/1";
    fn r001_116_one_settlement_after_the_last_card_but_for_a_lost_insurance() "
        ann 1:100, bob 2:100, cat 3:100 | As Ts 9s Ad Kh 6h 9h 2c Kc 6d | insurance=yes insurance=no insurance=no \
            hit stand | is \
            1/1+As 2/1+Ts 3/1+9s D+Ad 1/1+Kh 2/1+6h 3/1+9h D+## ?1/1:insurance ?2/1:insurance ?3/1:insurance \
            !insurance=yes-50 !insurance=no !insurance=no peek:no $insurance:loss:0 ?2/1:hit,stand,double !hit 2/1+Kc \
            ?3/1:hit,stand,double,split !stand D=2c D+6d $1/1:blackjack:250 $2/1:bust:0 $3/1:loss:0";
    fn r001_118_why_a_bet_is_refused() "
        <98; 100002; 101; 100/99> | | | refused <below_minimum; above_maximum; off_step; insufficient_balance>
        ann <8:100; 1:100 2:100; 1:100, bob 1:100> | | | refused <unknown_spot; bet_count; spot_taken>";
}
