//! A whole tournament in memory: entrants in, hands a second and memory out.
//!
//!     cargo run --release -p fairshoe-house --example tournament_speed -- 10000
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails by panicking")]
#![allow(dead_code, reason = "the tests use more of what they share")]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/tournament_play.rs"]
mod tournament_play;

use common::rng::Rng;
use common::{HOUR, House};
use fairshoe_house::tournament::Stage;
use std::time::Instant;
use tournament_play::structure;

/// What the process holds in memory, MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1024
}

fn main() {
    let players: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let structure = structure("freezeout-9", |structure| {
        structure.entry.players_max = structure.entry.players_max.max(players as u64);
        structure.late_levels = 0;
        structure.levels.iter_mut().for_each(|level| level.ms /= 10);
    });
    let mut house = House::new();
    house.announce("main", &structure).unwrap();
    for n in 0..players {
        house.add_player(&format!("p{n}"), 10_000);
        house.register("main", &format!("p{n}")).unwrap();
    }
    let (mut entries, mut bytes) = (0, 0);
    let mut begun = Instant::now();
    let mut rng = Rng(1);
    house.wait(HOUR);
    println!("{players} entrants; {} MiB before the first seats", memory());
    let (mut most_tables, mut most_memory, mut shown) = (0, 0, Instant::now());
    while house.event("main").stage != Stage::Ended {
        house.play_event("main", &mut rng, 50, 50, 1);
        entries += house.log.len();
        bytes += house.log.drain(..).map(|entry| entry.len()).sum::<usize>();
        let event = house.event("main");
        let tables = event.tables.open.len();
        if most_tables == 0 && tables > 0 {
            begun = Instant::now();
        }
        (most_tables, most_memory) = (most_tables.max(tables), most_memory.max(memory()));
        if shown.elapsed().as_secs() >= 10 {
            shown = Instant::now();
            println!("{} left at {tables} tables, {} hands, {entries} entries", event.remaining, event.tables.called);
        }
    }
    let (event, ms) = (house.event("main"), begun.elapsed().as_millis().max(1));
    let a_second = |many: u128| many * 1_000 / ms;
    let hands = event.tables.called;
    println!("{most_tables} tables, {hands} hands, {entries} entries of {} bytes", bytes / entries.max(1));
    let (hands, entries) = (a_second(hands.into()), a_second(entries as u128));
    println!("{hands} hands/s, {entries} entries/s, {most_memory} MiB");
}
