//! Baccarat, and the bets of each game that chance alone decides: exact to the last combination and pocket.

use fairshoe_games::baccarat::Spot;
use fairshoe_games::{Chips, GameRules, RuleSet};
use fairshoe_odds::baccarat::{Deals, edge};
use fairshoe_odds::{BetsArgs, Fraction, bets};
use std::path::{Path, PathBuf};

fn fraction(numerator: i128, denominator: i128) -> Fraction {
    Fraction::new(numerator, denominator).unwrap()
}

#[test]
fn eight_packs_to_the_last_combination() {
    let deals = Deals::count(8);
    assert_eq!(
        (deals.player, deals.banker, deals.tie),
        (2_230_518_282_592_256, 2_292_252_566_437_888, 475_627_426_473_216)
    );
    assert_eq!(deals.all(), 4_998_398_275_503_360);
}

#[test]
fn every_number_of_packs_counts_every_deal() {
    for decks in 1..=8u8 {
        let cards = 52 * u64::from(decks);
        assert_eq!(Deals::count(decks).all(), (cards - 5..=cards).product::<u64>(), "{decks}");
    }
}

#[test]
fn edges_are_exact_fractions() {
    let GameRules::Baccarat(rules) = RuleSet::shipped("baccarat").unwrap().game else { panic!() };
    let deals = Deals::count(8);
    let (player, banker, all) = (i128::from(deals.player), i128::from(deals.banker), i128::from(deals.all()));
    let at = |spot, stake| edge(&rules, &deals, spot, Chips::new(stake).unwrap()).unwrap();
    assert_eq!(at(Spot::Player, 100), fraction(banker - player, all));
    assert_eq!(at(Spot::Banker, 100), fraction(100 * player - 95 * banker, 100 * all));
    assert_eq!(at(Spot::Tie, 100), fraction(all - 9 * i128::from(deals.tie), all));
    // A001.y: at 25 the win is floor(23.75) = 23, at 20 exactly 19.
    assert_eq!(at(Spot::Banker, 25), fraction(25 * player - 23 * banker, 25 * all));
    assert_eq!(at(Spot::Banker, 20), at(Spot::Banker, 100));
    assert!((at(Spot::Banker, 100).value() - 0.010579).abs() < 1e-6);
}

#[test]
fn every_bet_of_the_layout_keeps_one_in_thirty_seven() {
    let args = |set: &[&str]| BetsArgs {
        ruleset: "roulette".into(),
        set: set.iter().map(|s| s.to_string()).collect(),
        json: false,
    };
    let report = bets::run(&args(&[])).unwrap();
    assert_eq!(report.spots.len(), 157);
    for spot in &report.spots {
        assert_eq!(spot.edge, fraction(1, 37), "{}", spot.spot);
        assert_eq!(
            spot.returns.times(Fraction::whole(i128::from(spot.wins))).unwrap(),
            Fraction::whole(36),
            "{}",
            spot.spot
        );
    }
    // The engine's payouts decide, not this tool: with a corner that pays 7 the edge is five in thirty-seven.
    let pays =
        r#"pays={"straight":35,"split":17,"street":11,"corner":7,"line":5,"column":2,"dozen":2,"even_chance":1}"#;
    let dear = bets::run(&args(&[pays])).unwrap();
    let corner = dear.spots.iter().find(|spot| spot.spot == "corner:0-1-2-3").unwrap();
    assert_eq!(corner.edge, fraction(5, 37));
}

#[test]
fn two_cards_of_eight_packs_decide_every_bet_of_dragon_tiger() {
    let report = bets::run(&BetsArgs { ruleset: "dragon-tiger".into(), set: vec![], json: false }).unwrap();
    assert_eq!(report.ways, 416 * 415);
    let edges: Vec<_> = report.spots.iter().map(|spot| (spot.spot.as_str(), spot.wins, spot.edge)).collect();
    // Of 415 cards 31 tie with Dragon's, 7 of them in suit.
    let (side, tie, suited) = (fraction(31, 830), fraction(136, 415), fraction(58, 415));
    let won = 416 * 384 / 2;
    assert_eq!(
        edges,
        [("dragon", won, side), ("tiger", won, side), ("tie", 416 * 31, tie), ("suited-tie", 416 * 7, suited)]
    );
}

#[test]
fn every_throw_of_three_dice_decides_every_bet_of_sic_bo() {
    let report = bets::run(&BetsArgs { ruleset: "sic-bo".into(), set: vec![], json: false }).unwrap();
    assert_eq!((report.ways, report.spots.len()), (216, 50));
    for (spot, wins, edge) in [
        ("small", 105, fraction(1, 36)),
        ("big", 105, fraction(1, 36)),
        ("triple:3", 1, fraction(35, 216)),
        ("any-triple", 6, fraction(5, 36)),
        ("double:6", 16, fraction(5, 27)),
        ("total:4", 3, fraction(11, 72)),
        ("total:16", 6, fraction(5, 36)),
        ("total:6", 10, fraction(1, 6)),
        ("total:14", 15, fraction(7, 72)),
        ("total:8", 21, fraction(1, 8)),
        ("total:12", 25, fraction(41, 216)),
        ("total:10", 27, fraction(1, 8)),
        ("pair:1-6", 30, fraction(1, 6)),
        ("single:2", 91, fraction(17, 216)),
    ] {
        let found = report.spots.iter().find(|one| one.spot == spot).unwrap();
        assert_eq!((found.wins, found.edge), (wins, edge), "{spot}");
    }
}

fn reference() -> Option<PathBuf> {
    let given = std::env::var_os("FAIRSHOE_REFERENCE").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|dir| dir.join("shared/reference"));
    given.into_iter().chain(above).find(|dir| dir.join("README.md").is_file())
}

#[test]
fn the_counts_are_those_of_the_reference() {
    let Some(dir) = reference() else {
        println!("skipped: no reference data (set FAIRSHOE_REFERENCE)");
        return;
    };
    let text = std::fs::read_to_string(dir.join("README.md")).unwrap();
    let line = text.lines().find(|line| line.contains("Baccarat, 8 decks")).unwrap().replace(',', "");
    let deals = Deals::count(8);
    for count in [deals.player, deals.banker, deals.tie, deals.all()] {
        assert!(line.contains(&count.to_string()), "the reference does not name {count}");
    }
}
