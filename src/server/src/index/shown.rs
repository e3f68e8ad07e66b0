//! Which faces an entry shows, and of which shoe each is.

use super::{Index, TableIndex, position};
use fairshoe_fairness::{Slot, TableId};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Entry, Event};

/// A face that an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub shoe_no: u64,
    pub candidate: u8,
    pub slot: Slot,
}

/// The shoes at a table, as the events of an entry go by.
struct InUse {
    /// The piles of the game before the one in use, the first deal's first (Safe).
    piles: Vec<u64>,
    current: Option<u64>,
    pick: u8,
}

impl InUse {
    fn before(table: &TableIndex, seq: u64) -> InUse {
        let committed = table.shoes.partition_point(|shoe| shoe.committed_seq < seq);
        let last = committed.checked_sub(1).and_then(|at| table.shoes.get(at));
        let first = last.and_then(|shoe| table.histories.get(shoe.history)).map_or(0, |history| history.first_shoe);
        let of_game = table.shoes.get(position(first)..committed).unwrap_or_default();
        let in_use = (first..).zip(of_game).filter(|(_, shoe)| shoe.retired_seq().is_none_or(|retired| retired >= seq));
        let mut piles: Vec<u64> = in_use.map(|(shoe_no, _)| shoe_no).collect();
        let current = piles.pop();
        let pick = current.and_then(|shoe_no| table.shoe(shoe_no)).map_or(0, |shoe| shoe.pick);
        InUse { piles, current, pick }
    }

    fn follow(&mut self, event: &Event) -> Option<Shown> {
        match event {
            Event::ShoeCommitted { shoe_no, .. } => {
                self.piles.extend(self.current.replace(*shoe_no));
                self.pick = 0;
            }
            Event::ShoeRevealed { shoe_no, .. } | Event::ShoeSealed { shoe_no, .. } if self.current == Some(*shoe_no) => {
                self.current = None
            }
            Event::ShoeRevealed { shoe_no, .. } => self.piles.retain(|pile| pile != shoe_no),
            Event::RoundOpened { pick, .. } | Event::PileShuffled { pick, .. } => self.pick = *pick,
            Event::Play(
                RoundEvent::Dealt { slot, card: Some(_), .. } | RoundEvent::Turned { pile: None, slot, .. } | RoundEvent::Spun { slot, .. },
            ) => {
                // A next pile that was not used is gone already; then the game is still on the last one that was.
                let shoe_no = self.current.or(self.piles.last().copied())?;
                return Some(Shown { shoe_no, candidate: self.pick, slot: *slot });
            }
            // Piles belong to games that are not private, which have one candidate.
            Event::Play(RoundEvent::Turned { pile: Some(pile), slot, .. }) => {
                return Some(Shown { shoe_no: *self.piles.get(usize::from(*pile))?, candidate: 0, slot: *slot });
            }
            _ => {}
        }
        None
    }
}

impl Index {
    /// The faces that an entry of the index shows, in its order.
    pub fn shown(&self, entry: &Entry) -> Vec<Shown> {
        let table = entry.at.as_ref().and_then(|at| Some((self.tables.get(&at.table)?, at.seq)));
        let Some((table, seq)) = table else { return Vec::new() };
        let mut in_use = InUse::before(table, seq);
        entry.events.iter().filter_map(|event| in_use.follow(event)).collect()
    }

    /// Whether an entry of this index below `size` proves all that a shoe showed: by its seed, or sealed, by openings.
    pub fn is_proven(&self, table: &TableId, shoe_no: u64, size: u64) -> bool {
        let at = self.tables.get(table).and_then(|table| table.entries.get(position(table.shoe(shoe_no)?.retired_seq()?)));
        at.is_some_and(|index| *index < size)
    }
}
