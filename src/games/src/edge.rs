//! A game's answer about the house's share: exact odds if chance alone decides, figures if players decide
//! (spec/games/odds.md). Each game computes its own.

use crate::{Chips, Place};
use fairshoe_fairness::Card;

/// The share of the stakes that the house keeps, as far as it is known (spec/games/odds.md).
pub enum Edge<'g> {
    /// Chance alone decides the return of a bet.
    OfBets(&'g dyn BetOdds),
    /// The share depends on the player's strategy.
    OfPlay(&'g dyn PlayOdds),
    /// The house keeps no share: all stakes go to players. With the reason.
    Nothing(&'static str),
    /// Players play against each other, and the house takes a share of the pot.
    Share,
}

/// One result of some bets in one round: their common win, and how many of the equally likely ways lead to it.
pub type Ways = Vec<(i64, u64)>;

/// The odds of bets that chance alone decides.
pub trait BetOdds {
    /// The name of this spot's kind of bet; `None` if the layout has no such spot.
    fn kind(&self, spot: &str) -> Option<&'static str>;
    /// All results of these bets in one round of a fresh shoe, by the rule set's own payments and rounding at these
    /// very stakes. `None` if the layout lacks a spot, or an amount is out of range.
    fn ways(&self, bets: &[(&str, Chips)]) -> Option<Ways>;
    /// The index of the way that these cards decide, dealt in this order; `None` if they decide no way yet, or the game
    /// has no cards.
    fn decided(&self, dealt: &[(Place, Card)]) -> Option<usize>;
}

/// The odds of a game in which the players' choices count.
pub trait PlayOdds {
    /// For some strategies, the millionths of the opening stakes that the house keeps; negative if the house pays.
    /// Empty if the figures have not been computed.
    fn figures(&self) -> Vec<(&'static str, i64)>;
    /// Whether these two cards are a natural as the first cards of a hand.
    fn is_natural(&self, first: Card, second: Card) -> bool;
}

/// The common win of bets on spots, from the return of each; for [`BetOdds::ways`].
pub(crate) fn win<S>(bets: &[(S, Chips)], returns: impl Fn(&S, Chips) -> Option<Chips>) -> Option<i64> {
    bets.iter().try_fold(0i64, |win, (spot, stake)| {
        win.checked_add(returns(spot, *stake)?.signed().checked_sub(stake.signed())?)
    })
}

/// The bets by the layout's spots; for [`BetOdds::ways`].
pub(crate) fn on_spots<S>(bets: &[(&str, Chips)], read: impl Fn(&str) -> Option<S>) -> Option<Vec<(S, Chips)>> {
    bets.iter().map(|(spot, stake)| Some((read(spot)?, *stake))).collect()
}
