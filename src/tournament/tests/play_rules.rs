//! Seats, tables, clock, ranks (spec/games/tournaments.md, sections 3 and 5 to 7).

use crate::common::{entries, shipped};
use fairshoe_fairness::{
    ClientSeed, Epoch, EventEntropy, Master, Origin, RoundEntropy, SeatSeed, TableContext, TableId, draw_entropy,
    link_before, seat_seed_commitment,
};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::clock::{self, Stop, extra_time, position, running_time};
use fairshoe_tournament::draw::{SeatDrawError, first_seats, later_seats};
use fairshoe_tournament::entry::hand_for_hand;
use fairshoe_tournament::rank::{Elimination, Rank, ranks};
use fairshoe_tournament::seating::{Due, Field, Move};
use std::collections::BTreeSet;

const HOUR: u64 = 3_600_000;

fn event() -> TableContext {
    TableContext {
        origin: Origin::parse("example.com/log").unwrap(),
        table: TableId::parse("sunday").unwrap(),
        epoch: Epoch::from_bytes([5; 32]),
    }
}

fn entropy(byte: u8) -> EventEntropy {
    EventEntropy::from_bytes([byte; 32])
}

/// Tables by their players' seats and last big blinds; entries are numbered in order.
fn field(seats: u8, tables: &[(&[u8], u8)]) -> Field {
    let mut field = Field::new(seats, 0);
    let mut entry_no = 0;
    for (occupied, last_big) in tables {
        let number = field.open_table().unwrap();
        for seat in *occupied {
            field.sit(number, *seat, EntryNo(entry_no));
            entry_no += 1;
        }
        field.tables.get_mut(&number).unwrap().last_big = *last_big;
    }
    field
}

fn sizes(field: &Field) -> Vec<usize> {
    field.tables.values().map(|table| table.players.len()).collect()
}

#[test]
fn r001_91_a_seat_follows_from_a_committed_number_and_the_entrants_seeds() {
    let (event, master) = (event(), Master::from_bytes([9; 32]));
    let (tip, first, second) = (master.draw_tip(&event), master.draw_link(&event, 0), master.draw_link(&event, 1));
    assert_eq!(link_before(&event, 0, &first), tip);
    assert_eq!(link_before(&event, 1, &second), first);
    assert_ne!(link_before(&event, 0, &second), first);
    assert_eq!(
        link_before(&event, u16::MAX, &master.draw_link(&event, u16::MAX)),
        master.draw_link(&event, u16::MAX - 1)
    );
    let seed = |no: u64, byte| SeatSeed {
        entry_no: no,
        player: format!("p{no}").parse().unwrap(),
        seed: ClientSeed::from_bytes([byte; 32]),
    };
    let of = |seeds: &[SeatSeed]| draw_entropy(&event, 0, &first, &EventEntropy::START, seeds);
    let both = of(&[seed(0, 1), seed(1, 2)]).unwrap();
    // Each seed matters, and so do the number and the state before.
    assert_ne!(of(&[seed(0, 1), seed(1, 3)]).unwrap(), both);
    assert_ne!(of(&[seed(0, 1)]).unwrap(), both);
    let hand = EventEntropy::START.after_hand(&RoundEntropy::from_bytes([1; 32]));
    assert_ne!(draw_entropy(&event, 0, &first, &hand, &[seed(0, 1), seed(1, 2)]).unwrap(), both);
    assert_ne!(draw_entropy(&event, 1, &second, &EventEntropy::START, &[seed(0, 1), seed(1, 2)]).unwrap(), both);
    assert!(of(&[seed(1, 2), seed(0, 1)]).is_err() && of(&[seed(0, 1), seed(0, 1)]).is_err());
    // If a seed is withheld, the draw still happens.
    assert!(of(&[]).is_ok());
    // A commitment is bound to use and player.
    let [a, b] = ["a", "b"].map(|name| name.parse().unwrap());
    let commitment =
        |seat_use, player| seat_seed_commitment(&event, seat_use, player, &ClientSeed::from_bytes([1; 32]));
    let all: BTreeSet<_> = [commitment(0, &a), commitment(1, &a), commitment(0, &b)].into();
    assert_eq!(all.len(), 3);
}

#[test]
fn first_seats_are_even_and_nobody_is_lost() {
    let entrants: Vec<EntryNo> = (0..40).map(EntryNo).collect();
    let drawn = first_seats(&entropy(1), &entrants, 9, 7).unwrap();
    assert_eq!((sizes(&drawn), drawn.last_table), (vec![8; 5], 12));
    assert_eq!(drawn.tables.keys().copied().collect::<Vec<_>>(), [8, 9, 10, 11, 12]);
    let seated: BTreeSet<EntryNo> = drawn.tables.values().flat_map(|table| table.players.values().copied()).collect();
    assert_eq!(seated, entrants.iter().copied().collect());
    for table in drawn.tables.values() {
        assert!(table.players.contains_key(&table.first_button.unwrap()));
    }
    // The order in which entrants are passed does not matter; the entropy does.
    let reversed: Vec<EntryNo> = entrants.iter().copied().rev().collect();
    assert_eq!(first_seats(&entropy(1), &reversed, 9, 7).unwrap(), drawn);
    assert_ne!(first_seats(&entropy(2), &entrants, 9, 7).unwrap(), drawn);
    assert_eq!(sizes(&first_seats(&entropy(1), &entrants[..13], 6, 0).unwrap()), [5, 4, 4]);
    assert_eq!(first_seats(&entropy(1), &[], 6, 0), Err(SeatDrawError::Nobody));
    assert_eq!(first_seats(&entropy(1), &entrants, 11, 0), Err(SeatDrawError::Seats(11)));
    assert_eq!(first_seats(&entropy(1), &entrants, 6, u16::MAX), Err(SeatDrawError::TableNumbers));
}

#[test]
fn r001_21_the_players_of_a_broken_table_are_seated_at_random() {
    let mut tables = field(6, &[(&[1, 2, 3, 4], 1), (&[1, 3, 4], 1), (&[2, 5, 6], 5)]);
    assert_eq!(tables.due(), Some(Due::Break(3)));
    let out = tables.break_table(3);
    assert_eq!(out, entries(&[7, 8, 9]));
    let mut places = BTreeSet::new();
    for byte in 0..40 {
        let mut after = tables.clone();
        let seated = later_seats(&entropy(byte), &out, &mut after).unwrap();
        // The emptiest tables are filled first: 4 and 3 and three more are 5 and 5.
        assert_eq!((seated.len(), sizes(&after)), (3, vec![5, 5]));
        places.insert(seated.iter().map(|s| (s.entry_no.0, s.table, s.seat)).min());
    }
    assert!(places.len() > 4, "always the same seats");
    // If no seat is free, a table is opened.
    let mut full = field(2, &[(&[1, 2], 1)]);
    later_seats(&entropy(1), &entries(&[5, 6, 7]), &mut full).unwrap();
    assert_eq!(sizes(&full), [2, 2, 1]);
}

#[test]
fn r001_101_tables_differ_by_one_at_most_and_a_mover_keeps_the_distance_to_the_big_blind() {
    // Six and four: distances at table 1 from the seat after 2: 3, 4, 5, 6, 1, 2.
    let tables = field(6, &[(&[1, 2, 3, 4, 5, 6], 2), (&[1, 2, 4, 5], 4)]);
    let table = &tables.tables[&1];
    assert_eq!([3, 4, 5, 6, 1, 2].map(|seat| table.distance(seat)), [0, 1, 2, 3, 4, 5]);
    // At table 2 five posts next, then one, two, four: three is fourth, six is second.
    assert_eq!([5, 6, 1, 2, 3, 4].map(|seat| tables.tables[&2].distance(seat)), [0, 1, 1, 2, 3, 3]);
    // Both seats have a player of the same distance; the one that posts sooner is taken.
    assert_eq!(tables.due(), Some(Due::Move(Move { entry_no: EntryNo(3), from: (1, 4), to: (2, 6) })));
    // A difference of one needs no move.
    assert_eq!(field(6, &[(&[1, 2, 3, 4, 5], 2), (&[1, 2, 4, 5], 4)]).due(), None);
    let mut three = field(9, &[(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 1), (&[1, 2, 3, 4, 5, 6, 7], 1), (&[1, 2, 3, 4, 5], 1)]);
    let mut steps = 0;
    while let Some(Due::Move(step)) = three.due() {
        assert!(three.make(&step));
        steps += 1;
    }
    assert_eq!((steps, sizes(&three)), (2, vec![7, 7, 7]));
    // An impossible move changes no state.
    let before = three.clone();
    assert!(!three.make(&Move { entry_no: EntryNo(0), from: (1, 9), to: (2, 9) }));
    assert_eq!(three, before);
}

#[test]
fn which_table_breaks_is_a_rule() {
    // The table with the fewest players; among equals the one with the highest number; before any balancing.
    assert_eq!(field(6, &[(&[1, 2], 1), (&[1, 2], 1), (&[1, 2], 1)]).due(), Some(Due::Break(3)));
    assert_eq!(field(6, &[(&[1, 2, 3, 4, 5, 6], 1), (&[1], 1), (&[1, 2], 1)]).due(), Some(Due::Break(2)));
    assert_eq!(field(6, &[(&[1, 2, 3, 4], 1), (&[1, 2, 3], 1)]).due(), None);
    assert_eq!(field(6, &[(&[1, 2, 3], 1), (&[1, 2, 3], 1)]).due(), Some(Due::Break(2)));
}

#[test]
fn r001_102_breaks_and_the_time_to_them() {
    // After levels 5, 10 … of 12 minutes each: five minutes.
    let structure = shipped("freezeout-9");
    let at = |running| position(&structure, running, 0);
    let first = at(0);
    assert_eq!(
        (first.level, first.in_break, first.to_next_level, first.to_break),
        (1, false, Some(720_000), Some(HOUR))
    );
    let pause = at(HOUR);
    assert_eq!(
        (pause.level, pause.in_break, pause.to_next_level, pause.to_break),
        (5, true, Some(300_000), Some(300_000))
    );
    // A level that ends in a break: the next one comes after it.
    assert_eq!(at(HOUR - 1).to_next_level, Some(300_001));
    let sixth = at(HOUR + 300_000);
    assert_eq!((sixth.level, sixth.in_break, sixth.to_break), (6, false, Some(HOUR)));
    let last = at(100 * HOUR);
    assert_eq!((last.level, last.to_next_level, last.to_break), (30, None, None));
    // Synchronised: at five to the hour the clock stands still for five minutes.
    let structure = shipped("freezeout-6");
    let noon = 1_800_000_000_000 / 86_400_000 * 86_400_000 + 12 * HOUR;
    let running = |later| running_time(&structure, noon, &[], noon + later).unwrap();
    assert_eq!(
        [running(3_299_999), running(3_300_000), running(HOUR), running(HOUR + 1)],
        [3_299_999, 3_300_000, 3_300_000, 3_300_001]
    );
    assert!(position(&structure, running(3_300_000), noon + 3_300_000).in_break);
    assert!(!position(&structure, running(HOUR), noon + HOUR).in_break);
    assert_eq!(position(&structure, 0, noon).to_break, Some(3_300_000));
    // A stop within a break counts once.
    let stop = Stop { from: noon + 3_200_000, until: noon + 3_400_000 };
    assert_eq!(running_time(&structure, noon, &[stop], noon + HOUR), Ok(3_200_000));
    assert_eq!(running_time(&structure, noon, &[stop], noon + 100), Err(clock::ClockError::Stops));
    assert_eq!(running_time(&structure, noon, &[], noon - 1), Err(clock::ClockError::NotStarted));
}

#[test]
fn r001_104_late_in_the_event_a_disconnection_gives_time_once() {
    let structure = shipped("freezeout-6");
    assert_eq!([10, 9, 2].map(|remaining| extra_time(&structure, remaining, false)), [0, 30_000, 30_000]);
    assert_eq!(extra_time(&structure, 2, true), 0);
}

fn out(entry_no: u64, hand: u64, table: u16, stack: u64, distance: u8) -> Elimination {
    Elimination { entry_no: EntryNo(entry_no), hand, table, stack, distance }
}

fn places(ranks: &[Rank]) -> Vec<(u64, u64, u64)> {
    ranks.iter().map(|rank| (rank.entry_no.0, rank.first, rank.last)).collect()
}

#[test]
fn r001_20_in_one_hand_the_larger_stack_at_its_start_finishes_higher() {
    let hand = [out(3, 1, 1, 500, 2), out(4, 1, 1, 900, 5), out(5, 1, 1, 700, 1)];
    assert_eq!(places(&ranks(7, &hand)), [(4, 8, 8), (5, 9, 9), (3, 10, 10)]);
}

#[test]
fn a001_h_of_equal_stacks_the_smaller_clockwise_distance_from_the_button() {
    // The button itself, which is last, and the seats one and three to its left.
    let hand = [out(3, 1, 1, 500, 6), out(4, 1, 1, 500, 1), out(5, 1, 1, 500, 3)];
    assert_eq!(places(&ranks(1, &hand)), [(4, 2, 2), (5, 3, 3), (3, 4, 4)]);
}

#[test]
fn a001_g_at_different_tables_by_the_log_and_in_hand_for_hand_by_stacks_or_a_tie() {
    let log = [out(0, 5, 1, 100, 1), out(1, 6, 2, 50, 4), out(2, 4, 3, 9_000, 2)];
    assert_eq!(places(&ranks(2, &log)), [(1, 3, 3), (0, 4, 4), (2, 5, 5)]);
    let stacks = [out(0, 8, 1, 300, 1), out(1, 8, 2, 400, 2)];
    assert_eq!(places(&ranks(9, &stacks)), [(1, 10, 10), (0, 11, 11)]);
    let tie = [out(0, 8, 1, 300, 1), out(1, 8, 2, 300, 2), out(2, 8, 1, 200, 3)];
    assert_eq!(places(&ranks(9, &tie)), [(0, 10, 11), (1, 10, 11), (2, 12, 12)]);
    let three = [out(0, 8, 1, 300, 1), out(1, 8, 1, 300, 2), out(2, 8, 2, 300, 3)];
    assert_eq!(places(&ranks(9, &three)), [(0, 10, 12), (1, 10, 12), (2, 10, 12)]);
}

#[test]
fn hand_for_hand_is_played_next_to_the_paid_places_alone() {
    let structure = shipped("freezeout-6");
    let at = |remaining, tables, over| hand_for_hand(&structure, remaining, 5, tables, over);
    assert!(at(6, 2, true));
    assert!(!at(7, 2, true) && !at(5, 2, true) && !at(6, 1, true) && !at(6, 2, false));
    assert!(!hand_for_hand(&shipped("sit-and-go"), 3, 2, 2, true));
}
