//! How replies go out: in pieces of a bounded size, counted in the budget of memory, and not for ever.

use crate::Service;
use crate::edge::budget::{FREE_REPLY, Held};
use crate::edge::cached::takes_gzip;
use crate::edge::connections::Connected;
use crate::edge::line::{Doing, Line};
use crate::edge::problem::Problem;
use crate::edge::request::{is_strangers, shares};
use crate::edge::share::Payer;
use actix_http::ConnectionType;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::Version;
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::{HttpRequest, ResponseError, web};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// The bytes that are handed to the connection at once: of a longer body no more is copied before its client has read.
const AT_ONCE: usize = 16 << 10;

/// After so many bytes the rest waits for another turn of its reader's. *A few who read fast would have a worker write without
/// end.*
const OF_A_TURN: u64 = 64 << 10;

/// The least that a client reads of a reply, in bytes a second, on the whole and beside the write timeout: else one
/// that reads a little now and then would hold its reply for hours. A phone on a bad line reads more.
const LEAST_RATE: u64 = 2_000;

/// A body on its way to the client.
pub struct Paced {
    inner: BoxBody,
    /// The bytes that the inner body gave and that are not handed on yet.
    rest: web::Bytes,
    line: Option<Arc<Line>>,
    /// The room that the reply takes in the budget.
    _held: Option<Held>,
    patience: Duration,
    begun: Instant,
    sent: u64,
    /// The time in which there was nothing to send.
    waited: Duration,
    waits_since: Option<Instant>,
    payer: Option<Rc<Payer>>,
    turn: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

impl Paced {
    /// There is nothing to send: it is not the client who is waited for.
    fn waits<T>(&mut self) -> Poll<T> {
        self.waits_since = Some(Instant::now());
        self.line.iter().for_each(|line| line.does(Doing::Waiting));
        Poll::Pending
    }

    fn is_too_slow(&self) -> bool {
        let read_for = self.begun.elapsed().saturating_sub(self.waited);
        read_for > self.patience.saturating_add(Duration::from_secs(self.sent / LEAST_RATE))
    }
}

impl MessageBody for Paced {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.inner.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<web::Bytes, Self::Error>>> {
        let this = &mut *self;
        if let Some(since) = this.waits_since.take() {
            this.waited = this.waited.saturating_add(since.elapsed());
        }
        while this.rest.is_empty() {
            let mut inner = Pin::new(&mut this.inner);
            // *A stream that ends at once, asked for again and again: its head costs little, and what it tells is made here.*
            let made = match &this.payer {
                Some(payer) => payer.makes(|| inner.as_mut().poll_next(context)),
                None => inner.as_mut().poll_next(context),
            };
            match made {
                Poll::Ready(Some(Ok(bytes))) => this.rest = bytes,
                Poll::Ready(end) => return Poll::Ready(end),
                Poll::Pending => return this.waits(),
            }
        }
        if let Some(turn) = &mut this.turn {
            if turn.as_mut().poll(context).is_pending() {
                return this.waits();
            }
            this.turn = None;
        }
        if this.is_too_slow() {
            return Poll::Ready(Some(Err("the client reads too slowly".into())));
        }
        this.line.iter().for_each(|line| line.does(Doing::Sending));
        let piece = this.rest.split_to(this.rest.len().min(AT_ONCE));
        let before = this.sent / OF_A_TURN;
        this.sent = this.sent.saturating_add(piece.len() as u64);
        if this.sent / OF_A_TURN > before {
            this.turn = this.payer.as_ref().and_then(|payer| Some(Box::pin(payer.turn()?) as Pin<Box<_>>));
        }
        Poll::Ready(Some(Ok(piece)))
    }
}

impl Drop for Paced {
    fn drop(&mut self) {
        self.line.iter().for_each(|line| line.sent());
    }
}

/// Room for what a request makes the service hold; none is taken yet.
pub fn room(service: &web::Data<Service>, http: &HttpRequest) -> Held {
    service.budget.hold(shares(http))
}

/// Shorter than this a reply fits into a packet or two, packed or not.
const WORTH_PACKING: usize = 1_400;

/// Longer replies are made in pieces, and packed there, or go as they are; in bytes. *A worker packed half a MiB in five
/// milliseconds, for many who asked at once, and play waited behind each.*
const MOST_PACKED: usize = 256 << 10;

/// Packing what is longer takes longer than what play asks for; in bytes.
const LONG: usize = 16 << 10;

/// The length of a reply that is sent packed to clients who take that.
fn length_to_pack(reply: &ServiceResponse<BoxBody>) -> Option<usize> {
    let headers = reply.headers();
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // The other texts of a length are files, packed once for all who ask.
    let is_text = kind.starts_with("application/json");
    let length = match reply.response().body().size() {
        BodySize::Sized(length) => usize::try_from(length).unwrap_or(usize::MAX),
        BodySize::None | BodySize::Stream => 0,
    };
    let fits = (WORTH_PACKING..=MOST_PACKED).contains(&length);
    // A handler that sets `Vary: Accept-Encoding` has chosen the encoding itself.
    let is_seen_to = headers.get_all(VARY).any(|vary| vary.as_bytes() == ACCEPT_ENCODING.as_str().as_bytes());
    (is_text && fits && !is_seen_to && reply.status().is_success()).then_some(length)
}

/// Whether packing a reply takes so long that it comes out of its reader's share, also where what they sent is play. *Whoever
/// has a token could have a worker pack the same long reply again and again.*
pub fn takes_long_to_pack(reply: &ServiceResponse<BoxBody>) -> bool {
    length_to_pack(reply).is_some_and(|length| length > LONG) && takes_gzip(reply.request())
}

/// A reply of JSON of some length, packed for a client who takes that. Nothing that is secret from its own reader is
/// ever beside what a stranger chose: replies are to a token in a header, which no other site can send.
pub fn packed(reply: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if length_to_pack(&reply).is_none() {
        return reply;
    }
    let takes = takes_gzip(reply.request());
    let mut reply = reply.map_body(|head, body| {
        // A cache must not hand the one form to somebody who takes the other alone.
        head.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
        if !takes {
            return body;
        }
        let plain = match body.try_into_bytes() {
            Ok(plain) => plain,
            Err(body) => return body,
        };
        let mut packer = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
        match packer.write_all(&plain).and_then(|()| packer.finish()) {
            Ok(bytes) => {
                head.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                BoxBody::new(bytes)
            }
            Err(_) => BoxBody::new(plain),
        }
    });
    reply.headers_mut().remove(CONTENT_LENGTH);
    reply
}

/// Room for a large reply, if whoever asked for it may have one.
fn large(service: &web::Data<Service>, request: &HttpRequest, length: usize) -> Result<Held, Problem> {
    if is_strangers(request) {
        service.limits.reply(request, length)?;
    }
    let mut room = room(service, request);
    room.at_least(length)?;
    Ok(room)
}

/// The reply as it goes out; or, where there is no room for it, a refusal in its place.
pub fn paced(
    service: &web::Data<Service>,
    reply: ServiceResponse<impl MessageBody + 'static>,
) -> ServiceResponse<Paced> {
    let reply = reply.map_into_boxed_body();
    let length = match reply.response().body().size() {
        BodySize::Sized(length) => usize::try_from(length).unwrap_or(usize::MAX),
        BodySize::None | BodySize::Stream => 0,
    };
    let mut held = None;
    let reply = if length > FREE_REPLY {
        match large(service, reply.request(), length) {
            Ok(room) => {
                held = Some(room);
                reply
            }
            Err(problem) => {
                crate::edge::problem::count(service, &problem);
                reply.into_response(problem.error_response())
            }
        }
    } else {
        reply
    };
    let is_old = reply.request().version() < Version::HTTP_11;
    let mut reply = reply;
    if is_old && matches!(reply.response().body().size(), BodySize::Stream) {
        // HTTP/1.0 knows no chunks: such a body ends with its connection (RFC 9112, section 6.3).
        let head = reply.response_mut().head_mut();
        head.no_chunking(true);
        head.set_connection_type(ConnectionType::Close);
    }
    let line = reply.request().conn_data::<Connected>().map(|connected| connected.line().clone());
    line.iter().for_each(|line| line.does(Doing::Sending));
    let payer = reply.request().conn_data::<Rc<Payer>>().cloned();
    let patience = service.connections.write_timeout();
    reply.map_body(|_, inner| Paced {
        inner,
        rest: web::Bytes::new(),
        line,
        _held: held,
        patience,
        begun: Instant::now(),
        sent: 0,
        waited: Duration::ZERO,
        waits_since: None,
        payer,
        turn: None,
    })
}
