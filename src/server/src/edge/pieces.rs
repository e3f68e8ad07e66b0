//! Replies that may be large: made piece by piece off the HTTP threads, each piece when the client has read the last.

use crate::Service;
use crate::edge::cached::takes_gzip;
use crate::edge::paced::room;
use crate::edge::problem::{Problem, busy};
use crate::edge::request::network_of;
use crate::ops::startup::Running;
use crate::read::Reading;
use crate::read::lanes::{Lane, Lanes, Sender, Undone};
use crate::write::accepted::{json_text, of_json};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_ENCODING, VARY};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use fairshoe_api::ErrorCode;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use serde::Serialize;
use std::io::Write;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// About as long as a piece is, in bytes.
pub const PIECE: usize = 64 << 10;

/// The memory that a reply of several pieces counts for: its packer, a piece, and what reading it takes.
const LARGE: usize = 1 << 20;

/// How often and how long the next part of what is under way waits for room in the lane.
const TRIES: u32 = 40;
const BETWEEN_TRIES: Duration = Duration::from_millis(250);

/// A part of a reply.
pub struct Piece {
    pub bytes: Vec<u8>,
    /// Nothing comes after it.
    pub last: bool,
}

/// A reply that is made piece by piece.
pub trait Pieces: Send + 'static {
    /// The next piece. On a thread that may wait.
    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem>;

    /// The lane in which they are made.
    fn lane(lanes: &Lanes) -> &Lane {
        &lanes.records
    }
}

/// Pieces, of which one is made at a time.
type Shared<P> = Arc<Mutex<Packed<P>>>;

/// Pieces that are packed one after another, for a client who takes that.
struct Packed<P> {
    pieces: P,
    packs: bool,
    /// Made with the first piece that is packed: it is larger than a piece, and requests wait for their turn. *Hundreds
    /// that wait held half a MiB each.*
    packer: Option<GzEncoder<Vec<u8>>>,
    /// The first piece of several, until there is room for a large reply.
    first: Option<Piece>,
}

impl<P: Pieces> Packed<P> {
    /// The whole reply, where it is one piece.
    fn whole(&mut self, reading: &Reading) -> Result<Option<Vec<u8>>, Problem> {
        let piece = self.pieces.next(reading)?;
        let is_whole = piece.last;
        self.first = Some(piece);
        if !is_whole {
            return Ok(None);
        }
        let whole = self.next(reading).map(|piece| piece.bytes);
        self.packer = None;
        whole.map(Some)
    }

    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let piece = self.first.take().map_or_else(|| self.pieces.next(reading), Ok)?;
        if !self.packs {
            return Ok(piece);
        }
        // Fast rather than small: entries shrink to about a third either way.
        let packer = self.packer.get_or_insert_with(|| GzEncoder::new(Vec::new(), Compression::fast()));
        packer.write_all(&piece.bytes).map_err(Problem::internal)?;
        if piece.last {
            packer.try_finish().map_err(Problem::internal)?;
        }
        Ok(Piece { bytes: std::mem::take(packer.get_mut()), last: piece.last })
    }
}

/// Sends it, packed where the client takes that: as a whole with its length where it is one piece, else as a stream.
pub async fn send(
    service: web::Data<Service>,
    http: &HttpRequest,
    mut reply: HttpResponseBuilder,
    pieces: impl Pieces,
) -> Result<HttpResponse, Problem> {
    let by = network_of(http);
    let packs = takes_gzip(http);
    // A cache must not hand the one form to somebody who takes the other alone.
    reply.insert_header((VARY, "accept-encoding"));
    if packs {
        reply.insert_header((CONTENT_ENCODING, "gzip"));
    }
    let pieces = Arc::new(Mutex::new(Packed { pieces, packs, packer: None, first: None }));
    if let Some(whole) = made(&service.running, by, &pieces, Packed::whole).await? {
        return Ok(reply.body(whole));
    }
    let mut place = room(&service, http);
    place.at_least(LARGE)?;
    let rest = stream::unfold(Some((pieces, place)), move |under_way| {
        let running = service.running.clone();
        async move {
            let (pieces, place) = under_way?;
            match patiently(async || made(&running, by, &pieces, Packed::next).await).await {
                Ok(piece) => Some((Ok(web::Bytes::from(piece.bytes)), (!piece.last).then_some((pieces, place)))),
                Err(problem) => Some((Err(problem), None)),
            }
        }
    });
    Ok(reply.streaming(rest))
}

/// A part of what has begun already: where there is no room for it in the lane, it is tried again for a while.
pub async fn patiently<T>(mut part: impl AsyncFnMut() -> Result<T, Problem>) -> Result<T, Problem> {
    let mut tries = 0;
    loop {
        match part().await {
            Err(problem) if problem.code == ErrorCode::Busy && tries < TRIES => tries += 1,
            done => return done,
        }
        tokio::time::sleep(BETWEEN_TRIES).await;
    }
}

async fn made<P: Pieces, T: Send + 'static>(
    running: &Arc<Running>,
    by: Option<IpAddr>,
    pieces: &Shared<P>,
    make: fn(&mut Packed<P>, &Reading) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let pieces = pieces.clone();
    let work = move |reading: &Reading| make(&mut pieces.lock().unwrap_or_else(PoisonError::into_inner), reading);
    let by = by.map_or(Sender::Unknown, Sender::Address);
    off_thread(running, P::lane(&running.lanes), by, work).await
}

/// Does what reads much of the log on a thread of this lane.
pub async fn off_thread<T: Send + 'static>(
    running: &Arc<Running>,
    lane: &Lane,
    by: Sender,
    work: impl FnOnce(&Reading) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let shared = running.clone();
    lane.run(by, move || work(&shared)).await?
}

/// The same where it is told as JSON, which is written there, too. *Strangers had rounds of two hundred bets written on a
/// worker.*
pub async fn json_off_thread<T: Serialize>(
    running: &Arc<Running>,
    lane: &Lane,
    by: Sender,
    work: impl FnOnce(&Reading) -> Result<T, Problem> + Send + 'static,
) -> Result<HttpResponse, Problem> {
    let text = off_thread(running, lane, by, move |reading| json_text(&work(reading)?)).await?;
    Ok(of_json(StatusCode::OK, text))
}

impl From<Undone> for Problem {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Busy => busy("too many requests that read much of the log are under way"),
            Undone::Failed => Problem::internal("a job ended without an answer"),
        }
    }
}
