//! Calls to a wallet over HTTP, made like the house's: five seconds for a reply, and a repeat after anything that is no
//! answer.

use crate::Unusable;
use crate::operation::{Asked, Call};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// The time that the house waits for a reply.
pub const REPLY_TIME: Duration = Duration::from_secs(5);

/// The longest reply that is read: twice a page of a thousand operations with the longest names.
const MOST_REPLY: u64 = 2 << 20;

/// A reply.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The stable code of a problem; empty if it has none.
    pub fn code(&self) -> String {
        let problem: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_default();
        problem.get("code").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    }

    /// Status and code, or the beginning of the body, for people.
    pub fn shown(&self) -> String {
        let code = self.code();
        if !code.is_empty() {
            return format!("{} {code}", self.status);
        }
        let text: String = String::from_utf8_lossy(&self.body).chars().take(200).collect();
        format!("{} {text}", self.status).trim_end().to_owned()
    }

    /// Whether to ask again: the wallet cannot tell now.
    pub fn is_for_later(&self) -> bool {
        self.status >= 500 || matches!(self.status, 408 | 425 | 429)
    }
}

/// A wallet's address and token.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    base: String,
    token: String,
}

impl Client {
    /// A client with the token of a file.
    ///
    /// # Errors
    /// If the address is invalid, or the file has no token.
    pub fn new(url: &str, token_file: &Path) -> Result<Client, Unusable> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Unusable::new(format!("--url is to be http://HOST:PORT or https://HOST, not {url}")));
        }
        let config = ureq::Agent::config_builder()
            // *A proxy from the environment would read the token.*
            .proxy(None)
            .timeout_global(Some(REPLY_TIME))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("fairshoe-wallet/", env!("CARGO_PKG_VERSION")))
            .build();
        let base = url.trim_end_matches('/').to_owned();
        Ok(Client { agent: config.into(), base, token: read_token(token_file)? })
    }

    /// The same with another token, or an empty one.
    pub fn with_token(&self, token: &str) -> Client {
        Client { token: token.to_owned(), ..self.clone() }
    }

    /// Sends a call once.
    ///
    /// # Errors
    /// Why there was no reply.
    pub fn call(&self, call: Call, asked: &Asked) -> Result<Reply, String> {
        let body = serde_json::to_vec(asked).map_err(|e| e.to_string())?;
        self.post(call.path(), &body)
    }

    /// Sends a body to a path once.
    ///
    /// # Errors
    /// Why there was no reply.
    pub fn post(&self, path: &str, body: &[u8]) -> Result<Reply, String> {
        self.send("POST", path, Some(body))
    }

    /// Requests a path once.
    ///
    /// # Errors
    /// Why there was no reply.
    pub fn get(&self, path: &str) -> Result<Reply, String> {
        self.send("GET", path, None)
    }

    fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Result<Reply, String> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        let sent = match body {
            Some(body) => {
                let request = request.header("content-type", "application/json").body(body);
                self.agent.run(request.map_err(|e| e.to_string())?)
            }
            None => self.agent.run(request.body(()).map_err(|e| e.to_string())?),
        };
        let mut reply = sent.map_err(|e| e.to_string())?;
        let status = reply.status().as_u16();
        let body = reply.body_mut().with_config().limit(MOST_REPLY).read_to_vec().map_err(|e| e.to_string())?;
        Ok(Reply { status, body })
    }
}

/// Repeats, with growing pauses, until a reply is an answer: like the house, but not for ever.
///
/// # Errors
/// The last result, if no answer came within `patience`.
pub fn until_answered(patience: Duration, mut ask: impl FnMut() -> Result<Reply, String>) -> Result<Reply, String> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(100);
    loop {
        let last = match ask() {
            Ok(reply) if !reply.is_for_later() => return Ok(reply),
            Ok(reply) => reply.shown(),
            Err(why) => why,
        };
        if begun.elapsed() >= patience {
            return Err(format!("no answer within {} s, at last: {last}", patience.as_secs()));
        }
        std::thread::sleep(pause);
        pause = pause.saturating_mul(2).min(Duration::from_secs(2));
    }
}

/// The token of a file: one line.
///
/// # Errors
/// If there is no such file, or no token in it.
pub fn read_token(file: &Path) -> Result<String, Unusable> {
    let mut text = String::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(4096).read_to_string(&mut text));
    read.map_err(|e| {
        Unusable::new(format!("{}: {e}: --token-file names a file with the wallet's token", file.display()))
    })?;
    let token = text.trim();
    if token.len() < 16 || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(Unusable::new(format!(
            "{} has no token, which is 16 printable characters or more in one line: `openssl rand -hex 32` makes one",
            file.display()
        )));
    }
    Ok(token.to_owned())
}
