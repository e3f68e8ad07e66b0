//! The value of a split: all the hands of the box together, split again as often as the rules allow.
#![allow(clippy::float_arithmetic)] // expectations
//!
//! Every hand is played by its own cards alone. So a hand's mean does not depend on the number of cards that other
//! hands drew before it: the remaining cards are still well mixed. Therefore the sum over the hands is exact. It needs
//! only one hand's mean, with more cards of the pair's value removed, and the chances of the second cards.
//!
//! The second cards come one by one. A card that equals the pair is split while the box may have another hand. So the
//! box ends in one of two ways: it has fewer hands than allowed, and all second cards differ from the pair; or it is
//! full, and the hands without a second card take any card. Inclusion and exclusion over the number of equal cards
//! accounts for the other hands' second cards.
//! by inclusion and exclusion over how many of them do.

use super::cards::{Deck, Hand, Value};
use super::evaluate::Evaluation;
use super::odds::Odds;
use super::patterns::{Pattern, patterns};
use super::strategy::{Choice, Position, Strategy};
use crate::UnusableInput;

/// A split box: the pair, the cards left without it and the up-card, and how many of those equal the pair.
pub struct SplitBox<'o> {
    odds: &'o Odds,
    position: Position,
    pair: Value,
    deck: Deck,
    equal: f64,
}

/// One hand's mean with more cards of the pair removed.
#[derive(Clone, Copy, Debug)]
struct OneHand {
    /// The mean over all second cards.
    any: f64,
    /// The mean over second cards that do not equal the pair.
    unequal: f64,
}

impl<'o> SplitBox<'o> {
    /// `equal`: the number of cards in the deck that would make a pair again (all of a rank, or all of the value).
    pub fn new(odds: &'o Odds, position: Position, pair: Value, deck: Deck, equal: f64) -> Self {
        SplitBox { odds, position: Position { split: Some(pair), ..position }, pair, deck, equal }
    }

    /// The mean of all hands together, each played by `strategy` or at its own best; with the best choices.
    pub fn value(&self, strategy: Option<&dyn Strategy>) -> Result<(f64, Vec<(u64, Choice)>), UnusableInput> {
        let most = self.odds.most_hands(self.pair);
        let mut first = Evaluation::new(self.odds, self.position, strategy);
        let mut means = vec![self.one_hand(&mut first, &self.deck)?];
        let choices: Vec<(u64, Choice)> = first.choices().collect();
        if most > 2 {
            // The best play with the first two removed is used for any number removed: the player does not count cards.
            let played = Played(choices.iter().copied().collect());
            let mut deck = self.deck;
            for _ in 1..=2 * most - 4 {
                if deck.left(self.pair) == 0 {
                    break;
                }
                deck = deck.without(self.pair);
                let mut evaluation = Evaluation::new(self.odds, self.position, Some(&played));
                means.push(self.one_hand(&mut evaluation, &deck)?);
            }
        }
        let mut sum = 0.0;
        for pattern in patterns(most) {
            sum += pattern.ways * self.pattern_value(&pattern, pattern.hands == most, &means);
        }
        Ok((sum, choices))
    }

    fn one_hand(&self, evaluation: &mut Evaluation<'_>, deck: &Deck) -> Result<OneHand, UnusableInput> {
        let mut one = OneHand { any: 0.0, unequal: 0.0 };
        let gone = f64::from(self.deck.total() - deck.total());
        for value in Value::all().filter(|value| deck.left(*value) > 0) {
            let hand = Hand::of([self.pair, value]);
            let worth = evaluation.hand(&hand, &deck.without(value))?.value;
            one.any += deck.share(value) * worth;
            let equal = if value == self.pair { (self.equal - gone).max(0.0) } else { 0.0 };
            one.unequal += (f64::from(deck.left(value)) - equal) / f64::from(deck.total()) * worth;
        }
        Ok(one)
    }

    /// The chance that `more` given cards equal the pair, after `gone` others of them were removed.
    fn chance(&self, gone: u32, more: u32) -> f64 {
        (gone..gone + more).fold(1.0, |chance, k| {
            let k = f64::from(k);
            chance * ((self.equal - k).max(0.0) / (f64::from(self.deck.total()) - k).max(1.0))
        })
    }

    /// One hand's mean in the cases in which `others` given cards differ from the pair, after `gone` were removed.
    fn excluding(&self, gone: u32, others: u32, means: &[OneHand], pick: impl Fn(&OneHand) -> f64) -> f64 {
        let mut sum = 0.0;
        let mut choose = 1.0;
        for i in 0..=others {
            // If the cards do not suffice there is no mean, and the chance is 0.
            if let Some(mean) = usize::try_from(gone + i).ok().and_then(|k| means.get(k)) {
                let signed = if i % 2 == 0 { choose } else { -choose };
                sum += signed * self.chance(gone, i) * pick(mean);
            }
            choose *= f64::from(others - i) / f64::from(i + 1);
        }
        sum
    }

    fn pattern_value(&self, pattern: &Pattern, full: bool, means: &[OneHand]) -> f64 {
        let gone = pattern.hands - 2;
        let mut sum = 0.0;
        if pattern.done > 0 {
            sum += f64::from(pattern.done) * self.excluding(gone, pattern.done - 1, means, |mean| mean.unequal);
        }
        if full {
            let free = pattern.hands - pattern.done;
            sum += f64::from(free) * self.excluding(gone, pattern.done, means, |mean| mean.any);
        }
        self.chance(0, gone) * sum
    }
}

/// Choices by hand, for every position.
struct Played(std::collections::HashMap<u64, Choice>);

impl Strategy for Played {
    fn play(&self, _position: &Position, hand: &Hand) -> Option<Choice> {
        self.0.get(&hand.key()).copied()
    }

    fn splits(&self, _up: Value, _hole: super::strategy::Hole, _pair: Value) -> bool {
        true
    }

    fn insures(&self, _hand: &Hand) -> bool {
        false
    }

    fn takes_even_money(&self, _up: Value) -> bool {
        false
    }
}
