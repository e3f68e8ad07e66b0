//! A game's answers about a table: the bets it takes, the cards of its shoe, how a round begins. Code outside this
//! crate asks through [`crate::RuleSet`].

use crate::script::Form;
use crate::{Bet, BetRefusal, Chips, Edge, Place, Placed, Round, RoundEvent, TableRules};
use fairshoe_fairness::{Card, Composition};
use std::collections::BTreeMap;

/// The cards of a round by place, in the order in which they came there; a face-down card has no face.
pub type Lying = BTreeMap<Place, Vec<Option<Card>>>;

/// The cards that lie face-up at a place.
pub(crate) fn face_up(lying: &Lying, place: Place) -> Vec<Card> {
    lying.get(&place).into_iter().flatten().copied().flatten().collect()
}

/// A game's answers about a table of its rules. The rest of the house asks through [`crate::RuleSet`] and knows no
/// game.
pub(crate) trait Game {
    /// These rules as a trait object.
    fn as_game(&self) -> &dyn Game
    where
        Self: Sized,
    {
        self
    }
    /// Whether the game's options fit together and fit the table's; the reason if not.
    fn validate(&self, table: &TableRules) -> Result<(), String>;
    /// The shoe's cards at the table's first deal and after each reshuffle.
    fn composition(&self) -> Composition;
    /// Checks one player's bets: limits, spots, chips, balance.
    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal>;
    /// A round with these checked bets, by players in ascending order of their names.
    fn open_round(&self, table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal>;
    /// The names of all spots on which a bet can be placed, in the order of the layout; empty if a round has no bets
    /// before it begins.
    fn spots(&self, table: &TableRules) -> Vec<String>;
    /// The game's lines on the table's sign (R001.130).
    fn sign(&self) -> Vec<String>;
    /// The most that a unit on this bet can win in a round of so many players.
    fn most_won(&self, bet: &Bet, players: usize) -> i64;
    /// The share of the stakes that the house keeps, as far as it is known.
    fn edge(&self) -> Edge<'_>;
    /// How a round of this game is written in words (spec/games/play.md).
    fn script(&self, table: &TableRules) -> Form;
    /// The fewest players of a round.
    fn least_players(&self) -> usize {
        1
    }
    /// Whether a bet's spot is a seat's number. Then a taken seat's spot belongs to that player alone.
    fn spots_are_seats(&self) -> bool {
        false
    }
    /// The number of shoe candidates committed: 2 in private games (spec/fairness.md).
    fn candidates(&self) -> u8 {
        1
    }
    /// Whether a round may go on with a pile collected from its own cards, which is unknown in advance
    /// ([`Round::needs_pile`]).
    fn collects_cards(&self) -> bool {
        false
    }
    /// Whether high cards left in the shoe favour the players. Then the choice of when to change a shoe can favour a
    /// side.
    fn high_cards_favour_players(&self) -> bool {
        false
    }
    /// The face-up cards at a place, summed up in words; `None` if this game has no such words.
    fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        let _ = (place, lying);
        None
    }
    /// An event in words, with what the open cards come to; `None` if the cards add nothing.
    fn event_words(&self, event: &RoundEvent, lying: &Lying, sum: &dyn Fn(Chips) -> String) -> Option<String> {
        let _ = (event, lying, sum);
        None
    }
}
