//! Whether the service can do anything (openapi.yaml, `Ready`), and what its witnesses have cosigned.

use serde::{Deserialize, Serialize};

/// `GET /readyz`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ready {
    /// Whether anything can be done.
    pub ready: bool,
    /// Whether bets are taken.
    pub bets: bool,
    /// How many entries the log has.
    pub size: u64,
    /// Why no bets are taken.
    pub reason: Option<String>,
    /// Where there are witnesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<WitnessState>,
}

/// What an operator is told of the witnesses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WitnessState {
    /// Whether no quorum cosigned a new checkpoint for too long.
    pub unwitnessed: bool,
    /// Entries under the newest checkpoint that met the quorum.
    pub size: Option<u64>,
    /// Seconds since it was the newest checkpoint of all.
    pub age: Option<u64>,
    /// Seconds after which no bet is taken.
    pub limit: Option<u64>,
    /// By the order of the operator's file.
    pub witnesses: Vec<WitnessView>,
}

/// What became of the submissions to one witness.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WitnessView {
    /// Its name in the operator's file.
    pub name: String,
    /// The size it cosigned last for this process.
    pub cosigned_size: Option<u64>,
    /// When, UTC milliseconds.
    pub cosigned_at: Option<u64>,
    /// The kind of failure of the last submission; nothing if it brought a cosignature.
    pub error: Option<String>,
    /// Submissions that failed since the last cosignature.
    pub failures: u32,
    /// Whether the witness says that this log has a second history.
    pub alarm: bool,
}
