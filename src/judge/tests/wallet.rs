//! A log held against the wallet's statement (spec/wallet.md, "Reconciliation"): the cases of spec/vectors/wallet.json, to
//! the whole object.

use fairshoe_fairness::Origin;
use fairshoe_house::Entry;
use fairshoe_judge::wallet::{LogOperations, read_statement};
use serde_json::Value;
use std::collections::BTreeMap;

fn read(name: &str) -> Value {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors");
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn the_statements_of_the_specification_are_judged_as_they_should_be() {
    let log = read("entries-wallet.json");
    let entries: Vec<Entry> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| Entry::decode(text.as_str().unwrap().as_bytes()).unwrap())
        .collect();
    let mut judged: BTreeMap<String, usize> = BTreeMap::new();
    for case in read("wallet.json")["cases"].as_array().unwrap() {
        let origin = Origin::parse(case["origin"].as_str().unwrap()).unwrap();
        let lines = case["statement"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let statement = read_statement(&origin, &text);
        let verdict = match (&statement, case.get("gives")) {
            (Err(_), None) => "unreadable".to_owned(),
            (Ok(statement), Some(gives)) => {
                let mut operations = LogOperations::default();
                let size = usize::try_from(case["entries"].as_u64().unwrap()).unwrap();
                entries[..size].iter().for_each(|entry| operations.feed(entry));
                let told = serde_json::to_value(operations.reconcile(origin, statement)).unwrap();
                assert_eq!(told, *gives, "{}", case["about"]);
                told["verdict"].as_str().unwrap().to_owned()
            }
            _ => panic!("{}: {statement:?}", case["about"]),
        };
        *judged.entry(verdict).or_default() += 1;
    }
    assert!(judged.len() == 4 && judged.values().all(|count| *count > 10), "{judged:?}");
}
