//! Commands of an event become entries: all refusals first, then the events (spec/games/tournaments.md, "Commands").

mod bought;
mod deals;
mod draws;
mod hands;
mod operator;
mod paid;
pub(crate) mod progress;
mod refunds;
mod stakes;

use super::{EventEntry, Stage, Tournament, TournamentCommand as C, TournamentEvent};
use crate::decide::{Before, DecideError, require};
use crate::{Account, Actor, Dealer, Event, Ledger, Line, Refusal, State};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_tournament::{EntryNo, OutOfRange};

/// An entry of an event that is being decided.
pub(crate) struct EventPending<'s> {
    pub state: &'s State,
    pub dealer: &'s dyn Dealer,
    pub time: u64,
    pub event: &'s Tournament,
    pub before: Before,
    pub events: Vec<Event>,
    /// Balances that this entry has moved.
    moved: Vec<(Account, i64)>,
}

/// An amount as the ledger signs it.
pub(super) fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// An amount that left the range in the middle of what the house itself computes.
pub(super) fn broken(error: OutOfRange) -> DecideError {
    DecideError::Broken(error.to_string())
}

impl State {
    /// Decides a command of an event that there is.
    pub(crate) fn decide_tournament<'s>(
        &'s self,
        dealer: &'s dyn Dealer,
        time: u64,
        by: &Actor,
        event: &'s Tournament,
        command: &C,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        let (before, events) = (Vec::new(), Vec::new());
        let mut pending = EventPending { state: self, dealer, time, event, before, events, moved: Vec::new() };
        pending.decide(by, command)?;
        Ok((pending.before, pending.events))
    }
}

impl EventPending<'_> {
    fn decide(&mut self, by: &Actor, command: &C) -> Result<(), DecideError> {
        if !self.event.tables.unrecovered.is_empty() {
            return Err(Refusal::Recovering.into());
        }
        let of_play = matches!(
            command,
            C::DeclineRebuy { .. }
                | C::WantDeal { .. }
                | C::ProposeDeal { .. }
                | C::AnswerDeal { .. }
                | C::SubstitutePrize { .. }
        );
        if of_play && matches!(self.event.stage, Stage::Cancelled | Stage::Ended) {
            return Err(Refusal::NothingToDo("the event is over, or off").into());
        }
        match command {
            C::Create { .. } => Err(Refusal::TableExists(self.event.name().clone()).into()),
            C::Register { commitment, pay, .. } => self.register(by, *commitment, *pay),
            C::SetBounty { player, has, .. } => self.set_bounty(by, player, *has),
            C::Unregister { .. } => self.unregister(by),
            C::Rebuy { .. } => self.rebuy(by),
            C::DeclineRebuy { entry_no, .. } => self.decline_rebuy(by, *entry_no),
            C::AddOn { .. } => self.add_on(by),
            C::CarryOut { entry_no, .. } => self.carry_out(by, *entry_no),
            C::OfferStake { basis_points, .. } => self.offer_stake(by, *basis_points),
            C::BuyStake { seller, basis_points, .. } => self.buy_stake(by, seller, *basis_points),
            C::Start { .. } => self.start(by),
            C::CallDraw { .. } => self.call_draw(by),
            C::RevealSeatSeed { draw_no, entry_no, seed, next, .. } => {
                self.reveal_seat_seed(by, *draw_no, *entry_no, seed, next.as_ref())
            }
            C::DrawSeats { draw_no, .. } => self.draw_seats(by, *draw_no),
            C::MovePlayer { .. } => self.move_player(by),
            C::NextLevel { .. } => self.next_level(by),
            C::SettleHand { table, .. } => self.settle_hand(by, *table),
            C::NextRound { .. } => self.next_round(by),
            C::EndRegistration { .. } => self.end_registration(by),
            C::PayPlaces { .. } => self.pay_places(by),
            C::PayBounties { .. } => self.pay_bounties(by),
            C::StartClock { .. } => self.start_clock(by),
            C::End { .. } => self.end(by),
            C::WantDeal { want, .. } => self.want_deal(by, *want),
            C::ProposeDeal { method, amounts, .. } => self.propose_deal(by, *method, amounts.as_deref()),
            C::AnswerDeal { digest, accept, .. } => self.answer_deal(by, digest, *accept),
            C::Disqualify { player, reason, .. } => self.disqualify(by, player, reason),
            C::SubstitutePrize { place, what, value, .. } => self.substitute_prize(by, *place, what, *value),
            C::ChangeRegistration { late_levels, unregister_ms, .. } => {
                self.change_registration(by, *late_levels, *unregister_ms)
            }
            C::Postpone { starts_at, .. } => self.postpone(by, *starts_at),
            C::Cancel { cause, instant, reason, .. } => self.cancel(by, *cause, *instant, reason.as_ref()),
            C::PayRefunds { .. } => self.pay_refunds(by),
        }
    }

    fn push(&mut self, event: TournamentEvent) {
        self.events.push(Event::Tournament(Box::new(event)));
    }

    /// A duty is the house's, and is refused where it is not the one that comes next.
    fn require_duty(&self, by: &Actor, command: &C) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house does that when it is due")?;
        match self.event.duty() {
            Some(crate::Command::Tournament(due)) if due == *command => Ok(()),
            _ => Err(Refusal::NothingToDo("that is not what the event has to do next").into()),
        }
    }

    /// A player of the house.
    fn player(&self, by: &Actor) -> Result<PlayerId, Refusal> {
        self.state.is_player(by).ok_or(Refusal::NotAllowed("only a player does that"))
    }

    /// A player's entry that is in play.
    fn own_entry(&self, player: &PlayerId) -> Result<(EntryNo, &EventEntry), Refusal> {
        self.event.in_play(player).ok_or_else(|| Refusal::NotRegistered(player.clone()))
    }

    fn entry(&self, entry_no: EntryNo) -> Result<&EventEntry, DecideError> {
        self.event.entries.get(&entry_no).ok_or_else(|| DecideError::Broken(format!("there is no entry {entry_no}")))
    }

    fn balance(&self, account: &Account) -> i64 {
        let moved = self.moved.iter().find(|(moved, _)| moved == account).map(|(_, balance)| *balance);
        moved.or_else(|| self.state.ledger.balance(account)).unwrap_or_default()
    }

    /// The most that a player could still pay, this entry's movements included.
    fn funds(&self, player: &PlayerId) -> u64 {
        u64::try_from(self.balance(&Account::Player(player.clone()))).unwrap_or_default()
    }

    /// A player's T$.
    fn t_dollars(&self, player: &PlayerId) -> u64 {
        u64::try_from(self.balance(&Account::TDollars(player.clone()))).unwrap_or_default()
    }

    /// Writes a posting down, the lines of one account together. Lines of nothing are left out; a posting of nothing is
    /// none.
    fn post(&mut self, amounts: Vec<(Account, i64)>) -> Result<(), DecideError> {
        let mut summed: Vec<(Account, i64)> = Vec::with_capacity(amounts.len());
        for (account, amount) in amounts {
            match summed.iter_mut().find(|(known, _)| *known == account) {
                Some((_, sum)) => *sum = sum.saturating_add(amount),
                None => summed.push((account, amount)),
            }
        }
        let mut lines = Vec::with_capacity(summed.len());
        for (account, amount) in summed.into_iter().filter(|(_, amount)| *amount != 0) {
            let after = Ledger::after(&account, self.balance(&account), amount)
                .map_err(|error| DecideError::Broken(error.to_string()))?;
            self.moved.retain(|(moved, _)| *moved != account);
            self.moved.push((account.clone(), after));
            lines.push(Line(account, amount, after));
        }
        if !lines.is_empty() {
            self.events.push(Event::Posted { lines });
        }
        Ok(())
    }

    fn pool(&self) -> Account {
        Account::Pool(self.event.name().clone())
    }

    fn fees(&self) -> Account {
        Account::Fees(self.event.name().clone())
    }

    fn bounties(&self) -> Account {
        Account::Bounties(self.event.name().clone())
    }

    fn escrow(&self) -> Account {
        Account::Stakes(self.event.name().clone())
    }

    /// The payee of an entry's winnings: its player, or its escrow if stakes of it were sold.
    fn payee(&self, entry: &EventEntry) -> Account {
        match entry.stakes.is_empty() {
            true => Account::Player(entry.player.clone()),
            false => self.escrow(),
        }
    }

    /// Notes what a player had before the entry.
    fn note_before(&mut self, player: &PlayerId) {
        if !self.before.iter().any(|(known, _)| known == player) {
            self.before.push((player.clone(), self.state.funds(player)));
            self.before.sort();
        }
    }

    /// Chips of an amount, for a refusal.
    fn chips(amount: u64) -> Chips {
        Chips::new(amount).unwrap_or(Chips::MAX)
    }
}
