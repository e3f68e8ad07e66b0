//! Rule sets on a log that are none of the shipped ones, told by digest and not by name (spec/audit.md, "The report of
//! a book").
//!
//! Owns: which of them a log has, and at which tables. Does not own: whether such a rule set is a good one.

use super::OwnRules;
use fairshoe_fairness::TableId;
use fairshoe_games::{RuleSet, SHIPPED_RULE_SETS};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Tables named of each rule set.
const TABLES_NAMED: usize = 10;

static SHIPPED_DIGESTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    SHIPPED_RULE_SETS.iter().filter_map(|(name, _)| RuleSet::shipped(name)).map(|rules| rules.digest()).collect()
});

/// By digest: their names, and the tables opened with them.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OwnRuleSets(BTreeMap<String, (String, Vec<TableId>)>);

impl OwnRuleSets {
    /// A table is opened with a rule set.
    pub fn opened(&mut self, table: &TableId, rules: &RuleSet, digest: &str) {
        if !SHIPPED_DIGESTS.contains(digest) {
            let (name, tables) = self.0.entry(digest.to_owned()).or_default();
            *name = rules.name.clone();
            tables.push(table.clone());
        }
    }

    /// How many there are, and the first `most` of them: those with a shipped name first, then those with most rounds.
    pub fn listed(&self, rounds_at: impl Fn(&TableId) -> u64, most: usize) -> (u64, Vec<OwnRules>) {
        let own = self.0.iter().map(|(digest, (name, tables))| OwnRules {
            rules: name.clone(),
            digest: digest.clone(),
            has_shipped_name: SHIPPED_RULE_SETS.iter().any(|(shipped, _)| shipped == name),
            of_tables: tables.len() as u64,
            tables: tables.iter().take(TABLES_NAMED).cloned().collect(),
            rounds: tables.iter().map(&rounds_at).sum(),
        });
        let mut own: Vec<OwnRules> = own.collect();
        own.sort_by_key(|own| std::cmp::Reverse((own.has_shipped_name, own.rounds)));
        own.truncate(most);
        (self.0.len() as u64, own)
    }
}
