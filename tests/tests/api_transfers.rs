//! Chips from one log to another (spec/transfers.md): two services that know each other.

use crate::second_verifier::{node, project};
use fairshoe_tests::{Player, Reply, Service, audit, binary, policy};
use fairshoe_tlog::{Signer, TlogProof, leaf_hash};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

/// A service whose log has this name, and the policy that others require of its receipts.
pub fn shard(folder: &Path, name: &str) -> (Service, String) {
    shard_with(folder, name, &[])
}

fn shard_with(folder: &Path, name: &str, more: &[&str]) -> (Service, String) {
    let service = Service::start(&folder.join(name.replace('/', "-")), &[&["--origin", name], more].concat());
    let log = service.anyone().get("/v1/log").expect_status(200);
    (service, format!("log {}\nquorum none\n", log["vkey"].as_str().unwrap()))
}

fn know(service: &Service, log: &str, policy: Option<&str>) -> Reply {
    let mut body = json!({ "log": log });
    if let Some(policy) = policy {
        body["policy"] = json!(policy);
    }
    service.operator().post("/v1/logs", &body)
}

/// Two services that know each other, and the policy of the first.
fn pair(folder: &Path) -> (Service, Service, String) {
    let (one, of_one) = shard(folder, "one.example/log");
    let (two, of_two) = shard(folder, "two.example/log");
    know(&one, "two.example/log", Some(&of_two)).expect_status(200);
    know(&two, "one.example/log", Some(&of_one)).expect_status(200);
    (one, two, of_one)
}

/// The claim made from a reply to a transfer.
fn claim_of(sent: &Value, from: &str) -> Value {
    let receipt = &sent["receipts"][0];
    json!({ "from": from, "entry": receipt["entry"], "proof": receipt["proof"] })
}

/// A service sends chips to another one and gets some back: each call once, successfully.
pub fn there_and_back(service: &Service, folder: &Path) {
    let log = service.anyone().get("/v1/log").expect_status(200);
    let (name, own) =
        (log["origin"].as_str().unwrap(), format!("log {}\nquorum none\n", log["vkey"].as_str().unwrap()));
    let (other, of_other) = shard(folder, "other.example/log");
    know(service, "other.example/log", Some(&of_other)).expect_status(200);
    know(&other, name, Some(&own)).expect_status(200);
    let (here, there) = (service.player("traveller", 50), other.player("traveller", 50));
    let send = |from: &Player, to: &str| {
        let body = json!({ "to": to, "amount": 20 });
        let key = [("idempotency-key", "one")];
        from.client.post_with("/v1/players/traveller/transfers", &body, &key).expect_status(200)
    };
    let sent = send(&here, "other.example/log");
    other.anyone().post("/v1/transfers", &claim_of(&sent, name)).expect_status(200);
    let back = send(&there, name);
    service.anyone().post("/v1/transfers", &claim_of(&back, "other.example/log")).expect_status(200);
    service.anyone().get("/v1/logs").expect_status(200);
}

#[test]
fn chips_go_to_another_service_and_come_once() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two, of_one) = pair(folder.path());
    let (here, there) = (one.player("alice", 1_000), two.player("alice", 5));
    let key = [("idempotency-key", "first")];
    let body = json!({ "to": "two.example/log", "amount": 700 });
    let sent = here.client.post_with("/v1/players/alice/transfers", &body, &key).expect_status(200);
    assert_eq!(sent["balance"], 300);
    let again = here.client.post_with("/v1/players/alice/transfers", &body, &key).expect_status(200);
    assert_eq!(again["receipts"], sent["receipts"], "a repeat sends nothing more");
    assert_eq!(here.balance(), 300);

    // Anyone may hand it in.
    let claim = claim_of(&sent, "one.example/log");
    let came = two.anyone().post("/v1/transfers", &claim).expect_status(200);
    assert_eq!(there.balance(), 705);
    fairshoe_tests::verify_receipt(&policy(&two.anyone()), &came["receipts"][0]);
    assert_eq!(there.client.post("/v1/transfers", &claim).problem(409), "already_claimed");
    let logs = two.anyone().get("/v1/logs").expect_status(200);
    let known = json!({
        "balance": -700, "claimed": [{ "first": 0, "last": 0 }], "log": "one.example/log", "policy": of_one, "sent": 0,
    });
    assert_eq!(logs["logs"], json!([known]));
    for service in [&one, &two] {
        audit(&service.anyone());
    }
}

#[test]
fn what_does_not_go_and_does_not_come() {
    let folder = tempfile::tempdir().unwrap();
    let (one, of_one) = shard(folder.path(), "one.example/log");
    let (two, of_two) = shard(folder.path(), "two.example/log");
    let alice = one.player("alice", 1_000);
    two.player("alice", 1_000);
    let send = |amount: u64, name: &str| {
        let body = json!({ "to": "two.example/log", "amount": amount });
        alice.client.post_with("/v1/players/alice/transfers", &body, &[("idempotency-key", name)])
    };
    assert_eq!(send(5, "a").problem(404), "unknown_log");
    assert_eq!(know(&one, "two.example/log", Some("quorum none\n")).problem(400), "malformed");
    assert_eq!(know(&one, "one.example/log", Some(&of_one)).problem(400), "malformed");
    know(&one, "two.example/log", Some(&of_two)).expect_status(200);
    assert_eq!(know(&one, "two.example/log", Some(&of_two)).problem(409), "nothing_to_do");
    let unnamed = alice.client.post("/v1/players/alice/transfers", &json!({ "to": "two.example/log", "amount": 5 }));
    assert_eq!(unnamed.problem(400), "malformed", "a transfer has a name");
    assert_eq!(send(1_001, "b").problem(409), "insufficient_balance");
    assert_eq!(send(0, "c").problem(409), "amount_out_of_range");
    let claim = claim_of(&send(10, "d").expect_status(200), "one.example/log");

    let hand_in = |claim: &Value| two.anyone().post("/v1/transfers", claim);
    assert_eq!(hand_in(&claim).problem(404), "unknown_log");
    know(&two, "one.example/log", Some(&of_one)).expect_status(200);
    let with = |field: &str, value: Value| {
        let mut changed = claim.clone();
        changed[field] = value;
        changed
    };
    let more = claim["entry"].as_str().unwrap().replace("10", "11");
    assert_eq!(hand_in(&with("entry", json!(more))).problem(409), "claim_refused");
    assert_eq!(hand_in(&with("proof", json!(""))).problem(409), "claim_refused");
    assert_eq!(hand_in(&with("entry", json!("\u{e9}"))).problem(400), "malformed");
    assert_eq!(
        one.anyone().post("/v1/transfers", &with("from", json!("two.example/log"))).problem(409),
        "claim_refused"
    );
    // The operator removes the log, and adds it again.
    know(&two, "one.example/log", None).expect_status(200);
    assert_eq!(hand_in(&claim).problem(404), "unknown_log");
    know(&two, "one.example/log", Some(&of_one)).expect_status(200);
    hand_in(&claim).expect_status(200);
    assert_eq!(two.operator().get("/v1/players/alice").expect_status(200)["balance"], 1_010);
    audit(&two.anyone());
}

/// Attacks: claims that anybody hands in write 26 KB each, which nobody was counted for; and each that was handed in before
/// has the house look at signatures again.
#[test]
fn a_claim_is_counted_to_the_player_whom_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let (one, of_one) = shard(folder.path(), "one.example/log");
    let (two, of_two) = shard_with(folder.path(), "two.example/log", &["--player-entries", "3"]);
    know(&one, "two.example/log", Some(&of_two)).expect_status(200);
    know(&two, "one.example/log", Some(&of_one)).expect_status(200);
    let claims = ["alice", "bob"].map(|name| {
        let player = one.player(name, 100);
        let path = format!("/v1/players/{name}/transfers");
        [1, 2, 3, 4].map(|amount| {
            let body = json!({ "to": "two.example/log", "amount": amount });
            let key = [("idempotency-key", format!("{name}-{amount}"))];
            let key = key.each_ref().map(|(header, key)| (*header, key.as_str()));
            claim_of(&player.client.post_with(&path, &body, &key).expect_status(200), "one.example/log")
        })
    });
    let (alice, bob) = (two.player("alice", 0), two.player("bob", 0));
    let hand_in = |claim: &Value| two.anyone().post("/v1/transfers", claim);
    for claim in &claims[0][..3] {
        hand_in(claim).expect_status(200);
    }
    assert_eq!(hand_in(&claims[0][3]).problem(429), "rate_limited");
    let opens = |player: &Player| player.client.post("/v1/tables", &json!({ "rules": "joy-own" }));
    assert_eq!(opens(&alice).problem(429), "rate_limited", "with what she does herself beside play");
    opens(&bob).expect_status(201);
    hand_in(&claims[1][0]).expect_status(200);
    assert_eq!((alice.balance(), bob.balance()), (6, 1));
    // Repeats are refused by the rules, however many.
    for _ in 0..24 {
        assert_eq!(hand_in(&claims[1][0]).problem(409), "already_claimed");
    }
    audit(&two.anyone());
}

#[test]
fn what_was_sent_is_claimed_after_any_crash() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two, _) = pair(folder.path());
    let alice = one.player("alice", 1_000);
    two.player("alice", 1_000);
    let body = json!({ "to": "two.example/log", "amount": 60 });
    let sent =
        alice.client.post_with("/v1/players/alice/transfers", &body, &[("idempotency-key", "only")]).expect_status(200);
    let index = sent["receipts"][0]["index"].clone();
    one.kill();
    two.kill();
    let (one, _) = shard(folder.path(), "one.example/log");
    let (two, _) = shard(folder.path(), "two.example/log");
    // The reply is lost: the log has the entry, and gives the receipt to anyone.
    let entry = one.anyone().get(&format!("/v1/entries/{index}")).text();
    let proof = one.anyone().get(&format!("/v1/receipts/{index}")).text();
    let claim = json!({ "from": "one.example/log", "entry": entry, "proof": proof });
    two.anyone().post("/v1/transfers", &claim).expect_status(200);
    two.kill();
    let (two, _) = shard(folder.path(), "two.example/log");
    assert_eq!(two.anyone().post("/v1/transfers", &claim).problem(409), "already_claimed");
    assert_eq!(two.operator().get("/v1/players/alice").expect_status(200)["balance"], 1_060);
}

/// The verdicts of `fairshoe-audit cluster` on these sources and of the second verifier on their mirrors, each with its
/// exit code. Without Node only the first.
fn cluster(folder: &Path, sources: &[&str]) -> Vec<(i32, String)> {
    let audit = |args: &[&str]| Command::new(binary("fairshoe-audit")).args(args).output().unwrap();
    let told = |output: Output| (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned());
    let mut verdicts = vec![told(audit(&[&["cluster"], sources].concat()))];
    let Some(mut node) = node() else { return verdicts };
    let mirrors: Vec<String> = (0..sources.len())
        .map(|number| {
            let mirror = folder.join(format!("mirror-{number}"));
            let _ = std::fs::remove_dir_all(&mirror);
            let copied = audit(&["mirror", sources[number], mirror.to_str().unwrap()]);
            assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
            mirror.to_str().unwrap().to_owned()
        })
        .collect();
    let script = project().join("tools/verifier/fairshoe-verify.js");
    verdicts.push(told(node.arg(script).arg("cluster").args(&mirrors).output().unwrap()));
    verdicts
}

#[test]
fn all_logs_together_are_sound_and_what_is_under_way_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two, _) = pair(folder.path());
    let alice = one.player("alice", 1_000);
    two.player("alice", 0);
    let send = |amount: u64, name: &str| {
        let body = json!({ "to": "two.example/log", "amount": amount });
        let sent = alice.client.post_with("/v1/players/alice/transfers", &body, &[("idempotency-key", name)]);
        claim_of(&sent.expect_status(200), "one.example/log")
    };
    let claims = [send(100, "a"), send(23, "b"), send(4, "c")];
    two.anyone().post("/v1/transfers", &claims[2]).expect_status(200);
    for (code, said) in cluster(folder.path(), &[&one.url, &two.url]) {
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("127 sent, 4 claimed, 123 under way"), "{said}");
    }
    for claim in &claims[..2] {
        two.anyone().post("/v1/transfers", claim).expect_status(200);
    }
    for (code, said) in cluster(folder.path(), &[&one.url, &two.url]) {
        assert!(code == 0 && said.contains("127 sent, 127 claimed, 0 under way"), "{said}");
    }
    let same = cluster(folder.path(), &[&one.url, &one.url]);
    assert!(same.iter().all(|(code, _)| *code == 2), "two copies of one log: {same:?}");
}

/// A house that signs two histories sends the same chips twice: each log is sound alone, together they are not.
#[test]
fn a_claim_on_another_history_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two, _) = pair(folder.path());
    let alice = one.player("alice", 1_000);
    two.player("alice", 0);
    let token = alice.token.clone();
    assert_eq!(one.stop(), Some(0));
    let copy = folder.path().join("copy");
    copy_folder(&folder.path().join("one.example-log"), &copy);
    let forked = Service::start(&copy, &["--origin", "one.example/log"]);
    let body = json!({ "to": "two.example/log", "amount": 1_000 });
    let sent = forked
        .client(Some(&token))
        .post_with("/v1/players/alice/transfers", &body, &[("idempotency-key", "x")])
        .expect_status(200);
    two.anyone().post("/v1/transfers", &claim_of(&sent, "one.example/log")).expect_status(200);
    // The history shown to all others never sent them.
    let (one, _) = shard(folder.path(), "one.example/log");
    let again = one.client(Some(&token));
    for _ in 0..4 {
        again.post("/v1/players/alice/tokens", &json!({})).expect_status(201);
    }
    for service in [&one, &two] {
        audit(&service.anyone());
    }
    for (code, said) in cluster(folder.path(), &[&one.url, &two.url]) {
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("[claim]") && said.contains("two histories"), "{said}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A house that accepts receipts under an invented key for another log: the other log's house is not accused.
#[test]
fn a_key_that_a_house_made_up_for_another_accuses_only_that_house() {
    let folder = tempfile::tempdir().unwrap();
    let (one, _) = shard(folder.path(), "one.example/log");
    let (two, _) = shard(folder.path(), "two.example/log");
    let made_up = Signer::new("one.example/log", &[9; 32]).unwrap();
    know(&two, "one.example/log", Some(&format!("log {}\nquorum none\n", made_up.verifier_key()))).expect_status(200);
    two.player("alice", 0);
    let entry = r#"{"v":1,"time":1800000000000,"by":"player:alice","before":[["alice",9]],"command":{"transfer_out":{"to":"two.example/log","player":"alice","amount":9}},"events":[{"posted":{"lines":[["player:alice",-9,0],["transfers:two.example/log",9,9]]}},{"transferred_out":{"to":"two.example/log","no":0,"player":"alice","amount":9}}]}"#;
    let proof = TlogProof {
        extra: None,
        index: 0,
        path: Vec::new(),
        checkpoint_text: made_up.sign_checkpoint(1, leaf_hash(entry.as_bytes())),
    };
    let claim = json!({ "from": "one.example/log", "entry": entry, "proof": proof.format() });
    two.anyone().post("/v1/transfers", &claim).expect_status(200);
    audit(&two.anyone());
    for (code, said) in cluster(folder.path(), &[&one.url, &two.url]) {
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("[claim]") && said.contains(&made_up.verifier_key().to_string()), "{said}");
        assert!(!said.contains("the key of one.example/log signed"), "{said}");
    }
}
