//! Cash tables before the second verifier (tools/verifier, written from spec/ alone): random rooms of many rule sets
//! are decided again to the same bytes, their bundles are sound, and what is changed in a log is found by both
//! verifiers or by neither.

use crate::audit_common;
use crate::common;

use audit_common::mutate::change;
use audit_common::*;
use common::rng::Rng;
use common::rooms::one_hand;
use common::*;
use fairshoe_house::Account;
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_judge::bundle::{Soundness, verify};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verifier/fairshoe-verify.js");

/// What the second verifier says of these files, a report each; none where there is no node.
pub fn judged(command: &str, files: &[PathBuf]) -> Option<Vec<Value>> {
    let version = Program::new("node").arg("--version").output().ok()?;
    let major: u32 =
        String::from_utf8_lossy(&version.stdout).trim().strip_prefix('v')?.split('.').next()?.parse().ok()?;
    if major < 18 {
        return None;
    }
    let mut reports = Vec::new();
    for files in files.chunks(50) {
        // A single file is printed on several lines.
        let again = if files.len() == 1 { files } else { &[] };
        // The rooms play in a year of their own.
        let now: &[&str] = if command.starts_with("log") { &["--now", "1900000000000"] } else { &[] };
        let output = Program::new("node")
            .arg(SCRIPT)
            .args(command.split(' '))
            .args(files)
            .args(again)
            .args(now)
            .arg("--json")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), files.len() + again.len(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        reports.extend(lines.into_iter().take(files.len()));
    }
    Some(reports)
}

pub fn write_log(folder: &Path, name: &str, log: &[String]) -> PathBuf {
    let path = folder.join(format!("{name}.jsonl"));
    std::fs::write(&path, log.join("\n")).unwrap();
    path
}

pub fn texts(house: &House) -> Vec<String> {
    house.log.iter().map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect()
}

fn room(rules: &str, options: &[(&str, &str)], seed: u64, hands: usize) -> House {
    let mut house = House::room(rules, options);
    let mut rng = Rng(seed);
    for hand in 0..hands {
        one_hand(&mut house, &mut rng, hand % 3 > 0);
    }
    house
}

/// A hand's options with some of them changed.
fn hand(family: &str, betting: &str, flags: [bool; 3], reopening: &str, odd_chips: &str, rake: &str) -> String {
    let [hi_lo, full_blind, ante_layers] = flags;
    format!(
        r#"{{"family":"{family}","hi_lo":{hi_lo},"betting":{betting},"full_blind":{full_blind},"ante_layers":{ante_layers},"reopening":"{reopening}","odd_chips":"{odd_chips}"{rake}}}"#
    )
}

/// Rule sets that between them use every option, with small stacks so that players are all-in often.
fn rooms() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let blinds = |third: &str, ante: u32, straddle: bool, post: &str| {
        format!(r#"{{"small":100,"big":200{third},"ante":{ante},"straddle":{straddle},"entry_post":"{post}"}}"#)
    };
    let rake = r#","rake":{"basis_points":777,"cap":501,"no_flop_no_drop":false}"#;
    let no_limit = r#"{"no_limit":{"min_bet":200}}"#;
    let fixed = r#"{"fixed_limit":{"small_bet":200,"big_bet":400,"cap":null}}"#;
    vec![
        ("holdem", vec![]),
        ("omaha-hi-lo", vec![]),
        (
            "holdem",
            vec![("blinds", blinds("", 25, true, "big")), ("stake_min", "600".into()), ("crash", "resume".into())],
        ),
        (
            "holdem-limit",
            vec![
                ("blinds", blinds(r#","third":200"#, 10, true, "big")),
                ("cash_timeout", "check_if_free".into()),
                ("stake_min", "600".into()),
            ],
        ),
        (
            "holdem",
            vec![
                ("hand", hand("short_deck", no_limit, [false, false, false], "any", "all_to_first", rake)),
                ("blinds", blinds("", 33, false, "small")),
                ("stake_min", "600".into()),
            ],
        ),
        (
            "omaha",
            vec![
                (
                    "hand",
                    hand("omaha", r#"{"pot_limit":{"min_bet":300}}"#, [true, false, true], "full", "one_each", ""),
                ),
                ("blinds", blinds(r#","third":300"#, 0, true, "small")),
                ("stake_min", "600".into()),
                ("clocks", r#"{"street_extra_ms":[1000,2000,3000,4000],"bank_ms":9000,"bank_refill_ms":700}"#.into()),
            ],
        ),
        (
            "holdem",
            vec![
                ("hand", hand("holdem", fixed, [true, true, false], "any", "one_each", rake)),
                ("leave_table", r#"{"exempt":false,"removal_counts":false,"sit_out_hands":3}"#.into()),
                ("stake_min", "600".into()),
            ],
        ),
        (
            "holdem",
            vec![
                ("between_hands_ms", "4000".into()),
                ("away_ms", "60000".into()),
                ("seats", "4".into()),
                ("stake_min", "600".into()),
            ],
        ),
    ]
}

#[test]
fn random_rooms_are_decided_again_from_the_specification_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (mut logs, mut balances, mut bundles) = (Vec::new(), Vec::new(), Vec::new());
    let seeds = if effort() > 1 { 40 } else { 2 };
    for (number, (rules, options)) in rooms().into_iter().enumerate() {
        let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for seed in 0..seeds {
            let house = room(rules, &options, 1 + seed + 1_000 * number as u64, 50);
            let name = format!("{number}-{seed}");
            logs.push(write_log(folder.path(), &name, &texts(&house)));
            balances.push(["player:alice", "seat:t1/2", "rake", "cage"].map(|account| {
                let account: Account = serde_json::from_value(account.into()).unwrap();
                (account.to_string(), house.state.ledger().balance(&account))
            }));
            for round in (0..house.table("t1").next_round).step_by(9) {
                let path = folder.path().join(format!("{name}-{round}.json"));
                std::fs::write(&path, bundle(&house, &house.log, &format!("t1:{round}")).to_json().unwrap()).unwrap();
                bundles.push(path);
            }
            // Cut off in the middle of hands, too.
            for end in (1..=house.log.len()).step_by(41) {
                let Some(round) = fold(&house.log[..end])
                    .table(&"t1".parse().unwrap())
                    .and_then(|at| Some(at.live_round()?.round_no))
                else {
                    continue;
                };
                let path = folder.path().join(format!("{name}-cut-{end}.json"));
                let cut_off = bundle(&house, &house.log[..end], &format!("t1:{round}"));
                std::fs::write(&path, cut_off.to_json().unwrap()).unwrap();
                bundles.push(path);
            }
        }
    }
    let Some(reports) = judged("log", &logs) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    for (report, accounts) in reports.iter().zip(&balances) {
        assert!(["sound", "sound_so_far"].contains(&report["verdict"].as_str().unwrap()), "{report:#}");
        for (account, balance) in accounts {
            assert_eq!(report["balances"][account].as_i64(), *balance, "{account}");
        }
    }
    let mut in_play = 0;
    for (path, report) in bundles.iter().zip(judged("bundle", &bundles).unwrap()) {
        let first = verify(&std::fs::read(path).unwrap(), None);
        let word = if first.verdict == Soundness::Sound { "sound" } else { "sound_so_far" };
        assert!(first.findings.is_empty(), "{:?}", first.findings);
        assert_eq!(report["verdict"], word, "{:#}", report["findings"]);
        let facts = serde_json::to_value(first.round.unwrap()).unwrap();
        for field in ["id", "shoe_no", "rules", "phase", "players"] {
            assert_eq!(report["round"][field], facts[field], "{}", path.display());
        }
        in_play += usize::from(facts["phase"] == "open");
    }
    assert!(in_play > 20, "{in_play} bundles end in the middle of a hand");
}

#[test]
fn what_is_changed_in_a_log_both_verifiers_find_or_neither() {
    let folder = tempfile::tempdir().unwrap();
    let rooms = rooms();
    let (mut logs, mut firsts) = (Vec::new(), Vec::new());
    for seed in 0..if effort() > 1 { 1_500 } else { 120 } {
        let mut rng = Rng(7_777 + seed);
        let (rules, options) = &rooms[rng.below(rooms.len())];
        let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut log = texts(&room(rules, &options, 1 + seed % 16, 12));
        let at = 14 + rng.below(log.len() - 14);
        let (changed, what) = change(&log[at], &mut rng);
        log[at] = changed;
        let mut book = Book::new(Limits::default());
        let found = (0..).zip(&log).find_map(|(index, text)| book.feed(index, text.as_bytes()).err());
        let sound = found.is_none() && book.finish().is_sound();
        logs.push(write_log(folder.path(), &format!("changed-{seed}"), &log));
        firsts.push((sound, format!("entry {at}: {what}; the first says {found:?}")));
    }
    let Some(reports) = judged("log", &logs) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    let mut found = 0;
    for (report, (sound, what)) in reports.iter().zip(&firsts) {
        let second = report["verdict"] != "not_sound";
        assert_eq!(second, *sound, "{what}; the second says {report:#}");
        found += usize::from(!second);
    }
    assert!(found * 4 > firsts.len() * 3, "{found} of {} changes were found", firsts.len());
}
