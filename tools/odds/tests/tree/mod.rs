//! The real engine under every order of the cards of a small deck: a strategy's exact win, without using the
//! calculator's code for draws, dealers or splits.

use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::{Bet, Chips, Dealing, FaceUnknown, Peek, Placed, Round, RoundEvent, RuleSet, StepError};
use fairshoe_odds::blackjack::{BoxPlayer, Strategy};
use fairshoe_odds::drive::Chooser;
use std::collections::BTreeMap;

/// A table that chooses a face only when the engine asks for it: until then a slot can be any card that is left.
#[derive(Clone, Default)]
struct Open {
    faces: BTreeMap<u16, Card>,
    drawn: u16,
}

impl Open {
    fn face(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.faces.get(&slot.0).copied().ok_or(FaceUnknown(slot))
    }
}

impl Dealing for Open {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        Some(Slot(self.drawn))
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(slot)
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.face(slot)?))
    }

    fn funds(&self, _player: &PlayerId) -> Chips {
        Chips::MAX
    }

    fn deadline(&self) -> u64 {
        0
    }
}

/// A state in the tree of orders.
struct Point<'s> {
    round: Box<dyn Round>,
    table: Open,
    seat: BoxPlayer<'s>,
    /// The win so far, in units.
    net: i64,
}

/// The average win of a round, in stakes, with these cards.
pub fn mean(rules: &RuleSet, stake: u64, cards: &[(&str, u16)], strategy: &dyn Strategy) -> f64 {
    let stake = Chips::new(stake).unwrap();
    let placed = [Placed {
        player: PlayerId::parse("player").unwrap(),
        bets: vec![Bet { spot: "1".into(), stake, chips: None }],
    }];
    let mut left: Vec<(Card, u16)> = cards.iter().map(|(card, count)| (card.parse().unwrap(), *count)).collect();
    let round = rules.open_round(&placed).unwrap();
    let point = Point { round, table: Open::default(), seat: BoxPlayer::new(strategy), net: -stake.signed() };
    below(point, &mut left) / stake.signed() as f64
}

fn below(mut point: Point<'_>, left: &mut [(Card, u16)]) -> f64 {
    loop {
        let event = match point.round.step(&point.table) {
            Ok(Some(event)) => event,
            Ok(None) if point.round.is_settled() => return point.net as f64,
            Ok(None) => {
                let open = point.round.open_decisions().remove(0);
                let options = point.round.options(open.number, Chips::MAX);
                let action = point.seat.choose(&open, &options).unwrap();
                point.round.accept(&open.player, open.number, &action, Chips::MAX).unwrap()
            }
            Err(StepError::Face(FaceUnknown(slot))) => return branch(&point, slot, left),
            Err(other) => panic!("{other}"),
        };
        point.round.apply(&event).unwrap();
        point.seat.see(&event);
        match event {
            RoundEvent::Dealt { .. } => point.table.drawn += 1,
            RoundEvent::Acted { cost, .. } => point.net -= cost.signed(),
            RoundEvent::Paid { lines } => point.net += lines.iter().map(|line| line.returned.signed()).sum::<i64>(),
            _ => {}
        }
    }
}

/// The slot may be any card that is left.
fn branch(point: &Point<'_>, slot: Slot, left: &mut [(Card, u16)]) -> f64 {
    let total: u16 = left.iter().map(|(_, count)| count).sum();
    assert!(total > 0, "the small deck is used up: {}", point.round.view());
    let mut sum = 0.0;
    for index in 0..left.len() {
        let (card, count) = left[index];
        if count == 0 {
            continue;
        }
        left[index].1 -= 1;
        let mut table = point.table.clone();
        table.faces.insert(slot.0, card);
        let next = Point { round: point.round.boxed_clone(), table, seat: point.seat.clone(), net: point.net };
        sum += f64::from(count) / f64::from(total) * below(next, left);
        left[index].1 += 1;
    }
    sum
}
