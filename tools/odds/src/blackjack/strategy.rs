//! How to play: the answers a player gives, from what they see of their own box and the dealer's up-card.

use super::cards::{Hand, Value};
use std::collections::{BTreeMap, HashMap};

/// What is known of the hole card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hole {
    /// Nothing, and it may make a blackjack.
    Open,
    /// That it makes no blackjack: the dealer has looked, or the up-card makes none.
    NoBlackjack,
}

impl Hole {
    /// What is known at first under an up-card, before anybody looks.
    pub fn under(up: Value) -> Hole {
        if up.blackjack_partner().is_some() { Hole::Open } else { Hole::NoBlackjack }
    }
}

/// What stands about a hand when it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The dealer's up-card.
    pub up: Value,
    /// What is known of the dealer's hole card.
    pub hole: Hole,
    /// The value that was split, if the box was.
    pub split: Option<Value>,
}

/// What to do with a hand, a split apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// Play it no further.
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

/// A player's answers. `None` where they have none: a fault of whoever made the strategy.
pub trait Strategy: Sync {
    /// What to do with a hand.
    fn play(&self, position: &Position, hand: &Hand) -> Option<Choice>;
    /// Whether to split two cards of this value, each time it may be done.
    fn splits(&self, up: Value, hole: Hole, pair: Value) -> bool;
    /// Whether to insure this hand.
    fn insures(&self, hand: &Hand) -> bool;
    /// Whether to take 1:1 for a blackjack under this up-card.
    fn takes_even_money(&self, up: Value) -> bool;
}

/// Two fixed ways to play that never double, split, insure or give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naive {
    /// Hit 16 and less, stand on 17 and more, soft ones too.
    CopyDealer,
    /// Stand on hard 12 and more; soft hands as the dealer.
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

/// Answers that were worked out: what the calculator found best.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    plays: HashMap<Position, HashMap<u64, Choice>>,
    splits: BTreeMap<(Value, Hole, Value), bool>,
    insured: BTreeMap<Hand, bool>,
    even_money: BTreeMap<Value, bool>,
}

impl Plan {
    /// Takes over what is best in a position, by [`Hand::key`].
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

    /// Takes over all of another, which knows other up-cards.
    pub(super) fn merge(&mut self, other: Plan) {
        self.plays.extend(other.plays);
        self.splits.extend(other.splits);
        self.insured.extend(other.insured);
        self.even_money.extend(other.even_money);
    }

    /// Which opening hands are insured, and of how many that are asked.
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
