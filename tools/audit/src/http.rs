//! A service's address, read with bounds on time and size. Believes nothing of what it fetches; its callers verify.

use crate::clock::{SECOND, now_ms};
use crate::outcome::UnusableInput;
use fairshoe_api::Problem;
use fairshoe_tlog::{VerifierKey, own_time};
use serde::Deserialize;
use std::io::Read;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;
use ureq::config::ConfigBuilder;
use ureq::http::Uri;
use ureq::typestate::AgentScope;

/// The proxy that the command line names.
static PROXY: OnceLock<ureq::Proxy> = OnceLock::new();

/// Has everything that is asked from now on go through a proxy, but for what this machine serves itself.
///
/// # Errors
/// The address is none.
pub fn go_through(proxy: &str) -> Result<(), UnusableInput> {
    let read = ureq::Proxy::new(proxy);
    // It may hold a password, so that it is not repeated.
    let read = read.map_err(|_| UnusableInput::new("--proxy: http://HOST:PORT or https://HOST:PORT"))?;
    drop(PROXY.set(read));
    Ok(())
}

/// What an agent that asks an address begins with. No proxy of somebody's environment stands before it: *it is set for other
/// programs of the machine, and would answer for the house, and read tokens.*
pub fn agent_for(address: &str) -> ConfigBuilder<AgentScope> {
    let proxy = if is_own(address) { None } else { PROXY.get().cloned() };
    ureq::Agent::config_builder().proxy(proxy)
}

/// Whether an address is this machine's, where no proxy leads.
fn is_own(address: &str) -> bool {
    let uri: Option<Uri> = address.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A service's public address, read with bounds on time and size.
pub struct Client {
    agent: ureq::Agent,
    base: String,
}

/// What an address answered.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Who answers at an address (spec/audit.md, "Who answers").
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// A service that decides: at this time (UTC milliseconds, by its own clock) it had nothing that it does not show.
    Decides { at: u64 },
    /// A service that cannot know now what is the newest: it follows another, or what it decided waits for its disk.
    Follows { leader: Option<String> },
    /// Static files, or a cache: of any age.
    Files,
}

/// A log's own time counts for so long after it, by the reader's clock, in seconds.
pub const FRESH: u64 = 60;

/// What is read of `GET /v1/cluster`.
#[derive(Deserialize)]
struct Told {
    #[serde(default)]
    leader: Option<String>,
}

impl Client {
    pub fn new(address: &str) -> Client {
        let config = agent_for(address)
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_global(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("fairshoe-audit/", env!("CARGO_PKG_VERSION")))
            .build();
        Client { agent: config.into(), base: address.trim_end_matches('/').to_owned() }
    }

    /// Fetches a path that must not be longer than `most` bytes.
    pub fn get(&self, path: &str, most: u64) -> Result<Answer, UnusableInput> {
        self.fetch(path, None, most)
    }

    /// The same with somebody's token.
    pub fn get_by(&self, token: &str, path: &str, most: u64) -> Result<Answer, UnusableInput> {
        self.fetch(path, Some(token), most)
    }

    fn fetch(&self, path: &str, token: Option<&str>, most: u64) -> Result<Answer, UnusableInput> {
        let url = format!("{}/{path}", self.base);
        let failed = |e: ureq::Error| UnusableInput::new(format!("{url}: {e}"));
        let request = self.agent.get(&url);
        let request = match token {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        };
        let mut response = request.call().map_err(failed)?;
        let mut body = Vec::new();
        // Taken from what is unpacked: a few bytes of gzip can stand for any number.
        let reader = response.body_mut().with_config().limit(most.saturating_add(1)).reader();
        reader
            .take(most.saturating_add(1))
            .read_to_end(&mut body)
            .map_err(|e| UnusableInput::new(format!("{url}: {e}")))?;
        if body.len() as u64 > most {
            return Err(UnusableInput::new(format!("{url}: the answer is longer than {most} bytes")));
        }
        Ok(Answer { status: response.status().as_u16(), body })
    }

    /// Fetches a path that must be there.
    pub fn get_ok(&self, path: &str, most: u64) -> Result<Vec<u8>, UnusableInput> {
        match self.get(path, most)? {
            Answer { status: 200, body } => Ok(body),
            answer => Err(self.refused(path, &answer)),
        }
    }

    /// Who has answered here with this checkpoint of the log with this key, by the log's own time on it.
    ///
    /// # Errors
    /// The answer says neither: a node that is too busy to say that it follows is not taken for a copy.
    pub fn standing(&self, note: &str, key: &VerifierKey) -> Result<Standing, UnusableInput> {
        // Every shard's lease is in it, with names of tables.
        const MOST: u64 = 16 << 20;
        if let Some(at) = own_time(note, key).filter(|at| at.abs_diff(now_ms() / SECOND) <= FRESH) {
            return Ok(Standing::Decides { at: at.saturating_mul(SECOND) });
        }
        let answer = self.get("v1/cluster", MOST)?;
        match answer.status {
            200 => Ok(serde_json::from_slice(&answer.body)
                .map_or(Standing::Files, |Told { leader }| Standing::Follows { leader })),
            // Nothing of the kind is here.
            400..=407 | 410..=428 => Ok(Standing::Files),
            _ => Err(self.refused("v1/cluster", &answer)),
        }
    }

    /// An answer that is not the one wanted, in words.
    pub fn refused(&self, path: &str, Answer { status, body }: &Answer) -> UnusableInput {
        let Problem { detail, title, .. } = serde_json::from_slice(body).unwrap_or_default();
        let words = if detail.is_empty() { title.as_ref() } else { &detail };
        UnusableInput::new(format!("{}/{path}: status {status} {words}", self.base))
    }

    pub fn base(&self) -> &str {
        &self.base
    }
}
