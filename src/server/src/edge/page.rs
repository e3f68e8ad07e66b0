//! The page in a browser (spec/page.md, 1): the addresses of its rooms, which one document answers, and its files.

use crate::edge::cached::{FOR_EVER, has, takes_gzip};
use crate::edge::problem::{Problem, no_such_path};
use crate::edge::request::{round_id, table_id};
use actix_web::guard::{Any, Get, Head};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETag, EntityTag, VARY,
};
use actix_web::{HttpRequest, HttpResponse, Route, web};
use fairshoe_page::{File, PAGE};
use std::sync::LazyLock;

/// Nothing from elsewhere, and no script or style but in a file of its own: text that becomes markup runs nothing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `Cache-Control` of what the next version may change: kept, and asked for by its tag each time.
pub const ASKED_ANEW: &str = "no-cache";

static CONTRACT: LazyLock<File> =
    LazyLock::new(|| File::new("application/yaml", include_bytes!("../../../../openapi.yaml").as_slice().into()));

/// A route for GET and HEAD.
pub fn read() -> Route {
    web::route().guard(Any(Get()).or(Head()))
}

/// A file as its client takes it, or that it has it.
fn send(http: &HttpRequest, file: &'static File, cached: &'static str) -> HttpResponse {
    send_under(POLICY, http, file, cached)
}

/// The same under a content policy of its own.
pub fn send_under(policy: &'static str, http: &HttpRequest, file: &'static File, cached: &'static str) -> HttpResponse {
    let is_packed = takes_gzip(http);
    // Each form has its own: a cache must not take one for the other.
    let tag = EntityTag::new_strong(format!("{}{}", file.digest, if is_packed { "-gzip" } else { "" }));
    let is_known = has(http, &tag);
    let mut reply = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    reply
        .insert_header((CACHE_CONTROL, cached))
        .insert_header(ETag(tag))
        .insert_header((VARY, "accept-encoding"))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header(("x-content-type-options", "nosniff"))
        .insert_header(("referrer-policy", "no-referrer"))
        .insert_header(("cross-origin-opener-policy", "same-origin"));
    if is_known {
        return reply.finish();
    }
    reply.insert_header((CONTENT_TYPE, file.kind));
    if is_packed {
        return reply.insert_header((CONTENT_ENCODING, "gzip")).body(file.packed());
    }
    reply.body(file.bytes.as_ref())
}

/// `GET /`, `GET /log`, `GET /docs`
pub async fn room(http: HttpRequest) -> HttpResponse {
    send(&http, &PAGE.document, ASKED_ANEW)
}

/// `GET /openapi.yaml`
pub async fn contract(http: HttpRequest) -> HttpResponse {
    send(&http, &CONTRACT, ASKED_ANEW)
}

/// `GET /play/{table}` and `GET /tournament/{tournament}`: names have one form.
pub async fn named(http: HttpRequest, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    match table_id(&path) {
        Ok(_) => Ok(room(http).await),
        Err(_) => no_such_path().await,
    }
}

/// `GET /round/{id}`
pub async fn round(http: HttpRequest, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    match round_id(&path) {
        Ok(_) => Ok(room(http).await),
        Err(_) => no_such_path().await,
    }
}

/// `GET /page/{version}/{file}`
pub async fn file(http: HttpRequest, path: web::Path<(String, String)>) -> Result<HttpResponse, Problem> {
    match PAGE.file(&path.0, &path.1) {
        Some(file) => Ok(send(&http, file, FOR_EVER)),
        None => no_such_path().await,
    }
}
