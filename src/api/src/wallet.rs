//! The operator's wallet as calls show it (openapi.yaml, `WalletOperation`; spec/wallet.md).

use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_house::{Reference, WalletCall};
use serde::{Deserialize, Serialize};

/// `POST /v1/players/{player}/wallet/deposits` and `…/withdrawals`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletMovement {
    /// How many chips, minor units.
    pub amount: Chips,
}

/// Which way an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletOperationKind {
    /// From the wallet.
    Deposit,
    /// To it.
    Withdrawal,
}

/// How an operation stands on the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletOperationState {
    /// It waits for an answer of the wallet.
    Open,
    /// It is over, and the money moved.
    Done,
    /// The wallet refused: nothing moved, or the chips are back.
    Refused,
    /// It was cancelled before the wallet held anything, or let go of what it held.
    Cancelled,
}

/// An operation of the wallet (openapi.yaml, `WalletOperation`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WalletOperationView {
    /// How many chips, minor units.
    pub amount: Chips,
    /// The entry with the last answer; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// The entry that asked for it.
    pub asked: u64,
    /// Which way.
    pub kind: WalletOperationKind,
    /// Its number.
    pub no: u64,
    /// Whose it is.
    pub player: PlayerId,
    /// Why the wallet refused, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reference>,
    /// How it stands.
    pub state: WalletOperationState,
    /// What it waits for the answer to; absent where it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WalletCall>,
}

/// When chips come from the wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletStyle {
    /// When a player asks for them.
    Chips,
    /// With what a player plays for.
    Rounds,
}

/// A player's operations (openapi.yaml, `PlayerWallet`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerWallet {
    /// Those that are open, by number.
    pub open: Vec<WalletOperationView>,
    /// Whose.
    pub player: PlayerId,
    /// How chips come from the wallet; null where this service has none.
    pub style: Option<WalletStyle>,
}
