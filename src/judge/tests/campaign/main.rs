//! The differential campaign: houses by chance, honest and with one change each, before both judges. No honest house is
//! accused, and no two verdicts are apart: the same word, and where it is an accusation the same first entry and check.
//!
//! A book belongs to its seed. A failure prints it; `FAIRSHOE_SEED=17 cargo test -p fairshoe-judge --test campaign --
//! --nocapture` tries that book alone, with every case made of it. `FAIRSHOE_BUNDLES=20000` judges that many bundles in
//! each test, from the book `FAIRSHOE_FROM` on; `FAIRSHOE_SLOW=1` 100,000; `FAIRSHOE_SECONDS=300` as many as fit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../audit_common/mod.rs"]
mod audit_common;
mod books;
mod cases;
#[path = "../../../house/tests/common/mod.rs"]
mod common;
mod events;
mod judges;
#[path = "../../../house/tests/tournament_play.rs"]
#[allow(dead_code, reason = "events are played here with trouble of their own")]
mod tournament_play;

use books::{changed, honest, pair, some_book};
use cases::{Case, Cases, named};
use common::*;
use fairshoe_house::{Actor, Entry};
use judges::{Judgment, Second, first};
use std::collections::{BTreeMap, BTreeSet};
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
    checks: BTreeMap<String, usize>,
    bundles: usize,
    logs: usize,
    /// Logs that go on, each beside the one that it goes on from.
    continued: usize,
    words: BTreeMap<String, usize>,
    books: usize,
    /// In how many books each thing happened.
    happened: BTreeMap<String, usize>,
    faults: Vec<String>,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { books, bundles, logs, continued, words, faults, .. } = self;
        write!(f, "{books} books, {bundles} bundles, {logs} logs, {continued} logs that go on: {words:?}")?;
        write!(f, ", {} faults", faults.len())
    }
}

/// What happens in a log: its commands, and its events with their causes.
fn happenings(log: &[Entry]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let inner = |value: &serde_json::Value| {
        let (name, fields) = value.as_object().unwrap().iter().next().unwrap();
        match name.as_str() {
            "tournament" => {
                let (name, fields) = fields.as_object().unwrap().iter().next().unwrap();
                (format!("tournament.{name}"), fields.clone())
            }
            _ => (name.clone(), fields.clone()),
        }
    };
    for entry in log {
        let (command, fields) = inner(&serde_json::to_value(&entry.command).unwrap());
        let replaces = if fields["replaces"].is_string() { " that replaces another" } else { "" };
        let call = [&fields["call"], &fields["answer"]].map(|word| word.as_str().unwrap_or_default()).join(" ");
        let by = match (&entry.by, &entry.signed) {
            (Actor::Player(_), Some(_)) => ", signed",
            (Actor::Player(_), None) => ", unsigned",
            _ => "",
        };
        seen.insert(format!("{command}{replaces}{}{call}", if call.len() > 1 { " " } else { "" }).trim_end().into());
        seen.insert(format!("{command} by {}{by}", entry.by.to_string().split(':').next().unwrap()));
        for event in &entry.events {
            let (_, fields) = inner(&serde_json::to_value(event).unwrap());
            let name = name_of(event);
            let cause = fields["cause"].as_str().map_or_else(String::new, |cause| format!(" {cause}"));
            seen.insert(format!("{name}{cause}"));
        }
    }
    seen
}

impl Tally {
    /// What happens in a book, by its longest logs.
    fn look(&mut self, cases: &Cases) {
        let mut seen = BTreeSet::new();
        for (_, case) in cases {
            let logs: &[&Vec<String>] = match case {
                Case::Bundle(_) => &[],
                Case::Log(log) => &[log],
                Case::Continued { new, .. } => &[new],
            };
            for log in logs {
                let decoded = log.iter().map_while(|text| Entry::decode(text.as_bytes()).ok()).collect::<Vec<_>>();
                seen.extend(happenings(&decoded));
            }
        }
        seen.into_iter().for_each(|name| *self.happened.entry(name).or_default() += 1);
    }

    fn note(&mut self, seed: u64, nth: usize, what: &str, case: &Case, first: &Judgment, second: Option<&Judgment>) {
        match case {
            Case::Bundle(_) => self.bundles += 1,
            Case::Log(_) => self.logs += 1,
            Case::Continued { .. } => self.continued += 1,
        }
        *self.words.entry(first.word.clone()).or_default() += 1;
        *self.checks.entry(first.check.clone()).or_default() += 1;
        let apart = second.is_some_and(|second| !first.agrees(second) || !first.says_the_check_of(second));
        let accused = !first.is_sound() || second.is_some_and(|second| !second.is_sound());
        if apart || self.honest && accused {
            let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("campaign-{seed}-{nth}.json"));
            let text = match case {
                Case::Bundle(text) => text.clone(),
                Case::Log(entries) => entries.join("\n"),
                Case::Continued { old, new } => [old.join("\n"), new.join("\n")].join("\n\n"),
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
        if tally.honest {
            tally.look(&cases);
        }
        tally.books += 1;
        if tally.books.is_multiple_of(100) {
            println!("{name}: to seed {seed}: {tally}");
        }
        let is_over = until.map_or(tally.bundles.max(4 * tally.logs) >= enough, |until| until <= Instant::now());
        if is_over || tally.faults.len() >= 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let from = number("FAIRSHOE_FROM").unwrap_or(1);
    match only {
        Some(seed) => drop(book(seed)),
        None => drop((from..).try_for_each(&mut book)),
    }
    println!("{name}: {tally}");
    if until.is_some() || enough > BUNDLES {
        println!("{name}: in how many books: {:?}", tally.happened);
    }
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
    let tally = run("named", named, Tally::default());
    for check in ["", "refused", "state_noted", "overdue", "event_missing"] {
        assert!(tally.checks.get(check).is_some_and(|count| *count > 2), "`{check}`: {:?}", tally.checks);
    }
}

/// What the books are made of: nothing of what a house can meet is missing from them.
#[test]
fn the_books_hold_what_happens_to_a_house() {
    let mut seen = BTreeSet::new();
    for seed in 1..=60 {
        seen.extend(happenings(&entries(&some_book(seed).log)));
    }
    for seed in 1..=12 {
        let pair = pair(seed);
        seen.extend(happenings(&entries(&pair.old)));
        seen.extend(happenings(&entries(&pair.new.log)));
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
        "end_log",
        "continue_log",
        "guest_admitted",
        "guest_dismissed",
        "wallet_answer reserve refused",
        "wallet_answer reserve accepted",
        "wallet_answer commit accepted",
        "wallet_answer cancel accepted",
        "wallet_answer pay refused",
        "wallet_answer pay accepted",
        "transfer_out",
        "transfer_in",
        "bet by player, signed",
        "bet by player, unsigned",
        "tournament.register by player, signed",
        "tournament.register by player, unsigned",
        "tournament.cancelled too_few_players",
        "tournament.cancelled operator",
        "tournament.cancelled crash",
        "tournament.postponed",
        "tournament.registration_changed",
        "tournament.unregistered",
        "tournament.substitute_prize by player, signed",
        "tournament.deal_made",
        "tournament.stake_sold",
        "tournament.refunded",
        "tournament.ended",
    ] {
        assert!(seen.contains(name), "{name} does not happen: {seen:#?}");
    }
}
