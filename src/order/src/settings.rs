//! Checks whether the servers sync before they acknowledge; each is asked at its monitoring address (spec/cluster.md,
//! "JetStream").

use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;
use thiserror::Error;

/// So many servers must confirm it: if one of three is gone, the others continue.
const SERVERS: usize = 2;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: u64 = 1 << 20;

/// Why the servers must not keep an order, with the server concerned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsafe {
    /// Its settings are not known yet.
    #[error(
        "{0} does not say how it is set ({1}): its monitoring address (`http:` in its configuration) must be named, and reachable from here"
    )]
    Unreachable(String, String),
    /// It would lose acknowledged messages.
    #[error(
        "{0}, the server {1}, does not sync before it acknowledges: `jetstream {{ sync_interval: always }}` belongs into its configuration, or a power cut loses what was acknowledged"
    )]
    NotSynced(String, String),
    /// It keeps no streams.
    #[error("{0}, the server {1}, keeps no streams: `jetstream` belongs into its configuration")]
    NoJetStream(String, String),
    /// Two addresses lead to one server.
    #[error("each server must be named by a monitoring address of its own; {0} of them answer, and that are {1}")]
    Same(usize, usize),
}

#[derive(Deserialize)]
struct Varz {
    server_name: String,
    #[serde(default)]
    jetstream: JetStreamVarz,
}

#[derive(Default, Deserialize)]
struct JetStreamVarz {
    config: Option<JetStreamConfig>,
}

#[derive(Deserialize)]
struct JetStreamConfig {
    #[serde(default)]
    sync_always: bool,
}

/// Asks each server for its settings. One of three may be gone; each one that answers must sync.
///
/// # Errors
/// [`Unsafe`]: the first server that fails.
pub fn check_servers(monitors: &[String]) -> Result<(), Unsafe> {
    let agent = ureq::Agent::new_with_config(
        // Without a proxy from the environment: it reaches neither loopback nor a private network.
        ureq::Agent::config_builder().proxy(None).timeout_global(Some(Duration::from_secs(2))).build(),
    );
    let (mut names, mut answered, mut silent) = (BTreeSet::new(), 0, None);
    for address in monitors {
        let ask = || -> Result<Varz, String> {
            let mut answer = agent.get(format!("{address}/varz")).call().map_err(|e| e.to_string())?;
            let text = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec().map_err(|e| e.to_string())?;
            serde_json::from_slice(&text).map_err(|e| e.to_string())
        };
        let varz = match ask() {
            Ok(varz) => varz,
            Err(why) => {
                silent = silent.or(Some(Unsafe::Unreachable(address.clone(), why)));
                continue;
            }
        };
        answered += 1;
        match varz.jetstream.config {
            None => return Err(Unsafe::NoJetStream(address.clone(), varz.server_name)),
            Some(config) if !config.sync_always => return Err(Unsafe::NotSynced(address.clone(), varz.server_name)),
            Some(_) => drop(names.insert(varz.server_name)),
        }
    }
    match silent {
        Some(silent) if answered < SERVERS => Err(silent),
        _ if names.len() < answered => Err(Unsafe::Same(answered, names.len())),
        _ => Ok(()),
    }
}
