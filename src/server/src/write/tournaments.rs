//! The calls about tournaments (openapi.yaml, "Tournaments"). Reads ask the house for the event as it stands, which it
//! shares and does not copy; what is shown of it is put together here.

use crate::Service;
use crate::edge::pieces::json_off_thread;
use crate::edge::problem::Problem;
use crate::edge::request::{
    Acting, Body, Caller, Operator, Page, address_of, idempotency_key, number, player_id, table_id,
};
use crate::ops::tokens::Role;
use crate::read::Reading;
use crate::write::accepted::{always, carry_out, json};
use crate::write::pipeline::now_ms;
use crate::write::rounds::{Answering, hand_in, hand_in_if_asked, seed_sender};
use crate::write::tables::shipped;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{
    BountyOf, Cancellation, DealAnswer, DealProposal, DealWish, Disqualification, ErrorCode, EventTableList,
    NewTournament, NoRebuy, Nothing, OwnStanding, Postponement, Registration, RegistrationTimes, SeatReveal,
    StakeOffer, StakePurchase, Standings, StructureView, Substitute, TournamentList, TournamentSummary, TournamentView,
};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::tournament::CancelCause;
use fairshoe_house::{Actor, Command, Refusal, State, Tournament, TournamentCommand as C};
use fairshoe_tournament::{OutOfRange, SHIPPED_STRUCTURES, Structure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

impl From<OutOfRange> for Problem {
    fn from(error: OutOfRange) -> Self {
        Problem::internal(error)
    }
}

fn structure_view(structure: Structure) -> StructureView {
    StructureView { digest: structure.digest(), name: structure.name.clone(), structure }
}

/// `GET /v1/structures`
pub async fn structures(_: Caller) -> Result<HttpResponse, Problem> {
    static TEXT: OnceLock<web::Bytes> = OnceLock::new();
    let shipped = || SHIPPED_STRUCTURES.iter().filter_map(|(name, _)| Structure::shipped(name));
    always(&TEXT, || BTreeMap::from([("structures", shipped().map(structure_view).collect::<Vec<_>>())]))
}

fn shipped_structure(name: &str) -> Result<Structure, Problem> {
    Structure::shipped(name).ok_or_else(|| {
        let names: Vec<&str> = SHIPPED_STRUCTURES.iter().map(|(name, _)| *name).collect();
        let detail = format!("there is no structure of this name; there are: {}", names.join(", "));
        Problem::not_found(ErrorCode::UnknownStructure, detail)
    })
}

/// `GET /v1/structures/{name}`
pub async fn structure(_: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    json(StatusCode::OK, &structure_view(shipped_structure(&path)?))
}

/// An event as it stands, and what is asked of the state beside it.
async fn ask<T: Send + 'static>(
    service: &Service,
    event: &TableId,
    beside: impl FnOnce(&State) -> T + Send + 'static,
) -> Result<(Arc<Tournament>, T), Problem> {
    let asked = event.clone();
    let found = service.ask(move |state| Some((state.shared_tournament(&asked)?, beside(state)))).await?;
    found.ok_or_else(|| Refusal::UnknownEvent(event.clone()).into())
}

/// `GET /v1/tournaments`
pub async fn list(service: web::Data<Service>, _: Caller, page: web::Query<Page>) -> Result<HttpResponse, Problem> {
    let limit = page.limit()?;
    let after = page.cursor.as_deref().map(table_id).transpose()?;
    let events = service.ask(move |state| state.tournaments_after(after.as_ref(), limit.saturating_add(1))).await?;
    let now = now_ms();
    let next = events.get(limit).and_then(|_| events.get(limit.saturating_sub(1))).map(|last| last.name().clone());
    let shown = events.iter().take(limit).map(|event| TournamentSummary::of(event, now));
    json(StatusCode::OK, &TournamentList { next, tournaments: shown.collect::<Result<_, _>>()? })
}

/// `GET /v1/tournaments/{tournament}`
pub async fn show(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = table_id(&path)?;
    let own = match &caller.role {
        Some(Role::Player(player)) => Some(player.clone()),
        _ => None,
    };
    let (asked, name) = (own.clone(), id.clone());
    let held = move |state: &State| asked.map(|player| (state.t_dollars(&player), state.has_ticket(&name, &player)));
    let (event, held) = ask(&service, &id, held).await?;
    let own = own.zip(held).map(|(player, (t_dollars, ticket))| OwnStanding::of(&event, &player, t_dollars, ticket));
    // Of a large field the places alone are thousands.
    let sender = caller.sender.clone();
    let view = move |_: &Reading| Ok(TournamentView::of(&event, own, now_ms())?);
    let running = &service.running;
    json_off_thread(running, running.lanes.play_of(&sender), sender, view).await
}

/// `GET /v1/tournaments/{tournament}/standings`
pub async fn standings(
    service: web::Data<Service>,
    http: HttpRequest,
    _: Caller,
    path: web::Path<String>,
    page: web::Query<Page>,
) -> Result<HttpResponse, Problem> {
    let (limit, from) = (page.limit()?, page.cursor.as_deref().map(|cursor| number(cursor, "the cursor")).transpose()?);
    let from = usize::try_from(from.unwrap_or_default()).unwrap_or(usize::MAX);
    let (event, ()) = ask(&service, &table_id(&path)?, |_| ()).await?;
    let rows = move |_: &Reading| Ok(Standings::of(&event, from, limit));
    let running = &service.running;
    json_off_thread(running, &running.lanes.records, address_of(&http), rows).await
}

/// `GET /v1/tournaments/{tournament}/tables`
pub async fn tables(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
    page: web::Query<Page>,
) -> Result<HttpResponse, Problem> {
    let limit = page.limit()?;
    let after = match page.cursor.as_deref() {
        None => None,
        Some(cursor) => {
            let known = u16::try_from(number(cursor, "the cursor")?);
            Some(known.map_err(|_| Problem::malformed("the cursor is a table's number"))?)
        }
    };
    let (event, ()) = ask(&service, &table_id(&path)?, |_| ()).await?;
    json(StatusCode::OK, &EventTableList::of(&event, after, limit))
}

/// A structure as it was sent: the name of one that the product ships, or one of the operator's.
fn structure_of(sent: &Value) -> Result<Structure, Problem> {
    match sent {
        Value::String(name) => shipped_structure(name),
        Value::Object(_) => {
            Structure::from_json(&sent.to_string()).map_err(|error| Refusal::Structure(error.to_string()).into())
        }
        _ => Err(Problem::malformed("structure is the name of a shipped structure, or a structure")),
    }
}

/// `POST /v1/tournaments`
pub async fn create(
    service: web::Data<Service>,
    http: HttpRequest,
    Operator(caller): Operator,
    body: Body<NewTournament>,
) -> Result<HttpResponse, Problem> {
    let NewTournament { tournament, structure, options, starts_at, registration_from } = body.value;
    let structure = structure_of(&structure)?;
    let texts: Vec<(String, String)> = options.into_iter().map(|(name, value)| (name, value.to_string())).collect();
    let rules = shipped(&structure.rules.name)?
        .with_options(texts.iter().map(|(name, value)| (name.as_str(), value.as_str())))
        .map_err(Refusal::from)?;
    let command = C::Create {
        event: tournament,
        structure: Box::new(structure),
        rules: Box::new(rules),
        starts_at,
        // 0 is before any time, and the same for a repeat.
        registration_from: registration_from.unwrap_or_default(),
    };
    give(&service, &http, &caller, StatusCode::CREATED, command, &body.bytes).await
}

/// Carries out a command of the caller's that their key may repeat.
async fn give(
    service: &web::Data<Service>,
    http: &HttpRequest,
    caller: &Caller,
    status: StatusCode,
    command: C,
    body: &[u8],
) -> Result<HttpResponse, Problem> {
    let request = caller.request(Command::Tournament(command))?;
    let request = request.repeatable(idempotency_key(http)?, http.path(), body);
    json(status, &carry_out(&service.running, request).await?)
}

/// A call that does nothing but give the command that `$command` makes of the event's name and the body.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($may:ident, $body:ty) = |$event:ident, $said:pat_param| $command:expr;)+) => {$(
        $(#[$doc])*
        pub async fn $name(
            service: web::Data<Service>,
            http: HttpRequest,
            $may(caller): $may,
            path: web::Path<String>,
            body: Body<$body>,
        ) -> Result<HttpResponse, Problem> {
            let ($event, $said) = (table_id(&path)?, body.value);
            give(&service, &http, &caller, StatusCode::OK, $command, &body.bytes).await
        }
    )+};
}

/// The same of what is signed for where the client asks.
macro_rules! calls_signed_for {
    ($($(#[$doc:meta])* $name:ident($body:ty) = |$event:ident, $said:pat_param| $command:expr;)+) => {$(
        $(#[$doc])*
        pub async fn $name(
            service: web::Data<Service>,
            http: HttpRequest,
            Acting(caller): Acting,
            path: web::Path<String>,
            answering: web::Query<Answering>,
            body: Body<$body>,
        ) -> Result<HttpResponse, Problem> {
            let ($event, $said) = (table_id(&path)?, body.value);
            give_if_asked(service, &http, &caller, $command, &answering, &body.bytes).await
        }
    )+};
}

async fn give_if_asked(
    service: web::Data<Service>,
    http: &HttpRequest,
    caller: &Caller,
    command: C,
    answering: &Answering,
    body: &[u8],
) -> Result<HttpResponse, Problem> {
    let request = caller.request(Command::Tournament(command))?;
    let request = request.repeatable(idempotency_key(http)?, http.path(), body);
    hand_in_if_asked(service, caller, request, answering).await
}

calls_signed_for! {
    /// `POST /v1/tournaments/{tournament}/registration`: an entry, or another one after an elimination.
    register(Registration) = |event, Registration { commitment, pay }| C::Register { event, commitment, pay };
    /// `POST /v1/tournaments/{tournament}/rebuy`
    rebuy(Nothing) = |event, Nothing {}| C::Rebuy { event };
    /// `POST /v1/tournaments/{tournament}/add_on`
    add_on(Nothing) = |event, Nothing {}| C::AddOn { event };
    /// `POST /v1/tournaments/{tournament}/deal/answers`
    answer_deal(DealAnswer) = |event, DealAnswer { digest, accept }| C::AnswerDeal { event, digest, accept };
}

calls! {
    /// `POST /v1/tournaments/{tournament}/decline_rebuy`
    decline_rebuy(Acting, NoRebuy) = |event, NoRebuy { entry_no }| C::DeclineRebuy { event, entry_no };
    /// `POST /v1/tournaments/{tournament}/stakes`
    offer_stake(Acting, StakeOffer) = |event, StakeOffer { basis_points }| C::OfferStake { event, basis_points };
    /// `POST /v1/tournaments/{tournament}/deal/wish`
    want_deal(Acting, DealWish) = |event, DealWish { want }| C::WantDeal { event, want };
    /// `POST /v1/tournaments/{tournament}/deal/proposals`
    propose_deal(Acting, DealProposal) = |event, DealProposal { method, amounts }| C::ProposeDeal { event, method, amounts };
    /// `POST /v1/tournaments/{tournament}/bounties`
    set_bounty(Operator, BountyOf) = |event, BountyOf { player, has }| C::SetBounty { event, player, has };
    /// `POST /v1/tournaments/{tournament}/disqualify`
    disqualify(Operator, Disqualification) = |event, Disqualification { player, reason }| C::Disqualify { event, player, reason };
    /// `POST /v1/tournaments/{tournament}/substitutes`
    substitute(Acting, Substitute) = |event, Substitute { place, what, value }| {
        C::SubstitutePrize { event, place, what, value }
    };
    /// `POST /v1/tournaments/{tournament}/registration_times`
    change_registration(Operator, RegistrationTimes) = |event, RegistrationTimes { late_levels, unregister_ms, reason }| {
        C::ChangeRegistration { event, late_levels, unregister_ms, reason }
    };
    /// `POST /v1/tournaments/{tournament}/postpone`
    postpone(Operator, Postponement) = |event, Postponement { starts_at, reason }| C::Postpone { event, starts_at, reason };
    /// `POST /v1/tournaments/{tournament}/cancel`
    cancel(Operator, Cancellation) = |event, Cancellation { instant, reason }| {
        let instant = instant.unwrap_or_else(now_ms);
        C::Cancel { event, cause: CancelCause::Operator, instant, reason: Some(reason) }
    };
}

/// `DELETE /v1/tournaments/{tournament}/registration`
pub async fn unregister(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    answering: web::Query<Answering>,
) -> Result<HttpResponse, Problem> {
    let command = C::Unregister { event: table_id(&path)? };
    give_if_asked(service, &http, &caller, command, &answering, b"DELETE").await
}

/// `POST /v1/tournaments/{tournament}/stakes/{seller}`
pub async fn buy_stake(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<(String, String)>,
    body: Body<StakePurchase>,
) -> Result<HttpResponse, Problem> {
    let (event, seller) = path.into_inner();
    let (event, seller) = (table_id(&event)?, player_id(&seller)?);
    let command = C::BuyStake { event, seller, basis_points: body.value.basis_points };
    give(&service, &http, &caller, StatusCode::OK, command, &body.bytes).await
}

/// `POST /v1/tournaments/{tournament}/draws/{draw_no}/reveals`: by anyone, since a seed proves itself.
pub async fn reveal(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<(String, String)>,
    answering: web::Query<Answering>,
    body: Body<SeatReveal>,
) -> Result<HttpResponse, Problem> {
    let (event, draw_no) = path.into_inner();
    let event = table_id(&event)?;
    let draw_no = u16::try_from(number(&draw_no, "the draw's number")?)
        .map_err(|_| Problem::malformed("the draw's number is at most 65535"))?;
    let SeatReveal { entry_no, seed, next } = body.value;
    let by = seed_sender(&caller);
    // Only what would be taken is signed for, and where it is known until when: a seed that opens nothing is nobody's,
    // and of a draw that waits for hands it is not known when it ends.
    let (name, opens, from, commits) = (event.clone(), seed.clone(), by.clone(), next.is_some());
    let is_awaited = move |state: &State| {
        let event = state.tournament(&name)?;
        event.draw_ends(draw_no)?;
        let whose = event.awaits_seed(draw_no, entry_no, &opens)?;
        Some(!commits || from == Actor::Player(whose.clone()))
    };
    let is_awaited = service.ask(is_awaited).await?.unwrap_or(false);
    let command = C::RevealSeatSeed { event, draw_no, entry_no, seed, next };
    hand_in(service, &caller, caller.request_by(by, Command::Tournament(command))?, is_awaited, &answering).await
}

/// What a player has for tournaments: T$, and the events for which they have a ticket.
pub fn vouchers(state: &State, player: &PlayerId) -> (u64, Vec<TableId>) {
    (state.t_dollars(player), state.tickets_of(player).into_iter().collect())
}
