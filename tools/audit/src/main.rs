//! The auditor's and dispute desk's command line. Exit: 0 sound, 1 not sound, 2 unusable input.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    fairshoe_audit::run(fairshoe_audit::Cli::parse())
}
