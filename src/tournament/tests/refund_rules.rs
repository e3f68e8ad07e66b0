//! Refunds by case, by method and at any instant; refusals (spec/games/refunds.md).

use crate::common::{left, parts, player, refunded, shipped, sums_to_zero};
use fairshoe_tournament::clock::may_resume;
use fairshoe_tournament::file::{FileError, cancelled};
use fairshoe_tournament::posting::refunded as posted;
use fairshoe_tournament::refund::{
    Case, Event, Held, Interruption, RefundError, RefundIn, RefundPlayer, held_at, refund,
};
use fairshoe_tournament::structure::RefundMethod;
use fairshoe_tournament::{EntryNo, Structure};

const START: u64 = 1_800_000_000_000;

/// An event that began at `START` and never stood still.
fn event<'a>(structure: &'a Structure, records: &'a [Held]) -> Event<'a> {
    Event { structure, start: START, stops: &[], records }
}

#[test]
fn r001_110_a_crash_and_downtime_refund_by_themselves_and_nothing_else_does() {
    let by_itself = [Interruption::Crash, Interruption::Downtime, Interruption::Disconnection, Interruption::Other]
        .map(Interruption::refunds_by_itself);
    assert_eq!(by_itself, [true, true, false, false]);
}

#[test]
fn r001_27_case_1_all_that_was_paid() {
    let out = refunded(Case::NotStarted, 0, &[], left(&[0, 0], 10_000, 0));
    assert_eq!((parts(&out).1, out.residual), (vec![10_000, 10_000], 0));
}

#[test]
fn r001_28_case_2_fee_and_bounty_and_half_equally_half_by_chips() {
    let out = refunded(Case::Unpaid, 1_000, &[], left(&[300, 100], 80, 7));
    assert_eq!(parts(&out), (vec![250 + 375, 250 + 125], vec![712, 462]));
    // The amount collected, for any size of the guarantee.
    let mut structure = shipped("freezeout-9");
    structure.guarantee = 1_000_000;
    let given = event(&structure, &entered(&structure, 12, 0)).refund_in(START + 5).unwrap();
    assert_eq!((given.case, given.pool), (Case::Unpaid, 55_200));
}

#[test]
fn r001_29_case_3_the_next_prize_each_and_the_rest_by_chips() {
    let out = refunded(Case::Paid, 1_000, &[500, 300, 200], left(&[50, 30, 20], 0, 3));
    assert_eq!(parts(&out).0, [200 + 200, 200 + 120, 200 + 80]);
    assert_eq!(out.total, 1_009);
}

#[test]
fn r001_30_case_4_is_case_3_on_the_table_for_what_was_collected() {
    assert_eq!(Case::of(true, true, true), Case::CutShort);
    // 9 entries pay three places. If they are reached while registration is open, the amount collected pays them, for
    // good; if they are reached after it, the guarantee counts.
    let mut structure = shipped("freezeout-6");
    structure.guarantee = 40_000;
    let with_six_out_at = |at| {
        let mut records = entered(&structure, 9, 0);
        for no in 0..6 {
            records.push(Held { at, chips: 0, ..records[no] });
        }
        records
    };
    let early = with_six_out_at(START + 60_000);
    for instant in [60_000, 5_000_000] {
        let given = event(&structure, &early).refund_in(START + instant).unwrap();
        assert_eq!((given.case, given.pool, given.prizes), (Case::CutShort, 8_280, vec![4_140, 2_484, 1_656]));
    }
    let late = with_six_out_at(START + 5_000_000);
    let given = event(&structure, &late).refund_in(START + 5_000_000).unwrap();
    assert_eq!((given.case, given.pool, given.prizes), (Case::Paid, 40_000, vec![20_000, 12_000, 8_000]));
    assert_eq!(event(&structure, &late).refund_in(START + 4_999_999).unwrap().case, Case::Unpaid);
}

/// Entries before the start, or `late` after it, each with a full stack.
fn entered(structure: &Structure, entries: u64, late: u64) -> Vec<Held> {
    let terms = &structure.entry;
    (0..entries)
        .map(|no| Held {
            at: START - 1_000 + no + late,
            entry_no: EntryNo(no),
            re_entry: false,
            chips: terms.stack,
            may_rebuy: false,
            bounty: terms.bounty,
            fee: terms.fee,
            to_pool: terms.buy_in,
        })
        .collect()
}

#[test]
fn r001_31_the_instant_counts_and_the_eliminated_get_nothing() {
    let structure = shipped("freezeout-9");
    let mut records = entered(&structure, 12, 0);
    let (loser, winner) = (records[0], records[1]);
    records.push(Held { at: START + 50, chips: 0, ..loser });
    records.push(Held { at: START + 50, chips: 20_000, ..winner });
    let at = |instant| refund(&event(&structure, &records).refund_in(instant).unwrap()).unwrap();
    let (before, after) = (at(START + 49), at(START + 50));
    assert_eq!((before.payments.len(), after.payments.len()), (12, 11));
    assert!(after.payments.iter().all(|payment| payment.entry_no != EntryNo(0)));
    assert_eq!(before.total + before.residual, after.total + after.residual + 400);
    assert_eq!(at(START - 1).case, Case::NotStarted);
    let swapped = [records[1], records[0]];
    assert_eq!(event(&structure, &swapped).refund_in(START), Err(RefundError::Order));
    // Every time at which something changed is reported with its refund.
    let mut others = Vec::new();
    event(&structure, &records).other_instants(START, START + 60, |at, out| others.push((at, out))).unwrap();
    assert_eq!(others, [(START, before), (START + 50, after)]);
}

#[test]
fn a001_q_a_table_counts_by_its_last_hand_and_a_later_elimination_is_undone() {
    let structure = shipped("freezeout-6");
    let base = entered(&structure, 4, 0);
    let hand = |at, no: usize, chips| Held { at, chips, ..base[no] };
    let mut records = base.clone();
    // One table ends hands at 100 and 200, the other at 150; entry 1 is out at 200.
    records.extend([hand(START + 100, 0, 15_000), hand(START + 100, 1, 5_000)]);
    records.extend([hand(START + 150, 2, 9_000), hand(START + 150, 3, 11_000)]);
    records.extend([hand(START + 200, 0, 20_000), hand(START + 200, 1, 0)]);
    let chips = |instant| held_at(&records, START + instant).values().map(|held| held.chips).collect::<Vec<_>>();
    assert_eq!(chips(99), [10_000; 4]);
    assert_eq!(chips(149), [15_000, 5_000, 10_000, 10_000]);
    assert_eq!(chips(199), [15_000, 5_000, 9_000, 11_000]);
    assert_eq!(chips(200), [20_000, 0, 9_000, 11_000]);
    assert_eq!(event(&structure, &records).refund_in(START + 199).unwrap().players.len(), 4);
}

#[test]
fn a001_i_all_fees_of_the_entry_in_play_come_back() {
    let structure = shipped("rebuy");
    let mut records = entered(&structure, 12, 0);
    // Two rebuys; and a player's second entry counts, since the first is out.
    records.push(Held { at: START + 5, chips: 15_000, fee: 240, to_pool: 2_760, ..records[3] });
    records.push(Held { at: START + 6, chips: 0, ..records[4] });
    records.push(Held { at: START + 7, entry_no: EntryNo(12), re_entry: true, ..records[5] });
    let given = event(&structure, &records).refund_in(START + 8).unwrap();
    assert_eq!(given.pool, 15 * 920);
    let fee = |no| given.players.iter().find(|left| left.entry_no == EntryNo(no)).map(|left| left.fee);
    assert_eq!([fee(3), fee(4), fee(12)], [Some(240), None, Some(80)]);
}

#[test]
fn nobody_is_in_the_money_by_a_player_who_may_still_rebuy() {
    let structure = shipped("rebuy");
    // 9 entries pay three places; four are left, one of whom has no chips.
    let mut records = entered(&structure, 9, 0);
    records.extend((0..5).map(|no| Held { at: START + 100, chips: 0, ..records[no] }).collect::<Vec<_>>());
    records.push(Held { at: START + 200, chips: 0, may_rebuy: true, ..records[5] });
    let at = |records: &[Held], instant| event(&structure, records).refund_in(START + instant).unwrap();
    let pending = at(&records, 250);
    assert_eq!((pending.case, pending.players.len()), (Case::Unpaid, 3));
    let mut declined = records.clone();
    declined.push(Held { at: START + 300, chips: 0, ..records[5] });
    assert_eq!(at(&declined, 300).case, Case::CutShort);
    records.push(Held { at: START + 300, to_pool: 1_840, fee: 160, ..records[5] });
    assert_eq!((at(&records, 300).case, at(&records, 300).players.len()), (Case::Unpaid, 4));
}

#[test]
fn a_guarantees_seats_count_once_they_cannot_be_lost() {
    let mut structure = shipped("satellite");
    structure.guarantee = 40_000;
    // Six entries of 920: the pool pays no seat, four are guaranteed. If four were left in the money while registration
    // is open, they would get only 5520 in cash.
    let mut records = entered(&structure, 6, 0);
    records.extend((0..2).map(|no| Held { at: START + 100, chips: 0, ..records[no] }).collect::<Vec<_>>());
    let late = 10 * 60 * 60_000;
    let at = |instant| event(&structure, &records).refund_in(START + instant).unwrap();
    assert_eq!((at(100).case, at(100).pool), (Case::Unpaid, 5_520));
    assert_eq!((at(late).case, at(late).prizes), (Case::Paid, vec![10_000; 4]));
}

#[test]
fn a001_j_by_chips_alone_where_the_structure_says_so() {
    for case in [Case::Unpaid, Case::Paid] {
        let prizes = if case == Case::Paid { vec![600, 401] } else { vec![] };
        let given =
            RefundIn { case, method: RefundMethod::ChipCount, pool: 1_001, prizes, players: left(&[2, 1], 5, 0) };
        let out = refund(&given).unwrap();
        assert_eq!((parts(&out), out.residual), ((vec![667, 333], vec![672, 338]), 1));
    }
}

#[test]
fn a001_l_one_floor_on_the_sum() {
    let out = refunded(Case::Unpaid, 103, &[], left(&[2, 1], 0, 0));
    assert_eq!((parts(&out).0, out.residual), (vec![60, 42], 1));
}

#[test]
fn a001_m_half_of_an_odd_pool_is_not_rounded() {
    let out = refunded(Case::Unpaid, 1, &[], left(&[7], 0, 0));
    assert_eq!((parts(&out).0, out.residual), (vec![1], 0));
    let out = refunded(Case::Unpaid, 7, &[], left(&[1, 1], 0, 0));
    assert_eq!(out.payments[0].exact.parts(), (&7u8.into(), &2u8.into()));
}

#[test]
fn a001_n_a_satellite_is_case_2_until_the_places_with_a_prize_are_reached() {
    let structure = shipped("satellite");
    // 40 entries of 920: three seats at 10000 and 6800 for the fourth place.
    let mut records = entered(&structure, 40, 0);
    for no in 0..36 {
        records.push(Held { at: START + 100 + u64::try_from(no).unwrap(), chips: 0, ..records[no] });
    }
    let at = |instant| event(&structure, &records).refund_in(START + instant).unwrap();
    assert_eq!((at(134).case, at(134).pool, at(134).players.len()), (Case::Unpaid, 36_800, 5));
    let four = at(135);
    assert_eq!((four.case, four.prizes), (Case::CutShort, vec![10_000, 10_000, 10_000, 6_800]));
}

#[test]
fn a001_ss_play_goes_on_within_the_time_and_not_at_it() {
    assert!(may_resume(1_800_000, 100, 1_800_099));
    assert!(!may_resume(1_800_000, 100, 1_800_100));
    assert!(!may_resume(0, 100, 100));
    assert_eq!(shipped("freezeout-6").cancel_after_ms, 1_800_000);
}

#[test]
fn what_no_refund_can_be_made_of() {
    let given = |case, pool, prizes: &[u64], players: Vec<RefundPlayer>| {
        refund(&RefundIn { case, method: RefundMethod::Document, pool, prizes: prizes.to_vec(), players })
    };
    assert_eq!(given(Case::Unpaid, 5, &[], vec![]), Err(RefundError::Nobody));
    assert_eq!(given(Case::Unpaid, 5, &[], left(&[1, 0], 0, 0)), Err(RefundError::Player(EntryNo(1))));
    let twice = [left(&[1], 0, 0), left(&[1], 0, 0)].concat();
    assert_eq!(given(Case::Unpaid, 5, &[], twice), Err(RefundError::Player(EntryNo(0))));
    for (case, pool, prizes) in [
        (Case::NotStarted, 5, &[][..]),
        (Case::Unpaid, 5, &[5]),
        (Case::Paid, 5, &[5]),
        (Case::Paid, 5, &[2, 3]),
        (Case::Paid, 6, &[3, 2]),
    ] {
        assert_eq!(given(case, pool, prizes, left(&[1, 1], 0, 0)), Err(RefundError::Prizes), "{case:?} {prizes:?}");
    }
    let most = (1 << 53) - 1;
    assert!(matches!(given(Case::Unpaid, 1 << 53, &[], left(&[1], 0, 0)), Err(RefundError::OutOfRange(_))));
    assert!(matches!(given(Case::Unpaid, 5, &[], left(&[most, 1], 0, 0)), Err(RefundError::OutOfRange(_))));
    assert_eq!(given(Case::Unpaid, most, &[], left(&[most], 0, 0)).unwrap().payments[0].pool, most);
}

#[test]
fn the_posting_of_a_refund_takes_each_part_from_its_account() {
    let out = refunded(Case::Unpaid, 103, &[], left(&[2, 1], 80, 11));
    let posting = posted(&out, &[player("a"), player("b")]).unwrap();
    assert!(sums_to_zero(&posting));
    let cents: Vec<i64> = posting.lines().iter().map(|(_, cents)| *cents).collect();
    assert_eq!(cents, [-103, -160, -22, 151, 133, 1]);
    assert!(posted(&out, &[player("a")]).is_err());
}

#[test]
fn the_pages_example_of_a_file_is_what_comes_out() {
    let page = include_str!("../../../spec/games/refunds.md");
    let shown = |name: &str| {
        page.lines().filter_map(|line| line.strip_prefix(name)).find(|line| line.contains("\"case\":2")).unwrap().trim()
    };
    let given: RefundIn = serde_json::from_str(shown("    in:")).unwrap();
    assert_eq!(serde_json::to_string(&given).unwrap(), shown("    in:"));
    assert_eq!(serde_json::to_string(&refund(&given).unwrap()).unwrap(), shown("    out:"));
    assert!(serde_json::from_str::<RefundIn>(&shown("    in:").replace("\"case\":2", "\"case\":5")).is_err());
}

#[test]
fn the_pages_example_of_an_event_in_a_file_is_what_comes_out() {
    let page = include_str!("../../../spec/games/refunds.md");
    let shown = |name: &str| page.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
    let out = cancelled(page.lines().filter_map(|line| line.strip_prefix("    in:   ")).next().unwrap().as_bytes());
    let out = out.unwrap();
    assert_eq!(serde_json::to_string(&out.payments[2]).unwrap(), shown("    pays:"));
    assert_eq!(serde_json::to_string(&out.sum).unwrap(), shown("    sum:"));
}

/// Every code of the page's table occurs, and every code that occurs is in the table.
#[test]
fn the_pages_codes_are_those_of_files() {
    let page = include_str!("../../../spec/games/refunds.md");
    let table = page.split_once("### 9.6").unwrap().1.split_once("### 9.7").unwrap().0;
    let codes: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" |"))
        .flat_map(|(codes, _)| codes.split(", "))
        .map(|code| code.trim_matches('`'))
        .collect();
    let vectors: serde_json::Value = serde_json::from_str(&crate::cases::text()).unwrap();
    let cases = ["refund_files", "prize_files"].into_iter().flat_map(|section| vectors[section].as_array().unwrap());
    let mut given: std::collections::BTreeSet<&str> = cases.filter_map(|case| case["refused"].as_str()).collect();
    given.insert(FileError::TooLong(0).code());
    assert_eq!(given, codes.iter().copied().collect());
}
