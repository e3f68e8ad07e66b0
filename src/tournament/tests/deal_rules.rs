//! Deals by chips and by ICM, worked out by hand, and their odd cents (spec/games/tournaments.md, section 11).

use fairshoe_tournament::EntryNo;
use fairshoe_tournament::deal::{DealError, DealPlayer, DealShare, by_chips, by_icm, of_amounts};

fn players(chips: &[u64]) -> Vec<DealPlayer> {
    chips.iter().zip(0..).map(|(&chips, no)| DealPlayer { entry_no: EntryNo(no), chips }).collect()
}

fn paid(shares: &[DealShare]) -> Vec<u64> {
    shares.iter().map(|share| share.paid).collect()
}

fn exact(shares: &[DealShare]) -> Vec<String> {
    shares.iter().map(|share| format!("{}/{}", share.exact.parts().0, share.exact.parts().1)).collect()
}

#[test]
fn r001_105_a_deals_numbers_come_to_the_undistributed_pool() {
    let three = players(&[5_000, 3_000, 2_000]);
    let prizes = [50_000, 30_000, 20_000];
    assert_eq!(paid(&of_amounts(&three, &prizes, &[40_000, 30_000, 30_000]).unwrap()), [40_000, 30_000, 30_000]);
    assert_eq!(
        of_amounts(&three, &prizes, &[40_000, 30_000, 30_001]),
        Err(DealError::Sum { sum: 100_001, pool: 100_000 })
    );
    assert_eq!(of_amounts(&three, &prizes, &[50_000, 50_000]), Err(DealError::Players(2)));
    for shares in [by_chips(&three, &prizes).unwrap(), by_icm(&three, &prizes).unwrap()] {
        assert_eq!(paid(&shares).iter().sum::<u64>(), 100_000);
    }
}

#[test]
fn by_chips_everybody_has_the_least_prize_first() {
    // 20000 each and 40000 by chips.
    let shares = by_chips(&players(&[5_000, 3_000, 2_000]), &[50_000, 30_000, 20_000]).unwrap();
    assert_eq!(paid(&shares), [40_000, 32_000, 28_000]);
}

/// By hand: P(second) of the first of 5, 3, 2 is 3/10 · 5/7 + 2/10 · 5/8 = 19/56, of the second 5/10 · 3/5 + 2/10 ·
/// 3/8 = 3/8, of the third the rest.
#[test]
fn icm_by_hand() {
    let shares = by_icm(&players(&[5_000, 3_000, 2_000]), &[50_000, 30_000, 20_000]).unwrap();
    // 20000 + 30000 · 1/2 + 10000 · 19/56; 20000 + 30000 · 3/10 + 10000 · 3/8; 20000 + 30000 · 1/5 + 10000 · 2/7.
    assert_eq!(exact(&shares), ["268750/7", "32750/1", "202000/7"]);
    assert_eq!(paid(&shares), [38_393, 32_750, 28_857]);
}

#[test]
fn the_odd_cents_go_to_the_most_chips_then_the_lowest_entry() {
    assert_eq!(paid(&by_icm(&players(&[500, 500, 500]), &[100, 0, 0]).unwrap()), [34, 33, 33]);
    assert_eq!(paid(&by_chips(&players(&[1, 1, 2]), &[101, 0, 0]).unwrap()), [25, 25, 51]);
    let mut reversed = players(&[7, 7, 7]);
    reversed.reverse();
    assert_eq!(paid(&by_icm(&reversed, &[50, 30, 20]).unwrap()), [33, 33, 34]);
}

#[test]
fn what_no_deal_can_be_made_of() {
    let prizes = [3, 2, 1];
    assert_eq!(by_icm(&players(&[1]), &prizes[..1]), Err(DealError::Players(1)));
    assert_eq!(by_icm(&players(&[1; 11]), &[1; 11]), Err(DealError::Players(11)));
    assert_eq!(by_icm(&players(&[1, 0, 2]), &prizes), Err(DealError::Player(EntryNo(1))));
    let twice = [players(&[1, 2]), players(&[3])].concat();
    assert_eq!(by_chips(&twice, &prizes), Err(DealError::Player(EntryNo(0))));
    assert_eq!(by_icm(&players(&[1, 1, 1]), &prizes[..2]), Err(DealError::Prizes));
    assert_eq!(by_icm(&players(&[1, 1, 1]), &[1, 2, 3]), Err(DealError::Prizes));
}

/// The largest deal: ten stacks without a common divisor.
#[test]
fn ten_players_are_counted_exactly() {
    let chips = [1_000_003, 999_983, 777_777, 654_321, 500_009, 400_009, 300_007, 200_003, 100_003, 7];
    let prizes = [
        1_000_000_007,
        700_000_001,
        500_000_003,
        400_000_009,
        300_000_007,
        200_000_033,
        150_000_001,
        99_999_989,
        50_000_017,
        1,
    ];
    let shares = by_icm(&players(&chips), &prizes).unwrap();
    let total: u64 = prizes.iter().sum();
    assert_eq!(paid(&shares).iter().sum::<u64>(), total);
    assert!(paid(&shares).windows(2).all(|pair| pair[0] > pair[1]));
}
