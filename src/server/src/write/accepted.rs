//! The reply to everything that made an entry: receipts, the round, the openings.

use crate::edge::house_worked;
use crate::edge::pieces::off_thread;
use crate::edge::problem::Problem;
use crate::ops::startup::Running;
use crate::ops::tokens::Granted;
use crate::read::Reading;
use crate::read::archive::Archive;
use crate::read::history;
use crate::read::lanes::Sender;
use crate::read::openings::openings_of;
use crate::read::own::OwnSlots;
use crate::wallet::calls::fund;
use crate::write::evidence::{Arrival, Evidence};
use crate::write::pipeline::{Done, Fresh, Job, Order, Rejected, RepeatKey, now_ms};
use crate::write::published::Published;
use crate::write::repeats::{self, Known};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use fairshoe_api::ErrorCode;
use fairshoe_api::{Accepted, Receipt};
use fairshoe_fairness::{Epoch, PlayerId};
use fairshoe_house::{Actor, Command, Entry, Event, Refusal, Repeats, Signed};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::oneshot;

/// When the caller wants the proofs of a reply's receipts (spec/receipts.md, "Proofs that come later").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proofs {
    #[default]
    #[serde(skip)]
    Now,
    Later,
}

/// A receipt, with its proof, of an entry whose bytes are these.
pub fn receipt(archive: &Archive, published: &Published, index: u64, bytes: Vec<u8>) -> Result<Receipt, Problem> {
    receipt_of(archive, published, index, bytes, Proofs::Now)
}

/// The same of an entry that is read first.
pub fn receipt_at(archive: &Archive, published: &Published, index: u64) -> Result<Receipt, Problem> {
    receipt(archive, published, index, read(archive, index)?)
}

fn read(archive: &Archive, index: u64) -> Result<Vec<u8>, Problem> {
    archive.reader.entry(index).map_err(Problem::internal)
}

fn receipt_of(
    archive: &Archive,
    published: &Published,
    index: u64,
    bytes: Vec<u8>,
    proofs: Proofs,
) -> Result<Receipt, Problem> {
    let entry = String::from_utf8(bytes).map_err(|_| Problem::internal("an entry is not text"))?;
    let proof = match proofs {
        Proofs::Now => Some(published.receipt(index, &archive.tiles).map_err(Problem::internal)?),
        Proofs::Later => None,
    };
    Ok(Receipt { index, entry, proof })
}

/// A command with what else its request brought.
pub struct Request {
    pub by: Actor,
    /// The sender whose turn it takes to look for an earlier reply.
    pub sender: Sender,
    pub command: Command,
    pub signed: Option<Signed>,
    pub repeat: Option<RepeatKey>,
    pub grant: Option<Granted>,
    /// When it came, where the house may sign for it.
    pub arrival: Option<Arrival>,
    /// The epoch that its commitment is bound to, where the client says.
    pub epoch: Option<Epoch>,
    /// Where a guest's comes from, or whoever wants to be one and is counted by address.
    pub address: Option<IpAddr>,
    pub proofs: Proofs,
}

impl Request {
    /// A command that nobody signed, and that cannot be repeated by a key of the client's.
    pub fn new(by: Actor, sender: Sender, command: Command) -> Self {
        let (signed, repeat, grant, arrival, epoch) = (None, None, None, None, None);
        let (address, proofs) = (None, Proofs::Now);
        Request { by, sender, command, signed, repeat, grant, arrival, epoch, address, proofs }
    }

    /// Fixes a command's time before the house sees it, and signs for it if the client waits for that. No note where its
    /// commitment is bound to another epoch than its table's, which `in_force` says as far as it is published, or where
    /// another choice of theirs is not yet decided.
    pub fn arrives(
        &mut self,
        running: &Running,
        in_force: Option<Epoch>,
        signs: bool,
    ) -> Result<Option<String>, Problem> {
        if self.epoch.is_some() && self.epoch != in_force {
            return Ok(None);
        }
        // What is published may be behind the house thread, which says so then.
        let decides = self.epoch.and_then(|_| running.directory.epoch());
        let arrivals = &running.write.evidence.arrivals;
        let Some(arrival) = arrivals.arrive(now_ms(), &self.by, &self.command, decides.as_ref()) else {
            return Ok(None);
        };
        // After its time is fixed, so that none is signed that lies beyond the lease, however long this thread stands
        // still in between.
        running.require_lead(arrival.time)?;
        let note = signs.then(|| running.write.evidence.received(arrival.time, &self.by, &self.command, self.signed));
        self.arrival = Some(arrival);
        // None of a number that no note can hold: the house refuses that.
        Ok(note.and_then(Result::ok))
    }

    /// The same where the client says which epoch its commitment is bound to.
    pub fn bound_to(mut self, epoch: Option<Epoch>) -> Self {
        self.epoch = epoch;
        self
    }

    /// The same under a client's repeat key, which is theirs who bring the request, whoever signed it.
    pub fn repeatable(mut self, key: Option<String>, path: &str, body: &[u8]) -> Self {
        let by = match &self.sender {
            Sender::Holder(role) => role.actor(),
            _ => None,
        };
        let by = by.unwrap_or_else(|| self.by.clone());
        self.repeat = key.map(|key| RepeatKey::of(&by, &key, path, body));
        self
    }
}

/// A command that the house has, and the answer that is to come.
pub struct Submitted {
    asked: Asked,
    sender: Sender,
    receiver: oneshot::Receiver<Result<Done, Rejected>>,
    /// [`Order::took`].
    took: Arc<AtomicU64>,
}

/// Sends a command to the house.
pub fn submit(running: &Running, request: Request) -> Result<Submitted, Problem> {
    running.require_lead(0)?;
    let (sender, receiver) = oneshot::channel::<Result<Done, Rejected>>();
    let Request { by, sender: from, command, signed, repeat, grant, mut arrival, epoch, address, proofs } = request;
    let answer = Box::new(move |answer| drop(sender.send(answer)));
    let took = Arc::<AtomicU64>::default();
    let has_key = repeat.is_some();
    let (time, is_signed_for) = (arrival.as_ref().map_or_else(now_ms, |arrival| arrival.time), arrival.is_some());
    let (whose, ordered) = (by.clone(), command.clone());
    let signed_for = arrival.as_mut().and_then(Arrival::take_undecided);
    let order = Order {
        time,
        signed_for,
        by: whose,
        command: ordered,
        signed,
        repeat,
        grant,
        epoch,
        address,
        took: took.clone(),
        answer,
    };
    // The arrival ends when the house has the order, or will not get it.
    running.write.queue.submit(Job::Command(Box::new(order)))?;
    drop(arrival);
    Ok(Submitted { asked: Asked { by, command, signed, is_signed_for, has_key, proofs }, sender: from, receiver, took })
}

/// Sends a command to the house and waits until its entry is durable and signed; before, the chips that it needs come
/// from the wallet, where that is the operator's style.
pub async fn carry_out(running: &Arc<Running>, request: Request) -> Result<Accepted, Problem> {
    fund(running, &request).await?;
    decide(running, request).await
}

/// The same with the chips that are there.
pub async fn decide(running: &Arc<Running>, request: Request) -> Result<Accepted, Problem> {
    submit(running, request)?.answer(running).await
}

/// What the key of a request brought about before. For what is refused as things stand now before the house sees it: a
/// key is told the same, whatever changed since.
pub async fn earlier(running: &Arc<Running>, request: Request) -> Result<Option<Accepted>, Problem> {
    let Request { by, sender, repeat: Some(repeat), proofs, .. } = request else { return Ok(None) };
    let lane = running.lanes.play_of(&sender);
    let look = move |reading: &Reading| {
        let published = reading.current();
        match repeats::by_durable_key(reading.reader.as_ref(), &repeat).map_err(Problem::internal)? {
            Some(Known::At(index)) if index < published.tree.size() => {
                from_log(reading, &published, &by, index, proofs).map(Some)
            }
            Some(Known::KeyReused) => Err(Rejected::KeyReused.into()),
            _ => Ok(None),
        }
    };
    off_thread(running, lane, sender, look).await
}

impl Submitted {
    /// Waits until the command's entry is durable and signed, or it is refused.
    pub async fn answer(self, running: &Arc<Running>) -> Result<Accepted, Problem> {
        let Submitted { asked, sender, receiver, took } = self;
        let done = receiver.await.map_err(|_| Problem::unavailable(ErrorCode::Stopping, "the service is stopping"))?;
        if done.is_err() {
            house_worked(Duration::from_nanos(took.load(Ordering::Relaxed)));
        }
        // What was refused at a time at which another node may decide is not said, and not signed.
        if let Err(Rejected::Refused { at, .. }) = &done {
            running.require_lead(*at)?;
        }
        if asked.is_answered_at_once(&done) {
            return asked.answer(running, &running.write.evidence, done);
        }
        // What is looked for in the log is looked for off the HTTP threads.
        let lane = match &done {
            Err(_) if matches!(sender, Sender::Holder(_)) && repeats::looks_far(running, &asked.command) => {
                &running.lanes.searches
            }
            _ => running.lanes.play_of(&sender),
        };
        let writing = running.clone();
        off_thread(running, lane, sender, move |read| asked.answer(read, &writing.write.evidence, done)).await
    }
}

/// What was asked of the house, for the answer.
pub struct Asked {
    pub by: Actor,
    pub command: Command,
    pub signed: Option<Signed>,
    /// The house has signed for it.
    pub is_signed_for: bool,
    /// It came with a key of the client's.
    pub has_key: bool,
    pub proofs: Proofs,
}

impl Asked {
    /// Whether nothing is looked for in the log: what makes an entry has it at hand, and only what names its round can
    /// repeat by its own name.
    fn is_answered_at_once(&self, done: &Result<Done, Rejected>) -> bool {
        match done {
            Ok(done) => done.fresh.is_some(),
            Err(Rejected::KeyReused) => true,
            Err(Rejected::Repeated(_)) => false,
            Err(rejected) => !self.repeats_by_content(rejected),
        }
    }

    /// Whether an entry with the same content may be what carried it out.
    fn repeats_by_content(&self, rejected: &Rejected) -> bool {
        match self.command.facts().repeats {
            Repeats::ByKeyAlone => false,
            // Refused for anything else, the seat is not as it is wished to be: they sit out, leave it or have no chips.
            Repeats::AsLastOfSeat => {
                let refusal = if let Rejected::Refused { refusal, .. } = rejected { Some(refusal) } else { None };
                !self.has_key && matches!(refusal, Some(Refusal::PlaysAlready(_) | Refusal::SitsAlready))
            }
            Repeats::ByContentWithoutKey => !self.has_key,
            Repeats::ByContent | Repeats::AsLastOfBets | Repeats::BySeed => true,
        }
    }

    /// The reply to what came of it; that of the entry which carried it out already, if one did.
    pub fn answer(
        &self,
        archive: &Archive,
        evidence: &Evidence,
        done: Result<Done, Rejected>,
    ) -> Result<Accepted, Problem> {
        let (by, proofs) = (&self.by, self.proofs);
        let rejected = match done {
            Ok(Done { index, fresh: Some(fresh), published }) => {
                return accepted(archive, &published, by, index, fresh, proofs);
            }
            Ok(Done { index, fresh: None, published }) => return from_log(archive, &published, by, index, proofs),
            Err(rejected) => rejected,
        };
        let earlier = match rejected {
            Rejected::KeyReused => None,
            Rejected::Repeated(size) => repeats::find_placed(archive, size, by, &self.command)?,
            ref rejected if !self.repeats_by_content(rejected) => None,
            // What is on the log already needs no room and breaks no rule, so a repeat goes before either refusal.
            _ => repeats::find(archive, by, &self.command)?,
        };
        match (earlier, rejected) {
            (Some(index), _) => from_log(archive, &archive.current(), by, index, proofs),
            (None, Rejected::Repeated(_)) => Err(Problem::internal("bets that are placed are not on the log")),
            (None, rejected) => Err(self.refused(evidence, rejected)),
        }
    }

    /// The problem of a command that was not carried out, with the signed note where the house's rules refused it. What
    /// comes without a token and was not signed for may be anybody's junk, which is not signed.
    fn refused(&self, evidence: &Evidence, rejected: Rejected) -> Problem {
        let note = match &rejected {
            Rejected::Refused { refusal, at } if self.by != Actor::Anyone || self.is_signed_for => {
                evidence.refused(*at, &self.by, &self.command, self.signed, refusal)
            }
            _ => None,
        };
        Problem { refused: note, ..rejected.into() }
    }
}

fn accepted(
    archive: &Archive,
    published: &Published,
    by: &Actor,
    index: u64,
    fresh: Fresh,
    proofs: Proofs,
) -> Result<Accepted, Problem> {
    let mut receipts = vec![receipt_of(archive, published, index, fresh.bytes.as_ref().clone(), proofs)?];
    if let Some(shoe) = fresh.shoe_index {
        receipts.push(receipt_of(archive, published, shoe, read(archive, shoe)?, proofs)?);
    }
    let (mut openings, mut view, mut own) = (Vec::new(), None, None);
    if let (Some((round_stage, funds)), Some(table)) = (&fresh.round_stage, fresh.entry.command.table()) {
        openings = openings_of(archive, &fresh.entry, Some(round_stage.shoe_no()))?;
        view = Some(round_stage.view(table, funds));
        let slots = round_stage.round().and_then(|round| OwnSlots::of(round, by));
        own = slots.map(|slots| slots.open(archive, table)).transpose()?.flatten();
    }
    let balance = fresh.balance;
    let player = admitted(&fresh.entry).cloned();
    Ok(Accepted { receipts, player, balance, round: view, openings, own, ..Accepted::default() })
}

/// The same reply again, from the log; a token is never shown twice.
fn from_log(
    archive: &Archive,
    published: &Published,
    by: &Actor,
    index: u64,
    proofs: Proofs,
) -> Result<Accepted, Problem> {
    // Seeds that are out are public, and whoever repeats one costs the service no replay of the shoe's history.
    if *by == Actor::Anyone {
        return Ok(Accepted {
            receipts: vec![receipt_of(archive, published, index, read(archive, index)?, proofs)?],
            ..Accepted::default()
        });
    }
    let rebuilt = history::rebuild(archive, by, index)?;
    let mut receipts = vec![receipt_of(archive, published, index, rebuilt.placed.bytes, proofs)?];
    if let Some(shoe) = rebuilt.shoe_index {
        receipts.push(receipt_of(archive, published, shoe, read(archive, shoe)?, proofs)?);
    }
    let player = admitted(&rebuilt.placed.entry).cloned();
    let table = match &rebuilt.placed.entry.command {
        Command::OpenTable { table, .. } => Some(table.clone()),
        _ => None,
    };
    let history::Rebuilt { balance, round, openings, own, .. } = rebuilt;
    Ok(Accepted { receipts, player, balance, round, openings, own, table, ..Accepted::default() })
}

/// The guest whom an entry admits.
pub fn admitted(entry: &Entry) -> Option<&PlayerId> {
    entry.events.iter().find_map(|event| if let Event::GuestAdmitted { player } = event { Some(player) } else { None })
}

/// Most replies of play are shorter, in bytes.
const ROOM: usize = 4 << 10;

/// JSON with this status.
pub fn json(status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, Problem> {
    Ok(of_json(status, json_text(body)?))
}

/// The text of JSON: of what may be long it is made where that was read. *A worker took milliseconds for each, and play
/// waited behind it.*
pub fn json_text(body: &impl Serialize) -> Result<Vec<u8>, Problem> {
    let mut text = Vec::with_capacity(ROOM);
    serde_json::to_writer(&mut text, body).map_err(Problem::internal)?;
    Ok(text)
}

/// This JSON with this status.
pub fn of_json(status: StatusCode, text: Vec<u8>) -> HttpResponse {
    HttpResponse::build(status).insert_header((CONTENT_TYPE, "application/json")).body(text)
}

/// The same of what never changes: its text is made once.
pub fn always<T: Serialize>(text: &OnceLock<web::Bytes>, body: impl FnOnce() -> T) -> Result<HttpResponse, Problem> {
    if text.get().is_none() {
        let made = serde_json::to_vec(&body()).map_err(Problem::internal)?;
        text.get_or_init(|| made.into());
    }
    let text = text.get().cloned().unwrap_or_default();
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(text))
}
