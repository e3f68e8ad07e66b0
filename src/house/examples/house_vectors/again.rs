//! Logs that a house of the second verifier wrote, from spec/ alone. Their files are their own source: each command in
//! them is given to the house again, and what it says now is written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::{Writer, hex};
use crate::common::*;
use fairshoe_fairness::Master;
use fairshoe_house::{Actor, Command, SeedDealer, Signed};
use serde_json::Value;

pub const FILES: [&str; 4] =
    ["entries-ended.json", "entries-transfers.json", "entries-transfers-there.json", "entries-wallet.json"];

/// The files' texts.
pub fn files() -> [(&'static str, String); 4] {
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
    let (entries, refused) = (told["entries"].as_array().unwrap(), told["refused"].as_array().unwrap());
    for (after, next) in entries.iter().map(Some).chain([None]).enumerate() {
        for case in refused.iter().filter(|case| case["after_entries"] == after) {
            let (by, command, signed) = given(case);
            w.house.now = case["now"].as_u64().unwrap();
            w.refuse_signed(&by, signed, command);
        }
        let Some(entry) = next else { break };
        let entry: Value = serde_json::from_str(entry.as_str().unwrap()).unwrap();
        let (by, command, signed) = given(&entry);
        w.house.now = entry["time"].as_u64().unwrap();
        w.house.give_late(&by, signed, command).unwrap();
    }
    let accounts: Vec<&str> = told["balances"].as_object().unwrap().keys().map(String::as_str).collect();
    w.text(file, told["about"].as_str().unwrap(), "", &accounts).replacen(&hex(&MASTER), master, 1)
}
