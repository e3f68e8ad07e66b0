//! One witness over HTTP: a checkpoint submitted, an answer read with bounds, its cosignature verified (spec/log.md,
//! "Witnesses"). When to ask is `state.rs`.

use super::settings::address;
use crate::read::asking::direct;
use crate::write::published::{Published, Tiles};
use fairshoe_tlog::{
    AddCheckpoint, Checkpoint, PolicyWitness, VerifierKey, conflict_size, cosignature_in, verify_checkpoint,
};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use thiserror::Error;
use tracing::warn;
use ureq::http::header::CONTENT_TYPE;

/// A submission takes no longer than that in all, the second request after a 409 included.
const LIMIT: Duration = Duration::from_secs(1);

/// The longest answer that is read, in bytes: a dozen signature lines, post-quantum ones of strangers among them.
const MAX_ANSWER: u64 = 64 * 1024;

/// How far a cosignature's time may be from our clock, either way, in seconds. One far ahead would look fresh for ever,
/// one far behind is an old one shown again; or one of the two clocks is wrong, and somebody must look.
const MAX_SKEW: u64 = 60;

/// How long a connection is kept for the next submission.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Why a submission brought no cosignature. Nothing of it is believed but what it says of the witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it took longer than a second")]
    Timeout,
    #[error("its answer is longer than {MAX_ANSWER} bytes")]
    TooLong,
    #[error("it answered with status {0}")]
    Refused(u16),
    #[error("it named another size than the one it named just before")]
    Conflict,
    #[error("it has cosigned {0} entries of this log, more than there are")]
    Ahead(u64),
    #[error("it has cosigned another tree of {0} entries of this log than ours")]
    OtherTree(u64),
    #[error("its answer is not what the protocol has: {0}")]
    BadAnswer(String),
    #[error("its cosignature does not hold: {0}")]
    BadSignature(String),
    #[error("its cosignature is dated {0}, more than {MAX_SKEW} seconds off our clock")]
    WrongClock(u64),
    #[error("no proof could be made for it: {0}")]
    NoProof(String),
}

impl Failure {
    /// A stable word for metrics and `/readyz`.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Unreachable(_) => "unreachable",
            Failure::Timeout => "timeout",
            Failure::TooLong => "answer_too_long",
            Failure::Refused(_) => "refused",
            Failure::Conflict => "conflict",
            Failure::Ahead(_) => "ahead",
            Failure::OtherTree(_) => "other_tree",
            Failure::BadAnswer(_) => "bad_answer",
            Failure::BadSignature(_) => "bad_signature",
            Failure::WrongClock(_) => "wrong_clock",
            Failure::NoProof(_) => "no_proof",
        }
    }

    /// Whether the witness says that this log has a second history.
    pub fn is_alarm(&self) -> bool {
        matches!(self, Failure::Ahead(_) | Failure::OtherTree(_))
    }
}

/// The way to one witness: a connection that is kept alive, and what the witness is believed to have seen.
pub struct Contact {
    agent: ureq::Agent,
    url: String,
    key: VerifierKey,
    /// The size it cosigned last, or named last; a 409 teaches it, so memory is enough.
    seen: u64,
    /// The largest size it cosigned for this process.
    cosigned: u64,
}

struct Answer {
    status: u16,
    is_size: bool,
    body: Vec<u8>,
}

impl Contact {
    /// Of a witness whose address was checked when the settings were read.
    pub fn new(witness: &PolicyWitness) -> Self {
        let config = direct()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_age(KEEP_ALIVE)
            .max_idle_connections_per_host(1)
            .user_agent(concat!("fairshoe/", env!("CARGO_PKG_VERSION")))
            .build();
        let url = witness.url.as_deref().and_then(address).unwrap_or_default();
        Contact { agent: config.into(), url, key: witness.key.clone(), seen: 0, cosigned: 0 }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Submits a checkpoint (c2sp.org/tlog-witness, `add-checkpoint`): the witness's verified cosignature line of
    /// exactly it. After a 409 it is tried once more, from the size that the witness names.
    pub fn submit(&mut self, published: &Published, tiles: &Tiles) -> Result<String, Failure> {
        let deadline = Instant::now() + LIMIT;
        let size = published.size();
        let mut old = self.seen.min(size);
        for _ in 0..2 {
            let proof =
                published.tree.consistency_proof(old, size, tiles).map_err(|e| Failure::NoProof(e.to_string()))?;
            let request = AddCheckpoint { old_size: old, proof, checkpoint: published.checkpoint.clone() };
            let answer = self.post(&request, deadline)?;
            match answer.status {
                200 => return self.adopt(published, &answer.body),
                409 => old = self.named_size(&answer, old, size)?,
                // Our proof leads from our own tree of that size: the witness has seen another one.
                422 if old > 0 => return Err(Failure::OtherTree(old)),
                status => return Err(Failure::Refused(status)),
            }
        }
        Err(Failure::Conflict)
    }

    /// The size that a 409 names, from which the submission may be repeated.
    fn named_size(&mut self, answer: &Answer, old: u64, size: u64) -> Result<u64, Failure> {
        // tlog-witness before 1.1 answers so where the sizes are equal and the roots are not, and need not name any.
        if old == size && conflict_size(&answer.body).is_none_or(|named| named == size) {
            return Err(Failure::OtherTree(size));
        }
        let named = conflict_size(&answer.body).filter(|_| answer.is_size);
        let named = named.ok_or_else(|| Failure::BadAnswer("a 409 names the size seen, as text/x.tlog.size".into()))?;
        if named > size {
            return Err(Failure::Ahead(named));
        }
        if named == old {
            return Err(Failure::BadAnswer("its 409 names the size that was sent".into()));
        }
        if named < self.cosigned {
            warn!(
                witness = self.key.name(),
                named,
                cosigned = self.cosigned,
                "a witness names less than it cosigned: it lost its memory"
            );
            self.cosigned = named;
        }
        self.seen = named;
        Ok(named)
    }

    fn adopt(&mut self, published: &Published, body: &[u8]) -> Result<String, Failure> {
        let answer = std::str::from_utf8(body).map_err(|_| Failure::BadAnswer("it is not text".into()))?;
        // Signed is the checkpoint's text: the note up to the empty line before its signatures.
        let end =
            published.checkpoint.rfind("\n\n").ok_or_else(|| Failure::NoProof("the checkpoint is no note".into()))?;
        let text = published.checkpoint.get(..=end).unwrap_or_default();
        let (line, time) = cosignature_in(answer, text, &self.key).map_err(|e| Failure::BadSignature(e.to_string()))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if time.abs_diff(now) > MAX_SKEW {
            return Err(Failure::WrongClock(time));
        }
        self.seen = published.size();
        self.cosigned = published.size();
        Ok(line)
    }

    fn post(&self, request: &AddCheckpoint, deadline: Instant) -> Result<Answer, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::Timeout);
        }
        let call = self.agent.post(format!("{}/add-checkpoint", self.url)).config().timeout_global(Some(left)).build();
        self.read(call.send(request.format()).map_err(failed)?)
    }

    fn read(&self, mut response: ureq::http::Response<ureq::Body>) -> Result<Answer, Failure> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_size = kind.split(';').next().is_some_and(|kind| kind.trim() == "text/x.tlog.size");
        let body = response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec().map_err(failed)?;
        Ok(Answer { status: response.status().as_u16(), is_size, body })
    }

    /// The checkpoint that the witness shows of this log to monitors, if it bears the log's own signature: with it a
    /// claim becomes a proof.
    pub fn shown(&self, log: &VerifierKey) -> Option<(Checkpoint, String)> {
        let url = format!("{}/{}/checkpoint", self.url, hex::encode(Sha256::digest(log.name())));
        let call = self.agent.get(url).config().timeout_global(Some(LIMIT)).build();
        let answer = self.read(call.call().ok()?).ok().filter(|answer| answer.status == 200)?;
        let note = String::from_utf8(answer.body).ok()?;
        let checkpoint = verify_checkpoint(&note, log).ok()?;
        Some((checkpoint, note))
    }
}

fn failed(error: ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::Timeout,
        ureq::Error::BodyExceedsLimit(_) => Failure::TooLong,
        // Reading a body wraps the cause.
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => Failure::Timeout,
        other => Failure::Unreachable(other.to_string()),
    }
}
