//! What chance alone returns: exact figures, each with its source (spec/games/odds.md). Held equal to what `fairshoe-odds`
//! computes by `tests/stats_figures.rs`.
#![allow(clippy::float_arithmetic)] // means and shares, never money

use fairshoe_games::baccarat::{Coup, Spot};
use fairshoe_games::roulette::{BetKind, POCKETS, spot};
use fairshoe_games::{Chips, GameRules, RuleSet, Settlement};
use serde::Serialize;

/// How many ordered deals of six cards of a fresh shoe end with Player, with Banker, and level; by packs, from 1 to 8.
/// Source: `fairshoe-odds baccarat --decks N`, which counts every deal with the engine's own rules.
pub const BACCARAT_DEALS: [[u64; 3]; 8] = [
    [6_548_674_432, 6_737_232_640, 1_372_227_328],
    [487_816_735_232, 501_543_728_128, 103_154_274_240],
    [5_837_305_562_496, 6_000_349_195_008, 1_238_768_922_816],
    [33_608_344_225_792, 34_543_624_867_840, 7_145_601_996_928],
    [130_087_780_016_000, 133_700_037_548_800, 27_690_387_926_400],
    [392_220_492_728_832, 403_095_751_234_560, 83_552_962_932_288],
    [995_884_732_700_032, 1_023_469_376_328_448, 212_268_385_833_280],
    [2_230_518_282_592_256, 2_292_252_566_437_888, 475_627_426_473_216],
];

/// The chances of Player, Banker and a tie with so many packs.
pub fn coup_chances(packs: u8) -> Option<[f64; 3]> {
    let deals = BACCARAT_DEALS.get(usize::from(packs).checked_sub(1)?)?;
    let all: u64 = deals.iter().sum();
    Some(deals.map(|ways| ways as f64 / all as f64))
}

/// The chance of an ace and a ten-card as the first two of a hand, out of so many packs: 2 · 4d · 16d / (52d · (52d − 1)).
pub fn natural_chance(packs: u8) -> f64 {
    let d = f64::from(packs);
    128.0 * d * d / (52.0 * d * (52.0 * d - 1.0))
}

/// What chance alone makes of some bets in one round: the mean of what their players win, in minor units, the variance, and
/// the third central moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Law {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
    /// The third central moment.
    pub third: f64,
}

impl Law {
    fn of(wins: &[(f64, f64)]) -> Law {
        let moment = |centre: f64, power: i32| wins.iter().map(|(win, chance)| (win - centre).powi(power) * chance).sum();
        let mean = moment(0.0, 1);
        Law { mean, variance: moment(mean, 2), third: moment(mean, 3) }
    }
}

/// The law of bets that lay in one round of baccarat or roulette, by the rule set's own payments and rounding at these very
/// stakes. They share the coup, or the pocket. `None` where another game, or no such bet, is among them.
pub fn law(rules: &GameRules, lines: &[&Settlement]) -> Option<Law> {
    match rules {
        GameRules::Baccarat(rules) => {
            let bets = bets(lines, Spot::parse)?;
            let coups = [Coup::Player, Coup::Banker, Coup::Tie].into_iter().zip(coup_chances(rules.decks)?);
            let wins = coups.map(|(coup, chance)| Some((win(&bets, |spot, stake| rules.payout(*spot, coup, stake))?, chance)));
            Some(Law::of(&wins.collect::<Option<Vec<_>>>()?))
        }
        GameRules::Roulette(rules) => {
            let bets = bets(lines, spot)?;
            let chance = 1.0 / f64::from(POCKETS);
            let wins = (0..POCKETS).map(|pocket| Some((win(&bets, |spot, stake| rules.payout(spot, pocket, stake))?, chance)));
            Some(Law::of(&wins.collect::<Option<Vec<_>>>()?))
        }
        GameRules::Blackjack(_) | GameRules::Safe(_) | GameRules::Poker(_) => None,
    }
}

/// Spots and stakes.
fn bets<S>(lines: &[&Settlement], spot: impl Fn(&str) -> Option<S>) -> Option<Vec<(S, Chips)>> {
    lines.iter().map(|line| Some((spot(&line.place.to_string())?, line.stake))).collect()
}

/// What all bets win together, by what each returns.
fn win<S>(bets: &[(S, Chips)], ret: impl Fn(&S, Chips) -> Option<Chips>) -> Option<f64> {
    let net = |win: i64, (spot, stake): &(S, Chips)| win.checked_add(ret(spot, *stake)?.signed().checked_sub(stake.signed())?);
    bets.iter().try_fold(0i64, net).map(|win| win as f64)
}

/// How bets are told apart in a report: baccarat's by their spot, roulette's by their kind.
pub fn kind_of_bet(rules: &GameRules, line: &Settlement) -> Option<&'static str> {
    let place = line.place.to_string();
    match rules {
        GameRules::Baccarat(_) => Spot::parse(&place).map(Spot::name),
        GameRules::Roulette(_) => spot(&place).map(|spot| match spot.kind() {
            BetKind::Straight => "straight",
            BetKind::Split => "split",
            BetKind::Street => "street",
            BetKind::Corner => "corner",
            BetKind::Line => "line",
            BetKind::Column => "column",
            BetKind::Dozen => "dozen",
            BetKind::EvenChance => "even chance",
        }),
        GameRules::Blackjack(_) | GameRules::Safe(_) | GameRules::Poker(_) => None,
    }
}

/// What a rule set keeps of the opening stakes, beside which an observed figure is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// How the player plays, or what he bets on.
    pub play: String,
    /// The share of the opening stakes that the house keeps on average; negative where it pays.
    pub edge: f64,
    /// Whether every player is bound to it, however he plays.
    pub binding: bool,
}

/// A blackjack game's edges from a full shoe, per cent of the opening stake.
pub struct BlackjackFigures {
    /// A shipped rule set that has these options.
    pub rule_set: &'static str,
    /// The opening stake they hold at; other stakes may round.
    pub stake: u64,
    /// Best play, copying the dealer, never risking a bust.
    pub edges: [f64; 3],
}

/// The ways of play of [`BlackjackFigures::edges`].
pub const BLACKJACK_PLAY: [&str; 3] = ["best play without counting", "copies the dealer", "never risks a bust"];

/// Source: spec/games/odds.md, "House edge: blackjack"; `fairshoe-odds blackjack RULESET --exact`.
pub const BLACKJACK: [BlackjackFigures; 4] = [
    BlackjackFigures { rule_set: "joy", stake: 10, edges: [-0.1946, 5.5690, 6.0011] },
    BlackjackFigures { rule_set: "live-blackjack", stake: 100, edges: [0.7074, 5.6754, 6.3207] },
    BlackjackFigures { rule_set: "six-deck", stake: 10, edges: [-0.2543, 5.6756, 6.3034] },
    BlackjackFigures { rule_set: "study-group", stake: 10, edges: [0.0840, 5.6756, 6.3034] },
];

/// Options that seat players or order lines and move no card of a box and no payment.
fn essence(rules: &GameRules) -> GameRules {
    let mut rules = rules.clone();
    if let GameRules::Blackjack(blackjack) = &mut rules {
        blackjack.boxes = 1;
    }
    rules
}

/// The figures of a rule set of blackjack, if its options are those of a shipped one; none for other options, which
/// `fairshoe-odds` works out.
pub fn blackjack_references(rules: &RuleSet) -> Vec<Reference> {
    let options = essence(&rules.game);
    let same = |figures: &&BlackjackFigures| RuleSet::shipped(figures.rule_set).is_some_and(|shipped| essence(&shipped.game) == options);
    let Some(figures) = BLACKJACK.iter().find(same) else { return Vec::new() };
    let named = BLACKJACK_PLAY.iter().zip(figures.edges);
    named.map(|(play, edge)| Reference { play: (*play).to_owned(), edge: edge / 100.0, binding: false }).collect()
}
