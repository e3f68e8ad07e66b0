//! A log held against the wallet's statement (spec/wallet.md, "Reconciliation"): the cases of spec/vectors/wallet.json, to
//! the whole object.

use crate::common::*;
use fairshoe_fairness::Origin;
use fairshoe_house::{Account, Actor, Command, Entry, Event};
use fairshoe_judge::audit::{AuditReport, Book, Door, Limits};
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
                let now = case["now"].as_u64().unwrap_or(entries[size - 1].time);
                let told = serde_json::to_value(operations.reconcile(origin, statement, now)).unwrap();
                assert_eq!(told, *gives, "{}", case["about"]);
                told["verdict"].as_str().unwrap().to_owned()
            }
            _ => panic!("{}: {statement:?}", case["about"]),
        };
        *judged.entry(verdict).or_default() += 1;
    }
    assert!(judged.len() == 5 && judged.values().all(|count| *count >= 10), "{judged:?}");
}

fn judged(log: &[&str]) -> AuditReport {
    let mut book = Book::new(Limits::default());
    for (index, text) in (0..).zip(log) {
        book.feed(index, text.as_bytes()).unwrap();
    }
    book.finish()
}

/// *Attack: a fifth of each win leaves by the door that nobody counts.* A chip that leaves a player in an entry of no
/// table leaves by one of the doors.
#[test]
fn whatever_leaves_a_player_outside_of_play_leaves_by_a_door_that_is_counted() {
    let mut used = [0; 5];
    let names = ["wallet", "transfers", "ended", "limits", "guests", "joy", "cash", "tournament"];
    for file in names.map(|name| read(&format!("entries-{name}.json"))) {
        let log: Vec<&str> = file["entries"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        let entries = log.iter().map(|text| Entry::decode(text.as_bytes()).unwrap());
        let (mut left, mut came_back) = (0, 0);
        for entry in entries.filter(|entry| entry.at.is_none()) {
            let posted = entry.events.iter().filter_map(|event| match event {
                Event::Posted { lines } => Some(lines),
                _ => None,
            });
            let of_players = posted.flatten().filter(|line| matches!(line.0, Account::Player(_)));
            for amount in of_players.map(|line| i128::from(line.1)) {
                match &entry.command {
                    Command::DismissGuest { .. } => {}
                    Command::WalletAnswer { call, .. } if call.is_of_withdrawal() => came_back += amount,
                    _ if amount < 0 => left -= amount,
                    _ => {}
                }
            }
        }
        let out = judged(&log).out;
        let each = out.each().map(|(_, door)| [&door.operator, &door.signed, &door.unsigned]);
        assert_eq!(each.iter().flatten().map(|moved| moved.amount.value()).sum::<i128>(), left, "{}", file["about"]);
        assert_eq!(out.wallet_refused.amount.value(), came_back, "{}", file["about"]);
        let times = each.map(|door| door.iter().map(|moved| moved.times).sum::<u64>());
        used.iter_mut().zip(times.into_iter().chain([out.wallet_refused.times])).for_each(|(all, of)| *all += of);
    }
    assert!(used.iter().all(|times| *times > 0), "{used:?}");
}

/// *Attack: a withdrawal that stays asked for, for a year.* A log that shows more than three days of it is sound so far,
/// and tells since when.
#[test]
fn a_log_with_an_operation_that_waits_for_too_long_is_sound_so_far() {
    for (later, late) in [(259_200_000, 0), (259_200_001, 1)] {
        let mut house = House::unstarted();
        house.start().unwrap();
        house.add_player("alice", 1_000);
        house.give(&Actor::Operator, Command::WalletWithdraw { player: player("alice"), amount: chips(900) }).unwrap();
        let since = house.now;
        house.now += later;
        house.give(&Actor::House, Command::StopDealer {}).unwrap();
        let log: Vec<&str> = house.log.iter().map(|bytes| std::str::from_utf8(bytes).unwrap()).collect();
        let report = judged(&log);
        assert_eq!(report.first_failure, None);
        assert_eq!((report.wallet_waits, report.wallet_late, report.is_complete()), (1, late, late == 0));
        let wait = &report.wallet_waits_listed[0];
        assert_eq!((wait.no, wait.amount, wait.since), (0, chips(900), since));
        assert_eq!((report.out.wallet_withdraw.operator.times, &report.out.withdraw), (1, &Door::default()));
    }
}
