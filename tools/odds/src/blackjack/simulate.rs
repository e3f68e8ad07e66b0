//! The engine, played many times by a strategy, with the certainty of the result.
#![allow(clippy::float_arithmetic)] // means and intervals of integer sums

use super::cards::{Hand, Value};
use super::strategy::{Choice, Hole, Position, Strategy};
use crate::drive::{Chooser, play};
use crate::shoe::Shoe;
use crate::{Spread, UnusableInput};
use fairshoe_fairness::{PlayerId, Stream};
use fairshoe_games::{Action, ActionKind, Bet, Chips, Decision, Offer, Place, Placed, RoundEvent, RuleSet};

/// A block of simulated hands, long enough that its last shoe's length does not matter.
const BLOCK: u64 = 50_000;

/// For the normal distribution: 95 % lie within so many standard deviations.
const NINETY_FIVE: f64 = 1.959_963_984_540_054;

/// The parts of a simulation.
#[derive(Clone, Copy)]
pub struct Simulation<'s> {
    /// The table's rules.
    pub rules: &'s RuleSet,
    /// The opening stake.
    pub stake: Chips,
    /// The strategy that plays.
    pub strategy: &'s dyn Strategy,
    /// Whether every round has a full shoe.
    pub fresh: bool,
}

/// Sums over shoes; they are exact, so their order does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of hands played; a split box counts as one.
    pub hands: u64,
    /// The number of their shoes.
    pub shoes: u64,
    /// The player's win in units.
    pub won: i128,
    /// The player's stakes in units.
    pub staked: i128,
    won_squared: i128,
    won_by_hands: i128,
    hands_squared: i128,
}

impl Tally {
    fn add_shoe(&mut self, hands: u64, won: i64, staked: i64) {
        let (count, won) = (i128::from(hands), i128::from(won));
        self.hands += hands;
        self.shoes += 1;
        self.won += won;
        self.staked += i128::from(staked);
        self.won_squared += won * won;
        self.won_by_hands += won * count;
        self.hands_squared += count * count;
    }

    fn merge(mut self, other: Tally) -> Tally {
        self.hands += other.hands;
        self.shoes += other.shoes;
        self.won += other.won;
        self.staked += other.staked;
        self.won_squared += other.won_squared;
        self.won_by_hands += other.won_by_hands;
        self.hands_squared += other.hands_squared;
        self
    }

    /// The average win of a hand, in stakes.
    pub fn mean(&self, stake: Chips) -> f64 {
        self.won as f64 / self.hands as f64 / stake.signed() as f64
    }

    /// The average stake of a hand, in opening stakes: doubles, splits and premiums make it more than 1.
    pub fn staked_per_hand(&self, stake: Chips) -> f64 {
        self.staked as f64 / self.hands as f64 / stake.signed() as f64
    }

    /// The standard error of the mean. Shoes are independent, hands of one shoe may not be, so it is that of a ratio of
    /// sums over shoes.
    pub fn standard_error(&self, stake: Chips) -> f64 {
        let (hands, shoes) = (self.hands as f64, self.shoes as f64);
        let mean = self.won as f64 / hands;
        let squares =
            self.won_squared as f64 - 2.0 * mean * self.won_by_hands as f64 + mean * mean * self.hands_squared as f64;
        (squares.max(0.0) * shoes / (shoes - 1.0).max(1.0)).sqrt() / hands / stake.signed() as f64
    }

    /// Half the width of the 95 % interval.
    pub fn margin(&self, stake: Chips) -> f64 {
        NINETY_FIVE * self.standard_error(stake)
    }
}

impl Simulation<'_> {
    /// Plays so many hands, and the last shoes to their end.
    pub fn run(&self, hands: u64, spread: Spread) -> Result<Tally, UnusableInput> {
        let tallies = spread.over(hands, BLOCK, &self.rules.name, |quota, stream| self.block(quota, stream))?;
        Ok(tallies.into_iter().fold(Tally::default(), Tally::merge))
    }

    fn block(&self, quota: u64, stream: &mut Stream) -> Result<Tally, UnusableInput> {
        let player = PlayerId::parse("player").map_err(|e| UnusableInput(e.to_string()))?;
        let placed = [Placed { player, bets: vec![Bet { spot: "1".into(), stake: self.stake, chips: None }] }];
        let mut shoe = Shoe::new(&self.rules.composition(), stream);
        let mut tally = Tally::default();
        while tally.hands < quota {
            let (mut hands, mut won, mut staked) = (0, 0, 0);
            loop {
                let mut round = self.rules.open_round(&placed).map_err(|e| UnusableInput(e.to_string()))?;
                let flow = play(round.as_mut(), &mut shoe, &mut BoxPlayer::new(self.strategy))?;
                hands += 1;
                staked += self.stake.signed() + flow.added;
                won += flow.returned - self.stake.signed() - flow.added;
                if self.fresh || self.rules.table.reshuffle.is_due(shoe.left()) {
                    break;
                }
            }
            shoe.shuffle();
            tally.add_shoe(hands, won, staked);
        }
        Ok(tally)
    }
}

/// A hand as its player sees it.
#[derive(Clone, Copy)]
struct SeenHand {
    hand: Hand,
    first: Option<Value>,
    second: Option<Value>,
}

impl SeenHand {
    fn take(&mut self, value: Value) {
        match (self.first, self.second) {
            (None, _) => self.first = Some(value),
            (_, None) => self.second = Some(value),
            _ => {}
        }
        self.hand = self.hand.with(value);
    }

    fn of(first: Option<Value>) -> SeenHand {
        SeenHand { hand: Hand::of(first), first, second: None }
    }
}

/// A player with one box: it sees the face-up cards and answers by its strategy.
#[derive(Clone)]
pub struct BoxPlayer<'s> {
    strategy: &'s dyn Strategy,
    hands: Vec<SeenHand>,
    up: Option<Value>,
    denied: bool,
    asked: Option<usize>,
}

impl<'s> BoxPlayer<'s> {
    /// A box before its first card.
    pub fn new(strategy: &'s dyn Strategy) -> Self {
        BoxPlayer { strategy, hands: Vec::with_capacity(2), up: None, denied: false, asked: None }
    }

    /// The hand in question and its position.
    pub fn position(&self, hand: u8) -> Option<(Position, Hand)> {
        let (up, seen) = (self.up?, self.hands.get(usize::from(hand).checked_sub(1)?)?);
        let hole = if self.denied { Hole::NoBlackjack } else { Hole::under(up) };
        let split = if self.hands.len() > 1 { seen.first } else { None };
        Some((Position { up, hole, split }, seen.hand))
    }
}

impl Chooser for BoxPlayer<'_> {
    fn see(&mut self, event: &RoundEvent) {
        match event {
            RoundEvent::Dealt { to: Place::Hand { hand, .. }, card: Some(card), .. } => {
                let index = usize::from(hand.saturating_sub(1));
                if self.hands.len() <= index {
                    self.hands.resize(index + 1, SeenHand::of(None));
                }
                if let Some(hand) = self.hands.get_mut(index) {
                    hand.take(Value::of(*card));
                }
            }
            // The dealer's first face-up card is the up-card, in every dealing order.
            RoundEvent::Dealt { to: Place::Dealer, card: Some(card), .. } | RoundEvent::Turned { card, .. } => {
                self.up = self.up.or(Some(Value::of(*card)));
            }
            RoundEvent::Peeked { blackjack, .. } => self.denied = !blackjack,
            RoundEvent::Offered { place: Place::Hand { hand, .. }, .. } => {
                self.asked = usize::from(*hand).checked_sub(1)
            }
            RoundEvent::Acted { action: Action::Split, .. } => {
                let Some(index) = self.asked else { return };
                let Some(halves) = self.hands.get(index).copied() else { return };
                self.hands.splice(index..=index, [SeenHand::of(halves.first), SeenHand::of(halves.second)]);
            }
            _ => {}
        }
    }

    fn choose(&mut self, decision: &Decision, options: &[Offer]) -> Result<Action, UnusableInput> {
        let Place::Hand { hand, .. } = decision.place else {
            return Err(UnusableInput("the engine asks about no hand".into()));
        };
        let unseen = || UnusableInput(format!("the engine asks about {}, which has no cards", decision.place));
        let (position, hand) = self.position(hand).ok_or_else(unseen)?;
        let offered = |kind: ActionKind| options.iter().any(|offer| offer.action == kind);
        if offered(ActionKind::Insurance) {
            return Ok(Action::Insurance { take: self.strategy.insures(&hand) });
        }
        if offered(ActionKind::EvenMoney) {
            return Ok(Action::EvenMoney { take: self.strategy.takes_even_money(position.up) });
        }
        if let Some(pair) = hand.pair()
            && offered(ActionKind::Split)
            && self.strategy.splits(position.up, position.hole, pair)
        {
            return Ok(Action::Split);
        }
        let choice = self.strategy.play(&position, &hand);
        match choice.ok_or_else(|| UnusableInput(format!("the strategy has no answer for {hand} in {position:?}")))? {
            Choice::Stand => Ok(Action::Stand),
            Choice::Hit => Ok(Action::Hit),
            Choice::Double => Ok(Action::Double { amount: None }),
            Choice::Surrender => Ok(Action::Surrender),
        }
    }
}
