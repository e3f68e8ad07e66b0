//! Disks of a shard (spec/cluster.md, "When something is gone"): a power cut of all machines at once, a damaged or
//! missing replica, full disks.

use crate::faults;

use fairshoe_tests::cluster::{Following, NodeOptions, Servers, Shard, join, server_program, wait_until};
use fairshoe_tests::{Service, audit};
use faults::load::Casino;
use faults::loop_disk::LoopDisk;
use faults::{Dice, samples};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const DISK: u64 = 512 << 20;
const FEW_SPARE: &[&str] = &["--min-free-mib", "40"];
const SYNCED: &str = "sync_interval: always";

fn program() -> Option<PathBuf> {
    server_program().inspect_err(|why| println!("skipped: nats-server cannot be had: {why}")).ok()
}

fn disks(count: usize) -> Option<Vec<LoopDisk>> {
    let made: Result<Vec<_>, _> = (0..count).map(|_| LoopDisk::new(DISK)).collect();
    made.inspect_err(|why| println!("skipped: {why}")).ok()
}

fn stores(disks: &[LoopDisk]) -> [PathBuf; 3] {
    [0, 1, 2].map(|at| disks[at].path().join("store"))
}

/// The power of every server and every node fails at once.
#[test]
fn a_power_cut_of_all_machines_loses_nothing_that_was_acknowledged() {
    let Some(program) = program() else { return };
    let Some(mut disks) = disks(5) else { return };
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start_in(&program, &folder.path().join("order"), SYNCED, stores(&disks));
    let nodes = [3, 4].map(|at: usize| disks[at].path().join("data"));
    let mut shard = Shard::of(nodes.map(|data| NodeOptions::new(&servers, "east", data, FEW_SPARE)).to_vec());
    let mut casino = Casino::open(shard.node(shard.leader()), 4, &mut dice);
    for cut in 0..samples(1, 20) {
        let acks = casino.acks();
        let leader = shard.leader();
        let pause = Duration::from_millis(200) + dice.pause(1300);
        casino.play_while(&shard.options[leader].url(), || {
            std::thread::sleep(pause);
            disks.iter().for_each(|disk| disk.cut_power().unwrap());
            // Processes that run on after the cut acknowledge nothing: their writes reach no disk.
            std::thread::sleep(Duration::from_millis(20));
            (0..3).for_each(|at| servers.kill(at));
            (0..2).for_each(|at| shard.kill(at));
        });
        for disk in &mut disks {
            disk.unmount().unwrap();
            disk.mount().unwrap();
        }
        (0..3).for_each(|at| servers.run(at));
        (0..2).for_each(|at| shard.start_again(at));
        casino.check(shard.node(shard.leader()));
        shard.settle();
        println!("cut {cut} after {pause:?}: {} acknowledged entries kept", casino.acks() - acks);
    }
    println!("power cuts of all machines: {}", casino.summary());
    audit(&shard.node(shard.leader()).anyone());
    shard.nodes.iter_mut().for_each(|node| drop(node.take()));
    drop(servers);
}

/// Gives the order some messages, whichever node leads meanwhile.
fn play(shard: &Shard, name: &str, credits: u64) {
    let urls: Vec<String> = shard.options.iter().map(NodeOptions::url).collect();
    let token = fs::read_to_string(shard.options[0].folder.join("operator.token")).unwrap();
    let mut desk = Following::new(&urls, Some(token.trim()));
    desk.post("/v1/players", &json!({ "player": name }), &format!("make-{name}")).expect_status(201);
    for credit in 0..credits {
        let key = format!("{name}-{credit}");
        desk.post(&format!("/v1/players/{name}/credit"), &json!({ "amount": 1 }), &key).expect_status(200);
    }
}

/// Kills the leader of the stream until this server leads.
fn make_leader(servers: &mut Servers, wanted: usize) -> bool {
    for _ in 0..20 {
        let mut leader = None;
        wait_until("the stream has a leader", || {
            leader = servers.leader_of("east");
            leader.is_some()
        });
        if leader == Some(wanted) {
            return true;
        }
        servers.kill(leader.unwrap());
        std::thread::sleep(Duration::from_secs(6));
        servers.run(leader.unwrap());
        std::thread::sleep(Duration::from_secs(2));
    }
    false
}

/// One replica's folder is gone: it is built again from the other two.
#[test]
fn a_replica_whose_folder_is_gone_is_built_anew() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    play(&shard, "alice", 20);
    servers.kill(1);
    fs::remove_dir_all(servers.store(1)).unwrap();
    servers.run(1);
    play(&shard, "bob", 5);
    // A node that reads the order from its beginning finds all of it.
    let new = NodeOptions::new(&servers, "east", folder.path().join("new"), &[]);
    join(&shard.options[0].folder, &new.folder);
    shard.nodes.push(Some(new.start()));
    shard.options.push(new);
    shard.settle();
    audit(&shard.node(1).anyone());
}

/// Files of the stream's messages in a server's store.
fn blocks(store: &Path) -> Vec<PathBuf> {
    let all = faults::files(store).into_iter().map(|file| store.join(file));
    all.filter(|file| {
        let path = file.to_string_lossy();
        path.contains("/streams/fairshoe-east/") && path.ends_with(".blk")
    })
    .collect()
}

/// A damaged block of one replica silently loses messages. A node that reads from it reports which one, and stops; the
/// others continue, and the replica is built again from them.
#[test]
fn a_node_that_reads_from_a_damaged_replica_says_so_and_stops() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    play(&shard, "alice", 40);
    let damaged = 2;
    servers.kill(damaged);
    let mut flipped = 0;
    for file in blocks(&servers.store(damaged)) {
        let mut bytes = fs::read(&file).unwrap();
        if bytes.len() > 1000 {
            let middle = bytes.len() / 3;
            bytes[middle] ^= 0x40;
            fs::write(&file, bytes).unwrap();
            flipped += 1;
        }
    }
    assert!(flipped > 0, "the stream's blocks are where they were thought to be");
    // So that the damaged block is not one that the server writes again.
    servers.run(damaged);
    play(&shard, "bob", 5);
    assert!(make_leader(&mut servers, damaged), "the damaged server never leads");
    let new = NodeOptions::new(&servers, "east", folder.path().join("new"), &[]);
    join(&shard.options[0].folder, &new.folder);
    let mut node = new.start();
    let mut ended = None;
    wait_until("the new node stops, or has all", || {
        ended = ended.or_else(|| node.ended());
        ended.is_some() || new_has_all(&shard, &node)
    });
    match ended {
        Some(code) => assert_eq!(code, Some(74), "a node that finds a hole stops"),
        // This server repaired itself from the others.
        None => audit(&node.anyone()),
    }
    println!(
        "a flipped bit in a block of one replica: the new node {}",
        if ended.is_some() { "stops" } else { "has all" }
    );
    drop(node);
    // The runbook's steps: the damaged folder is removed, and built again from the other two.
    servers.kill(damaged);
    fs::remove_dir_all(servers.store(damaged)).unwrap();
    servers.run(damaged);
    play(&shard, "carol", 3);
    fs::remove_dir_all(&new.folder).unwrap();
    join(&shard.options[0].folder, &new.folder);
    shard.nodes.push(Some(new.start()));
    shard.options.push(new);
    shard.settle();
    audit(&shard.node(1).anyone());
}

fn new_has_all(shard: &Shard, node: &Service) -> bool {
    let size = |url: &str| {
        let log = fairshoe_tests::Client::new(url, None).send("GET", "/v1/log", None, &[])?;
        log.json()["size"].as_u64()
    };
    size(&node.url).is_some_and(|new| size(&shard.options[0].url()) == Some(new))
}

/// Fills a disk.
fn fill(disk: &LoopDisk) -> PathBuf {
    let file = disk.path().join("filler");
    let _ = Command::new("sh")
        .args(["-c", &format!("cat /dev/zero > {} 2>/dev/null; sync", file.display())])
        .status()
        .unwrap();
    file
}

/// The disk of one server is full, then all of them: only stored messages are acknowledged, and with room play
/// continues.
#[test]
fn full_disks_of_servers_stop_at_most_the_play() {
    let Some(program) = program() else { return };
    let Some(disks) = disks(3) else { return };
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start_in(&program, &folder.path().join("order"), SYNCED, stores(&disks));
    let mut shard = Shard::start(&servers, folder.path(), "east", 1, &[]);
    let mut casino = Casino::open(shard.node(0), 2, &mut dice);
    let url = shard.options[0].url();
    for full in [1, 3] {
        let fillers: Vec<PathBuf> = disks[..full].iter().map(fill).collect();
        casino.play_while(&url, || {
            std::thread::sleep(Duration::from_secs(2));
            fillers.iter().for_each(|file| fs::remove_file(file).unwrap());
            // A server does not write failed messages later: an operator starts it again.
            for at in 0..full {
                servers.kill(at);
                servers.run(at);
            }
            std::thread::sleep(Duration::from_secs(1));
            // Ends the play.
            shard.kill(0);
        });
        shard.start_again(0);
        shard.leader();
        casino.check(shard.node(0));
        println!("{full} disks full: {}", casino.summary());
    }
    audit(&shard.node(0).anyone());
    drop(shard);
    drop(servers);
}

/// All servers lose their data: no node begins the order again by itself. The one with the whole log does so when its
/// operator says so; the others continue from there.
#[test]
fn an_order_that_is_lost_is_begun_anew_only_where_the_operator_says_so() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut servers = Servers::start(&program, &folder.path().join("order"));
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &[]);
    play(&shard, "alice", 10);
    let whole = shard.settle();
    (0..2).for_each(|at| shard.kill(at));
    (0..3).for_each(|at| servers.kill(at));
    (0..3).for_each(|at| fs::remove_dir_all(servers.store(at)).unwrap());
    (0..3).for_each(|at| servers.run(at));
    let refused: Vec<Service> = shard.options.iter().map(NodeOptions::start).collect();
    for mut node in refused {
        assert_eq!(node.wait_for_end(), Some(74), "it must not begin an order by itself");
    }
    let longest = NodeOptions { extra: vec!["--begin-order".into()], ..shard.options[0].clone() };
    shard.nodes[0] = Some(longest.start());
    shard.leader();
    shard.start_again(1);
    assert_ne!(shard.settle(), whole, "it goes on");
    play(&shard, "bob", 3);
    shard.settle();
    audit(&shard.node(1).anyone());
}
