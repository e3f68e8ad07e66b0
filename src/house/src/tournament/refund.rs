//! The refunds of a cancelled event (spec/games/refunds.md): each entry's holdings at an earlier instant, and the
//! payments that follow from them. `fairshoe_tournament` has the arithmetic of the four cases, `decide/refunds.rs` the
//! postings.

use super::CancelCause;
use super::{DealTalk, EventEntry, Fall, Stage, Tournament, Whereabouts};
use super::{StandCause, TournamentEvent as E};
use crate::Misfit;
use fairshoe_tournament::bounty::{Bounties, Bounty};
use fairshoe_tournament::clock::{Stop, running_time, within_levels};
use fairshoe_tournament::prize::{forfeited, shared};
use fairshoe_tournament::rank::{Elimination, Rank, ranks};
use fairshoe_tournament::refund::{AsOf, Case, Held, RefundOut, as_of, refund};
use fairshoe_tournament::{EntryNo, OutOfRange};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An instant may lie at least this far back (2.1).
const REACH_MS: u64 = 1_800_000;

/// An amount as the ledger signs it.
fn cents(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

pub(super) fn all(amounts: impl IntoIterator<Item = u64>) -> u64 {
    amounts.into_iter().fold(0, u64::saturating_add)
}

/// An entry at a moment, as far as a refund needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// Whether it was in play.
    pub in_play: bool,
    /// Its chips.
    pub chips: u64,
    /// Head and won total.
    pub bounty: Bounty,
    /// Cents that it had brought to the pool.
    pub to_pool: u64,
    /// Cents that it had brought in fees.
    pub fees: u64,
    /// Rebuys so far.
    pub rebuys: u8,
    /// Whether a rebuy was awaited.
    pub is_rebuying: bool,
    /// The elimination that it would be, if it has no chips and is not out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub falls: Option<Box<Fall>>,
    /// Cents that its place had taken of the pool.
    pub from_pool: u64,
    /// Prizes and bounties paid to it.
    pub received: u64,
}

impl Then {
    fn of(entry: &EventEntry) -> Then {
        Then {
            in_play: entry.is_in_play(),
            chips: entry.chips,
            bounty: entry.bounty,
            to_pool: entry.to_pool,
            fees: entry.fees,
            rebuys: entry.rebuys,
            is_rebuying: entry.rebuy_until.is_some(),
            falls: entry.falls.clone().map(Box::new),
            from_pool: entry.from_pool,
            received: entry.received,
        }
    }
}

/// The elimination that an entry's last hand was.
fn elimination(entry_no: EntryNo, fall: &Fall) -> Elimination {
    Elimination { entry_no, hand: fall.hand, table: fall.table, stack: fall.stack, distance: fall.distance }
}

/// The entries' holdings before they changed, as far back as an instant may lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// By time of the change, UTC milliseconds: the entry, and its holdings before; `None` if it did not exist.
    changes: VecDeque<(u64, EntryNo, Option<Then>)>,
    /// The entries that the log's entry being folded in may have changed, with their holdings before.
    #[serde(skip)]
    touched: BTreeMap<EntryNo, Option<Then>>,
}

impl Journal {
    /// The entries that it names.
    pub(super) fn named(&self) -> impl Iterator<Item = &EntryNo> {
        self.changes.iter().map(|(_, entry_no, _)| entry_no)
    }
}

/// The parts of a payment: for the pool, in fees, for bounties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bought {
    /// Cents.
    pub pool: u64,
    /// Cents.
    pub fees: u64,
    /// Cents.
    pub bounty: u64,
}

impl Bought {
    /// Together.
    pub fn sum(&self) -> u64 {
        all([self.pool, self.fees, self.bounty])
    }
}

/// The refund of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refund {
    /// Fees of the entry in play.
    pub fee: u64,
    /// Head and won total.
    pub bounty: u64,
    /// The part of the pool.
    pub pool: u64,
    /// The prize of a place that was taken before the instant, and not paid.
    pub prize: u64,
    /// The won total of somebody who was out in a paid place, not paid.
    pub total: u64,
    /// Purchases after the instant, in case 1 all purchases: they come back whole.
    pub bought: Bought,
    /// The part of `bought` that comes back in T$.
    pub in_t_dollars: u64,
    /// Prizes and bounties paid after the instant, to be taken back.
    pub owed: u64,
}

impl Refund {
    /// Everything that comes back, before anything is taken.
    pub fn sum(&self) -> u64 {
        all([self.fee, self.bounty, self.pool, self.prize, self.total, self.bought.sum()])
    }

    /// The event `refunded` of it, if so much is taken back.
    pub(crate) fn event(&self, entry_no: EntryNo, case: Case, taken: u64) -> E {
        let whole = self.bought.sum();
        let (fee, bought) = if case == Case::NotStarted { (whole, 0) } else { (self.fee, whole) };
        let due = self.prize.saturating_add(self.total);
        E::Refunded { entry_no, fee, bounty: self.bounty, pool: self.pool, due, bought, taken }
    }

    /// The payments out of the event's pool, fees and bounties.
    pub(crate) fn out_of(&self) -> (u64, u64, u64) {
        let pool = all([self.pool, self.prize, self.bought.pool]);
        (pool, self.fee.saturating_add(self.bought.fees), all([self.bounty, self.total, self.bought.bounty]))
    }
}

/// A refund by the form in which it is paid, before anything is taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByForm {
    /// To the player, or to the escrow of an entry of which stakes were sold.
    pub cash: u64,
    /// To the player in any case: what they bought beside their entry is their own cost.
    pub own_cash: u64,
    /// To the player's T$.
    pub t_dollars: u64,
}

/// A cancellation, computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The payments to the remaining players.
    pub out: RefundOut,
    /// The amount that is divided.
    pub pool: u64,
    /// The refunds by entry.
    pub refunds: BTreeMap<EntryNo, Refund>,
    /// The amounts that the house adds to pool and bounties, so that they hold what the refunds take; negative: that it
    /// gets.
    pub advance: (i64, i64),
}

impl Tournament {
    /// Keeps an entry's holdings before it changes.
    pub(crate) fn touch(&mut self, entry_no: EntryNo) {
        if self.stage == Stage::Running && !self.journal.touched.contains_key(&entry_no) {
            let before = self.entries.get(&entry_no).map(Then::of);
            self.journal.touched.insert(entry_no, before);
        }
    }

    /// After an entry of the log: its changes are kept, and changes that no instant can reach any more are dropped.
    pub(crate) fn end_journal(&mut self, time: u64) {
        for (entry_no, before) in std::mem::take(&mut self.journal.touched) {
            if self.entries.get(&entry_no).map(Then::of) != before {
                self.journal.changes.push_back((time, entry_no, before));
            }
        }
        let (first, _) = self.instants(time);
        while self.journal.changes.front().is_some_and(|(at, ..)| *at <= first) {
            self.journal.changes.pop_front();
        }
    }

    /// The first and the last instant as of which the event can be cancelled at a time (2.1).
    pub fn instants(&self, time: u64) -> (u64, u64) {
        let last = match self.clock.stands {
            Some((since, StandCause::Crash)) => since,
            _ => time,
        };
        let first = last.saturating_sub(self.structure().cancel_after_ms.max(REACH_MS));
        let started = if self.stage == Stage::Registering { 0 } else { self.clock.started };
        (first.max(started), last)
    }

    /// The moments as of which the event could be cancelled at a time, ascending: the first, and each later one at
    /// which an entry's holdings changed. Between two of them only the clock changes.
    pub fn moments(&self, time: u64) -> Vec<u64> {
        let (first, last) = self.instants(time);
        let changes = self.journal.changes.iter().map(|(at, ..)| *at).filter(|at| (first..=last).contains(at));
        let mut moments: Vec<u64> = [first].into_iter().chain(changes).collect();
        moments.dedup();
        moments
    }

    /// Whether the dealer has been down for so long that the event is cancelled.
    pub(crate) fn is_crash_over(&self, now: u64) -> Option<u64> {
        let (since, cause) = self.clock.stands?;
        let end = since.saturating_add(self.structure().cancel_after_ms);
        (cause == StandCause::Crash && now >= end && !self.is_over()).then_some(since)
    }

    /// Each entry's holdings at an instant, without entries that were given back.
    fn held_at(&self, instant: u64) -> BTreeMap<EntryNo, Then> {
        let now = self.entries.iter();
        let mut held: BTreeMap<EntryNo, Then> = now.map(|(entry_no, entry)| (*entry_no, Then::of(entry))).collect();
        for (_, entry_no, before) in self.journal.changes.iter().rev().take_while(|(at, ..)| *at > instant) {
            match before {
                Some(before) => drop(held.insert(*entry_no, before.clone())),
                None => drop(held.remove(entry_no)),
            }
        }
        held
    }

    /// Running time at an instant of an event that has started.
    fn running_at(&self, instant: u64) -> Option<u64> {
        if self.stage != Stage::Running {
            return None;
        }
        let stops = self.clock.stops.iter().copied().chain(self.clock.stands.map(|(from, _)| (from, instant)));
        let before = stops.filter(|(from, _)| *from < instant);
        let stops: Vec<Stop> = before.map(|(from, until)| Stop { from, until: until.min(instant) }).collect();
        running_time(self.structure(), self.clock.started, &stops, instant).ok()
    }

    /// All payments of a cancellation as of an instant.
    ///
    /// # Errors
    /// If amounts leave the range, or if an event that was played has no player left.
    pub fn settlement(&self, instant: u64, cause: CancelCause) -> Result<Settlement, Misfit> {
        if self.stage == Stage::Registering {
            return self.whole();
        }
        let then = self.held_at(instant);
        let running = self.running_at(instant);
        let held: Vec<Held> = then
            .iter()
            .map(|(entry_no, then)| Held {
                at: instant,
                entry_no: *entry_no,
                re_entry: self.entries.get(entry_no).is_some_and(|entry| entry.re_entry),
                chips: if then.in_play && !self.is_barred(*entry_no) { then.chips } else { 0 },
                may_rebuy: !self.is_barred(*entry_no) && self.might_rebuy(then, running.unwrap_or_default()),
                bounty: 0,
                fee: then.fees,
                to_pool: then.to_pool,
            })
            .collect();
        let money = self.itm.filter(|_| self.itm_at.is_some_and(|at| at <= instant));
        let structure = self.scheduled(self.least_late_levels);
        let keeps_guarantee = cause == CancelCause::Operator;
        let standing = as_of(&structure, &held, running, money, keeps_guarantee);
        let mut standing = standing?;
        let (elsewhere, refunds) = self.parts(&then, &mut standing)?;
        let awarded = all(then.values().map(|then| then.from_pool)).saturating_add(elsewhere);
        self.with_advance(&standing, awarded, refunds)
    }

    /// The payments to the remaining players if the event were cancelled as of an instant.
    ///
    /// # Errors
    /// If amounts leave the range, or if an event that was played has no player left.
    pub fn would_refund(&self, instant: u64, cause: CancelCause) -> Result<RefundOut, Misfit> {
        self.settlement(instant, cause).map(|settled| settled.out)
    }

    /// Whether a player without chips may still buy some, also if the log does not say so yet (2.4).
    fn might_rebuy(&self, then: &Then, running: u64) -> bool {
        let allows = |terms: &fairshoe_tournament::structure::RebuyTerms| {
            within_levels(self.structure(), terms.levels, running) && then.rebuys < terms.most
        };
        let awaits = then.falls.is_some() && self.structure().rebuy.as_ref().is_some_and(allows);
        then.in_play && then.chips == 0 && (then.is_rebuying || awaits)
    }

    /// Case 1: all players get back all that they paid.
    fn whole(&self) -> Result<Settlement, Misfit> {
        let mut refunds = BTreeMap::new();
        let mut held = Vec::new();
        for (entry_no, entry) in self.left() {
            let bought = self.all_of(entry);
            held.push(Held {
                at: 0,
                entry_no: *entry_no,
                re_entry: false,
                chips: entry.chips,
                may_rebuy: false,
                bounty: bought.bounty,
                fee: bought.fees,
                to_pool: bought.pool,
            });
            let in_t_dollars = entry.paid_by.not_cash();
            refunds.insert(*entry_no, Refund { bought, in_t_dollars, ..Refund::default() });
        }
        held.sort_by_key(|held| held.entry_no);
        let nobody = RefundOut { case: Case::NotStarted, total: 0, chips: 0, residual: 0, payments: Vec::new() };
        let out = match held.is_empty() {
            true => nobody,
            false => as_of(self.structure(), &held, None, None, false).and_then(|standing| refund(&standing.given))?,
        };
        Ok(Settlement { out, pool: 0, refunds, advance: (0, 0) })
    }

    /// All payments for an entry, later purchases included.
    fn all_of(&self, entry: &EventEntry) -> Bought {
        let paid = all([entry.paid_by.cash, entry.paid_by.t_dollars, entry.paid_by.ticket]);
        let terms = &self.structure().entry;
        let bounty = paid.saturating_sub(terms.buy_in.saturating_add(terms.fee));
        Bought { pool: entry.to_pool, fees: entry.fees, bounty }
    }

    /// The part of the prizes that goes to no place (to the giver of a substitute, or as a disqualified player's to the
    /// remaining players), and by entry the refund beside its part of the pool. The bounties of the remaining players
    /// are put into `standing`.
    fn parts(
        &self,
        then: &BTreeMap<EntryNo, Then>,
        standing: &mut AsOf,
    ) -> Result<(u64, BTreeMap<EntryNo, Refund>), OutOfRange> {
        let left: BTreeSet<EntryNo> = standing.given.players.iter().map(|player| player.entry_no).collect();
        let ranked = self.ranked_at(then, &left);
        let paid = |rank: &Rank| u64::try_from(standing.table.prizes.len()).is_ok_and(|places| rank.first <= places);
        let bounties = self.bounties_at(then, &ranked, paid)?;
        let mut refunds: BTreeMap<EntryNo, Refund> = BTreeMap::new();
        let (mut elsewhere, mut forfeit) = (0u64, 0u64);
        let is_paid_then = |rank: &Rank| then.get(&rank.entry_no).is_none_or(|was| was.from_pool > 0);
        for rank in ranked.iter().filter(|rank| paid(rank) && !is_paid_then(rank)) {
            let prize = self.prize_in_cash(standing, rank)?;
            let substituted = self.takes_substitute(rank.entry_no, (rank.first, rank.last));
            if !self.is_barred(rank.entry_no) && !substituted {
                refunds.entry(rank.entry_no).or_default().prize = prize;
                continue;
            }
            elsewhere = elsewhere.saturating_add(prize);
            forfeit = forfeit.saturating_add(if self.is_barred(rank.entry_no) { prize } else { 0 });
        }
        let of_others = bounties.iter().filter(|(entry_no, total)| **total > 0 && !left.contains(entry_no));
        for (entry_no, total) in of_others {
            match self.is_barred(*entry_no) {
                true => forfeit = forfeit.saturating_add(*total),
                false => refunds.entry(*entry_no).or_default().total = *total,
            }
        }
        let shares = forfeited(forfeit, left.len());
        for (player, share) in standing.given.players.iter_mut().zip(shares) {
            player.bounty = bounties.get(&player.entry_no).copied().unwrap_or_default().saturating_add(share);
        }
        self.add_bought(then, &mut refunds);
        Ok((elsewhere, refunds))
    }

    /// Whether an entry's player is disqualified: then they are out, whenever that was.
    fn is_barred(&self, entry_no: EntryNo) -> bool {
        self.entries.get(&entry_no).is_some_and(|entry| entry.at == Whereabouts::Disqualified)
    }

    /// Adds purchases after the instant, which come back, and payments after it, which the player owes, whichever of
    /// their entries won them.
    fn add_bought(&self, then: &BTreeMap<EntryNo, Then>, refunds: &mut BTreeMap<EntryNo, Refund>) {
        for (entry_no, entry) in self.entries.iter() {
            let was = then.get(entry_no);
            let (bought, in_t_dollars) = match was {
                None => (self.all_of(entry), entry.paid_by.not_cash()),
                Some(was) => {
                    let pool = entry.to_pool.saturating_sub(was.to_pool);
                    let fees = entry.fees.saturating_sub(was.fees);
                    (Bought { pool, fees, bounty: 0 }, 0)
                }
            };
            if bought.sum() > 0 {
                let refund = refunds.entry(*entry_no).or_default();
                (refund.bought, refund.in_t_dollars) = (bought, in_t_dollars);
            }
            let owed = entry.received.saturating_sub(was.map_or(0, |was| was.received));
            if owed > 0 {
                // A seller's winnings still lie in escrow.
                let last = self.entrants.get(&entry.player).and_then(|entrant| entrant.entries.last());
                let of = last.filter(|_| entry.stakes.is_empty()).unwrap_or(entry_no);
                let refund = refunds.entry(*of).or_default();
                refund.owed = refund.owed.saturating_add(owed);
            }
        }
    }

    /// A place's prize; a seat counts at its worth.
    fn prize_in_cash(&self, standing: &AsOf, rank: &Rank) -> Result<u64, OutOfRange> {
        let value = self.seat_value();
        let (prize, _) = shared(&standing.table, rank.first, rank.last, value)?;
        Ok(prize.cash.saturating_add(if prize.seat { value } else { 0 }))
    }

    /// The ranks of all who were out at the instant, those without chips among them, and of those disqualified since.
    fn ranked_at(&self, then: &BTreeMap<EntryNo, Then>, left: &BTreeSet<EntryNo>) -> Vec<Rank> {
        // Each player's last entry at the instant: an entry before a re-entry takes no place.
        let mut last: BTreeMap<&str, EntryNo> = BTreeMap::new();
        for entry_no in then.keys() {
            if let Some(entry) = self.entries.get(entry_no) {
                last.insert(entry.player.as_str(), *entry_no);
            }
        }
        let out = last.values().filter(|entry_no| !left.contains(entry_no));
        let eliminations: Vec<Elimination> = out
            .filter_map(|entry_no| {
                let falls = then.get(entry_no)?.falls.as_deref();
                let now = self.entries.get(entry_no)?;
                falls.map(|fall| elimination(*entry_no, fall)).or(now.out)
            })
            .collect();
        ranks(u64::try_from(left.len()).unwrap_or(u64::MAX), &eliminations)
    }

    /// Heads and totals at the instant, by entry, after the heads of players without chips have fallen.
    fn bounties_at(
        &self,
        then: &BTreeMap<EntryNo, Then>,
        ranked: &[Rank],
        paid: impl Fn(&Rank) -> bool,
    ) -> Result<BTreeMap<EntryNo, u64>, OutOfRange> {
        let mut bounties = Bounties::new(self.structure().bounty_onto_head);
        bounties.of = then.iter().map(|(entry_no, then)| (*entry_no, then.bounty)).collect();
        let mut falling: Vec<(EntryNo, &Fall)> =
            then.iter().filter_map(|(entry_no, then)| Some((*entry_no, then.falls.as_deref()?))).collect();
        falling.sort_by_key(|(entry_no, fall)| (fall.hand, fall.stack, Reverse(fall.distance), Reverse(*entry_no)));
        for (entry_no, fall) in falling {
            let is_paid = ranked.iter().find(|rank| rank.entry_no == entry_no).is_some_and(&paid);
            // A head that no player can win stays with its entry.
            let _ = bounties.eliminate(entry_no, &fall.winners, is_paid);
        }
        let mut all = bounties.paid;
        for (entry_no, bounty) in bounties.of {
            let sum = all.entry(entry_no).or_default();
            *sum = sum.saturating_add(bounty.current()?);
        }
        Ok(all)
    }

    /// The parts of the remaining players, and the amounts that the house adds to the accounts, or gets, so that they
    /// hold what the refunds take. `awarded`: cents of the pool, awarded at the instant or by what follows from it.
    fn with_advance(
        &self,
        standing: &AsOf,
        awarded: u64,
        mut refunds: BTreeMap<EntryNo, Refund>,
    ) -> Result<Settlement, Misfit> {
        let out = refund(&standing.given)?;
        for payment in &out.payments {
            let refund = refunds.entry(payment.entry_no).or_default();
            (refund.fee, refund.bounty, refund.pool) = (payment.fee, payment.bounty, payment.pool);
        }
        let (mut needed_pool, mut needed_bounties) = (0u64, 0u64);
        for refund in refunds.values() {
            needed_pool = needed_pool.saturating_add(refund.bought.pool);
            needed_bounties = all([needed_bounties, refund.bounty, refund.total, refund.bought.bounty]);
        }
        let not_awarded = standing.pool.checked_sub(awarded).ok_or("more was awarded than the pool")?;
        needed_pool = needed_pool.saturating_add(not_awarded);
        let advance = (
            cents(needed_pool).saturating_sub(self.money.pool),
            cents(needed_bounties).saturating_sub(self.money.bounties),
        );
        Ok(Settlement { out, pool: standing.given.pool, refunds, advance })
    }

    /// A refund by the form in which the entry was paid.
    pub(crate) fn by_form(&self, entry: &EventEntry, refund: &Refund, case: Case) -> ByForm {
        let bought = refund.bought.sum().saturating_sub(refund.in_t_dollars);
        if case == Case::NotStarted {
            // A refund all in cash is divided with the buyers of stakes; any other gives the escrow back.
            let (cash, own_cash) = if refund.in_t_dollars == 0 { (bought, 0) } else { (0, bought) };
            return ByForm { cash, own_cash, t_dollars: refund.in_t_dollars };
        }
        // T$, and a ticket, paid the buy-in first, then the fee (4.6).
        let terms = &self.structure().entry;
        let fee = entry.paid_by.not_cash().saturating_sub(terms.buy_in).min(terms.fee).min(refund.fee);
        let cash = all([refund.fee.saturating_sub(fee), refund.bounty, refund.pool, refund.prize, refund.total]);
        ByForm { cash, own_cash: bought, t_dollars: fee.saturating_add(refund.in_t_dollars) }
    }

    pub(crate) fn fold_cancelled(&mut self, event: &E, time: u64) -> Result<(), Misfit> {
        let E::Cancelled { cause, instant, case, method, remaining, pool, chips, residual, .. } = event else {
            return Err("this cancels nothing".into());
        };
        let (first, last) = self.instants(time);
        if !matches!(self.stage, Stage::Registering | Stage::Running) || !(first..=last).contains(instant) {
            return Err("the event is not cancelled as of that instant".into());
        }
        let settled = self.settlement(*instant, *cause)?;
        let (out, left) = (&settled.out, u64::try_from(settled.out.payments.len()).unwrap_or(u64::MAX));
        let same =
            (*case, *remaining, *pool, *chips, *residual) == (out.case, left, settled.pool, out.chips, out.residual);
        if !same || *method != self.structure().refund_method {
            return Err("a cancellation whose figures do not follow from what the entries held".into());
        }
        self.hold(settled.advance.0, 0, settled.advance.1, 0);
        self.refunds = settled.refunds;
        self.refund_case = Some(*case);
        self.stage = Stage::Cancelled;
        self.clock.next_change = None;
        // No input is awaited any more.
        self.draws.open = None;
        self.draws.frozen = None;
        self.deal = DealTalk::default();
        self.hand_for_hand = None;
        self.journal = Journal::default();
        self.to_settle.clear();
        self.rebuying.clear();
        // A request that was not carried out counts as never made.
        self.noted.clear();
        self.unpaid.clear();
        self.won.clear();
        self.waiting.clear();
        Ok(())
    }

    pub(crate) fn fold_refunded(&mut self, event: &E) -> Result<(), Misfit> {
        let (E::Refunded { entry_no, taken, .. }, Some(case)) = (event, self.refund_case) else {
            return Err("the event was not cancelled".into());
        };
        let next = self.refunds.pop_first().filter(|(next, _)| next == entry_no);
        let (_, refund) = next.ok_or(Misfit::RefundNotNext(*entry_no))?;
        let entry = self.entries.get(entry_no).ok_or(Misfit::NoEntry(*entry_no))?;
        let is_seller = !entry.stakes.is_empty();
        let is_short = is_seller && *taken < refund.owed;
        if refund.event(*entry_no, case, *taken) != *event || *taken > refund.owed || is_short {
            return Err(Misfit::OtherRefund(*entry_no));
        }
        let form = self.by_form(entry, &refund, case);
        let (pool, fees, bounties) = refund.out_of();
        let to_escrow = self.to_escrow(entry, &refund, &form);
        self.hold(-cents(pool), -cents(fees), -cents(bounties), to_escrow.map_or(0, |(_, amount)| amount));
        if let Some((seller, amount)) = to_escrow {
            let entry = self.entry_mut(seller)?;
            let won = entry.won.checked_add_signed(amount);
            entry.won = won.ok_or("more is taken back than lies in escrow")?;
            // Purchases after the instant are the seller's own, in T$ too.
            let shared = form.t_dollars.saturating_sub(refund.in_t_dollars);
            entry.t_dollars_won = entry.t_dollars_won.saturating_add(shared);
        }
        Ok(())
    }

    /// The entry with whose escrow this one's refund is divided, if stakes were sold, and the amount that goes there;
    /// it is negative if more was paid after the instant. A re-entry's refund is shared as the first entry's is.
    pub(crate) fn to_escrow(&self, entry: &EventEntry, refund: &Refund, form: &ByForm) -> Option<(EntryNo, i64)> {
        let first = *self.entrants.get(&entry.player)?.entries.first()?;
        self.entries.get(&first).filter(|first| !first.stakes.is_empty())?;
        // Payments to the seller's own entry lie in escrow; payments to a re-entry were the player's.
        let back = if entry.stakes.is_empty() { refund.owed.min(form.cash) } else { refund.owed };
        Some((first, cents(form.cash).saturating_sub(cents(back))))
    }

    /// Whether the escrow of an entry goes back to the buyers of its stakes: in case 1, if its refund is not all in
    /// cash (refunds.md, 5).
    pub(crate) fn gives_escrow_back(&self, entry: &EventEntry) -> bool {
        self.refund_case == Some(Case::NotStarted) && entry.paid_by.not_cash() > 0
    }
}
