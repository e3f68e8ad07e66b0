//! How each event changes a game of Safe, and why an event that does not fit is refused. `next.rs` decides which event
//! comes next.

use super::cards::{CardSet, Hand, Pile};
use super::choice::Question;
use super::next::SHOWN;
use super::round::{Draw, FaceDownHand, OpenDecision, SafeRound, Stage, Turn, TurnedBy, Turning};
use super::{HitChange, OpeningCause, OutCause, SafeEvent};
use crate::claims::admit;
use crate::{Action, Decision, Inapplicable, Place, RoundEvent};
use fairshoe_fairness::{Card, PlayerId, Slot};

fn nothing_such() -> Inapplicable {
    Inapplicable("the table has no such player, hand or turn".into())
}

/// The fold: all refusals first, then all mutation, so that a refused event changes nothing.
impl SafeRound {
    pub(super) fn fold(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        match event {
            RoundEvent::Shuffled { pile } => return self.fold_shuffled(*pile),
            RoundEvent::Absent { player } => return self.fold_absent(player),
            _ => admit(self, event)?,
        }
        self.fits_the_pack(event)?;
        match event {
            RoundEvent::Dealt { slot, to, card, .. } => self.fold_dealt(*slot, *to, *card),
            RoundEvent::Turned { pile, slot, card } => self.fold_turned(pile.unwrap_or(self.pile.number), *slot, *card),
            RoundEvent::Offered { decision, player, place, deadline, .. } => {
                self.fold_offered(*decision, player, *place, *deadline)
            }
            RoundEvent::Acted { action, .. } => self.fold_choice(action),
            RoundEvent::Paid { .. } => {
                self.paid = true;
                Ok(())
            }
            RoundEvent::Safe(event) => self.fold_safe(event),
            _ => Err(Inapplicable(format!("`{}` is no event of Safe", event.word()))),
        }
    }

    /// A slot is drawn once from its pile; a face appears once in the pile that was made of it.
    fn fits_the_pack(&self, event: &RoundEvent) -> Result<(), Inapplicable> {
        let (pile, face) = match event {
            RoundEvent::Dealt { slot, .. } if !self.pile.holds(*slot) => {
                return Err(Inapplicable(format!("slot {slot} is not in pile {}", self.pile.number)));
            }
            RoundEvent::Dealt { card: Some(card), .. } => (self.pile.number, *card),
            RoundEvent::Turned { pile, card, .. } => (pile.unwrap_or(self.pile.number), *card),
            _ => return Ok(()),
        };
        match self.unseen.get(usize::from(pile)).is_some_and(|cards| cards.contains(face)) {
            true => Ok(()),
            false => Err(Inapplicable(format!("{face} is not among the cards of pile {pile} that are still unseen"))),
        }
    }

    fn saw(&mut self, pile: u16, card: Card) {
        if let Some(cards) = self.unseen.get_mut(usize::from(pile)) {
            cards.remove(card);
        }
    }

    fn seat_at(&self, place: Place) -> Result<usize, Inapplicable> {
        let Place::Hand { spot, .. } = place else { return Err(nothing_such()) };
        self.seats.iter().position(|seat| seat.spot == spot).ok_or_else(nothing_such)
    }

    fn seat_of(&self, player: &PlayerId) -> Result<usize, Inapplicable> {
        self.seats.iter().position(|seat| seat.player == *player).ok_or_else(nothing_such)
    }

    fn fold_dealt(&mut self, slot: Slot, to: Place, card: Option<Card>) -> Result<(), Inapplicable> {
        let number = self.pile.number;
        match (to, card) {
            (Place::Hand { .. }, card) => {
                let index = self.seat_at(to)?;
                let (round, deals) = (self.round, self.draw.is_none());
                let seat = self.seats.get_mut(index).ok_or_else(nothing_such)?;
                let hand = seat.hand.get_or_insert(Hand { number: round, pile: number, cards: Vec::with_capacity(4) });
                hand.cards.push((slot, card));
                self.dealt += usize::from(deals);
                self.draw = None;
                match card {
                    Some(card) => self.saw(number, card),
                    None => self.place_face_down(index),
                }
                self.lock_high_score(index);
            }
            (Place::Spot(name), Some(card)) => {
                self.saw(number, card);
                if name.as_str() == SHOWN {
                    self.shown = Some((slot, card));
                    self.draw = None;
                } else {
                    self.discard.push(card);
                }
            }
            _ => return Err(nothing_such()),
        }
        self.pile.draw(slot);
        if matches!(to, Place::Spot(_)) && self.shown.is_none() {
            self.draw_after_refusal();
        }
        Ok(())
    }

    /// The second draw of a Hit-change, unless the refused card was the pile's last (A002.l).
    fn draw_after_refusal(&mut self) {
        self.draw = (self.pile.left() > 0).then_some(Draw::Hand);
    }

    /// The hand is closed; it is the youngest of the face-down hands (R002.13).
    fn place_face_down(&mut self, index: usize) {
        let hand = self.seats.get_mut(index).and_then(|seat| {
            seat.finished = true;
            seat.hand.take()
        });
        self.face_down.extend(hand.map(|hand| FaceDownHand { seat: index, hand }));
        if let Some(turn) = &mut self.turn {
            turn.face_down = true;
        }
    }

    /// A hand of 21 is finished and ends its turn; its owner may give up a face-down hand (R002.6, R002.18, A002.c,
    /// A002.e).
    fn lock_high_score(&mut self, index: usize) {
        let Some(hand) = self.hand(index).filter(|hand| hand.is_high_score()) else { return };
        self.made_21 = Some((index, hand.number)).filter(|_| self.is_holder(index));
        if let Some(seat) = self.seats.get_mut(index) {
            seat.finished = true;
        }
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.seat == index && !turn.face_down) {
            turn.over = true;
        }
    }

    fn fold_turned(&mut self, pile: u16, slot: Slot, card: Card) -> Result<(), Inapplicable> {
        let at = self
            .face_down
            .iter()
            .position(|one| one.hand.pile == pile && one.hand.hidden() == Some(slot))
            .ok_or_else(nothing_such)?;
        let one = self.face_down.get_mut(at).ok_or_else(nothing_such)?;
        for (_, face) in one.hand.cards.iter_mut().filter(|(at, _)| *at == slot) {
            *face = Some(card);
        }
        // Opened on the turn that laid it, a safe hand is a stood one and stays (A002.v).
        let by_owner = self.turning.is_some_and(|turning| turning.by == TurnedBy::Owner);
        let stays = by_owner && one.hand.number == self.round && one.hand.is_safe();
        self.saw(pile, card);
        if stays {
            let FaceDownHand { seat, hand } = self.face_down.remove(at);
            self.turning = None;
            if let Some(owner) = self.seats.get_mut(seat) {
                owner.hand = Some(hand);
            }
            self.lock_high_score(seat);
        }
        Ok(())
    }

    fn fold_offered(
        &mut self,
        decision: u32,
        player: &PlayerId,
        place: Place,
        deadline: u64,
    ) -> Result<(), Inapplicable> {
        let seat = self.seat_at(place)?;
        let next = decision.checked_add(1).ok_or_else(|| Inapplicable("too many decisions".into()))?;
        let question = match self.current_turn() {
            _ if self.made_21.is_some() => Question::MadeHighScore,
            _ if self.shown.is_some() => Question::Shown,
            Some(turn) if turn.face_down => Question::AfterFaceDown,
            Some(_) => Question::Turn,
            None => {
                self.turn = Some(Turn { seat, over: false, acted: false, changed: false, face_down: false });
                Question::Turn
            }
        };
        self.made_21 = None;
        self.next_decision = next;
        self.open = Some(OpenDecision {
            decision: Decision { number: decision, player: player.clone(), place, deadline },
            question,
            seat,
        });
        Ok(())
    }

    fn fold_choice(&mut self, action: &Action) -> Result<(), Inapplicable> {
        let Some(open) = &self.open else { return Err(nothing_such()) };
        let (question, index) = (open.question, open.seat);
        let turning = |this: &Self, hand: &Option<Place>, by| {
            let one = this.face_down_at(index, *hand).ok_or_else(nothing_such)?;
            Ok(Some(Turning { seat: index, number: one.hand.number, by }))
        };
        match action {
            Action::Open { hand } => self.turning = turning(self, hand, TurnedBy::Owner)?,
            Action::Discard { hand } => self.turning = turning(self, hand, TurnedBy::Discard)?,
            Action::Pass if question == Question::MadeHighScore => {}
            operation => self.fold_operation(index, operation)?,
        }
        self.open = None;
        Ok(())
    }

    fn fold_operation(&mut self, index: usize, operation: &Action) -> Result<(), Inapplicable> {
        let seen = self.rules.hit_change == HitChange::Seen;
        let (Some(turn), Some(seat)) = (self.turn.as_mut(), self.seats.get_mut(index)) else {
            return Err(nothing_such());
        };
        match operation {
            Action::Stand => {
                seat.finished = true;
                turn.over = true;
            }
            Action::Pass => turn.over = true,
            Action::Hit => {
                (turn.acted, turn.changed) = (true, false);
                self.draw = Some(if seen && !seat.change_used { Draw::Shown } else { Draw::Hand });
            }
            Action::FaceDown => {
                turn.acted = true;
                self.draw = Some(Draw::FaceDown);
            }
            Action::Change { card } => {
                let hand = seat.hand.as_mut().ok_or_else(nothing_such)?;
                let at = hand.cards.iter().position(|(_, face)| *face == Some(*card)).ok_or_else(nothing_such)?;
                hand.cards.remove(at);
                self.discard.push(*card);
                seat.change_used = true;
                (turn.acted, turn.changed) = (true, true);
                self.draw = Some(Draw::Hand);
            }
            Action::Accept => {
                let hand = seat.hand.as_mut().ok_or_else(nothing_such)?;
                let (slot, card) = self.shown.take().ok_or_else(nothing_such)?;
                hand.cards.push((slot, Some(card)));
                self.lock_high_score(index);
            }
            Action::Reject => {
                seat.change_used = true;
                (turn.acted, turn.changed) = (true, true);
                match self.shown.take() {
                    Some((_, card)) => {
                        self.discard.push(card);
                        self.draw_after_refusal();
                    }
                    None => self.draw = Some(Draw::Refused),
                }
            }
            other => return Err(Inapplicable(format!("`{other}` is no choice in Safe"))),
        }
        Ok(())
    }

    fn fold_safe(&mut self, event: &SafeEvent) -> Result<(), Inapplicable> {
        match event {
            SafeEvent::Opening { place: place @ Place::Hand { hand, .. }, why, .. } => {
                self.turning = Some(Turning { seat: self.seat_at(*place)?, number: *hand, by: TurnedBy::Rule });
                self.opening_last |= *why == OpeningCause::LastPlayer;
            }
            SafeEvent::Discarded { place: place @ Place::Hand { hand, .. }, .. } => {
                let seat = self.seat_at(*place)?;
                self.fold_discarded(seat, *hand);
            }
            SafeEvent::Opening { .. } | SafeEvent::Discarded { .. } => return Err(nothing_such()),
            SafeEvent::Out { player, cause, holder } => {
                let seat = self.seat_of(player)?;
                self.fold_out(seat, *cause, *holder);
            }
            SafeEvent::PileEmpty { .. } => {
                let hands = self.seats.iter_mut().filter_map(|seat| seat.hand.take());
                self.discard.extend(hands.flat_map(|hand| hand.cards).filter_map(|(_, card)| card));
                self.stage = Stage::Emptied;
            }
            SafeEvent::Collected { cards, .. } => self.stage = Stage::Collected(cards.clone()),
            SafeEvent::Advanced { round, .. } => self.begin_round(*round),
            SafeEvent::Won { player, by } => self.winner = Some((self.seat_of(player)?, *by)),
        }
        Ok(())
    }

    fn fold_discarded(&mut self, seat: usize, number: u8) {
        let current = self.seats.get_mut(seat).and_then(|owner| owner.hand.take_if(|hand| hand.number == number));
        let hand = match self.face_down.iter().position(|one| (one.seat, one.hand.number) == (seat, number)) {
            Some(at) if current.is_none() => Some(self.face_down.remove(at).hand),
            _ => current,
        };
        let Some(hand) = hand else { return };
        self.discard.extend(hand.faces());
        // An opened hand of 21 lets its owner give up another one (A002.e).
        if self.turning.take().is_some_and(|turning| turning.by != TurnedBy::Discard)
            && hand.is_high_score()
            && self.is_holder(seat)
        {
            self.made_21 = Some((seat, number));
        }
    }

    fn fold_out(&mut self, seat: usize, cause: OutCause, holder: bool) {
        if let Some(owner) = self.seats.get_mut(seat) {
            owner.out = Some(cause);
        }
        (self.turning, self.draw, self.absent) = (None, None, None);
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.seat == seat) {
            turn.over = true;
        }
        self.last_out = Some(seat);
        if !holder {
            self.last_free_out = Some(seat);
            // It is the disqualification of the last player without face-down hands that fires R002.15 (A002.j).
            self.opening_until_free |= self.alive_count() > 1 && !self.has_free_player();
        }
    }

    fn begin_round(&mut self, round: u8) {
        for seat in &mut self.seats {
            (seat.finished, seat.change_used) = (false, false);
        }
        (self.round, self.dealt, self.turn) = (round, 0, None);
        self.opening_until_free = false;
        self.stage = Stage::Playing;
    }

    /// The house made the requested pile; its slots are new.
    fn fold_shuffled(&mut self, pile: u16) -> Result<(), Inapplicable> {
        let (Stage::Collected(cards), Some(next)) = (&self.stage, self.pile.number.checked_add(1)) else {
            return Err(Inapplicable("no pile is being made".into()));
        };
        if pile != next {
            return Err(Inapplicable(format!("pile {next} is being made, not {pile}")));
        }
        let size = u16::try_from(cards.len()).map_err(|_| nothing_such())?;
        self.unseen.push(CardSet::of(cards));
        self.pile = Pile::new(pile, size);
        self.discard.clear();
        self.stage = Stage::Shuffled;
        Ok(())
    }

    /// Only a player who is to take part in a shuffle can be missing from it (A002.m).
    fn fold_absent(&mut self, player: &PlayerId) -> Result<(), Inapplicable> {
        if !matches!(self.stage, Stage::Collected(_)) {
            return Err(Inapplicable("no pile is being made".into()));
        }
        let seat = self.seat_of(player)?;
        if !self.seats.get(seat).is_some_and(|one| one.is_alive()) {
            return Err(Inapplicable(format!("{player} is out already")));
        }
        self.absent = Some(seat);
        self.stage = Stage::Emptied;
        Ok(())
    }
}
