//! A wallet's error reply: a status and a stable code (RFC 9457; spec/wallet.yaml, `Problem`).

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use serde_json::json;
use std::fmt;

/// The stable codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A body, query or header does not have the call's form.
    Malformed,
    /// The token is missing or wrong.
    Unauthorized,
    /// There is no such path.
    NotFound,
    /// The path takes another method.
    MethodNotAllowed,
    /// The body did not come in time.
    RequestTimeout,
    /// The name was used before, with another player, amount or kind.
    OtherOperation,
    /// The call is not allowed in the operation's state.
    OutOfOrder,
    /// The state is unknown now, for example while the database is away; the same call may be sent again.
    Unavailable,
}

impl Code {
    /// Its text.
    pub fn name(self) -> &'static str {
        match self {
            Code::Malformed => "malformed",
            Code::Unauthorized => "unauthorized",
            Code::NotFound => "not_found",
            Code::MethodNotAllowed => "method_not_allowed",
            Code::RequestTimeout => "request_timeout",
            Code::OtherOperation => "other_operation",
            Code::OutOfOrder => "out_of_order",
            Code::Unavailable => "unavailable",
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Code::Malformed => StatusCode::BAD_REQUEST,
            Code::Unauthorized => StatusCode::UNAUTHORIZED,
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Code::OtherOperation | Code::OutOfOrder => StatusCode::CONFLICT,
            Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// A problem.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    detail: String,
    allow: Option<&'static str>,
    ends: bool,
}

impl Problem {
    /// A problem of this code, with these words.
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem { code, detail: detail.into(), allow: None, ends: false }
    }

    /// The path takes another method.
    pub fn wrong_method(allow: &'static str) -> Problem {
        Problem { allow: Some(allow), ..Problem::new(Code::MethodNotAllowed, format!("send {allow} here")) }
    }

    /// The connection ends with this reply: the rest of the request is not read.
    pub fn and_end(self) -> Problem {
        Problem { ends: true, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.detail)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.code.status();
        let mut reply = HttpResponse::build(status);
        reply.insert_header((CONTENT_TYPE, "application/problem+json"));
        reply.insert_header((CACHE_CONTROL, "no-store"));
        if status == StatusCode::UNAUTHORIZED {
            reply.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            reply.insert_header((RETRY_AFTER, 1));
        }
        if let Some(allow) = self.allow {
            reply.insert_header((ALLOW, allow));
        }
        if self.ends {
            reply.force_close();
        }
        let body = json!({
            "type": format!("urn:fairshoe:error:{}", self.code.name()),
            "title": status.canonical_reason().unwrap_or("error"),
            "status": status.as_u16(),
            "detail": self.detail,
            "code": self.code.name(),
        });
        reply.body(body.to_string())
    }
}
