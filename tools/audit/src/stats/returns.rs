//! What came back of the stakes, with an interval; where chance alone decides it, against the exact mean.
#![allow(clippy::float_arithmetic)] // means and shares, never money: sums of money are integers

use super::exact::Law;
use super::series::Outcome;
use crate::chance::Z_95;
use serde::Serialize;

/// Least rounds for an interval.
const LEAST_ROUNDS: u64 = 30;

/// Sums over rounds, a round being the unit: whoever plays in it, and on whatever, shares its cards.
#[derive(Clone, Debug, Default)]
pub struct Returns {
    /// How many rounds were added.
    pub rounds: u64,
    /// Opening stakes, minor units.
    pub opening: i64,
    /// All stakes: doubles, splits and premiums too.
    pub staked: i64,
    /// All that came back.
    pub returned: i64,
    squares: Squares,
    /// The law of all rounds together, where chance alone decides them.
    law: Option<Law>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    win: f64,
    cross: f64,
    opening: f64,
}

/// One round's sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundSums {
    /// Opening stakes.
    pub opening: i64,
    /// All stakes.
    pub staked: i64,
    /// All that came back.
    pub returned: i64,
    /// What chance alone makes of it, where it decides.
    pub law: Option<Law>,
}

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// What was observed.
    pub observed: f64,
    /// The interval's ends; absent with fewer than 30 rounds.
    pub from: Option<f64>,
    /// The upper one.
    pub to: Option<f64>,
}

impl Returns {
    /// Takes a round in.
    pub fn add(&mut self, round: RoundSums) {
        self.rounds += 1;
        self.opening = self.opening.saturating_add(round.opening);
        self.staked = self.staked.saturating_add(round.staked);
        self.returned = self.returned.saturating_add(round.returned);
        let (opening, win) = (round.opening as f64, round.returned.saturating_sub(round.staked) as f64);
        self.squares.win += win * win;
        self.squares.cross += win * opening;
        self.squares.opening += opening * opening;
        if let Some(law) = round.law {
            let sum = self.law.get_or_insert_default();
            sum.mean += law.mean;
            sum.variance += law.variance;
            sum.third += law.third;
        }
    }

    /// What the players won, minor units; negative where they lost.
    pub fn win(&self) -> i64 {
        self.returned.saturating_sub(self.staked)
    }

    /// The share of the opening stakes that the house kept. The interval is a ratio estimator's, normal, its variance
    /// from the rounds themselves: it says too little where few rounds carry most of the stakes.
    pub fn edge(&self) -> Option<Interval> {
        if self.opening <= 0 {
            return None;
        }
        let opening = self.opening as f64;
        let share = self.win() as f64 / opening;
        let n = self.rounds as f64;
        let Squares { win, cross, opening: own } = self.squares;
        let scatter = (win - 2.0 * share * cross + share * share * own).max(0.0);
        let half = Z_95 * (scatter * n / (n - 1.0)).sqrt() / opening;
        let enough = self.rounds >= LEAST_ROUNDS;
        Some(Interval { observed: -share, from: enough.then_some(-share - half), to: enough.then_some(half - share) })
    }

    /// The exact edge of the very stakes that were placed.
    pub fn exact_edge(&self) -> Option<f64> {
        self.law.filter(|_| self.opening > 0).map(|law| -law.mean / self.opening as f64)
    }

    /// Whether the wins are as far from their exact mean as chance has them, by their exact variance. None while the
    /// sum's own law is far from normal: until 25 rounds for each unit of squared skewness (Cochran's rule), and 30 at
    /// least.
    pub fn outcome(&self) -> Option<Outcome> {
        let Law { mean, variance, third } = self.law?;
        let normal = self.rounds >= LEAST_ROUNDS && variance > 0.0 && 25.0 * third * third <= variance.powi(3);
        normal.then(|| Outcome::normal((self.win() as f64 - mean) / variance.sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(opening: i64, returned: i64, law: Law) -> RoundSums {
        RoundSums { opening, staked: opening, returned, law: Some(law) }
    }

    #[test]
    fn an_even_game_by_hand() {
        let mut returns = Returns::default();
        let law = Law { mean: 0.0, variance: 100.0, third: 0.0 };
        for index in 0..100 {
            returns.add(round(10, if index < 40 { 20 } else { 0 }, law));
        }
        let edge = returns.edge().unwrap();
        assert!((edge.observed - 0.2).abs() < 1e-12);
        // A share of 0.4 of ±1: a variance of 0.96 a round, of 100/99 of that for the estimate.
        let half = Z_95 * (0.96 / 99.0f64).sqrt();
        assert!((edge.to.unwrap() - 0.2 - half).abs() < 1e-12 && (0.2 - edge.from.unwrap() - half).abs() < 1e-12);
        assert_eq!(returns.exact_edge(), Some(-0.0));
        let outcome = returns.outcome().unwrap();
        assert!((outcome.statistic + 2.0).abs() < 1e-9, "200 short in standard deviations of 100: {outcome:?}");
    }

    #[test]
    fn few_rounds_and_rare_wins_are_not_judged() {
        // 35:1 once in 37: a skewness of 35/6 asks for 851 rounds.
        let (p, mean) = (1.0 / 37.0, -1.0 / 37.0);
        let central = |power: i32| (35.0f64 - mean).powi(power) * p + (-1.0f64 - mean).powi(power) * (1.0 - p);
        let law = Law { mean, variance: central(2), third: central(3) };
        let mut returns = Returns::default();
        for index in 0..1_000u32 {
            returns.add(round(1, if index % 37 == 36 { 36 } else { 0 }, law));
            assert_eq!(returns.outcome().is_some(), index + 1 >= 851, "{index}");
        }
        assert!(returns.outcome().unwrap().chance > 0.5);
        assert!((returns.exact_edge().unwrap() - p).abs() < 1e-12);
        let mut few = Returns::default();
        few.add(RoundSums { opening: 5, staked: 5, returned: 10, law: None });
        assert_eq!(few.edge().unwrap(), Interval { observed: -1.0, from: None, to: None });
        assert!(few.outcome().is_none() && few.exact_edge().is_none() && Returns::default().edge().is_none());
    }
}
