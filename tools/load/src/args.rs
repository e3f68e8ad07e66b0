//! The command line of `fairshoe-load`: the game, the number of players, the duration and the rate.

use crate::strategy::Strategy;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;

/// Programs that play against a running fairshoe service, and check every reply.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "fairshoe-load",
    version,
    about = "Programs that play against a running fairshoe service, and check everything it says",
    long_about = "Programs that play against a running fairshoe service, and check everything it says.\n\n\
        At solo games each player opens a table of their own. At shared ones they sit down at tables that the operator opens \
        for them, with short clocks and no pause between rounds. Each follows their table entry by entry: bets with the hash of a fresh seed, holds the proofs of the \
        shoe and of the closed bets under one signed checkpoint, reveals, and decides. Each decides every \
        entry of the table again, as an auditor does: the gapless sequence, every bet, seed, slot and face, every choice, \
        payout and balance, the deadlines, the revealed shoe. Beside it each checks what they alone know: receipts, \
        openings, the commands they sent, their chips, the views they are shown.\n\n\
        At cash tables of poker (holdem, holdem-limit, omaha, omaha-hi-lo, named among themselves) the operator opens the \
        tables, one connection plays all the seats of one in turn, each with its own token and its own cards: every entry is \
        decided again and every opening checked in the same way, and every 20th hand's bundle is judged. --withhold, \
        --sleepers and --connections are not for poker; --stake and --newcomers mean nothing there.\n\n\
        With --game tournament:NAME the operator announces one event, and all players play it to its end: they register, some \
        of them late, give seeds for the draws of seats, are moved from table to table, enter again, rebuy and add on where the \
        structure lets them. The log is read from its first entry and every entry decided again, with each draw, seat, place \
        and prize; each balance is computed beside it. Say --quick for minutes instead of hours, and --strategy \
        all-in for the fewest hands.\n\n\
        The first check that fails ends the run with exit code 1 and says what was wrong.",
    after_help = "Examples:\n  \
        fairshoe-load --url http://127.0.0.1:8080 --players 64 --seconds 10\n  \
        fairshoe-load --game live-blackjack --players 64 --seconds 20 --strategy random\n  \
        fairshoe-load --game roulette,baccarat --players 32 --withhold 2 --sleepers 2\n  \
        fairshoe-load --game mixed --players 32 --seconds 60 --acks acks.txt --reconnect 30\n  \
        fairshoe-load --game holdem,omaha --players 36 --seconds 10\n  \
        fairshoe-load --game tournament:freezeout-6 --players 30 --quick --strategy random\n  \
        fairshoe-load --game tournament:@sunday.json --players 1000 --quick --strategy all-in --withhold 2 --json\n  \
        fairshoe-load --players 64 --limits /var/lib/fairshoe --json\n  \
        fairshoe-load --players 64 --rate 4000\n  \
        fairshoe-load --game mixed --players 24 --sign\n\n\
        The service limits how fast one token may ask; for figures start it with `--token-rate 0 --address-rate 0`.\n\
        Exit codes: 0 every check held; 1 a check failed, or the service was lost or refused; 2 wrong use."
)]
pub struct Args {
    /// The service's address; or the addresses of a shard's nodes, separated by commas
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub url: String,
    /// The game: a rule set's name, several separated by commas, or `mixed` for all but poker. Shared: live-blackjack,
    /// six-deck, study-group, baccarat, dragon-tiger, roulette, sic-bo, safe. Solo: joy, joy-own, rng-blackjack,
    /// rng-baccarat, rng-roulette … six-deck-solo, study-group-solo. Cash tables of poker, which are played separately: holdem,
    /// holdem-limit, omaha, omaha-hi-lo. One event of many tables: tournament:NAME, with NAME a shipped structure
    /// (freezeout-9, rebuy, bounty-progressive, …) or @FILE with a structure in JSON
    #[arg(long, value_name = "NAME", default_value = "joy")]
    pub game: String,
    /// The number of players, assigned to the games in turn
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub players: u16,
    /// Seconds to play; rounds that have begun are finished. An event is played to its end
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
    /// The programs' strategy
    #[arg(long, value_enum, default_value_t = Strategy::Basic)]
    pub strategy: Strategy,
    /// The bet on each spot in minor units, within the table's limits; on layouts up to four times as much
    #[arg(long, value_name = "CHIPS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub stake: u64,
    /// Keep-alive connections, shared by the players of solo games. At a shared table each player has their own, on
    /// which they wait for entries [default: one for each player]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub connections: Option<u16>,
    /// The most requests a second in all, to measure latencies below full load
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub rate: Option<u32>,
    /// Repeat for up to this many seconds when the service is gone, and then continue
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub reconnect: u64,
    /// Per cent of reveals that are withheld at shared tables: the round is void, and a withholding player comes back
    /// under another name if a cooldown excludes them. With this or --sleepers the run opens all shared tables itself,
    /// with short clocks. In an event: per cent of the seeds for seat draws, which take place without them
    #[arg(long, value_name = "P", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub withhold: u8,
    /// Per cent of decisions at shared tables that are left to the turn clock; in an event also of commitments for
    /// hands
    #[arg(long, value_name = "P", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub sleepers: u8,
    /// Per cent of rounds at shared tables after which a player gets up; they come back as a newcomer, and the shoe is
    /// changed for them
    #[arg(long, value_name = "P", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub newcomers: u8,
    /// In an event: levels of 10 s, breaks of 6 s, clocks of 5 s, stacks of 25 big blinds, so that it ends in minutes
    #[arg(long)]
    pub quick: bool,
    /// In an event: the length of every level in milliseconds
    #[arg(long, value_name = "MS")]
    pub level_ms: Option<u64>,
    /// In an event: the chips of an entry
    #[arg(long, value_name = "CHIPS")]
    pub stack: Option<u64>,
    /// In an event: seconds from its announcement to its start [default: 4 seconds, and 10 ms for each player]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub starts_in: Option<u64>,
    /// Give each player an Ed25519 key, sign every command with it, and check the signatures on the log
    #[arg(long)]
    pub sign: bool,
    /// The effect of a crash of the service on rounds in play; with `rollback` the operator opens all tables. Default:
    /// each rule set's own policy
    #[arg(long, value_enum, default_value_t = CrashPolicy::RuleSet)]
    pub crash: CrashPolicy,
    /// The log's verifier key, if you have it from elsewhere; default: the key that the service gives
    #[arg(long = "key", alias = "vkey", value_name = "VKEY")]
    pub vkey: Option<String>,
    /// Measure the limits first: the service's empty handler by the same connections, and a file in DIR
    /// written and synced in batches. DIR should be on the service's disk
    #[arg(long, value_name = "DIR")]
    pub limits: Option<PathBuf>,
}

/// A table's crash policy (rule C20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CrashPolicy {
    /// As the rule set says: rounds go on with the same cards; in Safe they are void.
    RuleSet,
    /// Rounds are void after a restart, and every chip goes back.
    Rollback,
}
