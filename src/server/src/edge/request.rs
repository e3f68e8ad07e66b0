//! The incoming parts of requests: tokens, bodies, names; bounded before they are parsed.

use crate::Service;
use crate::edge::budget::{FREE_BODY, Full, Held, Share};
use crate::edge::connections::Connected;
use crate::edge::limits::network;
use crate::edge::line::Doing;
use crate::edge::null::has_null;
pub use crate::edge::number::number;
use crate::edge::problem::{Problem, unauthorized};
use crate::edge::signature::Signature;
use crate::ops::keys::{TokenHash, token_hash};
use crate::ops::tokens::{Role, Tokens};
use crate::read::lanes::Sender;
use crate::write::accepted::Request;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use fairshoe_api::ErrorCode;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Actor, Command, is_guest};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use std::future::{Future, Ready, ready};
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The longest body of an ordinary request, in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// So much is said of what is wrong with a body, in characters.
const MOST_SAID: usize = 500;

fn service(request: &HttpRequest) -> Result<&web::Data<Service>, Problem> {
    request.app_data::<web::Data<Service>>().ok_or_else(|| Problem::internal("no service"))
}

/// The address, or network, that a sender is counted by.
pub fn network_of(request: &HttpRequest) -> Option<IpAddr> {
    service(request).ok()?.limits.address_of(request).map(network)
}

/// The sender of a request that counts by its address, whoever sends it.
pub fn address_of(request: &HttpRequest) -> Sender {
    network_of(request).map_or(Sender::Unknown, Sender::Address)
}

/// The token of a request, whether it is in force or not, as its hash.
fn token_of(request: &HttpRequest) -> Option<TokenHash> {
    bearer(request.headers().get(AUTHORIZATION)?.to_str().ok()?).map(|token| token_hash(&token))
}

/// The owners of the shares of memory that a request takes.
pub fn shares(request: &HttpRequest) -> Vec<Share> {
    network_of(request).map(Share::Address).into_iter().chain(token_of(request).map(Share::Token)).collect()
}

/// A request's sender counts by their address.
struct Stranger;

/// Whether the sender of a request counts by their address.
pub fn is_strangers(request: &HttpRequest) -> bool {
    request.extensions().contains::<Stranger>()
}

/// The holder of the token of a request that was admitted.
pub fn holder(request: &HttpRequest) -> Option<Role> {
    request.extensions().get::<Admitted>().and_then(|admitted| admitted.0.as_ref().ok()?.role.clone())
}

/// The sender whose time a request takes, given its token's role; none: the operator's is not counted.
pub fn sender(request: &HttpRequest, holder: Option<Role>) -> Option<Sender> {
    match holder.filter(|_| !is_strangers(request)) {
        Some(Role::Operator) => None,
        Some(role) => Some(Sender::Holder(role)),
        None => Some(address_of(request)),
    }
}

/// The sender of a request, as `admit` found them.
struct Admitted(Result<Caller, Problem>);

/// The caller: a role, or nobody. A token that is not in force is an error, not nobody.
pub struct Caller {
    pub role: Option<Role>,
    /// The token that says so.
    pub token: Option<TokenHash>,
    /// The sender whose turn the request's work takes.
    pub sender: Sender,
    /// The network that it comes from.
    pub network: Option<IpAddr>,
    /// The signature that came with the request.
    signature: Signature,
}

impl Caller {
    fn of(request: &HttpRequest) -> Result<Self, Problem> {
        let mut headers = request.headers().get_all(AUTHORIZATION);
        let (network, signature) = (network_of(request), Signature::of(request));
        let of_address = || network.map_or(Sender::Unknown, Sender::Address);
        let Some(header) = headers.next() else {
            return Ok(Caller { role: None, token: None, sender: of_address(), network, signature });
        };
        // If there are two headers, a proxy may read one and the service the other.
        let token = header.to_str().ok().filter(|_| headers.next().is_none()).and_then(bearer);
        let hash = token.map(|token| token_hash(&token));
        let tokens = &service(request)?.running.tokens;
        let Some((hash, role)) = hash.and_then(|hash| Some((hash, tokens.role(&hash)?))) else {
            return Err(unauthorized("this token is not in force"));
        };
        let is_guest = matches!(&role, Role::Player(player) if is_guest(player));
        // *Whoever has an address has as many guests as they like*: what they need of the log waits among strangers.
        let sender = if is_guest { of_address() } else { Sender::Holder(role.clone()) };
        Ok(Caller { role: Some(role), token: Some(hash), sender, network, signature })
    }

    /// Counts a request among its sender's, and keeps for its call what was found out about them.
    ///
    /// # Errors
    /// They have sent too many.
    pub fn admit(request: &HttpRequest) -> Result<(), Problem> {
        let service = service(request)?;
        let limits = &service.limits;
        let caller = Caller::of(request);
        let role = caller.as_ref().ok().and_then(|caller| caller.role.as_ref());
        // Anyone can become a guest, so guests are limited by address.
        let is_strangers = role.is_none_or(|role| matches!(role, Role::Player(player) if is_guest(player)));
        let of_address = if is_strangers { limits.address(request) } else { Ok(()) };
        let admitted = of_address.and_then(|()| role.map_or(Ok(()), |role| limits.caller(role)));
        if is_strangers {
            request.extensions_mut().insert(Stranger);
        }
        request.extensions_mut().insert(Admitted(caller));
        admitted
    }

    /// The network that it comes from, if it is a guest's.
    pub fn guests_address(&self) -> Option<IpAddr> {
        self.network.filter(|_| matches!(&self.role, Some(Role::Player(player)) if is_guest(player)))
    }

    /// Whether a signature came with the request.
    pub fn is_signed(&self) -> bool {
        !matches!(self.signature, Signature::Absent)
    }

    /// Whether what it came with is in force still: a request that waited may have outlived its token.
    pub fn require_in_force(&self, tokens: &Tokens) -> Result<(), Problem> {
        match &self.token {
            Some(token) if tokens.role(token) != self.role => Err(unauthorized("this token is not in force")),
            _ => Ok(()),
        }
    }

    /// The role, or the problem that there is none.
    pub fn role(&self) -> Result<&Role, Problem> {
        self.role.as_ref().ok_or_else(|| unauthorized("this call needs a token: Authorization: Bearer TOKEN"))
    }

    /// The actor of a command.
    pub fn actor(&self) -> Result<Actor, Problem> {
        self.role()?.actor().ok_or_else(|| Problem::not_allowed("an auditor reads and changes nothing"))
    }

    /// A command of the caller's, with the signature that came with it.
    pub fn request(&self, command: Command) -> Result<Request, Problem> {
        self.request_by(self.actor()?, command)
    }

    /// The same where the caller need not act in their own name.
    pub fn request_by(&self, by: Actor, command: Command) -> Result<Request, Problem> {
        let signed = self.signature.by(&by)?;
        Ok(Request { signed, address: self.guests_address(), ..Request::new(by, self.sender.clone(), command) })
    }

    pub fn require_operator(&self) -> Result<(), Problem> {
        if *self.role()? == Role::Operator {
            Ok(())
        } else {
            Err(Problem::not_allowed("only the operator may do this"))
        }
    }

    /// The auditor who asks. Nobody else is ever given a sealed seed, the operator neither.
    fn auditor(&self) -> Result<PlayerId, Problem> {
        match self.role()? {
            Role::Auditor(name) => Ok(name.clone()),
            _ => Err(Problem::not_allowed(
                "sealed shoes are disclosed to auditors alone, each with a token of their own",
            )),
        }
    }

    /// Whether the caller may read what belongs to `player`.
    pub fn require_reader_of(&self, player: &PlayerId) -> Result<(), Problem> {
        match self.role()? {
            Role::Operator | Role::Auditor(_) => Ok(()),
            Role::Player(own) if own == player => Ok(()),
            Role::Player(_) => Err(Problem::not_allowed("this belongs to another player")),
        }
    }
}

/// The token of an `Authorization` header. A scheme's name has no case (RFC 9110, section 11.1).
fn bearer(header: &str) -> Option<[u8; 32]> {
    let (scheme, token) = header.split_once(' ')?;
    let mut bytes = [0; 32];
    let fits = scheme.eq_ignore_ascii_case("bearer") && token.len() == 64;
    hex::decode_to_slice(token, &mut bytes).ok().filter(|()| fits).map(|()| bytes)
}

/// Callers whom the head of a request shows to be these. They come before the body among what a call takes, so that nothing
/// of it is read for anybody else. *Strangers' bodies would be read and parsed to be refused.*
macro_rules! callers {
    ($($name:ident = |$caller:ident| $made:expr;)+) => {$(
        impl FromRequest for $name {
            type Error = Problem;
            type Future = Ready<Result<Self, Problem>>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                let admitted = request.extensions_mut().remove::<Admitted>();
                let caller = admitted.map_or_else(|| Caller::of(request), |Admitted(caller)| caller);
                ready(caller.and_then(|$caller| $made))
            }
        }
    )+};
}

callers! {
    Caller = |caller| Ok(caller);
    Acting = |caller| caller.actor().map(|_| Acting(caller));
    Operator = |caller| caller.require_operator().map(|()| Operator(caller));
    Auditor = |caller| caller.auditor().map(|name| Auditor(name, caller));
}

/// A caller who gives commands: the operator, or a player.
pub struct Acting(pub Caller);

/// The operator.
pub struct Operator(pub Caller);

/// An auditor, with their name.
pub struct Auditor(pub PlayerId, pub Caller);

/// A body that is declared as JSON: its bytes, at most `MOST` of them.
pub struct JsonBytes<const MOST: usize> {
    pub bytes: Vec<u8>,
    /// Their room in the budget of memory.
    pub held: Held,
}

impl<const MOST: usize> FromRequest for JsonBytes<MOST> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        // Without one, too: *Attack: a page of another origin sends a body that has no type, which a browser lets it without
        // asking anybody, and uses up what its visitor's address may have.*
        let is_json = request.headers().get(CONTENT_TYPE).is_some_and(|kind| {
            let kind = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/json")
        });
        if !is_json {
            let problem = Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                ErrorCode::UnsupportedMediaType,
                "send Content-Type: application/json",
            );
            return Box::pin(ready(Err(problem)));
        }
        let payload = payload.take();
        let held = match service(request) {
            Ok(service) => service.budget.hold(shares(request)),
            Err(problem) => return Box::pin(ready(Err(problem))),
        };
        let line = request.conn_data::<Connected>().map(|connected| connected.line().clone());
        Box::pin(async move {
            line.iter().for_each(|line| line.does(Doing::Receiving));
            let read = read_body(payload, MOST, held).await;
            line.iter().for_each(|line| line.does(Doing::Working));
            let (bytes, held) = read?;
            Ok(JsonBytes { bytes, held })
        })
    }
}

/// A JSON body.
pub struct Body<T> {
    pub value: T,
    /// The bytes it came in, for repeat keys.
    pub bytes: Vec<u8>,
}

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = JsonBytes::<MAX_BODY>::from_request(request, payload);
        Box::pin(async move {
            let JsonBytes { bytes, held: _held } = bytes.await?;
            let value = parse(&bytes)?;
            Ok(Body { value, bytes })
        })
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // serde would take a list for the fields in their order, which is no call's form.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(Problem::malformed("the body is a JSON object"));
    }
    // Serde repeats a field's name that it does not know, however long it is.
    let refuse = |e: serde_json::Error| {
        let why: String = e.to_string().chars().take(MOST_SAID).collect();
        Problem::malformed(format!("the body is not what this call takes: {why}"))
    };
    let value = serde_json::from_slice(bytes).map_err(refuse)?;
    if has_null(bytes) {
        return Err(Problem::malformed("the body is not what this call takes: what is not said is left out, not null"));
    }
    Ok(value)
}

/// How long a body may take to come beside what its bytes may take, so that slow senders cannot hold every connection.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The least that comes of a body of an ordinary length, in bytes a second: a phone on a bad line sends more.
const LEAST_RATE: usize = 500;

/// The same of what a longer body has beyond that: *for little a second, a few would hold all the memory that there is for
/// bodies.*
const LEAST_RATE_BEYOND: usize = 8 << 10;

/// How long a body may take until so many of its bytes came.
fn body_time(length: usize) -> Duration {
    let ordinary = length.min(MAX_BODY);
    let seconds = ordinary / LEAST_RATE + length.saturating_sub(ordinary) / LEAST_RATE_BEYOND;
    BODY_TIME + Duration::from_secs(seconds as u64)
}

/// Bytes of a body that is too long that are read and dropped, so that its sender gets to read the refusal.
const MAX_DROPPED: usize = 4 << 20;

/// A body of at most `most` bytes; of what is longer never more than that is kept. Its room is taken as it grows.
async fn read_body(mut payload: Payload, most: usize, mut held: Held) -> Result<(Vec<u8>, Held), Problem> {
    let (mut body, mut length, begun) = (Vec::new(), 0usize, Instant::now());
    let late = |_| Problem::malformed("the body took too long to come");
    // The rest of a body that is too long is dropped, and gets no more time.
    while let Some(chunk) = timeout_at(begun + body_time(length.min(most)), payload.next()).await.map_err(late)? {
        let chunk = chunk.map_err(|e| Problem::malformed(format!("the body cannot be read: {e}")))?;
        length = length.saturating_add(chunk.len());
        if length <= most {
            make_room(&mut body, length, most, &mut held)?;
            body.extend_from_slice(&chunk);
        } else if length > MAX_DROPPED {
            break;
        }
    }
    if length > most { Err(too_large(most)) } else { Ok((body, held)) }
}

/// Has the body hold so many bytes at least; it doubles, so that few chunks move it.
fn make_room(body: &mut Vec<u8>, length: usize, most: usize, held: &mut Held) -> Result<(), Full> {
    if length > body.capacity() {
        let grown = length.max(body.capacity().saturating_mul(2)).min(most);
        held.at_least(grown.saturating_sub(FREE_BODY))?;
        body.reserve_exact(grown - body.len());
    }
    Ok(())
}

fn too_large(limit: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::BodyTooLarge,
        format!("a body is at most {limit} bytes here"),
    )
}

/// A table's name in a path.
pub fn table_id(text: &str) -> Result<TableId, Problem> {
    TableId::parse(text).map_err(|e| Problem::malformed(format!("the table's name: {e}")))
}

/// A player's name in a path or body.
pub fn player_id(text: &str) -> Result<PlayerId, Problem> {
    PlayerId::parse(text).map_err(|e| Problem::malformed(format!("the player's name: {e}")))
}

/// A round's name, `TABLE:ROUND_NO`.
pub fn round_id(text: &str) -> Result<(TableId, u64), Problem> {
    let parts = text.split_once(':').ok_or_else(|| Problem::malformed("a round's name is TABLE:NUMBER"))?;
    Ok((table_id(parts.0)?, number(parts.1, "the round number")?))
}

/// The `Idempotency-Key` header, if there is one.
pub fn idempotency_key(request: &HttpRequest) -> Result<Option<String>, Problem> {
    let mut values = request.headers().get_all("idempotency-key");
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Problem::malformed("one request has one Idempotency-Key"));
    }
    let text = value.to_str().unwrap_or_default();
    let fits =
        (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if fits {
        Ok(Some(text.to_owned()))
    } else {
        Err(Problem::malformed("an Idempotency-Key is 1 to 64 characters of [A-Za-z0-9_-]"))
    }
}

/// The key of a call that moves chips, which has to have one.
pub fn key_of_movement(request: &HttpRequest) -> Result<Option<String>, Problem> {
    match idempotency_key(request)? {
        None => {
            Err(Problem::malformed("moving chips needs an Idempotency-Key header, so that a repeat moves them once"))
        }
        key => Ok(key),
    }
}

/// `?cursor=…&limit=…`
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    pub cursor: Option<String>,
    pub limit: Option<usize>,
}

impl Page {
    /// At most so many on a page.
    pub const MOST: usize = 50;

    pub fn limit(&self) -> Result<usize, Problem> {
        match self.limit {
            None => Ok(Self::MOST),
            Some(limit) if (1..=Self::MOST).contains(&limit) => Ok(limit),
            Some(_) => Err(Problem::malformed(format!("limit is from 1 to {}", Self::MOST))),
        }
    }
}
