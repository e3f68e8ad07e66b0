//! Several nodes of one shard (spec/cluster.md): leaders that are killed, stand still or are cut off, killed servers,
//! nodes that must not lead. The oracle is that of one process: each acknowledged entry is on the log once, and the log
//! is sound; and all nodes have the same log.

use crate::faults;

use fairshoe_tests::cluster::{
    Following, Lines, NodeOptions, Servers, Shard, Stranger, cluster, free_port, join, server_program, wait_until,
};
use fairshoe_tests::witness::WitnessProcess;
use fairshoe_tests::{Json, Service, audit, binary, whole_log};
use faults::load::Casino;
use faults::{Dice, samples};
use serde_json::json;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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

fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn a_follower_has_the_same_log_and_says_who_decides() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let (leader, follower) = (shard.node(0), shard.node(1));
    let alice = leader.player("alice", 1000);
    let table = alice.open_table();
    alice.play(&table, 10);
    shard.settle();
    // A request without a decision is answered by any node, with the same result.
    let there = fairshoe_tests::cluster::at(&alice, &follower.url);
    assert_eq!(there.balance(), alice.balance());
    assert_eq!(whole_log(&leader.anyone()), whole_log(&follower.anyone()));
    audit(&follower.anyone());
    for path in ["/v1/tables".to_owned(), format!("/v1/tables/{table}"), "/v1/rounds/".to_owned() + &table + ":0"] {
        assert_eq!(follower.anyone().get(&path).json(), leader.anyone().get(&path).json(), "{path}");
    }
    // A request with a decision gets the leader's address.
    let (body, _) = there.bet_body(&table, 10);
    let refused = there.client.post(&format!("/v1/tables/{table}/bets"), &body);
    assert_eq!(refused.problem(421), "not_leader");
    assert_eq!(refused.json()["leader"], leader.url.as_str());
    alice.client.post(&format!("/v1/tables/{table}/bets"), &body).expect_status(200);
    // Before it is compared with this node's state, which may be behind: a token, or a tree.
    let stranger = follower.client(Some("a-token-that-is-new"));
    assert_eq!(stranger.post(&format!("/v1/tables/{table}/bets"), &body).problem(421), "not_leader");
    let saw = json!({ "size": 1_000_000, "root": whole_log(&leader.anyone()).len().to_string() });
    let reveal = json!({ "player": "alice", "seed": "00".repeat(32), "saw": saw });
    assert_eq!(there.client.post(&format!("/v1/rounds/{table}:1/reveals"), &reveal).problem(421), "not_leader");
    let verify = json!({ "nothing": "to be verified" });
    assert_ne!(follower.anyone().post("/v1/verify", &verify).status, 421);
    // The same about nodes and shards.
    let told = cluster(&follower.url);
    assert_eq!((&told["shard"], &told["leads"], &told["leader"]), (&json!("east"), &json!(false), &json!(leader.url)));
    wait_until("the directory is read", || cluster(&follower.url)["shards"][0]["address"] == leader.url.as_str());
    assert_eq!(told["is_reached"], true);
    // A revoked token works at no node.
    let path = format!("/v1/players/{}/tokens", alice.name);
    let new = leader.operator().post(&path, &json!({ "revoke": true })).expect_status(201);
    shard.settle();
    assert_eq!(there.client.get("/v1/players/alice").problem(401), "unauthorized");
    let token = new["token"].as_str().unwrap();
    follower.client(Some(token)).get("/v1/players/alice").expect_status(200);
}

#[test]
fn killed_leaders_lose_nothing_that_was_acknowledged() {
    let program = server!();
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 3, &[]);
    let mut casino = Casino::open(shard.node(shard.leader()), 4, &mut dice);
    let urls: Vec<String> = shard.options.iter().map(|node| node.url()).collect();
    let token = shard.node(0).operator_token();
    let (kills, mut gaps) = (samples(4, 100), Vec::new());
    for kill in 0..kills {
        let leader = shard.leader();
        let pause = Duration::from_millis(100) + dice.pause(900);
        casino.play_while(&urls[leader].clone(), || {
            std::thread::sleep(pause);
            shard.kill(leader);
        });
        // The time from the kill to the first entry acknowledged elsewhere.
        let begun = Instant::now();
        let mut client = Following::new(&urls, Some(&token));
        let body = json!({ "player": format!("after-{kill}") });
        client.post("/v1/players", &body, &format!("after-{kill}")).expect_status(201);
        gaps.push(begun.elapsed());
        casino.check(shard.node(shard.leader()));
        shard.start_again(leader);
        shard.settle();
    }
    gaps.sort();
    println!("{kills} leaders killed: {}", casino.summary());
    println!("from a kill to the first entry elsewhere: median {:?}, worst {:?}", gaps[gaps.len() / 2], gaps.last());
    let leader = shard.leader();
    casino.judge(shard.nodes[leader].take().unwrap());
}

#[test]
fn killed_servers_of_the_order_lose_nothing_and_nobody_begins_anew() {
    let program = server!();
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let mut casino = Casino::open(shard.node(shard.leader()), 4, &mut dice);
    for kill in 0..samples(3, 30) {
        let leader = shard.leader();
        let url = shard.options[leader].url();
        let pause = Duration::from_millis(100) + dice.pause(500);
        casino.play_while(&url, || {
            std::thread::sleep(pause);
            // The stream's leader, or all of them at once.
            let killed: Vec<usize> =
                if kill % 3 == 2 { (0..3).collect() } else { vec![servers.leader_of("east").unwrap_or(0)] };
            killed.iter().for_each(|at| servers.kill(*at));
            std::thread::sleep(dice.pause(2000));
            killed.iter().for_each(|at| servers.run(*at));
            std::thread::sleep(Duration::from_millis(500));
            // Ends the play: the players stop at the first unanswered request.
            shard.kill(leader);
        });
        casino.check(shard.node(shard.leader()));
        shard.start_again(leader);
        shard.settle();
    }
    println!("servers killed: {}", casino.summary());
    let leader = shard.leader();
    casino.judge(shard.nodes[leader].take().unwrap());
}

/// The stream's leader is cut off from the other servers and still answers clients; or a follower is. Then the line is
/// restored during play.
#[test]
fn servers_that_are_cut_off_from_their_peers_lose_nothing() {
    let program = server!();
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let mut casino = Casino::open(shard.node(shard.leader()), 4, &mut dice);
    for cut in 0..samples(2, 20) {
        let leader = shard.leader();
        let url = shard.options[leader].url();
        let of_stream = servers.leader_of("east").unwrap_or(0);
        let at = if cut % 2 == 0 { of_stream } else { (of_stream + 1) % 3 };
        let acknowledged = casino.acks();
        casino.play_while(&url, || {
            std::thread::sleep(Duration::from_millis(100) + dice.pause(500));
            servers.cut_off(at);
            std::thread::sleep(Duration::from_secs(samples(4, 15)) + dice.pause(2000));
            servers.mend(at);
            std::thread::sleep(Duration::from_millis(500));
            // Ends the play: the players stop at the first unanswered request.
            shard.kill(leader);
        });
        assert!(casino.acks() > acknowledged, "nothing was acknowledged");
        casino.check(shard.node(shard.leader()));
        shard.start_again(leader);
        shard.settle();
    }
    println!("servers cut off from their peers: {}", casino.summary());
    let leader = shard.leader();
    casino.judge(shard.nodes[leader].take().unwrap());
}

/// Two of three servers are gone, and the leader has an append that cannot be settled. Requests still get answers, from
/// known state or as 421; decided but unsettled entries are not shown; all continues when a server is back.
#[test]
fn reads_do_not_wait_for_an_order_that_settles_nothing() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let alice = shard.node(0).player("alice", 1000);
    let table = alice.open_table();
    alice.play(&table, 10);
    shard.settle();
    let killed: Vec<usize> = (0..3).filter(|at| Some(*at) != servers.leader_of("east")).collect();
    assert_eq!(killed.len(), 2);
    killed.iter().for_each(|at| servers.kill(*at));
    let operator = shard.node(0).operator();
    // It gets no answer before the order settles it.
    let late = std::thread::spawn(move || operator.try_post("/v1/players", &json!({ "player": "unsettled" })));
    let round = format!("/v1/rounds/{table}:0");
    let paths = [
        "/v1/log",
        "/metrics",
        &round,
        "/v1/tables",
        "/v1/players/alice",
        "/v1/tournaments",
        "/v1/logs",
        "/checkpoint",
        "/readyz",
    ];
    // Asked before the lease is over, too.
    assert!(alice.client.send("GET", "/v1/log", None, &[]).is_some());
    wait_until("the lease is over", || shard.node(0).anyone().get("/readyz").json()["bets"] == false);
    for (node, leads) in [(0, true), (1, false)] {
        for path in paths {
            let client = if path == "/v1/logs" {
                shard.node(node).operator()
            } else {
                fairshoe_tests::cluster::at(&alice, &shard.options[node].url()).client
            };
            let begun = Instant::now();
            let reply = client.send("GET", path, None, &[]).unwrap_or_else(|| panic!("{path} of node {node} waits"));
            // A leader's answer out of the state waits for ten seconds (spec/cluster.md); these come at once.
            let at_once = ["/metrics", "/checkpoint", "/readyz"].contains(&path);
            let most = Duration::from_secs(if at_once { 5 } else { 12 });
            assert!(begun.elapsed() < most, "{path} of node {node}: {:?}", begun.elapsed());
            match (reply.status, path) {
                (200, _) => assert!(!reply.text().contains("\"unsettled\"")),
                (421, "/metrics" | "/checkpoint" | "/readyz") => panic!("{path}: {}", reply.text()),
                (421, _) if leads => assert_eq!(reply.problem(421), "not_leader"),
                _ => panic!("{path} of node {node}: {} {}", reply.status, reply.text()),
            }
        }
    }
    let urls = [shard.options[0].url(), shard.options[1].url()];
    let told = Command::new(binary("fairshoe")).args(["cluster", "status", "--json"]).args(&urls).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert!(told["nodes"].items().all(|node| node["size"].is_u64()), "{told}");
    killed.iter().for_each(|at| servers.run(*at));
    late.join().unwrap();
    shard.settle();
    audit(&shard.node(shard.leader()).anyone());
}

#[test]
fn a_leader_that_stood_still_says_nothing_after_another_took_over() {
    let program = server!();
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let mut casino = Casino::open(shard.node(shard.leader()), 4, &mut dice);
    let urls: Vec<String> = shard.options.iter().map(|node| node.url()).collect();
    for _ in 0..samples(1, 20) {
        let old = shard.leader();
        let pid = shard.node(old).pid();
        let before = fairshoe_tests::Client::new(&urls[old], Some(&shard.node(old).operator_token()));
        let mut new = 1 - old;
        std::thread::scope(|scope| {
            let url = urls[old].clone();
            let casino = &mut casino;
            let urls = &urls;
            let new = &mut new;
            let asked = before.clone();
            scope.spawn(move || {
                casino.play_while(&url, || {
                    std::thread::sleep(Duration::from_millis(300));
                    signal(pid, "-STOP");
                    wait_until("another node leads", || cluster(&urls[1 - old])["leads"] == true);
                    *new = 1 - old;
                    // Requests that reached it while it stood still are among its first.
                    let waiting =
                        std::thread::spawn(move || asked.try_post("/v1/players", &json!({ "player": "early" })));
                    std::thread::sleep(Duration::from_millis(samples(1500, 30_000)));
                    signal(pid, "-CONT");
                    let reply = waiting.join().unwrap();
                    // 408: the time for its head was over when the process woke, and it was never read.
                    assert!(reply.as_ref().is_none_or(|reply| [421, 408].contains(&reply.status)), "{reply:?}");
                    let now = fairshoe_tests::Client::new(&urls[old], None).send("GET", "/v1/cluster", None, &[]);
                    assert!(now.is_none_or(|told| told.json()["leads"] == false));
                });
            });
        });
        casino.check(shard.node(new));
        shard.settle();
        assert_eq!(shard.leader(), new);
    }
    let log = whole_log(&shard.node(shard.leader()).anyone());
    // Rules contain the words of an early surrender, too.
    let early = log.iter().find(|entry| entry.contains("\"player\":\"early\""));
    assert_eq!(early, None, "what it was asked was carried out by nobody");
    audit(&shard.node(shard.leader()).anyone());
    println!("leaders that stood still: {}", casino.summary());
}

#[test]
fn a_leader_that_is_cut_off_from_the_order_acknowledges_nothing() {
    let program = server!();
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let lines: Vec<Lines> = (0..2).map(|_| Lines::to(&servers)).collect();
    let options = lines.iter().zip(0..).map(|(line, at)| NodeOptions {
        order: line.addresses.clone(),
        ..NodeOptions::new(&servers, "east", folder.path().join(format!("east-{at}")), &[])
    });
    let shard = Shard::of(options.collect());
    let mut casino = Casino::open(shard.node(shard.leader()), 4, &mut dice);
    for _ in 0..samples(2, 20) {
        let old = shard.leader();
        let (url, other) = (shard.options[old].url(), shard.options[1 - old].url());
        casino.play_while(&url, || {
            std::thread::sleep(Duration::from_millis(300));
            lines[old].cut();
            wait_until("another node leads", || cluster(&other)["leads"] == true);
            assert_eq!(cluster(&url)["leads"], false, "its lease is over");
            std::thread::sleep(dice.pause(1000));
            lines[old].mend();
        });
        // On a busy machine the lead may have come back meanwhile.
        casino.check(shard.node(shard.leader()));
        shard.settle();
    }
    println!("leaders cut off: {}", casino.summary());
    audit(&shard.node(shard.leader()).anyone());
}

#[test]
fn a_leader_that_stops_in_order_is_followed_at_once_and_a_request_repeated_elsewhere_gives_the_same() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let urls: Vec<String> = shard.options.iter().map(|node| node.url()).collect();
    let token = shard.node(0).operator_token();
    let mut client = Following::new(&urls, Some(&token));
    client.post("/v1/players", &json!({ "player": "alice" }), "a").expect_status(201);
    let body = json!({ "amount": 70 });
    let first = client.post("/v1/players/alice/credit", &body, "c").expect_status(200);
    shard.settle();
    assert_eq!(shard.nodes[0].take().unwrap().stop(), Some(0));
    let begun = Instant::now();
    let again = client.post("/v1/players/alice/credit", &body, "c").expect_status(200);
    println!("from a stop in order to a reply elsewhere: {:?}", begun.elapsed());
    for part in ["index", "entry"] {
        assert_eq!(again["receipts"][0][part], first["receipts"][0][part]);
    }
    assert_eq!(again["balance"], 70);
    shard.start_again(0);
    shard.settle();
    audit(&shard.node(0).anyone());
}

/// The steps of spec/cluster.md, "A rolling upgrade": during play every node is stopped cleanly and started again, the
/// leader last.
#[test]
fn a_rolling_upgrade_costs_nobody_a_request() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 3, &[]);
    let urls: Vec<String> = shard.options.iter().map(|node| node.url()).collect();
    let token = shard.node(0).operator_token();
    let mut desk = Following::new(&urls, Some(&token));
    desk.post("/v1/players", &json!({ "player": "alice" }), "a").expect_status(201);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let credits = std::thread::scope(|scope| {
        let is_over = &is_over;
        let desk = scope.spawn(move || {
            let mut credits = 0_u64;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                let key = format!("c-{credits}");
                desk.post("/v1/players/alice/credit", &json!({ "amount": 1 }), &key).expect_status(200);
                credits += 1;
            }
            credits
        });
        let leader = shard.leader();
        let followers = (0..3).filter(|at| *at != leader);
        for at in followers.chain([leader]) {
            assert_eq!(shard.nodes[at].take().unwrap().stop(), Some(0));
            shard.start_again(at);
            let new = shard.options[at].url();
            wait_until("it has what the leader has", || {
                let other = shard.options[shard.leader()].url();
                let size = |url: &str| -> Option<u64> {
                    let log = fairshoe_tests::Client::new(url, None).send("GET", "/v1/log", None, &[])?;
                    log.json()["size"].as_u64()
                };
                size(&new).zip(size(&other)).is_some_and(|(new, other)| new + 50 >= other)
            });
            let told = Command::new(binary("fairshoe")).args(["cluster", "status"]).args(&urls).output().unwrap();
            assert!(String::from_utf8_lossy(&told.stdout).contains("leads"), "{told:?}");
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        desk.join().unwrap()
    });
    shard.settle();
    let leader = shard.leader();
    let told = Command::new(binary("fairshoe")).args(["cluster", "status", "--json"]).args(&urls).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!((&told["well"], told["nodes"].list().len()), (&json!(true), 3), "{told}");
    let alice = shard.node(leader).operator().get("/v1/players/alice").expect_status(200);
    assert_eq!(alice["balance"], credits, "each was carried out, once");
    println!("{credits} requests during a rolling upgrade of three nodes");
    audit(&shard.node(leader).anyone());
}

#[test]
fn nodes_and_servers_that_must_not_be_trusted_are_refused_by_name() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let start = |servers: &Servers, name: &str, extra: &[&str]| {
        let node = NodeOptions::new(servers, "east", folder.path().join(name), extra);
        node.spawn(Command::new(binary("fairshoe")))
    };
    // Servers that acknowledge before they sync.
    let lazy = Servers::start_with(&program, &folder.path().join("lazy"), "sync_interval: 2m");
    let said = wait_for_refusal(|| start(&lazy, "lazy-node", &[]));
    assert!(said.contains("does not sync before it acknowledges") && said.contains("server s0"), "{said}");
    drop(lazy);
    // A node with its own secrets.
    let servers = Servers::start(&program, &folder.path().join("order"));
    let shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    let stranger = start(&servers, "stranger", &[]);
    let mut stranger = stranger.expect("it listens before it has read the order");
    let code = stranger.wait_for_end();
    assert_eq!(code, Some(74), "its secrets are others, and it stops");
    drop(shard);
}

/// The service's words instead of a start; servers that are starting may not answer yet.
fn wait_for_refusal(mut start: impl FnMut() -> Result<Service, String>) -> String {
    let begun = Instant::now();
    loop {
        match start() {
            Err(said) => return said,
            Ok(service) => {
                assert!(begun.elapsed() < Duration::from_secs(30), "it is not refused");
                service.kill();
                std::thread::sleep(Duration::from_millis(300));
            }
        }
    }
}

#[test]
fn a_node_whose_clock_is_an_hour_off_follows_and_does_not_lead() {
    let program = server!();
    let Some(clock) = crate::fault_clock::clock() else { return };
    clock.set("+1h");
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    let wrong = NodeOptions { folder: folder.path().join("wrong"), port: free_port(), ..shard.options[0].clone() };
    join(&shard.options[0].folder, &wrong.folder);
    let node = wrong.spawn(clock.command("fairshoe")).unwrap();
    shard.node(0).player("alice", 10);
    shard.options.push(wrong.clone());
    shard.nodes.push(Some(node));
    shard.settle();
    shard.kill(0);
    // Long enough for a lease to expire three times.
    std::thread::sleep(Duration::from_secs(8));
    assert_eq!(cluster(&wrong.url())["leads"], false);
    shard.start_again(0);
    wait_until("the node with the right clock leads", || cluster(&shard.options[0].url())["leads"] == true);
    shard.settle();
    audit(&shard.node(0).anyone());
}

/// Chips go both ways between two logs while their leaders are killed: none is lost, none arrives twice.
#[test]
fn transfers_between_shards_whose_leaders_are_killed_come_once() {
    let program = server!();
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shards = ["east", "west"].map(|name| Shard::start(&servers, folder.path(), name, 2, &[]));
    let urls: [Vec<String>; 2] =
        shards.each_ref().map(|shard| shard.options.iter().map(|node| node.url()).collect::<Vec<_>>());
    let tokens = shards.each_ref().map(|shard| shard.node(0).operator_token());
    let logs = shards.each_ref().map(|shard| {
        let log = shard.node(0).anyone().get("/v1/log").expect_status(200);
        (log["origin"].text(), log["vkey"].text())
    });
    for here in 0..2 {
        let mut desk = Following::new(&urls[here], Some(&tokens[here]));
        let (log, key) = &logs[1 - here];
        let policy = format!("log {key}\nquorum none\n");
        desk.post("/v1/logs", &json!({ "log": log, "policy": policy }), "know").expect_status(200);
    }
    const PLAYERS: usize = 4;
    const CHIPS: u64 = 1_000_000;
    for here in 0..2 {
        let mut desk = Following::new(&urls[here], Some(&tokens[here]));
        for player in 0..PLAYERS {
            let name = format!("p{player}");
            desk.post("/v1/players", &json!({ "player": name }), &format!("make-{name}")).expect_status(201);
            desk.post(&format!("/v1/players/{name}/credit"), &json!({ "amount": CHIPS }), &format!("credit-{name}"))
                .expect_status(200);
        }
    }
    let each = usize::try_from(samples(25, 1_250)).unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let kills = std::thread::scope(|scope| {
        let (urls, tokens, logs, is_over) = (&urls, &tokens, &logs, &is_over);
        let movers: Vec<_> = (0..2 * PLAYERS)
            .map(|mover| {
                let mut dice = Dice::seeded(dice.roll());
                scope.spawn(move || {
                    let (here, player) = (mover % 2, format!("p{}", mover / 2));
                    let mut from = Following::new(&urls[here], Some(&tokens[here]));
                    let mut to = Following::new(&urls[1 - here], None);
                    for number in 0..each {
                        let body = json!({ "to": logs[1 - here].0, "amount": 1 + dice.below(100) });
                        let key = format!("t-{here}-{player}-{number}");
                        let sent =
                            from.post(&format!("/v1/players/{player}/transfers"), &body, &key).expect_status(200);
                        let receipt = &sent["receipts"][0];
                        let claim =
                            json!({ "from": logs[here].0, "entry": receipt["entry"], "proof": receipt["proof"] });
                        // Sometimes handed in twice: it is credited once.
                        let times = if dice.below(5) == 0 { 2 } else { 1 };
                        for _ in 0..times {
                            let reply = to.post("/v1/transfers", &claim, "");
                            assert!(reply.status == 200 || reply.problem(409) == "already_claimed", "{}", reply.text());
                        }
                    }
                })
            })
            .collect();
        let shards = &mut shards;
        let killer = scope.spawn(move || {
            let mut kills = 0;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(500) + dice.pause(1500));
                let shard = &mut shards[usize::try_from(dice.below(2)).unwrap()];
                let leader = shard.leader();
                shard.kill(leader);
                kills += 1;
                shard.leader();
                shard.start_again(leader);
            }
            kills
        });
        let moved: Vec<_> = movers.into_iter().map(|mover| mover.join()).collect();
        // Told first: else a mover that failed leaves the killer at work until the test's time is over.
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        let kills = killer.join().unwrap();
        moved.into_iter().for_each(|mover| mover.unwrap());
        kills
    });
    shards.iter().for_each(|shard| drop(shard.settle()));
    let leaders = shards.each_ref().map(|shard| shard.options[shard.leader()].url());
    let balance = |at: usize| -> u64 {
        let client = fairshoe_tests::Client::new(&leaders[at], Some(&tokens[at]));
        (0..PLAYERS)
            .map(|player| client.get(&format!("/v1/players/p{player}")).expect_status(200)["balance"].int())
            .sum()
    };
    assert_eq!(balance(0) + balance(1), 2 * PLAYERS as u64 * CHIPS, "no chip is lost, and none was printed");
    let audited = faults::audit(&["cluster", &leaders[0], &leaders[1], "--json"]);
    assert_eq!(audited.code, Some(0), "{audited:?}");
    println!("{} transfers while leaders were killed {kills} times", 2 * PLAYERS * each);
}

/// Witnesses see one history across takeovers; they refuse an order that is begun again from a log that is too short.
#[test]
fn witnesses_follow_a_takeover_and_refuse_an_order_that_lost_what_they_saw() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let file = folder.path().join("witnesses");
    let witnesses = ["--witnesses", file.to_str().unwrap(), "--unwitnessed-limit", "60"];
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    let key = std::fs::read_to_string(shard.options[0].folder.join("log.vkey")).unwrap();
    assert_eq!(shard.nodes[0].take().unwrap().stop(), Some(0));
    let short = folder.path().join("short");
    faults::copy_folder(&shard.options[0].folder, &short);
    let witness = WitnessProcess::start(&folder.path().join("w"), "witness.example/w", key.trim());
    std::fs::write(&file, format!("{}quorum w\n", witness.line("w"))).unwrap();
    shard.options[0].extra = witnesses.map(str::to_owned).to_vec();
    shard.start_again(0);
    shard.leader();
    let other = NodeOptions::new(&servers, "east", folder.path().join("other"), &witnesses);
    join(&shard.options[0].folder, &other.folder);
    shard.nodes.push(Some(other.start()));
    shard.options.push(other);
    shard.node(0).player("alice", 10);
    shard.settle();
    shard.kill(0);
    let leader = shard.leader();
    shard.node(leader).player("bob", 10);
    let client = shard.node(leader).anyone();
    wait_until("the new leader's log is witnessed", || {
        let log = client.get("/v1/log").expect_status(200);
        let seen = client.get("/readyz").json();
        seen["witnessed"]["size"] == log["size"] && seen["bets"] == true
    });
    // Only a copy that is too short is left.
    shard.kill(leader);
    (0..3).for_each(|at| servers.kill(at));
    (0..3).for_each(|at| std::fs::remove_dir_all(servers.store(at)).unwrap());
    (0..3).for_each(|at| servers.run(at));
    let mut extra = witnesses.map(str::to_owned).to_vec();
    extra.push("--begin-order".into());
    let short = NodeOptions { folder: short, extra, ..shard.options[0].clone() };
    assert_eq!(short.start().wait_for_end(), Some(74), "a witness has seen more");
}

/// A node's folder works neither alone nor as a node of another shard: that would be a second history.
#[test]
fn a_folder_belongs_to_its_shard() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    let own = shard.options[0].clone();
    assert_eq!(shard.nodes[0].take().unwrap().stop(), Some(0));
    let other = NodeOptions { shard: "esat".into(), ..own.clone() };
    let said = other.spawn(Command::new(binary("fairshoe"))).err().unwrap();
    assert!(said.contains("of the shard east") && said.contains("esat"), "{said}");
    let said = Service::try_start(&own.folder, &[]).err().unwrap();
    assert!(said.contains("start it with --order and --shard east"), "{said}");
    shard.start_again(0);
    shard.leader();
}

/// A stranger who can publish to the servers repeats an old lease, sends junk, or removes it: no other node leads next
/// to the leader, and it continues.
#[test]
fn what_a_stranger_says_of_the_lease_changes_nothing() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let stranger = Stranger::at(servers.port(0));
    // A lease that was given up cleanly, to be repeated later.
    assert_eq!(shard.nodes[0].take().unwrap().stop(), Some(0));
    shard.start_again(0);
    let leader = shard.leader();
    let says_none = |lease: &Vec<u8>| String::from_utf8_lossy(lease).contains("\"node\":null");
    let given_up = stranger.heard().into_iter().find(says_none).expect("it was given up");
    let leads = || -> Vec<bool> { shard.options.iter().map(|node| cluster(&node.url())["leads"] == true).collect() };
    for said in [given_up, b"junk".to_vec(), Vec::new()] {
        for _ in 0..10 {
            stranger.say("fairshoe.lease.east", &said);
            std::thread::sleep(Duration::from_millis(100));
            // A leader that had to overwrite it again and again may be silent for a moment; no other node leads next to
            // it.
            assert!(leads().iter().filter(|leads| **leads).count() <= 1, "one leads");
        }
        assert_eq!(shard.leader(), leader, "and it is the same");
        let name = format!("p-{}", said.len());
        shard.node(leader).operator().post("/v1/players", &json!({ "player": name })).expect_status(201);
    }
    shard.settle();
    audit(&shard.node(leader).anyone());
}

/// The load program, which verifies every reply, plays on while its leader is killed.
#[test]
fn the_load_program_follows_a_takeover() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    let urls: Vec<String> = shard.options.iter().map(|node| node.url()).collect();
    let token = shard.options[0].folder.join("operator.token");
    let load = Command::new(binary("fairshoe-load"))
        .args(["--url", &urls.join(","), "--players", "4", "--seconds", "8", "--reconnect", "30", "--token-file"])
        .arg(&token)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    shard.kill(0);
    let output = load.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(shard.leader(), 1);
    audit(&shard.node(1).anyone());
}

/// A process that is stopped in order, also where the test fails.
struct Stopping(Child);

impl Drop for Stopping {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// spec/operating.md, "Several nodes": whoever tries `cluster up` kills a node and starts it again by the line it printed.
#[test]
fn a_node_of_cluster_up_is_started_again_by_its_line() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    // With a space, which the line has to quote for the shell.
    let house = folder.path().join("my house");
    // This process has the ports after its own.
    let order = free_port();
    let ports = [order + 9, order + 10];
    let up = Command::new(binary("fairshoe"))
        .args(["cluster", "up", house.to_str().unwrap(), "--nats-server", program.to_str().unwrap()])
        .args(["--shards", "east", "--nodes", "2", "--order-port", &order.to_string(), "--port", &ports[0].to_string()])
        .stdout(Stdio::piped())
        .spawn();
    let mut up = Stopping(up.unwrap());
    let said = BufReader::new(up.0.stdout.take().unwrap());
    let lines = Arc::<Mutex<Vec<String>>>::default();
    let kept = lines.clone();
    std::thread::spawn(move || said.lines().map_while(Result::ok).for_each(|line| kept.lock().unwrap().push(line)));
    let starts = || -> Vec<String> {
        let lines = lines.lock().unwrap();
        lines.iter().skip_while(|line| !line.starts_with("Start one again by its line")).skip(1).cloned().collect()
    };
    wait_until("a line for each node", || starts().len() == 2);
    for (line, port) in starts().iter().zip(ports) {
        assert!(line.contains(&format!("--listen 127.0.0.1:{port} ")), "{line}");
    }
    let url = format!("http://127.0.0.1:{}", ports[1]);
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", up.0.id())).unwrap();
    let node = children
        .split_whitespace()
        .find(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|words| words.contains("east-2")))
        .unwrap();
    signal(node.parse().unwrap(), "-9");
    wait_until("the killed node is silent", || cluster(&url).is_null());
    let mut again = Command::new("sh");
    again.args(["-c", &format!("exec {}", starts()[1].trim())]).stderr(Stdio::null());
    let _again = Stopping(again.spawn().unwrap());
    wait_until("it follows", || cluster(&url)["leader"].is_string());
    assert_eq!(cluster(&url)["node"], "east-2");
}
