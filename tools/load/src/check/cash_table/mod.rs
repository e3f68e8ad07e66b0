//! A cash table of poker on which only this run's players sit: seats, chips and hands, replayed independently.
//! Implements `spec/games/poker-table.md` from a player's view.

mod hands;
mod money;

use super::answers::answers;
use super::flaw::same;
use super::hand::HandCheck;
use super::offered::Offered;
use super::seats::ladder;
use super::table::misplaced;
use super::{Flaw, OnLog, Progress, ShoeCheck, Signers};
use fairshoe_api::{Accepted, OwnCards, RoundView, ShownOpening, ViewPhase};
use fairshoe_fairness::{Epoch, Origin, PlayerId, SeedCommitment, TableContext, TableId};
use fairshoe_games::poker::{EntryChoice, Owes, PokerRules, Positions};
use fairshoe_games::{Chips, Decision, Offer, RuleSet};
use fairshoe_house::{Account, Actor, Command, Entry, Event, NotedTable, Offence, Signed};
use fairshoe_tlog::Hash;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Entries whose hashes are kept, for replies that arrive after the table's page.
const MAX_HASHES: usize = 256;

/// A taken seat.
struct CheckedSeat {
    player: PlayerId,
    stack: Chips,
    out: bool,
    leaving: bool,
    top_up: Chips,
    owes: Owes,
    entry: EntryChoice,
    straddle: bool,
    bank_ms: u64,
}

impl CheckedSeat {
    fn is_ready(&self) -> bool {
        !self.out && !self.leaving && self.stack > Chips::ZERO
    }
}

/// A hand that is being called.
struct Call {
    round_no: u64,
    closes_at: u64,
    committed: BTreeMap<PlayerId, SeedCommitment>,
}

/// The next action at the table, with its player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CashTableTodo {
    /// Only read on.
    Wait,
    /// Commit a seed for the called hand.
    Commit(PlayerId, u64),
    /// Reveal a seed of a round, with the entries that closed the commitments and committed the shoe.
    Reveal {
        /// The player.
        player: PlayerId,
        /// The hand.
        round_no: u64,
        /// The log index of `bets_closed`.
        bound_at: u64,
        /// The log index of `shoe_committed`.
        shoe_at: u64,
    },
    /// A player must look at their own cards before play goes on.
    Look(PlayerId, u64),
    /// A decision.
    Act(u64, Decision, Vec<Offer>),
    /// A seat without chips gets new ones.
    Rebuy(PlayerId),
    /// A player who sits out sits in again.
    SitIn(PlayerId),
}

/// The button, and by seat its debts and time bank.
type BeforeHand = (Option<Positions>, BTreeMap<u8, (Owes, u64)>);

/// A cash table as its players check it; see the module.
pub struct CashTableCheck {
    origin: Origin,
    table: TableId,
    rules: Arc<RuleSet>,
    poker: PokerRules,
    epoch: Option<Epoch>,
    next_seq: u64,
    applied: BTreeMap<u64, (u64, Hash)>,
    balances: BTreeMap<PlayerId, Chips>,
    seats: BTreeMap<u8, CheckedSeat>,
    positions: Option<Positions>,
    /// Button, debts and time banks before the hand in progress: a void hand restores them (R001.26).
    before_hand: Option<BeforeHand>,
    carried: BTreeMap<PlayerId, SeedCommitment>,
    shoe: Option<ShoeCheck>,
    shoe_at: u64,
    /// Whether the shoe is in use.
    in_use: bool,
    next_shoe: u64,
    call: Option<Call>,
    hand: Option<HandCheck>,
    next_round: u64,
    /// The movements that the next posting must make.
    owed: BTreeMap<Account, i64>,
    /// The seat that was just paid out and is left next.
    paid_out: Option<u8>,
    /// The players who let the call of a hand pass and are made to sit out.
    absent: BTreeSet<PlayerId>,
    /// The players who may not sit in again for a while.
    cooling: BTreeSet<PlayerId>,
    /// Whose cooldown this entry must announce, and what for.
    cooldowns: BTreeMap<PlayerId, Offence>,
    sent: Vec<(PlayerId, Command, Option<Signed>)>,
    signers: Option<Arc<Signers>>,
    nonces: HashMap<PlayerId, u64>,
}

impl CashTableCheck {
    /// A table before its first entry; `None` if it is not a poker table.
    pub fn new(origin: Origin, table: TableId, rules: Arc<RuleSet>, signers: Option<Arc<Signers>>) -> Option<Self> {
        let poker = rules.cash()?.clone();
        Some(CashTableCheck {
            origin,
            table,
            rules,
            poker,
            epoch: None,
            next_seq: 0,
            applied: BTreeMap::new(),
            balances: BTreeMap::new(),
            seats: BTreeMap::new(),
            positions: None,
            before_hand: None,
            carried: BTreeMap::new(),
            shoe: None,
            shoe_at: 0,
            in_use: false,
            next_shoe: 0,
            call: None,
            hand: None,
            next_round: 0,
            owed: BTreeMap::new(),
            paid_out: None,
            absent: BTreeSet::new(),
            cooling: BTreeSet::new(),
            cooldowns: BTreeMap::new(),
            sent: Vec::new(),
            signers,
            nonces: HashMap::new(),
        })
    }

    /// The name of the followed table.
    pub fn table(&self) -> &TableId {
        &self.table
    }

    /// The next entry's number in the table's sequence.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// The epoch in force.
    pub fn epoch_is(&mut self, epoch: Epoch) {
        if self.epoch.replace(epoch).is_some_and(|before| before != epoch) {
            // A commitment is bound to its epoch: stored ones lapsed with the restart.
            self.carried.clear();
        }
    }

    /// Whether an entry commits a shoe: its epoch must be known by then.
    pub fn commits_shoe(entry: &Entry) -> bool {
        entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. }))
    }

    /// The context that seeds are bound to.
    pub fn context(&self) -> Option<TableContext> {
        Some(TableContext { origin: self.origin.clone(), table: self.table.clone(), epoch: self.epoch? })
    }

    /// Records chips from the operator.
    pub fn credited(&mut self, player: &PlayerId, balance: Chips) {
        self.balances.insert(player.clone(), balance);
    }

    /// A player's chips outside their stack.
    pub fn balance(&self, player: &PlayerId) -> Chips {
        self.balances.get(player).copied().unwrap_or_default()
    }

    /// Records a command before it is sent in a player's name: the log may hold only such commands for them.
    pub fn send(&mut self, player: PlayerId, command: Command, signed: Option<Signed>) {
        // Commands that were never accepted are dropped once so many came after them.
        if self.sent.len() >= 64 {
            self.sent.remove(0);
        }
        self.sent.push((player, command, signed));
    }

    /// The last hand's number and its phase.
    pub fn last_hand(&self) -> Option<(u64, Progress)> {
        self.hand.as_ref().map(|hand| (hand.round_no, hand.progress))
    }

    /// Whether no hand is in progress, and none can begin without another commitment.
    pub fn is_idle(&self) -> bool {
        let called = self.call.as_ref().is_some_and(|call| !call.committed.is_empty());
        self.live().is_none() && !called && self.carried.is_empty()
    }

    /// The number of players dealt in.
    pub fn dealt_in(&self) -> u64 {
        self.hand.as_ref().map_or(0, |hand| u64::try_from(hand.players().count()).unwrap_or_default())
    }

    /// The public view of the table's cards.
    pub fn view(&self) -> serde_json::Value {
        self.hand.as_ref().map(|hand| hand.game.view()).unwrap_or_default()
    }

    fn live(&self) -> Option<&HandCheck> {
        self.hand.as_ref().filter(|hand| hand.is_live())
    }

    /// The next action at the table. If `returns`, a player who sits out comes back first: consecutive hands without a
    /// pause would leave them no time for it.
    pub fn todo(&self, returns: bool) -> CashTableTodo {
        match self
            .seats
            .values()
            .find(|seat| returns && seat.out && !seat.leaving && !self.cooling.contains(&seat.player))
        {
            Some(seat) if seat.stack == Chips::ZERO && seat.top_up == Chips::ZERO => {
                return CashTableTodo::Rebuy(seat.player.clone());
            }
            Some(seat) => return CashTableTodo::SitIn(seat.player.clone()),
            None => {}
        }
        if let Some(hand) = self.live() {
            let round_no = hand.round_no;
            if let Some(player) = hand.missing().into_iter().next() {
                return CashTableTodo::Reveal { player, round_no, bound_at: hand.closed_at, shoe_at: self.shoe_at };
            }
            if let Some(player) = hand.players().find(|player| !hand.knows_own(player)) {
                return CashTableTodo::Look(player.clone(), round_no);
            }
            if let Some(decision) = hand.game.open_decisions().into_iter().next() {
                let options = hand.game.options(decision.number, self.balance(&decision.player));
                return CashTableTodo::Act(round_no, decision, options);
            }
        }
        if let Some(call) = &self.call {
            let waits = |seat: &&CheckedSeat| seat.is_ready() && !call.committed.contains_key(&seat.player);
            if let Some(seat) = self.seats.values().find(waits) {
                return CashTableTodo::Commit(seat.player.clone(), call.round_no);
            }
        }
        CashTableTodo::Wait
    }

    /// Whether the entry was replayed already; if so, checks that it is the same.
    ///
    /// # Errors
    /// [`Flaw::TwoEntries`].
    pub fn knows(&self, on_log: &OnLog) -> Result<bool, Flaw> {
        let Some(at) = &on_log.entry.at else { return Ok(false) };
        match self.applied.get(&at.seq) {
            Some(seen) if *seen != (on_log.index, on_log.leaf) => Err(Flaw::TwoEntries { seq: at.seq }),
            Some(_) => Ok(true),
            None => Ok(at.seq < self.next_seq),
        }
    }

    /// Replays the table's next entry, with the openings that came with it.
    ///
    /// # Errors
    /// [`Flaw`] naming the first wrong part.
    pub fn apply(&mut self, on_log: &OnLog, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        let at = entry.at.as_ref().filter(|at| at.table == self.table);
        let at = at.ok_or_else(|| Flaw::differs("the entry's table", &self.table, &entry.at))?;
        if at.seq != self.next_seq {
            return Err(Flaw::Gap { expected: self.next_seq, found: at.seq });
        }
        if let Some(signers) = self.signers.clone() {
            signers.check(&self.origin, entry, &mut self.nonces)?;
        }
        if let Actor::Player(player) = &entry.by {
            let asked = |(by, command, signed): &(PlayerId, Command, Option<Signed>)| {
                by == player && *command == entry.command && *signed == entry.signed
            };
            let sent = self
                .sent
                .iter()
                .position(asked)
                .ok_or_else(|| Flaw::differs("what stands in a player's name", "asked for", &entry.command))?;
            self.sent.remove(sent);
        }
        for (player, balance) in &entry.before {
            same("the balance before the entry", &self.balance(player), balance)?;
        }
        self.hand.iter_mut().for_each(HandCheck::begin_entry);
        for event in &entry.events {
            self.event(on_log, event, openings)?;
        }
        self.end_of(entry)?;
        self.applied.insert(at.seq, (on_log.index, on_log.leaf));
        if self.applied.len() > MAX_HASHES {
            self.applied.pop_first();
        }
        self.next_seq += 1;
        Ok(())
    }

    /// Checks the table's state against the entry that calls a hand.
    fn is_noted(&self, noted: &NotedTable) -> Result<(), Flaw> {
        let cash =
            noted.cash.as_ref().ok_or_else(|| Flaw::differs("what is stated of the table", "its stacks", noted))?;
        same("the number of the next hand", &self.next_round, &noted.next_round)?;
        same("the button", &self.positions, &cash.positions)?;
        same("the commitments that are carried", &self.carried, &cash.carried.iter().cloned().collect())?;
        same("the seats that are taken", &self.seats.len(), &cash.seats.len())?;
        for ((number, seat), stated) in self.seats.iter().zip(&cash.seats) {
            same("who sits there", &(*number, &seat.player), &(stated.seat, &stated.player))?;
            same(
                "a stack, and whether its player sits out",
                &(seat.stack, seat.out),
                &(stated.stack, stated.sitting_out),
            )?;
            same(
                "what a seat owes",
                &(seat.owes, seat.entry, seat.straddle),
                &(stated.owes, stated.entry, stated.straddle),
            )?;
            same("a time bank", &seat.bank_ms, &stated.bank_ms)?;
        }
        Ok(())
    }

    fn end_of(&mut self, entry: &Entry) -> Result<(), Flaw> {
        if !self.owed.is_empty() || self.paid_out.is_some() {
            return Err(Flaw::differs("what was not posted", "nothing", (&self.owed, self.paid_out)));
        }
        if !self.cooldowns.is_empty() {
            return Err(Flaw::differs("the cooldowns", &self.cooldowns, "missing"));
        }
        if let (Command::CallHand { .. }, Some(call)) = (&entry.command, &self.call) {
            let ready = |player: &PlayerId| self.seats.values().any(|seat| seat.player == *player && seat.is_ready());
            let carried: BTreeMap<_, _> =
                std::mem::take(&mut self.carried).into_iter().filter(|(player, _)| ready(player)).collect();
            same("the commitments that were carried", &carried, &call.committed)?;
        }
        if let Command::Reveal { player, next: Some(next), .. } = &entry.command
            && self.seat_of(player).is_ok_and(|(_, seat)| seat.is_ready())
            && self.live().is_some()
        {
            same("the next commitment", &Some(next), &self.carried.get(player))?;
        }
        Ok(())
    }

    fn seat_of(&self, player: &PlayerId) -> Result<(u8, &CheckedSeat), Flaw> {
        let own = self.seats.iter().find(|(_, seat)| seat.player == *player).map(|(number, seat)| (*number, seat));
        own.ok_or_else(|| Flaw::differs("a seat", "one of the player's", player))
    }

    fn seat_mut(&mut self, player: &PlayerId, number: u8) -> Result<&mut CheckedSeat, Flaw> {
        let seat = self.seats.get_mut(&number).filter(|seat| seat.player == *player);
        seat.ok_or_else(|| Flaw::differs("a seat", "one of the player's", (number, player)))
    }

    fn owe(&mut self, account: Account, amount: i64) -> Result<(), Flaw> {
        let sum = self.owed.remove(&account).unwrap_or_default().checked_add(amount).ok_or(Flaw::Overflow)?;
        if sum != 0 {
            self.owed.insert(account, sum);
        }
        Ok(())
    }

    fn account(&self, seat: u8) -> Account {
        Account::Seat(self.table.clone(), seat)
    }

    fn event(&mut self, on_log: &OnLog, event: &Event, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        let by = |player: &PlayerId| entry.by == Actor::Player(player.clone());
        match event {
            Event::TableOpened { rules, digest, .. } if self.next_seq == 0 => {
                same("the rules on the log", &*self.rules, rules)?;
                same("the rules' digest", &self.rules.digest(), digest)
            }
            Event::SeatTaken { player, seat } if answers(entry, event) && !self.seats.contains_key(seat) => {
                let (none, bank_ms) = (Chips::ZERO, self.poker.clocks.bank_ms);
                let owes = Owes { entry: true, ..Owes::default() };
                let taken = CheckedSeat {
                    player: player.clone(),
                    stack: none,
                    out: false,
                    leaving: false,
                    top_up: none,
                    owes,
                    entry: EntryChoice::Post,
                    straddle: false,
                    bank_ms,
                };
                self.seats.insert(*seat, taken);
                Ok(())
            }
            Event::ChipsAdded { player, seat, amount, stack } if self.live().is_none() => {
                let place = self.seat_mut(player, *seat)?;
                same("the stack", &place.stack.plus(*amount), &Some(*stack))?;
                (place.stack, place.top_up) = (*stack, Chips::ZERO);
                self.owe(Account::Player(player.clone()), -amount.signed())?;
                self.owe(self.account(*seat), amount.signed())
            }
            Event::ChipsAsked { player, seat, amount } => {
                self.seat_mut(player, *seat)?.top_up = *amount;
                Ok(())
            }
            Event::SatIn { player, seat, entry, straddle } => {
                let place = self.seat_mut(player, *seat)?;
                (place.out, place.entry, place.straddle) = (false, *entry, *straddle);
                Ok(())
            }
            Event::SatOut { player, seat, cause } => self.sat_out(entry, player, *seat, *cause),
            Event::LeaveAsked { player, seat } if by(player) || is_unseated(entry, player) => {
                self.seat_mut(player, *seat)?.leaving = true;
                self.carried.remove(player);
                self.hand.iter_mut().for_each(|hand| hand.goes_away(player));
                Ok(())
            }
            Event::SeatLeft { player, seat }
                if self.paid_out == Some(*seat) || self.seat_mut(player, *seat)?.stack == Chips::ZERO =>
            {
                self.paid_out = None;
                self.carried.remove(player);
                self.seats.remove(seat);
                Ok(())
            }
            Event::SeatWanted { player } if by(player) => Ok(()),
            Event::Posted { lines } => self.posted(lines),
            Event::Cooldown { player, offence, offences, until } => {
                same("the cooldown of this player", &self.cooldowns.remove(player), &Some(*offence))?;
                self.cooling.insert(player.clone());
                ladder(*offences, entry.time, *until)
            }
            Event::ShoeCommitted { shoe_no, composition, candidates } if !self.in_use && entry.by == Actor::House => {
                let context = self.context().ok_or(Flaw::EpochUnknown)?;
                same("the shoe's number", &self.next_shoe, shoe_no)?;
                same("the shoe's cards", &self.rules.composition(), composition)?;
                same("how many decks are committed", &usize::from(self.rules.candidates()), &candidates.len())?;
                self.shoe = Some(ShoeCheck::new(context, *shoe_no, composition.clone(), candidates.clone()));
                (self.shoe_at, self.in_use, self.next_shoe) = (on_log.index, true, shoe_no + 1);
                Ok(())
            }
            Event::TableNoted(noted) if self.live().is_none() && self.call.is_none() => self.is_noted(noted),
            Event::HandCalled { round_no, shoe_no, closes_at } if self.live().is_none() && self.call.is_none() => {
                same("the hand called", &(self.next_round, self.shoe_no()), &(*round_no, Some(*shoe_no)))?;
                let closes = entry.time.saturating_add(self.rules.table.bet_time_ms);
                same("when the call ends", &closes, closes_at)?;
                self.call = Some(Call { round_no: *round_no, closes_at: closes, committed: BTreeMap::new() });
                Ok(())
            }
            Event::HandSeedCommitted { player, commitment } => {
                if let Command::CommitHandSeed { commitment: asked, .. } = &entry.command {
                    same("who commits", &true, &by(player))?;
                    same("the commitment", asked, commitment)?;
                }
                let call = self.call.as_mut().ok_or_else(|| misplaced(event))?;
                call.committed.insert(player.clone(), *commitment);
                Ok(())
            }
            Event::HandSeedWithdrawn { player } if by(player) || is_unseated(entry, player) => {
                let call = self.call.as_mut().ok_or_else(|| misplaced(event))?;
                call.committed.remove(player).map(drop).ok_or_else(|| misplaced(event))
            }
            Event::NextCommitted { player, commitment } if by(player) => {
                let asked = match &entry.command {
                    Command::CommitHandSeed { commitment, .. } => Some(commitment),
                    Command::Reveal { next, .. } => next.as_ref(),
                    _ => None,
                };
                same("the next commitment", &asked, &Some(commitment))?;
                self.carried.insert(player.clone(), *commitment);
                Ok(())
            }
            Event::CallLapsed { round_no, cause, .. } => self.call_lapsed(entry, event, *round_no, *cause),
            Event::HandBegun { round_no, shoe_no, contributors, reveal_by, announced: false, hand } => {
                same("the shoe of the hand", &self.shoe_no(), &Some(*shoe_no))?;
                self.hand_begins(on_log, event, (*round_no, *shoe_no), contributors, *reveal_by, hand)
            }
            _ => self.hand_event(entry, event, openings),
        }
    }

    fn shoe_no(&self) -> Option<u64> {
        self.shoe.as_ref().filter(|_| self.in_use).map(|shoe| shoe.shoe_no)
    }

    /// Checks that a reply or page opens only open cards.
    ///
    /// # Errors
    /// [`Flaw::OpenedEarly`].
    pub fn nothing_leaked(&self, openings: &[ShownOpening]) -> Result<(), Flaw> {
        self.shoe.iter().try_for_each(|shoe| shoe.nothing_leaked(openings))
    }

    /// Checks a player's own cards from a reply.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn own_cards(&mut self, player: &PlayerId, own: &OwnCards) -> Result<(), Flaw> {
        let (Some(hand), Some(shoe)) = (&mut self.hand, &self.shoe) else {
            return Err(Flaw::differs("own cards", "none without a hand", own));
        };
        hand.own_cards(shoe, &format!("{}:{}", self.table, hand.round_no), player, own)
    }

    /// Checks the other parts of a reply, if no later entry was seen.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn check_reply(&self, player: &PlayerId, accepted: &Accepted) -> Result<(), Flaw> {
        self.nothing_leaked(&accepted.openings)?;
        if let Some(balance) = accepted.balance {
            same("the balance", &self.balance(player), &balance)?;
        }
        accepted.round.as_ref().map_or(Ok(()), |view| self.check_view(view))
    }

    /// Checks a hand's public view.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn check_view(&self, view: &RoundView) -> Result<(), Flaw> {
        if view.phase == ViewPhase::Called {
            return same(
                "the hand that is called",
                &self.call.as_ref().map(|call| format!("{}:{}", self.table, call.round_no)),
                &Some(view.id.clone()),
            );
        }
        let hand = self.hand.as_ref().ok_or_else(|| Flaw::differs("the hand", "none", &view.id))?;
        let phase = match hand.progress {
            Progress::AwaitingReveals => ViewPhase::AwaitingReveals,
            Progress::Open => ViewPhase::Open,
            Progress::Settled => ViewPhase::Settled,
            Progress::Voided(_) => ViewPhase::Voided,
        };
        same("the hand's name", &format!("{}:{}", self.table, hand.round_no), &view.id)?;
        same("the hand's phase", &phase, &view.phase)?;
        same("the hand's entropy", &hand.entropy, &view.entropy)?;
        same("the cards on view", &hand.game.view(), &view.game())?;
        let open = |open: Decision| {
            let options = hand.game.options(open.number, Chips::ZERO);
            (open.number, Offered { options, player: open.player, place: open.place })
        };
        let decisions = if hand.progress == Progress::Open { hand.game.open_decisions() } else { Vec::new() };
        let offered: Vec<_> = view.decisions.iter().map(|one| (one.decision, Offered::from(one))).collect();
        same("the decisions offered", &decisions.into_iter().map(open).collect(), &offered)
    }
}

/// Whether the operator takes this player's seat.
fn is_unseated(entry: &Entry, player: &PlayerId) -> bool {
    entry.by == Actor::Operator && matches!(&entry.command, Command::Unseat { player: who, .. } if who == player)
}
