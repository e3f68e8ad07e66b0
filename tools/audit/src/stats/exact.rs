//! What chance alone returns: exact figures, each with its source (spec/games/odds.md). Held equal to what
//! `fairshoe-odds` computes by `tests/stats_figures.rs`.
#![allow(clippy::float_arithmetic)] // means and shares, never money

use fairshoe_games::{BetOdds, Chips, Edge, RuleSet, Settlement};
use serde::Serialize;

/// The chance of an ace and a ten-card as the first two of a hand, out of so many packs: 2 · 4d · 16d / (52d · (52d −
/// 1)).
pub fn natural_chance(packs: u8) -> f64 {
    let d = f64::from(packs);
    128.0 * d * d / (52.0 * d * (52.0 * d - 1.0))
}

/// What chance alone makes of some bets in one round: the mean of what their players win, in minor units, the variance,
/// and the third central moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Law {
    /// What their players win on average, minor units.
    pub mean: f64,
    /// The mean square of what is won beyond that.
    pub variance: f64,
    /// The third central moment.
    pub third: f64,
}

impl Law {
    fn of(wins: &[(f64, f64)]) -> Law {
        let moment =
            |centre: f64, power: i32| wins.iter().map(|(win, chance)| (win - centre).powi(power) * chance).sum();
        let mean = moment(0.0, 1);
        Law { mean, variance: moment(mean, 2), third: moment(mean, 3) }
    }
}

/// The odds of the bets, where chance alone decides what they return.
pub fn bet_odds(rules: &RuleSet) -> Option<&dyn BetOdds> {
    if let Edge::OfBets(odds) = rules.edge() { Some(odds) } else { None }
}

/// The law of bets that were placed in one round and share what came of it. `None` where chance alone does not decide,
/// or where no such bet is among them.
pub fn law(rules: &RuleSet, lines: &[&Settlement]) -> Option<Law> {
    let named: Vec<(String, Chips)> = lines.iter().map(|line| (line.place.to_string(), line.stake)).collect();
    let bets: Vec<(&str, Chips)> = named.iter().map(|(spot, stake)| (spot.as_str(), *stake)).collect();
    let ways = bet_odds(rules)?.ways(&bets)?;
    let all = ways.iter().map(|(_, ways)| ways).sum::<u64>() as f64;
    Some(Law::of(&ways.iter().map(|(win, ways)| (*win as f64, *ways as f64 / all)).collect::<Vec<_>>()))
}

/// How bets are told apart in a report.
pub fn kind_of_bet(rules: &RuleSet, line: &Settlement) -> Option<&'static str> {
    bet_odds(rules)?.kind(&line.place.to_string())
}

/// What a rule set keeps of the opening stakes, beside which an observed figure is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// How the player plays, or what they bet on.
    pub play: String,
    /// The share of the opening stakes that the house keeps on average; negative where it pays.
    pub edge: f64,
    /// Whether every player is bound to it, however they play.
    pub binding: bool,
}

/// What is known of a rule set; of bets that chance alone decides, `exact` is the edge at the very stakes that were
/// placed.
pub fn references(rules: &RuleSet, exact: Option<f64>) -> Vec<Reference> {
    let bound = |play: &str, edge| Reference { play: play.to_owned(), edge, binding: true };
    match rules.edge() {
        Edge::OfBets(_) => exact.map(|edge| bound("the bets that were placed", edge)).into_iter().collect(),
        Edge::OfPlay(odds) => {
            let figures = odds.figures().into_iter();
            figures
                .map(|(play, edge)| Reference { play: play.to_owned(), edge: edge as f64 / 1e6, binding: false })
                .collect()
        }
        Edge::Nothing(why) => vec![bound(why, 0.0)],
        Edge::Share => Vec::new(),
    }
}
