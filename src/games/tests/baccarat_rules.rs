//! Baccarat, one test for each rule or ruling (spec/games/baccarat.md). A line is a coup: cards as they are drawn
//! (Player, Banker, Player, Banker, then third cards), bets, and the return of each.

use crate::spots;
use fairshoe_fairness::{Card, Composition, Slot};
use fairshoe_games::baccarat::{
    Coup, Side, Spot, banker_draws, card_value, is_natural, next_draw, outcome, player_draws, points,
};
use fairshoe_games::{
    Action, Chips, GameRules, Illegal, Mode, Place, Reshuffle, RoundEvent, RuleSet, StepError, Wager,
};
use spots::*;

fn baccarat() -> RuleSet {
    RuleSet::shipped("baccarat").unwrap()
}

fn game(rules: &RuleSet) -> fairshoe_games::baccarat::BaccaratRules {
    match &rules.game {
        GameRules::Baccarat(rules) => rules.clone(),
        other => panic!("{other:?}"),
    }
}

/// The cards of a coup in place and the result, as `P 4h 3c | B 9d Ks | banker`.
fn dealt(shoe: &str) -> String {
    let (events, round) = course(&baccarat(), &placed("ann: player=100"), Given::shoe(shoe)).unwrap();
    let hand = |name: &str| {
        let there = |event: &RoundEvent| match event {
            RoundEvent::Dealt { to, card: Some(card), .. } if *to == Place::spot(name).unwrap() => {
                Some(card.to_string())
            }
            _ => None,
        };
        events.iter().filter_map(there).collect::<Vec<_>>().join(" ")
    };
    format!("P {} | B {} | {}", hand("player"), hand("banker"), round.view()["outcome"].as_str().unwrap())
}

#[test]
fn r001_40_eight_packs_and_points_are_the_sum_without_its_tens() {
    assert_eq!(baccarat().composition(), Composition::Decks(8));
    assert_eq!(baccarat().composition().len(), 416);
    let values: Vec<u8> = (1..=13).map(|rank| card_value(Card::new(rank, 'h').unwrap())).collect();
    assert_eq!(values, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]);
    for code in 0..52 {
        let card = Card::from_code(code).unwrap();
        assert_eq!(card_value(card), card_value(Card::new(card.rank(), 's').unwrap()), "suits count nothing");
    }
    // The document's own examples: ace, 2, 4 are 7; ace, 2, 9 are 2.
    assert_eq!((points(&[1, 2, 4]), points(&[1, 2, 9]), points(&[]), points(&[9, 9, 9])), (7, 2, 0, 7));
}

#[test]
fn r001_41_the_cut_card_lies_7_cards_from_the_back() {
    for name in ["baccarat", "rng-baccarat"] {
        assert_eq!(RuleSet::shipped(name).unwrap().table.reshuffle, Reshuffle::CutBack(7), "{name}");
    }
}

#[test]
fn a001_w_the_hand_that_draws_one_of_the_last_7_is_the_last() {
    let reshuffle = baccarat().table.reshuffle;
    for (dealt, last) in [(0, false), (4, false), (408, false), (409, false), (410, true), (415, true), (416, true)] {
        assert_eq!(reshuffle.is_due(416 - dealt), last, "{dealt} dealt");
    }
    // The last hand may start with exactly 7 cards left and needs at most 6: a rule that leaves fewer is refused.
    assert_eq!(dealt("Kh Kd 5s Qc 5h 9c"), "P Kh 5s 5h | B Kd Qc 9c | banker");
    contradictions(
        &baccarat(),
        &[
            (&[("reshuffle", r#"{"cut_back":5}"#)], "6 cards"),
            (&[("reshuffle", r#"{"left_below":5}"#)], "6 cards"),
            (&[("reshuffle", r#"{"left_at_most":4}"#)], "6 cards"),
            (&[("reshuffle", r#"{"cut_back":0}"#)], "6 cards"),
            (&[("reshuffle", r#"{"cut_back":416}"#)], "before its first card"),
        ],
    );
    for fits in [r#"{"cut_back":6}"#, r#"{"left_at_most":5}"#, r#"{"left_below":6}"#, r#""every_round""#] {
        assert!(baccarat().with_options([("reshuffle", fits)]).is_ok(), "{fits}");
    }
}

#[test]
fn a001_x_no_card_is_burnt() {
    let (events, _) = course(&baccarat(), &placed("ann: player=100"), Given::shoe("4h 9d 3c Ks")).unwrap();
    let slots: Vec<Slot> =
        events.iter().filter_map(|e| if let RoundEvent::Dealt { slot, .. } = e { Some(*slot) } else { None }).collect();
    assert_eq!(
        slots,
        [Slot(0), Slot(1), Slot(2), Slot(3)],
        "the first card is the shoe's next, and so on without a gap"
    );
}

#[test]
fn r001_43_cards_1_and_3_to_player_2_and_4_to_banker_all_face_up() {
    assert_eq!(dealt("Ah 2h 6h 5h"), "P Ah 6h | B 2h 5h | tie");
    let (events, _) = course(&baccarat(), &placed("ann: player=100"), Given::shoe("Ah 2h 6h 5h")).unwrap();
    assert!(events.iter().all(|event| !matches!(event, RoundEvent::Dealt { card: None, .. })));
}

#[test]
fn r001_44_a_natural_stops_both() {
    for (shoe, cards) in [
        ("8h Kd Kc 2s", "P 8h Kc | B Kd 2s | player"),
        ("9h Kd Kc 2s", "P 9h Kc | B Kd 2s | player"),
        ("2h 8d Kc Ks", "P 2h Kc | B 8d Ks | banker"),
        ("2h 9d Kc Ks", "P 2h Kc | B 9d Ks | banker"),
        ("9h 8d Kc Ks", "P 9h Kc | B 8d Ks | player"),
    ] {
        assert_eq!(dealt(shoe), cards);
    }
    assert_eq!((0..10).filter(|p| is_natural(*p)).collect::<Vec<_>>(), [8, 9]);
    // 8 or 9 with three cards is no natural, and Banker still draws.
    assert_eq!(dealt("2h Kd 3c 2s 4h 4d"), "P 2h 3c 4h | B Kd 2s 4d | player");
}

#[test]
fn r001_45_player_draws_to_5_and_banker_too_when_player_stands() {
    for player in 0..=7u8 {
        assert_eq!(player_draws(player), player <= 5, "{player}");
    }
    for banker in 0..=7u8 {
        assert_eq!(banker_draws(banker, None), banker <= 5, "{banker}");
    }
    assert_eq!(dealt("3h 2d 4c 3s Ah"), "P 3h 4c | B 2d 3s Ah | player", "7 stands, 5 draws");
    assert_eq!(dealt("3h 3d 3c 3s"), "P 3h 3c | B 3d 3s | tie", "6 stands against 6");
    assert_eq!(dealt("2h 3d 3c 4s 2c"), "P 2h 3c 2c | B 3d 4s | tie", "5 draws");
}

#[test]
fn r001_127_players_third_card_leaves_the_shoe_first() {
    assert_eq!(dealt("2h Kd 3c Ks 2s 9d"), "P 2h 3c 2s | B Kd Ks 9d | banker");
    assert_eq!(next_draw(&[2, 3], &[0, 0]), Some(Side::Player));
    assert_eq!(next_draw(&[2, 3, 2], &[0, 0]), Some(Side::Banker));
    assert_eq!(next_draw(&[2, 3, 2], &[0, 0, 9]), None);
}

/// The document's list as rows: Banker's points, then for Player's third card 0 to 9 whether Banker draws.
const BANKER: [&str; 8] =
    ["dddddddddd", "dddddddddd", "dddddddddd", "dddddddd.d", "..dddddd..", "....dddd..", "......dd..", ".........."];

#[test]
fn r001_46_banker_draws_by_players_third_card() {
    for (banker, row) in (0..).zip(BANKER) {
        for (third, mark) in (0..).zip(row.bytes()) {
            assert_eq!(banker_draws(banker, Some(third)), mark == b'd', "Banker {banker}, third {third}");
        }
    }
    // On the table: Player 0 draws x, Banker 0 + b.
    for (banker, row) in (0..).zip(BANKER) {
        for (third, mark) in (0..).zip(row.bytes()) {
            let pip = |value: u8| {
                if value == 0 {
                    "K".to_owned()
                } else if value == 1 {
                    "A".to_owned()
                } else {
                    value.to_string()
                }
            };
            let last = if mark == b'd' { " Qc" } else { "" };
            let shoe = format!("Kh Kd Qh {}s {}c{last}", pip(banker), pip(third));
            let result = format!("{:?}", outcome(third, banker)).to_lowercase();
            assert_eq!(dealt(&shoe), format!("P Kh Qh {}c | B Kd {}s{last} | {result}", pip(third), pip(banker)));
        }
    }
}

#[test]
fn r001_46_the_whole_table_of_points_and_thirds_agrees_with_the_words() {
    for player in 0..10u8 {
        for banker in 0..10u8 {
            let (p, b) = ([0, player], [banker, 0]);
            let natural = player > 7 || banker > 7;
            let first = next_draw(&p, &b);
            let expected = match (natural, player < 6, banker < 6) {
                (true, ..) => None,
                (_, true, _) => Some(Side::Player),
                (.., true) => Some(Side::Banker),
                _ => None,
            };
            assert_eq!(first, expected, "{player} {banker}");
            if first == Some(Side::Player) {
                for third in 0..10u8 {
                    let draws = BANKER[usize::from(banker)].as_bytes()[usize::from(third)] == b'd';
                    assert_eq!(
                        next_draw(&[0, player, third], &b),
                        draws.then_some(Side::Banker),
                        "{player} {banker} {third}"
                    );
                }
            }
        }
    }
}

#[test]
fn r001_128_the_commission_is_taken_with_the_payment() {
    let (events, round) = course(&baccarat(), &placed("ann: banker=1001"), Given::shoe("4h 9d 3c Ks")).unwrap();
    let [line] = lines(&events) else { panic!() };
    assert_eq!((line.wager, line.stake, line.returned), (Wager::Bet, chips(1001), chips(1951)));
    // After this no event follows and no stake is left.
    assert_eq!(round.step(&Given::default()), Ok(None));
    assert_eq!(round.pending_stakes(), [("ann".parse().unwrap(), Chips::ZERO)]);
}

#[test]
fn a001_y_the_commission_is_rounded_up_and_a_small_banker_stake_is_refused() {
    let rules = baccarat();
    for stake in 20..=5000 {
        let win = game(&rules).banker_win(chips(stake)).unwrap().units();
        assert_eq!(win, stake * 95 / 100, "{stake}");
        assert!((stake - win) * 20 >= stake && (stake - win - 1) * 20 < stake, "{stake}: ceil of 5 %");
    }
    let small = rules.with_options([("stake_min", "1")]).unwrap();
    assert_eq!(code(&small, "banker=19", 1000), "below_minimum");
    assert!(refused(&small, "banker=19", 1000).unwrap_err().to_string().contains("minimum 20"));
    assert_eq!(refused(&small, "banker=20 player=1 tie=1", 1000), Ok(()));
    assert!(
        refused(&rules, "banker=19", 1000).unwrap_err().to_string().contains("minimum 100"),
        "the table's minimum is said first"
    );
    contradictions(
        &small,
        &[
            (&[("banker_min", "1")], "would win nothing"),
            (&[("banker_min", "0")], "would win nothing"),
            (&[("banker_min", "100001")], "banker_min and stake_max"),
            (&[("banker_min", "99999"), ("stake_step", "70")], "banker_min and stake_max"),
            (&[("commission", "[1,1]")], "commission"),
            (&[("commission", "[0,0]")], "commission"),
            (&[("commission", "[5,10001]")], "commission"),
            (&[("commission", "[96,100]")], "would win nothing"),
        ],
    );
    let options = [("banker_min", "1"), ("commission", "[0,1]")];
    let free = small.with_options(options).unwrap();
    assert_eq!(returns(&free, "banker=1", Given::shoe("4h 9d 3c Ks")), "2");
    assert!(small.with_options([("banker_min", "2")]).is_ok(), "2 less 5 % is 1");
}

#[test]
fn r001_87_stakes_never_move_a_card() {
    let shoe = "2h Kd 3c 3s 8d";
    let alone = course(&baccarat(), &placed("ann: player=100"), Given::shoe(shoe)).unwrap().0;
    for others in ["ann: tie=99999", "ann: player=100 | bob: banker=100000 tie=500", "zoe: banker=777"] {
        let events = course(&baccarat(), &placed(others), Given::shoe(shoe)).unwrap().0;
        assert_eq!(events[..5], alone[..5], "{others}");
    }
}

#[test]
fn r001_117_both_limits_stand_in_the_rule_set() {
    let shown: serde_json::Value = serde_json::from_str(&baccarat().canonical()).unwrap();
    assert_eq!((&shown["table"]["stake_min"], &shown["table"]["stake_max"]), (&100.into(), &100_000.into()));
    assert_eq!(shown["game"]["baccarat"]["banker_min"], 20);
}

#[test]
fn r001_118_refused_before_the_cards_with_the_reason() {
    let rules = baccarat();
    assert_eq!(code(&rules, "player=600 tie=600", 1199), "insufficient_balance");
    assert_eq!(code(&rules, "player=99", 1000), "below_minimum");
    assert_eq!(code(&rules, "tie=100001", 1_000_000), "above_maximum");
    assert_eq!(code(&rules.with_options([("stake_step", "50")]).unwrap(), "player=125", 1000), "off_step");
    // A log cannot open a round with such bets either.
    let open = |list: &str| rules.open_round(&placed(&format!("ann: {list}"))).err().map(|refusal| refusal.code());
    assert_eq!(
        (open("player=99"), open("pair=100"), open("banker=100")),
        (Some("below_minimum"), Some("unknown_spot"), None)
    );
}

#[test]
fn r001_126_a_finished_hand_is_rebuilt_card_by_card() {
    let rules = baccarat();
    let text = "ann: player=100 tie=100 | bob: banker=777";
    let (events, end) = course(&rules, &placed(text), Given::shoe("2h Kd 3c Ks 2s 9d")).unwrap();
    let written = serde_json::to_string(&events).unwrap();
    let mut again = rules.open_round(&placed(text)).unwrap();
    for event in serde_json::from_str::<Vec<RoundEvent>>(&written).unwrap() {
        again.apply(&event).unwrap();
    }
    assert_eq!(again.view_json().get(), end.view_json().get());
    assert!(again.is_settled());
}

#[test]
fn r001_116_one_settlement_of_all_bets_after_the_last_card() {
    // `course` checks at every step that nothing is settled before the end.
    let text = "ann: player=100 | bob: banker=100 tie=100 | zoe: player=5000";
    let (events, _) = course(&baccarat(), &placed(text), Given::shoe("2h Kd 3c Ks 2s 9d")).unwrap();
    assert_eq!(events.len(), 7);
    assert_eq!(lines(&events).len(), 4);
    assert!(events[..6].iter().all(|event| event.word() == "dealt"));
}

#[test]
fn an_event_stands_only_where_the_rules_put_it() {
    let rules = baccarat();
    let round = rules.open_round(&placed("ann: player=100 tie=100")).unwrap();
    let mut table = Given::shoe("8h 8d Kc Ks");
    let first = round.step(&table).unwrap().unwrap();
    let RoundEvent::Dealt { slot, to, card, .. } = first else { panic!() };
    let banker = Place::spot("banker").unwrap();
    refuses_forgeries(
        round.as_ref(),
        &[
            RoundEvent::Dealt { lane: 1, slot, to, card },
            RoundEvent::Dealt { lane: 0, slot, to: banker, card },
            RoundEvent::Dealt { lane: 0, slot, to: Place::Dealer, card },
            RoundEvent::Dealt { lane: 0, slot, to, card: None },
            RoundEvent::Paid { lines: vec![] },
            RoundEvent::Spun { slot, value: 0, pocket: 0 },
            RoundEvent::Turned { pile: None, slot, card: card.unwrap() },
            RoundEvent::Shuffled { pile: 1 },
        ],
    );
    let mut round = round;
    while let Some(event) = round.step(&table).unwrap() {
        if let RoundEvent::Paid { lines } = &event {
            let mut more = lines.clone();
            more[0].returned = chips(101);
            let mut swapped = lines.clone();
            swapped.swap(0, 1);
            let fewer = lines[..1].to_vec();
            let mut other = lines.clone();
            other[0].player = "bob".parse().unwrap();
            let forged = [more, swapped, fewer, other].map(|lines| RoundEvent::Paid { lines });
            refuses_forgeries(round.as_ref(), &forged);
        } else if table.drawn > 0 {
            // A slot lies on the table once.
            let RoundEvent::Dealt { lane, to, card, .. } = event else { panic!() };
            refuses_forgeries(round.as_ref(), &[RoundEvent::Dealt { lane, slot: Slot(0), to, card }]);
        }
        round.apply(&event).unwrap();
        table.drawn += 1;
    }
    let again = RoundEvent::Paid { lines: vec![] };
    refuses_forgeries(round.as_ref(), &[again]);
}

#[test]
fn c6_the_rng_table_is_solo_and_plays_the_live_game() {
    let (live, solo) = (baccarat(), RuleSet::shipped("rng-baccarat").unwrap());
    assert_eq!((live.table.mode, live.table.seats), (Mode::Shared, 8));
    assert_eq!((solo.table.mode, solo.table.seats), (Mode::Solo, 1));
    assert_eq!(live.game, solo.game);
    assert_eq!(live.table.reshuffle, solo.table.reshuffle);
    assert!(!live.spots_are_seats() && live.least_players() == 1);
    let two = solo.open_round(&placed("ann: player=100 | bob: player=100"));
    assert_eq!(two.err().map(|e| e.code()), Some("player_count"));
}

#[test]
fn c13_an_exhausted_shoe_stops_the_coup() {
    let rules = baccarat();
    let mut round = rules.open_round(&placed("ann: player=100")).unwrap();
    let mut table = Given::shoe("2h Kd 3c Ks");
    for _ in 0..4 {
        let event = round.step(&table).unwrap().unwrap();
        round.apply(&event).unwrap();
        table.drawn += 1;
    }
    assert_eq!(round.step(&table), Err(StepError::ShoeExhausted));
    assert_eq!(round.pending_stakes(), [("ann".parse().unwrap(), chips(100))]);
}

#[test]
fn c18_there_is_nothing_to_decide() {
    let round = baccarat().open_round(&placed("ann: player=100")).unwrap();
    let ann = "ann".parse().unwrap();
    assert_eq!(round.accept(&ann, 0, &Action::Hit, Chips::MAX), Err(Illegal::NotOpen { given: 0, open: None }));
    assert_eq!(round.default_play(0), Err(Illegal::NotOpen { given: 0, open: None }));
    assert!(round.options(0, Chips::MAX).is_empty());
}

#[test]
fn the_view_shows_hands_points_and_bets() {
    let (_, round) = course(&baccarat(), &placed("ann: banker=1001"), Given::shoe("4h 9d 3c Ks")).unwrap();
    assert_eq!(
        round.view_json().get(),
        concat!(
            r#"{"kind":"baccarat","player":{"cards":[{"slot":0,"card":"4h"},{"slot":2,"card":"3c"}],"points":7},"#,
            r#""banker":{"cards":[{"slot":1,"card":"9d"},{"slot":3,"card":"Ks"}],"points":9},"outcome":"banker","#,
            r#""bets":[{"player":"ann","spot":"banker","stake":1001,"outcome":"win","returned":1951}]}"#
        )
    );
    let fresh = baccarat().open_round(&placed("ann: banker=1001")).unwrap();
    assert_eq!(
        (&fresh.view()["outcome"], &fresh.view()["bets"][0]["returned"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
}

#[test]
fn payouts_beyond_the_range_of_amounts_are_an_error() {
    let rules = game(&baccarat());
    assert_eq!(rules.payout(Spot::Tie, Coup::Tie, Chips::MAX), None);
    assert_eq!(rules.payout(Spot::Player, Coup::Player, Chips::MAX), None);
    assert_eq!(rules.payout(Spot::Player, Coup::Banker, Chips::MAX), Some(Chips::ZERO));
    contradictions(
        &baccarat(),
        &[(&[("tie_pays", "0")], "tie_pays"), (&[("tie_pays", "101")], "tie_pays"), (&[("decks", "9")], "decks")],
    );
    assert_eq!(
        returns(&baccarat().with_options([("tie_pays", "9")]).unwrap(), "tie=100", Given::shoe("8h 8d Kc Ks")),
        "1000"
    );
}

coups! { "baccarat":
    fn r001_42_player_banker_and_tie_up_to_three_at_once_within_the_limits() "
        player=100 banker=200 tie=300 | 4h 9d 3c Ks | 0 390 0
        <player=100; banker=100; tie=100; tie=100000 player=100000 banker=100000> | | taken
        <player=99; tie=100001; player=100 player=100> | | refused <below_minimum; above_maximum; spot_twice>
        player=100 banker=100 tie=100 player=100 | | refused bet_count
        <1=100; Player=100; pair=100; dealer=100; =100> | | refused unknown_spot
        @ bets_per_player=4 | contradiction three spots";
    fn r001_47_player_1_to_1_banker_less_5_percent_tie_8_to_1_and_a_tie_returns_the_others() "
        player=1000 banker=1000 tie=1000 | <9h 8d Kc; 8h 9d Kc; 8h 8d Kc> Ks | <2000 0 0; 0 1950 0; 1000 1000 9000>
        ann: player=100 tie=200, bob: banker=300 | 8h 8d Kc Ks | pays ann player draw 100, ann tie win 1800, bob \
            banker draw 300";
    fn r001_119_a_bet_is_settled_where_it_lies() "
        <tie=100; player=100> | 9h 8d Kc Ks | <0; 200>";
    fn c9_baccarat_has_one_lane() "
        @ dealing=lanes | contradiction one lane";
    fn c22_who_is_ahead_by_the_points_that_lie() "
        player=100 | <; 2h; 2h 9d> | ahead <nobody; nobody; house>
        banker=100 | 2h 9d | ahead players
        // Less commission.
        ann: banker=1000, bob: player=<950; 951> | 2h 9d 3c Ks | ahead <level; house>
        // A tie returns it.
        <player; tie>=100 | 5h 5d | ahead <level; players>";
}
