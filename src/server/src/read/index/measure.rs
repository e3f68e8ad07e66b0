//! What the index costs at a million and at ten million entries: the table of spec/index.md. Runs with `FAIRSHOE_SLOW`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::float_arithmetic)]

use super::tests::origin;
use super::*;
use fairshoe_fairness::{Composition, RoundEntropy, SeedCommitment};
use fairshoe_games::{Bet, Chips, RuleSet};
use fairshoe_house::{Command, PlacedBet, RoundResult, TableSeq};
use rustix::fs::Advice;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

const TABLES: u64 = 1_000;
const PLAYERS: u64 = 100_000;
/// Entries of a round: bets, seed, choice, end.
const STEPS: u64 = 4;

/// A service's log of blackjack with a shoe a round: tables take turns, players come by chance.
struct Log {
    tables: Vec<TableId>,
    players: Vec<PlayerId>,
    rules: RuleSet,
    composition: Composition,
    made: u64,
}

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

impl Log {
    fn new() -> Log {
        Log {
            tables: (0..TABLES).map(|number| TableId::parse(&format!("joy-{number}")).unwrap()).collect(),
            players: (0..PLAYERS).map(|number| PlayerId::parse(&format!("player-{number}")).unwrap()).collect(),
            rules: RuleSet::shipped("joy").unwrap(),
            composition: "52x1".parse().unwrap(),
            made: 0,
        }
    }

    fn player(&self, round: u64) -> PlayerId {
        self.players[(round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % self.players.len()].clone()
    }

    fn next(&mut self) -> Entry {
        let index = self.made;
        self.made += 1;
        let table = self.tables[(index % TABLES) as usize].clone();
        let seq = index / TABLES;
        let shoe = |shoe_no: u64| Event::ShoeCommitted {
            shoe_no,
            composition: self.composition.clone(),
            candidates: Vec::new(),
        };
        let events = match seq.checked_sub(1) {
            None => {
                let rules = self.rules.clone();
                let digest = rules.digest();
                vec![
                    Event::TableOpened { rules, digest, owner: None, idle_ms: None, replaces: None, event: None },
                    shoe(0),
                ]
            }
            Some(played) => {
                let (round_no, step) = (played / STEPS, played % STEPS);
                let player = self.player(round_no * TABLES + index % TABLES);
                match step {
                    0 => {
                        let bets = vec![Bet { spot: "1".into(), stake: chips(10), chips: None }];
                        let contributors =
                            vec![PlacedBet { player, bets, commitment: SeedCommitment::from_bytes([1; 32]) }];
                        vec![
                            Event::BetsOpened { round_no, shoe_no: round_no, closes_at: None },
                            Event::BetsClosed {
                                round_no,
                                shoe_no: round_no,
                                contributors,
                                lanes: 1,
                                reveal_by: 0,
                                announced: false,
                            },
                        ]
                    }
                    1 => {
                        let entropy = RoundEntropy::from_bytes([2; 32]);
                        vec![Event::RoundOpened { entropy, pick: 0, others: Vec::new(), settle_by: None }]
                    }
                    2 => Vec::new(),
                    _ => {
                        let players =
                            vec![RoundResult { player, staked: chips(10), returned: chips(20 * (round_no % 2)) }];
                        vec![
                            Event::RoundSettled { round_no, staked: chips(10), returned: chips(0), players },
                            Event::ShoeRevealed { shoe_no: round_no, seeds: Vec::new(), cause: None },
                            shoe(round_no + 1),
                        ]
                    }
                }
            }
        };
        let command = Command::CommitShoe { table: table.clone() };
        // Ten entries in a millisecond.
        let time = 1_700_000_000_000 + index / 10;
        Entry {
            v: 1,
            time,
            by: Actor::House,
            at: Some(TableSeq { table, seq }),
            before: Vec::new(),
            command,
            signed: None,
            events,
        }
    }
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn folder_bytes(dir: &Path) -> u64 {
    std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// Leaves none of the files in the system's memory.
fn make_cold(dir: &Path) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let file = File::open(entry.unwrap().path()).unwrap();
        rustix::fs::fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    }
}

fn percentiles(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 1000].as_micros();
    println!("  {name}: p50 {} us, p99 {} us, most {} us ({} times)", at(500), at(990), at(1000), times.len());
}

fn opened(dir: &Path) -> Index {
    Index::open(dir, &origin(), |at| Some(at.to_string())).unwrap().0
}

/// Looks things up by chance; `cold`: each with nothing in memory, of the service or of the system.
fn look_up(dir: &Path, log: &Log, size: u64, cold: bool) {
    let count: u64 = if cold { 200 } else { 3000 };
    let warm = opened(dir);
    let per_table = (size / TABLES).saturating_sub(1) / STEPS;
    let mut times: [Vec<Duration>; 5] = Default::default();
    for nth in 0..count {
        let by_chance = |bound: u64| (nth.wrapping_mul(0xd134_2543_de82_ef95) >> 20) % bound.max(1);
        let table = &log.tables[by_chance(TABLES) as usize];
        let round_no = by_chance(per_table);
        let player = log.player(by_chance(size / STEPS));
        let mut timed = |of: usize, what: &dyn Fn(&Index)| {
            let fresh = cold.then(|| opened(dir));
            if cold {
                make_cold(dir);
            }
            let index = fresh.as_ref().unwrap_or(&warm);
            let began = Instant::now();
            what(index);
            times[of].push(began.elapsed());
        };
        timed(0, &|index| {
            let known = index.table(table).unwrap().unwrap();
            let round = known.round(round_no).unwrap().unwrap();
            assert!(known.indices(known.span_of_round(&round, true)).unwrap().len() as u64 >= STEPS);
        });
        timed(1, &|index| {
            let known = index.table(table).unwrap().unwrap();
            assert_eq!(known.rounds(per_table / 2..per_table / 2 + 20).unwrap().len(), 20);
        });
        timed(2, &|index| {
            let all = index.player(&player).unwrap();
            for (table, round_no) in all.range(all.len().saturating_sub(20)..all.len()).unwrap() {
                index.table(&table).unwrap().unwrap().round(round_no).unwrap().unwrap();
            }
        });
        timed(3, &|index| {
            let known = index.table(table).unwrap().unwrap();
            let (_, span) = known.history_of_shoe(round_no).unwrap().unwrap();
            let entries = known.indices(span).unwrap();
            index.context_of(&known, entries[0], entries[entries.len() - 1]).unwrap();
        });
        timed(4, &|index| assert!(index.table(table).unwrap().unwrap().entry(round_no * STEPS).unwrap().is_some()));
    }
    println!(" {}", if cold { "cold" } else { "warm" });
    let names = [
        "a round and its entries",
        "20 rounds of a table",
        "a player's last 20 rounds",
        "a shoe's history",
        "an entry of a table",
    ];
    times.into_iter().zip(names).for_each(|(times, name)| percentiles(name, times));
}

#[test]
fn what_it_costs_does_not_grow_with_history() {
    if std::env::var_os("FAIRSHOE_SLOW").is_none() {
        println!("skipped: FAIRSHOE_SLOW is not set");
        return;
    }
    let dir =
        tempfile::tempdir_in(std::env::var_os("FAIRSHOE_DISK").unwrap_or_else(|| std::env::temp_dir().into())).unwrap();
    let (index, _) = Index::open(dir.path(), &origin(), |at| Some(at.to_string())).unwrap();
    let mut log = Log::new();
    let (mut adding, mut writing, mut most) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let started = resident();
    for millions in [1, 10] {
        while log.made < millions * 1_000_000 {
            let batch: Vec<Entry> = (0..32).map(|_| log.next()).collect();
            let began = Instant::now();
            index.extend(log.made - 32, &batch, &log.made.to_string()).unwrap();
            adding += began.elapsed();
            most = most.max(began.elapsed());
            if log.made % writing::DUE < 32 {
                let began = Instant::now();
                index.write().unwrap();
                while index.merge().unwrap() {}
                writing += began.elapsed();
            }
        }
        index.write().unwrap();
        while index.merge().unwrap() {}
        let bytes = folder_bytes(dir.path());
        println!(
            "{millions} million entries: {} bytes an entry ({} MB, {} files)",
            bytes as f64 / log.made as f64,
            bytes >> 20,
            index.memory().files.count()
        );
        println!(
            " {} ns an entry to add, at most {most:?} a batch of 32; {} ns an entry to write and merge",
            adding.as_nanos() as u64 / log.made,
            writing.as_nanos() as u64 / log.made
        );
        println!(" memory {} MiB, {started} of them before the first entry", resident());
        let began = Instant::now();
        let (opened, reached) = Index::open(dir.path(), &origin(), |at| Some(at.to_string())).unwrap();
        println!(" opened in {:?}", began.elapsed());
        assert_eq!(reached, log.made);
        drop(opened);
        look_up(dir.path(), &log, log.made, false);
        look_up(dir.path(), &log, log.made, true);
    }
}
