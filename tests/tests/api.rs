//! The service through its own port, as clients, players, auditors and strangers use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod api_choices;
mod api_contract;
mod api_contract_judge;
mod api_entries;
mod api_find;
mod api_fuzz;
mod api_games;
mod api_guests;
mod api_keys;
mod api_leak;
mod api_limits;
mod api_log;
mod api_log_large;
mod api_names;
mod api_page;
mod api_player_limits;
mod api_poker;
mod api_proofs;
mod api_proxy;
mod api_records;
mod api_refusals;
mod api_repeats;
mod api_roles;
mod api_round;
mod api_shared;
mod api_stream;
mod api_tables;
mod api_tls;
mod api_tournaments;
mod api_transfers;
mod api_types;
mod api_verify;
mod api_wallet;
mod api_wire;
mod api_witness;
mod faults;
mod first_hand;
mod foreign_tools;
mod load_poker;
mod monitor;
mod mutations;
mod second_verifier;
#[path = "../../tools/audit/tests/served/mod.rs"]
mod served;
mod tour;
