//! The client of the checks: it has its own names, compares every answer with the request, and tracks the player's
//! money.

use super::Failed;
use crate::Unusable;
use crate::client::{Client, Reply, until_answered};
use crate::operation::{Asked, Call, Kind, MOST, Operation, State, is_label};
use crate::statement;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long an unanswered call is repeated.
const PATIENCE: Duration = Duration::from_secs(10);

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The operation's state.
    Stands(Operation),
    /// Another status, with its code.
    Not(u16, String),
}

impl Answer {
    /// The answer in words.
    pub fn shown(&self) -> String {
        match self {
            Answer::Stands(operation) => operation.state.name().to_owned(),
            Answer::Not(status, code) => format!("{status} {code}").trim_end().to_owned(),
        }
    }
}

/// The client.
pub(super) struct Tester {
    pub client: Client,
    log: String,
    pub player: String,
    /// A player whom the wallet does not know.
    pub stranger: String,
    next: AtomicI64,
    known: Mutex<BTreeMap<(String, i64), Operation>>,
    /// The player's money without this run's operations.
    base: i64,
    /// The first value of it.
    first_base: i64,
    /// A reservation that stays from the first check to the last.
    pub kept: Option<Asked>,
    silent: AtomicU32,
}

impl Tester {
    pub fn new(client: Client, player: &str) -> Result<Tester, Unusable> {
        let mut bytes = [0_u8; 8];
        getrandom::fill(&mut bytes).map_err(|e| Unusable::new(format!("no random numbers: {e}")))?;
        let random = hex::encode(bytes);
        Ok(Tester {
            client,
            log: format!("conformance.invalid/{random}"),
            player: player.to_owned(),
            stranger: format!("nobody-{random}"),
            next: AtomicI64::new(0),
            known: Mutex::default(),
            base: 0,
            first_base: 0,
            kept: None,
            silent: AtomicU32::new(0),
        })
    }

    pub fn log(&self) -> &str {
        &self.log
    }

    /// The number of calls in a row without an answer.
    pub fn silent(&self) -> u32 {
        self.silent.load(Ordering::Relaxed)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(String, i64), Operation>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last answer for every operation of a log.
    pub fn known_of(&self, log: &str) -> Vec<Operation> {
        self.known().values().filter(|operation| operation.log == log).cloned().collect()
    }

    /// An unused number of this log.
    pub fn number(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A new name, with an amount of this player's money.
    pub fn of(&self, player: &str, amount: i64) -> Asked {
        Asked { log: self.log.clone(), no: self.number(), player: player.to_owned(), amount }
    }

    /// A new name, with an amount of the player's money.
    pub fn mine(&self, amount: i64) -> Asked {
        self.of(&self.player, amount)
    }

    /// Sends until an answer comes.
    pub fn send(&self, send: impl FnMut() -> Result<Reply, String>) -> Result<Reply, String> {
        let reply = until_answered(PATIENCE, send);
        match &reply {
            Ok(_) => self.silent.store(0, Ordering::Relaxed),
            Err(_) => drop(self.silent.fetch_add(1, Ordering::Relaxed)),
        }
        reply
    }

    /// Sends a call until it is answered; compares the answer with the request.
    pub fn ask(&self, call: Call, asked: &Asked) -> Result<Answer, String> {
        let reply = self.send(|| self.client.call(call, asked))?;
        self.read(call, asked, &reply)
    }

    /// Reads the reply to a call.
    pub fn read(&self, call: Call, asked: &Asked, reply: &Reply) -> Result<Answer, String> {
        if reply.status != 200 {
            return Ok(Answer::Not(reply.status, reply.code()));
        }
        let wrong = |what: &str| Err(format!("{call} of {} was answered with {what}: {}", asked.no, reply.shown()));
        let Ok(operation) = serde_json::from_slice::<Operation>(&reply.body) else {
            return wrong("what is no operation");
        };
        if !operation.is_of(call, asked) {
            return wrong("another operation than it asked about");
        }
        let can_be = match operation.kind {
            Kind::Deposit => operation.state != State::Paid,
            Kind::Withdrawal => matches!(operation.state, State::Paid | State::Refused),
        };
        if !can_be {
            return wrong("a state that this kind of operation cannot have");
        }
        if operation.reason.as_ref().is_some_and(|reason| operation.state != State::Refused || !is_label(reason)) {
            return wrong("a reason that is no label, or where nothing is refused");
        }
        let name = (operation.log.clone(), operation.no);
        let mut known = self.known();
        match known.get(&name) {
            Some(before) if before.state == operation.state && *before != operation => {
                return wrong("other words than the first time");
            }
            // With simultaneous calls an early answer may be read late.
            Some(before) if before.state != State::Reserved && operation.state == State::Reserved => {}
            _ => drop(known.insert(name, operation.clone())),
        }
        Ok(Answer::Stands(operation))
    }

    /// A call that must return this state.
    pub fn stands(&self, call: Call, asked: &Asked, state: State) -> Result<(), String> {
        match self.ask(call, asked)? {
            Answer::Stands(operation) if operation.state == state => Ok(()),
            other => Err(format!("{call} of {} was to be {state}, and is {}", asked.no, other.shown())),
        }
    }

    /// A call that must be refused with 409 and this code.
    pub fn conflicts(&self, call: Call, asked: &Asked, code: &str) -> Result<(), String> {
        match self.ask(call, asked)? {
            Answer::Not(409, came) if came == code => Ok(()),
            other => Err(format!("{call} of {} was to be 409 {code}, and is {}", asked.no, other.shown())),
        }
    }

    /// The statement must not have these numbers of this run's log.
    pub fn absent(&self, numbers: &[i64]) -> Result<(), String> {
        let Some(first) = numbers.iter().min() else { return Ok(()) };
        let page = statement::page(&self.client, &self.log, *first)?;
        match page.operations.iter().find(|operation| numbers.contains(&operation.no)) {
            Some(operation) => Err(format!("the statement has operation {} as {}", operation.no, operation.state)),
            None => Ok(()),
        }
    }

    /// The part of the player's money that this run holds: reserved, or committed and not paid back.
    fn out(&self) -> i64 {
        let mine = |operation: &&Operation| operation.player == self.player;
        let sum = |out: i64, operation: &Operation| match operation.state {
            State::Reserved | State::Committed => out.saturating_add(operation.amount),
            State::Paid => out.saturating_sub(operation.amount),
            State::Cancelled | State::Refused => out,
        };
        self.known().values().filter(mine).fold(0, sum)
    }

    /// The money that the player should be able to spend.
    pub fn spendable(&self) -> i64 {
        self.base.saturating_sub(self.out())
    }

    /// Whether the player can spend so much: it is reserved, and released at once.
    fn can_spend(&self, amount: i64) -> Result<bool, String> {
        let asked = self.mine(amount);
        match self.ask(Call::Reserve, &asked)? {
            Answer::Stands(operation) if operation.state == State::Reserved => {
                self.stands(Call::Cancel, &asked, State::Cancelled)?;
                Ok(true)
            }
            Answer::Stands(operation) if operation.state == State::Refused => Ok(false),
            other => Err(format!("reserve of {} was to be reserved or refused, and is {}", asked.no, other.shown())),
        }
    }

    /// Finds the money that the player can spend: doubles until it is refused, then halves.
    fn find(&self) -> Result<i64, String> {
        let (mut can, mut cannot) = (0_i64, 1_i64);
        while self.can_spend(cannot)? {
            can = cannot;
            cannot = cannot.saturating_mul(2);
            if cannot >= MOST / 2 {
                return Err(format!("{can} could be reserved: take a player with less"));
            }
        }
        while can.saturating_add(1) < cannot {
            let middle = can.saturating_add(cannot) / 2;
            if self.can_spend(middle)? { can = middle } else { cannot = middle }
        }
        Ok(can)
    }

    /// Accepts the player's present money as correct.
    fn rebase(&mut self) -> Result<(), String> {
        self.base = self.find()?.saturating_add(self.out());
        Ok(())
    }

    /// Finds the player's money for the first time.
    pub fn begin(&mut self) -> Result<i64, String> {
        self.rebase()?;
        self.first_base = self.base;
        Ok(self.base)
    }

    /// The player's loss by this run, apart from operations that still stand.
    pub fn lost(&self) -> i64 {
        self.first_base.saturating_sub(self.base)
    }

    /// The player must be able to spend exactly the expected amount; if not, the following checks continue from the
    /// present amount.
    pub fn money(&mut self) -> Result<(), String> {
        let should = self.spendable();
        let off = if should < 0 {
            Some(format!("the wallet gave {} more than there was", should.saturating_neg()))
        } else if should > 0 && !self.can_spend(should)? {
            Some(format!("the player should have {should} to spend, and has less"))
        } else if self.can_spend(should.saturating_add(1))? {
            Some(format!("the player should have {should} to spend, and has more"))
        } else {
            None
        };
        let Some(what) = off else { return Ok(()) };
        self.rebase()?;
        Err(format!("{what}: {}", self.spendable()))
    }

    /// Releases a check's reserved money and pays back its committed money. The checks of those calls find the wallet's
    /// mistakes in them; here the remaining amount is accepted.
    pub fn settle(&mut self, failed: bool) {
        let held: Vec<Asked> = self
            .known()
            .values()
            .filter(|operation| operation.state == State::Reserved)
            .map(|Operation { log, no, player, amount, .. }| Asked {
                log: log.clone(),
                no: *no,
                player: player.clone(),
                amount: *amount,
            })
            .filter(|asked| Some(asked) != self.kept.as_ref())
            .collect();
        let kept = self.kept.as_ref().map_or(0, |asked| asked.amount);
        for asked in &held {
            let _ = self.ask(Call::Cancel, asked);
        }
        let out = self.out().saturating_sub(kept);
        if out > 0 {
            let _ = self.ask(Call::Pay, &self.mine(out));
        } else if out < 0 {
            let asked = self.mine(out.saturating_neg());
            let _ = self.ask(Call::Reserve, &asked).and_then(|_| self.ask(Call::Commit, &asked));
        }
        if failed || out != 0 || !held.is_empty() {
            let _ = self.money();
        }
    }

    /// A refused withdrawal of an unknown player.
    pub fn refused_withdrawal(&self) -> Result<Asked, Failed> {
        let asked = self.of(&self.stranger, 3);
        match self.ask(Call::Pay, &asked)? {
            Answer::Stands(operation) if operation.state == State::Refused => Ok(asked),
            Answer::Stands(_) => {
                // The wallet made an account; its payment is fetched back.
                let back = self.of(&self.stranger, asked.amount);
                self.ask(Call::Reserve, &back)?;
                self.ask(Call::Commit, &back)?;
                Err(Failed::NotTried("the wallet pays to whom it does not know, and refuses no withdrawal".to_owned()))
            }
            other => Err(Failed::Fails(format!("pay to an unknown player is {}", other.shown()))),
        }
    }
}
