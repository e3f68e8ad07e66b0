//! The command line of `fairshoe-odds`: its subcommands, options and help. Each subcommand has a module of its own.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Compute the house's share of the stakes for a rule set, with the engines that deal.
///
/// A house edge is the average loss of a player as a share of their opening stake; if it is negative, the player gains.
/// Exit codes: 0 done, 2 unusable input.
#[derive(Debug, Parser)]
#[command(name = "fairshoe-odds", version, after_help = EXAMPLES)]
pub struct Cli {
    /// The game.
    #[command(subcommand)]
    pub task: Task,
}

const EXAMPLES: &str = "\
Examples:
  fairshoe-odds baccarat                      every deal of eight packs, counted: exact edges
  fairshoe-odds baccarat --stake 25           what rounding the commission costs there
  fairshoe-odds bets roulette                 every bet of the layout in all 37 pockets
  fairshoe-odds bets dragon-tiger             every bet in every pair of cards
  fairshoe-odds bets sic-bo                   every bet in every throw of three dice
  fairshoe-odds blackjack six-deck --exact    expectation and play from a full shoe, no simulation
  fairshoe-odds blackjack six-deck --set surrender=late --chart
  fairshoe-odds blackjack joy --strategy copy-dealer --hands 5000000 --seed 7
  fairshoe-odds safe --players 4              how often each seat wins";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Count every deal of a fresh shoe: exact chances and edges of Player, Banker and Tie.
    Baccarat(BaccaratArgs),
    /// Settle every bet of a layout in all ways in which a round can end: exact edges.
    #[command(visible_alias = "roulette")]
    Bets(BetsArgs),
    /// Compute a blackjack rule set: best play, its expectation, and the same by simulation.
    Blackjack(BlackjackArgs),
    /// Play games of Safe and count which seat wins; the house keeps no share.
    Safe(SafeArgs),
}

/// The arguments of `baccarat`.
#[derive(Debug, Args)]
pub struct BaccaratArgs {
    /// A shipped rule set's name, or the path of a rule set file.
    #[arg(default_value = "baccarat")]
    pub ruleset: String,
    /// The number of packs in the shoe, 1 to 8; default: the rule set's.
    #[arg(long, value_name = "N")]
    pub decks: Option<u8>,
    /// A stake to settle; may be repeated. The commission on a Banker win is rounded up to a whole unit, so it takes a
    /// larger share of small stakes. Default: 100 units, on which 5 % is exact.
    #[arg(long, value_name = "N")]
    pub stake: Vec<u64>,
    /// Set an option of the rule set; may be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub set: Vec<String>,
    /// Print one JSON object instead of words.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `bets`.
#[derive(Debug, Args)]
pub struct BetsArgs {
    /// A shipped rule set's name, or the path of a rule set file.
    #[arg(default_value = "roulette")]
    pub ruleset: String,
    /// Set an option of the rule set; may be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub set: Vec<String>,
    /// Print one JSON object, with every spot of the layout, instead of words.
    #[arg(long)]
    pub json: bool,
}

/// The simulated player's strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// The calculator's best play from a full shoe, by the player's own cards and the up-card; no counting.
    Basic,
    /// Hit 16 and less, stand on 17 and more, also on soft hands; never double, split, insure or give up.
    CopyDealer,
    /// Stand on hard 12 and more, otherwise like copy-dealer.
    NeverBust,
}

impl StrategyName {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            StrategyName::Basic => "basic",
            StrategyName::CopyDealer => "copy-dealer",
            StrategyName::NeverBust => "never-bust",
        }
    }
}

/// `blackjack RULESET`
#[derive(Debug, Args)]
#[command(after_help = "\
The calculator works from a full shoe and one box: every opening deal, every draw, every course of the \
dealer, each with the cards that are gone. The simulation plays the engine itself, one box, shoe after \
shoe down to the rule set's own change of shoe; --fresh gives every round a full shoe, as the calculator \
has it. Both are stated, with the 95 % interval of the second.

Example: fairshoe-odds blackjack study-group --set max_hands=2 --hands 20000000 --chart")]
pub struct BlackjackArgs {
    /// A shipped rule set's name (joy, live-blackjack, rng-blackjack, six-deck, study-group …), or the path of a file.
    pub ruleset: String,
    /// Set an option of the rule set; may be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub set: Vec<String>,
    /// The strategy.
    #[arg(long, value_enum, default_value_t = StrategyName::Basic)]
    pub strategy: StrategyName,
    /// The opening stake. The rule set rounds fractions, so the edge may depend on it. Default: the least legal stake
    /// from 10 on.
    #[arg(long, value_name = "N")]
    pub stake: Option<u64>,
    /// The number of hands to simulate; the last shoes are played to their end, so it may be a few more.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub hands: u64,
    /// The seed of the simulation: the same seed gives the same figures, on any number of threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Use a full shoe for every simulated round.
    #[arg(long)]
    pub fresh: bool,
    /// Run only the calculator, without a simulation.
    #[arg(long)]
    pub exact: bool,
    /// Compute the value of one refund of an abandoned hand for a player who chooses the hand, as under `abandon:
    /// refund`.
    #[arg(long)]
    pub refund: bool,
    /// Show the strategy's choice for each two cards against each up-card.
    #[arg(long)]
    pub chart: bool,
    /// The number of threads that simulate; default: the number of cores.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print one JSON object instead of words.
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `safe`.
#[derive(Debug, Args)]
pub struct SafeArgs {
    /// A shipped rule set's name, or the path of a rule set file.
    #[arg(default_value = "safe")]
    pub ruleset: String,
    /// The number of players, 2 to 6.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub players: u8,
    /// The number of games to simulate.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub games: u64,
    /// The seed of the simulation: the same seed gives the same figures, on any number of threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Set an option of the rule set; may be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub set: Vec<String>,
    /// The number of threads that simulate; default: the number of cores.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print one JSON object instead of words.
    #[arg(long)]
    pub json: bool,
}
