//! Requests that no real client sends: the service never answers 500 and never hangs, and the log stays the same.

use fairshoe_tests::company::Company;
use fairshoe_tests::contract::Contract;
use fairshoe_tests::wire::Wire;
use fairshoe_tests::{Client, Exchange, Json, Reply, Rng, Service, audit, slow};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn counts(few: usize, many: usize) -> usize {
    if slow() { many } else { few }
}

/// The signed part: the log's own time next to it changes.
fn checkpoint(client: &Client) -> String {
    client.get("/checkpoint").text().split("\n\n").next().unwrap().to_owned()
}

/// Any reply except one that reports a failure of the service itself.
fn sane(reply: &Reply, what: &str) {
    assert!((200..500).contains(&reply.status) || reply.status == 503, "{what} → {} {}", reply.status, reply.text());
}

const SEEDS: [&str; 12] = [
    "GET /v1/log HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /v1/tables?limit=3&cursor=joy-1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /v1/rounds/joy-1:0/bundle HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /tile/entries/000.p/3 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /v1/tables/joy-1/rounds?cursor=5&limit=2 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /v1/players/alice HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 0000000000000000000000000000000000000000000000000000000000000000\r\n\r\n",
    "POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"player\":\"a\"}",
    "POST /v1/rounds/joy-1:0/reveals HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 29\r\n\r\n{\"player\":\"alice\",\"seed\":\"0\"}",
    "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "POST /v1/tables/joy-1/bets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
    "HEAD /checkpoint HTTP/1.1\r\nHost: x\r\n\r\n",
];

/// Bytes with a few changed, dropped, doubled or cut.
fn mutate(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=rng.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        match rng.below(7) {
            0 => bytes[at] = rng.below(256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, *rng.pick(b"\0\r\n \t:/%?&{}[]\"\\,0-9\xff\x80".as_slice())),
            3 => bytes.truncate(at),
            4 => {
                let end = at + rng.below(bytes.len() - at + 1);
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            5 => bytes[at] ^= 1 << rng.below(8),
            _ => {
                let word = *rng.pick(&[
                    "%00",
                    "%ff",
                    "%2e%2e/",
                    "../",
                    "\u{202e}",
                    "18446744073709551616",
                    "-1",
                    "1e999",
                    "null",
                    "\r\nX: y",
                ]);
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    bytes
}

#[test]
fn mutated_bytes_on_the_wire_get_an_answer_or_a_closed_door() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let alice = service.player("alice", 100);
    alice.play("joy-1", 1);
    let nobody = service.anyone();
    let before = checkpoint(&nobody);
    let mut rng = Rng(0xf022);
    let mut statuses = BTreeMap::<u16, usize>::new();
    for number in 0..counts(2500, 15_000) {
        let bytes = mutate(rng.pick(&SEEDS).as_bytes(), &mut rng);
        let mut wire = Wire::connect(&service.url, Duration::from_millis(25));
        wire.send(&bytes);
        // Many are unfinished requests, for which the service waits; others are answered at once.
        if let Some(reply) = wire.reply() {
            sane(&reply, &format!("{number}: {:?}", String::from_utf8_lossy(&bytes)));
            *statuses.entry(reply.status).or_default() += 1;
        }
    }
    assert!(statuses.len() >= 5 && statuses[&200] > 20, "{statuses:?}");
    assert_eq!(checkpoint(&nobody), before);
    let begun = Instant::now();
    assert_eq!(nobody.get("/healthz").text(), "ok");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(alice.play("joy-1", 1)["round"]["phase"], "settled");
}

/// A value replaced by one of another type, beyond a bound, or a neighbour.
fn strange(rng: &mut Rng) -> Value {
    match rng.below(14) {
        0 => Value::Null,
        1 => json!(u64::MAX),
        2 => json!(-1),
        3 => json!(1e308),
        4 => json!(""),
        5 => json!("a".repeat(rng.below(3000))),
        6 => json!("00".repeat(rng.below(40))),
        7 => json!([]),
        8 => json!({}),
        9 => json!(rng.below(1000)),
        10 => json!("\u{0}\u{202e}é😀"),
        11 => json!(vec![1; rng.below(2000)]),
        12 => json!(rng.below(2) == 0),
        _ => json!(
            *rng.pick(&["hit", "stand", "split", "joy", "joy-1", "alice", "bob", "1", "operator", "house", "../x"])
        ),
    }
}

fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => object
            .iter()
            .for_each(|(key, one)| places(one, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found)),
        Value::Array(all) => {
            all.iter().take(3).enumerate().for_each(|(n, one)| places(one, &format!("{at}/{n}"), found))
        }
        _ => {}
    }
}

fn mutate_json(good: &Value, rng: &mut Rng) -> Value {
    let mut value = good.clone();
    for _ in 0..=rng.below(2) {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        let at = rng.pick(&all).clone();
        match (rng.below(4), value.pointer_mut(&at)) {
            (0, Some(Value::Object(object))) => {
                drop(object.insert(rng.pick(&["x", "", "player", "table"]).to_string(), json!(1)))
            }
            (1, Some(Value::Object(object))) => {
                let key = object.keys().next().cloned();
                key.map(|key| object.remove(&key));
            }
            (_, Some(place)) => *place = strange(rng),
            (_, None) => {}
        }
    }
    value
}

#[test]
fn mutated_bodies_are_judged_by_the_contract_and_no_chip_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let (alice, bob) = (service.player("alice", 100_000), service.player("bob", 50));
    let operator = service.operator();
    let settled = alice.play("joy-1", 1)["round"]["id"].text();
    let bundle = alice.client.get(&format!("/v1/rounds/{settled}/bundle")).json();
    let seen = service.watch();
    let clients =
        [service.operator(), service.client(Some(&alice.token)), service.client(Some(&bob.token)), service.anyone()];
    let contract = Contract::load();
    let mut rng = Rng(0xb0d7);
    let mut accepted = 0u64;
    let size = |client: &Client| client.get("/v1/log").expect_status(200)["size"].int();
    let before = size(&operator);
    let balances = |client: &Client| {
        ["alice", "bob"].map(|name| client.get(&format!("/v1/players/{name}")).json()["balance"].int())
    };
    for number in 0..counts(1500, 30_000) {
        let bet = alice.bet_body("joy-1", 1).0;
        let live = alice.client.get("/v1/tables/joy-1").json()["round"].as_str().unwrap_or("joy-1:0").to_owned();
        let calls = [
            ("/v1/players".to_owned(), json!({ "player": format!("p{number}") })),
            ("/v1/players/alice/credit".into(), json!({ "amount": 1, "reference": "r" })),
            ("/v1/players/bob/withdraw".into(), json!({ "amount": 1 })),
            ("/v1/players/bob/tokens".into(), json!({ "revoke": false })),
            ("/v1/auditors".into(), json!({ "name": "x", "revoke": true })),
            (
                "/v1/tables".into(),
                json!({ "rules": "joy", "table": format!("t{number}"), "options": { "decks": 2, "chips": [1, 5], "blackjack_pays": [2, 1] } }),
            ),
            ("/v1/tables/joy-1/bets".into(), bet),
            (
                format!("/v1/rounds/{live}/reveals"),
                json!({ "player": "alice", "seed": alice.seed("joy-1", 1).to_string(), "saw": { "size": 1, "root": "A".repeat(43) + "=" } }),
            ),
            (format!("/v1/rounds/{live}/actions"), json!({ "decision": 0, "action": { "double": { "amount": 1 } } })),
            (format!("/v1/rounds/{live}/void"), json!({ "reason": "r" })),
            ("/v1/verify".into(), bundle.clone()),
        ];
        let (path, good) = rng.pick(&calls);
        let body = mutate_json(good, &mut rng);
        let client = rng.pick(&clients);
        let key = format!("k{}", rng.below(30));
        let funds = balances(&operator);
        let at = size(&operator);
        let begun = Instant::now();
        let reply = client
            .send(
                "POST",
                path,
                Some(body.to_string().as_bytes()),
                &[("content-type", "application/json"), ("idempotency-key", &key)],
            )
            .unwrap();
        assert!(begun.elapsed() < Duration::from_secs(10), "{path} {body}");
        sane(&reply, &format!("{path} {body}"));
        if reply.status >= 400 || path == "/v1/verify" {
            assert_eq!(
                (size(&operator), balances(&operator)),
                (at, funds),
                "a refusal changed something: {path} {body}"
            );
        } else {
            accepted += 1;
        }
        if path == "/v1/verify" && body != bundle && reply.status == 200 {
            assert_ne!(reply.json()["verdict"], "sound", "{body}");
        }
    }
    assert!(accepted > 10, "{accepted} got through: the mutations are too wild to find anything");
    assert!(size(&operator) > before);
    let seen: Vec<Exchange> = seen.lock().unwrap().clone();
    let wrong: Vec<String> = seen.iter().filter_map(|exchange| contract.check(exchange).err()).take(3).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // After all this the folder still starts, which replays every entry.
    assert_eq!(service.stop(), Some(0));
    let service = Service::start(folder.path(), &[]);
    assert_eq!(service.anyone().get("/healthz").status, 200);
}

#[test]
fn random_paths_and_queries_are_refused_politely() {
    let service = Service::fresh(&["--address-rate", "0"]);
    service.player("alice", 100).play("joy-1", 1);
    let nobody = service.anyone();
    let before = checkpoint(&nobody);
    let contract = Contract::load();
    let mut rng = Rng(0x9a7b);
    let templates: Vec<String> =
        contract.operations().into_iter().filter(|(method, ..)| method == "GET").map(|(_, path, _)| path).collect();
    for _ in 0..counts(2500, 40_000) {
        let values = [
            "joy-1",
            "0",
            "1",
            "7",
            "18446744073709551615",
            "18446744073709551616",
            "-1",
            "%00",
            "%2F",
            "%ff",
            "..",
            "joy-1:0",
            "joy-1:1",
            "a:b:c",
            ":",
            "~",
            "%25",
            "000.p/5",
            "x001/000",
            "alice",
            "é",
            "%F0%9F%98%80",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ];
        let mut path = rng.pick(&templates).clone();
        if path.ends_with("/events") {
            continue;
        }
        while let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
            let value = values[rng.below(values.len())];
            path.replace_range(open..=close, value);
        }
        for sign in ["?", "&"].iter().take(rng.below(3)) {
            path.push_str(&format!("{sign}{}={}", rng.pick(&["cursor", "limit", "x", ""]), rng.pick(&values)));
        }
        let mut wire = Wire::connect(&service.url, Duration::from_secs(10));
        wire.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes());
        let reply = wire.reply().unwrap_or_else(|| panic!("no reply to {path}"));
        sane(&reply, &path);
        assert!(reply.status < 400 || [400, 401, 404].contains(&reply.status), "{path}: {}", reply.status);
    }
    assert_eq!(checkpoint(&nobody), before);
}

/// Random requests to shared tables by two players, the operator and strangers, while the house's own clocks run.
#[test]
fn whatever_is_sent_to_shared_tables_the_contract_and_the_book_hold() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let operator = service.operator();
    for (table, rules) in [("bj", "six-deck"), ("ba", "baccarat"), ("sf", "safe")] {
        let shuffled = if rules == "safe" { json!({}) } else { json!({ "house_shuffle": true }) };
        let mut options = json!({ "bet_time_ms": 1_000, "reveal_time_ms": 1_000, "turn_time_ms": 1_000 });
        options.as_object_mut().unwrap().extend(shuffled.as_object().unwrap().clone());
        operator.post("/v1/tables", &json!({ "table": table, "rules": rules, "options": options })).expect_status(201);
    }
    let players = vec![service.player("alice", 1_000_000), service.player("bob", 1_000_000)];
    let seen = service.watch();
    let clients = [
        service.client(Some(&players[0].token)),
        service.client(Some(&players[1].token)),
        service.operator(),
        service.anyone(),
    ];
    let contract = Contract::load();
    let mut rng = Rng(0x5a7e);
    for number in 0..counts(1200, 20_000) {
        let company = Company {
            table: rng.pick::<&str>(&["bj", "ba", "sf"]).to_string(),
            players: players.clone(),
            public: service.anyone(),
        };
        let view = company.view();
        let round_no = view["window"]["round_no"]
            .as_u64()
            .or(view["round"].as_str().and_then(|id| id.rsplit_once(':')?.1.parse().ok()));
        let round_no = round_no.unwrap_or(view["next_round"].int());
        let who = rng.below(2);
        let player = &players[who];
        let round = company.public.get(&format!("/v1/rounds/{}", company.round_id(round_no)));
        let round = if round.status == 200 { round.json()["round"].clone() } else { Value::Null };
        // Most steps are correct, so that there is a game to disturb.
        if rng.below(2) == 0 && !round.is_null() && round["phase"] != "voided" && round["phase"] != "settled" {
            let waits =
                round["phase"] == "awaiting_reveals" || round["pile"].is_object() || round["decisions"][0].is_object();
            // A clock may run out between the look and the step; then the step is refused like any other.
            let stepped = waits
                && std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| company.step(&round, &mut rng))).is_ok();
            if stepped {
                continue;
            }
        }
        let shuffle = round["pile"]["round_no"].as_u64().unwrap_or(round_no + 1);
        let decision = round["decisions"][0]["decision"].clone();
        let bets = if company.table == "ba" {
            json!([{ "spot": "player", "stake": 100 }])
        } else {
            json!([{ "spot": (who + 1).to_string(), "stake": 100 }])
        };
        let commitment = if view["epoch"].is_string() { player.commitment(&view, round_no) } else { "00".repeat(32) };
        let calls = [
            ("POST", company.path("/seat"), json!({ "seat": who + 1 })),
            ("POST", company.path("/bets"), json!({ "round_no": round_no, "bets": bets, "commitment": commitment })),
            ("DELETE", company.path(&format!("/bets/{round_no}")), Value::Null),
            ("POST", company.path("/close_bets"), json!({ "round_no": round_no })),
            ("POST", company.path("/shuffle"), json!({ "reason": "r" })),
            ("POST", format!("/v1/rounds/{}/void", company.round_id(round_no)), json!({ "reason": "r" })),
            (
                "POST",
                format!("/v1/rounds/{}/commitments", company.round_id(shuffle)),
                json!({ "commitment": commitment }),
            ),
            (
                "POST",
                format!("/v1/rounds/{}/reveals", company.round_id(round_no)),
                json!({ "player": player.name.as_str(), "seed": player.seed(&company.table, round_no).to_string() }),
            ),
            (
                "POST",
                format!("/v1/rounds/{}/actions", company.round_id(round_no)),
                json!({ "decision": decision, "action": "stand" }),
            ),
            ("DELETE", company.path("/seat"), Value::Null),
        ];
        // Leaving and voiding are rare, or no round would be played.
        let at = [0, 0, 1, 1, 1, 1, 2, 3, 6, 7, 7, 8, 8, rng.below(calls.len())][rng.below(14)];
        let (method, path, good) = &calls[at];
        let body = if rng.below(3) > 0 { good.clone() } else { mutate_json(good, &mut rng) };
        let client = if rng.below(4) > 0 { &clients[who] } else { rng.pick(&clients) };
        let sent = body.to_string();
        let key = format!("f{}", rng.below(4000));
        let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
        let reply = client.send(method, path, (*method == "POST").then_some(sent.as_bytes()), &headers).unwrap();
        sane(&reply, &format!("{number}: {method} {path} {sent}"));
    }
    let seen: Vec<Exchange> = seen.lock().unwrap().clone();
    let wrong: Vec<String> = seen.iter().filter_map(|exchange| contract.check(exchange).err()).take(3).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(seen.iter().filter(|exchange| exchange.reply.status == 200).count() > 100, "too little got through");
    audit(&service.anyone());
    assert_eq!(service.stop(), Some(0));
    let service = Service::start(folder.path(), &[]);
    audit(&service.anyone());
}

/// Attack: a request that a front proxy reads as one and the service as two, so that the second avoids the proxy's
/// checks.
#[test]
fn a_request_whose_length_can_be_read_in_two_ways_is_refused_whole() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let body = r#"{"player":"smuggled"}"#;
    let token = service.operator_token();
    let inner = format!(
        "POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let chunked = format!("0\r\n\r\n{inner}");
    let plain = format!("{{}}{inner}");
    let both = format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", chunked.len());
    let longer = format!("Content-Length: 2\r\nContent-Length: {}\r\n", plain.len());
    let ambiguous = [
        (both.as_str(), &chunked),
        ("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", &chunked),
        (longer.as_str(), &plain),
        ("Content-Length: 2\r\nContent-Length: 2\r\n", &plain),
        ("Content-Length: +2\r\n", &plain),
        ("Content-Length: 2, 2\r\n", &plain),
        ("Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n", &plain),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", &chunked),
        ("Transfer-Encoding : chunked\r\nContent-Length: 2\r\n", &plain),
        ("Transfer-Encoding: gzip, chunked\r\n", &chunked),
        ("Transfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n", &plain),
    ];
    for (headers, rest) in ambiguous {
        let mut wire = Wire::connect(&service.url, Duration::from_secs(20));
        wire.send(
            format!("POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{headers}\r\n{rest}")
                .as_bytes(),
        );
        assert_eq!(wire.reply().unwrap_or_else(|| panic!("{headers}: no reply")).status, 400, "{headers}");
        assert!(wire.reply().is_none(), "{headers}: a second reply");
    }
    assert_eq!(service.operator().get("/v1/players/smuggled").problem(404), "unknown_player");
    // A test of the judge: read in the only correct way, the second request is carried out.
    let mut wire = Wire::connect(&service.url, Duration::from_secs(20));
    wire.send(
        format!(
            "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{plain}"
        )
        .as_bytes(),
    );
    assert_eq!((wire.reply().unwrap().status, wire.reply().unwrap().status), (200, 201));
}
