//! Where things stand in the log: a cache beside it, on disk, that is extended with every batch that became durable.
//!
//! Owns what is asked by number, by player or by time instead of by place: rounds, players' rounds, tables' entries,
//! shoes, starts, keys, disclosures, significant events. It owns no truth: all of it is made of the log's entries, and
//! can be made again ([`Index::catch_up`], [`Index::mend`]). In memory is what is open, and what came since the last
//! writing; the files hold the rest. Implements spec/index.md.

mod files;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod model;
mod places;
mod player;
mod run;
mod shown;
mod significant;
mod table;
#[cfg(test)]
mod tests;
mod wire;
mod writing;

pub use files::Totals;
pub use places::TableIndex;
pub use player::PlayerIndex;
pub use shown::Shown;
pub use significant::{Significant, SignificantIndex, WITHHELD_ALARM, What};
pub use table::{RoundRef, RoundState};

use fairshoe_fairness::{Epoch, PlayerId, TableContext, TableId};
use fairshoe_house::{Actor, Entry, Event, ShoeId, WalletCall};
use files::Files;
use places::load;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use table::{Table, key};
use thiserror::Error;
use writing::Writing;

/// Why the index has no answer. None of these says anything of the log.
#[derive(Debug, Error)]
pub enum IndexError {
    #[error("the index's files cannot be used: {0}")]
    Io(#[from] std::io::Error),
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    #[error("the index is not this log's: {0}")]
    Foreign(&'static str),
}

/// The most starts in one history, and disclosures of one shoe, that are looked for.
const MOST_FOUND: usize = 65_536;

/// What came since the last writing, beside tables.
#[derive(Default)]
struct Recent {
    /// Rounds of players, in order.
    players: HashMap<PlayerId, Arc<Vec<(TableId, u64)>>>,
    /// Where the dealer started, with its epochs.
    starts: BTreeMap<u64, Epoch>,
    /// Log indices of the entries that set or cleared a player's key.
    keys: BTreeSet<(PlayerId, u64)>,
    /// Disclosures of sealed shoes, each with its log index; to whom (`None`: every auditor).
    disclosed: BTreeMap<(TableId, u64, u64), Option<PlayerId>>,
    /// Log indices of what the wallet's operations were answered last (false), and of what asked for them (true), by
    /// number.
    operations: BTreeMap<(bool, u64), u64>,
    /// What a regulator is told of, in order.
    significant: Arc<Vec<Significant>>,
}

/// What is known in memory.
struct Memory {
    /// Those that are open and had an entry since the start, and those that are not written yet.
    tables: HashMap<TableId, Arc<Table>>,
    /// Those that changed since the last writing.
    changed: HashSet<TableId>,
    recent: Recent,
    /// What is being written.
    under_way: Option<Arc<Recent>>,
    files: Arc<Files>,
    totals: Totals,
    /// Up to which size of the log the files reach.
    written: u64,
    /// How long the log is. The index is behind where an entry could not be taken in because of damage.
    log: u64,
}

/// See the module.
pub struct Index {
    origin: fairshoe_fairness::Origin,
    memory: RwLock<Memory>,
    writing: Mutex<Writing>,
    /// Whether the thread that writes is to end; told when there is something to write.
    ending: Mutex<bool>,
    due: Condvar,
}

impl Memory {
    fn new(files: Arc<Files>, totals: Totals) -> Memory {
        Memory {
            tables: HashMap::new(),
            changed: HashSet::new(),
            recent: Recent::default(),
            under_way: None,
            files,
            written: totals.size,
            log: totals.size,
            totals,
        }
    }

    /// Whether it cannot be relied on, and is to be made again from the log.
    fn is_damaged(&self) -> bool {
        self.files.is_damaged() || self.log != self.totals.size
    }

    /// The table in memory, from disk where it is not there yet.
    fn table_mut(&mut self, id: &TableId, seq: u64) -> Result<&mut Table, IndexError> {
        if !self.tables.contains_key(id) {
            let known = if seq == 0 { None } else { load(&self.files, id, true)? };
            self.tables.insert(id.clone(), Arc::new(known.unwrap_or_default()));
        }
        self.changed.insert(id.clone());
        self.tables.get_mut(id).map(Arc::make_mut).ok_or(IndexError::Damaged("a table is not there"))
    }

    /// Takes the next entry in.
    fn add(&mut self, index: u64, entry: &Entry) -> Result<(), IndexError> {
        // First of all what can fail: an entry is taken in as a whole or not at all.
        if let Some(at) = &entry.at {
            self.table_mut(&at.table, at.seq)?;
        }
        for event in &entry.events {
            match event {
                Event::DealerStarted { epoch, .. } => {
                    self.recent.starts.insert(index, *epoch);
                    self.totals.starts += 1;
                    self.totals.start = Some((index, *epoch));
                }
                Event::KeySet { player, .. } => drop(self.recent.keys.insert((player.clone(), index))),
                Event::WalletAsked { no, call: WalletCall::Reserve | WalletCall::Pay, .. } => {
                    self.recent.operations.insert((true, *no), index);
                }
                Event::WalletAnswered { no, .. } => drop(self.recent.operations.insert((false, *no), index)),
                Event::StartRefused { at, .. } => self.totals.refused_at = self.totals.refused_at.max(Some(*at)),
                Event::Play(play) if play.hand_result().is_some() => self.totals.hands += 1,
                Event::ShoeSealed { .. } => self.totals.sealed_shoes += 1,
                Event::ShoeDisclosed { table, shoe_no, auditor } => {
                    self.totals.disclosures += 1;
                    self.recent.disclosed.insert((table.clone(), *shoe_no, index), auditor.clone());
                }
                _ => {}
            }
        }
        let mut withheld = 0;
        if let Some(at) = &entry.at {
            for event in &entry.events {
                if let Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } = event {
                    self.totals.rounds += 1;
                    for (player, _) in event.entrants() {
                        let rounds = self.recent.players.entry(player.clone()).or_default();
                        Arc::make_mut(rounds).push((at.table.clone(), *round_no));
                    }
                }
            }
            let start = self.totals.start.map(|(start, _)| start);
            let table = self.table_mut(&at.table, at.seq)?;
            table.add(index, at.seq, entry, start);
            withheld = table.withheld;
        }
        let noted = significant::noted(index, entry, self.totals.stopped || self.totals.starts <= 1, withheld);
        if !noted.is_empty() {
            self.totals.significant += noted.len() as u64;
            Arc::make_mut(&mut self.recent.significant).extend(noted);
        }
        self.totals.stopped = entry.events.iter().any(|event| matches!(event, Event::DealerStopped {}));
        self.totals.size = index.saturating_add(1);
        Ok(())
    }
}

impl Index {
    fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory_mut(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in entries that became durable, from `first` on, after which the log's tree has this root. Readers see all
    /// of them on return.
    ///
    /// # Errors
    /// Only where too much waits to be written and the disk does not take it.
    pub fn extend<'e>(
        &self,
        first: u64,
        entries: impl IntoIterator<Item = &'e Entry>,
        root: &str,
    ) -> Result<(), IndexError> {
        let waiting = {
            let mut memory = self.memory_mut();
            for (index, entry) in (first..).zip(entries) {
                // Where it is behind, the entries come later, from the log ([`Index::mend`]).
                if memory.log == memory.totals.size
                    && let Err(error) = memory.add(index, entry)
                {
                    memory.files.note(error);
                }
                memory.log = index.saturating_add(1);
            }
            root.clone_into(&mut memory.totals.root);
            memory.log.saturating_sub(memory.written)
        };
        if waiting >= writing::DUE {
            self.due.notify_all();
        }
        // Then the log's writer also writes the index: memory is bounded, and this is slow, not wrong.
        if waiting >= writing::MOST { self.write() } else { Ok(()) }
    }

    /// What is known of the log as a whole.
    pub fn totals(&self) -> Totals {
        self.memory().totals.clone()
    }

    /// A table as it is now, if there ever was one of that name.
    pub fn table(&self, id: &TableId) -> Result<Option<TableIndex>, IndexError> {
        let (table, files) = {
            let memory = self.memory();
            if memory.log != memory.totals.size {
                return Err(IndexError::Damaged("it is being made again from the log"));
            }
            (memory.tables.get(id).cloned(), memory.files.clone())
        };
        let table = match table {
            Some(table) => Some(table),
            None => load(&files, id, false).map_err(|error| files.note(error))?.map(Arc::new),
        };
        Ok(table.map(|table| TableIndex { id: id.clone(), table, files }))
    }

    /// A player's rounds.
    pub fn player(&self, player: &PlayerId) -> Result<PlayerIndex, IndexError> {
        let memory = self.memory();
        let of = |recent: &Recent| recent.players.get(player).cloned().unwrap_or_default();
        let recent = [memory.under_way.as_deref().map(of).unwrap_or_default(), of(&memory.recent)];
        let files = memory.files.clone();
        drop(memory);
        PlayerIndex::new(files, player, recent)
    }

    /// What a regulator is told of.
    pub fn significant(&self) -> SignificantIndex {
        let memory = self.memory();
        let recent = [
            memory.under_way.as_ref().map(|recent| recent.significant.clone()).unwrap_or_default(),
            memory.recent.significant.clone(),
        ];
        SignificantIndex { files: memory.files.clone(), recent, count: memory.totals.significant }
    }

    /// Looks for something in what is recent, the newest first.
    fn recent<T>(&self, find: impl Fn(&Recent) -> Option<T>) -> (Option<T>, Arc<Files>) {
        let memory = self.memory();
        let found = find(&memory.recent).or_else(|| memory.under_way.as_deref().and_then(&find));
        (found, memory.files.clone())
    }

    /// The entry that set or cleared the key under which this actor's entry at `index` was given.
    pub fn key_entry(&self, by: &Actor, index: u64) -> Result<Option<u64>, IndexError> {
        let Actor::Player(player) = by else { return Ok(None) };
        let Some(before) = index.checked_sub(1) else { return Ok(None) };
        let set = |recent: &Recent| {
            let all = recent.keys.range((player.clone(), 0)..=(player.clone(), before));
            all.last().map(|(_, set)| *set)
        };
        let (found, files) = self.recent(set);
        if found.is_some() {
            return Ok(found);
        }
        let wanted = key(b'k', player, before);
        Ok(files.floor(&wanted)?.and_then(|(found, _)| number_of(&found, &wanted)))
    }

    /// The entries that asked for an operation of the wallet, and that has its last answer.
    pub fn wallet_operation(&self, no: u64) -> Result<(Option<u64>, Option<u64>), IndexError> {
        let find = |is_asked: bool| {
            let (found, files) = self.recent(|recent| recent.operations.get(&(is_asked, no)).copied());
            match found {
                Some(found) => Ok(Some(found)),
                None => {
                    files.get(&writing::operation_key(is_asked, no))?.map(|bytes| writing::index(&bytes)).transpose()
                }
            }
        };
        Ok((find(true)?, find(false)?))
    }

    /// Whether a player takes part in a round that is in progress.
    pub fn plays_in(&self, player: &PlayerId, table: &TableId, round_no: u64) -> Result<bool, IndexError> {
        let Some(table) = self.table(table)? else { return Ok(false) };
        let is_on = table.round(round_no)?.is_some_and(|round| round.last_seq.is_none());
        Ok(is_on && table.table.players.contains(player))
    }

    /// The log indices of the entries that disclosed this shoe to this auditor.
    pub fn disclosures_to(&self, auditor: &PlayerId, table: &TableId, shoe_no: u64) -> Result<Vec<u64>, IndexError> {
        let wanted = |name: &Option<PlayerId>| name.as_ref().is_none_or(|name| name == auditor);
        let mut found = BTreeSet::new();
        let files = {
            let memory = self.memory();
            for recent in memory.under_way.as_deref().into_iter().chain([&memory.recent]) {
                let all = recent.disclosed.range((table.clone(), shoe_no, 0)..=(table.clone(), shoe_no, u64::MAX));
                found.extend(all.filter(|(_, name)| wanted(name)).map(|((_, _, index), _)| *index));
            }
            memory.files.clone()
        };
        let [from, to] = [0, u64::MAX].map(|index| writing::disclosed_key(table, shoe_no, index));
        for (at, name) in files.range(&from, &to, MOST_FOUND)? {
            if name.is_empty() || name == auditor.as_str().as_bytes() {
                found.extend(number_of(&at, &from));
            }
        }
        Ok(found.into_iter().collect())
    }

    /// A shoe's full name.
    pub fn shoe_id(&self, table: &TableId, shoe_no: u64) -> Result<Option<ShoeId>, IndexError> {
        let Some(shoe) = self.table(table)?.map(|table| table.shoe(shoe_no)).transpose()?.flatten() else {
            return Ok(None);
        };
        let Some(start) = shoe.start else { return Ok(None) };
        let last = self.memory().totals.start;
        let epoch = match last.filter(|(last, _)| *last == start) {
            Some((_, epoch)) => Some(epoch),
            None => self.epoch(start)?,
        };
        let Some(epoch) = epoch else { return Ok(None) };
        let context = TableContext { origin: self.origin.clone(), table: table.clone(), epoch };
        Ok(Some(ShoeId { context, shoe_no, composition: shoe.composition.as_ref().clone() }))
    }

    fn epoch(&self, start: u64) -> Result<Option<Epoch>, IndexError> {
        let (found, files) = self.recent(|recent| recent.starts.get(&start).copied());
        match found {
            Some(found) => Ok(Some(found)),
            None => files.get(&writing::start_key(start))?.map(|bytes| writing::epoch(&bytes)).transpose(),
        }
    }

    /// The log indices of a table's opening, of the start before this history and of those within it.
    pub fn context_of(&self, table: &TableIndex, first: u64, last: u64) -> Result<Vec<u64>, IndexError> {
        let mut context: BTreeSet<u64> = table.opened().into_iter().collect();
        let mut earlier = None;
        let files = {
            let memory = self.memory();
            for recent in memory.under_way.as_deref().into_iter().chain([&memory.recent]) {
                earlier = earlier.max(recent.starts.range(..first).next_back().map(|(index, _)| *index));
                context.extend(recent.starts.range(first..=last.max(first)).map(|(index, _)| *index));
            }
            memory.files.clone()
        };
        let [from, to] = [first, last].map(writing::start_key);
        for (at, _) in files.range(&from, &to, MOST_FOUND)? {
            context.extend(number_of(&at, &from));
        }
        if earlier.is_none()
            && let Some(before) = first.checked_sub(1).map(writing::start_key)
        {
            earlier = files.floor(&before)?.and_then(|(at, _)| number_of(&at, &before));
        }
        context.extend(earlier);
        Ok(context.into_iter().collect())
    }
}

/// The number at the end of a key, where the rest of it is that of the key that was looked for.
fn number_of(found: &[u8], wanted: &[u8]) -> Option<u64> {
    let (name, number) = found.split_last_chunk::<8>()?;
    (Some(name) == wanted.split_last_chunk::<8>().map(|(name, _)| name)).then(|| u64::from_be_bytes(*number))
}
