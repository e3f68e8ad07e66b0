//! Cancellations and refunds of tournaments (spec/games/refunds.md), through the house: every figure is held against the
//! arithmetic of `fairshoe_tournament`, fed with what the log shows.

mod worked;

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

    /// Cancelled as of this instant, the event pays what the model says.
    #[track_caller]
    fn cancelled_as_modelled(&mut self, instant: u64) -> RefundOut {
        let expected = model(self, instant);
        self.cancel_as_of(instant).unwrap();
        self.settled();
        holds_against(self, &expected);
        expected
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
            all.extend(entry.events.into_iter().filter_map(some!(Event::Tournament(event) => (entry.time, *event))));
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
    model_of(house, instant, CancelCause::Operator)
}

fn model_of(house: &House, instant: u64, cause: CancelCause) -> RefundOut {
    let event = house.event(EVENT);
    let records = records(&house.log);
    let stops = event.clock.stops.iter().copied().chain(event.clock.stands.map(|(from, _)| (from, u64::MAX)));
    let stops: Vec<Stop> = stops.map(|(from, until)| Stop { from, until }).collect();
    let start = event.clock.started;
    let of = refund::Event { structure: event.structure(), start, stops: &stops, records: &records };
    let mut given = of.refund_in(instant).unwrap();
    if cause == CancelCause::Operator && given.case == Case::Unpaid {
        given.pool = given.pool.max(event.structure().guarantee);
    }
    refund::refund(&given).unwrap()
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
    let last = house.state.last_time();
    let expected = model_of(&house, last, CancelCause::Crash);
    house.now = last + 31 * MINUTE;
    house.crash();
    house.run_due();
    house.settled();
    holds_against(&house, &expected);
    let (_, _, case, _, pool, ..) = house.cancelled();
    assert_eq!((case, pool), (Case::Unpaid, 14 * 920));
    // The eliminated get nothing, and what they paid in fees is the house's.
    let fees: i64 = house.refunded().iter().map(|paid| paid.fee as i64).sum();
    assert_eq!(house.house_balance(), 14 * 80 - fees);
    assert_eq!(house.ledger_of("rounding_residual"), expected.residual as i64);
}

/// refunds.md, 4.2. Attack: 20 entrants at a guarantee of 40,000; with 8 left the operator cancels, and keeps the overlay.
#[test]
fn refunds_4_2_an_operator_who_cancels_pays_the_guarantee() {
    let mut house = started(&calm("freezeout-6", |structure| structure.guarantee = 40_000), 14);
    play_until(&mut house, &mut Rng(11), |house| house.event(EVENT).remaining <= 11);
    // The operator cannot call it a crash, not even in one.
    let named = |house: &mut House, cause| {
        let (instant, reason) = (house.now, Reference::parse("power cut"));
        let command = C::Cancel { event: table(EVENT), cause, instant, reason };
        refusal(house.give(&Actor::Operator, Command::Tournament(command))).code()
    };
    assert_eq!(named(&mut house, CancelCause::Crash), "nothing_to_do");
    let last = house.state.last_time();
    house.crash();
    while matches!(house.state.due(house.now), Some((_, Command::Recover { .. }))) {
        let (by, command) = house.state.due(house.now).unwrap();
        house.give(&by, command).unwrap();
    }
    assert_eq!(named(&mut house, CancelCause::Crash), "nothing_to_do");
    let expected = model(&house, last);
    house.cancel_as_of(last).unwrap();
    house.settled();
    holds_against(&house, &expected);
    let (_, _, case, _, pool, ..) = house.cancelled();
    assert_eq!((case, pool), (Case::Unpaid, 40_000));
    let fees: i64 = house.refunded().iter().map(|paid| paid.fee as i64).sum();
    assert_eq!(house.house_balance(), 14 * 80 - fees - (40_000 - 14 * 920));
}

#[test]
fn r001_29_case_3_is_of_the_lobbys_table_with_overlay() {
    let terms = |structure: &mut Structure| {
        (structure.late_levels, structure.guarantee) = (0, 20_000);
        pay(structure, &[50, 30, 20]);
    };
    let mut house = started(&calm("freezeout-6", terms), 9);
    play_until(&mut house, &mut Rng(5), |house| house.event(EVENT).itm.is_some());
    let expected = house.cancelled_as_modelled(house.now);
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
    play_until(&mut house, &mut Rng(6), |house| house.event(EVENT).itm.is_some());
    house.cancelled_as_modelled(house.now);
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
    house.cancelled_as_modelled(house.now);
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
        let expected = model_of(&house, last, CancelCause::Crash);
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
