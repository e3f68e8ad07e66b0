//! What a request says of what its client has and takes: a version it knows, a compression.

use actix_web::HttpRequest;
use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, ContentEncoding, Encoding, EntityTag, Header, IfNoneMatch,
};

/// `Cache-Control` of what never changes.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// Whether the client has what has this tag.
pub fn has(http: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(http) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

/// Whether the client asks for gzip; without a word it is not asked for.
pub fn takes_gzip(http: &HttpRequest) -> bool {
    let accepted = http.headers().contains_key(ACCEPT_ENCODING).then(|| AcceptEncoding::parse(http).ok()).flatten();
    let chosen = accepted.and_then(|accepted| accepted.negotiate([Encoding::gzip(), Encoding::identity()].iter()));
    chosen == Some(Encoding::Known(ContentEncoding::Gzip))
}
