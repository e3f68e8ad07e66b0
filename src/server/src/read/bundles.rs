//! The bundle of a round, or of a table's latest shoe, sent piece by piece: however long it is, little of it is in
//! memory at once.

use crate::Service;
use crate::edge::budget::Held;
use crate::edge::paced::room;
use crate::edge::pieces::{PIECE, Piece, Pieces, off_thread, patiently, send};
use crate::edge::problem::Problem;
use crate::edge::request::{Caller, address_of, round_id, table_id};
use crate::read::Reading;
use crate::read::history::{HistoryError, Sources, index, read};
use crate::read::index::Shown;
use crate::read::openings::open;
use crate::write::published::Published;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::ErrorCode;
use fairshoe_fairness::TableId;
use fairshoe_judge::bundle::{
    Bundle, BundleError, MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, MAX_OPENINGS, Proven, RoundId,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::IntoIter;

/// `GET /v1/rounds/{id}/bundle`
pub async fn bundle(
    service: web::Data<Service>,
    http: HttpRequest,
    _: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let published = service.running.current();
    let sources =
        sources(&published, |newest, most| Sources::of_round(&service.running, &table, round_no, newest, most))?;
    send_bundle(service, http, published, table, sources).await
}

/// `GET /v1/tables/{table}/bundle`
pub async fn of_table(
    service: web::Data<Service>,
    http: HttpRequest,
    _: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let published = service.running.current();
    let known = index(&service.running)
        .table(&table)?
        .ok_or_else(|| Problem::not_found(ErrorCode::UnknownTable, format!("there never was a table `{table}`")))?;
    let found = sources(&published, |newest, most| Sources::of_table(&service.running, &known, newest, most))?;
    let sources = found.ok_or_else(|| Problem::from(fairshoe_house::Refusal::NoShoe))?;
    send_bundle(service, http, published, table, sources).await
}

async fn send_bundle(
    service: web::Data<Service>,
    http: HttpRequest,
    published: Arc<Published>,
    table: TableId,
    sources: Sources,
) -> Result<HttpResponse, Problem> {
    require_short(&service.running, &table, &sources)?;
    let mut held = room(&service, &http);
    held.at_least(size_of::<u64>().saturating_mul(sources.count()))?;
    let survey = Survey {
        published,
        table,
        sources,
        held,
        weighed: 0,
        read: 0,
        weight: 0,
        bytes: 0,
        shown: Vec::new(),
        keys: BTreeSet::new(),
    };
    let survey = Arc::new(Mutex::new(Some(survey)));
    let (reading, by) = (&service.running, address_of(&http));
    let part = async || {
        let survey = survey.clone();
        // What is refused here is refused for good: only where the lane has no room it is tried again.
        let slice = move |reading: &Reading| {
            Ok(Survey::slice(&mut survey.lock().unwrap_or_else(PoisonError::into_inner), reading))
        };
        off_thread(reading, &reading.lanes.records, by.clone(), slice).await
    };
    let mut plan = part().await??;
    let plan = loop {
        match plan {
            Some(plan) => break plan,
            None => plan = patiently(part).await??,
        }
    };
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
            Problem::new(StatusCode::CONFLICT, ErrorCode::BundleTooLarge, detail)
        }
        other => Problem::internal(other),
    }
}

fn too_many(count: usize) -> Problem {
    too_large(BundleError::TooMany { what: "entries", count, most: MAX_BUNDLE_ENTRIES })
}

/// Where a bundle's entries stand, as the index knows it: those up to the newest of the checkpoint, and so many at most.
/// More than a bundle may hold is refused here, and nothing is read.
fn sources<T>(published: &Published, find: impl FnOnce(u64, u64) -> Result<T, HistoryError>) -> Result<T, Problem> {
    // What became durable after the checkpoint was taken is not under it.
    let newest = published.size().checked_sub(1).ok_or(HistoryError::NoSuchRound)?;
    find(newest, MAX_BUNDLE_ENTRIES as u64).map_err(|error| match error {
        HistoryError::TooLong(count) => too_many(usize::try_from(count).unwrap_or(usize::MAX)),
        other => other.into(),
    })
}

/// Refuses what is known to be more than a bundle may hold.
fn require_short(reading: &Reading, table: &TableId, sources: &Sources) -> Result<(), Problem> {
    let count = sources.count();
    if count > MAX_BUNDLE_ENTRIES {
        return Err(too_many(count));
    }
    if reading.long_histories.has(table, sources) {
        return Err(too_long());
    }
    Ok(())
}

/// The refusal of a bundle of which not all was read.
fn too_long() -> Problem {
    let detail = format!("a bundle is at most {MAX_BUNDLE_BYTES} bytes, and this one's entries are more; {ELSEWHERE}");
    Problem::new(StatusCode::CONFLICT, ErrorCode::BundleTooLarge, detail)
}

/// What is found out of a bundle before its reply begins: its size, and the faces that it shows. All of it is read once
/// for that, slice by slice, so that others have their turns in between, and none of it is kept.
struct Survey {
    published: Arc<Published>,
    table: TableId,
    sources: Sources,
    held: Held,
    /// How many entries were weighed, then how many of them were read.
    weighed: usize,
    read: usize,
    /// How long the entries are together, then what they take in the bundle, their proofs included.
    weight: usize,
    bytes: usize,
    shown: Vec<Shown>,
    keys: BTreeSet<u64>,
}

/// After so many bytes of entries others have their turn; an entry counts for [`SLICE_ENTRY`] more.
const SLICE: usize = 512 << 10;
const SLICE_ENTRY: usize = 4 << 10;

impl Survey {
    /// Where the nth entry stands in the log, and whether it is one of the round's table.
    fn place(&self, nth: usize) -> Option<(bool, u64)> {
        let (context, entries) = (&self.sources.context, &self.sources.entries);
        match context.get(nth) {
            Some(at) => Some((false, *at)),
            None => entries.get(nth.checked_sub(context.len())?).map(|at| (true, *at)),
        }
    }

    /// Looks at the next slice; when all of it was looked at, what is to be sent. Entries that are too long together
    /// are refused before any of them is parsed or proven.
    fn slice(under_way: &mut Option<Survey>, reading: &Reading) -> Result<Option<Plan>, Problem> {
        let survey = under_way.as_mut().ok_or_else(|| Problem::internal("a bundle was planned before"))?;
        let mut slice = 0usize;
        while slice < SLICE {
            let length = match (survey.place(survey.weighed), survey.place(survey.read)) {
                (Some((_, at)), _) => survey.weigh(reading, at)?,
                (None, Some((is_own, at))) => survey.read(reading, is_own, at)?,
                (None, None) => return under_way.take().map(|survey| Plan::new(reading, survey)).transpose(),
            };
            slice = slice.saturating_add(length).saturating_add(SLICE_ENTRY);
        }
        Ok(None)
    }

    fn weigh(&mut self, reading: &Reading, at: u64) -> Result<usize, Problem> {
        let length = reading.reader.entry(at).map_err(HistoryError::from)?.len();
        self.weighed += 1;
        self.weight = self.weight.saturating_add(length);
        self.require_short(reading, self.weight)?;
        // To weigh is a small part of what reading costs.
        Ok(length / 16)
    }

    fn read(&mut self, reading: &Reading, is_own: bool, at: u64) -> Result<usize, Problem> {
        let placed = read(reading, at)?;
        let length = proven(reading, &self.published, at, &placed.bytes)?.len() + 1;
        self.read += 1;
        self.bytes = self.bytes.saturating_add(length);
        let index = index(reading);
        self.keys.extend(index.key_entry(&placed.entry.by, at)?);
        let faces = if is_own { index.shown(&placed.entry)? } else { Vec::new() };
        for face in faces {
            if !index.is_proven(&self.table, face.shoe_no, self.published.size())? {
                self.shown.push(face);
            }
        }
        self.require_short(reading, self.bytes)?;
        if self.shown.len() > MAX_OPENINGS {
            return Err(too_large(BundleError::TooMany {
                what: "openings",
                count: self.shown.len(),
                most: MAX_OPENINGS,
            }));
        }
        Ok(length)
    }

    fn require_short(&self, reading: &Reading, bytes: usize) -> Result<(), Problem> {
        if bytes > MAX_BUNDLE_BYTES {
            reading.long_histories.add(&self.table, &self.sources);
            return Err(too_long());
        }
        Ok(())
    }
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
    fn new(reading: &Reading, survey: Survey) -> Result<Plan, Problem> {
        let Survey { published, table, mut sources, mut held, mut bytes, shown, keys, .. } = survey;
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
        let openings = open(reading, &table, &shown)?.into_iter().map(|(_, opening)| opening).collect();
        let id = RoundId { table: table.clone(), round_no: sources.round_no };
        let (vkey, checkpoint) = (reading.verifier_key.to_string(), published.checkpoint.clone());
        // Everything but the entries, which are set in between its two lists.
        let frame = Bundle::build(id, vkey, checkpoint, Vec::new(), Vec::new(), openings)
            .and_then(|frame| frame.to_json())
            .map_err(too_large)?;
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

fn proven(reading: &Reading, published: &Published, at: u64, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let path = published.path(at, &reading.tiles).map_err(Problem::internal)?;
    let proven = Proven::new(at, bytes, &path).map_err(Problem::internal)?;
    serde_json::to_vec(&proven).map_err(Problem::internal)
}

impl Pieces for Plan {
    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
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
            let entry = reading.reader.entry(at).map_err(Problem::internal)?;
            bytes.extend(proven(reading, &self.published, at, &entry)?);
        }
        Ok(Piece { bytes, last: false })
    }
}
