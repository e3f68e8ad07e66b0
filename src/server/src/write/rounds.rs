//! The calls of a round, and what is told of rounds afterwards.

use crate::Service;
use crate::edge::MAX_BUNDLE_BODY;
use crate::edge::pieces::{json_off_thread, off_thread};
use crate::edge::problem::{Problem, count};
use crate::edge::request::{
    Acting, Body, Caller, JsonBytes, Operator, Page, address_of, idempotency_key, number, player_id, round_id, table_id,
};
use crate::ops::startup::Running;
use crate::ops::tokens::Role;
use crate::read::Reading;
use crate::read::find::Ended;
use crate::read::history::{self, HistoryError, index};
use crate::read::index::{RoundRef, RoundState};
use crate::read::openings::openings_of;
use crate::read::own::OwnSlots;
use crate::read::recall::phase;
use crate::read::stream::UNBUFFERED;
use crate::wallet::calls::fund;
use crate::write::accepted::{Proofs, Request, carry_out, json, submit};
use crate::write::pipeline::now_ms;
use crate::write::tables::{epoch_at, no_table};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{
    Accepted, Act, Because, BetRequest, Commit, DecisionList, DecisionView, ErrorCode, LateSeed, OwnSums, Reveal,
    RoundList, RoundRead, RoundSummary, RoundView, SeedLine, Trial, TrialCommitment,
};
use fairshoe_fairness::{Epoch, TableContext, TableId, committed_bytes, seed_commitment};
use fairshoe_house::{Actor, Begins, Command, OpenRound, Receivable, SeenCheckpoint, Table, TableKind};
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::value::to_raw_value;
use std::sync::atomic::Ordering;

/// `POST /v1/tables/{table}/bets`
pub async fn bet(
    service: web::Data<Service>,
    Acting(caller): Acting,
    path: web::Path<String>,
    answering: web::Query<Answering>,
    body: Body<BetRequest>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let BetRequest { round_no, bets, commitment, epoch } = body.value;
    let request = caller.request(Command::Bet { table, round_no, bets, commitment })?.bound_to(epoch);
    hand_in_if_asked(service, &caller, request, &answering).await
}

/// `DELETE /v1/tables/{table}/bets/{round_no}`: the caller's bets come back before they are closed; at a cash table
/// their commitment, before the hand begins.
pub async fn cancel(
    service: web::Data<Service>,
    Acting(caller): Acting,
    path: web::Path<(String, String)>,
    answering: web::Query<Answering>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = path.into_inner();
    let (table, round_no) = (table_id(&table)?, number(&round_no, "the round number")?);
    let command = match service.running.write.open_tables.kind(&table) {
        Some(TableKind::Cash) => Command::WithdrawHandSeed { table, round_no },
        _ => Command::CancelBet { table, round_no },
    };
    let request = caller.request(command)?;
    hand_in_if_asked(service, &caller, request, &answering).await
}

/// `POST /v1/rounds/{id}/commitments`: the hash of a fresh seed for a new pile, whose shuffle has the number in the
/// name; at a cash table for a hand.
pub async fn commit(
    service: web::Data<Service>,
    Acting(caller): Acting,
    path: web::Path<String>,
    answering: web::Query<Answering>,
    body: Body<Commit>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let Commit { commitment, epoch } = body.value;
    let command = match service.running.write.open_tables.kind(&table) {
        Some(TableKind::Cash) => Command::CommitHandSeed { table, round_no, commitment },
        _ => Command::CommitSeed { table, round_no, commitment },
    };
    let request = caller.request(command)?.bound_to(epoch);
    hand_in_if_asked(service, &caller, request, &answering).await
}

/// The epoch to which a commitment at an open table is bound, as far as is published. A hand's shoe is committed when it
/// begins, under the epoch that is in force then.
fn epoch_of_commitment(service: &Service, open: &Table) -> Result<Epoch, Problem> {
    let in_force = match open.kind() {
        TableKind::Cash => service.running.directory.epoch(),
        _ => None,
    };
    in_force.map_or_else(|| epoch_at(service, open), Ok)
}

/// `POST /v1/tables/{table}/commitment`: what a commitment would be, of a seed that nobody plays with.
pub async fn try_commitment(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
    body: Body<Trial>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let open = service.running.write.open_tables.get(&table).ok_or_else(|| no_table(&table))?;
    let Trial { player, round_no, seed } = body.value;
    let epoch = epoch_of_commitment(&service, &open)?;
    let origin = service.running.write.evidence.origin().clone();
    let context = TableContext { origin: origin.clone(), table: table.clone(), epoch };
    let commitment = seed_commitment(&context, round_no, &player, &seed);
    let hashed = hex::encode(committed_bytes(&context, round_no, &player, &seed));
    json(StatusCode::OK, &TrialCommitment { commitment, epoch, hashed, origin, player, round_no, table })
}

/// How a command is to be answered by which a player keeps from losing. `?received=first`: the note that it came goes out
/// before it is decided. `?proofs=later`: the receipts come without their proofs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answering {
    received: Option<First>,
    proofs: Option<Proofs>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum First {
    First,
}

/// `POST /v1/rounds/{id}/reveals`: by anyone, since a seed proves itself.
pub async fn reveal(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    answering: web::Query<Answering>,
    body: Body<Reveal>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let by = seed_sender(&caller);
    let Reveal { player, seed, saw, next } = body.value;
    // A commitment for the next hand can be refused for want of space or witnesses, and with it the seed: not what is
    // signed for.
    let command = Command::Reveal { table: table.clone(), round_no, player, seed, saw: saw.clone(), next };
    let has_written_enough =
        || service.running.write.written.blocked_until(&by, caller.guests_address(), &command, now_ms()).is_some();
    let may_be_refused = next.is_some() && (takes_no_bets(&service.running, Some(&table)) || has_written_enough());
    let is_live = is_live(&service.running, &table, round_no);
    // Whether the round is live or not, as far as is known here: the house may have opened it a moment ago.
    if let Some(saw) = saw.filter(|saw| saw.size <= service.running.current().size().saturating_sub(RECENT)) {
        // Its tiles may have to be read from the disk.
        let (running, by) = (&service.running, caller.sender.clone());
        off_thread(running, running.lanes.play_of(&by), by, move |running| is_of_this_log(running, &saw)).await?;
    } else if let Command::Reveal { saw: Some(saw), .. } = &command {
        is_of_this_log(&service.running, saw)?;
    }
    let is_awaited = is_live && !may_be_refused;
    hand_in(service, &caller, caller.request_by(by, command)?, is_awaited, &answering).await
}

/// What a client saw of so many newest entries is held against tiles that are in memory.
const RECENT: u64 = 1 << 16;

/// A checkpoint that a client says it saw stands on the log, and there accuses the house if it is of another tree. So
/// anybody could accuse an honest house, if one that is not this log's were taken (spec/entries.md, `saw`).
fn is_of_this_log(reading: &Reading, saw: &SeenCheckpoint) -> Result<(), Problem> {
    let published = reading.current();
    let is_known = saw.size <= published.size();
    if is_known
        && published.tree.root_at(saw.size, reading.tiles.as_ref()).is_ok_and(|root| root.to_string() == saw.root)
    {
        return Ok(());
    }
    let detail = "this log never had that tree. If it was signed by this log's key, keep it with its signature: it shows another history \
                  (fairshoe-audit log --kept). The seed was not taken; send it with a checkpoint of this log, or without `saw`";
    Err(Problem::new(StatusCode::CONFLICT, ErrorCode::SawOther, detail))
}

/// A round, as far as it is known. Where the index cannot say, nothing is signed for, and the house decides as ever.
fn round_of(running: &Running, table: &TableId, round_no: u64) -> Option<RoundRef> {
    index(running).table(table).ok()??.round(round_no).ok()?
}

/// The giver of a seed: a player who says who they are, or anyone.
pub fn seed_sender(caller: &Caller) -> Actor {
    match &caller.role {
        Some(Role::Player(player)) => Actor::Player(player.clone()),
        _ => Actor::Anyone,
    }
}

/// Whether a round is in progress, as far as anybody can know. Seeds of others are nobody's, and are not signed for.
fn is_live(running: &Running, table: &TableId, round_no: u64) -> bool {
    round_of(running, table, round_no).is_some_and(|round| round.last_seq.is_none())
}

/// Whether a round was void: its late seeds are signed for.
fn is_void(running: &Running, table: &TableId, round_no: u64) -> bool {
    round_of(running, table, round_no).is_some_and(|round| matches!(round.state, RoundState::Voided(_)))
}

/// Whether the house begins nothing at this table now; at one of a tournament, which has begun, it goes on.
fn takes_no_bets(running: &Running, table: Option<&TableId>) -> bool {
    let is_closed = running.low_space.load(Ordering::Relaxed)
        || running.witnesses.as_ref().is_some_and(|witnesses| witnesses.refuses_bets());
    is_closed && table.and_then(|table| running.write.open_tables.get(table)).is_none_or(|table| table.event.is_none())
}

/// Hands a player's own command to the house, signed for before it is decided where the client asks, and may.
pub async fn hand_in_if_asked(
    service: web::Data<Service>,
    caller: &Caller,
    request: Request,
    answering: &Answering,
) -> Result<HttpResponse, Problem> {
    let is_awaited = answering.received.is_some() && may_be_signed_for(&service.running, caller, &request);
    hand_in(service, caller, request, is_awaited, answering).await
}

/// Whether a player's own command may be signed for. Strangers must not have the service sign what they like, nor anybody
/// what it may have to refuse by itself: what is signed for is refused by the rules alone.
fn may_be_signed_for(running: &Running, caller: &Caller, request: &Request) -> bool {
    let (Some(Role::Player(player)), Some(kind)) = (&caller.role, Receivable::of(&request.command)) else {
        return false;
    };
    let (command, facts) = (&request.command, request.command.facts());
    let takes_part = match (command, facts.table) {
        (Command::Act { table, round_no, .. }, _) => index(running).plays_in(player, table, *round_no).unwrap_or(false),
        (_, Some(table)) => kind == Receivable::OfEvent || running.write.open_tables.get(table).is_some(),
        _ => false,
    };
    let has_written_enough =
        || running.write.written.blocked_until(&request.by, caller.guests_address(), command, now_ms()).is_some();
    let may_be_refused = match facts.begins {
        Begins::Nothing => false,
        Begins::Something | Begins::Play => takes_no_bets(running, facts.table) || has_written_enough(),
    };
    takes_part && !may_be_refused && running.write.evidence.signs_one_more_of(player, kind)
}

/// Hands a command to the house. One that is awaited is decided at the time when it came, and signed for before if the
/// client asks.
pub async fn hand_in(
    service: web::Data<Service>,
    caller: &Caller,
    mut request: Request,
    is_awaited: bool,
    answering: &Answering,
) -> Result<HttpResponse, Problem> {
    request.proofs = answering.proofs.unwrap_or_default();
    fund(&service.running, &request).await?;
    let bound =
        request.epoch.and(request.command.table()).and_then(|table| service.running.write.open_tables.get(table));
    let in_force = bound.map(|open| epoch_of_commitment(&service, &open)).transpose()?;
    let signs = answering.received.is_some();
    let note = if is_awaited { request.arrives(&service.running, in_force, signs)? } else { None };
    let is_known = caller.role.is_some();
    let submitted = submit(&service.running, request)?;
    let Some(First::First) = answering.received else {
        let accepted = submitted.answer(&service.running).await?;
        return json(StatusCode::OK, &seen(accepted, is_known));
    };
    // Not before the house has it: a note for one that it will not get would be false.
    let first = note.map(|note| line(&SeedLine { received: Some(note), ..SeedLine::default() }));
    let second = async move {
        let (status, reply) = match submitted.answer(&service.running).await {
            Ok(accepted) => (StatusCode::OK, to_raw_value(&seen(accepted, is_known))),
            Err(problem) => {
                count(&service, &problem);
                (problem.status, to_raw_value(&problem.body()))
            }
        };
        let reply = reply.map_err(Problem::internal)?;
        line(&SeedLine { received: None, reply: Some(reply), status: Some(status.as_u16()) })
    };
    let lines = stream::iter(first).chain(stream::once(second));
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/x-ndjson"))
        .insert_header(UNBUFFERED)
        .streaming(lines))
}

/// A reply to what may have been signed for. A balance is its owner's alone.
fn seen(accepted: Accepted, is_known: bool) -> Accepted {
    Accepted { balance: accepted.balance.filter(|_| is_known), ..accepted }
}

fn line(line: &SeedLine) -> Result<web::Bytes, Problem> {
    let mut text = serde_json::to_vec(line).map_err(Problem::internal)?;
    text.push(b'\n');
    Ok(text.into())
}

/// `POST /v1/rounds/{id}/late-seeds`: by anyone, a seed that was missing when its round was voided.
pub async fn late_seed(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
    answering: web::Query<Answering>,
    body: Body<LateSeed>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let by = seed_sender(&caller);
    let LateSeed { player, seed } = body.value;
    let was_void = is_void(&service.running, &table, round_no);
    let command = Command::LateSeed { table, round_no, player, seed };
    hand_in(service, &caller, caller.request_by(by, command)?, was_void, &answering).await
}

/// `POST /v1/rounds/{id}/actions`
pub async fn act(
    service: web::Data<Service>,
    Acting(caller): Acting,
    path: web::Path<String>,
    answering: web::Query<Answering>,
    body: Body<Act>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let Act { decision, action } = body.value;
    let request = caller.request(Command::Act { table, round_no, decision, action })?;
    hand_in_if_asked(service, &caller, request, &answering).await
}

/// `POST /v1/rounds/{id}/void`
pub async fn void(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    path: web::Path<String>,
    body: Body<Because>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let command = Command::VoidRound { table, round_no, reason: body.value.reason };
    let request = caller.request(command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// A round as everyone may see it, and where the caller's own cards lie.
type RoundWithOwnSlots = (RoundView, Option<OwnSlots>);

/// A round as the house has it, if it is its table's last one.
async fn latest(
    service: &Service,
    table: &TableId,
    round_no: u64,
    by: Option<Actor>,
) -> Result<Option<RoundWithOwnSlots>, Problem> {
    let asked = table.clone();
    let view = move |state: &fairshoe_house::State| {
        let round = state.table(&asked)?.round.as_ref().filter(|round| round.round_no == round_no)?;
        Some((RoundView::of(round, &asked, |player| state.funds(player)), by.and_then(|by| OwnSlots::of(round, &by))))
    };
    service.ask(view).await
}

/// A round in play has no more entries than this, as a rule; one with more is read with the records.
const FEW: usize = 64;

/// `GET /v1/rounds/{id}`
pub async fn show(
    service: web::Data<Service>,
    http: HttpRequest,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let running = &service.running;
    let sender = caller.sender.clone();
    let known = index(running).table(&table)?.ok_or(HistoryError::NoSuchRound)?;
    let RoundRef { round_no, shoe_no, .. } = known.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
    let by = caller.role.as_ref().and_then(Role::actor);
    let seen = latest(&service, &table, round_no, by.clone()).await?;
    let entries = history::entries_of(running, &table, round_no)?;
    let is_play = seen.is_some() && entries.len() <= FEW;
    let (lane, by_whom) =
        if is_play { (running.lanes.play_of(&sender), sender) } else { (&running.lanes.records, address_of(&http)) };
    let read = move |reading: &Reading| {
        let (view, own) = match seen {
            Some(found) => found,
            None => {
                let (state, round) = history::round(reading, &table, round_no)?;
                (
                    RoundView::of(&round, &table, |player| state.funds(player)),
                    by.and_then(|by| OwnSlots::of(&round, &by)),
                )
            }
        };
        let own = own.map(|own| own.open(reading, &table)).transpose()?.flatten();
        let mut openings = Vec::new();
        for at in &entries {
            openings.extend(openings_of(reading, &history::read(reading, *at)?.entry, Some(shoe_no))?);
        }
        Ok(RoundRead { round: view, openings, entries, own })
    };
    json_off_thread(running, lane, by_whom, read).await
}

/// `GET /v1/rounds/{id}/actions`
pub async fn legal_actions(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (table, round_no) = round_id(&path)?;
    let Role::Player(player) = caller.role()?.clone() else {
        return Err(Problem::not_allowed("only a player has decisions"));
    };
    let asked = table.clone();
    let decisions = service
        .ask(move |state| {
            let round =
                state.table(&asked).and_then(|table| table.live_round()).filter(|round| round.round_no == round_no)?;
            let mut own = DecisionView::all_of(round, |player| state.funds(player));
            own.retain(|decision| decision.player == player);
            Some(own)
        })
        .await?;
    let decisions = match decisions {
        Some(decisions) => decisions,
        // A round that is over asks nothing any more.
        None if round_of(&service.running, &table, round_no).is_some() => Vec::new(),
        None => return Err(HistoryError::NoSuchRound.into()),
    };
    json(StatusCode::OK, &DecisionList { decisions })
}

fn listed(table: &TableId, round: &RoundRef) -> RoundSummary {
    let (phase, cause) = phase(round.state);
    RoundSummary {
        cause,
        id: OpenRound::id(table, round.round_no),
        own: None,
        phase,
        returned: round.returned,
        shoe_no: round.shoe_no,
        staked: round.staked,
        time: round.time,
    }
}

/// The part of a list, newest first, that a page shows: positions, and the next cursor.
fn newest_first(length: u64, page: &Page) -> Result<(std::ops::Range<u64>, Option<String>), Problem> {
    let limit = page.limit()?;
    let end = match &page.cursor {
        None => length,
        Some(cursor) => number(cursor, "the cursor")?.min(length),
    };
    let start = end.saturating_sub(limit as u64);
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
    let all = index(&service.running).player(&player)?;
    let (range, next) = newest_first(all.len(), &page)?;
    let played = all.range(range)?;
    let list = move |reading: &Reading| {
        let mut rounds = Vec::new();
        for (table, round_no) in played.into_iter().rev() {
            let Some(known) = index(reading).table(&table)? else { continue };
            let Some(round) = known.round(round_no)? else { continue };
            let ended = Ended::of(reading, &known, &round)?;
            let own = ended.as_ref().and_then(|ended| ended.result_of(&player));
            let own = own.map(|own| OwnSums { returned: own.returned, staked: own.staked });
            rounds.push(RoundSummary { own, ..listed(&table, &round) });
        }
        Ok(RoundList { next, rounds })
    };
    let running = &service.running;
    json_off_thread(running, &running.lanes.records, caller.sender.clone(), list).await
}

/// `GET /v1/tables/{table}/rounds`
pub async fn of_table(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
    page: web::Query<Page>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let known = index(&service.running).table(&table)?;
    let known = known
        .ok_or_else(|| Problem::not_found(ErrorCode::UnknownTable, format!("there never was a table `{table}`")))?;
    let (range, next) = newest_first(known.round_count(), &page)?;
    let rounds = known.rounds(range)?.iter().rev().map(|round| listed(&table, round)).collect();
    json(StatusCode::OK, &RoundList { next, rounds })
}

/// `POST /v1/verify`: judges a bundle and keeps nothing.
pub async fn verify(
    service: web::Data<Service>,
    http: HttpRequest,
    _: Caller,
    body: JsonBytes<MAX_BUNDLE_BODY>,
) -> Result<HttpResponse, Problem> {
    if body.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Problem::malformed("the body is a bundle, and there is none"));
    }
    let judge = move |reading: &Reading| {
        let JsonBytes { bytes, held: _held } = body;
        Ok(fairshoe_judge::bundle::verify(&bytes, Some(&reading.verifier_key)))
    };
    let running = &service.running;
    json_off_thread(running, &running.lanes.records, address_of(&http), judge).await
}
