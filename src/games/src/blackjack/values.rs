//! The values of a blackjack rule set's options.

use super::card_value;
use fairshoe_fairness::Card;
use serde::{Deserialize, Serialize};

/// The order in which the opening cards leave the shoe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DealOrder {
    /// Boxes, dealer, boxes, dealer (A000.n, R001.52, A003.m, R004.3).
    Interleaved,
    /// Box by box two cards, then the dealer's two, as document 000 narrates it (A000.q).
    PpDd,
}

/// How the dealer's first card gets to lie face-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpCard {
    /// It is dealt face-up.
    DealtUp,
    /// It is dealt face-down and turned up after the deal (R004.3, A004.l).
    TurnedAfterDeal,
}

/// The up-cards under which the dealer looks at the hole card before the play of hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeekRule {
    /// The dealer never looks (A000.e, A003.c).
    None,
    /// Under an ace (R001.55).
    Ace,
    /// Under T, J, Q, K and A (R004.4).
    TenAce,
}

impl PeekRule {
    /// Whether the dealer looks under this up-card.
    pub fn covers(self, up: Card) -> bool {
        match self {
            PeekRule::None => false,
            PeekRule::Ace => up.rank() == 1,
            PeekRule::TenAce => matches!(card_value(up), 1 | 10),
        }
    }
}

/// The receiver of half a unit of a blackjack's payout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// The player gets it.
    Up,
    /// The house keeps it.
    Down,
}

/// The extra stake of a double.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubleAmount {
    /// Exactly the opening stake.
    Exact,
    /// From one unit to the opening stake.
    UpTo,
}

/// When the second card of a split hand comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondCards {
    /// To each hand when its own play starts.
    WhenPlayed,
    /// To both halves at the split, left then right, before either is played.
    AtOnce,
}

/// The play of split aces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitAces {
    /// Like any hand.
    Free,
    /// Each gets one card and stands.
    OneCard,
}

/// Whether and when a hand may be given up for half its stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surrender {
    /// Never.
    None,
    /// Before the dealer looks: half is lost, finally, whatever the hole card.
    Early,
    /// Against a dealer without blackjack: against a blackjack the whole stake is lost.
    Late,
}

/// The kind of insurance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Insurance {
    /// There is no insurance.
    None,
    /// Document 000's: ceil(stake / 2) under an ace; it buys a look at the hole card; a success returns the premium and
    /// exactly the stake, and ends the round; a failure is collected at once (R000.24–27, 30, 31).
    StakeBack,
    /// The common one: half the stake under an ace, paid by `insurance_odds` if the dealer has blackjack.
    Half,
}

/// The odds of insurance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InsuranceOdds {
    /// The rule set has no insurance with odds.
    #[serde(rename = "none")]
    None,
    /// Two to one (R001.54, A003.a).
    #[serde(rename = "2:1")]
    TwoToOne,
    /// Three to one, the letter of R003.7.
    #[serde(rename = "3:1")]
    ThreeToOne,
}

/// The up-cards under which a blackjack may take 1:1 at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvenMoney {
    /// No up-card.
    None,
    /// Under T, J, Q, K (R003.6).
    Ten,
    /// Under an ace (A003.b).
    Ace,
}

impl EvenMoney {
    /// Whether a blackjack is asked under this up-card.
    pub fn covers(self, up: Card) -> bool {
        match self {
            EvenMoney::None => false,
            EvenMoney::Ten => card_value(up) == 10,
            EvenMoney::Ace => up.rank() == 1,
        }
    }
}

/// The order of the lines in a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettlementOrder {
    /// From the lowest box and hand to the highest.
    LeftToRight,
    /// From the highest box and hand to the lowest (R004.13, R004.21).
    RightToLeft,
}
