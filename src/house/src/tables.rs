//! The open tables, each shared with whoever looks at it while the state goes on: a table that somebody still holds is copied
//! before it changes.

use crate::table::Table;
use fairshoe_fairness::TableId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::sync::Arc;

/// See the module.
#[derive(Default)]
pub(crate) struct Tables(HashMap<TableId, Arc<Table>>);

impl Tables {
    pub fn get(&self, id: &TableId) -> Option<&Table> {
        self.0.get(id).map(Arc::as_ref)
    }

    pub fn contains_key(&self, id: &TableId) -> bool {
        self.0.contains_key(id)
    }

    /// A table as it is now, to keep.
    pub fn shared(&self, id: &TableId) -> Option<Arc<Table>> {
        self.0.get(id).cloned()
    }

    pub fn get_mut(&mut self, id: &TableId) -> Option<&mut Table> {
        self.0.get_mut(id).map(Arc::make_mut)
    }

    pub fn values(&self) -> impl Iterator<Item = &Table> {
        self.0.values().map(Arc::as_ref)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        self.0.values_mut().map(Arc::make_mut)
    }

    pub fn insert(&mut self, id: TableId, table: Table) {
        self.0.insert(id, Arc::new(table));
    }

    pub fn remove(&mut self, id: &TableId) -> Option<Table> {
        self.0.remove(id).map(Arc::unwrap_or_clone)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl Serialize for Tables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(id, table)| (id, table.as_ref())))
    }
}

impl<'de> Deserialize<'de> for Tables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tables = HashMap::<TableId, Table>::deserialize(deserializer)?;
        Ok(Tables(tables.into_iter().map(|(id, table)| (id, Arc::new(table))).collect()))
    }
}
