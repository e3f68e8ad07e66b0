//! The house: what it decides, what its log may say, and who judges it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod abandon;
mod audit_book;
mod audit_bundle;
mod audit_cheats;
mod audit_cheats_shared;
mod audit_common;
mod audit_resume;
mod common;
mod common_rules;
mod crash;
mod decode;
mod golden;
mod idle_seats;
mod joy_house;
mod keys;
mod ledger_only;
mod malfunction;
mod newcomers;
mod overdue;
mod piles;
mod poker_cheats;
mod poker_policies;
mod poker_random;
mod poker_rules;
mod poker_second;
mod poker_sizes;
mod properties;
mod refusals;
mod shared_bundles;
mod shared_crash;
mod shared_play;
mod shared_properties;
mod shared_tables;
mod vectors;
mod withheld;
