//! A witness over HTTP: the paths and statuses of c2sp.org/tlog-witness. Whether to cosign `memory.rs` decides.

use super::memory::{Memory, NotCosigned};
use crate::outcome::{UnusableInput, say};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{App, HttpResponse, HttpServer, web};
use fairshoe_tlog::{AddCheckpoint, MAX_ADD_CHECKPOINT, WitnessRefusal};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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

/// Serves until the process is told to stop.
pub fn run(listen: SocketAddr, memory: Memory) -> Result<(), UnusableInput> {
    let key = memory.verifier_key().to_string();
    let memory = web::Data::new(Mutex::new(memory));
    let app = move || {
        App::new()
            .app_data(memory.clone())
            .app_data(web::PayloadConfig::new(MAX_ADD_CHECKPOINT))
            .route("/", web::get().to(about))
            .route("/checkpoint", web::get().to(checkpoint))
            .route("/{hash}/checkpoint", web::get().to(checkpoint_by_hash))
            .route("/add-checkpoint", web::post().to(add_checkpoint))
    };
    actix_web::rt::System::new().block_on(async {
        let server = HttpServer::new(app)
            .workers(1)
            .keep_alive(Duration::from_secs(75))
            .client_request_timeout(Duration::from_secs(10))
            .bind(listen)
            .map_err(|e| UnusableInput::new(format!("cannot listen on {listen}: {e}")))?;
        for address in server.addrs() {
            say(format!("witness {key} at http://{address}"));
        }
        server.run().await.map_err(UnusableInput::new)
    })
}
