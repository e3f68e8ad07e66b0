//! Seeds that come after the void which their absence brought about (spec/recovery.md, "Voids").

use fairshoe_fairness::{ClientSeed, Epoch, PlayerId, SeedCommitment, TableContext, seed_commitment};
use serde::{Deserialize, Serialize};

/// So many of a table's last rounds that were void for want of seeds are remembered, however long ago.
pub const VOIDS_REMEMBERED: usize = 32;

/// At most so many are remembered: nothing grows without end. No table of a shipped rule set has as many in an hour.
pub const MOST_VOIDS_REMEMBERED: usize = 1024;

/// For so long after such a void its seeds may come whatever else is void, and the operator cannot close the table: an
/// hour.
pub const LATE_SEED_MS: u64 = 3_600_000;

/// A seed that was missing at a void.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingSeed {
    /// The player whose seed it is.
    pub player: PlayerId,
    /// The commitment that it has to open.
    pub commitment: SeedCommitment,
    /// Whether it has come since.
    pub out: bool,
}

/// A round that was void while seeds were missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VoidedRound {
    /// Its number.
    pub round_no: u64,
    /// When it was void, UTC milliseconds.
    pub time: u64,
    /// The epoch that its commitments are bound to.
    pub epoch: Epoch,
    /// The seeds that were missing, ascending by player.
    pub missing: Vec<MissingSeed>,
}

impl VoidedRound {
    /// Whether this seed opens that player's commitment at this table.
    pub(crate) fn is_opened_by(&self, table: &TableContext, missing: &MissingSeed, seed: &ClientSeed) -> bool {
        let context = TableContext { epoch: self.epoch, ..table.clone() };
        seed_commitment(&context, self.round_no, &missing.player, seed) == missing.commitment
    }
}
