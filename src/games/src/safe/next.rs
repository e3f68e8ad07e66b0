//! The next automatic event in a game of Safe (spec/games/safe.md, "What comes next"). This file reads the state and
//! does not change it.

use super::choice::Question;
use super::round::{Draw, SafeRound, Stage, TurnedBy};
use super::{DiscardCause, OpeningCause, OutCause, SafeEvent, WonBy};
use crate::{Chips, Dealing, Outcome, Place, RoundEvent, Settlement, StepError, Wager};

/// The names of the places that are not hands.
pub(super) const SHOWN: &str = "shown";
pub(super) const DISCARD: &str = "discard";

/// The next event; the checks run in the order of spec/games/safe.md, "What comes next".
impl SafeRound {
    pub(super) fn what_comes_next(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.paid || self.open.is_some() {
            return Ok(None);
        }
        if let Some((winner, _)) = self.winner {
            return self.pay(winner).map(Some);
        }
        if let Some(event) = self.turn_and_discard(dealing)? {
            return Ok(Some(event));
        }
        if let Some((seat, number)) = self.made_21 {
            return Ok(self.offer(dealing, Question::MadeHighScore, seat, number));
        }
        let bust = self.alive().find(|seat| self.hand(*seat).is_some_and(|hand| hand.is_bust()));
        if let Some(event) = bust.and_then(|seat| self.out(seat, OutCause::Bust)) {
            return Ok(Some(event));
        }
        if let Some(event) = self.absent.and_then(|seat| self.out(seat, OutCause::Absent)) {
            return Ok(Some(event));
        }
        if let Some(event) = self.find_winner() {
            return Ok(Some(event));
        }
        if self.opening_until_free && !self.has_free_player() {
            return Ok(self.open_oldest(OpeningCause::NoFreePlayer));
        }
        match self.stage {
            Stage::Playing => self.play_on(dealing),
            Stage::Emptied => Ok(self.collect()),
            Stage::Collected(_) => Ok(None),
            Stage::Shuffled => Ok(self.advance()),
        }
    }

    /// A face-down hand that is being turned up, then the hands that a disqualified player leaves behind (R002.7,
    /// R002.19, A002.d).
    fn turn_and_discard(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if let Some(turning) = self.turning {
            let Some(one) =
                self.face_down.iter().find(|one| (one.seat, one.hand.number) == (turning.seat, turning.number))
            else {
                return Ok(None);
            };
            if let Some(event) = self.turn_up(dealing, one.hand.pile, one.hand.hidden())? {
                return Ok(Some(event));
            }
            return Ok(match turning.by {
                TurnedBy::Discard => self.discarded(turning.seat, turning.number, DiscardCause::Chosen),
                _ if one.hand.is_bust() => self.out(turning.seat, OutCause::FaceDown),
                _ => self.discarded(turning.seat, turning.number, DiscardCause::Opened),
            });
        }
        for (index, seat) in self.seats.iter().enumerate().filter(|(_, seat)| !seat.is_alive()) {
            if let Some(hand) = &seat.hand {
                return Ok(self.discarded(index, hand.number, DiscardCause::Out));
            }
            if let Some(one) = self.face_down_at(index, None) {
                let turned = self.turn_up(dealing, one.hand.pile, one.hand.hidden())?;
                return Ok(turned.or_else(|| self.discarded(index, one.hand.number, DiscardCause::Out)));
            }
        }
        Ok(None)
    }

    fn turn_up(
        &self,
        dealing: &dyn Dealing,
        pile: u16,
        hidden: Option<fairshoe_fairness::Slot>,
    ) -> Result<Option<RoundEvent>, StepError> {
        let Some(slot) = hidden else { return Ok(None) };
        Ok(Some(match pile == self.pile.number {
            true => RoundEvent::Turned { pile: None, slot, card: dealing.card(slot)? },
            false => RoundEvent::Turned { pile: Some(pile), slot, card: dealing.earlier_card(pile, slot)? },
        }))
    }

    /// At most one player is alive: R002.16, A002.h, A002.i.
    fn find_winner(&self) -> Option<RoundEvent> {
        let mut alive = self.alive();
        match (alive.next(), alive.next()) {
            (Some(_), Some(_)) => None,
            (Some(last), None) if self.is_holder(last) => self.open_oldest(OpeningCause::LastPlayer),
            (Some(last), None) if self.opening_last => self.won(last, WonBy::Survived),
            (Some(last), None) => self.won(last, WonBy::LastAlive),
            (None, _) => match (self.last_free_out, self.last_out) {
                (Some(free), _) => self.won(free, WonBy::LastFreePlayer),
                (None, opened) => self.won(opened?, WonBy::LastOpened),
            },
        }
    }

    fn play_on(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let turn = self.current_turn();
        if let (Some(_), Some(turn)) = (self.shown, turn) {
            return Ok(self.offer(dealing, Question::Shown, turn.seat, self.round));
        }
        if let (Some(draw), Some(turn)) = (self.draw, turn) {
            return self.draw(dealing, draw, turn.seat);
        }
        if self.pile.left() == 0 {
            return Ok(Some(RoundEvent::Safe(SafeEvent::PileEmpty { pile: self.pile.number })));
        }
        // One card each in turn order, twice (A002.u); no player can be disqualified in between.
        let players: Vec<usize> = self.alive().collect();
        if self.dealt < 2 * players.len() {
            let to = self.dealt.checked_rem(players.len()).and_then(|n| players.get(n));
            return to.map_or(Ok(None), |seat| self.draw(dealing, Draw::Hand, *seat));
        }
        if self.opening_until_free {
            return Ok(self.end_round());
        }
        match turn {
            Some(turn) if turn.face_down => Ok(self.offer(dealing, Question::AfterFaceDown, turn.seat, self.round)),
            Some(turn) => Ok(self.offer(dealing, Question::Turn, turn.seat, self.round)),
            None => Ok(match self.next_in_turn() {
                Some(seat) => self.offer(dealing, Question::Turn, seat, self.round),
                None if self.has_free_player() => self.end_round(),
                None => self.open_oldest(OpeningCause::NoFreePlayer),
            }),
        }
    }

    fn draw(&self, dealing: &dyn Dealing, draw: Draw, seat: usize) -> Result<Option<RoundEvent>, StepError> {
        let to = match draw {
            Draw::Hand | Draw::FaceDown => self.place(seat, self.round),
            Draw::Shown => Place::spot(SHOWN),
            Draw::Refused => Place::spot(DISCARD),
        };
        let slot = dealing.next_slot(0).ok_or(StepError::ShoeExhausted)?;
        let card = if draw == Draw::FaceDown { None } else { Some(dealing.card(slot)?) };
        Ok(to.map(|to| RoundEvent::Dealt { lane: 0, slot, to, card }))
    }

    /// The hands of the players who go on are discarded, then they go on (R002.7, R002.14, A002.f, A002.j).
    fn end_round(&self) -> Option<RoundEvent> {
        let left = self.alive().find_map(|seat| self.hand(seat).map(|hand| (seat, hand.number)));
        match left {
            Some((seat, number)) => self.discarded(seat, number, DiscardCause::Advanced),
            None if self.round >= self.rules.last_round => self.end_last_round(),
            None => self.advance(),
        }
    }

    fn end_last_round(&self) -> Option<RoundEvent> {
        match self.face_down.is_empty() {
            false => self.open_oldest(OpeningCause::LastRound),
            true => self.alive().next().and_then(|first| self.won(first, WonBy::LastRound)),
        }
    }

    /// From an empty pile to the list of the next one's cards (A002.m, A002.n).
    fn collect(&self) -> Option<RoundEvent> {
        if self.round >= self.rules.last_round {
            return self.end_last_round();
        }
        if self.discard.len() <= 2 * self.alive_count() {
            return self.open_oldest(OpeningCause::PileShort);
        }
        let mut cards = self.discard.clone();
        cards.sort();
        Some(RoundEvent::Safe(SafeEvent::Collected { pile: self.pile.number.checked_add(1)?, cards }))
    }

    fn advance(&self) -> Option<RoundEvent> {
        let players = self.alive().filter_map(|seat| self.seats.get(seat)).map(|seat| seat.player.clone()).collect();
        Some(RoundEvent::Safe(SafeEvent::Advanced { round: self.round.checked_add(1)?, players }))
    }

    fn open_oldest(&self, why: OpeningCause) -> Option<RoundEvent> {
        let oldest = self.face_down.first()?;
        let player = self.seats.get(oldest.seat)?.player.clone();
        Some(RoundEvent::Safe(SafeEvent::Opening { player, place: self.place(oldest.seat, oldest.hand.number)?, why }))
    }

    fn discarded(&self, seat: usize, number: u8, why: DiscardCause) -> Option<RoundEvent> {
        let owner = self.seats.get(seat)?;
        let face_down =
            self.face_down.iter().find(|one| (one.seat, one.hand.number) == (seat, number)).map(|one| &one.hand);
        let hand = owner.hand.as_ref().filter(|hand| hand.number == number).or(face_down)?;
        let (player, place, cards) = (owner.player.clone(), self.place(seat, number)?, hand.faces().collect());
        Some(RoundEvent::Safe(SafeEvent::Discarded { player, place, cards, why }))
    }

    fn out(&self, seat: usize, cause: OutCause) -> Option<RoundEvent> {
        let player = self.seats.get(seat)?.player.clone();
        Some(RoundEvent::Safe(SafeEvent::Out { player, cause, holder: self.is_holder(seat) }))
    }

    fn won(&self, seat: usize, by: WonBy) -> Option<RoundEvent> {
        let player = self.seats.get(seat)?.player.clone();
        Some(RoundEvent::Safe(SafeEvent::Won { player, by }))
    }

    fn offer(&self, dealing: &dyn Dealing, question: Question, seat: usize, number: u8) -> Option<RoundEvent> {
        Some(RoundEvent::Offered {
            decision: self.next_decision,
            player: self.seats.get(seat)?.player.clone(),
            place: self.place(seat, number)?,
            options: self.offers(question, seat),
            deadline: dealing.deadline(),
            bank_from: None,
            extra_ms: 0,
        })
    }

    /// All entries to the winner (A002.w).
    fn pay(&self, winner: usize) -> Result<RoundEvent, StepError> {
        let pot = Chips::sum(self.seats.iter().map(|seat| seat.entry)).ok_or(StepError::Overflow)?;
        let lines = self.seats.iter().enumerate().map(|(index, seat)| Settlement {
            player: seat.player.clone(),
            place: Place::Hand { spot: seat.spot, hand: 1 },
            wager: Wager::Entry,
            outcome: if index == winner { Outcome::Win } else { Outcome::Loss },
            stake: seat.entry,
            returned: if index == winner { pot } else { Chips::ZERO },
        });
        Ok(RoundEvent::Paid { lines: lines.collect() })
    }
}
