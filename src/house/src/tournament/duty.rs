//! The house's duties in an event, and when they are due (spec/games/tournaments.md, "Commands", "by house"). Every
//! step is a rule's: whether it is due follows from the event alone.

use super::StandCause;
use super::{SetSeat, Stage, Tournament, TournamentCommand as C, blinds};
use crate::{Command, Event};
use fairshoe_fairness::TableId;
use fairshoe_games::Chips;
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::clock::extra_time;
use fairshoe_tournament::entry;
use fairshoe_tournament::seating::Due;

/// So many hands without a seed post what any other does.
pub(crate) const UNDOUBLED: u64 = 16;

/// Doubled so many times a post of one chip is more than an event can hold.
pub(crate) const MOST_DOUBLED: u64 = 53;

impl Tournament {
    fn named(&self) -> TableId {
        self.context.table.clone()
    }

    /// The house's duty before anything else can happen.
    pub(crate) fn duty(&self) -> Option<Command> {
        let command = match self.stage {
            Stage::Registering | Stage::Ended => None,
            Stage::Cancelled => {
                // Tables with a hand in progress, too: it is void.
                if let Some(number) = self.tables.open.first() {
                    return Some(Command::CloseTable { table: self.table_name(*number)? });
                }
                let is_paid = self.refunds.is_empty();
                let event = self.named();
                Some(if is_paid { C::End { event } } else { C::PayRefunds { event } })
            }
            Stage::Running => return self.running_duty(),
        };
        command.map(|command| self.command(command))
    }

    fn command(&self, command: C) -> Command {
        Command::Tournament(command)
    }

    fn running_duty(&self) -> Option<Command> {
        let event = || self.named();
        let one = |command: C| Some(Command::Tournament(command));
        if !self.tables.unrecovered.is_empty() {
            return None;
        }
        if matches!(self.clock.stands, Some((_, StandCause::Crash))) {
            return one(C::StartClock { event: event() });
        }
        // Requests made in a hand come before the hand's result, a disqualification after it.
        let carry_out = |entry_no| one(C::CarryOut { event: event(), entry_no });
        if let Some(entry_no) = self.to_be_bought() {
            return carry_out(entry_no);
        }
        if let Some(table) = self.to_be_settled() {
            return one(C::SettleHand { event: event(), table });
        }
        if let Some(entry_no) = self.to_be_disqualified() {
            return carry_out(entry_no);
        }
        let now = self.last_used;
        let closes = self.registration_ended.is_none() && self.closed(now).is_ok_and(|closed| closed.is_some());
        if closes || self.pool.is_none() && (self.is_over() || self.is_final(now).unwrap_or(false)) {
            return one(C::EndRegistration { event: event() });
        }
        if self.pool.is_some() && !self.unpaid.is_empty() {
            return one(C::PayPlaces { event: event() });
        }
        if self.owes_bounties() {
            return one(C::PayBounties { event: event() });
        }
        if self.is_over() {
            // Hands in progress at other tables are played out first: a table is not left open.
            let ends = || self.tables.open.is_empty().then(|| self.command(C::End { event: event() }));
            return self.closing().or_else(ends);
        }
        if self.clock.stands.is_some() {
            return None;
        }
        if self.is_round_due() {
            return one(C::NextRound { event: event() });
        }
        if let Some(open) = &self.draws.open {
            if open.awaited.is_empty() && self.draws.frozen.is_some() {
                return one(C::DrawSeats { event: event(), draw_no: self.draws.next });
            }
        } else if self.due_draw().is_some() {
            return one(C::CallDraw { event: event() });
        }
        let due = self.seating_due();
        if let Some(Due::Move(moved)) = due
            && self.is_idle(moved.from.0)
        {
            return one(C::MovePlayer { event: event() });
        }
        self.tables_duty(due)
    }

    /// Tables that are to be opened, closed, put in order, and hands to be called.
    fn tables_duty(&self, due: Option<Due>) -> Option<Command> {
        if let Some(number) = self.shape().to_open.first() {
            let table = self.table_name(*number)?;
            let rules = Box::new(self.terms.table_rules.clone());
            return Some(Command::OpenEventTable { table, rules });
        }
        if let Some(number) = self.shape().to_close.iter().find(|number| self.is_idle(**number)) {
            return Some(Command::CloseTable { table: self.table_name(*number)? });
        }
        // A table whose seats are to change plays no hand before that.
        let held = match due {
            Some(Due::Break(number)) => Some(number),
            Some(Due::Move(moved)) => Some(moved.from.0),
            None => None,
        };
        let waits = self.clock.in_break || self.is_hand_for_hand_ahead();
        for (_, number) in &self.tables.idle {
            if [held, self.fixed_table()].contains(&Some(*number))
                || !self.is_idle(*number)
                || !self.field.0.tables.contains_key(number)
            {
                continue;
            }
            if self.tables.dirty.contains(number) {
                return Some(Command::SetSeats { table: self.table_name(*number)? });
            }
            if !waits && self.may_call(*number) && self.pauses_until(*number) <= self.last_used {
                return Some(Command::CallHand { table: self.table_name(*number)? });
            }
        }
        None
    }

    /// Whether a table of these seats may be called its next hand, the event going on.
    fn may_call(&self, number: u16) -> bool {
        let with_chips = self.field.0.tables.get(&number).map_or(0, |table| {
            let has_chips = |entry_no| self.entries.get(entry_no).is_some_and(|entry| entry.chips > 0);
            table.players.values().filter(|entry_no| has_chips(entry_no)).count()
        });
        let played = self.hand_for_hand.as_ref().is_some_and(|round| round.played.contains(&number));
        with_chips >= 2 && !played
    }

    /// Whether the clock has come to another level or break, and the house has not said so.
    fn is_clock_behind(&self, now: u64) -> bool {
        self.stage == Stage::Running && self.clock.next_change.is_some_and(|at| at <= now)
    }

    /// The house's duty at a time: no hand is called before the level, or the break, that has come.
    pub(crate) fn duty_at(&self, now: u64) -> Option<Command> {
        match self.duty() {
            // Play does not go on after so long: the event is cancelled (refunds.md, 1).
            Some(Command::Tournament(C::StartClock { .. })) if self.next_deadline().is_some_and(|at| at <= now) => {
                self.lapsed()
            }
            duty => self.with_its_level(duty, now),
        }
    }

    /// The command for a deadline that has passed by now.
    pub(crate) fn lapsed_at(&self, now: u64) -> Option<Command> {
        self.with_its_level(self.lapsed(), now)
    }

    /// A level that has come is said before the hand that is played at it is called, however late the house is.
    fn with_its_level(&self, command: Option<Command>, now: u64) -> Option<Command> {
        match command {
            Some(Command::CallHand { .. }) if self.is_clock_behind(now) => {
                Some(self.command(C::NextLevel { event: self.named() }))
            }
            command => command,
        }
    }

    /// Whether a hand may be called at a table now: it is what the house has to do there.
    pub(crate) fn is_call_due(&self, table: &TableId, now: u64) -> bool {
        let (Some(number), Some(held)) = (self.number_of(table), self.held()) else { return false };
        self.is_callable(number, held) && !self.is_clock_behind(now) && self.pauses_until(number) <= now
    }

    /// The tables that call no hand before their seats have changed; `None` where no table calls one.
    fn held(&self) -> Option<[Option<u16>; 2]> {
        let due = self.seating_due();
        let held = match due {
            Some(Due::Break(number)) => Some(number),
            Some(Due::Move(moved)) => Some(moved.from.0),
            None => None,
        };
        let stands = self.stage != Stage::Running
            || self.clock.stands.is_some()
            || self.clock.in_break
            || !self.tables.unrecovered.is_empty()
            || self.is_over()
            || self.is_hand_for_hand_ahead()
            // A draw that is due is called first: the house does not play on as long as it likes the seats.
            || self.draws.open.is_none() && self.due_draw().is_some();
        (!stands).then(|| [held, self.fixed_table()])
    }

    /// Whether a table is to be called its next hand, were it not for the clock and the pause.
    fn is_callable(&self, number: u16, held: [Option<u16>; 2]) -> bool {
        !held.contains(&Some(number))
            && self.is_idle(number)
            && self.field.0.tables.contains_key(&number)
            && !self.tables.dirty.contains(&number)
            && self.may_call(number)
    }

    /// The time until which a table between hands calls none, so that people see how the last one ended.
    fn pauses_until(&self, number: u16) -> u64 {
        let since = self.tables.calls.get(&number).and_then(|calls| calls.idle_since).unwrap_or_default();
        since.saturating_add(self.structure().clocks.between_hands_ms.unwrap_or_default())
    }

    /// When the first pause ends after which a hand is to be called, and where.
    fn pause_ends(&self) -> Option<(u64, Command)> {
        self.structure().clocks.between_hands_ms.filter(|ms| *ms > 0)?;
        let held = self.held()?;
        let paused = |number: &u16| self.pauses_until(*number) > self.last_used && self.is_callable(*number, held);
        let number = self.tables.idle.iter().map(|(_, number)| *number).find(paused)?;
        Some((self.pauses_until(number), Command::CallHand { table: self.table_name(number)? }))
    }

    /// The seats to set at a table before its next hand, if any changed.
    pub(crate) fn seats_to_set(&self, table: &TableId) -> Option<Event> {
        let number = self.number_of(table).filter(|number| self.tables.dirty.contains(number))?;
        if !self.is_idle(number) || self.stage != Stage::Running || !self.tables.unrecovered.is_empty() {
            return None;
        }
        let here = self.field.0.tables.get(&number)?;
        let seat = |(seat, entry_no): (&u8, &EntryNo)| {
            let entry = self.entries.get(entry_no)?;
            let stack = Chips::new(entry.chips)?;
            let (player, bank_ms, cut_off) = (entry.player.clone(), entry.bank_ms, entry.cut_off);
            Some(SetSeat { seat: *seat, player, stack, bank_ms, cut_off })
        };
        let level = self.structure().levels.get(usize::from(self.clock.level).checked_sub(1)?)?;
        Some(Event::SetSeats {
            level: self.clock.level,
            blinds: blinds(level),
            button: here.first_button,
            doubled: self.doubled(number),
            late_extra_ms: self.late_extra_ms(),
            seats: here.players.iter().map(seat).collect::<Option<_>>()?,
        })
    }

    /// Milliseconds more for who was cut off, as of now (R001.104).
    pub(crate) fn late_extra_ms(&self) -> u64 {
        extra_time(self.structure(), self.remaining, false)
    }

    /// How many times what the next hand at a table posts is doubled if nobody commits to it (6.8).
    pub(crate) fn doubled(&self, number: u16) -> u64 {
        self.tables.calls.get(&number).map_or(0, |calls| calls.unseeded.saturating_sub(UNDOUBLED - 1).min(MOST_DOUBLED))
    }

    /// The event is over: its tables are closed.
    fn closing(&self) -> Option<Command> {
        let number = self.tables.open.iter().find(|number| self.is_idle(**number))?;
        Some(Command::CloseTable { table: self.table_name(*number)? })
    }

    /// Whether a table is to be closed by the house.
    pub(crate) fn is_closing(&self, table: &TableId) -> bool {
        let over = matches!(self.stage, Stage::Cancelled | Stage::Ended) || self.is_over();
        self.number_of(table).is_some_and(|number| over || !self.field.0.tables.contains_key(&number))
    }

    /// The table whose last hand is to be dealt with: of a round of hand-for-hand not before all have ended.
    fn to_be_settled(&self) -> Option<u16> {
        let played = self.hand_for_hand.as_ref().is_none_or(|round| self.have_all_played(&round.played));
        let awaits = |entry_no| self.entries.get(entry_no).is_some_and(|entry| entry.rebuy_until.is_none());
        self.to_settle.iter().find(|(_, entries)| played && entries.iter().any(awaits)).map(|(number, _)| *number)
    }

    fn have_all_played(&self, played: &std::collections::BTreeSet<u16>) -> bool {
        let plays = |number: &&u16| self.could_play(**number);
        self.field.0.tables.keys().filter(plays).all(|number| played.contains(number))
    }

    /// Whether a table had two players with chips when its round began.
    pub(super) fn could_play(&self, number: u16) -> bool {
        self.field.0.tables.get(&number).is_some_and(|table| table.players.len() >= 2)
    }

    /// Whether hand-for-hand is to be played, by what stands now.
    pub(crate) fn wants_hand_for_hand(&self) -> bool {
        let tables = self.field.0.tables.len();
        let over = self.pool.is_some();
        self.itm.is_none()
            && self
                .places()
                .is_ok_and(|places| entry::hand_for_hand(self.structure(), self.remaining, places, tables, over))
    }

    /// Whether it is to begin as soon as all hands in progress have ended.
    fn is_hand_for_hand_ahead(&self) -> bool {
        self.hand_for_hand.is_none() && self.wants_hand_for_hand()
    }

    /// Whether a round of it begins, or the last one has ended.
    pub(crate) fn is_round_due(&self) -> bool {
        let (wanted, tables) = (self.wants_hand_for_hand(), &self.field.0.tables);
        // A round in which no table could play would be over at once, and the next one, without end.
        if wanted && !tables.keys().any(|number| self.could_play(*number)) {
            return false;
        }
        match &self.hand_for_hand {
            None => wanted && tables.keys().all(|number| self.is_idle(*number)),
            Some(round) => self.have_all_played(&round.played) && self.to_settle.is_empty(),
        }
    }

    /// Whether bounties are to be paid.
    pub(crate) fn owes_bounties(&self) -> bool {
        if self.hand_for_hand.is_some() {
            return false;
        }
        let of_all = self.is_over() && self.left().any(|(_, entry)| entry.bounty.head > 0 || entry.bounty.won > 0);
        of_all || self.itm.is_some() && !self.won.is_empty()
    }

    /// The break or the move that is due.
    pub(crate) fn seating_due(&self) -> Option<Due> {
        // While seats are drawn nothing else changes them but moves.
        match self.shape().due? {
            Due::Break(_) if self.draws.open.is_some() => None,
            due => Some(due),
        }
    }

    /// When something is to happen by itself, UTC milliseconds.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.deadlines().into_iter().map(|(at, _)| at).min()
    }

    /// The command for the next deadline.
    pub(crate) fn lapsed(&self) -> Option<Command> {
        let first = self.next_deadline()?;
        let (_, command) = self.deadlines().into_iter().find(|(at, _)| *at == first)?;
        Some(command)
    }

    /// Everything that has a time; of one time the first comes first.
    fn deadlines(&self) -> Vec<(u64, Command)> {
        let own = self.own_deadlines().into_iter().map(|(at, command)| (at, Command::Tournament(command)));
        own.chain(self.pause_ends()).collect()
    }

    fn own_deadlines(&self) -> Vec<(u64, C)> {
        let event = || self.named();
        let mut all = Vec::new();
        match self.stage {
            Stage::Registering => all.push((self.starts_at, C::Start { event: event() })),
            Stage::Running => {
                if let Some((since, StandCause::Crash)) = self.clock.stands {
                    // An event that is over is paid as it ended.
                    if self.is_over() {
                        return all;
                    }
                    let cause = super::CancelCause::Crash;
                    let at = since.saturating_add(self.structure().cancel_after_ms);
                    return vec![(at, C::Cancel { event: event(), cause, instant: since, reason: None })];
                }
                if let Some((until, entry_no)) = self.rebuying.first() {
                    all.push((*until, C::DeclineRebuy { event: event(), entry_no: *entry_no }));
                }
                if let Some(open) = self.draws.open.as_ref().filter(|_| self.draws.frozen.is_some()) {
                    all.push((open.reveal_by, C::DrawSeats { event: event(), draw_no: self.draws.next }));
                }
                if let Some(at) = self.deal_ends() {
                    let digest = self.deal.proposal.as_ref().map(|one| one.digest.clone()).unwrap_or_default();
                    all.push((at, C::AnswerDeal { event: event(), digest, accept: false }));
                }
                if !self.is_over() {
                    all.extend(self.clock.next_change.map(|at| (at, C::NextLevel { event: event() })));
                }
            }
            Stage::Cancelled | Stage::Ended => {}
        }
        all
    }

    /// When talk of a deal is over, UTC milliseconds.
    pub(crate) fn deal_ends(&self) -> Option<u64> {
        let answer_by = self.deal.proposal.as_ref().map(|proposal| proposal.answer_by);
        let talk_ms = self.structure().clocks.commit_ms.saturating_mul(6);
        answer_by.or(self.deal.since.map(|since| since.saturating_add(talk_ms)))
    }
}
