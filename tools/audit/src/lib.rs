//! What `fairshoe-audit` does: it fetches or reads evidence, has the pure crates judge it, and says the verdict.
//!
//! Owns: sources (an address, a stopped service's data folder, a mirror, a bundle file), files, words on the screen,
//! exit codes. Does not own any check: those are the house's, the log's and the protocol's. It does not depend on the
//! service.

mod acks;
pub mod chance;
mod cli;
mod clock;
mod cluster;
mod continues;
mod disclosures;
mod durable;
mod find;
mod from;
mod history;
mod http;
mod leaning;
mod ledger;
mod legend;
mod log;
mod mirror;
mod monitor;
mod once;
mod outcome;
mod pieces;
mod play;
mod progress;
mod receipt;
mod refund;
pub mod replay;
mod rival;
mod round;
mod rule;
mod saved_evidence;
mod saw_check;
mod sheet;
mod shoe;
mod source;
mod statement;
pub mod stats;
mod tiled;
mod tournament;
mod verified;
mod wallet;
mod whole_log;
mod witness;
mod zone;

pub use cli::{Cli, Task};
pub use outcome::{Outcome, UnusableInput};

use signal_hook::consts::{SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ};
use std::process::ExitCode;
use std::sync::Arc;

/// Signals that would end a process without a word. A write beyond the limit of a file's size fails instead, which is said;
/// the others mean nothing to one that runs on its own.
fn outlive_signals(task: &Task) -> Result<(), UnusableInput> {
    let alone = match task {
        Task::Monitor(_) | Task::Witness(_) => true,
        Task::Mirror(args) => args.every.is_some(),
        _ => false,
    };
    let others = [SIGHUP, SIGUSR1, SIGUSR2].into_iter().filter(|_| alone);
    for signal in others.chain([SIGXFSZ]) {
        signal_hook::flag::register(signal, Arc::default()).map_err(UnusableInput::new)?;
    }
    Ok(())
}

/// Does what was asked and gives the exit code: 0 sound, 1 not sound, 2 unusable input.
pub fn run(cli: Cli) -> ExitCode {
    let goes_through = cli.proxy.as_deref().map_or(Ok(()), http::go_through);
    let done = goes_through.and_then(|()| outlive_signals(&cli.task)).and_then(|()| match &cli.task {
        Task::Round(args) => round::run(args),
        Task::Shoe(args) => shoe::run(args),
        Task::Receipt(args) => receipt::run(args),
        Task::Log(args) => log::run(args),
        Task::Cluster(args) => cluster::run(args),
        Task::Wallet(args) => wallet::run(args),
        Task::Monitor(args) => monitor::run(args),
        Task::Evidence(args) => monitor::evidence::run(args),
        Task::Stats(args) => stats::run(args),
        Task::Mirror(args) => mirror::run(args),
        Task::Play(args) => play::run(args),
        Task::Refund(args) => refund::refund(args),
        Task::Prizes(args) => refund::prizes(args),
        Task::Replay(args) => replay::run(args),
        Task::Find(args) => find::run(args),
        Task::History(args) => history::run(args),
        Task::Tournament(args) => tournament::run(args),
        Task::Rule(args) => rule::run(args),
        Task::Witness(args) => witness::run(args),
    });
    match done {
        Ok(Outcome::Sound) => ExitCode::SUCCESS,
        Ok(Outcome::NotSound) => ExitCode::from(1),
        Err(UnusableInput(why)) => {
            eprintln!("fairshoe-audit: {why}");
            ExitCode::from(2)
        }
    }
}
