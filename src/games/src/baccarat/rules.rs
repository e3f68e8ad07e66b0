//! The options of a baccarat rule set: what a table of them takes, how a coup begins, what each bet pays
//! (spec/games/baccarat.md). The course of a coup is `round.rs`.

use super::BaccaratRound;
use super::coup::{Coup, Spot, card_value, points};
use crate::chance::Chance;
use crate::game::{Game, Lying, face_up};
use crate::script::Form;
use crate::{Bet, BetRefusal, Chips, DealingRule, Edge, Place, Placed, Reshuffle, Round, TableRules, spot_bets};
use fairshoe_fairness::Composition;
use serde::{Deserialize, Serialize};

/// The most cards of one coup: three to each hand.
const MOST_CARDS: u16 = 6;

/// The options of a baccarat rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaccaratRules {
    /// The number of packs of 52 in a shoe, 1 to 8 (R001.40).
    pub decks: u8,
    /// The house's part of a Banker win, as [numerator, denominator] of the win, rounded up (R001.47, A001.y).
    pub commission: [u32; 2],
    /// The least Banker bet, in minor units: rounding would take away the whole win of a smaller one (A001.y).
    pub banker_min: Chips,
    /// The win of a Tie bet for each unit staked (R001.47).
    pub tie_pays: u32,
}

impl BaccaratRules {
    /// The return of a bet at a coup's end, its stake included (R001.47); `None` beyond the range of amounts.
    pub fn payout(&self, spot: Spot, coup: Coup, stake: Chips) -> Option<Chips> {
        match (spot, coup) {
            (Spot::Player, Coup::Player) => stake.plus(stake),
            (Spot::Banker, Coup::Banker) => stake.plus(self.banker_win(stake)?),
            (Spot::Tie, Coup::Tie) => stake.plus(stake.fraction_down(u64::from(self.tie_pays), 1)?),
            (Spot::Player | Spot::Banker, Coup::Tie) => Some(stake),
            _ => Some(Chips::ZERO),
        }
    }

    /// A Banker win less its commission, which is rounded up and taken with the payment (A001.y, R001.128).
    pub fn banker_win(&self, stake: Chips) -> Option<Chips> {
        let [numerator, denominator] = self.commission.map(u64::from);
        stake.fraction_down(denominator.checked_sub(numerator)?, denominator)
    }
}

impl Game for BaccaratRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        let [numerator, denominator] = self.commission;
        if !(1..=8).contains(&self.decks) {
            return Err("decks must be from 1 to 8".into());
        }
        if table.dealing == DealingRule::Lanes {
            return Err("baccarat deals from one lane: nobody's choice moves a card; say `sequential` (C9)".into());
        }
        if denominator == 0 || denominator > 10_000 || numerator >= denominator {
            return Err("commission must be [numerator, denominator] below 1, the denominator at most 10000".into());
        }
        if !(1..=100).contains(&self.tie_pays) {
            return Err("tie_pays must be from 1 to 100".into());
        }
        if usize::from(table.bets_per_player) > Spot::ALL.len() {
            return Err("bets_per_player is at most 3: the layout has three spots (R001.42)".into());
        }
        // The least Banker bet that can be placed: a multiple of the step, at least both minima.
        let step = table.stake_step.units().max(1);
        let least = self.banker_min.max(table.stake_min).units().div_ceil(step).saturating_mul(step);
        let least = Chips::new(least).filter(|least| *least <= table.stake_max);
        let least = least.ok_or("no multiple of stake_step lies between banker_min and stake_max")?;
        if self.banker_win(least).is_none_or(|win| win == Chips::ZERO) {
            return Err(format!(
                "a Banker bet of {least} would win nothing after commission; raise banker_min (A001.y)"
            ));
        }
        let left = match table.reshuffle {
            Reshuffle::EveryRound => self.composition().len(),
            Reshuffle::LeftAtMost(most) => most.saturating_add(1),
            Reshuffle::CutBack(least) | Reshuffle::LeftBelow(least) => least,
        };
        if left < MOST_CARDS {
            return Err(
                "the reshuffle rule must leave 6 cards for the last hand, so that the shoe cannot run out (A001.w)"
                    .into(),
            );
        }
        Ok(())
    }

    fn composition(&self) -> Composition {
        Composition::Decks(self.decks)
    }

    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        spot_bets::check(table, bets, balance, |bet| self.read(bet))?;
        let low = bets.iter().find(|bet| bet.spot == Spot::Banker.name() && bet.stake < self.banker_min);
        low.map_or(Ok(()), |bet| Err(BetRefusal::BelowMinimum { stake: bet.stake, min: self.banker_min }))
    }

    fn open_round(&self, _table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        BaccaratRound::open(self, placed)
    }

    fn spots(&self, _table: &TableRules) -> Vec<String> {
        Spot::ALL.iter().map(|spot| spot.name().to_owned()).collect()
    }

    fn sign(&self) -> Vec<String> {
        let [numerator, denominator] = self.commission;
        vec![
            "player pays 1 to 1".to_owned(),
            format!("banker pays 1 to 1 less a commission of {numerator} in {denominator}"),
            format!("tie pays {} to 1; player and banker push on a tie", self.tie_pays),
            format!("the least bet on banker is {}", self.banker_min),
        ]
    }

    fn most_won(&self, bet: &Bet, _players: usize) -> i64 {
        if bet.spot == Spot::Tie.name() { i64::from(self.tie_pays) } else { 1 }
    }

    fn edge(&self) -> Edge<'_> {
        Edge::OfBets(self)
    }

    fn script(&self, _table: &TableRules) -> Form {
        Form::Cards { player_a_spot: false }
    }

    fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        let is_hand = [Spot::Player, Spot::Banker].iter().any(|spot| Place::spot(spot.name()) == Some(place));
        let values: Vec<u8> = face_up(lying, place).into_iter().map(card_value).collect();
        is_hand.then(|| points(&values).to_string())
    }
}
