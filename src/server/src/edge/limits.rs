//! Rates: by holder where there is a token, else by address.

use crate::edge::client_address::Proxies;
pub use crate::edge::client_address::network;
use crate::edge::guest_quota::GuestQuota;
use crate::edge::problem::Problem;
use crate::edge::rates::{bursty, check, limiter, too_many};
use crate::ops::config::Config;
use crate::ops::tokens::Role;
use actix_web::HttpRequest;
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module.
pub struct Limits {
    /// By holder, not by token: one who may make new tokens would else have a fresh limit with each.
    holders: Option<DefaultKeyedRateLimiter<Role>>,
    addresses: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// New connections.
    connections: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// `/healthz` and `/readyz`: strangers behind the same address as a watch do not use up its rate.
    watches: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// The page's files.
    files: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// Guests admitted.
    guests: GuestQuota,
    proxies: Proxies,
    seen: AtomicU64,
}

/// A reply of this length weighs as much as one request more, in bytes.
const WEIGHED: usize = 64 << 10;

/// After so many requests what has not been seen lately is forgotten, so that strangers cannot fill the memory.
const FORGET_EVERY: u64 = 4096;

/// So many of the page's files may be asked for at once: all of them by fifty browsers behind one address. Each is asked for
/// once, and one that is refused is a page that does not work.
const FILES_AT_ONCE: u32 = 50 * 100;

/// Connections without TLS cost little: however few requests an address has, its players may come with one for each.
const LEAST_CONNECTIONS: u32 = 100;

/// New connections a second of one address.
fn connections(config: &Config) -> u32 {
    let is_rate = config.address_rate == 0 || config.tls.is_some();
    if is_rate { config.address_rate } else { config.address_rate.max(LEAST_CONNECTIONS) }
}

impl Limits {
    pub fn new(config: &Config) -> Self {
        Limits {
            holders: limiter(config.token_rate),
            addresses: limiter(config.address_rate),
            connections: limiter(connections(config)),
            watches: limiter(config.address_rate),
            files: bursty(config.address_rate, FILES_AT_ONCE),
            guests: GuestQuota::new(config.guests_per_address),
            proxies: Proxies { addresses: config.trusted_proxies.clone(), header: config.proxy_header },
            seen: AtomicU64::new(0),
        }
    }

    /// Counts a caller with a token in force.
    pub fn caller(&self, role: &Role) -> Result<(), Problem> {
        self.forget_the_quiet();
        check(self.holders.as_ref(), role)
    }

    /// Counts a caller without one.
    pub fn address(&self, request: &HttpRequest) -> Result<(), Problem> {
        self.forget_the_quiet();
        let Some(address) = self.address_of(request) else { return Ok(()) };
        let limiter = match request.path() {
            "/healthz" | "/readyz" => &self.watches,
            path if path.starts_with("/page/") => &self.files,
            _ => &self.addresses,
        };
        check(limiter.as_ref(), &network(address))
    }

    /// Whether this address may open one more connection. *Attack: a stranger opens connections and drops them; each
    /// costs the service its buffers, and under TLS a signature.* A proxy of the operator's stands for many.
    pub fn connection(&self, peer: IpAddr) -> bool {
        self.forget_the_quiet();
        self.is_proxy(peer) || check(self.connections.as_ref(), &network(peer)).is_ok()
    }

    /// Whether this is a proxy of the operator's.
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.addresses.contains(&peer.to_canonical())
    }

    /// Whether somebody without a token may have a reply of so many bytes: a large one counts as several requests.
    pub fn reply(&self, request: &HttpRequest, length: usize) -> Result<(), Problem> {
        let more = u32::try_from(length / WEIGHED).ok().and_then(NonZeroU32::new);
        let (Some(address), Some(more)) = (self.address_of(request), more) else { return Ok(()) };
        let Some(limiter) = &self.addresses else { return Ok(()) };
        match limiter.check_key_n(&network(address), more) {
            // If the rate is below the weight of one reply, the request itself was counted.
            Ok(Ok(())) | Err(_) => Ok(()),
            Ok(Err(not_until)) => Err(too_many(&not_until)),
        }
    }

    /// A new guest, under a key of theirs if they have one; the address by which they are counted.
    pub fn guest(&self, request: &HttpRequest, key: Option<&[u8]>) -> Result<Option<IpAddr>, Problem> {
        let Some(address) = self.address_of(request).filter(|_| self.guests.is_on()) else { return Ok(None) };
        self.guests.count(address, key).map(|()| Some(network(address)))
    }

    /// The address of a request.
    pub fn address_of(&self, request: &HttpRequest) -> Option<IpAddr> {
        self.proxies.address_of(request)
    }

    fn forget_the_quiet(&self) {
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.holders.iter().for_each(RateLimiter::retain_recent);
            let by_address = [&self.addresses, &self.connections, &self.watches, &self.files];
            by_address.into_iter().flatten().for_each(RateLimiter::retain_recent);
            self.guests.forget_the_quiet();
        }
    }
}
