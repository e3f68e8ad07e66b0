//! The command line of `fairshoe-wallet`: its subcommands, options and help. What each does is a module of its own.

use crate::operation::{MOST, is_log, is_player};
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A sample of an operator's wallet on PostgreSQL, and the check that operators run against their own (spec/wallet.md).
///
/// `serve` answers the house's calls; `account` and `accounts` are for whoever keeps the accounts. `statement` and
/// `check` ask any wallet over HTTP, also one that is not this sample.
///
/// Exit codes: 0 done, or every check holds; 1 a check fails; 2 wrong use, or something is not there.
#[derive(Debug, Parser)]
#[command(name = "fairshoe-wallet", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub task: Task,
}

const EXAMPLES: &str = "\
Examples:
  openssl rand -hex 32 > wallet.token                      the token that the house sends, too
  fairshoe-wallet account --database postgres://wallet@localhost/wallet alice --add 5000
  fairshoe-wallet serve --database postgres://wallet@localhost/wallet --token-file wallet.token
  fairshoe-wallet accounts --database postgres://wallet@localhost/wallet
  fairshoe-wallet check --url http://127.0.0.1:8700 --token-file wallet.token --player alice
                                                           does a wallet keep the contract? Try your own
  fairshoe-wallet statement --url http://127.0.0.1:8700 --token-file wallet.token --log example.com/log --out s.jsonl
                                                           for `fairshoe-audit wallet LOG s.jsonl`";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Answer the house's calls from accounts in a PostgreSQL database; makes its tables if there are none.
    Serve(ServeArgs),
    /// Put money into an account, making the account if there is none.
    Account(AccountArgs),
    /// List the accounts, with what each can spend and what is held for the house.
    Accounts(AccountsArgs),
    /// Write a wallet's statement of a log, all pages, as JSON Lines.
    Statement(StatementArgs),
    /// Try every rule of the contract (spec/wallet.md, "The wallet's side") against a running wallet, over HTTP alone.
    ///
    /// The operations have names of their own, of the log `conformance.invalid/RANDOM`, and stay in the wallet's
    /// statement of it. PLAYER must have 100 minor units or more, and nobody else may move their money meanwhile: what
    /// PLAYER can spend is found by reserving it, all of it for moments. What is moved for good is 60 units at most at a
    /// time, and is paid back by `pay`, so that in the end PLAYER has what they had before. Some 2,000 calls are made.
    ///
    /// A check fails by its name, and says what it did and what came. Exit: 0 every check that was tried holds, 1 one
    /// fails, 2 the wallet cannot be asked.
    Check(CheckArgs),
}

/// Where the accounts are.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// The database: postgres://USER:PASSWORD@HOST/NAME, or by a socket's folder
    /// postgres://USER@%2Frun%2Fpostgresql/NAME. The line to it is not encrypted: let it be this machine's, or a
    /// private network's. In the environment it is hidden from whoever lists processes.
    #[arg(long = "database", value_name = "URL", env = "FAIRSHOE_WALLET_DATABASE", hide_env_values = true)]
    pub url: String,
}

/// Which wallet is asked.
#[derive(Debug, Args)]
pub struct WalletArgs {
    /// The wallet's address.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8700")]
    pub url: String,
    /// A file with the token that the house sends to it.
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
}

/// `serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// A file with the token that calls must carry: 16 printable characters or more in a line.
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// Where to listen. Nothing is encrypted here: let it be loopback or a private network, or put a proxy that
    /// speaks TLS before it. Port 0 takes a free one, which is said.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8700")]
    pub listen: SocketAddr,
    /// Connections to the database, at most.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub connections: u16,
    /// For tests: hold each reply for so long after it was stored, so that a kill falls between the two.
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub delay_ms: u64,
}

/// `account PLAYER --add AMOUNT`
#[derive(Debug, Args)]
pub struct AccountArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// Whose account, by the name that the house has for them.
    #[arg(value_parser = player)]
    pub player: String,
    /// How much, in minor units; 0 only makes the account.
    #[arg(long, value_name = "AMOUNT", value_parser = clap::value_parser!(i64).range(0..=MOST))]
    pub add: i64,
}

/// `accounts`
#[derive(Debug, Args)]
pub struct AccountsArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// Print JSON: {"accounts":[{"player","balance","held"}…]}.
    #[arg(long)]
    pub json: bool,
}

/// `statement`
#[derive(Debug, Args)]
pub struct StatementArgs {
    #[command(flatten)]
    pub(crate) wallet: WalletArgs,
    /// The log's name, as its signed notes have it (`/v1/log` of the house, `origin`).
    #[arg(long, value_name = "ORIGIN", value_parser = log)]
    pub log: String,
    /// Where to write it; it is there once it is whole. Without it: standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub(crate) wallet: WalletArgs,
    /// Whose money is moved and given back: best an account made for this.
    #[arg(long, value_name = "PLAYER", value_parser = player)]
    pub player: String,
    /// Print the outcome as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Wait so long, a reservation standing, before it is committed: whether the wallet lets go of it by itself.
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=604_800))]
    pub hold: u64,
    /// Also ask for so long while you stop the wallet's database and start it again: says when. What is answered
    /// meanwhile must stand afterwards, and "no" is no answer for a database that is away.
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    pub outage: u64,
}

fn player(text: &str) -> Result<String, String> {
    if is_player(text) {
        return Ok(text.to_owned());
    }
    Err("a player's name is 1 to 64 of a-z 0-9 . _ -, and does not begin with a dot".to_owned())
}

fn log(text: &str) -> Result<String, String> {
    if is_log(text) {
        return Ok(text.to_owned());
    }
    Err("a log's name is 1 to 255 printable ASCII characters, without space and +".to_owned())
}
