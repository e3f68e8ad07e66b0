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
        let (shoe_no, composition, candidates) =
            committed.ok_or_else(|| Flaw::differs("the second receipt's entry", "shoe_committed", &entry.command))?;
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
            let denied =
                |(slot, question, answer): &&(Slot, Peek, bool)| shoe.card(*slot).is_none_or(|card| question.answer(card) != *answer);
            if let Some((slot, ..)) = self.peeks.iter().find(denied) {
                return Err(flaw(format!("the answer about slot {slot} was not true")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_fairness::{Epoch, Master, Origin, TableId};

    #[test]
    fn the_published_seed_must_give_all_that_was_shown_and_said() {
        let (origin, table) = (Origin::parse("example.com/log").unwrap(), TableId::parse("t1").unwrap());
        let context = TableContext { origin, table, epoch: Epoch::from_bytes([3; 32]) };
        let composition = Composition::Decks(1);
        let seed = Master::from_bytes([7; 32]).server_seed(&context, 4, 0);
        let house = HouseShoe::derive(&seed, &composition);
        let candidates = vec![Committed { commitment: shoe_commitment(&context, 4, 0, &seed), root: house.root() }];
        let shoe = ShoeCheck { context, shoe_no: 4, composition, candidates, faces: BTreeMap::new(), peeks: Vec::new() };
        let (up, hole) = (Card::new(1, 's').unwrap(), Slot(20));
        let question = Peek::Blackjack { up };
        let truth = question.answer(house.card(hole).unwrap());
        let flaw = |shoe: &ShoeCheck, seed| shoe.revealed(4, &[seed], 0).unwrap_err().to_string();

        let mut seen = shoe.clone();
        seen.turned_up(Slot(3), house.card(Slot(3)).unwrap());
        seen.peeked(hole, question, truth);
        assert_eq!(seen.revealed(4, std::slice::from_ref(&seed), 0), Ok(()));
        assert!(seen.revealed(5, std::slice::from_ref(&seed), 0).is_err());
        assert!(seen.revealed(4, &[], 0).is_err());
        assert!(flaw(&seen, ServerSeed::from_bytes([1; 32])).contains("not the committed one"));

        let mut lied_to = shoe.clone();
        lied_to.peeked(hole, question, !truth);
        assert!(flaw(&lied_to, seed.clone()).contains("the answer about slot 20 was not true"));

        let mut deceived = shoe.clone();
        deceived.turned_up(Slot(3), house.card(Slot(4)).unwrap());
        assert!(flaw(&deceived, seed.clone()).contains("slot 3 was shown as"));

        let mut another = shoe;
        another.candidates[0].root = fairshoe_fairness::ShoeRoot::from_bytes([1; 32]);
        assert!(flaw(&another, seed).contains("does not give the committed root"));
    }
}
