//! A table as the index knows it: its entries, rounds and shoes, of which the newest are in memory while it is open.
//!
//! Owns how entries of a table become rows, which rows stay in memory, and how rows stand in records. Implements
//! spec/index.md, "Tables".

use super::IndexError;
use super::wire::{Input, put, put_from, put_some, put_text};
use fairshoe_fairness::{Composition, PlayerId, TableId};
use fairshoe_games::{Chips, RoundEvent};
use fairshoe_house::{Entry, Event, RoundResult, TournamentEvent, VoidCause};
use std::sync::Arc;

/// A round's place and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRef {
    pub round_no: u64,
    /// The greatest number that one of its shuffles took, or its own.
    pub last_no: u64,
    pub shoe_no: u64,
    /// When bets closed.
    pub time: u64,
    /// Table sequence number of the entry that opened its bets.
    pub opened_seq: u64,
    /// Of the entry that closed them.
    pub closed_seq: u64,
    /// Of the entry that settled or voided it.
    pub last_seq: Option<u64>,
    pub staked: Chips,
    pub returned: Chips,
    pub state: RoundState,
}

/// How far a round has come, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundState {
    AwaitingReveals,
    Open,
    Settled,
    Voided(VoidCause),
}

/// A shoe's place, and what its full name is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShoeRef {
    pub committed_seq: u64,
    pub revealed_seq: Option<u64>,
    /// Of the entry that sealed it: its seeds stay secret.
    pub sealed_seq: Option<u64>,
    /// The candidate dealt last.
    pub pick: u8,
    /// The first shoe of the history that it belongs to.
    pub first_shoe: u64,
    /// Of a history's first shoe: the entry with which the history ended.
    pub history_end: Option<u64>,
    /// The first round that it was for, counted from the table's first.
    pub first_round: Option<u64>,
    /// The log index of the start in whose epoch it was committed.
    pub start: Option<u64>,
    pub composition: Arc<Composition>,
}

impl ShoeRef {
    /// Table sequence number of the entry with which it left the table.
    pub fn retired_seq(&self) -> Option<u64> {
        self.revealed_seq.or(self.sealed_seq)
    }
}

/// What a list is made of.
pub trait Row: Clone {
    /// The first byte of the keys of its chunks, and of those by which chunks are searched.
    const CHUNKS: u8;
    const SEARCH: u8;
    /// So many rows are one record.
    const LENGTH: u64;
    /// What ascends from row to row.
    fn order(&self) -> u64;
    fn encode(&self, before: Option<&Self>, out: &mut Vec<u8>);
    fn decode(before: Option<&Self>, input: &mut Input<'_>) -> Result<Self, IndexError>;
}

/// The log index of an entry of the table.
impl Row for u64 {
    const CHUNKS: u8 = b'e';
    const SEARCH: u8 = b'E';
    const LENGTH: u64 = 128;

    fn order(&self) -> u64 {
        *self
    }

    fn encode(&self, before: Option<&u64>, out: &mut Vec<u8>) {
        put_from(out, before.copied().unwrap_or(0), *self);
    }

    fn decode(before: Option<&u64>, input: &mut Input<'_>) -> Result<u64, IndexError> {
        input.number_from(before.copied().unwrap_or(0))
    }
}

const STATES: [RoundState; 8] = [
    RoundState::AwaitingReveals,
    RoundState::Open,
    RoundState::Settled,
    RoundState::Voided(VoidCause::RevealMissing),
    RoundState::Voided(VoidCause::Crash),
    RoundState::Voided(VoidCause::Malfunction),
    RoundState::Voided(VoidCause::ShoeExhausted),
    RoundState::Voided(VoidCause::Abandoned),
];

fn state_code(state: RoundState) -> u8 {
    match state {
        RoundState::AwaitingReveals => 0,
        RoundState::Open => 1,
        RoundState::Settled => 2,
        RoundState::Voided(VoidCause::RevealMissing) => 3,
        RoundState::Voided(VoidCause::Crash) => 4,
        RoundState::Voided(VoidCause::Malfunction) => 5,
        RoundState::Voided(VoidCause::ShoeExhausted) => 6,
        RoundState::Voided(VoidCause::Abandoned) => 7,
    }
}

impl Row for RoundRef {
    const CHUNKS: u8 = b'r';
    const SEARCH: u8 = b'R';
    const LENGTH: u64 = 32;

    fn order(&self) -> u64 {
        self.round_no
    }

    fn encode(&self, before: Option<&Self>, out: &mut Vec<u8>) {
        let of = |field: fn(&Self) -> u64| before.map_or(0, field);
        out.push(state_code(self.state));
        put_from(out, of(|round| round.round_no), self.round_no);
        put_from(out, self.round_no, self.last_no);
        put_from(out, of(|round| round.shoe_no), self.shoe_no);
        put_from(out, of(|round| round.time), self.time);
        put_from(out, of(|round| round.opened_seq), self.opened_seq);
        put_from(out, self.opened_seq, self.closed_seq);
        put_some(out, self.closed_seq, self.last_seq);
        put(out, self.staked.units());
        put(out, self.returned.units());
    }

    fn decode(before: Option<&Self>, input: &mut Input<'_>) -> Result<Self, IndexError> {
        let of = |field: fn(&Self) -> u64| before.map_or(0, field);
        let state =
            *STATES.get(usize::from(input.byte()?)).ok_or(IndexError::Damaged("a round in a state that is none"))?;
        let round_no = input.number_from(of(|round| round.round_no))?;
        let last_no = input.number_from(round_no)?;
        let shoe_no = input.number_from(of(|round| round.shoe_no))?;
        let time = input.number_from(of(|round| round.time))?;
        let opened_seq = input.number_from(of(|round| round.opened_seq))?;
        let closed_seq = input.number_from(opened_seq)?;
        let last_seq = input.some(closed_seq)?;
        let mut chips = || Chips::new(input.number()?).ok_or(IndexError::Damaged("an amount is too great"));
        let (staked, returned) = (chips()?, chips()?);
        Ok(RoundRef { round_no, last_no, shoe_no, time, opened_seq, closed_seq, last_seq, staked, returned, state })
    }
}

impl Row for ShoeRef {
    const CHUNKS: u8 = b's';
    const SEARCH: u8 = b'S';
    const LENGTH: u64 = 32;

    fn order(&self) -> u64 {
        self.committed_seq
    }

    fn encode(&self, before: Option<&Self>, out: &mut Vec<u8>) {
        let of = |field: fn(&Self) -> u64| before.map_or(0, field);
        let is_same = before.is_some_and(|before| before.composition == self.composition);
        out.push(u8::from(is_same));
        if !is_same {
            put_text(out, &self.composition.to_string());
        }
        out.push(self.pick);
        put_from(out, of(|shoe| shoe.committed_seq), self.committed_seq);
        put_some(out, self.committed_seq, self.revealed_seq);
        put_some(out, self.committed_seq, self.sealed_seq);
        put_from(out, of(|shoe| shoe.first_shoe), self.first_shoe);
        put_some(out, self.committed_seq, self.history_end);
        put_some(out, before.and_then(|shoe| shoe.first_round).unwrap_or(0), self.first_round);
        put_some(out, before.and_then(|shoe| shoe.start).unwrap_or(0), self.start);
    }

    fn decode(before: Option<&Self>, input: &mut Input<'_>) -> Result<Self, IndexError> {
        let of = |field: fn(&Self) -> u64| before.map_or(0, field);
        let same = if input.byte()? == 1 { before.map(|before| before.composition.clone()) } else { None };
        let composition = match same {
            Some(same) => same,
            None => Arc::new(input.text()?.parse().map_err(|_| IndexError::Damaged("a composition that is none"))?),
        };
        let pick = input.byte()?;
        let committed_seq = input.number_from(of(|shoe| shoe.committed_seq))?;
        Ok(ShoeRef {
            committed_seq,
            revealed_seq: input.some(committed_seq)?,
            sealed_seq: input.some(committed_seq)?,
            pick,
            first_shoe: input.number_from(of(|shoe| shoe.first_shoe))?,
            history_end: input.some(committed_seq)?,
            first_round: input.some(before.and_then(|shoe| shoe.first_round).unwrap_or(0))?,
            start: input.some(before.and_then(|shoe| shoe.start).unwrap_or(0))?,
            composition,
        })
    }
}

/// Rows as one record's value, and back.
pub fn encode_chunk<T: Row>(rows: &[T]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut before = None;
    for row in rows {
        row.encode(before, &mut out);
        before = Some(row);
    }
    out
}

/// See [`encode_chunk`].
pub fn decode_chunk<T: Row>(bytes: &[u8]) -> Result<Vec<T>, IndexError> {
    let mut rows: Vec<T> = Vec::new();
    let mut input = Input(bytes);
    while !input.is_empty() {
        rows.push(T::decode(rows.last(), &mut input)?);
    }
    Ok(rows)
}

/// The end of a list: what is before it is on disk alone.
#[derive(Clone, Debug)]
pub struct Tail<T> {
    /// The number of its first row: that of a chunk's first.
    pub first: u64,
    pub rows: Vec<T>,
}

impl<T> Default for Tail<T> {
    fn default() -> Self {
        Tail { first: 0, rows: Vec::new() }
    }
}

impl<T: Row> Tail<T> {
    /// How many rows the whole list has.
    pub fn len(&self) -> u64 {
        self.first.saturating_add(self.rows.len() as u64)
    }

    pub fn get(&self, number: u64) -> Option<&T> {
        self.rows.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.rows.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn chunks(&self) -> impl Iterator<Item = (u64, &[T])> {
        (self.first / T::LENGTH..).zip(self.rows.chunks(usize::try_from(T::LENGTH).unwrap_or(usize::MAX)))
    }

    /// Its rows as records, chunk by chunk.
    pub fn records(&self, table: &TableId) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        self.chunks().map(move |(number, rows)| (key(T::CHUNKS, table, number), encode_chunk(rows)))
    }

    /// The records by which these are found.
    pub fn search_records(&self, table: &TableId) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        self.chunks().filter_map(move |(number, rows)| {
            let mut value = Vec::new();
            put(&mut value, number);
            rows.first().map(|first| (key(T::SEARCH, table, first.order()), value))
        })
    }

    /// Leaves to the disk what can change no more and is written: all chunks before the one of row `keep`.
    fn trim(&mut self, keep: u64) {
        let first = keep.min(self.len()) / T::LENGTH * T::LENGTH;
        let count = first.saturating_sub(self.first).min(self.rows.len() as u64);
        if count > 0 {
            self.rows.drain(..usize::try_from(count).unwrap_or(usize::MAX));
            self.rows.shrink_to_fit();
            self.first = first;
        }
    }
}

/// The key of a record of a table. Names have no byte 0.
pub fn key(kind: u8, name: impl AsRef<str>, number: u64) -> Vec<u8> {
    let mut key = vec![kind];
    key.extend(name.as_ref().as_bytes());
    key.push(0);
    key.extend(number.to_be_bytes());
    key
}

/// The key of a table's own record.
pub fn table_key(table: &TableId) -> Vec<u8> {
    key(b't', table, 0)
}

/// A table. In memory while it is open; of a closed one there are the counts alone, its rows being on disk.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The log index of each of its entries, by table sequence number.
    pub entries: Tail<u64>,
    /// By ascending number; the shuffles of new piles are numbered in between.
    pub rounds: Tail<RoundRef>,
    /// By their numbers.
    pub shoes: Tail<ShoeRef>,
    /// The log index of its first entry.
    pub opened: Option<u64>,
    /// The last betting window: its round, and the table sequence number of the entry that opened it.
    pub window: Option<(u64, u64)>,
    /// Of the last rounds, the newest in the lowest bit: whether a withheld reveal voided it.
    pub withheld: u128,
    /// Everyone with a bet in the last round.
    pub players: Vec<PlayerId>,
    /// Shoes before this one change no more.
    settled_shoes: u64,
    /// Whether a round is in progress.
    pub in_round: bool,
    /// Hands of poker are played there, whose hole cards are their players' alone; no other game deals such cards.
    pub is_cash: bool,
    /// No entry comes after the last one.
    pub closed: bool,
}

/// How many rows of each list are written and change no more. The rest is in memory where an entry is taken in.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub entries: u64,
    pub rounds: u64,
    pub shoes: u64,
}

impl Table {
    /// Takes an entry of the table in. `start`: where in the log the dealer of this epoch started.
    pub fn add(&mut self, index: u64, seq: u64, entry: &Entry, start: Option<u64>) {
        self.entries.rows.push(index);
        self.opened = self.opened.or(Some(index));
        for event in &entry.events {
            self.add_event(seq, entry, event, start);
        }
        self.end_history(seq, &entry.events);
    }

    fn add_event(&mut self, seq: u64, entry: &Entry, event: &Event, start: Option<u64>) {
        match event {
            Event::ShoeCommitted { composition, .. } => {
                let shoe_no = self.shoes.len();
                let before = self.shoes.rows.last();
                let first_shoe = before.map(|shoe| shoe.first_shoe).filter(|_| self.in_round).unwrap_or(shoe_no);
                let known = before.map(|shoe| &shoe.composition).filter(|known| known.as_ref() == composition);
                let composition = known.cloned().unwrap_or_else(|| Arc::new(composition.clone()));
                // Most tables never have many shoes in memory.
                self.shoes.rows.reserve_exact(1);
                self.shoes.rows.push(ShoeRef {
                    committed_seq: seq,
                    revealed_seq: None,
                    sealed_seq: None,
                    pick: 0,
                    first_shoe,
                    history_end: None,
                    first_round: None,
                    start,
                    composition,
                });
            }
            Event::ShoeRevealed { shoe_no, .. } => {
                if let Some(shoe) = self.shoes.get_mut(*shoe_no) {
                    shoe.revealed_seq = Some(seq);
                }
            }
            Event::ShoeSealed { shoe_no, .. } => {
                if let Some(shoe) = self.shoes.get_mut(*shoe_no) {
                    shoe.sealed_seq = Some(seq);
                }
            }
            Event::BetsOpened { round_no, .. } | Event::HandCalled { round_no, .. } => {
                self.window = Some((*round_no, seq))
            }
            Event::BetsClosed { round_no, shoe_no, .. } | Event::HandBegun { round_no, shoe_no, .. } => {
                let bets =
                    if let Event::BetsClosed { contributors, .. } = event { contributors.as_slice() } else { &[] };
                let stakes = bets.iter().flat_map(|c| &c.bets).map(|bet| bet.stake);
                let opened =
                    self.window.filter(|(opened, _)| opened == round_no).map_or(seq, |(_, opened_seq)| opened_seq);
                let number = self.rounds.len();
                if let Some(shoe) = self.shoes.get_mut(*shoe_no) {
                    shoe.first_round = shoe.first_round.or(Some(number));
                }
                self.in_round = true;
                self.players = event.entrants().into_iter().map(|(player, _)| player.clone()).collect();
                self.rounds.rows.push(RoundRef {
                    round_no: *round_no,
                    last_no: *round_no,
                    shoe_no: *shoe_no,
                    time: entry.time,
                    opened_seq: opened,
                    closed_seq: seq,
                    last_seq: None,
                    staked: Chips::sum(stakes).unwrap_or_default(),
                    returned: Chips::ZERO,
                    state: RoundState::AwaitingReveals,
                });
            }
            Event::TableOpened { rules, .. } => self.is_cash = rules.cash().is_some(),
            Event::PileOpened { round_no, .. } => self.with_round(|round| round.last_no = round.last_no.max(*round_no)),
            Event::RoundOpened { pick, .. } | Event::PileShuffled { pick, .. } => {
                if let Some(shoe) = self.shoes.rows.last_mut() {
                    shoe.pick = *pick;
                }
                self.with_round(|round| round.state = RoundState::Open);
            }
            // At a cash table what is put in lies before the seats until the hand is over.
            Event::Play(RoundEvent::Acted { cost, .. }) if !self.is_cash => {
                self.with_round(|round| round.staked = round.staked.plus(*cost).unwrap_or(Chips::MAX));
            }
            Event::Play(RoundEvent::Paid { lines }) => {
                let paid = Chips::sum(lines.iter().map(|line| line.returned)).unwrap_or(Chips::MAX);
                self.with_round(|round| round.returned = round.returned.plus(paid).unwrap_or(Chips::MAX));
            }
            Event::RoundSettled { players, .. } => self.end_round(seq, RoundState::Settled, players),
            Event::RoundVoided { cause, players, .. } => self.end_round(seq, RoundState::Voided(*cause), players),
            Event::TableClosed {} => self.closed = true,
            Event::Tournament(event) if matches!(**event, TournamentEvent::Ended { .. }) => self.closed = true,
            _ => {}
        }
    }

    fn with_round(&mut self, change: impl FnOnce(&mut RoundRef)) {
        if let Some(round) = self.rounds.rows.last_mut() {
            change(round);
        }
    }

    fn end_round(&mut self, seq: u64, state: RoundState, players: &[RoundResult]) {
        self.withheld = self.withheld << 1 | u128::from(state == RoundState::Voided(VoidCause::RevealMissing));
        self.in_round = false;
        self.with_round(|round| {
            round.staked = Chips::sum(players.iter().map(|one| one.staked)).unwrap_or(Chips::MAX);
            round.returned = Chips::sum(players.iter().map(|one| one.returned)).unwrap_or(Chips::MAX);
            (round.last_seq, round.state) = (Some(seq), state);
        });
    }

    /// In mid-game an unused pile is revealed and the game goes on; otherwise a reveal or a seal ends the history.
    fn end_history(&mut self, seq: u64, events: &[Event]) {
        let retires = events.iter().any(|event| matches!(event, Event::ShoeRevealed { .. } | Event::ShoeSealed { .. }));
        if retires && !self.in_round {
            let first = self.shoes.rows.last().map(|shoe| shoe.first_shoe);
            if let Some(shoe) = first.and_then(|first| self.shoes.get_mut(first)) {
                shoe.history_end = Some(seq);
            }
        }
        // What can still change: the shoes in use, and those of the last history.
        let in_use = (self.shoes.first..)
            .zip(&self.shoes.rows)
            .find(|(_, shoe)| shoe.retired_seq().is_none())
            .map(|(number, _)| number);
        let history = self.shoes.rows.last().map(|shoe| shoe.first_shoe);
        self.settled_shoes = in_use.into_iter().chain(history).min().unwrap_or_else(|| self.shoes.len());
    }

    /// How far it is written for good once its records are.
    pub fn written(&self) -> Written {
        Written {
            entries: self.entries.len(),
            rounds: self.rounds.len().saturating_sub(1),
            shoes: self.settled_shoes.min(self.shoes.len().saturating_sub(1)),
        }
    }

    /// Leaves to the disk what is written and can change no more.
    pub fn trim(&mut self, written: Written) {
        self.entries.trim(written.entries);
        self.rounds.trim(written.rounds);
        self.shoes.trim(written.shoes);
    }

    /// Its own record; its rows stand in others.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![u8::from(self.is_cash), u8::from(self.closed), u8::from(self.in_round)];
        put(&mut out, self.entries.len());
        put(&mut out, self.rounds.len());
        put(&mut out, self.shoes.len());
        put(&mut out, self.settled_shoes);
        put_some(&mut out, 0, self.opened);
        put_some(&mut out, 0, self.window.map(|(round, _)| round));
        put_some(&mut out, 0, self.window.map(|(_, seq)| seq));
        out.extend(self.withheld.to_be_bytes());
        put(&mut out, self.players.len() as u64);
        for player in &self.players {
            put_text(&mut out, player.as_str());
        }
        out
    }

    /// What a record says: all but the rows, which are on disk.
    pub fn decode(bytes: &[u8]) -> Result<Table, IndexError> {
        let mut input = Input(bytes);
        let (is_cash, closed, in_round) = (input.byte()? == 1, input.byte()? == 1, input.byte()? == 1);
        let (entries, rounds, shoes, settled_shoes) =
            (input.number()?, input.number()?, input.number()?, input.number()?);
        let opened = input.some(0)?;
        let window = input.some(0)?.zip(input.some(0)?);
        let withheld = input
            .bytes(16)?
            .try_into()
            .map(u128::from_be_bytes)
            .map_err(|_| IndexError::Damaged("a record ends too early"))?;
        let mut players = Vec::new();
        for _ in 0..input.number()? {
            players.push(PlayerId::parse(input.text()?).map_err(|_| IndexError::Damaged("a name that is none"))?);
        }
        let entries = Tail { first: entries, rows: Vec::new() };
        let rounds = Tail { first: rounds, rows: Vec::new() };
        let shoes = Tail { first: shoes, rows: Vec::new() };
        Ok(Table {
            entries,
            rounds,
            shoes,
            opened,
            window,
            withheld,
            players,
            settled_shoes,
            in_round,
            is_cash,
            closed,
        })
    }
}
