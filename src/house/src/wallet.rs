//! Chips that come from the operator's wallet and go back to it (spec/wallet.md): what is asked of it, what it answered,
//! and what that moves. Owns the operations that are open. Does not own: calling the wallet (the service).

use crate::WalletCall;
use crate::sharded::Sharded;
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many operations may be open.
pub const MOST_OPERATIONS: usize = 65_536;

/// How many operations of one player may be open.
pub const MOST_OPERATIONS_OF_PLAYER: usize = 8;

/// An operation that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletOperation {
    /// The call whose answer it waits for.
    pub call: WalletCall,
    /// Its player.
    pub player: PlayerId,
    /// How much, minor units.
    pub amount: Chips,
}

impl WalletOperation {
    /// The amount that it asks for as a deposit, minor units.
    pub(crate) fn deposits(&self) -> u64 {
        if self.call.is_of_withdrawal() { 0 } else { self.amount.units() }
    }
}

/// One player's open operations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfPlayer {
    pub(crate) numbers: BTreeSet<u64>,
    /// How many of them are withdrawals.
    pub(crate) withdrawals: usize,
    /// The sum that deposits ask for, minor units.
    pub(crate) deposits: u64,
}

/// The operations there were, and those that are open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wallet {
    /// How many there ever were: the next one's number.
    pub(crate) operations: u64,
    pub(crate) open: Sharded<u64, WalletOperation>,
    /// How many of those that are open are withdrawals.
    pub(crate) withdrawals: usize,
    pub(crate) players: Sharded<PlayerId, OfPlayer>,
}

impl Wallet {
    /// The sum that a player's open deposits ask for.
    pub(crate) fn deposits_of(&self, player: &PlayerId) -> u64 {
        self.players.get(player).map_or(0, |own| own.deposits)
    }

    /// Whether one operation more may be open, of those that begin with this call: deposits, which the operator can ask
    /// for in any name, leave room for withdrawals.
    pub(crate) fn has_room(&self, player: &PlayerId, call: WalletCall) -> bool {
        let own = self.players.get(player).map_or((0, 0), |own| (own.numbers.len(), own.withdrawals));
        let of_kind = |(all, withdrawals): (usize, usize)| match call.is_of_withdrawal() {
            true => withdrawals,
            false => all.saturating_sub(withdrawals),
        };
        of_kind(own) < MOST_OPERATIONS_OF_PLAYER && of_kind((self.open.len(), self.withdrawals)) < MOST_OPERATIONS
    }

    pub(crate) fn close(&mut self, no: u64) -> Option<WalletOperation> {
        let operation = self.open.remove(&no)?;
        let own = self.players.or_insert(&operation.player, OfPlayer::default());
        own.numbers.remove(&no);
        own.deposits = own.deposits.saturating_sub(operation.deposits());
        let withdrawals = usize::from(operation.call.is_of_withdrawal());
        own.withdrawals = own.withdrawals.saturating_sub(withdrawals);
        self.withdrawals = self.withdrawals.saturating_sub(withdrawals);
        if own.numbers.is_empty() {
            self.players.remove(&operation.player);
        }
        Some(operation)
    }

    pub(crate) fn set(&mut self, no: u64, operation: WalletOperation) {
        self.close(no);
        let own = self.players.or_insert(&operation.player, OfPlayer::default());
        own.numbers.insert(no);
        own.deposits = own.deposits.saturating_add(operation.deposits());
        let withdrawals = usize::from(operation.call.is_of_withdrawal());
        own.withdrawals = own.withdrawals.saturating_add(withdrawals);
        self.withdrawals = self.withdrawals.saturating_add(withdrawals);
        self.open.insert(no, operation);
    }
}
