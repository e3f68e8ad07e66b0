//! The public log as readers see it: checkpoint, tiles, bundles, receipts, headers, histories.

use fairshoe_house::Entry;
use fairshoe_tests::wire::Wire;
use fairshoe_tests::{Client, Json, Player, Reply, Rng, Service, policy, whole_log};
use fairshoe_tlog::{
    Checkpoint, EntryBundle, Hash, NoTiles, Policy, TileReader, TlogProof, Tree, VerifierKey, bundles_for_size,
    leaf_hash, own_time, tiles_for_size, verify_consistency,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A tree of our own, with every full tile it completed.
#[derive(Default)]
struct Mirror {
    tree: Tree,
    tiles: HashMap<(u8, u64), Arc<fairshoe_tlog::TileNodes>>,
}

impl Mirror {
    fn append(&mut self, leaf: Hash) {
        for tile in self.tree.append(leaf) {
            self.tiles.insert((tile.level, tile.index), tile.nodes);
        }
    }
}

impl TileReader for Mirror {
    fn tile(&self, level: u8, index: u64) -> Option<Arc<fairshoe_tlog::TileNodes>> {
        self.tiles.get(&(level, index)).cloned()
    }
}

fn checkpoint(client: &Client, policy: &Policy) -> Checkpoint {
    let reply = client.get("/checkpoint");
    assert_eq!(reply.status, 200);
    policy.verify_checkpoint(&reply.text()).unwrap().checkpoint
}

/// Fills the log beyond one full tile, quickly.
fn fill(service: &Service, entries: u64) -> Player {
    let alice = service.player("alice", 100_000);
    let operator = service.operator();
    let mut rng = Rng(7);
    for _ in 0..5 {
        alice.play_randomly("joy-1", 10, &mut rng);
    }
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let operator = operator.clone();
            scope.spawn(move || {
                for number in 0..entries / 8 {
                    let key = format!("fill-{thread}-{number}");
                    let header = [("idempotency-key", key.as_str())];
                    operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1 }), &header).expect_status(200);
                }
            });
        }
    });
    alice
}

#[test]
fn tiles_and_bundles_are_what_the_entries_hash_to_at_every_size_they_were_served_at() {
    let service = Service::fresh(&[]);
    fill(&service, 320);
    let client = service.anyone();
    let policy = policy(&client);
    let now = checkpoint(&client, &policy);
    assert!(now.size > 300, "{}", now.size);

    let entries = whole_log(&client);
    let mut mirror = Mirror::default();
    let mut roots = vec![Tree::new().root()];
    for entry in &entries {
        mirror.append(leaf_hash(entry.as_bytes()));
        roots.push(mirror.tree.root());
    }
    assert_eq!(roots[now.size as usize], now.root, "the checkpoint's root is that of the entries");

    // All resources of the current size; for older sizes, every partial tile and bundle there ever was.
    for size in (1..=now.size).filter(|size| *size == now.size || size % 37 == 0 || (250..260).contains(size)) {
        for path in tiles_for_size(size) {
            let reply = client.get(&format!("/{path}"));
            assert_eq!(reply.status, 200, "{path}");
            let fairshoe_tlog::TilePath::Tile { level, index, .. } = path else { panic!("{path}") };
            let expected = mirror.tree.partial_tile(level, index, path.width(), &mirror).unwrap();
            assert_eq!(reply.body, expected, "{path} at size {size}");
            assert_eq!(reply.header("cache-control"), Some(FOR_EVER));
            assert_eq!(reply.header("content-type"), Some("application/octet-stream"));
        }
        for path in bundles_for_size(size) {
            let reply = client.get(&format!("/{path}"));
            assert_eq!(reply.status, 200, "{path}");
            let fairshoe_tlog::TilePath::Entries { index, .. } = path else { panic!("{path}") };
            let first = index as usize * 256;
            let expected: Vec<&[u8]> =
                entries[first..first + usize::from(path.width())].iter().map(String::as_bytes).collect();
            assert_eq!(reply.body, EntryBundle::new(expected).unwrap().encode(), "{path} at size {size}");
            assert_eq!(reply.header("cache-control"), Some(FOR_EVER));
            assert_eq!(reply.header("content-type"), Some("application/octet-stream"));
        }
    }
}

#[test]
fn tiles_that_are_not_there_and_other_spellings_are_refused() {
    let service = Service::fresh(&[]);
    let client = service.anyone();
    let size = checkpoint(&client, &policy(&client)).size;
    assert!(size < 200);
    assert_eq!(client.get(&format!("/tile/0/000.p/{size}")).status, 200);
    let later = format!("tile/0/000.p/{}", size + 1);
    let later_entries = format!("tile/entries/000.p/{}", size + 1);
    let absent = [
        later.as_str(),
        later_entries.as_str(),
        "tile/0/000",
        "tile/entries/000",
        "tile/0/001.p/1",
        "tile/1/000.p/1",
        "tile/63/000.p/1",
        "tile/64/000.p/1",
        "tile/00/000.p/1",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/",
        "tile/0/0.p/1",
        "tile/0/0000.p/1",
        "tile/0/x000/000.p/1",
        "tile/0/x001/000.p/1",
        "tile/0/000.p/1/",
        "tile/0//000.p/1",
        "tile/0/%30%30%30.p/1",
        "tile/0/000.P/1",
        "tile/-1/000.p/1",
        "tile/entries/",
        "tile/entries/x018/x446/x744/x073/x709/x551/615",
        "tile/data/000.p/1",
        "tile/checkpoint",
        "tile/",
        "tile/0/000.p/1?x=1/../2",
    ];
    for path in absent.iter().filter(|path| !path.contains('?')) {
        let reply = client.get(&format!("/{path}"));
        assert_eq!(reply.problem(404), "not_found", "{path}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}: what is not there yet is not to be kept");
    }
}

/// A request byte by byte, so that no layer unpacks the reply.
pub fn raw(service: &Service, method: &str, path: &str, headers: &str) -> Reply {
    let mut wire = Wire::connect(&service.url, Duration::from_secs(20));
    assert!(wire.send(format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{headers}\r\n").as_bytes()));
    if method != "HEAD" {
        return wire.reply().unwrap();
    }
    let head = wire.head().unwrap();
    // After a head comes the next reply.
    assert!(wire.send(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"));
    assert_eq!(wire.reply().unwrap().text(), "ok");
    head
}

#[test]
fn bundles_are_packed_for_who_asks_and_for_nobody_else() {
    let service = Service::fresh(&[]);
    service.player("alice", 100).play("joy-1", 10);
    let size = checkpoint(&service.anyone(), &policy(&service.anyone())).size;
    let path = format!("/tile/entries/000.p/{size}");
    let plain = raw(&service, "GET", &path, "");
    assert_eq!(
        (plain.status, plain.header("content-encoding"), plain.header("vary")),
        (200, None, Some("accept-encoding"))
    );
    for accepted in ["gzip", "gzip, deflate, br", "identity;q=0.5, gzip;q=1.0", "*;q=0.1, gzip"] {
        let packed = raw(&service, "GET", &path, &format!("accept-encoding: {accepted}\r\n"));
        let kept = (packed.header("content-encoding"), packed.header("vary"), packed.header("cache-control"));
        assert_eq!((packed.status, kept), (200, (Some("gzip"), Some("accept-encoding"), Some(FOR_EVER))), "{accepted}");
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain.body && packed.body.len() < plain.body.len());
    }
    for accepted in ["identity", "br", "gzip;q=0", "deflate", "", "nonsense;;;", "gzip;q=0.1, identity"] {
        let reply = raw(&service, "GET", &path, &format!("accept-encoding: {accepted}\r\n"));
        assert_eq!(
            (reply.status, reply.header("content-encoding"), &reply.body),
            (200, None, &plain.body),
            "{accepted}"
        );
    }
    // Hashes do not compress.
    let tile = raw(&service, "GET", &format!("/tile/0/000.p/{size}"), "accept-encoding: gzip\r\n");
    assert_eq!((tile.status, tile.header("content-encoding"), tile.body.len() as u64), (200, None, size * 32));
}

#[test]
fn head_tells_what_get_would_and_a_known_checkpoint_is_not_sent_again() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 100);
    let size = checkpoint(&alice.client, &policy(&alice.client)).size;
    for path in [
        "/checkpoint".to_owned(),
        format!("/tile/0/000.p/{size}"),
        format!("/tile/entries/000.p/{size}"),
        "/tile/0/001".into(),
    ] {
        let (get, head) = (raw(&service, "GET", &path, ""), raw(&service, "HEAD", &path, ""));
        for name in ["content-type", "content-length", "cache-control", "etag", "vary"] {
            assert_eq!(get.header(name), head.header(name), "{name} of {path}");
        }
        assert_eq!(get.status, head.status, "{path}");
    }
    let first = raw(&service, "GET", "/checkpoint", "");
    let tag = first.header("etag").unwrap();
    for known in [tag, &format!("\"other\", {tag}"), &format!("W/{tag}"), "*"] {
        let reply = raw(&service, "GET", "/checkpoint", &format!("if-none-match: {known}\r\n"));
        assert_eq!((reply.status, reply.header("etag"), reply.body.len()), (304, Some(tag), 0), "{known}");
        assert!(reply.header("cache-control").unwrap().contains("max-age=1"), "{known}");
    }
    for other in ["\"other\"", "nonsense", ""] {
        let reply = raw(&service, "GET", "/checkpoint", &format!("if-none-match: {other}\r\n"));
        assert_eq!((reply.status, &reply.body), (200, &first.body), "{other}");
    }
    alice.play("joy-1", 1);
    let next = raw(&service, "GET", "/checkpoint", &format!("if-none-match: {tag}\r\n"));
    assert_eq!(next.status, 200);
    assert!(next.header("etag") != Some(tag) && next.body != first.body);
}

#[test]
fn no_error_is_kept_by_a_cache() {
    let service = Service::fresh(&[]);
    let nobody = service.anyone();
    let (unknown, wrong) = (nobody.get("/tile/0/000"), service.client(Some("00")).get("/checkpoint"));
    let put = nobody.send("PUT", "/checkpoint", None, &[]).unwrap();
    for (reply, status) in
        [(unknown, 404), (wrong, 401), (put, 405), (nobody.get("/v1/entries/999999"), 404), (nobody.get("/none"), 404)]
    {
        assert_eq!((reply.status, reply.header("cache-control")), (status, Some("no-store")), "{}", reply.text());
    }
}

#[test]
fn the_checkpoint_is_kept_for_seconds_and_only_ever_extended() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &["--origin", "example.com/api-test"]);
    let mut alice = service.player("alice", 1000);
    let trust = policy(&alice.client);
    let mut seen = Vec::new();
    for restart in 0..3 {
        for _ in 0..3 {
            let reply = alice.client.get("/checkpoint");
            assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
            let kept = reply.header("cache-control").unwrap();
            let seconds: u64 = kept.split("max-age=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
            assert!(seconds <= 5, "{kept}");
            let now = trust.verify_checkpoint(&reply.text()).unwrap().checkpoint;
            assert_eq!(now.origin, "example.com/api-test");
            let log = alice.client.get("/v1/log").expect_status(200);
            assert_eq!(log["size"].as_u64(), Some(now.size));
            // The log's own time is the present second in both, which may be two seconds.
            let key: VerifierKey = log["vkey"].as_str().unwrap().parse().unwrap();
            for note in [log["checkpoint"].as_str().unwrap(), reply.text().as_str()] {
                assert_eq!(trust.verify_checkpoint(note).unwrap().checkpoint, now);
                let time = own_time(note, &key).unwrap();
                assert!(time.abs_diff(now_seconds()) <= 2, "{note}");
            }
            seen.push(now);
            alice.play("joy-1", 1);
        }
        if restart % 2 == 0 {
            service.kill()
        } else {
            assert_eq!(service.stop(), Some(0))
        }
        service = Service::start(folder.path(), &[]);
        alice.client = service.client(Some(&alice.token));
    }
    let mut tree = Tree::new();
    for entry in whole_log(&alice.client) {
        tree.append(leaf_hash(entry.as_bytes()));
    }
    for pair in seen.windows(2) {
        assert!(pair[0].size < pair[1].size);
        let proof = tree.consistency_proof(pair[0].size, pair[1].size, &NoTiles).unwrap();
        verify_consistency(pair[0].size, pair[1].size, &pair[0].root, &pair[1].root, &proof).unwrap();
    }
}

#[test]
fn every_entry_has_a_receipt_under_the_current_checkpoint() {
    let service = Service::fresh(&[]);
    service.player("alice", 100).play("joy-1", 10);
    let client = service.anyone();
    let policy = policy(&client);
    let now = checkpoint(&client, &policy);
    let entries = whole_log(&client);
    assert_eq!(entries.len() as u64, now.size);
    for (index, entry) in (0..).zip(&entries) {
        let reply = client.get(&format!("/v1/receipts/{index}"));
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/plain; charset=utf-8")));
        let verified = TlogProof::parse(&reply.body).unwrap().verify(entry.as_bytes(), &policy).unwrap();
        assert_eq!((verified.index, verified.checkpoint), (index, now.clone()));
        // The receipt of one entry does not fit another.
        let other = &entries[(index as usize + 1) % entries.len()];
        assert!(TlogProof::parse(&reply.body).unwrap().verify(other.as_bytes(), &policy).is_err());
        let shown = client.get(&format!("/v1/entries/{index}"));
        assert_eq!(
            (shown.header("content-type"), shown.header("cache-control")),
            (Some("application/json"), Some(FOR_EVER))
        );
        let parsed = Entry::decode(&shown.body).unwrap();
        assert_eq!(parsed.encode().unwrap(), shown.body, "an entry has one encoding");
    }
}

/// All pages of a list of rounds.
fn pages(client: &Client, path: &str, limit: usize) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("{path}?limit={limit}{cursor}")).expect_status(200);
        let rounds = page["rounds"].list();
        assert!(
            rounds.len() <= limit && (page["next"].is_null() || rounds.len() == limit),
            "only the last page is short"
        );
        found.extend(rounds.clone());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

#[test]
fn histories_are_newest_first_and_gapless_while_new_rounds_come() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let own = alice.open_table();
    let mut rng = Rng(11);
    let mut played = Vec::new();
    for number in 0..24 {
        let table = if number % 3 == 0 { own.as_str() } else { "joy-1" };
        let done = alice.play_randomly(table, 10, &mut rng);
        played.push((done["round"]["id"].text(), done["round"]["staked"].clone(), done["round"]["returned"].clone()));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let more = {
        let (alice, stop) = (alice.clone(), stop.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                alice.play("joy-1", 1);
            }
        })
    };
    for limit in [1, 5, 50] {
        let found = pages(&alice.client, "/v1/players/alice/rounds", limit);
        let ids: Vec<&str> = found.iter().map(|round| round["id"].as_str().unwrap()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no round twice");
        // Rounds added while the pages were read stand before all of them; the rest is whole and in order.
        let old: Vec<&Value> = found[found.len() - played.len()..].iter().collect();
        for (round, (id, staked, returned)) in old.iter().zip(played.iter().rev()) {
            assert_eq!(
                (round["id"].as_str().unwrap(), &round["staked"], &round["returned"]),
                (id.as_str(), staked, returned)
            );
            assert_eq!((&round["phase"], &round["cause"]), (&json!("settled"), &Value::Null));
        }
        for list in [
            pages(&alice.client, "/v1/tables/joy-1/rounds", limit),
            pages(&alice.client, &format!("/v1/tables/{own}/rounds"), limit),
        ] {
            let numbers: Vec<u64> = list
                .iter()
                .map(|round| round["id"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap())
                .collect();
            let expected: Vec<u64> = (0..numbers.len() as u64).rev().collect();
            assert_eq!(numbers, expected);
            assert!(list.windows(2).all(|pair| pair[0]["time"].as_u64() >= pair[1]["time"].as_u64()));
        }
    }
    stop.store(true, Ordering::Relaxed);
    more.join().unwrap();
}

#[test]
fn a_list_shows_what_the_round_itself_shows_in_every_phase() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let same = |id: &str| {
        let round = alice.client.get(&format!("/v1/rounds/{id}")).expect_status(200)["round"].clone();
        let listed = alice.client.get("/v1/players/alice/rounds?limit=1").expect_status(200)["rounds"][0].clone();
        for key in ["id", "shoe_no", "phase", "staked", "returned"] {
            assert_eq!(listed[key], round[key], "{key} of {listed}");
        }
        round["phase"].clone()
    };
    let placed = alice.bet("joy-1", 10);
    assert_eq!(same(&placed.round), "awaiting_reveals");
    alice.stand_out(alice.reveal(&placed));
    assert_eq!(same(&placed.round), "settled");
    // A double in the middle: finds a hand that can be split, so that the round continues after an added stake.
    let split = (0..600).any(|_| {
        let placed = alice.bet("joy-1", 1);
        let dealt = alice.reveal(&placed);
        let options = dealt["round"]["decisions"][0]["options"].as_array();
        let may = options.is_some_and(|options| options.iter().any(|option| option["action"] == "split"));
        if !may {
            alice.stand_out(dealt);
            return false;
        }
        let split = alice.act(&dealt["round"], json!("split"));
        assert_eq!(split["round"]["staked"], 2);
        assert_eq!(same(&placed.round), split["round"]["phase"]);
        alice.stand_out(split);
        same(&placed.round);
        true
    });
    assert!(split, "no pair in 600 hands");
    let placed = alice.open_round("joy-1", 10);
    service.operator().post(&format!("/v1/rounds/{}/void", placed.round), &json!({ "reason": "x" })).expect_status(200);
    assert_eq!(same(&placed.round), "voided");
}
