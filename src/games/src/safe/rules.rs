//! The options of a Safe rule set: the number of players, the entry, how disputed rules are read (spec/games/safe.md;
//! A002).

use super::SafeRound;
use crate::game::{Game, Lying, face_up};
use crate::points::total_words;
use crate::script::Form;
use crate::{Bet, BetRefusal, Chips, DealingRule, Edge, Mode, Place, Placed, Placement, Reshuffle, Round, TableRules};
use fairshoe_fairness::Composition;
use serde::{Deserialize, Serialize};

/// The fewest players of a game (R002.1).
pub(super) const LEAST_PLAYERS: u8 = 2;

/// The most players: six hands of two cards leave a pile to play from (R002.1).
const MOST_PLAYERS: u8 = 6;

/// Whether a turn may end on a hand that is not safe (A002.b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// After an operation, unless it was a Change or Hit-change.
    AfterOperation,
    /// Never: a turn goes on to Stand, 21, bust or Face-down.
    Never,
}

/// When a Hit-change is decided (A002.t).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitChange {
    /// After the drawn card is shown.
    Seen,
    /// Before it is drawn.
    Declared,
}

/// The options of a Safe rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SafeRules {
    /// Whether a turn may end on a hand that is not safe.
    pub pass: Pass,
    /// When a Hit-change is decided.
    pub hit_change: HitChange,
    /// The last round of a game, 1 to 255. The document has no such bound; without one a game may never end.
    pub last_round: u8,
}

impl Game for SafeRules {
    fn validate(&self, table: &TableRules) -> Result<(), String> {
        let refuse = |why: &str| Err(why.to_owned());
        if table.mode != Mode::Shared || !(LEAST_PLAYERS..=MOST_PLAYERS).contains(&table.seats) {
            return refuse("Safe is for a shared table of 2 to 6 seats (R002.1)");
        }
        if table.dealing != DealingRule::Sequential {
            return refuse("Safe has one pile: its dealing is `sequential` (C9)");
        }
        if table.stake_min != table.stake_max {
            return refuse("everyone enters Safe with the same stake: stake_min must be stake_max (A002.w)");
        }
        if table.bets_per_player != 1 {
            return refuse("a player has one entry: bets_per_player must be 1 (A002.w)");
        }
        if table.reshuffle != Reshuffle::EveryRound {
            return refuse("every game of Safe has a pile of its own: reshuffle must be `every_round` (R002.21)");
        }
        if self.last_round == 0 {
            return refuse("last_round must be from 1 to 255");
        }
        Ok(())
    }

    fn composition(&self) -> Composition {
        Composition::Decks(1)
    }

    fn check_bets(&self, table: &TableRules, bets: &[Bet], balance: Chips) -> Result<(), BetRefusal> {
        bets.iter().try_for_each(|bet| {
            seat_number(table, bet)?;
            Placement::check(table, bet, balance)
        })
    }

    fn open_round(&self, table: &TableRules, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        let mut entries = Vec::with_capacity(placed.len());
        for one in placed {
            for bet in &one.bets {
                entries.push((seat_number(table, bet)?, one.player.clone(), bet.stake));
            }
        }
        let (least, most) = (usize::from(LEAST_PLAYERS), usize::from(table.seats));
        if !(least..=most).contains(&entries.len()) {
            return Err(BetRefusal::Players { given: entries.len(), least, most });
        }
        Ok(Box::new(SafeRound::new(self.clone(), entries)?))
    }

    fn least_players(&self) -> usize {
        usize::from(LEAST_PLAYERS)
    }

    fn spots_are_seats(&self) -> bool {
        true
    }

    fn collects_cards(&self) -> bool {
        true
    }

    fn spots(&self, table: &TableRules) -> Vec<String> {
        (1..=table.seats).map(|seat| seat.to_string()).collect()
    }

    fn sign(&self) -> Vec<String> {
        vec![
            "the winner takes all entries".to_owned(),
            format!("the game ends with its round {} at the latest", self.last_round),
        ]
    }

    /// The entries of all other players.
    fn most_won(&self, _bet: &Bet, players: usize) -> i64 {
        i64::try_from(players).unwrap_or(i64::MAX).saturating_sub(1)
    }

    fn edge(&self) -> Edge<'_> {
        Edge::Nothing("the pot goes from player to player whole")
    }

    fn script(&self, _table: &TableRules) -> Form {
        Form::Entries
    }

    fn total_words(&self, place: Place, lying: &Lying) -> Option<String> {
        matches!(place, Place::Hand { .. }).then(|| total_words(face_up(lying, place)))
    }
}

/// The seat of an entry: its number, in its one spelling.
fn seat_number(table: &TableRules, bet: &Bet) -> Result<u8, BetRefusal> {
    let seat =
        bet.spot.parse().ok().filter(|seat: &u8| (1..=table.seats).contains(seat) && seat.to_string() == bet.spot);
    seat.ok_or_else(|| BetRefusal::UnknownSpot {
        spot: bet.spot.clone(),
        valid: format!("the entry is placed on the seat's number, 1 to {}", table.seats),
    })
}
