//! What a player's limit counts, and in what time (spec/limits.md).

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitOf {
    /// What the operator credits, minor units.
    Deposit,
    /// What is staked, less what comes back, minor units.
    Loss,
    /// Milliseconds at tables.
    PlayTime,
}

impl LimitOf {
    /// Whether it counts time, not chips.
    pub fn is_time(self) -> bool {
        self == LimitOf::PlayTime
    }
}

/// In what time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitPeriod {
    /// 24 hours.
    Day,
    /// 7 days.
    Week,
    /// 30 days.
    Month,
}

impl LimitPeriod {
    /// Its length in milliseconds.
    pub const fn ms(self) -> u64 {
        const DAY_MS: u64 = 86_400_000;
        match self {
            LimitPeriod::Day => DAY_MS,
            LimitPeriod::Week => 7 * DAY_MS,
            LimitPeriod::Month => 30 * DAY_MS,
        }
    }
}

impl fmt::Display for LimitOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitOf::Deposit => "deposits",
            LimitOf::Loss => "losses",
            LimitOf::PlayTime => "play time",
        })
    }
}

impl fmt::Display for LimitPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitPeriod::Day => "day",
            LimitPeriod::Week => "week",
            LimitPeriod::Month => "month",
        })
    }
}
