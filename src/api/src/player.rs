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
    /// What is in it, minor units.
    pub balance: Chips,
    /// Where else the player's chips lie; they are not part of the balance.
    pub cash_seats: Vec<OwnSeat>,
    /// UTC milliseconds until which the player is shut out; absent where they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<u64>,
    /// Whether it is a guest's, and what is in it play chips.
    #[serde(default)]
    pub guest: bool,
    /// The key that the player's commands are signed with; null where there is none.
    pub key: Option<PlayerKey>,
    /// The operator's change of the key that is not in force yet; null where none waits.
    pub key_waits: Option<KeyWaits>,
    /// That of the last signed entry; 0 before the first. The next must be greater.
    pub last_nonce: u64,
    /// What the player allows themselves, and what is counted of it; absent where they set nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<PlayerLimit>,
    /// Whose it is.
    pub player: PlayerId,
    /// What it has in T$, minor units: they pay entries of tournaments.
    pub t_dollars: u64,
    /// The tournaments for which it has a ticket.
    pub tickets: Vec<TableId>,
}

/// What players are called (openapi.yaml, `DisplayNames`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DisplayNames {
    /// By pseudonym; absent of whom the operator says none.
    pub names: BTreeMap<PlayerId, String>,
}

/// A seat of a cash table with its chips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnSeat {
    /// Its number, from 1.
    pub seat: u8,
    /// What lies there; while a hand is in progress, what lay there at its start.
    pub stack: Chips,
    /// Where.
    pub table: TableId,
}

/// A change of a key that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeyWaits {
    /// When it is in force, UTC milliseconds.
    pub from: u64,
    /// Null where the key is cleared.
    pub key: Option<PlayerKey>,
}

/// A ticket by which a browser becomes a player (openapi.yaml, `LoginTicket`).
#[derive(Clone, Serialize, Deserialize)]
pub struct LoginTicket {
    /// Where the browser goes, below the service's address.
    pub link: String,
    /// What it is exchanged by; shown once.
    pub ticket: String,
    /// When it is none any more, UTC milliseconds.
    pub until: u64,
}

/// A page of players (openapi.yaml, `PlayerList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerList {
    /// The cursor of the next page; null where this is the last.
    pub next: Option<PlayerId>,
    /// By name.
    pub players: Vec<ListedPlayer>,
}

/// A player in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListedPlayer {
    /// What is in their account, minor units.
    pub balance: Chips,
    /// Whether it is a guest's.
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
    /// The kind of its command, as it stands in the entry.
    pub what: String,
    /// Who gave the command.
    pub by: Actor,
    /// At which table or tournament.
    pub table: Option<TableId>,
    /// Minor units; below zero what goes out.
    pub amount: i64,
    /// What they have after it.
    pub balance: i64,
}

/// What a player staked and got back.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct OwnSums {
    /// Every credit, minor units.
    pub returned: Chips,
    /// Every debit.
    pub staked: Chips,
}

/// A page of rounds (openapi.yaml, `RoundList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundList {
    /// The cursor of the next page; null where this is the last.
    pub next: Option<String>,
    /// Newest first.
    pub rounds: Vec<RoundSummary>,
}

/// A round in a list (openapi.yaml, `RoundSummary`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundSummary {
    /// Why it is void, if it is.
    pub cause: Option<VoidCause>,
    /// `TABLE:ROUND_NO`.
    pub id: String,
    /// In the list of a player: their own sums, once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnSums>,
    /// How far it has come.
    pub phase: ViewPhase,
    /// Every credit, stakes that came back included.
    pub returned: Chips,
    /// The number, at its table, of the shoe that it is dealt from.
    pub shoe_no: u64,
    /// Every debit.
    pub staked: Chips,
    /// When the bets closed, UTC milliseconds.
    pub time: u64,
}
