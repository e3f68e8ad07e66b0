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
mod garbled_hands;
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
mod tournament_chance;
mod tournament_off;
#[path = "../../../src/house/tests/tournament_play.rs"]
#[allow(dead_code, reason = "tests of the house use more of it")]
mod tournament_play;

/// The program's own files, for their tests of what is private.
#[path = "../src"]
#[allow(dead_code, reason = "the program uses it")]
mod program {
    mod acks;
    pub mod chance;
    mod clock;
    pub mod durable;
    pub mod leaning;
    mod once;
    pub mod outcome;
    mod saw_check;
    mod zone;

    mod monitor {
        mod evidence_file;
        mod memory;
    }
    mod replay {
        mod amount;
    }
    mod stats {
        mod repeats;
        mod returns;
        mod series;
        mod svg;
        mod uniform;
        use fairshoe_audit::stats::exact;
    }
    /// Judges what the library counts, and so with the library's series.
    #[path = "stats"]
    mod judgement {
        mod judge;
        use fairshoe_audit::stats::{exact, rounds, series, shoes};
    }
    mod witness {
        mod memory;
    }
}
// What these files name as `crate::…`.
use program::{chance, durable, leaning, outcome};
