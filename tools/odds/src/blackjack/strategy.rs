//! Strategies: a player's answers, from their own box and the dealer's up-card.

use super::cards::{Hand, Value};
use std::collections::{BTreeMap, HashMap};

/// The knowledge about the hole card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hole {
    /// It is unknown and may make a blackjack.
    Open,
    /// It makes no blackjack: the dealer has looked, or the up-card makes none.
    NoBlackjack,
}

impl Hole {
    /// The knowledge under an up-card before the dealer looks.
    pub fn under(up: Value) -> Hole {
        if up.blackjack_partner().is_some() { Hole::Open } else { Hole::NoBlackjack }
    }
}

/// The surroundings of a hand in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The dealer's up-card.
    pub up: Value,
    /// The knowledge about the dealer's hole card.
    pub hole: Hole,
    /// The value that was split, if the box was.
    pub split: Option<Value>,
}

/// A choice for a hand, apart from a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// Play the hand no further.
    Stand,
    /// Draw.
    Hit,
    /// Double, by the most that may be placed.
    Double,
    /// Give it up.
    Surrender,
}

impl Choice {
    /// Its letter in a chart.
    pub fn letter(self) -> char {
        match self {
            Choice::Stand => 'S',
            Choice::Hit => 'H',
            Choice::Double => 'D',
            Choice::Surrender => 'R',
        }
    }
}

/// A player's answers. `None` if the strategy has no answer, which is an error in it.
pub trait Strategy: Sync {
    /// The choice for a hand.
    fn play(&self, position: &Position, hand: &Hand) -> Option<Choice>;
    /// Whether to split two cards of this value, each time it is possible.
    fn splits(&self, up: Value, hole: Hole, pair: Value) -> bool;
    /// Whether to insure this hand.
    fn insures(&self, hand: &Hand) -> bool;
    /// Whether to take 1:1 for a blackjack under this up-card.
    fn takes_even_money(&self, up: Value) -> bool;
}

/// Two fixed ways to play that never double, split, insure or give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naive {
    /// Hit 16 and less, stand on 17 and more, also on soft hands.
    CopyDealer,
    /// Stand on hard 12 and more; play soft hands like the dealer.
    NeverBust,
}

impl Strategy for Naive {
    fn play(&self, _position: &Position, hand: &Hand) -> Option<Choice> {
        let total = hand.total();
        let stands_on = if *self == Naive::NeverBust && !total.soft { 12 } else { 17 };
        Some(if total.points >= stands_on { Choice::Stand } else { Choice::Hit })
    }

    fn splits(&self, _up: Value, _hole: Hole, _pair: Value) -> bool {
        false
    }

    fn insures(&self, _hand: &Hand) -> bool {
        false
    }

    fn takes_even_money(&self, _up: Value) -> bool {
        false
    }
}

/// Computed answers: those that the calculator found best.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    plays: HashMap<Position, HashMap<u64, Choice>>,
    splits: BTreeMap<(Value, Hole, Value), bool>,
    insured: BTreeMap<Hand, bool>,
    even_money: BTreeMap<Value, bool>,
}

impl Plan {
    /// Adds the best choices of a position, by [`Hand::key`].
    pub(super) fn add_plays(&mut self, position: Position, choices: impl Iterator<Item = (u64, Choice)>) {
        self.plays.entry(position).or_default().extend(choices);
    }

    pub(super) fn add_split(&mut self, up: Value, hole: Hole, pair: Value, splits: bool) {
        self.splits.insert((up, hole, pair), splits);
    }

    pub(super) fn add_insurance(&mut self, hand: &Hand, takes: bool) {
        self.insured.insert(*hand, takes);
    }

    pub(super) fn add_even_money(&mut self, up: Value, takes: bool) {
        self.even_money.insert(up, takes);
    }

    /// Adds all of another plan, which covers other up-cards.
    pub(super) fn merge(&mut self, other: Plan) {
        self.plays.extend(other.plays);
        self.splits.extend(other.splits);
        self.insured.extend(other.insured);
        self.even_money.extend(other.even_money);
    }

    /// The opening hands that are insured, and the number of those that are asked.
    pub fn insurances(&self) -> (Vec<String>, usize) {
        let taken = self.insured.iter().filter(|(_, takes)| **takes).map(|(hand, _)| hand.to_string());
        (taken.collect(), self.insured.len())
    }
}

impl Strategy for Plan {
    fn play(&self, position: &Position, hand: &Hand) -> Option<Choice> {
        self.plays.get(position)?.get(&hand.key()).copied()
    }

    fn splits(&self, up: Value, hole: Hole, pair: Value) -> bool {
        self.splits.get(&(up, hole, pair)).copied().unwrap_or(false)
    }

    fn insures(&self, hand: &Hand) -> bool {
        self.insured.get(hand).copied().unwrap_or(false)
    }

    fn takes_even_money(&self, up: Value) -> bool {
        self.even_money.get(&up).copied().unwrap_or(false)
    }
}
