//! The postings of an event (spec/games/tournaments.md, section 13): lines that sum to zero; lines of 0 are left out.

use crate::amount::{OutOfRange, add, sum};
use crate::prize::SeatPrize;
use crate::refund::RefundOut;
use crate::staking::Division;
use fairshoe_fairness::PlayerId;

/// The account of a line. Accounts without a name belong to the event or the house.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Account {
    /// A player's balance.
    Player(PlayerId),
    /// A player's T$.
    TDollars(PlayerId),
    /// Unused tickets.
    Tickets,
    /// The house.
    House,
    /// Cut fractions (rule C3b).
    RoundingResidual,
    /// The event's pool.
    Pool,
    /// The event's fees.
    Fees,
    /// Heads and unpaid totals.
    Bounties,
    /// Stake money, and sellers' winnings.
    Stakes,
}

/// Lines that sum to zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posting(Vec<(Account, i64)>);

impl Posting {
    /// The lines.
    pub fn lines(&self) -> &[(Account, i64)] {
        &self.0
    }

    fn plus(mut self, account: Account, cents: u64) -> Result<Posting, OutOfRange> {
        let cents = i64::try_from(cents).map_err(|_| OutOfRange)?;
        self.0.extend((cents != 0).then_some((account, cents)));
        Ok(self)
    }

    fn minus(self, account: Account, cents: u64) -> Result<Posting, OutOfRange> {
        let mut posting = self.plus(account, cents)?;
        if let Some((_, last)) = posting.0.last_mut().filter(|_| cents != 0) {
            *last = last.checked_neg().ok_or(OutOfRange)?;
        }
        Ok(posting)
    }

    /// The reverse posting.
    pub fn reversed(&self) -> Posting {
        Posting(self.0.iter().map(|(account, cents)| (account.clone(), cents.saturating_neg())).collect())
    }
}

/// An entry, rebuy or add-on: the payers in order, then pool, fees and bounties.
///
/// # Errors
/// If the payers' sum differs from the price.
pub fn bought(payers: &[(Account, u64)], pool: u64, fee: u64, bounty: u64) -> Result<Posting, OutOfRange> {
    if sum(payers.iter().map(|(_, cents)| *cents))? != sum([pool, fee, bounty])? {
        return Err(OutOfRange);
    }
    let paid =
        payers.iter().try_fold(Posting::default(), |posting, (payer, cents)| posting.minus(payer.clone(), *cents))?;
    paid.plus(Account::Pool, pool)?.plus(Account::Fees, fee)?.plus(Account::Bounties, bounty)
}

/// Cents from one account to another: overlay, prize, deal, bounty, stake, residual.
///
/// # Errors
/// If an amount is out of range.
pub fn moved(from: Account, to: Account, cents: u64) -> Result<Posting, OutOfRange> {
    Posting::default().minus(from, cents)?.plus(to, cents)
}

/// A seat that a player won.
///
/// # Errors
/// If an amount is out of range.
pub fn seat_won(player: PlayerId, prize: SeatPrize) -> Result<Posting, OutOfRange> {
    match prize {
        SeatPrize::Ticket(value) => moved(Account::Pool, Account::Tickets, value),
        SeatPrize::TDollars { amount, to_house } => Posting::default()
            .minus(Account::Pool, add(amount, to_house)?)?
            .plus(Account::TDollars(player), amount)?
            .plus(Account::House, to_house),
    }
}

/// The payments to a seller and their buyers out of escrow.
///
/// # Errors
/// If an amount is out of range.
pub fn divided(division: &Division, buyers: &[PlayerId], seller: PlayerId) -> Result<Posting, OutOfRange> {
    if buyers.len() != division.buyers.len() {
        return Err(OutOfRange);
    }
    let own = add(division.seller, division.seller_escrow)?;
    let total = add(own, sum(division.buyers.iter().copied())?)?;
    let begun = Posting::default().minus(Account::Stakes, total)?;
    let paid = buyers
        .iter()
        .zip(&division.buyers)
        .try_fold(begun, |posting, (buyer, &cents)| posting.plus(Account::Player(buyer.clone()), cents))?;
    paid.plus(Account::Player(seller), own)
}

/// A refund in cash to players without stakes, in the order of its payments, and its residual. In case 1 each account
/// gives back the part it received: see [`bought`], reversed.
///
/// # Errors
/// If the names are not one for each payment.
pub fn refunded(out: &RefundOut, players: &[PlayerId]) -> Result<Posting, OutOfRange> {
    if players.len() != out.payments.len() {
        return Err(OutOfRange);
    }
    let pool = add(sum(out.payments.iter().map(|payment| payment.pool))?, out.residual)?;
    let begun = Posting::default()
        .minus(Account::Pool, pool)?
        .minus(Account::Fees, sum(out.payments.iter().map(|payment| payment.fee))?)?
        .minus(Account::Bounties, sum(out.payments.iter().map(|payment| payment.bounty))?)?;
    let paid = players
        .iter()
        .zip(&out.payments)
        .try_fold(begun, |posting, (player, payment)| posting.plus(Account::Player(player.clone()), payment.paid))?;
    paid.plus(Account::RoundingResidual, out.residual)
}
