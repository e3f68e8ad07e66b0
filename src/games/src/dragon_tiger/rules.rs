//! The options of a Dragon Tiger rule set: what a table of them takes, how two cards end, what each bet pays, and how
//! often (spec/games/dragon-tiger.md). The course of a coup is `round.rs`.

use super::DragonTigerRound;
use crate::chance::Chance;
use crate::edge::{on_spots, win};
use crate::game::Game;
use crate::script::Form;
use crate::{
    Bet, BetOdds, BetRefusal, Chips, DealingRule, Edge, Place, Placed, Reshuffle, Round, TableRules, Ways, spot_bets,
};
use fairshoe_fairness::{Card, Composition};
use serde::{Deserialize, Serialize};

/// The cards of a coup.
const CARDS: u16 = 2;

/// The result of a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Coup {
    /// Dragon's rank is higher.
    Dragon,
    /// Tiger's rank is higher.
    Tiger,
    /// Equal ranks of different suits.
    Tie,
    /// Equal ranks and suits.
    SuitedTie,
}

impl Coup {
    /// All results, in the order of the odds.
    const ALL: [Coup; 4] = [Coup::Dragon, Coup::Tiger, Coup::Tie, Coup::SuitedTie];

    /// How these cards end (R005.1, R005.4, R005.6, R005.7). A rank is 1 for an ace to 13 for a king.
    pub fn of(dragon: Card, tiger: Card) -> Coup {
        match dragon.rank().cmp(&tiger.rank()) {
            std::cmp::Ordering::Greater => Coup::Dragon,
            std::cmp::Ordering::Less => Coup::Tiger,
            std::cmp::Ordering::Equal if dragon == tiger => Coup::SuitedTie,
            std::cmp::Ordering::Equal => Coup::Tie,
        }
    }
}

/// A spot to bet on (R005.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spot {
    /// Dragon's rank will be higher.
    Dragon,
    /// Tiger's rank will be higher.
    Tiger,
    /// The ranks will be equal.
    Tie,
    /// Ranks and suits will be equal.
    SuitedTie,
}

impl Spot {
    /// The spots in the order of the layout.
    pub const ALL: [Spot; 4] = [Spot::Dragon, Spot::Tiger, Spot::Tie, Spot::SuitedTie];

    /// Its name on the log.
    pub fn name(self) -> &'static str {
        match self {
            Spot::Dragon => "dragon",
            Spot::Tiger => "tiger",
            Spot::Tie => "tie",
            Spot::SuitedTie => "suited-tie",
        }
    }

    /// The spot of that name.
    pub fn parse(name: &str) -> Option<Spot> {
        Spot::ALL.into_iter().find(|spot| spot.name() == name)
    }
}

/// The options of a Dragon Tiger rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DragonTigerRules {
    /// The number of packs of 52 in a shoe, 2 to 8 (R005.1).
    pub decks: u8,
    /// The win of a Tie bet for each unit staked (R005.6).
    pub tie_pays: u32,
    /// The win of a Suited Tie bet for each unit staked (R005.7).
    pub suited_tie_pays: u32,
}

impl DragonTigerRules {
    /// The win of a bet for each unit staked.
    fn pays(&self, spot: Spot) -> u32 {
        match spot {
            Spot::Dragon | Spot::Tiger => 1,
            Spot::Tie => self.tie_pays,
            Spot::SuitedTie => self.suited_tie_pays,
        }
    }

    /// The return of a bet at a coup's end, its stake included (R005.4 to R005.7); `None` beyond the range of amounts.
    pub fn payout(&self, spot: Spot, coup: Coup, stake: Chips) -> Option<Chips> {
        match (spot, coup) {
            (Spot::Dragon, Coup::Dragon)
            | (Spot::Tiger, Coup::Tiger)
            | (Spot::Tie, Coup::Tie | Coup::SuitedTie)
            | (Spot::SuitedTie, Coup::SuitedTie) => stake.plus(stake.fraction_down(u64::from(self.pays(spot)), 1)?),
            (Spot::Dragon | Spot::Tiger, Coup::Tie | Coup::SuitedTie) => stake.fraction_down(1, 2),
            _ => Some(Chips::ZERO),
        }
    }
}

impl Game for DragonTigerRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        if !(2..=8).contains(&self.decks) {
            return Err("decks must be from 2 to 8: one pack has no suited tie".into());
        }
        if table.dealing == DealingRule::Lanes {
            return Err("Dragon Tiger deals from one lane: nobody's choice moves a card; say `sequential` (C9)".into());
        }
        if ![self.tie_pays, self.suited_tie_pays].iter().all(|pays| (1..=100).contains(pays)) {
            return Err("tie_pays and suited_tie_pays must be from 1 to 100".into());
        }
        if usize::from(table.bets_per_player) > Spot::ALL.len() {
            return Err("bets_per_player is at most 4: the layout has four spots (R005.3)".into());
        }
        let left = match table.reshuffle {
            Reshuffle::EveryRound => self.composition().len(),
            Reshuffle::LeftAtMost(most) => most.saturating_add(1),
            Reshuffle::CutBack(least) | Reshuffle::LeftBelow(least) => least,
        };
        if left < CARDS {
            return Err(
                "the reshuffle rule must leave 2 cards for the last coup, so that the shoe cannot run out".into()
            );
        }
        Ok(())
    }

    fn composition(&self) -> Composition {
        Composition::Decks(self.decks)
    }

    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        spot_bets::check(table, bets, balance, |bet| self.read(bet))
    }

    fn open_round(&self, _table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        DragonTigerRound::open(self, placed)
    }

    fn spots(&self, _table: &TableRules) -> Vec<String> {
        Spot::ALL.iter().map(|spot| spot.name().to_owned()).collect()
    }

    fn sign(&self) -> Vec<String> {
        vec![
            "the higher card wins; an ace is lowest".to_owned(),
            "dragon and tiger pay 1 to 1; half comes back on a tie".to_owned(),
            format!("tie pays {}, suited tie {} to 1", self.tie_pays, self.suited_tie_pays),
        ]
    }

    fn most_won(&self, bet: &Bet, _players: usize) -> i64 {
        Spot::parse(&bet.spot).map_or(1, |spot| i64::from(self.pays(spot)))
    }

    fn edge(&self) -> Edge<'_> {
        Edge::OfBets(self)
    }

    fn script(&self, _table: &TableRules) -> Form {
        Form::Cards { player_a_spot: false }
    }
}

/// Every ordered pair of cards of a fresh shoe, counted (spec/games/odds.md).
impl BetOdds for DragonTigerRules {
    fn kind(&self, spot: &str) -> Option<&'static str> {
        Spot::parse(spot).map(Spot::name)
    }

    fn ways(&self, bets: &[(&str, Chips)]) -> Option<Ways> {
        let bets = on_spots(bets, Spot::parse)?;
        let decks = u64::from(self.decks);
        let cards = 52 * decks;
        let (tie, suited) = (cards * 3 * decks, cards * decks.checked_sub(1)?);
        let higher = (cards * cards.checked_sub(1)?).checked_sub(tie + suited)? / 2;
        let coups = Coup::ALL.into_iter().zip([higher, higher, tie, suited]);
        coups.map(|(coup, ways)| Some((win(&bets, |spot, stake| self.payout(*spot, coup, stake))?, ways))).collect()
    }

    fn decided(&self, dealt: &[(Place, Card)]) -> Option<usize> {
        let card =
            |spot: Spot| dealt.iter().find(|(to, _)| Some(*to) == Place::spot(spot.name())).map(|(_, card)| *card);
        let coup = Coup::of(card(Spot::Dragon)?, card(Spot::Tiger)?);
        Coup::ALL.iter().position(|one| *one == coup)
    }
}
