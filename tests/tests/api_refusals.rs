//! Bad requests: the right status, a JSON problem with a stable code, and no change of state.

use fairshoe_tests::{Client, Json, Player, Reply, Service};
use serde_json::{Value, json};

fn log_size(client: &Client) -> u64 {
    client.get("/v1/log").expect_status(200)["size"].int()
}

/// Every problem follows RFC 9457 and the contract.
fn refused(reply: &Reply, status: u16, code: &str, about: &str) {
    assert_eq!(reply.status, status, "{about}: {}", reply.text());
    assert_eq!(reply.problem(status), code, "{about}");
    let problem = reply.json();
    assert_eq!(problem["type"], format!("urn:fairshoe:error:{code}"));
    assert_eq!(problem["status"], status);
    assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{about}");
}

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

fn key() -> [(&'static str, &'static str); 1] {
    [("idempotency-key", "k")]
}

#[test]
fn paths_methods_and_names_that_are_not_there() {
    let service = Service::fresh(&[]);
    let (operator, nobody) = (service.operator(), service.anyone());
    let size = log_size(&nobody);
    let paths = [
        "/page",
        "/page/main.js",
        "/play",
        "/play/",
        "/tournament/a/b",
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v2/log",
        "/V1/log",
        "/v1/log/",
        "//v1/log",
        "/v1/tables/joy-1/nothing",
        "/v1/rounds/",
        "/.env",
    ];
    for path in paths {
        for method in ["GET", "POST", "DELETE"] {
            let reply = nobody.send(method, path, (method == "POST").then_some(b"{}".as_slice()), &[]).unwrap();
            refused(&reply, 404, "not_found", path);
        }
    }
    // Rooms and files of the page with impossible names.
    for path in ["/page/0000000000000000/main.js", "/play/No-Table", "/round/joy-1", "/round/joy-1:00"] {
        refused(&nobody.get(path), 404, "not_found", path);
    }
    let methods = [
        ("/v1/log", "GET"),
        ("/checkpoint", "GET, HEAD"),
        ("/checkpoint/witnessed", "GET"),
        ("/tile/0/000", "GET, HEAD"),
        ("/healthz", "GET"),
        ("/v1/players", "GET, POST"),
        ("/v1/rounds", "GET"),
        ("/v1/tables", "GET, POST"),
        ("/v1/rounds/joy-1:0/actions", "GET, POST"),
        ("/v1/rounds/joy-1:0/void", "POST"),
        ("/v1/tables/roulette-1/seat", "POST, DELETE"),
        ("/v1/tables/roulette-1/bets/0", "DELETE"),
        ("/v1/tables/roulette-1/entries", "GET"),
        ("/v1/export", "GET"),
    ];
    for (path, allowed) in methods {
        for method in
            ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].into_iter().filter(|method| !allowed.contains(method))
        {
            let reply = nobody.send(method, path, None, &[]).unwrap();
            refused(&reply, 405, "method_not_allowed", &format!("{method} {path}"));
            assert_eq!(reply.header("allow"), Some(allowed), "{method} {path}");
        }
    }
    let missing = [
        ("/v1/players/nobody", "unknown_player"),
        ("/v1/tables/nowhere", "unknown_table"),
        ("/v1/tables/nowhere/shoe", "unknown_table"),
        ("/v1/tables/nowhere/bundle", "unknown_table"),
        ("/v1/tables/nowhere/rounds", "unknown_table"),
        ("/v1/tables/nowhere/events", "unknown_table"),
        ("/v1/rulesets/nothing", "unknown_ruleset"),
        ("/v1/rounds/joy-1:0", "unknown_round"),
        ("/v1/rounds/nowhere:0/bundle", "unknown_round"),
        ("/v1/shoes/joy-1/1", "unknown_shoe"),
        ("/v1/shoes/nowhere/0", "unknown_shoe"),
        ("/v1/shoes/joy-1/18446744073709551615", "unknown_shoe"),
        ("/v1/entries/1000000", "unknown_entry"),
        ("/v1/receipts/18446744073709551615", "unknown_entry"),
    ];
    for (path, code) in missing {
        refused(&operator.get(path), 404, code, path);
    }
    refused(&operator.post("/v1/tables", &json!({ "rules": "nothing" })), 404, "unknown_ruleset", "rules");
    refused(&operator.post("/v1/tables/nowhere/close", &json!({})), 404, "unknown_table", "close");
    refused(&operator.post("/v1/rounds/nowhere:0/void", &json!({ "reason": "x" })), 404, "unknown_table", "void");
    let alice = service.player("alice", 1);
    assert_eq!(log_size(&nobody), size + 2);
    refused(&alice.client.get("/v1/rounds/joy-1:0/actions"), 404, "unknown_round", "actions");
    let bad_names = [
        // Sent by a client that does not resolve it; a client that does asks for another path.
        "/v1/tables/%2E%2E",
        "/v1/players/%2E",
        "/v1/tables/.hidden",
        "/v1/rounds/%2E%2E:0",
        "/v1/tables/UPPER",
        "/v1/tables/with%20space",
        "/v1/tables/%00",
        "/v1/tables/%ff%fe",
        "/v1/tables/%C3%A9",
        "/v1/tables/a%2Fb",
        "/v1/rounds/joy-1",
        "/v1/rounds/joy-1:",
        "/v1/rounds/joy-1:01",
        "/v1/rounds/joy-1:-1",
        "/v1/rounds/joy-1:+1",
        "/v1/rounds/joy-1:1e3",
        "/v1/rounds/joy-1:18446744073709551616",
        "/v1/rounds/:0",
        "/v1/entries/-1",
        "/v1/entries/00",
        "/v1/entries/0x1",
        "/v1/entries/18446744073709551616",
        "/v1/receipts/abc",
        "/v1/shoes/joy-1/x",
        "/v1/players/A",
    ];
    for path in bad_names {
        refused(&operator.get(path), 400, "malformed", path);
    }
    let long = format!("/v1/tables/{}", "a".repeat(65));
    refused(&nobody.get(&long), 400, "malformed", "65 characters");
    refused(&nobody.get(&long[..long.len() - 1]), 404, "unknown_table", "64 characters");
}

#[test]
fn cursors_and_limits_have_a_form() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1);
    let number =
        ["cursor=", "cursor=x", "cursor=-1", "cursor=01", "cursor=1.5", "cursor=18446744073709551616", "cursor=%ff"];
    let every = [
        "limit=0",
        "limit=51",
        "limit=-1",
        "limit=x",
        "limit=",
        "limit=1e1",
        "unknown=1",
        "cursor=0&cursor=1",
        "limit=1&limit=2",
    ];
    for path in ["/v1/players/alice/rounds", "/v1/tables/joy-1/rounds"] {
        for query in number.iter().chain(&every) {
            refused(&alice.client.get(&format!("{path}?{query}")), 400, "malformed", &format!("{path}?{query}"));
        }
        for query in ["", "cursor=0", "limit=1", "limit=50", "cursor=18446744073709551615", "cursor=3&limit=7"] {
            alice.client.get(&format!("{path}?{query}")).expect_status(200);
        }
    }
    for query in every.iter().chain(&["cursor=", "cursor=UPPER", "cursor=%ff"]) {
        refused(&alice.client.get(&format!("/v1/tables?{query}")), 400, "malformed", query);
    }
    let long = "8".repeat(1_000);
    for id in ["", "x", "-1", "007", "1.0", "1.3", "1.", ".1", "1.1.1", "1.01", "18446744073709551616", &long] {
        let reply = service.anyone().send("GET", "/v1/tables/joy-1/events", None, &[("last-event-id", id)]).unwrap();
        refused(&reply, 400, "malformed", "Last-Event-ID");
    }
}

/// Every call with a body: its path, and a valid body.
fn calls(alice: &Player) -> Vec<(String, Value)> {
    vec![
        ("/v1/players".into(), json!({ "player": "new" })),
        ("/v1/players/alice/credit".into(), json!({ "amount": 1, "reference": "r" })),
        ("/v1/players/alice/withdraw".into(), json!({ "amount": 1, "reference": "r" })),
        ("/v1/players/alice/tokens".into(), json!({ "revoke": false })),
        ("/v1/auditors".into(), json!({ "name": "new", "revoke": false })),
        ("/v1/tables".into(), json!({ "rules": "joy", "table": "new", "options": {} })),
        ("/v1/tables/joy-1/close".into(), json!({})),
        ("/v1/tables/joy-1/bets".into(), alice.bet_body("joy-1", 1).0),
        (
            "/v1/rounds/joy-1:0/reveals".into(),
            json!({ "player": "alice", "seed": "00".repeat(32), "saw": { "size": 1, "root": "A".repeat(43) + "=" } }),
        ),
        ("/v1/rounds/joy-1:0/actions".into(), json!({ "decision": 0, "action": { "double": { "amount": 1 } } })),
        ("/v1/rounds/joy-1:0/void".into(), json!({ "reason": "r" })),
        ("/v1/players/alice/correct".into(), json!({ "amount": 1, "reason": "r" })),
        ("/v1/tables/roulette-1/seat".into(), json!({ "seat": 1 })),
        ("/v1/tables/roulette-1/close_bets".into(), json!({ "round_no": 0 })),
        ("/v1/tables/roulette-1/shuffle".into(), json!({ "reason": "r" })),
        ("/v1/rounds/safe-1:1/commitments".into(), json!({ "commitment": "00".repeat(32) })),
        ("/v1/tables/joy-1/commitment".into(), json!({ "player": "alice", "round_no": 0, "seed": "00".repeat(32) })),
    ]
}

#[test]
fn bodies_that_no_call_takes() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10);
    let operator = service.operator();
    let size = log_size(&operator);
    let deep = "[".repeat(30_000);
    let deep_object = "{\"a\":".repeat(10_000);
    let raw: [&[u8]; 13] = [
        b"",
        b" ",
        b"null",
        b"[]",
        b"\"{}\"",
        b"1",
        b"{",
        b"{}{}",
        b"{} x",
        b"\xff\xfe",
        b"{\"player\":\"\xff\"}",
        deep.as_bytes(),
        deep_object.as_bytes(),
    ];
    for (path, good) in calls(&alice) {
        let players_own = ["/bets", "/actions", "/seat", "/commitments"].iter().any(|end| path.ends_with(end));
        let client = if players_own { &alice.client } else { &operator };
        let send = |body: &[u8], kind: &str| {
            client.send("POST", &path, Some(body), &[("content-type", kind), ("idempotency-key", "k")]).unwrap()
        };
        for body in raw {
            // These two calls take an empty object.
            refused(
                &send(body, "application/json"),
                400,
                "malformed",
                &format!("{path} {:?}", String::from_utf8_lossy(&body[..body.len().min(20)])),
            );
        }
        let mut more = good.clone();
        more["unknown"] = json!(1);
        refused(
            &send(more.to_string().as_bytes(), "application/json"),
            400,
            "malformed",
            &format!("{path} unknown field"),
        );
        let twice = good.to_string();
        if good.as_object().is_some_and(|fields| !fields.is_empty()) {
            let twice = format!("{},{}", &twice[..twice.len() - 1], &twice[1..]);
            refused(
                &send(twice.as_bytes(), "application/json"),
                400,
                "malformed",
                &format!("{path} every field twice"),
            );
        }
        // Every field in turn with a value of another kind, and left out if it is required.
        for field in good.as_object().unwrap().keys() {
            let mut wrong_values = vec![
                json!({ "x": 1 }),
                json!([[]]),
                json!(-1),
                json!(1.5),
                json!("é\u{0}"),
                json!("A".repeat(201)),
                json!(1u64 << 60),
            ];
            if !["saw", "table", "reference", "seat"].contains(&field.as_str()) {
                wrong_values.push(Value::Null);
            }
            for wrong in wrong_values {
                if field == "round_no" && wrong == json!(1u64 << 60)
                    || field == "options" && wrong.is_object()
                    || field == "rules" && wrong.is_string()
                {
                    continue;
                }
                let mut body = good.clone();
                body[field] = wrong.clone();
                refused(
                    &send(body.to_string().as_bytes(), "application/json"),
                    400,
                    "malformed",
                    &format!("{path} {field}={wrong}"),
                );
            }
            let optional = ["reference", "revoke", "table", "options", "saw", "seat"];
            if !optional.contains(&field.as_str()) {
                let mut body = good.clone();
                body.as_object_mut().unwrap().remove(field);
                refused(
                    &send(body.to_string().as_bytes(), "application/json"),
                    400,
                    "malformed",
                    &format!("{path} without {field}"),
                );
            }
        }
        let text = good.to_string();
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jsonx",
            "multipart/form-data",
            "application/xml",
            "é",
            "",
        ] {
            refused(&send(text.as_bytes(), kind), 415, "unsupported_media_type", &format!("{path} {kind}"));
        }
        let none = client.send("POST", &path, Some(text.as_bytes()), &[("idempotency-key", "k")]).unwrap();
        refused(&none, 415, "unsupported_media_type", &format!("{path} without a type"));
        let huge = format!("{}{}", text, " ".repeat(64 * 1024 + 1 - text.len()));
        refused(
            &send(huge.as_bytes(), "application/json"),
            413,
            "body_too_large",
            &format!("{path} one byte too many"),
        );
    }
    assert_eq!((log_size(&operator), alice.balance()), (size, 10), "nothing changed");
    // At the limit, and with a charset, it would be accepted.
    let text = json!({}).to_string();
    let full = format!("{}{}", text, " ".repeat(64 * 1024 - text.len()));
    let kind = [("content-type", "Application/JSON; charset=utf-8")];
    let reply = operator.send("POST", "/v1/players/alice/tokens", Some(full.as_bytes()), &kind).unwrap();
    reply.expect_status(201);
}

#[test]
fn amounts_stay_in_their_range() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10);
    let operator = service.operator();
    let credit = |amount: Value| operator.post_with("/v1/players/alice/credit", &json!({ "amount": amount }), &key());
    let withdraw =
        |amount: Value| operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": amount }), &key());
    let max = 9_007_199_254_740_991u64;
    for amount in [json!(0), json!(max)] {
        refused(&credit(amount.clone()), 409, "amount_out_of_range", &amount.to_string());
    }
    for amount in [json!(max + 1), json!(u64::MAX), json!(-1), json!(1.0), json!("1"), json!(1e300)] {
        refused(&credit(amount.clone()), 400, "malformed", &amount.to_string());
        refused(&withdraw(amount.clone()), 400, "malformed", &amount.to_string());
    }
    refused(&withdraw(json!(0)), 409, "amount_out_of_range", "0");
    refused(&withdraw(json!(11)), 409, "insufficient_balance", "11 of 10");
    refused(&withdraw(json!(max)), 409, "insufficient_balance", "max of 10");
    refused(&operator.post("/v1/players", &json!({ "player": "alice" })), 409, "player_exists", "alice");
    assert_eq!(alice.balance(), 10);
}

#[test]
fn bets_that_the_rules_refuse() {
    let service = Service::fresh(&[]);
    let (rich, poor) = (service.player("rich", 5000), service.player("poor", 60));
    let size = log_size(&rich.client);
    let bet = |player: &Player, bets: Value| {
        let mut body = player.bet_body("joy-1", 1).0;
        body["bets"] = bets;
        player.client.post("/v1/tables/joy-1/bets", &body)
    };
    let one = |stake: u64| json!([{ "spot": "1", "stake": stake }]);
    let chips = |stake: u64, chips: Value| json!([{ "spot": "1", "stake": stake, "chips": chips }]);
    let cases = [
        (&rich, json!([]), 422, "bet_count"),
        (&rich, json!([{ "spot": "1", "stake": 1 }, { "spot": "1", "stake": 1 }]), 422, "bet_count"),
        (&rich, json!([{ "spot": "2", "stake": 1 }]), 422, "unknown_spot"),
        (&rich, json!([{ "spot": "", "stake": 1 }]), 422, "unknown_spot"),
        (&rich, one(0), 422, "below_minimum"),
        (&rich, one(1001), 422, "above_maximum"),
        (&poor, one(61), 409, "insufficient_balance"),
        // R000.1, R000.2, R000.3
        (&rich, chips(2, json!([2])), 422, "unknown_chip"),
        (&rich, chips(500, json!([500])), 422, "unknown_chip"),
        (&poor, chips(100, json!([100])), 422, "chip_above_balance"),
        (&poor, chips(100, json!([50, 50])), 422, "chip_above_balance"),
        (&rich, chips(1001, json!([100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 1])), 422, "above_maximum"),
        (&rich, chips(10, json!([5, 1])), 422, "chips_differ"),
        (&rich, chips(10, json!([])), 422, "chips_differ"),
    ];
    for (player, bets, status, code) in cases {
        refused(&bet(player, bets.clone()), status, code, &bets.to_string());
    }
    let wrong = |round_no: u64| {
        let mut body = rich.bet_body("joy-1", 1).0;
        body["round_no"] = json!(round_no);
        rich.client.post("/v1/tables/joy-1/bets", &body)
    };
    refused(&wrong(1), 409, "wrong_round", "a later round");
    refused(&wrong(u64::MAX), 409, "wrong_round", "the last round");
    refused(
        &rich.client.post("/v1/tables/nowhere/bets", &rich.bet_body("joy-1", 1).0),
        404,
        "unknown_table",
        "nowhere",
    );
    assert_eq!((log_size(&rich.client), poor.balance()), (size, 60));
    // 1000 chips of 1 are the maximum.
    let placed = bet(&rich, chips(1000, json!(vec![1; 1000]))).expect_status(200);
    assert_eq!(placed["round"]["contributors"][0]["bets"][0]["chips"].list().len(), 1000);
}

#[test]
fn reveals_and_actions_out_of_turn() {
    let service = Service::fresh(&[]);
    // Enough for the stake, not for a double.
    let alice = service.player("alice", 100);
    let reveal = |round: &str, player: &str, seed: &str| {
        alice.client.post(&format!("/v1/rounds/{round}/reveals"), &json!({ "player": player, "seed": seed }))
    };
    let act = |round: &str, decision: u64, action: Value| {
        alice.client.post(&format!("/v1/rounds/{round}/actions"), &json!({ "decision": decision, "action": action }))
    };
    refused(&reveal("joy-1:0", "alice", &"00".repeat(32)), 409, "wrong_round", "no round yet");
    refused(&act("joy-1:0", 0, json!("hit")), 409, "wrong_round", "no round yet");
    refused(&reveal("nowhere:0", "alice", &"00".repeat(32)), 404, "unknown_table", "nowhere");
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        if seen.len() == 3 {
            break;
        }
        let stake = alice.balance() / 2 + 1;
        let placed = alice.bet("joy-1", stake.min(1000));
        let id = placed.round.as_str();
        refused(&reveal(id, "alice", &"00".repeat(32)), 409, "seed_does_not_open", "another seed");
        refused(&reveal(id, "bob", &placed.seed.to_string()), 409, "not_a_contributor", "another player");
        refused(&act(id, 0, json!("hit")), 409, "awaiting_reveals", "before the seeds");
        refused(&service.operator().post("/v1/tables/joy-1/close", &json!({})), 409, "round_in_progress", "closing");
        let dealt = alice.reveal(&placed);
        if dealt["round"]["phase"] == "open" {
            refused(&reveal(id, "alice", &"00".repeat(32)), 409, "reveals_over", "open already");
            refused(&act(id, 1, json!("hit")), 409, "decision_not_open", "a later decision");
            refused(&act(id, 4_294_967_295, json!("hit")), 409, "decision_not_open", "the last decision");
            if dealt["round"]["decisions"][0]["options"][0]["action"] == "insurance" {
                refused(&act(id, 0, json!("hit")), 409, "action_not_offered", "hit before insurance");
                seen.insert("insurance");
            } else {
                refused(&act(id, 0, json!({ "insurance": { "take": true } })), 409, "action_not_offered", "insurance");
                // One hand in twenty is a blackjack, which cannot be doubled (R000.16).
                let blackjack = dealt["round"]["game"]["boxes"][0]["hands"][0]["blackjack"] == true;
                let (too_much, unpaid) = if blackjack {
                    ("action_not_offered", "action_not_offered")
                } else {
                    ("extra_stake_refused", "insufficient_balance")
                };
                refused(&act(id, 0, json!({ "double": { "amount": stake + 1 } })), 409, too_much, "too much");
                refused(&act(id, 0, json!({ "double": {} })), 409, unpaid, "double");
                seen.insert("play");
                seen.insert("double");
            }
            refused(&act(id, 0, json!("surrender")), 409, "action_not_offered", "another game's choice");
            for wrong in [
                json!("folds"),
                json!("Hit"),
                json!({ "hit": {} }),
                json!({ "insurance": {} }),
                json!(["hit"]),
                json!({}),
            ] {
                refused(&act(id, 0, wrong.clone()), 400, "malformed", &wrong.to_string());
            }
        }
        alice.stand_out(dealt);
        let key = format!("more-{id}").replace(':', "-");
        let more = [("idempotency-key", key.as_str())];
        service.operator().post_with("/v1/players/alice/credit", &json!({ "amount": 100 }), &more).expect_status(200);
        let poorer = alice.balance() - 100;
        if poorer > 0 {
            let key = format!("less-{id}").replace(':', "-");
            let less = [("idempotency-key", key.as_str())];
            service
                .operator()
                .post_with("/v1/players/alice/withdraw", &json!({ "amount": poorer }), &less)
                .expect_status(200);
        }
    }
    assert_eq!(seen.len(), 3, "not everything came up in 200 rounds");
}

#[test]
fn a_scheme_has_no_case_and_a_header_comes_once() {
    let service = Service::fresh(&[]);
    let (alice, nobody) = (service.player("alice", 10), service.anyone());
    let asked = |authorization: &[&str]| {
        let headers: Vec<(&str, &str)> = authorization.iter().map(|value| ("authorization", *value)).collect();
        nobody.send("GET", "/v1/players/alice", None, &headers).unwrap()
    };
    let token = &alice.token;
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        assert_eq!(asked(&[&format!("{scheme} {token}")]).status, 200, "{scheme}");
    }
    for wrong in [
        format!("Basic {token}"),
        format!("Bearer{token}"),
        format!("Bearer  {token}"),
        token.clone(),
        format!("Bearer {token}0"),
    ] {
        refused(&asked(&[&wrong]), 401, "unauthorized", &wrong);
    }
    let right = format!("Bearer {token}");
    refused(&asked(&[&right, &right]), 401, "unauthorized", "two tokens");

    let operator = service.operator();
    let credit = |keys: &[(&str, &str)]| operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1 }), keys);
    for keys in [["a", "b"], ["a", "a"]] {
        refused(&credit(&keys.map(|key| ("idempotency-key", key))), 400, "malformed", "two keys");
    }
    assert_eq!(alice.balance(), 10);
    credit(&[("idempotency-key", "a")]).expect_status(200);
    assert_eq!(alice.balance(), 11);
}

#[test]
fn what_is_not_said_is_left_out_and_integers_are_written_as_such() {
    let service = Service::fresh(&[]);
    let (operator, alice) = (service.operator(), service.player("alice", 10));
    let size = log_size(&operator);
    let bodies = [
        ("/v1/players/alice/credit", r#"{"amount":1,"reference":null}"#),
        ("/v1/players/alice/credit", r#"{"amount":1496.0}"#),
        ("/v1/players/alice/credit", r#"{"amount":1e3}"#),
        ("/v1/players", r#"{"player":"bob","key":null}"#),
        ("/v1/players/alice/key", r#"{"key":null,"reason":"x"}"#),
        ("/v1/tables", r#"{"rules":"joy","table":null}"#),
        ("/v1/tables/roulette-1/shuffle", r#"{"reason":null}"#),
    ];
    for (path, body) in bodies {
        let reply = operator.send("POST", path, Some(body.as_bytes()), &[JSON[0], key()[0]]).unwrap();
        refused(&reply, 400, "malformed", &format!("{path} {body}"));
    }
    let (bet, _) = alice.bet_body("joy-1", 1);
    let mut with_null = bet.clone();
    with_null["bets"][0]["chips"] = Value::Null;
    refused(&alice.client.post("/v1/tables/joy-1/bets", &with_null), 400, "malformed", "chips");
    for body in ["", " \n"] {
        let reply = operator.send("POST", "/v1/verify", Some(body.as_bytes()), &JSON).unwrap();
        refused(&reply, 400, "malformed", "no bundle");
    }
    assert_eq!(
        operator.send("POST", "/v1/verify", Some(b"{}"), &JSON).unwrap().expect_status(200)["verdict"],
        "not_sound"
    );
    assert_eq!(log_size(&operator), size);
    // A text may contain the word.
    let reference = json!({ "amount": 1, "reference": "null" });
    operator.post_with("/v1/players/alice/credit", &reference, &key()).expect_status(200);
    alice.client.post("/v1/tables/joy-1/bets", &bet).expect_status(200);
}
