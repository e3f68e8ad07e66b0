//! The public log: checkpoint, tiles, entries, receipts.

use super::accepted::{current, json};
use super::problem::Problem;
use super::request::{Caller, number};
use crate::Service;
use crate::published::Published;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_tlog::{EntryBundle, TilePath};
use serde::Deserialize;
use serde_json::json;
use std::num::NonZeroU8;
use std::ops::ControlFlow;

const FOR_EVER: &str = "public, max-age=31536000, immutable";
const FOR_SECONDS: &str = "public, max-age=1";

fn note(text: String) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain; charset=utf-8")).insert_header((CACHE_CONTROL, FOR_SECONDS)).body(text)
}

/// The newest checkpoint, with the cosignatures that there are of exactly it.
fn newest_note(service: &Service, published: &Published) -> String {
    service.running.witnesses.as_ref().map_or_else(|| published.checkpoint.clone(), |witnesses| witnesses.note_of(published))
}

/// `GET /checkpoint`
pub async fn checkpoint(service: web::Data<Service>, _: Caller) -> HttpResponse {
    note(newest_note(&service, &current(&service.running)))
}

/// The newest checkpoint that met the witnesses' quorum, and its size.
fn witnessed_note(service: &Service) -> Result<(u64, String), Problem> {
    let not_yet = || match service.running.witnesses {
        Some(_) => "no quorum of the witnesses has cosigned a checkpoint yet",
        None => "this log has no witnesses",
    };
    let witnessed = service.running.witnesses.as_ref().and_then(|witnesses| witnesses.witnessed());
    let witnessed = witnessed.ok_or_else(|| Problem::not_found("not_witnessed", not_yet()))?;
    Ok((witnessed.size, witnessed.note.clone()))
}

/// `GET /checkpoint/witnessed`
pub async fn witnessed(service: web::Data<Service>, _: Caller) -> Result<HttpResponse, Problem> {
    Ok(note(witnessed_note(&service)?.1))
}

fn bytes_for_ever(bytes: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/octet-stream")).insert_header((CACHE_CONTROL, FOR_EVER)).body(bytes)
}

/// `GET /tile/…`
pub async fn tile(service: web::Data<Service>, _: Caller, http: HttpRequest) -> Result<HttpResponse, Problem> {
    let not_found = |detail: &str| Problem::not_found("not_found", detail);
    let path: TilePath =
        http.path().trim_start_matches('/').parse().map_err(|_| not_found("not the path of a tile (c2sp.org/tlog-tiles)"))?;
    let published = current(&service.running);
    match path {
        TilePath::Checkpoint => Err(not_found("the checkpoint is at /checkpoint")),
        TilePath::Tile { level, index, .. } => {
            let bytes = published.tree.partial_tile(level, index, path.width(), &service.running.tiles.as_ref());
            bytes.map(bytes_for_ever).map_err(|_| not_found("the log has no such tile yet"))
        }
        TilePath::Entries { index, partial } => {
            let width = partial.map_or(256, |w: NonZeroU8| u64::from(w.get()));
            let range = index
                .checked_mul(256)
                .and_then(|first| Some(first..first.checked_add(width)?))
                .filter(|range| range.end <= published.size());
            let range = range.ok_or_else(|| not_found("the log has no such entries yet"))?;
            let mut entries = Vec::new();
            let read = service.running.reader.read(range, |_, entry| {
                entries.push(entry.to_vec());
                ControlFlow::Continue(())
            });
            read.map_err(Problem::internal)?;
            let bundle = EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).map_err(Problem::internal)?;
            Ok(bytes_for_ever(bundle.encode()))
        }
    }
}

/// `GET /v1/log`
pub async fn describe(service: web::Data<Service>, _: Caller) -> Result<HttpResponse, Problem> {
    let (origin, epoch) = service.ask(|state| (state.origin().cloned(), state.epoch().cloned())).await?;
    let published = current(&service.running);
    let view = json!({
        "origin": origin,
        "vkey": service.running.verifier_key.to_string(),
        "checkpoint": newest_note(&service, &published),
        "size": published.size(),
        "epoch": epoch,
        "started_at": service.running.started_at,
    });
    json(StatusCode::OK, &view)
}

fn durable_index(service: &Service, text: &str) -> Result<u64, Problem> {
    let index = number(text, "the index")?;
    let size = current(&service.running).size();
    if index < size { Ok(index) } else { Err(Problem::not_found("unknown_entry", format!("the log has {size} entries, numbered from 0"))) }
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
    let published = current(&service.running);
    let (size, note) = match asked.witnessed {
        true => witnessed_note(&service)?,
        false => (published.size(), published.checkpoint.clone()),
    };
    if index >= size {
        let detail = format!("the newest checkpoint that met the witnesses' quorum has {size} entries; ask again in a second or two");
        return Err(Problem::not_found("not_witnessed", detail));
    }
    let proof = published.receipt_under(index, size, note, &service.running.tiles).map_err(Problem::internal)?;
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain; charset=utf-8")).body(proof))
}

/// `GET /v1/entries/{index}`
pub async fn entry(service: web::Data<Service>, _: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let index = durable_index(&service, &path)?;
    let bytes = service.running.reader.entry(index).map_err(Problem::internal)?;
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).insert_header((CACHE_CONTROL, FOR_EVER)).body(bytes))
}
