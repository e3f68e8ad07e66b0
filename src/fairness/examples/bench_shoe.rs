//! Measures the cost of preparing a shoe next to that of its bare primitives, and of a round's public shuffle. Run with
//! `cargo run --release -p fairshoe-fairness --example bench_shoe`.
#![allow(clippy::float_arithmetic, clippy::expect_used)]

use std::hint::black_box;
use std::time::Instant;

use fairshoe_fairness::{Composition, HouseShoe, PublicShuffle, RoundEntropy, ServerSeed, Slot};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

const ROUNDS: u32 = 2_000;
const SAMPLES: usize = 9;

/// Microseconds of one run: the best of several samples, to exclude noise.
fn best(mut run: impl FnMut(u32)) -> f64 {
    (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            (0..ROUNDS).for_each(&mut run);
            start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS)
        })
        .fold(f64::INFINITY, f64::min)
}

fn key(i: u32) -> [u8; 32] {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&i.to_be_bytes());
    key
}

/// The same words, leaves and nodes, without meaning and not stored.
fn bare(slots: usize, i: u32) {
    let mut order = ChaCha20Rng::from_seed(key(i));
    for _ in 1..slots {
        black_box(order.next_u32());
    }
    let mut salts = ChaCha20Rng::from_seed(key(!i));
    let mut leaf = [0; 20];
    let mut node = [1; 65];
    for _ in 0..slots {
        salts.fill_bytes(&mut leaf[1..17]);
        black_box(Sha256::digest(leaf));
    }
    for _ in 1..slots {
        let hash = black_box(Sha256::digest(node));
        node[1..33].copy_from_slice(&hash);
    }
}

fn main() {
    for text in ["52x1", "52x8", "52x12", "wheel37x4096"] {
        let composition = Composition::parse(text).expect("a valid composition");
        let slots = usize::from(composition.len());
        let derive = best(|i| {
            black_box(HouseShoe::derive(&ServerSeed::from_bytes(key(i)), &composition));
        });
        let bare = best(|i| bare(slots, i));
        let undrawn: Vec<Slot> = (0..composition.len()).map(Slot).collect();
        let shuffle = best(|i| {
            black_box(PublicShuffle::new(&RoundEntropy::from_bytes(key(i)), 1, &undrawn));
        });
        println!(
            "{text:>12}: derive {derive:7.1} µs, bare {bare:7.1} µs, ratio {:.2}; public shuffle {shuffle:5.1} µs",
            derive / bare
        );
    }
}
