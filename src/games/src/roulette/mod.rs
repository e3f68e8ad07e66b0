//! Roulette with a single zero: a committed wheel, every bet of the layout, one settlement a spin.
//!
//! Owns the layout, the odds and the settlement. Does not own stakes' movements, time, seeds or the pocket. Implements
//! `spec/games/roulette.md`.

mod layout;
mod round;
mod rules;

pub use layout::{BetKind, LayoutSpot, POCKETS, RED, layout, normalise, spot};
pub use round::RouletteRound;
pub use rules::{Pays, RouletteRules};
