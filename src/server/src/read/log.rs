//! The public log: checkpoint, tiles, entries, receipts.

use crate::Service;
use crate::edge::cached::{FOR_EVER, has};
use crate::edge::pieces::{PIECE, Piece, Pieces, send};
use crate::edge::problem::Problem;
use crate::edge::request::{Caller, number};
use crate::read::Reading;
use crate::read::lanes::{Lane, Lanes};
use crate::write::accepted::json;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETag, EntityTag};
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{ErrorCode, LogEnded, LogInfo};
use fairshoe_house::{NextLog, State};
use fairshoe_judge::audit::EndedFor;
use fairshoe_store::read_state;
use fairshoe_tlog::{EntryBundle, TilePath};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::ops::{ControlFlow, Range};

const FOR_SECONDS: &str = "public, max-age=1";

/// A signed note, unless it is the one that the client has.
fn note(http: &HttpRequest, text: String) -> HttpResponse {
    // Of the whole text: cosignatures are added to a checkpoint whose root stays.
    let tag = EntityTag::new_strong(hex::encode(Sha256::digest(text.as_bytes())));
    let known = has(http, &tag);
    let mut reply = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    reply.insert_header((CACHE_CONTROL, FOR_SECONDS)).insert_header(ETag(tag));
    if known {
        return reply.finish();
    }
    reply.insert_header((CONTENT_TYPE, "text/plain; charset=utf-8")).body(text)
}

/// The newest checkpoint, with the cosignatures that there are of exactly it, and the log's own time where it can be said;
/// and how many entries are under it.
fn newest_note(service: &Service) -> (String, u64) {
    let (published, own_time) = service.running.write.own_time.newest();
    let witnessed = service.running.witnesses.as_ref().map(|witnesses| witnesses.note_of(&published));
    (witnessed.unwrap_or_else(|| published.checkpoint.clone()) + &own_time.unwrap_or_default(), published.size())
}

/// `GET /checkpoint`
pub async fn checkpoint(service: web::Data<Service>, _: Caller, http: HttpRequest) -> HttpResponse {
    service.running.write.own_time.be_ready().await;
    note(&http, newest_note(&service).0)
}

/// The newest checkpoint that met the witnesses' quorum, and its size.
fn witnessed_note(service: &Service) -> Result<(u64, String), Problem> {
    let not_yet = || match service.running.witnesses {
        Some(_) => "no quorum of the witnesses has cosigned a checkpoint yet",
        None => "this log has no witnesses",
    };
    let witnessed = service.running.witnesses.as_ref().and_then(|witnesses| witnesses.witnessed());
    let witnessed = witnessed.ok_or_else(|| Problem::not_found(ErrorCode::NotWitnessed, not_yet()))?;
    Ok((witnessed.size, witnessed.note.clone()))
}

/// `GET /checkpoint/witnessed`
pub async fn witnessed(service: web::Data<Service>, _: Caller, http: HttpRequest) -> Result<HttpResponse, Problem> {
    Ok(note(&http, witnessed_note(&service)?.1))
}

fn bytes_for_ever(bytes: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/octet-stream"))
        .insert_header((CACHE_CONTROL, FOR_EVER))
        .body(bytes)
}

/// `GET /tile/…`: partial tiles and bundles of every width there ever was are cut from what is there; none is stored.
pub async fn tile(service: web::Data<Service>, _: Caller, http: HttpRequest) -> Result<HttpResponse, Problem> {
    let not_found = |detail: &str| Problem::not_found(ErrorCode::NotFound, detail);
    let path: TilePath = http
        .path()
        .trim_start_matches('/')
        .parse()
        .map_err(|_| not_found("not the path of a tile (c2sp.org/tlog-tiles)"))?;
    match path {
        TilePath::Checkpoint => Err(not_found("the checkpoint is at /checkpoint")),
        TilePath::Tile { level, index, .. } => {
            let bytes = service.running.current().tree.partial_tile(
                level,
                index,
                path.width(),
                &service.running.tiles.as_ref(),
            );
            bytes.map(bytes_for_ever).map_err(|_| not_found("the log has no such tile yet"))
        }
        TilePath::Entries { index, .. } => bundle(service, index, path.width(), &http).await,
    }
}

async fn bundle(
    service: web::Data<Service>,
    index: u64,
    width: u16,
    http: &HttpRequest,
) -> Result<HttpResponse, Problem> {
    let range = index
        .checked_mul(256)
        .and_then(|first| Some(first..first.checked_add(u64::from(width))?))
        .filter(|range| range.end <= service.running.current().size());
    let range = range.ok_or_else(|| Problem::not_found(ErrorCode::NotFound, "the log has no such entries yet"))?;
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, "application/octet-stream")).insert_header((CACHE_CONTROL, FOR_EVER));
    send(service, http, reply, Entries { range }).await
}

/// Entries of the log on their way out: each with its length before it (c2sp.org/tlog-tiles).
struct Entries {
    range: Range<u64>,
}

impl Pieces for Entries {
    fn lane(lanes: &Lanes) -> &Lane {
        &lanes.log
    }

    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let mut some = Vec::new();
        let mut length = 0usize;
        let read = reading.reader.read(self.range.clone(), &mut |_, entry| {
            length = length.saturating_add(entry.len());
            some.push(entry.to_vec());
            if length < PIECE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        read.map_err(Problem::internal)?;
        self.range.start = self.range.start.saturating_add(some.len() as u64).min(self.range.end);
        let last = self.range.is_empty();
        let bytes = EntryBundle::new(some.iter().map(Vec::as_slice).collect()).map_err(Problem::internal)?.encode();
        Ok(Piece { bytes, last })
    }
}

/// `GET /state/{size}`: the lines of a state that the log may name, while they are kept.
pub async fn state(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
    http: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let size = path.parse::<u64>().ok().filter(|size| size.to_string() == *path).ok_or_else(no_such_state)?;
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, "text/plain; charset=utf-8")).insert_header((CACHE_CONTROL, FOR_EVER));
    send(service, &http, reply, StateLines { size, lines: None }).await
}

fn no_such_state() -> Problem {
    Problem::not_found(ErrorCode::NotFound, "the state of no such size is kept here")
}

/// A published state on its way out.
struct StateLines {
    size: u64,
    /// Opened in the lane. *Each holds a window of what is unpacked: hundreds of strangers who wait for their turn.*
    lines: Option<Box<dyn Read + Send>>,
}

impl Pieces for StateLines {
    fn lane(lanes: &Lanes) -> &Lane {
        &lanes.log
    }

    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            None => {
                let found = read_state(reading.files.clone(), self.size).map_err(Problem::internal)?;
                self.lines.insert(Box::new(found.ok_or_else(no_such_state)?))
            }
        };
        let mut bytes = Vec::new();
        lines.by_ref().take(PIECE as u64).read_to_end(&mut bytes).map_err(Problem::internal)?;
        let last = bytes.len() < PIECE;
        Ok(Piece { bytes, last })
    }
}

/// `GET /v1/log`
pub async fn describe(service: web::Data<Service>, _: Caller) -> Result<HttpResponse, Problem> {
    let asked = |state: &State| (state.origin().cloned(), state.epoch().cloned(), state.ended().cloned());
    let (origin, epoch, ended) = service.ask(asked).await?;
    let not_started = || Problem::internal("the dealer has not started");
    service.running.write.own_time.be_ready().await;
    let (checkpoint, size) = newest_note(&service);
    let view = LogInfo {
        checkpoint,
        currency: service.currency.clone(),
        ended: ended.as_ref().map(goes_on),
        epoch: epoch.ok_or_else(not_started)?,
        guests: service.admits_guests && ended.is_none(),
        origin: origin.ok_or_else(not_started)?,
        size,
        started_at: service.running.started_at,
        vkey: service.running.verifier_key.to_string(),
    };
    json(StatusCode::OK, &view)
}

/// The log that goes on from this one, which has ended, as the auditor reports it.
fn goes_on(next: &NextLog) -> LogEnded {
    LogEnded { origin: next.origin.clone(), vkey: EndedFor::from(next).vkey }
}

fn durable_index(service: &Service, text: &str) -> Result<u64, Problem> {
    let index = number(text, "the index")?;
    let size = service.running.current().size();
    if index < size {
        Ok(index)
    } else {
        Err(Problem::not_found(ErrorCode::UnknownEntry, format!("the log has {size} entries, numbered from 0")))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedReceipt {
    #[serde(default)]
    witnessed: bool,
}

/// `GET /v1/receipts/{index}`
pub async fn receipt(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
    asked: web::Query<AskedReceipt>,
) -> Result<HttpResponse, Problem> {
    let index = durable_index(&service, &path)?;
    let published = service.running.current();
    let (size, note) = match asked.witnessed {
        true => witnessed_note(&service)?,
        false => (published.size(), published.checkpoint.clone()),
    };
    if index >= size {
        let detail = format!(
            "the newest checkpoint that met the witnesses' quorum has {size} entries; ask again in a second or two"
        );
        return Err(Problem::not_found(ErrorCode::NotWitnessed, detail));
    }
    let proof = published.receipt_under(index, size, note, &service.running.tiles).map_err(Problem::internal)?;
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain; charset=utf-8")).body(proof))
}

/// `GET /v1/entries/{index}`
pub async fn entry(service: web::Data<Service>, _: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let index = durable_index(&service, &path)?;
    let bytes = service.running.reader.entry(index).map_err(Problem::internal)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CACHE_CONTROL, FOR_EVER))
        .body(bytes))
}
