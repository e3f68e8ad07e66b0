//! Rounds, bundles and repeated replies, all rebuilt from the durable log.

use crate::read::archive::Archive;
use crate::read::index::{Index, IndexError, TableIndex};
use crate::read::openings::openings_of;
use crate::read::own::OwnSlots;
use crate::read::round_stage::RoundStage;
use fairshoe_api::{OwnCards, RoundView, ShownOpening};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_house::{Account, Actor, Balance, Command, Entry, Event, OpenRound, State};
use fairshoe_store::StoreError;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Why something cannot be rebuilt.
#[derive(Debug, Error)]
pub enum HistoryError {
    #[error("there is no such round")]
    NoSuchRound,
    #[error("there is no such shoe")]
    NoSuchShoe,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A history of so many entries was not asked for.
    #[error("a history of {0} entries is too long")]
    TooLong(u64),
    #[error("the log cannot be read back: {0}")]
    Broken(String),
}

/// An entry with its place.
#[derive(Clone)]
pub struct Placed {
    pub index: u64,
    pub bytes: Vec<u8>,
    pub entry: Entry,
}

/// The log's places, as they are durable now.
pub fn index(archive: &Archive) -> &Index {
    &archive.index
}

/// A table that there must have been.
fn table_of(archive: &Archive, table: &TableId) -> Result<TableIndex, HistoryError> {
    index(archive).table(table)?.ok_or(HistoryError::NoSuchRound)
}

/// An entry of the log.
pub fn read(archive: &Archive, at: u64) -> Result<Placed, HistoryError> {
    let bytes = archive.reader.entry(at)?;
    let entry = Entry::decode(&bytes).map_err(|e| HistoryError::Broken(e.to_string()))?;
    Ok(Placed { index: at, bytes, entry })
}

/// A shoe's history at its table: its first shoe's number, and its entries.
type History = (u64, Range<u64>);

/// Where all of the log stands that a shoe's rounds rest on, or a game's of several piles (spec/audit.md, "The
/// bundle"). It is known without reading any of it, so that whoever asks for too much is refused at no cost.
pub struct Sources {
    /// The round asked for, if one was, by its own number.
    pub round_no: u64,
    /// `table_opened` and the `dealer_started` entries that count. The `key_set` entries that count belong to them;
    /// which they are only the entries themselves say ([`Index::key_entry`]).
    pub context: Vec<u64>,
    /// The table's entries from `shoe_committed` to `shoe_revealed`, or to the latest.
    pub entries: Vec<u64>,
    first_shoe: u64,
}

impl Sources {
    /// A history of so many entries at most, of a table and up to a place in the log.
    fn new(
        index: &Index,
        table: &TableIndex,
        history: History,
        until: u64,
        most: u64,
    ) -> Result<Sources, HistoryError> {
        let (first_shoe, span) = history;
        let span = span.start..span.end.min(table.entries_below(until.saturating_add(1))?);
        let count = span.end.saturating_sub(span.start);
        if count > most {
            return Err(HistoryError::TooLong(count));
        }
        let entries = table.indices(span)?;
        let context = match (entries.first(), entries.last()) {
            (Some(first), Some(last)) => index.context_of(table, *first, *last)?,
            _ => Vec::new(),
        };
        Ok(Sources { round_no: 0, context, entries, first_shoe })
    }

    /// The history of a round's shoe, up to a place in the log, of so many entries at most.
    pub fn of_round(
        archive: &Archive,
        table: &TableId,
        round_no: u64,
        until: u64,
        most: u64,
    ) -> Result<Sources, HistoryError> {
        let table = table_of(archive, table)?;
        let round = table.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
        let history = table.history_of_shoe(round.shoe_no)?.ok_or(HistoryError::NoSuchRound)?;
        let sources = Self::new(index(archive), &table, history, until, most)?;
        Ok(Sources { round_no: round.round_no, ..sources })
    }

    /// The history of a table's latest shoe, up to a place in the log, of so many entries at most; nothing where there
    /// was no shoe yet. Its round is the last one dealt from it, or the one that comes next.
    pub fn of_table(
        archive: &Archive,
        table: &TableIndex,
        until: u64,
        most: u64,
    ) -> Result<Option<Sources>, HistoryError> {
        let entries = table.entries_below(until.saturating_add(1))?;
        let Some(shoe_no) = table.shoes_before(entries)?.checked_sub(1) else { return Ok(None) };
        let Some(history) = table.history_of_shoe(shoe_no)? else { return Ok(None) };
        let count = table.round_count();
        let newest = table.rounds(count.saturating_sub(2)..count)?;
        let last = newest.iter().rfind(|round| round.closed_seq < entries);
        let round_no = match last {
            Some(round) if round.shoe_no >= history.0 => round.round_no,
            Some(round) => round.last_no.saturating_add(1),
            None => 0,
        };
        let sources = Self::new(index(archive), table, history, until, most)?;
        Ok(Some(Sources { round_no, ..sources }))
    }

    /// How many entries there are in all.
    pub fn count(&self) -> usize {
        self.context.len().saturating_add(self.entries.len())
    }
}

/// Histories whose entries are too long for a bundle, which they stay since they only grow: they are not read again to
/// know it.
#[derive(Default)]
pub struct LongHistories(Mutex<HashSet<(TableId, u64)>>);

/// So many are remembered before all are forgotten.
const MOST_LONG: usize = 4096;

impl LongHistories {
    fn lock(&self) -> MutexGuard<'_, HashSet<(TableId, u64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn has(&self, table: &TableId, sources: &Sources) -> bool {
        self.lock().contains(&(table.clone(), sources.first_shoe))
    }

    pub fn add(&self, table: &TableId, sources: &Sources) {
        let mut all = self.lock();
        if all.len() >= MOST_LONG {
            all.clear();
        }
        all.insert((table.clone(), sources.first_shoe));
    }
}

/// The table of an entry, and the history there that it belongs to.
fn history_of(archive: &Archive, placed: &Placed) -> Result<Option<(TableIndex, History)>, HistoryError> {
    let Some(at) = &placed.entry.at else { return Ok(None) };
    let Some(table) = index(archive).table(&at.table)? else { return Ok(None) };
    let history = table.history_at(at.seq)?;
    Ok(history.map(|history| (table, history)))
}

/// The same, read.
pub struct Excerpt {
    /// `table_opened`, the `dealer_started` and the `key_set` entries that count.
    context: Vec<Placed>,
    /// The table's entries from `shoe_committed` to `shoe_revealed`, or to the latest.
    entries: Vec<Placed>,
}

impl Excerpt {
    fn load(archive: &Archive, sources: Sources) -> Result<Excerpt, HistoryError> {
        let all = |indices: Vec<u64>| indices.into_iter().map(|at| read(archive, at)).collect::<Result<Vec<_>, _>>();
        let (mut context, entries) = (all(sources.context)?, all(sources.entries)?);
        let key_of = |placed: &Placed| index(archive).key_entry(&placed.entry.by, placed.index).transpose();
        let keys = context.iter().chain(&entries).filter_map(key_of).collect::<Result<BTreeSet<u64>, _>>()?;
        context.extend(all(keys.into_iter().collect())?);
        context.sort_by_key(|placed| placed.index);
        Ok(Excerpt { context, entries })
    }

    /// The history of a round's shoe, up to a place in the log.
    pub fn of_round(archive: &Archive, table: &TableId, round_no: u64, until: u64) -> Result<Excerpt, HistoryError> {
        Self::load(archive, Sources::of_round(archive, table, round_no, until, u64::MAX)?)
    }

    /// The history that a table's entry belongs to, up to that entry.
    pub fn of_entry(archive: &Archive, placed: &Placed) -> Result<Option<Excerpt>, HistoryError> {
        let Some((table, history)) = history_of(archive, placed)? else { return Ok(None) };
        Self::load(archive, Sources::new(index(archive), &table, history, placed.index, u64::MAX)?).map(Some)
    }

    /// The table as it stood after these entries. Of other tables' entries nothing is known.
    pub fn replay(&self) -> Result<State, HistoryError> {
        let broken = |e: &dyn std::fmt::Display| HistoryError::Broken(e.to_string());
        let mut all: Vec<&Placed> = self.context.iter().chain(&self.entries).collect();
        all.sort_by_key(|placed| placed.index);
        let first = self.entries.first().map(|placed| placed.index);
        let mut state = State::partial(None);
        for placed in all {
            if Some(placed.index) == first {
                state.stand_at(&placed.entry).map_err(|e| broken(&e))?;
            }
            state.apply(&placed.entry).map_err(|e| broken(&e))?;
        }
        Ok(state)
    }
}

/// A round as it stands, or stood at its end, and the state that it is seen from.
pub fn round(archive: &Archive, table: &TableId, round_no: u64) -> Result<(State, OpenRound), HistoryError> {
    let until = {
        let table = table_of(archive, table)?;
        let round = table.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
        let last = table.span_of_round(&round, false).end.saturating_sub(1);
        table.entry(last)?.unwrap_or_default()
    };
    let state = Excerpt::of_round(archive, table, round_no, until)?.replay()?;
    let round = state.table(table).and_then(|table| table.round.clone()).ok_or(HistoryError::NoSuchRound)?;
    Ok((state, round))
}

/// The log indices of a round's own entries, from the one that closed its bets.
pub fn entries_of(archive: &Archive, table: &TableId, round_no: u64) -> Result<Vec<u64>, HistoryError> {
    let table = table_of(archive, table)?;
    let round = table.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
    Ok(table.indices(table.span_of_round(&round, false))?)
}

/// How many entries a round has, from the one that opened its bets.
pub fn count_of(archive: &Archive, table: &TableId, round_no: u64) -> Result<u64, HistoryError> {
    let table = table_of(archive, table)?;
    let round = table.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
    let span = table.span_of_round(&round, true);
    Ok(span.end.saturating_sub(span.start))
}

/// A reply rebuilt from the log.
pub struct Rebuilt {
    pub placed: Placed,
    pub shoe_index: Option<u64>,
    pub round: Option<RoundView>,
    pub openings: Vec<ShownOpening>,
    /// Their own cards, where a player who has some asks.
    pub own: Option<OwnCards>,
    pub balance: Option<Chips>,
}

/// The player whose balance the reply to an entry tells its caller.
pub fn told_balance<'e>(entry: &'e Entry, by: &'e Actor) -> Option<&'e PlayerId> {
    if let Some(Event::GuestAdmitted { player }) = entry.events.first() {
        return Some(player);
    }
    let asker = if let Actor::Player(player) = by { Some(player) } else { None };
    match entry.command.facts().balance {
        Balance::Untold => None,
        Balance::Of(player) => Some(player),
        Balance::OfGiver => asker,
        Balance::OfGiverIfPosted => {
            asker.filter(|_| entry.events.iter().any(|event| matches!(event, Event::Posted { .. })))
        }
    }
}

/// Where more entries of its shoe's history lie before a repeat, none of them is read. *Attack: seven players fill a shoe's
/// history with bets that they change; each bet that is repeated then has thousands of entries replayed.*
const MOST_REPLAYED: u64 = 512;

/// The table as it stood after an entry, if it takes few entries to know.
fn table_after(
    archive: &Archive,
    known: &TableIndex,
    history: History,
    at: u64,
) -> Result<Option<State>, HistoryError> {
    match Sources::new(index(archive), known, history, at, MOST_REPLAYED) {
        Err(HistoryError::TooLong(_)) => Ok(None),
        sources => Excerpt::load(archive, sources?)?.replay().map(Some),
    }
}

/// What the reply to the entry at `at` was, as `by` may see it.
pub fn rebuild(archive: &Archive, by: &Actor, at: u64) -> Result<Rebuilt, HistoryError> {
    let placed = read(archive, at)?;
    let mut rebuilt = Rebuilt { placed, shoe_index: None, round: None, openings: Vec::new(), own: None, balance: None };
    let entry = &rebuilt.placed.entry;
    if let (Some(table), Some((known, history))) = (entry.command.table(), history_of(archive, &rebuilt.placed)?) {
        if places_bet(entry) {
            rebuilt.shoe_index = known.entry(history.1.start)?;
        }
        let state = table_after(archive, &known, history, at)?;
        let round_stage = state.as_ref().and_then(|state| RoundStage::of(state, &entry.command));
        if entry.command.round_no().is_some() {
            rebuilt.openings = openings_of(archive, entry, round_stage.as_ref().map(RoundStage::shoe_no))?;
        }
        if let Some((state, round_stage)) = state.as_ref().zip(round_stage) {
            rebuilt.round = Some(round_stage.view(table, &round_stage.funds(state)));
            let own = round_stage.round().and_then(|round| OwnSlots::of(round, by));
            rebuilt.own = own.map(|own| own.open(archive, table)).transpose()?.flatten();
        }
        // Of one table's entries only its bettors' balances are known; whoever else repeats a reveal is told none.
        rebuilt.balance = state.and_then(|state| state.ledger().player(told_balance(entry, by)?));
    }
    if let (None, Some(player)) = (rebuilt.balance, told_balance(entry, by)) {
        let is_new = matches!(entry.command, Command::CreatePlayer { .. });
        rebuilt.balance = if is_new { Some(Chips::ZERO) } else { posted_to(entry, player) };
    }
    Ok(rebuilt)
}

/// The balance that an entry's postings left a player with.
fn posted_to(entry: &Entry, player: &PlayerId) -> Option<Chips> {
    let lines =
        entry.events.iter().filter_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None });
    let line = lines.flatten().rfind(|line| line.0 == Account::Player(player.clone()))?;
    u64::try_from(line.2).ok().and_then(Chips::new)
}

/// Whether an entry is a player's bet, or their commitment for the hand that is being called: it stands on a committed
/// shoe, which the reply proves with it.
pub fn places_bet(entry: &Entry) -> bool {
    let placed = |event: &Event| match &entry.command {
        Command::Bet { .. } => matches!(event, Event::BetPlaced { .. }),
        Command::CommitHandSeed { .. } => matches!(event, Event::HandSeedCommitted { .. }),
        _ => false,
    };
    entry.events.iter().any(placed)
}
