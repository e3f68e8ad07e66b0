//! Chips placed on one spot before a round: the limits, the chips' denominations and what the balance allows
//! (R000.1–4, 28, 29). Moves no money.

use crate::{Bet, BetRefusal, Chips, TableRules};

/// Chips being placed on a spot before the round starts (R000.1–4, 28, 29; A000.b).
///
/// Placing is no debit: the balance moves when the bet is made. A request that lists its chips is checked by placing
/// each chip in turn.
#[derive(Clone, Debug)]
pub struct Placement<'r> {
    rules: &'r TableRules,
    balance: Chips,
    placed: Chips,
}

impl<'r> Placement<'r> {
    /// An empty spot for a player who has `balance`.
    pub fn new(rules: &'r TableRules, balance: Chips) -> Self {
        Placement { rules, balance, placed: Chips::ZERO }
    }

    /// The sum of the chips placed.
    pub fn placed(&self) -> Chips {
        self.placed
    }

    /// The balance, which placing does not touch (R000.29).
    pub fn balance(&self) -> Chips {
        self.balance
    }

    /// Adds one chip.
    pub fn place(&mut self, chip: Chips) -> Result<(), BetRefusal> {
        if !self.rules.chips.contains(&chip) {
            let chips = self.rules.chips.iter().map(Chips::to_string).collect::<Vec<_>>();
            let valid = if chips.is_empty() { "none: name the stake alone".to_owned() } else { chips.join(", ") };
            return Err(BetRefusal::UnknownChip { chip, valid });
        }
        let left = self.balance.minus(self.placed).unwrap_or(Chips::ZERO);
        if chip > left {
            return Err(BetRefusal::ChipAboveBalance { chip, left });
        }
        let max = self.rules.stake_max;
        match self.placed.plus(chip) {
            Some(total) if total <= max => {
                self.placed = total;
                Ok(())
            }
            total => Err(BetRefusal::AboveMaximum { stake: total.unwrap_or(chip), max }),
        }
    }

    /// Takes *all* chips off again; a single chip cannot be taken back (R000.4).
    pub fn clear(&mut self) {
        self.placed = Chips::ZERO;
    }

    /// Checks one bet against the table's limits, its chips and the balance.
    pub(crate) fn check(rules: &TableRules, bet: &Bet, balance: Chips) -> Result<(), BetRefusal> {
        if let Some(chips) = &bet.chips {
            let mut placement = Placement::new(rules, balance);
            for chip in chips {
                placement.place(*chip)?;
            }
            if placement.placed != bet.stake {
                return Err(BetRefusal::ChipsDiffer { chips: placement.placed, stake: bet.stake });
            }
        }
        if bet.stake < rules.stake_min {
            return Err(BetRefusal::BelowMinimum { stake: bet.stake, min: rules.stake_min });
        }
        if bet.stake > rules.stake_max {
            return Err(BetRefusal::AboveMaximum { stake: bet.stake, max: rules.stake_max });
        }
        if !bet.stake.units().is_multiple_of(rules.stake_step.units().max(1)) {
            return Err(BetRefusal::OffStep { stake: bet.stake, step: rules.stake_step });
        }
        if bet.stake > balance {
            return Err(BetRefusal::InsufficientBalance { balance, stake: bet.stake });
        }
        Ok(())
    }
}
