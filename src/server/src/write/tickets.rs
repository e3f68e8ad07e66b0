//! The calls about tickets (openapi.yaml): the operator's page gets one, a browser exchanges it for a token.

use crate::Service;
use crate::edge::problem::{Problem, busy};
use crate::edge::request::{Body, Caller, Operator, player_id};
use crate::ops::keys::{TokenHash, random32, token_hash};
use crate::ops::tickets::{LIFE, Wish};
use crate::write::accepted::{Request, json};
use crate::write::pipeline::{Rejected, now_ms};
use crate::write::players::{Wanted, end_of, issue as issue_token};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use fairshoe_api::{Accepted, ErrorCode, LoginTicket, NewTicket, TicketExchange};
use fairshoe_house::{Actor, Holder};
use std::time::Instant;

/// The lifetime of a token that comes for a ticket, where nobody says another: an evening, in seconds.
const EVENING: u64 = 8 * 3600;

/// `POST /v1/players/{player}/tickets`
pub async fn issue(
    service: web::Data<Service>,
    Operator(_): Operator,
    path: web::Path<String>,
    body: Body<NewTicket>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    let NewTicket { revoke, seconds } = body.value;
    let seconds = seconds.unwrap_or(EVENING);
    // What the exchange would refuse the operator hears now, who can do something about it.
    end_of(Some(seconds))?;
    let asked = player.clone();
    if !service.ask(move |state| state.ledger().player(&asked).is_some()).await? {
        return Err(Problem::not_found(ErrorCode::UnknownPlayer, format!("there is no player `{player}`")));
    }
    let holder = Holder::Player(player.clone());
    if !revoke && !service.running.tokens.has_room(&holder) {
        return Err(Rejected::TooManyTokens(holder).into());
    }
    let random = random32().map_err(Problem::internal)?;
    let until = now_ms().saturating_add(u64::try_from(LIFE.as_millis()).unwrap_or(u64::MAX));
    service
        .tickets
        .keep(token_hash(&random), Wish { player, revoke, seconds }, Instant::now())
        .map_err(|_| busy("as many tickets were made within a minute as may be"))?;
    let ticket = hex::encode(random);
    json(StatusCode::CREATED, &LoginTicket { link: format!("/#ticket={ticket}"), ticket, until })
}

/// `POST /v1/tickets/exchange`
pub async fn exchange(
    service: web::Data<Service>,
    caller: Caller,
    body: Body<TicketExchange>,
) -> Result<HttpResponse, Problem> {
    let hash = hash_of(&body.value.ticket).ok_or_else(refused)?;
    // From here on another exchange finds no ticket. It stays so where this one is broken off: what its token became is
    // not known then, and one ticket must not make two.
    let Wish { player, revoke, seconds } = service.tickets.take(&hash, Instant::now()).ok_or_else(refused)?;
    let wanted = Wanted { holder: Holder::Player(player.clone()), revoke, seconds: Some(seconds), maker: None };
    // The operator gave the ticket, so that the token is the operator's doing on the log, whoever brings it.
    let made =
        issue_token(&service, wanted, |command| Ok(Request::new(Actor::Operator, caller.sender.clone(), command)));
    match made.await {
        // Tokens were revoked at the same moment, this one with them.
        Ok(Accepted { token: None, .. }) => Err(refused()),
        Ok(accepted) => {
            if revoke {
                service.tickets.forget(&player);
            }
            json(StatusCode::CREATED, &Accepted { player: Some(player), ..accepted })
        }
        // A guest may have gone since.
        Err(problem) if problem.code == ErrorCode::UnknownPlayer => Err(refused()),
        Err(problem) => {
            if !may_be_done(&problem) {
                service.tickets.give_back(&hash);
            }
            Err(problem)
        }
    }
}

/// Whether an error leaves open that the token was made. Any other says that it was not.
fn may_be_done(problem: &Problem) -> bool {
    matches!(problem.code, ErrorCode::Internal | ErrorCode::Stopping)
}

/// The hash of a ticket, where it has the form of one.
fn hash_of(ticket: &str) -> Option<TokenHash> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(ticket, &mut bytes).ok().map(|()| token_hash(&bytes))
}

/// One refusal for a ticket that never was, was used or is late: which of them tells a thief something, and nobody else.
fn refused() -> Problem {
    let detail = "the ticket is none, was used, or its minute is over; whoever gave it gives another";
    Problem::new(StatusCode::FORBIDDEN, ErrorCode::TicketRefused, detail)
}
