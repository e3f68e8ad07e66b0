//! The calls about the operator's wallet (openapi.yaml; spec/wallet.md). What is refused the house says.

use crate::Service;
use crate::edge::problem::Problem;
use crate::edge::request::{Acting, Body, Caller, idempotency_key, key_of_movement, number, player_id};
use crate::ops::startup::Running;
use crate::ops::tokens::Role;
use crate::read::lanes::Sender;
use crate::read::stream::StreamSlot;
use crate::wallet::{Style, Waited};
use crate::write::accepted::{Request, carry_out, decide, json};
use crate::write::pipeline::now_ms;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{
    Accepted, ErrorCode, Nothing, PlayerWallet, WalletMovement, WalletOperationKind, WalletOperationState,
    WalletOperationView, WalletStyle,
};
use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Command, Entry, Event, State, WalletAnswer, WalletCall, WalletOperation, is_guest};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// How long a call may wait for the wallet's answer, in milliseconds.
const LONGEST_WAIT: u64 = 20_000;

/// How long what a player plays for may take to come.
const FUNDING: Duration = Duration::from_secs(6);

/// Whether to wait for the wallet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    #[serde(default)]
    wait_ms: u64,
}

impl Waiting {
    fn most(&self) -> Result<Duration, Problem> {
        match self.wait_ms {
            0..=LONGEST_WAIT => Ok(Duration::from_millis(self.wait_ms)),
            _ => Err(Problem::malformed(format!("`wait_ms` is at most {LONGEST_WAIT}"))),
        }
    }
}

fn require_wallet(running: &Running) -> Result<Style, Problem> {
    let none = "this service has no wallet: the operator credits players, and pays them out";
    running.wallet.ok_or_else(|| Problem::new(StatusCode::CONFLICT, ErrorCode::NoWallet, none))
}

/// `POST /v1/players/{player}/wallet/deposits`: chips for money that the wallet has.
pub async fn deposit(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<WalletMovement>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    let command = Command::WalletDeposit { player: player.clone(), amount: body.value.amount };
    ask(&service, &http, &caller, &body.bytes, &player, command).await
}

/// `POST /v1/players/{player}/wallet/withdrawals`: chips go back to it.
pub async fn withdraw(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<WalletMovement>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    let command = Command::WalletWithdraw { player: player.clone(), amount: body.value.amount };
    ask(&service, &http, &caller, &body.bytes, &player, command).await
}

async fn ask(
    service: &web::Data<Service>,
    http: &HttpRequest,
    caller: &Caller,
    body: &[u8],
    player: &PlayerId,
    command: Command,
) -> Result<HttpResponse, Problem> {
    // With a wallet or without: nobody is told of others, and auditors change nothing.
    if !matches!(caller.role()?, Role::Operator) && caller.actor()? != Actor::Player(player.clone()) {
        return Err(Problem::not_allowed("players move their own chips, or the operator for them"));
    }
    let request = caller.request(command)?.repeatable(key_of_movement(http)?, http.path(), body);
    require_wallet(&service.running)?;
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `POST /v1/wallet/{no}/cancel`: a deposit that the wallet has not answered is not wanted any more.
pub async fn cancel(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<Nothing>,
) -> Result<HttpResponse, Problem> {
    let command = Command::WalletCancel { no: number(&path, "an operation")? };
    let request = caller.request(command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    require_wallet(&service.running)?;
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `GET /v1/players/{player}/wallet`
pub async fn of_player(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let player = player_id(&path)?;
    caller.require_reader_of(&player)?;
    let whose = player.clone();
    let find = move |state: &State| {
        state.ledger().player(&whose)?;
        let own = state.wallet_operations_of(&whose).into_iter();
        Some(own.map(|(no, operation)| (no, operation.clone())).collect::<Vec<_>>())
    };
    let unknown = || Problem::not_found(ErrorCode::UnknownPlayer, format!("there is no player `{player}`"));
    let own = service.ask(find).await?.ok_or_else(unknown)?;
    let open = own.into_iter().map(|(no, operation)| view(&service.running, no, Some(operation)));
    let style = service.running.wallet.map(|style| match style {
        Style::Chips => WalletStyle::Chips,
        Style::Rounds => WalletStyle::Rounds,
    });
    let open = open.collect::<Result<_, _>>()?;
    json(StatusCode::OK, &PlayerWallet { open, player, style })
}

/// `GET /v1/wallet/{no}`: an operation; with `wait_ms` once it is over, or that time is.
pub async fn show(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
    waiting: web::Query<Waiting>,
) -> Result<HttpResponse, Problem> {
    caller.role()?;
    let (no, most) = (number(&path, "an operation")?, waiting.most()?);
    let find = move |state: &State| state.wallet_operation(no).cloned();
    let mut open = service.ask(find).await?;
    let until = tokio::time::Instant::now() + most;
    // First its owner is checked: nobody waits for what is not theirs to read.
    let shown = view(&service.running, no, open.clone())?;
    caller.require_reader_of(&shown.player)?;
    let (mut stopping, mut slot) = (service.stopping.clone(), None::<StreamSlot>);
    while let Some(WalletOperation { call, .. }) = open {
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        // Where too many wait already this one does not, as with streams.
        if left.is_zero() || *stopping.borrow() {
            break;
        }
        if slot.is_none() {
            slot = StreamSlot::take(&service, &http, &caller).ok();
        }
        let Some(slot) = slot.as_mut().filter(|slot| !slot.place.is_taken()) else { break };
        tokio::select! {
            () = slot.place.taken() => break,
            waited = service.running.desk.wait(no, call, left) => if waited == Waited::TooLong { break },
            _ = stopping.changed() => break,
        }
        open = service.ask(find).await?;
    }
    caller.require_in_force(&service.running.tokens)?;
    json(StatusCode::OK, &view(&service.running, no, open)?)
}

/// An operation as the log tells it; `open`, where it waits for an answer.
fn view(running: &Running, no: u64, open: Option<WalletOperation>) -> Result<WalletOperationView, Problem> {
    let unknown =
        || Problem::not_found(ErrorCode::UnknownOperation, format!("there is no operation {no} of the wallet"));
    let (asked, answered) = running.index.wallet_operation(no)?;
    let asked = asked.ok_or_else(unknown)?;
    let entry = |index: u64| -> Result<Entry, Problem> {
        Entry::decode(&running.reader.entry(index).map_err(Problem::internal)?).map_err(Problem::internal)
    };
    let first = entry(asked)?.events.into_iter().find_map(|event| match event {
        Event::WalletAsked { call, player, amount, .. } => Some((call, player, amount)),
        _ => None,
    });
    let (call, player, amount) = first.ok_or_else(|| Problem::internal("an operation that nothing asked for"))?;
    let answer = answered.map(entry).transpose()?.and_then(|entry| match entry.command {
        Command::WalletAnswer { call, answer, reason, .. } => Some((call, answer, reason)),
        _ => None,
    });
    let state = match (&open, &answer) {
        (Some(_), _) | (None, None) => WalletOperationState::Open,
        (None, Some((WalletCall::Cancel, ..))) => WalletOperationState::Cancelled,
        (None, Some((_, WalletAnswer::Accepted, _))) => WalletOperationState::Done,
        (None, Some((_, WalletAnswer::Refused, _))) => WalletOperationState::Refused,
    };
    let kind = match call.is_of_withdrawal() {
        true => WalletOperationKind::Withdrawal,
        false => WalletOperationKind::Deposit,
    };
    let reason = answer.and_then(|(.., reason)| reason);
    Ok(WalletOperationView {
        amount,
        answered,
        asked,
        kind,
        no,
        player,
        reason,
        state,
        waits_for: open.map(|open| open.call),
    })
}

/// Where chips come with what a player plays for: deposits what this command needs beyond what they have, and waits for
/// it. What the wallet refuses the house refuses then, for want of chips.
pub async fn fund(running: &Arc<Running>, request: &Request) -> Result<(), Problem> {
    if running.wallet != Some(Style::Rounds) {
        return Ok(());
    }
    let Actor::Player(player) = &request.by else { return Ok(()) };
    let is_play = request.command.table().is_some() || matches!(request.command, Command::Tournament(_));
    if !is_play || is_guest(player) {
        return Ok(());
    }
    let (by, command, signed, whose) = (request.by.clone(), request.command.clone(), request.signed, player.clone());
    // What is missing, and the deposit that was asked for before and has not come.
    let missing = || {
        let (by, command, whose) = (by.clone(), command.clone(), whose.clone());
        running.ask(move |state| {
            let now = now_ms().max(state.last_time());
            let missing = state.missing_for(now, &by, signed.as_ref(), &command)?;
            let own = state.wallet_operations_of(&whose).into_iter();
            Some((missing, own.filter(|(_, open)| open.call == WalletCall::Reserve).map(|(no, _)| no).next()))
        })
    };
    if missing().await?.is_none() {
        return Ok(());
    }
    let mut changes = running.desk.changes();
    let turn = async {
        loop {
            if let Some(funding) = running.desk.fund(player) {
                return funding;
            }
            let _ = changes.changed().await;
        }
    };
    let _funding = tokio::time::timeout(FUNDING, turn).await.map_err(|_| unanswered())?;
    let amount = match missing().await? {
        None => return Ok(()),
        // One that was asked for comes first: a request that is repeated asks for nothing twice.
        Some((_, Some(no))) => {
            wait_for_chips(running, no).await?;
            match missing().await? {
                None => return Ok(()),
                Some((amount, _)) => amount,
            }
        }
        Some((amount, None)) => amount,
    };
    let command = Command::WalletDeposit { player: player.clone(), amount };
    let deposit = Request::new(Actor::Operator, Sender::Holder(Role::Operator), command);
    running.desk.allow_funding(player).map_err(too_often)?;
    match asked_for(&decide(running, deposit).await?) {
        Some(no) => wait_for_chips(running, no).await,
        None => Err(Problem::internal("a deposit that asks for nothing")),
    }
}

fn unanswered() -> Problem {
    Problem::unavailable(
        ErrorCode::WalletUnavailable,
        "the wallet has not answered yet: send the same request again; what it holds meanwhile is used then, or goes back",
    )
}

async fn wait_for_chips(running: &Running, no: u64) -> Result<(), Problem> {
    match running.desk.wait(no, WalletCall::Reserve, FUNDING).await {
        Waited::Answered => Ok(()),
        Waited::TooLong => Err(unanswered()),
    }
}

/// *Attack: bets that are refused for something else, each with a deposit that comes and goes back, and a log that grows.*
fn too_often(seconds: u64) -> Problem {
    Problem::too_many(seconds, "chips came from the wallet too often in a minute: play with what is there, or wait")
}

/// The number of the operation that an entry asks for.
fn asked_for(accepted: &Accepted) -> Option<u64> {
    let entry = Entry::decode(accepted.receipts.first()?.entry.as_bytes()).ok()?;
    entry.events.iter().find_map(|event| match event {
        Event::WalletAsked { no, .. } => Some(*no),
        _ => None,
    })
}
