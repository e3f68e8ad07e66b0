//! Sealed shoes, for auditors: the seeds of one named hand, with the reason on the public log before they are given.

use crate::Service;
use crate::edge::problem::Problem;
use crate::edge::request::{Auditor, Body, idempotency_key, number, table_id};
use crate::read::Reading;
use crate::read::history::{HistoryError, index, read};
use crate::write::accepted::{carry_out, json, receipt};
use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{Because, Disclosure};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Actor, Command, Dealer, OpenRound, Reference};

fn named(path: &(String, String)) -> Result<(TableId, u64), Problem> {
    Ok((table_id(&path.0)?, number(&path.1, "the shoe number")?))
}

/// What the entry at `at`, which is durable and says that the shoe is disclosed to the auditor who asks, lets them
/// have.
fn disclosed(reading: &Reading, at: u64, (table, shoe_no): (TableId, u64)) -> Result<Disclosure, Problem> {
    let published = reading.current();
    let placed = read(reading, at)?;
    let (id, pick, round_no) = {
        let index = index(reading);
        let id = index.shoe_id(&table, shoe_no)?.ok_or(HistoryError::NoSuchShoe)?;
        let known = index.table(&table)?.ok_or(HistoryError::NoSuchShoe)?;
        let shoe = known.shoe(shoe_no)?.ok_or(HistoryError::NoSuchShoe)?;
        let round = known.round_of_shoe(shoe_no)?.ok_or(HistoryError::NoSuchShoe)?;
        (id, shoe.pick, round.round_no)
    };
    // A hand has two decks, of which the players' seeds choose one (spec/fairness.md, "Public shuffle").
    let seeds = (0..2)
        .map(|candidate| reading.dealer.seed(&id, candidate))
        .collect::<Result<_, _>>()
        .map_err(Problem::internal)?;
    Ok(Disclosure {
        receipt: receipt(reading, &published, at, placed.bytes)?,
        round: OpenRound::id(&table, round_no),
        table,
        shoe_no,
        epoch: id.context.epoch,
        composition: id.composition,
        pick,
        seeds,
    })
}

/// Nothing on the way may keep a sealed seed.
fn private(body: &Disclosure) -> Result<HttpResponse, Problem> {
    let mut reply = json(StatusCode::OK, body)?;
    reply.headers_mut().insert(CACHE_CONTROL, actix_web::http::header::HeaderValue::from_static("no-store"));
    Ok(reply)
}

/// The entry that disclosed this shoe to this auditor for this reason, or for any.
fn earlier(
    reading: &Reading,
    auditor: &PlayerId,
    table: &TableId,
    shoe_no: u64,
    reason: Option<&Reference>,
) -> Result<Option<u64>, Problem> {
    let size = reading.current().size();
    let entries = index(reading).disclosures_to(auditor, table, shoe_no)?;
    for at in entries.into_iter().rev().filter(|at| *at < size) {
        let entry = read(reading, at)?.entry;
        let fits =
            |wanted: &Reference| matches!(&entry.command, Command::DiscloseShoe { reason, .. } if reason == wanted);
        if reason.is_none_or(fits) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// `POST /v1/shoes/{table}/{shoe_no}/disclosure`
pub async fn disclose(
    service: web::Data<Service>,
    http: HttpRequest,
    Auditor(name, caller): Auditor,
    path: web::Path<(String, String)>,
    body: Body<Because>,
) -> Result<HttpResponse, Problem> {
    let (table, shoe_no) = named(&path)?;
    let reading = &service.running;
    let reason = body.value.reason;
    // The same question again is the same entry.
    if let Some(at) = earlier(reading, &name, &table, shoe_no, Some(&reason))? {
        return private(&disclosed(reading, at, (table, shoe_no))?);
    }
    let command = Command::DiscloseShoe { table: table.clone(), shoe_no, reason };
    let request =
        caller.request_by(Actor::Auditor(name), command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    let accepted = carry_out(reading, request).await?;
    let at = accepted
        .receipts
        .first()
        .map(|receipt| receipt.index)
        .ok_or_else(|| Problem::internal("an entry without a receipt"))?;
    private(&disclosed(reading, at, (table, shoe_no))?)
}

/// `GET /v1/shoes/{table}/{shoe_no}/disclosure`
pub async fn show(
    service: web::Data<Service>,
    Auditor(name, _): Auditor,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (table, shoe_no) = named(&path)?;
    let at = earlier(&service.running, &name, &table, shoe_no, None)?;
    let at = at.ok_or_else(|| {
        Problem::not_allowed("this shoe was not disclosed to you: ask for it with the reason, by POST")
    })?;
    private(&disclosed(&service.running, at, (table, shoe_no))?)
}
