//! The state of a game of Safe, from the first deal to the winner, over all its rounds and piles (spec/games/safe.md).
//! `next.rs`, `choice.rs` and `fold.rs` move it.

use super::cards::{CardSet, Hand, Pile};
use super::choice::Question;
use super::{OutCause, SafeRules, WonBy};
use crate::{
    Action, Ahead, BetRefusal, Chips, Dealing, Decision, Illegal, Inapplicable, NewPile, Offer, Place, Round,
    RoundEvent, SavedRound, StepError,
};
use fairshoe_fairness::{Card, Composition, PlayerId, Slot};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A player at their seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SafeSeat {
    pub spot: u8,
    pub player: PlayerId,
    pub entry: Chips,
    /// The reason why they are out; `None` while they are alive (R002.3).
    pub out: Option<OutCause>,
    /// The hand of this round; `None` once it went face-down or to the discards.
    pub hand: Option<Hand>,
    /// No more turns this round: stood, 21, or face-down (A002.b).
    pub finished: bool,
    /// The right to Change and Hit-change is used (R002.10, R002.11).
    pub change_used: bool,
}

impl SafeSeat {
    pub fn is_alive(&self) -> bool {
        self.out.is_none()
    }
}

/// A hand with a face-down card on the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaceDownHand {
    pub seat: usize,
    pub hand: Hand,
}

/// The turn that is being played, or the last one that was.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    pub seat: usize,
    pub over: bool,
    /// At least one operation was taken in it (R002.12).
    pub acted: bool,
    /// The last of them was a Change or Hit-change (A002.b).
    pub changed: bool,
    /// The hand went face-down: only Open is left (A002.v).
    pub face_down: bool,
}

/// The destination of an operation's card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Draw {
    /// Into the hand, face-up.
    Hand,
    /// Beside it, until it is accepted or refused.
    Shown,
    /// Refused before it was drawn.
    Refused,
    /// Into the hand, face-down.
    FaceDown,
}

/// Why a face-down hand is turned up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TurnedBy {
    /// Its owner opens it on their turn (R002.17).
    Owner,
    /// A rule opens it.
    Rule,
    /// Its owner gives it up (R002.18).
    Discard,
}

/// The face-down hand that is being turned up.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turning {
    pub seat: usize,
    pub number: u8,
    pub by: TurnedBy,
}

/// The step between one pile and the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The pile is in use.
    Playing,
    /// It is used up, and the hands are collected.
    Emptied,
    /// These cards wait to be shuffled.
    Collected(Vec<Card>),
    /// They are the new pile; the next round has not begun.
    Shuffled,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenDecision {
    pub decision: Decision,
    pub question: Question,
    pub seat: usize,
}

/// A game of Safe: the fold of its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SafeRound {
    pub(super) rules: SafeRules,
    /// In turn order (R002.3).
    pub(super) seats: Vec<SafeSeat>,
    /// The round of the game, from 1.
    pub(super) round: u8,
    pub(super) stage: Stage,
    pub(super) pile: Pile,
    /// For each pile, its cards that have not been seen since.
    pub(super) unseen: Vec<CardSet>,
    /// Oldest first.
    pub(super) face_down: Vec<FaceDownHand>,
    pub(super) discard: Vec<Card>,
    pub(super) shown: Option<(Slot, Card)>,
    /// Cards of this round's deal.
    pub(super) dealt: usize,
    pub(super) turn: Option<Turn>,
    pub(super) draw: Option<Draw>,
    pub(super) turning: Option<Turning>,
    /// A hand became 21, and its owner may give up a face-down hand (R002.18): seat and hand.
    pub(super) made_21: Option<(usize, u8)>,
    /// R002.15 fired in this round: a disqualification left no free player (A002.j).
    pub(super) opening_until_free: bool,
    /// R002.16 applies now.
    pub(super) opening_last: bool,
    /// Named by the house as missing from a shuffle, and not yet out.
    pub(super) absent: Option<usize>,
    /// The last player disqualified without face-down hands (R002.16).
    pub(super) last_free_out: Option<usize>,
    pub(super) last_out: Option<usize>,
    pub(super) winner: Option<(usize, WonBy)>,
    pub(super) paid: bool,
    pub(super) open: Option<OpenDecision>,
    pub(super) next_decision: u32,
}

impl SafeRound {
    /// A game before its first card: (seat number, player, entry) of each. The entries were checked when they were
    /// placed.
    pub fn new(rules: SafeRules, entries: Vec<(u8, PlayerId, Chips)>) -> Result<Self, BetRefusal> {
        let seat = |(spot, player, entry)| SafeSeat {
            spot,
            player,
            entry,
            out: None,
            hand: None,
            finished: false,
            change_used: false,
        };
        let mut seats: Vec<SafeSeat> = entries.into_iter().map(seat).collect();
        seats.sort_by_key(|seat| seat.spot);
        if let Some(pair) = seats.windows(2).find(|pair| pair.first().map(|s| s.spot) == pair.last().map(|s| s.spot)) {
            let spot = pair.first().map(|s| s.spot.to_string()).unwrap_or_default();
            return Err(BetRefusal::SpotTaken { spot, own: None });
        }
        Ok(SafeRound {
            rules,
            seats,
            round: 1,
            stage: Stage::Playing,
            pile: Pile::new(0, u16::from(Card::COUNT)),
            unseen: vec![CardSet::PACK],
            face_down: Vec::new(),
            discard: Vec::new(),
            shown: None,
            dealt: 0,
            turn: None,
            draw: None,
            turning: None,
            made_21: None,
            opening_until_free: false,
            opening_last: false,
            absent: None,
            last_free_out: None,
            last_out: None,
            winner: None,
            paid: false,
            open: None,
            next_decision: 0,
        })
    }

    /// Indices of the alive players, in turn order.
    pub(super) fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        self.seats.iter().enumerate().filter(|(_, seat)| seat.is_alive()).map(|(index, _)| index)
    }

    pub(super) fn alive_count(&self) -> usize {
        self.alive().count()
    }

    /// Whether they have a face-down hand on the table.
    pub(super) fn is_holder(&self, seat: usize) -> bool {
        self.face_down.iter().any(|one| one.seat == seat)
    }

    /// Whether an alive player has no face-down hand.
    pub(super) fn has_free_player(&self) -> bool {
        self.alive().any(|seat| !self.is_holder(seat))
    }

    pub(super) fn place(&self, seat: usize, number: u8) -> Option<Place> {
        self.seats.get(seat).map(|owner| Place::Hand { spot: owner.spot, hand: number })
    }

    /// The face-down hand at a place, if it belongs to this player; without a place, their oldest.
    pub(super) fn face_down_at(&self, seat: usize, place: Option<Place>) -> Option<&FaceDownHand> {
        let fits = |one: &&FaceDownHand| {
            one.seat == seat && place.is_none_or(|at| self.place(seat, one.hand.number) == Some(at))
        };
        self.face_down.iter().find(fits)
    }

    /// The hand that a seat plays this round.
    pub(super) fn hand(&self, seat: usize) -> Option<&Hand> {
        self.seats.get(seat).and_then(|owner| owner.hand.as_ref())
    }

    /// The turn in progress. It also ends by itself, when no hand is left to open after a Face-down (A002.v).
    pub(super) fn current_turn(&self) -> Option<Turn> {
        self.turn.filter(|turn| !turn.over && (!turn.face_down || self.is_holder(turn.seat)))
    }

    /// The next player to have a turn (A002.b, A002.q).
    pub(super) fn next_in_turn(&self) -> Option<usize> {
        let start = self.turn.map_or(0, |turn| turn.seat + 1);
        let waits = |seat: &usize| self.seats.get(*seat).is_some_and(|s| s.is_alive() && !s.finished);
        (start..self.seats.len()).chain(0..start).find(waits)
    }
}

impl Round for SafeRound {
    fn boxed_clone(&self) -> Box<dyn Round> {
        Box::new(self.clone())
    }

    fn saved(&self) -> SavedRound<'_> {
        self.into()
    }

    fn lanes(&self) -> u16 {
        1
    }

    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        self.what_comes_next(dealing)
    }

    fn accept(&self, player: &PlayerId, decision: u32, action: &Action, _funds: Chips) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        if open.decision.player != *player {
            return Err(Illegal::NotYours { decision });
        }
        self.judge(open, action)?;
        Ok(RoundEvent::Acted {
            decision,
            player: player.clone(),
            action: action.clone(),
            cost: Chips::ZERO,
            default: false,
        })
    }

    fn default_play(&self, decision: u32) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        let action = self.default_choice(open.question, open.seat);
        Ok(RoundEvent::Acted {
            decision,
            player: open.decision.player.clone(),
            action,
            cost: Chips::ZERO,
            default: true,
        })
    }

    fn apply(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        self.fold(event)
    }

    fn open_decisions(&self) -> Vec<Decision> {
        self.open.iter().map(|open| open.decision.clone()).collect()
    }

    fn options(&self, decision: u32, _funds: Chips) -> Vec<Offer> {
        self.open_decision(decision).map(|open| self.offers(open.question, open.seat)).unwrap_or_default()
    }

    fn needs_pile(&self) -> Option<NewPile> {
        let Stage::Collected(cards) = &self.stage else { return None };
        let mut players: Vec<PlayerId> =
            self.alive().filter_map(|seat| self.seats.get(seat)).map(|seat| seat.player.clone()).collect();
        players.sort();
        Some(NewPile {
            pile: self.pile.number.checked_add(1)?,
            composition: Composition::Cards(cards.clone()),
            players,
        })
    }

    fn may_come(&self, pile: u16, card: Card) -> Option<bool> {
        match (self.unseen.get(usize::from(pile)), &self.stage) {
            (Some(unseen), _) => Some(unseen.contains(card)),
            (None, Stage::Collected(cards)) => Some(cards.contains(&card)),
            (None, _) => None,
        }
    }

    fn is_settled(&self) -> bool {
        self.paid
    }

    fn pending_stakes(&self) -> Vec<(PlayerId, Chips)> {
        let staked = |seat: &SafeSeat| if self.paid { Chips::ZERO } else { seat.entry };
        self.seats.iter().map(|seat| (seat.player.clone(), staked(seat))).collect()
    }

    /// The house is no party to the pot, so it is never ahead, and neither are the players as a whole (C22).
    fn ahead(&self) -> Ahead {
        let untouched = self.pile.number == 0 && self.pile.left() == u32::from(Card::COUNT);
        if untouched { Ahead::Nobody } else { Ahead::Level }
    }

    fn view_json(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(&self.table_view()).unwrap_or_default()
    }
}
