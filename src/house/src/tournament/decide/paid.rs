//! Prizes and bounties (spec/games/tournaments.md, 9 and 10).

use super::{EventPending, broken, signed};
use crate::decide::DecideError;
use crate::tournament::{EventEntry, PaidPrize, TournamentCommand as C, TournamentEvent, Whereabouts};
use crate::{Account, Actor};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::prize::{PrizeTable, SeatPrize, SeatUse, shared};
use fairshoe_tournament::structure::{Payouts, SatelliteTerms};
use std::cmp::Reverse;

/// So many places, or bounties, are paid in one entry.
const MOST_PAID: usize = 100;

/// Lines of the postings of one entry.
const MOST_LINES: usize = 500;

impl EventPending<'_> {
    /// Places that are taken and not paid, the last first; a shared place in one entry.
    pub(super) fn pay_places(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::PayPlaces { event: self.event.name().clone() })?;
        let table = self.event.prizes().map_err(broken)?;
        let due: Vec<(Reverse<u64>, EntryNo)> = self.event.unpaid.iter().copied().take(MOST_PAID).collect();
        let mut lines = Vec::new();
        for (_, entry_no) in due {
            if lines.len().saturating_add(4) > MOST_LINES {
                break;
            }
            self.pay_place(&table, entry_no, &mut lines)?;
        }
        self.post(lines)
    }

    fn pay_place(
        &mut self,
        table: &PrizeTable,
        entry_no: EntryNo,
        lines: &mut Vec<(Account, i64)>,
    ) -> Result<(), DecideError> {
        let entry = self.entry(entry_no)?.clone();
        let rank = entry.rank.ok_or_else(|| DecideError::Broken(format!("entry {entry_no} has no rank")))?;
        let satellite = match &self.event.structure().payouts {
            Payouts::Satellite(terms) => Some(terms.clone()),
            Payouts::Rows(_) => None,
        };
        let seat_value = satellite.as_ref().map_or(0, SatelliteTerms::value);
        let (prize, _) = shared(table, rank.0, rank.1, seat_value).map_err(broken)?;
        let mut paid = PaidPrize { cash: prize.cash, ..PaidPrize::default() };
        let mut to_house = 0;
        if let (true, Some(terms)) = (prize.seat, &satellite) {
            match terms.seat_prize(self.seat_use(terms, &entry)) {
                SeatPrize::Ticket(value) => paid.ticket = value,
                SeatPrize::TDollars { amount, to_house: fee } => (paid.t_dollars, to_house) = (amount, fee),
            }
        }
        if entry.at == Whereabouts::Disqualified {
            // The prize of the place is divided among all who are left, and paid as bounties are (7.6).
            let value = paid.cash.saturating_add(paid.ticket).saturating_add(paid.t_dollars).saturating_add(to_house);
            let prize = PaidPrize { cash: value, ..PaidPrize::default() };
            lines.extend([(self.pool(), -signed(value)), (self.bounties(), signed(value))]);
            self.push(TournamentEvent::PrizePaid { entry_no, rank, prize });
            return Ok(());
        }
        if self.event.takes_substitute(entry_no, rank) {
            paid.substitute = std::mem::take(&mut paid.cash);
        }
        self.note_before(&entry.player);
        let to_house = to_house.saturating_add(paid.substitute);
        let all = paid.cash.saturating_add(paid.ticket).saturating_add(paid.t_dollars).saturating_add(to_house);
        lines.extend([
            (self.pool(), -signed(all)),
            (self.payee(&entry), signed(paid.cash)),
            (Account::Tickets, signed(paid.ticket)),
            (Account::TDollars(entry.player.clone()), signed(paid.t_dollars)),
            (Account::House, signed(to_house)),
        ]);
        self.push(TournamentEvent::PrizePaid { entry_no, rank, prize: paid });
        Ok(())
    }

    /// Tickets for this event that nobody can use any more come back as T$ (9.7); whether there were any.
    pub(super) fn return_tickets(&mut self) -> Result<bool, DecideError> {
        let value = self.event.ticket_value();
        let holders = self.state.ticket_holders(self.event.name());
        let holders: Vec<PlayerId> = holders.take(MOST_PAID).cloned().collect();
        let mut lines = Vec::new();
        for player in &holders {
            self.note_before(player);
            self.push(TournamentEvent::TicketReturned { player: player.clone(), value });
            lines.extend([(Account::Tickets, -signed(value)), (Account::TDollars(player.clone()), signed(value))]);
        }
        self.post(lines)?;
        Ok(!holders.is_empty())
    }

    /// Tells how a winner can use a seat of the target (R001.24).
    fn seat_use(&self, terms: &SatelliteTerms, entry: &EventEntry) -> SeatUse {
        let target = TableId::parse(&terms.target).ok().and_then(|target| self.state.tournaments.get(&target));
        let Some(target) = target.filter(|target| target.takes_entries(self.time)) else { return SeatUse::Closed };
        let entrant = target.entrants.get(&entry.player);
        let used = entrant.map_or(0, |entrant| entrant.entries.len());
        let none_left = used >= usize::from(target.structure().entry.entries_per_player)
            || entrant.is_some_and(|entrant| entrant.is_barred);
        let has_ticket = self.state.has_ticket(target.name(), &entry.player);
        match target.in_play(&entry.player).is_some() || none_left || has_ticket {
            true => SeatUse::Further,
            false => SeatUse::Enter,
        }
    }

    /// Won totals; at the end heads, too.
    pub(super) fn pay_bounties(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::PayBounties { event: self.event.name().clone() })?;
        let over = self.event.is_over();
        let mut due: Vec<EntryNo> = self.event.won.iter().copied().collect();
        if over {
            let left = self.event.left().filter(|(_, entry)| entry.bounty.head > 0 || entry.bounty.won > 0);
            due.extend(left.map(|(entry_no, _)| *entry_no));
            due.sort_unstable();
            due.dedup();
        }
        let mut lines = Vec::new();
        for entry_no in due.into_iter().take(MOST_PAID) {
            let entry = self.entry(entry_no)?.clone();
            let at_end = over && entry.is_in_play();
            let amount = if at_end { entry.bounty.current().map_err(broken)? } else { entry.bounty.won };
            self.note_before(&entry.player);
            let payee = self.payee(&entry);
            lines.extend([(self.bounties(), -signed(amount)), (payee, signed(amount))]);
            self.push(TournamentEvent::BountyPaid { entry_no, amount });
        }
        self.post(lines)
    }
}
