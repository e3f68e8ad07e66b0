//! The HTTP contract of openapi.yaml: parse, authenticate, hand over, reply. No rule of the house lives here.

pub mod body;
pub mod budget;
pub mod cached;
pub mod client_address;
pub mod connections;
pub mod cors;
pub mod framing;
pub mod guest_quota;
pub mod limits;
pub mod line;
pub mod null;
pub mod number;
pub mod own_reply;
pub mod paced;
pub mod page;
pub mod pieces;
pub mod problem;
pub mod rates;
pub mod request;
pub mod serving;
pub mod share;
pub mod signature;
pub mod socket;
pub mod stream_id;
pub mod streams;
pub mod tls;
pub mod turns;
pub mod verify_page;
pub mod wire;

pub use client_address::{ProxyHeader, wide};
pub use limits::{Limits, network};
pub use problem::{Problem, count, no_such_path};
pub use share::Share;
pub use turns::house_worked;

use crate::Service;
use crate::cluster::Standing;
use crate::cluster::calls as cluster;
use crate::edge::connections::Connected;
use crate::edge::line::Doing;
use crate::edge::problem::busy;
use crate::edge::share::Payer;
use crate::ops::metrics::Status;
use crate::read::index::WITHHELD_ALARM;
use crate::read::lanes::is_played;
use crate::read::{bundles, disclosures, entries, find, log, records, stream};
use crate::wallet::calls as wallet;
use crate::write::pipeline::now_ms;
use crate::write::{players, rounds, seats, tables, tickets, tournaments, transfers};
use actix_http::ConnectionType;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::rt::time::sleep;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, Resource, ResponseError as _, Route, web};
use fairshoe_api::{ErrorCode, Ready};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The largest bundle that the service judges for others, in bytes; the tool takes larger ones.
pub const MAX_BUNDLE_BODY: usize = 2 << 20;

async fn healthz() -> &'static str {
    "ok"
}

/// Not ready only where nothing can be done. Where no bet is taken open rounds must still be finished, so whoever sends
/// requests here by this answer must go on to.
async fn readyz(service: web::Data<Service>) -> HttpResponse {
    let running = &service.running;
    let size = running.current().size();
    let stopping = *service.stopping.borrow();
    let reasons = [
        (stopping, "the service is stopping"),
        (running.write.has_ended, "the log has ended"),
        (running.low_space.load(Ordering::Relaxed), running.metrics.low_space_words()),
        (
            running.witnesses.as_ref().is_some_and(|witnesses| witnesses.refuses_bets()),
            "the log is unwitnessed: no new bets",
        ),
        (running.require_lead(0).is_err(), "this node follows: another one takes bets"),
    ];
    let reason = reasons.iter().find(|(is_so, _)| *is_so).map(|(_, why)| (*why).to_owned());
    let witnessed = running.witnesses.as_ref().map(|witnesses| witnesses.report());
    let ready = Ready { ready: !stopping, bets: reason.is_none(), size, reason, witnessed };
    let mut reply = if stopping { HttpResponse::ServiceUnavailable() } else { HttpResponse::Ok() };
    reply.json(ready)
}

async fn metrics(service: web::Data<Service>, _: request::Caller) -> HttpResponse {
    // As it was last known, where the house does not answer: whoever looks after it needs the others then.
    if let Ok(players) = service.ask(|state| state.ledger().player_count()).await {
        service.running.metrics.players.set(i64::try_from(players).unwrap_or(i64::MAX));
    }
    let open = service.running.write.open_tables.all();
    let (tables, withheld) =
        (open.len(), open.iter().filter(|table| table.withheld_lately() >= WITHHELD_ALARM).count());
    let metrics = &service.running.metrics;
    metrics.open_tables.set(i64::try_from(tables).unwrap_or(i64::MAX));
    metrics.withheld.set(i64::try_from(withheld).unwrap_or(i64::MAX));
    if let Some(witnesses) = &service.running.witnesses {
        metrics.set_witnesses(&witnesses.report());
    }
    match &service.running.cluster {
        Some(cluster) => {
            let leads = cluster.require_lead(0).is_ok();
            metrics.set_cluster(leads, &cluster.standing(), service.running.current().size(), now_ms());
        }
        None => metrics.set_cluster(true, &Standing::alone(), 0, 0),
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    HttpResponse::Ok().insert_header((CONTENT_TYPE, kind)).body(metrics.text())
}

/// A path that takes `allow`, and answers every other method with 405.
fn path(path: &str, allow: &'static str) -> Resource {
    web::resource(path.to_owned()).default_service(web::route().to(move |request: HttpRequest| async move {
        let detail = format!("{} is not possible here, but {allow} is", request.method());
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, detail);
        Err::<HttpResponse, _>(Problem { allow: Some(allow), ..problem })
    }))
}

/// Every path.
pub fn routes(config: &mut web::ServiceConfig) {
    let get = |at: &str, handler: Route| path(at, "GET").route(handler);
    let post = |at: &str, handler: Route| path(at, "POST").route(handler);
    // Paths are tried in this order, so those that a round is played through come first.
    config
        .service(post("/v1/tables/{table}/bets", web::post().to(rounds::bet)))
        .service(post("/v1/rounds/{id}/reveals", web::post().to(rounds::reveal)))
        .service(post("/v1/rounds/{id}/late-seeds", web::post().to(rounds::late_seed)))
        .service(
            path("/v1/rounds/{id}/actions", "GET, POST")
                .route(web::get().to(rounds::legal_actions))
                .route(web::post().to(rounds::act)),
        )
        .service(post("/v1/rounds/{id}/commitments", web::post().to(rounds::commit)))
        .service(post("/v1/tables/{table}/commitment", web::post().to(rounds::try_commitment)))
        .service(path("/v1/tables/{table}/bets/{round_no}", "DELETE").route(web::delete().to(rounds::cancel)))
        .service(
            path("/v1/tables/{table}/seat", "POST, DELETE")
                .route(web::post().to(seats::take))
                .route(web::delete().to(seats::leave)),
        )
        .service(post("/v1/tables/{table}/sit_out", web::post().to(seats::sit_out)))
        .service(post("/v1/tables/{table}/chips", web::post().to(seats::add_chips)))
        .service(post("/v1/tables/{table}/waiting", web::post().to(seats::want)))
        .service(post("/v1/tables/{table}/seats/{seat}/unseat", web::post().to(seats::unseat)))
        .service(get("/v1/tables/{table}/entries", web::get().to(entries::table_entries)))
        .service(post("/v1/tournaments/{tournament}/draws/{draw_no}/reveals", web::post().to(tournaments::reveal)))
        .service(
            path("/v1/tournaments/{tournament}/registration", "POST, DELETE")
                .route(web::post().to(tournaments::register))
                .route(web::delete().to(tournaments::unregister)),
        )
        .service(post("/v1/tournaments/{tournament}/rebuy", web::post().to(tournaments::rebuy)))
        .service(post("/v1/tournaments/{tournament}/decline_rebuy", web::post().to(tournaments::decline_rebuy)))
        .service(post("/v1/tournaments/{tournament}/add_on", web::post().to(tournaments::add_on)))
        .service(post("/v1/tournaments/{tournament}/stakes", web::post().to(tournaments::offer_stake)))
        .service(post("/v1/tournaments/{tournament}/stakes/{seller}", web::post().to(tournaments::buy_stake)))
        .service(post("/v1/tournaments/{tournament}/deal/wish", web::post().to(tournaments::want_deal)))
        .service(post("/v1/tournaments/{tournament}/deal/proposals", web::post().to(tournaments::propose_deal)))
        .service(post("/v1/tournaments/{tournament}/deal/answers", web::post().to(tournaments::answer_deal)))
        // A browser's page. Whoever looks whether it is there asks by HEAD.
        .service(path("/", "GET, HEAD").route(page::read().to(page::room)))
        .service(path("/play/{table}", "GET, HEAD").route(page::read().to(page::named)))
        .service(path("/tournament/{tournament}", "GET, HEAD").route(page::read().to(page::named)))
        .service(path("/round/{id}", "GET, HEAD").route(page::read().to(page::round)))
        .service(path("/log", "GET, HEAD").route(page::read().to(page::room)))
        .service(path("/docs", "GET, HEAD").route(page::read().to(page::room)))
        .service(path("/page/{version}/{file}", "GET, HEAD").route(page::read().to(page::file)))
        .service(get("/healthz", web::get().to(healthz)))
        .service(get("/readyz", web::get().to(readyz)))
        .service(get("/v1/cluster", web::get().to(cluster::cluster)))
        .service(get("/metrics", web::get().to(metrics)))
        .service(get("/openapi.yaml", web::get().to(page::contract)))
        .service(get("/verify", web::get().to(verify_page::page)))
        .service(get("/checkpoint/witnessed", web::get().to(log::witnessed)))
        // Caches and file mirrors ask by HEAD whether they hold the newest.
        .service(
            path("/checkpoint", "GET, HEAD")
                .route(web::get().to(log::checkpoint))
                .route(web::head().to(log::checkpoint)),
        )
        .service(path("/tile/{path:.*}", "GET, HEAD").route(web::get().to(log::tile)).route(web::head().to(log::tile)))
        .service(get("/state/{size}", web::get().to(log::state)))
        .service(get("/v1/log", web::get().to(log::describe)))
        .service(get("/v1/names", web::get().to(players::names)))
        .service(get("/v1/receipts/{index}", web::get().to(log::receipt)))
        .service(get("/v1/entries/{index}", web::get().to(log::entry)))
        .service(
            path("/v1/players", "GET, POST").route(web::get().to(players::list)).route(web::post().to(players::create)),
        )
        .service(get("/v1/players/{player}/transactions", web::get().to(find::transactions)))
        .service(post("/v1/guests", web::post().to(players::admit_guest)))
        .service(get("/v1/players/{player}", web::get().to(players::show)))
        .service(post("/v1/players/{player}/credit", web::post().to(players::credit)))
        .service(post("/v1/players/{player}/withdraw", web::post().to(players::withdraw)))
        .service(post("/v1/players/{player}/correct", web::post().to(players::correct)))
        .service(post("/v1/players/{player}/key", web::post().to(players::set_key)))
        .service(post("/v1/players/{player}/limits", web::post().to(players::set_limit)))
        .service(post("/v1/players/{player}/exclusion", web::post().to(players::exclude)))
        .service(post("/v1/players/{player}/tokens", web::post().to(players::new_token)))
        .service(post("/v1/players/{player}/tickets", web::post().to(tickets::issue)))
        .service(post("/v1/tickets/exchange", web::post().to(tickets::exchange)))
        .service(post("/v1/players/{player}/transfers", web::post().to(transfers::send)))
        .service(post("/v1/transfers", web::post().to(transfers::claim)))
        .service(get("/v1/players/{player}/wallet", web::get().to(wallet::of_player)))
        .service(post("/v1/players/{player}/wallet/deposits", web::post().to(wallet::deposit)))
        .service(post("/v1/players/{player}/wallet/withdrawals", web::post().to(wallet::withdraw)))
        .service(get("/v1/wallet/{no}", web::get().to(wallet::show)))
        .service(post("/v1/wallet/{no}/cancel", web::post().to(wallet::cancel)))
        .service(
            path("/v1/logs", "GET, POST").route(web::get().to(transfers::known)).route(web::post().to(transfers::know)),
        )
        .service(get("/v1/players/{player}/rounds", web::get().to(rounds::of_player)))
        .service(get("/v1/players/{player}/recall", web::get().to(records::of_player)))
        .service(post("/v1/auditors", web::post().to(players::new_auditor)))
        .service(get("/v1/rulesets", web::get().to(tables::rule_sets)))
        .service(get("/v1/rulesets/{name}", web::get().to(tables::rule_set)))
        .service(path("/v1/tables", "GET, POST").route(web::get().to(tables::list)).route(web::post().to(tables::open)))
        .service(get("/v1/tables/{table}", web::get().to(tables::show)))
        .service(get("/v1/tables/{table}/shoe", web::get().to(tables::current_shoe)))
        .service(post("/v1/tables/{table}/close", web::post().to(tables::close)))
        .service(post("/v1/tables/{table}/close_bets", web::post().to(seats::close_bets)))
        .service(post("/v1/tables/{table}/shuffle", web::post().to(seats::shuffle)))
        .service(get("/v1/tables/{table}/rounds", web::get().to(rounds::of_table)))
        .service(get("/v1/tables/{table}/events", web::get().to(stream::table_events)))
        .service(get("/v1/shoes/{table}/{shoe_no}", web::get().to(tables::shoe)))
        .service(
            path("/v1/shoes/{table}/{shoe_no}/disclosure", "GET, POST")
                .route(web::get().to(disclosures::show))
                .route(web::post().to(disclosures::disclose)),
        )
        .service(get("/v1/structures", web::get().to(tournaments::structures)))
        .service(get("/v1/structures/{name}", web::get().to(tournaments::structure)))
        .service(
            path("/v1/tournaments", "GET, POST")
                .route(web::get().to(tournaments::list))
                .route(web::post().to(tournaments::create)),
        )
        .service(get("/v1/tournaments/{tournament}", web::get().to(tournaments::show)))
        .service(get("/v1/tournaments/{tournament}/standings", web::get().to(tournaments::standings)))
        .service(get("/v1/tournaments/{tournament}/tables", web::get().to(tournaments::tables)))
        // A tournament has a sequence of its own on the log, as a table has.
        .service(get("/v1/tournaments/{tournament}/entries", web::get().to(entries::table_entries)))
        .service(get("/v1/tournaments/{tournament}/events", web::get().to(stream::table_events)))
        .service(post("/v1/tournaments/{tournament}/bounties", web::post().to(tournaments::set_bounty)))
        .service(post("/v1/tournaments/{tournament}/disqualify", web::post().to(tournaments::disqualify)))
        .service(post("/v1/tournaments/{tournament}/substitutes", web::post().to(tournaments::substitute)))
        .service(post(
            "/v1/tournaments/{tournament}/registration_times",
            web::post().to(tournaments::change_registration),
        ))
        .service(post("/v1/tournaments/{tournament}/postpone", web::post().to(tournaments::postpone)))
        .service(post("/v1/tournaments/{tournament}/cancel", web::post().to(tournaments::cancel)))
        .service(get("/v1/rounds", web::get().to(find::rounds)))
        .service(get("/v1/rounds/{id}", web::get().to(rounds::show)))
        .service(post("/v1/rounds/{id}/void", web::post().to(rounds::void)))
        .service(get("/v1/rounds/{id}/bundle", web::get().to(bundles::bundle)))
        .service(get("/v1/tables/{table}/bundle", web::get().to(bundles::of_table)))
        .service(get("/v1/rounds/{id}/recall", web::get().to(records::of_round)))
        .service(get("/v1/export", web::get().to(records::export)))
        .service(get("/v1/significant", web::get().to(records::significant)))
        .service(post("/v1/verify", web::post().to(rounds::verify)))
        .default_service(web::to(no_such_path));
}

/// Notes that a request came, counts its reply, notes what the connection is doing, and paces the reply.
pub async fn counted(
    service: web::Data<Service>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let line = request.conn_data::<Connected>().map(|connected| connected.line().clone());
    if let Some(line) = &line {
        body::watch(line, &mut request);
    }
    let reply = match next.call(request).await {
        Ok(reply) => {
            if let Some(problem) = reply.response().error().and_then(|error| error.as_error::<Problem>()) {
                count(&service, problem);
            }
            let (status, reply) = (reply.status(), paced::paced(&service, reply));
            if reply.status() != status {
                // There is no room for a reply of that length.
                line.iter().for_each(|line| line.does(Doing::Waiting));
                sleep(TOO_MANY_WAIT).await;
            }
            Ok(reply)
        }
        Err(error) => {
            line.iter().for_each(|line| line.sent());
            Err(error)
        }
    };
    count_reply(
        &service,
        match &reply {
            Ok(reply) => reply.status(),
            Err(error) => error.as_response_error().status_code(),
        },
    );
    reply
}

/// The refusal of one request too many waits so long, and of one for which there is no time: a client who sends without end
/// costs less.
const TOO_MANY_WAIT: Duration = Duration::from_millis(250);

/// They are answered however little memory is left.
const WATCHED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The longest path and query, in bytes.
const MOST_TARGET: usize = 2 << 10;

/// Refuses a request that is one too many, and one that another node must decide.
pub async fn admitted(
    service: web::Data<Service>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let line = request.conn_data::<Connected>().map(|connected| connected.line().clone());
    let does = |doing| line.iter().for_each(|line| line.does(doing));
    let admitted = request::Caller::admit(request.request());
    let is_strangers = request::is_strangers(request.request());
    // An operator's watch looks on.
    let takes_turns = is_strangers && !WATCHED.contains(&request.path()) && service.budget.is_tight();
    let one = takes_turns.then(|| service.budget.place_of_one());
    let is_shed = matches!(one, Some(None));
    let admitted = admitted.and_then(|()| if is_shed { Err(busy("little memory is left")) } else { Ok(()) });
    // Before it is routed: *every pattern of a path is tried against all of it.*
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let admitted = admitted.and_then(|()| if target > MOST_TARGET { Err(target_too_long()) } else { Ok(()) });
    let holder = request::holder(request.request());
    if admitted.is_err() {
        does(Doing::Waiting);
        sleep(TOO_MANY_WAIT).await;
    } else if let Some(holder) = holder.as_ref().filter(|_| !is_strangers) {
        line.iter().for_each(|line| line.showed_a_token(holder));
    }
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let head: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let is_play = !is_strangers
        && framing::is_short(reads, head.saturating_add(target), line.as_ref().map_or(0, |line| line.body_left()));
    let whose = request::sender(request.request(), holder);
    request.conn_data::<Rc<Payer>>().iter().for_each(|payer| payer.is(whose.clone(), is_play));
    // The operator is never held up.
    let share = request.app_data::<Rc<Share>>().cloned().zip(whose);
    let body = request.extensions_mut().remove::<body::Body>();
    let answer = async {
        let elsewhere = || service.running.require_lead(0).err().filter(|_| needs_decision(&request));
        let mut reply = match admitted.err().or_else(|| elsewhere().map(Problem::from)) {
            None => {
                let reply = next.call(request).await?.map_into_boxed_body();
                // *Eight players asked 22,000 times a second for what nobody had time.*
                if reply.status() == StatusCode::SERVICE_UNAVAILABLE {
                    sleep(TOO_MANY_WAIT).await;
                }
                match share.as_ref().filter(|_| is_play && paced::takes_long_to_pack(&reply)) {
                    Some((share, whose)) => {
                        share.turn(whose).await;
                        share.spend(whose, async { paced::packed(reply) }).await
                    }
                    None => paced::packed(reply),
                }
            }
            Some(problem) => {
                count(&service, &problem);
                request.into_response(problem.error_response()).map_into_boxed_body()
            }
        };
        if let Some(body) = body
            && !body.finish().await
        {
            // It is not known where its next request begins.
            reply.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        }
        drop(one);
        Ok(reply)
    };
    match share.as_ref() {
        Some((share, whose)) if !is_play => {
            does(Doing::Waiting);
            share.turn(whose).await;
            does(Doing::Working);
            share.spend(whose, answer).await
        }
        Some((share, whose)) => {
            does(Doing::Working);
            is_played();
            share.play(whose, answer).await
        }
        None => {
            does(Doing::Working);
            answer.await
        }
    }
}

/// Whether a request is for the node that leads. It is asked before anything else of the request is answered: *a node that is
/// behind would say of a new token that it is none, and of a tree that the leader has signed that the log never had it.*
fn needs_decision(request: &ServiceRequest) -> bool {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    !reads && request.path() != "/v1/verify"
}

/// Counts a reply by its status.
fn count_reply(service: &Service, status: StatusCode) {
    service.running.metrics.replies.get_or_create(&Status { status: status.as_u16() }).inc();
}

fn target_too_long() -> Problem {
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    Problem::new(status, ErrorCode::HeadTooLarge, "the path and query of a request have at most 2 KiB here")
}

/// The problem of a query string that is not the call's.
pub fn bad_query(error: &actix_web::error::QueryPayloadError) -> Problem {
    Problem::malformed(format!("the query is not what this call takes: {error}"))
}
