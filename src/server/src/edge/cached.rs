//! The parts of a request that tell what its client has and takes: a version it knows, a compression.

use actix_web::HttpRequest;
use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, ContentEncoding, Encoding, EntityTag, Header, HeaderName, IF_NONE_MATCH,
    IfNoneMatch,
};

/// `Cache-Control` of what never changes.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A longer list of tags or encodings is not read: that would take more than the reply. In bytes.
const MOST_READ: usize = 1 << 10;

fn is_short(http: &HttpRequest, name: &HeaderName) -> bool {
    http.headers().get_all(name).map(|value| value.len()).sum::<usize>() <= MOST_READ
}

/// Whether the client has what has this tag.
pub fn has(http: &HttpRequest, tag: &EntityTag) -> bool {
    if !is_short(http, &IF_NONE_MATCH) {
        return false;
    }
    match IfNoneMatch::parse(http) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

/// Whether the client asks for gzip; without a word it is not asked for.
pub fn takes_gzip(http: &HttpRequest) -> bool {
    let accepted = (http.headers().contains_key(ACCEPT_ENCODING) && is_short(http, &ACCEPT_ENCODING))
        .then(|| AcceptEncoding::parse(http).ok())
        .flatten();
    let chosen = accepted.and_then(|accepted| accepted.negotiate([Encoding::gzip(), Encoding::identity()].iter()));
    chosen == Some(Encoding::Known(ContentEncoding::Gzip))
}
