//! `play` from outside: every worked example of the rules, in words and as JSON.

use crate::golden_cases;

use golden_cases::{Case, cases};
use serde_json::Value;
use std::process::Command;

fn audit(args: &[String]) -> (i32, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(args).output().unwrap();
    (
        run.status.code().expect("it was killed"),
        String::from_utf8(run.stdout).unwrap(),
        String::from_utf8(run.stderr).unwrap(),
    )
}

fn args(case: &Case, rules: &str) -> Vec<String> {
    let mut args = vec!["play".to_owned(), rules.to_owned()];
    let mut flag = |name: &str, value: String| args.extend([format!("--{name}"), value]);
    for (name, value) in &case.set {
        flag("set", format!("{name}={value}"));
    }
    for (name, text) in
        [("cards", &case.cards), ("bets", &case.bets), ("actions", &case.actions), ("players", &case.players)]
    {
        if !text.is_empty() {
            flag(name, text.clone());
        }
    }
    for (name, number) in [("entry", case.entry), ("pocket", case.pocket), ("balance", case.balance)] {
        if let Some(number) = number {
            flag(name, number.to_string());
        }
    }
    args
}

#[test]
fn play_gives_every_worked_example_and_refuses_with_a_reason() {
    for case in cases() {
        for rules in &case.rules {
            let name = format!("{} at {rules}", case.name);
            let words = args(&case, rules);
            let (exit, out, err) = audit(&[words.clone(), vec!["--json".to_owned()]].concat());
            if let Some(why) = &case.refused {
                assert_eq!(exit, 2, "{name}: {out}{err}");
                assert!(out.is_empty() && err.contains(why.as_str()), "{name}: {err}");
                continue;
            }
            assert_eq!(exit, 0, "{name}: {err}");
            let played: Value = serde_json::from_str(&out).unwrap();
            case.check(&name, &played);
            let (exit, said, err) = audit(&words);
            let sum = format!(
                "staked {}, returned {}, net {:+}",
                played["staked"],
                played["returned"],
                played["net"].as_i64().unwrap()
            );
            assert_eq!(exit, 0, "{name}: {err}");
            assert_eq!(said.lines().last(), Some(sum.as_str()), "{name}: {said}");
            assert!(!said.contains("1970"), "{name}: no time is told where none is: {said}");
            let lines = said.lines().count();
            assert!(
                lines > played["events"].as_array().unwrap().len(),
                "{name}: an event a line, then the money: {said}"
            );
        }
    }
}

#[test]
fn play_says_which_words_a_game_takes() {
    for (words, why) in [
        (&["baccarat", "--bets", "player=100"][..], "--cards"),
        (&["baccarat", "--cards", "2h Td 4c 6s"], "name the bets"),
        (&["roulette", "--bets", "red=100"], "--pocket 17"),
        (&["roulette", "--bets", "red=100", "--pocket", "37"], "0 to 36"),
        (&["roulette", "--bets", "red=100", "--cards", "As"], "--pocket"),
        (&["joy", "--bets", "1", "--cards", "As", "--pocket", "1"], "--cards"),
        (&["joy", "--bets", "1", "--cards", "As", "--players", "A,B"], "--bets"),
        (&["joy", "--cards", "As", "--entry", "1"], "--bets"),
        (&["safe", "--cards", "As"], "--players A,B,C"),
        (&["safe", "--cards", "As", "--players", "A"], "2 to 6 players"),
        (&["safe", "--cards", "As", "--players", "A,a"], "named twice"),
        (&["safe", "--cards", "As As", "--players", "A,B"], "card 2 (As)"),
        (&["safe", "--cards", "As", "--players", "A,B", "--entry", "1", "--bets", "1"], "once"),
        (&["safe", "--cards", "9s 8s 8h 7h", "--players", "A,B", "--actions", "B:stand"], "b's, but a is asked"),
    ] {
        let args: Vec<String> = [&["play"], words].concat().iter().map(|word| (*word).to_owned()).collect();
        let (exit, out, err) = audit(&args);
        assert_eq!(exit, 2, "{words:?}: {out}{err}");
        assert!(err.contains(why), "{words:?}: {err}");
    }
}
