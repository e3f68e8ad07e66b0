//! The reply to everything that made an entry: receipts, the round, the openings.

use super::pieces::off_thread;
use super::problem::Problem;
use crate::evidence::Arrival;
use crate::history;
use crate::keys::TokenHash;
use crate::lanes::Sender;
use crate::openings::{ShownOpening, openings_of};
use crate::own::{OwnCards, OwnSlots};
use crate::pipeline::{Done, Fresh, Job, Order, Rejected, RepeatKey, now_ms};
use crate::published::Published;
use crate::startup::Running;
use crate::tokens::Grant;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use fairshoe_fairness::TableId;
use fairshoe_games::Chips;
use fairshoe_house::{Actor, Command, RoundView, Signed};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::oneshot;

/// An entry with the proof that it is on the log.
#[derive(Serialize)]
pub struct Receipt {
    pub index: u64,
    pub entry: String,
    pub proof: String,
}

impl Receipt {
    pub fn new(running: &Running, published: &Published, index: u64, bytes: Vec<u8>) -> Result<Self, Problem> {
        let entry = String::from_utf8(bytes).map_err(|_| Problem::internal("an entry is not text"))?;
        Ok(Receipt { index, entry, proof: published.receipt(index, &running.tiles).map_err(Problem::internal)? })
    }

    pub fn read(running: &Running, published: &Published, index: u64) -> Result<Self, Problem> {
        Self::new(running, published, index, running.reader.entry(index).map_err(Problem::internal)?)
    }
}

/// See the module.
#[derive(Serialize)]
pub struct Accepted {
    pub receipts: Vec<Receipt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<Chips>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<RoundView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<ShownOpening>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnCards>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// The signed note that a seed came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

impl Accepted {
    /// The receipts alone.
    fn of(receipts: Vec<Receipt>) -> Self {
        Accepted { receipts, balance: None, round: None, openings: Vec::new(), own: None, token: None, table: None, received: None }
    }
}

/// A command with what else its request brought.
pub struct Request {
    pub by: Actor,
    /// Whose turn it takes to look for an earlier reply.
    pub sender: Sender,
    pub command: Command,
    pub signed: Option<Signed>,
    pub repeat: Option<RepeatKey>,
    pub grant: Option<Grant>,
    /// When a seed came that the house signs for.
    pub arrival: Option<Arrival>,
}

impl Request {
    /// Signs for a seed before the house sees it: from here on its time is fixed.
    pub fn sign_for(&mut self, running: &Running) -> Result<String, Problem> {
        let arrival = running.evidence.arrivals.arrive();
        let note = running.evidence.received(arrival.time, &self.by, &self.command).map_err(Problem::internal)?;
        self.arrival = Some(arrival);
        Ok(note)
    }

    /// The same under a client's repeat key, which is theirs who bring the request, whoever signed it.
    pub fn repeatable(mut self, key: Option<String>, path: &str, body: &[u8]) -> Self {
        let by = match &self.sender {
            Sender::Holder(role) => role.actor(),
            _ => None,
        };
        let by = by.unwrap_or_else(|| self.by.clone());
        self.repeat = key.map(|key| {
            let mut request = Sha256::new();
            request.update(path.as_bytes());
            request.update([0]);
            request.update(body);
            RepeatKey { key: format!("i/{by}/{key}").into_bytes(), request: TokenHash::from(request.finalize()) }
        });
        self
    }
}

/// A command that the house has, and the answer that is to come.
pub struct Submitted {
    by: Actor,
    sender: Sender,
    command: Command,
    is_signed_for: bool,
    receiver: oneshot::Receiver<Result<Done, Rejected>>,
}

/// Sends a command to the house.
pub fn submit(running: &Running, request: Request) -> Result<Submitted, Problem> {
    let (sender, receiver) = oneshot::channel::<Result<Done, Rejected>>();
    let Request { by, sender: from, command, signed, repeat, grant, arrival } = request;
    let answer = Box::new(move |answer| drop(sender.send(answer)));
    let (time, is_signed_for) = (arrival.as_ref().map_or_else(now_ms, |arrival| arrival.time), arrival.is_some());
    let order = Order { time, is_signed_for, by: by.clone(), command: command.clone(), signed, repeat, grant, answer };
    // The arrival ends when the house has the order, or will not get it.
    running.queue.submit(Job::Command(Box::new(order)))?;
    drop(arrival);
    Ok(Submitted { by, sender: from, command, is_signed_for, receiver })
}

/// Sends a command to the house and waits until its entry is durable and signed.
pub async fn carry_out(running: &Arc<Running>, request: Request) -> Result<Accepted, Problem> {
    submit(running, request)?.answer(running).await
}

impl Submitted {
    /// Waits until the command's entry is durable and signed, or it is refused.
    pub async fn answer(self, running: &Arc<Running>) -> Result<Accepted, Problem> {
        let Submitted { by, sender, command, is_signed_for, receiver } = self;
        let done = receiver.await.map_err(|_| Problem::unavailable("stopping", "the service is stopping"))?;
        match done {
            Ok(Done { index, fresh: Some(fresh), published }) => accepted(running, &published, &by, index, fresh),
            Ok(Done { index, fresh: None, published }) => {
                again(running, sender, move |running| from_log(running, &published, &by, index)).await
            }
            Err(Rejected::KeyReused) => Err(Rejected::KeyReused.into()),
            Err(Rejected::Repeated(size)) => {
                let repeated = move |running: &Running| {
                    let published = current(running);
                    let earlier = history::find_repeat(running, size, &by, &command)?;
                    from_log(running, &published, &by, earlier.ok_or_else(|| Problem::internal("bets that lie are not on the log"))?)
                };
                again(running, sender, repeated).await
            }
            // Only what names its round can repeat by its own name: nothing is looked for.
            Err(rejected) if command.round_no().is_none() => Err(refused(running, &by, &command, is_signed_for, rejected)),
            // What is on the log already needs no room and breaks no rule, so a repeat goes before either refusal.
            Err(rejected) => {
                let repeated = move |running: &Running| {
                    let published = current(running);
                    match history::find_repeat(running, published.size(), &by, &command)? {
                        Some(index) => from_log(running, &published, &by, index),
                        None => Err(refused(running, &by, &command, is_signed_for, rejected)),
                    }
                };
                again(running, sender, repeated).await
            }
        }
    }
}

/// Looks for an earlier reply in the log, off the HTTP threads.
async fn again(
    running: &Arc<Running>,
    sender: Sender,
    work: impl FnOnce(&Running) -> Result<Accepted, Problem> + Send + 'static,
) -> Result<Accepted, Problem> {
    off_thread(running, running.lanes.play_of(&sender), sender, work).await
}

/// The problem of a command that was not carried out, with the signed note where the house's rules refused it. What comes
/// without a token and was not signed for may be anybody's junk, which is not signed.
fn refused(running: &Running, by: &Actor, command: &Command, is_signed_for: bool, rejected: Rejected) -> Problem {
    let note = match &rejected {
        Rejected::Refused { refusal, at } if *by != Actor::Anyone || is_signed_for => running.evidence.refused(*at, by, command, refusal),
        _ => None,
    };
    Problem { refused: note, ..rejected.into() }
}

/// The log as it is durable and signed now.
pub fn current(running: &Running) -> Arc<Published> {
    running.published.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
}

fn accepted(running: &Running, published: &Published, by: &Actor, index: u64, fresh: Fresh) -> Result<Accepted, Problem> {
    let mut receipts = vec![Receipt::new(running, published, index, fresh.bytes.as_ref().clone())?];
    if let Some(shoe) = fresh.shoe_index {
        receipts.push(Receipt::read(running, published, shoe)?);
    }
    let (mut openings, mut view, mut own) = (Vec::new(), None, None);
    if let (Some((concerned, funds)), Some(table)) = (&fresh.concerned, fresh.entry.command.table()) {
        openings = openings_of(running, &fresh.entry, Some(concerned.shoe_no()));
        view = Some(concerned.view(table, funds));
        own = concerned.round().and_then(|round| OwnSlots::of(round, by)?.open(running, table));
    }
    let balance = fresh.balance.filter(|_| history::tells_balance(&fresh.entry));
    Ok(Accepted { receipts, balance, round: view, openings, own, token: None, table: None, received: None })
}

/// The same reply again, from the log; a token is never shown twice.
fn from_log(running: &Running, published: &Published, by: &Actor, index: u64) -> Result<Accepted, Problem> {
    // Seeds that are out are public, and whoever repeats one costs the service no replay of the shoe's history.
    if *by == Actor::Anyone {
        return Ok(Accepted::of(vec![Receipt::read(running, published, index)?]));
    }
    let rebuilt = history::rebuild(running, by, index)?;
    let mut receipts = vec![Receipt::new(running, published, index, rebuilt.placed.bytes)?];
    if let Some(shoe) = rebuilt.shoe_index {
        receipts.push(Receipt::read(running, published, shoe)?);
    }
    let table = match &rebuilt.placed.entry.command {
        Command::OpenTable { table, .. } => Some(table.clone()),
        _ => None,
    };
    let history::Rebuilt { balance, round, openings, own, .. } = rebuilt;
    Ok(Accepted { receipts, balance, round, openings, own, token: None, table, received: None })
}

/// JSON with this status.
pub fn json(status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, Problem> {
    let text = serde_json::to_vec(body).map_err(Problem::internal)?;
    Ok(HttpResponse::build(status).insert_header((CONTENT_TYPE, "application/json")).body(text))
}
