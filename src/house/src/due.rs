use crate::{Actor, Command, Lapsed, Phase, State};
use fairshoe_fairness::TableId;

impl State {
    /// What the house has to do by itself now, first things first: recoveries and shoes, then lapsed deadlines.
    /// `None` when nothing is due at `now` (UTC milliseconds).
    pub fn due(&self, now: u64) -> Option<(Actor, Command)> {
        let duty = self.duties.first().and_then(|id| self.duty(id));
        let lapsed = || self.deadlines.first().filter(|(deadline, _)| *deadline <= now).and_then(|(_, id)| self.lapsed(id));
        duty.or_else(lapsed).map(|command| (Actor::House, command))
    }

    /// When the next deadline passes, UTC milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    fn duty(&self, id: &TableId) -> Option<Command> {
        let table = self.tables.get(id)?;
        Some(if table.needs_recovery { Command::Recover { table: id.clone() } } else { Command::CommitShoe { table: id.clone() } })
    }

    fn lapsed(&self, id: &TableId) -> Option<Command> {
        let table = self.tables.get(id)?;
        let table_id = id.clone();
        Some(match table.live_round().map(|round| (round.round_no, round.phase)) {
            Some((round_no, Phase::AwaitingReveals { .. })) => Command::Lapse { table: table_id, round_no, lapsed: Lapsed::Reveal },
            Some((round_no, _)) => Command::Lapse { table: table_id, round_no, lapsed: Lapsed::Round },
            None => Command::CloseTable { table: table_id },
        })
    }
}
