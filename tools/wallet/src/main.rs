//! The command line of the sample wallet. Exit: 0 done, or every check holds; 1 a check fails; 2 the command failed.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    fairshoe_wallet::run(fairshoe_wallet::Cli::parse())
}
