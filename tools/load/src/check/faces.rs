//! The open cards of a table, from the openings that come with its entries. Each is checked against the root of the
//! deck that was committed before any seed was published; no other card may be opened.

use super::flaw::same;
use super::{Flaw, OnLog};
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
pub struct Faces {
    /// The shoe in use, or the piles of a game, the first deal's first.
    decks: Vec<Deck>,
    /// Whether a round is in play: a deck committed meanwhile is one more pile of it.
    in_round: bool,
    /// The pile that the game is on.
    pile: usize,
}

impl Faces {
    /// Takes the next entry of the table, with its openings.
    ///
    /// # Errors
    /// [`Flaw`] for an open card without an opening, for an opening of a hidden card, and for a wrong card.
    pub fn read(&mut self, entry: &Entry, openings: &[ShownOpening]) -> Result<(), Flaw> {
        for event in &entry.events {
            match event {
                Event::ShoeCommitted { shoe_no, composition, candidates } => {
                    if !self.in_round {
                        (self.decks, self.pile) = (Vec::new(), 0);
                    }
                    let (composition, candidates) = (composition.clone(), candidates.clone());
                    let deck = Deck { shoe_no: *shoe_no, composition, candidates, pick: 0, open: BTreeMap::new() };
                    self.decks.push(deck);
                }
                Event::BetsClosed { .. } | Event::HandBegun { .. } => self.in_round = true,
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => self.in_round = false,
                // A pile whose shuffle failed; of one that was used nothing more is opened.
                Event::ShoeRevealed { shoe_no, .. } if self.in_round => {
                    self.decks.retain(|deck| deck.shoe_no != *shoe_no)
                }
                Event::RoundOpened { pick, .. } | Event::PileShuffled { pick, .. } => {
                    self.decks.iter_mut().last().into_iter().for_each(|deck| deck.pick = *pick)
                }
                Event::Play(play) => self.play(play, openings)?,
                _ => {}
            }
        }
        self.nothing_leaked(openings)
    }

    fn play(&mut self, play: &RoundEvent, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let (pile, slot, value) = match play {
            RoundEvent::Shuffled { pile } => {
                self.pile = usize::from(*pile);
                return Ok(());
            }
            RoundEvent::Dealt { slot, card: Some(card), .. } => (None, *slot, card.code()),
            RoundEvent::Turned { pile, slot, card } => (pile.map(usize::from), *slot, card.code()),
            RoundEvent::Spun { slot, value, .. } => (None, *slot, *value),
            _ => return Ok(()),
        };
        let deck = self.decks.get_mut(pile.unwrap_or(self.pile)).ok_or(Flaw::NotOpened(slot))?;
        let shown = openings.iter().find(|shown| shown.opening.slot == slot && shown.is_of(deck.shoe_no));
        let opening = &shown.ok_or(Flaw::NotOpened(slot))?.opening;
        let committed = deck.candidates.get(usize::from(deck.pick)).ok_or(Flaw::Overflow)?;
        opening.verify(&committed.root, &deck.composition).map_err(|error| Flaw::Opening(slot, error))?;
        same("the face that was turned up", &opening.value, &value)?;
        deck.open.insert(slot, value);
        Ok(())
    }

    /// Checks that a reply opens only cards that lie open.
    ///
    /// # Errors
    /// [`Flaw::OpenedEarly`].
    pub fn nothing_leaked(&self, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let lies_open = |shown: &&ShownOpening| {
            let mut own = self.decks.iter().filter(|deck| shown.is_of(deck.shoe_no));
            own.any(|deck| deck.open.get(&shown.opening.slot) == Some(&shown.opening.value))
        };
        match openings.iter().find(|shown| !lies_open(shown)) {
            Some(shown) => Err(Flaw::OpenedEarly(shown.opening.slot)),
            None => Ok(()),
        }
    }
}

/// The number of openings in the entry itself: those of a sealed shoe.
pub fn sealed_in(on_log: &OnLog) -> usize {
    let of = |event: &Event| if let Event::ShoeSealed { openings, .. } = event { openings.len() } else { 0 };
    on_log.entry.events.iter().map(of).sum()
}

/// Checks that a reply opens no card outside the checked fields: an opening needs its salt.
///
/// # Errors
/// [`Flaw::Differs`].
pub fn opens_only(body: &[u8], openings: usize) -> Result<(), Flaw> {
    // As a field's name, in the reply or in an entry's text within it: the same letters may also occur in a base64
    // hash.
    let text = String::from_utf8_lossy(body);
    let is_name = |at: &usize| matches!(text.as_bytes().get(at.saturating_add(4)), Some(b'"' | b'\\'));
    let salts = text.match_indices("salt").filter(|(at, _)| is_name(at)).count();
    same("how many cards a reply opens", &openings, &salts)
}
