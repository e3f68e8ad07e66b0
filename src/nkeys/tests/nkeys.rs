//! The tests that stand in the crate's own file, for they need what is private.
#![allow(missing_docs, dead_code, reason = "the crate is used by async-nats")]

#[path = "../src/lib.rs"]
mod library;
