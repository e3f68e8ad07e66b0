//! A log of more than 65,536 entries: two levels of full tiles and a partial tile of a third, served, proven, mirrored.

use crate::faults;

use fairshoe_fairness::{Master, PlayerId};
use fairshoe_house::{Actor, Command, Entry, SeedDealer, State};
use fairshoe_store::{BUNDLE, MAX_APPEND_ENTRIES, Store};
use fairshoe_tests::{Client, Json, Service, policy};
use fairshoe_tlog::{
    Checkpoint, EntryBundle, Signer, TileNodes, TilePath, Tree, bundles_for_size, leaf_hash, tiles_for_size,
};
use faults::audit;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of entries before the last start: the example of c2sp.org/tlog-tiles.
const SIZE: u64 = 70_000;

/// Fills a stopped service's log with credits, as its house and its commit thread would write them.
fn fill(data: &Path, size: u64) {
    fairshoe_store::true_sync::require().unwrap();
    let secret = |name: &str| fs::read_to_string(data.join("secrets").join(name)).unwrap().trim().to_owned();
    let seed: [u8; 32] = hex::decode(secret("log.key")).unwrap().try_into().unwrap();
    let signer = Signer::new(&secret("origin"), &seed).unwrap();
    let (store, _) = Store::open(data).unwrap();
    let (mut state, mut tree) = (State::new(), Tree::new());
    store
        .read(0..store.size(), |_, bytes| {
            tree.append(leaf_hash(bytes));
            state.apply(&Entry::decode(bytes).unwrap()).unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    // Credits draw no card: any dealer works.
    let dealer = SeedDealer::new(Master::from_bytes([0; 32]));
    let credit = Command::Credit {
        player: PlayerId::parse("alice").unwrap(),
        amount: fairshoe_games::Chips::new(1).unwrap(),
        reference: None,
    };
    while tree.size() < size {
        let first = tree.size();
        let mut entries = Vec::new();
        while entries.len() < MAX_APPEND_ENTRIES && tree.size() < size {
            let entry = state.decide(&dealer, state.last_time(), &Actor::Operator, &credit).unwrap();
            state.apply(&entry).unwrap();
            let bytes = entry.encode().unwrap();
            tree.append(leaf_hash(&bytes));
            entries.push(bytes);
        }
        store.append(first, &entries, &[]).unwrap();
        store.write_anchor(tree.size(), signer.sign_checkpoint(tree.size(), tree.root()).as_bytes()).unwrap();
    }
}

/// The log read from its bundles, with its own tree over it.
struct Read {
    tree: Tree,
    tiles: HashMap<(u8, u64), Arc<TileNodes>>,
    entries: Vec<Vec<u8>>,
    checkpoint: Checkpoint,
}

fn read(client: &Client) -> Read {
    let checkpoint = policy(client).verify_checkpoint(&client.get("/checkpoint").text()).unwrap().checkpoint;
    let mut read = Read { tree: Tree::new(), tiles: HashMap::new(), entries: Vec::new(), checkpoint };
    for path in bundles_for_size(read.checkpoint.size) {
        let reply = client.get(&format!("/{path}"));
        assert_eq!(reply.status, 200, "{path}");
        let bundle = EntryBundle::decode(&reply.body).unwrap();
        assert_eq!(bundle.entries().len(), usize::from(path.width()), "{path}");
        for entry in bundle.entries() {
            for tile in read.tree.append(leaf_hash(entry)) {
                read.tiles.insert((tile.level, tile.index), tile.nodes);
            }
            read.entries.push(entry.to_vec());
        }
    }
    assert_eq!(read.tree.root(), read.checkpoint.root);
    read
}

impl Read {
    fn tile(&self, path: TilePath) -> Vec<u8> {
        let TilePath::Tile { level, index, .. } = path else { panic!("{path}") };
        self.tree.partial_tile(level, index, path.width(), &self.tiles).unwrap()
    }
}

fn json_of(args: &[&str], code: i32) -> Value {
    let verdict = audit(&[args, &["--json"]].concat());
    assert_eq!(verdict.code, Some(code), "{args:?}\n{}\n{}", verdict.out, verdict.err);
    serde_json::from_str(&verdict.out).unwrap()
}

/// Makes credits over HTTP until the log has grown by so many entries.
fn grow(service: &Service, by: u64) {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let operator = service.operator();
            scope.spawn(move || {
                for number in 0..by.div_ceil(8) {
                    let key = format!("{by}-{thread}-{number}");
                    let header = [("idempotency-key", key.as_str())];
                    operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1 }), &header).expect_status(200);
                }
            });
        }
    });
}

#[test]
fn a_log_beyond_65536_entries_is_served_proven_and_mirrored() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Service::start(&data, &[]);
    let alice = service.player("alice", 1_000);
    for _ in 0..5 {
        alice.play("joy-1", 1);
    }
    assert_eq!(service.stop(), Some(0));
    fill(&data, SIZE);
    let service = Service::start(&data, &["--address-rate", "0", "--token-rate", "0"]);
    let mut again = alice.clone();
    again.client = service.client(Some(&alice.token));
    again.play("joy-1", 1);

    let client = service.anyone();
    let log = read(&client);
    assert!(log.checkpoint.size > SIZE);
    tiles_are_right(&client, &log);
    receipts_hold_offline(&client, &log, folder.path());

    let url = service.url.as_str();
    for (flags, verdict) in [(&[][..], "sound"), (&["--ledger-only"], "sound_ledger_only")] {
        let report = json_of(&[&["log", url], flags].concat(), 0);
        assert_eq!((&report["verdict"], &report["entries"]), (&json!(verdict), &json!(log.checkpoint.size)));
    }
    mirrored(&service, folder.path(), &log);
    assert_eq!(service.stop(), Some(0));
    history_is_in_files(&data, &log);
    let report = json_of(&["log", data.to_str().unwrap(), "--ledger-only"], 0);
    assert_eq!(report["verdict"], "sound_ledger_only");
}

/// Every path of this size, and partial ones of earlier sizes whose full tile exists by now.
fn tiles_are_right(client: &Client, log: &Read) {
    let size = log.checkpoint.size;
    let mut count = 0;
    let older = [70_000, 69_999, 65_793, 65_537, 65_536, 65_535, 513, 255, 1];
    let sizes = std::iter::once(size).chain(older);
    for path in sizes.clone().flat_map(|of| tiles_for_size(of).filter(move |path| of == size || path.full() != *path)) {
        let reply = client.get(&format!("/{path}"));
        assert_eq!((reply.status, reply.body == log.tile(path)), (200, true), "{path}");
        count += 1;
    }
    for path in older.into_iter().flat_map(bundles_for_size).filter(|path| path.full() != *path) {
        let TilePath::Entries { index, .. } = path else { panic!("{path}") };
        let first = index as usize * 256;
        let entries = log.entries[first..first + usize::from(path.width())].iter().map(Vec::as_slice).collect();
        assert_eq!(client.get(&format!("/{path}")).body, EntryBundle::new(entries).unwrap().encode(), "{path}");
    }
    assert!(count > 275, "{count}");
    let names: Vec<String> = tiles_for_size(size).map(|path| path.to_string()).collect();
    for there in ["tile/0/272", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"] {
        assert!(names.iter().any(|name| name == there), "{there}");
    }
    for beyond in ["tile/1/001.p/18", "tile/1/001", "tile/2/000.p/2", "tile/2/000", "tile/3/000.p/1", "tile/0/274.p/1"]
    {
        let reply = client.get(&format!("/{beyond}"));
        assert_eq!(
            (reply.problem(404).as_str(), reply.header("cache-control")),
            ("not_found", Some("no-store")),
            "{beyond}"
        );
    }
}

fn receipts_hold_offline(client: &Client, log: &Read, folder: &Path) {
    let vkey = client.get("/v1/log").expect_status(200)["vkey"].text();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (policy, proof, entry) = (path("policy"), path("entry.tlog-proof"), path("entry"));
    fs::write(&policy, format!("log {vkey}\nquorum none\n")).unwrap();
    // At both ends; under a full tile of level 1, at its borders; under full tiles of level 0 beyond it; under the
    // partial one.
    for index in [0, 255, 256, 40_000, 65_535, 65_536, 66_000, 69_887, 69_888, log.checkpoint.size - 1] {
        fs::write(&proof, client.get(&format!("/v1/receipts/{index}")).body).unwrap();
        fs::write(&entry, &log.entries[index as usize]).unwrap();
        let report = json_of(&["receipt", &proof, "--entry", &entry, "--policy", &policy], 0);
        let receipt = &report["receipts"][0];
        assert_eq!(
            (&receipt["index"], &receipt["size"], &receipt["sound"]),
            (&json!(index), &json!(log.checkpoint.size), &json!(true))
        );
        let other = (index as usize + 1) % log.entries.len();
        fs::write(&entry, &log.entries[other]).unwrap();
        json_of(&["receipt", &proof, "--entry", &entry, "--policy", &policy], 1);
    }
}

/// A second party mirrors the log, serves it as files, and an auditor reads it there; then the log grows.
fn mirrored(service: &Service, folder: &Path, log: &Read) {
    let mirror = folder.join("mirror");
    let dir = mirror.to_str().unwrap();
    let report = json_of(&["mirror", &service.url, dir], 0);
    let tiles = tiles_for_size(log.checkpoint.size).count() as u64;
    let bundles = bundles_for_size(log.checkpoint.size).count() as u64;
    assert_eq!((&report["verdict"], &report["files"]["written"]), (&json!("sound"), &json!(tiles + bundles)));
    for path in tiles_for_size(log.checkpoint.size) {
        assert_eq!(fs::read(mirror.join(path.to_string())).unwrap(), log.tile(path), "{path}");
    }
    let again = json_of(&["mirror", &service.url, dir], 0);
    assert_eq!((&again["files"]["written"], &again["files"]["kept"]), (&json!(0), &json!(tiles + bundles)));
    for flags in [&[][..], &["--ledger-only"]] {
        json_of(&[&["log", dir], flags].concat(), 0);
    }

    let partial = |under: &str| mirror.join("tile").join(under).join(format!("{:03}.p", log.checkpoint.size / 256));
    assert!(partial("0").is_dir() && partial("entries").is_dir());
    grow(service, 300);
    let report = json_of(&["mirror", &service.url, dir], 0);
    assert_eq!(report["before"], json!(log.checkpoint.size));
    assert!(report["files"]["superseded"].int() >= 2, "{report}");
    assert!(!partial("0").exists() && !partial("entries").exists(), "what a full tile supersedes is removed");

    let address = serve(mirror.clone());
    let report = json_of(&["log", &address, "--ledger-only"], 0);
    assert!(report["checkpoint"]["size"].int() >= log.checkpoint.size + 300);
    // A mirror of the mirror; and one that began earlier, whose partial files no longer exist here: they are cut from
    // full ones.
    let report = json_of(&["mirror", &address, folder.join("second").to_str().unwrap()], 0);
    assert_eq!(report["verdict"], "sound");
}

/// Serves a folder's files like any web server.
fn serve(dir: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let dir = dir.clone();
            std::thread::spawn(move || answer(stream, &dir));
        }
    });
    address
}

fn answer(stream: TcpStream, dir: &Path) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).ok()? == 0 {
            return Some(());
        }
        let mut header = String::new();
        while reader.read_line(&mut header).ok()? > 2 {
            header.clear();
        }
        let path = dir.join(request.split(' ').nth(1)?.trim_start_matches('/'));
        let (status, body) = fs::read(path).map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).ok()?;
        stream.write_all(&body).ok()?;
    }
}

/// All full parts are sealed by the end of a clean stop. Level-0 tiles are not stored; full tiles above are files with
/// their names. A damaged or missing one is made again from the entries, without a visible difference.
fn history_is_in_files(data: &Path, log: &Read) {
    let copy = Store::open_copy(data).unwrap();
    assert_eq!(copy.sealed(), copy.size() / BUNDLE * BUNDLE);
    copy.meta_scan(b"t/", |key, _| panic!("a tile in metadata: {key:?}")).unwrap();
    copy.verify_sealed(|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(faults::files(&data.join("tile")), [Path::new("1/000")]);
    let path = TilePath::Tile { level: 1, index: 0, partial: None };
    let file = data.join(path.to_string());
    assert_eq!(fs::read(&file).unwrap(), log.tile(path));
    drop(copy);
    let mut damaged = fs::read(&file).unwrap();
    damaged[4_000] ^= 1;
    for change in [Some(damaged), None] {
        match change {
            Some(bytes) => fs::write(&file, bytes).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let service = Service::start(data, &[]);
        let client = service.anyone();
        for path in ["tile/1/000", "tile/1/000.p/7", "tile/0/000", "tile/0/255", "tile/0/260"] {
            let wanted = log.tile(path.parse().unwrap());
            assert_eq!(client.get(&format!("/{path}")).body, wanted, "{path}");
        }
        assert_eq!(client.get("/v1/receipts/40000").status, 200);
        assert_eq!(service.stop(), Some(0));
    }
}
