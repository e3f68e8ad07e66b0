//! Compares the pages of the games that chance alone decides with the code: digests, fields, examples, tests by number.

use crate::spots;
use fairshoe_fairness::Slot;
use fairshoe_games::{RoundEvent, RuleSet, Spin};
use serde_json::Value;
use spots::*;
use std::fs;
use std::path::Path;

const BACCARAT: &str = include_str!("../../../spec/games/baccarat.md");
const DRAGON_TIGER: &str = include_str!("../../../spec/games/dragon-tiger.md");
const SIC_BO: &str = include_str!("../../../spec/games/sic-bo.md");
const ROULETTE: &str = include_str!("../../../spec/games/roulette.md");

/// Each page with its rule sets, live and RNG.
const PAGES: [(&str, &str, [&str; 2]); 4] = [
    (BACCARAT, "baccarat", ["baccarat", "rng-baccarat"]),
    (ROULETTE, "roulette", ["roulette", "rng-roulette"]),
    (SIC_BO, "sic_bo", ["sic-bo", "rng-sic-bo"]),
    (DRAGON_TIGER, "dragon_tiger", ["dragon-tiger", "rng-dragon-tiger"]),
];

#[test]
fn the_digests_stand_on_the_pages() {
    for (page, _, names) in PAGES {
        for name in names {
            let row = format!("| `{name}` | `{}` |", RuleSet::shipped(name).unwrap().digest());
            assert!(page.contains(&row), "{row}");
        }
    }
}

#[test]
fn every_option_stands_on_its_page_with_both_values() {
    for (page, game, names) in PAGES {
        let sets =
            names.map(|name| serde_json::from_str::<Value>(&RuleSet::shipped(name).unwrap().canonical()).unwrap());
        let mut seen = 0;
        for row in page.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            if cells.len() != 8 {
                continue;
            }
            let fields = cells[1].split(", ").map(|field| field.trim_matches('`'));
            for (column, set) in [(4, &sets[0]), (5, &sets[1])] {
                let value = |field: &str| match field.strip_prefix("table.") {
                    Some(field) => set["table"][field].clone(),
                    None => set["game"][game][field].clone(),
                };
                let values: Vec<Value> = fields.clone().map(value).collect();
                let said: Vec<String> = match &values[..] {
                    absent if absent.iter().all(Value::is_null) => vec!["absent".into(); absent.len()],
                    // The odds, in the order in which the page names the kinds.
                    [Value::Object(pays)] if *cells[1] == *"`pays`" => {
                        let kinds: Vec<&str> = cells[2].split('`').skip(1).step_by(2).collect();
                        assert_eq!(kinds.len(), pays.len());
                        kinds.iter().map(|kind| pays[*kind].to_string().replace(',', ", ")).collect()
                    }
                    many => many
                        .iter()
                        .map(|value| value.to_string().replace("\",", "\", ").replace("[5,", "[5, "))
                        .collect(),
                };
                let unquoted = |text: &str| text.replace(['`', '"'], "");
                assert_eq!(unquoted(cells[column]), unquoted(&said.join(", ")), "{}", cells[1]);
            }
            seen += fields.count();
        }
        let options = sets[0]["game"][game].as_object().unwrap();
        assert!(options.keys().all(|option| page.contains(&format!("| `{option}` |"))), "{game}");
        assert!(seen >= 12 + options.len(), "{game}: {seen}");
    }
}

fn examples(page: &str) -> Vec<RoundEvent> {
    let lines = page
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with("{\"dealt") || line.starts_with("{\"spun") || line.starts_with("{\"paid"));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_examples_are_what_the_engines_write() {
    let bets = placed("ann: banker=1001 | bob: tie=500");
    let (events, _) = course(&RuleSet::shipped("baccarat").unwrap(), &bets, Given::shoe("4h 9d 3c Ks")).unwrap();
    assert_eq!(examples(BACCARAT), events);
    let bets = placed("ann: red=100 straight:17=200");
    let (events, _) = course(&RuleSet::shipped("roulette").unwrap(), &bets, Given::pocket(17)).unwrap();
    assert_eq!(examples(ROULETTE), events);
    let bets = placed("ann: dragon=1001 | bob: tie=500");
    let (events, _) = course(&RuleSet::shipped("dragon-tiger").unwrap(), &bets, Given::shoe("9h 9d")).unwrap();
    assert_eq!(examples(DRAGON_TIGER), events);
    let bets = placed("ann: small=100 double:4=200");
    let thrown = Given { spin: Some(Spin { slot: Slot(5), value: 50, pocket: 57 }), ..Given::default() };
    let (events, _) = course(&RuleSet::shipped("sic-bo").unwrap(), &bets, thrown).unwrap();
    assert_eq!(examples(SIC_BO), events);
}

#[test]
fn every_number_of_a_page_has_a_row_and_every_row_a_test_that_exists() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (page, _, _) in PAGES {
        let (rules, table) = page.split_once("## Tests").unwrap();
        let rows: Vec<Vec<&str>> = table
            .lines()
            .filter(|line| line.starts_with("| ") && !line.contains("number |"))
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        for bold in rules.split("**").skip(1).step_by(2).filter(|bold| bold.contains("00")) {
            assert!(rows.iter().any(|row| row[1] == bold), "{bold} is not in the table");
        }
        for row in &rows {
            for test in row[2].split(", ").filter(|cell| cell.contains("::")) {
                let (file, name) = test.trim_matches('`').split_once("::").unwrap();
                let text = fs::read_to_string(tests.join(format!("{file}.rs"))).unwrap();
                assert!(text.contains(&format!("fn {name}(")), "{test}");
            }
            assert!(row[2].contains("::") || row[2].starts_with("none:"), "{}", row[1]);
        }
        assert!(rows.len() > 15);
    }
}
