//! The same log audited in pieces, and from a state on: what every audit of these tests is held against.

use super::read_on;
use crate::common::ORIGIN;
use fairshoe_house::{Entry, NoState, State};
use fairshoe_judge::audit::{AuditReport, Book, Check, Limits, Piece};
use std::collections::BTreeMap;

/// What only entries before the state can show of one after it (spec/audit.md, "From a state").
const NOT_FROM_A_STATE: [Check; 11] = [
    Check::EpochReused,
    Check::RootReused,
    Check::SeedReused,
    Check::CardTooOften,
    Check::FaceFalse,
    Check::PeekFalse,
    Check::OpeningMissing,
    Check::OpeningExtra,
    Check::Opening,
    Check::FirstEntry,
    Check::EntryOrder,
];

/// The lines of a log's state at each of these sizes, as whoever folds it publishes them: as far as it can be folded.
pub fn states(log: &[Vec<u8>], sizes: &[usize]) -> BTreeMap<usize, Vec<String>> {
    let (mut state, mut states) = (State::new(), BTreeMap::new());
    for (size, bytes) in (1..).zip(log) {
        let Ok(entry) = Entry::decode(bytes) else { break };
        if state.apply(&entry).is_err() {
            break;
        }
        if sizes.contains(&size) {
            states.insert(size, state.lines().unwrap());
        }
    }
    states
}

pub fn limits() -> Limits {
    Limits { origin: Some(ORIGIN.into()), ..Limits::default() }
}

/// The piece that begins with these lines, if they are a state.
pub fn begin(log: &[Vec<u8>], size: usize, lines: &[String]) -> Option<Piece> {
    try_begin(log, size, lines).ok()
}

fn try_begin(log: &[Vec<u8>], size: usize, lines: &[String]) -> Result<Piece, NoState> {
    let entry = &mut |index: u64| Entry::decode(&log[index as usize]).map_err(|e| e.to_string());
    Piece::begin(size as u64, lines.iter().map(String::as_str), entry)
}

/// A log audited in pieces that begin with these states, one after another.
pub fn audit_in_pieces(log: &[Vec<u8>], states: &BTreeMap<usize, Vec<String>>) -> AuditReport {
    read_in_pieces(Book::new(limits()), log, states)
}

/// The same into this book.
pub fn read_in_pieces(mut book: Book, log: &[Vec<u8>], states: &BTreeMap<usize, Vec<String>>) -> AuditReport {
    let mut piece = Piece::new();
    for (index, bytes) in log.iter().enumerate() {
        if let Some(lines) = states.get(&index) {
            let next = try_begin(log, index, lines).unwrap_or_else(|why| panic!("an honest state is refused: {why}"));
            assert!(piece.leads_to(&next).unwrap(), "the state at {index} is what the entries make");
            book.join(std::mem::replace(&mut piece, next));
        }
        if book.take(piece.judge(Book::read(index as u64, bytes))).is_err() {
            break;
        }
    }
    book.join(piece);
    book.finish()
}

/// A log audited from a state on.
pub fn audit_from(log: &[Vec<u8>], size: usize, lines: &[String]) -> AuditReport {
    let piece = begin(log, size, lines).expect("an honest state begins a piece");
    read_on(Book::from(piece, limits()), log, size)
}

/// Whatever was found in a log is found in pieces of it, in the same words and with the same counts; and from a state
/// before the entry at fault on, but for what rests on what came before.
pub fn hold_in_pieces(log: &[Vec<u8>], whole: &AuditReport) {
    let at = whole.first_failure.as_ref().and_then(|found| found.entry).map(|entry| entry as usize);
    let (at, end) = (at.unwrap_or(log.len() / 3), log.len());
    let cuts = [at / 2, at, at + 1, (at + end) / 2, end.saturating_sub(1)];
    let states = states(log, &cuts);
    assert_eq!(audit_in_pieces(log, &states), *whole, "in pieces at {:?}", states.keys());
    for (size, lines) in states.iter().filter(|(size, _)| **size <= at || whole.first_failure.is_none()) {
        let from = audit_from(log, *size, lines);
        let named = |report: &AuditReport| report.first_failure.as_ref().map(|found| (found.check, found.entry));
        let may_differ = whole
            .first_failure
            .as_ref()
            .is_some_and(|found| found.entry.is_none() || NOT_FROM_A_STATE.contains(&found.check));
        assert!(
            named(&from) == named(whole) || may_differ,
            "from {size}: {:?}, else {:?}",
            from.first_failure,
            whole.first_failure
        );
        assert_eq!(from.given.as_ref().map(|given| given.size), Some(*size as u64));
    }
}
