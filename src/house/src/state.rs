//! The state of the house: `apply`, which alone changes it, and what decisions ask of it. Holds no seed and no hidden
//! face. Its form on the record is `parts.rs` (spec/state.md).

mod continues;
mod guests;
mod limits;
mod transfers;
mod wallet;

use crate::cash::{SealedRun, note_sealed};
use crate::changes::Changes;
use crate::guests::Guests;
use crate::limits::Limits;
use crate::sharded::{Ordered, Sharded};
use crate::signed::Keyring;
use crate::table::{Rest, Table};
use crate::tables::Tables;
use crate::tournament::{Stage, Tournament, Tournaments};
use crate::wallet::Wallet;
use crate::{
    Account, Actor, Begins, Command, Conduct, Corrupt, Entry, Event, KnownLog, Ledger, Misfit, NextLog, OldLog,
    PlayerKey, Refusal, TournamentEvent,
};
use fairshoe_fairness::{Epoch, MasterId, Origin, PlayerId, TableContext, TableId};
use fairshoe_games::Chips;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many tables of their own a player may have open.
pub const TABLES_PER_PLAYER: usize = 4;

/// A player's own table without a round for so long is closed: 1 hour. A guest's goes sooner (`GUEST_TABLE_IDLE_MS`).
pub(crate) const IDLE_MS: u64 = 3_600_000;

/// How many tournaments that have ended stay in the state.
const ENDED_KEPT: usize = 64;

/// How many entries those have together, at most, but for the last.
const ENDED_ENTRIES_KEPT: usize = 100_000;

/// A table's name, which no other takes again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsedName {
    pub owner: Option<PlayerId>,
    /// The table that came in its place.
    pub replaced_by: Option<TableId>,
}

/// Everything the log says, folded: what is decided on. It holds no seed and no hidden face. A copy shares what it
/// holds with the state that it is of, until that changes.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct State {
    pub(crate) origin: Option<Origin>,
    pub(crate) epoch: Option<Epoch>,
    pub(crate) master_id: Option<MasterId>,
    pub(crate) last_time: u64,
    /// The log that this one goes on from.
    #[serde(default)]
    pub(crate) continues: Option<OldLog>,
    /// The log that goes on from this one, which has ended.
    #[serde(default)]
    pub(crate) ended: Option<NextLog>,
    /// Other logs to and from which chips go, by name.
    #[serde(default)]
    pub(crate) known: BTreeMap<Origin, KnownLog>,
    #[serde(default)]
    pub(crate) wallet: Wallet,
    pub(crate) ledger: Ledger,
    pub(crate) conduct: Conduct,
    pub(crate) keyring: Keyring,
    #[serde(default)]
    pub(crate) limits: Limits,
    pub(crate) changes: Changes,
    #[serde(default)]
    pub(crate) guests: Guests,
    pub(crate) tables: Tables,
    #[serde(default)]
    pub(crate) tournaments: Tournaments,
    /// By tournament, who has a ticket for it, and whether that entry cannot be given back.
    #[serde(default)]
    pub(crate) tickets: Sharded<TableId, BTreeMap<PlayerId, bool>>,
    /// Every name that a table has, or had.
    pub(crate) used_tables: Sharded<TableId, UsedName>,
    pub(crate) owned_tables: Sharded<PlayerId, usize>,
    /// Tables where the house has something to do at once.
    /// Tables to be put in order after a restart come first, all of them (false before true).
    pub(crate) duties: Ordered<(bool, TableId)>,
    pub(crate) deadlines: Ordered<(u64, TableId)>,
    /// Since when each table's duty and deadline are due: at most two a table.
    pub(crate) due_since: Ordered<(u64, TableId)>,
    /// When the last start was dealt with at every table, UTC milliseconds; `None` while one is not.
    pub(crate) ready: Option<u64>,
    /// When the dealer started last, UTC milliseconds.
    pub(crate) started: u64,
    /// How many tables a restart has left to be put in order.
    pub(crate) recovering: usize,
    /// By table, open or closed, the shoes whose seeds were sealed.
    pub(crate) sealed: Sharded<TableId, Vec<SealedRun>>,
    /// How many entries were folded in; in a bundle nobody asks.
    pub(crate) entries: u64,
    /// The size at which the log named its state last.
    pub(crate) noted: u64,
    /// Only one table's entries are seen: shared balances are taken on the log's word.
    pub(crate) partial: bool,
}

fairshoe_fairness::own_json!(State, streamed);

impl State {
    /// The state before the first entry.
    pub fn new() -> Self {
        State::default()
    }

    /// The log's name, once the dealer has started.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The epoch in force.
    pub fn epoch(&self) -> Option<&Epoch> {
        self.epoch.as_ref()
    }

    /// The time of the last entry, UTC milliseconds.
    pub fn last_time(&self) -> u64 {
        self.last_time
    }

    /// How many tables have yet to be put in order after the dealer's last start.
    pub fn recovering(&self) -> usize {
        self.recovering
    }

    /// The accounts.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Offences and refunds that count against players over time.
    pub fn conduct(&self) -> &Conduct {
        &self.conduct
    }

    /// The key that a player signs with as of the last entry, if they have one.
    pub fn key(&self, player: &PlayerId) -> Option<PlayerKey> {
        self.key_at(player, self.last_time)
    }

    /// The key that a player's commands must be signed with at a time (UTC milliseconds), if they have one.
    pub fn key_at(&self, player: &PlayerId, time: u64) -> Option<PlayerKey> {
        self.keyring.key_at(player, time)
    }

    /// The operator's change of a player's key that waits at a time: the key, or none, and from when it is in force.
    pub fn waiting_key(&self, player: &PlayerId, time: u64) -> Option<(Option<PlayerKey>, u64)> {
        self.keyring.waiting_at(player, time)
    }

    /// The nonce of a player's last signed entry, zero if there is none.
    pub fn last_nonce(&self, player: &PlayerId) -> u64 {
        self.keyring.last_nonce(player)
    }

    /// A table that is open.
    pub fn table(&self, table: &TableId) -> Option<&Table> {
        self.tables.get(table)
    }

    /// The same, to keep: it stays as it is when the state goes on.
    pub fn shared_table(&self, table: &TableId) -> Option<Arc<Table>> {
        self.tables.shared(table)
    }

    /// The tables that are open, in no order.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.values()
    }

    /// Whether a table of this name exists or existed.
    pub fn table_was_used(&self, table: &TableId) -> bool {
        self.used_tables.contains_key(table)
    }

    /// Why nothing can be asked of a table that is not open.
    pub fn no_table(&self, table: &TableId) -> Refusal {
        match self.replaced_by(table) {
            Some(by) => Refusal::Replaced { table: table.clone(), by: by.clone() },
            None => Refusal::UnknownTable(table.clone()),
        }
    }

    /// The table that came in the place of this one, which is closed.
    pub fn replaced_by(&self, table: &TableId) -> Option<&TableId> {
        self.used_tables.get(table)?.replaced_by.as_ref()
    }

    /// Folds one entry in. On an error the state is no longer to be used.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), Corrupt> {
        if entry.time < self.last_time {
            return Err(Corrupt::TimeWentBack { time: entry.time, last: self.last_time });
        }
        if self.ended.is_some() {
            return Err(Corrupt::Event("the log has ended before this entry".into()));
        }
        for (player, balance) in &entry.before {
            if self.partial {
                self.ledger.state_player(player.clone(), *balance);
            } else if self.ledger.player(player) != Some(*balance) {
                return Err(Corrupt::Event(Misfit::Balance(player.clone(), *balance)));
            }
        }
        if let Some(signed) = &entry.signed {
            self.keyring.count(&entry.by, signed)?;
        }
        match &entry.at {
            None => self.apply_global(entry)?,
            Some(at) if self.is_of_tournament(entry, &at.table) => {
                self.apply_at_tournament(entry, &at.table, at.seq)?
            }
            Some(at) => {
                self.apply_at_table(entry, &at.table, at.seq)?;
            }
        }
        self.note_guest(entry);
        self.note_limits(entry);
        self.last_time = entry.time;
        self.entries = self.entries.saturating_add(1);
        Ok(())
    }

    fn apply_global(&mut self, entry: &Entry) -> Result<(), Corrupt> {
        for event in &entry.events {
            match event {
                Event::DealerStarted { origin, epoch, master_id, down_ms } => {
                    let same = |known: bool| {
                        if known {
                            Ok(())
                        } else {
                            Err(Corrupt::Event("another origin or master key than before".into()))
                        }
                    };
                    same(self.origin.as_ref().is_none_or(|known| known == origin))?;
                    same(self.master_id.as_ref().is_none_or(|known| known == master_id))?;
                    self.origin = Some(origin.clone());
                    self.epoch = Some(*epoch);
                    self.master_id = Some(*master_id);
                    for table in self.tables.values_mut() {
                        if let Some(rest) = &mut table.rest {
                            rest.since.push(self.entries);
                        }
                        table.await_recovery(entry.time, *down_ms);
                        self.duties.remove(&(true, table.id.clone()));
                        self.duties.insert((false, table.id.clone()));
                    }
                    let since = entry.time.saturating_sub(*down_ms);
                    let events: Vec<TableId> = self.tournaments.values().map(|event| event.name().clone()).collect();
                    for event in events {
                        self.change_tournament(&event, |event| {
                            event.await_recovery(since);
                            event.end_entry(entry)
                        })?;
                    }
                    self.recovering = self.tables.len();
                    self.started = entry.time;
                    self.ready = Some(entry.time).filter(|_| self.recovering == 0 && !self.partial);
                }
                Event::LogContinues { origin, key, size, root, new_key } => {
                    let (origin, root) = (origin.clone(), root.clone());
                    let old = OldLog { origin, key: *key, size: *size, root, new_key: *new_key };
                    if self.continues.replace(old).is_some() {
                        return Err(Corrupt::Event("the log goes on from two others".into()));
                    }
                }
                Event::LogEnded { origin, key } => {
                    self.ended = Some(NextLog { origin: origin.clone(), key: *key });
                }
                Event::LogKnown { .. } | Event::TransferredOut { .. } | Event::TransferredIn { .. } => {
                    self.apply_transfer(event)?;
                }
                Event::WalletAsked { .. } | Event::WalletAnswered { .. } => {
                    self.apply_wallet(event)?;
                }
                Event::PlayerCreated { player } => {
                    if !self.ledger.open_player(player.clone()) && !self.partial {
                        return Err(Corrupt::Event(Misfit::PlayerExists(player.clone())));
                    }
                }
                Event::GuestAdmitted { player } => self.apply_admitted(player, entry.time)?,
                Event::GuestDismissed { player } => self.apply_dismissed(player)?,
                Event::KeySet { player, key, from, old } => {
                    if self.ledger.player(player).is_none() && !self.partial {
                        return Err(Corrupt::Event(Misfit::NoPlayer(player.clone())));
                    }
                    match from {
                        Some(from) => self.keyring.set_later(player, key.as_ref(), *from, old.as_ref()),
                        None => self.keyring.set(player, key.as_ref()),
                    }?;
                }
                Event::LimitSet { .. }
                | Event::Excluded { .. }
                | Event::TokenIssued { .. }
                | Event::DealerStopped {}
                | Event::StartRefused { .. } => {}
                Event::StateNoted { size, .. } => {
                    // Readers who fold the log compare its root: the house does not stop for it.
                    self.require_notable(*size).map_err(Misfit::from)?;
                    self.noted = *size;
                }
                Event::ShoeDisclosed { table, shoe_no, .. } => {
                    if self.sealed_in(table, *shoe_no).is_none() {
                        return Err(Corrupt::Event(Misfit::NotSealed(*shoe_no, table.clone())));
                    }
                }
                Event::Posted { lines } => self.ledger.post(lines, self.partial)?,
                _ => return Err(Corrupt::Event("a table's event outside a table's entry".into())),
            }
        }
        self.end_wallet_entry(&entry.events);
        Ok(())
    }

    fn apply_at_table(&mut self, entry: &Entry, id: &TableId, seq: u64) -> Result<(), Corrupt> {
        if let Some(Event::TableOpened { rules, digest, owner, idle_ms, replaces, event }) = entry.events.first() {
            let name = UsedName { owner: owner.clone(), replaced_by: None };
            if self.used_tables.insert(id.clone(), name).is_some() {
                return Err(Corrupt::Event(Misfit::TableNameUsed(id.clone())));
            }
            if let Some(replaced) = replaces.as_ref().and_then(|table| self.used_tables.get_mut(table)) {
                replaced.replaced_by = Some(id.clone());
            }
            rules.validate().map_err(Misfit::from)?;
            if let Some(owner) = owner {
                *self.owned_tables.or_insert(owner, 0) += 1;
            }
            self.guests.note_table(owner.as_ref(), id);
            let seats = if rules.cash().is_some() && event.is_none() { rules.table.seats } else { 0 };
            self.ledger.open_table(id.clone(), seats);
            let rules = self.tables.share(digest, rules);
            let mut table = Table::new(id.clone(), rules, owner.clone(), *idle_ms);
            table.event.clone_from(event);
            self.tables.insert(id.clone(), table);
        }
        let rest = self.rest_before(entry, id);
        let is_new = matches!(entry.events.first(), Some(Event::TableOpened { .. }));
        let guests = self.tables.get(id).filter(|_| !is_new).map(Table::guests).unwrap_or_default();
        let mut table = self.tables.remove(id).ok_or_else(|| Corrupt::Event(Misfit::NoOpenTable(id.clone())))?;
        if table.next_seq != seq {
            return Err(Corrupt::TableSeq { table: id.clone(), given: seq, expected: table.next_seq });
        }
        if let Some(deadline) = table.next_deadline() {
            self.deadlines.remove(&(deadline, id.clone()));
        }
        self.take_dues(&table);
        for (place, event) in entry.events.iter().enumerate() {
            match (event, table.window(), table.call()) {
                (Event::TableOpened { .. }, ..) if place == 0 => continue,
                (Event::Posted { lines }, ..) => self.ledger.post(lines, self.partial)?,
                (Event::BetsLapsed { .. }, Some(window), _) => {
                    self.changes.give_back(id, window.bets.iter().map(|bet| &bet.player))
                }
                (Event::CallLapsed { .. }, _, Some(call)) => self.changes.give_back(id, call.seeds.keys()),
                (Event::ShoeSealed { shoe_no, .. }, ..) => {
                    if let Some(shoe) = &table.shoe {
                        note_sealed(self.sealed.or_insert(id, Vec::new()), shoe.id.context.epoch, *shoe_no);
                    }
                }
                _ => {}
            }
            self.hold_against(entry.time, &table, event);
            let context = if let Event::ShoeCommitted { .. } = event { Some(self.context(id)?) } else { None };
            table.fold_event(event, entry.time, context)?;
        }
        table.end_entry(entry, seq)?;
        if let Some(event) = table.event.clone().filter(|_| !self.partial) {
            self.share_level(&event, &mut table);
            self.change_tournament(&event, |event| event.note_table(entry, &table))?;
        }
        self.changes.note(entry, id, table.is_shared());
        if matches!(entry.command, Command::Recover { .. }) {
            self.recovering = self.recovering.saturating_sub(1);
            // In a bundle other tables may still wait: that they do not is known from this table's next entry on.
            self.ready = Some(entry.time).filter(|_| self.recovering == 0 && !self.partial);
        } else if self.partial && self.ready.is_none() {
            self.ready = Some(entry.time);
        }
        self.guests.note_places(&guests, &table.guests(), entry.time);
        self.note_dues(&table);
        table.rest = rest.or(table.rest.take()).filter(|_| !table.is_between_rounds());
        if let Some(rest) = &mut table.rest {
            rest.since.push(self.entries);
        }
        self.keep(table)
    }

    /// The table as it rests before an entry after which it may not.
    fn rest_before(&self, entry: &Entry, id: &TableId) -> Option<Box<Rest>> {
        let begins = |event: &Event| matches!(event, Event::BetsOpened { .. } | Event::HandCalled { .. });
        if self.partial || !entry.events.iter().any(begins) {
            return None;
        }
        let table = self.tables.shared(id).filter(|table| table.is_between_rounds())?;
        Some(Box::new(Rest { table, epoch: self.epoch, since: Vec::new() }))
    }

    /// Notes what an event counts against a player for later.
    fn hold_against(&mut self, time: u64, table: &Table, event: &Event) {
        match event {
            Event::Cooldown { player, until, .. } => self.conduct.offend(player, time, *until),
            Event::LeftEarly { player, level, until, .. } => self.conduct.leave_early(player, level, time, *until),
            Event::RoundVoided { refunds: Some(_), .. } => {
                for contributor in table.live_round().into_iter().flat_map(|round| &round.contributors) {
                    self.conduct.refund(&contributor.placed.player, time);
                }
            }
            _ => {}
        }
    }

    /// Puts a table back, with what is due there.
    pub(crate) fn keep(&mut self, table: Table) -> Result<(), Corrupt> {
        let id = table.id.clone();
        let escrow = self.ledger.balance(&Account::Table(id.clone()));
        if escrow != table.staked().map(Chips::signed) {
            return Err(Corrupt::Event(Misfit::StakedElse(id.clone())));
        }
        let cash = table.cash().filter(|_| table.event.is_none());
        for (number, seat) in cash.into_iter().flat_map(|cash| &cash.seats) {
            if self.ledger.balance(&Account::Seat(id.clone(), *number)) != Some(seat.stack.signed()) {
                return Err(Corrupt::Event(Misfit::StackElse(*number, id.clone())));
            }
        }
        for recovered in [false, true] {
            self.duties.remove(&(recovered, id.clone()));
        }
        if table.duty().is_some() {
            self.duties.insert((!table.needs_recovery, id.clone()));
        }
        if table.closed {
            self.ledger.close_table(&id);
            if let Some(count) = table.owner.as_ref().and_then(|owner| self.owned_tables.get_mut(owner)) {
                *count = count.saturating_sub(1);
            }
            return Ok(());
        }
        if let Some(deadline) = table.next_deadline() {
            self.deadlines.insert((deadline, id.clone()));
        }
        self.tables.insert(id, table);
        Ok(())
    }

    /// Says what a command begins. At a table of a tournament it begins nothing, for the tournament has begun. *Attack: a house
    /// refuses seeds for want of room or of witnesses, and calls hands all the same: players pay blinds until they are out.*
    pub fn begins(&self, command: &Command) -> Begins {
        let facts = command.facts();
        let of_tournament = |table| self.tables.get(table).is_some_and(|table| table.event.is_some());
        if facts.table.is_some_and(of_tournament) { Begins::Nothing } else { facts.begins }
    }

    /// A tournament.
    pub fn tournament(&self, event: &TableId) -> Option<&Tournament> {
        self.tournaments.get(event)
    }

    /// The same, to keep: it stays as it is when the state goes on.
    pub fn shared_tournament(&self, event: &TableId) -> Option<Arc<Tournament>> {
        self.tournaments.shared(event)
    }

    /// All tournaments, in no order.
    pub fn tournaments(&self) -> impl Iterator<Item = &Tournament> {
        self.tournaments.values()
    }

    /// At most so many of them, in the order of their names, after this one; each to keep.
    pub fn tournaments_after(&self, after: Option<&TableId>, most: usize) -> Vec<Arc<Tournament>> {
        let is_after = |event: &&Tournament| after.is_none_or(|after| event.name() > after);
        let mut names: Vec<&TableId> = self.tournaments.values().filter(is_after).map(Tournament::name).collect();
        names.sort_unstable();
        names.into_iter().take(most).filter_map(|event| self.tournaments.shared(event)).collect()
    }

    /// A player's T$, in cents.
    pub fn t_dollars(&self, player: &PlayerId) -> u64 {
        let balance = self.ledger.balance(&Account::TDollars(player.clone()));
        balance.and_then(|balance| u64::try_from(balance).ok()).unwrap_or_default()
    }

    /// The tournaments for which a player has a ticket.
    pub fn tickets_of(&self, player: &PlayerId) -> BTreeSet<TableId> {
        let held = self.tickets.iter().filter(|(_, holders)| holders.contains_key(player));
        held.map(|(event, _)| event.clone()).collect()
    }

    /// Whether a player has a ticket for a tournament.
    pub fn has_ticket(&self, event: &TableId, player: &PlayerId) -> bool {
        self.tickets.get(event).is_some_and(|holders| holders.contains_key(player))
    }

    /// The players with a ticket for a tournament, ascending.
    pub(crate) fn ticket_holders(&self, event: &TableId) -> impl Iterator<Item = &PlayerId> {
        self.tickets.get(event).into_iter().flat_map(BTreeMap::keys)
    }

    /// Whether an entry by their ticket cannot be given back (R001.99).
    pub(crate) fn ticket_is_bound(&self, event: &TableId, player: &PlayerId) -> bool {
        self.tickets.get(event).and_then(|holders| holders.get(player)).copied().unwrap_or(false)
    }

    /// Whether an entry is a tournament's own, and none of its tables'.
    fn is_of_tournament(&self, entry: &Entry, at: &TableId) -> bool {
        matches!(&entry.command, Command::Tournament(command) if command.event() == at)
    }

    fn apply_at_tournament(&mut self, entry: &Entry, id: &TableId, seq: u64) -> Result<(), Corrupt> {
        if let Some(Event::Tournament(event)) = entry.events.first()
            && matches!(**event, TournamentEvent::Created { .. })
        {
            let name = UsedName { owner: None, replaced_by: None };
            if self.used_tables.insert(id.clone(), name).is_some() {
                return Err(Corrupt::Event(Misfit::NameUsed(id.clone())));
            }
            let created = Tournament::created(self.context(id)?, event)?;
            self.ledger.open_event(id);
            self.tournaments.insert(id.clone(), created);
        }
        let expected = self.tournaments.get(id).map(|event| event.next_seq);
        let expected = expected.ok_or_else(|| Corrupt::Event(Misfit::NoTournament(id.clone())))?;
        if expected != seq {
            return Err(Corrupt::TableSeq { table: id.clone(), given: seq, expected });
        }
        for event in &entry.events {
            if let Event::Posted { lines } = event {
                self.ledger.post(lines, self.partial)?;
            }
        }
        self.take_tickets(entry, id)?;
        self.change_tournament(id, |tournament| {
            for event in &entry.events {
                match event {
                    Event::Posted { .. } => {}
                    Event::Tournament(event) if matches!(**event, TournamentEvent::Created { .. }) => {}
                    Event::Tournament(event) => tournament.fold(event, entry.time)?,
                    _ => return Err("a table's event in a tournament's entry".into()),
                }
            }
            tournament.next_seq = seq.saturating_add(1);
            tournament.end_entry(entry)
        })?;
        let Some(tournament) = self.tournaments.get(id) else { return Ok(()) };
        let holds = self.ledger.of_event(id);
        if (holds.pool, holds.fees, holds.bounties, holds.stakes) != tournament.money() {
            return Err(Corrupt::Event(Misfit::AccountsElse(id.clone())));
        }
        if tournament.stage == Stage::Ended {
            self.forget_ended();
        }
        Ok(())
    }

    /// Only the tournaments that ended last stay (spec/games/tournaments.md, 14): the state does not grow with all that
    /// ever were.
    fn forget_ended(&mut self) {
        let ended = self.tournaments.values().filter(|event| event.stage == Stage::Ended);
        let mut ended: Vec<(u64, TableId, usize)> =
            ended.map(|event| (event.last_used, event.name().clone(), event.entries.len())).collect();
        ended.sort_unstable();
        let mut entries = 0usize;
        for (nth, (_, event, of_it)) in ended.into_iter().rev().enumerate() {
            entries = entries.saturating_add(of_it);
            if nth > 0 && (nth >= ENDED_KEPT || entries > ENDED_ENTRIES_KEPT) {
                self.tournaments.remove(&event);
                self.ledger.close_event(&event);
            }
        }
    }

    /// Tickets that an entry of a tournament, which is not folded in yet, brings or takes.
    fn take_tickets(&mut self, entry: &Entry, id: &TableId) -> Result<(), Corrupt> {
        let Some(tournament) = self.tournaments.shared(id) else { return Ok(()) };
        for event in &entry.events {
            let Event::Tournament(event) = event else { continue };
            match event.as_ref() {
                TournamentEvent::TicketReturned { player, .. } => self.take_ticket(id, player)?,
                TournamentEvent::Registered { player, paid_by, .. } if paid_by.ticket > 0 => {
                    self.take_ticket(id, player)?;
                }
                TournamentEvent::Unregistered { entry_no } => {
                    let Some(given) = tournament.entries.get(entry_no) else { continue };
                    if given.paid_by.ticket > 0 {
                        self.tickets.or_insert(id, BTreeMap::new()).insert(given.player.clone(), false);
                    }
                }
                TournamentEvent::PrizePaid { entry_no, prize, .. } if prize.ticket > 0 => {
                    let (Some(won), Some((target, bound))) = (tournament.entries.get(entry_no), tournament.target())
                    else {
                        return Err(Corrupt::Event("a ticket for no tournament".into()));
                    };
                    self.tickets.or_insert(&target, BTreeMap::new()).insert(won.player.clone(), bound);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A ticket is used, or comes back.
    fn take_ticket(&mut self, event: &TableId, player: &PlayerId) -> Result<(), Corrupt> {
        let holders = self.tickets.get_mut(event);
        let (held, left) = holders.map_or((None, 0), |holders| (holders.remove(player), holders.len()));
        if left == 0 {
            self.tickets.remove(event);
        }
        held.map(drop).ok_or_else(|| Corrupt::Event(Misfit::NoTicket(player.clone(), event.clone())))
    }

    /// Changes a tournament, and notes what is due there.
    fn change_tournament(
        &mut self,
        id: &TableId,
        change: impl FnOnce(&mut Tournament) -> Result<(), Misfit>,
    ) -> Result<(), Corrupt> {
        let Some(tournament) = self.tournaments.get_mut(id) else {
            return Err(Corrupt::Event(Misfit::NoTournament(id.clone())));
        };
        let before = tournament.dues.clone();
        change(tournament)?;
        let after = tournament.dues.clone();
        if let Some(deadline) = before.deadline() {
            self.deadlines.remove(&(deadline, id.clone()));
        }
        for since in before.times() {
            self.due_since.remove(&(since, id.clone()));
        }
        self.duties.remove(&(true, id.clone()));
        if after.has_duty() {
            self.duties.insert((true, id.clone()));
        }
        self.deadlines.extend(after.deadline().map(|deadline| (deadline, id.clone())));
        self.due_since.extend(after.times().map(|since| (since, id.clone())));
        Ok(())
    }

    /// Puts a tournament in that a noted state has, with what is due there.
    pub(crate) fn keep_tournament(&mut self, tournament: Tournament) {
        let id = tournament.name().clone();
        let dues = tournament.dues.clone();
        if dues.has_duty() {
            self.duties.insert((true, id.clone()));
        }
        self.deadlines.extend(dues.deadline().map(|deadline| (deadline, id.clone())));
        self.due_since.extend(dues.times().map(|since| (since, id.clone())));
        self.tournaments.insert(id, tournament);
    }

    /// A tournament's tables at one level share its rule set.
    fn share_level(&self, event: &TableId, table: &mut Table) {
        let level = self.tournaments.get(event).map(|event| event.level_rules.clone());
        if let Some(rules) = level.filter(|rules| **rules == *table.rules) {
            table.rules = rules;
        }
    }

    /// The context of a shoe committed now.
    pub(crate) fn context(&self, table: &TableId) -> Result<TableContext, Corrupt> {
        match (&self.origin, &self.epoch) {
            (Some(origin), Some(epoch)) => {
                Ok(TableContext { origin: origin.clone(), table: table.clone(), epoch: *epoch })
            }
            _ => Err(Corrupt::Event("the dealer has not started".into())),
        }
    }

    /// The epoch in which a sealed shoe was committed; `None` if that shoe is not sealed.
    pub fn sealed_in(&self, table: &TableId, shoe_no: u64) -> Option<Epoch> {
        let runs = self.sealed.get(table)?;
        let run = runs.get(runs.partition_point(|run| run.last < shoe_no))?;
        (run.first <= shoe_no).then_some(run.epoch)
    }

    /// How many seats of cash tables a player holds.
    pub(crate) fn cash_seats_of(&self, player: &PlayerId) -> usize {
        self.tables.cash().filter(|table| table.seat_of(player).is_some()).count()
    }

    /// Whether an actor may act for this player.
    pub(crate) fn is_player(&self, by: &Actor) -> Option<PlayerId> {
        match by {
            // In a bundle the entry that created them is missing; that they exist is the log's word.
            Actor::Player(player) if self.partial || self.ledger.player(player).is_some() => Some(player.clone()),
            _ => None,
        }
    }

    /// A player's balance; zero for one who does not exist.
    pub fn funds(&self, player: &PlayerId) -> Chips {
        self.ledger.player(player).unwrap_or_default()
    }
}
