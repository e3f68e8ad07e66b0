//! Parts of an entry that are sold (spec/games/tournaments.md, 12).

use super::{EventPending, signed};
use crate::decide::DecideError;
use crate::tournament::{EventEntry, Stage, TournamentEvent};
use crate::{Account, Actor, Refusal};
use fairshoe_fairness::PlayerId;
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::staking::{Division, Stake, StakeError, WHOLE, divide, give_back, sell};

/// The price of an entry.
fn cost(entry: &EventEntry) -> u64 {
    entry.to_pool.saturating_add(entry.fees).saturating_add(entry.bounty.head)
}

impl EventPending<'_> {
    fn require_selling(&self) -> Result<(), DecideError> {
        if !self.event.structure().staking {
            return Err(Refusal::NotAllowed("in this event no stakes are sold").into());
        }
        if self.event.stage != Stage::Registering {
            return Err(Refusal::RegistrationClosed("stakes are sold before the start").into());
        }
        Ok(())
    }

    /// So much of an entry is for sale, what was sold of it included.
    pub(super) fn offer_stake(&mut self, by: &Actor, basis_points: u64) -> Result<(), DecideError> {
        self.require_selling()?;
        let player = self.player(by)?;
        let (_, entry) = self.own_entry(&player)?;
        let sold: u64 = entry.stakes.iter().map(|sold| sold.stake.basis_points).sum();
        if basis_points > WHOLE || basis_points < sold {
            return Err(Refusal::Stake(StakeError::TooMuch(basis_points.max(sold))).into());
        }
        if entry.offered == basis_points {
            return Err(Refusal::NothingToDo("that much is offered already").into());
        }
        self.push(TournamentEvent::StakeOffered { player, basis_points });
        Ok(())
    }

    /// A part of somebody's entry is bought (R001.109).
    pub(super) fn buy_stake(&mut self, by: &Actor, seller: &PlayerId, basis_points: u64) -> Result<(), DecideError> {
        self.require_selling()?;
        let buyer = self.player(by)?;
        if buyer == *seller {
            return Err(Refusal::NotAllowed("players do not buy stakes of themselves").into());
        }
        let (_, entry) = self.own_entry(seller)?;
        let stakes: Vec<Stake> = entry.stakes.iter().map(|sold| sold.stake).collect();
        let sold: u64 = stakes.iter().map(|stake| stake.basis_points).sum();
        if sold.saturating_add(basis_points) > entry.offered {
            return Err(Refusal::NotAllowed("so much of that entry is not on offer").into());
        }
        let stake = sell(&stakes, basis_points, cost(entry)).map_err(Refusal::Stake)?;
        let funds = self.funds(&buyer);
        if funds < stake.price {
            let (balance, asked) = (Self::chips(funds), Self::chips(stake.price));
            return Err(Refusal::InsufficientBalance { balance, asked }.into());
        }
        self.note_before(&buyer);
        let paid = (Account::Player(buyer.clone()), -signed(stake.price));
        self.push(TournamentEvent::StakeSold { seller: seller.clone(), buyer, basis_points, price: stake.price });
        self.post(vec![paid, (self.escrow(), signed(stake.price))])
    }

    /// The next entry of which stakes were sold and whose winnings were not divided.
    pub(super) fn undivided(&self) -> Option<EntryNo> {
        self.event.sellers.first().copied()
    }

    /// Divides an entry's winnings and escrow among buyers and seller (12.2).
    pub(super) fn divide(&mut self, entry_no: EntryNo) -> Result<(), DecideError> {
        let entry = self.entry(entry_no)?.clone();
        let stakes: Vec<Stake> = entry.stakes.iter().map(|sold| sold.stake).collect();
        let all = entry.won.saturating_add(entry.t_dollars_won);
        let mut division = divide(all, &stakes).map_err(|error| DecideError::Broken(error.to_string()))?;
        // T$ count in the total, and the seller has them (refunds.md, 5).
        let own = division.seller.saturating_add(division.seller_escrow).checked_sub(entry.t_dollars_won);
        let own = own.ok_or_else(|| DecideError::Broken("a seller's T$ are more than their part".into()))?;
        (division.seller, division.seller_escrow) = (own, 0);
        if self.event.gives_escrow_back(&entry) {
            division = give_back(&stakes);
        }
        self.push(TournamentEvent::StakesDivided { entry_no });
        self.pay_division(&entry, &division)
    }

    /// A division's lines.
    pub(super) fn pay_division(&mut self, entry: &EventEntry, division: &Division) -> Result<(), DecideError> {
        self.note_before(&entry.player);
        for sold in &entry.stakes {
            self.note_before(&sold.buyer);
        }
        let own = division.seller.saturating_add(division.seller_escrow);
        let all = division.buyers.iter().fold(own, |all, part| all.saturating_add(*part));
        let mut lines = vec![(self.escrow(), -signed(all))];
        let buyers = entry.stakes.iter().zip(&division.buyers);
        lines.extend(buyers.map(|(sold, part)| (Account::Player(sold.buyer.clone()), signed(*part))));
        lines.push((Account::Player(entry.player.clone()), signed(own)));
        self.post(lines)
    }
}
