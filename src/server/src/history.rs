//! Rounds, bundles and repeated replies, all rebuilt from the durable log.

use crate::archive::Archive;
use crate::concerned::Concerned;
use crate::index::{Index, TableIndex};
use crate::openings::{ShownOpening, openings_of};
use crate::own::{OwnCards, OwnSlots};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_house::{Account, Actor, Command, Entry, Event, OpenRound, RoundView, State};
use fairshoe_store::StoreError;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLockReadGuard};
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
pub fn index(archive: &Archive) -> RwLockReadGuard<'_, Index> {
    archive.index.read().unwrap_or_else(PoisonError::into_inner)
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
    fn find(index: &Index, table: &TableId, until: u64, select: impl FnOnce(&TableIndex) -> Option<(u64, &[u64])>) -> Option<Sources> {
        let known = index.tables.get(table)?;
        let (first_shoe, entries) = select(known)?;
        let entries: Vec<u64> = entries.iter().copied().take_while(|at| *at <= until).collect();
        Some(Sources { round_no: 0, context: index.context_of(table, &entries), entries, first_shoe })
    }

    /// The history of a round's shoe, up to a place in the log.
    pub fn of_round(archive: &Archive, table: &TableId, round_no: u64, until: u64) -> Result<Sources, HistoryError> {
        let index = index(archive);
        let round = index.tables.get(table).and_then(|table| table.round(round_no)).ok_or(HistoryError::NoSuchRound)?;
        let (round_no, shoe_no) = (round.round_no, round.shoe_no);
        let sources = Self::find(&index, table, until, |table| table.history_of_shoe(shoe_no)).ok_or(HistoryError::NoSuchRound)?;
        Ok(Sources { round_no, ..sources })
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
        let keys: BTreeSet<u64> = {
            let index = index(archive);
            context.iter().chain(&entries).filter_map(|placed| index.key_entry(&placed.entry.by, placed.index)).collect()
        };
        context.extend(all(keys.into_iter().collect())?);
        context.sort_by_key(|placed| placed.index);
        Ok(Excerpt { context, entries })
    }

    /// The history of a round's shoe, up to a place in the log.
    pub fn of_round(archive: &Archive, table: &TableId, round_no: u64, until: u64) -> Result<Excerpt, HistoryError> {
        Self::load(archive, Sources::of_round(archive, table, round_no, until)?)
    }

    /// The history that a table's entry belongs to, up to that entry.
    pub fn of_entry(archive: &Archive, placed: &Placed) -> Result<Option<Excerpt>, HistoryError> {
        let Some(at) = &placed.entry.at else { return Ok(None) };
        let sources = Sources::find(&index(archive), &at.table, placed.index, |table| table.history_at(at.seq));
        sources.map(|sources| Self::load(archive, sources)).transpose()
    }

    /// The table as it stood after these entries. Of other tables' entries nothing is known.
    pub fn replay(&self) -> Result<State, HistoryError> {
        let broken = |e: &dyn std::fmt::Display| HistoryError::Broken(e.to_string());
        let mut all: Vec<&Placed> = self.context.iter().chain(&self.entries).collect();
        all.sort_by_key(|placed| placed.index);
        let first = self.entries.first().map(|placed| placed.index);
        let mut state = State::partial();
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
        let index = index(archive);
        let table = index.tables.get(table).ok_or(HistoryError::NoSuchRound)?;
        let round = table.round(round_no).ok_or(HistoryError::NoSuchRound)?;
        table.round_indices(round, false).last().copied().unwrap_or_default()
    };
    let state = Excerpt::of_round(archive, table, round_no, until)?.replay()?;
    let round = state.table(table).and_then(|table| table.round.clone()).ok_or(HistoryError::NoSuchRound)?;
    Ok((state, round))
}

/// The log indices of a round's own entries: from the one that closed its bets, or from the one that opened them.
pub fn entries_of(archive: &Archive, table: &TableId, round_no: u64, from_bets_opened: bool) -> Result<Vec<u64>, HistoryError> {
    let index = index(archive);
    let table = index.tables.get(table).ok_or(HistoryError::NoSuchRound)?;
    let round = table.round(round_no).ok_or(HistoryError::NoSuchRound)?;
    Ok(table.round_indices(round, from_bets_opened).to_vec())
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
            rebuilt.openings = openings_of(archive, entry, Some(concerned.shoe_no()));
            rebuilt.round = Some(concerned.view(table, &concerned.funds(&state)));
            rebuilt.own = concerned.round().and_then(|round| OwnSlots::of(round, by)?.open(archive, table));
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
    let candidates = index(archive).tables.get(table).map(|table| table.indices_about(round_no).to_vec()).unwrap_or_default();
    find_among(archive, &candidates, size, by, command)
}

/// Entries that are looked through for bets that lie: more than come in one betting window.
const LYING: usize = 4096;

/// The entry of bets that lay when the log had so many entries. Their window may be over since, and another one open for the
/// same round.
pub fn find_lying(archive: &Archive, size: u64, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    let Some(table) = command.table() else { return Ok(None) };
    let latest = |table: &TableIndex| {
        let until = table.entries.partition_point(|at| *at < size);
        table.entries.get(until.saturating_sub(LYING)..until).unwrap_or_default().to_vec()
    };
    let candidates = index(archive).tables.get(table).map(latest).unwrap_or_default();
    find_among(archive, &candidates, size, by, command)
}

fn find_among(archive: &Archive, candidates: &[u64], size: u64, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    // What an entry that counts must hold somewhere; most of a long round's do not, and need not be parsed to know it.
    let sign = match command {
        Command::Reveal { seed, .. } | Command::LateSeed { seed, .. } => serde_json::to_string(seed),
        _ => serde_json::to_string(by),
    };
    let sign = sign.map_err(|e| HistoryError::Broken(e.to_string()))?;
    for at in candidates.iter().copied().rev().filter(|at| *at < size) {
        let bytes = archive.reader.entry(at)?;
        if !String::from_utf8_lossy(&bytes).contains(&sign) {
            continue;
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
        if same {
            return Ok(Some(at));
        }
        // Of bets that may be replaced and taken back only what was done last can be said again.
        if about_bets(command) && about_bets(&entry.command) && entry.by == *by {
            return Ok(None);
        }
    }
    Ok(None)
}
