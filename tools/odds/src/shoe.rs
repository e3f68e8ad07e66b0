//! A shoe in memory for the engines: each card is chosen at random as it is drawn.

use crate::drive::{Felt, deep_pocket};
use fairshoe_fairness::{Card, Composition, PlayerId, Slot, Stream};
use fairshoe_games::{Chips, Dealing, FaceUnknown, Peek, RoundEvent};
use std::num::NonZeroU16;

/// Undrawn cards have no order until they are drawn, so the lane does not matter for the card.
pub(crate) struct Shoe<'s> {
    cards: Vec<Card>,
    drawn: usize,
    earlier: Vec<Vec<Card>>,
    stream: &'s mut Stream,
}

impl<'s> Shoe<'s> {
    /// A full shoe.
    pub(crate) fn new(composition: &Composition, stream: &'s mut Stream) -> Shoe<'s> {
        let mut shoe = Shoe { cards: cards(composition), drawn: 0, earlier: Vec::new(), stream };
        shoe.choose_next();
        shoe
    }

    /// Returns all cards and shuffles them.
    pub(crate) fn shuffle(&mut self) {
        self.drawn = 0;
        self.choose_next();
    }

    /// Another pile; the cards of the last one stay on the table.
    pub(crate) fn next_pile(&mut self, composition: &Composition) {
        self.earlier.push(std::mem::replace(&mut self.cards, cards(composition)));
        self.shuffle();
    }

    /// The first pile of a new game.
    pub(crate) fn first_pile(&mut self, composition: &Composition) {
        self.earlier.clear();
        self.cards = cards(composition);
        self.shuffle();
    }

    /// The number of undrawn cards.
    pub(crate) fn left(&self) -> usize {
        self.cards.len().saturating_sub(self.drawn)
    }

    /// A number below `m`, at least 1, from the shoe's own stream.
    pub(crate) fn below(&mut self, m: usize) -> usize {
        u16::try_from(m).ok().and_then(NonZeroU16::new).map_or(0, |m| usize::from(self.stream.below(m)))
    }

    /// One step of Fisher and Yates: chooses the next of the undrawn cards.
    fn choose_next(&mut self) {
        let next = self.drawn.saturating_add(self.below(self.left()));
        if next < self.cards.len() {
            self.cards.swap(self.drawn, next);
        }
    }

    fn face(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.cards.get(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
}

fn cards(composition: &Composition) -> Vec<Card> {
    composition.values().into_iter().filter_map(Card::from_code).collect()
}

impl Dealing for Shoe<'_> {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        u16::try_from(self.drawn).ok().map(Slot).filter(|slot| slot.index() < self.cards.len())
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(slot)
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.face(slot)?))
    }

    fn funds(&self, _player: &PlayerId) -> Chips {
        deep_pocket()
    }

    fn deadline(&self) -> u64 {
        0
    }

    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        let pile = self.earlier.get(usize::from(pile));
        pile.and_then(|cards| cards.get(slot.index())).copied().ok_or(FaceUnknown(slot))
    }
}

impl Felt for Shoe<'_> {
    fn follow(&mut self, event: &RoundEvent) {
        if matches!(event, RoundEvent::Dealt { .. }) {
            self.drawn += 1;
            self.choose_next();
        }
    }
}
