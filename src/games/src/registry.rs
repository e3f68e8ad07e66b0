//! The list of games: the one file that names each game with its folder.
//!
//! Owns: the types that have one variant for each game (rules, rounds, a game's own events) and the lists that every
//! game adds to. Does not own: a game's own knowledge, which stands in its folder behind [`Game`] and [`Round`].

use crate::event::round_events;
use crate::game::Game;
use crate::{Place, Round};
use fairshoe_fairness::Card;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One line for each game: its folder, which is also its word in rule sets and on the log; its name in types, with its
/// rules; its round; its own events.
macro_rules! games {
    ($($(#[$doc:meta])* $game:ident: $Name:ident($Rules:ty), $Round:ident $(, $Event:ident)?;)+) => {
        /// The rules of one game.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum GameRules {
            $($(#[$doc])* $Name($Rules),)+
        }

        impl GameRules {
            pub(crate) fn game(&self) -> &dyn Game {
                match self {
                    $(GameRules::$Name(rules) => rules.as_game(),)+
                }
            }

            /// The game's word in a rule set.
            pub fn word(&self) -> &'static str {
                match self {
                    $(GameRules::$Name(_) => stringify!($game),)+
                }
            }
        }

        /// The words of all games.
        pub const GAMES: &[&str] = &[$(stringify!($game)),+];

        /// A round of any game, in its saved form.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum SavedRound<'r> {
            $($(#[$doc])* $Name(Cow<'r, crate::$game::$Round>),)+
        }

        impl From<SavedRound<'_>> for Box<dyn Round> {
            fn from(saved: SavedRound<'_>) -> Self {
                match saved {
                    $(SavedRound::$Name(round) => Box::new(round.into_owned()),)+
                }
            }
        }

        $(impl<'r> From<&'r crate::$game::$Round> for SavedRound<'r> {
            fn from(round: &'r crate::$game::$Round) -> Self {
                SavedRound::$Name(Cow::Borrowed(round))
            }
        })+

        round_events! { $($(
            /// This game's own event.
            $Name(crate::$game::$Event) = $game,
        )?)+ }

        /// Each game's shipped rule sets.
        const SHIPPED: &[&[(&str, &str)]] = &[$(crate::$game::RULE_SETS),+];

        /// For each game the rule sets of which a first start opens a table.
        const OPENED: &[&[&str]] = &[$(crate::$game::OPENED_FIRST),+];
    };
}

games! {
    /// Blackjack in any of its forms.
    blackjack: Blackjack(crate::blackjack::BlackjackRules), BlackjackRound;
    /// Baccarat (R001.40 and on).
    baccarat: Baccarat(crate::baccarat::BaccaratRules), BaccaratRound;
    /// Roulette with a single zero (R001.70 and on).
    roulette: Roulette(crate::roulette::RouletteRules), RouletteRound;
    /// The party game of document 002.
    safe: Safe(crate::safe::SafeRules), SafeRound, SafeEvent;
    /// Poker for cash: hold'em and Omaha.
    poker: Poker(Box<crate::poker::PokerRules>), PokerRound, PokerEvent;
    /// Dragon Tiger (R005.1 and on).
    dragon_tiger: DragonTiger(crate::dragon_tiger::DragonTigerRules), DragonTigerRound;
    /// Sic Bo (R006.1 and on).
    sic_bo: SicBo(crate::sic_bo::SicBoRules), SicBoRound;
}

/// The rule sets that the product ships, as (name, JSON text of `spec/rulesets/`).
pub const SHIPPED_RULE_SETS: &[(&str, &str)] = &{
    const ALL: [(&str, &str); count(SHIPPED)] = joined(SHIPPED, ("", ""));
    ALL
};

/// The names of the rule sets of which a first start opens a public table.
pub const OPENED_FIRST: &[&str] = &{
    const ALL: [&str; count(OPENED)] = joined(OPENED, "");
    ALL
};

/// The number of items in all parts.
const fn count<T>(parts: &[&[T]]) -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

/// All parts, one after another.
const fn joined<T: Copy, const N: usize>(parts: &[&[T]], filler: T) -> [T; N] {
    let mut all = [filler; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            all[at] = parts[part][index];
            at += 1;
            index += 1;
        }
        part += 1;
    }
    all
}
