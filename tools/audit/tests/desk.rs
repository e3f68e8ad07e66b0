//! What a dispute desk does: find a round, tell it alone, put it on paper (spec/audit.md, "To find a round", "A round on
//! paper").

use crate::audit_common;
use crate::common;
use crate::hand_histories::room;
use crate::served;

use audit_common::*;
use common::*;
use fairshoe_tlog::leaf_hash;
use serde_json::Value;
use served::Served;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
    (status.code().expect("it was killed"), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// What a player staked and got back in a round, and whether it is void; none while it is in play.
type Sums = Option<(u64, u64, bool)>;

/// By round and player.
type Parts = BTreeMap<(String, String), Sums>;

/// The rounds that ended, and those in play, as the entries say: of each player in each what they staked and got back.
fn told(log: &[Vec<u8>]) -> Parts {
    let mut all = BTreeMap::new();
    for bytes in log {
        let entry: Value = serde_json::from_slice(bytes).unwrap();
        let Some(table) = entry["at"]["table"].as_str() else { continue };
        for event in entry["events"].as_array().unwrap() {
            for word in ["bets_closed", "hand_begun"] {
                for who in event[word]["contributors"].as_array().into_iter().flatten() {
                    let round = format!("{table}:{}", event[word]["round_no"]);
                    all.insert((round, who["player"].as_str().unwrap().to_owned()), None);
                }
            }
            for word in ["round_settled", "round_voided"] {
                for who in event[word]["players"].as_array().into_iter().flatten() {
                    let round = format!("{table}:{}", event[word]["round_no"]);
                    let sums = (who["staked"].as_u64().unwrap(), who["returned"].as_u64().unwrap());
                    let part = Some((sums.0, sums.1, word == "round_voided"));
                    all.insert((round, who["player"].as_str().unwrap().to_owned()), part);
                }
            }
        }
    }
    all
}

#[test]
fn rounds_are_found_by_what_they_were() {
    let log = book(3, 60).log;
    let served = Served::start(&log, &checkpoint(&log), &signer().verifier_key().to_string(), None);
    let key = signer().verifier_key().to_string();
    let find = |more: &[&str]| -> Value {
        let (exit, out, err) = run(&[&["find", &served.address, "--key", &key, "--json"], more].concat());
        assert_eq!(exit, 0, "{out}{err}");
        serde_json::from_str(&out).unwrap()
    };
    let all = told(&log);
    let report = find(&[]);
    let listed: Parts = report["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| {
            let name = |field: &str| part[field].as_str().unwrap().to_owned();
            let sums = part["staked"].as_u64().zip(part["returned"].as_u64());
            (
                (name("round"), name("player")),
                sums.map(|(staked, returned)| (staked, returned, part["outcome"] == "void")),
            )
        })
        .collect();
    assert_eq!(listed, all);
    assert!(all.len() > 30 && report["count"] == all.len());

    let net = |part: &Sums| part.map(|(staked, returned, _)| returned as i64 - staked as i64);
    let wanted = |fits: &dyn Fn(&str, &str, &Sums) -> bool| {
        all.iter().filter(|((round, player), part)| fits(round, player, part)).count()
    };
    let player = all.keys().next().unwrap().1.clone();
    let table = all.keys().last().unwrap().0.split(':').next().unwrap().to_owned();
    let at_table = format!("{table}:");
    for (asked, count) in [
        (vec!["--player", &player], wanted(&|_, who, _| who == player)),
        (vec!["--table", &table], wanted(&|round, _, _| round.starts_with(&at_table))),
        (vec!["--outcome", "void"], wanted(&|_, _, part| part.is_some_and(|(_, _, is_void)| is_void))),
        (vec!["--outcome", "won"], wanted(&|_, _, part| net(part) > Some(0) && part.is_some_and(|part| !part.2))),
        (vec!["--outcome", "in_play"], wanted(&|_, _, part| part.is_none())),
        (vec!["--min-staked", "20"], wanted(&|_, _, part| part.is_some_and(|part| part.0 >= 20))),
        (vec!["--max-net", "-5"], wanted(&|_, _, part| net(part).is_some_and(|net| net <= -5))),
        (vec!["--min-net", "5", "--player", &player], wanted(&|_, who, part| who == player && net(part) >= Some(5))),
        (vec!["--player", "nobody"], 0),
    ] {
        let found = find(&asked);
        assert_eq!(found["count"], count, "{asked:?}");
        assert_eq!(found["rounds"].as_array().unwrap().len(), count, "{asked:?}");
    }
    // By time: what ends before a moment, and what begins at it or later, is all there is but what is in play then.
    let first = report["rounds"][10]["begun"].as_u64().unwrap();
    let at = fairshoe_judge::utc(first / 1_000 * 1_000).replace(".000Z", "Z");
    let (before, after) = (find(&["--until", &at]), find(&["--since", &at]));
    let sum = before["count"].as_u64().unwrap() + after["count"].as_u64().unwrap();
    assert!(before["count"].as_u64() > Some(3) && after["count"].as_u64() > Some(3) && sum >= all.len() as u64);

    let (exit, csv, err) = run(&["find", &served.address, "--key", &key, "--csv", "--limit", "5", "--zone", "+02:00"]);
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert!(
        exit == 0 && lines.len() == 7 && lines[6].is_empty() && lines[0].starts_with("round,rules,begun,"),
        "{csv}"
    );
    assert!(lines[1..6].iter().all(|line| line.split(',').count() == 12 && line.contains("+02:00")), "{csv}");
    assert!(err.contains(&format!("{} fit, and 5 are listed", all.len())), "{err}");
    let (_, words, _) = run(&["find", &served.address, "--key", &key, "--outcome", "void"]);
    assert!(words.contains(": void, staked ") && words.contains(", since "), "{words}");

    // Of a log that is not sound nothing is listed.
    let mut cheated = log.clone();
    let last = cheated.len() - 1;
    cheated.swap(last, last - 1);
    let served = Served::start(&cheated, &checkpoint(&cheated), &key, None);
    let (exit, out, _) = run(&["find", &served.address, "--key", &key, "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert!(exit == 1 && report["rounds"].as_array().unwrap().is_empty() && report["verdict"] == "not_sound", "{out}");
    // Also by what the option was called before.
    for since in ["--since", "--after"] {
        let (exit, _, err) = run(&["find", &served.address, since, "yesterday"]);
        assert!(exit == 2 && err.contains("2027-01-15T10:02:54Z"), "{err}");
    }
}

/// The page of a round of this house, and its bundle.
fn page(house: &House, round: &str, more: &[&str]) -> (String, fairshoe_judge::bundle::Bundle) {
    let dir = TempDir::new().unwrap();
    let of_round = bundle(house, &house.log, round);
    let (file, html) = (dir.path().join("bundle.json"), dir.path().join("round.html"));
    fs::write(&file, of_round.to_json().unwrap()).unwrap();
    let asked = [&["round", file.to_str().unwrap(), "--html", html.to_str().unwrap()], more].concat();
    let (exit, out, err) = run(&asked);
    assert_eq!(exit, 0, "{out}{err}");
    (fs::read_to_string(&html).unwrap(), of_round)
}

/// The first sheets, without the appendix and the style.
fn in_words(page: &str) -> &str {
    page.split("<body>").nth(1).unwrap().split("class=\"appendix\"").next().unwrap()
}

fn has_long_word(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() >= 40)
}

#[test]
fn a_round_on_paper_says_who_played_what_was_drawn_and_who_won() {
    let mut house = House::with_table(&[], 1000);
    for _ in 0..2 {
        house.deal("t1", "alice", 10, |cards| cards[0] == 5 && cards[2] == 6 && cards[1] == 6);
        house.finish("t1", "alice");
        house.run_due();
    }
    let (page, of_round) = page(&house, "t1:0", &["--key", &signer().verifier_key().to_string(), "--zone", "+02:00"]);
    let words = in_words(&page);
    for part in [
        "<h1>Round t1:0</h1>",
        "SOUND. Everything in this round holds.",
        "<td>alice</td><td class=\"number\">10</td>",
        "<th>dealer</th>",
        "class=\"card ",
        "Who won, and why",
        "+02:00",
        "It was named by whoever made this page.",
    ] {
        assert!(words.contains(part), "`{part}` is not in {words}");
    }
    assert!(!words.contains("Round t1:1") && !words.contains("round 1 takes bets"), "another round is told: {words}");
    assert!(!has_long_word(words), "a hash is in the running text: {words}");
    assert!(
        !["<script", "http://", "https://", "src=", "url("].iter().any(|word| page.contains(word)),
        "something could be fetched"
    );
    // The appendix has each of its entries in full, and what is needed to check them.
    let appendix = page.split("class=\"appendix\"").nth(1).unwrap();
    let own: Vec<String> = of_round
        .entries
        .iter()
        .filter(|proven| words.contains(&format!("<b>[{}]</b>", proven.index)))
        .map(|proven| leaf_hash(proven.entry.as_bytes()).to_string())
        .collect();
    assert!(own.len() >= 3 && own.iter().all(|leaf| appendix.contains(leaf.as_str())), "{appendix}");
    assert!(appendix.contains(&signer().verifier_key().to_string()));
}

#[test]
fn a_void_round_is_called_void_and_one_in_play_is_not_over() {
    let mut house = House::with_table(&[], 1000);
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 10, &seed).unwrap();
    let (in_play, _) = page(&house, "t1:0", &[]);
    assert!(in_words(&in_play).contains("<dd>seeds are awaited</dd>"), "{in_play}");
    assert!(in_words(&in_play).contains("SOUND SO FAR"), "{in_play}");
    house.now += 121_000;
    house.run_due();
    let (void, _) = page(&house, "t1:0", &[]);
    assert!(in_words(&void).contains("<dd>void: a seed was not revealed</dd>"), "{void}");
}

#[test]
fn a_hand_of_poker_is_told_in_poker_s_words() {
    let house = room("holdem", &[], 3, 8);
    let hand =
        told(&house.log).into_iter().rfind(|(_, part)| part.is_some_and(|(staked, _, is_void)| staked > 0 && !is_void));
    let (round, _) = hand.expect("a hand that was played").0;
    let (page, _) = page(&house, &round, &[]);
    let words = in_words(&page);
    let acts = ["raises to", "calls", "folds", "checks", "bets"];
    assert!(acts.iter().any(|act| words.contains(act)), "{words}");
    assert!(words.contains("the button is at seat"), "{words}");
}

#[test]
fn only_the_round_s_own_entries_are_told_where_that_is_asked_for() {
    // One shoe for all of these.
    let (mut house, two) = (House::new(), ["alice", "bob"]);
    two.iter().for_each(|who| house.add_player(who, 10_000));
    house.open_rules("live", shared::rules("live-blackjack", &[]));
    house.sit_all("live", &two);
    (0..3).for_each(|_| house.whole_round("live", &two, 100));
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("bundle.json");
    fs::write(&file, bundle(&house, &house.log, "live:1").to_json().unwrap()).unwrap();
    let file = file.to_str().unwrap();
    let (all, only) = (run(&["round", file]).1, run(&["round", file, "--only"]).1);
    assert!(only.lines().count() * 3 < all.lines().count() * 2, "{only}");
    assert!(only.lines().all(|line| all.lines().any(|told| told == line)), "{only}");
    assert!(only.contains("Round 1 at t1") || only.contains("round 1"), "{only}");
    assert!(
        !only.contains("round 2 takes") && !only.contains("Round 2 at t1") && !only.contains("Round 0 at t1"),
        "{only}"
    );
    assert_eq!(only.lines().last(), all.lines().last(), "the verdict is the same");
}

#[test]
fn what_is_asked_of_the_wrong_command_is_sent_to_the_right_one() {
    let dir = TempDir::new().unwrap();
    let reply = dir.path().join("reply.json");
    fs::write(&reply, r#"{"receipts":[]}"#).unwrap();
    let (exit, _, err) = run(&["round", reply.to_str().unwrap()]);
    assert!(exit == 2 && err.contains("fairshoe-audit receipt"), "{err}");
    let (exit, _, err) = run(&["round", "/no/such/bundle.json"]);
    assert!(exit == 2 && err.contains("no file and no folder of this name"), "{err}");
    let (exit, _, err) = run(&["receipt", reply.to_str().unwrap()]);
    assert!(exit == 2 && err.contains("--key") && err.contains("--policy"), "{err}");
}
