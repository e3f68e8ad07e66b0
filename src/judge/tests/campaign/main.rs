//! The differential campaign: houses by chance, honest and with one change each, before both judges. No honest house is
//! accused, and no two verdicts are apart: the same word, and where it is an accusation the same first entry.
//!
//! A book belongs to its seed. A failure prints it; `FAIRSHOE_SEED=17 cargo test -p fairshoe-judge --test campaign --
//! --nocapture` tries that book alone, with every case made of it. `FAIRSHOE_BUNDLES=20000` judges that many bundles in
//! each test, from the book `FAIRSHOE_FROM` on; `FAIRSHOE_SLOW=1` 100,000; `FAIRSHOE_SECONDS=300` as many as fit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../audit_common/mod.rs"]
mod audit_common;
mod cases;
#[path = "../../../house/tests/common/mod.rs"]
mod common;
mod judges;

use cases::{Case, Cases, changed, honest, named};
use common::world::World;
use common::*;
use judges::{Judgment, Second, first};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Bundles of honest houses, and bundles with a change, that each test judges unless it is told otherwise.
const BUNDLES: usize = 1_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// What the judges said of a run of books.
#[derive(Default)]
struct Tally {
    /// Whether the houses are honest: then every accusation is a fault.
    honest: bool,
    /// Whether both judges have to name the same check as well.
    same_check: bool,
    checks: BTreeMap<String, usize>,
    bundles: usize,
    logs: usize,
    words: BTreeMap<String, usize>,
    faults: Vec<String>,
}

impl Tally {
    fn note(&mut self, seed: u64, nth: usize, what: &str, case: &Case, first: &Judgment, second: Option<&Judgment>) {
        match case {
            Case::Bundle(_) => self.bundles += 1,
            Case::Log(_) => self.logs += 1,
        }
        *self.words.entry(first.word.clone()).or_default() += 1;
        *self.checks.entry(first.check.clone()).or_default() += 1;
        let apart =
            second.is_some_and(|second| !first.agrees(second) || self.same_check && first.check != second.check);
        let accused = !first.is_sound() || second.is_some_and(|second| !second.is_sound());
        if apart || self.honest && accused {
            let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("campaign-{seed}-{nth}.json"));
            let text = match case {
                Case::Bundle(text) => text.clone(),
                Case::Log(entries) => entries.join("\n"),
            };
            std::fs::write(&file, text).unwrap();
            let fault = format!(
                "FAIRSHOE_SEED={seed}, case {nth}: {what}\n  the first: {first}\n  the second: {}\n  kept in {}",
                second.map(ToString::to_string).unwrap_or_default(),
                file.display()
            );
            println!("{fault}");
            self.faults.push(fault);
        }
    }
}

/// Judges the books of seed after seed until there were as many bundles as asked for.
fn run(name: &str, made_of: fn(u64) -> Cases, tally: Tally) -> Tally {
    let mut second = Second::start();
    if second.is_none() {
        println!("no node here, version 18 or newer: the second verifier is not asked");
    }
    let only = number("FAIRSHOE_SEED");
    let enough =
        number("FAIRSHOE_BUNDLES").map_or(if effort() > 1 { 100 * BUNDLES } else { BUNDLES }, |count| count as usize);
    let until = number("FAIRSHOE_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut tally = tally;
    let mut book = |seed: u64| {
        let cases = made_of(seed);
        if let Some(second) = &second {
            cases.iter().for_each(|(_, case)| second.ask(case));
        }
        for (nth, (what, case)) in cases.iter().enumerate() {
            let one = first(case);
            let other = second.as_mut().map(|second| second.answer(case));
            if only.is_some() {
                println!("{nth}: {what}: {} {:?} {}", one.word, one.entry, one.check);
            }
            tally.note(seed, nth, what, case, &one, other.as_ref());
        }
        let is_over = until.map_or(tally.bundles.max(4 * tally.logs) >= enough, |until| until <= Instant::now());
        if is_over || tally.faults.len() >= 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    let tally = run("honest", honest, Tally { honest: true, ..Tally::default() });
    if tally.bundles >= BUNDLES {
        assert!(tally.words["sound"] > 100 && tally.words["sound_so_far"] > 100, "{:?}", tally.words);
    }
}

#[test]
fn what_is_changed_both_judges_find_in_the_same_entry_or_neither_does() {
    let tally = run("changed", changed, Tally::default());
    if tally.bundles >= BUNDLES {
        assert!(tally.words["not_sound"] * 2 > tally.bundles, "{:?}", tally.words);
    }
}

#[test]
fn a_state_named_at_any_time_is_judged_alike() {
    let tally = run("named", named, Tally { same_check: true, ..Tally::default() });
    for check in ["", "refused", "state_noted", "overdue", "event_missing"] {
        assert!(tally.checks.get(check).is_some_and(|count| *count > 2), "`{check}`: {:?}", tally.checks);
    }
}

/// What the books are made of: nothing of what a house can meet is missing from them.
#[test]
fn the_books_hold_what_happens_to_a_house() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 1..=40 {
        for entry in entries(&World::book(seed).log) {
            let command = serde_json::to_value(&entry.command).unwrap();
            let (command, fields) = command.as_object().unwrap().iter().next().unwrap();
            let replaces = if fields["replaces"].is_string() { " that replaces another" } else { "" };
            *seen.entry(format!("{command}{replaces}")).or_default() += 1;
            for event in &entry.events {
                let value = serde_json::to_value(event).unwrap();
                let cause = value
                    .as_object()
                    .unwrap()
                    .values()
                    .next()
                    .and_then(|fields| fields["cause"].as_str().map(str::to_owned));
                let name = name_of(event);
                *seen.entry(cause.map_or(name.clone(), |cause| format!("{name} {cause}"))).or_default() += 1;
            }
        }
    }
    for name in [
        "dealer_stopped",
        "start_refused",
        "state_noted",
        "key_set",
        "table_closed",
        "shuffle_asked",
        "round_resumed",
        "round_settled",
        "cooldown",
        "pile_opened",
        "pile_failed",
        "seat_left",
        "seat_wanted",
        "seed_late",
        "tidy_seats",
        "unseat",
        "open_table that replaces another",
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
