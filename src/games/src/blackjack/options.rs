use super::hand::card_value;
use super::round::{BlackjackRound, Hand, OpenDecision, PlayBox, Question};
use crate::{Action, ActionKind, Chips, Illegal, Offer};

/// What may be chosen, and what stands against the rest: the question and the act share one check.
impl BlackjackRound {
    pub(super) fn open_decision(&self, number: u32) -> Result<&OpenDecision, Illegal> {
        let open = self.open.as_ref();
        open.filter(|open| open.decision.number == number)
            .ok_or(Illegal::NotOpen { given: number, open: open.map(|open| open.decision.number) })
    }

    pub(super) fn options_at(&self, question: Question, box_index: usize, hand_index: usize, funds: Chips) -> Vec<Offer> {
        let Some(owner) = self.boxes.get(box_index) else { return Vec::new() };
        let Some(hand) = owner.hands.get(hand_index) else { return Vec::new() };
        let offer = |action: ActionKind| {
            let cost = self.check(question, owner, hand, action).ok()?;
            (cost <= funds).then_some(Offer { action, cost })
        };
        [ActionKind::Insurance, ActionKind::Hit, ActionKind::Stand, ActionKind::Double, ActionKind::Split]
            .into_iter()
            .filter_map(offer)
            .collect()
    }

    /// What the action costs here, or the rule against it.
    fn check(&self, question: Question, owner: &PlayBox, hand: &Hand, action: ActionKind) -> Result<Chips, Illegal> {
        let refuse = |why| Err(Illegal::NotOffered { action, why });
        match (question, action) {
            (Question::Insurance, ActionKind::Insurance) => Ok(self.rules.premium(owner.stake)),
            (Question::Insurance, _) => refuse("insurance is decided first (R000.31)"),
            (Question::Play, ActionKind::Insurance) => refuse("no insurance is offered now (R000.24)"),
            (Question::Play, ActionKind::Hit | ActionKind::Stand) => Ok(Chips::ZERO),
            (Question::Play, ActionKind::Double) if hand.cards.len() != 2 => refuse("a hand is doubled on exactly two cards (R000.16)"),
            (Question::Play, ActionKind::Double) if owner.has_blackjack() => refuse("a blackjack is not doubled (R000.16)"),
            (Question::Play, ActionKind::Double) if owner.is_split() && !self.rules.double_after_split => {
                refuse("split hands are not doubled here")
            }
            (Question::Play, ActionKind::Double) => Ok(owner.stake),
            (Question::Play, ActionKind::Split) if owner.is_split() => refuse("a box is split once (A000.g)"),
            (Question::Play, ActionKind::Split) => match hand.cards.as_slice() {
                [first, second] if card_value(first.card) == card_value(second.card) => Ok(owner.stake),
                [_, _] => refuse("only two cards of the same value are split (R000.20)"),
                _ => refuse("a hand is split on its first two cards alone (R000.20)"),
            },
        }
    }

    /// What a player's choice costs, with its parameters checked against these funds.
    pub(super) fn cost(&self, open: &OpenDecision, action: &Action, funds: Chips) -> Result<Chips, Illegal> {
        let stale = Illegal::NotOpen { given: open.decision.number, open: None };
        let owner = self.boxes.get(open.box_index).ok_or(stale.clone())?;
        let hand = owner.hands.get(open.hand_index).ok_or(stale)?;
        let cost = match self.check(open.question, owner, hand, action.kind())? {
            _ if *action == Action::Insurance { take: false } => Chips::ZERO,
            cost => cost,
        };
        match action {
            Action::Double { amount: Some(amount) } if *amount != cost => {
                Err(Illegal::Amount { given: *amount, why: "a double costs exactly the opening stake (R000.17)" })
            }
            _ if cost > funds => Err(Illegal::InsufficientBalance { action: action.kind(), cost, balance: funds }),
            _ => Ok(cost),
        }
    }
}
