//! The address of a request, also behind proxies of the operator's.

use actix_web::HttpRequest;
use actix_web::http::header::{FORWARDED, HeaderMap, X_FORWARDED_FOR};
use clap::ValueEnum;
use serde::Deserialize;
use std::net::IpAddr;

/// A header in which a proxy says where a request comes from. One alone is believed: the other a client may have
/// written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProxyHeader {
    XForwardedFor,
    Forwarded,
}

/// The operator's proxies.
pub struct Proxies {
    pub addresses: Vec<IpAddr>,
    pub header: ProxyHeader,
}

impl Proxies {
    /// The address of a request: the connection's other end, or the one that a proxy of the operator's names.
    pub fn address_of(&self, request: &HttpRequest) -> Option<IpAddr> {
        let peer = request.peer_addr()?.ip().to_canonical();
        if !self.addresses.contains(&peer) {
            return Some(peer);
        }
        let (name, of_item): (_, fn(&str) -> Option<&str>) = match self.header {
            ProxyHeader::XForwardedFor => (X_FORWARDED_FOR, |item| Some(item)),
            ProxyHeader::Forwarded => (FORWARDED, forwarded_for),
        };
        // The last hop that is no proxy of ours. What stands before it the client may have written, and is not read: *a
        // header of thousands of hops.*
        let client = hops(request.headers(), name.as_str(), of_item)
            .find(|hop| hop.is_none_or(|hop| !self.addresses.contains(&hop)));
        Some(client.flatten().unwrap_or(peer))
    }
}

/// The addresses that a header's lines list, the last one first; `None` for what is none.
fn hops<'a>(
    headers: &'a HeaderMap,
    name: &str,
    of_item: fn(&str) -> Option<&str>,
) -> impl Iterator<Item = Option<IpAddr>> + 'a {
    let lines: Vec<&str> = headers.get_all(name).map(|line| line.to_str().unwrap_or_default()).collect();
    let items = lines.into_iter().rev().flat_map(|line| line.rsplit(','));
    items.map(move |item| of_item(item.trim()).and_then(host_address))
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

/// The addresses that count as one: with IPv6 a whole /64, since one customer may choose any of these.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

/// The network around an address: what one provider gives a customer who asks for much, or a small provider has.
pub fn wide(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) >> 80 << 80).into()),
        IpAddr::V4(v4) => IpAddr::V4((u32::from(v4) >> 8 << 8).into()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn proxies(header: ProxyHeader) -> Proxies {
        Proxies { addresses: ["10.0.0.1", "10.0.0.2"].map(|proxy| proxy.parse().unwrap()).to_vec(), header }
    }

    fn seen(header: ProxyHeader, peer: &str, lines: &[(&str, &str)]) -> String {
        let mut request = TestRequest::default().peer_addr(format!("{peer}:999").parse().unwrap());
        for line in lines {
            request = request.append_header(*line);
        }
        proxies(header).address_of(&request.to_http_request()).unwrap().to_string()
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
