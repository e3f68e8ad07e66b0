//! The service by chance, all in one process and on one thread: house, commits, recovery and replies are the real code;
//! the disk, the network, the clients, a witness and the clock are made from one seed. What is acknowledged stays,
//! there is one history, chips are conserved, no reply shows a hidden card, a repeat is told the same, and the auditor
//! finds every log sound.
//!
//! A failure prints its seed; `FAIRSHOE_SEED=17` runs that one alone, and `FAIRSHOE_PLANT=SyncLeftOut` with a planted
//! bug. `FAIRSHOE_TRACE=1` prints what the service logs, and each step. `FAIRSHOE_SEEDS=5000 FAIRSHOE_FROM=100000` runs
//! so many from there on; 2,000 are usual, `FAIRSHOE_SLOW=1` runs 1,000,000.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod clients;
mod disk;
mod events;
mod known;
mod network;
mod planted;
#[path = "../../../house/tests/common/play.rs"]
#[allow(dead_code)]
mod play;
mod poker;
mod process;
#[path = "../../../house/tests/common/rng.rs"]
mod rng;
#[path = "../../../house/tests/common/rule_sets.rs"]
mod rule_sets;
mod shown;
mod snapshots;
mod store;
mod tables;
mod trouble;
mod witness;
mod world;

// What `play` takes from the root of its tests.
use fairshoe_games::{Action, ActionKind, Chips};
use planted::{PLANTS, Plant};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use world::Tally;

/// As the service's own: states and entries are built of many short strings.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Seeds of a usual run, and of a slow one.
const SEEDS: u64 = 2_000;
const SLOW_SEEDS: u64 = 1_000_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// One run; a panic in it is a failure of its own.
fn run(seed: u64, plant: Option<Plant>) -> Result<Tally, String> {
    catch_unwind(AssertUnwindSafe(|| world::run(seed, plant))).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", said.unwrap_or_default()))
    })
}

fn add(sum: &mut Tally, one: Tally) {
    sum.entries += one.entries;
    sum.rounds += one.rounds;
    sum.draws += one.draws;
    sum.events += one.events;
    sum.acknowledged += one.acknowledged;
    sum.refusals += one.refusals;
    sum.repeats += one.repeats;
    sum.crashes += one.crashes;
    sum.refused_starts += one.refused_starts;
    sum.from_snapshots += one.from_snapshots;
    sum.unfit += one.unfit;
}

#[test]
fn nothing_goes_wrong_whatever_happens() {
    if std::env::var_os("FAIRSHOE_PLANT").is_some() {
        return;
    }
    if std::env::var_os("FAIRSHOE_TRACE").is_some() {
        tracing_subscriber::fmt().with_test_writer().init();
    }
    let slow = std::env::var_os("FAIRSHOE_SLOW").is_some_and(|value| value == "1");
    let one = number("FAIRSHOE_SEED");
    let from = one.or_else(|| number("FAIRSHOE_FROM")).unwrap_or(0);
    let count = one.map(|_| 1).or_else(|| number("FAIRSHOE_SEEDS")).unwrap_or(if slow { SLOW_SEEDS } else { SEEDS });
    let (next, sum, failures) = (AtomicU64::new(from), Mutex::new(Tally::default()), Mutex::new(Vec::new()));
    let began = Instant::now();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + count || failures.lock().unwrap().len() >= 10 {
                        return;
                    }
                    match run(seed, None) {
                        Ok(tally) => add(&mut sum.lock().unwrap(), tally),
                        Err(what) => failures.lock().unwrap().push(format!("FAIRSHOE_SEED={seed}: {what:.3000}")),
                    }
                    if (seed - from + 1).is_multiple_of(100_000) {
                        println!("up to seed {seed}: {:?}", began.elapsed());
                    }
                }
            });
        }
    });
    println!("{count} seeds from {from} in {:?} on {threads} threads: {:?}", began.elapsed(), sum.lock().unwrap());
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let sum = sum.into_inner().unwrap();
    assert!(
        count < 1_000 || sum.from_snapshots > count && sum.unfit > count / 20,
        "snapshots were hardly used: {sum:?}"
    );
    assert!(count < 1_000 || sum.draws > count / 20 && sum.events > count / 100, "no tournament is played: {sum:?}");
}

#[test]
fn every_planted_bug_is_found() {
    let one = std::env::var("FAIRSHOE_PLANT").ok();
    let seed = number("FAIRSHOE_SEED").filter(|_| one.is_some());
    let mut missed = Vec::new();
    for (plant, within) in PLANTS {
        if one.as_ref().is_some_and(|one| *one != format!("{plant:?}")) {
            continue;
        }
        let seeds = seed.map_or(0..*within, |seed| seed..seed + 1);
        match seeds.into_iter().find_map(|seed| run(seed, Some(*plant)).err().map(|what| (seed, what))) {
            Some((seed, what)) => {
                println!("{plant:?} is found by seed {seed}: {}", what.chars().take(200).collect::<String>())
            }
            None => missed.push(format!("{plant:?} is not found within {within} seeds")),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_seed_runs_the_same_each_time() {
    for seed in 0..40 {
        let (first, second) = (run(seed, None), run(seed, None));
        assert_eq!(format!("{first:?}"), format!("{second:?}"), "FAIRSHOE_SEED={seed}");
    }
}
