//! Roulette, exactly: each spot's bet settled by the engine in every pocket.

use crate::drive::{Felt, Nobody, deep_pocket, play};
use crate::render::percent;
use crate::{Fraction, RouletteArgs, UnusableInput, read_rule_set};
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::roulette::{BetKind, LayoutSpot, POCKETS, layout};
use fairshoe_games::{Bet, Chips, Dealing, FaceUnknown, GameRules, Peek, Placed, RoundEvent, RuleSet, Spin};
use serde::Serialize;

/// The house edge of one spot of the layout.
#[derive(Clone, Debug, Serialize)]
pub struct SpotEdge {
    /// Its name.
    pub spot: String,
    #[serde(skip)]
    kind: BetKind,
    /// The number of the 37 pockets with a return.
    pub wins: u8,
    /// The return of a win for each unit staked, including the stake.
    pub returns: Fraction,
    /// The house edge.
    pub edge: Fraction,
}

/// The result of `roulette`.
#[derive(Clone, Debug, Serialize)]
pub struct RouletteReport {
    /// The rule set.
    pub ruleset: String,
    /// Every spot of the layout.
    pub spots: Vec<SpotEdge>,
}

/// The pocket in which the ball lies.
struct Wheel(u8);

impl Dealing for Wheel {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        None
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        Err(FaceUnknown(slot))
    }

    fn peek(&self, slot: Slot, _question: Peek) -> Result<bool, FaceUnknown> {
        Err(FaceUnknown(slot))
    }

    fn funds(&self, _player: &PlayerId) -> Chips {
        deep_pocket()
    }

    fn deadline(&self) -> u64 {
        0
    }

    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(Some(Spin { slot: Slot(0), value: self.0, pocket: self.0 }))
    }
}

impl Felt for Wheel {
    fn follow(&mut self, _event: &RoundEvent) {}
}

/// The return of the spot's bet in a pocket, by the engine.
fn returned(rules: &RuleSet, placed: &[Placed], pocket: u8) -> Result<i64, UnusableInput> {
    let mut round = rules.open_round(placed).map_err(|e| UnusableInput(e.to_string()))?;
    play(round.as_mut(), &mut Wheel(pocket), &mut Nobody).map(|flow| flow.returned)
}

fn spot_edge(rules: &RuleSet, spot: &LayoutSpot) -> Result<SpotEdge, UnusableInput> {
    let out_of_range = || UnusableInput("an amount is out of range".into());
    let player = PlayerId::parse("player").map_err(|e| UnusableInput(e.to_string()))?;
    let step = rules.table.stake_step.units().max(1);
    let least =
        Chips::new(rules.table.stake_min.units().div_ceil(step).saturating_mul(step)).ok_or_else(out_of_range)?;
    let placed = [Placed { player, bets: vec![Bet { spot: spot.name().to_string(), stake: least, chips: None }] }];
    let returns = (0..POCKETS).map(|pocket| returned(rules, &placed, pocket)).collect::<Result<Vec<_>, _>>()?;
    let stake = i128::from(least.units());
    let back: i128 = returns.iter().copied().map(i128::from).sum();
    let all = stake * i128::from(POCKETS);
    Ok(SpotEdge {
        spot: spot.name().to_string(),
        kind: spot.kind(),
        wins: u8::try_from(returns.iter().filter(|returned| **returned > 0).count()).map_err(|_| out_of_range())?,
        returns: Fraction::new(returns.iter().copied().max().unwrap_or(0).into(), stake).ok_or_else(out_of_range)?,
        edge: Fraction::new(all - back, all).ok_or_else(out_of_range)?,
    })
}

/// Settles every bet of the layout in every pocket.
pub fn run(args: &RouletteArgs) -> Result<RouletteReport, UnusableInput> {
    let rules = read_rule_set(&args.ruleset, &args.set)?;
    if !matches!(rules.game, GameRules::Roulette(_)) {
        return Err(UnusableInput(format!("`{}` is a rule set of {}, not of roulette", rules.name, rules.game.word())));
    }
    let spots = layout().iter().map(|spot| spot_edge(&rules, spot)).collect::<Result<Vec<_>, _>>()?;
    Ok(RouletteReport { ruleset: rules.name, spots })
}

impl RouletteReport {
    /// The report in words: a line for each kind of bet.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("{}: every bet settled by the engine in all {POCKETS} pockets", self.ruleset)];
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
            "  {:<16} {:>5}  {:>9}  {:>8}  {:>10}",
            "bets such as", "spots", "wins in", "returns", "house edge"
        ));
        for (row, count) in rows {
            let wins = format!("{} of {POCKETS}", row.wins);
            lines.push(format!(
                "  {:<16} {count:>5}  {wins:>9}  {:>8}  {:>6} = {}",
                row.spot,
                row.returns.to_string(),
                row.edge.to_string(),
                percent(row.edge.value())
            ));
        }
        lines.join("\n") + "\n"
    }
}
