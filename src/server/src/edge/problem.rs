//! Errors as RFC 9457 problems, from the closed list of codes in openapi.yaml.

use crate::Service;
use crate::cluster::NotLeading;
use crate::edge::budget::Full;
use crate::ops::metrics::Code;
use crate::ops::tokens::TOKENS_PER_HOLDER;
use crate::read::history::HistoryError;
use crate::read::index::IndexError;
use crate::write::pipeline::{QueueError, Rejected, now_ms};
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError, web};
use fairshoe_api::ErrorCode;
use fairshoe_fairness::TableId;
use fairshoe_games::{BetRefusal, Illegal};
use fairshoe_house::Refusal;
use std::fmt;

/// Too much is under way, of all or of the one who asks; the same request may be sent again.
pub fn busy(detail: &str) -> Problem {
    Problem { retry_after: Some(2), ..Problem::unavailable(ErrorCode::Busy, detail) }
}

/// A problem: a stable code, its status, and what happened in words.
#[derive(Debug)]
pub struct Problem {
    pub code: ErrorCode,
    pub status: StatusCode,
    pub detail: String,
    pub retry_after: Option<u64>,
    /// The methods that would do, where this one does not.
    pub allow: Option<&'static str>,
    /// The table that came in the place of the one asked for, which is closed.
    pub replaced_by: Option<TableId>,
    /// The signed note that a command was refused.
    pub refused: Option<String>,
    /// The node that decides, where this one does not.
    pub leader: Option<Box<str>>,
}

impl Problem {
    pub fn new(status: StatusCode, code: ErrorCode, detail: impl Into<String>) -> Self {
        Problem {
            code,
            status,
            detail: detail.into(),
            retry_after: None,
            allow: None,
            replaced_by: None,
            refused: None,
            leader: None,
        }
    }

    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::Malformed, detail)
    }

    pub fn not_found(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    pub fn not_allowed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorCode::NotAllowed, detail)
    }

    pub fn unavailable(code: ErrorCode, detail: impl Into<String>) -> Self {
        Problem { retry_after: Some(1), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail) }
    }

    /// Too many of something; more may come in so many seconds.
    pub fn too_many(seconds: u64, detail: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, detail);
        Problem { retry_after: Some(seconds), ..problem }
    }

    /// The same until a time, UTC milliseconds.
    fn too_many_until(now: u64, until: u64, detail: String) -> Self {
        Self::too_many(until.saturating_sub(now).div_ceil(1000).max(1), detail)
    }

    /// Something that should not happen; the details are for the operator's log, not for strangers.
    pub fn internal(what: impl fmt::Display) -> Self {
        tracing::error!(%what, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            ErrorCode::Internal,
            "the request failed; the operator's log says why",
        )
    }

    /// The body of the reply.
    pub fn body(&self) -> fairshoe_api::Problem {
        let title = self.status.canonical_reason().unwrap_or("error");
        let (refused, replaced_by, leader) =
            (self.refused.clone(), self.replaced_by.clone(), self.leader.as_deref().map(str::to_owned));
        let body = fairshoe_api::Problem::new(self.code, self.status.as_u16(), title, self.detail.clone());
        fairshoe_api::Problem { refused, replaced_by, leader, ..body }
    }

    /// The same as it is sent.
    pub fn text(&self) -> String {
        // Its fields are texts and a number, which serde_json always writes.
        serde_json::to_string(&self.body()).unwrap_or_default()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut reply = HttpResponse::build(self.status);
        reply.insert_header((CONTENT_TYPE, "application/problem+json"));
        // A 404 may be cached where nothing forbids it: a tile asked for too early would stay missing.
        reply.insert_header((CACHE_CONTROL, "no-store"));
        if self.status == StatusCode::UNAUTHORIZED {
            reply.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            reply.insert_header((RETRY_AFTER, seconds));
        }
        if let Some(methods) = self.allow {
            reply.insert_header((ALLOW, methods));
        }
        reply.body(self.text())
    }
}

/// No token came that is in force.
pub fn unauthorized(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, detail)
}

/// The status that a refusal's code has in openapi.yaml.
fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::NotAllowed(_)
        | Refusal::SignatureMissing(_)
        | Refusal::SignatureWrong(_)
        | Refusal::Illegal(Illegal::NotYours { .. }) => StatusCode::FORBIDDEN,
        Refusal::UnknownPlayer(_)
        | Refusal::UnknownTable(_)
        | Refusal::UnknownEvent(_)
        | Refusal::UnknownLog(_)
        | Refusal::UnknownOperation(_)
        | Refusal::Replaced { .. } => StatusCode::NOT_FOUND,
        Refusal::LogEnded { .. } => StatusCode::GONE,
        Refusal::TooManyChanges { .. } => StatusCode::TOO_MANY_REQUESTS,
        Refusal::Malformed(_) => StatusCode::BAD_REQUEST,
        // The table's state stands against these, not the request's content.
        Refusal::Bet(
            BetRefusal::InsufficientBalance { .. } | BetRefusal::SpotTaken { .. } | BetRefusal::Players { .. },
        ) => StatusCode::CONFLICT,
        Refusal::Bet(_)
        | Refusal::RuleSet(_)
        | Refusal::KeyRefused
        | Refusal::Structure(_)
        | Refusal::Stake(_)
        | Refusal::Deal(_)
        | Refusal::Instant { .. }
        | Refusal::BuyIn { .. }
        | Refusal::Illegal(Illegal::RaiseRange { .. }) => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::CONFLICT,
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        // A refusal of what only the house asks of itself has no code: a client that gets it has found a fault of the
        // service.
        let Some(code) = ErrorCode::parse(refusal.code()) else { return Problem::internal(refusal) };
        let problem = Problem::new(status_of(&refusal), code, refusal.to_string());
        match refusal {
            Refusal::TooManyChanges { until } => {
                let seconds = until.saturating_sub(now_ms()).div_ceil(1_000).max(1);
                Problem { retry_after: Some(seconds), ..problem }
            }
            Refusal::Replaced { by, .. } => Problem { replaced_by: Some(by), ..problem },
            _ => problem,
        }
    }
}

impl From<Rejected> for Problem {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Refused { refusal, .. } => refusal.into(),
            Rejected::Quota { now, until } => {
                let detail = format!(
                    "too many tables, seats, keys, tokens, withdrawals and claims in an hour; more from {until} (UTC milliseconds)"
                );
                Problem::too_many_until(now, until, detail)
            }
            Rejected::WrongEpoch { given, in_force } => Problem::new(
                StatusCode::CONFLICT,
                ErrorCode::WrongEpoch,
                format!(
                    "the commitment is bound to the epoch {given}, and {in_force} is in force there: the dealer was started anew"
                ),
            ),
            Rejected::Written { now, until } => {
                let detail = format!(
                    "so much was played in an hour as one player may, or as the guests of one address or all of them may; \
                     what has begun can be finished, and more from {until} (UTC milliseconds)"
                );
                Problem::too_many_until(now, until, detail)
            }
            Rejected::TooManyTokens(holder) => Problem::new(
                StatusCode::CONFLICT,
                ErrorCode::TooManyTokens,
                format!("{holder} has {TOKENS_PER_HOLDER} tokens in force; send \"revoke\": true to replace them"),
            ),
            Rejected::TokenEnded => unauthorized("this token is not in force"),
            Rejected::Repeated(_) => Problem::internal("a repeat is answered from the log"),
            Rejected::TooManyGuests => Problem {
                code: ErrorCode::TooManyGuests,
                ..Problem::too_many(
                    60,
                    "there are as many guests as this service admits, or as many of your address while few places are left; one \
                     who does nothing for five minutes makes room",
                )
            },
            Rejected::KeyReused => Problem::new(
                StatusCode::CONFLICT,
                ErrorCode::IdempotencyKeyReused,
                "this Idempotency-Key came with another request before; use a new key",
            ),
            Rejected::NotLeading(leader) => NotLeading { leader }.into(),
            Rejected::Unwitnessed => Problem {
                retry_after: Some(5),
                ..Problem::unavailable(
                    ErrorCode::Unwitnessed,
                    "the log's witnesses have not cosigned it for too long, so no bet is taken; open rounds can be finished",
                )
            },
            Rejected::DiskFull => Problem {
                retry_after: Some(60),
                ..Problem::unavailable(
                    ErrorCode::DiskFull,
                    "the service has too little free space to begin anything; open rounds can be finished",
                )
            },
        }
    }
}

impl From<NotLeading> for Problem {
    fn from(NotLeading { leader }: NotLeading) -> Self {
        let detail = match &leader {
            Some(address) => format!("this node follows: {address} leads, send the same request there"),
            None => "this node follows, and does not know yet which one leads; send the same request again".into(),
        };
        let problem = Problem::new(StatusCode::MISDIRECTED_REQUEST, ErrorCode::NotLeader, detail);
        Problem { leader: leader.map(String::into_boxed_str), retry_after: Some(1), ..problem }
    }
}

impl From<Full> for Problem {
    fn from(_: Full) -> Self {
        busy("no memory is left for bodies and replies under way, or none of your share")
    }
}

impl From<QueueError> for Problem {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Busy => Problem::unavailable(ErrorCode::Unavailable, "too much is under way; try again"),
            QueueError::Stopping => Problem::unavailable(ErrorCode::Stopping, "the service is stopping"),
        }
    }
}

impl From<HistoryError> for Problem {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::NoSuchRound => Problem::not_found(ErrorCode::UnknownRound, "there is no such round"),
            HistoryError::NoSuchShoe => Problem::not_found(ErrorCode::UnknownShoe, "there is no such shoe"),
            other => Problem::internal(other),
        }
    }
}

impl From<IndexError> for Problem {
    fn from(error: IndexError) -> Self {
        HistoryError::from(error).into()
    }
}

/// Counts a problem; every handler's error passes here.
pub fn count(service: &web::Data<Service>, problem: &Problem) {
    service.running.metrics.problems.get_or_create(&Code { code: problem.code.as_str() }).inc();
}

/// The answer to every path that the contract does not have.
pub async fn no_such_path() -> Result<HttpResponse, Problem> {
    Err(Problem::not_found(ErrorCode::NotFound, "there is nothing at this path; GET /openapi.yaml lists what there is"))
}
