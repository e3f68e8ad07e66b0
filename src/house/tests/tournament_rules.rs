//! The rules of document 001 that an event's house keeps, and not its arithmetic alone, one test each
//! (spec/games/tournaments.md, 17).

use crate::common::rng::Rng;
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_games::{Action, RoundEvent};
use fairshoe_house::tournament::{Pay, TournamentEvent as E};
use fairshoe_house::{Actor, Command, DecideError, Entry, Event, Reference, Refusal, TournamentCommand as C};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{BreakAfter, Breaks};

const EVENT: &str = "sunday";

/// An event of which these players are registered, an hour before its start.
fn announced(players: &[&str], change: impl FnOnce(&mut Structure)) -> House {
    let structure = structure("freezeout-9", |structure| {
        structure.guarantee = 0;
        change(structure);
    });
    let mut house = House::new();
    house.announce(EVENT, &structure).unwrap();
    for who in players {
        house.add_player(who, 1_000_000);
        house.register(EVENT, who).unwrap();
    }
    house
}

/// The same, seated at one table whose first hand is called.
fn seated(players: &[&str], change: impl FnOnce(&mut Structure)) -> House {
    let mut house = announced(players, change);
    house.wait(HOUR);
    house.reveal_seats(EVENT, &mut Rng(1), 0);
    house
}

fn choices(house: &House, who: &str) -> Vec<Action> {
    let of = |event: Event| match event {
        Event::Play(RoundEvent::Acted { player: acted, action, .. }) if acted == player(who) => Some(action),
        _ => None,
    };
    entries(&house.log).into_iter().flat_map(|entry| entry.events).filter_map(of).collect()
}

fn register(house: &mut House, who: &str) -> Result<Entry, DecideError> {
    house.add_player(who, 1_000_000);
    house.register(EVENT, who)
}

#[test]
fn r001_10_an_action_that_does_not_come_is_a_check_where_that_is_free_and_else_a_fold() {
    let mut house = seated(&["a", "b"], |_| {});
    for who in ["a", "b"] {
        house.commit_hand("sunday.1", who).unwrap();
    }
    house.run_due();
    house.show_all("sunday.1");
    let (first, _) = house.offers("sunday.1").unwrap();
    house.choose("sunday.1", &first, Action::Call).unwrap();
    let (second, _) = house.offers("sunday.1").unwrap();
    // The big blind may check, and on the flop is asked first.
    house.wait(house.event(EVENT).structure().clocks.turn_ms + house.event(EVENT).structure().clocks.bank_ms);
    assert_eq!(choices(&house, &second), [Action::Check]);
    let (asked, _) = house.offers("sunday.1").unwrap();
    let other = if asked == first { second } else { first };
    house.choose("sunday.1", &asked, Action::Bet { to: chips(100) }).unwrap();
    house.wait(house.event(EVENT).structure().clocks.turn_ms + house.event(EVENT).structure().clocks.bank_ms);
    assert_eq!(choices(&house, &other).last(), Some(&Action::Fold));
    assert_eq!(house.event(EVENT).remaining, 2, "nobody leaves an event for that");
}

#[test]
fn r001_11_absent_players_are_dealt_in_and_post() {
    let mut house = seated(&["a", "b", "c"], |_| {});
    for who in ["a", "b"] {
        house.commit_hand("sunday.1", who).unwrap();
    }
    house.wait(house.event(EVENT).structure().clocks.commit_ms);
    let round = house.table("sunday.1").live_round().unwrap();
    assert_eq!(round.contributors.len(), 2, "who committed a seed");
    let begun = entries(&house.log)
        .into_iter()
        .flat_map(|entry| entry.events)
        .find_map(some!(Event::HandBegun { hand, .. } => hand));
    let dealt: Vec<String> = begun.unwrap().seats.iter().map(|seat| seat.player.to_string()).collect();
    assert!(["a", "b", "c"].iter().all(|who| dealt.iter().any(|dealt| dealt == who)), "{dealt:?}");
    house.show_all("sunday.1");
    while let Some((who, _)) = house.offers("sunday.1") {
        assert_ne!(who, "c", "nobody waits for who is absent");
        house.choose("sunday.1", &who, Action::Fold).unwrap();
    }
}

#[test]
fn r001_82_r001_95_buy_in_and_fee_are_debited_together_and_have_to_be_covered() {
    let mut house = announced(&["a"], |_| {});
    let terms = house.event(EVENT).structure().entry.clone();
    assert_eq!(house.balance("a"), 1_000_000 - terms.buy_in - terms.fee);
    house.add_player("poor", terms.buy_in + terms.fee - 1);
    let refused = refusal(house.register(EVENT, "poor"));
    assert_eq!(refused.code(), "insufficient_balance");
    house.credit("poor", 1).unwrap();
    house.register(EVENT, "poor").unwrap();
    assert_eq!(house.balance("poor"), 0);
}

#[test]
fn r001_96_late_registration_ends_with_its_level_and_at_that_moment() {
    let mut house = seated(&["a", "b", "c", "d", "e"], |structure| {
        structure.late_levels = 1;
        structure.levels[0].ms = 60_000;
    });
    let end = house.event(EVENT).clock.started + 60_000;
    house.wait(end - 1 - house.now);
    register(&mut house, "late").unwrap();
    house.wait(1);
    assert_eq!(refusal(register(&mut house, "later")).code(), "registration_closed");
}

#[test]
fn r001_97_a_full_field_takes_nobody() {
    let mut house = announced(&["a", "b"], |structure| structure.entry.players_max = 3);
    register(&mut house, "c").unwrap();
    assert_eq!(refusal(register(&mut house, "d")).code(), "field_full");
}

#[test]
fn r001_98_an_entry_is_given_back_before_its_time_and_not_at_it() {
    let before = 300_000;
    let mut house = announced(&["a", "b"], |structure| structure.unregister_ms = Some(before));
    let event = || table(EVENT);
    house.wait(HOUR - before - 1);
    house.in_event("a", C::Unregister { event: event() }).unwrap();
    assert_eq!(house.balance("a"), 1_000_000);
    house.wait(1);
    assert_eq!(refusal(house.in_event("b", C::Unregister { event: event() })).code(), "deadline_passed");
    let mut house = announced(&["a"], |structure| structure.unregister_ms = None);
    assert_eq!(refusal(house.in_event("a", C::Unregister { event: event() })).code(), "not_allowed");
}

/// 4.2, 14. Attack: no unregistering, and the start postponed again and again: the money is held for years.
#[test]
fn r001_90_an_event_is_postponed_three_times_and_a_week_at_most_and_entries_come_back_meanwhile() {
    const WEEK: u64 = 7 * DAY;
    let mut house = announced(&["a", "b"], |structure| structure.unregister_ms = None);
    let announced = house.event(EVENT).starts_at;
    let postpone = |house: &mut House, starts_at: u64| {
        let reason = Reference::parse("not yet").unwrap();
        house.give(&Actor::Operator, Command::Tournament(C::Postpone { event: table(EVENT), starts_at, reason }))
    };
    let give_back = |house: &mut House, who| house.in_event(who, C::Unregister { event: table(EVENT) });
    assert_eq!(refusal(give_back(&mut house, "a")).code(), "not_allowed");
    assert_eq!(refusal(postpone(&mut house, announced + WEEK + 1)).code(), "malformed");
    postpone(&mut house, announced + 1_000).unwrap();
    give_back(&mut house, "a").unwrap();
    assert_eq!(house.balance("a"), 1_000_000);
    // The week counts from the start that was announced.
    house.wait(announced - house.now);
    assert_eq!(refusal(postpone(&mut house, announced + WEEK + 1)).code(), "malformed");
    postpone(&mut house, announced + 2_000).unwrap();
    postpone(&mut house, announced + WEEK).unwrap();
    assert_eq!(refusal(postpone(&mut house, announced + WEEK)).code(), "not_allowed");
    house.wait(WEEK - 1);
    give_back(&mut house, "b").unwrap();
    assert_eq!(house.balance("b"), 1_000_000);
}

#[test]
fn r001_100_other_times_of_registration_count_from_their_own_entry_on() {
    let mut house = seated(&["a", "b", "c", "d", "e"], |structure| {
        structure.late_levels = 1;
        structure.levels.iter_mut().for_each(|level| level.ms = 60_000);
    });
    let started = house.event(EVENT).clock.started;
    house.wait(started + 30_000 - house.now);
    let change = C::ChangeRegistration {
        event: table(EVENT),
        late_levels: 2,
        unregister_ms: None,
        reason: Reference::parse("many wait").unwrap(),
    };
    let by_player = house.in_event("a", change.clone());
    assert!(matches!(refusal(by_player), Refusal::NotAllowed(_)));
    house.give(&Actor::Operator, Command::Tournament(change)).unwrap();
    house.wait(started + 60_001 - house.now);
    register(&mut house, "late").unwrap();
    house.wait(started + 120_000 - house.now);
    assert_eq!(refusal(register(&mut house, "later")).code(), "registration_closed");
    // What lengthens registration does not lengthen the time in which the paid places cut it short.
    assert_eq!(house.event(EVENT).least_late_levels, 1);
}

#[test]
fn r001_102_no_hand_is_called_in_a_break() {
    let mut house = seated(&["a", "b", "c"], |structure| {
        structure.levels.iter_mut().for_each(|level| level.ms = 20_000);
        structure.breaks = Breaks::After(vec![BreakAfter { level: 1, ms: 60_000 }]);
    });
    house.play_event(EVENT, &mut Rng(3), 0, 0, 400);
    house.wait(120_000);
    let (mut in_break, mut breaks) = (false, 0);
    for entry in entries(&house.log) {
        for event in &entry.events {
            match event {
                Event::Tournament(event) if matches!(**event, E::BreakBegun { .. }) => (in_break, breaks) = (true, 1),
                Event::Tournament(event) if matches!(**event, E::BreakEnded {}) => in_break = false,
                Event::HandCalled { .. } => assert!(!in_break, "a hand is called in a break"),
                _ => {}
            }
        }
    }
    assert_eq!(breaks, 1);
}

/// At its own time a table is called a hand, and no millisecond earlier.
fn is_called_at(house: &mut House, time: u64) {
    let call = Command::CallHand { table: table("sunday.1") };
    assert_eq!(house.state.next_deadline(), Some(time));
    house.now = time - 1;
    assert!(house.run_due().is_empty());
    let Err(DecideError::Refused(refusal)) = house.give(&Actor::House, call.clone()) else { panic!("too early") };
    assert_eq!(refusal.code(), "nothing_to_do");
    house.now = time;
    assert_eq!(house.run_due()[0].command, call);
}

#[test]
fn no_hand_is_called_before_the_pause_is_over_and_levels_run_on() {
    let players = ["a", "b", "c"];
    let mut house = seated(&players, |structure| {
        structure.clocks.between_hands_ms = Some(3_000);
        structure.levels.iter_mut().for_each(|level| level.ms = 10_000);
    });
    let opened = house.now;
    is_called_at(&mut house, opened + 3_000);
    begin(&mut house, &players);
    house.now = opened + 9_000;
    play_out(&mut house, None);
    assert!(house.run_due().iter().all(|entry| !matches!(entry.command, Command::CallHand { .. })));
    // The second level begins in the pause, and has the hand.
    house.now = opened + 10_000;
    assert!(!house.run_due().is_empty());
    assert_eq!(house.event(EVENT).clock.level, 2);
    is_called_at(&mut house, opened + 12_000);
    let blinds = house.table("sunday.1").rules.cash().unwrap().blinds;
    assert_eq!(blinds.big.units(), house.event(EVENT).structure().levels[1].big);
    assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
}

#[test]
fn r001_24_t_dollars_pay_entries_to_the_cent() {
    let mut house = announced(&["a"], |_| {});
    let terms = house.event(EVENT).structure().entry.clone();
    // Nobody has T$ yet: all of it is cash.
    house.add_player("b", terms.buy_in + terms.fee);
    let commitment = house.seat_commitment(EVENT, "b");
    let command = |pay| C::Register { event: table(EVENT), commitment, pay };
    assert_eq!(refusal(house.in_event("b", command(Pay::Ticket))).code(), "not_allowed");
    house.in_event("b", command(Pay::TDollars)).unwrap();
    assert_eq!(house.balance("b"), 0);
}

/// The table's next hand is called as soon as the last one is over: who has no chips does not wait for it.
#[test]
fn who_has_no_chips_rebuys_while_the_others_play_on() {
    let structure = structure("rebuy", |structure| {
        (structure.entry.stack, structure.entry.players_min, structure.seats) = (400, 2, 4);
        structure.rebuy.as_mut().unwrap().time_ms = 600_000;
    });
    let mut rng = Rng(3);
    let mut house = House::new();
    house.announce("sunday", &structure).unwrap();
    for n in 0..4 {
        house.add_player(&format!("p{n}"), 1_000_000);
        house.register("sunday", &format!("p{n}")).unwrap();
    }
    house.wait(HOUR);
    let is_called =
        |house: &House| house.table("sunday.1").call().is_some() || house.table("sunday.1").live_round().is_some();
    while house.event("sunday").rebuying.is_empty() || !is_called(&house) {
        house.play_event("sunday", &mut rng, 0, 0, 1);
    }
    let (_, entry_no) = *house.event("sunday").rebuying.first().unwrap();
    let broke = house.event("sunday").entries.get(&entry_no).unwrap().player.to_string();
    house.in_event(&broke, C::Rebuy { event: table("sunday") }).unwrap();
    let chips = structure.rebuy.as_ref().unwrap().chips;
    assert_eq!(house.event("sunday").entries.get(&entry_no).unwrap().chips, chips);
    house.check_event("sunday");
    // Whoever has chips has it when the hand is over.
    let other = (0..4).map(|n| format!("p{n}")).find(|who| *who != broke).unwrap();
    house.in_event(&other, C::Rebuy { event: table("sunday") }).unwrap();
    assert_eq!(house.event("sunday").noted.len(), 1);
    // The chips lie before the seat at the next hand.
    let dealt = |house: &House| {
        let seat = house.table("sunday.1").cash().unwrap().seats.values().find(|seat| seat.stack.units() == chips);
        seat.is_some()
    };
    for _ in 0..200 {
        if dealt(&house) {
            break;
        }
        house.play_event("sunday", &mut rng, 0, 0, 1);
        house.check_event("sunday");
    }
    assert!(dealt(&house), "the chips do not come to the table");
    assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
}

/// The turns of a player: how long each was, without and with the bank, and what of it they were given.
fn turns(house: &House, who: &str) -> Vec<(u64, u64, u64)> {
    let mut turns = Vec::new();
    for entry in entries(&house.log) {
        for event in &entry.events {
            if let Event::Play(RoundEvent::Offered { player: asked, deadline, bank_from, extra_ms, .. }) = event
                && *asked == player(who)
            {
                let (base, all) = (bank_from.unwrap_or(*deadline) - entry.time, deadline - entry.time);
                turns.push((base, all, *extra_ms));
            }
        }
    }
    turns
}

/// A hand to which everybody commits, up to the first turn.
fn begin(house: &mut House, players: &[&str]) -> String {
    house.run_due();
    for who in players {
        house.commit_hand("sunday.1", who).unwrap();
    }
    house.run_due();
    house.show_all("sunday.1");
    house.offers("sunday.1").unwrap().0
}

/// Every turn of a hand but one player's is a fold; theirs is let pass, or a fold as well.
fn play_out(house: &mut House, absent: Option<&str>) {
    while let Some((who, _)) = house.offers("sunday.1") {
        if absent == Some(who.as_str()) {
            let deadline = house.state.next_deadline().unwrap();
            house.now = deadline;
            let lapsed = house.run_due();
            assert!(!lapsed.is_empty());
        } else {
            house.choose("sunday.1", &who, Action::Fold).unwrap();
        }
    }
}

#[test]
fn r001_104_who_was_cut_off_late_in_the_event_has_more_time_once() {
    let players = ["a", "b", "c"];
    for late_players in [3, 2] {
        let mut house = seated(&players, |structure| {
            structure.late_levels = 0;
            structure.clocks.late_players = late_players;
            structure.clocks.late_extra_ms = 45_000;
            (structure.clocks.turn_ms, structure.clocks.bank_ms) = (20_000, 30_000);
            structure.clocks.bank_refill_ms = 30_000;
        });
        let cut_off = begin(&mut house, &players);
        let turn = (20_000, 50_000, 0);
        assert_eq!(turns(&house, &cut_off), [turn], "an ordinary turn");
        play_out(&mut house, Some(&cut_off));
        // The next turns, of hands in which they take part: one has more time, before the bank, and no other.
        let extra = if late_players == 3 { (65_000, 95_000, 45_000) } else { turn };
        for (nth, expected) in [(1, extra), (2, turn), (3, turn)] {
            while turns(&house, &cut_off).len() <= nth {
                begin(&mut house, &players);
                play_out(&mut house, Some(&cut_off).filter(|_| nth < 3).map(String::as_str));
            }
            assert_eq!(turns(&house, &cut_off)[nth], expected, "{late_players}: turn {nth}");
        }
        // A decision of their own, and they can be cut off again.
        let before = turns(&house, &cut_off).len();
        while turns(&house, &cut_off).len() <= before {
            begin(&mut house, &players);
            play_out(&mut house, Some(&cut_off));
        }
        while turns(&house, &cut_off).len() <= before + 1 {
            begin(&mut house, &players);
            play_out(&mut house, None);
        }
        assert_eq!(turns(&house, &cut_off)[before..], [turn, extra]);
        assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
    }
}

#[test]
fn r001_107_a_disqualification_in_a_hand_is_carried_out_when_it_is_over() {
    let players = ["a", "b", "c"];
    let mut house = seated(&players, |structure| structure.late_levels = 0);
    let who = begin(&mut house, &players);
    let reason = Reference::parse("collusion").unwrap();
    let disqualify = C::Disqualify { event: table(EVENT), player: player(&who), reason: reason.clone() };
    house.give(&Actor::Operator, Command::Tournament(disqualify)).unwrap();
    assert_eq!(house.event(EVENT).remaining, 3);
    play_out(&mut house, None);
    house.run_due();
    assert_eq!(house.event(EVENT).remaining, 2);
    let out = entries(&house.log).into_iter().flat_map(|entry| entry.events).find_map(|event| match event {
        Event::Tournament(event) => match *event {
            E::PlayerDisqualified { reason, .. } => Some(reason),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(out, Some(reason));
}
