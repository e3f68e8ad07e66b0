//! How fast a book is audited, against only hashing the same bytes and deriving the same shoes.
//!
//! `cargo run --release -p fairshoe-judge --example book_speed -- 100000`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_arithmetic)]

#[path = "../../house/tests/common/mod.rs"]
mod common;

use common::rng::Rng;
use common::*;
use fairshoe_fairness::{HouseShoe, ServerSeed};
use fairshoe_games::{Action, ActionKind};
use fairshoe_house::{Entry, Event};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tlog::{RootAccumulator, leaf_hash};
use std::hint::black_box;

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
            house
                .act(
                    name,
                    "alice",
                    if insured {
                        Action::Insurance { take: rng.one_in(2) }
                    } else if hit {
                        Action::Hit
                    } else {
                        Action::Stand
                    },
                )
                .unwrap();
        }
        house.run_due();
    }
    house.log
}

/// Seconds of processor time so far, at the usual 100 ticks a second: other programs on the machine do not count.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
    after.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000usize);
    let log = generate(rounds);
    let bytes: usize = log.iter().map(Vec::len).sum();
    let joy = joy(&[]);
    let seeds: Vec<ServerSeed> = log
        .iter()
        .flat_map(|bytes| Entry::decode(bytes).unwrap().events)
        .filter_map(|event| if let Event::ShoeRevealed { seeds, .. } = event { Some(seeds) } else { None })
        .flatten()
        .collect();
    println!("{rounds} rounds, {} entries, {bytes} bytes, {} shoes revealed", log.len(), seeds.len());

    let start = cpu();
    let mut root = RootAccumulator::new();
    log.iter().for_each(|bytes| root.append(leaf_hash(bytes)));
    black_box(root.root());
    let hashing = cpu() - start;
    let start = cpu();
    for seed in &seeds {
        black_box(HouseShoe::derive(seed, &joy.composition()).root());
    }
    let deriving = cpu() - start;
    let start = cpu();
    log.iter().for_each(|bytes| drop(black_box(Entry::decode(bytes).unwrap())));
    let decoding = cpu() - start;
    let start = cpu();
    let mut book = Book::new(Limits { waiting_checks: usize::MAX, ..Limits::default() });
    for (index, bytes) in log.iter().enumerate() {
        book.feed(index as u64, bytes).unwrap();
        drop(book.take_checks());
    }
    let deciding = cpu() - start;
    let start = cpu();
    let (mut book, mut root) = (Book::new(Limits::default()), RootAccumulator::new());
    for (index, bytes) in log.iter().enumerate() {
        root.append(leaf_hash(bytes));
        book.feed(index as u64, bytes).unwrap();
    }
    let report = book.finish();
    let all = cpu() - start;
    assert!(report.is_sound());
    let each = |seconds: f64| seconds * 1e6 / rounds as f64;
    println!(
        "hashing {:.2} µs a round, deriving {:.2}: together {:.2}",
        each(hashing),
        each(deriving),
        each(hashing + deriving)
    );
    println!("decoding alone {:.2}, deciding with decoding {:.2}", each(decoding), each(deciding));
    println!(
        "one thread, everything: {:.2} µs a round, {:.2} times the bare work",
        each(all),
        all / (hashing + deriving)
    );
}
