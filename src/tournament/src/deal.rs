//! Deals: each remaining player's amount, by chips or by the chances of their chips (spec/games/tournaments.md, section
//! 11).

use crate::amount::{EntryNo, Fraction, OutOfRange, count, sub, sum};
use crate::structure::MAX_DEAL;
use num_bigint::BigUint;
use num_integer::Integer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;

/// A remaining player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealPlayer {
    /// The entry.
    pub entry_no: EntryNo,
    /// Their chips.
    pub chips: u64,
}

/// One player's amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DealShare {
    /// The entry.
    pub entry_no: EntryNo,
    /// The exact amount, before rounding.
    pub exact: Fraction,
    /// The amount in cents.
    pub paid: u64,
}

/// Why there is no deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DealError {
    /// Fewer than two players, or more than the sets can be counted for.
    #[error("{0} players: 2 to {MAX_DEAL} can make a deal")]
    Players(usize),
    /// A player is named twice, or has no chips.
    #[error("entry {0} is named twice, or has no chips")]
    Player(EntryNo),
    /// The prizes are not one for each player, or they rise.
    #[error("a deal needs as many prizes as players, the best first")]
    Prizes,
    /// The given amounts do not add up to the undistributed pool (rule R001.105).
    #[error("the numbers come to {sum}, not to the undistributed pool, {pool}")]
    Sum {
        /// Their sum.
        sum: u64,
        /// The undistributed pool.
        pool: u64,
    },
    /// An amount is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

/// A deal by chips: each player gets the least prize, and the rest is divided by chips (section 11.4).
///
/// # Errors
/// See [`DealError`].
pub fn by_chips(players: &[DealPlayer], prizes: &[u64]) -> Result<Vec<DealShare>, DealError> {
    let (chips, least, rest) = checked(players, prizes)?;
    let exact = players.iter().map(|player| {
        let by_chips = BigUint::from(rest) * player.chips;
        Ok(Fraction::new(by_chips + BigUint::from(least) * chips, chips)?)
    });
    rounded(players, prizes, exact.collect::<Result<Vec<_>, DealError>>()?)
}

/// A deal by the chances of the chips, ICM (section 11.5), in exact integers over one common denominator.
///
/// # Errors
/// See [`DealError`].
pub fn by_icm(players: &[DealPlayer], prizes: &[u64]) -> Result<Vec<DealShare>, DealError> {
    let (_, least, _) = checked(players, prizes)?;
    // The least prize is certain, so it needs no chances.
    let above: Vec<u64> =
        prizes.iter().map(|prize| prize.saturating_sub(least)).take_while(|&above| above > 0).collect();
    let unit = players.iter().fold(0, |unit: u64, player| unit.gcd(&player.chips)).max(1);
    let chips: Vec<u64> = players.iter().map(|player| player.chips.checked_div(unit).unwrap_or(0)).collect();
    let (worth, scale) = icm(&chips, &above);
    let exact = worth.into_iter().map(|worth| Ok(Fraction::new(worth + &scale * least, scale.clone())?));
    rounded(players, prizes, exact.collect::<Result<Vec<_>, DealError>>()?)
}

/// Given amounts: one for each player, with the undistributed pool as their sum.
///
/// # Errors
/// See [`DealError`].
pub fn of_amounts(players: &[DealPlayer], prizes: &[u64], amounts: &[u64]) -> Result<Vec<DealShare>, DealError> {
    checked(players, prizes)?;
    if amounts.len() != players.len() {
        return Err(DealError::Players(amounts.len()));
    }
    let (given, pool) = (sum(amounts.iter().copied())?, sum(prizes.iter().copied())?);
    if given != pool {
        return Err(DealError::Sum { sum: given, pool });
    }
    let share = |(player, &paid): (&DealPlayer, &u64)| {
        Ok(DealShare { entry_no: player.entry_no, exact: Fraction::new(paid, 1u8)?, paid })
    };
    players.iter().zip(amounts).map(share).collect()
}

/// The digest by which a proposal is answered (section 11.2): lower-case hexadecimal.
pub fn digest(event: &str, method: &str, amounts: &[(EntryNo, u64)]) -> String {
    let amounts: Vec<String> = amounts.iter().map(|(entry_no, amount)| format!("[{entry_no},{amount}]")).collect();
    // The characters of a name need no escape in JSON.
    let text = format!(r#"{{"event":"{event}","method":"{method}","amounts":[{}]}}"#, amounts.join(","));
    hex::encode(Sha256::new().chain_update(b"fairshoe/v1/deal\0").chain_update(text).finalize())
}

/// All chips; the least prize; the rest of the pool after the least prize for each player.
fn checked(players: &[DealPlayer], prizes: &[u64]) -> Result<(u64, u64, u64), DealError> {
    if !(2..=usize::from(MAX_DEAL)).contains(&players.len()) {
        return Err(DealError::Players(players.len()));
    }
    for (at, player) in players.iter().enumerate() {
        let again = players.iter().take(at).any(|before| before.entry_no == player.entry_no);
        if again || player.chips == 0 {
            return Err(DealError::Player(player.entry_no));
        }
    }
    let falls = prizes.windows(2).all(|pair| matches!(pair, [better, worse] if better >= worse));
    let least = prizes.last().copied().filter(|_| falls && prizes.len() == players.len()).ok_or(DealError::Prizes)?;
    let pool = sum(prizes.iter().copied())?;
    let rest = sub(pool, least.saturating_mul(count(players.len())))?;
    Ok((sum(players.iter().map(|player| player.chips))?, least, rest))
}

/// Rounds down, then gives the remaining cents one each to the largest stacks (section 11.6).
fn rounded(players: &[DealPlayer], prizes: &[u64], exact: Vec<Fraction>) -> Result<Vec<DealShare>, DealError> {
    let mut shares = Vec::with_capacity(players.len());
    for (player, exact) in players.iter().zip(exact) {
        shares.push(DealShare { entry_no: player.entry_no, paid: exact.floor()?, exact });
    }
    let left = sub(sum(prizes.iter().copied())?, sum(shares.iter().map(|share| share.paid))?)?;
    let mut most_first: Vec<usize> = (0..players.len()).collect();
    most_first.sort_by_key(|&at| players.get(at).map(|player| (Reverse(player.chips), player.entry_no)));
    for (at, _) in most_first.into_iter().zip(0..left) {
        if let Some(share) = shares.get_mut(at) {
            share.paid = share.paid.saturating_add(1);
        }
    }
    Ok(shares)
}

/// The value of each stack, if all prizes are above 0 and fewer than the stacks; over a common denominator.
///
/// Sets of players are bits. For each set that can take the first places, `first` holds its chance times the product of
/// `D_0 … D_{size−1}`; `D_j` is a common multiple of the chips left by any set of j. So all numbers are whole, and no
/// fraction is reduced on the way.
fn icm(chips: &[u64], prizes: &[u64]) -> (Vec<BigUint>, BigUint) {
    let total: u64 = chips.iter().copied().fold(0, u64::saturating_add);
    let sets = 1usize << chips.len();
    let in_set = |set: usize| chips.iter().enumerate().filter(move |(player, _)| set >> player & 1 == 1);
    let left = |set: usize| BigUint::from(in_set(set).fold(total, |left, (_, chips)| left.saturating_sub(*chips)));
    let mut first = vec![BigUint::ZERO; sets];
    if let Some(nobody) = first.first_mut() {
        *nobody = BigUint::from(1u8);
    }
    let mut worth = vec![BigUint::ZERO; chips.len()];
    let mut scale = BigUint::from(1u8);
    for (placed, &prize) in prizes.iter().enumerate() {
        let of_size = || (0..sets).filter(|set| set.count_ones() as usize == placed);
        let common = of_size().fold(BigUint::from(1u8), |common, set| common.lcm(&left(set)));
        worth.iter_mut().for_each(|worth| *worth *= &common);
        scale *= &common;
        for set in of_size() {
            let Some(chance) = first.get_mut(set).map(std::mem::take) else { continue };
            let per_chip = chance * (&common / left(set));
            for (player, &stack) in chips.iter().enumerate().filter(|(player, _)| set >> player & 1 == 0) {
                let next = &per_chip * stack;
                if let Some(worth) = worth.get_mut(player) {
                    *worth += &next * prize;
                }
                if let Some(first) = first.get_mut(set | 1 << player) {
                    *first += next;
                }
            }
        }
    }
    (worth, scale)
}
