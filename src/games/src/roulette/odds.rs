//! The win of bets in each pocket (spec/games/odds.md).

use super::RouletteRules;
use super::layout::{BetKind, POCKETS, spot};
use crate::edge::{on_spots, win};
use crate::{BetOdds, Chips, Place, Ways};
use fairshoe_fairness::Card;

impl BetOdds for RouletteRules {
    fn kind(&self, name: &str) -> Option<&'static str> {
        spot(name).map(|spot| match spot.kind() {
            BetKind::Straight => "straight",
            BetKind::Split => "split",
            BetKind::Street => "street",
            BetKind::Corner => "corner",
            BetKind::Line => "line",
            BetKind::Column => "column",
            BetKind::Dozen => "dozen",
            BetKind::EvenChance => "even chance",
        })
    }

    fn ways(&self, bets: &[(&str, Chips)]) -> Option<Ways> {
        let bets = on_spots(bets, spot)?;
        (0..POCKETS).map(|pocket| Some((win(&bets, |spot, stake| self.payout(spot, pocket, stake))?, 1))).collect()
    }

    /// Roulette has no cards; its pockets are counted instead.
    fn decided(&self, _dealt: &[(Place, Card)]) -> Option<usize> {
        None
    }
}
