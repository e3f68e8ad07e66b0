//! A table from its opening to its closing, shoes from commitment to the end, and what a void gives back
//! (spec/recovery.md, "Recovery of a table", "Voids"; C13, C20, C22).

use super::DecideError;
use super::pending_entry::PendingEntry;
use super::require;
use crate::guests::GUEST_TABLE_IDLE_MS;
use crate::state::IDLE_MS;
use crate::table::Table;
use crate::tournament::decide::progress::is_of_event;
use crate::{
    Account, Actor, Command, Dealer, Event, LapseCause, Phase, Refusal, RetainedWinnings, RetireCause, ShoeId, State,
    TABLES_PER_PLAYER, VoidCause, is_guest, may_open_named,
};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::{Ahead, Chips, Crash, Mode, Reshuffle, RuleSet};
use std::sync::Arc;

/// At a solo table for everyone seeds are awaited for 5 minutes at most: the one player who bets there holds it.
const PUBLIC_REVEAL_MS: u64 = 300_000;

/// The same of the round's end: 30 minutes.
const PUBLIC_ROUND_MS: u64 = 1_800_000;

impl State {
    /// A new table: the operator's is for everyone, a player's for themselves, limited and closed when idle.
    pub(super) fn decide_open_table<'s>(
        &'s self,
        dealer: &'s dyn Dealer,
        time: u64,
        by: &Actor,
        id: &TableId,
        rules: &RuleSet,
        replaces: Option<&TableId>,
    ) -> Result<PendingEntry<'s>, DecideError> {
        if is_of_event(id) {
            return Err(
                Refusal::Malformed("a name that ends in a dot and a number is that of a tournament's table").into()
            );
        }
        let owner = match by {
            Actor::Operator => None,
            _ => Some(self.is_player(by).ok_or(Refusal::NotAllowed("the operator or a player opens tables"))?),
        };
        if !may_open_named(id, owner.as_ref().filter(|owner| is_guest(owner))) {
            return Err(Refusal::Malformed("a guest's own table is named play.GUEST.NAME, and no other is").into());
        }
        if self.used_tables.contains_key(id) {
            return Err(Refusal::TableExists(id.clone()).into());
        }
        if owner.as_ref().and_then(|owner| self.owned_tables.get(owner)).is_some_and(|open| *open >= TABLES_PER_PLAYER)
        {
            return Err(Refusal::TooManyTables(TABLES_PER_PLAYER).into());
        }
        rules.validate().map_err(Refusal::from)?;
        if owner.is_some() && rules.table.mode == Mode::Shared {
            return Err(
                Refusal::NotAllowed("the operator opens shared tables; a player's own table is a solo one").into()
            );
        }
        // Without seats nobody can ask for a new shoe and be held to play it; those who played the old one could have
        // left it poor.
        let lasts = rules.table.reshuffle != Reshuffle::EveryRound && !rules.composition().is_wheel();
        if owner.is_none() && rules.table.mode == Mode::Solo && lasts {
            let why = "a solo table whose shoe lasts over rounds is a player's own, so that nobody else has played its shoe (C11)";
            return Err(Refusal::NotAllowed(why).into());
        }
        let times = &rules.table;
        let short = times.reveal_time_ms <= PUBLIC_REVEAL_MS && times.round_time_ms <= PUBLIC_ROUND_MS;
        if owner.is_none() && times.mode == Mode::Solo && !short {
            let why = "at a solo table for everyone reveal_time_ms is at most 300000 and round_time_ms 1800000; a player's own may wait for a day";
            return Err(Refusal::NotAllowed(why).into());
        }
        if let Some(replaced) = replaces {
            self.require_replaceable(replaced, owner.as_ref())?;
        }
        let idle_ms = owner.as_ref().map(|owner| if is_guest(owner) { GUEST_TABLE_IDLE_MS } else { IDLE_MS });
        let mut pending = PendingEntry::with(
            self,
            dealer,
            time,
            Table::new(id.clone(), Arc::new(rules.clone()), owner.clone(), idle_ms),
        );
        let replaces = replaces.cloned();
        pending.events.push(Event::TableOpened {
            rules: rules.clone(),
            digest: rules.digest(),
            owner,
            idle_ms,
            replaces,
            event: None,
        });
        Ok(pending)
    }

    /// A table of a tournament at which seats were drawn.
    pub(super) fn decide_open_event_table<'s>(
        &'s self,
        dealer: &'s dyn Dealer,
        time: u64,
        by: &Actor,
        id: &TableId,
        rules: &RuleSet,
    ) -> Result<PendingEntry<'s>, DecideError> {
        require(by, &Actor::House, "the house opens a tournament's tables")?;
        let unknown = || Refusal::UnknownTable(id.clone());
        let (event, _) = id.as_str().rsplit_once('.').ok_or_else(unknown)?;
        let event = TableId::parse(event).map_err(|_| unknown())?;
        let due = Command::OpenEventTable { table: id.clone(), rules: Box::new(rules.clone()) };
        // In a bundle the tournament's own entries are missing: that the table is its is the log's word.
        if !self.partial && self.tournaments.get(&event).ok_or_else(unknown)?.duty() != Some(due) {
            return Err(Refusal::NothingToDo("that is not what the tournament has to do next").into());
        }
        rules.validate().map_err(Refusal::from)?;
        let mut table = Table::new(id.clone(), Arc::new(rules.clone()), None, None);
        table.event = Some(event.clone());
        let mut pending = PendingEntry::with(self, dealer, time, table);
        pending.events.push(Event::TableOpened {
            rules: rules.clone(),
            digest: rules.digest(),
            owner: None,
            idle_ms: None,
            replaces: None,
            event: Some(event),
        });
        Ok(pending)
    }

    /// A new table may come in the place of a closed one of the same owner, which no other replaced yet. In a bundle
    /// that is the log's word.
    fn require_replaceable(&self, table: &TableId, owner: Option<&PlayerId>) -> Result<(), Refusal> {
        let refused = |why| Err(Refusal::NotReplaceable { table: table.clone(), why });
        match self.used_tables.get(table) {
            _ if self.partial => Ok(()),
            None => refused("there was never such a table"),
            Some(_) if self.tables.contains_key(table) => refused("it is open"),
            Some(_) if self.tournaments.get(table).is_some() => refused("it is a tournament"),
            Some(name) if name.owner.as_ref() != owner => refused("it was another's"),
            Some(name) if name.replaced_by.is_some() => refused("another table came in its place already"),
            Some(_) => Ok(()),
        }
    }
}

impl PendingEntry<'_> {
    /// Seats, chips and blinds as the tournament has them, before the table's next hand.
    pub fn set_seats(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house sets a tournament's seats")?;
        let event = self.table.event.as_ref().and_then(|event| self.state.tournament(event));
        let set = event.and_then(|event| event.seats_to_set(&self.table.id));
        self.push(set.ok_or(Refusal::NothingToDo("the seats are as the tournament has them"))?)
    }

    pub fn close_table(&mut self, by: &Actor) -> Result<(), DecideError> {
        match by {
            Actor::House if self.table.event.is_some() => {
                let event = self.table.event.as_ref().and_then(|event| self.state.tournament(event));
                // In a bundle the tournament's own entries are missing: that it is off is the log's word.
                let by_word = self.state.partial;
                let closes = by_word || event.is_some_and(|event| event.is_closing(&self.table.id));
                // If the event is off, the hand in progress is rolled back (refunds.md, 1.1).
                let is_off = by_word || event.is_some_and(|event| event.stage == crate::tournament::Stage::Cancelled);
                if !closes || !is_off && !self.table.is_between_rounds() {
                    return Err(Refusal::NothingToDo("the tournament needs this table").into());
                }
                if is_off && self.table.live_round().is_some() {
                    self.note_balances();
                    self.void(VoidCause::Malfunction, Vec::new(), None)?;
                }
            }
            _ if self.table.event.is_some() => return Err(Refusal::OfTournament(self.table.id.clone()).into()),
            Actor::Operator => {}
            Actor::Player(player) if self.table.owner.as_ref() == Some(player) => {}
            Actor::House => {
                let idle_until = self.table.closes_idle_at().filter(|_| self.table.is_between_rounds());
                match idle_until {
                    Some(deadline) if deadline <= self.time => {}
                    Some(deadline) => return Err(Refusal::DeadlineAhead(deadline).into()),
                    None => return Err(Refusal::NotAllowed("the house closes idle tables alone").into()),
                }
            }
            _ => return Err(Refusal::NotAllowed("the operator or the owner closes a table").into()),
        }
        if let Some(round) = self.table.live_round() {
            return Err(Refusal::RoundInProgress(round.round_no).into());
        }
        // Else a house could drop a seed, and the table with it before the seed can come late (spec/recovery.md,
        // "Voids").
        if let (Actor::Operator, Some((seeds, until))) = (by, self.table.late_seeds_at(self.time)) {
            return Err(Refusal::AwaitingLateSeeds { seeds, until }.into());
        }
        // A table where bets are always open could never be closed otherwise: bets that do not bind yet come back.
        if self.table.window().is_some() || self.table.call().is_some() {
            self.note_balances();
        }
        self.lapse_what_is_open(LapseCause::Closed)?;
        let every_round = self.table.rules.table.reshuffle == Reshuffle::EveryRound;
        self.retire_shoe((!every_round).then_some(RetireCause::Closed))?;
        if self.table.cash().is_some() && self.table.event.is_none() {
            let seated: Vec<_> = self.table.seats.iter().map(|(number, seat)| (*number, seat.player.clone())).collect();
            for (number, player) in seated {
                self.cash_out(&player, number, false)?;
            }
        }
        self.push(Event::TableClosed {})
    }

    /// A betting window, or the call for a hand, ends without a round.
    fn lapse_what_is_open(&mut self, cause: LapseCause) -> Result<(), DecideError> {
        if self.table.window().is_some() {
            self.lapse_window(cause, false)?;
        }
        if self.table.call().is_some() { self.lapse_call(cause, false) } else { Ok(()) }
    }

    pub fn commit_shoe(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house commits shoes")?;
        if self.table.shoe.is_some() || !self.table.is_between_rounds() {
            return Err(Refusal::NothingToDo("a shoe is in use").into());
        }
        let context = self.state.context(&self.table.id).map_err(|e| DecideError::Broken(e.to_string()))?;
        let noted = self.table.noted();
        self.put_in_use(ShoeId {
            context,
            shoe_no: self.table.next_shoe,
            composition: self.table.rules.composition(),
        })?;
        self.push(Event::TableNoted(Box::new(noted)))
    }

    /// After a start: an unused shoe is revealed, an open round resumes or is rolled back (spec/recovery.md).
    pub fn recover(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house recovers tables")?;
        if !self.table.needs_recovery {
            return Err(Refusal::NothingToDo("the table is recovered already").into());
        }
        self.note_balances();
        self.lapse_what_is_open(LapseCause::Restart)?;
        let every_round = self.table.rules.table.reshuffle == Reshuffle::EveryRound;
        let Some(round) = self.table.live_round() else {
            return self.retire_shoe((!every_round).then_some(RetireCause::Restart));
        };
        let round_no = round.round_no;
        let resumed = |reveal_by, settle_by, turn_by| Event::RoundResumed { round_no, reveal_by, settle_by, turn_by };
        let rules = &self.table.rules.table;
        // Nobody could act before the recovery, however long after the start it comes.
        let away = self.table.down_since.map_or(0, |since| self.time.saturating_sub(since));
        // Else a house that starts its dealer every minute could keep a round open for ever.
        let again = |ms: u64, stood: u64| match round.resumed_in == Some(round.wait()) {
            true => Some(stood.saturating_add(away)),
            false => Some(self.time.saturating_add(ms)),
        };
        let event = match (rules.crash, round.phase, &round.pile) {
            (Crash::Rollback, _, _) => return self.void(VoidCause::Crash, Vec::new(), None),
            (Crash::Resume, Phase::Open { .. }, Some(pile)) => {
                resumed(again(self.table.reveal_time_ms(), pile.stage.deadline()), None, None)
            }
            (Crash::Resume, Phase::Open { settle_by: Some(by) }, None) => {
                resumed(None, Some(by.saturating_add(away)), None)
            }
            (Crash::Resume, Phase::Open { settle_by: None }, None) => {
                resumed(None, None, again(rules.turn_time_ms, round.turns_end()))
            }
            (Crash::Resume, Phase::AwaitingReveals { reveal_by }, _) => {
                resumed(again(self.table.reveal_time_ms(), reveal_by), None, None)
            }
            (Crash::Resume, Phase::Settled | Phase::Voided { .. }, _) => {
                return Err(DecideError::Broken("a round that is over is live".into()));
            }
        };
        self.push(event)
    }

    /// A malfunction: the round is void, or the window closes; all wagers come back, completed rounds stand (A001.nn).
    pub fn void_by_operator(&mut self, by: &Actor, round_no: u64) -> Result<(), DecideError> {
        require(by, &Actor::Operator, "the operator declares a malfunction")?;
        self.note_balances();
        let open = self.table.window().map(|window| window.round_no).or(self.table.call().map(|call| call.round_no));
        if open == Some(round_no) {
            return self.lapse_what_is_open(LapseCause::Malfunction);
        }
        let round = self.live_round(round_no)?;
        // Else the house could see the last seed come, and void the round before it (spec/recovery.md, "Voids").
        let awaited = match (round.phase, &round.pile) {
            (Phase::AwaitingReveals { .. }, _) => round.contributors.iter().filter(|c| c.seed.is_none()).count(),
            (_, Some(pile)) => pile.missing().len(),
            _ => 0,
        };
        if awaited > 0 {
            return Err(Refusal::AwaitingReveals(awaited).into());
        }
        self.void(VoidCause::Malfunction, Vec::new(), None)
    }

    /// The shoe is changed between rounds: for a newcomer (C11), or because it is full or idle; or at the operator's
    /// discretion (R001.120).
    pub fn retire_by_rule(&mut self, by: &Actor, stated: bool) -> Result<(), DecideError> {
        if !matches!(by, Actor::House | Actor::Operator) {
            return Err(Refusal::NotAllowed("the house changes shoes").into());
        }
        if self.table.shoe.is_none() {
            return Err(Refusal::NoShoe.into());
        }
        let cause = match by {
            Actor::House if stated => {
                return Err(Refusal::Malformed("the operator alone gives a reason for a shuffle").into());
            }
            Actor::House if self.table.newcomer_asks() => RetireCause::Newcomer,
            Actor::House if self.table.shoe_is_full(self.table.next_seq) => RetireCause::Full,
            Actor::House if self.table.shoe_is_idle(self.time) => RetireCause::Idle,
            Actor::House => {
                return Err(
                    Refusal::NothingToDo("no newcomer asks to play, and the shoe is neither full nor idle").into()
                );
            }
            _ if !self.table.rules.table.house_shuffle => {
                return Err(Refusal::NotAllowed(
                    "this rule set has no shuffle at the house's discretion (house_shuffle)",
                )
                .into());
            }
            _ if !stated => {
                return Err(Refusal::Malformed("the operator names the cause of a shuffle").into());
            }
            _ => RetireCause::HouseShuffle,
        };
        match self.table.is_between_rounds() {
            true => self.retire_shoe(Some(cause).filter(|_| self.table.rules.table.reshuffle != Reshuffle::EveryRound)),
            // Announced and on the log before the next bets open; the hand that is on is the shoe's last (R001.120).
            false if cause == RetireCause::HouseShuffle && !self.table.is_shuffle_asked() => {
                self.push(Event::ShuffleAsked {})
            }
            false if cause == RetireCause::HouseShuffle => {
                Err(Refusal::NothingToDo("the shuffle after this hand is asked for").into())
            }
            false => Err(Refusal::RoundInProgress(self.table.next_round).into()),
        }
    }

    /// The round does not count: everything staked in it comes back, its payments go back (C22). In an abandoned round
    /// only pending wagers come back (A001.u). Early payments that their player has spent since stay theirs, at the
    /// house's cost: no account goes below zero. The drawn slots are burnt; the shoe leaves if a rule says so.
    pub fn void(&mut self, cause: VoidCause, missing: Vec<PlayerId>, refunds: Option<u32>) -> Result<(), DecideError> {
        let round = self.table.live_round().ok_or_else(|| DecideError::Broken("no round to void".into()))?;
        let round_no = round.round_no;
        let ahead = if round.exposed { round.game.ahead() } else { Ahead::Nobody };
        let pending = round.game.pending_stakes();
        let pending_of = |player: &PlayerId| {
            pending
                .iter()
                .filter(|(name, _)| name == player)
                .fold(0i64, |sum, (_, stake)| sum.saturating_add(stake.signed()))
        };
        let mut retained_winnings = Vec::new();
        let mut back: Vec<(Account, i64)> = Vec::new();
        for c in &round.contributors {
            let player = &c.placed.player;
            let all = c.staked.signed().saturating_sub(c.returned.signed());
            let owed = if cause == VoidCause::Abandoned { pending_of(player) } else { all };
            let amount = owed.max(-self.funds(player).signed());
            if let Some(short) = u64::try_from(amount.saturating_sub(owed))
                .ok()
                .and_then(Chips::new)
                .filter(|short| *short > Chips::ZERO)
            {
                retained_winnings.push(RetainedWinnings { player: player.clone(), amount: short });
            }
            back.push((Account::Player(player.clone()), amount));
        }
        let escrow = pending.iter().fold(0i64, |sum, (_, stake)| sum.saturating_add(stake.signed()));
        let returned = back.iter().fold(0i64, |sum, (_, amount)| sum.saturating_add(*amount));
        let mut amounts = back;
        amounts.push((self.escrow(), -escrow));
        amounts.push((self.house(), escrow.saturating_sub(returned)));
        self.post(amounts)?;
        let round = self.table.live_round().ok_or_else(|| DecideError::Broken("no round to void".into()))?;
        let standing = round.game.table_stakes().map(|stakes| stakes.standing());
        let players = round
            .results_of_void(cause, &retained_winnings)
            .ok_or_else(|| DecideError::Broken("an amount is out of range".into()))?;
        self.push(Event::RoundVoided {
            round_no,
            cause,
            missing,
            ahead,
            players,
            refunds,
            retained_winnings,
            standing,
        })?;
        let cause = match cause {
            VoidCause::Crash => Some(RetireCause::Restart),
            VoidCause::ShoeExhausted => Some(RetireCause::Exhausted),
            _ => None,
        };
        let every_round = self.table.rules.table.reshuffle == Reshuffle::EveryRound;
        self.retire_if_due(cause.filter(|_| !every_round))
    }
}
