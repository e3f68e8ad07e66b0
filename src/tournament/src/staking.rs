//! Stakes: their price, and how the event's payment to the seller is divided (spec/games/tournaments.md, section 12).

use crate::amount::{OutOfRange, add, share_of, sub, sum};
use serde::{Deserialize, Serialize};

/// The whole of an entry, in basis points.
pub const WHOLE: u64 = 10_000;
/// The most stakes of an entry: one posting divides its winnings.
pub const MAX_STAKES: usize = 100;

/// Why a stake is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StakeError {
    /// The part is zero, or more than is left of the entry (rule R001.109).
    #[error("{0} basis points are more than {WHOLE}, or less than is sold already, or nothing")]
    TooMuch(u64),
    /// There are more buyers than one posting can name.
    #[error("an entry has at most {MAX_STAKES} stakes")]
    TooMany,
    /// The price is not a whole number of cents (ruling A001.r).
    #[error("the price of {0} basis points is not whole")]
    NotWhole(u64),
    /// An amount is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

/// A sold part of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stake {
    /// The part, in basis points of the entry.
    pub basis_points: u64,
    /// The buyer's price in cents; it lies in escrow.
    pub price: u64,
}

/// The payments to a seller and their buyers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Division {
    /// The buyers' parts, in the order of the stakes.
    pub buyers: Vec<u64>,
    /// The seller's part of the payment.
    pub seller: u64,
    /// The seller's part of the escrow.
    pub seller_escrow: u64,
}

/// Sells a further part of an entry whose price was `cost`.
///
/// # Errors
/// See [`StakeError`].
pub fn sell(sold: &[Stake], basis_points: u64, cost: u64) -> Result<Stake, StakeError> {
    let all = sold.iter().fold(basis_points, |all, stake| all.saturating_add(stake.basis_points));
    if basis_points == 0 || all > WHOLE {
        return Err(StakeError::TooMuch(all));
    }
    if sold.len() >= MAX_STAKES {
        return Err(StakeError::TooMany);
    }
    let price = share_of(basis_points, cost, WHOLE)?;
    // The product fits: `share_of` computed it in 128 bits.
    if !u128::from(basis_points).saturating_mul(u128::from(cost)).is_multiple_of(u128::from(WHOLE)) {
        return Err(StakeError::NotWhole(basis_points));
    }
    Ok(Stake { basis_points, price })
}

/// Divides the event's whole payment or cash refund to the seller: the buyers' parts are rounded down, the seller gets
/// the rest and the escrow (ruling A001.r).
///
/// # Errors
/// If the stakes are more than the whole, or an amount is out of range.
pub fn divide(total: u64, stakes: &[Stake]) -> Result<Division, StakeError> {
    let all = stakes.iter().fold(0u64, |all, stake| all.saturating_add(stake.basis_points));
    if all > WHOLE {
        return Err(StakeError::TooMuch(all));
    }
    let buyers: Vec<u64> =
        stakes.iter().map(|stake| share_of(stake.basis_points, total, WHOLE)).collect::<Result<_, _>>()?;
    let seller = sub(total, sum(buyers.iter().copied())?)?;
    Ok(Division { buyers, seller, seller_escrow: escrow(stakes)? })
}

/// Returns the escrow: the seller took the entry back, or is refunded by a ticket or T$ (rules R001.25, R001.32).
pub fn give_back(stakes: &[Stake]) -> Division {
    Division { buyers: stakes.iter().map(|stake| stake.price).collect(), seller: 0, seller_escrow: 0 }
}

/// The amount in escrow.
///
/// # Errors
/// If an amount is out of range.
pub fn escrow(stakes: &[Stake]) -> Result<u64, OutOfRange> {
    stakes.iter().try_fold(0, |all, stake| add(all, stake.price))
}
