//! The commitments, draws and published values of spec/fairness.md and spec/vectors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod bytes;
mod card;
mod check_values;
mod composition;
mod draw;
mod lanes;
mod names;
mod properties;
mod verify_vectors;

/// The library's own files, for tests of private items.
#[path = "../src"]
#[allow(dead_code, reason = "the library uses it")]
mod library {
    mod hash;
    mod merkle;
    mod stream;
}
