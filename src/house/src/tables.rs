//! The open tables, each shared with whoever looks at it while the state goes on: a table that somebody still holds is
//! copied before it changes. Tables of one rule set share it.

use crate::sharded::Sharded;
use crate::table::Table;
use fairshoe_fairness::TableId;
use fairshoe_games::RuleSet;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

/// See the module.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    open: Sharded<TableId, Arc<Table>>,
    /// The rule sets that tables have, by digest; some of tables that were closed since.
    rules: Sharded<String, Weak<RuleSet>>,
}

/// Digests without a table are looked for when there are so many more digests than open tables.
const FORGOTTEN: usize = 64;

impl Tables {
    /// These rules, as other tables have them already where one does. A log states the digest: a wrong one leads
    /// nowhere.
    pub fn share(&mut self, digest: &str, rules: &RuleSet) -> Arc<RuleSet> {
        let digest = digest.to_owned();
        let known = self.rules.get(&digest).and_then(Weak::upgrade);
        known.filter(|known| known.as_ref() == rules).unwrap_or_else(|| {
            let shared = Arc::new(rules.clone());
            if self.rules.len() >= self.open.len().saturating_add(FORGOTTEN) {
                self.rules.retain(|_, rules| rules.strong_count() > 0);
            }
            self.rules.insert(digest, Arc::downgrade(&shared));
            shared
        })
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

    pub fn insert(&mut self, id: TableId, table: Table) {
        self.open.insert(id, Arc::new(table));
    }

    pub fn remove(&mut self, id: &TableId) -> Option<Table> {
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
        tables.rules = rules.iter().map(|(digest, rules)| (digest.clone(), Arc::downgrade(rules))).collect();
        Ok(tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(tables: &mut Tables, name: &str, digest: &str, rules: &RuleSet) -> Arc<RuleSet> {
        let (id, rules) = (TableId::parse(name).unwrap(), tables.share(digest, rules));
        tables.insert(id.clone(), Table::new(id, rules.clone(), None, None));
        rules
    }

    #[test]
    fn tables_of_one_rule_set_share_it_and_no_others_do() {
        let mut tables = Tables::default();
        let (joy, own) = (RuleSet::shipped("joy").unwrap(), RuleSet::shipped("joy-own").unwrap());
        let first = open(&mut tables, "a", &joy.digest(), &joy);
        let second = open(&mut tables, "b", &joy.digest(), &joy);
        assert!(Arc::ptr_eq(&first, &second));
        // A log that lies: another rule set under the same digest is still that other rule set.
        let lied = open(&mut tables, "c", &joy.digest(), &own);
        assert!(*lied == own && *open(&mut tables, "d", &joy.digest(), &joy) == joy);
        let saved = serde_json::to_string(&tables).unwrap();
        let back: Tables = serde_json::from_str(&saved).unwrap();
        let rules = |name: &str| back.get(&TableId::parse(name).unwrap()).unwrap().rules.clone();
        assert!(Arc::ptr_eq(&rules("a"), &rules("b")) && *rules("c") == own);
    }

    /// Attack: tables of ever other rules, opened and closed without end.
    #[test]
    fn rule_sets_of_closed_tables_are_forgotten() {
        let mut tables = Tables::default();
        let joy = RuleSet::shipped("joy").unwrap();
        for number in 0..10 * FORGOTTEN {
            let name = format!("t{number}");
            open(&mut tables, &name, &format!("{number:064x}"), &joy);
            tables.remove(&TableId::parse(&name).unwrap());
        }
        assert!(tables.rules.len() <= FORGOTTEN + 1, "{}", tables.rules.len());
    }
}
