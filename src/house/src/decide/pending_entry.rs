//! The entry that is being decided: its events so far, on a copy of its table, and the money they moved. Owns the play
//! of a round up to the next question; each command's own rules are in the files beside it.

use super::{Before, DecideError};
use crate::round::OpenRound;
use crate::shoe_use::Shoe;
use crate::table::Table;
use crate::{
    Account, Command, Dealer, DealerError, Event, Ledger, Line, Phase, Refusal, RetireCause, ShoeId, State, TableKind,
    VoidCause, is_for_play,
};
use fairshoe_fairness::{Card, Lanes, PlayerId, RoundEntropy, Slot, TableId, pocket, spin};
use fairshoe_games::{Chips, Dealing, FaceUnknown, Peek, Reshuffle, RoundEvent, Spin, TurnClock};
use std::cell::RefCell;
use std::sync::Arc;

/// An entry being decided: a copy of its table on which each event is applied as it is written, so that the next one
/// is decided on what the first left behind.
pub(crate) struct PendingEntry<'s> {
    pub state: &'s State,
    pub dealer: &'s dyn Dealer,
    pub time: u64,
    pub table: Table,
    pub before: Before,
    pub events: Vec<Event>,
    /// Balances that this entry has moved.
    moved: Vec<(Account, i64)>,
}

impl<'s> PendingEntry<'s> {
    pub fn at(state: &'s State, dealer: &'s dyn Dealer, time: u64, table: &TableId) -> Option<Self> {
        state.tables.get(table).map(|table| PendingEntry::with(state, dealer, time, table.clone()))
    }

    pub fn with(state: &'s State, dealer: &'s dyn Dealer, time: u64, table: Table) -> Self {
        PendingEntry { state, dealer, time, table, before: Vec::new(), events: Vec::new(), moved: Vec::new() }
    }

    /// A command of one kind of table is refused at the other.
    pub fn require_kind(&self, command: &Command) -> Result<(), Refusal> {
        let by_event = matches!(
            command,
            Command::SitDown { .. }
                | Command::SitIn { .. }
                | Command::SitOut { .. }
                | Command::AddChips { .. }
                | Command::TidySeats { .. }
                | Command::LeaveSeat { .. }
                | Command::WantSeat { .. }
                | Command::Unseat { .. }
        );
        if self.table.event.is_some() && by_event {
            return Err(Refusal::OfTournament(self.table.id.clone()));
        }
        match (command.facts().table_kind, self.table.kind()) {
            (Some(TableKind::Cash), TableKind::Betting) => Err(Refusal::NotCash(self.table.id.clone())),
            (Some(TableKind::Betting), TableKind::Cash) => Err(Refusal::IsCash(self.table.id.clone())),
            _ => Ok(()),
        }
    }

    /// Writes an event down and applies it to the copy.
    pub fn push(&mut self, event: Event) -> Result<(), DecideError> {
        self.table.apply(&event).map_err(|e| DecideError::Broken(e.to_string()))?;
        self.events.push(event);
        Ok(())
    }

    fn balance(&self, account: &Account) -> i64 {
        let moved = self.moved.iter().find(|(moved, _)| moved == account).map(|(_, balance)| *balance);
        moved.or_else(|| self.state.ledger.balance(account)).unwrap_or_default()
    }

    /// The most that a player could still stake, this entry's movements included.
    pub fn funds(&self, player: &PlayerId) -> Chips {
        let balance = self.balance(&Account::Player(player.clone()));
        u64::try_from(balance).ok().and_then(Chips::new).unwrap_or_default()
    }

    /// Writes a posting down. Lines of nothing are left out; a posting of nothing is none.
    pub fn post(&mut self, amounts: Vec<(Account, i64)>) -> Result<(), DecideError> {
        let mut lines = Vec::with_capacity(amounts.len());
        for (account, amount) in amounts.into_iter().filter(|(_, amount)| *amount != 0) {
            let after = Ledger::after(&account, self.balance(&account), amount)
                .map_err(|e| DecideError::Broken(e.to_string()))?;
            self.moved.retain(|(moved, _)| *moved != account);
            self.moved.push((account.clone(), after));
            lines.push(Line(account, amount, after));
        }
        if lines.is_empty() { Ok(()) } else { self.push(Event::Posted { lines }) }
    }

    /// The account that the table's rounds settle against: the house's, or that of play chips.
    pub fn house(&self) -> Account {
        if is_for_play(&self.table.id) { Account::Play } else { Account::House }
    }

    pub fn escrow(&self) -> Account {
        Account::Table(self.table.id.clone())
    }

    /// The round in progress, if it is the one named.
    pub fn live_round(&self, round_no: u64) -> Result<&OpenRound, Refusal> {
        match self.table.live_round() {
            Some(round) if round.round_no == round_no => Ok(round),
            Some(round) => Err(Refusal::WrongRound { given: round_no, current: round.round_no }),
            None => Err(Refusal::WrongRound { given: round_no, current: self.table.next_round }),
        }
    }

    /// Notes what everyone with a bet, or a commitment for the hand that is being called, had before the entry.
    pub fn note_balances(&mut self) {
        let in_play = self.table.live_round().into_iter().flat_map(|round| &round.contributors).map(|c| &c.placed);
        let placed = self.table.window().into_iter().flat_map(|window| &window.bets);
        let committed = self.table.call().into_iter().flat_map(|call| call.seeds.keys());
        let players = in_play.chain(placed).map(|bet| &bet.player).chain(committed);
        self.before = players.map(|player| (player.clone(), self.state.funds(player))).collect();
    }

    /// Lets the game go on until it waits or is over. A draw that finds no slot voids the round (C13).
    pub fn play_steps(&mut self) -> Result<(), DecideError> {
        loop {
            let step = {
                let table = TableDealing::new(self)?;
                let round = self.table.live_round().ok_or_else(|| DecideError::Broken("no round is open".into()))?;
                match (round.game.step(&table), table.failed.into_inner()) {
                    (_, Some(error)) => return Err(error.into()),
                    (Ok(step), None) => Ok(step),
                    (Err(fairshoe_games::StepError::ShoeExhausted), None) => Err(()),
                    (Err(error), None) => return Err(DecideError::Broken(error.to_string())),
                }
            };
            match step {
                Ok(Some(event)) => self.play(event)?,
                Ok(None) => return Ok(()),
                Err(()) => return self.void(VoidCause::ShoeExhausted, Vec::new(), None),
            }
        }
    }

    /// Lets the game go on until it asks somebody, needs a new pile or is over; then the round is settled.
    pub fn play_on(&mut self) -> Result<(), DecideError> {
        self.play_steps()?;
        while let Some(player) = self.next_absent() {
            self.play(RoundEvent::Absent { player })?;
            self.play_steps()?;
        }
        if let Some(decision) = self.leavers_decision() {
            return self.play_default(decision);
        }
        match self.table.live_round() {
            Some(round) if round.game.is_settled() => {
                let (round_no, staked, returned, players) =
                    (round.round_no, round.staked(), round.returned(), round.results());
                self.push(Event::RoundSettled { round_no, staked, returned, players })?;
                self.retire_if_due(None)
            }
            Some(round) if round.game.needs_pile().is_some() && round.pile.is_none() => self.open_pile(),
            _ => Ok(()),
        }
    }

    /// The cut card: the draw that leaves fewer slots than lie behind it makes this the last hand (R001.125).
    fn note_cut_card(&mut self) -> Result<(), DecideError> {
        let Reshuffle::CutBack(back) = self.table.rules.table.reshuffle else { return Ok(()) };
        let lanes = self.table.live_round().and_then(|round| round.lanes.as_ref());
        let left = lanes.map(|lanes| lanes.order().len().saturating_sub(lanes.drawn().len()));
        match (left, &self.table.shoe) {
            (Some(left), Some(shoe))
                if !self.table.betting().is_some_and(|betting| betting.last_hand) && left < usize::from(back) =>
            {
                let shoe_no = shoe.id.shoe_no;
                self.push(Event::LastHand { shoe_no })
            }
            _ => Ok(()),
        }
    }

    /// One event of the game, with the money it moves.
    pub fn play(&mut self, event: RoundEvent) -> Result<(), DecideError> {
        let amounts = match &event {
            RoundEvent::Acted { .. } if self.table.cash().is_some() => Vec::new(),
            RoundEvent::Acted { player, cost, .. } => {
                vec![(Account::Player(player.clone()), -cost.signed()), (self.escrow(), cost.signed())]
            }
            RoundEvent::Paid { lines } => {
                let mut amounts: Vec<(Account, i64)> = Vec::new();
                let (mut staked, mut returned) = (0i64, 0i64);
                for line in lines {
                    let account = Account::Player(line.player.clone());
                    staked = staked.saturating_add(line.stake.signed());
                    returned = returned.saturating_add(line.returned.signed());
                    match amounts.iter_mut().find(|(known, _)| *known == account) {
                        Some((_, sum)) => *sum = sum.saturating_add(line.returned.signed()),
                        None => amounts.push((account, line.returned.signed())),
                    }
                }
                amounts.push((self.escrow(), -staked));
                amounts.push((self.house(), staked.saturating_sub(returned)));
                amounts
            }
            _ => self.hand_amounts(&event),
        };
        let drew = matches!(event, RoundEvent::Dealt { .. });
        self.push(Event::Play(event))?;
        if drew {
            self.note_cut_card()?;
        }
        self.post(amounts)
    }

    /// After a round: the shoe leaves the table where a rule says so (C11), and a game's earlier piles with it.
    pub fn retire_if_due(&mut self, cause: Option<RetireCause>) -> Result<(), DecideError> {
        let reshuffle = self.table.rules.table.reshuffle;
        let cause = match (&self.table.shoe, cause) {
            (_, Some(cause)) => Some(Some(cause)),
            _ if reshuffle == Reshuffle::EveryRound => Some(None),
            _ if self.table.is_shuffle_asked() => Some(Some(RetireCause::HouseShuffle)),
            (Some(shoe), _) if Some(shoe.id.context.epoch) != self.state.epoch => Some(Some(RetireCause::Restart)),
            (Some(shoe), _) if reshuffle.is_due(shoe.undrawn.len()) => Some(Some(RetireCause::Threshold)),
            // The entry that is being decided is one more.
            _ if self.table.shoe_is_full(self.table.next_seq.saturating_add(1)) => Some(Some(RetireCause::Full)),
            _ => None,
        };
        cause.map_or(Ok(()), |cause| self.retire_shoe(cause))
    }

    /// The shoe leaves the table and its seeds are published; before it those of the game's earlier piles.
    pub fn retire_shoe(&mut self, cause: Option<RetireCause>) -> Result<(), DecideError> {
        let piles = self
            .table
            .round
            .iter()
            .flat_map(|round| &round.piles)
            .map(|pile| (pile.clone(), Some(RetireCause::PileUsed)));
        let shoes: Vec<_> = piles.chain(self.table.shoe.iter().map(|shoe| (shoe.clone(), cause))).collect();
        let dealt = self.table.round.as_ref().filter(|round| round.was_dealt()).map(|round| round.shoe_no);
        for (shoe, cause) in shoes {
            if self.table.rules.is_private() && dealt == Some(shoe.id.shoe_no) {
                self.seal(&shoe)?;
                continue;
            }
            let candidates = 0..self.table.rules.candidates();
            let seeds = candidates.map(|k| self.dealer.seed(&shoe.id, k)).collect::<Result<_, _>>()?;
            self.push(Event::ShoeRevealed { shoe_no: shoe.id.shoe_no, seeds, cause })?;
        }
        Ok(())
    }

    /// A private shoe leaves the table: what lay open is proven, its seed stays secret.
    fn seal(&mut self, shoe: &Shoe) -> Result<(), DecideError> {
        let round = self.table.round.as_ref().ok_or_else(|| DecideError::Broken("no round to seal".into()))?;
        let openings =
            round.shown.iter().map(|slot| self.dealer.open(&shoe.id, round.pick, *slot)).collect::<Result<_, _>>()?;
        // Auditors may finish hands that the house ended: a crash for a friend shows (spec/games/poker-table.md).
        let by_house = [VoidCause::Crash, VoidCause::Malfunction, VoidCause::ShoeExhausted];
        let disclosed = matches!(round.phase, Phase::Voided { cause, .. } if by_house.contains(&cause));
        let (table, shoe_no) = (self.table.id.clone(), shoe.id.shoe_no);
        self.push(Event::ShoeSealed { shoe_no, openings })?;
        if disclosed { self.push(Event::ShoeDisclosed { table, shoe_no, auditor: None }) } else { Ok(()) }
    }

    /// A shoe put in use on the copy and written down.
    pub fn put_in_use(&mut self, id: ShoeId) -> Result<(), DecideError> {
        let candidates = self.dealer.commit(&id, self.table.rules.candidates())?;
        let event = Event::ShoeCommitted {
            shoe_no: id.shoe_no,
            composition: id.composition.clone(),
            candidates: candidates.clone(),
        };
        let undrawn = (0..id.composition.len()).map(Slot).collect();
        self.table.put_in_use(Shoe { id, candidates, undrawn }).map_err(|e| DecideError::Broken(e.to_string()))?;
        self.events.push(event);
        Ok(())
    }
}

/// The table as the game sees it.
struct TableDealing<'d> {
    lanes: &'d Lanes,
    /// The pile that the game is on.
    shoe: Arc<Shoe>,
    pick: u8,
    dealer: &'d dyn Dealer,
    pending: &'d PendingEntry<'d>,
    deadline: u64,
    entropy: Option<RoundEntropy>,
    piles: &'d [Arc<Shoe>],
    /// The dealer's own error, which the game only sees as an unknown face.
    failed: RefCell<Option<DealerError>>,
}

impl<'d> TableDealing<'d> {
    fn new(pending: &'d PendingEntry<'_>) -> Result<TableDealing<'d>, DecideError> {
        let broken = |what: &str| DecideError::Broken(what.into());
        let round = pending.table.live_round().ok_or_else(|| broken("no round is open"))?;
        let Phase::Open { settle_by } = round.phase else { return Err(broken("the round is not open")) };
        Ok(TableDealing {
            lanes: round.lanes.as_ref().ok_or_else(|| broken("the round has no shuffle"))?,
            // A next pile that was not used is gone already; then the game is still on the last one that was.
            shoe: pending
                .table
                .shoe
                .as_ref()
                .or(round.piles.last())
                .cloned()
                .ok_or_else(|| broken("the round has no shoe"))?,
            pick: round.pick,
            dealer: pending.dealer,
            pending,
            deadline: settle_by.unwrap_or_else(|| pending.time.saturating_add(pending.table.rules.table.turn_time_ms)),
            entropy: round.entropy,
            piles: &round.piles,
            failed: RefCell::new(None),
        })
    }

    fn noted<T>(&self, slot: Slot, answer: Result<T, DealerError>) -> Result<T, FaceUnknown> {
        answer.map_err(|error| {
            self.failed.replace(Some(error));
            FaceUnknown(slot)
        })
    }
}

impl Dealing for TableDealing<'_> {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        self.lanes.next(lane)
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.noted(slot, self.dealer.card(&self.shoe.id, self.pick, slot))
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        self.noted(slot, self.dealer.peek(&self.shoe.id, self.pick, slot, question))
    }

    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        // An earlier pile's order was that of the one candidate there is: piles belong to games that are not private.
        let pile = self.piles.get(usize::from(pile)).ok_or(FaceUnknown(slot))?;
        self.noted(slot, self.dealer.card(&pile.id, 0, slot))
    }

    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        let (Some(slot), Some(entropy)) = (self.shoe.undrawn.first().copied(), &self.entropy) else { return Ok(None) };
        let value = self.noted(slot, self.dealer.wheel_value(&self.shoe.id, self.pick, slot))?;
        let pockets = self.shoe.id.composition.value_limit();
        let offset = spin(entropy, self.pending.table.rules.candidates(), pockets);
        Ok(Some(Spin { slot, value, pocket: pocket(value, offset, pockets) }))
    }

    fn funds(&self, player: &PlayerId) -> Chips {
        self.pending.funds(player)
    }

    fn turn_clock(&self, player: &PlayerId, extra_ms: u64) -> TurnClock {
        let late_ms = self.pending.late_extra_ms(player);
        let base = self.deadline.saturating_add(extra_ms).saturating_add(late_ms);
        let bank_ms = self.pending.table.cash_seat(player).map_or(0, |(_, seat)| seat.bank_ms);
        let bank_from = (bank_ms > 0).then_some(base);
        TurnClock { bank_from, deadline: base.saturating_add(bank_ms), extra_ms: late_ms }
    }

    fn deadline(&self) -> u64 {
        self.deadline
    }
}
