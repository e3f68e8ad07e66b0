//! The engine's knowledge when a player replays a round: the public order, opened faces, and the house's answers until
//! the seed is published (spec/fairness.md, "What a client does").

use super::money::Money;
use super::round::RoundCheck;
use super::{Flaw, ShoeCheck};
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Card, PlayerId, Slot, pocket, spin};
use fairshoe_games::{Chips, Dealing, FaceUnknown, Peek, Spin};
use std::cell::RefCell;

/// The table as the engine sees it here: slots from the public order, faces from openings, and the house's answers
/// until the seed is published.
pub(super) struct Watched<'w> {
    pub round: &'w RoundCheck,
    /// The shoe or pile of the game.
    pub shoe: Option<&'w ShoeCheck>,
    pub money: &'w Money,
    pub openings: &'w [ShownOpening],
    /// The house's answer about a hidden face.
    pub claimed: Option<bool>,
    /// The deadline of a decision offered now.
    pub deadline: u64,
    /// The engine's question about a hidden face.
    pub asked: RefCell<Option<(Slot, Peek)>>,
    /// A flaw found in an opening.
    pub flaw: RefCell<Option<Flaw>>,
}

impl<'w> Watched<'w> {
    /// A table without openings and claims.
    pub fn new(round: &'w RoundCheck, shoe: Option<&'w ShoeCheck>, money: &'w Money) -> Self {
        let (asked, flaw) = (RefCell::default(), RefCell::default());
        Watched { round, shoe, money, openings: &[], claimed: None, deadline: 0, asked, flaw }
    }

    fn value(&self, shoe: Option<&ShoeCheck>, slot: Slot) -> Result<u8, FaceUnknown> {
        shoe.ok_or(FaceUnknown(slot))?.opened(slot, self.openings).map_err(|flaw| {
            self.flaw.replace(Some(flaw));
            FaceUnknown(slot)
        })
    }
}

impl Dealing for Watched<'_> {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        self.round.lanes.as_ref().and_then(|lanes| lanes.next(lane))
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        Card::from_code(self.value(self.shoe, slot)?).ok_or(FaceUnknown(slot))
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        self.asked.replace(Some((slot, question)));
        self.claimed.ok_or(FaceUnknown(slot))
    }

    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        Card::from_code(self.value(self.round.piles.get(usize::from(pile)), slot)?).ok_or(FaceUnknown(slot))
    }

    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        let (Some(shoe), Some(entropy)) = (self.shoe, &self.round.entropy) else { return Ok(None) };
        let Some(slot) = shoe.undrawn.first().copied() else { return Ok(None) };
        let candidates = u8::try_from(shoe.candidates.len()).map_err(|_| FaceUnknown(slot))?;
        let value = self.value(Some(shoe), slot)?;
        Ok(Some(Spin { slot, value, pocket: pocket(value, spin(entropy, candidates)) }))
    }

    fn funds(&self, player: &PlayerId) -> Chips {
        self.money.of(player)
    }

    fn deadline(&self) -> u64 {
        self.deadline
    }
}
