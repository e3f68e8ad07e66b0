//! Places paid, prizes, ties, satellites (spec/games/tournaments.md, section 9).

use crate::amount::{Fraction, MAX_AMOUNT, OutOfRange, add, count, share_of, split, sub, sum};
use crate::structure::{PayoutRow, Payouts, SatelliteTerms, Structure};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

/// The prize of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prize {
    /// Whether it is a seat in the satellite's target.
    pub seat: bool,
    /// The cash in cents.
    pub cash: u64,
}

/// All prizes of an event, and the fractions cut off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrizeTable {
    /// The prizes from the first place on.
    pub prizes: Vec<Prize>,
    /// The part that goes to `rounding_residual`.
    pub residual: u64,
}

/// A winner's use for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatUse {
    /// Enter the target.
    Enter,
    /// They cannot use it: they are registered there, or have no entry left.
    Further,
    /// They cannot use it: the target is full, over, cancelled, or never existed. As this is not their doing, they also
    /// get the fee.
    Closed,
}

/// The payment to a player who wins a seat (rule R001.24).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatPrize {
    /// A ticket of this worth.
    Ticket(u64),
    /// T$, and the house's part.
    TDollars {
        /// The target's buy-in; for a further seat without its fee.
        amount: u64,
        /// The house's part, the fee.
        to_house: u64,
    },
}

impl SatelliteTerms {
    /// The cash worth of a seat.
    pub fn value(&self) -> u64 {
        self.buy_in.saturating_add(self.fee)
    }

    /// A seat, or T$ for a winner who cannot use one (rule R001.24).
    pub fn seat_prize(&self, seat_use: SeatUse) -> SeatPrize {
        match seat_use {
            SeatUse::Enter => SeatPrize::Ticket(self.value()),
            SeatUse::Further => SeatPrize::TDollars { amount: self.buy_in, to_house: self.fee },
            SeatUse::Closed => SeatPrize::TDollars { amount: self.value(), to_house: 0 },
        }
    }
}

/// The row in force for so many entries.
fn row(rows: &[PayoutRow], entries: u64) -> Option<&PayoutRow> {
    rows.iter().rev().find(|row| row.from <= entries).or(rows.first())
}

/// The prizes of an event with so many entries, of so many players, and this pool.
///
/// # Errors
/// If an amount is out of range.
pub fn prizes(structure: &Structure, entries: u64, players: u64, pool: u64) -> Result<PrizeTable, OutOfRange> {
    let places = places_paid(structure, entries, players, pool);
    if pool > MAX_AMOUNT {
        return Err(OutOfRange);
    }
    match &structure.payouts {
        Payouts::Rows(rows) => {
            let shares = shares(rows, entries, places);
            let parts = sum(shares.iter().copied())?;
            let cash = shares.iter().map(|&share| share_of(pool, share, parts)).collect::<Result<Vec<_>, _>>()?;
            let residual = sub(pool, sum(cash.iter().copied())?)?;
            Ok(PrizeTable { prizes: cash.into_iter().map(|cash| Prize { seat: false, cash }).collect(), residual })
        }
        Payouts::Satellite(terms) => {
            let seats = seats_of(terms, players, pool);
            let rest = sub(pool, share_of(seats, terms.value(), 1)?)?;
            let mut prizes = vec![Prize { seat: true, cash: 0 }; usize::try_from(seats).map_err(|_| OutOfRange)?];
            if seats < players {
                prizes.extend((rest > 0).then_some(Prize { seat: false, cash: rest }));
                return Ok(PrizeTable { prizes, residual: 0 });
            }
            let each = rest.checked_div(seats).unwrap_or(0);
            prizes.iter_mut().for_each(|prize| prize.cash = each);
            Ok(PrizeTable { prizes, residual: rest.checked_rem(seats).unwrap_or(rest) })
        }
    }
}

/// The share of each paid place.
fn shares(rows: &[PayoutRow], entries: u64, places: u64) -> Vec<u64> {
    let ranges = row(rows, entries).map(|row| row.places.as_slice()).unwrap_or_default();
    let mut shares = Vec::new();
    for range in ranges {
        while count(shares.len()) < range.to.min(places) {
            shares.push(range.share);
        }
    }
    shares
}

/// The exact cash of each place, before its one rounding (section 9.2; for a satellite 9.6).
///
/// # Errors
/// If an amount is out of range.
pub fn exact_cash(structure: &Structure, entries: u64, players: u64, pool: u64) -> Result<Vec<Fraction>, OutOfRange> {
    match &structure.payouts {
        Payouts::Rows(rows) => {
            let shares = shares(rows, entries, places_paid(structure, entries, players, pool));
            let parts = sum(shares.iter().copied())?;
            shares.iter().map(|&share| Fraction::new(BigUint::from(pool) * share, parts)).collect()
        }
        Payouts::Satellite(terms) => {
            let seats = seats_of(terms, players, pool);
            let rest = sub(pool, share_of(seats, terms.value(), 1)?)?;
            if seats == players {
                return (0..seats).map(|_| Fraction::new(rest, seats)).collect();
            }
            let mut cash = (0..seats).map(|_| Fraction::new(0u8, 1u8)).collect::<Result<Vec<_>, _>>()?;
            cash.extend((rest > 0).then(|| Fraction::new(rest, 1u8)).transpose()?);
            Ok(cash)
        }
    }
}

/// The number of seats that a satellite's pool pays for.
fn seats_of(terms: &SatelliteTerms, players: u64, pool: u64) -> u64 {
    pool.checked_div(terms.value()).unwrap_or(0).min(players)
}

/// The number of places paid, section 9.1; for a satellite its seats and the place with cash.
pub fn places_paid(structure: &Structure, entries: u64, players: u64, pool: u64) -> u64 {
    match &structure.payouts {
        Payouts::Rows(rows) => {
            row(rows, entries).and_then(|row| row.places.last()).map_or(0, |range| range.to).min(players)
        }
        Payouts::Satellite(terms) => {
            let seats = seats_of(terms, players, pool);
            let rest = pool.saturating_sub(seats.saturating_mul(terms.value()));
            seats.saturating_add(u64::from(seats < players && rest > 0))
        }
    }
}

/// The number of remaining players at which the event is over (rule R001.19).
pub fn ends_with(structure: &Structure, players: u64, pool: u64) -> u64 {
    match &structure.payouts {
        Payouts::Rows(_) => 1,
        Payouts::Satellite(terms) => seats_of(terms, players, pool).max(1),
    }
}

/// A place's prize in cash; 0 beyond the paid places. A seat counts as `seat_value`.
pub fn in_cash(table: &PrizeTable, place: u64, seat_value: u64) -> Result<u64, OutOfRange> {
    let at = place.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    let Some(prize) = at.and_then(|at| table.prizes.get(at)) else { return Ok(0) };
    add(prize.cash, if prize.seat { seat_value } else { 0 })
}

/// The prize of each player who shares places `first` to `last`, and the fractions cut off (ruling A001.g). If all
/// these places have the same prize, each player simply gets it.
pub fn shared(table: &PrizeTable, first: u64, last: u64, seat_value: u64) -> Result<(Prize, u64), OutOfRange> {
    let prize = |place: u64| -> Prize {
        let at = place.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| table.prizes.get(at)).copied().unwrap_or_default()
    };
    let alike = prize(first);
    if (first..=last).all(|place| prize(place) == alike) {
        return Ok((alike, 0));
    }
    let total = (first..=last).try_fold(0, |total, place| add(total, in_cash(table, place, seat_value)?))?;
    let sharing = last.checked_sub(first).and_then(|more| more.checked_add(1)).ok_or(OutOfRange)?;
    let cash = total.checked_div(sharing).ok_or(OutOfRange)?;
    Ok((Prize { seat: false, cash }, total.checked_rem(sharing).unwrap_or(0)))
}

/// Whether a substitute may stand for a prize (rule R001.108).
pub fn may_substitute(prize: u64, substitute: u64) -> bool {
    substitute >= prize
}

/// The part of a disqualified player's prize for each remaining player, by ascending entry (section 7.6).
pub fn forfeited(prize: u64, remaining: usize) -> Vec<u64> {
    split(prize, remaining)
}
