//! A log that ends, and one that goes on from it (spec/recovery.md, "Under a new name").

use crate::continues::*;
use crate::dealer::NoDealer;
use crate::tournament::{CancelCause, Stage, TournamentCommand};
use crate::{
    Account, Actor, Command, CommandSignature, DecideError, Entry, Event, InPlay, PlayerKey, Reference, Refusal, State,
    Table, TableSeq, is_guest,
};
use fairshoe_fairness::{Origin, PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_tlog::{Hash, PublicKey};
use std::collections::BTreeMap;

impl State {
    /// The log that this one goes on from.
    pub fn continues(&self) -> Option<&OldLog> {
        self.continues.as_ref()
    }

    pub(crate) fn decide_continue(
        &self,
        by: &Actor,
        old: &OldLog,
        signature: &CommandSignature,
    ) -> Result<Vec<Event>, DecideError> {
        crate::decide::require(by, &Actor::House, "the house goes on from another log")?;
        if self.continues.is_some() || self.ledger.player_count() > 0 || !self.used_tables.is_empty() {
            return Err(
                Refusal::NothingToDo("a log goes on from another before it has players or tables, and once").into()
            );
        }
        let origin = self.origin.as_ref().ok_or_else(|| DecideError::Broken("the dealer has not started".into()))?;
        if old.origin == *origin || old.size == 0 || old.root.parse::<Hash>().is_err() {
            return Err(Refusal::Malformed("another log's name, size and root are asked for").into());
        }
        if PublicKey::from_bytes(old.new_key.as_bytes()).is_none() {
            return Err(Refusal::Malformed("the key of the log that goes on is none").into());
        }
        if !old.is_signed(origin, signature) {
            return Err(Refusal::Malformed("the old log's key did not sign that this log goes on from it").into());
        }
        Ok(vec![Event::LogContinues {
            origin: old.origin.clone(),
            key: old.key,
            size: old.size,
            root: old.root.clone(),
            new_key: old.new_key,
        }])
    }

    /// If this log has ended, the log that goes on from it: this one takes no more entries.
    pub fn ended(&self) -> Option<&NextLog> {
        self.ended.as_ref()
    }

    pub(crate) fn require_going_on(&self) -> Result<(), Refusal> {
        match self.ended.clone() {
            Some(NextLog { origin, key }) => Err(Refusal::LogEnded { origin, key }),
            None => Ok(()),
        }
    }

    pub(crate) fn decide_end(
        &self,
        now: u64,
        by: &Actor,
        origin: &Origin,
        key: &PlayerKey,
    ) -> Result<Vec<Event>, DecideError> {
        crate::decide::require(by, &Actor::House, "the house ends its log")?;
        let next = NextLog { origin: origin.clone(), key: *key };
        self.check_next(&next).map_err(Refusal::Malformed)?;
        self.in_play(now).map_or(Ok(()), |open| Err(Refusal::LogInPlay(open)))?;
        Ok(vec![Event::LogEnded { origin: next.origin, key: next.key }])
    }

    /// The reason why the log cannot end: something in play that would never come out, or never be paid; the first by
    /// name. *Attack: a house ends its log before a shoe that it dealt from comes out, and goes on under another name.*
    pub fn in_play(&self, now: u64) -> Option<InPlay> {
        let at_table = |table: &Table| {
            let id = table.id.clone();
            if let Some(round) = table.live_round() {
                return Some(InPlay::Round { table: id, round_no: round.round_no, until: table.next_deadline() });
            }
            if let Some(shoe) = table.shoe.as_ref().filter(|_| table.shoe_use.is_some_and(|used| used.rounds > 0)) {
                return Some(InPlay::Shoe { table: id, shoe_no: shoe.id.shoe_no });
            }
            let (seeds, until) = table.late_seeds_at(now)?;
            Some(InPlay::LateSeeds { table: id, seeds, until })
        };
        let tables = self.tables.values().filter_map(at_table);
        let first = tables.min_by(|a, b| a.table().cmp(&b.table()));
        let events = || {
            let open = self.tournaments.values().filter(|event| event.stage != Stage::Ended);
            open.map(|event| event.name().clone()).min().map(InPlay::Tournament)
        };
        let operation = || self.open_wallet_operations().into_keys().next().map(InPlay::Operation);
        first.or_else(events).or_else(operation)
    }

    fn check_next(&self, NextLog { origin, key }: &NextLog) -> Result<(), &'static str> {
        match PublicKey::from_bytes(key.as_bytes()) {
            Some(_) if self.origin.as_ref() != Some(origin) => Ok(()),
            Some(_) => Err("another log's name is asked for"),
            None => Err("the key of the log that goes on is none"),
        }
    }

    /// Whether the log can have ended so.
    pub(crate) fn check_ended(&self) -> Result<(), &'static str> {
        match &self.ended {
            Some(_) if self.recovering > 0 => Err("the log has ended, and a table awaits its recovery"),
            Some(_) if self.in_play(self.last_time).is_some() => Err("the log has ended, and something is in play"),
            Some(next) => self.check_next(next),
            None => Ok(()),
        }
    }

    /// Every tournament brought to its end, as if the dealer had come back when it was too late to play on: what is over
    /// is paid as it ended, any other is cancelled as of the log's last moment.
    ///
    /// # Errors
    /// Where amounts leave the range.
    fn wind_up_events(&mut self) -> Result<(), DecideError> {
        let (ended, now) = (self.last_time, self.last_time.saturating_add(LONGEST_STOP_MS));
        let mut names: Vec<TableId> = self.tournaments.values().map(|event| event.name().clone()).collect();
        names.sort_unstable();
        for name in names {
            if let Some(event) = self.tournaments.get_mut(&name) {
                event.stand_for_good(ended);
            }
            while let Some((by, command)) = self.winding_up(&name, now) {
                self.conduct_event(&name, now, by, command)?;
            }
            if self.tournaments.get(&name).is_some_and(|event| event.stage != Stage::Ended) {
                return Err(DecideError::Broken(format!("tournament {name} does not come to its end")));
            }
        }
        Ok(())
    }

    /// The next duty in an event whose dealer is away for good, and its actor.
    fn winding_up(&self, name: &TableId, now: u64) -> Option<(Actor, TournamentCommand)> {
        let event = self.tournaments.get(name)?;
        if event.stage == Stage::Registering {
            let (cause, reason) = (CancelCause::Operator, Reference::parse(CARRIED_OVER));
            let cancel = TournamentCommand::Cancel { event: name.clone(), cause, instant: now, reason };
            return Some((Actor::Operator, cancel));
        }
        match event.duty_at(now)? {
            Command::Tournament(command) => Some((Actor::House, command)),
            _ => None,
        }
    }

    /// Decides one command of an event, and folds it in.
    fn conduct_event(
        &mut self,
        name: &TableId,
        now: u64,
        by: Actor,
        command: TournamentCommand,
    ) -> Result<(), DecideError> {
        let broken = |why: String| DecideError::Broken(why);
        let event = self.tournaments.get(name).ok_or_else(|| broken(format!("there is no tournament {name}")))?;
        let at = Some(TableSeq { table: name.clone(), seq: event.next_seq });
        let (before, events) = self.decide_tournament(&NoDealer, now, &by, event, &command)?;
        let command = Command::Tournament(command);
        let entry = Entry { v: crate::ENTRY_VERSION, time: now, by, at, before, command, signed: None, events };
        self.apply(&entry).map_err(|error| broken(error.to_string()))
    }

    /// All that is carried over if the log ends here. Rounds and windows that are open are void: by ascending name of
    /// the table, the sums that a void by the cause `crash` would move. Tournaments are wound up, and T$ are chips.
    ///
    /// # Errors
    /// Where amounts leave the range.
    pub fn carried_over(&self) -> Result<CarriedOver, DecideError> {
        let mut paid = self.clone();
        // Commands computed after the end are on no log.
        paid.ended = None;
        paid.wind_up_events()?;
        Ok(paid.carried(self))
    }

    /// With the chips that are paid by then, and keys and limits as they stood at the log's end: *attack: events are
    /// wound up a day later, and an operator's change of a key, which waits a day, would be in force.*
    fn carried(&self, end: &State) -> CarriedOver {
        let signed = |player: &PlayerId| self.funds(player).signed().saturating_add_unsigned(self.t_dollars(player));
        let mut amounts: BTreeMap<PlayerId, i64> = self
            .ledger
            .players()
            .filter(|player| !is_guest(player))
            .map(|player| (player.clone(), signed(player)))
            .collect();
        let mut tables: Vec<_> = self.tables().collect();
        tables.sort_by(|a, b| a.id.cmp(&b.id));
        for table in &tables {
            let mut give = |player: &PlayerId, amount: i64| {
                // Guests do not come along: their chips are worth nothing anywhere.
                if is_guest(player) {
                    return;
                }
                let has = amounts.entry(player.clone()).or_default();
                *has = has.saturating_add(amount).max(0);
            };
            for (number, seat) in &table.seats {
                let stack = self.ledger.balance(&Account::Seat(table.id.clone(), *number)).unwrap_or_default();
                give(&seat.player, stack);
            }
            for bet in table.window().into_iter().flat_map(|window| &window.bets) {
                give(&bet.player, bet.staked().unwrap_or_default().signed());
            }
            for contributor in table.live_round().iter().flat_map(|round| &round.contributors) {
                give(
                    &contributor.placed.player,
                    contributor.staked.signed().saturating_sub(contributor.returned.signed()),
                );
            }
        }
        // More than there can be is no credit that the new log takes.
        let chips = |amount: i64| Chips::new(amount.unsigned_abs()).unwrap_or(Chips::MAX);
        let carried = |(player, amount): (PlayerId, i64)| CarriedPlayer {
            key: end.key(&player),
            chips: chips(amount),
            limits: end.limits_at(&player, end.last_time),
            excluded: end.excluded_until(&player, end.last_time),
            player,
        };
        let players = amounts.into_iter().map(carried).collect();
        let open = tables.into_iter().filter(|table| table.owner.is_none() && table.event.is_none());
        CarriedOver { players, tables: open.map(|table| (table.id.clone(), table.rules.clone())).collect() }
    }
}
