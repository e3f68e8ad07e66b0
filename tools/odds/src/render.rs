//! Reports on the screen: words, or one JSON object.
#![allow(clippy::float_arithmetic)] // percentages are shown, never counted with

use crate::UnusableInput;
use serde::Serialize;

/// The text of the report, with its last newline.
pub(crate) fn written<T: Serialize>(
    report: &T,
    json: bool,
    text: impl Fn(&T) -> String,
) -> Result<String, UnusableInput> {
    match json {
        true => serde_json::to_string(report).map(|json| json + "\n").map_err(|e| UnusableInput(e.to_string())),
        false => Ok(text(report)),
    }
}

/// A share as a percentage with four decimals: `1.0579 %`.
pub(crate) fn percent(share: f64) -> String {
    // A share that rounds to zero is shown without a sign.
    let rounded = (share * 1e6).round() / 1e4 + 0.0;
    format!("{rounded:.4} %")
}

/// A count with spaces between thousands: `4 998 398`.
pub(crate) fn grouped(count: u128) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
