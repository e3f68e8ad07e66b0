//! Where in the log commitments stand that a reply may have to name: that of each table's shoe in use, and each
//! player's last for a hand of a cash table.
//!
//! Folded from entries, by the house as it decides them and by a start as it replays them, and written down with each
//! snapshot.

use fairshoe_fairness::{PlayerId, SeedCommitment, TableId};
use fairshoe_house::{Command, Entry, Event, Sharded};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A commitment for a hand that was asked for by itself, and where its entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittedHand {
    pub round_no: u64,
    pub commitment: SeedCommitment,
    pub index: u64,
}

/// See the module. It holds no more than open tables and their players.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittedAt {
    shoes: Sharded<TableId, u64>,
    hands: Sharded<TableId, BTreeMap<PlayerId, CommittedHand>>,
}

impl CommittedAt {
    /// Where the shoe in use of a table was committed.
    pub fn shoe(&self, table: &TableId) -> Option<u64> {
        self.shoes.get(table).copied()
    }

    /// A player's last commitment for a hand of a table.
    pub fn hand(&self, table: &TableId, player: &PlayerId) -> Option<CommittedHand> {
        self.hands.get(table)?.get(player).copied()
    }

    /// Takes in the entry at `index`.
    pub fn note(&mut self, index: u64, entry: &Entry) {
        let Some(at) = &entry.at else { return };
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { .. } => drop(self.shoes.insert(at.table.clone(), index)),
                Event::NextCommitted { player, commitment } | Event::HandSeedCommitted { player, commitment } => {
                    if let Command::CommitHandSeed { table, round_no, .. } = &entry.command {
                        let committed = CommittedHand { round_no: *round_no, commitment: *commitment, index };
                        self.hands.or_insert(table, BTreeMap::new()).insert(player.clone(), committed);
                    }
                }
                Event::SeatLeft { player, .. } => {
                    if let Some(hands) = self.hands.get_mut(&at.table) {
                        hands.remove(player);
                    }
                }
                Event::TableClosed {} => {
                    self.shoes.remove(&at.table);
                    self.hands.remove(&at.table);
                }
                _ => {}
            }
        }
    }
}
