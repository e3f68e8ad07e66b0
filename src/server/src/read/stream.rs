//! A table's entries as they become durable: server-sent events.

use crate::Service;
use crate::edge::connections::Connected;
use crate::edge::pieces::off_thread;
use crate::edge::problem::Problem;
use crate::edge::request::{Caller, address_of, table_id};
use crate::edge::stream_id::{EventId, Part};
use crate::edge::streams::{AT_ONCE_OF_HOLDER, Place, apart};
use crate::ops::keys::TokenHash;
use crate::ops::startup::Running;
use crate::ops::tokens::Role;
use crate::read::Reading;
use crate::read::entries::openings_in;
use crate::read::frames::KEPT;
use crate::read::history::{index, read};
use crate::read::lanes::Sender;
use crate::read::own::{dealt_in, may_deal};
use crate::write::pipeline::now_ms;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::ErrorCode;
use fairshoe_fairness::TableId;
use fairshoe_house::{Actor, is_guest};
use futures_util::stream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Has a proxy (nginx) hand on at once what is to be read at once.
pub const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// Silence after which a comment shows that the stream lives.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Entries sent at once, so that a slow reader holds little memory, and about as many bytes. *Hundreds of streams that go
/// on from far back at a table with long entries, and are not read, held half a MiB each.*
const AT_ONCE: usize = 64;
const BYTES_AT_ONCE: usize = 64 << 10;

/// So many are read where the stream is served; more are a catching-up.
const FEW: usize = 4;

/// How long a stream waits that finds no room to have its entries read.
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// One of the streams and waiting requests that may be open at once; gives its place back when dropped.
pub struct StreamSlot {
    service: web::Data<Service>,
    pub place: Place,
}

impl StreamSlot {
    /// A slot, if there is one. Guests are as many as they like to be, so that theirs are their address's.
    pub fn take(service: &web::Data<Service>, http: &HttpRequest, caller: &Caller) -> Result<Self, Problem> {
        let by = match &caller.role {
            Some(Role::Player(player)) if is_guest(player) => address_of(http),
            _ => caller.sender.clone(),
        };
        let none = || Problem::unavailable(ErrorCode::Unavailable, "too many event streams are open");
        let place = service.streams.take(by).ok_or_else(none)?;
        service.running.metrics.streams.inc();
        Ok(StreamSlot { service: service.clone(), place })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.service.running.metrics.streams.dec();
    }
}

struct Follow {
    slot: StreamSlot,
    table: TableId,
    /// The token that opened the stream, and what it allows: the stream ends with it.
    token: Option<(TokenHash, Role)>,
    /// A number of its own, by which those who watch a table take turns.
    turn: u64,
    /// The sender whose turn it takes to read.
    sender: Sender,
    /// The table sequence number to send next.
    next: u64,
    /// What was told before the connection was made: of this entry only what comes behind is sent.
    behind: Option<EventId>,
    /// Changes when there is something new.
    grown: watch::Receiver<()>,
    revoked: watch::Receiver<()>,
    stopping: watch::Receiver<bool>,
    silent_until: Instant,
    over: bool,
}

/// Entries under the newest checkpoint that a stream has not sent.
struct Unsent {
    indices: Vec<u64>,
    /// More than are sent at once.
    is_behind: bool,
    /// The table is closed, and these are its last.
    is_end: bool,
    /// Whether the table deals cards that are their players' alone.
    deals_private: bool,
}

impl Follow {
    fn running(&self) -> &Arc<Running> {
        &self.slot.service.running
    }

    /// Whether the token that opened the stream is no longer in force. Asked after the log was read and before anything
    /// of it is sent: a revocation is in force before its entry is under a checkpoint, so nothing that comes after it
    /// goes out.
    fn is_revoked(&self) -> bool {
        self.token.as_ref().is_some_and(|(hash, role)| self.running().tokens.role(hash).as_ref() != Some(role))
    }

    /// When to look again whether the token is in force, by the clock as it stands: when it ends, or says that it lives.
    fn wakes(&self) -> Instant {
        let ends = self.token.as_ref().and_then(|(hash, _)| self.running().tokens.end_of(hash));
        let left = ends.map_or(HEARTBEAT, |end| Duration::from_millis(end.saturating_sub(now_ms()).max(1)));
        self.silent_until.min(Instant::now() + left.min(HEARTBEAT))
    }

    fn unsent(&self) -> Result<Unsent, Problem> {
        let running = self.running();
        let size = running.current().size();
        let Some(table) = index(running).table(&self.table)? else {
            return Ok(Unsent { indices: Vec::new(), is_behind: false, is_end: true, deals_private: false });
        };
        let mut indices = table.indices(self.next..self.next.saturating_add(AT_ONCE as u64))?;
        indices.retain(|index| *index < size);
        let end = self.next.saturating_add(indices.len() as u64);
        Ok(Unsent {
            is_behind: indices.len() >= AT_ONCE,
            is_end: table.is_closed() && end >= table.entries(),
            deals_private: table.is_cash(),
            indices,
        })
    }

    /// How long it lets others go first when there is something new: who has a token may have to act, and the first streams of
    /// theirs wait for nobody; but guests are as many as an address likes. *Strangers spread over all tables wake together
    /// where all are in play. A player follows their own table nine hundred times, and plays there.*
    fn patience(&self) -> Duration {
        let (streams, place) = (&self.slot.service.streams, &self.slot.place);
        match &self.sender {
            Sender::Holder(_) if place.before < AT_ONCE_OF_HOLDER => Duration::ZERO,
            holder @ Sender::Holder(_) => apart(place.before as u64, streams.of(holder) as u64),
            Sender::Address(_) | Sender::Unknown => apart(self.turn, streams.strangers()),
        }
    }

    /// The entries, or the first of them, as frames: here where they are few, the stream is for everyone, and they are made
    /// already, or are among the newest and a holder's to make; else off the HTTP threads. *Old entries were asked for again and
    /// again, whose shoe is derived anew for each, and that held up a worker.*
    async fn frames(&self, unsent: &Unsent) -> Result<Frames, Problem> {
        let running = self.running();
        // Own cards are looked for by a replay: only for players, and where there can be any.
        let by = self.token.as_ref().and_then(|(_, role)| role.actor());
        let by = by.filter(|by| unsent.deals_private && matches!(by, Actor::Player(_)));
        let behind = self.behind;
        let is_ready = || unsent.indices.iter().all(|index| running.frames.ready(*index).is_some());
        let newest = running.current().size().saturating_sub(KEPT as u64);
        let makes = matches!(self.sender, Sender::Holder(_)) && unsent.indices.iter().all(|index| *index >= newest);
        if unsent.indices.len() <= FEW && by.is_none() && (makes || is_ready()) {
            return frames(running, &unsent.indices, None, behind);
        }
        // A holder needs their own cards to play, and no old entries.
        let is_old = unsent.is_behind || by.is_none() && matches!(self.sender, Sender::Holder(_));
        let lane = if is_old { &running.lanes.records } else { running.lanes.play_of(&self.sender) };
        loop {
            let (indices, by) = (unsent.indices.clone(), by.clone());
            let make = move |reading: &Reading| frames(reading, &indices, by.as_ref(), behind);
            match off_thread(running, lane, self.sender.clone(), make).await {
                Err(problem) if problem.code == ErrorCode::Busy => tokio::time::sleep(BETWEEN_TRIES).await,
                done => return done,
            }
        }
    }

    async fn next_frames(mut self) -> Option<(Result<web::Bytes, Problem>, Self)> {
        loop {
            if self.over || *self.stopping.borrow() || self.slot.place.is_taken() || self.is_revoked() {
                return None;
            }
            // Where memory is little a stranger's stream takes nothing more of it.
            if !matches!(self.sender, Sender::Holder(_)) && self.slot.service.budget.is_tight() {
                return None;
            }
            self.grown.mark_unchanged();
            self.revoked.mark_unchanged();
            let unsent = match self.unsent() {
                Ok(unsent) => unsent,
                Err(problem) => {
                    self.over = true;
                    return Some((Err(problem), self));
                }
            };
            if !unsent.indices.is_empty() {
                let frames = self.frames(&unsent).await;
                if self.is_revoked() {
                    return None;
                }
                let taken = frames.as_ref().map_or(0, |frames| frames.entries);
                self.next = self.next.saturating_add(taken as u64);
                self.over = frames.is_err() || (unsent.is_end && taken == unsent.indices.len());
                // Of the entry that a reader goes on behind there may be nothing more to tell.
                if matches!(&frames, Ok(frames) if frames.bytes.is_empty()) {
                    continue;
                }
                self.silent_until = Instant::now() + HEARTBEAT;
                return Some((frames.map(|frames| frames.bytes), self));
            }
            if unsent.is_end {
                return None;
            }
            let wakes = self.wakes();
            tokio::select! {
                grown = self.grown.changed() => {
                    if grown.is_err() {
                        return None;
                    }
                    tokio::time::sleep(self.patience()).await;
                }
                revoked = self.revoked.changed() => if revoked.is_err() { return None },
                _ = self.stopping.changed() => {}
                () = self.slot.place.taken() => return None,
                () = tokio::time::sleep_until(wakes) => {
                    if Instant::now() < self.silent_until {
                        continue;
                    }
                    self.silent_until = Instant::now() + HEARTBEAT;
                    return Some((Ok(web::Bytes::from_static(b": still here\n\n")), self));
                }
            }
        }
    }
}

/// The part of a log that a stream sends at once.
struct Frames {
    bytes: web::Bytes,
    /// Of how many entries.
    entries: usize,
}

/// These entries as frames, as far as they are not too long together, with the openings of what they show and the cards
/// that they deal to `by`; of the one that a reader goes on behind what they were not told.
fn frames(reading: &Reading, indices: &[u64], by: Option<&Actor>, behind: Option<EventId>) -> Result<Frames, Problem> {
    let (mut parts, mut length, mut entries) = (Vec::<web::Bytes>::new(), 0usize, 0);
    for index in indices {
        let told = behind.filter(|behind| behind.entry == *index);
        let public = reading.frames.of(*index, || public_frames(reading, *index))?;
        if let ([_], None, None) = (indices, by, told) {
            return Ok(Frames { bytes: public, entries: 1 });
        }
        if entries > 0 && length.saturating_add(public.len()) > BYTES_AT_ONCE {
            break;
        }
        entries += 1;
        let own = match by.filter(|_| told.is_none_or(|told| told.part < Part::Own)) {
            Some(by) if std::str::from_utf8(&public).is_ok_and(may_deal) => {
                dealt_in(reading, &read(reading, *index)?, by)?
            }
            _ => None,
        };
        parts.push(told.map_or_else(|| public.clone(), |told| untold(&public, told)));
        if let Some(own) = own {
            let own = serde_json::to_string(&own).map_err(Problem::internal)?;
            parts.push(frame(*index, Part::Own, &own).into());
        }
        length = parts.iter().map(web::Bytes::len).sum();
    }
    Ok(Frames { bytes: parts.concat().into(), entries })
}

/// One event.
fn frame(entry: u64, part: Part, data: &str) -> String {
    format!("id: {}\nevent: {}\ndata: {data}\n\n", EventId { entry, part }, part.word())
}

/// What stands in an entry's public frames behind the one with this id. An entry and its openings are a line of JSON
/// each, so the empty line between them is the first.
fn untold(public: &web::Bytes, told: EventId) -> web::Bytes {
    let end_of_entry = public.windows(2).position(|two| two == b"\n\n").map_or(public.len(), |at| at + 2);
    match told.part {
        Part::Entry => public.slice(end_of_entry..),
        Part::Openings | Part::Own => web::Bytes::new(),
    }
}

/// What everybody is sent of an entry.
fn public_frames(reading: &Reading, index: u64) -> Result<String, Problem> {
    let bytes = reading.reader.entry(index).map_err(Problem::internal)?;
    let entry = String::from_utf8(bytes).map_err(Problem::internal)?;
    let mut text = frame(index, Part::Entry, &entry);
    let openings = openings_in(reading, &entry)?;
    if !openings.is_empty() {
        let openings = serde_json::to_string(&openings).map_err(Problem::internal)?;
        text.push_str(&frame(index, Part::Openings, &openings));
    }
    Ok(text)
}

/// `GET /v1/tables/{table}/events`
pub async fn table_events(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let behind = EventId::asked(&http)?;
    let known = index(&service.running).table(&table)?;
    let known = known
        .ok_or_else(|| Problem::not_found(ErrorCode::UnknownTable, format!("there never was a table `{table}`")))?;
    // Without a place to go on from, the stream begins with what comes next. The entry that it goes on behind is looked
    // at again: what belongs to it may not have been told. Of another table's, or of none, nothing is.
    let next = behind.map_or(Ok(known.entries()), |behind| known.entries_below(behind.entry))?;
    let slot = StreamSlot::take(&service, &http, &caller)?;
    http.conn_data::<Connected>().into_iter().for_each(|connected| connected.line().streams());
    let (token, sender) = (caller.token.zip(caller.role), caller.sender);
    let (grown, revoked, stopping) =
        (service.running.followers.of(&table), service.running.tokens.revocations(), service.stopping.clone());
    let silent_until = Instant::now() + HEARTBEAT;
    static TURNS: AtomicU64 = AtomicU64::new(0);
    let turn = TURNS.fetch_add(1, Ordering::Relaxed);
    let follow =
        Follow { slot, table, token, turn, sender, next, behind, grown, revoked, stopping, silent_until, over: false };
    let opened = stream::once(async { Ok(web::Bytes::from_static(b": fairshoe\n\n")) });
    let frames = futures_util::StreamExt::chain(opened, stream::unfold(follow, Follow::next_frames));
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/event-stream"))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header(UNBUFFERED)
        .streaming(frames))
}
