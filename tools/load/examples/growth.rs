//! Measures which figures grow with a log's history: the same at several sizes, as a table with ratios.
//!
//! For each size a folder is written through the service's own code (`write_log`), ended like after a kill, served,
//! asked, killed, stopped, and audited. Next to the lookups stands the empty handler, asked over the same connection.
//!
//! `cargo build --release --workspace --examples`, then
//! `cargo run --release -p fairshoe-load --example growth -- --entries 1000000 --entries 10000000`
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss
)]

mod service;

use clap::Parser;
use hdrhistogram::Histogram;
use serde_json::Value;
use service::{Service, program};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Measures a service at several sizes of its log
#[derive(Parser)]
struct Args {
    /// Entries of the log; repeat it for each size [default: 1000000 and 10000000]
    #[arg(long, value_name = "N")]
    entries: Vec<u64>,
    /// The folder for the measured folders: 70 bytes for each entry
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Tables of each folder
    #[arg(long, value_name = "N", default_value_t = 1000)]
    tables: u64,
    /// Players of each folder
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    players: u64,
    /// Starts after a clean stop; the median is reported
    #[arg(long, value_name = "N", default_value_t = 5)]
    starts: usize,
    /// Lookups of each kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    lookups: u64,
    /// Skip the audits
    #[arg(long)]
    no_audit: bool,
    /// Keep the folders; an existing one is measured as it is
    #[arg(long)]
    keep: bool,
}

/// A row of the table: its name, its unit, and its value at each size.
struct Row {
    what: String,
    unit: &'static str,
    values: Vec<f64>,
}

#[derive(Default)]
struct Table(Vec<Row>);

impl Table {
    fn put(&mut self, what: impl Into<String>, unit: &'static str, value: f64) {
        let what = what.into();
        eprintln!("{what}: {value:.2} {unit}");
        match self.0.iter_mut().find(|row| row.what == what) {
            Some(row) => row.values.push(value),
            None => self.0.push(Row { what, unit, values: vec![value] }),
        }
    }

    fn print(&self, sizes: &[u64]) {
        let heads: Vec<String> = sizes.iter().map(|size| format!("{size} entries")).collect();
        println!("| what | {} | ratio |\n|---|{}---|", heads.join(" | "), "---|".repeat(sizes.len()));
        for Row { what, unit, values } in &self.0 {
            let told: Vec<String> = values.iter().map(|value| format!("{} {unit}", rounded(*value))).collect();
            let ratio = values.last().zip(values.first()).map_or(0.0, |(last, first)| last / first);
            println!("| {what} | {} | {ratio:.2} |", told.join(" | "));
        }
    }
}

fn rounded(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// The service on a folder, and the milliseconds from starting it to the first reply.
fn start(data: &Path) -> (Service, f64) {
    let began = Instant::now();
    let service = Service::start(&program("fairshoe"), data, &[]);
    Wire::connect(&service.address).get("/v1/log", "");
    (service, began.elapsed().as_secs_f64() * 1000.0)
}

/// Resident memory of the service, MiB.
fn memory(service: &Service) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

/// One connection, kept open.
struct Wire(BufReader<TcpStream>);

impl Wire {
    fn connect(address: &str) -> Wire {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Wire(BufReader::new(stream))
    }

    fn get(&mut self, path: &str, token: &str) -> Vec<u8> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: growth\r\nauthorization: Bearer {token}\r\n\r\n");
        let request = if token.is_empty() { request.replace("authorization: Bearer \r\n", "") } else { request };
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut length, mut chunked, mut status) = (0, false, String::new());
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            if status.is_empty() {
                status = line;
                continue;
            }
            match line.split_once(": ") {
                Some(("content-length", text)) => length = text.parse().unwrap(),
                Some(("transfer-encoding", "chunked")) => chunked = true,
                _ if line.is_empty() => break,
                _ => {}
            }
        }
        let mut body = Vec::new();
        if chunked {
            loop {
                let mut size = String::new();
                self.0.read_line(&mut size).unwrap();
                let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
                let from = body.len();
                body.resize(from + size + 2, 0);
                self.0.read_exact(&mut body[from..]).unwrap();
                body.truncate(from + size);
                if size == 0 {
                    break;
                }
            }
        } else {
            body.resize(length, 0);
            self.0.read_exact(&mut body).unwrap();
        }
        assert!(status.contains(" 200 "), "{path}: {status} {}", String::from_utf8_lossy(&body));
        body
    }
}

/// Random-looking numbers, the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Bytes below a path.
fn bytes_in(path: &Path) -> u64 {
    let Ok(found) = fs::symlink_metadata(path) else { return 0 };
    if !found.is_dir() {
        return found.len();
    }
    fs::read_dir(path).unwrap().map(|within| bytes_in(&within.unwrap().path())).sum()
}

/// Writes a log of so many entries, ended like after a kill.
fn write(args: &Args, data: &Path, entries: u64, table: &mut Table) {
    if args.keep && data.is_dir() {
        return;
    }
    let began = Instant::now();
    let numbers = [entries, args.tables, args.players].map(|number| number.to_string());
    // It ends itself by an abort, which is no failure here.
    Command::new(program("write_log")).arg(data).args(numbers).arg("abort").stderr(Stdio::null()).status().unwrap();
    table.put("written, entries a second", "/s", entries as f64 / began.elapsed().as_secs_f64());
}

fn starts(args: &Args, data: &Path, table: &mut Table) {
    // Each service is dropped, and so stopped cleanly, before the next starts.
    table.put("start to the first reply, after a kill", "ms", start(data).1);
    let mut clean: Vec<f64> = (0..args.starts.max(1)).map(|_| start(data).1).collect();
    clean.sort_by(f64::total_cmp);
    table.put("start to the first reply, after a good stop", "ms", clean[clean.len() / 2]);
}

fn disk(data: &Path, table: &mut Table) {
    let entries = entries_of(data) as f64;
    let [log, sealed, tile, index] = ["log", "sealed", "tile", "index"].map(|name| bytes_in(&data.join(name)) as f64);
    table.put("disk, sealed with its tiles and index", "B an entry", (sealed + tile + index) / entries);
    table.put("of it the index", "B an entry", index / entries);
    table.put("sled's folder", "MiB", log / f64::from(1 << 20));
    let states = ["snapshots", "state"].map(|name| bytes_in(&data.join(name)) as f64).iter().sum::<f64>();
    table.put("snapshots and published states", "MiB", states / f64::from(1 << 20));
}

/// The signed size of a folder's log.
fn entries_of(data: &Path) -> u64 {
    let (service, _) = start(data);
    let log: Value = serde_json::from_slice(&Wire::connect(&service.address).get("/v1/log", "")).unwrap();
    let size = log["checkpoint"].as_str().unwrap().lines().nth(1).unwrap();
    size.parse().unwrap()
}

fn lookups(args: &Args, data: &Path, table: &mut Table) {
    let (service, _) = start(data);
    let operator = fs::read_to_string(data.join("operator.token")).unwrap().trim().to_owned();
    let mut wire = Wire::connect(&service.address);
    let log: Value = serde_json::from_slice(&wire.get("/v1/log", "")).unwrap();
    let size: u64 = log["checkpoint"].as_str().unwrap().lines().nth(1).unwrap().parse().unwrap();
    // The tables play in turn; the last table comes last.
    let path = format!("/v1/tables/wheel-{}/rounds?limit=1", args.tables - 1);
    let newest: Value = serde_json::from_slice(&wire.get(&path, "")).unwrap();
    let (_, newest) = newest["rounds"][0]["id"].as_str().unwrap().rsplit_once(':').unwrap();
    let rounds: u64 = newest.parse::<u64>().unwrap().max(1);
    let mut chance = Chance(17);
    let kinds = ["empty handler", "a receipt", "a round", "a player's last rounds", "a round's bundle"];
    for kind in kinds {
        let mut took = Histogram::<u64>::new(3).unwrap();
        for _ in 0..args.lookups {
            let (at, of) = (chance.below(args.tables), chance.below(rounds));
            let path = match kind {
                "empty handler" => "/healthz".to_owned(),
                "a receipt" => format!("/v1/receipts/{}", chance.below(size)),
                "a round" => format!("/v1/rounds/wheel-{at}:{of}"),
                "a player's last rounds" => format!("/v1/players/player-{at}/rounds"),
                _ => format!("/v1/rounds/wheel-{at}:{of}/bundle"),
            };
            let began = Instant::now();
            wire.get(&path, &operator);
            took.record(u64::try_from(began.elapsed().as_micros()).unwrap()).unwrap();
        }
        for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
            table.put(format!("{kind}, {name}"), "ms", took.value_at_quantile(quantile) as f64 / 1000.0);
        }
    }
    table.put("memory of the service, after these", "MiB", memory(&service));
}

/// The seconds by the clock and of processor time, and whether the audit passed.
fn audit(data: &Path, options: &[&str]) -> (f64, f64, bool) {
    let (began, before) = (Instant::now(), children_seconds());
    let status = Command::new(program("fairshoe-audit"))
        .args(["log", &data.display().to_string(), "--json"])
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    (began.elapsed().as_secs_f64(), children_seconds() - before, status.success())
}

/// Processor time of ended programs in seconds; the kernel counts hundredths.
fn children_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    [13, 14].iter().map(|at| fields[*at].parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

fn audits(data: &Path, table: &mut Table) {
    let mut sizes: Vec<u64> = fs::read_dir(data.join("state")).map_or_else(
        |_| Vec::new(),
        |names| names.filter_map(|name| name.unwrap().file_name().to_str()?.parse().ok()).collect(),
    );
    sizes.sort_unstable();
    for workers in ["1", "2"] {
        let (took, processor, sound) = audit(data, &["--workers", workers]);
        assert!(sound, "the folder is not found sound");
        table.put(format!("whole audit, {workers} of `--workers`"), "s", took);
        table.put(format!("– processor time of it, {workers} of `--workers`"), "s", processor);
    }
    // The last state may be written but not yet renamed, if the writer ended in between.
    let from_last =
        sizes.iter().rev().map(|size| audit(data, &["--from", &size.to_string()])).find(|(_, _, sound)| *sound);
    if let Some((took, _, _)) = from_last {
        table.put("audit from the last noted state", "s", took);
    }
}

fn main() -> ExitCode {
    let mut args = Args::parse();
    if args.entries.is_empty() {
        args.entries = vec![1_000_000, 10_000_000];
    }
    let mut table = Table::default();
    for entries in &args.entries {
        let data = args.dir.join(format!("growth-{entries}"));
        write(&args, &data, *entries, &mut table);
        starts(&args, &data, &mut table);
        lookups(&args, &data, &mut table);
        disk(&data, &mut table);
        if !args.no_audit {
            audits(&data, &mut table);
        }
        if !args.keep {
            fs::remove_dir_all(&data).unwrap();
        }
    }
    table.print(&args.entries);
    ExitCode::SUCCESS
}
