//! The rule sets that tables have, each once in memory however many tables have it.

use crate::sharded::Sharded;
use fairshoe_games::RuleSet;
use std::sync::{Arc, Weak};

/// Rule sets by digest; some of tables that were closed since.
#[derive(Clone, Default)]
pub(crate) struct SharedRules(Sharded<String, Weak<RuleSet>>);

/// Digests without a table are looked for when there are so many more digests than open tables.
const FORGOTTEN: usize = 64;

impl SharedRules {
    /// These rules, as other tables have them already where one does; so many are open. A log states the digest: a
    /// wrong one leads nowhere.
    pub fn share(&mut self, digest: &str, rules: &RuleSet, open: usize) -> Arc<RuleSet> {
        let digest = digest.to_owned();
        let known = self.0.get(&digest).and_then(Weak::upgrade);
        known.filter(|known| known.as_ref() == rules).unwrap_or_else(|| {
            let shared = Arc::new(rules.clone());
            if self.0.len() >= open.saturating_add(FORGOTTEN) {
                self.0.retain(|_, rules| rules.strong_count() > 0);
            }
            self.0.insert(digest, Arc::downgrade(&shared));
            shared
        })
    }
}

impl<'r> FromIterator<(&'r String, &'r Arc<RuleSet>)> for SharedRules {
    fn from_iter<I: IntoIterator<Item = (&'r String, &'r Arc<RuleSet>)>>(rules: I) -> Self {
        SharedRules(rules.into_iter().map(|(digest, rules)| (digest.clone(), Arc::downgrade(rules))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack: tables of ever other rules, opened and closed without end.
    #[test]
    fn rule_sets_of_closed_tables_are_forgotten() {
        let mut shared = SharedRules::default();
        let joy = RuleSet::shipped("joy").unwrap();
        let open: Vec<_> = (0..3).map(|number| shared.share(&format!("open-{number}"), &joy, number)).collect();
        for number in 0..10 * FORGOTTEN {
            shared.share(&format!("{number:064x}"), &joy, open.len());
        }
        assert!(shared.0.len() <= open.len() + FORGOTTEN + 1, "{}", shared.0.len());
        for (number, rules) in open.iter().enumerate() {
            assert!(Arc::ptr_eq(&shared.share(&format!("open-{number}"), &joy, open.len()), rules));
        }
    }
}
