//! The open cards of a table, from the openings in pages of its entries. Each is checked against the root of the deck
//! that was committed before any seed was published; no other card may be opened.

use super::Flaw;
use super::flaw::same;
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Composition, Slot};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Committed, Entry, Event};
use std::collections::BTreeMap;

/// A deck and its open cards.
struct Deck {
    shoe_no: u64,
    composition: Composition,
    candidates: Vec<Committed>,
    pick: u8,
    open: BTreeMap<Slot, u8>,
}

/// The open cards of a table; see the module.
#[derive(Default)]
pub struct Faces(Option<Deck>);

impl Faces {
    /// Takes the next entry of the table, with its openings.
    ///
    /// # Errors
    /// [`Flaw`] for an open card without an opening, for an opening of a hidden card, and for a wrong card.
    pub fn read(&mut self, entry: &Entry, openings: &[ShownOpening]) -> Result<(), Flaw> {
        for event in &entry.events {
            match (event, &mut self.0) {
                (Event::ShoeCommitted { shoe_no, composition, candidates }, deck) => {
                    *deck = Some(Deck {
                        shoe_no: *shoe_no,
                        composition: composition.clone(),
                        candidates: candidates.clone(),
                        pick: 0,
                        open: BTreeMap::new(),
                    });
                }
                (Event::RoundOpened { pick, .. }, Some(deck)) => deck.pick = *pick,
                (Event::Play(RoundEvent::Dealt { slot, card: Some(card), .. }), Some(deck))
                | (Event::Play(RoundEvent::Turned { slot, card, .. }), Some(deck)) => {
                    deck.shows(*slot, card.code(), openings)?;
                }
                _ => {}
            }
        }
        let lies_open = |shown: &ShownOpening| {
            let deck = self.0.as_ref().filter(|deck| shown.is_of(deck.shoe_no));
            deck.is_some_and(|deck| deck.open.get(&shown.opening.slot) == Some(&shown.opening.value))
        };
        match openings.iter().find(|shown| !lies_open(shown)) {
            Some(shown) => Err(Flaw::OpenedEarly(shown.opening.slot)),
            None => Ok(()),
        }
    }
}

impl Deck {
    fn shows(&mut self, slot: Slot, code: u8, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let shown = openings.iter().find(|shown| shown.opening.slot == slot && shown.is_of(self.shoe_no));
        let opening = &shown.ok_or(Flaw::NotOpened(slot))?.opening;
        let committed = self.candidates.get(usize::from(self.pick)).ok_or(Flaw::Overflow)?;
        opening.verify(&committed.root, &self.composition).map_err(|error| Flaw::Opening { slot, error })?;
        same("the face that was turned up", &opening.value, &code)?;
        self.open.insert(slot, code);
        Ok(())
    }
}
