//! One keep-alive HTTP/1.1 connection and the requests on it. It does not know their meaning.

use bytes::Bytes;
use fairshoe_house::Signed;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpStream;

/// The largest reply that is read, in bytes; a full entry bundle is 16 MiB.
const MAX_REPLY: usize = 17 << 20;

/// The longest time for a reply before the connection counts as lost.
const REPLY_TIMEOUT: Duration = Duration::from_secs(30);

/// A service's address that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not an address such as http://127.0.0.1:8080 (for https put a tunnel in front)")]
pub struct BadUrl(pub String);

/// There was no reply: refused, broken off, too slow or too long. Whether the request was carried out is unknown.
#[derive(Debug, Error)]
pub enum Lost {
    /// No connection.
    #[error("cannot connect to {address}: {error}")]
    Connect {
        /// Host and port.
        address: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(#[from] hyper::Error),
    /// The reply broke off or was too long.
    #[error("the reply could not be read: {0}")]
    Reply(String),
    /// No reply in time.
    #[error("no reply within {} s", REPLY_TIMEOUT.as_secs())]
    Timeout,
    /// A token or path that cannot stand in a request.
    #[error("not a request: {0}")]
    Malformed(#[from] hyper::http::Error),
}

/// A request, which can be sent again as it is.
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    path: String,
    token: Option<HeaderValue>,
    idempotency_key: Option<String>,
    signature: Option<String>,
    body: Bytes,
}

impl Request {
    /// A `GET` of a path, which begins with `/`.
    pub fn get(path: impl Into<String>) -> Self {
        Request {
            method: Method::GET,
            path: path.into(),
            token: None,
            idempotency_key: None,
            signature: None,
            body: Bytes::new(),
        }
    }

    /// A `POST` of a JSON body.
    pub fn post(path: impl Into<String>, body: &impl Serialize) -> Self {
        // Plain data is always written; an empty body instead would be refused.
        let body = serde_json::to_vec(body).unwrap_or_default();
        Request { method: Method::POST, body: body.into(), ..Request::get(path) }
    }

    /// A `DELETE` of a path.
    pub fn delete(path: impl Into<String>) -> Self {
        Request { method: Method::DELETE, ..Request::get(path) }
    }

    /// With a bearer token.
    #[must_use]
    pub fn token(mut self, token: &Token) -> Self {
        self.token = Some(token.0.clone());
        self
    }

    /// With an `Idempotency-Key`.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// With a player's signature of its command.
    #[must_use]
    pub fn signed(mut self, signed: &Signed) -> Self {
        self.signature = Some(format!("nonce={}, sig={}", signed.nonce, signed.signature));
        self
    }

    /// Its path with the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The request in a message: `POST /v1/players`.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// A bearer token, ready for a header.
#[derive(Clone, Debug)]
pub struct Token(HeaderValue);

impl Token {
    /// A token's text without surrounding white space; `None` if it cannot stand in a header.
    pub fn new(text: &str) -> Option<Token> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", text.trim())).ok()?;
        value.set_sensitive(true);
        Some(Token(value))
    }
}

/// A reply, read whole.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Seconds of the `Retry-After` header.
    pub retry_after: Option<u64>,
    /// The body's bytes, all of them.
    pub body: Bytes,
}

impl Reply {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The address of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    address: String,
    host: HeaderValue,
    prefix: String,
}

impl Place {
    fn of(url: &str) -> Result<Place, BadUrl> {
        let bad = || BadUrl(url.to_owned());
        let rest = url.strip_prefix("http://").ok_or_else(bad)?;
        let (authority, prefix) =
            rest.split_once('/').map_or((rest, String::new()), |(authority, path)| (authority, format!("/{path}")));
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let host = HeaderValue::from_str(authority).map_err(|_| bad())?;
        if authority.is_empty() || authority.contains('@') {
            return Err(bad());
        }
        let address = if has_port { authority.to_owned() } else { format!("{authority}:80") };
        Ok(Place { address, host, prefix: prefix.trim_end_matches('/').to_owned() })
    }
}

/// A connection that is made when first needed, and again after it broke. If a node is gone or does not lead, it goes
/// to the next known node.
pub struct Client {
    places: Vec<Place>,
    now: usize,
    sender: Option<SendRequest<Full<Bytes>>>,
    generation: u64,
}

impl Client {
    /// A client of the service at `url`: `http://HOST[:PORT][/PREFIX]`, or of the nodes at several, with commas between.
    ///
    /// # Errors
    /// [`BadUrl`].
    pub fn new(url: &str) -> Result<Self, BadUrl> {
        let places = url.split(',').map(Place::of).collect::<Result<_, _>>()?;
        Ok(Client { places, now: 0, sender: None, generation: 0 })
    }

    /// Goes to the leading node if it is known, otherwise to the next.
    pub fn go_elsewhere(&mut self, leader: Option<&str>) {
        self.sender = None;
        let named = leader.and_then(|url| Place::of(url).ok());
        self.now = match named {
            Some(place) => self.places.iter().position(|known| *known == place).unwrap_or_else(|| {
                self.places.push(place);
                self.places.len() - 1
            }),
            None => (self.now + 1) % self.places.len(),
        };
    }

    fn place(&self) -> Result<Place, Lost> {
        self.places.get(self.now).cloned().ok_or(Lost::Timeout)
    }

    /// The number of connections made so far. If it has changed, data read before may be stale.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Makes sure that there is a connection.
    ///
    /// # Errors
    /// [`Lost`].
    pub async fn connect(&mut self) -> Result<(), Lost> {
        if self.sender.as_ref().is_some_and(|sender| !sender.is_closed()) {
            return Ok(());
        }
        let Place { address, .. } = self.place()?;
        let refused = |error| Lost::Connect { address: address.clone(), error };
        let stream = tokio::time::timeout(REPLY_TIMEOUT, TcpStream::connect(&address))
            .await
            .map_err(|_| Lost::Timeout)?
            .map_err(refused)?;
        stream.set_nodelay(true).map_err(refused)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Its errors appear in the request in progress.
        tokio::spawn(connection);
        self.sender = Some(sender);
        self.generation += 1;
        Ok(())
    }

    /// Sends a request and reads the whole reply, with any status. After an error the next request makes a new
    /// connection.
    ///
    /// # Errors
    /// [`Lost`].
    pub async fn send(&mut self, request: &Request) -> Result<Reply, Lost> {
        let reply = match tokio::time::timeout(REPLY_TIMEOUT, self.exchange(request)).await {
            Ok(reply) => reply,
            Err(_) => Err(Lost::Timeout),
        };
        if reply.is_err() {
            self.go_elsewhere(None);
        }
        reply
    }

    async fn exchange(&mut self, request: &Request) -> Result<Reply, Lost> {
        self.connect().await?;
        let place = self.place()?;
        let mut builder = hyper::Request::builder()
            .method(&request.method)
            .uri(format!("{}{}", place.prefix, request.path))
            .header(HOST, &place.host);
        if let Some(token) = &request.token {
            builder = builder.header(AUTHORIZATION, token);
        }
        if let Some(key) = &request.idempotency_key {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(signature) = &request.signature {
            builder = builder.header("fairshoe-signature", signature);
        }
        if request.method == Method::POST {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        let request = builder.body(Full::new(request.body.clone()))?;
        let Some(sender) = &mut self.sender else { return Err(Lost::Timeout) };
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        let status: StatusCode = response.status();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok());
        let body = Limited::new(response.into_body(), MAX_REPLY)
            .collect()
            .await
            .map_err(|e| Lost::Reply(e.to_string()))?
            .to_bytes();
        Ok(Reply { status: status.as_u16(), retry_after, body })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_whole_or_refused() {
        let client = |url| Place::of(url).map(|place| (place.address, place.prefix));
        assert_eq!(client("http://127.0.0.1:8080"), Ok(("127.0.0.1:8080".into(), String::new())));
        assert_eq!(client("http://[::1]:8080/"), Ok(("[::1]:8080".into(), String::new())));
        assert_eq!(client("http://example.com/fair/"), Ok(("example.com:80".into(), "/fair".into())));
        for url in ["https://example.com", "example.com", "http://", "http://user@host", "http://a\nb"] {
            assert_eq!(Client::new(url).err(), Some(BadUrl(url.to_owned())));
        }
    }

    #[test]
    fn a_client_goes_to_the_node_that_leads_or_to_the_next() {
        let mut client = Client::new("http://a:1,http://b:2").unwrap();
        let address = |client: &Client| client.place().unwrap().address;
        client.go_elsewhere(None);
        assert_eq!(address(&client), "b:2");
        client.go_elsewhere(None);
        assert_eq!(address(&client), "a:1");
        for leader in ["http://c:3", "http://b:2", "http://c:3"] {
            client.go_elsewhere(Some(leader));
            assert_eq!(format!("http://{}", address(&client)), leader);
        }
        assert_eq!(client.places.len(), 3, "each is known once");
        assert!(Client::new("http://a:1,b").is_err());
    }
}
