//! Houses that cheat by strategy: a lying dealer, a lying clock, a friend, a chosen crash, for hundreds of rounds,
//! every entry made by the service's own code. Each log is judged by both verifiers and by the statistics; the table in
//! spec/audit.md is what the run says, word for word, and what earns and is not found is a defect or a limit that is
//! named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_arithmetic)]

#[path = "../../../../src/judge/tests/audit_common/mod.rs"]
mod audit_common;
mod blackjack;
#[path = "../../../../src/house/tests/common/mod.rs"]
mod common;
mod crook;
mod events;
mod judged;
mod list;
mod pots;
mod powers;
#[path = "../served/mod.rs"]
mod served;
#[path = "../../../../src/house/tests/tournament_play.rs"]
#[allow(dead_code, reason = "tests of the house use the rest")]
mod tournament_play;
mod unheard;
mod wheel;
mod worth;

use judged::{Judged, UNLIKELY, judge};
use list::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many times the rounds of a quick run are played where somebody asked for the slow tests.
const SLOW: usize = 5;

fn is_slow() -> bool {
    std::env::var_os("FAIRSHOE_SLOW").is_some_and(|value| value == "1")
}

/// What gives a strategy away.
enum Found {
    /// A check of the auditor, at this entry.
    Check(String, Option<u64>),
    /// Nothing proves it; a count that is unlikely in an honest house is reported.
    Chance(String, f64),
    /// The report names the matter, and judges nothing.
    Told(String, String),
    Nothing,
}

/// What came of a strategy.
struct Row {
    rounds: usize,
    /// The names of the commands on its log.
    commands: BTreeSet<String>,
    earned: (f64, Option<f64>),
    found: Found,
    judged: Judged,
}

fn run(strategy: &Strategy) -> Row {
    let Played { evidence, worth } = (strategy.run)(if is_slow() { strategy.rounds * SLOW } else { strategy.rounds });
    let judged = judge(&evidence);
    let told = || {
        let figure = judged.report.pointer(strategy.told?)?;
        let empty = figure.is_null() || *figure == 0 || figure.as_array().is_some_and(Vec::is_empty);
        let value = match figure.as_f64() {
            Some(share) if figure.as_u64().is_none() => format!("{share:.4}"),
            _ => figure.to_string(),
        };
        (!empty).then(|| Found::Told(strategy.told.unwrap().trim_start_matches('/').replace('/', "."), value))
    };
    let found = match (&judged.failure, judged.unlikely.first()) {
        (Some(failure), _) => Found::Check(failure.check.clone(), failure.entry),
        (None, Some((path, p))) => Found::Chance(path.clone(), *p),
        (None, None) => told().unwrap_or(Found::Nothing),
    };
    Row { rounds: worth.count(), commands: commands_of(&evidence.log), earned: worth.earned(), found, judged }
}

/// The names of a log's commands, as spec/audit.md has them: a tournament's is the name within.
fn commands_of(log: &[Vec<u8>]) -> BTreeSet<String> {
    let name = |entry: &Vec<u8>| {
        let entry: serde_json::Value = serde_json::from_slice(entry).unwrap();
        let (name, command) = entry["command"].as_object().unwrap().iter().next().unwrap();
        let within = || command.as_object().unwrap().keys().next().unwrap().clone();
        if name == "tournament" { within() } else { name.clone() }
    };
    log.iter().map(name).collect()
}

/// The part of a page between two marks.
fn marked<'p>(page: &'p str, mark: &str) -> (&'p str, &'p str, &'p str) {
    let (before, rest) = page.split_once(&format!("<!-- {mark} -->\n")).expect("the page has no such table");
    let (table, after) = rest.split_once(&format!("<!-- end of {mark} -->")).expect("the table has no end");
    (before, table, after)
}

/// Each row of "What each command is worth" names strategies whose logs have the command, or says why it names none.
fn commands_without_their_strategies(rows: &[Option<Row>]) -> Vec<String> {
    let page = fs::read_to_string(specification("audit.md")).unwrap();
    let is_played = |command: &str, does: &str| {
        let nth = STRATEGIES.iter().position(|strategy| strategy.does == does);
        nth.and_then(|nth| rows[nth].as_ref()).is_some_and(|row| row.commands.contains(command))
    };
    let wrong = |row: &str| {
        let command = row.split('`').nth(1).unwrap();
        let played = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let holds = match played.strip_prefix("none: ") {
            Some(reason) => reason.len() > 5,
            None => is_played(command, played),
        };
        (!holds).then(|| format!("{command}: no strategy whose log has it: {played}"))
    };
    marked(&page, "commands").1.lines().skip(2).filter_map(wrong).collect()
}

/// All of them, two at a time; their rows in their order, and nothing for one that the rules do not let be played.
fn run_all(strategies: &[Strategy]) -> Vec<Option<Row>> {
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let nth = next.fetch_add(1, Ordering::SeqCst);
                    let Some(strategy) = strategies.get(nth) else { break };
                    let row = std::panic::catch_unwind(|| run(strategy)).ok();
                    rows.lock().unwrap().push((nth, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by_key(|(nth, _)| *nth);
    rows.into_iter().map(|(_, row)| row).collect()
}

impl Row {
    fn text(&self, strategy: &Strategy) -> String {
        let earned = match self.earned {
            (share, None) => format!("{share:.1}"),
            (share, Some(give)) => format!("{share:.1} ± {give:.1}"),
        };
        let entry = |entry: Option<u64>| entry.map(|entry| format!(", entry {entry}")).unwrap_or_default();
        let found = match &self.found {
            Found::Check(check, at) => format!("`{check}`{}", entry(*at)),
            Found::Chance(path, p) => format!("`{path}`, p = {p:.1e}"),
            Found::Told(figure, value) => format!("told: `{figure}` {value}"),
            Found::Nothing if is_limit(strategy) => "nothing: a limit that is named".to_owned(),
            Found::Nothing => "nothing".to_owned(),
        };
        let second = match &self.judged.second {
            (_, Some(failure)) => format!("`{}`{}", failure.check, entry(failure.entry)),
            (word, None) => word.clone(),
        };
        format!("| {} | {} | {} | {earned} | {found} | {second} |", strategy.does, strategy.game, self.rounds)
    }

    /// What is wrong with what the verifiers say of a strategy.
    fn wrong(&self, strategy: &Strategy) -> Option<String> {
        let limit = is_limit(strategy);
        let (first, second) = (&self.judged.failure, &self.judged.second.1);
        match (&self.found, limit) {
            (Found::Nothing, false) => Some("nothing finds it, and it is no limit that is named"),
            (Found::Nothing, true) | (_, false) => None,
            // What hundreds of rounds do not show thousands may.
            (Found::Chance(..), true) if is_slow() => None,
            (_, true) => Some("it is found: it is a limit no more"),
        }
        .or_else(|| (first != second).then_some("the two verifiers differ"))
        .map(|what| {
            let (failure, leaning) = (&self.judged.report["first_failure"], &self.judged.report["leaning"]);
            format!("{}: {what}: {} {failure} {leaning}", strategy.does, self.text(strategy))
        })
    }
}

fn is_limit(strategy: &Strategy) -> bool {
    LIMITS.iter().any(|(does, _)| *does == strategy.does)
}

fn specification(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec").join(page)
}

/// With FAIRSHOE_WRITE=1 the table is written instead of compared. With FAIRSHOE_SLOW=1 more rounds are played, and the
/// table is printed.
#[test]
fn every_strategy_is_found_or_is_a_limit_that_is_named() {
    let rows = run_all(STRATEGIES);
    let head = "| the house | game | rounds | earned, % of stakes | given away by | the second verifier |\n|---|---|---|---|---|---|\n";
    let each = STRATEGIES.iter().zip(&rows);
    let text =
        |strategy: &Strategy, row: &Option<Row>| row.as_ref().map_or(String::new(), |row| row.text(strategy) + "\n");
    let table = each.clone().fold(head.to_owned(), |table, (strategy, row)| table + &text(strategy, row));
    println!("{table}");
    let not_played = |strategy: &Strategy| Some(format!("{}: it cannot be played", strategy.does));
    let wrong =
        each.filter_map(|(strategy, row)| row.as_ref().map_or_else(|| not_played(strategy), |row| row.wrong(strategy)));
    let mut wrong: Vec<String> = wrong.collect();
    wrong.extend(commands_without_their_strategies(&rows));
    if !is_slow() {
        compare_or_write(&table);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn compare_or_write(table: &str) {
    let path = specification("audit.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, stands, after) = marked(&text, "strategies");
    if std::env::var_os("FAIRSHOE_WRITE").is_some() {
        fs::write(&path, format!("{before}<!-- strategies -->\n{table}<!-- end of strategies -->{after}")).unwrap();
        return;
    }
    for (said, found) in stands.lines().zip(table.lines()) {
        assert_eq!(said, found, "spec/audit.md says otherwise; FAIRSHOE_WRITE=1 writes the table again");
    }
    assert_eq!(stands.lines().count(), table.lines().count(), "rows of the table in spec/audit.md");
}

/// Players who play as the victims do, at a house that does nothing of the kind: neither verifier accuses it, and no
/// figure is one that a hundred honest houses would not show.
#[test]
fn honest_houses_are_not_accused() {
    for (strategy, row) in HONEST.iter().zip(run_all(HONEST)) {
        let row = row.expect("an honest house cannot be played");
        println!("{}", row.text(strategy));
        let accused = row.judged.failure.is_some() || row.judged.second.1.is_some();
        let unlikely = row.judged.unlikely.first().is_some_and(|(_, p)| *p < UNLIKELY / 10.0);
        assert!(
            !accused && !unlikely,
            "{}: {} {:?}",
            strategy.game,
            row.judged.report["first_failure"],
            row.judged.unlikely
        );
        assert!(row.judged.report["book"]["by_players"]["operators_keys"].is_null(), "{}", strategy.does);
        let (share, give) = row.earned;
        assert!(share.abs() <= 2.0 * give.unwrap(), "{}: {share} ± {}", strategy.game, give.unwrap());
    }
}

/// What nothing finds stands where a player reads it.
#[test]
fn limits_are_named_where_players_read_them() {
    let page = fs::read_to_string(specification("fairness.md")).unwrap();
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (does, named) in LIMITS {
        assert!(STRATEGIES.iter().any(|strategy| strategy.does == *does), "{does}: no such strategy");
        assert!(words.contains(named), "spec/fairness.md does not say: {named}");
    }
}
