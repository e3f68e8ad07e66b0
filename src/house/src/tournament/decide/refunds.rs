//! A cancelled event, and the payment of its refunds (spec/games/refunds.md). `../refund.rs` computes the amounts.

use super::{EventPending, signed};
use crate::decide::DecideError;
use crate::tournament::refund::all;
use crate::tournament::{CancelCause, EventEntry, Refund, Stage, TournamentCommand as C, TournamentEvent};
use crate::{Account, Actor, Reference, Refusal};
use fairshoe_fairness::PlayerId;
use fairshoe_tournament::refund::Case;
use std::collections::BTreeMap;

/// The most players refunded in one entry: each takes at most two lines beside the event's own.
const MOST_REFUNDED: usize = 100;

impl EventPending<'_> {
    /// Cancels the event as of an instant.
    pub(super) fn cancel(
        &mut self,
        by: &Actor,
        cause: CancelCause,
        instant: u64,
        reason: Option<&Reference>,
    ) -> Result<(), DecideError> {
        let event = self.event;
        if !matches!(event.stage, Stage::Registering | Stage::Running) || event.is_over() {
            return Err(Refusal::NothingToDo("the event is over, or off").into());
        }
        self.require_cause(by, cause, instant, reason)?;
        let (first, last) = event.instants(self.time);
        if !(first..=last).contains(&instant) {
            return Err(Refusal::Instant { first, last }.into());
        }
        let settled = event.settlement(instant, cause).map_err(|e| DecideError::Broken(e.to_string()))?;
        self.push(TournamentEvent::Cancelled {
            cause,
            instant,
            case: settled.out.case,
            method: event.structure().refund_method,
            remaining: u64::try_from(settled.out.payments.len()).unwrap_or(u64::MAX),
            pool: settled.pool,
            chips: settled.out.chips,
            residual: settled.out.residual,
        });
        let (pool, bounties) = settled.advance;
        self.post(vec![
            (Account::House, pool.saturating_add(bounties).saturating_neg()),
            (self.pool(), pool),
            (self.bounties(), bounties),
        ])
    }

    /// Checks actor and cause: the operator with a reason; the house after a crash that lasted, or if too few came.
    fn require_cause(
        &self,
        by: &Actor,
        cause: CancelCause,
        instant: u64,
        reason: Option<&Reference>,
    ) -> Result<(), DecideError> {
        let event = self.event;
        match (by, cause) {
            (Actor::Operator, _) if reason.is_none() => {
                Err(Refusal::Malformed("the operator gives a reason for a cancellation").into())
            }
            (Actor::Operator, CancelCause::Operator) => Ok(()),
            (Actor::Operator, _) => Err(Refusal::NothingToDo("that is not why the event would be off").into()),
            (Actor::House, _) if reason.is_some() => {
                Err(Refusal::Malformed("the operator alone gives a reason for a cancellation").into())
            }
            (Actor::House, CancelCause::Crash) if event.stage == Stage::Running => match event.is_crash_over(self.time)
            {
                Some(since) if since == instant => Ok(()),
                Some(_) => Err(Refusal::Malformed("the house cancels as of the crash").into()),
                None => Err(Refusal::NothingToDo("the clock does not stand for a crash for so long").into()),
            },
            (Actor::House, CancelCause::Crash | CancelCause::TooFewPlayers) => self.require_missed(cause),
            _ => Err(Refusal::NotAllowed("the operator cancels events, or the house where a rule says so").into()),
        }
    }

    /// Checks that the event cannot start at its time, by a crash or for want of players.
    fn require_missed(&self, cause: CancelCause) -> Result<(), DecideError> {
        let event = self.event;
        let end = event.starts_at.saturating_add(event.structure().cancel_after_ms);
        let is_missed = match cause {
            CancelCause::Crash => self.state.started >= event.starts_at && self.time >= end,
            _ => self.time >= event.starts_at && event.players < event.structure().entry.players_min,
        };
        match is_missed && event.stage == Stage::Registering {
            true => Ok(()),
            false => Err(Refusal::NothingToDo("the event goes on").into()),
        }
    }

    /// Pays the next refunds, by entry.
    pub(super) fn pay_refunds(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::PayRefunds { event: self.event.name().clone() })?;
        let event = self.event;
        let case = event.refund_case.ok_or_else(|| DecideError::Broken("refunds of no case".into()))?;
        let (mut lines, mut moved) = (Vec::new(), BTreeMap::new());
        for (entry_no, refund) in event.refunds.iter().take(MOST_REFUNDED) {
            let entry = self.entry(*entry_no)?.clone();
            self.note_before(&entry.player);
            let taken = self.refund(&entry, refund, case, &mut moved, &mut lines);
            self.push(refund.event(*entry_no, case, taken));
        }
        self.post(lines)
    }

    /// Adds one refund's lines; returns the amount taken back: out of the refund first, then out of the balance as this
    /// log entry has left it so far.
    fn refund(
        &self,
        entry: &EventEntry,
        refund: &Refund,
        case: Case,
        moved: &mut BTreeMap<PlayerId, i64>,
        lines: &mut Vec<(Account, i64)>,
    ) -> u64 {
        let form = self.event.by_form(entry, refund, case);
        let player = || Account::Player(entry.player.clone());
        let (mut cash, mut t_dollars) = (signed(form.own_cash), signed(form.t_dollars));
        let (mut taken, mut owed) = (refund.owed, refund.owed);
        let escrow = self.event.to_escrow(entry, refund, &form).map(|(_, amount)| amount);
        match escrow {
            Some(_) => owed = owed.saturating_sub(form.cash),
            None => cash = cash.saturating_add(signed(form.cash)),
        }
        if entry.stakes.is_empty() {
            let of_t_dollars = owed.saturating_sub(cash.unsigned_abs()).min(form.t_dollars);
            let before = moved.get(&entry.player).copied().unwrap_or_default();
            let balance = signed(self.funds(&entry.player)).saturating_add(before).saturating_add(cash);
            let of_cash = owed.saturating_sub(of_t_dollars).min(u64::try_from(balance).unwrap_or_default());
            taken = all([refund.owed.saturating_sub(owed), of_t_dollars, of_cash]);
            t_dollars = t_dollars.saturating_sub(signed(of_t_dollars));
            cash = cash.saturating_sub(signed(of_cash));
        }
        let sum = moved.entry(entry.player.clone()).or_default();
        *sum = sum.saturating_add(cash);
        let (pool, fees, bounties) = refund.out_of();
        lines.extend([
            (self.pool(), -signed(pool)),
            (self.fees(), -signed(fees)),
            (self.bounties(), -signed(bounties)),
            (player(), cash),
            (self.escrow(), escrow.unwrap_or_default()),
            (Account::TDollars(entry.player.clone()), t_dollars),
            (Account::House, signed(taken)),
        ]);
        taken
    }
}
