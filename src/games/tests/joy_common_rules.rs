//! The rules common to all games, tested on JOY (spec/games/blackjack.md): money, default play, who is ahead, the view.

use crate::common;
use common::boxes::Play;
use common::rows::rounds;
use common::{Pile, ann, bet, cards, chips, joy, joy_with, placed, play};
use fairshoe_games::blackjack::BlackjackRound;
use fairshoe_games::{Ahead, Chips, DealingRule, MAX_CHIPS, Placed};

#[test]
fn c1_amounts_are_integers_of_53_bits() {
    assert_eq!(Chips::new(MAX_CHIPS), Some(Chips::MAX));
    assert_eq!(Chips::new(MAX_CHIPS + 1), None);
    // The largest payout that any rule set allows is in range: 10:1 on the largest stake.
    let rules = joy_with(&[("stake_max", "1000000000000"), ("blackjack_pays", "[10,1]")]);
    let course = common::play_as(&rules, 1_000_000_000_000, 2_000_000_000_000, "As 9d Kh 8c", "stand").unwrap();
    assert_eq!(course.returned, chips(11_000_000_000_000));
}

#[test]
fn c6_a_solo_round_has_one_player_and_one_box() {
    let rules = joy();
    let two = [placed(1), Placed { player: "bob".parse().unwrap(), bets: vec![bet("1", 1)] }];
    assert_eq!(rules.open_round(&two).err().unwrap().code(), "player_count");
    assert_eq!(rules.open_round(&[]).err().unwrap().code(), "player_count");
    let open = |bets| rules.open_round(&[Placed { player: ann(), bets }]).err().unwrap().code();
    assert_eq!(open(vec![]), "bet_count");
    assert_eq!(open(vec![bet("1", 1), bet("1", 1)]), "bet_count");
    assert_eq!(open(vec![bet("2", 1)]), "unknown_spot");
    assert_eq!(open(vec![bet("1", 0)]), "below_minimum");
    assert_eq!(open(vec![bet("1", 1001)]), "above_maximum");
    let twice = BlackjackRound::new(common::options_of(&rules), DealingRule::Sequential, &[placed(1), placed(1)]);
    assert_eq!(twice.err().unwrap().code(), "spot_twice");
}

#[test]
fn c18_default_play_of_a_decision_that_is_not_open_is_refused() {
    let mut play = Play::at(&joy(), "10", "Ts 9d 2h 8c");
    assert_eq!(play.round.default_play(1).unwrap_err().code(), "decision_not_open");
    play.act(0, "stand").unwrap();
    assert_eq!(play.round.default_play(0).unwrap_err().code(), "decision_not_open");
}

#[test]
fn c22_who_is_ahead_while_the_cards_are_dealt() {
    for (order, expected) in [
        // Ten, then up-card 9 (19 with the ten), then 20 in all.
        ("interleaved", [Ahead::Nobody, Ahead::Nobody, Ahead::House, Ahead::Players, Ahead::Players]),
        ("pp_dd", [Ahead::Nobody, Ahead::Nobody, Ahead::Nobody, Ahead::Players, Ahead::Players]),
    ] {
        let rules = joy_with(&[("deal_order", order)]);
        let shoe = if order == "pp_dd" { "Ts Jh 9d 2c" } else { "Ts 9d Jh 2c" };
        let mut round = rules.open_round(&[placed(5)]).unwrap();
        let mut pile = Pile { cards: cards(shoe), drawn: 0, funds: chips(0) };
        for (dealt, expected) in expected.into_iter().enumerate() {
            assert_eq!(round.ahead(), expected, "{order}, {dealt} cards");
            let event = round.step(&pile).unwrap().unwrap();
            round.apply(&event).unwrap();
            pile.follow(&event);
        }
    }
}

#[test]
fn the_view_shows_what_lies_open() {
    let round = Play::at(&joy(), "5", "Th Ac 8d Ks").round;
    let expected = r#"{"kind":"blackjack","boxes":[{"spot":1,"player":"ann","stake":5,"insurance":null,
        "hands":[{"cards":[{"slot":0,"card":"Th"},{"slot":2,"card":"8d"}],"total":18,"soft":false,"stake":5,"stood":false,
                  "doubled":false,"blackjack":false,"outcome":null,"returned":null}]}],
        "dealer":{"cards":[{"slot":1,"card":"Ac"},{"slot":3,"card":null}],"total":11,"soft":true}}"#;
    assert_eq!(round.view(), serde_json::from_str::<serde_json::Value>(expected).unwrap());

    let settled = play(5, "Th Ac 8d Ks", "insurance=yes").view;
    assert_eq!(settled["boxes"][0]["insurance"], serde_json::json!({"premium": 3, "returned": 8}));
    assert_eq!(settled["boxes"][0]["hands"][0]["outcome"], "loss");
    assert_eq!(settled["boxes"][0]["hands"][0]["returned"], 0);
    assert_eq!(settled["dealer"]["cards"][1]["card"], "Ks");
    assert_eq!(play(7, "As 9d Kh 7c 5s", "stand").view["boxes"][0]["hands"][0]["outcome"], "blackjack");
}

#[test]
fn the_example_of_the_page_is_what_the_engine_writes() {
    let events = play(5, "Th Ac 8d Ks", "insurance=yes").events;
    let page = include_str!("../../../spec/games/blackjack.md");
    // The page wraps its lines; the log does not.
    let page: String = page.split_whitespace().collect();
    for event in events {
        let text = serde_json::to_string(&event).unwrap();
        assert!(page.contains(&text), "{text}");
    }
    assert!(page.contains(&joy().digest()));
}

rounds! { "joy":
    fn c2_a_wager_above_the_balance_is_refused() "
        10/9 | | | refused insufficient_balance
        10/19 | 5s 6d 4h Tc | double | refused insufficient_balance
        10/19 | 8s 6d 8h Tc | split | refused insufficient_balance
        10/10 | Ts 9d 9h 8c | stand | 10 20";
    fn c4_an_opening_stake_is_a_multiple_of_the_step() "
        @ stake_step=2
        7 | | | refused off_step
        8 | Ts 9d 9h 8c | stand | 8 16
        // Only opening stakes: an odd premium stays legal.
        10 | Th Ac 8d Ks | insurance=yes | 15 15";
    fn c18_default_play_declines_and_stands() "
        10 | Ts Ad 9h Kc | lapse lapse | ends ?1/1:insurance !insurance=no ?1/1:hit,stand,double !stand D=Kc $1/1:loss:0
        10 | Ts 9d 2h 8c | lapse | ends ?1/1:hit,stand,double !stand D=8c $1/1:loss:0
        // A split hand that was not played yet gets its automatic card and stands.
        10 | 8s 9d 8h 8c 2c Td | split lapse lapse | ends ?1/1:hit,stand,double,split !split-10 1/1+2c \
            ?1/1:hit,stand,double !stand 1/2+Td ?1/2:hit,stand,double !stand D=8c $1/1:loss:0 $1/2:win:20";
    fn c22_who_is_ahead_by_public_faces() "
        // The hidden card counts ten.
        10 | Ts 9d <Th; 9h; 8h> 2c | | ahead <players; level; house>
        10 | As Kd Kh 2c | | ahead players
        // Under an ace: blackjack, which only blackjack equals …
        10 | <Ts Ad Th; As Ad Kh> 2c | | ahead <house; level>
        // … and nine once a peek has denied it: 20.
        10 | <Ts Ad Th; As Ad Kh> 2c | insurance=yes | ahead <level; players>
        10 | Ts Ad Th 2c | insurance=no | ahead house
        // After a split the dealer has no blackjack: the ace stands for a plain 21.
        10 | As Ad Ah 2c Ks <; Qs> | insurance=no split <; stand> | ahead <house; level>
        // A bust hand is lost, and each hand weighs its stake.
        10 | 8s 6d 8h Td Tc 7s Kd | split hit | ahead level
        10 | 8s 6d 8h Td 3c <2s Kd; 9s 2d> | split double | ahead <house; players>
        // All cards are shown.
        10 | <Ts 9d 9h 8c; Ts 9d 6h 8c Kc; Ts 6d 2h Tc Kd> | <stand; hit; stand> | ahead <players; house; players>
        10 | Ts Ad Jh Kc | insurance=no stand | ahead house";
    fn c22_stakes_pending_are_those_not_settled() "
        10 | Ts <9d; Ad> 9h 8c | | pending 10
        // The lost premium is settled.
        10 | Ts Ad 9h <8c; Kc> | insurance=yes | pending <10; 0>
        10 | 8s 9d 8h 8c 3d <; Tc Td> | split <; double> | pending <20; 30>
        10 | Ts 9d 9h 8c | stand | pending 0";
}
