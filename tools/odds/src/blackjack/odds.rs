//! A rule set in the calculator's form: payouts for one unit, legal choices, the dealer's paths.
#![allow(clippy::float_arithmetic)] // payouts as shares of the stake

use super::cards::{ByValue, Deck, Hand, Value};
use super::dealer::{DealerBlackjack, DealerTree};
use super::strategy::{Hole, Position};
use crate::UnusableInput;
use fairshoe_games::blackjack::{BlackjackRules, Insurance, SplitAces, Surrender};
use fairshoe_games::{Chips, Limit};

/// The payments for one unit of the opening stake, rounded as the rule set rounds at that stake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pays {
    /// The win of a blackjack.
    pub blackjack: f64,
    /// The loss of a hand given up.
    pub surrender_loss: f64,
    /// The insurance premium, if there is an insurance at this stake.
    pub premium: Option<f64>,
    /// The return of a successful insurance, including the premium.
    pub insured: f64,
}

/// A split is counted up to so many hands; more would add less than a ten-millionth of a stake.
const MOST_HANDS: u32 = 8;

/// A rule set at one stake.
#[derive(Clone, Debug)]
pub struct Odds {
    /// The options of the odds.
    pub rules: BlackjackRules,
    /// The opening stake.
    pub stake: Chips,
    /// Its payments.
    pub pays: Pays,
    /// The cost of walking away from a question, with the stake refunded (A001.oo); absent: players do not walk away.
    pub walk: Option<f64>,
    trees: ByValue<DealerTree>,
}

/// The legal choices for a hand, besides standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Legal {
    /// Whether a card may be drawn.
    pub hit: bool,
    /// Whether it may be doubled.
    pub double: bool,
    /// Whether it may be given up.
    pub surrender: bool,
}

impl Odds {
    /// The rules at this opening stake.
    pub fn new(rules: &BlackjackRules, stake: Chips) -> Result<Odds, UnusableInput> {
        let out_of_range = || UnusableInput(format!("a stake of {stake} leaves the range of amounts"));
        let one = stake.signed() as f64;
        let share = |amount: Chips| amount.signed() as f64 / one;
        if stake == Chips::ZERO {
            return Err(UnusableInput("a stake is at least 1".into()));
        }
        let premium = rules.premium(stake).filter(|premium| *premium > Chips::ZERO);
        let insured = match premium {
            Some(premium) => share(rules.insured_return(premium, stake).ok_or_else(out_of_range)?),
            None => 0.0,
        };
        let pays = Pays {
            blackjack: share(rules.blackjack_win(stake).ok_or_else(out_of_range)?),
            surrender_loss: 1.0 - share(rules.surrender_return(stake).ok_or_else(out_of_range)?),
            premium: premium.map(share),
            insured,
        };
        let trees = ByValue::from_each(|up| DealerTree::new(up, rules.card_limit));
        Ok(Odds { rules: rules.clone(), stake, pays, walk: None, trees })
    }

    /// The dealer's paths from an up-card.
    pub fn tree(&self, up: Value) -> &DealerTree {
        &self.trees[up]
    }

    /// The most hands that a box may have.
    pub fn most_hands(&self, pair: Value) -> u32 {
        match self.rules.max_hands {
            // Aces that stand on one card are not split again: they are finished when the second card comes.
            _ if pair == Value::ACE && self.rules.split_aces == SplitAces::OneCard => 2,
            Limit::AtMost(most) => most.clamp(2, MOST_HANDS),
            Limit::Unlimited => MOST_HANDS,
        }
    }

    /// Whether two cards without a split make the hand a blackjack.
    pub fn is_blackjack(&self, position: &Position, hand: &Hand) -> bool {
        position.split.is_none() && hand.is_natural()
    }

    /// The legal choices for a hand that is not bust.
    pub fn legal(&self, position: &Position, hand: &Hand) -> Legal {
        let rules = &self.rules;
        let two = hand.cards() == 2;
        let blackjack = self.is_blackjack(position, hand);
        let finished = rules.card_limit != 0 && hand.cards() >= rules.card_limit
            || rules.auto_stand_21 && hand.total().points == 21
            || rules.split_aces == SplitAces::OneCard && position.split == Some(Value::ACE) && hand.cards() >= 2
            || blackjack && !rules.hit_blackjack;
        if finished {
            return Legal::default();
        }
        let unsplit = position.split.is_none();
        Legal {
            hit: true,
            double: !blackjack && (two || rules.double_any_cards) && (unsplit || rules.double_after_split),
            surrender: !blackjack && rules.surrender != Surrender::None && (rules.surrender_any_time || unsplit && two),
        }
    }

    /// The effect of a dealer's blackjack on a hand in this position.
    pub fn dealer_blackjack(&self, position: &Position) -> DealerBlackjack {
        match position.hole {
            Hole::NoBlackjack => DealerBlackjack::Excluded,
            Hole::Open if position.split.is_some() && self.rules.split_cancels_dealer_blackjack => {
                DealerBlackjack::Plain
            }
            Hole::Open => DealerBlackjack::Wins,
        }
    }

    /// Whether the dealer looks for a blackjack before the play of hands.
    pub fn peeks(&self, up: Value) -> bool {
        up.card().is_some_and(|card| self.rules.peek.covers(card))
    }

    /// Whether a blackjack is asked about even money under this up-card.
    pub fn offers_even_money(&self, up: Value) -> bool {
        up.card().is_some_and(|card| self.rules.even_money_upcards.covers(card))
    }

    /// The insurance premium that this hand is asked for under this up-card; `None` if it is not asked.
    pub fn offers_insurance(&self, up: Value, hand: &Hand) -> Option<f64> {
        let asked = up == Value::ACE && (self.rules.insure_blackjack || !hand.is_natural());
        self.pays.premium.filter(|_| asked)
    }

    /// Whether an insurance buys a look at the hole card (R000.25).
    pub fn insurance_buys_a_look(&self) -> bool {
        self.rules.insurance == Insurance::StakeBack
    }

    /// The chance of a dealer's blackjack when the hole card is one of these.
    pub fn blackjack_chance(&self, up: Value, deck: &Deck) -> f64 {
        up.blackjack_partner().map_or(0.0, |partner| deck.share(partner))
    }
}
