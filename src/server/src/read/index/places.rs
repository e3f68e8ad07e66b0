//! What is asked of a table: its rounds, shoes, histories and entries, wherever they are.
//!
//! Owns lookups in one table as it is at one time: rows in memory first, the files for the rest. What it finds is never
//! newer than what it was made from. Implements spec/index.md, "Tables".

use super::IndexError;
use super::files::Files;
use super::number_of;
use super::table::{RoundRef, Row, ShoeRef, Table, Tail, decode_chunk, key, table_key};
use super::wire::Input;
use fairshoe_fairness::TableId;
use std::ops::Range;
use std::sync::Arc;

/// A table as it is at one time.
#[derive(Clone)]
pub struct TableIndex {
    pub(super) id: TableId,
    pub(super) table: Arc<Table>,
    pub(super) files: Arc<Files>,
}

/// A table from disk, if there is one; with the rows that taking an entry in needs, where they are wanted.
pub fn load(files: &Files, id: &TableId, with_rows: bool) -> Result<Option<Table>, IndexError> {
    let Some(bytes) = files.get(&table_key(id))? else { return Ok(None) };
    let mut table = Table::decode(&bytes)?;
    if with_rows {
        let written = table.written();
        fill(files, id, &mut table.entries, written.entries)?;
        fill(files, id, &mut table.rounds, written.rounds)?;
        fill(files, id, &mut table.shoes, written.shoes)?;
    }
    Ok(Some(table))
}

/// Reads the rows of a list from the chunk on that this row is in.
fn fill<T: Row>(files: &Files, id: &TableId, tail: &mut Tail<T>, from: u64) -> Result<(), IndexError> {
    let length = tail.len();
    let first = from / T::LENGTH;
    let mut rows = Vec::new();
    for number in first..length.div_ceil(T::LENGTH) {
        rows.extend(chunk::<T>(files, id, number)?);
    }
    *tail = Tail { first: first * T::LENGTH, rows };
    if tail.len() == length { Ok(()) } else { Err(IndexError::Damaged("a list is not as long as it was")) }
}

fn chunk<T: Row>(files: &Files, id: &TableId, number: u64) -> Result<Vec<T>, IndexError> {
    let bytes = files.get(&key(T::CHUNKS, id, number))?;
    decode_chunk(&bytes.ok_or(IndexError::Damaged("a part of a list is not there"))?)
}

impl TableIndex {
    fn noted<T>(&self, found: Result<T, IndexError>) -> Result<T, IndexError> {
        found.map_err(|error| self.files.note(error))
    }

    fn chunk<T: Row>(&self, number: u64) -> Result<Vec<T>, IndexError> {
        self.noted(chunk(&self.files, &self.id, number))
    }

    /// These rows of a list, as far as there are any.
    fn rows<T: Row>(&self, tail: &Tail<T>, range: Range<u64>) -> Result<Vec<T>, IndexError> {
        let end = range.end.min(tail.len());
        let mut found = Vec::new();
        let mut next = range.start;
        while next < end && next < tail.first {
            let (number, skip) = (next / T::LENGTH, next % T::LENGTH);
            let upto = end.min(tail.first).min((number + 1) * T::LENGTH);
            let count = upto - next;
            let rows = self.chunk::<T>(number)?;
            let wanted = usize::try_from(skip)
                .ok()
                .zip(usize::try_from(skip + count).ok())
                .and_then(|(from, to)| rows.get(from..to));
            found.extend_from_slice(
                wanted.ok_or_else(|| self.files.note(IndexError::Damaged("a part of a list is too short")))?,
            );
            next = upto;
        }
        found.extend((next..end).map_while(|number| tail.get(number).cloned()));
        Ok(found)
    }

    fn row<T: Row>(&self, tail: &Tail<T>, number: u64) -> Result<Option<T>, IndexError> {
        match tail.get(number) {
            Some(row) => Ok(Some(row.clone())),
            None => Ok(self.rows(tail, number..number.saturating_add(1))?.pop()),
        }
    }

    /// How many rows of a list are not above this in their order.
    fn up_to<T: Row>(&self, tail: &Tail<T>, order: u64) -> Result<u64, IndexError> {
        if tail.first == 0 || tail.rows.first().is_some_and(|first| first.order() <= order) {
            return Ok(tail.first + tail.rows.partition_point(|row| row.order() <= order) as u64);
        }
        let wanted = key(T::SEARCH, &self.id, order);
        let Some((found, value)) = self.noted(self.files.floor(&wanted))? else { return Ok(0) };
        if number_of(&found, &wanted).is_none() {
            return Ok(0);
        }
        let number = self.noted(Input(&value).number())?;
        let rows = self.chunk::<T>(number)?;
        Ok(number.saturating_mul(T::LENGTH).saturating_add(rows.partition_point(|row| row.order() <= order) as u64))
    }

    /// Hands of poker are played there, whose hole cards are their players' alone.
    pub fn is_cash(&self) -> bool {
        self.table.is_cash
    }

    /// No entry comes after the last one.
    pub fn is_closed(&self) -> bool {
        self.table.closed
    }

    /// How many entries it has.
    pub fn entries(&self) -> u64 {
        self.table.entries.len()
    }

    /// The log index of its first entry.
    pub fn opened(&self) -> Option<u64> {
        self.table.opened
    }

    /// How many of its entries are among the first so many of the log.
    pub fn entries_below(&self, size: u64) -> Result<u64, IndexError> {
        match size.checked_sub(1) {
            Some(last) => self.up_to(&self.table.entries, last),
            None => Ok(0),
        }
    }

    /// The log index of an entry.
    pub fn entry(&self, seq: u64) -> Result<Option<u64>, IndexError> {
        self.row(&self.table.entries, seq)
    }

    /// The log indices of these of its entries, as far as there are any.
    pub fn indices(&self, seqs: Range<u64>) -> Result<Vec<u64>, IndexError> {
        self.rows(&self.table.entries, seqs)
    }

    /// How many rounds it has.
    pub fn round_count(&self) -> u64 {
        self.table.rounds.len()
    }

    /// These rounds, counted from the first.
    pub fn rounds(&self, range: Range<u64>) -> Result<Vec<RoundRef>, IndexError> {
        self.rows(&self.table.rounds, range)
    }

    /// A round by its number, or by that of one of its shuffles.
    pub fn round(&self, round_no: u64) -> Result<Option<RoundRef>, IndexError> {
        let Some(number) = self.up_to(&self.table.rounds, round_no)?.checked_sub(1) else { return Ok(None) };
        Ok(self.row(&self.table.rounds, number)?.filter(|round| round_no <= round.last_no))
    }

    /// A shoe by its number.
    pub fn shoe(&self, shoe_no: u64) -> Result<Option<ShoeRef>, IndexError> {
        self.row(&self.table.shoes, shoe_no)
    }

    /// These shoes.
    pub(super) fn shoes(&self, range: Range<u64>) -> Result<Vec<ShoeRef>, IndexError> {
        self.rows(&self.table.shoes, range)
    }

    /// How many shoes were committed before this entry.
    pub fn shoes_before(&self, seq: u64) -> Result<u64, IndexError> {
        match seq.checked_sub(1) {
            Some(before) => self.up_to(&self.table.shoes, before),
            None => Ok(0),
        }
    }

    /// The round that a shoe of its own was for.
    pub fn round_of_shoe(&self, shoe_no: u64) -> Result<Option<RoundRef>, IndexError> {
        match self.shoe(shoe_no)?.and_then(|shoe| shoe.first_round) {
            Some(number) => self.row(&self.table.rounds, number),
            None => Ok(None),
        }
    }

    fn until(&self, last: Option<u64>) -> u64 {
        last.map_or(u64::MAX, |last| last.saturating_add(1)).min(self.entries())
    }

    /// A round's entries: from the one that opened its bets, or the one that closed them.
    pub fn span_of_round(&self, round: &RoundRef, from_bets_opened: bool) -> Range<u64> {
        let first = if from_bets_opened { round.opened_seq } else { round.closed_seq };
        first..self.until(round.last_seq)
    }

    /// The entries in which a request that names this round can have been carried out.
    pub fn span_about(&self, round_no: u64) -> Result<Range<u64>, IndexError> {
        Ok(match (self.round(round_no)?, self.table.window) {
            (Some(round), _) => self.span_of_round(&round, true),
            (None, Some((opened, seq))) if opened == round_no => seq..self.entries(),
            _ => 0..0,
        })
    }

    /// The history of a shoe: its first shoe's number, where it begins, and where it ended.
    fn history(&self, shoe_no: u64) -> Result<Option<(u64, u64, Option<u64>)>, IndexError> {
        let Some(shoe) = self.shoe(shoe_no)? else { return Ok(None) };
        let first = if shoe.first_shoe == shoe_no { Some(shoe.clone()) } else { self.shoe(shoe.first_shoe)? };
        Ok(first.map(|first| (shoe.first_shoe, first.committed_seq, first.history_end)))
    }

    /// The history of a shoe: its first shoe's number, and its entries.
    pub fn history_of_shoe(&self, shoe_no: u64) -> Result<Option<(u64, Range<u64>)>, IndexError> {
        Ok(self.history(shoe_no)?.map(|(first_shoe, first, last)| (first_shoe, first..self.until(last))))
    }

    /// The history that an entry of the table belongs to.
    pub fn history_at(&self, seq: u64) -> Result<Option<(u64, Range<u64>)>, IndexError> {
        let Some(shoe_no) = self.up_to(&self.table.shoes, seq)?.checked_sub(1) else { return Ok(None) };
        let history = self.history(shoe_no)?.filter(|(_, _, last)| last.is_none_or(|last| seq <= last));
        Ok(history.map(|(first_shoe, first, last)| (first_shoe, first..self.until(last))))
    }
}
