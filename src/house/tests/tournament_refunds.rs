//! Cancellations and refunds of tournaments (spec/games/refunds.md), through the house: every figure is held against the
//! arithmetic of `fairshoe_tournament`, fed with what the log shows.

use crate::common::rng::Rng;
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_house::tournament::{CancelCause, Pay, Stage, Whereabouts};
use fairshoe_house::{
    Account, Actor, Command, DecideError, Entry, Event, Reference, Refusal, State, TournamentCommand as C,
    TournamentEvent as E,
};
use fairshoe_tournament::clock::Stop;
use fairshoe_tournament::refund::{self, Case, Held, RefundOut};
use fairshoe_tournament::structure::{
    BountyOn, BreakAfter, Breaks, DealTerms, PayoutRow, Payouts, Places, RefundMethod,
};
use fairshoe_tournament::{EntryNo, Structure};
use std::collections::{BTreeMap, BTreeSet};

const EVENT: &str = "sunday";

/// Many levels of one kind, so that nothing ends by itself.
fn calm(name: &str, change: impl FnOnce(&mut Structure)) -> Structure {
    structure(name, |structure| {
        (structure.guarantee, structure.unregister_ms) = (0, Some(0));
        structure.entry.stack = 3_000;
        change(structure);
    })
}

/// An event with so many players of 100,000 cents each, before its start.
fn registered(structure: &Structure, players: usize) -> House {
    let mut house = House::new();
    house.announce(EVENT, structure).unwrap();
    for n in 0..players {
        house.add_player(&format!("p{n}"), 100_000);
        house.register(EVENT, &format!("p{n}")).unwrap();
    }
    house
}

/// The same, started.
fn started(structure: &Structure, players: usize) -> House {
    let mut house = registered(structure, players);
    house.wait(HOUR);
    house
}

impl House {
    /// The last entry of a player.
    pub fn entry_of(&self, name: &str, who: &str) -> EntryNo {
        *self.event(name).entrants.get(&player(who)).unwrap().entries.last().unwrap()
    }

    fn cancel_as_of(&mut self, instant: u64) -> Result<Entry, DecideError> {
        let command = C::Cancel {
            event: table(EVENT),
            cause: CancelCause::Operator,
            instant,
            reason: Reference::parse("power cut"),
        };
        self.give(&Actor::Operator, Command::Tournament(command))
    }

    fn players(&self) -> usize {
        self.event(EVENT).entrants.iter().count()
    }

    fn ledger_of(&self, account: &str) -> i64 {
        let account: Account = serde_json::from_str(&format!("\"{account}\"")).unwrap();
        self.state.ledger().balance(&account).unwrap()
    }

    /// Everything that is due is done; the event has ended, its accounts are empty, and the log says the same.
    #[track_caller]
    fn settled(&mut self) {
        self.run_due();
        assert_eq!(self.event(EVENT).stage, Stage::Ended);
        self.is_consistent();
        for account in ["pool", "fees", "bounties", "stakes"] {
            assert_eq!(self.ledger_of(&format!("{account}:{EVENT}")), 0, "{account}");
        }
        assert!(self.event(EVENT).tables.open.is_empty());
    }

    #[track_caller]
    fn is_consistent(&self) {
        assert_eq!(self.state.ledger().total(), 0);
        let again = fold(&self.log);
        let text = |state: &State| serde_json::to_string(state.tournament(&table(EVENT)).unwrap()).unwrap();
        assert_eq!(text(&again), text(&self.state));
        assert_eq!(fingerprint(&again), self.fingerprint());
    }

    fn events(&self) -> Vec<(u64, E)> {
        let mut all = Vec::new();
        for bytes in &self.log {
            let entry = Entry::decode(bytes).unwrap();
            all.extend(entry.events.into_iter().filter_map(|event| match event {
                Event::Tournament(event) => Some((entry.time, *event)),
                _ => None,
            }));
        }
        all
    }

    fn cancelled(&self) -> (CancelCause, u64, Case, u64, u64, u64, u64) {
        let found = self.events().into_iter().find_map(|(_, event)| match event {
            E::Cancelled { cause, instant, case, remaining, pool, chips, residual, .. } => {
                Some((cause, instant, case, remaining, pool, chips, residual))
            }
            _ => None,
        });
        found.unwrap()
    }

    fn refunded(&self) -> Vec<Paid> {
        let paid = self.events().into_iter().filter_map(|(_, event)| match event {
            E::Refunded { entry_no, fee, bounty, pool, due, bought, taken } => {
                Some(Paid { entry_no, fee, bounty, pool, due, bought, taken })
            }
            _ => None,
        });
        paid.collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Paid {
    entry_no: EntryNo,
    fee: u64,
    bounty: u64,
    pool: u64,
    due: u64,
    bought: u64,
    taken: u64,
}

/// What every entry held from when on, by the log alone.
fn records(log: &[Vec<u8>]) -> Vec<Held> {
    let (mut state, mut last, mut records) = (State::new(), BTreeMap::new(), Vec::new());
    for bytes in log {
        let entry = Entry::decode(bytes).unwrap();
        state.apply(&entry).unwrap();
        let Some(event) = state.tournament(&table(EVENT)).filter(|event| event.refund_case.is_none()) else { continue };
        let mut entries: Vec<_> = event.entries.iter().collect();
        entries.sort_by_key(|(entry_no, _)| **entry_no);
        for (entry_no, now) in entries {
            let in_play = now.is_in_play();
            let held = Held {
                at: entry.time,
                entry_no: *entry_no,
                re_entry: now.re_entry,
                chips: if in_play { now.chips } else { 0 },
                may_rebuy: in_play && now.rebuy_until.is_some(),
                bounty: now.bounty.head + now.bounty.won,
                fee: now.fees,
                to_pool: now.to_pool,
            };
            let before: Option<Held> = last.insert(*entry_no, held);
            if before.is_none_or(|before| Held { at: held.at, ..before } != held) {
                records.push(held);
            }
        }
    }
    records
}

/// What the refund should be, by all that the log shows.
fn model(house: &House, instant: u64) -> RefundOut {
    let event = house.event(EVENT);
    let records = records(&house.log);
    let stops = event.clock.stops.iter().copied().chain(event.clock.stands.map(|(from, _)| (from, u64::MAX)));
    let stops: Vec<Stop> = stops.map(|(from, until)| Stop { from, until }).collect();
    let start = event.clock.started;
    let of = refund::Event { structure: event.structure(), start, stops: &stops, records: &records };
    refund::refund(&of.refund_in(instant).unwrap()).unwrap()
}

/// What was paid is what the model says, each once, and its sum is exact.
#[track_caller]
fn holds_against(house: &House, expected: &RefundOut) {
    let (_, _, case, remaining, pool, chips, residual) = house.cancelled();
    let paid = house.refunded();
    let once: BTreeSet<EntryNo> = paid.iter().map(|paid| paid.entry_no).collect();
    assert_eq!(once.len(), paid.len(), "nobody is paid twice");
    assert_eq!((case, remaining as usize, chips), (expected.case, expected.payments.len(), expected.chips));
    assert_eq!(residual, expected.residual);
    let parts: Vec<_> = expected.payments.iter().map(|p| (p.entry_no, p.fee, p.bounty, p.pool)).collect();
    let of_left = paid.iter().filter(|paid| paid.fee + paid.bounty + paid.pool > 0);
    let stated: Vec<_> = of_left.map(|paid| (paid.entry_no, paid.fee, paid.bounty, paid.pool)).collect();
    assert_eq!(stated, parts);
    if case != Case::NotStarted {
        let sum: u64 = stated.iter().map(|(_, fee, bounty, pool)| fee + bounty + pool).sum();
        let given: u64 = parts.iter().map(|(_, fee, bounty, _)| fee + bounty).sum();
        assert_eq!(sum + residual, pool + given);
    }
}

/// A break soon after the start, in which all tables rest.
fn with_break(structure: &mut Structure) {
    structure.breaks = Breaks::After(vec![BreakAfter { level: 1, ms: 600_000 }]);
    structure.levels[0].ms = 1_000;
    (structure.add_on, structure.entry.stack) = (None, 30_000);
}

fn play_to_the_break(house: &mut House, rng: &mut Rng) {
    play_until(house, rng, |house| house.event(EVENT).clock.in_break);
    while house.play_tables(EVENT, rng, 0) {}
}

fn play(house: &mut House, rng: &mut Rng, steps: usize) {
    house.play_event(EVENT, rng, 9, 12, steps);
}

/// Plays until something holds; `false` where the event was over first.
fn reaches(house: &mut House, rng: &mut Rng, holds: impl Fn(&House) -> bool) -> bool {
    for _ in 0..40_000 {
        if holds(house) || house.event(EVENT).stage == Stage::Ended {
            break;
        }
        play(house, rng, 1);
    }
    house.event(EVENT).stage != Stage::Ended
}

#[track_caller]
fn play_until(house: &mut House, rng: &mut Rng, holds: impl Fn(&House) -> bool) {
    assert!(reaches(house, rng, holds), "it was over first");
}

/// So many places, by these shares, whatever the number of entries.
fn pay(structure: &mut Structure, shares: &[u64]) {
    let from = shares.len() as u64;
    structure.entry.players_min = from;
    let places = shares.iter().zip(1..).map(|(share, to)| Places { to, share: *share }).collect();
    structure.payouts = Payouts::Rows(vec![PayoutRow { from, places }]);
}

#[test]
fn t1_r001_27_cancelled_before_the_start_everything_comes_back() {
    let mut house = registered(&structure("freezeout-6", |_| {}), 7);
    assert_eq!(house.balance("p0"), 99_000);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    let (_, _, case, remaining, pool, _, residual) = house.cancelled();
    assert_eq!((case, remaining, pool, residual), (Case::NotStarted, 7, 0, 0));
    let paid = house.refunded();
    assert_eq!(paid.len(), 7);
    assert!(paid.iter().all(|paid| (paid.fee, paid.bounty, paid.pool) == (1_000, 0, 0)));
    assert!((0..7).all(|n| house.balance(&format!("p{n}")) == 100_000));
    // Off is off.
    assert_eq!(refusal(house.cancel_as_of(house.now)).code(), "nothing_to_do");
    assert_eq!(refusal(house.register(EVENT, "p0")).code(), "registration_closed");
}

#[test]
fn r001_90_with_too_few_players_it_is_off_at_its_start() {
    for players in [0, 1] {
        let mut house = started(&structure("freezeout-6", |_| {}), players);
        house.settled();
        let (cause, _, case, remaining, ..) = house.cancelled();
        assert_eq!((cause, case, remaining as usize), (CancelCause::TooFewPlayers, Case::NotStarted, players));
        assert!((0..players).all(|n| house.balance(&format!("p{n}")) == 100_000));
    }
}

#[test]
fn r001_28_case_2_is_of_what_was_collected_whatever_the_guarantee() {
    let mut house = started(&calm("freezeout-6", |structure| structure.guarantee = 40_000), 14);
    let mut rng = Rng(11);
    play_until(&mut house, &mut rng, |house| house.event(EVENT).remaining <= 11);
    let expected = model(&house, house.now);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    holds_against(&house, &expected);
    let (_, _, case, _, pool, ..) = house.cancelled();
    assert_eq!((case, pool), (Case::Unpaid, 14 * 920));
    // The eliminated get nothing, and what they paid in fees is the house's.
    let fees: i64 = house.refunded().iter().map(|paid| paid.fee as i64).sum();
    assert_eq!(house.house_balance(), 14 * 80 - fees);
    assert_eq!(house.ledger_of("rounding_residual"), expected.residual as i64);
}

#[test]
fn r001_29_case_3_is_of_the_lobbys_table_with_overlay() {
    let terms = |structure: &mut Structure| {
        (structure.late_levels, structure.guarantee) = (0, 20_000);
        pay(structure, &[50, 30, 20]);
    };
    let mut house = started(&calm("freezeout-6", terms), 9);
    play_until(&mut house, &mut Rng(5), |house| house.event(EVENT).itm.is_some());
    let expected = model(&house, house.now);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    holds_against(&house, &expected);
    assert_eq!(expected.case, Case::Paid);
    let prizes: u64 = house.refunded().iter().map(|paid| paid.pool + paid.due).sum();
    assert_eq!(prizes + expected.residual, [10_000, 6_000, 4_000][..expected.payments.len()].iter().sum::<u64>());
    // The overlay is the house's, and all fees but those of the remaining.
    let kept = (9 - expected.payments.len() as i64) * 80;
    assert_eq!(house.house_balance(), kept - (20_000 - 9 * 920));
}

#[test]
fn r001_30_case_4_is_of_what_was_collected() {
    let terms = |structure: &mut Structure| {
        (structure.late_levels, structure.guarantee) = (20, 40_000);
        structure.levels.iter_mut().for_each(|level| level.ms = 36_000_000);
        pay(structure, &[50, 30, 20]);
    };
    let mut house = started(&calm("freezeout-6", terms), 9);
    play_until(&mut house, &mut Rng(5), |house| house.event(EVENT).itm.is_some());
    let expected = model(&house, house.now);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    holds_against(&house, &expected);
    let (_, _, case, remaining, pool, ..) = house.cancelled();
    assert_eq!(case, Case::CutShort);
    assert_eq!(pool, [4_140, 2_484, 1_656][..remaining as usize].iter().sum::<u64>());
}

#[test]
fn r001_31_a001_q_an_elimination_after_the_instant_is_undone() {
    let mut house = started(&calm("freezeout-6", |_| {}), 8);
    play_until(&mut house, &mut Rng(3), |house| house.event(EVENT).remaining < 8);
    let out: Vec<(u64, E)> = house.events();
    let (at, entry_no) = out
        .iter()
        .find_map(|(at, event)| match event {
            E::PlayerEliminated { entry_no, .. } => Some((*at, *entry_no)),
            _ => None,
        })
        .unwrap();
    let expected = model(&house, at - 1);
    assert_eq!((expected.payments.len(), house.event(EVENT).remaining < 8), (8, true));
    house.cancel_as_of(at - 1).unwrap();
    house.settled();
    holds_against(&house, &expected);
    assert!(house.refunded().iter().any(|paid| paid.entry_no == entry_no));
    assert_eq!(expected.chips, 8 * 3_000);
}

#[test]
fn a_hand_in_progress_is_rolled_back_when_the_event_is_off() {
    let mut house = started(&calm("freezeout-6", |_| {}), 8);
    let is_live = |house: &House| {
        let name = |number: &u16| house.event(EVENT).table_name(*number).unwrap();
        let open: Vec<_> = house.event(EVENT).tables.open.iter().map(name).collect();
        open.iter().filter(|id| house.state.table(id).is_some_and(|at| at.live_round().is_some())).count()
    };
    play_until(&mut house, &mut Rng(2), |house| is_live(house) > 0);
    let live = is_live(&house);
    let expected = model(&house, house.now);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    holds_against(&house, &expected);
    let voids = house.log.iter().map(|bytes| Entry::decode(bytes).unwrap());
    let voids = voids.flat_map(|entry| entry.events).filter(|event| matches!(event, Event::RoundVoided { .. }));
    assert_eq!(voids.count(), live);
}

#[test]
fn refunds_2_1_the_instant_has_bounds() {
    let mut house = started(&calm("freezeout-6", |_| {}), 4);
    let start = house.event(EVENT).clock.started;
    house.wait(MINUTE);
    for wrong in [start - 1, house.now + 1] {
        assert_eq!(refusal(house.cancel_as_of(wrong)).code(), "instant_out_of_range");
    }
    // Half an hour, or cancel_after_ms, whichever is more.
    house.wait(HOUR);
    let first = house.now - 30 * MINUTE;
    assert_eq!(refusal(house.cancel_as_of(first - 1)), Refusal::Instant { first, last: house.now });
    let mut give = |by: Actor, cause, reason| {
        let command = C::Cancel { event: table(EVENT), cause, instant: first, reason };
        refusal(house.give(&by, Command::Tournament(command))).code()
    };
    let reason = || Reference::parse("power cut");
    assert_eq!(give(Actor::Operator, CancelCause::Operator, None), "malformed");
    assert_eq!(give(Actor::Operator, CancelCause::Crash, reason()), "nothing_to_do");
    assert_eq!(give(Actor::Operator, CancelCause::TooFewPlayers, reason()), "nothing_to_do");
    assert_eq!(give(Actor::House, CancelCause::Crash, None), "nothing_to_do");
    assert_eq!(give(Actor::House, CancelCause::TooFewPlayers, None), "nothing_to_do");
    assert_eq!(give(Actor::House, CancelCause::Operator, None), "not_allowed");
    assert_eq!(give(by("p1"), CancelCause::Operator, reason()), "not_allowed");
    house.cancel_as_of(first).unwrap();
    house.settled();
}

#[test]
fn a001_ss_r001_110_play_goes_on_within_the_time_and_not_at_it() {
    for (down, goes_on) in [(29 * MINUTE, true), (30 * MINUTE, false), (9 * HOUR, false)] {
        let mut house = started(&calm("freezeout-6", |_| {}), 8);
        let mut rng = Rng(4);
        play(&mut house, &mut rng, 60);
        let last = house.state.last_time();
        let expected = model(&house, last);
        house.now = last + down;
        house.crash();
        assert_eq!(house.event(EVENT).clock.stands.map(|(since, _)| since), Some(last));
        house.run_due();
        let event = house.event(EVENT);
        if goes_on {
            assert_eq!((event.stage, event.clock.stands), (Stage::Running, None));
            assert_eq!(event.clock.stops, [(last, last + down)]);
            play(&mut house, &mut rng, 40_000);
            house.settled();
            continue;
        }
        house.settled();
        let (cause, instant, ..) = house.cancelled();
        assert_eq!((cause, instant), (CancelCause::Crash, last));
        holds_against(&house, &expected);
    }
}

#[test]
fn the_time_may_pass_while_tables_are_put_in_order() {
    let mut house = started(&calm("freezeout-6", |_| {}), 12);
    play(&mut house, &mut Rng(4), 60);
    house.now = house.state.last_time() + 30 * MINUTE - 1;
    house.crash();
    while house.event(EVENT).tables.unrecovered.len() > 1 {
        let (by, command) = house.state.due(house.now).unwrap();
        house.give(&by, command).unwrap();
    }
    house.now += 1;
    house.settled();
    assert_eq!(house.cancelled().0, CancelCause::Crash);
}

#[test]
fn refunds_1_2_an_event_whose_start_was_slept_through_starts_late_or_is_off() {
    for (late, stage) in [(29 * MINUTE, Stage::Running), (30 * MINUTE, Stage::Ended)] {
        let mut house = registered(&calm("freezeout-6", |_| {}), 5);
        house.now = house.event(EVENT).starts_at + late;
        house.crash();
        house.run_due();
        assert_eq!(house.event(EVENT).stage, stage);
        if stage == Stage::Ended {
            house.settled();
            assert_eq!((house.cancelled().0, house.cancelled().2), (CancelCause::Crash, Case::NotStarted));
            assert!((0..5).all(|n| house.balance(&format!("p{n}")) == 100_000));
        }
    }
    // Without a crash 0 cancels nothing.
    let house = started(&calm("freezeout-6", |structure| structure.cancel_after_ms = 0), 5);
    assert_eq!(house.event(EVENT).stage, Stage::Running);
}

#[test]
fn a_crash_in_the_middle_of_refunds_pays_nobody_twice() {
    let mut house = registered(&calm("freezeout-6", |structure| structure.cancel_after_ms = 0), 230);
    house.cancel_as_of(house.now).unwrap();
    let mut batches = 0;
    while house.event(EVENT).stage == Stage::Cancelled {
        let (by, command) = house.state.due(house.now).unwrap();
        let entry = house.give(&by, command).unwrap();
        let named = entry
            .events
            .iter()
            .filter(|event| matches!(event, Event::Tournament(event) if matches!(**event, E::Refunded { .. })));
        assert!(named.count() <= 100);
        batches += 1;
        house.now += MINUTE;
        house.crash();
    }
    assert_eq!(batches, 4);
    house.settled();
    assert_eq!(house.refunded().len(), 230);
    assert!((0..230).all(|n| house.balance(&format!("p{n}")) == 100_000));
}

#[test]
fn refunds_2_3_a_prize_paid_after_the_instant_is_taken_back() {
    let terms = |structure: &mut Structure| {
        structure.late_levels = 0;
        pay(structure, &[50, 30, 20]);
    };
    for spent in [false, true] {
        let mut house = started(&calm("freezeout-6", terms), 6);
        let prize = |house: &House| {
            house.events().iter().find_map(|(at, event)| match event {
                E::PrizePaid { entry_no, prize, .. } => Some((*at, *entry_no, prize.cash)),
                _ => None,
            })
        };
        let is_paid = |house: &House| house.event(EVENT).entries.iter().any(|(_, entry)| entry.is_paid);
        let found = (1..40).any(|seed| {
            house = started(&calm("freezeout-6", terms), 6);
            reaches(&mut house, &mut Rng(seed), is_paid)
        });
        assert!(found);
        let (at, entry_no, cash) = prize(&house).unwrap();
        let (instant, who) = (at - 1, house.event(EVENT).entries.get(&entry_no).unwrap().player.to_string());
        if spent {
            let all = house.balance(&who);
            house.withdraw(&who, all).unwrap();
        }
        let (balance, expected) = (house.balance(&who), model(&house, instant));
        let house_before = house.house_balance();
        house.cancel_as_of(instant).unwrap();
        house.settled();
        holds_against(&house, &expected);
        let paid = house.refunded().into_iter().find(|paid| paid.entry_no == entry_no).unwrap();
        let refund = paid.fee + paid.bounty + paid.pool;
        assert!(refund > 0, "undone");
        assert_eq!(paid.taken, if spent { cash.min(refund) } else { cash });
        assert_eq!(house.balance(&who), balance + refund - paid.taken);
        let fees: u64 = house.refunded().iter().map(|paid| paid.fee).sum();
        let borne = cash - paid.taken;
        assert_eq!(house.house_balance() - house_before, 6 * 80 - fees as i64 - borne as i64);
    }
}

#[test]
fn refunds_4_9_a_place_taken_and_not_paid_is_paid() {
    // A crash right after the hand that took a place: nothing of it is on the log but the hand.
    let terms = |structure: &mut Structure| {
        structure.late_levels = 0;
        pay(structure, &[50, 30, 20]);
        structure.cancel_after_ms = 0;
    };
    let mut found = false;
    for seed in 1..40 {
        let mut house = started(&calm("freezeout-6", terms), 5);
        let is_paid = |house: &House| house.event(EVENT).entries.iter().any(|(_, entry)| entry.is_paid);
        if !reaches(&mut house, &mut Rng(seed), is_paid) {
            continue;
        }
        // Back to the entry at which somebody of the last three had lost their chips.
        let settle = house.log.iter().rposition(|bytes| {
            matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(C::SettleHand { .. }))
        });
        house.log.truncate(settle.unwrap());
        house.state = fold(&house.log);
        let (event, expected) = (house.event(EVENT).clone(), model(&house, house.state.last_time()));
        if event.itm.is_none() || expected.payments.len() != 2 {
            continue;
        }
        house.crash();
        house.settled();
        holds_against(&house, &expected);
        let due: Vec<u64> = house.refunded().iter().map(|paid| paid.due).filter(|due| *due > 0).collect();
        assert_eq!((expected.case, due), (Case::Paid, vec![920]));
        found = true;
        break;
    }
    assert!(found);
}

#[test]
fn what_is_over_is_paid_as_it_ended() {
    let mut house = started(&calm("heads-up", |structure| structure.cancel_after_ms = 0), 2);
    play(&mut house, &mut Rng(1), 40_000);
    house.settled();
    let (log, ended) = (house.log.clone(), [house.balance("p0"), house.balance("p1")]);
    let is_settle =
        |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(C::SettleHand { .. }));
    let settle = log.iter().rposition(is_settle).unwrap();
    // With the elimination on the log it is over; without it a crash cancels it, to the same end but for the fee.
    for (kept, is_off) in [(settle + 1, false), (settle, true)] {
        house.log = log[..kept].to_vec();
        house.state = fold(&house.log);
        house.now += HOUR;
        house.crash();
        house.settled();
        let events = house.events();
        assert_eq!(events.iter().any(|(_, event)| matches!(event, E::Cancelled { .. })), is_off);
        let fee = if is_off { house.event(EVENT).structure().entry.fee } else { 0 };
        let now = [house.balance("p0"), house.balance("p1")];
        let winner = if ended[0] > ended[1] { 0 } else { 1 };
        assert_eq!((now[winner], now[1 - winner]), (ended[winner] + fee, ended[1 - winner]));
    }
}

#[test]
fn refunds_2_3_what_is_bought_after_the_instant_comes_back_whole() {
    let terms = |structure: &mut Structure| {
        with_break(structure);
        if let Some(rebuy) = &mut structure.rebuy {
            rebuy.stack_at_most = 30_000;
        }
    };
    let mut house = started(&calm("rebuy", terms), 6);
    let mut rng = Rng(6);
    play_to_the_break(&mut house, &mut rng);
    let instant = house.state.last_time();
    house.now += 1_000;
    let expected = model(&house, instant);
    // One more player, and a rebuy.
    house.add_player("late", 50_000);
    house.register(EVENT, "late").unwrap();
    let mut rebought = None;
    for n in 0..6 {
        let before = house.balance(&format!("p{n}"));
        if house.in_event(&format!("p{n}"), C::Rebuy { event: table(EVENT) }).is_ok() {
            rebought = Some((house.entry_of(EVENT, &format!("p{n}")), before - house.balance(&format!("p{n}"))));
            break;
        }
    }
    let (rebuyer, price) = rebought.unwrap();
    let late = house.entry_of(EVENT, "late");
    house.cancel_as_of(instant).unwrap();
    house.settled();
    let paid = house.refunded();
    let of = |entry_no| paid.iter().find(|paid| paid.entry_no == entry_no).copied().unwrap();
    assert_eq!((of(late).bought, of(late).fee + of(late).pool), (1_000, 0));
    assert_eq!(house.balance("late"), 50_000);
    assert_eq!(of(rebuyer).bought, price);
    holds_against(&house, &expected);
}

#[test]
fn t6_stakes_in_case_1() {
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
    };
    let mut house = registered(&calm("freezeout-9", terms), 3);
    sell(&mut house, "p0", &[("p1", 2_500), ("p2", 1_500)]);
    assert_eq!(house.ledger_of(&format!("stakes:{EVENT}")), 2_000);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    assert!((0..3).all(|n| house.balance(&format!("p{n}")) == 100_000));
    let shared = house.events().into_iter().any(|(_, event)| matches!(event, E::StakesDivided { .. }));
    assert!(shared);
}

fn sell(house: &mut House, seller: &str, parts: &[(&str, u64)]) {
    let basis_points = parts.iter().map(|(_, part)| part).sum();
    house.in_event(seller, C::OfferStake { event: table(EVENT), basis_points }).unwrap();
    for (buyer, basis_points) in parts {
        let command = C::BuyStake { event: table(EVENT), seller: player(seller), basis_points: *basis_points };
        house.in_event(buyer, command).unwrap();
    }
}

#[test]
fn t5_a001_r_a_cash_refund_is_divided_with_the_buyers() {
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
    };
    let mut house = registered(&calm("freezeout-9", terms), 9);
    sell(&mut house, "p0", &[("p1", 2_500), ("p2", 1_500)]);
    house.wait(HOUR);
    play_until(&mut house, &mut Rng(21), |house| {
        let event = house.event(EVENT);
        event.remaining < 9 && event.entries.get(&EntryNo(0)).unwrap().chips > 3_000
    });
    let expected = model(&house, house.now);
    let before: Vec<u64> = (0..3).map(|n| house.balance(&format!("p{n}"))).collect();
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    holds_against(&house, &expected);
    let of = |no: u64| expected.payments.iter().find(|p| p.entry_no == EntryNo(no)).map_or(0, |p| p.paid);
    let (first, second) = (of(0) * 2_500 / 10_000, of(0) * 1_500 / 10_000);
    assert!(of(0) > 5_000);
    assert_eq!(house.balance("p1"), before[1] + of(1) + first);
    assert_eq!(house.balance("p2"), before[2] + of(2) + second);
    assert_eq!(house.balance("p0"), before[0] + of(0) - first - second + 2_000);
}

/// Somebody who has won a ticket for `sunday`, at 4,600 + 400, and two more who can pay.
fn with_ticket(change: impl FnOnce(&mut Structure)) -> (House, String) {
    let main = calm("freezeout-9", |structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.staking) = (4_600, 400, true);
        change(structure);
    });
    let mut house = House::new();
    house.announce(EVENT, &main).unwrap();
    let satellite = structure("satellite", |satellite| {
        (satellite.guarantee, satellite.late_levels, satellite.entry.stack) = (0, 0, 500);
        (satellite.entry.buy_in, satellite.entry.players_min) = (2_500, 2);
        if let Payouts::Satellite(terms) = &mut satellite.payouts {
            (terms.target, terms.buy_in, terms.fee) = (EVENT.into(), 4_600, 400);
            terms.non_unregisterable = false;
        }
    });
    let rules = fairshoe_games::RuleSet::shipped(&satellite.rules.name).unwrap();
    let create = C::Create {
        event: table("step"),
        structure: Box::new(satellite),
        rules: Box::new(rules),
        starts_at: house.now + MINUTE,
        registration_from: house.now,
    };
    house.give(&Actor::Operator, Command::Tournament(create)).unwrap();
    for n in 0..4 {
        house.add_player(&format!("p{n}"), 100_000);
    }
    for n in 0..2 {
        house.register("step", &format!("p{n}")).unwrap();
    }
    house.wait(MINUTE);
    house.play_event("step", &mut Rng(1), 0, 0, 40_000);
    assert_eq!(house.event("step").stage, Stage::Ended);
    let winner = (0..2).map(|n| format!("p{n}")).find(|who| {
        let commitment = house.seat_commitment(EVENT, who);
        let command = C::Register { event: table(EVENT), commitment, pay: Pay::Ticket };
        house.in_event(who, command).is_ok()
    });
    assert!(house.now < house.event(EVENT).starts_at, "the satellite took too long");
    (house, winner.unwrap())
}

#[test]
fn t5b_r001_32_a_ticket_comes_back_as_t_dollars_and_the_escrow_to_the_buyers() {
    let (mut house, seller) = with_ticket(|_| {});
    sell(&mut house, &seller, &[("p2", 2_500), ("p3", 1_500)]);
    let before = house.balance(&seller);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    assert_eq!((house.balance("p2"), house.balance("p3")), (100_000, 100_000));
    assert_eq!((house.balance(&seller), house.ledger_of(&format!("tdollars:{seller}"))), (before, 5_000));
}

#[test]
fn a001_i_after_the_start_the_fee_alone_comes_back_in_the_form_paid() {
    let (mut house, seller) = with_ticket(|_| {});
    sell(&mut house, &seller, &[("p2", 2_500), ("p3", 1_500)]);
    house.register(EVENT, "p2").unwrap();
    house.wait(house.event(EVENT).starts_at - house.now);
    let before = house.balance(&seller);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    // 4,600 of the pool in cash and 400 as T$: the total is 5,000, of which the buyers have 1,250 and 750.
    assert_eq!(house.ledger_of(&format!("tdollars:{seller}")), 400);
    assert_eq!((house.balance("p2"), house.balance("p3")), (100_000, 100_000));
    assert_eq!(house.balance(&seller), before + 4_600 - 2_000 + 2_000);
}

#[test]
fn a001_n_a_satellite_is_case_2_until_the_places_with_a_prize_are_reached() {
    let target = calm("freezeout-9", |structure| (structure.entry.buy_in, structure.entry.fee) = (4_600, 400));
    for remaining in [7, 3] {
        let mut house = House::new();
        let rules = fairshoe_games::RuleSet::shipped(&target.rules.name).unwrap();
        let create = C::Create {
            event: table("target"),
            structure: Box::new(target.clone()),
            rules: Box::new(rules),
            starts_at: house.now + DAY,
            registration_from: house.now,
        };
        house.give(&Actor::Operator, Command::Tournament(create)).unwrap();
        // Nine times 1,300: two seats, and 1,700 for the third place.
        let satellite = structure("satellite", |satellite| {
            (satellite.guarantee, satellite.late_levels, satellite.entry.stack) = (0, 0, 3_000);
            (satellite.entry.buy_in, satellite.entry.fee) = (1_300, 100);
            if let Payouts::Satellite(terms) = &mut satellite.payouts {
                (terms.target, terms.buy_in, terms.fee) = ("target".into(), 4_600, 400);
            }
        });
        house.announce(EVENT, &satellite).unwrap();
        for n in 0..9 {
            house.add_player(&format!("p{n}"), 100_000);
            house.register(EVENT, &format!("p{n}")).unwrap();
        }
        house.wait(HOUR);
        play_until(&mut house, &mut Rng(12), |house| house.event(EVENT).remaining <= remaining);
        let expected = model(&house, house.now);
        house.cancel_as_of(house.now).unwrap();
        house.settled();
        holds_against(&house, &expected);
        let (_, _, case, n, pool, ..) = house.cancelled();
        match n {
            3 => assert_eq!((case, pool), (Case::Paid, 2 * 5_000 + 1_700)),
            _ => assert_eq!((case, pool), (Case::Unpaid, 9 * 1_300)),
        }
    }
}

#[test]
fn a001_j_by_chips_alone_where_the_structure_says_so() {
    let mut house = started(&calm("freezeout-6", |s| s.refund_method = RefundMethod::ChipCount), 6);
    play(&mut house, &mut Rng(9), 80);
    let expected = model(&house, house.now);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    holds_against(&house, &expected);
    assert!(expected.payments.iter().any(|paid| paid.pool != 920));
}

#[test]
fn r001_106_where_some_have_a_bounty_theirs_alone_comes_back() {
    let terms = |structure: &mut Structure| structure.bounty_on = BountyOn::Some;
    let mut house = House::new();
    house.announce(EVENT, &calm("bounty-progressive", terms)).unwrap();
    for n in 0..4 {
        house.add_player(&format!("p{n}"), 100_000);
        let command = C::SetBounty { event: table(EVENT), player: player(&format!("p{n}")), has: n == 2 };
        house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
        house.register(EVENT, &format!("p{n}")).unwrap();
    }
    house.wait(HOUR);
    house.cancel_as_of(house.now).unwrap();
    house.settled();
    let bounties: Vec<u64> = house.refunded().iter().map(|paid| paid.bounty).collect();
    assert_eq!(bounties.iter().filter(|bounty| **bounty > 0).count(), 1);
    assert!((0..4).all(|n| house.balance(&format!("p{n}")) == 100_000));
}

#[test]
fn t2_t3_the_worked_examples_as_of_now() {
    let set = |house: &House, chips: &[u64]| {
        let mut event = house.event(EVENT).clone();
        for no in 0..event.next_entry {
            let entry = event.entries.get_mut(&EntryNo(no)).unwrap();
            entry.chips = chips.get(no as usize).copied().unwrap_or_default();
            if entry.chips == 0 {
                entry.at = Whereabouts::Out;
            }
        }
        event
    };
    let pool = |out: &RefundOut| out.payments.iter().map(|paid| paid.pool).collect::<Vec<_>>();
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.fee, structure.guarantee) = (4_600, 400, 100_000);
    };
    let house = started(&calm("freezeout-9", terms), 12);
    let chips = [31_415, 26_535, 20_000, 17_050, 12_500, 8_000, 4_500];
    let out = set(&house, &chips).would_refund(house.now).unwrap();
    assert_eq!((out.case, out.residual, out.total), (Case::Unpaid, 5, 57_995));
    assert_eq!(pool(&out), [11_168, 10_045, 8_542, 7_864, 6_817, 5_782, 4_977]);

    let house =
        started(&calm("freezeout-6", |structure| (structure.guarantee, structure.late_levels) = (40_000, 0)), 30);
    let out = set(&house, &[41_000, 29_500, 12_250, 7_250]).would_refund(house.now).unwrap();
    assert_eq!((out.case, out.residual), (Case::Paid, 2));
    assert_eq!(pool(&out), [13_146, 10_693, 7_013, 5_946]);
}

#[test]
fn t4b_a_full_field_keeps_the_guarantee() {
    let terms = |structure: &mut Structure| {
        (structure.entry.buy_in, structure.entry.players_max, structure.guarantee) = (900, 100, 100_000);
    };
    let house = started(&calm("freezeout-6", terms), 100);
    assert_eq!(house.event(EVENT).pool, Some(100_000));
    assert_eq!(house.house_balance(), -10_000);
}

/// Random events, cancelled at a random moment as of a random instant, by the operator or a crash.
#[test]
fn whatever_is_cancelled_whenever_pays_to_the_cent_and_once() {
    let mut cases: BTreeMap<u8, usize> = BTreeMap::new();
    for seed in 0..20 * effort() {
        let mut rng = Rng(seed * 7_919 + 1);
        let name = rng.pick(&["freezeout-6", "sit-and-go", "bounty-progressive", "rebuy", "heads-up"]);
        let (late, guarantee) = (rng.pick(&[0, 1, 3]), rng.pick(&[0, 15_000]));
        let terms = calm(name, |structure| {
            (structure.guarantee, structure.refund_method) =
                (guarantee, rng.pick(&[RefundMethod::Document, RefundMethod::ChipCount]));
            structure.entry.stack = 1_500;
            if structure.late_levels > 0 || name == "freezeout-6" {
                structure.late_levels = late;
            }
        });
        let most = terms.entry.players_max.min(16) as usize;
        let mut house = registered(&terms, if name == "heads-up" { 2 } else { most.min(5 + rng.below(12)) });
        let funds =
            |house: &House| -> i128 { (0..house.players()).map(|n| i128::from(house.balance(&format!("p{n}")))).sum() };
        house.wait(HOUR);
        play(&mut house, &mut rng, 1_500);
        // Back to some entry since the start, late ones as often as early ones.
        let is_start =
            |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(C::Start { .. }));
        let (first, all) = (house.log.iter().position(is_start).unwrap() + 1, house.log.len());
        let back = if rng.one_in(2) { all - first } else { (all - first).min(60) };
        house.log.truncate(all - rng.below(back));
        house.state = fold(&house.log);
        house.now = house.state.last_time();
        if house.event(EVENT).stage != Stage::Running {
            continue;
        }
        let (first, last) = {
            let event = house.event(EVENT);
            (event.clock.started.max(house.now.saturating_sub(30 * MINUTE)), house.now)
        };
        let (before, own) = (funds(&house), house.house_balance());
        let in_event = ["pool", "fees", "bounties", "stakes"].map(|kind| house.ledger_of(&format!("{kind}:{EVENT}")));
        let (lay, cut) =
            (in_event.iter().map(|cents| i128::from(*cents)).sum::<i128>(), house.ledger_of("rounding_residual"));
        let crash = rng.one_in(3);
        let instant =
            if crash { house.state.last_time() } else { first + rng.below((last - first + 1) as usize) as u64 };
        let held = house.event(EVENT).entries.iter().any(|(_, entry)| entry.falls.is_some());
        let expected = model(&house, instant);
        if crash {
            house.now += 31 * MINUTE + rng.below(DAY as usize) as u64;
            house.crash();
            house.run_due();
        } else if let Err(error) = house.cancel_as_of(instant) {
            assert!(matches!(error, DecideError::Refused(Refusal::NothingToDo(_))), "{error}");
            continue;
        }
        if rng.one_in(2) && house.event(EVENT).stage == Stage::Cancelled {
            let (by, command) = house.state.due(house.now).unwrap();
            house.give(&by, command).unwrap();
            house.crash();
        }
        house.settled();
        if house.events().iter().any(|(_, event)| matches!(event, E::Cancelled { .. })) {
            *cases.entry(house.cancelled().2.into()).or_default() += 1;
            if !held {
                holds_against(&house, &expected);
            }
        }
        if house.refunded().is_empty() {
            continue;
        }
        // What the players have more is what is stated, and the rest of what lay there is the house's and the residual.
        let stated = house.refunded().iter().fold(0, |sum, paid| {
            sum + i128::from(paid.fee + paid.bounty + paid.pool + paid.due + paid.bought) - i128::from(paid.taken)
        });
        assert_eq!(funds(&house) - before, stated);
        let rest = i128::from(house.house_balance() - own + house.ledger_of("rounding_residual") - cut);
        assert_eq!(stated + rest, lay);
    }
    assert!(cases.len() >= 2, "{cases:?}");
}

/// A crash after so many entries of a log, which cancels the event.
fn crashed_after(log: &[Vec<u8>], entries: usize) -> House {
    let mut house = House::new();
    house.log = log[..entries].to_vec();
    house.state = fold(&house.log);
    house.now = house.state.last_time() + DAY;
    house.starts = 100;
    house.crash();
    house
}

#[test]
fn a_crash_between_a_hand_and_its_eliminations_pays_as_one_after_them() {
    let is_settle =
        |bytes: &Vec<u8>| matches!(Entry::decode(bytes).unwrap().command, Command::Tournament(C::SettleHand { .. }));
    let (mut compared, mut with_bounty) = (0, 0);
    for (name, seed) in [("bounty-progressive", 3), ("rebuy", 4), ("freezeout-6", 5), ("sit-and-go", 6)] {
        let terms = calm(name, |structure| {
            structure.entry.stack = 1_000;
            if name == "freezeout-6" {
                structure.late_levels = 0;
            }
        });
        let mut house = started(&terms, 6);
        play(&mut house, &mut Rng(seed), 4_000);
        let settles = (0..house.log.len()).filter(|at| is_settle(&house.log[*at]));
        for at in settles {
            let (mut before, mut after) = (crashed_after(&house.log, at), crashed_after(&house.log, at + 1));
            before.settled();
            after.settled();
            let is_off = |house: &House| house.event(EVENT).refund_case.is_some();
            assert!(is_off(&before));
            if !is_off(&after) {
                continue;
            }
            assert_eq!(before.refunded(), after.refunded(), "{name}, entry {at}");
            holds_against(&after, &model(&after, after.cancelled().1));
            compared += 1;
            with_bounty += usize::from(before.refunded().iter().any(|paid| paid.bounty > 0));
        }
    }
    assert!(compared > 8 && with_bounty > 1, "{compared} {with_bounty}");
}

#[test]
fn a_crash_at_any_entry_pays_what_the_log_shows() {
    for (name, seed, n) in [("freezeout-6", 31, 10), ("bounty-progressive", 32, 9), ("rebuy", 33, 5)] {
        let mut rng = Rng(seed);
        let terms = calm(name, |structure| {
            (structure.guarantee, structure.late_levels) = (9_000, if name == "freezeout-6" { 0 } else { 1 });
            structure.entry.stack = 1_000;
        });
        let mut house = started(&terms, n);
        play(&mut house, &mut rng, 4_000);
        let first = house.log.iter().position(|bytes| {
            let entry = Entry::decode(bytes).unwrap();
            matches!(entry.command, Command::Tournament(C::Start { .. }))
        });
        let (first, all) = (first.unwrap() + 1, house.log.len());
        for _ in 0..8 * effort() {
            let mut crashed = crashed_after(&house.log, first + rng.below(all - first));
            let was = fold(&crashed.log[..crashed.log.len() - 1]);
            let event = was.tournament(&table(EVENT)).unwrap();
            let falls = event.entries.iter().any(|(_, entry)| entry.falls.is_some());
            let expected = (event.stage == Stage::Running).then(|| model(&crashed, was.last_time()));
            crashed.settled();
            if crashed.event(EVENT).refund_case.is_some() && !falls {
                holds_against(&crashed, &expected.unwrap());
            }
        }
    }
}

#[test]
fn r001_107_who_was_disqualified_after_the_instant_gets_nothing() {
    let mut house = started(&calm("bounty-progressive", with_break), 4);
    let instant = house.state.last_time();
    let reason = Reference::parse("two hands at once").unwrap();
    let command = C::Disqualify { event: table(EVENT), player: player("p1"), reason };
    play_to_the_break(&mut house, &mut Rng(1));
    house.give(&Actor::Operator, Command::Tournament(command)).unwrap();
    let barred = house.entry_of(EVENT, "p1");
    house.cancel_as_of(instant).unwrap();
    house.settled();
    let paid = house.refunded();
    assert!(paid.iter().all(|paid| paid.entry_no != barred));
    // Their head is the others', and their buy-in in the pool.
    let terms = house.event(EVENT).structure().entry.clone();
    let bounties: u64 = paid.iter().map(|paid| paid.bounty).sum();
    let pool: u64 = paid.iter().map(|paid| paid.pool).sum();
    assert_eq!((bounties, pool + house.cancelled().6), (4 * terms.bounty, 4 * terms.buy_in));
}

#[test]
fn a_sellers_bounties_paid_after_the_instant_come_out_of_the_escrow() {
    let terms = |structure: &mut Structure| {
        structure.staking = true;
        (structure.late_levels, structure.entry.stack) = (0, 1_000);
        pay(structure, &[40, 30, 20, 10]);
    };
    let structure = calm("bounty-progressive", terms);
    let whole = structure.entry.buy_in + structure.entry.fee + structure.entry.bounty;
    let mut found = false;
    for seed in 1..30 {
        let mut house = registered(&structure, 5);
        for n in 0..5 {
            sell(&mut house, &format!("p{n}"), &[(&format!("p{}", (n + 1) % 5), 5_000)]);
        }
        house.wait(HOUR);
        let paid = |house: &House| house.event(EVENT).entries.iter().any(|(_, entry)| entry.received > 0);
        if !reaches(&mut house, &mut Rng(seed), paid) {
            continue;
        }
        let at = house.events().into_iter().find_map(|(at, event)| match event {
            E::BountyPaid { .. } | E::PrizePaid { .. } => Some(at),
            _ => None,
        });
        let instant = at.unwrap() - 1;
        let expected = model(&house, instant);
        house.cancel_as_of(instant).unwrap();
        house.settled();
        holds_against(&house, &expected);
        assert!(house.refunded().iter().any(|paid| paid.taken > 0));
        // Half of each refund goes to the next, who paid half of the entry for it.
        for n in 0..5usize {
            let of =
                |no: usize| expected.payments.iter().find(|p| p.entry_no == EntryNo(no as u64)).map_or(0, |p| p.paid);
            let bought = of((n + 4) % 5) / 2;
            let kept = of(n) - of(n) / 2;
            assert_eq!(house.balance(&format!("p{n}")), 100_000 - whole + kept + bought, "{n}");
        }
        found = true;
        break;
    }
    assert!(found);
}

#[test]
fn a_crash_while_a_deal_is_talked_of_stops_the_clock_once() {
    let terms = |structure: &mut Structure| {
        with_break(structure);
        structure.late_levels = 0;
        structure.deal = Some(DealTerms { most_players: 3 });
    };
    let mut house = started(&calm("freezeout-6", terms), 3);
    let mut rng = Rng(5);
    play_to_the_break(&mut house, &mut rng);
    for n in 0..3 {
        let command = C::WantDeal { event: table(EVENT), want: true };
        house.in_event(&format!("p{n}"), command).unwrap();
    }
    let (from, _) = house.event(EVENT).clock.stands.unwrap();
    house.now += 5_000;
    house.add_player("heidi", 5);
    let last = house.state.last_time();
    house.now += 10 * MINUTE;
    house.crash();
    let event = house.event(EVENT);
    assert_eq!(
        (event.clock.stops.as_slice(), event.clock.stands.map(|(since, _)| since)),
        (&[(from, last)][..], Some(last))
    );
    house.run_due();
    assert_eq!(house.event(EVENT).clock.stops, [(from, last), (last, house.now)]);
    assert!(house.event(EVENT).position(house.now).is_some());
    play(&mut house, &mut rng, 40_000);
    house.settled();
}
