//! Entry, pool, registration (spec/games/tournaments.md, section 4).

use crate::common::{player, shipped};
use fairshoe_tournament::entry::{
    self, Closed, Sold, collected, covers, in_force, is_final, is_itm, may_unregister, pool, registration,
};
use fairshoe_tournament::posting::{Account, bought};
use fairshoe_tournament::refund::Case;

fn field(entries: u64, remaining: u64, running: Option<u64>) -> entry::Field {
    let sold = Sold { entries, ..Sold::default() };
    entry::Field { sold, players: entries, remaining, running, was_itm: false }
}

fn closed(name: &str, field: &entry::Field) -> Option<Closed> {
    registration(&shipped(name), field).unwrap().err()
}

#[test]
fn r001_16_a_dollar_is_ninety_two_cents_and_a_fee_of_eight() {
    let structure = shipped("freezeout-6");
    assert_eq!((structure.entry.buy_in, structure.entry.fee), (92 * 10, 8 * 10));
    assert_eq!(entry::price(&structure), Ok(1_000));
}

#[test]
fn r001_17_the_pool_is_final_when_registration_rebuys_and_add_ons_have_ended() {
    let structure = shipped("rebuy");
    let at = |running| is_final(&structure, &field(40, 39, Some(running))).unwrap();
    // Six levels of ten minutes for both, then five minutes of break for the add-on.
    assert_eq!([at(3_599_999), at(3_600_000), at(3_899_999), at(3_900_000)], [false, false, false, true]);
    assert!(!is_final(&structure, &field(40, 40, None)).unwrap());
    // The money ends registration, but not the rebuys.
    let structure = shipped("rebuy");
    assert!(!is_final(&structure, &field(30, 4, Some(60_000))).unwrap());
    assert!(is_final(&shipped("freezeout-9"), &field(12, 12, Some(0))).unwrap());
}

#[test]
fn r001_18_late_registration_closes_early_in_the_money_and_the_pool_is_what_was_collected() {
    // 30 entries pay five places.
    assert_eq!(closed("freezeout-6", &field(30, 6, Some(1_000))), None);
    assert_eq!(closed("freezeout-6", &field(30, 5, Some(1_000))), Some(Closed::Itm));
    let mut was = field(31, 30, Some(1_000));
    was.was_itm = true;
    assert_eq!(closed("freezeout-6", &was), Some(Closed::Itm));
    assert_eq!(pool(27_600, 40_000, true).unwrap(), entry::Pool { pool: 27_600, overlay: 0 });
}

#[test]
fn r001_82_buy_in_and_fee_are_shown_apart_and_their_sum_is_debited() {
    let posted = bought(&[(Account::Player(player("a")), 1_000)], 920, 80, 0).unwrap();
    assert_eq!(posted.lines(), [(Account::Player(player("a")), -1_000), (Account::Pool, 920), (Account::Fees, 80)]);
    assert!(bought(&[(Account::Player(player("a")), 999)], 920, 80, 0).is_err());
}

#[test]
fn r001_90_cancelled_before_the_start_is_case_1() {
    assert_eq!(Case::of(false, false, true), Case::NotStarted);
    assert_eq!(Case::of(false, true, false), Case::NotStarted);
}

#[test]
fn r001_94_the_pool_is_the_greater_of_collected_and_guarantee() {
    assert_eq!(pool(27_600, 40_000, false).unwrap(), entry::Pool { pool: 40_000, overlay: 12_400 });
    assert_eq!(pool(40_000, 40_000, false).unwrap(), entry::Pool { pool: 40_000, overlay: 0 });
    assert_eq!(pool(40_001, 40_000, false).unwrap(), entry::Pool { pool: 40_001, overlay: 0 });
    assert!(pool(1 << 53, 0, false).is_err());
}

#[test]
fn r001_95_what_is_bought_has_to_be_covered() {
    assert!(covers(1_000, 920, 80, 0).unwrap());
    assert!(!covers(999, 920, 80, 0).unwrap());
    assert!(!covers(10_000, 4_600, 800, 4_601).unwrap());
}

#[test]
fn r001_96_an_entry_at_the_end_of_late_registration_is_refused() {
    assert_eq!(closed("freezeout-6", &field(40, 39, Some(3_599_999))), None);
    assert_eq!(closed("freezeout-6", &field(40, 39, Some(3_600_000))), Some(Closed::Schedule));
    // Without late registration it ends at the start.
    assert_eq!(closed("freezeout-9", &field(40, 40, None)), None);
    assert_eq!(closed("freezeout-9", &field(40, 40, Some(0))), Some(Closed::Schedule));
}

#[test]
fn r001_97_a_full_field_closes_registration_and_leaves_the_guarantee() {
    assert_eq!(closed("sit-and-go", &field(5, 5, None)), None);
    assert_eq!(closed("sit-and-go", &field(6, 6, None)), Some(Closed::Full));
    assert_eq!(closed("freezeout-6", &field(10_000, 9_999, Some(5))), Some(Closed::Full));
    assert_eq!(pool(90_000, 100_000, false).unwrap().overlay, 10_000);
}

#[test]
fn r001_98_unregistering_ends_before_the_start_by_the_events_own_time() {
    let mut structure = shipped("freezeout-6");
    assert_eq!(structure.unregister_ms, Some(300_000));
    assert!(may_unregister(&structure, 1_000_000, 699_999, false));
    assert!(!may_unregister(&structure, 1_000_000, 700_000, false));
    structure.unregister_ms = None;
    assert!(!may_unregister(&structure, 1_000_000, 0, false));
}

#[test]
fn r001_99_a_seat_may_be_marked_not_to_be_given_back() {
    assert!(!may_unregister(&shipped("freezeout-6"), 1_000_000, 0, true));
}

#[test]
fn r001_100_a_change_of_times_counts_from_its_own_time() {
    assert_eq!(in_force(300_000, 60_000, 5_000, 4_999), 300_000);
    assert_eq!(in_force(300_000, 60_000, 5_000, 5_000), 60_000);
}

#[test]
fn a001_k_in_the_money_is_at_equality_and_by_the_entries_so_far() {
    assert!(!is_itm(6, 5) && is_itm(5, 5) && is_itm(4, 5));
    // 29 entries pay four places, 30 five.
    assert_eq!(closed("freezeout-6", &field(29, 5, Some(1))), None);
    assert_eq!(closed("freezeout-6", &field(30, 5, Some(1))), Some(Closed::Itm));
    // Before the start no player is in the money.
    assert_eq!(closed("freezeout-6", &field(1, 1, None)), None);
}

#[test]
fn what_was_sold_adds_up() {
    let sold = Sold { entries: 10, with_bounty: 7, rebuys: 17, add_ons: 4 };
    let rebuy = collected(&shipped("rebuy"), &sold).unwrap();
    assert_eq!((rebuy.pool, rebuy.fees, rebuy.chips), (31 * 920, 31 * 80, 10 * 5_000 + 17 * 5_000 + 4 * 10_000));
    let bounty = collected(&shipped("bounty-progressive"), &sold).unwrap();
    assert_eq!((bounty.pool, bounty.fees, bounty.bounties), (46_000, 8_000, 32_200));
}
