//! Snapshots of the state: for any damage to them, a start reaches the log's state, and reports the unused ones.

use crate::faults;

use fairshoe_tests::{Json, Service};
use faults::load::Casino;
use faults::loop_disk::LoopDisk;
use faults::process::Process;
use faults::{Dice, replace, samples};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const OFTEN: &[&str] = &["--snapshot-entries", "40"];

/// The snapshots of a folder, the newest first, each with its size.
fn snapshots(data: &Path) -> Vec<(u64, PathBuf)> {
    let all = fs::read_dir(data.join("snapshots")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = all.filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path))).collect();
    all.sort();
    all.reverse();
    all
}

/// A start's report: the size from which it read the log, and why it did not use which snapshots.
struct Began {
    from: u64,
    entries: u64,
    unused: Vec<(u64, String)>,
}

fn began(said: &str) -> Began {
    let mut began = Began { from: u64::MAX, entries: 0, unused: Vec::new() };
    for line in said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let fields = &line["fields"];
        match fields["message"].as_str().unwrap_or_default() {
            "the log is replayed" => (began.from, began.entries) = (fields["from"].int(), fields["entries"].int()),
            text if text.starts_with("this snapshot is not used") => {
                assert_eq!(line["level"], "WARN");
                began.unused.push((fields["entries"].int(), fields["why"].text()));
            }
            _ => {}
        }
    }
    began
}

/// Starts the service, which must succeed, and kills it: it leaves the folder's snapshots unchanged.
fn start(data: &Path) -> Began {
    let mut service = Process::serve(data, &["--snapshot-entries", "1000000"]);
    assert!(service.url(Duration::from_secs(60)).is_some(), "{}", service.said());
    began(&service.kill().said)
}

/// All play for this time; then the service is stopped.
fn play_and_stop(service: Service, casino: &mut Casino, ms: u64) {
    let url = service.url.clone();
    casino.play_while(&url, || {
        std::thread::sleep(Duration::from_millis(ms));
        assert_eq!(service.stop(), Some(0));
    });
}

#[test]
fn whatever_becomes_of_the_snapshots_the_start_comes_to_the_same_state() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Service::start(&data, OFTEN);
    let mut casino = Casino::open(&service, 3, &mut dice);
    play_and_stop(service, &mut casino, 700);
    let kept = folder.path().join("kept");
    replace(&data, &kept);
    let there = snapshots(&kept);
    let [(newest, newest_file), (before, _)] = &there[..] else { panic!("two are kept: {there:?}") };
    assert!(!kept.join("snapshots/new").exists());

    // The log continues: later replies refer to entries beyond this folder's end.
    let service = Service::start(&data, OFTEN);
    casino.check(&service);
    play_and_stop(service, &mut casino, 300);
    let (later, later_file) = snapshots(&data).remove(0);
    let other = folder.path().join("other");
    let stranger = Service::start(&other, &[]);
    stranger.player("stranger", 1000).play("joy-1", 5);
    assert_eq!(stranger.stop(), Some(0));
    let foreign = fs::read(&snapshots(&other)[0].1).unwrap();

    let whole = fs::read(newest_file).unwrap();
    let name = |data: &Path, size: u64| data.join(format!("snapshots/{size:020}"));
    let again = |change: &dyn Fn(&Path)| {
        let data = folder.path().join("again");
        replace(&kept, &data);
        change(&data);
        start(&data)
    };
    let expect = |began: Began, from: u64, unused: &[(u64, &str)], story: &str| {
        assert_eq!(began.from, from, "{story}: {:?}", began.unused);
        assert_eq!(began.unused.len(), unused.len(), "{story}: {:?}", began.unused);
        for ((size, why), (wanted, words)) in began.unused.iter().zip(unused) {
            assert!(size == wanted && why.contains(words), "{story}: {size}: {why}");
        }
    };
    let as_left = again(&|_| {});
    assert_eq!(as_left.entries, *newest, "a clean stop leaves nothing to replay");
    expect(as_left, *newest, &[], "as a stop left it");
    expect(again(&|data| fs::remove_dir_all(data.join("snapshots")).unwrap()), 0, &[], "none");
    expect(again(&|data| fs::remove_file(name(data, *newest)).unwrap()), *before, &[], "the newest is missing");
    let damaged = "not as it was written";
    for _ in 0..samples(3, 60) {
        let (at, flip) = (dice.below(whole.len() as u64) as usize, 1 + dice.below(255) as u8);
        let mut bytes = whole.clone();
        bytes[at] ^= flip;
        let began = again(&|data| fs::write(name(data, *newest), &bytes).unwrap());
        // A changed byte of the first line may name another format.
        let why = if at < 20 { "" } else { damaged };
        expect(began, *before, &[(*newest, why)], &format!("byte {at} ^ {flip:#04x}"));
    }
    let cut = dice.below(whole.len() as u64) as usize;
    expect(
        again(&|data| fs::write(name(data, *newest), &whole[..cut]).unwrap()),
        *before,
        &[(*newest, damaged)],
        "cut off",
    );
    let both = again(&|data| [*newest, *before].iter().for_each(|size| fs::write(name(data, *size), b"").unwrap()));
    expect(both, 0, &[(*newest, damaged), (*before, damaged)], "both are empty");
    expect(
        again(&|data| fs::write(name(data, *newest), &foreign).unwrap()),
        *before,
        &[(*newest, "another log")],
        "another log's",
    );
    let future = again(&|data| {
        fs::copy(&later_file, name(data, later)).unwrap();
    });
    expect(future, *newest, &[(later, "the log has")], "from the future");
    // A stop right after a snapshot leaves two adjacent ones, and no name between them.
    if *newest - 1 > *before {
        let renamed = again(&|data| fs::rename(name(data, *newest), name(data, *newest - 1)).unwrap());
        expect(renamed, *before, &[(*newest - 1, "its name")], "under another's name");
    }
    let next_format = [b"fairshoe-snapshot 9\n", &whole[20..]].concat();
    expect(
        again(&|data| fs::write(name(data, *newest), &next_format).unwrap()),
        *before,
        &[(*newest, "another format")],
        "another format",
    );
    let leftover = again(&|data| fs::write(data.join("snapshots/new"), b"half").unwrap());
    expect(leftover, *newest, &[], "half a snapshot that has no name yet");
    let no_folder = again(&|data| {
        fs::remove_dir_all(data.join("snapshots")).unwrap();
        fs::write(data.join("snapshots"), b"a file").unwrap();
    });
    expect(no_folder, 0, &[], "a file in the folder's place");

    // The players find all acknowledged entries, even if the whole log was read, and play continues.
    fs::remove_dir_all(data.join("snapshots")).unwrap();
    let service = Service::start(&data, OFTEN);
    casino.check(&service);
    play_and_stop(service, &mut casino, 300);
    let service = Service::start(&data, OFTEN);
    casino.check(&service);
    casino.judge(service);
}

#[test]
fn kills_while_the_state_is_written_down_lose_nothing() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), OFTEN);
    let mut casino = Casino::open(&service, 4, &mut dice);
    let mut seen = 0;
    for _ in 0..samples(4, 60) {
        let url = service.url.clone();
        let pause = Duration::from_millis(50) + dice.pause(500);
        casino.play_while(&url, || {
            std::thread::sleep(pause);
            service.kill();
        });
        seen += usize::from(folder.path().join("snapshots/new").exists());
        let there = snapshots(folder.path());
        assert!((1..=3).contains(&there.len()), "two are kept, and one more while the oldest is removed: {there:?}");
        let began = start(folder.path());
        assert!(began.unused.is_empty(), "a kill spoils none: {:?}", began.unused);
        assert_eq!(began.from, there[0].0);
        service = Service::start(folder.path(), OFTEN);
        casino.check(&service);
    }
    println!("{seen} kills in the middle of a snapshot: {}", casino.summary());
    casino.judge(service);
}

#[test]
fn power_cuts_while_the_state_is_written_down_lose_nothing() {
    let mut dice = Dice::new();
    let Ok(mut disk) = LoopDisk::new(512 << 20).inspect_err(|why| println!("skipped: {why}")) else { return };
    let data = disk.path().join("data");
    let options = [&["--min-free-mib", "40"], OFTEN].concat();
    let mut service = Service::start(&data, &options);
    let mut casino = Casino::open(&service, 4, &mut dice);
    for _ in 0..samples(1, 12) {
        let url = service.url.clone();
        let pause = Duration::from_millis(200) + dice.pause(1000);
        casino.play_while(&url, || {
            std::thread::sleep(pause);
            disk.cut_power().unwrap();
            std::thread::sleep(Duration::from_millis(20));
            service.kill();
        });
        disk.unmount().unwrap();
        disk.mount().unwrap();
        let began = start(&data);
        assert!(began.unused.is_empty(), "a power cut spoils none: {:?}", began.unused);
        assert!(began.from > 0, "one was durable");
        service = Service::start(&data, &options);
        casino.check(&service);
    }
    casino.judge(service);
}
