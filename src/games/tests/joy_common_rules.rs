//! The rules common to all games, tested on JOY (spec/games/blackjack.md): money, default play, who is ahead, the view.

use crate::common;
use common::{Pile, RICH, ann, bet, cards, check, chips, joy, joy_with, placed, play, trace};
use fairshoe_games::blackjack::BlackjackRound;
use fairshoe_games::{Action, Ahead, Chips, DealingRule, MAX_CHIPS, Placed, Round, RoundEvent, RuleSet};

/// Plays up to the point where `acts` are used up.
fn at(rules: &RuleSet, stake: u64, funds: u64, shoe: &str, acts: &str) -> (Box<dyn Round>, Pile, Vec<RoundEvent>) {
    let mut round = rules.open_round(&[placed(stake)]).unwrap();
    let mut pile = Pile { cards: cards(shoe), drawn: 0, funds: chips(funds) };
    let mut acts = common::actions(acts).into_iter();
    let mut events = Vec::new();
    loop {
        let event = match (round.step(&pile).unwrap(), round.open_decisions().first()) {
            (Some(event), _) => event,
            (None, Some(open)) => match acts.next() {
                Some(action) => round.accept(&ann(), open.number, &action, pile.funds).unwrap(),
                None => break,
            },
            (None, None) => break,
        };
        round.apply(&event).unwrap();
        pile.follow(&event);
        events.push(event);
    }
    assert_eq!(acts.next(), None);
    (round, pile, events)
}

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
fn c2_a_wager_above_the_balance_is_refused() {
    check(&[
        "10/9 | | | refused insufficient_balance",
        "10/19 | 5s 6d 4h Tc | double | refused insufficient_balance",
        "10/19 | 8s 6d 8h Tc | split | refused insufficient_balance",
        "10/10 | Ts 9d 9h 8c | stand | 10 20",
    ]);
    // The dialog is not even shown then; an answer after the funds were spent is refused.
    let (round, ..) = at(&joy(), 10, 5, "Ts Ad 9h 8c", "");
    let poor = round.accept(&ann(), 0, &Action::Insurance { take: true }, chips(4)).unwrap_err();
    assert_eq!(poor.code(), "insufficient_balance");
    assert!(round.accept(&ann(), 0, &Action::Insurance { take: false }, chips(0)).is_ok());
}

#[test]
fn c4_an_opening_stake_is_a_multiple_of_the_step() {
    let rules = joy_with(&[("stake_step", "2")]);
    common::check_as(&rules, "7 | | | refused off_step");
    common::check_as(&rules, "8 | Ts 9d 9h 8c | stand | 8 16");
    // Only opening stakes: an odd premium stays legal.
    common::check_as(&rules, "10 | Th Ac 8d Ks | insurance=yes | 15 15");
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
fn c18_default_play_declines_and_stands() {
    for (shoe, acts, course) in [
        ("Ts Ad 9h Kc", "", "?1/1:insurance !insurance=no ?1/1:hit,stand,double !stand D=Kc $1/1:loss:0"),
        ("Ts 9d 2h 8c", "", "?1/1:hit,stand,double !stand D=8c $1/1:loss:0"),
        (
            // A split hand that was not played yet gets its automatic card and stands.
            "8s 9d 8h 8c 2c Td",
            "split",
            "?1/1:hit,stand,double,split !split-10 1/1+2c ?1/1:hit,stand,double !stand \
             1/2+Td ?1/2:hit,stand,double !stand D=8c $1/1:loss:0 $1/2:win:20",
        ),
    ] {
        let (mut round, mut pile, mut events) = at(&joy(), 10, RICH, shoe, acts);
        while !round.is_settled() {
            let event = match round.open_decisions().first() {
                Some(open) => round.default_play(open.number).unwrap(),
                None => round.step(&pile).unwrap().unwrap(),
            };
            if let RoundEvent::Acted { default, cost, .. } = &event {
                assert!(*default && *cost == Chips::ZERO);
            }
            round.apply(&event).unwrap();
            pile.follow(&event);
            events.push(event);
        }
        assert!(trace(&events).ends_with(course), "{}", trace(&events));
    }
}

#[test]
fn c18_default_play_of_a_decision_that_is_not_open_is_refused() {
    let (round, ..) = at(&joy(), 10, RICH, "Ts 9d 2h 8c", "");
    assert_eq!(round.default_play(1).unwrap_err().code(), "decision_not_open");
    let (round, ..) = at(&joy(), 10, RICH, "Ts 9d 9h 8c", "stand");
    assert_eq!(round.default_play(0).unwrap_err().code(), "decision_not_open");
}

#[test]
fn c22_who_is_ahead_by_public_faces() {
    for (shoe, acts, ahead) in [
        // The hidden card counts ten.
        ("Ts 9d Th 2c", "", Ahead::Players),
        ("Ts 9d 9h 2c", "", Ahead::Level),
        ("Ts 9d 8h 2c", "", Ahead::House),
        ("As Kd Kh 2c", "", Ahead::Players),
        // Under an ace: blackjack, which only blackjack equals.
        ("Ts Ad Th 2c", "", Ahead::House),
        ("As Ad Kh 2c", "", Ahead::Level),
        // … and nine once a peek has denied it: 20.
        ("Ts Ad Th 2c", "insurance=yes", Ahead::Level),
        ("As Ad Kh 2c", "insurance=yes", Ahead::Players),
        ("Ts Ad Th 2c", "insurance=no", Ahead::House),
        // After a split the dealer has no blackjack: the ace stands for a plain 21.
        ("As Ad Ah 2c Ks", "insurance=no split", Ahead::House),
        ("As Ad Ah 2c Ks Qs", "insurance=no split stand", Ahead::Level),
        // A bust hand is lost, and each hand weighs its stake.
        ("8s 6d 8h Td Tc 7s Kd", "split hit", Ahead::Level),
        ("8s 6d 8h Td 3c 2s Kd", "split double", Ahead::House),
        ("8s 6d 8h Td 3c 9s 2d", "split double", Ahead::Players),
        // All cards are shown.
        ("Ts 9d 9h 8c", "stand", Ahead::Players),
        ("Ts 9d 6h 8c Kc", "hit", Ahead::House),
        ("Ts 6d 2h Tc Kd", "stand", Ahead::Players),
        ("Ts Ad Jh Kc", "insurance=no stand", Ahead::House),
    ] {
        let (round, ..) = at(&joy(), 10, RICH, shoe, acts);
        assert_eq!(round.ahead(), ahead, "{shoe}: {acts}");
    }
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
fn c22_stakes_pending_are_those_not_settled() {
    for (shoe, acts, pending) in [
        ("Ts 9d 9h 8c", "", 10),
        ("Ts Ad 9h 8c", "", 10),
        // The lost premium is settled.
        ("Ts Ad 9h 8c", "insurance=yes", 10),
        ("8s 9d 8h 8c 3d", "split", 20),
        ("8s 9d 8h 8c 3d Tc Td", "split double", 30),
        ("Ts 9d 9h 8c", "stand", 0),
        ("Ts Ad 9h Kc", "insurance=yes", 0),
    ] {
        let (round, ..) = at(&joy(), 10, RICH, shoe, acts);
        assert_eq!(round.pending_stakes(), [(ann(), chips(pending))], "{shoe}: {acts}");
    }
}

#[test]
fn the_view_shows_what_lies_open() {
    let (round, ..) = at(&joy(), 5, RICH, "Th Ac 8d Ks", "");
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
