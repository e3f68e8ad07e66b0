//! A rate, and the problem of one too many.

use crate::edge::problem::Problem;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter};
use std::num::NonZeroU32;

/// So many a second, and twice as many at once; zero: no limit.
pub fn limiter<K: std::hash::Hash + Eq + Clone>(rate: u32) -> Option<DefaultKeyedRateLimiter<K>> {
    bursty(rate, 0)
}

/// The same, and so many at once at least.
pub fn bursty<K: std::hash::Hash + Eq + Clone>(rate: u32, burst: u32) -> Option<DefaultKeyedRateLimiter<K>> {
    let (rate, burst) = (NonZeroU32::new(rate)?, NonZeroU32::new(burst.max(rate.saturating_mul(2)))?);
    Some(RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)))
}

/// Counts one more of these.
pub fn check<K: std::hash::Hash + Eq + Clone>(
    limiter: Option<&DefaultKeyedRateLimiter<K>>,
    key: &K,
) -> Result<(), Problem> {
    let Some(limiter) = limiter else { return Ok(()) };
    limiter.check_key(key).map_err(|not_until| too_many(&not_until))
}

/// The problem of one too many, and how long to wait.
pub fn too_many(not_until: &NotUntil<<DefaultClock as Clock>::Instant>) -> Problem {
    let wait = not_until.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
    Problem::too_many(wait, "too many requests; slow down")
}
