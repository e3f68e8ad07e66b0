//! The calls about chips that go from one log to another (openapi.yaml; spec/transfers.md). What is refused the house says.

use crate::Service;
use crate::edge::problem::Problem;
use crate::edge::request::{Acting, Body, Caller, Operator, idempotency_key, key_of_movement, player_id};
use crate::write::accepted::{carry_out, json};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{Claim, ClaimedRun, KnownLogList, KnownLogRequest, KnownLogView, NewTransfer};
use fairshoe_fairness::Origin;
use fairshoe_house::{Account, Actor, Command, KnownLog, PlainText, State};
use fairshoe_tlog::{base64_decode, base64_encode};

/// `GET /v1/logs`
pub async fn known(service: web::Data<Service>) -> Result<HttpResponse, Problem> {
    let view = |state: &State| {
        let view = |(log, known): (&Origin, &KnownLog)| KnownLogView {
            balance: state.ledger().balance(&Account::Transfers(log.clone())).unwrap_or_default(),
            claimed: known.claimed.iter().map(|(first, last)| ClaimedRun { first, last }).collect(),
            log: log.clone(),
            policy: known.policy.as_ref().and_then(|policy| String::from_utf8(base64_decode(policy.as_str())?).ok()),
            sent: known.sent,
        };
        state.known_logs().map(view).collect()
    };
    json(StatusCode::OK, &KnownLogList { logs: service.ask(view).await? })
}

/// `POST /v1/logs`: how another log's receipts are judged.
pub async fn know(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    body: Body<KnownLogRequest>,
) -> Result<HttpResponse, Problem> {
    let KnownLogRequest { log, policy } = body.value;
    let policy = policy.map(|text| in_base64(&text)).transpose()?;
    let command = Command::KnowLog { log, policy };
    let request = caller.request(command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `POST /v1/players/{player}/transfers`: chips go to another log.
pub async fn send(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<NewTransfer>,
) -> Result<HttpResponse, Problem> {
    let key = key_of_movement(&http)?;
    let NewTransfer { to, amount } = body.value;
    let command = Command::TransferOut { to, player: player_id(&path)?, amount };
    let request = caller.request(command)?.repeatable(key, http.path(), &body.bytes);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `POST /v1/transfers`: chips that another log sent here come, by whoever has the receipt.
pub async fn claim(service: web::Data<Service>, caller: Caller, body: Body<Claim>) -> Result<HttpResponse, Problem> {
    let Claim { from, entry, proof } = body.value;
    let command = Command::TransferIn { from, entry: plain(entry)?, receipt: in_base64(&proof)? };
    json(StatusCode::OK, &carry_out(&service.running, caller.request_by(Actor::Anyone, command)?).await?)
}

fn plain(text: String) -> Result<PlainText, Problem> {
    PlainText::try_from(text).map_err(Problem::malformed)
}

fn in_base64(text: &str) -> Result<PlainText, Problem> {
    plain(base64_encode(text.as_bytes()))
}
