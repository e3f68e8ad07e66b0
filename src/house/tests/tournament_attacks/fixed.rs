//! A draw whose X is fixed stays as it is (spec/games/tournaments.md, 3.6), and an event of absent players ends (6.8).

use super::*;

const EVENT: &str = "sunday";

/// Late entrants are drawn without waiting for hands, so that X is fixed before the house calls the draw.
fn with_late_entries() -> House {
    let structure = structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        (structure.late_levels, structure.draw_hands) = (3, 0);
        structure.payouts = paid(1);
    });
    let mut house = House::new();
    house.seated_event(EVENT, &structure, 4);
    house
}

fn late(house: &mut House, who: &str) -> EntryNo {
    house.add_player(who, 1_000_000);
    house.register(EVENT, who).unwrap();
    house.event(EVENT).in_play(&player(who)).unwrap().0
}

/// A house that knows the seats may not register a shill a try, within the minute that it has, until it likes them.
#[test]
fn who_comes_after_x_is_fixed_waits_for_the_next_draw() {
    let mut house = with_late_entries();
    let first = late(&mut house, "first");
    let fixed = house.event(EVENT).draws.frozen.clone().expect("it has its hands");
    let second = late(&mut house, "second");
    assert_eq!(house.event(EVENT).draws.frozen, Some(fixed.clone()), "nothing of it changes");
    house.give(&Actor::House, Command::Tournament(C::CallDraw { event: table(EVENT) })).unwrap();
    let open = house.event(EVENT).draws.open.clone().unwrap();
    assert!(open.entrants.contains(&first) && !open.entrants.contains(&second), "{open:?}");
    assert_eq!(house.event(EVENT).draws.frozen.as_ref().map(|now| now.2), Some(fixed.2));
    house.reveal_seats(EVENT, &mut Rng(1), 0);
    house.wait(MINUTE);
    assert!(house.event(EVENT).waiting.is_empty(), "the other is drawn a seat next");
    assert_eq!(house.drawn(DrawKind::Late), 2);
}

/// Neither a start of the dealer, however often, nor a state that is read gives another X.
#[test]
fn a_start_of_the_dealer_fixes_no_other_x() {
    let mut house = with_late_entries();
    late(&mut house, "first");
    let fixed = house.event(EVENT).draws.frozen.clone().unwrap();
    for n in 0..3 {
        house.crash();
        assert_eq!(house.event(EVENT).draws.frozen, Some(fixed.clone()), "start {n}");
        while house.event(EVENT).clock.stands.is_some() || !house.event(EVENT).tables.unrecovered.is_empty() {
            let (by, command) = house.state.due(house.now).unwrap();
            house.give(&by, command).unwrap();
        }
        assert_eq!(house.event(EVENT).draws.frozen, Some(fixed.clone()), "the clock goes on, {n}");
        let read = read_lines(&house.log, &house.state.lines().unwrap()).unwrap();
        assert_eq!(read.tournament(&table(EVENT)).unwrap().draws.frozen, Some(fixed.clone()));
    }
    house.run_due();
    assert!(house.event(EVENT).draws.open.is_some());
    assert_eq!(house.event(EVENT).draws.frozen.as_ref().map(|now| now.2), Some(fixed.2));
}

/// The table that a fixed draw is about to empty plays no hand before it.
#[test]
fn a_table_that_is_to_be_drawn_anew_calls_no_hand() {
    let structure = one_blind("freezeout-6", |structure| {
        (structure.seats, structure.final_redraw) = (2, true);
        structure.draw_hands = 0;
        structure.payouts = paid(1);
    });
    for n in 0..20 {
        let name = format!("e{n}");
        let mut house = House::new();
        house.seated_event(&name, &structure, 3);
        house.hand(&format!("{name}.1"));
        for _ in 0..60 {
            let due = house.event(&name).draws.frozen.clone().filter(|_| house.event(&name).draws.open.is_none());
            if let Some(fixed) = due
                && let Some(number) = fixed.1
            {
                let at = table(&format!("{name}.{number}"));
                assert_eq!(refusal(house.give(&Actor::House, Command::CallHand { table: at })).code(), "nothing_to_do");
                return;
            }
            let Some((by, command)) = house.state.due(house.now) else { break };
            house.give(&by, command).unwrap();
        }
    }
    panic!("no table was to be drawn anew");
}

/// Few, slow levels: blinds that are nothing beside the stacks.
fn deep(change: impl FnOnce(&mut Structure)) -> Structure {
    structure("freezeout-6", |structure| {
        structure.entry.players_min = 2;
        structure.entry.stack = 1_000_000;
        structure.late_levels = 0;
        structure.levels.truncate(2);
        structure.levels.iter_mut().for_each(|level| level.ms = 1_000);
        structure.breaks = Breaks::After(Vec::new());
        structure.payouts = paid(1);
        change(structure);
    })
}

fn posts(house: &House) -> Vec<(u64, u64)> {
    let of = |event: Event| match event {
        Event::PostsTaken { seats, .. } => {
            let put = seats.iter().map(|seat| seat.put_in.units());
            Some((put.clone().sum(), put.max().unwrap_or_default()))
        }
        _ => None,
    };
    entries(&house.log).into_iter().flat_map(|entry| entry.events).filter_map(of).collect()
}

/// 6.8: an event at which nobody is any more is over after so many hands, however small its blinds.
#[test]
fn an_event_of_absent_players_comes_to_an_end() {
    for players in [2, 3, 9] {
        let mut house = House::new();
        house.seated_event(EVENT, &deep(|_| {}), players);
        let most = 100 + 4 * players;
        for _ in 0..most {
            if house.event(EVENT).stage == Stage::Ended {
                break;
            }
            house.wait(house.event(EVENT).structure().clocks.commit_ms);
        }
        assert_eq!(house.event(EVENT).stage, Stage::Ended, "of {players} players");
        let taken = posts(&house);
        assert!(taken.len() <= 2 * (16 + 53) + 2 * players, "{} hands", taken.len());
        let big = house.event(EVENT).structure().levels[1].big;
        assert!(taken.iter().filter(|(_, most)| *most <= big).count() >= 16, "the first are as ever");
        assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
    }
}

/// 6.8: who commits to a hand plays it at the level's blinds, and the count begins anew.
#[test]
fn who_comes_back_plays_at_the_levels_blinds() {
    let mut house = House::new();
    house.seated_event(EVENT, &deep(|_| {}), 3);
    let big = house.event(EVENT).structure().levels[1].big;
    while posts(&house).last().is_none_or(|(_, most)| *most < 8 * big) {
        house.wait(house.event(EVENT).structure().clocks.commit_ms);
    }
    assert!(house.table("sunday.1").cash().unwrap().event.unwrap().doubled > 2);
    house.commit_hand("sunday.1", "p1").unwrap();
    // Nobody else is awaited, so the hand begins at once.
    house.run_due();
    let begun = entries(&house.log)
        .into_iter()
        .flat_map(|entry| entry.events)
        .find_map(some!(Event::HandBegun { hand, .. } => hand));
    let live = begun.unwrap().seats.iter().map(|seat| seat.due.live.units()).max();
    assert_eq!(live, Some(big), "nobody who is there posts more");
    house.show_all("sunday.1");
    while let Some((who, _)) = house.offers("sunday.1") {
        house.choose("sunday.1", &who, Action::Fold).unwrap();
    }
    let before = posts(&house).len();
    house.run_due();
    assert_eq!(house.table("sunday.1").cash().unwrap().event.unwrap().doubled, 0);
    while posts(&house).len() < before + 16 {
        house.wait(house.event(EVENT).structure().clocks.commit_ms);
    }
    assert!(posts(&house)[before..before + 16].iter().all(|(_, most)| *most <= big));
    house.check_event(EVENT);
}
