//! A round's bundle, sent piece by piece: however long it is, little of it is in memory at once.

use super::accepted::current;
use super::paced::room;
use super::pieces::{PIECE, Piece, Pieces, off_thread, send};
use super::problem::Problem;
use super::request::{Caller, address_of, round_id};
use crate::Service;
use crate::budget::Held;
use crate::history::{HistoryError, Sources, index, read};
use crate::index::Shown;
use crate::openings::open;
use crate::published::Published;
use crate::startup::Running;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_fairness::TableId;
use fairshoe_house::bundle::{Bundle, BundleError, MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, MAX_OPENINGS, Proven, RoundId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::vec::IntoIter;

/// `GET /v1/rounds/{id}/bundle`
pub async fn bundle(service: web::Data<Service>, http: HttpRequest, _: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let published = current(&service.running);
    let sources = sources(&service.running, &published, &table, round_no)?;
    let mut held = room(&service, &http);
    held.at_least(size_of::<u64>().saturating_mul(sources.count()))?;
    let plan = move |running: &Running| Plan::new(running, published, &table, sources, held);
    let running = &service.running;
    let plan = off_thread(running, &running.lanes.records, address_of(&http), plan).await?;
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, "application/json"));
    send(service.clone(), &http, reply, plan).await
}

/// Where a round is read whose bundle is refused.
const ELSEWHERE: &str = "the whole log shows the round: read it from /tile/entries";

fn too_large(error: BundleError) -> Problem {
    match error {
        BundleError::TooLong(_) | BundleError::TooMany { .. } => {
            let detail = format!("{error}; {ELSEWHERE}");
            Problem::new(StatusCode::CONFLICT, "bundle_too_large", detail)
        }
        other => Problem::internal(other),
    }
}

/// Where the bundle's entries stand, as the index knows it. More than a bundle may hold is refused here, and nothing is read.
fn sources(running: &Running, published: &Published, table: &TableId, round_no: u64) -> Result<Sources, Problem> {
    // What became durable after the checkpoint was taken is not under it.
    let newest = published.size().checked_sub(1).ok_or(HistoryError::NoSuchRound)?;
    let sources = Sources::of_round(running, table, round_no, newest)?;
    let count = sources.count();
    if count > MAX_BUNDLE_ENTRIES {
        return Err(too_large(BundleError::TooMany { what: "entries", count, most: MAX_BUNDLE_ENTRIES }));
    }
    if running.long_histories.has(table, &sources) {
        return Err(too_long());
    }
    Ok(sources)
}

/// The refusal of a bundle of which not all was read.
fn too_long() -> Problem {
    let detail = format!("a bundle is at most {MAX_BUNDLE_BYTES} bytes, and this one's entries are more; {ELSEWHERE}");
    Problem::new(StatusCode::CONFLICT, "bundle_too_large", detail)
}

/// Refuses entries that are too long together before any of them is parsed or proven.
fn weigh(running: &Running, table: &TableId, sources: &Sources) -> Result<(), Problem> {
    let mut bytes = 0usize;
    for at in sources.context.iter().chain(&sources.entries) {
        bytes = bytes.saturating_add(running.reader.entry(*at).map_err(HistoryError::from)?.len());
        if bytes > MAX_BUNDLE_BYTES {
            running.long_histories.add(table, sources);
            return Err(too_long());
        }
    }
    Ok(())
}

/// A bundle that is on its way out: everything before its openings, entry by entry, and then its openings.
struct Plan {
    published: Arc<Published>,
    context: IntoIter<u64>,
    entries: IntoIter<u64>,
    /// What stands between one list and the next.
    before_entries: Option<&'static str>,
    /// The text before the first entry, then that after the last.
    head: Option<String>,
    tail: Option<String>,
    is_first: bool,
    _held: Held,
}

impl Plan {
    /// Reads all of it once for its size and for the faces that it shows, and keeps none of it.
    fn new(running: &Running, published: Arc<Published>, table: &TableId, mut sources: Sources, mut held: Held) -> Result<Plan, Problem> {
        weigh(running, table, &sources)?;
        let mut bytes = 0usize;
        let mut shown: Vec<Shown> = Vec::new();
        let mut keys = BTreeSet::new();
        for (is_own, at) in sources.context.iter().map(|at| (false, *at)).chain(sources.entries.iter().map(|at| (true, *at))) {
            let placed = read(running, at)?;
            bytes = bytes.saturating_add(proven(running, &published, at, &placed.bytes)?.len() + 1);
            {
                let index = index(running);
                keys.extend(index.key_entry(&placed.entry.by, at));
                let faces = if is_own { index.shown(&placed.entry) } else { Vec::new() };
                shown.extend(faces.into_iter().filter(|face| !index.is_proven(table, face.shoe_no, published.size())));
            }
            if bytes > MAX_BUNDLE_BYTES {
                running.long_histories.add(table, &sources);
                return Err(too_long());
            }
            if shown.len() > MAX_OPENINGS {
                return Err(too_large(BundleError::TooMany { what: "openings", count: shown.len(), most: MAX_OPENINGS }));
            }
        }
        let before = sources.context.len();
        let mut context: Vec<u64> = keys.into_iter().chain(std::mem::take(&mut sources.context)).collect();
        context.sort_unstable();
        context.dedup();
        let count = context.len().saturating_add(sources.entries.len());
        if count > MAX_BUNDLE_ENTRIES {
            return Err(too_large(BundleError::TooMany { what: "entries", count, most: MAX_BUNDLE_ENTRIES }));
        }
        // Of the entries that set keys at most so much more: each is one of its player's, and short.
        bytes = bytes.saturating_add(context.len().saturating_sub(before).saturating_mul(MAX_KEY_ENTRY));
        let openings = open(running, table, &shown).into_iter().map(|(_, opening)| opening).collect();
        let id = RoundId { table: table.clone(), round_no: sources.round_no };
        let (vkey, checkpoint) = (running.verifier_key.to_string(), published.checkpoint.clone());
        // Everything but the entries, which are set in between its two lists.
        let frame =
            Bundle::build(id, vkey, checkpoint, Vec::new(), Vec::new(), openings).and_then(|frame| frame.to_json()).map_err(too_large)?;
        let length = bytes.saturating_add(frame.len());
        if length > MAX_BUNDLE_BYTES {
            return Err(too_large(BundleError::TooLong(length)));
        }
        held.at_least(frame.len().saturating_add(size_of::<u64>().saturating_mul(count)))?;
        let (head, rest) = frame.split_once(CONTEXT).ok_or_else(|| Problem::internal("a bundle without its lists"))?;
        let head = format!("{head}{}", CONTEXT.trim_end_matches(']'));
        let tail = rest.strip_prefix(ENTRIES).ok_or_else(|| Problem::internal("a bundle without its lists"))?;
        Ok(Plan {
            published,
            context: context.into_iter(),
            entries: sources.entries.into_iter(),
            before_entries: Some(BETWEEN),
            head: Some(head),
            tail: Some(format!("]{tail}")),
            is_first: true,
            _held: held,
        })
    }
}

/// A bound on what an entry that sets a key takes in a bundle, its proof included, in bytes.
const MAX_KEY_ENTRY: usize = 8 << 10;

/// The two lists as they stand in a bundle without entries, and the text between them.
const CONTEXT: &str = "\"context\":[]";
const ENTRIES: &str = ",\"entries\":[]";
const BETWEEN: &str = "],\"entries\":[";

fn proven(running: &Running, published: &Published, at: u64, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let path = published.path(at, &running.tiles).map_err(Problem::internal)?;
    let proven = Proven::new(at, bytes, &path).map_err(Problem::internal)?;
    serde_json::to_vec(&proven).map_err(Problem::internal)
}

impl Pieces for Plan {
    fn next(&mut self, running: &Running) -> Result<Piece, Problem> {
        let mut bytes = self.head.take().map(String::into_bytes).unwrap_or_default();
        while bytes.len() < PIECE {
            let next = self.context.next().or_else(|| {
                if let Some(between) = self.before_entries.take() {
                    bytes.extend_from_slice(between.as_bytes());
                    self.is_first = true;
                }
                self.entries.next()
            });
            let Some(at) = next else {
                bytes.extend(self.tail.take().map(String::into_bytes).unwrap_or_default());
                return Ok(Piece { bytes, last: true });
            };
            if !std::mem::take(&mut self.is_first) {
                bytes.push(b',');
            }
            let entry = running.reader.entry(at).map_err(Problem::internal)?;
            bytes.extend(proven(running, &self.published, at, &entry)?);
        }
        Ok(Piece { bytes, last: false })
    }
}
