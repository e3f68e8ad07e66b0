//! Points of games that aim at 21; an ace counts 1 or 11.

use fairshoe_fairness::Card;

/// A hand's total: the best total of at most 21; if there is none, the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandTotal {
    /// The total.
    pub points: u16,
    /// Whether an ace counts 11 in it.
    pub soft: bool,
}

impl HandTotal {
    /// Above 21 (R000.8).
    pub fn is_bust(self) -> bool {
        self.points > 21
    }
}

/// 2–10 pip; J, Q, K 10; an ace 1, which [`total`] may raise to 11 (R000.6).
pub fn card_value(card: Card) -> u16 {
    u16::from(card.rank().min(10))
}

/// The total of these cards.
pub fn total(cards: impl IntoIterator<Item = Card>) -> HandTotal {
    let (hard, aces) = cards
        .into_iter()
        .fold((0u16, false), |(sum, aces), card| (sum.saturating_add(card_value(card)), aces || card.rank() == 1));
    if aces && hard <= 11 {
        HandTotal { points: hard + 10, soft: true }
    } else {
        HandTotal { points: hard, soft: false }
    }
}

/// The total of these cards in words: `17`, `soft 17`.
pub(crate) fn total_words(cards: impl IntoIterator<Item = Card>) -> String {
    let HandTotal { points, soft } = total(cards);
    if soft { format!("soft {points}") } else { points.to_string() }
}
