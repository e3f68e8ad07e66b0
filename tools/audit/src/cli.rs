use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Checks a fairshoe house from outside: a hand, a shoe, a receipt, a whole log.
///
/// SOURCE is a service's address (http://127.0.0.1:8080), the data folder of a stopped service, or a bundle file.
/// Exit codes: 0 sound (or sound so far), 1 not sound, 2 unusable input.
#[derive(Debug, Parser)]
#[command(name = "fairshoe-audit", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to check.
    #[command(subcommand)]
    pub task: Task,
}

const EXAMPLES: &str = "\
Examples:
  fairshoe-audit round http://127.0.0.1:8080 joy-1:0      replay hand 0 of table joy-1, step by step
  fairshoe-audit round hand.json --key 'ORIGIN+ID+KEY'    the same from a saved bundle, offline, with a key you trust
  fairshoe-audit shoe http://127.0.0.1:8080 joy-1:0       derive shoe 0 of table joy-1 from its revealed seed
  fairshoe-audit receipt reply.json --policy policy.txt   check the receipts in a saved reply
  fairshoe-audit log /var/lib/fairshoe                    audit the whole book of a stopped service
  fairshoe-audit play joy --cards 'As 9d Kh 7c 5s' --bets 7 --actions stand";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Replay a disputed round in words: signature, proofs, seeds, slots, faces, rules, payments.
    Round(RoundArgs),
    /// Derive a shoe from its revealed seed and hold every face shown against it.
    Shoe(ShoeArgs),
    /// Check that a receipt's entry is on the log.
    Receipt(ReceiptArgs),
    /// Audit a whole log: tree, signature, every shoe, every round, every chip.
    Log(LogArgs),
    /// Play a round from given cards, without any service.
    Play(PlayArgs),
}

/// How the log's key is known.
#[derive(Debug, Args)]
pub struct KeyArgs {
    /// The log's verifier key (NAME+hex8+base64), got by a way you trust. Without it the source's own key is used and
    /// named as unverified.
    #[arg(long, value_name = "VKEY")]
    pub key: Option<String>,
    /// Print a JSON report instead of words.
    #[arg(long)]
    pub json: bool,
}

/// `round SOURCE [ROUND]`
#[derive(Debug, Args)]
pub struct RoundArgs {
    /// An address, a stopped service's data folder, or a bundle file.
    pub source: String,
    /// TABLE:NUMBER, as in joy-1:0. A bundle file names its own.
    pub round: Option<String>,
    /// Save the bundle that was judged, to be checked elsewhere.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `shoe SOURCE SHOE`
#[derive(Debug, Args)]
pub struct ShoeArgs {
    /// An address, a stopped service's data folder, or a bundle file. An address or folder is read as a whole, so
    /// that the shoe is found under the log's signed root.
    pub source: String,
    /// TABLE:NUMBER, as in joy-1:0, the number being the shoe's.
    pub shoe: String,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `receipt FILE --policy FILE`
#[derive(Debug, Args)]
pub struct ReceiptArgs {
    /// A `.tlog-proof` file (give the entry's bytes by --entry), or JSON: one receipt {"index","entry","proof"}, or a
    /// whole saved reply with "receipts".
    pub file: PathBuf,
    /// The trust policy (c2sp.org/tlog-policy): which log keys, which witnesses.
    #[arg(long, value_name = "FILE", required_unless_present = "key")]
    pub policy: Option<PathBuf>,
    /// The entry's exact bytes; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub entry: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `log SOURCE`
#[derive(Debug, Args)]
pub struct LogArgs {
    /// An address, or a stopped service's data folder.
    pub source: String,
    /// A file with a line `INDEX LEAFHASH` (hash in hex or base64) for each entry that was acknowledged to somebody:
    /// each must be there, unchanged.
    #[arg(long, value_name = "FILE")]
    pub acks: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `play RULESET --cards … --bets … --actions …`
#[derive(Debug, Args)]
#[command(after_help = "Example: fairshoe-audit play joy --cards '8s Kd 8h Ac 3d Tc Td' --bets 10 --actions 'split double stand'")]
pub struct PlayArgs {
    /// A shipped rule set's name, or the path of a rule set file.
    pub ruleset: String,
    /// Set an option of the rule set; may be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub set: Vec<String>,
    /// The cards in the order in which they are drawn: rank A23456789TJQK and suit cdhs.
    #[arg(long, value_name = "CARDS")]
    pub cards: String,
    /// Stakes by box or seat, `1=100 2=50`; a single box may be written `100`.
    #[arg(long, value_name = "BETS")]
    pub bets: String,
    /// What is chosen, in the order in which it is asked for: hit, stand, double[=N], split, insurance=yes|no.
    #[arg(long, value_name = "ACTIONS", default_value = "")]
    pub actions: String,
    /// What the player has before the bets, minor units.
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub balance: u64,
    /// Print an object with staked, ret, net, seats and events.
    #[arg(long)]
    pub json: bool,
}
