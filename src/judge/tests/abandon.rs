//! Rounds whose player stays away at `abandon: refund` tables (R001.34, A001.u, A001.oo), and at the others.

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::shared::*;
use common::*;
use fairshoe_games::{Action, Ahead, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, Lapsed, Phase, VoidCause};

fn players() -> House {
    let mut house = House::new();
    house.add_player("alice", 100_000);
    house.add_player("bob", 100_000);
    house
}

/// Another table of the player's own.
fn open(house: &mut House, who: &str, name: &str, options: &[(&str, &str)]) -> String {
    let id = format!("{who}-{}", house.log.len());
    house
        .give(&by(who), Command::OpenTable { table: table(&id), rules: rules(name, options), replaces: None })
        .unwrap();
    house.run_due();
    id
}

fn bet(house: &mut House, at: &str, who: &str) {
    let bet = house.place_command(at, who, &[("1", 1000)]);
    house.give(&by(who), bet).unwrap();
}

/// RNG blackjack: two stiff cards against a small up-card, left open.
fn deal_with(house: &mut House, who: &str, options: &[(&str, &str)]) -> String {
    let at = open(house, who, "rng-blackjack", options);
    house.wish_for(&at, &[who], 1, |d| (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (10, 6, 5));
    bet(house, &at, who);
    house.show(&at, who).unwrap();
    assert_eq!(house.asked(&at), [who]);
    at
}

fn deal(house: &mut House, who: &str) -> String {
    deal_with(house, who, &[])
}

/// The house's entry about this table, when its time has come.
fn lapse(house: &mut House, at: &str) -> Entry {
    let found = house.run_due().into_iter().find(|entry| {
        let here = entry.at.as_ref().is_some_and(|place| place.table.as_str() == at);
        here && matches!(entry.command, Command::Lapse { .. })
    });
    found.expect("nothing lapsed")
}

fn void_of(entry: &Entry) -> (VoidCause, Option<u32>) {
    the(entry, |e| if let Event::RoundVoided { cause, refunds, .. } = e { Some((*cause, *refunds)) } else { None })
}

fn was_finished(entry: &Entry) -> bool {
    let defaults = course([entry]).iter().any(|e| matches!(e, RoundEvent::Acted { default: true, .. }));
    assert_eq!(defaults, names_of(entry).contains(&"round_settled".to_owned()));
    defaults
}

#[test]
fn r001_33_a_player_resumes_from_the_point_of_interruption() {
    let mut house = players();
    let at = deal(&mut house, "alice");
    let (view, decision) = (house.table(&at).round.as_ref().unwrap().game.view(), house.open_decisions(&at));
    house.now += 23 * HOUR;
    assert!(house.run_due().is_empty());
    assert_eq!((house.table(&at).round.as_ref().unwrap().game.view(), house.open_decisions(&at)), (view, decision));
    house.choose(&at, "alice", Action::Stand).unwrap();
    assert_eq!(house.phase(&at), Some(Phase::Settled));
}

#[test]
fn r001_34_a001_u_what_is_not_settled_at_24_hours_is_returned() {
    for (after, settled) in [(DAY - 1, true), (DAY, false)] {
        let mut house = players();
        let at = deal(&mut house, "alice");
        house.now += after;
        assert_eq!(house.choose(&at, "alice", Action::Stand).is_ok(), settled);
        if settled {
            continue;
        }
        let entry = lapse(&mut house, &at);
        assert_eq!(names_of(&entry), ["posted", "round_voided"], "the shoe stays");
        assert_eq!(void_of(&entry), (VoidCause::Abandoned, Some(1)));
        assert_eq!((house.balance("alice"), house.escrow(&at)), (100_000, 0));
        assert_eq!(house.table(&at).shoe.as_ref().unwrap().undrawn.len(), 412, "its exposed slots are burnt");
        assert_eq!(house.state.conduct().refunds(&player("alice"), house.now), 1);
    }
    // A last action inside the 24 hours does not put it off.
    let mut house = players();
    let at = open(&mut house, "alice", "rng-blackjack", &[]);
    house.wish_for(&at, &["alice"], 1, |d| {
        (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (2, 6, 3) && d.value(0, 4) < 6
    });
    bet(&mut house, &at, "alice");
    house.show(&at, "alice").unwrap();
    let opened = house.now;
    house.now = opened + DAY - 1;
    house.choose(&at, "alice", Action::Hit).unwrap();
    assert_eq!(house.open_decisions(&at)[0].deadline, opened + DAY);
    house.now = opened + DAY;
    assert_eq!(void_of(&lapse(&mut house, &at)).0, VoidCause::Abandoned);
}

#[test]
fn r001_113_the_rule_is_of_rng_tables_alone() {
    // A live table's turn clock plays at once; JOY, six-deck and study-group tables finish at 24 hours.
    for name in ["joy", "six-deck-solo", "study-group-solo"] {
        let mut house = players();
        let at = loop {
            let at = open(&mut house, "alice", name, &[]);
            bet(&mut house, &at, "alice");
            house.show(&at, "alice").unwrap();
            if !house.asked(&at).is_empty() {
                break at;
            }
            house.give(&by("alice"), Command::CloseTable { table: table(&at) }).unwrap();
        };
        house.now += DAY;
        assert!(was_finished(&lapse(&mut house, &at)), "{name}");
    }
    assert!(fairshoe_games::RuleSet::shipped("live-blackjack").unwrap().with_options([("abandon", "refund")]).is_err());
}

#[test]
fn a001_u_a_premium_already_lost_stays_lost_and_every_wager_still_pending_comes_back() {
    let mut house = players();
    let at = open(&mut house, "alice", "rng-blackjack", &[]);
    house.wish_for(&at, &["alice"], 1, |d| {
        (d.value(0, 0), d.value(0, 1), d.value(0, 2)) == (8, 1, 8) && d.value(0, 3) < 10 && d.value(0, 4) < 10
    });
    bet(&mut house, &at, "alice");
    house.show(&at, "alice").unwrap();
    house.choose(&at, "alice", Action::Insurance { take: true }).unwrap();
    house.choose(&at, "alice", Action::Split).unwrap();
    assert_eq!((house.balance("alice"), house.house_balance(), house.escrow(&at)), (97_500, 500, 2000));
    house.now += DAY;
    let entry = lapse(&mut house, &at);
    assert_eq!(void_of(&entry), (VoidCause::Abandoned, Some(1)));
    assert_eq!((house.balance("alice"), house.house_balance(), house.escrow(&at)), (99_500, 500, 0));
    let round = house.table(&at).round.as_ref().unwrap();
    assert_eq!((round.staked().units(), round.contributors[0].returned.units()), (2500, 2000));
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.voids.by_cause["abandoned"]), (None, 1));
}

#[test]
fn a001_u_an_insurance_not_yet_decided_is_none() {
    let mut house = players();
    let at = open(&mut house, "alice", "rng-blackjack", &[]);
    house.wish_for(&at, &["alice"], 1, |d| d.value(0, 1) == 1 && d.value(0, 0) == 10 && d.value(0, 2) == 6);
    bet(&mut house, &at, "alice");
    house.show(&at, "alice").unwrap();
    house.now += DAY;
    assert_eq!(void_of(&lapse(&mut house, &at)), (VoidCause::Abandoned, Some(1)));
    assert_eq!((house.balance("alice"), house.house_balance()), (100_000, 0));
}

/// The measured attack: a player who walks away from every losing hand (−2.4 % became +20.6 %).
#[test]
fn a001_oo_two_refunds_in_thirty_days_over_all_tables_then_default_play() {
    let mut house = players();
    let start = house.now;
    for want in [Some(1), Some(2), None, None] {
        let at = deal(&mut house, "alice");
        house.now += DAY;
        let entry = lapse(&mut house, &at);
        match want {
            Some(count) => assert_eq!(void_of(&entry), (VoidCause::Abandoned, Some(count))),
            None => assert!(was_finished(&entry), "past the cap the hand is finished"),
        }
    }
    // The window rolls: 30 days after the first refund one more is granted, a millisecond earlier not.
    let first = start + DAY;
    for (lapses_at, granted) in [(first + 30 * DAY - 1, false), (first + 31 * DAY, true)] {
        house.now = lapses_at - DAY;
        house.run_due();
        let at = deal(&mut house, "alice");
        house.now = lapses_at;
        assert_eq!(names_of(&lapse(&mut house, &at)).contains(&"round_voided".to_owned()), granted);
    }
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn a001_oo_the_letter_is_an_option_and_so_is_another_number() {
    for (cap, granted) in [("unlimited", 5), ("0", 0), ("1", 1), ("3", 3)] {
        let mut house = players();
        let mut refunds = 0;
        for _ in 0..5 {
            let at = deal_with(&mut house, "alice", &[("abandon_refunds", cap)]);
            house.now += DAY;
            refunds += u32::from(names_of(&lapse(&mut house, &at)).contains(&"round_voided".to_owned()));
        }
        assert_eq!(refunds, granted, "{cap}");
    }
}

#[test]
fn a001_oo_a_round_without_an_exposed_card_is_returned_and_not_counted() {
    let mut house = players();
    for _ in 0..4 {
        let at = open(&mut house, "alice", "rng-blackjack", &[]);
        bet(&mut house, &at, "alice");
        house.now += DAY;
        let entry = lapse(&mut house, &at);
        let (cause, ahead, refunds) = the(&entry, |e| match e {
            Event::RoundVoided { cause, ahead, refunds, .. } => Some((*cause, *ahead, *refunds)),
            _ => None,
        });
        assert_eq!((cause, ahead, refunds), (VoidCause::RevealMissing, Ahead::Nobody, None));
    }
    assert_eq!((house.balance("alice"), house.state.conduct().refunds(&player("alice"), house.now)), (100_000, 0));
    assert_eq!(house.state.conduct().until(&player("alice")), 0, "C15: at a solo table nothing is counted");
    // Another player's refunds are their own.
    let at = deal(&mut house, "bob");
    house.now += DAY;
    assert_eq!(void_of(&lapse(&mut house, &at)).1, Some(1));
    assert_eq!(house.state.conduct().refunds(&player("alice"), house.now), 0);
}

#[test]
fn a001_oo_c21_downtime_moves_the_deadline_and_gives_no_refund_of_its_own() {
    let mut house = players();
    let at = deal(&mut house, "alice");
    let opened = house.now;
    house.now = opened + 20 * HOUR;
    house.crash();
    house.run_due();
    assert_eq!(house.phase(&at), Some(Phase::Open { settle_by: Some(opened + DAY + 20 * HOUR) }));
    assert_eq!(house.balance("alice"), 99_000, "no refund for a crash");
    house.now = opened + DAY + 20 * HOUR - 1;
    assert!(house.run_due().is_empty());
    let command = Command::Lapse { table: table(&at), round_no: 0, lapsed: Lapsed::Round };
    assert_eq!(refusal(house.give(&Actor::House, command)).code(), "deadline_ahead");
    house.now += 1;
    assert_eq!(void_of(&lapse(&mut house, &at)), (VoidCause::Abandoned, Some(1)));
}

#[test]
fn a001_v_a_server_crash_is_no_disconnection() {
    let mut house = players();
    let at = deal(&mut house, "alice");
    house.crash();
    assert_eq!(names_of(&house.run_due()[0]), ["round_resumed"]);
    assert_eq!(house.state.conduct().refunds(&player("alice"), house.now), 0);
    house.choose(&at, "alice", Action::Stand).unwrap();
}
