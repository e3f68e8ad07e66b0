//! The service's options: from the command line, then the configuration file, then the defaults, with what each may
//! be. Opens nothing: folders, keys and tokens are for the start.

use crate::cluster;
use crate::edge::ProxyHeader;
use crate::edge::budget;
use crate::edge::tls::Files;
use crate::wallet;
use crate::witness::Settings;
use crate::write::snapshots;
use clap::{Args, Parser, Subcommand};
use fairshoe_api::Currency;
use fairshoe_fairness::Origin;
use fairshoe_house::{NextLog, PlayerKey};
use fairshoe_tlog::{KeyType, VerifierKey};
use serde::Deserialize;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A provably-fair dealing and audit service.
#[derive(Parser)]
#[command(
    name = "fairshoe",
    version,
    about = "A provably-fair dealing and audit service",
    after_help = "Without a command `fairshoe` means `fairshoe serve` with every default.\n\n\
        Examples:\n  fairshoe\n  fairshoe serve --data /var/lib/fairshoe --listen 127.0.0.1:8080\n  \
        fairshoe serve --config fairshoe.toml\n  fairshoe doctor --config fairshoe.toml\n  fairshoe check /var/lib/fairshoe\n  \
        fairshoe restore /srv/mirror --data /var/lib/fairshoe --keys /safe/saved --lost /mnt/old\n\n\
        The environment may hold the master key, in 64 hexadecimal digits (FAIRSHOE_MASTER_KEY), instead of a file.\n\
        Audit its log with `fairshoe-audit log http://127.0.0.1:8080`."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run the service: deal, record, prove.
    Serve(Box<ServeArgs>),
    /// Read the whole folder of a stopped service, and say whether it is undamaged: every seal, every entry, the signed
    /// tree. (A start looks at the newest seals alone.) The folder is not written to.
    Check {
        /// The data folder.
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Print one JSON object: `whole`, and with it `entries`, `sealed`, `root`, `key`, `torn_anchor`, or `label`
        /// and `error`.
        #[arg(long)]
        json: bool,
    },
    /// Check whether a service with these options would keep its promises here: the disk's syncs, its space, the clock,
    /// the secrets, file limits, witnesses, the wallet, the order's servers. Exit code 1 if something is bad.
    Doctor {
        /// The options, as of `serve`.
        #[command(flatten)]
        options: Box<ServeArgs>,
        /// Print one JSON object: `well`, and `found`, each `what`, `state` (`well`, `note`, `bad`), `says`.
        #[arg(long)]
        json: bool,
    },
    /// Ask the service that runs on this data folder whether it answers: exit code 0, else 1. A node of a shard answers
    /// whether it leads or follows. For supervisors that restart a service which does not answer.
    Alive {
        /// The data folder; the service has written its address there.
        #[arg(long, default_value = "data", value_name = "DIR")]
        data: PathBuf,
    },
    /// The nodes of a shard (spec/cluster.md).
    Cluster {
        #[command(subcommand)]
        command: ClusterCommand,
    },
    /// Build a new data folder from a copy of the log and the saved secrets, and go on with the log.
    Restore(RestoreArgs),
    /// Make the keys of a log that is to go on from another one, before that one ends: a folder with `secrets/`,
    /// `operator.token` and `log.vkey`, for `serve --end-for` and `restore --new-keys`.
    NewKeys {
        /// The folder to make; empty, or not there yet.
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// The new log's name, a schema-less URL such as `example.com/fairshoe-2`.
        #[arg(long, value_name = "NAME")]
        origin: String,
    },
}

/// What to do with the nodes of a shard.
#[derive(Subcommand)]
pub enum ClusterCommand {
    /// Bring up three servers of an order and the nodes of some shards on this machine, to try them; they stop with this
    /// command.
    Up(cluster::up::UpArgs),
    /// Ask nodes who leads, who follows, and how far each is. Exit code 0 if all answer, reach their order, and each
    /// shard has a leader; else 1.
    Status {
        /// The nodes' addresses, `http://HOST:PORT`.
        #[arg(value_name = "ADDRESS", required = true)]
        addresses: Vec<String>,
        /// Print one JSON object: `well`, and `nodes`, each with `address`, `shard`, `node`, `leads`, `is_reached`,
        /// `leader`, `size`, `behind`; or `address` and `error`.
        #[arg(long)]
        json: bool,
    },
}

/// What to restore, and from where.
#[derive(Args)]
#[command(after_long_help = "\
What must be backed up: the folder `secrets/` (the master key, the log's key, the log's name) and `operator.token`, once: they \
stay as they are, unless you replace the token (spec/operating.md, \"Other keys\"): then save it again; and the log, all the time: by \
`fairshoe-audit mirror ADDRESS DIR` on another machine, or by witnesses who at least know how long it is. Tokens of players and \
auditors are in no mirror: after a restore from a mirror everybody needs a new token.\n\n\
If signed entries are missing, a log that goes on would sign others in their place: a second history, and proof against the \
house for all to see. So restore asks for everything that is known to be signed (--lost, --signed, --witnesses), refuses if \
any of it is newer than SOURCE, and goes on without a proof only if you say that no entry is missing.")]
pub struct RestoreArgs {
    /// A mirror's folder (`fairshoe-audit mirror`), or a copy of a data folder. It is only read.
    #[arg(value_name = "SOURCE")]
    pub source: PathBuf,
    /// The data folder to make; empty, or not there yet, or left by a restore that was cut off
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The saved secrets: a copy of `secrets/`, with `operator.token` in it if that was saved, or a folder that has
    /// both [default: SOURCE]
    #[arg(long, value_name = "DIR")]
    pub keys: Option<PathBuf>,
    /// What is left of the folder that was lost: its `anchor` says how long the log was, and `witnessed` what witnesses
    /// saw
    #[arg(long, value_name = "DIR")]
    pub lost: Option<PathBuf>,
    /// Something that the log's key signed: a checkpoint, a receipt, a saved reply, a history of checkpoints; may be
    /// given more than once
    #[arg(long, value_name = "FILE")]
    pub signed: Vec<PathBuf>,
    /// Ask these witnesses whether they have seen more: the file that `fairshoe serve --witnesses` takes
    #[arg(long, value_name = "FILE")]
    pub witnesses: Option<PathBuf>,
    /// You know that SOURCE holds every entry that was ever acknowledged, although you have no proof
    #[arg(long)]
    pub nothing_missing: bool,
    /// If signed entries are missing in SOURCE, begin a new log of this name that goes on from it: players keep their
    /// names, keys and chips, open rounds are void, the operator's tables open again. The old log's key (--keys) signs
    /// it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["nothing_missing", "lost", "witnesses"])]
    pub continue_as: Option<String>,
    /// The new log's keys, which `fairshoe new-keys` made; needed if the old log has ended, since it named one of them
    /// [default: new keys are made]
    #[arg(long, value_name = "DIR", requires = "continue_as")]
    pub new_keys: Option<PathBuf>,
    /// Print one JSON object: `restored`, and with it `entries`, `root`, `key`, `operator_token_kept`, `tokens`,
    /// `wrong_files`, or `label` and `error`
    #[arg(long)]
    pub json: bool,
}

/// Where to run and with which limits. The same names may stand in the configuration file, in [brackets]-free TOML; the
/// command line takes precedence over the file.
#[derive(Args, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeArgs {
    /// The data folder: the log, the keys, the operator's token. Made on the first start [default: ./data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// The certificate, and the chain to one that clients trust, in PEM; with --tls-key the service speaks TLS alone.
    /// Read again when the file changes [default: none; use a proxy]
    #[arg(long, value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// A TOML file with any of these options, e.g. `listen = "0.0.0.0:8080"`
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// The log's name, a schema-less URL such as `example.com/fairshoe`; fixed for ever on the first start
    /// [default: localhost/fairshoe-RANDOM]
    #[arg(long, value_name = "NAME")]
    pub origin: Option<String>,
    /// HTTP worker threads [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// The most connections at once, of all clients; if more come, idle ones are closed [default: 4096, or fewer if a
    /// quarter of the memory does not hold so many at 256 KiB each]
    #[arg(long, value_name = "N")]
    pub max_connections: Option<usize>,
    /// The most connections at once of each address; 0: no limit [default: 384]
    #[arg(long, value_name = "N")]
    pub connections_per_address: Option<usize>,
    /// Memory in MiB for the bodies and replies that are under way; an address or a token may hold a quarter of it
    /// [default: a sixteenth of the memory, from 16 to 1024]
    #[arg(long, value_name = "MIB")]
    pub memory_budget: Option<u64>,
    /// Seconds that a client may leave a reply unread before its connection is closed [default: 30]
    #[arg(long, value_name = "S")]
    pub write_timeout: Option<u64>,
    /// Requests a second for each holder of tokens, with a burst of twice that; 0: no limit [default: 5000]
    #[arg(long, value_name = "N")]
    pub token_rate: Option<u32>,
    /// Requests a second for each address without a token, with a burst of twice that; 0: no limit [default: 500]
    #[arg(long, value_name = "N")]
    pub address_rate: Option<u32>,
    /// Entries an hour that a player may make beside play: tables, seats, keys, tokens, withdrawals; 0: no limit [default: 1000]
    #[arg(long, value_name = "N")]
    pub player_entries: Option<u32>,
    /// MiB of the log that may be written an hour for each player, or for all guests of one address; then they begin no more
    /// play; 0: no limit [default: 256]
    #[arg(long, value_name = "MIB")]
    pub player_mib: Option<u64>,
    /// A proxy whose header says where its requests come from; may be given more than once [default: none is trusted]
    #[arg(long, value_name = "ADDR")]
    pub trusted_proxy: Vec<IpAddr>,
    /// The header in which trusted proxies give the client's address [default: x-forwarded-for]
    #[arg(long, value_name = "NAME")]
    pub proxy_header: Option<ProxyHeader>,
    /// The most event streams, and requests waiting for entries, at once [default: 1024]
    #[arg(long, value_name = "N")]
    pub max_streams: Option<usize>,
    /// Whether to admit guests, who play with worthless chips [default: true if --listen is a loopback address and no
    /// --trusted-proxy is named, else false]
    #[arg(long, value_name = "BOOL")]
    pub guests: Option<bool>,
    /// Guests admitted an hour from each address, and five times as many from the network around it; 0: no limit
    /// [default: 20]
    #[arg(long, value_name = "N")]
    pub guests_per_address: Option<u32>,
    /// The most guests at once; a guest makes room for another after five idle minutes, or after one if they have
    /// staked no chips [default: 1000]
    #[arg(long, value_name = "N")]
    pub max_guests: Option<usize>,
    /// What chips stand for, for clients to show: CODE:DECIMALS, e.g. `EUR:2` for cents [default: chips are shown as whole
    /// numbers]
    #[arg(long, value_name = "CODE:DECIMALS")]
    pub currency: Option<String>,
    /// Names of players for people to read: a file with one JSON object, a text for each pseudonym, read again when it
    /// changes (`GET /v1/names`) [default: pseudonyms alone]
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Origins whose pages may read replies in a browser, each exactly as `https://example.com`; may be given more than
    /// once [default: none but the service's own page]
    #[arg(long, value_name = "ORIGIN")]
    pub cors_origins: Vec<String>,
    /// Free space in MiB below which no new round begins; open ones finish [default: 256]
    #[arg(long, value_name = "MIB")]
    pub min_free_mib: Option<u64>,
    /// After so many new entries the state is written down again, so that a start need not read earlier entries; 0: it
    /// is never written down, and each start reads the whole log [default: 65536]
    #[arg(long, value_name = "N")]
    pub snapshot_entries: Option<u64>,
    /// Seconds that a graceful stop waits for open requests [default: 10]
    #[arg(long, value_name = "S")]
    pub stop_seconds: Option<u64>,
    /// A file that names the witnesses which cosign checkpoints: lines `witness NAME KEY URL`, groups, one `quorum`
    /// (c2sp.org/tlog-policy) [default: none]
    #[arg(long, value_name = "FILE")]
    pub witnesses: Option<PathBuf>,
    /// Take no bet once no quorum of the witnesses has cosigned a new checkpoint for so many seconds; open rounds
    /// finish [default: bets are always taken]
    #[arg(long, value_name = "S")]
    pub unwitnessed_limit: Option<u64>,
    /// Seconds after which the newest checkpoint is submitted to the witnesses again while nothing is logged
    /// [default: 30, or a third of --unwitnessed-limit if that is less]
    #[arg(long, value_name = "S")]
    pub witness_idle: Option<u64>,
    /// The operator's wallet, where players' money is kept (spec/wallet.md): `http://HOST:PORT`, or https [default: none;
    /// the operator credits players]
    #[arg(long, value_name = "URL")]
    pub wallet: Option<String>,
    /// A file with the token that the wallet asks for; needed with --wallet
    #[arg(long, value_name = "FILE")]
    pub wallet_token: Option<PathBuf>,
    /// When chips come from the wallet: `chips`, when a player asks for them; `rounds`, with each bet, and they go back
    /// once they have not moved for ten seconds [default: chips]
    #[arg(long, value_name = "STYLE")]
    pub wallet_style: Option<wallet::Style>,
    /// The servers that keep the order of a shard's log, for more than one node (spec/cluster.md): three of
    /// `nats://HOST:PORT`, or tls:// for TLS, with commas between them. Credentials may stand before the host,
    /// `USER:PASSWORD@` or `TOKEN@`, with %XX for any character but letters and digits: then use the configuration file
    /// or the environment, since everybody on the machine can read a command line [default: this process alone]
    #[arg(long, value_name = "URLS", value_delimiter = ',', env = "FAIRSHOE_ORDER", hide_env_values = true)]
    pub order: Vec<String>,
    /// A file with credentials for the servers: those of NATS (`.creds`: a JWT and a seed), or a user's seed alone
    /// [default: those in --order, if any]
    #[arg(long, value_name = "FILE")]
    pub order_credentials: Option<PathBuf>,
    /// The authorities trusted for the servers' certificates, in PEM; then each address is tls:// [default: those that
    /// the system trusts]
    #[arg(long, value_name = "FILE")]
    pub order_ca: Option<PathBuf>,
    /// The monitoring address of each of these servers, `http://HOST:PORT`: asked whether it syncs before it
    /// acknowledges
    #[arg(long, value_name = "URLS", value_delimiter = ',')]
    pub order_monitor: Vec<String>,
    /// The shard whose log this is: letters, digits and hyphens; needed with --order
    #[arg(long, value_name = "NAME")]
    pub shard: Option<String>,
    /// This node's name in its shard [default: the address it listens on]
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// The address at which clients reach this node; nodes that follow name it to clients [default: http:// and the
    /// address it listens on]
    #[arg(long, value_name = "URL")]
    pub advertise: Option<String>,
    /// Milliseconds for which a leader keeps the lead after its last message; another node tries half a second later
    /// [default: 2000]
    #[arg(long, value_name = "MS")]
    pub lease: Option<u64>,
    /// Begin an empty order at the end of this node's log. Only for the node with the longest log of its shard:
    /// otherwise the other nodes' further entries would be lost, and two histories signed
    #[arg(long)]
    #[serde(skip)]
    pub begin_order: bool,
    /// End the log for good, once its tables are recovered: the `log.vkey` of the log that goes on from it, made by
    /// `fairshoe new-keys`. From then on only readers are answered, also after every later start
    #[arg(long, value_name = "VKEY")]
    #[serde(skip)]
    pub end_for: Option<String>,
    /// The level that is logged: error, warn, info, debug, or filters per module [default: info]
    #[arg(long, alias = "log", value_name = "LEVEL")]
    #[serde(alias = "log")]
    pub log_level: Option<String>,
    /// The format of the log on standard error: `text` or `json` [default: text on a terminal, else json]
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    pub log_format: Option<String>,
}

/// The options with every default filled in.
#[derive(Clone)]
pub struct Config {
    pub data: PathBuf,
    pub listen: SocketAddr,
    /// Where it speaks TLS.
    pub tls: Option<Files>,
    pub origin: Option<String>,
    pub workers: usize,
    pub max_connections: usize,
    pub connections_per_address: usize,
    /// In bytes.
    pub memory_budget: usize,
    pub write_timeout: Duration,
    pub token_rate: u32,
    pub address_rate: u32,
    pub player_entries: u32,
    pub player_bytes: u64,
    pub trusted_proxies: Vec<IpAddr>,
    pub proxy_header: ProxyHeader,
    pub max_streams: usize,
    pub guests: bool,
    pub guests_per_address: u32,
    pub max_guests: usize,
    pub currency: Option<Currency>,
    /// Of display names.
    pub names: Option<PathBuf>,
    pub cors_origins: Vec<String>,
    pub min_free_bytes: u64,
    pub snapshot_entries: u64,
    pub stop_seconds: u64,
    pub witnesses: Option<Settings>,
    pub wallet: Option<wallet::Settings>,
    /// Of a node of a shard.
    pub cluster: Option<cluster::Settings>,
    /// The log that goes on from this one, which ends.
    pub end_for: Option<NextLog>,
    pub log: String,
    pub log_json: bool,
}

/// `CODE:DECIMALS`.
fn read_currency(text: &str) -> Result<Currency, String> {
    text.parse().map_err(|why| format!("currency: {why}"))
}

/// The name and the key of the log that goes on from one that ends, by its `log.vkey`.
fn read_next(vkey: &str) -> Result<NextLog, String> {
    let no_key = |why: &dyn std::fmt::Display| format!("--end-for: this is no log's key (NAME+ID+KEY): {why}");
    let key: VerifierKey = vkey.trim().parse().map_err(|e| no_key(&e))?;
    if key.key_type() != KeyType::Ed25519 {
        return Err(no_key(&"it is a witness's"));
    }
    let origin = Origin::parse(key.name()).map_err(|e| no_key(&e))?;
    Ok(NextLog { origin, key: PlayerKey::from_bytes(*key.public_key()) })
}

/// The largest configuration file that is read, in bytes.
const MAX_CONFIG_BYTES: u64 = 64 * 1024;

impl ServeArgs {
    /// Reads the configuration file, if one is named, and fills in the defaults.
    pub fn resolve(self) -> Result<Config, String> {
        let file = match &self.config {
            Some(path) => read_config(path)?,
            None => ServeArgs::default(),
        };
        let workers = self
            .workers
            .or(file.workers)
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(2, usize::from));
        // actix-server has no more.
        if !(1..=512).contains(&workers) {
            return Err("--workers must be from 1 to 512".into());
        }
        let log_format = self.log_format.or(file.log_format);
        if log_format.as_deref().is_some_and(|format| format != "text" && format != "json") {
            return Err("log_format is `text` or `json`".into());
        }
        let memory = budget::memory();
        let memory_budget = self
            .memory_budget
            .or(file.memory_budget)
            .map_or_else(|| budget::usual(memory), |mib| mib.saturating_mul(1 << 20));
        if memory_budget < budget::LEAST {
            return Err(format!("--memory-budget must be at least {}", budget::LEAST >> 20));
        }
        let max_connections =
            self.max_connections.or(file.max_connections).unwrap_or_else(|| budget::usual_connections(memory));
        if max_connections == 0 {
            return Err("--max-connections must be at least 1".into());
        }
        let write_timeout = self.write_timeout.or(file.write_timeout).unwrap_or(30);
        if !(1..=3600).contains(&write_timeout) {
            return Err("--write-timeout must be from 1 to 3600".into());
        }
        let witnesses = Settings::read(
            self.witnesses.or(file.witnesses).as_deref(),
            self.unwitnessed_limit.or(file.unwitnessed_limit),
            self.witness_idle.or(file.witness_idle),
        )?;
        let wallet = wallet::Settings::read(
            self.wallet.or(file.wallet).as_deref(),
            self.wallet_token.or(file.wallet_token).as_deref(),
            self.wallet_style.or(file.wallet_style),
        )?;
        let listen = self.listen.or(file.listen).unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
        let tls = match (self.tls_certificate.or(file.tls_certificate), self.tls_key.or(file.tls_key)) {
            (Some(certificate), Some(key)) => Some(Files { certificate, key }),
            (None, None) => None,
            _ => return Err("--tls-certificate and --tls-key belong together: name both files, or none".into()),
        };
        let cors_origins = if self.cors_origins.is_empty() { file.cors_origins } else { self.cors_origins };
        if let Some(wrong) = cors_origins.iter().find(|origin| !is_origin(origin)) {
            return Err(format!(
                "--cors-origins: `{wrong}` is no origin: http:// or https://, a name in small letters, a port unless it is the usual one, nothing after it"
            ));
        }
        let or = |own: Vec<String>, file: Vec<String>| if own.is_empty() { file } else { own };
        let cluster = cluster::Settings::of(cluster::Given {
            order: or(self.order, file.order),
            credentials: self.order_credentials.or(file.order_credentials),
            authorities: self.order_ca.or(file.order_ca),
            monitors: or(self.order_monitor, file.order_monitor),
            shard: self.shard.or(file.shard),
            node: self.node.or(file.node),
            advertise: self.advertise.or(file.advertise),
            lease: self.lease.or(file.lease),
            begin_order: self.begin_order,
            listen,
            scheme: if tls.is_some() { "https" } else { "http" },
        })?;
        let proxies = if self.trusted_proxy.is_empty() { file.trusted_proxy } else { self.trusted_proxy };
        Ok(Config {
            data: self.data.or(file.data).unwrap_or_else(|| PathBuf::from("data")),
            listen,
            tls,
            // Behind a proxy others reach what listens to this machine alone.
            guests: self.guests.or(file.guests).unwrap_or(listen.ip().is_loopback() && proxies.is_empty()),
            guests_per_address: self.guests_per_address.or(file.guests_per_address).unwrap_or(20),
            max_guests: self.max_guests.or(file.max_guests).unwrap_or(1000),
            currency: self.currency.or(file.currency).map(|text| read_currency(&text)).transpose()?,
            names: self.names.or(file.names),
            cors_origins,
            origin: self.origin.or(file.origin),
            workers,
            max_connections,
            connections_per_address: self.connections_per_address.or(file.connections_per_address).unwrap_or(384),
            memory_budget: usize::try_from(memory_budget).unwrap_or(usize::MAX),
            write_timeout: Duration::from_secs(write_timeout),
            token_rate: self.token_rate.or(file.token_rate).unwrap_or(5000),
            address_rate: self.address_rate.or(file.address_rate).unwrap_or(500),
            player_entries: self.player_entries.or(file.player_entries).unwrap_or(1000),
            player_bytes: self.player_mib.or(file.player_mib).unwrap_or(256).saturating_mul(1 << 20),
            trusted_proxies: proxies.into_iter().map(|proxy| proxy.to_canonical()).collect(),
            proxy_header: self.proxy_header.or(file.proxy_header).unwrap_or(ProxyHeader::XForwardedFor),
            max_streams: self.max_streams.or(file.max_streams).unwrap_or(1024),
            min_free_bytes: self.min_free_mib.or(file.min_free_mib).unwrap_or(256).saturating_mul(1 << 20),
            snapshot_entries: self.snapshot_entries.or(file.snapshot_entries).unwrap_or(snapshots::EVERY),
            stop_seconds: self.stop_seconds.or(file.stop_seconds).unwrap_or(10),
            witnesses,
            wallet,
            end_for: self.end_for.as_deref().map(read_next).transpose()?,
            cluster,
            log: self.log_level.or(file.log_level).unwrap_or_else(|| "info".into()),
            log_json: log_format
                .map_or_else(|| !std::io::IsTerminal::is_terminal(&std::io::stderr()), |format| format == "json"),
        })
    }
}

/// Whether a text is an origin as browsers write it: there is one spelling, and it is compared byte by byte.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:[]".contains(&byte);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(is_host))
}

fn read_config(path: &Path) -> Result<ServeArgs, String> {
    let named = |e: &dyn std::fmt::Display| format!("the configuration file {}: {e}", path.display());
    // Looked at before it is opened: opening a pipe or a device can wait for ever, and reading one may not end.
    let metadata = std::fs::metadata(path).map_err(|e| named(&e))?;
    if !metadata.is_file() {
        return Err(named(&"this is no regular file"));
    }
    let length = metadata.len();
    if length > MAX_CONFIG_BYTES {
        return Err(named(&format!("{length} bytes are too many, the most is {MAX_CONFIG_BYTES}")));
    }
    let text = std::fs::read_to_string(path).map_err(|e| named(&e))?;
    toml::from_str(&text).map_err(|e| named(&in_words(&text, &e)))
}

/// What is wrong with a file, and where: never what stands there, which may be a password.
fn in_words(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let begun = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(begun..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    // A line without a name is the middle of a value.
    let name = line.split_once('=').map_or("", |(name, _)| name).trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let setting = if is_name { format!(" (`{name}`)") } else { String::new() };
    // serde quotes the value that it did not expect.
    let message = error.message();
    let said = match (message.find('"'), message.rfind('"')) {
        (Some(from), Some(to)) if from < to => {
            [message.get(..from), Some("…"), message.get(to + 1..)].into_iter().flatten().collect()
        }
        _ => message.to_owned(),
    };
    format!("line {}{setting}: {said}", before.matches('\n').count() + 1)
}
