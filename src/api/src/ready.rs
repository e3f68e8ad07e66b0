//! Whether the service can serve (openapi.yaml, `Ready`), and the state of its witnesses.

use serde::{Deserialize, Serialize};

/// `GET /readyz`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ready {
    /// Whether the service can serve.
    pub ready: bool,
    /// Whether bets are accepted.
    pub bets: bool,
    /// The number of entries of the log.
    pub size: u64,
    /// The reason why no bets are accepted.
    pub reason: Option<String>,
    /// The witnesses' state, if there are witnesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<WitnessState>,
}

/// The witnesses' state for an operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WitnessState {
    /// Whether a quorum has cosigned no new checkpoint for too long.
    pub unwitnessed: bool,
    /// Entries under the newest checkpoint that met the quorum.
    pub size: Option<u64>,
    /// Seconds since it was the newest checkpoint of all.
    pub age: Option<u64>,
    /// Seconds after which bets are refused.
    pub limit: Option<u64>,
    /// The witnesses in the order of the operator's file.
    pub witnesses: Vec<WitnessView>,
}

/// The submissions to one witness.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WitnessView {
    /// Its name in the operator's file.
    pub name: String,
    /// The size it cosigned last for this process.
    pub cosigned_size: Option<u64>,
    /// The time of that, UTC milliseconds.
    pub cosigned_at: Option<u64>,
    /// The kind of failure of the last submission; absent if it brought a cosignature.
    pub error: Option<String>,
    /// Submissions that failed since the last cosignature.
    pub failures: u32,
    /// Whether the witness reports a second history of this log.
    pub alarm: bool,
}
