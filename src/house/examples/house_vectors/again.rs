//! Logs whose files are their own source: each command in them is given to the house again, and what it says now is
//! written. To change what happens in one, change its commands. To add to it, write `time`, `by` and `command` of an
//! entry behind the others, or a command among those that are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book;
use crate::common::House;
use fairshoe_fairness::Master;
use fairshoe_house::{Actor, Command, SeedDealer};
use serde_json::Value;

pub const FILES: [&str; 19] = [
    "entries-ended.json",
    "entries-ended-in-play.json",
    "entries-events.json",
    "entries-guests.json",
    "entries-hands.json",
    "entries-joy.json",
    "entries-limits.json",
    "entries-more.json",
    "entries-poker.json",
    "entries-readings.json",
    "entries-safe.json",
    "entries-seats.json",
    "entries-shared.json",
    "entries-tournament.json",
    "entries-transfers.json",
    "entries-transfers-there.json",
    "entries-wallet.json",
    "entries-wheel.json",
    "player-keys.json",
];

/// The files' texts.
pub fn files() -> [(&'static str, String); FILES.len()] {
    FILES.map(|file| (file, text(file)))
}

fn text(file: &str) -> String {
    let told: Value = serde_json::from_str(&book::stored(file)).unwrap();
    let master = told["master"].as_str().unwrap();
    let bytes: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&master[2 * at..2 * at + 2], 16).unwrap()).collect();
    let seeds = || SeedDealer::new(Master::from_bytes(bytes.clone().try_into().unwrap()));
    let mut house = House::unstarted();
    (house.dealer, house.seeds) = (Box::new(seeds()), seeds());
    let mut is_busy = false;
    for (after, entry) in told["entries"].as_array().unwrap().iter().enumerate() {
        let entry: Value = serde_json::from_str(entry.as_str().unwrap()).unwrap();
        let by: Actor = serde_json::from_value(entry["by"].clone()).unwrap();
        let command: Command = serde_json::from_value(entry["command"].clone()).unwrap();
        house.now = entry["time"].as_u64().unwrap();
        assert!(by == Actor::House || !is_busy, "{file}, entry {after}: more was due");
        // At tables and in tournaments the house does what is due, nothing else, and all of it.
        let is_duty = by == Actor::House && entry["at"].is_object();
        if is_duty {
            assert_eq!(house.state.due(house.now), Some((by.clone(), command.clone())), "{file}, entry {after}");
        }
        house.give_late(&by, serde_json::from_value(entry["signed"].clone()).unwrap(), command).unwrap();
        is_busy = is_duty && house.state.due(house.now).is_some();
    }
    book::text(file, &house)
}
