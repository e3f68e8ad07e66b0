//! The tests that stand in the service's own files, for they need what is private: those files are compiled here once
//! more, and nothing else of the library.
#![allow(missing_docs, dead_code, unused_imports, reason = "the service uses all of it, and nobody else sees it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../src"]
mod server {
    pub mod asking;
    pub mod bounded_log;
    pub mod budget;
    pub mod connections;
    pub mod dealer;
    pub mod directory;
    pub mod display_names;
    pub mod evidence;
    pub mod followers;
    pub mod frames;
    pub mod index;
    pub mod keys;
    pub mod lanes;
    pub mod own_time;
    pub mod refusals;
    pub mod repeats;
    pub mod snapshots;
    pub mod streams;
    pub mod tickets;
    pub mod times;
    pub mod tokens;

    mod cluster {
        mod watched;
    }
    mod http {
        mod client_address;
        mod framing;
        mod guest_quota;
        mod null;
        mod number;
        mod own_reply;
        mod rates;
        mod share;
        mod signature;
        mod stream_id;
        use fairshoe::parts as problem;
    }
    mod pipeline {
        mod homes;
        mod quota;
    }
    mod wallet {
        mod contact;
        mod settings;
        mod work;
        use settings::Settings;
    }
    pub mod witnesses {
        mod contact;
        mod settings;
        mod state;
        pub use settings::address;
    }
}

// What these files name as `crate::…`: each other, and parts of the library.
use fairshoe::parts as archive;
use fairshoe::parts as cluster;
use fairshoe::parts as committed;
use fairshoe::parts as durable;
use fairshoe::parts as history;
use fairshoe::parts as http;
use fairshoe::parts as index;
use fairshoe::parts as pipeline;
use fairshoe::parts as published;
use fairshoe::parts as startup;
use server::{asking, connections, evidence, keys, lanes, snapshots, tokens, witnesses};
