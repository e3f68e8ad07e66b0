//! The rules of document 000, one test for each (spec/games/blackjack.md). A line is a round: stake[/balance], shoe,
//! actions, staked and returned.

use crate::common;
use common::{RICH, bet, cards, check, chips, first_offer, joy, play, traced};
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
    let rules = joy();
    for (balance, chip, allowed) in
        [(0, 1, false), (1, 1, true), (4, 5, false), (5, 5, true), (99, 100, false), (100, 100, true)]
    {
        let placed = Placement::new(&rules.table, chips(balance)).place(chips(chip));
        let expected = if allowed {
            Ok(())
        } else {
            Err(BetRefusal::ChipAboveBalance { chip: chips(chip), left: chips(balance) })
        };
        assert_eq!(placed, expected, "{chip} of {balance}");
    }
    check(&["8/7 | | | refused insufficient_balance"]);
}

#[test]
fn r000_3_chips_add_up_to_at_most_1000() {
    let rules = joy();
    let mut placement = Placement::new(&rules.table, chips(5000));
    for _ in 0..9 {
        placement.place(chips(100)).unwrap();
    }
    placement.place(chips(50)).unwrap();
    assert_eq!(placement.place(chips(100)), Err(BetRefusal::AboveMaximum { stake: chips(1050), max: chips(1000) }));
    placement.place(chips(50)).unwrap();
    assert_eq!(placement.placed(), chips(1000));
    assert_eq!(placement.place(chips(1)), Err(BetRefusal::AboveMaximum { stake: chips(1001), max: chips(1000) }));
    check(&["1001 | | | refused above_maximum", "1000 | Ts 9d 9h 8c | stand | 1000 2000"]);
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
fn r000_5_start_deals_two_cards_each_the_dealers_second_face_down() {
    let course = play(1, "Ts 9d 9h 8c", "stand");
    assert_eq!(common::trace(&course.events[..4]), "1/1+Ts D+9d 1/1+9h D+##");
    assert!(traced(1, "Ts 9d 9h 8c", "stand").ends_with("!stand D=8c $1/1:win:2"));
}

#[test]
fn r000_6_faces_count_10_an_ace_1_or_11_suits_nothing() {
    for code in 0..52 {
        let card = Card::from_code(code).unwrap();
        let expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10][usize::from(code % 13)];
        assert_eq!(card_value(card), expected, "{card}");
    }
    for (hand, points, soft) in [
        ("2c 2d", 4, false),
        ("As", 11, true),
        ("As Ad", 12, true),
        ("As Kd", 21, true),
        ("As 5d 5c", 21, true),
        ("As 5d 6c", 12, false),
        ("As Ad 9c", 21, true),
        ("As Ad Tc", 12, false),
        ("As Ad Ah Ac", 14, true),
        ("Js Qd Kc", 30, false),
        ("Ts Jd Ac", 21, false),
        ("Ts Jd Ac Ad", 22, false),
    ] {
        let got = total(cards(hand));
        assert_eq!((got.points, got.soft, got.is_bust()), (points, soft, points > 21), "{hand}");
    }
}

#[test]
fn r000_7_blackjack_is_an_ace_with_a_ten_card_and_beats_every_other_21() {
    check(&[
        "10 | As 9d Th 7c 5s | stand | 10 25",
        "10 | Js 9d Ah 7c 5s | stand | 10 25",
        "10 | As 9d Qh 7c 5s | stand | 10 25",
        "10 | Ks 9d Ah 7c 5s | stand | 10 25",
        // A 21 with three cards is no blackjack, for either side.
        "10 | 5s 9d 6h 8c Td | hit stand | 10 20",
        "10 | 5s Kd 6h Ac Td | hit stand | 10 0",
        "10 | 5s 9d 6h 7c Td 5d | hit stand | 10 10",
    ]);
}

#[test]
fn r000_8_a_players_bust_loses_even_if_the_dealer_busts() {
    check(&[
        "10 | Ts 9d 6h 8c Kc | hit | 10 0",
        // Hand 1 busts, hand 2 stands, the dealer busts: 0 and 20.
        "10 | 8s 6d 8h Td Tc 7s Kd 9c | split hit stand | 20 20",
    ]);
    assert!(traced(10, "8s 6d 8h Td Tc 7s Kd 9c", "split hit stand").ends_with("D=Td D+9c $1/1:bust:0 $1/2:win:20"));
}

#[test]
fn r000_9_the_stronger_hand_wins_and_equals_draw() {
    check(&[
        "10 | As 9d Kh 7c 5s | stand | 10 25",
        "10 | As Td Kh Ac | stand | 10 10",
        "10 | 5s Td 6h Ac Kd | hit stand | 10 0",
        "10 | 5s Td 6h Jc Kd | hit stand | 10 20",
        "10 | Ts Td Jh Jc | stand | 10 10",
        "10 | Ts Td Jh 9c | stand | 10 20",
        "10 | Ts Td 9h Jc | stand | 10 0",
        "10 | Ts Td 7h 7c | stand | 10 10",
        // The weakest hand that is not bust: two 2s lose to 17 and beat a bust.
        "10 | 2s Td 2h 7c | stand | 10 0",
        "10 | 2s Td 2h 6c Kc | stand | 10 20",
    ]);
}

#[test]
fn r000_10_hit_and_stand_always_the_rest_where_its_rule_allows() {
    for (shoe, offer) in [
        ("Ts 9d 6h 8c", "hit-0 stand-0 double-10"),
        ("8s 9d 8h 8c", "hit-0 stand-0 double-10 split-10"),
        ("As 9d Kh 8c", "hit-0 stand-0"),
        ("8s Ad 8h 8c", "insurance-5"),
    ] {
        assert_eq!(first_offer(&joy(), 10, RICH, shoe), offer, "{shoe}");
    }
    assert!(traced(10, "Ts 9d 2h 8c 2d", "hit stand").contains("1/1+2d ?1/1:hit,stand !stand"));
}

#[test]
fn r000_11_five_cards_stand_whatever_they_total_without_a_bonus() {
    check(&[
        "10 | 2s 9d 3h 8c 2d 4h 5c | hit hit hit | 10 0",
        "10 | 2s 9d 3h 8c 2d 4h 6c | hit hit hit | 10 10",
        "10 | 2s 9d 3h 8c 2d 4h 7c | hit hit hit | 10 20",
        // 21 in five cards is a plain 21.
        "10 | 2s Td 3h Ac 2d 4h Tc | hit hit hit | 10 0",
        "10 | 2s 9d 3h 8c 2d 4h 5c | hit hit hit hit | refused round_over",
        "10 | 2s 9d 3h 8c 2d 4h 5c | hit hit hit stand | refused round_over",
    ]);
}

#[test]
fn r000_12_five_cards_stand_for_the_dealer_too() {
    check(&[
        "10 | Ts 2d 2c 2h 2s 3c 4d | stand | 10 0",
        "10 | Ts 2d 4c 2h 2s 3c 4d | stand | 10 20",
        "10 | Ts 2d 3s 2h 2s 3c 4d | stand | 10 10",
    ]);
}

#[test]
fn r000_13_the_dealer_draws_to_16_and_stands_on_17_soft_too() {
    check(&[
        "10 | Ts Td 8h 6c 2c | stand | 10 10",
        "10 | Ts Td 8h 7c | stand | 10 20",
        "10 | Ts 6d 8h Ac | stand | 10 20",
        // A + 5 = soft 16 draws; with a ten it is hard 16 and draws again.
        "10 | Ts 5d 8h Ac Tc 2d | stand | 10 10",
        "10 | Ts 5d 8h Ac Ad | stand | 10 20",
        "10 | Ts 2d 8h 3c 4c 8d | stand | 10 20",
        // Five cards end it below 17.
        "10 | Ts 2d 4h 2h 2s 3c 4d | stand | 10 20",
        "10 | Ts 2d 7h 3c 4c 7d 5c | stand | 10 0",
    ]);
}

#[test]
fn r000_14_blackjack_pays_two_and_a_half_rounded_up() {
    for (stake, returned) in [(1, 3), (2, 5), (3, 8), (5, 13), (7, 18), (10, 25), (999, 2498), (1000, 2500)] {
        common::check_as(&joy(), &format!("{stake} | As 9d Kh 8c | stand | {stake} {returned}"));
    }
}

#[test]
fn r000_15_a_win_returns_twice_the_stake_a_draw_once_a_loss_nothing() {
    check(&[
        "7 | Ts 9d 8h 8c | stand | 7 14",
        "7 | Ts 9d 8h 9c | stand | 7 7",
        "7 | Ts 9d 8h Tc | stand | 7 0",
        "7 | Ts 9d 6h Tc 6c | hit | 7 0",
    ]);
}

#[test]
fn r000_16_double_on_exactly_two_cards_that_are_no_blackjack() {
    check(&[
        "10 | 5s 9d 6h 8c Tc | double | 20 40",
        "10 | As 9d Kh 8c | double | refused action_not_offered",
        "10 | 5s 9d 2h 8c 2c | hit double | refused action_not_offered",
        "10 | 5s 9d 2h 8c 2c 2d | hit hit double | refused action_not_offered",
    ]);
    // Any two cards, a hard 20 too.
    assert_eq!(first_offer(&joy(), 10, RICH, "Ts 9d Qh 8c"), "hit-0 stand-0 double-10 split-10");
}

#[test]
fn r000_17_double_costs_the_stake_and_needs_it() {
    assert_eq!(first_offer(&joy(), 9, 18, "5s 9d 6h 8c"), "hit-0 stand-0 double-9");
    assert_eq!(first_offer(&joy(), 9, 17, "5s 9d 6h 8c"), "hit-0 stand-0");
    check(&[
        "9/18 | 5s 9d 6h 8c Tc | double | 18 36",
        "9/17 | 5s 9d 6h 8c Tc | double | refused insufficient_balance",
        "9 | 5s 9d 6h 8c Tc | double=9 | 18 36",
        "9 | 5s 9d 6h 8c Tc | double=8 | refused extra_stake_refused",
        "9 | 5s 9d 6h 8c Tc | double=10 | refused extra_stake_refused",
        "9 | 5s 9d 6h 8c Tc | double=0 | refused extra_stake_refused",
    ]);
}

#[test]
fn r000_18_double_draws_one_card_and_stands() {
    assert_eq!(
        traced(10, "5s 9d 2h 8c 3c", "double"),
        "1/1+5s D+9d 1/1+2h D+## ?1/1:hit,stand,double !double-10 1/1+3c D=8c $1/1:loss:0"
    );
    check(&["10 | 5s 9d 2h 8c 3c 4c | double hit | refused round_over", "10 | Ts 9d 2h 8c Tc | double | 20 0"]);
}

#[test]
fn r000_19_a_doubled_hand_returns_four_two_or_no_stakes() {
    check(&[
        "7 | 5s 9d 6h 8c 7c | double | 14 28",
        "7 | 5s 9d 6h 8c 6c | double | 14 14",
        "7 | 5s 9d 6h 8c 5c | double | 14 0",
    ]);
}

#[test]
fn r000_20_split_two_first_cards_of_one_value() {
    for (first, second, split) in [
        ("Ts", "Jh", true),
        ("Qs", "Kh", true),
        ("Ts", "Th", true),
        ("As", "Ah", true),
        ("2s", "2h", true),
        ("Ks", "9h", false),
        ("As", "Kh", false),
        ("2s", "3h", false),
    ] {
        let offer = first_offer(&joy(), 10, RICH, &format!("{first} 9d {second} 8c"));
        assert_eq!(offer.contains("split"), split, "{first} {second}: {offer}");
    }
    // Only with the first cards: a third card ends the right.
    check(&["10 | 2s 9d 2h 8c 2c | hit split | refused action_not_offered"]);
}

#[test]
fn r000_21_split_costs_the_stake_and_needs_it() {
    assert_eq!(first_offer(&joy(), 9, 18, "8s 9d 8h 8c"), "hit-0 stand-0 double-9 split-9");
    assert_eq!(first_offer(&joy(), 9, 17, "8s 9d 8h 8c"), "hit-0 stand-0");
    check(&[
        "9/18 | 8s 9d 8h 8c Tc Td | split stand stand | 18 36",
        "9/17 | 8s 9d 8h 8c Tc Td | split | refused insufficient_balance",
    ]);
}

#[test]
fn r000_22_hand_1_is_completed_before_hand_2_and_each_is_settled_alone() {
    assert_eq!(
        traced(10, "8s 9d 8h 8c 2c 9c Td", "split hit stand stand"),
        "1/1+8s D+9d 1/1+8h D+## ?1/1:hit,stand,double,split !split-10 \
         1/1+2c ?1/1:hit,stand,double !hit 1/1+9c ?1/1:hit,stand !stand \
         1/2+Td ?1/2:hit,stand,double !stand D=8c $1/1:win:20 $1/2:win:20"
    );
    check(&[
        "10 | 8s 9d 8h 9c Tc 9s | split stand stand | 20 10",
        "10 | 8s 9d 8h Kc Tc 5s 6s 7c | split stand hit hit | 20 0",
    ]);
}

#[test]
fn r000_23_after_a_split_nobody_has_blackjack() {
    check(&[
        // Split 21 against the dealer's ace and king: a draw.
        "10 | As Kd Ah Ac Ks 9c | split stand stand | 20 10",
        // Split ace and king win as a plain 21.
        "10 | As 9d Ah 8c Ks 9c | split stand stand | 20 40",
        // The dealer's natural does not beat a 21 of three cards; split tens with an ace draw with it.
        "10 | 8s Kd 8h Ac 3d Tc Td | split hit stand stand | 20 10",
        "10 | Ts Kd Jh Ac Ad As | split stand stand | 20 20",
    ]);
}

#[test]
fn r000_24_insurance_is_offered_under_an_ace_to_those_who_can_pay() {
    for (stake, balance, shoe, asked) in [
        (4, 6, "Td Ah 9c Kh", true),
        (4, 5, "Td Ah 9c Kh", false),
        (5, 8, "Td Ah 9c Kh", true),
        (5, 7, "Td Ah 9c Kh", false),
        (1, 2, "Td Ah 9c Kh", true),
        (1, 1, "Td Ah 9c Kh", false),
        (1000, 1500, "Td Ah 9c Kh", true),
        (1000, 1499, "Td Ah 9c Kh", false),
        // Not under a ten over an ace, nor for the player's own aces.
        (4, 100, "Td Kh 9c Ah", false),
        (4, 100, "Ad 9h Ac Kh", false),
    ] {
        let offer = first_offer(&joy(), stake, balance, shoe);
        let premium = stake.div_ceil(2);
        assert_eq!(offer == format!("insurance-{premium}"), asked, "{stake} of {balance}, {shoe}: {offer}");
        assert_eq!(offer.contains("insurance"), asked);
    }
}

#[test]
fn r000_25_the_premium_is_half_the_stake_rounded_up_and_buys_a_look() {
    for (stake, premium) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (999, 500), (1000, 500)] {
        let course = play(stake, "Ts Ad 9h 8c", "insurance=yes stand");
        assert_eq!(course.staked, chips(stake + premium));
        assert!(common::trace(&course.events).contains(&format!("!insurance=yes-{premium} peek:no")));
    }
}

#[test]
fn r000_26_a_success_returns_premium_and_stake_and_ends_the_round() {
    check(&[
        "5 | Th Ac 8d Ks | insurance=yes | 8 8",
        "4 | Th Ac 8d Ks | insurance=yes | 6 6",
        "1 | Th Ac 8d Ks | insurance=yes | 2 2",
        "7 | Ah Ac Qd Js | insurance=yes | 11 18",
        "1 | Ah Ac Qd Js | insurance=yes | 2 3",
        "1000 | Ah Ac Qd Ts | insurance=yes | 1500 2500",
        "5 | Th Ac 8d Ks | insurance=yes stand | refused round_over",
    ]);
}

#[test]
fn r000_27_a_failure_costs_the_premium_and_play_goes_on_over_a_hidden_card() {
    assert_eq!(
        traced(5, "Ts Ad 9h 7c", "insurance=yes stand"),
        "1/1+Ts D+Ad 1/1+9h D+## ?1/1:insurance !insurance=yes-3 peek:no $insurance:loss:0 ?1/1:hit,stand,double !stand D=7c $1/1:win:10"
    );
    assert_eq!(
        traced(5, "Ts Ad 9h 7c", "insurance=no stand"),
        "1/1+Ts D+Ad 1/1+9h D+## ?1/1:insurance !insurance=no ?1/1:hit,stand,double !stand D=7c $1/1:win:10"
    );
    // No: a blackjack is found at the showdown alone.
    check(&["5 | Ts Ad 9h Kc | insurance=no stand | 5 0", "5 | As Ad Kh Kc | insurance=no stand | 5 5"]);
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
fn r000_30_insurance_is_offered_to_a_blackjack_too() {
    assert_eq!(first_offer(&joy(), 7, RICH, "Ah Ac Qd Js"), "insurance-4");
    // Lost premium, won blackjack: 4 gone, 18 back.
    check(&["7 | Ah Ac Qd 9s | insurance=yes stand | 11 18"]);
}

#[test]
fn r000_31_insurance_comes_first_and_a_success_draws_no_fifth_card() {
    for act in ["hit", "stand", "double", "split"] {
        check(&[&format!("5 | 8h Ac 8d Ks | {act} | refused action_not_offered")]);
    }
    let course = play(5, "8h Ac 8d Ks", "insurance=yes");
    assert_eq!(common::drawn(&course.events), 4);
    // Once, and not after play has begun.
    check(&[
        "5 | 8h Ac 8d 9s | insurance=no insurance=yes | refused action_not_offered",
        "5 | 8h Ac 2d 9s 2c | insurance=no hit insurance=yes | refused action_not_offered",
    ]);
}
