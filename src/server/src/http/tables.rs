//! Rule sets, tables, shoes.

use super::accepted::{carry_out, json, receipt, receipt_at};
use super::notices::notices;
use super::problem::Problem;
use super::request::{Body, Caller, Page, idempotency_key, number, table_id};
use crate::Service;
use crate::history::{HistoryError, index, read};
use crate::index::IndexError;
use crate::keys::random32;
use crate::pipeline::now_ms;
use crate::tokens::Role;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::ErrorCode;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::{RuleSet, SHIPPED_RULE_SETS};
use fairshoe_house::{CashSeat, Command, Event, OpenRound, State, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A rule set with its fields in the order of the log, as one who signs the opening of a table needs them.
#[derive(Serialize)]
struct RuleSetView {
    digest: String,
    name: String,
    rules: RuleSet,
}

fn rule_set_view(rules: RuleSet) -> RuleSetView {
    RuleSetView { digest: rules.digest(), name: rules.name.clone(), rules }
}

/// `GET /v1/rulesets`
pub async fn rule_sets(_: Caller) -> Result<HttpResponse, Problem> {
    let all: Vec<RuleSetView> = SHIPPED_RULE_SETS.iter().filter_map(|(name, _)| RuleSet::shipped(name)).map(rule_set_view).collect();
    json(StatusCode::OK, &BTreeMap::from([("rulesets", all)]))
}

fn shipped(name: &str) -> Result<RuleSet, Problem> {
    RuleSet::shipped(name).ok_or_else(|| {
        let names: Vec<&str> = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect();
        Problem::not_found(ErrorCode::UnknownRuleset, format!("there is no rule set of this name; there are: {}", names.join(", ")))
    })
}

/// `GET /v1/rulesets/{name}`
pub async fn rule_set(_: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    json(StatusCode::OK, &rule_set_view(shipped(&path)?))
}

/// What a cash table has beside its seats' players; null at any other.
fn cash_view(table: &Table, own: Option<&Early>) -> Option<Value> {
    let (cash, rules) = (table.cash.as_ref()?, table.rules.cash()?);
    let seat = |(number, seat): (&u8, &CashSeat)| {
        json!({
            "seat": number,
            "player": table.seats.get(number).map(|seat| &seat.player),
            "stack": seat.stack,
            "sitting_out": seat.sitting_out,
            "leaving": seat.leaving,
            "top_up": seat.top_up,
            "hands": seat.hands,
            "away": seat.away,
            "bank_ms": seat.bank_ms,
            "owes": seat.owes,
            "entry": seat.entry,
            "straddle": seat.straddle,
        })
    };
    let committed: Vec<&PlayerId> = match &cash.call {
        Some(call) => call.seeds.keys().collect(),
        None => cash.carried.keys().collect(),
    };
    let call = cash
        .call
        .as_ref()
        .map(|call| json!({ "round_no": call.round_no, "shoe_no": call.shoe_no, "closes_at": call.closes_at, "awaited": call.awaited }));
    let level = rules.blinds.level();
    let own = own.map(|(left_early, until)| {
        let blocked_until = (!rules.leave_table.exempt && now_ms() < *until).then_some(until);
        json!({ "left_early": left_early, "blocked_until": blocked_until })
    });
    Some(json!({
        "level": level,
        "positions": cash.positions,
        "seats": cash.seats.iter().map(seat).collect::<Vec<_>>(),
        "call": call,
        "committed": committed,
        "own": own,
    }))
}

fn table_view(origin: &str, table: &Table, own: Option<&Early>) -> Value {
    let shoe = table.shoe.as_ref().map(|shoe| {
        json!({
            "shoe_no": shoe.id.shoe_no,
            "composition": shoe.id.composition,
            "candidates": shoe.candidates,
            "undrawn": shoe.undrawn.len(),
            "entry": null,
            "seq": null,
        })
    });
    let seats: Vec<Value> = table
        .seats
        .iter()
        .map(|(number, seat)| {
            let waits = !table.may_bet_on_shoe(&seat.player);
            json!({ "seat": number, "player": seat.player, "misses": seat.misses, "asks": table.asked.contains(&seat.player), "waits_for_shoe": waits })
        })
        .collect();
    let window = table.window.as_ref().map(|window| {
        json!({
            "round_no": window.round_no,
            "shoe_no": window.shoe_no,
            "closes_at": window.closes_at,
            "bets": window.bets,
            "expected": window.expected,
        })
    });
    json!({
        "table": table.id,
        "rules": *table.rules,
        "digest": table.rules.digest(),
        "owner": table.owner,
        "origin": origin,
        "epoch": table.shoe.as_ref().map(|shoe| &shoe.id.context.epoch),
        "shoe": shoe,
        "next_round": table.next_round,
        "round": table.live_round().map(|round| OpenRound::id(&table.id, round.round_no)),
        "seats": seats,
        "cash": cash_view(table, own),
        "window": window,
        "waiting": table.waiting_at(now_ms()).collect::<Vec<_>>(),
        "last_hand": table.last_hand || table.shuffle_asked,
        "withheld_in_last_100": table.withheld_lately(),
        "notices": notices(&table.rules),
    })
}

/// Where a table's shoe was committed, of what is durable: in the log, and at the table.
fn shoe_entry(service: &Service, table: &TableId, shoe_no: u64) -> Result<Option<(u64, u64)>, IndexError> {
    let Some(table) = index(&service.running).table(table)? else { return Ok(None) };
    let Some(shoe) = table.shoe(shoe_no)? else { return Ok(None) };
    Ok(table.entry(shoe.committed_seq)?.map(|index| (index, shoe.committed_seq)))
}

/// `GET /v1/tables`
pub async fn list(service: web::Data<Service>, caller: Caller, page: web::Query<Page>) -> Result<HttpResponse, Problem> {
    let limit = page.limit()?;
    let after = page.cursor.as_deref().map(table_id).transpose()?;
    let (tables, more) = service.running.open_tables.page(after.as_ref(), limit);
    let next = tables.last().filter(|_| more).map(|table| table.id.clone());
    json(StatusCode::OK, &json!({ "tables": views(&service, &caller, &tables).await?, "next": next }))
}

/// How often a player left early at a level of blinds, and until when that counts.
type Early = (u32, u64);

/// Tables as the caller may see them. The house is asked for one thing alone, and only by players at cash tables: what is
/// held against them at each level of blinds.
async fn views(service: &Service, caller: &Caller, tables: &[Arc<Table>]) -> Result<Vec<Value>, Problem> {
    let mut early = BTreeMap::new();
    if let Some(Role::Player(player)) = &caller.role {
        let levels: Vec<_> = tables.iter().filter_map(|table| Some((table.id.clone(), table.rules.cash()?.blinds.level()))).collect();
        if !levels.is_empty() {
            let (player, now) = (player.clone(), now_ms());
            let held = move |state: &State| -> BTreeMap<TableId, Early> {
                levels.into_iter().map(|(id, level)| (id, state.ladder().early(&player, &level, now))).collect()
            };
            early = service.ask(held).await?;
        }
    }
    let origin = service.running.verifier_key.name();
    let view = |table: &Arc<Table>| {
        let mut view = table_view(origin, table, early.get(&table.id));
        fill_shoe_entry(service, &mut view)?;
        Ok(view)
    };
    tables.iter().map(view).collect()
}

fn fill_shoe_entry(service: &Service, view: &mut Value) -> Result<(), IndexError> {
    let entry = match (view["table"].as_str().and_then(|id| TableId::parse(id).ok()), view["shoe"]["shoe_no"].as_u64()) {
        (Some(table), Some(shoe_no)) => shoe_entry(service, &table, shoe_no)?,
        _ => None,
    };
    if let Some(shoe) = view.get_mut("shoe").and_then(Value::as_object_mut) {
        shoe.insert("entry".into(), json!(entry.map(|(index, _)| index)));
        shoe.insert("seq".into(), json!(entry.map(|(_, seq)| seq)));
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    table: Option<TableId>,
    rules: String,
    replaces: Option<TableId>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

/// `POST /v1/tables`
pub async fn open(service: web::Data<Service>, http: HttpRequest, caller: Caller, body: Body<NewTable>) -> Result<HttpResponse, Problem> {
    caller.actor()?;
    let NewTable { table, rules, replaces, options } = body.value;
    let mut rules = shipped(&rules)?;
    if !options.is_empty() {
        if *caller.role()? != Role::Operator {
            return Err(Problem::not_allowed("only the operator sets options; players open tables with the rule sets as they are"));
        }
        let texts: Vec<(String, String)> = options.into_iter().map(|(name, value)| (name, value.to_string())).collect();
        rules =
            rules.with_options(texts.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map_err(fairshoe_house::Refusal::from)?;
    }
    let table = match table {
        Some(table) => table,
        None if caller.is_signed() => return Err(Problem::malformed("who signs names the table: its name is in what is signed")),
        None => {
            let suffix = hex::encode(&random32().map_err(Problem::internal)?[..6]);
            table_id(&format!("{}-{suffix}", rules.name.chars().take(40).collect::<String>()))?
        }
    };
    let command = Command::OpenTable { table: table.clone(), rules, replaces };
    let request = caller.request(command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    let mut accepted = carry_out(&service.running, request).await?;
    accepted.table.get_or_insert(table);
    json(StatusCode::CREATED, &accepted)
}

/// `GET /v1/tables/{table}`
pub async fn show(service: web::Data<Service>, caller: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let Some(open) = service.running.open_tables.get(&table) else { return Err(closed_table(&service, &table).await?) };
    let view = views(&service, &caller, &[open]).await?.pop();
    json(StatusCode::OK, &view.ok_or_else(|| no_table(&table))?)
}

/// The problem of a table that is not open, with the name of the table that came in its place, if one did.
async fn closed_table(service: &Service, table: &TableId) -> Result<Problem, Problem> {
    let asked = table.clone();
    service.ask(move |state: &State| Problem::from(state.no_table(&asked))).await
}

/// The problem of a table that is not open.
pub fn no_table(table: &TableId) -> Problem {
    Problem::not_found(ErrorCode::UnknownTable, format!("there is no open table `{table}`"))
}

/// `GET /v1/tables/{table}/shoe`
pub async fn current_shoe(service: web::Data<Service>, _: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let open = service.running.open_tables.get(&table).ok_or_else(|| no_table(&table))?;
    let shoe = open.shoe.as_ref().ok_or_else(|| Problem::from(fairshoe_house::Refusal::NoShoe))?;
    let (entry, _) = shoe_entry(&service, &table, shoe.id.shoe_no)?.ok_or_else(|| Problem::from(fairshoe_house::Refusal::NoShoe))?;
    let receipt = receipt_at(&service.running, &service.running.current(), entry)?;
    let view = json!({
        "shoe_no": shoe.id.shoe_no,
        "composition": shoe.id.composition,
        "candidates": shoe.candidates,
        "epoch": shoe.id.context.epoch,
        "receipt": receipt,
    });
    json(StatusCode::OK, &view)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// `POST /v1/tables/{table}/close`
pub async fn close(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    _: Body<Nothing>,
) -> Result<HttpResponse, Problem> {
    let command = Command::CloseTable { table: table_id(&path)? };
    json(StatusCode::OK, &carry_out(&service.running, caller.request(command)?).await?)
}

/// `GET /v1/shoes/{table}/{shoe_no}`
pub async fn shoe(service: web::Data<Service>, _: Caller, path: web::Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let (table, shoe_no) = path.into_inner();
    let (table, shoe_no) = (table_id(&table)?, number(&shoe_no, "the shoe number")?);
    let running = &service.running;
    let published = running.current();
    let known = index(running).table(&table)?.ok_or(HistoryError::NoSuchShoe)?;
    let shoe = known.shoe(shoe_no)?.ok_or(HistoryError::NoSuchShoe)?;
    let place = |seq: Option<u64>| seq.map_or(Ok(None), |seq| known.entry(seq));
    let (committed, revealed, sealed) = (known.entry(shoe.committed_seq)?, place(shoe.revealed_seq)?, place(shoe.sealed_seq)?);
    let committed = committed.filter(|committed| *committed < published.size()).ok_or(HistoryError::NoSuchShoe)?;
    let placed = read(running, committed)?;
    let mut view = json!({ "shoe_no": shoe_no, "seeds": null, "revealed": null, "sealed": null, "cause": null });
    for event in &placed.entry.events {
        if let Event::ShoeCommitted { shoe_no: no, composition, candidates } = event
            && *no == shoe_no
        {
            view["composition"] = json!(composition);
            view["candidates"] = json!(candidates);
        }
    }
    view["committed"] = json!(receipt(running, &published, committed, placed.bytes)?);
    // What became durable after the checkpoint was taken is not under it.
    if let Some(revealed) = revealed.filter(|revealed| *revealed < published.size()) {
        let placed = read(running, revealed)?;
        for event in &placed.entry.events {
            if let Event::ShoeRevealed { shoe_no: no, seeds, cause } = event
                && *no == shoe_no
            {
                view["seeds"] = json!(seeds);
                view["cause"] = json!(cause);
            }
        }
        view["revealed"] = json!(receipt(running, &published, revealed, placed.bytes)?);
    }
    if let Some(sealed) = sealed.filter(|sealed| *sealed < published.size()) {
        view["sealed"] = json!(receipt_at(running, &published, sealed)?);
    }
    json(StatusCode::OK, &view)
}
