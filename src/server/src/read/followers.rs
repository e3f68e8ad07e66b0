//! Followers of a table's next entry. Each table wakes its own, so that a quiet table costs nothing.

use fairshoe_fairness::TableId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// So many tables may be followed before those that nobody follows any more are looked for.
const MANY: usize = 1024;

/// See the module.
#[derive(Default)]
pub struct Followers(Mutex<HashMap<TableId, watch::Sender<()>>>);

impl Followers {
    fn lock(&self) -> MutexGuard<'_, HashMap<TableId, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes whenever an entry of the table has become durable and is under a checkpoint. Look at the log after this
    /// call, not before, and nothing is missed.
    pub fn of(&self, table: &TableId) -> watch::Receiver<()> {
        let mut followed = self.lock();
        if followed.len() >= MANY && !followed.contains_key(table) {
            followed.retain(|_, sender| sender.receiver_count() > 0);
        }
        followed.entry(table.clone()).or_default().subscribe()
    }

    /// Wakes the followers of these tables, and forgets those tables that nobody follows any more.
    pub fn tell<'t>(&self, tables: impl Iterator<Item = &'t TableId>) {
        let mut followed = self.lock();
        if followed.is_empty() {
            return;
        }
        for table in tables.collect::<HashSet<_>>() {
            if let Some(sender) = followed.get(table) {
                if sender.receiver_count() == 0 {
                    followed.remove(table);
                } else {
                    sender.send_replace(());
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_the_followers_of_a_table_are_woken_and_tables_without_any_are_forgotten() {
        let followers = Followers::default();
        let (a, b) = (TableId::parse("a").unwrap(), TableId::parse("b").unwrap());
        let (first, second) = (followers.of(&a), followers.of(&b));
        followers.tell([&a, &a].into_iter());
        assert!(first.has_changed().unwrap() && !second.has_changed().unwrap());
        drop(second);
        followers.tell([&b].into_iter());
        assert_eq!(followers.lock().len(), 1);
    }
}
