//! Chips that come from the operator's wallet and go back to it, by the ledger alone (spec/wallet.md, "Postings"): what an
//! entry with such a command says follows from the operations that are open and the player's balance.

use super::accounts::Accounts;
use super::scan::Scan;
use super::{Check, EntryFault, fault};
use fairshoe_fairness::PlayerId;
use std::collections::BTreeMap;

/// The account.
const WALLET: &str = "wallet";

/// Above it nothing is taken in for a player.
const MOST_TAKEN_IN: i64 = (fairshoe_games::MAX_CHIPS / 2) as i64;

/// An operation that waits for the wallet's answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    call: &'static str,
    player: Box<str>,
    amount: i64,
}

/// The facts of an entry about the wallet.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Asked(u64, Operation),
    Answered { no: u64, call: &'static str, is_accepted: bool, reason: Option<Box<str>> },
}

/// The effects of a command.
struct Due {
    /// The sum that the wallet's account gets, and its player's gives.
    moved: Option<(Box<str>, i64)>,
    said: Vec<Said>,
}

/// See the module.
#[derive(Default)]
pub(super) struct OfWallet {
    /// The effects of the command, if it is one about the wallet.
    due: Option<Due>,
    said: Vec<Said>,
    /// The entry's movements: of each account for a command about the wallet, else of the wallet's alone.
    moved: BTreeMap<Box<str>, i128>,
    /// The names of its events, of a command of the wallet.
    events: Vec<Box<str>>,
}

/// The calls by their names.
fn call(scan: &mut Scan<'_>) -> Result<&'static str, EntryFault> {
    let name = scan.string()?;
    match ["reserve", "commit", "cancel", "pay"].into_iter().find(|call| *call == name) {
        Some(call) => Ok(call),
        None => fault(Check::EntryForm, format!("nothing is called `{name}` that a wallet is asked for")),
    }
}

fn is_accepted(scan: &mut Scan<'_>) -> Result<bool, EntryFault> {
    match scan.string()? {
        "accepted" => Ok(true),
        "refused" => Ok(false),
        other => fault(Check::EntryForm, format!("a wallet does not answer `{other}`")),
    }
}

fn reason(scan: &mut Scan<'_>) -> Result<Option<Box<str>>, EntryFault> {
    let reason = if scan.takes(",\"reason\":") { Some(scan.string()?) } else { None };
    scan.take("}")?;
    // Its escapes are left in; printable ASCII is all that a string holds.
    let escapes = |text: &str| text.matches("\\\\").count() + text.replace("\\\\", "").matches("\\\"").count();
    match reason {
        Some(reason) if !(1..=200).contains(&(reason.len() - escapes(reason))) => {
            fault(Check::EntryForm, format!("`{reason}` is no label"))
        }
        reason => Ok(reason.map(Into::into)),
    }
}

/// A player and an amount: what is asked for, and of whom.
fn asked(scan: &mut Scan<'_>) -> Result<(Box<str>, i64), EntryFault> {
    scan.take("\"player\":")?;
    let player = scan.string()?;
    if PlayerId::parse(player).is_err() {
        return fault(Check::EntryForm, format!("`{player}` is no name of a player"));
    }
    scan.take(",\"amount\":")?;
    let amount = scan.number()?;
    scan.take("}")?;
    // No number is greater than an amount may be.
    Ok((player.into(), i64::try_from(amount).unwrap_or(i64::MAX)))
}

impl OfWallet {
    /// Reads one of the four commands, and works out what it causes.
    pub fn read_command(&mut self, scan: &mut Scan<'_>, command: &str, accounts: &Accounts) -> Result<(), EntryFault> {
        let due = match command {
            "wallet_cancel" => {
                scan.take("{\"no\":")?;
                let no = scan.number()?;
                scan.take("}")?;
                let operation = waiting(accounts, no, "reserve")?;
                Due { moved: None, said: vec![Said::Asked(no, Operation { call: "cancel", ..operation })] }
            }
            "wallet_answer" => {
                scan.take("{\"no\":")?;
                let no = scan.number()?;
                scan.take(",\"call\":")?;
                let call = call(scan)?;
                scan.take(",\"answer\":")?;
                let is_accepted = is_accepted(scan)?;
                let reason = reason(scan)?;
                let operation = waiting(accounts, no, call)?;
                answered(accounts, &operation, Said::Answered { no, call, is_accepted, reason })?
            }
            _ => {
                scan.take("{")?;
                let (player, amount) = asked(scan)?;
                let call = if command == "wallet_deposit" { "reserve" } else { "pay" };
                let moved = (call == "pay" && amount != 0).then(|| (player.clone(), amount));
                Due { moved, said: vec![Said::Asked(accounts.operations, Operation { call, player, amount })] }
            }
        };
        self.due = Some(due);
        Ok(())
    }

    /// An event of any kind begins.
    pub fn begin_event(&mut self, name: &str) {
        if self.due.is_some() {
            self.events.push(name.into());
        }
    }

    /// A posting's line.
    pub fn note(&mut self, account: &str, amount: i64) {
        if self.due.is_some() || account == WALLET {
            *self.moved.entry(account.into()).or_default() += i128::from(amount);
        }
    }

    /// An event about the wallet.
    pub fn read_event(&mut self, scan: &mut Scan<'_>, event: &str) -> Result<(), EntryFault> {
        scan.take("{\"no\":")?;
        let no = scan.number()?;
        scan.take(",\"call\":")?;
        let call = call(scan)?;
        let said = if event == "wallet_asked" {
            scan.take(",")?;
            let (player, amount) = asked(scan)?;
            Said::Asked(no, Operation { call, player, amount })
        } else {
            scan.take(",\"answer\":")?;
            let is_accepted = is_accepted(scan)?;
            Said::Answered { no, call, is_accepted, reason: reason(scan)? }
        };
        self.said.push(said);
        Ok(())
    }

    /// The entry says what its command causes, and nothing else; folds it in.
    pub fn close(&mut self, accounts: &mut Accounts) -> Result<(), EntryFault> {
        let Some(Due { moved, said }) = self.due.take() else {
            if !self.said.is_empty() {
                return fault(Check::State, "something is said of the wallet that is not what the command causes");
            }
            if !self.moved.is_empty() {
                return fault(Check::Posting, "the wallet's account moves without a call of the wallet");
            }
            return Ok(());
        };
        if said != self.said {
            return fault(Check::State, "what is said of the wallet is not what the command causes");
        }
        let mut due: BTreeMap<Box<str>, i128> = BTreeMap::new();
        if let Some((player, amount)) = &moved {
            due.insert(WALLET.into(), i128::from(*amount));
            due.insert(format!("player:{player}").into(), -i128::from(*amount));
        }
        self.moved.retain(|_, sum| *sum != 0);
        if due != self.moved {
            return fault(Check::Posting, "what comes from the wallet, or goes there, is not what is posted");
        }
        let name = |said: &Said| if matches!(said, Said::Asked(..)) { "wallet_asked" } else { "wallet_answered" };
        let names = moved.iter().map(|_| "posted").chain(said.iter().map(name));
        if !names.eq(self.events.iter().map(AsRef::as_ref)) {
            return fault(
                Check::State,
                "the entry says something that its command does not cause, or in another order",
            );
        }
        for said in said {
            match said {
                Said::Answered { no, .. } => drop(accounts.waiting.remove(&no)),
                Said::Asked(no, operation) => {
                    accounts.operations = accounts.operations.max(no.saturating_add(1));
                    accounts.waiting.insert(no, operation);
                }
            }
        }
        Ok(())
    }
}

/// The operation of a number, if it waits for the answer to this call.
fn waiting(accounts: &Accounts, no: u64, call: &str) -> Result<Operation, EntryFault> {
    match accounts.waiting.get(&no) {
        Some(operation) if operation.call == call => Ok(operation.clone()),
        _ => fault(Check::State, format!("operation {no} of the wallet does not wait for the answer to `{call}`")),
    }
}

/// The effects of an answer.
fn answered(accounts: &Accounts, operation: &Operation, answer: Said) -> Result<Due, EntryFault> {
    let Said::Answered { no, call, is_accepted, .. } = answer else { return fault(Check::State, "no answer is said") };
    if !is_accepted && !["reserve", "pay"].contains(&call) {
        return fault(Check::State, format!("a wallet does not refuse to {call}"));
    }
    let asked = |call| Said::Asked(no, Operation { call, ..operation.clone() });
    let back = || (operation.amount != 0).then(|| (operation.player.clone(), operation.amount.saturating_neg()));
    let balance = accounts.player(&operation.player).unwrap_or_default();
    let fits = balance.saturating_add(operation.amount) <= MOST_TAKEN_IN;
    Ok(match (call, is_accepted) {
        ("reserve", true) if fits => Due { moved: back(), said: vec![answer, asked("commit")] },
        ("reserve", true) => Due { moved: None, said: vec![answer, asked("cancel")] },
        ("pay", false) => Due { moved: back(), said: vec![answer] },
        _ => Due { moved: None, said: vec![answer] },
    })
}
