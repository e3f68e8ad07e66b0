//! Bodies of requests (openapi.yaml, "paths"). A request with an unknown field is refused.

use fairshoe_fairness::{ClientSeed, Epoch, Origin, PlayerId, SeedCommitment, TableId};
use fairshoe_games::poker::{ClientKind, EntryChoice};
use fairshoe_games::{Action, Bet, Chips};
use fairshoe_house::{LimitOf, LimitPeriod, PlayerKey, Reference, SeenCheckpoint};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// An empty body.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// The reason for an act of the operator or an auditor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Because {
    /// The reason; it goes on the log.
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
    /// The number of chips in minor units.
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
    /// The text of the policy that its receipts must meet; absent: transfers to and from it end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// `POST /v1/players/{player}/transfers`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTransfer {
    /// The other log's name.
    pub to: Origin,
    /// The number of chips in minor units.
    pub amount: Chips,
}

/// `POST /v1/transfers`: the answer of the other log's house to the transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The other log's name.
    pub from: Origin,
    /// Its entry that sent the chips, byte for byte.
    pub entry: String,
    /// The text of a receipt that the entry is on that log.
    pub proof: String,
}

/// `POST /v1/players/{player}/correct`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The number of chips in minor units.
    pub amount: Chips,
    /// The reason.
    pub reason: Reference,
}

/// `POST /v1/players/{player}/limits`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLimit {
    /// The counted quantity.
    pub of: LimitOf,
    /// The period.
    pub per: LimitPeriod,
    /// The maximum, in minor units or milliseconds; absent: the limit is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

/// `POST /v1/players/{player}/exclusion`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewExclusion {
    /// UTC milliseconds until which the player is excluded.
    pub until: u64,
}

/// `POST /v1/players/{player}/key`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// The new key; absent: the key is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PlayerKey>,
    /// The operator's reason; absent if a player sets their own key.
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
    /// The number of seconds for which it works; absent: until it is revoked.
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
    /// The number of seconds for which the exchanged token works; absent: eight hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// `POST /v1/tickets/exchange`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TicketExchange {
    /// The ticket from `POST /v1/players/{player}/tickets`.
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
    /// The number of seconds for which it works; absent: until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// `POST /v1/tables`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// Its name; absent: the service chooses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
    /// A rule set's name.
    pub rules: String,
    /// The closed table that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<TableId>,
    /// Differences from the rule set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
}

/// `POST /v1/tables/{table}/seat`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatWish {
    /// The seat; absent: any free one. For a seated player: a place in the next round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// The chips to sit down with; only at a cash table, like all following fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buy_in: Option<Chips>,
    /// The player's kind of client; absent: a computer (R001.80).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientKind>,
    /// How they pay a missed or new player's post.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryChoice>,
    /// Whether they straddle when they may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub straddle: Option<bool>,
}

/// `POST /v1/tables/{table}/chips`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoreChips {
    /// The number of chips in minor units; 0 takes an earlier wish back.
    pub amount: Chips,
}

/// `POST /v1/tables/{table}/close_bets`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announced {
    /// The round whose bets are closed, or the hand whose call is closed.
    pub round_no: u64,
}

/// `POST /v1/tables/{table}/bets`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetRequest {
    /// The number of the table's next round.
    pub round_no: u64,
    /// The wagers.
    pub bets: Vec<Bet>,
    /// The hash of the client seed.
    pub commitment: SeedCommitment,
    /// The epoch of the commitment; if another one is in force, the bet is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
}

/// `POST /v1/rounds/{id}/commitments`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// The hash of the client seed.
    pub commitment: SeedCommitment,
    /// The epoch of the commitment; if another one is in force, it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
}

/// `POST /v1/tables/{table}/commitment`: a dry run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The player of the commitment.
    pub player: PlayerId,
    /// The round.
    pub round_no: u64,
    /// A seed that is not used again.
    pub seed: ClientSeed,
}

/// `POST /v1/rounds/{id}/reveals`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// The seed's player.
    pub player: PlayerId,
    /// The seed; refused unless it opens that player's commitment.
    pub seed: ClientSeed,
    /// The checkpoint that the client holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saw: Option<SeenCheckpoint>,
    /// At a cash table, from the player alone: their commitment for the next hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<SeedCommitment>,
}

/// `POST /v1/rounds/{id}/late-seeds`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateSeed {
    /// The seed's player.
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
