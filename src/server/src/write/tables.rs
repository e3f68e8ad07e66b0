//! The calls about rule sets, tables, seats and shoes (openapi.yaml). Reads are of the state under the newest checkpoint.

use crate::Service;
use crate::edge::problem::Problem;
use crate::edge::request::{Acting, Body, Caller, Page, idempotency_key, number, table_id};
use crate::ops::keys::random32;
use crate::ops::tokens::Role;
use crate::read::history::{HistoryError, index, read};
use crate::read::index::IndexError;
use crate::write::accepted::{always, carry_out, json, receipt, receipt_at};
use crate::write::pipeline::now_ms;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use fairshoe_api::{
    CallView, CashSeatView, CashView, ChipsOf, CurrentShoe, ErrorCode, NewTable, Nothing, OfTournament, RuleSetView,
    SeatView, ShoeHistory, ShoeView, StandingView, TableList, TableView, WindowView,
};
use fairshoe_fairness::{Epoch, TableId};
use fairshoe_games::{RuleSet, SHIPPED_RULE_SETS};
use fairshoe_house::{CashSeat, Command, Event, OpenRound, Seat, State, Table, is_for_play, is_guest};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// What every table shows of a rule set.
struct Shown {
    digest: String,
    notices: Vec<String>,
    text: Box<RawValue>,
}

/// What tables show of the rule sets that they share, by its place in memory, which is no other's while it is weakly held.
/// *Attack: made anew for each of the fifty tables of a list, it would take more than all the rest of a reply.*
#[derive(Default)]
pub struct ShownRules(Mutex<HashMap<usize, Known>>);

type Known = (Weak<RuleSet>, Arc<Shown>);

/// At so many, those are forgotten that no table has.
const FORGOTTEN: usize = 64;

impl ShownRules {
    fn of(&self, rules: &Arc<RuleSet>) -> Result<Arc<Shown>, Problem> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Arc::as_ptr(rules).addr();
        if let Some((_, shown)) = known.get(&place) {
            return Ok(shown.clone());
        }
        let text = rules.to_json().and_then(RawValue::from_string).map_err(Problem::internal)?;
        let shown = Arc::new(Shown { digest: rules.digest(), notices: rules.sign(), text });
        if known.len() >= FORGOTTEN {
            known.retain(|_, (rules, _)| rules.strong_count() > 0);
        }
        known.insert(place, (Arc::downgrade(rules), shown.clone()));
        Ok(shown)
    }
}

fn rule_set_view(rules: RuleSet) -> RuleSetView {
    RuleSetView { digest: rules.digest(), name: rules.name.clone(), rules }
}

/// `GET /v1/rulesets`
pub async fn rule_sets(_: Caller) -> Result<HttpResponse, Problem> {
    static TEXT: OnceLock<web::Bytes> = OnceLock::new();
    let shipped = || SHIPPED_RULE_SETS.iter().filter_map(|(name, _)| RuleSet::shipped(name));
    always(&TEXT, || BTreeMap::from([("rulesets", shipped().map(rule_set_view).collect::<Vec<_>>())]))
}

pub fn shipped(name: &str) -> Result<RuleSet, Problem> {
    RuleSet::shipped(name).ok_or_else(|| {
        let names: Vec<&str> = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect();
        Problem::not_found(
            ErrorCode::UnknownRuleset,
            format!("there is no rule set of this name; there are: {}", names.join(", ")),
        )
    })
}

/// `GET /v1/rulesets/{name}`
pub async fn rule_set(_: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    json(StatusCode::OK, &rule_set_view(shipped(&path)?))
}

/// What a cash table has beside its seats' players; nothing at any other.
fn cash_view(table: &Table, own: Option<&Early>) -> Option<CashView> {
    let (cash, rules) = (table.cash()?, table.rules.cash()?);
    let seat = |(number, seat): (&u8, &CashSeat)| CashSeatView {
        away: seat.away,
        bank_ms: seat.bank_ms,
        entry: seat.entry,
        hands: seat.hands,
        leaving: seat.leaving,
        owes: seat.owes,
        player: table.seats.get(number).map(|seat| seat.player.clone()),
        seat: *number,
        sitting_out: seat.sitting_out,
        stack: seat.stack,
        straddle: seat.straddle,
        top_up: seat.top_up,
    };
    let committed = match &cash.call {
        Some(call) => call.seeds.keys().cloned().collect(),
        None => cash.carried.keys().cloned().collect(),
    };
    let call = cash.call.as_ref().map(|call| CallView {
        awaited: call.awaited.iter().cloned().collect(),
        closes_at: call.closes_at,
        round_no: call.round_no,
        shoe_no: call.shoe_no,
    });
    let own = own.map(|(left_early, until)| StandingView {
        blocked_until: (!rules.leave_table.exempt && now_ms() < *until).then_some(*until),
        left_early: *left_early,
    });
    let seats = cash.seats.iter().map(seat).collect();
    Some(CashView { call, committed, level: rules.blinds.level(), own, positions: cash.positions, seats })
}

/// A table as the caller may see it; `committed` is where its shoe was, in the log and at the table.
fn table_view(
    origin: &str,
    epoch: Epoch,
    table: &Table,
    shown: &Shown,
    own: Option<&Early>,
    committed: Option<(u64, u64)>,
) -> TableView<Box<RawValue>> {
    let shoe = table.shoe.as_ref().map(|shoe| ShoeView {
        candidates: shoe.candidates.clone(),
        composition: shoe.id.composition.clone(),
        entry: committed.map(|(index, _)| index),
        seq: committed.map(|(_, seq)| seq),
        shoe_no: shoe.id.shoe_no,
        undrawn: shoe.undrawn.len() as u64,
    });
    let seat = |(number, seat): (&u8, &Seat)| SeatView {
        asks: table.betting().is_some_and(|betting| betting.asked.contains(&seat.player)),
        misses: seat.misses,
        player: seat.player.clone(),
        seat: *number,
        waits_for_shoe: !table.may_bet_on_shoe(&seat.player),
    };
    let window = table.window().map(|window| WindowView {
        bets: window.bets.clone(),
        closes_at: window.closes_at,
        expected: window.expected.iter().cloned().collect(),
        round_no: window.round_no,
        shoe_no: window.shoe_no,
    });
    TableView {
        cash: cash_view(table, own),
        chips: if is_for_play(&table.id) { ChipsOf::Play } else { ChipsOf::Credited },
        digest: shown.digest.clone(),
        epoch: Some(epoch),
        last_hand: table.betting().is_some_and(|betting| betting.last_hand || betting.shuffle_asked),
        next_round: table.next_round,
        notices: shown.notices.clone(),
        origin: origin.to_owned(),
        owner: table.owner.clone(),
        round: table.live_round().map(|round| OpenRound::id(&table.id, round.round_no)),
        rules: shown.text.clone(),
        seats: table.seats.iter().map(seat).collect(),
        shoe,
        table: table.id.clone(),
        tournament: table.event.clone().map(|tournament| OfTournament {
            level: table.cash().and_then(|cash| cash.event.as_ref()).map_or(0, |place| place.level),
            tournament,
        }),
        waiting: table.waiting_at(now_ms()).cloned().collect(),
        window,
        withheld_in_last_100: table.withheld_lately(),
    }
}

/// Where a table's shoe was committed, of what is durable: in the log, and at the table.
fn shoe_entry(service: &Service, table: &TableId, shoe_no: u64) -> Result<Option<(u64, u64)>, IndexError> {
    let Some(table) = index(&service.running).table(table)? else { return Ok(None) };
    let Some(shoe) = table.shoe(shoe_no)? else { return Ok(None) };
    Ok(table.entry(shoe.committed_seq)?.map(|index| (index, shoe.committed_seq)))
}

/// `GET /v1/tables`
pub async fn list(
    service: web::Data<Service>,
    caller: Caller,
    page: web::Query<Page>,
) -> Result<HttpResponse, Problem> {
    let limit = page.limit()?;
    let after = page.cursor.as_deref().map(table_id).transpose()?;
    let (tables, more) = service.running.write.open_tables.page(after.as_ref(), limit);
    let next = tables.last().filter(|_| more).map(|table| table.id.clone());
    json(StatusCode::OK, &TableList { next, tables: views(&service, &caller, &tables).await? })
}

/// The epoch that a commitment for a table's next round is bound to.
pub fn epoch_at(service: &Service, table: &Table) -> Result<Epoch, Problem> {
    let of_shoe = table.shoe.as_ref().map(|shoe| shoe.id.context.epoch);
    of_shoe.or_else(|| service.running.directory.epoch()).ok_or_else(|| Problem::internal("the dealer has not started"))
}

/// How often a player left early at a level of blinds, and until when that counts.
type Early = (u32, u64);

/// Tables as the caller may see them. The house is asked for one thing alone, and only by players at cash tables: what
/// is held against them at each level of blinds.
async fn views(
    service: &Service,
    caller: &Caller,
    tables: &[Arc<Table>],
) -> Result<Vec<TableView<Box<RawValue>>>, Problem> {
    let mut early = BTreeMap::new();
    if let Some(Role::Player(player)) = &caller.role {
        let levels: Vec<_> =
            tables.iter().filter_map(|table| Some((table.id.clone(), table.rules.cash()?.blinds.level()))).collect();
        if !levels.is_empty() {
            let (player, now) = (player.clone(), now_ms());
            let held = move |state: &State| -> BTreeMap<TableId, Early> {
                levels.into_iter().map(|(id, level)| (id, state.conduct().early(&player, &level, now))).collect()
            };
            early = service.ask(held).await?;
        }
    }
    let origin = service.running.verifier_key.name();
    let view = |table: &Arc<Table>| {
        let shoe_no = table.shoe.as_ref().map(|shoe| shoe.id.shoe_no);
        let committed = shoe_no.map_or(Ok(None), |shoe_no| shoe_entry(service, &table.id, shoe_no))?;
        let shown = service.shown_rules.of(&table.rules)?;
        Ok(table_view(origin, epoch_at(service, table)?, table, &shown, early.get(&table.id), committed))
    };
    tables.iter().map(view).collect()
}

/// `POST /v1/tables`
pub async fn open(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    body: Body<NewTable>,
) -> Result<HttpResponse, Problem> {
    let NewTable { table, rules, replaces, options } = body.value;
    let mut rules = shipped(&rules)?;
    if !options.is_empty() {
        if *caller.role()? != Role::Operator {
            return Err(Problem::not_allowed(
                "only the operator sets options; players open tables with the rule sets as they are",
            ));
        }
        let texts: Vec<(String, String)> = options.into_iter().map(|(name, value)| (name, value.to_string())).collect();
        rules = rules
            .with_options(texts.iter().map(|(name, value)| (name.as_str(), value.as_str())))
            .map_err(fairshoe_house::Refusal::from)?;
    }
    let table = match table {
        Some(table) => table,
        None if caller.is_signed() => {
            return Err(Problem::malformed("who signs names the table: its name is in what is signed"));
        }
        None => {
            let suffix = hex::encode(&random32().map_err(Problem::internal)?[..6]);
            // A guest's is named after them (spec/ledger.md, "Play chips").
            let whose = match caller.role()? {
                Role::Player(player) if is_guest(player) => format!("play.{player}."),
                _ => String::new(),
            };
            let room = 40_usize.saturating_sub(whose.len());
            table_id(&format!("{whose}{}-{suffix}", rules.name.chars().take(room).collect::<String>()))?
        }
    };
    let command = Command::OpenTable { table: table.clone(), rules, replaces };
    let request = caller.request(command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    let mut accepted = carry_out(&service.running, request).await?;
    accepted.table.get_or_insert(table);
    json(StatusCode::CREATED, &accepted)
}

/// `GET /v1/tables/{table}`
pub async fn show(
    service: web::Data<Service>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let Some(open) = service.running.write.open_tables.get(&table) else {
        return Err(closed_table(&service, &table).await?);
    };
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
pub async fn current_shoe(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let table = table_id(&path)?;
    let open = service.running.write.open_tables.get(&table).ok_or_else(|| no_table(&table))?;
    let shoe = open.shoe.as_ref().ok_or_else(|| Problem::from(fairshoe_house::Refusal::NoShoe))?;
    let (entry, _) =
        shoe_entry(&service, &table, shoe.id.shoe_no)?.ok_or_else(|| Problem::from(fairshoe_house::Refusal::NoShoe))?;
    let receipt = receipt_at(&service.running, &service.running.current(), entry)?;
    let view = CurrentShoe {
        candidates: shoe.candidates.clone(),
        composition: shoe.id.composition.clone(),
        epoch: shoe.id.context.epoch,
        receipt,
        shoe_no: shoe.id.shoe_no,
    };
    json(StatusCode::OK, &view)
}

/// `POST /v1/tables/{table}/close`
pub async fn close(
    service: web::Data<Service>,
    http: HttpRequest,
    Acting(caller): Acting,
    path: web::Path<String>,
    body: Body<Nothing>,
) -> Result<HttpResponse, Problem> {
    let command = Command::CloseTable { table: table_id(&path)? };
    let request = caller.request(command)?.repeatable(idempotency_key(&http)?, http.path(), &body.bytes);
    json(StatusCode::OK, &carry_out(&service.running, request).await?)
}

/// `GET /v1/shoes/{table}/{shoe_no}`
pub async fn shoe(
    service: web::Data<Service>,
    _: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (table, shoe_no) = path.into_inner();
    let (table, shoe_no) = (table_id(&table)?, number(&shoe_no, "the shoe number")?);
    let running = &service.running;
    let published = running.current();
    let known = index(running).table(&table)?.ok_or(HistoryError::NoSuchShoe)?;
    let shoe = known.shoe(shoe_no)?.ok_or(HistoryError::NoSuchShoe)?;
    let place = |seq: Option<u64>| seq.map_or(Ok(None), |seq| known.entry(seq));
    let (committed, revealed, sealed) =
        (known.entry(shoe.committed_seq)?, place(shoe.revealed_seq)?, place(shoe.sealed_seq)?);
    let committed = committed.filter(|committed| *committed < published.size()).ok_or(HistoryError::NoSuchShoe)?;
    let placed = read(running, committed)?;
    let what = placed.entry.events.iter().find_map(|event| match event {
        Event::ShoeCommitted { shoe_no: no, composition, candidates } if *no == shoe_no => {
            Some((composition.clone(), candidates.clone()))
        }
        _ => None,
    });
    let (composition, candidates) = what.ok_or_else(|| Problem::internal("the entry of a shoe does not commit it"))?;
    let committed = receipt(running, &published, committed, placed.bytes)?;
    let mut view = ShoeHistory {
        candidates,
        cause: None,
        committed,
        composition,
        revealed: None,
        sealed: None,
        seeds: None,
        shoe_no,
    };
    // What became durable after the checkpoint was taken is not under it.
    if let Some(revealed) = revealed.filter(|revealed| *revealed < published.size()) {
        let placed = read(running, revealed)?;
        for event in placed.entry.events {
            if let Event::ShoeRevealed { shoe_no: no, seeds, cause } = event
                && no == shoe_no
            {
                (view.seeds, view.cause) = (Some(seeds), cause);
            }
        }
        view.revealed = Some(receipt(running, &published, revealed, placed.bytes)?);
    }
    if let Some(sealed) = sealed.filter(|sealed| *sealed < published.size()) {
        view.sealed = Some(receipt_at(running, &published, sealed)?);
    }
    json(StatusCode::OK, &view)
}
