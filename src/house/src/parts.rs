//! The state as text, a line a part, and its root (spec/state.md).
//!
//! Owns: what the parts say, which states the log may name. Does not own: how a part changes; what an auditor remembers
//! beside the state.

use crate::cash::SealedRun;
use crate::conduct::ConductPart;
use crate::late::VoidedRound;
use crate::limits::AllowedPart;
use crate::shoe_use::Shoe;
use crate::state::UsedName;
use crate::table::Rest;
use crate::table::{KindState, Table};
use crate::tournament::{Entrant, EventEntry, Tournament};
use crate::transfers::KnownPart;
use crate::wallet::WalletOperation;
use crate::{
    Account, Committed, Entry, Event, MOST_NUMBER, Misfit, NextLog, NotedTable, OldLog, PlayerKey, Refusal, ShoeId,
    ShoeUse, State, StateRoot, has_greater_number, is_guest, is_zero,
};
use fairshoe_fairness::{Composition, Epoch, MasterId, Origin, PlayerId, Slot, TableContext, TableId};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_tlog::{Tree, leaf_hash};
use fairshoe_tournament::EntryNo;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use thiserror::Error;

/// The log may name its state after each multiple of so many entries, and after the entry before the one that names it.
pub const STATE_INTERVAL: u64 = 65_536;

/// The part that concerns no player and no table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogPart {
    origin: Option<Origin>,
    epoch: Option<Epoch>,
    master_id: Option<MasterId>,
    time: u64,
    started: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ready: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    noted: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continues: Option<OldLog>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<NextLog>,
    cage: i64,
    house: i64,
    rake: i64,
    #[serde(default, skip_serializing_if = "is_zero")]
    tickets: i64,
    #[serde(default, skip_serializing_if = "is_zero")]
    rounding_residual: i64,
    #[serde(default, skip_serializing_if = "is_zero")]
    play: i64,
    /// How many guests were ever admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    admitted: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    wallet: i64,
    /// How many operations of the wallet there ever were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
}

/// A change of a key that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitingKey {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<PlayerKey>,
    from: u64,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PlayerPart {
    balance: Chips,
    #[serde(default, skip_serializing_if = "is_zero")]
    t_dollars: i64,
    /// For a guest only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idle_since: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<PlayerKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waiting: Option<WaitingKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nonce: Option<u64>,
    #[serde(flatten)]
    allowed: AllowedPart,
    #[serde(flatten)]
    conduct: ConductPart,
}

/// A table, open or closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TablePart {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<TableId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<PlayerId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced_by: Option<TableId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sealed: Vec<(Epoch, u64, u64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<(PlayerId, u64, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stands: Option<Stands>,
}

/// An open table as it rested last, and which entries it had since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stands {
    rules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idle_ms: Option<u64>,
    next_seq: u64,
    next_shoe: u64,
    epoch: Option<Epoch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    down_since: Option<u64>,
    noted: NotedTable,
    /// Seat, whether its player leaves, whether the operator made them, chips to be added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    untidy: Vec<(u8, bool, bool, Chips)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shoe: Option<ShoePart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    voided: Vec<VoidedRound>,
    due: (u64, u64),
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    since: Vec<u64>,
}

/// The shoe in use at a table that rests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShoePart {
    shoe_no: u64,
    composition: Composition,
    epoch: Epoch,
    candidates: Vec<Committed>,
    drawn: Vec<Slot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bettors: Option<BTreeSet<PlayerId>>,
    last_hand: bool,
    shuffle_asked: bool,
    from_seq: u64,
    bytes: u64,
    since: u64,
    rounds: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_round_at: Option<u64>,
}

impl State {
    /// How many entries were folded in.
    pub fn size(&self) -> u64 {
        self.entries
    }

    /// The size at which the log named its state last; zero: never.
    pub fn noted(&self) -> u64 {
        self.noted
    }

    /// The state's lines, ascending by key (spec/state.md, "Lines").
    ///
    /// # Errors
    /// The JSON writer's, which no state causes.
    pub fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        let mut lines = BTreeMap::new();
        let mut digests = Digests::default();
        lines.insert("log".to_owned(), line("log", &self.log_part())?);
        for player in self.ledger.players() {
            let key = format!("player:{player}");
            lines.insert(key.clone(), line(&key, &self.player_part(player))?);
        }
        for (id, table) in self.used_tables.iter() {
            let key = format!("table:{id}");
            let part = TablePart {
                event: self.tables.get(id).and_then(|table| table.event.clone()),
                owner: table.owner.clone(),
                replaced_by: table.replaced_by.clone(),
                sealed: self.sealed.get(id).into_iter().flatten().map(|run| (run.epoch, run.first, run.last)).collect(),
                changes: self.tables.get(id).map(|_| self.changes.of_table(id, self.last_time)).unwrap_or_default(),
                stands: self.tables.get(id).map(|table| self.stands(table, &mut digests)),
            };
            lines.insert(key.clone(), line(&key, &part)?);
        }
        for event in self.tournaments.values() {
            event.lines(&mut lines)?;
        }
        for (event, holders) in self.tickets.iter().filter(|(_, holders)| !holders.is_empty()) {
            let key = format!("tickets:{event}");
            lines.insert(key.clone(), line(&key, &holders.iter().collect::<Vec<_>>())?);
        }
        self.known_lines(&mut lines)?;
        self.wallet_lines(&mut lines)?;
        for (rules, digest) in digests.0.into_values() {
            let key = format!("rules:{digest}");
            lines.insert(key.clone(), line(&key, rules.as_ref())?);
        }
        Ok(lines.into_values().collect())
    }

    /// The root of the state's lines (spec/state.md, "Lines").
    ///
    /// # Errors
    /// The JSON writer's, which no state causes.
    pub fn root(&self) -> Result<StateRoot, serde_json::Error> {
        Ok(root_of_lines(self.lines()?.iter().map(String::as_str)))
    }

    /// Whether the log's next entry may name the state after this many entries.
    pub(crate) fn require_notable(&self, size: u64) -> Result<(), Refusal> {
        if self.recovering > 0 {
            return Err(Refusal::Recovering);
        }
        let recent = size.is_multiple_of(STATE_INTERVAL)
            && self.entries.checked_sub(size).is_some_and(|past| past < STATE_INTERVAL);
        if size <= self.noted || !(recent || size == self.entries) {
            return Err(Refusal::Malformed("a state is noted once, of the log's end or of the last whole interval"));
        }
        Ok(())
    }

    fn log_part(&self) -> LogPart {
        let (cage, house, rake) = self.ledger.of_the_house();
        let (tickets, rounding_residual) = self.ledger.of_tournaments();
        LogPart {
            origin: self.origin.clone(),
            epoch: self.epoch,
            master_id: self.master_id,
            time: self.last_time,
            started: self.started,
            ready: self.ready,
            noted: Some(self.noted).filter(|noted| *noted > 0),
            continues: self.continues.clone(),
            ended: self.ended.clone(),
            cage,
            house,
            rake,
            tickets,
            rounding_residual,
            play: self.ledger.balance(&Account::Play).unwrap_or_default(),
            admitted: Some(self.guests.admitted()).filter(|admitted| *admitted > 0),
            wallet: self.ledger.wallet(),
            operations: Some(self.wallet_operations()).filter(|operations| *operations > 0),
        }
    }

    fn player_part(&self, player: &PlayerId) -> PlayerPart {
        let now = self.last_time;
        PlayerPart {
            balance: self.funds(player),
            t_dollars: self.ledger.balance(&Account::TDollars(player.clone())).unwrap_or_default(),
            idle_since: self.guests.idle_since(player),
            key: self.keyring.key_at(player, now),
            waiting: self.keyring.waiting_at(player, now).map(|(key, from)| WaitingKey { key, from }),
            nonce: Some(self.keyring.last_nonce(player)).filter(|nonce| *nonce > 0),
            allowed: self.limits.part(player, now),
            conduct: self.conduct.part(player, now),
        }
    }

    fn stands(&self, table: &Table, digests: &mut Digests) -> Stands {
        let rules = digests.of(&table.rules);
        match &table.rest {
            Some(rest) => Stands { since: rest.since.clone(), ..rest.table.stands_at_rest(rules, rest.epoch) },
            None => table.stands_at_rest(rules, self.epoch),
        }
    }
}

impl Table {
    fn stands_at_rest(&self, rules: String, epoch: Option<Epoch>) -> Stands {
        let seats = self.cash().into_iter().flat_map(|cash| &cash.seats);
        let untidy = seats.filter(|(_, seat)| seat.leaving || seat.unseated || seat.top_up > Chips::ZERO);
        Stands {
            rules,
            idle_ms: self.idle_ms,
            next_seq: self.next_seq,
            next_shoe: self.next_shoe,
            epoch,
            down_since: self.down_since,
            noted: self.noted(),
            untidy: untidy.map(|(number, seat)| (*number, seat.leaving, seat.unseated, seat.top_up)).collect(),
            shoe: self.shoe.as_ref().map(|shoe| self.shoe_part(shoe)),
            voided: self.voided.clone(),
            due: self.dues.since(),
            since: Vec::new(),
        }
    }

    fn shoe_part(&self, shoe: &Shoe) -> ShoePart {
        let mut undrawn = shoe.undrawn.iter().peekable();
        let drawn = (0..shoe.id.composition.len()).map(Slot).filter(|slot| undrawn.next_if_eq(&slot).is_none());
        let used = self.shoe_use.unwrap_or_default();
        ShoePart {
            shoe_no: shoe.id.shoe_no,
            composition: shoe.id.composition.clone(),
            epoch: shoe.id.context.epoch,
            candidates: shoe.candidates.clone(),
            drawn: drawn.collect(),
            bettors: self.betting().and_then(|betting| betting.bettors.clone()),
            last_hand: self.betting().is_some_and(|betting| betting.last_hand),
            shuffle_asked: self.is_shuffle_asked(),
            from_seq: used.from_seq,
            bytes: used.bytes,
            since: used.since,
            rounds: used.rounds,
            last_round_at: used.last_round_at,
        }
    }
}

/// Rule sets and their digests, each worked out once: many tables share one.
#[derive(Default)]
struct Digests(HashMap<*const RuleSet, (Arc<RuleSet>, String)>);

impl Digests {
    fn of(&mut self, rules: &Arc<RuleSet>) -> String {
        self.0.entry(Arc::as_ptr(rules)).or_insert_with(|| (rules.clone(), rules.digest())).1.clone()
    }
}

pub(crate) fn line(key: &str, part: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(&(key, part))
}

/// The root of a state's lines, without their ends.
pub fn root_of_lines<'l>(lines: impl Iterator<Item = &'l str>) -> StateRoot {
    let mut tree = Tree::new();
    for line in lines {
        tree.append(leaf_hash(line.as_bytes()));
    }
    StateRoot::from_bytes(tree.root().0)
}

/// Why lines are no state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the state: {why}")]
pub struct NoState {
    /// Counted from 0.
    pub line: usize,
    /// The fault in it.
    pub why: Misfit,
}

/// The parts of a state, read from its lines.
#[derive(Default)]
struct Parts {
    log: Option<LogPart>,
    known: Vec<(Origin, KnownPart)>,
    operations: Vec<(u64, WalletOperation)>,
    players: Vec<(PlayerId, PlayerPart)>,
    rules: HashMap<String, Arc<RuleSet>>,
    tables: Vec<(TableId, TablePart)>,
    events: Vec<Tournament>,
    entries: Vec<(TableId, EntryNo, EventEntry)>,
    entrants: Vec<(TableId, PlayerId, Entrant)>,
    tickets: Vec<(TableId, Vec<(PlayerId, bool)>)>,
}

impl Parts {
    fn read<'l>(lines: impl Iterator<Item = &'l str>) -> Result<Parts, NoState> {
        let (mut parts, mut last) = (Parts::default(), None);
        for (number, line) in lines.enumerate() {
            let wrong = |why: Misfit| NoState { line: number, why };
            if has_greater_number(line.as_bytes()) {
                return Err(wrong(Misfit::NumberTooLarge(MOST_NUMBER)));
            }
            let (key, _): (String, IgnoredAny) =
                serde_json::from_str(line).map_err(|e| wrong(Misfit::Text(e.to_string())))?;
            if last.as_ref().is_some_and(|last| *last >= key) {
                return Err(wrong(Misfit::LineOrder(key.clone())));
            }
            parts.take(&key, line).map_err(wrong)?;
            last = Some(key);
        }
        Ok(parts)
    }

    fn take(&mut self, key: &str, line: &str) -> Result<(), Misfit> {
        let name = |kind: &str| key.strip_prefix(kind);
        if key == "log" {
            self.log = Some(part(key, line)?);
        } else if let Some(player) = name("player:") {
            self.players.push((PlayerId::parse(player)?, part(key, line)?));
        } else if let Some(table) = name("table:") {
            self.tables.push((TableId::parse(table)?, part(key, line)?));
        } else if let Some(log) = name("known:") {
            self.known.push((Origin::parse(log)?, part(key, line)?));
        } else if let Some(no) = name("wallet:") {
            self.operations.push((number(no).ok_or("no operation's number")?, part(key, line)?));
        } else if let Some(digest) = name("rules:") {
            let rules: RuleSet = part(key, line)?;
            rules.validate()?;
            if rules.digest() != digest {
                return Err(Misfit::RulesDigest(rules.digest()));
            }
            self.rules.insert(digest.to_owned(), Arc::new(rules));
        } else if let Some(event) = name("event:") {
            let event_part: Tournament = part(key, line)?;
            if event_part.name().as_str() != event {
                return Err(Misfit::OtherTournament(event_part.name().clone()));
            }
            self.events.push(event_part);
        } else if let Some((event, number)) = name("entry:").and_then(|name| name.rsplit_once('/')) {
            let number = crate::parts::number(number).ok_or("no entry's number")?;
            let event = TableId::parse(event)?;
            self.entries.push((event, EntryNo(number), part(key, line)?));
        } else if let Some((event, player)) = name("entrant:").and_then(|name| name.rsplit_once('/')) {
            let event = TableId::parse(event)?;
            let player = PlayerId::parse(player)?;
            self.entrants.push((event, player, part(key, line)?));
        } else if let Some(event) = name("tickets:") {
            let event = TableId::parse(event)?;
            self.tickets.push((event, part(key, line)?));
        } else {
            return Err(Misfit::NoPart(key.to_owned()));
        }
        Ok(())
    }
}

/// A number in its one spelling.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

/// A line's part, whose one encoding the line is.
fn part<P: Serialize + DeserializeOwned>(key: &str, text: &str) -> Result<P, Misfit> {
    let (_, part): (String, P) = serde_json::from_slice(text.as_bytes()).map_err(|e| Misfit::Text(e.to_string()))?;
    match line(key, &part) {
        Ok(again) if again == text => Ok(part),
        _ => Err("it is not in canonical form".into()),
    }
}

impl State {
    /// The state after `size` entries from its lines, to go on from. Whether they are that state is for the caller to
    /// know: by their root ([`root_of_lines`]), which the log names. `entry` finds entries of the log by their index:
    /// those that tables had since they rested last.
    ///
    /// # Errors
    /// What no house's state is, or an entry that does not fit.
    pub fn from_lines<'l>(
        size: u64,
        lines: impl Iterator<Item = &'l str> + Clone,
        entry: &mut dyn FnMut(u64) -> Result<Entry, String>,
    ) -> Result<State, NoState> {
        let Parts { log, known, operations, players, rules, tables, events, entries, entrants, tickets } =
            Parts::read(lines.clone())?;
        let log = log.ok_or_else(|| NoState { line: 0, why: "it has no part `log`".into() })?;
        // A log begins with the dealer's start.
        if size > 0 && (log.origin.is_none() || log.epoch.is_none() || log.master_id.is_none()) {
            return Err(NoState { line: 0, why: "the dealer has not started".into() });
        }
        let mut state = State {
            origin: log.origin,
            epoch: log.epoch,
            master_id: log.master_id,
            last_time: log.time,
            started: log.started,
            ready: log.ready,
            noted: log.noted.unwrap_or_default(),
            continues: log.continues,
            ended: log.ended,
            entries: size,
            ..State::default()
        };
        state.ledger.set_house(log.cage, log.house, log.rake);
        let not_a_state = |why: Misfit| NoState { line: 0, why };
        if log.tickets < 0 || log.rounding_residual < 0 {
            return Err(not_a_state("an account that is not the house's is below zero".into()));
        }
        state.ledger.set_tournaments(log.tickets, log.rounding_residual);
        state.ledger.state_play(log.play);
        state.guests.set_admitted(log.admitted.unwrap_or_default());
        state.take_wallet_totals(log.wallet, log.operations.unwrap_or_default()).map_err(not_a_state)?;
        for (log, part) in known {
            state.take_known(log, part).map_err(not_a_state)?;
        }
        for (player, part) in players {
            state.take_player(player, part).map_err(not_a_state)?;
        }
        for (no, operation) in operations {
            state.take_wallet_operation(no, operation).map_err(not_a_state)?;
        }
        state.take_tournaments(events, entries, entrants, tickets).map_err(not_a_state)?;
        for (id, part) in tables {
            state
                .take_table(&id, part, &rules, entry)
                .map_err(|why| not_a_state(Misfit::InTable(id.clone(), why.into())))?;
        }
        state.check_event_tables().map_err(not_a_state)?;
        if state.ledger.play_total() != 0 {
            return Err(not_a_state(Misfit::PlaySum(state.ledger.play_total())));
        }
        state.recovering = state.tables.values().filter(|table| table.needs_recovery).count();
        state.check_ready().map_err(|why| not_a_state(why.into()))?;
        state.check_ended().map_err(|why| not_a_state(why.into()))?;
        // One state has one text: what is left out, said twice or out of order there is no part of it.
        let again = state.root().map_err(|e| not_a_state(Misfit::Text(e.to_string())))?;
        if again != root_of_lines(lines) {
            return Err(not_a_state("the state that these lines make is written otherwise".into()));
        }
        Ok(state)
    }

    fn take_player(&mut self, player: PlayerId, part: PlayerPart) -> Result<(), Misfit> {
        if part.t_dollars < 0 {
            return Err(Misfit::TDollars(player));
        }
        match part.idle_since.filter(|since| *since <= self.last_time && self.guests.was_admitted(&player)) {
            Some(since) => self.guests.take(&player, since),
            None if is_guest(&player) || part.idle_since.is_some() => {
                return Err(Misfit::NoGuest(player));
            }
            None => {}
        }
        self.ledger.state_player(player.clone(), part.balance);
        self.ledger.set_t_dollars(&player, part.t_dollars);
        self.conduct.take(&player, part.conduct);
        self.limits.take(&player, part.allowed, self.last_time)?;
        let waiting = part.waiting.map(|waiting| (waiting.key, waiting.from));
        self.keyring.take(player, part.key, waiting, part.nonce.unwrap_or_default())
    }

    fn take_tournaments(
        &mut self,
        events: Vec<Tournament>,
        entries: Vec<(TableId, EntryNo, EventEntry)>,
        entrants: Vec<(TableId, PlayerId, Entrant)>,
        tickets: Vec<(TableId, Vec<(PlayerId, bool)>)>,
    ) -> Result<(), Misfit> {
        let mut by_name: BTreeMap<TableId, Tournament> =
            events.into_iter().map(|event| (event.name().clone(), event)).collect();
        let none = |event: &TableId| Misfit::NoTournament(event.clone());
        for (event, entry_no, entry) in entries {
            by_name.get_mut(&event).ok_or_else(|| none(&event))?.entries.insert(entry_no, entry);
        }
        for (event, player, entrant) in entrants {
            by_name.get_mut(&event).ok_or_else(|| none(&event))?.entrants.insert(player, entrant);
        }
        for (event, holders) in tickets {
            self.tickets.insert(event, holders.into_iter().collect());
        }
        for (id, event) in by_name {
            event.check().map_err(|why| Misfit::InTournament(id.clone(), why.into()))?;
            self.ledger.set_event(&id, event.money);
            self.keep_tournament(event);
        }
        Ok(())
    }

    /// Whether tournaments and tables say the same of each other: a tournament's name is no table's, its open tables are
    /// there, and no others say that they are its.
    fn check_event_tables(&self) -> Result<(), Misfit> {
        for event in self.tournaments.values() {
            let name = event.name();
            if Some(&event.context.origin) != self.origin.as_ref() {
                return Err(Misfit::TournamentOfOtherLog(name.clone()));
            }
            if !self.used_tables.contains_key(name) || self.tables.get(name).is_some() {
                return Err(Misfit::TournamentName(name.clone()));
            }
            let is_open = |number: &u16| {
                let table = event.table_name(*number).and_then(|id| self.tables.get(&id));
                table.is_some_and(|table| table.event.as_ref() == Some(name))
            };
            let said = self.tables.values().filter(|table| table.event.as_ref() == Some(name)).count();
            if said != event.tables.open.len() || !event.tables.open.iter().all(is_open) {
                return Err(Misfit::OpenTables(name.clone()));
            }
        }
        let is_known = |event: &TableId| self.tournaments.get(event).is_some();
        match self.tables.values().filter_map(|table| table.event.as_ref()).find(|event| !is_known(event)) {
            Some(event) => Err(Misfit::NoTournament(event.clone())),
            None => Ok(()),
        }
    }

    fn take_table(
        &mut self,
        id: &TableId,
        part: TablePart,
        rules: &HashMap<String, Arc<RuleSet>>,
        entry: &mut dyn FnMut(u64) -> Result<Entry, String>,
    ) -> Result<(), Misfit> {
        let runs: Vec<SealedRun> =
            part.sealed.into_iter().map(|(epoch, first, last)| SealedRun { epoch, first, last }).collect();
        if !runs.is_empty() {
            self.sealed.insert(id.clone(), runs);
        }
        self.changes.take(id, part.changes);
        self.used_tables.insert(id.clone(), UsedName { owner: part.owner.clone(), replaced_by: part.replaced_by });
        self.guests.note_table(part.owner.as_ref(), id);
        let Some(stands) = part.stands else { return Ok(()) };
        if let Some(owner) = &part.owner {
            *self.owned_tables.or_insert(owner, 0) += 1;
        }
        let rules = rules.get(&stands.rules).ok_or("its rule set is missing")?;
        let rules = self.tables.share(&stands.rules, rules);
        let epoch = Some(stands.epoch.ok_or("the dealer has not started")?);
        let (since, due) = (stands.since.clone(), stands.due);
        let origin = self.origin.clone().ok_or("the log has no name")?;
        let context = |epoch: Option<Epoch>| {
            let epoch = epoch.ok_or("the dealer has not started")?;
            Ok::<_, Misfit>(TableContext { origin: origin.clone(), table: id.clone(), epoch })
        };
        let mut table = Table::new(id.clone(), rules, part.owner, stands.idle_ms);
        table.event.clone_from(&part.event);
        table.take_stands(stands, &context)?;
        table.take_dues(due);
        table.check_dues(due)?;
        if !since.is_empty() {
            let rested = Arc::new(table.clone());
            let mut now = epoch;
            for index in &since {
                now = table.fold_entry(&entry(*index).map_err(Misfit::Text)?, now, &context)?;
            }
            table.rest = Some(Box::new(Rest { table: rested, epoch, since }));
        }
        let has_stacks = table.cash().is_some() && table.event.is_none();
        self.ledger.open_table(id.clone(), if has_stacks { table.rules.table.seats } else { 0 });
        self.ledger.set_table(id, table.staked().ok_or("its stakes are out of range")?);
        for (number, seat) in table.cash().filter(|_| has_stacks).into_iter().flat_map(|cash| &cash.seats) {
            self.ledger.state_seat(id, *number, seat.stack);
        }
        self.guests.take_places(&table.guests());
        self.note_dues(&table);
        Ok(self.keep(table)?)
    }
}

impl Table {
    /// Takes in how it rests; its own name, rules and owner it has.
    fn take_stands(
        &mut self,
        stands: Stands,
        context: &dyn Fn(Option<Epoch>) -> Result<TableContext, Misfit>,
    ) -> Result<(), Misfit> {
        (self.next_seq, self.next_shoe) = (stands.next_seq, stands.next_shoe);
        (self.needs_recovery, self.down_since) = (stands.down_since.is_some(), stands.down_since);
        let seats = stands.noted.betting.iter().flat_map(|betting| &betting.seats).map(|one| one.seat);
        let mut seats = seats.chain(stands.noted.cash.iter().flat_map(|cash| &cash.seats).map(|one| one.seat));
        if !seats.all(|seat| (1..=self.rules.table.seats).contains(&seat)) {
            return Err("it has no such seat".into());
        }
        self.check_pause(&stands.noted)?;
        self.put_noted(&stands.noted);
        for (number, leaving, unseated, top_up) in stands.untidy {
            let seat = self
                .kind
                .cash_mut()
                .and_then(|cash| cash.seats.get_mut(&number))
                .ok_or("an untidy seat is not taken")?;
            (seat.leaving, seat.unseated, seat.top_up) = (leaving, unseated, top_up);
        }
        let ascends = |void: &VoidedRound| void.missing.is_sorted_by(|one, next| one.player < next.player);
        if !stands.voided.iter().all(ascends) {
            return Err("who is missing in a void round does not ascend".into());
        }
        self.voided = stands.voided;
        let Some(part) = stands.shoe else { return Ok(()) };
        if part.candidates.len() != usize::from(self.rules.candidates()) {
            return Err("its shoe has not as many candidates as its rules say".into());
        }
        let drawn: BTreeSet<Slot> = part.drawn.into_iter().collect();
        let undrawn = (0..part.composition.len()).map(Slot).filter(|slot| !drawn.contains(slot)).collect();
        let id = ShoeId { context: context(Some(part.epoch))?, shoe_no: part.shoe_no, composition: part.composition };
        self.shoe = Some(Arc::new(Shoe { id, candidates: part.candidates, undrawn }));
        if let KindState::Betting(betting) = &mut self.kind {
            (betting.bettors, betting.last_hand, betting.shuffle_asked) =
                (part.bettors, part.last_hand, part.shuffle_asked);
        }
        self.shoe_use = Some(ShoeUse {
            from_seq: part.from_seq,
            bytes: part.bytes,
            since: part.since,
            rounds: part.rounds,
            last_round_at: part.last_round_at,
        });
        Ok(())
    }

    /// Folds an entry in that it had since it rested, or a start of the dealer; the epoch in force after it.
    fn fold_entry(
        &mut self,
        entry: &Entry,
        epoch: Option<Epoch>,
        context: &dyn Fn(Option<Epoch>) -> Result<TableContext, Misfit>,
    ) -> Result<Option<Epoch>, Misfit> {
        if let Some(Event::DealerStarted { epoch, down_ms, .. }) = entry.events.first() {
            self.await_recovery(entry.time, *down_ms);
            return Ok(Some(*epoch));
        }
        if entry.at.as_ref().is_none_or(|at| at.table != self.id || at.seq != self.next_seq) {
            return Err("an entry that it is said to have had is not its next".into());
        }
        for event in &entry.events {
            let context = if let Event::ShoeCommitted { .. } = event { Some(context(epoch)?) } else { None };
            self.fold_event(event, entry.time, context)?;
        }
        self.end_entry(entry, self.next_seq)?;
        Ok(epoch)
    }
}
