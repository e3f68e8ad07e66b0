//! A hand of poker as everyone may see it: chips, the board, and a hole card's face only once it lies open
//! (openapi.yaml, `PokerView`).

use crate::Chips;
use crate::poker::round::{Holder, PokerRound};
use crate::poker::{BettingSeat, PokerEvent, Positions, Step, Street};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::Serialize;

/// A card of the table: its slot, and its face once it lies open.
#[derive(Serialize)]
struct CardView {
    slot: Slot,
    card: Option<Card>,
}

#[derive(Serialize)]
struct SeatView {
    seat: u8,
    player: PlayerId,
    /// Chips at the hand's start.
    started_with: Chips,
    /// Chips left.
    stack: Chips,
    /// Live chips of this street.
    bet: Chips,
    /// Everything put in.
    put_in: Chips,
    folded: bool,
    all_in: bool,
    hole: Vec<CardView>,
}

/// The hand as everyone may see it.
#[derive(Serialize)]
pub(super) struct TableView {
    /// The game's word.
    kind: &'static str,
    positions: Positions,
    street: Street,
    pot: Chips,
    /// The bet to match on this street.
    level: Chips,
    board: Vec<CardView>,
    burnt: Vec<Slot>,
    /// The seat whose turn it is.
    turn: Option<u8>,
    showdown: bool,
    /// From the left of the button.
    seats: Vec<SeatView>,
    result: Option<PokerEvent>,
}

impl PokerRound {
    pub(super) fn table_view(&self) -> TableView {
        let seat = |(holder, chips): (&Holder, &BettingSeat)| SeatView {
            seat: holder.seat,
            player: holder.player.clone(),
            started_with: holder.stack,
            stack: chips.stack,
            bet: chips.bet,
            put_in: chips.put_in(),
            folded: chips.folded,
            all_in: !chips.folded && chips.stack == Chips::ZERO,
            hole: holder
                .hole
                .iter()
                .enumerate()
                .map(|(n, slot)| CardView { slot: *slot, card: holder.faces.get(n).copied() })
                .collect(),
        };
        TableView {
            kind: "poker",
            positions: self.positions,
            street: self.betting.street(),
            pot: self.pot(),
            level: self.betting.level(),
            board: self.board.iter().map(|(slot, card)| CardView { slot: *slot, card: Some(*card) }).collect(),
            burnt: self.burnt.clone(),
            turn: self.open.as_ref().and_then(|open| self.holders.get(open.index)).map(|holder| holder.seat),
            showdown: matches!(self.betting.step(), Step::Showdown { .. }),
            seats: self.holders.iter().zip(self.betting.seats()).map(seat).collect(),
            result: self.result.clone(),
        }
    }
}
