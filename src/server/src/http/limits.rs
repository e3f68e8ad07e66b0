//! Rates: by token where there is one, else by address.

use super::problem::Problem;
use crate::config::Config;
use crate::keys::TokenHash;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module.
pub struct Limits {
    tokens: Option<DefaultKeyedRateLimiter<TokenHash>>,
    addresses: Option<DefaultKeyedRateLimiter<IpAddr>>,
    seen: AtomicU64,
}

/// After so many requests what has not been seen lately is forgotten, so that strangers cannot fill the memory.
const FORGET_EVERY: u64 = 4096;

fn limiter<K: std::hash::Hash + Eq + Clone>(rate: u32) -> Option<DefaultKeyedRateLimiter<K>> {
    let rate = NonZeroU32::new(rate)?;
    Some(RateLimiter::keyed(Quota::per_second(rate).allow_burst(rate.saturating_mul(NonZeroU32::MIN.saturating_add(1)))))
}

impl Limits {
    pub fn new(config: &Config) -> Self {
        Limits { tokens: limiter(config.token_rate), addresses: limiter(config.address_rate), seen: AtomicU64::new(0) }
    }

    pub fn token(&self, hash: &TokenHash) -> Result<(), Problem> {
        check(self.tokens.as_ref(), hash)
    }

    pub fn address(&self, request: &HttpRequest) -> Result<(), Problem> {
        let Some(peer) = request.peer_addr() else { return Ok(()) };
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.tokens.iter().for_each(RateLimiter::retain_recent);
            self.addresses.iter().for_each(RateLimiter::retain_recent);
        }
        check(self.addresses.as_ref(), &network(peer.ip()))
    }
}

/// What counts as one address: with IPv6 a whole /64, since that is what one customer gets to choose from.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

fn check<K: std::hash::Hash + Eq + Clone>(limiter: Option<&DefaultKeyedRateLimiter<K>>, key: &K) -> Result<(), Problem> {
    let Some(limiter) = limiter else { return Ok(()) };
    limiter.check_key(key).map_err(|not_until| {
        let wait = not_until.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
        Problem { retry_after: Some(wait), ..Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", "too many requests; slow down") }
    })
}
