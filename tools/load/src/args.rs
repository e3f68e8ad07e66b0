//! The command line of `fairshoe-load`: what is played, by how many, for how long, and at which rate.

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
        At solo games each player opens a table of their own. At shared ones they sit down at tables that the operator opens \
        for them, with short clocks and no pause between rounds. Each follows their table entry by entry: bets with the hash of a fresh seed, holds the proofs of the \
        shoe and of the closed bets under one signed checkpoint, reveals, and decides. Each replays the whole table beside \
        the house: receipts, the gapless sequence, every bet, seed, slot and face, every choice, payout and balance, the \
        deadlines, the revealed shoe.\n\n\
        At cash tables of poker (holdem, holdem-limit, omaha, omaha-hi-lo, named among themselves) the operator opens the \
        tables, one connection plays all the seats of one in turn, each with its own token and its own cards: who is dealt \
        in, blinds, clocks, both decks, every opening, choice, pot, rake and stack are replayed, and every 20th hand's bundle \
        is judged. --withhold, --sleepers and --connections are not for poker; --stake and --newcomers mean nothing there.\n\n\
        With --game tournament:NAME the operator announces one event, and all players play it to its end: they register, some \
        of them late, give seeds for the draws of seats, are moved from table to table, enter again, rebuy and add on where the \
        structure lets them. The log is read from its first entry and every entry decided again; each draw, seat, place, prize \
        and balance is computed beside it. Say --quick for minutes instead of hours, and --strategy all-in for the fewest hands.\n\n\
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
    /// The service's address; or those of a shard's nodes, with commas between them
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub url: String,
    /// What is played: a rule set's name, several with commas between them, or `mixed` for all but poker. Shared:
    /// live-blackjack, six-deck, study-group, baccarat, roulette, safe. Solo: joy, joy-own, rng-blackjack,
    /// rng-baccarat, rng-roulette, rng-roulette-own, six-deck-solo, study-group-solo. Cash tables of poker, which are
    /// played on their own: holdem, holdem-limit, omaha, omaha-hi-lo. One event of many tables: tournament:NAME, NAME a
    /// shipped structure (freezeout-9, rebuy, bounty-progressive, …) or @FILE with a structure in JSON
    #[arg(long, value_name = "NAME", default_value = "joy")]
    pub game: String,
    /// How many players, dealt to the games in turn
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub players: u16,
    /// How long to play; rounds begun are finished. An event is played to its end
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
    /// What each spot is bet with, in minor units, within the table's limits; on layouts up to four times as much
    #[arg(long, value_name = "CHIPS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub stake: u64,
    /// Keep-alive connections, shared by the players of solo games; at a shared table each has their own, on which they
    /// wait for what happens [default: one for each player]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub connections: Option<u16>,
    /// At most so many requests a second in all, for latencies at less than full load
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub rate: Option<u32>,
    /// Ask again for up to so many seconds when the service is gone, and go on where it left off
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub reconnect: u64,
    /// Per cent of reveals that are withheld at shared tables: the round is void, and whoever withheld comes back as
    /// somebody else when a cooldown keeps them out. With this or --sleepers all shared tables are the run's own, with
    /// short clocks. In an event: of the seeds for draws of seats, which are drawn without them
    #[arg(long, value_name = "P", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub withhold: u8,
    /// Per cent of decisions at shared tables that are left to the turn clock; in an event of commitments for hands, too
    #[arg(long, value_name = "P", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub sleepers: u8,
    /// Per cent of rounds at shared tables after which a player gets up; they come back as a newcomer, for whom the
    /// shoe is changed
    #[arg(long, value_name = "P", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub newcomers: u8,
    /// Of an event: levels of 10 s, breaks of 6 s, clocks of 5 s, stacks of 25 big blinds, so that it is over in minutes
    #[arg(long)]
    pub quick: bool,
    /// Of an event: how long every level lasts, milliseconds
    #[arg(long, value_name = "MS")]
    pub level_ms: Option<u64>,
    /// Of an event: the chips of an entry
    #[arg(long, value_name = "CHIPS")]
    pub stack: Option<u64>,
    /// Of an event: how long after its announcement it begins [default: 4 seconds, and 10 ms for each player]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub starts_in: Option<u64>,
    /// Give each player an Ed25519 key, sign every command with it, and check what stands signed on the log
    #[arg(long)]
    pub sign: bool,
    /// What a crash of the service does to rounds in play; `rollback` makes the operator open all tables. Otherwise it
    /// is each rule set's own policy
    #[arg(long, value_enum, default_value_t = CrashPolicy::RuleSet)]
    pub crash: CrashPolicy,
    /// The log's verifier key, if you have it from elsewhere; else the service's word is taken for it
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
    /// As the rule set says: rounds go on with the same cards, in Safe they are void.
    RuleSet,
    /// Rounds are void after a restart, every chip back.
    Rollback,
}
