//! The auditor's and dispute desk's command line. Exit: 0 sound, 1 not sound, 2 unusable input.

use clap::Parser;
use std::process::ExitCode;

/// Entries are parsed on one thread and judged on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    fairshoe_audit::run(fairshoe_audit::Cli::parse())
}
