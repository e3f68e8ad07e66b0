//! The lines that a cash table announces: blinds, rake, clocks (R001.81, R001.83), made from its rule set alone.

use super::{BettingRule, CashTimeout, Family, PokerRules};

impl PokerRules {
    /// Blinds, rake and clocks are published (R001.81, R001.83).
    pub(super) fn sign_lines(&self) -> Vec<String> {
        let family = match (self.hand.family, self.hand.hi_lo) {
            (Family::Holdem, _) => "hold'em",
            (Family::ShortDeck, _) => "short-deck hold'em",
            (Family::Omaha, false) => "Omaha",
            (Family::Omaha, true) => "Omaha high-low, eight or better",
        };
        let betting = match self.hand.betting {
            BettingRule::NoLimit { .. } => "no limit".to_owned(),
            BettingRule::PotLimit { .. } => "pot limit".to_owned(),
            BettingRule::FixedLimit { small_bet, big_bet, cap } => {
                let cap = cap.map_or_else(|| "no cap".to_owned(), |cap| format!("at most {cap} bets a street"));
                format!("limit {small_bet}/{big_bet}, {cap}")
            }
        };
        let ante = if self.blinds.ante.units() == 0 { String::new() } else { format!(", ante {}", self.blinds.ante) };
        let rake = match self.hand.rake {
            None => "no rake".to_owned(),
            Some(rake) => {
                let free = if rake.no_flop_no_drop { ", none without a flop" } else { "" };
                format!("rake {} in 10000 of each pot, at most {} a hand{free}", rake.basis_points, rake.cap)
            }
        };
        let bank = match self.clocks.bank_ms {
            0 => "no time bank".to_owned(),
            ms => format!("time bank {} s", ms / 1000),
        };
        let lapsed = match self.cash_timeout {
            CashTimeout::Fold => "a turn that lapses is a fold",
            CashTimeout::CheckIfFree => "a turn that lapses is a check where it is free, else a fold",
        };
        vec![
            format!("{betting} {family}, blinds {}{ante}", self.blinds.level()),
            rake,
            bank,
            lapsed.to_owned(),
            "folded hands stay private; each hand has two committed decks, of which the players' seeds choose one"
                .to_owned(),
        ]
    }
}
