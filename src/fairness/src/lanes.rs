//! Lanes: the slot that each draw takes. A box's choices change neither another box's cards nor the dealer's, so a
//! shill cannot choose them by drawing more or fewer cards.

use crate::card::Slot;
use serde::{Deserialize, Serialize};

/// The draws of one round (spec/fairness.md, "Lanes"): draw t of lane l takes `order[t * lanes + l]`; if that is past
/// the end or taken, the last undrawn entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lanes {
    order: Vec<Slot>,
    taken: Vec<bool>,
    /// The number of cards each lane has drawn.
    draws: Vec<usize>,
    drawn: Vec<Slot>,
    /// Every entry from here on is taken; it only falls, so finding the last free one is cheap.
    end: usize,
}

impl Lanes {
    /// Starts a round on a public shuffle; a round has at least one lane.
    pub fn new(order: Vec<Slot>, lanes: u16) -> Self {
        Self {
            taken: vec![false; order.len()],
            draws: vec![0; usize::from(lanes.max(1))],
            drawn: Vec::new(),
            end: order.len(),
            order,
        }
    }

    /// Position in `order` of the lane's next draw.
    fn position(&self, lane: u16) -> Option<usize> {
        let lane = usize::from(lane);
        let draw = *self.draws.get(lane)?;
        let own = draw.checked_mul(self.draws.len())?.checked_add(lane)?;
        if self.taken.get(own) == Some(&false) { Some(own) } else { self.end.checked_sub(1) }
    }

    /// The slot of the lane's next draw; `None` if all are drawn or there is no such lane.
    pub fn next(&self, lane: u16) -> Option<Slot> {
        self.order.get(self.position(lane)?).copied()
    }

    /// Takes the lane's next slot; `None` if all are drawn or there is no such lane.
    pub fn draw(&mut self, lane: u16) -> Option<Slot> {
        let position = self.position(lane)?;
        let slot = *self.order.get(position)?;
        *self.taken.get_mut(position)? = true;
        *self.draws.get_mut(usize::from(lane))? += 1;
        self.drawn.push(slot);
        while let Some(last) = self.end.checked_sub(1)
            && self.taken.get(last) == Some(&true)
        {
            self.end = last;
        }
        Some(slot)
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.draws.len()
    }

    /// The public order the round draws from.
    pub fn order(&self) -> &[Slot] {
        &self.order
    }

    /// The slots drawn so far, in the order they were drawn.
    pub fn drawn(&self) -> &[Slot] {
        &self.drawn
    }

    /// The slots left, ascending: the next round's shuffle permutes them.
    pub fn undrawn_ascending(&self) -> Vec<Slot> {
        let mut left: Vec<Slot> =
            self.order.iter().zip(&self.taken).filter_map(|(slot, taken)| (!taken).then_some(*slot)).collect();
        left.sort_unstable();
        left
    }
}
