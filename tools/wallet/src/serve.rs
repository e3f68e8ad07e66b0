//! `serve`: the calls of spec/wallet.yaml over HTTP. `database.rs` decides their results. A reply tells only stored
//! results; while the database is away the reply is 503, and the house asks again.

use crate::cli::ServeArgs;
use crate::client::read_token;
use crate::database::{Away, Database, Outcome};
use crate::operation::{Asked, Call, MOST, Page, is_log};
use crate::problem::{Code, Problem};
use crate::{Unusable, say};
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, Resource, web};
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The longest body of a call: the longest names fill less than a tenth of it.
const MOST_BODY: usize = 4 << 10;

/// The part of a longer body that is read and dropped, so that its sender gets the refusal.
const MOST_READ: usize = 1 << 20;

/// The longest time for a body to arrive.
const BODY_TIME: Duration = Duration::from_secs(5);

/// How long `/readyz`, which is open to all, repeats its answer without asking the database.
const READY_FOR: Duration = Duration::from_millis(500);

/// The most connections at a time for each of the two workers.
const MOST_CONNECTIONS: usize = 128;

struct Wallet {
    database: Database,
    token: String,
    delay: Duration,
    /// Logs once when the database goes, and once when it is back.
    away: AtomicBool,
    ready: Mutex<Option<(Instant, bool)>>,
}

impl Wallet {
    /// Compares the call's token in constant time.
    fn require_token(&self, request: &HttpRequest) -> Result<(), Problem> {
        let refused =
            || Problem::new(Code::Unauthorized, "send `Authorization: Bearer TOKEN`, with the token of this wallet");
        let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).ok_or_else(refused)?;
        let (scheme, given) = header.split_once(' ').ok_or_else(refused)?;
        let differ = self.token.bytes().zip(given.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        if !scheme.eq_ignore_ascii_case("bearer") || self.token.len() != given.len() || differ != 0 {
            return Err(refused());
        }
        Ok(())
    }

    fn unavailable(&self, why: &Away) -> Problem {
        if !self.away.swap(true, Ordering::Relaxed) {
            say(format!("the database is away, and nothing is answered: {why}"));
        }
        Problem::new(Code::Unavailable, "nothing is known now; ask again")
    }

    fn is_back(&self) {
        if self.away.swap(false, Ordering::Relaxed) {
            say("the database is back");
        }
    }
}

/// Runs to its end even if the connection is lost: a half-done call must not be dropped.
async fn to_its_end<T: 'static>(work: impl Future<Output = Result<T, Problem>> + 'static) -> Result<T, Problem> {
    actix_web::rt::spawn(work).await.unwrap_or_else(|_| Err(Problem::new(Code::Unavailable, "ask again")))
}

async fn call(
    wallet: web::Data<Wallet>,
    request: HttpRequest,
    payload: web::Payload,
    call: Call,
) -> Result<HttpResponse, Problem> {
    wallet.require_token(&request).map_err(Problem::and_end)?;
    let body = match timeout(BODY_TIME, read(payload)).await {
        Ok(body) => body?,
        Err(_) => return Err(Problem::new(Code::RequestTimeout, "the body did not come in time").and_end()),
    };
    let asked = Asked::parse(&body).map_err(|why| Problem::new(Code::Malformed, why))?;
    to_its_end(async move {
        let outcome = wallet.database.call(call, &asked).await.map_err(|why| wallet.unavailable(&why))?;
        wallet.is_back();
        if !wallet.delay.is_zero() {
            tokio::time::sleep(wallet.delay).await;
        }
        match outcome {
            Outcome::Stands(operation) => Ok(stored(&operation)),
            Outcome::Other => Err(Problem::new(
                Code::OtherOperation,
                format!("operation {} of this log has another player, amount or kind", asked.no),
            )),
            Outcome::OutOfOrder(Some(state)) => {
                Err(Problem::new(Code::OutOfOrder, format!("operation {} is {state}: no {call} follows", asked.no)))
            }
            Outcome::OutOfOrder(None) => {
                Err(Problem::new(Code::OutOfOrder, format!("operation {} is unknown: no {call} begins one", asked.no)))
            }
        }
    })
    .await
}

fn stored(body: &impl serde::Serialize) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(body)
}

async fn read(mut payload: web::Payload) -> Result<Vec<u8>, Problem> {
    let (mut body, mut read) = (Vec::new(), 0_usize);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|e| Problem::new(Code::Malformed, e.to_string()).and_end())?;
        read = read.saturating_add(chunk.len());
        if read > MOST_READ {
            break;
        }
        if read <= MOST_BODY {
            body.extend_from_slice(&chunk);
        }
    }
    if read > MOST_BODY {
        return Err(Problem::new(Code::Malformed, format!("a body is at most {MOST_BODY} bytes")).and_end());
    }
    Ok(body)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    log: String,
    from: i64,
}

async fn statement(wallet: web::Data<Wallet>, request: HttpRequest) -> Result<web::Json<Page>, Problem> {
    wallet.require_token(&request)?;
    let query = web::Query::<Query>::from_query(request.query_string())
        .map_err(|e| Problem::new(Code::Malformed, format!("the query is `log` and `from`, a number: {e}")))?;
    if !is_log(&query.log) || !(0..=MOST).contains(&query.from) {
        return Err(Problem::new(
            Code::Malformed,
            format!("`log` is a log's name, and `from` a number from 0 to {MOST}"),
        ));
    }
    let page = wallet.database.page(&query.log, query.from).await.map_err(|why| wallet.unavailable(&why))?;
    wallet.is_back();
    Ok(web::Json(page))
}

async fn ready(wallet: web::Data<Wallet>) -> HttpResponse {
    // Held while the database is asked: many requests cause one question.
    let mut known = wallet.ready.lock().await;
    let is_ready = match *known {
        Some((at, is_ready)) if at.elapsed() < READY_FOR => is_ready,
        _ => wallet.database.answers().await,
    };
    *known = Some((Instant::now(), is_ready));
    let mut reply = if is_ready { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    reply.insert_header((CACHE_CONTROL, "no-store")).json(json!({ "ready": is_ready }))
}

fn path(path: &str, allow: &'static str) -> Resource {
    let wrong = move || async move { Err::<HttpResponse, _>(Problem::wrong_method(allow)) };
    web::resource(path.to_owned()).default_service(web::route().to(wrong))
}

/// Serves until the process is told to stop; calls in progress are answered first.
///
/// # Errors
/// If the token, the database or the address cannot be used, and why.
pub fn run(args: &ServeArgs) -> Result<(), Unusable> {
    use signal_hook::consts::{SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ};
    // By default they would end the process; here they are ignored.
    for signal in [SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ] {
        signal_hook::flag::register(signal, std::sync::Arc::default()).map_err(Unusable::new)?;
    }
    let token = read_token(&args.token_file)?;
    actix_web::rt::System::new().block_on(async {
        let database = Database::open(&args.database.url, usize::from(args.connections)).await?;
        let wallet = web::Data::new(Wallet {
            database,
            token,
            delay: Duration::from_millis(args.delay_ms),
            away: AtomicBool::new(false),
            ready: Mutex::new(None),
        });
        let app = move || {
            let mut app = App::new()
                .app_data(wallet.clone())
                .service(path("/v1/statement", "GET").route(web::get().to(statement)))
                .service(path("/readyz", "GET").route(web::get().to(ready)));
            for which in Call::ALL {
                let handler = move |wallet: web::Data<Wallet>, request: HttpRequest, payload: web::Payload| {
                    call(wallet, request, payload, which)
                };
                app = app.service(path(which.path(), "POST").route(web::post().to(handler)));
            }
            app.default_service(web::route().to(|| async {
                Err::<HttpResponse, _>(Problem::new(
                    Code::NotFound,
                    "there is nothing at this path: see spec/wallet.yaml",
                ))
            }))
        };
        let server = HttpServer::new(app)
            .workers(2)
            .max_connections(MOST_CONNECTIONS)
            .keep_alive(Duration::from_secs(75))
            .client_request_timeout(Duration::from_secs(5))
            .shutdown_timeout(10)
            .bind(args.listen)
            .map_err(|e| Unusable::new(format!("cannot listen on {}: {e}: say another --listen", args.listen)))?;
        for address in server.addrs() {
            say(format!("answers at http://{address}"));
        }
        server.run().await.map_err(Unusable::new)
    })
}
