//! Bodies of requests (openapi.yaml, "paths"). A field that is not named is refused.

use fairshoe_fairness::{ClientSeed, Epoch, Origin, PlayerId, SeedCommitment, TableId};
use fairshoe_games::poker::{ClientKind, EntryChoice};
use fairshoe_games::{Action, Bet, Chips};
use fairshoe_house::{LimitOf, LimitPeriod, PlayerKey, Reference, SeenCheckpoint};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Nothing is said but by the call itself.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Why the operator, or an auditor, does something.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Because {
    /// Goes on the log.
    pub reason: Reference,
}

/// `POST /v1/players`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPlayer {
    /// The pseudonym.
    pub player: PlayerId,
    /// The key that the player's commands must be signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PlayerKey>,
}

/// `POST /v1/players/{player}/credit` and `…/withdraw`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Movement {
    /// How many chips, minor units.
    pub amount: Chips,
    /// The operator's own label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
}

/// `POST /v1/logs`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownLogRequest {
    /// The other log's name.
    pub log: Origin,
    /// The policy that its receipts have to meet, its text; absent: nothing goes there or comes from there any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// `POST /v1/players/{player}/transfers`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTransfer {
    /// The other log's name.
    pub to: Origin,
    /// How many chips, minor units.
    pub amount: Chips,
}

/// `POST /v1/transfers`: what the other log's house answered to the transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The other log's name.
    pub from: Origin,
    /// Its entry that sent them, byte for byte.
    pub entry: String,
    /// That the entry is on that log: a receipt, its text.
    pub proof: String,
}

/// `POST /v1/players/{player}/correct`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// How many chips, minor units.
    pub amount: Chips,
    /// Why.
    pub reason: Reference,
}

/// `POST /v1/players/{player}/limits`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLimit {
    /// What is counted.
    pub of: LimitOf,
    /// In what time.
    pub per: LimitPeriod,
    /// As much as there may be, minor units or milliseconds; absent: no limit any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

/// `POST /v1/players/{player}/exclusion`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewExclusion {
    /// UTC milliseconds until which the player is shut out.
    pub until: u64,
}

/// `POST /v1/players/{player}/key`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Absent: no key any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PlayerKey>,
    /// The operator's; absent where a player sets their own key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reference>,
}

/// `POST /v1/players/{player}/tokens`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// Whether the earlier ones stop working.
    #[serde(default)]
    pub revoke: bool,
    /// For how many seconds it works; absent: until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// `POST /v1/players/{player}/tickets`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTicket {
    /// Whether the exchange ends the player's earlier tokens.
    #[serde(default)]
    pub revoke: bool,
    /// For how many seconds the token works that comes for it; absent: eight hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// `POST /v1/tickets/exchange`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TicketExchange {
    /// What `POST /v1/players/{player}/tickets` answered.
    pub ticket: String,
}

/// `POST /v1/auditors`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewAuditor {
    /// The auditor's name.
    pub name: PlayerId,
    /// Whether the earlier tokens stop working.
    #[serde(default)]
    pub revoke: bool,
    /// For how many seconds it works; absent: until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// `POST /v1/tables`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// Its name; absent: one is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// A rule set's name.
    pub rules: String,
    /// The closed table in whose place it comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<TableId>,
    /// What differs from the rule set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
}

/// `POST /v1/tables/{table}/seat`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatWish {
    /// Absent: any that is free; for one who sits a place in the next round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// At a cash table, as all that follows: the chips to sit down with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buy_in: Option<Chips>,
    /// From where they play; absent: at a computer (R001.80).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientKind>,
    /// How they come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryChoice>,
    /// Whether they straddle where they may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub straddle: Option<bool>,
}

/// `POST /v1/tables/{table}/chips`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoreChips {
    /// How many, minor units; 0 takes an earlier wish back.
    pub amount: Chips,
}

/// `POST /v1/tables/{table}/close_bets`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announced {
    /// The round whose bets, or the hand whose call, is closed.
    pub round_no: u64,
}

/// `POST /v1/tables/{table}/bets`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetRequest {
    /// The table's next round number.
    pub round_no: u64,
    /// The wagers.
    pub bets: Vec<Bet>,
    /// The hash of the client seed.
    pub commitment: SeedCommitment,
    /// The epoch that it is bound to; where another is in force the bet is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
}

/// `POST /v1/rounds/{id}/commitments`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// The hash of the client seed.
    pub commitment: SeedCommitment,
    /// The epoch that it is bound to; where another is in force it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
}

/// `POST /v1/tables/{table}/commitment`: a dry run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Whose commitment it would be.
    pub player: PlayerId,
    /// For which round.
    pub round_no: u64,
    /// A seed that is thrown away.
    pub seed: ClientSeed,
}

/// `POST /v1/rounds/{id}/reveals`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// Whose seed.
    pub player: PlayerId,
    /// The seed; refused unless it opens that player's commitment.
    pub seed: ClientSeed,
    /// The checkpoint that the client holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saw: Option<SeenCheckpoint>,
    /// At a cash table, by the player themselves: their commitment for the next hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<SeedCommitment>,
}

/// `POST /v1/rounds/{id}/late-seeds`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateSeed {
    /// Whose seed.
    pub player: PlayerId,
    /// The seed; refused unless it opens that player's commitment.
    pub seed: ClientSeed,
}

/// `POST /v1/rounds/{id}/actions`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// The decision's number in the round, from 0.
    pub decision: u32,
    /// The choice.
    pub action: Action,
}
