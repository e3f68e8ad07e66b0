//! The other side of `spec/wallet.md`: a small wallet on PostgreSQL, and the check that operators run against their
//! own.
//!
//! [`operation`] has the words of `spec/wallet.yaml`, [`database`] keeps accounts and operations, [`serve`] answers the
//! calls, [`client`] makes them, [`statement`] reads a wallet's operations of a log, [`check`] tries every rule over
//! HTTP alone. This crate shares no code with the house: a wallet is another party's program, written from the two
//! pages.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod check;
mod cli;
pub mod client;
pub mod database;
pub mod operation;
pub mod problem;
pub mod serve;
pub mod statement;

pub use cli::Cli;

use cli::Task;
use std::fmt::Display;
use std::io::Write as _;
use std::process::ExitCode;

/// Why the command failed: wrong use, or something is missing. It says what to do.
#[derive(Debug)]
pub struct Unusable(String);

impl Unusable {
    /// An error with these words.
    pub fn new(words: impl Display) -> Unusable {
        Unusable(words.to_string())
    }
}

impl Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

/// Runs the command line; returns the exit code.
pub fn run(cli: Cli) -> ExitCode {
    let done = match &cli.task {
        Task::Serve(args) => serve::run(args).map(|()| true),
        Task::Account(args) => accounts::add(args).map(|()| true),
        Task::Accounts(args) => accounts::list(args).map(|()| true),
        Task::Statement(args) => statement::run(args).map(|()| true),
        Task::Check(args) => check::run(args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            say(why);
            ExitCode::from(2)
        }
    }
}

/// Prints a line to standard error, which the parent process may have closed.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "fairshoe-wallet: {line}");
}

/// Text to standard output.
///
/// # Errors
/// If there is no reader any more.
pub(crate) fn print(text: &str) -> Result<(), Unusable> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Unusable::new(format!("standard output: {e}")))
}
