//! The options of a roulette rule set: the bets that a table takes and the odds of each kind (spec/games/roulette.md;
//! R001.71). The layout says which pockets a bet covers.

use super::RouletteRound;
use super::layout::{BetKind, LayoutSpot, layout, normalise, spot};
use crate::chance::Chance;
use crate::game::Game;
use crate::script::Form;
use crate::{Bet, BetRefusal, Chips, DealingRule, Edge, Placed, Reshuffle, Round, TableRules, spot_bets};
use fairshoe_fairness::Composition;
use serde::{Deserialize, Serialize};

/// The win of a bet for each unit staked, by its kind (R001.71).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pays {
    /// One number.
    pub straight: u32,
    /// Two numbers.
    pub split: u32,
    /// Three numbers.
    pub street: u32,
    /// Four numbers.
    pub corner: u32,
    /// Six numbers.
    pub line: u32,
    /// A column of twelve.
    pub column: u32,
    /// On one of the three dozens.
    pub dozen: u32,
    /// Red, black, odd, even, low, high.
    pub even_chance: u32,
}

impl Pays {
    /// The win of this kind of bet for each unit.
    pub fn of(&self, kind: BetKind) -> u32 {
        match kind {
            BetKind::Straight => self.straight,
            BetKind::Split => self.split,
            BetKind::Street => self.street,
            BetKind::Corner => self.corner,
            BetKind::Line => self.line,
            BetKind::Column => self.column,
            BetKind::Dozen => self.dozen,
            BetKind::EvenChance => self.even_chance,
        }
    }
}

/// The options of a roulette rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouletteRules {
    /// The number of spins committed at once, 1 to 4096.
    pub spins: u16,
    /// The odds.
    pub pays: Pays,
}

impl RouletteRules {
    /// The return of a bet, its stake included, when the ball lies in this pocket (C5); `None` beyond the range of
    /// amounts.
    pub fn payout(&self, spot: &LayoutSpot, pocket: u8, stake: Chips) -> Option<Chips> {
        if !spot.covers(pocket) {
            return Some(Chips::ZERO);
        }
        stake.plus(stake.fraction_down(u64::from(self.pays.of(spot.kind())), 1)?)
    }
}

impl Game for RouletteRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        if self.composition().is_empty() {
            return Err("spins must be from 1 to 4096".into());
        }
        if table.dealing == DealingRule::Lanes {
            return Err("a wheel has one lane; say `sequential` (C9)".into());
        }
        if matches!(table.reshuffle, Reshuffle::CutBack(_) | Reshuffle::LeftBelow(0)) {
            return Err("a wheel has no cut card and needs a slot for each spin; say {\"left_at_most\":0}".into());
        }
        if table.house_shuffle {
            return Err("a wheel is not shuffled: house_shuffle must be false".into());
        }
        if usize::from(table.bets_per_player) > layout().len() {
            return Err(format!("bets_per_player is at most {}: the layout has no more spots", layout().len()));
        }
        if layout().iter().any(|spot| !(1..=100).contains(&self.pays.of(spot.kind()))) {
            return Err("each of pays must be from 1 to 100".into());
        }
        Ok(())
    }

    fn composition(&self) -> Composition {
        Composition::Wheel(self.spins)
    }

    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        spot_bets::check(table, bets, balance, |bet| self.read(bet))
    }

    fn open_round(&self, _table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        RouletteRound::open(self, placed)
    }

    fn spots(&self, _table: &TableRules) -> Vec<String> {
        layout().iter().map(|spot| spot.name().to_string()).collect()
    }

    fn sign(&self) -> Vec<String> {
        let pays = &self.pays;
        vec![
            "single zero".to_owned(),
            format!(
                "straight pays {}, split {}, street {}, corner {}, line {} to 1",
                pays.straight, pays.split, pays.street, pays.corner, pays.line
            ),
            format!("column pays {}, dozen {}, even chances {} to 1", pays.column, pays.dozen, pays.even_chance),
        ]
    }

    fn most_won(&self, bet: &Bet, _players: usize) -> i64 {
        spot(&bet.spot).map_or(1, |spot| i64::from(self.pays.of(spot.kind())))
    }

    fn edge(&self) -> Edge<'_> {
        Edge::OfBets(self)
    }

    /// A script, unlike the log, accepts the spellings of other tables.
    fn script(&self, _table: &TableRules) -> Form {
        Form::Pocket {
            spelled: |spot| normalise(spot).map_or_else(|_| spot.to_owned(), |spot| spot.name().to_string()),
        }
    }
}
