//! How each event changes a round of blackjack, and why an event that does not fit is refused. `round.rs` decides which
//! event comes next.

use super::makes_blackjack;
use super::state::{BlackjackRound, FaceUp, Hand, Insured, OpenDecision, Played, Question};
use crate::claims::{Claims, admit};
use crate::{Action, ActionKind, Chips, Decision, Inapplicable, Offer, Place, Round, RoundEvent};

/// The fold: all refusals first, then all mutation, so that a refused event changes nothing.
impl BlackjackRound {
    pub(super) fn fold(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        admit(self, event)?;
        self.fits_dealt_cards(event)?;
        let dealt_out = self.is_dealt_out();
        match event {
            RoundEvent::Dealt { slot, to, card, .. } => {
                match (to, card) {
                    (Place::Hand { spot, hand }, Some(card)) => {
                        let hand = self.find_hand(*spot, *hand)?;
                        hand.cards.push(FaceUp { slot: *slot, card: *card });
                        hand.awaits_card = false;
                    }
                    (Place::Hand { .. }, None) => {
                        return Err(Inapplicable("a player's card lies face-up in this game".into()));
                    }
                    (Place::Dealer, card) => self.dealer.push((*slot, *card)),
                    (Place::Spot(_), _) => return Err(Inapplicable("blackjack has no such place".into())),
                }
                self.dealt = self.dealt.saturating_add(1);
            }
            RoundEvent::Turned { slot, card, .. } => {
                for (_, face) in self.dealer.iter_mut().filter(|(at, _)| at == slot) {
                    *face = Some(*card);
                }
            }
            RoundEvent::Peeked { blackjack, .. } => self.peeked = Some(*blackjack),
            RoundEvent::Offered { decision, player, place, options, deadline, .. } => {
                let decision =
                    Decision { number: *decision, player: player.clone(), place: *place, deadline: *deadline };
                self.fold_offer(decision, options)?;
            }
            RoundEvent::Acted { decision, action, cost, .. } => self.fold_choice(*decision, action, *cost)?,
            RoundEvent::Paid { lines } => self.fold_paid(lines)?,
            _ => {
                return Err(Inapplicable(format!("`{}` is no event of blackjack", event.word())));
            }
        }
        // The window asks every box before anything else happens, and only once.
        let asks_window = matches!(event, RoundEvent::Offered { options, .. } if question(options) != Question::Play);
        if dealt_out && !asks_window {
            self.window_from = self.boxes.len();
        }
        self.settled = self.is_over();
        Ok(())
    }

    /// Checks: a slot is dealt once; the hole card agrees with the dealer's answer at the peek; a player chooses only
    /// while no other event is due.
    fn fits_dealt_cards(&self, event: &RoundEvent) -> Result<(), Inapplicable> {
        match event {
            RoundEvent::Dealt { slot, .. } => {
                let hands = self.hands().flat_map(|(.., hand)| &hand.cards).map(|card| card.slot);
                match hands.chain(self.dealer.iter().map(|(slot, _)| *slot)).any(|at| at == *slot) {
                    true => Err(Inapplicable(format!("slot {slot} lies on the table already"))),
                    false => Ok(()),
                }
            }
            RoundEvent::Turned { slot, card, .. } => {
                let said = self.up_card().map(|up| makes_blackjack(up).answer(*card));
                match self.peeked.is_some() && self.peeked != said {
                    true => Err(Inapplicable(format!("the face of slot {slot} is not what the peek said of it"))),
                    false => Ok(()),
                }
            }
            // Automatic events come before a choice. Only the house can tell whether a box went unasked because funds
            // were short.
            RoundEvent::Acted { .. } => match self.step(&Claims(event)) {
                Ok(None) => Ok(()),
                Ok(Some(next)) => Err(Inapplicable(format!("`{}` comes next, not a choice", next.word()))),
                Err(error) => Err(Inapplicable(error.to_string())),
            },
            _ => Ok(()),
        }
    }

    fn find_hand(&mut self, spot: u8, hand: u8) -> Result<&mut Hand, Inapplicable> {
        let index = usize::from(hand).wrapping_sub(1);
        let found = self.boxes.iter_mut().find(|b| b.spot == spot).and_then(|b| b.hands.get_mut(index));
        found.ok_or_else(|| Inapplicable(format!("there is no hand {spot}/{hand}")))
    }

    fn fold_offer(&mut self, decision: Decision, options: &[Offer]) -> Result<(), Inapplicable> {
        let Place::Hand { spot, hand } = decision.place else {
            return Err(Inapplicable("the dealer decides nothing".into()));
        };
        let box_index = self.boxes.iter().position(|b| b.spot == spot);
        let box_index = box_index.ok_or_else(|| Inapplicable(format!("there is no box {spot}")))?;
        let next = decision.number.checked_add(1).ok_or_else(|| Inapplicable("too many decisions".into()))?;
        let question = question(options);
        if question != Question::Play {
            self.window_from = box_index + 1;
        }
        self.next_decision = next;
        self.open.push(OpenDecision { decision, question, box_index, hand_index: usize::from(hand).wrapping_sub(1) });
        Ok(())
    }

    fn fold_choice(&mut self, decision: u32, action: &Action, cost: Chips) -> Result<(), Inapplicable> {
        let nothing = || Inapplicable("no such decision is open".into());
        let position = self.open.iter().position(|open| open.decision.number == decision).ok_or_else(nothing)?;
        let open = self.open.get(position).ok_or_else(nothing)?;
        let (box_index, hand_index) = (open.box_index, open.hand_index);
        let owner = self.boxes.get_mut(box_index).ok_or_else(nothing)?;
        let hand = owner.hands.get_mut(hand_index).ok_or_else(nothing)?;
        match action {
            Action::Insurance { take: true } => owner.insured = Insured::Taken(cost),
            Action::Insurance { take: false } | Action::EvenMoney { take: false } => {}
            Action::EvenMoney { take: true } => hand.played = Played::EvenMoney,
            Action::Hit => hand.awaits_card = true,
            Action::Stand => hand.played = Played::Stood,
            Action::Double { .. } => {
                hand.stake = hand.stake.plus(cost).ok_or_else(|| Inapplicable("the stake is out of range".into()))?;
                hand.played = Played::Doubled;
                hand.awaits_card = true;
            }
            Action::Split => {
                let second = hand.cards.pop().ok_or_else(nothing)?;
                let mut new = Hand::new(cost);
                new.cards.push(second);
                owner.hands.insert(hand_index + 1, new);
            }
            Action::Surrender => hand.played = Played::GivenUp,
            _ => return Err(Inapplicable(format!("`{action}` is no choice in blackjack"))),
        }
        self.open.remove(position);
        Ok(())
    }
}

/// The question of an offer; the questions of the window stand alone.
fn question(options: &[Offer]) -> Question {
    let has = |action| options.iter().any(|offer| offer.action == action);
    match () {
        () if has(ActionKind::Insurance) => Question::Insurance,
        () if has(ActionKind::EvenMoney) => Question::EvenMoney,
        () => Question::Play,
    }
}
