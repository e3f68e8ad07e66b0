//! The operator's wallet in replies of calls (openapi.yaml, `WalletOperation`; spec/wallet.md).

use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_house::{Reference, WalletCall};
use serde::{Deserialize, Serialize};

/// `POST /v1/players/{player}/wallet/deposits` and `…/withdrawals`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletMovement {
    /// The number of chips in minor units.
    pub amount: Chips,
}

/// The direction of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletOperationKind {
    /// From the wallet to the log.
    Deposit,
    /// From the log to the wallet.
    Withdrawal,
}

/// The state of an operation on the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletOperationState {
    /// It waits for the wallet's answer.
    Open,
    /// It is over, and the money moved.
    Done,
    /// The wallet refused: no money moved, or the chips are back.
    Refused,
    /// It was cancelled before the wallet held money, or the wallet released the money.
    Cancelled,
}

/// An operation of the wallet (openapi.yaml, `WalletOperation`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WalletOperationView {
    /// The number of chips in minor units.
    pub amount: Chips,
    /// The entry with the last answer; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// The entry that asked for it.
    pub asked: u64,
    /// The direction.
    pub kind: WalletOperationKind,
    /// Its number.
    pub no: u64,
    /// The player.
    pub player: PlayerId,
    /// The wallet's reason for a refusal, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reference>,
    /// The state.
    pub state: WalletOperationState,
    /// The call whose answer it waits for; absent if it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WalletCall>,
}

/// The time at which chips come from the wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletStyle {
    /// When a player asks for chips.
    Chips,
    /// With the stakes that a player plays for.
    Rounds,
}

/// A player's operations (openapi.yaml, `PlayerWallet`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerWallet {
    /// The open operations, by number.
    pub open: Vec<WalletOperationView>,
    /// The player.
    pub player: PlayerId,
    /// When chips come from the wallet; null if this service has no wallet.
    pub style: Option<WalletStyle>,
}
