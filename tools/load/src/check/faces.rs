//! The cards that lie open at a table, as pages of its entries open them: each against the root of the deck that was
//! committed before any seed was out, and none that does not lie open.

use super::Flaw;
use super::flaw::same;
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Composition, Slot};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Committed, Entry, Event};
use std::collections::BTreeMap;

/// A deck, and which of its cards lie open.
struct Deck {
    shoe_no: u64,
    composition: Composition,
    candidates: Vec<Committed>,
    pick: u8,
    open: BTreeMap<Slot, u8>,
}

/// See the module.
#[derive(Default)]
pub struct Faces(Option<Deck>);

impl Faces {
    /// The next entry of the table, with what was opened beside it.
    ///
    /// # Errors
    /// [`Flaw`] for a card that lies open and was not opened, for one that was opened and does not lie open, and for
    /// one that is another.
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
