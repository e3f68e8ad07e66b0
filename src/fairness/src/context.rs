//! The context of a shoe: the names and the epoch that every seed and commitment is bound to.

use serde::{Deserialize, Serialize};

use crate::bytes::Epoch;
use crate::hash::lp;
use crate::names::{Origin, TableId};

/// The log, the table and the epoch of a shoe (spec/fairness.md, "Context").
///
/// The epoch is the one in which the shoe was committed, even for a round that is finished after a restart.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableContext {
    /// The log's name.
    pub origin: Origin,
    /// The table's name.
    pub table: TableId,
    /// The epoch the shoe was committed in.
    pub epoch: Epoch,
}

impl TableContext {
    /// `tctx = lp(origin) lp(table) epoch`.
    pub fn tctx(&self) -> Vec<u8> {
        let mut out = lp(self.origin.as_str());
        out.extend(lp(self.table.as_str()));
        out.extend_from_slice(self.epoch.as_bytes());
        out
    }
}
