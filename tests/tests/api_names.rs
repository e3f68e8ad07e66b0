//! Display names of players for people to read: from the operator's file, next to the pseudonyms and never on the log.

use fairshoe_tests::{Service, whole_log};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

#[test]
fn names_are_told_beside_pseudonyms_and_are_gone_when_the_operator_takes_them_away() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("names.json"));
    let refused = Service::try_start(&data, &["--names", file.to_str().unwrap()]).err().unwrap();
    assert!(refused.contains("names.json"), "{refused}");
    let write = |names: &Value| {
        let new = folder.path().join("new");
        fs::write(&new, names.to_string()).unwrap();
        fs::rename(&new, &file).unwrap();
    };
    write(&json!({ "alice": "Ann B.", "bob": "アン" }));
    let service = Service::start(&data, &["--names", file.to_str().unwrap()]);
    let alice = service.player("alice", 1_000);
    let anyone = service.anyone();
    let told = |players: &str| anyone.get(&format!("/v1/names?players={players}")).expect_status(200)["names"].clone();
    assert_eq!(told("alice,bob,carol"), json!({ "alice": "Ann B.", "bob": "アン" }));
    assert_eq!(told("carol"), json!({}));
    let many = vec!["carol"; 100].join(",");
    assert_eq!(told(&many), json!({}));
    for players in ["players=", "players=Alice", "players=a,,b", "", "players=a&more=1", &format!("players={many},a")] {
        assert_eq!(anyone.get(&format!("/v1/names?{players}")).problem(400), "malformed", "{players}");
    }
    let reply = anyone.get("/v1/names?players=alice");
    assert_eq!(reply.header("cache-control"), Some("no-store"));

    // A new file replaces the old one; a broken one changes nothing.
    let until = |wanted: &Value| {
        let begun = Instant::now();
        while told("alice,bob") != *wanted {
            assert!(begun.elapsed() < Duration::from_secs(20), "the names are not read anew: {}", told("alice,bob"));
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    write(&json!({ "bob": "Bob" }));
    until(&json!({ "bob": "Bob" }));
    // A name that cannot be shown affects no other name and is not shown; the operator is told.
    write(&json!({ "alice": "Ann", "bob": "Bob\u{202e}" }));
    until(&json!({ "alice": "Ann" }));
    let begun = Instant::now();
    while !anyone.get("/metrics").text().contains("fairshoe_names_skipped 1\n") {
        assert!(begun.elapsed() < Duration::from_secs(20), "no metric says that a name is skipped");
        std::thread::sleep(Duration::from_millis(50));
    }
    // It also does not keep the service from starting.
    write(&json!({ "alice": "x".repeat(65), "bob": "Bob" }));
    assert_eq!(service.stop(), Some(0));
    let service = Service::start(&data, &["--names", file.to_str().unwrap()]);
    let anyone = service.anyone();
    let told = |players: &str| anyone.get(&format!("/v1/names?players={players}")).expect_status(200)["names"].clone();
    let until = |wanted: &Value| {
        let begun = Instant::now();
        while told("alice,bob") != *wanted {
            assert!(begun.elapsed() < Duration::from_secs(20), "the names are not read anew: {}", told("alice,bob"));
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    assert_eq!(told("alice,bob"), json!({ "bob": "Bob" }));
    let alice = fairshoe_tests::Player { client: service.client(Some(&alice.token)), ..alice };
    write(&json!({ "alice": "Ann C." }));
    until(&json!({ "alice": "Ann C." }));

    let table = alice.open_table();
    assert_eq!(alice.play(&table, 5)["round"]["phase"], "settled");
    for entry in whole_log(&anyone) {
        assert!(!entry.contains("Ann"), "a name is on the log: {entry}");
    }
    let plain = Service::start(&folder.path().join("plain"), &[]);
    let reply = plain.anyone().get("/v1/names?players=alice").expect_status(200);
    assert_eq!(reply, json!({ "names": {} }));
}
