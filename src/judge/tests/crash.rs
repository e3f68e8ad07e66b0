//! The process dies at every point of a round, under either policy (spec/recovery.md).

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::*;
use fairshoe_games::{Action, Crash};
use fairshoe_house::{Actor, Command, Entry, Event, OVERDUE_GRACE_MS, Phase, VoidCause};
use fairshoe_judge::audit::{Book, Check, Limits};
use std::collections::BTreeSet;

/// A round as a list of steps, so that it can be cut anywhere.
struct Script {
    name: &'static str,
    stake: u64,
    want: fn(&[u16]) -> bool,
    actions: Vec<Action>,
}

fn scripts() -> Vec<Script> {
    let double = || Action::Double { amount: None };
    vec![
        Script {
            name: "hit and stand",
            stake: 7,
            want: |v| v[..4] == [5, 10, 4, 7] && v[4] == 3,
            actions: vec![Action::Hit, Action::Stand],
        },
        Script {
            name: "insurance lost, then split, double and stand",
            stake: 9,
            want: |v| v[..4] == [8, 1, 8, 9] && v[4] < 10 && v[4] > 1 && v[6] < 10 && v[6] > 1,
            actions: vec![Action::Insurance { take: true }, Action::Split, double(), Action::Stand],
        },
        Script {
            name: "insurance won",
            stake: 5,
            want: |v| v[..4] == [9, 1, 8, 10],
            actions: vec![Action::Insurance { take: true }],
        },
        Script {
            name: "insurance declined",
            stake: 5,
            want: |v| v[..4] == [9, 1, 8, 10],
            actions: vec![Action::Insurance { take: false }, Action::Stand],
        },
    ]
}

impl Script {
    fn steps(&self) -> usize {
        2 + self.actions.len()
    }

    fn step(&self, house: &mut House, seed: &fairshoe_fairness::ClientSeed, n: usize) -> Entry {
        match n {
            0 => house.bet("t1", "alice", self.stake, seed).unwrap(),
            1 => house.reveal("t1", "alice", seed).unwrap(),
            n => house.act("t1", "alice", self.actions[n - 2].clone()).unwrap(),
        }
    }
}

fn voids(house: &House) -> Vec<(u64, VoidCause)> {
    let entries = entries(&house.log);
    let events = entries.iter().flat_map(|entry| &entry.events);
    events
        .filter_map(
            |e| if let Event::RoundVoided { round_no, cause, .. } = e { Some((*round_no, *cause)) } else { None },
        )
        .collect()
}

fn shoes(house: &House) -> (Vec<u64>, Vec<u64>) {
    let (mut committed, mut revealed) = (Vec::new(), Vec::new());
    for event in entries(&house.log).iter().flat_map(|entry| &entry.events) {
        match event {
            Event::ShoeCommitted { shoe_no, .. } => committed.push(*shoe_no),
            Event::ShoeRevealed { shoe_no, .. } => revealed.push(*shoe_no),
            _ => {}
        }
    }
    (committed, revealed)
}

#[test]
fn resume_goes_on_with_the_same_cards_as_a_twin_that_did_not_crash() {
    for script in scripts() {
        let mut twin = House::with_table(&[], 1000);
        let seed = twin.wish("t1", "alice", script.want);
        let unbroken: Vec<Entry> = (0..script.steps()).map(|n| script.step(&mut twin, &seed, n)).collect();
        assert_eq!(twin.phase("t1"), Some(Phase::Settled), "{}", script.name);
        for cut in 0..=script.steps() {
            // Crash once, or twice with the second one before or after the recovery.
            for crashes in 0..3 {
                let mut house = House::with_table(&[("crash", "resume")], 1000);
                let mut course_of: Vec<Entry> = (0..cut).map(|n| script.step(&mut house, &seed, n)).collect();
                house.now += MINUTE;
                let live = house.table("t1").live_round().is_some();
                house.crash();
                if crashes == 1 {
                    house.crash();
                }
                house.run_due();
                if crashes == 2 {
                    house.crash();
                    house.run_due();
                }
                if !live {
                    // Nothing to resume: the shoe that was waiting, if any, went unused.
                    assert_eq!(
                        house.table("t1").shoe.as_ref().unwrap().id.context.epoch,
                        *house.state.epoch().unwrap()
                    );
                    continue;
                }
                course_of.extend((cut..script.steps()).map(|n| script.step(&mut house, &seed, n)));
                let told = format!("{}, cut at {cut}, {crashes}", script.name);
                assert_eq!(course(&course_of), course(&unbroken), "{told}");
                assert_eq!(house.balance("alice"), twin.balance("alice"), "{told}");
                assert_eq!(house.house_balance(), twin.house_balance(), "{told}");
                assert!(voids(&house).is_empty());
                assert_eq!(
                    shoes(&house),
                    (vec![0], vec![0]),
                    "the shoe of a resumed round retires when it is settled: {told}"
                );
                assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
            }
        }
    }
}

#[test]
fn rollback_puts_every_chip_back_and_never_deals_that_shoe_again() {
    for script in scripts() {
        let seed = House::with_table(&[], 1000).wish("t1", "alice", script.want);
        for cut in 1..script.steps() {
            for crashes in 0..3 {
                let mut house = House::with_table(&[("crash", "rollback")], 1000);
                for n in 0..cut {
                    script.step(&mut house, &seed, n);
                }
                assert_eq!(house.table("t1").rules.table.crash, Crash::Rollback);
                house.crash();
                if crashes == 1 {
                    house.crash();
                }
                house.run_due();
                if crashes == 2 {
                    house.crash();
                    house.run_due();
                }
                let told = format!("{}, cut at {cut}, {crashes}", script.name);
                assert_eq!((house.balance("alice"), house.house_balance(), house.escrow("t1")), (1000, 0, 0), "{told}");
                assert_eq!(voids(&house), [(0, VoidCause::Crash)], "once: {told}");
                let (committed, revealed) = shoes(&house);
                assert_eq!(committed.iter().collect::<BTreeSet<_>>().len(), committed.len(), "{told}");
                assert_eq!(revealed[0], 0);
                assert_eq!(house.table("t1").next_round, 1, "the void round keeps its number");
                // Play goes on with another shoe under the new epoch.
                let shoe = house.table("t1").shoe.as_ref().unwrap();
                assert!(shoe.id.shoe_no > 0 && shoe.id.context.epoch == *house.state.epoch().unwrap());
                let again = house.bet_command("t1", "alice", 5, &house.any_seed("t1"));
                house.give(&by("alice"), again).unwrap();
                assert_eq!(voids(&house).len(), 1);
            }
        }
    }
}

/// Several tables of both policies at once, and the second crash after each single step of the recovery.
#[test]
fn a_second_crash_anywhere_in_a_recovery_changes_nothing() {
    let prepare = || {
        let mut house = House::new();
        for name in ["alice", "bob", "carol"] {
            house.add_player(name, 100);
        }
        for (name, policy) in [("a", "rollback"), ("b", "resume"), ("c", "rollback"), ("d", "resume")] {
            house.open(name, &[("crash", policy)]);
        }
        house.deal("a", "alice", 10, |v| v[..4] == [10, 6, 6, 10]);
        house.deal("b", "bob", 10, |v| v[..4] == [10, 6, 6, 10]);
        let seed = house.any_seed("c");
        house.bet("c", "carol", 10, &seed).unwrap();
        house
    };
    let mut steps = 0;
    loop {
        let mut house = prepare();
        house.crash();
        let mut done = 0;
        while let Some((by, command)) = house.state.due(house.now) {
            if done == steps {
                break;
            }
            house.give(&by, command).unwrap();
            done += 1;
        }
        let finished = house.state.due(house.now).is_none();
        house.crash();
        house.run_due();
        assert_eq!((house.balance("alice"), house.balance("bob"), house.balance("carol")), (100, 90, 100));
        assert_eq!(voids(&house).len(), 2, "after {steps} steps");
        house.act("b", "bob", Action::Stand).unwrap();
        assert_eq!(house.table("b").round.as_ref().unwrap().phase, Phase::Settled);
        assert_eq!(house.state.ledger().total(), 0);
        if finished {
            break;
        }
        steps += 1;
    }
    assert!(steps >= 6, "{steps} steps of recovery are too few to show anything");
}

#[test]
fn a_start_under_another_master_or_name_is_refused_and_players_outlive_it() {
    let mut house = House::with_table(&[], 77);
    house.crash();
    house.run_due();
    assert_eq!(house.balance("alice"), 77);
    let stale = house.start_command(house.starts);
    assert_eq!(refusal(house.give(&Actor::House, stale)).code(), "wrong_start");
}

#[test]
fn a_recovery_that_comes_late_takes_nothing_from_the_player() {
    let open = || {
        let mut house = House::with_table(&[], 100);
        house.deal("t1", "alice", 10, |v| v[0] + v[2] == 15 && v[1] == 10);
        house
    };
    let settle_by = |house: &House| match house.phase("t1") {
        Some(Phase::Open { settle_by: Some(by) }) => by,
        phase => panic!("{phase:?}"),
    };
    let audited = |house: &House| audit(&house.log).first_failure.map(|finding| (finding.check, finding.entry));
    // The start takes two seconds; the recovery comes when the round's time is over by the clock.
    let mut house = open();
    let (dealt, before) = (house.now, settle_by(&house));
    house.now += 2_000;
    house.crash();
    let started = house.now;
    house.now = before + 10_000;
    let (by, command) = house.state.due(house.now).unwrap();
    house.give_late(&by, None, command).unwrap();
    assert_eq!(settle_by(&house), before + (house.now - dealt));
    house.act("t1", "alice", Action::Stand).unwrap();
    assert_eq!(audited(&house), Some((Check::Overdue, Some(house.log.len() as u64 - 2))));
    // A second start in between adds nothing twice. It is a start like any other, and what it was away is counted.
    let mut house = open();
    house.now += 2_000;
    house.crash();
    house.now = started + 15 * MINUTE;
    house.crash();
    house.now += OVERDUE_GRACE_MS;
    let (by, command) = house.state.due(house.now).unwrap();
    house.give_late(&by, None, command).unwrap();
    assert_eq!(settle_by(&house), before + (house.now - dealt));
    house.run_due();
    assert_eq!(audited(&house), None);
    // A table that is passed over is found at the next entry, whatever it is, and at the log's end.
    let mut house = open();
    house.crash();
    let mut book = Book::new(Limits::default());
    for (index, bytes) in (0..).zip(&house.log) {
        book.feed(index, bytes).unwrap();
    }
    assert!(book.overdue(house.now + OVERDUE_GRACE_MS).is_empty());
    let late = book.overdue(house.now + OVERDUE_GRACE_MS + 1);
    assert_eq!(late.len(), 1);
    assert_eq!((&late[0].command, late[0].since), (&Command::Recover { table: table("t1") }, house.now));
    house.now += OVERDUE_GRACE_MS + 1;
    house.give_late(&Actor::House, None, Command::StopDealer {}).unwrap();
    assert_eq!(audited(&house), Some((Check::Overdue, Some(house.log.len() as u64 - 1))));
}

#[test]
fn a_start_records_how_long_the_house_was_down() {
    let mut house = House::with_table(&[], 100);
    house.now += 90 * MINUTE;
    house.crash();
    let last = entries(&house.log).pop().unwrap();
    let Some(Event::DealerStarted { down_ms, .. }) = last.events.first() else { panic!("{last:?}") };
    assert_eq!(*down_ms, 90 * MINUTE);
    assert!(matches!(last.command, Command::StartDealer { .. }));
    // A clock that went back is not believed: the log's time stands still.
    house.now = T0 - DAY;
    house.crash();
    let last = entries(&house.log).pop().unwrap();
    assert_eq!(last.time, T0 + 90 * MINUTE);
}
