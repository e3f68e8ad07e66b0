//! Shared code of the fault tests: repeatable random numbers, folders, the auditor's verdict.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod load;
pub mod process;
pub mod watch;

#[path = "../../../src/store/tests/faults/loop_disk.rs"]
pub mod loop_disk;

use fairshoe_tests::{binary, slow};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The number `few` by default, `many` in the slow part of the suite.
pub fn samples(few: u64, many: u64) -> u64 {
    if slow() { many } else { few }
}

/// Random numbers that repeat with the printed seed (splitmix64).
pub struct Dice(u64);

impl Dice {
    /// The seed of `FAIRSHOE_SEED`, or a new one; printed.
    pub fn new() -> Self {
        let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos().into();
        let seed = std::env::var("FAIRSHOE_SEED").map_or_else(|_| now(), |text| text.parse().unwrap());
        println!("FAIRSHOE_SEED={seed}");
        Dice(seed)
    }

    pub fn seeded(seed: u64) -> Self {
        Dice(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    /// Up to so many milliseconds, to the microsecond.
    pub fn pause(&mut self, most_ms: u64) -> Duration {
        Duration::from_micros(self.below(most_ms * 1000))
    }
}

/// Every file below a folder, by its path inside it.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|inner| name.join(inner)));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// A copy with the same permissions. Only stopped folders are copied.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Replaces `to` with `from`'s folder or file.
pub fn replace(from: &Path, to: &Path) {
    if to.is_dir() {
        fs::remove_dir_all(to).unwrap();
    }
    if from.is_dir() {
        copy_folder(from, to);
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Bytes and permissions of every file, except those whose path begins with one of `without`.
pub fn snapshot(dir: &Path, without: &[&str]) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let kept = files(dir).into_iter().filter(|name| !without.iter().any(|prefix| name.starts_with(prefix)));
    kept.map(|name| {
        let path = dir.join(&name);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        (name, (mode, fs::read(&path).unwrap()))
    })
    .collect()
}

/// The auditor's report.
#[derive(Debug)]
pub struct Verdict {
    /// 0 sound, 1 not sound, 2 unusable input; `None` if it was ended by a signal.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs `fairshoe-audit` for at most two minutes.
pub fn audit(args: &[&str]) -> Verdict {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "120"]).arg(binary("fairshoe-audit")).args(args);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().filter(|code| *code < 128);
    Verdict { code, out: text(&output.stdout), err: text(&output.stderr) }
}

/// Checks that the auditor finds this log sound.
pub fn require_sound(args: &[&str]) {
    let verdict = audit(args);
    assert_eq!(verdict.code, Some(0), "fairshoe-audit {args:?}: {}\n{}", verdict.out, verdict.err);
    assert!(!verdict.out.is_empty(), "fairshoe-audit {args:?} said nothing");
}
