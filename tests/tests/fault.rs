//! Kills, power cuts, full disks, damaged bytes and clocks that jump, on a real service.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod fault_check;
mod fault_clock;
mod fault_cluster;
mod fault_cluster_access;
mod fault_cluster_clock;
mod fault_cluster_disks;
mod fault_damage;
mod fault_disk;
mod fault_doctor;
mod fault_end;
mod fault_index;
mod fault_kill;
mod fault_poker;
mod fault_power;
mod fault_refusals;
mod fault_restore;
mod fault_snapshot;
mod fault_sync;
mod fault_tournament;
mod fault_wallet;
mod faults;
