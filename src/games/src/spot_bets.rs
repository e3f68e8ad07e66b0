//! Bets on named spots of a layout, settled all at once (R001.116): code that all games with a layout share.

use crate::{
    Ahead, Bet, BetRefusal, Chips, Inapplicable, Outcome, Place, Placed, Placement, RoundEvent, Settlement, StepError,
    TableRules, Wager,
};
use fairshoe_fairness::PlayerId;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Checks one player's bets against the layout and the table's limits; the caller checks the sum against the balance.
pub(crate) fn check<S>(
    table: &TableRules,
    bets: &[Bet],
    balance: Chips,
    read: impl Fn(&Bet) -> Result<S, BetRefusal>,
) -> Result<(), BetRefusal> {
    for (index, bet) in bets.iter().enumerate() {
        read(bet)?;
        if bets.iter().take(index).any(|earlier| earlier.spot == bet.spot) {
            return Err(BetRefusal::SpotTwice { spot: bet.spot.clone() });
        }
        Placement::check(table, bet, balance)?;
    }
    Ok(())
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpotBet<S> {
    player: PlayerId,
    place: Place,
    spot: S,
    stake: Chips,
    paid: Option<(Outcome, Chips)>,
}

/// The bets of a round, in the order in which they were placed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SpotBets<S>(Vec<SpotBet<S>>);

/// A bet as everyone may see it.
#[derive(Serialize)]
pub(crate) struct BetView {
    player: PlayerId,
    spot: Place,
    stake: Chips,
    outcome: Option<Outcome>,
    returned: Option<Chips>,
}

impl<S> SpotBets<S> {
    /// The bets as they were placed; each was checked before.
    pub fn place(placed: &[Placed], read: impl Fn(&Bet) -> Result<S, BetRefusal>) -> Result<Self, BetRefusal> {
        let bets = placed.iter().flat_map(|one| one.bets.iter().map(move |bet| (&one.player, bet)));
        let spots = bets.map(|(player, bet)| {
            let spot = read(bet)?;
            let place = Place::spot(&bet.spot);
            let place = place
                .ok_or_else(|| BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: "a spot has a name".into() })?;
            Ok(SpotBet { player: player.clone(), place, spot, stake: bet.stake, paid: None })
        });
        spots.collect::<Result<_, _>>().map(SpotBets)
    }

    /// One settlement of all bets; `judge` gives the return of a stake on a spot (C5), `None` beyond the range of
    /// amounts.
    pub fn settle(&self, judge: impl Fn(&S, Chips) -> Option<Chips>) -> Result<RoundEvent, StepError> {
        let line = |bet: &SpotBet<S>| {
            let returned = judge(&bet.spot, bet.stake).ok_or(StepError::Overflow)?;
            let outcome = match returned.cmp(&bet.stake) {
                Ordering::Less => Outcome::Loss,
                Ordering::Equal => Outcome::Draw,
                Ordering::Greater => Outcome::Win,
            };
            Ok(Settlement {
                player: bet.player.clone(),
                place: bet.place,
                wager: Wager::Bet,
                outcome,
                stake: bet.stake,
                returned,
            })
        };
        Ok(RoundEvent::Paid { lines: self.0.iter().map(line).collect::<Result<_, StepError>>()? })
    }

    /// Folds the settlement in; the engine wrote it, so the lines follow the order of the bets.
    pub fn fold_paid(&mut self, lines: &[Settlement]) -> Result<(), Inapplicable> {
        let fits = lines.len() == self.0.len()
            && self.0.iter().zip(lines).all(|(bet, line)| bet.paid.is_none() && bet.place == line.place);
        if !fits {
            return Err(Inapplicable("one settlement pays every bet that lies".into()));
        }
        for (bet, line) in self.0.iter_mut().zip(lines) {
            bet.paid = Some((line.outcome, line.returned));
        }
        Ok(())
    }

    /// Whether the settlement has been made.
    pub fn are_settled(&self) -> bool {
        self.0.iter().all(|bet| bet.paid.is_some())
    }

    /// The unsettled stakes, by player.
    pub fn pending(&self) -> Vec<(PlayerId, Chips)> {
        let mut pending: Vec<(PlayerId, Chips)> = Vec::new();
        for bet in &self.0 {
            let open = if bet.paid.is_none() { bet.stake } else { Chips::ZERO };
            match pending.last_mut() {
                // The stakes of a round were added up against a balance when they were placed, so the sum is within
                // range.
                Some((player, sum)) if *player == bet.player => *sum = sum.plus(open).unwrap_or(Chips::MAX),
                _ => pending.push((bet.player.clone(), open)),
            }
        }
        pending
    }

    /// Who would be ahead if the round ended now (C22), by the sum of every bet's win or loss.
    pub fn lead(&self, judge: impl Fn(&S, Chips) -> Option<Chips>) -> Ahead {
        let net = |bet: &SpotBet<S>| {
            i128::from(judge(&bet.spot, bet.stake).unwrap_or(Chips::MAX).signed()) - i128::from(bet.stake.signed())
        };
        match self.0.iter().map(net).sum::<i128>().cmp(&0) {
            Ordering::Less => Ahead::House,
            Ordering::Equal => Ahead::Level,
            Ordering::Greater => Ahead::Players,
        }
    }

    /// The bets as everyone may see them.
    pub fn views(&self) -> Vec<BetView> {
        let view = |bet: &SpotBet<S>| BetView {
            player: bet.player.clone(),
            spot: bet.place,
            stake: bet.stake,
            outcome: bet.paid.map(|(outcome, _)| outcome),
            returned: bet.paid.map(|(_, returned)| returned),
        };
        self.0.iter().map(view).collect()
    }
}
