//! A table's entries in order, for those who follow it without a stream: each with the openings of the faces it shows.

use crate::Service;
use crate::edge::budget::{FREE_REPLY, Held};
use crate::edge::connections::Connected;
use crate::edge::line::Doing;
use crate::edge::paced::room;
use crate::edge::pieces::off_thread;
use crate::edge::problem::Problem;
use crate::edge::request::{Caller, address_of, table_id};
use crate::read::Reading;
use crate::read::history::index;
use crate::read::openings::{may_show, openings_of};
use crate::read::stream::StreamSlot;
use crate::write::accepted::{json_text, of_json};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{ErrorCode, ShownOpening, TableEntries, TableEntry};
use fairshoe_fairness::TableId;
use fairshoe_house::Entry;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// The longest that a reply waits for something new, in milliseconds.
const MOST_WAIT_MS: u64 = 20_000;

/// The most entries in a reply.
const MOST: usize = 256;

/// What is given where no limit is asked for.
const USUAL: usize = 64;

/// A reply holds no further entry once its entries are so long together, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// A reader behind the table's newest entry by no more than so many follows it live; others catch up off the HTTP
/// threads.
const LIVE: u64 = 16;

/// The same where they want the proof of each entry, which takes longer.
const LIVE_PROVED: u64 = 4;

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    #[serde(default)]
    from_seq: u64,
    limit: Option<usize>,
    #[serde(default)]
    wait_ms: u64,
    #[serde(default)]
    proofs: bool,
}

/// The openings of the faces that an entry shows; nothing is read where none can be.
pub fn openings_in(reading: &Reading, text: &str) -> Result<Vec<ShownOpening>, Problem> {
    if !may_show(text) {
        return Ok(Vec::new());
    }
    let entry = Entry::decode(text.as_bytes()).map_err(Problem::internal)?;
    Ok(openings_of(reading, &entry, None)?)
}

/// The entries from a place of the table's sequence on, under the newest checkpoint; room is held for them. *Hundreds of
/// requests whose entries were read waited for their sender's turn, and held a MiB each.*
fn read(
    reading: &Reading,
    table: &TableId,
    asked: Asked,
    limit: usize,
    held: &mut Held,
) -> Result<TableEntries, Problem> {
    let published = reading.current();
    let known = index(reading).table(table)?.ok_or_else(|| never_was(table))?;
    let durable = known.entries_below(published.size())?;
    let first = asked.from_seq.min(durable);
    let last = first.saturating_add(limit as u64).min(durable);
    let indices = known.indices(first..last)?;
    let closed = known.is_closed() && last == known.entries();
    let mut entries = Vec::with_capacity(indices.len());
    let mut bytes = 0usize;
    let count = indices.len();
    // In this order: at the end of the numbers there is no entry, and so no number to count on to.
    for (index, seq) in indices.into_iter().zip(asked.from_seq..) {
        let entry =
            String::from_utf8(reading.reader.entry(index).map_err(Problem::internal)?).map_err(Problem::internal)?;
        bytes = bytes.saturating_add(entry.len());
        if bytes > MOST_BYTES && !entries.is_empty() {
            break;
        }
        if bytes > FREE_REPLY {
            held.at_least(bytes)?;
        }
        let path =
            asked.proofs.then(|| published.path(index, &reading.tiles)).transpose().map_err(Problem::internal)?;
        let proof = path.map(|path| path.iter().map(ToString::to_string).collect());
        let openings = openings_in(reading, &entry)?;
        entries.push(TableEntry { index, seq, entry, openings, proof });
    }
    let next_seq = entries.last().map_or(asked.from_seq, |last: &TableEntry| last.seq.saturating_add(1));
    let closed = closed && entries.len() == count;
    Ok(TableEntries {
        table: table.clone(),
        entries,
        next_seq,
        closed,
        size: published.size(),
        checkpoint: published.checkpoint.clone(),
    })
}

fn never_was(table: &TableId) -> Problem {
    Problem::not_found(ErrorCode::UnknownTable, format!("there never was a table `{table}`"))
}

/// `GET /v1/tables/{table}/entries`
pub async fn table_entries(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let (table, asked) = (table_id(&path)?, asked.into_inner());
    let limit = asked.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::malformed(format!("limit is from 1 to {MOST}")));
    }
    if asked.wait_ms > MOST_WAIT_MS {
        return Err(Problem::malformed(format!("wait_ms is at most {MOST_WAIT_MS}")));
    }
    if index(&service.running).table(&table)?.is_none() {
        return Err(never_was(&table));
    }
    // Followed before it is read, so that nothing comes unseen in between.
    let mut grown = service.running.followers.of(&table);
    let mut stopping = service.stopping.clone();
    let until = Instant::now() + Duration::from_millis(asked.wait_ms);
    let mut slot: Option<StreamSlot> = None;
    loop {
        // A follower of play reads a few of the newest at a time.
        let reading = &service.running;
        let known = index(reading).table(&table)?;
        // *Of a closed table each shoe is derived anew.*
        let lives = known.as_ref().is_some_and(|table| !table.is_closed());
        let ahead = known.map_or(0, |table| table.entries()).saturating_sub(asked.from_seq);
        let told =
            |found: TableEntries| json_text(&found).map(|text| (found.entries.is_empty() && !found.closed, text));
        let ((is_idle, text), _held) = if lives && ahead <= if asked.proofs { LIVE_PROVED } else { LIVE } {
            (told(read(reading, &table, asked, limit, &mut room(&service, &http))?)?, None)
        } else {
            let (table, mut held) = (table.clone(), room(&service, &http));
            off_thread(reading, &reading.lanes.records, address_of(&http), move |reading| {
                Ok((told(read(reading, &table, asked, limit, &mut held)?)?, Some(held)))
            })
            .await?
        };
        if !is_idle || *stopping.borrow() || Instant::now() >= until {
            return Ok(of_json(StatusCode::OK, text));
        }
        // Where too many wait already this one does not: whoever holds connections open must not use them all up.
        if slot.is_none() {
            slot = StreamSlot::take(&service, &http, &caller).ok();
        }
        let Some(slot) = slot.as_mut().filter(|slot| !slot.place.is_taken()) else {
            return Ok(of_json(StatusCode::OK, text));
        };
        // Its connection may go for another's sake, as a stream's may.
        let line = http.conn_data::<Connected>().map(Connected::line);
        line.iter().for_each(|line| line.does(Doing::Waiting));
        tokio::select! {
            _ = grown.changed() => {}
            _ = stopping.changed() => {}
            () = slot.place.taken() => {}
            () = tokio::time::sleep_until(until) => {}
        }
    }
}
