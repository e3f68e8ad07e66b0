//! A player's way to the service: waits where it is told to, asks again where the connection broke.

use crate::client::{Client, Lost, Reply, Request};
use crate::failure::Failure;
use crate::shared::Shared;
use fairshoe_api::SeedLine;
use fairshoe_api::{ErrorCode, Problem};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::sleep;

/// Between two attempts to reach a service that is gone.
const RETRY_EVERY: Duration = Duration::from_millis(50);

/// Between two attempts where the house is about to do something itself: commit a shoe, recover a table.
const HOUSE_PAUSE: Duration = Duration::from_millis(2);

/// How long a service may ask for patience (429, 503, a shoe not committed yet).
const PATIENCE: Duration = Duration::from_secs(30);

/// A reply, and how it came.
#[derive(Debug)]
pub struct Answer {
    /// The service's reply, nothing of it checked.
    pub reply: Reply,
    /// From sending the request to the whole reply, the last attempt alone.
    pub took: Duration,
}

/// See the module. Several links may share a connection.
pub struct Link {
    client: Arc<Mutex<Client>>,
    generation: u64,
    /// What was read before the connection broke may be stale, until somebody reads it again.
    stale: bool,
    shared: Arc<Shared>,
}

impl Link {
    /// A link over this connection.
    pub fn new(client: Arc<Mutex<Client>>, shared: Arc<Shared>) -> Self {
        Link { client, generation: 0, stale: true, shared }
    }

    /// From here on everything that matters is read again.
    pub fn refresh(&mut self) {
        self.stale = false;
    }

    /// Sends a request until there is a reply that is an answer. Only for requests that may be repeated.
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
    /// [`Link::refresh`], before or after the request was sent; it is there again, and what became of the request must
    /// be looked up.
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
                // The next turn of the loop finds the connection gone, or makes a new one, and says so.
                Err(lost) => waiting.for_service(&self.shared, request, lost).await?,
                Ok(reply) => match waiting.asked_for(&self.shared, &reply) {
                    Some(pause) => sleep(pause).await,
                    None => return Ok(Some(Answer { reply, took })),
                },
            }
        }
    }

    /// Sends a request once and gives the status alone, whatever it is.
    ///
    /// # Errors
    /// [`Failure::Gone`].
    pub async fn call_plain(&mut self, request: &Request) -> Result<u16, Failure> {
        let mut client = self.client.lock().await;
        let reply = client.send(request).await.map_err(|lost| Failure::Gone { request: request.name(), lost })?;
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
        String::from_utf8(answer.reply.body.to_vec())
            .map_err(|e| Failure::Reply { request: request.name(), error: e.to_string() })
    }

    /// Reads something.
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
    serde_json::from_slice(&reply.body).map_err(|e| Failure::Reply { request: request.name(), error: e.to_string() })
}

/// The two lines of a reply to a seed or a choice with `received=first`: the note, and the reply that came after it.
///
/// # Errors
/// [`Failure::Reply`] where they are not as specified.
pub fn in_two_lines(request: &Request, reply: Reply) -> Result<(Option<String>, Reply), Failure> {
    if !reply.is_success() {
        return Ok((None, reply));
    }
    let wrong = |error: String| Failure::Reply { request: request.name(), error };
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

/// The failure that a refusal is.
pub fn refused(request: &Request, reply: &Reply) -> Failure {
    let problem = problem(reply);
    Failure::Refused {
        request: request.name(),
        status: reply.status,
        code: problem.code.to_string(),
        detail: problem.detail,
    }
}

/// Goes where a node says that decisions are made.
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

/// How long was waited already.
#[derive(Default)]
struct Waiting {
    lost_since: Option<Instant>,
    asked_since: Option<Instant>,
}

impl Waiting {
    /// Waits before the service is tried again: not at all the first time, for a keep-alive connection may just have
    /// ended; then as long as the command line allows.
    async fn for_service(&mut self, shared: &Shared, request: &Request, lost: Lost) -> Result<(), Failure> {
        if shared.is_stopped() {
            return Err(Failure::Stopped);
        }
        shared.totals().lost += 1;
        match self.lost_since {
            None => self.lost_since = Some(Instant::now()),
            Some(since) if since.elapsed() > Duration::from_secs(shared.args.reconnect) => {
                return Err(Failure::Gone { request: request.name(), lost });
            }
            Some(_) => sleep(RETRY_EVERY).await,
        }
        Ok(())
    }

    /// How long the service wants to be waited for, if it does and it was not asked too often.
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
            totals.house_waits += 1
        } else {
            totals.throttled += 1
        }
        Some(pause)
    }
}
