//! The differential campaign: houses by chance, honest and with one change each, before both judges. No honest house is
//! accused, and no two verdicts are apart: the same word, and where it is an accusation the same first entry.
//!
//! A book belongs to its seed. A failure prints it; `FAIRSHOE_SEED=17 cargo test -p fairshoe-house --test campaign -- --nocapture`
//! tries that book alone, with every case made of it. `FAIRSHOE_BUNDLES=20000` judges that many bundles in each test, from the
//! book `FAIRSHOE_FROM` on; `FAIRSHOE_SLOW=1` 100,000.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../audit_common/mod.rs"]
mod audit_common;
#[path = "../common/mod.rs"]
mod common;
mod judges;

use audit_common::mutate::mutate;
use audit_common::{Archive, resign, unsigned_change};
use common::rng::Rng;
use common::world::World;
use common::*;
use fairshoe_house::bundle::Bundle;
use judges::{Case, Judgment, Second, first};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Bundles of honest houses, and bundles with a change, that each test judges unless it is told otherwise.
const BUNDLES: usize = 1_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// A book's cases, each with what it is of.
type Cases = Vec<(String, Case)>;

/// When a round's bundle is asked for: just dealt, on the way, just over, later, at the end; three of these.
fn moments(rng: &mut Rng, closed: usize, over: Option<usize>, end: usize) -> BTreeSet<usize> {
    let between = |rng: &mut Rng, from: usize, to: usize| from + rng.below(to - from + 1);
    let last = over.map_or(end, |over| over + 1);
    let all = [closed + 1, between(rng, closed + 1, last), between(rng, closed + 1, last), last, between(rng, last, end), end];
    (0..3).map(|_| rng.pick(&all)).collect()
}

/// Every round of the book, at several moments, and the whole log, as it is and cut off.
fn honest(seed: u64) -> Cases {
    let house = World::book(seed);
    let mut rng = Rng(seed ^ 0x0b5e_55ed);
    let archive = Archive::new(&house.log);
    let mut cases = Cases::new();
    for (round, closed, over) in archive.rounds() {
        for size in moments(&mut rng, closed, over, house.log.len()) {
            let bundle = archive.bundle_at(&round, size).expect("a round that is on the log has a bundle");
            cases.push((format!("bundle of {round} at {size}"), Case::Bundle(bundle.to_json().unwrap())));
        }
    }
    for size in [house.log.len(), 1 + rng.below(house.log.len())] {
        cases.push((format!("log of {size}"), Case::Log(texts(&house.log[..size]))));
    }
    cases
}

fn texts(log: &[Vec<u8>]) -> Vec<String> {
    log.iter().map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect()
}

/// Rounds and the log of a book, one change in each, signed again by whoever changed it.
fn changed(seed: u64) -> Cases {
    let house = World::book(seed);
    let mut rng = Rng(seed ^ 0x00ba_dbad);
    let archive = Archive::new(&house.log);
    let rounds = archive.rounds();
    let mut cases = Cases::new();
    for nth in 0..20 {
        if nth == 0 || rounds.is_empty() {
            let mut log = texts(&house.log);
            let end = log.len();
            let what = mutate(&mut log, 1..end, &mut rng);
            cases.push((format!("log, {what}"), Case::Log(log)));
            continue;
        }
        let (round, closed, over) = rounds[rng.below(rounds.len())].clone();
        let moments = moments(&mut rng, closed, over, house.log.len());
        let size = *moments.iter().nth(rng.below(moments.len())).unwrap();
        let bundle = archive.bundle_at(&round, size).unwrap();
        let (text, what) = if rng.one_in(8) { unsigned_change(bundle, &mut rng) } else { signed_change(bundle, &mut rng) };
        cases.push((format!("bundle of {round} at {size}, {what}"), Case::Bundle(text)));
    }
    cases
}

/// A bundle of which one entry, or one entry of its context, was changed.
fn signed_change(bundle: Bundle, rng: &mut Rng) -> (String, String) {
    let mut all: Vec<(u64, bool, String)> = Vec::new();
    all.extend(bundle.context.iter().map(|item| (item.index, true, item.entry.clone())));
    all.extend(bundle.entries.iter().map(|item| (item.index, false, item.entry.clone())));
    all.sort_unstable_by_key(|(index, ..)| *index);
    let (in_context, mut log): (Vec<bool>, Vec<String>) = all.into_iter().map(|(_, context, text)| (context, text)).unzip();
    let first = in_context.iter().position(|context| !context).unwrap();
    let before = log.clone();
    let range = if rng.one_in(6) { 0..first } else { first..log.len() };
    let what = mutate(&mut log, range, rng);
    // Which of them are context: those that were, as far as the change left them where they stood.
    let grown = log.len() as i64 - before.len() as i64;
    let place = before.iter().zip(&log).position(|(was, is)| was != is).unwrap_or(before.len().min(log.len()));
    let mut in_context = in_context;
    match grown {
        1 => in_context.insert(place.min(in_context.len()), in_context[place.saturating_sub(1).min(in_context.len() - 1)]),
        -1 => drop(in_context.remove(place.min(in_context.len() - 1))),
        _ => {}
    }
    (resign(bundle, log.into_iter().zip(in_context)), what)
}

/// What the judges said of a run of books.
#[derive(Default)]
struct Tally {
    bundles: usize,
    logs: usize,
    words: BTreeMap<String, usize>,
    faults: Vec<String>,
}

impl Tally {
    fn note(&mut self, seed: u64, nth: usize, what: &str, case: &Case, first: &Judgment, second: Option<&Judgment>, accused: bool) {
        match case {
            Case::Bundle(_) => self.bundles += 1,
            Case::Log(_) => self.logs += 1,
        }
        *self.words.entry(first.word.clone()).or_default() += 1;
        let apart = second.is_some_and(|second| !first.agrees(second));
        if apart || accused {
            let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("campaign-{seed}-{nth}.json"));
            let text = match case {
                Case::Bundle(text) => text.clone(),
                Case::Log(entries) => entries.join("\n"),
            };
            std::fs::write(&file, text).unwrap();
            let fault = format!(
                "FAIRSHOE_SEED={seed}, case {nth}: {what}\n  the first: {first:?}\n  the second: {second:?}\n  kept in {}",
                file.display()
            );
            println!("{fault}");
            self.faults.push(fault);
        }
    }
}

/// Judges the books of seed after seed until there were as many bundles as asked for.
fn run(name: &str, made_of: fn(u64) -> Cases, honest: bool) -> Tally {
    let mut second = Second::start();
    if second.is_none() {
        println!("no node here, version 18 or newer: the second verifier is not asked");
    }
    let only = number("FAIRSHOE_SEED");
    let enough = number("FAIRSHOE_BUNDLES").map_or(if effort() > 1 { 100 * BUNDLES } else { BUNDLES }, |count| count as usize);
    let mut tally = Tally::default();
    let mut book = |seed: u64| {
        let cases = made_of(seed);
        if let Some(second) = &second {
            cases.iter().for_each(|(_, case)| second.ask(case));
        }
        for (nth, (what, case)) in cases.iter().enumerate() {
            let one = first(case);
            let other = second.as_mut().map(|second| second.answer(case));
            let accused = honest && (!one.is_sound() || other.as_ref().is_some_and(|other| !other.is_sound()));
            if only.is_some() {
                println!("{nth}: {what}: {} {:?} {}", one.word, one.entry, one.check);
            }
            tally.note(seed, nth, what, case, &one, other.as_ref(), accused);
        }
        if tally.bundles >= enough || tally.faults.len() >= 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let from = number("FAIRSHOE_FROM").unwrap_or(1);
    match only {
        Some(seed) => drop(book(seed)),
        None => drop((from..).try_for_each(&mut book)),
    }
    println!("{name}: {} bundles, {} logs: {:?}", tally.bundles, tally.logs, tally.words);
    assert!(tally.faults.is_empty(), "{} faults, the first of them: {}", tally.faults.len(), tally.faults[0]);
    tally
}

#[test]
fn no_honest_house_is_accused_by_either_judge() {
    let tally = run("honest", honest, true);
    if tally.bundles >= BUNDLES {
        assert!(tally.words["sound"] > 100 && tally.words["sound_so_far"] > 100, "{:?}", tally.words);
    }
}

#[test]
fn what_is_changed_both_judges_find_in_the_same_entry_or_neither_does() {
    let tally = run("changed", changed, false);
    if tally.bundles >= BUNDLES {
        assert!(tally.words["not_sound"] * 2 > tally.bundles, "{:?}", tally.words);
    }
}

/// What the books are made of: nothing of what a house can meet is missing from them.
#[test]
fn the_books_hold_what_happens_to_a_house() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 1..=40 {
        for entry in entries(&World::book(seed).log) {
            for event in &entry.events {
                let value = serde_json::to_value(event).unwrap();
                let cause = value.as_object().unwrap().values().next().and_then(|fields| fields["cause"].as_str().map(str::to_owned));
                let name = name_of(event);
                *seen.entry(cause.map_or(name.clone(), |cause| format!("{name} {cause}"))).or_default() += 1;
            }
        }
    }
    for name in [
        "dealer_stopped",
        "start_refused",
        "key_set",
        "table_closed",
        "shuffle_asked",
        "round_resumed",
        "round_settled",
        "cooldown",
        "pile_opened",
        "pile_failed",
        "seat_left",
        "bet_cancelled",
        "shoe_sealed",
        "round_voided reveal_missing",
        "round_voided malfunction",
        "round_voided crash",
        "round_voided abandoned",
        "bets_lapsed restart",
        "bets_lapsed malfunction",
        "bets_lapsed no_bets",
        "shoe_revealed threshold",
        "shoe_revealed newcomer",
        "shoe_revealed restart",
        "shoe_revealed house_shuffle",
        "shoe_revealed closed",
        "shoe_revealed pile_used",
        "play.spun",
        "play.peeked",
        "play.offered",
    ] {
        assert!(seen.contains_key(name), "{name} does not happen in 40 books: {seen:#?}");
    }
}
