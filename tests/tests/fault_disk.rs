//! A disk that fills up: refused in good time and in clear words, open rounds finish, and acknowledged entries stay.

use crate::faults;

use fairshoe_tests::{Client, Json, PlacedBet, Player, Service};
use faults::loop_disk::LoopDisk;
use faults::process::{Process, refused};
use faults::watch::Watch;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
/// Below so much free space new rounds are refused; the store itself refuses below 32 MiB.
const LEAST: &[&str] = &["--min-free-mib", "64"];

/// Fills the disk until so many bytes are free.
fn fill(disk: &Path, leave: u64) {
    let filler = disk.join("filler");
    let _before = fs::remove_file(&filler);
    let size = free(disk).saturating_sub(leave);
    fs::write(&filler, vec![1; usize::try_from(size).unwrap()]).unwrap();
    fs::File::open(&filler).unwrap().sync_all().unwrap();
}

fn free(disk: &Path) -> u64 {
    let out = std::process::Command::new("stat").args(["-f", "-c", "%a %S"]).arg(disk).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    numbers[0] * numbers[1]
}

/// Waits until a bet is refused for lack of space; the service checks once a second.
fn wait_until_refused(player: &Player, table: &str) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        let (request, seed) = player.bet_body(table, 5);
        let reply = player.client.post(&format!("/v1/tables/{table}/bets"), &request);
        if reply.status == 200 {
            let reply = reply.json();
            let round = reply["round"]["id"].text();
            let dealt = player.reveal(&PlacedBet { round, seed, request, reply });
            player.stand_out(dealt);
            std::thread::sleep(Duration::from_millis(200));
            continue;
        }
        assert!(reply.header("retry-after").is_some(), "{reply:?}");
        assert_eq!(reply.problem(503), "disk_full");
        return;
    }
    panic!("no bet was refused though little space is left");
}

#[test]
fn a_filling_disk_refuses_new_rounds_finishes_open_ones_and_loses_nothing() {
    let mut disk = match LoopDisk::new(320 * MIB) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let data = disk.path().join("data");
    let mut service = Process::serve(&data, LEAST);
    let url = service.url(Duration::from_secs(60)).unwrap_or_else(|| panic!("{}", service.said()));
    let token = fs::read_to_string(data.join("operator.token")).unwrap();
    let operator = Client::new(&url, Some(token.trim()));
    let made = operator.post("/v1/players", &json!({ "player": "alice" })).expect_status(201);
    let credit = [("idempotency-key", "one")];
    operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1000 }), &credit).expect_status(200);
    let token = made["token"].text();
    let mut alice = Player { name: faults::load::player_id("alice"), client: Client::new(&url, Some(&token)), token };
    let own = alice.open_table();
    alice.play("joy-1", 10);
    let open = alice.bet("joy-1", 10);

    fill(&disk.path(), 50 * MIB);
    wait_until_refused(&alice, &own);
    assert_eq!(operator.post("/v1/players", &json!({ "player": "bob" })).problem(503), "disk_full");
    let dealt = alice.reveal(&open);
    assert_eq!(alice.stand_out(dealt)["round"]["phase"], "settled", "an open round finishes");
    assert_eq!(operator.get("/readyz").status, 200, "what is there is served on");
    let mut watch = Watch::default();
    watch.follow(&operator);
    assert!(free(&disk.path()) > 32 * MIB, "there was room left for what had begun");

    // Really full, while a round is open and a player withdraws: the process says so and stops; no step is half done.
    fill(&disk.path(), 70 * MIB);
    std::thread::sleep(Duration::from_millis(2500));
    let open = alice.bet("joy-1", 10);
    watch.follow(&operator);
    let balance = alice.balance();
    fill(&disk.path(), 8 * MIB);
    let body = json!({ "player": "alice", "seed": open.seed.to_string() });
    let reply = alice.client.try_post(&format!("/v1/rounds/{}/reveals", open.round), &body);
    assert!(reply.is_none_or(|reply| reply.status == 503), "nothing can be acknowledged on a full disk");
    let ended = service.end(Duration::from_secs(20));
    assert!(ended.code.is_some_and(|code| code != 0), "{ended:?}");
    assert!(ended.said.contains("full") && ended.said.contains("free space on that disk"), "{}", ended.said);
    let said = refused(&data, LEAST, 1);
    assert!(said.contains("full") && said.contains("free space on that disk"), "{said}");

    fs::remove_file(disk.path().join("filler")).unwrap();
    disk.unmount().unwrap();
    disk.mount().unwrap();
    let mut service = Process::serve(&data, LEAST);
    let url = service.url(Duration::from_secs(60)).unwrap_or_else(|| panic!("{}", service.said()));
    alice.client = Client::new(&url, Some(&alice.token));
    watch.follow(&Client::new(&url, None));
    assert_eq!(alice.balance(), balance, "the bet binds, nothing else happened");
    let dealt = alice.reveal(&open);
    assert_eq!(alice.stand_out(dealt)["round"]["phase"], "settled");
    watch.follow(&Client::new(&url, None));
    assert_eq!((watch.resumed, watch.crash_voids), (1, 0));
    assert_eq!(service.stop().code, Some(0));
    faults::require_sound(&["log", data.to_str().unwrap(), "--json"]);
}

/// A disk without room for new files is full, for any number of free bytes: bets stop in time, and started rounds
/// finish.
#[test]
fn few_inodes_refuse_new_rounds_in_time_and_are_named() {
    let disk = match LoopDisk::with_inodes(512 * MIB, 4_096) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let data = disk.path().join("data");
    let service = Service::start(&data, LEAST);
    let mut alice = service.player("alice", 1_000);
    alice.client = service.client(Some(&alice.token));
    let own = alice.open_table();
    let open = alice.bet("joy-1", 10);

    let many = disk.path().join("many");
    fs::create_dir(&many).unwrap();
    let inodes = || {
        let out = std::process::Command::new("stat").args(["-f", "-c", "%d"]).arg(disk.path()).output().unwrap();
        String::from_utf8(out.stdout).unwrap().trim().parse::<u64>().unwrap()
    };
    for number in 0..inodes() - 1_000 {
        fs::write(many.join(number.to_string()), "").unwrap();
    }
    wait_until_refused(&alice, &own);
    let ready = service.anyone().get("/readyz").json();
    assert!(ready["bets"] == false && ready["reason"].as_str().unwrap().contains("inodes"), "{ready}");
    let metrics = service.anyone().get("/metrics").text();
    let told = metrics.lines().find_map(|line| line.strip_prefix("fairshoe_free_inodes ")).unwrap();
    assert!(told.parse::<u64>().unwrap() <= 1_000, "{told}");
    let mut doctor = std::process::Command::new(fairshoe_tests::binary("fairshoe"));
    doctor.args(["doctor", "--listen", "127.0.0.1:0", "--data"]).arg(&data).args(LEAST);
    let said = String::from_utf8(doctor.output().unwrap().stdout).unwrap();
    let space = said.lines().find(|line| line.contains(" space ")).unwrap();
    assert!(space.starts_with("BAD") && space.contains("inodes"), "{said}");
    let dealt = alice.reveal(&open);
    assert_eq!(alice.stand_out(dealt)["round"]["phase"], "settled", "an open round finishes");

    // No inodes left: a start gives the reason for its refusal.
    assert_eq!(service.stop(), Some(0));
    for number in 0..inodes() {
        fs::write(many.join(format!("last-{number}")), "").unwrap();
    }
    let said = refused(&data, LEAST, 1);
    assert!(said.contains(" and 0 inodes free") && said.contains("remove small files"), "{said}");
    fs::remove_dir_all(&many).unwrap();
    let service = Service::start(&data, LEAST);
    alice.client = service.client(Some(&alice.token));
    alice.play("joy-1", 10);
}

/// A write beyond the limit of a file's size fails with a message; it does not end the process silently.
#[test]
fn a_limit_of_a_files_size_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -f 2000; exec \"$0\" \"$@\""]).arg(fairshoe_tests::binary("fairshoe"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path().join("data"));
    let ended = Process::spawn(command).end(Duration::from_secs(60));
    assert_eq!((ended.code, ended.signal), (Some(1), None), "{ended:?}");
    assert!(ended.said.contains("LimitFSIZE"), "{}", ended.said);
}

/// Signals that only tell facts which the service finds out by itself.
#[test]
fn signals_that_mean_nothing_do_not_end_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Process::serve(&folder.path().join("data"), &[]);
    let url = service.url(Duration::from_secs(60)).unwrap();
    for signal in ["-HUP", "-USR1", "-USR2", "-XFSZ", "-PIPE"] {
        let pid = service.pid().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
    assert_eq!(Client::new(&url, None).get("/healthz").status, 200);
    assert!(service.is_running());
    assert_eq!(service.stop().code, Some(0));
}

/// A start on a nearly full disk knows it before the first bet.
#[test]
fn a_start_on_a_low_disk_refuses_the_first_bet() {
    let disk = match LoopDisk::new(256 * MIB) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let data = disk.path().join("data");
    let service = Service::start(&data, LEAST);
    let mut alice = service.player("alice", 100);
    assert_eq!(service.stop(), Some(0));
    fill(&disk.path(), 50 * MIB);
    let service = Service::start(&data, LEAST);
    alice.client = Client::new(&service.url, Some(&alice.token));
    let (body, _) = alice.bet_body("joy-1", 5);
    assert_eq!(alice.client.post("/v1/tables/joy-1/bets", &body).problem(503), "disk_full");
    fs::remove_file(disk.path().join("filler")).unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    alice.play("joy-1", 5);
    assert_eq!(service.stop(), Some(0));
}
