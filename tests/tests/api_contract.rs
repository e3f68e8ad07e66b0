//! openapi.yaml against itself, against the source, and against every reply of a service in use.

use crate::api_find::use_finds;
use crate::api_page::open_the_page;
use crate::api_tournaments::use_tournaments;
use fairshoe_api::ErrorCode;
use fairshoe_tests::company::Company;
use fairshoe_tests::contract::Contract;
use fairshoe_tests::poker::patient;
use fairshoe_tests::{Client, Json, Pen, Player, Rng, Service, choose_at};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn source(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// Every object with this key below a value, with its place.
fn having<'v>(value: &'v Value, key: &str, at: &str, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Array(all) => all.iter().enumerate().for_each(|(n, one)| having(one, key, &format!("{at}/{n}"), found)),
        Value::Object(object) => {
            if object.contains_key(key) {
                found.push((at.to_owned(), value));
            }
            object.iter().for_each(|(name, one)| having(one, key, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    let contract = Contract::load();
    assert_eq!(contract.document["openapi"], "3.1.0");
    let mut references = Vec::new();
    having(&contract.document, "$ref", "", &mut references);
    assert!(references.len() > 100);
    let mut used = BTreeSet::new();
    for (_, object) in &references {
        contract.resolve(object);
        used.insert(object["$ref"].text());
    }
    for (kind, components) in contract.document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys().filter(|_| kind != "securitySchemes") {
            assert!(used.contains(&format!("#/components/{kind}/{name}")), "components/{kind}/{name} is not used");
        }
    }
}

#[test]
fn every_schema_is_one_and_every_example_fits_it() {
    let contract = Contract::load();
    for (name, schema) in contract.document["components"]["schemas"].as_object().unwrap() {
        contract.violations(&json!({ "$ref": format!("#/components/schemas/{name}") }), &Value::Null);
        for example in schema.get("examples").and_then(Value::as_array).into_iter().flatten() {
            assert_eq!(contract.violations(schema, example), [""; 0], "{name}");
        }
    }
    let mut media = Vec::new();
    having(&contract.document, "examples", "", &mut media);
    let mut checked = 0;
    for (at, object) in media {
        let (Some(schema), Some(examples)) = (object.get("schema"), object["examples"].as_object()) else { continue };
        for (name, example) in examples {
            let value = &contract.resolve(example)["value"];
            assert_eq!(contract.violations(schema, value), [""; 0], "{at} {name}: {value}");
            checked += 1;
            let mut entries = BTreeSet::new();
            entries_in(value, &mut entries);
            assert_eq!(that_do_not_fit(&contract, &entries), [""; 0], "{at} {name}");
        }
    }
    assert!(checked > 100, "{checked} examples");
    let operations = contract.operations();
    assert!(operations.len() >= 47);
    for (method, path, operation) in operations {
        assert!(operation["operationId"].is_string() && operation["summary"].is_string(), "{method} {path}");
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = contract.resolve(response);
            contract.require_codes(response, status, &format!("{method} {path} {status}"));
            for (kind, media) in response.get("content").and_then(Value::as_object).into_iter().flatten() {
                assert!(media.get("schema").is_some(), "{method} {path} {status} {kind} has no schema");
                assert!(
                    media["examples"].as_object().is_some_and(|examples| !examples.is_empty()),
                    "{method} {path} {status} {kind}: no example"
                );
            }
        }
    }
}

/// The entries in a value: they are texts within JSON.
fn entries_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| entries_in(one, found)),
        Value::Object(object) => {
            // A cash table's seat uses the same word for how its player comes in.
            let entry = object.get("entry").and_then(Value::as_str).filter(|text| !["post", "wait"].contains(text));
            found.extend(entry.map(str::to_owned));
            object.values().for_each(|one| entries_in(one, found));
        }
        _ => {}
    }
}

/// The entries that do not fit their schema, `Entry`.
fn that_do_not_fit(contract: &Contract, entries: &BTreeSet<String>) -> Vec<String> {
    let schema = json!({ "$ref": "#/components/schemas/Entry" });
    let mut wrong = Vec::new();
    for text in entries {
        let entry: Value = serde_json::from_str(text).unwrap();
        wrong.extend(contract.violations(&schema, &entry).into_iter().map(|what| format!("{what} in {text}")));
    }
    wrong
}

/// The first string literal after each `mark` in a source text.
fn literals_after(text: &str, mark: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.split(mark).skip(1).filter_map(|rest| rest.split('"').nth(1)).map(str::to_owned).collect()
}

#[test]
fn the_codes_of_the_contract_are_those_of_the_source() {
    let contract = Contract::load();
    let listed = &contract.document["components"]["schemas"]["ErrorCode"];
    let in_contract: BTreeSet<String> = listed["enum"].items().map(|code| code.text()).collect();
    let sent: BTreeSet<String> = ErrorCode::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(in_contract, sent);
    // Each refusal of the house has a code in the list.
    let mut in_source = BTreeSet::new();
    for (file, function) in [("src/words/src/refusal.rs", "pub fn code"), ("src/games/src/engine.rs", "pub fn code")] {
        let text = source(file);
        for body in text.split(function).skip(1) {
            let body = body.split("\n    }\n").next().unwrap();
            in_source.extend(literals_after(body, "=>"));
        }
    }
    // Each refusal of the service names its code, and each code is used.
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/server/src");
    let files = ["edge", "read", "write", "cluster", "wallet"]
        .into_iter()
        .flat_map(|room| rooms.join(room).read_dir().unwrap());
    for path in files.map(|file| file.unwrap().path()).filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(path).unwrap();
        in_source.extend(
            ErrorCode::ALL
                .iter()
                .filter(|code| text.contains(&format!("ErrorCode::{code:?}")))
                .map(ToString::to_string),
        );
    }
    let is_code = |text: &String| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    in_source.retain(is_code);
    // Refusals of the house's own commands, and of an end, which no request asks for.
    for code in ["wrong_start", "log_in_play"] {
        assert!(in_source.remove(code), "{code} is no code any more");
    }
    assert_eq!(sent, in_source);
    // The list's text names each code with its status, and each has an example.
    let prose = listed["description"].as_str().unwrap();
    for code in &in_contract {
        let example = &contract.document["components"]["examples"][code]["value"];
        assert_eq!(contract.violations(&json!({ "$ref": "#/components/schemas/Problem" }), example), [""; 0], "{code}");
        assert_eq!(example["code"], code.as_str());
        assert!(
            prose.contains(&format!("- `{code}` ({}): ", example["status"])),
            "{code} is not described with its status"
        );
    }
}

/// The routes in the source: (method, path).
fn routes() -> BTreeSet<(String, String)> {
    let text = source("src/server/src/edge/mod.rs");
    let mut routes = BTreeSet::new();
    for (mark, method) in [("get(", "GET"), ("post(", "POST")] {
        let calls = text.split(mark).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
        for rest in calls.filter(|rest| rest.starts_with('/')) {
            routes.insert((method.to_owned(), rest.split('"').next().unwrap().to_owned()));
        }
    }
    for rest in text.split("path(\"").skip(1) {
        let mut parts = rest.split('"');
        let (path, methods) = (parts.next().unwrap(), parts.nth(1).unwrap());
        routes.extend(methods.split(", ").map(|method| (method.to_owned(), path.to_owned())));
    }
    routes
}

#[test]
fn the_calls_of_the_contract_are_those_of_the_source() {
    // The tiles' paths contain slashes; the router has one route for them.
    let plain = |path: String| if path.starts_with("/tile/") { "/tile/".to_owned() } else { path };
    let in_source: BTreeSet<_> = routes().into_iter().map(|(method, path)| (method, plain(path))).collect();
    let contract = Contract::load();
    let in_contract: BTreeSet<_> =
        contract.operations().into_iter().map(|(method, path, _)| (method, plain(path))).collect();
    assert_eq!(in_source, in_contract);
}

#[test]
fn every_call_of_the_contract_answers() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    publish_state(folder.path(), 65_536, "[]\n");
    let nobody = service.anyone();
    let size = nobody.get("/v1/log").expect_status(200)["size"].clone();
    let document = nobody.get("/").text();
    let version = document.split("\"/page/").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    for (method, path, _) in Contract::load().operations() {
        let index = if path.starts_with("/tile/") { format!("000.p/{size}") } else { "0".to_owned() };
        let values = [
            ("{level}", "0"),
            ("{index}", &index),
            ("{player}", "x"),
            ("{name}", "joy"),
            ("{table}", "joy-1"),
            ("{shoe_no}", "0"),
            ("{round_no}", "0"),
            ("{id}", "joy-1:0"),
            ("{seat}", "1"),
            ("{size}", "65536"),
            ("{no}", "0"),
            ("{tournament}", "x"),
            ("{draw_no}", "0"),
            ("{seller}", "x"),
            ("{version}", version),
            ("{file}", "main.js"),
        ];
        let concrete = values.iter().fold(path.clone(), |path, (name, value)| path.replace(name, value));
        assert!(!concrete.contains('{'), "{concrete}");
        if concrete.ends_with("/events") {
            continue;
        }
        let body = (method == "POST").then_some(b"{}".as_slice());
        let reply = nobody.send(&method, &concrete, body, &[("content-type", "application/json")]).unwrap();
        assert_ne!(reply.status, 405, "{method} {concrete}");
        assert!(reply.status != 404 || reply.problem(404) != "not_found", "{method} {concrete}");
    }
    assert_eq!(nobody.get("/openapi.yaml").text(), source("openapi.yaml"), "the contract is served as it is");
}

/// Adds a state to those that the service publishes, packed without compression, as zstd does with random data.
fn publish_state(folder: &Path, size: u64, lines: &str) {
    fs::create_dir_all(folder.join("state")).unwrap();
    let (length, block) =
        (u8::try_from(lines.len()).unwrap(), u32::try_from(lines.len() * 8 + 1).unwrap().to_le_bytes());
    let packed = [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, length], &block[..3], lines.as_bytes()].concat();
    fs::write(folder.join(format!("state/{size:020}")), packed).unwrap();
}

#[test]
fn a_published_state_is_served_plain_or_packed_and_no_other_is() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let lines = "[\"log\",{}]\n";
    publish_state(folder.path(), 65_536, lines);
    let nobody = service.anyone();
    let reply = nobody.get("/state/65536");
    assert_eq!((reply.status, reply.text().as_ref()), (200, lines));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=31536000, immutable"));
    for path in [
        "/state/065536",
        "/state/131072",
        "/state/x",
        "/state/-1",
        "/state/99999999999999999999",
        "/state/..%2f..%2fformat",
    ] {
        assert_eq!(nobody.get(path).status, 404, "{path}");
    }
    fs::write(folder.path().join(format!("state/{:020}", 131_072)), b"no zstd").unwrap();
    assert_eq!(nobody.get("/state/131072").status, 500);
}

/// Uses every call, with good and bad requests.
fn use_everything(service: &Service) {
    let operator = service.operator();
    let nobody = service.anyone();
    let alice = service.player("alice", 10_000);
    let bob = service.player("bob", 5);
    let key = [("idempotency-key", "k-1")];
    operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": 1, "reference": "desk 4" }), &key);
    operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": 1, "reference": "desk 4" }), &key);
    operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": 2 }), &key);
    operator.post_with("/v1/players/alice/credit", &json!({ "amount": 0 }), &[("idempotency-key", "k-2")]);
    alice.client.post("/v1/players/alice/tokens", &json!({}));
    crate::api_roles::use_tickets(service);
    crate::api_player_limits::use_limits(service);
    use_keys(service);
    bob.client.post("/v1/players/alice/tokens", &json!({}));
    let auditor = operator.post("/v1/auditors", &json!({ "name": "carol" })).json();
    let auditor = service.client(auditor["token"].as_str());
    auditor.get("/v1/players/alice");
    auditor.post("/v1/tables", &json!({ "rules": "joy" }));
    let own = alice.open_table();
    operator.post(
        "/v1/tables",
        &json!({ "table": "special", "rules": "joy", "options": { "decks": 8, "crash": "rollback" } }),
    );
    operator.post("/v1/tables", &json!({ "table": "special", "rules": "joy" }));
    operator.post("/v1/tables", &json!({ "table": "bad", "rules": "joy", "options": { "decks": 99 } }));
    operator.post("/v1/tables", &json!({ "rules": "none" }));

    let mut rng = Rng(99);
    let mut rounds = Vec::new();
    for table in ["joy-1", &own, "special"] {
        for _ in 0..12 {
            let placed = alice.bet(table, 10);
            nobody.get(&format!("/v1/tables/{table}"));
            read_round(service, &alice, &placed.round);
            alice.client.post(&format!("/v1/tables/{table}/bets"), &placed.request);
            bob.client.post(&format!("/v1/tables/{table}/bets"), &placed.request);
            let mut reply = alice.reveal(&placed);
            alice.reveal(&placed);
            alice.client.post(
                &format!("/v1/rounds/{}/reveals", placed.round),
                &json!({ "player": "bob", "seed": "00".repeat(32) }),
            );
            while reply["round"]["phase"] == "open" {
                read_round(service, &alice, &placed.round);
                let round = reply["round"].clone();
                alice
                    .client
                    .post(&format!("/v1/rounds/{}/actions", placed.round), &json!({ "decision": 90, "action": "hit" }));
                bob.client.post(
                    &format!("/v1/rounds/{}/actions", placed.round),
                    &json!({ "decision": round["decisions"][0]["decision"], "action": "hit" }),
                );
                alice.client.post(
                    &format!("/v1/rounds/{}/actions", placed.round),
                    &json!({ "decision": round["decisions"][0]["decision"], "action": "split" }),
                );
                let now = nobody.get(&format!("/v1/rounds/{}", placed.round)).json();
                if now["round"]["phase"] != "open" {
                    break;
                }
                let action = alice.choose(&now, &mut rng);
                reply = alice.act(&now["round"], action);
            }
            read_round(service, &alice, &placed.round);
            rounds.push(placed.round);
        }
    }
    let placed = alice.bet("joy-1", 10);
    let void = format!("/v1/rounds/{}/void", placed.round);
    alice.client.post(&void, &json!({ "reason": "x" }));
    operator.post(&void, &json!({ "reason": "x" }));
    operator.post("/v1/rounds/special:0/void", &json!({ "reason": "x" }));
    read_round(service, &alice, &placed.round);
    alice.reveal(&placed);
    // A malfunction is declared in an open round; sometimes a round is over at once.
    let dealt = || alice.reveal(&alice.bet("special", 10))["round"].clone();
    let open = std::iter::from_fn(|| Some(dealt())).find(|round| round["phase"] == "open").unwrap();
    operator
        .post(&format!("/v1/rounds/{}/void", open["id"].as_str().unwrap()), &json!({ "reason": "x" }))
        .expect_status(200);
    use_late_seeds(&operator, &alice, &bob);
    for bets in [
        json!([]),
        json!([{ "spot": "9", "stake": 1 }]),
        json!([{ "spot": "1", "stake": 9999 }]),
        json!([{ "spot": "1", "stake": 3, "chips": [3] }]),
    ] {
        let mut body = alice.bet_body("joy-1", 1).0;
        body["bets"] = bets;
        alice.client.post("/v1/tables/joy-1/bets", &body);
    }
    bob.client.post("/v1/tables/joy-1/bets", &bob.bet_body("joy-1", 6).0);
    use_shared_tables(service, &alice, &bob);
    use_cash_tables(service);
    use_tournaments(service);
    read_records(service, &alice);
    read_everything(service, &rounds);
    alice.client.get("/v1/players/alice/rounds?limit=3");
    alice.client.get("/v1/players/alice/rounds?limit=3&cursor=5");
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({}));
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({}));
}

/// A seed that was missing when its round became void, and is handed in late.
fn use_late_seeds(operator: &Client, alice: &Player, bob: &Player) {
    operator
        .post("/v1/tables", &json!({ "table": "hasty", "rules": "joy", "options": { "reveal_time_ms": 1000 } }))
        .expect_status(201);
    let placed = alice.bet("hasty", 1);
    let late = format!("/v1/rounds/{}/late-seeds", placed.round);
    let body = json!({ "player": "alice", "seed": placed.seed.to_string() });
    alice.client.post(&late, &body);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    bob.client.post(&late, &json!({ "player": "alice", "seed": "00".repeat(32) }));
    bob.client.post(&late, &body).expect_status(200);
    alice.client.post(&late, &body);
}

/// Keys, set and removed; good and bad signatures.
fn use_keys(service: &Service) {
    let operator = service.operator();
    let made = operator.post("/v1/players", &json!({ "player": "erin" })).json();
    let erin = service.client(made["token"].as_str());
    let pen = Pen::new(operator.get("/v1/log").json()["origin"].as_str().unwrap(), "erin", 5);
    let (path, body) = ("/v1/players/erin/key", json!({ "key": pen.key() }));
    erin.post(path, &json!({}));
    erin.post(path, &json!({ "key": "00".repeat(32) }));
    erin.post(path, &body);
    operator.post("/v1/players", &json!({ "player": "frank", "key": "00".repeat(32) }));
    let token = r#"{"issue_token":{"holder":"player:erin","revoke":false}}"#;
    for signature in ["?".into(), pen.sign("{}"), pen.with_nonce(9, token), pen.with_nonce(9, token)] {
        erin.post_with("/v1/players/erin/tokens", &json!({}), &[("fairshoe-signature", &signature)]);
    }
    erin.post("/v1/players/erin/tokens", &json!({}));
    operator.post(path, &json!({ "reason": "lost" }));
    erin.post_with("/v1/players/erin/tokens", &json!({}), &[("fairshoe-signature", &pen.with_nonce(10, token))]);
    erin.get("/v1/players/erin");
    operator.get("/v1/significant");
}

/// Seats, windows, the operator's announcements, every game, and a new pile in mid-game.
fn use_shared_tables(service: &Service, alice: &Player, bob: &Player) {
    let operator = service.operator();
    operator.post_with("/v1/players/bob/credit", &json!({ "amount": 900_000 }), &[("idempotency-key", "k-8")]);
    operator.post_with("/v1/players/alice/credit", &json!({ "amount": 900_000 }), &[("idempotency-key", "k-9")]);
    operator
        .post("/v1/tables", &json!({ "table": "salon", "rules": "six-deck", "options": { "house_shuffle": true } }));
    operator.post("/v1/tables/salon/shuffle", &json!({ "reason": "worn" }));
    operator.post("/v1/tables/joy-1/shuffle", &json!({ "reason": "worn" }));
    alice.client.post("/v1/tables/joy-1/seat", &json!({}));
    let mut rng = Rng(98);
    for table in ["live-blackjack-1", "study-group-1", "salon", "baccarat-1", "roulette-1"] {
        let company =
            Company { table: table.into(), players: vec![alice.clone(), bob.clone()], public: service.anyone() };
        company.sit();
        alice.client.post(&company.path("/seat"), &json!({}));
        bob.client.post(&company.path("/seat"), &json!({ "seat": 1 }));
        let window = company.window();
        let placed = alice.place_bets(table, &company.usual_bets(alice, &mut rng));
        alice.client.post(&company.path("/bets"), &placed.request);
        company.view();
        let bets = company.path(&format!("/bets/{}", window["round_no"]));
        for _ in 0..2 {
            alice.client.delete(&bets);
        }
        bob.client.delete(&bets);
        let placed = alice.place_bets(table, &company.usual_bets(alice, &mut rng));
        operator.post(&company.path("/close_bets"), &json!({ "round_no": window["round_no"] }));
        operator.post(&company.path("/shuffle"), &json!({ "reason": "worn" }));
        bob.client.post(&company.path("/bets"), &placed.request);
        while company.step(&company.round(window["round_no"].int())["round"], &mut rng).is_some() {
            read_round(service, alice, &placed.round);
        }
        company.play(&mut rng, |_| read_round(service, bob, &company.round_id(window["round_no"].int() + 1)));
        for player in [alice, bob] {
            player.client.delete(&company.path("/seat"));
        }
        alice.client.delete(&company.path("/seat"));
        for query in [
            "",
            "?from_seq=3&limit=2&proofs=true",
            "?limit=0",
            "?wait_ms=20001",
            "?from_seq=99999&wait_ms=5",
            "?more=1",
        ] {
            company.public.get(&company.path(&format!("/entries{query}")));
        }
    }
    use_full_tables(service, alice, bob);
    let company =
        Company { table: "safe-1".into(), players: vec![alice.clone(), bob.clone()], public: service.anyone() };
    company.sit();
    loop {
        let round_no = company.window()["round_no"].int();
        company.bet(&mut rng);
        let mut shuffled = false;
        loop {
            let round = company.round(round_no)["round"].clone();
            shuffled |= round["pile"].is_object();
            if round["decisions"].items().any(|d| d["options"].items().any(|o| o["action"] == "stand")) {
                let decision = &round["decisions"][0];
                let player = if decision["player"] == "alice" { alice } else { bob };
                player.client.post(
                    &format!("/v1/rounds/{}/actions", company.round_id(round_no)),
                    &json!({ "decision": decision["decision"], "action": "stand" }),
                );
            } else if company.step(&round, &mut rng).is_none() {
                break;
            }
            read_round(service, alice, &company.round_id(round_no));
        }
        if shuffled {
            read_round(service, alice, &company.round_id(round_no + 1));
            break;
        }
    }
    alice.client.post("/v1/rounds/safe-1:0/commitments", &json!({ "commitment": "00".repeat(32) }));
}

/// A table without a free seat: the players who wait, and the one whom the operator unseats.
fn use_full_tables(service: &Service, alice: &Player, bob: &Player) {
    let operator = service.operator();
    operator
        .post("/v1/tables", &json!({ "table": "narrow", "rules": "roulette", "options": { "seats": 2 } }))
        .expect_status(201);
    let dora = service.player("dora", 10_000);
    dora.client.post("/v1/tables/narrow/waiting", &json!({}));
    let company =
        Company { table: "narrow".into(), players: vec![alice.clone(), bob.clone()], public: service.anyone() };
    company.sit();
    dora.client.post("/v1/tables/narrow/waiting", &json!({})).expect_status(200);
    dora.client.post("/v1/tables/narrow/waiting", &json!({}));
    company.view();
    let seat = company.seat_of(bob).unwrap();
    let unseat = format!("/v1/tables/narrow/seats/{seat}/unseat");
    bob.client.post(&unseat, &json!({ "reason": "asleep" }));
    operator.post(&unseat, &json!({ "reason": "asleep" })).expect_status(200);
    operator.post(&unseat, &json!({ "reason": "asleep" }));
    alice.client.delete("/v1/tables/narrow/seat");
}

/// A cash table: hands with and without a showdown, good and bad wishes, a sealed shoe and an auditor who asks for it.
fn use_cash_tables(service: &Service) {
    let company = Company::at_cash_table(service, "room", "holdem", &patient(), &["gus", "hal"]);
    let [gus, hal] = &company.players[..] else { panic!() };
    let made = service.operator().post("/v1/auditors", &json!({ "name": "ida" })).json();
    let ida = service.client(made["token"].as_str());
    gus.client.post(&company.path("/chips"), &json!({ "amount": 1 }));
    for body in [json!({}), json!({ "buy_in": 1 }), json!({ "buy_in": 10_000, "entry": "post" })] {
        gus.client.post(&company.path("/seat"), &body);
    }
    gus.client.post(&company.path("/sit_out"), &json!({}));
    gus.client.post(&company.path("/sit_out"), &json!({}));
    gus.client.post(&company.path("/seat"), &json!({ "straddle": true }));
    gus.client.post("/v1/tables/joy-1/sit_out", &json!({}));
    gus.client.post("/v1/tables/baccarat-1/sit_out", &json!({}));
    company.buy_in(hal, 10_000);
    for amount in [500, 0, 0, 99_999_999] {
        hal.client.post(&company.path("/chips"), &json!({ "amount": amount }));
    }
    let mut rng = Rng(97);
    for hand in 0..6 {
        let round_no = company.deal(hand % 2 == 0);
        let id = company.round_id(round_no);
        let disclosure = format!("/v1/shoes/room/{}/disclosure", company.view()["shoe"]["shoe_no"]);
        ida.post(&disclosure, &json!({ "reason": "too early" }));
        gus.client.get(&company.path(""));
        read_round(service, gus, &id);
        let turn = company.round(round_no)["round"]["decisions"][0].clone();
        let body = json!({ "decision": turn["decision"], "action": { "raise": { "to": 1 } } });
        company.named(&turn["player"]).client.post(&format!("/v1/rounds/{id}/actions"), &body);
        company.finish(round_no, |round, decision| choose_at(round, decision, &mut rng));
        read_round(service, hal, &id);
        for client in [&gus.client, &service.operator(), &ida] {
            client.get(&disclosure);
            client.post(&disclosure, &json!({ "reason": "complaint 3" }));
            client.get(&disclosure);
            client.get(&format!("/v1/rounds/{id}"));
            client.get(&format!("/v1/rounds/{id}/recall"));
        }
        service.anyone().get(&disclosure.replace("/disclosure", ""));
        for player in &company.players {
            if company.stack(player) == Some(0) {
                player.client.post(&company.path("/chips"), &json!({ "amount": 8_000 }));
                player.client.post(&company.path("/seat"), &json!({}));
            }
        }
    }
    service.operator().get("/v1/significant");
    service.operator().get("/v1/players/gus");
    gus.client.delete(&company.path("/seat"));
    service.anyone().get("/v1/tables/room/entries?limit=256");
}

fn read_records(service: &Service, alice: &Player) {
    let operator = service.operator();
    operator.post_with(
        "/v1/players/alice/correct",
        &json!({ "amount": 3, "reason": "case 9" }),
        &[("idempotency-key", "k-10")],
    );
    operator.post_with(
        "/v1/players/alice/correct",
        &json!({ "amount": 9_999_999, "reason": "case 9" }),
        &[("idempotency-key", "k-11")],
    );
    for client in [&operator, &alice.client, &service.anyone()] {
        for path in [
            "/v1/export",
            "/v1/export?from=0&to=5",
            "/v1/export?from=2026-01-01T00:00:00Z",
            "/v1/export?from=x",
            "/v1/export?limit=1",
            "/v1/names?players=alice",
            "/v1/significant",
            "/v1/significant?limit=2&cursor=1",
            "/v1/significant?limit=99",
            "/v1/players/alice/recall",
            "/v1/players/alice/recall?last=2",
            "/v1/players/alice/recall?last=0",
            "/v1/rounds/joy-1:0/recall",
            "/v1/rounds/joy-1:99/recall",
            "/v1/rounds/joy-1:x/recall",
        ] {
            client.get(path);
        }
    }
    use_finds(service, alice);
}

fn read_round(service: &Service, player: &Player, id: &str) {
    for path in ["", "/bundle", "/actions"] {
        service.anyone().get(&format!("/v1/rounds/{id}{path}"));
    }
    player.client.get(&format!("/v1/rounds/{id}/actions"));
    service.operator().get(&format!("/v1/rounds/{id}/actions"));
}

fn read_everything(service: &Service, rounds: &[String]) {
    open_the_page(service);
    let nobody = service.anyone();
    let size = nobody.get("/v1/log").expect_status(200)["size"].int();
    let mut paths: Vec<String> = [
        "/healthz",
        "/readyz",
        "/v1/cluster",
        "/metrics",
        "/openapi.yaml",
        "/verify",
        "/",
        "/play/joy-1",
        "/play/NONE",
        "/tournament/friday",
        "/round/joy-1:0",
        "/round/joy-1",
        "/log",
        "/docs",
        "/page/0000000000000000/main.js",
        "/checkpoint",
        "/checkpoint/witnessed",
        "/v1/receipts/0?witnessed=true",
        "/v1/receipts/0?witnessed=x",
        "/v1/log",
        "/v1/rulesets",
        "/v1/rulesets/joy",
        "/v1/rulesets/none",
        "/v1/tables",
        "/v1/tables?limit=1",
        "/v1/tables?limit=0",
        "/v1/tables/joy-1/shoe",
        "/v1/tables/none/shoe",
        "/v1/tables/joy-1/bundle",
        "/v1/tables/holdem-1/bundle",
        "/v1/tables/none/bundle",
        "/v1/tables/joy-1/rounds?limit=2",
        "/v1/tables/joy-1/rounds?cursor=x",
        "/v1/tables/NONE",
        "/v1/shoes/joy-1/0",
        "/v1/shoes/joy-1/99",
        "/v1/shoes/joy-1/x",
        "/v1/players/alice",
        "/v1/rounds/joy-1:99",
        "/v1/rounds/joy-1:99/bundle",
        "/v1/rounds/joy-1",
        "/state/65536",
        "/state/1",
        "/tile/0/001",
        "/tile/entries/001",
        "/tile/0/000.p/1",
        "/tile/entries/000.p/1",
        "/v1/receipts/x",
        "/v1/entries/x",
        "/v1/receipts/999999",
        "/v1/entries/999999",
        "/nothing",
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    paths.extend((0..size).step_by(7).flat_map(|n| [format!("/v1/entries/{n}"), format!("/v1/receipts/{n}")]));
    for path in ["/checkpoint", "/tile/0/000.p/1", "/tile/entries/000.p/1", "/tile/0/999"] {
        nobody.send("HEAD", path, None, &[]);
    }
    let tag = nobody.get("/checkpoint").header("etag").unwrap().to_owned();
    for method in ["GET", "HEAD"] {
        nobody.send(method, "/checkpoint", None, &[("if-none-match", &tag)]);
    }
    for path in &paths {
        nobody.get(path);
        nobody.send("PUT", path, None, &[]);
        service.client(Some("00")).get(path);
    }
    let bundle = nobody.get(&format!("/v1/rounds/{}/bundle", rounds[0])).json();
    nobody.post("/v1/verify", &bundle);
    let mut bad = bundle;
    bad["entries"][0]["index"] = json!(3);
    nobody.post("/v1/verify", &bad);
    for path in ["/v1/verify", "/v1/players", "/v1/tables/joy-1/bets", "/v1/rounds/joy-1:0/reveals"] {
        service.operator().send("POST", path, Some(b"{"), &[("content-type", "application/json")]);
        service.operator().send("POST", path, Some(b"{}"), &[("content-type", "text/plain")]);
        service.operator().send("POST", path, Some(&vec![b' '; 3 << 20]), &[("content-type", "application/json")]);
    }
}

#[test]
fn every_reply_of_a_service_in_use_is_one_the_contract_has() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (wallet, options) = crate::api_wallet::wallet_of_saver(elsewhere.path());
    let mut service = Service::start(folder.path(), &options.iter().map(String::as_str).collect::<Vec<_>>());
    publish_state(folder.path(), 65_536, "[]\n");
    let seen = service.watch();
    use_everything(&service);
    crate::api_wallet::there_and_back(&service, &wallet);
    crate::api_transfers::there_and_back(&service, elsewhere.path());
    let seen = seen.lock().unwrap();
    let contract = Contract::load();
    let wrong: BTreeSet<String> = seen.iter().filter_map(|exchange| contract.check(exchange).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} replies:\n{}",
        wrong.len(),
        seen.len(),
        wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n\n")
    );
    // Many replies quote the same entry: it is judged once.
    let mut entries = BTreeSet::new();
    for exchange in seen.iter() {
        if let Ok(value) = serde_json::from_slice(&exchange.reply.body) {
            entries_in(&value, &mut entries);
        }
    }
    assert!(entries.len() > 1_000, "{} entries", entries.len());
    assert_eq!(that_do_not_fit(&contract, &entries), [""; 0]);
    // All calls were used, each successfully.
    let successes: BTreeSet<String> = seen
        .iter()
        .filter(|e| e.reply.status < 300)
        .filter_map(|e| contract.operation(&e.method, &e.path).map(|(path, _)| format!("{} {path}", e.method)))
        .collect();
    let all: BTreeSet<String> =
        contract.operations().into_iter().map(|(method, path, _)| format!("{method} {path}")).collect();
    // Streams do not end, and witnesses are tested elsewhere (api_witness.rs).
    let elsewhere = |call: &str| call.ends_with("/events") || call == "GET /checkpoint/witnessed";
    let missing: Vec<_> = all.difference(&successes).filter(|call| !elsewhere(call)).collect();
    assert!(missing.is_empty(), "never used: {missing:?}");
}
