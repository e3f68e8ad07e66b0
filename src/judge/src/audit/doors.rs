//! The doors by which chips leave a player outside of play: who asked, whether the player signed, and what waits for the
//! operator's wallet (spec/audit.md, "Doors"). Judges none of it.

use super::Sum;
use crate::wallet::OPERATION_LATE_MS;
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_house::{Actor, Command, Entry, Event, State, WalletAnswer, WalletCall};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How often, and how much.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// How often.
    pub times: u64,
    /// Minor units, together.
    pub amount: Sum,
}

impl Moved {
    fn add(&mut self, amount: Chips) {
        self.times = self.times.saturating_add(1);
        self.amount += amount.signed();
    }
}

/// One door, by who asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Door {
    /// The operator.
    pub operator: Moved,
    /// The player, under their signature.
    pub signed: Moved,
    /// In the player's name, without a signature.
    pub unsigned: Moved,
}

/// All doors: a chip that leaves a player in an entry of no table and no tournament leaves by one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doors {
    /// Paid out by hand.
    pub withdraw: Door,
    /// To the operator's wallet.
    pub wallet_withdraw: Door,
    /// Chips that the wallet refused, so that they are the player's again.
    pub wallet_refused: Moved,
    /// To another log.
    pub transfer_out: Door,
    /// Taken back by the operator.
    pub correct: Door,
}

impl Doors {
    /// Each door by its command's name.
    pub fn each(&self) -> [(&'static str, &Door); 4] {
        [
            ("withdraw", &self.withdraw),
            ("wallet_withdraw", &self.wallet_withdraw),
            ("transfer_out", &self.transfer_out),
            ("correct", &self.correct),
        ]
    }

    pub(super) fn count(&mut self, entry: &Entry) {
        let (door, amount) = match &entry.command {
            Command::Withdraw { amount, .. } => (&mut self.withdraw, *amount),
            Command::WalletWithdraw { amount, .. } => (&mut self.wallet_withdraw, *amount),
            Command::TransferOut { amount, .. } => (&mut self.transfer_out, *amount),
            Command::Correct { amount, .. } => (&mut self.correct, *amount),
            Command::WalletAnswer { call: WalletCall::Pay, answer: WalletAnswer::Refused, .. } => {
                let back = entry.events.iter().find_map(|event| match event {
                    Event::Posted { lines } => lines.iter().map(|line| line.1).find(|amount| *amount > 0),
                    _ => None,
                });
                let amount = back.and_then(|amount| Chips::new(amount.unsigned_abs())).unwrap_or(Chips::ZERO);
                return self.wallet_refused.add(amount);
            }
            _ => return,
        };
        match (&entry.by, &entry.signed) {
            (Actor::Operator, _) => door.operator.add(amount),
            (_, Some(_)) => door.signed.add(amount),
            (_, None) => door.unsigned.add(amount),
        }
    }
}

/// An operation of the wallet that is open where the log ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletWait {
    /// Its number.
    pub no: u64,
    /// The call that it waits for.
    pub call: WalletCall,
    /// Its player.
    pub player: PlayerId,
    /// Minor units.
    pub amount: Chips,
    /// When it began, UTC milliseconds; of one that a given state has, that state's time.
    pub since: u64,
}

impl WalletWait {
    /// Whether it is open for longer than an operation may be.
    pub fn is_late(&self, now: u64) -> bool {
        now.saturating_sub(self.since) > OPERATION_LATE_MS
    }
}

/// When each open operation of the wallet began: no state tells. It holds as many as may be open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Begun(BTreeMap<u64, u64>);

impl Begun {
    /// Those of a state that is taken as given.
    pub fn given(state: &State) -> Begun {
        Begun(state.open_wallet_operations().into_keys().map(|no| (no, state.last_time())).collect())
    }

    pub fn note(&mut self, entry: &Entry) {
        for event in &entry.events {
            match event {
                Event::WalletAnswered { no, .. } if !asks_again(entry, *no) => drop(self.0.remove(no)),
                Event::WalletAsked { no, .. } => drop(self.0.entry(*no).or_insert(entry.time)),
                _ => {}
            }
        }
    }

    /// Operations open in this state, the oldest first.
    pub fn waits(&self, state: &State) -> Vec<WalletWait> {
        let open = state.open_wallet_operations().into_iter();
        let mut waits: Vec<WalletWait> = open
            .map(|(no, operation)| WalletWait {
                no,
                call: operation.call,
                player: operation.player.clone(),
                amount: operation.amount,
                since: self.0.get(&no).copied().unwrap_or_else(|| state.last_time()),
            })
            .collect();
        waits.sort_by_key(|wait| (wait.since, wait.no));
        waits
    }
}

fn asks_again(entry: &Entry, answered: u64) -> bool {
    entry.events.iter().any(|event| matches!(event, Event::WalletAsked { no, .. } if *no == answered))
}
