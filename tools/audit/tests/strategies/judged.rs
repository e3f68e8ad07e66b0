//! What the two verifiers say of a log.

use crate::audit_common::{checkpoint, signer};
use crate::common::ORIGIN;
use crate::served::Served;
use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Command as HouseCommand, ReceivedNote};
use fairshoe_tlog::Cosigner;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Below this a statistic is a reason to ask, as the report's own words have it.
pub const UNLIKELY: f64 = 0.01;

/// A log as it is served, and what others kept of it.
#[derive(Default)]
pub struct Evidence {
    pub log: Vec<Vec<u8>>,
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// Whether the auditor knows the witness.
    pub witnessed: bool,
    /// What the house gives to an auditor with a token: replies by their path.
    pub disclosed: Vec<(String, Vec<u8>)>,
}

impl Evidence {
    pub fn of(log: Vec<Vec<u8>>) -> Evidence {
        Evidence { log, ..Evidence::default() }
    }
}

pub fn witness() -> Cosigner {
    Cosigner::new("witness.example/w1", &[9; 32]).unwrap()
}

/// The note that a player's choice came at this time, under the log's key.
pub fn received(time: u64, who: &PlayerId, command: HouseCommand) -> Vec<u8> {
    let (origin, by) = (ORIGIN.parse().unwrap(), Actor::Player(who.clone()));
    ReceivedNote { origin, time, by, command, signed: None }.sign(&signer()).unwrap().into_bytes()
}

/// The first failure of a verifier.
#[derive(Debug, PartialEq)]
pub struct Failure {
    pub check: String,
    pub entry: Option<u64>,
}

pub struct Judged {
    /// The report of `log`.
    pub report: Value,
    pub failure: Option<Failure>,
    /// Figures of `log` and of `stats` that an honest house seldom comes to, the unlikeliest first.
    pub unlikely: Vec<(String, f64)>,
    /// What the second verifier says: its word, and what it found.
    pub second: (String, Option<Failure>),
}

fn run(command: &mut Command) -> Value {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = || format!("{status} {}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(matches!(status.code(), Some(0 | 1)), "{}", said());
    serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("{}", said()))
}

fn failure(finding: &Value) -> Option<Failure> {
    let check = finding["check"].as_str()?.to_owned();
    Some(Failure { check, entry: finding["entry"].as_u64() })
}

/// Every chance below the bound in a report, by its path.
fn chances(path: &str, value: &Value, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_f64().filter(|p| name == "p" && *p < UNLIKELY) {
                    Some(p) => found.push((path.to_owned(), p)),
                    None => chances(&format!("{path}.{name}"), field, found),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                let named = ["player", "table", "cause"].iter().find_map(|field| item[field].as_str());
                chances(&named.map_or(path.to_owned(), |name| format!("{path}[{name}]")), item, found);
            }
        }
        _ => {}
    }
}

pub fn verifier() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../verifier/fairshoe-verify.js")
}

/// The report of the built auditor's `log`.
fn audited(evidence: &Evidence, address: &str, dir: &Path, key: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"));
    command.current_dir(dir).args(["log", address, "--key", key, "--json"]);
    for (name, bytes) in &evidence.files {
        fs::write(dir.join(name), bytes).unwrap();
        command.args(["--kept", name]);
    }
    if evidence.witnessed {
        let policy = format!("log {key}\nwitness w1 {}\nquorum w1\n", witness().verifier_key());
        fs::write(dir.join("policy.txt"), policy).unwrap();
        command.args(["--policy", "policy.txt"]);
    }
    if !evidence.disclosed.is_empty() {
        fs::write(dir.join("auditor.token"), "token").unwrap();
        command.args(["--token-file", "auditor.token"]);
    }
    run(&mut command)
}

/// `log` and `stats` of the built auditor, and `log` of the second verifier.
pub fn judge(evidence: &Evidence) -> Judged {
    let key = signer().verifier_key().to_string();
    let served = Served::start(&evidence.log, &checkpoint(&evidence.log), &key, None);
    for (path, reply) in &evidence.disclosed {
        served.put(path, reply.clone());
    }
    let dir = TempDir::new().unwrap();
    let report = audited(evidence, &served.address, dir.path(), &key);
    let mut unlikely = Vec::new();
    chances("log", &report["leaning"], &mut unlikely);
    let found = failure(&report["first_failure"]);
    if found.is_none() {
        let mut stats = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"));
        let stats = run(stats.args(["stats", &served.address, "--key", &key, "--json"]));
        for part in ["out", "events", "own_structures", "by_operator", "by_players"] {
            assert_eq!(
                stats[part],
                report["book"].get(part).cloned().unwrap_or_default(),
                "{part}, by stats and by log"
            );
        }
        let tests = stats["tests"].as_array().unwrap().iter().filter(|test| test["unusual"] == true);
        unlikely.extend(
            tests.map(|test| (format!("stats.{}", test["id"].as_str().unwrap()), test["corrected"].as_f64().unwrap())),
        );
    }
    unlikely.sort_by(|a, b| a.1.total_cmp(&b.1));
    if found.is_some() && evidence.files.is_empty() {
        let mut monitor = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"));
        monitor.args(["monitor", &served.address, "--key", &key, "--once", "--json", "--state"]);
        let look = run(monitor.arg(dir.path().join("monitor")));
        assert_eq!(failure(&look["finding"]), found, "by a monitor, and by log");
    }

    fs::write(dir.path().join("log.txt"), evidence.log.join(&b'\n')).unwrap();
    let mut second = Command::new("node");
    second.current_dir(dir.path()).arg(verifier()).args(["log", "log.txt", "--json", "--key", &key]);
    for (name, _) in &evidence.files {
        second.args(["--kept", name]);
    }
    if evidence.witnessed {
        second.args(["--policy", "policy.txt"]);
    }
    let second = run(&mut second);
    if found.is_none() {
        assert_eq!(second["out"], report["book"]["out"], "out, by the second verifier and by log");
    }
    let word = second["verdict"].as_str().unwrap().to_owned();
    let second = (word, second["findings"].get(0).and_then(failure));
    Judged { failure: found, unlikely, second, report }
}
