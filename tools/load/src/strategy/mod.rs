//! How the programs play. A strategy sees what its player sees, and nothing else; the service gives no hint.

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

/// A way of playing. Games without decisions are played alike in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// By the book: hits, stands, doubles, splits and gives up by hand and up-card; no insurance.
    Basic,
    /// As the dealer must: hits to 16, stands from 17.
    CopyDealer,
    /// Stands on every hard total that one card could bust.
    NeverBust,
    /// Any offered choice, on one box or more: finds the rare paths.
    Random,
    /// At poker all in or fold, as a script has it that an event is soon over with; else by the book.
    AllIn,
}

impl Strategy {
    /// A choice among the options at this decision, or `None` if there is none that the strategy can make.
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
            // The stake is all that is decided elsewhere.
            _ => None,
        }
    }
}

/// One of `count` things, from 0; 0 of none.
pub(crate) fn one_of(count: usize, random: &mut Stream) -> usize {
    let count = u16::try_from(count).ok().and_then(NonZeroU16::new);
    count.map_or(0, |count| usize::from(random.below(count)))
}

/// Whether a chance of so many per cent comes about.
pub fn chance(percent: u8, random: &mut Stream) -> bool {
    percent > 0 && one_of(100, random) < usize::from(percent)
}
