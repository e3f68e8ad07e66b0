//! Stakes: their price, and how payouts and escrow are divided (spec/games/tournaments.md, section 12).

use fairshoe_tournament::staking::{MAX_STAKES, Stake, StakeError, divide, escrow, give_back, sell};

#[test]
fn r001_109_no_more_than_all_is_sold() {
    let most = sell(&[], 10_000, 5_000).unwrap();
    assert_eq!(most.price, 5_000);
    assert_eq!(sell(&[most], 1, 10_000), Err(StakeError::TooMuch(10_001)));
    assert_eq!(sell(&[], 0, 10_000), Err(StakeError::TooMuch(0)));
    let small = vec![Stake { basis_points: 1, price: 1 }; MAX_STAKES];
    assert!(sell(&small[1..], 1, 10_000).is_ok());
    assert_eq!(sell(&small, 1, 10_000), Err(StakeError::TooMany));
    assert_eq!(divide(100, &[most, most]), Err(StakeError::TooMuch(20_000)));
}

#[test]
fn r001_25_who_unregisters_leaves_the_stakes_to_the_buyers() {
    let stakes = [Stake { basis_points: 2_500, price: 1_250 }, Stake { basis_points: 1_500, price: 750 }];
    assert_eq!(give_back(&stakes).buyers, [1_250, 750]);
    assert_eq!(escrow(&stakes), Ok(2_000));
}

#[test]
fn r001_32_a_cash_refund_is_shared_be_it_larger_or_smaller() {
    let stakes = [Stake { basis_points: 2_500, price: 1_250 }];
    for (refund, buyer) in [(8_942, 2_235), (5_000, 1_250), (401, 100), (3, 0)] {
        let division = divide(refund, &stakes).unwrap();
        assert_eq!((division.buyers[0], division.seller, division.seller_escrow), (buyer, refund - buyer, 1_250));
    }
}

#[test]
fn a001_r_the_price_is_the_percentage_and_whole_cents() {
    assert_eq!(sell(&[], 2_500, 5_000).unwrap().price, 1_250);
    assert_eq!(sell(&[], 1, 10_000).unwrap().price, 1);
    assert_eq!(sell(&[], 1, 9_999), Err(StakeError::NotWhole(1)));
    assert_eq!(sell(&[], 3_333, 1_000), Err(StakeError::NotWhole(3_333)));
}
