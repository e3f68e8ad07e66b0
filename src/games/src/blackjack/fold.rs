use super::round::{BlackjackRound, FaceUp, Hand, Insured, OpenDecision, Question};
use crate::claims::Claims;
use crate::{Action, ActionKind, Chips, Decision, Inapplicable, Peek, Place, Round, RoundEvent};

/// The fold: all refusals first, then all mutation, so that a refused event changes nothing.
impl BlackjackRound {
    pub(super) fn fold(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        self.admit(event)?;
        match event {
            RoundEvent::Dealt { slot, to, card, .. } => {
                match (to, card) {
                    (Place::Hand { spot, hand }, Some(card)) => {
                        self.find_hand(*spot, *hand)?.cards.push(FaceUp { slot: *slot, card: *card })
                    }
                    (Place::Hand { .. }, None) => return Err(Inapplicable("a player's card lies face-up in this game".into())),
                    (Place::Dealer, card) => self.dealer.push((*slot, *card)),
                }
                self.pending_draw = None;
                self.dealt = self.dealt.saturating_add(1);
            }
            RoundEvent::Turned { slot, card } => {
                for (_, face) in self.dealer.iter_mut().filter(|(lying, _)| lying == slot) {
                    *face = Some(*card);
                }
            }
            RoundEvent::Peeked { blackjack, .. } => self.peeked = Some(*blackjack),
            RoundEvent::Offered { decision, player, place, options, deadline } => {
                let Place::Hand { spot, hand } = *place else { return Err(Inapplicable("the dealer decides nothing".into())) };
                let box_index = self.boxes.iter().position(|b| b.spot == spot);
                let box_index = box_index.ok_or_else(|| Inapplicable(format!("there is no box {spot}")))?;
                let about_insurance = options.iter().any(|offer| offer.action == ActionKind::Insurance);
                let question = if about_insurance { Question::Insurance } else { Question::Play };
                self.next_decision = decision.checked_add(1).ok_or_else(|| Inapplicable("too many decisions".into()))?;
                self.play_began |= question == Question::Play;
                let decision = Decision { number: *decision, player: player.clone(), place: *place, deadline: *deadline };
                self.open = Some(OpenDecision { decision, question, box_index, hand_index: usize::from(hand).wrapping_sub(1) });
            }
            RoundEvent::Acted { action, cost, .. } => self.fold_choice(action, *cost)?,
            RoundEvent::Paid { lines } => self.fold_paid(lines)?,
        }
        self.settled = self.boxes.iter().all(|b| b.hands.iter().all(|hand| hand.paid.is_some()));
        Ok(())
    }

    /// Whether this engine, given what the event claims, would have written it here.
    fn admit(&self, event: &RoundEvent) -> Result<(), Inapplicable> {
        let word = event.word();
        let expected = match event {
            RoundEvent::Acted { decision, default: true, .. } => self.default_play(*decision).map(Some).map_err(|e| e.to_string()),
            RoundEvent::Acted { decision, player, action, cost, .. } => {
                self.accept(player, *decision, action, *cost).map(Some).map_err(|e| e.to_string())
            }
            _ => self.step(&Claims(event)).map_err(|_| format!("`{word}` does not come next")),
        };
        match expected.map_err(Inapplicable)? {
            Some(expected) if expected == *event => self.fits_what_lies(event),
            Some(expected) if expected.word() == word => Err(Inapplicable(format!("this is not the `{word}` that comes next"))),
            Some(expected) => Err(Inapplicable(format!("`{}` comes next, not `{word}`", expected.word()))),
            None if self.settled => Err(Inapplicable("the round is settled".into())),
            None => Err(Inapplicable("a decision is open".into())),
        }
    }

    /// A slot lies on the table once, and the hole card is what the dealer said of it when he peeked.
    fn fits_what_lies(&self, event: &RoundEvent) -> Result<(), Inapplicable> {
        match event {
            RoundEvent::Dealt { slot, .. } => {
                let hands = self.boxes.iter().flat_map(|b| &b.hands).flat_map(|hand| &hand.cards).map(|card| card.slot);
                match hands.chain(self.dealer.iter().map(|(slot, _)| *slot)).any(|lying| lying == *slot) {
                    true => Err(Inapplicable(format!("slot {slot} lies on the table already"))),
                    false => Ok(()),
                }
            }
            RoundEvent::Turned { slot, card } => {
                let said = self.up_card().map(|up| Peek::Blackjack { up }.answer(*card));
                match self.peeked.is_some() && self.peeked != said {
                    true => Err(Inapplicable(format!("the face of slot {slot} is not what the peek said of it"))),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn find_hand(&mut self, spot: u8, hand: u8) -> Result<&mut Hand, Inapplicable> {
        let index = usize::from(hand).wrapping_sub(1);
        let found = self.boxes.iter_mut().find(|b| b.spot == spot).and_then(|b| b.hands.get_mut(index));
        found.ok_or_else(|| Inapplicable(format!("there is no hand {spot}/{hand}")))
    }

    fn fold_choice(&mut self, action: &Action, cost: Chips) -> Result<(), Inapplicable> {
        let nothing = || Inapplicable("no decision is open".into());
        let open = self.open.as_ref().ok_or_else(nothing)?;
        let (box_index, hand_index) = (open.box_index, open.hand_index);
        let owner = self.boxes.get_mut(box_index).ok_or_else(nothing)?;
        let hand = owner.hands.get_mut(hand_index).ok_or_else(nothing)?;
        match action {
            Action::Insurance { take } => owner.insured = if *take { Insured::Taken(cost) } else { Insured::Declined },
            Action::Hit => self.pending_draw = Some((box_index, hand_index)),
            Action::Stand => hand.stood = true,
            Action::Double { .. } => {
                hand.stake = hand.stake.plus(cost).ok_or_else(|| Inapplicable("the stake is out of range".into()))?;
                hand.doubled = true;
                self.pending_draw = Some((box_index, hand_index));
            }
            Action::Split => {
                let second = hand.cards.pop().ok_or_else(nothing)?;
                let mut new = Hand::new(cost);
                new.cards.push(second);
                owner.hands.push(new);
            }
        }
        self.open = None;
        Ok(())
    }
}
