//! The expectation of a round: every opening deal by its chance, with every question after it.
#![allow(clippy::float_arithmetic)] // expectations

use super::cards::{Deck, Hand, Value};
use super::evaluate::Evaluation;
use super::odds::Odds;
use super::split::SplitBox;
use super::strategy::{Choice, Hole, Plan, Position, Strategy};
use crate::UnusableInput;

/// The value of a round for its player.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The player's average win in opening stakes; the house edge is its negative.
    pub player: f64,
    /// The player's choices.
    pub plan: Plan,
}

/// The same for the rounds with one up-card, with its chance.
struct Part {
    player: f64,
    plan: Plan,
}

/// The expectation with these cards: by this strategy, or with the best play.
///
/// The best play is that of a player who sees their own hand and the up-card, and does not count cards. Each split hand
/// is played alone.
pub fn expectation(odds: &Odds, shoe: &Deck, strategy: Option<&dyn Strategy>) -> Result<Expectation, UnusableInput> {
    let parts = std::thread::scope(|scope| {
        // From ten down: up-cards with the most work come first.
        let ups = Value::all().rev().filter(|up| shoe.left(*up) > 0);
        let running: Vec<_> = ups.map(|up| scope.spawn(move || Rounds::new(odds, shoe, strategy, up).part())).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err(UnusableInput("a thread has stopped".into())))
        };
        running.into_iter().map(join).collect::<Result<Vec<Part>, UnusableInput>>()
    })?;
    let mut all = Expectation { player: 0.0, plan: Plan::default() };
    for part in parts {
        all.player += part.player;
        all.plan.merge(part.plan);
    }
    Ok(all)
}

/// The value of the next refund of an abandoned hand for a player, in opening stakes: if walking away costs this much,
/// a hand is worth zero. They play on at the same stake until they have used the refund, for as many hands as needed.
pub fn refund_worth(odds: &Odds, shoe: &Deck) -> Result<f64, UnusableInput> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        let mut walking = odds.clone();
        walking.walk = Some(middle);
        // The more a walk costs, the less a hand is worth.
        if expectation(&walking, shoe, None)?.player > 0.0 { low = middle } else { high = middle }
    }
    Ok((low + high) / 2.0)
}

/// So many halvings leave less than a ten-thousandth of a stake.
const HALVINGS: u32 = 14;

/// The rounds with one up-card.
struct Rounds<'o> {
    odds: &'o Odds,
    shoe: &'o Deck,
    strategy: Option<&'o dyn Strategy>,
    up: Value,
    /// The cards without the up-card.
    deck: Deck,
    plan: Plan,
}

impl<'o> Rounds<'o> {
    fn new(odds: &'o Odds, shoe: &'o Deck, strategy: Option<&'o dyn Strategy>, up: Value) -> Self {
        Rounds { odds, shoe, strategy, up, deck: shoe.without(up), plan: Plan::default() }
    }

    fn part(mut self) -> Result<Part, UnusableInput> {
        // The knowledge at the start of play, and that of an insured player who bought a look.
        let hole = if self.odds.peeks(self.up) { Hole::NoBlackjack } else { Hole::under(self.up) };
        let mut play = self.play(hole);
        let mut look = if self.up == Value::ACE && self.odds.insurance_buys_a_look() {
            Some(self.play(Hole::NoBlackjack))
        } else {
            None
        };
        let mut player = 0.0;
        for first in Value::all() {
            for second in Value::all().filter(|second| *second >= first) {
                let orders = if first == second { 1.0 } else { 2.0 };
                let rest = self.deck.without(first);
                let chance = orders * self.deck.share(first) * rest.share(second);
                if self.deck.left(first) == 0 || rest.left(second) == 0 {
                    continue;
                }
                let deck = rest.without(second);
                player += chance * self.opening(&Hand::of([first, second]), &deck, &mut play, look.as_mut())?;
            }
        }
        for evaluation in [Some(play), look].into_iter().flatten() {
            self.plan.add_plays(evaluation.0, evaluation.1.choices());
        }
        Ok(Part { player: self.shoe.share(self.up) * player, plan: self.plan })
    }

    fn play(&self, hole: Hole) -> (Position, Evaluation<'o>) {
        let position = Position { up: self.up, hole, split: None };
        (position, Evaluation::new(self.odds, position, self.strategy))
    }

    /// Two cards, with every question about them.
    fn opening(
        &mut self,
        hand: &Hand,
        deck: &Deck,
        play: &mut (Position, Evaluation<'o>),
        look: Option<&mut (Position, Evaluation<'o>)>,
    ) -> Result<f64, UnusableInput> {
        let blackjack = self.odds.blackjack_chance(self.up, deck);
        let natural = hand.is_natural();
        // The loss to a dealer's blackjack that ends the round.
        let lost = if natural { 0.0 } else { blackjack };
        let mut value = self.played(hand, deck, play)?;
        if play.0.hole == Hole::NoBlackjack {
            value -= lost;
        }
        if natural && self.odds.offers_even_money(self.up) {
            let takes = self.strategy.map_or(1.0 > value, |strategy| strategy.takes_even_money(self.up));
            self.plan.add_even_money(self.up, takes);
            return Ok(if takes { 1.0 } else { value });
        }
        let Some(premium) = self.odds.offers_insurance(self.up, hand) else { return Ok(value) };
        let paid = blackjack * self.odds.pays.insured - premium;
        let insured = match look {
            Some(look) => self.played(hand, deck, look)? - lost + paid,
            None => value + paid,
        };
        let takes = self.strategy.map_or(insured > value, |strategy| strategy.insures(hand));
        self.plan.add_insurance(hand, takes);
        let value = if takes { insured } else { value };
        // The question comes before the dealer looks: a player who walks away here does not lose to the dealer's
        // blackjack.
        Ok(self.odds.walk.map_or(value, |walk| value.max(-walk)))
    }

    /// Two cards, played; a pair may become several hands.
    fn played(
        &mut self,
        hand: &Hand,
        deck: &Deck,
        (position, evaluation): &mut (Position, Evaluation<'o>),
    ) -> Result<f64, UnusableInput> {
        let node = evaluation.hand(hand, deck)?;
        let Some(pair) = hand.pair() else { return Ok(node.value) };
        let wants = self.strategy.is_none_or(|strategy| strategy.splits(self.up, position.hole, pair));
        if !wants {
            return Ok(node.value);
        }
        let (split, choices) = self.split(*position, pair, deck)?;
        let splits = self.strategy.is_some() || split > node.value;
        self.plan.add_split(self.up, position.hole, pair, splits);
        self.plan.add_plays(Position { split: Some(pair), ..*position }, choices.into_iter());
        let may = self.same_rank_share(pair);
        Ok(if splits { may * split + (1.0 - may) * node.value } else { node.value })
    }

    /// The split, averaged over the possible ranks of the up-card if ranks count.
    fn split(&self, position: Position, pair: Value, deck: &Deck) -> Result<(f64, Vec<(u64, Choice)>), UnusableInput> {
        let of = |equal: f64| SplitBox::new(self.odds, position, pair, *deck, equal).value(self.strategy);
        if self.odds.rules.split_by_value || pair != Value::TEN {
            return of(f64::from(deck.left(pair)));
        }
        let rank = f64::from(self.shoe.left(Value::TEN)) / 4.0;
        let (without_up, choices) = of((rank - 2.0).max(0.0))?;
        if self.up != Value::TEN {
            return Ok((without_up, choices));
        }
        let up_equal = (rank - 2.0) / (4.0 * rank - 2.0);
        let (with_up, choices) = of((rank - 3.0).max(0.0))?;
        Ok((up_equal * with_up + (1.0 - up_equal) * without_up, choices))
    }

    /// The share of these pairs with one rank: four ranks count ten.
    fn same_rank_share(&self, pair: Value) -> f64 {
        if self.odds.rules.split_by_value || pair != Value::TEN {
            return 1.0;
        }
        let tens = f64::from(self.shoe.left(Value::TEN));
        (tens / 4.0 - 1.0) / (tens - 1.0)
    }
}
