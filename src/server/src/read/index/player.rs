//! A player's rounds, in order.
//!
//! Owns how they stand in records, and lookups in one player's list as it is at one time. Implements spec/index.md,
//! "Players".

use super::IndexError;
use super::files::Files;
use super::number_of;
use super::run::Record;
use super::table::key;
use super::wire::{Input, put, put_from, put_text};
use fairshoe_fairness::{PlayerId, TableId};
use std::ops::Range;
use std::sync::Arc;

/// So many rounds are one record.
const LENGTH: u64 = 64;

/// A round of a player: its table and its number.
pub type Played = (TableId, u64);

/// Rounds as a record's value: of each the number of its table among those that the record names, the name where it
/// comes for the first time, and how far its number is from the last one there.
pub fn encode(rounds: &[Played]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut tables: Vec<(&TableId, u64)> = Vec::new();
    for (table, round_no) in rounds {
        let known = tables.iter().position(|(name, _)| *name == table);
        let number = known.unwrap_or(tables.len());
        put(&mut out, number as u64);
        if known.is_none() {
            put_text(&mut out, table.as_str());
            tables.push((table, 0));
        }
        if let Some((_, last)) = tables.get_mut(number) {
            put_from(&mut out, *last, *round_no);
            *last = *round_no;
        }
    }
    out
}

/// See [`encode`].
pub fn decode(bytes: &[u8]) -> Result<Vec<Played>, IndexError> {
    let mut rounds = Vec::new();
    let mut tables: Vec<(TableId, u64)> = Vec::new();
    let mut input = Input(bytes);
    while !input.is_empty() {
        let number = input.length()?;
        if number == tables.len() {
            tables.push((TableId::parse(input.text()?).map_err(|_| IndexError::Damaged("a name that is none"))?, 0));
        }
        let (table, last) = tables.get_mut(number).ok_or(IndexError::Damaged("a table that is not named"))?;
        *last = input.number_from(*last)?;
        rounds.push((table.clone(), *last));
    }
    Ok(rounds)
}

/// The last record of a player: its number, and its rounds.
fn last_of(files: &Files, player: &PlayerId) -> Result<(u64, Vec<Played>), IndexError> {
    let wanted = key(b'p', player, u64::MAX);
    let last = files.floor(&wanted)?.and_then(|(found, value)| Some((number_of(&found, &wanted)?, value)));
    match last {
        Some((number, value)) => Ok((number, decode(&value)?)),
        None => Ok((0, Vec::new())),
    }
}

/// What is to be written where these rounds come behind those on disk.
pub fn records(files: &Files, player: &PlayerId, new: &[Played]) -> Result<Vec<Record>, IndexError> {
    let (first, mut rounds) = last_of(files, player)?;
    rounds.extend_from_slice(new);
    let chunks = rounds.chunks(usize::try_from(LENGTH).unwrap_or(usize::MAX));
    Ok((first..).zip(chunks).map(|(number, rounds)| (key(b'p', player, number), encode(rounds))).collect())
}

/// A player's rounds as they are at one time.
pub struct PlayerIndex {
    files: Arc<Files>,
    player: PlayerId,
    /// How many are on disk, and the last record's.
    written: u64,
    last: (u64, Vec<Played>),
    /// Those after them: being written, and newer.
    recent: [Arc<Vec<Played>>; 2],
}

impl PlayerIndex {
    pub(super) fn new(
        files: Arc<Files>,
        player: &PlayerId,
        recent: [Arc<Vec<Played>>; 2],
    ) -> Result<PlayerIndex, IndexError> {
        let last = last_of(&files, player).map_err(|error| files.note(error))?;
        let written = last.0.saturating_mul(LENGTH).saturating_add(last.1.len() as u64);
        Ok(PlayerIndex { files, player: player.clone(), written, last, recent })
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.recent.iter().fold(self.written, |count, recent| count.saturating_add(recent.len() as u64))
    }

    /// These of them, counted from the first. The caller bounds how many.
    pub fn range(&self, range: Range<u64>) -> Result<Vec<Played>, IndexError> {
        let mut found = Vec::new();
        let mut next = range.start;
        let end = range.end.min(self.len());
        let on_disk = end.min(self.written);
        while next < on_disk {
            let number = next / LENGTH;
            let upto = on_disk.min((number + 1) * LENGTH);
            let rounds = if number == self.last.0 {
                self.last.1.clone()
            } else {
                self.chunk(number).map_err(|error| self.files.note(error))?
            };
            let skip = usize::try_from(next % LENGTH).unwrap_or(usize::MAX);
            found.extend(rounds.into_iter().skip(skip).take(usize::try_from(upto - next).unwrap_or(usize::MAX)));
            next = upto;
        }
        let skip = usize::try_from(next.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let rest = usize::try_from(end.saturating_sub(next)).unwrap_or(usize::MAX);
        found.extend(self.recent.iter().flat_map(|recent| recent.iter()).skip(skip).take(rest).cloned());
        Ok(found)
    }

    fn chunk(&self, number: u64) -> Result<Vec<Played>, IndexError> {
        let bytes = self.files.get(&key(b'p', &self.player, number))?;
        decode(&bytes.ok_or(IndexError::Damaged("a part of a player's rounds is not there"))?)
    }
}
