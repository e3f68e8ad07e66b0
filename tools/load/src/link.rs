//! A player's way to the service: waits when told to, and repeats a request after the connection broke.

use crate::check::Flaw;
use crate::client::{Client, Lost, Reply, Request};
use crate::failure::Failure;
use crate::shared::Shared;
use fairshoe_api::SeedLine;
use fairshoe_api::{ErrorCode, Problem};
use fairshoe_fairness::TableId;
use fairshoe_judge::bundle::{Soundness, verify};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// The time between two attempts to reach a service that is gone.
const RETRY_EVERY: Duration = Duration::from_millis(50);

/// The time between two attempts while the house is about to act by itself: commit a shoe, recover a table.
const HOUSE_PAUSE: Duration = Duration::from_millis(2);

/// The longest time that a service may make a client wait (429, 503, a shoe not committed yet).
const PATIENCE: Duration = Duration::from_secs(30);

/// A reply with its time.
#[derive(Debug)]
pub struct Answer {
    /// The service's reply, unchecked.
    pub reply: Reply,
    /// The time from sending the request to the whole reply, only of the last attempt.
    pub took: Duration,
}

/// A player's way to the service; see the module. Several links may share a connection.
pub struct Link {
    client: Arc<Mutex<Client>>,
    generation: u64,
    /// Data read before the connection broke may be stale until it is read again.
    stale: bool,
    shared: Arc<Shared>,
}

impl Link {
    /// A link over this connection.
    pub fn new(client: Arc<Mutex<Client>>, shared: Arc<Shared>) -> Self {
        Link { client, generation: 0, stale: true, shared }
    }

    /// Declares that all important data is read again from here on.
    pub fn refresh(&mut self) {
        self.stale = false;
    }

    /// Sends a request until an answer comes. Only for requests that may be repeated.
    ///
    /// # Errors
    /// [`Failure::Gone`] when the service stays away, [`Failure::Stopped`].
    pub async fn call(&mut self, request: &Request) -> Result<Answer, Failure> {
        let mut waiting = Waiting::default();
        loop {
            self.shared.turn().await;
            let mut client = self.client.lock().await;
            let started = Instant::now();
            let sent = client.send(request).await;
            let took = started.elapsed();
            self.stale |= sent.is_err() || client.generation() != self.generation;
            self.generation = client.generation();
            follow(&mut client, &sent);
            drop(client);
            match sent {
                Err(lost) => waiting.for_service(&self.shared, request, lost).await?,
                Ok(reply) => match waiting.asked_for(&self.shared, &reply) {
                    Some(pause) => sleep(pause).await,
                    None => return Ok(Answer { reply, took }),
                },
            }
        }
    }

    /// Sends a request that must not be repeated blindly. `None`: the connection broke since the last
    /// [`Link::refresh`], before or after sending. It is there again, and the caller must look up the request's result.
    ///
    /// # Errors
    /// As [`Link::call`].
    pub async fn call_once(&mut self, request: &Request) -> Result<Option<Answer>, Failure> {
        let mut waiting = Waiting::default();
        loop {
            self.shared.turn().await;
            let mut client = self.client.lock().await;
            if let Err(lost) = client.connect().await {
                client.go_elsewhere(None);
                drop(client);
                waiting.for_service(&self.shared, request, lost).await?;
                continue;
            }
            self.stale |= client.generation() != self.generation;
            self.generation = client.generation();
            if self.stale {
                return Ok(None);
            }
            let started = Instant::now();
            let sent = client.send(request).await;
            let took = started.elapsed();
            follow(&mut client, &sent);
            drop(client);
            match sent {
                // The next turn of the loop finds the connection gone, or makes a new one, and reports it.
                Err(lost) => waiting.for_service(&self.shared, request, lost).await?,
                Ok(reply) => match waiting.asked_for(&self.shared, &reply) {
                    Some(pause) => sleep(pause).await,
                    None => return Ok(Some(Answer { reply, took })),
                },
            }
        }
    }

    /// Sends a request once and returns only the status.
    ///
    /// # Errors
    /// [`Failure::Gone`].
    pub async fn call_plain(&mut self, request: &Request) -> Result<u16, Failure> {
        let mut client = self.client.lock().await;
        let reply = client.send(request).await.map_err(|lost| Failure::Gone(request.name(), lost))?;
        Ok(reply.status)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// As [`Link::read`].
    pub async fn text(&mut self, request: &Request) -> Result<String, Failure> {
        let answer = self.call(request).await?;
        if !answer.reply.is_success() {
            return Err(refused(request, &answer.reply));
        }
        String::from_utf8(answer.reply.body.to_vec()).map_err(|e| Failure::Reply(request.name(), e.to_string()))
    }

    /// Judges the service's own bundle of a finished round, as a third party does.
    ///
    /// # Errors
    /// As [`Link::read`].
    pub async fn judge_bundle(&mut self, table: &TableId, round_no: u64) -> Result<Result<(), Flaw>, Failure> {
        let shared = self.shared.clone();
        let request = Request::get(format!("/v1/rounds/{table}:{round_no}/bundle")).token(&shared.operator);
        let bundle = self.text(&request).await?;
        let judged = spawn_blocking(move || verify(bundle.as_bytes(), Some(shared.log.key()))).await;
        let verdict = judged.map_err(|e| Failure::Usage(format!("judging a bundle broke down: {e}")))?;
        if verdict.verdict == Soundness::Sound {
            return Ok(Ok(()));
        }
        let said = serde_json::to_string(&verdict).unwrap_or_default();
        Ok(Err(Flaw::differs("the verdict on the round's bundle", Soundness::Sound, said)))
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`Failure`]: gone, refused, or not as specified.
    pub async fn read<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, Failure> {
        let answer = self.call(request).await?;
        parse(request, &answer.reply)
    }
}

/// A successful reply's JSON.
///
/// # Errors
/// [`Failure::Refused`] or [`Failure::Reply`].
pub fn parse<T: DeserializeOwned>(request: &Request, reply: &Reply) -> Result<T, Failure> {
    if !reply.is_success() {
        return Err(refused(request, reply));
    }
    serde_json::from_slice(&reply.body).map_err(|e| Failure::Reply(request.name(), e.to_string()))
}

/// The two lines of a reply to a seed or a choice with `received=first`: the note, and the reply after it.
///
/// # Errors
/// [`Failure::Reply`] if they do not follow the contract.
pub fn in_two_lines(request: &Request, reply: Reply) -> Result<(Option<String>, Reply), Failure> {
    if !reply.is_success() {
        return Ok((None, reply));
    }
    let wrong = |error: String| Failure::Reply(request.name(), error);
    let (mut note, mut decided) = (None, None);
    for line in reply.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line).map_err(|e| wrong(e.to_string()))? {
            SeedLine { received: Some(received), status: None, reply: None } if note.is_none() && decided.is_none() => {
                note = Some(received)
            }
            SeedLine { received: None, status: Some(status), reply: Some(reply) } if decided.is_none() => {
                decided = Some((status, reply))
            }
            _ => return Err(wrong("the note comes first, and what became of it last".into())),
        }
    }
    let (status, body) = decided.ok_or_else(|| wrong("what became of it is missing".into()))?;
    Ok((note, Reply { status, body: body.get().to_owned().into(), ..reply }))
}

/// The failure for a refusal.
pub fn refused(request: &Request, reply: &Reply) -> Failure {
    let problem = problem(reply);
    Failure::Refused(request.name(), reply.status, problem.code.to_string(), problem.detail)
}

/// Goes to the node that another node names as the leader.
fn follow(client: &mut Client, sent: &Result<Reply, Lost>) {
    if let Ok(reply) = sent
        && reply.status == 421
    {
        client.go_elsewhere(problem(reply).leader.as_deref());
    }
}

/// A refusal's words.
pub fn problem(reply: &Reply) -> Problem {
    serde_json::from_slice(&reply.body).unwrap_or_default()
}

/// The waiting time so far.
#[derive(Default)]
struct Waiting {
    lost_since: Option<Instant>,
    asked_since: Option<Instant>,
}

impl Waiting {
    /// Waits before the next try: the first time not at all, because a keep-alive connection may just have ended; then
    /// as long as the command line allows.
    async fn for_service(&mut self, shared: &Shared, request: &Request, lost: Lost) -> Result<(), Failure> {
        if shared.is_stopped() {
            return Err(Failure::Stopped);
        }
        shared.totals().counts.lost += 1;
        match self.lost_since {
            None => self.lost_since = Some(Instant::now()),
            Some(since) if since.elapsed() > Duration::from_secs(shared.args.reconnect) => {
                return Err(Failure::Gone(request.name(), lost));
            }
            Some(_) => sleep(RETRY_EVERY).await,
        }
        Ok(())
    }

    /// The time that the service asks to wait, if it does, and the tries are not used up.
    fn asked_for(&mut self, shared: &Shared, reply: &Reply) -> Option<Duration> {
        let pause = match reply.status {
            421 => RETRY_EVERY,
            429 | 503 => Duration::from_secs(reply.retry_after.unwrap_or(1).clamp(1, 5)),
            409 if matches!(problem(reply).code, ErrorCode::Recovering | ErrorCode::NoShoe) => HOUSE_PAUSE,
            _ => return None,
        };
        let since = *self.asked_since.get_or_insert_with(Instant::now);
        if since.elapsed() > PATIENCE || shared.is_stopped() {
            return None;
        }
        let mut totals = shared.totals();
        if reply.status != 429 && reply.status != 503 {
            totals.counts.house_waits += 1
        } else {
            totals.counts.throttled += 1
        }
        Some(pause)
    }
}
