//! Tournaments before the second verifier (tools/verifier, written from spec/ alone): whole events are decided again to
//! the same bytes, bundles of their hands are sound, and what is changed in a log both verifiers find in the same entry
//! or neither finds.

use crate::audit_common;
use crate::common;
use crate::poker_second::{judged, texts, write_log};
use crate::tournament_play::some_structure;

use audit_common::mutate::change;
use audit_common::*;
use common::rng::Rng;
use common::*;
use fairshoe_house::tournament::CancelCause;
use fairshoe_house::{Account, Actor, Command, Event, Reference, TournamentCommand, TournamentEvent, VoidCause};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_judge::bundle::{Soundness, verify};
use fairshoe_tournament::Structure;

/// A structure that is soon played, and how many enter.
fn quick(rng: &mut Rng) -> (Structure, usize) {
    let mut structure = some_structure(rng);
    structure.entry.stack = 2_000;
    structure.levels.iter_mut().for_each(|level| level.ms = level.ms.min(2_000));
    let terms = &structure.entry;
    let players = (terms.players_min as usize).max(3 + rng.below(5)).min(terms.players_max as usize);
    (structure, players)
}

/// An event of a few players, played to its end.
pub fn event(seed: u64) -> House {
    let mut rng = Rng(seed);
    let (structure, players) = quick(&mut rng);
    let mut house = House::new();
    house.whole_event("sunday", &structure, players, &mut rng);
    house
}

/// The same, cancelled by the operator as of an instant before; between the entries of the refunds the dealer starts anew.
pub fn called_off(seed: u64) -> House {
    let mut rng = Rng(seed);
    let (structure, players) = quick(&mut rng);
    let mut house = House::new();
    house.announce("sunday", &structure).unwrap();
    for n in 0..players {
        house.add_player(&format!("p{n}"), 1_000_000);
        house.register("sunday", &format!("p{n}")).unwrap();
    }
    house.wait(HOUR);
    let steps = 20 + rng.below(60);
    house.play_event("sunday", &mut rng, 0, 4, steps);
    let times: Vec<u64> = entries(&house.log).iter().map(|entry| entry.time).collect();
    let instant = times[times.len() - 1 - rng.below(20)];
    let (event, reason) = (table("sunday"), Reference::parse("power cut"));
    let command = TournamentCommand::Cancel { event, cause: CancelCause::Operator, instant, reason };
    // An event that is over by then is not cancelled any more.
    drop(house.give(&Actor::Operator, Command::Tournament(command)));
    while let Some((by, command)) = house.state.due(house.now) {
        house.give(&by, command).unwrap();
        if rng.one_in(3) {
            house.now += 1_000;
            house.crash();
        }
    }
    house
}

/// Where an event is cancelled, if it is.
fn cancelled_at(house: &House) -> Option<usize> {
    let cancels = |event: &Event| matches!(event, Event::Tournament(event) if matches!(**event, TournamentEvent::Cancelled { .. }));
    entries(&house.log).iter().position(|entry| entry.events.iter().any(cancels))
}

/// The table and number of each hand that was played to its end, and of those that a cancellation rolled back.
fn hands(house: &House) -> (Vec<String>, Vec<String>) {
    let settled = |event: &Event| match event {
        Event::RoundSettled { round_no, .. } => Some(*round_no),
        _ => None,
    };
    let rolled_back = |event: &Event| match event {
        Event::RoundVoided { round_no, cause: VoidCause::Malfunction, .. } => Some(*round_no),
        _ => None,
    };
    (ended(house, settled), ended(house, rolled_back))
}

/// The table and number of each hand that ended so.
fn ended(house: &House, ends: impl Fn(&Event) -> Option<u64>) -> Vec<String> {
    let of_entry = |entry: &fairshoe_house::Entry| {
        let table = &entry.at.as_ref()?.table;
        entry.events.iter().find_map(&ends).map(|round_no| format!("{table}:{round_no}"))
    };
    entries(&house.log).iter().filter_map(of_entry).collect()
}

#[test]
fn whole_tournaments_are_decided_again_from_the_specification_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (mut logs, mut balances, mut bundles) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cancelled, mut rolled_back, mut told) = (0, 0, Vec::new());
    for seed in 0..6 * effort() {
        let house = if seed % 2 == 0 { event(0x7365_6300 + seed / 2) } else { called_off(0x6f66_6600 + seed) };
        cancelled += usize::from(cancelled_at(&house).is_some());
        logs.push(write_log(folder.path(), &seed.to_string(), &texts(&house)));
        told.push(serde_json::to_value(audit(&house.log).events).unwrap());
        balances.push(["player:p0", "house", "pool:sunday", "fees:sunday", "cage"].map(|account| {
            let account: Account = serde_json::from_value(account.into()).unwrap();
            (account.to_string(), house.state.ledger().balance(&account))
        }));
        let (played, voided) = hands(&house);
        rolled_back += voided.len();
        for id in played.iter().step_by(5).chain(&voided) {
            let path = folder.path().join(format!("{seed}-{}.json", id.replace(':', "-")));
            std::fs::write(&path, bundle(&house, &house.log, id).to_json().unwrap()).unwrap();
            bundles.push(path);
        }
    }
    let Some(reports) = judged("log", &logs) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    for (report, accounts) in reports.iter().zip(&balances) {
        assert!(["sound", "sound_so_far"].contains(&report["verdict"].as_str().unwrap()), "{:#}", report["findings"]);
        for (account, balance) in accounts {
            assert_eq!(report["balances"][account].as_i64(), *balance, "{account}");
        }
    }
    // Both tell alike whatever needs no state.
    for (report, told) in reports.iter().zip(&told) {
        for (name, count) in report["events"].as_object().unwrap() {
            assert_eq!(*count, told[name], "{name}");
        }
    }
    assert!(bundles.len() > 5 && cancelled > 1 && rolled_back > 0, "{cancelled} cancelled, {rolled_back} rolled back");
    for (path, report) in bundles.iter().zip(judged("bundle", &bundles).unwrap()) {
        let first = verify(&std::fs::read(path).unwrap(), None);
        let word = if first.verdict == Soundness::Sound { "sound" } else { "sound_so_far" };
        assert!(first.findings.is_empty(), "{:?}", first.findings);
        assert_eq!(report["verdict"], word, "{:#}", report["findings"]);
    }
}

#[test]
fn what_is_changed_in_a_tournament_both_verifiers_find_in_the_same_entry() {
    let folder = tempfile::tempdir().unwrap();
    let played = (0..4).map(|seed| (texts(&event(0x6368_616e + seed)), 2));
    // Of an event that is off what is said of that and comes after it.
    let off = (0..4).filter_map(|seed| {
        let house = called_off(0x6361_6e63 + seed);
        cancelled_at(&house).map(|at| (texts(&house), at))
    });
    let events: Vec<(Vec<String>, usize)> = played.chain(off).collect();
    assert!(events.len() > 5, "{} events", events.len());
    let (mut logs, mut firsts) = (Vec::new(), Vec::new());
    for seed in 0..if effort() > 1 { 1_500 } else { 120 } {
        let mut rng = Rng(5_555 + seed);
        let (mut log, first) = events[rng.below(events.len())].clone();
        let at = first + rng.below(log.len() - first);
        let (changed, what) = change(&log[at], &mut rng);
        log[at] = changed;
        let mut book = Book::new(Limits::default());
        let found = (0..).zip(&log).find_map(|(index, text)| book.feed(index, text.as_bytes()).err());
        let found = found.or_else(|| book.finish().first_failure);
        logs.push(write_log(folder.path(), &format!("changed-{seed}"), &log));
        let place = found.as_ref().map(|finding| finding.entry);
        firsts.push((place, format!("entry {at}: {what}; the first says {found:?}")));
    }
    let Some(reports) = judged("log", &logs) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    let mut found = 0;
    for (report, (first, what)) in reports.iter().zip(&firsts) {
        let finding = &report["findings"][0];
        let second = (!finding.is_null()).then(|| finding["entry"].as_u64());
        assert_eq!(second, *first, "{what}; the second says {finding:#}");
        found += usize::from(second.is_some());
    }
    assert!(found * 4 > firsts.len() * 3, "{found} of {} changes were found", firsts.len());
}

/// Seventy events that nobody entered, each off at its start, and the name of the state after them.
fn many_ended() -> House {
    let structure = Structure::shipped("heads-up").unwrap();
    let mut house = House::new();
    for number in 0..70 {
        house.announce(&format!("event-{number}"), &structure).unwrap();
        house.wait(HOUR);
    }
    let (size, root) = (house.log.len() as u64, house.state.root().unwrap());
    house.give(&Actor::House, Command::NoteState { size, root }).unwrap();
    house
}

#[test]
fn of_tournaments_that_ended_the_last_stay_in_the_state_of_both_verifiers() {
    let (mut house, structure) = (many_ended(), Structure::shipped("heads-up").unwrap());
    let stay: Vec<String> = house.state.tournaments_after(None, 100).iter().map(|one| one.name().to_string()).collect();
    assert_eq!(stay.len(), 64);
    assert!(!stay.contains(&"event-5".to_owned()) && stay.contains(&"event-6".to_owned()), "{stay:?}");
    assert_eq!(refusal(house.announce("event-5", &structure)).code(), "table_exists");
    assert_eq!(house.state.ledger().balance(&Account::Pool(table("event-5"))), None);
    let folder = tempfile::tempdir().unwrap();
    let log = write_log(folder.path(), "ended", &texts(&house));
    let Some(reports) = judged("log", &[log]) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    assert_eq!(reports[0]["findings"], serde_json::json!([]), "{:#}", reports[0]);
}

/// States of logs, as they are and with one thing changed each: `tests/second_verifier/states.js` says
/// why it refuses them, and the house's own reader refuses the same.
#[test]
fn what_is_changed_in_a_state_both_verifiers_refuse_alike() {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = std::collections::BTreeMap::new();
    for seed in 0..4 {
        let house = if seed % 2 == 0 { event(0x7374_6100 + seed) } else { called_off(0x7374_6f00 + seed) };
        let path = write_log(folder.path(), &seed.to_string(), &texts(&house));
        logs.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), house.log);
    }
    // And of whatever else a state has.
    for name in ["ended", "guests", "limits", "transfers", "wallet"] {
        let file = crate::vectors::parsed(&format!("entries-{name}.json"));
        let entries = file["entries"].as_array().unwrap().iter().map(|entry| entry.as_str().unwrap().to_owned());
        let log: Vec<String> = entries.collect();
        write_log(folder.path(), name, &log);
        logs.insert(format!("{name}.jsonl"), log.into_iter().map(String::into_bytes).collect());
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second_verifier/states.js");
    let of = if effort() > 1 { "1" } else { "12" };
    let part = std::process::id().to_string();
    let arguments = ["--of", of, "--part", &part, "--logs"];
    let output = std::process::Command::new("node").arg(script).args(arguments).arg(folder.path()).output();
    let Ok(output) = output else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut honest, mut refused) = (0, 0);
    for case in said.lines() {
        let (name, what, size, lines, second): (String, String, u64, Vec<String>, Option<String>) =
            serde_json::from_str(case).unwrap();
        let log = &logs[&name];
        let entry = &mut |index: u64| {
            let bytes = log.get(index as usize).filter(|_| index < size).ok_or("it does not come before the state")?;
            fairshoe_house::Entry::decode(bytes).map_err(|error| error.to_string())
        };
        let first = fairshoe_house::State::from_lines(size, lines.iter().map(String::as_str), entry);
        let first = first.err().map(|no| no.why);
        let context = format!("{name} {size} {what}, --part {part}: {first:?}, {second:?}");
        assert!(second.as_ref().is_none_or(|why| !why.starts_with("broken")), "{context}");
        // What a table had since it rested the second verifier decides again at once.
        if first.is_none() && second.as_deref() == Some("decided_again") {
            continue;
        }
        assert_eq!(first.is_none(), second.is_none(), "{context}");
        if what == "honest" {
            assert!(first.is_none(), "{context}");
            honest += 1;
        }
        refused += usize::from(first.is_some());
    }
    assert!(honest > 4 && refused > 20, "{honest} honest, {refused} refused");
}
