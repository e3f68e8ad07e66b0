//! What the judges say of logs: of honest ones, whatever was played in them, and of every lie that somebody thought of.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod abandon;
mod audit_book;
mod audit_bundle;
mod audit_cheats;
mod audit_cheats_shared;
mod audit_common;
mod audit_counts;
mod audit_leans;
mod audit_notes;
mod audit_resume;
mod by_players;
#[path = "../../house/tests/common/mod.rs"]
mod common;
mod crash;
mod guests;
mod idle_seats;
mod keys;
mod ledger_only;
mod ledger_tournaments;
mod lies;
mod malfunction;
mod money;
mod newcomers;
mod noted;
mod overdue;
mod pieces;
mod piles;
mod poker_cheats;
mod poker_random;
mod poker_second;
mod shared_bundles;
mod shared_crash;
mod shared_play;
mod shared_properties;
mod state_noted;
mod time;
#[path = "../../house/tests/tournament_play.rs"]
mod tournament_play;
mod tournament_second;
mod tournaments;
mod vectors;
mod wallet;
mod withheld;

/// The library's own files, for their tests of what is private.
#[path = "../src/audit"]
#[allow(dead_code, reason = "the library uses it")]
mod audit {
    mod lean;
    mod once;
    mod results;
    mod sum;
    mod table_after;
    use fairshoe_judge::audit::{Check, Finding, VoidResult};
    use results::Results;

    mod ledger_only {
        mod fault;
        mod scan;
    }
}
