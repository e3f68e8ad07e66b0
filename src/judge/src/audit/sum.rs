//! Sums over a whole log, which may be beyond the range of any amount in it (spec/audit.md, "The report of a book").

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{AddAssign, Sub};

/// The largest whole number that every reader of JSON takes exactly.
const EXACT: i128 = (1 << 53) - 1;

/// An exact sum of amounts. In JSON it is a number where every reader takes that exactly, else its digits as a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sum(i128);

impl Sum {
    /// The sum as a number.
    pub fn value(self) -> i128 {
        self.0
    }
}

// A log has fewer than 2^64 amounts below 2^64: their sum is within the range.
impl<N: Into<i128>> AddAssign<N> for Sum {
    fn add_assign(&mut self, amount: N) {
        self.0 = self.0.saturating_add(amount.into());
    }
}

impl Sub for Sum {
    type Output = Sum;

    fn sub(self, other: Sum) -> Sum {
        Sum(self.0.saturating_sub(other.0))
    }
}

impl From<i64> for Sum {
    fn from(amount: i64) -> Sum {
        Sum(amount.into())
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if (-EXACT..=EXACT).contains(&self.0) => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sum, D::Error> {
        struct NumberOrDigits;
        impl Visitor<'_> for NumberOrDigits {
            type Value = Sum;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or its digits")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Sum, E> {
                Ok(Sum(number.into()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Sum, E> {
                Ok(Sum(number.into()))
            }

            fn visit_str<E: Error>(self, digits: &str) -> Result<Sum, E> {
                digits.parse().map(Sum).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(NumberOrDigits)
    }
}

/// The same spelling of a balance, or of several together.
pub mod exact {
    use super::Sum;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes it as a [`Sum`].
    pub fn serialize<S: Serializer>(amount: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        Sum::from(*amount).serialize(serializer)
    }

    /// Reads it as a [`Sum`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        i64::try_from(Sum::deserialize(deserializer)?.0).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_exact_beyond_every_amount_and_the_same_after_json() {
        for (amount, json) in [
            (0, "0"),
            ((1_i128 << 53) - 1, "9007199254740991"),
            (1 << 53, "\"9007199254740992\""),
            (-(1 << 53), "\"-9007199254740992\""),
            (i128::from(i64::MAX) + 1, "\"9223372036854775808\""),
        ] {
            let mut sum = Sum::default();
            sum += amount;
            assert_eq!((sum.value(), serde_json::to_string(&sum).unwrap().as_str()), (amount, json));
            assert_eq!(serde_json::from_str::<Sum>(json).unwrap(), sum);
        }
        assert!(serde_json::from_str::<Sum>("1.5").is_err() && serde_json::from_str::<Sum>("\"x\"").is_err());
    }
}
