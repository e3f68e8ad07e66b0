//! Expectations, exact and simulated, against published figures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    reason = "a test fails by panicking"
)]

mod blackjack_exact;
mod blackjack_figures;
mod blackjack_simulation;
mod command;
mod exact_games;
mod fraction;
mod tree;

/// The program's own file, for tests of private items.
#[path = "../src/blackjack/patterns.rs"]
mod patterns;
