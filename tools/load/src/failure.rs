//! Why a run ends early: the command line, the service, or a reply that does not hold.

use crate::check::Flaw;
use crate::client::{BadUrl, Lost};
use thiserror::Error;

/// Why a run ends.
#[derive(Debug, Error)]
pub enum Failure {
    /// The service said something that is not so.
    #[error("CHECK FAILED, {at}: {flaw}")]
    Flaw {
        /// Player and round.
        at: String,
        /// What.
        flaw: Flaw,
    },
    /// The service is gone.
    #[error("the service is gone: {request}: {lost}")]
    Gone {
        /// What was asked.
        request: String,
        /// How it showed.
        lost: Lost,
    },
    /// The service refused what should be possible.
    #[error("{request} was refused: {status} {code}: {detail}")]
    Refused {
        /// What was asked.
        request: String,
        /// The HTTP status.
        status: u16,
        /// The stable code.
        code: String,
        /// In words.
        detail: String,
    },
    /// The reply is not what openapi.yaml says.
    #[error("the reply to {request} is not as specified: {error}")]
    Reply {
        /// What was asked.
        request: String,
        /// Why.
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
        /// Which.
        what: String,
        /// Why.
        error: std::io::Error,
    },
    /// Something else that the command line asks for cannot be had.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// Whether the command line, not the service, is at fault (exit code 2).
    pub fn is_usage(&self) -> bool {
        matches!(self, Failure::Url(_) | Failure::File { .. } | Failure::Usage(_))
    }
}
