//! What a game's rules answer about a table: which bets it takes, what its shoe holds, how a round begins. Everything
//! outside this crate asks through [`crate::RuleSet`].

use crate::script::Form;
use crate::{Bet, BetRefusal, Chips, Edge, Place, Placed, Round, RoundEvent, TableRules};
use fairshoe_fairness::{Card, Composition};
use std::collections::BTreeMap;

/// The cards of a round as they lie, by place, in the order in which they came there; a face-down one has no face.
pub type Lying = BTreeMap<Place, Vec<Option<Card>>>;

/// The cards that lie face-up at a place.
pub(crate) fn face_up(lying: &Lying, place: Place) -> Vec<Card> {
    lying.get(&place).into_iter().flatten().copied().flatten().collect()
}

/// What a game's rules answer about a table of theirs. The rest of the house asks through [`crate::RuleSet`], and knows
/// no game.
pub(crate) trait Game {
    /// These rules, whichever game's they are.
    fn as_game(&self) -> &dyn Game
    where
        Self: Sized,
    {
        self
    }
    /// Whether the game's options hold together, with each other and with the table's; the reason if not.
    fn validate(&self, table: &TableRules) -> Result<(), String>;
    /// What a shoe holds at the table's first deal and after each reshuffle.
    fn composition(&self) -> Composition;
    /// Checks one player's bets: limits, spots, chips, balance.
    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal>;
    /// A round with these bets, each of them checked, by players in ascending order of their names.
    fn open_round(&self, table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal>;
    /// The names of all spots on which a bet can be placed, in the order of the layout; none where a round has no bets
    /// before it.
    fn spots(&self, table: &TableRules) -> Vec<String>;
    /// What the table's sign says of the game, a line each (R001.130).
    fn sign(&self) -> Vec<String>;
    /// The most that a unit on this bet can win in a round of so many players.
    fn most_won(&self, bet: &Bet, players: usize) -> i64;
    /// What is known of the share of the stakes that the house keeps.
    fn edge(&self) -> Edge<'_>;
    /// How a round of it is written down in words (spec/games/play.md).
    fn script(&self, table: &TableRules) -> Form;
    /// How many players a round needs.
    fn least_players(&self) -> usize {
        1
    }
    /// Whether a bet's spot is a seat's number, so that a taken seat's spot is that player's alone.
    fn spots_are_seats(&self) -> bool {
        false
    }
    /// How many shoe candidates are committed: 2 in private games (spec/fairness.md).
    fn candidates(&self) -> u8 {
        1
    }
    /// Whether a round may go on with a pile collected from its own cards, which nobody knows before
    /// ([`Round::needs_pile`]).
    fn collects_cards(&self) -> bool {
        false
    }
    /// Whether high cards left in the shoe are good for the players, so that when a shoe is changed can favour a side.
    fn high_cards_favour_players(&self) -> bool {
        false
    }
    /// What the face-up cards at a place come to, in words; `None` where this game tells nothing of them.
    fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        let _ = (place, lying);
        None
    }
    /// An event in words that say, too, what the cards come to that lie open; `None` where they add nothing to it.
    fn event_words(&self, event: &RoundEvent, lying: &Lying, sum: &dyn Fn(Chips) -> String) -> Option<String> {
        let _ = (event, lying, sum);
        None
    }
}
