//! Rounds, bundles and repeated replies, all rebuilt from the durable log.

use crate::index::{Index, TableIndex};
use crate::startup::Running;
use fairshoe_fairness::{Opening, Slot, TableId};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Actor, Command, Entry, Event, OpenRound, RoundView, ShoeId, State};
use fairshoe_store::StoreError;
use std::sync::{PoisonError, RwLockReadGuard};
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

/// All of the log that a shoe's rounds stand on.
pub struct Excerpt {
    /// `table_opened`, and the `dealer_started` entries that count.
    pub context: Vec<Placed>,
    /// The table's entries from `shoe_committed` to `shoe_revealed`, or to the latest.
    pub entries: Vec<Placed>,
    pub shoe_no: u64,
}

fn index(running: &Running) -> RwLockReadGuard<'_, Index> {
    running.index.read().unwrap_or_else(PoisonError::into_inner)
}

fn read(running: &Running, at: u64) -> Result<Placed, HistoryError> {
    let bytes = running.reader.entry(at)?;
    let entry = Entry::decode(&bytes).map_err(|e| HistoryError::Broken(e.to_string()))?;
    Ok(Placed { index: at, bytes, entry })
}

fn shoe_range(table: &TableIndex, shoe_no: u64) -> Option<std::ops::RangeInclusive<usize>> {
    let shoe = table.shoes.get(usize::try_from(shoe_no).ok()?)?;
    let first = usize::try_from(shoe.committed_seq).ok()?;
    let last = shoe.revealed_seq.map_or(Some(table.entries.len().checked_sub(1)?), |seq| usize::try_from(seq).ok())?;
    (first <= last).then_some(first..=last)
}

/// The log indices that the shoe's history takes: (context, entries).
fn shoe_indices(running: &Running, table: &TableId, shoe_no: u64) -> Option<(Vec<u64>, Vec<u64>)> {
    let index = index(running);
    let table = index.tables.get(table)?;
    let entries = table.entries.get(shoe_range(table, shoe_no)?)?.to_vec();
    let (first, last) = (*entries.first()?, *entries.last()?);
    let earlier = index.starts.iter().copied().rfind(|start| *start < first);
    let between = index.starts.iter().copied().filter(|start| (first..=last).contains(start));
    let mut context: Vec<u64> = table.entries.first().copied().into_iter().chain(earlier).chain(between).collect();
    context.sort_unstable();
    Some((context, entries))
}

/// Whether the table has had a round of this number.
pub fn is_round(running: &Running, table: &TableId, round_no: u64) -> bool {
    let index = index(running);
    let rounds = index.tables.get(table).map(|table| &table.rounds);
    usize::try_from(round_no).is_ok_and(|no| rounds.is_some_and(|rounds| no < rounds.len()))
}

impl Excerpt {
    /// The shoe's history.
    pub fn of_shoe(running: &Running, table: &TableId, shoe_no: u64) -> Result<Excerpt, HistoryError> {
        let (context, entries) = shoe_indices(running, table, shoe_no).ok_or(HistoryError::NoSuchShoe)?;
        let all = |indices: Vec<u64>| indices.into_iter().map(|at| read(running, at)).collect::<Result<Vec<_>, _>>();
        Ok(Excerpt { context: all(context)?, entries: all(entries)?, shoe_no })
    }

    /// The history of a round's shoe.
    pub fn of_round(running: &Running, table: &TableId, round_no: u64) -> Result<Excerpt, HistoryError> {
        let shoe_no = {
            let index = index(running);
            let rounds = index.tables.get(table).map(|table| &table.rounds);
            let round = usize::try_from(round_no).ok().and_then(|no| rounds?.get(no));
            round.ok_or(HistoryError::NoSuchRound)?.shoe_no
        };
        Self::of_shoe(running, table, shoe_no)
    }

    /// The round as it stood after its last entry up to log index `until`, and its shoe.
    pub fn replay(&self, table: &TableId, round_no: u64, until: u64) -> Result<(State, OpenRound, ShoeId), HistoryError> {
        let broken = |e: &dyn std::fmt::Display| HistoryError::Broken(e.to_string());
        let mut state = State::partial();
        let mut all: Vec<&Placed> = self.context.iter().chain(&self.entries).collect();
        all.sort_by_key(|placed| placed.index);
        all.dedup_by_key(|placed| placed.index);
        let first = self.entries.first().ok_or(HistoryError::NoSuchShoe)?;
        let (mut found, mut shoe) = (None, None);
        for placed in all.into_iter().filter(|placed| placed.index <= until) {
            if placed.index == first.index {
                let first_round = self.entries.iter().find_map(|placed| closed_round(&placed.entry)).unwrap_or(round_no);
                let seq = first.entry.at.as_ref().map_or(0, |at| at.seq);
                state.stand_at(table, seq, self.shoe_no, first_round);
            }
            state.apply(&placed.entry).map_err(|e| broken(&e))?;
            let Some(table) = state.table(table) else { continue };
            // A retired shoe has left the table by the time its last round is settled.
            shoe = table.shoe.as_ref().map(|shoe| shoe.id.clone()).or(shoe);
            found = table.round.as_ref().filter(|round| round.round_no == round_no).cloned().or(found);
        }
        match (found, shoe) {
            (Some(round), Some(shoe)) => Ok((state, round, shoe)),
            _ => Err(HistoryError::NoSuchRound),
        }
    }

    /// The log indices of a round's own entries.
    pub fn entries_of(&self, round_no: u64) -> Vec<u64> {
        let mut of_round = false;
        let mut indices = Vec::new();
        for placed in &self.entries {
            of_round |= closed_round(&placed.entry) == Some(round_no);
            if of_round {
                indices.push(placed.index);
            }
            let over = |event: &Event| matches!(event, Event::RoundSettled { .. } | Event::RoundVoided { .. });
            of_round &= !placed.entry.events.iter().any(over);
        }
        indices
    }

    /// The slots that these entries show face-up.
    pub fn shown(entries: &[&Entry]) -> Vec<Slot> {
        let slots = entries.iter().flat_map(|entry| &entry.events).filter_map(|event| match event {
            Event::Play(RoundEvent::Dealt { slot, card: Some(_), .. } | RoundEvent::Turned { slot, .. }) => Some(*slot),
            _ => None,
        });
        slots.collect()
    }
}

fn closed_round(entry: &Entry) -> Option<u64> {
    entry.events.iter().find_map(|event| match event {
        Event::BetsClosed { round_no, .. } => Some(*round_no),
        _ => None,
    })
}

/// A reply rebuilt from the log.
pub struct Rebuilt {
    pub placed: Placed,
    pub shoe_index: Option<u64>,
    pub round: Option<RoundView>,
    pub openings: Vec<Opening>,
    pub balance: Option<fairshoe_games::Chips>,
}

/// What the reply to the entry at `at` was, as `by` may see it.
pub fn rebuild(running: &Running, by: &Actor, at: u64) -> Result<Rebuilt, HistoryError> {
    let placed = read(running, at)?;
    let mut rebuilt = Rebuilt { placed, shoe_index: None, round: None, openings: Vec::new(), balance: None };
    let entry = &rebuilt.placed.entry;
    if let (Some(table), Some(round_no)) = (entry.command.table(), entry.command.round_no()) {
        let excerpt = Excerpt::of_round(running, table, round_no)?;
        let (state, round, shoe) = excerpt.replay(table, round_no, at)?;
        rebuilt.openings = running.dealer.open(&shoe, round.pick, &Excerpt::shown(&[entry]));
        rebuilt.round = Some(round.view(table, |player| state.funds(player)));
        // Of one table's entries only its bettors' balances are known; whoever else repeats a reveal is told none.
        if let Actor::Player(player) = by {
            rebuilt.balance = state.ledger().player(player);
        }
        if matches!(entry.command, Command::Bet { .. }) {
            rebuilt.shoe_index = excerpt.entries.first().map(|placed| placed.index);
        }
    }
    if matches!(entry.command, Command::CreatePlayer { .. }) {
        rebuilt.balance = Some(fairshoe_games::Chips::ZERO);
    }
    for event in &entry.events {
        if let (Event::Posted { lines }, Command::Credit { player, .. } | Command::Withdraw { player, .. }) = (event, &entry.command) {
            let line = lines.iter().find(|line| line.0 == fairshoe_house::Account::Player(player.clone()));
            rebuilt.balance = line.and_then(|line| u64::try_from(line.2).ok()).and_then(fairshoe_games::Chips::new);
        }
    }
    Ok(rebuilt)
}

/// The entry of an earlier command with the same content, if one is among the first `size`: bets, reveals and actions repeat
/// by their own names.
pub fn find_repeat(running: &Running, size: u64, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    let (Some(table), Some(round_no)) = (command.table(), command.round_no()) else { return Ok(None) };
    let excerpt = match Excerpt::of_round(running, table, round_no) {
        Ok(excerpt) => excerpt,
        Err(HistoryError::NoSuchRound | HistoryError::NoSuchShoe) => return Ok(None),
        Err(other) => return Err(other),
    };
    let same = |placed: &&Placed| match (&placed.entry.command, command) {
        // Whoever sends it, a seed is the same seed.
        (Command::Reveal { player: a, seed: x, round_no: m, .. }, Command::Reveal { player: b, seed: y, round_no: n, .. }) => {
            a == b && x == y && m == n
        }
        (earlier, now) => earlier == now && placed.entry.by == *by,
    };
    Ok(excerpt.entries.iter().filter(|placed| placed.index < size).find(same).map(|placed| placed.index))
}
