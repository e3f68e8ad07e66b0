//! The house's edge by the player's strategy (spec/games/odds.md).

use super::{BlackjackRules, total};
use crate::{GameRules, PlayOdds, RuleSet};
use fairshoe_fairness::Card;

/// The house's edges from a full shoe, in millionths of the opening stake.
pub struct Figures {
    /// A shipped rule set that has these options.
    pub rule_set: &'static str,
    /// The opening stake they hold at; other stakes may round.
    pub stake: u64,
    /// One edge for each way of play in [`PLAY`].
    pub edges: [i64; 3],
}

/// The ways of play of [`Figures::edges`].
pub const PLAY: [&str; 3] = ["best play without counting", "copies the dealer", "never risks a bust"];

/// Source: spec/games/odds.md, "House edge: blackjack"; `fairshoe-odds blackjack RULESET --exact`.
pub const FIGURES: [Figures; 4] = [
    Figures { rule_set: "joy", stake: 10, edges: [-1_946, 55_690, 60_011] },
    Figures { rule_set: "live-blackjack", stake: 100, edges: [7_074, 56_754, 63_207] },
    Figures { rule_set: "six-deck", stake: 10, edges: [-2_543, 56_756, 63_034] },
    Figures { rule_set: "study-group", stake: 10, edges: [840, 56_756, 63_034] },
];

impl BlackjackRules {
    /// The rules without options that only seat players and change neither a box's cards nor a payment.
    fn essence(&self) -> BlackjackRules {
        BlackjackRules { boxes: 1, ..self.clone() }
    }
}

impl PlayOdds for BlackjackRules {
    /// The figures of these options, if a shipped rule set has them. For others the list is empty; `fairshoe-odds`
    /// computes them.
    fn figures(&self) -> Vec<(&'static str, i64)> {
        let options = self.essence();
        let same = |figures: &&Figures| match RuleSet::shipped(figures.rule_set).map(|shipped| shipped.game) {
            Some(GameRules::Blackjack(rules)) => rules.essence() == options,
            _ => false,
        };
        FIGURES.iter().find(same).map(|figures| PLAY.into_iter().zip(figures.edges).collect()).unwrap_or_default()
    }

    fn is_natural(&self, first: Card, second: Card) -> bool {
        total([first, second]).points == 21
    }
}
