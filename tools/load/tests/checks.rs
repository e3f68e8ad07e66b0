//! What a player checks, held against an honest house, a void, default play, and a log that shrinks or forks.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod desk;

use desk::{Desk, Eyes, assert_flaw};
use fairshoe_games::Chips;
use fairshoe_house::{Actor, Command, Event, Lapsed, Reference};
use fairshoe_load::check::{Flaw, LogCheck, Progress, RoundCheck, ShoeCheck};
use fairshoe_load::strategy::Strategy;
use fairshoe_load::wire::{Accepted, Receipt};
use serde_json::Value;

#[test]
fn an_honest_house_passes_on_every_path() {
    for strategy in [Strategy::Basic, Strategy::CopyDealer, Strategy::NeverBust, Strategy::Random] {
        let mut desk = Desk::new();
        let mut eyes = Eyes::on(&desk, strategy);
        for _ in 0..150 {
            eyes.round(&mut desk, &mut |_, _| {}).unwrap();
        }
        let all = desk.entries.join("\n");
        let paths: &[&str] = match strategy {
            Strategy::Random => &[
                "\"split\"",
                "\"peeked\"",
                "\"double\"",
                "\"take\":true",
                "\"outcome\":\"blackjack\"",
                "\"outcome\":\"draw\"",
                "\"outcome\":\"bust\"",
            ],
            Strategy::Basic => &["\"split\"", "\"double\"", "\"take\":false"],
            _ => &["\"outcome\":\"win\"", "\"outcome\":\"loss\""],
        };
        for path in paths {
            assert!(all.contains(path), "{strategy:?} never came to {path}");
        }
    }
}

#[test]
fn only_the_entry_of_this_table_commits_its_shoe() {
    let desk = Desk::new();
    let committed = desk.entries.iter().rposition(|entry| entry.contains("\"shoe_committed\":{")).unwrap() as u64;
    let check = |index, context| ShoeCheck::committed(&desk.on_log(index).entry, &context, &desk.rules);
    assert_eq!(check(committed, desk.context()).unwrap().slots().len(), 52);
    assert!(check(1, desk.context()).is_err());
    let mut other = desk.context();
    other.table = fairshoe_fairness::TableId::parse("joy-2").unwrap();
    assert!(check(committed, other).is_err());
}

#[test]
fn a_log_that_shrinks_or_forks_is_caught() {
    let (mut desk, mut fork) = (Desk::new(), Desk::new());
    let log = LogCheck::new(desk.key());
    let receipt = |desk: &Desk, index| -> Receipt { serde_json::from_value(desk.receipt(index)).unwrap() };
    let (early, mut known) = (receipt(&desk, 0), 0);
    desk.bet(&desk.bettor(5));
    log.receipt(&receipt(&desk, 0), &mut known).unwrap();
    assert_eq!(log.receipt(&early, &mut known).unwrap_err(), Flaw::Shrunk { before: known, after: known - 1 });
    fork.bet(&fork.bettor(6));
    assert_eq!(log.receipt(&receipt(&fork, 0), &mut 0).unwrap_err(), Flaw::Forked { size: known });
    let (first, last) = log.span().unwrap();
    assert_eq!((first.size, last.size), (known - 1, known));
    assert_eq!(log.checkpoints(), 2);
}

/// A round up to its first decision, with the desk and the eyes that saw it.
fn round_in_play(strategy: Strategy) -> (Desk, Eyes, RoundCheck, Vec<Value>) {
    let mut desk = Desk::new();
    let mut eyes = Eyes::on(&desk, strategy);
    let bettor = desk.bettor(15);
    let bet = desk.bet(&bettor);
    let (_, on_log) = eyes.read(bet).unwrap();
    let shoe = ShoeCheck::committed(&on_log[1].entry, &bettor.context, &bettor.rules).unwrap();
    let mut check = RoundCheck::new(bettor.clone(), shoe).unwrap();
    check.apply(&on_log[0], &[]).unwrap();
    let reply = desk.reveal(&bettor);
    let openings = reply["openings"].as_array().unwrap().clone();
    eyes.check(&mut check, reply).unwrap();
    assert!(check.decision().is_some(), "every JOY round asks at least once");
    (desk, eyes, check, openings)
}

#[test]
fn a_void_gives_everything_back_or_is_caught() {
    for short in [false, true] {
        let (mut desk, _, mut check, _) = round_in_play(Strategy::Basic);
        let before = desk.funds().plus(Chips::new(15).unwrap()).unwrap();
        if short {
            desk.tamper = Some(Box::new(|entry, _| {
                if let Some(Event::Posted { lines }) = entry.events.first_mut() {
                    (lines[0].1, lines[0].2) = (lines[0].1 - 1, lines[0].2 - 1);
                    (lines[1].1, lines[1].2) = (lines[1].1 + 1, lines[1].2 + 1);
                }
            }));
        }
        let reason = Reference::parse("lamp fell").unwrap();
        let index = desk.give(Actor::Operator, Command::VoidRound { table: desk.table.clone(), round_no: 0, reason }).unwrap();
        match check.apply(&desk.on_log(index), &[]) {
            Err(flaw) => {
                assert!(short, "{flaw}");
                assert_flaw("a short refund", &flaw, "the amount posted");
            }
            Ok(()) => {
                assert!(!short);
                assert_eq!((check.progress(), check.funds()), (Progress::Voided, before));
            }
        }
    }
}

#[test]
fn default_play_is_the_houses_after_the_deadline_alone() {
    let (mut desk, _, mut check, openings) = round_in_play(Strategy::Basic);
    desk.now += 86_400_000;
    let index = desk.give(Actor::House, Command::Lapse { table: desk.table.clone(), round_no: 0, lapsed: Lapsed::Round }).unwrap();
    let reply = desk.accepted(&[index]);
    let accepted: Accepted = serde_json::from_value(reply).unwrap();
    let mut all: Vec<fairshoe_fairness::Opening> = openings.into_iter().map(|opening| serde_json::from_value(opening).unwrap()).collect();
    all.extend(accepted.openings);
    check.apply(&desk.on_log(index), &all).unwrap();
    assert_eq!((check.progress(), check.funds()), (Progress::Settled, desk.funds()));
    check.check_reply(&accepted.round.unwrap(), &all, accepted.balance).unwrap();
}
