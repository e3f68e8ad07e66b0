//! What a game says about the house's share: exact odds where chance alone decides, figures where players do
//! (spec/games/odds.md). Works nothing out itself; each game does for its own bets.

use crate::{Chips, Place};
use fairshoe_fairness::Card;

/// What is known of the share of the stakes that the house keeps (spec/games/odds.md).
pub enum Edge<'g> {
    /// Chance alone decides what a bet returns.
    OfBets(&'g dyn BetOdds),
    /// It depends on how one plays.
    OfPlay(&'g dyn PlayOdds),
    /// What the players stake goes to players whole; why.
    Nothing(&'static str),
    /// Players play against each other, and the house takes a share of what they put in.
    Share,
}

/// What comes of some bets in one round: what they win together, and in how many of the equally likely ways.
pub type Ways = Vec<(i64, u64)>;

/// The odds of bets that chance alone decides.
pub trait BetOdds {
    /// By what name bets of this spot's kind are told apart; `None` of a spot that the layout does not have.
    fn kind(&self, spot: &str) -> Option<&'static str>;
    /// What may come of these bets in one round of a fresh shoe, by the rule set's own payments and rounding at these
    /// very stakes. `None` where a spot is not of the layout, or an amount out of range.
    fn ways(&self, bets: &[(&str, Chips)]) -> Option<Ways>;
    /// Which of the ways, by its place among them, these cards decide, dealt in this order; `None` where they decide
    /// nothing, or where no cards do.
    fn decided(&self, dealt: &[(Place, Card)]) -> Option<usize>;
}

/// The odds of a game in which the players' choices count.
pub trait PlayOdds {
    /// For some ways of play, the millionths of the opening stakes that the house keeps; below 0 where it pays. None
    /// where nobody has worked them out.
    fn figures(&self) -> Vec<(&'static str, i64)>;
    /// Whether these are a natural as the first two cards of a hand.
    fn is_natural(&self, first: Card, second: Card) -> bool;
}

/// What bets on spots win together, by what each returns; for [`BetOdds::ways`].
pub(crate) fn win<S>(bets: &[(S, Chips)], returns: impl Fn(&S, Chips) -> Option<Chips>) -> Option<i64> {
    bets.iter().try_fold(0i64, |win, (spot, stake)| {
        win.checked_add(returns(spot, *stake)?.signed().checked_sub(stake.signed())?)
    })
}

/// The bets by the layout's spots; for [`BetOdds::ways`].
pub(crate) fn on_spots<S>(bets: &[(&str, Chips)], read: impl Fn(&str) -> Option<S>) -> Option<Vec<(S, Chips)>> {
    bets.iter().map(|(spot, stake)| Some((read(spot)?, *stake))).collect()
}
