//! Event streams, and requests that wait for entries: so many at once, shared among those who have them.
//!
//! If all places are taken, a newcomer takes a place from the one who has most, but never so that they have more than
//! that one. Holders of tokens take it from strangers (by address) as long as strangers have more than their part.
//! *Attack: six addresses open every stream there is, and a player sees nothing of their table.* A stranger takes it
//! from a holder only if strangers have less than their part. *Attack: one player opens every stream there is.*

use crate::read::lanes::Sender;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Strangers together have one place in so many, where they want it.
const STRANGERS: usize = 8;

/// Time between two strangers who watch tables, so that many of them do not keep the threads from those who play.
const APART: Duration = Duration::from_micros(400);

/// So long the last of them waits at most.
const LAST_WAITS: Duration = Duration::from_millis(200);

/// So many streams of a holder go at once.
pub const AT_ONCE_OF_HOLDER: usize = 8;

/// How long this one of so many waits.
pub fn apart(turn: u64, watchers: u64) -> Duration {
    let watchers = watchers.max(1);
    let last = APART.saturating_mul(u32::try_from(watchers - 1).unwrap_or(u32::MAX)).min(LAST_WAITS);
    let place = u32::try_from(turn % watchers).unwrap_or_default();
    last.saturating_mul(place) / u32::try_from(watchers).unwrap_or(u32::MAX)
}

/// See the module.
pub struct Streams {
    most: usize,
    /// How many of strangers there are.
    strangers: AtomicU64,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// The streams of each, oldest first. One that is gone from here has ended: its channel closes.
    by: HashMap<Sender, Vec<(u64, watch::Sender<()>)>>,
    count: usize,
    next: u64,
}

impl Open {
    /// The sender who loses a place if one more of these takes one, of so many.
    fn who_gives_way(&self, to: &Sender, most: usize) -> Option<Sender> {
        let is_holder = |by: &Sender| matches!(by, Sender::Holder(_));
        let own = self.by.get(to).map_or(0, Vec::len);
        let with_most = |holders: bool| {
            let of_kind = self.by.iter().filter(|(by, _)| is_holder(by) == holders);
            of_kind.map(|(by, theirs)| (theirs.len(), by)).max_by_key(|(count, _)| *count)
        };
        let (holder, stranger) = (with_most(true), with_most(false));
        let with_more = |found: Option<(usize, _)>| found.filter(|(count, _)| *count > own.saturating_add(1));
        let strangers: usize = self.by.iter().filter(|(by, _)| !is_holder(by)).map(|(_, theirs)| theirs.len()).sum();
        let part = (most / STRANGERS).max(1);
        let gives_way = match is_holder(to) {
            true if strangers > part => stranger,
            // A player sees their table, if only as one of many who play.
            true => with_more(holder).or(stranger.filter(|_| own == 0)),
            false => with_more(stranger).or(with_more(holder).filter(|_| strangers < part)),
        };
        gives_way.map(|(_, by)| by.clone())
    }

    fn remove(&mut self, by: &Sender, find: impl FnOnce(&[(u64, watch::Sender<()>)]) -> Option<usize>) {
        let Some(theirs) = self.by.get_mut(by) else { return };
        if let Some(at) = find(theirs) {
            drop(theirs.remove(at));
            self.count = self.count.saturating_sub(1);
        }
        if theirs.is_empty() {
            self.by.remove(by);
        }
    }
}

impl Streams {
    /// So many at once.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Streams { most, strangers: AtomicU64::new(0), open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many strangers have at all tables.
    pub fn strangers(&self) -> u64 {
        self.strangers.load(Ordering::Relaxed)
    }

    /// How many these have.
    pub fn of(&self, by: &Sender) -> usize {
        self.open().by.get(by).map_or(0, Vec::len)
    }

    /// A place, if there is one for them.
    pub fn take(self: &Arc<Self>, by: Sender) -> Option<Place> {
        let mut open = self.open();
        if open.count >= self.most {
            let gives_way = open.who_gives_way(&by, self.most)?;
            // The newest: who watched for longest goes on.
            open.remove(&gives_way, |theirs| theirs.len().checked_sub(1));
        }
        let (sender, ended) = watch::channel(());
        let number = open.next;
        open.next = open.next.wrapping_add(1);
        open.count = open.count.saturating_add(1);
        let theirs = open.by.entry(by.clone()).or_default();
        let before = theirs.len();
        theirs.push((number, sender));
        drop(open);
        if !matches!(by, Sender::Holder(_)) {
            self.strangers.fetch_add(1, Ordering::Relaxed);
        }
        Some(Place { streams: self.clone(), by, before, number, ended })
    }
}

/// A place, which comes back when it is dropped.
pub struct Place {
    streams: Arc<Streams>,
    by: Sender,
    /// How many of theirs were there before it.
    pub before: usize,
    number: u64,
    ended: watch::Receiver<()>,
}

impl Place {
    /// Whether another one has it now.
    pub fn is_taken(&self) -> bool {
        self.ended.has_changed().is_err()
    }

    /// Waits until another one has it.
    pub async fn taken(&mut self) {
        while self.ended.changed().await.is_ok() {}
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let number = self.number;
        if !matches!(self.by, Sender::Holder(_)) {
            self.streams.strangers.fetch_sub(1, Ordering::Relaxed);
        }
        self.streams.open().remove(&self.by, |theirs| theirs.iter().position(|(theirs, _)| *theirs == number));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ops::tokens::Role;
    use fairshoe_fairness::PlayerId;
    use std::net::IpAddr;

    fn address(last: u8) -> Sender {
        Sender::Address(IpAddr::from([127, 0, 0, last]))
    }

    fn player(name: &str) -> Sender {
        Sender::Holder(Role::Player(PlayerId::parse(name).unwrap()))
    }

    /// Attack: a player follows their own table nine hundred times, and all are woken by each entry.
    #[test]
    fn of_many_who_watch_one_goes_at_a_time() {
        let waits: Vec<_> = (0..300).map(|turn| apart(turn, 300)).collect();
        assert!(waits[0].is_zero() && waits.windows(2).all(|two| two[1] - two[0] >= APART - APART / 100));
        assert!((0..5_000).all(|turn| apart(turn, 5_000) <= LAST_WAITS), "however many there are");
        assert!(apart(7, 0).is_zero());
    }

    #[test]
    fn strangers_give_way_to_players_and_the_address_with_most_first() {
        let streams = Streams::new(6);
        let mut places: Vec<Place> = [1, 1, 1, 2, 2, 3].map(|last| streams.take(address(last)).unwrap()).into();
        assert!(streams.take(address(2)).is_none(), "they would have as many as those whom they take it from");
        let taken = |places: &[Place]| places.iter().map(Place::is_taken).collect::<Vec<_>>();
        let newcomer = streams.take(address(4)).unwrap();
        assert_eq!(taken(&places), [false, false, true, false, false, false]);
        let alice = [(); 5].map(|()| streams.take(player("alice")).unwrap());
        assert_eq!(taken(&places).iter().filter(|is_taken| **is_taken).count() + usize::from(newcomer.is_taken()), 6);
        // A stranger takes none of a player's, and of players each has a share.
        assert!(streams.take(address(9)).is_none() && alice.iter().all(|one| !one.is_taken()));
        drop(newcomer);
        places.clear();
        let more = streams.take(player("alice")).unwrap();
        assert!(streams.take(player("alice")).is_none());
        let bob = [(); 3].map(|()| streams.take(player("bob")).unwrap());
        assert!(more.is_taken() && alice[4].is_taken() && alice[3].is_taken());
        assert!(streams.take(player("bob")).is_none() && !bob[2].is_taken());
    }

    #[test]
    fn players_who_take_every_place_leave_strangers_theirs() {
        let streams = Streams::new(16);
        let alice = [(); 16].map(|()| streams.take(player("alice")).unwrap());
        assert_eq!(
            alice.each_ref().map(|one| one.before),
            std::array::from_fn(|n| n),
            "the later ones let the first go first"
        );
        // Two of sixteen are strangers', from whatever addresses, and each address comes to one.
        let first = streams.take(address(1)).unwrap();
        let second = streams.take(address(1)).unwrap();
        assert_eq!(alice.iter().filter(|one| one.is_taken()).count(), 2);
        assert!(streams.take(address(1)).is_none());
        let other = streams.take(address(2)).unwrap();
        assert!(!first.is_taken() && second.is_taken() && streams.take(address(3)).is_none());
        // No player takes the strangers' part but one who has no place and finds nobody who has two.
        assert!(streams.take(player("alice")).is_none());
        let others: Vec<Place> = (0..13).map(|n| streams.take(player(&format!("p{n}"))).unwrap()).collect();
        assert_eq!(alice.iter().filter(|one| !one.is_taken()).count(), 1);
        assert!(!first.is_taken() && !other.is_taken() && streams.take(address(3)).is_none());
        let late = streams.take(player("late")).unwrap();
        assert!(first.is_taken() != other.is_taken() && others.iter().chain([&late]).all(|one| !one.is_taken()));
    }

    #[test]
    fn a_place_comes_back_once_whether_it_was_taken_or_not() {
        let streams = Streams::new(2);
        let (first, second) = (streams.take(address(1)).unwrap(), streams.take(address(1)).unwrap());
        let alice = streams.take(player("alice")).unwrap();
        assert!(second.is_taken());
        drop(second);
        assert_eq!(streams.open().count, 2);
        drop((first, alice));
        let open = streams.open();
        assert_eq!((open.count, open.by.len()), (0, 0));
        drop(open);
        assert!(Streams::new(0).take(player("alice")).is_none());
    }

    #[test]
    fn the_streams_of_strangers_are_counted_until_they_end() {
        let streams = Streams::new(2);
        let (first, alice) = (streams.take(address(1)), streams.take(player("alice")));
        let second = streams.take(address(2));
        assert_eq!(
            (first.is_some(), alice.is_some(), streams.strangers()),
            (true, true, 1 + u64::from(second.is_some()))
        );
        drop((first, second));
        assert_eq!(streams.strangers(), 0);
    }
}
