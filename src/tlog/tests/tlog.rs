//! The tree, its tiles, notes, receipts and policies, against spec/log.md, oracles and vectors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

mod common;
mod cosignature;
mod formats;
mod notes;
mod oracles;
mod policy;
mod reference;
mod signature;
mod tiled;
mod tree;
mod vectors;
mod witness;

/// The library's own file, for tests of private items.
#[path = "../src/text.rs"]
#[allow(dead_code, reason = "the library uses it")]
mod text;
