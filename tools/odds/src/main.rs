//! Computes the house's share of the stakes for a rule set, with the engines that deal. Exit: 0 done, 2 unusable input.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    fairshoe_odds::run(&fairshoe_odds::Cli::parse())
}
