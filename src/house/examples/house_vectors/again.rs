//! Logs whose files are their own source: each command in them is given to the house again, and what it says now is
//! written. To change what happens in one, change its commands; `more.rs` has a script for what is new.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::{Writer, hex};
use crate::common::*;
use fairshoe_fairness::Master;
use fairshoe_house::{Actor, Command, SeedDealer, Signed};
use serde_json::Value;

pub const FILES: [&str; 16] = [
    "entries-ended.json",
    "entries-ended-in-play.json",
    "entries-events.json",
    "entries-guests.json",
    "entries-hands.json",
    "entries-limits.json",
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
];

/// The files' texts.
pub fn files() -> [(&'static str, String); FILES.len()] {
    FILES.map(|file| (file, text(file)))
}

/// By whom, what, and signed how.
fn given(fields: &Value) -> (Actor, Command, Option<Signed>) {
    let read = |name: &str| fields[name].clone();
    let signed = fields.get("signed").map(|signed| serde_json::from_value(signed.clone()).unwrap());
    (serde_json::from_value(read("by")).unwrap(), serde_json::from_value(read("command")).unwrap(), signed)
}

fn text(file: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(file);
    let told: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let master = told["master"].as_str().unwrap();
    let bytes: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&master[2 * at..2 * at + 2], 16).unwrap()).collect();
    let seeds = || SeedDealer::new(Master::from_bytes(bytes.clone().try_into().unwrap()));
    let mut w = Writer::new();
    (w.house.dealer, w.house.seeds) = (Box::new(seeds()), seeds());
    let (entries, mut refused) = (told["entries"].as_array().unwrap(), told["refused"].as_array().unwrap().clone());
    let mut is_busy = false;
    for (after, next) in entries.iter().map(Some).chain([None]).enumerate() {
        for case in refused.iter_mut().filter(|case| case["after_entries"] == after) {
            let (by, command, signed) = given(case);
            w.house.now = case["now"].as_u64().unwrap();
            case["code"] = w.code(&by, signed.as_ref(), &command).into();
        }
        let Some(entry) = next else { break };
        let entry: Value = serde_json::from_str(entry.as_str().unwrap()).unwrap();
        let (by, command, signed) = given(&entry);
        w.house.now = entry["time"].as_u64().unwrap();
        assert!(by == Actor::House || !is_busy, "{file}, entry {after}: more was due");
        // At tables and in tournaments the house does what is due, nothing else, and all of it.
        let is_duty = by == Actor::House && entry["at"].is_object();
        if is_duty {
            assert_eq!(w.house.state.due(w.house.now), Some((by.clone(), command.clone())), "{file}, entry {after}");
        }
        w.house.give_late(&by, signed, command).unwrap();
        is_busy = is_duty && w.house.state.due(w.house.now).is_some();
    }
    w.refused = refused;
    let accounts: Vec<&str> = told["balances"].as_object().unwrap().keys().map(String::as_str).collect();
    w.text(file, told["about"].as_str().unwrap(), "", &accounts).replacen(&hex(&MASTER), master, 1)
}
