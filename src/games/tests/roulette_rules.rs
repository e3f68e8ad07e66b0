//! Roulette, one test for each rule or ruling (spec/games/roulette.md). A line is a spin: bets, and the return of each.

use crate::spots;
use fairshoe_fairness::{Composition, Slot};
use fairshoe_games::roulette::{BetKind, LayoutSpot, POCKETS, RED, RouletteRules, layout, normalise, spot};
use fairshoe_games::{Action, Chips, GameRules, Illegal, Mode, Reshuffle, RoundEvent, RuleSet, Spin, StepError};
use spots::*;
use std::collections::BTreeSet;

fn roulette() -> RuleSet {
    RuleSet::shipped("roulette").unwrap()
}

fn game() -> RouletteRules {
    match roulette().game {
        GameRules::Roulette(rules) => rules,
        other => panic!("{other:?}"),
    }
}

fn covers(name: &str) -> Vec<u8> {
    spot(name).unwrap().pockets()
}

fn of_kind(kind: BetKind) -> Vec<&'static LayoutSpot> {
    layout().iter().filter(|spot| spot.kind() == kind).collect()
}

#[test]
fn r001_70_37_pockets_18_red_18_black_and_one_zero() {
    assert_eq!(POCKETS, 37);
    assert_eq!((covers("red").len(), covers("black").len()), (18, 18));
    let coloured: BTreeSet<u8> = [covers("red"), covers("black")].concat().into_iter().collect();
    assert_eq!(coloured, (1..=36).collect());
    assert_eq!(roulette().composition(), Composition::Wheel(64));
}

#[test]
fn a001_kk_the_red_numbers() {
    assert_eq!(RED, [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);
    assert_eq!(covers("red"), RED);
    let colour = |pocket| {
        course(&roulette(), &placed("ann: red=100"), Given::pocket(pocket)).unwrap().1.view()["spin"]["colour"].clone()
    };
    for pocket in 0..POCKETS {
        let expected = if pocket == 0 {
            "green"
        } else if RED.contains(&pocket) {
            "red"
        } else {
            "black"
        };
        assert_eq!(colour(pocket), expected, "{pocket}");
    }
}

#[test]
fn r001_71_every_bet_costs_exactly_one_thirty_seventh() {
    let rules = game();
    let mut seen = 0;
    for spot in layout() {
        let returned: u64 = (0..POCKETS).map(|pocket| rules.payout(spot, pocket, chips(1000)).unwrap().units()).sum();
        // 37 spins of 1000: 37000 staked, 36000 returned.
        assert_eq!(returned, 36_000, "{}", spot.name());
        assert_eq!((rules.pays.of(spot.kind()) + 1) * spot.pockets().len() as u32, 36, "{}", spot.name());
        seen += 1;
    }
    assert_eq!(seen, 157);
}

#[test]
fn r001_72_settled_strictly_by_the_place_on_the_layout() {
    // Every spot on every pocket, by the payments on the event log, not by the layout's own table.
    let rules = RuleSet::shipped("rng-roulette")
        .unwrap()
        .with_options([("bets_per_player", "157"), ("stake_min", "1")])
        .unwrap();
    let all = layout().iter().map(|spot| format!("{}=1", spot.name())).collect::<Vec<_>>().join(" ");
    for pocket in 0..POCKETS {
        let (events, _) = course(&rules, &placed(&format!("ann: {all}")), Given::pocket(pocket)).unwrap();
        for line in lines(&events) {
            let name = line.place.to_string();
            let wins = independently_covers(&name, pocket);
            assert_eq!(line.returned > Chips::ZERO, wins, "{name} at {pocket}");
        }
    }
}

/// A second layout, read from the names: it shares no code with the engine.
fn independently_covers(name: &str, pocket: u8) -> bool {
    let numbers: Vec<u8> = name.split([':', '-']).filter_map(|part| part.parse().ok()).collect();
    match name.split(':').next().unwrap() {
        "straight" | "split" | "street" | "corner" => numbers.contains(&pocket),
        "line" => (numbers[0]..=numbers[1]).contains(&pocket),
        "column" => pocket != 0 && (pocket - 1) % 3 + 1 == numbers[0],
        "dozen" => pocket != 0 && (pocket - 1) / 12 + 1 == numbers[0],
        "red" => pocket != 0 && is_red(pocket),
        "black" => pocket != 0 && !is_red(pocket),
        "odd" => pocket % 2 == 1,
        "even" => pocket != 0 && pocket.is_multiple_of(2),
        "low" => (1..19).contains(&pocket),
        "high" => pocket > 18,
        other => panic!("{other}"),
    }
}

/// From 1 to 10 and from 19 to 28 odd is red; elsewhere even is.
fn is_red(number: u8) -> bool {
    let odd_is_red = matches!(number, 1..=10 | 19..=28);
    (number % 2 == 1) == odd_is_red
}

#[test]
fn r001_143_the_number_is_on_the_log_before_settlement() {
    let (events, _) = course(&roulette(), &placed("ann: red=100 | bob: black=100"), Given::pocket(17)).unwrap();
    assert_eq!(events.len(), 2);
    assert_eq!(events[0], RoundEvent::Spun { slot: Slot(5), value: 10, pocket: 17 });
    assert_eq!(
        paid(&roulette(), "ann: red=100 | bob: black=100", Given::pocket(17)),
        "ann red loss 0, bob black win 200"
    );
}

#[test]
fn r001_142_a_spin_without_its_committed_slot_is_no_spin() {
    let round = roulette().open_round(&placed("ann: red=100")).unwrap();
    assert_eq!(round.step(&Given::default()), Err(StepError::ShoeExhausted));
    assert_eq!(round.pending_stakes(), [("ann".parse().unwrap(), chips(100))]);
    assert_eq!(roulette().table.reshuffle, Reshuffle::LeftAtMost(0));
    assert!(roulette().table.reshuffle.is_due(0) && !roulette().table.reshuffle.is_due(1));
}

#[test]
fn a001_jj_the_spots_of_the_layout_and_no_others() {
    let count = |kind| of_kind(kind).len();
    let counts = [
        BetKind::Straight,
        BetKind::Split,
        BetKind::Street,
        BetKind::Corner,
        BetKind::Line,
        BetKind::Column,
        BetKind::Dozen,
        BetKind::EvenChance,
    ];
    assert_eq!(counts.map(count), [37, 60, 14, 23, 11, 3, 3, 6]);
    let names: BTreeSet<String> = layout().iter().map(|spot| spot.name().to_string()).collect();
    assert_eq!(names.len(), 157, "each has its own name");
    // By geometry: number n lies in row (n-1)/3, column (n-1)%3; zero touches 1, 2 and 3.
    let cell = |n: u8| ((n - 1) / 3, (n - 1) % 3);
    let near = |a: u8, b: u8| {
        let ((ra, ca), (rb, cb)) = (cell(a), cell(b));
        ra.abs_diff(rb) + ca.abs_diff(cb) == 1
    };
    for a in 0..36u8 {
        for b in a + 1..37 {
            let touches = if a == 0 { b <= 3 } else { near(a, b) };
            assert_eq!(names.contains(&format!("split:{a}-{b}")), touches, "{a}-{b}");
        }
    }
    for a in 0..35u8 {
        for b in a + 1..36 {
            for c in b + 1..37 {
                let row = a > 0 && c == a + 2 && cell(a).0 == cell(c).0;
                let trio = [[0, 1, 2], [0, 2, 3]].contains(&[a, b, c]);
                assert_eq!(names.contains(&format!("street:{a}-{b}-{c}")), row || trio, "{a}-{b}-{c}");
            }
        }
    }
    for a in 0..37u8 {
        let block = [a, a + 1, a + 3, a + 4];
        let square = a > 0 && a < 33 && cell(a).1 < 2;
        assert_eq!(
            names.contains(&format!("corner:{}-{}-{}-{}", block[0], block[1], block[2], block[3])),
            square,
            "{a}"
        );
        let line = a % 3 == 1 && a + 5 <= 36;
        assert_eq!(names.contains(&format!("line:{a}-{}", a + 5)), line, "{a}");
        assert!(names.contains(&format!("straight:{a}")));
    }
    assert_eq!(covers("corner:0-1-2-3"), [0, 1, 2, 3]);
    assert_eq!(covers("line:13-18"), [13, 14, 15, 16, 17, 18]);
    assert_eq!(covers("column:1"), [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34]);
    assert_eq!(covers("column:3"), [3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36]);
    // The kinds hold the pockets that their names say; with the counts above, the layout has no other spots.
    for spot in layout() {
        let size = match spot.kind() {
            BetKind::Straight => 1,
            BetKind::Split => 2,
            BetKind::Street => 3,
            BetKind::Corner => 4,
            BetKind::Line => 6,
            BetKind::Column | BetKind::Dozen => 12,
            BetKind::EvenChance => 18,
        };
        assert_eq!(spot.pockets().len(), size, "{}", spot.name());
    }
}

#[test]
fn a001_jj_the_five_number_bet_is_refused() {
    let rules = roulette();
    for name in
        ["five-number", "five:0-00-1-2-3", "basket:0-1-2-3", "top-line", "corner:0-1-2-3-4", "street:0-00-1-2-3"]
    {
        let refusal = refused(&rules, &format!("{name}=100"), 100_000).unwrap_err();
        assert_eq!(refusal.code(), "unknown_spot", "{name}");
        assert!(refusal.to_string().contains("five-number bet needs a second zero"), "{name}: {refusal}");
    }
}

#[test]
fn a001_jj_one_spelling_a_spot_on_the_log() {
    let rules = roulette();
    for (spelling, name) in [
        ("split:20-17", "split:17-20"),
        ("street:18-17-16", "street:16-17-18"),
        ("trio:0-2-3", "street:0-2-3"),
        ("corner:3-2-1-0", "corner:0-1-2-3"),
        ("square:16-17-19-20", "corner:16-17-19-20"),
        ("line:13-14-15-16-17-18", "line:13-18"),
        ("six-line:13-18", "line:13-18"),
        ("sixline:18-13", "line:13-18"),
        ("six_line:13-18", "line:13-18"),
        ("Double-Street:13-18", "line:13-18"),
        ("Red", "red"),
        ("1-18", "low"),
        ("19-36", "high"),
        ("dozen:13-24", "dozen:2"),
        ("17", "straight:17"),
        ("number:0", "straight:0"),
    ] {
        assert_eq!(normalise(spelling).unwrap().name().as_str(), name);
        let refusal = refused(&rules, &format!("{spelling}=100"), 100_000).unwrap_err();
        assert_eq!(refusal.code(), "unknown_spot", "{spelling}");
        assert!(refusal.to_string().contains(&format!("write it `{name}`")), "{spelling}: {refusal}");
    }
    for spot in layout() {
        assert_eq!(normalise(spot.name().as_str()), Ok(spot));
        assert_eq!(refused(&rules, &format!("{}=100", spot.name()), 100_000), Ok(()));
    }
    for (spelling, why) in [
        ("straight:37", "0 to 36"),
        ("straight:-1", "write straight:17"),
        ("straight:017", "write straight:17"),
        ("straight:00", "write straight:17"),
        ("straight:", "write straight:17"),
        ("", "write straight:17"),
        ("split:17-19", "neighbours"),
        ("split:3-4", "neighbours"),
        ("split:17-17", "neighbours"),
        ("split:0-4", "neighbours"),
        ("street:2-3-4", "row such as"),
        ("street:0-1-3", "row such as"),
        ("corner:3-4-6-7", "four numbers that touch"),
        ("line:14-19", "neighbouring streets"),
        ("line:13-18-18", "neighbouring streets"),
        ("column:4", "1 to 3"),
        ("column:0", "1 to 3"),
        ("dozen:1-2", "1 to 3"),
        ("green", "write straight:17"),
        ("red:1", "write straight:17"),
        ("player", "write straight:17"),
        ("straight:256", "write straight:17"),
        (&"1-".repeat(40), "at most 64"),
    ] {
        let refusal = refused(&rules, &format!("{spelling}=100"), 100_000).unwrap_err();
        assert!(refusal.to_string().contains(why), "{spelling}: {refusal}");
    }
}

#[test]
fn r001_117_both_limits_stand_in_the_rule_set() {
    let shown: serde_json::Value = serde_json::from_str(&roulette().canonical()).unwrap();
    assert_eq!((&shown["table"]["stake_min"], &shown["table"]["stake_max"]), (&100.into(), &50_000.into()));
}

#[test]
fn r001_126_a_finished_spin_is_rebuilt_from_the_log() {
    let (rules, text) = (roulette(), "ann: red=100 straight:17=100 | bob: line:13-18=100");
    let (events, end) = course(&rules, &placed(text), Given::pocket(17)).unwrap();
    let written = serde_json::to_string(&events).unwrap();
    let mut again = rules.open_round(&placed(text)).unwrap();
    for event in serde_json::from_str::<Vec<RoundEvent>>(&written).unwrap() {
        again.apply(&event).unwrap();
    }
    assert_eq!(again.view_json().get(), end.view_json().get());
}

#[test]
fn r001_118_the_limits_hold_on_every_spot() {
    let rules = roulette();
    assert_eq!(code(&rules, "red=50001", 1_000_000), "above_maximum");
    assert_eq!(code(&rules, "red=99", 1_000_000), "below_minimum");
    assert_eq!(refused(&rules, "red=50000 black=50000 straight:1=50000", 1_000_000), Ok(()), "the maximum is per spot");
    assert_eq!(code(&rules, "red=100 red=100", 1_000_000), "spot_twice");
    assert_eq!(code(&rules, "red=600 black=600", 1199), "insufficient_balance");
    let first =
        |n: usize| layout().iter().take(n).map(|spot| format!("{}=100", spot.name())).collect::<Vec<_>>().join(" ");
    assert_eq!(refused(&rules, &first(25), 1_000_000), Ok(()));
    assert_eq!(code(&rules, &first(26), 1_000_000), "bet_count");
    let solo = RuleSet::shipped("rng-roulette").unwrap();
    assert_eq!(refused(&solo, &first(40), 1_000_000), Ok(()));
    assert_eq!(code(&solo, &first(41), 1_000_000), "bet_count");
}

#[test]
fn r001_87_stakes_never_move_the_ball() {
    for text in ["ann: red=100", "ann: straight:17=50000", "zoe: low=100 | bob: high=200"] {
        let events = course(&roulette(), &placed(text), Given::pocket(17)).unwrap().0;
        assert_eq!(events[0], RoundEvent::Spun { slot: Slot(5), value: 10, pocket: 17 }, "{text}");
    }
}

#[test]
fn r001_116_one_settlement_and_only_what_the_rules_put_there() {
    let rules = roulette();
    let mut round = rules.open_round(&placed("ann: red=100 straight:17=100")).unwrap();
    let paid = |lines| RoundEvent::Paid { lines };
    let spun = |value, pocket| RoundEvent::Spun { slot: Slot(0), value, pocket };
    let early =
        paid(lines(&course(&rules, &placed("ann: red=100 straight:17=100"), Given::pocket(17)).unwrap().0).to_vec());
    refuses_forgeries(
        round.as_ref(),
        &[early.clone(), paid(vec![]), spun(37, 0), spun(0, 37), spun(255, 255), RoundEvent::Shuffled { pile: 0 }],
    );
    round.apply(&spun(10, 17)).unwrap();
    let RoundEvent::Paid { lines } = &early else { panic!() };
    let mut more = lines.clone();
    more[1].returned = chips(3601);
    refuses_forgeries(
        round.as_ref(),
        &[spun(10, 17), spun(11, 18), paid(more), paid(lines[..1].to_vec()), paid(vec![])],
    );
    round.apply(&early).unwrap();
    assert!(round.is_settled());
    refuses_forgeries(round.as_ref(), &[early.clone(), spun(10, 17)]);
}

#[test]
fn c6_the_rng_wheel_is_solo_and_plays_the_live_game() {
    let (live, solo) = (roulette(), RuleSet::shipped("rng-roulette").unwrap());
    assert_eq!((live.table.mode, live.table.seats), (Mode::Shared, 8));
    assert_eq!((solo.table.mode, solo.table.seats), (Mode::Solo, 1));
    assert_eq!(live.game, solo.game);
    // A public wheel must not be held long; a player's own may wait a day.
    assert_eq!(solo.table.round_time_ms, 900_000);
    let own = RuleSet::shipped("rng-roulette-own").unwrap();
    assert_eq!((&own.game, own.table.round_time_ms), (&solo.game, 86_400_000));
    assert!(!live.spots_are_seats());
}

#[test]
fn c18_there_is_nothing_to_decide() {
    let round = roulette().open_round(&placed("ann: red=100")).unwrap();
    assert_eq!(
        round.accept(&"ann".parse().unwrap(), 0, &Action::Pass, Chips::MAX),
        Err(Illegal::NotOpen { given: 0, open: None })
    );
    assert_eq!(round.default_play(3), Err(Illegal::NotOpen { given: 3, open: None }));
    assert!(round.open_decisions().is_empty() && round.options(0, Chips::MAX).is_empty());
}

#[test]
fn the_view_shows_the_spin_and_the_bets() {
    let (_, round) = course(&roulette(), &placed("ann: red=100 straight:17=200"), Given::pocket(17)).unwrap();
    assert_eq!(
        round.view_json().get(),
        concat!(
            r#"{"kind":"roulette","spin":{"slot":5,"value":10,"pocket":17,"colour":"black"},"bets":["#,
            r#"{"player":"ann","spot":"red","stake":100,"outcome":"loss","returned":0},"#,
            r#"{"player":"ann","spot":"straight:17","stake":200,"outcome":"win","returned":7200}]}"#
        )
    );
    assert_eq!(roulette().open_round(&placed("ann: red=100")).unwrap().view()["spin"], serde_json::Value::Null);
    let spin = Spin { slot: Slot(0), value: 0, pocket: 0 };
    assert!(!spot("red").unwrap().covers(spin.pocket) && !spot("straight:0").unwrap().covers(64));
}

coups! { "roulette":
    fn a001_rr_zero_loses_every_outside_bet() "
        column:1=100 column:2=100 column:3=100 dozen:1=100 dozen:2=100 dozen:3=100 red=100 black=100 odd=100 \
            even=100 low=100 high=100 \
            | 0 | 0 0 0 0 0 0 0 0 0 0 0 0";
    fn r001_71_every_bet_pays_its_odds() "
        straight:<17; 0>=100 | <17; 0> | 3600
        split:17-20=100 | 20 | 1800
        street:<16-17-18; 0-1-2>=100 | <16; 0> | 1200
        corner:<16-17-19-20; 0-1-2-3>=100 | <19; 3> | 900
        line:13-18=100 | 18 | 600
        <column:2; dozen:3>=100 | <35; 25> | 300
        <red; black; odd; even; low; high>=100 | <1; 2; 35; 36; 18; 19> | 200
        straight:17=100 red=100 | 18 | 0 200";
    fn c22_who_is_ahead_is_known_when_the_number_is() "
        red=100 | <1; 2> | ahead <players; house>
        ann: red=100, bob: black=100 | 1 | ahead level
        ann: straight:1=100, bob: low=3500 black=7000 | 1 | ahead level";
    fn c9_a_wheel_has_one_lane_and_contradictions_are_refused() r#"
        @ dealing=lanes | contradiction one lane
        @ house_shuffle=on | contradiction not shuffled
        @ reshuffle={"<cut_back":7; left_below":0; left_at_most":64>} | contradiction <no cut card; slot for each \
            spin; before its first>
        @ spins=<4097; 0> reshuffle="every_round" | contradiction spins must be
        @ spins=<1; 4096> | possible
        @ bets_per_player=26 | contradiction 200
        @ bets_per_player=158 mode=solo seats=1 bet_time_ms=0 turn_time_ms=0 round_time_ms=1000 close_early=no \
            between_hands_ms=null away_ms=null | contradiction no more spots
        @ pays={"straight":<0; 35>,"split":17,"street":11,"corner":8,"line":5,"column":2,"dozen":2,"even_chance":<1; \
            101>} | contradiction pays
        @ pays={"straight":36,"split":17,"street":11,"corner":8,"line":5,"column":2,"dozen":2,"even_chance":1}
        straight:17=100 | 17 | 3700"#;
}
