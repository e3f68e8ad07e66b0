//! Pages of other origins that the operator lets read replies (spec/page.md, 1.4): those listed, each by its exact
//! name, and never with what a browser would add by itself.

use crate::Service;
use actix_web::body::{BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderValue, ORIGIN, VARY,
};
use actix_web::middleware::Next;
use actix_web::{HttpResponse, web};

/// The headers that a page may send beside those that every page may.
const HEADERS: &str = "authorization, content-type, fairshoe-signature, idempotency-key, if-none-match, last-event-id";

/// The headers that it may read beside those that every page may.
const EXPOSED: &str = "etag, retry-after";

/// Answers a browser that asks whether a page may send a request, and names the page's origin in replies to it.
pub async fn shared(
    service: web::Data<Service>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody, BoxBody>>, actix_web::Error> {
    let allowed = &service.cors_origins;
    if allowed.is_empty() {
        return next.call(request).await.map(ServiceResponse::map_into_left_body);
    }
    let mut origins = request.headers().get_all(ORIGIN);
    let origin = origins.next().filter(|origin| allowed.iter().any(|known| known.as_bytes() == origin.as_bytes()));
    let origin = origin.filter(|_| origins.next().is_none()).cloned();
    let asks = *request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    // One too many is refused as any other request is.
    let mut reply = match origin.is_some() && asks && service.limits.address(request.request()).is_ok() {
        true => {
            let mut reply = HttpResponse::NoContent();
            reply.insert_header((ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, DELETE"));
            reply.insert_header((ACCESS_CONTROL_ALLOW_HEADERS, HEADERS)).insert_header((ACCESS_CONTROL_MAX_AGE, "600"));
            request.into_response(reply.finish()).map_into_right_body()
        }
        false => next.call(request).await?.map_into_left_body(),
    };
    let headers = reply.headers_mut();
    // A cache must not give one origin's reply to another.
    headers.append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    Ok(reply)
}
