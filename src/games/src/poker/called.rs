//! The name of an open hand: its category with the ranks that make it, and its five cards. `rank.rs` compares hands.

use super::rank::{Family, high_five, high_so_far, low_five};
use fairshoe_fairness::Card;
use std::cmp::Reverse;

/// The name of a hand.
pub(super) struct Called {
    /// The high hand, such as `two pair, kings and fours`.
    pub high: String,
    /// The five cards, the ranks that count most first.
    pub five: Vec<Card>,
    /// The low hand, if the game has one and it qualifies, such as `8-6-4-2-A`.
    pub low: Option<String>,
}

impl Called {
    /// The high and low hand in words.
    pub fn words(&self) -> String {
        match &self.low {
            Some(low) => format!("{}, and {low} low", self.high),
            None => self.high.clone(),
        }
    }
}

/// The name of a hand of this family, with three to five open cards of the board. `hi_lo`: the game also has a low
/// hand. `None` unless the hole cards are all different and as many as the family needs.
pub(super) fn called(family: Family, hi_lo: bool, hole: &[Card], board: &[Card]) -> Option<Called> {
    let category = high_so_far(family, hole, board)?.category();
    let mut five = high_five(family, hole, board)?;
    let count = |card: Card, of: &[Card]| of.iter().filter(|other| other.rank() == card.rank()).count();
    let all = five.clone();
    five.sort_by_key(|card| Reverse((count(*card, &all), value(*card), card.code())));
    let is_run = matches!(category, "straight" | "straight flush");
    // In a straight up to a five (or to a nine in short deck) the ace is the lowest card.
    if is_run && five.first().map(|card| value(*card)) == Some(ACE) && five.get(1).map(|card| value(*card)) != Some(13)
    {
        five.rotate_left(1);
    }
    let low = if hi_lo { low_words(family, hole, board) } else { None };
    Some(Called { high: high_words(category, &five), five, low })
}

const ACE: u8 = 14;

/// A card's rank, aces high.
fn value(card: Card) -> u8 {
    if card.rank() == 1 { ACE } else { card.rank() }
}

/// The category with the ranks that make it; the cards are sorted.
fn high_words(category: &str, five: &[Card]) -> String {
    let mut ranks: Vec<u8> = five.iter().map(|card| value(*card)).collect();
    ranks.dedup();
    match (category, ranks.as_slice()) {
        ("high card", [high, ..]) => format!("{} high", rank_word(*high)),
        ("pair", [two, ..]) => format!("a pair of {}", plural(*two)),
        ("two pair", [two, other, ..]) => format!("two pair, {} and {}", plural(*two), plural(*other)),
        ("straight" | "flush" | "straight flush", [high, ..]) => format!("a {category}, {} high", rank_word(*high)),
        ("full house", [three, two]) => format!("a full house, {} over {}", plural(*three), plural(*two)),
        ("three of a kind" | "four of a kind", [all, ..]) => format!("{category}, {}", plural(*all)),
        ("royal flush", _) => "a royal flush".to_owned(),
        _ => category.to_owned(),
    }
}

/// The ranks of the low hand, from the highest; aces are low.
fn low_words(family: Family, hole: &[Card], board: &[Card]) -> Option<String> {
    let mut five = low_five(family, hole, board)?;
    five.sort_by_key(|card| Reverse(card.rank()));
    let ranks: Vec<String> = five.iter().map(|card| card.to_string().chars().take(1).collect()).collect();
    Some(ranks.join("-"))
}

fn rank_word(value: u8) -> &'static str {
    match value {
        2 => "two",
        3 => "three",
        4 => "four",
        5 => "five",
        6 => "six",
        7 => "seven",
        8 => "eight",
        9 => "nine",
        10 => "ten",
        11 => "jack",
        12 => "queen",
        13 => "king",
        _ => "ace",
    }
}

fn plural(value: u8) -> String {
    let word = rank_word(value);
    format!("{word}{}", if word.ends_with('x') { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(text: &str) -> Vec<Card> {
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    /// The hand's name and its five cards.
    fn named(family: Family, hi_lo: bool, hole: &str, board: &str) -> Option<(String, String)> {
        let called = called(family, hi_lo, &cards(hole), &cards(board))?;
        let five: Vec<String> = called.five.iter().map(Card::to_string).collect();
        Some((called.words(), five.join(" ")))
    }

    #[test]
    fn a_hand_is_called_by_its_category_and_ranks() {
        for (family, hole, board, words, five) in [
            (Family::Holdem, "Kh 4s", "Kd 4c As 9d 2h", "two pair, kings and fours", "Kh Kd 4s 4c As"),
            (Family::Holdem, "Qs Qd", "Kd 4c As 9d 2h", "a pair of queens", "Qs Qd As Kd 9d"),
            (Family::Holdem, "Js 7d", "Kd 4c As 9d 2h", "ace high", "As Kd Js 9d 7d"),
            (Family::Holdem, "6s 6d", "6c 4c As 9d 2h", "three of a kind, sixes", "6s 6d 6c As 9d"),
            (Family::Holdem, "5s Kd", "Kc 4c As 3d 2h", "a straight, five high", "5s 4c 3d 2h As"),
            (Family::Holdem, "Ks Td", "Qc Jc As 3d 2h", "a straight, ace high", "As Ks Qc Jc Td"),
            (Family::Holdem, "Ks 9s", "4s 2s 3s Ah Ad", "a flush, king high", "Ks 9s 4s 3s 2s"),
            (Family::Holdem, "Ks Kd", "4s 4d Kc Ah Ad", "a full house, kings over aces", "Ks Kd Kc Ah Ad"),
            (Family::Holdem, "2s 2d", "2c 2h Kc Ah Ad", "four of a kind, twos", "2s 2h 2d 2c Ah"),
            (Family::Holdem, "5s As", "4s 2s 3s Ah Ad", "a straight flush, five high", "5s 4s 3s 2s As"),
            (Family::Holdem, "Ks As", "Qs Js Ts Ah Ad", "a royal flush", "As Ks Qs Js Ts"),
            (Family::Holdem, "Ks Kd", "Kc 9h 2d", "three of a kind, kings", "Ks Kd Kc 9h 2d"),
            (Family::ShortDeck, "9s Ad", "8c 7c 6s Kd Kh", "a straight, nine high", "9s 8c 7c 6s Ad"),
            // Omaha uses two cards of the hand and three of the board, so four hearts in the hand are no flush.
            (Family::Omaha, "Ah Kh Qh Jh", "Th 2h 3c 8d 8s", "a pair of eights", "8s 8d Ah Kh Th"),
        ] {
            let (told, of) = named(family, false, hole, board).unwrap();
            assert_eq!((told.as_str(), of.as_str()), (words, five), "{hole} on {board}");
        }
        let low = |hole, board| named(Family::Omaha, true, hole, board).unwrap().0;
        assert_eq!(low("Ah 2d Kc Kd", "8s 6h 4c Qd Qs"), "two pair, kings and queens, and 8-6-4-2-A low");
        assert_eq!(low("Ah 2d Kc Kd", "8s 9h Tc Qd Qs"), "two pair, kings and queens");
        for (hole, board) in [("Kh", "Kd 4c As 9d 2h"), ("Kh 4s", ""), ("Kh 4s", "Kh 4c As 9d 2h")] {
            assert!(named(Family::Holdem, false, hole, board).is_none(), "{hole} on {board}");
        }
    }
}
