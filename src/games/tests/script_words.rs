//! Rounds in the words of the command line: how words are read, whose turn they answer, the message when they do not
//! fit.

use fairshoe_games::script::{MAX_SCRIPT_LENGTH, Played, Words};
use fairshoe_games::{RoundEvent, RuleSet};

#[derive(Clone, Copy)]
struct Line<'l> {
    rules: &'l str,
    cards: &'l str,
    bets: &'l str,
    actions: &'l str,
    players: &'l str,
    entry: Option<u64>,
    pocket: Option<u64>,
    balance: u64,
}

const NOTHING: Line<'_> = Line {
    rules: "joy",
    cards: "",
    bets: "",
    actions: "",
    players: "",
    entry: None,
    pocket: None,
    balance: 1_000_000_000,
};

fn play(line: Line<'_>) -> Result<Played, String> {
    let Line { rules, cards, bets, actions, players, entry, pocket, balance } = line;
    let rules = RuleSet::shipped(rules).unwrap();
    Words { rules: &rules, cards, bets, actions, players, entry, pocket, balance }.play().map_err(|e| e.to_string())
}

fn joy<'l>(bets: &'l str, cards: &'l str, actions: &'l str) -> Line<'l> {
    Line { bets, cards, actions, ..NOTHING }
}

fn safe<'l>(players: &'l str, cards: &'l str, actions: &'l str) -> Line<'l> {
    Line { rules: "safe", players, cards, actions, ..NOTHING }
}

#[track_caller]
fn refused(line: Line<'_>, why: &str) {
    let said = play(line).unwrap_err();
    assert!(said.contains(why), "`{why}` is not in: {said}");
}

/// Seat, player, staked, returned.
fn seats(played: &Played) -> String {
    let seat = |s: &fairshoe_games::script::SeatMoney| format!("{} {} {} {}", s.seat, s.player, s.staked, s.returned);
    played.seats.iter().map(seat).collect::<Vec<_>>().join(", ")
}

#[test]
fn words_are_parted_by_blanks_and_commas() {
    let played = play(joy("1=10", "8s,Kd 8h,\tAc 3d Tc\nTd", "split,double, stand")).unwrap();
    assert_eq!((played.staked.units(), played.returned.units(), played.net), (30, 20, -10));
}

#[test]
fn what_is_no_word_is_said() {
    let (bets, cards) = ("10", "8s Kd 8h Ac 3d Tc Td");
    refused(joy(bets, "8s Kx", ""), "`Kx` is no card");
    refused(joy(bets, "8s 10d", ""), "`10d` is no card");
    refused(joy(bets, cards, "jump"), "`jump` is no action; the words are hit, stand");
    refused(joy(bets, cards, "insurance"), "insurance=yes or insurance=no");
    refused(joy("1=ten", cards, ""), "`1=ten`: a stake is a whole number");
    refused(joy("1=-5", cards, ""), "whole number");
    refused(joy("1=9007199254740992", cards, ""), "whole number");
    refused(joy("", cards, ""), "name the bets");
    refused(joy(bets, "", ""), "--cards");
    refused(joy("2=10", cards, ""), "centre spot");
    refused(Line { balance: u64::MAX, ..joy(bets, cards, "") }, "balance is out of range");
    refused(joy(bets, cards, "Nobody!:stand"), "no player's name");
}

#[test]
fn lengths_are_bounded_before_anything_is_read() {
    let most = "x ".repeat(MAX_SCRIPT_LENGTH + 1);
    refused(joy("10", &most, ""), "at most 10000 words");
    refused(joy("10", "As", &most), "at most 10000 words");
    refused(joy(&"1=1 ".repeat(257), "As", ""), "at most 256 words");
}

#[test]
fn boxes_of_a_shared_table_are_players_of_their_own_and_of_a_solo_table_one_players() {
    let line = Line { rules: "six-deck", ..joy("2=50 1=100", "Ts 9s 7d 9h 8h Tc", "stand stand") };
    assert_eq!(seats(&play(line).unwrap()), "1 seat1 100 200, 2 seat2 50 50");
    let solo = play(Line { rules: "six-deck-solo", ..line }).unwrap();
    assert_eq!(seats(&solo), "1 player 100 200, 2 player 50 50");
    assert_eq!(solo.bets.iter().map(|bet| bet.spot.as_str()).collect::<Vec<_>>(), ["2", "1"], "bets keep their order");
    // Each seat has the whole balance, a solo player has it once.
    assert!(play(Line { balance: 100, ..line }).is_ok());
    refused(Line { rules: "six-deck-solo", balance: 149, ..line }, "the balance 149 does not cover the stake 150");
    refused(Line { bets: "1=100 1=100", ..line }, "the bet is refused");
    refused(Line { bets: "1=100 9=100", ..line }, "the bet is refused");
}

#[test]
fn bets_on_a_layout_are_one_seat() {
    let rules = RuleSet::shipped("baccarat").unwrap();
    let mut words = Words::new(&rules);
    (words.cards, words.bets) = ("4h 9d 3c Ks", "tie=100 banker=1000 player=100");
    let played = words.play().unwrap();
    assert_eq!(seats(&played), "1 player 1200 1950");
    let bets: Vec<(String, u64, u64, i64)> =
        played.bets.iter().map(|bet| (bet.spot.clone(), bet.staked.units(), bet.returned.units(), bet.net)).collect();
    assert_eq!(
        bets,
        [("tie".into(), 100, 0, -100), ("banker".into(), 1000, 1950, 950), ("player".into(), 100, 0, -100)]
    );
    assert_eq!(played.winner, None);
}

#[test]
fn a_roulette_spot_may_be_spelled_freely_and_is_logged_by_its_name() {
    let line =
        Line { rules: "roulette", bets: "six-line:13-18=100 Split:20-17=100 17=100", pocket: Some(17), ..NOTHING };
    let played = play(line).unwrap();
    let spots: Vec<String> = played.bets.iter().map(|bet| format!("{} {}", bet.spot, bet.returned)).collect();
    assert_eq!(spots, ["line:13-18 600", "split:17-20 1800", "straight:17 3600"]);
    assert!(matches!(played.events[0], RoundEvent::Spun { value: 17, pocket: 17, .. }));
    refused(Line { bets: "six-line:13-18=100 line:13-18=100", ..line }, "`line:13-18` is named twice");
    refused(Line { bets: "split:17-19=100", ..line }, "a split joins two neighbours");
    refused(Line { pocket: Some(37), ..line }, "0 to 36");
    refused(Line { pocket: None, ..line }, "--pocket 17");
    refused(Line { cards: "As", ..line }, "no cards");
}

#[test]
fn a_side_question_lapses_where_the_next_word_is_about_something_else() {
    // Insurance is offered under the ace; `stand` is no answer to it.
    let played = play(joy("10", "Ts Ad 9h 7c", "stand")).unwrap();
    assert!(played.events.iter().any(|event| matches!(event, RoundEvent::Acted { default: true, .. })));
    assert_eq!((played.staked.units(), played.returned.units()), (10, 20), "19 beats 18");
    assert_eq!(play(joy("10", "Ts Ad 9h 7c", "insurance=no stand")).unwrap().returned, played.returned);
    // The play of a hand never lapses; nor does the last question of a game played to its end.
    refused(joy("10", "Ts Ad 9h 7c", ""), "possible now: insurance");
    refused(joy("10", "Ts 9d 9h 7c", ""), "possible now: hit, stand, double");
    refused(joy("10", "Ts 9d 9h 7c", "accept"), "accept is not possible now");
    refused(joy("10", "Ts 9d 9h 8c", "stand stand"), "1 action(s) are left, the first is `stand`");
}

#[test]
fn the_next_word_may_say_whose_it_is() {
    let line = Line { rules: "six-deck", ..joy("1=100 2=50", "Ts 9s 7d 9h 8h Tc", "seat1:stand seat2:stand") };
    assert!(play(line).is_ok());
    refused(
        Line { actions: "seat2:stand seat1:stand", ..line },
        "action 1 (stand) is seat2's, but seat1 is asked; possible now: hit, stand",
    );
}

#[test]
fn cards_and_shoes_end() {
    refused(joy("10", "Ts 9d 9h", "stand"), "card 4 is needed and not given");
    refused(joy("10", "2c 9d 3d 7c", "hit"), "card 5 is needed and not given");
    refused(joy("10", "Ts 9d 9h", "hit"), "card 4 is needed and not given");
    let extra = play(joy("10", "Ts 9d 9h 7c As Ah", "stand")).unwrap();
    assert_eq!(extra.returned.units(), 20, "cards left over are not used");
}

#[test]
fn safe_names_players_in_turn_order_and_keeps_their_spelling() {
    let cards = "Th 9s Tc 8d 9c 9h";
    let played = play(safe("Zoe,Bob,Al", cards, "zoe:stand BOB:stand al:stand")).unwrap();
    assert_eq!(seats(&played), "1 Zoe 100 0, 2 Bob 100 0, 3 Al 100 0");
    let dealt: Vec<String> = played
        .events
        .iter()
        .filter_map(|e| if let RoundEvent::Dealt { to, .. } = e { Some(to.to_string()) } else { None })
        .collect();
    assert_eq!(dealt[..6], ["1/1", "2/1", "3/1", "1/1", "2/1", "3/1"]);
    assert_eq!(played.winner, Some(None), "undecided");
    assert_eq!(serde_json::to_value(&played).unwrap()["winner"], serde_json::Value::Null);
    refused(safe("", cards, ""), "--players A,B,C");
    refused(safe("A", cards, ""), "2 to 6 players");
    refused(safe("A,B,C,D,E,F,G", cards, ""), "seat");
    refused(safe("A,a", cards, ""), "named twice");
    refused(safe("A,!", cards, ""), "no player's name");
}

#[test]
fn safe_takes_the_entry_as_entry_or_as_bet() {
    let cards = "Th 9s 8d 4c Kh";
    let out = |line: Line<'_>| seats(&play(line).unwrap());
    let base = safe("A,B", cards, "A:stand B:hit");
    assert_eq!(out(base), "1 A 100 200, 2 B 100 0", "the rule set's");
    assert_eq!(out(Line { entry: Some(7), ..base }), "1 A 7 14, 2 B 7 0");
    assert_eq!(out(Line { bets: "25", ..base }), "1 A 25 50, 2 B 25 0");
    assert_eq!(play(base).unwrap().winner, Some(Some("A".into())));
    refused(Line { entry: Some(7), bets: "7", ..base }, "name the entry once");
    refused(Line { bets: "1=7 2=7", ..base }, "the same stake");
    refused(Line { entry: Some(0), ..base }, "an entry of 0");
    refused(Line { entry: Some(u64::MAX), ..base }, "out of range");
    refused(Line { entry: Some(200), balance: 199, ..base }, "the balance 199 does not cover the stake 200");
}

#[test]
fn safe_takes_the_default_where_the_next_word_is_not_for_the_side_question() {
    let dealt = "Th 2s 8d 3c";
    // Hit shows a card: accepted by the next hit, by another player's word, or where the words end.
    let hits = play(safe("A,B", &format!("{dealt} 4h 5h 6h"), "A:stand B:hit B:hit B:hit")).unwrap();
    assert_eq!(hits.view["players"][1]["hand"]["total"], 20);
    let refusing = play(safe("A,B", &format!("{dealt} 4h 5h 6h"), "A:stand B:hit B:reject B:hit")).unwrap();
    assert_eq!(refusing.view["players"][1]["hand"]["total"], 16, "2 3 5 6");
    // After a face-down card: open a hand, or go on.
    let opened = play(safe("A,B", &format!("{dealt} 4h 5h"), "A:stand B:face-down B:open")).unwrap();
    assert!(opened.events.iter().any(|event| matches!(event, RoundEvent::Turned { .. })));
    let kept = play(safe("A,B", &format!("{dealt} 4h 9h 9d Tc 8s"), "A:stand B:face-down A:stand")).unwrap();
    assert!(!kept.events.iter().any(|event| matches!(event, RoundEvent::Turned { .. })));
    assert_eq!(kept.view["players"][1]["face_down"].as_array().unwrap().len(), 1);
    // The word of the wrong player, and an illegal one, are errors.
    refused(safe("A,B", dealt, "B:stand"), "action 1 (stand) is b's, but a is asked");
    refused(safe("A,B", dealt, "A:stand B:stand"), "R002.9");
    refused(safe("A,B", dealt, "A:stand B:change=Ks"), "not in the hand");
    refused(safe("A,B", dealt, "A:stand B:hit"), "card 5 is needed");
    refused(safe("A,B", dealt, "A:stand B:face-down"), "card 5 is needed");
    refused(safe("A,B", &format!("{dealt} 4h"), "A:stand B:hit B:reject"), "card 6 is needed");
}

#[test]
fn a_pile_of_safe_holds_each_card_once() {
    refused(
        safe("A,B", "Th 9s Th", ""),
        "card 3 (Th) cannot lie in pile 0: its cards are those of one pack, each once",
    );
    let line = golden("G002-3 ");
    let rules = RuleSet::shipped("safe").unwrap();
    let with_next = |next: &str| {
        let cards = line.0.split_whitespace().take(52).chain(next.split_whitespace()).collect::<Vec<_>>().join(" ");
        let mut words = Words::new(&rules);
        (words.cards, words.actions, words.players) = (&cards, &line.1, "A,B,C");
        words.play()
    };
    // C's face-down hand is 9d 5s 2h: these are not collected.
    let refused = with_next("Kc 5s").unwrap_err().to_string();
    assert!(refused.contains("card 54 (5s) cannot lie in pile 1: its cards are the collected ones"), "{refused}");
    assert!(with_next("Kc Kc").unwrap_err().to_string().contains("card 54 (Kc)"));
    // A game may end where its cards end, once the words are used up.
    assert_eq!(with_next("Kc Qd").unwrap().view["pile_left"], 47);
}

/// Cards and actions of a worked example.
fn golden(name: &str) -> (String, String) {
    let file: serde_json::Value = serde_json::from_str(include_str!("../../../spec/vectors/play.json")).unwrap();
    let case = file["cases"]
        .as_array()
        .unwrap()
        .iter()
        .find(|case| case["name"].as_str().unwrap().starts_with(name))
        .unwrap()
        .clone();
    (case["cards"].as_str().unwrap().to_owned(), case["actions"].as_str().unwrap().to_owned())
}

#[test]
fn a_face_down_card_of_an_earlier_pile_is_opened_by_its_slot() {
    // G002-3 goes on: A and B fall, so C is the last and C's hand of the first pile is opened: 9 5 2.
    let (cards, actions) = golden("G002-3 ");
    let cards = cards.split_whitespace().take(52).collect::<Vec<_>>().join(" ") + " Th Ts Tc 6d 6s 9c Kc Qd";
    let actions = format!("{actions} A:hit B:hit");
    let played = play(safe("A,B,C", &cards, &actions)).unwrap();
    assert_eq!(played.winner, Some(Some("C".into())));
    let turned: Vec<(Option<u16>, String)> = played
        .events
        .iter()
        .filter_map(
            |e| if let RoundEvent::Turned { pile, card, .. } = e { Some((*pile, card.to_string())) } else { None },
        )
        .collect();
    assert_eq!(turned, [(Some(0), "2h".to_owned())]);
}

#[test]
fn words_of_one_game_are_refused_at_another() {
    refused(Line { players: "A,B", ..joy("1", "As", "") }, "players are named where all enter alike");
    refused(Line { entry: Some(1), ..joy("", "As", "") }, "an entry is for a game that all enter alike");
    refused(Line { pocket: Some(1), ..joy("1", "As", "") }, "a pocket is for a wheel");
}

#[test]
fn what_has_become_too_dear_can_still_be_declined_in_so_many_words() {
    // After the stakes 40 are left: either premium could be paid, and with the first one's 25 gone the second's 30
    // cannot.
    let line = Line {
        rules: "six-deck-solo",
        balance: 150,
        ..joy("1=50 2=60", "Kc Kh As Ks 9d 9c", "insurance=yes insurance=no stand stand")
    };
    let played = play(line).unwrap();
    assert_eq!((played.staked.units(), played.returned.units()), (135, 50), "20 against 20 and 19");
    refused(Line { actions: "insurance=yes insurance=yes stand stand", ..line }, "insurance");
}
