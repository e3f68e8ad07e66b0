//! What is judged of a book: each round's bundle at several moments and the whole log, as they are, and with one change
//! each.

use crate::audit_common::mutate::mutate;
use crate::audit_common::{Archive, resign, unsigned_change};
use crate::common::rng::Rng;
use crate::common::world::World;
use fairshoe_house::{Command, Entry, State};
use fairshoe_judge::bundle::Bundle;
use std::collections::BTreeSet;

/// What is judged: a bundle's JSON, the entries of a whole log, or those of one that goes on from another.
#[derive(Clone)]
pub enum Case {
    Bundle(String),
    Log(Vec<String>),
    Continued { old: Vec<String>, new: Vec<String> },
}

/// A book's cases, each with what it is of.
pub type Cases = Vec<(String, Case)>;

/// When a round's bundle is asked for: just dealt, on the way, just over, later, at the end; three of these.
fn moments(rng: &mut Rng, closed: usize, over: Option<usize>, end: usize) -> BTreeSet<usize> {
    let between = |rng: &mut Rng, from: usize, to: usize| from + rng.below(to - from + 1);
    let last = over.map_or(end, |over| over + 1);
    let all = [
        closed + 1,
        between(rng, closed + 1, last),
        between(rng, closed + 1, last),
        last,
        between(rng, last, end),
        end,
    ];
    (0..3).map(|_| rng.pick(&all)).collect()
}

/// Every round of a log, at several moments, and the whole log, as it is and cut off.
pub fn honest(log: &[Vec<u8>], seed: u64) -> Cases {
    let mut rng = Rng(seed ^ 0x0b5e_55ed);
    let mut cases = rounds(log, &mut rng);
    for size in [log.len(), 1 + rng.below(log.len())] {
        cases.push((format!("log of {size}"), Case::Log(texts(&log[..size]))));
    }
    cases
}

/// Each round of a log, at several moments.
pub fn rounds(log: &[Vec<u8>], rng: &mut Rng) -> Cases {
    let archive = Archive::new(log);
    let mut cases = Cases::new();
    for (round, closed, over) in archive.rounds() {
        for size in moments(rng, closed, over, log.len()) {
            let bundle = archive.bundle_at(&round, size).expect("a round that is on the log has a bundle");
            cases.push((format!("bundle of {round} at {size}"), Case::Bundle(bundle.to_json().unwrap())));
        }
    }
    cases
}

pub fn texts(log: &[Vec<u8>]) -> Vec<String> {
    log.iter().map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect()
}

/// Rounds and the whole of a log, one change in each, signed again by whoever changed it.
pub fn changed(book: &[Vec<u8>], seed: u64) -> Cases {
    let mut rng = Rng(seed ^ 0x00ba_dbad);
    let archive = Archive::new(book);
    let rounds = archive.rounds();
    let mut cases = Cases::new();
    for nth in 0..20 {
        if nth == 0 || rounds.is_empty() {
            let mut log = texts(book);
            let end = log.len();
            let what = mutate(&mut log, 1..end, &mut rng);
            cases.push((format!("log, {what}"), Case::Log(log)));
            continue;
        }
        let (round, closed, over) = rounds[rng.below(rounds.len())].clone();
        let moments = moments(&mut rng, closed, over, book.len());
        let size = *moments.iter().nth(rng.below(moments.len())).unwrap();
        let bundle = archive.bundle_at(&round, size).unwrap();
        let (text, what) =
            if rng.one_in(8) { unsigned_change(bundle, &mut rng) } else { signed_change(bundle, &mut rng) };
        cases.push((format!("bundle of {round} at {size}, {what}"), Case::Bundle(text)));
    }
    cases
}

/// The log of a book in which somebody names a state somewhere: right or wrong, of this size or another, also while
/// tables wait to be put in order after a start. Half of them end there.
pub fn named(seed: u64) -> Cases {
    let log = World::book(seed).log;
    let decoded: Vec<Entry> = log.iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
    let starts: Vec<usize> = (1..log.len())
        .filter(|at| matches!(decoded[at - 1].command, Command::StartDealer { .. } | Command::Recover { .. }))
        .collect();
    let mut rng = Rng(seed ^ 0x0005_7a7e);
    let mut cases = Cases::new();
    for _ in 0..8 {
        let at = if rng.one_in(3) && !starts.is_empty() { rng.pick(&starts) } else { 1 + rng.below(log.len()) };
        let mut state = State::new();
        decoded[..at - 1].iter().for_each(|entry| state.apply(entry).unwrap());
        let before = state.root().unwrap().to_string();
        state.apply(&decoded[at - 1]).unwrap();
        let (now, other) = (state.root().unwrap().to_string(), "0f".repeat(32));
        let size = if rng.one_in(3) { rng.pick(&[at - 1, at + 1, 0, 65_536]) } else { at };
        let root = if rng.one_in(3) { rng.pick(&[&before, &other]).clone() } else { now };
        let by = if rng.one_in(8) { "operator" } else { "house" };
        let time = decoded[at - 1].time + rng.pick(&[0, 0, 1, 61_000]);
        let told = if rng.one_in(8) { &other } else { &root };
        let event = format!(r#"{{"state_noted":{{"size":{size},"root":"{told}"}}}}"#);
        let events = rng.pick(&[event.as_str(), &event, &event, &event, ""]);
        let command = format!(r#"{{"note_state":{{"size":{size},"root":"{root}"}}}}"#);
        let mut entries = texts(&log[..at]);
        entries.push(format!(r#"{{"v":1,"time":{time},"by":"{by}","command":{command},"events":[{events}]}}"#));
        if rng.one_in(2) {
            entries.extend(texts(&log[at..]));
        }
        let waits = if state.recovering() > 0 { " while tables wait" } else { "" };
        cases.push((format!("log, the state named after {at}{waits} by {by}, of {size}"), Case::Log(entries)));
    }
    cases
}

/// A bundle of which one entry, or one entry of its context, was changed.
fn signed_change(bundle: Bundle, rng: &mut Rng) -> (String, String) {
    let mut all: Vec<(u64, bool, String)> = Vec::new();
    all.extend(bundle.context.iter().map(|item| (item.index, true, item.entry.clone())));
    all.extend(bundle.entries.iter().map(|item| (item.index, false, item.entry.clone())));
    all.sort_unstable_by_key(|(index, ..)| *index);
    let (in_context, mut log): (Vec<bool>, Vec<String>) =
        all.into_iter().map(|(_, context, text)| (context, text)).unzip();
    let first = in_context.iter().position(|context| !context).unwrap();
    let before = log.clone();
    let range = if rng.one_in(6) { 0..first } else { first..log.len() };
    let what = mutate(&mut log, range, rng);
    // Which of them are context: those that were, as far as the change left them where they stood.
    let grown = log.len() as i64 - before.len() as i64;
    let place = before.iter().zip(&log).position(|(was, is)| was != is).unwrap_or(before.len().min(log.len()));
    let mut in_context = in_context;
    match grown {
        1 => in_context
            .insert(place.min(in_context.len()), in_context[place.saturating_sub(1).min(in_context.len() - 1)]),
        -1 => drop(in_context.remove(place.min(in_context.len() - 1))),
        _ => {}
    }
    (resign(bundle, log.into_iter().zip(in_context)), what)
}
