//! The programs' strategies. A strategy sees only its player's view; the service gives no hint.

mod bets;
mod blackjack;
mod poker;
mod safe;

pub use bets::place_bets;
pub(crate) use bets::{base_stake, is_shared};
pub use blackjack::Situation;

use clap::ValueEnum;
use fairshoe_fairness::Stream;
use fairshoe_games::{Action, Decision, GameRules, Offer, RuleSet};
use serde_json::Value;
use std::num::NonZeroU16;

/// A strategy. Games without decisions are played the same in all strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// By the book: hits, stands, doubles, splits and gives up by hand and up-card; no insurance.
    Basic,
    /// Like the dealer: hits to 16, stands from 17.
    CopyDealer,
    /// Stands on every hard total that one card could bust.
    NeverBust,
    /// Any offered choice, on one box or more: finds the rare paths.
    Random,
    /// At poker all in or fold by chance, so that an event is over soon; otherwise by the book.
    AllIn,
}

impl Strategy {
    /// A choice among the options at this decision, or `None` if the strategy can make none.
    pub fn choose(
        self,
        rules: &RuleSet,
        view: &Value,
        decision: &Decision,
        options: &[Offer],
        random: &mut Stream,
    ) -> Option<Action> {
        match &rules.game {
            GameRules::Blackjack(rules) => {
                let situation = Situation::read(view, decision.place)?;
                blackjack::choose(self, rules, situation, options, random)
            }
            GameRules::Safe(_) => safe::choose(self, view, decision, options, random),
            GameRules::Poker(_) => poker::choose(self, options, random),
            // Only the stake is decided, and elsewhere.
            _ => None,
        }
    }
}

/// One of `count` items, from 0; 0 if there are none.
pub(crate) fn one_of(count: usize, random: &mut Stream) -> usize {
    let count = u16::try_from(count).ok().and_then(NonZeroU16::new);
    count.map_or(0, |count| usize::from(random.below(count)))
}

/// Whether an event with this chance in per cent happens.
pub fn chance(percent: u8, random: &mut Stream) -> bool {
    percent > 0 && one_of(100, random) < usize::from(percent)
}
