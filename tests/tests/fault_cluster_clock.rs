//! Nodes with different clocks, and one that is stopped while appends cannot be settled (spec/cluster.md, "The lease").

use crate::fault_clock::clock;
use crate::faults::samples;

use fairshoe_tests::cluster::{NodeOptions, Servers, Shard, Stranger, cluster, join, server_program, wait_until};
use fairshoe_tests::{Json, audit, binary};
use serde_json::Value;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The servers' program; without it the test is skipped by name.
macro_rules! server {
    () => {
        match server_program() {
            Ok(program) => program,
            Err(why) => {
                println!("skipped: tests of several nodes need nats-server, which cannot be had: {why}");
                return;
            }
        }
    };
}

/// The bytes of a tag after a lease's JSON.
const TAG: usize = 32;

/// UTC milliseconds by this machine's clock.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()
}

/// The leases among a stranger's messages.
fn leases(stranger: &Stranger) -> Vec<Value> {
    let said = stranger.heard().into_iter().filter_map(|bytes| {
        let body = bytes.get(..bytes.len().checked_sub(TAG)?)?;
        serde_json::from_slice(body).ok()
    });
    said.collect()
}

/// *A stranger hides a leader's promises, up to the moment it dies*: the next leader's clock is eight seconds behind,
/// and it dates no entry before the old one's.
#[test]
fn promises_that_a_stranger_hides_bind_whoever_leads_next() {
    let program = server!();
    let (Some(ahead), Some(behind)) = (clock(), clock()) else { return };
    ahead.set("+4");
    behind.set("-4");
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let node = |name: &str| NodeOptions::new(&servers, "east", folder.path().join(name), &["--node", name]);
    let (first, second) = (node("first"), node("second"));
    let leader = first.spawn(ahead.command("fairshoe")).unwrap();
    wait_until("the first node leads", || cluster(&first.url())["leads"] == true);
    join(&first.folder, &second.folder);
    let mut shard = Shard {
        options: vec![first.clone(), second.clone()],
        nodes: vec![Some(leader), Some(second.spawn(behind.command("fairshoe")).unwrap())],
    };
    shard.settle();
    // After each lease of the leader junk replaces it, until the second node believes that the leader is gone.
    let stranger = Stranger::at(servers.port(0));
    let (begun, mut answered) = (Instant::now(), 0);
    let claims = || leases(&stranger).iter().filter(|lease| lease["node"] == "second").count();
    let claims_before = claims();
    while claims() == claims_before {
        // If junk counted as a sign of life, this would take half a minute.
        assert!(begun.elapsed() < Duration::from_secs(400), "the second node never tries");
        let heard = stranger.heard().len();
        if heard > answered {
            stranger.say("fairshoe.lease.east", b"junk");
            answered = heard + 1;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    shard.kill(0);
    let promised = leases(&stranger).iter().filter_map(|lease| lease["until"].as_u64()).max().unwrap();
    wait_until("the second node leads", || cluster(&second.url())["leads"] == true);
    let client = shard.node(1).anyone();
    let starts = |entry: &Value| entry["command"].get("start_dealer").is_some();
    let log = fairshoe_tests::whole_log(&client);
    let mut entries = log.iter().map(|entry| serde_json::from_str::<Value>(entry).unwrap());
    let start = entries.rfind(starts).unwrap();
    let dated = start["time"].int();
    assert!(dated >= promised, "the new leader's first entry is of {dated}, and {promised} was promised");
    println!("its first entry is {} ms after the last promise", dated - promised);
    // It answers at once, even if its clock is behind the log.
    shard.node(1).player("alice", 100).bet("joy-1", 10);
    audit(&client);
}

/// A leader whose clock jumps says so, and another leads; with the right time the node follows.
#[test]
fn a_leader_whose_clock_jumps_does_not_lead_on() {
    let program = server!();
    let Some(clock) = clock() else { return };
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let node = |name: &str| NodeOptions::new(&servers, "east", folder.path().join(name), &["--node", name]);
    let (jumps, steady) = (node("jumps"), node("steady"));
    let leader = jumps.spawn(clock.command("fairshoe")).unwrap();
    wait_until("the node leads", || cluster(&jumps.url())["leads"] == true);
    join(&jumps.folder, &steady.folder);
    let shard = Shard { options: vec![jumps.clone(), steady.clone()], nodes: vec![Some(leader), Some(steady.start())] };
    shard.node(0).player("alice", 100);
    shard.settle();
    for (offset, name) in [("+1h", "later"), ("-1h", "earlier")] {
        clock.set(offset);
        wait_until("the other leads", || cluster(&steady.url())["leads"] == true);
        shard.node(1).player(name, 10).play("joy-1", 1);
        clock.set("+0");
        // It follows again, and leads when the other stops; then its clock jumps the other way.
        shard.settle();
        if offset == "+1h" {
            let pid = shard.node(1).pid().to_string();
            assert!(std::process::Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
            wait_until("it leads again", || cluster(&jumps.url())["leads"] == true);
            assert!(std::process::Command::new("kill").args(["-CONT", &pid]).status().unwrap().success());
            wait_until("the other notices", || cluster(&steady.url())["leads"] == false);
        }
    }
    let now = now();
    for entry in fairshoe_tests::whole_log(&shard.node(1).anyone()) {
        let entry: Value = serde_json::from_str(&entry).unwrap();
        let time = u128::from(entry["time"].int());
        assert!(now.abs_diff(time) < 300_000, "an entry is of another hour: {entry}");
    }
    audit(&shard.node(1).anyone());
}

/// The log's own time comes from a leader without pending appends. If the order is away for longer than an auditor
/// allows for new entries, no one is accused: not at the nodes, and not behind an address in front of them.
#[test]
fn the_log_s_own_time_is_signed_by_a_leader_that_has_nothing_else() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let (leads, other) = (shard.leader(), 1 - shard.leader());
    let key = std::fs::read_to_string(shard.options[leads].folder.join("log.vkey")).unwrap();
    let key: fairshoe_tlog::VerifierKey = key.trim().parse().unwrap();
    let alice = shard.node(leads).player("alice", 1_000);
    let own_time = |at: usize| {
        let note = shard.node(at).anyone().get("/checkpoint").text().to_owned();
        fairshoe_tlog::own_time(&note, &key)
    };
    alice.play("joy-1", 1);
    shard.settle();
    assert!(own_time(leads).is_some_and(|time| u128::from(time).abs_diff(now() / 1_000) <= 2));
    assert_eq!(own_time(other), None, "a node that follows knows of no end");
    // Appends are settled nearly all the time, so the log's time is at most a moment old.
    let playing = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while playing.load(std::sync::atomic::Ordering::Relaxed) {
                alice.play("joy-1", 1);
            }
        });
        for _ in 0..40 {
            let time = own_time(leads).map(u128::from);
            assert!(time.is_some_and(|time| time.abs_diff(now() / 1_000) <= 4), "{time:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        playing.store(false, std::sync::atomic::Ordering::Relaxed);
    });
    let state = folder.path().join("monitor");
    let urls = [shard.options[leads].url(), shard.options[other].url()];
    let look = || {
        let said = std::process::Command::new(binary("fairshoe-audit"))
            .args([
                "monitor",
                &urls[0],
                &urls[1],
                "--once",
                "--key",
                &key.to_string(),
                "--state",
                state.to_str().unwrap(),
            ])
            .output()
            .unwrap();
        (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned())
    };
    assert_eq!(look().0, Some(0));
    // An append is pending, and the servers do not answer.
    (0..3).for_each(|at| servers.kill(at));
    let (client, body) = (alice.client.clone(), alice.bet_body("joy-1", 1).0);
    let asked = std::thread::spawn(move || {
        let json = [("content-type", "application/json")];
        client.send("POST", "/v1/tables/joy-1/bets", Some(body.to_string().as_bytes()), &json)
    });
    wait_until("nothing is known any more", || own_time(leads).is_none());
    let end = Instant::now() + Duration::from_secs(samples(8, 75));
    while Instant::now() < end {
        assert_eq!(own_time(leads), None);
        let (code, said) = look();
        assert!(matches!(code, Some(0 | 2)), "{said}");
        std::thread::sleep(Duration::from_secs(1));
    }
    (0..3).for_each(|at| servers.run(at));
    drop(asked.join());
    wait_until("somebody knows again", || own_time(0).is_some() || own_time(1).is_some());
    for _ in 0..3 {
        let (code, said) = look();
        assert_eq!(code, Some(0), "{said}");
        std::thread::sleep(Duration::from_millis(700));
    }
    shard.settle();
    audit(&shard.node(shard.leader()).anyone());
}

/// SIGTERM while appends cannot be settled: the process ends, and no acknowledged entry is missing.
#[test]
fn a_node_stops_when_it_is_told_to_without_a_quorum_of_servers() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    let alice = shard.node(0).player("alice", 100);
    alice.bet("joy-1", 10);
    servers.kill(0);
    servers.kill(1);
    // An append is pending: the servers do not answer it.
    let (client, body) = (alice.client.clone(), alice.bet_body("joy-1", 10).0);
    let asked = std::thread::spawn(move || {
        client.send(
            "POST",
            "/v1/tables/joy-1/bets",
            Some(body.to_string().as_bytes()),
            &[("content-type", "application/json")],
        )
    });
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    let code = shard.nodes[0].take().unwrap().stop();
    assert!(code.is_some() && begun.elapsed() < Duration::from_secs(30), "{code:?} after {:?}", begun.elapsed());
    let answered = asked.join().unwrap();
    assert!(answered.is_none_or(|reply| reply.status >= 400), "nothing was settled");
    servers.run(0);
    servers.run(1);
    shard.start_again(0);
    wait_until("it leads again", || cluster(&shard.options[0].url())["leads"] == true);
    assert_eq!(shard.node(0).anyone().get("/v1/players/alice").status, 401);
    audit(&shard.node(0).anyone());
}

/// Leaders that stop cleanly, one soon after the other: the last promise of each binds the next, and still no entry is
/// dated ahead of its readers.
#[test]
fn no_entry_of_a_new_leader_is_ahead_of_the_clock() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &["--lease", "5000"]);
    let stranger = Stranger::at(servers.port(0));
    for leads in [0, 1, 0] {
        shard.settle();
        assert_eq!(shard.nodes[leads].take().unwrap().stop(), Some(0));
        let next = 1 - leads;
        wait_until("the other leads", || cluster(&shard.options[next].url())["leads"] == true);
        let log = fairshoe_tests::whole_log(&shard.node(next).anyone());
        let now = now();
        let entries: Vec<Value> = log.iter().map(|entry| serde_json::from_str(entry).unwrap()).collect();
        let last = entries.last().unwrap()["time"].int();
        assert!(u128::from(last) <= now, "an entry of node {next} is {} ms ahead", u128::from(last) - now);
        let start = entries.iter().rfind(|entry| entry["command"].get("start_dealer").is_some()).unwrap();
        let dated = start["time"].int();
        let promised = leases(&stranger).into_iter().filter(|lease| lease["node"].is_null());
        let promised = promised.filter_map(|lease| lease["until"].as_u64()).max().unwrap();
        assert!(dated >= promised, "{} ms before what node {leads} promised", promised - dated);
        shard.start_again(leads);
    }
    audit(&shard.node(1).anyone());
}
