//! The betting window: bets that are placed and do not bind yet, and who is still waited for
//! (spec/games/shared-tables.md). When it opens and closes is decided in `decide.rs`.

use crate::PlacedBet;
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Chips, Placed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A betting window: bets are placed and do not bind yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The round that the bets are for.
    pub round_no: u64,
    /// The number of the shoe in use, which that round is dealt from.
    pub shoe_no: u64,
    /// UTC milliseconds at which it closes; `None` at a solo table, where it closes in the entry that opens it.
    pub closes_at: Option<u64>,
    /// The placed bets, ascending by player.
    pub bets: Vec<PlacedBet>,
    /// The seated players who asked for this round or bet in the last one: when all of them have bet, it may close
    /// early.
    pub expected: BTreeSet<PlayerId>,
}

impl Window {
    /// All that is staked in it.
    pub fn staked(&self) -> Option<Chips> {
        Chips::sum(self.bets.iter().map(|bet| bet.staked().unwrap_or(Chips::MAX)))
    }

    /// A player's bets in it.
    pub fn bet_of(&self, player: &PlayerId) -> Option<&PlacedBet> {
        self.bets.iter().find(|bet| bet.player == *player)
    }

    /// Whether everyone expected has bet, and somebody has.
    pub fn is_complete(&self) -> bool {
        !self.bets.is_empty() && self.expected.iter().all(|player| self.bet_of(player).is_some())
    }

    /// The bets as a game takes them.
    pub fn placed(&self) -> Vec<Placed> {
        self.bets.iter().map(PlacedBet::placed).collect()
    }

    pub(crate) fn put(&mut self, bet: PlacedBet) {
        self.take(&bet.player);
        let at = self.bets.partition_point(|standing| standing.player < bet.player);
        self.bets.insert(at, bet);
    }

    pub(crate) fn take(&mut self, player: &PlayerId) -> Option<PlacedBet> {
        let at = self.bets.iter().position(|bet| bet.player == *player)?;
        Some(self.bets.remove(at))
    }
}
