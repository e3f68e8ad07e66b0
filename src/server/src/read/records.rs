//! What a regulator asks for: rounds recalled step by step, all rounds between two times, significant events.

use crate::Service;
use crate::edge::pieces::{PIECE, Piece, Pieces, off_thread, send};
use crate::edge::problem::Problem;
use crate::edge::request::{Caller, address_of, number, player_id, round_id};
use crate::ops::tokens::Role;
use crate::read::Reading;
use crate::read::history::{self, index, read};
use crate::read::index::{Significant, What};
use crate::read::recall::{Recall, recall};
use crate::write::accepted::json;
use crate::write::times;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{Cause, ErrorCode, SignificantEvent, SignificantList};
use fairshoe_fairness::TableId;
use fairshoe_house::{Actor, Command, Entry, Event, OpenRound, RetireCause, TournamentCommand};
use fairshoe_judge::utc;
use serde::Deserialize;
use std::ops::{ControlFlow, Range};
use std::vec::IntoIter;

/// The most rounds of a player in one call.
const MOST_ROUNDS: usize = 50;

/// Entries looked through at once for an export.
const AT_ONCE: u64 = 512;

/// So many times for one piece of it.
const LOOKS: u32 = 16;

/// The most entries of a round that is recalled: as many as a bundle holds.
const MOST_STEPS: usize = fairshoe_judge::bundle::MAX_BUNDLE_ENTRIES;

/// `GET /v1/rounds/{id}/recall`
pub async fn of_round(
    service: web::Data<Service>,
    http: HttpRequest,
    _: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let reading = &service.running;
    let count = history::count_of(reading, &table, round_no)?;
    if count > MOST_STEPS as u64 {
        let detail = format!(
            "a recall shows at most {MOST_STEPS} entries, not {count}; the whole log shows the round: read it from /tile/entries"
        );
        return Err(Problem::new(StatusCode::CONFLICT, ErrorCode::BundleTooLarge, detail));
    }
    let work = move |reading: &Reading| line(&recall(reading, &table, round_no)?).map(String::into_bytes);
    let text = off_thread(reading, &reading.lanes.records, address_of(&http), work).await?;
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(text))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Last {
    last: Option<usize>,
}

/// `GET /v1/players/{player}/recall`: sent one round at a time, so that fifty long games need the memory of one.
pub async fn of_player(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
    asked: web::Query<Last>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    caller.require_reader_of(&player)?;
    let last = asked.last.unwrap_or(MOST_ROUNDS);
    if !(1..=MOST_ROUNDS).contains(&last) {
        return Err(Problem::malformed(format!("last is from 1 to {MOST_ROUNDS}")));
    }
    let all = index(&service.running).player(&player)?;
    let mut rounds: Vec<(TableId, u64)> = all.range(all.len().saturating_sub(last as u64)..all.len())?;
    rounds.reverse();
    let recalls = Recalls {
        head: Some(format!("{{\"player\":\"{player}\",\"rounds\":[")),
        rounds: rounds.into_iter(),
        is_first: true,
    };
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, "application/json"));
    send(service.clone(), &http, reply, recalls).await
}

/// The rounds of a player that are still to be recalled.
struct Recalls {
    head: Option<String>,
    rounds: IntoIter<(TableId, u64)>,
    is_first: bool,
}

impl Pieces for Recalls {
    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let mut text = self.head.take().unwrap_or_default();
        while text.len() < PIECE {
            let Some((table, round_no)) = self.rounds.next() else {
                text.push_str("]}");
                return Ok(Piece { bytes: text.into_bytes(), last: true });
            };
            if !std::mem::take(&mut self.is_first) {
                text.push(',');
            }
            text.push_str(&line(&recall(reading, &table, round_no)?)?);
        }
        Ok(Piece { bytes: text.into_bytes(), last: false })
    }
}

fn line(recalled: &Recall) -> Result<String, Problem> {
    serde_json::to_string(recalled).map_err(Problem::internal)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Between {
    from: Option<String>,
    to: Option<String>,
    cursor: Option<String>,
    limit: Option<usize>,
}

impl Between {
    fn times(&self) -> Result<Range<u64>, Problem> {
        times_between(self.from.as_deref(), self.to.as_deref())
    }
}

/// From the first time, that one included, to the second, that one not.
pub fn times_between(from: Option<&str>, to: Option<&str>) -> Result<Range<u64>, Problem> {
    let read = |text: Option<&str>, what: &str, absent: u64| match text {
        None => Ok(absent),
        Some(text) => times::parse(text).ok_or_else(|| {
            Problem::malformed(format!(
                "`{what}` is a time: UTC milliseconds, or RFC 3339 in UTC such as 2026-01-31T12:00:00Z"
            ))
        }),
    };
    let (from, to) = (read(from, "from", 0)?, read(to, "to", u64::MAX)?);
    if from > to { Err(Problem::malformed("`from` is not before `to`")) } else { Ok(from..to) }
}

pub fn require_auditor(caller: &Caller) -> Result<(), Problem> {
    match caller.role()? {
        Role::Operator | Role::Auditor(_) => Ok(()),
        Role::Player(_) => Err(Problem::not_allowed("the operator and auditors read the records of all")),
    }
}

/// The rounds whose bets were closed between two times, in the order of the log.
pub struct Closed {
    /// The next entry to look at, and the size of the log when they were asked for.
    entries: Range<u64>,
    to: u64,
}

impl Closed {
    /// By these entries, and before this time.
    pub fn between(entries: Range<u64>, to: u64) -> Self {
        Closed { entries, to }
    }

    /// Whether there are no more.
    pub fn is_over(&self) -> bool {
        self.entries.is_empty()
    }

    /// Those of the next entries, each with the one that closed its bets. What is between them is passed over, and only
    /// so much of it at once, so that others get their turn.
    pub fn next(&mut self, reading: &Reading) -> Result<Vec<(u64, TableId, u64)>, Problem> {
        let until = self.entries.start.saturating_add(AT_ONCE).min(self.entries.end);
        let mut found = Vec::new();
        let mut over = false;
        let mut visit = |at: u64, bytes: &[u8]| {
            over |= time_of(bytes) >= self.to;
            if over {
                return ControlFlow::Break(());
            }
            let text = String::from_utf8_lossy(bytes);
            if text.contains("\"bets_closed\"") || text.contains("\"hand_begun\"") {
                found.push(at);
            }
            ControlFlow::Continue(())
        };
        reading.reader.read(self.entries.start..until, &mut visit).map_err(Problem::internal)?;
        self.entries.start = if over { self.entries.end } else { until };
        let mut closed = Vec::new();
        for at in found {
            let entry = read(reading, at)?.entry;
            let round = entry.at.as_ref().map(|at| at.table.clone()).zip(closed_in(&entry.events));
            closed.extend(round.map(|(table, round_no)| (at, table, round_no)));
        }
        Ok(closed)
    }

    /// Goes back to the entry behind this one.
    fn go_on_behind(&mut self, at: u64) {
        self.entries.start = at.saturating_add(1);
    }
}

impl Pieces for Closed {
    /// The next lines of an export.
    fn next(&mut self, reading: &Reading) -> Result<Piece, Problem> {
        let mut text = String::new();
        for _ in 0..LOOKS {
            if self.is_over() || text.len() >= PIECE {
                break;
            }
            for (at, table, round_no) in Closed::next(self, reading)? {
                text.push_str(&line(&recall(reading, &table, round_no)?)?);
                text.push('\n');
                // The rest of these entries waits for the next piece.
                if text.len() >= PIECE {
                    self.go_on_behind(at);
                    break;
                }
            }
        }
        Ok(Piece { bytes: text.into_bytes(), last: self.is_over() })
    }
}

fn closed_in(events: &[Event]) -> Option<u64> {
    events.iter().find_map(|event| {
        if let Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } = event {
            Some(*round_no)
        } else {
            None
        }
    })
}

/// An entry's time, without reading the rest of it.
pub fn time_of(bytes: &[u8]) -> u64 {
    #[derive(Deserialize)]
    struct Timed {
        time: u64,
    }
    serde_json::from_slice(bytes).map_or(0, |Timed { time }| time)
}

/// The first entry whose time is not before this one: entries' times never go back.
pub fn first_from(reading: &Reading, from: u64, size: u64) -> Result<u64, Problem> {
    let (mut low, mut high) = (0, size);
    while low < high {
        let middle = low + (high - low) / 2;
        let time = time_of(&reading.reader.entry(middle).map_err(Problem::internal)?);
        if time < from { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

/// `GET /v1/export`: every round whose bets were closed between two times, one a line.
pub async fn export(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    asked: web::Query<Between>,
) -> Result<HttpResponse, Problem> {
    require_auditor(&caller)?;
    if asked.cursor.is_some() || asked.limit.is_some() {
        return Err(Problem::malformed("an export has no pages"));
    }
    let times = asked.times()?;
    let size = service.running.current().size();
    let from = times.start;
    let reading = &service.running;
    let first =
        off_thread(reading, &reading.lanes.records, address_of(&http), move |reading| first_from(reading, from, size))
            .await?;
    let mut reply = HttpResponse::Ok();
    reply.insert_header((CONTENT_TYPE, "application/x-ndjson"));
    send(service.clone(), &http, reply, Closed::between(first..size, times.end)).await
}

/// `GET /v1/significant`
pub async fn significant(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    asked: web::Query<Between>,
) -> Result<HttpResponse, Problem> {
    require_auditor(&caller)?;
    let times = asked.times()?;
    let limit = asked.limit.unwrap_or(MOST_ROUNDS);
    if !(1..=MOST_ROUNDS).contains(&limit) {
        return Err(Problem::malformed(format!("limit is from 1 to {MOST_ROUNDS}")));
    }
    let after = asked.cursor.as_deref().map(|cursor| number(cursor, "the cursor")).transpose()?.unwrap_or_default();
    let all = index(&service.running).significant();
    let (first, last) = (all.before(times.start)?.max(after), all.before(times.end)?);
    // Counted from 1.
    let found: Vec<(u64, Significant)> =
        (first.saturating_add(1)..).zip(all.range(first..last.min(first.saturating_add(limit as u64)))?).collect();
    let more = last > first.saturating_add(found.len() as u64);
    let next = found.last().filter(|_| more).map(|(sequence, _)| sequence.to_string());
    let reading = &service.running;
    let tell = move |reading: &Reading| {
        found.into_iter().map(|(n, event)| told(reading, n, event)).collect::<Result<Vec<_>, _>>()
    };
    let events = off_thread(reading, &reading.lanes.records, address_of(&http), tell).await?;
    json(StatusCode::OK, &SignificantList { events, next })
}

/// A significant event with what its entry says of it.
fn told(reading: &Reading, sequence: u64, event: Significant) -> Result<SignificantEvent, Problem> {
    let Entry { by, command, events, .. } = history::read(reading, event.index)?.entry;
    let round_name = |round_no: u64| command.table().map(|table| OpenRound::id(table, round_no));
    let mut view = SignificantEvent {
        sequence,
        index: event.index,
        time: utc(event.time),
        kind: event.what.word().to_owned(),
        by: by.clone(),
        table: command.table().cloned(),
        round: None,
        cause: None,
        missing: None,
        ahead: None,
        reason: None,
        player: None,
        amount: None,
        holder: None,
        epoch: None,
        software: None,
        down_ms: None,
        clean: None,
        refused_at: None,
        shoe_no: None,
        log: None,
        count: if let What::WithheldReveals { count } = event.what { Some(count) } else { None },
    };
    for told in events {
        match (event.what, told) {
            (What::Start { clean }, Event::DealerStarted { epoch, down_ms, .. }) => {
                (view.epoch, view.down_ms, view.clean) = (Some(epoch), Some(down_ms), Some(clean));
            }
            (
                What::Void | What::Malfunction | What::WithheldReveals { .. },
                Event::RoundVoided { round_no, cause, missing, ahead, .. },
            ) => {
                (view.round, view.cause) = (round_name(round_no), Some(Cause::Void(cause)));
                (view.missing, view.ahead) = (Some(missing), Some(ahead));
            }
            (
                What::Malfunction,
                Event::BetsLapsed { round_no, cause, .. } | Event::CallLapsed { round_no, cause, .. },
            ) => {
                (view.round, view.cause) = (round_name(round_no), Some(Cause::Lapse(cause)));
            }
            // By duty it comes with the end of a hand, and the command is the void's.
            (What::ShoeDisclosed, Event::ShoeDisclosed { table, shoe_no, .. }) => {
                (view.table, view.shoe_no) = (Some(table), Some(shoe_no));
            }
            (What::HouseShuffle, Event::ShoeRevealed { shoe_no, cause: Some(RetireCause::HouseShuffle), .. }) => {
                view.shoe_no = Some(shoe_no);
            }
            _ => {}
        }
    }
    match command {
        Command::StartDealer { software, .. } => view.software = Some(software),
        Command::KnowLog { log, .. } => view.log = Some(log),
        Command::IssueToken { holder, .. } => view.holder = Some(holder),
        Command::SetKey { player, reason: Some(reason), .. } | Command::Unseat { player, reason, .. } => {
            (view.player, view.reason) = (Some(player), Some(reason));
        }
        Command::Correct { player, amount, reason } => {
            (view.player, view.amount, view.reason) = (Some(player), Some(amount), Some(reason));
        }
        Command::DiscloseShoe { table, shoe_no, reason } => {
            (view.table, view.shoe_no, view.reason) = (Some(table), Some(shoe_no), Some(reason));
        }
        Command::Tournament(command) => match command {
            TournamentCommand::Disqualify { player, reason, .. } => {
                (view.player, view.reason) = (Some(player), Some(reason));
            }
            TournamentCommand::Cancel { reason, .. } => view.reason = reason,
            TournamentCommand::Postpone { reason, .. }
            | TournamentCommand::ChangeRegistration { reason, .. }
            | TournamentCommand::SubstitutePrize { what: reason, .. } => view.reason = Some(reason),
            _ => {}
        },
        Command::NoteRefusedStart { at, reason } => (view.refused_at, view.reason) = (Some(utc(at)), Some(reason)),
        Command::VoidRound { reason, .. } | Command::RetireShoe { reason: Some(reason), .. }
            if by == Actor::Operator =>
        {
            view.reason = Some(reason);
        }
        _ => {}
    }
    Ok(view)
}
