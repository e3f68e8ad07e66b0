//! Load: what wants the two cores for itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod api_flood;
mod certificates;
mod hostile;
