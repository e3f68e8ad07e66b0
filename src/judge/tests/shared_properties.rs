//! What holds of every course of play at shared tables, whatever the crowd does. `FAIRSHOE_SLOW=1` runs many more.

use crate::audit_common;
use crate::common;

use audit_common::{audit, bundle};
use common::crowd::{CROWD, Crowd, crowded_house};
use common::watch::watch;
use common::*;
use fairshoe_house::{Account, Command, Entry, Event, State};
use fairshoe_judge::audit::Book;
use fairshoe_judge::bundle::Soundness;
use std::collections::{BTreeMap, BTreeSet};

const STEPS: usize = 900;

/// Every third crowd plays nothing but Safe, whose games take many choices.
fn crowd(seed: u64) -> Crowd {
    let mut crowd = Crowd::new(seed, true);
    if seed.is_multiple_of(3) {
        crowd.only = "safe";
    }
    crowd.steps(STEPS);
    crowd
}

fn seeds(from: u64) -> std::ops::Range<u64> {
    from..from + 3 * effort()
}

#[test]
fn every_random_book_is_sound_conserves_every_chip_and_leaks_no_face() {
    let mut causes: BTreeMap<String, u64> = BTreeMap::new();
    for seed in seeds(1) {
        let mut crowd = crowd(seed);
        let report = audit(&crowd.house.log);
        assert_eq!(report.first_failure, None, "seed {seed}");
        watch(&crowd.house).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        crowd.house.assert_conserved();
        for (cause, count) in report.shoes_by_cause.into_iter().chain(report.voids.by_cause) {
            *causes.entry(cause).or_default() += count;
        }
        crowd.go_home();
        let report = audit(&crowd.house.log);
        assert_eq!(report.first_failure, None, "seed {seed}, when all had gone home");
        assert_eq!((report.open_rounds, report.ledger.tables), (0, 0));
        assert_eq!(report.settled + report.voids.total, report.rounds);
        assert_eq!(report.shoes, report.shoes_revealed + report.open_shoes);
        for at in crowd.house.state.tables() {
            assert_eq!(crowd.house.state.ledger().balance(&Account::Table(at.id.clone())), Some(0));
        }
    }
    // The crowd did what it is here for; new piles in mid-game are in `piles`.
    for cause in ["threshold", "newcomer", "restart", "house_shuffle", "reveal_missing", "malfunction", "crash"] {
        assert!(causes.contains_key(cause), "{cause} did not happen: {causes:?}");
    }
}

#[test]
fn the_log_alone_gives_the_state_and_every_entry_is_decided_again_to_the_byte() {
    for seed in seeds(100) {
        let crowd = crowd(seed);
        assert_eq!(fingerprint(&fold(&crowd.house.log)), crowd.house.fingerprint(), "seed {seed}");
        let mut again = State::new();
        for (index, bytes) in crowd.house.log.iter().enumerate() {
            let entry = Entry::decode(bytes).unwrap();
            let decided = again.decide(&crowd.house.seeds, entry.time, &entry.by, &entry.command).unwrap();
            assert_eq!(&decided.encode().unwrap(), bytes, "seed {seed}, entry {index}");
            again.apply(&entry).unwrap();
        }
        assert_eq!(fingerprint(&again), crowd.house.fingerprint());
    }
}

#[test]
fn a_log_cut_off_anywhere_folds_and_is_sound_so_far() {
    let crowd = crowd(200);
    let mut book = Book::new(Default::default());
    for (index, bytes) in crowd.house.log.iter().enumerate() {
        book.feed(index as u64, bytes).unwrap();
        if index % 40 == 0 {
            let report = audit(&crowd.house.log[..=index]);
            assert_eq!(report.first_failure, None, "cut off after {index}");
            assert_eq!(report.settled + report.voids.total + report.open_rounds, report.rounds);
        }
    }
}

#[test]
fn numbers_have_no_gap_and_the_protocols_order_holds() {
    for seed in seeds(300) {
        let crowd = crowd(seed);
        let mut rounds: BTreeMap<String, u64> = BTreeMap::new();
        let mut shoes: BTreeMap<String, u64> = BTreeMap::new();
        let mut live: BTreeSet<String> = BTreeSet::new();
        let mut open: BTreeSet<String> = BTreeSet::new();
        for entry in entries(&crowd.house.log) {
            let Some(at) = entry.at.as_ref().map(|at| at.table.to_string()) else { continue };
            for event in &entry.events {
                match event {
                    Event::BetsOpened { .. } => {
                        assert!(!live.contains(&at), "bets open while a round lives at {at}");
                        assert!(open.insert(at.clone()));
                    }
                    Event::BetPlaced { .. } | Event::BetCancelled { .. } => assert!(open.contains(&at)),
                    Event::BetsLapsed { .. } => assert!(open.remove(&at)),
                    Event::BetsClosed { round_no, .. } => {
                        assert!(open.remove(&at) && live.insert(at.clone()));
                        let next = rounds.entry(at.clone()).or_default();
                        assert_eq!(round_no, next, "{at}");
                        *next += 1;
                    }
                    Event::PileOpened { round_no, .. } => {
                        let next = rounds.entry(at.clone()).or_default();
                        assert_eq!(round_no, next, "{at}");
                        *next += 1;
                    }
                    Event::ShoeCommitted { shoe_no, .. } => {
                        let next = shoes.entry(at.clone()).or_default();
                        assert_eq!(shoe_no, next, "{at}");
                        *next += 1;
                    }
                    Event::RoundSettled { .. } | Event::RoundVoided { .. } => assert!(live.remove(&at)),
                    Event::Play(_) => {
                        assert!(live.contains(&at), "a card before bets_closed fails the audit (R001.115)")
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Within a shoe contributors may only leave, wheels excepted; nobody bets during a cooldown.
#[test]
fn c11_c15_no_newcomer_bets_on_a_played_shoe_and_nobody_bets_in_a_cooldown() {
    for seed in seeds(400) {
        let crowd = crowd(seed);
        let mut bettors: BTreeMap<(String, u64), BTreeSet<String>> = BTreeMap::new();
        let mut until: BTreeMap<String, u64> = BTreeMap::new();
        for entry in entries(&crowd.house.log) {
            let at = entry.at.as_ref().map(|at| at.table.to_string()).unwrap_or_default();
            for event in &entry.events {
                match event {
                    Event::BetPlaced { bet } if !at.starts_with("solo") => {
                        assert!(
                            until.get(bet.player.as_str()).is_none_or(|until| *until <= entry.time),
                            "{}",
                            bet.player
                        );
                    }
                    Event::BetsClosed { shoe_no, contributors, .. } => {
                        let now: BTreeSet<String> = contributors.iter().map(|c| c.player.to_string()).collect();
                        let last = bettors.insert((at.clone(), *shoe_no), now.clone());
                        assert!(at.contains("wheel") || last.is_none_or(|last| now.is_subset(&last)), "{at}");
                    }
                    Event::Cooldown { player, until: by, .. } => drop(until.insert(player.to_string(), *by)),
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn every_round_of_a_random_book_has_a_sound_bundle() {
    let mut words = BTreeMap::new();
    for seed in seeds(500) {
        let crowd = crowd(seed);
        let mut rounds = Vec::new();
        for entry in entries(&crowd.house.log) {
            let at = entry.at.as_ref().map(|at| at.table.to_string()).unwrap_or_default();
            rounds.extend(entry.events.iter().filter_map(|event| match event {
                Event::BetsClosed { round_no, .. } => Some(format!("{at}:{round_no}")),
                _ => None,
            }));
        }
        for round in rounds.iter().step_by(3) {
            let verdict = bundle(&crowd.house, &crowd.house.log, round).verify(None);
            assert_ne!(verdict.verdict, Soundness::NotSound, "seed {seed}, {round}: {:?}", verdict.findings);
            *words.entry(format!("{:?}", verdict.verdict)).or_insert(0) += 1;
        }
    }
    assert_eq!(words.len(), 2, "{words:?}");
}

#[test]
fn what_is_refused_changes_nothing_at_any_shared_table() {
    let mut crowd = Crowd::new(7, false);
    for _ in 0..40 {
        crowd.steps(10);
        let before = crowd.house.fingerprint();
        let ids: Vec<String> = crowd.house.state.tables().map(|at| at.id.to_string()).collect();
        for id in ids {
            let at = table(&id);
            let wild = [
                Command::CloseBets { table: at.clone(), round_no: 99_999 },
                Command::RetireShoe { table: at.clone(), reason: None },
                Command::Recover { table: at.clone() },
                Command::TakeSeat { table: at.clone(), seat: 21 },
                Command::CancelBet { table: at.clone(), round_no: 99_999 },
                Command::VoidRound {
                    table: at.clone(),
                    round_no: 99_999,
                    reason: fairshoe_house::Reference::parse("x").unwrap(),
                },
            ];
            for command in wild {
                for by in [fairshoe_house::Actor::House, fairshoe_house::Actor::Operator, by(CROWD[0])] {
                    let _ =
                        refusal(crowd.house.state.decide(crowd.house.dealer.as_ref(), crowd.house.now, &by, &command));
                }
            }
        }
        assert_eq!(crowd.house.fingerprint(), before);
    }
    let _ = crowded_house();
}
