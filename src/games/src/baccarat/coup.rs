//! How the cards decide a coup, as plain functions of point values. The engine and a calculator share them.

use fairshoe_fairness::Card;
use serde::{Deserialize, Serialize};

/// The two hands of a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The hand called Player.
    Player,
    /// The hand called Banker.
    Banker,
}

/// The result of a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coup {
    /// Player has more points.
    Player,
    /// Banker has more points.
    Banker,
    /// Equal points.
    Tie,
}

impl Coup {
    /// Its word: `player`, `banker`, `tie`.
    pub fn word(self) -> &'static str {
        match self {
            Coup::Player => "player",
            Coup::Banker => "banker",
            Coup::Tie => "tie",
        }
    }
}

/// A spot to bet on (R001.42).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spot {
    /// Player will have more points.
    Player,
    /// Banker will have more points.
    Banker,
    /// The points will be equal.
    Tie,
}

impl Spot {
    /// The spots in the order of the layout.
    pub const ALL: [Spot; 3] = [Spot::Player, Spot::Banker, Spot::Tie];

    /// Its name on the log: `player`, `banker`, `tie`.
    pub fn name(self) -> &'static str {
        match self {
            Spot::Player => "player",
            Spot::Banker => "banker",
            Spot::Tie => "tie",
        }
    }

    /// The spot of that name.
    pub fn parse(name: &str) -> Option<Spot> {
        Spot::ALL.into_iter().find(|spot| spot.name() == name)
    }
}

/// The points of a card: an ace counts 1, 2 to 9 their number, 10, J, Q and K zero (R001.40).
pub fn card_value(card: Card) -> u8 {
    if card.rank() < 10 { card.rank() } else { 0 }
}

/// The points of a hand of these values: the last digit of their sum (R001.40).
pub fn points(values: &[u8]) -> u8 {
    values.iter().fold(0, |sum, value| (sum + value % 10) % 10)
}

/// Whether two cards of so many points end the drawing (R001.44).
pub fn is_natural(points: u8) -> bool {
    points >= 8
}

/// Whether Player draws, with two cards and no natural on either side (R001.45).
pub fn player_draws(player: u8) -> bool {
    player <= 5
}

/// Whether Banker draws, with two cards and no natural on either side. It depends on Banker's points and on the value
/// of Player's third card, if Player drew one (R001.45, R001.46).
pub fn banker_draws(banker: u8, player_third: Option<u8>) -> bool {
    match (banker, player_third) {
        (_, None) => banker <= 5,
        (0..=2, Some(_)) => true,
        (3, Some(third)) => third != 8,
        (4, Some(third)) => (2..=7).contains(&third),
        (5, Some(third)) => (4..=7).contains(&third),
        (6, Some(third)) => (6..=7).contains(&third),
        _ => false,
    }
}

/// The hand that gets the next card of the shoe, by the values of the cards dealt; `None` once the coup is decided.
/// Each hand gets two in turn, Player first (R001.43); Player's third card comes before Banker's (R001.127).
pub fn next_draw(player: &[u8], banker: &[u8]) -> Option<Side> {
    match (player.len(), banker.len()) {
        (0, 0) | (1, 1) => Some(Side::Player),
        (1, 0) | (2, 1) => Some(Side::Banker),
        (2, 2) if is_natural(points(player)) || is_natural(points(banker)) => None,
        (2, 2) if player_draws(points(player)) => Some(Side::Player),
        (2 | 3, 2) if banker_draws(points(banker), player.get(2).copied()) => Some(Side::Banker),
        _ => None,
    }
}

/// The result of the coup on these points.
pub fn outcome(player: u8, banker: u8) -> Coup {
    match player.cmp(&banker) {
        std::cmp::Ordering::Greater => Coup::Player,
        std::cmp::Ordering::Less => Coup::Banker,
        std::cmp::Ordering::Equal => Coup::Tie,
    }
}
