//! The command line: words, JSON, help and exit codes.

use serde_json::Value;
use std::process::{Command, Output};

fn odds(args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairshoe-odds")).args(args.split_whitespace()).output().unwrap()
}

fn json(args: &str) -> Value {
    let output = odds(args);
    assert_eq!(output.status.code(), Some(0), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(args: &str, why: &str) {
    let output = odds(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args}");
    assert!(said.contains(why) && output.stdout.is_empty(), "{args}: {said}");
}

#[test]
fn every_command_speaks_json() {
    let baccarat = json("baccarat --json --decks 6 --stake 100 --stake 25");
    assert_eq!((&baccarat["decks"], baccarat["bets"].as_array().unwrap().len()), (&6.into(), 6));
    let roulette = json("roulette --json");
    assert_eq!(roulette["spots"][0]["edge"]["exact"], "1/37");
    let six = json("blackjack six-deck --set insurance_odds=3:1 --exact --chart --json");
    assert_eq!(six["facts"]["insurance"]["player"]["exact"], "73/311");
    assert_eq!(
        (&six["facts"]["even_money"]["waiting"]["exact"], &six["simulation"]),
        (&"143/103".into(), &Value::Null)
    );
    assert!(six["edge"].as_f64().unwrap() < -0.01 && six["chart"].as_array().unwrap().len() == 33);
    assert_eq!(six["insured"].as_array().unwrap().len() as u64, six["insurable"].as_u64().unwrap());
    let joy = json("blackjack joy --hands 3000 --seed 9 --strategy never-bust --json");
    assert_eq!((&joy["simulation"]["hands"], &joy["simulation"]["staked"]), (&3000.into(), &1.0.into()));
    let safe = json("safe --players 3 --games 60 --json");
    for play in safe["plays"].as_array().unwrap() {
        assert_eq!(play["house"], 0);
        assert_eq!(play["wins"].as_array().unwrap().iter().map(|wins| wins.as_u64().unwrap()).sum::<u64>(), 60);
    }
}

#[test]
fn one_seed_one_text() {
    for args in ["blackjack study-group --hands 2000 --seed 3", "safe --games 40 --seed 3 --players 6"] {
        let one = odds(&format!("{args} --threads 1"));
        assert_eq!(one.stdout, odds(&format!("{args} --threads 2")).stdout);
        assert!(one.stderr.is_empty());
    }
}

#[test]
fn words_say_the_figures() {
    let text = |args| String::from_utf8(odds(args).stdout).unwrap();
    let baccarat = text("baccarat");
    for figure in ["4 998 398 275 503 360", "1.0579 %", "1.2351 %", "14.3596 %"] {
        assert!(baccarat.contains(figure), "{baccarat}");
    }
    assert!(text("roulette").contains("1/37 = 2.7027 %"));
    let six = text("blackjack six-deck --exact --chart");
    for figure in ["192/4043 = 4.7489 %", "-23/311", "waiting wins 143/103 = 1.3883", "hard 16", "taken with no hand"] {
        assert!(six.contains(figure), "{six}");
    }
}

#[test]
fn bad_input_is_exit_code_2_with_a_reason() {
    refused("blackjack nosuch", "is no shipped rule set (joy, joy-own, live-blackjack");
    refused("blackjack roulette", "is a rule set of roulette, not of blackjack");
    refused("baccarat joy", "not of baccarat");
    refused("bets joy", "where players decide");
    refused("bets holdem", "no spots to bet on");
    refused("safe joy", "not of Safe");
    refused("blackjack six-deck --set surrender", "--set takes option=value");
    refused("blackjack six-deck --set moon=full", "there is no option `moon`");
    refused("blackjack six-deck --set decks=9", "decks must be from 1 to 8");
    refused("blackjack six-deck --stake 11", "is not a multiple of 2");
    refused("blackjack six-deck --stake 9007199254740993", "beyond the range of amounts");
    refused("blackjack joy --stake 0", "below the minimum");
    refused("blackjack joy --hands 1", "--hands is from 2");
    refused("baccarat --decks 0", "decks must be from 1 to 8");
    refused("baccarat --stake 0", "a stake is at least 1");
    refused("safe --players 7", "--players is from 2 to 6");
    refused("safe --games 0", "--games is at least 1");
    refused("blackjack joy --strategy psychic", "psychic");
    refused("blackjack .", "`.`");
}

#[test]
fn help_teaches() {
    for (args, word) in [
        ("--help", "A house edge is"),
        ("blackjack --help", "full shoe"),
        ("baccarat --help", "commission"),
        ("safe --help", "seat"),
    ] {
        let output = odds(args);
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8(output.stdout).unwrap().contains(word), "{args}");
    }
}
