//! A player's account and rounds.

use crate::ViewPhase;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_house::{PlayerKey, VoidCause};
use serde::{Deserialize, Serialize};

/// An account (openapi.yaml, `PlayerView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerView {
    /// What is in it, minor units.
    pub balance: Chips,
    /// Where else the player's chips lie; they are not part of the balance.
    pub cash_seats: Vec<OwnSeat>,
    /// Whether it is a guest's, and what is in it play chips.
    #[serde(default)]
    pub guest: bool,
    /// The key that the player's commands are signed with; null where there is none.
    pub key: Option<PlayerKey>,
    /// The operator's change of the key that is not in force yet; null where none waits.
    pub key_waits: Option<KeyWaits>,
    /// That of the last signed entry; 0 before the first. The next must be greater.
    pub last_nonce: u64,
    /// Whose it is.
    pub player: PlayerId,
    /// What it has in T$, minor units: they pay entries of tournaments.
    pub t_dollars: u64,
    /// The tournaments for which it has a ticket.
    pub tickets: Vec<TableId>,
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
