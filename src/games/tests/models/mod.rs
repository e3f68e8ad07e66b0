//! Second implementations of the games, written from their pages alone.

pub mod baccarat;
pub mod blackjack;
pub mod blackjack_sets;
pub mod cards;
pub mod roulette;
pub mod safe;
