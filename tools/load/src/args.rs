use crate::strategy::Strategy;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;

/// Programs that play against a running fairshoe service, and check everything it says.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "fairshoe-load",
    version,
    about = "Programs that play against a running fairshoe service, and check everything it says",
    long_about = "Programs that play against a running fairshoe service, and check everything it says.\n\n\
        Each player opens a table of his own and plays round after round: bet with the hash of a fresh seed, check the \
        receipts, reveal, check every card's opening and its slot in the public order, act, check the payout, check the \
        revealed shoe. The first check that fails ends the run with exit code 1 and says what was wrong.",
    after_help = "Examples:\n  \
        fairshoe-load --url http://127.0.0.1:8080 --players 64 --seconds 10\n  \
        fairshoe-load --url http://127.0.0.1:8080 --players 64 --seconds 10 --limits /var/lib/fairshoe --json\n  \
        fairshoe-load --url http://127.0.0.1:8080 --players 64 --seconds 10 --rate 4000\n  \
        fairshoe-load --url http://127.0.0.1:8080 --players 8 --seconds 60 --acks acks.txt --reconnect 30\n\n\
        The service limits how fast one token may ask; for figures start it with `--token-rate 0 --address-rate 0`.\n\
        Exit codes: 0 every check held; 1 a check failed, or the service was lost or refused; 2 wrong use."
)]
pub struct Args {
    /// The service's address
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub url: String,
    /// The rule set that is played
    #[arg(long, value_name = "NAME", default_value = "joy")]
    pub game: String,
    /// How many players, each at a table of his own
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub players: u16,
    /// How long to play; rounds begun are finished
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// The operator's token, which creates the players and credits their chips
    #[arg(long, value_name = "FILE", default_value = "data/operator.token", env = "FAIRSHOE_TOKEN_FILE")]
    pub token_file: PathBuf,
    /// Append a line `INDEX LEAF-HASH` for every acknowledged entry before the player's next request;
    /// `fairshoe-audit log --acks` reads it
    #[arg(long, value_name = "FILE")]
    pub acks: Option<PathBuf>,
    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
    /// How the programs play
    #[arg(long, value_enum, default_value_t = Strategy::Basic)]
    pub strategy: Strategy,
    /// What each round is bet with, in minor units
    #[arg(long, value_name = "CHIPS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub stake: u64,
    /// Keep-alive connections, shared by the players [default: one for each player]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub connections: Option<u16>,
    /// At most so many requests a second in all, for latencies at less than full load
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub rate: Option<u32>,
    /// Ask again for up to so many seconds when the service is gone, and go on where it left off
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub reconnect: u64,
    /// What a crash of the service does to rounds in play; `rollback` makes the operator open the tables
    #[arg(long, value_enum, default_value_t = CrashPolicy::Resume)]
    pub crash: CrashPolicy,
    /// The log's verifier key, if you have it from elsewhere; else the service's word is taken for it
    #[arg(long, value_name = "VKEY")]
    pub vkey: Option<String>,
    /// Measure the limits first: the service's empty handler by the same connections, and a file in DIR
    /// written and synced in batches. DIR should be on the service's disk
    #[arg(long, value_name = "DIR")]
    pub limits: Option<PathBuf>,
}

/// A table's crash policy (rule C20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CrashPolicy {
    /// Rounds go on after a restart, with the same cards.
    Resume,
    /// Rounds are void after a restart, every chip back.
    Rollback,
}
