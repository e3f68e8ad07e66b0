//! Significant events (openapi.yaml, `SignificantList`): an authority sees them without reading the whole log.

use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_games::{Ahead, Chips};
use fairshoe_house::{Actor, Holder, LapseCause, Reference, Software, VoidCause};
use serde::{Deserialize, Serialize};

/// A page of significant events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignificantList {
    /// The events, oldest first.
    pub events: Vec<SignificantEvent>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

/// A significant event, with details from its entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignificantEvent {
    /// Strictly increasing from 1, without a gap.
    pub sequence: u64,
    /// The log index of its entry.
    pub index: u64,
    /// The time.
    pub time: String,
    /// The kind of event.
    pub kind: String,
    /// The actor.
    pub by: Actor,
    /// The table or tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// The void round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// The reason why a round is void, or why bets came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The players who withheld a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<PlayerId>>,
    /// The side that was ahead when the round was voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Ahead>,
    /// The operator's reason, or the reason for a refused start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reference>,
    /// The player concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
    /// The amount of a correction, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Chips>,
    /// The holder of revoked tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Holder>,
    /// The epoch of a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
    /// The software that was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software: Option<Software>,
    /// Milliseconds without a dealer before a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_ms: Option<u64>,
    /// Whether the previous process had stopped cleanly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<bool>,
    /// The time of a refused start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_at: Option<String>,
    /// A shoe that was changed or disclosed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shoe_no: Option<u64>,
    /// The other log that becomes known, or is no longer known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Origin>,
    /// The number of the last hundred rounds that a withheld seed voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// The cause for a round, or for bets that never became one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cause {
    /// The round is void.
    Void(VoidCause),
    /// The bets came back.
    Lapse(LapseCause),
}
