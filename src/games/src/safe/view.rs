//! A game of Safe as everyone may see it: slots of piles, and a face only once it lies face-up (A002.r; openapi.yaml,
//! `SafeView`).

use super::cards::Hand;
use super::round::{SafeRound, Stage};
use super::{OutCause, WonBy};
use crate::Place;
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::Serialize;

/// A card on the table: a slot of a pile, and a face only once it lies face-up (A002.r).
#[derive(Serialize)]
struct CardView {
    pile: u16,
    slot: Slot,
    card: Option<Card>,
}

#[derive(Serialize)]
struct HandView {
    place: Option<Place>,
    cards: Vec<CardView>,
    /// The total of the face-up cards.
    total: u16,
    soft: bool,
}

#[derive(Serialize)]
struct PlayerView {
    seat: u8,
    player: PlayerId,
    alive: bool,
    out: Option<OutCause>,
    hand: Option<HandView>,
    finished: bool,
    change_used: bool,
    face_down: Vec<HandView>,
}

#[derive(Serialize)]
struct WinnerView {
    player: Option<PlayerId>,
    by: WonBy,
}

/// The table as everyone may see it.
#[derive(Serialize)]
pub(super) struct TableView {
    /// The game's word.
    kind: &'static str,
    round: u8,
    pile: u16,
    pile_left: u32,
    shuffling: bool,
    /// The seat whose turn it is.
    turn: Option<u8>,
    players: Vec<PlayerView>,
    /// All face-down hands, oldest first: the order in which they would be opened.
    face_down_order: Vec<Place>,
    shown: Option<CardView>,
    discard: Vec<Card>,
    winner: Option<WinnerView>,
}

impl SafeRound {
    fn hand_view(&self, seat: usize, hand: &Hand) -> HandView {
        let total = hand.total();
        let card = |(slot, card): &(Slot, Option<Card>)| CardView { pile: hand.pile, slot: *slot, card: *card };
        HandView {
            place: self.place(seat, hand.number),
            cards: hand.cards.iter().map(card).collect(),
            total: total.points,
            soft: total.soft,
        }
    }

    pub(super) fn table_view(&self) -> TableView {
        let player = |(index, seat): (usize, &super::round::SafeSeat)| PlayerView {
            seat: seat.spot,
            player: seat.player.clone(),
            alive: seat.is_alive(),
            out: seat.out,
            hand: seat.hand.as_ref().map(|hand| self.hand_view(index, hand)),
            finished: seat.finished,
            change_used: seat.change_used,
            face_down: self
                .face_down
                .iter()
                .filter(|one| one.seat == index)
                .map(|one| self.hand_view(index, &one.hand))
                .collect(),
        };
        TableView {
            kind: "safe",
            round: self.round,
            pile: self.pile.number,
            pile_left: self.pile.left(),
            shuffling: matches!(self.stage, Stage::Emptied | Stage::Collected(_)),
            turn: self.open.as_ref().and_then(|open| self.seats.get(open.seat)).map(|seat| seat.spot),
            players: self.seats.iter().enumerate().map(player).collect(),
            face_down_order: self.face_down.iter().filter_map(|one| self.place(one.seat, one.hand.number)).collect(),
            shown: self.shown.map(|(slot, card)| CardView { pile: self.pile.number, slot, card: Some(card) }),
            discard: self.discard.clone(),
            winner: self
                .winner
                .map(|(seat, by)| WinnerView { player: self.seats.get(seat).map(|one| one.player.clone()), by }),
        }
    }
}
