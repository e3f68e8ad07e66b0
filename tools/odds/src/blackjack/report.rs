//! What `blackjack` found, in words.
#![allow(clippy::float_arithmetic)] // signs and intervals for the screen

use super::Tally;
use super::chart::{Row, columns};
use super::facts::Facts;
use crate::BlackjackArgs;
use crate::render::{grouped, percent};
use fairshoe_games::Chips;
use serde::Serialize;

/// The house's side of what a player wins on average.
pub(super) fn edge(player: f64) -> f64 {
    0.0 - player
}

/// What a simulation found.
#[derive(Clone, Debug, Serialize)]
pub struct Simulated {
    /// Hands played.
    pub hands: u64,
    /// Shoes they came from.
    pub shoes: u64,
    /// What the shoes were drawn from; the same gives the same report.
    pub seed: u64,
    /// Whether every round had a full shoe.
    pub fresh: bool,
    /// The house edge, a share of the opening stake.
    pub edge: f64,
    /// Half the width of its 95 % interval.
    pub margin: f64,
    /// What was staked on a hand on average, in opening stakes.
    pub staked: f64,
    /// How many standard errors it lies above the calculator's edge.
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

/// What `blackjack` found.
#[derive(Clone, Debug, Serialize)]
pub struct BlackjackReport {
    /// The rule set.
    pub ruleset: String,
    /// The options set upon it.
    pub set: Vec<String>,
    /// The digest of the rule set as it was played.
    pub digest: String,
    /// Packs in the shoe.
    pub decks: u8,
    /// The opening stake, units.
    pub stake: u64,
    /// How was played.
    pub strategy: &'static str,
    /// Small exact numbers.
    pub facts: Facts,
    /// Which kinds of opening hand are insured.
    pub insured: Vec<String>,
    /// Of how many kinds that are asked.
    pub insurable: usize,
    /// The calculator's house edge from a full shoe, a share of the opening stake.
    pub edge: f64,
    /// What the next refund of an abandoned hand is worth, opening stakes, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refund: Option<f64>,
    /// The simulation, if there was one.
    pub simulation: Option<Simulated>,
    /// The strategy, if it was asked for.
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
