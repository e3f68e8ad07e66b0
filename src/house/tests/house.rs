//! The house: what it decides and what its log may say. Tests that ask a judge about the log are in src/judge/tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;
mod common_rules;
mod decode;
mod guests;
mod joy_house;
mod kept;
mod notes;
mod poker_policies;
mod poker_rules;
mod poker_sizes;
mod properties;
mod refusals;
mod rules_in_memory;
mod runs;
mod shared_tables;
mod signed;
mod state;
mod tournament_attacks;
mod tournament_play;
mod tournament_refunds;
mod tournament_rules;
mod tournaments;
mod transfers;
mod vectors;
mod wallet;
mod words;
mod worth;

/// The library's own files, for their tests of what is private.
#[path = "../src"]
#[allow(dead_code, reason = "the library uses it")]
mod library {
    mod conduct;
    pub mod sharded;
    mod shared_rules;
}
// What these files name as `crate::…`.
use library::sharded;
