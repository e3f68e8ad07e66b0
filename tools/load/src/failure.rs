//! Why a run ends early: the command line, the service, or a reply that does not hold.

use crate::check::Flaw;
use crate::client::{BadUrl, Lost};
use thiserror::Error;

/// Why a run ends.
#[derive(Debug, Error)]
pub enum Failure {
    /// A reply of the service is wrong.
    #[error("CHECK FAILED, {0}: {1}")]
    Flaw(String, Flaw),
    /// The service is gone.
    #[error("the service is gone: {0}: {1}")]
    Gone(String, Lost),
    /// The service refused a request that should be possible.
    #[error("{0} was refused: {1} {2}: {3}")]
    Refused(String, u16, String, String),
    /// The reply does not follow openapi.yaml.
    #[error("the reply to {0} is not as specified: {1}")]
    Reply(String, String),
    /// Another player failed.
    #[error("stopped because another player failed")]
    Stopped,
    /// The address cannot be used.
    #[error(transparent)]
    Url(#[from] BadUrl),
    /// A file of the command line cannot be used.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// Another requirement of the command line cannot be met.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// Whether the command line, not the service, is at fault (exit code 2).
    pub fn is_usage(&self) -> bool {
        matches!(self, Failure::Url(_) | Failure::File(..) | Failure::Usage(_))
    }
}
