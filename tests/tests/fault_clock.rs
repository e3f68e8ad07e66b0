//! Deadlines, with a clock that a library moves: minutes, or a day, pass in a second.

use crate::faults;

use fairshoe_house::{Event, VoidCause};
use fairshoe_tests::{Client, Json, Player, Service, binary, whole_log};
use fairshoe_tlog::{VerifierKey, own_time};
use faults::watch::Watch;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A clock for the service: the file's content is added to the system's time.
pub struct Clock {
    dir: tempfile::TempDir,
    library: PathBuf,
}

impl Clock {
    /// A new clock, or the reason why there is none here.
    fn new() -> Result<Self, String> {
        let places =
            "ls /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib/faketime/libfaketimeMT.so.1 2>/dev/null | head -1";
        let out = Command::new("sh").args(["-c", places]).output().map_err(|e| e.to_string())?;
        let library = PathBuf::from(String::from_utf8_lossy(&out.stdout).trim());
        if !library.is_file() {
            return Err("no libfaketime".into());
        }
        let clock = Clock { dir: tempfile::tempdir().map_err(|e| e.to_string())?, library };
        clock.set("+0");
        Ok(clock)
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("offset")
    }

    pub fn set(&self, offset: &str) {
        // Renamed into place: a half-written offset would be invalid.
        let new = self.dir.path().join("new");
        fs::write(&new, format!("{offset}\n")).unwrap();
        fs::rename(new, self.file()).unwrap();
    }

    fn start(&self, data: &Path) -> Service {
        Service::spawn(self.command("fairshoe"), data, &[]).unwrap_or_else(|log| panic!("{log}"))
    }

    /// A program with this clock.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(binary(program));
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", self.file());
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        command
    }

    /// Checks that an auditor with this clock finds this folder's log sound.
    fn require_sound(&self, data: &Path) {
        let output = self.command("fairshoe-audit").arg("log").arg(data).arg("--json").output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{said}");
    }
}

pub fn clock() -> Option<Clock> {
    Clock::new().inspect_err(|why| println!("skipped: {why}")).ok()
}

fn round(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/rounds/{id}")).expect_status(200)["round"].clone()
}

fn wait_for(client: &Client, id: &str, phase: &str) -> Value {
    let begun = Instant::now();
    loop {
        let now = round(client, id);
        if now["phase"] == phase {
            return now;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{id} is not {phase}: {now}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn hand_under_way(player: &Player) -> Value {
    loop {
        let placed = player.bet("joy-1", 20);
        let dealt = player.reveal(&placed);
        if dealt["round"]["phase"] == "open" {
            return dealt["round"].clone();
        }
    }
}

#[test]
fn a_seed_that_does_not_come_in_time_makes_the_round_void_and_gives_the_bet_back() {
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let alice = service.player("alice", 100);
    let placed = alice.bet("joy-1", 40);
    clock.set("+110");
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(round(&alice.client, &placed.round)["phase"], "awaiting_reveals");
    assert_eq!(alice.balance(), 60);
    // A little after the two minutes: a house more than half a minute late stood still, and records that.
    clock.set("+123");
    let void = wait_for(&alice.client, &placed.round, "voided");
    assert_eq!(void["void"]["cause"], "reveal_missing");
    assert_eq!(alice.balance(), 100);
    let body = serde_json::json!({ "player": "alice", "seed": placed.seed.to_string() });
    assert_eq!(alice.client.post(&format!("/v1/rounds/{}/reveals", placed.round), &body).status, 409);
    let mut watch = Watch::default();
    watch.follow(&service.operator());
    assert_eq!(
        watch.count(
            "joy-1",
            |event| matches!(event, Event::RoundVoided { cause: VoidCause::RevealMissing, missing, .. } if missing.len() == 1)
        ),
        1
    );
    assert_eq!(alice.play("joy-1", 5)["round"]["phase"], "settled", "the table goes on");
    assert_eq!(service.stop(), Some(0));
    clock.require_sound(folder.path());
}

/// Attack: strangers take all places for guests and do nothing.
#[test]
fn guests_who_do_nothing_make_room_and_those_who_play_do_not() {
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service =
        Service::spawn(clock.command("fairshoe"), folder.path(), &["--max-guests", "3", "--guests-per-address", "0"])
            .unwrap();
    let admit = || service.anyone().post("/v1/guests", &serde_json::json!({}));
    let guests: Vec<Player> = (0..3)
        .map(|_| {
            let made = admit().expect_status(201);
            let token = made["token"].text();
            let name = fairshoe_fairness::PlayerId::parse(made["player"].as_str().unwrap()).unwrap();
            Player { name, client: service.client(Some(&token)), token }
        })
        .collect();
    assert_eq!(admit().problem(429), "too_many_guests", "all came lately");
    clock.set("+200");
    // One has played, one has a table of their own.
    let balance = || guests[0].client.get("/v1/players/guest.0").expect_status(200)["balance"].as_u64();
    let first = balance();
    // One whose only rounds were pushes has all that they got, and goes as if they had played none.
    while balance() == first {
        guests[0].play("play.joy-1", 10);
    }
    guests[1].client.post("/v1/tables", &serde_json::json!({ "rules": "joy" })).expect_status(201);
    clock.set("+310");
    assert_eq!(admit().expect_status(201)["player"], "guest.3");
    let status = |guest: &Player| guest.client.get(&format!("/v1/players/{}", guest.name)).status;
    assert_eq!(guests.iter().map(status).collect::<Vec<_>>(), [200, 200, 401]);
    let refused = admit();
    assert_eq!(refused.problem(429), "too_many_guests");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(service.stop(), Some(0));
    // One fewer than before: two are removed for the new one, but never the one with a table.
    let service =
        Service::spawn(clock.command("fairshoe"), folder.path(), &["--max-guests", "2", "--guests-per-address", "0"])
            .unwrap();
    clock.set("+700");
    service.anyone().post("/v1/guests", &serde_json::json!({})).expect_status(201);
    let kept = service.client(Some(&guests[1].token)).get("/v1/players/guest.1");
    assert_eq!((kept.status, service.client(Some(&guests[0].token)).get("/v1/players/guest.0").status), (200, 401));
    assert_eq!(service.stop(), Some(0));
    clock.require_sound(folder.path());
}

#[test]
fn a_hand_left_alone_until_its_deadline_is_finished_by_default_play() {
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let alice = service.player("alice", 1000);
    let hand = hand_under_way(&alice);
    // A little after the quarter of an hour: a house more than half a minute late stood still, and records that.
    clock.set("+903");
    let id = hand["id"].as_str().unwrap();
    let settled = wait_for(&alice.client, id, "settled");
    assert_eq!(settled["staked"], hand["staked"], "default play stakes nothing more");
    let late = serde_json::json!({ "decision": hand["decisions"][0]["decision"], "action": "stand" });
    assert_eq!(alice.client.post(&format!("/v1/rounds/{id}/actions"), &late).status, 409);
    let mut watch = Watch::default();
    watch.follow(&service.operator());
    let by_default =
        |event: &Event| matches!(event, Event::Play(fairshoe_games::RoundEvent::Acted { default: true, .. }));
    assert!(watch.count("joy-1", by_default) >= 1);
    assert_eq!(watch.settled, watch.count("joy-1", |event| matches!(event, Event::BetsClosed { .. })) as u64);
    assert_eq!(service.stop(), Some(0));
    clock.require_sound(folder.path());
}

/// The service's downtime costs no player their deadline, and is not counted twice.
#[test]
fn a_day_of_downtime_costs_no_deadline() {
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let mut alice = service.player("alice", 1000);
    let hand = hand_under_way(&alice);
    let id = hand["id"].as_str().unwrap();
    service.kill();
    clock.set("+30h");
    let service = clock.start(folder.path());
    alice.client = Client::new(&service.url, Some(&alice.token));
    std::thread::sleep(Duration::from_millis(1500));
    let after = round(&alice.client, id);
    assert_eq!(after["phase"], "open");
    let moved = after["settle_by"].int() - hand["settle_by"].int();
    assert!((30 * 3_600_000..30 * 3_600_000 + 60_000).contains(&moved), "{moved} ms");
    assert_eq!(alice.stand_out(serde_json::json!({ "round": after }))["round"]["phase"], "settled");
    // Own tables close when idle for an hour; the public one stays.
    let own = alice.open_table();
    clock.set("+111605");
    let begun = Instant::now();
    while alice.client.get(&format!("/v1/tables/{own}")).status != 404 {
        assert!(begun.elapsed() < Duration::from_secs(10), "an idle table stays open");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(alice.client.get("/v1/tables/joy-1").status, 200);
    Watch::default().follow(&service.operator());
    assert_eq!(service.stop(), Some(0));
    clock.require_sound(folder.path());
}

/// A process that stood still past a deadline records that by its own start, and no player loses the time.
#[test]
fn a_standstill_is_downtime_on_the_log() {
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let alice = service.player("alice", 100);
    let placed = alice.bet("joy-1", 40);
    clock.set("+30h");
    let starts = || whole_log(&service.operator()).iter().filter(|entry| entry.contains("\"dealer_started\"")).count();
    let begun = Instant::now();
    while starts() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(10), "no start of its own");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(round(&alice.client, &placed.round)["phase"], "awaiting_reveals");
    alice.stand_out(alice.reveal(&placed));
    assert_eq!(starts(), 2, "once");
    assert_eq!(service.stop(), Some(0));
    clock.require_sound(folder.path());
}

/// A clock put back does not move the log's time back, and the service continues to deal.
#[test]
fn a_clock_put_back_does_not_put_the_log_back() {
    let Some(clock) = clock() else { return };
    clock.set("+5h");
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let mut alice = service.player("alice", 1000);
    alice.play("joy-1", 5);
    clock.set("+4h");
    alice.play("joy-1", 5);
    service.kill();
    clock.set("+0");
    let service = clock.start(folder.path());
    alice.client = Client::new(&service.url, Some(&alice.token));
    alice.play("joy-1", 5);
    let mut watch = Watch::default();
    watch.follow(&service.operator());
    assert_eq!(service.stop(), Some(0));
    // By the clock that was put back, the log's time lies in the future, which is its own finding.
    clock.set("+6h");
    clock.require_sound(folder.path());
}

/// A clock put forward and then back, before any deadline, was no standstill: the dealer does not restart for later
/// bets, and no seed is dated after the deadline of its bet.
#[test]
fn a_clock_put_forward_and_back_is_no_standstill() {
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let alice = service.player("alice", 100);
    for offset in ["+10m", "+20"] {
        clock.set(offset);
        // The house checks the clock every second.
        std::thread::sleep(Duration::from_millis(2500));
    }
    alice.play("joy-1", 5);
    let starts = whole_log(&service.operator()).iter().filter(|entry| entry.contains("\"dealer_started\"")).count();
    assert_eq!(starts, 1);
    assert_eq!(service.stop(), Some(0));
    // By the clock that was put back, the log's time lies in the future.
    clock.set("+11m");
    clock.require_sound(folder.path());
}

/// The log keeps times signed by a clock that was ahead, after a start with the right one: it never dates back.
#[test]
fn a_time_that_was_signed_by_a_clock_ahead_is_kept_after_a_start() {
    let Some(clock) = clock() else { return };
    clock.set("+2h");
    let folder = tempfile::tempdir().unwrap();
    let service = clock.start(folder.path());
    let mut alice = service.player("alice", 1000);
    // With a clock further ahead than the last entry.
    clock.set("+3h");
    let begun = Instant::now();
    let (signed, size) = loop {
        let info = service.anyone().get("/v1/log").expect_status(200);
        let key: VerifierKey = info["vkey"].as_str().unwrap().parse().unwrap();
        let last: Value = serde_json::from_str(whole_log(&service.operator()).last().unwrap()).unwrap();
        match own_time(info["checkpoint"].as_str().unwrap(), &key) {
            Some(at) if at * 1_000 > last["time"].int() + 1_800_000 => break (at, info["size"].clone()),
            _ => assert!(begun.elapsed() < Duration::from_secs(10), "no time is signed by the new clock"),
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    service.kill();
    clock.set("+0");
    let service = clock.start(folder.path());
    alice.client = Client::new(&service.url, Some(&alice.token));
    alice.play("joy-1", 5);
    let log = whole_log(&service.operator());
    for entry in &log[usize::try_from(size.int()).unwrap()..] {
        let entry: Value = serde_json::from_str(entry).unwrap();
        assert!(entry["time"].int() >= (signed - 45) * 1_000, "{entry} after {signed}");
    }
    assert_eq!(service.stop(), Some(0));
}
