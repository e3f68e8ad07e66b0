//! The tests in the crate's own file, which need private items.
#![allow(missing_docs, dead_code, reason = "the crate is used by async-nats")]

#[path = "../src/lib.rs"]
mod library;
