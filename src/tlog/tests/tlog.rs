//! The tree, its tiles, notes, receipts and policies, against spec/log.md, oracles and vectors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

mod common;
mod formats;
mod notes;
mod oracles;
mod policy;
mod reference;
mod tiled;
mod tree;
mod vectors;
