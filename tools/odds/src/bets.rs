//! The bets of a game that chance alone decides, exactly: each spot's bet settled in every way in which a round of a
//! fresh shoe or wheel can end, by the game's own count of the ways and its own payments.

use crate::render::{grouped, percent};
use crate::{BetsArgs, Fraction, UnusableInput, read_rule_set};
use fairshoe_games::{Chips, Edge, RuleSet};
use serde::Serialize;

/// The house edge of one spot of the layout.
#[derive(Clone, Debug, Serialize)]
pub struct SpotEdge {
    /// Its name.
    pub spot: String,
    #[serde(skip)]
    kind: &'static str,
    /// The number of ways with a win.
    pub wins: u64,
    /// The most that a unit staked returns, including the stake.
    pub returns: Fraction,
    /// The house edge.
    pub edge: Fraction,
}

/// The result of `bets`.
#[derive(Clone, Debug, Serialize)]
pub struct BetsReport {
    /// The rule set.
    pub ruleset: String,
    /// The number of equally likely ways.
    pub ways: u64,
    /// Every spot of the layout.
    pub spots: Vec<SpotEdge>,
}

fn spot_edge(rules: &RuleSet, spot: &str) -> Result<(SpotEdge, u64), UnusableInput> {
    let out_of_range = || UnusableInput("an amount is out of range".into());
    let Edge::OfBets(odds) = rules.edge() else {
        let game = rules.game.word();
        return Err(UnusableInput(format!("`{}` is a rule set of {game}, where players decide", rules.name)));
    };
    let step = rules.table.stake_step.units().max(1);
    let least = rules.table.stake_min.units().div_ceil(step).saturating_mul(step);
    let least = Chips::new(least).ok_or_else(out_of_range)?;
    let ways = odds.ways(&[(spot, least)]).ok_or_else(out_of_range)?;
    let stake = i128::from(least.units());
    let all: u64 = ways.iter().map(|(_, ways)| ways).sum();
    let won: i128 = ways.iter().map(|(win, ways)| i128::from(*win) * i128::from(*ways)).sum();
    let best = ways.iter().filter(|(_, ways)| *ways > 0).map(|(win, _)| *win).max().unwrap_or(0);
    let edge = SpotEdge {
        spot: spot.to_owned(),
        kind: odds.kind(spot).unwrap_or_default(),
        wins: ways.iter().filter(|(win, _)| *win > 0).map(|(_, ways)| ways).sum(),
        returns: Fraction::new(stake + i128::from(best), stake).ok_or_else(out_of_range)?,
        edge: Fraction::new(-won, stake * i128::from(all)).ok_or_else(out_of_range)?,
    };
    Ok((edge, all))
}

/// Settles every bet of the layout in every way.
pub fn run(args: &BetsArgs) -> Result<BetsReport, UnusableInput> {
    let rules = read_rule_set(&args.ruleset, &args.set)?;
    let found = rules.spots().iter().map(|spot| spot_edge(&rules, spot)).collect::<Result<Vec<_>, _>>()?;
    let Some(ways) = found.first().map(|(_, ways)| *ways) else {
        return Err(UnusableInput(format!("`{}` has no spots to bet on", rules.name)));
    };
    Ok(BetsReport { ruleset: rules.name, ways, spots: found.into_iter().map(|(spot, _)| spot).collect() })
}

impl BetsReport {
    /// The report in words: a line for each kind of bet.
    pub fn text(&self) -> String {
        let all = grouped(self.ways.into());
        let mut lines = vec![format!("{}: every bet settled in all {all} ways", self.ruleset)];
        let mut rows: Vec<(&SpotEdge, usize)> = Vec::new();
        for spot in &self.spots {
            match rows.iter_mut().find(|(row, _)| {
                (row.kind, row.wins, row.returns, row.edge) == (spot.kind, spot.wins, spot.returns, spot.edge)
            }) {
                Some((_, count)) => *count += 1,
                None => rows.push((spot, 1)),
            }
        }
        lines.push(format!(
            "  {:<16} {:>5}  {:>18}  {:>8}  {:>10}",
            "bets such as", "spots", "wins in", "returns", "house edge"
        ));
        for (row, count) in rows {
            let wins = format!("{} of {all}", grouped(row.wins.into()));
            lines.push(format!(
                "  {:<16} {count:>5}  {wins:>18}  {:>8}  {:>6} = {}",
                row.spot,
                row.returns.to_string(),
                row.edge.to_string(),
                percent(row.edge.value())
            ));
        }
        lines.join("\n") + "\n"
    }
}
