//! A service's address, read with bounds on time and size. Believes nothing of what it fetches; its callers verify.

use crate::outcome::UnusableInput;
use fairshoe_api::Problem;
use serde::Deserialize;
use std::io::Read;
use std::time::Duration;

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

/// Who answers at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// A service that decides: what it does not show is not on the log.
    Decides,
    /// A node that takes over what another decides, and may be behind it (spec/cluster.md).
    Follows { leader: Option<String> },
    /// Static files, or a cache: of any age.
    Files,
}

/// What is read of `GET /v1/cluster`.
#[derive(Deserialize)]
struct Told {
    leads: bool,
    #[serde(default)]
    leader: Option<String>,
}

impl Client {
    pub fn new(address: &str) -> Client {
        let config = ureq::Agent::config_builder()
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

    /// Who answers here. It is the answerer's word, so that nothing is acquitted by it.
    pub fn standing(&self) -> Standing {
        const MOST: u64 = 1 << 20;
        let told = self.get("v1/cluster", MOST).ok().filter(|answer| answer.status == 200);
        match told.and_then(|answer| serde_json::from_slice::<Told>(&answer.body).ok()) {
            Some(Told { leads: false, leader }) => Standing::Follows { leader },
            _ if self.get("healthz", MOST).is_ok_and(|answer| answer.status == 200) => Standing::Decides,
            _ => Standing::Files,
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
