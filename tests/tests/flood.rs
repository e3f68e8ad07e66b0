//! Load tests, which need both cores for themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod api_flood;
mod api_shares;
mod hostile;
