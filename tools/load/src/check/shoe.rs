use super::Flaw;
use super::flaw::same;
use fairshoe_fairness::{Card, Composition, HouseShoe, Opening, ServerSeed, Slot, TableContext, shoe_commitment};
use fairshoe_games::{Peek, RuleSet};
use fairshoe_house::{Committed, Entry, Event};
use std::collections::BTreeMap;

/// A committed shoe, what was seen of it, and its end.
#[derive(Clone, Debug)]
pub struct ShoeCheck {
    context: TableContext,
    shoe_no: u64,
    composition: Composition,
    candidates: Vec<Committed>,
    faces: BTreeMap<Slot, Card>,
    peeks: Vec<(Slot, Peek, bool)>,
}

impl ShoeCheck {
    /// The shoe that an entry of the table commits, as the rules want it.
    ///
    /// # Errors
    /// [`Flaw`] if there is none, or another than the rules have.
    pub fn committed(entry: &Entry, context: &TableContext, rules: &RuleSet) -> Result<Self, Flaw> {
        let committed = entry.events.iter().find_map(|event| match event {
            Event::ShoeCommitted { shoe_no, composition, candidates } => Some((*shoe_no, composition, candidates)),
            _ => None,
        });
        let at = entry.at.as_ref().map(|at| &at.table);
        same("the table of shoe_committed", &Some(&context.table), &at)?;
        let (shoe_no, composition, candidates) = committed.ok_or_else(|| Flaw::differs("the second receipt's entry", "shoe_committed", &entry.command))?;
        same("the composition", &rules.composition(), composition)?;
        same("the number of candidates", &usize::from(rules.candidates()), &candidates.len())?;
        Ok(ShoeCheck {
            context: context.clone(),
            shoe_no,
            composition: composition.clone(),
            candidates: candidates.clone(),
            faces: BTreeMap::new(),
            peeks: Vec::new(),
        })
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.shoe_no
    }

    /// Every slot, ascending.
    pub fn slots(&self) -> Vec<Slot> {
        (0..self.composition.len()).map(Slot).collect()
    }

    /// What its candidates are committed to.
    pub fn candidates(&self) -> &[Committed] {
        &self.candidates
    }

    /// The face of a slot, if one of the openings proves it against candidate `pick`'s root.
    pub(super) fn opened(&self, slot: Slot, pick: u8, openings: &[Opening]) -> Result<Card, Flaw> {
        if let Some(card) = self.faces.get(&slot) {
            return Ok(*card);
        }
        let opening = openings.iter().find(|opening| opening.slot == slot).ok_or(Flaw::NotOpened(slot))?;
        let committed = self.candidates.get(usize::from(pick)).ok_or_else(|| Flaw::differs("the pick", self.candidates.len(), pick))?;
        opening.verify(&committed.root, &self.composition).map_err(|error| Flaw::Opening { slot, error })?;
        opening.card().ok_or(Flaw::NotOpened(slot))
    }

    /// Notes a face that was turned up.
    pub(super) fn turned_up(&mut self, slot: Slot, card: Card) {
        self.faces.insert(slot, card);
    }

    /// Notes an answer about a face that stays hidden, to be checked when the seed is out.
    pub(super) fn peeked(&mut self, slot: Slot, question: Peek, answer: bool) {
        self.peeks.push((slot, question, answer));
    }

    /// That no opening shows a card which was not turned up.
    pub(super) fn nothing_leaked(&self, openings: &[Opening]) -> Result<(), Flaw> {
        match openings.iter().find(|opening| self.faces.get(&opening.slot) != opening.card().as_ref()) {
            Some(opening) => Err(Flaw::OpenedEarly(opening.slot)),
            None => Ok(()),
        }
    }

    /// That the published seeds are the committed ones and give every face and answer seen.
    pub(super) fn revealed(&self, shoe_no: u64, seeds: &[ServerSeed], pick: u8) -> Result<(), Flaw> {
        same("the revealed shoe", &self.shoe_no, &shoe_no)?;
        same("the number of seeds", &self.candidates.len(), &seeds.len())?;
        let flaw = |what: String| Flaw::Shoe { shoe_no, what };
        for (k, (seed, committed)) in (0u8..).zip(seeds.iter().zip(&self.candidates)) {
            if shoe_commitment(&self.context, shoe_no, k, seed) != committed.commitment {
                return Err(flaw(format!("the published seed of candidate {k} is not the committed one")));
            }
            let shoe = HouseShoe::derive(seed, &self.composition);
            if shoe.root() != committed.root {
                return Err(flaw(format!("the published seed of candidate {k} does not give the committed root")));
            }
            if k != pick {
                continue;
            }
            if let Some((slot, card)) = self.faces.iter().find(|(slot, card)| shoe.card(**slot) != Some(**card)) {
                return Err(flaw(format!("slot {slot} was shown as {card}, the seed says otherwise")));
            }
            let denied = |(slot, question, answer): &&(Slot, Peek, bool)| shoe.card(*slot).is_none_or(|card| question.answer(card) != *answer);
            if let Some((slot, ..)) = self.peeks.iter().find(denied) {
                return Err(flaw(format!("the answer about slot {slot} was not true")));
            }
        }
        Ok(())
    }
}
