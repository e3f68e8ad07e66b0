//! Amounts of money: integers with checked arithmetic, below a bound up to which every language is exact (rule C1).
//! Accounts and movements are the ledger's (spec/ledger.md).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The largest amount the service handles: 2^53 − 1, so that every amount on the log is exact in JavaScript too.
pub const MAX_CHIPS: u64 = (1 << 53) - 1;

/// An amount of money in integer minor units, 0 to [`MAX_CHIPS`] (rule C1). Arithmetic is checked: a result out of
/// range is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chips(u64);

impl Chips {
    /// Zero.
    pub const ZERO: Chips = Chips(0);

    /// The largest amount, [`MAX_CHIPS`].
    pub const MAX: Chips = Chips(MAX_CHIPS);

    /// An amount of `units`; `None` above [`MAX_CHIPS`].
    pub const fn new(units: u64) -> Option<Chips> {
        if units <= MAX_CHIPS { Some(Chips(units)) } else { None }
    }

    /// The number of minor units.
    pub const fn units(self) -> u64 {
        self.0
    }

    /// The number of minor units as a signed amount; always exact, since amounts stay below 2^53.
    pub const fn signed(self) -> i64 {
        self.0 as i64
    }

    /// The sum, unless it is too large.
    pub fn plus(self, other: Chips) -> Option<Chips> {
        self.0.checked_add(other.0).and_then(Chips::new)
    }

    /// The difference, unless `other` is larger.
    pub fn minus(self, other: Chips) -> Option<Chips> {
        self.0.checked_sub(other.0).map(Chips)
    }

    /// `self × numerator / denominator`, rounded down, unless it is too large or the denominator is 0.
    pub fn fraction_down(self, numerator: u64, denominator: u64) -> Option<Chips> {
        let product = u128::from(self.0).checked_mul(u128::from(numerator))?;
        u64::try_from(product.checked_div(u128::from(denominator))?).ok().and_then(Chips::new)
    }

    /// `self × numerator / denominator`, rounded up, unless it is too large or the denominator is 0.
    pub fn fraction_up(self, numerator: u64, denominator: u64) -> Option<Chips> {
        let product = u128::from(self.0).checked_mul(u128::from(numerator))?;
        if denominator == 0 {
            return None;
        }
        u64::try_from(product.div_ceil(u128::from(denominator))).ok().and_then(Chips::new)
    }

    /// The sum of all, unless it is too large.
    pub fn sum(amounts: impl IntoIterator<Item = Chips>) -> Option<Chips> {
        amounts.into_iter().try_fold(Chips::ZERO, Chips::plus)
    }
}

impl fmt::Display for Chips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Chips {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Chips {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units = u64::deserialize(deserializer)?;
        Chips::new(units).ok_or_else(|| serde::de::Error::custom(format_args!("amount {units} is above {MAX_CHIPS}")))
    }
}
