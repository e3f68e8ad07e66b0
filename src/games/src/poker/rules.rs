//! The rules of one hand: bet sizes, reopening, odd units, rake. A cash table's other options are in the rule set.

use crate::Chips;
use crate::poker::rank::Family;
use serde::{Deserialize, Serialize};

/// The most seats of a hand.
pub const MAX_SEATS: usize = 10;

/// The size of a bet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BettingRule {
    /// Any amount from `min_bet` up.
    NoLimit {
        /// The least bet, and the least raise before any: the big blind.
        min_bet: Chips,
    },
    /// From `min_bet` up to the pot.
    PotLimit {
        /// The least bet, and the least raise before any: the big blind.
        min_bet: Chips,
    },
    /// One size for each street.
    FixedLimit {
        /// The bet before the flop and on it.
        small_bet: Chips,
        /// The bet on the turn and the river.
        big_bet: Chips,
        /// The most bets and raises on a street, the opening bet included, for any number of players; absent: no cap.
        cap: Option<u8>,
    },
}

/// Which all-in lets players raise again after they have chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reopening {
    /// A full bet or raise, by one or by several together; in limit half of one (rule A001.qq, TDA practice).
    #[default]
    Full,
    /// Any all-in, as in some rooms that never followed the practice.
    Any,
}

/// The receiver of the odd units of a split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OddChips {
    /// One to each winner in turn from the left of the button (rule C3a).
    #[default]
    OneEach,
    /// All to the first winner from the left of the button, as some published histories have it.
    AllToFirst,
}

/// The house's share of each pot (rules R001.81, A001.pp).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rake {
    /// In hundredths of a percent of each pot.
    pub basis_points: u16,
    /// The maximum for a whole hand.
    pub cap: Chips,
    /// Whether a hand that ends before the flop is free.
    pub no_flop_no_drop: bool,
}

/// The rules of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandRules {
    /// Which cards make a hand.
    pub family: Family,
    /// Whether the best low hand of eight or better takes half.
    pub hi_lo: bool,
    /// The size of a bet.
    pub betting: BettingRule,
    /// Whether a blind must be called in full even if its payer could not post it in full (TDA practice).
    pub full_blind: bool,
    /// Whether antes make side pots as bets do. If not, every player contests all antes, as in games where one player
    /// posts for all.
    pub ante_layers: bool,
    /// Which all-in lets players raise again after they have chosen.
    #[serde(default)]
    pub reopening: Reopening,
    /// The receiver of the odd units of a split.
    #[serde(default)]
    pub odd_chips: OddChips,
    /// The house's share, if it takes one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rake: Option<Rake>,
}
