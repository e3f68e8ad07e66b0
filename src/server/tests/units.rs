//! The tests that stand in the service's own files, for they need what is private: those files are compiled here once
//! more, and nothing else of the library.
#![allow(missing_docs, dead_code, unused_imports, reason = "the service uses all of it, and nobody else sees it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../src/cluster"]
mod cluster {
    mod watched;
    pub use fairshoe::parts::*;
}

#[path = "../src/edge"]
mod edge {
    pub mod budget;
    mod client_address;
    pub mod connections;
    mod framing;
    mod guest_quota;
    mod line;
    mod null;
    mod number;
    mod own_reply;
    mod rates;
    mod share;
    mod signature;
    mod stream_id;
    pub mod streams;
    pub mod turns;
    pub use fairshoe::parts as problem;
    pub use fairshoe::parts::*;
}

#[path = "../src/ops"]
mod ops {
    pub mod bounded_log;
    pub mod directory;
    pub mod display_names;
    pub mod keys;
    pub use fairshoe::parts as startup;
    pub mod tickets;
    pub mod tokens;
}

#[path = "../src/read"]
mod read {
    pub mod asking;
    pub mod followers;
    pub mod frames;
    pub mod lanes;
    pub use fairshoe::parts as archive;
    pub use fairshoe::parts as history;
    pub use fairshoe::parts as index;
}

/// Apart, since the others work with the library's.
#[path = "../src/read"]
mod apart {
    mod index;
}

#[path = "../src/wallet"]
mod wallet {
    mod contact;
    mod settings;
    mod work;
    use settings::Settings;
}

#[path = "../src/witness"]
mod witness {
    mod contact;
    mod settings;
    mod state;
    pub use settings::address;
}

#[path = "../src/write"]
mod write {
    pub mod dealer;
    pub mod evidence;
    pub mod own_time;
    #[path = "pipeline"]
    pub mod pipeline {
        mod appends;
        mod homes;
        mod quota;
        pub use fairshoe::parts::*;
    }
    pub mod refusals;
    pub mod snapshots;
    pub mod times;
    pub use fairshoe::parts as committed;
    pub use fairshoe::parts as durable;
    pub use fairshoe::parts as published;
}
