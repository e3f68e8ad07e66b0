//! Sic Bo, one test for each rule or ruling (spec/games/sic-bo.md). A line is a throw: bets, and the return of each.

use crate::spots;
use fairshoe_fairness::{Composition, Slot};
use fairshoe_games::sic_bo::{Spot, dice, layout};
use fairshoe_games::{Action, Chips, Illegal, Mode, RoundEvent, RuleSet, StepError};
use spots::*;
use std::collections::BTreeSet;

fn sic_bo() -> RuleSet {
    RuleSet::shipped("sic-bo").unwrap()
}

/// The pocket of these dice.
fn pocket(dice: [u8; 3]) -> u8 {
    36 * (dice[0] - 1) + 6 * (dice[1] - 1) + dice[2] - 1
}

#[test]
fn in_so_many_of_the_216_throws_each_spot_wins() {
    assert_eq!([won(Spot::Small), won(Spot::Big)], [105, 105]);
    assert!((1..=6).all(|number| won(Spot::Triple(number)) == 1 && won(Spot::Double(number)) == 16));
    assert!(layout().filter(|spot| matches!(spot, Spot::Pair(..))).all(|pair| won(pair) == 30));
    let count = |times| (0..216).filter(|pocket| Spot::Single(2).wins(dice(*pocket)) == times).count();
    assert_eq!([count(0), count(1), count(2), count(3)], [125, 75, 15, 1]);
}

#[test]
fn a_spot_pays_1_to_200() {
    let shipped = serde_json::to_value(&sic_bo().game).unwrap()["sic_bo"]["pays"].to_string();
    for (from, to) in [(r#""pair":5"#, r#""pair":0"#), ("180", "201"), ("[1,2,3]", "[1,2,0]")] {
        let pays = shipped.replace(from, to);
        assert_ne!(pays, shipped);
        contradictions(&sic_bo(), &[(&[("pays", &pays)], "1 to 200")]);
    }
}

/// The returns of bets of 100 on these spots, on these dice.
fn back(spots: &str, dice: [u8; 3]) -> String {
    let list = spots.split(' ').map(|spot| format!("{spot}=100")).collect::<Vec<_>>().join(" ");
    returns(&sic_bo(), &list, Given::pocket(pocket(dice)))
}

/// In how many of the 216 throws a spot wins.
fn won(spot: Spot) -> usize {
    (0..216).filter(|pocket| spot.wins(dice(*pocket)) > 0).count()
}

#[test]
fn r006_1_a006_a_216_throws_each_of_three_dice() {
    assert_eq!(sic_bo().composition(), Composition::Dice(64));
    assert_eq!(sic_bo().composition().to_string(), "wheel216x64");
    let throws: BTreeSet<[u8; 3]> = (0..216).map(dice).collect();
    assert!(throws.len() == 216 && throws.iter().flatten().all(|die| (1..=6).contains(die)));
    assert_eq!(
        [dice(0), dice(5), dice(6), dice(57), dice(215)],
        [[1, 1, 1], [1, 1, 6], [1, 2, 1], [2, 4, 4], [6, 6, 6]]
    );
    assert!((0..216).all(|one| pocket(dice(one)) == one));
}

#[test]
fn r006_2_the_total_and_the_triples() {
    let view = |dice| {
        let (_, round) = course(&sic_bo(), &placed("ann: small=100"), Given::pocket(pocket(dice))).unwrap();
        (round.view()["throw"]["total"].as_u64().unwrap(), round.view()["throw"]["dice"].clone())
    };
    assert_eq!(view([1, 1, 1]), (3, serde_json::json!([1, 1, 1])));
    assert_eq!(view([6, 5, 2]), (13, serde_json::json!([6, 5, 2])));
    assert_eq!(won(Spot::AnyTriple), 6);
}

#[test]
fn r006_7_a006_c_every_total_pays_its_odds_triples_included() {
    let ways = [3, 6, 10, 15, 21, 25, 27, 27, 25, 21, 15, 10, 6, 3];
    let pays = [60, 30, 17, 12, 8, 6, 6, 6, 6, 8, 12, 17, 30, 60];
    for (total, (ways, pays)) in (4..=17).zip(ways.into_iter().zip(pays)) {
        assert_eq!(won(Spot::Total(total)), ways, "{total}");
        let thrown = (0..216).map(dice).find(|dice| dice.iter().sum::<u8>() == total).unwrap();
        assert_eq!(back(&format!("total:{total}"), thrown), (100 * (1 + pays)).to_string(), "{total}");
    }
    assert_eq!(back("total:6 total:7", [2, 2, 2]), "1800 0");
    for none in ["total:3=100", "total:18=100", "total:04=100"] {
        assert_eq!(code(&sic_bo(), none, 1_000), "unknown_spot", "{none}");
    }
}

#[test]
fn the_layout_has_fifty_spots_each_with_one_spelling() {
    assert_eq!(layout().count(), 50);
    for spot in layout() {
        assert_eq!(Spot::parse(&spot.name()), Some(spot));
    }
    for other in ["Small", "any_triple", "triple:7", "triple:0", "single:01", "double", "total:", "red", ""] {
        assert_eq!(Spot::parse(other), None, "{other}");
    }
}

#[test]
fn r001_143_r001_116_the_throw_is_on_the_log_before_one_settlement() {
    let rules = sic_bo();
    let mut round = rules.open_round(&placed("ann: small=100 single:4=100")).unwrap();
    let table = Given::pocket(57);
    let event = round.step(&table).unwrap().unwrap();
    assert!(matches!(event, RoundEvent::Spun { pocket: 57, .. }));
    let spun = |value, pocket| RoundEvent::Spun { slot: Slot(5), value, pocket };
    let paid = RoundEvent::Paid { lines: vec![] };
    refuses_forgeries(round.as_ref(), &[spun(216, 0), spun(0, 216), paid.clone()]);
    round.apply(&event).unwrap();
    refuses_forgeries(round.as_ref(), &[event, paid]);
    let RoundEvent::Paid { lines } = round.step(&table).unwrap().unwrap() else { panic!("a settlement") };
    assert_eq!(lines.iter().map(|line| line.returned.units()).collect::<Vec<_>>(), [200, 300]);
    round.apply(&RoundEvent::Paid { lines }).unwrap();
    assert!(round.is_settled());
}

#[test]
fn r001_142_a_throw_without_its_committed_slot_is_no_throw() {
    let round = course(&sic_bo(), &placed("ann: small=100"), Given::default());
    assert_eq!(round.err(), Some(StepError::ShoeExhausted));
}

#[test]
fn r001_87_stakes_never_move_a_die() {
    let thrown = |bets: &str| course(&sic_bo(), &placed(bets), Given::pocket(57)).unwrap().0[0].clone();
    assert_eq!(thrown("ann: small=100"), thrown("ann: big=50000 triple:6=100 | bob: total:9=300"));
}

#[test]
fn c6_the_rng_table_is_solo_and_plays_the_live_game() {
    let (live, rng) = (sic_bo(), RuleSet::shipped("rng-sic-bo").unwrap());
    assert_eq!((live.table.mode, rng.table.mode, rng.table.seats), (Mode::Shared, Mode::Solo, 1));
    assert_eq!(live.game, rng.game);
}

#[test]
fn c18_there_is_nothing_to_decide() {
    let mut round = sic_bo().open_round(&placed("ann: small=100")).unwrap();
    let (table, ann) = (Given::pocket(57), "ann".parse().unwrap());
    for _ in 0..2 {
        assert_eq!(round.accept(&ann, 0, &Action::Stand, Chips::MAX), Err(Illegal::NotOpen { given: 0, open: None }));
        assert!(round.default_play(0).is_err() && round.options(0, Chips::MAX).is_empty());
        let event = round.step(&table).unwrap().unwrap();
        round.apply(&event).unwrap();
    }
}

coups! { "sic-bo":
    fn r006_3_small_and_big_pay_1_to_1_and_lose_on_a_triple() "
        small=100 big=100 | <1-1-2; 4-4-2; 4-5-2; 6-6-5> | <200 0; 200 0; 0 200; 0 200>
        small=100 big=100 | <1-1-1; 2-2-2; 3-3-3; 4-4-4; 5-5-5; 6-6-6> | 0 0";
    fn r006_4_r006_5_a_triple_pays_180_and_any_triple_30() "
        triple:3=100 triple:4=100 any-triple=100 | <3-3-3; 3-3-4> | <18100 0 3100; 0 0 0>";
    fn r006_6_a006_b_a_double_pays_10_and_a_triple_is_one() "
        double:4=100 double:2=100 | <4-2-4; 4-4-4; 4-2-3> | <1100 0; 1100 0; 0 0>";
    fn r006_8_a_pair_pays_5_if_both_numbers_come_up() "
        pair:3-5=100 | <3-1-5; 5-3-5; 5-5-5> | <600; 600; 0>
        pair:<5-3; 3-3; 1-7; 35>=100 | | refused unknown_spot";
    fn r006_9_a_single_number_pays_by_the_dice_that_show_it() "
        single:2=100 single:5=100 | <2-3-4; 2-3-2; 2-2-2> | <200 0; 300 0; 400 0>";
    fn c9_dice_have_one_lane_and_contradictions_are_refused() r#"
        @ dealing=lanes | contradiction one lane
        @ spins=<0; 4097> | contradiction 1 to 4096
        @ reshuffle={"<cut_back":7; left_below":0>} | contradiction cut card
        @ house_shuffle=on | contradiction not shuffled
        @ seats=2 bets_per_player=51 | contradiction at most 50"#;
    fn c22_who_is_ahead_is_known_when_the_dice_are() "
        <small=100; big=100; small=100 big=100; big=900 double:4=100> | 2-4-4 | ahead <players; house; level; players>";
}
