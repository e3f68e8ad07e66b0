//! The process dies in every phase of a shared table (spec/recovery.md; C20, C21).

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::shared::*;
use common::watch::watch;
use common::*;
use fairshoe_games::Action;
use fairshoe_house::{Entry, Event, LapseCause, Phase, RetireCause, VoidCause};

const TURN: u64 = 20 * SECOND;
const REVEAL: u64 = 10 * SECOND;

/// Dies, once or twice, and recovers; the first entry about t1 after the last start.
fn restart(house: &mut House, crashes: usize) -> Entry {
    house.now += MINUTE;
    house.crash();
    for _ in 1..crashes {
        house.crash();
    }
    let entry = house.run_due().remove(0);
    assert!(matches!(entry.command, fairshoe_house::Command::Recover { .. }));
    entry
}

fn sound(house: &House) {
    assert_eq!(audit(&house.log).first_failure, None);
    watch(house).unwrap();
    house.assert_conserved();
    assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
}

#[test]
fn bets_that_do_not_bind_yet_come_back_and_the_window_opens_again_under_the_new_epoch() {
    for (name, policy) in [("live-blackjack", "resume"), ("study-group", "rollback")] {
        for crashes in 1..=3 {
            let mut house = House::shared(name, &[("crash", policy)], &["alice", "bob", "carol"]);
            house.sit_all("t1", &["alice", "bob"]);
            house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
            let old = house.place_command("t1", "bob", &[("2", 100)]);
            let entry = restart(&mut house, crashes);
            assert_eq!(names_of(&entry), ["posted", "bets_lapsed", "shoe_revealed"], "{policy}");
            assert_eq!(entry.before, [(player("alice"), chips(999_900))]);
            assert_eq!(
                entry.events[1],
                Event::BetsLapsed { round_no: 0, cause: LapseCause::Restart, announced: false }
            );
            let cause = the(&entry, |e| if let Event::ShoeRevealed { cause, .. } = e { Some(*cause) } else { None });
            assert_eq!(cause, Some(RetireCause::Restart));
            assert_eq!((house.balance("alice"), house.escrow("t1")), (1_000_000, 0));
            // A player who had bet, or was waited for, is asked again: no window is lost.
            let window = house.table("t1").window().cloned().unwrap();
            assert_eq!((window.round_no, window.shoe_no, window.expected.len()), (0, 1, 2));
            assert!(house.table("t1").seats.values().all(|seat| seat.misses == 0));
            // The old commitment opens nothing under the new epoch: the round is void, by name, if it is used.
            house.give(&by("bob"), old).unwrap();
            house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
            house.run_due();
            assert_eq!(refusal(house.show("t1", "bob")).code(), "seed_does_not_open");
            sound(&house);
        }
    }
}

#[test]
fn c21_a_reveal_window_restarts_in_full_and_what_is_out_stays_out() {
    for crashes in 1..=2 {
        let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
        house.sit_all("t1", &["alice", "bob"]);
        house.place_all("t1", &["alice", "bob"], 100);
        house.run_due();
        house.now += REVEAL - 1;
        house.show("t1", "alice").unwrap();
        let entry = restart(&mut house, crashes);
        let reveal_by = house.now + REVEAL;
        assert_eq!(
            entry.events,
            [Event::RoundResumed { round_no: 0, reveal_by: Some(reveal_by), settle_by: None, turn_by: None }]
        );
        assert_eq!(house.awaited("t1"), ["bob"]);
        house.now = reveal_by - 1;
        assert!(house.run_due().is_empty());
        house.show("t1", "bob").unwrap();
        house.play_out("t1");
        // The resumed shoe, committed under the old epoch, retires when the round is settled.
        let last = entries(&house.log).pop().unwrap();
        let cause = the(&last, |e| if let Event::ShoeRevealed { cause, .. } = e { Some(*cause) } else { None });
        assert_eq!(cause, Some(RetireCause::Restart));
        house.run_due();
        assert_eq!(house.table("t1").shoe.as_ref().unwrap().id.context.epoch, *house.state.epoch().unwrap());
        sound(&house);
    }
    // Withheld after the restart: named as ever.
    let mut house = House::shared("live-blackjack", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.place_all("t1", &["alice"], 100);
    house.run_due();
    restart(&mut house, 1);
    house.now += REVEAL;
    let entry = house.run_due().remove(0);
    assert_eq!(names_of(&entry), ["posted", "round_voided", "shoe_revealed", "cooldown", "seat_left"]);
    sound(&house);
}

/// Attack: a friend's seed stays away, and the house starts its dealer again and again, so that a shoe which it must
/// not show never comes out.
#[test]
fn c21_a_wait_gets_its_full_time_again_once() {
    let resumed = |entry: &Entry| {
        the(entry, |event| {
            if let Event::RoundResumed { reveal_by, turn_by, .. } = event { reveal_by.or(*turn_by) } else { None }
        })
    };
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_all("t1", &["alice", "bob"], 100);
    house.run_due();
    let first = resumed(&restart(&mut house, 1));
    assert_eq!(first, house.now + REVEAL);
    // The house is up meanwhile, as its other entries show: only what it was away for is given again.
    house.now += REVEAL / 2;
    house.credit("alice", 1).unwrap();
    let second = resumed(&restart(&mut house, 1));
    assert_eq!(second, first + MINUTE);
    for who in ["alice", "bob"] {
        house.show("t1", who).unwrap();
    }
    // A turn is another wait: it has its full time once, too; so has the next turn.
    for _ in 0..2 {
        let turn = resumed(&restart(&mut house, 1));
        assert_eq!(turn, house.now + TURN);
        house.now += TURN / 2;
        house.credit("alice", 1).unwrap();
        assert_eq!(resumed(&restart(&mut house, 1)), turn + MINUTE);
        house.now = turn + MINUTE;
        assert!(house.run_due().iter().any(|entry| matches!(entry.command, fairshoe_house::Command::Lapse { .. })));
    }
    sound(&house);
}

/// Alice, bob and carol, of whom bob is asked; or all, about insurance.
fn in_play(policy: &str, insurance: bool) -> House {
    let players = ["alice", "bob", "carol"];
    let mut house = House::shared("live-blackjack", &[("crash", policy)], &players);
    house.sit_all("t1", &players);
    house.wish_for("t1", &players, 4, |d| {
        let up = if insurance { d.value(3, 0) == 1 && d.value(3, 1) < 10 } else { d.value(3, 0) == 6 };
        up && (0..3).all(|l| (2..=6).contains(&d.value(l, 0)) && (2..=6).contains(&d.value(l, 1)))
    });
    house.deal_all("t1", &players, 100);
    if insurance {
        house.choose("t1", "bob", Action::Insurance { take: true }).unwrap();
    } else {
        house.choose("t1", "alice", Action::Hit).unwrap();
        house.choose("t1", "alice", Action::Stand).unwrap();
    }
    house
}

#[test]
fn c21_a_pending_decision_gets_its_full_turn_time_again() {
    for insurance in [false, true] {
        for crashes in 1..=2 {
            let mut house = in_play("resume", insurance);
            let open = house.open_decisions("t1");
            assert_eq!(open.len(), if insurance { 2 } else { 1 });
            house.now += TURN - 1;
            let entry = restart(&mut house, crashes);
            let turn_by = house.now + TURN;
            assert_eq!(
                entry.events,
                [Event::RoundResumed { round_no: 0, reveal_by: None, settle_by: None, turn_by: Some(turn_by) }]
            );
            assert_eq!(house.open_decisions("t1"), open, "the same decisions under their numbers");
            assert_eq!(house.state.next_deadline(), Some(turn_by));
            house.now = turn_by - 1;
            assert!(house.run_due().is_empty(), "nobody is timed out by the house's downtime");
            let who = open[0].player.to_string();
            let action = if insurance { Action::Insurance { take: false } } else { Action::Stand };
            house.choose("t1", &who, action).unwrap();
            // A turn that begins after the restart has its own time, not the restart's.
            if !insurance {
                assert_eq!(house.open_decisions("t1")[0].deadline, house.now + TURN);
            }
            house.now += TURN;
            house.run_due();
            house.play_out("t1");
            sound(&house);
        }
    }
}

#[test]
fn c20_resume_goes_on_with_the_same_slots_as_a_twin_that_did_not_crash() {
    for insurance in [false, true] {
        let courses: Vec<_> = [false, true]
            .into_iter()
            .map(|crash| {
                let mut house = in_play("resume", insurance);
                if crash {
                    restart(&mut house, 2);
                }
                house.play_out("t1");
                let balances = ["alice", "bob", "carol"].map(|who| house.balance(who));
                (course(&entries(&house.log)), balances, house.house_balance())
            })
            .collect();
        assert_eq!(courses[0], courses[1]);
    }
}

#[test]
fn c20_rollback_returns_every_chip_once_and_the_seats_stay() {
    for insurance in [false, true] {
        for crashes in 1..=2 {
            let mut house = in_play("rollback", insurance);
            let entry = restart(&mut house, crashes);
            let cause = the(&entry, |e| if let Event::RoundVoided { cause, .. } = e { Some(*cause) } else { None });
            assert_eq!(cause, VoidCause::Crash);
            for who in ["alice", "bob", "carol"] {
                assert_eq!(house.balance(who), 1_000_000);
            }
            assert_eq!((house.house_balance(), house.escrow("t1"), house.table("t1").seats.len()), (0, 0, 3));
            let window = house.table("t1").window().cloned().unwrap();
            assert_eq!((window.round_no, window.shoe_no), (1, 1));
            restart(&mut house, 1);
            assert_eq!(audit(&house.log).voids.total, 1, "a second recovery voids nothing");
            sound(&house);
        }
    }
}

#[test]
fn a_table_without_a_round_changes_its_shoe_and_keeps_seats_and_wishes() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    house.whole_round("t1", &["alice"], 100);
    house.sit("t1", "bob", 2).unwrap();
    house.now += 15 * SECOND;
    // The window ends empty; the shoe is changed for bob; then the process dies before bets open.
    let mut entries = Vec::new();
    while let Some((by, command)) = house.state.due(house.now) {
        if matches!(command, fairshoe_house::Command::OpenBets { .. }) {
            break;
        }
        entries.push(house.give(&by, command).unwrap());
    }
    assert!(entries.iter().any(|entry| matches!(entry.command, fairshoe_house::Command::RetireShoe { .. })));
    assert!(!house.table("t1").betting().unwrap().newcomers.is_empty());
    restart(&mut house, 1);
    assert!(
        house.table("t1").betting().unwrap().newcomers.is_empty(),
        "the shoe that was changed for him is gone, not by his doing"
    );
    let window = house.table("t1").window().cloned().unwrap();
    assert!(window.expected.contains(&player("bob")));
    house.whole_round("t1", &["alice", "bob"], 100);
    sound(&house);
}

#[test]
fn c10_a_wheel_and_a_resumed_spin() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for who in ["alice", "bob"] {
        house.place_bets("t1", who, &[("red", 100)]).unwrap();
    }
    house.run_due();
    house.show("t1", "alice").unwrap();
    restart(&mut house, 2);
    house.show("t1", "bob").unwrap();
    assert_eq!(house.phase("t1"), Some(Phase::Settled));
    let last = entries(&house.log).pop().unwrap();
    assert_eq!(names_of(&last).last().unwrap(), "shoe_revealed", "a resumed wheel retires too");
    house.run_due();
    sound(&house);
}

/// Tables in every phase at once, and the second crash after each single step of the recovery.
#[test]
fn a_second_crash_anywhere_in_a_recovery_changes_nothing() {
    let prepare = || {
        let players = ["alice", "bob"];
        let mut house = House::new();
        for who in players {
            house.add_player(who, 1_000_000);
        }
        for (at, name, policy) in [
            ("a-window", "live-blackjack", "resume"),
            ("b-seeds", "six-deck", "resume"),
            ("c-seeds", "study-group", "rollback"),
            ("d-play", "live-blackjack", "resume"),
            ("e-play", "live-blackjack", "rollback"),
            ("f-idle", "baccarat", "resume"),
        ] {
            house.open_rules(at, rules(name, &[("crash", policy)]));
        }
        for at in ["d-play", "e-play", "a-window", "b-seeds", "c-seeds"] {
            house.sit_all(at, &players);
            if at.ends_with("play") {
                house.wish_for(at, &players, 3, |d| {
                    d.value(2, 0) == 6 && (0..2).all(|l| d.value(l, 0) == 5 && d.value(l, 1) < 9)
                });
            }
            house.place_bets(at, "alice", &[("1", 100)]).unwrap();
            if at != "a-window" {
                house.place_bets(at, "bob", &[("2", 100)]).unwrap();
                house.run_due();
                house.show(at, "alice").unwrap();
            }
            if at.ends_with("play") {
                house.show(at, "bob").unwrap();
            }
        }
        house
    };
    let mut steps = 0;
    loop {
        let mut house = prepare();
        house.now += MINUTE;
        house.crash();
        let mut done = 0;
        while let Some((by, command)) = house.state.due(house.now).filter(|_| done < steps) {
            house.give(&by, command).unwrap();
            done += 1;
        }
        let finished = house.state.due(house.now).is_none();
        house.crash();
        house.run_due();
        // Back: the window's bet and two rollbacks. Still in: the seeds awaited at b and the hand at d.
        assert_eq!((house.balance("alice"), house.balance("bob")), (999_800, 999_800), "after {steps} steps");
        let report = audit(&house.log);
        assert_eq!((report.first_failure, report.voids.total), (None, 2));
        house.show("b-seeds", "bob").unwrap();
        house.play_out("b-seeds");
        house.play_out("d-play");
        sound(&house);
        if finished {
            break;
        }
        steps += 1;
    }
    assert!(steps >= 12, "{steps}");
}
