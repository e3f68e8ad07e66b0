//! The worked examples of the house rules. Every figure is copied from the examples.

use crate::common::{left, parts, player, refunded, shipped, sums_to_zero};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::bounty::Bounties;
use fairshoe_tournament::entry::{Sold, collected, pool};
use fairshoe_tournament::posting::{self, Account};
use fairshoe_tournament::prize::{SeatPrize, SeatUse, prizes};
use fairshoe_tournament::refund::Case;
use fairshoe_tournament::staking::{Stake, divide, give_back, sell};
use fairshoe_tournament::structure::{OntoHead, PayoutRow, Payouts, Places, SatelliteTerms};

fn stakes() -> Vec<Stake> {
    vec![Stake { basis_points: 2_500, price: 1_250 }, Stake { basis_points: 1_500, price: 750 }]
}

#[test]
fn t1_case_1_gives_everything_back() {
    let out = refunded(Case::NotStarted, 0, &[], left(&[0; 7], 920 + 80, 0));
    assert_eq!(parts(&out), (vec![0; 7], vec![1_000; 7]));
    assert_eq!((out.total, out.residual), (7_000, 0));
}

#[test]
fn t2_case_2_half_equally_half_by_chips() {
    // 12 entries at 4600 + 400; the guarantee of 100000 is not met and does not count.
    let mut structure = shipped("freezeout-9");
    structure.guarantee = 100_000;
    assert_eq!(collected(&structure, &Sold { entries: 12, ..Sold::default() }).unwrap().pool, 55_200);
    let chips = [31_415, 26_535, 20_000, 17_050, 12_500, 8_000, 4_500];
    let out = refunded(Case::Unpaid, 55_200, &[], left(&chips, 400, 0));
    assert_eq!(out.chips, 120_000);
    let (pool, paid) = parts(&out);
    assert_eq!(pool, [11_168, 10_045, 8_542, 7_864, 6_817, 5_782, 4_977]);
    assert_eq!(paid, [11_568, 10_445, 8_942, 8_264, 7_217, 6_182, 5_377]);
    assert_eq!((pool.iter().sum::<u64>(), out.residual, out.total), (55_195, 5, 57_995));
    // The exact parts, to a thousandth as the examples print them.
    let thousandths: Vec<u64> = out
        .payments
        .iter()
        .map(|payment| {
            let (over, under) = payment.exact.parts();
            u64::try_from((over * 2_000u32 + under) / (under * 2u32)).unwrap()
        })
        .collect();
    assert_eq!(thousandths, [11_168_307, 10_045_907, 8_542_857, 7_864_357, 6_817_857, 5_782_857, 4_977_857]);
}

#[test]
fn t3_case_3_with_overlay() {
    let structure = shipped("freezeout-6");
    let brought = collected(&structure, &Sold { entries: 30, ..Sold::default() }).unwrap();
    assert_eq!((brought.pool, structure.guarantee), (27_600, 40_000));
    let table = prizes(&structure, 30, 30, pool(27_600, 40_000, false).unwrap().pool).unwrap();
    let cash: Vec<u64> = table.prizes.iter().map(|prize| prize.cash).collect();
    assert_eq!(cash, [16_000, 10_000, 6_400, 4_400, 3_200]);
    let out = refunded(Case::Paid, 36_800, &cash[..4], left(&[41_000, 29_500, 12_250, 7_250], 80, 0));
    assert_eq!(out.chips, 90_000);
    assert_eq!(parts(&out), (vec![13_146, 10_693, 7_013, 5_946], vec![13_226, 10_773, 7_093, 6_026]));
    assert_eq!(out.residual, 2);
}

#[test]
fn t4b_a_full_field_keeps_the_guarantee() {
    let mut structure = shipped("freezeout-6");
    (structure.entry.buy_in, structure.entry.players_max) = (900, 100);
    let brought = collected(&structure, &Sold { entries: 100, ..Sold::default() }).unwrap();
    let pool = pool(brought.pool, 100_000, false).unwrap();
    assert_eq!((pool.pool, pool.overlay), (100_000, 10_000));
}

#[test]
fn t5_stakes_at_a_cash_refund() {
    let cost = 4_600 + 400;
    let first = sell(&[], 2_500, cost).unwrap();
    assert_eq!(vec![first, sell(&[first], 1_500, cost).unwrap()], stakes());
    let division = divide(8_942, &stakes()).unwrap();
    assert_eq!((division.buyers, division.seller, division.seller_escrow), (vec![2_235, 1_341], 5_366, 2_000));
    // Net of each player's payment: together the refund less the price.
    assert_eq!([2_235 - 1_250, 1_341 - 750, 5_366 + 2_000 - 5_000], [985, 591, 2_366]);
    assert_eq!(985 + 591 + 2_366, 8_942 - 5_000);
}

#[test]
fn t5b_a_ticket_gives_the_escrow_back() {
    let division = give_back(&stakes());
    assert_eq!((division.buyers, division.seller, division.seller_escrow), (vec![1_250, 750], 0, 0));
}

#[test]
fn t5c_unregistered_before_the_start() {
    let entry = posting::bought(&[(Account::Player(player("s")), 5_000)], 4_600, 400, 0).unwrap();
    let back = entry.reversed();
    assert_eq!(back.lines(), [(Account::Player(player("s")), 5_000), (Account::Pool, -4_600), (Account::Fees, -400)]);
    let division = give_back(&stakes());
    let posted = posting::divided(&division, &[player("a"), player("b")], player("s")).unwrap();
    assert_eq!(
        posted.lines(),
        [(Account::Stakes, -2_000), (Account::Player(player("a")), 1_250), (Account::Player(player("b")), 750)]
    );
    assert!(sums_to_zero(&back) && sums_to_zero(&posted));
}

#[test]
fn t6_case_1_with_the_same_stakes() {
    let refund = refunded(Case::NotStarted, 0, &[], left(&[0], 5_000, 0));
    let division = divide(refund.payments[0].paid, &stakes()).unwrap();
    assert_eq!((division.buyers, division.seller, division.seller_escrow), (vec![1_250, 750], 3_000, 2_000));
}

#[test]
fn t7_a_prize_of_409_6_is_409() {
    let mut structure = shipped("freezeout-6");
    let places = vec![Places { to: 1, share: 60 }, Places { to: 2, share: 40 }];
    structure.payouts = Payouts::Rows(vec![PayoutRow { from: 2, places }]);
    let table = prizes(&structure, 2, 2, 1_024).unwrap();
    assert_eq!((table.prizes[0].cash, table.prizes[1].cash, table.residual), (614, 409, 1));
}

#[test]
fn t7_a_second_seat_in_a_9000_plus_1000_event_is_9000_t_dollars() {
    let terms = SatelliteTerms { target: "sunday".to_owned(), buy_in: 9_000, fee: 1_000, non_unregisterable: true };
    assert_eq!(terms.seat_prize(SeatUse::Further), SeatPrize::TDollars { amount: 9_000, to_house: 1_000 });
    assert_eq!(terms.seat_prize(SeatUse::Enter), SeatPrize::Ticket(10_000));
    // If the house closed the target, that is not the winner's doing.
    assert_eq!(terms.seat_prize(SeatUse::Closed), SeatPrize::TDollars { amount: 10_000, to_house: 0 });
}

#[test]
fn t7_a_bounty_of_501_split_in_two_is_251_and_250() {
    let mut bounties = Bounties::new(OntoHead::None);
    (0..3).for_each(|no| bounties.enter(EntryNo(no), if no == 0 { 501 } else { 0 }));
    // Entry 2 sits nearer to the left of the button.
    let won = bounties.eliminate(EntryNo(0), &[EntryNo(2), EntryNo(1)], false).unwrap();
    assert_eq!(won.iter().map(|won| (won.entry_no.0, won.to_total)).collect::<Vec<_>>(), [(2, 251), (1, 250)]);
}

/// The examples in the formula's text.
#[test]
fn the_formulas_own_examples() {
    let mut chips = vec![1_000; 99];
    chips[0] += 300_000 - 37_500 - 99_000;
    chips.insert(0, 37_500);
    let out = refunded(Case::Unpaid, 900_000, &[], left(&chips, 300, 0));
    assert_eq!((out.chips, out.payments[0].pool, out.payments[0].paid), (300_000, 60_750, 61_050));
    let out = refunded(Case::Paid, 80_000, &[50_000, 30_000], left(&[7_000, 3_000], 0, 0));
    assert_eq!(parts(&out).0, [44_000, 36_000]);
}
