//! The servers' answer to a message that comes too late.

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use std::error::Error as _;

/// Whether a server says that another message is last. It uses a second code for that while the other message is on its
/// way to its replicas: *a stranger who writes next to the leader would make it leave a server that answers, and be
/// silent meanwhile.*
pub fn is_refusal(error: &PublishError) -> bool {
    let code = || Some(error.source()?.downcast_ref::<async_nats::jetstream::Error>()?.error_code());
    error.kind() == PublishErrorKind::WrongLastSequence
        || code() == Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn both_codes_of_a_server_for_another_message_that_is_last_refuse_and_no_other() {
        let said = |kind, code: u64| {
            let text = format!(r#"{{"code":400,"err_code":{code},"description":"wrong last sequence"}}"#);
            PublishError::with_source(kind, serde_json::from_str::<async_nats::jetstream::Error>(&text).unwrap())
        };
        assert!(is_refusal(&said(PublishErrorKind::WrongLastSequence, 10_071)));
        assert!(is_refusal(&said(PublishErrorKind::Other, 10_164)));
        assert!(!is_refusal(&said(PublishErrorKind::Other, 10_077)), "the stream is full");
        assert!(!is_refusal(&PublishError::new(PublishErrorKind::TimedOut)));
    }
}
