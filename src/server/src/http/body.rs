//! The body of a request: it is read from its connection as somebody reads it from here (`connections`). *Attack: a body
//! that nobody reads, in pieces of one byte, fills the memory with what holds the pieces.*

use crate::connections::{CHUNKED, ENDLESS, Line};
use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::Bytes;
use futures_util::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Notes that a request came, and watches its body where it has one.
pub fn watch(line: &Arc<Line>, request: &mut ServiceRequest) {
    let inner = request.take_payload();
    if matches!(inner, Payload::None) {
        line.begins(0);
        return;
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let is_chunked = request.chunked().unwrap_or(false);
    line.begins(if is_chunked { CHUNKED } else { length.unwrap_or(ENDLESS) });
    let line = line.clone();
    request.set_payload(Payload::Stream { payload: Box::pin(Watched { inner, line }) });
}

struct Watched {
    inner: Payload,
    line: Arc<Line>,
}

impl Stream for Watched {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.inner).poll_next(context);
        if next.is_pending() {
            self.line.wants_body();
        }
        next
    }
}
