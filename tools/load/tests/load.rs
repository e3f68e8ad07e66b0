//! The load program's checks of a service, and the flaws it finds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

mod cash_table;
mod cheats;
mod checks;
mod consistency;
mod desk;
mod limits;
mod terms;
mod totals;
mod tournament;
mod two_lines;

/// The program's own files, for tests of private items.
#[path = "../src"]
#[allow(dead_code, unused_imports, reason = "the program uses it")]
mod program {
    mod client;
    mod pace;
    mod seating;
    pub mod strategy;
}
// The names that these files use as `crate::…`.
use fairshoe_load::{args, client, failure, link, shared};
use program::strategy;
