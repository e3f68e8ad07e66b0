//! Hands of poker a second: the recorded actions of published hands through our engine and, in the same run, through
//! PokerKit; and the whole house, from a player's command to the bytes of the entry, over hands played by chance.
//! Processor time throughout, one core.
//!
//! `cargo run --release -p fairshoe-audit --example hands_speed -- --hands FOLDER --python PYTHON`
//!
//! FOLDER holds `.phhs` files of the Poker Hand History format; PYTHON has the packages of
//! `tests/foreign/pokerkit.txt`. What is not there is skipped by name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_arithmetic)]

#[path = "../../../src/house/tests/common/mod.rs"]
mod common;

use clap::Parser;
use common::House;
use common::rng::Rng;
use common::rooms::{PLAYERS, one_hand};
use fairshoe_audit::replay::{History, read, replay};
use fairshoe_house::Event;
use serde_json::Value;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As in the tool itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Hands of poker a second: our engine, PokerKit, the whole house.
#[derive(Parser)]
struct Args {
    /// A folder of .phhs files.
    #[arg(long, env = "FAIRSHOE_HANDS")]
    hands: Option<PathBuf>,
    /// A Python with PokerKit.
    #[arg(long, env = "FAIRSHOE_PYTHON", default_value = "python3")]
    python: PathBuf,
    /// At most so many of the published hands.
    #[arg(long, default_value_t = 10_000)]
    most: usize,
    /// Hands that the house plays at each rule set.
    #[arg(long, default_value_t = 500)]
    house: usize,
}

/// Seconds of processor time of this process so far, at the usual 100 ticks a second.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
    after.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Seconds of one call, repeated until the clock's ticks do not matter.
fn seconds(mut work: impl FnMut()) -> f64 {
    let (started, mut times) = (cpu(), 0);
    loop {
        work();
        times += 1;
        let used = cpu() - started;
        if used >= 1.0 {
            return used / f64::from(times);
        }
    }
}

fn main() {
    let args = Args::parse();
    match args.hands.as_deref().map(|folder| (folder, files(folder))) {
        Some((_, files)) if !files.is_empty() => published(&args, &files),
        Some((folder, _)) => println!("skipped: published hands: no .phhs file in {}", folder.display()),
        None => println!("skipped: published hands: name a folder of .phhs files by --hands"),
    }
    house(args.house);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.filter(|path| path.extension().is_some_and(|end| end == "phhs")).collect();
    found.sort();
    found
}

fn published(args: &Args, files: &[PathBuf]) {
    let texts: Vec<String> = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let read_all = || -> Vec<History> {
        let hands = texts.iter().flat_map(|text| read(text).unwrap()).map(|(_, hand)| hand.unwrap());
        hands.take(args.most).collect()
    };
    let hands = read_all();
    let count = hands.len() as f64;
    let equal = hands.iter().filter(|hand| replay(hand).is_ok_and(|played| played.difference.is_none())).count();
    let playing = seconds(|| hands.iter().for_each(|hand| drop(black_box(replay(hand)))));
    let reading = seconds(|| drop(black_box(read_all())));
    println!("{} published hands, {} actions", hands.len(), hands.iter().map(|hand| hand.actions.len()).sum::<usize>());
    let say = |what: &str, playing: f64, reading: f64, equal: usize| {
        println!(
            "{what:<10} {:>9.0} hands/s played, {:>9.0} read and played; {equal} end with the recorded stacks",
            count / playing,
            count / (playing + reading)
        );
    };
    say("fairshoe", playing, reading, equal);
    match pokerkit(args, files) {
        Err(why) => println!("skipped: PokerKit: {}", why.trim().lines().last().unwrap_or_default()),
        Ok(said) => {
            let number = |name: &str| said[name].as_f64().unwrap();
            assert_eq!(number("hands"), count, "both play the same hands");
            let (play, read) = (number("play_seconds"), number("read_seconds"));
            say("PokerKit", play, read, (number("played") - number("different")) as usize);
            println!(
                "ratio      {:>9.0} played, {:>9.0} read and played",
                play / playing,
                (play + read) / (playing + reading)
            );
        }
    }
}

fn pokerkit(args: &Args, files: &[PathBuf]) -> Result<Value, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/hands_speed.py");
    let out = Command::new(&args.python)
        .arg(script)
        .arg(args.most.to_string())
        .args(files)
        .output()
        .map_err(|e| e.to_string())?;
    match out.status.success() {
        true => serde_json::from_slice(&out.stdout).map_err(|e| e.to_string()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

/// Commitments, reveals, choices: each decided, encoded, decoded and applied, in memory; derived shoes and openings
/// included.
fn house(hands: usize) {
    for rules in ["holdem", "holdem-limit", "omaha", "omaha-hi-lo"] {
        let mut house = House::poker(rules, &[], &PLAYERS);
        let mut rng = Rng(1);
        house.buy_in_all("t1", &PLAYERS[..4], 10_000);
        let (before, started) = (house.log.len(), cpu());
        (0..hands).for_each(|_| one_hand(&mut house, &mut rng, false));
        let used = cpu() - started;
        let entries = house.log.len() - before;
        let settled = common::entries(&house.log)
            .iter()
            .flat_map(|entry| &entry.events)
            .fold(0, |settled, event| settled + usize::from(matches!(event, Event::RoundSettled { .. })));
        println!(
            "house, {rules:<13} {settled} hands, {entries} entries: {:>7.0} hands/s, {:>7.0} entries/s",
            settled as f64 / used,
            entries as f64 / used
        );
    }
}
