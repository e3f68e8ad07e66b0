//! Rounds, bundles and repeated replies, all rebuilt from the durable log.

use crate::archive::Archive;
use crate::concerned::Concerned;
use crate::index::{Index, IndexError, TableIndex};
use crate::openings::openings_of;
use crate::own::OwnSlots;
use fairshoe_api::{OwnCards, RoundView, ShownOpening};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_house::{Account, Actor, Command, Entry, Event, OpenRound, State};
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

/// Where all of the log stands that a shoe's rounds rest on, or a game's of Safe (spec/audit.md, "The bundle"). It is known
/// without reading any of it, so that whoever asks for too much is refused at no cost.
pub struct Sources {
    /// The round asked for, if one was, by its own number.
    pub round_no: u64,
    /// `table_opened` and the `dealer_started` entries that count. The `key_set` entries that count belong to them; which they
    /// are only the entries themselves say ([`Index::key_entry`]).
    pub context: Vec<u64>,
    /// The table's entries from `shoe_committed` to `shoe_revealed`, or to the latest.
    pub entries: Vec<u64>,
    first_shoe: u64,
}

impl Sources {
    /// A history of so many entries at most, of a table and up to a place in the log.
    fn new(index: &Index, table: &TableIndex, history: (u64, Range<u64>), until: u64, most: u64) -> Result<Sources, HistoryError> {
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
    pub fn of_round(archive: &Archive, table: &TableId, round_no: u64, until: u64, most: u64) -> Result<Sources, HistoryError> {
        let table = table_of(archive, table)?;
        let round = table.round(round_no)?.ok_or(HistoryError::NoSuchRound)?;
        let history = table.history_of_shoe(round.shoe_no)?.ok_or(HistoryError::NoSuchRound)?;
        let sources = Self::new(index(archive), &table, history, until, most)?;
        Ok(Sources { round_no: round.round_no, ..sources })
    }

    /// How many entries there are in all.
    pub fn count(&self) -> usize {
        self.context.len().saturating_add(self.entries.len())
    }
}

/// Histories whose entries are too long for a bundle, which they stay since they only grow: they are not read again to know it.
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

/// The same, read.
pub struct Excerpt {
    /// `table_opened`, the `dealer_started` and the `key_set` entries that count.
    context: Vec<Placed>,
    /// The table's entries from `shoe_committed` to `shoe_revealed`, or to the latest.
    pub entries: Vec<Placed>,
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
        let Some(at) = &placed.entry.at else { return Ok(None) };
        let Some(table) = index(archive).table(&at.table)? else { return Ok(None) };
        let Some(history) = table.history_at(at.seq)? else { return Ok(None) };
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
    /// His own cards, where a player who has some asks.
    pub own: Option<OwnCards>,
    pub balance: Option<Chips>,
}

/// Whether the reply to an entry tells a balance: not where no chip moves, so that a repeat, which may know none, says the
/// same.
pub fn tells_balance(entry: &Entry) -> bool {
    match entry.command {
        Command::OpenTable { .. }
        | Command::CloseTable { .. }
        | Command::IssueToken { .. }
        | Command::SetKey { .. }
        | Command::VoidRound { .. }
        | Command::LateSeed { .. }
        | Command::AskToPlay { .. }
        | Command::SitIn { .. }
        | Command::CommitHandSeed { .. }
        | Command::WithdrawHandSeed { .. }
        | Command::WantSeat { .. }
        | Command::SitOut { .. }
        | Command::DiscloseShoe { .. }
        | Command::CommitSeed { .. } => false,
        Command::LeaveSeat { .. } | Command::Unseat { .. } | Command::AddChips { .. } => {
            entry.events.iter().any(|event| matches!(event, Event::Posted { .. }))
        }
        _ => true,
    }
}

/// What the reply to the entry at `at` was, as `by` may see it.
pub fn rebuild(archive: &Archive, by: &Actor, at: u64) -> Result<Rebuilt, HistoryError> {
    let placed = read(archive, at)?;
    let mut rebuilt = Rebuilt { placed, shoe_index: None, round: None, openings: Vec::new(), own: None, balance: None };
    let entry = &rebuilt.placed.entry;
    if let (Some(table), Some(excerpt)) = (entry.command.table(), Excerpt::of_entry(archive, &rebuilt.placed)?) {
        let state = excerpt.replay()?;
        if let Some(concerned) = Concerned::of(&state, &entry.command) {
            rebuilt.openings = openings_of(archive, entry, Some(concerned.shoe_no()))?;
            rebuilt.round = Some(concerned.view(table, &concerned.funds(&state)));
            let own = concerned.round().and_then(|round| OwnSlots::of(round, by));
            rebuilt.own = own.map(|own| own.open(archive, table)).transpose()?.flatten();
        }
        // Of one table's entries only its bettors' balances are known; whoever else repeats a reveal is told none.
        if let Actor::Player(player) = by
            && tells_balance(entry)
        {
            rebuilt.balance = state.ledger().player(player);
        }
        if lays_bet(entry) {
            rebuilt.shoe_index = excerpt.entries.first().map(|placed| placed.index);
        }
    }
    if let Actor::Player(player) = by
        && rebuilt.balance.is_none()
        && tells_balance(entry)
    {
        rebuilt.balance = posted_to(entry, player);
    }
    if matches!(entry.command, Command::CreatePlayer { .. }) {
        rebuilt.balance = Some(Chips::ZERO);
    }
    if let Command::Credit { player, .. } | Command::Withdraw { player, .. } | Command::Correct { player, .. } = &entry.command {
        rebuilt.balance = posted_to(entry, player);
    }
    Ok(rebuilt)
}

/// The balance that an entry's postings left a player with.
fn posted_to(entry: &Entry, player: &PlayerId) -> Option<Chips> {
    let lines = entry.events.iter().filter_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None });
    let line = lines.flatten().rfind(|line| line.0 == Account::Player(player.clone()))?;
    u64::try_from(line.2).ok().and_then(Chips::new)
}

/// Whether an entry is a player's bet, or their commitment for the hand that is being called: it stands on a committed shoe,
/// which the reply proves with it.
pub fn lays_bet(entry: &Entry) -> bool {
    let placed = |event: &Event| match &entry.command {
        Command::Bet { .. } => matches!(event, Event::BetPlaced { .. }),
        Command::CommitHandSeed { .. } => matches!(event, Event::HandSeedCommitted { .. }),
        _ => false,
    };
    entry.events.iter().any(placed)
}

/// Whether a command lays a player's bets, or takes them back.
fn about_bets(command: &Command) -> bool {
    matches!(command, Command::Bet { .. } | Command::CancelBet { .. } | Command::WithdrawHandSeed { .. } | Command::LeaveSeat { .. })
}

/// The latest entry of a command with the same content, if one is among the first `size`: bets, reveals, commitments and
/// actions repeat by their own names.
pub fn find_repeat(archive: &Archive, size: u64, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    let (Some(table), Some(round_no)) = (command.table(), command.round_no()) else { return Ok(None) };
    let Some(known) = index(archive).table(table)? else { return Ok(None) };
    let span = known.span_about(round_no)?;
    find_among(archive, &known, span, size, by, command)
}

/// Entries that are looked through for bets that lie: more than come in one betting window.
const LYING: u64 = 4096;

/// The entry of bets that lay when the log had so many entries. Their window may be over since, and another one open for the
/// same round.
pub fn find_lying(archive: &Archive, size: u64, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    let Some(table) = command.table() else { return Ok(None) };
    let Some(known) = index(archive).table(table)? else { return Ok(None) };
    let until = known.entries_below(size)?;
    find_among(archive, &known, until.saturating_sub(LYING)..until, size, by, command)
}

/// The latest entry that a command may be a repeat of, among these of its table.
fn find_among(
    archive: &Archive,
    known: &TableIndex,
    span: Range<u64>,
    size: u64,
    by: &Actor,
    command: &Command,
) -> Result<Option<u64>, HistoryError> {
    // What an entry that counts must hold somewhere; most of a long round's do not, and need not be parsed to know it.
    let sign = match command {
        Command::Reveal { seed, .. } | Command::LateSeed { seed, .. } => serde_json::to_string(seed),
        _ => serde_json::to_string(by),
    };
    let sign = sign.map_err(|e| HistoryError::Broken(e.to_string()))?;
    // The newest first, a few at a time: a repeat mostly follows what it repeats.
    let mut end = span.end.min(known.entries_below(size)?);
    while span.start < end {
        let start = end.saturating_sub(LOOKED_AT).max(span.start);
        for at in known.indices(start..end)?.into_iter().rev() {
            match is_repeat(archive, at, by, command, &sign)? {
                Looked::Same => return Ok(Some(at)),
                Looked::Instead => return Ok(None),
                Looked::Other => {}
            }
        }
        end = start;
    }
    Ok(None)
}

/// Entries looked for at once where a repeat is.
const LOOKED_AT: u64 = 64;

/// What an entry is to a command that may be a repeat.
enum Looked {
    Same,
    Other,
    /// What was done last about these bets, and it was something else.
    Instead,
}

fn is_repeat(archive: &Archive, at: u64, by: &Actor, command: &Command, sign: &str) -> Result<Looked, HistoryError> {
    let bytes = archive.reader.entry(at)?;
    if !String::from_utf8_lossy(&bytes).contains(sign) {
        return Ok(Looked::Other);
    }
    let entry = Entry::decode(&bytes).map_err(|e| HistoryError::Broken(e.to_string()))?;
    let same = match (&entry.command, command) {
        // Whoever sends it, a seed is the same seed; but a commitment that came with it is taken, or it is said that it is not.
        (
            Command::Reveal { player: a, seed: x, round_no: m, next: taken, .. },
            Command::Reveal { player: b, seed: y, round_no: n, next, .. },
        ) => a == b && x == y && m == n && (next.is_none() || next == taken),
        (Command::LateSeed { .. }, Command::LateSeed { .. }) => entry.command == *command,
        (earlier, now) => earlier == now && entry.by == *by,
    };
    Ok(match same {
        true => Looked::Same,
        // Of bets that may be replaced and taken back only what was done last can be said again.
        false if about_bets(command) && about_bets(&entry.command) && entry.by == *by => Looked::Instead,
        false => Looked::Other,
    })
}
