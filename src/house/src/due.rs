use crate::table::Table;
use crate::{Actor, Command, Lapsed, Phase, State};
use fairshoe_fairness::TableId;

impl State {
    /// What the house has to do by itself now, first things first: recoveries and shoes, then lapsed deadlines.
    /// `None` when nothing is due at `now` (UTC milliseconds).
    pub fn due(&self, now: u64) -> Option<(Actor, Command)> {
        let duty = self.duties.first().and_then(|(_, id)| self.duty(id, now));
        let lapsed = || self.deadlines.first().filter(|(deadline, _)| *deadline <= now).and_then(|(_, id)| self.lapsed(id));
        duty.or_else(lapsed).map(|command| (Actor::House, command))
    }

    /// When the next deadline passes, UTC milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// The last of the deadlines that have passed by now, UTC milliseconds.
    pub fn last_deadline_by(&self, now: u64) -> Option<u64> {
        self.deadlines.iter().map(|(deadline, _)| *deadline).take_while(|deadline| *deadline <= now).last()
    }

    fn duty(&self, id: &TableId, now: u64) -> Option<Command> {
        let table = self.tables.get(id)?;
        match self.duty_at(table) {
            // No window is opened on a shoe that is to come out: who asks for one after another could keep it for ever.
            Some(Command::OpenBets { table: id }) if table.shoe_is_idle(now) => Some(Command::RetireShoe { table: id, reason: None }),
            duty => duty,
        }
    }

    /// What the house has to do at a table before anything else can happen there.
    pub(crate) fn duty_at(&self, table: &Table) -> Option<Command> {
        let id = || table.id.clone();
        if table.needs_recovery {
            return Some(Command::Recover { table: id() });
        }
        if table.closed || table.live_round().is_some() {
            return None;
        }
        if let Some(window) = &table.window {
            let complete = table.rules.table.close_early && window.is_complete() && window.bets.len() >= table.rules.least_players();
            return complete.then(|| Command::CloseBets { table: id(), round_no: window.round_no });
        }
        if let Some(call) = table.call() {
            return table.call_may_end_early(call).then(|| Command::CloseCall { table: id(), round_no: call.round_no });
        }
        if table.has_idle_seat() || table.is_untidy() {
            return Some(Command::TidySeats { table: id() });
        }
        if table.cash.is_some() {
            return table.wants_bets().then(|| Command::CallHand { table: id() });
        }
        if table.shoe.is_none() {
            return Some(Command::CommitShoe { table: id() });
        }
        if table.newcomer_asks() || table.shoe_is_full(table.next_seq) {
            return Some(Command::RetireShoe { table: id(), reason: None });
        }
        (table.is_shared() && table.wants_bets()).then(|| Command::OpenBets { table: id() })
    }

    /// The command for a table's next deadline.
    pub(crate) fn lapsed(&self, id: &TableId) -> Option<Command> {
        let table = self.tables.get(id)?;
        let table_id = id.clone();
        let Some(round) = table.live_round() else {
            return Some(match (&table.window, table.call()) {
                (Some(window), _) => Command::CloseBets { table: table_id, round_no: window.round_no },
                (None, Some(call)) => Command::CloseCall { table: table_id, round_no: call.round_no },
                // Where two fall together the shoe comes first, the table's end last.
                (None, None) if table.shoe_idle_at().is_some_and(|idle_at| Some(idle_at) == table.next_deadline()) => {
                    Command::RetireShoe { table: table_id, reason: None }
                }
                (None, None) if table.seats_deadline() == table.next_deadline() => Command::TidySeats { table: table_id },
                (None, None) => Command::CloseTable { table: table_id },
            });
        };
        let lapsed = match (round.phase, &round.pile) {
            (Phase::AwaitingReveals { .. }, _) => Lapsed::Reveal,
            (_, Some(_)) => Lapsed::Pile,
            (Phase::Open { settle_by: None }, None) => Lapsed::Turn,
            _ => Lapsed::Round,
        };
        Some(Command::Lapse { table: table_id, round_no: round.round_no, lapsed })
    }
}
