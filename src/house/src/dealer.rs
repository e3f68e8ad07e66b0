//! Dealers know the faces: the one trait by which a decision learns faces not yet on the log, and the dealer that
//! derives them from seeds (spec/fairness.md). The service's cache of shoes and the auditor's claims are elsewhere.

use crate::Committed;
use fairshoe_fairness::{
    Card, Composition, DrawChain, DrawLink, HouseShoe, Master, Opening, ServerSeed, Slot, TableContext, shoe_commitment,
};
use fairshoe_games::Peek;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A shoe's full name: what its seeds and commitments are bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShoeId {
    /// Log, table, and the epoch it was committed in.
    pub context: TableContext,
    /// Its number at the table.
    pub shoe_no: u64,
    /// The cards that it holds.
    pub composition: Composition,
}

/// The dealer cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DealerError {
    /// The dealer does not have that shoe, candidate or slot.
    #[error("shoe {shoe_no} of {table}: {what} is not known here")]
    Unknown {
        /// The shoe's number at its table.
        shoe_no: u64,
        /// The table's name.
        table: String,
        /// The thing that was asked for.
        what: String,
    },
    /// The dealer does not have a tournament's numbers.
    #[error("the draws of {event}: {what} is not known here")]
    UnknownDraw {
        /// The tournament's name.
        event: String,
        /// The thing that was asked for.
        what: String,
    },
}

impl DealerError {
    /// The error for a number of a draw that this dealer does not know.
    pub fn unknown_draw(event: &TableContext, what: &str) -> Self {
        DealerError::UnknownDraw { event: event.table.to_string(), what: what.to_owned() }
    }
}

/// The one who knows the faces. In the service one that holds the seeds; in the auditor the log's own claims, checked
/// against the seeds when they come out.
pub trait Dealer {
    /// The commitments of each candidate of a new shoe.
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError>;
    /// A face that is being turned up.
    fn card(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError>;
    /// An answer about a face that stays hidden.
    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError>;
    /// The committed value of a wheel's slot whose spin is over.
    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError>;
    /// The proof that a face which was turned up is the committed one: what is left of a shoe that is sealed. A dealer
    /// of games that are not private is never asked.
    fn open(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        let _ = candidate;
        Err(shoe.unknown(format!("the opening of slot {slot}")))
    }
    /// The end of the house's chain of numbers for a tournament's draws. A dealer of a house without tournaments is
    /// never asked.
    fn draw_tip(&self, event: &TableContext) -> Result<DrawLink, DealerError> {
        Err(DealerError::unknown_draw(event, "the end of its chain"))
    }
    /// The house's number of a draw that is being made.
    fn draw_link(&self, event: &TableContext, draw_no: u16) -> Result<DrawLink, DealerError> {
        Err(DealerError::unknown_draw(event, &format!("the number of draw {draw_no}")))
    }
    /// The seed of a candidate that is no longer secret.
    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError>;
}

/// The plain dealer: derives every shoe anew from the master key. The service puts a cache before it.
pub struct SeedDealer {
    master: Master,
}

impl SeedDealer {
    /// A dealer with this key.
    pub fn new(master: Master) -> Self {
        SeedDealer { master }
    }

    /// The seed and the shoe of a candidate.
    pub fn derive(&self, shoe: &ShoeId, candidate: u8) -> (ServerSeed, HouseShoe) {
        let seed = self.master.server_seed(&shoe.context, shoe.shoe_no, candidate);
        let house = HouseShoe::derive(&seed, &shoe.composition);
        (seed, house)
    }

    /// The numbers of a tournament's draws.
    pub fn draw_chain(&self, event: &TableContext) -> DrawChain {
        DrawChain::new(&self.master, event)
    }

    /// The commitment of that candidate.
    pub fn committed(shoe: &ShoeId, candidate: u8, seed: &ServerSeed, house: &HouseShoe) -> Committed {
        Committed { commitment: shoe_commitment(&shoe.context, shoe.shoe_no, candidate, seed), root: house.root() }
    }
}

impl ShoeId {
    /// The error for something this dealer does not know.
    pub fn unknown(&self, what: impl Into<String>) -> DealerError {
        DealerError::Unknown { shoe_no: self.shoe_no, table: self.context.table.to_string(), what: what.into() }
    }
}

impl Dealer for SeedDealer {
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        Ok((0..candidates)
            .map(|candidate| {
                let (seed, house) = self.derive(shoe, candidate);
                Self::committed(shoe, candidate, &seed, &house)
            })
            .collect())
    }

    fn draw_tip(&self, event: &TableContext) -> Result<DrawLink, DealerError> {
        Ok(self.master.draw_tip(event))
    }

    fn draw_link(&self, event: &TableContext, draw_no: u16) -> Result<DrawLink, DealerError> {
        Ok(self.master.draw_link(event, draw_no))
    }

    fn card(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        self.derive(shoe, candidate).1.card(slot).ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        self.card(shoe, candidate, slot).map(|card| question.answer(card))
    }

    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        self.derive(shoe, candidate).1.value(slot).ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn open(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        self.derive(shoe, candidate).1.open(slot).ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        Ok(self.master.server_seed(&shoe.context, shoe.shoe_no, candidate))
    }
}

/// A dealer that is away answers no question.
pub(crate) struct NoDealer;

impl NoDealer {
    fn away<T>(shoe: &ShoeId) -> Result<T, DealerError> {
        Err(shoe.unknown("anything: its dealer is away"))
    }
}

impl Dealer for NoDealer {
    fn commit(&self, shoe: &ShoeId, _: u8) -> Result<Vec<Committed>, DealerError> {
        NoDealer::away(shoe)
    }

    fn card(&self, shoe: &ShoeId, _: u8, _: Slot) -> Result<Card, DealerError> {
        NoDealer::away(shoe)
    }

    fn peek(&self, shoe: &ShoeId, _: u8, _: Slot, _: Peek) -> Result<bool, DealerError> {
        NoDealer::away(shoe)
    }

    fn wheel_value(&self, shoe: &ShoeId, _: u8, _: Slot) -> Result<u8, DealerError> {
        NoDealer::away(shoe)
    }

    fn seed(&self, shoe: &ShoeId, _: u8) -> Result<ServerSeed, DealerError> {
        NoDealer::away(shoe)
    }
}
