//! Which faces an entry shows, and of which shoe each is.

use super::{Index, IndexError, TableIndex};
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
    /// The piles of the game before the one in use, the first deal's first.
    piles: Vec<u64>,
    current: Option<u64>,
    pick: u8,
}

impl InUse {
    fn before(table: &TableIndex, seq: u64) -> Result<InUse, IndexError> {
        let committed = table.shoes_before(seq)?;
        let last = match committed.checked_sub(1) {
            Some(last) => table.shoe(last)?,
            None => None,
        };
        let first = last.as_ref().map_or(0, |shoe| shoe.first_shoe);
        let of_game = table.shoes(first..committed)?;
        let in_use = (first..).zip(of_game).filter(|(_, shoe)| shoe.retired_seq().is_none_or(|retired| retired >= seq));
        let mut piles: Vec<(u64, u8)> = in_use.map(|(shoe_no, shoe)| (shoe_no, shoe.pick)).collect();
        let current = piles.pop();
        let pick = current.map_or(0, |(_, pick)| pick);
        let piles = piles.into_iter().map(|(shoe_no, _)| shoe_no).collect();
        Ok(InUse { piles, current: current.map(|(shoe_no, _)| shoe_no), pick })
    }

    fn follow(&mut self, event: &Event) -> Option<Shown> {
        match event {
            Event::ShoeCommitted { shoe_no, .. } => {
                self.piles.extend(self.current.replace(*shoe_no));
                self.pick = 0;
            }
            Event::ShoeRevealed { shoe_no, .. } | Event::ShoeSealed { shoe_no, .. }
                if self.current == Some(*shoe_no) =>
            {
                self.current = None
            }
            Event::ShoeRevealed { shoe_no, .. } => self.piles.retain(|pile| pile != shoe_no),
            Event::RoundOpened { pick, .. } | Event::PileShuffled { pick, .. } => self.pick = *pick,
            Event::Play(
                RoundEvent::Dealt { slot, card: Some(_), .. }
                | RoundEvent::Turned { pile: None, slot, .. }
                | RoundEvent::Spun { slot, .. },
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
    pub fn shown(&self, entry: &Entry) -> Result<Vec<Shown>, IndexError> {
        let Some(at) = &entry.at else { return Ok(Vec::new()) };
        let Some(table) = self.table(&at.table)? else { return Ok(Vec::new()) };
        let mut in_use = InUse::before(&table, at.seq)?;
        Ok(entry.events.iter().filter_map(|event| in_use.follow(event)).collect())
    }

    /// Whether an entry of this index below `size` proves all that a shoe showed: by its seed, or sealed, by openings.
    pub fn is_proven(&self, table: &TableId, shoe_no: u64, size: u64) -> Result<bool, IndexError> {
        let Some(table) = self.table(table)? else { return Ok(false) };
        match table.shoe(shoe_no)?.and_then(|shoe| shoe.retired_seq()) {
            Some(retired) => Ok(table.entry(retired)?.is_some_and(|index| index < size)),
            None => Ok(false),
        }
    }
}
