//! What the service says (openapi.yaml), as far as a player reads it. Unknown fields are passed over.

use fairshoe_fairness::{Composition, Epoch, Opening, Origin, PlayerId, RoundEntropy, TableId};
use fairshoe_games::{Chips, Offer, Place, RuleSet};
use fairshoe_house::Committed;
use serde::Deserialize;

/// A refusal (`Problem`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The stable code.
    pub code: String,
    /// What is wrong, in words.
    pub detail: String,
}

/// The log's own word (`GET /v1/log`).
#[derive(Debug, Deserialize)]
pub struct LogInfo {
    /// Its name.
    pub origin: Origin,
    /// The key that signs its checkpoints.
    pub vkey: String,
    /// The newest of them.
    pub checkpoint: String,
}

/// An entry with its proof (`Receipt`).
#[derive(Clone, Debug, Deserialize)]
pub struct Receipt {
    /// Its place in the log.
    pub index: u64,
    /// Its exact bytes.
    pub entry: String,
    /// The `.tlog-proof` text.
    pub proof: String,
}

/// The reply of every call that makes an entry (`Accepted`).
#[derive(Clone, Debug, Deserialize)]
pub struct Accepted {
    /// The call's own entry; for a bet then the one with `shoe_committed`.
    pub receipts: Vec<Receipt>,
    /// The caller's balance after it.
    pub balance: Option<Chips>,
    /// The round after it.
    pub round: Option<RoundView>,
    /// Of every card it turned up.
    #[serde(default)]
    pub openings: Vec<Opening>,
    /// A new token.
    pub token: Option<String>,
    /// A new table's name.
    pub table: Option<TableId>,
}

/// A round as everyone sees it (`RoundView`).
#[derive(Clone, Debug, Deserialize)]
pub struct RoundView {
    /// `TABLE:ROUND_NO`.
    pub id: String,
    /// Its shoe.
    pub shoe_no: u64,
    /// How far it has come.
    pub phase: ViewPhase,
    /// The public shuffle's entropy.
    pub entropy: Option<RoundEntropy>,
    /// The decisions that are open.
    pub decisions: Vec<DecisionView>,
    /// Every debit so far.
    pub staked: Chips,
    /// Every credit so far.
    pub ret: Chips,
    /// The engine's view.
    pub game: serde_json::Value,
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewPhase {
    /// Bets bind, seeds are awaited.
    AwaitingReveals,
    /// Cards are dealt.
    Open,
    /// Over.
    Settled,
    /// Void.
    Voided,
}

/// An open decision.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DecisionView {
    /// Its number in the round.
    pub decision: u32,
    /// Who decides.
    pub player: PlayerId,
    /// The hand.
    pub place: Place,
    /// What may be chosen.
    pub options: Vec<Offer>,
}

/// A table (`TableView`).
#[derive(Debug, Deserialize)]
pub struct TableView {
    /// Its name.
    pub table: TableId,
    /// Its rules.
    pub rules: RuleSet,
    /// Their digest.
    pub digest: String,
    /// The log's name.
    pub origin: Origin,
    /// The epoch its shoe was committed in.
    pub epoch: Option<Epoch>,
    /// The committed shoe.
    pub shoe: Option<ShoeView>,
    /// The number of the next round.
    pub next_round: u64,
    /// The live round.
    pub round: Option<String>,
}

/// A committed shoe.
#[derive(Debug, Deserialize)]
pub struct ShoeView {
    /// Its number at the table.
    pub shoe_no: u64,
    /// What it holds.
    pub composition: Composition,
    /// Its commitments.
    pub candidates: Vec<Committed>,
}

/// A round read back (`GET /v1/rounds/{id}`).
#[derive(Debug, Deserialize)]
pub struct RoundRead {
    /// The round.
    pub round: RoundView,
    /// Of every card shown.
    pub openings: Vec<Opening>,
    /// The log indices of its entries.
    pub entries: Vec<u64>,
}
