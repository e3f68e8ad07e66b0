//! What the binary does: its commands, the start of the service, its stop.

use crate::Service;
use crate::cluster;
use crate::edge::budget::Budget;
use crate::edge::connections::{self, Connections};
use crate::edge::{Limits, serving, streams, tls};
use crate::ops::bounded_log::Bounded;
use crate::ops::config::{Cli, ClusterCommand, Command, Config};
use crate::ops::startup::{self, Running, StartError};
use crate::ops::{alive, check, display_names, doctor, keys, new_keys, restore, tickets};
use crate::write::pipeline::Job;
use crate::write::{refusals, tables};
use actix_web::rt::signal::unix::{Signal, SignalKind, signal};
use actix_web::web;
use clap::Parser;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::{error, info, warn};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::prelude::*;

/// Connections that may wait to be accepted.
const LISTEN_BACKLOG: u32 = 2048;

/// What the binary does.
pub fn run() -> ExitCode {
    crate::edge::budget::commit_as_used();
    fairshoe_store::fit_memory(crate::edge::budget::memory());
    // First of all: without it sled's flush is not a sync, and nothing may be promised.
    let filter = fairshoe_store::true_sync::require();
    outlive_signals();
    let cli = Cli::parse();
    let args = match cli.command {
        Some(Command::Serve(args)) => *args,
        Some(Command::Check { dir, json }) => return check::run(&dir, json),
        Some(Command::Doctor { options, json }) => {
            let filter = filter.map_err(|failure| format!("{failure}. What to do: {}", failure.advice()));
            return match options.resolve() {
                Ok(config) => doctor::run(&config, filter, json),
                Err(what) => {
                    eprintln!("fairshoe: {what}");
                    ExitCode::from(2)
                }
            };
        }
        Some(Command::Cluster { command: ClusterCommand::Up(args) }) => return cluster::up::run(&args),
        Some(Command::Cluster { command: ClusterCommand::Status { addresses, json } }) => {
            return cluster::status::run(&addresses, json);
        }
        Some(Command::Restore(args)) => {
            if let Err(failure) = filter {
                eprintln!("fairshoe: {failure}. What to do: {}", failure.advice());
                return ExitCode::from(1);
            }
            return restore::run(&args);
        }
        Some(Command::NewKeys { dir, origin }) => return new_keys::run(&dir, &origin),
        Some(Command::Alive { data }) => return alive::run(&data),
        None => cli.serve,
    };
    let config = match args.resolve() {
        Ok(config) => config,
        Err(what) => {
            eprintln!("fairshoe: {what}");
            return ExitCode::from(2);
        }
    };
    let bounded = match start_logging(&config) {
        Ok(bounded) => bounded,
        Err(what) => {
            eprintln!("fairshoe: {what}");
            return ExitCode::from(2);
        }
    };
    fairshoe_store::end_after(fairshoe_store::LONGEST_WRITE, |failure| {
        error!(%failure, advice = failure.advice(), "the disk does not answer; the process stops, no reply leaves");
    });
    if let Err(failure) = filter {
        return refuse(&format!("{failure}. What to do: {}", failure.advice()));
    }
    match serve(config, bounded) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => refuse(&failure.to_string()),
    }
}

/// Says why there is no start, also where the operator's filter of the log hides errors.
fn refuse(failure: &str) -> ExitCode {
    if tracing::enabled!(tracing::Level::ERROR) {
        error!(%failure, "refusing to start");
    } else {
        eprintln!("fairshoe: refusing to start: {failure}");
    }
    ExitCode::from(1)
}

/// What of the log is written.
pub fn log_filter(config: &Config) -> Result<EnvFilter, String> {
    EnvFilter::try_new(&config.log).map_err(|e| format!("--log-level {}: {e}", config.log))
}

fn start_logging(config: &Config) -> Result<Bounded, String> {
    let filter = log_filter(config)?;
    let bounded = Bounded::default();
    let all = tracing_subscriber::registry().with(filter).with(bounded.clone());
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    if config.log_json {
        all.with(lines.json()).init()
    } else {
        all.with(lines).init()
    }
    Ok(bounded)
}

fn serve(config: Config, bounded: Bounded) -> Result<(), StartError> {
    let system = actix_web::rt::System::new();
    // Before anything is begun: a file that is named wrongly is no start that was refused.
    let tls = config.tls.clone().map(tls::Tls::open).transpose();
    let tls = tls.map_err(|why| StartError::refuse("the certificate cannot be used", why))?;
    let names = config.names.clone().map(display_names::DisplayNames::open).transpose();
    let names = names.map_err(|why| StartError::refuse("the display names cannot be read", why))?;
    let begun = begin(&system, &config).inspect_err(|failure| refusals::note(&config.data, failure));
    let (listener, mut running) = begun?;
    let finishing = std::mem::take(&mut running.finishing);
    let (stop, stopping) = watch::channel(false);
    let queue = running.write.queue.clone();
    let most_connections = config.max_connections.min(connections::raise_file_limit());
    let connections = Connections::new(
        most_connections,
        config.connections_per_address,
        config.trusted_proxies.clone(),
        config.write_timeout,
    );
    let budget = Budget::new(config.memory_budget);
    running.metrics.most_connections.set(i64::try_from(most_connections).unwrap_or(i64::MAX));
    let scheme = if tls.is_some() { "https" } else { "http" };
    let service = web::Data::new(Service {
        running: Arc::new(running),
        limits: Limits::new(&config),
        tickets: tickets::Tickets::default(),
        budget,
        connections: connections.clone(),
        shown_rules: tables::ShownRules::default(),
        streams: streams::Streams::new(config.max_streams),
        admits_guests: config.guests,
        currency: config.currency.clone(),
        cors_origins: config.cors_origins.clone(),
        display_names: names.map(Arc::new),
        tls,
        stopping,
    });
    let watched = service.clone();
    system.block_on(async {
        let address = listener.local_addr().map_err(|e| cannot_listen(&config, &e))?;
        let server =
            serving::serve(&service, listener, &config, most_connections).map_err(|e| cannot_listen(&config, &e))?;
        let handle = server.handle();
        // A reader of the address may stop the service at once, so the handlers are there before it is told.
        let stop_signals = StopSignals::new();
        info!(address = %format_args!("{scheme}://{address}"), "listening");
        startup::write_public(&config.data.join("address"), &format!("{scheme}://{address}\n"))?;
        // One write, so that whoever waits for the line never reads half a port.
        let line = format!(
            "fairshoe deals at {scheme}://{address}  (operator's token: {})\nopen {scheme}://{}/ in a browser to play\n",
            keys::operator_token_path(&config.data).display(),
            reached_at(address)
        );
        let _ = std::io::stderr().write_all(line.as_bytes());
        actix_web::rt::spawn(async move { look_around(&watched, &bounded).await });
        actix_web::rt::spawn(async move {
            stop_signals.wait().await;
            info!("stopping: open requests finish, no new ones are taken");
            stop.send_replace(true);
            handle.stop(true).await;
        });
        server.await.map_err(|e| StartError::refuse("the HTTP server failed", format!("the HTTP server failed: {e}")))
    })?;
    if let Some(cluster) = &service.running.cluster {
        cluster.must_stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
    let _ = queue.0.send(Job::Stop);
    for thread in finishing {
        let _ = thread.join();
    }
    drop(service);
    let _ = std::fs::remove_file(config.data.join("address"));
    info!("stopped");
    Ok(())
}

/// Looks once a second, for ever, for connections to be closed and for lines that were left out of the log.
async fn look_around(service: &Service, bounded: &Bounded) {
    let mut was_tight = false;
    loop {
        actix_web::rt::time::sleep(Duration::from_secs(1)).await;
        let is_tight = service.budget.is_tight();
        if is_tight && !was_tight {
            warn!(
                "less than an eighth of the memory is left: strangers have one request at a time until there is more"
            );
        }
        was_tight = is_tight;
        service.connections.look(is_tight);
        let (turned_away, unread) = service.connections.closed();
        if turned_away > 0 || unread > 0 {
            let open = service.connections.count();
            warn!(
                turned_away,
                unread, open, "connections closed: without room for them, or with a reply that was not read"
            );
        }
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        service.running.metrics.connections.set(number(service.connections.count()));
        let ends = service.tls.as_ref().and_then(tls::Tls::ends).unwrap_or_default();
        service.running.metrics.certificate_ends.set(i64::try_from(ends).unwrap_or(i64::MAX));
        service.running.metrics.held_bytes.set(number(service.budget.taken()));
        service.running.metrics.wallet_open.set(number(service.running.desk.count()));
        bounded.look();
        if let Some(names) = service.display_names.clone() {
            // A file may be slow, and this thread is that of connections, too.
            let looked = names.clone();
            drop(actix_web::web::block(move || looked.look()).await);
            service.running.metrics.names_skipped.set(number(names.skipped()));
        }
    }
}

/// Takes the address and starts everything but HTTP.
fn begin(
    system: &actix_web::rt::SystemRunner,
    config: &Config,
) -> Result<(std::net::TcpListener, Running), StartError> {
    // Before anything is logged: a start that ends at an address in use must not void or resume anybody's round.
    let listener = system.block_on(listen(config.listen)).map_err(|e| cannot_listen(config, &e))?;
    Ok((listener, startup::start(config)?))
}

/// Where this machine reaches what listens there: at every address of the machine, by the loopback one.
pub fn reached_at(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn cannot_listen(config: &Config, error: &std::io::Error) -> StartError {
    let what =
        format!("cannot listen on {}: {error}. Stop what listens there, or choose another --listen", config.listen);
    StartError::refuse("the address cannot be listened on", what)
}

/// Takes the address; connections wait until the server runs.
async fn listen(address: SocketAddr) -> std::io::Result<std::net::TcpListener> {
    let socket = if address.is_ipv4() { tokio::net::TcpSocket::new_v4()? } else { tokio::net::TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)?.into_std()
}

/// Signals that end a process unless they are handled, and say nothing that it does not find out by itself: files are read
/// anew when they change, a terminal may go, and a write beyond the limit of a file's size fails, which is said.
fn outlive_signals() {
    use signal_hook::consts::{SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ};
    for one in [SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ] {
        if let Err(why) = signal_hook::flag::register(one, Arc::default()) {
            eprintln!("fairshoe: signal {one} cannot be handled, and would end the process: {why}");
        }
    }
}

/// The signals that stop the service gracefully.
pub struct StopSignals(Option<[Signal; 2]>);

impl StopSignals {
    pub fn new() -> Self {
        let both =
            signal(SignalKind::interrupt()).and_then(|interrupt| Ok([interrupt, signal(SignalKind::terminate())?]));
        // Without handlers the default action of the signals ends the process, and a restart recovers.
        StopSignals(both.inspect_err(|e| error!(%e, "signals cannot be handled: a stop will not be graceful")).ok())
    }

    pub async fn wait(self) {
        let Some([mut interrupt, mut terminate]) = self.0 else { return std::future::pending().await };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}
