//! What is asked for in the middle of a hand, or a draw, and carried out when that is over (spec/games/tournaments.md,
//! 4.4, 7.6).

use super::*;
use fairshoe_house::tournament::{CancelCause, DropCause, Note, Noted, Whereabouts};

const EVENT: &str = "sunday";

fn rebuy() -> C {
    C::Rebuy { event: table(EVENT) }
}

/// Two players whose every hand is all-in, with rebuys; the first hand is begun, and nobody has chosen yet.
fn heads_up(change: impl FnOnce(&mut Structure)) -> House {
    let structure = one_blind("rebuy", |structure| {
        structure.seats = 2;
        let big = structure.levels[0].big;
        let terms = structure.rebuy.as_mut().unwrap();
        (terms.stack_at_most, terms.chips) = (big, big);
        change(structure);
    });
    let mut house = House::new();
    house.seated_event(EVENT, &structure, 2);
    house.begin_hand();
    house
}

impl House {
    fn begin_hand(&mut self) {
        self.commit_all("sunday.1");
        self.run_due();
        self.show_all("sunday.1");
        assert!(self.offers("sunday.1").is_some(), "a hand is played");
    }

    /// The hand that has begun, everybody calling; the house does nothing after it.
    fn end_hand(&mut self) {
        while let Some((who, offers)) = self.offers("sunday.1") {
            let of = |kind: ActionKind| offers.iter().any(|offer| offer.action == kind);
            let action = match () {
                () if of(ActionKind::Check) => Action::Check,
                () if of(ActionKind::Call) => Action::Call,
                () => Action::Show,
            };
            self.choose("sunday.1", &who, action).unwrap();
        }
    }

    fn of_event(&self) -> Vec<(u64, E)> {
        let own = |entry: Entry| {
            let time = entry.time;
            let events = entry.events.into_iter().filter_map(some!(Event::Tournament(event) => *event));
            events.map(move |event| (time, event)).collect::<Vec<_>>()
        };
        entries(&self.log).into_iter().flat_map(own).collect()
    }

    fn count(&self, is: impl Fn(&E) -> bool) -> usize {
        self.of_event().iter().filter(|(_, event)| is(event)).count()
    }

    fn number_of(&self, who: &str) -> EntryNo {
        *self.event(EVENT).entrants.get(&player(who)).unwrap().entries.last().unwrap()
    }

    fn chips_of(&self, who: &str) -> u64 {
        self.event(EVENT).entries.get(&self.number_of(who)).unwrap().chips
    }

    fn is_same_when_folded(&self) {
        assert_eq!(fingerprint(&fold(&self.log)), self.fingerprint());
    }
}

/// 4.4: asked for in a hand a rebuy costs nothing before its end; who lost everything goes on with it, and who has too
/// many chips by then has none.
#[test]
fn a_rebuy_in_a_hand_is_bought_when_it_is_over_by_who_may_then() {
    let mut house = heads_up(|_| {});
    let before = ["p0", "p1"].map(|who| house.balance(who));
    loop {
        for who in ["p0", "p1"] {
            house.in_event(who, rebuy()).unwrap();
            assert_eq!(refusal(house.in_event(who, rebuy())).code(), "nothing_to_do", "one at a time");
        }
        assert_eq!(["p0", "p1"].map(|who| house.balance(who)), before, "nothing is paid yet");
        house.end_hand();
        if house.event(EVENT).to_settle.contains_key(&1) {
            break;
        }
        // A split pot: both may rebuy.
        house = heads_up(|_| {});
    }
    let due = house.state.due(house.now).unwrap().1;
    assert!(matches!(due, Command::Tournament(C::CarryOut { .. })), "{due:?}");
    let (loser, winner) = if house.chips_of("p0") == 0 { ("p0", "p1") } else { ("p1", "p0") };
    house.run_due();
    let terms = house.event(EVENT).structure().rebuy.clone().unwrap();
    assert_eq!(house.chips_of(loser), terms.chips);
    assert_eq!(house.balance(loser), before[0] - terms.price - terms.fee);
    assert_eq!(house.balance(winner), before[0]);
    assert_eq!(house.count(|event| matches!(event, E::Rebought { .. })), 1);
    let stack = |event: &E| matches!(event, E::NoteDropped { what: Noted::Rebuy, why: DropCause::Stack, .. });
    assert_eq!(house.count(stack), 1);
    assert_eq!(house.count(|event| matches!(event, E::RebuyAwaited { .. } | E::PlayerEliminated { .. })), 0);
    assert!(house.event(EVENT).noted.is_empty());
    // The chips are at the table for the next hand, which is called after it.
    assert!(house.table("sunday.1").call().is_some());
    assert_eq!(house.stack("sunday.1", loser), terms.chips);
    house.check_event(EVENT);
    house.is_same_when_folded();
}

/// 4.4: what the player spent elsewhere meanwhile is not the event's, and nobody is put into debt.
#[test]
fn a_rebuy_that_is_not_covered_any_more_is_dropped() {
    for who in ["p0", "p1"] {
        let mut house = heads_up(|_| {});
        house.in_event(who, rebuy()).unwrap();
        let all = house.balance(who);
        house.withdraw(who, all).unwrap();
        house.end_hand();
        house.run_due();
        let uncovered = |event: &E| matches!(event, E::NoteDropped { why: DropCause::Balance, .. });
        let full = |event: &E| matches!(event, E::NoteDropped { why: DropCause::Stack, .. });
        assert_eq!(house.count(uncovered) + house.count(full), 1);
        assert_eq!((house.balance(who), house.count(|event| matches!(event, E::Rebought { .. }))), (0, 0));
        house.is_same_when_folded();
    }
    let mut house = heads_up(|_| {});
    house.withdraw("p0", house.balance("p0")).unwrap();
    assert_eq!(refusal(house.in_event("p0", rebuy())).code(), "insufficient_balance", "R001.95");
}

/// 4.4: the level counts as of the asking: a house cannot wait until it is over.
#[test]
fn a_rebuy_asked_for_in_time_is_bought_after_its_level() {
    let mut house = heads_up(|structure| {
        structure.rebuy.as_mut().unwrap().levels = 1;
        structure.levels[0].ms = 60_000;
        structure.clocks.turn_ms = 3_000_000;
    });
    house.in_event("p0", rebuy()).unwrap();
    house.in_event("p1", rebuy()).unwrap();
    house.wait(120_000);
    assert!(house.event(EVENT).pool.is_none(), "it may yet bring something");
    assert_eq!(refusal(house.in_event("p0", C::AddOn { event: table(EVENT) })).code(), "registration_closed");
    house.end_hand();
    house.run_due();
    let bought = house.count(|event| matches!(event, E::Rebought { .. }));
    let dropped = house.count(|event| matches!(event, E::NoteDropped { .. }));
    assert!(bought >= 1 && bought + dropped == 2, "{bought} {dropped}");
    assert_eq!(refusal(house.in_event("p0", rebuy())).code(), "registration_closed");
}

/// refunds.md 1.2: a start of the dealer undoes the hand and not what was asked for in it, which is bought once.
#[test]
fn what_was_noted_stays_over_a_start_of_the_dealer_and_is_done_once() {
    let mut house = heads_up(|_| {});
    let before = house.balance("p0");
    house.in_event("p0", rebuy()).unwrap();
    house.crash();
    assert_eq!(house.event(EVENT).noted.len(), 1);
    house.crash();
    house.run_due();
    let terms = house.event(EVENT).structure().rebuy.clone().unwrap();
    assert_eq!(house.balance("p0"), before - terms.price - terms.fee);
    assert_eq!(house.chips_of("p0"), house.event(EVENT).structure().entry.stack + terms.chips);
    assert_eq!(house.count(|event| matches!(event, E::Rebought { .. })), 1);
    house.check_event(EVENT);
    house.is_same_when_folded();
}

/// refunds.md 2.3: of an event that is off what was noted and not carried out never happened.
#[test]
fn of_a_cancelled_event_nothing_that_was_noted_happened() {
    let mut house = heads_up(|_| {});
    house.in_event("p0", rebuy()).unwrap();
    house.disqualify(EVENT, "p1").unwrap();
    let (instant, reason) = (house.now, Reference::parse("power cut"));
    house.operator(C::Cancel { event: table(EVENT), cause: CancelCause::Operator, instant, reason }).unwrap();
    house.run_due();
    assert_eq!(house.event(EVENT).stage, Stage::Ended);
    let refunded = house.count(|event| matches!(event, E::Refunded { .. }));
    assert_eq!((house.balance("p0"), house.balance("p1"), refunded), (1_000_000, 1_000_000, 2));
    assert!(house.event(EVENT).noted.is_empty());
    house.is_same_when_folded();
}

/// audit.md, "Overdue": a house that leaves out what was asked for is late with it.
#[test]
fn a_house_that_does_not_carry_out_what_was_noted_is_overdue() {
    let mut house = heads_up(|_| {});
    house.in_event("p0", rebuy()).unwrap();
    house.end_hand();
    let late = house.state.overdue(house.now + 60_001).unwrap();
    assert!(matches!(late.command, Command::Tournament(C::CarryOut { .. })), "{late:?}");
    // And no other hand is to be called there before it is done.
    let call = Command::CallHand { table: table("sunday.1") };
    assert_eq!(refusal(house.give(&Actor::House, call)).code(), "nothing_to_do");
}

/// 7.6: who is to be disqualified plays the hand out, by their own choices, buys nothing and is out with their chips at
/// its end.
#[test]
fn a_disqualification_in_a_hand_changes_nothing_of_it() {
    let structure = one_blind("freezeout-6", |structure| {
        structure.entry.stack = 40 * structure.levels[0].big;
        structure.payouts = paid(2);
    });
    let mut house = House::new();
    house.seated_event(EVENT, &structure, 3);
    house.begin_hand();
    let (first, _) = house.offers("sunday.1").unwrap();
    house.disqualify(EVENT, &first).unwrap();
    assert_eq!(house.event(EVENT).remaining, 3);
    assert!(matches!(house.event(EVENT).noted.values().next(), Some(Note::Disqualification(_))));
    assert_eq!(refusal(house.disqualify(EVENT, &first)).code(), "nothing_to_do");
    let choice = house.choose("sunday.1", &first, Action::Call).unwrap();
    assert!(choice.events.iter().any(|event| name_of(event).contains("acted")), "their choice counts");
    house.end_hand();
    let stack = house.stack("sunday.1", &first);
    assert!(stack > 0);
    house.run_due();
    assert_eq!(house.event(EVENT).remaining, 2);
    let entry = house.event(EVENT).entries.get(&house.number_of(&first)).unwrap().clone();
    assert_eq!((entry.at, entry.chips, entry.rank), (Whereabouts::Disqualified, 0, Some((3, 3))));
    assert!(house.event(EVENT).noted.is_empty());
    assert_eq!(refusal(house.register(EVENT, &first)).code(), "registration_closed");
    // Nobody has their chips.
    let left: u64 = house.event(EVENT).left().map(|(_, entry)| entry.chips).sum();
    assert_eq!(left + stack, 3 * structure.entry.stack);
    house.is_same_when_folded();
}

/// 7.6: who lost all chips in that hand is out by it, and gets nothing for their place; who is then alone has won.
#[test]
fn who_is_disqualified_and_loses_is_paid_nothing_and_who_wins_all_has_won() {
    let (mut lost, mut won) = (0, 0);
    for n in 0..8 {
        if lost > 0 && won > 0 {
            return;
        }
        let structure = one_blind("heads-up", |structure| structure.payouts = paid(2));
        let mut house = House::new();
        house.seated_event(EVENT, &structure, 2);
        house.begin_hand();
        // The same cards, and the one or the other of the two.
        let (who, other) = if n % 2 == 0 { ("p0", "p1") } else { ("p1", "p0") };
        house.disqualify(EVENT, who).unwrap();
        house.end_hand();
        if !house.event(EVENT).to_settle.contains_key(&1) {
            continue;
        }
        house.run_due();
        assert_eq!(house.event(EVENT).stage, Stage::Ended);
        let entry = house.event(EVENT).entries.get(&house.number_of(who)).unwrap().clone();
        let pool = 2 * structure.entry.buy_in;
        let paid = 1_000_000 - structure.entry.buy_in - structure.entry.fee;
        if entry.rank == Some((2, 2)) {
            assert_eq!((entry.at, house.balance(who)), (Whereabouts::Disqualified, paid));
            assert_eq!(house.balance(other), paid + pool, "the prize of their place is the winner's");
            lost += 1;
        } else {
            let over =
                |event: &E| matches!(event, E::NoteDropped { what: Noted::Disqualification, why: DropCause::Over, .. });
            assert_eq!((entry.rank, house.count(over)), (Some((1, 1)), 1));
            assert_eq!(house.balance("p0") + house.balance("p1"), 2 * paid + pool);
            won += 1;
        }
        house.is_same_when_folded();
    }
    panic!("{lost} lost and {won} won");
}

/// 7.6: an operator takes nobody out of a draw whose seats the house can work out.
#[test]
fn nobody_is_taken_out_of_a_draw_by_a_disqualification() {
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        (structure.late_levels, structure.draw_hands) = (3, 0);
    });
    let mut house = House::new();
    house.begun(EVENT, &structure, 4);
    let open = house.event(EVENT).draws.open.clone().unwrap();
    house.disqualify(EVENT, "p3").unwrap();
    assert_eq!(house.event(EVENT).draws.open.clone().unwrap().entrants, open.entrants);
    house.reveal_seats(EVENT, &mut Rng(1), 0);
    house.run_due();
    assert!(house.event(EVENT).draws.open.is_none());
    let entry = house.event(EVENT).entries.get(&house.number_of("p3")).unwrap();
    assert_eq!(entry.at, Whereabouts::Disqualified, "they were drawn a seat, and then lost it");
    assert_eq!(house.event(EVENT).remaining, 3);
    // The same of one whose X is fixed and that is not called yet.
    house.add_player("late", 1_000_000);
    house.register(EVENT, "late").unwrap();
    assert!(house.event(EVENT).draws.open.is_none() && house.event(EVENT).draws.frozen.is_some());
    house.disqualify(EVENT, "late").unwrap();
    assert_eq!(house.event(EVENT).remaining, 4);
    house.run_due();
    assert!(house.event(EVENT).draws.open.as_ref().unwrap().entrants.contains(&house.number_of("late")));
    assert_eq!(refusal(house.register(EVENT, "late")).code(), "nothing_to_do");
    house.reveal_seats(EVENT, &mut Rng(1), 0);
    house.wait(10 * MINUTE);
    assert_eq!(house.event(EVENT).remaining, 3);
    assert!(house.event(EVENT).noted.is_empty());
    check_lines(&house);
}

/// 7.6: who has all chips has won if nobody rebuys, and is disqualified if somebody does; there is always somebody who has
/// the prizes.
#[test]
fn the_last_one_with_chips_is_not_disqualified_before_it_is_said_who_rebuys() {
    for rebuys in [false, true] {
        let mut house = heads_up(|_| {});
        loop {
            house.end_hand();
            house.run_due();
            if !house.event(EVENT).rebuying.is_empty() {
                break;
            }
            house = heads_up(|_| {});
        }
        let (_, loser_no) = *house.event(EVENT).rebuying.first().unwrap();
        let (loser, winner) = if loser_no == house.number_of("p0") { ("p0", "p1") } else { ("p1", "p0") };
        house.disqualify(EVENT, winner).unwrap();
        assert_eq!(house.event(EVENT).noted.len(), 1, "nobody else has chips");
        let last = if rebuys {
            house.in_event(loser, rebuy()).unwrap();
            loser
        } else {
            house.in_event(loser, C::DeclineRebuy { event: table(EVENT), entry_no: loser_no }).unwrap();
            winner
        };
        house.wait(HOUR);
        let event = house.event(EVENT);
        assert_eq!(event.stage, Stage::Ended, "{rebuys}");
        assert_eq!(event.entries.get(&house.number_of(last)).unwrap().rank, Some((1, 1)));
        for account in [Account::Pool(table(EVENT)), Account::Bounties(table(EVENT)), Account::Fees(table(EVENT))] {
            assert_eq!(house.state.ledger().balance(&account), Some(0), "{account}");
        }
        let kept = house.state.ledger().balance(&Account::House).unwrap();
        let paid: u64 = ["p0", "p1"].iter().map(|who| house.balance(who)).sum();
        assert_eq!(paid as i64 + kept, 2_000_000, "every cent is somebody's");
        check_lines(&house);
        house.is_same_when_folded();
    }
}

/// 7.6: an event that is over waits for no draw, and a draw that was not made then is none.
#[test]
fn what_is_noted_in_a_draw_that_is_never_made_is_dropped_when_the_event_is_over() {
    let satellite = structure("satellite", |satellite| {
        (satellite.seats, satellite.entry.players_min, satellite.entry.stack) = (3, 2, 400);
        (satellite.guarantee, satellite.late_levels, satellite.hand_for_hand) = (0, 0, 0);
        (satellite.entry.buy_in, satellite.clocks.reveal_ms) = (2_500, 600_000);
        if let Payouts::Satellite(terms) = &mut satellite.payouts {
            (terms.target, terms.buy_in, terms.fee) = ("main".into(), 4_600, 400);
        }
    });
    let main =
        structure("freezeout-9", |main| (main.entry.buy_in, main.entry.fee, main.entry.bounty) = (4_600, 400, 0));
    let mut dropped = 0;
    for seed in 0..40 {
        let mut house = House::new();
        house.announce("main", &main).unwrap();
        house.begun(EVENT, &satellite, 4);
        house.reveal_seats(EVENT, &mut Rng(1), 0);
        let mut rng = Rng(seed);
        for _ in 0..2_000 {
            house.run_due();
            let event = house.event(EVENT);
            if let Some(open) = event.draws.open.clone().filter(|open| open.table.is_some())
                && event.noted.is_empty()
                && event.stage == Stage::Running
            {
                let entry_no = open.entrants.first().unwrap();
                let who = event.entries.get(entry_no).unwrap().player.to_string();
                house.disqualify(EVENT, &who).unwrap();
                assert_eq!(house.event(EVENT).noted.len(), 1, "they are in a draw");
            }
            if house.event(EVENT).stage == Stage::Ended {
                break;
            }
            house.play_tables(EVENT, &mut rng, 0);
            house.now += 50;
        }
        assert_eq!(house.event(EVENT).stage, Stage::Ended, "{seed}");
        assert!(house.event(EVENT).noted.is_empty() && house.event(EVENT).draws.open.is_none());
        let over =
            |event: &E| matches!(event, E::NoteDropped { what: Noted::Disqualification, why: DropCause::Over, .. });
        dropped += house.count(over);
        check_lines(&house);
        house.is_same_when_folded();
    }
    assert!(dropped > 0, "another seed is needed");
}

/// 3.6: a draw that is due is called before any hand: who waits to like the seats better does not play on meanwhile.
#[test]
fn no_hand_is_called_while_a_draw_waits_to_be_called() {
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        (structure.late_levels, structure.draw_hands) = (3, 0);
    });
    let mut house = House::new();
    house.seated_event(EVENT, &structure, 4);
    house.begin_hand();
    house.add_player("late", 1_000_000);
    house.register(EVENT, "late").unwrap();
    house.end_hand();
    while house
        .state
        .due(house.now)
        .is_some_and(|(_, command)| !matches!(command, Command::Tournament(C::CallDraw { .. })))
    {
        let (by, command) = house.state.due(house.now).unwrap();
        house.give(&by, command).unwrap();
    }
    assert!(house.event(EVENT).draws.open.is_none() && !house.event(EVENT).waiting.is_empty());
    let call = Command::CallHand { table: table("sunday.1") };
    assert_eq!(refusal(house.give(&Actor::House, call.clone())).code(), "nothing_to_do");
    house.run_due();
    assert!(house.event(EVENT).draws.open.is_some() && house.table("sunday.1").call().is_some());
}
