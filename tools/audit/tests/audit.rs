//! The commands of fairshoe-audit, run as an auditor would.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    reason = "a test fails by panicking"
)]

#[path = "../../../src/judge/tests/audit_common/mod.rs"]
mod audit_common;
mod command_line;
#[path = "../../../src/house/tests/common/mod.rs"]
mod common;
mod continues;
mod desk;
#[path = "../../../tests/src/foreign.rs"]
mod foreign;
#[path = "../../../src/games/tests/golden_cases/mod.rs"]
mod golden_cases;
mod hand_histories;
mod mirror;
mod monitor_command;
mod pieces;
mod play;
mod poker_shoe;
mod refund;
mod replay;
mod served;
mod stats_chance;
mod stats_command;
mod stats_figures;
mod stats_report;
mod tournament;
#[path = "../../../src/house/examples/tournament_logs/chance.rs"]
#[allow(dead_code, reason = "the example writes files, too")]
mod tournament_chance;
#[path = "../../../src/house/examples/tournament_logs/off.rs"]
mod tournament_off;
#[path = "../../../src/house/tests/tournament_play.rs"]
#[allow(dead_code, reason = "tests of the house use more of it")]
mod tournament_play;
