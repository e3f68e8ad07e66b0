//! Rates: by holder where there is a token, else by address.

use super::problem::Problem;
use crate::config::{Config, ProxyHeader};
use crate::tokens::Role;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{FORWARDED, HeaderMap, X_FORWARDED_FOR};
use fairshoe_api::ErrorCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter};
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
    /// What an operator's watch asks for: strangers behind the same address do not use it up.
    watches: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// Guests admitted.
    guests: Option<DefaultKeyedRateLimiter<IpAddr>>,
    proxies: Vec<IpAddr>,
    proxy_header: ProxyHeader,
    seen: AtomicU64,
}

/// A reply of this length weighs as much as one request more, in bytes.
const WEIGHED: usize = 64 << 10;

/// After so many requests what has not been seen lately is forgotten, so that strangers cannot fill the memory.
const FORGET_EVERY: u64 = 4096;

fn limiter<K: std::hash::Hash + Eq + Clone>(rate: u32) -> Option<DefaultKeyedRateLimiter<K>> {
    let rate = NonZeroU32::new(rate)?;
    Some(RateLimiter::keyed(
        Quota::per_second(rate).allow_burst(rate.saturating_mul(NonZeroU32::MIN.saturating_add(1))),
    ))
}

impl Limits {
    pub fn new(config: &Config) -> Self {
        Limits {
            holders: limiter(config.token_rate),
            addresses: limiter(config.address_rate),
            connections: limiter(config.address_rate),
            watches: limiter(config.address_rate),
            guests: NonZeroU32::new(config.guests_per_address).map(|most| RateLimiter::keyed(Quota::per_hour(most))),
            proxies: config.trusted_proxies.clone(),
            proxy_header: config.proxy_header,
            seen: AtomicU64::new(0),
        }
    }

    /// Whoever came with a token in force.
    pub fn caller(&self, role: &Role) -> Result<(), Problem> {
        self.forget_the_quiet();
        check(self.holders.as_ref(), role)
    }

    /// Whoever came without one.
    pub fn address(&self, request: &HttpRequest) -> Result<(), Problem> {
        self.forget_the_quiet();
        let Some(address) = self.address_of(request) else { return Ok(()) };
        let is_watch = ["/healthz", "/readyz"].contains(&request.path());
        check(if is_watch { &self.watches } else { &self.addresses }.as_ref(), &network(address))
    }

    /// Whether this address may open one more connection. *Attack: a stranger opens connections and drops them; each
    /// costs the service its buffers, and under TLS a signature.* A proxy of the operator's stands for many.
    pub fn connection(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.forget_the_quiet();
        self.proxies.contains(&peer) || check(self.connections.as_ref(), &network(peer)).is_ok()
    }

    /// Whether somebody without a token may have a reply of so many bytes: a large one counts as several requests.
    pub fn reply(&self, request: &HttpRequest, length: usize) -> Result<(), Problem> {
        let more = u32::try_from(length / WEIGHED).ok().and_then(NonZeroU32::new);
        let (Some(address), Some(more)) = (self.address_of(request), more) else { return Ok(()) };
        let Some(limiter) = &self.addresses else { return Ok(()) };
        match limiter.check_key_n(&network(address), more) {
            // Of a rate below what one reply weighs the request itself was counted.
            Ok(Ok(())) | Err(_) => Ok(()),
            Ok(Err(not_until)) => Err(too_many(&not_until)),
        }
    }

    /// Whoever wants to be a guest.
    pub fn guest(&self, request: &HttpRequest) -> Result<(), Problem> {
        let Some(address) = self.address_of(request) else { return Ok(()) };
        check(self.guests.as_ref(), &network(address)).map_err(|problem| Problem {
            code: ErrorCode::TooManyGuests,
            detail: "so many guests an hour come from your address; one of them may still be yours".into(),
            ..problem
        })
    }

    /// Where a request comes from: the connection's other end, or what a proxy of the operator's says of it.
    pub fn address_of(&self, request: &HttpRequest) -> Option<IpAddr> {
        let peer = request.peer_addr()?.ip().to_canonical();
        if !self.proxies.contains(&peer) {
            return Some(peer);
        }
        let hops = match self.proxy_header {
            ProxyHeader::XForwardedFor => hops(request.headers(), X_FORWARDED_FOR.as_str(), |item| Some(item)),
            ProxyHeader::Forwarded => hops(request.headers(), FORWARDED.as_str(), forwarded_for),
        };
        // The last hop that is no proxy of ours. What stands before it the client may have written.
        let client = hops.into_iter().rev().find(|hop| hop.is_none_or(|hop| !self.proxies.contains(&hop)));
        Some(client.flatten().unwrap_or(peer))
    }

    fn forget_the_quiet(&self) {
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.holders.iter().for_each(RateLimiter::retain_recent);
            self.addresses.iter().for_each(RateLimiter::retain_recent);
            self.connections.iter().for_each(RateLimiter::retain_recent);
            self.watches.iter().for_each(RateLimiter::retain_recent);
            self.guests.iter().for_each(RateLimiter::retain_recent);
        }
    }
}

/// The addresses that a header's lines list, in order; `None` for what is none.
fn hops(headers: &HeaderMap, name: &str, of_item: impl Fn(&str) -> Option<&str>) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all(name).map(|line| line.to_str().unwrap_or_default());
    lines.flat_map(|line| line.split(',')).map(|item| of_item(item.trim()).and_then(host_address)).collect()
}

/// The `for` of an element of `Forwarded` (RFC 7239, section 4).
fn forwarded_for(element: &str) -> Option<&str> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| name.eq_ignore_ascii_case("for")).map(|(_, value)| value.trim_matches('"'))
}

/// An address, with or without a port, in brackets or not.
fn host_address(text: &str) -> Option<IpAddr> {
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok();
    bare().or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

/// What counts as one address: with IPv6 a whole /64, since that is what one customer gets to choose from.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

fn check<K: std::hash::Hash + Eq + Clone>(
    limiter: Option<&DefaultKeyedRateLimiter<K>>,
    key: &K,
) -> Result<(), Problem> {
    let Some(limiter) = limiter else { return Ok(()) };
    limiter.check_key(key).map_err(|not_until| too_many(&not_until))
}

fn too_many(not_until: &NotUntil<<DefaultClock as Clock>::Instant>) -> Problem {
    let wait = not_until.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
    Problem {
        retry_after: Some(wait),
        ..Problem::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, "too many requests; slow down")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn limits(header: ProxyHeader) -> Limits {
        let proxies = ["10.0.0.1", "10.0.0.2"].map(|proxy| proxy.parse().unwrap()).to_vec();
        Limits {
            holders: None,
            addresses: None,
            connections: None,
            watches: None,
            guests: None,
            proxies,
            proxy_header: header,
            seen: AtomicU64::new(0),
        }
    }

    fn seen(header: ProxyHeader, peer: &str, lines: &[(&str, &str)]) -> String {
        let mut request = TestRequest::default().peer_addr(format!("{peer}:999").parse().unwrap());
        for line in lines {
            request = request.append_header(*line);
        }
        limits(header).address_of(&request.to_http_request()).unwrap().to_string()
    }

    #[test]
    fn a_header_tells_the_address_only_where_a_trusted_proxy_wrote_it() {
        use ProxyHeader::{Forwarded, XForwardedFor};
        let name = "x-forwarded-for";
        assert_eq!(seen(XForwardedFor, "192.0.2.9", &[(name, "203.0.113.1")]), "192.0.2.9", "a stranger's header");
        assert_eq!(seen(XForwardedFor, "10.0.0.1", &[(name, "203.0.113.1")]), "203.0.113.1");
        assert_eq!(
            seen(XForwardedFor, "10.0.0.1", &[(name, "1.1.1.1, 203.0.113.1")]),
            "203.0.113.1",
            "what a client wrote before"
        );
        assert_eq!(
            seen(XForwardedFor, "10.0.0.1", &[(name, "1.1.1.1"), (name, "203.0.113.1, 10.0.0.2")]),
            "203.0.113.1"
        );
        assert_eq!(seen(XForwardedFor, "10.0.0.1", &[(name, "1.1.1.1, nonsense")]), "10.0.0.1");
        assert_eq!(seen(XForwardedFor, "10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(
            seen(XForwardedFor, "10.0.0.1", &[("forwarded", "for=203.0.113.1")]),
            "10.0.0.1",
            "not this proxy's header"
        );
        assert_eq!(
            seen(Forwarded, "10.0.0.1", &[("forwarded", "for=1.1.1.1, proto=https;For=\"203.0.113.1:4711\"")]),
            "203.0.113.1"
        );
        assert_eq!(seen(Forwarded, "10.0.0.1", &[("forwarded", "for=\"[2001:db8::1]:80\"")]), "2001:db8::1");
        assert_eq!(
            seen(Forwarded, "10.0.0.1", &[("forwarded", "for=\"[2001:db8::1]\""), (name, "1.1.1.1")]),
            "2001:db8::1"
        );
        assert_eq!(seen(Forwarded, "10.0.0.1", &[("forwarded", "for=_hidden")]), "10.0.0.1");
    }
}
