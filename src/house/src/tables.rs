//! The open tables, each shared with whoever looks at it while the state goes on: a table that somebody still holds is
//! copied before it changes. Tables of one rule set share it.

use crate::sharded::Sharded;
use crate::shared_rules::SharedRules;
use crate::table::Table;
use fairshoe_fairness::TableId;
use fairshoe_games::RuleSet;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// See the module.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    open: Sharded<TableId, Arc<Table>>,
    rules: SharedRules,
    /// Those with seats for cash. *Thousands have tables of their own, and each seat that is refused would look at all.*
    cash: BTreeSet<TableId>,
}

impl Tables {
    /// These rules, as other tables have them already where one does.
    pub fn share(&mut self, digest: &str, rules: &RuleSet) -> Arc<RuleSet> {
        self.rules.share(digest, rules, self.open.len())
    }

    pub fn get(&self, id: &TableId) -> Option<&Table> {
        self.open.get(id).map(Arc::as_ref)
    }

    pub fn contains_key(&self, id: &TableId) -> bool {
        self.open.contains_key(id)
    }

    /// A table as it is now, to keep.
    pub fn shared(&self, id: &TableId) -> Option<Arc<Table>> {
        self.open.get(id).cloned()
    }

    pub fn values(&self) -> impl Iterator<Item = &Table> {
        self.open.values().map(Arc::as_ref)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        self.open.values_mut().map(Arc::make_mut)
    }

    /// Those with seats for cash.
    pub fn cash(&self) -> impl Iterator<Item = &Table> {
        self.cash.iter().filter_map(|id| self.get(id))
    }

    pub fn insert(&mut self, id: TableId, table: Table) {
        if table.cash().is_some() {
            self.cash.insert(id.clone());
        }
        self.open.insert(id, Arc::new(table));
    }

    pub fn remove(&mut self, id: &TableId) -> Option<Table> {
        self.cash.remove(id);
        self.open.remove(id).map(Arc::unwrap_or_clone)
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }
}

/// Tables as they are written: each rule set once, by its digest, however many have it; then each table with its rules'
/// digest.
#[derive(Serialize)]
struct Written<'t>(BTreeMap<&'t str, &'t RuleSet>, BTreeMap<&'t TableId, (&'t str, &'t Table)>);

/// The same, read back.
#[derive(Deserialize)]
struct Read(BTreeMap<String, RuleSet>, BTreeMap<TableId, (String, Table)>);

impl Serialize for Tables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut digests: HashMap<*const RuleSet, String> = HashMap::new();
        for table in self.values() {
            digests.entry(Arc::as_ptr(&table.rules)).or_insert_with(|| table.rules.digest());
        }
        let mut written = Written(BTreeMap::new(), BTreeMap::new());
        for (id, table) in self.open.iter() {
            let digest = digests.get(&Arc::as_ptr(&table.rules)).map(String::as_str).unwrap_or_default();
            written.0.insert(digest, &table.rules);
            written.1.insert(id, (digest, table));
        }
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read(rules, open) = Read::deserialize(deserializer)?;
        let rules: HashMap<String, Arc<RuleSet>> =
            rules.into_iter().map(|(digest, rules)| (digest, Arc::new(rules))).collect();
        let mut tables = Tables::default();
        for (id, (digest, mut table)) in open {
            table.rules = rules.get(&digest).cloned().ok_or_else(|| Error::custom("a table's rules are missing"))?;
            if let Some(rest) = &mut table.rest {
                Arc::make_mut(&mut rest.table).rules = table.rules.clone();
            }
            tables.insert(id, table);
        }
        tables.rules = rules.iter().collect();
        Ok(tables)
    }
}
