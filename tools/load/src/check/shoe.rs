//! A committed shoe as a player sees it: openings against the root, then every face and answer against the seed
//! (spec/fairness.md, "What a client does").

use super::Flaw;
use super::flaw::same;
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Card, Composition, HouseShoe, Lanes, ServerSeed, Slot, TableContext, shoe_commitment};
use fairshoe_games::Peek;
use fairshoe_house::Committed;
use std::collections::BTreeMap;

/// A committed shoe, its known cards, and its end.
#[derive(Clone, Debug)]
pub(super) struct ShoeCheck {
    /// Log, table and the epoch it was committed in.
    pub context: TableContext,
    /// Its number at the table.
    pub shoe_no: u64,
    /// Its composition.
    pub composition: Composition,
    /// The commitments of its candidates.
    pub candidates: Vec<Committed>,
    /// The slots not drawn yet, ascending.
    pub undrawn: Vec<Slot>,
    /// Whether the dealer was restarted since it was committed: then it retires after the round.
    pub outdated: bool,
    /// The candidate that is dealt.
    pick: u8,
    values: BTreeMap<Slot, u8>,
    peeks: Vec<(Slot, Peek, bool)>,
}

impl ShoeCheck {
    /// A shoe as it was committed.
    pub fn new(context: TableContext, shoe_no: u64, composition: Composition, candidates: Vec<Committed>) -> Self {
        let undrawn = (0..composition.len()).map(Slot).collect();
        let (values, peeks) = (BTreeMap::new(), Vec::new());
        ShoeCheck { context, shoe_no, composition, candidates, undrawn, outdated: false, pick: 0, values, peeks }
    }

    /// Records the candidate that the players' seeds picked.
    pub fn picked(&mut self, pick: u8) {
        self.pick = pick;
    }

    /// The value of a slot, if it was shown before or an opening proves it against the dealt candidate's root.
    pub fn opened(&self, slot: Slot, openings: &[ShownOpening]) -> Result<u8, Flaw> {
        if let Some(value) = self.values.get(&slot) {
            return Ok(*value);
        }
        let opening = openings.iter().find(|shown| shown.opening.slot == slot && shown.is_of(self.shoe_no));
        let opening = &opening.ok_or(Flaw::NotOpened(slot))?.opening;
        let committed = self.candidates.get(usize::from(self.pick));
        let committed = committed.ok_or_else(|| Flaw::differs("the pick", self.candidates.len(), self.pick))?;
        opening.verify(&committed.root, &self.composition).map_err(|error| Flaw::Opening { slot, error })?;
        Ok(opening.value)
    }

    /// Records a turned-up face.
    pub fn turned_up(&mut self, slot: Slot, value: u8) {
        self.values.insert(slot, value);
    }

    /// Records an answer about a hidden face, to be checked with the seed.
    pub fn peeked(&mut self, slot: Slot, question: Peek, answer: bool) {
        self.peeks.push((slot, question, answer));
    }

    /// Checks that the openings show only turned-up slots.
    pub fn nothing_leaked(&self, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let mut own = openings.iter().filter(|shown| shown.is_of(self.shoe_no)).map(|shown| &shown.opening);
        match own.find(|opening| self.values.get(&opening.slot) != Some(&opening.value)) {
            Some(opening) => Err(Flaw::OpenedEarly(opening.slot)),
            None => Ok(()),
        }
    }

    /// A round's drawn slots never come back (C10, C22); for a wheel that is its one slot, spun or not.
    pub fn burn(&mut self, lanes: Option<&Lanes>) {
        if self.composition.is_wheel() {
            self.undrawn.drain(..self.undrawn.len().min(1));
        } else if let Some(lanes) = lanes {
            self.undrawn = lanes.undrawn_ascending();
        }
    }

    /// Checks that the published seeds are the committed ones and give every face and answer seen.
    pub fn revealed(&self, seeds: &[ServerSeed]) -> Result<(), Flaw> {
        let shoe_no = self.shoe_no;
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
            if k != self.pick {
                continue;
            }
            if let Some((slot, value)) = self.values.iter().find(|(slot, value)| shoe.value(**slot) != Some(**value)) {
                let shown = Card::from_code(*value).filter(|_| !self.composition.is_wheel());
                let shown = shown.map_or_else(|| value.to_string(), |card| card.to_string());
                return Err(flaw(format!("slot {slot} was shown as {shown}, the seed says otherwise")));
            }
            let denied = |(slot, question, answer): &&(Slot, Peek, bool)| {
                shoe.card(*slot).is_none_or(|card| question.answer(card) != *answer)
            };
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
        let shoe = ShoeCheck::new(context, 4, composition, candidates);
        let (up, hole) = (Card::new(1, 's').unwrap(), Slot(20));
        let question = Peek::whether(|card| fairshoe_games::total([up, card]).points == 21);
        let truth = question.answer(house.card(hole).unwrap());
        let flaw = |shoe: &ShoeCheck, seed| shoe.revealed(&[seed]).unwrap_err().to_string();

        let mut seen = shoe.clone();
        seen.turned_up(Slot(3), house.value(Slot(3)).unwrap());
        seen.peeked(hole, question, truth);
        assert_eq!(seen.revealed(std::slice::from_ref(&seed)), Ok(()));
        assert!(seen.revealed(&[]).is_err());
        assert!(flaw(&seen, ServerSeed::from_bytes([1; 32])).contains("not the committed one"));

        let mut lied_to = shoe.clone();
        lied_to.peeked(hole, question, !truth);
        assert!(flaw(&lied_to, seed.clone()).contains("the answer about slot 20 was not true"));

        let mut deceived = shoe.clone();
        deceived.turned_up(Slot(3), house.value(Slot(4)).unwrap());
        assert!(flaw(&deceived, seed.clone()).contains("slot 3 was shown as"));

        let mut another = shoe;
        another.candidates[0].root = fairshoe_fairness::ShoeRoot::from_bytes([1; 32]);
        assert!(flaw(&another, seed).contains("does not give the committed root"));
    }

    #[test]
    fn an_opening_is_of_its_own_shoe() {
        let (origin, table) = (Origin::parse("example.com/log").unwrap(), TableId::parse("t1").unwrap());
        let context = TableContext { origin, table, epoch: Epoch::from_bytes([3; 32]) };
        let seed = Master::from_bytes([7; 32]).server_seed(&context, 4, 0);
        let house = HouseShoe::derive(&seed, &Composition::Wheel(8));
        let candidates = vec![Committed { commitment: shoe_commitment(&context, 4, 0, &seed), root: house.root() }];
        let mut shoe = ShoeCheck::new(context, 4, Composition::Wheel(8), candidates);
        let shown = |shoe_no| ShownOpening { shoe_no, opening: house.open(Slot(2)).unwrap() };
        assert_eq!(shoe.opened(Slot(2), &[shown(Some(4))]), Ok(house.value(Slot(2)).unwrap()));
        assert_eq!(shoe.opened(Slot(2), &[shown(None)]), Ok(house.value(Slot(2)).unwrap()));
        assert_eq!(shoe.opened(Slot(2), &[shown(Some(3))]), Err(Flaw::NotOpened(Slot(2))));
        assert_eq!(shoe.nothing_leaked(&[shown(Some(4))]), Err(Flaw::OpenedEarly(Slot(2))));
        shoe.turned_up(Slot(2), house.value(Slot(2)).unwrap());
        assert_eq!(shoe.nothing_leaked(&[shown(Some(4)), shown(Some(3))]), Ok(()));
        shoe.burn(None);
        assert_eq!(shoe.undrawn.first(), Some(&Slot(1)));
    }
}
