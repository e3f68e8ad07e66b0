//! A log with one change, decided again as the auditor does it (spec/audit.md, "How an entry is checked"), with the
//! dealer who knows the faces.

use crate::common::MASTER;
use fairshoe_fairness::{Master, TableId};
use fairshoe_house::{Command, DecideError, Entry, SeedDealer, State};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};

/// One change of a log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    /// At which entry.
    at: usize,
    /// What stands there then, before the entry that stood there if that stays.
    #[serde(default)]
    put: Option<String>,
    /// Whether the entry that stood there is left out.
    #[serde(default)]
    omit: bool,
    /// The table, or event, whose later entries take other numbers.
    #[serde(default)]
    renumber: Option<String>,
}

/// What a judge says of a changed log.
#[derive(Serialize)]
struct Said {
    /// The first entry that does not hold, counted in the changed log.
    entry: Option<usize>,
    /// In which way.
    what: String,
}

/// Judges each change that comes in, ascending by entry.
pub fn judge(path: &str) -> std::io::Result<()> {
    let log: Vec<String> = std::fs::read_to_string(path)?.lines().map(str::to_owned).collect();
    let dealer = SeedDealer::new(Master::from_bytes(MASTER));
    let (mut state, mut reached) = (State::new(), 0);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let change: Change = serde_json::from_str(&line?)?;
        while reached < change.at {
            step(&mut state, &dealer, &log[reached], None).unwrap();
            reached += 1;
        }
        let said = judge_changed(state.clone(), &dealer, &log, &change);
        writeln!(out, "{}", serde_json::to_string(&said)?)?;
    }
    Ok(())
}

/// Says after each entry of a log what state it leaves (spec/state.md), which can be gone on from: its root, and of some
/// its lines.
pub fn states(path: &str) -> std::io::Result<()> {
    let mut state = State::new();
    let mut out = std::io::stdout().lock();
    let log: Vec<String> = std::fs::read_to_string(path)?.lines().map(str::to_owned).collect();
    for (index, text) in log.iter().enumerate() {
        state.apply(&Entry::decode(text.as_bytes()).unwrap()).unwrap();
        let lines = state.lines()?;
        let entry = &mut |index: u64| Entry::decode(log[index as usize].as_bytes()).map_err(|error| error.to_string());
        let read = State::from_lines(index as u64 + 1, lines.iter().map(String::as_str), entry);
        read.unwrap_or_else(|error| panic!("the state after entry {index} is refused: {error}"));
        let root = fairshoe_house::root_of_lines(lines.iter().map(String::as_str));
        let lines = (index % 64 == 63).then_some(lines);
        writeln!(out, "{}", serde_json::to_string(&(root, lines))?)?;
    }
    Ok(())
}

/// Says of each state that comes in whether the log can be gone on from it, or why not.
pub fn read(path: &str) -> std::io::Result<()> {
    let log: Vec<String> = std::fs::read_to_string(path)?.lines().map(str::to_owned).collect();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let (size, lines): (u64, Vec<String>) = serde_json::from_str(&line?)?;
        let entry = &mut |index: u64| {
            let text = log.get(index as usize).filter(|_| index < size).ok_or("it does not come before the state")?;
            Entry::decode(text.as_bytes()).map_err(|error| error.to_string())
        };
        let why = State::from_lines(size, lines.iter().map(String::as_str), entry).err().map(|no| no.why);
        writeln!(out, "{}", serde_json::to_string(&why)?)?;
    }
    Ok(())
}

fn judge_changed(mut state: State, dealer: &SeedDealer, log: &[String], change: &Change) -> Said {
    let put = change.put.iter().map(|text| (text, None));
    let by = if change.omit { -1 } else { 1 };
    let moved = change.renumber.as_ref().map(|name| (TableId::parse(name).unwrap(), by));
    let rest = log.iter().skip(change.at + usize::from(change.omit || change.put.is_some() && moved.is_none()));
    for (at, (text, moved)) in put.chain(rest.map(|text| (text, moved.clone()))).enumerate() {
        if let Err(what) = step(&mut state, dealer, text, moved.as_ref()) {
            return Said { entry: Some(change.at + at), what };
        }
    }
    Said { entry: None, what: String::new() }
}

fn step(state: &mut State, dealer: &SeedDealer, text: &str, moved: Option<&(TableId, i64)>) -> Result<(), String> {
    let mut entry = Entry::decode(text.as_bytes()).map_err(|error| format!("form: {error}"))?;
    if let (Some(at), Some((table, by))) = (&mut entry.at, moved)
        && at.table == *table
    {
        at.seq = at.seq.saturating_add_signed(*by);
    }
    if entry.time < state.last_time() {
        return Err("time".into());
    }
    if let Some(late) = state.overdue(entry.time).filter(|_| !matches!(entry.command, Command::StartDealer { .. })) {
        return Err(format!("overdue: {late:?}"));
    }
    if entry.at.as_ref().map(|at| &at.table) != entry.command.table() {
        return Err("place".into());
    }
    if state.recovering() > 0 && !entry.command.may_precede_recovery() {
        return Err("recovery".into());
    }
    let decided = state.decide_signed(dealer, entry.time, &entry.by, entry.signed.as_ref(), &entry.command);
    let decided = match decided {
        Ok(decided) => decided,
        Err(DecideError::Refused(refusal)) => return Err(format!("refused: {}", refusal.code())),
        Err(error) => return Err(format!("broken: {error}")),
    };
    if decided.before != entry.before {
        return Err("before".into());
    }
    if decided != entry {
        let differs = decided.events.iter().zip(&entry.events).position(|(one, other)| one != other);
        let at = differs.unwrap_or(decided.events.len().min(entry.events.len()));
        return Err(format!("event {at}: {:?} {:?}", decided.events.get(at), decided.at));
    }
    state.apply(&entry).map_err(|error| format!("fold: {error}"))
}
