//! What the load program checks of a service, and what it finds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

mod cash_table;
mod cheats;
mod checks;
mod desk;
mod tournament;
