//! The cost of a durable request for the service: processor time by thread, next to the empty handler with the same
//! client and a raw file synced on the same disk.
//!
//! `cargo build --release`, then `cargo run --release -p fairshoe-load --example speed`
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss
)]

mod light;
mod service;

use clap::Parser;
use fairshoe_load::limits::raw_file;
use light::{SoloPlayer, Work, part, thread_times};
use service::{Service, program};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// As in the tools themselves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the cost of a durable request for the service, next to the limits of the same run
#[derive(Parser)]
struct Args {
    /// The service to measure [default: `fairshoe` beside the folder of this program]
    #[arg(long, value_name = "FILE")]
    service: Option<PathBuf>,
    /// The folder for the service's data; it should be on the disk to measure
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// A solo game that is over without many choices: joy, rng-baccarat, rng-roulette-own …
    #[arg(long, value_name = "NAME", default_value = "joy")]
    game: String,
    /// Keep-alive connections, each with a player and a table of their own
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: u16,
    /// Seconds that each part is measured
    #[arg(long, value_name = "S", default_value_t = 10)]
    seconds: u64,
    /// Measure this many seconds at full load without the other parts, and print the service's process number: for a profiler
    #[arg(long, value_name = "S")]
    profile: Option<u64>,
    /// More options of the service
    #[arg(last = true)]
    options: Vec<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let folder = args.dir.join(format!("speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(&args, &folder));
    std::fs::remove_dir_all(&folder).unwrap();
    ExitCode::SUCCESS
}

async fn measure(args: &Args, folder: &Path) {
    let raw = raw_file(folder, "speed").unwrap();
    let data = folder.join("data");
    let build = args.service.clone().unwrap_or_else(|| program("fairshoe"));
    let service = Service::start(&build, &data, &args.options);
    let pid = service.pid();
    let times = || thread_times(pid);
    let operator = std::fs::read_to_string(data.join("operator.token")).unwrap().trim().to_owned();
    let mut seats = Vec::new();
    for number in 0..args.connections {
        seats.push(SoloPlayer::sit(&service.address, &operator, (number, args.connections), &args.game).await);
    }
    if let Some(seconds) = args.profile {
        println!("{pid}");
        let full = part(&times, &mut seats, seconds, Work::Play(None)).await;
        println!("{:.0} requests/s, {:.1} µs a request", full.rate(), full.all());
        return;
    }
    let empty = part(&times, &mut seats, args.seconds, Work::Idle).await;
    // The first rounds of all fill the caches.
    part(&times, &mut seats, 2, Work::Play(None)).await;
    let full = part(&times, &mut seats, args.seconds, Work::Play(None)).await;
    let every = Duration::from_secs_f64(f64::from(args.connections) / (full.rate() / 2.0));
    let half = part(&times, &mut seats, args.seconds, Work::Play(Some(every))).await;

    let sync = raw[0].median_us as f64 / 1000.0;
    println!("| what ({}, {} connections) | measured | beside |", args.game, args.connections);
    println!("|---|---|---|");
    println!("| empty handler | {:.0}/s | {:.1} µs of the service's processor time |", empty.rate(), empty.all());
    println!(
        "| durable requests, full load | {:.0}/s, p50 {:.1} ms, p99 {:.1} ms | {:.2} of the empty handler's rate |",
        full.rate(),
        full.quantile(0.5),
        full.quantile(0.99),
        full.rate() / empty.rate()
    );
    println!(
        "| durable requests, half load | {:.0}/s, p50 {:.2} ms, p99 {:.2} ms | raw write and sync {sync:.2} ms median: {:.1} × and {:.1} × |",
        half.rate(),
        half.quantile(0.5),
        half.quantile(0.99),
        half.quantile(0.5) / sync,
        half.quantile(0.99) / sync
    );
    println!(
        "| processor time a durable request, service alone | {:.1} µs | {:.1} × the empty handler's |",
        full.all(),
        full.all() / empty.all()
    );
    for (name, us) in full.threads.iter().filter(|(_, us)| *us >= 0.05) {
        println!("| – of it thread `{name}` | {us:.1} µs | {:.0} % |", us / full.all() * 100.0);
    }
    drop(service);
}
