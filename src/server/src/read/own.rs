//! A player's own hidden cards, for that player alone: which they are and the proof that they are the committed ones.
//!
//! What comes from here goes into replies to the player's own token and into their own stream, and nowhere else: it is
//! never stored, logged, counted or put in an error. Implements `spec/games/poker-table.md`, "Who sees what".

use crate::read::archive::Archive;
use crate::read::history::{Excerpt, HistoryError, Placed, index};
use crate::read::index::IndexError;
use fairshoe_api::OwnCards;
use fairshoe_fairness::{Opening, Slot, TableId};
use fairshoe_house::{Actor, OpenRound};

/// Where a player's own cards lie: no secret by itself.
pub struct OwnSlots {
    round_no: u64,
    shoe_no: u64,
    pick: u8,
    slots: Vec<Slot>,
}

impl OwnSlots {
    /// Those that a round dealt to whoever asks: players have cards, nobody else.
    pub fn of(round: &OpenRound, by: &Actor) -> Option<OwnSlots> {
        let Actor::Player(player) = by else { return None };
        let slots = round.game.table_stakes()?.own_slots(player);
        let (round_no, shoe_no, pick) = (round.round_no, round.shoe_no, round.pick);
        (!slots.is_empty()).then_some(OwnSlots { round_no, shoe_no, pick, slots })
    }

    /// The cards there, for the player whose they are. Their round has been read from the durable log, or the reply
    /// waits for it.
    pub fn open(&self, archive: &Archive, table: &TableId) -> Result<Option<OwnCards>, IndexError> {
        let OwnSlots { round_no, shoe_no, pick, slots } = self;
        let Some(shoe) = index(archive).shoe_id(table, *shoe_no)? else { return Ok(None) };
        let openings = archive.dealer.open(&shoe, *pick, slots);
        let cards = openings.iter().filter_map(Opening::card).collect();
        Ok(Some(OwnCards {
            round: OpenRound::id(table, *round_no),
            shoe_no: *shoe_no,
            candidate: *pick,
            cards,
            openings,
        }))
    }
}

/// The cards that this very entry dealt to the player; read for entries that open a round alone.
pub fn dealt_in(archive: &Archive, placed: &Placed, by: &Actor) -> Result<Option<OwnCards>, HistoryError> {
    let Some(table) = placed.entry.command.table() else { return Ok(None) };
    let Some(excerpt) = Excerpt::of_entry(archive, placed)? else { return Ok(None) };
    let state = excerpt.replay()?;
    let own = state.table(table).and_then(|table| OwnSlots::of(table.round.as_ref()?, by));
    Ok(own.map(|own| own.open(archive, table)).transpose()?.flatten())
}

/// Whether an entry's text can deal hidden cards to players: most do not, and need no reading for it.
pub fn may_deal(text: &str) -> bool {
    text.contains("\"round_opened\":") && text.contains("\"dealt\":")
}
