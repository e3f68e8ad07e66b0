//! Rounds by who won them.

use serde::{Deserialize, Serialize};

/// Rounds by who won them, or would have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The players together won more than they staked.
    pub players: u64,
    /// They won less.
    pub house: u64,
    /// They won as much.
    pub level: u64,
}

impl Results {
    /// Counts a round with this net result for the players, in minor units.
    pub(super) fn count(&mut self, players_net: i64) {
        match players_net.signum() {
            1 => self.players += 1,
            -1 => self.house += 1,
            _ => self.level += 1,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.players + self.house + self.level
    }
}
