//! The HTTP server: actix-http over connections that are looked after (`Wire`), on the workers of actix-server.
//!
//! It is put together as `actix_web::HttpServer` does it. That one takes bare sockets alone, and then nothing can stand
//! between the parser of requests and the client: see `Wire`.

use crate::Service;
use crate::edge::wire::{HEAD_TIME, Wire};
use crate::edge::{self, cors, network};
use crate::ops::config::Config;
use actix_http::error::DispatchError;
use actix_http::{HttpServiceBuilder, KeepAlive};
use actix_server::Server;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, apply_fn_factory, fn_service, map_config};
use actix_web::dev::AppConfig;
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use actix_web::{App, web};
use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_send_buffer_size, set_tcp_nodelay};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::rc::Rc;
use std::time::Duration;
use tracing::debug;

/// Connections beyond the most that actix may still be closing: an eighth of them, within these bounds. Each may hold
/// as much as an open one.
const CLOSING: (usize, usize) = (64, 256);

/// The system keeps so many bytes of replies that a client does not read yet; Linux doubles it, and says that there is
/// room if a third of that is free. So a client who takes 45,000 bytes within the write timeout is seen to read.
const SEND_BUFFER: usize = 64 << 10;

/// The system keeps so many incoming bytes that are not read yet; Linux doubles it.
const RECEIVE_BUFFER: usize = 128 << 10;

/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// How long the rest of a body that is refused is waited for.
const REST_TIME: Duration = Duration::from_secs(5);

/// Bounds the buffers in the system of what is accepted, which has its listener's options.
fn bound(listener: &TcpListener) {
    // A reply that leaves in two pieces must not wait for the client to acknowledge the first, which takes 40
    // ms.
    if let Err(failure) = set_tcp_nodelay(listener, true) {
        debug!(%failure, "connections keep their small packets back");
    }
    // *Unread replies lie in the system's memory, which no budget counts.*
    if let Err(failure) = set_socket_send_buffer_size(listener, SEND_BUFFER) {
        debug!(%failure, "send buffers are as large as the system makes them");
    }
    // *Nothing is read while a stream is open, and the client sends on.*
    if let Err(failure) = set_socket_recv_buffer_size(listener, RECEIVE_BUFFER) {
        debug!(%failure, "receive buffers are as large as the system makes them");
    }
}

/// Serves what comes to the listener, at most so many connections at once, until it is stopped.
pub fn serve(
    service: &web::Data<Service>,
    listener: TcpListener,
    config: &Config,
    most_connections: usize,
) -> std::io::Result<Server> {
    bound(&listener);
    let builder = Server::build();
    let stop = builder.graceful_shutdown_signal();
    let (service, workers) = (service.clone(), config.workers);
    let factory = move || {
        let (stop, served, share) = (stop.clone(), service.clone(), Rc::new(edge::Share::of_workers(workers)));
        let app = App::new()
            .app_data(service.clone())
            .app_data(share.clone())
            .app_data(web::PayloadConfig::new(edge::MAX_BUNDLE_BODY))
            .app_data(web::QueryConfig::default().error_handler(|error, _| edge::bad_query(&error).into()))
            .wrap(from_fn(edge::admitted))
            .wrap(from_fn(cors::shared))
            .wrap(from_fn(edge::counted))
            .configure(edge::routes);
        let http = HttpServiceBuilder::default()
            .graceful_shutdown_signal(move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            })
            .keep_alive(KeepAlive::Timeout(KEEP_ALIVE))
            .client_request_timeout(HEAD_TIME)
            .client_disconnect_timeout(REST_TIME)
            .on_connect_ext(|wire: &Wire, extensions| {
                extensions.insert(wire.payer());
                drop(wire.take_place().map(|connected| extensions.insert(connected)))
            })
            .h1(map_config(app.into_factory().map_err(|error| error.error_response()), |()| AppConfig::default()));
        let wire = move |socket: TcpStream| {
            let (served, share) = (served.clone(), share.clone());
            async move {
                let peer = socket.peer_addr().ok();
                let wire = || Wire::new(socket, served.clone(), &share);
                // One that is refused is closed here: with actix it would have buffers of its own first.
                let wire = match peer.map(|peer| peer.ip()) {
                    Some(peer) if served.limits.is_proxy(peer) => wire(),
                    Some(peer) if served.limits.connection(peer) => share.takes(network(peer), wire).await.flatten(),
                    _ => None,
                };
                if wire.is_none() {
                    served.connections.turned_away();
                }
                wire.map(|wire| (wire, peer)).ok_or_else(|| DispatchError::Io(ErrorKind::ConnectionRefused.into()))
            }
        };
        let measured = |(wire, peer): (Wire, _), http: &_| {
            let (payer, line) = (wire.payer(), wire.line());
            payer.measured(move || line.takes(), actix_service::Service::call(http, (wire, peer)))
        };
        fn_service(wire).and_then(apply_fn_factory(http, measured))
    };
    let builder = builder
        .workers(config.workers)
        // More than are kept: at its own bound actix takes no connection any more, and idle ones could not make room.
        .max_concurrent_connections(
            most_connections
                .saturating_add((most_connections / 8).clamp(CLOSING.0, CLOSING.1))
                .div_ceil(config.workers),
        )
        .worker_max_blocking_threads(4)
        .shutdown_timeout(config.stop_seconds)
        .disable_signals();
    Ok(builder.listen("http", listener, factory)?.run())
}
