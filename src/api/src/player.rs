//! A player's account and rounds.

use crate::ViewPhase;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_house::{Actor, PlayerKey, PlayerLimit, VoidCause};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An account (openapi.yaml, `PlayerView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerView {
    /// The balance in minor units.
    pub balance: Chips,
    /// The player's chips at cash tables; they are not part of the balance.
    pub cash_seats: Vec<OwnSeat>,
    /// UTC milliseconds until which the player is excluded; absent if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<u64>,
    /// Whether it is a guest's account, which holds play chips.
    #[serde(default)]
    pub guest: bool,
    /// The key that signs the player's commands; null if there is none.
    pub key: Option<PlayerKey>,
    /// The operator's change of the key that is not in force yet; null if there is none.
    pub key_waits: Option<KeyWaits>,
    /// The nonce of the last signed entry; 0 before the first. The next must be greater.
    pub last_nonce: u64,
    /// The player's own limits and the amounts counted so far; absent if they set none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<PlayerLimit>,
    /// The player.
    pub player: PlayerId,
    /// T$ in minor units, which pay tournament entries.
    pub t_dollars: u64,
    /// The tournaments for which they hold a ticket.
    pub tickets: Vec<TableId>,
}

/// Display names of players (openapi.yaml, `DisplayNames`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DisplayNames {
    /// Names by pseudonym; a player without a name from the operator is absent.
    pub names: BTreeMap<PlayerId, String>,
}

/// A seat of a cash table with its chips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnSeat {
    /// Its number, from 1.
    pub seat: u8,
    /// Its chips; during a hand, the chips at the start.
    pub stack: Chips,
    /// The table.
    pub table: TableId,
}

/// A pending change of a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeyWaits {
    /// The time from which it applies, UTC milliseconds.
    pub from: u64,
    /// The new key; null if the key is removed.
    pub key: Option<PlayerKey>,
}

/// A ticket with which a browser logs in as a player (openapi.yaml, `LoginTicket`).
#[derive(Clone, Serialize, Deserialize)]
pub struct LoginTicket {
    /// The path for the browser, below the service's address.
    pub link: String,
    /// The ticket's text; shown once.
    pub ticket: String,
    /// The time when it expires, UTC milliseconds.
    pub until: u64,
}

/// A page of players (openapi.yaml, `PlayerList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerList {
    /// The cursor of the next page; null on the last page.
    pub next: Option<PlayerId>,
    /// The players by name.
    pub players: Vec<ListedPlayer>,
}

/// A player in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListedPlayer {
    /// Their balance in minor units.
    pub balance: Chips,
    /// Whether the account is a guest's.
    pub guest: bool,
    /// Whether their commands must be signed.
    pub has_key: bool,
    /// Their name.
    pub player: PlayerId,
}

/// A posting to a player's account (openapi.yaml, `Transaction`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transaction {
    /// The entry that posts it.
    pub index: u64,
    /// UTC milliseconds.
    pub time: u64,
    /// The kind of its command, as the entry has it.
    pub what: String,
    /// The actor who gave the command.
    pub by: Actor,
    /// The table or tournament.
    pub table: Option<TableId>,
    /// The amount in minor units; negative for an outgoing one.
    pub amount: i64,
    /// The balance after it.
    pub balance: i64,
}

/// A player's stakes and returns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct OwnSums {
    /// The sum of credits, minor units.
    pub returned: Chips,
    /// The sum of debits.
    pub staked: Chips,
}

/// A page of rounds (openapi.yaml, `RoundList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundList {
    /// The cursor of the next page; null on the last page.
    pub next: Option<String>,
    /// The rounds, newest first.
    pub rounds: Vec<RoundSummary>,
}

/// A round in a list (openapi.yaml, `RoundSummary`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundSummary {
    /// The cause, if it is void.
    pub cause: Option<VoidCause>,
    /// `TABLE:ROUND_NO`.
    pub id: String,
    /// In a player's list: their own sums, once the round is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnSums>,
    /// The phase of the round.
    pub phase: ViewPhase,
    /// The sum of credits, including returned stakes.
    pub returned: Chips,
    /// The number of its shoe at its table.
    pub shoe_no: u64,
    /// The sum of debits.
    pub staked: Chips,
    /// The time when the bets closed, UTC milliseconds.
    pub time: u64,
}
