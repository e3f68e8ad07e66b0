//! A witness over HTTP: the paths and statuses of c2sp.org/tlog-witness. Whether to cosign `memory.rs` decides.

use super::memory::{Memory, NotCosigned};
use super::places::Places;
use crate::outcome::{UnusableInput, say};
use actix_http::error::DispatchError;
use actix_http::{HttpServiceBuilder, KeepAlive};
use actix_server::Server;
use actix_service::{IntoServiceFactory, Service, ServiceFactoryExt, apply_fn_factory, map_config};
use actix_web::dev::AppConfig;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::rt::net::TcpStream;
use actix_web::{App, HttpResponse, web};
use fairshoe_tlog::{AddCheckpoint, MAX_ADD_CHECKPOINT, WitnessRefusal};
use std::fmt::Write as _;
use std::future::ready;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

type Shared = web::Data<Mutex<Memory>>;

fn text(status: StatusCode, body: String) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(body)
}

/// `POST /add-checkpoint`. One request at a time: check and store are one step.
async fn add_checkpoint(memory: Shared, body: web::Bytes) -> HttpResponse {
    let request = match AddCheckpoint::parse(&body) {
        Ok(request) => request,
        Err(malformed) => return text(StatusCode::BAD_REQUEST, format!("{malformed}\n")),
    };
    let memory: Arc<Mutex<Memory>> = memory.into_inner();
    let answer =
        web::block(move || memory.lock().unwrap_or_else(PoisonError::into_inner).add_checkpoint(&request)).await;
    match answer {
        Ok(Ok(line)) => text(StatusCode::OK, line),
        Ok(Err(NotCosigned::Refused(WitnessRefusal::Conflict(size)))) => {
            HttpResponse::Conflict().insert_header((CONTENT_TYPE, "text/x.tlog.size")).body(format!("{size}\n"))
        }
        Ok(Err(NotCosigned::Refused(refusal))) => {
            let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_REQUEST);
            text(status, format!("{refusal}\n"))
        }
        Ok(Err(NotCosigned::Failed(why))) => {
            say(format!("nothing was cosigned: {why}"));
            text(StatusCode::INTERNAL_SERVER_ERROR, "the witness cannot store what it would cosign\n".into())
        }
        Err(e) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{e}\n")),
    }
}

/// `GET /`: who this is and what it saw, for people.
async fn about(memory: Shared) -> HttpResponse {
    let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    let mut page = format!("fairshoe witness\nkey {}\n", memory.verifier_key());
    for (key, size) in memory.logs() {
        let _ = writeln!(page, "log {key} size {size}");
    }
    text(StatusCode::OK, page)
}

/// `GET /checkpoint?origin=…`: the last checkpoint that this witness cosigned of a log, for monitors.
async fn checkpoint(memory: Shared, query: web::Query<Asked>) -> HttpResponse {
    shown(memory.lock().unwrap_or_else(PoisonError::into_inner).last(&query.origin))
}

fn shown(last: Option<Vec<u8>>) -> HttpResponse {
    match last.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(note) => text(StatusCode::OK, note),
        None => text(StatusCode::NOT_FOUND, "nothing was cosigned of a log of this origin\n".into()),
    }
}

/// `GET /HASH/checkpoint`: the same by the SHA-256 of the log's name, where c2sp.org/tlog-witness has it.
async fn checkpoint_by_hash(memory: Shared, hash: web::Path<String>) -> HttpResponse {
    shown(memory.lock().unwrap_or_else(PoisonError::into_inner).last_by_hash(&hash))
}

#[derive(serde::Deserialize)]
struct Asked {
    origin: String,
}

/// Serves until the process is told to stop: one request for each connection, so that what is sent ahead and never
/// read costs nothing.
pub fn run(listen: SocketAddr, memory: Memory) -> Result<(), UnusableInput> {
    let key = memory.verifier_key().to_string();
    let memory = web::Data::new(Mutex::new(memory));
    let factory = move || {
        let (memory, places) = (memory.clone(), Rc::new(Places::new()));
        let app = App::new()
            .app_data(memory)
            .app_data(web::PayloadConfig::new(MAX_ADD_CHECKPOINT))
            .route("/", web::get().to(about))
            .route("/checkpoint", web::get().to(checkpoint))
            .route("/{hash}/checkpoint", web::get().to(checkpoint_by_hash))
            .route("/add-checkpoint", web::post().to(add_checkpoint));
        let http = HttpServiceBuilder::default()
            .keep_alive(KeepAlive::Disabled)
            .h1(map_config(app.into_factory().map_err(|error| error.error_response()), |()| AppConfig::default()));
        apply_fn_factory(http, move |socket: TcpStream, http| {
            if let Ok(peer) = socket.peer_addr() {
                places.take(peer.ip(), Service::call(http, (socket, Some(peer))));
            }
            ready(Ok::<_, DispatchError>(()))
        })
    };
    actix_web::rt::System::new().block_on(async {
        let failed = |e| UnusableInput::new(format!("cannot listen on {listen}: {e}"));
        let listener = TcpListener::bind(listen).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let server = Server::build()
            .workers(1)
            .worker_max_blocking_threads(4)
            .listen("http", listener, factory)
            .map_err(failed)?;
        say(format!("witness {key} at http://{address}"));
        server.run().await.map_err(UnusableInput::new)
    })
}
