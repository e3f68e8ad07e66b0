//! Of which shard this process is a node, and where its order is kept: from the options, checked.

use super::LONGEST_LEASE;
use crate::edge::tls;
use crate::ops::keys;
use crate::ops::startup::{StartError, refuse_path};
use fairshoe_order::{Access, Servers};
use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the options say.
pub struct Given {
    pub order: Vec<String>,
    pub credentials: Option<PathBuf>,
    pub authorities: Option<PathBuf>,
    pub monitors: Vec<String>,
    pub shard: Option<String>,
    pub node: Option<String>,
    pub advertise: Option<String>,
    pub lease: Option<u64>,
    pub begin_order: bool,
    pub listen: SocketAddr,
    /// How clients speak with it: `http` or `https`.
    pub scheme: &'static str,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The servers, with what they are shown.
    pub servers: Servers,
    /// Their monitoring addresses.
    pub monitors: Vec<String>,
    pub shard: String,
    /// What this node is called.
    pub node: String,
    /// Where clients reach it.
    pub address: String,
    pub lease: Duration,
    /// An order that is empty begins at the log that this node has.
    pub begins_order: bool,
}

/// Servers that keep an order.
const SERVERS: usize = 3;

const MOST_NAME: usize = 64;

const USUAL_LEASE: u64 = 2000;

const SHORTEST_LEASE: Duration = Duration::from_millis(500);

/// Whether a text may name a shard or a node.
pub fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.is_empty() && name.len() <= MOST_NAME && name.bytes().all(is_part)
}

impl Settings {
    /// Those of a node; none for a process alone.
    pub fn of(given: Given) -> Result<Option<Settings>, String> {
        let Given {
            order,
            credentials,
            authorities,
            monitors,
            shard,
            node,
            advertise,
            lease,
            begin_order,
            listen,
            scheme,
        } = given;
        if order.is_empty() {
            let alone = monitors.is_empty() && shard.is_none() && node.is_none() && advertise.is_none();
            return if alone && lease.is_none() && credentials.is_none() && authorities.is_none() && !begin_order {
                Ok(None)
            } else {
                Err("--order-credentials, --order-ca, --order-monitor, --shard, --node, --advertise, --lease and --begin-order belong to --order: name the servers that keep the order, or leave them out".into())
            };
        }
        if order.len() < SERVERS {
            return Err(format!("--order: {SERVERS} servers are needed, each as nats://HOST:PORT"));
        }
        let shared =
            |path: PathBuf| keys::read_shared_secret(&path).map_err(|why| format!("--order-credentials: {why}"));
        let credentials = credentials.map(shared).transpose()?;
        let believed =
            |path: PathBuf| tls::certificates(&path).map(|_| path).map_err(|why| format!("--order-ca: {why}"));
        let authorities = authorities.map(believed).transpose()?;
        let (addresses, access) = Access::of(&order, credentials.as_deref().map(String::as_str), authorities)?;
        if monitors.iter().any(|server| server.contains('@')) {
            return Err("--order-monitor: without a user and a password, which would stand in logs".into());
        }
        if monitors.len() < SERVERS || monitors.iter().any(|server| !server.starts_with("http://")) {
            return Err(format!(
                "--order-monitor: the monitoring addresses of {SERVERS} servers are needed, each as http://HOST:PORT, since servers that do not sync before they acknowledge lose what was acknowledged"
            ));
        }
        let shard =
            shard.ok_or("--shard is needed with --order: the name of this shard, the same for all of its nodes")?;
        if !is_name(&shard) {
            return Err(format!("--shard {shard}: letters, digits and hyphens, at most {MOST_NAME}"));
        }
        if listen.port() == 0 {
            return Err(
                "--listen: a node needs a port of its own, so that clients find it again when it begins anew".into()
            );
        }
        if listen.ip().is_unspecified() && advertise.is_none() {
            return Err("--advertise is needed where --listen is every address of the machine: where do clients reach this node?".into());
        }
        let address = advertise.unwrap_or_else(|| format!("{scheme}://{listen}"));
        let is_address = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"));
        if is_address.is_none_or(|host| host.is_empty() || host.len() > 255 || host.contains(['/', ' ', '"'])) {
            return Err(format!("--advertise {address}: http:// or https://, a host, and nothing after it"));
        }
        let node = node.unwrap_or_else(|| listen.to_string().replace(['.', ':', '[', ']'], "-"));
        if !is_name(&node) {
            return Err(format!("--node {node}: letters, digits and hyphens, at most {MOST_NAME}"));
        }
        let lease = Duration::from_millis(lease.unwrap_or(USUAL_LEASE));
        if !(SHORTEST_LEASE..=LONGEST_LEASE).contains(&lease) {
            return Err("--lease must be from 500 to 10000".into());
        }
        let begins_order = begin_order;
        let servers = Servers { addresses, access, shard: shard.clone(), node: node.clone() };
        Ok(Some(Settings { servers, monitors, shard, node, address, lease, begins_order }))
    }
}

/// In the data folder of a node: its shard. *A folder that goes on alone, or as a node of another shard, would sign a second
/// history.*
const SHARD: &str = "shard";

/// Refuses a folder that belongs to another shard than the options say, or to one where they say none.
///
/// # Errors
/// [`StartError`].
pub fn hold_to_shard(data: &Path, settings: Option<&Settings>) -> Result<(), StartError> {
    let path = data.join(SHARD);
    let bound = match fs::read_to_string(&path) {
        Ok(text) => text.trim().to_owned(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(refuse_path(&path, &e)),
    };
    let refuse = |what: String| Err(StartError::refuse("the folder is of another shard", what));
    match settings {
        Some(settings) if settings.shard == bound || settings.begins_order => Ok(()),
        Some(settings) => refuse(format!(
            "{} is the folder of a node of the shard {bound}, and --shard says {}: two orders of one log are two histories. To begin a new order with this log see spec/cluster.md, \"A new order\"",
            data.display(),
            settings.shard
        )),
        None => refuse(format!(
            "{} is the folder of a node of the shard {bound}: start it with --order and --shard {bound}. If no other node of it will ever run again, remove {}, and it goes on alone",
            data.display(),
            path.display()
        )),
    }
}

/// Notes to which shard a folder belongs.
///
/// # Errors
/// [`StartError`].
pub fn bind_to_shard(data: &Path, settings: &Settings) -> Result<(), StartError> {
    let (path, new) = (data.join(SHARD), data.join("shard.new"));
    let text = format!("{}\n", settings.shard);
    if fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(());
    }
    // A power cut leaves the old one, or the new one whole.
    let write = || {
        let mut file = fs::File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        fs::File::open(data)?.sync_all()
    };
    write().map_err(|e: std::io::Error| refuse_path(&path, &e))
}
