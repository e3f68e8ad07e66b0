//! Following a table without a stream: its entries in order, with openings and proofs; and openings on the stream.

use fairshoe_fairness::{Composition, Opening, ShoeRoot};
use fairshoe_tests::company::Company;
use fairshoe_tests::wire::{Events, Frame, eventually};
use fairshoe_tests::{Client, Json, Rng, Service, events, whole_log};
use fairshoe_tlog::{Hash, leaf_hash, verify_checkpoint, verify_inclusion};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

fn page(client: &Client, table: &str, query: &str) -> Value {
    client.get(&format!("/v1/tables/{table}/entries?{query}")).expect_status(200)
}

/// All of a table's entries, page by page.
fn all(client: &Client, table: &str, limit: usize) -> Vec<Value> {
    let (mut found, mut next) = (Vec::new(), 0);
    loop {
        let page = page(client, table, &format!("from_seq={next}&limit={limit}"));
        let entries = page["entries"].list();
        assert!(entries.len() <= limit);
        if entries.is_empty() {
            assert_eq!(page["next_seq"], next);
            return found;
        }
        found.extend(entries.iter().cloned());
        next = page["next_seq"].int();
    }
}

/// The number of faces in an entry.
fn shown(entry: &Value) -> usize {
    let dealt = events(entry, "dealt").iter().filter(|dealt| dealt["card"].is_string()).count();
    dealt + events(entry, "turned").len() + events(entry, "spun").len()
}

#[test]
fn pages_are_the_tables_entries_to_the_byte_each_with_its_openings_and_its_proof() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let mut rng = Rng(31);
    let alice = service.player("alice", 10_000_000);
    let bob = service.player("bob", 10_000_000);
    for table in ["live-blackjack-1", "roulette-1", "safe-1"] {
        let company =
            Company { table: table.into(), players: vec![alice.clone(), bob.clone()], public: service.anyone() };
        company.sit();
        for _ in 0..3 {
            company.play(&mut rng, |_| {});
        }
        for player in [&alice, &bob] {
            player.client.delete(&company.path("/seat"));
        }
    }
    for _ in 0..5 {
        alice.play("joy-1", 10);
    }
    let nobody = service.anyone();
    let log = whole_log(&nobody);
    let key = nobody.get("/v1/log").expect_status(200)["vkey"].as_str().unwrap().parse().unwrap();
    for table in ["live-blackjack-1", "roulette-1", "safe-1", "joy-1"] {
        let of_table: Vec<(u64, &String)> = (0..)
            .zip(&log)
            .filter(|(_, text)| serde_json::from_str::<Value>(text).unwrap()["at"]["table"] == table)
            .collect();
        for limit in [1, 7, 256] {
            let found = all(&nobody, table, limit);
            let plain: Vec<(u64, String)> = found.iter().map(|e| (e["index"].int(), e["entry"].text())).collect();
            let same =
                of_table.len() <= plain.len() && of_table.iter().zip(&plain).all(|((a, x), (b, y))| a == b && *x == y);
            assert!(same, "{table}, limit {limit}");
            assert!((0..).zip(&found).all(|(seq, one)| one["seq"] == seq && one.get("proof").is_none()));
        }
        let proven = page(&nobody, table, "from_seq=0&limit=256&proofs=true");
        let checkpoint = verify_checkpoint(proven["checkpoint"].as_str().unwrap(), &key).unwrap();
        assert_eq!(proven["size"], checkpoint.size);
        let mut faces = 0;
        for one in proven["entries"].list() {
            let text = one["entry"].as_str().unwrap();
            let path: Vec<Hash> = one["proof"].items().map(|hash| hash.as_str().unwrap().parse().unwrap()).collect();
            verify_inclusion(&leaf_hash(text.as_bytes()), one["index"].int(), checkpoint.size, &path, &checkpoint.root)
                .unwrap();
            let entry: Value = serde_json::from_str(text).unwrap();
            let openings = one["openings"].as_array().cloned().unwrap_or_default();
            assert_eq!(openings.len(), shown(&entry), "{text}");
            for mut opening in openings {
                let shoe_no = opening.as_object_mut().unwrap().remove("shoe_no").unwrap();
                let shoe = nobody.get(&format!("/v1/shoes/{table}/{shoe_no}")).expect_status(200);
                let root: ShoeRoot = shoe["candidates"][0]["root"].as_str().unwrap().parse().unwrap();
                let composition: Composition = shoe["composition"].as_str().unwrap().parse().unwrap();
                serde_json::from_value::<Opening>(opening).unwrap().verify(&root, &composition).unwrap();
                faces += 1;
            }
        }
        assert!(faces >= 3, "{table}: {faces} faces");
    }
}

#[test]
fn a_reply_waits_for_the_next_entry_and_no_longer_than_it_was_asked_to() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let nobody = service.anyone();
    let size = page(&nobody, "joy-1", "limit=256")["next_seq"].int();
    let begun = Instant::now();
    let empty = page(&nobody, "joy-1", &format!("from_seq={size}&wait_ms=300"));
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert_eq!((&empty["entries"], &empty["next_seq"], &empty["closed"]), (&json!([]), &json!(size), &json!(false)));
    assert_eq!(page(&nobody, "joy-1", &format!("from_seq={}", size + 50))["entries"], json!([]), "no such entries yet");
    // It comes as soon as it exists, also to many waiting readers, and not for other tables' entries.
    let own = alice.open_table();
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..20)
            .map(|_| {
                let client = nobody.clone();
                scope.spawn(move || {
                    let begun = Instant::now();
                    (page(&client, "joy-1", &format!("from_seq={size}&wait_ms=20000")), begun.elapsed())
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        alice.play(&own, 1);
        assert!(waiting.iter().all(|one| !one.is_finished()), "another table's entries are not waited for");
        let placed = alice.bet("joy-1", 10);
        for one in waiting {
            let (found, took) = one.join().unwrap();
            assert_eq!(found["entries"][0]["entry"], placed.reply["receipts"][0]["entry"]);
            assert!(took < Duration::from_secs(15), "{took:?}");
        }
        alice.stand_out(alice.reveal(&placed));
    });
    // A closed table replies at once.
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({})).expect_status(200);
    let begun = Instant::now();
    let last = page(&nobody, &own, "from_seq=0&limit=256");
    assert_eq!(last["closed"], true);
    let after = page(&nobody, &own, &format!("from_seq={}&wait_ms=20000", last["next_seq"]));
    assert_eq!((&after["entries"], &after["closed"]), (&json!([]), &json!(true)));
    assert!(begun.elapsed() < Duration::from_secs(10));
    // A service that stops lets no client wait.
    let url = service.url.clone();
    let size = page(&nobody, "joy-1", "limit=256")["next_seq"].clone();
    let waiting = std::thread::spawn(move || {
        let client = Client::new(&url, None);
        client.send("GET", &format!("/v1/tables/joy-1/entries?from_seq={size}&wait_ms=20000"), None, &[])
    });
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    assert_eq!(service.stop(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(waiting.join().unwrap().is_none_or(|reply| reply.status < 500));
}

#[test]
fn where_too_many_wait_the_next_one_is_answered_at_once() {
    let service = Service::fresh(&["--max-streams", "2"]);
    let alice = service.player("alice", 1_000);
    let nobody = service.anyone();
    let size = page(&nobody, "joy-1", "limit=256")["next_seq"].int();
    let query = format!("from_seq={size}&wait_ms=20000");
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| page(&nobody, "joy-1", &query))).collect();
        eventually("two that wait", || service.anyone().get("/metrics").text().contains("fairshoe_event_streams 2\n"));
        let begun = Instant::now();
        assert_eq!(page(&service.anyone(), "joy-1", &query)["entries"], json!([]));
        assert!(begun.elapsed() < Duration::from_secs(10));
        alice.bet("joy-1", 10);
        for one in waiting {
            assert_eq!(one.join().unwrap()["entries"].list().len(), 1);
        }
    });
}

#[test]
fn what_is_not_asked_for_in_its_form_is_refused() {
    let service = Service::fresh(&[]);
    let nobody = service.anyone();
    for query in [
        "limit=0",
        "limit=257",
        "limit=x",
        "from_seq=-1",
        "from_seq=18446744073709551616",
        "wait_ms=20001",
        "proofs=1",
        "more=1",
        "from_seq=1&from_seq=2",
    ] {
        let reply = nobody.get(&format!("/v1/tables/joy-1/entries?{query}"));
        assert_eq!(reply.problem(400), "malformed", "{query}");
    }
    assert_eq!(nobody.get("/v1/tables/none/entries").problem(404), "unknown_table");
    assert_eq!(nobody.get("/v1/tables/NONE/entries").problem(400), "malformed");
    let far = page(&nobody, "joy-1", "from_seq=18446744073709551615");
    assert_eq!((&far["entries"], &far["next_seq"]), (&json!([]), &json!(u64::MAX)));
}

#[test]
fn the_stream_carries_the_openings_of_what_its_entries_show() {
    let service = Service::fresh(&[]);
    let company = Company::new(&service, "study-group-1", &["alice", "bob"], 100_000);
    company.sit();
    let mut rng = Rng(32);
    for _ in 0..3 {
        company.play(&mut rng, |_| {});
    }
    let expected: Vec<(u64, String, Vec<Value>)> = all(&company.public, "study-group-1", 64)
        .into_iter()
        .map(|one| {
            let openings = one["openings"].as_array().cloned().unwrap_or_default();
            (one["index"].int(), one["entry"].text(), openings)
        })
        .collect();
    let mut stream = Events::open(&service.url, "study-group-1", Some(0), PATIENCE);
    assert!(matches!(stream.any(), Some(Frame::Comment(_))));
    for (index, text, openings) in expected {
        assert_eq!(stream.any(), Some(Frame::Entry { id: index, data: text }));
        if openings.is_empty() {
            continue;
        }
        let Some(Frame::Openings { id, data }) = stream.any() else { panic!("no openings after entry {index}") };
        assert_eq!((id, serde_json::from_str::<Value>(&data).unwrap()), (index, json!(openings)));
    }
}
