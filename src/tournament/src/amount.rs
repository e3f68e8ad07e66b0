//! Cents and tournament chips: integers that stay exact in every language that reads the log.

use num_bigint::BigUint;
use num_integer::Integer;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest amount, in cents or chips: 2^53 − 1.
pub const MAX_AMOUNT: u64 = (1 << 53) - 1;

/// A sum or product left the range of amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an amount above {MAX_AMOUNT}, or below zero")]
pub struct OutOfRange;

/// An entry's number in its event, from 0 in the order of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryNo(pub u64);

impl fmt::Display for EntryNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The value, if it is within range.
pub(crate) fn amount(value: u128) -> Result<u64, OutOfRange> {
    u64::try_from(value).ok().filter(|&value| value <= MAX_AMOUNT).ok_or(OutOfRange)
}

pub(crate) fn add(one: u64, other: u64) -> Result<u64, OutOfRange> {
    one.checked_add(other).filter(|&sum| sum <= MAX_AMOUNT).ok_or(OutOfRange)
}

pub(crate) fn sub(from: u64, less: u64) -> Result<u64, OutOfRange> {
    from.checked_sub(less).ok_or(OutOfRange)
}

pub(crate) fn sum(amounts: impl IntoIterator<Item = u64>) -> Result<u64, OutOfRange> {
    amounts.into_iter().try_fold(0, add)
}

/// floor(a · b / divisor), exactly; `divisor` 0 is out of range.
pub(crate) fn share_of(a: u64, b: u64, divisor: u64) -> Result<u64, OutOfRange> {
    let product = u128::from(a).checked_mul(u128::from(b)).ok_or(OutOfRange)?;
    amount(product.checked_div(u128::from(divisor)).ok_or(OutOfRange)?)
}

/// `whole` in `among` parts that differ by at most one; the first parts get the odd units, one each (rule C3a).
pub(crate) fn split(whole: u64, among: usize) -> Vec<u64> {
    let count = u64::try_from(among).unwrap_or(u64::MAX);
    let (each, odd) = (whole.checked_div(count).unwrap_or(0), whole.checked_rem(count).unwrap_or(0));
    (0..count).map(|place| each.saturating_add(u64::from(place < odd))).collect()
}

/// A count as an amount.
pub(crate) fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

/// An exact fraction in lowest terms, so that a reader can check each rounding. As JSON `["numerator","denominator"]`,
/// decimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: BigUint,
    denominator: BigUint,
}

impl Fraction {
    /// Reduces to lowest terms.
    ///
    /// # Errors
    /// If the denominator is 0.
    pub fn new(numerator: impl Into<BigUint>, denominator: impl Into<BigUint>) -> Result<Fraction, OutOfRange> {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        let common = numerator.gcd(&denominator);
        if denominator == BigUint::ZERO {
            return Err(OutOfRange);
        }
        Ok(Fraction { numerator: numerator / &common, denominator: denominator / common })
    }

    /// Its whole units: the one rounding.
    ///
    /// # Errors
    /// If the result is out of range.
    pub fn floor(&self) -> Result<u64, OutOfRange> {
        amount(u128::try_from(&self.numerator / &self.denominator).map_err(|_| OutOfRange)?)
    }

    /// Numerator and denominator.
    pub fn parts(&self) -> (&BigUint, &BigUint) {
        (&self.numerator, &self.denominator)
    }
}

impl Serialize for Fraction {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.numerator.to_string(), self.denominator.to_string()].serialize(serializer)
    }
}
