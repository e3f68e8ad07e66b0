use crate::{Bet, BetRefusal, Chips, Placement, TableRules};
use serde::{Deserialize, Serialize};

/// In which order the first four cards of a box and the dealer leave the shoe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DealOrder {
    /// Boxes, dealer up, boxes, dealer hole (A000.n).
    Interleaved,
    /// Box, box, dealer up, dealer hole, as document 000 narrates it (A000.q).
    PpDd,
}

/// What becomes of half a unit in a blackjack's payout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// To the player.
    Up,
    /// To the house.
    Down,
}

/// Which insurance there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Insurance {
    /// None is offered.
    None,
    /// Document 000's: ceil(stake / 2) under an ace; a success returns the premium and exactly the stake, and
    /// ends the round; a failure is collected at once (R000.24–27, 30, 31).
    StakeBack,
}

/// The options of a blackjack rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlackjackRules {
    /// How many packs of 52 a shoe holds, 1 to 8 (A000.a).
    pub decks: u8,
    /// The dealing order.
    pub deal_order: DealOrder,
    /// What a blackjack wins for each unit staked, as [numerator, denominator].
    pub blackjack_pays: [u32; 2],
    /// How that is rounded (R000.14).
    pub blackjack_rounding: Rounding,
    /// Whether a split hand may be doubled (A000.f).
    pub double_after_split: bool,
    /// The insurance.
    pub insurance: Insurance,
    /// A hand of so many cards stands, the dealer's too (R000.11, R000.12); 0: no limit.
    pub card_limit: u8,
    /// Whether a hand of 21 stands by itself (A000.d).
    pub auto_stand_21: bool,
}

impl BlackjackRules {
    /// Whether the options hold together; the reason if not.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let [numerator, denominator] = self.blackjack_pays;
        if !(1..=8).contains(&self.decks) {
            return Err("decks must be from 1 to 8".into());
        }
        if denominator == 0 || denominator > 100 || numerator < denominator || numerator > 10 * denominator {
            return Err("blackjack_pays must be [numerator, denominator], from 1:1 to 10:1, the denominator at most 100".into());
        }
        if self.card_limit != 0 && !(3..=21).contains(&self.card_limit) {
            return Err("card_limit must be 0 (none) or from 3 to 21".into());
        }
        Ok(())
    }

    /// One box, the centre spot, whose number is 1 (R000.28).
    pub(crate) fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        if bets.len() != 1 {
            return Err(BetRefusal::Count { given: bets.len(), most: 1 });
        }
        bets.iter().try_for_each(|bet| {
            if bet.spot != "1" {
                return Err(BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: "the stake goes on the centre spot, `1`".into() });
            }
            Placement::check(table, bet, balance)
        })
    }

    /// What a blackjack wins on this stake, by R000.14; `None` beyond the range of amounts.
    pub(crate) fn blackjack_win(&self, stake: Chips) -> Option<Chips> {
        let [numerator, denominator] = self.blackjack_pays.map(u64::from);
        match self.blackjack_rounding {
            Rounding::Up => stake.fraction_up(numerator, denominator),
            Rounding::Down => stake.fraction_down(numerator, denominator),
        }
    }

    /// The premium on this stake: half, the fraction to the house (R000.24).
    pub(crate) fn premium(&self, stake: Chips) -> Chips {
        stake.fraction_up(1, 2).unwrap_or(stake)
    }
}
