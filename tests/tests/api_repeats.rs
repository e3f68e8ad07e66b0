//! A repeated request does its work once: at once, later, after the round, after a restart, and from two threads.

use fairshoe_tests::company::Company;
use fairshoe_tests::poker::patient;
use fairshoe_tests::tournament::{Field, quick};
use fairshoe_tests::{Client, Json, PlacedBet, Player, Reply, Service, policy, slow, verify_receipt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn log_size(client: &Client) -> u64 {
    client.get("/v1/log").expect_status(200)["size"].int()
}

/// A reply without the newer part of a repeat: proofs under a newer checkpoint.
fn content(reply: &Value) -> Value {
    let mut reply = reply.clone();
    for receipt in reply["receipts"].as_array_mut().unwrap() {
        receipt.as_object_mut().unwrap().remove("proof");
    }
    reply
}

/// The three calls of a finished round, with their results.
struct Played {
    bet: (String, Value, Value),
    reveal: (String, Value, Value),
    act: (String, Value, Value),
}

/// A round with at least one action.
fn play(player: &Player, table: &str) -> Played {
    loop {
        let PlacedBet { round, seed, request, reply } = player.bet(table, 10);
        let bet = (format!("/v1/tables/{table}/bets"), request, reply);
        let reveal_body = json!({ "player": player.name.as_str(), "seed": seed.to_string() });
        let reveal_path = format!("/v1/rounds/{round}/reveals");
        let dealt = player.client.post(&reveal_path, &reveal_body).expect_status(200);
        if dealt["round"]["phase"] == "settled" {
            continue;
        }
        let insurance = dealt["round"]["decisions"][0]["options"][0]["action"] == "insurance";
        let action = if insurance { json!({ "insurance": { "take": false } }) } else { json!("stand") };
        let act_body = json!({ "decision": 0, "action": action });
        let act_path = format!("/v1/rounds/{round}/actions");
        let acted = player.client.post(&act_path, &act_body).expect_status(200);
        return Played { bet, reveal: (reveal_path, reveal_body, dealt), act: (act_path, act_body, acted) };
    }
}

/// Each call of the round again: the same reply, no new entry, no movement of chips.
fn repeat_all(player: &Player, played: &Played) {
    let policy = policy(&player.client);
    let (size, balance) = (log_size(&player.client), player.balance());
    for (path, body, first) in [&played.bet, &played.reveal, &played.act] {
        let again = player.client.post(path, body).expect_status(200);
        assert_eq!(content(&again), content(first), "{path}");
        for receipt in again["receipts"].list() {
            let (_, checkpoint) = verify_receipt(&policy, receipt);
            assert_eq!(checkpoint.size, size, "a repeat's receipts are under the current checkpoint");
        }
    }
    assert_eq!((log_size(&player.client), player.balance()), (size, balance));
}

#[test]
fn bets_reveals_and_actions_repeat_at_once_later_after_the_round_and_after_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 1000);
    let mut first = play(&alice, "joy-1");
    repeat_all(&alice, &first);
    alice.stand_out(first.act.2.clone());
    repeat_all(&alice, &first);
    alice.play("joy-1", 5);
    repeat_all(&alice, &first);
    assert_eq!(service.stop(), Some(0));

    let service = Service::start(folder.path(), &[]);
    let alice = Player { client: service.client(Some(&alice.token)), ..alice };
    repeat_all(&alice, &first);
    first = play(&alice, "joy-1");
    service.kill();

    let service = Service::start(folder.path(), &[]);
    let alice = Player { client: service.client(Some(&alice.token)), ..alice };
    repeat_all(&alice, &first);
    alice.stand_out(first.act.2.clone());
    repeat_all(&alice, &first);
}

#[test]
fn another_bet_seed_or_action_under_the_same_name_is_refused() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    let played = play(&alice, "joy-1");
    alice.stand_out(played.act.2.clone());
    let balance = alice.balance();
    let bob = service.player("bob", 1000);
    let size = log_size(&alice.client);

    let with = |body: &Value, key: &str, value: Value| {
        let mut other = body.clone();
        other[key] = value;
        other
    };
    let (path, body, _) = &played.bet;
    for other in [
        with(body, "bets", json!([{ "spot": "1", "stake": 11 }])),
        with(body, "bets", json!([{ "spot": "1", "stake": 10, "chips": [10] }])),
        with(body, "commitment", json!("00".repeat(32))),
    ] {
        assert_eq!(alice.client.post(path, &other).problem(409), "wrong_round");
    }
    assert_eq!(bob.client.post(path, body).problem(409), "wrong_round", "another player's bet is not his");
    let (path, body, _) = &played.reveal;
    assert_eq!(alice.client.post(path, &with(body, "seed", json!("11".repeat(32)))).problem(409), "wrong_round");
    assert_eq!(alice.client.post(path, &with(body, "player", json!("bob"))).problem(409), "wrong_round");
    let (path, body, _) = &played.act;
    assert_eq!(alice.client.post(path, &with(body, "action", json!("hit"))).problem(409), "wrong_round");
    assert_eq!(bob.client.post(path, body).problem(409), "wrong_round");
    assert_eq!((log_size(&alice.client), alice.balance()), (size, balance));

    // Also during the round.
    let open = loop {
        let open = play(&alice, "joy-1");
        if open.act.2["round"]["phase"] == "open" {
            break open;
        }
    };
    let (path, body, _) = &open.bet;
    assert_eq!(
        alice.client.post(path, &with(body, "commitment", json!("00".repeat(32)))).problem(409),
        "round_in_progress"
    );
    let (path, body, _) = &open.reveal;
    assert_eq!(alice.client.post(path, &with(body, "seed", json!("11".repeat(32)))).problem(409), "reveals_over");
    let (path, body, _) = &open.act;
    assert_eq!(alice.client.post(path, &with(body, "action", json!("split"))).problem(409), "decision_not_open");
}

/// Attack: a stranger repeats a published seed over and over, so that the service replays the shoe's history each time.
#[test]
fn a_seed_repeated_by_a_stranger_gets_its_receipt_alone() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    let played = play(&alice, "joy-1");
    alice.stand_out(played.act.2.clone());
    let (path, body, first) = &played.reveal;
    let size = log_size(&alice.client);
    for client in [service.anyone(), service.operator()] {
        let again = client.post(path, body).expect_status(200);
        assert_eq!(again.as_object().unwrap().keys().collect::<Vec<_>>(), ["receipts"]);
        assert_eq!(content(&again)["receipts"], content(first)["receipts"]);
        verify_receipt(&policy(&alice.client), &again["receipts"][0]);
    }
    assert_eq!(log_size(&alice.client), size);
    assert_eq!(
        content(&alice.client.post(path, body).expect_status(200)),
        content(first),
        "a player is told all of it again"
    );
}

/// Attack: players fill a shoe's history, and have all of it replayed for each bet that they repeat.
#[test]
fn a_repeat_late_in_a_long_history_tells_what_its_entry_says() {
    let service = Service::fresh(&["--token-rate", "0"]);
    let wheel = json!({ "table": "wheel", "rules": "rng-roulette", "options": { "spins": 4096 } });
    service.operator().post("/v1/tables", &wheel).expect_status(201);
    let alice = service.player("alice", 1_000_000);
    let spin = || {
        let placed = alice.place_bets("wheel", &json!([{ "spot": "red", "stake": 100 }]));
        let done = alice.reveal(&placed);
        (placed, done)
    };
    let early = spin();
    let mut late = spin();
    while late.1["receipts"][0]["index"].as_u64() < early.1["receipts"][0]["index"].as_u64().map(|at| at + 512) {
        late = spin();
    }
    let repeated = |placed: &PlacedBet| {
        [alice.client.post("/v1/tables/wheel/bets", &placed.request).expect_status(200), alice.reveal(placed)]
    };
    for (again, first) in repeated(&early.0).iter().zip([&early.0.reply, &early.1]) {
        assert_eq!(content(again), content(first));
    }
    for (again, first) in repeated(&late.0).iter().zip([&late.0.reply, &late.1]) {
        let (mut again, mut first) = (content(again), content(first));
        assert!(first.as_object_mut().unwrap().remove("round").is_some() && again.get("round").is_none());
        for opening in again.get_mut("openings").and_then(Value::as_array_mut).into_iter().flatten() {
            assert_eq!(opening.as_object_mut().unwrap().remove("shoe_no"), Some(json!(0)));
        }
        // A spin that is lost moves no chips of theirs.
        if again.get("balance").is_none() {
            first.as_object_mut().unwrap().remove("balance");
        }
        assert_eq!(again, first);
    }
}

/// Sends the same request from many threads at once.
fn at_once(client: &Client, path: &str, body: &Value, headers: &[(&str, &str)]) -> Vec<Reply> {
    std::thread::scope(|scope| {
        let send = || client.post_with(path, body, headers);
        let all: Vec<_> = (0..8).map(|_| scope.spawn(send)).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn concurrent_duplicates_make_one_entry_and_one_debit() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    for _ in 0..10 {
        let balance = alice.balance();
        let (body, seed) = alice.bet_body("joy-1", 10);
        let same = |replies: &[Reply]| -> Value {
            let indices: BTreeSet<u64> =
                replies.iter().map(|r| r.expect_status(200)["receipts"][0]["index"].int()).collect();
            assert_eq!(indices.len(), 1, "one entry");
            for reply in replies {
                assert_eq!(content(&reply.json()), content(&replies[0].json()));
            }
            replies[0].json()
        };
        let placed = same(&at_once(&alice.client, "/v1/tables/joy-1/bets", &body, &[]));
        assert_eq!(alice.balance(), balance - 10, "one debit");
        let round = placed["round"]["id"].text();
        let body = json!({ "player": "alice", "seed": seed.to_string() });
        let mut dealt = same(&at_once(&alice.client, &format!("/v1/rounds/{round}/reveals"), &body, &[]));
        while let Some(open) = dealt["round"]["decisions"].get(0) {
            let insurance = open["options"][0]["action"] == "insurance";
            let action = if insurance { json!({ "insurance": { "take": false } }) } else { json!("stand") };
            let body = json!({ "decision": open["decision"], "action": action });
            dealt = same(&at_once(&alice.client, &format!("/v1/rounds/{round}/actions"), &body, &[]));
        }
        assert_eq!(alice.balance(), balance - 10 + dealt["round"]["returned"].int());
    }
}

#[test]
fn two_different_bets_at_once_bind_one() {
    let service = Service::fresh(&[]);
    let players = [service.player("alice", 100), service.player("bob", 100)];
    let bodies = players.each_ref().map(|player| player.bet_body("joy-1", 10).0);
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let both = players.iter().zip(&bodies);
        let all: Vec<_> =
            both.map(|(player, body)| scope.spawn(|| player.client.post("/v1/tables/joy-1/bets", body))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    for (player, reply) in players.iter().zip(&replies) {
        assert_eq!(player.balance(), if reply.status == 200 { 90 } else { 100 });
    }
}

/// One decision, one reveal, one withdrawal: of different simultaneous requests one is accepted.
#[test]
fn racing_actions_reveals_and_withdrawals_do_one_thing() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let (alice, operator) = (service.player("alice", 10_000), service.operator());
    let (mut raced, mut started) = (0, 0);
    while raced < 5 && started < 60 {
        started += 1;
        let placed = alice.bet("joy-1", 10);
        let (path, wrong) =
            (format!("/v1/rounds/{}/reveals", placed.round), json!({ "player": "alice", "seed": "11".repeat(32) }));
        let right = json!({ "player": "alice", "seed": placed.seed.to_string() });
        let reveals: Vec<Reply> = std::thread::scope(|scope| {
            let all = [&right, &wrong, &right, &wrong].map(|body| scope.spawn(|| alice.client.post(&path, body)));
            all.map(|thread| thread.join().unwrap()).into()
        });
        let entry = |reply: &Reply| reply.expect_status(200)["receipts"][0]["index"].clone();
        assert_eq!(entry(&reveals[0]), entry(&reveals[2]));
        assert!([&reveals[1], &reveals[3]].iter().all(|reply| reply.status == 409));
        let dealt = reveals[0].json();
        let insurance = dealt["round"]["decisions"][0]["options"][0]["action"] == "insurance";
        if dealt["round"]["phase"] == "settled" || insurance {
            alice.stand_out(dealt);
            continue;
        }
        raced += 1;
        let path = format!("/v1/rounds/{}/actions", placed.round);
        let decision = &dealt["round"]["decisions"][0]["decision"];
        let replies: Vec<Reply> = std::thread::scope(|scope| {
            let act =
                |action: &'static str| alice.client.post(&path, &json!({ "decision": decision, "action": action }));
            let all = ["hit", "stand", "hit", "stand"].map(|action| scope.spawn(move || act(action)));
            all.map(|thread| thread.join().unwrap()).into()
        });
        let indices: BTreeSet<u64> =
            replies.iter().filter(|r| r.status == 200).map(|r| r.json()["receipts"][0]["index"].int()).collect();
        assert_eq!(indices.len(), 1, "one decision, one entry");
        assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 2, "the two that say the same");
        let stands = replies.iter().find(|reply| reply.status == 200).unwrap().json();
        alice.stand_out(stands);
    }
    assert_eq!(raced, 5, "in {started} rounds");
    let balance = alice.balance();
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let take = |key: &'static str| {
            operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": balance }), &[("idempotency-key", key)])
        };
        let all = ["w-1", "w-2", "w-3", "w-4"].map(|key| scope.spawn(move || take(key)));
        all.map(|thread| thread.join().unwrap()).into()
    });
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    assert_eq!(alice.balance(), 0);
}

/// A placed bet is sent again on one connection while another cancels it and places a new one. Such a repeat got a 500
/// when the cancellation came between the house's answer that the bet is placed and the look for its entry.
#[test]
fn a_bet_repeated_while_it_is_cancelled_is_never_an_error() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0", "--player-entries", "0"]);
    // A player who sits and does not bet keeps the window open.
    let idle = service.player("idle", 1000);
    idle.client.post("/v1/tables/roulette-1/seat", &json!({})).expect_status(200);
    let others = AtomicBool::new(false);
    let mut counts = BTreeMap::<(u16, String), u32>::new();
    for number in 0..if slow() { 40 } else { 8 } {
        let player = service.player(&format!("p-{number}"), 1000);
        player.client.post("/v1/tables/roulette-1/seat", &json!({})).expect_status(200);
        let round_no = loop {
            let table = player.client.get("/v1/tables/roulette-1").expect_status(200);
            if let Some(round_no) = table["window"]["round_no"].as_u64() {
                break round_no;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let body =
            json!({ "round_no": round_no, "bets": [{ "spot": "red", "stake": 100 }], "commitment": "11".repeat(32) });
        others.store(false, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let bettors: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut seen = Vec::new();
                        while !others.load(Ordering::Relaxed) {
                            let reply = player.client.post("/v1/tables/roulette-1/bets", &body);
                            seen.push((reply.status, reply.json()["code"].as_str().unwrap_or_default().to_owned()));
                        }
                        seen
                    })
                })
                .collect();
            for _ in 0..12 {
                player.client.delete(&format!("/v1/tables/roulette-1/bets/{round_no}"));
            }
            others.store(true, Ordering::Relaxed);
            for seen in bettors.into_iter().flat_map(|bettor| bettor.join().unwrap()) {
                *counts.entry(seen).or_default() += 1;
            }
        });
        player.client.delete(&format!("/v1/tables/roulette-1/bets/{round_no}"));
        player.client.delete("/v1/tables/roulette-1/seat");
    }
    println!("{counts:?}");
    assert!(counts.keys().all(|(status, _)| [200, 409, 429].contains(status)), "{counts:?}");
    assert!(counts.iter().any(|((status, _), count)| *status == 200 && *count > 20), "{counts:?}");
}

#[test]
fn an_idempotency_key_brings_the_same_entry_and_no_token_again() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let operator = service.operator();
    let key = |key: &'static str| [("idempotency-key", key)];

    let body = json!({ "player": "alice" });
    let made = operator.post_with("/v1/players", &body, &key("k-1")).expect_status(201);
    let again = operator.post_with("/v1/players", &body, &key("k-1")).expect_status(201);
    assert!(made["token"].is_string() && again.get("token").is_none(), "a token is shown once");
    assert_eq!((&again["receipts"][0]["index"], &again["balance"]), (&made["receipts"][0]["index"], &made["balance"]));
    let alice = service.client(made["token"].as_str());

    let credit = json!({ "amount": 500, "reference": "desk 4" });
    let credited = operator.post_with("/v1/players/alice/credit", &credit, &key("k-2")).expect_status(200);
    assert_eq!(credited["balance"], 500);
    for reply in at_once(&operator, "/v1/players/alice/credit", &credit, &key("k-2")) {
        assert_eq!(content(&reply.expect_status(200)), content(&credited));
    }
    let withdraw = json!({ "amount": 100 });
    for reply in at_once(&operator, "/v1/players/alice/withdraw", &withdraw, &key("k-3")) {
        assert_eq!(reply.expect_status(200)["balance"], 400);
    }
    let table = json!({ "rules": "joy" });
    let opened = alice.post_with("/v1/tables", &table, &key("k-2")).expect_status(201);
    for reply in at_once(&alice, "/v1/tables", &table, &key("k-2")) {
        assert_eq!(reply.expect_status(201)["table"], opened["table"], "a key is its user's own");
    }
    let reused = |client: &Client, path: &str, body: &Value, name: &'static str| {
        assert_eq!(client.post_with(path, body, &key(name)).problem(409), "idempotency_key_reused", "{path}");
    };
    let check_reused = |operator: &Client| {
        reused(operator, "/v1/players/alice/credit", &json!({ "amount": 501, "reference": "desk 4" }), "k-2");
        reused(operator, "/v1/players/alice/withdraw", &credit, "k-2");
        reused(operator, "/v1/players", &json!({ "player": "bob" }), "k-1");
        reused(operator, "/v1/tables", &table, "k-1");
    };
    check_reused(&operator);
    let balance = |operator: &Client| operator.get("/v1/players/alice").expect_status(200)["balance"].clone();
    assert_eq!(balance(&operator), 400);
    service.kill();

    let service = Service::start(folder.path(), &[]);
    let operator = service.operator();
    let again = operator.post_with("/v1/players/alice/credit", &credit, &key("k-2")).expect_status(200);
    assert_eq!(content(&again), content(&credited));
    let again = operator.post_with("/v1/players", &body, &key("k-1")).expect_status(201);
    assert!(again.get("token").is_none());
    let again = service.client(made["token"].as_str()).post_with("/v1/tables", &table, &key("k-2")).expect_status(201);
    assert_eq!(content(&again), content(&opened));
    check_reused(&operator);
    assert_eq!(balance(&operator), 400);
}

#[test]
fn moving_chips_needs_a_key_and_a_key_has_a_form() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10);
    let operator = service.operator();
    let size = log_size(&operator);
    for path in ["/v1/players/alice/credit", "/v1/players/alice/withdraw"] {
        assert_eq!(operator.post(path, &json!({ "amount": 1 })).problem(400), "malformed");
        for key in ["", "with space", "a/b", "é", &"k".repeat(65)] {
            let reply = operator.post_with(path, &json!({ "amount": 1 }), &[("idempotency-key", key)]);
            assert_eq!(reply.problem(400), "malformed", "`{key}`");
        }
    }
    // A refused request does not bind its key.
    let key = [("idempotency-key", "later")];
    let refused = operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": 11 }), &key);
    assert_eq!(refused.problem(409), "insufficient_balance");
    assert_eq!((alice.balance(), log_size(&operator)), (10, size));
    operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": 10 }), &key).expect_status(200);
    assert_eq!(alice.balance(), 0);
}

/// A commitment bound to the epoch before a restart opens nothing: a client that states the epoch is told so, and an
/// accepted bet can still be repeated.
#[test]
fn a_commitment_of_an_earlier_epoch_is_refused_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 1000);
    let cash = Company::at_cash_table(&service, "cash", "holdem", &patient(), &["dan", "eve"]);
    cash.buy_in_all(20_000);
    let view = service.anyone().get("/v1/tables/joy-1").expect_status(200);
    let named = |mut body: Value, view: &Value| {
        body["epoch"] = view["epoch"].clone();
        body
    };
    let (body, _) = alice.bet_body("joy-1", 5);
    let taken = named(body, &view);
    let placed = alice.client.post("/v1/tables/joy-1/bets", &taken).expect_status(200);
    alice.reveal(&PlacedBet {
        round: placed["round"]["id"].as_str().unwrap().into(),
        seed: alice.seed("joy-1", 0),
        request: taken.clone(),
        reply: placed.clone(),
    });
    alice.stand_out(service.anyone().get("/v1/rounds/joy-1:0").expect_status(200));
    let (body, _) = alice.bet_body("joy-1", 5);
    let stale = named(body, &view);
    let hand = format!("/v1/rounds/{}/commitments", cash.round_id(0));
    let commit = named(json!({ "commitment": cash.players[0].commitment(&cash.view(), 0) }), &view);
    assert_eq!(service.stop(), Some(0));

    let service = Service::start(folder.path(), &[]);
    let again = |player: &Player| service.client(Some(&player.token));
    let client = again(&alice);
    assert_eq!(client.post("/v1/tables/joy-1/bets", &stale).problem(409), "wrong_epoch");
    assert_eq!(again(&cash.players[0]).post(&hand, &commit).problem(409), "wrong_epoch");
    let repeated = client.post("/v1/tables/joy-1/bets", &taken).expect_status(200);
    assert_eq!(repeated["receipts"][0]["entry"], placed["receipts"][0]["entry"], "what was taken is taken");
    let alice = Player { client, ..alice };
    let view = service.anyone().get("/v1/tables/joy-1").expect_status(200);
    let (body, _) = alice.bet_body("joy-1", 5);
    alice.client.post("/v1/tables/joy-1/bets", &named(body, &view)).expect_status(200);
    let wrong = json!({ "commitment": stale["commitment"], "epoch": "00" });
    assert_eq!(again(&cash.players[0]).post(&hand, &wrong).problem(400), "malformed");
}

#[test]
fn a_table_is_closed_once_under_its_key() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    let (table, other) = (alice.open_table(), alice.open_table());
    alice.play(&table, 5);
    let close = |table: &str| {
        let key = [("idempotency-key", "close-1")];
        alice.client.post_with(&format!("/v1/tables/{table}/close"), &json!({}), &key)
    };
    let first = close(&table).expect_status(200);
    assert_eq!(content(&close(&table).expect_status(200)), content(&first));
    assert_eq!(close(&other).problem(409), "idempotency_key_reused");
    assert_eq!(alice.client.post(&format!("/v1/tables/{table}/close"), &json!({})).problem(404), "unknown_table");
}

/// How often the threads of a lane have waited for work.
fn waits(service: &Service, lane: &str) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", service.pid())).unwrap();
    let status = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("status")).unwrap());
    let own = status.filter(|status| status.starts_with(&format!("Name:\t{lane}\n")));
    own.map(|status| {
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:\t"));
        count.unwrap().parse::<u64>().unwrap()
    })
    .sum()
}

/// Attack: a player is refused again and again, and each time thousands of entries are searched for what the request may
/// repeat: a tournament's, or those of an old round with many bets. The lane for repeats of play, where others wait for
/// their own cards, searches few.
#[test]
fn what_is_searched_for_among_many_entries_keeps_nobody_from_their_own_cards() {
    let service = Service::fresh(&[]);
    let structure =
        quick(&service.anyone(), "freezeout-9", |structure| structure["entry"]["entries_per_player"] = json!(50));
    let field = Field::announce(&service, "daily-1", &structure, &["ann"], 3_600_000);
    let ann = &field.players[0];
    for _ in 0..40 {
        field.register(ann).expect_status(200);
        ann.client.delete(&field.path("/registration")).expect_status(200);
    }
    // A small round, and one with many changes of bets.
    drop(ann.play("joy-1", 1));
    let others = ["idle", "ben", "cat"].map(|name| service.player(name, 1_000));
    for player in &others {
        player.client.post("/v1/tables/roulette-1/seat", &json!({})).expect_status(200);
    }
    let red = json!([{ "spot": "red", "stake": 100 }]);
    let [_, ben, cat] = &others;
    for player in [ben, cat].into_iter().cycle().take(50) {
        player.place_bets("roulette-1", &red);
        player.client.delete("/v1/tables/roulette-1/bets/0").expect_status(200);
    }
    let placed = ben.place_bets("roulette-1", &red);
    service.operator().post("/v1/tables/roulette-1/close_bets", &json!({ "round_no": 0 })).expect_status(200);
    ben.reveal(&placed);
    for (path, is_far) in [
        (field.path("/registration"), true),
        ("/v1/tables/roulette-1/bets/0".to_owned(), true),
        ("/v1/tables/joy-1/bets/0".to_owned(), false),
    ] {
        let of_lanes = || ["searches", "repeats"].map(|lane| waits(&service, lane));
        // A thread that has done its last job may not wait yet.
        let mut before = of_lanes();
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = of_lanes();
            if now == before {
                break;
            }
            before = now;
        }
        for _ in 0..20 {
            // Refused, and answered as the earlier one where one is found.
            let reply = ann.client.delete(&path);
            assert!([200, 409].contains(&reply.status), "{path}: {}", reply.text());
        }
        let after = of_lanes();
        let [searches, repeats] = [0, 1].map(|lane| after[lane] - before[lane]);
        // One that is busy goes from one search to the next without waiting.
        assert_eq!((searches > 0, repeats > 0), (is_far, !is_far), "{path}: {searches} and {repeats}");
    }
}
