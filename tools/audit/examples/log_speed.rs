//! How fast `fairshoe-audit log` is, and on what its time goes: hashing, the ledger, decoding, deciding again, deriving
//! shoes; from a mirror's folder and from a data folder; beside the bare SHA-256 of the same bytes in the same run.
//!
//! `cargo run --release -p fairshoe-audit --example log_speed -- 100000`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_arithmetic)]

#[path = "../../../src/house/tests/common/mod.rs"]
mod common;

use clap::Parser;
use common::rng::Rng;
use common::*;
use fairshoe_fairness::{HouseShoe, ServerSeed};
use fairshoe_games::{Action, ActionKind};
use fairshoe_house::{Entry, Event};
use fairshoe_judge::audit::{Book, LedgerBook, Limits};
use fairshoe_tlog::{
    EntryBundle, NoTiles, RootAccumulator, Signer, TilePath, Tree, bundles_for_size, edge_of_size, leaf_hash,
};
use sha2::{Digest, Sha256};
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// As in the tool itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn generate(rounds: usize) -> Vec<Vec<u8>> {
    let mut house = House::new();
    let mut rng = Rng(1);
    house.add_player("alice", 4_000_000_000);
    let tables: Vec<String> = (0..16).map(|n| format!("t{n}")).collect();
    tables.iter().for_each(|name| house.open(name, &[]));
    for round in 0..rounds {
        let name = &tables[round % tables.len()];
        house.now += 10;
        let seed = house.any_seed(name);
        house.bet(name, "alice", 1 + rng.below(100) as u64, &seed).unwrap();
        house.reveal(name, "alice", &seed).unwrap();
        while house.table(name).live_round().is_some() {
            let offered = house.offered(name);
            let hit = offered.contains(&ActionKind::Hit) && rng.one_in(3);
            let insured = offered.contains(&ActionKind::Insurance);
            let action = if insured {
                Action::Insurance { take: rng.one_in(2) }
            } else if hit {
                Action::Hit
            } else {
                Action::Stand
            };
            house.act(name, "alice", action).unwrap();
        }
        house.run_due();
    }
    house.log
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    peak.unwrap_or_default() / 1024
}

/// Seconds of processor time of all threads so far, at the usual 100 ticks a second.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
    after.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Processor time of one thread's work, the least of three runs, and how it compares with the bare hash's.
fn measure(what: &str, entries: usize, bare: f64, mut work: impl FnMut()) -> f64 {
    let seconds = (0..3).map(|_| {
        let before = cpu();
        work();
        cpu() - before
    });
    let least = seconds.fold(f64::MAX, f64::min).max(0.001);
    say(what, entries, least, bare);
    least
}

fn say(what: &str, entries: usize, seconds: f64, bare: f64) {
    let ratio = if bare > 0.0 { seconds / bare } else { 1.0 };
    println!("{what:<58} {seconds:>6.2} s  {:>9.0} entries/s/core  {ratio:>5.1} × SHA-256", entries as f64 / seconds);
}

fn write_folder(data: &Path, log: &[Vec<u8>], signer: &Signer) {
    let store = fairshoe_store::Store::create(data).unwrap();
    let mut root = RootAccumulator::new();
    for batch in log.chunks(22) {
        store.append(root.size(), batch, &[]).unwrap();
        batch.iter().for_each(|bytes| root.append(leaf_hash(bytes)));
        store.write_anchor(root.size(), signer.sign_checkpoint(root.size(), root.root()).as_bytes()).unwrap();
    }
    std::fs::write(data.join("log.vkey"), signer.verifier_key().to_string()).unwrap();
}

fn write_mirror(dir: &Path, log: &[Vec<u8>], signer: &Signer) {
    let put = |path: TilePath, bytes: &[u8]| {
        let path = dir.join(path.to_string());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    let mut tree = Tree::new();
    for bytes in log {
        for tile in tree.append(leaf_hash(bytes)) {
            put(TilePath::Tile { level: tile.level, index: tile.index, partial: None }, &tile.bytes());
        }
    }
    for path in edge_of_size(tree.size()) {
        if let TilePath::Tile { level, index, .. } = path {
            put(path, &tree.partial_tile(level, index, path.width(), &NoTiles).unwrap());
        }
    }
    for (path, entries) in bundles_for_size(tree.size()).zip(log.chunks(256)) {
        put(path, &EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).unwrap().encode());
    }
    put(TilePath::Checkpoint, signer.sign_checkpoint(tree.size(), tree.root()).as_bytes());
    std::fs::write(dir.join("log.vkey"), signer.verifier_key().to_string()).unwrap();
}

fn in_memory(log: &[Vec<u8>]) -> f64 {
    let (entries, bytes) = (log.len(), log.iter().map(Vec::len).sum::<usize>());
    let whole = log.concat();
    let started = Instant::now();
    black_box(Sha256::digest(&whole));
    println!("bare SHA-256: {:.2} GB/s", bytes as f64 / started.elapsed().as_secs_f64() / 1e9);
    let bare = measure("bare SHA-256 of all bytes in one piece", entries, 0.0, || {
        black_box(Sha256::digest(&whole));
    });
    drop(whole);
    measure("leaf hashes and tree", entries, bare, || {
        let mut root = RootAccumulator::new();
        log.iter().for_each(|bytes| root.append(leaf_hash(bytes)));
        black_box(root.root());
    });
    measure("ledger alone", entries, bare, || {
        let mut book = LedgerBook::new(None);
        (0..).zip(log).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        assert_eq!(book.finish().first_failure, None);
    });
    measure("hashing and ledger", entries, bare, || {
        let (mut book, mut root) = (LedgerBook::new(None), RootAccumulator::new());
        for (index, bytes) in (0..).zip(log) {
            root.append(leaf_hash(bytes));
            book.feed(index, bytes).unwrap();
        }
        black_box(root.root());
    });
    measure("decoding, and encoding again to compare", entries, bare, || {
        log.iter().for_each(|bytes| drop(black_box(Entry::decode(bytes).unwrap())));
    });
    measure("the whole book on one thread, shoes derived", entries, bare, || {
        let mut book = Book::new(Limits::default());
        (0..).zip(log).for_each(|(index, bytes)| book.feed(index, bytes).unwrap());
        assert!(book.finish().is_sound());
    });
    let events = log.iter().flat_map(|bytes| Entry::decode(bytes).unwrap().events);
    let seeds: Vec<ServerSeed> = events
        .filter_map(|event| if let Event::ShoeRevealed { seeds, .. } = event { Some(seeds) } else { None })
        .flatten()
        .collect();
    let composition = joy(&[]).composition();
    measure(&format!("of it deriving {} shoes", seeds.len()), entries, bare, || {
        for seed in &seeds {
            black_box(HouseShoe::derive(seed, &composition).root());
        }
    });
    bare
}

/// The tool itself in a process of its own: processor time of all its threads, and its peak memory.
fn child(args: &[String]) -> ExitCode {
    let started = Instant::now();
    let cli = fairshoe_audit::Cli::parse_from([&["fairshoe-audit".to_owned()], args].concat());
    let code = fairshoe_audit::run(cli);
    eprintln!("{} {} {}", cpu(), started.elapsed().as_secs_f64(), peak_mib());
    code
}

fn run_child(what: &str, entries: usize, bare: f64, args: &[&str]) {
    let output = Command::new(std::env::current_exe().unwrap()).arg("--child").args(args).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [seconds, wall, peak] = numbers[..] else { panic!("{text}") };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    say(what, entries, seconds, bare);
    println!("{:<58} {wall:>6.2} s by the clock, peak memory {peak} MiB", "");
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|first| first == "--child") {
        return child(&args[1..]);
    }
    let rounds = args.first().and_then(|text| text.parse().ok()).unwrap_or(100_000usize);
    fairshoe_store::true_sync::require().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (data, mirror) = (dir.path().join("data"), dir.path().join("mirror"));
    let signer = Signer::new(ORIGIN, &[7; 32]).unwrap();
    let log = generate(rounds);
    let (entries, bytes) = (log.len(), log.iter().map(Vec::len).sum::<usize>());
    println!(
        "{rounds} rounds, {entries} entries of {} bytes on average, {bytes} bytes; processor time, all threads",
        bytes / entries
    );
    let bare = in_memory(&log);
    write_mirror(&mirror, &log, &signer);
    write_folder(&data, &log, &signer);
    drop(log);
    let (data, mirror) = (data.to_str().unwrap(), mirror.to_str().unwrap());
    run_child("log MIRROR --ledger-only", entries, bare, &["log", mirror, "--ledger-only", "--json"]);
    run_child("log MIRROR", entries, bare, &["log", mirror, "--json"]);
    run_child("log DATA-FOLDER --ledger-only", entries, bare, &["log", data, "--ledger-only", "--json"]);
    run_child("log DATA-FOLDER", entries, bare, &["log", data, "--json"]);
    ExitCode::SUCCESS
}
