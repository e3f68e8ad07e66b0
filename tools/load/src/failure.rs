//! Why a run ends early: the command line, the service, or a reply that does not hold.

use crate::check::Flaw;
use crate::client::{BadUrl, Lost};
use thiserror::Error;

/// Why a run ends.
#[derive(Debug, Error)]
pub enum Failure {
    /// A reply of the service is wrong.
    #[error("CHECK FAILED, {at}: {flaw}")]
    Flaw {
        /// Player and round.
        at: String,
        /// The flaw.
        flaw: Flaw,
    },
    /// The service is gone.
    #[error("the service is gone: {request}: {lost}")]
    Gone {
        /// The request.
        request: String,
        /// The error of the connection.
        lost: Lost,
    },
    /// The service refused a request that should be possible.
    #[error("{request} was refused: {status} {code}: {detail}")]
    Refused {
        /// The request.
        request: String,
        /// The HTTP status.
        status: u16,
        /// The stable code.
        code: String,
        /// The refusal in words.
        detail: String,
    },
    /// The reply does not follow openapi.yaml.
    #[error("the reply to {request} is not as specified: {error}")]
    Reply {
        /// The request.
        request: String,
        /// The reason.
        error: String,
    },
    /// Another player failed.
    #[error("stopped because another player failed")]
    Stopped,
    /// The address cannot be used.
    #[error(transparent)]
    Url(#[from] BadUrl),
    /// A file of the command line cannot be used.
    #[error("{what}: {error}")]
    File {
        /// The file.
        what: String,
        /// The reason.
        error: std::io::Error,
    },
    /// Another requirement of the command line cannot be met.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// Whether the command line, not the service, is at fault (exit code 2).
    pub fn is_usage(&self) -> bool {
        matches!(self, Failure::Url(_) | Failure::File { .. } | Failure::Usage(_))
    }
}
