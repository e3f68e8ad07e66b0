//! Was this done already? The one answer to it, for every request that may come twice.
//!
//! A request is known again by the client's own key; by what stands now: a commitment for a hand, bets that are placed;
//! or by its content in the log, where the house refused it. The house thread asks the first two before it decides
//! ([`Repeats`]); the log is searched off that thread, after a refusal alone ([`find`]). What repeats in which way is
//! in the command's row ([`Facts`](fairshoe_house::Facts)).

use crate::read::archive::Archive;
use crate::read::history::HistoryError;
use crate::read::index::TableIndex;
use crate::write::committed::CommittedAt;
use crate::write::durable::ReadLog;
use crate::write::pipeline::RepeatKey;
use fairshoe_house::{Actor, Command, Entry, PlacedBet, Repeats as How, State, TournamentCommand};
use fairshoe_store::MetaWrite;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// How many keys are remembered beside the store before the durable ones are forgotten.
const RECENT_KEYS: usize = 4096;

/// What is known of a request before it is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// This entry carried it out.
    At(u64),
    /// These very bets are placed: their entry is among the first so many of the log.
    Among(u64),
    /// Its key was given with another request.
    KeyReused,
}

/// The keys of entries that may not be durable yet, before those of the store.
pub struct Repeats {
    reader: Arc<dyn ReadLog>,
    /// The entry's place, and the value that the store gets.
    recent: HashMap<Vec<u8>, (u64, Vec<u8>)>,
}

impl Repeats {
    /// Nothing but what the store knows.
    pub fn new(reader: Arc<dyn ReadLog>) -> Self {
        Repeats { reader, recent: HashMap::new() }
    }

    /// What came of the request with this key, if one came.
    ///
    /// # Errors
    /// The store fails, or its value is damaged.
    pub fn by_key(&self, repeat: &RepeatKey) -> Result<Option<Known>, String> {
        match self.recent.get(&repeat.key) {
            Some((_, value)) => read(repeat, value).map(Some),
            None => by_durable_key(self.reader.as_ref(), repeat),
        }
    }

    /// The entry at `index` carries the request out; what the store must be told with it.
    pub fn remember(&mut self, repeat: RepeatKey, index: u64) -> MetaWrite {
        if self.recent.len() >= RECENT_KEYS {
            // The store knows those of durable entries.
            let durable = self.reader.size();
            self.recent.retain(|_, (index, _)| *index >= durable);
        }
        let value = [repeat.request.as_slice(), &index.to_be_bytes()].concat();
        self.recent.insert(repeat.key.clone(), (index, value.clone()));
        MetaWrite::Put { key: repeat.key, value }
    }
}

/// What came of the request with this key, as far as it is durable.
///
/// # Errors
/// The store fails, or its value is damaged.
pub fn by_durable_key(reader: &dyn ReadLog, repeat: &RepeatKey) -> Result<Option<Known>, String> {
    let value = reader.meta_get(&repeat.key).map_err(|e| e.to_string())?;
    value.map(|value| read(repeat, &value)).transpose()
}

/// What the value of a key says of a request with it.
fn read(repeat: &RepeatKey, value: &[u8]) -> Result<Known, String> {
    let index = value.get(32..).and_then(|index| index.try_into().ok()).map(u64::from_be_bytes);
    let index = index.ok_or("a repeat key's value is damaged")?;
    Ok(if value.starts_with(&repeat.request) { Known::At(index) } else { Known::KeyReused })
}

/// What stands now and is asked for again. `size` is the log's, with everything decided so far.
pub fn standing(state: &State, committed: &CommittedAt, size: u64, by: &Actor, command: &Command) -> Option<Known> {
    let Actor::Player(player) = by else { return None };
    match command {
        // A commitment may come before its hand is called, so that it is not among the entries about its round.
        Command::CommitHandSeed { table, round_no, commitment } => {
            let known = committed.hand(table, player)?;
            let at = state.table(table)?;
            let called = at.call().and_then(|call| call.seeds.get(player).copied());
            let carried = at.cash().and_then(|cash| cash.carried.get(player).copied());
            let stands = [called, carried].contains(&Some(*commitment)) || *round_no < at.next_round;
            (stands && (known.round_no, known.commitment) == (*round_no, *commitment)).then_some(Known::At(known.index))
        }
        // A moment later another of the player's requests may take them back.
        Command::Bet { table, round_no, bets, commitment } => {
            let placed = PlacedBet { player: player.clone(), bets: bets.clone(), commitment: *commitment };
            let window = state.table(table)?.window().filter(|window| window.round_no == *round_no)?;
            (window.bet_of(player) == Some(&placed)).then_some(Known::Among(size))
        }
        _ => None,
    }
}

/// The latest entry of a command with the same content, if one is on the durable log: what names its round repeats by
/// its own name, what is a tournament's among its last entries.
pub fn find(archive: &Archive, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    let size = archive.current().size();
    let Some((known, span)) = place(archive, size, command)? else { return Ok(None) };
    find_among(archive, &known, span, size, by, command)
}

/// Whether [`find`] may look through many entries for a command. *Attack: a player takes back a bet of an old round that had
/// thousands of bets, again and again, while others wait for their own cards.*
pub fn looks_far(archive: &Archive, command: &Command) -> bool {
    let place = place(archive, archive.current().size(), command).ok().flatten();
    place.is_some_and(|(_, span)| span.end.saturating_sub(span.start) > LOOKED_AT)
}

/// The entries of its table among which a command may have been carried out, of a log of so many.
fn place(archive: &Archive, size: u64, command: &Command) -> Result<Option<(TableIndex, Range<u64>)>, HistoryError> {
    let facts = command.facts();
    let Some(known) = facts.table.map(|table| archive.index.table(table)).transpose()?.flatten() else {
        return Ok(None);
    };
    let span = match (facts.round_no, command) {
        (Some(round_no), _) => known.span_about(round_no)?,
        (None, Command::Tournament(TournamentCommand::Create { .. })) => 0..1,
        (None, Command::Tournament(_)) => last_of(known.entries_below(size)?),
        (None, _) if facts.repeats == How::AsLastOfSeat => last_of(known.entries_below(size)?),
        (None, _) => return Ok(None),
    };
    Ok(Some((known, span)))
}

/// Entries that are looked through for bets that are placed, for what was done in a tournament, and for who sat down:
/// more than come in one betting window, or one draw of most tournaments.
const PLACED: u64 = 4096;

fn last_of(until: u64) -> Range<u64> {
    until.saturating_sub(PLACED)..until
}

/// The entry of bets that were placed when the log had so many entries. Their window may be over since, and another one
/// open for the same round.
pub fn find_placed(archive: &Archive, size: u64, by: &Actor, command: &Command) -> Result<Option<u64>, HistoryError> {
    let Some(table) = command.table() else { return Ok(None) };
    let Some(known) = archive.index.table(table)? else { return Ok(None) };
    let until = known.entries_below(size)?;
    find_among(archive, &known, last_of(until), size, by, command)
}

/// Entries looked for at once where a repeat is.
const LOOKED_AT: u64 = 64;

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
        Command::Reveal { seed, .. }
        | Command::LateSeed { seed, .. }
        | Command::Tournament(TournamentCommand::RevealSeatSeed { seed, .. }) => serde_json::to_string(seed),
        _ => serde_json::to_string(by),
    };
    let sign = sign.map_err(|e| HistoryError::Broken(e.to_string()))?;
    // The newest first, a few at a time: a repeat mostly follows what it repeats.
    let mut end = span.end.min(known.entries_below(size)?);
    while span.start < end {
        let start = end.saturating_sub(LOOKED_AT).max(span.start);
        for at in known.indices(start..end)?.into_iter().rev() {
            match look_at(archive, at, by, command, &sign)? {
                Looked::Same => return Ok(Some(at)),
                Looked::Instead => return Ok(None),
                Looked::Other => {}
            }
        }
        end = start;
    }
    Ok(None)
}

/// What an entry is to a command that may be a repeat.
enum Looked {
    Same,
    Other,
    /// What was done last about these bets, or this seat, and it was something else.
    Instead,
}

fn look_at(archive: &Archive, at: u64, by: &Actor, command: &Command, sign: &str) -> Result<Looked, HistoryError> {
    let bytes = archive.reader.entry(at)?;
    if !String::from_utf8_lossy(&bytes).contains(sign) {
        return Ok(Looked::Other);
    }
    let entry = Entry::decode(&bytes).map_err(|e| HistoryError::Broken(e.to_string()))?;
    let by_seed = command.facts().repeats == How::BySeed;
    let same = match (&entry.command, command) {
        // A commitment that came with a seed is taken, or it is said that it is not.
        (
            Command::Reveal { player: a, seed: x, round_no: m, next: taken, .. },
            Command::Reveal { player: b, seed: y, round_no: n, next, .. },
        ) => a == b && x == y && m == n && (next.is_none() || next == taken),
        (
            Command::Tournament(TournamentCommand::RevealSeatSeed {
                entry_no: a,
                seed: x,
                draw_no: m,
                next: taken,
                ..
            }),
            Command::Tournament(TournamentCommand::RevealSeatSeed { entry_no: b, seed: y, draw_no: n, next, .. }),
        ) => a == b && x == y && m == n && (next.is_none() || next == taken),
        // A player who takes a seat is expected with it.
        (Command::TakeSeat { .. } | Command::AskToPlay { .. }, Command::AskToPlay { .. }) => entry.by == *by,
        (earlier, now) => earlier == now && (by_seed || entry.by == *by),
    };
    let about_bets = |command: &Command| command.facts().repeats == How::AsLastOfBets;
    // They sit and play, or they would not have been refused for it: so what they left and came back to since is over.
    let about_seat = |earlier: &Command| match command {
        Command::SitDown { .. } => matches!(earlier, Command::SitDown { .. }),
        Command::AskToPlay { .. } => false,
        _ => matches!(
            earlier,
            Command::SitDown { .. } | Command::SitIn { .. } | Command::SitOut { .. } | Command::LeaveSeat { .. }
        ),
    };
    let instead = match command.facts().repeats {
        How::AsLastOfBets => about_bets(&entry.command),
        How::AsLastOfSeat => about_seat(&entry.command),
        _ => false,
    };
    Ok(match same {
        true => Looked::Same,
        false if instead && entry.by == *by => Looked::Instead,
        false => Looked::Other,
    })
}
