//! The keys of a run's players, for all who follow a table with them (spec/entries.md, "Signed commands").

use fairshoe_fairness::PlayerId;
use fairshoe_house::PlayerKey;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The keys of a run's players. Each command on the log in the name of one of them must be signed with their key.
#[derive(Default)]
pub struct Signers(RwLock<HashMap<PlayerId, PlayerKey>>);

impl Signers {
    /// Records a player's key.
    pub fn name(&self, player: PlayerId, key: PlayerKey) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(player, key);
    }

    /// A player's key; `None` for strangers.
    pub fn key_of(&self, player: &PlayerId) -> Option<PlayerKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(player).copied()
    }
}
