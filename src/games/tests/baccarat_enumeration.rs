//! Every deal of a fresh eight-pack shoe, counted with the engine's own rules of drawing: the published totals, to the
//! last one.

use fairshoe_games::baccarat::{Coup, Side, Spot, next_draw, outcome, points};
use fairshoe_games::{Chips, GameRules, RuleSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const PLAYER: u64 = 2_230_518_282_592_256;
const BANKER: u64 = 2_292_252_566_437_888;
const TIE: u64 = 475_627_426_473_216;

/// Counts, over all ordered deals of six cards, how many end each way; a coup that stops early counts for every
/// continuation of the shoe.
fn count(
    left: &mut [u64; 10],
    cards: u64,
    player: &mut Vec<u8>,
    banker: &mut Vec<u8>,
    weight: u64,
    totals: &mut BTreeMap<Coup, u64>,
) {
    let Some(side) = next_draw(player, banker) else {
        let rest: u64 = (411..=cards).product();
        *totals.entry(outcome(points(player), points(banker))).or_default() += weight * rest;
        return;
    };
    for value in 0..10u8 {
        let ways = left[usize::from(value)];
        left[usize::from(value)] -= 1;
        match side {
            Side::Player => player.push(value),
            Side::Banker => banker.push(value),
        }
        count(left, cards - 1, player, banker, weight * ways, totals);
        match side {
            Side::Player => player.pop(),
            Side::Banker => banker.pop(),
        };
        left[usize::from(value)] += 1;
    }
}

fn totals() -> BTreeMap<Coup, u64> {
    let mut left = [32; 10];
    left[0] = 128;
    let mut totals = BTreeMap::new();
    count(&mut left, 416, &mut Vec::new(), &mut Vec::new(), 1, &mut totals);
    totals
}

#[test]
fn r001_46_all_4_998_398_275_503_360_deals_of_a_fresh_shoe() {
    let totals = totals();
    assert_eq!(totals.values().sum::<u64>(), 416 * 415 * 414 * 413 * 412 * 411);
    assert_eq!((totals[&Coup::Player], totals[&Coup::Banker], totals[&Coup::Tie]), (PLAYER, BANKER, TIE));
    assert_eq!(PLAYER + BANKER + TIE, 4_998_398_275_503_360);
}

#[test]
fn r001_47_the_house_edge_of_each_bet() {
    let GameRules::Baccarat(rules) = RuleSet::shipped("baccarat").unwrap().game else { panic!() };
    let totals = totals();
    let stake = Chips::new(100).unwrap();
    // The average loss of 100, as a fraction of 10^12, rounded half up.
    let edge = |spot: Spot| {
        let net = |coup: Coup| i128::from(rules.payout(spot, coup, stake).unwrap().signed() - stake.signed());
        let lost: i128 = totals.iter().map(|(coup, ways)| -net(*coup) * i128::from(*ways)).sum();
        let all = i128::from(PLAYER + BANKER + TIE) * 100;
        (lost * 1_000_000_000_000 * 2 + all) / (all * 2)
    };
    assert_eq!(edge(Spot::Banker), 10_579_057_842);
    assert_eq!(edge(Spot::Player), 12_350_813_289);
    assert_eq!(edge(Spot::Tie), 143_596_287_787);
}

fn reference() -> Option<PathBuf> {
    let given = std::env::var_os("FAIRSHOE_REFERENCE").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|dir| dir.join("shared/reference"));
    given.into_iter().chain(above).find(|dir| dir.join("README.md").is_file())
}

#[test]
fn the_totals_are_those_of_the_reference() {
    let Some(dir) = reference() else {
        println!("skipped: no reference data (set FAIRSHOE_REFERENCE)");
        return;
    };
    let text = std::fs::read_to_string(dir.join("README.md")).unwrap();
    let line = text.lines().find(|line| line.contains("Baccarat, 8 decks")).unwrap();
    let number = |after: &str| -> u64 {
        let rest = &line[line.find(after).unwrap() + after.len()..];
        let digits: String =
            rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
        digits.parse().unwrap()
    };
    let totals = totals();
    assert_eq!(number("of "), totals.values().sum::<u64>());
    assert_eq!(number(": banker "), totals[&Coup::Banker]);
    assert_eq!(number("; player "), totals[&Coup::Player]);
    assert_eq!(number("; tie "), totals[&Coup::Tie]);
}
