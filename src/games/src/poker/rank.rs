//! Compares hands. The tables are the crate `aya_poker`'s; spec/games/poker.md states the order in words.

use aya_poker::base::{CARDS, Card as TableCard, Hand};
use fairshoe_fairness::Card;
use serde::{Deserialize, Serialize};

/// Which cards make up a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Two hole cards; the best five of seven.
    Holdem,
    /// The same with the 36 cards from the six up: a flush beats a full house, A-6-7-8-9 is a straight.
    ShortDeck,
    /// Four hole cards; exactly two are played with three of the board.
    Omaha,
}

impl Family {
    /// Hole cards for each player.
    pub const fn hole_cards(self) -> usize {
        match self {
            Family::Holdem | Family::ShortDeck => 2,
            Family::Omaha => 4,
        }
    }
}

/// The strength of a high hand: a greater one wins, equal ones tie. Suits never rank (rule R001.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct High(u16, Family);

impl High {
    /// The number by which it is compared, within its family.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Its category in words.
    pub fn category(self) -> &'static str {
        use aya_poker::PokerRankCategory as Category;
        let category = match self.1 {
            Family::ShortDeck => aya_poker::ShortDeckHandRank(self.0).rank_category(),
            _ => aya_poker::PokerHandRank(self.0).rank_category(),
        };
        match category {
            Category::HighCard => "high card",
            Category::Pair => "pair",
            Category::TwoPair => "two pair",
            Category::ThreeOfAKind => "three of a kind",
            Category::Straight => "straight",
            Category::Flush => "flush",
            Category::FullHouse => "full house",
            Category::FourOfAKind => "four of a kind",
            Category::StraightFlush => "straight flush",
            Category::RoyalFlush => "royal flush",
            Category::Ineligible => "no hand",
        }
    }
}

/// The strength of a low hand of eight or better: aces are low, straights and flushes do not count; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Low(u16);

/// The best high hand; `None` unless the hole cards are all different and as many as the family needs, with a board of
/// five.
pub fn high(family: Family, hole: &[Card], board: &[Card]) -> Option<High> {
    if board.len() == 5 { high_so_far(family, hole, board) } else { None }
}

/// The same with three to five open cards of the board, to tell who is ahead.
pub(super) fn high_so_far(family: Family, hole: &[Card], board: &[Card]) -> Option<High> {
    let (own, table) = hands(family, hole, board)?;
    let number = match family {
        Family::Holdem => aya_poker::poker_rank(&both(hole, board)).0,
        Family::ShortDeck => aya_poker::short_deck_rank(&both(hole, board)).0,
        Family::Omaha => aya_poker::omaha_rank(&own, &table).0,
    };
    Some(High(number, family))
}

/// The best low hand, if one qualifies; cards as for [`high`]. Short deck has none.
pub fn low(family: Family, hole: &[Card], board: &[Card]) -> Option<Low> {
    let (own, table) = hands(family, hole, board).filter(|_| board.len() == 5)?;
    let rank = match family {
        Family::Holdem => aya_poker::ace_five_rank(&both(hole, board)),
        Family::ShortDeck => return None,
        Family::Omaha => aya_poker::omaha_lo_rank(&own, &table),
    };
    let number = rank.to_lo_8_rank().0;
    (number > 0).then_some(Low(number))
}

/// The five cards of the best high hand, in no order; cards as for [`high_so_far`].
pub(super) fn high_five(family: Family, hole: &[Card], board: &[Card]) -> Option<Vec<Card>> {
    hands(family, hole, board)?;
    let strength = |five: &Vec<Card>| match family {
        Family::ShortDeck => aya_poker::short_deck_rank(&both(five, &[])).0,
        _ => aya_poker::poker_rank(&both(five, &[])).0,
    };
    fives(family, hole, board).into_iter().rev().max_by_key(strength)
}

/// The five cards of the best low hand, in no order, if one qualifies; cards as for [`high`].
pub(super) fn low_five(family: Family, hole: &[Card], board: &[Card]) -> Option<Vec<Card>> {
    low(family, hole, board)?;
    fives(family, hole, board).into_iter().rev().max_by_key(|five| aya_poker::ace_five_rank(&both(five, &[])).0)
}

/// Every hand of five that the family makes of these cards.
fn fives(family: Family, hole: &[Card], board: &[Card]) -> Vec<Vec<Card>> {
    match family {
        Family::Omaha => {
            let of_board = choose(board, 3);
            let with_board =
                |two: Vec<Card>| of_board.iter().map(move |three| [two.as_slice(), three.as_slice()].concat());
            choose(hole, 2).into_iter().flat_map(with_board).collect()
        }
        _ => choose(&[hole, board].concat(), 5),
    }
}

/// Every choice of so many of the cards.
fn choose(cards: &[Card], count: usize) -> Vec<Vec<Card>> {
    let Some(fewer) = count.checked_sub(1) else { return vec![Vec::new()] };
    let Some((first, rest)) = cards.split_first() else { return Vec::new() };
    let with_first =
        choose(rest, fewer).into_iter().map(|others| [std::slice::from_ref(first), others.as_slice()].concat());
    with_first.chain(choose(rest, count)).collect()
}

/// The cards in the crate's form, after a check: the crate relies on different cards and the right number of them, and
/// panics on a short deck's low cards.
fn hands(family: Family, hole: &[Card], board: &[Card]) -> Option<(Hand, Hand)> {
    let all = hole.iter().chain(board);
    let different = all.clone().fold(0u64, |set, card| set | 1 << card.code()).count_ones() as usize;
    let whole = hole.len() == family.hole_cards() && (3..=5).contains(&board.len()) && different == all.clone().count();
    let in_deck = family != Family::ShortDeck || all.clone().all(|card| card.rank() == 1 || card.rank() >= 6);
    (whole && in_deck).then(|| (both(hole, &[]), both(board, &[])))
}

fn both(some: &[Card], others: &[Card]) -> Hand {
    some.iter().chain(others).map(table_card).collect()
}

/// The crate orders cards by rank from the two, then by suit; the order of suits makes no difference.
fn table_card(card: &Card) -> &'static TableCard {
    let rank = usize::from((card.rank() + 11) % 13);
    let suit = usize::from(card.code() / 13);
    &CARDS[rank * 4 + suit]
}
