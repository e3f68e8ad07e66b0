//! The result of `blackjack`, in words.
#![allow(clippy::float_arithmetic)] // signs and intervals for the screen

use super::Tally;
use super::chart::{Row, columns};
use super::facts::Facts;
use crate::BlackjackArgs;
use crate::render::{grouped, percent};
use fairshoe_games::Chips;
use serde::Serialize;

/// The house edge: the negative of a player's average win.
pub(super) fn edge(player: f64) -> f64 {
    0.0 - player
}

/// The result of a simulation.
#[derive(Clone, Debug, Serialize)]
pub struct Simulated {
    /// The number of hands played.
    pub hands: u64,
    /// The number of their shoes.
    pub shoes: u64,
    /// The seed of the shoes; the same seed gives the same report.
    pub seed: u64,
    /// Whether every round had a full shoe.
    pub fresh: bool,
    /// The house edge as a share of the opening stake.
    pub edge: f64,
    /// Half the width of its 95 % interval.
    pub margin: f64,
    /// The average stake of a hand, in opening stakes.
    pub staked: f64,
    /// The difference to the calculator's edge, in standard errors.
    pub deviation: f64,
}

impl Simulated {
    pub(super) fn new(tally: &Tally, stake: Chips, args: &BlackjackArgs, expected: f64) -> Self {
        let (mean, error) = (tally.mean(stake), tally.standard_error(stake));
        Simulated {
            hands: tally.hands,
            shoes: tally.shoes,
            seed: args.seed,
            fresh: args.fresh,
            edge: edge(mean),
            margin: tally.margin(stake),
            staked: tally.staked_per_hand(stake),
            deviation: if error > 0.0 { (expected - mean) / error } else { 0.0 },
        }
    }
}

/// The result of `blackjack`.
#[derive(Clone, Debug, Serialize)]
pub struct BlackjackReport {
    /// The rule set.
    pub ruleset: String,
    /// The options that were set.
    pub set: Vec<String>,
    /// The digest of the rule set as played.
    pub digest: String,
    /// The number of packs in the shoe.
    pub decks: u8,
    /// The opening stake in units.
    pub stake: u64,
    /// The strategy.
    pub strategy: &'static str,
    /// Small exact numbers.
    pub facts: Facts,
    /// The kinds of opening hand that are insured.
    pub insured: Vec<String>,
    /// The number of kinds that are asked.
    pub insurable: usize,
    /// The calculator's house edge from a full shoe, as a share of the opening stake.
    pub edge: f64,
    /// The value of the next refund of an abandoned hand, in opening stakes, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refund: Option<f64>,
    /// The simulation, if there was one.
    pub simulation: Option<Simulated>,
    /// The strategy's chart, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<Vec<Row>>,
}

impl BlackjackReport {
    /// The report in words.
    pub fn text(&self) -> String {
        let set = if self.set.is_empty() { String::new() } else { format!(" with {}", self.set.join(" ")) };
        let mut lines = vec![format!(
            "{}{set}: {} pack(s), stake {}, one box, strategy {}",
            self.ruleset, self.decks, self.stake, self.strategy
        )];
        let facts = &self.facts;
        lines.push(format!("  a blackjack on two cards   {} = {}", facts.natural, percent(facts.natural.value())));
        if let Some(insurance) = &facts.insurance {
            lines.push(format!(
                "  insurance, the ace seen    {} = {} for the player; {} placed, {} returned",
                insurance.player,
                percent(insurance.player.value()),
                insurance.premium,
                insurance.returns
            ));
            let taken = match self.insured.len() {
                0 => "no hand".to_owned(),
                all if all == self.insurable => "every hand".to_owned(),
                _ => self.insured.join(" "),
            };
            lines.push(format!("    taken with {taken}"));
        }
        if let Some(even) = &facts.even_money {
            lines.push(format!(
                "  even money wins 1          waiting wins {} = {:.4}; the dealer's blackjack has {} = {}",
                even.waiting,
                even.waiting.value(),
                even.chance,
                percent(even.chance.value())
            ));
        }
        lines.push(format!("  house edge, calculator     {}", percent(self.edge)));
        if let Some(refund) = self.refund {
            lines.push(format!(
                "  the next refund is worth   {refund:.3} opening stakes, the hand at stake being chosen"
            ));
        }
        if let Some(simulation) = &self.simulation {
            let shoes = if simulation.fresh {
                "a full shoe for each".to_owned()
            } else {
                format!("{} shoes", grouped(simulation.shoes.into()))
            };
            lines.push(format!(
                "  house edge, simulation     {} ± {} (95 %), {} hands, {shoes}, seed {}",
                percent(simulation.edge),
                percent(simulation.margin),
                grouped(simulation.hands.into()),
                simulation.seed
            ));
            lines.push(format!(
                "    {:+.2} standard errors from the calculator; {:.4} opening stakes staked on a hand",
                simulation.deviation, simulation.staked
            ));
        }
        if let Some(chart) = &self.chart {
            lines.extend(chart_lines(chart));
        }
        lines.join("\n") + "\n"
    }
}

fn chart_lines(chart: &[Row]) -> Vec<String> {
    let head: String = columns().map(|up| format!("{:>4}", up.letter())).collect();
    let mut lines = vec![
        "  S stand  H hit  D double  P split  R give up; several letters where hands of that total differ".to_owned(),
    ];
    lines.push(format!("  {:<8}{head}", "against"));
    for row in chart {
        let cells: String = row.against.iter().map(|letters| format!("{letters:>4}")).collect();
        lines.push(format!("  {:<8}{cells}", row.hand));
    }
    lines
}
