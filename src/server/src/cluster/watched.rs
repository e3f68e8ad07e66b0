//! What a node that follows has seen of the lease, and what it makes of questions that were not answered (spec/cluster.md,
//! "The lease").

use fairshoe_order::{Lease, LeaseSeen};
use std::time::{Duration, Instant};

/// After a question that one server did not answer, where the next one does, a leader that lives has so long to renew its
/// lease: it asked no later, waits for its answer as long, and asks again before this is over.
const AGAIN: Duration = Duration::from_secs(1);

/// What this node has seen of the lease.
pub struct Watched {
    /// The last one that a node of this shard said, however it was shown.
    pub genuine: Option<Lease>,
    /// Since when there was none that came after it.
    pub since: Instant,
    /// It came while this node looked: it is none that was shown to a node which knows nothing yet.
    pub has_come: bool,
    /// As it lay there.
    pub genuine_seen: Option<LeaseSeen>,
    /// What lies there now, genuine or not.
    pub seen: Option<LeaseSeen>,
    /// This node may not use the lease before.
    pub not_before: Instant,
    /// The last question of this kind was not answered.
    missed: [bool; 2],
}

/// What a follower asks for.
#[derive(Clone, Copy)]
pub enum Asked {
    Message = 0,
    Lease = 1,
}

impl Watched {
    pub fn new(now: Instant) -> Self {
        Watched {
            genuine: None,
            since: now,
            has_come: false,
            genuine_seen: None,
            seen: None,
            not_before: now,
            missed: [false; 2],
        }
    }

    /// A question was not answered. Once, it is the server that is gone, and perhaps the leader with it: what was seen still
    /// counts where another server answers. Twice, it may be the order: then no leader could renew its lease.
    pub fn miss(&mut self, asked: Asked, now: Instant) {
        if std::mem::replace(&mut self.missed[asked as usize], true) {
            self.since = now;
        } else {
            self.not_before = self.not_before.max(now + AGAIN);
        }
    }

    pub fn is_answered(&mut self, asked: Asked) {
        self.missed[asked as usize] = false;
    }

    pub fn floor(&self) -> u64 {
        self.genuine.as_ref().map_or(0, |lease| lease.until)
    }

    /// What lies there is not the last lease that this node saw: a leader may have said more, and promised more by it.
    pub fn is_hidden(&self) -> bool {
        self.seen != self.genuine_seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_that_is_gone_does_not_make_a_follower_begin_to_wait_anew_but_an_order_that_is_gone_does() {
        let begun = Instant::now();
        let at = |ms: u64| begun + Duration::from_millis(ms);
        for (one, other) in [(Asked::Message, Asked::Lease), (Asked::Lease, Asked::Message)] {
            let mut watched = Watched::new(begun);
            watched.miss(one, at(1_500));
            assert_eq!((watched.since, watched.not_before), (begun, at(1_500) + AGAIN), "a leader may ask again");
            watched.is_answered(one);
            watched.miss(one, at(5_000));
            assert_eq!(watched.since, begun);
            // The other stream answers meanwhile: this one chooses its leader, and no lease could be renewed.
            watched.is_answered(other);
            watched.miss(one, at(6_500));
            watched.miss(one, at(8_000));
            assert_eq!(watched.since, at(8_000));
        }
    }
}
