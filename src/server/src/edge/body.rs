//! The body of a request: it is read from its connection as somebody reads it from here (`connections`). *Attack: a body
//! that nobody reads, in pieces of one byte, fills the memory with what holds the pieces.*

use crate::edge::line::{CHUNKED, Doing, ENDLESS, Line};
use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::Bytes;
use futures_util::{Stream, StreamExt as _};
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// The most that is read of what a call left of a body, in bytes.
const MOST_LEFT: usize = 64 << 10;

/// How long a reply waits for that.
const LEFT_TIME: Duration = Duration::from_secs(1);

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
    let body = Body(Rc::new(RefCell::new(Watched { inner, line: line.clone(), is_whole: None })));
    request.extensions_mut().insert(body.clone());
    request.set_payload(Payload::Stream { payload: Box::pin(body) });
}

/// A body: its call reads it, and what that leaves is read behind the call.
#[derive(Clone)]
pub struct Body(Rc<RefCell<Watched>>);

struct Watched {
    inner: Payload,
    line: Arc<Line>,
    /// Whether all of it came, once nothing more comes.
    is_whole: Option<bool>,
}

impl Body {
    /// Reads and drops what its call left of it, where that is little and comes. Whether it is over, so that the next
    /// request can be read.
    pub async fn finish(mut self) -> bool {
        let (is_whole, line) = {
            let watched = self.0.borrow();
            (watched.is_whole, watched.line.clone())
        };
        let left = line.body_left();
        if is_whole.is_some() || left != CHUNKED && left > MOST_LEFT as u64 {
            return is_whole == Some(true);
        }
        line.does(Doing::Receiving);
        let rest = async {
            let mut room = MOST_LEFT;
            while let Some(piece) = self.next().await {
                let Some(less) = piece.ok().and_then(|piece| room.checked_sub(piece.len())) else { return false };
                room = less;
            }
            true
        };
        let is_over = timeout(LEFT_TIME, rest).await.unwrap_or(false);
        line.does(Doing::Working);
        is_over
    }
}

impl Stream for Body {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let watched = &mut *self.0.borrow_mut();
        if watched.is_whole.is_some() {
            return Poll::Ready(None);
        }
        let next = Pin::new(&mut watched.inner).poll_next(context);
        match &next {
            Poll::Pending => watched.line.wants_body(),
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(end) => watched.is_whole = Some(end.is_none()),
        }
        next
    }
}
