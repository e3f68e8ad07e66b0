//! Transfers' commands and events (spec/transfers.md), over what is known of other logs (`transfers.rs`).

use crate::decide::{Before, require, require_credited};
use crate::ledger::Ledger;
use crate::parts::line;
use crate::transfers::*;
use crate::{Account, Actor, Command, DecideError, Entry, Event, MOST_NUMBER, Misfit, PlainText, Refusal, State};
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_games::Chips;
use fairshoe_tlog::{Policy, TlogProof, base64_decode};
use std::collections::BTreeMap;

/// The contents of a claim that holds.
struct Claim {
    no: u64,
    index: u64,
    player: PlayerId,
    amount: Chips,
}

impl State {
    /// The other logs that are known, or were, by name.
    pub fn known_logs(&self) -> impl Iterator<Item = (&Origin, &KnownLog)> {
        self.known.iter()
    }

    pub(crate) fn decide_transfer(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        match command {
            Command::KnowLog { log, policy } => Ok((vec![], self.decide_know(by, log, policy.as_ref())?)),
            Command::TransferOut { to, player, amount } => self.decide_out(time, by, to, player, *amount),
            Command::TransferIn { from, entry, receipt } => self.decide_in(by, from, entry.as_str(), receipt.as_str()),
            _ => Err(DecideError::Broken("this command moves no chips between logs".into())),
        }
    }

    fn decide_know(&self, by: &Actor, log: &Origin, policy: Option<&PlainText>) -> Result<Vec<Event>, Refusal> {
        require(by, &Actor::Operator, "the operator says which logs are known")?;
        if self.origin.as_ref() == Some(log) {
            return Err(Refusal::Malformed("a log does not send to itself"));
        }
        let before = self.known.get(log);
        if before.is_none() && self.known.len() >= MOST_KNOWN_LOGS {
            return Err(Refusal::Malformed("a house knows at most 256 other logs"));
        }
        if policy.is_some_and(|policy| read_policy(log, policy).is_none()) {
            return Err(Refusal::Malformed(
                "`policy` is the base64 of a policy with one log, the one that is named (spec/receipts.md)",
            ));
        }
        if before.map(|known| &known.policy).unwrap_or(&None).as_ref() == policy {
            return Err(Refusal::NothingToDo("this is how that log is known already"));
        }
        Ok(vec![Event::LogKnown { log: log.clone(), policy: policy.cloned() }])
    }

    /// A known log and its policy in force.
    fn known_by_policy(&self, log: &Origin) -> Result<(&KnownLog, Policy), Refusal> {
        let known = self.known.get(log);
        let policy = known.and_then(|known| read_policy(log, known.policy.as_ref()?));
        known.zip(policy).ok_or_else(|| Refusal::UnknownLog(log.clone()))
    }

    fn decide_out(
        &self,
        time: u64,
        by: &Actor,
        to: &Origin,
        player: &PlayerId,
        amount: Chips,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        self.require_sender(time, by, player, "players send their own chips, or the operator for them")?;
        let (known, _) = self.known_by_policy(to)?;
        require_credited(player)?;
        let balance = self.ledger.player(player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        if amount == Chips::ZERO {
            return Err(Refusal::AmountOutOfRange(amount).into());
        }
        if amount > balance {
            return Err(Refusal::InsufficientBalance { balance, asked: amount }.into());
        }
        let (player, to) = (player.clone(), to.clone());
        let lines = [(Account::Player(player.clone()), -1), (Account::Transfers(to.clone()), 1)];
        let posted = self.posted(lines, amount)?;
        let sent = Event::TransferredOut { to, no: known.sent, player: player.clone(), amount };
        Ok((vec![(player, balance)], vec![posted, sent]))
    }

    fn decide_in(
        &self,
        by: &Actor,
        from: &Origin,
        entry: &str,
        receipt: &str,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        self.require_somebody(by)?;
        let (known, policy) = self.known_by_policy(from)?;
        let Claim { no, index, player, amount } = self.read_claim(&policy, entry, receipt)?;
        if known.claimed.contains(no) {
            return Err(Refusal::AlreadyClaimed { from: from.clone(), no }.into());
        }
        let balance = self.ledger.player(&player).ok_or_else(|| Refusal::UnknownPlayer(player.clone()))?;
        require_credited(&player)?;
        if amount == Chips::ZERO || balance.plus(amount).is_none_or(|after| after > Ledger::COMFORT) {
            return Err(Refusal::AmountOutOfRange(amount).into());
        }
        let lines = [(Account::Transfers(from.clone()), -1), (Account::Player(player.clone()), 1)];
        let posted = self.posted(lines, amount)?;
        let claimed = Event::TransferredIn { from: from.clone(), no, index, player: player.clone(), amount };
        Ok((vec![(player, balance)], vec![posted, claimed]))
    }

    /// Reads a claim, if it holds: a receipt for an entry that sent chips here.
    fn read_claim(&self, policy: &Policy, entry: &str, receipt: &str) -> Result<Claim, Refusal> {
        let refused = |why: String| Refusal::ClaimRefused(why);
        let bytes = base64_decode(receipt).filter(|bytes| bytes.len() <= MOST_CLAIM_RECEIPT_BYTES);
        let bytes = bytes.ok_or_else(|| refused("the receipt is no base64 of at most 16,384 bytes".into()))?;
        if entry.len() > MOST_CLAIM_ENTRY_BYTES {
            return Err(refused("the entry is longer than 4,096 bytes".into()));
        }
        let receipt = TlogProof::parse(&bytes).map_err(|error| refused(format!("the receipt: {error}")))?;
        let shown = receipt.verify(entry.as_bytes(), policy);
        let shown = shown.map_err(|error| refused(format!("the receipt does not show this entry: {error}")))?;
        let entry = Entry::decode(entry.as_bytes()).map_err(|error| refused(format!("the entry: {error}")))?;
        let (Command::TransferOut { .. }, Some(Event::TransferredOut { to, no, player, amount })) =
            (&entry.command, entry.events.last())
        else {
            return Err(refused("the entry sends no chips".into()));
        };
        // *Attack: one transfer claimed here and elsewhere as well.*
        if self.origin.as_ref() != Some(to) {
            return Err(refused(format!("the chips were sent to {to}")));
        }
        if shown.index > MOST_NUMBER {
            return Err(refused("no log has so many entries".into()));
        }
        Ok(Claim { no: *no, index: shown.index, player: player.clone(), amount: *amount })
    }

    /// Folds an event in that is about another log.
    pub(crate) fn apply_transfer(&mut self, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::LogKnown { log, policy } => {
                self.ledger.open_transfers(log);
                self.known.entry(log.clone()).or_default().policy.clone_from(policy);
            }
            Event::TransferredOut { to, no, .. } => {
                let known = self.known.get_mut(to).ok_or_else(|| Misfit::UnknownLog(to.clone()))?;
                if known.sent != *no {
                    return Err(Misfit::TransferNotNext(*no, to.clone(), known.sent));
                }
                known.sent = known.sent.saturating_add(1);
            }
            Event::TransferredIn { from, no, .. } => {
                let known = self.known.get_mut(from).ok_or_else(|| Misfit::UnknownLog(from.clone()))?;
                if !known.claimed.insert(*no) {
                    return Err(Misfit::TransferClaimed(*no, from.clone()));
                }
            }
            _ => return Err("it is about no other log".into()),
        }
        Ok(())
    }

    /// The lines of the other logs.
    pub(crate) fn known_lines(&self, lines: &mut BTreeMap<String, String>) -> Result<(), serde_json::Error> {
        for (log, known) in &self.known {
            let key = format!("known:{log}");
            let part = KnownPart {
                policy: known.policy.clone(),
                balance: self.ledger.balance(&Account::Transfers(log.clone())).unwrap_or_default(),
                sent: known.sent,
                claimed: known.claimed.clone(),
            };
            lines.insert(key.clone(), line(&key, &part)?);
        }
        Ok(())
    }

    /// Takes in what a noted state says of another log.
    pub(crate) fn take_known(&mut self, log: Origin, part: KnownPart) -> Result<(), Misfit> {
        let KnownPart { policy, balance, sent, claimed } = part;
        if policy.as_ref().is_some_and(|policy| read_policy(&log, policy).is_none()) {
            return Err(Misfit::NoPolicy(log.clone()));
        }
        if self.origin.as_ref() == Some(&log) || self.known.len() >= MOST_KNOWN_LOGS {
            return Err(Misfit::NotAnotherLog(log.clone()));
        }
        // Each amount that was sent or came was 1 or more.
        let least = i64::try_from(sent).unwrap_or(i64::MAX);
        if sent == 0 && balance > 0 || claimed.is_empty() && balance < least {
            return Err(Misfit::TransfersElse(log.clone()));
        }
        self.ledger.open_transfers(&log);
        self.ledger.set_transfers(&log, balance);
        self.known.insert(log, KnownLog { policy, sent, claimed });
        Ok(())
    }
}
