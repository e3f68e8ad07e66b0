//! The payments when the event of a file is cancelled (spec/games/refunds.md, 9.4).

use super::entries::{One, Place, entries};
use super::{CancelledForm, CollectedOut, FileError, MAX_STOPS, Pay, read, structure};
use crate::amount::{EntryNo, Fraction, add, count, sub, sum};
use crate::clock::{ClockError, Stop};
use crate::prize::{ends_with, prizes};
use crate::refund::{Case, Event, Held, Payment, RefundError, RefundIn, RefundOut, refund};
use crate::staking::{Division, Stake, WHOLE, divide, give_back};
use crate::structure::{RefundMethod, Structure};
use fairshoe_fairness::PlayerId;
use num_bigint::BigUint;
use serde::Serialize;

/// The payment to a buyer of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BuyerOut {
    /// The buyer.
    pub buyer: PlayerId,
    /// Their part, in basis points.
    pub basis_points: u64,
    /// The price they paid into escrow.
    pub price: u64,
    /// Their exact part of the refund, before its one rounding; for returned escrow, the price.
    pub exact: Fraction,
    /// The payment.
    pub paid: u64,
}

/// How a seller's refund is divided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StakesOut {
    /// Either `divided` (refunds.md, 5) or `escrow_back`.
    pub form: &'static str,
    /// The amount divided.
    pub of: u64,
    /// The amount in escrow.
    pub escrow: u64,
    /// The buyers' payments.
    pub buyers: Vec<BuyerOut>,
    /// The seller's rest of the divided amount.
    pub seller: u64,
    /// The seller's part of the escrow.
    pub seller_escrow: u64,
    /// The seller's whole cash, including escrow and amounts that are not shared.
    pub seller_cash: u64,
}

/// The payment for one entry, by part and by form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PaymentOut {
    /// The entry.
    pub entry_no: EntryNo,
    /// Its player, if the file names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
    /// The reason: `remaining`, `registered`, `eliminated`, `unregistered`, `after_instant`.
    pub why: &'static str,
    /// Chips at the instant.
    pub chips: u64,
    /// Refunded in full: buy-in, prices of rebuys and add-ons.
    pub buy_in: u64,
    /// Fees.
    pub fee: u64,
    /// Head and won total.
    pub bounty: u64,
    /// The part of the pool.
    pub pool: u64,
    /// The exact part of the pool, before its one rounding.
    pub exact: Fraction,
    /// The total.
    pub total: u64,
    /// The part paid in cash.
    pub cash: u64,
    /// The part paid in T$.
    pub t_dollars: u64,
    /// The part paid as a ticket, by its worth.
    pub ticket: u64,
    /// How it is shared with buyers of stakes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stakes: Option<StakesOut>,
}

/// The use of a guarantee's overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverlayOut {
    /// The amount that the house adds.
    pub used: u64,
    /// The amount that goes back to the house, if it was posted.
    pub unused: u64,
}

/// The amounts that are not refunded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestOut {
    /// Fees that the house keeps.
    pub fees_to_house: u64,
    /// Prizes of places already awarded: their winners keep them.
    pub awarded: u64,
    /// Fractions cut off the prizes of the table; they go to `rounding_residual` beside `residual`.
    pub cut_of_prizes: u64,
    /// Bounties paid before the instant.
    pub bounties_paid: u64,
}

/// Σ payments + residual = pool + buy-ins + fees + bounties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SumOut {
    /// All payments, without money out of escrow.
    pub payments: u64,
    /// The part that goes to `rounding_residual`.
    pub residual: u64,
    /// P, the pool.
    pub pool: u64,
    /// Buy-ins refunded in full.
    pub buy_ins: u64,
    /// Fees refunded.
    pub fees: u64,
    /// Bounties refunded.
    pub bounties: u64,
    /// Whether the two sides are equal.
    pub holds: bool,
}

/// The whole result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CancelledOut {
    /// The case, 1 to 4.
    pub case: Case,
    /// The rule's number.
    pub rule: &'static str,
    /// The rule in words.
    pub words: &'static str,
    /// How the pool is divided.
    pub method: RefundMethod,
    /// The reference instant.
    pub instant: u64,
    /// Entries that count.
    pub entries: u64,
    /// Their players.
    pub players: u64,
    /// n, the number of remaining players.
    pub remaining: u64,
    /// C, all chips.
    pub chips: u64,
    /// The money collected for the entries that count, with their rebuys and add-ons.
    pub collected: CollectedOut,
    /// The guarantee's part.
    pub overlay: OverlayOut,
    /// P, the pool.
    pub pool: u64,
    /// Places 1 to n, in cases 3 and 4.
    pub prizes: Vec<u64>,
    /// The part that goes to `rounding_residual`.
    pub residual: u64,
    /// The amounts that are not refunded.
    pub rest: RestOut,
    /// The payments by entry.
    pub payments: Vec<PaymentOut>,
    /// The check of the sums.
    pub sum: SumOut,
}

/// The result of a file (refunds.md, 9).
///
/// # Errors
/// See [`FileError`].
pub fn cancelled(text: &[u8]) -> Result<CancelledOut, FileError> {
    let file: CancelledForm = read(text)?;
    let (structure, fixed) = structure(&file.structure)?;
    let stops = stops(&file)?;
    let all = entries(&file, &structure)?;
    let mut records: Vec<Held> = all.iter().flat_map(|one| one.held.iter().copied()).collect();
    records.sort_by_key(|held| held.at);
    // An event that has not started begins after the instant.
    let start = file.start.unwrap_or(file.instant.saturating_add(1));
    let event = Event { structure: &structure, start, stops: &stops, records: &records };
    let totals = Totals::of(&all)?;
    let given = event.refund_in(file.instant).map_err(of_refund)?;
    if given.case != Case::NotStarted && given.players.is_empty() {
        return Err(FileError::Nobody);
    }
    let paid = totals.check(&structure, &given, fixed)?;
    let out = match given.case {
        Case::NotStarted => None,
        _ => Some(refund(&given).map_err(of_refund)?),
    };
    totals.out(&file, &given, out.as_ref(), &all, paid)
}

fn of_refund(error: RefundError) -> FileError {
    match error {
        RefundError::Nobody => FileError::Nobody,
        RefundError::Player(entry_no) => FileError::NoChips(entry_no),
        RefundError::Order => FileError::Times("records must be in the order of their times"),
        RefundError::Clock(ClockError::NotStarted) => FileError::Times("the event has not started"),
        RefundError::Clock(ClockError::Stops) => {
            FileError::Times("stops must ascend without overlap, from the start on")
        }
        RefundError::Prizes => FileError::Structure("the prizes of the places left rise".to_owned()),
        RefundError::OutOfRange(error) => FileError::OutOfRange(error),
    }
}

fn stops(file: &CancelledForm) -> Result<Vec<Stop>, FileError> {
    let given = file.stops.as_deref().unwrap_or_default();
    if file.start.is_some_and(|start| file.instant < start) {
        return Err(FileError::Times(
            "the instant is not before the start; leave out the start of an event without one",
        ));
    }
    let ascend = given
        .iter()
        .try_fold(file.start.unwrap_or(0), |last, &(from, until)| (last <= from && from <= until).then_some(until));
    if given.len() > MAX_STOPS || ascend.is_none() || (file.start.is_none() && !given.is_empty()) {
        return Err(FileError::Times("at most 1000 stops, which ascend without overlap, from the start on"));
    }
    Ok(given.iter().map(|&(from, until)| Stop { from, until }).collect())
}

/// The totals of all entries that count.
struct Totals {
    entries: u64,
    players: u64,
    /// The number of players with chips, or about to rebuy.
    left: u64,
    collected: CollectedOut,
}

impl Totals {
    fn of(all: &[One<'_>]) -> Result<Totals, FileError> {
        let collected = CollectedOut { pool: 0, fees: 0, bounties: 0 };
        let mut totals = Totals { entries: 0, players: 0, left: 0, collected };
        for one in all {
            let Some(held) = one.last() else { continue };
            totals.entries = totals.entries.saturating_add(1);
            totals.players = totals.players.saturating_add(u64::from(!one.re_entry));
            totals.left = totals.left.saturating_add(u64::from(held.chips > 0 || held.may_rebuy));
            let collected = &mut totals.collected;
            collected.pool = add(collected.pool, held.to_pool)?;
            collected.fees = add(collected.fees, held.fee)?;
            collected.bounties = add(collected.bounties, one.cost.2)?;
        }
        Ok(totals)
    }

    /// The amounts that are not refunded; else the table's awarded prizes and cut fractions, and the overlay.
    fn check(
        &self,
        structure: &Structure,
        given: &RefundIn,
        fixed: Option<u64>,
    ) -> Result<(RestOut, OverlayOut), FileError> {
        let mut rest = RestOut { fees_to_house: 0, awarded: 0, cut_of_prizes: 0, bounties_paid: 0 };
        if given.case == Case::NotStarted {
            return Ok((rest, OverlayOut { used: 0, unused: 0 }));
        }
        let missing = structure.guarantee.saturating_sub(self.collected.pool);
        let refunded = sum(given.players.iter().map(|player| player.bounty))?;
        let collected = self.collected.bounties;
        rest.bounties_paid = sub(collected, refunded).map_err(|_| FileError::Bounties { refunded, collected })?;
        rest.fees_to_house = sub(self.collected.fees, sum(given.players.iter().map(|player| player.fee))?)?;
        if given.case == Case::Unpaid {
            return Ok((rest, OverlayOut { used: 0, unused: missing }));
        }
        let (used, unused) = if given.case == Case::Paid { (missing, 0) } else { (0, missing) };
        let pool = add(self.collected.pool, used)?;
        if self.left <= ends_with(structure, self.players, pool) {
            return Err(FileError::Over(self.left));
        }
        if let Some(sum) = fixed.filter(|&sum| given.case == Case::Paid && sum != pool) {
            return Err(FileError::Prizes { sum, pool });
        }
        rest.cut_of_prizes = prizes(structure, self.entries, self.players, pool)?.residual;
        rest.awarded = sub(sub(pool, given.pool)?, rest.cut_of_prizes)?;
        Ok((rest, OverlayOut { used, unused }))
    }

    fn out(
        self,
        file: &CancelledForm,
        given: &RefundIn,
        out: Option<&RefundOut>,
        all: &[One<'_>],
        (rest, overlay): (RestOut, OverlayOut),
    ) -> Result<CancelledOut, FileError> {
        let mut of_pool = out.map(|out| out.payments.as_slice()).unwrap_or_default().iter();
        let mut payments = Vec::with_capacity(all.len());
        for one in all {
            let part = if given.case != Case::NotStarted && one.place == Place::In { of_pool.next() } else { None };
            payments.push(payment(one, part)?);
        }
        let total = |part: fn(&PaymentOut) -> u64| sum(payments.iter().map(part));
        let mut check = SumOut {
            payments: total(|payment| payment.total)?,
            residual: out.map_or(0, |out| out.residual),
            pool: given.pool,
            buy_ins: total(|payment| payment.buy_in)?,
            fees: total(|payment| payment.fee)?,
            bounties: total(|payment| payment.bounty)?,
            holds: false,
        };
        check.holds =
            add(check.payments, check.residual)? == sum([check.pool, check.buy_ins, check.fees, check.bounties])?;
        let (rule, words) = words(given.case, given.method);
        Ok(CancelledOut {
            case: given.case,
            rule,
            words,
            method: given.method,
            instant: file.instant,
            entries: self.entries,
            players: self.players,
            remaining: count(given.players.len()),
            chips: out.map_or(0, |out| out.chips),
            collected: self.collected,
            overlay,
            pool: given.pool,
            prizes: given.prizes.clone(),
            residual: check.residual,
            rest,
            payments,
            sum: check,
        })
    }
}

fn words(case: Case, method: RefundMethod) -> (&'static str, &'static str) {
    let document = method == RefundMethod::Document;
    match case {
        Case::NotStarted => ("R001.27", "not started: all that was paid comes back"),
        Case::Unpaid if document => {
            ("R001.28", "started, not in the money: fee and bounty, half of the pool in equal parts, half by chips")
        }
        Case::Unpaid => ("R001.28", "started, not in the money: fee and bounty, the pool by chips"),
        Case::Paid if document => {
            ("R001.29", "in the money: fee and bounty, the next prize, the rest of the prizes left by chips")
        }
        Case::Paid => ("R001.29", "in the money: fee and bounty, the prizes left by chips"),
        Case::CutShort if document => (
            "R001.30",
            "in the money while late registration was open: prizes of what was collected; fee and bounty, the next \
             prize, the rest of the prizes left by chips",
        ),
        Case::CutShort => (
            "R001.30",
            "in the money while late registration was open: prizes of what was collected; fee and bounty, the prizes \
             left by chips",
        ),
    }
}

/// The payment of one entry: its `part` of the pool, or all of it back, or zero.
fn payment(one: &One<'_>, part: Option<&Payment>) -> Result<PaymentOut, FileError> {
    let whole = part.is_none() && one.place != Place::Out;
    let (buy_in, fee, bounty) = match part {
        Some(part) => (0, part.fee, part.bounty),
        None if whole => one.cost,
        None => (0, 0, 0),
    };
    let pool = part.map_or(0, |part| part.pool);
    let shared = sum([buy_in, fee, bounty, pool])?;
    let (ticket, t_dollars) = match (one.pay, part.is_some()) {
        (Pay::Ticket, false) => (shared, 0),
        (Pay::Ticket, true) => (0, one.cost.1),
        (Pay::TDollars, true) => (0, one.t_dollars.saturating_sub(one.cost.0).min(one.cost.1)),
        (Pay::TDollars, false) if whole => (0, one.t_dollars),
        (Pay::TDollars, false) | (Pay::Cash, _) => (0, 0),
    };
    let total = sum([shared, one.since.0, one.since.1])?;
    let cash = sub(total, add(ticket, t_dollars)?)?;
    let other = ticket.max(t_dollars);
    let back =
        one.place == Place::Unregistered || if whole { one.pay != Pay::Cash } else { other > 0 && other == shared };
    Ok(PaymentOut {
        entry_no: one.entry_no,
        player: one.player.cloned(),
        why: match (one.place, part.is_some()) {
            (Place::In, true) => "remaining",
            (Place::In, false) => "registered",
            (Place::Out, _) => "eliminated",
            (Place::Unregistered, _) => "unregistered",
            (Place::After, _) => "after_instant",
        },
        chips: part.and(one.last()).map_or(0, |held| held.chips),
        buy_in: add(buy_in, one.since.0)?,
        fee: add(fee, one.since.1)?,
        bounty,
        pool,
        exact: part.map_or_else(|| Fraction::new(0u8, 1u8), |part| Ok(part.exact.clone()))?,
        total,
        cash,
        t_dollars,
        ticket,
        stakes: stakes(one, shared, cash, back)?,
    })
}

/// The payments to buyers and seller from a refund of `of`; `cash` and the escrow can be shared.
fn stakes(one: &One<'_>, of: u64, cash: u64, back: bool) -> Result<Option<StakesOut>, FileError> {
    if one.stakes.is_empty() {
        return Ok(None);
    }
    let sold: Vec<Stake> = one.stakes.iter().map(|(_, stake)| *stake).collect();
    let escrow = sum(sold.iter().map(|stake| stake.price))?;
    let Division { buyers: paid, seller, seller_escrow } = if back {
        Division { seller: of, ..give_back(&sold) }
    } else {
        divide(of, &sold).map_err(|error| FileError::Stakes(one.entry_no, error.to_string()))?
    };
    let seller_cash = sub(add(cash, escrow)?, sum(paid.iter().copied())?)?;
    let buyer = |((buyer, stake), paid): (&(&PlayerId, Stake), u64)| {
        let exact = match back {
            true => Fraction::new(stake.price, 1u8),
            false => Fraction::new(BigUint::from(of) * stake.basis_points, WHOLE),
        };
        Ok(BuyerOut {
            buyer: (*buyer).clone(),
            basis_points: stake.basis_points,
            price: stake.price,
            exact: exact?,
            paid,
        })
    };
    let buyers = one.stakes.iter().zip(paid).map(buyer).collect::<Result<Vec<_>, FileError>>()?;
    let form = if back { "escrow_back" } else { "divided" };
    Ok(Some(StakesOut { form, of, escrow, buyers, seller, seller_escrow, seller_cash }))
}
