//! Significant events (openapi.yaml, `SignificantList`): what an authority wants to see without reading the whole log.

use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_games::{Ahead, Chips};
use fairshoe_house::{Actor, Holder, LapseCause, Reference, Software, VoidCause};
use serde::{Deserialize, Serialize};

/// A page of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignificantList {
    /// Oldest first.
    pub events: Vec<SignificantEvent>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

/// One, with what its entry says of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignificantEvent {
    /// Strictly increasing from 1, without a gap.
    pub sequence: u64,
    /// The log index of its entry.
    pub index: u64,
    /// When.
    pub time: String,
    /// What happened.
    pub kind: String,
    /// Who did it.
    pub by: Actor,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// A void round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// Why a round is void, or bets came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Who withheld a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<PlayerId>>,
    /// Who was ahead when the round was voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Ahead>,
    /// The operator's, or why a start was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reference>,
    /// Whom it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
    /// A correction's, minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Chips>,
    /// Whose tokens were revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Holder>,
    /// A start's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
    /// What was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software: Option<Software>,
    /// Milliseconds without a dealer before a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_ms: Option<u64>,
    /// Whether the process before had stopped in good order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<bool>,
    /// When a start was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_at: Option<String>,
    /// A shoe that was changed or disclosed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shoe_no: Option<u64>,
    /// The other log that is known from now on, or not any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Origin>,
    /// How many of the last hundred rounds a withheld seed voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// Of a round, or of bets that never became one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cause {
    /// The round is void.
    Void(VoidCause),
    /// The bets came back.
    Lapse(LapseCause),
}
