//! An entry of a table, folded into the table alone: what it does to players and money is the state's.

use crate::dues::Dues;
use crate::shoe_use::Shoe;
use crate::table::Table;
use crate::{Command, Corrupt, Entry, Event, Misfit, ShoeId, TableKind, Window};
use fairshoe_fairness::{Slot, TableContext};
use fairshoe_games::Chips;

impl Table {
    /// Folds one event of an entry in. `context` is that of a shoe committed now, for an event that commits one.
    pub(crate) fn fold_event(
        &mut self,
        event: &Event,
        time: u64,
        context: Option<TableContext>,
    ) -> Result<(), Corrupt> {
        match (event, context) {
            (Event::Posted { .. }, _) => Ok(()),
            (Event::ShoeCommitted { shoe_no, composition, candidates }, Some(context)) => {
                let id = ShoeId { context, shoe_no: *shoe_no, composition: composition.clone() };
                let undrawn = (0..composition.len()).map(Slot).collect();
                self.put_in_use(Shoe { id, candidates: candidates.clone(), undrawn })
            }
            (Event::TableNoted(noted), _) if self.live_round().is_some() || **noted != self.noted() => {
                Err(Misfit::TableElse(self.id.clone()))
            }
            (event, _) => {
                self.note_use(event, time);
                if let Event::RoundVoided { .. } = event {
                    self.remember_void(time);
                }
                self.apply(event)
            }
        }
        .map_err(Corrupt::Event)
    }

    /// The dealer started at a time, after so many milliseconds without: nothing happens here before the table is put
    /// in order.
    pub(crate) fn await_recovery(&mut self, time: u64, down_ms: u64) {
        self.needs_recovery = true;
        // A second start before the table was recovered takes nothing from the first one's downtime.
        self.down_since.get_or_insert(time.saturating_sub(down_ms));
    }

    /// Takes in since when what is due here is due, duty and deadline; 0 for one that there is not.
    pub(crate) fn take_dues(&mut self, (duty, deadline): (u64, u64)) {
        // A start of the dealer leaves what was due before it as it was.
        let waiting = self.duty_in_order().filter(|_| duty > 0).map(|command| (command, duty));
        self.dues = Dues::at(waiting, self.next_deadline().filter(|_| deadline > 0).map(|at| (at, deadline)));
    }

    /// Whether a table that rests can have what is due since then: whether anything is follows from how it stands, and a
    /// house that left it out of a state would never be late again (spec/state.md, "Published").
    pub(crate) fn check_dues(&self, (duty, deadline): (u64, u64)) -> Result<(), &'static str> {
        // A start of the dealer leaves what was due before it as it was.
        if self.needs_recovery {
            return Ok(());
        }
        let has_duty = self.duty_after(self.last_used).is_some();
        let (first, last) = match self.next_deadline() {
            Some(deadline) => (deadline, deadline.max(self.last_used)),
            None => (0, 0),
        };
        let fits = has_duty == (duty > 0) && duty <= self.last_used && (first..=last).contains(&deadline);
        if fits { Ok(()) } else { Err("what is due there, or since when, is not what follows from how it stands") }
    }

    /// The duty after an entry at that time. No bets are opened on a shoe that is to come out: a deadline does that.
    fn duty_after(&self, time: u64) -> Option<Command> {
        let is_due = |duty: &Command| !(matches!(duty, Command::OpenBets { .. }) && self.shoe_is_idle(time));
        self.duty().filter(|_| !self.needs_recovery).filter(is_due)
    }

    /// The entry's events are folded in: the next has the next place, and what is due follows.
    pub(crate) fn end_entry(&mut self, entry: &Entry, seq: u64) -> Result<(), Corrupt> {
        self.next_seq = seq.checked_add(1).ok_or_else(|| Corrupt::Event("too many entries".into()))?;
        self.last_used = entry.time;
        self.note_shoe_use(entry, seq);
        if let Command::Unseat { player, .. } = &entry.command {
            self.note_unseated(player);
        }
        if matches!(entry.command, Command::Recover { .. }) {
            self.needs_recovery = false;
            self.down_since = None;
            self.note_all_used(entry.time);
            // The epoch changed, and with it what the commitments are bound to.
            if let Some(cash) = self.kind.cash_mut() {
                cash.carried.clear();
            }
        }
        let duty = self.duty_after(entry.time);
        self.dues = self.dues.after(entry, duty, self.next_deadline());
        Ok(())
    }

    /// Unsettled stakes here; `None` if they are out of range.
    pub(crate) fn staked(&self) -> Option<Chips> {
        let in_play =
            self.live_round().map(|round| Chips::sum(round.game.pending_stakes().into_iter().map(|(_, stake)| stake)));
        let placed = self.window().map(Window::staked);
        Chips::sum([in_play, placed].into_iter().flatten().map(|sum| sum.unwrap_or(Chips::MAX)))
    }

    /// The house's duty at a table before anything else can happen there.
    pub(crate) fn duty(&self) -> Option<Command> {
        if self.needs_recovery {
            return Some(Command::Recover { table: self.id.clone() });
        }
        self.duty_in_order()
    }

    /// The same where no restart waits to be dealt with.
    fn duty_in_order(&self) -> Option<Command> {
        let id = || self.id.clone();
        if self.closed || self.live_round().is_some() {
            return None;
        }
        if let Some(window) = self.window() {
            let complete =
                self.rules.table.close_early && window.is_complete() && window.bets.len() >= self.rules.least_players();
            return complete.then(|| Command::CloseBets { table: id(), round_no: window.round_no });
        }
        if let Some(call) = self.call() {
            return self.call_may_end_early(call).then(|| Command::CloseCall { table: id(), round_no: call.round_no });
        }
        // The event says what a tournament's table does between hands.
        if self.event.is_some() {
            return None;
        }
        if self.has_idle_seat() || self.is_untidy() {
            return Some(Command::TidySeats { table: id() });
        }
        if self.kind() == TableKind::Betting {
            if self.shoe.is_none() {
                return Some(Command::CommitShoe { table: id() });
            }
            if self.newcomer_asks() || self.shoe_is_full(self.next_seq) {
                return Some(Command::RetireShoe { table: id(), reason: None });
            }
        }
        self.next_round_due().filter(|_| self.pauses_until().is_none())
    }

    /// The call of a hand, or bets, where somebody wants to play and nothing is in play: once the pause is over.
    pub(crate) fn next_round_due(&self) -> Option<Command> {
        let id = || self.id.clone();
        if self.event.is_some() || self.closed || !self.is_between_rounds() || !self.wants_bets() {
            return None;
        }
        match self.kind() {
            TableKind::Cash => Some(Command::CallHand { table: id() }),
            TableKind::Betting => self.is_shared().then(|| Command::OpenBets { table: id() }),
        }
    }
}
