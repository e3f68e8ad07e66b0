//! Whoever sends signatures that do not hold, and claims of chips that are none. *The house looks at each for as long as at a
//! bet and more, and whoever sends it spends nothing.* So of each sender some are looked at, and then four a second: the
//! others are refused before the house has them, and with them, for a moment, what is signed well. Each token of a
//! player counts for itself, and each address from which it comes. *A thief of one would keep the player from signing, and so
//! from revoking it, by four bad signatures a second.*

use crate::edge::problem::Problem;
use crate::ops::keys::TokenHash;
use crate::write::pipeline::{Done, Rejected};
use fairshoe_house::Refusal;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What one costs its sender.
const EACH: Duration = Duration::from_millis(250);

/// What may be owed: sixteen at once.
const FREE: Duration = Duration::from_secs(4);

/// Nobody owes more, however many were under way.
const MOST: Duration = Duration::from_secs(14);

/// At so many senders, those are forgotten who owe nothing.
const REMEMBERED: usize = 1024;

/// Whose it is: the token, but of guests, who are as many as they like; and where it comes from.
pub type From = (Option<TokenHash>, Option<IpAddr>);

/// See the module.
#[derive(Default)]
pub struct Junk(Mutex<HashMap<From, Instant>>);

impl Junk {
    fn owed(&self) -> MutexGuard<'_, HashMap<From, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses what costs a look, where its sender has had too many.
    pub fn require_few(&self, by: &From) -> Result<(), Problem> {
        let owed = self.owed().get(by).map(|until| until.saturating_duration_since(Instant::now()));
        let Some(wait) = owed.and_then(|owed| owed.checked_sub(FREE)) else { return Ok(()) };
        Err(Problem::too_many(wait.as_secs() + 1, "too many signatures and claims of yours did not hold; slow down"))
    }

    /// Counts one, if this is what came of it.
    pub fn note(&self, by: From, answer: &Result<Done, Rejected>) {
        if let Err(Rejected::Refused { refusal, .. }) = answer
            && matches!(refusal, Refusal::SignatureWrong(_) | Refusal::ClaimRefused(_) | Refusal::AlreadyClaimed { .. })
        {
            self.count(by);
        }
    }

    fn count(&self, by: From) {
        let (mut owed, now) = (self.owed(), Instant::now());
        if owed.len() >= REMEMBERED {
            owed.retain(|_, until| *until > now);
        }
        let until = owed.entry(by).or_insert(now);
        *until = ((*until).max(now) + EACH).min(now + MOST);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn of_each_sender_sixteen_are_looked_at_and_then_four_a_second() {
        let (junk, address) = (Junk::default(), |last| (None, Some(IpAddr::from([192, 0, 2, last]))));
        for n in 0..17 {
            junk.require_few(&address(1)).unwrap_or_else(|_| panic!("{n}"));
            junk.count(address(1));
        }
        let wait = |last| junk.require_few(&address(last)).err().and_then(|problem| problem.retry_after);
        assert_eq!((wait(1), wait(2)), (Some(1), None));
        // However many were under way, and nobody is forgotten who owes.
        (0..1_000).for_each(|_| junk.count(address(1)));
        (0..2 * REMEMBERED).for_each(|n| junk.count((None, Some((n as u32).to_be_bytes().into()))));
        assert_eq!(wait(1), Some(10));
        let forgives = |by: &From, time| *junk.owed().get_mut(by).unwrap() -= time;
        forgives(&address(1), Duration::from_secs(10));
        assert_eq!(wait(1), None);
    }
}
