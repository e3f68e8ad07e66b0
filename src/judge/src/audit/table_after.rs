//! A table as an entry leaves it.

use super::lean::standing;
use fairshoe_games::{Ahead, RuleSet};
use fairshoe_house::Table;
use std::sync::Arc;

/// The facts of a table, as it stands, that are counted.
pub(super) struct TableAfter {
    pub rules: Arc<RuleSet>,
    pub is_cash: bool,
    /// A tournament's, whose chips are no money.
    pub is_of_event: bool,
    /// The side that is ahead in a round with a face out.
    pub standing: Option<Ahead>,
}

impl TableAfter {
    pub fn of(table: &Table) -> TableAfter {
        TableAfter {
            rules: table.rules.clone(),
            is_cash: table.cash().is_some(),
            is_of_event: table.event.is_some(),
            standing: standing(table),
        }
    }
}
