//! What is asked of the operator's wallet, and what it answers (spec/wallet.md).

use serde::{Deserialize, Serialize};

/// What is asked of the wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletCall {
    /// To hold the amount of a deposit.
    Reserve,
    /// To hand over what it holds.
    Commit,
    /// To let go of what it holds, and to hold nothing later.
    Cancel,
    /// To take the amount of a withdrawal.
    Pay,
}

impl WalletCall {
    /// Its name on the log, and at the wallet.
    pub fn name(self) -> &'static str {
        match self {
            WalletCall::Reserve => "reserve",
            WalletCall::Commit => "commit",
            WalletCall::Cancel => "cancel",
            WalletCall::Pay => "pay",
        }
    }

    /// Whether the wallet may say no.
    pub fn can_be_refused(self) -> bool {
        matches!(self, WalletCall::Reserve | WalletCall::Pay)
    }

    /// Whether it asks for a withdrawal, else for a deposit.
    pub fn is_of_withdrawal(self) -> bool {
        self == WalletCall::Pay
    }
}

/// What the wallet said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletAnswer {
    /// It did what it was asked for.
    Accepted,
    /// It did not, and never will under this name.
    Refused,
}
