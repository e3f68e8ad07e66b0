//! Exact shares: fractions in lowest terms, with arithmetic that reports overflow.

use serde::{Serialize, Serializer};
use std::fmt;

/// A fraction in lowest terms, its denominator above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Fraction {
    /// The fraction `numerator / denominator`; `None` for a denominator of 0, or out of range.
    pub fn new(numerator: i128, denominator: i128) -> Option<Fraction> {
        let common = i128::try_from(gcd(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let common = if denominator < 0 { common.checked_neg()? } else { common };
        Some(Fraction { numerator: numerator.checked_div(common)?, denominator: denominator.checked_div(common)? })
            .filter(|one| one.denominator != 0)
    }

    /// The sum; `None` out of range.
    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Fraction::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// The product; `None` out of range.
    pub fn times(self, other: Fraction) -> Option<Fraction> {
        Fraction::new(self.numerator.checked_mul(other.numerator)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// A whole number.
    pub fn whole(number: i128) -> Fraction {
        Fraction { numerator: number, denominator: 1 }
    }

    /// Its negative; `None` out of range.
    pub fn negated(self) -> Option<Fraction> {
        Some(Fraction { numerator: self.numerator.checked_neg()?, denominator: self.denominator })
    }

    /// Numerator and denominator.
    pub fn parts(self) -> (i128, i128) {
        (self.numerator, self.denominator)
    }

    /// The nearest floating-point number.
    pub fn value(self) -> f64 {
        #[allow(clippy::float_arithmetic)] // for the screen
        let value = self.numerator as f64 / self.denominator as f64;
        value
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// JSON `{"exact":"1/37","value":0.02702…}`: the exact part is text, because JSON readers have no integers that large.
impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown {
            exact: String,
            value: f64,
        }
        Shown { exact: self.to_string(), value: self.value() }.serialize(serializer)
    }
}
