//! Stakes: their price, and who gets what of what the event pays the seller (spec/games/tournaments.md, section 12).

use crate::amount::{OutOfRange, add, share_of, sub, sum};
use serde::{Deserialize, Serialize};

/// All of an entry, in basis points.
pub const WHOLE: u64 = 10_000;
/// Most stakes of an entry: what it wins is divided in one posting.
pub const MAX_STAKES: usize = 100;

/// Why a stake is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StakeError {
    /// Nothing, or with what is sold more than all of it (rule R001.109).
    #[error("{0} basis points are more than {WHOLE}, or less than is sold already, or nothing")]
    TooMuch(u64),
    /// More buyers than one posting names.
    #[error("an entry has at most {MAX_STAKES} stakes")]
    TooMany,
    /// The price is no whole number of cents (ruling A001.r).
    #[error("the price of {0} basis points is not whole")]
    NotWhole(u64),
    /// Out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

/// A part that was sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stake {
    /// Of the entry.
    pub basis_points: u64,
    /// What the buyer paid; it lies in escrow.
    pub price: u64,
}

/// What a seller and their buyers get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Division {
    /// By buyer, in the order of the stakes.
    pub buyers: Vec<u64>,
    /// Of what was paid.
    pub seller: u64,
    /// Of the escrow.
    pub seller_escrow: u64,
}

/// Sells so much more of an entry that cost `cost`.
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
    // The product fits: share_of has made it in 128 bits.
    if !u128::from(basis_points).saturating_mul(u128::from(cost)).is_multiple_of(u128::from(WHOLE)) {
        return Err(StakeError::NotWhole(basis_points));
    }
    Ok(Stake { basis_points, price })
}

/// Divides all that the event paid the seller, or refunded in cash: floors to the buyers, the rest and the escrow to
/// the seller (ruling A001.r).
///
/// # Errors
/// Where the stakes come to more than all, or amounts out of range.
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

/// Gives the escrow back: the seller took the entry back, or is refunded by a ticket or T$ (rules R001.25, R001.32).
pub fn give_back(stakes: &[Stake]) -> Division {
    Division { buyers: stakes.iter().map(|stake| stake.price).collect(), seller: 0, seller_escrow: 0 }
}

/// What lies in escrow.
///
/// # Errors
/// Out of range.
pub fn escrow(stakes: &[Stake]) -> Result<u64, OutOfRange> {
    stakes.iter().try_fold(0, |all, stake| add(all, stake.price))
}
