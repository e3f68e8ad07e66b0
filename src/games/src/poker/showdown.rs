//! Who wins which part of each pot, high and low, with the odd units and the rake (spec/games/poker.md). It ranks the
//! hands that are shown and requests none.

use crate::Chips;
use crate::poker::pots::{Layers, Pot};
use crate::poker::rank::{High, Low, high, low};
use crate::poker::rules::{HandRules, OddChips};
use fairshoe_fairness::Card;
use thiserror::Error;

/// A hand that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    high: High,
    low: Option<Low>,
}

impl Shown {
    /// Ranks a hand; `None` if its cards do not make a whole hand.
    pub fn rank(rules: &HandRules, hole: &[Card], board: &[Card]) -> Option<Shown> {
        let low = if rules.hi_lo { low(rules.family, hole, board) } else { None };
        Some(Shown { high: high(rules.family, hole, board)?, low })
    }

    /// Its high hand.
    pub fn high(&self) -> High {
        self.high
    }

    /// Its low hand, if it qualifies.
    pub fn low(&self) -> Option<Low> {
        self.low
    }
}

/// One seat's part of one pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Award {
    /// The pot, the main pot being 0.
    pub pot: usize,
    /// The seat that gets it, by its place among the contributions.
    pub seat: usize,
    /// The amount.
    pub amount: Chips,
    /// Whether it is for the low hand.
    pub low: bool,
}

/// The payments of a hand. Awards, rake and uncalled chips add up to all chips put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paid {
    /// In the order of the pots.
    pub awards: Vec<Award>,
    /// The house's share of each pot.
    pub rake: Vec<Chips>,
}

/// Why a hand cannot be settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SettleError {
    /// A seat contests a pot with another, and its hand is not shown.
    #[error("pot {pot} is contested, and the hand of seat {seat} is not known")]
    NotShown {
        /// The pot that is contested, the main pot being 0.
        pot: usize,
        /// The seat whose hand is not shown.
        seat: usize,
    },
    /// An amount is out of range.
    #[error("the amounts are too large")]
    TooMuch,
}

/// Pays the pots: rake first, then the best hands. Ties split in equal parts, odd units as the rules say; in a split
/// between high and low the odd unit goes to the high half (rules R001.7, A001.a, C3a, A001.pp).
///
/// `shown` holds a hand for each seat that still contests; a pot with one contestant needs no hand.
///
/// # Errors
/// [`SettleError`].
pub fn settle(
    rules: &HandRules,
    layers: &Layers,
    shown: &[Option<Shown>],
    flop_seen: bool,
) -> Result<Paid, SettleError> {
    let mut paid = Paid::default();
    let mut cap = rules.rake.map_or(Chips::ZERO, |rake| rake.cap);
    for (index, pot) in layers.pots.iter().enumerate() {
        let rake = match rules.rake {
            Some(rake) if flop_seen || !rake.no_flop_no_drop => {
                pot.amount.fraction_down(rake.basis_points.into(), 10_000)
            }
            _ => Some(Chips::ZERO),
        };
        let rake = rake.ok_or(SettleError::TooMuch)?.min(cap).min(pot.amount);
        cap = cap.minus(rake).ok_or(SettleError::TooMuch)?;
        paid.rake.push(rake);
        let left = pot.amount.minus(rake).ok_or(SettleError::TooMuch)?;
        award(rules, index, pot, left, shown, &mut paid.awards)?;
    }
    Ok(paid)
}

fn award(
    rules: &HandRules,
    index: usize,
    pot: &Pot,
    amount: Chips,
    shown: &[Option<Shown>],
    awards: &mut Vec<Award>,
) -> Result<(), SettleError> {
    if let [seat] = pot.seats[..] {
        awards.push(Award { pot: index, seat, amount, low: false });
        return Ok(());
    }
    let hand = |&seat: &usize| {
        let shown = shown.get(seat).copied().flatten().ok_or(SettleError::NotShown { pot: index, seat })?;
        Ok((seat, shown))
    };
    let hands = pot.seats.iter().map(hand).collect::<Result<Vec<_>, _>>()?;
    let highs = best(hands.iter().map(|(seat, shown)| (*seat, shown.high)));
    let lows = best(hands.iter().filter_map(|(seat, shown)| Some((*seat, shown.low?))));
    let low_half = if lows.is_empty() { Some(Chips::ZERO) } else { amount.fraction_down(1, 2) };
    let low_half = low_half.ok_or(SettleError::TooMuch)?;
    let high_half = amount.minus(low_half).ok_or(SettleError::TooMuch)?;
    for (half, winners, low) in [(high_half, highs, false), (low_half, lows, true)] {
        let parts = split(half, winners.len(), rules.odd_chips).ok_or(SettleError::TooMuch)?;
        awards.extend(winners.into_iter().zip(parts).map(|(seat, amount)| Award { pot: index, seat, amount, low }));
    }
    Ok(())
}

/// The seats of the greatest strength, in their order.
fn best<T: Ord + Copy>(hands: impl Iterator<Item = (usize, T)> + Clone) -> Vec<usize> {
    let top = hands.clone().map(|(_, strength)| strength).max();
    hands.filter(|(_, strength)| Some(*strength) == top).map(|(seat, _)| seat).collect()
}

fn split(amount: Chips, among: usize, odd: OddChips) -> Option<Vec<Chips>> {
    let parts = u64::try_from(among).ok()?;
    if parts == 0 {
        return Some(Vec::new());
    }
    let each = amount.units() / parts;
    let rest = amount.units() % parts;
    let extra = |winner: u64| match odd {
        OddChips::OneEach => u64::from(winner < rest),
        OddChips::AllToFirst if winner == 0 => rest,
        OddChips::AllToFirst => 0,
    };
    (0..parts).map(|winner| Chips::new(each.checked_add(extra(winner))?)).collect()
}
