//! Decides what happens next in a blackjack round (spec/games/blackjack.md, "What comes next").

use super::state::{BlackjackRound, Hand, Insured, PlayBox, Question};
use super::{Insurance, SecondCards, makes_blackjack};
use crate::{
    Action, Ahead, Chips, Dealing, Decision, Illegal, Inapplicable, Offer, Place, Round, RoundEvent, SavedRound,
    StepError,
};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde_json::value::RawValue;

impl BlackjackRound {
    fn draw(&self, dealing: &dyn Dealing, to: Place, face_up: bool) -> Result<RoundEvent, StepError> {
        let lane = self.lane_of(to);
        let slot = dealing.next_slot(lane).ok_or(StepError::ShoeExhausted)?;
        let card = if face_up { Some(dealing.card(slot)?) } else { None };
        Ok(RoundEvent::Dealt { lane, slot, to, card })
    }

    fn draw_to_hand(&self, dealing: &dyn Dealing, owner: &PlayBox, hand_index: usize) -> Result<RoundEvent, StepError> {
        let hand = u8::try_from(hand_index + 1).map_err(|_| StepError::Overflow)?;
        self.draw(dealing, Place::Hand { spot: owner.spot, hand }, true)
    }

    fn offer(
        &self,
        dealing: &dyn Dealing,
        owner: &PlayBox,
        hand_index: usize,
        question: Question,
    ) -> Result<RoundEvent, StepError> {
        let options = self.options_at(question, owner, hand_index, dealing.funds(&owner.player));
        let hand = u8::try_from(hand_index + 1).map_err(|_| StepError::Overflow)?;
        Ok(RoundEvent::Offered {
            decision: self.next_decision,
            player: owner.player.clone(),
            place: Place::Hand { spot: owner.spot, hand },
            options,
            deadline: dealing.deadline(),
            bank_from: None,
            extra_ms: 0,
        })
    }

    /// The question to a box before the play of hands, and the cost of a yes.
    fn window_question(&self, owner: &PlayBox, up: Card) -> Option<(Question, Chips)> {
        let rules = &self.rules;
        let blackjack = owner.has_blackjack();
        if blackjack && rules.even_money_upcards.covers(up) {
            return Some((Question::EvenMoney, Chips::ZERO));
        }
        let insurable = up.rank() == 1 && (rules.insure_blackjack || !blackjack);
        rules
            .premium(owner.stake)
            .filter(|premium| insurable && *premium > Chips::ZERO)
            .map(|premium| (Question::Insurance, premium))
    }

    /// One window for all boxes, before any other decision: insurance for players who can pay it, even money (R000.24,
    /// R000.31, R001.137, A001.ff, A003.m).
    fn window_step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let Some(up) = self.up_card() else { return Ok(None) };
        for owner in self.boxes.iter().skip(self.window_from) {
            if let Some((question, cost)) = self.window_question(owner, up)
                && cost <= dealing.funds(&owner.player)
            {
                return self.offer(dealing, owner, 0, question).map(Some);
            }
        }
        Ok(None)
    }

    /// The dealer looks for a blackjack; wagers that this decides are paid. A blackjack ends the round.
    fn peek_step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let (Some(up), premiums) = (self.up_card(), self.boxes.iter().any(|b| matches!(b.insured, Insured::Taken(_))))
        else {
            return Ok(None);
        };
        let due = self.rules.peek.covers(up) || premiums && self.rules.insurance == Insurance::StakeBack;
        match (self.peeked, self.hidden_hole()) {
            (None, Some(slot)) if due => {
                Ok(Some(RoundEvent::Peeked { slot, blackjack: dealing.peek(slot, makes_blackjack(up))? }))
            }
            (Some(false), _) if premiums => self.pay_lost_insurance(),
            (Some(true), _) => self.dealer_step(dealing),
            _ => self.pay_blackjacks(),
        }
    }

    /// Boxes, and the hands of a box, play from the dealer's left, each to its end.
    fn play_step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let wants_card =
            |hand: &Hand| hand.awaits_card || self.rules.second_cards == SecondCards::AtOnce && hand.cards.len() == 1;
        if let Some((_, h, owner, _)) = self.hands().find(|(.., hand)| wants_card(hand)) {
            return self.draw_to_hand(dealing, owner, h).map(Some);
        }
        match self.hands().find(|(_, _, owner, hand)| !self.is_finished(owner, hand)) {
            Some((_, h, owner, hand)) if hand.cards.len() == 1 => self.draw_to_hand(dealing, owner, h).map(Some),
            Some((_, h, owner, _)) => self.offer(dealing, owner, h, Question::Play).map(Some),
            None => Ok(None),
        }
    }

    /// The hole card is turned, the dealer draws if the dealer's total matters, and all remaining wagers are paid.
    fn dealer_step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if let Some(slot) = self.hidden_hole() {
            return Ok(Some(RoundEvent::Turned { pile: None, slot, card: dealing.card(slot)? }));
        }
        if self.dealer_draws() {
            return self.draw(dealing, Place::Dealer, true).map(Some);
        }
        self.pay_all()
    }
}

impl Round for BlackjackRound {
    fn boxed_clone(&self) -> Box<dyn Round> {
        Box::new(self.clone())
    }

    fn saved(&self) -> SavedRound<'_> {
        self.into()
    }

    fn lanes(&self) -> u16 {
        self.lane_of(Place::Dealer).saturating_add(1)
    }

    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.settled {
            return Ok(None);
        }
        if let Some((to, face_up)) = self.deal_target(self.dealt) {
            return self.draw(dealing, to, face_up).map(Some);
        }
        if let Some(slot) = self.hidden_up_card() {
            return Ok(Some(RoundEvent::Turned { pile: None, slot, card: dealing.card(slot)? }));
        }
        if let Some(event) = self.pay_decided()? {
            return Ok(Some(event));
        }
        if let Some(event) = self.window_step(dealing)? {
            return Ok(Some(event));
        }
        if !self.open.is_empty() {
            return Ok(None);
        }
        if let Some(event) = self.peek_step(dealing)? {
            return Ok(Some(event));
        }
        if let Some(event) = self.play_step(dealing)? {
            return Ok(Some(event));
        }
        self.dealer_step(dealing)
    }

    fn accept(&self, player: &PlayerId, decision: u32, action: &Action, funds: Chips) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        if open.decision.player != *player {
            return Err(Illegal::NotYours { decision });
        }
        let cost = self.cost(open, action, funds)?;
        Ok(RoundEvent::Acted { decision, player: player.clone(), action: action.clone(), cost, default: false })
    }

    fn default_play(&self, decision: u32) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        let action = match open.question {
            Question::Insurance => Action::Insurance { take: false },
            Question::EvenMoney => Action::EvenMoney { take: false },
            Question::Play => Action::Stand,
        };
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

    fn options(&self, decision: u32, funds: Chips) -> Vec<Offer> {
        let open = self.open_decision(decision).ok();
        let asked = open.and_then(|open| Some((open, self.boxes.get(open.box_index)?)));
        asked.map(|(open, owner)| self.options_at(open.question, owner, open.hand_index, funds)).unwrap_or_default()
    }

    fn may_be(&self, slot: Slot, card: Card) -> bool {
        let is_hidden = self.dealer.iter().any(|(at, face)| *at == slot && face.is_none());
        let said = self.up_card().map(|up| makes_blackjack(up).answer(card));
        !is_hidden || self.peeked.is_none() || self.peeked == said
    }

    fn is_settled(&self) -> bool {
        self.settled
    }

    fn pending_stakes(&self) -> Vec<(PlayerId, Chips)> {
        let staked = |owner: &PlayBox| {
            let hands = owner.hands.iter().filter(|hand| hand.paid.is_none()).map(|hand| hand.stake);
            let premium = if let Insured::Taken(premium) = owner.insured { Some(premium) } else { None };
            Chips::sum(hands.chain(premium)).unwrap_or_default()
        };
        let of_player =
            |player: &PlayerId| Chips::sum(self.boxes.iter().filter(|owner| owner.player == *player).map(staked));
        self.players.iter().map(|player| (player.clone(), of_player(player).unwrap_or_default())).collect()
    }

    fn ahead(&self) -> Ahead {
        self.who_is_ahead()
    }

    fn view_json(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(&self.table_view()).unwrap_or_default()
    }
}
