//! The operator's decisions in an event, each with its cause (spec/games/tournaments.md, 4.5, 7.6, 9.5).

use super::{EventPending, broken};
use crate::decide::{DecideError, require};
use crate::tournament::{DropCause, Note, Noted, Stage, StandCause, TournamentEvent};
use crate::{Actor, Reference, Refusal};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::prize::{in_cash, may_substitute};
use fairshoe_tournament::structure::Payouts;

/// How often an event is postponed at most.
const MOST_POSTPONED: usize = 3;

/// How long after the start that was announced an event starts at most: a week.
const POSTPONED_MS: u64 = 604_800_000;

impl EventPending<'_> {
    /// A player is out for what they did: the place of one eliminated now, and nothing for it (R001.107).
    pub(super) fn disqualify(&mut self, by: &Actor, player: &PlayerId, reason: &Reference) -> Result<(), DecideError> {
        require(by, &Actor::Operator, "the operator disqualifies")?;
        let (entry_no, _) = self.own_entry(player)?;
        let event = self.event;
        if event.stage != Stage::Running || event.is_over() || event.remaining <= 1 {
            return Err(Refusal::NotAllowed("players are disqualified while the event is played").into());
        }
        if matches!(event.noted.get(&entry_no), Some(Note::Disqualification(_))) {
            return Err(
                Refusal::NothingToDo("that is noted already, and done when their hand, or draw, is over").into()
            );
        }
        if !event.can_disqualify(entry_no) {
            let (what, reason) = (Noted::Disqualification, Some(reason.clone()));
            self.push(TournamentEvent::Noted { entry_no, what, reason });
            return Ok(());
        }
        self.push_disqualified(entry_no, reason.clone())
    }

    /// Carries out a disqualification noted in a hand or a draw; but the last player left has won.
    pub(super) fn carry_disqualification_out(
        &mut self,
        entry_no: EntryNo,
        reason: Reference,
    ) -> Result<(), DecideError> {
        let entry = self.entry(entry_no)?;
        if entry.is_in_play() && (self.event.is_over() || self.event.remaining <= 1) {
            let (what, why) = (Noted::Disqualification, DropCause::Over);
            self.push(TournamentEvent::NoteDropped { entry_no, what, why });
            return Ok(());
        }
        self.push_disqualified(entry_no, reason)
    }

    fn push_disqualified(&mut self, entry_no: EntryNo, reason: Reference) -> Result<(), DecideError> {
        let event = self.event;
        self.push(TournamentEvent::PlayerDisqualified { entry_no, reason });
        // The proposal counted with them, and nobody else can say yes for them.
        match event.clock.stands {
            Some((_, StandCause::Deal)) => self.no_deal(),
            _ => Ok(()),
        }
    }

    /// Something else is offered for a prize (R001.108); or a player who is left takes it if the place becomes theirs.
    pub(super) fn substitute_prize(
        &mut self,
        by: &Actor,
        place: u64,
        what: &Reference,
        value: u64,
    ) -> Result<(), DecideError> {
        if matches!(by, Actor::Player(_)) {
            return self.accept_substitute(by, place, what, value);
        }
        require(by, &Actor::Operator, "the operator offers substitutes, and players who are left accept them")?;
        let event = self.event;
        if event.pool.is_none() {
            return Err(Refusal::NotAllowed("prizes are substituted when they are final").into());
        }
        let table = event.prizes().map_err(broken)?;
        let seat_value = match &event.structure().payouts {
            Payouts::Satellite(terms) => terms.value(),
            Payouts::Rows(_) => 0,
        };
        let prize = in_cash(&table, place, seat_value).map_err(broken)?;
        let is_paid = event
            .entries
            .iter()
            .any(|(_, entry)| entry.is_paid && entry.rank.is_some_and(|(first, last)| (first..=last).contains(&place)));
        if prize == 0 || is_paid || event.substitutes.contains_key(&place) {
            return Err(Refusal::NotAllowed("that place has no prize that is still to be paid").into());
        }
        if Chips::new(value).is_none() {
            return Err(Refusal::Malformed("a value is at most 9007199254740991 cents").into());
        }
        if !may_substitute(prize, value) {
            return Err(Refusal::NotAllowed("a substitute is worth at least the prize").into());
        }
        self.push(TournamentEvent::PrizeSubstituted { place, what: what.clone(), value });
        Ok(())
    }

    fn accept_substitute(&mut self, by: &Actor, place: u64, what: &Reference, value: u64) -> Result<(), DecideError> {
        let player = self.player(by)?;
        let (entry_no, _) = self.own_entry(&player)?;
        let event = self.event;
        // The substitute is named in full: whoever signs that has signed the worth.
        let offered = event.substitutes.get(&place).filter(|offered| offered.what == *what && offered.value == value);
        let Some(offered) = offered else {
            return Err(Refusal::NotAllowed("no such substitute is offered for that place").into());
        };
        if offered.accepted.contains(&entry_no) {
            return Err(Refusal::NothingToDo("you have accepted it").into());
        }
        let own = event.entrants.get(&player).into_iter().flat_map(|entrant| &entrant.entries);
        if own.into_iter().any(|entry_no| event.sellers.contains(entry_no)) {
            return Err(Refusal::NotAllowed("others have bought parts of what you win").into());
        }
        self.push(TournamentEvent::SubstituteAccepted { entry_no, place });
        Ok(())
    }

    /// Other times of registration, from now on (R001.100).
    pub(super) fn change_registration(
        &mut self,
        by: &Actor,
        late_levels: u16,
        unregister_ms: Option<u64>,
    ) -> Result<(), DecideError> {
        require(by, &Actor::Operator, "the operator changes the times of registration")?;
        let event = self.event;
        if event.registration_ended.is_some() || !matches!(event.stage, Stage::Registering | Stage::Running) {
            return Err(Refusal::RegistrationClosed("registration has ended").into());
        }
        if (late_levels, unregister_ms) == (event.late_levels, event.unregister_ms) {
            return Err(Refusal::NothingToDo("these are the times in force").into());
        }
        let changed = fairshoe_tournament::Structure { unregister_ms, ..event.scheduled(late_levels).into_owned() };
        changed.validate().map_err(|error| Refusal::Structure(error.to_string()))?;
        self.push(TournamentEvent::RegistrationChanged { late_levels, unregister_ms });
        Ok(())
    }

    /// A later start.
    pub(super) fn postpone(&mut self, by: &Actor, starts_at: u64) -> Result<(), DecideError> {
        require(by, &Actor::Operator, "the operator postpones events")?;
        if self.event.stage != Stage::Registering {
            return Err(Refusal::NotAllowed("the event has started").into());
        }
        if self.event.earlier_starts.len() >= MOST_POSTPONED {
            return Err(Refusal::NotAllowed("an event is postponed three times at most").into());
        }
        let announced = self.event.earlier_starts.first().unwrap_or(&self.event.starts_at);
        if starts_at <= self.event.starts_at || starts_at > announced.saturating_add(POSTPONED_MS) {
            return Err(Refusal::Malformed(
                "the new start is after the old one, and at most a week after the one that was announced",
            )
            .into());
        }
        self.push(TournamentEvent::Postponed { starts_at });
        Ok(())
    }
}
