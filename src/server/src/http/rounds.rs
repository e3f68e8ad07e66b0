//! The calls of a round, and what is told of rounds afterwards.

use super::MAX_BUNDLE_BODY;
use super::accepted::{Request, carry_out, current, json};
use super::problem::Problem;
use super::request::{Body, Caller, JsonBytes, Page, number, player_id, round_id, table_id};
use crate::Service;
use crate::history::{self, Excerpt, HistoryError, Placed};
use crate::index::{RoundRef, RoundState};
use crate::tokens::Role;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use fairshoe_fairness::{ClientSeed, PlayerId, SeedCommitment, TableId};
use fairshoe_games::{Action, Bet};
use fairshoe_house::{Actor, Command, Event, OpenRound, Reference, SeenCheckpoint};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::PoisonError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewBet {
    round_no: u64,
    bets: Vec<Bet>,
    commitment: SeedCommitment,
}

/// `POST /v1/tables/{table}/bets`
pub async fn bet(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<NewBet>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let NewBet { round_no, bets, commitment } = body.value;
    let command = Command::Bet { table, round_no, bets, commitment };
    json(StatusCode::OK, &carry_out(&service.running, Request::new(caller.actor()?, command)).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    player: PlayerId,
    seed: ClientSeed,
    saw: Option<SeenCheckpoint>,
}

/// `POST /v1/rounds/{id}/reveals`: by anyone, since a seed proves itself.
pub async fn reveal(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reveal>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let by = match &caller.0 {
        Some(Role::Player(player)) => Actor::Player(player.clone()),
        _ => Actor::Anyone,
    };
    let Reveal { player, seed, saw } = body.value;
    let command = Command::Reveal { table, round_no, player, seed, saw };
    let mut accepted = carry_out(&service.running, Request::new(by, command)).await?;
    if caller.0.is_none() {
        accepted.balance = None;
    }
    json(StatusCode::OK, &accepted)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    decision: u32,
    action: Action,
}

/// `POST /v1/rounds/{id}/actions`
pub async fn act(service: web::Data<Service>, caller: Caller, path: web::Path<String>, body: Body<Act>) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let Act { decision, action } = body.value;
    let command = Command::Act { table, round_no, decision, action };
    json(StatusCode::OK, &carry_out(&service.running, Request::new(caller.actor()?, command)).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Malfunction {
    reason: Reference,
}

/// `POST /v1/rounds/{id}/void`
pub async fn void(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Malfunction>,
) -> Result<HttpResponse, Problem> {
    caller.require_operator()?;
    let (table, round_no) = round_id(&path)?;
    let command = Command::VoidRound { table, round_no, reason: body.value.reason };
    json(StatusCode::OK, &carry_out(&service.running, Request::new(Actor::Operator, command)).await?)
}

/// `GET /v1/rounds/{id}`
pub async fn show(service: web::Data<Service>, _: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let excerpt = Excerpt::of_round(&service.running, &table, round_no)?;
    let (state, round, shoe) = excerpt.replay(&table, round_no, u64::MAX)?;
    let own = excerpt.entries_of(round_no);
    let entries: Vec<_> = excerpt.entries.iter().filter(|placed| own.contains(&placed.index)).map(|placed| &placed.entry).collect();
    let openings = service.running.dealer.open(&shoe, round.pick, &Excerpt::shown(&entries));
    // Options depend on what the player has now, which the excerpt of one table does not know.
    let players: Vec<PlayerId> = round.contributors.iter().map(|c| c.placed.player.clone()).collect();
    let funds = service.ask(move |now| players.into_iter().map(|player| (now.funds(&player), player)).collect::<Vec<_>>()).await?;
    let view =
        round.view(&table, |player| funds.iter().find(|(_, name)| name == player).map_or_else(|| state.funds(player), |(funds, _)| *funds));
    json(StatusCode::OK, &json!({ "round": view, "openings": openings, "entries": own }))
}

/// `GET /v1/rounds/{id}/actions`
pub async fn legal_actions(service: web::Data<Service>, caller: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let Role::Player(player) = caller.role()?.clone() else { return Err(Problem::not_allowed("only a player has decisions")) };
    let asked = table.clone();
    let decisions = service
        .ask(move |state| {
            let round = state.table(&asked).and_then(|table| table.live_round()).filter(|round| round.round_no == round_no)?;
            let all = serde_json::to_value(round.decisions(|player| state.funds(player))).ok()?;
            let own = all.as_array()?.iter().filter(|decision| decision["player"] == player.as_str()).cloned().collect::<Vec<_>>();
            Some(own)
        })
        .await?;
    let decisions = match decisions {
        Some(decisions) => decisions,
        // A round that is over asks nothing any more.
        None if history::is_round(&service.running, &table, round_no) => Vec::new(),
        None => return Err(HistoryError::NoSuchRound.into()),
    };
    json(StatusCode::OK, &json!({ "decisions": decisions }))
}

/// `GET /v1/rounds/{id}/bundle`
pub async fn bundle(service: web::Data<Service>, _: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let running = &service.running;
    let published = current(running);
    let mut excerpt = Excerpt::of_round(running, &table, round_no)?;
    // What became durable after the checkpoint was taken is not under it.
    excerpt.entries.retain(|placed| placed.index < published.size());
    excerpt.context.retain(|placed| placed.index < published.size());
    let (_, round, shoe) = excerpt.replay(&table, round_no, u64::MAX)?;
    let all: Vec<_> = excerpt.entries.iter().map(|placed| &placed.entry).collect();
    let revealed = all.iter().flat_map(|entry| &entry.events).any(|event| matches!(event, Event::ShoeRevealed { .. }));
    let openings = if revealed { Vec::new() } else { running.dealer.open(&shoe, round.pick, &Excerpt::shown(&all)) };
    let proven = |placed: &Placed| -> Result<Value, Problem> {
        let path = published.path(placed.index, &running.tiles).map_err(Problem::internal)?;
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        Ok(json!({ "index": placed.index, "entry": String::from_utf8_lossy(&placed.bytes), "proof": path }))
    };
    let bundle = json!({
        "fairshoe_bundle": 1,
        "round": OpenRound::id(&table, round_no),
        "vkey": running.verifier_key.to_string(),
        "checkpoint": published.checkpoint,
        "context": excerpt.context.iter().map(proven).collect::<Result<Vec<_>, _>>()?,
        "entries": excerpt.entries.iter().map(proven).collect::<Result<Vec<_>, _>>()?,
        "openings": openings,
    });
    json(StatusCode::OK, &bundle)
}

fn listed(table: &TableId, round_no: u64, round: &RoundRef) -> Value {
    let (phase, cause) = match round.state {
        RoundState::AwaitingReveals => ("awaiting_reveals", None),
        RoundState::Open => ("open", None),
        RoundState::Settled => ("settled", None),
        RoundState::Voided(cause) => ("voided", Some(cause)),
    };
    json!({
        "id": OpenRound::id(table, round_no),
        "time": round.time,
        "shoe_no": round.shoe_no,
        "phase": phase,
        "staked": round.staked,
        "ret": round.ret,
        "cause": cause,
    })
}

/// The part of a list, newest first, that a page shows: positions, and the next cursor.
fn newest_first(length: usize, page: &Page) -> Result<(std::ops::Range<usize>, Option<String>), Problem> {
    let limit = page.limit()?;
    let end = match &page.cursor {
        None => length,
        Some(cursor) => usize::try_from(number(cursor, "the cursor")?).unwrap_or(usize::MAX).min(length),
    };
    let start = end.saturating_sub(limit);
    Ok((start..end, (start > 0).then(|| start.to_string())))
}

/// `GET /v1/players/{player}/rounds`
pub async fn of_player(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    page: web::Query<Page>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    caller.require_reader_of(&player)?;
    let index = service.running.index.read().unwrap_or_else(PoisonError::into_inner);
    let all = index.players.get(&player).map(Vec::as_slice).unwrap_or_default();
    let (range, next) = newest_first(all.len(), &page)?;
    let find = |(table, round_no): &(TableId, u64)| {
        let round = index.tables.get(table)?.rounds.get(usize::try_from(*round_no).ok()?)?;
        Some(listed(table, *round_no, round))
    };
    let rounds: Vec<Value> = all.get(range).unwrap_or_default().iter().rev().filter_map(find).collect();
    json(StatusCode::OK, &json!({ "rounds": rounds, "next": next }))
}

/// `GET /v1/tables/{table}/rounds`
pub async fn of_table(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
    page: web::Query<Page>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let index = service.running.index.read().unwrap_or_else(PoisonError::into_inner);
    let known =
        index.tables.get(&table).ok_or_else(|| Problem::not_found("unknown_table", format!("there never was a table `{table}`")))?;
    let (range, next) = newest_first(known.rounds.len(), &page)?;
    let shown = known.rounds.get(range.clone()).unwrap_or_default();
    let rounds: Vec<Value> = shown.iter().zip(range).rev().map(|(round, no)| listed(&table, no as u64, round)).collect();
    json(StatusCode::OK, &json!({ "rounds": rounds, "next": next }))
}

/// `POST /v1/verify`: judges a bundle and keeps nothing.
pub async fn verify(service: web::Data<Service>, _: Caller, body: JsonBytes<MAX_BUNDLE_BODY>) -> Result<HttpResponse, Problem> {
    let JsonBytes(body) = body;
    let key = service.running.verifier_key.clone();
    let verdict = web::block(move || fairshoe_house::bundle::verify(&body, Some(&key))).await.map_err(Problem::internal)?;
    json(StatusCode::OK, &verdict)
}
