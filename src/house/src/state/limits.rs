//! Players' own limits (spec/limits.md): set, counted and compared with their commands.

use crate::decide::{Before, DecideError, require_credited};
use crate::limits::*;
use crate::{
    Account, Actor, Begins, Command, Entry, Event, LimitOf, LimitPeriod, MOST_NUMBER, Refusal, State,
    TournamentCommand, TournamentEvent,
};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use std::collections::BTreeMap;

/// The chips that these events take from a player, less those that they bring.
fn taken(events: &[Event], player: &PlayerId) -> i64 {
    let lines = events.iter().flat_map(|event| if let Event::Posted { lines } = event { &lines[..] } else { &[] });
    let of_player = lines.filter(|line| matches!(&line.0, Account::Player(name) if name == player));
    of_player.fold(0, |sum: i64, line| sum.saturating_sub(line.1))
}

impl State {
    /// Whether by this a player goes on playing, or begins to: a limit, or an exclusion, refuses that. A begun round
    /// goes on without it, and so does a tournament in which they have an entry: its hands take no chips from them. A
    /// seed is never refused for what comes with it: *attack: a house that shuts a player out whose seed it holds, so
    /// that it need not take it, and the hand is void.* The commitment that comes with it is passed over at the call.
    fn is_play(&self, command: &Command) -> bool {
        match command {
            // With 0 it takes an earlier request back.
            Command::AddChips { amount, .. } => *amount > Chips::ZERO,
            Command::Tournament(TournamentCommand::BuyStake { .. }) => true,
            Command::CommitHandSeed { table, .. } => self.tables.get(table).is_none_or(|table| table.event.is_none()),
            Command::Reveal { .. } => false,
            _ => command.facts().begins == Begins::Play,
        }
    }

    /// The limits of a player in force at a time (UTC milliseconds), ascending.
    pub fn limits_at(&self, player: &PlayerId, time: u64) -> Vec<PlayerLimit> {
        self.limits.part(player, time).limits
    }

    /// The end of a player's exclusion that runs at a time, both UTC milliseconds.
    pub fn excluded_until(&self, player: &PlayerId, time: u64) -> Option<u64> {
        self.limits.part(player, time).excluded
    }

    /// `set_limit` and `exclude`.
    pub(crate) fn decide_limits(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
    ) -> Result<(Before, Vec<Event>), DecideError> {
        let (player, event) = match command {
            Command::SetLimit { player, of, per, most } => {
                (player, self.set_limit(time, by, player, (*of, *per), *most))
            }
            Command::Exclude { player, until } => (player, self.exclude(time, player, *until)),
            _ => return Err(DecideError::Broken("this command sets no limit".into())),
        };
        match by {
            Actor::Operator if self.ledger.player(player).is_none() => {
                return Err(Refusal::UnknownPlayer(player.clone()).into());
            }
            Actor::Operator => {}
            _ if self.is_player(by).as_ref() == Some(player) => {}
            _ => return Err(Refusal::NotAllowed("the operator sets limits, and players their own").into()),
        }
        require_credited(player)?;
        Ok((vec![], vec![event?]))
    }

    fn set_limit(
        &self,
        time: u64,
        by: &Actor,
        player: &PlayerId,
        (of, per): (LimitOf, LimitPeriod),
        most: Option<u64>,
    ) -> Result<Event, Refusal> {
        if most.is_some_and(|most| most > MOST_NUMBER) {
            return Err(Refusal::Malformed("a limit is at most 9007199254740991"));
        }
        let stands = self.limits.at(player, time).and_then(|allowed| allowed.limits.get(&(of, per)).copied());
        let set = |from| Event::LimitSet { player: player.clone(), of, per, most, from };
        let Some(stands) = stands else {
            let nothing = Refusal::NothingToDo("there is no such limit");
            return most.is_some().then(|| set(None)).ok_or(nothing);
        };
        if most.is_some_and(|most| most <= stands.most) {
            return match most == Some(stands.most) && stands.waiting.is_none() {
                true => Err(Refusal::NothingToDo("this is the limit already")),
                false => Ok(set(None)),
            };
        }
        if stands.waiting.is_some_and(|waiting| waiting.most == most) {
            return Err(Refusal::NothingToDo("this change of the limit waits already"));
        }
        // *Attack: an operator who lifts the limits of a player, and plays in their name.*
        if *by == Actor::Operator {
            self.require_withdrawer(time, by, player)?;
        }
        Ok(set(Some(time.saturating_add(LIMIT_DELAY_MS))))
    }

    fn exclude(&self, time: u64, player: &PlayerId, until: u64) -> Result<Event, Refusal> {
        if until <= time || until - time > MOST_EXCLUDED_MS {
            return Err(Refusal::Malformed("an exclusion ends after now, and within 3650 days"));
        }
        let runs = self.limits.at(player, time).map_or(0, |allowed| allowed.excluded);
        if until <= runs {
            return Err(Refusal::NothingToDo(
                "they are shut out until then already, and an exclusion is never shortened",
            ));
        }
        Ok(Event::Excluded { player: player.clone(), until })
    }

    /// Whether a player may be dealt into a hand at a time, so far as they allow themselves.
    pub(crate) fn may_play_on(&self, player: &PlayerId, time: u64) -> bool {
        self.limits.at(player, time).is_none_or(|allowed| allowed.excluded == 0 && allowed.spent_time().is_none())
    }

    /// Refuses what a player's limits forbid before anything is known of what it would do. In a bundle no limits are
    /// known, and nothing is refused for them.
    pub(crate) fn require_allowed(&self, time: u64, by: &Actor, command: &Command) -> Result<(), Refusal> {
        let (player, counts) = match (by, command) {
            (_, Command::Credit { player, amount, .. }) => (player, Some((LimitOf::Deposit, amount.signed()))),
            (_, Command::WalletDeposit { player, .. }) => (player, None),
            (Actor::Player(player), _) if self.is_play(command) => (player, None),
            _ => return Ok(()),
        };
        let Some(allowed) = self.limits.at(player, time) else { return Ok(()) };
        if allowed.excluded > 0 {
            return Err(Refusal::Excluded { until: allowed.excluded });
        }
        if self.is_play(command)
            && let Some(limit) = allowed.spent_time()
        {
            return Err(limit.refusal());
        }
        let passed = counts.and_then(|(of, more)| allowed.of(of).find(|limit| limit.is_passed_by(more)));
        passed.map_or(Ok(()), |limit| Err(limit.refusal()))
    }

    /// Refuses a stake that could be lost beyond a limit.
    pub(crate) fn require_affordable_loss(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
        events: &[Event],
    ) -> Result<(), Refusal> {
        let Actor::Player(player) = by else { return Ok(()) };
        if !self.is_play(command) {
            return Ok(());
        }
        let Some(allowed) = self.limits.at(player, time) else { return Ok(()) };
        let more = taken(events, player).max(self.to_be_taken(command, events));
        match allowed.of(LimitOf::Loss).find(|limit| limit.is_passed_by(more)) {
            Some(limit) if more > 0 => Err(limit.refusal()),
            _ => Ok(()),
        }
    }

    /// Chips that a command takes from its player later, when the hand is over: no posting shows them yet.
    fn to_be_taken(&self, command: &Command, events: &[Event]) -> i64 {
        if let Command::AddChips { amount, .. } = command {
            return amount.signed();
        }
        let noted = events.iter().find_map(|event| match event {
            Event::Tournament(event) => match event.as_ref() {
                TournamentEvent::Noted { what, .. } => Some(*what),
                _ => None,
            },
            _ => None,
        });
        let event = command.table().and_then(|event| self.tournaments.get(event));
        let price = event.zip(noted).and_then(|(event, what)| event.price_of(what)).unwrap_or_default();
        i64::try_from(price).unwrap_or(i64::MAX)
    }

    /// Folds in what an entry sets, and counts it for those whose limits it concerns.
    pub(crate) fn note_limits(&mut self, entry: &Entry) {
        let time = entry.time;
        if let Command::Credit { player, amount, .. } = &entry.command
            && self.limits.0.contains_key(player)
        {
            self.limits.change(player, time, |allowed| allowed.count(LimitOf::Deposit, amount.signed()));
        }
        if entry.at.is_some() && !self.limits.0.is_empty() {
            self.count_play(entry);
        }
        for event in &entry.events {
            match event {
                Event::LimitSet { player, of, per, most, from } => {
                    self.limits.change(player, time, |allowed| allowed.set(time, (*of, *per), *most, *from));
                }
                Event::Excluded { player, until } => {
                    self.limits.change(player, time, |allowed| allowed.excluded = *until);
                }
                _ => {}
            }
        }
    }

    fn count_play(&mut self, entry: &Entry) {
        let mut moved: BTreeMap<&PlayerId, i64> = BTreeMap::new();
        for event in &entry.events {
            let Event::Posted { lines } = event else { continue };
            for line in lines {
                if let Account::Player(player) = &line.0 {
                    let sum = moved.entry(player).or_default();
                    *sum = sum.saturating_sub(line.1);
                }
            }
        }
        for (player, taken) in moved {
            if self.limits.0.contains_key(player) {
                self.limits.change(player, entry.time, |allowed| allowed.count(LimitOf::Loss, taken));
            }
        }
        if let Actor::Player(player) = &entry.by
            && self.limits.0.contains_key(player)
        {
            self.limits.change(player, entry.time, |allowed| {
                let gap = allowed.played.map_or(0, |played| entry.time.saturating_sub(played));
                allowed.count(LimitOf::PlayTime, i64::try_from(gap).unwrap_or(MOST_COUNT));
                let is_timed = allowed.of(LimitOf::PlayTime).next().is_some();
                allowed.played = is_timed.then_some(entry.time);
            });
        }
    }
}
