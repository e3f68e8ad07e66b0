//! Tickets, by which a browser becomes a player: the operator's own page gives one, and it is exchanged for a token.
//! Random as tokens are, kept as hashes in memory alone, good once and for a minute. After a start none is good.

use crate::ops::keys::TokenHash;
use fairshoe_fairness::PlayerId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For how long a ticket is good.
pub const LIFE: Duration = Duration::from_secs(60);

/// How many tickets are made in a minute at most. One more is refused: in its place would go another player's, whose
/// browser may be on its way with it.
const MOST: usize = 65_536;

/// How many of one player's wait at most. One more takes the place of the oldest: *a player who asks again and again has
/// the newest link before them, and would else be locked out for a minute.*
const MOST_OF_PLAYER: usize = 8;

/// What a ticket is good for: a token of this player's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    pub player: PlayerId,
    /// Whether the player's earlier tokens end.
    pub revoke: bool,
    /// The token's lifetime.
    pub seconds: u64,
}

/// As many tickets were made within a minute as may be.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

/// The tickets that are good, or are being exchanged.
#[derive(Default)]
pub struct Tickets(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    tickets: HashMap<TokenHash, Ticket>,
    /// Of each player, the oldest first.
    of_player: HashMap<PlayerId, VecDeque<TokenHash>>,
    /// When each one's minute is over, in the order in which they were made; those that are gone before stay until
    /// then.
    ends: VecDeque<(Instant, TokenHash)>,
}

struct Ticket {
    wish: Wish,
    /// Somebody exchanges it.
    is_taken: bool,
}

impl Kept {
    fn remove(&mut self, hash: &TokenHash) {
        let Some(Ticket { wish, .. }) = self.tickets.remove(hash) else { return };
        if let Some(theirs) = self.of_player.get_mut(&wish.player) {
            theirs.retain(|other| other != hash);
            if theirs.is_empty() {
                self.of_player.remove(&wish.player);
            }
        }
    }

    fn remove_what_is_over(&mut self, now: Instant) {
        while let Some((_, hash)) = self.ends.front().copied().filter(|(end, _)| *end <= now) {
            self.ends.pop_front();
            self.remove(&hash);
        }
    }
}

impl Tickets {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a new ticket.
    pub fn keep(&self, hash: TokenHash, wish: Wish, now: Instant) -> Result<(), Full> {
        let mut kept = self.lock();
        kept.remove_what_is_over(now);
        if kept.ends.len() >= MOST {
            return Err(Full);
        }
        let theirs = kept.of_player.entry(wish.player.clone()).or_default();
        theirs.push_back(hash);
        let oldest = if theirs.len() > MOST_OF_PLAYER { theirs.front().copied() } else { None };
        kept.ends.push_back((now + LIFE, hash));
        kept.tickets.insert(hash, Ticket { wish, is_taken: false });
        if let Some(oldest) = oldest {
            kept.remove(&oldest);
        }
        Ok(())
    }

    /// Takes a ticket that is good: nobody else gets it, unless it is given back. Looked up by its hash, so the time taken
    /// says nothing of the ticket.
    pub fn take(&self, hash: &TokenHash, now: Instant) -> Option<Wish> {
        let mut kept = self.lock();
        kept.remove_what_is_over(now);
        let ticket = kept.tickets.get_mut(hash).filter(|ticket| !ticket.is_taken)?;
        ticket.is_taken = true;
        Some(ticket.wish.clone())
    }

    /// A ticket that was taken is good again, for what is left of its minute.
    pub fn give_back(&self, hash: &TokenHash) {
        if let Some(ticket) = self.lock().tickets.get_mut(hash) {
            ticket.is_taken = false;
        }
    }

    /// A player's tickets are good no more.
    pub fn forget(&self, player: &PlayerId) {
        let mut kept = self.lock();
        for hash in kept.of_player.remove(player).into_iter().flatten() {
            kept.tickets.remove(&hash);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn wish(player: &str) -> Wish {
        Wish { player: PlayerId::parse(player).unwrap(), revoke: false, seconds: 60 }
    }

    fn hash(number: usize) -> TokenHash {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_be_bytes());
        hash
    }

    #[test]
    fn a_ticket_is_good_once_and_for_a_minute() {
        let (tickets, begun) = (Tickets::default(), Instant::now());
        for number in 0..3 {
            tickets.keep(hash(number), wish("alice"), begun).unwrap();
        }
        let last = begun + LIFE - Duration::from_millis(1);
        assert_eq!(tickets.take(&hash(0), begun), Some(wish("alice")));
        assert_eq!(tickets.take(&hash(0), begun), None, "twice");
        assert_eq!(tickets.take(&hash(9), begun), None, "none");
        assert_eq!(tickets.take(&hash(1), last), Some(wish("alice")));
        assert_eq!(tickets.take(&hash(2), begun + LIFE), None, "late");
        let kept = tickets.lock();
        assert!(
            kept.tickets.is_empty() && kept.of_player.is_empty() && kept.ends.is_empty(),
            "nothing is left of them"
        );
    }

    #[test]
    fn a_ticket_that_is_given_back_is_good_for_the_rest_of_its_minute() {
        let (tickets, begun) = (Tickets::default(), Instant::now());
        tickets.keep(hash(0), wish("alice"), begun).unwrap();
        for _ in 0..2 {
            assert!(tickets.take(&hash(0), begun).is_some());
            tickets.give_back(&hash(0));
        }
        assert!(tickets.take(&hash(0), begun + LIFE).is_none());
        tickets.give_back(&hash(0));
        assert!(tickets.take(&hash(0), begun).is_none());
    }

    #[test]
    fn whoever_ends_a_players_tokens_ends_their_tickets() {
        let (tickets, now) = (Tickets::default(), Instant::now());
        for (number, player) in ["alice", "alice", "bob"].into_iter().enumerate() {
            tickets.keep(hash(number), wish(player), now).unwrap();
        }
        assert!(tickets.take(&hash(0), now).is_some());
        tickets.forget(&wish("alice").player);
        tickets.give_back(&hash(0));
        assert!(tickets.take(&hash(0), now).is_none() && tickets.take(&hash(1), now).is_none());
        assert!(tickets.take(&hash(2), now).is_some());
    }

    #[test]
    fn a_players_oldest_ticket_makes_room_and_nobody_elses() {
        let (tickets, now) = (Tickets::default(), Instant::now());
        tickets.keep(hash(100), wish("bob"), now).unwrap();
        for number in 0..=MOST_OF_PLAYER {
            tickets.keep(hash(number), wish("alice"), now).unwrap();
        }
        assert!(tickets.take(&hash(0), now).is_none());
        for number in (1..=MOST_OF_PLAYER).chain([100]) {
            assert!(tickets.take(&hash(number), now).is_some(), "{number}");
        }
    }

    #[test]
    fn tickets_are_bounded_in_all_and_a_minute_makes_room() {
        let (tickets, begun) = (Tickets::default(), Instant::now());
        for number in 0..MOST {
            tickets.keep(hash(number), wish("alice"), begun).unwrap();
        }
        let late = begun + LIFE;
        assert_eq!(tickets.keep(hash(MOST), wish("bob"), begun), Err(Full));
        tickets.keep(hash(MOST), wish("bob"), late).unwrap();
        assert_eq!(tickets.lock().ends.len(), 1);
        assert!(tickets.take(&hash(MOST), late).is_some());
    }

    #[test]
    fn of_many_who_take_a_ticket_at_once_one_has_it() {
        let (tickets, now) = (Tickets::default(), Instant::now());
        for number in 0..200 {
            tickets.keep(hash(number), wish("alice"), now).unwrap();
            let has_it = || tickets.take(&hash(number), now).is_some();
            let taken: usize = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(has_it)).collect();
                threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
            });
            assert_eq!(taken, 1);
        }
    }
}
