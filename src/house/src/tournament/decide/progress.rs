//! From the announcement to the end: start, levels, hand-for-hand, registration, the clock after a crash
//! (spec/games/tournaments.md, 4, 5, 7; refunds.md, 1).

use super::{EventPending, broken, signed};
use crate::decide::{Before, DecideError, require};
use crate::tournament::{
    CancelCause, LONGEST_NAME, StandCause, Tournament, TournamentCommand as C, TournamentEvent, table_rules,
};
use crate::{Account, Actor, Dealer, Event, Refusal, State};
use fairshoe_fairness::{TableContext, TableId};
use fairshoe_games::RuleSet;
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{BountyOn, Payouts};

impl State {
    /// A new event: by the operator.
    pub(crate) fn decide_create_tournament(
        &self,
        dealer: &dyn Dealer,
        time: u64,
        by: &Actor,
        command: &C,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        require(by, &Actor::Operator, "the operator announces events")?;
        let C::Create { event, structure, rules, starts_at, registration_from } = command else {
            return Err(Refusal::UnknownEvent(command.event().clone()).into());
        };
        self.require_new_name(event)?;
        structure.validate().map_err(|error| Refusal::Structure(error.to_string()))?;
        rules.validate().map_err(Refusal::from)?;
        if rules.name != structure.rules.name || rules.digest() != structure.rules.digest {
            return Err(Refusal::Structure("the rule set is not the one that the structure names".into()).into());
        }
        let of_tables = (1..=structure.levels.len()).map(|level| u16::try_from(level).unwrap_or(u16::MAX));
        for level in of_tables {
            let of_level = table_rules(structure, rules, level)
                .ok_or_else(|| Refusal::Structure("its rule set is not poker".into()))?;
            of_level.validate().map_err(Refusal::from)?;
        }
        if *starts_at <= time || registration_from > starts_at || *starts_at > crate::LAST_TIME {
            return Err(Refusal::Malformed("an event starts ahead, and not before registration begins").into());
        }
        self.require_target(structure)?;
        let context = self.context(event).map_err(|error| DecideError::Broken(error.to_string()))?;
        let TableContext { epoch, .. } = context;
        let created = TournamentEvent::Created {
            digest: structure.digest(),
            structure: structure.clone(),
            rules: rules.clone(),
            starts_at: *starts_at,
            registration_from: *registration_from,
            epoch,
            tip: dealer.draw_tip(&context)?,
        };
        Ok((Vec::new(), vec![Event::Tournament(Box::new(created))]))
    }

    /// No table and no event has, or had, this name, nor one that the event's tables will need (1.1).
    fn require_new_name(&self, event: &TableId) -> Result<(), Refusal> {
        if self.used_tables.contains_key(event) || self.tournaments.get(event).is_some() {
            return Err(Refusal::TableExists(event.clone()));
        }
        if event.as_str().len() > LONGEST_NAME {
            return Err(Refusal::Malformed("an event's name has at most 56 characters"));
        }
        if is_of_event(event) {
            return Err(Refusal::Malformed("a name that ends in a dot and a number is that of an event's table"));
        }
        Ok(())
    }

    /// A satellite's target is there, and its entry costs what the structure says.
    fn require_target(&self, structure: &Structure) -> Result<(), DecideError> {
        let Payouts::Satellite(terms) = &structure.payouts else { return Ok(()) };
        let target = TableId::parse(&terms.target).ok().and_then(|target| self.tournaments.get(&target));
        let target = target.ok_or_else(|| Refusal::Structure("there is no such target".into()))?;
        let entry = &target.structure().entry;
        // If some have no bounty, an entry has two prices, but a ticket one worth.
        let one_price = target.structure().bounty_on == BountyOn::All;
        let costs = terms.buy_in == entry.buy_in.saturating_add(entry.bounty) && terms.fee == entry.fee;
        if !one_price || !costs || matches!(target.stage, super::super::Stage::Cancelled | super::super::Stage::Ended) {
            return Err(Refusal::Structure("an entry of the target costs something else, or it is over".into()).into());
        }
        Ok(())
    }
}

/// Whether a name is one that an event's table could have.
pub(crate) fn is_of_event(name: &TableId) -> bool {
    let decimal = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    name.as_str().rsplit_once('.').is_some_and(|(_, number)| decimal(number))
}

impl EventPending<'_> {
    fn name(&self) -> TableId {
        self.event.name().clone()
    }

    /// The start; with too few players the event is off (4.10).
    pub(super) fn start(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house starts events")?;
        if self.event.stage != crate::tournament::Stage::Registering {
            return Err(Refusal::NothingToDo("the event has started").into());
        }
        if self.time < self.event.starts_at {
            return Err(Refusal::DeadlineAhead(self.event.starts_at).into());
        }
        // Down when it was to start, and for too long since (refunds.md, 1.2).
        let end = self.event.starts_at.saturating_add(self.event.structure().cancel_after_ms);
        if self.state.started >= self.event.starts_at && self.time >= end {
            return self.cancel(by, CancelCause::Crash, self.time, None);
        }
        if self.event.players < self.event.structure().entry.players_min {
            return self.cancel(by, CancelCause::TooFewPlayers, self.time, None);
        }
        self.push(TournamentEvent::Started { players: self.event.players });
        Ok(())
    }

    /// The clock comes to what its running time says.
    pub(super) fn next_level(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house moves the clock")?;
        let position = self.event.position(self.time).filter(|_| self.event.clock.stands.is_none());
        let position = position.ok_or(Refusal::NothingToDo("the clock does not run"))?;
        let clock = &self.event.clock;
        let (level, in_break) = (clock.level, clock.in_break);
        if (position.level, position.in_break) == (level, in_break) {
            let next = clock.next_change.unwrap_or(self.time);
            return Err(Refusal::DeadlineAhead(next).into());
        }
        if in_break && !position.in_break {
            self.push(TournamentEvent::BreakEnded {});
        }
        if position.level != level {
            self.push(TournamentEvent::LevelBegun { level: position.level });
        }
        if position.in_break && !in_break {
            let until = self.time.saturating_add(position.to_break.unwrap_or_default());
            self.push(TournamentEvent::BreakBegun { until });
        }
        Ok(())
    }

    /// A round of hand-for-hand begins, or it ends (7.4).
    pub(super) fn next_round(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::NextRound { event: self.name() })?;
        let before = self.event.hand_for_hand.as_ref().map_or(0, |round| round.round);
        let round = if self.event.wants_hand_for_hand() { before.saturating_add(1) } else { 0 };
        self.push(TournamentEvent::HandForHand { round });
        Ok(())
    }

    /// Nobody enters any more, or all that is bought was bought: the pool is final (4.7, 4.9).
    pub(super) fn end_registration(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::EndRegistration { event: self.name() })?;
        let event = self.event;
        let now = event.last_used;
        let closed = event.closed(now).map_err(broken)?;
        let places = event.places().map_err(broken)?;
        if event.registration_ended.is_none() {
            let cause = closed.ok_or(Refusal::NothingToDo("players may still register"))?;
            self.push(TournamentEvent::RegistrationEnded { cause, entries: event.sold.entries, places });
            return Ok(());
        }
        let pool = event.pool_now().map_err(broken)?;
        self.push(TournamentEvent::PoolFinal { pool: pool.pool, overlay: pool.overlay });
        self.post(vec![(Account::House, -signed(pool.overlay)), (self.pool(), signed(pool.overlay))])
    }

    /// Play goes on after a crash.
    pub(super) fn start_clock(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house starts the clock")?;
        let Some((since, StandCause::Crash)) = self.event.clock.stands else {
            return Err(Refusal::NothingToDo("the clock does not stand for a crash").into());
        };
        let end = since.saturating_add(self.event.structure().cancel_after_ms);
        if self.event.is_crash_over(self.time).is_some() {
            return Err(Refusal::DeadlinePassed(end).into());
        }
        self.push(TournamentEvent::ClockStarted { cause: StandCause::Crash });
        Ok(())
    }

    /// Nothing is left to be done: stakes are divided, tickets come back, fees are the house's, and what was cut off has
    /// its account.
    pub(super) fn end(&mut self, by: &Actor) -> Result<(), DecideError> {
        self.require_duty(by, &C::End { event: self.name() })?;
        if let Some(divided) = self.undivided() {
            return self.divide(divided);
        }
        if self.return_tickets()? {
            return Ok(());
        }
        let pool = u64::try_from(self.balance(&self.pool())).unwrap_or_default();
        let fees = self.balance(&self.fees());
        let residual = pool;
        self.push(TournamentEvent::Ended { residual });
        self.post(vec![
            (self.pool(), -signed(residual)),
            (Account::RoundingResidual, signed(residual)),
            (self.fees(), fees.saturating_neg()),
            (Account::House, fees),
        ])
    }
}

impl Tournament {
    /// Whether somebody can still register and pay for it.
    pub(crate) fn takes_entries(&self, now: u64) -> bool {
        !matches!(self.stage, super::super::Stage::Cancelled | super::super::Stage::Ended)
            && self.closed(now).is_ok_and(|closed| closed.is_none())
    }

    /// The rule set of its tables.
    pub fn table_rules(&self) -> &RuleSet {
        &self.terms.table_rules
    }
}
