//! A table's entries as they become durable: server-sent events.

use super::accepted::current;
use super::entries::openings_in;
use super::problem::Problem;
use super::request::{Caller, number, table_id};
use crate::Service;
use crate::history::{index, read};
use crate::own::{dealt_in, may_deal};
use crate::tokens::Role;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_fairness::TableId;
use fairshoe_house::Actor;
use futures_util::stream;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Silence after which a comment shows that the stream lives.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Entries sent at once, so that a slow reader holds little memory.
const AT_ONCE: usize = 64;

/// One of the streams and waiting requests that may be open at once; gives its place back when dropped.
pub struct Place {
    service: web::Data<Service>,
}

impl Place {
    /// A place, if there is one.
    pub fn take(service: &web::Data<Service>) -> Result<Self, Problem> {
        let open = service.streams.fetch_add(1, Ordering::Relaxed);
        let place = Place { service: service.clone() };
        service.running.metrics.streams.inc();
        if open >= service.max_streams {
            return Err(Problem::unavailable("unavailable", "too many event streams are open"));
        }
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.service.streams.fetch_sub(1, Ordering::Relaxed);
        self.service.running.metrics.streams.dec();
    }
}

struct Follow {
    place: Place,
    table: TableId,
    /// Whose token opened the stream: his own cards come with the entry that deals them.
    by: Option<Actor>,
    /// The table sequence number to send next.
    next: usize,
    /// Changes when there is something new.
    grown: watch::Receiver<()>,
    stopping: watch::Receiver<bool>,
    silent_until: Instant,
    over: bool,
}

impl Follow {
    /// The entries that are under a checkpoint and not sent yet, as frames.
    fn frames(&mut self) -> Result<String, Problem> {
        let running = &self.place.service.running;
        self.grown.mark_unchanged();
        let size = current(running).size();
        let indices: Vec<u64> = {
            let index = index(running);
            let table = index.tables.get(&self.table);
            let all = table.map(|table| table.entries.as_slice()).unwrap_or_default();
            let fresh: Vec<u64> = all.iter().skip(self.next).take(AT_ONCE).copied().take_while(|index| *index < size).collect();
            self.over = table.is_none_or(|table| table.closed) && self.next + fresh.len() >= all.len();
            fresh
        };
        let mut text = String::new();
        for index in indices {
            let bytes = running.reader.entry(index).map_err(Problem::internal)?;
            let entry = String::from_utf8(bytes).map_err(Problem::internal)?;
            text.push_str(&format!("id: {index}\nevent: entry\ndata: {entry}\n\n"));
            let openings = openings_in(running, &entry)?;
            if !openings.is_empty() {
                let openings = serde_json::to_string(&openings).map_err(Problem::internal)?;
                text.push_str(&format!("id: {index}\nevent: openings\ndata: {openings}\n\n"));
            }
            if let Some(own) = self.own_cards(index, &entry)? {
                text.push_str(&format!("id: {index}\nevent: own\ndata: {own}\n\n"));
            }
            self.next += 1;
        }
        Ok(text)
    }

    /// The cards that an entry dealt to the stream's own player, as JSON.
    fn own_cards(&self, index: u64, entry: &str) -> Result<Option<String>, Problem> {
        let Some(by) = self.by.as_ref().filter(|_| may_deal(entry)) else { return Ok(None) };
        let running = &self.place.service.running;
        let own = dealt_in(running, &read(running, index)?, by)?;
        own.map(|own| serde_json::to_string(&own)).transpose().map_err(Problem::internal)
    }

    async fn next_frames(mut self) -> Option<(Result<web::Bytes, Problem>, Self)> {
        loop {
            if self.over || *self.stopping.borrow() {
                return None;
            }
            match self.frames() {
                Ok(text) if !text.is_empty() => {
                    self.silent_until = Instant::now() + HEARTBEAT;
                    return Some((Ok(web::Bytes::from(text)), self));
                }
                Err(problem) => {
                    self.over = true;
                    return Some((Err(problem), self));
                }
                Ok(_) if self.over => return None,
                Ok(_) => {}
            }
            tokio::select! {
                grown = self.grown.changed() => if grown.is_err() { return None },
                _ = self.stopping.changed() => {}
                () = tokio::time::sleep_until(self.silent_until) => {
                    self.silent_until = Instant::now() + HEARTBEAT;
                    return Some((Ok(web::Bytes::from_static(b": still here\n\n")), self));
                }
            }
        }
    }
}

/// `GET /v1/tables/{table}/events`
pub async fn table_events(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let last = match http.headers().get("last-event-id") {
        Some(id) => Some(number(id.to_str().unwrap_or_default(), "Last-Event-ID")?),
        None => None,
    };
    let next = {
        let index = index(&service.running);
        let known =
            index.tables.get(&table).ok_or_else(|| Problem::not_found("unknown_table", format!("there never was a table `{table}`")))?;
        // Without a place to go on from, the stream begins with what comes next.
        last.map_or(known.entries.len(), |last| known.entries.partition_point(|index| *index <= last))
    };
    let by = caller.role.as_ref().and_then(Role::actor);
    let place = Place::take(&service)?;
    let (grown, stopping) = (service.running.followers.of(&table), service.stopping.clone());
    let follow = Follow { place, table, by, next, grown, stopping, silent_until: Instant::now() + HEARTBEAT, over: false };
    let opened = stream::once(async { Ok(web::Bytes::from_static(b": fairshoe\n\n")) });
    let frames = futures_util::StreamExt::chain(opened, stream::unfold(follow, Follow::next_frames));
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/event-stream")).insert_header((CACHE_CONTROL, "no-cache")).streaming(frames))
}
