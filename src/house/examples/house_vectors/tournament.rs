//! A log of seven small tournaments: a satellite for the second, that one with stakes and a crash, one that is called off,
//! one with rebuys and a disqualification in hands, whose players are all absent in the end, a satellite for one that
//! is called off, whose ticket comes back, and one whose table pauses between hands.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::rng::Rng;
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_games::RuleSet;
use fairshoe_house::tournament::{CancelCause, Pay, Stage};
use fairshoe_house::{Actor, Command, Reference, TournamentCommand as C};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{Breaks, Payouts};

pub const FILE: &str = "entries-tournament.json";

fn announce(w: &mut Writer, name: &str, structure: &Structure, ahead: u64) {
    let rules = Box::new(RuleSet::shipped(&structure.rules.name).unwrap());
    let (starts_at, registration_from) = (w.tick().now + ahead, w.house.now);
    let structure = Box::new(structure.clone());
    let create = C::Create { event: table(name), structure, rules, starts_at, registration_from };
    w.house.give(&Actor::Operator, Command::Tournament(create)).unwrap();
}

/// Registers so, where the rules let it be.
fn enter(w: &mut Writer, name: &str, who: &str, pay: Pay) -> bool {
    let commitment = w.tick().seat_commitment(name, who);
    w.house.in_event(who, C::Register { event: table(name), commitment, pay }).is_ok()
}

fn play(w: &mut Writer, name: &str, rng: &mut Rng, steps: usize) {
    for _ in 0..steps {
        if w.house.event(name).stage == Stage::Ended {
            return;
        }
        w.house.play_event(name, rng, 5, 9, 1);
    }
}

fn quick(structure: &mut Structure) {
    structure.entry.stack = 800;
    structure.entry.players_min = 2;
    structure.late_levels = 0;
    structure.levels.iter_mut().for_each(|level| level.ms = 2_000);
}

/// Rebuys that are asked for in hands, a disqualification in one, and in the end nobody who commits to any.
fn play_rebuys(w: &mut Writer, rng: &mut Rng) {
    let name = "tuesday";
    let rebuys = structure("rebuy", |structure| {
        quick(structure);
        structure.seats = 4;
        structure.levels.truncate(3);
        structure.levels.iter_mut().for_each(|level| level.ms = 30_000);
        (structure.breaks, structure.add_on) = (Breaks::After(Vec::new()), None);
        let Some(rebuy) = &mut structure.rebuy else { return };
        (rebuy.levels, rebuy.chips, rebuy.stack_at_most, rebuy.time_ms) = (2, 800, 800, 1_000);
    });
    announce(w, name, &rebuys, HOUR);
    for who in ["p0", "p1", "p2", "p3"] {
        assert!(enter(w, name, who, Pay::Cash));
    }
    w.house.wait(HOUR);
    for step in 0..60 {
        w.house.play_event(name, rng, 0, 0, 1);
        for who in ["p0", "p1", "p2"] {
            let is_played = w.house.state.table(&table("tuesday.1")).is_some_and(|table| table.live_round().is_some());
            if is_played && rng.one_in(5) {
                drop(w.house.in_event(who, C::Rebuy { event: table(name) }));
            }
            if is_played && step > 40 && w.house.event(name).remaining > 3 {
                let reason = Reference::parse("collusion").unwrap();
                let disqualify = C::Disqualify { event: table(name), player: player("p3"), reason };
                drop(w.house.give(&Actor::Operator, Command::Tournament(disqualify)));
            }
        }
    }
    w.house.play_event(name, rng, 0, 1, 4_000);
    assert_eq!(w.house.event(name).stage, Stage::Ended);
}

/// Two players whose table pauses: its first hand, and each after one, is called in its time and not before.
fn play_with_pauses(w: &mut Writer, rng: &mut Rng) {
    let (name, mut refused) = ("slow", 0);
    let slow = structure("heads-up", |structure| {
        quick(structure);
        structure.clocks.between_hands_ms = Some(3_000);
    });
    announce(w, name, &slow, HOUR);
    for who in ["p0", "p1"] {
        assert!(enter(w, name, who, Pay::Cash));
    }
    w.house.wait(HOUR);
    for _ in 0..4_000 {
        w.house.play_event(name, rng, 0, 0, 1);
        let rests = w.house.state.table(&table("slow.1")).is_some_and(|table| table.is_between_rounds());
        if rests && refused < 4 {
            w.refuse(&Actor::House, Command::CallHand { table: table("slow.1") });
            refused += 1;
        }
    }
    assert_eq!((w.house.event(name).stage, refused), (Stage::Ended, 4));
}

/// A ticket for an event that is called off.
fn return_a_ticket(w: &mut Writer, rng: &mut Rng) {
    let target = structure("freezeout-9", |structure| {
        quick(structure);
        (structure.entry.buy_in, structure.entry.fee) = (9_000, 1_000);
    });
    announce(w, "final", &target, 3 * HOUR);
    let satellite = structure("satellite", |structure| {
        quick(structure);
        structure.entry.buy_in = 5_000;
        let Payouts::Satellite(terms) = &mut structure.payouts else { return };
        (terms.target, terms.buy_in, terms.fee) = ("final".into(), 9_000, 1_000);
    });
    announce(w, "step", &satellite, HOUR);
    for who in ["p0", "p1"] {
        assert!(enter(w, "step", who, Pay::Cash));
    }
    w.house.wait(HOUR);
    play(w, "step", rng, 4_000);
    let (instant, reason) = (w.tick().now, Reference::parse("no hall"));
    let cancel = C::Cancel { event: table("final"), cause: CancelCause::Operator, instant, reason };
    w.house.give(&Actor::Operator, Command::Tournament(cancel)).unwrap();
    w.house.run_due();
}

fn write() -> Writer {
    let (mut w, rng) = (Writer::new(), &mut Rng(5));
    w.house.start().unwrap();
    for n in 0..5 {
        w.tick().add_player(&format!("p{n}"), 100_000);
    }
    let target = structure("freezeout-9", |structure| {
        quick(structure);
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (9_000, 1_000, true);
    });
    announce(&mut w, "sunday", &target, 3 * HOUR);
    let satellite = structure("satellite", |structure| {
        quick(structure);
        structure.entry.buy_in = 5_000;
        let Payouts::Satellite(terms) = &mut structure.payouts else { return };
        (terms.target, terms.buy_in, terms.fee) = ("sunday".into(), 9_000, 1_000);
    });
    announce(&mut w, "sat", &satellite, HOUR);
    for (name, who) in
        [("sunday", "p0"), ("sunday", "p1"), ("sunday", "p2"), ("sat", "p2"), ("sat", "p3"), ("sat", "p4")]
    {
        assert!(enter(&mut w, name, who, Pay::Cash));
    }
    // Stakes: of one that is played, and of one that is given back.
    let event = || table("sunday");
    for who in ["p0", "p2"] {
        w.tick().in_event(who, C::OfferStake { event: event(), basis_points: 5_000 }).unwrap();
        let seller = player(who);
        w.tick().in_event("p1", C::BuyStake { event: event(), seller, basis_points: 2_500 }).unwrap();
    }
    w.tick().in_event("p2", C::Unregister { event: event() }).unwrap();
    w.note_state();
    w.house.wait(HOUR);
    play(&mut w, "sat", rng, 4_000);
    for who in ["p2", "p3", "p4"] {
        let _ = enter(&mut w, "sunday", who, Pay::Ticket) || enter(&mut w, "sunday", who, Pay::TDollars);
    }
    w.house.wait(2 * HOUR);
    play(&mut w, "sunday", rng, 25);
    w.house.now += 2_000;
    w.house.crash();
    play(&mut w, "sunday", rng, 4_000);
    let bounties = structure("bounty-progressive", quick);
    announce(&mut w, "monday", &bounties, HOUR);
    for who in ["p0", "p1", "p2", "p3"] {
        assert!(enter(&mut w, "monday", who, Pay::Cash));
    }
    w.house.wait(HOUR);
    // With this chance somebody has fallen by then, and three are left.
    play(&mut w, "monday", &mut Rng(4), 30);
    let (instant, reason) = (w.tick().now, Reference::parse("power cut"));
    let cancel = C::Cancel { event: table("monday"), cause: CancelCause::Operator, instant, reason };
    w.house.give(&Actor::Operator, Command::Tournament(cancel)).unwrap();
    w.house.run_due();
    play_rebuys(&mut w, rng);
    return_a_ticket(&mut w, rng);
    play_with_pauses(&mut w, rng);
    w
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log of seven tournaments: a satellite, its target with stakes and a crash, one that is called off, one with rebuys and a disqualification in hands, whose players are all absent in the end, a satellite for one that is called off, whose ticket comes back, and one whose table pauses between hands; spec/games/tournaments.md, spec/games/refunds.md. Fields as in entries-joy.json.";
    let accounts = ["cage", "house", "tickets", "rounding_residual", "pool:sunday", "stakes:sunday", "fees:monday"];
    write().text(FILE, about, "", &accounts)
}
