//! The text of a file of entries: a complete log whose secrets are public, so that another implementation can decide
//! every command again and compare byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{House, entries};
use fairshoe_house::{Command, DecideError, Event, State};
use serde_json::{Value, json};

/// The file as it is.
pub fn stored(file: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(file);
    std::fs::read_to_string(path).unwrap()
}

/// Why a command is refused in this state.
fn code(state: &State, house: &House, case: &Value) -> &'static str {
    let by = serde_json::from_value(case["by"].clone()).unwrap();
    let command: Command = serde_json::from_value(case["command"].clone()).unwrap();
    let signed = serde_json::from_value::<Option<_>>(case["signed"].clone()).unwrap();
    match state.decide_signed(&house.seeds, case["now"].as_u64().unwrap(), &by, signed.as_ref(), &command) {
        Err(DecideError::Refused(refusal)) => refusal.code(),
        other => panic!("{case}: {other:?}"),
    }
}

/// The file's text with this log. From the file come the fields above the seeds, the commands that are refused, and the
/// players whose balances are given.
pub fn text(file: &str, house: &House) -> String {
    let whole = stored(file);
    let (head, _) = whole.split_once("  \"client_seeds\": [\n").unwrap();
    let mut told: Value = serde_json::from_str(&whole).unwrap();
    let entries = entries(&house.log);
    let mut seeds = Vec::new();
    for entry in &entries {
        for event in &entry.events {
            if let (Event::SeedRevealed { player, seed } | Event::SeedLate { player, seed, .. }, Some(at)) =
                (event, &entry.at)
            {
                let round_no = entry.command.round_no().unwrap();
                seeds
                    .push(json!({"table": at.table, "round_no": round_no, "player": player, "seed": seed.to_string()}));
            }
        }
    }
    let (mut state, mut roots) = (State::new(), Vec::new());
    for after in 0..=entries.len() {
        for case in told["refused"].as_array_mut().unwrap().iter_mut().filter(|case| case["after_entries"] == after) {
            case["code"] = code(&state, house, case).into();
        }
        let Some(entry) = entries.get(after) else { break };
        state.apply(entry).unwrap();
        roots.push(json!(state.root().unwrap()));
    }
    for (account, balance) in told["balances"].as_object_mut().unwrap() {
        *balance = json!(state.ledger().balance(&serde_json::from_value(json!(account)).unwrap()));
    }
    let texts = house.log.iter().map(|bytes| json!(String::from_utf8(bytes.clone()).unwrap()));
    let state_lines = state.lines().unwrap().into_iter().map(|line| json!(line));
    let lines = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n    ");
    format!(
        "{head}  \"client_seeds\": [\n    {}\n  ],\n  \"entries\": [\n    {}\n  ],\n  \"refused\": [\n    {}\n  ],\n  \
         \"balances\": {},\n  \"state_roots\": [\n    {}\n  ],\n  \"state_lines\": [\n    {}\n  ]\n}}\n",
        lines(&seeds),
        lines(&texts.collect::<Vec<_>>()),
        lines(told["refused"].as_array().unwrap()),
        told["balances"],
        lines(&roots),
        lines(&state_lines.collect::<Vec<_>>()),
    )
}
