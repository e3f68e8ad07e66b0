//! Roots and seeds that may stand once in a log, gathered and compared (spec/audit.md, "Once in a log"). The reader
//! keeps a long log's values.

use super::{Check, Finding};
use fairshoe_fairness::TableId;
use fairshoe_house::Event;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

/// A value that a log may hold once: a reader who met it before knew the second shoe's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnceKind {
    /// The committed root of a shoe's candidate.
    Root,
    /// A candidate's published seed.
    Seed,
}

/// A committed root or a published seed, and where it stands (spec/audit.md, "Once in a log").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// Which of the two.
    pub kind: OnceKind,
    /// Its bytes.
    pub value: [u8; 32],
    /// The log index of the entry that it stands in.
    pub entry: u64,
    /// The place among those of the entry, from 0.
    pub place: u32,
    /// The shoe's table.
    pub table: TableId,
    /// Its number there, from 0.
    pub shoe_no: u64,
    /// Which candidate of the shoe, from 0.
    pub candidate: u8,
}

impl Once {
    /// The finding that the same value stands in an earlier entry, for another shoe or candidate.
    pub fn again(&self, first: u64) -> Finding {
        let (check, what) = match self.kind {
            OnceKind::Root => (Check::RootReused, "the root committed for"),
            OnceKind::Seed => (Check::SeedReused, "the seed published for"),
        };
        let shoe = format!("{what} shoe {}, candidate {}", self.shoe_no, self.candidate);
        let what = format!("{shoe}, came before, in entry {first}: whoever knew that shoe knew this one's order");
        Finding::at(check, self.entry, Some(&self.table), what)
    }

    /// Whether both are of one candidate of one shoe, whose seed may be published with the round and again with the
    /// shoe.
    pub fn is_of_the_same(&self, other: &Once) -> bool {
        (&self.table, self.shoe_no, self.candidate) == (&other.table, other.shoe_no, other.candidate)
    }
}

/// The roots and seeds of a table's entry, in its order. `shoe_no` is the shoe that a round opened there is dealt from.
pub(super) fn all_in(index: u64, table: &TableId, shoe_no: Option<u64>, events: &[Event]) -> Vec<Once> {
    let mut all: Vec<Once> = Vec::new();
    let mut put = |kind, value: [u8; 32], shoe_no, candidate| {
        let place = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.push(Once { kind, value, entry: index, place, table: table.clone(), shoe_no, candidate });
    };
    for event in events {
        match event {
            Event::ShoeCommitted { shoe_no, candidates, .. } => {
                for (candidate, committed) in (0..=u8::MAX).zip(candidates) {
                    put(OnceKind::Root, *committed.root.as_bytes(), *shoe_no, candidate);
                }
            }
            Event::RoundOpened { pick, others, .. } => {
                for (candidate, seed) in (0..=u8::MAX).filter(|k| k != pick).zip(others) {
                    put(OnceKind::Seed, *seed.as_bytes(), shoe_no.unwrap_or_default(), candidate);
                }
            }
            Event::ShoeRevealed { shoe_no, seeds, .. } => {
                for (candidate, seed) in (0..=u8::MAX).zip(seeds) {
                    put(OnceKind::Seed, *seed.as_bytes(), *shoe_no, candidate);
                }
            }
            _ => {}
        }
    }
    all
}

/// Two candidates of one shoe that are one: the seed published for the deck not dealt would show the deck that is.
pub(super) fn same_within(events: &[Event]) -> Option<String> {
    events.iter().find_map(|event| {
        let Event::ShoeCommitted { shoe_no, candidates, .. } = event else { return None };
        candidates.iter().enumerate().find_map(|(k, one)| {
            let mut earlier = candidates.iter().take(k);
            let j = earlier.position(|other| other.root == one.root || other.commitment == one.commitment)?;
            let what = format!("candidates {j} and {k} of shoe {shoe_no} have one root or one commitment");
            Some(format!("{what}: the seed published for the one would show the other"))
        })
    })
}

/// Every value so far, exact, in memory: for a bundle, and for a book whose reader does not hold them elsewhere
/// ([`super::Limits::once_apart`]).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(OnceKind, [u8; 32], First)>", into = "Vec<(OnceKind, [u8; 32], First)>")]
pub(crate) struct Known(HashMap<(OnceKind, [u8; 32]), First>);

/// The place where a value stood first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct First {
    entry: u64,
    table: TableId,
    shoe_no: u64,
    candidate: u8,
}

impl From<Vec<(OnceKind, [u8; 32], First)>> for Known {
    fn from(all: Vec<(OnceKind, [u8; 32], First)>) -> Self {
        Known(all.into_iter().map(|(kind, value, first)| ((kind, value), first)).collect())
    }
}

impl From<Known> for Vec<(OnceKind, [u8; 32], First)> {
    fn from(known: Known) -> Self {
        let mut all: Vec<_> = known.0.into_iter().map(|((kind, value), first)| (kind, value, first)).collect();
        all.sort_by_key(|(kind, value, _)| (*kind, *value));
        all
    }
}

impl Known {
    /// Takes a value in.
    ///
    /// # Errors
    /// The finding, if it came before.
    pub fn first_time(&mut self, once: Once) -> Result<(), Finding> {
        match self.0.entry((once.kind, once.value)) {
            Slot::Vacant(vacant) => {
                let Once { entry, table, shoe_no, candidate, .. } = once;
                vacant.insert(First { entry, table, shoe_no, candidate });
                Ok(())
            }
            Slot::Occupied(known) => {
                let first = known.get();
                let same =
                    (&first.table, first.shoe_no, first.candidate) == (&once.table, once.shoe_no, once.candidate);
                if same { Ok(()) } else { Err(once.again(first.entry)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(kind: OnceKind, value: u8, entry: u64, shoe_no: u64, candidate: u8) -> Once {
        Once { kind, value: [value; 32], entry, place: 0, table: TableId::parse("t1").unwrap(), shoe_no, candidate }
    }

    #[test]
    fn a_value_is_known_again_for_ever_and_one_candidate_may_show_its_own_twice() {
        let mut known = Known::default();
        for number in 0..200 {
            known.first_time(once(OnceKind::Seed, number, u64::from(number), u64::from(number), 0)).unwrap();
        }
        known.first_time(once(OnceKind::Root, 0, 300, 0, 0)).unwrap();
        known.first_time(once(OnceKind::Seed, 7, 301, 7, 0)).unwrap();
        let text = serde_json::to_string(&known).unwrap();
        let mut again: Known = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
        for (shoe_no, candidate) in [(7, 1), (8, 0)] {
            let finding = again.first_time(once(OnceKind::Seed, 7, 302, shoe_no, candidate)).unwrap_err();
            assert_eq!((finding.check, finding.entry), (Check::SeedReused, Some(302)));
            assert!(finding.message.contains("in entry 7:"), "{finding}");
        }
        assert_eq!(again.first_time(once(OnceKind::Root, 0, 303, 9, 0)).unwrap_err().check, Check::RootReused);
    }
}
