//! The calls about players: accounts, chips in and out, tokens, keys (openapi.yaml). What is refused the house says.

use crate::Service;
use crate::edge::limits::network;
use crate::edge::problem::Problem;
use crate::edge::request::{Acting, Body, Caller, Operator, Page, idempotency_key, key_of_movement, player_id};
use crate::ops::directory::Names;
use crate::ops::keys::{TokenHash, random32, token_hash};
use crate::ops::tokens::{Grant, Granted, Role};
use crate::read::records::require_auditor;
use crate::write::accepted::{Request, carry_out, earlier, json};
use crate::write::pipeline::{RepeatKey, now_ms};
use crate::write::tournaments::vouchers;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{
    Accepted, Correction, DisplayNames, ErrorCode, KeyWaits, ListedPlayer, Movement, NewAuditor, NewExclusion, NewKey,
    NewLimit, NewPlayer, NewToken, Nothing, OwnSeat, PlayerList, PlayerView,
};
use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Command, Holder, State, Table, is_guest};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// The longest lifetime of a token, in seconds: 400 days, as long as browsers keep anything.
const LONGEST_LIFE: u64 = 400 * 24 * 3600;

/// A fresh token and what makes it work.
fn fresh_token(holder: Holder, revoke: bool) -> Result<(String, Grant), Problem> {
    let token = random32().map_err(Problem::internal)?;
    Ok((hex::encode(token), Grant { hash: token_hash(&token), holder, revoke, until: None, maker: None }))
}

/// `POST /v1/players`
pub async fn create(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    body: Body<NewPlayer>,
) -> Result<HttpResponse, Problem> {
    let NewPlayer { player, key } = body.value;
    let (token, grant) = fresh_token(Holder::Player(player.clone()), false)?;
    let hash = grant.hash;
    let mut request = caller.request(Command::CreatePlayer { player, key })?.repeatable(
        idempotency_key(&http)?,
        http.path(),
        &body.bytes,
    );
    request.grant = Some(Granted::To(grant));
    let accepted = carry_out(&service.running, request).await?;
    json(StatusCode::CREATED, &with_token(&service, accepted, token, &hash))
}

/// `POST /v1/guests`: a player of a moment, with chips that are worth nothing, where the operator offers it.
pub async fn admit_guest(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    body: Body<Nothing>,
) -> Result<HttpResponse, Problem> {
    if !service.admits_guests {
        let detail = "this service admits no guests; the operator creates players";
        return Err(Problem::new(StatusCode::FORBIDDEN, ErrorCode::GuestsNotOffered, detail));
    }
    let key = idempotency_key(&http)?;
    let token = random32().map_err(Problem::internal)?;
    let hash = token_hash(&token);
    // Nobody asks here, so that a key is that of an address: another's repeat is none. What is stored names neither.
    let address = service.limits.address_of(&http).map(network);
    let repeat = key.map(|key| {
        let whose = hex::encode(Sha256::digest(format!("{address:?} {key}")));
        RepeatKey::of(&Actor::House, &whose, http.path(), &body.bytes)
    });
    let admit = || Request::new(Actor::House, caller.sender.clone(), Command::AdmitGuest {});
    // A repeat is told the same, and counts for nothing.
    if let Some(accepted) = earlier(&service.running, Request { repeat: repeat.clone(), ..admit() }).await? {
        return json(StatusCode::CREATED, &accepted);
    }
    let address = service.limits.guest(&http, repeat.as_ref().map(|repeat| repeat.key.as_slice()))?;
    let request = Request { repeat, grant: Some(Granted::ToGuest(hash)), address, ..admit() };
    let accepted = carry_out(&service.running, request).await?;
    json(StatusCode::CREATED, &with_token(&service, accepted, hex::encode(token), &hash))
}

/// The token goes out with the entry that granted it, and with no repeat of it.
fn with_token(service: &web::Data<Service>, accepted: Accepted, token: String, hash: &TokenHash) -> Accepted {
    let granted = service.running.tokens.role(hash).is_some();
    Accepted { token: granted.then_some(token), ..accepted }
}

/// When a token of this lifetime stops working.
pub fn end_of(seconds: Option<u64>) -> Result<Option<u64>, Problem> {
    match seconds {
        None => Ok(None),
        Some(seconds) if (1..=LONGEST_LIFE).contains(&seconds) => Ok(Some(now_ms().saturating_add(seconds * 1_000))),
        Some(_) => Err(Problem::malformed(format!("`seconds` is from 1 to {LONGEST_LIFE}"))),
    }
}

/// The names that are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    players: String,
}

/// As many names are told at once.
const NAMES_AT_ONCE: usize = 100;

/// `GET /v1/names`: what players are called for people to read, where the operator says.
pub async fn names(service: web::Data<Service>, _: Caller, asked: web::Query<Called>) -> Result<HttpResponse, Problem> {
    let players = asked.players.split(',').map(player_id).collect::<Result<Vec<_>, _>>()?;
    if players.len() > NAMES_AT_ONCE {
        return Err(Problem::malformed(format!("`players` are at most {NAMES_AT_ONCE} names, with commas between")));
    }
    let known = service.display_names.as_ref().map(|names| names.now()).unwrap_or_default();
    let named = players.into_iter().filter_map(|player| known.get_key_value(&player));
    let mut reply = json(
        StatusCode::OK,
        &DisplayNames { names: named.map(|(player, name)| (player.clone(), name.clone())).collect() },
    )?;
    // A name that was taken away is gone.
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(reply)
}

/// What of the players is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    search: Option<String>,
    cursor: Option<String>,
    limit: Option<usize>,
}

/// `GET /v1/players`
pub async fn list(
    service: web::Data<Service>,
    caller: Caller,
    asked: web::Query<Search>,
) -> Result<HttpResponse, Problem> {
    require_auditor(&caller)?;
    let Search { search, cursor, limit } = asked.into_inner();
    let text = search.unwrap_or_default();
    if text.len() > 64 || !text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b)) {
        return Err(Problem::malformed("`search` is what names hold: at most 64 of a-z, 0-9, `.`, `_`, `-`"));
    }
    let after = cursor.as_deref().map(player_id).transpose()?;
    let limit = Page { cursor: None, limit }.limit()?;
    let Names { found, next } = service.running.directory.search(&text, after.as_ref(), limit);
    let look = move |state: &State| {
        let now = now_ms().max(state.last_time());
        let view = |player: PlayerId| {
            let balance = state.ledger().player(&player)?;
            let (guest, has_key) = (is_guest(&player), state.key_at(&player, now).is_some());
            Some(ListedPlayer { balance, guest, has_key, player })
        };
        found.into_iter().filter_map(view).collect()
    };
    json(StatusCode::OK, &PlayerList { next, players: service.ask(look).await? })
}

/// `GET /v1/players/{player}`
pub async fn show(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    caller.require_reader_of(&player)?;
    let asked = player.clone();
    let view = move |state: &State| {
        let now = now_ms().max(state.last_time());
        let (balance, key, last_nonce) =
            (state.ledger().player(&asked)?, state.key_at(&asked, now), state.last_nonce(&asked));
        let key_waits = state.waiting_key(&asked, now).map(|(key, from)| KeyWaits { from, key });
        let (t_dollars, tickets) = vouchers(state, &asked);
        let cash_seats = Vec::new();
        let guest = is_guest(&asked);
        Some(PlayerView {
            balance,
            cash_seats,
            excluded: state.excluded_until(&asked, now),
            guest,
            key,
            key_waits,
            last_nonce,
            limits: state.limits_at(&asked, now),
            player: asked,
            t_dollars,
            tickets,
        })
    };
    let known = service.ask(view).await?;
    let mut known =
        known.ok_or_else(|| Problem::not_found(ErrorCode::UnknownPlayer, format!("there is no player `{player}`")))?;
    // In the order of the tables' names, as they are published.
    let seat = |table: &Arc<Table>| -> Option<OwnSeat> {
        let (seat, cash) = table.cash_seat(&player)?;
        Some(OwnSeat { seat, stack: cash.stack, table: table.id.clone() })
    };
    known.cash_seats = service.running.write.open_tables.all().iter().filter_map(seat).collect();
    json(StatusCode::OK, &known)
}

/// `POST /v1/players/{player}/credit`
pub async fn credit(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<String>,
    body: Body<Movement>,
) -> Result<HttpResponse, Problem> {
    let Movement { amount, reference } = body.value;
    let player = player_id(&path)?;
    move_chips(&service, &http, &caller, &body.bytes, Command::Credit { player, amount, reference }).await
}

/// `POST /v1/players/{player}/withdraw`
pub async fn withdraw(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<String>,
    body: Body<Movement>,
) -> Result<HttpResponse, Problem> {
    let Movement { amount, reference } = body.value;
    let player = player_id(&path)?;
    move_chips(&service, &http, &caller, &body.bytes, Command::Withdraw { player, amount, reference }).await
}

/// `POST /v1/players/{player}/correct`: winnings got by fraud are voided by a signed correction with its cause
/// (R001.89).
pub async fn correct(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<String>,
    body: Body<Correction>,
) -> Result<HttpResponse, Problem> {
    let Correction { amount, reason } = body.value;
    let player = player_id(&path)?;
    move_chips(&service, &http, &caller, &body.bytes, Command::Correct { player, amount, reason }).await
}

async fn move_chips(
    service: &web::Data<Service>,
    http: &HttpRequest,
    caller: &Caller,
    body: &[u8],
    command: Command,
) -> Result<HttpResponse, Problem> {
    caller.require_operator()?;
    let key = key_of_movement(http)?;
    // A player who has a key withdraws in their own name: the operator brings what they signed.
    let by = match &command {
        Command::Withdraw { player, .. } if caller.is_signed() => Actor::Player(player.clone()),
        _ => Actor::Operator,
    };
    let request = caller.request_by(by, command)?.repeatable(key, http.path(), body);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// A command by the caller, whoever they are.
async fn give(
    service: &Service,
    http: &HttpRequest,
    caller: &Caller,
    body: &[u8],
    command: Command,
) -> Result<HttpResponse, Problem> {
    let request = caller.request(command)?.repeatable(idempotency_key(http)?, http.path(), body);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `POST /v1/players/{player}/key`: the key that the player's commands are signed with from now on, or none.
pub async fn set_key(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<NewKey>,
) -> Result<HttpResponse, Problem> {
    let NewKey { key, reason } = body.value;
    let command = Command::SetKey { player: player_id(&path)?, key, reason };
    give(&service, &http, &caller, &body.bytes, command).await
}

/// `POST /v1/players/{player}/limits`: how much the player allows themselves from now on, or from tomorrow on.
pub async fn set_limit(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<NewLimit>,
) -> Result<HttpResponse, Problem> {
    let NewLimit { of, per, most } = body.value;
    let command = Command::SetLimit { player: player_id(&path)?, of, per, most };
    give(&service, &http, &caller, &body.bytes, command).await
}

/// `POST /v1/players/{player}/exclusion`: until when the player is shut out.
pub async fn exclude(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<NewExclusion>,
) -> Result<HttpResponse, Problem> {
    let command = Command::Exclude { player: player_id(&path)?, until: body.value.until };
    give(&service, &http, &caller, &body.bytes, command).await
}

/// `POST /v1/players/{player}/tokens`
pub async fn new_token(
    service: web::Data<Service>,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<NewToken>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    let maker = match caller.role()? {
        Role::Operator => None,
        Role::Player(own) if *own == player => caller.token,
        _ => return Err(Problem::not_allowed("the operator or the player makes tokens")),
    };
    let NewToken { revoke, seconds } = body.value;
    if revoke && maker.is_some_and(|maker| !service.running.tokens.may_revoke(&maker)) {
        let detail = "this token has an end, or another one made it, so that it ends no others: the one that it comes \
                      from does, or the operator";
        return Err(Problem::not_allowed(detail));
    }
    if revoke {
        // A ticket that waits is a token to come, and whoever ends the tokens means that too.
        service.tickets.forget(&player);
    }
    let made = issue(&service, Wanted { holder: Holder::Player(player), revoke, seconds, maker }, |command| {
        caller.request(command)
    });
    json(StatusCode::CREATED, &made.await?)
}

/// `POST /v1/auditors`
pub async fn new_auditor(
    service: web::Data<Service>,
    Operator(caller): Operator,
    body: Body<NewAuditor>,
) -> Result<HttpResponse, Problem> {
    let NewAuditor { name, revoke, seconds } = body.value;
    let made = issue(&service, Wanted { holder: Holder::Auditor(name), revoke, seconds, maker: None }, |command| {
        caller.request(command)
    });
    json(StatusCode::CREATED, &made.await?)
}

/// A token that somebody asks for.
pub struct Wanted {
    pub holder: Holder,
    /// Whether the holder's earlier ones end.
    pub revoke: bool,
    /// Its lifetime.
    pub seconds: Option<u64>,
    /// The holder's own token that makes it, which it does not outlive; none: the operator does.
    pub maker: Option<TokenHash>,
}

/// Makes a token by an entry of the log; `request` says in whose name.
pub async fn issue(
    service: &web::Data<Service>,
    wanted: Wanted,
    request: impl FnOnce(Command) -> Result<Request, Problem>,
) -> Result<Accepted, Problem> {
    let Wanted { holder, revoke, seconds, maker } = wanted;
    let ends = maker.and_then(|maker| service.running.tokens.end_of(&maker));
    let until = end_of(seconds)?.into_iter().chain(ends).min();
    let (token, grant) = fresh_token(holder.clone(), revoke)?;
    let hash = grant.hash;
    let grant = Grant { until, maker, ..grant };
    let request = Request { grant: Some(Granted::To(grant)), ..request(Command::IssueToken { holder, revoke })? };
    let accepted = carry_out(&service.running, request).await?;
    let accepted = with_token(service, accepted, token, &hash);
    let token_until = until.filter(|_| accepted.token.is_some());
    Ok(Accepted { token_until, ..accepted })
}
