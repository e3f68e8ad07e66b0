//! The wallet's commands and events (spec/wallet.md), over the operations that are open (`wallet.rs`).

use crate::dealer::NoDealer;
use crate::decide::{Before, require, require_credited};
use crate::parts::line;
use crate::wallet::WalletOperation;
use crate::{
    Account, Actor, Command, DecideError, Event, Ledger, Misfit, Reference, Refusal, Signed, State, WalletAnswer,
    WalletCall, is_guest,
};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use std::collections::BTreeMap;

impl State {
    /// How many operations of the wallet there ever were.
    pub fn wallet_operations(&self) -> u64 {
        self.wallet.operations
    }

    /// The open operation of a number.
    pub fn wallet_operation(&self, no: u64) -> Option<&WalletOperation> {
        self.wallet.open.get(&no)
    }

    /// The operations of the wallet that are open, by number.
    pub fn open_wallet_operations(&self) -> BTreeMap<u64, &WalletOperation> {
        self.wallet.open.iter().map(|(no, operation)| (*no, operation)).collect()
    }

    /// A player's operations that are open, by number.
    pub fn wallet_operations_of(&self, player: &PlayerId) -> Vec<(u64, &WalletOperation)> {
        let numbers = self.wallet.players.get(player).into_iter().flat_map(|own| &own.numbers);
        numbers.filter_map(|no| Some((*no, self.wallet.open.get(no)?))).collect()
    }

    /// How many chips more a player would have to have for this command, where that is all that stands against it as far
    /// as can be told without the dealer.
    pub fn missing_for(&self, time: u64, by: &Actor, signed: Option<&Signed>, command: &Command) -> Option<Chips> {
        match self.decide_signed(&NoDealer, time, by, signed, command) {
            Err(DecideError::Refused(refusal)) => refusal.missing(),
            _ => None,
        }
    }

    pub(crate) fn decide_wallet(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        match command {
            Command::WalletDeposit { player, amount } => self.decide_deposit(by, player, *amount),
            Command::WalletWithdraw { player, amount } => self.decide_withdrawal(time, by, player, *amount),
            Command::WalletCancel { no } => self.decide_cancel(by, *no),
            Command::WalletAnswer { no, call, answer, reason } => {
                self.decide_answer(by, *no, (*call, *answer), reason.as_ref())
            }
            _ => Err(DecideError::Broken("this command asks nothing of the wallet".into())),
        }
    }

    /// Refuses a new operation where as many of its kind are open as may be.
    fn require_room(&self, player: &PlayerId, call: WalletCall) -> Result<(), Refusal> {
        if self.wallet.has_room(player, call) { Ok(()) } else { Err(Refusal::TooManyOperations) }
    }

    fn decide_deposit(
        &self,
        by: &Actor,
        player: &PlayerId,
        amount: Chips,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        if !matches!(by, Actor::Operator) && *by != Actor::Player(player.clone()) {
            return Err(Refusal::NotAllowed("players deposit for themselves, or the operator for them").into());
        }
        let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        require_credited(player)?;
        // Chips that may still come count as if they had.
        let open = Chips::new(self.wallet.deposits_of(player));
        let after = open.and_then(|open| balance.plus(open)?.plus(amount));
        if amount == Chips::ZERO || after.is_none_or(|after| after > Ledger::COMFORT) {
            return Err(Refusal::AmountOutOfRange(amount).into());
        }
        self.require_room(player, WalletCall::Reserve)?;
        let asked = self.asked(self.wallet.operations, WalletCall::Reserve, player, amount);
        Ok((vec![(player.clone(), balance)], vec![asked]))
    }

    fn decide_withdrawal(
        &self,
        time: u64,
        by: &Actor,
        player: &PlayerId,
        amount: Chips,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        self.require_sender(time, by, player, "players withdraw their own chips, or the operator for them")?;
        require_credited(player)?;
        let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        if amount == Chips::ZERO {
            return Err(Refusal::AmountOutOfRange(amount).into());
        }
        if amount > balance {
            return Err(Refusal::InsufficientBalance { balance, asked: amount }.into());
        }
        self.require_room(player, WalletCall::Pay)?;
        let posted = self.posted([(Account::Player(player.clone()), -1), (Account::Wallet, 1)], amount)?;
        let asked = self.asked(self.wallet.operations, WalletCall::Pay, player, amount);
        Ok((vec![(player.clone(), balance)], vec![posted, asked]))
    }

    fn asked(&self, no: u64, call: WalletCall, player: &PlayerId, amount: Chips) -> Event {
        Event::WalletAsked { no, call, player: player.clone(), amount }
    }

    /// The operation of a number, if it waits for the answer to this call.
    fn require_waits(&self, no: u64, call: WalletCall) -> Result<&WalletOperation, Refusal> {
        let operation = self.wallet.open.get(&no).ok_or(Refusal::UnknownOperation(no))?;
        match operation.call == call {
            true => Ok(operation),
            false => Err(Refusal::NothingToDo("the operation does not wait for the answer to this call")),
        }
    }

    fn before_of(&self, player: &PlayerId) -> Result<(Before, Chips), Refusal> {
        let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        Ok((vec![(player.clone(), balance)], balance))
    }

    fn decide_cancel(&self, by: &Actor, no: u64) -> Result<(Before, Vec<Event>), DecideError> {
        let owner = self.wallet.open.get(&no).map(|operation| &operation.player);
        match by {
            Actor::Operator => {}
            Actor::Player(name) if owner.is_none_or(|owner| owner == name) => {}
            _ => return Err(Refusal::NotAllowed("players cancel their own deposits, or the operator").into()),
        }
        let WalletOperation { player, amount, .. } = self.require_waits(no, WalletCall::Reserve)?;
        let (before, _) = self.before_of(player)?;
        Ok((before, vec![self.asked(no, WalletCall::Cancel, player, *amount)]))
    }

    fn decide_answer(
        &self,
        by: &Actor,
        no: u64,
        (call, answer): (WalletCall, WalletAnswer),
        reason: Option<&Reference>,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        require(by, &Actor::House, "the house says what the wallet answered")?;
        let WalletOperation { player, amount, .. } = self.require_waits(no, call)?;
        let is_refused = answer == WalletAnswer::Refused;
        if is_refused && !call.can_be_refused() || !is_refused && reason.is_some() {
            return Err(Refusal::Malformed(
                "the wallet can refuse to reserve and to pay, and has a reason only where it refuses",
            )
            .into());
        }
        let (before, balance) = self.before_of(player)?;
        let (to_player, answered) = (
            [(Account::Wallet, -1), (Account::Player(player.clone()), 1)],
            Event::WalletAnswered { no, call, answer, reason: reason.cloned() },
        );
        let events = match (call, answer) {
            (WalletCall::Reserve, WalletAnswer::Accepted) => {
                // More may have been won meanwhile than leaves room for it: the money stays at the wallet.
                let fits = balance.plus(*amount).is_some_and(|after| after <= Ledger::COMFORT);
                match fits {
                    true => vec![
                        self.posted(to_player, *amount)?,
                        answered,
                        self.asked(no, WalletCall::Commit, player, *amount),
                    ],
                    false => vec![answered, self.asked(no, WalletCall::Cancel, player, *amount)],
                }
            }
            (WalletCall::Pay, WalletAnswer::Refused) => vec![self.posted(to_player, *amount)?, answered],
            _ => vec![answered],
        };
        Ok((before, events))
    }

    /// Folds an event in that is about the wallet.
    pub(crate) fn apply_wallet(&mut self, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::WalletAsked { no, call, player, amount } => {
                let known = self.wallet.open.get(no);
                let fits = match call {
                    WalletCall::Reserve | WalletCall::Pay => *no == self.wallet.operations,
                    WalletCall::Commit | WalletCall::Cancel => {
                        known.is_some_and(|known| known.player == *player && known.amount == *amount)
                    }
                };
                if !fits {
                    return Err(Misfit::WalletAsked(*no));
                }
                if *no == self.wallet.operations {
                    self.wallet.operations = self.wallet.operations.saturating_add(1);
                }
                let operation = WalletOperation { call: *call, player: player.clone(), amount: *amount };
                self.wallet.set(*no, operation);
            }
            Event::WalletAnswered { no, call, .. } => {
                if self.wallet.open.get(no).is_none_or(|known| known.call != *call) {
                    return Err(Misfit::WalletAnswered(*no));
                }
            }
            _ => return Err("it is not about the wallet".into()),
        }
        Ok(())
    }

    /// After an entry with an answer the operation is over, unless another call of it was asked for.
    pub(crate) fn end_wallet_entry(&mut self, events: &[Event]) {
        let mut over = None;
        for event in events {
            match event {
                Event::WalletAnswered { no, .. } => over = Some(*no),
                Event::WalletAsked { .. } => over = None,
                _ => {}
            }
        }
        if let Some(no) = over {
            self.wallet.close(no);
        }
    }

    /// Sets what a noted state says of the account, and of how many operations there were.
    pub(crate) fn take_wallet_totals(&mut self, balance: i64, operations: u64) -> Result<(), Misfit> {
        if balance != 0 && operations == 0 {
            return Err("the wallet's account moved, and nothing was ever asked of the wallet".into());
        }
        self.ledger.set_wallet(balance);
        self.wallet.operations = operations;
        Ok(())
    }

    /// The lines of the open operations.
    pub(crate) fn wallet_lines(&self, lines: &mut BTreeMap<String, String>) -> Result<(), serde_json::Error> {
        for (no, operation) in self.wallet.open.iter() {
            let key = format!("wallet:{no}");
            lines.insert(key.clone(), line(&key, operation)?);
        }
        Ok(())
    }

    /// Takes in what a noted state says of an open operation; players are there by then.
    pub(crate) fn take_wallet_operation(&mut self, no: u64, operation: WalletOperation) -> Result<(), Misfit> {
        let wrong = |why: &'static str| Err(Misfit::WalletOperation(no, why));
        if no >= self.wallet.operations {
            return wrong("is none that there was");
        }
        if operation.amount == Chips::ZERO {
            return wrong("has no amount");
        }
        if is_guest(&operation.player) || self.ledger.player(&operation.player).is_none() {
            return wrong("is of nobody who has one");
        }
        if !self.wallet.has_room(&operation.player, operation.call) {
            return wrong("is one too many");
        }
        self.wallet.set(no, operation);
        Ok(())
    }
}
