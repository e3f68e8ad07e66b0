//! Decimal amounts of hand histories as exact integers: whatever currency and places a program writes, without
//! floating point.

/// Most decimal places of an amount that are looked at; what a program's floating-point noise puts behind them is
/// rounded.
pub const MAX_PLACES: u32 = 6;

/// An amount as written: digits and how many of them stand behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    digits: i64,
    places: u32,
}

impl Amount {
    /// Reads a decimal number; what stands behind [`MAX_PLACES`] places is rounded half up.
    pub fn parse(text: &str) -> Option<Amount> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (whole, behind) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && behind.is_empty())
            || !is_digits(whole)
            || !is_digits(behind)
            || whole.len() > 15
            || behind.len() > 40
        {
            return None;
        }
        let kept = behind.get(..MAX_PLACES as usize).unwrap_or(behind);
        let mut digits: i64 = format!("0{whole}{kept}").parse().ok()?;
        if behind.as_bytes().get(MAX_PLACES as usize).is_some_and(|digit| *digit >= b'5') {
            digits = digits.checked_add(1)?;
        }
        let mut places = u32::try_from(kept.len()).ok()?;
        while places > 0 && digits % 10 == 0 {
            digits /= 10;
            places -= 1;
        }
        Some(Amount { digits: if negative { -digits } else { digits }, places })
    }

    /// A whole number.
    pub fn whole(digits: i64) -> Amount {
        Amount { digits, places: 0 }
    }

    /// Whether it is below nothing.
    pub fn is_negative(self) -> bool {
        self.digits < 0
    }

    /// Places behind the point.
    pub fn places(self) -> u32 {
        self.places
    }

    /// In units of which `10^places` make one; `places` is at least its own.
    pub fn scaled(self, places: u32) -> Option<i64> {
        let up = places.checked_sub(self.places)?;
        self.digits.checked_mul(10i64.checked_pow(up)?)
    }
}

/// Units of which `10^places` make one, as written.
pub fn written(units: u64, places: u32) -> String {
    let digits = format!("{units:0>width$}", width = places as usize + 1);
    let (whole, behind) = digits.split_at(digits.len() - places as usize);
    let behind = behind.trim_end_matches('0');
    if behind.is_empty() { whole.to_owned() } else { format!("{whole}.{behind}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_as_written() {
        for (text, places, units) in
            [("5", 0, 5), ("2.50", 1, 25), ("0.05", 2, 5), ("-1", 0, -1), (".5", 1, 5), ("7.", 0, 7)]
        {
            let amount = Amount::parse(text).unwrap();
            assert_eq!((amount.places(), amount.scaled(places)), (places, Some(units)), "{text}");
        }
        assert_eq!(Amount::parse("0.30000000000000004"), Amount::parse("0.3"));
        assert_eq!(Amount::parse("1.9999999"), Amount::parse("2"));
        for text in ["", ".", "1e5", "inf", "nan", "1,000", "+1", "--1", "9999999999999999"] {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
        assert_eq!(
            (written(1005, 1), written(7, 2), written(30, 1), written(9, 0)),
            ("100.5".into(), "0.07".into(), "3".into(), "9".into())
        );
    }
}
