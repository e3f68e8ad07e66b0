//! Shared tables: seats, and what the operator announces there.

use crate::Service;
use crate::edge::problem::Problem;
use crate::edge::request::{Acting, Body, Caller, Operator, idempotency_key, number, table_id};
use crate::write::accepted::{carry_out, earlier, json};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{Announced, Because, ErrorCode, MoreChips, Nothing, SeatWish};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Actor, Command, Refusal, State, TableKind};

/// How often a seat is looked for that others take at the same time.
const TRIES: usize = 8;

/// What the wish to sit comes to: a seat, or, for one who sits, a place in the next round.
/// What is signed is taken as it stands: with a seat's number the seat, without one a place in the next round.
fn wish(state: &State, id: &TableId, player: &PlayerId, asked: SeatWish, signed: bool) -> Result<Command, Problem> {
    let table = state.table(id).ok_or_else(|| Problem::from(state.no_table(id)))?;
    if !table.is_shared() {
        return Err(Refusal::SoloTable(id.clone()).into());
    }
    let SeatWish { seat, buy_in, client, entry, straddle } = asked;
    let is_cash = table.kind() == TableKind::Cash;
    if !is_cash && (buy_in.is_some() || client.is_some() || entry.is_some() || straddle.is_some()) {
        return Err(Refusal::NotCash(id.clone()).into());
    }
    let take = |seat| match buy_in {
        _ if !is_cash => Ok(Command::TakeSeat { table: id.clone(), seat }),
        Some(buy_in) => Ok(Command::SitDown { table: id.clone(), seat, buy_in, client, entry }),
        None => Err(Problem::malformed("a seat of a cash table is taken with chips: name buy_in")),
    };
    let play = || match is_cash {
        true => Command::SitIn { table: id.clone(), entry, straddle },
        false => Command::AskToPlay { table: id.clone() },
    };
    match seat {
        Some(_) if signed && straddle.is_some() => return Err(straddles_later()),
        Some(seat) if signed => return take(seat),
        None if signed => return Ok(play()),
        _ => {}
    }
    let own = table.seat_of(player);
    let sits_down = buy_in.is_some() || client.is_some();
    if own.is_some_and(|own| seat.is_none_or(|seat| seat == own)) && !sits_down {
        return Ok(play());
    }
    // What would be passed over in silence is refused.
    if straddle.is_some() {
        return Err(straddles_later());
    }
    if let Some(own) = own {
        return take(seat.unwrap_or(own));
    }
    let free = || (1..=table.rules.table.seats).find(|seat| !table.seats.contains_key(seat));
    let seat = seat
        .or_else(free)
        .ok_or_else(|| Problem::new(StatusCode::CONFLICT, ErrorCode::SeatNotFree, "every seat is taken"))?;
    take(seat)
}

fn straddles_later() -> Problem {
    Problem::malformed("straddle is the wish of one who sits: take the seat first, then ask again with it")
}

/// `POST /v1/tables/{table}/seat`
pub async fn take(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<SeatWish>,
) -> Result<HttpResponse, Problem> {
    let (id, asked) = (table_id(&path)?, body.value);
    let Actor::Player(player) = caller.actor()? else { return Err(Problem::not_allowed("only a player sits")) };
    let key = idempotency_key(&http)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let (table, who, signed) = (id.clone(), player.clone(), caller.is_signed());
        let look = move |state: &State| {
            let sits = state.table(&table).is_some_and(|table| table.seat_of(&who).is_some());
            wish(state, &table, &who, asked, signed).map(|command| (command, sits))
        };
        let asked_for =
            |command| caller.request(command).map(|request| request.repeatable(key.clone(), http.path(), &body.bytes));
        let (command, sits) = match service.ask(look).await? {
            Ok(found) => found,
            Err(problem) => {
                // The seats are others' now, or theirs is: what this key brought about stays so.
                let known = earlier(&service.running, asked_for(Command::AskToPlay { table: id })?).await?;
                return json(StatusCode::OK, &known.ok_or(problem)?);
            }
        };
        let request = asked_for(command)?;
        let any_seat = asked.seat.is_none() && !sits;
        match carry_out(&service.running, request).await {
            // Somebody else was quicker: there may be another one.
            Err(problem) if problem.code == ErrorCode::SeatNotFree && any_seat && tries < TRIES => {}
            done => return json(StatusCode::OK, &done?),
        }
    }
}

/// `DELETE /v1/tables/{table}/seat`
pub async fn leave(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let command = Command::LeaveSeat { table: table_id(&path)? };
    give(&service, &http, &caller, command, b"DELETE").await
}

/// `POST /v1/tables/{table}/sit_out`: no hands of a cash table until they ask to play.
pub async fn sit_out(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<Nothing>,
) -> Result<HttpResponse, Problem> {
    give(&service, &http, &caller, Command::SitOut { table: table_id(&path)? }, &body.bytes).await
}

/// `POST /v1/tables/{table}/waiting`: a wish for a seat where every seat is taken.
pub async fn want(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<Nothing>,
) -> Result<HttpResponse, Problem> {
    give(&service, &http, &caller, Command::WantSeat { table: table_id(&path)? }, &body.bytes).await
}

/// `POST /v1/tables/{table}/seats/{seat}/unseat`: the operator frees a seat.
pub async fn unseat(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<(String, String)>,
    body: Body<Because>,
) -> Result<HttpResponse, Problem> {
    let (table, seat) = path.into_inner();
    let (id, seat) = (table_id(&table)?, number(&seat, "the seat")?);
    let asked = id.clone();
    let who = move |state: &State| -> Result<PlayerId, Problem> {
        let table = state.table(&asked).ok_or_else(|| Problem::from(state.no_table(&asked)))?;
        let sits = u8::try_from(seat).ok().and_then(|seat| table.seats.get(&seat));
        let nobody = || Problem::new(StatusCode::CONFLICT, ErrorCode::NotSeated, format!("nobody sits at {seat}"));
        sits.map(|seat| seat.player.clone()).ok_or_else(nobody)
    };
    let player = service.ask(who).await??;
    give(&service, &http, &caller, Command::Unseat { table: id, player, reason: body.value.reason }, &body.bytes).await
}

/// `POST /v1/tables/{table}/chips`: more chips before their seat, at once or after the hand in progress (R001.12).
pub async fn add_chips(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<MoreChips>,
) -> Result<HttpResponse, Problem> {
    let command = Command::AddChips { table: table_id(&path)?, amount: body.value.amount };
    give(&service, &http, &caller, command, &body.bytes).await
}

/// Carries out a command of the caller's that their key may repeat.
async fn give(
    service: &web::Data<Service>,
    http: &HttpRequest,
    caller: &Caller,
    command: Command,
    body: &[u8],
) -> Result<HttpResponse, Problem> {
    let request = caller.request(command)?.repeatable(idempotency_key(http)?, http.path(), body);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `POST /v1/tables/{table}/close_bets`: "no more bets" (R001.140); at a cash table the call for the hand ends.
pub async fn close_bets(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<String>,
    body: Body<Announced>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = (table_id(&path)?, body.value.round_no);
    let command = match service.running.write.open_tables.kind(&table) {
        Some(TableKind::Cash) => Command::CloseCall { table, round_no },
        _ => Command::CloseBets { table, round_no },
    };
    give(&service, &http, &caller, command, &body.bytes).await
}

/// `POST /v1/tables/{table}/shuffle`: a new shoe at the operator's discretion, where the rule set has that (R001.120).
pub async fn shuffle(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<String>,
    body: Body<Because>,
) -> Result<HttpResponse, Problem> {
    let command = Command::RetireShoe { table: table_id(&path)?, reason: Some(body.value.reason) };
    give(&service, &http, &caller, command, &body.bytes).await
}
