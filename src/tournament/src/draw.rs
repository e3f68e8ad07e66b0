//! Draws seats from the entropy of a draw (spec/games/tournaments.md, section 3).

use crate::amount::EntryNo;
use crate::seating::{Field, Table};
use fairshoe_fairness::{EventEntropy, Stream};
use std::num::NonZeroU16;

/// Why a draw is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatDrawError {
    /// There is no player to seat.
    #[error("a draw needs somebody to seat")]
    Nobody,
    /// There are more players than a draw can seat.
    #[error("{0} entrants: at most 65535 can be drawn")]
    TooMany(usize),
    /// The tables have fewer than 2 or more than 10 seats.
    #[error("{0} seats a table: 2 to 10 are allowed")]
    Seats(u8),
    /// There is no number left for another table.
    #[error("there are no numbers for more tables")]
    TableNumbers,
}

/// An entrant's drawn seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seated {
    /// The entry.
    pub entry_no: EntryNo,
    /// The table's number.
    pub table: u16,
    /// The seat, from 1.
    pub seat: u8,
}

fn below(stream: &mut Stream, m: usize) -> usize {
    // Every list here has 1 to 65,535 items.
    let m = u16::try_from(m).ok().and_then(NonZeroU16::new).unwrap_or(NonZeroU16::MIN);
    usize::from(stream.below(m))
}

fn shuffled(stream: &mut Stream, entrants: &[EntryNo]) -> Result<Vec<EntryNo>, SeatDrawError> {
    if entrants.is_empty() {
        return Err(SeatDrawError::Nobody);
    }
    if entrants.len() > usize::from(u16::MAX) {
        return Err(SeatDrawError::TooMany(entrants.len()));
    }
    let mut list = entrants.to_vec();
    list.sort_unstable();
    list.dedup();
    stream.shuffle(&mut list);
    Ok(list)
}

/// Draws the button of a table that has not begun a hand.
fn draw_button(stream: &mut Stream, table: &mut Table) {
    let occupied: Vec<u8> = table.players.keys().copied().collect();
    if let Some(&button) = occupied.get(below(stream, occupied.len())) {
        table.set_first_button(button);
    }
}

/// First seats, and the last table's seats if they are drawn anew: all tables at once, with numbers from `last_table`
/// on (section 3.9).
pub fn first_seats(
    entropy: &EventEntropy,
    entrants: &[EntryNo],
    seats: u8,
    last_table: u16,
) -> Result<Field, SeatDrawError> {
    if !(2..=crate::structure::MAX_SEATS).contains(&seats) {
        return Err(SeatDrawError::Seats(seats));
    }
    let mut stream = Stream::new(*entropy.as_bytes());
    let list = shuffled(&mut stream, entrants)?;
    let count = list.len().div_ceil(usize::from(seats));
    let mut field = Field::new(seats, last_table);
    for table in 0..count {
        let mut table_seats: Vec<u8> = (1..=seats).collect();
        stream.shuffle(&mut table_seats);
        let number = field.open_table().ok_or(SeatDrawError::TableNumbers)?;
        let here = list.iter().skip(table).step_by(count);
        for (&entry_no, seat) in here.zip(table_seats) {
            field.sit(number, seat, entry_no);
        }
        if let Some(opened) = field.tables.get_mut(&number) {
            draw_button(&mut stream, opened);
        }
    }
    Ok(field)
}

/// Later seats: for late entrants and re-entries, and for the players of a broken table, which is already gone from
/// `field` (section 3.10). The field is updated by the draw.
pub fn later_seats(
    entropy: &EventEntropy,
    entrants: &[EntryNo],
    field: &mut Field,
) -> Result<Vec<Seated>, SeatDrawError> {
    let mut stream = Stream::new(*entropy.as_bytes());
    let list = shuffled(&mut stream, entrants)?;
    let mut opened = Vec::new();
    let mut seated = Vec::with_capacity(list.len());
    for entry_no in list {
        let mut candidates = emptiest(field);
        if candidates.is_empty() {
            let number = field.open_table().ok_or(SeatDrawError::TableNumbers)?;
            opened.push(number);
            candidates.push(number);
        }
        let at = below(&mut stream, candidates.len());
        let Some(&table) = candidates.get(at) else { continue };
        let free = field.free_seats(table);
        let at = below(&mut stream, free.len());
        let Some(&seat) = free.get(at) else { continue };
        field.sit(table, seat, entry_no);
        seated.push(Seated { entry_no, table, seat });
    }
    for number in opened {
        if let Some(table) = field.tables.get_mut(&number) {
            draw_button(&mut stream, table);
        }
    }
    Ok(seated)
}

/// The tables with a free seat and the fewest players, ascending.
fn emptiest(field: &Field) -> Vec<u16> {
    let free = || field.tables.iter().filter(|(_, table)| table.players.len() < usize::from(field.seats));
    let least = free().map(|(_, table)| table.players.len()).min();
    free().filter(|(_, table)| Some(table.players.len()) == least).map(|(&number, _)| number).collect()
}
