//! Sets of cards, and the pile in use, counted in slots. The cards shown so far tell which cards may still come
//! (R002.1).

use crate::points::{HandTotal, total};
use fairshoe_fairness::{Card, Slot};
use serde::{Deserialize, Serialize};

/// A set of the 52 different cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CardSet(u64);

impl CardSet {
    /// The whole pack (R002.1).
    pub const PACK: CardSet = CardSet((1 << Card::COUNT) - 1);

    fn bit(card: Card) -> u64 {
        1 << card.code()
    }

    pub fn of(cards: &[Card]) -> CardSet {
        CardSet(cards.iter().fold(0, |set, card| set | CardSet::bit(*card)))
    }

    pub fn contains(self, card: Card) -> bool {
        self.0 & CardSet::bit(card) != 0
    }

    pub fn remove(&mut self, card: Card) {
        self.0 &= !CardSet::bit(card);
    }
}

/// The cards of the pile in use: how many it held, and which of its slots were drawn. A pile holds at most 52 slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pile {
    /// Its number in the game; the first deal's is 0.
    pub number: u16,
    size: u16,
    drawn: u64,
}

impl Pile {
    pub fn new(number: u16, size: u16) -> Pile {
        Pile { number, size: size.min(u16::from(Card::COUNT)), drawn: 0 }
    }

    fn bit(slot: Slot) -> u64 {
        1u64.checked_shl(u32::from(slot.0)).unwrap_or(0)
    }

    /// Whether the slot is one of this pile's and still in it.
    pub fn holds(&self, slot: Slot) -> bool {
        slot.0 < self.size && self.drawn & Pile::bit(slot) == 0
    }

    pub fn draw(&mut self, slot: Slot) {
        self.drawn |= Pile::bit(slot);
    }

    /// The number of cards left.
    pub fn left(&self) -> u32 {
        u32::from(self.size).saturating_sub(self.drawn.count_ones())
    }
}

/// A hand: all its cards come from one pile, because a new pile ends the round (R002.20).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hand {
    /// The number of the round in which it was dealt.
    pub number: u8,
    /// The pile its cards come from.
    pub pile: u16,
    /// Slot and face; a face-down card has no face (at most one, R002.25).
    pub cards: Vec<(Slot, Option<Card>)>,
}

impl Hand {
    pub fn faces(&self) -> impl Iterator<Item = Card> + '_ {
        self.cards.iter().filter_map(|(_, card)| *card)
    }

    /// The total of the face-up cards (A002.a).
    pub fn total(&self) -> HandTotal {
        total(self.faces())
    }

    /// The card that lies face-down.
    pub fn hidden(&self) -> Option<Slot> {
        self.cards.iter().find(|(_, card)| card.is_none()).map(|(slot, _)| *slot)
    }

    /// Whether every card is face-up and the total is 17 to 21 (R002.2).
    pub fn is_safe(&self) -> bool {
        self.hidden().is_none() && (17..=21).contains(&self.total().points)
    }

    pub fn is_bust(&self) -> bool {
        self.total().is_bust()
    }

    pub fn is_high_score(&self) -> bool {
        self.hidden().is_none() && self.total().points == 21
    }
}
