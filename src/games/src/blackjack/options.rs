//! The legal actions, and the rule that forbids each other action. The question and the act share one check.

use super::state::{BlackjackRound, Hand, OpenDecision, PlayBox, Question};
use super::{DoubleAmount, Surrender};
use crate::{Action, ActionKind, Chips, Illegal, Limit, Offer};

impl BlackjackRound {
    pub(super) fn open_decision(&self, number: u32) -> Result<&OpenDecision, Illegal> {
        let first = self.open.first().map(|open| open.decision.number);
        self.open
            .iter()
            .find(|open| open.decision.number == number)
            .ok_or(Illegal::NotOpen { given: number, open: first })
    }

    /// The actions that are legal and can be paid. A double for less is offered at the highest amount that can be
    /// placed.
    pub(super) fn options_at(
        &self,
        question: Question,
        owner: &PlayBox,
        hand_index: usize,
        funds: Chips,
    ) -> Vec<Offer> {
        let Some(hand) = owner.hands.get(hand_index) else { return Vec::new() };
        let offer = |action: ActionKind| {
            let most = self.check(question, owner, hand, action).ok()?;
            let for_less =
                action == ActionKind::Double && self.rules.double_amount == DoubleAmount::UpTo && funds > Chips::ZERO;
            let cost = if for_less { most.min(funds) } else { most };
            (cost <= funds).then_some(Offer::costing(action, cost))
        };
        [
            ActionKind::Insurance,
            ActionKind::EvenMoney,
            ActionKind::Hit,
            ActionKind::Stand,
            ActionKind::Double,
            ActionKind::Split,
            ActionKind::Surrender,
        ]
        .into_iter()
        .filter_map(offer)
        .collect()
    }

    /// The action's cost here (for a double the highest), or the rule that forbids it.
    fn check(&self, question: Question, owner: &PlayBox, hand: &Hand, action: ActionKind) -> Result<Chips, Illegal> {
        let allowed = match (question, action) {
            (Question::Insurance, ActionKind::Insurance) => {
                self.rules.premium(owner.stake).ok_or("there is no insurance here")
            }
            (Question::EvenMoney, ActionKind::EvenMoney) => Ok(Chips::ZERO),
            (Question::Insurance, _) => Err("insurance is decided first"),
            (Question::EvenMoney, _) => Err("even money is decided first"),
            (Question::Play, ActionKind::Insurance) => Err("no insurance is offered now"),
            (Question::Play, ActionKind::EvenMoney) => Err("no even money is offered now"),
            (Question::Play, ActionKind::Hit | ActionKind::Stand) => Ok(Chips::ZERO),
            (Question::Play, ActionKind::Double) => self.may_double(owner, hand).map(|()| owner.stake),
            (Question::Play, ActionKind::Split) => self.may_split(owner, hand).map(|()| owner.stake),
            (Question::Play, ActionKind::Surrender) => self.may_surrender(owner, hand).map(|()| Chips::ZERO),
            (Question::Play, _) => Err("this game has no such choice"),
        };
        allowed.map_err(|why| Illegal::NotOffered { action, why })
    }

    fn may_double(&self, owner: &PlayBox, hand: &Hand) -> Result<(), &'static str> {
        match () {
            () if hand.cards.len() != 2 && !self.rules.double_any_cards => {
                Err("a hand is doubled on exactly two cards")
            }
            () if owner.has_blackjack() => Err("a blackjack is not doubled"),
            () if owner.is_split() && !self.rules.double_after_split => Err("split hands are not doubled here"),
            () => Ok(()),
        }
    }

    fn may_split(&self, owner: &PlayBox, hand: &Hand) -> Result<(), &'static str> {
        let more = u32::try_from(owner.hands.len()).is_ok_and(|count| self.rules.max_hands.allows_more_than(count));
        match hand.cards.as_slice() {
            _ if !more && self.rules.max_hands == Limit::AtMost(2) => Err("a box is split once"),
            _ if !more => Err("the box has as many hands as it may have"),
            [first, second] if self.rules.is_pair(first.card, second.card) => Ok(()),
            [_, _] if self.rules.split_by_value => Err("only two cards of the same value are split"),
            [_, _] => Err("only two cards of the same rank are split"),
            _ => Err("a hand is split on its first two cards alone"),
        }
    }

    fn may_surrender(&self, owner: &PlayBox, hand: &Hand) -> Result<(), &'static str> {
        match () {
            () if self.rules.surrender == Surrender::None => Err("this game has no such choice"),
            () if owner.has_blackjack() => Err("a blackjack is not given up"),
            () if self.rules.surrender_any_time => Ok(()),
            () if owner.is_split() => Err("a box that was split is not given up"),
            () if hand.cards.len() != 2 => Err("a hand is given up on its first two cards alone"),
            () => Ok(()),
        }
    }

    /// The cost of a player's choice; its parameters are checked against these funds.
    pub(super) fn cost(&self, open: &OpenDecision, action: &Action, funds: Chips) -> Result<Chips, Illegal> {
        let stale = Illegal::NotOpen { given: open.decision.number, open: None };
        let owner = self.boxes.get(open.box_index).ok_or(stale.clone())?;
        let hand = owner.hands.get(open.hand_index).ok_or(stale)?;
        let most = self.check(open.question, owner, hand, action.kind())?;
        let cost = match (action, self.rules.double_amount) {
            (Action::Insurance { take: false }, _) => Chips::ZERO,
            (Action::Double { amount: Some(amount) }, DoubleAmount::Exact) if *amount != most => {
                return Err(Illegal::Amount { given: *amount, why: "a double costs exactly the opening stake" });
            }
            (Action::Double { amount: Some(amount) }, DoubleAmount::UpTo)
                if *amount == Chips::ZERO || *amount > most =>
            {
                return Err(Illegal::Amount {
                    given: *amount,
                    why: "a double costs from one unit to the opening stake",
                });
            }
            (Action::Double { amount: Some(amount) }, _) => *amount,
            _ => most,
        };
        if cost > funds {
            Err(Illegal::InsufficientBalance { action: action.kind(), cost, balance: funds })
        } else {
            Ok(cost)
        }
    }
}
