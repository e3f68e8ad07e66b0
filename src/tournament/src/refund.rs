//! The payments of a cancelled event (spec/games/refunds.md).

use crate::amount::{EntryNo, Fraction, OutOfRange, add, amount, count, sub, sum};
use crate::clock::{ClockError, Stop, running_time};
use crate::entry::{is_itm, pool_for_places, would_cut_short};
use crate::prize::{PrizeTable, in_cash, places_paid, prizes};
use crate::structure::{Payouts, RefundMethod, Structure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The four cases of document 001; JSON writes their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub enum Case {
    /// The event had not started (rule R001.27).
    NotStarted,
    /// It had started, and the paid places were not reached (rule R001.28).
    Unpaid,
    /// It was in the money (rule R001.29).
    Paid,
    /// It reached the money while late registration was open (rule R001.30).
    CutShort,
}

impl From<Case> for u8 {
    fn from(case: Case) -> u8 {
        match case {
            Case::NotStarted => 1,
            Case::Unpaid => 2,
            Case::Paid => 3,
            Case::CutShort => 4,
        }
    }
}

impl TryFrom<u8> for Case {
    type Error = String;

    fn try_from(number: u8) -> Result<Case, String> {
        [Case::NotStarted, Case::Unpaid, Case::Paid, Case::CutShort]
            .into_iter()
            .find(|&case| u8::from(case) == number)
            .ok_or_else(|| format!("there is no case {number}"))
    }
}

impl Case {
    /// The case (refunds.md, 3). `cut_short`: the paid places were reached while late registration was open by the
    /// schedule.
    pub fn of(started: bool, in_the_money: bool, cut_short: bool) -> Case {
        match (started, in_the_money, cut_short) {
            (false, _, _) => Case::NotStarted,
            (true, false, _) => Case::Unpaid,
            (true, true, false) => Case::Paid,
            (true, true, true) => Case::CutShort,
        }
    }
}

/// The cause of an interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The service crashed.
    Crash,
    /// Unscheduled downtime.
    Downtime,
    /// A player lost their connection (rule R001.103).
    Disconnection,
    /// Anything else.
    Other,
}

impl Interruption {
    /// Whether refunds follow automatically. For other causes an operator decides by an entry (rule R001.110). A
    /// disconnection is never a ground for refunds.
    pub fn refunds_by_itself(self) -> bool {
        matches!(self, Interruption::Crash | Interruption::Downtime)
    }
}

/// A player who is left at the reference instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefundPlayer {
    /// The entry.
    pub entry_no: EntryNo,
    /// Chips at the instant.
    pub chips: u64,
    /// All fees of the entry; in case 1 the whole payment.
    pub fee: u64,
    /// Head and won total.
    pub bounty: u64,
}

/// The inputs of a refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefundIn {
    /// The case.
    pub case: Case,
    /// How the pool is divided.
    pub method: RefundMethod,
    /// The amount for pool parts: in case 2 the amount collected, in 3 and 4 the sum of `prizes`, in 1 zero.
    pub pool: u64,
    /// Places 1 to n, in cases 3 and 4.
    pub prizes: Vec<u64>,
    /// The remaining players.
    pub players: Vec<RefundPlayer>,
}

/// One player's refund, by part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Payment {
    /// The entry.
    pub entry_no: EntryNo,
    /// The part of the pool.
    pub pool: u64,
    /// The exact part of the pool, before its one rounding.
    pub exact: Fraction,
    /// Fees.
    pub fee: u64,
    /// Bounty.
    pub bounty: u64,
    /// The sum.
    pub paid: u64,
}

/// The whole refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefundOut {
    /// The case.
    pub case: Case,
    /// The sum of all payments.
    pub total: u64,
    /// All chips.
    pub chips: u64,
    /// The part that goes to `rounding_residual`.
    pub residual: u64,
    /// The payments by player.
    pub payments: Vec<Payment>,
}

/// Why there is no refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefundError {
    /// There is no player left.
    #[error("a refund is for those who are left: nobody is")]
    Nobody,
    /// A player is named twice, or has no chips in an event that has started.
    #[error("entry {0} is named twice, or is left without chips")]
    Player(EntryNo),
    /// Prizes are given in a case without prizes, or are not one for each player, or rise, or have another sum.
    #[error("cases 3 and 4 need a prize for each player, the best first, and their sum as the pool; the others none")]
    Prizes,
    /// The records' times go backwards.
    #[error("records must be in the order of their times")]
    Order,
    /// The times are impossible.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// An amount is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

/// The payments (refunds.md, 4).
///
/// # Errors
/// See [`RefundError`].
pub fn refund(given: &RefundIn) -> Result<RefundOut, RefundError> {
    let chips = given.check()?;
    let mut payments = Vec::with_capacity(given.players.len());
    for player in &given.players {
        let exact = given.pool_part(player.chips, chips)?;
        let pool = exact.floor()?;
        let paid = sum([pool, player.fee, player.bounty])?;
        payments.push(Payment { entry_no: player.entry_no, pool, exact, fee: player.fee, bounty: player.bounty, paid });
    }
    let residual = sub(given.pool, sum(payments.iter().map(|payment| payment.pool))?)?;
    let total = sum(payments.iter().map(|payment| payment.paid))?;
    Ok(RefundOut { case: given.case, total, chips, residual, payments })
}

impl RefundIn {
    /// The sum of all chips, after a check of the inputs.
    fn check(&self) -> Result<u64, RefundError> {
        let started = self.case != Case::NotStarted;
        if self.players.is_empty() {
            return Err(RefundError::Nobody);
        }
        let mut seen = BTreeSet::new();
        for player in &self.players {
            if !seen.insert(player.entry_no) || (started && player.chips == 0) {
                return Err(RefundError::Player(player.entry_no));
            }
        }
        let falls = self.prizes.windows(2).all(|pair| matches!(pair, [better, worse] if better >= worse));
        let fits = match self.case {
            Case::NotStarted => self.prizes.is_empty() && self.pool == 0,
            Case::Unpaid => self.prizes.is_empty(),
            Case::Paid | Case::CutShort => {
                falls && self.prizes.len() == self.players.len() && sum(self.prizes.iter().copied())? == self.pool
            }
        };
        if !fits {
            return Err(RefundError::Prizes);
        }
        amount(u128::from(self.pool))?;
        Ok(sum(self.players.iter().map(|player| player.chips))?)
    }

    /// One player's exact part of the pool. Every product fits: amounts are below 2^53, players below 2^16.
    fn pool_part(&self, own: u64, all: u64) -> Result<Fraction, OutOfRange> {
        let wide = u128::from;
        let (pool, own, all, players) = (wide(self.pool), wide(own), wide(all), wide(count(self.players.len())));
        match (self.case, self.method) {
            (Case::NotStarted, _) => Fraction::new(0u8, 1u8),
            (_, RefundMethod::ChipCount) => Fraction::new(pool.saturating_mul(own), all),
            (Case::Unpaid, RefundMethod::Document) => {
                let parts = all.saturating_add(players.saturating_mul(own));
                let of = players.saturating_mul(2).saturating_mul(all);
                Fraction::new(pool.checked_mul(parts).ok_or(OutOfRange)?, of)
            }
            (Case::Paid | Case::CutShort, RefundMethod::Document) => {
                let least = wide(self.prizes.last().copied().unwrap_or(0));
                let rest = pool.checked_sub(players.saturating_mul(least)).ok_or(OutOfRange)?;
                Fraction::new(rest.saturating_mul(own).saturating_add(least.saturating_mul(all)), all)
            }
        }
    }
}

/// An entry's holdings from a time on: the end of a hand, its registration, a rebuy or add-on, or the decision not to
/// rebuy. An entry taken back before the start has no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// The time, UTC milliseconds.
    pub at: u64,
    /// The entry.
    pub entry_no: EntryNo,
    /// Whether its player had entered before.
    pub re_entry: bool,
    /// Chips; 0 means out, or about to rebuy.
    pub chips: u64,
    /// Whether its player, without chips, may still rebuy. A refund does not count them; the paid places do.
    pub may_rebuy: bool,
    /// Head and won total.
    pub bounty: u64,
    /// Fees paid so far.
    pub fee: u64,
    /// Amounts paid to the pool so far.
    pub to_pool: u64,
}

impl Held {
    fn remains(&self) -> bool {
        self.chips > 0 || self.may_rebuy
    }
}

/// Each entry's holdings at the instant: its last record at or before it (refunds.md, 2.2, ruling A001.q). Records are
/// in the log's order; of records with the same time the later one counts.
pub fn held_at(records: &[Held], instant: u64) -> BTreeMap<EntryNo, Held> {
    records.iter().filter(|held| held.at <= instant).map(|held| (held.entry_no, *held)).collect()
}

/// An event for which a refund is requested.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Its structure; if late registration was changed, with the least `late_levels` that was in force.
    pub structure: &'a Structure,
    /// The time at which it began.
    pub start: u64,
    /// The times at which its clock stood still.
    pub stops: &'a [Stop],
    /// Its entries' holdings, in the log's order.
    pub records: &'a [Held],
}

/// The state of an event at a time.
#[derive(Default)]
struct Standing {
    held: BTreeMap<EntryNo, Held>,
    collected: u64,
    players: u64,
    remaining: u64,
    /// Set once the paid places were reached: whether that cut registration short.
    money: Option<bool>,
}

impl Standing {
    fn take(&mut self, record: Held) -> Result<(), OutOfRange> {
        let before = self.held.insert(record.entry_no, record);
        let to_pool = before.map_or(0, |before| before.to_pool);
        self.collected = sub(add(self.collected, record.to_pool)?, to_pool)?;
        self.players = self.players.saturating_add(u64::from(before.is_none() && !record.re_entry));
        let was_left = before.is_some_and(|before| before.remains());
        self.remaining = sub(add(self.remaining, u64::from(record.remains()))?, u64::from(was_left))?;
        Ok(())
    }

    fn entries(&self) -> u64 {
        count(self.held.len())
    }

    /// The pool, unless registration is cut short.
    fn lobby_pool(&self, structure: &Structure) -> u64 {
        self.collected.max(structure.guarantee)
    }

    /// Checks whether the paid places are reached now. Once in the money, an event stays there.
    fn look(&mut self, event: &Event<'_>, moment: u64) -> Result<(), ClockError> {
        if self.money.is_none() {
            self.look_at(event.structure, event.running(moment)?);
        }
        Ok(())
    }

    fn look_at(&mut self, structure: &Structure, running: u64) {
        let cuts = would_cut_short(structure, self.players, running);
        let pool = pool_for_places(structure, self.collected, cuts);
        let places = places_paid(structure, self.entries(), self.players, pool);
        self.money = is_itm(self.remaining, places).then_some(cuts);
    }

    fn case(&self, started: bool) -> Case {
        Case::of(started, self.money.is_some(), self.money == Some(true))
    }

    /// The amount from which prizes are computed.
    fn prize_pool(&self, structure: &Structure, case: Case) -> u64 {
        if case == Case::Paid { self.lobby_pool(structure) } else { self.collected }
    }

    fn given(&self, structure: &Structure, case: Case) -> Result<RefundIn, RefundError> {
        let left = self.held.values().filter(|held| held.chips > 0);
        let left = left.map(|held| RefundPlayer {
            entry_no: held.entry_no,
            chips: held.chips,
            fee: held.fee,
            bounty: held.bounty,
        });
        let method = structure.refund_method;
        let mut given = RefundIn { case, method, pool: 0, prizes: Vec::new(), players: left.collect() };
        match case {
            Case::NotStarted => {
                for player in &mut given.players {
                    let to_pool = self.held.get(&player.entry_no).map_or(0, |held| held.to_pool);
                    player.fee = sum([player.fee, player.bounty, to_pool])?;
                    player.bounty = 0;
                }
            }
            Case::Unpaid => given.pool = self.collected,
            Case::Paid | Case::CutShort => {
                let pool = self.prize_pool(structure, case);
                let table = prizes(structure, self.entries(), self.players, pool)?;
                for place in 1..=count(given.players.len()) {
                    let prize = in_cash(&table, place, seat_value(structure))?;
                    given.pool = add(given.pool, prize)?;
                    given.prizes.push(prize);
                }
            }
        }
        Ok(given)
    }
}

/// The worth of a seat in a satellite's target; 0 in any other event.
fn seat_value(structure: &Structure) -> u64 {
    match &structure.payouts {
        Payouts::Rows(_) => 0,
        Payouts::Satellite(terms) => terms.value(),
    }
}

/// An event at an instant, as kept by a caller who stores its entries' holdings and the time at which the paid places
/// were reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsOf {
    /// The inputs of the refund.
    pub given: RefundIn,
    /// The amount from which prizes are computed; prizes of places already taken may be paid. In case 2 the amount
    /// divided, in case 1 zero.
    pub pool: u64,
    /// The prizes; empty in cases 1 and 2.
    pub table: PrizeTable,
}

/// The same as [`Event::refund_in`], from each entry's holdings at the instant. `running`: the running time then,
/// `None` if the event has not started. `money`: whether the paid places were reached before, and cut late registration
/// short; if `None`, this is checked here. `keeps_guarantee`: in case 2 the guarantee is divided if less was collected.
///
/// # Errors
/// See [`RefundError`].
pub fn as_of(
    structure: &Structure,
    held: &[Held],
    running: Option<u64>,
    money: Option<bool>,
    keeps_guarantee: bool,
) -> Result<AsOf, RefundError> {
    let mut standing = Standing::default();
    held.iter().try_for_each(|record| standing.take(*record))?;
    standing.money = money;
    if let (None, Some(running)) = (money, running) {
        standing.look_at(structure, running);
    }
    let case = standing.case(running.is_some());
    let mut given = standing.given(structure, case)?;
    let (pool, table) = match case {
        Case::NotStarted => (0, PrizeTable::default()),
        Case::Unpaid => {
            if keeps_guarantee {
                given.pool = standing.lobby_pool(structure);
            }
            (given.pool, PrizeTable::default())
        }
        Case::Paid | Case::CutShort => {
            let pool = standing.prize_pool(structure, case);
            (pool, prizes(structure, standing.entries(), standing.players, pool)?)
        }
    };
    Ok(AsOf { given, pool, table })
}

impl Event<'_> {
    fn running(&self, moment: u64) -> Result<u64, ClockError> {
        let before = self.stops.iter().filter(|stop| stop.from < moment);
        let before: Vec<Stop> = before.map(|stop| Stop { from: stop.from, until: stop.until.min(moment) }).collect();
        running_time(self.structure, self.start, &before, moment)
    }

    /// Takes the records up to a time, and calls back whenever all records of one time are in.
    fn walk(
        &self,
        until: u64,
        mut visit: impl FnMut(u64, &Standing) -> Result<(), RefundError>,
    ) -> Result<Standing, RefundError> {
        let (mut standing, mut last, mut begun) = (Standing::default(), 0, false);
        for of_moment in self.records.chunk_by(|one, other| one.at == other.at) {
            let moment = of_moment.first().map_or(last, |record| record.at);
            if moment < last {
                return Err(RefundError::Order);
            }
            if moment > until {
                break;
            }
            if !begun && moment > self.start {
                standing.look(self, self.start)?;
            }
            begun = moment >= self.start;
            of_moment.iter().try_for_each(|record| standing.take(*record))?;
            if begun {
                standing.look(self, moment)?;
            }
            last = moment;
            visit(moment, &standing)?;
        }
        if until >= self.start {
            if !begun {
                standing.look(self, self.start)?;
            }
            // Without a record, only the schedule's end can bring the guarantee's places.
            standing.look(self, until)?;
        }
        Ok(standing)
    }

    /// The inputs of the refund at an instant (refunds.md, 2 to 4).
    ///
    /// # Errors
    /// See [`RefundError`].
    pub fn refund_in(&self, instant: u64) -> Result<RefundIn, RefundError> {
        let standing = self.walk(instant, |_, _| Ok(()))?;
        self.given(&standing, instant)
    }

    fn given(&self, standing: &Standing, instant: u64) -> Result<RefundIn, RefundError> {
        standing.given(self.structure, standing.case(instant >= self.start))
    }

    /// Reports the refund at the instant `from`, and at every later time up to `until` at which a record changed
    /// something (refunds.md, 6). One at a time, because all results together have size times × players.
    ///
    /// # Errors
    /// See [`RefundError`].
    pub fn other_instants(
        &self,
        from: u64,
        until: u64,
        mut show: impl FnMut(u64, RefundOut),
    ) -> Result<(), RefundError> {
        show(from, refund(&self.refund_in(from)?)?);
        self.walk(until, |moment, standing| {
            if moment > from {
                show(moment, refund(&self.given(standing, moment)?)?);
            }
            Ok(())
        })?;
        Ok(())
    }
}
