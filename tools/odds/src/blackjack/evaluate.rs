//! The value of a hand in a position: over every draw and every course of the dealer, with the drawn cards removed.
#![allow(clippy::float_arithmetic)] // expectations
//!
//! Values are joint ones: if a position excludes the dealer's blackjack, they count only the cases in which the dealer
//! has none, so a draw's chance never depends on the hole card. Only the mean over all cases matters in the end, and a
//! common factor does not change which choice is best.

use super::cards::{Deck, Hand, Value};
use super::dealer::DealerBlackjack;
use super::odds::Odds;
use super::strategy::{Choice, Hole, Position, Strategy};
use crate::UnusableInput;
use fairshoe_games::blackjack::Surrender;
use std::collections::HashMap;

/// The value of a hand, and its choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The average win in opening stakes.
    pub value: f64,
    /// The choice.
    pub choice: Choice,
}

/// The hands of one position.
pub struct Evaluation<'o> {
    odds: &'o Odds,
    position: Position,
    /// The strategy; `None`: the best choice.
    strategy: Option<&'o dyn Strategy>,
    nodes: HashMap<u64, Node>,
    stands: HashMap<u64, f64>,
}

impl<'o> Evaluation<'o> {
    /// An evaluation without any hand yet.
    pub fn new(odds: &'o Odds, position: Position, strategy: Option<&'o dyn Strategy>) -> Self {
        Evaluation { odds, position, strategy, nodes: HashMap::new(), stands: HashMap::new() }
    }

    /// The choices found best, or played, by [`Hand::key`].
    pub fn choices(&self) -> impl Iterator<Item = (u64, Choice)> + '_ {
        self.nodes.iter().map(|(key, node)| (*key, node.choice))
    }

    /// Evaluates a hand that is not bust; `deck` is the unseen cards, including the hole card.
    pub fn hand(&mut self, hand: &Hand, deck: &Deck) -> Result<Node, UnusableInput> {
        if let Some(node) = self.nodes.get(&hand.key()) {
            return Ok(*node);
        }
        let legal = self.odds.legal(&self.position, hand);
        let possible = [(Choice::Hit, legal.hit), (Choice::Double, legal.double), (Choice::Surrender, legal.surrender)];
        let mut choices = vec![Choice::Stand];
        choices.extend(possible.into_iter().filter(|(_, legal)| *legal).map(|(choice, _)| choice));
        if let (Some(strategy), true) = (self.strategy, legal.hit) {
            let chosen = strategy.play(&self.position, hand).filter(|choice| choices.contains(choice));
            choices = vec![chosen.ok_or_else(|| {
                UnusableInput(format!("the strategy has no legal answer for {hand} in {:?}", self.position))
            })?];
        }
        let mut best: Option<Node> = None;
        for choice in choices {
            let value = self.worth(choice, hand, deck)?;
            if best.is_none_or(|best| value > best.value) {
                best = Some(Node { value, choice });
            }
        }
        let mut node = best.unwrap_or(Node { value: 0.0, choice: Choice::Stand });
        // A player who is asked may walk away; for split hands this is not counted.
        if let Some(walk) = self.odds.walk.filter(|_| legal.hit && self.position.split.is_none()) {
            node.value = node.value.max(-walk * self.mass(deck));
        }
        self.nodes.insert(hand.key(), node);
        Ok(node)
    }

    fn worth(&mut self, choice: Choice, hand: &Hand, deck: &Deck) -> Result<f64, UnusableInput> {
        match choice {
            Choice::Stand => Ok(self.stand(hand, deck)),
            Choice::Surrender => Ok(self.surrender(deck)),
            Choice::Double => self
                .drawn(hand, deck, |this, hand, deck| Ok(2.0 * this.stand(hand, deck)))
                .map(|rest| rest.0 + 2.0 * rest.1),
            Choice::Hit => self
                .drawn(hand, deck, |this, hand, deck| this.hand(hand, deck).map(|node| node.value))
                .map(|rest| rest.0 + rest.1),
        }
    }

    /// One more card: the mean over the next hands that are not bust, minus one stake for each bust.
    fn drawn(
        &mut self,
        hand: &Hand,
        deck: &Deck,
        follows: impl Fn(&mut Self, &Hand, &Deck) -> Result<f64, UnusableInput>,
    ) -> Result<(f64, f64), UnusableInput> {
        let (mut rest, mut busts) = (0.0, 0.0);
        for value in Value::all().filter(|value| deck.left(*value) > 0) {
            let (drawn, left) = (hand.with(value), deck.without(value));
            match drawn.total().is_bust() {
                true => busts -= deck.share(value) * self.mass(&left),
                false => rest += deck.share(value) * follows(self, &drawn, &left)?,
            }
        }
        Ok((rest, busts))
    }

    /// The share of the cases that belong to this position.
    fn mass(&self, deck: &Deck) -> f64 {
        match self.position.hole {
            Hole::Open => 1.0,
            Hole::NoBlackjack => 1.0 - self.odds.blackjack_chance(self.position.up, deck),
        }
    }

    /// The hand as it is, against the dealer.
    fn stand(&mut self, hand: &Hand, deck: &Deck) -> f64 {
        let (odds, position) = (self.odds, self.position);
        *self.stands.entry(hand.key()).or_insert_with(|| {
            if odds.is_blackjack(&position, hand) {
                // Against a blackjack it draws; against all else it wins.
                return odds.pays.blackjack * (1.0 - odds.blackjack_chance(position.up, deck));
            }
            odds.tree(position.up).ends(deck).against(hand.total().points, odds.dealer_blackjack(&position))
        })
    }

    /// Early surrender loses half for any hole card; late surrender loses all against a blackjack.
    fn surrender(&self, deck: &Deck) -> f64 {
        let half = self.odds.pays.surrender_loss;
        let blackjack = self.odds.blackjack_chance(self.position.up, deck);
        let late = self.odds.rules.surrender == Surrender::Late;
        match self.odds.dealer_blackjack(&self.position) {
            DealerBlackjack::Wins if late => -half * (1.0 - blackjack) - blackjack,
            _ => -half * self.mass(deck),
        }
    }
}
