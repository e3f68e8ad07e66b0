//! The rights of each role: tokens, roles, other people's data.

use fairshoe_tests::wire::Wire;
use fairshoe_tests::{Client, Json, Service, policy, verify_receipt};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Every call that changes state or reads private data, with a body of the right form.
fn guarded() -> Vec<(&'static str, &'static str, Value)> {
    let commitment = "00".repeat(32);
    vec![
        ("POST", "/v1/players", json!({ "player": "new" })),
        ("GET", "/v1/players/alice", Value::Null),
        ("POST", "/v1/players/alice/credit", json!({ "amount": 1 })),
        ("POST", "/v1/players/alice/withdraw", json!({ "amount": 1 })),
        ("POST", "/v1/players/alice/transfers", json!({ "to": "two.example/log", "amount": 1 })),
        ("POST", "/v1/logs", json!({ "log": "two.example/log" })),
        ("GET", "/v1/players/alice/wallet", Value::Null),
        ("POST", "/v1/players/alice/wallet/deposits", json!({ "amount": 1 })),
        ("POST", "/v1/players/alice/wallet/withdrawals", json!({ "amount": 1 })),
        ("GET", "/v1/wallet/0", Value::Null),
        ("POST", "/v1/wallet/0/cancel", json!({})),
        ("POST", "/v1/players/alice/tokens", json!({})),
        ("POST", "/v1/players/alice/tickets", json!({})),
        (
            "POST",
            "/v1/players/alice/key",
            json!({ "key": "bc7cbcb5636375fa1d82434d466724d92377f53b980695dd49d26d0ce12205a5" }),
        ),
        ("POST", "/v1/players/alice/limits", json!({ "of": "loss", "per": "day", "most": 5 })),
        ("POST", "/v1/players/alice/exclusion", json!({ "until": 1 })),
        ("GET", "/v1/players/alice/rounds", Value::Null),
        ("POST", "/v1/auditors", json!({ "name": "new" })),
        ("POST", "/v1/tables", json!({ "rules": "joy" })),
        ("POST", "/v1/tables/joy-1/close", json!({})),
        (
            "POST",
            "/v1/tables/joy-1/bets",
            json!({ "round_no": 0, "bets": [{ "spot": "1", "stake": 1 }], "commitment": commitment }),
        ),
        ("POST", "/v1/rounds/joy-1:0/actions", json!({ "decision": 0, "action": "hit" })),
        ("GET", "/v1/rounds/joy-1:0/actions", Value::Null),
        ("POST", "/v1/rounds/joy-1:0/void", json!({ "reason": "x" })),
        ("POST", "/v1/players/alice/correct", json!({ "amount": 1, "reason": "x" })),
        ("GET", "/v1/players/alice/recall", Value::Null),
        ("POST", "/v1/tables/roulette-1/seat", json!({})),
        ("DELETE", "/v1/tables/roulette-1/seat", Value::Null),
        ("DELETE", "/v1/tables/roulette-1/bets/0", Value::Null),
        ("POST", "/v1/tables/roulette-1/close_bets", json!({ "round_no": 0 })),
        ("POST", "/v1/tables/roulette-1/shuffle", json!({ "reason": "x" })),
        ("POST", "/v1/rounds/safe-1:0/commitments", json!({ "commitment": "00".repeat(32) })),
        ("POST", "/v1/tables/holdem-1/sit_out", json!({})),
        ("POST", "/v1/tables/holdem-1/chips", json!({ "amount": 1 })),
        ("POST", "/v1/shoes/holdem-1/0/disclosure", json!({ "reason": "x" })),
        ("GET", "/v1/shoes/holdem-1/0/disclosure", Value::Null),
        ("GET", "/v1/export", Value::Null),
        ("GET", "/v1/significant", Value::Null),
    ]
}

fn send(client: &Client, method: &str, path: &str, body: &Value, extra: &[(&str, &str)]) -> fairshoe_tests::Reply {
    let mut headers = vec![("content-type", "application/json"), ("idempotency-key", "one")];
    headers.extend(extra);
    let text = body.to_string();
    client.send(method, path, (method == "POST").then_some(text.as_bytes()), &headers).unwrap()
}

fn log_size(client: &Client) -> u64 {
    client.get("/v1/log").expect_status(200)["size"].int()
}

#[test]
fn without_a_token_in_force_nothing_of_anybody_is_told_or_changed() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10);
    let nobody = service.anyone();
    let size = log_size(&nobody);
    let own = &alice.token;
    let bad = [
        format!("Bearer {}", "00".repeat(32)),
        format!("Bearer {}", &own[..62]),
        format!("Bearer {own}00"),
        format!("Bearer  {own}"),
        format!("Bearer {}", "zz".repeat(32)),
        format!("Basic {own}"),
        own.clone(),
        "Bearer".into(),
        String::new(),
    ];
    for (method, path, body) in guarded() {
        let reply = send(&nobody, method, path, &body, &[]);
        assert_eq!(reply.problem(401), "unauthorized", "{method} {path}");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        for header in &bad {
            let reply = send(&nobody, method, path, &body, &[("authorization", header)]);
            assert_eq!(reply.problem(401), "unauthorized", "{method} {path} `{header}`");
        }
    }
    // A token that is not in force is an error even if none is needed.
    for path in ["/v1/tables", "/v1/log", "/checkpoint", "/v1/tables/joy-1/events"] {
        let reply = send(&nobody, "GET", path, &Value::Null, &[("authorization", &bad[0])]);
        assert_eq!(reply.problem(401), "unauthorized", "{path}");
    }
    assert_eq!((log_size(&nobody), alice.balance()), (size, 10));
}

/// Attack: bodies of requests that their sender may not make, read and parsed to be refused. Here none comes, and the refusal
/// does all the same.
#[test]
fn whoever_may_not_make_a_call_is_refused_before_its_body_is_read() {
    let service = Service::fresh(&[]);
    let made = service.operator().post("/v1/auditors", &json!({ "name": "carol" })).expect_status(201);
    let (auditor, alice) = (made["token"].text(), service.player("alice", 10).token);
    let refused = |path: &str, token: Option<&str>, status: u16| {
        let mut wire = Wire::connect(&service.url, Duration::from_secs(5));
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\n{token}Content-Type: application/json\r\n");
        wire.send(format!("{head}Content-Length: 100000\r\n\r\n").as_bytes());
        assert_eq!(wire.reply().unwrap_or_else(|| panic!("{path} is not answered")).status, status, "{path}");
    };
    let events = ["registration", "rebuy", "add_on", "decline_rebuy", "stakes", "stakes/bob", "substitutes"];
    let of_operator = ["bounties", "disqualify", "registration_times", "postpone", "cancel"];
    let of_events = |calls: &[&str]| calls.iter().map(|call| format!("/v1/tournaments/e/{call}")).collect::<Vec<_>>();
    let posts: Vec<String> =
        guarded().into_iter().filter(|(method, ..)| *method == "POST").map(|(_, path, _)| path.to_owned()).collect();
    let all = [posts, of_events(&events), of_events(&of_operator), vec!["/v1/tournaments".to_owned()]].concat();
    for path in &all {
        refused(path, None, 401);
        if !path.ends_with("/disclosure") {
            refused(path, Some(&auditor), 403);
        }
    }
    let operators = [
        "/v1/players",
        "/v1/players/alice/credit",
        "/v1/players/alice/withdraw",
        "/v1/players/alice/correct",
        "/v1/players/alice/tickets",
        "/v1/logs",
        "/v1/auditors",
        "/v1/rounds/joy-1:0/void",
        "/v1/tables/roulette-1/close_bets",
        "/v1/tables/roulette-1/shuffle",
        "/v1/tables/roulette-1/seats/1/unseat",
        "/v1/shoes/holdem-1/0/disclosure",
        "/v1/tournaments",
    ];
    let operators = operators.map(str::to_owned).into_iter().chain(of_events(&of_operator));
    operators.for_each(|path| refused(&path, Some(&alice), 403));
}

#[test]
fn a_player_has_what_is_his_own_and_no_more() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10);
    let bob = service.player("bob", 10);
    assert_eq!(
        alice.client.get("/v1/players/alice").expect_status(200),
        json!({
            "player": "alice", "balance": 10, "key": null, "key_waits": null, "last_nonce": 0,
            "cash_seats": [], "guest": false, "t_dollars": 0, "tickets": [],
        })
    );
    alice.client.get("/v1/players/alice/rounds").expect_status(200);
    let size = log_size(&bob.client);
    for (method, path, body) in guarded() {
        let open_to_players = [
            "/v1/tables",
            "/v1/tables/joy-1/bets",
            "/v1/rounds/joy-1:0/actions",
            "/v1/tables/roulette-1/seat",
            "/v1/tables/roulette-1/bets/0",
            "/v1/rounds/safe-1:0/commitments",
            "/v1/tables/holdem-1/sit_out",
            "/v1/tables/holdem-1/chips",
            // Existing operations are tested separately (api_wallet.rs).
            "/v1/wallet/0",
            "/v1/wallet/0/cancel",
        ];
        if !open_to_players.contains(&path) {
            assert_eq!(send(&bob.client, method, path, &body, &[]).problem(403), "not_allowed", "{method} {path}");
        }
    }
    // Also for unknown players, so that names cannot be tried out.
    assert_eq!(bob.client.get("/v1/players/nobody").problem(403), "not_allowed");
    assert_eq!(bob.client.get("/v1/players/nobody/rounds").problem(403), "not_allowed");
    // Only its bettor decides in a round.
    let placed = alice.bet("joy-1", 1);
    let dealt = alice.reveal(&placed);
    if dealt["round"]["phase"] == "open" {
        let steal = json!({ "decision": 0, "action": "stand" });
        assert_eq!(bob.client.post("/v1/rounds/joy-1:0/actions", &steal).problem(403), "not_your_decision");
        assert_eq!(bob.client.get("/v1/rounds/joy-1:0/actions").expect_status(200)["decisions"], json!([]));
    }
    assert_eq!(log_size(&bob.client), size + 2 + u64::from(dealt["round"]["phase"] == "settled"));
}

#[test]
fn an_auditor_reads_everything_and_changes_nothing_but_for_disclosures() {
    let service = Service::fresh(&[]);
    service.player("alice", 10).play("joy-1", 1);
    let made = service.operator().post("/v1/auditors", &json!({ "name": "carol" })).expect_status(201);
    let auditor = service.client(made["token"].as_str());
    assert!(auditor.get("/v1/players/alice").expect_status(200)["balance"].is_u64());
    assert_eq!(auditor.get("/v1/players/alice/rounds").expect_status(200)["rounds"].list().len(), 1);
    assert_eq!(auditor.get("/v1/players/nobody").problem(404), "unknown_player");
    let size = log_size(&auditor);
    let is_refused = |(method, path, _): &(&str, &str, Value)| {
        (*method != "GET" || path.ends_with("/actions")) && !path.ends_with("/disclosure")
    };
    for (method, path, body) in guarded().into_iter().filter(is_refused) {
        assert_eq!(send(&auditor, method, path, &body, &[]).problem(403), "not_allowed", "{method} {path}");
    }
    assert_eq!(log_size(&auditor), size);
}

#[test]
fn the_operator_bets_nothing_and_decides_nothing() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    for (method, path, body) in guarded() {
        let players_own = [
            "/v1/tables/joy-1/bets",
            "/v1/rounds/joy-1:0/actions",
            "/v1/tables/roulette-1/seat",
            "/v1/tables/roulette-1/bets/0",
            "/v1/rounds/safe-1:0/commitments",
            "/v1/tables/holdem-1/sit_out",
            "/v1/tables/holdem-1/chips",
        ];
        if players_own.contains(&path) {
            assert_eq!(send(&operator, method, path, &body, &[]).problem(403), "not_allowed", "{method} {path}");
        }
    }
    assert_eq!(operator.get("/v1/players/nobody").problem(404), "unknown_player");
    assert_eq!(operator.get("/v1/players/nobody/rounds").expect_status(200)["rounds"], json!([]));
    for path in ["/v1/players/nobody/credit", "/v1/players/nobody/withdraw"] {
        assert_eq!(
            send(&operator, "POST", path, &json!({ "amount": 1 }), &[]).problem(404),
            "unknown_player",
            "{path}"
        );
    }
    assert_eq!(operator.post("/v1/players/nobody/tokens", &json!({})).problem(404), "unknown_player");
}

#[test]
fn tokens_are_made_limited_and_revoked_and_stay_so_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 10);
    let bob = service.player("bob", 10);
    let token_of = |reply: Value| reply["token"].text();
    let more = |client: &Client| client.post("/v1/players/alice/tokens", &json!({}));
    let policy = policy(&alice.client);

    // Each token makes an entry of the log, without the token itself.
    let reply = more(&alice.client).expect_status(201);
    let (entry, _) = verify_receipt(&policy, &reply["receipts"][0]);
    assert_eq!(entry["command"], json!({ "issue_token": { "holder": "player:alice", "revoke": false } }));
    let mut tokens = vec![alice.token.clone(), token_of(reply)];
    while tokens.len() < 16 {
        tokens.push(token_of(more(&service.operator()).expect_status(201)));
    }
    assert_eq!(more(&alice.client).problem(409), "too_many_tokens");
    let works = |service: &Service, token: &str| match service.client(Some(token)).get("/v1/players/alice").status {
        200 => true,
        401 => false,
        other => panic!("status {other}"),
    };
    assert!(tokens.iter().all(|token| works(&service, token)));

    let fresh = token_of(alice.client.post("/v1/players/alice/tokens", &json!({ "revoke": true })).expect_status(201));
    let check = |service: &Service| {
        assert!(!tokens.iter().any(|token| works(service, token)), "a revoked token works");
        assert!(works(service, &fresh));
        service.client(Some(&bob.token)).get("/v1/players/bob").expect_status(200);
    };
    check(&service);
    service.kill();
    let service = Service::start(folder.path(), &[]);
    check(&service);

    // An auditor's tokens work the same way.
    let auditor = |revoke: bool| {
        token_of(
            service.operator().post("/v1/auditors", &json!({ "name": "carol", "revoke": revoke })).expect_status(201),
        )
    };
    let (first, second) = (auditor(false), auditor(true));
    assert_eq!(service.client(Some(&first)).get("/v1/players/bob").problem(401), "unauthorized");
    service.client(Some(&second)).get("/v1/players/bob").expect_status(200);
}

#[test]
fn a_revocation_reaches_tokens_that_are_being_made_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    service.player("alice", 10);
    for _ in 0..5 {
        let operator = service.operator();
        let all: Vec<Value> = std::thread::scope(|scope| {
            let make = |revoke: bool| {
                let operator = operator.clone();
                scope.spawn(move || {
                    operator.post("/v1/players/alice/tokens", &json!({ "revoke": revoke })).expect_status(201)
                })
            };
            let threads: Vec<_> = [false, false, true, false, false, true, false].into_iter().map(make).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        // The log's order decides which of them must work.
        let index = |reply: &Value| reply["receipts"][0]["index"].int();
        let revoked = |reply: &Value| reply["receipts"][0]["entry"].as_str().unwrap().contains("\"revoked\":true");
        let last_revocation = all.iter().filter(|reply| revoked(reply)).map(index).max().unwrap();
        let check = |service: &Service| {
            for reply in &all {
                let Some(token) = reply["token"].as_str() else { continue };
                let status = service.client(Some(token)).get("/v1/players/alice").status;
                assert_eq!(status, if index(reply) >= last_revocation { 200 } else { 401 });
            }
        };
        check(&service);
        service.kill();
        service = Service::start(folder.path(), &[]);
        check(&service);
    }
}

/// Attack: a holder asks for tokens over many connections at once, and each request finds room for one.
#[test]
fn of_many_tokens_asked_for_at_once_a_holder_has_no_more_than_they_may() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10);
    let begin = Barrier::new(48);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || {
            let client = service.client(Some(&alice.token));
            client.get("/v1/players/alice").expect_status(200);
            begin.wait();
            client.post("/v1/players/alice/tokens", &json!({})).status
        };
        let asking: Vec<_> = (0..48).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    let with = |status: u16| statuses.iter().filter(|one| **one == status).count();
    assert_eq!((with(201), with(409)), (15, 33), "beside the one that asks");
}

/// A session: a token with an expiry, for the service that issued it, also after a start.
#[test]
fn a_token_with_a_lifetime_ends_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 10);
    let path = "/v1/players/alice/tokens";
    for seconds in [json!(0), json!(34_560_001), json!(-1), json!(1.5), json!("60"), Value::Null] {
        assert_eq!(alice.client.post(path, &json!({ "seconds": seconds })).problem(400), "malformed", "{seconds}");
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let issue = |client: &Client, path: &str, body: Value| {
        let begun = now();
        let reply = client.post(path, &body).expect_status(201);
        let (until, length) = (reply["token_until"].int(), body["seconds"].int() * 1_000);
        assert!((begun + length..=now() + length).contains(&until), "{reply}");
        reply["token"].text()
    };
    let auditor = json!({ "name": "board", "seconds": 2 });
    let short =
        [issue(&alice.client, path, json!({ "seconds": 2 })), issue(&service.operator(), "/v1/auditors", auditor)];
    let long = issue(&alice.client, path, json!({ "seconds": 3_600 }));
    let status = |service: &Service, token: &str| service.client(Some(token)).get("/v1/players/alice").status;
    for token in short.iter().chain([&long]) {
        assert_eq!(status(&service, token), 200);
    }
    std::thread::sleep(Duration::from_millis(2_100));
    for token in &short {
        assert_eq!(status(&service, token), 401);
    }
    assert_eq!(service.stop(), Some(0));
    service = Service::start(folder.path(), &[]);
    assert_eq!((status(&service, &short[0]), status(&service, &long)), (401, 200));
    // An expired one takes no place.
    let client = service.client(Some(&long));
    for _ in 0..30 {
        issue(&client, path, json!({ "seconds": 1 }));
        std::thread::sleep(Duration::from_millis(120));
    }
}

/// Attack: a thief of a token with an expiry of seconds makes a lasting one with it, and locks its owner out.
#[test]
fn a_token_that_another_made_outlives_and_ends_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 10);
    let issue = |client: &Client, body: Value| client.post(TOKENS, &body).expect_status(201);
    let of = |service: &Service, made: &Value| service.client(made["token"].as_str());
    // The operator's and the owner's own; a child of a child, too.
    let roots = [service.operator(), alice.client.clone()];
    let short = roots.map(|root| issue(&root, json!({ "seconds": 3 })));
    let mut all = Vec::new();
    for parent in &short {
        let mut parent = parent.clone();
        for body in [json!({}), json!({ "seconds": 3_600 })] {
            let child = issue(&of(&service, &parent), body);
            assert_eq!(child["token_until"], parent["token_until"], "it ends with the one that made it");
            all.push(child.clone());
            parent = child;
        }
    }
    assert!(
        issue(&of(&service, &short[0]), json!({ "seconds": 1 }))["token_until"].as_u64()
            < short[0]["token_until"].as_u64()
    );
    // A token without expiry that was made by another one cannot end tokens either, also after a start.
    let bot = issue(&alice.client, json!({}));
    assert!(bot.get("token_until").is_none());
    let waits = ticket(&service.operator(), &json!({}));
    let size = log_size(&service.anyone());
    for weak in short.iter().chain(&all).chain([&bot]) {
        assert_eq!(of(&service, weak).post(TOKENS, &json!({ "revoke": true })).problem(403), "not_allowed");
    }
    assert_eq!(log_size(&service.anyone()), size);
    exchange(&service.anyone(), &waits).expect_status(201);
    assert_eq!(service.stop(), Some(0));
    service = Service::start(folder.path(), &[]);
    assert_eq!(of(&service, &bot).post(TOKENS, &json!({ "revoke": true })).problem(403), "not_allowed");
    std::thread::sleep(Duration::from_millis(3_000));
    for over in short.iter().chain(&all) {
        assert_eq!(of(&service, over).get("/v1/players/alice").status, 401);
    }
    // The owner's first one ends them all, and so does its replacement.
    let mut own = service.client(Some(&alice.token));
    let mut tokens = vec![bot];
    for _ in 0..2 {
        let fresh = issue(&own, json!({ "revoke": true }));
        for ended in &tokens {
            assert_eq!(of(&service, ended).get("/v1/players/alice").status, 401);
        }
        assert_eq!(own.get("/v1/players/alice").status, 401);
        own = of(&service, &fresh);
        tokens = vec![issue(&own, json!({}))];
    }
}

const TICKETS: &str = "/v1/players/alice/tickets";
const TOKENS: &str = "/v1/players/alice/tokens";

fn ticket(operator: &Client, body: &Value) -> Value {
    operator.post(TICKETS, body).expect_status(201)
}

fn exchange(browser: &Client, ticket: &Value) -> fairshoe_tests::Reply {
    browser.post("/v1/tickets/exchange", &json!({ "ticket": ticket["ticket"] }))
}

/// Uses the calls about tickets, with good and bad requests.
pub fn use_tickets(service: &Service) {
    let made = ticket(&service.operator(), &json!({ "seconds": 60 }));
    for _ in 0..2 {
        exchange(&service.anyone(), &made);
    }
    service.operator().post("/v1/players/nobody/tickets", &json!({}));
}

/// The ticket that the operator's page gives a browser: valid once, for a token with an expiry.
#[test]
fn a_ticket_is_exchanged_once_for_a_token_with_a_lifetime() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let (operator, browser) = (service.operator(), service.anyone());
    let alice = service.player("alice", 10);
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;

    for seconds in [json!(0), json!(34_560_001), json!("60"), Value::Null] {
        assert_eq!(operator.post(TICKETS, &json!({ "seconds": seconds })).problem(400), "malformed", "{seconds}");
    }
    assert_eq!(operator.post("/v1/players/nobody/tickets", &json!({})).problem(404), "unknown_player");
    assert_eq!(alice.client.post(TICKETS, &json!({})).problem(403), "not_allowed");

    let (size, begun) = (log_size(&browser), now());
    let made = ticket(&operator, &json!({ "seconds": 2 }));
    assert!((begun + 60_000..=now() + 60_000).contains(&made["until"].int()), "{made}");
    assert_eq!(made["link"], format!("/#ticket={}", made["ticket"].as_str().unwrap()));
    assert_eq!(log_size(&browser), size, "a ticket is nothing of the log's");

    let begun = now();
    let reply = exchange(&browser, &made).expect_status(201);
    let (entry, _) = verify_receipt(&policy(&browser), &reply["receipts"][0]);
    assert_eq!(entry["by"], "operator");
    assert_eq!(entry["command"], json!({ "issue_token": { "holder": "player:alice", "revoke": false } }));
    assert_eq!(reply["player"], "alice");
    let until = reply["token_until"].int();
    assert!((begun + 2_000..=now() + 2_000).contains(&until), "{reply}");
    let entered = service.client(reply["token"].as_str());
    assert_eq!(entered.get("/v1/players/alice").expect_status(200)["balance"], 10);
    assert_eq!(entered.get("/v1/players/bob").problem(403), "not_allowed");

    // Used, never made, malformed, and a token instead of a ticket: the same refusal.
    let never = json!({ "ticket": "00".repeat(32) });
    let token = json!({ "ticket": alice.token });
    let refusals = [&made, &never, &json!({ "ticket": "x" }), &json!({ "ticket": "" }), &token];
    let told = refusals.map(|one| {
        let reply = exchange(&browser, one);
        assert_eq!(reply.problem(403), "ticket_refused", "{one}");
        reply.text()
    });
    assert!(told.iter().all(|text| *text == told[0]), "{told:?}");
    assert_eq!(log_size(&browser), size + 1);
    std::thread::sleep(Duration::from_millis(2_100));
    assert_eq!(entered.get("/v1/players/alice").problem(401), "unauthorized");

    // By default the token is valid for eight hours.
    let reply = exchange(&browser, &ticket(&operator, &json!({}))).expect_status(201);
    let hours = reply["token_until"].int().saturating_sub(now()) / 3_600_000;
    assert!((7..=8).contains(&hours), "{reply}");

    // A ticket pending at a stop is invalid after the start; a token from a ticket is valid.
    let waits = ticket(&operator, &json!({}));
    service.kill();
    let service = Service::start(folder.path(), &[]);
    assert_eq!(exchange(&service.anyone(), &waits).problem(403), "ticket_refused");
    service.client(reply["token"].as_str()).get("/v1/players/alice").expect_status(200);
}

#[test]
fn of_many_who_bring_a_ticket_at_once_one_gets_a_token() {
    let service = Service::fresh(&["--address-rate", "0"]);
    service.player("alice", 10);
    let size = log_size(&service.anyone());
    for round in 1..=5 {
        let made = ticket(&service.operator(), &json!({ "revoke": true }));
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let bring = || exchange(&service.anyone(), &made).status;
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(bring)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 403).count(), 5, "{statuses:?}");
        assert_eq!(log_size(&service.anyone()), size + round);
    }
}

#[test]
fn a_ticket_ends_with_the_tokens_and_needs_room_for_one() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let (operator, browser) = (service.operator(), service.anyone());
    let alice = service.player("alice", 10);
    let waits = ticket(&operator, &json!({}));
    operator.post(TOKENS, &json!({ "revoke": true })).expect_status(201);
    assert_eq!(exchange(&browser, &waits).problem(403), "ticket_refused", "it was asked for before");

    // Without room no ticket is made, and an existing one is refused until there is room.
    let waits = ticket(&operator, &json!({}));
    for _ in 0..15 {
        operator.post(TOKENS, &json!({})).expect_status(201);
    }
    assert_eq!(operator.post(TICKETS, &json!({})).problem(409), "too_many_tokens");
    for _ in 0..2 {
        assert_eq!(exchange(&browser, &waits).problem(409), "too_many_tokens", "nothing was done: it is good still");
    }
    // A ticket that replaces the tokens needs no room, and ends pending tickets.
    let reply = exchange(&browser, &ticket(&operator, &json!({ "revoke": true }))).expect_status(201);
    assert_eq!(exchange(&browser, &waits).problem(403), "ticket_refused");
    assert_eq!(alice.client.get("/v1/players/alice").problem(401), "unauthorized");
    service.client(reply["token"].as_str()).get("/v1/players/alice").expect_status(200);

    // A player's oldest ticket is dropped first.
    let many: Vec<Value> = (0..9).map(|_| ticket(&operator, &json!({ "seconds": 60 }))).collect();
    assert_eq!(exchange(&browser, &many[0]).problem(403), "ticket_refused");
    for made in &many[1..] {
        exchange(&browser, made).expect_status(201);
    }
}

#[test]
fn who_tries_tickets_out_is_bounded_by_their_address() {
    let service = Service::fresh(&["--address-rate", "1"]);
    let browser = service.anyone();
    let tried: Vec<u16> = (0..6).map(|n| exchange(&browser, &json!({ "ticket": format!("{n:064}") })).status).collect();
    assert!(tried.contains(&429), "{tried:?}");
}
