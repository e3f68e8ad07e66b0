//! Cards as blackjack counts them: ten values, the cards left of each, the cards in a hand.
#![allow(clippy::float_arithmetic)] // chances of a draw

use fairshoe_fairness::Card;
use fairshoe_games::blackjack::{HandTotal, card_value};
use std::ops::{Index, IndexMut};

/// The value of a card: an ace 1, 10 for ten and the courts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u8);

impl Value {
    /// An ace.
    pub const ACE: Value = Value(1);
    /// A ten, jack, queen or king.
    pub const TEN: Value = Value(10);

    /// All values, from the ace to the ten.
    pub fn all() -> impl DoubleEndedIterator<Item = Value> + Clone {
        (1..=10).map(Value)
    }

    /// The value of a card, by the engine.
    pub fn of(card: Card) -> Value {
        Value(u8::try_from(card_value(card)).unwrap_or(10).clamp(1, 10))
    }

    /// The points, 1 to 10.
    pub fn points(self) -> u8 {
        self.0
    }

    /// A card of this value, for questions to the rules.
    pub fn card(self) -> Option<Card> {
        Card::new(self.0, 's')
    }

    /// The hole card that makes a blackjack with this up-card, if there is one.
    pub fn blackjack_partner(self) -> Option<Value> {
        match self {
            Value::ACE => Some(Value::TEN),
            Value::TEN => Some(Value::ACE),
            _ => None,
        }
    }

    /// The letter: `A`, `2` … `9`, `T`.
    pub fn letter(self) -> char {
        match self {
            Value::ACE => 'A',
            Value::TEN => 'T',
            Value(points) => char::from(b'0' + points),
        }
    }
}

/// An item for each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByValue<T>([T; 10]);

impl<T> ByValue<T> {
    /// Makes an item for each value, from the ace to the ten.
    pub fn from_each(each: impl Fn(Value) -> T) -> ByValue<T> {
        ByValue(std::array::from_fn(|index| each(Value(u8::try_from(index).map_or(10, |i| (i + 1).min(10))))))
    }
}

impl<T> Index<Value> for ByValue<T> {
    type Output = T;

    fn index(&self, value: Value) -> &T {
        // A value is 1 to 10 by construction.
        &self.0[usize::from(value.0 - 1)]
    }
}

impl<T> IndexMut<Value> for ByValue<T> {
    fn index_mut(&mut self, value: Value) -> &mut T {
        &mut self.0[usize::from(value.0 - 1)]
    }
}

/// The unseen cards: how many of each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deck {
    left: ByValue<u16>,
    total: u16,
}

impl Deck {
    /// A deck of so many packs of 52.
    pub fn packs(decks: u8) -> Deck {
        let decks = u16::from(decks);
        let mut counts = [4 * decks; 10];
        counts[9] = 16 * decks;
        Deck::of(counts)
    }

    /// A deck with these numbers of each value, from the ace to the ten.
    pub fn of(counts: [u16; 10]) -> Deck {
        Deck { left: ByValue(counts), total: counts.iter().sum() }
    }

    /// The number of cards of a value that are left.
    pub fn left(&self, value: Value) -> u16 {
        self.left[value]
    }

    /// The number of cards that are left in all.
    pub fn total(&self) -> u16 {
        self.total
    }

    /// The deck without one card of this value.
    pub fn without(mut self, value: Value) -> Deck {
        self.left[value] = self.left[value].saturating_sub(1);
        self.total = self.total.saturating_sub(1);
        self
    }

    /// The chance that one unseen card has this value.
    pub fn share(&self, value: Value) -> f64 {
        if self.total == 0 { 0.0 } else { f64::from(self.left[value]) / f64::from(self.total) }
    }
}

/// A hand: how many it holds of each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hand {
    counts: ByValue<u8>,
    cards: u8,
    hard: u8,
}

impl Hand {
    /// The hand with one more card.
    pub fn with(mut self, value: Value) -> Hand {
        self.counts[value] = self.counts[value].saturating_add(1);
        self.cards = self.cards.saturating_add(1);
        self.hard = self.hard.saturating_add(value.points());
        self
    }

    /// A hand of these cards.
    pub fn of(values: impl IntoIterator<Item = Value>) -> Hand {
        values.into_iter().fold(Hand::default(), Hand::with)
    }

    /// The number of cards.
    pub fn cards(&self) -> u8 {
        self.cards
    }

    /// Its total, by the engine (R000.6, R000.8).
    pub fn total(&self) -> HandTotal {
        let soft = self.counts[Value::ACE] > 0 && self.hard <= 11;
        HandTotal { points: u16::from(self.hard) + if soft { 10 } else { 0 }, soft }
    }

    /// Whether it is two cards that make 21.
    pub fn is_natural(&self) -> bool {
        self.cards == 2 && self.total().points == 21
    }

    /// The value of two equal cards.
    pub fn pair(&self) -> Option<Value> {
        Value::all().find(|value| self.cards == 2 && self.counts[*value] == 2)
    }

    /// The hand as one number: five bits for each value, because no hand holds more than 22 cards.
    pub fn key(&self) -> u64 {
        Value::all().fold(0, |key, value| key << 5 | u64::from(self.counts[value] & 31))
    }
}

impl std::fmt::Display for Hand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::fmt::Write as _;
        Value::all().try_for_each(|value| (0..self.counts[value]).try_for_each(|_| f.write_char(value.letter())))
    }
}
