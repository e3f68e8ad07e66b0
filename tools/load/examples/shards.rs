//! The cost of shards on one machine: requests a second, their time, and the processor time for each request of leading
//! nodes, of followers, and of the order's servers; next to the same service alone, in the same run.
//!
//! `cargo build --release`, then `cargo run --release -p fairshoe-load --example shards -- --nats-server FILE`
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
use light::{Part, SoloPlayer, Work, part, thread_times};
use service::{Service, program};
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// As in the tools themselves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the cost of shards on one machine, next to the service alone
#[derive(Parser)]
struct Args {
    /// The program of the order's servers (nats-server 2.12 or newer)
    #[arg(long, value_name = "FILE", default_value = "nats-server")]
    nats_server: PathBuf,
    /// The folder for all data; it should be on the disk to measure
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// A solo game that is over without many choices: joy, rng-baccarat, rng-roulette-own …
    #[arg(long, value_name = "NAME", default_value = "joy")]
    game: String,
    /// Keep-alive connections to all shards together, each with a player and a table of their own
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: u16,
    /// The numbers of shards, each measured by itself
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2,4")]
    shards: Vec<u16>,
    /// Nodes of each shard: one leads, the others follow
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=9))]
    nodes: u16,
    /// Seconds that each part is measured
    #[arg(long, value_name = "S", default_value_t = 10)]
    seconds: u64,
}

/// Three servers, which end with this program.
struct Servers {
    running: Vec<Child>,
    addresses: String,
    monitors: String,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Servers {
    fn start(program: &Path, folder: &Path) -> Servers {
        let ports: Vec<[u16; 3]> = (0..3).map(|_| [free_port(), free_port(), free_port()]).collect();
        let routes: Vec<String> = ports.iter().map(|[.., route]| format!("\"nats://127.0.0.1:{route}\"")).collect();
        fs::create_dir_all(folder).unwrap();
        let start = |(at, [client, monitor, route]): (usize, &[u16; 3])| {
            let settings = format!(
                "server_name: s{at}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\nserver_tags: [\"az:{at}\"]\n\
                 max_payload: 2MB\njetstream {{ store_dir: \"{}\", sync_interval: always, unique_tag: \"az:\" }}\n\
                 cluster {{ name: shards, no_advertise: true, listen: 127.0.0.1:{route}, routes: [{}] }}\n",
                folder.join(format!("d{at}")).display(),
                routes.join(", ")
            );
            let file = folder.join(format!("s{at}.conf"));
            fs::write(&file, settings).unwrap();
            let mut command = Command::new(program);
            command.arg("-c").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().expect("nats-server cannot be started: name it by --nats-server")
        };
        let running = ports.iter().enumerate().map(start).collect();
        let listed = |scheme: &str, at: usize| {
            let all: Vec<String> = ports.iter().map(|ports| format!("{scheme}://127.0.0.1:{}", ports[at])).collect();
            all.join(",")
        };
        Servers { running, addresses: listed("nats", 0), monitors: listed("http", 1) }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The nodes of some shards.
struct Shards {
    leaders: Vec<(Service, PathBuf)>,
    followers: Vec<Service>,
}

impl Shards {
    /// Names belong to this run: the servers keep the streams of earlier runs.
    fn start(args: &Args, servers: &Servers, folder: &Path, count: u16) -> Shards {
        let (build, mut leaders, mut followers) = (program("fairshoe"), Vec::new(), Vec::new());
        for shard in 0..count {
            let name = format!("s{count}-{shard}");
            let options = |node: u16| -> Vec<String> {
                let (order, monitors, node) = (&servers.addresses, &servers.monitors, format!("n{node}"));
                let all = ["--order", order, "--order-monitor", monitors, "--shard", &name, "--node", &node];
                all.map(str::to_owned).to_vec()
            };
            let data = |node: u16| folder.join(format!("{name}-{node}"));
            leaders.push((Service::start(&build, &data(0), &options(0)), data(0)));
            for node in 1..args.nodes {
                fs::create_dir_all(data(node).join("secrets")).unwrap();
                for file in fs::read_dir(data(0).join("secrets")).unwrap().flatten() {
                    fs::copy(file.path(), data(node).join("secrets").join(file.file_name())).unwrap();
                }
                fs::copy(data(0).join("operator.token"), data(node).join("operator.token")).unwrap();
                followers.push(Service::start_node(&build, &data(node), &options(node)));
            }
        }
        Shards { leaders, followers }
    }
}

fn all_of(pids: &[u32]) -> f64 {
    pids.iter().flat_map(|pid| thread_times(*pid).into_values()).sum()
}

/// One measured row: full load, then half of that rate.
async fn row(args: &Args, name: &str, addresses: &[(String, PathBuf)], groups: &[(&str, Vec<u32>)]) -> Part {
    let times =
        || -> BTreeMap<String, f64> { groups.iter().map(|(name, pids)| ((*name).to_owned(), all_of(pids))).collect() };
    let mut seats = Vec::new();
    for number in 0..args.connections {
        let (address, data) = &addresses[usize::from(number) % addresses.len()];
        let operator = fs::read_to_string(data.join("operator.token")).unwrap().trim().to_owned();
        seats.push(SoloPlayer::sit(address, &operator, (number, args.connections), &args.game).await);
    }
    let empty = part(&times, &mut seats, 2, Work::Idle).await;
    // The first rounds of all fill the caches.
    part(&times, &mut seats, 2, Work::Play(None)).await;
    let full = part(&times, &mut seats, args.seconds, Work::Play(None)).await;
    let every = Duration::from_secs_f64(f64::from(args.connections) / (full.rate() / 2.0));
    let half = part(&times, &mut seats, args.seconds, Work::Play(Some(every))).await;
    let spent = |name: &str| full.threads.iter().find(|(one, _)| one == name).map_or(0.0, |(_, us)| *us);
    println!(
        "| {name} | {:.0}/s | {:.2} | {:.1} / {:.1} | {:.1} / {:.1} | {:.0} | {:.0} | {:.0} | {:.0} |",
        full.rate(),
        full.rate() / empty.rate(),
        full.quantile(0.5),
        full.quantile(0.99),
        half.quantile(0.5),
        half.quantile(0.99),
        spent("leads"),
        spent("follows"),
        spent("servers"),
        full.all(),
    );
    full
}

async fn measure(args: &Args, folder: &Path) {
    let raw = raw_file(folder, "shards").unwrap();
    println!("raw write and sync: {:.2} ms median", raw[0].median_us as f64 / 1000.0);
    println!(
        "| {}, {} connections | full load | of the empty handler's rate | p50 / p99, ms | at half of it: p50 / p99, ms | leads, µs a request | follows | servers | all |",
        args.game, args.connections
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let alone = folder.join("alone");
    let service = Service::start(&program("fairshoe"), &alone, &[]);
    let groups = [("leads", vec![service.pid()])];
    let single = row(args, "one process alone", &[(service.address.clone(), alone)], &groups).await;
    drop(service);
    let servers = Servers::start(&args.nats_server, &folder.join("order"));
    for count in &args.shards {
        let shards = Shards::start(args, &servers, folder, *count);
        let groups = [
            ("leads", shards.leaders.iter().map(|(node, _)| node.pid()).collect()),
            ("follows", shards.followers.iter().map(Service::pid).collect()),
            ("servers", servers.running.iter().map(Child::id).collect()),
        ];
        let addresses: Vec<_> =
            shards.leaders.iter().map(|(node, data)| (node.address.clone(), data.clone())).collect();
        let name = format!("{count} shard{}, {} nodes each", if *count == 1 { "" } else { "s" }, args.nodes);
        let full = row(args, &name, &addresses, &groups).await;
        println!("| | {:.2} of one process alone | | | | | | | |", full.rate() / single.rate());
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let folder = args.dir.join(format!("shards-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(&args, &folder));
    fs::remove_dir_all(&folder).unwrap();
    ExitCode::SUCCESS
}
