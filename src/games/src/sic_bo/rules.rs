//! The options of a Sic Bo rule set: the bets that a table takes, what each pays, and how often (spec/games/sic-bo.md).

use super::SicBoRound;
use super::layout::{Spot, dice, layout};
use crate::chance::Chance;
use crate::edge::{on_spots, win};
use crate::game::Game;
use crate::script::Form;
use crate::{
    Bet, BetOdds, BetRefusal, Chips, DealingRule, Edge, Place, Placed, Reshuffle, Round, TableRules, Ways, spot_bets,
};
use fairshoe_fairness::{Card, Composition, DICE_THROWS};
use serde::{Deserialize, Serialize};

/// The win of a bet for each unit staked, by its kind (R006.3 to R006.9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pays {
    /// Small and Big.
    pub even_chance: u32,
    /// Three of a number.
    pub triple: u32,
    /// Three of any number.
    pub any_triple: u32,
    /// Two of a number.
    pub double: u32,
    /// The totals 4 to 10; 17 pays as 4, and so on to 11 as 10.
    pub totals: [u32; 7],
    /// Two different numbers.
    pub pair: u32,
    /// A number that one, two or three dice show.
    pub single: [u32; 3],
}

impl Pays {
    /// The win of a spot that wins so many times over.
    fn of(&self, spot: Spot, wins: u8) -> u32 {
        let at = |list: &[u32], index: u8| list.get(usize::from(index)).copied().unwrap_or(0);
        match spot {
            Spot::Small | Spot::Big => self.even_chance,
            Spot::Triple(_) => self.triple,
            Spot::AnyTriple => self.any_triple,
            Spot::Double(_) => self.double,
            Spot::Total(total) => at(&self.totals, total.min(21 - total) - 4),
            Spot::Pair(..) => self.pair,
            Spot::Single(_) => at(&self.single, wins.saturating_sub(1)),
        }
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        let Pays { even_chance, triple, any_triple, double, totals, pair, single } = *self;
        [even_chance, triple, any_triple, double, pair].into_iter().chain(totals).chain(single)
    }
}

/// The options of a Sic Bo rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SicBoRules {
    /// The number of throws committed at once, 1 to 4096.
    pub spins: u16,
    /// The odds.
    pub pays: Pays,
}

impl SicBoRules {
    /// The return of a bet on these dice, its stake included (C5); `None` beyond the range of amounts.
    pub fn payout(&self, spot: Spot, dice: [u8; 3], stake: Chips) -> Option<Chips> {
        match spot.wins(dice) {
            0 => Some(Chips::ZERO),
            wins => stake.plus(stake.fraction_down(u64::from(self.pays.of(spot, wins)), 1)?),
        }
    }
}

impl Game for SicBoRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        if self.composition().is_empty() {
            return Err("spins must be from 1 to 4096".into());
        }
        if table.dealing == DealingRule::Lanes {
            return Err("dice have one lane; say `sequential` (C9)".into());
        }
        if matches!(table.reshuffle, Reshuffle::CutBack(_) | Reshuffle::LeftBelow(0)) {
            return Err("dice have no cut card and need a slot for each throw; say {\"left_at_most\":0}".into());
        }
        if table.house_shuffle {
            return Err("dice are not shuffled: house_shuffle must be false".into());
        }
        if usize::from(table.bets_per_player) > layout().count() {
            return Err("bets_per_player is at most 50: the layout has no more spots".into());
        }
        if self.pays.all().any(|pays| !(1..=200).contains(&pays)) {
            return Err("each of pays must be from 1 to 200".into());
        }
        Ok(())
    }

    fn composition(&self) -> Composition {
        Composition::Dice(self.spins)
    }

    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        spot_bets::check(table, bets, balance, |bet| self.read(bet))
    }

    fn open_round(&self, _table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        SicBoRound::open(self, placed)
    }

    fn spots(&self, _table: &TableRules) -> Vec<String> {
        layout().map(Spot::name).collect()
    }

    fn sign(&self) -> Vec<String> {
        let Pays { even_chance, triple, any_triple, double, totals, pair, single } = &self.pays;
        let totals = totals.map(|pays| pays.to_string()).join(", ");
        let [one, two, three] = single;
        vec![
            format!("small and big pay {even_chance} to 1, and lose on a triple"),
            format!("a triple pays {triple}, any triple {any_triple}, a double {double}, a pair {pair} to 1"),
            format!("totals 4 to 10, and 17 to 11, pay {totals} to 1"),
            format!("a single number pays {one}, {two} or {three} to 1, by the dice that show it"),
        ]
    }

    fn most_won(&self, bet: &Bet, _players: usize) -> i64 {
        Spot::parse(&bet.spot)
            .map_or(1, |spot| (1..=3).map(|wins| i64::from(self.pays.of(spot, wins))).max().unwrap_or(1))
    }

    fn edge(&self) -> Edge<'_> {
        Edge::OfBets(self)
    }

    fn script(&self, _table: &TableRules) -> Form {
        Form::Pocket { spelled: str::to_owned }
    }
}

/// The win of bets in each of the 216 throws (spec/games/odds.md).
impl BetOdds for SicBoRules {
    fn kind(&self, spot: &str) -> Option<&'static str> {
        Spot::parse(spot).map(|spot| match spot {
            Spot::Small | Spot::Big => "even chance",
            Spot::Triple(_) => "triple",
            Spot::AnyTriple => "any triple",
            Spot::Double(_) => "double",
            Spot::Total(_) => "total",
            Spot::Pair(..) => "pair",
            Spot::Single(_) => "single",
        })
    }

    fn ways(&self, bets: &[(&str, Chips)]) -> Option<Ways> {
        let bets = on_spots(bets, Spot::parse)?;
        let win = |pocket| win(&bets, |spot, stake| self.payout(*spot, dice(pocket), stake));
        (0..DICE_THROWS).map(|pocket| Some((win(pocket)?, 1))).collect()
    }

    /// Sic Bo has no cards; its throws are counted instead.
    fn decided(&self, _dealt: &[(Place, Card)]) -> Option<usize> {
        None
    }
}
