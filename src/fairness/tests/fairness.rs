//! The commitments, draws and published values of spec/fairness.md and spec/vectors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod check_values;
mod properties;
mod vectors_current;
mod verify_vectors;
