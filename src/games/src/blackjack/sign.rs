//! The lines that a blackjack table announces before a bet (R001.130), made from its rule set alone.

use super::{BlackjackRules, EvenMoney, Insurance, InsuranceOdds, Surrender};

impl BlackjackRules {
    /// The lines that a table of these rules must announce before a bet (R001.130), in the words of the trade.
    pub(super) fn sign_lines(&self) -> Vec<String> {
        let [numerator, denominator] = self.blackjack_pays;
        let mut lines =
            vec!["draw to 16, stand on 17".to_owned(), format!("blackjack pays {numerator} to {denominator}")];
        lines.push(match (self.insurance, self.insurance_odds) {
            (Insurance::None, _) => "no insurance".to_owned(),
            (Insurance::StakeBack, _) => "insurance returns the premium and the stake".to_owned(),
            (Insurance::Half, InsuranceOdds::ThreeToOne) => "insurance pays 3 to 1".to_owned(),
            (Insurance::Half, _) => "insurance pays 2 to 1".to_owned(),
        });
        if self.insurance != Insurance::None {
            lines.push("insurance costs half the stake".to_owned());
        }
        lines.extend(match self.even_money_upcards {
            EvenMoney::None => None,
            EvenMoney::Ten => Some("even money for a blackjack against a ten-card".to_owned()),
            EvenMoney::Ace => Some("even money for a blackjack against an ace".to_owned()),
        });
        lines.extend(match self.surrender {
            Surrender::None => None,
            Surrender::Early => {
                Some("a hand may be given up for half its stake before the dealer's hand is known".to_owned())
            }
            Surrender::Late => {
                Some("a hand may be given up for half its stake once the dealer has no blackjack".to_owned())
            }
        });
        if self.card_limit > 0 {
            lines.push(format!("a hand of {} cards stands", self.card_limit));
        }
        lines
    }
}
