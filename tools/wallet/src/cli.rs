//! The command line of `fairshoe-wallet`: its subcommands, options and help. Each subcommand has a module of its own.

use crate::operation::{MOST, is_log, is_player};
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A sample of an operator's wallet on PostgreSQL, and the check that operators run against their own (spec/wallet.md).
///
/// `serve` answers the house's calls; `account` and `accounts` are for the keeper of the accounts. `statement` and
/// `check` ask any wallet over HTTP, not only this sample.
///
/// Exit codes: 0 done, or every check holds; 1 a check fails; 2 wrong use, or something is missing.
#[derive(Debug, Parser)]
#[command(name = "fairshoe-wallet", version, after_help = EXAMPLES)]
pub struct Cli {
    /// The task.
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
    /// Answer the house's calls from accounts in a PostgreSQL database; makes its tables if they are missing.
    Serve(ServeArgs),
    /// Put money into an account; makes the account if it is missing.
    Account(AccountArgs),
    /// List the accounts, each with its spendable money and the money held for the house.
    Accounts(AccountsArgs),
    /// Write a wallet's statement of a log, all pages, as JSON Lines.
    Statement(StatementArgs),
    /// Try every rule of the contract (spec/wallet.md, "The wallet's side") against a running wallet, over HTTP alone.
    ///
    /// The operations have their own names, of the log `conformance.invalid/RANDOM`, and stay in the wallet's statement
    /// of it. PLAYER must have at least 100 minor units, and no one else may move their money during the check. The
    /// check finds PLAYER's spendable money by reserving all of it for moments. It moves at most 60 units at a time for
    /// good and pays them back by `pay`, so in the end PLAYER has the same money as before. It makes some 2,000 calls.
    ///
    /// A failed check is reported by name, with what it did and received. Exit: 0 every check that was tried holds, 1
    /// one fails, 2 the wallet cannot be reached.
    Check(CheckArgs),
}

/// The database of the accounts.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// The database: postgres://USER:PASSWORD@HOST/NAME, or by a socket's folder
    /// postgres://USER@%2Frun%2Fpostgresql/NAME. The connection is not encrypted: use one on this machine or a private
    /// network. In the environment it is hidden from users who list processes.
    #[arg(long = "database", value_name = "URL", env = "FAIRSHOE_WALLET_DATABASE", hide_env_values = true)]
    pub url: String,
}

/// The wallet to ask.
#[derive(Debug, Args)]
pub struct WalletArgs {
    /// The wallet's address.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8700")]
    pub url: String,
    /// A file with the token that the house sends to it.
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
}

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// A file with the token that calls must carry: at least 16 printable characters in one line.
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// The address to listen on. The connection is not encrypted: use loopback or a private network, or put a proxy
    /// with TLS in front. Port 0 takes a free port and prints it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8700")]
    pub listen: SocketAddr,
    /// The most connections to the database.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub connections: u16,
    /// For tests: hold each stored reply for this time, so that a kill falls between the two.
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub delay_ms: u64,
}

/// The arguments of `account PLAYER --add AMOUNT`.
#[derive(Debug, Args)]
pub struct AccountArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// The account's player, by the house's name for them.
    #[arg(value_parser = player)]
    pub player: String,
    /// The amount in minor units; 0 only makes the account.
    #[arg(long, value_name = "AMOUNT", value_parser = clap::value_parser!(i64).range(0..=MOST))]
    pub add: i64,
}

/// The arguments of `accounts`.
#[derive(Debug, Args)]
pub struct AccountsArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// Print JSON: {"accounts":[{"player","balance","held"}…]}.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `statement`.
#[derive(Debug, Args)]
pub struct StatementArgs {
    #[command(flatten)]
    pub(crate) wallet: WalletArgs,
    /// The log's name, as its signed notes have it (`/v1/log` of the house, `origin`).
    #[arg(long, value_name = "ORIGIN", value_parser = log)]
    pub log: String,
    /// The file to write; it appears once it is complete. Default: standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub(crate) wallet: WalletArgs,
    /// The player whose money is moved and given back: best an account made for this purpose.
    #[arg(long, value_name = "PLAYER", value_parser = player)]
    pub player: String,
    /// Print the outcome as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Wait this long between a reservation and its commit, to see whether the wallet releases it by itself.
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=604_800))]
    pub hold: u64,
    /// Also send calls for this long while you stop the wallet's database and start it again; the check says when.
    /// Answers given meanwhile must stand afterwards, and a refusal is no correct answer while the database is away.
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
