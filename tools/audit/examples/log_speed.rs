//! `fairshoe-audit log` over a data folder, against only hashing the same bytes and deriving the same shoes.
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
use fairshoe_tlog::{RootAccumulator, Signer, leaf_hash};
use std::hint::black_box;
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

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    peak.unwrap_or_default() / 1024
}

/// Seconds of processor time of all threads so far, at the usual 100 ticks a second.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
    after.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000usize);
    fairshoe_store::true_sync::require().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let signer = Signer::new(ORIGIN, &[7; 32]).unwrap();
    {
        let log = generate(rounds);
        let store = fairshoe_store::Store::create(&data).unwrap();
        let mut root = RootAccumulator::new();
        for batch in log.chunks(256) {
            store.append(root.size(), batch, &[]).unwrap();
            batch.iter().for_each(|bytes| root.append(leaf_hash(bytes)));
            store.write_anchor(root.size(), signer.sign_checkpoint(root.size(), root.root()).as_bytes()).unwrap();
        }
        std::fs::write(data.join("log.vkey"), signer.verifier_key().to_string()).unwrap();
        let bytes: usize = log.iter().map(Vec::len).sum();
        let seeds: Vec<ServerSeed> = log
            .iter()
            .flat_map(|bytes| Entry::decode(bytes).unwrap().events)
            .filter_map(|event| if let Event::ShoeRevealed { seeds, .. } = event { Some(seeds) } else { None })
            .flatten()
            .collect();
        println!("{rounds} rounds, {} entries, {bytes} bytes, {} shoes revealed", log.len(), seeds.len());
        let composition = joy(&[]).composition();
        let (start, before) = (Instant::now(), cpu());
        let mut root = RootAccumulator::new();
        log.iter().for_each(|bytes| root.append(leaf_hash(bytes)));
        black_box(root.root());
        seeds.iter().for_each(|seed| {
            black_box(HouseShoe::derive(seed, &composition).root());
        });
        println!(
            "hashing and deriving alone, one thread: {:.2} s, {:.2} s of processor time",
            start.elapsed().as_secs_f64(),
            cpu() - before
        );
    }
    println!("peak memory before: {} MiB", resident_mib());
    let cli = fairshoe_audit::Cli::parse_from(["fairshoe-audit", "log", data.to_str().unwrap()]);
    let (start, before) = (Instant::now(), cpu());
    drop(fairshoe_store::Store::open_copy(&data).unwrap());
    println!("copying and opening the store alone: {:.2} s, {:.2} s of processor time", start.elapsed().as_secs_f64(), cpu() - before);
    let (start, before) = (Instant::now(), cpu());
    let code = fairshoe_audit::run(cli);
    println!("fairshoe-audit log: {:.2} s, {:.2} s of processor time, {code:?}", start.elapsed().as_secs_f64(), cpu() - before);
    println!("peak memory after: {} MiB", resident_mib());
}
