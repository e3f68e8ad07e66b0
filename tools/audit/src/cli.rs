//! The command line of `fairshoe-audit`: its subcommands, options and help. What each does is a module of its own.

use crate::zone::{Moment, Zone};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use fairshoe_api::{Currency, PartOutcome};
use std::path::PathBuf;

/// Checks a fairshoe house from outside: a hand, a shoe, a receipt, a whole log.
///
/// SOURCE is a service's address (http://127.0.0.1:8080), the data folder of a stopped service, a mirror's folder, or a
/// bundle file.
///
/// Exit codes: 0 sound (or sound so far, unless --strict-end), 1 not sound, 2 unusable input.
#[derive(Debug, Parser)]
#[command(name = "fairshoe-audit", version, after_help = EXAMPLES)]
pub struct Cli {
    /// A proxy for all requests but those to this machine's own addresses, `http://[USER:PASSWORD@]HOST:PORT`;
    /// HTTP_PROXY is ignored [default: none]
    #[arg(long, value_name = "URL", global = true, env = "FAIRSHOE_AUDIT_PROXY", hide_env_values = true)]
    pub proxy: Option<String>,
    /// What to check.
    #[command(subcommand)]
    pub task: Task,
}

const EXAMPLES: &str = "\
Examples:
  fairshoe-audit round http://127.0.0.1:8080 joy-1:0      replay hand 0 of table joy-1, step by step
  fairshoe-audit round hand.json --key 'ORIGIN+ID+KEY'    the same from a saved bundle, offline, with a key you trust
  fairshoe-audit round hand.json --only --html hand.html --zone +02:00 --currency EUR:2
                                                          a page to print, with local times and amounts in euros
  fairshoe-audit find http://127.0.0.1:8080 --player alice --since 2027-01-15 --min-net 1000 --csv
                                                          rounds in which alice won 1000 or more
  fairshoe-audit shoe http://127.0.0.1:8080 joy-1:0       derive shoe 0 of table joy-1 from its revealed seed
  fairshoe-audit receipt reply.json --policy policy.txt   check the receipts in a saved reply
  fairshoe-audit log /var/lib/fairshoe                    audit the whole book of a stopped service
  fairshoe-audit log ADDRESS --kept bet.tlog-proof seen.jsonl --policy policy.txt
                                                          the same, compared with what you kept of it before
  fairshoe-audit log http://127.0.0.1:8080 --state book   audit it, and the next time only new entries
  fairshoe-audit log NEW --continues OLD --rival OTHER    from a log that lost entries to the one that goes on from it
  fairshoe-audit log http://127.0.0.1:8080 --from 1310720 audit only the entries after that many
  fairshoe-audit cluster http://one.example http://two.example
                                                          several logs that chips go between, all together
  fairshoe-audit wallet http://127.0.0.1:8080 statement.jsonl
                                                          compare it with the operator's wallet, to the unit
  fairshoe-audit monitor http://127.0.0.1:8080            follow it, and raise the alarm
  fairshoe-audit stats /var/lib/fairshoe --html r.html    compare the book with chance at an honest house
  fairshoe-audit mirror http://127.0.0.1:8080 ./mirror    copy the log as static files, each byte checked
  fairshoe-audit history http://127.0.0.1:8080 holdem-1:7 --format phh
                                                          a hand of poker for other programs, with its proofs
  fairshoe-audit play joy --cards 'As 9d Kh 7c 5s' --bets 7 --actions stand
  fairshoe-audit tournament http://127.0.0.1:8080 sunday  the story of a tournament, each chip and each cent of it
  fairshoe-audit refund event.json                        what a cancelled tournament pays back, to the cent";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Replay a disputed round in words: signature, proofs, seeds, slots, faces, rules, payments.
    Round(RoundArgs),
    /// Derive a shoe from its revealed seed and compare every face shown with it.
    Shoe(ShoeArgs),
    /// Check that a receipt's entry is on the log.
    Receipt(ReceiptArgs),
    /// Audit a whole log: tree, signature, every shoe, every round, every chip.
    Log(LogArgs),
    /// Audit several logs that chips go between: each by itself, then every claim of one on another, and the sums.
    Cluster(ClusterArgs),
    /// Audit a log, and compare it with the statement of the operator's wallet.
    Wallet(WalletArgs),
    /// Follow a log at one or more addresses: it must only grow, be the same everywhere, and follow the rules.
    Monitor(MonitorArgs),
    /// Check the evidence that a monitor wrote, offline, with the log's key alone.
    Evidence(EvidenceArgs),
    /// Compare all revealed shoes and rounds of a log with chance at an honest house.
    Stats(StatsArgs),
    /// Copy a log as static files that any web server can serve, every byte checked; repeat it to follow the log.
    Mirror(MirrorArgs),
    /// Play a round from given cards, without any service.
    Play(PlayArgs),
    /// Compute what a cancelled tournament pays back, from a file, without any service.
    Refund(RefundArgs),
    /// Compute what a tournament pays: pool, prizes, a seat, a bounty's parts, a deal, from a file.
    Prizes(PrizesArgs),
    /// Replay poker hands that were written down (PHH) through the engine and compare the stacks.
    Replay(ReplayArgs),
    /// Find rounds of a log by player, table, time, outcome, sums; as words, CSV or JSON. The whole log is audited.
    Find(FindArgs),
    /// Write hands of poker tables for other programs: Poker Hand History or Open Hand History.
    History(HistoryArgs),
    /// Tell a tournament from its announcement to the last cent: draws, moves, eliminations, prizes, refunds, accounts.
    Tournament(TournamentArgs),
    /// Say what a code such as R002.10, or a check such as `inclusion`, means, in the words of its page.
    Rule(RuleArgs),
    /// Be a witness: cosign the checkpoints of logs that only grow.
    Witness(WitnessArgs),
}

/// How the log's key is known.
#[derive(Clone, Debug, Args)]
pub struct KeyArgs {
    /// The log's verifier key (NAME+hex8+base64), from a source you trust. Without it the source's own key is used, and
    /// reported as unverified.
    #[arg(long, value_name = "VKEY")]
    pub key: Option<String>,
    /// Print a JSON report instead of words.
    #[arg(long)]
    pub json: bool,
}

/// How far clocks may differ.
#[derive(Clone, Copy, Debug, Args)]
pub struct ClockArgs {
    /// By how many seconds an entry's time may be later than the clock that saw it: a witness's, or this machine's.
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    pub skew: u64,
    /// How many seconds, beyond the skew, a log's new entries may take until others see them.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub delay: u64,
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
    /// Write the round on a page that prints on two sheets, hashes in an appendix: cards, who played, money, verdict.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Tell this round alone, without the shoe's other rounds.
    #[arg(long)]
    pub only: bool,
    /// Show times at this distance from UTC, as in +02:00.
    #[arg(long, value_name = "ZONE", default_value = "Z", allow_hyphen_values = true)]
    pub(crate) zone: Zone,
    /// Show amounts on the page in this currency, with so many decimals, as the house does: EUR:2 shows 1250 as 12.50
    /// EUR. Chips of a tournament and play chips are not money and are shown unchanged.
    #[arg(long, value_name = "CODE:DECIMALS", requires = "html")]
    pub(crate) currency: Option<Currency>,
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
    /// For a sealed shoe (poker): the reply to its disclosure, JSON with "seeds". The deck is derived, every card that
    /// lay open is checked, and everybody's hole cards are named, mucked ones too.
    #[arg(long, value_name = "FILE")]
    pub disclosed: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

fn outcome_parser() -> impl TypedValueParser<Value = PartOutcome> {
    PossibleValuesParser::new(PartOutcome::ALL.map(|(_, word)| word)).try_map(|word| word.parse::<PartOutcome>())
}

/// `find SOURCE`
#[derive(Clone, Debug, Args)]
pub struct FindArgs {
    /// An address, a stopped service's data folder, or a mirror's folder.
    pub source: String,
    /// Rounds that this player was in; their part alone is listed.
    #[arg(long, value_name = "PLAYER")]
    pub player: Option<String>,
    /// Rounds at this table.
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// Rounds by the rule set of this name.
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,
    /// Rounds in play at this time, or begun later: a day (2027-01-15) or a time (2027-01-15T10:02:54+02:00).
    #[arg(long, alias = "after", value_name = "TIME")]
    pub(crate) since: Option<Moment>,
    /// Rounds that began before this time.
    #[arg(long, alias = "before", value_name = "TIME")]
    pub(crate) until: Option<Moment>,
    /// How the round went for the player.
    #[arg(long, value_name = "OUTCOME", value_parser = outcome_parser())]
    pub outcome: Option<PartOutcome>,
    /// The least that was staked, in minor units.
    #[arg(long, value_name = "AMOUNT")]
    pub min_staked: Option<u64>,
    /// The least that came back beyond the stake; if negative, the loss is at most this.
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    pub min_net: Option<i64>,
    /// The most that came back beyond the stake: -1000 finds losses of a thousand and more.
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    pub max_net: Option<i64>,
    /// List at most so many; the output says how many there are.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub limit: usize,
    /// Print CSV (RFC 4180) instead of words.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// The unit of money, if the house's chips stand for a currency, as in EUR:2; else it is `money`.
    #[arg(long, value_name = "CODE:DECIMALS")]
    pub(crate) currency: Option<Currency>,
    /// Show times at this distance from UTC, as in +02:00.
    #[arg(long, value_name = "ZONE", default_value = "Z", allow_hyphen_values = true)]
    pub(crate) zone: Zone,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `receipt FILE --policy FILE`
#[derive(Debug, Args)]
pub struct ReceiptArgs {
    /// A `.tlog-proof` file (give the entry's bytes by --entry), or JSON: one receipt {"index","entry","proof"}, or a
    /// whole saved reply with "receipts".
    pub file: PathBuf,
    /// The trust policy (c2sp.org/tlog-policy): which log keys, which witnesses. Either this or --key is needed.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The log's verifier key (NAME+hex8+base64), from a source you trust: a receipt holds no key of its own.
    #[arg(long, value_name = "VKEY")]
    pub key: Option<String>,
    /// The entry's exact bytes; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub entry: Option<PathBuf>,
    /// Print a JSON report instead of words.
    #[arg(long)]
    pub json: bool,
}

/// `log SOURCE`
#[derive(Debug, Args)]
pub struct LogArgs {
    /// An address, a stopped service's data folder, or a mirror's folder.
    pub source: String,
    /// Check the tree and the money alone, in a fraction of the time: signature, root, tiles; each entry's form, time
    /// and place; each posting, balance and round's result. NOT the rules, the shoes, the openings, the permissions: a
    /// wager paid wrongly but posted correctly passes. The verdict is then `sound (ledger only)`.
    #[arg(long, conflicts_with_all = ["saved_evidence", "policy", "state"])]
    pub ledger_only: bool,
    /// A file with a line `INDEX LEAFHASH` (hash in hex or base64) for each acknowledged entry: each must be on the
    /// log, unchanged.
    #[arg(long, value_name = "FILE")]
    pub acks: Option<PathBuf>,
    /// Evidence that somebody kept, to be compared with the log; several files may be named. A receipt (.tlog-proof,
    /// the entry's bytes beside it as NAME.entry; or a saved reply), a signed note of what the service received or
    /// refused (or the reply that holds it), a signed checkpoint, or a history of checkpoints, one
    /// {"time":SECONDS,"note":TEXT} a line, as a monitor writes it.
    #[arg(long = "kept", value_name = "FILE", num_args = 1..)]
    pub saved_evidence: Vec<PathBuf>,
    /// A policy (c2sp.org/tlog-policy) that names witnesses: the times of their cosignatures, on the log's checkpoint
    /// and on those kept, bound the times of the entries. Its quorum is not required.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// A key by which you knew this log, if it has another one now: files kept under it show that the key was changed.
    /// A policy's `log` lines of the same name count as well.
    #[arg(long, value_name = "VKEY")]
    pub earlier_key: Vec<String>,
    #[command(flatten)]
    pub(crate) clock: ClockArgs,
    /// The log that this one goes on from (`log_continues`): an address, a data folder or a mirror's folder. It is
    /// audited up to there, and what was carried over is compared with its end. Given again, it names the log from
    /// which that one goes on.
    #[arg(long, value_name = "SOURCE", conflicts_with = "ledger_only")]
    pub continues: Vec<String>,
    /// If this log goes on from another: a second log that goes on from the same one, or the old house's signed
    /// statement in a file; several may be named. Two statements that differ show a second history.
    #[arg(long, value_name = "SOURCE", num_args = 1.., conflicts_with = "ledger_only")]
    pub rival: Vec<String>,
    /// If two statements differ, write both to this file: evidence that anybody with the old log's key can check.
    #[arg(long, value_name = "FILE", requires = "rival")]
    pub evidence: Option<PathBuf>,
    /// A file with an auditor's token. The house owes every auditor the seeds of poker hands that it voided: they are
    /// fetched from ADDRESS and compared with their commitments, and the hands are finished by default play. Without it
    /// these hands are counted as owed and not seen.
    #[arg(long, alias = "auditor-token", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Exit with 1 if the verdict is `sound so far`: a round is in play, or a shoe that was used is not revealed yet.
    #[arg(long)]
    pub strict_end: bool,
    /// Keep the audit's progress in this file, if all is right, and go on from there the next time: only new entries
    /// are read, and a log that got shorter, or is another one, is found. With --acks all is read again.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// How many pieces of the log are audited at once, if the source publishes its states; the verdict is the same. By
    /// default as many as there are cores. With --kept, --state and --from the log is read in one piece.
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Audit only the entries after so many, from the state that the log names for this size: published at the source,
    /// or in a file of that name (DIR/65536). The verdict says what it took as given, and is never `sound`.
    #[arg(long, value_name = "SIZE|FILE", conflicts_with_all = ["state", "acks", "continues", "ledger_only", "workers"])]
    pub from: Option<String>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `cluster SOURCE SOURCE…`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: fairshoe-audit cluster http://one.example http://two.example --key 'ONE+ID+KEY' --key 'TWO+ID+KEY'
Chips that were sent and not claimed are listed as under way: this is no fault, and anybody who has the receipt can hand it in \
(POST /v1/transfers). Exit codes: 0 sound, or so far; 1 not sound; 2 unusable input."
)]
pub struct ClusterArgs {
    /// Two or more of: an address, a stopped service's data folder, a mirror's folder; one for each log.
    #[arg(required = true)]
    pub sources: Vec<String>,
    /// A log's verifier key (NAME+hex8+base64), from a source you trust; may be given once for each log. A log without
    /// one is read under its source's own key, which is reported as unverified.
    #[arg(long, value_name = "VKEY")]
    pub key: Vec<String>,
    /// Print a JSON report instead of words.
    #[arg(long)]
    pub json: bool,
}

/// `wallet SOURCE STATEMENT`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: fairshoe-audit wallet http://127.0.0.1:8080 http://127.0.0.1:8700 --token-file wallet.token
The log is read first, the statement after it: operations in between are listed as under way or later, never as a difference. \
Operations that are open on the log, or later than its copy, are listed; they are no fault.
Exit codes: 0 the log is sound (or so far) and nothing differs; 1 it is not, or something differs; 2 unusable input."
)]
pub struct WalletArgs {
    /// An address, a stopped service's data folder, or a mirror's folder.
    pub source: String,
    /// The wallet's statement: a file of JSON Lines, or the wallet's own address (spec/wallet.yaml).
    pub statement: String,
    /// A file with the token that the wallet asks for; with an address.
    #[arg(long, alias = "token", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `monitor ADDRESS… --state DIR`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: fairshoe-audit monitor https://house.example https://mirror.example --state ./monitor \\
           --key 'ORIGIN+ID+KEY' --policy policy.txt --webhook https://alarm.example/fairshoe
DIR holds audit.state (how far the audit has come), addresses.json (the last checkpoint of each address), checkpoints.jsonl \
(every checkpoint seen, with its time: evidence against back-dating, for log --kept) and evidence-*.json.
Exit codes: 0 stopped by SIGTERM or SIGINT, or sound with --once; 1 something does not hold, the evidence is in DIR; \
2 unusable input, or with --once an address that does not answer."
)]
pub struct MonitorArgs {
    /// Addresses of the same log: mirrors, or one service reached by several ways.
    #[arg(required = true)]
    pub addresses: Vec<String>,
    /// The monitor's own folder; made on the first start.
    #[arg(long, value_name = "DIR", default_value = "fairshoe-monitor")]
    pub state: PathBuf,
    /// A policy (c2sp.org/tlog-policy): its log's key, if --key is not given, and witnesses. Their cosignatures are
    /// verified, and their own copies (GET URL/checkpoint?origin=…) are compared if they have a URL.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Seconds from one look to the next; an address that does not answer is asked less and less often, at least every
    /// 10 minutes.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub every: u64,
    /// Look once and stop.
    #[arg(long)]
    pub once: bool,
    /// An address to which a finding is reported: POST with a JSON object.
    #[arg(long, value_name = "URL")]
    pub webhook: Option<String>,
    /// The log that this one goes on from, as with `log`: an address, a data folder or a mirror's folder. It is read
    /// once, and its verdict is kept.
    #[arg(long, value_name = "SOURCE")]
    pub continues: Vec<String>,
    #[command(flatten)]
    pub(crate) clock: ClockArgs,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `evidence FILE`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 1 the file proves that the log is not sound; 0 it does not prove it by itself; 2 it is no evidence."
)]
pub struct EvidenceArgs {
    /// An evidence file.
    pub file: PathBuf,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `mirror SOURCE DIR`
#[derive(Debug, Args)]
#[command(after_help = "Example: fairshoe-audit mirror https://house.example/ /srv/mirror --key 'ORIGIN+ID+KEY'
Then serve the folder with any web server; readers of the log can read it there as well: checkpoint, tile/…, log.vkey. \
The same command again fetches new entries, repairs damaged files, and refuses a log that is not the one mirrored so \
far: then both signed checkpoints are kept, as evidence. Only bytes under the signed root are written.")]
pub struct MirrorArgs {
    /// The log's address, or another mirror's address or folder.
    pub source: String,
    /// The mirror's folder; made if there is none.
    pub dir: PathBuf,
    /// Go on until it is stopped, so many seconds from one look to the next. It reports new entries, and ends with exit
    /// code 1 if something is not sound. An address that does not answer is asked again.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub every: Option<u64>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `stats SOURCE`
#[derive(Debug, Args)]
#[command(after_help = "\
The log is audited first; if it is not sound, no figures are shown, and the exit code is 1. Figures of \
the revealed shoes: cards by place, order, neighbours and runs; cards dealt to players and to the dealer; \
pockets; coups and blackjacks; what each rule set returned, beside its exact figure; voids and withheld \
seeds by table and by who was ahead; seeds used twice. Each chance is corrected for all tests together. \
The strongest word is `unusual: look`; the exit code stays 0, for no figure is a proof. No statistic \
shows a house that made many shoes and kept the one it liked: the protocol stops that.

Examples:
  fairshoe-audit stats http://127.0.0.1:8080
  fairshoe-audit stats /var/lib/fairshoe --html report.html
  fairshoe-audit stats http://127.0.0.1:8080 --svg plots --json > report.json")]
pub struct StatsArgs {
    /// An address, or a stopped service's data folder.
    pub source: String,
    /// Write the report as one page, without scripts or external files.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write each plot as an SVG file into this folder, which is made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// The examples at the end of `play --help`: one a game.
const PLAY_EXAMPLES: &str = "\
Examples:
  play joy --cards '8s Kd 8h Ac 3d Tc Td' --bets 10 --actions 'split double stand'
  play live-blackjack --cards 'Ah Tc 7d Kd 9c 7s 4h' --bets '1=1000 2=1000' --actions stand
  play six-deck --set insurance_odds=3:1 --cards 'Ts Ad 6h Kc' --bets 10 \\
       --actions 'insurance=yes stand'
  play baccarat --cards '2h Kd 3c 3s 8d' --bets 'player=5000 tie=500'
  play roulette --pocket 17 --bets 'straight:17=100 split:17-20=100 line:13-18=100'
  play safe --players A,B --entry 100 --cards 'Th 9s 8d 7c Kh 4d' \\
       --actions 'A:stand B:hit B:reject'

A shared table's boxes are played by seat1, seat2 …, a solo table's by one player.
Insurance and even money are declined where the next action is about something
else; so is a Safe player's chance to refuse a drawn card, to open or to discard a
face-down hand. A game of Safe may be left undecided; every other game is played to
its settlement.";

/// The end of `refund --help`: fields, and an example that a test runs.
const REFUND_HELP: &str = r#"The file is one object; amounts are cents, times integers: milliseconds, or with a short structure
any unit.

  structure  a shipped one's name (freezeout-9), a whole structure, or its figures, of which all but
             buy_in may be left out: buy_in, fee, bounty, bounty_onto_head, stack, players_max,
             guarantee, late (how long after the start one may enter), rebuy and add_on
             {"price","fee","chips"}, refund_method (document, chip_count), payouts: one of
             {"prizes":[cents, ...]}, {"shares":[parts, ...]}, {"rows":[...]},
             {"satellite":{"buy_in","fee"}}
  start      when the event began; leave it out if it had not
  stops      [[from, until], ...]: when its clock stood still
  instant    the reference instant (R001.31)
  entries    in the order in which they were made; all fields may be left out:
               count          so many alike
               player         a name; the same name again is a re-entry
               at             when it was made; else at the start
               unregistered   true: taken back before the start
               pay            cash, ticket or t_dollars
               t_dollars      the part that T$ paid, else all
               chips          at the instant; 0: eliminated
               hands          instead: [{"at","chips","head","won"}, ...], as each hand left it
               rebuys         [time, ...]: when they were bought
               add_on         time
               may_rebuy      true: without chips at the instant, but not out yet
               head, won      own bounty and won total at the instant
               has_bounty     false: never had one
               stakes         [[buyer, basis points], ...]

Example (12 entries of 46 + 4 dollars, seven left, one of them sold 25 % and 15 %):
  echo '{"structure":{"buy_in":4600,"fee":400,"guarantee":100000},"start":0,"instant":90,
    "entries":[{"chips":31415},{"chips":26535},
    {"chips":20000,"stakes":[["b1",2500],["b2",1500]]},
    {"chips":17050},{"chips":12500},{"chips":8000},{"chips":4500},{"chips":0,"count":5}]}' |
  fairshoe-audit refund -

JSON comes out: the case, each payment by part with its exact fraction, what buyers get, the
residual, the sum. Every field, bound and code of a refusal: spec/games/refunds.md, section 9.
Exit codes: 0 computed; 2 unusable input."#;

/// The end of `prizes --help`.
const PRIZES_HELP: &str = r#"The file is one object:

  structure  as in `refund`
  sold       {"entries", "players", "with_bounty", "rebuys", "add_ons"}; entries alone are needed
  cut_short  true: the paid places ended late registration, so there is no guarantee (R001.18)
  bounty     {"head", "total", "winners"}: a head, and the total its owner had won, among so many
  deal       {"method", "chips":[...]}: chips or icm, among who is left

Example (a full field of 100 at 9 dollars, 1000 guaranteed):
  echo '{"structure":{"buy_in":900,"guarantee":100000,"players_max":100,
      "payouts":{"shares":[50,30,20]}},
    "sold":{"entries":100},"deal":{"method":"icm","chips":[7000,3000]}}' |
  fairshoe-audit prizes -

JSON comes out. Every field, bound and code of a refusal: spec/games/refunds.md, section 9.
Exit codes: 0 computed; 2 unusable input."#;

/// `play RULESET --cards … --bets … --actions …`
#[derive(Debug, Args)]
#[command(after_help = PLAY_EXAMPLES)]
pub struct PlayArgs {
    /// A shipped rule set's name, or the path of a rule set file.
    pub ruleset: String,
    /// Set an option of the rule set; may be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub set: Vec<String>,
    /// The cards in the order in which they are drawn, whatever their lane: rank A23456789TJQK and suit cdhs. In Safe a
    /// new pile's cards follow those of the pile before.
    #[arg(long, value_name = "CARDS", default_value = "", hide_default_value = true)]
    pub cards: String,
    /// Stakes by box or spot: `1=100 2=50`, `banker=100 tie=50`, `split:17-20=100 red=50`. A stake alone is box 1's, or
    /// the entry of Safe.
    #[arg(long, value_name = "BETS", default_value = "", hide_default_value = true)]
    pub bets: String,
    /// The choices, in the order in which they are asked for: hit, stand, double[=N], split, surrender,
    /// insurance=yes|no, even_money=yes|no, face-down, change=CARD, accept, reject, open[=BOX/HAND],
    /// discard[=BOX/HAND], pass. NAME:ACTION says whose choice it is.
    #[arg(long, value_name = "ACTIONS", default_value = "", hide_default_value = true)]
    pub actions: String,
    /// Safe: the players in turn order, as in A,B,C.
    #[arg(long, value_name = "NAMES", default_value = "", hide_default_value = true)]
    pub players: String,
    /// Safe: each player's entry in minor units, if it differs from the rule set's.
    #[arg(long, value_name = "N")]
    pub entry: Option<u64>,
    /// Roulette: the pocket in which the ball comes to rest, 0 to 36.
    #[arg(long, value_name = "N")]
    pub pocket: Option<u64>,
    /// Each player's balance before the bets, in minor units.
    #[arg(long, value_name = "N", default_value_t = fairshoe_games::script::DEFAULT_BALANCE)]
    pub balance: u64,
    /// Print an object with staked, returned, net, seats, bets, events and view, and with winner in Safe.
    #[arg(long)]
    pub json: bool,
}

/// `refund FILE`
#[derive(Debug, Args)]
#[command(after_help = REFUND_HELP)]
pub struct RefundArgs {
    /// The event as JSON; `-` reads standard input.
    pub file: PathBuf,
    /// Print a table for people instead of JSON.
    #[arg(long)]
    pub words: bool,
}

/// `prizes FILE`
#[derive(Debug, Args)]
#[command(after_help = PRIZES_HELP)]
pub struct PrizesArgs {
    /// The entries sold, as JSON; `-` reads standard input.
    pub file: PathBuf,
}

/// `replay FILE…`
#[derive(Debug, Args)]
#[command(after_help = "Example: fairshoe-audit replay hand.phh session.phhs --json
Variants NT, NS, FT, PO and FO/8, and PO/8 and the like of our own. Histories that `history` wrote are played by the rules, \
the rake and the dead posts that they name. Exit codes: 0 all recorded stacks are reached (or none are recorded), 1 the first \
difference is named, 2 a hand cannot be judged.")]
pub struct ReplayArgs {
    /// Hand histories in the Poker Hand History format: .phh, or .phhs with many hands.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Print a JSON report: hands, equal, nothing_recorded, different, unusable.
    #[arg(long)]
    pub json: bool,
}

/// A notation of hand histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// Poker Hand History: TOML, with commitments, slots and openings in user fields.
    Phh,
    /// Open Hand History 1.4.7: JSON, as trackers read it; no proofs.
    Ohh,
}

/// `history SOURCE ROUND` or `history SOURCE --all --out PATH`
#[derive(Debug, Args)]
#[command(after_help = "\
The hand, or the log, is audited first; if it is not sound, no history is written. Hole cards \
that were not turned up are hidden (????); your own are shown if you give their openings. \
A void hand has no history: every chip went back. Amounts are in minor units.

Examples:
  fairshoe-audit history http://127.0.0.1:8080 holdem-1:7
  fairshoe-audit history hand.json --format ohh --out hand.ohh
  fairshoe-audit history http://127.0.0.1:8080 holdem-1:7 --own my-cards.json --out hand.phh
  fairshoe-audit history /var/lib/fairshoe --all --out histories/

Exit codes: 0 written; 1 the hand, the log or an opening that was given is not sound; 2 unusable input, or no \
such hand: not over, or void.")]
pub struct HistoryArgs {
    /// An address, a stopped service's data folder, a mirror's folder, or a bundle file.
    pub source: String,
    /// TABLE:NUMBER, as in holdem-1:7. A bundle file names its own.
    pub round: Option<String>,
    /// Every settled hand of every poker table of the log.
    #[arg(long, conflicts_with_all = ["round", "own"], requires = "out")]
    pub all: bool,
    /// The notation.
    #[arg(long, value_enum, default_value_t = Notation::Phh)]
    pub format: Notation,
    /// A file; or a folder (one that is there, or a path that ends in /), in which each hand, with --all each table,
    /// gets a file. With --all a file holds all hands, as .phhs and .ohh files may. Without --out a hand is printed.
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// The openings of your own hole cards: a saved reply of the service with `own`, or a JSON list of them.
    #[arg(long, value_name = "FILE")]
    pub own: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `tournament SOURCE EVENT`
#[derive(Debug, Args)]
#[command(after_help = "\
The whole log is audited first, as by `log`; if it is not sound, only the finding is told, and the \
exit code is 1. The story has, in the log's order: the structure in words; entries, rebuys, stakes; each draw \
with who is to be seated, the house's number, who withheld a seed, and the seats that follow; levels and \
breaks; why a table breaks and why a player moves; eliminations and places; bounties, prizes, deals; what \
the operator did, with their cause; cancellation and refunds. Then

  entrants    what each player paid and was paid: prize, bounty, refund, stakes, net
  accounts    every posting of the event, by what it was for; each row sums to zero, and of an event that
              is over its own accounts (pool, fees, bounties, escrow) end at zero
  chips       the chips bought, and that after each hand all of them are still there
  instants    for a cancellation: what other instants would have paid, to whom, and what the house would have
              kept. It is no finding; it is what the choice was worth. The same if the event went on after
              a crash, and if it is still played at the log's end

Examples:
  fairshoe-audit tournament http://127.0.0.1:8080 sunday
  fairshoe-audit tournament ./mirror sunday --key 'ORIGIN+ID+KEY' --hands
  fairshoe-audit tournament /var/lib/fairshoe sunday --json | jq '.tournament.entrants[] | {player, net}'

Amounts are cents, chips are chips. Exit codes: 0 sound (or sound so far); 1 not sound; 2 unusable input, or the \
log has no such tournament.")]
pub struct TournamentArgs {
    /// An address, a stopped service's data folder, or a mirror's folder.
    pub source: String,
    /// The tournament's name.
    pub event: String,
    /// Add a line for each hand: what each player put in, got and has left, and all chips after it.
    #[arg(long)]
    pub hands: bool,
    /// How many instants of a cancellation are computed, at most; if there were more moments, they are thinned evenly.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    pub instants: u16,
    #[command(flatten)]
    pub(crate) common: KeyArgs,
}

/// `rule CODE…`
#[derive(Debug, Args)]
#[command(after_help = "Example: fairshoe-audit rule R002.10 A001.qq inclusion
R and a number are rules of a game or of tables, A and the same number our rulings where they are silent; words such \
as inclusion are checks of a report.")]
pub struct RuleArgs {
    /// The codes, as refusals, reports and pages write them.
    #[arg(required = true, value_name = "CODE")]
    pub codes: Vec<String>,
}

/// `witness --name NAME --log VKEY…`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: fairshoe-audit witness --name witness.example/w1 --log 'ORIGIN+ID+KEY' --state ./witness
A log submits its checkpoints to this address (POST /add-checkpoint, c2sp.org/tlog-witness). Give your key, which is \
printed at the start, to people who want to rely on you: it belongs in their policy files."
)]
pub struct WitnessArgs {
    /// The witness's name, under which its key is known: a schema-less URL.
    #[arg(long)]
    pub name: String,
    /// The verifier key (NAME+hex8+base64) of a log to follow, from a trusted source; may be repeated.
    #[arg(long = "log", value_name = "VKEY", required = true)]
    pub logs: Vec<String>,
    /// The folder of the witness's key and memory; made on the first start. Keep it: a witness needs its memory.
    #[arg(long, value_name = "DIR", default_value = "fairshoe-witness")]
    pub state: PathBuf,
    /// The address to listen on.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8790")]
    pub listen: std::net::SocketAddr,
}
