//! Numbers of addresses, cursors and headers.

use crate::edge::problem::Problem;

/// A decimal number without sign or leading zeros.
pub fn number(text: &str, what: &str) -> Result<u64, Problem> {
    let canonical = text.parse::<u64>().ok().filter(|n| n.to_string() == text);
    canonical.ok_or_else(|| Problem::malformed(format!("{what} is a decimal number")))
}
