//! The table of a scripted round: it deals the given cards in their order. It has no shoe and no seed.

use super::{MAX_SCRIPT_LENGTH, ScriptError};
use crate::{Chips, Dealing, FaceUnknown, NewPile, Peek, RoundEvent, RuleSet, Spin, StepError};
use fairshoe_fairness::{Card, Composition, PlayerId, Slot};

/// A table whose shoe is a list of cards: slot t of a pile is the t-th card drawn from it, for any lane.
pub(super) struct Table<'c> {
    cards: &'c [Card],
    /// The index of each pile's first card.
    starts: Vec<usize>,
    /// The number of cards in the current pile, and how many of them are drawn.
    size: usize,
    drawn: usize,
    spin: Option<Spin>,
    balances: Vec<(PlayerId, Chips)>,
}

impl<'c> Table<'c> {
    /// A table before its first card. A game that collects its cards again is dealt from one pack, each card once.
    pub fn new(rules: &RuleSet, cards: &'c [Card], spin: Option<Spin>) -> Result<Self, ScriptError> {
        if cards.len() > MAX_SCRIPT_LENGTH {
            return Err(ScriptError::OutOfBounds("a script holds at most 10000 cards"));
        }
        let composition = rules.composition();
        let table = Table {
            cards,
            starts: vec![0],
            size: usize::from(composition.len()),
            drawn: 0,
            spin,
            balances: Vec::new(),
        };
        if rules.collects_cards() {
            table.check_pile(0, &composition)?;
        }
        Ok(table)
    }

    /// A player sits down with this balance.
    pub fn seat(&mut self, player: &PlayerId, balance: Chips) {
        self.balances.push((player.clone(), balance));
    }

    fn start(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The position of a slot of the current pile in the list, from 1.
    pub fn position(&self, slot: Slot) -> usize {
        self.start().saturating_add(slot.index()).saturating_add(1)
    }

    /// A face-down card must be given like any other.
    pub fn has_card_of(&self, event: Option<RoundEvent>) -> Result<Option<RoundEvent>, StepError> {
        if let Some(RoundEvent::Dealt { slot, card: None, .. }) = event {
            self.card(slot)?;
        }
        Ok(event)
    }

    /// Whether the cards of the current pile can be its beginning.
    fn check_pile(&self, pile: u16, composition: &Composition) -> Result<(), ScriptError> {
        let start = self.start();
        let mut left: Vec<u8> = composition.values();
        for (index, card) in self.cards.iter().enumerate().skip(start).take(left.len()) {
            match left.iter().position(|code| *code == card.code()) {
                Some(at) => drop(left.swap_remove(at)),
                None => return Err(ScriptError::NotInPile { position: index + 1, card: *card, pile }),
            }
        }
        Ok(())
    }

    /// The following cards become the new pile.
    pub fn place_pile(&mut self, new: &NewPile) -> Result<RoundEvent, ScriptError> {
        self.starts.push(self.start().saturating_add(self.drawn));
        (self.size, self.drawn) = (usize::from(new.composition.len()), 0);
        self.check_pile(new.pile, &new.composition)?;
        Ok(RoundEvent::Shuffled { pile: new.pile })
    }

    fn face(&self, start: Option<usize>, slot: Slot) -> Result<Card, FaceUnknown> {
        let index = start.and_then(|start| start.checked_add(slot.index()));
        index.and_then(|index| self.cards.get(index)).copied().ok_or(FaceUnknown(slot))
    }

    /// Moves the cards and the balances on; `None` when an amount is out of range.
    pub fn follow(&mut self, event: &RoundEvent, players: &mut [(PlayerId, Chips, Chips)]) -> Option<()> {
        let mut post = |player: &PlayerId, staked: Chips, returned: Chips| {
            let line = players.iter_mut().find(|p| p.0 == *player)?;
            line.1 = line.1.plus(staked)?;
            line.2 = line.2.plus(returned)?;
            let balance = self.balances.iter_mut().find(|b| b.0 == *player)?;
            balance.1 = balance.1.minus(staked)?.plus(returned)?;
            Some(())
        };
        match event {
            RoundEvent::Dealt { .. } => self.drawn = self.drawn.checked_add(1)?,
            RoundEvent::Acted { player, cost, .. } => post(player, *cost, Chips::ZERO)?,
            RoundEvent::Paid { lines } => {
                lines.iter().try_for_each(|line| post(&line.player, Chips::ZERO, line.returned))?
            }
            _ => {}
        }
        Some(())
    }
}

impl Dealing for Table<'_> {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        if self.drawn < self.size { u16::try_from(self.drawn).ok().map(Slot) } else { None }
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(Some(self.start()), slot)
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.card(slot)?))
    }

    fn funds(&self, player: &PlayerId) -> Chips {
        self.balances.iter().find(|(name, _)| name == player).map(|(_, balance)| *balance).unwrap_or_default()
    }

    fn deadline(&self) -> u64 {
        0
    }

    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(self.starts.get(usize::from(pile)).copied(), slot)
    }

    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(self.spin)
    }
}
