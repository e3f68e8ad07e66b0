//! The rules common to all games, tested on the forms of blackjack (spec/games/blackjack.md): money, several boxes, the
//! window, default play, who is ahead, the view, the page itself.

use crate::common;
use common::boxes::{Play, bets, player, traced};
use common::rows::rounds;
use common::{bet, chips, rules_with};
use fairshoe_games::{Ahead, Round, RoundEvent, RuleSet};

fn six() -> RuleSet {
    rules_with("six-deck", &[])
}

#[test]
fn c4_stakes_are_even_so_that_no_half_unit_arises() {
    for name in ["live-blackjack", "rng-blackjack", "six-deck", "six-deck-solo", "study-group", "study-group-solo"] {
        let rules = RuleSet::shipped(name).unwrap();
        assert_eq!(rules.table.stake_step, chips(2), "{name}");
        assert_eq!(rules.check_bets(&[bet("1", 101)], chips(1000)).unwrap_err().code(), "off_step", "{name}");
    }
}

/// A player who cannot pay is skipped; the log of that is still one that the engine would write.
#[test]
fn c2_who_cannot_pay_the_premium_is_not_asked() {
    let rules = six();
    let placed = bets("ann 1:20 2:10, bob 3:10");
    for (ann, bob, asked) in [
        (10, 0, "0@1/1:insurance-10 1@2/1:insurance-5"),
        (9, 5, "0@2/1:insurance-5 1@3/1:insurance-5"),
        (0, 5, "0@3/1:insurance-5"),
    ] {
        let mut play = Play::new(&rules, &placed, 0, common::cards("Ts Tc Td Ad 9h 9s 9c 7c"));
        play.table.funds = [(player("ann"), chips(ann)), (player("bob"), chips(bob))].into();
        play.run();
        assert_eq!(play.open(), asked);
        // Money that comes later opens the window for no player.
        play.table.funds = [(player("ann"), chips(500)), (player("bob"), chips(500))].into();
        for open in play.round.open_decisions() {
            play.lapse(open.number);
        }
        assert!(play.open().contains("@1/1:hit-0,stand-0,double-20"), "{}", play.open());
    }
}

#[test]
fn c22_nobody_is_ahead_before_the_up_card_lies_open() {
    let rules = rules_with("study-group", &[]);
    let mut play = Play::new(&rules, &bets("10"), 0, common::cards("Ts 9d 6h 8c"));
    while !matches!(play.advance().unwrap().unwrap(), RoundEvent::Turned { .. }) {
        assert_eq!(play.round.ahead(), Ahead::Nobody);
    }
    assert_eq!(play.round.ahead(), Ahead::House);
}

/// Accepted even money is paid before any other player decides, and decisions wait until all are asked.
#[test]
fn a_choice_does_not_come_before_what_comes_by_itself() {
    let rules = six();
    let placed = bets("ann 1:10, bob 2:10");
    let mut play = Play::new(&rules, &placed, 100, common::cards("As Ks Td Kh Ah 9c"));
    while play.round.open_decisions().is_empty() {
        play.advance().unwrap().unwrap();
    }
    let taken = |round: &dyn Round, name: &str, decision| {
        round.accept(&player(name), decision, &"even_money=yes".parse().unwrap(), chips(100)).unwrap()
    };
    let early = taken(play.round.as_ref(), "ann", 0);
    assert!(play.round.apply(&early).unwrap_err().0.contains("`offered` comes next"));
    play.advance().unwrap().unwrap();
    play.round.apply(&early).unwrap();
    let second = taken(play.round.as_ref(), "bob", 1);
    assert!(play.round.apply(&second).unwrap_err().0.contains("`paid` comes next"));
    play.run();
    assert_eq!(play.open(), "1@2/1:even_money-0");
}

#[test]
fn the_view_shows_every_box() {
    let mut play = Play::at(&six(), "ann 3:10, bob 1:10", "Ts As Td 6h Kh 9c 2c");
    assert_eq!(play.open(), "0@3/1:even_money-0");
    play.act(0, "even_money=yes").unwrap();
    play.act(1, "surrender").unwrap();
    let view = play.round.view();
    let boxes = view["boxes"].as_array().unwrap();
    assert_eq!(boxes.iter().map(|b| &b["spot"]).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(boxes[0]["hands"][0]["outcome"], "surrender");
    assert_eq!(boxes[0]["hands"][0]["surrendered"], true);
    assert_eq!(
        (&boxes[1]["hands"][0]["outcome"], &boxes[1]["hands"][0]["even_money"]),
        (&"even_money".into(), &true.into())
    );
}

#[test]
fn boxes_belong_to_one_player_each() {
    let refused = |text: &str| six().open_round(&bets(text)).err().map(|refusal| refusal.code());
    assert_eq!(refused("ann 1:10 2:10, bob 2:10"), Some("spot_taken"));
    assert_eq!(refused("ann 1:10 1:10"), Some("spot_twice"));
    assert_eq!(refused("ann 1:10 2:10, bob 3:10"), None);
    let mut play = Play::at(&six(), "ann 1:10, bob 2:10", "Ts Ts 9d 6h Th 2c");
    let stranger = play.round.accept(&player("bob"), 0, &"hit".parse().unwrap(), chips(10)).unwrap_err();
    assert_eq!(stranger.code(), "not_your_decision");
    play.act(0, "stand").unwrap();
    assert_eq!(play.open(), "1@2/1:hit-0,stand-0,double-10,split-10,surrender-0");
}

#[test]
fn the_examples_of_the_page_are_what_the_engine_writes() {
    // The page wraps its lines; the log does not.
    let page: String = include_str!("../../../spec/games/blackjack.md").split_whitespace().collect();
    let text = |rules: &str, money: &str, shoe: &str, acts: &str| {
        common::boxes::course(&rules_with(rules, &[]), money, shoe, acts).unwrap().events
    };
    let joy = text("joy", "5", "Th Ac 8d Ks", "insurance=yes");
    let study = text("study-group-solo", "ann 1:10 2:20", "As Ts 6d Kh 9h Tc 3c", "stand");
    for event in joy.iter().chain(&study) {
        let text = serde_json::to_string(event).unwrap();
        assert!(page.contains(&text), "{text}");
    }
    assert!(
        traced(&rules_with("study-group-solo", &[]), "ann 1:10 2:20", "As Ts 6d Kh 9h Tc 3c", "stand")
            .ends_with("D=Tc D+3c $2/1:draw:20")
    );
}

#[test]
fn every_number_of_the_page_names_a_test_that_exists() {
    let page = include_str!("../../../spec/games/blackjack.md");
    let files = [
        ("joy_rules", include_str!("joy_rules.rs")),
        ("joy_rulings", include_str!("joy_rulings.rs")),
        ("joy_common_rules", include_str!("joy_common_rules.rs")),
        ("live_rules", include_str!("live_rules.rs")),
        ("live_rulings", include_str!("live_rulings.rs")),
        ("six_deck_rules", include_str!("six_deck_rules.rs")),
        ("study_rules", include_str!("study_rules.rs")),
        ("blackjack_common_rules", include_str!("blackjack_common_rules.rs")),
        ("blackjack_properties", include_str!("blackjack_properties.rs")),
        ("properties", include_str!("properties.rs")),
        ("second_engine", include_str!("second_engine.rs")),
    ];
    let (rules, table) = page.split_once("\n## Tests\n").unwrap();
    for (file, test) in table.split('`').filter_map(|word| word.split_once("::")) {
        let text = files.iter().find(|(name, _)| *name == file).unwrap_or_else(|| panic!("{file}")).1;
        assert!(text.contains(&format!("fn {test}(")), "{file}::{test}");
    }
    let letters = |last: char| ('a'..=last).map(|letter| letter.to_string());
    let tested = (1..=31)
        .map(|n| format!("R000.{n}"))
        .chain(letters('q').map(|letter| format!("A000.{letter}")))
        .chain((50..=61).chain(130..=138).map(|n| format!("R001.{n}")))
        .chain(letters('i').map(|letter| format!("A001.{letter}{letter}")))
        .chain(["A001.ll".to_owned()])
        .chain([34, 87, 113, 116, 117, 118, 119, 120, 122, 123, 126].map(|n| format!("R001.{n}")))
        .chain((1..=15).map(|n| format!("R003.{n}")))
        .chain(letters('r').map(|letter| format!("A003.{letter}")))
        .chain((1..=22).filter(|n| *n != 20).map(|n| format!("R004.{n}")))
        .chain(letters('m').map(|letter| format!("A004.{letter}")));
    for number in tested {
        assert!(table.contains(&format!("| {number} | `")), "{number} is not in the table");
        assert!(rules.contains(&format!("**{number}**")), "{number} is not stated");
        // One line of the table says where; the test's name says what it checks.
        let prefix = format!("{}_", number.to_lowercase().replace('.', "_"));
        assert!(
            files.iter().any(|(_, text)| text.contains(&format!("fn {prefix}"))),
            "no test is named after {number}"
        );
    }
    // The house's edge is stated here too.
    for number in
        ["R001.33", "R001.88", "R001.89", "R001.114", "R001.115", "R001.121", "R001.124", "R001.125", "R004.20"]
    {
        assert!(rules.contains(&format!("**{number}**")), "{number} is not stated");
    }
}

rounds! { "six-deck":
    fn c2_a_wager_above_the_balance_is_refused_box_by_box() "
        ann 1:10 2:10/19 | | | refused insufficient_balance
        ann 1:10 2:10/20 | Ts Tc 9d 9h 9s 8c | stand stand | 20 40
        ann 1:10 2:10/29 | 8s Tc 9d 8h 9s 8c | split | refused insufficient_balance";
    /// Two premiums are offered but only one can be paid: the second may be declined, but not taken.
    fn c2_a_premium_that_has_become_too_dear_is_refused() "
        ann 1:10 2:10/25 | Ts Tc Ad 9h 9s 7c | | asks 0@1/1:insurance-5 1@2/1:insurance-5
        ann 1:10 2:10/25 | Ts Tc Ad 9h 9s 7c | 0:insurance=yes | asks 1@2/1:
        ann 1:10 2:10/25 | Ts Tc Ad 9h 9s 7c | 0:insurance=yes 1:insurance=yes | refused insufficient_balance
        ann 1:10 2:10/25 | Ts Tc Ad 9h 9s 7c | 0:insurance=yes 1:insurance=no | asks 2@1/1:hit-0,stand-0,surrender-0";
    fn c18_default_play_declines_waits_and_stands() "
        @ live-blackjack | 100 | 8s Ad 8h 2c 5c | lapse lapse \
            | ends ?1/1:insurance !insurance=no peek:no ?1/1:hit,stand,double,split !stand D=2c D+5c $1/1:loss:0
        10 | As Td Kh 9c | lapse | ends ?1/1:even_money !even_money=no D=9c $1/1:blackjack:25
        10 | Ts 9d 6h 8c | lapse | ends ?1/1:hit,stand,double,surrender !stand D=8c $1/1:loss:0
        @ study-group
        10 | 8s 9d 8h 8c | lapse | ends ?1/1:hit,stand,double,split,surrender !stand D=8c $1/1:loss:0
        // A split hand that was not played yet gets its automatic card and stands.
        10 | 8s 9d 8h 8c Tc Ts | split lapse lapse | ends !split-10 1/1+Tc ?1/1:hit,stand,double !stand \
            1/2+Ts ?1/2:hit,stand,double !stand D=8c $1/2:win:20 $1/1:win:20";
    fn c22_who_is_ahead_at_several_boxes() "
        // 20 for 10 against 19 (the hidden card counts ten), 18 for 30.
        ann 1:<10, bob 2:30; 30, bob 2:10; 10, bob 2:10> | Ts Ts 9d Th 8h 2c | | ahead <house; players; level>
        // A surrendered hand has lost half; even money has won.
        ann 1:<20; 22; 18>, bob 2:10 | Ts Ts 9d 6h Th 2c | surrender | ahead <level; house; players>
        ann 1:10, bob 2:10 | As Ts Td Kh 9h 2c | even_money=yes | ahead level
        // A collected bust still counts.
        ann 1:10, bob 2:10 | Ts Ts 9d 6h Th 2c Kc | hit | ahead level
        // After a peek denied blackjack, the hole card counts nine under an ace and ten under a ten.
        @ study-group
        10 | Ts <Ad Th; Td Th; Td 9h> 2c | | ahead <level; level; house>";
    fn what_is_pending_is_told_by_player() "
        ann 1:10 3:20, bob 2:10 | 8s Ts Tc Ad 8h 6h 9h 7c 2c 3c Td 9d \
            | <; 0:insurance=yes 1:insurance=no 2:insurance=yes; 0:insurance=yes 1:insurance=no 2:insurance=yes \
            3:split> \
            | pending <30; 45; 55>, 10
        ann 1:10 3:20, bob 2:10 | 8s Ts Tc Ad 8h 6h 9h 7c 2c 3c Td 9d \
            | insurance=yes insurance=no insurance=yes 3:split 4:double <; 5:stand 6:surrender; 5:stand 6:surrender \
            7:stand> \
            | pending <65, 10; 65, 0; 0, 0>";
}
