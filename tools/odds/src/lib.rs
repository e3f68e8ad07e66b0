//! The library of `fairshoe-odds`: it computes the house's share of the stakes for each rule set, with the engines that
//! deal.
//!
//! Owns: enumerations, expectations, simulations, their reports. Does not own any rule: draws, legal choices and
//! payouts come from `fairshoe-games`. `spec/games/odds.md` has figures and methods.

pub mod baccarat;
pub mod bets;
pub mod blackjack;
mod cli;
pub mod drive;
mod fraction;
mod render;
mod ruleset;
pub mod safe;
mod shoe;
mod spread;

pub use cli::{BaccaratArgs, BetsArgs, BlackjackArgs, Cli, SafeArgs, StrategyName, Task};
pub use fraction::Fraction;
pub use ruleset::read_rule_set;
pub use spread::Spread;

use std::fmt;
use std::io::Write as _;
use std::process::ExitCode;

/// Why the computation is impossible, in words for the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableInput(pub String);

impl fmt::Display for UnusableInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs the command and returns the exit code: 0 done, 2 unusable input.
pub fn run(cli: &Cli) -> ExitCode {
    let done = match &cli.task {
        Task::Baccarat(args) => {
            baccarat::run(args).and_then(|report| render::written(&report, args.json, baccarat::BaccaratReport::text))
        }
        Task::Bets(args) => {
            bets::run(args).and_then(|report| render::written(&report, args.json, bets::BetsReport::text))
        }
        Task::Blackjack(args) => blackjack::run(args)
            .and_then(|report| render::written(&report, args.json, blackjack::BlackjackReport::text)),
        Task::Safe(args) => {
            safe::run(args).and_then(|report| render::written(&report, args.json, safe::SafeReport::text))
        }
    };
    match done {
        Ok(text) => {
            // The numbers are right even if no reader is left.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("fairshoe-odds: {why}");
            ExitCode::from(2)
        }
    }
}
