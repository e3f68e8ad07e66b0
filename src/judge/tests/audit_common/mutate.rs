//! One change of a log, as a dishonest house would make it before it signs: a value, an event, an entry, a time, a
//! payment.

use crate::common::rng::Rng;
use fairshoe_games::{GameRules, RoundEvent};
use fairshoe_house::{Account, Command, Entry, Event};
use serde_json::value::RawValue;
use std::ops::Range;

/// The values of an entry's text: numbers, truths, and what lies within quotes where it names no field.
pub fn values(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-';
        if bytes[at] == b'"' {
            let length = bytes[at + 1..].iter().position(|b| *b == b'"').unwrap();
            let range = at + 1..at + 1 + length;
            at = range.end + 1;
            if bytes.get(at) != Some(&b':') {
                found.push(range);
            }
        } else if word(&bytes[at]) {
            let length = bytes[at..].iter().position(|b| !word(b)).unwrap();
            found.push(at..at + length);
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Words that stand in entries, one of which is put in another's place.
const WORDS: [&str; 40] = [
    "alice",
    "bob",
    "dave",
    "player:carol",
    "operator",
    "anyone",
    "house",
    "post",
    "wait",
    "fold",
    "call",
    "check",
    "hit",
    "stand",
    "asked",
    "crash",
    "malfunction",
    "restart",
    "newcomer",
    "threshold",
    "house_shuffle",
    "closed",
    "reveal_missing",
    "no_bets",
    "no_bet",
    "1/1",
    "2/1",
    "dealer",
    "rake",
    "win",
    "loss",
    "draw",
    "bust",
    "level",
    "players",
    "nobody",
    "reveal",
    "turn",
    "round",
    "pile",
];

/// Another value of the same kind.
fn another(before: &str, rng: &mut Rng) -> String {
    match before {
        "true" => "false".into(),
        "false" => "true".into(),
        card if card.len() == 2 && card.parse::<i64>().is_err() => rng.pick(&["As", "7d", "Tc", "2h"]).into(),
        hash if hash.len() >= 32 => {
            let at = rng.below(hash.len());
            format!("{}{}{}", &hash[..at], if &hash[at..=at] == "0" { "1" } else { "0" }, &hash[at + 1..])
        }
        text => match text.parse::<i64>() {
            Ok(number) => (number + rng.pick(&[1, 1, -1, -1, 20, 60_000])).to_string(),
            Err(_) => rng.pick(&WORDS).into(),
        },
    }
}

/// The text with one of its values changed; and what was done.
fn change_value(text: &str, rng: &mut Rng) -> (String, String) {
    let values = values(text);
    let range = values[rng.below(values.len())].clone();
    let (before, after) = (&text[range.clone()], another(&text[range.clone()], rng));
    (
        format!("{}{after}{}", &text[..range.start], &text[range.end..]),
        format!("{before} becomes {after} at {}", range.start),
    )
}

/// The text with an event dropped, doubled, or moved.
fn change_events(text: &str, rng: &mut Rng) -> (String, String) {
    let (head, events) = text.split_once("\"events\":").unwrap();
    let mut events: Vec<Box<RawValue>> = serde_json::from_str(events.strip_suffix('}').unwrap()).unwrap();
    if events.is_empty() {
        return change_value(text, rng);
    }
    let from = rng.below(events.len());
    let event = events[from].clone();
    let what = match rng.below(3) {
        0 => {
            events.insert(from, event.clone());
            format!("event {from} is doubled: {event}")
        }
        1 => {
            events.remove(from);
            format!("event {from} is dropped: {event}")
        }
        _ => {
            events.remove(from);
            let to = rng.below(events.len() + 1);
            events.insert(to, event.clone());
            format!("event {from} is moved to {to}: {event}")
        }
    };
    (format!("{head}\"events\":{}}}", serde_json::to_string(&events).unwrap()), what)
}

/// An entry's text with one value or event changed; and what was done.
pub fn change(text: &str, rng: &mut Rng) -> (String, String) {
    if rng.one_in(8) { change_events(text, rng) } else { change_value(text, rng) }
}

fn edit(text: &mut String, change: impl FnOnce(&mut Entry)) {
    let mut entry = Entry::decode(text.as_bytes()).unwrap();
    change(&mut entry);
    // What is no entry any more is left as it was: then nothing was changed.
    if let Ok(bytes) = entry.encode() {
        *text = String::from_utf8(bytes).unwrap();
    }
}

/// The places of entries from `from` on, by one up or down at this table.
fn renumber(log: &mut [String], table: &str, up: bool) {
    let needle = format!("\"at\":{{\"table\":\"{table}\"");
    for text in log.iter_mut().filter(|text| text.contains(&needle)) {
        edit(text, |entry| {
            if let Some(at) = &mut entry.at {
                at.seq = if up { at.seq + 1 } else { at.seq.saturating_sub(1) };
            }
        });
    }
}

fn table_of(text: &str) -> Option<String> {
    Entry::decode(text.as_bytes()).unwrap().at.map(|at| at.table.to_string())
}

/// One change of one of the entries in `range`; what was done, in words that begin with the entry's number.
pub fn mutate(log: &mut Vec<String>, range: Range<usize>, rng: &mut Rng) -> String {
    let at = range.start + rng.below(range.len());
    let what = match rng.below(24) {
        0 => drop_entry(log, at, rng.one_in(4)),
        1 => double_entry(log, at, rng.one_in(4)),
        2 => swap_entries(log, at),
        3 | 4 => move_time(log, at, rng),
        5 | 6 => off_by_one(log, at, rng),
        7 => pay_more(log, at, rng),
        8 => other_rules(log, at, rng),
        9 => other_seed(log, at, rng),
        10 => invent(log, at, rng),
        11 => other_actor(log, at, rng),
        12..=14 => set(log, at, change_events, rng),
        _ => set(log, at, change_value, rng),
    };
    format!("entry {at}: {what}")
}

fn set(log: &mut [String], at: usize, change: fn(&str, &mut Rng) -> (String, String), rng: &mut Rng) -> String {
    let (text, what) = change(&log[at], rng);
    log[at] = text;
    what
}

fn drop_entry(log: &mut Vec<String>, at: usize, gap: bool) -> String {
    let text = log.remove(at);
    if let Some(table) = table_of(&text).filter(|_| !gap) {
        renumber(&mut log[at..], &table, false);
    }
    format!("dropped{}: {text}", if gap { " with a gap" } else { "" })
}

fn double_entry(log: &mut Vec<String>, at: usize, same: bool) -> String {
    let text = log[at].clone();
    log.insert(at + 1, text.clone());
    if let Some(table) = table_of(&text).filter(|_| !same) {
        renumber(&mut log[at + 1..], &table, true);
    }
    "doubled".into()
}

/// Two entries change places; times and numbers stay.
fn swap_entries(log: &mut [String], at: usize) -> String {
    let table = table_of(&log[at]);
    let Some(other) = (at + 1..log.len()).find(|other| table_of(&log[*other]) == table) else {
        return "the last one".into();
    };
    let (one, two) = (Entry::decode(log[at].as_bytes()).unwrap(), Entry::decode(log[other].as_bytes()).unwrap());
    edit(&mut log[at], |entry| *entry = Entry { time: one.time, at: one.at.clone(), ..two.clone() });
    edit(&mut log[other], |entry| *entry = Entry { time: two.time, at: two.at.clone(), ..one.clone() });
    format!("swapped with entry {other}")
}

fn move_time(log: &mut [String], at: usize, rng: &mut Rng) -> String {
    let by = rng.pick(&[-1_i64, 1, -1_000, 1_000, 20_000, -20_000, 3_600_000]);
    let all = rng.one_in(2);
    let last = if all { log.len() } else { at + 1 };
    for text in &mut log[at..last] {
        edit(text, |entry| entry.time = entry.time.saturating_add_signed(by));
    }
    format!("{by} ms, {}", if all { "and all after it" } else { "alone" })
}

/// A posting to one account is one unit off, its balance too.
fn off_by_one(log: &mut [String], at: usize, rng: &mut Rng) -> String {
    let Some(at) = (at..log.len()).find(|at| log[*at].contains("\"posted\"")) else {
        return "no posting follows".into();
    };
    let (by, nth) = (rng.pick(&[-1, 1]), rng.below(8));
    edit(&mut log[at], |entry| {
        let mut lines: Vec<_> = entry
            .events
            .iter_mut()
            .flat_map(|event| if let Event::Posted { lines } = event { lines.as_mut_slice() } else { &mut [] })
            .collect();
        let nth = nth % lines.len();
        lines[nth].1 += by;
        lines[nth].2 += by;
    });
    format!("a posting of entry {at} is {by} off")
}

/// A wager returns more, and the whole book says so.
fn pay_more(log: &mut [String], at: usize, rng: &mut Rng) -> String {
    let Some(at) = (at..log.len()).find(|at| log[*at].contains("\"paid\"")) else {
        return "nothing is paid after it".into();
    };
    let (more, nth) = (1 + rng.below(3) as u64, rng.below(4));
    edit(&mut log[at], |entry| {
        let mut winner = None;
        for event in &mut entry.events {
            match event {
                Event::Play(RoundEvent::Paid { lines }) if winner.is_none() => {
                    let nth = nth % lines.len();
                    lines[nth].returned = fairshoe_games::Chips::new(lines[nth].returned.units() + more).unwrap();
                    winner = Some(lines[nth].player.clone());
                }
                Event::Posted { lines } => {
                    for line in lines {
                        let sign = match &line.0 {
                            Account::Player(player) if Some(player) == winner.as_ref() => 1,
                            Account::House => -1,
                            _ => 0,
                        };
                        line.1 += sign * more as i64;
                        line.2 += sign * more as i64;
                    }
                }
                Event::RoundSettled { returned, players, .. } => {
                    let raise = |returned: &mut fairshoe_games::Chips| {
                        *returned = fairshoe_games::Chips::new(returned.units() + more).unwrap()
                    };
                    raise(returned);
                    players
                        .iter_mut()
                        .filter(|one| Some(&one.player) == winner.as_ref())
                        .for_each(|one| raise(&mut one.returned));
                }
                _ => {}
            }
        }
    });
    format!("entry {at} pays {more} more, book and all")
}

/// The table was opened under other rules, digest and all.
fn other_rules(log: &mut [String], at: usize, rng: &mut Rng) -> String {
    let Some(at) = (0..=at).rev().find(|at| log[*at].contains("\"open_table\"")) else {
        return "no table is opened before it".into();
    };
    let kind = rng.below(6);
    edit(&mut log[at], |entry| {
        let Command::OpenTable { rules, .. } = &mut entry.command else { return };
        match (kind, &mut rules.game) {
            (0, GameRules::Blackjack(game)) => game.auto_stand_21 = !game.auto_stand_21,
            (1, GameRules::Blackjack(game)) => game.dealer_always_draws = !game.dealer_always_draws,
            (0 | 1, GameRules::Roulette(game)) => game.pays.even_chance = 3,
            (0 | 1, GameRules::Baccarat(game)) => game.tie_pays = 7,
            (0 | 1, GameRules::DragonTiger(game)) => game.tie_pays = 7,
            (0 | 1, GameRules::SicBo(game)) => game.pays.pair = 6,
            (0 | 1, GameRules::Safe(game)) => game.last_round = 2,
            (0 | 1, GameRules::Poker(game)) => game.blinds.straddle = !game.blinds.straddle,
            (2, _) => rules.table.reveal_time_ms += 1_000,
            (3, _) => rules.table.house_shuffle = !rules.table.house_shuffle,
            (4, _) => rules.table.seats += 1,
            _ => rules.table.stake_min = fairshoe_games::Chips::new(rules.table.stake_min.units() + 150).unwrap(),
        }
        let now = rules.clone();
        for event in &mut entry.events {
            if let Event::TableOpened { rules, digest, .. } = event {
                (*digest, *rules) = (now.digest(), now.clone());
            }
        }
    });
    format!("other rules of kind {kind} in entry {at}")
}

/// A seed that comes out is another, in the command too.
fn other_seed(log: &mut [String], at: usize, rng: &mut Rng) -> String {
    let comes_out = |text: &str| text.contains("\"seed_revealed\"") || text.contains("\"shoe_revealed\"");
    let Some(at) = (at..log.len()).find(|at| comes_out(&log[*at])) else { return "no seed comes out after it".into() };
    let field = if log[at].contains("\"shoe_revealed\"") { "\"seeds\":[\"" } else { "\"seed\":\"" };
    let from = log[at].find(field).unwrap() + field.len();
    let seed = log[at][from..from + 64].to_owned();
    log[at] = log[at].replace(&seed, &another(&seed, rng));
    format!("another seed in entry {at}")
}

/// A command that nobody gave.
fn invent(log: &mut Vec<String>, at: usize, rng: &mut Rng) -> String {
    let Some(table) = table_of(&log[at]) else { return "no table's entry".into() };
    let round = rng.below(3);
    let command = rng.pick(&[
        "\"commit_shoe\":{\"table\":T}",
        "\"open_bets\":{\"table\":T}",
        "\"recover\":{\"table\":T}",
        "\"retire_shoe\":{\"table\":T}",
        "\"retire_shoe\":{\"table\":T,\"reason\":\"none\"}",
        "\"close_bets\":{\"table\":T,\"round_no\":R}",
        "\"lapse\":{\"table\":T,\"round_no\":R,\"lapsed\":\"turn\"}",
        "\"lapse\":{\"table\":T,\"round_no\":R,\"lapsed\":\"reveal\"}",
        "\"void_round\":{\"table\":T,\"round_no\":R,\"reason\":\"none\"}",
        "\"close_table\":{\"table\":T}",
        "\"tidy_seats\":{\"table\":T}",
    ]);
    let command = command.replace('T', &format!("\"{table}\"")).replace('R', &round.to_string());
    let entry = Entry::decode(log[at].as_bytes()).unwrap();
    let (time, seq) = (entry.time, entry.at.map_or(0, |at| at.seq + 1));
    let by = if command.contains("reason") { "operator" } else { "house" };
    renumber(&mut log[at + 1..], &table, true);
    log.insert(
        at + 1,
        format!("{{\"v\":1,\"time\":{time},\"by\":\"{by}\",\"at\":{{\"table\":\"{table}\",\"seq\":{seq}}},\"command\":{{{command}}},\"events\":[]}}"),
    );
    format!("after it {command}")
}

fn other_actor(log: &mut [String], at: usize, rng: &mut Rng) -> String {
    let by = rng.pick(&["operator", "house", "anyone", "player:alice", "player:erin", "auditor:frank"]);
    edit(&mut log[at], |entry| entry.by = serde_json::from_value(by.into()).unwrap());
    format!("given by {by}")
}
