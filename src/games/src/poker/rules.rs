//! What one hand is played by: bet sizes, reopening, odd units, rake. The options of a cash table around it are the
//! rule set's.

use crate::Chips;
use crate::poker::rank::Family;
use serde::{Deserialize, Serialize};

/// Most seats of a hand.
pub const MAX_SEATS: usize = 10;

/// How much may be bet.
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
    /// One size a street.
    FixedLimit {
        /// The bet before the flop and on it.
        small_bet: Chips,
        /// The bet on the turn and the river.
        big_bet: Chips,
        /// Bets and raises a street, the opening bet included, however many players are left; none where it is absent.
        cap: Option<u8>,
    },
}

/// Which all-in lets those raise again who have chosen already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reopening {
    /// A full bet or raise, by one or by several together; in limit half of one (rule A001.qq, TDA practice).
    #[default]
    Full,
    /// Any, as some rooms have it that were never bound by the practice.
    Any,
}

/// To whom the odd units of a split go.
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
    /// The most of a whole hand.
    pub cap: Chips,
    /// Whether a hand that ends before the flop is free.
    pub no_flop_no_drop: bool,
}

/// What a hand is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandRules {
    /// Which cards make a hand.
    pub family: Family,
    /// Whether the best low of eight or better takes half.
    pub hi_lo: bool,
    /// How much may be bet.
    pub betting: BettingRule,
    /// Whether a blind that its payer could not post in full is called in full all the same (TDA practice).
    pub full_blind: bool,
    /// Whether antes make side pots as bets do. If not, every player contests all antes, as where one player posts for
    /// all.
    pub ante_layers: bool,
    /// Which all-in lets those raise again who have chosen already.
    #[serde(default)]
    pub reopening: Reopening,
    /// To whom the odd units of a split go.
    #[serde(default)]
    pub odd_chips: OddChips,
    /// The house's share, where it takes one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rake: Option<Rake>,
}
