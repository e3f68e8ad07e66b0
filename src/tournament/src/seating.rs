//! Tables between hands: which table breaks, which player moves to balance, and to which seat
//! (spec/games/tournaments.md, section 6). This is a rule, not a choice: the auditor decides it again.

use crate::amount::EntryNo;
use std::collections::BTreeMap;

/// A table as the seating rules see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The players by seat, from seat 1.
    pub players: BTreeMap<u8, EntryNo>,
    /// The seat of the last big blind; before the first hand its substitute ([`Table::set_first_button`]).
    pub last_big: u8,
    /// The drawn button, until a hand moves it.
    pub first_button: Option<u8>,
}

impl Table {
    /// Sets the button of a table without a hand, and the substitute for its last big blind (section 6.3).
    pub fn set_first_button(&mut self, button: u8) {
        self.first_button = Some(button);
        self.last_big = match self.players.len() {
            0..=2 => button,
            _ => clockwise(self, button).next().unwrap_or(button),
        };
    }

    /// The number of players who post the big blind before this seat, if play goes on; 0: this seat posts next.
    pub fn distance(&self, seat: u8) -> usize {
        let ahead = |&of: &u8| of.wrapping_sub(self.last_big).wrapping_sub(1);
        self.players.keys().filter(|other| ahead(other) < ahead(&seat)).count()
    }
}

/// The occupied seats from the one after `from` on, clockwise.
fn clockwise(table: &Table, from: u8) -> impl Iterator<Item = u8> + '_ {
    let after = table.players.range(from.saturating_add(1)..).map(|(&seat, _)| seat);
    after.chain(table.players.range(..=from).map(|(&seat, _)| seat))
}

/// All open tables of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The most players at a table.
    pub seats: u8,
    /// The highest table number used so far.
    pub last_table: u16,
    /// The tables by number.
    pub tables: BTreeMap<u16, Table>,
}

/// One player changes tables, without a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The player's entry.
    pub entry_no: EntryNo,
    /// Table and seat before.
    pub from: (u16, u8),
    /// Table and seat after.
    pub to: (u16, u8),
}

/// The next step that the rule requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// This table must break as soon as it is between hands.
    Break(u16),
    /// This player must move as soon as their table is between hands.
    Move(Move),
}

impl Field {
    /// A field without tables; the first table gets the number after `last_table`.
    pub fn new(seats: u8, last_table: u16) -> Field {
        Field { seats, last_table, tables: BTreeMap::new() }
    }

    /// Opens a table under the next number.
    pub fn open_table(&mut self) -> Option<u16> {
        let number = self.last_table.checked_add(1)?;
        self.last_table = number;
        self.tables.insert(number, Table::default());
        Some(number)
    }

    /// Seats an entry; does nothing if there is no such table.
    pub fn sit(&mut self, table: u16, seat: u8, entry_no: EntryNo) {
        if let Some(table) = self.tables.get_mut(&table) {
            table.players.insert(seat, entry_no);
        }
    }

    /// Players at all tables.
    pub fn players(&self) -> usize {
        self.tables.values().map(|table| table.players.len()).sum()
    }

    /// The free seats of a table, ascending.
    pub fn free_seats(&self, table: u16) -> Vec<u8> {
        let Some(table) = self.tables.get(&table) else { return Vec::new() };
        (1..=self.seats).filter(|seat| !table.players.contains_key(seat)).collect()
    }

    /// The step that is due, a break before any move; `None` if the tables are as few and as even as possible.
    pub fn due(&self) -> Option<Due> {
        let needed = self.players().div_ceil(usize::from(self.seats.max(1)));
        if self.tables.len() > needed.max(1) {
            let (number, _) =
                self.tables.iter().min_by_key(|(number, table)| (table.players.len(), std::cmp::Reverse(**number)))?;
            return Some(Due::Break(*number));
        }
        self.balancing().map(Due::Move)
    }

    fn balancing(&self) -> Option<Move> {
        let (&fullest, from) = self.tables.iter().max_by_key(|(number, table)| (table.players.len(), **number))?;
        let (&emptiest, to) = self.tables.iter().min_by_key(|(number, table)| (table.players.len(), **number))?;
        if from.players.len() < to.players.len().saturating_add(2) {
            return None;
        }
        let free = self.free_seats(emptiest);
        let pairs = from.players.iter().flat_map(|(&seat, &entry_no)| {
            let now = from.distance(seat);
            free.iter().map(move |&new| {
                let then = to.distance(new);
                ((now.abs_diff(then), then, now, new, seat), entry_no)
            })
        });
        let ((_, _, _, new, seat), entry_no) = pairs.min()?;
        Some(Move { entry_no, from: (fullest, seat), to: (emptiest, new) })
    }

    /// Removes a table and returns the players who sat there.
    pub fn break_table(&mut self, table: u16) -> Vec<EntryNo> {
        self.tables.remove(&table).map(|table| table.players.into_values().collect()).unwrap_or_default()
    }

    /// Makes a move; returns false and changes no state if the move is impossible.
    pub fn make(&mut self, step: &Move) -> bool {
        let (from, to) = (step.from, step.to);
        let there = self.tables.get(&from.0).and_then(|table| table.players.get(&from.1)) == Some(&step.entry_no);
        if !there || !self.free_seats(to.0).contains(&to.1) {
            return false;
        }
        if let Some(table) = self.tables.get_mut(&from.0) {
            table.players.remove(&from.1);
        }
        self.sit(to.0, to.1, step.entry_no);
        true
    }

    /// Removes an eliminated player from their seat.
    pub fn leave(&mut self, entry_no: EntryNo) {
        for table in self.tables.values_mut() {
            table.players.retain(|_, seated| *seated != entry_no);
        }
    }
}
