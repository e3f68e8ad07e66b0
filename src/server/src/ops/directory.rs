//! What lists and clients must know of the house without asking it: its players' names, in their order, and the epoch
//! in force. As they are under the newest checkpoint.

use fairshoe_fairness::{Epoch, PlayerId};
use fairshoe_house::{Entry, Event, State};
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock};

/// Names that are looked at for one page: what nobody fits costs no more than that.
const LOOKS: usize = 20_000;

#[derive(Default)]
struct Known {
    players: BTreeSet<PlayerId>,
    epoch: Option<Epoch>,
}

/// Names of players, and the epoch in force.
#[derive(Default)]
pub struct Directory(RwLock<Known>);

/// Names on a page, and where the next one goes on.
pub struct Names {
    pub found: Vec<PlayerId>,
    pub next: Option<PlayerId>,
}

impl Directory {
    /// Of a state whose entries are all published.
    pub fn of(state: &State) -> Self {
        let players = state.ledger().players().cloned().collect();
        Directory(RwLock::new(Known { players, epoch: state.epoch().copied() }))
    }

    /// Takes in entries that are under a signed checkpoint now.
    pub fn note<'e>(&self, entries: impl IntoIterator<Item = &'e Entry>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for event in entries.into_iter().flat_map(|entry| &entry.events) {
            match event {
                Event::PlayerCreated { player, .. } | Event::GuestAdmitted { player } => {
                    known.players.insert(player.clone());
                }
                Event::GuestDismissed { player } => drop(known.players.remove(player)),
                Event::DealerStarted { epoch, .. } => known.epoch = Some(*epoch),
                _ => {}
            }
        }
    }

    /// The epoch in force.
    pub fn epoch(&self) -> Option<Epoch> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).epoch
    }

    /// Whether there is such a player.
    pub fn has(&self, player: &PlayerId) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).players.contains(player)
    }

    /// At most so many names behind this one that hold a text.
    pub fn search(&self, text: &str, after: Option<&PlayerId>, limit: usize) -> Names {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = known.players.range::<PlayerId, _>((from, Bound::Unbounded));
        let (mut found, mut last) = (Vec::new(), None);
        for name in rest.by_ref().take(LOOKS) {
            last = Some(name);
            if name.as_str().contains(text) {
                found.push(name.clone());
            }
            if found.len() >= limit {
                break;
            }
        }
        let next = rest.next().and(last).cloned();
        Names { found, next }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(found: &Names) -> Vec<&str> {
        found.found.iter().map(PlayerId::as_str).collect()
    }

    #[test]
    fn pages_lead_from_one_to_the_next_and_end() {
        let players = ["alice", "bob", "carol", "coral", "dave"].map(|name| PlayerId::parse(name).unwrap());
        let directory = Directory(RwLock::new(Known { players: players.into(), epoch: None }));
        let first = directory.search("", None, 2);
        assert_eq!((names(&first), first.next.as_ref().unwrap().as_str()), (vec!["alice", "bob"], "bob"));
        let second = directory.search("", first.next.as_ref(), 3);
        assert_eq!((names(&second), &second.next), (vec!["carol", "coral", "dave"], &None));
        let found = directory.search("o", None, 2);
        assert_eq!((names(&found), found.next.as_ref().unwrap().as_str()), (vec!["bob", "carol"], "carol"));
        let rest = directory.search("o", found.next.as_ref(), 2);
        assert_eq!((names(&rest), &rest.next), (vec!["coral"], &None));
        assert!(directory.search("x", None, 2).found.is_empty());
    }

    #[test]
    fn a_search_looks_at_so_many_names_and_says_where_it_goes_on() {
        let players = (0..=LOOKS).map(|n| PlayerId::parse(&format!("p{n:06}")).unwrap()).collect();
        let directory = Directory(RwLock::new(Known { players, epoch: None }));
        let last = format!("p{LOOKS:06}");
        let none = directory.search(&last, None, 50);
        assert!(none.found.is_empty());
        assert_eq!(names(&directory.search(&last, none.next.as_ref(), 50)), [last.as_str()]);
    }
}
