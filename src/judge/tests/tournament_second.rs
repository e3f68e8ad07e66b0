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
use fairshoe_house::{Account, Event};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_judge::bundle::{Soundness, verify};

/// An event of a few players, played to its end.
fn event(seed: u64) -> House {
    let mut rng = Rng(seed);
    let mut structure = some_structure(&mut rng);
    structure.entry.stack = 2_000;
    structure.levels.iter_mut().for_each(|level| level.ms = level.ms.min(2_000));
    let terms = &structure.entry;
    let players = (terms.players_min as usize).max(3 + rng.below(5)).min(terms.players_max as usize);
    let mut house = House::new();
    house.whole_event("sunday", &structure, players, &mut rng);
    house
}

/// The table and number of each hand that was played to its end.
fn hands(house: &House) -> Vec<String> {
    let settled = |event: &Event| match event {
        Event::RoundSettled { round_no, .. } => Some(*round_no),
        _ => None,
    };
    let of_entry = |entry: &fairshoe_house::Entry| {
        let table = &entry.at.as_ref()?.table;
        entry.events.iter().find_map(settled).map(|round_no| format!("{table}:{round_no}"))
    };
    entries(&house.log).iter().filter_map(of_entry).collect()
}

#[test]
fn whole_tournaments_are_decided_again_from_the_specification_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (mut logs, mut balances, mut bundles) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..3 * effort() {
        let house = event(0x7365_6300 + seed);
        logs.push(write_log(folder.path(), &seed.to_string(), &texts(&house)));
        balances.push(["player:p0", "house", "pool:sunday", "fees:sunday", "cage"].map(|account| {
            let account: Account = serde_json::from_value(account.into()).unwrap();
            (account.to_string(), house.state.ledger().balance(&account))
        }));
        for id in hands(&house).iter().step_by(5) {
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
    assert!(bundles.len() > 5, "{} hands", bundles.len());
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
    let events: Vec<Vec<String>> = (0..4).map(|seed| texts(&event(0x6368_616e + seed))).collect();
    let (mut logs, mut firsts) = (Vec::new(), Vec::new());
    for seed in 0..if effort() > 1 { 1_500 } else { 120 } {
        let mut rng = Rng(5_555 + seed);
        let mut log = events[rng.below(events.len())].clone();
        let at = 2 + rng.below(log.len() - 2);
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
