//! Prizes, ties, satellites, substitutes (spec/games/tournaments.md, section 9).

use crate::common::{player, shipped, sums_to_zero};
use fairshoe_tournament::posting::{Account, seat_won};
use fairshoe_tournament::prize::{
    Prize, SeatPrize, ends_with, forfeited, in_cash, may_substitute, places_paid, prizes, shared,
};

fn cash(name: &str, entries: u64, players: u64, pool: u64) -> (Vec<u64>, u64) {
    let table = prizes(&shipped(name), entries, players, pool).unwrap();
    (table.prizes.iter().map(|prize| prize.cash).collect(), table.residual)
}

#[test]
fn r001_92_prizes_are_the_lobbys_table() {
    assert_eq!(cash("freezeout-6", 30, 30, 40_000), (vec![16_000, 10_000, 6_400, 4_400, 3_200], 0));
    assert_eq!(cash("freezeout-6", 30, 4, 40_000).0.len(), 4);
}

#[test]
fn r001_93_the_structure_is_a_function_of_entries() {
    let structure = shipped("freezeout-6");
    let places = |entries| places_paid(&structure, entries, entries, 1_000_000);
    assert_eq!([2, 4, 5, 29, 30, 45, 46, 100, 101].map(places), [1, 1, 2, 4, 5, 5, 9, 9, 15]);
    assert_eq!(places_paid(&structure, 101, 3, 1_000_000), 3);
}

#[test]
fn r001_23_fractions_of_a_cent_are_cut() {
    // 65 and 35 parts of 4001.
    assert_eq!(cash("freezeout-6", 5, 5, 4_001), (vec![2_600, 1_400], 1));
    assert_eq!(cash("freezeout-6", 5, 5, 1), (vec![0, 0], 1));
}

#[test]
fn r001_24_a_further_seat_is_t_dollars_without_the_fee() {
    let won = seat_won(player("a"), SeatPrize::TDollars { amount: 9_000, to_house: 1_000 }).unwrap();
    assert_eq!(
        won.lines(),
        [(Account::Pool, -10_000), (Account::TDollars(player("a")), 9_000), (Account::House, 1_000)]
    );
    let ticket = seat_won(player("a"), SeatPrize::Ticket(10_000)).unwrap();
    assert_eq!(ticket.lines(), [(Account::Pool, -10_000), (Account::Tickets, 10_000)]);
    assert!(sums_to_zero(&won) && sums_to_zero(&ticket));
}

#[test]
fn r001_19_a_satellite_ends_when_as_many_are_left_as_there_are_seats() {
    let satellite = shipped("satellite");
    // Three seats of 10000, and 6800 for the fourth.
    assert_eq!((ends_with(&satellite, 40, 36_800), places_paid(&satellite, 40, 40, 36_800)), (3, 4));
    let table = prizes(&satellite, 40, 40, 36_800).unwrap();
    assert_eq!(table.prizes[2], Prize { seat: true, cash: 0 });
    assert_eq!(table.prizes[3], Prize { seat: false, cash: 6_800 });
    assert_eq!((ends_with(&satellite, 9, 9_200), places_paid(&satellite, 9, 9, 9_200)), (1, 1));
    assert_eq!(ends_with(&shipped("freezeout-6"), 40, 36_800), 1);
    // More money than the seats can use: the rest is divided in equal parts.
    let table = prizes(&satellite, 3, 3, 30_007).unwrap();
    assert_eq!((table.prizes, table.residual), (vec![Prize { seat: true, cash: 2 }; 3], 1));
}

#[test]
fn r001_108_a_substitute_is_worth_at_least_the_prize() {
    assert!(may_substitute(1_000, 1_000) && may_substitute(1_000, 1_001));
    assert!(!may_substitute(1_000, 999));
}

#[test]
fn who_ties_shares_what_the_places_have_together() {
    let table = prizes(&shipped("freezeout-6"), 30, 30, 40_000).unwrap();
    let tie = |first, last| shared(&table, first, last, 0).unwrap();
    assert_eq!(tie(4, 5), (Prize { seat: false, cash: 3_800 }, 0));
    // The last paid place and an unpaid one; three of them; none.
    assert_eq!(tie(5, 6), (Prize { seat: false, cash: 1_600 }, 0));
    assert_eq!(tie(3, 5), (Prize { seat: false, cash: 4_666 }, 2));
    assert_eq!(tie(6, 7), (Prize { seat: false, cash: 0 }, 0));
    // A seat and cash are shared in cash; two seats are two seats.
    let table = prizes(&shipped("satellite"), 40, 40, 36_800).unwrap();
    assert_eq!(shared(&table, 3, 4, 10_000).unwrap(), (Prize { seat: false, cash: 8_400 }, 0));
    assert_eq!(shared(&table, 2, 3, 10_000).unwrap(), (Prize { seat: true, cash: 0 }, 0));
    assert_eq!(in_cash(&table, 5, 10_000), Ok(0));
}

#[test]
fn a_disqualified_players_prize_goes_to_those_who_remain() {
    assert_eq!(forfeited(4_400, 3), [1_467, 1_467, 1_466]);
    assert_eq!(forfeited(0, 2), [0, 0]);
}
